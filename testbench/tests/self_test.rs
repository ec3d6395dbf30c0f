//! The self-test for boards: a correct unit passes, and faults are found and reported.

use std::fmt::Write;
use txbar_rtl::board::parameters::BoardParameters;
use txbar_rtl::board::self_test::SelfTest;
use txbar_rtl::board::uart_rx::UartRx;
use txbar_rtl::hdl::Part;
use txbar_rtl::parameters::Parameters;
use txbar_rtl::status::Status::*;
use txbar_testbench::faults::low_latency::FAULTS;
use txbar_testbench::faults::{Fault, Injected};

const BIT_CYCLES: usize = 4;

fn parameters(ports: usize, banks: usize, waiters: usize, words: usize) -> BoardParameters {
    let unit = Parameters { ports, banks, waiters, words, ..Parameters::default() };
    BoardParameters::self_test(unit, BIT_CYCLES, 1000).check().expect("it can be built")
}

/// A self-test while it runs, with a terminal at its serial line.
struct Run {
    top: SelfTest,
    injected: Option<Injected>,
    terminal: UartRx,
    text: String,
    cycle: u64,
    /// The first cycle in which an LED says that something has failed.
    failed: Option<u64>,
    /// Data and status that the ports showed in the cycle before.
    shown: Vec<(u64, u64)>,
}

impl Run {
    fn new(parameters: &BoardParameters, injected: Option<Injected>) -> Self {
        let mut top = SelfTest::new(parameters);
        top.unit.poison_collisions(0xbad0_bad0_bad0_bad0);
        top.settle();
        top.clock_in_reset();
        let terminal = UartRx::new(BIT_CYCLES);
        Self { top, injected, terminal, text: String::new(), cycle: 0, failed: None, shown: Vec::new() }
    }

    /// Runs for this many cycles, or until it has failed.
    fn cycles(&mut self, cycles: u64) {
        for _ in 0..cycles {
            match &mut self.injected {
                None => self.top.settle(),
                Some(injected) => self.top.settle_with(&mut |unit, point| injected.inject(unit, point)),
            }
            self.terminal.line.d.next = self.top.uart_tx.val();
            self.terminal.settle();
            if self.top.led.val().get_bit(2) && self.failed.is_none() {
                self.failed = Some(self.cycle);
                return;
            }
            let unit = &self.top.unit;
            self.shown = unit.rsp.iter().map(|answer| (answer.data.val().raw(), answer.status.val().raw())).collect();
            self.top.clock();
            self.terminal.tick();
            if self.terminal.valid.q.val() {
                self.text.push(char::from(self.terminal.octet.q.val().raw() as u8));
            }
            self.cycle += 1;
        }
    }

    fn led(&self) -> u64 {
        self.top.led.val().raw()
    }
}

#[test]
fn a_sound_unit_passes_for_ever() {
    let shapes = [(1, 1, 0, 16), (1, 1, 2, 512), (2, 1, 4, 32), (3, 2, 8, 64), (4, 4, 16, 512), (4, 8, 0, 65536)];
    for (ports, banks, waiters, words) in shapes {
        let mut run = Run::new(&parameters(ports, banks, waiters, words), None);
        run.cycles(100_000);
        assert_eq!(run.failed, None, "{ports} ports, {banks} banks: {:x?}", run.top.failure());
        assert_eq!(run.led() & 0b110, 0b010, "it passes");
        let rounds = run.top.conductor.rounds.q.val().raw();
        assert!(rounds > 200, "{rounds} rounds");
        // the terminal says the same, in whole lines
        let last = run.text.trim_end().lines().last().expect("a line has been sent");
        let told = u64::from_str_radix(last.strip_prefix("P ").expect("it passes"), 16).expect("it is a number");
        assert!((rounds - 20..=rounds).contains(&told), "{last}, and {rounds} rounds");
        assert!(run.text.lines().all(|line| line.len() == 18));
    }
}

/// Every kind of operation is asked, and ends in every way in which it can end.
#[test]
fn everything_is_asked() {
    let mut run = Run::new(&parameters(2, 2, 8, 64), None);
    let mut ended = std::collections::BTreeSet::new();
    let mut combined = 0;
    for _ in 0..60_000 {
        run.cycles(1);
        let unit = &run.top.unit;
        for port in 0..2 {
            if unit.done_valid.val().get_bit(port) {
                ended.insert(unit.done_status[port].val().raw());
            }
        }
        combined += (unit.done_valid.val() == 3) as u32;
    }
    let all = [
        Ok,
        OperandRange,
        PendingUnderflow,
        ExpectedUnderflow,
        TxRange,
        FaultedWord,
        Misaligned,
        OutOfRange,
        RemoteUnsupported,
        IllegalOperation,
    ];
    assert_eq!(ended, all.map(|status| u64::from(status.code())).into());
    assert!(combined > 1000);
}

fn found(fault: &Fault, cycles: u64) -> Option<Run> {
    let mut run = Run::new(&parameters(4, 2, 8, 64), Some(fault.injected()));
    run.cycles(cycles);
    run.failed.is_some().then_some(run)
}

#[test]
fn injected_faults_are_found_and_reported() {
    let mut missed = String::new();
    let mut count = 0;
    for fault in FAULTS {
        let Some(run) = found(fault, 60_000) else {
            writeln!(missed, "{}: {}", fault.name, fault.defect).expect("writing to a String");
            continue;
        };
        count += 1;
        let [record, _, want, got] = run.top.failure().expect("it has failed");
        let (cycle, port, reason) = (record >> 32, record >> 28 & 15, record >> 24 & 15);
        // the record tells the cycle before the one in which the LED goes on, and what was shown there
        assert_eq!(Some(cycle + 1), run.failed, "{}", fault.name);
        if reason != 4 {
            let (data, status) = run.shown[port as usize];
            assert_eq!((got, record >> 8 & 0xff), (data, status), "{}", fault.name);
        }
        println!(
            "{:30} cycle {cycle:6} port {port} reason {reason} op {:2} want {want:016x} got {got:016x}",
            fault.name,
            record >> 16 & 0xff
        );
    }
    println!("{count} found, missed:\n{missed}");
    let told = format!("{count} of {} injected faults found", FAULTS.len());
    assert!(
        include_str!("../../docs/status.md").contains(&told),
        "{told}: docs/status.md says otherwise; missed:\n{missed}"
    );
}
