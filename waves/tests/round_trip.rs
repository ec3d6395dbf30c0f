//! Waves are written, read back with wellen, and compared with the run.

use std::fs::File;
use std::io::BufWriter;
use txbar_rtl::cluster::Cluster;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::op::Op;
use txbar_rtl::parameters::Parameters;
use txbar_rtl::status::Status;
use txbar_testbench::cluster::rig::{Environment, Rig};
use txbar_testbench::cluster::thread::{Program, Thread};
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::request::Request;
use txbar_testbench::run::{self, Observer, Script};
use txbar_testbench::traffic::Conditions;
use txbar_waves::picture::{self, Lane, Manner, Radix};
use txbar_waves::read::{Changes, WaveFile, WaveValue, value_at};
use txbar_waves::write::{CYCLE_NS, End, Waves};

struct Camera {
    waves: Waves<BufWriter<File>>,
}

impl Observer<Rtl> for Camera {
    fn settled(&mut self, engine: &Rtl, cycle: u64) {
        self.waves.sample(engine.unit(), cycle).expect("the temporary file can be written");
    }
}

/// init 1 in cycle 0, arrive in cycle 1, on one port; then a faulting arrival.
fn filmed() -> (tempfile::TempDir, WaveFile) {
    let parameters = Parameters { ports: 2, banks: 1, words: 16, ..Parameters::default() };
    let mut engine = Rtl::new(parameters);
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let path = directory.path().join("waves.vcd");
    let output = BufWriter::new(File::create(&path).expect("it can be written"));
    let mut camera = Camera { waves: Waves::new(output, engine.unit(), &parameters).expect("it can be written") };
    let mut script = Script::new(2);
    script.push(0, 0, Request::new(Op::Init, 8).with(3)).push(0, 0, Request::new(Op::Arrive, 8).with(1));
    script.push(0, 0, Request::new(Op::CompleteTx, 8).with(5)).push(0, 0, Request::new(Op::Arrive, 8).with(9));
    run::source(&mut engine, script, Conditions::CALM, &mut camera).unwrap_or_else(|failure| panic!("{failure}"));
    camera.waves.finish(End::Well).expect("it can be written");
    let file = WaveFile::open(&path).expect("it can be read");
    (directory, file)
}

fn bits(changes: &Changes, cycle: u64) -> u64 {
    match value_at(changes, cycle * CYCLE_NS) {
        Some(WaveValue::Bits { value, .. }) => *value,
        other => panic!("{other:?} in cycle {cycle}"),
    }
}

fn op_at(changes: &Changes, cycle: u64) -> Option<Op> {
    Op::from_code(bits(changes, cycle))
}

#[test]
fn values_are_those_of_the_run() {
    let (_directory, mut file) = filmed();
    let mut of = |name: &str| file.changes(name).unwrap_or_else(|error| panic!("{error}"));
    let (op, asked) = (of("unit.req_op_0"), of("unit.ask_op_0"));
    assert_eq!((bits(&op, 0), op_at(&asked, 0)), (2, Some(Op::Init)));
    assert_eq!((bits(&op, 1), op_at(&asked, 1)), (4, Some(Op::Arrive)));
    // requests are in c4 four cycles after they were accepted
    let (pending, tx) = (of("unit.bank_0.alu.word_fields.pending"), of("unit.bank_0.alu.word_fields.tx"));
    let counts: Vec<(u64, u64)> = (4..8).map(|cycle| (bits(&pending, cycle), bits(&tx, cycle))).collect();
    let minus_five = (1 << 22) - 5;
    assert_eq!(counts, [(3, 0), (2, 0), (2, minus_five), (2, minus_five)]);
    let word = of("unit.bank_0.alu.word");
    assert_eq!(bits(&word, 4), 0x7fffe800001ffffa);
    let (valid, status) = (of("unit.rsp_valid"), of("unit.rsp_status_0"));
    assert_eq!((4..=9).map(|cycle| bits(&valid, cycle)).collect::<Vec<_>>(), [0, 1, 1, 1, 1, 0]);
    assert_eq!(bits(&status, 8), u64::from(Status::PendingUnderflow.code()));
    // the faulting arrival takes effect in cycle 7
    let fault = of("unit.events.fault");
    assert_eq!((4..=8).map(|cycle| bits(&fault, cycle)).collect::<Vec<_>>(), [0, 0, 0, 1, 0]);
    for event in ["flip", "parked"] {
        assert_eq!(of(&format!("unit.events.{event}")).len(), 1, "{event} never happens");
    }
    let clock = of("unit.clk");
    assert_eq!(value_at(&clock, 20), Some(&WaveValue::Bits { value: 1, width: 1 }));
    assert_eq!(value_at(&clock, 25), Some(&WaveValue::Bits { value: 0, width: 1 }));
}

#[test]
fn every_signal_is_bits() {
    let (_directory, mut file) = filmed();
    let signals = file.signals();
    assert!(signals.len() > 200, "{}", signals.len());
    for scope in ["unit.req_valid", "unit.bank_0.arbiter.grant", "unit.bank_0.ram.read_data", "unit.queue_1.room"] {
        assert!(signals.iter().any(|name| name == scope), "{scope} is missing");
    }
    for name in &signals {
        let changes = file.changes(name).unwrap_or_else(|error| panic!("{error}"));
        assert!(matches!(changes.first(), Some((0, WaveValue::Bits { .. }))), "{name}: {:?}", changes.first());
    }
}

/// Two CTAs with two ports each: a thread of CTA 0 makes a barrier on port 1, one of CTA 1 arrives on its own on port 0. With
/// the waves come the valid bits and opcodes of all ports in all cycles, by CTA.
#[expect(clippy::type_complexity, reason = "once")]
fn filmed_cluster() -> (tempfile::TempDir, WaveFile, Vec<[(u64, [u64; 2]); 2]>) {
    let unit = Parameters { ports: 2, banks: 2, words: 32, counters: false, ..Parameters::default() };
    let parameters = ClusterParameters { unit, ctas: 2, link_cycles: 3, ..ClusterParameters::default() };
    let thread = |cta: usize, port: usize, count: u64| {
        let mut program = Program::default();
        program.ask(Request::new(Op::Init, 8).with(count)).ask(Request::new(Op::Arrive, 8).with(1));
        Thread { cta, port, number: 0, warp: 0, program: program.0 }
    };
    let mut rig = Rig::new(parameters, vec![thread(0, 1, 5), thread(1, 0, 3)], Environment::IDEAL);
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let path = directory.path().join("cluster.vcd");
    let output = BufWriter::new(File::create(&path).expect("it can be written"));
    let mut waves = Waves::new(output, &rig.cluster, &parameters).expect("it can be written");
    let mut ports = Vec::new();
    let seen = |cluster: &Cluster, cta: usize| {
        (cluster.req_valid[cta].val().raw(), [0, 1].map(|port: usize| cluster.req[cta][port].op.val().raw()))
    };
    let look = |cluster: &Cluster, cycle: u64| {
        waves.sample(cluster, cycle).expect("the temporary file can be written");
        ports.push([0, 1].map(|cta| seen(cluster, cta)));
    };
    rig.run(&mut |_, _| {}, look).unwrap_or_else(|failure| panic!("{failure}"));
    waves.finish(End::Well).expect("it can be written");
    let file = WaveFile::open(&path).expect("it can be read");
    (directory, file, ports)
}

#[test]
fn lanes_of_lanes_are_those_of_the_run() {
    let (_directory, mut file, ports) = filmed_cluster();
    let mut of = |name: &str| file.changes(name).unwrap_or_else(|error| panic!("{error}"));
    for cta in 0..2 {
        let valid = of(&format!("cluster.req_valid_{cta}"));
        let ops = [0, 1].map(|port| of(&format!("cluster.req_op_{cta}_{port}")));
        for (cycle, ports) in ports.iter().enumerate() {
            let got = [0, 1].map(|port| bits(&ops[port], cycle as u64));
            assert_eq!((bits(&valid, cycle as u64), got), ports[cta], "CTA {cta} in cycle {cycle}");
        }
    }
    let last = ports.len() as u64 - 1;
    assert_eq!(op_at(&of("cluster.req_op_0_1"), last), Some(Op::Arrive));
    assert_eq!(op_at(&of("cluster.req_op_0_0"), last), Some(Op::Load), "nobody asks there");
    for (cta, pending) in [(0, 4), (1, 2)] {
        let bank = format!("cluster.cta_{cta}.unit.bank_1");
        let (done, fields) = (of(&format!("{bank}.done")), of(&format!("{bank}.alu.word_fields.pending")));
        let cycle = (0..=last).rev().find(|cycle| bits(&done, *cycle) != 0).expect("it arrived");
        assert_eq!(bits(&fields, cycle), pending, "CTA {cta}");
    }
}

#[test]
fn every_signal_of_a_cluster_has_a_name_of_its_own() {
    let (_directory, file, _) = filmed_cluster();
    let mut signals = file.signals();
    for name in
        ["cluster.clk", "cluster.requests_1.valid", "cluster.cta_1.copier.beat_valid", "cluster.mem_rsp_data_1_3"]
    {
        assert!(signals.iter().any(|signal| signal == name), "{name} is missing");
    }
    let count = signals.len();
    signals.sort();
    signals.dedup();
    assert_eq!(signals.len(), count);
}

#[test]
fn a_long_picture_is_folded() {
    let (_directory, mut file, ports) = filmed_cluster();
    let gated = |signal: &str, label: &str| {
        Lane::of(signal).called(label).only_if("cluster.req_valid_0", 2).only_if("cluster.req_ready_0", 2)
    };
    let names = [(8, "the barrier".to_owned())];
    let lanes = [
        gated("cluster.req_op_0_1", "asks").showing(Manner::Events),
        gated("cluster.req_address_0_1", "of").named(&names),
        Lane::of("cluster.cta_0.unit.bank_1.alu.word_fields.pending")
            .only_if("cluster.cta_0.unit.bank_1.done", u64::MAX)
            .only_at("cluster.cta_0.unit.bank_1.row_c4", 0)
            .showing(Manner::Held),
    ];
    let cycles = 0..ports.len() as u64;
    assert!(picture::is_lively(&mut file, &lanes[2], cycles.clone()).expect("it is there"));
    assert!(!picture::is_lively(&mut file, &lanes[1], cycles.clone()).expect("it is there"));
    let picture = picture::draw_folded(&mut file, "a title", &lanes, cycles).expect("the signals are there");
    for text in ["init", "arrive", "the barrier", "class=\"fold\"", "\n+"] {
        assert!(picture.contains(text), "{text} is not in the picture");
    }
}

#[test]
fn a_picture_shows_the_values() {
    let (_directory, mut file) = filmed();
    let mut lanes: Vec<Lane> =
        ["unit.req_valid", "unit.ask_op_0", "unit.bank_0.alu.word_fields.tx", "unit.flip_valid"].map(Lane::of).into();
    assert_eq!(lanes[2].radix, Radix::Signed);
    let picture = picture::draw(&mut file, "a title", &lanes, 0..10).expect("the signals are there");
    for text in ["a title", "init", "arrive", "-5", "bank_0.alu.word_fields.tx", "prefers-color-scheme"] {
        assert!(picture.contains(text), "{text} is not in the picture");
    }
    lanes.push(Lane::of("unit.nothing"));
    let error = picture::draw(&mut file, "", &lanes, 0..10).expect_err("there is no such signal");
    assert_eq!(error.to_string(), "there is no signal `unit.nothing`; signals are named like `unit.bank_0.alu.word`");
}

#[test]
fn what_is_no_wave_file_is_refused() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let missing = WaveFile::open(&directory.path().join("none.vcd")).err().expect("it does not exist");
    assert!(missing.to_string().contains("none.vcd: No such file"), "{missing}");
    let path = directory.path().join("text.vcd");
    std::fs::write(&path, "hello").expect("it can be written");
    let error = WaveFile::open(&path).err().expect("it is not a wave file");
    assert!(error.to_string().contains("text.vcd: is not a wave file"), "{error}");
}
