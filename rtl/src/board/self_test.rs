//! Top of the self-test: a unit, traffic on all its ports, and checks of every answer, in endless rounds.
//!
//! ```text
//!                  ┌─► tester 0 ◄──► ┐
//!   conductor ◄──► ├─► tester 1 ◄──► ├ unit          each answer as it must be? ─► verdict ─► LEDs
//!                  └─► ...      ◄──► ┘                                                └─► reporter ─► uart_tx
//! ```
//! After the first failure no new requests are sent, and the record of the failure stays until reset.
//!
//! | LED | without failure | after a failure |
//! | --- | --- | --- |
//! | 0 | blinks while the clock runs | blinks |
//! | 1 | on once a round has passed | off |
//! | 2 | off | on |
//! | 3 | bit 12 of the number of rounds | on while the first four bits of the record are shown |
//! | 4 to 7 | bits 16:13 of it | the record of the failure, four bits at a time, the highest first, with every beat |
//!
//! The serial line reports the same as text, twice in a blink: see [`super::reporter`].

use super::beat::Beat;
use super::conductor::{Conductor, ROUND_BITS};
use super::parameters::BoardParameters;
use super::reporter::Reporter;
use super::tester::Tester;
use super::uart_tx::UartTx;
use super::verdict::Verdict;
use crate::any::AnyUnit;
use crate::hardware;
use crate::hdl::*;
use crate::look::Point;
use std::any::Any;

hardware! {
    /// A unit of shared memory with mbarrier operations and a self-test.
    pub module SelfTest = "self_test" {
        /// Serial line from the board, idle at 1.
        pub uart_tx: Signal<Out, Bit>,
        /// LEDs: blinks; passes; fails; rounds, or the record of the failure.
        pub led: Signal<Out, Bits<8>>,

        /// Number of ports.
        pub ports: usize = unit.ports,
        /// Starts the rounds.
        pub conductor: Conductor = Conductor::new(unit.ports, unit.tag_bits),
        /// Traffic generators and checkers, one per port.
        pub tester: Vec<Tester> = (0..unit.ports)
            .map(|port| Tester::new(port, unit.ports, unit.words, parameters.predictions()))
            .collect(),
        /// Record of the first failure.
        pub verdict: Verdict = Verdict::new(unit.ports),
        /// Report as text.
        pub reporter: Reporter = Reporter::of_tests(),
        /// UART transmitter.
        pub tx: UartTx = UartTx::new(bit_cycles),
        /// Time base of the blinking LED.
        pub beat: Beat = Beat::new(beat_cycles),
        /// The unit.
        pub unit: AnyUnit = AnyUnit::new(&unit),

        /// Part of the record on the LEDs.
        pub page: ControlReg<Bits<4>>,
        /// Number of parts of the record.
        pub pages: usize = 16,
        /// The record.
        pub record: Signal<Local, Word>,
        /// Part on the LEDs.
        pub shown: Signal<Local, Bits<4>>,
        /// Rounds completed.
        pub rounds: Signal<Local, Bits<ROUND_BITS>>,
        /// A round has passed.
        pub passed: ControlReg<Bit>,
    }
    processes { Begin, Ask, Answer, Watch, Tell, Light }
    /// The top with these parameters.
    built by pub fn new(parameters: &BoardParameters) {
        let BoardParameters { unit, bit_cycles, beat_cycles, .. } = *parameters;
    }
}

#[processes]
impl SelfTest {
    #[inline]
    fn begin(&mut self) {
        self.reporter.failed.next = self.verdict.failed.q.val();
        self.reporter.rounds.next = self.conductor.rounds.q.val();
        connect!(self.reporter.* <<= self.verdict.*: record, address, want, got);
        for p in 0..self.ports {
            connect!(self.tester[p].* <<= self.conductor.*: place, apart, rush, tags);
        }
    }

    #[inline]
    fn ask(&mut self) {
        clear!(self.unit.req_valid, self.unit.rsp_ready, self.unit.bank_stall, self.unit.remote_pending);
        for p in 0..self.ports {
            if self.tester[p].req_valid.val() {
                self.unit.req_valid.next = self.unit.req_valid.val() | (bits::<PORTS>(1) << p);
            }
            if self.tester[p].rsp_ready.val() {
                self.unit.rsp_ready.next = self.unit.rsp_ready.val() | (bits::<PORTS>(1) << p);
            }
            connect!(self.unit.req[p].* <<= self.tester[p].*: op, remote);
            self.unit.req[p].address.next = self.tester[p].req_address.val();
            connect!(self.unit.req[p].* <<= self.tester[p].*: data, strobe);
            self.unit.req[p].tag.next = self.tester[p].req_tag.val();
            self.unit.req_order[p].next = self.tester[p].order.q.val();
            connect!(self.conductor.*[p] <<= self.tester[p].*: done, phase, finished, dropped);
        }
        connect!(self.conductor.* <<= self.tester[0].*: roll, closed);
        self.conductor.halt.next = self.verdict.failed.q.val();
    }

    #[inline]
    fn answer(&mut self) {
        for p in 0..self.ports {
            connect!(self.tester[p].* <<= self.conductor.*: go, over);
            self.tester[p].halt.next = self.verdict.failed.q.val();
            self.tester[p].open.next = self.tester[0].opened.q.val();
            self.tester[p].all_done.next = self.conductor.all_done.val();
            self.tester[p].complete.next = self.conductor.complete[p].val();
            self.tester[p].last_word.next = self.conductor.last_word.val();
            self.tester[p].req_ready.next = self.unit.req_ready.val().get_bit(p);
            self.tester[p].rsp_valid.next = self.unit.rsp_valid.val().get_bit(p);
            connect!(self.tester[p].rsp_* <<= self.unit.rsp[p].*: tag, status, predicate, data);
        }
    }

    #[inline]
    fn watch(&mut self) {
        for p in 0..self.ports {
            connect!(self.verdict.*[p] <<= self.tester[p].*: fails, reason);
            self.verdict.op[p].next = self.tester[p].failed_op.val();
            self.verdict.at[p].next = self.tester[p].failed_address.val();
            connect!(self.verdict.*[p] <<= self.tester[p].*: want_status, want_data);
            connect!(self.verdict.got_*[p] <<= self.unit.rsp[p].*: status, data);
        }
        self.verdict.hangs.next = self.conductor.hangs.val();
    }

    #[inline]
    fn tell(&mut self) {
        self.reporter.tick.next = self.beat.tick.val();
        self.reporter.byte_ready.next = self.tx.ready.val();
        self.tx.valid.next = self.reporter.byte_valid.val();
        self.tx.octet.next = self.reporter.octet.val();
        self.uart_tx.next = self.tx.line.val();
    }

    #[inline]
    fn light(&mut self) {
        self.rounds.next = self.conductor.rounds.q.val();
        self.passed.d.next = self.passed.q.val() | self.conductor.over.val();
        self.page.d.next = self.page.q.val();
        self.record.next = self.verdict.record.q.val();
        self.shown.next = 0.into();
        for n in 0..self.pages {
            if self.page.q.val() == (15 - n).to_bits() {
                self.shown.next = self.record.val().get_bits::<4>(n * 4);
            }
        }
        if self.beat.tick.val() {
            self.page.d.next = self.page.q.val() + 1;
        }
        if !self.verdict.failed.q.val() {
            // so that the record begins with the first beat after a failure
            self.page.d.next = !bits::<4>(0);
        }
        self.led.next = bit_cast::<8, 1>(self.beat.wave.q.val().into());
        if self.verdict.failed.q.val() {
            self.led.next = bit_cast::<8, 1>(self.beat.wave.q.val().into())
                | (bits::<8>(1) << 2)
                | (bit_cast::<8, 1>((!self.page.q.val().any()).into()) << 3)
                | (bit_cast::<8, 4>(self.shown.val()) << 4);
        } else if self.passed.q.val() {
            self.led.next = bit_cast::<8, 1>(self.beat.wave.q.val().into())
                | (bits::<8>(1) << 1)
                | (bit_cast::<8, 5>(self.rounds.val().get_bits::<5>(12)) << 3);
        }
    }
}

impl SelfTest {
    /// Evaluates the top: every process once, in data order.
    pub fn settle(&mut self) {
        self.settle_around(AnyUnit::settle);
    }

    /// Like `settle`, with a hook at each point in the unit that may change signals.
    pub fn settle_with(&mut self, look: &mut dyn FnMut(&mut dyn Any, Point)) {
        self.settle_around(|unit| unit.settle_with(look));
    }

    fn settle_around(&mut self, unit: impl FnOnce(&mut AnyUnit)) {
        Process::<Begin>::update(self);
        for tester in &mut self.tester {
            tester.settle_1();
        }
        self.reporter.settle_1();
        self.tx.settle_1();
        self.beat.settle();
        Process::<Ask>::update(self);
        self.conductor.settle();
        unit(&mut self.unit);
        Process::<Answer>::update(self);
        for tester in &mut self.tester {
            tester.settle_2();
        }
        Process::<Watch>::update(self);
        self.verdict.settle();
        Process::<Tell>::update(self);
        self.reporter.settle_2();
        self.tx.settle_2();
        Process::<Light>::update(self);
    }

    /// First failure: its record, address, expected data and received data.
    pub fn failure(&self) -> Option<[u64; 4]> {
        let Verdict { failed, record, address, want, got, .. } = &self.verdict;
        let [record, want, got] = [record, want, got].map(|register| register.q.val().raw());
        failed.q.val().then(|| [record, address.q.val().raw(), want, got])
    }

    /// The clock edge, with `rst` low.
    pub fn clock(&mut self) {
        self.tick();
    }

    /// The clock edge, with `rst` high.
    pub fn clock_in_reset(&mut self) {
        self.tick();
        self.reset();
    }
}
