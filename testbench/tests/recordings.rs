//! The recordings of an H200, on every engine. (The model's replay is a unit test of `check`.)

mod netlists;

use txbar_rtl::parameters::Parameters;
use txbar_synth::flow::simulated::{ECP5, ICE40};
use txbar_testbench::check::{Target, replay};
use txbar_testbench::engine::Serial;
use txbar_testbench::engine::compiled::{Compiled, Effort, Flow};
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::silicon;
use txbar_testbench::test_env;

/// Replays all recordings.
fn replay_all(target: impl Target) {
    replay_some(target, 1);
}

/// Replays one record of so many.
fn replay_some(mut target: impl Target, step: usize) {
    for (name, text) in silicon::RECORDINGS {
        let records = silicon::read(name, text.as_bytes()).expect("the recordings are sound");
        let records: Vec<_> = records.into_iter().step_by(step).collect();
        let replay = replay(&mut target, &records, |_| {});
        assert_eq!(replay.mismatches, [], "{name}");
        assert_eq!((replay.matched, replay.records), (records.len(), records.len()), "{name}");
    }
}

#[test]
fn the_rtl_does_what_the_h200_did() {
    replay_all(Serial(Rtl::new(Parameters::default())));
    replay_all(Serial(Rtl::new(Parameters {
        ports: 1,
        banks: 1,
        words: 16,
        tag_bits: 1,
        queue_depth: 1,
        waiters: 0,
        clock_ns: 1,
        ..Parameters::default()
    })));
}

fn replay_compiled(flow: Flow, parameters: Parameters, step: usize) {
    let compiled = Compiled::by(flow, parameters, Effort::Quick);
    replay_some(Serial(compiled.unwrap_or_else(|error| panic!("{}: {error}", flow.name())).engine()), step);
}

#[test]
fn the_verilog_does_what_the_h200_did() {
    replay_compiled(Flow::Verilator, Parameters::default(), 1);
    replay_compiled(Flow::Cxxrtl, Parameters { ports: 1, banks: 1, ..Parameters::default() }, 1);
}

#[test]
fn the_netlist_does_what_the_h200_did() {
    let [small, high_clock, several] = netlists::sets();
    // a cycle of a netlist takes a millisecond
    let step = if test_env::all("SETS") { 1 } else { 16 };
    for chip in [&ECP5, &ICE40] {
        for (parameters, step) in [(small, step / 4), (several, step), (high_clock, step)] {
            replay_compiled(Flow::Netlist(chip), parameters, step.max(1));
        }
    }
    replay_compiled(Flow::HarshNetlist(&ICE40), small, 1);
}
