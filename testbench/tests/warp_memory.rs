//! Loads and stores of warps: results, rates and order, under the scoreboard and with faults injected.

use txbar_export::verilog;
use txbar_rtl::op::Op;
use txbar_rtl::parameters::Parameters;
use txbar_rtl::status::Status;
use txbar_rtl::warp::MEMORY_LATENCY;
use txbar_rtl::warp::access::Size;
use txbar_rtl::warp::deliver::STEPS;
use txbar_rtl::warp::parameters::WarpParameters;
use txbar_testbench::engine::compiled::{Effort, Flow};
use txbar_testbench::engine::library::Library;
use txbar_testbench::engine::pins::PinRecorder;
use txbar_testbench::faults;
use txbar_testbench::model::Memory;
use txbar_testbench::test_env;
use txbar_testbench::warp::check::{Target, replay};
use txbar_testbench::warp::engine::{Compiled, Engine, MemoryTold, Rtl, Serial};
use txbar_testbench::warp::memory::{self, Access};
use txbar_testbench::warp::{Instruction, Lane, recording, traffic};

/// 32 lanes, eight banks.
fn large() -> WarpParameters {
    let unit = Parameters { ports: 1, banks: 8, words: 512, tag_bits: 12, ..Parameters::DEFAULT };
    WarpParameters { unit, lanes: 32, warp_ports: 1, memory: true }
}

/// Units of many kinds.
fn sets() -> Vec<WarpParameters> {
    let unit = Parameters { words: 64, banks: 4, ..large().unit };
    let sets = [
        WarpParameters { unit, ..large() },
        WarpParameters { unit: Parameters { banks: 8, ..unit }, warp_ports: 2, ..large() },
        WarpParameters {
            unit: Parameters { ports: 3, banks: 2, waiters: 0, ..unit },
            lanes: 4,
            warp_ports: 4,
            ..large()
        },
        WarpParameters { unit: Parameters { banks: 32, words: 128, counters: false, ..unit }, lanes: 16, ..large() },
        WarpParameters { unit: Parameters { banks: 2, ..unit }, lanes: 1, ..large() },
        WarpParameters { unit: Parameters { queue_depth: 1, waiters: 3, ..unit }, lanes: 8, ..large() },
    ];
    sets.map(|parameters| parameters.check().expect("it can be built")).to_vec()
}

/// Answers of one port that always takes them to accesses that are asked one after the other without a pause: when each came, from the cycle in
/// which the first was accepted.
fn run(rtl: &mut Rtl, accesses: &[Access]) -> Vec<(u64, MemoryTold)> {
    let (mut sent, mut cycle, mut answers) = (0, 0, Vec::new());
    let mut waiting: u32 = accesses.iter().map(|access| access.mask().count_ones()).sum();
    rtl.drive_memory_ready(0, true);
    while waiting > 0 {
        match accesses.get(sent) {
            Some(access) => rtl.drive_memory(0, access, sent as u16),
            None => rtl.drive_warp(0, None, 0, 0),
        }
        rtl.settle();
        if let Some(told) = rtl.memory_told(0) {
            waiting -= told.lanes.count_ones();
            answers.push((cycle, told));
        }
        sent += usize::from(rtl.warp_accepted(0));
        rtl.clock(false);
        cycle += u64::from(sent > 0);
        assert!(cycle < 100_000, "it is not answered");
    }
    answers
}

/// Cycles from the first to the last answer to 100 of the same, a step more for the first: a step is a cycle.
fn cycles_of_100(parameters: WarpParameters, access: &Access) -> u64 {
    let mut rtl = Rtl::new(parameters.check().expect("it can be built"));
    rtl.settle();
    rtl.clock(false);
    let answers = run(&mut rtl, &vec![access.clone(); 100]);
    1 + answers[answers.len() - 1].0 - answers[0].0
}

#[test]
fn a_step_is_a_cycle_and_serves_a_row_of_every_bank() {
    let consecutive = |size: Size, lanes: u32| Access::load(size, (0..lanes).map(|lane| 256 + lane * size.bytes()));
    let steps = [
        (consecutive(Size::Four, 32), 2),
        (consecutive(Size::Eight, 32), 4),
        (consecutive(Size::Eight, 8), 1),
        (consecutive(Size::Sixteen, 32), 8),
        (consecutive(Size::Sixteen, 4), 1),
        (Access::load(Size::Four, [100; 32]), 1),
        (Access::load(Size::Four, (0..32).map(|lane| lane * 8)), 4),
        (Access::load(Size::Eight, (0..32).map(|lane| lane * 64)), 32),
        (Access::load(Size::Eight, (0..32).map(|lane| lane * 72)), 4),
    ];
    for (load, steps) in steps {
        let store = Access { stores: true, ..load.clone() };
        for access in [load, store] {
            assert_eq!(access.steps(8, 512), steps, "{access:?}");
            assert_eq!(cycles_of_100(large(), &access), 100 * steps as u64, "{access:?}");
        }
    }
    let banks = |banks| WarpParameters { unit: Parameters { banks, ..large().unit }, ..large() };
    assert_eq!(
        [2, 4, 16, 32].map(|number| cycles_of_100(banks(number), &consecutive(Size::Four, 32))),
        [800, 400, 100, 100]
    );
}

#[test]
fn there_are_as_few_steps_as_there_can_be() {
    for (seed, parameters) in sets().into_iter().enumerate() {
        let Parameters { banks, words, .. } = parameters.unit;
        let mut random = traffic::random(seed as u64);
        let mut rtl = Rtl::new(parameters);
        for _ in 0..300 {
            let access = memory::random(parameters.lanes, &mut random);
            let answers = run(&mut rtl, std::slice::from_ref(&access));
            assert_eq!(answers.len(), access.steps(banks as u32, words), "seed {seed}: {access:?}");
        }
    }
}

#[test]
fn an_answer_takes_seven_cycles() {
    for parameters in sets() {
        let mut rtl = Rtl::new(parameters);
        let answers = run(&mut rtl, &[Access::load(Size::Eight, vec![64; parameters.lanes])]);
        assert_eq!(answers[0].0, MEMORY_LATENCY as u64);
    }
}

/// What lanes do at once, on any engine: broadcast, merge, halves, sizes, lanes that are refused.
fn accesses_agree<E: Engine>(mut engine: Serial<E>, seed: u64, count: usize) {
    let WarpParameters { lanes, unit, .. } = *engine.0.parameters();
    let mut model = Memory::new(unit.words);
    let mut random = traffic::random(seed);
    let whole = |first: u32| Access::store(Size::Eight, (0..lanes as u32).map(|lane| ((first + lane) * 8, 0)));
    for first in (0..unit.words as u32).step_by(lanes) {
        engine.memory(&whole(first));
    }
    for number in 0..count {
        let access = memory::random(lanes, &mut random);
        let told = engine.memory(&access);
        let active: Vec<usize> = (0..lanes).filter(|lane| access.lanes[*lane].is_some()).collect();
        let known = access.execute(active.iter().copied(), &mut model);
        for (lane, (status, data)) in active.into_iter().zip(known) {
            let (got, loaded) = told[lane].expect("it is answered");
            assert_eq!(got, status.code(), "seed {seed}, access {number}, lane {lane}: {access:?}");
            let counts = status == Status::Ok && !access.stores;
            assert!(!counts || loaded == data, "seed {seed}, access {number}, lane {lane}: {loaded:x} {access:x?}");
        }
    }
}

#[test]
fn lanes_load_and_store_what_the_model_says() {
    for (seed, parameters) in sets().into_iter().enumerate() {
        accesses_agree(Serial(Rtl::new(parameters)), seed as u64, 1500);
    }
    let compiled = Compiled::by(Flow::Verilator, sets()[0], Effort::Quick).unwrap_or_else(|error| panic!("{error}"));
    accesses_agree(Serial(compiled), 9, 1500);
}

#[test]
fn barriers_are_as_without_loads_and_stores() {
    let unit = Parameters { ports: 1, banks: 2, words: 64, waiters: 0, counters: false, ..Parameters::DEFAULT };
    let parameters = WarpParameters { unit, ..large() };
    for (name, text) in [("legal", recording::LEGAL), ("edge", recording::EDGE), ("more", recording::MORE)] {
        let records = recording::read(name, text.as_bytes()).expect("the recordings are sound");
        let records: Vec<_> = records.into_iter().step_by(3).collect();
        let replay = replay(&mut Serial(Rtl::new(parameters)), &records, |_| {});
        assert_eq!((replay.matched, replay.mismatches.len()), (records.len(), 0), "{name}");
    }
}

#[test]
fn random_traffic_is_what_the_model_says() {
    for (number, parameters) in sets().into_iter().enumerate() {
        let seed = 300 + number as u64;
        let report = traffic::Plan::new(parameters, seed, 20_000).run(&mut Rtl::new(parameters), &mut |_, _| {});
        let report = report.unwrap_or_else(|what| panic!("{parameters:?} seed {seed}: {what}"));
        println!("{} {report:?}", parameters.lanes);
        let many = [report.instructions, report.groups, report.lanes, report.threads, report.faults];
        assert!(many.iter().chain(&report.memory).all(|count| *count > 60), "seed {seed}: {report:?}");
        assert!(report.flips > 30, "seed {seed}: {report:?}");
    }
}

/// Whether all is well with a port that takes no answer until more steps have been asked for than there is room for: then each lane gets what
/// was stored for it, in order, and nobody waits for ever.
fn port_that_takes_no_answer(rtl: &mut Rtl) -> bool {
    const LOADS: u32 = 3 * STEPS as u32;
    let address = |load: u32, lane: u32| 256 + 64 * load + 8 * lane;
    let data = |load: u32, lane: u32| u128::from(load << 8 | lane);
    let lanes = |load| (0..8).map(move |lane| (address(load, lane), data(load, lane)));
    rtl.settle();
    rtl.clock(false);
    run(rtl, &(0..LOADS).map(|load| Access::store(Size::Eight, lanes(load))).collect::<Vec<_>>());
    let (mut sent, mut told) = (0, Vec::new());
    for cycle in 0..2000 {
        rtl.drive_memory_ready(0, cycle >= 100);
        match sent {
            LOADS => rtl.drive_warp(0, None, 0, 0),
            load => {
                rtl.drive_memory(0, &Access::load(Size::Eight, (0..8).map(|lane| address(load, lane))), load as u16)
            }
        }
        rtl.settle();
        told.extend(rtl.memory_told(0).filter(|_| cycle >= 100));
        sent += u32::from(rtl.warp_accepted(0));
        rtl.clock(false);
    }
    let expected = |(load, told): (u32, &MemoryTold)| {
        let found = (0..8).all(|lane| told.data[lane as usize] == data(load, lane));
        told.tag == load as u16 && told.lanes == 0xff && found
    };
    told.len() == LOADS as usize && (0..).zip(&told).all(expected)
}

#[test]
fn steps_wait_for_room() {
    assert!(port_that_takes_no_answer(&mut Rtl::new(large())));
}

/// By random traffic; where there has to be no room in the very cycle in which a step could go, by the run that sees to it.
#[test]
fn every_injected_fault_is_found() {
    let mut missed = Vec::new();
    for fault in faults::warp_memory::FAULTS {
        let directed = fault.name == "room-ignored";
        let parameters = if directed { large() } else { sets()[1] };
        let mut injected = fault.injected();
        let mut rtl = Rtl::with_fault(parameters, Box::new(move |unit, point| injected.inject(unit, point)));
        let found = if directed {
            !port_that_takes_no_answer(&mut rtl)
        } else {
            traffic::Plan::new(parameters, 1, 20_000).run(&mut rtl, &mut |_, _| {}).is_err()
        };
        if !found {
            missed.push(fault.name);
        }
    }
    assert_eq!(missed, Vec::<&str>::new(), "not found");
}

/// One set under Verilator; all of them, and CXXRTL, if `TXBAR_ALL_SETS` is set.
#[test]
fn the_verilog_is_the_rust_cycle_by_cycle() {
    let flows = [Flow::Verilator, Flow::Cxxrtl, Flow::Verilator];
    let compared = if test_env::all("SETS") { flows.len() } else { 1 };
    for (parameters, flow) in sets().into_iter().skip(1).zip(flows).take(compared) {
        let export = verilog::warp_unit(&parameters, "txbar").expect("`txbar` is an identifier");
        let library = Library::new(flow, &export, Effort::Quick).unwrap_or_else(|error| panic!("{error}"));
        let mut rtl = Rtl::new(parameters);
        let mut recorder = PinRecorder::new(rtl.unit(), |_| None);
        for reset in [true, true, false] {
            rtl.settle();
            recorder.note(rtl.unit(), reset);
            rtl.clock(reset);
        }
        let report =
            traffic::Plan::new(parameters, 5, 4000).run(&mut rtl, &mut |rtl, _| recorder.note(rtl.unit(), false));
        report.unwrap_or_else(|what| panic!("{what}"));
        let pins = recorder.finish();
        assert_eq!(library.differences(&pins), "", "{parameters:?}");
        for (number, pin) in pins.pins().iter().enumerate().filter(|(_, pin)| pin.name.starts_with("warp_mem")) {
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
        let mut random = traffic::random(9);
        for cycle in 0..2000 {
            let (port, tag) = (cycle % 2, cycle as u16);
            match cycle % 5 {
                0 => rtl.drive_warp(port, None, 0, 0),
                1 | 2 => rtl.drive_memory(port, &memory::random(parameters.lanes, &mut random), tag),
                _ => rtl.drive_warp(port, Some(&traffic::instruction(parameters.lanes, &mut random)), tag, 100),
            }
            rtl.drive_warp_ready(port, cycle % 7 > 0);
            rtl.drive_memory_ready(port, cycle % 3 > 0);
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

fn lanes_of(op: Op, addresses: &[u32], operand: u32) -> Instruction {
    let lanes = addresses.iter().map(|address| Some(Lane { address: *address, operand })).collect();
    Instruction { op, remote: false, elsewhere: false, lanes }
}

#[test]
fn a_store_over_a_live_barrier_is_told_by_lane_in_checked_mode() {
    let unit = Parameters { checked: true, ..large().unit };
    let mut engine = Serial(Rtl::new(WarpParameters { unit, ..large() }));
    engine.execute(&[], &[lanes_of(Op::Init, &[16], 3)]);
    let store = Access::store(Size::Four, (0..8).map(|lane| (lane * 4, 7)));
    let told =
        |told: Vec<Option<(u8, u128)>>| told.into_iter().map(|told| told.expect("answered").0).collect::<Vec<_>>();
    let (ok, struck) = (Status::Ok.code(), Status::StoreToBarrier.code());
    assert_eq!(told(engine.memory(&store)), [ok, ok, ok, ok, struck, struck, ok, ok]);
    // it is none any more
    assert_eq!(told(engine.memory(&store)), [ok; 8]);
    // both words of 16 bytes
    engine.execute(&[], &[lanes_of(Op::Init, &[8, 48], 3)]);
    let store = Access::store(Size::Sixteen, (0..4).map(|lane| (lane * 16, 7)));
    assert_eq!(told(engine.memory(&store)), [struck, ok, ok, struck]);
    let loads = Access::load(Size::Eight, [0, 8, 48, 56]);
    let loaded: Vec<u128> = engine.memory(&loads).into_iter().map(|told| told.expect("answered").1).collect();
    assert_eq!(loaded, [7, 0, 7, 0]);
}

#[test]
fn a_store_ends_the_waits_on_its_barrier() {
    let mut rtl = Rtl::new(large());
    rtl.drive_warp_ready(0, true);
    rtl.drive_memory_ready(0, true);
    let wait = lanes_of(Op::TryWaitParity, &[8, 8], 0);
    let mut instructions = vec![lanes_of(Op::Init, &[8], 3), wait];
    instructions.reverse();
    let store = Access::store(Size::Eight, [(8, 0)]);
    let (mut stored, mut ended) = (None, None);
    for cycle in 0..100 {
        match instructions.last() {
            Some(instruction) => rtl.drive_warp(0, Some(instruction), instructions.len() as u16, 1_000_000),
            None if cycle >= 40 && stored.is_none() => rtl.drive_memory(0, &store, 9),
            None => rtl.drive_warp(0, None, 0, 0),
        }
        rtl.settle();
        if let Some(told) = rtl.warp_told(0)
            && told.tag == 1
        {
            assert_eq!((told.lanes, told.status, told.resumed), (3, Status::Invalidated.code(), true));
            ended = Some(cycle);
        }
        if rtl.warp_accepted(0) && instructions.pop().is_none() {
            stored = Some(cycle);
        }
        rtl.clock(false);
    }
    assert_eq!(stored, Some(40));
    assert!(ended.is_some_and(|cycle| cycle > 40), "{ended:?}");
}
