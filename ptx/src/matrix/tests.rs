//! Positions of elements, and integer products against the plain definition.

use super::descriptor::{Descriptor, Major};
use super::element::{Element, Total};
use super::{Exchange, LANES, Multiply, Place, Registers, fragment};
use rand::prelude::*;
use rand::rngs::Xoshiro256PlusPlus;
use std::collections::HashSet;

fn generator() -> Xoshiro256PlusPlus {
    let seed = txbar_testbench::test_env::seed();
    println!("seed {seed}");
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

#[test]
fn every_element_has_a_place_of_its_own() {
    for (element, rows, depth) in [
        (Element::F16, 16, 16),
        (Element::Tf32, 16, 8),
        (Element::E4m3, 16, 32),
        (Element::F64, 8, 4),
        (Element::F64, 16, 16),
    ] {
        let places = (0..rows).flat_map(|row| (0..depth).map(move |k| fragment::factor(element, rows, row, k)));
        let distinct: HashSet<_> = places.clone().map(|place| (place.lane, place.register, place.bit)).collect();
        assert_eq!(distinct.len(), rows * depth, "{element:?}");
        let registers = fragment::factor_registers(element, rows, depth);
        assert!(places.into_iter().all(|place| place.lane < LANES && place.register < registers), "{element:?}");
    }
}

#[test]
fn descriptors_permute_units_of_16_bytes() {
    let at = |bits: u64, major, mn, k| Descriptor::new(bits).expect("it has no base offset").address(major, 2, mn, k);
    let swizzled = 1 << 62 | (1024 >> 4) << 32 | 0x400 >> 4; // of 128 bytes, stride 1024, from 0x400 on
    assert_eq!(at(swizzled, Major::K, 0, 9), 0x412);
    assert_eq!(at(swizzled, Major::K, 3, 0), 0x400 + 3 * 128 + 3 * 16);
    assert_eq!(at(swizzled, Major::K, 8, 0), 0x800);
    assert!(Descriptor::new(1 << 49).is_err(), "a base offset is refused");
}

#[test]
fn rows_and_fragments_are_each_other_s_inverse() {
    let mut rng = generator();
    for matrices in [1, 2, 4] {
        for transposed in [false, true] {
            let rows: Registers = (0..LANES)
                .map(|lane| (0..2).map(|_| if lane < 8 * matrices { rng.random() } else { 0 }).collect())
                .collect();
            let fragments = Exchange::FromRows { matrices, transposed }.resolve(&rows);
            assert_eq!(Exchange::ToRows { matrices, transposed }.resolve(&fragments), rows);
        }
    }
}

#[test]
fn products_of_whole_numbers() {
    let mut rng = generator();
    for (rows, depth) in [(8, 16), (16, 16), (16, 32)] {
        let a: Vec<Vec<i8>> = (0..rows).map(|_| (0..depth).map(|_| rng.random()).collect()).collect();
        let b: Vec<Vec<i8>> = (0..8).map(|_| (0..depth).map(|_| rng.random()).collect()).collect();
        let multiply = Multiply {
            factors: [Element::S8; 2],
            total: Total::S32,
            rows,
            columns: 8,
            depth,
            saturates: false,
            grouped: false,
            a: Place::Registers,
            b: Place::Registers,
            negated: [false; 2],
        };
        let [of_a, of_b, _, of_c] = multiply.operands();
        let mut operands = vec![vec![0u64; of_a + of_b + of_c]; LANES];
        for k in 0..depth {
            for (row, elements) in a.iter().enumerate() {
                let place = fragment::factor(Element::S8, rows, row, k);
                operands[place.lane][place.register] |= u64::from(elements[k] as u8) << place.bit;
            }
            for (column, elements) in b.iter().enumerate() {
                let place = fragment::factor(Element::S8, 8, column, k);
                operands[place.lane][of_a + place.register] |= u64::from(elements[k] as u8) << place.bit;
            }
        }
        let results = multiply.resolve(0, &operands, &|_| Ok(0)).expect("nothing can be wrong");
        for (row, of_row) in a.iter().enumerate() {
            for (column, of_column) in b.iter().enumerate() {
                let product: i32 = of_row.iter().zip(of_column).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
                let place = fragment::total(Total::S32, rows, row, column);
                assert_eq!(results[place.lane][place.register] as u32 as i32, product, "({row}, {column})");
            }
        }
    }
}
