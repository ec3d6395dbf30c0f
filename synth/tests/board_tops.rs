//! The tops for boards as Verilog: no complaints of linters, and each file is self-contained.

use std::path::PathBuf;
use std::process::Command;
use tempfile::TempDir;
use txbar_export::boards::{BAUD, Board};
use txbar_export::manifest::Manifest;
use txbar_export::tools::{IVERILOG, Tool, VERILATOR};
use txbar_export::verilog::{self, Export};
use txbar_rtl::board::parameters::{BoardParameters, Top};
use txbar_rtl::parameters::Parameters;

/// Every top for every board, and a few without a board.
fn exports() -> Vec<(String, Export)> {
    let mut exports = Vec::new();
    for top in Top::ALL {
        for board in Board::ALL {
            let export = board.export(top, BAUD, "txbar").unwrap_or_else(|error| panic!("{error}"));
            exports.push((format!("{} {}", board.name, top.name()), export));
        }
        for (ports, banks, words, waiters, tag_bits) in [(1, 1, 16, 0, 2), (3, 2, 65536, 5, 16), (4, 1, 32, 64, 3)] {
            let unit = Parameters { ports, banks, words, waiters, tag_bits, ..Parameters::default() };
            let parameters = match top {
                Top::SelfTest => BoardParameters::self_test(unit, 4, 1),
                Top::Bridge => BoardParameters::bridge(Parameters { checked: true, ..unit }, 65535, 1 << 24),
            };
            let parameters = parameters.check().unwrap_or_else(|error| panic!("{error}"));
            let export = verilog::top(&parameters, "txbar").expect("`txbar` is an identifier");
            exports.push((format!("{ports} ports, {}", top.name()), export));
        }
    }
    exports
}

fn on_disk(export: &Export) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let path = directory.path().join("top.v");
    std::fs::write(&path, &export.text).expect("it can be written");
    (directory, path)
}

fn run(tool: Tool, change: impl FnOnce(&mut Command)) -> String {
    let mut command = tool.command().unwrap_or_else(|missing| panic!("{missing}"));
    change(&mut command);
    let output = command.output().expect("the tool can be started");
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{text}");
    text
}

#[test]
fn linters_have_no_complaint() {
    for (label, export) in exports() {
        let (directory, file) = on_disk(&export);
        let said = run(VERILATOR, |lint| {
            lint.args(["--lint-only", "-Wall", "--top-module", &export.top]).arg(&file);
        });
        assert!(!said.contains("%Warning"), "{label}: {said}");
        let said = run(IVERILOG, |compile| {
            compile.args(["-Wall", "-g2005", "-o"]).arg(directory.path().join("out")).arg(&file);
        });
        assert_eq!(said, "", "{label}");
    }
}

#[test]
fn a_manifest_tells_the_board() {
    let board = Board::find("hx8k").expect("it is one of them");
    let parameters = board.parameters(Top::Bridge, BAUD).expect("the clock has it");
    let export = board.export(Top::Bridge, BAUD, "txbar").expect("it can be exported");
    let json = Manifest::of_top(&export, &parameters, Some(board), "top.v").json();
    let manifest: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(manifest["top"], "txbar_hx8k_bridge");
    assert_eq!(manifest["parameters"]["top"], "bridge");
    assert_eq!(manifest["parameters"]["bit_cycles"], 104);
    assert_eq!(manifest["board"]["constraints"], "hx8k.pcf");
    assert_eq!(manifest["ports"][0]["name"], "clk");
}
