//! Loads and stores of warps in clusters: beside copies, reductions and threads, in order with the barriers of their port; and faults injected
//! in that.

use super::{BARRIER, ask, parameters, program, thread};
use rand::prelude::*;
use rand::rngs::Xoshiro256PlusPlus;
use txbar_rtl::cluster::Cluster;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::op::Op;
use txbar_rtl::ordering::{Order, Scope, Semantics};
use txbar_rtl::parameters::Parameters;
use txbar_rtl::status::Status;
use txbar_rtl::warp::access::Size;
use txbar_rtl::word::FAULT;
use txbar_rtl::word::address::mapa;
use txbar_testbench::cluster::rig::{Environment, Rig};
use txbar_testbench::cluster::thread::{Bulk, Step, Want};
use txbar_testbench::cluster::traffic::Plan;
use txbar_testbench::cluster::warps::Asked;
use txbar_testbench::faults::cluster_memory::FAULTS;
use txbar_testbench::request::Request;
use txbar_testbench::test_env;
use txbar_testbench::warp::memory::{Access, Reach};
use txbar_testbench::warp::traffic::random;
use txbar_testbench::warp::{Instruction, Lane};

/// Clusters whose warps load and store.
fn with_warps(ctas: usize, lanes: usize, banks: usize) -> ClusterParameters {
    let small = parameters(ctas, 2);
    let unit = Parameters { banks, words: 256, ..small.unit };
    let parameters = ClusterParameters { unit, lanes, warp_memory: true, ..small };
    parameters.check().expect("it can be built")
}

/// Random traffic in which every cycle's steps are judged.
fn plans(seed: u64) -> [Plan; 3] {
    [(2, 8, 4), (3, 32, 8), (1, 4, 2)].map(|(ctas, lanes, banks)| {
        let mut parameters = Plan::cluster(ctas);
        (parameters.lanes, parameters.warp_memory, parameters.unit.banks) = (lanes, true, banks);
        Plan { parameters, seed, cycles: 4_000, stall: [0, 15, 50][seed as usize % 3], rush: false }
    })
}

/// All lanes arrive on a barrier.
fn arrive(lanes: usize) -> Asked {
    let lanes = vec![Some(Lane { address: BARRIER, operand: 1 }); lanes];
    Asked::Barriers(Instruction { op: Op::Arrive, remote: false, elsewhere: false, lanes }, 0)
}

/// Loads and stores of some CTA's warp, one after the other, on a plain array of bytes: what each active lane must be told, if it loads.
#[derive(Default)]
struct Plain {
    bytes: Vec<u8>,
    told: Vec<Vec<Option<u128>>>,
}

impl Plain {
    fn then(&mut self, access: &Access) {
        let bytes = access.size.map_or(0, Size::bytes) as usize;
        let mut told = Vec::new();
        for lane in &access.lanes {
            let place = lane.map(|lane| lane.address as usize..lane.address as usize + bytes);
            told.push(
                place
                    .clone()
                    .filter(|_| !access.stores)
                    .map(|place| self.bytes[place].iter().rev().fold(0, |value, byte| value << 8 | u128::from(*byte))),
            );
            if let (Some(lane), Some(place), true) = (lane, place, access.stores) {
                self.bytes[place].copy_from_slice(&lane.data.to_le_bytes()[..bytes]);
            }
        }
        self.told.push(told);
    }
}

/// Any load or store of the first so many bytes that nobody refuses.
fn any(lanes: usize, end: u32, random: &mut Xoshiro256PlusPlus) -> Access {
    let size = *Size::ALL.choose(random).expect("there are some");
    let places = end / size.bytes();
    let (first, stride) = (random.random_range(0..places), random.random_range(0..4));
    let scattered = random.random_bool(0.4);
    let lane = |lane: u32, random: &mut Xoshiro256PlusPlus| {
        let place = if scattered { random.random_range(0..places) } else { (first + lane * stride) % places };
        Reach { address: place * size.bytes(), data: random.random() }
    };
    let active = random.random_range(1..=4);
    let mut chosen: Vec<_> =
        (0..lanes as u32).map(|number| random.random_ratio(active, 4).then(|| lane(number, random))).collect();
    if chosen.iter().all(Option::is_none) {
        chosen[0] = Some(lane(0, random));
    }
    Access { stores: random.random_bool(0.5), size: Some(size), elsewhere: false, lanes: chosen }
}

/// Loads and stores of all sizes with any lanes, while copies go into the words behind them and threads look at what they have left there:
/// every lane loads what was stored last, byte for byte.
#[test]
fn lanes_load_what_was_stored_last() {
    const END: u32 = 0x200;
    for (ctas, lanes, banks) in [(1, 32, 8), (2, 8, 4), (2, 4, 2), (1, 1, 2)] {
        let mut random = random(lanes as u64);
        let parameters = with_warps(ctas, lanes, banks);
        let (place, barrier) = (0x1e0, 0x7e8);
        let beside = |cta: usize| {
            program(|program| {
                for turn in 0..12u32 {
                    let (global, shared) = (u64::from(turn * 512 + 0x3000 * cta as u32), place + 32);
                    let copy = Bulk { global, shared, bytes: 480, barrier, ctas: 0, status: Status::Ok };
                    program.ask(Request::new(Op::Init, barrier).with(1)).then(Step::Bulk(copy));
                    program.ask(Request::new(Op::ArriveExpectTx, barrier).with(480)).wait(barrier, 0);
                    program.compare(shared, global, 480);
                }
            })
        };
        let threads = (0..ctas).map(|cta| thread(cta, 1, 0, beside(cta))).collect();
        let environment = Environment { seed: 3, stall: 20, memory: 5..=9 };
        let mut rig = Rig::new(parameters, threads, environment);
        let mut plain: Vec<_> = (0..ctas).map(|_| Plain { bytes: vec![0; END as usize], ..Plain::default() }).collect();
        for (cta, plain) in plain.iter_mut().enumerate() {
            for _ in 0..300 {
                let access = any(lanes, END, &mut random);
                plain.then(&access);
                rig.ask_warp(cta, Asked::Memory(access));
            }
        }
        rig.run(&mut |_, _| {}, |_, _| {}).unwrap_or_else(|failure| panic!("{lanes} lanes: {failure}"));
        for (cta, plain) in plain.iter_mut().enumerate() {
            for (number, told) in &rig.warp_port(cta).expect("it has one").told {
                assert_eq!(told.status, Status::Ok.code());
                for lane in (0..lanes).filter(|lane| told.lanes >> lane & 1 == 1) {
                    if let Some(due) = plain.told[*number as usize - 1][lane].take() {
                        assert_eq!(told.data[lane], due, "CTA {cta}, number {number}, lane {lane}");
                    }
                }
            }
            assert!(plain.told.iter().flatten().all(Option::is_none), "CTA {cta}: not all lanes are told");
            for (index, word) in plain.bytes.chunks(8).enumerate() {
                assert_eq!(rig.cluster.cta[cta].unit.word(index).to_le_bytes(), word, "CTA {cta}, word {index}");
            }
        }
    }
}

/// What a warp stores before it arrives is there for whoever waits; and what it loads behind an arrival is the barrier after that.
#[test]
fn stores_arrivals_and_loads_of_a_warp_keep_their_order() {
    const TURNS: usize = 4;
    let value = |turn: usize, lane: u32| u64::from(lane) << 8 | turn as u64;
    let waiter = program(|program| {
        program.ask(ask(Op::Init, 32)).then(Step::Settle);
        for turn in 0..TURNS {
            program.wait(BARRIER, turn);
            for lane in 0..32 {
                program.then(Step::Ask(Request::new(Op::Load, 0x100 + 8 * lane), Want::Word(value(turn, lane))));
            }
        }
    });
    let mut rig = Rig::new(with_warps(1, 32, 8), vec![thread(0, 0, 0, waiter)], Environment::IDEAL);
    let step = |rig: &mut Rig| {
        rig.step(&mut |_, _| {}, &mut |_, _| {}).unwrap_or_else(|failure| panic!("{failure}"));
    };
    for turn in 0..TURNS {
        while rig.left(0) > 33 * (TURNS - turn) {
            step(&mut rig);
        }
        let words = (0..32).map(|lane| (0x100 + 8 * lane, value(turn, lane).into()));
        rig.ask_warp(0, Asked::Memory(Access::store(Size::Eight, words)));
        rig.ask_warp(0, arrive(16));
        rig.ask_warp(0, Asked::Memory(Access::load(Size::Eight, [BARRIER])));
        rig.ask_warp(0, arrive(16));
    }
    rig.run(&mut |_, _| {}, |_, _| {}).unwrap_or_else(|failure| panic!("{failure}"));
    let told = &rig.warp_port(0).expect("it has one").told;
    let loads: Vec<u128> = told.iter().filter(|(place, _)| place % 4 == 3).map(|(_, told)| told.data[0]).collect();
    let half = |turn: u128| (turn & 1) << 63 | ((1 << 20) - 16) << 43 | ((1 << 20) - 32) << 1;
    assert_eq!(loads, [half(0), half(1), half(0), half(1)]);
}

/// Arrivals of a warp that are too many, by an address of the cluster: in its own CTA the word stays as it was, as for a thread; in another one
/// the fault is left in the word.
#[test]
fn a_fault_is_left_in_the_words_of_other_ctas() {
    let init = || {
        program(|program| {
            program.ask(ask(Op::Init, 2));
        })
    };
    let threads = vec![thread(0, 0, 0, init()), thread(1, 0, 0, init())];
    let mut rig = Rig::new(with_warps(2, 4, 2), threads, Environment::IDEAL);
    let step = |rig: &mut Rig| {
        rig.step(&mut |_, _| {}, &mut |_, _| {}).unwrap_or_else(|failure| panic!("{failure}"));
    };
    while rig.left(0) + rig.left(1) > 0 {
        step(&mut rig);
    }
    let words = |rig: &Rig| [0, 1].map(|cta: usize| rig.cluster.cta[cta].unit.word(BARRIER as usize / 8));
    let before = words(&rig);
    for rank in [0, 1] {
        let lanes = vec![Some(Lane { address: mapa(BARRIER, rank), operand: 1 }); 4];
        rig.ask_warp(0, Asked::Barriers(Instruction { op: Op::Arrive, remote: true, elsewhere: false, lanes }, 0));
    }
    rig.run(&mut |_, _| {}, |_, _| {}).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(words(&rig), [before[0], before[1] | 1 << FAULT.lsb]);
}

/// A step waits behind a load of another CTA's memory that acquires, and not behind one that does not.
#[test]
fn a_step_waits_behind_a_load_elsewhere_that_acquires() {
    for acquires in [false, true] {
        let mut cluster = Cluster::new(&with_warps(2, 4, 2));
        for _ in 0..2 {
            cluster.settle();
            cluster.clock_in_reset();
        }
        let semantics = if acquires { Semantics::Acquire } else { Semantics::Relaxed };
        let order = Order { semantics, scope: Scope::Cluster };
        cluster.warp_req_op[0].next = Op::Load.into();
        cluster.warp_req_order[0].next = u64::from(order.code()).into();
        cluster.warp_req_size[0].next = 1.into();
        cluster.warp_req_mask[0].next = 1.into();
        let (mut sent, mut far, mut near) = (0, None, None);
        for cycle in 0..200 {
            cluster.warp_req_valid[0].next = sent < 2;
            cluster.warp_req_cluster[0].next = sent == 0;
            cluster.warp_req_address[0][0].next = u64::from(mapa(0x40, 1 - sent.min(1))).into();
            cluster.warp_rsp_ready[0].next = true;
            cluster.warp_mem_ready[0].next = true;
            cluster.settle();
            if cluster.warp_rsp_valid[0].val() {
                far = Some(cycle);
            }
            if cluster.cta[0].gate_taken[0].val() {
                near = Some(cycle);
            }
            sent += usize::from(cluster.warp_req_valid[0].val() && cluster.warp_req_ready[0].val());
            cluster.clock();
        }
        let (far, near) = (far.expect("it is answered"), near.expect("it goes"));
        // the answer is with the unit's port two cycles before it is shown
        assert_eq!(near + 3 > far, acquires, "answered in cycle {far}, the step goes in {near}");
    }
}

#[test]
fn random_traffic_is_explained() {
    for seed in 0..if test_env::all("SETS") { 300 } else { 8 } {
        for plan in plans(seed) {
            // beats and steps, and cycles in which both wanted the banks
            let mut turns = [0; 3];
            let report = plan.run(&mut |_, _| {}, |cluster, _| {
                for unit in cluster.cta.iter().map(|cta| &cta.unit) {
                    let both = unit.write_valid[0].val() && unit.gate_valid[0].val();
                    let turn = [unit.write_taken[0].val(), unit.gate_taken[0].val(), both];
                    for (count, counts) in turns.iter_mut().zip(turn) {
                        *count += u64::from(counts);
                    }
                }
            });
            let report = report.unwrap_or_else(|failure| panic!("{plan:?}: {failure}"));
            assert!(report.bytes_copied > 1000 && report.bytes_reduced > 100, "{plan:?}: {report:?}");
            assert!(turns[0] > 200 && turns[1] > 50 && turns[2] > 5, "{plan:?}: {turns:?}");
        }
    }
}

#[test]
fn every_injected_fault_is_found() {
    let mut missed = Vec::new();
    for fault in FAULTS {
        let found = (0..6).flat_map(plans).any(|plan| {
            let mut injected = fault.injected();
            let result = plan.run(&mut |cluster, point| injected.inject(cluster, point), |_, _| {});
            if let Err(failure) = &result {
                println!("{}: {}", fault.name, failure.what);
            }
            result.is_err()
        });
        if !found {
            missed.push(fault.name);
        }
    }
    assert!(missed.is_empty(), "not found: {missed:?}");
}
