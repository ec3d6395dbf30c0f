//! Pictures of the blocks of a cluster.

use super::{BARRIER, Drawn, Filmed, request};
use std::collections::BTreeSet;
use txbar_rtl::cluster::Cluster;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::op::Op;
use txbar_rtl::parameters::Parameters;
use txbar_rtl::status::Status;
use txbar_rtl::word::address::mapa;
use txbar_testbench::cluster::global::{MAPS, box_of};
use txbar_testbench::cluster::rig::{Environment, Rig};
use txbar_testbench::cluster::thread::{Async, Bulk, Program, Step, Thread, Tile};
use txbar_testbench::request::Request;
use txbar_waves::cluster::{Names, View};
use txbar_waves::format::Format;
use txbar_waves::picture::Lane;
use txbar_waves::write::{End, Shot, Waves};

/// Films threads on a cluster.
fn cluster(parameters: ClusterParameters, threads: Vec<Thread>) -> Filmed {
    let filmed = Filmed::new();
    let mut rig = Rig::new(parameters, threads, Environment::IDEAL);
    let waves = Waves::with(Format::Fst, Shot::all(), filmed.output(), &rig.cluster, &parameters);
    let mut waves = waves.expect("it can be written");
    let look = |cluster: &Cluster, cycle: u64| waves.sample(cluster, cycle).expect("it can be written");
    rig.run(&mut |_, _| {}, look).unwrap_or_else(|failure| panic!("{failure}"));
    waves.finish(End::Well).expect("it can be written");
    filmed
}

/// A cluster of small CTAs.
fn clustered(ctas: usize) -> ClusterParameters {
    let unit = Parameters { ports: 2, banks: 2, words: 64, counters: false, ..Parameters::default() };
    ClusterParameters { unit, ctas, link_cycles: 4, warps: 1, copiers: 2, ..ClusterParameters::default() }
}

fn thread(cta: usize, port: usize, program: Program) -> Thread {
    Thread { cta, port, number: 0, warp: 0, program: program.0 }
}

/// What one wants to see of a CTA.
fn view(parameters: ClusterParameters, cta: usize) -> View {
    let named = |cta: usize| (u64::from(mapa(BARRIER, cta)), format!("bar@{cta}"));
    let addresses: Names = [(u64::from(BARRIER), "bar".to_owned())].into_iter().chain((0..2).map(named)).collect();
    View { parameters, cta, addresses, tags: (0..4).map(|tag| (tag, format!("t{}", tag / 2))).collect() }
}

/// The words of the barrier's bank, for pictures that fold.
fn barrier(view: &View) -> Vec<Lane> {
    view.barrier(BARRIER as usize / 8, "bar")
}

#[test]
fn cp_async() {
    let parameters = clustered(1);
    let mut program = Program::default();
    program.ask(request(Op::Init, 1));
    for unit in 0..2 {
        program.then(Step::Async(Async::Copy {
            global: 0x1000 + 16 * unit,
            shared: 0x100 + 16 * unit as u32,
            bytes: 16,
        }));
    }
    program.then(Step::Async(Async::Arrive { barrier: BARRIER, noinc: true })).wait(BARRIER, 0);
    let view = view(parameters, 0);
    let mut lanes = view.cp_async();
    lanes.extend(view.copies().into_iter().filter(|lane| !lane.label.ends_with("bytes")));
    lanes.extend(barrier(&view));
    lanes.push(view.flips());
    lanes.extend(view.port(0));
    let title = "cp.async: two copies and an arrival behind them; it is done when both have landed";
    let mut drawn = cluster(parameters, vec![thread(0, 0, program)]).draw("cp_async", title, &lanes, 4..60, true);
    assert_eq!(drawn.values("cp.async"), ["copy", "copy", "noinc"]);
    let beats = drawn.when("cluster.cta_0.copier.beat_valid", 1);
    let flips = drawn.when("cluster.cta_0.unit.flip_valid", u64::MAX);
    assert!(flips.len() == 1 && beats.last() < flips.first(), "{beats:?}, {flips:?}");
}

#[test]
fn bulk_copy() {
    let parameters = clustered(1);
    let mut program = Program::default();
    program.ask(request(Op::Init, 1)).ask(request(Op::ArriveExpectTx, 128));
    program.then(Step::Bulk(Bulk {
        global: 0x1000,
        shared: 0x100,
        bytes: 128,
        barrier: BARRIER,
        ctas: 0,
        status: Status::Ok,
    }));
    program.wait(BARRIER, 0);
    let view = view(parameters, 0);
    let mut lanes = view.port(0);
    lanes.extend(view.bulk());
    lanes.extend(view.copies());
    lanes.extend(barrier(&view));
    lanes.push(view.flips());
    let title = "bulk copy: 128 bytes in beats of 32; when all have landed, tx falls to zero and the phase completes";
    let mut drawn = cluster(parameters, vec![thread(0, 0, program)]).draw("bulk_copy", title, &lanes, 4..70, true);
    let beats = drawn.when("cluster.cta_0.copier.beat_valid", 1);
    let flips = drawn.when("cluster.cta_0.unit.flip_valid", u64::MAX);
    assert!(flips.len() == 1 && beats.last() < flips.first(), "{beats:?}, {flips:?}");
    let bytes: Vec<u64> = drawn.values("bytes").iter().filter_map(|bytes| bytes.parse().ok()).collect();
    assert_eq!(bytes, [128], "which are completed when all have landed");
    let tx = drawn.values("bar tx");
    assert!(tx.contains(&"128".to_owned()), "{tx:?}");
}

#[test]
fn tensor_load() {
    let parameters = ClusterParameters { tensors: 4, ..clustered(1) };
    // two rows of 128 bytes, swizzled by 128 bytes
    let tile = Tile { map: 4, at: [0, 3, 0, 0, 0], shared: 0x100, barrier: BARRIER, ctas: 0 };
    let mut program = Program::default();
    program.ask(request(Op::Init, 1)).ask(request(Op::ArriveExpectTx, 256)).then(Step::Tile(tile)).wait(BARRIER, 0);
    let view = view(parameters, 0);
    let mut lanes = view.port(0);
    lanes.extend(view.tensor());
    lanes.extend(view.copies().into_iter().filter(|lane| lane.label != "beat_valid"));
    lanes.extend(barrier(&view));
    lanes.push(view.flips());
    let title = "tensor load: its map is read, then two rows; their pieces land swizzled; with all 256 bytes the phase completes, and the thread wakes";
    let mut drawn = cluster(parameters, vec![thread(0, 0, program)]).draw("tensor_load", title, &lanes, 4..170, true);
    let reads = drawn.when("cluster.mem_req_valid_0", 1);
    assert_eq!(drawn.at("cluster.mem_req_address_0", reads[0]), MAPS + 4 * 128, "the map is read first");
    let rows = drawn.when("cluster.cta_0.tensor_0.rows.take", 1);
    assert!(rows.len() == 2 && reads[0] < rows[0], "{reads:?}, {rows:?}");
    let lands = drawn.when("cluster.cta_0.tensor_0.beat_valid", 1);
    let places: Vec<u64> = lands.iter().map(|cycle| drawn.at("cluster.cta_0.tensor_0.beat_address", *cycle)).collect();
    let blocks: BTreeSet<u64> = places.iter().copied().collect();
    assert_eq!(blocks, (0x100..0x200).step_by(32).collect(), "all of the box");
    assert!(!places.is_sorted() && rows[1] < lands[0], "{places:x?}");
    let (content, _) = box_of(tile.map, &tile.at, tile.shared);
    for (cycle, place) in lands.iter().zip(&places) {
        if drawn.at("cluster.cta_0.tensor_0.beat_strobe", *cycle) & 1 != 0 {
            let word = drawn.at("cluster.cta_0.tensor_0.beat_data_0", *cycle).to_le_bytes().map(Some);
            assert_eq!(content[*place as usize - 0x100..][..8], word, "what the model has swizzled to {place:#x}");
        }
    }
    let bytes: Vec<u64> = drawn.values("bytes").iter().filter_map(|bytes| bytes.parse().ok()).collect();
    assert_eq!(bytes.iter().sum::<u64>(), 256, "{bytes:?}");
    let [flip] = drawn.when("cluster.cta_0.unit.flip_valid", u64::MAX)[..] else { panic!("one phase completes") };
    let wakes = drawn.when("cluster.rsp_valid_0", 1).into_iter().find(|cycle| *cycle > flip).expect("it is answered");
    assert!(lands.last() < Some(&flip) && wakes < flip + 8, "{lands:?}, {flip}, {wakes}");
}

#[test]
fn remote_arrive() {
    let parameters = clustered(2);
    let (mut here, mut there) = (Program::default(), Program::default());
    there.ask(request(Op::Init, 1)).wait(BARRIER, 0);
    here.pause(12)
        .then(Step::Send(Request::new(Op::Arrive, mapa(BARRIER, 1)).with(1).from_remote()))
        .then(Step::Settle);
    let views = [view(parameters, 0), view(parameters, 1)];
    let mut lanes = views[0].port(0);
    lanes.extend(views[1].links());
    lanes.extend(barrier(&views[1]));
    lanes.push(views[1].flips());
    lanes.extend(views[1].port(0));
    lanes.extend(views[0].links());
    let title =
        "remote arrive: over the link (4 cycles), onto the barrier of CTA 1, whose waiter wakes; the answer comes back";
    let threads = vec![thread(0, 0, here), thread(1, 0, there)];
    let mut drawn = cluster(parameters, threads).draw("remote_arrive", title, &lanes, 0..45, true);
    let [comes] = drawn.when("cluster.requests_1.valid", 1)[..] else { panic!("one request comes") };
    let [flip] = drawn.when("cluster.cta_1.unit.flip_valid", u64::MAX)[..] else { panic!("one phase completes") };
    let [back] = drawn.when("cluster.answers_0.valid", 1)[..] else { panic!("one answer comes back") };
    let woken = *drawn.when("cluster.rsp_valid_1", 1).last().expect("the waiter is answered");
    assert!(comes < flip && flip < woken && comes + 4 < back, "{comes}, {flip}, {woken}, {back}");
}

#[test]
fn barrier_cluster() {
    let parameters = clustered(2);
    let (mut early, mut late) = (Program::default(), Program::default());
    early.round();
    late.pause(14).round();
    let mut lanes = Vec::new();
    for cta in 0..2 {
        lanes.extend(view(parameters, cta).rounds());
    }
    let title =
        "barrier.cluster: CTA 0 arrives and waits; it is answered a link (4) and 4 cycles after CTA 1 has arrived";
    let threads = vec![thread(0, 0, early), thread(1, 0, late)];
    let mut drawn = cluster(parameters, threads).draw("barrier_cluster", title, &lanes, 0..50, true);
    // each arrives, and is answered, and waits, and is answered
    let asked = |drawn: &mut Drawn, cta: usize| drawn.when(&format!("cluster.bar_req_valid_{cta}"), 1);
    let (early, late) = (asked(&mut drawn, 0), asked(&mut drawn, 1));
    assert!(early.last() < late.first(), "CTA 0 waits already: {early:?}, {late:?}");
    let answered = *drawn.when("cluster.bar_rsp_valid_0", 1).last().expect("it is answered");
    assert_eq!(answered, late[0] + 4 + 4);
}
