//! The example of a system in `synth/examples/soc`: two cores whose barriers are behind AXI4-Lite. It is built around the unit
//! as it is exported now, runs under Icarus and Verilator, and notices every pair of pins that is exchanged. The guide's C function is
//! compiled as it is printed, and drives the same hardware.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use tempfile::TempDir;
use txbar_export::manifest::Manifest;
use txbar_export::tools::{CXX, IVERILOG, Tool, VERILATOR, VVP};
use txbar_export::verilog::{self, Export};
use txbar_rtl::parameters::Parameters;

/// What is synthesised, and what only a simulation has.
const DESIGN: [&str; 2] = ["axil_port.v", "barrier_soc.v"];
const BENCH: [&str; 2] = ["axil_core.v", "bench.v"];

/// What a bench or a program says if all is well.
const PASS: &str = "PASS";

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

/// Makes a program `program` of what Verilator has written to `objects`, and of this text. One file, because Verilator's headers take longer
/// to read than this to compile.
fn compile(directory: &TempDir, text: &str) {
    let root = run(command(VERILATOR, directory).args(["--getenv", "VERILATOR_ROOT"]));
    let include = PathBuf::from(root.trim()).join("include");
    let objects = fs::read_dir(directory.path().join("objects")).expect("verilator has made it");
    let names = objects.map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned());
    let mut names: BTreeSet<String> = names.filter(|name| name.ends_with(".cpp")).collect();
    names.extend(["verilated.cpp", "verilated_threads.cpp", "verilated_timing.cpp"].map(str::to_owned));
    let all: String = names.iter().map(|name| format!("#include \"{name}\"\n")).collect();
    fs::write(directory.path().join("all.cpp"), all + text).expect("it can be written");
    let mut compile = command(CXX, directory);
    compile.args(["-std=c++20", "-fcoroutines", "-O0", "-DVL_TIME_CONTEXT", "-pthread", "-Iobjects", "-I"]);
    run(compile.arg(&include).arg("-I").arg(include.join("vltstd")).args(["-o", "program", "all.cpp"]));
}

/// Registers begin as anything: the bench is gated by reset.
#[test]
fn it_passes_under_verilator_from_any_state() {
    let directory = on_disk();
    let mut verilate = command(VERILATOR, &directory);
    verilate.args(["--cc", "--main", "--timing", "--x-initial", "unique", "--x-assign", "unique"]);
    verilate.args(["--top-module", "bench", "--Mdir", "objects", "--prefix", "Vbench", "unit.v"]);
    let said = run(verilate.args(DESIGN).args(BENCH));
    assert!(!said.contains("%Warning"), "{said}");
    compile(&directory, "");
    for seed in 1..=20 {
        let mut bench = Command::new(directory.path().join("program"));
        let said = run(bench.arg("+verilator+rand+reset+2").arg(format!("+verilator+seed+{seed}")));
        assert_eq!(said.lines().next(), Some(PASS), "seed {seed}: {said}");
    }
}

/// The C of the guide, as it is printed.
fn arrive() -> String {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guide/system.md");
    let guide = fs::read_to_string(guide).expect("the guide is there");
    let (_, rest) = guide.split_once("```c\n").expect("it has C");
    rest.split_once("```").expect("which ends").0.to_owned()
}

/// The guide's function gives the token of its own arrival, whatever was left in its window and whoever interrupts it; and a core that looks at
/// nothing loses nothing. In the program `uint32_t` is a class whose objects in the page are registers on the bus.
#[test]
fn the_guide_s_c_does_what_it_says() {
    let directory = on_disk();
    let mut verilate = command(VERILATOR, &directory);
    verilate.args(["--cc", "--top-module", "barrier_soc", "--Mdir", "objects", "--prefix", "Vsoc", "unit.v"]);
    run(verilate.args(DESIGN));
    fs::write(directory.path().join("arrive.c"), arrive()).expect("it can be written");
    compile(&directory, include_str!("soc.cpp"));
    assert_eq!(run(&mut Command::new(directory.path().join("program"))).trim(), PASS);
}

/// Files with a time scale may stand before or behind those without, and nobody has to be told.
#[test]
fn other_files_may_have_a_time_scale() {
    let directory = on_disk();
    let other = "`timescale 1ns / 1ps\nmodule other;\n  initial #1 $display(\"other\");\nendmodule\n";
    fs::write(directory.path().join("other.v"), other).expect("it can be written");
    let own: Vec<&str> = ["unit.v"].into_iter().chain(DESIGN).chain(BENCH).collect();
    let before = [&["other.v"][..], &own].concat();
    let behind = [&own[..], &["other.v"]].concat();
    for files in [before, behind] {
        let mut lint = command(VERILATOR, &directory);
        let said = run(lint.args(["--lint-only", "--timing", "-Wno-MULTITOP"]).args(&files));
        assert!(!said.contains("%Warning"), "{said}");
    }
}

/// A file is called like its top module, if that has been given a name: tools that look for modules in directories find it. What the module calls
/// operations and statuses can be read from outside.
#[test]
fn a_module_with_a_name_is_found_by_it() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let named =
        verilog::unit(&parameters(), "barriers").expect("it is an identifier").named("barriers").expect("it is free");
    fs::write(directory.path().join("barriers.v"), named.text).expect("it can be written");
    let user = "module user;\n  barriers unit ();\n  initial $display(\"%0d %0d\", unit.OP_ARRIVE, unit.STATUS_FAULTED_WORD);\nendmodule\n";
    fs::write(directory.path().join("user.v"), user).expect("it can be written");
    run(command(IVERILOG, &directory).args(["-g2005", "-y", ".", "-s", "user", "-o", "user.vvp", "user.v"]));
    assert_eq!(run(command(VVP, &directory).args(["-n", "user.vvp"])).trim(), "4 5");
}

fn generated(manifest: &Manifest, arguments: &[&str]) -> String {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    fs::write(directory.path().join("unit.json"), manifest.json()).expect("it can be written");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/soc/barrier_soc.py");
    run(Command::new("python3").current_dir(directory.path()).arg(script).args(arguments).arg("unit.json"))
}

/// `barrier_soc.v` is what the script makes of the manifest; of any other unit it makes what linters like, too.
#[test]
fn the_module_around_the_unit_is_made_of_its_manifest() {
    let manifest = Manifest::new(export(), &parameters(), "unit.v");
    assert_eq!(generated(&manifest, &[]), example("barrier_soc.v"));
    let others = [
        (Parameters { ports: 1, banks: 1, tag_bits: 1, ..parameters() }, "1", "one"),
        (Parameters { ports: 5, banks: 4, tag_bits: 3, counters: false, waiters: 0, ..parameters() }, "6", "five"),
        (Parameters { tag_bits: 12, ..Parameters::banked_high_clock(3, 2) }, "128", "fast"),
    ];
    for (parameters, windows, name) in others {
        let directory = on_disk();
        let export = verilog::unit(&parameters, name).map(|export| export.named(name).expect("it is free"));
        let export = export.expect("it is an identifier");
        let soc = generated(&Manifest::new(&export, &parameters, "unit.v"), &["--name", "soc", "--windows", windows]);
        fs::write(directory.path().join("unit.v"), &export.text).expect("it can be written");
        fs::write(directory.path().join("soc.v"), soc).expect("it can be written");
        let lint = ["--lint-only", "-Wall", "--top-module", "soc", "unit.v", "soc.v", "axil_port.v"];
        let said = run(command(VERILATOR, &directory).args(lint));
        assert!(!said.contains("%Warning"), "{said}");
    }
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
