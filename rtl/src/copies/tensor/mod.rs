//! Tensor: the engine of one CTA that copies boxes of tensors, as `cp.async.bulk.tensor` and `cp.reduce.async.bulk.tensor` do.
//!
//! **What.** An instruction names a tensor map in global memory, the coordinates of a box, and a place in shared memory. The
//! engine reads the map (or has it), checks that everything is within its limits, and copies the box of a tile of 1 to 5 dimensions.
//!
//! * A load fills what lies outside the tensor. Bytes are completed on a barrier as they land, those of what is filled too: all of the box.
//! * A store, or a reduction, writes nothing outside the tensor, but whole pieces of 16 bytes. Its parts go to the
//!   [`sender`](super::sender), in the bulk group of their thread. It reads only what is inside the tensor: a box that ends behind the shared
//!   memory is gone through twice, the first time to see whether that part does (not a box of 8 MiB or more, which is refused).
//!
//! The rules are those of [recordings](../../../../testbench/silicon/tensor/README.md) of an H200.
//!
//! ```text
//!            ┌──────────── made ready ────────────┐   ┌─────────────── under way ───────────────┐
//!   tensor ──► asked ──► maps ──► fields ──► origin ──► rows ──► cutter ──► lander ──► beat ──► shared memory of each CTA
//!                        │  ▲                  (a copy)          │ │  ▲          ▲
//!                        │  sizer                                │ │  └─ table   │
//!                        └─────────► mem_req ◄──────────────────┘ │           mem_rsp
//!                                                                  └──► outward ──► box ──► sender
//! ```
//! | file | block |
//! | --- | --- |
//! | [`maps`], [`sizer`] | reads maps and keeps four; measures each once, and finds limits that it breaks |
//! | [`fields`] | what the bits of a map mean |
//! | [`origin`] | first address and increments of a copy, what of a row is inside |
//! | [`rows`] | the address generator: row by row through the box |
//! | [`bursts`] | rows into bursts that cross no 128-byte boundary, and into fills |
//! | [`lander`] | bursts under way; beats put right for blocks of shared memory; fill, swizzle, tf32 |
//! | [`outward`] | bursts of stores on their way to the sender |
//! | [`operator`] | the reduction of an operation and of a map's elements |
//! | [`inlet`] | the engine beside the copier at global memory |
//! | [`verdict`] | what becomes of an instruction |
//! | `judge.rs` | the instruction that is made ready: what is wrong with it, when its copy begins |
//! | `wires.rs` | what the blocks hand to each other, and to the outside |
//!
//! **Timing.** With the map here and nothing under way:
//!
//! ```text
//!   cycle          0        1        ...   21       22       23        24        25
//!   tensor         accept
//!   (origin)                begins         done
//!   tensor_end                             ok
//!   rows                                            row 0    row 1
//!   mem_req                                                            burst 0   burst 1
//! ```
//! The next instruction is accepted with `tensor_end`, and is made ready while the copy before it runs; so copies follow one another
//! without a gap if they take longer than it takes to make them ready: 21 cycles, or 37 if a coordinate of the dimensions 1 to 4 does not fit
//! into 16 bits. A row of 16 to 128 bytes that crosses no 128-byte boundary takes one cycle here, and a beat of 32 bytes one to land or to leave.

pub mod bursts;
pub mod fields;
pub mod inlet;
mod judge;
pub mod lander;
pub mod maps;
pub mod operator;
pub mod origin;
pub mod outward;
pub mod rounding;
pub mod rows;
pub mod sizer;
pub mod verdict;
mod wires;

use super::reduction::{ACTION_BITS, ReductionCode};
use crate::hdl::*;
use crate::word::address::{BEAT_WORDS, OFFSET_BITS};
use crate::{bundle, hardware};
use bursts::{Cutter, PLACE_BITS};
use fields::{DIMENSIONS, MapFields, PIECE_ADDRESS};
use lander::Lander;
use maps::{MAP_ADDRESS, Maps};
use operator::Operator;
use origin::Origin;
use outward::Outward;
use rows::Rows;
use sizer::{PRODUCT_BITS, Sizer};
use verdict::{Verdict, VerdictCode};

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Act {
    /// `cp.async.bulk.tensor` from global to shared memory.
    Load = 0,
    /// `prefetch.tensormap`: the map is read.
    Prefetch = 1,
    /// `fence.proxy.tensormap`: the map is forgotten.
    Forget = 2,
    /// `cp.async.bulk.tensor` from shared to global memory; with an operation `cp.reduce.async.bulk.tensor`.
    Store = 3,
    /// `cp.async.bulk.prefetch.tensor`: map and coordinates are looked at, and nothing is copied.
    PrefetchBox = 4,
}

/// Width of an act.
pub const ACT_BITS: usize = 3;

impl Act {
    /// Every act, in the order of the codes.
    pub const ALL: [Act; 5] = [Act::Load, Act::Prefetch, Act::Forget, Act::Store, Act::PrefetchBox];

    /// The code on the wires.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The code as a constant of a kernel.
    const fn constant(self) -> Bits<ACT_BITS> {
        Bits::constant(self as u64)
    }
}

bundle! {
    /// A copy of a tile of a tensor, or something about a tensor map.
    pub bundle Tile {
        /// Tensor copy, or operation on a tensor map, valid.
        pub valid: Forth<Bit>,
        /// Operation accepted.
        pub ready: Back<Bit>,
        /// 0 loads a box of a tensor, 1 reads its map, 2 forgets the map, 3 stores a box, 4 checks map and coordinates.
        pub act: Forth<Bits<ACT_BITS>>,
        /// Address of the map in global memory, a multiple of 64.
        pub map: Forth<Bits<48>>,
        /// Coordinates of the box, innermost first; unused beyond the rank of the tensor.
        pub at: Forth<[Bits<32>; DIMENSIONS]>,
        /// Shared address of the box, a multiple of 128.
        pub shared: Forth<Bits<32>>,
        /// Load: address of the barrier on which the bytes complete.
        pub barrier: Forth<Bits<32>>,
        /// Load: destination CTAs; the own one if none is named.
        pub ctas: Forth<CtaMask>,
        /// Store: 0, or the operation of the reduction, as in bits 3:0 of a reduction.
        pub action: Forth<Bits<ACTION_BITS>>,
        /// Store: the thread whose bulk group has it.
        pub thread: Forth<CopierIndex>,
    }
}

bundle! {
    /// What became of a copy of a tile.
    pub bundle TileEnd {
        /// The oldest operation without a verdict gets one.
        pub valid: Forth<Bit>,
        /// 0: the operation is or will be done; else the violated rule: nothing is copied.
        pub verdict: Forth<VerdictCode>,
    }
}

bundle! {
    /// Copies of tiles of tensors, and what became of them.
    pub bundle Tiles {
        /// The copies.
        pub tensor: Forth<Tile<In>>,
        /// What became of them.
        pub tensor_end: Back<TileEnd<In>>,
    }
}

hardware! {
    /// Tensor: the engine of one CTA that copies boxes of tensors.
    pub module Tensor = "tensor" {
        /// What to copy.
        pub tile: Flat<Tile<In>>,
        /// What became of it.
        pub end: TileEnd<Out>,

        /// Beats are asked of the global memory, of 32 bytes each.
        pub mem_req_valid: Signal<Out, Bit>,
        /// They are taken.
        pub mem_req_ready: Signal<In, Bit>,
        /// Address of what is wanted of the first.
        pub mem_req_address: Signal<Out, Bits<48>>,
        /// How many.
        pub mem_req_beats: Signal<Out, Bits<4>>,
        /// Number that they come back with.
        pub mem_req_id: Signal<Out, TensorIndex>,
        /// A beat comes.
        pub mem_rsp_valid: Signal<In, Bit>,
        /// It is taken.
        pub mem_rsp_ready: Signal<Out, Bit>,
        /// Its number.
        pub mem_rsp_id: Signal<In, TensorIndex>,
        /// Its words.
        pub mem_rsp_data: Lanes<Signal<In, Word>> = Lanes::new(BEAT_WORDS),

        /// A block lands.
        pub beat_valid: Signal<Out, Bit>,
        /// It is taken.
        pub beat_ready: Signal<In, Bit>,
        /// The CTAs to whose memories it goes.
        pub beat_ctas: Signal<Out, CtaMask>,
        /// Address of its 32 bytes in each.
        pub beat_address: Signal<Out, Bits<OFFSET_BITS>>,
        /// Which of them are written.
        pub beat_strobe: Signal<Out, Bits<32>>,
        /// The 32 bytes.
        pub beat_data: Lanes<Signal<Out, Word>> = Lanes::new(BEAT_WORDS),
        /// Bytes that are complete with it.
        pub beat_bytes: Signal<Out, Bits<8>>,
        /// Address of the barrier on which they are completed.
        pub beat_barrier: Signal<Out, Bits<OFFSET_BITS>>,

        /// A part of a box is shown to the sender.
        pub box_valid: Signal<Out, Bit>,
        /// It is taken.
        pub box_taken: Signal<In, Bit>,
        /// Where it is in shared memory, in pieces, before the swizzle.
        pub box_from: Signal<Out, Bits<PLACE_BITS>>,
        /// Where it goes in global memory, in pieces.
        pub box_to: Signal<Out, Bits<PIECE_ADDRESS>>,
        /// How many pieces.
        pub box_count: Signal<Out, Bits<4>>,
        /// The next part begins where it ends, in both memories.
        pub box_more: Signal<Out, Bit>,
        /// Swizzle.
        pub box_swizzle: Signal<Out, Bits<2>>,
        /// What is done with the bytes.
        pub box_reduction: Signal<Out, ReductionCode>,
        /// A thread that commits its bulk group.
        pub asker: Signal<In, CopierIndex>,
        /// It has a store of which the sender has not had everything.
        pub owes: Signal<Out, Bit>,
        /// Nothing is under way.
        pub idle: Signal<Out, Bit>,

        /// Number that the beats of maps come back with.
        pub map_id: usize = bursts,
        /// Size of the shared memory in bytes.
        pub window: usize = 1 << window_bits,
        /// The same in pieces of 16 bytes.
        pub window_pieces: usize = 1 << (window_bits - 4),
        /// Maps.
        pub maps: Maps = Maps::new(),
        /// The fields of the one that is wanted.
        pub fields: MapFields = MapFields::new(),
        /// What measures it.
        pub sizer: Sizer = Sizer::new(),
        /// Where the copy begins.
        pub origin: Origin = Origin::new(),
        /// Its rows.
        pub rows: Rows = Rows::new(),
        /// Bursts and fills.
        pub cutter: Cutter,
        /// What lands.
        pub lander: Lander = Lander::new(bursts),
        /// What leaves.
        pub outward: Outward,
        /// What a reduction does.
        pub operator: Operator,

        /// There is an instruction.
        pub asked: ControlReg<Bit>,
        /// What it does.
        pub asked_act: Reg<Bits<ACT_BITS>>,
        /// Its map.
        pub asked_map: Reg<Bits<48>>,
        /// Its coordinates.
        pub asked_at: Lanes<Reg<Bits<32>>> = Lanes::new(DIMENSIONS),
        /// Where its box goes.
        pub asked_shared: Reg<Bits<32>>,
        /// Its barrier.
        pub asked_barrier: Reg<Bits<32>>,
        /// Its destinations.
        pub asked_ctas: Reg<CtaMask>,
        /// Its operation.
        pub asked_action: Reg<Bits<ACTION_BITS>>,
        /// Its thread.
        pub asked_thread: Reg<CopierIndex>,
        /// The origin of its copy is being reckoned, or has been.
        pub reckoned: ControlReg<Bit>,
        /// Its rows are gone through, and nothing is copied.
        pub surveys: ControlReg<Bit>,
        /// They have been.
        pub surveyed: ControlReg<Bit>,
        /// Something inside the tensor lies behind the shared memory.
        pub strays: ControlReg<Bit>,

        /// A burst has been shown to the global memory and not been taken.
        pub burst_held: ControlReg<Bit>,

        /// It copies.
        pub copies: Signal<Local, Bit>,
        /// It stores.
        pub stores: Signal<Local, Bit>,
        /// Its map is looked at.
        pub looks: Signal<Local, Bit>,
        /// One of its coordinates is negative.
        pub is_negative: Signal<Local, Bit>,
        /// Lowest bits of the strides.
        pub odd: Signal<Local, Bits<4>>,
        /// The first piece behind its box.
        pub box_end: Signal<Local, Bits<33>>,
        /// The box ends behind the shared memory.
        pub overhangs: Signal<Local, Bit>,
        /// A copy, or a survey, can begin.
        pub clear: Signal<Local, Bit>,
        /// Rows are gone through, from the first one on.
        pub starts: Signal<Local, Bit>,
        /// The first piece behind a burst in shared memory.
        pub burst_end: Signal<Local, Bits<PLACE_BITS>>,
        /// What is wrong with it, if something is.
        pub judged: Signal<Local, VerdictCode>,
        /// Its verdict is told.
        pub ends: Signal<Local, Bit>,
        /// Its copy begins.
        pub begins: Signal<Local, Bit>,
        /// The map's beats are asked for, before bursts.
        pub map_asks: Signal<Local, Bit>,
        /// A beat of a map is there.
        pub map_beat: Signal<Local, Bit>,
    }
    constants {
        /// A box is loaded.
        LOAD: Bits<ACT_BITS> = Act::Load.constant();
        /// A box is stored.
        STORE: Bits<ACT_BITS> = Act::Store.constant();
        /// Map and coordinates are looked at.
        PREFETCH_BOX: Bits<ACT_BITS> = Act::PrefetchBox.constant();
        /// A map is forgotten.
        FORGET: Bits<ACT_BITS> = Act::Forget.constant();
        /// Nothing is wrong.
        FINE: VerdictCode = Verdict::Ok.constant();
        /// The address of the map.
        MAP_MISPLACED: VerdictCode = Verdict::MapAddress.constant();
        /// The coordinate of dimension 0.
        MISPLACED: VerdictCode = Verdict::Coordinate.constant();
        /// The address in shared memory.
        SHARED_MISPLACED: VerdictCode = Verdict::SharedAddress.constant();
        /// Its range.
        SHARED_OUTSIDE: VerdictCode = Verdict::SharedRange.constant();
        /// The barrier.
        NO_BARRIER: VerdictCode = Verdict::Barrier.constant();
        /// A coordinate of a store.
        NEGATIVE: VerdictCode = Verdict::Negative.constant();
        /// What a reduction works on.
        UNDEFINED: VerdictCode = Verdict::Type.constant();
    }
    processes { Look, Owe, Tell, Feed, Begin, Judge, Ask, Run, Join, Accept, Show }
    /// An engine with up to `bursts` bursts under way (1 to 16), for a shared memory of 2^`window_bits` bytes (at most 2^19).
    built by pub fn new(bursts: usize, window_bits: usize) {
        assert!((1..=16).contains(&bursts) && (7..=19).contains(&window_bits));
    }
}

#[processes]
impl Tensor {
    fn accept(&mut self) {
        self.rows.take.next = self.cutter.row_take.val();
        self.outward.burst_valid.next =
            self.cutter.burst_valid.val() & self.outward.is_store.q.val() & !self.surveys.q.val();
        self.outward.burst_to.next = self.cutter.burst_from.val();
        self.outward.burst_from.next = self.cutter.burst_to.val();
        connect!(self.outward.* <<= self.cutter.*: burst_count, burst_more);
        self.lander.burst_valid.next =
            self.cutter.burst_valid.val() & !self.outward.is_store.q.val() & !self.surveys.q.val();
        connect!(self.lander.* <<= self.cutter.*: burst_from, burst_to, burst_count, burst_tail, burst_follows);
        self.lander.fill_valid.next =
            self.cutter.fill_valid.val() & !self.outward.is_store.q.val() & !self.surveys.q.val();
        self.lander.fill_count.next = self.cutter.fill_count.val();

        self.asked.d.next = (self.asked.q.val() & !self.ends.val()) | (self.tile.valid.val() & self.tile.ready.val());
        self.reckoned.d.next = (self.reckoned.q.val() | self.origin.start.val()) & !self.ends.val();
        self.burst_end.next = self.cutter.burst_to.val() + bit_cast::<PLACE_BITS, 4>(self.cutter.burst_count.val());
        self.surveys.d.next = (self.surveys.q.val() & !self.clear.val()) | (self.starts.val() & !self.begins.val());
        self.surveyed.d.next = (self.surveyed.q.val() | (self.surveys.q.val() & self.clear.val())) & !self.ends.val();
        self.strays.d.next = (self.strays.q.val()
            | (self.surveys.q.val()
                & self.cutter.burst_valid.val()
                & (self.burst_end.val() > self.window_pieces.to_bits())))
            & !self.ends.val();
        keep!(self.asked_act, self.asked_map, self.asked_shared, self.asked_barrier, self.asked_ctas);
        keep!(self.asked_action, self.asked_thread);
        for d in 0..5 {
            self.asked_at[d].d.next = self.asked_at[d].q.val();
            if self.tile.valid.val() & self.tile.ready.val() {
                self.asked_at[d].d.next = self.tile.at[d].val();
            }
        }
        if self.tile.valid.val() & self.tile.ready.val() {
            connect!(self.asked_* <<= self.tile.*: act, map, shared, barrier, ctas, action, thread);
        }
    }
}

impl Tensor {
    /// Whether a thread has a store of which the sender has not had everything; for those who look into a design.
    pub fn has_store_of(&self, thread: usize) -> bool {
        let is_asked = self.asked.q.val() && self.stores.val() && self.asked_thread.q.val().index() == thread;
        let cutting = (self.rows.valid.q.val() || self.cutter.active.q.val()) && !self.surveys.q.val();
        let goes = self.outward.box_valid.q.val() || (self.outward.is_store.q.val() && cutting);
        is_asked || (goes && self.outward.owner.q.val().index() == thread)
    }
}
