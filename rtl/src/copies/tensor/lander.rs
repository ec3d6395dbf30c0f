//! Lander: bursts under way, and what becomes of their beats on the way into shared memory.
//!
//! **What.** Each burst has an entry in a table, by whose number its beats come back: those of a burst in order, bursts in any order. A
//! beat is two pieces of 16 bytes. It is rounded to tf32 if the map says so, what of it lies behind the tensor is replaced by the fill,
//! and it is put right for the two pieces of a block of shared memory. Pieces that are outside as a whole come from the filler, a
//! block a cycle, when no beat comes.
//!
//! ```text
//!                                            kept (the upper piece, of each burst)
//!                                              │
//!   mem_rsp ─► round ─► cut ─┬─ lower ─────────┼──► one of the two or both ──► swizzle ──► beat
//!                            └─ upper ─► kept ─┘                        ▲
//!                                                        rest, filler ──┘
//! ```
//! **Why this shape.** Sources and destinations are pieces of 16 bytes, but blocks have two, and where a burst begins in its first block
//! may differ between the memories. If it does, a block takes the upper piece of the last beat, which was kept, and the lower one of
//! this; a last piece that is left over, the rest, joins the first beat of the next burst of its row, if that comes next, and else
//! follows alone: at once, or while a first beat like `a` comes. So a beat comes every cycle either way.
//!
//! ```text
//!   global     |. a|b c|d e|f g|h .|     beats             a     bc    de    fg    h       128-byte boundary between g and h
//!   shared     |a b|c d|e f|g h|         blocks                  ab    cd    ef    gh      g was the rest
//! ```
//! A row takes as many cycles as it touches blocks of 32 bytes of global memory: one of 64 bytes that begins in the middle of such a block three, in
//! place of two.
//!
//! The swizzle exchanges the pieces within 128 bytes by bits of the address: a block goes to a block, and its two pieces may change
//! places.
//!
//! **Timing.** `mem_req_*` and `beat_*` are registers, each refilled in the cycle in which it is taken. `mem_rsp_ready` depends on
//! `beat_ready` and, while a rest waits, on the beat that is there.

mod answer;
mod land;
mod request;

use super::bursts::PLACE_BITS;
use super::fields::PIECE_ADDRESS;
use super::origin::ROW_BITS;
use super::rounding::Rounding;
use crate::hardware;
use crate::hdl::*;
use crate::word::address::{BEAT_WORDS, OFFSET_BITS};

/// Width of what the table says of a burst besides its place: the copy's style, pieces, bytes of the last one, the first
/// beat's half, number of the last beat, whether it follows another of its row.
const FORM: usize = 16;
/// Width of a copy's style: swizzle, fill, rounding.
const STYLE: usize = 4;
/// Width of the number of a block in shared memory.
const BLOCK_BITS: usize = PLACE_BITS - 1;
/// Width of the number of a piece in a burst, counted from 2.
const PIECE_BITS: usize = 5;

hardware! {
    /// Lander: beats of tensor copies on their way into shared memory.
    pub module Lander = "tensor_lander" {
        /// A copy begins: what follows is of its bursts and fills from the next cycle on.
        pub load: Signal<In, Bit>,
        /// Swizzle.
        pub swizzle: Signal<In, Bits<2>>,
        /// What lies outside is filled with NaN.
        pub fill: Signal<In, Bit>,
        /// It is rounded to tf32.
        pub rounds: Signal<In, Bit>,
        /// Address of the barrier.
        pub barrier: Signal<In, Bits<OFFSET_BITS>>,
        /// The CTAs that it goes to.
        pub ctas: Signal<In, CtaMask>,

        /// A burst can be taken.
        pub burst_ready: Signal<Out, Bit>,
        /// One is.
        pub burst_valid: Signal<In, Bit>,
        /// Its address in pieces.
        pub burst_from: Signal<In, Bits<PIECE_ADDRESS>>,
        /// Where it goes, in pieces.
        pub burst_to: Signal<In, Bits<PLACE_BITS>>,
        /// How many pieces: 1 to 8.
        pub burst_count: Signal<In, Bits<4>>,
        /// Bytes of its last piece, if not all.
        pub burst_tail: Signal<In, Bits<4>>,
        /// Another part of its row is before it.
        pub burst_follows: Signal<In, Bit>,
        /// Pieces can be filled.
        pub fill_ready: Signal<Out, Bit>,
        /// Some are to be, from `burst_to` on.
        pub fill_valid: Signal<In, Bit>,
        /// How many.
        pub fill_count: Signal<In, Bits<ROW_BITS>>,

        /// A burst is asked of the global memory.
        pub mem_req_valid: OutControlReg<Bit>,
        /// It is taken.
        pub mem_req_taken: Signal<In, Bit>,
        /// Its address in pieces.
        pub mem_req_from: OutReg<Bits<PIECE_ADDRESS>>,
        /// How many beats of 32 bytes.
        pub mem_req_beats: OutReg<Bits<4>>,
        /// Its number.
        pub mem_req_id: OutReg<TensorIndex>,
        /// A beat comes.
        pub mem_rsp_valid: Signal<In, Bit>,
        /// It is taken.
        pub mem_rsp_ready: Signal<Out, Bit>,
        /// Number of its burst.
        pub mem_rsp_id: Signal<In, TensorIndex>,
        /// Its words.
        pub mem_rsp_data: Lanes<Signal<In, Word>> = Lanes::new(BEAT_WORDS),

        /// A block lands.
        pub beat_valid: OutControlReg<Bit>,
        /// It is taken.
        pub beat_ready: Signal<In, Bit>,
        /// The CTAs to whose memories it goes.
        pub beat_ctas: OutReg<CtaMask>,
        /// Address of its 32 bytes in each.
        pub beat_address: OutReg<Bits<OFFSET_BITS>>,
        /// Which of them are written.
        pub beat_strobe: OutReg<Bits<32>>,
        /// The 32 bytes.
        pub beat_data: Lanes<OutReg<Word>> = Lanes::new(BEAT_WORDS),
        /// Bytes that are complete with it.
        pub beat_bytes: OutReg<Bits<8>>,
        /// Address of the barrier on which they are completed.
        pub beat_barrier: OutReg<Bits<OFFSET_BITS>>,
        /// Nothing is under way.
        pub idle: Signal<Out, Bit>,

        /// Words of a beat.
        pub words: usize = BEAT_WORDS,
        /// Entries of the table.
        pub entries: usize = bursts,
        /// A mask of all of them.
        pub all_entries: usize = (1 << bursts) - 1,
        /// What rounds each word.
        pub rounding: Lanes<Rounding> = Lanes::of(BEAT_WORDS, Rounding::new),

        /// Style of the copy that is cut: swizzle (1:0), fill (2), rounding (3).
        pub style: Reg<Bits<STYLE>>,
        /// Its barrier.
        pub barrier_of: Reg<Bits<OFFSET_BITS>>,
        /// Its destinations.
        pub ctas_of: Reg<CtaMask>,
        /// Entries that are in use.
        pub used: ControlReg<TensorBurstMask>,
        /// Those of them of which no beat has come.
        pub fresh: ControlReg<TensorBurstMask>,
        /// Number of the beat that comes next, but for those.
        pub progress: LutRam<Bits<2>, TensorIndex> = LutRam::new(places),
        /// Where the lower half of the first beat goes, in pieces.
        pub place: LutRam<Bits<PLACE_BITS>, TensorIndex> = LutRam::new(places),
        /// Style (3:0), pieces (7:4), bytes of the last one (11:8), whether it begins in the upper half of a beat (12), number of
        /// its last beat (14:13), whether another part of its row is before it (15).
        pub form: LutRam<Bits<FORM>, TensorIndex> = LutRam::new(places),
        /// Its barrier.
        pub burst_barrier: LutRam<Bits<OFFSET_BITS>, TensorIndex> = LutRam::new(places),
        /// Its destinations.
        pub burst_ctas: LutRam<CtaMask, TensorIndex> = LutRam::new(places),
        /// Upper piece of its last beat.
        pub kept: Lanes<LutRam<Word, TensorIndex>> = Lanes::of(2, || LutRam::new(places)),

        /// A piece is left over.
        pub rest: ControlReg<Bit>,
        /// Its block.
        pub rest_block: Reg<Bits<BLOCK_BITS>>,
        /// Its words.
        pub rest_data: Lanes<Reg<Word>> = Lanes::new(2),
        /// Style of its copy.
        pub rest_style: Reg<Bits<STYLE>>,
        /// Bytes that are complete with it.
        pub rest_bytes: Reg<Bits<8>>,
        /// Their barrier.
        pub rest_barrier: Reg<Bits<OFFSET_BITS>>,
        /// Its destinations.
        pub rest_ctas: Reg<CtaMask>,

        /// Pieces to be filled.
        pub fill_left: ControlReg<Bits<ROW_BITS>>,
        /// Where.
        pub fill_place: Reg<Bits<PLACE_BITS>>,
        /// Style of their copy.
        pub fill_style: Reg<Bits<STYLE>>,
        /// Its barrier.
        pub fill_barrier: Reg<Bits<OFFSET_BITS>>,
        /// Its destinations.
        pub fill_ctas: Reg<CtaMask>,

        /// Entries that are free.
        pub free: Signal<Local, TensorBurstMask>,
        /// The entry that is filled, one-hot.
        pub chosen: Signal<Local, TensorBurstMask>,
        /// Its number.
        pub chosen_id: Signal<Local, TensorIndex>,
        /// A burst begins in the upper half of its first beat, in one bit.
        pub half: Signal<Local, Bits<1>>,
        /// Pieces from the start of the first beat.
        pub span: Signal<Local, Bits<4>>,
        /// Beats.
        pub beats: Signal<Local, Bits<4>>,
        /// Number of the last.
        pub last_beat: Signal<Local, Bits<4>>,

        /// Number of the burst that a beat comes for.
        pub answer: Signal<Local, TensorIndex>,
        /// The same, one-hot.
        pub answered: Signal<Local, TensorBurstMask>,
        /// Number of the beat.
        pub number: Signal<Local, Bits<2>>,
        /// It is the last of its burst.
        pub is_last: Signal<Local, Bit>,
        /// What the table says of the burst.
        pub shape: Signal<Local, Bits<FORM>>,
        /// Where it goes.
        pub base: Signal<Local, Bits<PLACE_BITS>>,
        /// Its pieces fall into the other halves of blocks.
        pub crossed: Signal<Local, Bit>,
        /// Pieces of the burst, and one.
        pub last_piece: Signal<Local, Bits<PIECE_BITS>>,
        /// Number of the beat's lower piece, counted from 2.
        pub lower_piece: Signal<Local, Bits<PIECE_BITS>>,
        /// And of the upper one.
        pub upper_piece: Signal<Local, Bits<PIECE_BITS>>,
        /// And of the one that was kept.
        pub kept_piece: Signal<Local, Bits<PIECE_BITS>>,
        /// They are of the burst.
        pub has_lower: Signal<Local, Bit>,
        /// They are of the burst.
        pub has_upper: Signal<Local, Bit>,
        /// They are of the burst.
        pub has_kept: Signal<Local, Bit>,
        /// Bytes of the last piece, if not all.
        pub tail: Signal<Local, Bits<4>>,
        /// Bytes of the lower and of the upper word of a piece that is cut, that are replaced.
        pub cut: Lanes<Signal<Local, Word>> = Lanes::new(2),
        /// What they are replaced by.
        pub filling: Signal<Local, Word>,
        /// The words of the beat, rounded and cut.
        pub words_cut: Lanes<Signal<Local, Word>> = Lanes::new(BEAT_WORDS),
        /// Something of it lands.
        pub lands: Signal<Local, Bit>,
        /// A piece is left over.
        pub leaves: Signal<Local, Bit>,
        /// What is left over is of the beat's block.
        pub joins: Signal<Local, Bit>,
        /// It lands with it.
        pub joined: Signal<Local, Bit>,
        /// Bytes that the burst completes.
        pub completes: Signal<Local, Bits<8>>,
        /// The register of blocks can be filled.
        pub room: Signal<Local, Bit>,
        /// A beat comes.
        pub comes: Signal<Local, Bit>,
        /// The filler fills a block.
        pub fills: Signal<Local, Bit>,
        /// Pieces that it fills.
        pub filled: Signal<Local, Bits<ROW_BITS>>,

        /// What lands: its block before the swizzle.
        pub block: Signal<Local, Bits<BLOCK_BITS>>,
        /// Its lower piece is written.
        pub lower: Signal<Local, Bit>,
        /// Its upper piece is.
        pub upper: Signal<Local, Bit>,
        /// Its words.
        pub data: Lanes<Signal<Local, Word>> = Lanes::new(BEAT_WORDS),
        /// Style of its copy.
        pub look: Signal<Local, Bits<STYLE>>,
        /// What the swizzle turns over.
        pub turn: Signal<Local, Bits<3>>,
        /// The block that it goes to.
        pub swizzled: Signal<Local, Bits<BLOCK_BITS>>,
        /// The lower piece of that block is written.
        pub low: Signal<Local, Bit>,
        /// Its upper piece is.
        pub high: Signal<Local, Bit>,
        /// Entries that are given back.
        pub freed: Signal<Local, TensorBurstMask>,
    }
    constants {
        /// NaN, in every 16 bits.
        NANS: Word = Bits::constant(0x7ff7_7ff7_7ff7_7ff7);
        /// Strobes of the lower piece.
        LOWER: Bits<32> = Bits::constant(0xffff);
        /// Strobes of the upper piece.
        UPPER: Bits<32> = Bits::constant(0xffff_0000);
    }
    processes { Offer, Find, Feed, Cut, Choose, Store, Land, Swizzle, Keep }
    /// A lander with up to `bursts` bursts under way: 1 to 16.
    built by pub fn new(bursts: usize) {
        // a number more than there are bursts: that of the reader of maps; and a place for every number that a beat may come with
        let places = (bursts + 1).next_power_of_two();
    }
}
