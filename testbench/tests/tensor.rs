//! Tensor maps, tensor copies and asynchronous reductions: the recordings of an H200, and what holds for every map.

use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use txbar_testbench::check::Replay;
use txbar_testbench::tensor::address::swizzled;
use txbar_testbench::tensor::check::replay;
use txbar_testbench::tensor::copy::{Memories, Place, Trap};
use txbar_testbench::tensor::element::Element;
use txbar_testbench::tensor::limits::BadMap;
use txbar_testbench::tensor::map::{Shape, TensorMap, WORDS};
use txbar_testbench::tensor::recording;
use txbar_testbench::tensor::reduce::Operation;

fn replayed(name: &str, text: &str) -> Replay {
    replay(&recording::read(name, text.as_bytes()).expect("the recordings are sound"), |_| {})
}

/// Every record matches: so many.
fn all_match(name: &str, text: &str, records: usize) {
    let replay = replayed(name, text);
    assert_eq!(replay.mismatches, [], "{name}");
    assert_eq!((replay.matched, replay.records), (records, records), "{name}");
}

#[test]
fn maps_are_what_the_driver_makes() {
    all_match("maps 1", include_str!("../vectors/tensor/h200_maps_1.csv"), 1_500);
    all_match("maps 2", include_str!("../vectors/tensor/h200_maps_2.csv"), 1_500);
}

#[test]
fn copies_leave_what_they_left_on_the_h200() {
    all_match("copies 1", include_str!("../vectors/tensor/h200_copies_1.csv"), 5_432);
    all_match("edge", include_str!("../vectors/tensor/h200_edge.csv"), 652);
}

#[test]
fn copies_that_no_rule_was_made_from_match() {
    all_match("copies 2", include_str!("../vectors/tensor/h200_copies_2.csv"), 4_868);
}

#[test]
fn reductions_leave_what_they_left_on_the_h200() {
    all_match("reductions 1", include_str!("../vectors/tensor/h200_reductions_1.csv"), 1_770);
    all_match("reductions 2", include_str!("../vectors/tensor/h200_reductions_2.csv"), 1_770);
}

const COPY: &str = "mode,type,sizes,strides,box,element_strides,interleave,swizzle,fill,l2,corners,global_offset,shared_offset,at,\
                    offsets,counted,digest,after\n";
const MAP: &str = "mode,type,sizes,strides,box,element_strides,interleave,swizzle,fill,l2,corners,address,words\n";
const REDUCTION: &str = "kind,operation,before,operand,after,word_before,word_after\n";

#[test]
fn what_is_no_recording_is_refused_with_its_place() {
    let problem = |header: &str, row: &str| {
        let text = format!("{header}{row}\n");
        recording::read("x.csv", text.as_bytes()).expect_err("is not a recording").to_string()
    };
    let refused = |header, row, error: &str| assert_eq!(problem(header, row), format!("x.csv:2:{error}"));
    assert!(
        problem("mode,type\n", "")
            .contains("the first line must be `mode,type,...,words` or `mode,type,...,after` or `kind")
    );
    refused(MAP, "lod,u8,16,,16,1,0,0,0,0,,0,refused", "1: unknown mode `lod`");
    refused(MAP, "load,u9,16,,16,1,0,0,0,0,,0,refused", "6: unknown element type `u9`");
    refused(MAP, "load,u8,,,16,1,0,0,0,0,,0,refused", "9: 0 sizes: a tensor has 1 to 5 dimensions");
    refused(MAP, "load,u8,16 x,,16,1,0,0,0,0,,0,refused", "12: sizes `x` is not a number in its range");
    refused(MAP, "load,u8,16 4,,16 1,1 1,0,0,0,0,,0,refused", "14: strides has 0 numbers where 1 are needed");
    refused(MAP, "load,u8,16,,16,1,0,0,0,0,1,0,refused", "26: corners must be empty: only im2col has corners");
    refused(MAP, "im2col,u8,16,,16,1,0,0,0,0,1,0,refused", "11: 1 sizes: im2col needs 3 to 5 dimensions");
    refused(MAP, "load,u8,16,,16,1,0,0,0,0,,0,1 2", "29: words has 2 numbers where 16 are needed");
    refused(
        COPY,
        "load,u8,16,,8,1,0,0,0,0,,0,0,0,,16,0,",
        "1: there is no such map: a row of the box has 8 bytes, which is not a multiple of 16",
    );
    refused(
        COPY,
        "load,u8,16,,16,1,0,0,0,0,,0,0,0,,trap,0,",
        "39: digest must be empty: a copy that traps leaves nothing",
    );
    refused(
        COPY,
        "load,u8,16,,16,1,0,0,0,0,,0,0,0,,16,0,1:2 3",
        "43: `3` is not the number of a word and the word, in hex",
    );
    refused(REDUCTION, "to_moon,add.u32,0,0,0,,", "1: unknown kind `to_moon`");
    refused(REDUCTION, "red,mul.u32,0,0,0,0,0", "5: unknown reduction `mul.u32`");
    refused(REDUCTION, "to_global,add.u32,0 1,0,0 1,,", "23: operand has 1 numbers where 2 are needed");
    refused(REDUCTION, "to_global,add.u32,0,0,0,1,", "25: word_before must be empty: it completes on no barrier");
}

#[test]
fn every_kind_of_difference_is_seen() {
    let told = |header: &str, row: &str| {
        let replay = replayed("x", &format!("{header}{row}\n"));
        assert_eq!((replay.matched, replay.records), (0, 1));
        replay.mismatches[0].to_string()
    };
    let map = |words: &str| told(MAP, &format!("load,u8,16,,16,1,0,0,0,0,,1000,{words}"));
    assert_eq!(map("refused"), "line 2: map of u8 16: the map is one, the recording has refused it");
    let words = "1000 0 0 0 f 0 f00000000000000 0 10 11 0 0 0 0 0 0";
    assert_eq!(map(words), "line 2: map of u8 16: word 9 is 10, the recording has 11");
    let copy = |mode: &str, outcome: &str| told(COPY, &format!("{mode},u8,16,,16,1,0,0,0,0,,0,0,0,,{outcome}"));
    assert_eq!(copy("load", "trap,,"), "line 2: load of u8 at 0: what comes of it is none, the recording has a trap");
    let traps = copy("min", "0,0,");
    assert_eq!(
        traps,
        "line 2: min of u8 at 0: what comes of it is a trap (min is not defined for u8), the recording has none"
    );
    assert_eq!(
        copy("load", "17,0,"),
        "line 2: load of u8 at 0: the number of bytes completed is 16, the recording has 17"
    );
    assert!(copy("load", "16,0,1:5").contains("word 1 after is "));
    assert!(copy("load", "16,0,").contains("the digest of the memory after is "));
    let sum = told(REDUCTION, "to_global,add.u32,1 2,3 4,4 7,,");
    assert_eq!(sum, "line 2: to_global add.u32 of 2 with 4: element 1 is 6, the recording has 7");
    let word = told(REDUCTION, "red,add.u32,1,3,4,7fffe000001ffff8,7fffe000001ffff8");
    let known = "line 2: red add.u32 on 7fffe000001ffff8: the barrier's word is 7fffe000009ffff8, the recording has 7fffe000001ffff8";
    assert_eq!(word, known);
}

/// A map that keeps every limit.
fn sound() -> TensorMap {
    TensorMap {
        element: Element::F32,
        address: 0x1000,
        sizes: vec![64, 8, 4],
        strides: vec![256, 2048],
        shape: Shape::Tile { box_sizes: vec![16, 4, 2] },
        element_strides: vec![1; 3],
        interleave: 0,
        swizzle: 2,
        fill: 0,
        promotion: 0,
    }
}

/// The same by im2col.
fn sound_im2col() -> TensorMap {
    let shape = Shape::Im2col { lower: vec![-1], upper: vec![1], channels: 16, pixels: 20 };
    TensorMap { shape, ..sound() }
}

fn refused(change: impl FnOnce(&mut TensorMap)) -> String {
    refused_of(sound(), change)
}

fn refused_of(mut map: TensorMap, change: impl FnOnce(&mut TensorMap)) -> String {
    map.encode().expect("it is sound");
    change(&mut map);
    map.encode().expect_err("it is refused").to_string()
}

fn resize(map: &mut TensorMap, rank: usize) {
    map.sizes.resize(rank, 4);
    map.strides.resize(rank.saturating_sub(1), 8192);
    map.element_strides.resize(rank, 1);
    if let Shape::Tile { box_sizes } = &mut map.shape {
        box_sizes.resize(rank, 1);
    }
}

fn with_box(map: &mut TensorMap, sizes: [u32; 3]) {
    map.shape = Shape::Tile { box_sizes: sizes.to_vec() };
}

fn with_pixels(map: &mut TensorMap, lower: i32, upper: i32, channels: u32, pixels: u32) {
    map.shape = Shape::Im2col { lower: vec![lower], upper: vec![upper], channels, pixels };
}

#[test]
fn a_map_outside_a_limit_gets_one_clear_error() {
    let rank = |rank| refused(|map| resize(map, rank));
    assert_eq!(rank(0), "rank 0: a tensor has 1 to 5 dimensions");
    assert_eq!(rank(6), "rank 6: a tensor has 1 to 5 dimensions");
    assert_eq!(refused(|map| map.strides.clear()), "rank 3: there are 0 strides where 2 are needed");
    assert_eq!(refused(|map| map.address = 0x1008), "address 0x1008 is not a multiple of 16");
    assert_eq!(refused(|map| map.address = 1 << 57), "address 0x200000000000000 has more than 57 bits");
    assert_eq!(refused(|map| map.sizes[1] = 0), "size 0 of dimension 1 is not from 1 to 2^32");
    let size = refused(|map| map.sizes[2] = (1 << 32) + 1);
    assert_eq!(size, "size 4294967297 of dimension 2 is not from 1 to 2^32");
    assert_eq!(refused(|map| map.strides[0] = 264), "stride 264 of dimension 1 is not a multiple of 16");
    let stride = refused(|map| map.strides[1] = 1 << 40);
    assert_eq!(stride, "stride 1099511627776 of dimension 2 is 2^40 or more");
    assert_eq!(refused(|map| with_box(map, [16, 0, 2])), "box 0 of dimension 1 is not from 1 to 256");
    assert_eq!(refused(|map| with_box(map, [16, 4, 257])), "box 257 of dimension 2 is not from 1 to 256");
    assert_eq!(refused(|map| with_box(map, [6, 4, 2])), "a row of the box has 24 bytes, which is not a multiple of 16");
    let over = refused(|map| with_box(map, [20, 4, 2]));
    assert_eq!(over, "a row of the box has 80 bytes, more than the 64 of its swizzle");
    assert_eq!(refused(|map| with_box(map, [16, 256, 256])), "the box has 4194304 bytes, more than 228 KiB");
    let stride = |stride| refused(|map| map.element_strides[1] = stride);
    assert_eq!(stride(0), "element stride 0 of dimension 1 is not from 1 to 8");
    assert_eq!(stride(9), "element stride 9 of dimension 1 is not from 1 to 8");
    let interleave = refused(|map| map.interleave = 3);
    assert_eq!(interleave, "interleave 3 is unknown: 0 is none, 1 slices of 16 bytes, 2 of 32 bytes");
    let flat = refused(|map| {
        resize(map, 2);
        map.interleave = 1;
    });
    assert_eq!(flat, "rank 2: interleaved channels need 3 dimensions or more");
    let slices = refused(|map| {
        map.interleave = 2;
        map.strides[0] = 272;
    });
    assert_eq!(slices, "stride 272 of dimension 1 is not a multiple of 32");
    assert_eq!(refused(|map| map.swizzle = 4), "swizzle 4 is unknown: 0 is none, 1 to 3 are 32, 64 and 128 bytes");
    assert_eq!(refused(|map| map.fill = 2), "fill 2 is unknown: 0 is zeros, 1 NaN");
    let integers = refused(|map| (map.fill, map.element) = (1, Element::S32));
    assert_eq!(integers, "only floating-point elements can be filled with NaN, and they are s32");
    let promotion = refused(|map| map.promotion = 4);
    assert_eq!(promotion, "L2 promotion 4 is unknown: 0 is none, 1 to 3 are 64, 128 and 256 bytes");
}

#[test]
fn an_im2col_map_outside_a_limit_gets_one_clear_error() {
    let pixels = |lower, upper, channels, pixels| {
        refused_of(sound_im2col(), |map| with_pixels(map, lower, upper, channels, pixels))
    };
    assert_eq!(refused_of(sound_im2col(), |map| resize(map, 2)), "rank 2: an im2col map needs 3 to 5 dimensions");
    assert_eq!(pixels(-1, 1, 0, 20), "0 channels are not from 1 to 256");
    assert_eq!(pixels(-1, 1, 257, 20), "257 channels are not from 1 to 256");
    assert_eq!(pixels(-1, 1, 16, 0), "0 pixels are not from 1 to 1024");
    assert_eq!(pixels(-1, 1, 16, 1025), "1025 pixels are not from 1 to 1024");
    assert_eq!(pixels(-32769, 1, 16, 20), "corner -32769 of dimension 1 is not from -32768 to 32768 - 1");
    let none = "the corners 4 and -4 of dimension 1, of size 8, leave no pixel";
    assert_eq!(pixels(4, -4, 16, 20), none);
}

#[test]
fn words_that_are_no_map_get_one_clear_error() {
    let refused = |word: usize, low: u32, bits: u32, value: u64| {
        let mut words: [u64; WORDS] = sound().encode().expect("it is sound");
        words[word] = words[word] & !(((1 << bits) - 1) << low) | value << low;
        TensorMap::decode(&words).expect_err("it is refused")
    };
    assert_eq!(refused(1, 4, 3, 5), BadMap::Rank(6));
    assert_eq!(refused(1, 4, 3, 7), BadMap::Rank(8));
    assert_eq!(refused(1, 7, 4, 11), BadMap::Element(11));
    assert_eq!(refused(1, 7, 4, 15).to_string(), "element type 15 is unknown: the codes are 0 to 10");
    let rounded = refused(1, 7, 10, 1 << 9 | 3).to_string();
    assert_eq!(rounded, "only f32 can be rounded to tf32, and the element type is 3");
    assert_eq!(refused(1, 11, 2, 3), BadMap::Interleave(3));
    assert_eq!(refused(0, 0, 4, 8), BadMap::Address { address: 0x1008, multiple: 16 });
    assert_eq!(refused(6, 56, 8, 16), BadMap::BoxRow(68));
    let mut flat = sound();
    resize(&mut flat, 2);
    let mut words = flat.encode().expect("it is sound");
    words[1] |= 1;
    assert_eq!(TensorMap::decode(&words), Err(BadMap::Im2colRank(2)));
}

/// What a copy at a place comes to, with memories of 64 KiB.
fn copied(map: &TensorMap, at: &[i32], store: Option<Option<Operation>>) -> Result<u64, Trap> {
    let (mut shared, mut global) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    let mut memories = Memories { shared: &mut shared, global: &mut global, origin: 0 };
    let place = Place { at, offsets: &[], shared: 1024 };
    match store {
        None => map.load(place, &mut memories),
        Some(reduction) => map.store(reduction, place, &mut memories).map(|()| 0),
    }
}

#[test]
fn a_copy_that_traps_says_why() {
    let map = sound();
    assert_eq!(copied(&map, &[4, -3, 1], None), Ok(16 * 4 * 4 * 2));
    assert_eq!(copied(&map, &[2, 0, 0], None), Err(Trap::Coordinate(2)));
    assert_eq!(copied(&map, &[0, -3, 1], Some(None)), Err(Trap::Negative(-3)));
    let minimum = copied(&map, &[0, 0, 0], Some(Some(Operation::Min)));
    assert_eq!(minimum, Err(Trap::Type("min", "f32")));
    assert_eq!(copied(&sound_im2col(), &[0, 9, 0], None), Err(Trap::Corners));
    let far = TensorMap { address: 1 << 20, ..map };
    assert_eq!(copied(&far, &[0, 0, 0], None), Err(Trap::Global(1 << 20)));
}

/// Maps that the driver would take, and coordinates near the tensor.
fn any_map() -> impl Strategy<Value = (TensorMap, Vec<i32>)> {
    let dimension = || (1u64..12, 1u32..6, 1u32..9, -8i32..14);
    let dimensions = proptest::collection::vec(dimension(), 1..=5);
    let element = proptest::sample::select(Element::ALL.to_vec());
    (element, dimensions, 0u32..3, 0u32..4, 0u64..4).prop_filter_map(
        "no such map",
        |(element, dimensions, interleave, swizzle, gap)| {
            let grain = if interleave == 2 { 32 } else { 16 };
            let each = grain / element.bytes();
            let mut sizes: Vec<u64> = dimensions.iter().map(|(size, ..)| *size).collect();
            let mut at: Vec<i32> = dimensions.iter().map(|(.., at)| *at).collect();
            if interleave == 0 {
                at[0] *= each as i32;
            }
            sizes[0] = sizes[0] * each - u64::from(interleave == 0) * (gap % each);
            let mut extent =
                (sizes[0] * element.bytes()).next_multiple_of(grain) * if interleave == 0 { 1 } else { each };
            let mut strides = Vec::new();
            for size in &sizes[1..] {
                strides.push(extent);
                extent = extent * size + gap * grain;
            }
            let mut box_sizes: Vec<u32> = dimensions.iter().map(|(_, size, ..)| *size).collect();
            box_sizes[0] *= each as u32;
            let element_strides = dimensions.iter().map(|(_, _, stride, _)| *stride).collect();
            let shape = Shape::Tile { box_sizes };
            let map = TensorMap {
                element,
                address: 4096,
                sizes,
                strides,
                shape,
                element_strides,
                interleave,
                swizzle,
                fill: 0,
                promotion: 0,
            };
            map.check().is_ok().then_some((map, at))
        },
    )
}

/// Elements of global memory that a box has, by its definition: each dimension's coordinates, and a sum of products.
fn by_definition(map: &TensorMap, at: &[i32]) -> Vec<u64> {
    let Shape::Tile { box_sizes } = &map.shape else { return Vec::new() };
    let unit = if map.interleave == 0 { map.element.bytes() } else { 16 * u64::from(map.interleave) };
    let mut found = vec![map.address];
    for dimension in 0..map.rank() {
        let stride = if dimension == 0 { unit } else { map.strides[dimension - 1] };
        let step = if dimension == 0 && map.interleave == 0 { 1 } else { map.element_strides[dimension] };
        let one = map.interleave != 0 && dimension == map.rank() - 2;
        let end = if one { 1 } else { box_sizes[dimension] };
        let along = (0..end).step_by(step as usize).map(|index| i64::from(at[dimension]) + i64::from(index));
        let inside: Vec<u64> =
            along.filter_map(|at| u64::try_from(at).ok()).filter(|at| *at < map.sizes[dimension]).collect();
        found = found.iter().flat_map(|from| inside.iter().map(move |at| from + at * stride)).collect();
    }
    found.sort_unstable();
    found
}

proptest! {
    #[test]
    fn the_words_of_a_map_mean_the_map((map, _) in any_map()) {
        prop_assert_eq!(TensorMap::decode(&map.encode().expect("it is sound")), Ok(map));
    }

    #[test]
    fn every_element_of_the_box_is_moved_once_and_nothing_else((map, at) in any_map()) {
        let rows = map.rows(&at, &[]);
        let units: Vec<_> = rows.iter().flat_map(|row| map.units(row)).collect();
        let mut global: Vec<u64> = units.iter().filter_map(|unit| unit.global).collect();
        global.sort_unstable();
        prop_assert_eq!(global, by_definition(&map, &at));
        let places: BTreeSet<u64> = units.iter().map(|unit| unit.shared).collect();
        prop_assert_eq!(places.len(), units.len());
        prop_assert_eq!(units.len() as u64 * map.unit(), map.bytes());
    }

    #[test]
    fn a_swizzle_is_a_permutation_within_its_rows(block in 0u64..64, swizzle in 0u32..4) {
        let span = 16u64 << swizzle;
        let mut seen = BTreeMap::new();
        for address in (block * 1024..(block + 1) * 1024).step_by(16) {
            let to = swizzled(address, swizzle);
            prop_assert_eq!(to / 128, address / 128);
            prop_assert_eq!(swizzled(to, swizzle), address);
            prop_assert_eq!(to / span.max(16), address / span.max(16));
            prop_assert_eq!(seen.insert(to, address), None);
        }
        prop_assert_eq!(seen.len(), 64);
    }
}
