//! The recordings of an H200, on every engine. (The model's replay is a unit test of `check`.)

use txbar_rtl::parameters::Parameters;
use txbar_testbench::check::{Target, replay};
use txbar_testbench::engine::Serial;
use txbar_testbench::engine::compiled::{Compiled, Effort, Flow};
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::silicon;

fn replay_all(mut target: impl Target) {
    for (name, text) in silicon::RECORDINGS {
        let records = silicon::read(name, text.as_bytes()).expect("the recordings are sound");
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

fn replay_compiled(flow: Flow, parameters: Parameters) {
    let compiled = Compiled::by(flow, parameters, Effort::Quick);
    replay_all(Serial(compiled.unwrap_or_else(|error| panic!("{}: {error}", flow.name())).engine()));
}

#[test]
fn the_verilog_does_what_the_h200_did() {
    replay_compiled(Flow::Verilator, Parameters::default());
    replay_compiled(Flow::Cxxrtl, Parameters { ports: 1, banks: 1, ..Parameters::default() });
}

#[test]
fn the_netlist_does_what_the_h200_did() {
    let small = Parameters { ports: 1, banks: 1, waiters: 0, counters: false, ..Parameters::default() };
    for flow in [Flow::Netlist, Flow::HarshNetlist] {
        replay_compiled(flow, small);
    }
}
