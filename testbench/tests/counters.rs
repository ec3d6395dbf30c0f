//! Counters: what the registers show after a script whose events are known. (That they are right in every cycle of random
//! traffic, the scoreboard sees to.)

#[macro_use]
mod engines;

use txbar_rtl::low_latency::counters::{self, Counter};
use txbar_rtl::op::{NO_LIMIT, Op};
use txbar_rtl::parameters::Parameters;
use txbar_rtl::status::Status;
use txbar_testbench::engine::Engine;
use txbar_testbench::request::{Request, Response};
use txbar_testbench::run::{self, Observer, Script};
use txbar_testbench::traffic::Conditions;

const BARRIER: u32 = 0x40;

fn parameters() -> Parameters {
    Parameters { ports: 2, banks: 2, words: 64, waiters: 4, ..Parameters::default() }
}

/// What the ports were answered.
#[derive(Default)]
struct Answers([Vec<Response>; 2]);

impl<E> Observer<E> for Answers {
    fn answered(&mut self, _cycle: u64, port: usize, response: &Response) {
        self.0[port].push(*response);
    }
}

fn play<E: Engine>(mut engine: E, script: Script) -> [Vec<Response>; 2] {
    let mut answers = Answers::default();
    run::source(&mut engine, script, Conditions::CALM, &mut answers).unwrap_or_else(|failure| panic!("{failure}"));
    answers.0
}

fn register(number: u32) -> Request {
    Request::new(Op::Load, counters::register(number))
}

fn every_event_is_counted<E: Engine>(make: impl Fn() -> E) {
    let on = |op, data| Request::new(op, BARRIER).with(data);
    let mut script = Script::new(2);
    script.push(0, 0, on(Op::Init, 2));
    // two waits fit the table of a port, the third does not; a fault; and then both ports arrive together
    for tag in 1..=3 {
        script.push(0, 0, on(Op::TryWaitParity, u64::from(NO_LIMIT) << 32).tagged(tag));
    }
    script.push(1, 8, on(Op::Arrive, 1 << 20));
    for port in 0..2 {
        script.push(port, [20, 15][port], on(Op::Arrive, 1).tagged(9));
    }
    let numbers: Vec<u32> = [Op::Init, Op::TryWaitParity, Op::Arrive, Op::Load].map(|op| op.code().into()).into();
    let numbers = [numbers, Counter::ALL[1..].iter().map(|counter| counter.number()).collect(), vec![63]].concat();
    for port in 0..2 {
        for (position, number) in numbers.iter().enumerate() {
            script.push(port, if position == 0 { 30 + 30 * port as u32 } else { 0 }, register(*number).tagged(20));
        }
    }
    let answers = play(make(), script);
    let shown = |port: usize| -> Vec<u64> {
        answers[port].iter().filter(|answer| answer.tag == 20).map(|answer| answer.data).collect()
    };
    // init, try_wait_parity, arrive, load; flips, combined, stalls, faults, suspended, rejected, woken, waiting; nothing
    assert_eq!(shown(0), [1, 3, 1, 3, 1, 1, 0, 0, 2, 1, 2, 2, 0]);
    assert_eq!(shown(1), [0, 0, 2, 3, 1, 1, 0, 1, 0, 0, 0, 0, 0]);
}

fn only_loads_of_registers_that_there_are_succeed<E: Engine>(make: impl Fn() -> E) {
    let refused = |request: Request| {
        let mut script = Script::new(2);
        script.push(0, 0, request);
        Status::from_code(play(make(), script)[0][0].status.into()).expect("it is a status")
    };
    let cycles = counters::register(Counter::Cycles.number());
    assert_eq!(refused(Request::new(Op::Load, cycles)), Status::Ok);
    assert_eq!(refused(Request::new(Op::Load, cycles).from_remote()), Status::Ok);
    assert_eq!(refused(Request::new(Op::Store, cycles)), Status::OutOfRange);
    assert_eq!(refused(Request::new(Op::Arrive, cycles).with(1)), Status::OutOfRange);
    assert_eq!(refused(Request::new(Op::Load, cycles + 4)), Status::Misaligned);
    assert_eq!(refused(Request::new(Op::Load, counters::register(64))), Status::OutOfRange);
}

cases!(every_event_is_counted, only_loads_of_registers_that_there_are_succeed);

#[test]
fn without_counters_there_is_no_window() {
    use txbar_testbench::engine::rtl::Rtl;
    let mut script = Script::new(2);
    script.push(0, 0, register(Counter::Cycles.number()));
    let answers = play(Rtl::new(Parameters { counters: false, ..parameters() }), script);
    assert_eq!(answers[0][0].status, Status::OutOfRange.code());
}
