//! The tops for boards, pin for pin: in Rust, under Verilator and under Icarus.

use txbar_export::verilog;
use txbar_rtl::board::bridge_top::BridgeTop;
use txbar_rtl::board::parameters::BoardParameters;
use txbar_rtl::board::self_test::SelfTest;
use txbar_rtl::op::Op;
use txbar_rtl::parameters::Parameters;
use txbar_testbench::engine::compiled::{Effort, Flow};
use txbar_testbench::engine::library::Library;
use txbar_testbench::engine::pins::{PinRecorder, Pins};
use txbar_testbench::engine::replay::Icarus;
use txbar_testbench::request::Request;
use txbar_testbench::wire::host::Host;
use txbar_testbench::wire::simulated::{Noise, RESET_CYCLES, SimulatedBoard};

fn compare(parameters: &BoardParameters, pins: &Pins) {
    let export = verilog::top(parameters, "txbar").expect("`txbar` is an identifier");
    let verilator = Library::new(Flow::Verilator, &export, Effort::Quick).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(verilator.differences(pins), "", "Verilator");
    let icarus = Icarus::new(&export).and_then(|icarus| icarus.differences(pins));
    assert_eq!(icarus.unwrap_or_else(|error| panic!("{error}")), "", "Icarus");
}

#[test]
fn the_self_test_is_the_same_everywhere() {
    for (ports, banks, waiters) in [(1, 1, 0), (4, 2, 8)] {
        let unit = Parameters { ports, banks, waiters, words: 64, ..Parameters::default() };
        let parameters = BoardParameters::self_test(unit, 4, 500);
        let mut top = SelfTest::new(&parameters);
        let mut recorder = PinRecorder::new(&top, |_| None);
        for cycle in 0..8000 {
            let reset = cycle < 2;
            top.settle();
            recorder.note(&top, reset);
            if reset { top.clock_in_reset() } else { top.clock() }
        }
        let pins = recorder.finish();
        assert_eq!(pins.value(7999, "led") & 0b110, 0b010, "it passes");
        compare(&parameters, &pins);
    }
}

#[test]
fn the_bridge_is_the_same_everywhere() {
    for (ports, banks, waiters) in [(1, 1, 0), (3, 2, 6)] {
        let unit = Parameters { ports, banks, waiters, words: 64, ..Parameters::default() };
        let parameters = BoardParameters::bridge(unit, 4, 300);
        let mut recorder = PinRecorder::new(&BridgeTop::new(&parameters), |_| None);
        let mut cycle = 0;
        let mut look = |top: &BridgeTop| {
            recorder.note(top, cycle < RESET_CYCLES);
            cycle += 1;
        };
        let board = SimulatedBoard::noisy(&parameters, Noise::new(300, 600, 5));
        let mut host = Host::connect(board.watched(&mut look)).expect("the bridge is there");
        let requests: Vec<Request> = (0..24)
            .map(|n| Request::new([Op::Init, Op::Load, Op::CpAsyncArrive, Op::Arrive][n % 4], n as u32 / 4 * 8).with(2))
            .collect();
        host.ask(&requests).unwrap_or_else(|error| panic!("{error}"));
        drop(host);
        compare(&parameters, &recorder.finish());
    }
}
