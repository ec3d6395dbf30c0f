//! Cases that are refused, each with its reason, and the manual's listings. What is legal is compared with ptxas by
//! `tests/legality`.

use super::{Checked, check, check_module};
use crate::ast::{Module, Version};
use crate::parse::parse;
use crate::source::{Complaint, Source};
use crate::target::{Target, parse_version};

mod accepted;
mod refused;

/// What an instruction of a test can use. The manual's names for operands are names here.
const DECLARATIONS: &str = "
    .shared .align 8 .b64 addr, bar, bars[4];
    .shared .align 4 .b32 words[16];
    .shared .align 16 .b8 bytes[24];
    .shared .b8 loose[64];
    .shared .v2 .b32 pair;
    .extern .shared .align 16 .b8 dynamic[];
    .global .align 8 .b64 global;
    .const .align 8 .b64 constant;";
const REGISTERS: &str = "
    .local .align 8 .b64 local;
    .reg .b64 state, %rd<4>; .reg .u64 u64; .reg .s64 s64; .reg .f64 f64;
    .reg .b32 count, txCount, phaseParity, suspendTimeHint, %r<4>; .reg .u32 u32; .reg .s32 s32; .reg .f32 f32;
    .reg .b16 b16; .reg .b8 b8; .reg .pred waitComplete, p, %p<4>; .reg .v2 .b32 %v; .reg .v4 .b64 %w;";

/// A module with these statements in its entry.
fn source(statements: &str) -> Source {
    let text = format!(
        ".version 8.6\n.target sm_90\n.address_size 64\n{DECLARATIONS}\n\
         .visible .entry test(.param .u64 parameter)\n{{{REGISTERS}\n{statements}\n    ret;\n}}\n"
    );
    Source::new("test.ptx", text)
}

fn module(source: &Source) -> Module {
    match parse(source) {
        Ok(module) => module,
        Err(error) => panic!("{}: {}\n{}", error.line, error.message, source.text()),
    }
}

/// What is wrong with some statements.
fn complaints(statements: &str, target: u32, version: Version) -> Vec<Complaint> {
    check_module(&module(&source(statements)), Target::sm(target), version)
}

/// A version that is written as it should be.
fn ptx(text: &str) -> Version {
    parse_version(text).expect(text)
}

#[test]
fn everything_is_counted_and_told_in_the_order_of_the_text() {
    let source = source(
        "    mbarrier.init.shared.b64 [words], 0;
    add.u32 %r1, %r1, 1;
    mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 2, %r1;
    @%r1 mbarrier.inval.b64 [%rd1];
    mbarrier.arrive.shared.b64 _, [bar];
    barrier.cluster.wait.release;",
    );
    let checked = check(&module(&source), Target::sm(80), ptx("7.1"));
    assert_eq!((checked.instructions, checked.refused), (5, 4));
    assert_eq!((checked.literals, checked.addresses, checked.registers), (2, 3, 4));
    let told: Vec<(&str, &str)> = checked
        .refusals
        .iter()
        .map(|refusal| (source.at(refusal.complaint.span), refusal.complaint.message.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            ("[words]", "a barrier is aligned to 8 bytes"),
            ("0", "`count` must be 1 to 1048575"),
            (
                "mbarrier.try_wait.parity.shared::cta.b64",
                "`mbarrier.try_wait.parity` needs PTX ISA 7.8 or later and sm_90 or higher"
            ),
            ("2", "`phaseParity` must be 0 or 1"),
            ("%r1", "the guard must be a predicate register"),
            (".release", "`barrier.cluster.wait` has no `.release`"),
        ]
    );
    assert!(checked.refusals.windows(2).all(|pair| pair[0].complaint.span < pair[1].complaint.span));
    assert!(source.at(checked.refusals[4].instruction).starts_with("@%r1 mbarrier.inval"));
}

#[test]
fn a_hidden_name_is_not_meant() {
    let hidden = "
    {
        .reg .f32 state;
        .reg .b32 %r1;
        { mbarrier.arrive.shared.b64 state, [bar]; }
    }
    mbarrier.arrive.shared.b64 state, [bar];
    {
        .shared .align 4 .b32 bar;
        mbarrier.inval.shared.b64 [bar];
    }
    mbarrier.inval.shared.b64 [bar];";
    let told: Vec<String> = complaints(hidden, 90, ptx("8.6")).into_iter().map(|complaint| complaint.label).collect();
    assert_eq!(told, ["`state` is `.f32`", "`bar` is aligned to 4"]);
}

#[test]
fn names_of_one_function_are_not_known_in_the_next() {
    let text = "
        .version 8.6
        .target sm_90
        .address_size 64
        .shared .align 8 .b64 bar;
        .func one(.reg .f32 state) { .shared .b8 bar; mbarrier.arrive.shared.b64 state, [bar]; }
        .func two() { .reg .b64 state; mbarrier.arrive.shared.b64 state, [bar]; }";
    let source = Source::new("two.ptx", text);
    let told = check_module(&module(&source), Target::sm(90), ptx("8.6"));
    let told: Vec<(usize, &str)> = told.iter().map(|told| (source.line(told.span), told.label.as_str())).collect();
    assert_eq!(told, [(6, "`state` is `.f32`"), (6, "`bar` is aligned to 1")]);
}

#[test]
fn deep_nesting_takes_no_more_time_for_a_name() {
    let depth = 900; // as deep as the parser goes, and then some
    let line = "mbarrier.arrive.shared.b64 state, [bar];\n".repeat(2000);
    let text = format!("{}{line}{}", "{".repeat(depth), "}".repeat(depth));
    assert_eq!(complaints(&text, 90, ptx("8.6")), []);
}
