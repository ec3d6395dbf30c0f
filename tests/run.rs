//! `txbar run` as a user meets it.

use assert_cmd::Command;
use predicates::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Every thread adds its number to what it finds in `in`, and leaves it in `out` after a phase of a barrier.
const SOUND: &str = "\
.version 8.6
.target sm_90
.address_size 64
.visible .entry shift(.param .u32 more, .param .u64 in, .param .u64 out)
{
    .shared .align 8 .b64 bar;
    .shared .align 4 .b32 place[64];
    .reg .pred first, done;
    .reg .b32 i, n, v, a;
    .reg .b64 from, to, state;
    mov.u32 i, %tid.x;
    ld.param.u32 n, [more];
    ld.param.u64 from, [in];
    ld.param.u64 to, [out];
    setp.eq.u32 first, i, 0;
    @first mbarrier.init.shared.b64 [bar], 64;
    bar.sync 0;
    mad.wide.u32 from, i, 4, from;
    ld.global.u32 v, [from];
    add.u32 v, v, n;
    mov.u32 a, place;
    mad.lo.u32 a, i, 4, a;
    st.shared.u32 [a], v;
    mbarrier.arrive.shared.b64 state, [bar];
wait:
    mbarrier.try_wait.shared.b64 done, [bar], state;
    @!done bra wait;
    sub.u32 a, 63, i;
    mad.wide.u32 to, i, 4, to;
    mov.u32 v, place;
    mad.lo.u32 a, a, 4, v;
    ld.shared.u32 v, [a];
    st.global.u32 [to], v;
    ret;
}
";

struct Kernel {
    folder: TempDir,
    path: PathBuf,
}

impl Kernel {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("kernel.ptx");
        fs::write(&path, text).expect("it can be written");
        Self { folder, path }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, arguments: &[&str]) -> assert_cmd::assert::Assert {
        let mut command = Command::cargo_bin("txbar").expect("it is built");
        command.current_dir(self.folder.path()).arg("run").arg(&self.path).args(arguments).assert()
    }
}

/// Arguments of the sound kernel.
const LAUNCH: [&str; 8] = ["--block", "64", "--param", "u32:5", "--param", "in:u32:64:1,2", "--param", "out:u32:64"];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&LAUNCH, more].concat()
}

fn shown(name: &str, values: impl Iterator<Item = u32>) -> String {
    format!("{name}: {}\n", values.map(|value| format!("{value:08x}")).collect::<Vec<_>>().join(" "))
}

fn outputs() -> String {
    let input = |i: u32| if i < 2 { i + 1 } else { 0 };
    shown("out", (0..64).map(|i| input(63 - i) + 5))
}

#[test]
fn buffers_are_printed_in_hex_and_nothing_else() {
    let kernel = Kernel::new(SOUND);
    kernel
        .run(&with(&[]))
        .code(0)
        .stdout(outputs())
        .stderr(
            predicate::str::starts_with("shift: done: 64 threads")
                .and(predicate::str::contains("thread instructions a second")),
        )
        .stderr(predicate::str::contains("\nin: an input, as it was given (--inputs prints it)\n"));
    let numbers = shown("in", (0..64).map(|i| if i < 2 { i + 1 } else { 0 }));
    kernel
        .run(&with(&["--inputs"]))
        .code(0)
        .stdout(numbers + &outputs())
        .stderr(predicate::str::contains("an input").not());
    // an input that is written to is no secret
    let kernel = Kernel::new(&SOUND.replace("st.global.u32 [to], v;", "st.global.u32 [from], v;"));
    let told = predicate::str::contains("in: an input that the kernel has changed\n");
    kernel.run(&with(&[])).code(0).stdout(predicate::str::starts_with("in: 00000005 ")).stderr(told);
    let kernel = Kernel::new(SOUND);
    kernel.run(&with(&["--entry", "shift", "--grid", "1,1", "--cluster", "1"])).code(0).stdout(outputs());
}

#[test]
fn a_buffer_is_filled_from_a_file() {
    let kernel = Kernel::new(SOUND);
    let numbers = |many: u32| "0x10\n 17\t18".to_owned() + &" 0".repeat(many as usize - 3);
    fs::write(kernel.file("numbers"), numbers(64)).expect("it can be written");
    let arguments =
        ["--block", "64", "--param", "u32:0", "--param", "a:u32:64:@numbers", "--param", "b:u32:64", "--inputs"];
    let filled = || predicate::str::starts_with("a: 00000010 00000011 00000012 00000000");
    kernel.run(&arguments).code(0).stdout(filled());
    // what the file does not have is not given: that the kernel reads it is told
    fs::write(kernel.file("numbers"), numbers(3)).expect("it can be written");
    let told = predicate::str::contains("never-written").and(predicate::str::contains("`a+0xc`"));
    kernel.run(&arguments).code(2).stdout(filled()).stderr(told);
}

#[test]
fn figures_go_into_json_and_waves_into_vcd() {
    let kernel = Kernel::new(SOUND);
    kernel.run(&with(&["--json", "out.json", "--vcd", "out.vcd"])).code(0).stdout(outputs());
    let text = fs::read_to_string(kernel.file("out.json")).expect("it is written");
    let figures: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&figures["entry"], &figures["outcome"]), (&"shift".into(), &"done".into()));
    assert_eq!((&figures["threads"], &figures["phases"]), (&64.into(), &1.into()));
    assert_eq!((&figures["buffers"][0]["input"], &figures["buffers"][0]["changed"]), (&true.into(), &false.into()));
    assert_eq!((&figures["buffers"][1]["name"], &figures["buffers"][1]["changed"]), (&"out".into(), &true.into()));
    assert_eq!(figures["buffers"][1]["values"][63], "00000006");
    let cycles = figures["cycles"].as_u64().expect("a number");
    let waves = txbar_waves::read::WaveFile::open(&kernel.file("out.vcd")).expect("a wave file");
    assert!(waves.end() >= cycles, "{} of {cycles} cycles", waves.end());
}

#[test]
fn many_schedules_come_to_the_same() {
    let kernel = Kernel::new(SOUND);
    let same = "20 schedules: the same outputs\n".to_owned() + &outputs();
    kernel.run(&with(&["--runs", "20"])).code(0).stdout(same);
    let cycles = |seed: &str| {
        kernel.run(&with(&["--seed", seed, "--json", "out.json"])).code(0);
        let text = fs::read_to_string(kernel.file("out.json")).expect("it is written");
        let figures: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(figures["schedule_seed"].to_string(), seed);
        figures["cycles"].as_u64().expect("a number")
    };
    assert_eq!(cycles("3"), cycles("3"));
    assert_ne!(cycles("3"), cycles("4"));
}

#[test]
fn a_race_shows() {
    // without the wait, others may not have stored yet
    let kernel =
        Kernel::new(&SOUND.replace("    mbarrier.try_wait.shared.b64 done, [bar], state;\n    @!done bra wait;\n", ""));
    kernel
        .run(&with(&["--runs", "30"]))
        .code(2)
        .stdout(predicate::str::contains("this kernel has a race"))
        .stdout(predicate::str::contains("--seed"));
}

/// Each schedule leaves something else: 16 of them are shown whole, and the others are counted.
#[test]
fn many_outcomes_are_not_all_shown() {
    let kernel =
        Kernel::new(&SOUND.replace("    st.global.u32 [to], v;", "    mov.u32 v, %clock; st.global.u32 [to], v;"));
    let output =
        kernel.run(&with(&["--runs", "30", "--json", "out.json", "--junit", "out.xml"])).code(2).get_output().clone();
    let text = String::from_utf8(output.stdout).expect("it is text");
    let figures = fs::read_to_string(kernel.file("out.json")).expect("it is written");
    let figures: serde_json::Value = serde_json::from_str(&figures).expect("JSON");
    let outcomes = figures["schedules"]["outcomes"].as_array().expect("a list").len();
    assert!(outcomes > 16, "{outcomes} outcomes");
    assert_eq!(text.lines().filter(|line| line.starts_with("out: ")).count(), 16);
    assert_eq!(text.matches(" shows it)").count(), outcomes - 16);
    let junit = fs::read_to_string(kernel.file("out.xml")).expect("it is written");
    assert_eq!(junit.matches("<testcase").count(), 31);
}

#[test]
fn schedules_with_mistakes_are_no_schedules_that_went_well() {
    let again = "@first mbarrier.init.shared.b64 [bar], 64;";
    let kernel = Kernel::new(&SOUND.replace(again, &format!("{again} {again}")));
    kernel.run(&with(&["--runs", "3", "--json", "out.json"])).code(2);
    let text = fs::read_to_string(kernel.file("out.json")).expect("it is written");
    let figures: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let outcome = &figures["schedules"]["outcomes"][0];
    assert_eq!(
        (&figures["outcome"], &outcome["outcome"], &outcome["diagnoses"][0]),
        (&"fault".into(), &"fault".into(), &"reinit-without-inval".into())
    );
}

#[test]
fn a_hang_ends_with_a_table() {
    let kernel = Kernel::new(&SOUND.replace("[bar], 64", "[bar], 65"));
    kernel
        .run(&with(&["--json", "out.json"]))
        .code(3)
        .stdout(predicate::str::contains("hang"))
        .stdout(predicate::str::contains("threads 0-63, line 26"))
        .stdout(predicate::str::contains("`bar` (shared 0x0)"))
        .stdout(predicate::str::contains("1 of 65 arrivals missing"))
        .stdout(predicate::str::contains("init-count"));
    let text = fs::read_to_string(kernel.file("out.json")).expect("it is written");
    let figures: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&figures["outcome"], &figures["diagnoses"][0]), (&"hang".into(), &"init-count".into()));
    let row = &figures["hang"][0];
    assert_eq!(
        (&row["barrier"], &row["arrivals_missing"], &row["bytes_missing"]),
        (&"bar".into(), &1.into(), &0.into())
    );
    assert_eq!((&row["line"], &row["threads"][63]), (&26.into(), &63.into()));
}

#[test]
fn a_fault_names_line_status_and_word() {
    let kernel = Kernel::new(&SOUND.replace("state, [bar];", "state, [bar], 65;"));
    kernel
        .run(&with(&[]))
        .code(2)
        .stderr(predicate::str::contains("kernel.ptx:24:5]"))
        .stderr(predicate::str::contains("pending_underflow"))
        .stderr(predicate::str::contains("7ffe0000001fff80"));
}

#[test]
fn misuse_that_silicon_cannot_see_is_told_unless_it_is_not_to_be() {
    let kernel = Kernel::new(&SOUND.replace(
        "    bar.sync 0;\n",
        "    bar.sync 0;\n    @first mbarrier.init.shared.b64 [bar], 64;\n    bar.sync 0;\n",
    ));
    kernel.run(&with(&[])).code(2).stdout(outputs()).stderr(predicate::str::contains("reinit-without-inval"));
    kernel.run(&with(&["--unchecked"])).code(0).stdout(outputs());
}

#[test]
fn a_limit_of_cycles_stops_a_kernel_that_is_at_work() {
    let long = "again:\n    add.u32 i, i, 1;\n    setp.ne.u32 done, i, 0;\n    @done bra again;\nwait:\n";
    let kernel = Kernel::new(&SOUND.replace("wait:\n", long));
    kernel
        .run(&with(&["--max-cycles", "3000"]))
        .code(3)
        .stdout(predicate::str::contains("the limit of cycles is reached"));
}

#[test]
fn an_instruction_that_is_not_supported_matters_when_it_is_executed() {
    let unsupported = "    wmma.load.a.sync.aligned.row.m16n16k16.f16 {v}, [place];\n    ret;\n";
    let after = Kernel::new(&SOUND.replace("    ret;\n", &format!("    ret;\n{unsupported}")));
    after.run(&with(&[])).code(0).stdout(outputs());
    let line = SOUND.lines().position(|line| line == "    ret;").expect("it returns") + 1;
    let place = format!("kernel.ptx:{line}:5]");
    let before = Kernel::new(&SOUND.replace("    ret;\n", unsupported));
    before.run(&with(&[])).code(1).stderr(predicate::str::contains("wmma").and(predicate::str::contains(place)));
}

#[test]
fn bad_input_gets_one_error_and_code_1() {
    let kernel = Kernel::new(SOUND);
    let refused = |arguments: &[&str], what: &str| {
        let refused = kernel.run(arguments).code(1).stdout("");
        refused.stderr(predicate::str::contains(what).and(predicate::str::contains("panicked").not()));
    };
    refused(&["--param", "u32:5"], "takes 3 parameters");
    refused(&with(&["--entry", "shft"]), "did you mean `shift`");
    refused(&["--param", "u32:5", "--param", "u32:5", "--param", "o:u32:1"], "parameter 2 of `shift`");
    refused(&with(&["--block", "0"]), "cannot be used multiple times");
    refused(&["--block", "2000"], "from 1 to 1024");
    refused(&["--block", "x"], "is not a number");
    refused(&["--grid", "3", "--cluster", "2"], "cannot be divided");
    refused(&["--cluster", "9"], "from 1 to 8");
    refused(&["--param", "u32"], "TYPE:VALUE");
    refused(&["--param", "in:u32:4:@nowhere"], "cannot read nowhere");
    refused(&["--shared", "300000"], "too many");
    refused(&with(&["--runs", "0"]), "runs");
    refused(&with(&["--runs", "2", "--schedule", "round-robin"]), "leave out --schedule");
    refused(&with(&["--json", &kernel.path.display().to_string()]), "is a file that is read");
    refused(&["--ports", "7"], "ports = 7 cannot be built");
    refused(&with(&["--link-cycles", "3"]), "--link-cycles is for clusters of several CTAs");
    refused(&with(&["--unchecked", "--no-races"]), "leave out --no-races");
    refused(&with(&["--no-races", "--fence-reads"]), "--fence-reads is for a run that looks for races");
    Kernel::new("\u{0}\u{1}").run(&[]).code(1).stdout("").stderr(predicate::str::contains("kernel.ptx:1:1]"));
    Kernel::new(&SOUND.replace("bra wait", "bra waite"))
        .run(&LAUNCH)
        .code(1)
        .stdout("")
        .stderr(predicate::str::contains("did you mean `wait`"));
    let mut command = Command::cargo_bin("txbar").expect("it is built");
    command.args(["run", "nowhere.ptx"]).assert().code(1).stderr(predicate::str::contains("nowhere.ptx"));
}

#[test]
fn a_grid_says_which_cluster_it_was() {
    let kernel = Kernel::new(&SOUND.replace("[bar], 64", "[bar], 65"));
    kernel.run(&with(&["--grid", "3"])).code(3).stdout(predicate::str::contains("CTAs 0-2:\n"));
}

#[test]
fn a_misspelled_instruction_is_told_when_it_is_executed() {
    let kernel = Kernel::new(&SOUND.replace("mbarrier.arrive", "mbarier.arrive"));
    kernel.run(&with(&[])).code(1).stderr(predicate::str::contains("did you mean `mbarrier`"));
}

#[test]
fn several_entries_need_a_name() {
    let two = format!("{SOUND}.visible .entry other()\n{{\n    ret;\n}}\n");
    let kernel = Kernel::new(&two);
    kernel.run(&[]).code(1).stderr(predicate::str::contains("shift, other"));
    kernel.run(&["--entry", "other"]).code(0).stdout("");
}

#[test]
fn the_examples_run_as_their_files_say() {
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("ptx/kernels");
    for (folder, name) in [("cuda", "multicast"), ("listings", "listing_wait_4"), ("libcu", "libcu_barrier")] {
        let folder = kernels.join(folder);
        let read =
            |extension: &str| fs::read_to_string(folder.join(format!("{name}.{extension}"))).expect("it is there");
        let mut command = Command::cargo_bin("txbar").expect("it is built");
        command
            .current_dir(&folder)
            .args(["run", &format!("{name}.ptx"), "--inputs"])
            .args(read("run").split_whitespace());
        command.assert().code(0).stdout(read("expected"));
    }
}

#[test]
fn buffers_are_written_as_they_are_wanted_and_read_again() {
    let kernel = Kernel::new(SOUND);
    let hex: Vec<String> =
        (0..64).rev().map(|thread| [6, 7].get(thread).copied().unwrap_or(5)).map(|it| format!("{it:08x}")).collect();
    kernel.run(&LAUNCH).code(0).stdout(format!("out: {}\n", hex.join(" ")));
    let decimal = |text: String| text.replace("0000000", "");
    let file = kernel.file("out.txt");
    let dec = with(&["--format", "dec", "--json", "out.json"]);
    kernel.run(&dec).code(0).stdout(decimal(format!("out: {}\n", hex.join(" "))));
    let figures: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(kernel.file("out.json")).expect("there")).expect("JSON");
    assert_eq!(figures["buffers"][1]["values"][63], "6");
    for format in ["hex", "dec", "float"] {
        kernel.run(&with(&["--format", format, "--write", "out:@out.txt"])).code(0).stdout("");
        let written = fs::read_to_string(&file).expect("it is written");
        let again = ["--block", "64", "--param", "u32:0", "--param", "in:u32:64:@out.txt", "--param", "out:u32:64"];
        let turned: Vec<String> = hex.iter().rev().cloned().collect();
        kernel.run(&again).code(0).stdout(format!("out: {}\n", turned.join(" ")));
        assert_eq!(written.starts_with("0x"), format != "dec", "{written}");
    }
    // the bits of floats go through untouched
    let floats = ["--block", "64", "--param", "u32:0", "--param", "in:f32:64:1.5,-0.1,1e-40", "--param", "out:f32:64"];
    let shown = predicate::str::ends_with(" 1e-40 -0.1 1.5\n").and(predicate::str::starts_with("out: 0.0 "));
    kernel.run(&[&floats[..], &["--format", "float"]].concat()).code(0).stdout(shown);
    kernel
        .run(&[&floats[..], &["--write", "none:@x"]].concat())
        .code(1)
        .stderr("error: --write none: there is no such buffer; there are in, out\n");
    kernel
        .run(&[&floats[..], &["--write", "out"]].concat())
        .code(1)
        .stderr(predicate::str::contains("it is written NAME:@FILE"));
}

#[test]
fn parameters_that_cannot_be_meant_are_refused() {
    let kernel = Kernel::new(SOUND);
    let refused = |parameters: [&str; 3], what: &str| {
        let arguments = parameters.map(|parameter| ["--param", parameter]).concat();
        kernel.run(&arguments).code(1).stdout("").stderr(predicate::str::contains(what.to_owned()));
    };
    refused(["u32:5", "in:u32:64:1,,3", "out:u32:64"], "number 2 is missing");
    refused(["u32:5", "same:u32:64", "same:u32:64"], "there is another parameter or buffer `same`");
    refused(["u32:5", "in:u32:64:@/dev/zero", "out:u32:64"], "/dev/zero: it is a device, not a file");
    refused(["u32:5", "in:u8:1073741824", "out:u8:1073741824"], "buffers have 1073741824 bytes at most, all together");
}

/// 4 bytes a byte, and what the command takes without buffers.
#[cfg(target_os = "linux")]
#[test]
fn memory_is_bounded_by_the_buffers() {
    let kernel = Kernel::new(SOUND);
    let most = |megabytes: usize| -> u64 {
        let out = format!("out:u32:{}", megabytes << 18);
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("txbar"));
        command.arg("run").arg(&kernel.path).args([
            "--block",
            "64",
            "--param",
            "u32:5",
            "--param",
            "in:u32:64",
            "--param",
            &out,
        ]);
        let file = fs::File::create(kernel.file("printed")).expect("it can be written");
        let json = kernel.file("out.json");
        let mut child =
            command.arg("--json").arg(json).stdout(file).stderr(std::process::Stdio::null()).spawn().expect("it runs");
        let status = format!("/proc/{}/status", child.id());
        let mut peak = 0;
        // the peak stands in the file until the process has ended
        while child.try_wait().expect("it is ours").is_none() {
            let text = fs::read_to_string(&status).unwrap_or_default();
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0");
            peak = peak.max(line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) >> 10);
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        assert!(child.wait().expect("it ends").success());
        peak
    };
    let (without, with) = (most(1), most(16));
    assert!(with <= without + 4 * 16, "{with} MiB with 16 MiB of buffers, {without} MiB with 1");
    // nobody has filled `in`, so it is printed, too
    let line = |head: &str, numbers: u64| head.len() as u64 + 9 * numbers + 1;
    let printed = fs::metadata(kernel.file("printed")).expect("it is written").len();
    assert_eq!(printed, line("in:", 64) + line("out:", 16 << 18));
}

#[test]
fn a_sync_that_orders_nothing_is_listed() {
    let told = |text: &str| {
        let assert = Kernel::new(text).run(&with(&["--unneeded"])).code(0);
        String::from_utf8_lossy(&assert.get_output().stdout).into_owned()
    };
    let needed = told(SOUND);
    assert!(needed.contains("unneeded: 0 of 1 synchronisations"), "{needed}");
    let fenced = told(&SOUND.replace("    sub.u32 a, 63, i;\n", "    fence.acq_rel.cta;\n    sub.u32 a, 63, i;\n"));
    assert!(fenced.contains("unneeded: 1 of 2 synchronisations"), "{fenced}");
    assert!(fenced.contains("line 28: fence.acq_rel.cta, executed 64 times"), "{fenced}");
    let met = told(&SOUND.replace("    sub.u32 a, 63, i;\n", "    bar.warp.sync -1;\n    sub.u32 a, 63, i;\n"));
    assert!(met.contains("line 28: bar.warp.sync -1, executed 64 times"), "{met}");
}

#[test]
fn what_is_unneeded_in_a_broken_run_is_not_said() {
    let broken = Kernel::new(&SOUND.replace("    bar.sync 0;\n", ""));
    let told = predicate::str::contains("unneeded: only of a run that is sound");
    broken.run(&with(&["--unneeded"])).code(2).stderr(told);
}

#[test]
fn judges_of_races_say_what_their_page_shows() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/judges");
    Command::new("python3").args([script, "check"]).env("TXBAR", env!("CARGO_BIN_EXE_txbar")).assert().success();
}
