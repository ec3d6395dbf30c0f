//! Reads circuits in the binary AIGER format (1.9), as Yosys writes them, and runs them on the inputs of a counterexample.
//!
//! A literal is twice the number of a variable, plus one if it is negated; variable 0 is false. Variables are numbered
//! inputs first, then latches, then AND gates in an order in which each comes after what it depends on.

use std::collections::HashMap;
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
    /// Reads a binary AIGER file of what must never be 1.
    ///
    /// # Errors
    /// It is none, or one of a kind that Yosys does not write for a proof.
    pub fn read(bytes: &[u8]) -> Result<Self, FormatError> {
        let File { circuit, starts, outputs, .. } = File::read(bytes)?;
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

/// What a latch is at first.
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
    /// Number and names of inputs that have some.
    inputs: Vec<(usize, String)>,
    /// The same of outputs.
    named_outputs: Vec<(usize, String)>,
    /// Names of each latch.
    latches: Vec<Vec<String>>,
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
            let text = std::str::from_utf8(&rest[..end]).map_err(|_| bad("a line is no text"))?;
            rest = &rest[end + 1..];
            Ok(text)
        };
        let header = line()?;
        let numbers: Option<Vec<usize>> =
            header.strip_prefix("aig ").map(|list| list.split(' ').filter_map(|number| number.parse().ok()).collect());
        let Some([_, inputs, latches, outputs, gates, more @ ..]) = numbers.as_deref() else {
            return Err(bad(format!("`{header}` is no header of a binary AIGER file")));
        };
        let count = |position: usize| more.get(position).copied().unwrap_or(0);
        let literal = |text: &str| text.parse().map_err(|_| bad(format!("`{text}` is no literal")));
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
        let latches_named = vec![vec![]; *latches];
        let (inputs, named_outputs) = (vec![], vec![]);
        let mut file = Self { circuit, starts, outputs: *outputs, inputs, named_outputs, latches: latches_named };
        // symbols, and from a line `c` on anything
        for line in String::from_utf8_lossy(rest).lines().take_while(|line| *line != "c") {
            let symbol = line.split_at_checked(1).and_then(|(kind, rest)| Some((kind, rest.split_once(' ')?)));
            let Some((kind, (number, names))) = symbol else { continue };
            let Ok(number) = number.parse::<usize>() else { continue };
            match kind {
                "i" => file.inputs.push((number, names.to_owned())),
                "o" => file.named_outputs.push((number, names.to_owned())),
                "l" if number < *latches => file.latches[number] = names.split(' ').map(str::to_owned).collect(),
                _ => {}
            }
        }
        Ok(file)
    }

    /// Two circuits with the same inputs and the same outputs, by their names, side by side on these inputs: an output each, in the order of
    /// the first one's, is whether theirs differ. Latches of one have `first.` before their names, those of the other `second.`
    ///
    /// # Errors
    /// One has an input or an output that the other has not.
    pub fn side_by_side([first, second]: [&Self; 2]) -> Result<Self, FormatError> {
        let numbers = |list: &[(usize, String)]| -> HashMap<String, usize> {
            list.iter().map(|(number, name)| (name.clone(), *number)).collect()
        };
        let match_up = |what: &str, own: &[(usize, String)], other: &[(usize, String)], count: [usize; 2]| {
            let others = numbers(other);
            let pairs = own.iter().map(|(number, name)| {
                let other = others.get(name).ok_or_else(|| bad(format!("one has no {what} `{name}`")))?;
                Ok((*number, *other))
            });
            let pairs: HashMap<usize, usize> = pairs.collect::<Result<_, FormatError>>()?;
            match count == [pairs.len(); 2] && others.len() == pairs.len() {
                true => Ok(pairs),
                false => Err(bad(format!("{} and {} {what}s, of which {} match", count[0], count[1], pairs.len()))),
            }
        };
        let both = [&first.circuit, &second.circuit];
        let inputs = match_up("input", &second.inputs, &first.inputs, [second, first].map(|file| file.circuit.inputs))?;
        let outputs = match_up("output", &first.named_outputs, &second.named_outputs, [first.outputs, second.outputs])?;
        let count = first.circuit.inputs;
        let latches = both.map(|circuit| circuit.latches.len());
        let (latch, gate) = (count + 1, count + 1 + latches[0] + latches[1]);
        // the literal in the whole of a literal in one of them
        let literal = |side: usize, literal: u32| {
            let own = both[side];
            let variable = match literal as usize / 2 {
                0 => 0,
                input if input <= own.inputs => 1 + if side == 0 { input - 1 } else { inputs[&(input - 1)] },
                inner if inner <= own.inputs + own.latches.len() => {
                    latch + side * latches[0] + (inner - own.inputs - 1)
                }
                inner => gate + side * both[0].gates.len() + (inner - own.inputs - own.latches.len() - 1),
            };
            2 * variable as u32 + literal % 2
        };
        let of_both = |of: fn(&Circuit) -> &[u32]| -> Vec<u32> {
            (0..2).flat_map(|side| of(both[side]).iter().map(move |&own| literal(side, own))).collect()
        };
        let mut circuit = Circuit {
            inputs: count,
            latches: of_both(|circuit| &circuit.latches),
            bad: vec![],
            constraints: of_both(|circuit| &circuit.constraints),
            gates: vec![],
        };
        for (side, own) in both.into_iter().enumerate() {
            // in a file, the larger literal of a gate comes first
            circuit.gates.extend(own.gates.iter().map(|pair| {
                let [left, right] = pair.map(|own| literal(side, own));
                [left.max(right), left.min(right)]
            }));
        }
        for number in 0..first.outputs {
            let ours = literal(0, first.circuit.bad[number]);
            let theirs = literal(1, second.circuit.bad[outputs[&number]]);
            let [only_ours, only_theirs] = [circuit.and(ours, theirs ^ 1), circuit.and(ours ^ 1, theirs)];
            let same = circuit.and(only_ours ^ 1, only_theirs ^ 1);
            circuit.bad.push(same ^ 1);
        }
        let named = |prefix: &str, file: &Self| -> Vec<Vec<String>> {
            let all = file.latches.iter();
            all.map(|names| names.iter().map(|name| format!("{prefix}.{name}")).collect()).collect()
        };
        Ok(Self {
            outputs: circuit.bad.len(),
            circuit,
            starts: [&first.starts[..], &second.starts].concat(),
            inputs: first.inputs.clone(),
            named_outputs: first.named_outputs.clone(),
            latches: [named("first", first), named("second", second)].concat(),
        })
    }

    /// What each latch is called, by as many names as it has, and what it is at first.
    pub fn starts(&self) -> impl Iterator<Item = (&[String], Start)> {
        self.latches.iter().map(Vec::as_slice).zip(self.starts.iter().copied())
    }

    /// The number of the input with this name.
    pub fn input(&self, name: &str) -> Option<usize> {
        self.inputs.iter().find(|(_, of)| of == name).map(|(number, _)| *number)
    }

    /// The literals that are the outputs.
    pub fn outputs(&self) -> &[u32] {
        &self.circuit.bad[..self.outputs]
    }

    /// The same circuit, whose latches begin with these values, as one whose latches are zero at first: what is 1 at first is kept inverted.
    pub fn beginning_with(&self, ones: &[bool]) -> Circuit {
        let mut circuit = self.circuit.clone();
        let (inputs, latches) = (circuit.inputs, circuit.latches.len());
        let inverted = |literal: u32| {
            let latch = (literal as usize / 2).checked_sub(inputs + 1).filter(|latch| *latch < latches);
            literal ^ u32::from(latch.is_some_and(|latch| ones[latch]))
        };
        let all = [&mut circuit.latches, &mut circuit.bad, &mut circuit.constraints];
        all.into_iter()
            .flatten()
            .chain(circuit.gates.iter_mut().flatten())
            .for_each(|literal| *literal = inverted(*literal));
        for (next, one) in circuit.latches.iter_mut().zip(ones) {
            *next ^= u32::from(*one);
        }
        // in a file, the larger literal of a gate comes first
        circuit.gates.iter_mut().for_each(|gate| gate.sort_by(|left, right| right.cmp(left)));
        circuit
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
        let file =
            File::read(b"aig 3 1 2 1 0\n2 1\n4 6\n4\ni0 a[0]\nl0 q r\nl1 s\nc\nl1 no name\n").expect("it is one");
        let starts: Vec<(usize, Start)> = file.starts().map(|(names, start)| (names.len(), start)).collect();
        assert_eq!(starts, [(2, Start::One), (1, Start::Any)]);
        assert_eq!((file.input("a[0]"), file.input("b"), file.outputs()), (Some(0), None, &[4][..]));
        let circuit = file.beginning_with(&[true, false]);
        assert_eq!((circuit.latches.as_slice(), circuit.bad.as_slice()), (&[3, 5][..], &[5][..]));
        let seen: Vec<bool> = circuit
            .run(&[vec![false], vec![true], vec![false]])
            .iter()
            .map(|row| literal(row, circuit.bad[0]))
            .collect();
        assert_eq!(seen, [true, false, true]);
    }

    #[test]
    fn circuits_side_by_side_differ_where_they_do() {
        // the output is what the input was, and the other one's inputs and outputs come in another order
        let first = b"aig 3 2 1 2 0\n2\n6\n4\ni0 a\ni1 b\nl0 q\no0 x\no1 y\nc\n";
        let second = |next: u32| format!("aig 3 2 1 2 0\n{next} 1\n2\n6\ni0 b\ni1 a\nl0 r\no0 y\no1 x\nc\n");
        let read = |bytes: &[u8]| File::read(bytes).expect("it is one");
        let first = read(first);
        let compared = |second: &str| {
            let file = File::side_by_side([&first, &read(second.as_bytes())]).expect("they have the same pins");
            assert_eq!(file.starts().map(|(names, _)| names[0].clone()).collect::<Vec<_>>(), ["first.q", "second.r"]);
            let circuit = file.beginning_with(&[false, false]);
            let inputs = [[true, false], [false, true], [true, true]].map(|row| row.to_vec());
            let differ = |row: &Vec<bool>| circuit.bad.iter().map(|bad| literal(row, *bad)).collect::<Vec<_>>();
            circuit.run(&inputs).iter().map(differ).collect::<Vec<_>>()
        };
        assert_eq!(compared(&second(4)), [[false, false], [false, false], [false, false]], "both take over `a`");
        assert_eq!(compared(&second(2)), [[false, false], [true, false], [true, false]], "one takes over `b`");
        let other = read(second(4).replace("i0 b", "i0 c").as_bytes());
        let error = File::side_by_side([&first, &other]).expect_err("there is no `c`");
        assert_eq!(error.to_string(), "one has no input `c`");
        let fewer = read(b"aig 2 2 0 1 0\n2\ni0 b\ni1 a\no0 y\nc\n");
        assert!(File::side_by_side([&first, &fewer]).is_err(), "an output is missing");
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
