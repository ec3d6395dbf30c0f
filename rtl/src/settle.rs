//! The order in which every block settles. Derived from what its processes read and drive, and written by
//! `TXBAR_UPDATE_ORDER=1 cargo test -p txbar-rtl schedule`; of a process or block that is no more, delete the line before.

use crate::hdl::Process;

impl crate::bank::Bank {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        self.alu.settle_1();
        Process::<crate::bank::Commit>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::bank::Compare>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_3(&mut self) {
        Process::<crate::bank::Operands>::update(self);
        Process::<crate::bank::Select>::update(self);
        self.alu.settle_2();
    }
    #[inline(always)]
    pub(crate) fn settle_4(&mut self) {
        Process::<crate::bank::Fetch>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_5(&mut self) {
        Process::<crate::bank::Arbitrate>::update(self);
        self.arbiter.settle();
        Process::<crate::bank::Lead>::update(self);
        Process::<crate::bank::Split>::update(self);
        for part in self.replay.iter_mut() { part.settle(); }
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
        self.settle_3();
        self.settle_4();
        self.settle_5();
    }
}

impl crate::bank::alu::Alu {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        for part in self.overrun.iter_mut() { part.settle_1(); }
        Process::<crate::bank::alu::Commit>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::bank::alu::Update>::update(self);
        Process::<crate::bank::alu::Overtake>::update(self);
        for part in self.overrun.iter_mut() { part.settle_2(); }
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::bank::decode::Decode {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::bank::decode::Replace>::update(self);
        Process::<crate::bank::decode::Check>::update(self);
        Process::<crate::bank::decode::Deltas>::update(self);
        Process::<crate::bank::decode::Contents>::update(self);
    }
}

impl crate::bank::lane::Lane {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::bank::lane::Follow>::update(self);
        for part in self.laps.iter_mut() { part.settle(); }
        Process::<crate::bank::lane::Answer>::update(self);
        Process::<crate::bank::lane::Carry>::update(self);
    }
}

impl crate::bank::laps::Laps {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::bank::laps::Run>::update(self);
    }
}

impl crate::bank::overrun::Overrun {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::bank::overrun::Tell>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::bank::overrun::Begin>::update(self);
        self.laps_kept.settle();
        self.laps_moved.settle();
        Process::<crate::bank::overrun::Choose>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::bank::replay::Replay {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::bank::replay::Turns>::update(self);
    }
}

impl crate::banked::Fabric {
    pub(crate) fn settle_1(&mut self) {
        for part in self.returns.iter_mut() { part.settle_1(); }
        Process::<crate::banked::Show>::update(self);
    }
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::banked::Enter>::update(self);
        for part in self.entrance.iter_mut() { part.settle(); }
        Process::<crate::banked::Stop>::update(self);
        Process::<crate::banked::Bring>::update(self);
        for part in self.gather.iter_mut() { part.settle(); }
        Process::<crate::banked::Gathered>::update(self);
        for part in self.pipeline.iter_mut() { part.settle(); }
        Process::<crate::banked::Park>::update(self);
        for part in self.parking.iter_mut() { part.settle(); }
        Process::<crate::banked::Return>::update(self);
        for part in self.returns.iter_mut() { part.settle_2(); }
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::banked::backlog::Backlog {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::banked::backlog::Move>::update(self);
        self.head.settle();
        self.tail.settle();
        Process::<crate::banked::backlog::Keep>::update(self);
        for part in self.outcomes.iter_mut() { part.read(); }
        for part in self.contents.iter_mut() { part.read(); }
        Process::<crate::banked::backlog::Show>::update(self);
    }
}

impl crate::banked::batches::Batches {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::banked::batches::Count>::update(self);
        self.comers.settle();
        self.left.settle();
        Process::<crate::banked::batches::Come>::update(self);
        self.oldest.settle();
        self.behind.settle();
        self.filling.settle();
        self.serving.settle();
        Process::<crate::banked::batches::Serve>::update(self);
        self.firsts.read();
        self.others.read();
        self.plurals.read();
        Process::<crate::banked::batches::Turn>::update(self);
    }
}

impl crate::banked::entrance::Entrance {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::banked::entrance::Look>::update(self);
        Process::<crate::banked::entrance::Owe>::update(self);
        self.owed.settle();
    }
}

impl crate::banked::gather::Gather {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::banked::gather::Wait>::update(self);
        self.batches.settle();
        Process::<crate::banked::gather::Crowd>::update(self);
        self.held.settle();
        Process::<crate::banked::gather::Take>::update(self);
        for part in self.heads.iter_mut() { part.read(); }
        for part in self.rows.iter_mut() { part.read(); }
        for part in self.contents.iter_mut() { part.read(); }
        for part in self.strobes.iter_mut() { part.read(); }
        for part in self.tags.iter_mut() { part.read(); }
        Process::<crate::banked::gather::Choose>::update(self);
    }
}

impl crate::banked::parking::Parking {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        for part in self.limits.iter_mut() { part.settle(); }
        for part in self.timer.iter_mut() { part.settle(); }
        Process::<crate::banked::parking::Enter>::update(self);
        Process::<crate::banked::parking::Weigh>::update(self);
        for part in self.table.iter_mut() { part.settle(); }
        Process::<crate::banked::parking::Tell>::update(self);
        Process::<crate::banked::parking::Reply>::update(self);
    }
}

impl crate::banked::pipeline::Pipeline {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        self.decode.settle();
        self.bank.settle_1();
        Process::<crate::banked::pipeline::Outcome>::update(self);
        self.lane.settle();
        Process::<crate::banked::pipeline::Tell>::update(self);
        Process::<crate::banked::pipeline::Enter>::update(self);
        self.bank.settle_5();
        Process::<crate::banked::pipeline::Lead>::update(self);
        self.bank.settle_4();
        Process::<crate::banked::pipeline::Gather>::update(self);
        self.bank.settle_3();
        Process::<crate::banked::pipeline::Written>::update(self);
        self.bank.settle_2();
    }
}

impl crate::banked::returns::Returns {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::banked::returns::Show>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::banked::returns::Wait>::update(self);
        self.batches.settle();
        Process::<crate::banked::returns::Take>::update(self);
        for part in self.outcomes.iter_mut() { part.read(); }
        for part in self.contents.iter_mut() { part.read(); }
        Process::<crate::banked::returns::Choose>::update(self);
        self.backlog.settle();
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::banked::table::Limits {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::banked::table::Name>::update(self);
        Process::<crate::banked::table::Bound>::update(self);
    }
}

impl crate::banked::table::Table {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::banked::table::Park>::update(self);
        Process::<crate::banked::table::Wake>::update(self);
        Process::<crate::banked::table::Foresee>::update(self);
        Process::<crate::banked::table::Leave>::update(self);
    }
}

impl crate::banked::tally::Tally {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::banked::tally::Find>::update(self);
        Process::<crate::banked::tally::Count>::update(self);
    }
}

impl crate::banked::unit::BankedHighClock {
    /// Settles the block: every process once, in an order of the data.
    pub fn settle(&mut self) {
        self.fabric.settle_1();
        Process::<crate::banked::unit::Outcome>::update(self);
        Process::<crate::banked::unit::Respond>::update(self);
        Process::<crate::banked::unit::Request>::update(self);
        self.fabric.settle_2();
    }
}

impl crate::board::beat::Beat {
    /// Settles the block: every process once, in an order of the data.
    pub fn settle(&mut self) {
        Process::<crate::board::beat::Turn>::update(self);
    }
}

impl crate::board::bridge::Bridge {
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::board::bridge::Show>::update(self);
        Process::<crate::board::bridge::Send>::update(self);
    }
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::board::bridge::Judge>::update(self);
        Process::<crate::board::bridge::Keep>::update(self);
        Process::<crate::board::bridge::Next>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::board::bridge_top::BridgeTop {
    /// Settles the block: every process once, in an order of the data.
    pub fn settle(&mut self) {
        self.rx.settle();
        self.tx.settle_1();
        self.framer.settle_1();
        self.beat.settle();
        Process::<crate::board::bridge_top::Hear>::update(self);
        Process::<crate::board::bridge_top::Speak>::update(self);
        self.tx.settle_2();
        self.bridge.settle_1();
        Process::<crate::board::bridge_top::Drive>::update(self);
        self.deframer.settle();
        self.unit.settle();
        Process::<crate::board::bridge_top::Collect>::update(self);
        self.bridge.settle_2();
        Process::<crate::board::bridge_top::Light>::update(self);
        self.framer.settle_2();
    }
}

impl crate::board::checksum::Checksum {
    /// Settles the block: every process once, in an order of the data.
    pub fn settle(&mut self) {
        Process::<crate::board::checksum::Step>::update(self);
    }
}

impl crate::board::conductor::Conductor {
    /// Settles the block: every process once, in an order of the data.
    pub fn settle(&mut self) {
        Process::<crate::board::conductor::Know>::update(self);
        Process::<crate::board::conductor::Turn>::update(self);
    }
}

impl crate::board::deframer::Deframer {
    /// Settles the block: every process once, in an order of the data.
    pub fn settle(&mut self) {
        Process::<crate::board::deframer::Meaning>::update(self);
        self.checksum.settle();
        Process::<crate::board::deframer::Collect>::update(self);
    }
}

impl crate::board::framer::Framer {
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::board::framer::Spell>::update(self);
    }
    pub(crate) fn settle_2(&mut self) {
        self.checksum.settle();
        Process::<crate::board::framer::Step>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::board::oracle::Oracle {
    /// Settles the block: every process once, in an order of the data.
    pub fn settle(&mut self) {
        Process::<crate::board::oracle::Read>::update(self);
        Process::<crate::board::oracle::Reckon>::update(self);
        Process::<crate::board::oracle::Judge>::update(self);
        Process::<crate::board::oracle::Conclude>::update(self);
    }
}

impl crate::board::reporter::Reporter {
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::board::reporter::Spell>::update(self);
    }
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::board::reporter::Step>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::board::tester::Tester {
    pub(crate) fn settle_1(&mut self) {
        self.lfsr.settle();
        Process::<crate::board::tester::Offer>::update(self);
    }
    pub(crate) fn settle_2(&mut self) {
        self.own.read();
        self.queue.settle_1();
        Process::<crate::board::tester::Foresee>::update(self);
        self.oracle.settle();
        Process::<crate::board::tester::Compare>::update(self);
        Process::<crate::board::tester::Choose>::update(self);
        Process::<crate::board::tester::Keep>::update(self);
        self.queue.settle_2();
        Process::<crate::board::tester::Follow>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::board::uart_rx::UartRx {
    /// Settles the block: every process once, in an order of the data.
    pub fn settle(&mut self) {
        Process::<crate::board::uart_rx::Receive>::update(self);
    }
}

impl crate::board::uart_tx::UartTx {
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::board::uart_tx::Show>::update(self);
    }
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::board::uart_tx::Send>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::board::verdict::Verdict {
    /// Settles the block: every process once, in an order of the data.
    pub fn settle(&mut self) {
        Process::<crate::board::verdict::Find>::update(self);
        Process::<crate::board::verdict::Write>::update(self);
    }
}

impl crate::cells::arbiter::CopierArbiter {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::cells::arbiter::GrantCopier>::update(self);
    }
}

impl crate::cells::arbiter::CtaArbiter {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::cells::arbiter::GrantCta>::update(self);
    }
}

impl crate::cells::arbiter::RoundRobin {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::cells::arbiter::Grant>::update(self);
    }
}

impl crate::cells::fifo::Fifo {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        if self.valid.q.val() {
            Process::<crate::cells::fifo::Look>::update(self);
            for part in self.store.iter_mut() { part.read(); }
            Process::<crate::cells::fifo::Show>::update(self);
        }
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::cells::fifo::Move>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::cells::lane_count::LaneCount {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::cells::lane_count::Add>::update(self);
    }
}

impl crate::cells::level::Level {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::cells::level::Step>::update(self);
    }
}

impl crate::cells::lfsr::Lfsr {
    /// Settles the block: every process once, in an order of the data.
    pub fn settle(&mut self) {
        Process::<crate::cells::lfsr::Roll>::update(self);
    }
}

impl crate::cells::steps::Steps {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::cells::steps::Step>::update(self);
    }
}

impl crate::cells::timer::Timer {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::cells::timer::Count>::update(self);
    }
}

impl crate::cluster::Cluster {
    /// Settles the block: every process once, in an order of the data. `know` is called before each step, `look` at each point.
    #[inline(always)]
    pub(crate) fn settle_steps(&mut self, know: impl Fn(&Self), mut look: impl FnMut(&mut Self, crate::cluster::Point)) {
        know(self);
        Process::<crate::cluster::Heed>::update(self);
        know(self);
        for part in self.coalesce.iter_mut() { part.settle_1(); }
        know(self);
        for part in self.scatter.iter_mut() { part.settle_1(); }
        know(self);
        for part in self.access.iter_mut() { part.settle_1(); }
        know(self);
        for part in self.deliver.iter_mut() { part.settle_1(); }
        know(self);
        Process::<crate::cluster::Drive>::update(self);
        know(self);
        for part in self.cta.iter_mut() { part.settle_1(); }
        know(self);
        for part in self.requests.iter_mut() { part.settle_1(); }
        know(self);
        for part in self.answers.iter_mut() { part.settle_1(); }
        know(self);
        for part in self.beats.iter_mut() { part.settle_1(); }
        know(self);
        Process::<crate::cluster::Bring>::update(self);
        look(self, crate::cluster::Point::Brought);
        know(self);
        for part in self.cta.iter_mut() { part.settle_2(); }
        look(self, crate::cluster::Point::Sent);
        know(self);
        Process::<crate::cluster::Ask>::update(self);
        know(self);
        for part in self.asks.iter_mut() { part.settle(); }
        know(self);
        for part in self.replies.iter_mut() { part.settle(); }
        know(self);
        for part in self.casts.iter_mut() { part.settle(); }
        know(self);
        Process::<crate::cluster::Route>::update(self);
        look(self, crate::cluster::Point::Routed);
        know(self);
        for part in self.cta.iter_mut() { part.settle_3(); }
        know(self);
        Process::<crate::cluster::Take>::update(self);
        know(self);
        Process::<crate::cluster::Show>::update(self);
        know(self);
        Process::<crate::cluster::Gather>::update(self);
        know(self);
        for part in self.coalesce.iter_mut() { part.settle_2(); }
        know(self);
        for part in self.access.iter_mut() { part.settle_2(); }
        know(self);
        Process::<crate::cluster::Hand>::update(self);
        know(self);
        for part in self.scatter.iter_mut() { part.settle_2(); }
        know(self);
        for part in self.requests.iter_mut() { part.settle_2(); }
        know(self);
        for part in self.answers.iter_mut() { part.settle_2(); }
        know(self);
        for part in self.beats.iter_mut() { part.settle_2(); }
        know(self);
        for part in self.deliver.iter_mut() { part.settle_2(); }
        look(self, crate::cluster::Point::Settled);
    }
}

impl crate::cluster::cta::Cta {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::cluster::cta::Stand>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        self.copier.settle_1();
        self.sender.settle_1();
        self.outlet.settle_1();
        for part in self.tensor.iter_mut() { part.settle_1(); }
        for part in self.replies.iter_mut() { part.settle_1(); }
        Process::<crate::cluster::cta::Greet>::update(self);
        self.rendezvous.settle_1();
        Process::<crate::cluster::cta::Open>::update(self);
        Process::<crate::cluster::cta::Ask>::update(self);
        Process::<crate::cluster::cta::Meet>::update(self);
        self.outlet.settle_2();
        self.junction.settle_1();
        Process::<crate::cluster::cta::Land>::update(self);
        self.completer.settle_1();
        Process::<crate::cluster::cta::Admit>::update(self);
        self.reducer.settle_1();
        Process::<crate::cluster::cta::Knock>::update(self);
        self.unit.settle();
        Process::<crate::cluster::cta::Depart>::update(self);
        for part in self.arbiter.iter_mut() { part.settle(); }
        Process::<crate::cluster::cta::Send>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_3(&mut self) {
        for part in self.answers.iter_mut() { part.settle_1(); }
        for part in self.askers.iter_mut() { part.settle_1(); }
        Process::<crate::cluster::cta::Show>::update(self);
        Process::<crate::cluster::cta::Take>::update(self);
        self.rendezvous.settle_2();
        for part in self.answers.iter_mut() { part.settle_2(); }
        Process::<crate::cluster::cta::Answer>::update(self);
        for part in self.askers.iter_mut() { part.settle_2(); }
        for part in self.replies.iter_mut() { part.settle_2(); }
        Process::<crate::cluster::cta::Copy>::update(self);
        self.copier.settle_3();
        self.junction.settle_2();
        self.completer.settle_2();
        Process::<crate::cluster::cta::Sort>::update(self);
        for part in self.inlet.iter_mut() { part.settle(); }
        Process::<crate::cluster::cta::Share>::update(self);
        for part in self.tensor.iter_mut() { part.settle_2(); }
        Process::<crate::cluster::cta::Serve>::update(self);
        self.copier.settle_2(); self.copier.settle_4();
        self.outlet.settle_3();
        self.poster.settle();
        self.reducer.settle_2();
        Process::<crate::cluster::cta::Pass>::update(self);
        self.sender.settle_2();
        Process::<crate::cluster::cta::Hand>::update(self);
        for part in self.tensor.iter_mut() { part.settle_3(); }
        Process::<crate::cluster::cta::Tell>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
        self.settle_3();
    }
}

impl crate::cluster::link::Link {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        self.queue.settle_1();
        Process::<crate::cluster::link::Show>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::cluster::link::Move>::update(self);
        self.queue.settle_2();
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::cluster::rendezvous::Rendezvous {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::cluster::rendezvous::Drain>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::cluster::rendezvous::Address>::update(self);
        self.gone.read();
        self.parity.read();
        self.owes.read();
        self.waiting.read();
        Process::<crate::cluster::rendezvous::Hear>::update(self);
        Process::<crate::cluster::rendezvous::Judge>::update(self);
        self.all_lanes.settle();
        self.new_lanes.settle();
        Process::<crate::cluster::rendezvous::Keep>::update(self);
        Process::<crate::cluster::rendezvous::Meet>::update(self);
        Process::<crate::cluster::rendezvous::Answer>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::copies::completer::Completer {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::copies::completer::Admit>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::copies::completer::Move>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::copies::copier::Copier {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        self.tracker.settle_1();
        Process::<crate::copies::copier::Show>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::copies::copier::Find>::update(self);
        self.progress.read();
        self.place.read();
        self.shape.read();
        self.burst_barrier.read();
        self.burst_ctas.read();
        Process::<crate::copies::copier::Turned>::update(self);
        Process::<crate::copies::copier::Place>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_3(&mut self) {
        Process::<crate::copies::copier::Judge>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_4(&mut self) {
        self.burst_thread.read();
        self.burst_turn.read();
        for part in self.kept.iter_mut() { part.read(); }
        Process::<crate::copies::copier::Land>::update(self);
        self.tracker.settle_3();
        Process::<crate::copies::copier::Keep>::update(self);
        Process::<crate::copies::copier::Choose>::update(self);
        Process::<crate::copies::copier::Table>::update(self);
        Process::<crate::copies::copier::Offer>::update(self);
        self.tracker.settle_2();
        Process::<crate::copies::copier::Accept>::update(self);
        self.tracker.settle_4();
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
        self.settle_3();
        self.settle_4();
    }
}

impl crate::copies::junction::Junction {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::copies::junction::Choose>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::copies::junction::Move>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::copies::ledger::Ledger {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::copies::ledger::Show>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::copies::ledger::Wait>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_3(&mut self) {
        self.owner.read();
        Process::<crate::copies::ledger::Move>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
        self.settle_3();
    }
}

impl crate::copies::outlet::Outlet {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        self.way.settle_1();
        self.blocks.settle_1();
        Process::<crate::copies::outlet::Show>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::copies::outlet::Look>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_3(&mut self) {
        Process::<crate::copies::outlet::Move>::update(self);
        self.way.settle_2();
        self.blocks.settle_2();
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
        self.settle_3();
    }
}

impl crate::copies::post::Post {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::copies::post::Name>::update(self);
        self.lawful.settle();
        Process::<crate::copies::post::Judge>::update(self);
        Process::<crate::copies::post::Place>::update(self);
    }
}

impl crate::copies::reducer::Reducer {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::copies::reducer::Show>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::copies::reducer::Step>::update(self);
        Process::<crate::copies::reducer::Compute>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::copies::reduction::Lawful {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::copies::reduction::Rule>::update(self);
    }
}

impl crate::copies::sender::Sender {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        self.ledger.settle_1();
        Process::<crate::copies::sender::Show>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::copies::sender::Name>::update(self);
        self.ledger.settle_2();
        self.lawful.settle();
        Process::<crate::copies::sender::Judge>::update(self);
        Process::<crate::copies::sender::Accept>::update(self);
        self.ledger.settle_3();
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::copies::tensor::Tensor {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::copies::tensor::Look>::update(self);
        Process::<crate::copies::tensor::Ask>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::copies::tensor::Owe>::update(self);
        self.outward.settle_1();
        Process::<crate::copies::tensor::Tell>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_3(&mut self) {
        self.maps.settle_1();
        self.rows.settle_1();
        Process::<crate::copies::tensor::Feed>::update(self);
        self.fields.settle();
        Process::<crate::copies::tensor::Begin>::update(self);
        self.sizer.settle();
        self.origin.settle_1();
        self.operator.settle();
        Process::<crate::copies::tensor::Judge>::update(self);
        self.origin.settle_2();
        Process::<crate::copies::tensor::Run>::update(self);
        self.maps.settle_2();
        self.lander.settle_1();
        Process::<crate::copies::tensor::Join>::update(self);
        self.cutter.settle();
        Process::<crate::copies::tensor::Accept>::update(self);
        self.rows.settle_2();
        self.lander.settle_2();
        self.outward.settle_2();
        Process::<crate::copies::tensor::Show>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
        self.settle_3();
    }
}

impl crate::copies::tensor::bursts::Cutter {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::copies::tensor::bursts::Cut>::update(self);
        Process::<crate::copies::tensor::bursts::Go>::update(self);
    }
}

impl crate::copies::tensor::fields::MapFields {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::copies::tensor::fields::Read>::update(self);
    }
}

impl crate::copies::tensor::inlet::Inlet {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::copies::tensor::inlet::Choose>::update(self);
        Process::<crate::copies::tensor::inlet::Sort>::update(self);
        Process::<crate::copies::tensor::inlet::Move>::update(self);
    }
}

impl crate::copies::tensor::lander::Lander {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::copies::tensor::lander::Offer>::update(self);
        Process::<crate::copies::tensor::lander::Find>::update(self);
        self.progress.read();
        self.place.read();
        self.form.read();
        self.burst_barrier.read();
        self.burst_ctas.read();
        Process::<crate::copies::tensor::lander::Feed>::update(self);
        for part in self.rounding.iter_mut() { part.settle(); }
        Process::<crate::copies::tensor::lander::Cut>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        for part in self.kept.iter_mut() { part.read(); }
        Process::<crate::copies::tensor::lander::Choose>::update(self);
        Process::<crate::copies::tensor::lander::Store>::update(self);
        Process::<crate::copies::tensor::lander::Land>::update(self);
        Process::<crate::copies::tensor::lander::Swizzle>::update(self);
        Process::<crate::copies::tensor::lander::Keep>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::copies::tensor::maps::Maps {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::copies::tensor::maps::Find>::update(self);
        for part in self.store.iter_mut() { part.read(); }
        self.measures.read();
        Process::<crate::copies::tensor::maps::Show>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::copies::tensor::maps::Move>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::copies::tensor::operator::Operator {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::copies::tensor::operator::Name>::update(self);
        self.lawful.settle();
        Process::<crate::copies::tensor::operator::Judge>::update(self);
    }
}

impl crate::copies::tensor::origin::Origin {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::copies::tensor::origin::Reckon>::update(self);
        Process::<crate::copies::tensor::origin::Measure>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::copies::tensor::origin::Step>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::copies::tensor::outward::Outward {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::copies::tensor::outward::Offer>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::copies::tensor::outward::Keep>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::copies::tensor::rounding::Rounding {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::copies::tensor::rounding::Round>::update(self);
    }
}

impl crate::copies::tensor::rows::Rows {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::copies::tensor::rows::Look>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::copies::tensor::rows::Go>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::copies::tensor::sizer::Sizer {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::copies::tensor::sizer::Judge>::update(self);
        Process::<crate::copies::tensor::sizer::Divide>::update(self);
        Process::<crate::copies::tensor::sizer::Measure>::update(self);
    }
}

impl crate::copies::tracker::Tracker {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::copies::tracker::Address>::update(self);
        for part in self.entry.iter_mut() { part.read(); }
        Process::<crate::copies::tracker::Look>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::copies::tracker::Offer>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_3(&mut self) {
        Process::<crate::copies::tracker::Ask>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_4(&mut self) {
        self.arbiter.settle();
        Process::<crate::copies::tracker::Show>::update(self);
        Process::<crate::copies::tracker::Step>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
        self.settle_3();
        self.settle_4();
    }
}

impl crate::high_clock::Deep {
    /// Settles the block: every process once, in an order of the data.
    pub fn settle(&mut self) {
        Process::<crate::high_clock::Enter>::update(self);
        self.intake.settle();
        Process::<crate::high_clock::Weigh>::update(self);
        self.verdict.settle();
        Process::<crate::high_clock::Feed>::update(self);
        self.ring.settle();
        Process::<crate::high_clock::Travel>::update(self);
        self.train.settle();
        Process::<crate::high_clock::Look>::update(self);
        self.lookahead.settle();
        Process::<crate::high_clock::Loop>::update(self);
        self.accumulator.settle();
        Process::<crate::high_clock::Answer>::update(self);
        self.answers.settle();
        Process::<crate::high_clock::Show>::update(self);
        Process::<crate::high_clock::Count>::update(self);
    }
}

impl crate::high_clock::accumulator::Accumulator {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::high_clock::accumulator::Fetch>::update(self);
        Process::<crate::high_clock::accumulator::Find>::update(self);
        Process::<crate::high_clock::accumulator::Add>::update(self);
        Process::<crate::high_clock::accumulator::Select>::update(self);
        Process::<crate::high_clock::accumulator::Complete>::update(self);
        Process::<crate::high_clock::accumulator::Base>::update(self);
        Process::<crate::high_clock::accumulator::Keep>::update(self);
    }
}

impl crate::high_clock::answers::Answers {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::high_clock::answers::Store>::update(self);
        Process::<crate::high_clock::answers::Front>::update(self);
        Process::<crate::high_clock::answers::Show>::update(self);
    }
}

impl crate::high_clock::intake::Intake {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::high_clock::intake::Classify>::update(self);
        Process::<crate::high_clock::intake::Judge>::update(self);
        Process::<crate::high_clock::intake::Kinds>::update(self);
    }
}

impl crate::high_clock::lookahead::Lookahead {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::high_clock::lookahead::Compare>::update(self);
        Process::<crate::high_clock::lookahead::Choose>::update(self);
        Process::<crate::high_clock::lookahead::Gate>::update(self);
        Process::<crate::high_clock::lookahead::Pair>::update(self);
        Process::<crate::high_clock::lookahead::Total>::update(self);
        Process::<crate::high_clock::lookahead::Carry>::update(self);
    }
}

impl crate::high_clock::ring::Ring {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::high_clock::ring::Show>::update(self);
        Process::<crate::high_clock::ring::Address>::update(self);
        self.early.read();
        Process::<crate::high_clock::ring::Step>::update(self);
    }
}

impl crate::high_clock::train::Train {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::high_clock::train::Begin>::update(self);
        Process::<crate::high_clock::train::Move>::update(self);
    }
}

impl crate::high_clock::unit::HighClock {
    /// Settles the block: every process once, in an order of the data.
    pub fn settle(&mut self) {
        Process::<crate::high_clock::unit::Request>::update(self);
        for part in self.deep.iter_mut() { part.settle(); }
        Process::<crate::high_clock::unit::Outcome>::update(self);
        Process::<crate::high_clock::unit::Respond>::update(self);
        Process::<crate::high_clock::unit::Taken>::update(self);
    }
}

impl crate::high_clock::verdict::Verdict {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::high_clock::verdict::Write>::update(self);
        Process::<crate::high_clock::verdict::Weigh>::update(self);
        Process::<crate::high_clock::verdict::Judge>::update(self);
        Process::<crate::high_clock::verdict::Tell>::update(self);
    }
}

impl crate::low_latency::check::Check {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::low_latency::check::Classify>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::low_latency::check::Judge>::update(self);
        Process::<crate::low_latency::check::Move>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::low_latency::check::Shadow {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::low_latency::check::Point>::update(self);
        self.bits.read();
        Process::<crate::low_latency::check::Known>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::low_latency::check::Follow>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::low_latency::combine::Combine {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::low_latency::combine::Pair>::update(self);
    }
}

impl crate::low_latency::counters::Counters {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::low_latency::counters::Find>::update(self);
        self.shown.read();
        Process::<crate::low_latency::counters::Read>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        self.counted.read();
        Process::<crate::low_latency::counters::Count>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::low_latency::ending::Ending {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::low_latency::ending::End>::update(self);
        Process::<crate::low_latency::ending::Carry>::update(self);
    }
}

impl crate::low_latency::inlets::door::Door {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::low_latency::inlets::door::Collect>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::low_latency::inlets::door::Pick>::update(self);
        Process::<crate::low_latency::inlets::door::Offer>::update(self);
        Process::<crate::low_latency::inlets::door::Carry>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::low_latency::inlets::gate::Gate {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::low_latency::inlets::gate::See>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::low_latency::inlets::gate::Open>::update(self);
        Process::<crate::low_latency::inlets::gate::Hand>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::low_latency::inlets::turns::Turns {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::low_latency::inlets::turns::Show>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::low_latency::inlets::turns::Count>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::low_latency::issue::Issue {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::low_latency::issue::Stand>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::low_latency::issue::Choose>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_3(&mut self) {
        Process::<crate::low_latency::issue::Take>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
        self.settle_3();
    }
}

impl crate::low_latency::queue::ResponseQueue {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::low_latency::queue::Address>::update(self);
        self.outcomes.read();
        self.contents.read();
        Process::<crate::low_latency::queue::Show>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::low_latency::queue::Count>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::low_latency::recall::Recall {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::low_latency::recall::Keep>::update(self);
    }
}

impl crate::low_latency::totals::Totals {
    /// Settles the block: every process once, in an order of the data.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<crate::low_latency::totals::Begin>::update(self);
        self.completing.settle();
        for part in self.tally.iter_mut() { part.settle(); }
        Process::<crate::low_latency::totals::Sum>::update(self);
    }
}

impl crate::low_latency::unit::Unit {
    /// Settles the block: every process once, in an order of the data. `know` is called before each step, `look` at each point.
    #[inline(always)]
    pub(crate) fn settle_steps(&mut self, know: impl Fn(&Self), mut look: impl FnMut(&mut Self, crate::plant::Point)) {
        know(self);
        for part in self.bank.iter_mut() { part.settle_1(); }
        look(self, crate::plant::Point::Committed);
        know(self);
        Process::<crate::low_latency::unit::Advance>::update(self);
        know(self);
        Process::<crate::low_latency::unit::Find>::update(self);
        know(self);
        for part in self.door.iter_mut() { part.settle_1(); }
        know(self);
        Process::<crate::low_latency::unit::Tell>::update(self);
        know(self);
        Process::<crate::low_latency::unit::Outcome>::update(self);
        know(self);
        for part in self.lane.iter_mut() { part.settle(); }
        know(self);
        Process::<crate::low_latency::unit::Seek>::update(self);
        know(self);
        for part in self.waiters.iter_mut() { part.settle_3(); }
        know(self);
        for part in self.check.iter_mut() { part.settle_1(); }
        know(self);
        for part in self.shadow.iter_mut() { part.settle_1(); }
        know(self);
        for part in self.wakes.iter_mut() { part.settle_2(); }
        know(self);
        Process::<crate::low_latency::unit::Compare>::update(self);
        know(self);
        for part in self.gate.iter_mut() { part.settle_1(); }
        know(self);
        Process::<crate::low_latency::unit::Reveal>::update(self);
        know(self);
        for part in self.check.iter_mut() { part.settle_2(); }
        know(self);
        Process::<crate::low_latency::unit::Suspend>::update(self);
        know(self);
        for part in self.ending.iter_mut() { part.settle(); }
        know(self);
        Process::<crate::low_latency::unit::Event>::update(self);
        know(self);
        Process::<crate::low_latency::unit::Look>::update(self);
        know(self);
        for part in self.waiters.iter_mut() { part.settle_2(); }
        know(self);
        for part in self.counters.iter_mut() { part.settle_1(); }
        know(self);
        for part in self.wakes.iter_mut() { part.settle_1(); }
        look(self, crate::plant::Point::Answered);
        know(self);
        for part in self.queue.iter_mut() { part.settle_1(); }
        know(self);
        Process::<crate::low_latency::unit::Respond>::update(self);
        look(self, crate::plant::Point::Requested);
        know(self);
        Process::<crate::low_latency::unit::Lock>::update(self);
        know(self);
        for part in self.turns.iter_mut() { part.settle_1(); }
        know(self);
        Process::<crate::low_latency::unit::Enter>::update(self);
        know(self);
        for part in self.issue.iter_mut() { part.settle_1(); }
        know(self);
        for part in self.door.iter_mut() { part.settle_2(); }
        know(self);
        Process::<crate::low_latency::unit::Admit>::update(self);
        know(self);
        for part in self.gate.iter_mut() { part.settle_2(); }
        know(self);
        Process::<crate::low_latency::unit::Offer>::update(self);
        know(self);
        for part in self.issue.iter_mut() { part.settle_2(); }
        know(self);
        Process::<crate::low_latency::unit::Depart>::update(self);
        know(self);
        Process::<crate::low_latency::unit::Request>::update(self);
        know(self);
        Process::<crate::low_latency::unit::Share>::update(self);
        know(self);
        for part in self.bank.iter_mut() { part.settle_5(); }
        know(self);
        for part in self.combine.iter_mut() { part.settle(); }
        look(self, crate::plant::Point::Granted);
        know(self);
        Process::<crate::low_latency::unit::Accept>::update(self);
        know(self);
        for part in self.issue.iter_mut() { part.settle_3(); }
        know(self);
        Process::<crate::low_latency::unit::Taken>::update(self);
        know(self);
        Process::<crate::low_latency::unit::Replayed>::update(self);
        know(self);
        for part in self.decode.iter_mut() { part.settle(); }
        know(self);
        Process::<crate::low_latency::unit::Gather>::update(self);
        look(self, crate::plant::Point::Gathered);
        know(self);
        Process::<crate::low_latency::unit::Written>::update(self);
        know(self);
        Process::<crate::low_latency::unit::Tally>::update(self);
        know(self);
        for part in self.waiters.iter_mut() { part.settle_1(); part.settle_4(); part.settle_5(); }
        know(self);
        for part in self.counters.iter_mut() { part.settle_2(); }
        know(self);
        for part in self.totals.iter_mut() { part.settle(); }
        know(self);
        for part in self.timer.iter_mut() { part.settle(); }
        know(self);
        for part in self.bank.iter_mut() { part.settle_2(); part.settle_3(); part.settle_4(); }
        know(self);
        for part in self.queue.iter_mut() { part.settle_2(); }
        know(self);
        for part in self.recall.iter_mut() { part.settle(); }
        know(self);
        for part in self.shadow.iter_mut() { part.settle_2(); }
        know(self);
        for part in self.wakes.iter_mut() { part.settle_3(); part.settle_4(); }
        know(self);
        for part in self.turns.iter_mut() { part.settle_2(); }
        look(self, crate::plant::Point::Settled);
    }
}

impl crate::low_latency::waiters::Waiters {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::low_latency::waiters::Relate>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::low_latency::waiters::Enter>::update(self);
        self.holds.settle_1();
        Process::<crate::low_latency::waiters::Hold>::update(self);
        Process::<crate::low_latency::waiters::Choose>::update(self);
        self.name.read();
        Process::<crate::low_latency::waiters::Show>::update(self);
        Process::<crate::low_latency::waiters::Park>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_3(&mut self) {
        self.deadlines.settle_1();
        Process::<crate::low_latency::waiters::End>::update(self);
        Process::<crate::low_latency::waiters::Watch>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_4(&mut self) {
        Process::<crate::low_latency::waiters::Answer>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_5(&mut self) {
        Process::<crate::low_latency::waiters::Store>::update(self);
        self.deadlines.settle_2();
        self.holds.settle_2();
        Process::<crate::low_latency::waiters::Wake>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
        self.settle_3();
        self.settle_4();
        self.settle_5();
    }
}

impl crate::low_latency::waiters::deadlines::Deadlines {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::low_latency::waiters::deadlines::Expire>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::low_latency::waiters::deadlines::Limit>::update(self);
        Process::<crate::low_latency::waiters::deadlines::Store>::update(self);
        self.deadline.read();
        Process::<crate::low_latency::waiters::deadlines::Look>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::low_latency::waiters::holds::Holds {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::low_latency::waiters::holds::Meet>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::low_latency::waiters::holds::Follow>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::low_latency::wakes::Wakes {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::low_latency::wakes::Enter>::update(self);
        self.claims.settle_1();
        Process::<crate::low_latency::wakes::Hold>::update(self);
        Process::<crate::low_latency::wakes::Park>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        self.limits.settle_1();
        Process::<crate::low_latency::wakes::End>::update(self);
        Process::<crate::low_latency::wakes::Watch>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_3(&mut self) {
        Process::<crate::low_latency::wakes::Tell>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_4(&mut self) {
        Process::<crate::low_latency::wakes::Store>::update(self);
        self.claims.settle_2();
        self.limits.settle_2();
        Process::<crate::low_latency::wakes::Wake>::update(self);
        Process::<crate::low_latency::wakes::Relate>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
        self.settle_3();
        self.settle_4();
    }
}

impl crate::low_latency::wakes::claims::Claims {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::low_latency::wakes::claims::Meet>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::low_latency::wakes::claims::Claim>::update(self);
        Process::<crate::low_latency::wakes::claims::Follow>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::low_latency::wakes::limits::Limits {
    #[inline(always)]
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::low_latency::wakes::limits::Expire>::update(self);
    }
    #[inline(always)]
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::low_latency::wakes::limits::Limit>::update(self);
        Process::<crate::low_latency::wakes::limits::Store>::update(self);
        self.deadline.read();
        Process::<crate::low_latency::wakes::limits::Look>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::warp::WarpUnit {
    /// Settles the block: every process once, in an order of the data. `know` is called before each step, `look` at each point.
    #[inline(always)]
    pub(crate) fn settle_steps(&mut self, know: impl Fn(&Self), mut look: impl FnMut(&mut Self, crate::warp::Point)) {
        know(self);
        Process::<crate::warp::Answer>::update(self);
        know(self);
        for part in self.scatter.iter_mut() { part.settle_1(); }
        know(self);
        for part in self.deliver.iter_mut() { part.settle_1(); }
        look(self, crate::warp::Point::Shown);
        know(self);
        for part in self.coalesce.iter_mut() { part.settle_1(); }
        know(self);
        Process::<crate::warp::Contend>::update(self);
        know(self);
        Process::<crate::warp::Drive>::update(self);
        know(self);
        for part in self.turn.iter_mut() { part.settle(); }
        know(self);
        Process::<crate::warp::Enter>::update(self);
        know(self);
        for part in self.access.iter_mut() { part.settle_1(); }
        look(self, crate::warp::Point::Asked);
        know(self);
        self.unit.settle();
        know(self);
        Process::<crate::warp::Accept>::update(self);
        know(self);
        for part in self.coalesce.iter_mut() { part.settle_2(); }
        look(self, crate::warp::Point::Grouped);
        know(self);
        for part in self.access.iter_mut() { part.settle_2(); }
        know(self);
        Process::<crate::warp::Show>::update(self);
        know(self);
        for part in self.scatter.iter_mut() { part.settle_2(); }
        know(self);
        for part in self.deliver.iter_mut() { part.settle_2(); }
        look(self, crate::warp::Point::Settled);
    }
}

impl crate::warp::access::Access {
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::warp::access::Stand>::update(self);
    }
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::warp::access::Spread>::update(self);
        for part in self.pick.iter_mut() { part.settle(); }
        Process::<crate::warp::access::Choose>::update(self);
        Process::<crate::warp::access::Take>::update(self);
        Process::<crate::warp::access::Go>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::warp::coalesce::Coalesce {
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::warp::coalesce::Stand>::update(self);
        Process::<crate::warp::coalesce::Choose>::update(self);
    }
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::warp::coalesce::Move>::update(self);
        Process::<crate::warp::coalesce::Fit>::update(self);
        Process::<crate::warp::coalesce::Leave>::update(self);
        Process::<crate::warp::coalesce::Add>::update(self);
        Process::<crate::warp::coalesce::Ask>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::warp::deliver::Deliver {
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::warp::deliver::Point>::update(self);
        self.masks.read();
        self.halves.read();
        self.tags.read();
        self.manners.read();
        for part in self.origins.iter_mut() { part.read(); }
        for part in self.found.iter_mut() { part.read(); }
        for part in self.strikes.iter_mut() { part.read(); }
        Process::<crate::warp::deliver::Show>::update(self);
    }
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::warp::deliver::Keep>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}

impl crate::warp::pick::Pick {
    /// Settles the block: every process once, in an order of the data.
    pub fn settle(&mut self) {
        Process::<crate::warp::pick::Serve>::update(self);
        Process::<crate::warp::pick::Merge>::update(self);
    }
}

impl crate::warp::scatter::Scatter {
    pub(crate) fn settle_1(&mut self) {
        Process::<crate::warp::scatter::Find>::update(self);
        self.masks.read();
        self.phases.read();
        self.tags.read();
        self.steps.read();
        Process::<crate::warp::scatter::Show>::update(self);
    }
    pub(crate) fn settle_2(&mut self) {
        Process::<crate::warp::scatter::Take>::update(self);
    }
    /// Settles the block: all parts.
    pub fn settle(&mut self) {
        self.settle_1();
        self.settle_2();
    }
}
