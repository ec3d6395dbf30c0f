//! Directed cases: those that have caught barrier hardware before, each with what must come out. One body, every engine.
//! The scoreboard looks on in all of them, so what a case does not spell out is checked too.

#[macro_use]
mod engines;

use txbar_rtl::op::Op;
use txbar_rtl::parameters::Parameters;
use txbar_rtl::status::Status;
use txbar_rtl::word::Contents;
use txbar_testbench::engine::Engine;
use txbar_testbench::request::{Request, Response};
use txbar_testbench::run::{self, Observer, Report, Script};
use txbar_testbench::traffic::Conditions;

const BARRIER: u32 = 0x40;
const NEIGHBOUR: u32 = 0x48;
const PORTS: usize = 4;

fn parameters() -> Parameters {
    // few entries and no counters, which are registers where there is no LUT RAM: netlists with all of it take half an hour to make
    Parameters { ports: PORTS, banks: 1, words: 64, waiters: PORTS, counters: false, ..Parameters::default() }
}

/// What each port was answered.
#[derive(Default)]
struct Answers {
    of_port: [Vec<Response>; PORTS],
    accepted: [Vec<u64>; PORTS],
}

impl<E> Observer<E> for Answers {
    fn accepted(&mut self, cycle: u64, port: usize, _request: &Request) {
        self.accepted[port].push(cycle);
    }
    fn answered(&mut self, _cycle: u64, port: usize, response: &Response) {
        self.of_port[port].push(*response);
    }
}

impl Answers {
    /// The last word that a load of port 0 gave back.
    fn last_word(&self) -> Contents {
        Contents::from(self.of_port[0].last().expect("something was loaded").data)
    }
}

/// Plays a script under the scoreboard. Ends with a load of the barrier by port 0 (the run's own look at every word that
/// was touched comes last, in the order of their addresses).
fn play<E: Engine>(mut engine: E, script: Script, stall: u8) -> (Report, Answers) {
    let mut answers = Answers::default();
    let conditions = Conditions { seed: 1, stall, bank_stall: 0 };
    let report =
        run::source(&mut engine, script, conditions, &mut answers).unwrap_or_else(|failure| panic!("{failure}"));
    (report, answers)
}

fn request(op: Op, address: u32, data: u64) -> Request {
    Request::new(op, address).with(data)
}

/// One request a cycle, alternately on two barriers: the state of one must not leak into the other.
fn different_barriers_on_consecutive_cycles<E: Engine>(make: impl Fn() -> E) {
    let mut script = Script::new(PORTS);
    script.push(0, 0, request(Op::Init, BARRIER, 2)).push(0, 0, request(Op::Init, NEIGHBOUR, 3));
    for _ in 0..3 {
        script.push(0, 0, request(Op::Arrive, BARRIER, 1)).push(0, 0, request(Op::Arrive, NEIGHBOUR, 1));
    }
    script.push(0, 0, request(Op::TestWaitParity, BARRIER, 0)).push(0, 0, request(Op::TestWaitParity, NEIGHBOUR, 0));
    script.push(0, 0, request(Op::TestWaitParity, BARRIER, 1)).push(0, 0, request(Op::TestWaitParity, NEIGHBOUR, 1));
    let (_, answers) = play(make(), script, 0);
    assert!(answers.accepted[0][..12].windows(2).all(|pair| pair[1] == pair[0] + 1), "one a cycle");
    let token = |position: usize| Contents::from(answers.of_port[0][position].data);
    let seen: Vec<(bool, u32)> = (2..8).map(|position| (token(position).phase, token(position).pending)).collect();
    assert_eq!(seen, [(false, 2), (false, 3), (false, 1), (false, 2), (true, 2), (false, 1)]);
    let predicates: Vec<bool> = (8..12).map(|position| answers.of_port[0][position].predicate).collect();
    assert_eq!(predicates, [true, true, false, false], "both are in phase 1");
}

/// The same barrier in every cycle: every token is the one before, less one; the last arrival flips the phase.
fn the_same_barrier_every_cycle<E: Engine>(make: impl Fn() -> E) {
    let count = 500;
    let mut script = Script::new(PORTS);
    script.push(0, 0, request(Op::Init, BARRIER, count));
    for _ in 0..count {
        script.push(0, 0, request(Op::Arrive, BARRIER, 1));
    }
    let (report, answers) = play(make(), script, 0);
    assert_eq!((report.operations, report.cycles, report.flips, report.faults), (501, 501, 1, 0));
    for arrival in 0..count {
        let token = Contents::from(answers.of_port[0][arrival as usize + 1].data);
        assert_eq!((token.phase, u64::from(token.pending)), (false, count - arrival));
    }
    let word = answers.last_word();
    assert_eq!((word.phase, u64::from(word.pending), u64::from(word.expected)), (true, count, count));
}

/// The completing arrival and a wait, one from each port, at every distance: the wait is true exactly if it comes later.
fn the_completing_arrival_and_a_wait<E: Engine>(make: impl Fn() -> E) {
    for (wait, operand) in [(Op::TestWaitParity, 0), (Op::TestWait, 0), (Op::TryWaitParity, 0), (Op::TryWait, 0)] {
        for distance in 0..=12u32 {
            let mut script = Script::new(PORTS);
            script.push(0, 0, request(Op::Init, BARRIER, 1));
            script.push(0, 10, request(Op::Arrive, BARRIER, 1));
            script.push(1, 5 + distance, request(wait, BARRIER, operand));
            let (_, answers) = play(make(), script, 0);
            // of one cycle, the wait is the last
            let later = answers.accepted[1][0] >= answers.accepted[0][1];
            assert_eq!(answers.of_port[1][0].predicate, later, "{wait:?} at distance {distance}");
        }
    }
}

/// The bytes land around the cycle of the last arrival: the phase completes with whichever comes last, once.
fn bytes_that_land_around_the_last_arrival<E: Engine>(make: impl Fn() -> E) {
    for landing in [Op::CompleteTx, Op::BulkCompleteTx] {
        for distance in 0..=12u32 {
            let mut script = Script::new(PORTS);
            script.push(0, 0, request(Op::Init, BARRIER, 2));
            script.push(0, 0, request(Op::ArriveExpectTx, BARRIER, 64));
            script.push(0, 10, request(Op::Arrive, BARRIER, 1));
            script.push(1, 6 + distance, request(landing, BARRIER, 64));
            script.push(2, 6 + distance, request(Op::TestWaitParity, BARRIER, 0));
            let (report, answers) = play(make(), script, 0);
            assert_eq!((report.flips, report.faults), (1, 0), "{landing:?} at distance {distance}");
            let last = answers.accepted[0][2].max(answers.accepted[1][0]);
            assert_eq!(answers.of_port[2][0].predicate, answers.accepted[2][0] >= last);
            let word = answers.last_word();
            assert_eq!((word.phase, word.pending, word.tx), (true, 2, 0));
        }
    }
}

/// Bytes that land before anybody expects them: the tx-count goes negative and comes back.
fn bytes_that_land_before_they_are_expected<E: Engine>(make: impl Fn() -> E) {
    let mut script = Script::new(PORTS);
    script.push(0, 0, request(Op::Init, BARRIER, 1));
    script.push(0, 0, request(Op::BulkCompleteTx, BARRIER, 48)).push(0, 0, request(Op::Load, BARRIER, 0));
    script.push(0, 0, request(Op::ArriveExpectTx, BARRIER, 48)).push(0, 0, request(Op::Load, BARRIER, 0));
    let (report, answers) = play(make(), script, 0);
    let early = Contents::from(answers.of_port[0][1].data);
    assert_eq!((early.phase, early.pending, early.tx), (false, 1, -48));
    let done = Contents::from(answers.of_port[0][3].data);
    assert_eq!((done.phase, done.pending, done.tx), (true, 1, 0));
    assert_eq!(report.faults, 0);
}

/// `arrive_drop` as the completing arrival: the next phase expects one less, already in the reload.
fn a_drop_that_completes<E: Engine>(make: impl Fn() -> E) {
    let mut script = Script::new(PORTS);
    script.push(0, 0, request(Op::Init, BARRIER, 3));
    script.push(0, 0, request(Op::Arrive, BARRIER, 2)).push(0, 0, request(Op::ArriveDrop, BARRIER, 1));
    script.push(0, 0, request(Op::Load, BARRIER, 0));
    script.push(0, 0, request(Op::ArriveDrop, BARRIER, 2)).push(0, 0, request(Op::Load, BARRIER, 0));
    script.push(0, 0, request(Op::Arrive, BARRIER, 1));
    let (report, answers) = play(make(), script, 0);
    let word = Contents::from(answers.of_port[0][3].data);
    assert_eq!(word, Contents { phase: true, pending: 2, fault: false, tx: 0, expected: 2 });
    let empty = Contents::from(answers.of_port[0][5].data);
    assert_eq!(empty, Contents { phase: false, pending: 0, fault: false, tx: 0, expected: 0 }, "nobody is left");
    assert_eq!(answers.of_port[0][6].status(), Some(Status::PendingUnderflow));
    assert_eq!(report.flips, 2);
}

/// A token of phase N is true in N+1, and false again in N+2: only the parity is looked at.
fn a_token_in_later_phases<E: Engine>(make: impl Fn() -> E) {
    // the first run finds out the token, the second uses it
    let phases = |waits: &[u64]| {
        let mut script = Script::new(PORTS);
        script.push(0, 0, request(Op::Init, BARRIER, 1));
        for wait in waits {
            script.push(0, 0, request(Op::TestWait, BARRIER, *wait));
            script.push(0, 0, request(Op::Arrive, BARRIER, 1));
        }
        play(make(), script, 0).1.of_port[0].clone()
    };
    let token = phases(&[0])[2].data;
    let answers = phases(&[token; 4]);
    let predicates: Vec<bool> = (0..4).map(|phase| answers[1 + 2 * phase].predicate).collect();
    assert_eq!(predicates, [false, true, false, true]);
}

/// The phase is looked at after every operation of a long walk through phases, while a neighbour flips in every cycle.
fn the_phase_after_every_operation<E: Engine>(make: impl Fn() -> E) {
    let mut script = Script::new(PORTS);
    script.push(0, 0, request(Op::Init, BARRIER, 3));
    script.push(1, 0, request(Op::Init, NEIGHBOUR, 1));
    for arrival in 0..90 {
        script.push(0, 0, request(if arrival % 2 == 0 { Op::Arrive } else { Op::CpAsyncArrive }, BARRIER, 1));
        script.push(0, 0, request(Op::TestWaitParity, BARRIER, 0)).push(0, 0, request(Op::Load, BARRIER, 0));
        for _ in 0..3 {
            script.push(1, 0, request(Op::Arrive, NEIGHBOUR, 1));
        }
    }
    let (report, answers) = play(make(), script, 0);
    assert_eq!((report.flips, report.faults), (30 + 270, 0));
    let waits = answers.of_port[0].iter().filter(|answer| answer.data == 0).skip(1);
    let loads = answers.of_port[0].iter().filter(|answer| answer.data & 0xffff_ffff != 0);
    let phases: Vec<(bool, bool)> =
        waits.zip(loads).map(|(wait, load)| (wait.predicate, load.data >> 63 != 0)).collect();
    assert_eq!(phases.len(), 90);
    for (arrival, (predicate, phase)) in phases.into_iter().enumerate() {
        let flips = (arrival + 1) / 3;
        assert_eq!((predicate, phase), (flips % 2 == 1, flips % 2 == 1), "after arrival {arrival}");
    }
}

/// A posted fault is reported once, sets the fault bit and nothing else, and then every operation faults.
fn a_posted_fault_is_sticky<E: Engine>(make: impl Fn() -> E) {
    let mut script = Script::new(PORTS);
    script.push(0, 0, request(Op::Init, BARRIER, 1)).push(0, 0, request(Op::Arrive, BARRIER, 1));
    script.push(0, 0, request(Op::BulkCompleteTx, BARRIER, 1 << 20)).push(0, 0, request(Op::Load, BARRIER, 0));
    for op in [Op::Arrive, Op::ExpectTx, Op::CompleteTx, Op::ArriveDrop, Op::TestWait, Op::TryWaitParity] {
        script.push(0, 0, request(op, BARRIER, 1));
    }
    script.push(0, 0, request(Op::CpAsyncArrive, BARRIER, 0)).push(0, 0, request(Op::Load, BARRIER, 0));
    script.push(0, 0, request(Op::Init, BARRIER, 1)).push(0, 0, request(Op::Arrive, BARRIER, 1));
    let (report, answers) = play(make(), script, 0);
    let answers = &answers.of_port[0];
    let tainted = Contents { phase: true, pending: 1, fault: true, tx: 0, expected: 1 };
    assert_eq!(Contents::from(answers[2].data), tainted);
    assert!(answers[3..9].iter().all(|answer| answer.status() == Some(Status::FaultedWord)));
    assert_eq!(Contents::from(answers[9].data), tainted);
    assert_eq!(answers[11].status(), Some(Status::Ok), "init makes it good again");
    assert_eq!(report.faults, 8);
}

/// What the request alone shows to be wrong is found whatever the word holds, and nothing happens to the word.
fn requests_that_are_refused<E: Engine>(make: impl Fn() -> E) {
    let refused = |request: Request, status: Status| {
        let mut script = Script::new(PORTS);
        script.push(0, 0, self::request(Op::Init, BARRIER, 1)).push(0, 0, request);
        script.push(0, 0, self::request(Op::Load, BARRIER, 0));
        let (report, answers) = play(make(), script, 0);
        assert_eq!(answers.of_port[0][1].status(), Some(status), "{request}");
        assert_eq!(answers.of_port[0][2].data, 0x7ffff800001ffffe, "{request}");
        assert_eq!(report.faults, 1, "{request}");
    };
    let bytes = parameters().bytes() as u32;
    refused(request(Op::Arrive, BARRIER + 4, 1), Status::Misaligned);
    refused(request(Op::Store, BARRIER | 1, 1), Status::Misaligned);
    refused(request(Op::Arrive, bytes + BARRIER, 1), Status::OutOfRange);
    refused(request(Op::Load, BARRIER | 1 << 30, 1), Status::OutOfRange);
    for op in [Op::Init, Op::Arrive, Op::ArriveExpectTx, Op::ArriveDrop, Op::ExpectTx, Op::CompleteTx] {
        refused(request(op, BARRIER, 1 << 20), Status::OperandRange);
        refused(request(op, BARRIER, u32::MAX as u64), Status::OperandRange);
    }
    for op in [Op::Init, Op::Inval, Op::TestWait, Op::TryWaitParity, Op::PendingCount, Op::ArriveNoComplete] {
        refused(request(op, BARRIER, 1).from_remote(), Status::RemoteUnsupported);
    }
    refused(Request { op: 31, ..request(Op::Arrive, BARRIER, 1) }, Status::IllegalOperation);
}

/// Unloaded, an answer is shown five cycles after its request was accepted.
fn an_answer_takes_five_cycles<E: Engine>(make: impl Fn() -> E) {
    let mut script = Script::new(PORTS);
    for op in Op::ALL.iter().filter(|op| !op.is_posted()) {
        script.push(0, 20, request(*op, BARRIER, 1));
    }
    let (report, _) = play(make(), script, 0);
    assert_eq!((report.latency_cycles.min, report.latency_cycles.max), (txbar_rtl::low_latency::unit::LATENCY, 5));
}

/// All ports hammer one barrier, a whole warp's arrivals a request: all of them are accepted in every cycle, and every token
/// counts those ahead of it.
fn four_ports_on_one_barrier<E: Engine>(make: impl Fn() -> E) {
    let mut script = Script::new(PORTS);
    let (rounds, warp) = (400u64, 32);
    script.push(0, 0, request(Op::Init, BARRIER, PORTS as u64 * rounds * warp));
    for port in 0..PORTS {
        for round in 0..rounds {
            script.push(port, if round > 0 { 0 } else { 8 + (port > 0) as u32 }, request(Op::Arrive, BARRIER, warp));
        }
    }
    let (report, answers) = play(make(), script, 0);
    assert_eq!((report.faults, report.flips), (0, 1));
    let accepted = |port: usize| answers.accepted[port].iter().rev().skip_while(|cycle| **cycle >= report.cycles);
    let last = accepted(1).next().expect("it was accepted");
    for port in 1..PORTS {
        let cycles: Vec<u64> = accepted(port).take(rounds as usize).copied().collect();
        assert!(
            cycles.iter().enumerate().all(|(round, cycle)| *cycle == last - round as u64),
            "port {port} had to wait"
        );
    }
    for round in 0..rounds {
        let tokens = (0..PORTS).map(|port| {
            let first = if port == 0 { 1 } else { 0 };
            u64::from(Contents::from(answers.of_port[port][round as usize + first].data).pending)
        });
        let left = (rounds - round) * PORTS as u64;
        assert_eq!(tokens.collect::<Vec<_>>(), (0..4).map(|ahead| (left - ahead) * warp).collect::<Vec<_>>());
    }
}

/// A port that never takes its answers stops itself, and nobody else.
fn a_port_that_does_not_listen<E: Engine>(make: impl Fn() -> E) {
    let mut engine = make();
    let depth = engine.parameters().queue_depth as u32;
    let load = request(Op::Load, BARRIER, 0);
    engine.drive_request(0, &load);
    engine.drive_request(1, &load);
    engine.drive_valid(0b11);
    engine.drive_ready(0b10);
    let (mut accepted, cycles) = ([0; 2], 200);
    for _ in 0..cycles {
        engine.settle();
        for (port, count) in accepted.iter_mut().enumerate() {
            *count += engine.accepted() as u32 >> port & 1;
        }
        engine.clock();
    }
    assert_eq!(accepted[0], depth);
    assert!(accepted[1] >= cycles - depth);
}

cases! {
    different_barriers_on_consecutive_cycles,
    the_same_barrier_every_cycle,
    the_completing_arrival_and_a_wait,
    bytes_that_land_around_the_last_arrival,
    bytes_that_land_before_they_are_expected,
    a_drop_that_completes,
    a_token_in_later_phases,
    the_phase_after_every_operation,
    a_posted_fault_is_sticky,
    requests_that_are_refused,
    an_answer_takes_five_cycles,
    four_ports_on_one_barrier,
    a_port_that_does_not_listen,
}
