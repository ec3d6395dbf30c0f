//! Miter: two circuits on the same inputs, with an output that reports a difference.
//!
//! ```text
//!   inputs ─┬─► first ──┬─► differ? ─► an output, which must never be 1
//!           └─► second ─┘
//! ```

use super::logic::Logic;
use crate::prove::aiger::{Circuit, FormatError, bad};
use std::collections::HashMap;

/// Two circuits with the same inputs and the same outputs, by their names, side by side on these inputs: what must never be 1, in the order of the
/// first one's outputs, is that theirs differ. Inputs come in the order of the first one; its registers come before those of the other.
///
/// # Errors
/// One has an input or an output that the other has not.
pub(super) fn miter(first: &Logic, second: &Logic) -> Result<Circuit, FormatError> {
    let inputs = matched("input", &second.inputs, &first.inputs)?;
    let outputs = matched("output", &first.outputs, &second.outputs)?;
    let both = [&first.circuit, &second.circuit];
    let count = first.circuit.inputs;
    let latches = both.map(|circuit| circuit.latches.len());
    let (latch, gate) = (count + 1, count + 1 + latches[0] + latches[1]);
    // the literal in the whole of a literal in one of them
    let literal = |side: usize, literal: u32| {
        let own = both[side];
        let variable = match literal as usize / 2 {
            0 => 0,
            input if input <= own.inputs => 1 + if side == 0 { input - 1 } else { inputs[input - 1] },
            inner if inner <= own.inputs + own.latches.len() => latch + side * latches[0] + (inner - own.inputs - 1),
            inner => gate + side * both[0].gates.len() + (inner - own.inputs - own.latches.len() - 1),
        };
        2 * variable as u32 + literal % 2
    };
    let mut whole = Circuit { inputs: count, ..Circuit::default() };
    for (side, own) in both.into_iter().enumerate() {
        whole.latches.extend(own.latches.iter().map(|&own| literal(side, own)));
        // in a file, the larger literal of a gate comes first
        whole.gates.extend(own.gates.iter().map(|pair| {
            let [left, right] = pair.map(|own| literal(side, own));
            [left.max(right), left.min(right)]
        }));
    }
    for (own, other) in outputs.into_iter().enumerate() {
        let [ours, theirs] = [literal(0, first.circuit.bad[own]), literal(1, second.circuit.bad[other])];
        let [only_ours, only_theirs] = [whole.and(ours, theirs ^ 1), whole.and(ours ^ 1, theirs)];
        let same = whole.and(only_ours ^ 1, only_theirs ^ 1);
        whole.bad.push(same ^ 1);
    }
    Ok(whole)
}

/// For each name, its place among the others.
fn matched(what: &str, own: &[String], others: &[String]) -> Result<Vec<usize>, FormatError> {
    let places: HashMap<&str, usize> = others.iter().enumerate().map(|(place, name)| (name.as_str(), place)).collect();
    let place =
        |name: &String| places.get(name.as_str()).copied().ok_or_else(|| bad(format!("one has no {what} `{name}`")));
    let found: Vec<usize> = own.iter().map(place).collect::<Result<_, _>>()?;
    match found.len() == others.len() {
        true => Ok(found),
        false => Err(bad(format!("one has {} {what}s, the other {}", found.len(), others.len()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prove::aiger::{Start, literal};

    /// A register between inputs and outputs: `x` is what the input of this name was, `y` is the register's input.
    fn delayed(inputs: [&str; 2], outputs: [&str; 2], next: &str) -> Logic {
        let names = |names: [&str; 2]| names.map(str::to_owned).to_vec();
        let taken = 2 * (1 + inputs.iter().position(|name| *name == next).expect("it is one of them")) as u32;
        let b = 2 * (1 + inputs.iter().position(|name| *name == "b").unwrap_or_default()) as u32;
        let bad = outputs.map(|name| if name == "x" { 6 } else { b }).to_vec();
        Logic {
            inputs: names(inputs),
            registers: vec![(vec!["q".to_owned()], Start::Zero)],
            constants: HashMap::new(),
            outputs: names(outputs),
            circuit: Circuit { inputs: 2, latches: vec![taken], bad, ..Circuit::default() },
        }
    }

    #[test]
    fn circuits_side_by_side_differ_where_they_do() {
        let first = delayed(["a", "b"], ["x", "y"], "a");
        let compared = |next: &str| {
            // the other one's inputs and outputs come in another order
            let whole = miter(&first, &delayed(["b", "a"], ["y", "x"], next)).expect("they have the same pins");
            let inputs = [[true, false], [false, true], [true, true]].map(|row| row.to_vec());
            let differ = |row: &Vec<bool>| whole.bad.iter().map(|bad| literal(row, *bad)).collect::<Vec<_>>();
            whole.run(&inputs).iter().map(differ).collect::<Vec<_>>()
        };
        assert_eq!(compared("a"), [[false, false], [false, false], [false, false]], "both take over `a`");
        assert_eq!(compared("b"), [[false, false], [true, false], [true, false]], "one takes over `b`");
        let error = miter(&first, &delayed(["c", "a"], ["y", "x"], "a")).expect_err("there is no `c`");
        assert_eq!(error.to_string(), "one has no input `c`");
        let mut fewer = first.clone();
        fewer.outputs.pop();
        assert_eq!(miter(&first, &fewer).expect_err("an output is missing").to_string(), "one has no output `y`");
        assert_eq!(miter(&fewer, &first).expect_err("one too many").to_string(), "one has 1 outputs, the other 2");
    }
}
