//! The recordings of an H200, on every engine. (The model's replay is a unit test of `check`.)

use txbar_rtl::parameters::Parameters;
use txbar_testbench::check::{Target, replay};
use txbar_testbench::engine::Serial;
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::engine::verilator::{Compiled, Effort};
use txbar_testbench::silicon;

fn replay_all(mut target: impl Target) {
    for (name, text) in [("legal", silicon::LEGAL), ("edge", silicon::EDGE)] {
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

#[test]
fn the_verilog_does_what_the_h200_did() {
    let compiled = Compiled::new(Parameters::default(), Effort::Quick).unwrap_or_else(|error| panic!("{error}"));
    replay_all(Serial(compiled.engine()));
}
