//! Executable code of a program: every operand is a register slot, a constant, or will be resolved to one.
//!
//! ```text
//!   a thread's registers     | entry's frame | frame of the function it calls | ...      64 bits a slot
//!                            ^ base          ^ base after the call
//!   a thread's local memory  | null | entry's variables | variables and parameters of the function | ...
//! ```

use crate::arithmetic::Arithmetic;
use crate::effect::{Atom, Claim, Effect, Meaning, Shuffle, Together, Vote};
use crate::matrix::Matrix;
use crate::program::special::Special;
use crate::source::Complaint;
use txbar_rtl::op::Op;
use txbar_rtl::ordering::Order;
use txbar_testbench::tensor::replace::Field;

/// The slot of what nobody wants to know.
pub(crate) const SINK: u32 = u32::MAX;
/// Where the parameters of the entry are in the window of local memory.
pub(crate) const PARAMETERS: u32 = 1 << 27;
/// Bytes at the beginning of local memory that belong to nothing, so that an address that was never set is an error.
pub(crate) const NULL: u32 = 256;

/// An operand that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// A slot of the frame.
    Register(u32),
    /// The lowest bits of one.
    Part { slot: u32, bits: u8 },
    /// A predicate, negated.
    Not(u32),
    /// A number.
    Constant(u64),
    /// Address of a variable in the frame's local memory; the number is added to where that begins, then to the window.
    Local { offset: u32, window: u64 },
    /// A special register, and how many bits of it.
    Special(Special, u8),
}

/// A register that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// Its slot, or [`SINK`].
    pub slot: u32,
    /// Width of the value in bits.
    pub from: u8,
    /// Width of the register if the value is to be sign-extended to it, else the same as `from`.
    pub to: u8,
}

impl Target {
    /// Result discarded.
    pub(crate) const NONE: Target = Target { slot: SINK, from: 64, to: 64 };
}

/// Address space of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Where {
    /// By the windows.
    Generic,
    /// As one of shared memory.
    Shared,
    /// As one of global memory or of constants.
    Global,
    /// As one of local memory or of parameters.
    Local,
}

/// An address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// Base.
    pub base: Value,
    /// Bytes added, modulo the width.
    pub offset: u64,
    /// Mask of its width.
    pub mask: u64,
    /// Address space.
    pub place: Where,
}

/// The predicate of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Guard {
    /// Slot.
    pub slot: u32,
    /// The value with which the instruction is not executed.
    pub skips: u64,
}

/// An instruction.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// Predicate.
    pub guard: Option<Guard>,
    /// Action.
    pub action: Action,
}

/// Action of an instruction.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// No observable effect.
    Nothing,
    /// Moves a value into a register.
    Move { to: Target, from: Value },
    /// Arithmetic.
    Compute(Box<Compute>),
    /// Between generic addresses and those of a window.
    Convert(Box<Convert>),
    /// Several values into one register, the first lowest.
    Pack { to: Target, bits: u8, from: Box<[Value]> },
    /// Splits a value into several registers, the first from the lowest bits.
    Unpack { to: Box<[Target]>, bits: u8, from: Value },
    /// `mapa`.
    Map(Box<Map>),
    /// `getctarank` or `isspacep`.
    Ask(Box<Ask>),
    /// `bra`; before labels are resolved, to the label of this number.
    Branch(usize),
    /// `brx.idx`: to a label of the list with this number.
    Switch { index: Value, list: usize },
    /// `call`.
    Call(Box<Call>),
    /// `ret`, also the end of a body.
    Return,
    /// Something that the world takes part in, or memory of the thread.
    World(Box<World>),
    /// An error to be reported now.
    Unsupported(Box<Complaint>),
}

/// Arithmetic.
#[derive(Clone, Debug)]
pub(crate) struct Compute {
    pub arithmetic: Arithmetic,
    pub to: [Target; 2],
    pub from: [Value; 4],
}

/// Between generic addresses and those of a window.
#[derive(Clone, Debug)]
pub(crate) struct Convert {
    pub to: Target,
    pub from: Value,
    /// Added modulo the width.
    pub addend: u64,
    pub mask: u64,
}

/// `mapa`.
#[derive(Clone, Debug)]
pub(crate) struct Map {
    pub to: Target,
    pub address: Address,
    /// What the result begins with: that of the window if it is generic.
    pub window: u64,
    pub rank: Value,
}

/// `getctarank` or `isspacep`.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    pub to: Target,
    pub address: Address,
    pub question: Question,
}

/// A question about an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// Rank of its CTA.
    Rank,
    /// Whether it is in the thread's own shared memory.
    SharedCta,
    /// Whether it is in the shared memory of the cluster.
    SharedCluster,
    /// Whether it is in global memory.
    Global,
    /// Whether it is in these bytes of global memory.
    Const { start: u64, end: u64 },
    /// Whether it is in local memory.
    Local,
    /// Whether it is a parameter of the entry.
    Param,
}

/// A place for an argument or a result in the frame of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// A slot.
    Register(u32),
    /// Bytes of the frame's local memory, from this one on.
    Memory(u32),
}

/// The caller's part of what is handed over in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hand {
    /// A value (as an argument).
    Value(Value),
    /// A register (for a result).
    Target(Target),
    /// A variable in the caller's frame.
    Memory(u32),
}

/// What is handed over in a call: an argument, or in the other direction a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Transfer {
    /// The caller's part.
    pub hand: Hand,
    /// The function's part.
    pub home: Home,
    /// Size in bytes; at most 8 unless both are in memory.
    pub bytes: u32,
}

/// A call.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// Number of the function.
    pub routine: usize,
    pub arguments: Box<[Transfer]>,
    pub results: Box<[Transfer]>,
}

/// A function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Routine {
    /// First instruction.
    pub pc: usize,
    /// Registers of a frame.
    pub slots: u32,
    /// Bytes of local memory of a frame.
    pub local: u32,
    /// Alignment of those.
    pub alignment: u32,
}

impl Routine {
    /// Where the frame begins and ends in local memory if this many bytes are in use.
    pub(crate) fn frame(&self, used: u32) -> (u32, u32) {
        let begin = used.next_multiple_of(self.alignment.max(16)); // far below 2^32: see the limits of the layout
        (begin, begin + self.local)
    }
}

/// What the world takes part in.
#[derive(Clone, Debug)]
pub(crate) struct World {
    /// Operation.
    pub what: What,
    /// Where the results go, in order.
    pub to: Box<[Target]>,
}

/// An [`Effect`] whose operands are not yet evaluated.
#[derive(Clone, Debug)]
pub(crate) enum What {
    /// One without operands.
    Plain(Effect),
    Load {
        at: Access,
    },
    Store {
        at: Access,
        values: Box<[Value]>,
    },
    Atomic {
        at: Access,
        atom: Atom,
        meaning: Meaning,
        b: Value,
        c: Value,
    },
    Barrier {
        op: Op,
        address: Address,
        operand: Value,
        limit: Value,
        order: Order,
        answered: bool,
        /// `.layout::v1` of `mbarrier.init`.
        v1: bool,
    },
    CheckLayout {
        address: Address,
        v1: bool,
    },
    CopyAsync {
        shared: Address,
        global: Address,
        bytes: u8,
        source: Value,
        ignore: Value,
    },
    CopyArrive {
        address: Address,
        noinc: bool,
    },
    BulkToShared {
        shared: Address,
        global: Address,
        bytes: Value,
        barrier: Address,
        multicast: Option<Value>,
    },
    BulkToGlobal {
        shared: Address,
        global: Address,
        bytes: Value,
        mask: Value,
        /// Code of the reduction; 0 stores.
        reduction: u8,
    },
    BulkToCluster {
        shared: Address,
        to: Address,
        bytes: Value,
        barrier: Address,
        reduction: u8,
    },
    Post {
        at: Access,
        values: Box<[Value]>,
        barrier: Address,
        reduction: u8,
    },
    TensorToShared {
        shared: Address,
        map: Address,
        at: Box<[Value]>,
        barrier: Address,
        multicast: Option<Value>,
    },
    TensorToGlobal {
        shared: Address,
        map: Address,
        at: Box<[Value]>,
        /// Code of the operation; 0 stores.
        action: u8,
    },
    TensorPrefetch {
        map: Address,
        at: Box<[Value]>,
    },
    MapReplace {
        map: Address,
        field: Field,
        dimension: u8,
        value: Value,
    },
    MapPublish {
        to: Address,
        from: Address,
    },
    MapFence {
        map: Address,
    },
    MapPrefetch {
        map: Address,
    },
    Bar {
        number: Value,
        threads: Option<Value>,
        kind: Bars,
        predicate: Value,
        aligned: bool,
    },
    Shuffle {
        mode: Shuffle,
        value: Value,
        lane: Value,
        clamp: Value,
        mask: Value,
    },
    Vote {
        mode: Vote,
        predicate: Value,
        mask: Value,
    },
    Match {
        all: bool,
        value: Value,
        mask: Value,
    },
    Reduce {
        atom: Atom,
        meaning: Meaning,
        value: Value,
        mask: Value,
    },
    /// With nothing but a mask.
    Together {
        what: Together,
        mask: Value,
    },
    /// A matrix instruction of all lanes of a warp.
    Matrix {
        matrix: Matrix,
        from: Box<[Value]>,
    },
    /// What only the first lanes of a warp do, this many of them: the others do nothing.
    First {
        lanes: u32,
        what: Box<What>,
    },
    Sleep(Value),
    Claim(Claim),
    /// A function of CUDA's device library that every program may call.
    Library {
        function: Library,
        arguments: Box<[Transfer]>,
        /// Where its result goes, if that is a variable of the frame.
        result: Option<u32>,
    },
}

/// Functions of CUDA's device library that are not defined in PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Library {
    /// `int vprintf(const char *format, void *arguments)`.
    Print,
    /// `void __assertfail(const char *message, const char *file, unsigned line, const char *function, size_t size)`.
    Assert,
}

impl Library {
    /// The function of a name, and the sizes of its result and its arguments in bytes.
    pub(crate) fn named(name: &str) -> Option<(Self, &'static [u64], &'static [u64])> {
        match name {
            "vprintf" => Some((Self::Print, &[4], &[8, 8])),
            "__assertfail" => Some((Self::Assert, &[], &[8, 8, 4, 8, 8])),
            _ => None,
        }
    }
}

impl What {
    /// What it is, whoever does it.
    pub(crate) fn inner(&self) -> &What {
        match self {
            What::First { what, .. } => what,
            what => what,
        }
    }
}

/// An access to memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub address: Address,
    /// Bytes of one value.
    pub width: u8,
    /// Values.
    pub count: u8,
    pub order: Order,
}

/// Kind of `bar` instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bars {
    Sync,
    Arrive,
    Popc,
    And,
    Or,
}
