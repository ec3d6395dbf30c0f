//! The HDL of the blocks: [`txbar_hdl`], with this design's widths and their types, maximum numbers of instances, and views of values in
//! waves.

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

/// Maximum number of request ports.
pub const MOST_PORTS: usize = 8;
/// Maximum number of banks.
pub const MOST_BANKS: usize = 32;
/// Maximum number of entries of a table.
pub const MOST_ENTRIES: usize = 64;
/// Maximum number of lanes of a warp.
pub const MOST_WARP_LANES: usize = 32;

/// Array of signals or blocks: one per port, unless said otherwise.
pub type Lanes<T, const MOST: usize = MOST_PORTS> = txbar_hdl::Lanes<T, MOST>;
/// Array with one element per bank.
pub type Banks<T> = Lanes<T, MOST_BANKS>;
/// Array with one element per lane of a warp.
pub type WarpLanes<T> = Lanes<T, MOST_WARP_LANES>;

/// Block RAM: a bank's, unless said otherwise.
pub type BlockRam<T, V = PlainView, A = RowIndex> = txbar_hdl::BlockRam<T, A, V>;
/// Memory with asynchronous read: a response queue's, unless said otherwise.
pub type LutRam<T, A = QueueIndex, V = PlainView> = txbar_hdl::LutRam<T, A, V>;
/// Memory with registers at both ends.
pub type QueueRam<T, A = QueueIndex, V = PlainView> = txbar_hdl::QueueRam<T, A, V>;
/// Register file read in parallel: one register per entry of a table of suspended waits.
pub type Shelf<T, V = PlainView> = txbar_hdl::Shelf<T, EntryMask, MOST_ENTRIES, V>;

/// 64-bit word.
pub type Word = Bits<64>;
/// Arrival count field of the word, or an addend to it.
pub type Count = Bits<{ word::COUNT_BITS }>;
/// Tx-count field of the word, or an addend to it.
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
