//! Pictures of what the headers of the blocks draw, from runs under the scoreboard. They are drawn anew and compared with those in
//! `gallery/blocks/`; `TXBAR_UPDATE_DOCS=1 cargo test -p txbar-waves --test gallery` puts new ones there.

use std::fs::{self, File};
use std::io::BufWriter;
use std::ops::Range;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use txbar_rtl::cluster::Cluster;
use txbar_rtl::cluster::parameters::{ClusterParameters, mapa};
use txbar_rtl::op::{NO_LIMIT, Op};
use txbar_rtl::parameters::{Build, Parameters};
use txbar_rtl::status::Status;
use txbar_testbench::cluster::rig::{Rig, Weather};
use txbar_testbench::cluster::thread::{Async, Bulk, Program, Step, Thread};
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::request::Request;
use txbar_testbench::run::{self, Observer, Script};
use txbar_testbench::traffic::Conditions;
use txbar_waves::cluster::{Names, View};
use txbar_waves::format::Format;
use txbar_waves::picture::{self, Lane, Manner};
use txbar_waves::read::WaveFile;
use txbar_waves::write::{End, Shot, Waves};

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
    fn draw(&self, name: &str, title: &str, lanes: &[Lane], cycles: Range<u64>, folded: bool) {
        let mut file = WaveFile::open(&self.path()).unwrap_or_else(|error| panic!("{error}"));
        let draw = if folded { picture::draw_folded } else { picture::draw };
        let drawn = draw(&mut file, title, lanes, cycles).unwrap_or_else(|error| panic!("{name}: {error}"));
        compare(name, &drawn);
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

/// Films threads on a cluster.
fn cluster(parameters: ClusterParameters, threads: Vec<Thread>) -> Filmed {
    let filmed = Filmed::new();
    let mut rig = Rig::new(parameters, threads, Weather::CALM);
    let waves = Waves::with(Format::Fst, Shot::all(), filmed.output(), &rig.cluster, &parameters);
    let mut waves = waves.expect("it can be written");
    let look = |cluster: &Cluster, cycle: u64| waves.sample(cluster, cycle).expect("it can be written");
    rig.run(&mut |_, _| {}, look).unwrap_or_else(|failure| panic!("{failure}"));
    waves.finish(End::Well).expect("it can be written");
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
    unit(small(1, 0), script, Conditions::CALM).draw("unit", title, &lanes, 0..13, false);
}

#[test]
fn combine() {
    let mut script = Script::new(4);
    script.push(0, 0, request(Op::Init, 9));
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
    unit(small(4, 0), script, Conditions::CALM).draw("combine", title, &lanes, 5..15, false);
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
    unit(small(3, 0), script, Conditions::CALM).draw("replay", title, &lanes, 6..20, false);
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
    let title = "waiters: two waits are suspended; the last arrival wakes both, 5 cycles after it was accepted";
    unit(small(3, 6), script, Conditions::CALM).draw("waiters", title, &lanes, 0..18, false);
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
    unit(Parameters { queue_depth: 2, ..small(3, 0) }, script, conditions).draw(
        "crossbar",
        title,
        &lanes,
        0..20,
        false,
    );
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
    unit(small(2, 0), script, Conditions::CALM).draw("fault", title, &lanes, 0..17, false);
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
        deep("verdict.surprise").called("surprise"),
        deep("verdict.again").called("again from").only_if("unit.deep_0.verdict.surprise", 1).decimal(),
        lane("done_valid"),
        lane("flip_valid"),
        lane("rsp_valid"),
        answers(0, "status"),
    ];
    let title = "high-clock build: 16 cycles of latency; a fault is a surprise, and what is behind it is done anew";
    unit(parameters, script, Conditions::CALM).draw("high_clock", title, &lanes, 18..60, true);
}

#[test]
fn fabric() {
    let parameters = Parameters { build: Build::HighClock, queue_depth: 32, words: 64, ..small(2, 4) };
    let mut script = Script::new(2);
    script.push(0, 0, request(Op::Init, 2)).push(1, 4, request(Op::TryWaitParity, u64::from(NO_LIMIT) << 32));
    // both in one cycle: the second completes the phase
    script.push(0, 8, request(Op::Arrive, 1)).push(1, 3, request(Op::Arrive, 1));
    let fabric = |signal: &str, name: &str| lane(&format!("fabric_0.{signal}")).called(name);
    let lanes = vec![
        asks(0),
        asks(1),
        fabric("gather_0.batches.left", "left in the batch"),
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
    unit(parameters, script, Conditions::CALM).draw("fabric", title, &lanes, 0..56, true);
}

/// A cluster of small CTAs.
fn clustered(ctas: usize) -> ClusterParameters {
    let unit = Parameters { ports: 2, banks: 2, words: 64, counters: false, ..Parameters::default() };
    ClusterParameters { unit, ctas, link_cycles: 4, warps: 1, copiers: 2, ..ClusterParameters::default() }
}

fn thread(cta: usize, port: usize, program: Program) -> Thread {
    Thread { cta, port, number: 0, warp: 0, program: program.0 }
}

/// What one wants to see of a CTA.
fn view(parameters: ClusterParameters, cta: usize) -> View {
    let named = |cta: usize| (u64::from(mapa(BARRIER, cta)), format!("bar@{cta}"));
    let addresses: Names = [(u64::from(BARRIER), "bar".to_owned())].into_iter().chain((0..2).map(named)).collect();
    View { parameters, cta, addresses, tags: (0..4).map(|tag| (tag, format!("t{}", tag / 2))).collect() }
}

/// The words of the barrier's bank, for pictures that fold.
fn barrier(view: &View) -> Vec<Lane> {
    view.barrier(BARRIER as usize / 8, "bar")
}

#[test]
fn cp_async() {
    let parameters = clustered(1);
    let mut program = Program::default();
    program.ask(request(Op::Init, 1));
    for unit in 0..2 {
        program.then(Step::Async(Async::Copy {
            global: 0x1000 + 16 * unit,
            shared: 0x100 + 16 * unit as u32,
            bytes: 16,
        }));
    }
    program.then(Step::Async(Async::Arrive { barrier: BARRIER, noinc: true })).wait(BARRIER, 0);
    let view = view(parameters, 0);
    let mut lanes = view.cp_async();
    lanes.extend(view.copies().into_iter().filter(|lane| !lane.label.ends_with("bytes")));
    lanes.extend(barrier(&view));
    lanes.push(view.flips());
    lanes.extend(view.port(0));
    let title = "cp.async: two copies and an arrival behind them; it is done when both have landed";
    cluster(parameters, vec![thread(0, 0, program)]).draw("cp_async", title, &lanes, 4..60, true);
}

#[test]
fn bulk_copy() {
    let parameters = clustered(1);
    let mut program = Program::default();
    program.ask(request(Op::Init, 1)).ask(request(Op::ArriveExpectTx, 128));
    program.then(Step::Bulk(Bulk {
        global: 0x1000,
        shared: 0x100,
        bytes: 128,
        barrier: BARRIER,
        ctas: 0,
        status: Status::Ok,
    }));
    program.wait(BARRIER, 0);
    let view = view(parameters, 0);
    let mut lanes = view.port(0);
    lanes.extend(view.bulk());
    lanes.extend(view.copies());
    lanes.extend(barrier(&view));
    lanes.push(view.flips());
    let title = "bulk copy: 128 bytes in beats of 32; when all have landed, tx falls to zero and the phase completes";
    cluster(parameters, vec![thread(0, 0, program)]).draw("bulk_copy", title, &lanes, 4..70, true);
}

#[test]
fn remote_arrive() {
    let parameters = clustered(2);
    let (mut here, mut there) = (Program::default(), Program::default());
    there.ask(request(Op::Init, 1)).wait(BARRIER, 0);
    here.pause(12)
        .then(Step::Send(Request::new(Op::Arrive, mapa(BARRIER, 1)).with(1).from_remote()))
        .then(Step::Settle);
    let views = [view(parameters, 0), view(parameters, 1)];
    let mut lanes = views[0].port(0);
    lanes.extend(views[1].links());
    lanes.extend(barrier(&views[1]));
    lanes.push(views[1].flips());
    lanes.extend(views[1].port(0));
    lanes.extend(views[0].links());
    let title =
        "remote arrive: over the link (4 cycles), onto the barrier of CTA 1, whose waiter wakes; the answer comes back";
    let threads = vec![thread(0, 0, here), thread(1, 0, there)];
    cluster(parameters, threads).draw("remote_arrive", title, &lanes, 0..45, true);
}

#[test]
fn barrier_cluster() {
    let parameters = clustered(2);
    let (mut early, mut late) = (Program::default(), Program::default());
    early.round();
    late.pause(14).round();
    let mut lanes = Vec::new();
    for cta in 0..2 {
        lanes.extend(view(parameters, cta).rounds());
    }
    let title =
        "barrier.cluster: CTA 0 arrives and waits; it is answered a link (4) and 4 cycles after CTA 1 has arrived";
    let threads = vec![thread(0, 0, early), thread(1, 0, late)];
    cluster(parameters, threads).draw("barrier_cluster", title, &lanes, 0..50, true);
}
