//! Comparisons and selections.

use super::kind::{CHOSEN, COMPARED, Format, Int, Types, lanes, ones};
use super::number;
use super::words::{Misfit, Words};
use super::{Arithmetic, Read};
use crate::ast::Type;
use std::cmp::Ordering;

/// A comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Comparison {
    less: bool,
    equal: bool,
    greater: bool,
    /// What it gives if a NaN is among the operands.
    unordered: bool,
}

impl Comparison {
    const fn new(less: bool, equal: bool, greater: bool, unordered: bool) -> Self {
        Self { less, equal, greater, unordered }
    }

    const fn holds(self, ordering: Option<Ordering>) -> bool {
        match ordering {
            Some(Ordering::Less) => self.less,
            Some(Ordering::Equal) => self.equal,
            Some(Ordering::Greater) => self.greater,
            None => self.unordered,
        }
    }
}

/// Which types an operator is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum For {
    All,
    Numbers,
    Unsigned,
    Floats,
}

const OPERATORS: [(&str, (Comparison, For)); 18] = [
    ("eq", (Comparison::new(false, true, false, false), For::All)),
    ("ne", (Comparison::new(true, false, true, false), For::All)),
    ("lt", (Comparison::new(true, false, false, false), For::Numbers)),
    ("le", (Comparison::new(true, true, false, false), For::Numbers)),
    ("gt", (Comparison::new(false, false, true, false), For::Numbers)),
    ("ge", (Comparison::new(false, true, true, false), For::Numbers)),
    ("lo", (Comparison::new(true, false, false, false), For::Unsigned)),
    ("ls", (Comparison::new(true, true, false, false), For::Unsigned)),
    ("hi", (Comparison::new(false, false, true, false), For::Unsigned)),
    ("hs", (Comparison::new(false, true, true, false), For::Unsigned)),
    ("equ", (Comparison::new(false, true, false, true), For::Floats)),
    ("neu", (Comparison::new(true, false, true, true), For::Floats)),
    ("ltu", (Comparison::new(true, false, false, true), For::Floats)),
    ("leu", (Comparison::new(true, true, false, true), For::Floats)),
    ("gtu", (Comparison::new(false, false, true, true), For::Floats)),
    ("geu", (Comparison::new(false, true, true, true), For::Floats)),
    ("num", (Comparison::new(true, true, true, false), For::Floats)),
    ("nan", (Comparison::new(false, false, false, true), For::Floats)),
];

/// What the comparison is combined with: a third operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Logic {
    And,
    Or,
    Xor,
}

const LOGIC: [(&str, Logic); 3] = [("and", Logic::And), ("or", Logic::Or), ("xor", Logic::Xor)];

/// Property tested by `testp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Property {
    Finite,
    Infinite,
    Number,
    NotANumber,
    Normal,
    Subnormal,
}

const PROPERTIES: [(&str, Property); 6] = [
    ("finite", Property::Finite),
    ("infinite", Property::Infinite),
    ("number", Property::Number),
    ("notanumber", Property::NotANumber),
    ("normal", Property::Normal),
    ("subnormal", Property::Subnormal),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
    /// Two predicates: the comparison and its opposite, each combined with the third operand.
    SetP {
        comparison: Comparison,
        logic: Option<Logic>,
    },
    /// This, or zero.
    Set {
        comparison: Comparison,
        logic: Option<Logic>,
        yes: u64,
    },
    SelP,
    /// The sign of the third operand chooses.
    Slct,
    TestP(Property),
}

/// An instruction that compares or chooses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Operation {
    verb: Verb,
    /// Type of what is compared; of `selp`, of what is chosen from.
    ty: Type,
    /// `.ftz`.
    flush: bool,
    /// Bits of the result.
    result: u32,
}

/// Reads one.
pub(super) fn read(opcode: &str, mut words: Words) -> Read {
    let words = &mut words;
    let read = match opcode {
        "setp" => setp(words),
        "set" => set(words),
        "selp" => selp(words),
        "slct" => slct(words),
        "testp" => testp(words),
        _ => return None,
    };
    Some(read.and_then(|arithmetic| words.end().map(|()| arithmetic)))
}

fn arithmetic(verb: Verb, ty: Type, flush: bool, destinations: &[Type], sources: Types) -> Arithmetic {
    let result = destinations.first().map_or(1, |ty| ty.bits());
    Arithmetic {
        operation: super::Operation::Compare(Operation { verb, ty, flush, result }),
        destinations: Types::new(destinations),
        sources,
    }
}

/// Operator, logic and `.ftz`, which stand before the types.
fn comparison(words: &mut Words) -> Result<(Comparison, For, Option<Logic>, bool), Misfit> {
    let (comparison, of) = words.need(&OPERATORS, "a comparison operator")?;
    Ok((comparison, of, words.one_of(&LOGIC), words.flag("ftz")))
}

/// The type of what is compared, which must suit the operator and `.ftz`.
fn compared(words: &mut Words, of: For, flush: bool) -> Result<Type, Misfit> {
    let ty = words.ty(match (of, flush) {
        (For::Unsigned, false) => &[Type::U16, Type::U32, Type::U64],
        (For::Unsigned, true) => &[],
        (_, true) => &[Type::F32, Type::F16, Type::F16x2],
        (For::All, false) => COMPARED,
        (For::Numbers, false) => &COMPARED[3..],
        (For::Floats, false) => &COMPARED[9..],
    })?;
    if lanes(ty) != 1 {
        return Err(Misfit::Unsupported("a comparison of pairs"));
    }
    Ok(ty)
}

/// Types of the operands: with logic there is a predicate.
fn operands(ty: Type, logic: Option<Logic>) -> Types {
    if logic.is_some() { Types::new(&[ty, ty, Type::Pred]) } else { Types::new(&[ty, ty]) }
}

fn setp(words: &mut Words) -> Result<Arithmetic, Misfit> {
    let (comparison, of, logic, flush) = comparison(words)?;
    let ty = compared(words, of, flush)?;
    // Of 16-bit floats there is no second one.
    let destinations: &[Type] = if is_short(ty) { &[Type::Pred] } else { &[Type::Pred, Type::Pred] };
    Ok(arithmetic(Verb::SetP { comparison, logic }, ty, flush, destinations, operands(ty, logic)))
}

fn set(words: &mut Words) -> Result<Arithmetic, Misfit> {
    let (comparison, of, logic, flush) = comparison(words)?;
    let to = words.ty(&[Type::U32, Type::S32, Type::F32, Type::U16, Type::S16, Type::F16, Type::F16x2, Type::Bf16])?;
    let ty = compared(words, of, flush)?;
    // 32-bit floats come of large operands, 16-bit results of 16-bit floats.
    let fits = match to {
        Type::U32 | Type::S32 => true,
        Type::F32 => !is_short(ty),
        Type::F16 | Type::Bf16 => ty == to,
        _ => is_short(ty),
    };
    if !fits {
        return Err(Misfit::Stray(to.name().to_owned()));
    }
    let yes = Format::of(to).map_or(ones(to.bits()), number::one);
    Ok(arithmetic(Verb::Set { comparison, logic, yes }, ty, flush, &[to], operands(ty, logic)))
}

/// A 16-bit float.
const fn is_short(ty: Type) -> bool {
    matches!(ty, Type::F16 | Type::Bf16)
}

fn selp(words: &mut Words) -> Result<Arithmetic, Misfit> {
    let ty = words.ty(CHOSEN)?;
    Ok(arithmetic(Verb::SelP, ty, false, &[ty], Types::new(&[ty, ty, Type::Pred])))
}

fn slct(words: &mut Words) -> Result<Arithmetic, Misfit> {
    let flush = words.flag("ftz");
    let ty = words.ty(CHOSEN)?;
    let sign = words.ty(if flush { &[Type::F32] } else { &[Type::S32, Type::F32] })?;
    Ok(arithmetic(Verb::Slct, sign, flush, &[ty], Types::new(&[ty, ty, sign])))
}

fn testp(words: &mut Words) -> Result<Arithmetic, Misfit> {
    let property = words.need(&PROPERTIES, "a property")?;
    let ty = words.ty(&[Type::F32, Type::F64])?;
    Ok(arithmetic(Verb::TestP(property), ty, false, &[Type::Pred], Types::new(&[ty])))
}

impl Operation {
    /// Whether it is `setp`.
    pub(super) fn sets_predicates(&self) -> bool {
        matches!(self.verb, Verb::SetP { .. })
    }

    /// Computes.
    pub(super) fn evaluate(&self, [a, b, c, _]: [u64; 4]) -> [u64; 2] {
        let single = |value: u64| [value & ones(self.result), 0];
        let third = c & 1 != 0;
        match self.verb {
            Verb::SetP { comparison, logic } => {
                let holds = comparison.holds(self.order(a, b));
                let both = [holds, !holds].map(|holds| combine(holds, logic, third).into());
                if is_short(self.ty) { single(both[0]) } else { both }
            }
            Verb::Set { comparison, logic, yes } => {
                let holds = combine(comparison.holds(self.order(a, b)), logic, third);
                single(if holds { yes } else { 0 })
            }
            Verb::SelP => single(if third { a } else { b }),
            Verb::Slct => single(if self.order(c, 0).is_some_and(Ordering::is_ge) { a } else { b }),
            Verb::TestP(property) => single(self.has(property, a).into()),
        }
    }

    /// How two values compare; nothing if one is a NaN.
    fn order(&self, a: u64, b: u64) -> Option<Ordering> {
        match Format::of(self.ty) {
            Some(format) => number::order(format, self.flush, a, b),
            None => {
                let int = Int::of(self.ty);
                Some(int.value(a).cmp(&int.value(b)))
            }
        }
    }

    fn has(&self, property: Property, a: u64) -> bool {
        let class = match self.ty {
            Type::F32 => f32::from_bits(a as u32).classify(), // the low bits are the value
            _ => f64::from_bits(a).classify(),
        };
        use std::num::FpCategory::{Infinite, Nan, Normal, Subnormal, Zero};
        match property {
            Property::Finite => matches!(class, Zero | Subnormal | Normal),
            Property::Infinite => class == Infinite,
            Property::Number => class != Nan,
            Property::NotANumber => class == Nan,
            Property::Normal => matches!(class, Zero | Normal),
            Property::Subnormal => class == Subnormal,
        }
    }
}

/// The comparison with the third operand.
fn combine(holds: bool, logic: Option<Logic>, third: bool) -> bool {
    match logic {
        None => holds,
        Some(Logic::And) => holds && third,
        Some(Logic::Or) => holds || third,
        Some(Logic::Xor) => holds != third,
    }
}
