//! What the blocks are written in: [`txbar_hdl`], with what is this design's own: its widths and the types of them, how many
//! of a kind there can be, and what waves show of values.

use crate::word;
use crate::word::op::Op;
use crate::word::ordering::Order;
use crate::word::status::Status;
pub use crate::word::symbols::*;
pub use txbar_hdl::*;

codes!(Op, Status);

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
