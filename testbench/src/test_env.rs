//! Environment variables of tests: seeds to repeat, and longer runs.
//!
//! | variable | what it asks for |
//! | --- | --- |
//! | `TXBAR_SEED=N` | the seed of everything random |
//! | `TXBAR_ALL=1` | all of the following five |
//! | `TXBAR_ALL_SETS=1` | every set of parameters on every engine: netlists and CXXRTL of large units take minutes |
//! | `TXBAR_ALL_RECORDS=1` | every record over a serial line |
//! | `TXBAR_ALL_SCHEDULES=1` | every schedule of kernels that are slow |
//! | `TXBAR_ALL_PARAMETERS=1` | a hundred times as many runs with parameters drawn at random |
//! | `TXBAR_ALL_MUTATIONS=1` | every mutated form of every sound kernel |
//! | `TXBAR_SOAK=N` | random traffic that is N times as long |

use std::env;

/// Whether every one of something is asked for: `SETS`, `RECORDS`, `SCHEDULES`.
pub fn all(of: &str) -> bool {
    let set = |variable: &str| env::var_os(variable).is_some_and(|value| value != "0");
    set("TXBAR_ALL") || set(&format!("TXBAR_ALL_{of}"))
}

/// A number that a variable gives.
///
/// # Panics
/// It gives something else.
pub fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable}={text}: a number is needed")))
}

/// The seed of a test: the one that is asked for, or else this. It is printed, so that a failure can be repeated.
pub fn seed_or(otherwise: impl FnOnce() -> u64) -> u64 {
    let seed = number("TXBAR_SEED").unwrap_or_else(otherwise);
    println!("TXBAR_SEED={seed}");
    seed
}

/// A seed that is new in every run, unless one is asked for.
pub fn seed() -> u64 {
    seed_or(|| rand::random::<u32>().into())
}
