//! Fabrics: high-clock units with several ports, several banks, or suspended waits. Waits, and the order that programs see, have files of their own.

mod misspeculation;

use txbar_rtl::hdl::settled::check;
use txbar_rtl::op::Op;
use txbar_rtl::parameters::{Design, Parameters};
use txbar_testbench::check::replay;
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::engine::{Done, Engine, Serial};
use txbar_testbench::faults::banked::FAULTS;
use txbar_testbench::request::{Request, Response};
use txbar_testbench::run::{self, Observer, Report, Script, Unobserved};
use txbar_testbench::scoreboard::each;
use txbar_testbench::silicon;
use txbar_testbench::test_env;
use txbar_testbench::traffic::{Conditions, Generator, Pattern, Plan};

/// Ports, banks and waiters.
const SETS: [[usize; 3]; 6] = [[1, 1, 4], [2, 1, 0], [2, 2, 2], [4, 8, 32], [3, 4, 8], [8, 8, 64]];

fn fabric([ports, banks, waiters]: [usize; 3], words: usize) -> Parameters {
    Parameters { words, waiters, ..Parameters::banked_high_clock(ports, banks) }.check().expect("it can be built")
}

/// A unit whose memories return nonsense where a read meets a write.
fn engine(parameters: Parameters) -> Rtl {
    let mut engine = Rtl::new(parameters);
    engine.unit_mut().poison_collisions(0xbad0_bad0_bad0_bad0);
    engine
}

fn clean(parameters: Parameters, plan: &Plan) -> Report {
    run::plan(&mut engine(parameters), plan, &mut Unobserved)
        .unwrap_or_else(|failure| panic!("{} {plan:?}: {failure}", parameters.label()))
}

#[test]
fn it_does_what_the_h200_did() {
    for set in [[2, 2, 2], [4, 8, 32]] {
        for (name, text) in silicon::RECORDINGS {
            let records = silicon::read(name, text.as_bytes()).expect("the recordings are sound");
            let replay = replay(&mut Serial(engine(fabric(set, 512))), &records, |_| {});
            assert_eq!((replay.matched, replay.records), (records.len(), records.len()), "{name} {set:?}");
        }
    }
}

const PATTERNS: [Pattern; 4] = [Pattern::Hot, Pattern::Same, Pattern::Neighbours, Pattern::Random];

#[test]
fn random_traffic_on_every_pattern_with_stalls() {
    let mut flips = 0;
    for set in SETS {
        for (seed, pattern) in PATTERNS.into_iter().enumerate() {
            for (stall, bank_stall) in [(0, 0), (0, 15), (30, 10), (80, 0)] {
                let parameters = fabric(set, if seed % 2 == 0 { 64 } else { 4096 });
                let plan = Plan { stall, bank_stall, pattern, ..Plan::new(seed as u64 + 1, 5_000) };
                let report = clean(parameters, &plan);
                assert!(report.latency_cycles.min >= parameters.latency(), "{}", parameters.label());
                assert_eq!(report.combined, 0.0, "nothing is combined");
                flips += report.flips;
            }
            // without so many faults: barriers that are made first, and kept alive
            for mix in
                ["arrive=4,test=1", "arrive=4,try=2,expect=2,complete=2,load=1,init=1", "store=3,load=3,arrive=1"]
            {
                let mix = mix.parse().expect("it is a mix");
                flips +=
                    clean(fabric(set, 64), &Plan { pattern, mix, stall: 10, ..Plan::new(seed as u64 + 11, 6_000) })
                        .flips;
            }
        }
    }
    assert!(flips > 10_000, "{flips}");
}

#[test]
fn a_seed_that_is_new_in_every_run() {
    let seed = test_env::seed();
    for set in SETS {
        for (stall, bank_stall) in [(5, 0), (20, 20)] {
            clean(fabric(set, 128), &Plan { stall, bank_stall, ..Plan::new(seed, 20_000) });
        }
        clean(fabric(set, 128), &Plan { roles: true, pattern: Pattern::Same, ..Plan::new(seed, 20_000) });
    }
}

#[test]
fn odd_tags_and_sizes() {
    for (set, words, tag_bits, number_bits, clock_ns) in
        [([5, 2, 3], 16, 1, 0, 1), ([7, 4, 7], 65536, 16, 4, 1000), ([6, 8, 1], 32, 3, 2, 3), ([1, 8, 0], 256, 6, 0, 7)]
    {
        let parameters = Parameters { tag_bits, number_bits, clock_ns, ..fabric(set, words) };
        for stall in [0, 40] {
            clean(parameters, &Plan { stall, bank_stall: 5, ..Plan::new(words as u64, 10_000) });
        }
    }
}

#[test]
fn every_misspeculation_at_every_distance_from_every_follower() {
    misspeculation::at_every_distance(&mut Serial(engine(fabric([2, 1, 0], 16))));
    misspeculation::at_every_distance(&mut Serial(engine(fabric([1, 2, 0], 32))));
}

/// What happened, with its cycle.
#[derive(Default)]
struct Log {
    accepted: Vec<(u64, usize, Request)>,
    done: Vec<(u64, Done)>,
    answers: Vec<(u64, usize, Response)>,
}

impl<E: Engine> Observer<E> for Log {
    fn settled(&mut self, engine: &E, cycle: u64) {
        self.done.extend(each(engine.done()).map(|bank| (cycle, engine.effect(bank))));
    }
    fn accepted(&mut self, cycle: u64, port: usize, request: &Request) {
        self.accepted.push((cycle, port, *request));
    }
    fn answered(&mut self, cycle: u64, port: usize, response: &Response) {
        self.answers.push((cycle, port, *response));
    }
}

fn played(parameters: Parameters, script: Script) -> (Report, Log) {
    let mut log = Log::default();
    let report = run::source(&mut engine(parameters), script, Conditions::CALM, &mut log)
        .unwrap_or_else(|failure| panic!("{}: {failure}", parameters.label()));
    (report, log)
}

fn arrive(word: u32) -> Request {
    Request::new(Op::Arrive, word * 8).with(1)
}

#[test]
fn an_answer_takes_as_long_as_it_says() {
    for set in SETS {
        let parameters = fabric(set, 64);
        for port in 0..parameters.ports {
            let mut script = Script::new(parameters.ports);
            for (number, op) in Op::ALL.iter().filter(|op| !op.is_posted()).enumerate() {
                script.push(port, 60, Request::new(*op, 8 * number as u32).with(1));
            }
            let (report, log) = played(parameters, script);
            let latency = report.latency_cycles;
            assert_eq!((latency.min, latency.max), (parameters.latency(), parameters.latency()), "{set:?}");
            let effect = log.done[0].0 - log.accepted[0].0;
            for says in [
                format!("takes effect {effect} cycles after it was accepted"),
                format!("is answered {} cycles after it was accepted", parameters.latency()),
                format!("has 8 banks at most, and an answer takes {}: see", parameters.latency()),
            ] {
                let pages = [include_str!("../../docs/unit.md"), include_str!("../../docs/configuration.md")];
                assert!(pages.iter().any(|page| page.contains(&says)), "docs/unit.md or configuration.md: {says}");
            }
        }
    }
}

/// Arrivals of all ports on one word in one cycle are accepted in it and done in the order of the ports, one a cycle.
#[test]
fn those_of_one_cycle_are_done_in_the_order_of_the_ports() {
    for set in SETS {
        let parameters = fabric(set, 64);
        let ports = parameters.ports;
        for word in 0..parameters.banks as u32 {
            let mut script = Script::new(ports);
            script.push(0, 0, Request::new(Op::Init, word * 8).with(100));
            for port in 0..ports {
                script.push(port, if port == 0 { 59 } else { 60 }, arrive(word));
            }
            let (_, log) = played(parameters, script);
            let [_, arrivals @ ..] = &log.accepted[..] else { panic!("nothing is accepted") };
            let arrivals = &arrivals[..ports];
            assert!(arrivals.iter().all(|(cycle, ..)| *cycle == arrivals[0].0), "{set:?}: {arrivals:?}");
            let done: Vec<usize> = log.done[1..=ports].iter().map(|(_, done)| done.port).collect();
            assert_eq!(done, (0..ports).collect::<Vec<_>>(), "{set:?}");
            let cycles: Vec<u64> = log.done[1..=ports].iter().map(|(cycle, _)| cycle - log.done[1].0).collect();
            assert_eq!(cycles, (0..ports as u64).collect::<Vec<_>>(), "{set:?}");
        }
    }
}

/// Drives an engine by hand for this many cycles: every port always has a request. Gives how many of each were accepted in the
/// second half.
fn accepted_under(
    engine: &mut Rtl,
    cycles: u64,
    ready: impl Fn(u64) -> u64,
    mut request: impl FnMut(usize, u64) -> Request,
) -> Vec<u64> {
    let ports = engine.parameters().ports;
    let (mut counts, mut numbers) = (vec![0; ports], vec![0; ports]);
    engine.drive_valid((1 << ports) - 1);
    for cycle in 0..cycles {
        for (port, number) in numbers.iter().enumerate() {
            engine.drive_request(port, &request(port, *number));
        }
        engine.drive_ready(ready(cycle));
        engine.settle();
        for port in each(engine.accepted()) {
            numbers[port] += 1;
            counts[port] += (cycle >= cycles / 2) as u64;
        }
        engine.clock();
    }
    counts
}

/// Ports go round the banks, each one bank behind the other.
fn round(banks: u64) -> impl Fn(usize, u64) -> Request {
    move |port, number| Request::new(Op::Load, ((number + port as u64) % banks * 8) as u32)
}

#[test]
fn a_port_that_takes_no_answers_stops_only_itself() {
    for set in [[2, 2, 2], [4, 8, 32], [8, 8, 64]] {
        let parameters = fabric(set, 64);
        let all = (1u64 << parameters.ports) - 1;
        let mut engine = engine(parameters);
        let counts = accepted_under(&mut engine, 1000, |_| all & !0b10, round(parameters.banks as u64));
        for (port, count) in counts.iter().enumerate() {
            match port {
                1 => assert_eq!(*count, 0, "{set:?}: nobody takes the answers of port 1"),
                _ => assert!(*count > 450, "{set:?}: port {port}: {counts:?}"),
            }
        }
        let counts = accepted_under(&mut engine, 1000, |_| all, round(parameters.banks as u64));
        assert!(counts.iter().all(|count| *count > 450), "{set:?}: once they are taken it goes on: {counts:?}");
    }
}

/// The same if half of what it does not take are answers of waits that are over.
#[test]
fn waits_that_are_over_may_be_left_lying_too() {
    let parameters = fabric([4, 8, 32], 64);
    let mut engine = engine(parameters);
    let request = |port: usize, number: u64| match port {
        1 => Request::new(Op::TryWaitParity, (number % 8 * 8) as u32).with(50 << 32),
        _ => round(8)(port, number),
    };
    let counts = accepted_under(&mut engine, 2000, |_| 0b1101, request);
    assert!(counts[1] == 0 && [0, 2, 3].iter().all(|port| counts[*port] > 900), "{counts:?}");
    let counts = accepted_under(&mut engine, 2000, |_| 0b1111, request);
    assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
}

/// Operations a cycle of ports that always have a request.
fn rate(set: [usize; 3], words: u32, ops: &[Op]) -> f64 {
    let parameters = fabric(set, 512);
    let mut script = Script::new(parameters.ports);
    for word in 0..words {
        script.push(word as usize % parameters.ports, 0, Request::new(Op::Init, 8 * word).with(100_000));
    }
    let (mut state, mut asked) = (1u64, 0usize);
    for number in 0..5_000 {
        for port in 0..parameters.ports {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let request = Request::new(ops[number % ops.len()], (state >> 33) as u32 % words * 8).with(1);
            script.push(port, if number == 0 { 600 } else { 0 }, request.tagged(number as u16 & 0xff));
            asked += 1;
        }
    }
    let (report, log) = played(parameters, script);
    assert_eq!(report.faults, 0);
    // from the first to the last that is done, without the final look at every word
    let done: Vec<u64> = log.done.iter().map(|(cycle, _)| *cycle).collect();
    let done = &done[words as usize..][..asked];
    (asked - 1) as f64 / (done[asked - 1] - done[0]) as f64
}

#[test]
fn rates() {
    let mixed = [Op::Arrive, Op::Arrive, Op::TestWaitParity];
    let spread = rate([4, 8, 32], 512, &mixed);
    let one_word = rate([4, 8, 32], 1, &mixed);
    let few_banks = rate([4, 2, 2], 512, &mixed);
    let alone = rate([1, 8, 0], 512, &mixed);
    println!("operations a cycle: 4 ports x 8 banks, 512 words at random {spread:.3}, one word {one_word:.3};");
    println!("4 ports x 2 banks, at random {few_banks:.3}; 1 port x 8 banks, at random {alone:.3}");
    assert!(spread > 3.9 && one_word > 0.999 && few_banks > 1.9 && alone > 0.999);
}

/// In every cycle: settling again changes nothing, every value fits the wires that carry it, ready does not depend on who
/// else requests, valid does not depend on who takes answers, and a bank tells of its own words.
struct Checker(Parameters);

impl Observer<Rtl> for Checker {
    fn settled(&mut self, engine: &Rtl, cycle: u64) {
        let unit = engine.unit();
        let mut again = unit.clone();
        again.settle();
        check(unit, &again, &self.0, format_args!("cycle {cycle}"));
        let all = (1u64 << self.0.ports) - 1;
        again.req_valid.next = all.into();
        again.rsp_ready.next = (all & !unit.rsp_ready.val().raw()).into();
        again.settle();
        let accepted = again.req_ready.val().raw() & unit.req_valid.val().raw();
        assert_eq!(accepted, unit.req_ready.val().raw(), "cycle {cycle}");
        assert_eq!(again.rsp_valid.val(), unit.rsp_valid.val(), "cycle {cycle}");
        for bank in each(engine.done()) {
            assert_eq!(engine.effect(bank).index % self.0.banks, bank, "cycle {cycle}");
        }
        for bank in each(engine.flips()) {
            assert_eq!(engine.flip_index(bank), engine.effect(bank).index, "cycle {cycle}");
        }
    }
}

#[test]
fn the_written_order_is_an_order_of_the_data() {
    for set in SETS {
        for words in [64, 65536] {
            let parameters = fabric(set, words);
            let plan = Plan { stall: 25, bank_stall: 10, ..Plan::new(21, 500) };
            run::plan(&mut engine(parameters), &plan, &mut Checker(parameters))
                .unwrap_or_else(|failure| panic!("{failure}"));
        }
    }
}

/// Every pattern of requests that come without pause, while ports or banks wait so often, in percent.
fn come_without_pause(set: [usize; 3], mix: &str, stall: u8, bank_stall: u8) {
    let mix = mix.parse().expect("it is a mix");
    for (seed, pattern) in PATTERNS.into_iter().enumerate() {
        let conditions = Conditions { seed: seed as u64, stall, bank_stall };
        let parameters = fabric(set, 1024);
        let plan = Plan { pattern, mix, ..Plan::new(seed as u64, 3_000) };
        let generator = Generator::new(&plan, &parameters);
        run::source(&mut engine(parameters), generator, conditions, &mut Unobserved)
            .unwrap_or_else(|failure| panic!("{set:?} {conditions:?} {plan:?}: {failure}"));
    }
}

/// Answers that are taken late fill every place that there is for them, and none is lost.
#[test]
fn answers_that_are_taken_late() {
    for set in [[1, 1, 4], [1, 8, 8], [2, 2, 2], [4, 1, 16]] {
        for stall in [50, 70, 80, 90, 95] {
            come_without_pause(set, "load=8,try=1,arrive=1,init=1", stall, 0);
        }
    }
}

/// Requests that wait for a bank fill every place that there is for them, and none is lost.
#[test]
fn banks_that_are_late() {
    for set in [[4, 1, 0], [4, 8, 8], [8, 2, 0]] {
        for bank_stall in [50, 80, 95] {
            come_without_pause(set, "store=2,load=2,arrive=1", 0, bank_stall);
        }
    }
}

#[test]
fn every_injected_fault_is_found() {
    let mut missed = Vec::new();
    for fault in FAULTS {
        let plans = [
            Plan { stall: 20, ..Plan::new(1, 60_000) },
            Plan { mix: "arrive=6,try=4,load=1,init=1".parse().expect("it is a mix"), ..Plan::new(2, 60_000) },
            Plan { stall: 85, pattern: Pattern::Random, ..Plan::new(3, 30_000) },
            Plan {
                bank_stall: 80,
                mix: "store=2,load=2,arrive=1".parse().expect("it is a mix"),
                ..Plan::new(4, 30_000)
            },
        ];
        let found = plans.iter().any(|plan| {
            [[4, 2, 16], [2, 2, 2]].into_iter().any(|set| {
                let mut engine = Rtl::with_fault(fabric(set, 64), fault.injected());
                engine.unit_mut().poison_collisions(0xbad0_bad0_bad0_bad0);
                let failure = run::plan(&mut engine, plan, &mut Unobserved).err();
                if let Some(failure) = &failure {
                    println!("{}: cycle {}: {}", fault.name, failure.cycle, failure.what);
                }
                failure.is_some()
            })
        });
        if !found {
            missed.push(fault.name);
        }
    }
    assert_eq!(missed, Vec::<&str>::new(), "not found");
}
