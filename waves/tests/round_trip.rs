//! Waves that are written are read back by wellen, as Surfer would, and say what happened.

use std::fs::File;
use std::io::BufWriter;
use txbar_rtl::op::Op;
use txbar_rtl::parameters::Parameters;
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::request::Request;
use txbar_testbench::run::{self, Observer, Script};
use txbar_testbench::traffic::Conditions;
use txbar_waves::picture::{self, Lane, Radix};
use txbar_waves::read::{Changes, WaveFile, WaveValue, value_at};
use txbar_waves::write::{CYCLE_NS, Waves};

struct Camera {
    waves: Waves<BufWriter<File>>,
    cycles: u64,
}

impl Observer<Rtl> for Camera {
    fn settled(&mut self, engine: &Rtl, cycle: u64) {
        self.waves.sample(engine.unit(), cycle).expect("the temporary file can be written");
        self.cycles = cycle + 1;
    }
}

/// init 1 in cycle 0, arrive in cycle 1, on one port; then a faulting arrival.
fn filmed() -> (tempfile::TempDir, WaveFile) {
    let parameters = Parameters { ports: 2, banks: 1, words: 16, ..Parameters::default() };
    let mut engine = Rtl::new(parameters);
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let path = directory.path().join("waves.vcd");
    let output = BufWriter::new(File::create(&path).expect("it can be written"));
    let mut camera =
        Camera { waves: Waves::new(output, engine.unit(), &parameters).expect("it can be written"), cycles: 0 };
    let mut script = Script::new(2);
    script.push(0, 0, Request::new(Op::Init, 8).with(3)).push(0, 0, Request::new(Op::Arrive, 8).with(1));
    script.push(0, 0, Request::new(Op::CompleteTx, 8).with(5)).push(0, 0, Request::new(Op::Arrive, 8).with(9));
    run::source(&mut engine, script, Conditions::CALM, &mut camera).unwrap_or_else(|failure| panic!("{failure}"));
    camera.waves.finish(camera.cycles).expect("it can be written");
    let file = WaveFile::open(&path).expect("it can be read");
    (directory, file)
}

fn bits(changes: &Changes, cycle: u64) -> u64 {
    match value_at(changes, cycle * CYCLE_NS) {
        Some(WaveValue::Bits { value, .. }) => *value,
        other => panic!("{other:?} in cycle {cycle}"),
    }
}

fn text(changes: &Changes, cycle: u64) -> String {
    match value_at(changes, cycle * CYCLE_NS) {
        Some(WaveValue::Text(text)) => text.clone(),
        other => panic!("{other:?} in cycle {cycle}"),
    }
}

#[test]
fn values_are_those_of_the_run() {
    let (_directory, mut file) = filmed();
    let mut of = |name: &str| file.changes(name).unwrap_or_else(|error| panic!("{error}"));
    let (op, names) = (of("unit.req_op_0"), of("unit.ask_op_0_text"));
    assert_eq!((bits(&op, 0), text(&names, 0)), (2, "init".to_owned()));
    assert_eq!((bits(&op, 1), text(&names, 1)), (4, "arrive".to_owned()));
    // requests are in c4 four cycles after they were accepted
    let (pending, tx) = (of("unit.bank_0.alu.word_fields.pending"), of("unit.bank_0.alu.word_fields.tx"));
    let counts: Vec<(u64, u64)> = (4..8).map(|cycle| (bits(&pending, cycle), bits(&tx, cycle))).collect();
    let minus_five = (1 << 22) - 5;
    assert_eq!(counts, [(3, 0), (2, 0), (2, minus_five), (2, minus_five)]);
    let word = of("unit.bank_0.alu.word");
    assert_eq!(bits(&word, 4), 0x7fffe800001ffffa);
    let (valid, status) = (of("unit.rsp_valid"), of("unit.rsp_status_0_text"));
    assert_eq!((4..=9).map(|cycle| bits(&valid, cycle)).collect::<Vec<_>>(), [0, 1, 1, 1, 1, 0]);
    assert_eq!(text(&status, 8), "pending_underflow");
    let clock = of("unit.clk");
    assert_eq!(value_at(&clock, 20), Some(&WaveValue::Bits { value: 1, width: 1 }));
    assert_eq!(value_at(&clock, 25), Some(&WaveValue::Bits { value: 0, width: 1 }));
}

#[test]
fn every_signal_is_bits_or_a_text_beside_bits() {
    let (_directory, mut file) = filmed();
    let signals = file.signals();
    assert!(signals.len() > 200, "{}", signals.len());
    for scope in ["unit.req_valid", "unit.bank_0.arbiter.grant", "unit.bank_0.ram.read_data", "unit.queue_1.room"] {
        assert!(signals.iter().any(|name| name == scope), "{scope} is missing");
    }
    for name in &signals {
        match file.changes(name).unwrap_or_else(|error| panic!("{error}")).first() {
            Some((_, WaveValue::Bits { .. })) => {}
            Some((_, WaveValue::Text(_))) => {
                let beside = name.strip_suffix("_text").expect("only a text is a string");
                assert!(signals.iter().any(|other| other == beside), "{name} stands alone");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn a_picture_shows_the_values() {
    let (_directory, mut file) = filmed();
    let mut lanes: Vec<Lane> =
        ["unit.req_valid", "unit.ask_op_0_text", "unit.bank_0.alu.word_fields.tx", "unit.flip_valid"]
            .map(Lane::of)
            .into();
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
    let error = WaveFile::open(&path).err().expect("it is no wave file");
    assert!(error.to_string().contains("text.vcd: is no wave file"), "{error}");
}
