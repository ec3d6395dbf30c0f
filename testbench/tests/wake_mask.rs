//! The wake mask: the ends of suspended waits are told as masks of threads. Every relative timing of completion and time limit, to the
//! cycle; 31 waiters; masks that are not taken; entries in use; barriers that go; faults to find. The scoreboard compares the masks in
//! every cycle.

#[macro_use]
mod engines;

use txbar_rtl::op::{NO_LIMIT, Op};
use txbar_rtl::parameters::Parameters;
use txbar_testbench::counter_model::BEGINS;
use txbar_testbench::engine::Engine;
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::faults;
use txbar_testbench::request::{Request, Response};
use txbar_testbench::run::{self, Observer, Report, Script, Unobserved};
use txbar_testbench::traffic::{Conditions, Pattern, Plan};
use txbar_testbench::wake_masks::Masks;

const BARRIER: u32 = 0x40;
const OTHER: u32 = 0x48;
const CLOCK_NS: u64 = 10;
/// Cycles from the acceptance of the last arrival to the mask that tells of it.
const TOLD: u64 = 6;

fn parameters() -> Parameters {
    Parameters { ports: 1, banks: 1, words: 64, wake_mask: true, counters: false, ..Parameters::default() }
}

/// What happened, with its cycle.
#[derive(Default)]
struct Log {
    accepted: Vec<(u64, Request)>,
    masks: Vec<(u64, Masks)>,
    answers: Vec<(u64, Response)>,
}

impl<E: Engine> Observer<E> for Log {
    fn settled(&mut self, engine: &E, cycle: u64) {
        let masks = engine.resumed(0);
        if !masks.is_empty() && self.masks.last().is_none_or(|(_, before)| *before != masks) {
            self.masks.push((cycle, masks));
        }
    }
    fn accepted(&mut self, cycle: u64, _port: usize, request: &Request) {
        self.accepted.push((cycle, *request));
    }
    fn answered(&mut self, cycle: u64, _port: usize, response: &Response) {
        self.answers.push((cycle, *response));
    }
}

impl Log {
    /// The cycle in which the last request of an operation was accepted.
    fn last(&self, op: Op) -> u64 {
        self.accepted.iter().rev().find(|(_, request)| request.operation() == Some(op)).expect("it was accepted").0
    }
}

fn play<E: Engine>(mut engine: E, script: Script, conditions: Conditions) -> (Report, Log) {
    let mut log = Log::default();
    let report = run::source(&mut engine, script, conditions, &mut log).unwrap_or_else(|failure| panic!("{failure}"));
    (report, log)
}

fn request(op: Op, address: u32, data: u64) -> Request {
    Request::new(op, address).with(data)
}

/// A wait of a thread for the end of phase 0.
fn wait(thread: u16, address: u32, limit_ns: u32) -> Request {
    request(Op::TryWaitParity, address, u64::from(limit_ns) << 32).tagged(thread)
}

/// It orders nothing, and holds nobody.
fn relaxed(wait: Request) -> Request {
    Request { order: txbar_rtl::ordering::Order::from_code(0), ..wait }
}

/// 31 threads wait: one mask has all of them, 6 cycles after the last arrival was accepted; or 7, if they acquire: it is looked at in the slot
/// then, as none of them may hold it. Two for another barrier sleep on, until that ends.
fn all_are_told_at_once<E: Engine>(make: impl Fn() -> E) {
    told_at_once(make(), |wait| wait, TOLD + 1);
    told_at_once(make(), relaxed, TOLD);
}

fn told_at_once<E: Engine>(engine: E, ordered: fn(Request) -> Request, told: u64) {
    let mut script = Script::new(1);
    script.push(0, 0, request(Op::Init, BARRIER, 1)).push(0, 0, request(Op::Init, OTHER, 1));
    for thread in 0..31 {
        script.push(0, 0, ordered(wait(thread, if thread % 16 == 3 { OTHER } else { BARRIER }, NO_LIMIT)));
    }
    script.push(0, 10, request(Op::Arrive, BARRIER, 1).tagged(200));
    script.push(0, 10, request(Op::Inval, OTHER, 0).tagged(200));
    let (report, log) = play(engine, script, Conditions::CALM);
    let others = 1 << 3 | 1 << 19;
    let completed = Masks { completed: 0x7fff_ffff & !others, ..Masks::default() };
    let ended = Masks { ended: others, ..Masks::default() };
    assert_eq!(log.masks, [(log.last(Op::Arrive) + told, completed), (log.last(Op::Inval) + told, ended)]);
    assert_eq!((report.suspended, report.woken, report.rejected), (31, 29, 0));
}

/// Every relative timing of a completion and a time limit: each thread's limits end in its own cycles.
fn every_timing<E: Engine>(make: impl Fn() -> E) {
    for thread in [0, 1, 30, 31] {
        for limit in 1..=3u64 {
            for distance in 1..=40 {
                let mut script = Script::new(1);
                script.push(0, 0, request(Op::Init, BARRIER, 1));
                script.push(0, 20, relaxed(wait(thread, BARRIER, (limit * CLOCK_NS) as u32)));
                script.push(0, distance, request(Op::Arrive, BARRIER, 1).tagged(200));
                let (_, log) = play(make(), script, Conditions::CALM);
                let (waits, arrives) = (log.last(Op::TryWaitParity), log.last(Op::Arrive));
                let late = BEGINS + 4;
                let last = parameters().give_up(waits + late, (limit * CLOCK_NS) as u32, thread) - late;
                assert!(last >= waits + limit && last < waits + limit + 34, "{last} {waits} {limit}");
                let mut expected = Masks::default();
                let is_in_time = arrives <= last;
                if is_in_time {
                    expected.completed = 1 << thread
                } else {
                    expected.expired = 1 << thread
                };
                let told = arrives.min(last) + TOLD;
                assert_eq!(log.masks, [(told, expected)], "thread {thread}, limit {limit}, distance {distance}");
            }
        }
    }
}

/// A wait whose entry is in use, or whose thread has none, is answered at once; one after the end of the first was taken is not.
fn an_entry_in_use<E: Engine>(make: impl Fn() -> E) {
    let mut script = Script::new(1);
    script.push(0, 0, request(Op::Init, BARRIER, 1));
    script.push(0, 0, relaxed(wait(5, BARRIER, NO_LIMIT))).push(0, 0, relaxed(wait(5, BARRIER, NO_LIMIT)));
    script.push(0, 10, relaxed(wait(5, OTHER, NO_LIMIT))).push(0, 0, wait(32, BARRIER, NO_LIMIT));
    script.push(0, 0, wait(6, BARRIER, NO_LIMIT)).push(0, 10, request(Op::Arrive, BARRIER, 1).tagged(200));
    script.push(0, 10, request(Op::TryWaitParity, BARRIER, 1000 << 32 | 1).tagged(5));
    let (report, log) = play(make(), script, Conditions::CALM);
    assert_eq!((report.suspended, report.woken, report.rejected), (3, 2, 3));
    assert_eq!(log.masks[0].1, Masks { completed: 3 << 5, ..Masks::default() });
    assert_eq!(log.masks[1].1, Masks { expired: 1 << 5, ..Masks::default() });
}

/// Random traffic, with masks that are not taken at once.
fn random<E: Engine>(make: impl Fn() -> E) {
    for (seed, stall) in [(1, 0), (2, 30), (3, 80)] {
        let mix = "arrive=12,try=12,init=2,test=4,inval=1,load=1".parse().expect("it is a mix");
        let plan = Plan { stall, bank_stall: 10, pattern: Pattern::Neighbours, mix, ..Plan::new(seed, 5000) };
        let report =
            run::plan(&mut make(), &plan, &mut Unobserved).unwrap_or_else(|failure| panic!("{plan:?}: {failure}"));
        assert!(report.suspended > 0 && report.woken > 0, "{report:?}");
    }
}

cases! {
    all_are_told_at_once,
    every_timing,
    an_entry_in_use,
    random,
}

/// Several ports and banks, threads with several tags, checked mode: units that stand still.
#[test]
fn several_ports() {
    let seed = txbar_testbench::test_env::seed();
    let set = |ports, banks, waiters, tag_bits, number_bits, checked| Parameters {
        ports,
        banks,
        waiters,
        tag_bits,
        number_bits,
        checked,
        ..parameters()
    };
    let sets = [
        set(4, 8, 32, 3, 0, false),
        set(8, 4, 64, 4, 1, true),
        set(2, 2, 2, 2, 1, false),
        set(3, 1, 3, 1, 0, true),
        set(1, 4, 64, 6, 0, true),
    ];
    for parameters in sets {
        let parameters = parameters.check().expect("it can be built");
        let mix = "arrive=12,try=12,init=2,test=8".parse().expect("it is a mix");
        let plans = [
            Plan::new(seed, 20_000),
            Plan { stall: 40, bank_stall: 20, pattern: Pattern::Same, mix, ..Plan::new(seed, 20_000) },
        ];
        for plan in plans {
            run::plan(&mut Rtl::new(parameters), &plan, &mut Unobserved)
                .unwrap_or_else(|failure| panic!("{parameters:?} {plan:?}: {failure}"));
        }
    }
}

/// Every injected fault is found by random traffic.
#[test]
fn every_injected_fault_is_found() {
    // threads with two tags each, as some of which come right behind each other; half of them have no entry
    let parameters = Parameters { banks: 2, waiters: 8, tag_bits: 5, number_bits: 1, ..parameters() };
    let mut missed = Vec::new();
    for seed in 1..=2 {
        for fault in faults::of_unit(&parameters) {
            let mix = "arrive=12,try=12,init=4,test=8,inval=1,load=2".parse().expect("it is a mix");
            let plan = Plan { stall: 20, bank_stall: 10, mix, ..Plan::new(seed, 200_000) };
            match run::plan(&mut Rtl::with_fault(parameters, fault.injected()), &plan, &mut Unobserved) {
                Ok(_) => missed.push(format!("seed {seed}: {}", fault.name)),
                Err(failure) => println!("{}: {}", fault.name, failure.what),
            }
        }
    }
    assert_eq!(missed, Vec::<String>::new(), "not found");
}
