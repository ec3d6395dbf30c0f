//! Every suite of [`txbar_bench`], by criterion, and a table at the end.
//!
//! `cargo bench -p txbar-bench --bench simulation`, or `... -- engines` for one suite.

use criterion::Criterion;
use std::path::Path;
use std::process::ExitCode;
use txbar_bench::suites::SUITES;
use txbar_bench::{Bench, slices, table};

fn main() -> ExitCode {
    if let Some(code) = slices::serve() {
        return code;
    }
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/criterion");
    let mut criterion = Criterion::default().output_directory(&directory).configure_from_args();
    let mut bench = Bench::new(&mut criterion, directory);
    for (_, _, suite) in SUITES {
        suite(&mut bench);
    }
    println!("\n{}", table(&bench.figures));
    criterion.final_summary();
    ExitCode::SUCCESS
}
