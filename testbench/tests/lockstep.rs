//! The exported Verilog does the same as the hardware in Rust, cycle by cycle and pin by pin: under Verilator, as CXXRTL,
//! synthesised to cells, and under Icarus Verilog. All take the same traffic on the same sets of parameters.
//!
//! What takes long to build is compared if `TXBAR_ALL_SETS` is set: netlists and CXXRTL of the larger sets and of the banked build, units of
//! many ports and banks but for the default one.

mod netlists;

use std::time::Instant;
use txbar_export::verilog;
use txbar_rtl::parameters::{Design, Parameters};
use txbar_synth::flow::simulated::{ECP5, ICE40};
use txbar_testbench::check::replay;
use txbar_testbench::engine::compiled::{Compiled, Effort, Flow, on_deep_stack};
use txbar_testbench::engine::pins::{PinRecorder, Pins};
use txbar_testbench::engine::recorded::{Notes, Recorded, Row};
use txbar_testbench::engine::replay::Icarus;
use txbar_testbench::engine::rtl::{Rtl, qualified_by};
use txbar_testbench::engine::{Engine, Serial};
use txbar_testbench::run;
use txbar_testbench::silicon::{self, Record};
use txbar_testbench::test_env;
use txbar_testbench::traffic::{Pattern, Plan};

/// Small and odd ones, and the default.
fn parameter_sets() -> Vec<Parameters> {
    let set = |[ports, banks, words, tag_bits, number_bits, queue_depth, waiters, clock_ns]: [usize; 8]| Parameters {
        ports,
        banks,
        words,
        tag_bits,
        number_bits,
        queue_depth,
        waiters,
        clock_ns,
        counters: words != 128,
        checked: tag_bits % 3 == 0,
        ..Parameters::default()
    };
    let sets = [
        [1, 1, 16, 1, 0, 1, 0, 10],
        [1, 1, 32, 4, 2, 8, 2, 3],
        [1, 4, 64, 8, 0, 6, 8, 10],
        [2, 1, 16, 3, 1, 2, 0, 1],
        [2, 2, 64, 5, 0, 3, 3, 7],
        [3, 1, 32, 16, 8, 6, 64, 1],
        [3, 8, 128, 6, 3, 5, 9, 5],
        [4, 2, 64, 8, 2, 64, 1, 10],
        [5, 32, 128, 3, 0, 7, 5, 4],
        [6, 16, 256, 9, 4, 9, 0, 10],
        [7, 1, 16, 2, 1, 4, 16, 2],
        [8, 4, 1024, 7, 0, 13, 33, 1000],
    ];
    let high = Parameters::high_clock(64);
    let small = Parameters { words: 64, waiters: 2, ..Parameters::banked_high_clock(2, 2) };
    let fractions =
        Parameters { ports: 2, banks: 2, words: 64, waiters: 4, clock_ns: 6, clock_ps: 667, ..Parameters::default() };
    let large = Parameters { words: 128, ..Parameters::banked_high_clock(4, 8) };
    sets.into_iter().map(set).chain([Parameters::default(), high, small, large, fractions]).collect()
}

fn plans() -> [Plan; 4] {
    [
        Plan::new(11, 4000),
        Plan { stall: 40, pattern: Pattern::Same, ..Plan::new(12, 2000) },
        Plan { bank_stall: 30, stall: 10, ..Plan::new(14, 2000) },
        Plan { stall: 15, roles: true, pattern: Pattern::Neighbours, ..Plan::new(13, 2000) },
    ]
}

/// Carries out a plan; gives what was written down of it.
fn noted<E: Engine, N: Notes<E>>(engine: E, notes: N, plan: &Plan) -> N {
    let mut recorded = Recorded::with(engine, notes);
    run::plan(&mut recorded, plan, &mut run::Unobserved).unwrap_or_else(|failure| panic!("{plan:?}: {failure}"));
    recorded.into_notes()
}

fn rows(engine: impl Engine, plan: &Plan) -> Vec<Row> {
    noted(engine, Vec::new(), plan)
}

fn pins(parameters: Parameters, plan: &Plan) -> Pins {
    let engine = Rtl::new(parameters);
    let recorder = PinRecorder::new(engine.unit(), qualified_by);
    noted(engine, recorder, plan).finish()
}

fn icarus_of(parameters: &Parameters) -> Icarus {
    let export = verilog::unit(parameters, "txbar").expect("`txbar` is an identifier");
    Icarus::new(&export).unwrap_or_else(|error| panic!("{error}"))
}

fn differences(icarus: &Icarus, pins: &Pins) -> String {
    icarus.differences(pins).unwrap_or_else(|error| panic!("{error}"))
}

fn compiled(flow: Flow, parameters: &Parameters, effort: Effort) -> Compiled {
    let compiled = Compiled::by(flow, *parameters, effort);
    compiled.unwrap_or_else(|error| panic!("{} of {}: {error}", flow.name(), parameters.label()))
}

/// A flow's unit does the same as the hardware in Rust: driven live, at its handshakes, and replayed, at every pin.
fn agrees(flow: Flow, sets: impl IntoIterator<Item = Parameters>) {
    for parameters in sets {
        let began = Instant::now();
        let label = format!("{} of {}", flow.name(), parameters.label());
        let compiled = compiled(flow, &parameters, Effort::Quickest);
        let built = began.elapsed();
        for (number, plan) in plans().into_iter().enumerate() {
            assert_eq!(compiled.differences(&pins(parameters, &plan)), "", "{label} {plan:?}");
            // live once: the pins have already been compared
            if number == 0 {
                let (native, other) = (rows(Rtl::new(parameters), &plan), rows(compiled.engine(), &plan));
                assert_eq!(native.iter().zip(&other).position(|(a, b)| a != b), None, "{label} {plan:?}");
                assert_eq!(native.len(), other.len(), "{label} {plan:?}");
            }
        }
        println!("{label}: built in {built:.0?}, compared in {:.0?}", began.elapsed() - built);
    }
}

/// Sets that are built quickly, or all.
fn sets(quick: fn(&Parameters) -> bool) -> Vec<Parameters> {
    let mut sets = parameter_sets();
    sets.retain(|set| test_env::all("SETS") || quick(set));
    sets
}

/// The text of many ports and banks takes a compiler long, so the default unit stands for it.
fn small_or_default(set: &Parameters) -> bool {
    set.ports * set.banks <= 8 || *set == Parameters::default()
}

fn netlist_sets() -> Vec<Parameters> {
    let of_all = sets(|_| false).into_iter().filter(|set| set.ports <= 2 && set.banks <= 2 && !set.is_banked());
    netlists::sets().into_iter().chain(of_all).collect()
}

#[test]
fn verilator() {
    agrees(Flow::Verilator, sets(small_or_default));
}

#[test]
fn cxxrtl() {
    let sets = sets(|set| set.ports * set.banks <= 2 && !set.is_banked());
    on_deep_stack(|| agrees(Flow::Cxxrtl, sets));
}

#[test]
fn netlist() {
    for chip in [&ECP5, &ICE40] {
        agrees(Flow::Netlist(chip), netlist_sets());
    }
}

/// Neither what a flip-flop holds at power-up nor what a block RAM gives for a word that is being written is ever seen.
#[test]
fn netlist_with_harsh_cells() {
    agrees(Flow::HarshNetlist(&ICE40), netlist_sets().into_iter().take(if test_env::all("SETS") { 7 } else { 1 }));
}

/// Icarus is slow, and what it alone would notice, an unknown value, shows early: a quarter of the traffic is enough, unless
/// all is asked for.
#[test]
fn icarus() {
    for parameters in sets(|set| set.ports * set.banks <= 8) {
        let icarus = icarus_of(&parameters);
        for plan in plans() {
            let operations = if test_env::all("SETS") { plan.operations } else { plan.operations / 4 };
            let pins = pins(parameters, &Plan { operations, ..plan });
            assert_eq!(differences(&icarus, &pins), "", "{} {plan:?}", parameters.label());
            for cycle in 0..pins.cycles() {
                let value = |name| pins.value(cycle, name);
                assert_eq!(value("rsp_resumed") & !value("rsp_valid"), 0, "{} cycle {cycle}", parameters.label());
                assert_eq!(value("done_suspended") & !value("done_valid"), 0, "{} cycle {cycle}", parameters.label());
            }
        }
    }
}

/// The recordings of the H200, cycle by cycle: every wire of every record.
#[test]
fn recordings() {
    let whole = Parameters { ports: 1, banks: 1, ..Parameters::default() };
    same_in_recordings(whole, &[Flow::Verilator, Flow::Cxxrtl]);
    // `recordings` has netlists of small units do what the H200 did
    if test_env::all("SETS") {
        same_in_recordings(whole, &[Flow::Netlist(&ECP5), Flow::Netlist(&ICE40)]);
    }
}

fn same_in_recordings(parameters: Parameters, flows: &[Flow]) {
    let icarus = icarus_of(&parameters);
    let compiled: Vec<_> =
        flows.iter().map(|flow| (flow.name(), compiled(*flow, &parameters, Effort::Quick))).collect();
    for (_, text) in silicon::RECORDINGS {
        let records = silicon::read("recording", text.as_bytes()).expect("the recordings are sound");
        let native: Vec<Row> = replayed(Rtl::new(parameters), Vec::new(), &records);
        let engine = Rtl::new(parameters);
        let recorder = PinRecorder::new(engine.unit(), qualified_by);
        let pins = replayed(engine, recorder, &records).finish();
        assert_eq!(pins.cycles(), native.len());
        assert_eq!(differences(&icarus, &pins), "");
        for (name, compiled) in &compiled {
            assert!(native == replayed(compiled.engine(), Vec::new(), &records), "{name} differs");
            assert_eq!(compiled.differences(&pins), "", "{name}");
        }
    }
}

fn replayed<E: Engine, N: Notes<E>>(engine: E, notes: N, records: &[Record]) -> N {
    let mut target = Serial(Recorded::with(engine, notes));
    assert_eq!(replay(&mut target, records, |_| {}).matched, records.len());
    target.0.into_notes()
}

/// Every output is compared: a recording that is wrong in it, in a cycle in which it means something, is found out.
#[test]
fn icarus_finds_a_difference_in_every_output() {
    let parameters = Parameters { ports: 2, banks: 1, ..Parameters::default() };
    let icarus = icarus_of(&parameters);
    let good = pins(parameters, &Plan { stall: 20, ..Plan::new(5, 3000) });
    let outputs: Vec<_> = good.pins().iter().filter(|pin| pin.output).collect();
    assert_eq!(outputs.len(), 7 + 2 * (4 + 3) + 1);
    // a few at a time, because only the first ten differences are told
    for outputs in outputs.chunks(5) {
        let mut bad = good.clone();
        let mut expected = Vec::new();
        for output in outputs {
            let mut cycles = good.cycles() / 2..good.cycles();
            let cycle = cycles.find(|cycle| good.qualified(*cycle, output)).expect("it means something at some time");
            *bad.value_mut(cycle, &output.name) ^= 1;
            expected.push(format!("cycle {cycle}: {} is ", output.name));
        }
        let differences = differences(&icarus, &bad);
        for expected in expected {
            assert!(differences.lines().any(|line| line.starts_with(&expected)), "{expected}: {differences}");
        }
        assert_eq!(differences.lines().count(), outputs.len(), "{differences}");
    }
}
