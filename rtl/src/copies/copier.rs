//! Copier: the copy engine of one CTA, for `cp.async` and for `cp.async.bulk` from global to shared memory.
//!
//! **What.** A bulk copy comes as a descriptor and leaves as bursts, none of which crosses a 128-byte boundary of the
//! global address. A `cp.async` copy is one narrow beat, and has its place in the [tracker](super::tracker). Up to
//! `bursts` of both are under way; their beats come back in any order, and each knows from its table entry where it lands.
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

/// Width of what the table says of a burst besides its addresses.
const SHAPE: usize = 18;

hardware! {
    /// Copier: the copy engine of one CTA, for cp.async and for bulk copies.
    pub module Copier = "copier" {
        /// A bulk copy from global to shared memory.
        pub bulk: BulkCopy<In>,

        /// A cp.async copy of a thread, or its arrival after its copies.
        pub r#async: AsyncCopy<In>,

        /// A burst is asked of the global memory.
        pub mem_req_valid: OutControlReg<Bit>,
        /// It is taken.
        pub mem_req_ready: Signal<In, Bit>,
        /// Its address: the first beat is the block of 32 (or 16) bytes that holds it.
        pub mem_req_address: OutReg<Bits<48>>,
        /// How many beats.
        pub mem_req_beats: OutReg<Bits<4>>,
        /// A beat is 16 bytes, on the lanes where it lies in its 32 bytes.
        pub mem_req_narrow: OutReg<Bit>,
        /// Number that its beats come back with.
        pub mem_req_id: OutReg<BurstIndex>,
        /// A beat comes from the global memory.
        pub mem_rsp_valid: Signal<In, Bit>,
        /// It is taken.
        pub mem_rsp_ready: Signal<Out, Bit>,
        /// Number of its burst.
        pub mem_rsp_id: Signal<In, BurstIndex>,
        /// Its 32 bytes.
        pub mem_rsp_data: Lanes<Signal<In, Word>> = Lanes::new(words),

        /// The CTA that the copier belongs to, one-hot.
        pub own: Signal<In, CtaMask>,
        /// A beat lands.
        pub beat_valid: OutControlReg<Bit>,
        /// It is taken.
        pub beat_ready: Signal<In, Bit>,
        /// The CTAs to whose memories it goes.
        pub beat_ctas: OutReg<CtaMask>,
        /// Address of its 32 bytes in each.
        pub beat_address: OutReg<Bits<24>>,
        /// Which of them are written.
        pub beat_strobe: OutReg<Bits<32>>,
        /// The 32 bytes.
        pub beat_data: Lanes<OutReg<Word>> = Lanes::new(words),
        /// With the last beat of a burst of a bulk copy: how many bytes it had. Else 0.
        pub beat_bytes: OutReg<Bits<8>>,
        /// Address of the barrier on which they are completed.
        pub beat_barrier: OutReg<Bits<24>>,

        /// An operation on a barrier is shown.
        pub op_valid: Signal<Out, Bit>,
        /// It is taken.
        pub op_ready: Signal<In, Bit>,
        /// The operation.
        pub op: Signal<Out, OpCode, OpView>,
        /// Address of the barrier.
        pub op_address: Signal<Out, Bits<24>>,
        /// A copy of each of these threads is complete, and all before it.
        pub done: Signal<Out, CopierMask>,
        /// Nothing is under way.
        pub idle: Signal<Out, Bit>,

        /// Number of entries of the table.
        pub bursts: usize = bursts,
        /// A mask of all of them.
        pub all_bursts: usize = (1 << bursts) - 1,
        /// Size of the shared memory in bytes.
        pub window: usize = 1 << window_bits,
        /// Order of the copies of each thread.
        pub tracker: Tracker = Tracker::new(copiers, outstanding),

        /// There is a descriptor.
        pub active: ControlReg<Bit>,
        /// Where the rest of it is in global memory, in units of 16 bytes.
        pub from: Reg<Bits<44>>,
        /// Where the rest of it goes in shared memory, in units of 16 bytes.
        pub to: Reg<Bits<20>>,
        /// How many units the rest has.
        pub left: Reg<Bits<16>>,
        /// Its barrier.
        pub barrier: Reg<Bits<24>>,
        /// Its destinations.
        pub ctas: Reg<CtaMask>,
        /// A burst of it has been requested.
        pub begun: Reg<Bit>,

        /// There is a cp.async copy to be requested.
        pub copy: ControlReg<Bit>,
        /// Where it is in global memory, in units of 16 bytes.
        pub copy_from: Reg<Bits<44>>,
        /// Where it goes in shared memory, in units of 16 bytes.
        pub copy_to: Reg<Bits<20>>,
        /// The 32-bit words of the unit that it writes.
        pub copy_words: Reg<Bits<4>>,
        /// By how many 32-bit words it is turned.
        pub copy_turns: Reg<Bits<3>>,
        /// Its thread.
        pub copy_thread: Reg<CopierIndex>,
        /// Its number among those of its thread.
        pub copy_turn: Reg<Turn>,
        /// A copy is requested before a burst of the descriptor.
        pub prefer_copy: ControlReg<Bit>,

        /// Entries of the table that are in use.
        pub used: ControlReg<BurstMask>,
        /// Those of them of which no beat has come.
        pub fresh: ControlReg<BurstMask>,
        /// Number of the beat that comes next, but for those.
        pub progress: LutRam<Bits<3>, BurstIndex> = LutRam::new(bursts),
        /// Where the lower half of a burst's first beat lands, in units of 16 bytes; of a cp.async copy, where it does.
        pub place: LutRam<Bits<20>, BurstIndex> = LutRam::new(bursts),
        /// A burst's copy bit (0), whether it begins in the upper half of a beat (1), whether it ends in the lower one (2),
        /// number of the last beat (5:3), turn (8:6), words that are written (12:9), units (16:13), whether another burst of its
        /// copy is before it (17).
        pub shape: LutRam<Bits<SHAPE>, BurstIndex> = LutRam::new(bursts),
        /// Its barrier.
        pub burst_barrier: LutRam<Bits<24>, BurstIndex> = LutRam::new(bursts),
        /// Its destinations.
        pub burst_ctas: LutRam<CtaMask, BurstIndex> = LutRam::new(bursts),
        /// A copy's thread.
        pub burst_thread: LutRam<CopierIndex, BurstIndex> = LutRam::new(bursts),
        /// Its number among those of its thread.
        pub burst_turn: LutRam<Turn, BurstIndex> = LutRam::new(bursts),
        /// Upper half of a burst's last beat.
        pub kept: Lanes<LutRam<Word, BurstIndex>> = Lanes::of(2, || LutRam::new(bursts)),

        /// A half of a block is left over.
        pub rest: ControlReg<Bit>,
        /// The block, of which it is the lower half.
        pub rest_block: Reg<Bits<19>>,
        /// Its words.
        pub rest_data: Lanes<Reg<Word>> = Lanes::new(2),
        /// Bytes that are complete with it.
        pub rest_bytes: Reg<Bits<8>>,
        /// Their barrier.
        pub rest_barrier: Reg<Bits<24>>,
        /// Its destinations.
        pub rest_ctas: Reg<CtaMask>,

        /// The beat that lands is a copy.
        pub beat_copy: Reg<Bit>,
        /// Its thread.
        pub beat_thread: Reg<CopierIndex>,
        /// Its number among those of its thread.
        pub beat_turn: Reg<Turn>,

        /// Address after the last byte of the bulk copy that is offered.
        pub bulk_end: Signal<Local, Bits<33>>,
        /// What must be zero if it is aligned.
        pub bulk_low: Signal<Local, Bits<4>>,
        /// It is neither refused nor empty.
        pub bulk_good: Signal<Local, Bit>,
        /// Address bits that must be zero in the copy that is offered.
        pub async_mask: Signal<Local, Bits<4>>,
        /// The lowest bits of its addresses.
        pub async_low: Signal<Local, Bits<4>>,
        /// It has a size that there is.
        pub async_sized: Signal<Local, Bit>,
        /// It is not refused.
        pub async_good: Signal<Local, Bit>,
        /// The 32-bit words of the unit that it writes.
        pub async_words: Signal<Local, Bits<4>>,

        /// Another request can be shown.
        pub asks: Signal<Local, Bit>,
        /// Entries of the table that are free.
        pub free: Signal<Local, BurstMask>,
        /// The entry that is filled, one-hot.
        pub chosen: Signal<Local, BurstMask>,
        /// Its number.
        pub chosen_id: Signal<Local, BurstIndex>,
        /// It is filled with the copy.
        pub takes_copy: Signal<Local, Bit>,
        /// It is filled with a burst of the descriptor.
        pub takes_bulk: Signal<Local, Bit>,
        /// Units of that burst.
        pub units: Signal<Local, Bits<4>>,
        /// The same, and one for the half of the first block that it leaves out.
        pub span: Signal<Local, Bits<4>>,
        /// It begins in the upper half of its first beat, in one bit.
        pub half: Signal<Local, Bits<1>>,
        /// Its beats.
        pub beats: Signal<Local, Bits<4>>,
        /// Number of its last beat.
        pub last_beat: Signal<Local, Bits<3>>,
        /// It is the descriptor's last.
        pub ends: Signal<Local, Bit>,
        /// A descriptor is taken.
        pub starts: Signal<Local, Bit>,
        /// A copy is taken.
        pub copies: Signal<Local, Bit>,
        /// A copy can be taken.
        pub copy_room: Signal<Local, Bit>,

        /// Number of the burst that a beat comes for.
        pub answer: Signal<Local, BurstIndex>,
        /// The same, one-hot.
        pub answered: Signal<Local, BurstMask>,
        /// A beat is put into the register.
        pub comes: Signal<Local, Bit>,
        /// Its number within its burst.
        pub number: Signal<Local, Bits<3>>,
        /// It is the last of its burst.
        pub is_last: Signal<Local, Bit>,
        /// What the table says of its burst.
        pub form: Signal<Local, Bits<SHAPE>>,
        /// By how many 32-bit words it is turned.
        pub turns: Signal<Local, Bits<3>>,
        /// It is a cp.async copy.
        pub is_copy: Signal<Local, Bit>,
        /// Where its burst lands, in units of 16 bytes.
        pub base: Signal<Local, Bits<20>>,
        /// Its halves fall into the other halves of blocks.
        pub crossed: Signal<Local, Bit>,
        /// Its lower half is of the burst.
        pub has_lower: Signal<Local, Bit>,
        /// Its upper half is.
        pub has_upper: Signal<Local, Bit>,
        /// A block lands with it.
        pub lands: Signal<Local, Bit>,
        /// A half is left over.
        pub leaves: Signal<Local, Bit>,
        /// What is left over lands with it.
        pub joins: Signal<Local, Bit>,
        /// Bytes that its burst completes.
        pub completes: Signal<Local, Bits<8>>,
        /// The register of beats can be filled.
        pub room: Signal<Local, Bit>,
        /// Where the beat lands, in blocks of 32 bytes.
        pub block: Signal<Local, Bits<19>>,
        /// The lower half of the block is written.
        pub lower: Signal<Local, Bit>,
        /// The upper half is.
        pub upper: Signal<Local, Bit>,
        /// 32-bit words of a unit that are written.
        pub written: Signal<Local, Bits<4>>,
        /// Which bytes are written.
        pub strobe: Signal<Local, Bits<32>>,
        /// The data, turned by 16 bytes if need be.
        pub turned_4: Lanes<Signal<Local, Word>> = Lanes::new(words),
        /// And by 8 bytes.
        pub turned_2: Lanes<Signal<Local, Word>> = Lanes::new(words),
        /// And by 4 bytes.
        pub turned_1: Lanes<Signal<Local, Word>> = Lanes::new(words),
        /// Entries of the table that are given back.
        pub freed: Signal<Local, BurstMask>,
    }
    constants {
        /// A copy.
        COPY: Bits<2> = Kind::Copy.constant();
        /// The largest kind that there is.
        LAST_KIND: Bits<2> = Kind::ArriveNoinc.constant();
        /// The turn that swaps the halves of a block.
        HALF_TURN: Bits<3> = Bits::constant(4);
        /// Strobes of the lower half of a block.
        LOWER: Bits<32> = Bits::constant(0xffff);
    }
    processes { Show, Judge, Find, Turned, Place, Land, Keep, Choose, Table, Offer, Accept }
    /// A copier with up to `bursts` bursts under way (1 to 16), for a shared memory of 2^`window_bits` bytes (at most 2^19);
    /// `copiers` and `outstanding` are the tracker's.
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
    /// The thread whose arrival is shown as an operation, if it is one that waited for copies; for those who look into a
    /// design.
    pub fn arriving(&self) -> Option<usize> {
        let shown = self.tracker.shown.q.val().raw();
        (shown != 0).then(|| shown.trailing_zeros() as usize)
    }
}
