//! Pictures of what the headers of the blocks draw, from runs under the scoreboard. They are drawn anew and compared with those in
//! `gallery/blocks/`; `TXBAR_UPDATE_DOCS=1 cargo test -p txbar-waves --test gallery` puts new ones there.

mod clusters;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::BufWriter;
use std::ops::Range;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use txbar_rtl::op::{NO_LIMIT, Op};
use txbar_rtl::parameters::{Build, Parameters};
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::request::Request;
use txbar_testbench::run::{self, Observer, Script};
use txbar_testbench::traffic::Conditions;
use txbar_waves::format::Format;
use txbar_waves::picture::{self, Lane, Manner};
use txbar_waves::read::{WaveFile, WaveValue, value_at};
use txbar_waves::write::{CYCLE_NS, End, Shot, Waves};

/// Where the barrier is.
const BARRIER: u32 = 0x40;

fn request(op: Op, data: u64) -> Request {
    Request::new(op, BARRIER).with(data)
}

/// A wave file in a directory that goes with it.
struct Filmed {
    directory: TempDir,
}

impl Filmed {
    fn new() -> Self {
        Self { directory: tempfile::tempdir().expect("a temporary directory can be made") }
    }
    fn path(&self) -> PathBuf {
        self.directory.path().join("waves.fst")
    }
    fn output(&self) -> BufWriter<File> {
        BufWriter::new(File::create(self.path()).expect("it can be written"))
    }
    /// Draws it, and compares it with what is kept. Gives what is drawn, for its title to be compared with.
    fn draw(&self, name: &str, title: &str, lanes: &[Lane], cycles: Range<u64>, folded: bool) -> Drawn {
        let mut file = WaveFile::open(&self.path()).unwrap_or_else(|error| panic!("{error}"));
        let draw = if folded { picture::draw_folded } else { picture::draw };
        let svg = draw(&mut file, title, lanes, cycles.clone()).unwrap_or_else(|error| panic!("{name}: {error}"));
        compare(name, &svg);
        let drawn = Drawn { file, cycles, svg };
        for lane in lanes.iter().filter(|lane| lane.label.ends_with("status")) {
            let cut = drawn.lane(&lane.label).into_iter().any(|lane| lane.contains('…'));
            assert!(!cut, "{name}: a status of `{}` is cut off", lane.label);
        }
        drawn
    }
}

/// A picture, and the waves in it.
struct Drawn {
    file: WaveFile,
    cycles: Range<u64>,
    svg: String,
}

impl Drawn {
    /// What is drawn of a lane, in each line of the picture.
    fn lane(&self, label: &str) -> Vec<&str> {
        let lanes = self.svg.split("class=\"label\"").skip(1).filter_map(|lane| lane.split_once('>'));
        lanes
            .filter_map(|(_, lane)| lane.split_once("</text>"))
            .filter(|(name, _)| name.trim() == label)
            .map(|(_, lane)| lane)
            .collect()
    }

    /// The values in the bands of a lane, one after the other.
    fn values(&self, label: &str) -> Vec<String> {
        let bands = self.lane(label).into_iter().flat_map(|lane| lane.split("<title>").skip(1));
        bands.filter_map(|band| Some(band.split_once("</title>")?.0.trim().to_owned())).collect()
    }

    /// A signal in a cycle.
    fn at(&mut self, signal: &str, cycle: u64) -> u64 {
        let changes = self.file.changes(signal).unwrap_or_else(|error| panic!("{error}"));
        match value_at(&changes, cycle * CYCLE_NS) {
            Some(WaveValue::Bits { value, .. }) => *value,
            other => panic!("{signal} is {other:?} in cycle {cycle}"),
        }
    }

    /// The cycles in the picture in which some of these bits of a signal are set.
    fn when(&mut self, signal: &str, mask: u64) -> Vec<u64> {
        self.cycles.clone().filter(|cycle| self.at(signal, *cycle) & mask != 0).collect()
    }

    /// The cycles in the picture in which a port's request is accepted.
    fn accepted(&mut self, port: usize) -> Vec<u64> {
        let ready = self.when("unit.req_ready", 1 << port);
        self.when("unit.req_valid", 1 << port).into_iter().filter(|cycle| ready.contains(cycle)).collect()
    }
}

/// Compares a picture with the one that is kept.
fn compare(name: &str, drawn: &str) {
    let gallery = Path::new(env!("CARGO_MANIFEST_DIR")).join("gallery/blocks");
    let path = gallery.join(format!("{name}.svg"));
    if std::env::var_os("TXBAR_UPDATE_DOCS").is_some() {
        fs::create_dir_all(&gallery).expect("it can be made");
        fs::write(&path, drawn).expect("it can be written");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == drawn, "{name}: run TXBAR_UPDATE_DOCS=1 cargo test -p txbar-waves --test gallery");
}

struct Camera(Waves<BufWriter<File>>);

impl Observer<Rtl> for Camera {
    fn settled(&mut self, engine: &Rtl, cycle: u64) {
        self.0.sample(engine.unit(), cycle).expect("it can be written");
    }
}

/// Films a script on a unit.
fn unit(parameters: Parameters, script: Script, conditions: Conditions) -> Filmed {
    let filmed = Filmed::new();
    let mut engine = Rtl::new(parameters);
    let waves = Waves::with(Format::Fst, Shot::all(), filmed.output(), engine.unit(), &parameters);
    let mut camera = Camera(waves.expect("it can be written"));
    run::source(&mut engine, script, conditions, &mut camera).unwrap_or_else(|failure| panic!("{failure}"));
    camera.0.finish(End::Well).expect("it can be written");
    filmed
}

/// A small unit.
fn small(ports: usize, waiters: usize) -> Parameters {
    Parameters { ports, banks: 1, words: 16, waiters, counters: false, ..Parameters::default() }
}

/// Lanes of a unit alone.
fn lane(signal: &str) -> Lane {
    Lane::of(&format!("unit.{signal}"))
}

/// What a port asks, in the cycle in which it is accepted.
fn asks(port: usize) -> Lane {
    lane(&format!("req_op_{port}"))
        .called(&format!("port {port} asks"))
        .only_if("unit.req_valid", 1 << port)
        .only_if("unit.req_ready", 1 << port)
        .showing(Manner::Events)
}

/// A payload of a port's answers.
fn answers(port: usize, payload: &str) -> Lane {
    lane(&format!("rsp_{payload}_{port}"))
        .called(&format!("port {port}: {payload}"))
        .only_if("unit.rsp_valid", 1 << port)
        .showing(Manner::Events)
}

/// The fields of the word in c4, in cycles in which something is done to it.
fn word(fields: &[&str]) -> Vec<Lane> {
    let field = |field: &&str| {
        lane(&format!("bank_0.alu.word_fields.{field}")).called(field).only_if("unit.bank_0.done", u64::MAX)
    };
    fields.iter().map(field).collect()
}

#[test]
fn unit_pipeline() {
    let mut script = Script::new(1);
    script.push(0, 0, request(Op::Init, 3));
    for _ in 0..3 {
        script.push(0, 0, request(Op::Arrive, 1));
    }
    script.push(0, 0, request(Op::TestWaitParity, 0)).push(0, 0, request(Op::Arrive, 4));
    let mut lanes = vec![lane("clk"), lane("req_valid"), asks(0), lane("done_valid")];
    lanes.extend(word(&["phase", "pending", "expected"]));
    lanes.extend([lane("flip_valid"), lane("rsp_valid"), answers(0, "status"), answers(0, "predicate")]);
    let title = "unit: one operation a cycle on one word, each answered 5 cycles later; the last asks too much";
    let mut drawn = unit(small(1, 0), script, Conditions::CALM).draw("unit", title, &lanes, 0..11, false);
    let asked = drawn.accepted(0);
    assert_eq!(asked, (asked[0]..asked[0] + 6).collect::<Vec<_>>(), "one a cycle");
    assert_eq!(drawn.when("unit.rsp_valid", 1), asked.iter().map(|cycle| cycle + 5).collect::<Vec<_>>());
    let (mut statuses, last) = (vec!["ok"; 5], "pending_underflow");
    statuses.push(last);
    assert_eq!(drawn.values("port 0: status"), statuses);
}

#[test]
fn combine() {
    let mut script = Script::new(4);
    script.push(0, 0, request(Op::Init, 12));
    for port in 0..4 {
        // port 0 is through with init a cycle later
        script.push(port, if port == 0 { 6 } else { 7 }, request(Op::Arrive, 1 + port as u64));
    }
    let mut lanes = vec![lane("clk"), lane("req_valid"), lane("grant"), lane("bank_0.lead").called("lead")];
    lanes.extend((0..4).map(asks));
    lanes.extend([lane("joined"), lane("done_valid")]);
    lanes.extend(word(&["phase", "pending"]));
    lanes.push(lane("rsp_valid"));
    // pending is in bits 62:43 of a token
    lanes.extend((0..4).map(|port| answers(port, "data").called(&format!("port {port}: token"))));
    let title = "combine: four arrivals of one cycle become one update, each with its own token";
    let mut drawn = unit(small(4, 0), script, Conditions::CALM).draw("combine", title, &lanes, 6..13, false);
    let accepted: Vec<Vec<u64>> = (0..4).map(|port| drawn.accepted(port)).collect();
    assert!(accepted.iter().all(|cycles| cycles.len() == 1 && *cycles == accepted[0]), "in one cycle: {accepted:?}");
    let done = drawn.when("unit.done_valid", u64::MAX);
    assert_eq!(done.len(), 1, "one update");
    assert_eq!(drawn.at("unit.done_valid", done[0]), 0b1111, "for four");
    assert_eq!(drawn.values("pending"), ["2"], "12 less 1 + 2 + 3 + 4");
    let tokens: Vec<Vec<String>> = (0..4).map(|port| drawn.values(&format!("port {port}: token"))).collect();
    assert!(tokens.iter().all(|tokens| tokens.len() == 1), "{tokens:?}");
    assert_eq!(tokens.iter().collect::<BTreeSet<_>>().len(), 4, "each its own: {tokens:?}");
}

#[test]
fn replay() {
    let mut script = Script::new(3);
    script.push(0, 0, request(Op::Init, 2));
    for port in 0..3 {
        script.push(port, if port == 0 { 6 } else { 7 }, request(Op::Arrive, 1));
    }
    let bank = |signal: &str| lane(&format!("bank_0.{signal}")).called(signal);
    let mut lanes = vec![lane("clk"), asks(0), asks(1), asks(2), bank("splits"), bank("replay_0.turn").called("turn")];
    lanes.extend([lane("advance"), lane("done_valid")]);
    lanes.extend(word(&["phase", "pending"]));
    lanes.extend([lane("flip_valid"), lane("rsp_valid")]);
    let title = "replay: the second of three arrivals completes the phase, so they are done one by one";
    let mut drawn = unit(Parameters { whole_groups: false, ..small(3, 0) }, script, Conditions::CALM).draw(
        "replay",
        title,
        &lanes,
        6..17,
        false,
    );
    let accepted: Vec<Vec<u64>> = (0..3).map(|port| drawn.accepted(port)).collect();
    assert!(accepted.iter().all(|cycles| cycles.len() == 1 && *cycles == accepted[0]), "in one cycle: {accepted:?}");
    let done = drawn.when("unit.done_valid", u64::MAX);
    let members: Vec<u64> = done.iter().map(|cycle| drawn.at("unit.done_valid", *cycle)).collect();
    assert!(members.len() == 3 && members.iter().all(|members| members.count_ones() == 1), "one by one: {members:?}");
    assert_eq!(drawn.when("unit.flip_valid", 1), [done[1]], "the second completes the phase");
}

#[test]
fn waiters() {
    let mut script = Script::new(3);
    let wait = u64::from(NO_LIMIT) << 32;
    script.push(0, 0, request(Op::Init, 1)).push(0, 9, request(Op::Arrive, 1));
    script.push(1, 3, request(Op::TryWaitParity, wait)).push(2, 4, request(Op::TryWaitParity, wait));
    let table = |port: usize| lane(&format!("waiters_{port}.parked")).called(&format!("port {port}: parked"));
    let mut lanes = vec![lane("clk"), asks(0), asks(1), asks(2), lane("events.parked").decimal(), table(1), table(2)];
    lanes.extend(word(&["phase", "pending"]));
    lanes.extend([lane("flip_valid"), lane("wake_valid"), lane("rsp_valid")]);
    lanes.extend([answers(1, "predicate"), answers(2, "predicate")]);
    let title = "waiters: two waits are suspended; the last arrival wakes both, 5 cycles after it was accepted; answers 2 later";
    let mut drawn = unit(small(3, 6), script, Conditions::CALM).draw("waiters", title, &lanes, 0..19, false);
    assert!(drawn.values("events.parked").contains(&"2".to_owned()), "two waits are suspended");
    let arrival = drawn.accepted(0)[1];
    let woken = drawn.when("unit.wake_valid", u64::MAX);
    assert_eq!(
        (woken.clone(), drawn.at("unit.rsp_resumed", arrival + 7)),
        (vec![arrival + 5], 0b110),
        "both are woken"
    );
}

#[test]
fn crossbar_and_queue() {
    let mut script = Script::new(3);
    for port in 0..3 {
        for word in 0..3 {
            // words of one bank: they take turns
            let address = 0x40 + 8 * (3 * word + port) as u32;
            script.push(port as usize, 0, Request::new(Op::Load, address));
        }
    }
    let lanes = vec![
        lane("clk"),
        lane("req_valid"),
        lane("req_ready"),
        lane("bank_0.arbiter.request").called("arbiter: request"),
        lane("bank_0.arbiter.grant").called("arbiter: grant"),
        asks(0),
        asks(1),
        asks(2),
        lane("done_valid"),
        lane("rsp_valid"),
        lane("rsp_ready"),
        lane("queue_0.room").called("port 0: room"),
        lane("queue_1.room").called("port 1: room"),
    ];
    let title = "crossbar and queue: three ports want one bank and take turns; answers wait while a port is not ready";
    let conditions = Conditions { stall: 40, ..Conditions::CALM };
    let filmed = unit(Parameters { queue_depth: 2, ..small(3, 0) }, script, conditions);
    let mut drawn = filmed.draw("crossbar", title, &lanes, 0..20, false);
    let wanted = drawn.when("unit.bank_0.arbiter.request", u64::MAX);
    assert!(wanted.iter().any(|cycle| drawn.at("unit.bank_0.arbiter.request", *cycle) == 0b111), "three ports want it");
    let served: BTreeSet<u64> = wanted.iter().map(|cycle| drawn.at("unit.bank_0.arbiter.grant", *cycle)).collect();
    assert!([1, 2, 4].iter().all(|port| served.contains(port)), "they take turns: {served:?}");
    let waits = |drawn: &mut Drawn, cycle| drawn.at("unit.rsp_valid", cycle) & !drawn.at("unit.rsp_ready", cycle) != 0;
    assert!((0..20).any(|cycle| waits(&mut drawn, cycle)), "answers wait");
}

#[test]
fn fault() {
    let mut script = Script::new(2);
    script.push(0, 0, request(Op::Init, 2)).push(0, 0, request(Op::ExpectTx, 16));
    script.push(1, 3, request(Op::Arrive, 3)).push(1, 0, request(Op::CompleteTx, 1 << 20));
    script.push(1, 0, request(Op::BulkCompleteTx, (1 << 20) - 1)).push(
        1,
        0,
        request(Op::BulkCompleteTx, (1 << 20) - 1),
    );
    script.push(1, 0, request(Op::Arrive, 1));
    let mut lanes = vec![lane("clk"), asks(0), asks(1), lane("events.fault")];
    lanes.extend(word(&["pending", "tx", "fault"]));
    lanes.extend([answers(0, "status"), answers(1, "status")]);
    let title = "faults: what a request shows, what the word shows, and the sticky bit that a posted operation leaves";
    let drawn = unit(small(2, 0), script, Conditions::CALM).draw("fault", title, &lanes, 0..17, false);
    let statuses = drawn.values("port 1: status");
    assert_eq!(statuses, ["pending_underflow", "operand_range", "faulted_word"], "of the request, and of the word");
    assert!(!drawn.lane("fault").is_empty(), "the sticky bit is drawn");
}

#[test]
fn high_clock() {
    let parameters = Parameters { build: Build::HighClock, queue_depth: 32, words: 64, ..small(1, 0) };
    let mut script = Script::new(1);
    script.push(0, 0, request(Op::Init, 2)).push(0, 20, request(Op::Arrive, 1));
    // it faults; those behind it must be done anew
    script.push(0, 0, request(Op::Arrive, 5)).push(0, 0, request(Op::Arrive, 1)).push(0, 0, request(Op::ExpectTx, 8));
    let deep = |signal: &str| lane(&format!("deep_0.{signal}")).called(signal);
    let lanes = vec![
        lane("req_valid"),
        asks(0),
        deep("verdict.surprise").called("flush"),
        deep("verdict.again").called("again from").only_if("unit.deep_0.verdict.surprise", 1).decimal(),
        lane("done_valid"),
        lane("flip_valid"),
        lane("rsp_valid"),
        answers(0, "status"),
    ];
    let title = "high-clock build: 16 cycles of latency; a fault flushes the requests behind it, which are replayed";
    let mut drawn = unit(parameters, script, Conditions::CALM).draw("high_clock", title, &lanes, 18..60, true);
    assert_eq!(drawn.values("port 0: status"), ["ok", "pending_underflow", "ok", "ok"]);
    let flushes = drawn.when("unit.deep_0.verdict.surprise", 1).len();
    assert_eq!(flushes, 1, "one flush");
    assert_eq!(drawn.values("again from").len(), 1, "what is behind it is done anew");
    assert_eq!(drawn.when("unit.rsp_valid", 1)[0], drawn.accepted(0)[0] + 16, "16 cycles of latency");
}

#[test]
fn fabric() {
    let parameters = Parameters { build: Build::BankedHighClock, queue_depth: 32, words: 64, ..small(2, 4) };
    let mut script = Script::new(2);
    script.push(0, 0, request(Op::Init, 2)).push(1, 4, request(Op::TryWaitParity, u64::from(NO_LIMIT) << 32));
    // both in one cycle: the second completes the phase
    script.push(0, 8, request(Op::Arrive, 1)).push(1, 4, request(Op::Arrive, 1));
    let fabric = |signal: &str, name: &str| lane(&format!("fabric.{signal}")).called(name);
    let lanes = vec![
        asks(0),
        asks(1),
        fabric("gather_0.batches.turn", "whose turn"),
        fabric("gather_0.batches.rest", "others of the batch"),
        fabric("gather_0.valid", "to the pipeline"),
        lane("done_valid"),
        lane("done_port_0").called("of port").only_if("unit.done_valid", 1).decimal(),
        lane("flip_valid"),
        fabric("parking_0.table_0.parked", "parked"),
        lane("wake_valid"),
        answers(0, "status"),
        answers(1, "predicate"),
    ];
    let title = "two ports at a high clock: requests of one cycle are a batch; a wait is parked, and woken by the second arrival";
    let mut drawn = unit(parameters, script, Conditions::CALM).draw("fabric", title, &lanes, 0..24, true);
    let arrivals = [0, 1].map(|port| drawn.accepted(port)[1]);
    assert_eq!(arrivals[0], arrivals[1], "requests of one cycle");
    assert!(drawn.values("parked").iter().any(|parked| parked != "0"), "a wait is parked");
    let flips = drawn.when("unit.flip_valid", 1);
    assert_eq!(flips.len(), 1);
    assert_eq!(drawn.at("unit.done_port_0", flips[0]), 1, "the second arrival completes the phase");
    assert!(drawn.when("unit.wake_valid", u64::MAX).iter().all(|wake| *wake >= flips[0]), "and wakes the wait");
}
