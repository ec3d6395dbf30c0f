//! Rendezvous: one CTA's side of `barrier.cluster`.
//!
//! **What.** All threads of all CTAs meet in rounds. A thread *arrives*, may do other work, and *waits* until every thread of the cluster
//! that has not exited has arrived, too. Each CTA counts its own threads and informs the others with two wires: `arrived` takes the round's
//! parity when the last of its threads has arrived, `empty` is set when all have exited. A round is complete for a CTA when it has seen
//! this of all CTAs.
//!
//! **Why this shape.** A thread arrives exactly once a round, so one bit per thread, the parity of the round in which it last arrived,
//! records whether it has arrived in this one, and nothing is cleared between rounds. The rows of 32 threads are in small memories that are
//! read and written when a request is accepted. `missing` counts the threads that the round lacks; when the round is complete it is set to
//! the number of threads that have not exited by then. No thread can arrive in the next round before that, so no CTA is ever two rounds
//! ahead of another.
//!
//! ```text
//!   cycle            0        1        2        2 + L      3 + L      4 + L       L cycles from one CTA to another
//!   last arrival     accept
//!   missing          1        0
//!   arrived          ──────────────────/‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾
//!   arrived_of                                  all agree
//!   round            ──────────────────────────────────────/‾‾‾‾‾‾‾‾‾‾‾‾        what was suspended is woken
//!   rsp_valid        ─────────/‾‾‾‾‾‾‾‾\______________________________/‾‾        the arrival's answer; a wait's
//! ```
//! The CTA's own wires may come back undelayed. Those of the others must all be equally late, and reset clears them.
//!
//! **Requests.** One a cycle. An arrival with release semantics is accepted only while the CTA's earlier memory accesses
//! have been performed (`quiet`). An exit counts a thread out for good, at any time, and may complete the round. What is
//! refused changes nothing. After reset the rows are cleared, one a cycle; until then nothing is accepted.
//!
//! **Answers.** All leave through one register, which takes the next answer while it is empty or being taken: `req_ready`
//! follows `rsp_ready` in the same cycle, and nothing else does. An arrival, an exit, a refusal and a wait for a complete
//! round are answered in the next cycle. The waits of a warp that are suspended are answered together. If some threads of a
//! wait need not be suspended, they are answered at once, and the others later: the others may depend on them to arrive. So
//! each thread of a request is answered exactly once.
//!
//! **Turns.** Requests and woken warps take turns. Of the woken warps the lowest goes first; none starves, since the next
//! round lacks each of them until it has been answered. A warp's next wait is held while an answer of the warp is still to
//! leave, since both need its row of `waiting`.
//!
//! A thread does nothing while it waits. If an exit for one comes nevertheless, it is counted out, and its wait may stay
//! without an answer.
//!
//! Drawn from a run: `waves/gallery/blocks/barrier_cluster.svg`.

use crate::cells::lane_count::{LANE_COUNT_BITS, LaneCount, LaneMask};
use crate::cluster::parameters::WARP;
use crate::hdl::*;
use crate::word::status::Status;
use crate::{bundle, hardware};

/// Kind of a request to the rendezvous.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Act {
    /// `barrier.cluster.arrive`.
    Arrive = 0,
    /// `barrier.cluster.wait`.
    Wait = 1,
    /// Exit of the threads.
    Exit = 2,
}

impl Act {
    /// Every kind, in the order of the codes.
    pub const ALL: [Act; 3] = [Act::Arrive, Act::Wait, Act::Exit];

    /// Name in manifests and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Act::Arrive => "arrive",
            Act::Wait => "wait",
            Act::Exit => "exit",
        }
    }

    /// The PTX instruction that the request implements.
    pub const fn ptx(self) -> &'static str {
        match self {
            Act::Arrive => "barrier.cluster.arrive",
            Act::Wait => "barrier.cluster.wait",
            Act::Exit => "exit",
        }
    }

    /// Width of a code.
    pub const BITS: usize = 2;

    /// The code on the wires.
    pub const fn code(self) -> u8 {
        self as u8
    }
}

/// Code of a request's kind.
pub type ActCode = Bits<{ Act::BITS }>;

bundle! {
    /// Request of a warp to barrier.cluster.
    pub bundle RoundRequest {
        /// barrier.cluster: request of a warp valid.
        pub valid: Forth<Bit>,
        /// Request accepted.
        pub ready: Back<Bit>,
        /// Kind: 0 arrive, 1 wait, 2 exit.
        pub op: Forth<Bits<2>>,
        /// Number of the warp.
        pub warp: Forth<WarpIndex>,
        /// Threads of the warp.
        pub lanes: Forth<Bits<32>>,
        /// `.aligned`.
        pub aligned: Forth<Bit>,
        /// `.release`.
        pub releases: Forth<Bit>,
    }
}

bundle! {
    /// Answer of barrier.cluster.
    pub bundle RoundAnswer {
        /// Answer valid.
        pub valid: Forth<Bit>,
        /// Answer accepted.
        pub ready: Back<Bit>,
        /// Number of the warp.
        pub warp: Forth<WarpIndex>,
        /// Answered threads of the warp.
        pub lanes: Forth<Bits<32>>,
        /// Status.
        pub status: Forth<StatusCode, StatusView>,
    }
}

hardware! {
    /// Rendezvous: one CTA's side of `barrier.cluster`.
    pub module Rendezvous = "rendezvous" {
        /// Request of a warp to barrier.cluster.
        pub req: RoundRequest<In>,

        /// The request is an arrival with release semantics.
        pub draining: Signal<Out, Bit>,
        /// The CTA's earlier memory accesses have been performed.
        pub quiet: Signal<In, Bit>,

        /// Answer valid.
        pub rsp_valid: OutControlReg<Bit>,
        /// Answer accepted.
        pub rsp_ready: Signal<In, Bit>,
        /// Number of the warp.
        pub rsp_warp: OutReg<WarpIndex>,
        /// Answered threads of the warp.
        pub rsp_lanes: OutReg<LaneMask>,
        /// Status.
        pub rsp_status: OutReg<StatusCode, StatusView>,

        /// Parity of the last round in which all threads of this CTA that have not exited have arrived.
        pub arrived: OutControlReg<Bit>,
        /// All threads of this CTA have exited.
        pub empty: OutControlReg<Bit>,
        /// `arrived` of every CTA, including this one.
        pub arrived_of: Signal<In, CtaMask>,
        /// `empty` of every CTA, including this one.
        pub empty_of: Signal<In, CtaMask>,

        /// Number of CTAs.
        pub ctas: usize = ctas,
        /// Number of warps.
        pub warps: usize = warps,
        /// Number of the last warp.
        pub last_warp: usize = warps - 1,
        /// Number of threads.
        pub threads: usize = warps * WARP,
        /// 1 in checked mode, else 0.
        pub checked: usize = checked as usize,

        /// Threads that have exited.
        pub gone: LutRam<LaneMask, WarpIndex> = LutRam::new(warps),
        /// Parity of the last round in which each thread has arrived.
        pub parity: LutRam<LaneMask, WarpIndex> = LutRam::new(warps),
        /// Threads that have arrived and not waited since.
        pub owes: LutRam<LaneMask, WarpIndex> = LutRam::new(warps),
        /// Threads of a suspended or woken warp with a wait.
        pub waiting: LutRam<LaneMask, WarpIndex> = LutRam::new(warps),

        /// The rows have been cleared since reset.
        pub cleared: ControlReg<Bit>,
        /// Row to clear.
        pub row: ControlReg<WarpIndex>,
        /// Parity of the last complete round.
        pub round: ControlReg<Bit>,
        /// Threads of this CTA still to arrive in the round.
        pub missing: ControlReg<ThreadCount>,
        /// Threads of this CTA that have not exited.
        pub live: ControlReg<ThreadCount>,
        /// Warps with threads waiting for the round.
        pub suspended: ControlReg<WarpMask>,
        /// Warps with threads whose round is complete, not yet answered.
        pub woken: ControlReg<WarpMask>,
        /// Woken warps have priority over requests.
        pub turn: ControlReg<Bit>,

        /// The output register can load an answer.
        pub room: Signal<Local, Bit>,
        /// The request waits until its warp has been answered.
        pub held: Signal<Local, Bit>,
        /// The request is accepted.
        pub accepts: Signal<Local, Bit>,
        /// Threads of the request's warp that have exited.
        pub exited: Signal<Local, LaneMask>,
        /// Threads of the request's warp that have arrived and not waited since.
        pub owing: Signal<Local, LaneMask>,
        /// Threads of the request's warp that have arrived in the round.
        pub came: Signal<Local, LaneMask>,
        /// Checked mode: a part of a warp is not aligned.
        pub strict: Signal<Local, Bits<1>>,
        /// Status of the request.
        pub verdict: Signal<Local, StatusCode, StatusView>,
        /// The request is an arrival.
        pub arrives: Signal<Local, Bit>,
        /// The request is a wait.
        pub waits: Signal<Local, Bit>,
        /// The request is an exit.
        pub exits: Signal<Local, Bit>,
        /// Threads of the request that are suspended if it is a wait.
        pub staying: Signal<Local, LaneMask>,
        /// Threads are suspended.
        pub joins: Signal<Local, Bit>,
        /// The request is answered at once.
        pub answers: Signal<Local, Bit>,
        /// Number of threads of the request.
        pub all_lanes: LaneCount,
        /// Number of threads of the request that have not arrived in the round.
        pub new_lanes: LaneCount,
        /// The round is complete.
        pub complete: Signal<Local, Bit>,
        /// Next value of `live`.
        pub living: Signal<Local, ThreadCount>,
        /// `suspended`, with the warp that is suspended in this cycle.
        pub sleepers: Signal<Local, WarpMask>,
        /// `woken`, without the warp that is answered in this cycle.
        pub awake: Signal<Local, WarpMask>,
        /// Next woken warp to answer, one-hot.
        pub choice: Signal<Local, WarpMask>,
        /// Number of that warp.
        pub chosen: Signal<Local, WarpIndex>,
        /// The woken warp is answered.
        pub leaves: Signal<Local, Bit>,
    }
    constants {
        /// Code of an arrival.
        ARRIVE: ActCode = Bits::constant(Act::Arrive.code() as u64);
        /// Code of a wait.
        WAIT: ActCode = Bits::constant(Act::Wait.code() as u64);
        /// Code of an exit.
        EXIT: ActCode = Bits::constant(Act::Exit.code() as u64);
    }
    processes { Drain, Address, Hear, Judge, Keep, Meet, Answer }
    /// One CTA's part, for a cluster of `ctas` CTAs of `warps` warps each.
    built by pub fn new(ctas: usize, warps: usize, checked: bool) {}
}

#[processes]
impl Rendezvous {
    fn drain(&mut self) {
        self.draining.next = self.req.valid.val() & (self.req.op.val() == ARRIVE) & self.req.releases.val();
    }

    fn address(&mut self) {
        self.gone.read_address.next = self.req.warp.val();
        self.parity.read_address.next = self.req.warp.val();
        self.owes.read_address.next = self.req.warp.val();
        self.choice.next = self.woken.q.val() & (!self.woken.q.val() + 1);
        self.chosen.next = 0.into();
        for w in 0..self.warps {
            if self.choice.val().get_bit(w) {
                self.chosen.next = self.chosen.val() | w.to_bits();
            }
        }
        self.waiting.read_address.next = self.chosen.val();
    }

    fn hear(&mut self) {
        self.room.next = !self.rsp_valid.q.val() | self.rsp_ready.val();
        self.held.next = false;
        for w in 0..self.warps {
            if (self.req.warp.val().index() == w) & (self.req.op.val() == WAIT) {
                self.held.next = self.woken.q.val().get_bit(w);
            }
        }
        self.req.ready.next = self.cleared.q.val()
            & self.room.val()
            & !self.held.val()
            & (!self.draining.val() | self.quiet.val())
            & !(self.woken.q.val().any() & self.turn.q.val());
        self.accepts.next = self.req.valid.val() & self.req.ready.val();
    }

    fn judge(&mut self) {
        self.exited.next = self.gone.read_data.val();
        self.owing.next = self.owes.read_data.val();
        self.came.next = self.parity.read_data.val();
        if self.round.q.val() {
            self.came.next = !self.parity.read_data.val();
        }

        // in reverse order of precedence: the last cause found is the one reported
        self.verdict.next = Status::Ok.into();
        if (self.req.op.val() == WAIT) & (self.req.lanes.val() & !self.owing.val()).any() {
            self.verdict.next = Status::MissingArrive.into();
        }
        if (self.req.op.val() == ARRIVE) & (self.req.lanes.val() & (self.owing.val() | self.came.val())).any() {
            self.verdict.next = Status::ArrivedTwice.into();
        }
        self.strict.next = self.checked.to_bits();
        if self.strict.val().any()
            & self.req.aligned.val()
            & (self.req.op.val() != EXIT)
            & (self.req.lanes.val() != !self.exited.val())
        {
            self.verdict.next = Status::DivergentWarp.into();
        }
        if (self.req.lanes.val() & self.exited.val()).any() {
            self.verdict.next = Status::ExitedThread.into();
        }
        if (self.req.op.val() != ARRIVE) & (self.req.op.val() != WAIT) & (self.req.op.val() != EXIT) {
            self.verdict.next = Status::IllegalOperation.into();
        }

        clear!(self.arrives, self.waits, self.exits);
        if self.accepts.val() & (self.verdict.val() == Status::Ok) {
            self.arrives.next = self.req.op.val() == ARRIVE;
            self.waits.next = self.req.op.val() == WAIT;
            self.exits.next = self.req.op.val() == EXIT;
        }
        self.staying.next = self.req.lanes.val() & self.came.val();
        self.joins.next = self.waits.val() & self.staying.val().any();
        self.answers.next = self.accepts.val() & !(self.joins.val() & (self.staying.val() == self.req.lanes.val()));
        self.all_lanes.lanes.next = self.req.lanes.val();
        self.new_lanes.lanes.next = self.req.lanes.val() & !self.came.val();
    }

    fn keep(&mut self) {
        self.gone.write_enable.next = self.exits.val();
        self.gone.write_address.next = self.req.warp.val();
        self.gone.write_data.next = self.exited.val() | self.req.lanes.val();

        self.parity.write_enable.next = self.arrives.val();
        self.parity.write_address.next = self.req.warp.val();
        self.parity.write_data.next = self.parity.read_data.val() | self.req.lanes.val();
        if self.round.q.val() {
            self.parity.write_data.next = self.parity.read_data.val() & !self.req.lanes.val();
        }

        self.owes.write_enable.next = self.arrives.val() | self.waits.val();
        self.owes.write_address.next = self.req.warp.val();
        self.owes.write_data.next = self.owing.val() | self.req.lanes.val();
        if self.waits.val() {
            self.owes.write_data.next = self.owing.val() & !self.req.lanes.val();
        }

        // threads of the warp that have arrived in the round and owe no wait are already suspended
        self.waiting.write_enable.next = self.joins.val();
        self.waiting.write_address.next = self.req.warp.val();
        self.waiting.write_data.next = (self.came.val() & !self.owing.val() & !self.exited.val()) | self.staying.val();

        if !self.cleared.q.val() {
            self.gone.write_enable.next = true;
            self.gone.write_address.next = self.row.q.val();
            self.gone.write_data.next = 0.into();
            self.parity.write_enable.next = true;
            self.parity.write_address.next = self.row.q.val();
            self.parity.write_data.next = 0.into();
            self.owes.write_enable.next = true;
            self.owes.write_address.next = self.row.q.val();
            self.owes.write_data.next = 0.into();
            if self.row.q.val().index() == self.last_warp {
                self.cleared.d.next = true;
            } else {
                self.row.d.next = self.row.q.val() + 1;
            }
        }
    }

    fn meet(&mut self) {
        // a CTA whose threads have all exited has no rounds
        self.complete.next = !self.empty.q.val() | self.suspended.q.val().any();
        for c in 0..self.ctas {
            if (self.arrived_of.val().get_bit(c) == self.round.q.val()) & !self.empty_of.val().get_bit(c) {
                self.complete.next = false;
            }
        }

        self.living.next = self.live.q.val();
        if self.exits.val() {
            self.living.next =
                self.live.q.val() - bit_cast::<THREAD_COUNT, LANE_COUNT_BITS>(self.all_lanes.count.val());
        }
        if self.arrives.val() | self.exits.val() {
            self.missing.d.next =
                self.missing.q.val() - bit_cast::<THREAD_COUNT, LANE_COUNT_BITS>(self.new_lanes.count.val());
        }
        if self.cleared.q.val() & !self.missing.q.val().any() {
            self.arrived.d.next = !self.round.q.val();
            self.empty.d.next = !self.live.q.val().any();
        }

        self.sleepers.next = self.suspended.q.val();
        for w in 0..self.warps {
            if self.joins.val() & (self.req.warp.val().index() == w) {
                self.sleepers.next = self.sleepers.val() | (bits::<WARPS>(1) << w);
            }
        }
        self.suspended.d.next = self.sleepers.val();
        self.leaves.next = self.woken.q.val().any() & self.room.val() & !self.accepts.val();
        self.awake.next = self.woken.q.val();
        if self.leaves.val() {
            self.awake.next = self.woken.q.val() & !self.choice.val();
        }
        self.woken.d.next = self.awake.val();
        if self.complete.val() {
            self.round.d.next = !self.round.q.val();
            self.missing.d.next = self.living.val();
            self.suspended.d.next = 0.into();
            self.woken.d.next = self.awake.val() | self.sleepers.val();
        }
        self.live.d.next = self.living.val();
        if !self.cleared.q.val() {
            self.live.d.next = self.threads.to_bits();
            self.missing.d.next = self.threads.to_bits();
        }
    }

    fn answer(&mut self) {
        self.turn.d.next = self.accepts.val() | (self.turn.q.val() & !self.leaves.val());
        self.rsp_valid.d.next = self.answers.val() | self.leaves.val() | !self.room.val();
        if self.answers.val() {
            connect!(self.rsp_* <<= self.req.*: warp, lanes);
            self.rsp_status.d.next = self.verdict.val();
            if self.waits.val() {
                self.rsp_lanes.d.next = self.req.lanes.val() & !self.came.val();
            }
        }
        if self.leaves.val() {
            self.rsp_warp.d.next = self.chosen.val();
            self.rsp_lanes.d.next = self.waiting.read_data.val();
            self.rsp_status.d.next = Status::Ok.into();
        }
    }
}

#[cfg(test)]
mod tests;
