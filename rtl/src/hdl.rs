//! What the blocks are written in: [`txbar_hdl`], with what is this design's own. Its widths and the types of them, how many
//! of a kind there can be, what waves show of values, and the constants and codes that kernels name.

use crate::board::protocol;
use crate::cluster::{messages, parameters};
use crate::counters;
use crate::deep::kind;
use crate::op::Op;
use crate::order::Order;
use crate::status::Status;
use crate::word;
pub use txbar_hdl::*;

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
    /// Time, in nanoseconds or fractions of them: a bit more than a limit has, so that a deadline can be told from what is past.
    Time, TIME, Time;
}

codes!(Op, Status);

/// What kernels name that is no part of a block; macros in the Verilog begin with `TXBAR`.
pub fn names() -> Names {
    let mut names = Names::new("TXBAR");
    names.codes::<Op>();
    names.codes::<Status>();
    names.numbers(numbers![Order::ACQUIRE, Order::RELEASE, Order::CLUSTER]);
    names.numbers(numbers![word::COUNT_BITS, word::TX_BITS, word::TX_SIGN]);
    for field in word::FIELDS {
        let name = field.name.to_uppercase();
        names.number(&format!("word::{name}.lsb"), field.lsb);
        names.number(&format!("word::{name}.bits"), field.bits);
    }
    names.numbers(numbers![parameters::RANK_LSB, parameters::ABOVE_LSB]);
    names.numbers(numbers![counters::WINDOW_BIT, counters::WINDOW_REST]);
    names.numbers(messages::NUMBERS);
    names.numbers(protocol::NUMBERS);
    names.numbers(kind::NUMBERS);
    names
}

/// A barrier word: waves show its fields too.
#[derive(Clone, Debug, Default)]
pub struct WordView;
impl ViewAs for WordView {
    const VIEW: View = View::Fields("word");
}
/// An opcode: waves show its name too.
pub type OpView = CodeView<Op>;
/// A status: waves show its name too.
pub type StatusView = CodeView<Status>;

/// How many request ports there can be.
pub const MOST_PORTS: usize = 8;
/// How many banks there can be.
pub const MOST_BANKS: usize = 32;
/// How many entries of one table there can be.
pub const MOST_ENTRIES: usize = 64;
/// How many lanes a warp can have.
pub const MOST_WARP_LANES: usize = 32;

/// Several of a kind: one a port, unless said otherwise.
pub type Lanes<T, const MOST: usize = MOST_PORTS> = txbar_hdl::Lanes<T, MOST>;
/// The same, one a bank.
pub type Banks<T> = Lanes<T, MOST_BANKS>;
/// The same, one a lane of a warp.
pub type WarpLanes<T> = Lanes<T, MOST_WARP_LANES>;

/// Block RAM: a bank's, unless said otherwise.
pub type BlockRam<T, V = PlainView, A = RowIndex> = txbar_hdl::BlockRam<T, A, V>;
/// A small memory that is read in the same cycle: a response queue's, unless said otherwise.
pub type LutRam<T, A = QueueIndex, V = PlainView> = txbar_hdl::LutRam<T, A, V>;
/// A small memory with registers at both ends.
pub type QueueRam<T, A = QueueIndex, V = PlainView> = txbar_hdl::QueueRam<T, A, V>;
/// Registers that are all seen at once: one an entry of a table of suspended waits.
pub type Shelf<T, V = PlainView> = txbar_hdl::Shelf<T, EntryMask, MOST_ENTRIES, V>;

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
