//! The example of a system in `synth/examples/soc`: two cores whose barriers are behind AXI4-Lite. It is built around the unit
//! as it is exported now, runs under Icarus and Verilator, and notices every pair of pins that is exchanged.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use tempfile::TempDir;
use txbar_rtl::parameters::Parameters;
use txbar_synth::manifest::Manifest;
use txbar_synth::tools::{CXX, IVERILOG, Tool, VERILATOR, VVP};
use txbar_synth::verilog::{self, Export};

/// What is synthesised, and what only a simulation has.
const DESIGN: [&str; 2] = ["axil_port.v", "barrier_soc.v"];
const BENCH: [&str; 2] = ["axil_core.v", "bench.v"];

const PASS: &str = "PASS: 7 commands were held while no answers were taken";

fn parameters() -> Parameters {
    Parameters { ports: 2, banks: 2, words: 64, waiters: 8, queue_depth: 6, ..Parameters::default() }
}

fn export() -> &'static Export {
    static EXPORT: OnceLock<Export> = OnceLock::new();
    EXPORT.get_or_init(|| verilog::unit(&parameters(), "txbar").expect("`txbar` is an identifier"))
}
fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/soc").join(name);
    fs::read_to_string(path).expect("the example is there")
}

/// The example and the unit in a directory of their own.
fn on_disk() -> TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    fs::write(directory.path().join("unit.v"), &export().text).expect("it can be written");
    for name in DESIGN.iter().chain(&BENCH) {
        fs::write(directory.path().join(name), example(name)).expect("it can be written");
    }
    directory
}

fn command(tool: Tool, directory: &TempDir) -> Command {
    let mut command = tool.command().unwrap_or_else(|missing| panic!("{missing}"));
    command.current_dir(directory.path());
    command
}

/// Runs a command that must succeed; gives all that it says.
fn run(command: &mut Command) -> String {
    let output = command.output().expect("it can be started");
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{text}");
    text
}

/// What the test bench says under Icarus, with this as `barrier_soc.v`.
fn under_icarus(soc: &str) -> String {
    let directory = on_disk();
    fs::write(directory.path().join("barrier_soc.v"), soc).expect("it can be written");
    let mut compile = command(IVERILOG, &directory);
    compile.args(["-g2012", "-Wall", "-Wno-timescale", "-s", "bench", "-o", "bench.vvp", "unit.v"]);
    assert_eq!(run(compile.args(DESIGN).args(BENCH)), "", "Icarus complains");
    run(command(VVP, &directory).args(["-n", "bench.vvp"]))
}

#[test]
fn it_passes_under_icarus() {
    assert_eq!(under_icarus(&example("barrier_soc.v")).trim(), PASS);
}

#[test]
fn it_passes_under_verilator() {
    let directory = on_disk();
    let root = run(command(VERILATOR, &directory).args(["--getenv", "VERILATOR_ROOT"]));
    let include = PathBuf::from(root.trim()).join("include");
    let mut verilate = command(VERILATOR, &directory);
    verilate.args(["--cc", "--main", "--timing", "-Wno-TIMESCALEMOD", "--top-module", "bench", "--Mdir", "objects"]);
    let said = run(verilate.args(["--prefix", "Vbench", "unit.v"]).args(DESIGN).args(BENCH));
    assert!(!said.contains("%Warning"), "{said}");
    // one file, because verilator's headers take longer to read than this to compile
    let objects = fs::read_dir(directory.path().join("objects")).expect("verilator has made it");
    let names = objects.map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned());
    let mut names: BTreeSet<String> = names.filter(|name| name.ends_with(".cpp")).collect();
    names.extend(["verilated.cpp", "verilated_threads.cpp", "verilated_timing.cpp"].map(str::to_owned));
    let text: String = names.iter().map(|name| format!("#include \"{name}\"\n")).collect();
    fs::write(directory.path().join("all.cpp"), text).expect("it can be written");
    let mut compile = command(CXX, &directory);
    compile.args(["-std=c++20", "-fcoroutines", "-O0", "-DVL_TIME_CONTEXT", "-pthread", "-Iobjects", "-I"]);
    run(compile.arg(&include).arg("-I").arg(include.join("vltstd")).args(["-o", "bench", "all.cpp"]));
    let said = run(&mut Command::new(directory.path().join("bench")));
    assert_eq!(said.lines().next(), Some(PASS), "{said}");
}

#[test]
fn linters_have_no_complaint() {
    let directory = on_disk();
    let lint = ["--lint-only", "-Wall", "--top-module", "barrier_soc", "unit.v"];
    let said = run(command(VERILATOR, &directory).args(lint).args(DESIGN));
    assert!(!said.contains("%Warning"), "{said}");
    let compile = ["-g2005", "-Wall", "-s", "barrier_soc", "-o", "soc.vvp", "unit.v"];
    assert_eq!(run(command(IVERILOG, &directory).args(compile).args(DESIGN)), "");
}

/// A line `.pin(what is connected)` of the unit's instance.
struct Connection {
    line: usize,
    pin: String,
    to: String,
}

fn connections(soc: &str) -> Vec<Connection> {
    let lines = soc.lines().enumerate().skip_while(|(_, line)| !line.contains("txbar_unit unit ("));
    let connection = |(line, text): (usize, &str)| {
        let (pin, to) = text.trim().strip_prefix('.')?.trim_end_matches(',').strip_suffix(')')?.split_once('(')?;
        Some(Connection { line, pin: pin.to_owned(), to: to.to_owned() })
    };
    lines.filter_map(connection).collect()
}

#[test]
fn every_port_of_the_manifest_is_connected() {
    let manifest = Manifest::new(export(), &parameters(), "unit.v");
    let connected: Vec<String> =
        connections(&example("barrier_soc.v")).into_iter().map(|connection| connection.pin).collect();
    assert_eq!(connected, manifest.ports.iter().map(|port| port.name.clone()).collect::<Vec<_>>());
}

/// Two pins of one kind that are exchanged: no linter sees it, the test bench has to.
#[test]
fn exchanged_pins_are_noticed() {
    let soc = example("barrier_soc.v");
    let kind = |pin: &str| {
        let port = export().ports.iter().find(|port| port.name == pin).expect("it is a port");
        (port.direction, port.width)
    };
    let connections = connections(&soc);
    let mut wrong = Vec::new();
    for (i, a) in connections.iter().enumerate() {
        for b in &connections[i + 1..] {
            if a.to == b.to || a.to.is_empty() || b.to.is_empty() || kind(&a.pin) != kind(&b.pin) {
                continue;
            }
            let exchanged = soc.lines().enumerate().map(|(number, line)| match number {
                _ if number == a.line => format!("        .{}({}),\n", a.pin, b.to),
                _ if number == b.line => format!("        .{}({}),\n", b.pin, a.to),
                _ => format!("{line}\n"),
            });
            wrong.push((format!("{} and {}", a.pin, b.pin), exchanged.collect::<String>()));
        }
    }
    assert!(wrong.len() >= 20, "pairs to exchange: {}", wrong.len());
    let unnoticed: Vec<String> = std::thread::scope(|scope| {
        let halves = wrong.chunks(wrong.len().div_ceil(2)).map(|half| {
            scope.spawn(|| {
                let missed = half.iter().filter(|(_, soc)| under_icarus(soc).contains("PASS"));
                missed.map(|(pins, _)| pins.clone()).collect::<Vec<_>>()
            })
        });
        halves.collect::<Vec<_>>().into_iter().flat_map(|half| half.join().expect("it has run")).collect()
    });
    assert_eq!(unnoticed, Vec::<String>::new(), "of {}", wrong.len());
}
