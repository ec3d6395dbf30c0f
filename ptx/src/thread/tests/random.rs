//! Kernels that nobody would write: instructions of the other tests with words exchanged, left out and repeated.
//! Whatever becomes of them, it is an error or an execution, and never a panic. `TXBAR_SEED` repeats a run.

use super::effects::EFFECTS;
use super::faults::{FAULTS, UNSUPPORTED};
use super::instructions::CASES;
use super::world::somewhere;
use crate::effect::Effect;
use crate::parse::parse;
use crate::program::Program;
use crate::source::Source;
use crate::thread::{Halt, Now};
use rand::prelude::*;
use rand::rngs::Xoshiro256PlusPlus;
use std::sync::Arc;

/// Kernels in a run.
const KERNELS: usize = 4000;
/// Steps of each at most.
const STEPS: u64 = 400;

/// Words of a text: names with dots and percent signs, numbers, single marks.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_ascii_alphanumeric() || "._%$:".contains(c);
        let length = if word(first) { rest.find(|c| !word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        let (one, behind) = rest.split_at(length);
        words.push(one);
        rest = behind;
    }
    words
}

/// Whether it is more than a mark.
fn is_word(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '%')
}

#[test]
fn no_kernel_makes_it_panic() {
    let seed = txbar_testbench::test_env::seed();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let declarations = ".shared .u64 pad[2]; .shared .align 8 .u64 bar; .shared .u32 word; .global .u32 g; .const .u32 c = 3;
        .func (.reg .u32 y) twice(.reg .u32 x) { add.u32 y, x, x; } .func (.param .b32 y) half(.param .b32 x) { .reg .b32 %r; ld.param.b32 %r, [x]; st.param.b32 [y], %r; }
        .func (.reg .u32 y) again(.reg .u32 x) { call (y), again, (x); }";
    let calls = ["call (%r1), twice, (%r2);", "call (%r1), half, (%r2);", "call (%r1), again, (%r2);"];
    let bodies = CASES.iter().map(|case| case.2).chain(EFFECTS.iter().map(|case| case.0));
    let bodies: Vec<&str> = bodies
        .chain(FAULTS.iter().map(|case| case.0))
        .chain(UNSUPPORTED.iter().map(|case| case.0))
        .chain(calls)
        .collect();
    let corpus: Vec<Vec<&str>> = bodies.iter().map(|body| words(body)).collect();
    let every: Vec<&str> = corpus.iter().flatten().copied().filter(|word| is_word(word)).collect();
    let (mut executed, mut refused, mut faults) = (0, 0, 0);
    for _ in 0..KERNELS {
        let mut body = Vec::new();
        for _ in 0..rng.random_range(1..4) {
            body.push("{");
            body.extend(corpus.choose(&mut rng).into_iter().flatten().copied());
            body.push("}");
        }
        for _ in 0..rng.random_range(0..4) {
            let place = rng.random_range(0..body.len().max(1));
            match rng.random_range(0..12) {
                0 if place < body.len() => drop(body.remove(place)),
                1 if place < body.len() => body.insert(place, body[place]),
                _ => {
                    if let Some(word) = body.iter_mut().skip(place).find(|word| is_word(word)) {
                        *word = every.choose(&mut rng).unwrap_or(&"ret");
                    }
                }
            }
        }
        let address_size = if rng.random_ratio(1, 4) { 32 } else { 64 };
        let text = format!(
            ".version 8.6\n.target sm_90\n.address_size {address_size}\n{declarations}\n.visible .entry k(.param .u{address_size} out)\n{{\n\
             .reg .u{address_size} %out;\n.reg .b64 %rd<20>;\n.reg .b32 %r<20>;\n.reg .b16 %rs<20>;\n.reg .pred %p<8>;\n.reg .f32 %f<8>;\n\
             {}\nret;\n}}\n",
            body.concat()
        );
        let source = Source::new("random.ptx", text.as_str());
        let program = match parse(&source).map(|module| Program::new(&module, "k")) {
            Ok(Ok(program)) => program,
            Ok(Err(complaint)) => {
                assert!(!source.error(complaint).message.is_empty());
                refused += 1;
                continue;
            }
            Err(_) => continue,
        };
        let mut lane = program.lane(Arc::from([0; 8]));
        for cycle in 0..STEPS {
            match program.step(&mut lane, &somewhere(), Now { cycle, nanoseconds: cycle, active: 1 << 13 }) {
                Ok(Effect::Done) => {}
                Ok(Effect::Exit) => break,
                Ok(_) => program.finish(&mut lane, &std::array::from_fn::<u64, 8, _>(|_| rng.random())),
                Err(Halt::Fault(complaint)) => {
                    assert!(!source.at(complaint.span).is_empty(), "{complaint:?}\n{text}");
                    faults += 1;
                    break;
                }
                Err(Halt::Unsupported(_)) => break,
            }
        }
        executed += 1;
    }
    println!("{executed} executed, {faults} of them with a fault; {refused} refused");
    assert!(executed > KERNELS / 10 && refused > KERNELS / 20 && faults > KERNELS / 50);
}
