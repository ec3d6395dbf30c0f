//! The measurements. In each suite the first entry of a size is the reference of the others.
//!
//! | suite | what |
//! | --- | --- |
//! | `rates` | nothing of the machine: requests a clock cycle, and latencies; see [`super::rates`] |
//! | `phases` | nothing of the machine: clock cycles of phases in PTX, beside an H200's; see [`super::phases`] |
//! | `engines` | clock cycles of a unit in Rust and of its exported Verilog under Verilator, CXXRTL and Icarus, and as a netlist: the same design, the same requests, the same answers |
//! | `waves` | clock cycles of a unit, without waves, as VCD and as FST; and under Verilator with its own VCD |
//! | `checking` | requests of the reference model; clock cycles under the scoreboard, of a unit and of clusters |
//! | `export` | exports to Verilog |
//! | `ptx` | thread instructions of a PTX kernel, one CTA and more |
//! | `growth` | clock cycles of units with more ports, banks, words and waiters |

use super::{Bench, Figure, phases, rates, slices};
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::time::Instant;
use txbar_export::verilog;
use txbar_ptx::argument::Argument;
use txbar_ptx::launch::{Grid, Settings};
use txbar_ptx::parse;
use txbar_ptx::program::Program;
use txbar_ptx::source::Source;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::parameters::Parameters;
use txbar_synth::flow::simulated::ICE40;
use txbar_testbench::cluster::traffic;
use txbar_testbench::engine::Engine;
use txbar_testbench::engine::compiled::{Compiled, Effort, Flow};
use txbar_testbench::engine::pins::PinRecorder;
use txbar_testbench::engine::recorded::{Notes, Recorded, Row};
use txbar_testbench::engine::replay::Icarus;
use txbar_testbench::engine::rtl::{Rtl, qualified_by};
use txbar_testbench::model::Memory;
use txbar_testbench::request::Request;
use txbar_testbench::run;
use txbar_testbench::traffic::{Generator, Plan, Source as _};
use txbar_waves::format::Format;
use txbar_waves::write::{End, Shot, Waves};

/// A suite: its name, what it measures, and how.
pub type Suite = (&'static str, &'static str, fn(&mut Bench));

/// Every suite, in the order in which they run.
pub const SUITES: &[Suite] = &[
    ("rates", "requests a clock cycle and latencies, the same on every machine", |bench| {
        bench.rates = Some(rates::measure());
    }),
    ("phases", "clock cycles of a barrier's phase in PTX, beside an H200's, the same on every machine", |bench| {
        bench.phases = phases::measure();
    }),
    ("engines", "a unit in Rust, under Verilator, CXXRTL and Icarus, and as a netlist", engines),
    ("waves", "a unit without waves, and with them as VCD and as FST, beside Verilator's", waves),
    ("checking", "the reference model, and the scoreboards of units and clusters", checking),
    ("export", "exports to Verilog", export),
    ("ptx", "a PTX kernel", ptx),
    ("growth", "units with more ports, banks, words and waiters", growth),
];

/// Clock cycles of a call, of what runs compiled.
const CYCLES: u64 = 20_000;
/// The same, of what is interpreted.
const SLOW_CYCLES: u64 = 1_000;
/// The same, of what is written as waves.
const FILMED: u64 = 5_000;
/// Requests of a port before they come round again.
const STIMULUS: usize = 4096;

/// What the ports request: the traffic of `txbar sim`.
pub(super) fn stimulus(parameters: &Parameters) -> Vec<Vec<Request>> {
    let mut generator = Generator::new(&Plan::new(1, u64::MAX), parameters);
    let mut port = |port| (0..STIMULUS).filter_map(|_| generator.next(port)).map(|(_, request)| request).collect();
    (0..parameters.ports).map(&mut port).collect()
}

/// A unit as it is called in the tables: ports and banks.
fn size(parameters: &Parameters) -> String {
    format!("{}x{}", parameters.ports, parameters.banks)
}

/// The sizes on which engines are compared, and whether the slow ones run on it, too.
const SIZES: [(Parameters, bool); 6] = {
    const fn unit(ports: usize, banks: usize) -> Parameters {
        Parameters { ports, banks, ..Parameters::DEFAULT }
    }
    [
        (unit(1, 1), true),
        (unit(2, 1), false),
        (unit(4, 1), false),
        (unit(8, 1), false),
        (unit(4, 8), true),
        (unit(8, 8), false),
    ]
};

/// The smallest unit: the only one whose netlist is made in seconds.
const PLAIN: Parameters = Parameters { ports: 1, banks: 1, waiters: 0, counters: false, ..Parameters::DEFAULT };

/// The flows that are measured on it.
static OF_PLAIN: [Flow; 2] = [Flow::Cxxrtl, Flow::Netlist(&ICE40)];

/// The sizes on which engines are compared, with the flows beside Verilator, and whether Icarus runs on it, too.
fn engine_sizes() -> impl Iterator<Item = (String, Parameters, &'static [Flow], bool)> {
    let others = |all| if all { &[Flow::Cxxrtl][..] } else { &[] };
    let sizes = SIZES.into_iter().map(move |(parameters, all)| (size(&parameters), parameters, others(all), all));
    sizes.chain([("1x1, plain".to_owned(), PLAIN, &OF_PLAIN[..], true)])
}

/// What a size in the suite of the engines stands for.
pub(super) fn engine_size(named: &str) -> Option<Parameters> {
    engine_sizes().find(|(name, ..)| name == named).map(|(_, parameters, ..)| parameters)
}

fn engines(bench: &mut Bench) {
    for (size, parameters, flows, icarus) in engine_sizes() {
        beside_verilator(bench, &parameters, &size);
        on_engines(bench, &parameters, &size, flows, icarus);
    }
}

/// Rust and Verilator, in slices that take turns.
fn beside_verilator(bench: &mut Bench, parameters: &Parameters, size: &str) {
    let began = Instant::now();
    let compiled = match Compiled::by(Flow::Verilator, *parameters, Effort::Best) {
        Ok(compiled) => compiled,
        Err(error) => return bench.without(Flow::Verilator.name(), error),
    };
    let built = began.elapsed().as_secs_f64();
    match slices::beside(size, compiled.file(), bench.pairs) {
        Err(error) => bench.without(&format!("rtl beside verilator, {size}"), error),
        Ok(beside) => {
            eprintln!("engines/verilator/{size}: {} of Rust's rate, {} pairs", beside.ratio, beside.ratio.pairs);
            if beside.instructions.is_none() {
                bench.without("instructions", "there is no valgrind");
            }
            for (engine, name) in ["rtl", Flow::Verilator.name()].into_iter().enumerate() {
                bench.figures.push(Figure {
                    suite: "engines".to_owned(),
                    name: name.to_owned(),
                    size: size.to_owned(),
                    unit: "cycles".to_owned(),
                    per_second: beside.per_second[engine],
                    ratio: (engine > 0).then_some(beside.ratio),
                    instructions: beside.instructions.map(|instructions| instructions[engine]),
                    built_seconds: (engine > 0).then_some(built),
                });
            }
        }
    }
}

/// The same requests on the engines that are far from Rust: compiled from Verilog by each flow, and replayed on Icarus.
fn on_engines(bench: &mut Bench, parameters: &Parameters, size: &str, flows: &[Flow], icarus: bool) {
    let stimulus = stimulus(parameters);
    let mut native = Rtl::new(*parameters);
    let digest = native.saturate(&stimulus, CYCLES);
    for &flow in flows {
        let began = Instant::now();
        match Compiled::by(flow, *parameters, Effort::Best) {
            Err(error) => bench.without(flow.name(), error),
            Ok(compiled) => {
                let mut engine = compiled.engine();
                let built = began.elapsed();
                assert_eq!(engine.saturate(&stimulus, CYCLES), digest, "{} answers otherwise", flow.name());
                let cycles = if matches!(flow, Flow::Netlist(_)) { SLOW_CYCLES } else { CYCLES };
                bench.time(["engines", flow.name(), size, "cycles"], cycles, Some(built), || {
                    engine.saturate(&stimulus, cycles)
                });
            }
        }
    }
    if icarus {
        let mut recorded =
            Recorded::with(Rtl::new(*parameters), PinRecorder::new(Rtl::new(*parameters).unit(), qualified_by));
        recorded.saturate(&stimulus, SLOW_CYCLES);
        let pins = recorded.into_notes().finish();
        let export = verilog::unit(parameters, "txbar").expect("`txbar` is an identifier");
        let began = Instant::now();
        match Icarus::new(&export) {
            Err(error) => bench.without("icarus", error),
            Ok(icarus) => {
                let built = began.elapsed();
                bench.time(["engines", "icarus", size, "cycles"], pins.cycles() as u64, Some(built), || {
                    assert_eq!(
                        icarus.differences(&pins).expect("vvp has just been found"),
                        "",
                        "icarus answers otherwise"
                    );
                });
            }
        }
    }
}

/// Writes every cycle.
struct Camera {
    waves: Waves<BufWriter<File>>,
    cycle: u64,
}

impl Notes<Rtl> for Camera {
    fn write_down(&mut self, engine: &Rtl, _driven: &Row, _reset: bool) {
        self.waves.sample(engine.unit(), self.cycle).expect(TAKES);
        self.cycle += 1;
    }
}

/// What is expected of a temporary file.
const TAKES: &str = "a temporary file takes what comes";

/// The same requests in the same loop, without waves and with all of them, to a file that is made anew each time; one thread.
fn waves(bench: &mut Bench) {
    let parameters = Parameters::default();
    let (size, stimulus) = (size(&parameters), stimulus(&parameters));
    let directory = match tempfile::tempdir() {
        Ok(directory) => directory,
        Err(error) => return bench.without("waves", error),
    };
    let mut native = Rtl::new(parameters);
    let digest = native.saturate(&stimulus, FILMED);
    bench.time(["waves", "rtl", &size, "cycles"], FILMED, None, || native.saturate(&stimulus, FILMED));
    let filmed = |format, path: &Path| {
        let (engine, file) = (Rtl::new(parameters), BufWriter::new(File::create(path).expect(TAKES)));
        let waves = Waves::with(format, Shot::all(), file, engine.unit(), &parameters).expect(TAKES);
        let mut recorded = Recorded::beside(engine, Camera { waves, cycle: 0 });
        assert_eq!(recorded.saturate(&stimulus, FILMED), digest);
        recorded.into_notes().waves.finish(End::Well).expect(TAKES);
    };
    let path = directory.path().join("run");
    let [vcd, fst] = ["vcd", "fst"].map(|format| format!("{size}, {format}"));
    bench.time(["waves", "rtl", &vcd, "cycles"], FILMED, None, || filmed(Format::Vcd, &path));
    let began = Instant::now();
    match Compiled::by(Flow::TracedVerilator, parameters, Effort::Best) {
        Err(error) => bench.without("verilator with its VCD", error),
        Ok(compiled) => {
            let built = began.elapsed();
            bench.time(["waves", "verilator", &vcd, "cycles"], FILMED, Some(built), || {
                assert_eq!(compiled.engine().saturate_traced(&stimulus, FILMED, &path), digest);
            });
        }
    }
    bench.time(["waves", "rtl", &fst, "cycles"], FILMED, None, || filmed(Format::Fst, &path));
}

fn checking(bench: &mut Bench) {
    let parameters = Parameters::default();
    let requests = stimulus(&Parameters { ports: 1, ..parameters }).remove(0);
    let mut memory = Memory::new(parameters.words);
    bench.time(["checking", "model", "512 words", "requests"], requests.len() as u64, None, || {
        requests.iter().filter(|request| memory.serve(request).fault.is_some()).count()
    });
    let plan = Plan::new(1, CYCLES);
    let once = || run::plan(&mut Rtl::new(parameters), &plan, &mut run::Unobserved).expect("the unit is sound");
    bench.time(["checking", "unit and scoreboard", &size(&parameters), "cycles"], once().cycles, None, once);
    for ctas in [1, 2, 4, 8] {
        let parameters = traffic::Plan::cluster(ctas);
        let plan = traffic::Plan { parameters, seed: 1, cycles: 2_000, stall: 0, rush: false };
        let once = || plan.run(&mut |_, _| {}, |_, _| {}).expect("the cluster is sound");
        let size = format!("{ctas} CTAs");
        bench.time(["checking", "cluster and scoreboards", &size, "cycles"], once().cycles, None, once);
    }
}

fn export(bench: &mut Bench) {
    let parameters = Parameters::default();
    bench.time(["export", "unit", &size(&parameters), "exports"], 1, None, || verilog::unit(&parameters, "txbar"));
    let parameters = ClusterParameters::default();
    let size = format!("{} CTAs", parameters.ctas);
    bench.time(["export", "cluster", &size, "exports"], 1, None, || verilog::cluster(&parameters, "txbar"));
}

/// Threads of a CTA that meet at a barrier, over and over.
const KERNEL: &str = include_str!("../recorded/thousand_phases.ptx");

fn ptx(bench: &mut Bench) {
    let source = Source::new("thousand_phases.ptx", KERNEL);
    let module = parse::parse(&source).expect("the kernel is sound");
    let program = Program::new(&module, "thousand_phases").expect("it has this entry");
    let arguments = ["u32:20", "out:u32:2048"].map(|text| Argument::read(text).expect("it is sound"));
    for ctas in [1, 2, 4, 8] {
        let settings = Settings { grid: [ctas, 1, 1], block: [256, 1, 1], ..Settings::default() };
        let grid = Grid::new(&program, settings).expect("it fits");
        let once = || grid.run(&arguments, &mut |_, _| {}, &mut |_| true).expect("the arguments fit");
        let size = format!("{ctas} CTAs of 256");
        bench.time(["ptx", "thread instructions", &size, "instructions"], once().tally.instructions, None, once);
    }
}

/// An axis: its name, its values, and what is set to them.
pub type Axis = (&'static str, &'static [usize], fn(&mut Parameters) -> &mut usize);

/// What a unit of 4 ports, 8 banks, 512 words and 32 waiters grows along, one at a time.
pub const AXES: [Axis; 4] = [
    ("ports", &[1, 2, 4, 8], |parameters| &mut parameters.ports),
    ("banks", &[1, 2, 4, 8, 16, 32], |parameters| &mut parameters.banks),
    ("waiters", &[0, 8, 16, 32, 64], |parameters| &mut parameters.waiters),
    ("words", &[128, 512, 2048, 8192], |parameters| &mut parameters.words),
];

/// The sizes on the axes: the axis, the value, and the unit.
pub fn sizes() -> Vec<(&'static str, usize, Parameters)> {
    let along = |(axis, values, field): Axis| {
        values.iter().map(move |&value| {
            let mut parameters = Parameters::default();
            *field(&mut parameters) = value;
            (axis, value, parameters)
        })
    };
    AXES.into_iter().flat_map(along).collect()
}

/// What a size on an axis is called.
pub fn on_axis(axis: &str, value: usize) -> String {
    format!("{value} {axis}")
}

/// Clock cycles of units of every size.
pub fn growth(bench: &mut Bench) {
    for (axis, value, parameters) in sizes() {
        let (stimulus, mut engine) = (stimulus(&parameters), Rtl::new(parameters));
        bench.time(["growth", "rtl", &on_axis(axis, value), "cycles"], CYCLES, None, || {
            engine.saturate(&stimulus, CYCLES)
        });
    }
}
