//! Suspended waits in fabrics: every relative timing of completion, wait and deadline, to the cycle; several waits on a word; full
//! tables; barriers that go while they are waited for. The scoreboard looks on in all of it.

use txbar_rtl::op::{DEFAULT_LIMIT_NS, NO_LIMIT, Op};
use txbar_rtl::parameters::{Design, Parameters};
use txbar_rtl::status::Status;
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::engine::{Done, Engine};
use txbar_testbench::request::{Request, Response};
use txbar_testbench::run::{self, Observer, Report, Script};
use txbar_testbench::scoreboard::each;
use txbar_testbench::traffic::Conditions;

const CLOCK_NS: u64 = 7;
const BARRIER: u32 = 2;

/// Cycles from the end of a wait to its answer, if nothing else is answered.
const RESUMES: u64 = 12;

fn fabric(ports: usize, banks: usize, waiters: usize) -> Parameters {
    let clock_ns = CLOCK_NS as usize;
    Parameters { words: 64, waiters, clock_ns, ..Parameters::banked_high_clock(ports, banks) }
        .check()
        .expect("it can be built")
}

/// What happened, with its cycle.
#[derive(Default)]
struct Log {
    done: Vec<(u64, Done)>,
    answers: Vec<(u64, usize, Response)>,
    woken: Vec<(u64, u64)>,
}

impl Observer<Rtl> for Log {
    fn settled(&mut self, engine: &Rtl, cycle: u64) {
        self.done.extend(each(engine.done()).map(|bank| (cycle, engine.effect(bank))));
        if engine.woken() != 0 {
            self.woken.push((cycle, engine.woken()));
        }
    }
    fn answered(&mut self, cycle: u64, port: usize, response: &Response) {
        self.answers.push((cycle, port, *response));
    }
}

impl Log {
    /// When a request with a tag took effect.
    fn done(&self, tag: u16) -> (u64, Done) {
        *self.done.iter().find(|(_, done)| done.tag == tag).expect("it takes effect")
    }

    /// When it was answered, and how.
    fn answer(&self, tag: u16) -> (u64, Response) {
        let answer = self.answers.iter().find(|(.., response)| response.tag == tag).expect("it is answered");
        (answer.0, answer.2)
    }
}

fn play(parameters: Parameters, script: Script) -> (Report, Log) {
    let mut log = Log::default();
    let report = run::source(&mut Rtl::new(parameters), script, Conditions::CALM, &mut log)
        .unwrap_or_else(|failure| panic!("{}: {failure}", parameters.label()));
    (report, log)
}

fn on(op: Op, word: u32, data: u64, tag: u16) -> Request {
    Request::new(op, word * 8).with(data).tagged(tag)
}

/// A wait for the end of phase 0, by parity or by a token, for this many nanoseconds.
fn wait(op: Op, word: u32, limit_ns: u64, tag: u16) -> Request {
    on(op, word, if op == Op::TryWait { limit_ns } else { limit_ns << 32 }, tag)
}

/// Every relative timing of a completion, a wait and its deadline: the wait is true exactly if the phase completes before its
/// time is over.
#[test]
fn every_timing() {
    let (mut at_once, mut woken, mut given_up) = (0, 0, 0);
    for op in [Op::TryWait, Op::TryWaitParity] {
        for distance in 0..=16u32 {
            for limit in 0..=16u64 {
                let mut script = Script::new(2);
                script.push(0, 0, on(Op::Init, BARRIER, 1, 90));
                script.push(0, 60, wait(op, BARRIER, limit * CLOCK_NS, 1));
                script.push(1, 56 + distance, on(Op::Arrive, BARRIER, 1, 2));
                let (_, log) = play(fabric(2, 2, 2), script);
                let ((waits, wait), (arrives, _), (answered, answer)) = (log.done(1), log.done(2), log.answer(1));
                let what = format!("{op:?} done in {waits}, arrival in {arrives}, limit of {limit} cycles");
                assert_eq!(wait.suspended, arrives > waits && limit > 0, "{what}");
                assert_eq!(answer.resumed, wait.suspended, "{what}");
                assert_eq!(answer.predicate, arrives <= waits + limit, "{what}");
                let over = if wait.suspended { arrives.min(waits + limit) } else { waits };
                assert!((over + 1..=over + RESUMES).contains(&answered), "{what}: answered in {answered}");
                at_once += (!wait.suspended) as u32;
                woken += answer.predicate as u32;
                given_up += (wait.suspended && !answer.predicate) as u32;
            }
        }
    }
    assert!(at_once > 50 && woken > 50 && given_up > 50, "{at_once} {woken} {given_up}");
}

/// Limits that are no multiple of the clock's period are rounded up; none at all is 4 microseconds.
#[test]
fn limits_are_honoured_to_the_cycle() {
    let mut least = u64::MAX;
    for limit_ns in [0, 1, 6, 7, 8, 13, 14, 15, 700, 701, 70_000, u64::from(NO_LIMIT)] {
        let cycles = if limit_ns == u64::from(NO_LIMIT) { u64::from(DEFAULT_LIMIT_NS) } else { limit_ns };
        let cycles = cycles.div_ceil(CLOCK_NS);
        for late in [false, true] {
            let mut script = Script::new(2);
            script.push(0, 0, on(Op::Init, BARRIER, 1, 90));
            script.push(0, 60, wait(Op::TryWait, BARRIER, limit_ns, 1));
            script.push(1, 61 + (cycles + late as u64) as u32, on(Op::Arrive, BARRIER, 1, 2));
            let (report, log) = play(fabric(2, 2, 2), script);
            let ((waits, _), (arrives, _), (answered, answer)) = (log.done(1), log.done(2), log.answer(1));
            // those of one cycle are done one after the other
            assert_eq!(arrives, waits + (cycles + late as u64).max(1), "{limit_ns} ns");
            assert_eq!(answer.predicate, !late && cycles > 0, "{limit_ns} ns");
            assert_eq!(report.suspended, (limit_ns > 0) as u64);
            if limit_ns > 0 {
                least = least.min(answered - waits - cycles);
            }
        }
    }
    assert!(least <= RESUMES);
}

/// Waits of all ports on a word are woken in one step, which their bank tells of in the cycle after; those on its neighbours
/// sleep on.
#[test]
fn all_are_woken_at_once() {
    for waiters in [1u16, 2, 5, 31] {
        let mut script = Script::new(4);
        script.push(0, 0, on(Op::Init, BARRIER, 1, 90)).push(0, 0, on(Op::Init, BARRIER + 1, 1, 91));
        script.push(3, 60, wait(Op::TryWaitParity, BARRIER + 1, 3000, 99));
        for waiter in 0..waiters {
            let port = usize::from(waiter) % 4;
            script.push(
                port,
                if waiter < 4 { 50 } else { 0 },
                wait(Op::TryWaitParity, BARRIER, u64::from(NO_LIMIT), waiter),
            );
        }
        script.push(0, 150, on(Op::Arrive, BARRIER, 1, 50));
        let (report, log) = play(fabric(4, 1, 32), script);
        let count = u64::from(waiters);
        assert_eq!((report.suspended, report.woken, report.rejected), (count + 1, count, 0));
        let flip = log.done(50).0;
        assert_eq!(log.woken, [(flip + 1, 1)], "{waiters} waiters");
        for waiter in 0..waiters {
            let (cycle, answer) = log.answer(waiter);
            // they leave one after the other
            assert!(answer.predicate && cycle > flip && cycle <= flip + RESUMES + 2 * count, "{waiter}: {cycle}");
        }
        let (cycle, answer) = log.answer(99);
        assert!(!answer.predicate && cycle > log.done(99).0 + 3000 / CLOCK_NS);
    }
}

/// In several banks at once, each of which tells of its own.
#[test]
fn each_bank_wakes_its_own() {
    let mut script = Script::new(4);
    for word in 0..8 {
        script.push(0, 0, on(Op::Init, word, 1, 90));
        script.push(1, if word == 0 { 80 } else { 0 }, wait(Op::TryWaitParity, word, 3500, word as u16));
    }
    for word in [1, 6] {
        script.push(if word == 1 { 2 } else { 3 }, 200, on(Op::Arrive, word, 1, 50 + word as u16));
    }
    let (report, log) = play(fabric(4, 8, 8), script);
    assert_eq!((report.suspended, report.woken), (8, 2));
    let (first, second) = (log.done(51).0, log.done(56).0);
    assert_eq!(first, second, "both are done at once");
    assert_eq!(log.woken, [(first + 1, 0b0100_0010)]);
}

/// Whoever waits on a barrier that is ended or replaced is told so; an operation that is refused ends nothing.
#[test]
fn a_barrier_that_goes() {
    for op in [Op::Init, Op::Inval, Op::Store] {
        for gap in [0, 1, 2, 3, 20] {
            let mut script = Script::new(3);
            script.push(0, 0, on(Op::Init, BARRIER, 2, 90));
            script.push(0, 60, wait(Op::TryWaitParity, BARRIER, 1400, 1));
            script.push(1, 61, wait(Op::TryWait, BARRIER, 1400, 2));
            script.push(2, 62 + gap, on(op, BARRIER, 3, 3));
            let (report, log) = play(fabric(3, 2, 8), script);
            assert_eq!((report.suspended, report.woken), (2, 0), "{op:?} after {gap}");
            for tag in [1, 2] {
                let (cycle, answer) = log.answer(tag);
                assert_eq!(
                    (answer.status(), answer.predicate),
                    (Some(Status::Invalidated), false),
                    "{op:?} after {gap}"
                );
                assert!(cycle <= log.done(3).0 + RESUMES + 2);
            }
            assert_eq!(log.woken, [], "they are cancelled, not woken");
        }
    }
    let mut script = Script::new(2);
    script.push(0, 0, on(Op::Init, BARRIER, 1, 90));
    script.push(0, 60, wait(Op::TryWaitParity, BARRIER, 700, 1));
    script.push(1, 70, on(Op::Init, BARRIER, 1 << 20, 2)).push(1, 0, on(Op::Inval, BARRIER, 0, 3).from_remote());
    let (_, log) = play(fabric(2, 2, 2), script);
    assert_ne!(log.done(2).1.status, Status::Ok.code());
    assert_eq!(log.answer(1).1.status(), Some(Status::Ok), "its time is over, and nothing else");
}

/// A bank's table is shared by all ports; without a free entry a wait is answered at once; and an entry is free again a few
/// cycles after its wait is over.
#[test]
fn a_full_table() {
    let parameters = fabric(4, 2, 8);
    let entries = parameters.entries() as u16;
    let mut script = Script::new(4);
    script.push(0, 0, on(Op::Init, BARRIER, 1, 90));
    for number in 0..entries + 2 {
        script.push(
            usize::from(number) % 4,
            if number < 4 { 60 } else { 20 },
            wait(Op::TryWaitParity, BARRIER, 1400, number),
        );
    }
    // word 3 is in the other bank
    script.push(0, 100, wait(Op::TryWaitParity, BARRIER + 1, 700, 70));
    script.push(1, 100, on(Op::Arrive, BARRIER, 1, 71));
    script.push(1, 40, wait(Op::TryWaitParity, BARRIER, 70, 72)); // for phase 0, which has completed
    for number in 80..80 + entries {
        // a word that is all zero is in its phase 0, too
        script.push(2, if number == 80 { 150 } else { 0 }, wait(Op::TryWaitParity, BARRIER + 2, 70, number));
    }
    let (report, log) = play(parameters, script);
    let suspended = |tag| log.done(tag).1.suspended;
    let parked = (0..entries + 2).filter(|tag| suspended(*tag)).count();
    assert_eq!(parked, usize::from(entries), "all entries are taken, and no more");
    for tag in (0..entries + 2).filter(|tag| !suspended(*tag)) {
        let answer = log.answer(tag).1;
        assert!(!answer.predicate && !answer.resumed && answer.status() == Some(Status::Ok));
    }
    assert!(suspended(70), "the other bank has room");
    assert!(!suspended(72) && log.answer(72).1.predicate);
    assert!((80..80 + entries).all(suspended), "there is room again");
    assert_eq!(report.rejected, 2);
}

/// Answers of waits and of other requests share a port; a bank that is asked without end lets its waits answer all the same.
#[test]
fn a_busy_bank_lets_its_waits_answer() {
    for ports in [1, 4] {
        let mut script = Script::new(ports);
        script.push(0, 0, on(Op::Init, BARRIER, 1, 90)).push(0, 0, on(Op::Init, 4, 100_000, 90));
        for number in 0..6 {
            script.push(
                0,
                if number == 0 { 60 } else { 0 },
                wait(Op::TryWaitParity, BARRIER, u64::from(NO_LIMIT), number),
            );
        }
        for number in 0..400u32 {
            for port in 0..ports {
                let pause = if number == 0 && port > 0 { 66 } else { 0 };
                let request = match (port, number) {
                    (0, 100) => on(Op::Arrive, BARRIER, 1, 50),
                    _ => on(Op::Arrive, 4, 1, 60),
                };
                script.push(port, pause, request);
            }
        }
        let (report, log) = play(fabric(ports, 2, 16), script);
        assert_eq!((report.suspended, report.woken), (6, 6));
        let flip = log.done(50).0;
        for number in 0..6 {
            let answered = log.answer(number).0;
            assert!(answered <= flip + 120, "{ports} ports: {number} is answered {} later", answered - flip);
        }
        assert!(log.done.last().expect("they are done").0 > flip + 200, "and the bank was busy");
    }
}
