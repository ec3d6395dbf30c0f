//! Arithmetic: instructions that compute values from values.
//!
//! ```text
//!   Instruction ── read ─► Arithmetic ── evaluate ─► raw bits of the destinations
//!                              │
//!                              ├─ destinations(), sources(): types of the operands, in the order of the text
//!                              ▼
//!      integer     bits         float      convert   compare
//!      add mul     and shl      add fma    cvt       setp set
//!      div dp4a    prmt mov     min sqrt     │       selp slct testp
//!           │         │            │         ├─ narrow: 8-bit floats, tf32
//!           │         │            │         │           │
//!           └─────────┴── kind ────┴─────────┴───────────┘   types as arithmetic sees them
//!                                  └─ number ┴───────────┘   floats
//! ```
//! Results are those of an NVIDIA H200, bit by bit: `tests/arithmetic` replays a recording of every form (of the
//! comparisons, which are many, a part). Exceptions:
//!
//! - `.approx` and `.full` give the result correctly rounded (or computed with 64 bits and rounded), which lies within
//!   PTX's bounds, where the H200's own result differs in the last bits. Sine and cosine stay good beyond pi, where the
//!   H200's do not.
//! - Instructions are taken one by one: no multiplication is contracted with the addition behind it, which PTX leaves
//!   open where no rounding is written.
//!
//! What the H200 does and one would not guess (PTX leaves most of it open):
//!
//! | instruction | result |
//! | --- | --- |
//! | `div`, `rem` of whole numbers by zero | all ones |
//! | `sub.cc`, `subc` | `CC.CF` is the carry of `a + !b + 1`: set if nothing is borrowed |
//! | `bfe`, `bfi` | position and length: the low 8 bits with `.b32` and the like, all 32 with `.b64` |
//! | `fns` with -2^31 | 0 |
//! | NaN | one for each format but `.f64`: `7fff`, `7fffffff`; also from `neg` and `abs` |
//! | NaN with `.f64` | an operand made quiet: the first NaN of b, c, a, and of a, b with `div`; from no NaN `fff8000000000000` |
//! | `neg.f64`, `abs.f64` of NaN | its sign stays |
//! | NaN through `cvt` | payload kept from and to `.f64`; `cvt.f32.bf16` and those to the same type keep every bit |
//! | `.ftz` of results | zero if below the normal numbers when rounded with an unbounded exponent |
//! | `cvt.ftz.f16.f32` | no operand is flushed |
//! | `div.approx` by 2^126 and more | a zero |
//!
//! Modifiers are taken in any order, as NVIDIA's assembler does; types are not.

mod bits;
mod compare;
mod convert;
mod float;
mod integer;
mod kind;
mod narrow;
mod number;
mod words;

use crate::ast::{Instruction, Type};
use crate::source::Complaint;
use kind::Types;
pub(crate) use kind::ones;
use words::{Misfit, Words};

/// An arithmetic instruction, its modifiers understood.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arithmetic {
    operation: Operation,
    destinations: Types,
    sources: Types,
}

/// What it does.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Operation {
    Integer(integer::Operation),
    Bits(bits::Operation),
    Float(float::Operation),
    Convert(convert::Operation),
    Narrow(narrow::Operation),
    Compare(compare::Operation),
}

impl Arithmetic {
    /// Whether it is `cvt`.
    pub fn is_conversion(&self) -> bool {
        matches!(self.operation, Operation::Convert(_) | Operation::Narrow(_))
    }

    /// Whether its result depends on each of its operands, whatever the others are: `selp` and logic do not.
    pub fn follows_each(&self) -> bool {
        match &self.operation {
            Operation::Integer(operation) => !operation.carries(),
            Operation::Convert(_) => true,
            Operation::Compare(operation) => operation.sets_predicates(),
            _ => false,
        }
    }

    /// Whether it reads or writes `CC.CF`.
    pub fn carries(&self) -> bool {
        matches!(&self.operation, Operation::Integer(operation) if operation.carries())
    }

    /// Reads opcode and modifiers; the operands are not looked at. Nothing if the opcode is not arithmetic.
    ///
    /// # Errors
    /// The modifiers fit no form of the instruction, or one that is not supported.
    pub fn read(instruction: &Instruction) -> Option<Result<Arithmetic, Complaint>> {
        let opcode = instruction.opcode.value.as_str();
        let words = || Words::of(instruction);
        // Opcodes that integers and floats share are told apart by the type.
        let types = || instruction.modifiers.iter().filter_map(|word| Type::named(&word.value));
        let float = types().any(kind::is_float);
        let read = match float {
            true => float::read(opcode, words()).or_else(|| integer::read(opcode, words())),
            false => integer::read(opcode, words()).or_else(|| float::read(opcode, words())),
        };
        let read = read
            .or_else(|| bits::read(opcode, words()))
            .or_else(|| compare::read(opcode, words()))
            .or_else(|| convert::read(opcode, words()))
            .or_else(|| VIDEO.contains(&opcode).then_some(Err(Misfit::Unsupported("a video instruction"))))?;
        Some(read.map_err(|misfit| misfit.complain(instruction)))
    }

    /// Types of what it writes, in the order of the operands: one, or two of `setp p|q`, whose second may be left out.
    pub fn destinations(&self) -> &[Type] {
        self.destinations.list()
    }

    /// Types of what it reads, in the order of the operands: four at most.
    pub fn sources(&self) -> &[Type] {
        self.sources.list()
    }

    /// Computes. Values are the raw bits of the registers (predicates: 0 or 1), of which only those that the type has
    /// are looked at; results are zero-extended from the width of the destination's type. `carry` is the condition-code
    /// register `CC.CF` of the extended-precision instructions: set by a carry of additions, and by subtractions that borrow
    /// nothing.
    pub fn evaluate(&self, sources: [u64; 4], carry: &mut bool) -> [u64; 2] {
        match &self.operation {
            Operation::Integer(operation) => [operation.evaluate(sources, carry), 0],
            Operation::Bits(operation) => [operation.evaluate(sources), 0],
            Operation::Float(operation) => [operation.evaluate(sources), 0],
            Operation::Convert(operation) => [operation.evaluate(sources), 0],
            Operation::Narrow(operation) => [operation.evaluate(sources), 0],
            Operation::Compare(operation) => operation.evaluate(sources),
        }
    }
}

/// Instructions that are arithmetic, but not carried out.
const VIDEO: [&str; 22] = [
    "vadd",
    "vsub",
    "vabsdiff",
    "vmin",
    "vmax",
    "vshl",
    "vshr",
    "vmad",
    "vset",
    "vadd2",
    "vsub2",
    "vavrg2",
    "vabsdiff2",
    "vmin2",
    "vmax2",
    "vset2",
    "vadd4",
    "vsub4",
    "vavrg4",
    "vabsdiff4",
    "vmin4",
    "vmax4",
];

/// What a reader gives: nothing if the opcode is not its own.
type Read = Option<Result<Arithmetic, Misfit>>;
