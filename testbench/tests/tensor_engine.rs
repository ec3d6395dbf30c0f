//! The tensor engine of the hardware, alone: against the recordings of an H200 and against the reference model, which shares nothing
//! with it.

use rand::prelude::*;
use rand::rngs::Xoshiro256PlusPlus;
use std::collections::BTreeMap;
use txbar_rtl::copies::reduction::Action;
use txbar_rtl::copies::tensor::Act;
use txbar_rtl::copies::tensor::verdict::Verdict;
use txbar_testbench::tensor::check::{digest, pattern};
use txbar_testbench::tensor::copy::{Memories, Place, Trap};
use txbar_testbench::tensor::element::Element;
use txbar_testbench::tensor::engine::{Instruction, Pace, Rig};
use txbar_testbench::tensor::limits::BadMap;
use txbar_testbench::tensor::map::{Shape, TensorMap, WORDS};
use txbar_testbench::tensor::recording::{self, CopyRecord, GLOBAL_BYTES, Movement, Outcome, Record, SHARED_BYTES};
use txbar_testbench::tensor::reduce::Operation;

/// Address of the barrier in these tests.
const BARRIER: u32 = 64;

/// What became of the rows of a recording: those that were done, those that trapped, and those that the engine does not have.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    done: BTreeMap<&'static str, usize>,
    traps: BTreeMap<&'static str, usize>,
    /// Stores whose box does not fit into the memory: what of it is inside the tensor does.
    overhang: usize,
    im2col: usize,
}

/// The code of an operation; 0 stores.
fn action(reduction: Option<Operation>) -> u8 {
    reduction.map_or(0, |operation| Action::named(operation.name()).expect("it has a code").code())
}

fn replay(name: &str, text: &str) -> Tally {
    let mut tally = Tally::default();
    for (number, record) in recording::read(name, text.as_bytes()).expect("it is sound").iter().enumerate() {
        let Record::Copy(record) = record else { continue };
        if let Shape::Im2col { .. } = record.map.shape {
            tally.im2col += 1;
            continue;
        }
        tally.overhang += usize::from(judge(name, number, record));
        let kind = match record.movement {
            Movement::Load => "load",
            Movement::Store(None) => "store",
            Movement::Store(Some(_)) => "reduction",
        };
        let outcomes = if record.outcome.is_some() { &mut tally.done } else { &mut tally.traps };
        *outcomes.entry(kind).or_default() += 1;
    }
    tally
}

/// Runs a copy of a recording.
fn rerun(name: &str, number: usize, record: &CopyRecord) -> Rig {
    let pace = match number % 2 {
        0 => Pace::IDEAL,
        _ => Pace { seed: number as u64, stall: 25, latency: 1..=40, door: false, in_order: number.is_multiple_of(2) },
    };
    let mut rig = Rig::new(1 + number % 16, pattern(2, GLOBAL_BYTES), pattern(1, SHARED_BYTES), pace);
    let map = rig.add(record.map.encode().expect("it has been taken"));
    rig.push(match record.movement {
        Movement::Load => Instruction::load(map, &record.at, record.shared as u32, BARRIER),
        Movement::Store(reduction) => Instruction::store(map, &record.at, record.shared as u32, action(reduction)),
    });
    rig.run(&mut |_, _| {}).unwrap_or_else(|problem| panic!("{name}:{}: {problem}", record.line));
    rig
}

/// Whether a box ends behind the shared memory of a recording.
fn overhangs(record: &CopyRecord) -> bool {
    let rows = record.map.bytes() / (record.map.row_units() * record.map.unit());
    let last = (rows - 1) * record.map.row_pitch() + record.map.row_units() * record.map.unit();
    record.shared + last > SHARED_BYTES as u64
}

/// Compares what a copy of a recording leaves with what the H200 has left. Gives whether it is a store whose box does not fit.
fn judge(name: &str, number: usize, record: &CopyRecord) -> bool {
    let before = pattern(1, SHARED_BYTES);
    let rig = rerun(name, number, record);
    let at = format!("{name}:{}", record.line);
    let Some(Outcome { counted, digest: sum, .. }) = &record.outcome else {
        assert_ne!(rig.verdicts, [Verdict::Ok], "{at}");
        assert_eq!(rig.shared, before, "{at}: something is written");
        assert_eq!(rig.global, pattern(2, GLOBAL_BYTES), "{at}: something is written");
        return false;
    };
    assert_eq!(rig.verdicts, [Verdict::Ok], "{at}");
    assert_eq!(rig.completed.get(&u64::from(BARRIER)).unwrap_or(&0), counted, "{at}: bytes completed");
    let (mut shared, mut global) = (before, pattern(2, GLOBAL_BYTES));
    let mut memories = Memories { shared: &mut shared, global: &mut global, origin: 0 };
    let place = Place { at: &record.at, offsets: &[], shared: record.shared };
    let written = match record.movement {
        Movement::Load => record.map.load(place, &mut memories).map(|_| &rig.shared),
        Movement::Store(reduction) => record.map.store(reduction, place, &mut memories).map(|()| &rig.global),
    };
    assert_eq!((0..shared.len()).find(|byte| rig.shared[*byte] != shared[*byte]), None, "{at}: byte of shared memory");
    assert_eq!((0..GLOBAL_BYTES).find(|byte| rig.global[*byte] != global[*byte]), None, "{at}: byte of global memory");
    assert_eq!(digest(written.expect("it is right")), *sum, "{at}: the memory after");
    record.movement != Movement::Load && overhangs(record)
}

#[test]
fn copies_leave_what_they_left_on_the_h200() {
    let tally = |done: &[_], traps: &[_], overhang, im2col| Tally {
        done: done.iter().copied().collect(),
        traps: traps.iter().copied().collect(),
        overhang,
        im2col,
    };
    let first = replay("copies 1", include_str!("../vectors/tensor/h200_copies_1.csv"));
    let traps = [("reduction", 1), ("store", 2)];
    assert_eq!(first, tally(&[("load", 432), ("reduction", 1_999), ("store", 1_498)], &traps, 90, 1_500));
    let second = replay("copies 2", include_str!("../vectors/tensor/h200_copies_2.csv"));
    assert_eq!(second, tally(&[("load", 96), ("reduction", 1_772), ("store", 1_500)], &[], 82, 1_500));
    let edge = replay("edge", include_str!("../vectors/tensor/h200_edge.csv"));
    let traps = [("load", 106), ("reduction", 193), ("store", 104)];
    assert_eq!(edge, tally(&[("load", 54), ("reduction", 59), ("store", 16)], &traps, 0, 120));
}

/// A number up to the small limit mostly, now and then up to the large one.
fn of(rng: &mut impl Rng, small: u32, large: u32) -> u32 {
    let most = if rng.random_range(0..4) == 0 { large } else { small };
    rng.random_range(1..=most)
}

/// A map that the driver would take, with coordinates near the tensor: everything that the engine has.
fn draw(rng: &mut impl Rng) -> (TensorMap, Vec<i32>) {
    loop {
        let element = *Element::ALL.choose(rng).expect("there are some");
        let rank = rng.random_range(1..=5usize);
        let interleave = if rank >= 3 && rng.random_range(0..3) == 0 { rng.random_range(1..=2) } else { 0 };
        let grain = if interleave == 2 { 32 } else { 16 };
        let each = (16 / element.bytes()) as u32;
        let mut sizes: Vec<u64> = (0..rank).map(|_| of(rng, 8, 60).into()).collect();
        let mut box_sizes: Vec<u32> = (0..rank).map(|_| of(rng, 4, 24)).collect();
        box_sizes[0] *= each;
        let unit = if interleave == 0 { element.bytes() } else { 16 * u64::from(interleave) };
        if interleave == 0 {
            sizes[0] = rng.random_range(1..=sizes[0] * u64::from(each) * 2);
        }
        let mut extent = (sizes[0] * unit).next_multiple_of(grain);
        let mut strides = Vec::new();
        for size in &sizes[1..] {
            strides.push(extent);
            extent = extent * size + rng.random_range(0..3u64) * grain;
        }
        let mut at: Vec<i32> = sizes.iter().map(|size| rng.random_range(-12..*size as i32 + 12)).collect();
        if interleave == 0 {
            at[0] = at[0] / each as i32 * each as i32;
        }
        if rng.random_range(0..16) == 0 {
            let far = rng.random_range(0..rank);
            at[far] = rng.random::<i32>() & !15;
        }
        let map = TensorMap {
            element,
            address: rng.random_range(0..16u64) * grain,
            sizes,
            strides,
            shape: Shape::Tile { box_sizes },
            element_strides: (0..rank)
                .map(|_| if rng.random_range(0..3) == 0 { rng.random_range(1..=8) } else { 1 })
                .collect(),
            interleave,
            swizzle: rng.random_range(0..=3),
            fill: u32::from(element.is_float() && rng.random()),
            promotion: rng.random_range(0..=3),
        };
        if map.check().is_ok() && extent + 4096 < RANDOM_GLOBAL as u64 {
            return (map, at);
        }
    }
}

/// Bytes of global memory in random tests.
const RANDOM_GLOBAL: usize = 1 << 22;
/// Bytes of shared memory there.
const RANDOM_SHARED: usize = 1 << 16;

/// What the engine says of a limit that the model finds.
fn verdict_of(bad: &BadMap) -> Verdict {
    match bad {
        BadMap::Rank(_) => Verdict::Rank,
        BadMap::Element(_) => Verdict::Element,
        BadMap::RoundedElement(_) => Verdict::Rounding,
        BadMap::Interleave(_) => Verdict::Interleave,
        BadMap::InterleaveRank(_) => Verdict::InterleaveRank,
        BadMap::FillOfIntegers(_) => Verdict::Fill,
        BadMap::Address { .. } => Verdict::Address,
        BadMap::Stride { .. } => Verdict::Stride,
        BadMap::BoxRow(_) => Verdict::BoxRow,
        BadMap::BoxOverSwizzle { .. } => Verdict::BoxSwizzle,
        BadMap::BoxBytes(_) => Verdict::BoxBytes,
        other => panic!("no words of a map have this limit: {other}"),
    }
}

/// Several copies one after the other, some with maps that are no more, some that trap; then every byte is compared.
fn random_run(seed: u64) -> [usize; 3] {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut global = vec![0; RANDOM_GLOBAL];
    rng.fill_bytes(&mut global);
    let mut expected = vec![0; RANDOM_SHARED];
    rng.fill_bytes(&mut expected);
    let pace = match seed % 3 {
        0 => Pace::IDEAL,
        _ => Pace {
            seed,
            stall: rng.random_range(0..60),
            latency: 1..=rng.random_range(1..100),
            door: false,
            in_order: rng.random(),
        },
    };
    let mut rig = Rig::new(rng.random_range(1..=16), global, expected.clone(), pace);
    let mut counts = [0; 3];
    let (mut verdicts, mut bytes, mut next) = (Vec::new(), 0, 0);
    let drawn: Vec<(TensorMap, Vec<i32>)> = (0..6).map(|_| draw(&mut rng)).collect();
    for (map, _) in &drawn {
        let mut words: [u64; WORDS] = map.encode().expect("it was checked");
        if rng.random_range(0..4) == 0 {
            words[1] ^= 1 << rng.random_range(4..17);
        }
        rig.add(words);
    }
    for _ in 0..12 {
        let number = rng.random_range(0..drawn.len());
        let mut at = drawn[number].1.clone();
        if rng.random_range(0..8) == 0 {
            at[0] += 1;
        }
        // copies that are under way together have places of their own
        let span = TensorMap::decode(&rig.maps[number]).map_or(0, |map| {
            let rows = map.bytes() / (map.row_units() * map.unit());
            (rows * map.row_pitch()).next_multiple_of(128) as u32
        });
        let fits = next + span <= RANDOM_SHARED as u32;
        if !fits && rng.random_range(0..4) > 0 {
            rig.run(&mut |_, _| {}).unwrap_or_else(|problem| panic!("seed {seed}: {problem}"));
            next = rng.random_range(0..16) * 128;
        }
        let shared = next;
        next = if shared + span <= RANDOM_SHARED as u32 { shared + span } else { shared };
        rig.push(Instruction::load(number, &at, shared, BARRIER));
        let map = match TensorMap::decode(&rig.maps[number]) {
            Ok(map) => map,
            Err(bad) => {
                verdicts.push(verdict_of(&bad));
                counts[2] += 1;
                continue;
            }
        };
        at.resize(map.rank(), 0x5a5a);
        let before = expected.clone();
        let mut memories = Memories { shared: &mut expected, global: &mut rig.global, origin: 0 };
        match map.load(Place { at: &at, offsets: &[], shared: shared.into() }, &mut memories) {
            Ok(counted) => {
                verdicts.push(Verdict::Ok);
                bytes += counted;
                counts[0] += 1;
            }
            Err(trap) => {
                expected = before;
                verdicts.push(match trap {
                    Trap::Coordinate(_) => Verdict::Coordinate,
                    Trap::Shared(_) => Verdict::SharedRange,
                    // what was changed in the map leads out of the memory: reads there give zeros
                    other => panic!("{other}"),
                });
                counts[1] += 1;
            }
        }
        let settle = Instruction { act: Act::Prefetch, ..Instruction::load(number, &at, 0, 0) };
        if rng.random() {
            rig.push(settle);
            verdicts.push(Verdict::Ok);
        }
    }
    rig.run(&mut |_, _| {}).unwrap_or_else(|problem| panic!("seed {seed}: {problem}"));
    assert_eq!(rig.verdicts, verdicts, "seed {seed}");
    assert_eq!(rig.completed.get(&u64::from(BARRIER)).copied().unwrap_or(0), bytes, "seed {seed}");
    let differs = (0..RANDOM_SHARED).find(|byte| rig.shared[*byte] != expected[*byte]);
    assert_eq!(differs, None, "seed {seed}: byte of shared memory");
    counts
}

#[test]
fn random_loads_leave_what_the_model_leaves() {
    let mut total = [0; 3];
    for seed in 0..400 {
        total.iter_mut().zip(random_run(seed)).for_each(|(sum, count)| *sum += count);
    }
    let [copies, traps, refused] = total;
    assert!(copies > 2_000 && traps > 100 && refused > 200, "{total:?}");
}

/// What becomes of a store by the model: the first of its limits, as the engine tells them.
fn stored(map: &TensorMap, reduction: Option<Operation>, place: Place, memories: &mut Memories) -> Verdict {
    match map.store(reduction, place, memories) {
        Ok(()) => Verdict::Ok,
        Err(Trap::Coordinate(_)) => Verdict::Coordinate,
        Err(Trap::Negative(_)) => Verdict::Negative,
        Err(Trap::Type(..)) => Verdict::Type,
        Err(Trap::Shared(_)) => Verdict::SharedRange,
        Err(other) => panic!("{other}"),
    }
}

/// Stores and reductions one after the other, of some of them parts under way together, among loads to and from other places.
fn random_stores(seed: u64, counts: &mut BTreeMap<Verdict, usize>) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut global = vec![0; RANDOM_GLOBAL];
    rng.fill_bytes(&mut global);
    let mut shared = vec![0; RANDOM_SHARED];
    rng.fill_bytes(&mut shared);
    let pace = match seed % 3 {
        0 => Pace::IDEAL,
        _ => Pace {
            seed,
            stall: rng.random_range(0..60),
            latency: 1..=rng.random_range(1..100),
            door: false,
            in_order: rng.random(),
        },
    };
    let mut rig = Rig::new(rng.random_range(1..=16), global.clone(), shared.clone(), pace);
    let mut verdicts = Vec::new();
    for _ in 0..8 {
        let (map, mut at) = draw(&mut rng);
        let number = rig.add(map.encode().expect("it was checked"));
        // most are inside on the lower side: others trap
        if rng.random_range(0..8) > 0 {
            at.iter_mut().for_each(|at| *at = (*at).max(0));
        }
        if rng.random_range(0..12) == 0 {
            at[0] += 1;
        }
        // at the end of shared memory there is no room for most boxes, but often for what of them is inside
        let lines = (RANDOM_SHARED / 128) as u32;
        let place = if rng.random() { rng.random_range(0..lines) } else { rng.random_range(lines - 4..lines) } * 128;
        let mut reduction = Operation::ALL.into_iter().choose(&mut rng).filter(|_| rng.random());
        if rng.random_range(0..8) > 0 {
            reduction = reduction.filter(|operation| operation.takes(map.element));
        }
        if rng.random_range(0..6) == 0 {
            rig.push(Instruction { act: Act::PrefetchBox, ..Instruction::load(number, &at, 1, 1) });
            let bytes = i64::from(at[0]) * map.element.bytes() as i64;
            let misplaced = map.interleave == 0 && bytes % 16 != 0;
            verdicts.push(if misplaced { Verdict::Coordinate } else { Verdict::Ok });
        }
        rig.push(Instruction::store(number, &at, place, action(reduction)));
        let (shared_before, global_before) = (shared.clone(), global.clone());
        let mut memories = Memories { shared: &mut shared, global: &mut global, origin: 0 };
        let verdict = stored(&map, reduction, Place { at: &at, offsets: &[], shared: place.into() }, &mut memories);
        if verdict != Verdict::Ok {
            (shared, global) = (shared_before, global_before);
        }
        *counts.entry(verdict).or_default() += 1;
        verdicts.push(verdict);
        // a load begins when nothing is under way, and is over before the next store: neither finds what the other has half done
        if rng.random_range(0..3) == 0 {
            rig.run(&mut |_, _| {}).unwrap_or_else(|problem| panic!("seed {seed}: {problem}"));
            let place = rng.random_range(0..16) * 128;
            let mut memories = Memories { shared: &mut shared, global: &mut global, origin: 0 };
            let before = memories.shared.to_vec();
            let loaded = map.load(Place { at: &at, offsets: &[], shared: place.into() }, &mut memories);
            rig.push(Instruction::load(number, &at, place, BARRIER));
            verdicts.push(match loaded {
                Ok(_) => Verdict::Ok,
                Err(trap) => {
                    shared = before;
                    if let Trap::Shared(_) = trap { Verdict::SharedRange } else { Verdict::Coordinate }
                }
            });
            rig.run(&mut |_, _| {}).unwrap_or_else(|problem| panic!("seed {seed}: {problem}"));
        }
    }
    rig.run(&mut |_, _| {}).unwrap_or_else(|problem| panic!("seed {seed}: {problem}"));
    assert_eq!(rig.verdicts, verdicts, "seed {seed}");
    assert_eq!((0..RANDOM_SHARED).find(|byte| rig.shared[*byte] != shared[*byte]), None, "seed {seed}: shared memory");
    assert_eq!((0..RANDOM_GLOBAL).find(|byte| rig.global[*byte] != global[*byte]), None, "seed {seed}: global memory");
}

#[test]
fn random_stores_leave_what_the_model_leaves() {
    let mut counts = BTreeMap::new();
    for seed in 0..200 {
        random_stores(seed, &mut counts);
    }
    let of = |verdict| counts.get(&verdict).copied().unwrap_or(0);
    assert!(of(Verdict::Ok) > 600, "{counts:?}");
    for verdict in [Verdict::Coordinate, Verdict::SharedRange, Verdict::Negative, Verdict::Type] {
        assert!(of(verdict) > 20, "{verdict:?}: {counts:?}");
    }
}

/// Bytes a cycle of eight copies of a box of 8 KiB, from the first block that lands to the last. Global memory answers in order.
fn rate(act: Act, inner: u32, swizzle: u32, address: u64, pace: Pace) -> f64 {
    let map = TensorMap {
        element: Element::F16,
        address,
        sizes: vec![512, 1024],
        strides: vec![1024],
        shape: Shape::Tile { box_sizes: vec![inner / 2, 8192 / inner] },
        element_strides: vec![1, 1],
        interleave: 0,
        swizzle,
        fill: 0,
        promotion: 0,
    };
    let mut rig = Rig::new(16, vec![0; 1 << 21], vec![0; 1 << 16], Pace { in_order: true, ..pace });
    let number = rig.add(map.encode().expect("it keeps the limits"));
    for copy in 0..8 {
        rig.push(Instruction { act, ..Instruction::load(number, &[0, copy * 64], copy as u32 % 4 * 8192, BARRIER) });
    }
    rig.run(&mut |_, _| {}).unwrap_or_else(|problem| panic!("{problem}"));
    let (first, last) = rig.landed.or(rig.outflow.written).expect("something is copied");
    f64::from(8 * 8192) / (last - first + 1) as f64
}

/// With the door open in seven cycles of eight, as it is beside busy ports, and with rows of 64 bytes and more.
#[test]
fn boxes_land_at_28_bytes_a_cycle_in_every_swizzle() {
    for (inner, swizzles) in [(64, &[0, 2, 3][..]), (128, &[0, 3]), (256, &[0])] {
        for swizzle in swizzles {
            let rate = |pace| rate(Act::Load, inner, *swizzle, 4096, pace);
            let (alone, door) = (rate(Pace::IDEAL), rate(Pace::DOOR));
            println!("rows of {inner} bytes, swizzle {swizzle}: {alone:.1} bytes a cycle, {door:.1} through a door");
            assert!(alone >= 30.0 && door >= 27.5, "rows of {inner} bytes, swizzle {swizzle}: {alone:.1}, {door:.1}");
        }
    }
    // a row takes as many beats as it touches blocks of 32 bytes of global memory, and they come without a gap
    for (inner, swizzle) in ODD {
        for pace in [Pace::IDEAL, Pace::DOOR] {
            let odd = rate(Act::Load, inner, swizzle, 4096 + 16, pace);
            println!("rows of {inner} bytes, swizzle {swizzle}, 16 bytes off: {odd:.1} bytes a cycle");
            assert!(odd >= least(inner), "rows of {inner} bytes, 16 bytes off: {odd:.1}");
        }
    }
}

/// Rows, and swizzles, of boxes whose tensor begins in the middle of 32 bytes.
const ODD: [(u32, u32); 7] = [(64, 0), (64, 2), (64, 3), (128, 0), (128, 3), (256, 0), (512, 0)];

/// 28 of 32 bytes of what their blocks of global memory could bring: rows that do not begin with one touch one more.
fn least(inner: u32) -> f64 {
    28.0 * f64::from(inner) / f64::from(inner + 32)
}

/// The same the other way.
#[test]
fn boxes_leave_at_28_bytes_a_cycle_in_every_swizzle() {
    for (inner, swizzles) in [(64, &[0, 2, 3][..]), (128, &[0, 3]), (256, &[0])] {
        for swizzle in swizzles {
            let rate = |pace| rate(Act::Store, inner, *swizzle, 4096, pace);
            let (alone, door) = (rate(Pace::IDEAL), rate(Pace::DOOR));
            println!("rows of {inner} bytes, swizzle {swizzle}: {alone:.1} bytes a cycle, {door:.1} through a door");
            assert!(alone >= 28.0 && door >= 27.5, "rows of {inner} bytes, swizzle {swizzle}: {alone:.1}, {door:.1}");
        }
    }
    for (inner, swizzle) in ODD {
        for pace in [Pace::IDEAL, Pace::DOOR] {
            let odd = rate(Act::Store, inner, swizzle, 4096 + 16, pace);
            println!("rows of {inner} bytes, swizzle {swizzle}, 16 bytes off: {odd:.1} bytes a cycle");
            assert!(odd >= least(inner), "rows of {inner} bytes, 16 bytes off: {odd:.1}");
        }
    }
}
