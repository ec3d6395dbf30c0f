//! D = A B + C of a warp: gathers operands from its lanes (and, for `wgmma`, from shared memory) and distributes the results.

use super::descriptor::{Descriptor, Major};
use super::element::{Element, Format, Number, Total};
use super::sum::{PLACES, Rule, doubles, integers, widened};
use super::{LANES, Registers, fragment};

/// Where a factor of `wgmma` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In registers.
    Registers,
    /// In shared memory.
    Shared(Major),
}

/// A multiplication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Multiply {
    /// Formats of A and B; they may differ for whole numbers only.
    pub factors: [Element; 2],
    /// Format of C and D.
    pub total: Total,
    /// Rows of a warp: 8 or 16.
    pub rows: usize,
    /// Columns: a multiple of 8.
    pub columns: usize,
    /// Elements of a row of A.
    pub depth: usize,
    /// `.satfinite`.
    pub saturates: bool,
    /// `wgmma`: one operand more says whether there is a C, which is D; A and B may be in shared memory.
    pub grouped: bool,
    /// Place of A.
    pub a: Place,
    /// Place of B.
    pub b: Place,
    /// A, B are negated.
    pub negated: [bool; 2],
}

/// A matrix factor: bits of its elements, row by row along k (of B: column by column).
type Bits = Vec<Vec<u64>>;

impl Multiply {
    /// Operands of a lane: of A, of B, then whether there is a C, then of C.
    pub(crate) const fn operands(&self) -> [usize; 4] {
        let a = match self.a {
            Place::Registers => fragment::factor_registers(self.factors[0], self.rows, self.depth),
            Place::Shared(_) => 1,
        };
        let b = match self.b {
            Place::Registers => fragment::factor_registers(self.factors[1], 8, self.depth),
            Place::Shared(_) => 1,
        };
        [a, b, self.grouped as usize, self.results()]
    }

    /// Results of a lane.
    pub(crate) const fn results(&self) -> usize {
        fragment::total_registers(self.total, self.rows, self.columns)
    }

    /// The results of each lane of the `warp`-th warp of its group. `memory` is the word of shared memory at an address.
    ///
    /// # Errors
    /// Lanes do not agree on what they must, or a descriptor cannot be followed.
    pub(crate) fn resolve(
        &self,
        warp: usize,
        operands: &Registers,
        memory: &dyn Fn(u32) -> Result<u64, String>,
    ) -> Result<Registers, String> {
        let [of_a, of_b, of_scale, _] = self.operands();
        let first_c = of_a + of_b + of_scale;
        let alike = |number: usize, what: &str| -> Result<u64, String> {
            let value = |lane: &Vec<u64>| lane.get(number).copied().unwrap_or(0);
            let first = value(&operands[0]);
            match operands.iter().all(|lane| value(lane) == first) {
                true => Ok(first),
                false => Err(format!("the lanes of the warp differ in the {what} of wgmma.mma_async")),
            }
        };
        let held = |first: usize, place: fragment::Held, bits: usize| {
            let register = operands[place.lane].get(first + place.register).copied().unwrap_or(0);
            register >> place.bit & u64::MAX >> (64 - bits)
        };
        let factor = |which: usize, place: Place, rows: usize, first: usize, skip: usize| -> Result<Bits, String> {
            let element = self.factors[which];
            match place {
                Place::Registers => {
                    let at = |row, k| {
                        held(
                            first,
                            fragment::factor(element, if which == 0 { self.rows } else { 8 }, row, k),
                            element.bits(),
                        )
                    };
                    Ok((0..rows).map(|row| (0..self.depth).map(|k| at(row, k)).collect()).collect())
                }
                Place::Shared(major) => {
                    let descriptor = Descriptor::new(alike(first, "matrix descriptor")?)?;
                    let bytes = element.bits() / 8;
                    let at = |row: usize, k: usize| {
                        let address = descriptor.address(major, bytes as u32, (skip + row) as u32, k as u32);
                        let word = memory(address & !7)?;
                        Ok(word >> (8 * (address % 8)) & u64::MAX >> (64 - element.bits()))
                    };
                    (0..rows).map(|row| (0..self.depth).map(|k| at(row, k)).collect()).collect()
                }
            }
        };
        let a = factor(0, self.a, self.rows, 0, 16 * warp)?;
        let b = factor(1, self.b, self.columns, of_a, 0)?;
        let adds = of_scale == 0 || alike(of_a + of_b, "scale of D")? != 0;
        let total = |row, column| {
            let place = fragment::total(self.total, self.rows, row, column);
            (place, if adds { held(first_c, place, self.total.bits()) } else { 0 })
        };
        let mut results = vec![vec![0; self.results()]; LANES];
        let sums = Sums::new(self, a, b);
        for row in 0..self.rows {
            for column in 0..self.columns {
                let (place, c) = total(row, column);
                results[place.lane][place.register] |= sums.of(row, column, c) << place.bit;
            }
        }
        Ok(results)
    }
}

/// Both factors, taken apart.
enum Sums {
    /// Without a rule: floats of 8 bits that become `f16`.
    Floats {
        a: Vec<Vec<Number>>,
        b: Vec<Vec<Number>>,
        fraction: u32,
        rule: Option<Rule>,
        total: Total,
    },
    Doubles {
        a: Vec<Vec<f64>>,
        b: Vec<Vec<f64>>,
    },
    Integers {
        a: Vec<Vec<i64>>,
        b: Vec<Vec<i64>>,
        saturates: bool,
    },
}

/// Each element as something else.
fn each<T>(bits: Bits, as_what: impl Fn(u64) -> T) -> Vec<Vec<T>> {
    bits.into_iter().map(|row| row.into_iter().map(&as_what).collect()).collect()
}

impl Sums {
    fn new(multiply: &Multiply, a: Bits, b: Bits) -> Self {
        let [of_a, of_b] = multiply.factors;
        let (Some(format_a), Some(format_b)) = (of_a.format(), of_b.format()) else {
            let integer = |element: Element| {
                move |bits: u64| match element {
                    Element::S8 => i64::from(bits as i8), // the lowest 8 bits
                    _ => bits as i64,                     // 8 bits
                }
            };
            return match of_a {
                Element::F64 => Sums::Doubles { a: each(a, f64::from_bits), b: each(b, f64::from_bits) },
                _ => Sums::Integers {
                    a: each(a, integer(of_a)),
                    b: each(b, integer(of_b)),
                    saturates: multiply.saturates,
                },
            };
        };
        let widens = multiply.rule().is_none();
        let number = |element: Element, format: Format, negated: bool| {
            let read = move |bits: u64| {
                let number = format.number(element.trimmed(bits));
                if widens && element == Element::E4m3 { number.normal(format.fraction) } else { number }
            };
            move |bits: u64| match read(bits) {
                Number::Finite { significand, exponent } if negated => {
                    Number::Finite { significand: -significand, exponent }
                }
                Number::Infinite(negative) => Number::Infinite(negative != negated),
                number => number,
            }
        };
        let [negate_a, negate_b] = multiply.negated;
        Sums::Floats {
            a: each(a, number(of_a, format_a, negate_a)),
            b: each(b, number(of_b, format_b, negate_b)),
            fraction: format_a.fraction + format_b.fraction,
            rule: multiply.rule(),
            total: multiply.total,
        }
    }

    /// The bits of an element of D.
    fn of(&self, row: usize, column: usize, c: u64) -> u64 {
        match self {
            Sums::Floats { a, b, fraction, rule: Some(rule), total } => {
                rule.sum(&a[row], &b[column], *fraction, c, *total)
            }
            Sums::Floats { a, b, fraction, rule: None, total } => widened(&a[row], &b[column], *fraction, c, *total),
            Sums::Doubles { a, b } => doubles(&a[row], &b[column], f64::from_bits(c)).to_bits(),
            Sums::Integers { a, b, saturates } => u64::from(integers(&a[row], &b[column], c as i32, *saturates) as u32),
        }
    }
}

impl Multiply {
    /// How its products are added; nothing for floats of 8 bits of `mma`.
    const fn rule(&self) -> Option<Rule> {
        match (self.factors[0], self.grouped) {
            (Element::E4m3 | Element::E5m2, false) => None,
            (Element::E4m3 | Element::E5m2, true) => Some(Rule { together: 32, places: 13, kept: 13 }),
            (Element::Tf32, _) => Some(Rule { together: 8, places: PLACES, kept: 23 }),
            _ => Some(Rule { together: 16, places: PLACES, kept: 23 }),
        }
    }
}
