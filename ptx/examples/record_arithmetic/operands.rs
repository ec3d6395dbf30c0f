//! Operands: the edges of each type in all pairs, and random numbers, near edges and anywhere.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use txbar_ptx::arithmetic::Arithmetic;
use txbar_ptx::ast::Type;

/// Rows of a table: threads of a CTA.
pub const ROWS: usize = 1024;
/// Four sources and the carry.
pub type Row = [u64; 5];

const INTEGERS: [u64; 18] = [
    0,
    1,
    u64::MAX,
    2,
    0x7fff_ffff,
    0x8000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0x7fff,
    0x8000,
    0x7f,
    0x80,
    0xff,
    31,
    32,
    33,
    64,
    0xffff_ffff,
];
const AMOUNTS: [u64; 22] =
    [0, 1, 2, 7, 8, 15, 16, 17, 24, 31, 32, 33, 47, 63, 64, 65, 127, 128, 255, 256, 0x8000_0000, 0xffff_ffff];
const SINGLES: [u32; 40] = [
    0x0000_0000,
    0x8000_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0xffc1_2345,
    0x7f80_0001,
    0x0000_0001,
    0x807f_ffff,
    0x0080_0000,
    0x8080_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x3f00_0000,
    0xbf00_0000,
    0x3fc0_0000,
    0x4020_0000,
    0xc060_0000,
    0x4f00_0000,
    0xcf00_0000,
    0x4eff_ffff,
    0x4f80_0000,
    0x5f00_0000,
    0x5f80_0000,
    0xdf00_0001,
    0x437f_8000,
    0x42ff_0000,
    0xc300_8000,
    0x477f_e000,
    0x477f_efff,
    0x477f_f000,
    0x3eaa_aaab,
    0x3f7f_ffff,
    0x3f80_0001,
    0x3300_0000,
    0x0040_0000,
    0x3880_0000,
    0x4b00_0001,
];
const HALVES: [u16; 20] = [
    0x0000, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0xfe12, 0x7c01, 0x0001, 0x83ff, 0x0400, 0x7bff, 0xfbff,
    0x3800, 0xb800, 0x3e00, 0x5bfc, 0x4100, 0x3bff,
];

fn edges(ty: Type) -> Vec<u64> {
    match ty {
        Type::Pred => vec![0, 1],
        Type::F32 => SINGLES.map(u64::from).to_vec(),
        Type::F64 => {
            let own = [
                1,
                0x800f_ffff_ffff_ffff,
                0x0010_0000_0000_0000,
                0x7fef_ffff_ffff_ffff,
                0xfff0_0000_0000_0001,
                0x7ff8_0000_dead_beef,
                0x43df_ffff_ffff_ffff,
                0x43ef_ffff_ffff_ffff,
                0x41df_ffff_ffc0_0000,
                0x41ef_ffff_ffe0_0000,
                0x47ef_ffff_f000_0000,
                0x3ff0_0000_0000_0001,
                0x380f_ffff_ffff_ffff,
                0xb80f_ffff_f000_0000,
                0x380f_ffff_e000_0000,
            ];
            let wide = SINGLES.iter().map(|bits| f64::from(f32::from_bits(*bits)).to_bits());
            own.into_iter().chain(wide).collect()
        }
        Type::F16 => HALVES.map(u64::from).to_vec(),
        Type::F16x2 => HALVES.iter().map(|bits| u64::from(*bits) * 0x1_0001).collect(),
        Type::Bf16 => SINGLES.map(|bits| u64::from(bits >> 16)).to_vec(),
        Type::Bf16x2 => SINGLES.map(|bits| u64::from(bits >> 16) * 0x1_0001).to_vec(),
        _ => INTEGERS.to_vec(),
    }
}

/// Bits of a number anywhere, or of a float not too far from one.
fn random(ty: Type, rng: &mut StdRng) -> u64 {
    let bits: u64 = rng.random();
    let near = |one: u64, fraction: u32, spread: u64, rng: &mut StdRng| {
        let exponent = rng.random_range(0..spread) << fraction;
        let sign = rng.random_range(0..2u64)
            << if fraction == 52 {
                63
            } else if fraction == 23 {
                31
            } else {
                15
            };
        (one + exponent) | sign | bits & ((1 << fraction) - 1)
    };
    let anywhere = rng.random_range(0..3) == 0;
    match ty {
        _ if anywhere => bits,
        Type::F32 => near(0x3e80_0000, 23, 5, rng),
        Type::F64 => near(0x3fe0_0000_0000_0000, 52, 4, rng),
        Type::F16 => near(0x3800, 10, 4, rng),
        Type::F16x2 => near(0x3800, 10, 4, rng) << 16 | near(0x3800, 10, 4, rng),
        Type::Bf16 => near(0x3f00, 7, 4, rng),
        Type::Bf16x2 => near(0x3f00, 7, 4, rng) << 16 | near(0x3f00, 7, 4, rng),
        _ => bits >> rng.random_range(0..64),
    }
}

/// Numbers whose products lie where normal numbers begin.
fn tiny(ty: Type, rng: &mut StdRng) -> u64 {
    let (unit, one) = match ty {
        Type::F16 | Type::F16x2 => (0x0400, 0x3c00),
        Type::Bf16 | Type::Bf16x2 => (0x0080, 0x3f80),
        Type::F32 => (0x0080_0000, 0x3f80_0000),
        Type::F64 => (0x0010_0000_0000_0000, 0x3ff0_0000_0000_0000),
        _ => return 0,
    };
    let sign = match ty {
        _ if rng.random() => 0,
        Type::F32 => 1 << 31,
        Type::F64 => 1 << 63,
        _ => 1 << 15,
    };
    let value = [unit, unit, unit + 1, unit - 1, one - 1, one + 1, one - 2, 1, 0][rng.random_range(0..9)] | sign;
    if matches!(ty, Type::F16x2 | Type::Bf16x2) { value << 16 | value } else { value }
}

fn pick(ty: Type, amount: bool, rng: &mut StdRng) -> u64 {
    let edges = if amount { AMOUNTS.to_vec() } else { edges(ty) };
    let edge = edges[rng.random_range(0..edges.len())];
    match rng.random_range(0..5) {
        4 if matches!(ty, Type::F16 | Type::F16x2 | Type::Bf16 | Type::Bf16x2 | Type::F32 | Type::F64) => tiny(ty, rng),
        0 | 1 => edge,
        2 if !matches!(ty, Type::Pred) => edge.wrapping_add(rng.random_range(0..3)).wrapping_sub(1),
        _ => random(ty, rng),
    }
}

/// The table of a form.
pub fn table(form: &str, arithmetic: &Arithmetic) -> Vec<Row> {
    let mut rng = StdRng::seed_from_u64(form.bytes().fold(7, |seed, byte| seed * 31 % 0xffff_fffb + u64::from(byte)));
    let opcode = form.split('.').next().unwrap_or("");
    let types = arithmetic.sources();
    let amount = |place: usize| match opcode {
        "shl" | "shr" | "szext" => place == 1,
        "bfe" | "fns" => place >= 1,
        "bfi" | "shf" => place >= 2,
        "bmsk" => true,
        _ => false,
    };
    let all = |place: usize| if amount(place) { AMOUNTS.to_vec() } else { edges(types[place]) };
    let mut pairs = match types.len() {
        1 => all(0).into_iter().map(|a| [a, 0]).collect::<Vec<_>>(),
        _ => all(0).into_iter().flat_map(|a| all(1).into_iter().map(move |b| [a, b])).collect(),
    };
    // Of many pairs a part is taken, in random order.
    for place in (1..pairs.len()).rev() {
        pairs.swap(place, rng.random_range(0..=place));
    }
    pairs.truncate(ROWS * 5 / 8);
    (0..ROWS)
        .map(|index| {
            let mut row: Row = [0; 5];
            for (place, ty) in types.iter().enumerate() {
                row[place] = match pairs.get(index) {
                    Some(pair) if place < 2 => pair[place],
                    _ => pick(*ty, amount(place), &mut rng),
                };
                if *ty == Type::Pred {
                    row[place] &= 1;
                }
            }
            row[4] = rng.random_range(0..2);
            row
        })
        .collect()
}
