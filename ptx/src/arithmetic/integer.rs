//! Integers: sums, products, quotients, and sums of more than 64 bits with a carry.

use super::kind::{Int, Types};
use super::words::{Misfit, Words};
use super::{Arithmetic, Read};
use crate::ast::Type;

/// Half of a product that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Low half.
    Low,
    /// High half.
    High,
    /// Both.
    Wide,
}

const PARTS: [(&str, Part); 3] = [("lo", Part::Low), ("hi", Part::High), ("wide", Part::Wide)];
const HALVES: [(&str, Part); 2] = [("lo", Part::Low), ("hi", Part::High)];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
    Add,
    Sub,
    Mul(Part),
    Mad(Part),
    /// Of 24-bit factors: bits 31 to 0 or 47 to 16 of the product.
    Mul24(Part),
    Mad24(Part),
    Sad,
    Div,
    Rem,
    Abs,
    Neg,
    Min,
    Max,
    /// Four products of bytes; whether these are signed.
    Dot4 {
        a: bool,
        b: bool,
    },
    /// Two products of halves with the low or high bytes of the other.
    Dot2 {
        a: bool,
        b: bool,
        part: Part,
    },
    /// `add.cc`, `addc`, `mad.cc`, `madc`: with a carry in, with a carry out.
    AddCarry {
        product: Option<Part>,
        carry_in: bool,
        carry_out: bool,
    },
    /// `sub.cc`, `subc`: the carry is that of adding the complement, so it is set if nothing is borrowed.
    SubBorrow {
        borrow_in: bool,
        borrow_out: bool,
    },
}

/// An instruction on whole numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Operation {
    verb: Verb,
    int: Int,
    /// 2 of `.u16x2` and `.s16x2`.
    lanes: u32,
    /// `.sat`: to the range of the type.
    saturate: bool,
    /// `.relu`: negative results become zero.
    relu: bool,
}

const WORDS: [Type; 4] = [Type::U32, Type::S32, Type::U64, Type::S64];
const ALL: [Type; 6] = [Type::U16, Type::S16, Type::U32, Type::S32, Type::U64, Type::S64];
const SIGNED: [Type; 3] = [Type::S16, Type::S32, Type::S64];
const SINGLE: [Type; 2] = [Type::U32, Type::S32];
/// Two lanes of 16 bits: whether they are signed.
const LANES: [(&str, bool); 2] = [("u16x2", false), ("s16x2", true)];

/// Reads one.
pub(super) fn read(opcode: &str, words: Words) -> Read {
    Some(match opcode {
        "add" | "sub" | "addc" | "subc" => sum(opcode, words),
        "mul" | "mad" | "madc" => product(opcode, words),
        "mul24" | "mad24" => product24(opcode, words),
        "min" | "max" => extreme(opcode, words),
        "sad" => plain(Verb::Sad, 3, &ALL, words),
        "div" => plain(Verb::Div, 2, &ALL, words),
        "rem" => plain(Verb::Rem, 2, &ALL, words),
        "abs" => plain(Verb::Abs, 1, &SIGNED, words),
        "neg" => plain(Verb::Neg, 1, &SIGNED, words),
        "dp4a" | "dp2a" => dot(opcode, words),
        _ => return None,
    })
}

fn arithmetic(operation: Operation, destination: Type, sources: Types) -> Arithmetic {
    Arithmetic { operation: super::Operation::Integer(operation), destinations: Types::new(&[destination]), sources }
}

/// All operands of one type.
fn uniform(operation: Operation, ty: Type, sources: usize) -> Arithmetic {
    arithmetic(operation, ty, Types::repeat(ty, sources))
}

/// Two lanes of 16 bits.
fn lanes(verb: Verb, signed: bool, relu: bool) -> Arithmetic {
    let operation = Operation { verb, int: Int { signed, bits: 16 }, lanes: 2, saturate: false, relu };
    uniform(operation, Type::B32, 2)
}

fn plain(verb: Verb, sources: usize, types: &[Type], mut words: Words) -> Result<Arithmetic, Misfit> {
    let ty = words.ty(types)?;
    words.end()?;
    Ok(uniform(Operation::of(verb, ty), ty, sources))
}

fn sum(opcode: &str, mut words: Words) -> Result<Arithmetic, Misfit> {
    let (add, carry_in) = (opcode.starts_with("add"), opcode.ends_with('c'));
    let carry_out = words.flag("cc");
    if carry_in || carry_out {
        let ty = words.ty(&WORDS)?;
        words.end()?;
        let verb = match add {
            true => Verb::AddCarry { product: None, carry_in, carry_out },
            false => Verb::SubBorrow { borrow_in: carry_in, borrow_out: carry_out },
        };
        return Ok(uniform(Operation::of(verb, ty), ty, 2));
    }
    let verb = if add { Verb::Add } else { Verb::Sub };
    if words.flag("sat") {
        let ty = words.ty(&[Type::S32])?;
        words.end()?;
        return Ok(uniform(Operation { saturate: true, ..Operation::of(verb, ty) }, ty, 2));
    }
    if let Some(signed) = words.one_of(&LANES).filter(|_| add) {
        words.end()?;
        return Ok(lanes(verb, signed, false));
    }
    plain(verb, 2, &ALL, words)
}

fn product(opcode: &str, mut words: Words) -> Result<Arithmetic, Misfit> {
    let part = words.need(&PARTS, "`.lo`, `.hi` or `.wide`")?;
    let (carry_in, carry_out) = (opcode == "madc", opcode != "mul" && words.flag("cc"));
    if carry_in || carry_out {
        if part == Part::Wide {
            return Err(Misfit::Stray("wide".to_owned()));
        }
        let ty = words.ty(&WORDS)?;
        words.end()?;
        let verb = Verb::AddCarry { product: Some(part), carry_in, carry_out };
        return Ok(uniform(Operation::of(verb, ty), ty, 3));
    }
    let saturate = opcode == "mad" && part == Part::High && words.flag("sat");
    let ty = words.ty(match (saturate, part) {
        (true, _) => &[Type::S32],
        (_, Part::Wide) => &[Type::U16, Type::S16, Type::U32, Type::S32],
        _ => &ALL,
    })?;
    words.end()?;
    let wide = match (part, ty) {
        (Part::Wide, Type::U16) => Type::U32,
        (Part::Wide, Type::S16) => Type::S32,
        (Part::Wide, Type::U32) => Type::U64,
        (Part::Wide, Type::S32) => Type::S64,
        _ => ty,
    };
    let (verb, sources) = match opcode {
        "mul" => (Verb::Mul(part), Types::new(&[ty, ty])),
        _ => (Verb::Mad(part), Types::new(&[ty, ty, wide])),
    };
    let operation = Operation { saturate, ..Operation::of(verb, ty) };
    Ok(arithmetic(operation, wide, sources))
}

fn product24(opcode: &str, mut words: Words) -> Result<Arithmetic, Misfit> {
    let part = words.need(&HALVES, "`.lo` or `.hi`")?;
    let saturate = opcode == "mad24" && part == Part::High && words.flag("sat");
    let ty = words.ty(if saturate { &[Type::S32] } else { &SINGLE })?;
    words.end()?;
    let (verb, sources) = if opcode == "mul24" { (Verb::Mul24(part), 2) } else { (Verb::Mad24(part), 3) };
    Ok(uniform(Operation { saturate, ..Operation::of(verb, ty) }, ty, sources))
}

fn extreme(opcode: &str, mut words: Words) -> Result<Arithmetic, Misfit> {
    let verb = if opcode == "min" { Verb::Min } else { Verb::Max };
    let relu = words.flag("relu");
    if let Some(signed) = words.one_of(&LANES) {
        words.end()?;
        if relu && !signed {
            return Err(Misfit::Stray("relu".to_owned()));
        }
        return Ok(lanes(verb, signed, relu));
    }
    let ty = words.ty(if relu { &[Type::S32] } else { &ALL })?;
    words.end()?;
    Ok(uniform(Operation { relu, ..Operation::of(verb, ty) }, ty, 2))
}

fn dot(opcode: &str, mut words: Words) -> Result<Arithmetic, Misfit> {
    let part = if opcode == "dp2a" { Some(words.need(&HALVES, "`.lo` or `.hi`")?) } else { None };
    let (a_type, b_type) = (words.ty(&SINGLE)?, words.ty(&SINGLE)?);
    words.end()?;
    let (a, b) = (a_type == Type::S32, b_type == Type::S32);
    let ty = if a || b { Type::S32 } else { Type::U32 };
    let verb = part.map_or(Verb::Dot4 { a, b }, |part| Verb::Dot2 { a, b, part });
    Ok(arithmetic(Operation::of(verb, ty), ty, Types::new(&[a_type, b_type, ty])))
}

/// The part of a product of two numbers of this type.
fn part_of(int: Int, part: Part, a: u64, b: u64) -> i128 {
    // Of two unsigned 64-bit factors the product may not fit; its bits are right nevertheless.
    let product = int.value(a).wrapping_mul(int.value(b));
    match part {
        Part::High => int.value((product as u128 >> int.bits) as u64),
        Part::Low => int.value(product as u64),
        Part::Wide => product,
    }
}

/// The part of a product of two 24-bit numbers.
fn part_of_24(int: Int, part: Part, a: u64, b: u64) -> i128 {
    let short = Int { bits: 24, ..int };
    let product = short.value(a) * short.value(b);
    int.value(if part == Part::High { product >> 16 } else { product } as u64)
}

/// Number `index` of those that lie side by side in a register.
fn lane(raw: u64, index: u32, signed: bool, bits: u32) -> i128 {
    Int { signed, bits }.value(raw >> (index * bits))
}

impl Operation {
    /// On one value of this type, and nothing special.
    fn of(verb: Verb, ty: Type) -> Self {
        Self { verb, int: Int::of(ty), lanes: 1, saturate: false, relu: false }
    }

    /// Whether it reads or writes the carry.
    pub(super) fn carries(&self) -> bool {
        matches!(self.verb, Verb::AddCarry { .. } | Verb::SubBorrow { .. })
    }

    /// Computes.
    pub(super) fn evaluate(&self, sources: [u64; 4], carry: &mut bool) -> u64 {
        if self.lanes == 1 {
            return self.scalar(sources, carry);
        }
        (0..self.lanes).fold(0, |all, index| {
            let shift = index * self.int.bits;
            all | self.scalar(sources.map(|source| source >> shift), carry) << shift
        })
    }

    fn scalar(&self, [a, b, c, _]: [u64; 4], carry: &mut bool) -> u64 {
        let int = self.int;
        let [x, y, z] = [a, b, c].map(|source| int.value(source));
        let value = match self.verb {
            Verb::Add => x + y,
            Verb::Sub => x - y,
            Verb::Mul(part) => part_of(int, part, a, b),
            Verb::Mad(Part::Wide) => part_of(int, Part::Wide, a, b) + wide(int).value(c),
            Verb::Mad(part) => part_of(int, part, a, b) + z,
            Verb::Mul24(part) => part_of_24(int, part, a, b),
            Verb::Mad24(part) => part_of_24(int, part, a, b) + z,
            Verb::Sad => z + (x - y).abs(),
            Verb::Div => x.checked_div(y).unwrap_or(-1), // by zero: all ones
            Verb::Rem => x.checked_rem(y).unwrap_or(-1),
            Verb::Abs => x.abs(),
            Verb::Neg => -x,
            Verb::Min => x.min(y),
            Verb::Max => x.max(y),
            Verb::Dot4 { a: a_signed, b: b_signed } => {
                z + (0..4).map(|i| lane(a, i, a_signed, 8) * lane(b, i, b_signed, 8)).sum::<i128>()
            }
            Verb::Dot2 { a: a_signed, b: b_signed, part } => {
                let first = if part == Part::High { 2 } else { 0 };
                z + (0..2).map(|i| lane(a, i, a_signed, 16) * lane(b, first + i, b_signed, 8)).sum::<i128>()
            }
            Verb::AddCarry { product, carry_in, carry_out } => {
                let bits = Int { signed: false, ..int };
                let (left, right) = match product {
                    Some(part) => (bits.value(part_of(int, part, a, b) as u64), bits.value(c)),
                    None => (bits.value(a), bits.value(b)),
                };
                let sum = left + right + i128::from(carry_in && *carry);
                if carry_out {
                    *carry = sum > bits.most();
                }
                sum
            }
            Verb::SubBorrow { borrow_in, borrow_out } => {
                let bits = Int { signed: false, ..int };
                let difference = bits.value(a) - bits.value(b) - i128::from(borrow_in && !*carry);
                if borrow_out {
                    *carry = difference >= 0;
                }
                difference
            }
        };
        let value = if self.saturate { int.clamp(value) } else { value };
        let value = if self.relu { value.max(0) } else { value };
        match self.verb {
            Verb::Mul(Part::Wide) | Verb::Mad(Part::Wide) => wide(int).raw(value),
            _ => int.raw(value),
        }
    }
}

/// The type of a whole product.
const fn wide(int: Int) -> Int {
    Int { bits: int.bits * 2, ..int }
}
