//! Every suite of [`txbar_bench`], by criterion, and a table at the end.
//!
//! `cargo bench -p txbar-bench --bench simulation`, or `... -- engines` for one suite.

mod stopwatch;

use std::process::ExitCode;
use stopwatch::ByCriterion;
use txbar_bench::suites::SUITES;
use txbar_bench::{Bench, slices, table};

fn main() -> ExitCode {
    if let Some(code) = slices::serve() {
        return code;
    }
    let mut stopwatch = ByCriterion::from_args();
    let mut bench = Bench::new(&mut stopwatch);
    for (_, _, suite) in SUITES {
        suite(&mut bench);
    }
    println!("\n{}", table(&bench.figures));
    stopwatch.finish();
    ExitCode::SUCCESS
}
