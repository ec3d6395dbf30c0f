//! Waves as a user meets them: formats, triggers, files for viewers, pictures.

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::{contains, starts_with};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use tempfile::TempDir;
use txbar_rtl::op::Op;
use txbar_waves::picture;
use txbar_waves::read::{Changes, WaveFile, WaveValue, value_at};
use txbar_waves::write::CYCLE_NS;

fn txbar(directory: &Path, arguments: &[&str]) -> assert_cmd::assert::Assert {
    let mut command = Command::cargo_bin("txbar").expect("it has been built");
    command.current_dir(directory).args(arguments).assert()
}

fn directory() -> TempDir {
    tempfile::tempdir().expect("a temporary directory can be made")
}

fn read(directory: &Path, name: &str) -> String {
    fs::read_to_string(directory.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Names of the files in a directory, in order.
fn files(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("it is a directory");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

const SIM: [&str; 5] = ["sim", "--ops", "300", "--seed", "1"];

fn sim<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&SIM, more].concat()
}

#[test]
fn the_ending_chooses_the_format() {
    let here = directory();
    for name in ["run.vcd", "run.fst", "run.FST", "run"] {
        txbar(here.path(), &sim(&["--vcd", name]))
            .success()
            .stdout(contains(format!("waves             {name}, cycles 0 to ")));
        let begins = fs::read(here.path().join(name)).expect("it is there");
        assert_eq!(begins.starts_with(b"$version"), !name.to_lowercase().ends_with("fst"), "{name}");
        let file = WaveFile::open(&here.path().join(name)).unwrap_or_else(|error| panic!("{error}"));
        assert!(file.signals().len() > 1000, "{name}");
    }
}

#[test]
fn a_pipe_takes_vcd_and_refuses_fst() {
    let here = directory();
    let script = "\"$0\" sim --ops 20 --seed 1 --vcd /dev/stderr 2>&1 >/dev/null | head -1";
    let program = assert_cmd::cargo::cargo_bin("txbar");
    Command::new("sh").arg("-c").arg(script).arg(&program).assert().success().stdout(starts_with("$version"));
    assert!(
        std::process::Command::new("mkfifo").arg(here.path().join("p.fst")).status().expect("it is there").success()
    );
    let script = "cat p.fst >/dev/null & \"$0\" sim --ops 20 --seed 1 --vcd p.fst";
    let mut command = Command::new("sh");
    let assert = command.current_dir(here.path()).arg("-c").arg(script).arg(&program).assert();
    assert.code(1).stderr("error: cannot write p.fst: FST cannot be written to a pipe; VCD can\n");
}

#[test]
fn triggers_leave_what_they_are_for() {
    let here = directory();
    let cycles = |name: &str| {
        let mut file = WaveFile::open(&here.path().join(name)).unwrap_or_else(|error| panic!("{error}"));
        (file.begin() / 10, file.end() / 10)
    };
    txbar(here.path(), &sim(&["--vcd", "from.vcd", "--vcd-from", "100"]))
        .success()
        .stdout(contains("from.vcd, cycles 100 to "));
    assert_eq!(cycles("from.vcd").0, 100);
    for event in ["flip", "fault"] {
        let name = format!("{event}.fst");
        let options = ["--vcd", &name, "--vcd-around", event, "--vcd-window", "20"];
        txbar(here.path(), &sim(&options)).success().stdout(contains(format!("{name}, cycles ")));
        let (begin, end) = cycles(&name);
        assert!(end - begin <= 41, "{begin} to {end}");
    }
    // a sound run has no failure, and no file
    let none = "waves             none: what they should be around did not come\n";
    txbar(here.path(), &sim(&["--vcd", "failure.vcd", "--vcd-around", "failure"])).success().stdout(contains(none));
    assert!(!here.path().join("failure.vcd").exists());
    // one that ends before the first cycle has none either
    txbar(here.path(), &sim(&["--vcd", "whole.vcd"])).success();
    let last = cycles("whole.vcd").1 - 1;
    let early = format!("waves             none: the run ended before cycle 99999, in cycle {last}\n");
    for more in [&[][..], &["--vcd-around", "flip"]] {
        let late = sim(&[&["--vcd", "late.vcd", "--vcd-from", "99999"], more].concat());
        txbar(here.path(), &late).success().stdout(contains(&early));
    }
    let reached = ["--vcd", "late.vcd", "--vcd-from", &last.to_string()];
    txbar(here.path(), &sim(&reached)).success().stdout(contains(format!("late.vcd, cycles {last} to {last}\n")));
    fs::remove_file(here.path().join("late.vcd")).expect("it is there");
    fs::write(here.path().join("k.ptx"), HANGS.replace("[bar], 2;", "[bar], 1;")).expect("it can be written");
    let run = ["run", "k.ptx", "--block", "1", "--vcd", "late.vcd", "--vcd-from", "99999"];
    txbar(here.path(), &run)
        .success()
        .stderr(contains("waves             none: the run ended before cycle 99999, in cycle "));
    assert!(!here.path().join("late.vcd").exists());
    // one with a defect has; its last cycle is that in which the scoreboard saw it
    let injected =
        ["sim", "--seed", "1", "--inject-fault", "token-after", "--vcd", "failure.vcd", "--vcd-around", "failure"];
    txbar(here.path(), &injected)
        .code(2)
        .stdout(contains("waves             failure.vcd, cycles ").and(contains("FAILED")));
    let (begin, end) = cycles("failure.vcd");
    assert!(end - begin <= 501, "{begin} to {end}");
}

/// Many phases of a barrier, then one arrival of two, and a wait for the other.
const HANGS: &str = "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry k()
{
    .reg .b64 state;
    .reg .b32 i;
    .reg .pred p;
    .shared .align 8 .b64 often;
    .shared .align 8 .b64 bar;
    mbarrier.init.shared.b64 [often], 1;
    mbarrier.init.shared.b64 [bar], 2;
    mov.u32 i, 0;
again:
    mbarrier.arrive.shared.b64 state, [often];
ready:
    mbarrier.try_wait.shared.b64 p, [often], state;
    @!p bra ready;
    add.u32 i, i, 1;
    setp.lt.u32 p, i, 300;
    @p bra again;
    mbarrier.arrive.shared.b64 state, [bar];
wait:
    mbarrier.try_wait.shared.b64 p, [bar], state;
    @!p bra wait;
    ret;
}
";

/// A signal in a cycle.
fn at(file: &mut WaveFile, signal: &str, cycle: u64) -> u64 {
    let changes = file.changes(signal).unwrap_or_else(|error| panic!("{error}"));
    in_cycle(&changes, cycle)
}

/// What changes make of a signal in a cycle.
fn in_cycle(changes: &Changes, cycle: u64) -> u64 {
    if let Some(WaveValue::Bits { value, .. }) = value_at(changes, cycle * CYCLE_NS) { *value } else { 0 }
}

/// The cycles of a file in which the port for warps of a cluster's first CTA accepts an arrival.
fn arrivals(file: &mut WaveFile) -> Vec<u64> {
    let [valid, ready, op] = ["valid", "ready", "op"]
        .map(|pin| file.changes(&format!("cluster.warp_req_{pin}_0")).unwrap_or_else(|error| panic!("{error}")));
    let arrive = u64::from(Op::Arrive.code());
    let arrives = |cycle: &u64| [&valid, &ready, &op].map(|changes| in_cycle(changes, *cycle)) == [1, 1, arrive];
    (file.begin() / CYCLE_NS..=file.end() / CYCLE_NS).filter(arrives).collect()
}

#[test]
fn waves_around_a_hang_hold_what_came_before_it() {
    let here = directory();
    fs::write(here.path().join("k.ptx"), HANGS).expect("it can be written");
    let hang = |name: &str, more: &[&str]| {
        let run = ["run", "k.ptx", "--block", "1", "--vcd", name];
        txbar(here.path(), &[&run, more].concat())
            .code(3)
            .stderr(contains(format!("waves             {name}, cycles ")));
        WaveFile::open(&here.path().join(name)).unwrap_or_else(|error| panic!("{error}"))
    };
    let mut whole = hang("whole.fst", &[]);
    let all = arrivals(&mut whole);
    let last = *all.last().expect("it arrives");
    assert!(all.len() == 301 && last > 3000, "{last}");
    for (event, window) in
        [("hang", 10), ("hang", 50), ("hang", 500), ("hang", 5000), ("failure", 10), ("failure", 1000)]
    {
        let options = ["--vcd-around", event, "--vcd-window", &window.to_string(), "--views"];
        let mut file = hang("k.fst", &options);
        let (begin, end) = (file.begin() / CYCLE_NS, file.end() / CYCLE_NS);
        assert!(end - begin <= 2 * window + 1, "{event} {window}: {begin} to {end}");
        assert!(begin <= last && last < end, "{event} {window}: {begin} to {end}, the last arrival in {last}");
        assert_eq!(arrivals(&mut file).last(), Some(&last), "{event} {window}");
        let expected = all.iter().filter(|arrival| **arrival >= begin).count();
        assert!(
            arrivals(&mut file).len() >= expected.saturating_sub(1),
            "{event} {window}: those before are there, too"
        );
        // the window before it, as far as there is one
        assert!(begin <= (last + 10).saturating_sub(window), "{event} {window}: begins with {begin}, {last}");
    }
    assert!(read(here.path(), "k.fst.gtkw").contains("cluster.events.parked"));
    fs::write(here.path().join("done.ptx"), HANGS.replace("[bar], 2;", "[bar], 1;")).expect("it can be written");
    txbar(here.path(), &["run", "done.ptx", "--block", "1", "--vcd", "done.fst", "--vcd-around", "hang"]).code(0);
    assert!(!here.path().join("done.fst").exists(), "this one is done");
}

/// Labels of the lanes of a picture.
fn labels(picture: &str) -> Vec<String> {
    let labels = picture.split("class=\"label\"").skip(1).filter_map(|lane| lane.split_once('>')?.1.split_once('<'));
    labels.map(|(label, _)| label.trim().to_owned()).collect()
}

#[test]
fn a_picture_is_around_the_first_phase_with_its_barrier_and_no_data() {
    let here = directory();
    let kernel = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guide/neighbours.ptx").display().to_string();
    let run = ["run", &kernel, "--block", "64", "--param", "out:u32:64", "--vcd", "run.vcd"];
    txbar(here.path(), &run).code(0);
    txbar(here.path(), &["wave", "run.vcd", "--svg", "run.svg"]).code(0);
    let mut file = WaveFile::open(&here.path().join("run.vcd")).unwrap_or_else(|error| panic!("{error}"));
    let flip = picture::first_flip(&mut file).unwrap_or_else(|error| panic!("{error}")).expect("a phase completes");
    let drawn = read(here.path(), "run.svg");
    assert!(flip > 24 && drawn.contains(&format!("\n{flip}\n")), "cycle {flip} is in the picture");
    // 64 words of data are beside it
    let words: BTreeSet<String> = labels(&drawn)
        .iter()
        .filter(|label| label.contains("pending"))
        .map(|label| label.replace(" pending", ""))
        .collect();
    assert_eq!(words, BTreeSet::from(["0: barrier 0x0".to_owned()]), "{:?}", labels(&drawn));
    // the warps store and load as one, 16 words of 4 bytes in a step
    txbar(here.path(), &["wave", "run.vcd", "--svg", "all.svg", "--from", "0", "--cycles", "90"]).code(0);
    let all = read(here.path(), "all.svg");
    let shown = ["0: warps ask", "store", "load", "0: of lanes", "ffffffff", "0: answered lanes", "0: lanes of steps"];
    for text in shown.into_iter().chain(["ffff", "ffff0000"]) {
        assert!(all.contains(&format!("\n{text}\n")), "{text}");
    }
    // of random traffic, only words that have been initialised
    txbar(here.path(), &sim(&["--mix", "store=4,load=4,init=1,arrive=1", "--vcd", "mix.vcd"])).code(0);
    txbar(here.path(), &["wave", "mix.vcd", "--svg", "mix.svg", "--from", "0", "--cycles", "80"]).code(0);
    let mut file = WaveFile::open(&here.path().join("mix.vcd")).unwrap_or_else(|error| panic!("{error}"));
    let mut made = BTreeSet::new();
    for port in 0..4 {
        for cycle in 0..80 {
            let taken =
                at(&mut file, "unit.req_valid", cycle) & at(&mut file, "unit.req_ready", cycle) >> port & 1 != 0;
            if taken && at(&mut file, &format!("unit.req_op_{port}"), cycle) == u64::from(Op::Init.code()) {
                made.insert(format!("barrier {:#x}", at(&mut file, &format!("unit.req_address_{port}"), cycle) & !7));
            }
        }
    }
    let shown: BTreeSet<String> = labels(&read(here.path(), "mix.svg"))
        .iter()
        .filter_map(|label| Some(label.strip_suffix(" pending")?.to_owned()))
        .collect();
    assert!(!shown.is_empty() && shown.is_subset(&made), "{shown:?} of {made:?}");
}

#[test]
fn what_is_no_wave_file_or_not_all_of_one_is_told() {
    let here = directory();
    txbar(here.path(), &sim(&["--vcd", "run.vcd"])).success();
    txbar(here.path(), &sim(&["--vcd", "run.fst"])).success();
    let refused = |name: &str, error: &str| {
        txbar(here.path(), &["wave", name]).code(1).stdout("").stderr(format!("error: {name}: {error}\n"));
    };
    refused(".", "is a directory, not a wave file");
    fs::write(here.path().join("empty.vcd"), "").expect("it can be written");
    refused("empty.vcd", "is empty, not a wave file");
    fs::write(here.path().join("text.vcd"), "hello\n").expect("it can be written");
    refused("text.vcd", "is not a wave file: neither VCD nor FST");
    fs::write(here.path().join("zero.fst"), [0; 400]).expect("it can be written");
    refused("zero.fst", "is not a wave file: neither VCD nor FST");
    for name in ["run.vcd", "run.fst"] {
        let bytes = fs::read(here.path().join(name)).expect("it is there");
        for part in 1..40 {
            fs::write(here.path().join("cut"), &bytes[..bytes.len() * part / 40]).expect("it can be written");
            refused("cut", "is cut off: what wrote it has not finished it");
        }
        // an editor may take the last line end of a text; of the time before it nothing may be missing
        let missing = if name.ends_with("vcd") { 2 } else { 1 };
        fs::write(here.path().join("cut"), &bytes[..bytes.len() - missing]).expect("it can be written");
        refused("cut", "is cut off: what wrote it has not finished it");
    }
    let text = read(here.path(), "run.vcd");
    fs::write(here.path().join("whole.vcd"), text.trim_end()).expect("it can be written");
    let signals = txbar(here.path(), &["wave", "whole.vcd"]).success();
    txbar(here.path(), &["wave", "run.vcd"]).success().stdout(signals.get_output().stdout.clone());
    // of another simulator: any line that can be one
    let other = "$timescale 1ns $end\n$scope module top $end\n$var wire 1 ! clk $end\n$var wire 4 # bus $end\n$upscope $end\n\
        $enddefinitions $end\n#0\n0!\nb0101 #\n#5\n1!";
    for (end, is_whole) in
        [("", true), ("\n#10", true), ("\nb1 #", true), ("\nb1", false), ("\n#", false), ("\n1", false)]
    {
        fs::write(here.path().join("other.vcd"), format!("{other}{end}")).expect("it can be written");
        match is_whole {
            true => _ = txbar(here.path(), &["wave", "other.vcd"]).success().stdout("top.clk\ntop.bus\n"),
            false => refused("other.vcd", "is cut off: what wrote it has not finished it"),
        }
    }
}

/// Between two operations on it a barrier is what the last has left: its lanes have no gaps, and values the room that they stand for.
#[test]
fn a_barrier_is_held_in_the_picture() {
    let here = directory();
    txbar(here.path(), &[]).success();
    let picture = read(here.path(), "txbar-tour/one_phase.svg");
    let document = roxmltree::Document::parse(&picture).expect("it is XML");
    let mut lanes = 0;
    for label in document.descendants().filter(|node| node.attribute("class") == Some("label")) {
        let name = label.text().unwrap_or_default().trim();
        if !name.starts_with("barrier ") {
            continue;
        }
        lanes += 1;
        let group = label.next_sibling_element().expect("what the lane shows");
        // a line is the level of a bit, a group the band of a value; a thin line says that there is none
        let shown: Vec<_> = group.children().filter(|node| node.is_element()).collect();
        let idle = shown.iter().position(|node| node.attribute("class") == Some("grid"));
        assert!(
            idle.is_none_or(|place| place == 0 || shown[..place].iter().all(|node| node.tag_name().name() != "g")),
            "{name}"
        );
        assert!(shown.iter().filter(|node| node.attribute("class") == Some("grid")).count() <= 1, "{name} has gaps");
        assert!(shown.len() > 1, "{name} shows nothing");
    }
    assert_eq!(lanes, 5, "the fields of a word");
    assert!(picture.contains("req_op_0") && !picture.contains("ask_op"), "requests are called as the pins are");
}

#[test]
fn it_is_said_which_barriers_are_not_drawn() {
    let here = directory();
    txbar(here.path(), &sim(&["--vcd", "a.vcd"])).success();
    let wave = |options: &[&str]| {
        txbar(here.path(), &[&["wave", "a.vcd", "--svg", "a.svg", "--from", "0", "--cycles", "60"], options].concat())
    };
    let said = String::from_utf8(wave(&[]).success().get_output().stdout.clone()).expect("text");
    let line = said.lines().nth(1).unwrap_or_else(|| panic!("{said}"));
    let (drawn, others) =
        line.split_once(" barriers are drawn; others with --barriers ").unwrap_or_else(|| panic!("{said}"));
    let (drawn, all) = drawn.split_once(" of ").expect("of how many");
    let (drawn, all): (usize, usize) = (drawn.parse().expect("a number"), all.parse().expect("a number"));
    let others: Vec<&str> = others.split(',').filter(|other| *other != "...").collect();
    assert!(drawn == 2 && all > 2 && others.len() == (all - drawn).min(8), "{line}");
    let shown = |picture: &str| -> BTreeSet<String> {
        let labels = labels(picture);
        labels
            .iter()
            .filter_map(|label| Some(label.strip_prefix("barrier ")?.strip_suffix(" pending")?.to_owned()))
            .collect()
    };
    let picture = read(here.path(), "a.svg");
    assert_eq!(shown(&picture).len(), drawn);
    assert!(picture.contains(&format!("{drawn} of {all} barriers are drawn")), "the picture says so, too");
    // they can be chosen, and none is left out then
    let chosen = others[..others.len().min(3)].join(",");
    wave(&["--barriers", &chosen]).success();
    assert_eq!(shown(&read(here.path(), "a.svg")), chosen.split(',').map(str::to_owned).collect());
    wave(&["--barriers", "0x7770"])
        .code(1)
        .stderr(contains("there is no barrier at 0x7770 in these cycles: there are `0x"));
    wave(&["--barriers", "x"]).code(1).stderr(contains("an address is needed, such as 0x38"));
    wave(&["--barriers", "0", "--signals", "clk"]).code(1).stderr(contains("cannot be used with"));
    let cluster = ["sim", "--ctas", "3", "--cycles", "300", "--seed", "3", "--vcd", "c.fst"];
    txbar(here.path(), &cluster).success();
    txbar(here.path(), &["wave", "c.fst", "--svg", "c.svg", "--cycles", "100"])
        .success()
        .stdout(contains("CTAs 0 to 1 of 3 are drawn; signals of others with --signals\n"));
}

#[test]
fn views_are_for_the_run() {
    let here = directory();
    txbar(here.path(), &sim(&["--vcd", "out/run.vcd", "--views"]))
        .code(1)
        .stderr(starts_with("error: cannot write out/run.vcd"));
    fs::create_dir(here.path().join("out")).expect("it can be made");
    txbar(here.path(), &sim(&["--vcd", "out/run.vcd", "--views"])).success();
    let out = here.path().join("out");
    assert_eq!(files(&out), [".surfer", "run.vcd", "run.vcd.gtkw", "run.vcd.sucl", "txbar_op.txt", "txbar_status.txt"]);
    assert_eq!(files(&out.join(".surfer/mappings")), ["txbar_op", "txbar_status"]);
    let (gtkw, sucl) = (read(&out, "run.vcd.gtkw"), read(&out, "run.vcd.sucl"));
    let file = WaveFile::open(&out.join("run.vcd")).unwrap_or_else(|error| panic!("{error}"));
    let signals = file.signals();
    // every signal that a view names is there
    let named =
        gtkw.lines().filter(|line| line.starts_with("unit.")).map(|line| line.split('[').next().unwrap_or(line));
    let added = sucl.lines().filter_map(|line| line.strip_prefix("variable_add "));
    for views in [named.collect::<Vec<_>>(), added.collect()] {
        assert!(views.len() > 50, "{views:?}");
        for name in views {
            assert!(signals.iter().any(|signal| signal == name), "{name}");
        }
    }
    for text in [
        "[dumpfile] \"run.vcd\"\n",
        "@2022\n^1 txbar_op.txt\nunit.req_op_0[4:0]\n",
        "\n@420\nunit.bank_0.alu.word_fields.tx[21:0]\n",
    ] {
        assert!(gtkw.contains(text), "{text}");
    }
    for text in ["load_file run.vcd\n", "variable_add unit.req_op_0\nitem_set_format txbar_op\n", "\nmarker_set fault "]
    {
        assert!(sucl.contains(text), "{text}");
    }
    assert!(read(&out, "txbar_op.txt").contains("0f try_wait_parity\n"));
    assert!(read(&out, "txbar_status.txt").starts_with("00 ok\n01 ?red?operand_range\n"));
    let mapping = read(&out, ".surfer/mappings/txbar_status");
    assert!(mapping.starts_with("Name = txbar_status\nBits = 5\n0 ok\n1[error] operand_range\n"), "{mapping}");
    // what does nothing is not in a view: this unit has no second port
    txbar(here.path(), &sim(&["--ports", "1", "--waiters", "0", "--vcd", "one.vcd", "--views"])).success();
    let one = read(here.path(), "one.vcd.gtkw");
    assert!(one.contains("req_op_0") && !one.contains("req_op_1") && !one.contains("waiters"));
    // an FST file of the same name has views of its own
    txbar(here.path(), &sim(&["--ports", "1", "--waiters", "0", "--vcd", "one.fst", "--views"])).success();
    assert_eq!(read(here.path(), "one.vcd.gtkw"), one);
    assert!(read(here.path(), "one.fst.gtkw").contains("[dumpfile] \"one.fst\"\n"));
}

#[test]
fn a_scenario_has_a_view_of_its_own() {
    let here = directory();
    let view = |name: &str| {
        txbar(here.path(), &["sim", "--scenario", name, "--seed", "1", "--vcd", "s.fst", "--views"]).success();
        read(here.path(), "s.fst.sucl")
    };
    let (ring, multistage) = (view("ring"), view("multistage"));
    assert!(ring.contains("variable_add cluster.bulk_bytes_0\n") && !multistage.contains("cluster.bulk_bytes_0"));
    assert!(multistage.contains("variable_add cluster.async_kind_0\n") && !ring.contains("cluster.async_kind_0"));
}

#[test]
fn a_cluster_has_an_overview() {
    let here = directory();
    let cluster = ["sim", "--ctas", "2", "--cycles", "400", "--seed", "3", "--vcd", "c.fst", "--vcd-from", "50"];
    txbar(here.path(), &cluster).success();
    txbar(here.path(), &["wave", "c.fst", "--svg", "c.svg", "--from", "50", "--cycles", "100"]).success();
    let picture = read(here.path(), "c.svg");
    for text in ["0: port 0 asks", "1: port 0 asks", "0: barrier 0x", "0: flip_valid", "0: requests come", "\n50\n"] {
        assert!(picture.contains(text), "{text}");
    }
    txbar(here.path(), &["wave", "c.fst", "--svg", "f.svg", "--fold", "--cycles", "300"]).success();
    assert!(read(here.path(), "f.svg").contains("prefers-color-scheme"));
    let early = ["wave", "c.fst", "--svg", "e.svg", "--from", "10"];
    txbar(here.path(), &early).code(1).stderr("error: --from 10: the waves begin with cycle 50\n");
}

#[test]
fn the_end_of_a_name_is_enough_where_it_tells_signals_apart() {
    let here = directory();
    txbar(here.path(), &sim(&["--vcd", "a.vcd"])).success();
    let wave =
        |signals: &str, picture: &str| txbar(here.path(), &["wave", "a.vcd", "--svg", picture, "--signals", signals]);
    wave("bank_2.alu.word", "end.svg").success();
    wave("unit.bank_2.alu.word", "full.svg").success();
    assert_eq!(read(here.path(), "end.svg"), read(here.path(), "full.svg"));
    assert!(read(here.path(), "end.svg").contains("bank_2.alu.word"));
    wave("alu.word", "many.svg").code(1).stderr(
        "error: `alu.word` may be `unit.bank_0.alu.word`, `unit.bank_1.alu.word`, `unit.bank_2.alu.word` or 5 others: give more \
         of its name\n",
    );
    for part in ["lu.word", "", "."] {
        wave(&format!("clk,{part}"), "none.svg").code(1).stderr(contains(format!("there is no signal `{part}`")));
    }
    assert!(!here.path().join("many.svg").exists() && !here.path().join("none.svg").exists());
}

#[test]
fn what_makes_no_sense_is_refused() {
    let here = directory();
    for options in [&["--views"][..], &["--vcd-from", "3"], &["--vcd-around", "flip"]] {
        txbar(here.path(), &sim(options)).code(1).stderr(contains("needs --vcd"));
    }
    txbar(here.path(), &sim(&["--vcd", "a.vcd", "--vcd-window", "5"])).code(1).stderr(contains("needs --vcd-around"));
    txbar(here.path(), &sim(&["--vcd", "a.vcd", "--vcd-around", "nothing"]))
        .code(1)
        .stderr(contains("fault, flip, hang, failure"));
    assert_eq!(files(here.path()), [] as [&str; 0]);
}
