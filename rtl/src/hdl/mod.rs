//! The layer between rust-hdl's macro and the blocks: fast signals, registers and memories.
//!
//! A block is a struct of [`Part`]s declared by [`hardware!`](crate::hardware); its logic is a list of *processes*, each
//! an `#[hdl_gen]` kernel, which becomes one `always` block of the Verilog. rust-hdl's macro turns the kernel's text into
//! a syntax tree (the exporter prints it) and leaves the function as it is (the simulator runs it), so both come from one
//! source.
//!
//! ```text
//!   one clock cycle     settle()  every process once, in a fixed order that follows the data: the block's author writes
//!                                 that order down, and a test settles everything twice to see if it is right
//!                       outputs may be read here
//!                       tick()    every register takes its `d`, every memory its write
//! ```
//!
//! Three things make it fast: values are plain `u64`s and `bool`s; a process runs exactly once a cycle (no settling
//! loop, no change tracking); and registers sit on the ports ([`InReg`], [`OutReg`]), so that a level of hierarchy costs
//! next to nothing.
//!
//! There is one clock and it is implicit: the exporter wires `clk` and `rst` to every block that holds state.

mod bits;
mod lanes;
mod memory;
mod part;
pub mod settled;
mod signal;

pub use bits::{Bit, Bits, SYMBOLIC, ToBits, bit_cast, bits};
pub use lanes::{Banks, Lanes, MOST_BANKS, MOST_ENTRIES, MOST_PORTS, MOST_WARP_LANES, Single, WarpLanes};
pub use memory::{BlockRam, ControlDelay, Delay, DelayLine, LutRam, QueueRam, Shelf};
pub use part::{MemoryKind, Name, Part, Port, Process, RegisterView, SignalView, Type, Value, View, Visitor, place};
pub use rust_hdl::prelude::{ast, hdl_gen};
pub use signal::{
    ControlReg, In, InControlReg, InReg, InStageControlReg, InStageReg, Local, OpView, Out, OutControlReg, OutReg,
    OutStageControlReg, OutStageReg, PlainView, Reg, Register, Signal, StageControlReg, StageReg, StatusView, WordView,
};

use crate::op::Op;
use crate::order::Order;
use crate::status::Status;
use crate::word;

/// What `#[hdl_gen]` calls to note which signals a kernel drives. The exporter derives that from the syntax tree, so
/// there is nothing to note here.
pub mod logic {
    /// Called once for every signal that a kernel assigns.
    pub fn logic_connect_fn<T>(_driven: &mut T) {}
}

macro_rules! symbols {
    ($($(#[doc = $doc:literal])* $symbol:ident, $code:ident, $value:ident;)*) => {
        /// A width that is fixed when a design is elaborated: the width of every `Bits` whose `N` names it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Symbol {
            $($(#[doc = $doc])* $symbol,)*
        }

        impl Symbol {
            const ALL: &[Symbol] = &[$(Symbol::$symbol),*];
        }

        $(
            #[doc = concat!("Width code of [`", stringify!($value), "`], for slices and casts.")]
            pub const $code: usize = Symbol::$symbol.code();
            $(#[doc = $doc])*
            pub type $value = Bits<$code>;
        )*
    };
}

// the symbol, its code as a width, and what has that width
symbols! {
    /// One bit a request port.
    Ports, PORTS, PortMask;
    /// One bit a bank.
    Banks, BANKS, BankMask;
    /// One bit a place where effects are told: a port; in a high-clock unit, a bank.
    Effects, EFFECTS, EffectMask;
    /// Number of a 64-bit word in the memory.
    WordIndex, WORD_INDEX, WordIndex;
    /// Number of a bank: the low bits of a word's number.
    BankIndex, BANK_INDEX, BankIndex;
    /// Number of a word within its bank: the high bits.
    RowIndex, ROW_INDEX, RowIndex;
    /// Tag of a request.
    Tag, TAG, Tag;
    /// Number of an entry in a response queue.
    QueueIndex, QUEUE_INDEX, QueueIndex;
    /// Count of entries in a response queue.
    QueueCount, QUEUE_COUNT, QueueCount;
    /// Status, predicate and tag of an answer, side by side.
    Outcome, OUTCOME, Outcome;
    /// One bit an entry of a port's table of suspended waits.
    Entries, ENTRIES, EntryMask;
    /// Number of an entry of that table.
    EntryIndex, ENTRY_INDEX, EntryIndex;
    /// One bit a CTA of the cluster.
    Ctas, CTAS, CtaMask;
    /// One bit a warp of a CTA.
    Warps, WARPS, WarpMask;
    /// Number of a warp.
    WarpIndex, WARP_INDEX, WarpIndex;
    /// Count of the threads of a CTA.
    ThreadCount, THREAD_COUNT, ThreadCount;
    /// One bit a thread that copies.
    Copiers, COPIERS, CopierMask;
    /// Number of a thread that copies.
    CopierIndex, COPIER_INDEX, CopierIndex;
    /// Number of one of a thread's copies and arrivals that are under way.
    Turn, TURN, Turn;
    /// One bit each of them.
    Turns, TURNS, TurnMask;
    /// One bit a burst that is under way.
    Bursts, BURSTS, BurstMask;
    /// Number of a burst.
    BurstIndex, BURST_INDEX, BurstIndex;
    /// One bit a burst of a tensor copy that is under way.
    TensorBursts, TENSOR_BURSTS, TensorBurstMask;
    /// Number of such a burst, or one more for the reader of maps.
    TensorIndex, TENSOR_INDEX, TensorIndex;
    /// Number of a burst at a CTA's port to global memory.
    MemoryIndex, MEMORY_INDEX, MemoryIndex;
    /// One bit a port of a CTA's threads.
    Users, USERS, UserMask;
    /// The same, and one for that of its warps.
    Askers, ASKERS, AskerMask;
    /// Number of an entry of a `Fifo`.
    FifoIndex, FIFO_INDEX, FifoIndex;
    /// Count of such entries.
    FifoCount, FIFO_COUNT, FifoCount;
    /// One bit a lane of a warp.
    WarpLanes, WARP_LANES, LaneMask;
}

impl Symbol {
    /// The `N` that stands for this width in `Bits<N>`.
    pub const fn code(self) -> usize {
        SYMBOLIC + self as usize
    }

    /// The width that `code` stands for, if it stands for one.
    pub fn from_code(code: usize) -> Option<Symbol> {
        Self::ALL.iter().copied().find(|symbol| symbol.code() == code)
    }
}

/// Time in nanoseconds: a bit more than the 32 of a limit, so that a deadline can be told from what is past.
pub type Time = Bits<TIME_BITS>;
/// Width of [`Time`].
pub const TIME_BITS: usize = 33;

/// A barrier word, or 64 bits of anything.
pub type Word = Bits<64>;
/// A field of the word that counts arrivals, or an addend to one.
pub type Count = Bits<{ word::COUNT_BITS }>;
/// The field of the word that counts bytes, or an addend to it.
pub type TxCount = Bits<{ word::TX_BITS }>;
/// An opcode.
pub type OpCode = Bits<{ Op::BITS }>;
/// A memory ordering.
pub type OrderCode = Bits<{ Order::BITS }>;
/// A status.
pub type StatusCode = Bits<{ Status::BITS }>;

/// Number of a port.
pub type PortNumber = Bits<3>;

/// Rank of a CTA in its cluster.
pub type Rank = Bits<3>;

/// The guide's example is compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/hdl.md")]
struct Guide;
