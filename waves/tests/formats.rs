//! VCD and FST hold the same, are what GTKWave's own tools accept, and hold little in memory; triggers choose the cycles.

use std::fs::{self, File};
use std::io::{BufWriter, Cursor};
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;
use txbar_rtl::cluster::Cluster;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::hdl::Part;
use txbar_rtl::op::Op;
use txbar_rtl::parameters::{Build, Design, Parameters};
use txbar_testbench::cluster::rig::Rig;
use txbar_testbench::cluster::scenarios::Scenario;
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::request::Request;
use txbar_testbench::run::{self, Observer, Script};
use txbar_testbench::test_env;
use txbar_testbench::traffic::{Conditions, Plan};
use txbar_waves::format::Format;
use txbar_waves::read::{WaveFile, WaveValue};
use txbar_waves::write::{CYCLE_NS, End, Shot, Trigger, Waves, Written};

/// Several files of one run.
struct Cameras(Vec<Waves<BufWriter<File>>>);

impl Cameras {
    fn new(files: &[(&Path, Shot)], design: &impl Part, parameters: &dyn Design) -> Self {
        let open = |(path, shot): &(&Path, Shot)| {
            let output = BufWriter::new(File::create(path).expect("it can be written"));
            Waves::with(Format::of(path), *shot, output, design, parameters).expect("it can be written")
        };
        Self(files.iter().map(open).collect())
    }
    fn sample(&mut self, design: &impl Part, cycle: u64) {
        for waves in &mut self.0 {
            waves.sample(design, cycle).expect("it can be written");
        }
    }
    fn finish(self, end: End) -> Vec<Written> {
        self.0.into_iter().map(|waves| waves.finish(end).expect("it can be written")).collect()
    }
}

impl Observer<Rtl> for Cameras {
    fn settled(&mut self, engine: &Rtl, cycle: u64) {
        self.sample(engine.unit(), cycle);
    }
}

fn directory() -> TempDir {
    tempfile::tempdir().expect("a temporary directory can be made")
}

fn open(path: &Path) -> WaveFile {
    WaveFile::open(path).unwrap_or_else(|error| panic!("{error}"))
}

fn small() -> Parameters {
    Parameters { ports: 2, banks: 1, words: 16, waiters: 4, ..Parameters::default() }
}

fn seed() -> u64 {
    test_env::seed_or(|| 11)
}

/// The same random traffic in these files.
fn traffic(files: &[(&Path, Shot)], operations: u64) -> Vec<Written> {
    let mut engine = Rtl::new(small());
    let mut cameras = Cameras::new(files, engine.unit(), &small());
    run::plan(&mut engine, &Plan::new(seed(), operations), &mut cameras).unwrap_or_else(|failure| panic!("{failure}"));
    cameras.finish(End::Well)
}

/// Asserts that two files hold the same signals with the same changes.
fn assert_same(one: &Path, other: &Path) {
    assert_same_but(one, other, |_| false);
}

/// The same but for signals that are excepted.
fn assert_same_but(one: &Path, other: &Path, excepted: impl Fn(&str) -> bool) {
    let (mut one, mut other) = (open(one), open(other));
    let signals = one.signals();
    assert_eq!(signals, other.signals());
    for file in [&mut one, &mut other] {
        file.load(signals.iter().map(String::as_str)).unwrap_or_else(|error| panic!("{error}"));
    }
    assert!(signals.len() > 300, "{}", signals.len());
    assert_eq!(one.end(), other.end());
    for signal in signals.into_iter().filter(|signal| !excepted(signal)) {
        let [changes, others] = [&mut one, &mut other].map(|file| {
            let mut changes = file.changes(&signal).unwrap_or_else(|error| panic!("{error}"));
            changes.dedup_by(|later, earlier| later.1 == earlier.1);
            changes.retain(|(_, value)| *value != WaveValue::Unknown); // before the first cycle
            changes
        });
        assert!(!changes.is_empty(), "{signal}");
        assert_eq!(changes, others, "{signal}");
    }
}

#[test]
fn both_formats_hold_the_same() {
    let here = directory();
    let [vcd, fst] = ["run.vcd", "run.fst"].map(|name| here.path().join(name));
    let written = traffic(&[(&vcd, Shot::all()), (&fst, Shot::all())], 2000);
    assert_eq!((&written[0].cycles, &written[0].first), (&written[1].cycles, &written[1].first));
    assert_same(&vcd, &fst);
    let sizes = [&vcd, &fst].map(|path| fs::metadata(path).expect("it is there").len());
    assert!(sizes[1] * 4 < sizes[0], "{sizes:?}");
}

/// GTKWave's converters read both, and what comes out says the same.
#[test]
fn gtkwave_accepts_both_formats() {
    let here = directory();
    let [vcd, fst, through, back] =
        ["run.vcd", "run.fst", "through.fst", "back.vcd"].map(|name| here.path().join(name));
    traffic(&[(&vcd, Shot::all()), (&fst, Shot { from: 20, ..Shot::all() })], 200);
    let convert = |program: &str, from: &Path, to: &Path| {
        let output = Command::new(program).arg(from).arg(to).output();
        let output = output.unwrap_or_else(|error| panic!("{program}, of the package gtkwave: {error}"));
        assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    };
    convert("vcd2fst", &vcd, &through);
    assert_same(&vcd, &through);
    let vcd = &back;
    let output = Command::new("fst2vcd").arg("-f").arg(&fst).arg("-o").arg(vcd).output().expect("it came with vcd2fst");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_same(&fst, vcd);
}

#[test]
fn a_scenario_on_a_cluster_is_the_same_in_both_formats() {
    let here = directory();
    let [vcd, fst] = ["run.vcd", "run.fst"].map(|name| here.path().join(name));
    let scenario = Scenario::Multicast;
    let parameters = scenario.parameters();
    let mut rig = Rig::new(parameters, scenario.threads(&parameters, 3), Scenario::environment(3));
    let flip = Shot { from: 60, around: Some(Trigger::Flip), window: 30, ..Shot::all() };
    let mut cameras = Cameras::new(&[(&vcd, flip), (&fst, flip)], &rig.cluster, &parameters);
    rig.run(&mut |_, _| {}, |cluster, cycle| cameras.sample(cluster, cycle))
        .unwrap_or_else(|failure| panic!("{failure}"));
    let written = cameras.finish(End::Well);
    let cycles = written[0].cycles.clone().expect("a phase completes");
    assert_eq!((cycles.start + 30, cycles.end - cycles.start), (written[0].first[0].expect("it is a flip"), 61));
    assert_same(&vcd, &fst);
}

/// The cycles of a file, and in which of them a signal is not zero.
fn cycles_of(path: &Path, signal: &str) -> (u64, u64, Vec<u64>) {
    let mut file = open(path);
    let clock = file.changes("unit.clk").unwrap_or_else(|error| panic!("{error}"));
    let known = |(_, value): &&(u64, WaveValue)| matches!(value, WaveValue::Bits { .. });
    let begin = clock.iter().find(known).expect("there is a cycle").0 / CYCLE_NS;
    let changes = file.changes(signal).unwrap_or_else(|error| panic!("{error}"));
    let is_set = |value: &WaveValue| matches!(value, WaveValue::Bits { value, .. } if *value != 0);
    let set = changes.iter().filter(|(_, value)| is_set(value)).map(|(time, _)| time / CYCLE_NS).collect();
    (begin, file.end() / CYCLE_NS, set)
}

/// Two phases of a barrier, some time apart, then an arrival that faults; the last flip in cycle 64 and the fault in cycle 105.
fn script() -> Script {
    let mut script = Script::new(2);
    let request = |op, data| Request::new(op, 8).with(data);
    script.push(0, 0, request(Op::Init, 1)).push(0, 20, request(Op::Arrive, 1)).push(0, 30, request(Op::Arrive, 1));
    script.push(0, 40, request(Op::Arrive, 5)).push(0, 50, request(Op::Load, 0));
    script
}

#[test]
fn triggers_choose_the_cycles() {
    let here = directory();
    let path = |name: &str| here.path().join(name);
    let around = |from, trigger, window| Shot { from, around: Some(trigger), window, ..Shot::all() };
    let shots = [
        ("all.vcd", Shot::all()),
        ("from.fst", Shot { from: 40, ..Shot::all() }),
        ("flip.vcd", around(0, Trigger::Flip, 5)),
        ("later.vcd", around(40, Trigger::Flip, 3)),
        ("fault.fst", around(0, Trigger::Fault, 7)),
        ("hang.vcd", around(0, Trigger::Hang, 60)),
        ("failure.fst", around(0, Trigger::Failure, 60)),
    ];
    let play = |end: End| {
        let files = shots.map(|(name, shot)| (path(name), shot));
        let files: Vec<(&Path, Shot)> = files.iter().map(|(path, shot)| (path.as_path(), *shot)).collect();
        let mut engine = Rtl::new(small());
        let mut cameras = Cameras::new(&files, engine.unit(), &small());
        run::source(&mut engine, script(), Conditions::CALM, &mut cameras)
            .unwrap_or_else(|failure| panic!("{failure}"));
        cameras.finish(end).into_iter().map(|written| written.cycles).collect::<Vec<_>>()
    };
    let cycles = play(End::Hung);
    let (begin, end, flips) = cycles_of(&path("all.vcd"), "unit.events.flip");
    let (_, _, faults) = cycles_of(&path("all.vcd"), "unit.events.fault");
    assert_eq!((begin, flips.len(), faults.len()), (0, 2, 1), "{flips:?} {faults:?}");
    let expected =
        [0..end, 40..end, flips[0] - 5..flips[0] + 6, flips[1] - 3..flips[1] + 4, faults[0] - 7..faults[0] + 8];
    for (((name, _), cycles), expected) in shots.iter().zip(&cycles).zip(expected) {
        assert_eq!(cycles.as_ref(), Some(&expected), "{name}");
        let (begin, end, _) = cycles_of(&path(name), "unit.clk");
        assert_eq!(begin..end, expected, "{name}");
    }
    // the whole of a word stands at the beginning of each
    for name in ["flip.vcd", "fault.fst", "hang.vcd"] {
        let mut file = open(&path(name));
        let (begin, _, _) = cycles_of(&path(name), "unit.clk");
        let changes = file.changes("unit.bank_0.alu.word_fields.expected").expect("it is there");
        let first = changes.iter().find(|(time, _)| *time == begin * CYCLE_NS).expect("it is known from the beginning");
        assert!(matches!(first.1, WaveValue::Bits { .. }), "{name}");
    }
    // those of a run that ended badly are the last in which something happened, and the ring's length of silence
    assert_eq!(cycles[5], cycles[6]);
    // around the last write, and as much of the silence behind it as there is
    let hung = cycles[5].clone().expect("it is written");
    assert!(hung.end == end && (62..=121).contains(&(hung.end - hung.start)), "{hung:?} of {end}");
    assert_eq!(play(End::Failed)[5..], [None, Some(end - 61..end)]);
    assert_eq!(play(End::Well)[5..], [None, None]);
}

/// A design that does nothing for a long time: the ring holds what came before.
#[test]
fn silence_does_not_push_out_what_came_before_a_hang() {
    let mut script = Script::new(2);
    script.push(0, 0, Request::new(Op::Init, 8).with(1)).push(0, 900, Request::new(Op::Store, 16));
    let mut engine = Rtl::new(small());
    let shot = Shot { from: 0, around: Some(Trigger::Hang), window: 20, ..Shot::all() };
    let here = directory();
    let path = here.path().join("hang.vcd");
    let mut cameras = Cameras::new(&[(&path, shot)], engine.unit(), &small());
    struct Until<'a>(&'a mut Cameras, u64);
    impl Observer<Rtl> for Until<'_> {
        fn settled(&mut self, engine: &Rtl, cycle: u64) {
            if cycle < self.1 {
                self.0.sample(engine.unit(), cycle);
            }
        }
    }
    run::source(&mut engine, script.clone(), Conditions::CALM, &mut Until(&mut cameras, 800))
        .unwrap_or_else(|failure| panic!("{failure}"));
    let written = cameras.finish(End::Hung);
    // init is written in cycle 4
    assert_eq!(written[0].cycles, Some(0..25));
    // when something happens after a silence, what led to it is there
    let mut engine = Rtl::new(small());
    let mut cameras = Cameras::new(&[(&path, shot)], engine.unit(), &small());
    run::source(&mut engine, script, Conditions::CALM, &mut cameras).unwrap_or_else(|failure| panic!("{failure}"));
    cameras.finish(End::Hung);
    let mut file = open(&path);
    let asked = file.changes("unit.req_valid").expect("it is there");
    assert!(asked.iter().any(|(_, value)| matches!(value, WaveValue::Bits { value: 1, .. })), "{asked:?}");
}

/// A signal that is another name of a wire has the same changes as if it were written by itself: in every cycle of random runs.
#[test]
fn names_of_a_wire_say_the_same() {
    let here = directory();
    let [shared, apart, shared_fst] = ["shared.vcd", "apart.vcd", "shared.fst"].map(|name| here.path().join(name));
    let files = [(&*shared, Shot::all()), (&*apart, Shot { apart: true, ..Shot::all() }), (&*shared_fst, Shot::all())];
    let seed = seed();
    let plain = Parameters { ports: 1, banks: 1, waiters: 0, counters: false, words: 16, ..Parameters::default() };
    let units = [
        small(),
        Parameters { ports: 3, banks: 4, words: 32, waiters: 4, checked: true, ..Parameters::default() },
        plain,
        Parameters { build: Build::HighClock, queue_depth: 32, ..plain },
    ];
    let compare = |excepted: fn(&str) -> bool| {
        assert_same_but(&shared, &apart, excepted);
        assert_same(&shared, &shared_fst);
        let [shared, apart] = [&shared, &apart].map(|path| fs::metadata(path).expect("it is there").len());
        assert!(shared * 10 < apart * 9, "sharing saves too little: {shared} of {apart} bytes");
    };
    for parameters in units {
        let mut engine = Rtl::new(parameters);
        let mut cameras = Cameras::new(&files, engine.unit(), &parameters);
        run::plan(&mut engine, &Plan::new(seed, 500), &mut cameras).unwrap_or_else(|failure| panic!("{failure}"));
        let written = cameras.finish(End::Well);
        assert_eq!(written[0].changed, written[1].changed, "which signals have changed");
        assert_eq!(written[0].first, written[1].first);
        compare(|_| false);
    }
    let unit = Parameters { ports: 2, banks: 2, words: 64, waiters: 4, ..Parameters::default() };
    let parameters = ClusterParameters { unit, ctas: 2, ..ClusterParameters::default() };
    let plan = txbar_testbench::cluster::traffic::Plan { parameters, seed, cycles: 200, stall: 10, rush: false };
    let mut cameras = Cameras::new(&files, &Cluster::new(&parameters), &parameters);
    let report = plan.run(&mut |_, _| {}, |cluster, cycle| cameras.sample(cluster, cycle));
    assert!(report.is_ok());
    cameras.finish(End::Well);
    // a queue of a cluster that is empty does not look: its address is old, but as the wire that it is it follows `head`
    compare(|signal| signal.contains(".store_") && signal.ends_with(".read_address"));
}

/// What is held in memory does not grow with the run, though the files do.
#[test]
fn little_is_held() {
    let here = directory();
    let [vcd, fst, ring] = ["run.vcd", "run.fst", "ring.vcd"].map(|name| here.path().join(name));
    let last = Shot { from: 0, around: Some(Trigger::Hang), window: 100, ..Shot::all() };
    let run = |operations| traffic(&[(&vcd, Shot::all()), (&fst, Shot::all()), (&ring, last)], operations);
    let written = run(40_000);
    let bytes = fs::metadata(&vcd).expect("it is there").len() as usize;
    assert!(bytes > 20 << 20, "{bytes}: this is too short to show anything");
    let held: Vec<usize> = written.iter().map(|written| written.held).collect();
    println!("VCD of {bytes} bytes; held: {held:?}");
    assert!(held[0] < 1 << 20, "VCD: {}", held[0]);
    assert!(held[1] < 9 << 20, "FST: {}", held[1]);
    assert!(held[2] < 2 << 20, "ring: {}", held[2]);
}

#[test]
fn a_full_disk_is_told() {
    let engine = Rtl::new(small());
    let mut memory = [0; 100_000];
    let mut waves = Waves::new(Cursor::new(&mut memory[..]), engine.unit(), &small()).expect("the header fits");
    let result = (0..).try_for_each(|cycle| waves.sample(engine.unit(), cycle));
    assert_eq!(result.expect_err("it does not fit").kind(), std::io::ErrorKind::WriteZero);
}
