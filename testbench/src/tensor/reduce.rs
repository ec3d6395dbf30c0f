//! Reductions of one element: what `cp.reduce.async.bulk`, `cp.reduce.async.bulk.tensor` and `red.async` leave in memory.

use super::element::Element;
use rustc_apfloat::Float;
use rustc_apfloat::ieee::{BFloat, Double, Half, Single};

/// A reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Operation {
    Add,
    Min,
    Max,
    /// Up to the operand, then zero.
    Inc,
    /// Down to zero, then the operand.
    Dec,
    And,
    Or,
    Xor,
}

impl Operation {
    /// All of them.
    pub const ALL: [Operation; 8] = {
        use Operation::*;
        [Add, Min, Max, Inc, Dec, And, Or, Xor]
    };

    /// As PTX calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Operation::Add => "add",
            Operation::Min => "min",
            Operation::Max => "max",
            Operation::Inc => "inc",
            Operation::Dec => "dec",
            Operation::And => "and",
            Operation::Or => "or",
            Operation::Xor => "xor",
        }
    }

    /// The reduction of a name.
    pub fn named(name: &str) -> Option<Operation> {
        Operation::ALL.into_iter().find(|operation| operation.name() == name)
    }

    /// Whether it is defined for an element type.
    pub const fn takes(self, element: Element) -> bool {
        let integer = matches!(element, Element::U32 | Element::S32 | Element::U64 | Element::S64);
        match self {
            Operation::Add => (integer && !matches!(element, Element::S64)) || element.is_float(),
            Operation::Min | Operation::Max => integer || matches!(element, Element::F16 | Element::Bf16),
            Operation::Inc | Operation::Dec => matches!(element, Element::U32),
            Operation::And | Operation::Or | Operation::Xor => integer && !matches!(element, Element::S64),
        }
    }

    /// What is left of an element. Both are of this many bits as the element type has; nothing is above them.
    ///
    /// Sums of floats are rounded to nearest, ties to even; those of f32 flush nothing. A NaN loses against a number in minima
    /// and maxima.
    pub fn apply(self, element: Element, memory: u64, operand: u64) -> u64 {
        let ones = u64::MAX >> (64 - 8 * element.bytes());
        match self {
            Operation::Inc if memory >= operand => 0,
            Operation::Inc => memory + 1,
            Operation::Dec if memory == 0 || memory > operand => operand,
            Operation::Dec => memory - 1,
            Operation::And => memory & operand,
            Operation::Or => memory | operand,
            Operation::Xor => memory ^ operand,
            Operation::Add => match element {
                Element::F16 => add::<Half>(memory, operand),
                Element::Bf16 => add::<BFloat>(memory, operand),
                Element::F64 => add_doubles(memory, operand),
                _ if element.flushes() => flushed(add::<Single>(flushed(memory), flushed(operand))),
                _ if element.is_float() => add::<Single>(memory, operand),
                _ => memory.wrapping_add(operand) & ones,
            },
            Operation::Min | Operation::Max => {
                let max = self == Operation::Max;
                match element {
                    Element::F16 => extreme::<Half>(max, memory, operand),
                    Element::Bf16 => extreme::<BFloat>(max, memory, operand),
                    _ => {
                        // the sign bit of signed numbers turned over, they are in the order of natural numbers
                        let signed = matches!(element, Element::S32 | Element::S64);
                        let turned = if signed { (ones >> 1) + 1 } else { 0 };
                        if (memory ^ turned < operand ^ turned) ^ max { memory } else { operand }
                    }
                }
            }
        }
    }
}

/// The NaN that sums give.
fn canonical<F: Float>() -> u64 {
    (1 << (F::BITS - 1)) - 1
}

fn add<F: Float>(memory: u64, operand: u64) -> u64 {
    let sum = (F::from_bits(memory.into()) + F::from_bits(operand.into())).value;
    if sum.is_nan() { canonical::<F>() } else { sum.to_bits() as u64 }
}

/// The sum of doubles. A NaN is left as it is, that of the operand before that of memory.
fn add_doubles(memory: u64, operand: u64) -> u64 {
    let nan = [operand, memory].into_iter().find(|bits| Double::from_bits((*bits).into()).is_nan());
    nan.unwrap_or_else(|| add::<Double>(memory, operand))
}

/// A subnormal number of 32 bits becomes a zero of its sign.
pub(super) fn flushed(bits: u64) -> u64 {
    if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits }
}

fn extreme<F: Float>(max: bool, memory: u64, operand: u64) -> u64 {
    let (a, b) = (F::from_bits(memory.into()), F::from_bits(operand.into()));
    match (a.is_nan(), b.is_nan()) {
        (true, true) => canonical::<F>(),
        (true, false) => operand,
        (false, true) => memory,
        // zeros differ by their sign only: the negative one is less
        _ if a.is_zero() && b.is_zero() => {
            if a.is_negative() ^ max {
                memory
            } else {
                operand
            }
        }
        _ => {
            if (a < b) ^ max {
                memory
            } else {
                operand
            }
        }
    }
}
