//! Packages of exported designs: no complaints of the tools that read their files, and the wrapper equals the design.

mod memories;
mod resets;
#[path = "../shared/mod.rs"]
mod shared;

use shared::{SLANG, reads, run, write};
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;
use txbar_export::manifest::Manifest;
use txbar_export::tools::{FUSESOC, GCC, IVERILOG, VERILATOR, VVP, said};
use txbar_export::verilog;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::parameters::Parameters;
use txbar_rtl::warp::parameters::WarpParameters;

fn small(ports: usize) -> Parameters {
    Parameters { ports, banks: ports, words: 64, waiters: 4, ..Parameters::default() }
}

fn write_unit(directory: &Path, name: &str, ports: usize) {
    write_of(directory, name, small(ports));
}

fn write_of(directory: &Path, name: &str, parameters: Parameters) {
    let export = verilog::unit(&parameters, name).expect("the prefix is right");
    write(directory, name, export, |export, file| Manifest::new(export, &parameters, file));
}

#[test]
fn tools_have_no_complaint() {
    let here = TempDir::new().expect("there is room");
    let here = here.path();
    write_unit(here, "one", 1);
    write_unit(here, "four", 4);
    let warps = WarpParameters { unit: small(2), lanes: 4, ..WarpParameters::default() };
    let export = verilog::warp_unit(&warps, "warps").expect("the prefix is right");
    write(here, "warps", export, |export, file| Manifest::of_warps(export, &warps, file));
    let cluster = ClusterParameters { ctas: 2, unit: small(2), ..ClusterParameters::default() };
    let export = verilog::cluster(&cluster, "ctas").expect("the prefix is right");
    write(here, "ctas", export, |export, file| Manifest::of_cluster(export, &cluster, file));
    write_of(here, "banked", Parameters { tag_bits: 4, ..Parameters::banked_high_clock(4, 2) });
    write_of(here, "masked", Parameters { wake_mask: true, counters: false, ..small(2) });
    for name in ["one", "four", "banked", "masked"] {
        for of in ["check", "assert"] {
            let [file, top] = [format!("{name}_{of}.sv"), format!("{name}_{of}")];
            reads(VERILATOR, here, &["--lint-only", "-Wall", "--assert", "--quiet", "--top-module", &top, &file]);
            reads(SLANG, here, &["-Wextra", &file, "--top", &top]);
        }
    }
    for name in ["warps", "ctas"] {
        assert!(!here.join(format!("{name}_check.sv")).exists(), "the kit checks units for single threads");
    }
    for name in ["one", "four", "warps", "ctas"] {
        let [list, top, header] = [format!("{name}.f"), format!("{name}_sv"), format!("{name}.h")];
        reads(VERILATOR, here, &["--lint-only", "-Wall", "--quiet", "-f", &list, "--top-module", &top]);
        reads(SLANG, here, &["-Wextra", "-f", &list, "--top", &top]);
        let strict = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-Wconversion", "-fsyntax-only"];
        reads(GCC, here, &[&strict[..], &[header.as_str()]].concat());
        let instance = fs::read_to_string(here.join(format!("{name}_inst.v"))).expect("it was written");
        fs::write(here.join("instance.v"), format!("module instance_of;\n{instance}endmodule\n"))
            .expect("there is room");
        reads(IVERILOG, here, &["-Wall", "-o", "out", "-s", "instance_of", "instance.v", &format!("{name}.v")]);
    }
}

#[test]
fn fusesoc_takes_two_packages_in_one_design() {
    let here = TempDir::new().expect("there is room");
    let here = here.path();
    for (name, ports) in [("one", 1), ("two", 2)] {
        let folder = here.join(name);
        fs::create_dir(&folder).expect("there is room");
        write_unit(&folder, name, ports);
    }
    let core = "CAPI=2:\nname: ::both\nfilesets:\n  rtl:\n    files: [both.sv: {file_type: systemVerilogSource}]\n    depend: [txbar:ip:one, txbar:ip:two]\n\
                targets:\n  default:\n    filesets: [rtl]\n    toplevel: both\n    flow: lint\n    flow_options: {tool: verilator}\n";
    fs::write(here.join("both.core"), core).expect("there is room");
    let both = "module both(input wire clk, input wire rst);\n  /* verilator lint_off PINMISSING */\n  \
                one a (.clk(clk), .rst(rst));\n  two b (.clk(clk), .rst(rst));\nendmodule\n";
    fs::write(here.join("both.sv"), both).expect("there is room");
    for core in ["::both", "txbar:ip:one", "txbar:ip:two"] {
        let target = if core == "::both" { "default" } else { "lint" };
        let (well, text) = run(FUSESOC, here, &["--cores-root", ".", "run", "--target", target, core]);
        assert!(well && text.contains("Verilator:"), "{core}:\n{text}");
    }
}

/// Compiles the bench with the files in a directory and runs it.
fn simulate(here: &Path, folder: &str) -> (bool, String) {
    let bench = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/package/bench.sv");
    let bench = bench.to_str().expect("a path in UTF-8");
    let options = [
        "--binary",
        "--timing",
        "-Wall",
        "--quiet",
        "-MAKEFLAGS",
        "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0",
        "--Mdir",
        folder,
        "--top-module",
        "bench",
        "-f",
        "mb.f",
        bench,
    ];
    let (built, text) = run(VERILATOR, here, &options);
    assert!(built, "{text}");
    let program = here.join(folder).join("Vbench");
    let output = Command::new(program).output().expect("it can be started");
    (output.status.success(), said(&output))
}

#[test]
fn the_wrappers_are_the_design_and_exchanged_pins_are_noticed() {
    let here = TempDir::new().expect("there is room");
    let here = here.path();
    write_unit(here, "mb", 2);
    let (well, text) = simulate(here, "whole");
    assert!(well && text.contains("PASS"), "{text}");
    let defects = [
        ("mb_sv.sv", "rsp[0].tag", "rsp[1].tag"),
        ("mb_sv.sv", "req[0].address", "req[1].address"),
        ("mb_if.sv", "rsp_payload[i]", "rsp_payload[1 - i]"),
        ("mb_if.sv", "req_valid[i]", "req_valid[1 - i]"),
    ];
    for (number, (file, one, other)) in defects.into_iter().enumerate() {
        let file = here.join(file);
        let whole = fs::read_to_string(&file).expect("it was written");
        let exchanged = whole.replace(one, "another").replace(other, one).replace("another", other);
        assert_ne!(exchanged, whole);
        fs::write(&file, exchanged).expect("it can be written");
        let (well, text) = simulate(here, &format!("exchanged{number}"));
        assert!(!well && text.contains("FAIL"), "{one} and {other} are exchanged:\n{text}");
        fs::write(&file, whole).expect("it can be written");
    }
}

/// Files with a time scale may stand before or behind those without, and nobody has to be told.
#[test]
fn other_files_may_have_a_time_scale() {
    let here = TempDir::new().expect("there is room");
    let here = here.path();
    write_unit(here, "mb", 2);
    let other = "`timescale 1ns / 1ps\nmodule other;\n  initial #1 $display(\"other\");\nendmodule\n";
    fs::write(here.join("other.v"), other).expect("it can be written");
    for files in [["other.v", "mb.v"], ["mb.v", "other.v"]] {
        reads(VERILATOR, here, &[&["--lint-only", "--timing", "-Wno-MULTITOP"][..], &files].concat());
    }
}

/// A file is called like its top module: tools that look for modules in directories find it. What the module calls operations and statuses
/// can be read from outside.
#[test]
fn a_module_with_a_name_is_found_by_it() {
    let here = TempDir::new().expect("there is room");
    let here = here.path();
    write_unit(here, "barriers", 2);
    let user = "module user;\n  barriers unit ();\n  initial $display(\"%0d %0d\", unit.OP_ARRIVE, unit.STATUS_FAULTED_WORD);\nendmodule\n";
    fs::write(here.join("user.v"), user).expect("it can be written");
    reads(IVERILOG, here, &["-g2005", "-y", ".", "-s", "user", "-o", "user.vvp", "user.v"]);
    let (_, text) = run(VVP, here, &["-n", "user.vvp"]);
    assert_eq!(text.trim(), "4 5");
}
