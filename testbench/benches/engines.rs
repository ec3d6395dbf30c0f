//! How fast are the engines? All run the same requests on the same unit in one run, and must give the same answers. A smoke
//! measurement for docs/engines.md; benches/simulation.rs measures the Rust simulation against Verilator with care.
//!
//! `cargo bench -p txbar-testbench --bench engines`

use std::time::Instant;
use txbar_rtl::parameters::{Build, Parameters};
use txbar_synth::verilog;
use txbar_testbench::engine::Engine;
use txbar_testbench::engine::compiled::{Compiled, Effort, Flow};
use txbar_testbench::engine::pins::PinRecorder;
use txbar_testbench::engine::recorded::Recorded;
use txbar_testbench::engine::replay::Icarus;
use txbar_testbench::engine::rtl::{Rtl, qualified_by};
use txbar_testbench::request::Request;
use txbar_testbench::traffic::{Generator, Plan, Source};

/// The unit: one that every engine has in reasonable time.
const UNIT: Parameters = Parameters {
    ports: 1,
    banks: 1,
    words: 512,
    tag_bits: 8,
    number_bits: 0,
    queue_depth: 8,
    waiters: 0,
    clock_ns: 10,
    counters: false,
    checked: false,
    build: Build::LowLatency,
};
/// Cycles whose answers must be the same.
const COMPARED: u64 = 5_000;

fn stimulus() -> Vec<Vec<Request>> {
    let mut generator = Generator::new(&Plan::new(1, u64::MAX), &UNIT);
    vec![(0..4096).filter_map(|_| generator.next(0)).map(|(_, request)| request).collect()]
}

/// Cycles a second at full load, the best of five runs.
fn rate(engine: &mut impl Engine, stimulus: &[Vec<Request>], cycles: u64) -> f64 {
    let run = |_| {
        let began = Instant::now();
        engine.saturate(stimulus, cycles);
        cycles as f64 / began.elapsed().as_secs_f64()
    };
    (0..5).map(run).fold(0.0, f64::max)
}

fn main() {
    let stimulus = stimulus();
    let digest = Rtl::new(UNIT).saturate(&stimulus, COMPARED);
    println!("{:>24}  {:>8}  {:>14}", "engine", "built, s", "cycles/s");
    let tell = |name: &str, built: f64, rate: f64| println!("{name:>24}  {built:>8.1}  {rate:>14.0}");
    tell("rtl", 0.0, rate(&mut Rtl::new(UNIT), &stimulus, 400_000));
    for (flow, effort, cycles) in [
        (Flow::Verilator, Effort::Best, 400_000),
        (Flow::Verilator, Effort::Quick, 20_000),
        (Flow::Cxxrtl, Effort::Best, 100_000),
        (Flow::Cxxrtl, Effort::Quick, 20_000),
        (Flow::Netlist, Effort::Best, 20_000),
        (Flow::Netlist, Effort::Quick, 5_000),
    ] {
        let began = Instant::now();
        match Compiled::by(flow, UNIT, effort) {
            Err(error) => eprintln!("without {}: {error}", flow.name()),
            Ok(compiled) => {
                let built = began.elapsed().as_secs_f64();
                assert_eq!(compiled.engine().saturate(&stimulus, COMPARED), digest, "{} differs", flow.name());
                let name = format!("{}, {}", flow.name(), effort.name());
                tell(&name, built, rate(&mut compiled.engine(), &stimulus, cycles));
            }
        }
    }
    let mut recorded = Recorded::with(Rtl::new(UNIT), PinRecorder::new(Rtl::new(UNIT).unit(), qualified_by));
    recorded.saturate(&stimulus, COMPARED);
    let pins = recorded.into_notes().finish();
    let export = verilog::unit(&UNIT, "txbar").expect("`txbar` is an identifier");
    let began = Instant::now();
    match Icarus::new(&export) {
        Err(error) => eprintln!("without Icarus: {error}"),
        Ok(icarus) => {
            let built = began.elapsed().as_secs_f64();
            let began = Instant::now();
            assert_eq!(icarus.differences(&pins).expect("vvp runs"), "", "Icarus differs");
            tell("icarus, replayed", built, pins.cycles() as f64 / began.elapsed().as_secs_f64());
        }
    }
}
