//! What leaves a CTA's shared memory: bulk copies to global memory and to other CTAs, their groups, `st.async` and `red.async`.

use std::cell::RefCell;
use txbar_rtl::cluster::Cluster;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::copies::reduction::{Action, Element, Reduction};
use txbar_rtl::op::Op;
use txbar_rtl::parameters::Parameters;
use txbar_rtl::status::Status;
use txbar_rtl::word::address::mapa;
use txbar_testbench::cluster::rig::{Environment, Report, Rig};
use txbar_testbench::cluster::thread::{Post, Program, Put, Step, Target, Thread, Want};
use txbar_testbench::request::Request;
use txbar_testbench::tensor::recording::{self, Kind, Record, ReductionRecord};

/// The barrier of each CTA.
const BARRIER: u32 = 0x40;
/// Where data lies in both.
const FROM: u32 = 0x1000;
/// Where it goes.
const TO: u32 = 0x4000;

fn parameters(banks: usize) -> ClusterParameters {
    let unit = Parameters { ports: 2, banks, words: 4096, number_bits: 1, counters: false, ..Parameters::default() };
    ClusterParameters { unit, ctas: 2, link_cycles: 4, warps: 1, ..ClusterParameters::default() }
}

/// A program for each CTA.
fn watch(
    parameters: ClusterParameters,
    programs: [Program; 2],
    environment: Environment,
    look: impl FnMut(&Cluster, u64),
) -> Report {
    let thread = |(cta, program): (usize, Program)| Thread { cta, port: 0, number: 0, warp: 0, program: program.0 };
    let threads = programs.into_iter().enumerate().map(thread).collect();
    let mut rig = Rig::new(parameters, threads, environment);
    rig.run(&mut |_, _| {}, look).unwrap_or_else(|failure| panic!("{failure}"))
}

/// Stores words from an address on.
fn store(program: &mut Program, address: u32, words: &[u64]) {
    for (number, word) in words.iter().enumerate() {
        program.ask(Request::new(Op::Store, address + 8 * number as u32).with(*word));
    }
}

fn load(program: &mut Program, address: u32, words: &[u64]) {
    for (number, word) in words.iter().enumerate() {
        program.then(Step::Ask(Request::new(Op::Load, address + 8 * number as u32), Want::Word(*word)));
    }
}

/// Elements as words of memory; what is behind them is zero.
fn words(elements: &[u64], bytes: usize) -> Vec<u64> {
    let bytes: Vec<u8> = elements.iter().flat_map(|element| element.to_le_bytes()[..bytes].to_vec()).collect();
    let word = |chunk: &[u8]| chunk.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    bytes.chunks(8).map(word).collect()
}

/// All records of what completes on a barrier.
fn records() -> Vec<ReductionRecord> {
    let files = [
        ("1", include_str!("../vectors/tensor/h200_reductions_1.csv")),
        ("2", include_str!("../vectors/tensor/h200_reductions_2.csv")),
    ];
    let read =
        |(name, text): (&str, &str)| recording::read(name, text.as_bytes()).unwrap_or_else(|bad| panic!("{bad}"));
    let reduction = |record| match record {
        Record::Reduction(record) if record.kind != Kind::ToGlobal => Some(record),
        _ => None,
    };
    files.into_iter().flat_map(read).filter_map(reduction).collect()
}

/// Memory and barrier after `st.async`, `red.async` and `cp.reduce.async.bulk` to another CTA.
#[test]
fn ctas_are_left_as_on_the_h200() {
    let mut programs = [Program::default(), Program::default()];
    let records = records();
    for record in &records {
        let bytes = record.reduction.map_or(4, |(_, element)| element.bytes() as usize);
        let code = record.reduction.map_or(0, |(operation, element)| {
            let action = Action::named(operation.name()).expect("it has a code");
            let element = Element::named(element.name()).expect("it has one, too");
            Reduction { action, element }.code()
        });
        let [before, operand, after] = [&record.before, &record.operand, &record.after].map(|list| words(list, bytes));
        let (word_before, word_after) = record.words.expect("it completes on a barrier");
        let size = (record.before.len() * bytes) as u32;
        let [sender, receiver] = &mut programs;
        store(receiver, TO, &before);
        store(receiver, BARRIER, &[word_before]);
        store(sender, FROM, &operand);
        sender.round();
        receiver.round();
        let (address, barrier) = (mapa(TO, 1), mapa(BARRIER, 1));
        let reduction = code;
        sender.then(match record.kind {
            Kind::ToCluster => {
                Step::Put(Put { reduction, ..Put::new(FROM, Target::Cluster { address, barrier }, size) })
            }
            _ => {
                let data = [operand[0], operand.get(1).copied().unwrap_or(0)];
                Step::Post(Post { address, barrier, bytes: size, data, reduction, status: Status::Ok })
            }
        });
        receiver.pause(60 + 2 * size);
        load(receiver, TO, &after);
        load(receiver, BARRIER, &[word_after]);
        sender.round();
        receiver.round();
    }
    assert_eq!(records.len(), 2 * 32 * 30, "of 32 instructions");
    let report = watch(parameters(4), programs, Environment::IDEAL, |_, _| {});
    assert!(report.bytes_reduced > 10_000, "{report:?}");
}

/// Cycles from the first to the last of those in which something was so, both counted, and how many of them it was.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    first: u64,
    last: u64,
    times: u64,
}

impl Span {
    fn note(&mut self, cycle: u64, is_so: bool) {
        if is_so {
            if self.times == 0 {
                self.first = cycle;
            }
            self.last = cycle;
            self.times += 1;
        }
    }

    fn cycles(&self) -> u64 {
        self.last - self.first + 1
    }
}

/// Cycles that 4096 bytes take into global memory, and into another CTA's memory.
fn cycles(from: u32) -> [u64; 2] {
    let spans = RefCell::new([Span::default(); 2]);
    let mut sender = Program::default();
    let mut receiver = Program::default();
    receiver.ask(Request::new(Op::Init, BARRIER).with(1)).round();
    sender.round();
    sender.then(Step::Put(Put::new(from, Target::Global(0x10_0000), 4096)));
    sender.then(Step::Commit).then(Step::Groups { most: 0, read: false });
    let to = Target::Cluster { address: mapa(TO, 1), barrier: mapa(BARRIER, 1) };
    sender.then(Step::Put(Put::new(from, to, 4096))).round();
    receiver.then(Step::Send(Request::new(Op::ArriveExpectTx, BARRIER).with(4096)));
    receiver.wait(BARRIER, 0).round();
    watch(parameters(4), [sender, receiver], Environment::IDEAL, |cluster, cycle| {
        let [global, shared] = &mut *spans.borrow_mut();
        global.note(cycle, cluster.mem_wr[0].valid.val() && cluster.mem_wr[0].ready.val());
        let unit = &cluster.cta[1].unit;
        shared.note(cycle, unit.write_taken[0].val());
    });
    spans.into_inner().map(|span| span.cycles())
}

/// 28 bytes a cycle and more, whether or not the addresses agree modulo 32.
#[test]
fn copies_out_go_at_the_door_s_rate() {
    for from in [FROM, FROM + 16] {
        let cycles = cycles(from);
        println!("4096 bytes from {from:#x} to global memory and to a CTA: {cycles:?} cycles");
        assert!(cycles.iter().all(|cycles| 4096 / cycles >= 28), "{from:#x}: {cycles:?}");
    }
}

/// A source that has been read is free long before it has been written.
#[test]
fn reads_are_done_before_writes() {
    for banks in [1, 2, 4, 8] {
        let ready = RefCell::new(Vec::new());
        let mut sender = Program::default();
        for (number, size) in [256, 512].into_iter().enumerate() {
            let to = Target::Global(0x10_0000 + 0x1000 * number as u64);
            sender.then(Step::Put(Put::new(FROM, to, size))).then(Step::Commit);
        }
        for (most, read) in [(1, true), (0, true), (1, false), (0, false)] {
            sender.then(Step::Groups { most, read });
        }
        let environment = Environment { memory: 400..=400, ..Environment::IDEAL };
        watch(parameters(banks), [sender, Program::default()], environment, |cluster, cycle| {
            if cluster.group[0].valid.val() && cluster.group[0].ready.val() {
                ready.borrow_mut().push(cycle);
            }
        });
        let ready = ready.into_inner();
        let [one_read, read, one_written, written] = ready[..] else { panic!("{ready:?}") };
        assert!(
            one_read < read && read < 200 && one_written > 400 && written > one_written,
            "{banks} banks: {ready:?}"
        );
    }
}

#[test]
fn what_cannot_be_sent_is_refused_with_a_status() {
    let there = |address, barrier| Target::Cluster { address, barrier };
    let good = there(mapa(TO, 1), mapa(BARRIER, 1));
    let put = |shared, to, bytes, status| Step::Put(Put { status, ..Put::new(shared, to, bytes) });
    let code = |action, element| Reduction { action, element }.code();
    let reduce = |to, reduction, status| Step::Put(Put { reduction, status, ..Put::new(FROM, to, 64) });
    let global = Target::Global(0x10_0000);
    let steps = [
        put(FROM + 8, global, 64, Status::Misaligned),
        put(FROM, Target::Global(0x10_0008), 64, Status::Misaligned),
        put(FROM, global, 24, Status::Misaligned),
        put(0x7ff0, global, 32, Status::OutOfRange),
        put(FROM, there(mapa(TO + 4, 1), mapa(BARRIER, 1)), 64, Status::Misaligned),
        put(FROM, there(mapa(TO, 1), mapa(BARRIER + 4, 1)), 64, Status::Misaligned),
        put(FROM, there(mapa(0x7ff0, 1), mapa(BARRIER, 1)), 32, Status::OutOfRange),
        put(FROM, there(mapa(TO, 2), mapa(BARRIER, 2)), 32, Status::OutOfRange),
        put(FROM, there(mapa(TO, 1), mapa(0x8000, 1)), 32, Status::OutOfRange),
        put(FROM, there(mapa(TO, 1), mapa(BARRIER, 0)), 32, Status::RemoteUnsupported),
        reduce(good, code(Action::Add, Element::F16), Status::IllegalOperation),
        reduce(good, code(Action::Min, Element::U64), Status::IllegalOperation),
        reduce(global, code(Action::Add, Element::S64), Status::IllegalOperation),
        reduce(global, code(Action::Inc, Element::F32), Status::IllegalOperation),
        reduce(global, 9, Status::IllegalOperation),
        put(FROM, global, 0, Status::Ok),
        put(0x7fe0, global, 32, Status::Ok),
    ];
    let mut sender = Program::default();
    for step in steps {
        sender.then(step);
    }
    sender.then(Step::Commit).then(Step::Groups { most: 0, read: false });
    let report = watch(parameters(4), [sender, Program::default()], Environment::IDEAL, |_, _| {});
    assert_eq!(report.bytes_written, 32, "what is refused does nothing");
}

/// A copy whose mask names no byte writes nothing: no beat without strobes leaves, and its group waits for nothing. Its neighbours are
/// written as if it were not there.
#[test]
fn a_copy_whose_mask_is_empty_writes_nothing() {
    for from in [FROM, FROM + 16] {
        let mut sender = Program::default();
        for (number, mask) in [0, 1, 0, 0xff00, 0].into_iter().enumerate() {
            let to = Target::Global(0x10_0000 + 0x1000 * number as u64);
            sender.then(Step::Put(Put { mask, ..Put::new(from, to, 48) })).then(Step::Commit);
        }
        sender.then(Step::Groups { most: 0, read: true }).then(Step::Groups { most: 0, read: false });
        let report = watch(parameters(4), [sender, Program::default()], Environment::IDEAL, |cluster, cycle| {
            let empty = cluster.mem_wr[0].valid.val() && !cluster.mem_wr[0].strobe.val().any();
            assert!(!empty, "cycle {cycle}: a beat without strobes");
        });
        assert_eq!(report.bytes_written, 3 + 3 * 8);
    }
}

/// Data comes before its bytes: whoever has seen the phase complete finds them, whatever the memory is busy with.
#[test]
fn data_comes_before_its_bytes() {
    for stall in [0, 40] {
        for seed in 0..20 {
            let mut sender = Program::default();
            let mut receiver = Program::default();
            receiver.ask(Request::new(Op::Init, BARRIER).with(1)).round();
            sender.round();
            for round in 0..12u64 {
                receiver.then(Step::Send(Request::new(Op::ArriveExpectTx, BARRIER).with(16)));
                let data = [seed * 1000 + round, !round];
                let (address, barrier) = (mapa(TO + 16 * (round as u32 % 4), 1), mapa(BARRIER, 1));
                let (bytes, reduction, status) = (16, 0, Status::Ok);
                sender.then(Step::Post(Post { address, barrier, bytes, data, reduction, status }));
                receiver.wait(BARRIER, round as usize % 2);
                load(&mut receiver, TO + 16 * (round as u32 % 4), &data);
                sender.round();
                receiver.round();
            }
            let environment = Environment { seed, stall, ..Environment::IDEAL };
            watch(parameters(1 << (seed % 4)), [sender, receiver], environment, |_, _| {});
        }
    }
}
