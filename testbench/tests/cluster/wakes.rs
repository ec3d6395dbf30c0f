//! The wake mask in clusters: all waits on one word are reported in one cycle.

use super::{BARRIER, ask, parameters, program, remote, thread, watch};
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::op::{NO_LIMIT, Op};
use txbar_rtl::parameters::Parameters;
use txbar_rtl::status::Status;
use txbar_testbench::cluster::rig::Environment;
use txbar_testbench::cluster::thread::{Bulk, Step, Want};
use txbar_testbench::request::Request;

/// Threads that wait at each port.
const WAITERS: usize = 5;

fn masked() -> ClusterParameters {
    let small = parameters(2, 3);
    let unit = Parameters { waiters: 16, wake_mask: true, ..small.unit };
    let parameters = ClusterParameters { unit, warps: 2 * WAITERS + 1, ..small };
    parameters.check().expect("it can be built")
}

/// What ends the phase, or the barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Arrival,
    RemoteArrival,
    Bytes,
    RemoteStore,
}

/// Five threads of each port wait on one word and one of port 1 on another: when the phase completes, or the barrier is stored over, a mask of
/// each port tells all five in one cycle, in the same at both ports, and nobody else.
#[test]
fn all_waits_on_a_word_are_told_at_once() {
    for end in [End::Arrival, End::RemoteArrival, End::Bytes, End::RemoteStore] {
        let status = if end == End::RemoteStore { Status::Invalidated } else { Status::Ok };
        let forever = u64::from(NO_LIMIT) << 32;
        let mut threads = Vec::new();
        for port in 0..2 {
            for number in 0..WAITERS {
                let waiter = program(|program| {
                    program.pause(40 + 3 * number as u32);
                    program.then(Step::Ask(ask(Op::TryWaitParity, forever), Want::Status(status)));
                });
                threads.push(thread(0, port, number, waiter));
            }
        }
        let other = program(|program| {
            let there = BARRIER + 32;
            program.ask(ask(Op::Init, 1)).ask(Request::new(Op::Init, there).with(1)).pause(40);
            if end == End::Bytes {
                program.ask(ask(Op::ArriveExpectTx, 16));
            }
            let wait = Request::new(Op::TryWaitParity, there).with(50_000 << 32);
            program.then(Step::Ask(wait, Want::Status(Status::Ok)));
        });
        threads.push(thread(0, 1, WAITERS, other));
        let ender = program(|program| {
            program.pause(200);
            let bulk = Bulk { global: 0, shared: 0x200, bytes: 16, barrier: BARRIER, ctas: 1, status: Status::Ok };
            match end {
                End::Arrival => {}
                End::RemoteArrival => drop(program.then(Step::Send(remote(Op::Arrive, 1, 0)))),
                End::Bytes => drop(program.then(Step::Bulk(bulk))),
                End::RemoteStore => drop(program.then(Step::Send(remote(Op::Store, 7, 0)))),
            }
        });
        threads.push(thread(1, 0, 0, ender));
        let arrival = program(|program| {
            program.pause(200).ask(ask(Op::Arrive, 1));
        });
        if end == End::Arrival {
            threads.push(thread(0, 0, WAITERS, arrival));
        }
        // cycles in which a mask is shown, the port, and who is told: completed, expired, ended
        let mut told = Vec::new();
        watch(masked(), threads, Environment::IDEAL, |cluster, cycle| {
            for port in (0..2).filter(|port| cluster.resume_valid[0].val().get_bit(*port)) {
                let resume = &cluster.resume[0][port];
                let masks = [&resume.completed, &resume.expired, &resume.ended];
                told.push((cycle, port, masks.map(|mask| mask.val().raw())));
            }
        });
        let all = (1 << WAITERS) - 1;
        let masks = if end == End::RemoteStore { [0, 0, all] } else { [all, 0, 0] };
        let expired = [0, 1 << WAITERS, 0];
        let first = told[0].0;
        let who: Vec<_> = told.iter().map(|(_, port, masks)| (*port, *masks)).collect();
        assert_eq!(who, [(0, masks), (1, masks), (1, expired)], "{end:?}: {told:?}");
        assert_eq!(told[1].0, first, "{end:?}: {told:?}");
    }
}
