//! Arithmetic against a recording of an H200 (`h200_arithmetic.csv`, made by `examples/record_arithmetic`).

mod form;

use form::{agrees, instruction};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use txbar_ptx::arithmetic::Arithmetic;
use txbar_ptx::ast::Type;

const RECORDING: &str = include_str!("h200_arithmetic.csv");

/// A row of the recording.
struct Row {
    form: String,
    sources: [u64; 4],
    carry_in: Option<bool>,
    results: [u64; 2],
    carry_out: Option<bool>,
}

fn recording() -> Vec<Row> {
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(RECORDING.as_bytes());
    let mut form = String::new();
    let rows = reader.records().map(|record| {
        let record = record.expect("the recording is CSV");
        let number = |column: usize| match &record[column] {
            "" => None,
            digits => Some(u64::from_str_radix(digits, 16).expect("the recording holds numbers in hex")),
        };
        if !record[0].is_empty() {
            form = record[0].to_owned();
        }
        Row {
            form: form.clone(),
            sources: [1, 2, 3, 4].map(|column| number(column).unwrap_or(0)),
            carry_in: number(5).map(|carry| carry != 0),
            results: [6, 7].map(|column| number(column).unwrap_or(0)),
            carry_out: number(8).map(|carry| carry != 0),
        }
    });
    rows.collect()
}

fn read(form: &str) -> Arithmetic {
    let read = Arithmetic::read(&instruction(form)).unwrap_or_else(|| panic!("{form} is arithmetic"));
    read.unwrap_or_else(|complaint| panic!("{form}: {complaint:?}"))
}

fn forms() -> Vec<String> {
    let mut forms: Vec<String> = recording().into_iter().map(|row| row.form).collect();
    forms.dedup();
    forms
}

#[test]
fn every_row_is_what_the_h200_computes() {
    let rows = recording();
    assert!(rows.len() > 10_000, "the recording has only {} rows", rows.len());
    let mut wrong = Vec::new();
    for Row { form, sources, carry_in, results, carry_out } in &rows {
        let mut carry = carry_in.unwrap_or(false);
        let ours = read(form).evaluate(*sources, &mut carry);
        let carry_agrees = carry_out.is_none_or(|recorded| carry == recorded);
        if !agrees(form, sources[0], ours[0], results[0]) || ours[1] != results[1] || !carry_agrees {
            wrong.push(format!("{form} {sources:x?} {carry_in:?}: {ours:x?} {carry}, not {results:x?} {carry_out:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} rows differ:\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
}

fn ones(ty: Type) -> u64 {
    match ty {
        Type::Pred => 1,
        Type::B8 | Type::U8 | Type::S8 => 0xff,
        Type::B16 | Type::U16 | Type::S16 | Type::F16 | Type::Bf16 => 0xffff,
        Type::B64 | Type::U64 | Type::S64 | Type::F64 => u64::MAX,
        _ => 0xffff_ffff,
    }
}

#[test]
fn only_the_bits_of_the_types_are_read_and_written() {
    let seed: u64 = rand::random();
    let mut rng = StdRng::seed_from_u64(seed);
    for form in forms() {
        let arithmetic = read(&form);
        for _ in 0..20 {
            let raw: [u64; 4] = rng.random();
            let mut masked = [0; 4];
            for (place, ty) in arithmetic.sources().iter().enumerate() {
                masked[place] = raw[place] & ones(*ty);
            }
            let carry: bool = rng.random();
            let (mut first, mut second) = (carry, carry);
            let results = arithmetic.evaluate(raw, &mut first);
            assert_eq!(
                (results, first),
                (arithmetic.evaluate(masked, &mut second), second),
                "{form} {raw:x?}, seed {seed}"
            );
            let written = |place: usize| arithmetic.destinations().get(place).map_or(0, |ty| ones(*ty));
            assert_eq!(results, [results[0] & written(0), results[1] & written(1)], "{form} {raw:x?}, seed {seed}");
        }
    }
}

#[test]
fn only_instructions_with_carry_touch_it() {
    for form in forms() {
        let writes = form.contains(".cc.");
        let reads = ["addc", "subc", "madc"].iter().any(|opcode| form.starts_with(opcode));
        for carry in [false, true] {
            let mut after = carry;
            read(&form).evaluate([3; 4], &mut after);
            assert!(writes || after == carry, "{form} changes the carry");
        }
        let result = |mut carry: bool| read(&form).evaluate([5; 4], &mut carry);
        assert_eq!(reads, result(false) != result(true), "whether {form} reads the carry");
    }
}

#[test]
fn words_may_stand_in_any_order_but_types_may_not() {
    for (one, other) in
        [("add.rn.ftz.f32", "add.ftz.rn.f32"), ("min.relu.s32", "min.s32.relu"), ("prmt.b32.f4e", "prmt.f4e.b32")]
    {
        assert_eq!(read(one), read(other));
    }
    assert_ne!(read("cvt.rn.f32.f64"), read("cvt.rn.f16.f64"));
    assert_eq!(read("cvt.u64.u16").sources(), [Type::U16]);
    assert_eq!(read("cvt.u64.u16").destinations(), [Type::U64]);
}

#[test]
fn operands_have_their_types() {
    use Type::{B32, F32, Pred, S32, U16, U32, U64};
    let cases: [(&str, &[Type], &[Type]); 9] = [
        ("mad.wide.u16", &[U32], &[U16, U16, U32]),
        ("mul.wide.u32", &[U64], &[U32, U32]),
        ("setp.lt.and.s32", &[Pred, Pred], &[S32, S32, Pred]),
        ("selp.b32", &[B32], &[B32, B32, Pred]),
        ("slct.u64.f32", &[U64], &[U64, U64, F32]),
        ("lop3.b32", &[B32], &[B32, B32, B32, U32]),
        ("shl.b32", &[B32], &[B32, U32]),
        ("popc.b64", &[U32], &[Type::B64]),
        ("dp4a.u32.s32", &[S32], &[U32, S32, S32]),
    ];
    for (form, destinations, sources) in cases {
        assert_eq!((read(form).destinations(), read(form).sources()), (destinations, sources), "{form}");
    }
}

#[test]
fn what_an_assembler_refuses_is_refused() {
    let refused = [
        "add.u8",
        "add.sat.u32",
        "add.rz.f16",
        "add.cc.u16",
        "add",
        "add.s32.s32",
        "add.rn.rn.f32",
        "mul.u32",
        "mul.wide.u64",
        "mul.lo.sat.s32",
        "mad.f32",
        "mad.wide.cc.u32",
        "fma.f32",
        "fma.rn.relu.f32",
        "div.f32",
        "sqrt.f64",
        "sin.f32",
        "neg.u32",
        "abs.b32",
        "popc.u32",
        "and.u32",
        "shl.u32",
        "shr.u8",
        "shf.l.b32",
        "bfe.b32",
        "szext.wrap.u64",
        "setp.lo.s32",
        "setp.lt.b32",
        "setp.ltu.s32",
        "setp.lo.f32",
        "setp.s32",
        "selp.f16",
        "slct.u32.u32",
        "slct.ftz.u32.s32",
        "set.eq.u16.u32",
        "min.NaN.f64",
        "min.relu.u32",
        "max.relu.u16x2",
        "mov.f16",
        "cvt.u32",
        "cvt.u32.f32",
        "cvt.f32.u32",
        "cvt.rn.u32.f32",
        "cvt.rzi.f32.u32",
        "cvt.rn.f64.f32",
        "cvt.rn.f32.f32",
        "cvt.rni.f64.f32",
        "cvt.rni.u32.u16",
        "cvt.sat.u32.u16",
        "cvt.rn.sat.bf16.f32",
        "cvt.rp.f16x2.f32",
        "cvt.rn.relu.ftz.f16.f32",
        "cvt.rn.bf16.u8",
        "cvt.rn.e4m3x2.f32",
        "cvt.satfinite.e5m2x2.f32",
        "cvt.rn.satfinite.f16x2.e4m3x2",
        "cvt.rn.satfinite.e4m3x2.f64",
        "cvt.tf32.f32",
        "cvt.rna.relu.tf32.f32",
        "testp.normal.f16",
        "copysign.f16",
        "tanh.approx.ftz.f32",
    ];
    for form in refused {
        assert!(matches!(Arithmetic::read(&instruction(form)), Some(Err(_))), "{form} is taken");
    }
    for form in
        ["lop3.and.b32", "mov.b128", "rcp.approx.ftz.f64", "cvt.pack.sat.u16.s32", "setp.eq.f16x2", "vadd.s32.s32.s32"]
    {
        let complaint = Arithmetic::read(&instruction(form)).and_then(Result::err).expect("it is not supported");
        assert!(complaint.message.ends_with("is not supported"), "{form}: {complaint:?}");
    }
    for form in ["ld.global.b32", "bra", "mbarrier.arrive", ""] {
        assert!(Arithmetic::read(&instruction(form)).is_none(), "{form} is no arithmetic");
    }
}

#[test]
fn a_complaint_names_the_word() {
    let complain = |form: &str| Arithmetic::read(&instruction(form)).and_then(Result::err).expect("it is wrong");
    let complaint = complain("add.wide.s32");
    assert_eq!(complaint.message, "`.wide` does not belong in `add.wide.s32`");
    assert_eq!((complaint.span.start, complaint.span.end), (0, 12));
    assert_eq!(complain("fma.ftz.f32").message, "`fma.ftz.f32` lacks a rounding modifier such as `.rn`");
    assert_eq!(complain("div.rn").message, "`div.rn` lacks a type");
}

/// What one would not expect, and an H200 does; each row is from a recording.
#[test]
fn surprises() {
    let rows: [(&str, [u64; 3], u64); 22] = [
        ("div.s32", [5, 0, 0], 0xffff_ffff),
        ("rem.s32", [5, 0, 0], 0xffff_ffff),
        ("rem.u64", [1, 0, 0], u64::MAX),
        ("rem.s16", [0x80, 0, 0], 0xffff),
        ("bfe.u64", [0x8000, 0xf, 0x100], 1),
        ("bfe.u32", [0x8000, 0xf, 0x100], 0),
        ("bfi.b64", [0x8000, 0x8000_0000, 1], 0x8000_0000),
        ("fns.b32", [0x40, 0, 0x8000_0000], 0),
        ("mul.ftz.f32", [0x3f7f_ffff, 0x0080_0000, 0], 0),
        ("mul.ftz.f32", [0xbf7f_fffe, 0x0080_0001, 0], 0x8080_0000),
        ("div.rp.ftz.f32", [0x0080_0000, 0x3f80_0001, 0], 0),
        ("cvt.rn.ftz.f32.f64", [0x380f_ffff_e000_0000, 0, 0], 0),
        ("cvt.rn.ftz.f32.f64", [0x380f_ffff_ffff_ffff, 0, 0], 0x0080_0000),
        ("cvt.rm.ftz.f16.f32", [0x807f_ffff, 0, 0], 0x8001),
        ("neg.f32", [0xffc1_2345, 0, 0], 0x7fff_ffff),
        ("neg.f64", [0xfff0_0000_0000_0001, 0, 0], 0xfff8_0000_0000_0001),
        ("add.f64", [0x7ff8_0000_dead_beef, 0xfff8_2468_a000_0000, 0], 0xfff8_2468_a000_0000),
        ("fma.rn.f64", [0x7ff8_0000_dead_beef, 0x43ef_ffff_ffff_ffff, 0xfff8_2468_a000_0000], 0xfff8_2468_a000_0000),
        ("div.rn.f64", [0xfff8_2468_a000_0000, 0xfff0_0000_0000_0001, 0], 0xfff8_2468_a000_0000),
        ("cvt.f32.bf16", [0x7fbf, 0, 0], 0x7fbf_0000),
        ("cvt.ftz.f64.f32", [0xffc1_2345, 0, 0], 0x7fff_ffff_e000_0000),
        ("div.approx.f32", [0x3f00_0000, 0x7f7f_ffff, 0], 0),
    ];
    for (form, [a, b, c], result) in rows {
        assert_eq!(read(form).evaluate([a, b, c, 0], &mut false)[0], result, "{form} {a:x} {b:x} {c:x}");
    }
    // The carry of a subtraction: set if nothing is borrowed.
    for (a, b, carry) in [(5, 3, true), (3, 5, false)] {
        let mut after = !carry;
        read("sub.cc.u32").evaluate([a, b, 0, 0], &mut after);
        assert_eq!(after, carry, "{a} - {b}");
        let [borrow, _] = read("subc.u32").evaluate([0; 4], &mut after);
        assert_eq!(borrow, if carry { 0 } else { 0xffff_ffff });
    }
}
