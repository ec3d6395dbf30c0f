//! Suspended waits: every relative timing of completion, wait and deadline, to the cycle; many waiters; full tables; barriers
//! that go while they are waited for. One body, every engine; the scoreboard looks on in all of it.

#[macro_use]
mod engines;

use txbar_rtl::low_latency::unit::{LATENCY, WAKE_LATENCY};
use txbar_rtl::op::{DEFAULT_LIMIT_NS, NO_LIMIT, Op};
use txbar_rtl::parameters::Parameters;
use txbar_rtl::status::Status;
use txbar_testbench::counter_model::BEGINS;
use txbar_testbench::engine::Engine;
use txbar_testbench::request::{Request, Response};
use txbar_testbench::run::{self, Observer, Report, Script};
use txbar_testbench::traffic::Conditions;

const BARRIER: u32 = 0x40;
const OTHER: u32 = 0x48;
const PORTS: usize = 4;
const CLOCK_NS: u64 = 7;

fn parameters() -> Parameters {
    Parameters {
        ports: PORTS,
        banks: 2,
        words: 64,
        clock_ns: CLOCK_NS as usize,
        counters: false,
        ..Parameters::default()
    }
}

/// What happened at each port, with its cycle.
#[derive(Default)]
struct Log {
    accepted: [Vec<u64>; PORTS],
    answers: [Vec<(u64, Response)>; PORTS],
    woken: Vec<(u64, u64)>,
    seen: [bool; PORTS],
}

impl<E: Engine> Observer<E> for Log {
    fn settled(&mut self, engine: &E, cycle: u64) {
        if engine.woken() != 0 {
            self.woken.push((cycle, engine.woken()));
        }
        for port in 0..PORTS {
            // an answer counts from the cycle in which it is first shown
            let shown = engine.shown() >> port & 1 != 0;
            if shown && !self.seen[port] {
                self.answers[port].push((cycle, engine.response(port)));
            }
            self.seen[port] = shown;
        }
    }
    fn accepted(&mut self, cycle: u64, port: usize, _request: &Request) {
        self.accepted[port].push(cycle);
    }
    fn answered(&mut self, _cycle: u64, port: usize, _response: &Response) {
        self.seen[port] = false;
    }
}

fn play<E: Engine>(mut engine: E, script: Script) -> (Report, Log) {
    let mut log = Log::default();
    let report =
        run::source(&mut engine, script, Conditions::CALM, &mut log).unwrap_or_else(|failure| panic!("{failure}"));
    (report, log)
}

fn request(op: Op, address: u32, data: u64) -> Request {
    Request::new(op, address).with(data)
}

/// A wait for the end of phase 0, by parity or by a token, for this many nanoseconds.
fn wait(op: Op, address: u32, limit_ns: u32) -> Request {
    request(op, address, if op == Op::TryWait { limit_ns.into() } else { u64::from(limit_ns) << 32 })
}

/// The last cycle in which the acceptance of an arrival counts for a wait that was accepted in a cycle, with a limit of so many
/// nanoseconds.
fn last_arrival(accepted: u64, limit_ns: u64) -> u64 {
    let begins = BEGINS + LATENCY as u64 - 1; // it takes effect so many cycles later, and cycles are counted since reset
    parameters().give_up(accepted + begins, limit_ns as u32, 0) - begins
}

/// Every relative timing of a completion, a wait and its deadline in a window of 16 cycles: the wait is true exactly if the
/// phase completes before its time is over, and its answer comes in the very cycle in which it should.
fn every_timing<E: Engine>(make: impl Fn() -> E) {
    for op in [Op::TryWait, Op::TryWaitParity] {
        for distance in 0..=16u64 {
            for limit in 0..=16u64 {
                let mut script = Script::new(PORTS);
                script.push(0, 0, request(Op::Init, BARRIER, 1));
                script.push(1, 20, wait(op, BARRIER, (limit * CLOCK_NS) as u32));
                script.push(2, 12 + distance as u32, request(Op::Arrive, BARRIER, 1));
                let (_, log) = play(make(), script);
                let (waits, arrives) = (log.accepted[1][0], log.accepted[2][0]);
                let (shown, answer) = log.answers[1][0];
                // of one cycle, the wait is the last
                let last = last_arrival(waits, limit * CLOCK_NS);
                let (complete, cycle) = if arrives <= waits {
                    (true, waits + LATENCY as u64)
                } else if limit == 0 {
                    (false, waits + LATENCY as u64)
                } else if arrives <= last {
                    (true, arrives + WAKE_LATENCY as u64)
                } else {
                    (false, last + WAKE_LATENCY as u64)
                };
                let what = format!("{op:?} at {waits}, arrival at {arrives}, limit of {limit} cycles");
                assert_eq!(answer.predicate, complete, "{what}");
                assert_eq!(shown, cycle, "{what}");
            }
        }
    }
}

/// The same with bytes that complete the phase.
fn every_timing_of_bytes<E: Engine>(make: impl Fn() -> E) {
    for distance in 0..=16u32 {
        let mut script = Script::new(PORTS);
        script.push(0, 0, request(Op::Init, BARRIER, 1)).push(0, 0, request(Op::ArriveExpectTx, BARRIER, 64));
        script.push(1, 20, wait(Op::TryWaitParity, BARRIER, NO_LIMIT));
        script.push(2, 12 + distance, request(Op::BulkCompleteTx, BARRIER, 64));
        let (_, log) = play(make(), script);
        let (waits, completes) = (log.accepted[1][0], log.accepted[2][0]);
        let shown = if completes <= waits { waits + LATENCY as u64 } else { completes + WAKE_LATENCY as u64 };
        assert!(log.answers[1][0].1.predicate);
        assert_eq!(log.answers[1][0].0, shown, "distance {distance}");
    }
}

/// Limits that are no multiple of the clock's period are rounded up, and end at the next tick; none at all is 4 microseconds.
fn limits_are_honoured_to_the_cycle<E: Engine>(make: impl Fn() -> E) {
    for limit_ns in [0, 1, 6, 7, 8, 13, 14, 15, 700, 701, NO_LIMIT] {
        for pause in 10..10 + parameters().entries() as u32 {
            let mut script = Script::new(PORTS);
            script.push(0, 0, request(Op::Init, BARRIER, 1));
            script.push(1, pause, wait(Op::TryWait, BARRIER, limit_ns));
            let (report, log) = play(make(), script);
            let ((shown, answer), accepted) = (log.answers[1][0], log.accepted[1][0]);
            let limit_ns = if limit_ns == NO_LIMIT { DEFAULT_LIMIT_NS } else { limit_ns };
            let last = last_arrival(accepted, limit_ns.into());
            let expected = if limit_ns == 0 { accepted + LATENCY as u64 } else { last + WAKE_LATENCY as u64 };
            assert_eq!((shown, answer.predicate), (expected, false), "{limit_ns} ns");
            let late = last - accepted - u64::from(limit_ns).div_ceil(CLOCK_NS);
            assert!(limit_ns == 0 || late < parameters().entries() as u64, "{late} cycles late");
            assert_eq!((report.suspended, report.woken), ((limit_ns > 0) as u64, 0));
        }
    }
}

/// One waiter or 31 of them, spread over the ports: all are woken in one step, 5 cycles after the last arrival was
/// accepted, and leave one a port a cycle from two cycles later on. Those of a neighbouring barrier sleep on.
fn all_are_woken_at_once<E: Engine>(make: impl Fn() -> E) {
    for waiters in [1usize, 2, 5, 31] {
        let mut script = Script::new(PORTS);
        script.push(0, 0, request(Op::Init, BARRIER, 1)).push(0, 0, request(Op::Init, OTHER, 1));
        script.push(3, 20, wait(Op::TryWaitParity, OTHER, 1400).tagged(99));
        for waiter in 0..waiters {
            let pause = if waiter < PORTS { 10 } else { 0 };
            script.push(waiter % PORTS, pause, wait(Op::TryWaitParity, BARRIER, NO_LIMIT).tagged(waiter as u16));
        }
        script.push(0, 60, request(Op::Arrive, BARRIER, 1).tagged(50));
        let (report, log) = play(make(), script);
        assert_eq!((report.suspended, report.woken, report.rejected), (waiters as u64 + 1, waiters as u64, 0));
        let arrival = log.accepted[0].iter().rev().find(|cycle| **cycle < report.cycles).expect("it was accepted");
        let ports = (1u64 << waiters.min(PORTS)) - 1;
        assert_eq!(log.woken, [(arrival + 5, ports)], "{waiters} waiters");
        for port in 0..PORTS.min(waiters) {
            let mine: Vec<u16> = (0..waiters as u16).filter(|waiter| *waiter as usize % PORTS == port).collect();
            let shown: Vec<u64> = log.answers[port]
                .iter()
                .filter(|(_, answer)| answer.predicate && mine.contains(&answer.tag))
                .map(|(cycle, _)| *cycle)
                .collect();
            let expected: Vec<u64> = (0..mine.len()).map(|turn| arrival + (WAKE_LATENCY + turn) as u64).collect();
            assert_eq!(shown, expected, "port {port}");
        }
    }
}

/// What ends or replaces a barrier cancels the waits on it, and no others.
fn a_barrier_that_goes<E: Engine>(make: impl Fn() -> E) {
    for (op, data) in [(Op::Inval, 0), (Op::Init, 5), (Op::Store, 0)] {
        let mut script = Script::new(PORTS);
        script.push(0, 0, request(Op::Init, BARRIER, 1)).push(0, 0, request(Op::Init, OTHER, 1));
        script.push(1, 10, wait(Op::TryWaitParity, BARRIER, NO_LIMIT));
        script.push(2, 10, wait(Op::TryWaitParity, OTHER, 700));
        script.push(0, 20, request(op, BARRIER, data));
        let (_, log) = play(make(), script);
        let (shown, answer) = log.answers[1][0];
        assert_eq!((answer.status(), answer.predicate), (Some(Status::Invalidated), false));
        assert_eq!(shown, log.accepted[0][2] + WAKE_LATENCY as u64);
        assert_eq!(log.answers[2][0].1.status(), Some(Status::Ok), "it waits for another");
    }
    // one that is refused ends nothing
    let mut script = Script::new(PORTS);
    script.push(0, 0, request(Op::Init, BARRIER, 1)).push(1, 10, wait(Op::TryWaitParity, BARRIER, 700));
    script.push(0, 20, request(Op::Init, BARRIER, 1 << 20));
    assert_eq!(play(make(), script).1.answers[1][0].1.status(), Some(Status::Ok));
}

/// Two phases complete in one cycle: who waits for the first is woken, and a wait in the group waits for the third.
fn two_phases_in_a_cycle<E: Engine>(make: impl Fn() -> E) {
    let mut script = Script::new(PORTS);
    script.push(0, 0, request(Op::Init, BARRIER, 1));
    script.push(3, 20, wait(Op::TryWaitParity, BARRIER, NO_LIMIT).tagged(7));
    script.push(0, 60, request(Op::Arrive, BARRIER, 1)).push(1, 61, request(Op::Arrive, BARRIER, 1));
    script.push(2, 61, wait(Op::TryWaitParity, BARRIER, NO_LIMIT).tagged(9));
    script.push(0, 40, request(Op::Arrive, BARRIER, 1));
    let (report, log) = play(make(), script);
    let (group, third) = (log.accepted[0][1], log.accepted[0][2]);
    assert_eq!((log.accepted[1][0], log.accepted[2][0]), (group, group), "all in one cycle");
    assert_eq!((report.flips, report.suspended, report.woken), (3, 2, 2));
    for (port, tag, completes) in [(3, 7, group), (2, 9, third)] {
        let (shown, answer) = log.answers[port][0];
        assert_eq!((answer.tag, answer.predicate), (tag, true));
        assert_eq!(shown, completes + WAKE_LATENCY as u64);
    }
}

/// A full table answers at once, and nobody else has to wait for it; `test_wait` is never suspended.
fn a_full_table<E: Engine>(make: impl Fn() -> E) {
    let mut script = Script::new(PORTS);
    script.push(0, 0, request(Op::Init, BARRIER, 1));
    for tag in 0..10 {
        script.push(1, if tag == 0 { 10 } else { 0 }, wait(Op::TryWaitParity, BARRIER, 2800).tagged(tag));
    }
    script.push(1, 0, request(Op::TestWaitParity, BARRIER, 0).tagged(10));
    script.push(1, 0, request(Op::Load, OTHER, 0).tagged(11));
    let (report, log) = play(make(), script);
    assert_eq!((report.suspended, report.rejected), (8, 2), "a port has 8 of the 32 entries");
    let tags: Vec<u16> = log.answers[1].iter().map(|(_, answer)| answer.tag).collect();
    assert_eq!(tags[..4], [8, 9, 10, 11]);
    let cycles: Vec<u64> = log.answers[1][..4].iter().map(|(cycle, _)| *cycle).collect();
    // while those wait, others go to the bank by way of the slot
    let latency = LATENCY as u64 + 1;
    assert!(cycles.iter().zip(&log.accepted[1][8..]).all(|(shown, accepted)| *shown == accepted + latency));
}

/// A port that is answered in every cycle still hands out what was woken, and the other way round.
fn queue_and_table_take_turns<E: Engine>(make: impl Fn() -> E) {
    let mut script = Script::new(PORTS);
    script.push(0, 0, request(Op::Init, BARRIER, 1));
    for tag in 0..8 {
        script.push(1, if tag == 0 { 10 } else { 0 }, wait(Op::TryWaitParity, BARRIER, NO_LIMIT).tagged(tag));
    }
    for tag in 100..200 {
        script.push(1, 0, request(Op::Load, OTHER, 0).tagged(tag));
    }
    script.push(0, 40, request(Op::Arrive, BARRIER, 1));
    let (report, log) = play(make(), script);
    assert_eq!(report.woken, 8);
    let flip = log.accepted[0][1] + (WAKE_LATENCY - 1) as u64;
    let woken = log.answers[1].iter().filter(|(_, answer)| answer.tag < 8);
    assert!(woken.clone().all(|(cycle, _)| *cycle <= flip + 16), "every other answer is theirs");
    let others =
        log.answers[1].iter().filter(|(cycle, answer)| answer.tag >= 100 && *cycle > flip && *cycle <= flip + 16);
    assert!(others.count() >= 7, "and every other is not");
}

cases! {
    every_timing,
    every_timing_of_bytes,
    limits_are_honoured_to_the_cycle,
    all_are_woken_at_once,
    two_phases_in_a_cycle,
    a_barrier_that_goes,
    a_full_table,
    queue_and_table_take_turns,
}
