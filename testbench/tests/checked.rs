//! Checked mode: every kind of misuse is told by its name, on every engine, and nothing else is. (That it is right in every
//! cycle of random traffic, the scoreboard sees to.)

#[macro_use]
mod engines;

use txbar_rtl::op::{NO_LIMIT, Op};
use txbar_rtl::parameters::{Design, Parameters};
use txbar_rtl::status::Status;
use txbar_testbench::engine::Engine;
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::request::{Request, Response};
use txbar_testbench::run::{self, Observer, Report, Script};
use txbar_testbench::traffic::{Conditions, Pattern, Plan};

const BARRIER: u32 = 0x40;
const TAG: u16 = 1;

fn parameters() -> Parameters {
    Parameters { ports: 3, banks: 2, words: 64, waiters: 6, checked: true, ..Parameters::default() }
}

/// What the ports were answered.
#[derive(Default)]
struct Answers([Vec<Response>; 3]);

impl<E> Observer<E> for Answers {
    fn answered(&mut self, _cycle: u64, port: usize, response: &Response) {
        if response.tag == TAG {
            self.0[port].push(*response); // and not the run's own look at the words at the end
        }
    }
}

fn play<E: Engine>(mut engine: E, script: Script) -> (Report, [Vec<Status>; 3]) {
    let mut answers = Answers::default();
    let report = run::source(&mut engine, script, Conditions::CALM, &mut answers);
    let report = report.unwrap_or_else(|failure| panic!("{failure}"));
    let status = |response: Response| Status::from_code(response.status.into()).expect("it is a status");
    (report, answers.0.map(|answers| answers.into_iter().map(status).collect()))
}

fn on(op: Op, data: u64) -> Request {
    Request::new(op, BARRIER).with(data).tagged(TAG)
}

/// One port's operations on the barrier, and how the last of them ended.
fn last<E: Engine>(engine: E, requests: &[(Op, u64)]) -> Status {
    let mut script = Script::new(3);
    for (op, data) in requests {
        script.push(0, 0, on(*op, *data));
    }
    *play(engine, script).1[0].last().expect("it is answered")
}

fn misuse_has_a_name<E: Engine>(make: impl Fn() -> E) {
    use Op::*;
    let ends = |requests: &[(Op, u64)], status| assert_eq!(last(make(), requests), status, "{requests:?}");
    for op in [Arrive, ArriveExpectTx, ArriveDrop, ExpectTx, CompleteTx, TestWait, TryWait, TestWaitParity, Inval] {
        ends(&[(op, 1)], Status::MissingInit);
        ends(&[(Init, 9), (Inval, 0), (op, 1)], Status::MissingInit);
        ends(&[(Init, 9), (Store, 0), (op, 1)], Status::MissingInit);
    }
    ends(&[(Load, 0)], Status::Ok);
    ends(&[(Store, 7)], Status::Ok);
    ends(&[(PendingCount, 0)], Status::Ok);
    ends(&[(Init, 2)], Status::Ok);
    ends(&[(Init, 2), (Inval, 0)], Status::Ok);
    ends(&[(Init, 2), (Inval, 0), (Init, 2)], Status::Ok);
    ends(&[(Init, 2), (Init, 2)], Status::ReinitWithoutInval);
    ends(&[(Init, 2), (Store, 7)], Status::StoreToBarrier);
    ends(&[(Init, 2), (Store, 7), (Store, 7)], Status::Ok);
    ends(&[(Init, 2), (Load, 0)], Status::Ok);
    // the first phase needs no wait; the second one does, of anybody
    ends(&[(Init, 1), (Arrive, 1)], Status::Ok);
    ends(&[(Init, 1), (Arrive, 1), (Arrive, 1)], Status::MissingWait);
    ends(&[(Init, 1), (Arrive, 1), (ArriveExpectTx, 1)], Status::MissingWait);
    ends(&[(Init, 1), (Arrive, 1), (TestWaitParity, 0), (Arrive, 1)], Status::Ok);
    ends(&[(Init, 1), (Arrive, 1), (TestWaitParity, 1), (Arrive, 1)], Status::MissingWait);
    ends(&[(Init, 2), (ArriveNoComplete, 1)], Status::Ok);
    ends(&[(Init, 1), (ArriveNoComplete, 1)], Status::NoCompleteCompleted);
    ends(&[(Init, 2), (ArriveDropNoComplete, 2)], Status::NoCompleteCompleted);
    // what the request shows comes first, and then what checked mode finds
    ends(&[(Arrive, 1 << 20)], Status::OperandRange);
    ends(&[(Init, 1), (Arrive, 2)], Status::PendingUnderflow);
}

/// A wait that is suspended sees its phase complete; one that is cancelled is reported.
fn suspended_waits_count<E: Engine>(make: impl Fn() -> E) {
    let wait = on(Op::TryWaitParity, u64::from(NO_LIMIT) << 32);
    let mut script = Script::new(3);
    script.push(0, 0, on(Op::Init, 1)).push(1, 9, wait).push(0, 19, on(Op::Arrive, 1)).push(0, 0, on(Op::Arrive, 1));
    assert_eq!(play(make(), script).1[0], [Status::Ok; 3], "the wait has seen it");

    let mut script = Script::new(3);
    script.push(0, 0, on(Op::Init, 1)).push(1, 9, wait).push(0, 19, on(Op::Inval, 0));
    let (report, statuses) = play(make(), script);
    assert_eq!(statuses[0], [Status::Ok, Status::InvalWithWaiters]);
    assert_eq!(statuses[1], [Status::Invalidated]);
    assert_eq!(
        report.remarks[0].to_string(),
        format!("inval_with_waiters: word 8, phase 0, port 0, tag 1, cycle {}: inval relaxed @0x40 (tag 1)", 24)
    );
    assert_eq!(report.remarked, 1);

    let mut script = Script::new(3);
    script.push(1, 0, wait);
    let (report, statuses) = play(make(), script);
    assert_eq!((report.suspended, &statuses[1][..]), (0, &[Status::MissingInit][..]), "it is told at once");
}

/// Of operations that are done together, the last that moves counts completes the phase.
fn groups_are_told_one_by_one<E: Engine>(make: impl Fn() -> E) {
    let group = |members: [Request; 3], pending| {
        let mut script = Script::new(3);
        script.push(0, 0, on(Op::Init, pending));
        for (port, member) in members.into_iter().enumerate() {
            script.push(port, if port == 0 { 19 } else { 20 }, member);
        }
        let (report, statuses) = play(make(), script);
        (statuses.map(|statuses| *statuses.last().expect("it is answered")), report.combined > 0.0)
    };
    let promise = on(Op::ArriveNoComplete, 1);
    let broken = Status::NoCompleteCompleted;
    assert_eq!(group([promise, promise, promise], 4), ([Status::Ok; 3], true));
    assert_eq!(group([promise, promise, promise], 3), ([Status::Ok, Status::Ok, broken], true));
    assert_eq!(group([promise, on(Op::Arrive, 1), on(Op::Load, 0)], 2), ([Status::Ok; 3], true));
    assert_eq!(
        group([on(Op::Arrive, 1), promise, on(Op::TestWaitParity, 0)], 2),
        ([Status::Ok, broken, Status::Ok], true)
    );
    let bytes = [on(Op::ArriveExpectTx, 16), promise, on(Op::CompleteTx, 16)];
    assert_eq!(group(bytes, 2).0, [Status::Ok; 3], "the bytes complete it");
}

cases!(misuse_has_a_name, suspended_waits_count, groups_are_told_one_by_one);

#[test]
fn random_traffic() {
    for (seed, pattern) in [Pattern::Hot, Pattern::Same, Pattern::Neighbours, Pattern::Random].into_iter().enumerate() {
        for (ports, banks, waiters) in [(1, 1, 0), (1, 1, 4), (2, 1, 32), (4, 8, 32), (8, 2, 9)] {
            let parameters = Parameters { ports, banks, waiters, checked: true, ..Parameters::default() };
            let plan = Plan { stall: 10, bank_stall: 5, pattern, ..Plan::new(seed as u64, 20_000) };
            let report = run::plan(&mut Rtl::new(parameters), &plan, &mut run::Unobserved);
            assert!(report.unwrap_or_else(|failure| panic!("{}: {failure}", parameters.label())).remarked > 0);
        }
    }
}
