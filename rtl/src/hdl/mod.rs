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
mod signal;

pub use bits::{Bit, Bits, SYMBOLIC, ToBits, bit_cast, bits};
pub use lanes::{Banks, Lanes, MOST_BANKS, MOST_ENTRIES, MOST_PORTS};
pub use memory::{BlockRam, ControlDelay, Delay, DelayLine, LutRam, Shelf};
pub use part::{MemoryKind, Name, Part, Port, Process, RegisterView, SignalView, Type, Value, View, Visitor};
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

/// A width that is fixed when a design is elaborated: the width of every `Bits` whose `N` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Symbol {
    /// One bit a request port.
    Ports,
    /// One bit a bank.
    Banks,
    /// Number of a 64-bit word in the memory.
    WordIndex,
    /// Number of a bank: the low bits of a word's number.
    BankIndex,
    /// Number of a word within its bank: the high bits.
    RowIndex,
    /// Tag of a request.
    Tag,
    /// Number of an entry in a response queue.
    QueueIndex,
    /// Count of entries in a response queue.
    QueueCount,
    /// Status, predicate and tag of an answer, side by side.
    Outcome,
    /// One bit an entry of a port's table of suspended waits.
    Entries,
    /// One bit a CTA of the cluster.
    Ctas,
    /// One bit a warp of a CTA.
    Warps,
    /// Number of a warp.
    WarpIndex,
    /// Count of the threads of a CTA.
    ThreadCount,
    /// One bit a thread that copies.
    Copiers,
    /// Number of a thread that copies.
    CopierIndex,
    /// Number of one of a thread's copies and arrivals that are under way.
    Turn,
    /// One bit each of them.
    Turns,
    /// One bit a burst that is under way.
    Bursts,
    /// Number of a burst.
    BurstIndex,
    /// One bit a port of a CTA's threads.
    Users,
    /// Number of an entry of a `Fifo`.
    FifoIndex,
    /// Count of such entries.
    FifoCount,
}

impl Symbol {
    const ALL: [Symbol; 23] = [
        Symbol::Ports,
        Symbol::Banks,
        Symbol::WordIndex,
        Symbol::BankIndex,
        Symbol::RowIndex,
        Symbol::Tag,
        Symbol::QueueIndex,
        Symbol::QueueCount,
        Symbol::Outcome,
        Symbol::Entries,
        Symbol::Ctas,
        Symbol::Warps,
        Symbol::WarpIndex,
        Symbol::ThreadCount,
        Symbol::Copiers,
        Symbol::CopierIndex,
        Symbol::Turn,
        Symbol::Turns,
        Symbol::Bursts,
        Symbol::BurstIndex,
        Symbol::Users,
        Symbol::FifoIndex,
        Symbol::FifoCount,
    ];

    /// The `N` that stands for this width in `Bits<N>`.
    pub const fn code(self) -> usize {
        SYMBOLIC + self as usize
    }

    /// The width that `code` stands for, if it stands for one.
    pub fn from_code(code: usize) -> Option<Symbol> {
        Self::ALL.into_iter().find(|symbol| symbol.code() == code)
    }
}

/// Width code of [`PortMask`], for slices and casts.
pub const PORTS: usize = Symbol::Ports.code();
/// Width code of [`BankMask`].
pub const BANKS: usize = Symbol::Banks.code();
/// Width code of [`WordIndex`].
pub const WORD_INDEX: usize = Symbol::WordIndex.code();
/// Width code of [`BankIndex`].
pub const BANK_INDEX: usize = Symbol::BankIndex.code();
/// Width code of [`RowIndex`].
pub const ROW_INDEX: usize = Symbol::RowIndex.code();
/// Width code of [`Tag`].
pub const TAG: usize = Symbol::Tag.code();
/// Width code of [`Outcome`].
pub const OUTCOME: usize = Symbol::Outcome.code();

/// Width code of [`EntryMask`].
pub const ENTRIES: usize = Symbol::Entries.code();
/// Width code of [`CtaMask`].
pub const CTAS: usize = Symbol::Ctas.code();
/// Width code of [`WarpMask`].
pub const WARPS: usize = Symbol::Warps.code();
/// Width code of [`WarpIndex`].
pub const WARP_INDEX: usize = Symbol::WarpIndex.code();
/// Width code of [`ThreadCount`].
pub const THREAD_COUNT: usize = Symbol::ThreadCount.code();
/// Width code of [`CopierMask`].
pub const COPIERS: usize = Symbol::Copiers.code();
/// Width code of [`CopierIndex`].
pub const COPIER_INDEX: usize = Symbol::CopierIndex.code();
/// Width code of [`Turn`].
pub const TURN: usize = Symbol::Turn.code();
/// Width code of [`TurnMask`].
pub const TURNS: usize = Symbol::Turns.code();
/// Width code of [`BurstMask`].
pub const BURSTS: usize = Symbol::Bursts.code();
/// Width code of [`BurstIndex`].
pub const BURST_INDEX: usize = Symbol::BurstIndex.code();
/// Width code of [`UserMask`].
pub const USERS: usize = Symbol::Users.code();
/// Width code of [`FifoCount`].
pub const FIFO_COUNT: usize = Symbol::FifoCount.code();

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

/// One bit a request port.
pub type PortMask = Bits<PORTS>;
/// One bit a bank.
pub type BankMask = Bits<BANKS>;
/// Number of a word in the memory.
pub type WordIndex = Bits<WORD_INDEX>;
/// Number of a bank.
pub type BankIndex = Bits<BANK_INDEX>;
/// Number of a word within its bank.
pub type RowIndex = Bits<ROW_INDEX>;
/// Tag of a request, given back with its answer.
pub type Tag = Bits<TAG>;
/// Number of an entry in a response queue.
pub type QueueIndex = Bits<{ Symbol::QueueIndex.code() }>;
/// Count of entries in a response queue.
pub type QueueCount = Bits<{ Symbol::QueueCount.code() }>;
/// Status (bits 4:0), predicate (bit 5) and tag of an answer.
pub type Outcome = Bits<OUTCOME>;

/// One bit an entry of a port's table of suspended waits.
pub type EntryMask = Bits<ENTRIES>;

/// One bit a CTA of the cluster.
pub type CtaMask = Bits<CTAS>;
/// Rank of a CTA in its cluster.
pub type Rank = Bits<3>;
/// One bit a warp of a CTA.
pub type WarpMask = Bits<WARPS>;
/// Number of a warp.
pub type WarpIndex = Bits<WARP_INDEX>;
/// Count of the threads of a CTA.
pub type ThreadCount = Bits<THREAD_COUNT>;
/// One bit a thread that copies.
pub type CopierMask = Bits<COPIERS>;
/// Number of a thread that copies.
pub type CopierIndex = Bits<COPIER_INDEX>;
/// Number of one of a thread's copies and arrivals that are under way.
pub type Turn = Bits<TURN>;
/// One bit each of them.
pub type TurnMask = Bits<TURNS>;
/// One bit a burst that is under way.
pub type BurstMask = Bits<BURSTS>;
/// Number of a burst.
pub type BurstIndex = Bits<BURST_INDEX>;
/// One bit a port of a CTA's threads.
pub type UserMask = Bits<USERS>;
/// Number of an entry of a `Fifo`.
pub type FifoIndex = Bits<{ Symbol::FifoIndex.code() }>;
/// Count of such entries.
pub type FifoCount = Bits<FIFO_COUNT>;

/// The guide's example is compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/hdl.md")]
struct Guide;
