//! Directed cases on a cluster: what goes to other CTAs, barrier.cluster, copies (`copies.rs`), loads and stores of warps (`loads.rs`), the wake mask
//! (`wakes.rs`), and how long it takes.

mod copies;
mod loads;
mod wakes;

use std::cell::RefCell;
use txbar_rtl::cluster::Cluster;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::cluster::rendezvous::Act;
use txbar_rtl::op::Op;
use txbar_rtl::ordering::{Order, Scope, Semantics};
use txbar_rtl::parameters::Parameters;
use txbar_rtl::status::Status;
use txbar_rtl::word::FAULT;
use txbar_rtl::word::address::mapa;
use txbar_testbench::cluster::global;
use txbar_testbench::cluster::rig::{Environment, Report, Rig};
use txbar_testbench::cluster::thread::{Bulk, Program, Step, Thread, Want};
use txbar_testbench::model::{Fault, serve};
use txbar_testbench::request::Request;
use txbar_testbench::silicon::{self, Expected};

/// A small cluster.
fn parameters(ctas: usize, link_cycles: usize) -> ClusterParameters {
    let unit = Parameters { ports: 2, banks: 4, number_bits: 1, counters: false, ..Parameters::default() };
    ClusterParameters { unit, ctas, link_cycles, warps: 1, ..ClusterParameters::default() }
}

/// A thread on a port, with a number and a warp of its own.
fn thread(cta: usize, port: usize, number: usize, program: Program) -> Thread {
    Thread { cta, port, number: number as u16, warp: number, program: program.0 }
}

fn program(build: impl FnOnce(&mut Program)) -> Program {
    let mut program = Program::default();
    build(&mut program);
    program
}

/// Runs threads to their end with a look at every cycle.
fn watch(
    parameters: ClusterParameters,
    threads: Vec<Thread>,
    environment: Environment,
    look: impl FnMut(&Cluster, u64),
) -> Report {
    let mut rig = Rig::new(parameters, threads, environment);
    rig.run(&mut |_, _| {}, look).unwrap_or_else(|failure| panic!("{failure}"))
}

fn run(parameters: ClusterParameters, threads: Vec<Thread>) -> Report {
    watch(parameters, threads, Environment::IDEAL, |_, _| {})
}

const BARRIER: u32 = 0x40;

fn ask(op: Op, data: u64) -> Request {
    Request::new(op, BARRIER).with(data)
}

fn remote(op: Op, data: u64, rank: usize) -> Request {
    Request { address: mapa(BARRIER, rank), ..ask(op, data) }.from_remote()
}

/// Every operation to another CTA: those that PTX allows are done, the others answer `remote_unsupported` and change nothing.
#[test]
fn what_may_be_asked_of_another_cta() {
    use Op::*;
    let init = 4u64;
    let word = |pending: u64, expected: u64, tx: i64| {
        ((1 << 20) - pending) << 43 | (tx.wrapping_neg() as u64 & 0x1f_ffff) << 21 | ((1 << 20) - expected) << 1
    };
    let untouched = word(4, 4, 0);
    let cases = [
        (Arrive, 1, Some(word(3, 4, 0))),
        (ArriveExpectTx, 16, Some(word(3, 4, 16))),
        (ArriveDrop, 1, Some(word(3, 3, 0))),
        (ArriveDropExpectTx, 16, Some(word(3, 3, 16))),
        (ExpectTx, 16, Some(word(4, 4, 16))),
        (CompleteTx, 16, Some(word(4, 4, -16))),
        (Store, 77, Some(77)),
        (Load, 0, Some(untouched)),
        (Init, 9, None),
        (Inval, 0, None),
        (ArriveNoComplete, 1, None),
        (ArriveDropNoComplete, 1, None),
        (TestWait, 0, None),
        (TestWaitParity, 0, None),
        (TryWait, 0, None),
        (TryWaitParity, 0, None),
        (PendingCount, 0, None),
    ];
    for (op, data, after) in cases {
        let status = if after.is_some() { Status::Ok } else { Status::RemoteUnsupported };
        let far = program(|program| {
            program.round();
            let want = if op == Load { Want::Word(untouched) } else { Want::Status(status) };
            program.then(Step::Ask(remote(op, data, 1), want)).round();
        });
        let near = program(|program| {
            program.ask(ask(Init, init)).round().round();
            program.then(Step::Ask(ask(Load, 0), Want::Word(after.unwrap_or(untouched))));
        });
        run(parameters(2, 3), vec![thread(0, 0, 0, far), thread(1, 0, 0, near)]);
    }
}

/// What an H200 does with a fault from another CTA: nobody traps, and the word gets its fault bit. Every row that was
/// recorded, done from CTA 0 on a word of CTA 1: the word afterwards, and the status that the other CTA is told here.
#[test]
fn faults_from_another_cta_mark_the_word() {
    let recording = include_str!("../../silicon/h200_other_cta.csv");
    let records = silicon::read("other", recording.as_bytes()).expect("it is a recording");
    let mut marked = 0;
    for batch in records.chunks(40) {
        let places = || (0..).map(|place| BARRIER + 8 * place);
        let far = program(|program| {
            program.round();
            for (record, address) in batch.iter().zip(places()) {
                let mut word = record.word_before;
                for &op in record.op.ops {
                    let request = Request::new(op, address).with(record.data).from_remote();
                    let (after, outcome) = serve(word, &Request { elsewhere: true, ..request }, 1 << 20);
                    word = after;
                    let status = outcome.fault.map_or(Status::Ok, Fault::status);
                    program.then(Step::Ask(Request { address: mapa(address, 1), ..request }, Want::Status(status)));
                }
                assert!(
                    matches!(record.expected, Expected::Done { word_after, .. } if word_after == word),
                    "the model"
                );
            }
            program.round();
        });
        let near = program(|program| {
            for (record, address) in batch.iter().zip(places()) {
                program.ask(Request::new(Op::Store, address).with(record.word_before));
            }
            program.round().round();
            for (record, address) in batch.iter().zip(places()) {
                let Expected::Done { word_after, .. } = record.expected else { panic!("nothing traps there") };
                marked += (FAULT.of(word_after ^ record.word_before) != 0) as usize;
                program.then(Step::Ask(Request::new(Op::Load, address), Want::Word(word_after)));
            }
        });
        run(parameters(2, 3), vec![thread(0, 0, 0, far), thread(1, 0, 0, near)]);
    }
    assert_eq!((records.len(), marked), (135, 57)); // and 13 of the 70 were marked before
}

/// The next operation of the word's own CTA finds the fault, and one that is refused without a look at the word leaves none.
#[test]
fn a_fault_from_another_cta_is_found_at_home() {
    let far = program(|program| {
        program.round();
        program.then(Step::Ask(remote(Op::TestWaitParity, 0, 1), Want::Status(Status::RemoteUnsupported))).round();
        program.then(Step::Ask(remote(Op::Arrive, 3, 1), Want::Status(Status::PendingUnderflow))).round();
    });
    let near = program(|program| {
        program.ask(ask(Op::Init, 2)).round().round();
        program.then(Step::Ask(ask(Op::TestWaitParity, 0), Want::Status(Status::Ok))).round();
        program.then(Step::Ask(ask(Op::TestWaitParity, 0), Want::Status(Status::FaultedWord)));
    });
    run(parameters(2, 3), vec![thread(0, 0, 0, far), thread(1, 0, 0, near)]);
}

/// An address of `.shared::cluster` that names the own CTA, and one that names none.
#[test]
fn addresses_of_the_cluster_at_home_and_nowhere() {
    let home = program(|program| {
        program.ask(ask(Op::Init, 4)).ask(remote(Op::Arrive, 1, 0));
        program.then(Step::Ask(remote(Op::TestWaitParity, 0, 0), Want::Status(Status::RemoteUnsupported)));
        program.then(Step::Ask(remote(Op::Arrive, 1, 5), Want::Status(Status::OutOfRange)));
        let beyond = Request { address: mapa(0x10_0000, 1), ..ask(Op::Arrive, 1) }.from_remote();
        program.then(Step::Ask(beyond, Want::Status(Status::OutOfRange)));
        program.then(Step::Ask(ask(Op::PendingCount, 0), Want::Status(Status::Ok)));
        program.then(Step::Ask(ask(Op::Load, 0), Want::Word(0x7fff_e800_001f_fff8)));
    });
    run(parameters(2, 1), vec![thread(0, 0, 0, home)]);
}

/// Cycle in which requests leave CTA 0, and in which they take effect in CTA 1.
fn departures_and_effects(link_cycles: usize, arrivals: usize, senders: &[(usize, usize)]) -> (Vec<u64>, Vec<u64>) {
    let ctas = senders.iter().map(|(cta, _)| cta + 2).max().unwrap_or(2);
    let target = ctas - 1;
    let mut threads = vec![thread(
        target,
        0,
        0,
        program(|program| {
            program.ask(ask(Op::Init, 1000)).round();
        }),
    )];
    for &(cta, port) in senders {
        let sender = program(|program| {
            if port == 0 {
                program.round();
            } else {
                program.pause(100);
            }
            for _ in 0..arrivals {
                program.then(Step::Send(remote(Op::Arrive, 1, target)));
            }
        });
        threads.push(thread(cta, port, port, sender));
    }
    for cta in 0..target {
        if !senders.contains(&(cta, 0)) {
            threads.push(thread(
                cta,
                0,
                0,
                program(|program| {
                    program.round();
                }),
            ));
        }
    }
    let (departures, effects) = (RefCell::new(Vec::new()), RefCell::new(Vec::new()));
    let parameters = ClusterParameters { remote_depth: 64, ..parameters(ctas, link_cycles) };
    watch(parameters, threads, Environment::IDEAL, |cluster, cycle| {
        for &(cta, port) in senders {
            if cluster.cta[cta].goes_elsewhere(port)
                && (cluster.req_valid[cta].val().raw() & cluster.req_ready[cta].val().raw()) >> port & 1 != 0
            {
                departures.borrow_mut().push(cycle);
            }
        }
        if cluster.cta[target].unit.done_valid.val().get_bit(2) {
            effects.borrow_mut().push(cycle);
        }
    });
    (departures.into_inner(), effects.into_inner())
}

#[test]
fn a_remote_arrive_takes_effect_four_cycles_after_its_link() {
    for link_cycles in [1, 2, 8, 20] {
        let (departures, effects) = departures_and_effects(link_cycles, 1, &[(0, 0)]);
        assert_eq!(effects, [departures[0] + link_cycles as u64 + 4], "{link_cycles} cycles");
    }
}

/// One port keeps a link busy: one remote arrive a cycle, sustained.
#[test]
fn one_remote_arrive_a_cycle_into_each_cta() {
    for (link_cycles, senders) in [(1, &[(0, 0)][..]), (8, &[(0, 0)]), (8, &[(0, 0), (0, 1)]), (3, &[(0, 0), (1, 0)])] {
        let arrivals = 400;
        let (_, effects) = departures_and_effects(link_cycles, arrivals, senders);
        assert_eq!(effects.len(), arrivals * senders.len());
        // but for the beginning and the end
        let middle = &effects[effects.len() / 4..effects.len() * 3 / 4];
        let cycles = middle[middle.len() - 1] - middle[0];
        assert_eq!(cycles as usize, middle.len() - 1, "{link_cycles} cycles, {senders:?}");
    }
}

/// Two CTAs that send to a third have their turn one after the other.
#[test]
fn links_are_fair() {
    let (ctas, target) = (4, 3);
    let sender = |cta: usize| {
        let sender = program(|program| {
            program.round();
            for _ in 0..200 {
                program.then(Step::Send(remote(Op::ExpectTx, 1, target)));
            }
        });
        thread(cta, 0, 0, sender)
    };
    let receiver = thread(
        target,
        0,
        0,
        program(|program| {
            program.ask(ask(Op::Init, 1)).round();
        }),
    );
    let threads = vec![sender(0), sender(1), sender(2), receiver];
    let mut waited = [0u32; 3];
    let parameters = ClusterParameters { remote_depth: 64, ..parameters(ctas, 2) };
    watch(parameters, threads, Environment::IDEAL, |cluster, _| {
        for (cta, waited) in waited.iter_mut().enumerate() {
            let asks = cluster.cta[cta].send[0].val().any();
            let taken = cluster.cta[cta].send_taken[0].val();
            *waited = if asks && !taken { *waited + 1 } else { 0 };
            assert!(*waited < ctas as u32, "CTA {cta} waits too long");
        }
    });
}

/// The round of barrier.cluster over two CTAs, from the last arrival to the answers.
#[test]
fn a_round_takes_a_link_and_four_cycles() {
    for link_cycles in [1, 4, 16] {
        let late = program(|program| {
            program.round().pause(200).round();
        });
        let early = program(|program| {
            program.round().round();
        });
        let (mut arrived, mut answered) = (Vec::new(), Vec::new());
        watch(
            parameters(2, link_cycles),
            vec![thread(0, 0, 0, early), thread(1, 0, 0, late)],
            Environment::IDEAL,
            |cluster, cycle| {
                let request = cluster.bar_req[1].valid.val() && cluster.bar_req[1].ready.val();
                if request && cluster.bar_req[1].op.val() == u64::from(Act::Arrive.code()) {
                    arrived.push(cycle);
                }
                if cluster.bar_rsp[0].valid.val() {
                    answered.push(cycle);
                }
            },
        );
        let took = answered[3] - arrived[1];
        assert_eq!(took, link_cycles as u64 + 4, "{link_cycles} cycles");
        assert!(took <= 2 * link_cycles as u64 + 6);
    }
}

/// Release at cluster scope: a store to a CTA that is slow to be asked is seen by whoever sees the arrival in another.
#[test]
fn a_release_waits_for_stores_elsewhere() {
    let release = Order { semantics: Semantics::Release, scope: Scope::Cluster };
    for (order, in_order) in [(release, true), (Order { semantics: Semantics::Relaxed, scope: Scope::Cta }, false)] {
        let sender = program(|program| {
            program.round();
            for word in 0..8 {
                let address = mapa(0x100 + word * 8, 1);
                program.then(Step::Send(Request::new(Op::Store, address).with(5).from_remote()));
            }
            program.then(Step::Send(
                Request { address: mapa(BARRIER, 2), ..ask(Op::Arrive, 1) }.from_remote().ordered(order),
            ));
        });
        let idle = |init: bool| {
            program(|program| {
                if init {
                    program.ask(ask(Op::Init, 1));
                }
                program.round();
            })
        };
        let threads = vec![thread(0, 0, 0, sender), thread(1, 0, 0, idle(false)), thread(2, 0, 0, idle(true))];
        let (mut stores, mut arrival) = (Vec::new(), None);
        watch(parameters(3, 6), threads, Environment::IDEAL, |cluster, cycle| {
            if cluster.cta[1].unit.done_valid.val().get_bit(2) {
                stores.push(cycle);
            }
            if cluster.cta[2].unit.done_valid.val().get_bit(2) {
                arrival = Some(cycle);
            }
        });
        let arrival = arrival.expect("it arrives");
        assert_eq!(stores.len(), 8);
        let last = stores[7];
        assert_eq!(arrival > last + 6, in_order, "{order:?}: last store {last}, arrival {arrival}");
    }
}

/// The first seed of trouble: bytes complete before they are expected. The tx-count goes below zero and comes back, and the
/// phase completes once, when both have happened.
#[test]
fn bytes_that_complete_before_they_are_expected() {
    let bulk = Bulk { global: 0x1230, shared: 0x200, bytes: 96, barrier: BARRIER, ctas: 0, status: Status::Ok };
    let early = program(|program| {
        program.ask(ask(Op::Init, 1)).then(Step::Bulk(bulk)).pause(100);
        program.then(Step::Ask(ask(Op::Load, 0), Want::Word(0x7fff_f800_0c1f_fffe)));
        program.then(Step::Ask(ask(Op::TestWaitParity, 0), Want::Status(Status::Ok)));
        program.ask(ask(Op::ArriveExpectTx, 96)).wait(BARRIER, 0).compare(0x200, 0x1230, 96);
    });
    let report = run(parameters(1, 1), vec![thread(0, 0, 0, early)]);
    assert_eq!((report.flips, report.bytes_copied), (1, 96));
}

/// The second: an arrival in phase N + 1 races the last waiter of N. Both waits are answered with yes.
#[test]
fn an_arrival_in_the_next_phase_races_the_last_waiter() {
    for pause in 0..24 {
        let racer = program(|program| {
            program.ask(ask(Op::Init, 1)).pause(30);
            // completes phase 0, and the next one at once
            program.ask(ask(Op::Arrive, 1)).wait(BARRIER, 0).ask(ask(Op::Arrive, 1)).wait(BARRIER, 1);
        });
        // a waiter with parity 0 that comes after the second completion sees parity 0 again: two phases behind, it waits on.
        // One that was suspended or looks in between is told.
        let waiter = program(|program| {
            program.pause(10 + pause).wait(BARRIER, 0);
            program.pause(30).ask(ask(Op::Load, 0));
        });
        let other = program(|program| {
            program.pause(90).ask(ask(Op::Arrive, 1));
        });
        let report =
            run(parameters(1, 1), vec![thread(0, 0, 0, racer), thread(0, 1, 0, waiter), thread(0, 1, 1, other)]);
        assert_eq!(report.flips, 3);
    }
}

/// A wait that is suspended is told when its barrier is overwritten, whoever does it: a store of another CTA, or a copy.
/// (Random traffic found that stores of other CTAs told nobody.)
#[test]
fn waits_are_told_of_whoever_overwrites_their_barrier() {
    let wait = ask(Op::TryWaitParity, 50_000 << 32);
    for by_copy in [false, true] {
        let waiter = program(|program| {
            program.ask(ask(Op::Init, 1)).round();
            program.then(Step::Ask(wait, Want::Status(Status::Invalidated)));
        });
        let other = program(|program| {
            program.round().pause(40);
            if by_copy {
                let ctas = 0b01;
                let bulk = Bulk { global: 0x500, shared: BARRIER, bytes: 16, barrier: 0x80, ctas, status: Status::Ok };
                program.then(Step::Bulk(bulk));
            } else {
                program.then(Step::Send(remote(Op::Store, 7, 0)));
            }
        });
        run(parameters(2, 2), vec![thread(0, 0, 0, waiter), thread(1, 0, 0, other)]);
    }
    // half a block of 32 bytes is copied: a wait on a barrier in the other half goes on
    let waiter = program(|program| {
        program.ask(ask(Op::Init, 1)).then(Step::Bulk(Bulk {
            global: 0x500,
            shared: BARRIER + 16,
            bytes: 16,
            barrier: BARRIER,
            ctas: 0,
            status: Status::Ok,
        }));
        program.ask(ask(Op::ArriveExpectTx, 16)).wait(BARRIER, 0);
    });
    run(parameters(1, 1), vec![thread(0, 0, 0, waiter)]);
}

/// A thread that asks for ever is a hang as well, whether each of its waits is suspended or not.
#[test]
fn a_thread_that_polls_for_ever_is_a_hang() {
    for waiters in [0, 4] {
        let parameters = parameters(1, 1);
        let parameters = ClusterParameters { unit: Parameters { waiters, ..parameters.unit }, ..parameters };
        let threads = vec![thread(
            0,
            0,
            0,
            program(|program| {
                program.ask(ask(Op::Init, 1)).wait(BARRIER, 0);
            }),
        )];
        let failure = Rig::new(parameters, threads, Environment::IDEAL).run(&mut |_, _| {}, |_, _| {});
        let failure = failure.expect_err("nobody arrives");
        assert!(failure.is_hang() && failure.what.contains("CTA 0 port 0 thread 0: "), "{waiters}: {failure}");
    }
}
