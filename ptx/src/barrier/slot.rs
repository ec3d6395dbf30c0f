//! Kinds of operands.

use super::table::Slot;
use crate::ast::{Number, Operand, Space, Type};

/// How an operand is written, and of which type it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A register that is written.
    To(Width),
    /// As `To`, or `_`.
    ToOrSink(Width),
    /// `_`.
    Sink,
    /// A predicate register that is written, or two: `p|q`.
    Report,
    /// A 32-bit register that is written, or `_`, and a predicate: `d|p`.
    Elected,
    /// A register or a whole number.
    Value(Width),
    /// A predicate register, negated or not, or a whole number.
    Predicate,
    /// A 32-bit register or a whole number, or a predicate register, negated or not.
    ValueOrPredicate,
    /// A whole number.
    Constant,
    /// An address in one of these state spaces.
    Address(&'static [Space]),
    /// Values of the type that the instruction names.
    Typed,
    /// `[map, {coordinates}]`; how many there are besides the dimensions, or (0, none) five.
    Tensor,
    /// The same with five coordinates.
    Rows,
    /// `{offsets}`: as many as dimensions less two.
    Offsets,
    /// The same, two.
    TwoOffsets,
}

/// Widths of registers that fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// A predicate.
    Predicate,
    /// Bits, or whole numbers of this many bits.
    Bits(u32),
}

impl Width {
    /// Whether a register of a type fits.
    pub fn takes(self, ty: Type) -> bool {
        match self {
            Width::Predicate => ty == Type::Pred,
            Width::Bits(bits) => {
                ty.bits() == bits && matches!(ty.name().as_bytes(), [b'b' | b'u' | b's', b'1'..=b'9', ..])
            }
        }
    }

    /// Name.
    pub fn name(self) -> String {
        match self {
            Width::Predicate => "a predicate register".to_owned(),
            Width::Bits(bits) => format!("{} {bits}-bit register", if bits == 8 { "an" } else { "a" }),
        }
    }

    /// How a register is declared so.
    pub fn advice(self) -> String {
        match self {
            Width::Predicate => "declare it with `.reg .pred`".to_owned(),
            Width::Bits(bits) => format!("declare it `.b{bits}`, `.u{bits}` or `.s{bits}`"),
        }
    }
}

const SHARED: &[Space] = &[Space::Shared];
const GLOBAL: &[Space] = &[Space::Global];
const ANYWHERE: &[Space] = &[Space::Shared, Space::Global, Space::Const, Space::Local, Space::Param];

impl Slot {
    /// Name in the manual.
    pub const fn name(self) -> &'static str {
        match self {
            Slot::State | Slot::Token => "state",
            Slot::NoState => "_",
            Slot::WaitComplete => "waitComplete",
            Slot::WaitReport => "waitComplete{|report}",
            Slot::Report => "value",
            Slot::HasLayout | Slot::Verdict => "p",
            Slot::Pending | Slot::Count | Slot::CountV1 | Slot::Arrivals => "count",
            Slot::Address => "[addr]",
            Slot::TxCount => "txCount",
            Slot::Parity => "phaseParity",
            Slot::SuspendTimeHint => "suspendTimeHint",
            Slot::CtaMask | Slot::CtaMask32 => "ctaMask",
            Slot::Number => "a",
            Slot::Threads | Slot::SomeThreads => "b",
            Slot::Population => "d",
            Slot::Predicate => "c",
            Slot::Lanes => "membermask",
            Slot::Elected => "d|p",
            Slot::Registers => "imm-reg-count",
            Slot::Groups => "n",
            Slot::ToShared | Slot::ToGlobal => "[dst]",
            Slot::FromShared | Slot::FromGlobal => "[src]",
            Slot::SizeCa => "cp-size",
            Slot::SizeCg => "16",
            Slot::SourceSize => "src-size or ignore-src",
            Slot::Bulk => "size",
            Slot::Ignored => "ignoreBytes",
            Slot::ByteMask => "byteMask",
            Slot::Policy => "cache-policy",
            Slot::Values => "value",
            Slot::Tensor | Slot::Rows => "[tensorMap, {coordinates}]",
            Slot::Offsets | Slot::OffsetsW => "{offsets}",
            Slot::Map => "[map]",
            Slot::MapSize => "128",
        }
    }

    /// Kind of operand.
    pub const fn kind(self) -> Kind {
        match self {
            Slot::State => Kind::ToOrSink(Width::Bits(64)),
            Slot::NoState => Kind::Sink,
            Slot::WaitComplete | Slot::HasLayout | Slot::Verdict => Kind::To(Width::Predicate),
            Slot::WaitReport => Kind::Report,
            Slot::Report => Kind::To(Width::Bits(8)),
            Slot::Pending | Slot::Population => Kind::To(Width::Bits(32)),
            Slot::Address | Slot::ToShared | Slot::FromShared => Kind::Address(SHARED),
            Slot::ToGlobal | Slot::FromGlobal => Kind::Address(GLOBAL),
            Slot::Map => Kind::Address(ANYWHERE),
            Slot::Count
            | Slot::CountV1
            | Slot::Arrivals
            | Slot::TxCount
            | Slot::Parity
            | Slot::SuspendTimeHint
            | Slot::CtaMask32
            | Slot::Number
            | Slot::Threads
            | Slot::SomeThreads
            | Slot::Lanes
            | Slot::Bulk
            | Slot::Ignored => Kind::Value(Width::Bits(32)),
            Slot::CtaMask | Slot::ByteMask => Kind::Value(Width::Bits(16)),
            Slot::Token | Slot::Policy => Kind::Value(Width::Bits(64)),
            Slot::Predicate => Kind::Predicate,
            Slot::Elected => Kind::Elected,
            Slot::Registers | Slot::Groups | Slot::SizeCa | Slot::SizeCg | Slot::MapSize => Kind::Constant,
            Slot::SourceSize => Kind::ValueOrPredicate,
            Slot::Values => Kind::Typed,
            Slot::Tensor => Kind::Tensor,
            Slot::Rows => Kind::Rows,
            Slot::Offsets => Kind::Offsets,
            Slot::OffsetsW => Kind::TwoOffsets,
        }
    }

    /// Whether it is an address and nothing else.
    pub const fn is_address(self) -> bool {
        matches!(self.kind(), Kind::Address(_))
    }

    /// Description of valid operands.
    pub fn wants(self) -> String {
        match self.kind() {
            Kind::To(width) => width.name(),
            Kind::ToOrSink(width) => format!("{}, or `_`", width.name()),
            Kind::Sink => "`_`".to_owned(),
            Kind::Report => "a predicate register, or two as in `%p1|%p2`".to_owned(),
            Kind::Elected => "a 32-bit register or `_`, and a predicate register, as in `%r1|%p1`".to_owned(),
            Kind::Value(width) => format!("{} or a whole number", width.name()),
            Kind::Predicate => "a predicate register".to_owned(),
            Kind::ValueOrPredicate => "a 32-bit register, a whole number, or a predicate register".to_owned(),
            Kind::Constant => "a whole number".to_owned(),
            Kind::Address(_) => "an address in brackets, as in `[bar]` or `[%rd1+8]`".to_owned(),
            Kind::Typed => "a register of the type, or as many in braces".to_owned(),
            Kind::Tensor | Kind::Rows => "a tensor map and coordinates, as in `[%rd1, {%r1, %r2}]`".to_owned(),
            Kind::Offsets | Kind::TwoOffsets => "16-bit registers or whole numbers in braces".to_owned(),
        }
    }

    /// Whether an operand is written so; what its names are is not looked at.
    pub const fn takes(self, operand: &Operand) -> bool {
        let number = matches!(operand, Operand::Number(Number::Integer(_)));
        let name = matches!(operand, Operand::Name(_));
        match self.kind() {
            Kind::To(_) => name,
            Kind::ToOrSink(_) => name || matches!(operand, Operand::Sink),
            Kind::Sink => matches!(operand, Operand::Sink),
            Kind::Report => name || matches!(operand, Operand::Pair(_)),
            Kind::Elected => matches!(operand, Operand::Pair(_)),
            Kind::Value(_) => name || number,
            Kind::Predicate | Kind::ValueOrPredicate => name || number || matches!(operand, Operand::Not(_)),
            Kind::Constant => number,
            Kind::Address(_) => matches!(operand, Operand::Address { .. }),
            Kind::Typed => name || matches!(operand, Operand::Number(_) | Operand::Vector(_)),
            Kind::Tensor | Kind::Rows => matches!(operand, Operand::Compound(_)),
            Kind::Offsets | Kind::TwoOffsets => matches!(operand, Operand::Vector(_)),
        }
    }

    /// The least and greatest literal, what it is a multiple of, and why; nothing if any will do.
    pub const fn range(self) -> Option<(i128, i128, i128, &'static str)> {
        const COUNT: i128 = txbar_rtl::word::COUNT_MAX as i128;
        const V1: i128 = super::COUNT_MAX_V1 as i128;
        Some(match self {
            Slot::Count | Slot::Arrivals => (1, COUNT, 1, "2^20 - 1 arrivals is the most that a barrier counts"),
            Slot::CountV1 => (1, V1, 1, "2^9 - 1 arrivals is the most that a barrier of layout v1 counts"),
            Slot::TxCount => (0, COUNT, 1, "2^20 - 1 bytes is the most that a barrier counts"),
            Slot::Parity => (0, 1, 1, "an even phase has parity 0 and an odd one 1"),
            Slot::CtaMask => (0, 0xffff, 1, "a bit for each of the 16 CTAs that a cluster has at most"),
            Slot::CtaMask32 => (0, u32::MAX as i128, 1, "a bit for each of the 32 CTAs that a cluster has at most"),
            Slot::Number => (0, 15, 1, "a CTA has 16 barriers"),
            Slot::Threads => (0, u32::MAX as i128, 32, "whole warps take part"),
            Slot::SomeThreads => (32, u32::MAX as i128, 32, "whole warps take part, and somebody has to wait"),
            Slot::Registers => (24, 256, 8, "a warp takes and gives back registers by eight for each thread"),
            Slot::Bulk => (0, COUNT + 1 - 16, 16, "bulk copies are made of whole 16 bytes, below 2^20"),
            Slot::Ignored => (0, 15, 1, "fewer than the 16 bytes of which bulk copies are made"),
            Slot::SizeCg => (16, 16, 1, "`cp.async.cg` copies 16 bytes"),
            Slot::SizeCa => (4, 16, 4, "`cp.async.ca` copies 4, 8 or 16 bytes"),
            Slot::MapSize => (128, 128, 1, "a tensor map has 128 bytes"),
            _ => return None,
        })
    }
}
