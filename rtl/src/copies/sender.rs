//! Sender: `cp.async.bulk` and `cp.reduce.async.bulk` out of shared memory, also of tensors, and their bulk groups.
//!
//! **What.** Accepts a copy as a descriptor and splits it into moves of up to 32 bytes ([`outlet`](super::outlet)): to global memory in
//! bursts, none of which crosses a 128-byte boundary there, or to the memory of a CTA, where their bytes are completed on a barrier, a
//! burst at a time. The commit of a group takes the same path, as a mark behind the copies before it.
//!
//! ```text
//!   put ──► judge ─┬► descriptor ──► move ──► outlet          commit ──► mark ──► outlet ──► read
//!   box ───────────┘       └─ bursts ──► ledger ◄── ack                    └────► ledger ──► written
//!   group (wait) ───────────────────────► ledger ──► over
//! ```
//! **Halves.** A move is a block that is read and a block that is written, 32 bytes a cycle. Where the addresses do not agree modulo 32, each is
//! written with the upper half of one block and the lower half of the next, which the outlet carries over; a copy then begins with a move that writes
//! nothing, or ends with one that reads nothing.
//!
//! **Boxes.** A tensor store comes in parts from the [tensor engine](super::tensor), at most a burst each, and takes turns with `put`. Its pieces of
//! 16 bytes have changed places in shared memory by their swizzle: a block is read where its pieces are, and they change back on the way. Where a
//! part goes on in the next one (`box_more`), that one is the next descriptor, and half a block is carried over to it.
//! A thread's commit waits until the engine has handed over all of its stores (`put_held`).
//!
//! **Timing.**
//!
//! ```text
//!   cycle    0        1        2        3 4 5    6
//!   put      accept
//!   move              read     read              mem_wr, beat
//! ```
//! The next descriptor is accepted in the cycle of the last move.

use super::channels::Store;
use super::ledger::{GROUP_BITS, Ledger};
use super::reduction::{Lawful, ReductionCode};
use crate::hardware;
use crate::hdl::*;
use crate::word::address::{self, ABOVE_BITS, OFFSET_BITS, RANK_BITS};
use crate::word::status::Status;

/// Kind of a request to the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Put {
    /// Copy or reduction to global memory, in the thread's bulk group.
    Global = 0,
    /// Copy or reduction to the memory of a CTA, completed on a barrier there.
    Cluster = 1,
    /// Commit: the thread's copies since its last group become a group.
    Commit = 2,
}

impl Put {
    /// Every kind, in the order of the codes.
    pub const ALL: [Put; 3] = [Put::Global, Put::Cluster, Put::Commit];

    /// Name in manifests and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Put::Global => "global",
            Put::Cluster => "cluster",
            Put::Commit => "commit",
        }
    }

    /// The PTX instruction that the request implements.
    pub const fn ptx(self) -> &'static str {
        match self {
            Put::Global => "cp.async.bulk.global.shared::cta",
            Put::Cluster => "cp.async.bulk.shared::cluster.shared::cta",
            Put::Commit => "cp.async.bulk.commit_group",
        }
    }

    /// The code on the wires.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The code as a constant of a kernel.
    pub(super) const fn constant(self) -> Bits<2> {
        Bits::constant(self as u64)
    }
}

hardware! {
    /// Sender: copies out of shared memory, and their groups.
    pub module Sender = "sender" {
        /// Copy out of shared memory, or commit of those before it.
        pub put: Store<In>,
        /// The committing thread has tensor stores that have not reached the sender.
        pub put_held: Signal<In, Bit>,

        /// Part of a tensor store valid.
        pub box_valid: Signal<In, Bit>,
        /// Part accepted.
        pub box_ready: Signal<Out, Bit>,
        /// Shared address of the part, in pieces of 16 bytes, before the swizzle.
        pub box_from: Signal<In, Bits<20>>,
        /// Global address of the part, in pieces of 16 bytes.
        pub box_to: Signal<In, Bits<44>>,
        /// Number of pieces: 1 to 8, at most up to a 128-byte boundary of the global address.
        pub box_count: Signal<In, Bits<4>>,
        /// The next part continues this one, in both memories.
        pub box_more: Signal<In, Bit>,
        /// Swizzle: 0 none, 1 to 3: 32, 64, 128 bytes.
        pub box_swizzle: Signal<In, Bits<2>>,
        /// Reduction.
        pub box_reduction: Signal<In, ReductionCode>,

        /// Move valid.
        pub move_valid: Signal<Out, Bit>,
        /// Move accepted.
        pub move_ready: Signal<In, Bit>,
        /// Kind: 0 to global memory, 1 to CTAs, 2 a mark.
        pub move_kind: Signal<Out, Bits<2>>,
        /// Address of the block to read.
        pub move_from: Signal<Out, Bits<24>>,
        /// Address of the block to write.
        pub move_to: Signal<Out, Bits<48>>,
        /// Byte enables of the block to write.
        pub move_strobe: Signal<Out, Bits<32>>,
        /// Byte enables of the block to read, in its own order.
        pub move_wanted: Signal<Out, Bits<32>>,
        /// The move reads a block.
        pub move_reads: Signal<Out, Bit>,
        /// The move writes.
        pub move_writes: Signal<Out, Bit>,
        /// Swap the halves of the block.
        pub move_swap: Signal<Out, Bit>,
        /// Then write its lower half as the upper one, behind the upper half of the block before it.
        pub move_shift: Signal<Out, Bit>,
        /// Last move of the burst.
        pub move_last: Signal<Out, Bit>,
        /// Number of the burst.
        pub move_number: Signal<Out, BurstIndex>,
        /// Bytes to complete after the move.
        pub move_bytes: Signal<Out, Bits<8>>,
        /// Reduction.
        pub move_reduction: OutReg<ReductionCode>,
        /// Destination CTA, one-hot.
        pub move_ctas: OutReg<CtaMask>,
        /// Address of the barrier in the destination.
        pub move_barrier: OutReg<Bits<24>>,
        /// Thread of the mark.
        pub move_thread: OutReg<CopierIndex>,

        /// A burst has been written to memory.
        pub ack: Signal<In, Bit>,
        /// Number of the burst.
        pub ack_number: Signal<In, BurstIndex>,
        /// The mark of a group has left the outlet: the group's sources have been read.
        pub read: Signal<In, Bit>,
        /// Thread of that mark.
        pub read_thread: Signal<In, CopierIndex>,
        /// Thread that waits for its groups.
        pub wait_thread: Signal<In, CopierIndex>,
        /// The wait is for the sources to be read only.
        pub wait_read: Signal<In, Bit>,
        /// Number of groups that may be pending at the end of the wait.
        pub wait_most: Signal<In, Bits<GROUP_BITS>>,
        /// No more groups than that are pending.
        pub wait_over: Signal<Out, Bit>,
        /// Threads with a group that has not been written.
        pub open: Signal<Out, CopierMask>,
        /// No copy is in flight.
        pub idle: Signal<Out, Bit>,

        /// Number of CTAs.
        pub ctas: usize = ctas,
        /// Size of the shared memory in bytes.
        pub window: usize = 1 << window_bits,
        /// Bursts and groups in flight.
        pub ledger: Ledger = Ledger::new(copiers, bursts),
        /// Check of the reduction.
        pub lawful: Lawful,

        /// Descriptor valid.
        pub active: ControlReg<Bit>,
        /// Kind of the descriptor.
        pub kind: Reg<Bits<2>>,
        /// Shared address of the rest, in units of 16 bytes.
        pub from: Reg<Bits<20>>,
        /// Destination address of the rest, in units of 16 bytes.
        pub to: Reg<Bits<44>>,
        /// Length of the rest, in units of 16 bytes.
        pub left: Reg<Bits<16>>,
        /// Byte enables within each unit.
        pub mask: Reg<Bits<16>>,
        /// Swizzle of the descriptor.
        pub swizzle: Reg<Bits<2>>,
        /// The descriptor is a part of a tensor store.
        pub boxed: Reg<Bit>,
        /// The next descriptor continues this one.
        pub more: ControlReg<Bit>,
        /// The next unit has been read: it is the upper half of the last block.
        pub carries: ControlReg<Bit>,
        /// Tensor stores have priority over puts.
        pub box_turn: ControlReg<Bit>,
        /// Units of the burst moved so far.
        pub moved: Reg<Bits<4>>,
        /// Number of the burst.
        pub burst: Reg<BurstIndex>,

        /// End address of the source.
        pub source_end: Signal<Local, Bits<33>>,
        /// End address in the destination CTA.
        pub target_end: Signal<Local, Bits<33>>,
        /// Address in the destination CTA.
        pub offset: Signal<Local, Bits<OFFSET_BITS>>,
        /// Address of the barrier in the destination CTA.
        pub barrier_offset: Signal<Local, Bits<OFFSET_BITS>>,
        /// Rank of the destination CTA.
        pub rank: Signal<Local, Rank>,
        /// Destination CTA, one-hot.
        pub target: Signal<Local, CtaMask>,
        /// OR of the low address and length bits: zero if aligned.
        pub low: Signal<Local, Bits<4>>,
        /// The descriptor's last move is accepted.
        pub ends: Signal<Local, Bit>,
        /// A descriptor can be accepted.
        pub free: Signal<Local, Bit>,
        /// The put can be accepted, apart from that.
        pub fits: Signal<Local, Bit>,
        /// Tensor stores are served in this cycle.
        pub takes_box: Signal<Local, Bit>,
        /// The descriptor of a put is accepted.
        pub starts: Signal<Local, Bit>,
        /// The descriptor of a tensor store is accepted.
        pub boxes: Signal<Local, Bit>,
        /// Block of the next unit, before the swizzle.
        pub block: Signal<Local, Bits<19>>,
        /// Address bits inverted by the swizzle.
        pub turn: Signal<Local, Bits<3>>,
        /// Source and destination addresses differ modulo 32.
        pub narrow: Signal<Local, Bit>,
        /// One unit is left.
        pub lone: Signal<Local, Bit>,
        /// That unit changes its half, and no unit follows.
        pub direct: Signal<Local, Bit>,
        /// The lower half of the block is needed, after the swizzle.
        pub wants_lower: Signal<Local, Bit>,
        /// The upper half of the block is needed, after the swizzle.
        pub wants_upper: Signal<Local, Bit>,
        /// Units written by the move.
        pub units: Signal<Local, Bits<2>>,
        /// Last move of the descriptor.
        pub is_last: Signal<Local, Bit>,
        /// Units of the burst including this move.
        pub filled: Signal<Local, Bits<4>>,
        /// First unit after the move, within its 128 bytes.
        pub behind: Signal<Local, Bits<3>>,
        /// The move begins a burst, or is a mark.
        pub opens: Signal<Local, Bit>,
        /// The move is accepted.
        pub moves: Signal<Local, Bit>,
    }
    constants {
        /// Code of a copy to global memory.
        TO_GLOBAL: Bits<2> = Put::Global.constant();
        /// Code of a copy to a CTA.
        TO_CLUSTER: Bits<2> = Put::Cluster.constant();
        /// Code of a commit.
        COMMIT: Bits<2> = Put::Commit.constant();
    }
    processes { Name, Judge, Show, Accept }
    /// For a cluster of this many CTAs, with memories of 2^`window_bits` bytes; `copiers` threads have groups, and `bursts` may be in
    /// flight.
    built by pub fn new(ctas: usize, window_bits: usize, copiers: usize, bursts: usize) {}
}

#[processes]
impl Sender {
    fn name(&mut self) {
        self.lawful.code.next = self.put.reduction.val();
        self.ledger.commit_thread.next = self.put.thread.val();
        connect!(self.ledger.* <<= self.*: wait_thread, wait_read, wait_most, ack, ack_number, read, read_thread);
    }

    fn judge(&mut self) {
        self.offset.next = self.put.target.val().get_bits::<OFFSET_BITS>(0);
        self.barrier_offset.next = self.put.barrier.val().get_bits::<OFFSET_BITS>(0);
        self.rank.next = self.put.target.val().get_bits::<RANK_BITS>(address::RANK_LSB);
        self.target.next = 0.into();
        for t in 0..self.ctas {
            if self.rank.val() == t.to_bits() {
                self.target.next = bits::<CTAS>(1) << t;
            }
        }
        self.source_end.next = bit_cast::<33, 32>(self.put.shared.val()) + bit_cast::<33, 32>(self.put.bytes.val());
        self.target_end.next =
            bit_cast::<33, OFFSET_BITS>(self.offset.val()) + bit_cast::<33, 32>(self.put.bytes.val());
        self.low.next = self.put.shared.val().get_bits::<4>(0) | self.put.bytes.val().get_bits::<4>(0);
        self.put.status.next = Status::Ok.into();
        if self.put.bytes.val().any() & (self.source_end.val() > self.window.to_bits()) {
            self.put.status.next = Status::OutOfRange.into();
        }
        if self.put.kind.val() == TO_CLUSTER {
            self.low.next = self.low.val() | self.put.target.val().get_bits::<4>(0);
            if !self.target.val().any()
                | self.put.target.val().get_bits::<ABOVE_BITS>(address::ABOVE_LSB).any()
                | (bit_cast::<32, OFFSET_BITS>(self.barrier_offset.val()) >= self.window.to_bits())
                | (self.put.bytes.val().any() & (self.target_end.val() > self.window.to_bits()))
            {
                self.put.status.next = Status::OutOfRange.into();
            }
            if self.put.barrier.val().get_bits::<3>(0).any() {
                self.low.next = 15.into();
            }
        } else {
            self.low.next = self.low.val() | self.put.global.val().get_bits::<4>(0);
        }
        if self.low.val().any() {
            self.put.status.next = Status::Misaligned.into();
        }
        if self.put.kind.val() == TO_CLUSTER {
            if (self.put.target.val() >> address::RANK_LSB) != (self.put.barrier.val() >> address::RANK_LSB) {
                self.put.status.next = Status::RemoteUnsupported.into();
            }
            if !self.lawful.in_shared.val() {
                self.put.status.next = Status::IllegalOperation.into();
            }
        }
        if (self.put.kind.val() == TO_GLOBAL) & !self.lawful.in_global.val() {
            self.put.status.next = Status::IllegalOperation.into();
        }
        if self.put.kind.val() == COMMIT {
            self.put.status.next = Status::Ok.into();
        }
        if self.put.kind.val() > COMMIT {
            self.put.status.next = Status::IllegalOperation.into();
        }
    }

    fn show(&mut self) {
        self.narrow.next = (self.from.q.val().get_bit(0) != self.to.q.val().get_bit(0)) & (self.kind.q.val() != COMMIT);
        self.lone.next = self.left.q.val() == 1;
        self.direct.next = false;
        self.move_reads.next = true;
        self.move_writes.next = true;
        self.move_shift.next = false;
        self.units.next = 2.into();
        self.wants_lower.next = !self.from.q.val().get_bit(0);
        self.wants_upper.next = self.from.q.val().get_bit(0) | !self.lone.val();
        if self.from.q.val().get_bit(0) | self.lone.val() {
            self.units.next = 1.into();
        }
        if self.narrow.val() {
            self.units.next = 1.into();
            if self.carries.q.val() {
                // the carried unit and the next one
                self.move_shift.next = true;
                self.move_reads.next = !self.lone.val();
                self.wants_lower.next = !self.lone.val();
                self.wants_upper.next =
                    !self.lone.val() & ((self.left.q.val() != 2) | (self.boxed.q.val() & self.more.q.val()));
                if !self.lone.val() {
                    self.units.next = 2.into();
                }
            } else if self.from.q.val().get_bit(0) {
                self.direct.next = self.lone.val();
                self.move_writes.next = self.lone.val();
                if !self.lone.val() {
                    self.units.next = 0.into();
                }
            } else {
                self.move_shift.next = true;
                self.wants_upper.next = !self.lone.val() | (self.boxed.q.val() & self.more.q.val());
            }
        }
        self.is_last.next = bit_cast::<16, 2>(self.units.val()) == self.left.q.val();
        self.filled.next = self.moved.q.val() + bit_cast::<4, 2>(self.units.val());
        self.behind.next = self.to.q.val().get_bits::<3>(0) + bit_cast::<3, 2>(self.units.val());
        self.opens.next = !self.moved.q.val().any() & self.move_writes.val() & (self.kind.q.val() == TO_GLOBAL);
        self.move_kind.next = self.kind.q.val();
        if self.kind.q.val() == COMMIT {
            self.is_last.next = true;
            self.opens.next = true;
        }
        self.move_valid.next = self.active.q.val() & (self.ledger.room.val() | !self.opens.val());
        // the swizzle XORs address bits 9:7 into bits 6:4; a block number has address bits 9:5 in its lowest five bits
        self.block.next = self.from.q.val().get_bits::<19>(1);
        if self.carries.q.val() {
            self.block.next = self.from.q.val().get_bits::<19>(1) + 1;
        }
        self.turn.next = 0.into();
        if self.swizzle.q.val() == 1 {
            self.turn.next = self.block.val().get_bits::<3>(2) & 1;
        }
        if self.swizzle.q.val() == 2 {
            self.turn.next = self.block.val().get_bits::<3>(2) & 3;
        }
        if self.swizzle.q.val() == 3 {
            self.turn.next = self.block.val().get_bits::<3>(2);
        }
        self.move_from.next =
            bit_cast::<24, 19>(self.block.val() ^ bit_cast::<19, 2>(self.turn.val().get_bits::<2>(1))) << 5;
        self.move_to.next = bit_cast::<48, 43>(self.to.q.val().get_bits::<43>(1)) << 5;
        self.move_strobe.next = 0.into();
        if !self.to.q.val().get_bit(0) {
            self.move_strobe.next = bit_cast::<32, 16>(self.mask.q.val());
        }
        if self.to.q.val().get_bit(0) | (self.units.val() == 2) {
            self.move_strobe.next = self.move_strobe.val() | (bit_cast::<32, 16>(self.mask.q.val()) << 16);
        }
        self.move_wanted.next = 0.into();
        if self.wants_lower.val() != (self.turn.val().get_bit(0) & (self.wants_lower.val() != self.wants_upper.val())) {
            self.move_wanted.next = bit_cast::<32, 16>(self.mask.q.val());
        }
        if self.wants_upper.val() != (self.turn.val().get_bit(0) & (self.wants_lower.val() != self.wants_upper.val())) {
            self.move_wanted.next = self.move_wanted.val() | (bit_cast::<32, 16>(self.mask.q.val()) << 16);
        }
        self.move_swap.next = self.direct.val() != self.turn.val().get_bit(0);
        self.move_last.next = self.is_last.val() | (self.move_writes.val() & !self.behind.val().any());
        self.move_number.next = self.burst.q.val();
        if self.opens.val() {
            self.move_number.next = self.ledger.number.val();
        }
        self.move_bytes.next = 0.into();
        if self.move_last.val() {
            self.move_bytes.next = bit_cast::<8, 4>(self.filled.val()) << 4;
        }
        self.open.next = self.ledger.open.val();
        self.idle.next = !self.active.q.val() & self.ledger.idle.val();
    }

    fn accept(&mut self) {
        self.wait_over.next = self.ledger.wait_over.val();
        self.moves.next = self.move_valid.val() & self.move_ready.val();
        self.ends.next = self.moves.val() & self.is_last.val();
        self.free.next = !self.active.q.val() | self.ends.val();
        self.fits.next = true;
        if self.put.kind.val() == COMMIT {
            self.fits.next = self.ledger.commit_room.val() & !self.put_held.val();
        }
        self.takes_box.next = self.box_valid.val()
            & (self.more.q.val() | self.box_turn.q.val() | !self.put.valid.val() | !self.fits.val());
        self.put.ready.next = self.free.val() & self.fits.val() & !self.takes_box.val() & !self.more.q.val();
        self.box_ready.next = self.free.val() & self.takes_box.val();
        self.boxes.next = self.box_ready.val();
        if self.boxes.val() {
            self.box_turn.d.next = false;
        }
        if self.put.valid.val() & self.put.ready.val() {
            self.box_turn.d.next = true;
        }
        self.starts.next = self.put.valid.val()
            & self.put.ready.val()
            & (self.put.status.val() == Status::Ok)
            & ((self.put.kind.val() == COMMIT)
                | (self.put.bytes.val().any() & (self.put.mask.val().any() | (self.put.kind.val() == TO_CLUSTER))));
        self.ledger.commit.next = self.starts.val() & (self.put.kind.val() == COMMIT);
        self.ledger.take.next = self.moves.val() & self.opens.val();
        self.ledger.mark.next = self.kind.q.val() == COMMIT;
        self.ledger.thread.next = self.move_thread.q.val();
        self.active.d.next = (self.active.q.val() & !self.ends.val()) | self.starts.val() | self.boxes.val();
        if self.moves.val() {
            self.from.d.next = self.from.q.val() + bit_cast::<20, 2>(self.units.val());
            self.to.d.next = self.to.q.val() + bit_cast::<44, 2>(self.units.val());
            self.left.d.next = self.left.q.val() - bit_cast::<16, 2>(self.units.val());
            self.moved.d.next = self.filled.val();
            self.burst.d.next = self.move_number.val();
            self.carries.d.next = self.narrow.val() & self.wants_upper.val() & !self.direct.val();
            if self.move_last.val() {
                self.moved.d.next = 0.into();
            }
        }
        if self.starts.val() {
            self.kind.d.next = self.put.kind.val();
            self.from.d.next = self.put.shared.val().get_bits::<20>(4);
            self.to.d.next = self.put.global.val().get_bits::<44>(4);
            if self.put.kind.val() == TO_CLUSTER {
                self.to.d.next = bit_cast::<44, 20>(self.offset.val().get_bits::<20>(4));
            }
            self.left.d.next = self.put.bytes.val().get_bits::<16>(4);
            self.mask.d.next = self.put.mask.val();
            clear!(self.swizzle, self.boxed, self.moved);
            self.move_reduction.d.next = self.put.reduction.val();
            self.move_ctas.d.next = self.target.val();
            self.move_barrier.d.next = self.barrier_offset.val();
            self.move_thread.d.next = self.put.thread.val();
        }
        if self.boxes.val() {
            self.kind.d.next = TO_GLOBAL;
            connect!(self.* <<= self.box_*: from, to);
            self.left.d.next = bit_cast::<16, 4>(self.box_count.val());
            self.mask.d.next = 0xffff.into();
            self.swizzle.d.next = self.box_swizzle.val();
            self.boxed.d.next = true;
            self.more.d.next = self.box_more.val();
            self.moved.d.next = 0.into();
            self.move_reduction.d.next = self.box_reduction.val();
        }
    }
}

impl Sender {
    /// Whether the last block of a put's copy is being read in this cycle; for testbenches.
    pub fn reads_last(&self) -> bool {
        self.ends.val() && self.kind.q.val() != COMMIT && !self.boxed.q.val()
    }

    /// Number of bytes of a tensor store that are being read in this cycle; for testbenches.
    pub fn reads_of_box(&self) -> Option<u32> {
        let halves = u32::from(self.wants_lower.val()) + u32::from(self.wants_upper.val());
        (self.moves.val() && self.boxed.q.val() && halves > 0).then_some(16 * halves)
    }
}
