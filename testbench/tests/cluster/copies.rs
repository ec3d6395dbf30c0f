//! Copies into the memories of a cluster: what is refused, arrivals behind them, multicast, and how they share the banks.

use super::*;
use txbar_testbench::cluster::thread::Async;

/// Descriptors that are refused do nothing; their neighbours do.
#[test]
fn descriptors_are_refused_with_a_status() {
    let bytes = 512 * 8;
    let good = Bulk { global: 0x4000, shared: 0x200, bytes: 64, barrier: BARRIER, ctas: 0, status: Status::Ok };
    let refused = [
        Bulk { global: 0x4008, status: Status::Misaligned, ..good },
        Bulk { shared: 0x208, status: Status::Misaligned, ..good },
        Bulk { bytes: 24, status: Status::Misaligned, ..good },
        Bulk { barrier: 0x44, status: Status::Misaligned, ..good },
        Bulk { shared: bytes, status: Status::OutOfRange, ..good },
        Bulk { shared: bytes - 16, bytes: 32, status: Status::OutOfRange, ..good },
        Bulk { bytes: 0xffff_fff0, status: Status::OutOfRange, ..good },
        Bulk { barrier: bytes, status: Status::OutOfRange, ..good },
        Bulk { bytes: 0, ..good },
    ];
    let copies = program(|program| {
        program.ask(ask(Op::Init, 1));
        for bulk in refused {
            program.then(Step::Bulk(bulk));
        }
        program.then(Step::Bulk(good)).ask(ask(Op::ArriveExpectTx, 64)).wait(BARRIER, 0).compare(0x200, 0x4000, 64);
        program.then(Step::Bulk(Bulk { shared: bytes - 64, ..good })).ask(ask(Op::ArriveExpectTx, 64));
        program.wait(BARRIER, 1).compare(bytes - 64, 0x4000, 64);
    });
    let report = run(parameters(1, 1), vec![thread(0, 0, 0, copies)]);
    assert_eq!(report.bytes_copied, 128);
}

/// `cp.async.mbarrier.arrive` of a thread: tx + 1 at once, - 1 when its copies are done; an arrival that follows at once does
/// not complete the phase before them; `.noinc` is an arrival itself; with nothing outstanding it arrives at once.
#[test]
fn arrivals_of_cp_async() {
    let copy = |piece: u32| {
        Step::Async(Async::Copy { global: 0x900 + u64::from(piece) * 8, shared: 0x300 + piece * 8, bytes: 8 })
    };
    for noinc in [false, true] {
        for copies in [0, 1, 5, 20] {
            let copier = program(|program| {
                program.ask(ask(Op::Init, 1));
                for piece in 0..copies {
                    program.then(copy(piece));
                }
                program.copies_arrive(BARRIER, noinc);
                if !noinc {
                    program.ask(ask(Op::Arrive, 1));
                }
                program.wait(BARRIER, 0).compare(0x300, 0x900, copies * 8);
                program.then(Step::Ask(ask(Op::Load, 0), Want::Word(0xffff_f800_001f_fffe)));
            });
            let report = run(parameters(1, 1), vec![thread(0, 0, 0, copier)]);
            assert_eq!(report.flips, 1);
        }
    }
}

/// `cp.async.mbarrier.arrive` is told at once that the word has faulted, as on an H200: nothing of it is asynchronous then.
#[test]
fn a_fault_of_cp_async_mbarrier_arrive_is_told() {
    let tainted = 0x7fff_fc00_001f_fffe;
    let fault = program(|program| {
        program.ask(ask(Op::Store, tainted));
        program.then(Step::Ask(ask(Op::CpAsyncBegin, 0), Want::Status(Status::FaultedWord)));
        program.then(Step::Ask(ask(Op::Load, 0), Want::Word(tainted)));
    });
    assert_eq!(run(parameters(1, 1), vec![thread(0, 0, 0, fault)]).faults, 1);
}

/// An asynchronous fault is told to nobody: it sets the sticky bit of the word.
#[test]
fn a_fault_of_an_asynchronous_arrival_is_sticky() {
    let fault = program(|program| {
        program.ask(ask(Op::Init, 1)).ask(ask(Op::ArriveDrop, 1));
        program.then(Step::Async(Async::Arrive { barrier: BARRIER, noinc: true })).pause(30);
        program.then(Step::Ask(ask(Op::Arrive, 1), Want::Status(Status::FaultedWord)));
        program.then(Step::Ask(ask(Op::Load, 0), Want::Word(1 << 63 | 1 << 42)));
    });
    assert_eq!(run(parameters(1, 1), vec![thread(0, 0, 0, fault)]).faults, 2);
}

/// A copy to several CTAs lands in all of them and completes on the barrier of each.
#[test]
fn a_multicast_lands_everywhere() {
    let ctas = 4;
    let bulk = Bulk { global: 0x7650, shared: 0x310, bytes: 400, barrier: BARRIER, ctas: 0b1011, status: Status::Ok };
    let threads = (0..ctas)
        .map(|cta| {
            let waits = bulk.ctas >> cta & 1 != 0;
            let program = program(|program| {
                program.ask(ask(Op::Init, 1)).ask(ask(Op::ArriveExpectTx, if waits { 400 } else { 8 })).round();
                if cta == 0 {
                    program.then(Step::Bulk(bulk));
                }
                if waits {
                    program.wait(BARRIER, 0).compare(0x310, 0x7650, 400);
                }
                program.round();
                let next = 0x320;
                program.then(Step::Ask(
                    Request::new(Op::Load, next),
                    Want::Word(if waits { global::word(0x7660) } else { 0 }),
                ));
            });
            thread(cta, 0, 0, program)
        })
        .collect();
    assert_eq!(run(parameters(ctas, 5), threads).bytes_copied, 1200);
}

/// What four ports do to barriers while a copy goes on.
#[derive(Clone, Copy, Debug)]
enum Hammer {
    /// Nothing.
    Rest,
    /// Everybody expects bytes on one barrier: all requests of a cycle are one update.
    One,
    /// Eight barriers in all banks.
    Spread,
    /// Arrivals on a barrier for three: most groups complete a phase in their middle, and are done one by one.
    Split,
}

/// Bytes a cycle that a long bulk copy brings into a memory, and operations a cycle that its four ports have done meanwhile.
fn rates(copies: bool, hammer: Hammer) -> (f64, f64) {
    let unit = Parameters { ports: 4, words: 4096, number_bits: 1, counters: false, ..Parameters::default() };
    let parameters = ClusterParameters { unit, ctas: 1, warps: 1, ..ClusterParameters::default() };
    let mut threads = Vec::new();
    if copies {
        let copier = program(|program| {
            program.ask(Request::new(Op::Init, 0x100).with(1));
            for round in 0..40 {
                let bulk = Bulk {
                    global: round * 0x10000,
                    shared: 0x4000,
                    bytes: 8192,
                    barrier: 0x100,
                    ctas: 0,
                    status: Status::Ok,
                };
                program.then(Step::Bulk(bulk));
            }
        });
        threads.push(thread(0, 0, 100, copier));
    }
    for port in 0..4 {
        let hammerer = program(|program| {
            if port == 0 {
                program.ask(ask(Op::Init, 3));
            }
            program.pause(60);
            for turn in 0..4000u32 {
                let spread = 0x40 + (turn * 7 + port as u32 * 3) % 8 * 8;
                let (op, barrier, data) = match hammer {
                    Hammer::Rest => break,
                    Hammer::One => (Op::ExpectTx, BARRIER, 1),
                    Hammer::Spread if turn % 4 == 3 => (Op::TestWaitParity, spread, 0),
                    Hammer::Spread => (Op::ExpectTx, spread, 1),
                    Hammer::Split => (Op::Arrive, BARRIER, 1),
                };
                program.then(Step::Send(Request::new(op, barrier).with(data)));
            }
        });
        threads.push(thread(0, port, port, hammerer));
    }
    let (mut copied, mut done) = (0u64, 0u64);
    let mut rig = Rig::new(parameters, threads, Environment { memory: 30..=30, ..Environment::IDEAL });
    let window = 200..4000;
    for _ in 0..window.end {
        let looked = rig.step(&mut |_, _| {}, &mut |cluster: &Cluster, cycle| {
            if window.contains(&cycle) {
                let unit = &cluster.cta[0].unit;
                if unit.write_taken[0].val() {
                    copied += u64::from(unit.write_strobe[0].val().raw().count_ones());
                }
                done += u64::from((unit.done_valid.val().raw() & 0b1111).count_ones());
            }
        });
        looked.unwrap_or_else(|failure| panic!("{failure}"));
    }
    let cycles = window.count() as f64;
    (copied as f64 / cycles, done as f64 / cycles)
}

/// 16 bytes a cycle and more, whatever four ports do to barriers meanwhile; what both sides lose is printed.
#[test]
fn copies_and_barriers_share_the_banks() {
    let (alone, _) = rates(true, Hammer::Rest);
    println!("bulk copy alone: {alone:.2} bytes a cycle");
    assert!(alone >= 27.9, "{alone}");
    for hammer in [Hammer::One, Hammer::Spread, Hammer::Split] {
        let ((_, barriers), (copies, hammered)) = (rates(false, hammer), rates(true, hammer));
        println!("{hammer:?}: {copies:.2} bytes, {hammered:.3} operations a cycle, {barriers:.3} without the copy");
        assert!(copies >= 16.0, "{hammer:?}: {copies}");
        assert!(hammered >= 0.4 * barriers, "{hammer:?}: {hammered} of {barriers}");
    }
}
