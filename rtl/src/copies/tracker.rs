//! Tracker: keeps the `cp.async` copies of each thread in order.
//!
//! **What.** PTX lets `cp.async.mbarrier.arrive` trigger when all earlier copies of the *same thread* are complete, and
//! `cp.async.wait_group` counts a thread's copies in program order; but their data returns in any order. So each thread has a ring with an
//! entry for every copy and every arrival in flight, in program order. The data of a copy marks its entry as landed; only the oldest entry
//! may leave:
//!
//! ```text
//!   entry             leaves                                               operation on the barrier
//!   copy              when it has landed and is the oldest                 none; one pulse of `done`
//!   arrive            when it is the oldest and its End has been taken     End (tx - 1)
//!   arrive.noinc      when it is the oldest and its Arrive has been taken  Arrive
//! ```
//! The first half of `cp.async.mbarrier.arrive` (tx + 1) is not done here: it is a request of the thread like any other
//! (`cp_async_begin`), because a fault of it is reported to the thread. It enters the ring when it has been answered. An H200 has two
//! instructions for it, too.
//!
//! **Why this shape.** The entries of a thread are independent of those of other threads, so each thread has its own small memory and its
//! own pointers, and up to one copy a cycle leaves in *every* thread. Operations are rarer and share one port: the threads whose oldest
//! entry is an arrival alternate.
//!
//! ```text
//!   cycle       0        1        2        3
//!   begin       arrive
//!   op                            End               nothing before it in the ring
//!   op_ready    ‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾
//!   (entry)              used     used     free
//! ```
//! **Timing.** `op_valid`, `op` and `op_address` are registers, which load only when they are empty or accepted: the output is stable,
//! whatever lands or begins meanwhile. The register is refilled in the cycle of acceptance, so the port carries an operation every cycle
//! (of different threads; of one thread every second cycle). `begin_ready` depends on registers and on the thread at the input, not on
//! `op_ready`. `done` depends on registers only: it is 1 in the cycle after that of `landed`, if the copy is the oldest.
//!
//! Drawn from a run: `waves/gallery/blocks/cp_async.svg`.

use crate::cells::arbiter::CopierArbiter;
use crate::hardware;
use crate::hdl::*;
use crate::word::op::Op;

/// Maximum number of copying threads of a CTA.
pub const MOST_COPIERS: usize = 64;

/// Kind of a ring entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    /// Copy by `cp.async`.
    Copy = 0,
    /// Second half of `cp.async.mbarrier.arrive`: when the earlier copies are complete, subtracts from the tx-count what `cp_async_begin`
    /// has added.
    Arrive = 1,
    /// `cp.async.mbarrier.arrive.noinc`: arrives when the earlier copies are complete.
    ArriveNoinc = 2,
}

impl Kind {
    /// Every kind, in the order of the codes.
    pub const ALL: [Kind; 3] = [Kind::Copy, Kind::Arrive, Kind::ArriveNoinc];

    /// Name in manifests and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Copy => "copy",
            Kind::Arrive => "arrive",
            Kind::ArriveNoinc => "arrive_noinc",
        }
    }

    /// The PTX instruction that the entry implements.
    pub const fn ptx(self) -> &'static str {
        match self {
            Kind::Copy => "cp.async",
            Kind::Arrive => "cp.async.mbarrier.arrive",
            Kind::ArriveNoinc => "cp.async.mbarrier.arrive.noinc",
        }
    }

    /// Width of a kind.
    pub const BITS: usize = 2;

    /// The code on the wires.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The code as a constant of the kernels.
    pub(crate) const fn constant(self) -> Bits<{ Kind::BITS }> {
        Bits::constant(self.code() as u64)
    }
}

hardware! {
    /// Tracker: keeps the cp.async copies of each thread in order.
    pub module Tracker = "tracker" {
        /// Copy or arrival of a thread valid.
        pub begin_valid: Signal<In, Bit>,
        /// Copy or arrival accepted: the thread's ring has space.
        pub begin_ready: Signal<Out, Bit>,
        /// Thread of the copy or arrival.
        pub begin_thread: Signal<In, CopierIndex>,
        /// Kind: 0 a copy, 1 cp.async.mbarrier.arrive, 2 the same with .noinc.
        pub begin_kind: Signal<In, Bits<2>>,
        /// Address of the barrier, for an arrival.
        pub begin_address: Signal<In, Bits<24>>,
        /// Index of the entry; a copy is identified by its thread and this index.
        pub begin_turn: Signal<Out, Turn>,

        /// Data of a copy written to shared memory.
        pub landed: Signal<In, Bit>,
        /// The copy's thread.
        pub landed_thread: Signal<In, CopierIndex>,
        /// Index of the copy's entry.
        pub landed_turn: Signal<In, Turn>,

        /// Operation on a barrier valid.
        pub op_valid: OutControlReg<Bit>,
        /// Operation accepted.
        pub op_ready: Signal<In, Bit>,
        /// Opcode of the operation.
        pub op: OutReg<OpCode, OpView>,
        /// Address of the barrier.
        pub op_address: OutReg<Bits<24>>,

        /// Threads of which a copy is complete, with all copies before it.
        pub done: Signal<Out, CopierMask>,
        /// All rings are empty.
        pub idle: Signal<Out, Bit>,

        /// Number of entries of each ring.
        pub outstanding: usize = outstanding,
        /// Index of the last entry: all ones.
        pub last_turn: usize = outstanding - 1,
        /// Kind (bits 25:24) and address of the barrier (23:0) of each entry.
        pub entry: Lanes<LutRam<Bits<26>, Turn>, MOST_COPIERS> = Lanes::of(copiers, || LutRam::new(outstanding)),
        /// Index of each thread's oldest entry.
        pub head: Lanes<ControlReg<Turn>, MOST_COPIERS> = Lanes::new(copiers),
        /// Index of each thread's next entry.
        pub tail: Lanes<ControlReg<Turn>, MOST_COPIERS> = Lanes::new(copiers),
        /// Entries that are in use.
        pub used: Lanes<ControlReg<TurnMask>, MOST_COPIERS> = Lanes::new(copiers),
        /// Entries in use whose data has been written.
        pub present: Lanes<ControlReg<TurnMask>, MOST_COPIERS> = Lanes::new(copiers),
        /// Thread of the operation at the output, one-hot.
        pub shown: ControlReg<CopierMask>,
        /// Arbiter of the threads' arrivals.
        pub arbiter: CopierArbiter,

        /// Kind of a thread's oldest entry.
        pub oldest: Signal<Local, Bits<2>>,
        /// Threads whose oldest entry is an arrival.
        pub due: Signal<Local, CopierMask>,
        /// The ring of the thread at the input is full.
        pub full: Signal<Local, Bit>,
        /// The operation at the output is accepted.
        pub taken: Signal<Local, Bit>,
        /// The output register can load another operation.
        pub loads: Signal<Local, Bit>,
        /// A copy or arrival is accepted.
        pub begins: Signal<Local, Bit>,
        /// Threads whose oldest entry leaves.
        pub leaving: Signal<Local, CopierMask>,
        /// Entry allocated, one-hot.
        pub begun_place: Signal<Local, TurnMask>,
        /// Entry whose data has been written, one-hot.
        pub landed_place: Signal<Local, TurnMask>,
        /// Entry allocated in a thread's ring, one-hot.
        pub added: Signal<Local, TurnMask>,
        /// Entry of a thread whose data has been written, one-hot.
        pub marked: Signal<Local, TurnMask>,
        /// Entry that leaves a thread's ring, one-hot.
        pub cleared: Signal<Local, TurnMask>,
    }
    constants {
        /// Code of a copy.
        COPY: Bits<2> = Kind::Copy.constant();
        /// Code of an arrival that ends with tx - 1.
        ARRIVE: Bits<2> = Kind::Arrive.constant();
    }
    processes { Address, Look, Offer, Ask, Show, Step }
    /// A tracker of `copiers` threads (1 to 64), with rings of `outstanding` entries (a power of two from 1 to 32).
    built by pub fn new(copiers: usize, outstanding: usize) {
        assert!(outstanding.is_power_of_two());
    }
}

#[processes]
impl Tracker {
    fn address(&mut self) {
        for t in 0..self.entry.len() {
            self.entry[t].read_address.next = self.head[t].q.val();
        }
    }

    fn look(&mut self) {
        clear!(self.oldest, self.done, self.due);
        self.idle.next = true;
        for t in 0..self.entry.len() {
            if self.used[t].q.val().any() {
                self.idle.next = false;
                self.oldest.next = self.entry[t].read_data.val().get_bits::<2>(24);
                if self.oldest.val() != COPY {
                    self.due.next = self.due.val() | (bits::<COPIERS>(1) << t);
                }
                if (self.oldest.val() == COPY) & self.present[t].q.val().get_bit(self.head[t].q.val().index()) {
                    self.done.next = self.done.val() | (bits::<COPIERS>(1) << t);
                }
            }
        }
    }

    fn offer(&mut self) {
        clear!(self.full, self.begin_turn);
        for t in 0..self.tail.len() {
            if self.begin_thread.val().index() == t {
                self.begin_turn.next = self.tail[t].q.val();
                self.full.next = self.used[t].q.val().get_bit(self.tail[t].q.val().index());
            }
        }
        self.begin_ready.next = !self.full.val();
    }

    fn ask(&mut self) {
        self.taken.next = self.op_valid.q.val() & self.op_ready.val();
        self.loads.next = !self.op_valid.q.val() | self.op_ready.val();
        self.arbiter.request.next = 0.into();
        if self.loads.val() {
            self.arbiter.request.next = self.due.val() & !self.shown.q.val();
        }
    }

    fn show(&mut self) {
        self.begins.next = self.begin_valid.val() & self.begin_ready.val();
        if self.loads.val() {
            self.op_valid.d.next = self.arbiter.grant.val().any();
            self.shown.d.next = self.arbiter.grant.val();
            for t in 0..self.entry.len() {
                if self.arbiter.grant.val().get_bit(t) {
                    self.op_address.d.next = self.entry[t].read_data.val().get_bits::<24>(0);
                    self.op.d.next = Op::CpAsyncArrive.into();
                    if self.entry[t].read_data.val().get_bits::<2>(24) == ARRIVE {
                        self.op.d.next = Op::CpAsyncEnd.into();
                    }
                }
            }
        }
    }

    fn step(&mut self) {
        self.leaving.next = self.done.val();
        if self.taken.val() {
            self.leaving.next = self.done.val() | self.shown.q.val();
        }
        clear!(self.begun_place, self.landed_place);
        for o in 0..self.outstanding {
            if self.begins.val() & (self.begin_turn.val().index() == o) {
                self.begun_place.next = bits::<TURNS>(1) << o;
            }
            if self.landed.val() & (self.landed_turn.val().index() == o) {
                self.landed_place.next = bits::<TURNS>(1) << o;
            }
        }
        for t in 0..self.entry.len() {
            self.entry[t].write_address.next = self.begin_turn.val();
            self.entry[t].write_data.next =
                bit_cast::<26, 24>(self.begin_address.val()) | (bit_cast::<26, 2>(self.begin_kind.val()) << 24);
            clear!(self.entry[t].write_enable, self.added);
            if self.begins.val() & (self.begin_thread.val().index() == t) {
                self.entry[t].write_enable.next = true;
                self.tail[t].d.next = (self.tail[t].q.val() + 1) & self.last_turn.to_bits();
                self.added.next = self.begun_place.val();
            }
            self.marked.next = 0.into();
            if self.landed_thread.val().index() == t {
                self.marked.next = self.landed_place.val();
            }
            self.cleared.next = 0.into();
            if self.leaving.val().get_bit(t) {
                self.head[t].d.next = (self.head[t].q.val() + 1) & self.last_turn.to_bits();
                for o in 0..self.outstanding {
                    if self.head[t].q.val().index() == o {
                        self.cleared.next = bits::<TURNS>(1) << o;
                    }
                }
            }
            self.used[t].d.next = (self.used[t].q.val() & !self.cleared.val()) | self.added.val();
            self.present[t].d.next = (self.present[t].q.val() & !self.cleared.val()) | self.marked.val();
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
