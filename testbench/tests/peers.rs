//! What went wrong in other barrier units (docs/comparison.md), each as a directed case of this one. One body, every engine; the
//! scoreboard looks on in all of it.

#[macro_use]
mod engines;

use txbar_rtl::op::{NO_LIMIT, Op};
use txbar_rtl::parameters::Parameters;
use txbar_rtl::status::Status;
use txbar_rtl::word::Contents;
use txbar_testbench::engine::Engine;
use txbar_testbench::request::{Request, Response};
use txbar_testbench::run::{self, Observer, Report, Script};
use txbar_testbench::traffic::Conditions;

const PORTS: usize = 4;
const BARRIERS: [u32; 5] = [0x40, 0x50, 0x60, 0x70, 0x80];

fn parameters() -> Parameters {
    // few entries and no counters, which are registers where there is no LUT RAM: netlists with all of it take half an hour to make
    Parameters { ports: PORTS, banks: 1, words: 64, waiters: PORTS, counters: false, ..Parameters::default() }
}

/// What each port was answered and when, and when its requests were accepted, until all were answered.
#[derive(Default)]
struct Log {
    accepted: [Vec<(u64, Request)>; PORTS],
    answers: [Vec<(u64, Response)>; PORTS],
    drained: bool,
}

impl<E> Observer<E> for Log {
    fn accepted(&mut self, cycle: u64, port: usize, request: &Request) {
        if !self.drained {
            self.accepted[port].push((cycle, *request));
        }
    }
    fn answered(&mut self, cycle: u64, port: usize, response: &Response) {
        if !self.drained {
            self.answers[port].push((cycle, *response));
        }
    }
    fn drained(&mut self) {
        self.drained = true;
    }
}

fn play_under<E: Engine>(mut engine: E, script: Script, conditions: Conditions) -> (Report, Log) {
    let mut log = Log::default();
    let report = run::source(&mut engine, script, conditions, &mut log).unwrap_or_else(|failure| panic!("{failure}"));
    (report, log)
}

fn play<E: Engine>(engine: E, script: Script) -> (Report, Log) {
    play_under(engine, script, Conditions::CALM)
}

fn request(op: Op, address: u32, data: u64) -> Request {
    Request::new(op, address).with(data)
}

fn wait(address: u32) -> Request {
    request(Op::TryWaitParity, address, u64::from(NO_LIMIT) << 32)
}

/// Allegro holds four barriers; where all four are locked by faults, a fifth that is named hangs the unit, as the `inval`s that
/// would free them queue behind it.
fn a_fifth_barrier_beside_four_that_are_faulted<E: Engine>(make: impl Fn() -> E) {
    let mut script = Script::new(PORTS);
    for barrier in &BARRIERS[..4] {
        script.push(0, 0, request(Op::Init, *barrier, 1)).push(0, 0, request(Op::BulkCompleteTx, *barrier, 1 << 20));
        script.push(0, 0, request(Op::Arrive, *barrier, 1));
    }
    script.push(0, 0, request(Op::Init, BARRIERS[4], 1)).push(0, 0, request(Op::Arrive, BARRIERS[4], 1));
    for barrier in &BARRIERS[..4] {
        script.push(0, 0, request(Op::Inval, *barrier, 0)).push(0, 0, request(Op::Init, *barrier, 1));
        script.push(0, 0, request(Op::Arrive, *barrier, 1));
    }
    let (report, log) = play(make(), script);
    assert_eq!((report.faults, report.flips), (8, 5), "four posted, four told; then every barrier works");
    let of = |op: Op| log.accepted[0].iter().filter(move |(_, request)| request.op == op.code()).count();
    assert_eq!((of(Op::Inval), of(Op::Arrive)), (4, 9));
    let last = log.accepted[0].last().expect("there are requests").0;
    assert_eq!(last + 1, log.accepted[0].len() as u64, "nothing held it up: one a cycle");
}

/// There, waits on four barriers keep arrivals at a fifth out until they time out.
fn arrivals_at_a_fifth_barrier_while_four_are_waited_for<E: Engine>(make: impl Fn() -> E) {
    let mut script = Script::new(PORTS);
    for barrier in BARRIERS {
        script.push(0, 0, request(Op::Init, barrier, 1));
    }
    for (port, barrier) in BARRIERS[..4].iter().enumerate() {
        script.push(port, if port == 0 { 10 } else { 20 }, wait(*barrier).tagged(9));
    }
    for turn in 0..8 {
        script.push(0, if turn == 0 { 30 } else { 0 }, request(Op::Arrive, BARRIERS[4], 1));
    }
    script.push(1, 60, request(Op::Arrive, BARRIERS[0], 1));
    for (port, barrier) in BARRIERS[..4].iter().enumerate().skip(1) {
        script.push(port, 60, request(Op::Arrive, *barrier, 1));
    }
    let (report, log) = play(make(), script);
    assert_eq!((report.suspended, report.woken), (4, 4));
    let arrivals: Vec<u64> = log.accepted[0]
        .iter()
        .filter(|(_, request)| request.address == BARRIERS[4] && request.op == Op::Arrive.code())
        .map(|(cycle, _)| *cycle)
        .collect();
    assert_eq!(arrivals.len(), 8);
    assert_eq!(arrivals[7] - arrivals[0], 7, "one a cycle, whoever waits");
    let first_wake = log.answers.iter().flatten().filter(|(_, answer)| answer.tag == 9).map(|(cycle, _)| *cycle).min();
    assert!(first_wake > Some(arrivals[7] + 5), "all four were still waiting");
}

/// There, an `init` is lost if a request to the same word was refused a moment ago and memory is slow.
fn an_init_after_a_refused_request<E: Engine>(make: impl Fn() -> E) {
    for seed in 1..=20 {
        for refused in [request(Op::Arrive, BARRIERS[0], 1 << 20), request(Op::Init, BARRIERS[0], 1 << 20)] {
            for pause in 0..6 {
                let mut script = Script::new(PORTS);
                script.push(1, 0, refused).push(0, pause, request(Op::Init, BARRIERS[0], 3));
                script.push(0, 30, request(Op::Load, BARRIERS[0], 0));
                let (_, log) = play_under(make(), script, Conditions { seed, stall: 0, bank_stall: 50 });
                let word = Contents::from(log.answers[0].last().expect("the load is answered").1.data);
                assert_eq!((word.pending, word.expected), (3, 3), "seed {seed}, pause {pause}");
            }
        }
    }
}

/// There, the last participant cannot drop.
fn the_last_participant_drops<E: Engine>(make: impl Fn() -> E) {
    let mut script = Script::new(PORTS);
    script.push(0, 0, request(Op::Init, BARRIERS[0], 1)).push(1, 10, wait(BARRIERS[0]));
    script.push(0, 30, request(Op::ArriveDrop, BARRIERS[0], 1)).push(0, 0, request(Op::Load, BARRIERS[0], 0));
    let (report, log) = play(make(), script);
    assert_eq!((report.faults, report.flips, report.woken), (0, 1, 1));
    let word = Contents::from(log.answers[0].last().expect("the load is answered").1.data);
    assert_eq!(word, Contents { phase: true, pending: 0, fault: false, tx: 0, expected: 0 });
}

/// Vortex counts events without a sign: a phase whose bytes complete before they are expected is lost.
fn bytes_before_the_last_expects_them<E: Engine>(make: impl Fn() -> E) {
    let mut script = Script::new(PORTS);
    script.push(0, 0, request(Op::Init, BARRIERS[0], 2)).push(2, 10, wait(BARRIERS[0]));
    script.push(1, 20, request(Op::BulkCompleteTx, BARRIERS[0], 4096));
    script.push(0, 30, request(Op::Arrive, BARRIERS[0], 1)).push(0, 0, request(Op::ArriveExpectTx, BARRIERS[0], 4096));
    let (report, log) = play(make(), script);
    assert_eq!((report.faults, report.flips, report.woken), (0, 1, 1));
    assert!(log.answers[2][0].1.predicate);
}

/// It never looks whether `expect_tx` completes a phase: bytes that are taken back, as the count is signed, may be the last that
/// was missing.
fn an_expect_tx_that_completes<E: Engine>(make: impl Fn() -> E) {
    let mut script = Script::new(PORTS);
    script.push(0, 0, request(Op::Init, BARRIERS[0], 1)).push(2, 10, wait(BARRIERS[0]));
    script.push(0, 20, request(Op::BulkCompleteTx, BARRIERS[0], 64)).push(0, 0, request(Op::Arrive, BARRIERS[0], 1));
    script.push(0, 0, request(Op::Load, BARRIERS[0], 0)).push(0, 20, request(Op::ExpectTx, BARRIERS[0], 64));
    script.push(0, 0, request(Op::Load, BARRIERS[0], 0));
    let (report, log) = play(make(), script);
    assert_eq!((report.faults, report.flips, report.woken), (0, 1, 1));
    let words: Vec<Contents> = log.answers[0].iter().map(|(_, answer)| Contents::from(answer.data)).collect();
    let before = words[words.len() - 3];
    assert_eq!((before.phase, before.pending, before.tx), (false, 0, -64), "64 bytes ahead hold the phase back");
    let after = words[words.len() - 1];
    assert_eq!((after.phase, after.pending, after.tx), (true, 1, 0));
}

/// It wraps its counts on misuse: here every count stays as it was, and somebody is told, or the word is marked.
fn counts_never_wrap<E: Engine>(make: impl Fn() -> E) {
    let refused = |ahead: &[Request], wrong: Request, status: Option<Status>| {
        let mut script = Script::new(PORTS);
        script.push(0, 0, request(Op::Init, BARRIERS[0], 2));
        for request in ahead {
            script.push(0, 0, *request);
        }
        script.push(0, 0, request(Op::Load, BARRIERS[0], 0)).push(0, 0, wrong);
        script.push(0, 0, request(Op::Load, BARRIERS[0], 0));
        let (report, log) = play(make(), script);
        assert_eq!(report.faults, 1, "{wrong}");
        let mut answers = log.answers[0].iter().rev().map(|(_, answer)| *answer);
        let after = Contents::from(answers.next().expect("the load is answered").data);
        if let Some(status) = status {
            assert_eq!(answers.next().expect("it is answered").status(), Some(status), "{wrong}");
        }
        let before = Contents::from(answers.next().expect("the load is answered").data);
        assert_eq!(after, Contents { fault: status.is_none(), ..before }, "{wrong}");
    };
    let barrier = BARRIERS[0];
    let most = (1 << 20) - 1;
    refused(&[], request(Op::Arrive, barrier, 3), Some(Status::PendingUnderflow));
    refused(&[request(Op::Arrive, barrier, 1)], request(Op::Arrive, barrier, 2), Some(Status::PendingUnderflow));
    refused(&[], request(Op::ArriveDrop, barrier, 3), Some(Status::PendingUnderflow));
    refused(&[request(Op::ExpectTx, barrier, most)], request(Op::ExpectTx, barrier, most), Some(Status::TxRange));
    refused(&[request(Op::CompleteTx, barrier, most)], request(Op::CompleteTx, barrier, most), Some(Status::TxRange));
    refused(&[request(Op::CompleteTx, barrier, most)], request(Op::BulkCompleteTx, barrier, most), None);
}

/// Its completions come first for as long as there are some (63 cycles were seen): here a port waits its turn, and not longer.
fn completions_starve_nobody<E: Engine>(make: impl Fn() -> E) {
    let mut script = Script::new(PORTS);
    script.push(0, 0, request(Op::Init, BARRIERS[0], 1000)).push(0, 0, request(Op::Init, BARRIERS[1], 1000));
    script.push(0, 0, request(Op::ExpectTx, BARRIERS[0], 60_000));
    for port in 1..PORTS {
        for turn in 0..200 {
            let pause = if turn == 0 { 20 } else { 0 };
            script.push(port, pause, request(Op::BulkCompleteTx, BARRIERS[0], 100));
        }
    }
    // of another word in the same bank, so that it cannot be joined to them
    for turn in 0..40 {
        script.push(0, if turn == 0 { 40 } else { 0 }, request(Op::Arrive, BARRIERS[1], 1));
    }
    let (report, log) = play(make(), script);
    assert_eq!((report.faults, report.flips), (0, 0));
    let arrivals: Vec<u64> = log.accepted[0].iter().skip(3).map(|(cycle, _)| *cycle).collect();
    let longest = arrivals.windows(2).map(|pair| pair[1] - pair[0]).max().expect("there are arrivals");
    assert!(longest <= PORTS as u64, "an arrival waited for {longest} cycles");
    let completions = log.accepted[1].last().expect("there are completions").0;
    assert!(arrivals[39] < completions, "there were completions all the time");
}

cases! {
    a_fifth_barrier_beside_four_that_are_faulted,
    arrivals_at_a_fifth_barrier_while_four_are_waited_for,
    an_init_after_a_refused_request,
    the_last_participant_drops,
    bytes_before_the_last_expects_them,
    an_expect_tx_that_completes,
    counts_never_wrap,
    completions_starve_nobody,
}
