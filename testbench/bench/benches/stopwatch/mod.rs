//! Time measured by criterion.

use criterion::{BenchmarkId, Criterion, Throughput};
use std::fs;
use std::path::{Path, PathBuf};
use txbar_bench::Stopwatch;

/// Measures with criterion, whose output goes to target/criterion.
pub struct ByCriterion {
    criterion: Criterion,
    directory: PathBuf,
}

impl ByCriterion {
    /// As the command line of `cargo bench` asks for.
    pub fn from_args() -> Self {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/criterion");
        Self { criterion: Criterion::default().output_directory(&directory).configure_from_args(), directory }
    }

    /// Prints criterion's summary.
    pub fn finish(&self) {
        self.criterion.final_summary();
    }
}

impl Stopwatch for ByCriterion {
    fn seconds(&mut self, [suite, name, size]: [&str; 3], count: u64, routine: &mut dyn FnMut()) -> Option<f64> {
        // estimates of an earlier run are not those of this one
        let path = [suite, name, size, "new", "estimates.json"].iter().fold(self.directory.clone(), |d, n| d.join(n));
        let _ = fs::remove_file(&path);
        let mut group = self.criterion.benchmark_group(suite);
        group.throughput(Throughput::Elements(count));
        group.bench_function(BenchmarkId::new(name, size), |bencher| bencher.iter(&mut *routine));
        group.finish();
        // criterion writes no estimates if the benchmark was only tried out, or was not wanted
        let estimates: serde_json::Value = serde_json::from_str(&fs::read_to_string(path).ok()?).ok()?;
        Some(estimates["median"]["point_estimate"].as_f64()? * 1e-9)
    }
}
