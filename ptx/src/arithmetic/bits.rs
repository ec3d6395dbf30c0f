//! Bits: logic, shifts, fields, counts and permutations.

use super::kind::{Int, MOVED, SHIFTED, Types, ones};
use super::words::{Misfit, Words};
use super::{Arithmetic, Read};
use crate::ast::Type;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
    Move,
    And,
    Or,
    Xor,
    Not,
    /// One of zero, zero of everything else.
    CNot,
    Lop3,
    Shl,
    Shr,
    /// 32 of the 64 bits `b:a`.
    Funnel {
        left: bool,
        wrap: bool,
    },
    Popc,
    Clz,
    /// Position of the highest bit, or how far it is from the top.
    Bfind {
        amount: bool,
    },
    Fns,
    Brev,
    Bfe,
    Bfi,
    Bmsk {
        wrap: bool,
    },
    Szext {
        wrap: bool,
    },
    Prmt(Permutation),
}

/// Selection of bytes by `prmt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Permutation {
    /// Four bits of the selector for each byte.
    Index,
    Forward4,
    Backward4,
    Replicate8,
    EdgeLeft,
    EdgeRight,
    Replicate16,
}

/// An instruction on bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Operation {
    verb: Verb,
    int: Int,
}

const LOGIC: [Type; 4] = [Type::Pred, Type::B16, Type::B32, Type::B64];
const PLAIN: [Type; 3] = [Type::B16, Type::B32, Type::B64];
const WIDE: [Type; 2] = [Type::B32, Type::B64];
const SIGNS: [Type; 4] = [Type::U32, Type::S32, Type::U64, Type::S64];
const MODES: [(&str, bool); 2] = [("clamp", false), ("wrap", true)];
const PERMUTATIONS: [(&str, Permutation); 6] = [
    ("f4e", Permutation::Forward4),
    ("b4e", Permutation::Backward4),
    ("rc8", Permutation::Replicate8),
    ("ecl", Permutation::EdgeLeft),
    ("ecr", Permutation::EdgeRight),
    ("rc16", Permutation::Replicate16),
];

/// Reads one.
pub(super) fn read(opcode: &str, mut words: Words) -> Read {
    let words = &mut words;
    let read = match opcode {
        "mov" if words.flag("b128") => Err(Misfit::Unsupported("a value of 128 bits")),
        "mov" => uniform(Verb::Move, 1, MOVED, words),
        "and" => uniform(Verb::And, 2, &LOGIC, words),
        "or" => uniform(Verb::Or, 2, &LOGIC, words),
        "xor" => uniform(Verb::Xor, 2, &LOGIC, words),
        "not" => uniform(Verb::Not, 1, &LOGIC, words),
        "cnot" => uniform(Verb::CNot, 1, &PLAIN, words),
        "brev" => uniform(Verb::Brev, 1, &WIDE, words),
        "lop3" => lop3(words),
        "shl" => mixed(Verb::Shl, &PLAIN, &[Type::U32], words),
        "shr" => mixed(Verb::Shr, SHIFTED, &[Type::U32], words),
        "bfe" => mixed(Verb::Bfe, &SIGNS, &[Type::U32, Type::U32], words),
        "szext" => mode(words).and_then(|wrap| mixed(Verb::Szext { wrap }, &SIGNS[..2], &[Type::U32], words)),
        "bmsk" => mode(words).and_then(|wrap| mixed(Verb::Bmsk { wrap }, &[Type::B32], &[Type::B32], words)),
        "fns" => mixed(Verb::Fns, &[Type::B32], &[Type::B32, Type::S32], words),
        "bfi" => bfi(words),
        "shf" => shf(words),
        "popc" => count(Verb::Popc, &WIDE, words),
        "clz" => count(Verb::Clz, &WIDE, words),
        "bfind" => {
            let amount = words.flag("shiftamt");
            count(Verb::Bfind { amount }, &SIGNS, words)
        }
        "prmt" => prmt(words),
        _ => return None,
    };
    Some(read.and_then(|arithmetic| words.end().map(|()| arithmetic)))
}

fn arithmetic(verb: Verb, ty: Type, destination: Type, sources: Types) -> Arithmetic {
    let operation = super::Operation::Bits(Operation { verb, int: Int::of(ty) });
    Arithmetic { operation, destinations: Types::new(&[destination]), sources }
}

/// All operands of one type.
fn uniform(verb: Verb, sources: usize, types: &[Type], words: &mut Words) -> Result<Arithmetic, Misfit> {
    let ty = words.ty(types)?;
    Ok(arithmetic(verb, ty, ty, Types::repeat(ty, sources)))
}

/// The destination and the first source of one type, the further sources of these.
fn mixed(verb: Verb, types: &[Type], further: &[Type], words: &mut Words) -> Result<Arithmetic, Misfit> {
    let ty = words.ty(types)?;
    let sources = [&[ty], further].concat();
    Ok(arithmetic(verb, ty, ty, Types::new(&sources)))
}

/// The result is a number of bits.
fn count(verb: Verb, types: &[Type], words: &mut Words) -> Result<Arithmetic, Misfit> {
    let ty = words.ty(types)?;
    Ok(arithmetic(verb, ty, Type::U32, Types::new(&[ty])))
}

fn mode(words: &mut Words) -> Result<bool, Misfit> {
    words.need(&MODES, "`.clamp` or `.wrap`")
}

fn lop3(words: &mut Words) -> Result<Arithmetic, Misfit> {
    if words.one_of(&[("or", ()), ("and", ())]).is_some() {
        return Err(Misfit::Unsupported("`lop3` with a predicate"));
    }
    mixed(Verb::Lop3, &[Type::B32], &[Type::B32, Type::B32, Type::U32], words)
}

fn bfi(words: &mut Words) -> Result<Arithmetic, Misfit> {
    let ty = words.ty(&WIDE)?;
    Ok(arithmetic(Verb::Bfi, ty, ty, Types::new(&[ty, ty, Type::U32, Type::U32])))
}

fn shf(words: &mut Words) -> Result<Arithmetic, Misfit> {
    let left = words.need(&[("l", true), ("r", false)], "`.l` or `.r`")?;
    let wrap = mode(words)?;
    mixed(Verb::Funnel { left, wrap }, &[Type::B32], &[Type::B32, Type::U32], words)
}

fn prmt(words: &mut Words) -> Result<Arithmetic, Misfit> {
    let ty = words.ty(&[Type::B32])?;
    let permutation = words.one_of(&PERMUTATIONS).unwrap_or(Permutation::Index);
    Ok(arithmetic(Verb::Prmt(permutation), ty, ty, Types::repeat(ty, 3)))
}

impl Operation {
    /// Computes.
    pub(super) fn evaluate(&self, sources: [u64; 4]) -> u64 {
        let Self { verb, int } = *self;
        let width = int.bits;
        let raw @ [a, b, c, _] = sources.map(|source| source & ones(width));
        // Amounts, positions and lengths have 32 bits, whatever the width of the rest.
        let [_, second, third, fourth] = sources.map(|source| source as u32);
        let result = match verb {
            Verb::Move => a,
            Verb::And => a & b,
            Verb::Or => a | b,
            Verb::Xor => a ^ b,
            Verb::Not => !a,
            Verb::CNot => u64::from(a == 0),
            Verb::Lop3 => lop(a, b, c, fourth as u8),
            Verb::Shl => a.checked_shl(second).unwrap_or(0),
            Verb::Shr => (int.value(a) >> second.min(64)) as u64,
            Verb::Funnel { left, wrap } => {
                let amount = if wrap { third % 32 } else { third.min(32) };
                let both = b << 32 | a;
                if left { (both << amount) >> 32 } else { both >> amount }
            }
            Verb::Popc => a.count_ones().into(),
            Verb::Clz => (a.leading_zeros() - (64 - width)).into(),
            Verb::Bfind { amount } => {
                let magnitude = if int.value(a) < 0 { !a & ones(width) } else { a };
                return magnitude
                    .checked_ilog2()
                    .map_or(ones(32), |highest| if amount { width - 1 - highest } else { highest }.into());
            }
            Verb::Fns => find_set(a as u32, second, third as i32).into(),
            Verb::Brev => a.reverse_bits() >> (64 - width),
            Verb::Bfe => extract(int, a, self.place(second), self.place(third)),
            Verb::Bfi => insert(a, b, self.place(third), self.place(fourth)),
            Verb::Bmsk { wrap } => bit_mask(a as u32, second, wrap).into(),
            Verb::Szext { wrap } => {
                let size = if wrap { second % 32 } else { second };
                extract(int, a, 0, size.min(32))
            }
            Verb::Prmt(permutation) => permute(permutation, raw),
        };
        result & ones(width)
    }
}

impl Operation {
    /// Position or length of a field: of eight bits if the register has 32, of all if it has 64. (PTX leaves larger ones
    /// than 255 open.)
    fn place(&self, operand: u32) -> u32 {
        if self.int.bits == 32 { operand & 0xff } else { operand.min(0xff) }
    }
}

/// Any function of three bits: bit `abc` of the table.
fn lop(a: u64, b: u64, c: u64, table: u8) -> u64 {
    let pick = |inverted: bool, bits: u64| if inverted { !bits } else { bits };
    (0..8u8)
        .filter(|row| table >> row & 1 != 0)
        .fold(0, |all, row| all | pick(row & 4 == 0, a) & pick(row & 2 == 0, b) & pick(row & 1 == 0, c))
}

/// `bfe`: this many bits from a position, continued with the last one if the type is signed.
fn extract(int: Int, a: u64, position: u32, length: u32) -> u64 {
    if length == 0 {
        return 0;
    }
    if !int.signed {
        return a.checked_shr(position).unwrap_or(0) & ones(length);
    }
    // The field's last bit becomes bit 127, so that a shift replicates it.
    let top = (position + length - 1).min(int.bits - 1);
    let field = (a as i128) << (127 - top);
    (field >> (127 - top + position).min(127)) as u64
}

/// `bfi`: the low bits of a over those of b from a position.
fn insert(a: u64, b: u64, position: u32, length: u32) -> u64 {
    let field = ones(length).checked_shl(position).unwrap_or(0);
    b & !field | a.checked_shl(position).unwrap_or(0) & field
}

/// `bmsk`: this many ones from a position.
fn bit_mask(position: u32, length: u32, wrap: bool) -> u32 {
    let (position, length) = if wrap { (position % 32, length % 32) } else { (position.min(32), length.min(32)) };
    (ones(length) << position) as u32
}

/// `fns`: position of the n-th set bit, up or down from a base.
fn find_set(mask: u32, base: u32, n: i32) -> u32 {
    let set = |place: u32| mask >> place & 1 != 0;
    let upwards = base..32;
    let downwards = (0..=base.min(31)).rev();
    let found = match n {
        0 => Some(base).filter(|place| *place < 32 && set(*place)),
        1.. => upwards.filter(|place| set(*place)).nth(n as usize - 1),
        i32::MIN => Some(0), // seen on an H200
        _ if base >= 32 => None,
        _ => downwards.filter(|place| set(*place)).nth(n.unsigned_abs() as usize - 1),
    };
    found.unwrap_or(u32::MAX)
}

/// `prmt`: four of the eight bytes of `b:a`.
fn permute(permutation: Permutation, [a, b, selector, _]: [u64; 4]) -> u64 {
    let bytes = (b << 32 | a).to_le_bytes();
    let n = selector as usize & 3;
    let byte = |i: usize| match permutation {
        Permutation::Index => {
            let nibble = selector as usize >> (4 * i) & 0xf;
            let byte = bytes[nibble & 7];
            if nibble & 8 != 0 { ((byte as i8) >> 7) as u8 } else { byte }
        }
        Permutation::Forward4 => bytes[(n + i) & 7],
        Permutation::Backward4 => bytes[n.wrapping_sub(i) & 7],
        Permutation::Replicate8 => bytes[n],
        Permutation::EdgeLeft => bytes[n.max(i)],
        Permutation::EdgeRight => bytes[n.min(i)],
        Permutation::Replicate16 => bytes[(n & 1) * 2 + (i & 1)],
    };
    u32::from_le_bytes([0, 1, 2, 3].map(byte)).into()
}
