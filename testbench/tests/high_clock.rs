//! The high-clock build: its special features. (Tests of the low-latency build cover what both share.)

mod misspeculation;

use txbar_rtl::hdl::settled::check;
use txbar_rtl::high_clock;
use txbar_rtl::op::Op;
use txbar_rtl::ordering::Order;
use txbar_rtl::parameters::Parameters;
use txbar_testbench::check::replay;
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::engine::{Engine, Serial};
use txbar_testbench::faults::high_clock::FAULTS;
use txbar_testbench::request::Request;
use txbar_testbench::run::{self, Observer, Report, Script, Unobserved};
use txbar_testbench::silicon;
use txbar_testbench::traffic::{Conditions, Pattern, Plan};

/// A unit whose memory returns nonsense where a read meets a write.
fn engine(words: usize) -> Rtl {
    let mut engine = Rtl::new(Parameters::high_clock(words).check().expect("it can be built"));
    engine.unit_mut().poison_collisions(0xbad0_bad0_bad0_bad0);
    engine
}

fn clean(words: usize, plan: &Plan) -> Report {
    run::plan(&mut engine(words), plan, &mut Unobserved).unwrap_or_else(|failure| panic!("{plan:?}: {failure}"))
}

#[test]
fn it_does_what_the_h200_did() {
    for (name, text) in silicon::RECORDINGS {
        let records = silicon::read(name, text.as_bytes()).expect("the recordings are sound");
        let replay = replay(&mut Serial(engine(512)), &records, |_| {});
        assert_eq!((replay.matched, replay.records), (records.len(), records.len()), "{name}");
    }
}

#[test]
fn random_traffic_on_every_pattern_with_stalls() {
    for (seed, pattern) in [Pattern::Hot, Pattern::Same, Pattern::Neighbours, Pattern::Random].into_iter().enumerate() {
        for (stall, bank_stall) in [(0, 0), (0, 15), (30, 10), (80, 0)] {
            for words in [16, 512, 4096] {
                let plan = Plan { stall, bank_stall, pattern, ..Plan::new(seed as u64 + 1, 6_000) };
                let report = clean(words, &plan);
                assert!(report.latency_cycles.min >= high_clock::LATENCY);
            }
        }
        // without so many faults: barriers that are made first, and kept alive
        for mix in ["arrive=4,test=1", "arrive=4,init=1,expect=2,complete=2,load=1", "store=3,load=3,arrive=1"] {
            let mix = mix.parse().expect("it is a mix");
            clean(64, &Plan { pattern, mix, stall: 10, ..Plan::new(seed as u64 + 11, 10_000) });
        }
    }
}

#[test]
fn every_misspeculation_at_every_distance_from_every_follower() {
    misspeculation::at_every_distance(&mut Serial(engine(16)));
}

fn played(script: Script) -> Report {
    run::source(&mut engine(512), script, Conditions::CALM, &mut Unobserved)
        .unwrap_or_else(|failure| panic!("{failure}"))
}

#[test]
fn an_answer_takes_sixteen_cycles() {
    let mut script = Script::new(1);
    for op in Op::ALL.iter().filter(|op| !op.is_posted()) {
        script.push(0, 40, Request::new(*op, 8).with(1));
    }
    let latency = played(script).latency_cycles;
    assert_eq!((latency.min, latency.max), (high_clock::LATENCY, high_clock::LATENCY));
}

/// One operation a cycle, on one word and on many, also while phases complete; less where they complete one right after the
/// other.
#[test]
fn the_rate_is_one_without_misspeculation() {
    let mut figures = Vec::new();
    for (arrivals, words) in [(1, 1), (2, 1), (3, 1), (8, 1), (32, 1), (1, 3), (1, 64), (2, 64), (100_000, 1)] {
        let mut script = Script::new(1);
        for word in 0..words {
            script.push(0, 0, Request::new(Op::Init, 8 * word).with(arrivals));
        }
        for number in 0..6_000u32 {
            let request = Request::new(Op::Arrive, 8 * (number % words)).with(1).tagged(number as u16 & 0xff);
            script.push(0, if number == 0 { 20 } else { 0 }, request.ordered(Order::from_code(0)));
        }
        let report = played(script);
        assert_eq!(report.faults, 0);
        figures.push((arrivals, words, report.operations as f64 / (report.cycles - 20) as f64));
    }
    println!("arrivals a phase, words in turn, operations a cycle: {figures:.3?}");
    for (arrivals, words, rate) in figures {
        if arrivals > 2 || words > 2 {
            assert!(rate > 0.99, "{arrivals} arrivals a phase, {words} words: {rate}");
        } else {
            assert!(rate > 0.07, "{arrivals} arrivals a phase: {rate}");
        }
    }
}

/// In every cycle: settling again changes nothing, and every value fits the wires that carry it.
struct Checker(Parameters);

impl Observer<Rtl> for Checker {
    fn settled(&mut self, engine: &Rtl, cycle: u64) {
        let mut again = engine.unit().clone();
        again.settle();
        check(engine.unit(), &again, &self.0, format_args!("cycle {cycle}"));
    }
}

#[test]
fn the_written_order_is_an_order_of_the_data() {
    for words in [16, 512, 65536] {
        let mut engine = engine(words);
        let mut checker = Checker(*engine.parameters());
        let plan = Plan { stall: 25, bank_stall: 10, ..Plan::new(21, 500) };
        run::plan(&mut engine, &plan, &mut checker).unwrap_or_else(|failure| panic!("{failure}"));
    }
}

#[test]
fn every_injected_fault_is_found() {
    let mut missed = Vec::new();
    for fault in FAULTS {
        let plans = [
            Plan { stall: 20, ..Plan::new(1, 60_000) },
            Plan { mix: "arrive=6,test=1,load=1,init=1".parse().expect("it is a mix"), ..Plan::new(2, 60_000) },
            Plan { stall: 85, ..Plan::new(3, 30_000) },
        ];
        let found = plans.iter().any(|plan| {
            let mut engine = Rtl::with_fault(Parameters::high_clock(64), fault.injected());
            engine.unit_mut().poison_collisions(0xbad0_bad0_bad0_bad0);
            run::plan(&mut engine, plan, &mut Unobserved).is_err()
        });
        if !found {
            missed.push(fault.name);
        }
    }
    assert_eq!(missed, Vec::<&str>::new(), "not found");
}
