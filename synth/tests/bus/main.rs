//! Units behind a bus, as they are exported: independent masters drive them (`bench.py`, cocotb under Icarus), the driver does (`driver.cpp`, Verilator),
//! and tools read their files. With `TXBAR_ALL` every pair of pins is exchanged, and the benches take longer.

#[path = "../shared/mod.rs"]
mod shared;

use shared::{SLANG, reads, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use txbar_export::manifest::Manifest;
use txbar_export::registers::BusFacts;
use txbar_export::reset::Reset;
use txbar_export::tools::{CXX, GCC, IVERILOG, PYTHON, Tool, VERILATOR, said};
use txbar_export::verilog;
use txbar_rtl::bus::parameters::{Bus, BusParameters};
use txbar_rtl::bus::registers::{PRIVILEGED, RANGE, WINDOW};
use txbar_rtl::parameters::Parameters;

const PEAKRDL: Tool = Tool { program: "peakrdl", brought_by: "`scripts/setup-tools`" };
const RISCV_GCC: Tool =
    Tool { program: "riscv64-unknown-elf-gcc", brought_by: "`apt-get install gcc-riscv64-unknown-elf`" };

fn small(bus: Bus) -> BusParameters {
    let unit = Parameters { ports: 2, banks: 2, words: 64, waiters: 8, tag_bits: 5, ..Parameters::default() };
    BusParameters { bus, windows: 3, unit }
}

/// Writes the package of a unit; gives its manifest.
fn write(directory: &Path, name: &str, parameters: BusParameters, reset: Reset) -> Manifest {
    let parameters = parameters.check().expect("it can be built");
    let export = verilog::bus_unit(&parameters, name).expect("the prefix is right");
    let export = export.with_reset(reset, Some(parameters.bus));
    shared::write(directory, name, export, |export, file| Manifest::of_bus(export, &parameters, file))
}

/// Each bus with a reset of its own.
fn reset_of(bus: Bus) -> Reset {
    match bus {
        Bus::AxiLite => Reset::Low,
        Bus::Wishbone => Reset::High,
        Bus::Apb => Reset::AsyncLow,
        Bus::TileLink => Reset::AsyncHigh,
    }
}

fn here(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bus").join(file)
}

/// What the bench says of a unit, and whether all is well.
fn bench(directory: &Path, name: &str, tests: &[&str]) -> (bool, String) {
    let script = here("run.py");
    let begin = [script.to_str().expect("a path in UTF-8"), directory.to_str().expect("a path in UTF-8"), name];
    run(PYTHON, directory, &[&begin[..], tests].concat())
}

fn all() -> bool {
    std::env::var_os("TXBAR_ALL").is_some()
}

fn passes(bus: Bus) {
    let room = TempDir::new().expect("there is room");
    write(room.path(), "mb", small(bus), reset_of(bus));
    let (well, text) = bench(room.path(), "mb", &[]);
    assert!(well, "{text}");
}

#[test]
fn axi_lite_passes() {
    passes(Bus::AxiLite);
}

#[test]
fn wishbone_passes() {
    passes(Bus::Wishbone);
}

#[test]
fn apb_passes() {
    passes(Bus::Apb);
}

#[test]
fn tilelink_passes() {
    passes(Bus::TileLink);
}

/// One port, whose pins have no number; one window; a memory that is larger than a page; another build.
#[test]
fn other_sizes_pass() {
    let room = TempDir::new().expect("there is room");
    let unit = Parameters { words: 1024, tag_bits: 2, ..Parameters::banked_high_clock(1, 1) };
    let manifest = write(room.path(), "mb", BusParameters { bus: Bus::Wishbone, windows: 1, unit }, Reset::Low);
    assert!(manifest.ports.iter().any(|port| port.name == "s_wb_adr" && port.width == 16), "{:?}", manifest.ports);
    let (well, text) = bench(room.path(), "mb", &["harts", "memory", "registers"]);
    assert!(well, "{text}");
}

/// Pins of the same direction and width that somebody may exchange without a tool noticing; those that have no effect are not among them.
fn pairs(manifest: &Manifest) -> Vec<[String; 2]> {
    let plain = ["prot", "a_param", "d_param", "d_sink", "clk", "rst", "rst_n", "aresetn", "presetn"];
    let ports: Vec<_> =
        manifest.ports.iter().filter(|port| !plain.iter().any(|plain| port.name.ends_with(plain))).collect();
    let mut pairs = Vec::new();
    for (position, one) in ports.iter().enumerate() {
        for other in &ports[position + 1..] {
            // a unit is asked by both of these at once: exchanged, they are the same
            let both = [["_cyc", "_stb"], ["_psel", "_penable"]].iter().any(|[a, b]| {
                let stem = |name: &str, end| name.strip_suffix(end).map(str::to_owned);
                [(one, other), (other, one)]
                    .iter()
                    .any(|(one, other)| stem(&one.name, a).is_some_and(|stem_a| stem(&other.name, b) == Some(stem_a)))
            });
            if !both && (one.direction, one.width) == (other.direction, other.width) {
                pairs.push([one.name.clone(), other.name.clone()]);
            }
        }
    }
    pairs
}

/// The design with two pins of its top exchanged: what is connected to one is connected to the other.
fn exchanged(text: &str, [one, other]: &[String; 2]) -> String {
    let begin = text.find("\nmodule mb (").expect("the top is in its file");
    let body = begin + text[begin..].find("\n);\n").expect("it has ports");
    let end = body + text[body..].find("\nendmodule").expect("it ends");
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut swapped = String::new();
    let mut rest = &text[body..end];
    while !rest.is_empty() {
        let (word, behind) = rest.split_at(rest.find(|c| !is_word(c)).unwrap_or(rest.len()));
        let (gap, next) = behind.split_at(behind.find(is_word).unwrap_or(behind.len()));
        let other_name = if word == one { other } else { one };
        swapped += if word == one || word == other { other_name } else { word };
        swapped += gap;
        rest = next;
    }
    format!("{}{swapped}{}", &text[..body], &text[end..])
}

/// Two pins that are exchanged: no linter sees it, the bench has to.
#[test]
fn exchanged_pins_are_noticed() {
    let room = TempDir::new().expect("there is room");
    let mut missed = Vec::new();
    for bus in Bus::ALL {
        let folder = room.path().join(bus.pins());
        fs::create_dir(&folder).expect("there is room");
        let manifest = write(&folder, "mb", small(bus), reset_of(bus));
        let whole = fs::read_to_string(folder.join("mb.v")).expect("it was written");
        let pairs = pairs(&manifest);
        // of all of them, which take minutes, some from everywhere in the list
        let step = if all() { 1 } else { pairs.len() / 2 };
        for pair in pairs.iter().skip(step / 2).step_by(step) {
            let wrong = exchanged(&whole, pair);
            assert_ne!(wrong, whole);
            fs::write(folder.join("mb.v"), wrong).expect("it can be written");
            // the quick ones first
            if [&["waits"][..], &["harts", "memory"], &[]].iter().all(|tests| bench(&folder, "mb", tests).0) {
                missed.push(format!("{}: {}", bus.name(), pair.join(" and ")));
            }
        }
    }
    assert_eq!(missed, Vec::<String>::new());
}

#[test]
fn tools_have_no_complaint() {
    let room = TempDir::new().expect("there is room");
    let room = room.path();
    for (bus, is_small) in Bus::ALL.into_iter().zip([true, false, true, false]) {
        let name = bus.pins();
        let unit = Parameters { tag_bits: 7, counters: false, ..Parameters::default() };
        let parameters = if is_small { small(bus) } else { BusParameters { bus, windows: 64, unit } };
        write(room, name, parameters, reset_of(bus));
        let [list, top] = [format!("{name}.f"), format!("{name}_sv")];
        reads(VERILATOR, room, &["--lint-only", "-Wall", "--quiet", "-f", &list, "--top-module", &top]);
        reads(SLANG, room, &["-Wextra", "-f", &list, "--top", &top]);
        reads(IVERILOG, room, &["-g2005", "-Wall", "-o", "out", "-s", name, &format!("{name}.v")]);
    }
    let strict = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-Wconversion", "-ffreestanding", "-c", "txbar.c"];
    reads(GCC, room, &strict);
    for target in [["-march=rv32imac", "-mabi=ilp32"], ["-march=rv64imac", "-mabi=lp64"]] {
        reads(RISCV_GCC, room, &[&target[..], &strict].concat());
    }
    let constants: Vec<String> = [WINDOW, RANGE, PRIVILEGED]
        .concat()
        .iter()
        .map(|one| format!("_Static_assert(TXBAR_{} == {}, \"\");\n", one.name.to_uppercase(), one.offset))
        .collect();
    fs::write(room.join("offsets.c"), format!("#include \"txbar.h\"\n{}", constants.concat())).expect("there is room");
    reads(GCC, room, &[&strict[..7], &["offsets.c"]].concat());
}

/// PeakRDL sees every register where the hardware has it (which the bench holds against the same file).
#[test]
fn peakrdl_reads_the_registers() {
    let room = TempDir::new().expect("there is room");
    let parameters = small(Bus::Apb);
    write(room.path(), "mb", parameters, Reset::High);
    let (well, text) = run(PEAKRDL, room.path(), &["dump", "--unroll", "mb.rdl"]);
    assert!(well, "{text}");
    let facts = BusFacts::of(&parameters);
    let mut wanted = Vec::new();
    for window in 0..facts.windows {
        let at = window * facts.window_stride;
        wanted.extend(WINDOW.iter().map(|one| (at + one.offset, format!("window[{window}].{}", one.name))));
        let at = facts.privileged + 8 * window;
        wanted.extend(RANGE.iter().map(|one| (at + one.offset, format!("privileged.range[{window}].{}", one.name))));
    }
    wanted.extend(PRIVILEGED.iter().map(|one| (facts.privileged + one.offset, format!("privileged.{}", one.name))));
    wanted.sort();
    let seen: Vec<&str> = text.lines().filter(|line| line.starts_with("0x")).collect();
    let line = |(at, name): &(usize, String)| format!("{at:#06x}-{:#06x}: mb.{name}", at + 3);
    assert_eq!(seen, wanted.iter().map(line).collect::<Vec<_>>());
    reads(PEAKRDL, room.path(), &["c-header", "mb.rdl", "-o", "peakrdl.h"]);
    reads(GCC, room.path(), &["-std=c11", "-fsyntax-only", "peakrdl.h"]);
}

/// The driver does what it says, for two harts with interrupts.
#[test]
fn the_driver_works_on_the_hardware() {
    let room = TempDir::new().expect("there is room");
    let room = room.path();
    let given = small(Bus::AxiLite);
    // one suspended wait a port, so that there may be no room for one
    let unit = Parameters { waiters: 2, ..given.unit };
    write(room, "mb", BusParameters { unit, ..given }, Reset::Low);
    for file in ["driver.cpp", "bus.h"] {
        fs::copy(here(file), room.join(file)).expect("there is room");
    }
    let any_state = ["--x-initial", "unique", "--x-assign", "unique"];
    let model = ["--cc", "--top-module", "mb", "--Mdir", "objects", "--prefix", "Vmb", "mb.v"];
    reads(VERILATOR, room, &[&any_state[..], &model].concat());
    let (_, root) = run(VERILATOR, room, &["--getenv", "VERILATOR_ROOT"]);
    let include = PathBuf::from(root.trim()).join("include");
    let objects = fs::read_dir(room.join("objects")).expect("Verilator has made it");
    let names = objects.map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".cpp")).collect();
    names.extend(["verilated.cpp", "verilated_threads.cpp", "driver.cpp"].map(str::to_owned));
    // one file, because Verilator's headers take longer to read than this to compile
    let all_files: String = names.iter().map(|name| format!("#include \"{name}\"\n")).collect();
    fs::write(room.join("all.cpp"), format!("#include \"Vmb.h\"\n{all_files}")).expect("there is room");
    let strict = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-Wconversion", "-ffreestanding"];
    reads(GCC, room, &[&strict[..], &["-include", "bus.h", "-c", "txbar.c", "-o", "txbar.o"]].concat());
    let includes = [&include, &include.join("vltstd")].map(|path| format!("-I{}", path.display()));
    let compile = ["-std=c++20", "-O0", "-pthread", "-I.", "-Iobjects", &includes[0], &includes[1]];
    reads(CXX, room, &[&compile[..], &["all.cpp", "txbar.o", "-o", "program"]].concat());
    for seed in 1..=if all() { 200 } else { 10 } {
        let output = Command::new(room.join("program")).arg(seed.to_string()).output().expect("it can be started");
        assert!(output.status.success() && said(&output).contains("PASS"), "{}", said(&output));
    }
}
