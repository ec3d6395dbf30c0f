//! Ports for warps: the recordings of an H200, random traffic under the scoreboard, injected faults, and how fast they are.

use txbar_export::verilog;
use txbar_rtl::op::Op;
use txbar_rtl::parameters::Parameters;
use txbar_rtl::warp::LATENCY;
use txbar_rtl::warp::parameters::WarpParameters;
use txbar_testbench::case::warps::{Item, Warps};
use txbar_testbench::engine::compiled::{Effort, Flow};
use txbar_testbench::engine::library::Library;
use txbar_testbench::engine::pins::{PinRecorder, Pins};
use txbar_testbench::faults;
use txbar_testbench::shrink::{Limits, Shortened};
use txbar_testbench::test_env;
use txbar_testbench::warp::check::{Target, replay};
use txbar_testbench::warp::engine::{Compiled, Engine, Rtl, Serial};
use txbar_testbench::warp::{Instruction, Lane, recording, traffic};

/// As large as the recordings need.
const SMALL: Parameters =
    Parameters { ports: 1, banks: 1, words: 64, waiters: 0, counters: false, ..Parameters::DEFAULT };

fn replay_all(mut target: impl Target, step: usize) {
    for (name, text) in [("legal", recording::LEGAL), ("edge", recording::EDGE), ("more", recording::MORE)] {
        let records = recording::read(name, text.as_bytes()).expect("the recordings are sound");
        let records: Vec<_> = records.into_iter().step_by(step).collect();
        let replay = replay(&mut target, &records, |_| {});
        let told: Vec<String> = replay.mismatches.iter().map(ToString::to_string).collect();
        assert_eq!(told, Vec::<String>::new(), "{name}");
        assert_eq!((replay.matched, replay.records), (records.len(), records.len()), "{name}");
    }
}

#[test]
fn the_rtl_does_what_the_h200_did() {
    replay_all(Serial(Rtl::new(WarpParameters { unit: SMALL, ..WarpParameters::default() })), 1);
    let large = Parameters { ports: 4, clock_ns: 1, ..Parameters::DEFAULT };
    replay_all(Serial(Rtl::new(WarpParameters { unit: large, warp_ports: 2, ..WarpParameters::default() })), 1);
}

fn replay_compiled(flow: Flow, step: usize) {
    let parameters = WarpParameters { unit: SMALL, ..WarpParameters::default() };
    let compiled = Compiled::by(flow, parameters, Effort::Quick);
    replay_all(Serial(compiled.unwrap_or_else(|error| panic!("{}: {error}", flow.name()))), step);
}

#[test]
fn the_verilog_does_what_the_h200_did() {
    replay_compiled(Flow::Verilator, 1);
    replay_compiled(Flow::Cxxrtl, 7);
}

fn arrival(lanes: usize, word: impl Fn(usize) -> u32) -> Instruction {
    let lane = |number| Some(Lane { address: word(number) * 8, operand: 1 });
    Instruction { op: Op::Arrive, remote: false, elsewhere: false, lanes: (0..lanes).map(lane).collect() }
}

/// A unit of one warp port whose words are barriers of 2^20 - 1 arrivals.
fn with_barriers(lanes: usize, unit: Parameters) -> Rtl {
    let parameters = WarpParameters { unit, lanes, ..WarpParameters::default() };
    let mut rtl = Serial(Rtl::new(parameters.check().expect("it can be built")));
    let many = 0x0000_0800_0000_0002; // 2^20 - 1 pending and expected
    rtl.execute(&[many; 32], &[]);
    rtl.0
}

#[test]
fn an_answer_takes_nine_cycles() {
    for lanes in [1, 4, 8, 16, 32] {
        let mut rtl = with_barriers(lanes, SMALL);
        let mut cycles = 0;
        rtl.drive_warp_ready(0, true);
        loop {
            rtl.drive_warp(0, (cycles == 0).then(|| arrival(lanes, |_| 3)).as_ref(), 7, 0);
            rtl.settle();
            assert!(cycles > 0 || rtl.warp_accepted(0));
            if let Some(told) = rtl.warp_told(0) {
                let all = u32::MAX >> (32 - lanes);
                assert_eq!((told.tag, told.lanes, told.data >> 32, told.status), (7, all, 0x0000_0800, 0));
                break;
            }
            rtl.clock(false);
            cycles += 1;
            assert!(cycles < 50, "it is not answered");
        }
        assert_eq!(cycles, LATENCY, "{lanes} lanes");
    }
}

/// Cycles from the first to the last of 200 instructions that are accepted, with a port that is always ready.
fn cycles_of_200(rtl: &mut Rtl, instruction: &Instruction) -> usize {
    rtl.drive_warp_ready(0, true);
    let (mut accepted, mut cycles, mut first) = (0, 0, 0);
    while accepted < 200 {
        rtl.drive_warp(0, Some(instruction), 0, 0);
        rtl.settle();
        if rtl.warp_accepted(0) {
            accepted += 1;
            if accepted == 1 {
                first = cycles;
            }
        }
        rtl.clock(false);
        cycles += 1;
    }
    cycles - 1 - first
}

#[test]
fn an_instruction_a_cycle_if_its_lanes_name_one_word() {
    for unit in [SMALL, Parameters { ports: 1, ..Parameters::DEFAULT }] {
        let mut rtl = with_barriers(32, unit);
        assert_eq!(cycles_of_200(&mut rtl, &arrival(32, |_| 5)), 199);
        // and a word a cycle, if they name several
        assert_eq!(cycles_of_200(&mut rtl, &arrival(32, |lane| lane as u32 % 4)), 4 * 199);
        assert_eq!(cycles_of_200(&mut rtl, &arrival(32, |lane| lane as u32)), 32 * 199);
    }
}

/// With all entries for answers in use, what is posted has none; a wait that is suspended, in the first entry of all, does not hold it.
#[test]
fn what_is_posted_is_not_held_by_a_wait() {
    let unit = Parameters { ports: 1, queue_depth: 32, waiters: 4, ..SMALL };
    let mut rtl = with_barriers(4, unit);
    let of_word = |op, word: u32, operand| {
        let lane = Some(Lane { address: word * 8, operand });
        Instruction { op, remote: false, elsewhere: false, lanes: vec![lane; 1] }
    };
    let mut asked = vec![of_word(Op::TryWaitParity, 1, 0)];
    asked.extend((0..16).map(|_| of_word(Op::Arrive, 2, 1)));
    asked.push(of_word(Op::BulkCompleteTx, 3, 16));
    let before = rtl.unit().unit.word(3);
    rtl.drive_warp_ready(0, false);
    let mut asked = asked.iter().peekable();
    for _ in 0..60 {
        rtl.drive_warp(0, asked.peek().copied(), 0, 1_000_000);
        rtl.settle();
        if rtl.warp_accepted(0) {
            asked.next();
        }
        rtl.clock(false);
    }
    assert!(asked.next().is_none(), "not all is accepted");
    assert_ne!(rtl.unit().unit.word(3), before, "the bytes have not arrived");
}

#[test]
fn a_store_is_refused_and_a_load_is_given_to_all_lanes() {
    let mut target = Serial(Rtl::new(WarpParameters { unit: SMALL, ..WarpParameters::default() }));
    let lanes: Vec<_> = (0..32).map(|lane| Some(Lane { address: lane % 3 * 8, operand: 9 })).collect();
    let instruction = |op| Instruction { op, remote: false, elsewhere: false, lanes: lanes.clone() };
    let [stores, loads] = [Op::Store, Op::Load].map(|op| target.execute(&[10, 11, 12], &[instruction(op)]));
    assert_eq!((&stores.words[..], &loads.words[..]), (&[10, 11, 12][..], &[10, 11, 12][..]));
    for (lane, (stored, loaded)) in stores.answers[0].iter().zip(&loads.answers[0]).enumerate() {
        let name =
            |told: &Option<txbar_testbench::request::Response>| told.and_then(|told| told.status()).map(|s| s.name());
        assert_eq!((name(stored), name(loaded)), (Some("illegal_operation"), Some("ok")));
        assert_eq!(loaded.map(|told| told.data), Some(10 + lane as u64 % 3));
    }
}

/// Units of many kinds.
fn sets() -> Vec<WarpParameters> {
    let unit = Parameters { ports: 1, words: 64, banks: 4, tag_bits: 12, ..Parameters::DEFAULT };
    let large = WarpParameters { unit, ..WarpParameters::default() };
    let sets = [
        large,
        WarpParameters { warp_ports: 2, ..large },
        WarpParameters {
            lanes: 4,
            warp_ports: 4,
            unit: Parameters { ports: 4, banks: 8, counters: false, ..unit },
            ..large
        },
        WarpParameters { lanes: 1, ..large },
        WarpParameters { lanes: 8, unit: Parameters { banks: 1, waiters: 0, ..unit }, ..large },
        WarpParameters { lanes: 16, unit: Parameters { queue_depth: 1, waiters: 3, ..unit }, ..large },
    ];
    sets.map(|parameters| parameters.check().expect("it can be built")).to_vec()
}

#[test]
fn random_traffic_is_what_the_model_says() {
    let mut woken = 0;
    for (number, parameters) in sets().into_iter().enumerate() {
        let seed = 100 + number as u64;
        let report = traffic::Plan::new(parameters, seed, 20_000).run(&mut Rtl::new(parameters), &mut |_, _| {});
        let report = report.unwrap_or_else(|what| panic!("{parameters:?} seed {seed}: {what}"));
        println!("{} {report:?}", parameters.lanes);
        let many = [report.instructions, report.groups, report.lanes, report.threads, report.faults];
        assert!(many.iter().all(|count| *count > 300) && report.flips > 30, "seed {seed}: {report:?}");
        let suspended = report.suspended[0];
        assert_eq!(suspended > 20, parameters.unit.waiters > 0, "seed {seed}: {report:?}");
        woken += report.suspended[1];
    }
    assert!(woken > 10, "{woken} suspended waits saw their phase complete");
}

#[test]
fn every_injected_fault_is_found() {
    let parameters = sets()[1];
    let mut missed = Vec::new();
    for fault in faults::warp::FAULTS {
        for seed in 1..=2 {
            let mut injected = fault.injected();
            let mut rtl = Rtl::with_fault(parameters, Box::new(move |unit, point| injected.inject(unit, point)));
            match traffic::Plan::new(parameters, seed, 20_000).run(&mut rtl, &mut |_, _| {}) {
                Ok(_) => missed.push(format!("seed {seed}: {}", fault.name)),
                Err(what) => println!("{}: {what}", fault.name),
            }
        }
    }
    assert_eq!(missed, Vec::<String>::new(), "not found");
}

/// Every fourth fault, beginning with another in each run, unless all are asked for.
#[test]
fn failing_runs_are_shortened() {
    let parameters = sets()[1];
    let (first, step) = if test_env::all("SETS") { (0, 1) } else { (test_env::seed() as usize % 4, 4) };
    for fault in faults::warp::all(&parameters).into_iter().skip(first).step_by(step) {
        let make = || {
            let mut injected = fault.injected();
            Rtl::with_fault(parameters, Box::new(move |unit, point| injected.inject(unit, point)))
        };
        let shortened = Warps::shortened(make, &traffic::Plan::new(parameters, 1, 20_000), Limits::CLUSTER);
        let Shortened { case, failure, first, from } =
            shortened.unwrap_or_else(|| panic!("{} is not found", fault.name));
        println!("{}: {} of {from} requests; first {first}, now {failure}", fault.name, case.requests.len());
        // some strike every 40th time, or where a table is full
        assert!(case.requests.len() <= 300.min(from), "{}: {} are left", fault.name, case.requests.len());
        let again = case.play(|| false, &mut make(), &mut |_, _| {}).expect_err("it fails when it is run again");
        assert_eq!(*again, failure, "{}", fault.name);
        case.check().expect("it fits the unit");
        let text = serde_json::to_string(&case.requests).expect("it can be written");
        let read: Vec<Item> = serde_json::from_str(&text).expect("it can be read");
        assert_eq!(read, case.requests, "{}", fault.name);
    }
}

/// The pins of a unit in random traffic, from reset on.
fn pins(parameters: WarpParameters, cycles: u64) -> Pins {
    let mut rtl = Rtl::new(parameters);
    let mut recorder = PinRecorder::new(rtl.unit(), |_| None);
    for reset in [true, true, false] {
        rtl.settle();
        recorder.note(rtl.unit(), reset);
        rtl.clock(reset);
    }
    let report =
        traffic::Plan::new(parameters, 5, cycles).run(&mut rtl, &mut |rtl, _| recorder.note(rtl.unit(), false));
    report.unwrap_or_else(|what| panic!("{what}"));
    recorder.finish()
}

#[test]
fn the_verilog_is_the_rust_cycle_by_cycle() {
    for (parameters, flow) in sets().into_iter().skip(1).zip([Flow::Verilator, Flow::Verilator, Flow::Cxxrtl]) {
        let export = verilog::warp_unit(&parameters, "txbar").expect("`txbar` is an identifier");
        let library = Library::new(flow, &export, Effort::Quick).unwrap_or_else(|error| panic!("{error}"));
        let pins = pins(parameters, 4000);
        assert_eq!(library.differences(&pins), "", "{parameters:?}");
        // threads ask for nothing that is suspended
        let shown = |name: &str| !name.starts_with("rsp_resumed");
        for (number, pin) in pins.pins().iter().enumerate().filter(|(_, pin)| pin.output && shown(&pin.name)) {
            let changes = (0..pins.cycles()).any(|cycle| pins.row(cycle)[number] != pins.row(0)[number]);
            assert!(changes, "nothing was seen at {}", pin.name);
        }
    }
}

#[test]
fn registers_follow_from_inputs_alone() {
    // settled twice, a cycle is what it is settled once: the order of the processes is that of the data
    let parameters = sets()[1];
    let (mut once, mut twice) = (Vec::new(), Vec::new());
    for (times, rows) in [(1, &mut once), (2, &mut twice)] {
        let mut rtl = Rtl::new(parameters);
        let mut recorder = PinRecorder::new(rtl.unit(), |_| None);
        let mut random = txbar_testbench::warp::traffic::random(9);
        for cycle in 0..2000 {
            let instruction = traffic::instruction(parameters.lanes, &mut random);
            rtl.drive_warp(cycle % 2, (cycle % 3 > 0).then_some(&instruction), cycle as u16, 100);
            rtl.drive_warp_ready(cycle % 2, cycle % 5 > 0);
            for _ in 0..times {
                rtl.settle();
            }
            recorder.note(rtl.unit(), false);
            rtl.clock(false);
        }
        let pins = recorder.finish();
        rows.extend((0..pins.cycles()).map(|cycle| pins.row(cycle).to_vec()));
    }
    assert!(once == twice);
}
