//! The command as a user meets it: what it prints, what it writes, how it ends, and what it says of bad input. `sim` and `litmus` are
//! in `sim.rs`, files and devices in `outputs.rs`, signals in `signals.rs`.

mod common;

use common::{directory, json, refused, txbar, vectors};
use predicates::prelude::*;
use predicates::str::{contains, diff, starts_with};
use std::fs;
use std::path::Path;

#[test]
fn the_tour_runs_and_leaves_its_files() {
    let here = directory();
    txbar(here.path())
        .assert()
        .success()
        .stdout(contains("10571 of 10571 records match"))
        .stdout(contains("operations/cycle  2.7"))
        .stdout(contains("mismatches        0"));
    let tour = here.path().join("txbar-tour");
    let mut names: Vec<_> =
        fs::read_dir(tour).expect("it was made").map(|entry| entry.expect("readable").file_name()).collect();
    names.sort();
    let expected = [
        ".surfer",
        "one_phase.html",
        "one_phase.svg",
        "one_phase.vcd",
        "one_phase.vcd.gtkw",
        "one_phase.vcd.sucl",
        "txbar_op.txt",
        "txbar_status.txt",
        "txbar_unit_p4_b8_w512_t8_q8_n32_c10.json",
        "txbar_unit_p4_b8_w512_t8_q8_n32_c10.v",
    ];
    assert_eq!(names, expected);
}

#[test]
fn the_picture_in_the_gallery_is_the_one_of_the_tour() {
    let here = directory();
    txbar(here.path()).assert().success();
    let drawn = fs::read_to_string(here.path().join("txbar-tour/one_phase.svg")).expect("it was drawn");
    let gallery = Path::new(env!("CARGO_MANIFEST_DIR")).join("waves/gallery/one_phase.svg");
    let kept = fs::read_to_string(gallery).expect("it is in the gallery");
    assert!(drawn == kept, "run `txbar` and copy txbar-tour/one_phase.svg to waves/gallery/");
}

#[test]
fn check_passes_on_both_recordings() {
    let here = directory();
    for engine in ["model", "rtl"] {
        let figures = here.path().join("figures.json");
        txbar(here.path())
            .args(["check", "--engine", engine, "--json"])
            .args([&figures, &vectors("h200_legal.csv"), &vectors("h200_edge.csv")])
            .assert()
            .success()
            .stdout("10571 of 10571 records match\n");
        assert_eq!(json(&figures), serde_json::json!({ "matched": 10571, "records": 10571 }));
    }
}

#[test]
fn check_refuses_checked_mode() {
    let here = directory();
    let error = "error: checked mode hides the faults of recordings behind warnings, since their words are stored and not \
        initialised: leave --checked out\n";
    for name in ["h200_legal.csv", "h200_warp_edge.csv"] {
        let file = vectors(name).display().to_string();
        refused(here.path(), &["check", &file, "--checked"], diff(error));
        let error = "error: --checked cannot be used with --engine model\n";
        refused(here.path(), &["check", &file, "--engine", "model", "--checked"], diff(error));
    }
    let file = vectors("h200_edge.csv");
    txbar(here.path()).arg("check").arg(file).arg("--checked=false").assert().success();
}

#[test]
fn check_takes_recordings_of_tensor_copies() {
    let here = directory();
    let tensor = |name: &str| vectors("tensor").join(name);
    let files = [tensor("h200_maps_1.csv"), tensor("h200_edge.csv"), tensor("h200_reductions_1.csv")];
    txbar(here.path()).arg("check").args(&files).assert().success().stdout("3922 of 3922 records match\n");
    let both = "4493 of 4493 records match\n"; // in one go with those of threads
    txbar(here.path()).arg("check").args(&files).arg(vectors("h200_edge.csv")).assert().success().stdout(both);

    let row = "kind,operation,before,operand,after,word_before,word_after\nto_global,add.u32,2,4,7,,\n";
    fs::write(here.path().join("wrong.csv"), row).expect("it can be written");
    let said =
        "wrong.csv: line 2: to_global add.u32 of 2 with 4: element 0 is 6, the recording has 7\n0 of 1 records match\n";
    txbar(here.path()).args(["check", "wrong.csv"]).assert().code(2).stdout(said);
    let error = "error: wrong.csv: this is a recording of tensor copies, for which there is no hardware yet: use --engine model";
    refused(here.path(), &["check", "wrong.csv", "--engine", "rtl"], starts_with(error));
}

#[test]
fn check_takes_recordings_of_warps() {
    let here = directory();
    let (legal, edge) = (vectors("h200_warp_legal.csv"), vectors("h200_warp_edge.csv"));
    let model = ["check", "--engine", "model"];
    txbar(here.path()).args(model).args([&legal, &edge]).assert().success().stdout("7020 of 7020 records match\n");
    let both = "17591 of 17591 records match\n"; // in one go with those of threads
    let threads = [vectors("h200_legal.csv"), vectors("h200_edge.csv")];
    txbar(here.path()).args(model).args([&legal, &edge]).args(threads).assert().success().stdout(both);

    let header = "op,mask,word_of_lane,operand_of_lane,words_before,words_after,results\n";
    let row = "arrive,3,00,0 0,7ffff000001ffffc,7ffff800001ffffc,7ffff000 7ffff000\n"; // as if one lane had arrived
    fs::write(here.path().join("wrong.csv"), header.to_owned() + &row.repeat(25)).expect("it can be written");
    let output = txbar(here.path()).args(model).arg("wrong.csv").output().expect("it can be started");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stdout).expect("text");
    let first = "wrong.csv: line 2: arrive by lanes 00000003: word 0 after is fffff000001ffffc, the recording has 7ffff800001ffffc";
    assert_eq!((said.lines().count(), said.lines().next()), (21, Some(first)));
    assert!(said.ends_with("\n0 of 25 records match\n"));

    fs::write(here.path().join("lane.csv"), header.to_owned() + "arrive,3,02,0 0,0 0,0 0,0 0\n")
        .expect("it can be written");
    refused(
        here.path(),
        &["check", "lane.csv"],
        starts_with("error: lane.csv:2:11: lane 1 names word 2, and there are 2"),
    );
    fs::write(here.path().join("flat.csv"), "op,mask\n").expect("it can be written");
    let both = "error: flat.csv:1:1: the first line must be `op,arg,word_before,token,word_after,result` or `op,mask,";
    refused(here.path(), &["check", "flat.csv"], starts_with(both));
    let one = "arrive,3,00,0 0,7ffff000001ffffc,fffff000001ffffc,7ffff000 7ffff000\n";
    fs::write(here.path().join("one.csv"), header.to_owned() + one).expect("it can be written");
    txbar(here.path()).args(["check", "one.csv"]).assert().success().stdout("1 of 1 records match\n");
    refused(here.path(), &["check", "one.csv", "--ports", "8"], starts_with("error: warp-ports = 1 cannot be built: "));
    refused(
        here.path(),
        &["check", "one.csv", "--tag-bits", "4"],
        starts_with("error: tag-bits = 4 cannot be built: "),
    );
}

#[test]
fn check_runs_on_the_verilog() {
    for engine in ["verilator", "cxxrtl", "netlist:ecp5", "netlist:ice40"] {
        txbar(Path::new(env!("CARGO_MANIFEST_DIR")))
            .args(["check", "--engine", engine, "--ports", "1", "--banks", "1", "--waiters", "0", "--counters=false"])
            .arg(vectors("h200_edge.csv"))
            .assert()
            .success()
            .stdout("571 of 571 records match\n");
    }
}

#[test]
fn check_names_the_tool_that_is_missing() {
    let here = directory();
    for (engine, tool) in
        [("verilator", "verilator"), ("cxxrtl", "yosys"), ("netlist:ecp5", "yosys"), ("netlist", "yosys")]
    {
        txbar(here.path())
            .env("PATH", here.path())
            .env("TXBAR_TOOLS", here.path())
            .args(["check", "--engine", engine])
            .arg(vectors("h200_edge.csv"))
            .assert()
            .code(1)
            .stderr(contains(format!("error: {tool} is not found, neither in ")))
            .stderr(contains(format!("`apt-get install {tool}`, or `pip install ")));
    }
}

#[test]
fn check_tells_of_mismatches_and_stops_at_twenty() {
    let here = directory();
    let mut text = "op,arg,word_before,token,word_after,result\n".to_owned();
    for _ in 0..25 {
        text += "arrive,,7fffe000001ffff8,,7fffe800001ffff9,7fffe000\n";
    }
    text += "arrive,,7fffe000001ffff8,,7fffe800001ffff8,7fffe000\n";
    fs::write(here.path().join("wrong.csv"), &text).expect("it can be written");
    let output = txbar(here.path()).args(["check", "wrong.csv", "wrong.csv"]).output().expect("it can be started");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stdout).expect("text");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 21);
    let first = "wrong.csv: line 2: arrive on 7fffe000001ffff8: the word after is 7fffe800001ffff8, the recording has 7fffe800001ffff9";
    assert_eq!(lines[0], first);
    assert_eq!(lines[20], "2 of 52 records match");
}

/// Recordings of somebody's own unit, by the names of its pins: pins that mean nothing may hold anything or be left out.
#[test]
fn check_takes_recordings_of_a_units_own_pins() {
    let here = directory();
    let header = "req_op,req_remote,req_data,req_strobe,word_before,word_after,rsp_status,rsp_predicate,rsp_data";
    let right = [
        "init,0,dead00000004,,0,7fffe000001ffff8,ok,0,ffff",
        "arrive,0,1,ff,7fffe000001ffff8,7fffe800001ffff8,ok,1,7fffe00012345678",
        "4,1,1,ff,7fffe000001ffff8,7fffe800001ffff8,0,,123",
        "arrive_drop,0,5,,7fffe000001ffff8,7fffe000001ffff8,pending_underflow,1,1",
        "store,0,1122334455667788,0f,7fffe000001ffff8,7fffe00055667788,ok,,",
        "load,0,0,,7fffe000001ffff8,7fffe000001ffff8,ok,0,7fffe000001ffff8",
        "test_wait_parity,0,0,,7fffe000001ffff8,7fffe000001ffff8,,0,",
        "pending_count,0,7fffe00000000000,,0,0,ok,,4",
        "cp_async_arrive,0,0,,7fffe000001ffff8,7fffe800001ffff8,,,",
    ];
    let wrong = [
        ("arrive,0,1,,7fffe000001ffff8,7fffe800001ffff8,tx_range,,", "rsp_status", "tx_range", "ok"),
        ("arrive,0,1,,7fffe000001ffff8,7fffe000001ffff8,ok,,", "word_after", "7fffe000001ffff8", "7fffe800001ffff8"),
        ("test_wait_parity,0,0,,7fffe000001ffff8,7fffe000001ffff8,ok,1,", "rsp_predicate", "1", "0"),
        (
            "arrive,0,1,,7fffe000001ffff8,7fffe800001ffff8,ok,,8000000000000000",
            "rsp_data",
            "8000000000000000",
            "7fffe00000000000",
        ),
    ];
    let write = |name: &str, rows: &[&str]| {
        fs::write(here.path().join(name), format!("{header}\n{}\n", rows.join("\n"))).expect("it can be written");
    };
    write("right.csv", &right);
    write("wrong.csv", &wrong.map(|(row, ..)| row));
    let figures = here.path().join("figures.json");
    for engine in ["rtl", "model"] {
        let check = ["check", "--engine", engine, "--json", "figures.json"];
        txbar(here.path()).args(check).arg("right.csv").assert().success().stdout("9 of 9 records match\n");
        txbar(here.path()).args(check).args(["right.csv", "wrong.csv"]).assert().code(2).stdout(contains(
            "wrong.csv: line 2: arrive on 7fffe000001ffff8: rsp_status is ok, the recording has tx_range\n",
        ));
        let told: Vec<serde_json::Value> = wrong
            .iter()
            .zip(2..)
            .map(|((row, field, expected, got), line)| {
                let operation = row.split(',').next();
                serde_json::json!({ "file": "wrong.csv", "line": line, "operation": operation, "on": "on 7fffe000001ffff8",
                    "field": field, "expected": expected, "got": got })
            })
            .collect();
        assert_eq!(json(&figures), serde_json::json!({ "matched": 9, "records": 13, "mismatches": told }), "{engine}");
    }
    for (row, error) in [
        ("arive,0,1,,0,0,,,", "bad.csv:2:1: there is no `arive`: give a code in decimal, or one of load, store,"),
        ("arrive,2,1,,0,0,,,", "bad.csv:2:8: `2` is neither 0 nor 1"),
        ("arrive,0,1,,0,0,fine,,", "bad.csv:2:17: there is no `fine`: give a code in decimal, or one of ok,"),
        ("cp_async_end,0,1,,0,0,ok,,", "bad.csv:2:23: rsp_status must be empty: cp_async_end is not answered"),
        ("arrive,0,0x1,,0,0,,,", "bad.csv:2:10: req_data `0x1` is not a hex number"),
    ] {
        write("bad.csv", &[row]);
        refused(here.path(), &["check", "bad.csv"], starts_with(format!("error: {error}")));
    }
}

#[test]
fn check_refuses_what_is_no_recording() {
    let here = directory();
    let header = "op,arg,word_before,token,word_after,result\n";
    let cases = [
        ("empty.csv", String::new(), "error: empty.csv: the file is empty"),
        ("header.csv", header.to_owned(), "error: header.csv: the file holds no records"),
        ("columns.csv", format!("{header}arrive,,0,,0\n"), "error: columns.csv:2:12: 5 columns where 6 are needed"),
        ("op.csv", format!("{header}arrive,,0,,0,0\nwait,,0,,0,0\n"), "error: op.csv:3:1: unknown operation `wait`"),
        (
            "hex.csv",
            format!("{header}arrive,,10000000000000000,,0,0\n"),
            "error: hex.csv:2:9: word_before `10000000000000000` has more than 16",
        ),
        (
            "wide.csv",
            format!("{header}arrive_n,4294967296,0,,0,0\n"),
            "error: wide.csv:2:10: operand 4294967296 does not fit 32 bits",
        ),
        ("not.csv", "hello\n".to_owned(), "error: not.csv:1:1: the first line must be `op,arg,"),
    ];
    for (name, text, _) in &cases {
        fs::write(here.path().join(name), text).expect("it can be written");
    }
    fs::write(here.path().join("binary.csv"), [0xff, 0xfe, 0, 1, 10]).expect("it can be written");
    for (name, _, error) in &cases {
        refused(here.path(), &["check", name], starts_with(*error));
    }
    refused(here.path(), &["check", "binary.csv"], starts_with("error: binary.csv:1:1: "));
    refused(here.path(), &["check", "missing.csv"], starts_with("error: missing.csv: No such file"));
    refused(here.path(), &["check", "."], starts_with("error: .: "));
    refused(here.path(), &["check"], contains("required arguments were not provided"));
    refused(here.path(), &["check", "op.csv", "--engine", "magic"], contains("invalid value 'magic'"));
}

#[test]
fn sim_writes_waves_that_can_be_drawn() {
    let here = directory();
    txbar(here.path()).args(["sim", "--ops", "50", "--seed", "1", "--vcd", "run.vcd"]).assert().success();
    txbar(here.path()).args(["wave", "run.vcd"]).assert().success().stdout(contains("unit.bank_0.alu.word\n"));
    txbar(here.path())
        .args(["wave", "run.vcd", "--svg", "run.svg"])
        .assert()
        .success()
        .stdout(starts_with("run.svg\n"));
    let picture = fs::read_to_string(here.path().join("run.svg")).expect("it was drawn");
    assert!(picture.starts_with("<svg") && picture.contains("req_op_0") && !picture.contains("ask_op"));
    let few = [
        "wave",
        "run.vcd",
        "--svg",
        "few.svg",
        "--signals",
        "unit.clk,unit.flip_valid",
        "--from",
        "3",
        "--cycles",
        "4",
    ];
    txbar(here.path()).args(few).assert().success();
    let picture = fs::read_to_string(here.path().join("few.svg")).expect("it was drawn");
    assert!(picture.contains("flip_valid") && !picture.contains("req_op_0"));
    fs::write(here.path().join("text.vcd"), "hello").expect("it can be written");
    refused(here.path(), &["wave", "text.vcd"], starts_with("error: text.vcd: is not a wave file"));
    refused(here.path(), &["wave", "none.vcd"], starts_with("error: none.vcd: No such file"));
    refused(
        here.path(),
        &["wave", "run.vcd", "--svg", "x.svg", "--signals", "no"],
        contains("there is no signal `no`"),
    );
    refused(here.path(), &["wave", "run.vcd", "--svg", "x.svg", "--from", "999"], contains("the waves end with cycle"));
}

#[test]
fn a_failing_run_leaves_its_waves_too() {
    let here = directory();
    let arguments = ["sim", "--seed", "1", "--inject-fault", "token-after", "--vcd", "run.vcd"];
    txbar(here.path()).args(arguments).assert().code(2);
    txbar(here.path()).args(["wave", "run.vcd", "--svg", "run.svg"]).assert().success();
}

#[test]
fn verilog_writes_a_file_and_its_manifest() {
    let here = directory();
    txbar(here.path())
        .args(["verilog", "--ports", "2", "--words", "64", "-o", "out/deep"])
        .assert()
        .success()
        .stdout("out/deep/txbar_unit_p2_b8_w64_t8_q8_n32_c10.v\nout/deep/txbar_unit_p2_b8_w64_t8_q8_n32_c10.json\n");
    let manifest = json(&here.path().join("out/deep/txbar_unit_p2_b8_w64_t8_q8_n32_c10.json"));
    let parameters = serde_json::json!({ "ports": 2, "banks": 8, "words": 64, "tag_bits": 8, "number_bits": 0, "queue_depth": 8,
        "waiters": 32, "clock_ns": 10, "counters": true, "checked": false });
    assert_eq!(manifest["parameters"], parameters);
    let verilog = fs::read_to_string(here.path().join("out/deep").join(manifest["file"].as_str().expect("a name")));
    assert!(verilog.expect("it was written").contains("module txbar_unit ("));
    txbar(here.path()).args(["verilog", "--prefix", "my"]).assert().success();
    assert!(here.path().join("my_unit_p4_b8_w512_t8_q8_n32_c10.v").exists());
    // a name is that of the top module and of the files; other modules' names begin with it, if nothing else is said
    txbar(here.path())
        .args(["verilog", "--name", "barriers"])
        .assert()
        .success()
        .stdout("./barriers.v\n./barriers.json\n");
    let verilog = fs::read_to_string(here.path().join("barriers.v")).expect("it was written");
    let modules = || verilog.lines().filter_map(|line| line.strip_prefix("module "));
    assert_eq!(modules().next(), Some("barriers ("));
    assert!(modules().skip(1).all(|module| module.starts_with("barriers_")));
    // a package is the same with more files
    let package = ["verilog", "--package", "barriers", "-o", "package"];
    let files = txbar(here.path()).args(package).assert().success().get_output().stdout.clone();
    let files = String::from_utf8(files).expect("names are UTF-8");
    assert_eq!(files.lines().count(), 13);
    assert!(files.lines().all(|file| here.path().join(file).exists()), "{files}");
    assert_eq!(fs::read_to_string(here.path().join("package/barriers.v")).expect("it was written"), verilog);
    refused(here.path(), &["verilog", "--package", "a", "--name", "b"], contains("--name"));
    refused(here.path(), &["verilog", "--package", "a", "--top", "self-test"], contains("--package"));
    let both = ["verilog", "--package", "txbar", "--bus", "apb", "--tag-bits", "5"];
    refused(here.path(), &both, contains("two files called txbar.h"));
    let manifest = json(&here.path().join("barriers.json"));
    txbar(here.path()).args(["verilog", "--clock-ns", "6.6670", "--name", "a"]).assert().failure();
    txbar(here.path()).args(["verilog", "--clock-ns", "6.660"]).assert().success();
    let fraction = json(&here.path().join("txbar_unit_p4_b8_w512_t8_q8_n32_c6p66.json"));
    assert_eq!(fraction["parameters"]["clock_ns"], 6.66);
    assert_eq!((&manifest["top"], &manifest["file"]), (&"barriers".into(), &"barriers.v".into()));
}

#[test]
fn verilog_writes_a_unit_with_ports_for_warps() {
    let here = directory();
    let output =
        txbar(here.path()).args(["verilog", "--lanes", "8", "--warp-ports", "2"]).output().expect("it can be started");
    let said = String::from_utf8(output.stdout).expect("text");
    let files: Vec<&str> = said.lines().collect();
    assert_eq!(files.len(), 2, "{said}");
    let verilog = fs::read_to_string(here.path().join(files[0])).expect("it was written");
    assert!(verilog.contains("module txbar_warp_unit (") && verilog.contains("module txbar_coalesce ("));
    let manifest = json(&here.path().join(files[1]));
    assert_eq!((&manifest["parameters"]["lanes"], &manifest["parameters"]["warp_ports"]), (&8.into(), &2.into()));
    assert_eq!(manifest["warps"]["warp_latency_cycles"], 9);
    let ports = manifest["ports"].as_array().expect("a list");
    assert!(ports.iter().any(|port| port["name"] == "warp_req_operand_1_7" && port["width"] == 32));
    refused(
        here.path(),
        &["verilog", "--lanes", "2"],
        starts_with("error: lanes = 2 cannot be built: a warp has 1, 4, 8,"),
    );
    refused(here.path(), &["verilog", "--warp-ports", "2"], contains("--lanes"));
    let two = ["verilog", "--lanes", "4", "--ctas", "2", "--warp-ports", "2"];
    refused(here.path(), &two, contains("--warp-ports cannot be used with --ctas"));
    refused(
        here.path(),
        &["verilog", "--lanes", "2", "--ctas", "2"],
        starts_with("error: lanes = 2 cannot be built: a warp has 1, 4, 8,"),
    );
}

#[test]
fn verilog_writes_a_cluster() {
    let here = directory();
    let stem = "txbar_cluster_k2_l3_r4_v1_x2_o2_s4_p1_b4_w64_t8_q8_n32_c10";
    txbar(here.path())
        .args(["verilog", "--ctas", "2", "--link-cycles", "3", "--remote-depth", "4", "--warps", "1", "--copiers", "2"])
        .args(["--outstanding", "2", "--bursts", "4", "--ports", "1", "--banks", "4", "--words", "64"])
        .assert()
        .success()
        .stdout(format!("./{stem}.v\n./{stem}.json\n"));
    let manifest = json(&here.path().join(format!("{stem}.json")));
    assert_eq!(manifest["top"], "txbar_cluster");
    assert_eq!(manifest["parameters"]["link_cycles"], 3);
    assert_eq!(manifest["parameters"]["ports"], 1);
    assert_eq!(manifest["cluster"]["remote_latency_cycles"], 13);
    let verilog = fs::read_to_string(here.path().join(manifest["file"].as_str().expect("a name")));
    assert!(verilog.expect("it was written").contains("module txbar_cluster ("));
}

#[test]
fn verilog_refuses_what_makes_no_sense() {
    let here = directory();
    fs::write(here.path().join("file"), "").expect("it can be written");
    refused(here.path(), &["verilog", "--words", "8"], starts_with("error: words = 8 cannot be built"));
    refused(here.path(), &["verilog", "--ctas", "9"], starts_with("error: ctas = 9 cannot be built"));
    refused(
        here.path(),
        &["verilog", "--ctas", "2", "--ports", "7"],
        starts_with("error: ports = 7 cannot be built: in a cluster"),
    );
    // what only a cluster has is nothing without one
    for option in ["--link-cycles", "--remote-depth", "--warps", "--copiers", "--outstanding", "--bursts"] {
        refused(here.path(), &["verilog", option, "2"], contains("needs --ctas"));
    }
    refused(here.path(), &["verilog", "--prefix", "1x"], starts_with("error: prefix `1x` is no Verilog identifier"));
    refused(here.path(), &["verilog", "--name", "1x"], starts_with("error: name `1x` is no Verilog identifier"));
    refused(
        here.path(),
        &["verilog", "--name", "txbar_bank", "--prefix", "txbar"],
        starts_with("error: name `txbar_bank` is that of another module of the file"),
    );
    refused(here.path(), &["verilog", "-o", "file"], starts_with("error: cannot make the directory file: "));
    refused(
        here.path(),
        &["verilog", "-o", "file/deeper"],
        starts_with("error: cannot make the directory file/deeper: "),
    );
}

#[test]
fn help_says_what_a_newcomer_needs() {
    let here = directory();
    for (arguments, text) in [
        (vec!["--help"], "Without a subcommand it runs the tour"),
        (vec!["check", "--help"], "op,arg,word_before,token,word_after,result"),
        (vec!["check", "--help"], "Not with --checked"),
        (vec!["sim", "--help"], "Seed of everything random"),
        (vec!["verilog", "--help"], "a power of two from 16 to 65536"),
        (vec!["wave", "--help"], "an overview of requests, barriers and answers"),
    ] {
        txbar(here.path()).args(arguments).assert().success().stdout(contains(text));
    }
    refused(here.path(), &["nonsense"], contains("unrecognized subcommand 'nonsense'"));
}

/// Options stand under headings that say what they are about; `-h` leaves out what few need.
#[test]
fn help_has_headings_that_fit() {
    let here = directory();
    let said = |arguments: &[&str]| {
        let output = txbar(here.path()).args(arguments).output().expect("it can be started");
        String::from_utf8(output.stdout).expect("text")
    };
    let (long, short) = (said(&["sim", "--help"]), said(&["sim", "-h"]));
    let mut headings = std::collections::BTreeMap::new();
    let mut heading = "";
    for line in long.lines() {
        let option = line.trim_start().trim_start_matches("-o, ").split([' ', '[']).next().unwrap_or_default();
        match line.strip_suffix(':') {
            Some(title) if !line.starts_with(' ') => heading = title,
            _ if option.starts_with("--") => drop(headings.insert(option, heading)),
            _ => {}
        }
    }
    for (option, heading) in [
        ("--ops", "Random traffic"),
        ("--seed", "Random traffic"),
        ("--cycles", "Random traffic of clusters and warps"),
        ("--scenario", "Scenario"),
        ("--ports", "Hardware"),
        ("--lanes", "Ports for warps"),
        ("--ctas", "Cluster"),
        ("--vcd", "Waves"),
        ("--json", "Output"),
        ("--report", "Report"),
    ] {
        assert_eq!(headings.get(option), Some(&heading), "{option}: {headings:?}");
    }
    assert!(short.lines().count() < 150 && !short.contains("--tag-bits") && long.contains("--tag-bits"), "{short}");
}

#[test]
fn completions_and_pages_know_every_command() {
    let here = directory();
    for shell in ["bash", "zsh", "fish"] {
        txbar(here.path()).args(["completions", shell]).assert().success().stdout(contains("random-parameters"));
    }
    txbar(here.path()).args(["man", "-o", "man"]).assert().success().stdout(contains("man/txbar-sim.1\n"));
    let page = |name: &str| fs::read_to_string(here.path().join("man").join(name)).expect("it is written");
    assert!(
        page("txbar.1").contains("txbar\\-run(1)") && page("txbar-run.1").contains("\\-\\-param"),
        "{}",
        page("txbar.1")
    );
}

#[test]
fn what_is_gone_names_what_replaces_it() {
    let here = directory();
    refused(here.path(), &["prove", "--list"], contains("`txbar prove list` names the proofs"));
    refused(here.path(), &["advise"], contains("docs/frontier.md"));
    for old in [&["synth", "--seeds", "0"][..], &["run", "x.ptx", "--schedule-seed", "x"]] {
        refused(here.path(), old, contains("unexpected argument").not());
    }
}
