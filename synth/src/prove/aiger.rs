//! Reads circuits in the binary AIGER format (1.9), as Yosys writes them, and runs them on the inputs of a counterexample.
//!
//! A literal is twice the number of a variable, plus one if it is negated; variable 0 is false. Variables are numbered
//! inputs first, then latches, then AND gates in an order in which each comes after what it depends on.

use thiserror::Error;

/// A file that is not what it should be.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct FormatError(String);

/// A file that is wrong in this way.
pub(crate) fn bad(what: impl Into<String>) -> FormatError {
    FormatError(what.into())
}

/// A circuit: latches are zero at first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Circuit {
    /// Number of inputs.
    pub inputs: usize,
    /// Literal that each latch takes over in a step.
    pub latches: Vec<u32>,
    /// Signals that must never be 1.
    pub bad: Vec<u32>,
    /// What is always 1, or else the run does not count.
    pub constraints: Vec<u32>,
    /// The two literals of each AND gate.
    pub gates: Vec<[u32; 2]>,
}

impl Circuit {
    /// Reads a binary AIGER file of what must never be 1.
    ///
    /// # Errors
    /// It is none, or one of a kind that Yosys does not write for a proof.
    pub fn read(bytes: &[u8]) -> Result<Self, FormatError> {
        let File { circuit, starts, outputs } = File::read(bytes)?;
        if outputs != 0 {
            return Err(bad(format!("there are {outputs} outputs")));
        }
        match starts.iter().position(|start| *start != Start::Zero) {
            None => Ok(circuit),
            Some(latch) => Err(bad(format!("latch {latch} is not zero at first"))),
        }
    }

    /// The circuit as a binary AIGER file.
    pub fn write(&self) -> Vec<u8> {
        let (latches, gates) = (self.latches.len(), self.gates.len());
        let variables = self.inputs + latches + gates;
        let (inputs, bad, always) = (self.inputs, self.bad.len(), self.constraints.len());
        let mut bytes = format!("aig {variables} {inputs} {latches} 0 {gates} {bad} {always}\n").into_bytes();
        for literal in self.latches.iter().chain(&self.bad).chain(&self.constraints) {
            bytes.extend(format!("{literal}\n").into_bytes());
        }
        for (number, [left, right]) in self.gates.iter().enumerate() {
            let own = 2 * (self.inputs + latches + 1 + number) as u32;
            for mut delta in [own - left, left - right] {
                while delta >= 0x80 {
                    bytes.push(delta as u8 | 0x80);
                    delta >>= 7;
                }
                bytes.push(delta as u8);
            }
        }
        bytes
    }

    /// Two steps in a row from any state, as a circuit without latches: bad is that something is bad in the second and nothing is in the
    /// first. The state, the inputs of the first step and those of the second are its inputs.
    pub fn step(&self) -> Self {
        let mut two = Self {
            inputs: self.latches.len() + 2 * self.inputs,
            latches: vec![],
            bad: vec![],
            constraints: vec![],
            gates: Vec::with_capacity(2 * self.gates.len()),
        };
        let variables = |first: usize, count: usize| (first..first + count).map(|number| 2 * (1 + number as u32));
        let mut state: Vec<u32> = variables(0, self.latches.len()).collect();
        for place in 0..2 {
            let mut literals = vec![0];
            literals.extend(variables(self.latches.len() + place * self.inputs, self.inputs));
            literals.extend(&state);
            let of = |literals: &[u32], literal: u32| literals[literal as usize / 2] ^ (literal % 2);
            for [left, right] in &self.gates {
                let gate = two.and(of(&literals, *left), of(&literals, *right));
                literals.push(gate);
            }
            two.constraints.extend(self.constraints.iter().map(|literal| of(&literals, *literal)));
            let bad = self.bad.iter().map(|literal| of(&literals, *literal));
            match place {
                0 => two.constraints.extend(bad.map(|literal| literal ^ 1)),
                _ => two.bad.extend(bad),
            }
            state = self.latches.iter().map(|next| of(&literals, *next)).collect();
        }
        // one output says it all: constraints as part of it
        let sound = two.bad.clone().into_iter().fold(1, |all, bad| two.and(all, bad ^ 1));
        let counts = two.constraints.clone().into_iter().fold(sound ^ 1, |all, always| two.and(all, always));
        two.constraints.clear();
        two.bad = vec![counts];
        two
    }

    /// The AND of two literals: a gate, if it takes one.
    pub fn and(&mut self, left: u32, right: u32) -> u32 {
        let [left, right] = [left.max(right), left.min(right)];
        match (left, right) {
            (_, 0) => 0,
            (left, 1) => left,
            (left, right) if left == right => left,
            (left, right) if left == right ^ 1 => 0,
            _ => {
                self.gates.push([left, right]);
                2 * (self.inputs + self.latches.len() + self.gates.len()) as u32
            }
        }
    }

    /// The same circuit, whose latches begin with these values, as one whose latches are zero at first: what is 1 at first is kept inverted.
    pub fn beginning_with(mut self, ones: &[bool]) -> Self {
        let (inputs, latches) = (self.inputs, self.latches.len());
        let inverted = |literal: u32| {
            let latch = (literal as usize / 2).checked_sub(inputs + 1).filter(|latch| *latch < latches);
            literal ^ u32::from(latch.is_some_and(|latch| ones[latch]))
        };
        let all = [&mut self.latches, &mut self.bad, &mut self.constraints];
        all.into_iter()
            .flatten()
            .chain(self.gates.iter_mut().flatten())
            .for_each(|literal| *literal = inverted(*literal));
        for (next, one) in self.latches.iter_mut().zip(ones) {
            *next ^= u32::from(*one);
        }
        // in a file, the larger literal of a gate comes first
        self.gates.iter_mut().for_each(|gate| gate.sort_by(|left, right| right.cmp(left)));
        self
    }

    /// Runs the circuit on inputs, a row a step; gives the values of all variables in each step.
    pub fn run(&self, steps: &[Vec<bool>]) -> Vec<Vec<bool>> {
        let mut held = vec![0; self.latches.len()];
        let row = |inputs: &Vec<bool>| {
            let inputs = inputs.iter().copied().chain(std::iter::repeat(false)).map(u64::from);
            let values = self.cycle(inputs, &mut held);
            values.into_iter().map(|value| value & 1 == 1).collect()
        };
        steps.iter().map(row).collect()
    }

    /// A cycle of 64 runs side by side: bit n of a word is of run n. Takes the latches on from what they held, and gives the values of all
    /// variables.
    pub fn cycle(&self, inputs: impl Iterator<Item = u64>, held: &mut [u64]) -> Vec<u64> {
        let mut values = Vec::with_capacity(1 + self.inputs + held.len() + self.gates.len());
        values.push(0);
        values.extend(inputs.take(self.inputs));
        values.extend_from_slice(held);
        for [left, right] in &self.gates {
            let both = words(&values, *left) & words(&values, *right);
            values.push(both);
        }
        held.iter_mut().zip(&self.latches).for_each(|(held, next)| *held = words(&values, *next));
        values
    }
}

/// Initial value of a latch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// 0.
    Zero,
    /// 1.
    One,
    /// Anything.
    Any,
}

/// A binary AIGER file as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The circuit, as if its latches were zero at first. Its outputs are the first of what must never be 1.
    circuit: Circuit,
    /// What each latch is at first.
    starts: Vec<Start>,
    /// Number of outputs.
    outputs: usize,
}

impl File {
    /// Reads a file.
    ///
    /// # Errors
    /// It is none, or one of a kind that Yosys does not write.
    pub fn read(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut rest = bytes;
        let mut line = || -> Result<&str, FormatError> {
            let end = rest.iter().position(|byte| *byte == b'\n').ok_or_else(|| bad("the file ends too early"))?;
            let text = std::str::from_utf8(&rest[..end]).map_err(|_| bad("a line is not text"))?;
            rest = &rest[end + 1..];
            Ok(text)
        };
        let header = line()?;
        let numbers: Option<Vec<usize>> =
            header.strip_prefix("aig ").map(|list| list.split(' ').filter_map(|number| number.parse().ok()).collect());
        let Some([_, inputs, latches, outputs, gates, more @ ..]) = numbers.as_deref() else {
            return Err(bad(format!("`{header}` is not a header of a binary AIGER file")));
        };
        let count = |position: usize| more.get(position).copied().unwrap_or(0);
        let literal = |text: &str| text.parse().map_err(|_| bad(format!("`{text}` is not a literal")));
        let (mut next, mut starts) = (Vec::with_capacity(*latches), Vec::with_capacity(*latches));
        for _ in 0..*latches {
            let text = line()?;
            let (own, start) = text.split_once(' ').map_or((text, Start::Zero), |(own, start)| {
                (
                    own,
                    if start == "0" {
                        Start::Zero
                    } else if start == "1" {
                        Start::One
                    } else {
                        Start::Any
                    },
                )
            });
            next.push(literal(own)?);
            starts.push(start);
        }
        let mut literals =
            |count: usize| -> Result<Vec<u32>, FormatError> { (0..count).map(|_| literal(line()?)).collect() };
        let (never, constraints) = (literals(outputs + count(0))?, literals(count(1))?);
        let mut delta = || -> Result<u32, FormatError> {
            let (mut value, mut shift) = (0u32, 0);
            loop {
                let (byte, after) = rest.split_first().ok_or_else(|| bad("the file ends in a gate"))?;
                rest = after;
                value |= u32::from(byte & 0x7f).checked_shl(shift).ok_or_else(|| bad("a number is too large"))?;
                shift += 7;
                if byte & 0x80 == 0 {
                    return Ok(value);
                }
            }
        };
        let first = (inputs + latches + 1) as u32;
        let mut gate = |number: u32| -> Result<[u32; 2], FormatError> {
            let wrong = || bad("a gate depends on a later one");
            let left = (2 * (first + number)).checked_sub(delta()?).ok_or_else(wrong)?;
            Ok([left, left.checked_sub(delta()?).ok_or_else(wrong)?])
        };
        let gates = (0..*gates as u32).map(&mut gate).collect::<Result<_, _>>()?;
        let circuit = Circuit { inputs: *inputs, latches: next, bad: never, constraints, gates };
        Ok(Self { circuit, starts, outputs: *outputs })
    }

    /// The literals that are the outputs.
    pub fn outputs(&self) -> &[u32] {
        &self.circuit.bad[..self.outputs]
    }
}

/// The values of a literal in 64 runs.
pub fn words(values: &[u64], literal: u32) -> u64 {
    values[literal as usize / 2] ^ 0_u64.wrapping_sub(u64::from(literal % 2))
}

/// The value of a literal.
pub fn literal(values: &[bool], literal: u32) -> bool {
    values[literal as usize / 2] != (literal % 2 == 1)
}

/// The inputs of a counterexample in the form that abc's `write_cex -a` gives it: a line of latches, then a line of inputs
/// for each step. The circuit runs on them, and in the last step what must not happen does.
///
/// # Errors
/// It is no such thing.
pub fn witness(text: &str, circuit: &Circuit) -> Result<Vec<Vec<bool>>, FormatError> {
    let bits = |line: &str| -> Vec<bool> { line.bytes().map(|byte| byte == b'1').collect() };
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or("").trim());
    let is_row = |line: &&str| line.bytes().all(|byte| matches!(byte, b'0' | b'1' | b'x'));
    let rows: Vec<Vec<bool>> = lines.filter(is_row).map(bits).filter(|row| row.len() == circuit.inputs).collect();
    // the line of the latches, which are zero, may be as long as a line of inputs
    for skipped in 0..rows.len().min(2) {
        let values = circuit.run(&rows[skipped..]);
        let sound = values.iter().all(|row| circuit.constraints.iter().all(|always| literal(row, *always)));
        let happens = values.last().is_some_and(|row| circuit.bad.iter().any(|never| literal(row, *never)));
        if sound && happens {
            return Ok(rows[skipped..].to_vec());
        }
    }
    Err(bad("it does not lead to what it should"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two latches that count the steps in which the input is 1; three of them must never be seen.
    fn counter() -> Circuit {
        // variables: 1 input, 2 and 3 latches (low, high), then the gates
        let (input, low, high) = (2, 4, 6);
        let gates = vec![
            [low, input],         // 4: carry
            [low + 1, input + 1], // 5
            [8 + 1, 10 + 1],      // 6: low differs from the input
            [8, high],            // 7
            [8 + 1, high + 1],    // 8
            [14 + 1, 16 + 1],     // 9: high differs from the carry
            [high, low],          // 10: three
        ];
        Circuit { inputs: 1, latches: vec![12, 18], bad: vec![20], constraints: vec![], gates }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let circuit = counter();
        let mut gates = circuit.clone();
        // in a file, the larger literal of a gate comes first
        gates.gates.iter_mut().for_each(|gate| gate.sort_by(|a, b| b.cmp(a)));
        assert_eq!(Circuit::read(&gates.write()), Ok(gates));
        assert!(Circuit::read(b"aig 1 1 0 1 0\n").is_err());
        assert!(Circuit::read(b"aig 3 1 0 0 2 1\n2\n").is_err());
        assert!(Circuit::read(b"aig 2 1 1 0 0 1\n2 1\n4\n").is_err(), "a latch is 1 at first");
    }

    #[test]
    fn latches_that_begin_with_one_are_kept_inverted() {
        // a latch that begins with 1 and takes over the input; the output is the latch; another that may begin with anything
        let file = File::read(b"aig 3 1 2 1 0\n2 1\n4 6\n4\ni0 a[0]\nc\nno name\n").expect("it is one");
        assert_eq!((&file.starts[..], file.outputs()), (&[Start::One, Start::Any][..], &[4][..]));
        let circuit = file.circuit.beginning_with(&[true, false]);
        assert_eq!((circuit.latches.as_slice(), circuit.bad.as_slice()), (&[3, 5][..], &[5][..]));
        let seen: Vec<bool> = circuit
            .run(&[vec![false], vec![true], vec![false]])
            .iter()
            .map(|row| literal(row, circuit.bad[0]))
            .collect();
        assert_eq!(seen, [true, false, true]);
    }

    #[test]
    fn a_counterexample_is_run() {
        let circuit = counter();
        let text = "1\nb0\n00\n1\n0\n1\n1\n1\n# DONE";
        let steps = witness(text, &circuit).expect("three are seen at last");
        assert_eq!(
            steps.len(),
            5,
            "the line `1` at the top looks like a step, but with it nothing would happen at the end"
        );
        assert!(witness("0\n0\n1\n", &circuit).is_err());
    }
}
