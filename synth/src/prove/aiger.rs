//! Reads circuits in the binary AIGER format (1.9), as Yosys writes them, and runs them on the inputs of a counterexample.
//!
//! A literal is twice the number of a variable, plus one if it is negated; variable 0 is false. Variables are numbered
//! inputs first, then latches, then AND gates in an order in which each comes after what it depends on.

use thiserror::Error;

/// A file that is not what it should be.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct FormatError(String);

fn bad(what: impl Into<String>) -> FormatError {
    FormatError(what.into())
}

/// A circuit: latches are zero at first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circuit {
    /// Number of inputs.
    pub inputs: usize,
    /// Literal that each latch takes over in a step.
    pub latches: Vec<u32>,
    /// What must never be 1.
    pub bad: Vec<u32>,
    /// What is always 1, or else the run does not count.
    pub constraints: Vec<u32>,
    /// The two literals of each AND gate.
    pub gates: Vec<[u32; 2]>,
}

impl Circuit {
    /// Reads a binary AIGER file.
    ///
    /// # Errors
    /// It is none, or one of a kind that Yosys does not write.
    pub fn read(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut rest = bytes;
        let mut line = || -> Result<&str, FormatError> {
            let end = rest.iter().position(|byte| *byte == b'\n').ok_or_else(|| bad("the file ends too early"))?;
            let text = std::str::from_utf8(&rest[..end]).map_err(|_| bad("a line is no text"))?;
            rest = &rest[end + 1..];
            Ok(text)
        };
        let header = line()?;
        let numbers: Option<Vec<usize>> =
            header.strip_prefix("aig ").map(|list| list.split(' ').filter_map(|number| number.parse().ok()).collect());
        let Some([_, inputs, latches, 0, gates, more @ ..]) = numbers.as_deref() else {
            return Err(bad(format!("`{header}` is no header of a binary AIGER file without outputs")));
        };
        let count = |position: usize| more.get(position).copied().unwrap_or(0);
        let mut literals = |count: usize| -> Result<Vec<u32>, FormatError> {
            let mut literal = || {
                let text = line()?;
                text.parse().map_err(|_| bad(format!("`{text}` is no literal of a latch that is zero at first")))
            };
            (0..count).map(|_| literal()).collect()
        };
        let next = literals(*latches)?;
        let (bad_ones, constraints) = (literals(count(0))?, literals(count(1))?);
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
        Ok(Self { inputs: *inputs, latches: next, bad: bad_ones, constraints, gates })
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
    fn and(&mut self, left: u32, right: u32) -> u32 {
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

    /// Runs the circuit on inputs, a row a step; gives the values of all variables in each step.
    pub fn run(&self, steps: &[Vec<bool>]) -> Vec<Vec<bool>> {
        let mut held = vec![false; self.latches.len()];
        let mut rows = Vec::with_capacity(steps.len());
        for inputs in steps {
            let mut values = vec![false];
            values.extend(inputs.iter().copied().chain(std::iter::repeat(false)).take(self.inputs));
            values.extend(&held);
            for [left, right] in &self.gates {
                values.push(literal(&values, *left) && literal(&values, *right));
            }
            held = self.latches.iter().map(|next| literal(&values, *next)).collect();
            rows.push(values);
        }
        rows
    }
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
