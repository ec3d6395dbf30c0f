//! Copier: the copy engine of one CTA, for `cp.async` and for `cp.async.bulk` from global to shared memory.
//!
//! **What.** Accepts a bulk copy as a descriptor and splits it into bursts, none of which crosses a 128-byte boundary of the global
//! address. A `cp.async` copy is one narrow beat, and has an entry in the [tracker](super::tracker). Up to `bursts` of both are in flight;
//! their beats return in any order, and the table entry of each holds its destination.
//!
//! ```text
//!   bulk ──► judge ──► descriptor ─┐ in turn                         ┌─► beat ──► shared memory of each CTA of the mask
//!                                  ├────────► mem_req ··· mem_rsp ──► turn words
//!   async ─► judge ─┬► copy ───────┘             │           │       └─► landed (when a copy's beat is taken)
//!                   │                          write       read             │
//!                   │                        [ table of bursts ]            ▼
//!                   └───────────────────────────────────────────────► [ tracker ] ──► op
//! ```
//! **Why this shape.** A beat is put right by one rotation, whatever it belongs to: by (destination - source) / 4 words of
//! 32 bits within a block of 32 bytes. It is 0 for a bulk copy whose addresses agree modulo 32, 4, which swaps the halves,
//! for one whose addresses do not, and anything for a `cp.async`. The rotation and the bytes that are written are found once,
//! when the burst is requested or accepted, and kept in the table.
//!
//! Where the halves are swapped, a block takes one of the last beat, which was kept, and one of this. What is left over of a burst
//! joins the first beat of the next one of its copy, if that comes next, and else goes alone in the first cycle in which no other
//! block does. So a beat comes every cycle either way.
//!
//! ```text
//!   global   |a b|c d|e f|g h|   boundary   |i j|k l|        units of 16 bytes, two a beat
//!   shared   |. a|b c|d e|f g|h i|j k|l .|
//!   beats     ab  cd  ef  gh  ij  kl
//!   blocks    .a  bc  de  fg  hi  jk  l.                     h was left over, and joined i
//! ```
//! **Timing.** With an ideal memory one request a cycle goes out and one beat a cycle lands: 32 bytes a cycle.
//!
//! ```text
//!   cycle       0        1        2          3        ...  n        n+1      n+2
//!   bulk        accept
//!   (active)             yes      yes                                        the next one is accepted with the last burst
//!   mem_req                       burst 0    burst 1
//!   mem_rsp                                                beat 0   beat 1
//!   beat                                                            beat 0   beat 1
//! ```
//! `mem_req_*`, `beat_*` and `op_*` are registers, each refilled in the cycle in which it is taken; so `mem_rsp_ready`
//! depends on `beat_ready`, and `bulk_ready` and `async_ready` on `mem_req_ready`. A table entry is free again when its
//! last beat has been put into the beat register.
//!
//! Drawn from a run: `waves/gallery/blocks/bulk_copy.svg`.

mod accept;
mod land;
mod request;
#[cfg(test)]
mod tests;

use super::channels::{AsyncCopy, BulkCopy};
use super::tracker::{Kind, Tracker};
use crate::hardware;
use crate::hdl::*;

/// Width of a table entry without its addresses.
const SHAPE: usize = 18;

hardware! {
    /// Copier: the copy engine of one CTA, for cp.async and for bulk copies.
    pub module Copier = "copier" {
        /// Bulk copy from global to shared memory.
        pub bulk: BulkCopy<In>,

        /// `cp.async` copy of a thread, or its arrival after its copies.
        pub r#async: AsyncCopy<In>,

        /// Read burst of global memory valid.
        pub mem_req_valid: OutControlReg<Bit>,
        /// Burst accepted.
        pub mem_req_ready: Signal<In, Bit>,
        /// Address: the first beat is the block of 32 (or 16) bytes that holds it.
        pub mem_req_address: OutReg<Bits<48>>,
        /// Number of beats.
        pub mem_req_beats: OutReg<Bits<4>>,
        /// Beats of 16 bytes, on their lanes of the 32 bytes.
        pub mem_req_narrow: OutReg<Bit>,
        /// Number of the burst, returned with its beats.
        pub mem_req_id: OutReg<BurstIndex>,
        /// Beat of a read burst valid.
        pub mem_rsp_valid: Signal<In, Bit>,
        /// Beat accepted.
        pub mem_rsp_ready: Signal<Out, Bit>,
        /// Number of the burst.
        pub mem_rsp_id: Signal<In, BurstIndex>,
        /// Data, 32 bytes.
        pub mem_rsp_data: Lanes<Signal<In, Word>> = Lanes::new(words),

        /// The copier's own CTA, one-hot.
        pub own: Signal<In, CtaMask>,
        /// Beat to shared memory valid.
        pub beat_valid: OutControlReg<Bit>,
        /// Beat accepted.
        pub beat_ready: Signal<In, Bit>,
        /// Destination CTAs.
        pub beat_ctas: OutReg<CtaMask>,
        /// Address of the 32 bytes in each destination.
        pub beat_address: OutReg<Bits<24>>,
        /// Byte enables.
        pub beat_strobe: OutReg<Bits<32>>,
        /// Data, 32 bytes.
        pub beat_data: Lanes<OutReg<Word>> = Lanes::new(words),
        /// Number of bytes of a bulk copy's burst, with its last beat; otherwise 0.
        pub beat_bytes: OutReg<Bits<8>>,
        /// Address of the barrier on which those bytes complete.
        pub beat_barrier: OutReg<Bits<24>>,

        /// Operation on a barrier valid.
        pub op_valid: Signal<Out, Bit>,
        /// Operation accepted.
        pub op_ready: Signal<In, Bit>,
        /// Opcode of the operation.
        pub op: Signal<Out, OpCode, OpView>,
        /// Address of the barrier.
        pub op_address: Signal<Out, Bits<24>>,
        /// Threads of which a copy is complete, with all copies before it.
        pub done: Signal<Out, CopierMask>,
        /// No copy is in flight.
        pub idle: Signal<Out, Bit>,

        /// Number of entries of the table.
        pub bursts: usize = bursts,
        /// Mask of all entries.
        pub all_bursts: usize = (1 << bursts) - 1,
        /// Size of the shared memory in bytes.
        pub window: usize = 1 << window_bits,
        /// Order of the copies of each thread.
        pub tracker: Tracker = Tracker::new(copiers, outstanding),

        /// Descriptor valid.
        pub active: ControlReg<Bit>,
        /// Global address of the rest, in units of 16 bytes.
        pub from: Reg<Bits<44>>,
        /// Shared address of the rest, in units of 16 bytes.
        pub to: Reg<Bits<20>>,
        /// Length of the rest, in units of 16 bytes.
        pub left: Reg<Bits<16>>,
        /// Barrier of the descriptor.
        pub barrier: Reg<Bits<24>>,
        /// Destination CTAs of the descriptor.
        pub ctas: Reg<CtaMask>,
        /// A burst of the descriptor has been requested.
        pub begun: Reg<Bit>,

        /// `cp.async` copy to request valid.
        pub copy: ControlReg<Bit>,
        /// Global address of the copy, in units of 16 bytes.
        pub copy_from: Reg<Bits<44>>,
        /// Shared address of the copy, in units of 16 bytes.
        pub copy_to: Reg<Bits<20>>,
        /// 32-bit words of the unit to write.
        pub copy_words: Reg<Bits<4>>,
        /// Rotation in 32-bit words.
        pub copy_turns: Reg<Bits<3>>,
        /// Thread of the copy.
        pub copy_thread: Reg<CopierIndex>,
        /// Number of the copy among those of its thread.
        pub copy_turn: Reg<Turn>,
        /// Copies have priority over bursts of the descriptor.
        pub prefer_copy: ControlReg<Bit>,

        /// Entries of the table that are in use.
        pub used: ControlReg<BurstMask>,
        /// Entries in use without a beat yet.
        pub fresh: ControlReg<BurstMask>,
        /// Number of the next beat, except for those.
        pub progress: LutRam<Bits<3>, BurstIndex> = LutRam::new(bursts),
        /// Shared address of the lower half of a burst's first beat, or of a `cp.async` copy, in units of 16 bytes.
        pub place: LutRam<Bits<20>, BurstIndex> = LutRam::new(bursts),
        /// `cp.async` flag (0), begins in the upper half of a beat (1), ends in the lower half (2), number of the last beat (5:3), rotation
        /// (8:6), words to write (12:9), units (16:13), preceded by another burst of the same copy (17).
        pub shape: LutRam<Bits<SHAPE>, BurstIndex> = LutRam::new(bursts),
        /// Barrier of a burst.
        pub burst_barrier: LutRam<Bits<24>, BurstIndex> = LutRam::new(bursts),
        /// Destination CTAs of a burst.
        pub burst_ctas: LutRam<CtaMask, BurstIndex> = LutRam::new(bursts),
        /// Thread of a `cp.async` copy.
        pub burst_thread: LutRam<CopierIndex, BurstIndex> = LutRam::new(bursts),
        /// Number of a `cp.async` copy among those of its thread.
        pub burst_turn: LutRam<Turn, BurstIndex> = LutRam::new(bursts),
        /// Upper half of a burst's last beat.
        pub kept: Lanes<LutRam<Word, BurstIndex>> = Lanes::of(2, || LutRam::new(bursts)),

        /// A half of a block is left over.
        pub rest: ControlReg<Bit>,
        /// Block that the half belongs to, as its lower half.
        pub rest_block: Reg<Bits<19>>,
        /// Words of the half.
        pub rest_data: Lanes<Reg<Word>> = Lanes::new(2),
        /// Bytes that complete with the half.
        pub rest_bytes: Reg<Bits<8>>,
        /// Barrier of those bytes.
        pub rest_barrier: Reg<Bits<24>>,
        /// Destination CTAs of the half.
        pub rest_ctas: Reg<CtaMask>,

        /// The beat at the output is a `cp.async` copy.
        pub beat_copy: Reg<Bit>,
        /// Thread of that copy.
        pub beat_thread: Reg<CopierIndex>,
        /// Number of that copy among those of its thread.
        pub beat_turn: Reg<Turn>,

        /// End address of the offered bulk copy.
        pub bulk_end: Signal<Local, Bits<33>>,
        /// OR of the low address and length bits: zero if aligned.
        pub bulk_low: Signal<Local, Bits<4>>,
        /// The bulk copy is neither refused nor empty.
        pub bulk_good: Signal<Local, Bit>,
        /// Mask of the address bits that must be zero in the offered `cp.async` copy.
        pub async_mask: Signal<Local, Bits<4>>,
        /// Low bits of its addresses, ORed.
        pub async_low: Signal<Local, Bits<4>>,
        /// Its size is valid.
        pub async_sized: Signal<Local, Bit>,
        /// The copy is not refused.
        pub async_good: Signal<Local, Bit>,
        /// 32-bit words of the unit to write.
        pub async_words: Signal<Local, Bits<4>>,

        /// The request register can load.
        pub asks: Signal<Local, Bit>,
        /// Free table entries.
        pub free: Signal<Local, BurstMask>,
        /// Entry allocated, one-hot.
        pub chosen: Signal<Local, BurstMask>,
        /// Index of that entry.
        pub chosen_id: Signal<Local, BurstIndex>,
        /// The entry is allocated to a `cp.async` copy.
        pub takes_copy: Signal<Local, Bit>,
        /// The entry is allocated to a burst of the descriptor.
        pub takes_bulk: Signal<Local, Bit>,
        /// Units of that burst.
        pub units: Signal<Local, Bits<4>>,
        /// Units of the burst, plus one if its first block begins in the upper half.
        pub span: Signal<Local, Bits<4>>,
        /// The burst begins in the upper half of its first beat, as one bit.
        pub half: Signal<Local, Bits<1>>,
        /// Beats of the burst.
        pub beats: Signal<Local, Bits<4>>,
        /// Number of the burst's last beat.
        pub last_beat: Signal<Local, Bits<3>>,
        /// The burst is the descriptor's last.
        pub ends: Signal<Local, Bit>,
        /// A descriptor is accepted.
        pub starts: Signal<Local, Bit>,
        /// A `cp.async` copy is accepted.
        pub copies: Signal<Local, Bit>,
        /// A `cp.async` copy can be accepted.
        pub copy_room: Signal<Local, Bit>,

        /// Burst number of the incoming beat.
        pub answer: Signal<Local, BurstIndex>,
        /// That burst, one-hot.
        pub answered: Signal<Local, BurstMask>,
        /// The incoming beat is accepted.
        pub comes: Signal<Local, Bit>,
        /// Number of the beat within its burst.
        pub number: Signal<Local, Bits<3>>,
        /// Last beat of its burst.
        pub is_last: Signal<Local, Bit>,
        /// Table entry of its burst.
        pub form: Signal<Local, Bits<SHAPE>>,
        /// Rotation in 32-bit words.
        pub turns: Signal<Local, Bits<3>>,
        /// The beat is that of a `cp.async` copy.
        pub is_copy: Signal<Local, Bit>,
        /// Shared address of its burst, in units of 16 bytes.
        pub base: Signal<Local, Bits<20>>,
        /// The halves of the beat fall into the other halves of blocks.
        pub crossed: Signal<Local, Bit>,
        /// The lower half of the beat belongs to the burst.
        pub has_lower: Signal<Local, Bit>,
        /// The upper half of the beat belongs to the burst.
        pub has_upper: Signal<Local, Bit>,
        /// A block is written with the beat.
        pub lands: Signal<Local, Bit>,
        /// A half is left over.
        pub leaves: Signal<Local, Bit>,
        /// The half left over is written with the beat.
        pub joins: Signal<Local, Bit>,
        /// Bytes completed by the burst.
        pub completes: Signal<Local, Bits<8>>,
        /// The output register can load.
        pub room: Signal<Local, Bit>,
        /// Shared address of the beat, in blocks of 32 bytes.
        pub block: Signal<Local, Bits<19>>,
        /// The lower half of the block is written.
        pub lower: Signal<Local, Bit>,
        /// The upper half of the block is written.
        pub upper: Signal<Local, Bit>,
        /// 32-bit words of a unit to write.
        pub written: Signal<Local, Bits<4>>,
        /// Byte enables.
        pub strobe: Signal<Local, Bits<32>>,
        /// Data after the rotation by 16 bytes.
        pub turned_4: Lanes<Signal<Local, Word>> = Lanes::new(words),
        /// Data after the rotation by 8 bytes.
        pub turned_2: Lanes<Signal<Local, Word>> = Lanes::new(words),
        /// Data after the rotation by 4 bytes.
        pub turned_1: Lanes<Signal<Local, Word>> = Lanes::new(words),
        /// Table entries released.
        pub freed: Signal<Local, BurstMask>,
    }
    constants {
        /// Code of a copy.
        COPY: Bits<2> = Kind::Copy.constant();
        /// Largest code in use.
        LAST_KIND: Bits<2> = Kind::ArriveNoinc.constant();
        /// Rotation that swaps the halves of a block.
        HALF_TURN: Bits<3> = Bits::constant(4);
        /// Byte enables of the lower half of a block.
        LOWER: Bits<32> = Bits::constant(0xffff);
    }
    processes { Show, Judge, Find, Turned, Place, Land, Keep, Choose, Table, Offer, Accept }
    /// A copier with up to `bursts` bursts in flight (1 to 16), for a shared memory of 2^`window_bits` bytes (at most 2^19); `copiers` and
    /// `outstanding` are the tracker's.
    built by pub fn new(copiers: usize, outstanding: usize, bursts: usize, window_bits: usize) {
        assert!((1..=16).contains(&bursts) && (5..=19).contains(&window_bits));
        let words = crate::word::address::BEAT_WORDS;
    }
}

#[processes]
impl Copier {
    fn show(&mut self) {
        connect!(self.* <<= self.tracker.*: op_valid, op, op_address, done);
        // every copy has an entry in a ring until it is done
        self.idle.next = self.tracker.idle.val()
            & !self.active.q.val()
            & !self.used.q.val().any()
            & !self.rest.q.val()
            & !self.beat_valid.q.val();
    }
}

impl Copier {
    /// Thread whose arrival is at the output as an operation, if it waited for copies; for testbenches.
    pub fn arriving(&self) -> Option<usize> {
        let shown = self.tracker.shown.q.val().raw();
        (shown != 0).then(|| shown.trailing_zeros() as usize)
    }
}
