//! How fast is the simulation? The hardware in Rust beside the exported Verilog under Verilator -O3: the same stimulus, the
//! same loop around it, the same run. Both must give the same digest of all answers.
//!
//! `cargo bench -p txbar-testbench` prints criterion's figures, and then a table of cycles a second with the ratio.

use criterion::{BenchmarkId, Criterion, Throughput};
use std::fs;
use std::hint::black_box;
use std::path::Path;
use txbar_rtl::parameters::Parameters;
use txbar_testbench::engine::Engine;
use txbar_testbench::engine::compiled::{Compiled, Effort};
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::model::Memory;
use txbar_testbench::request::Request;
use txbar_testbench::run;
use txbar_testbench::traffic::{Generator, Plan, Source};

/// Clock cycles of one measured call.
const CYCLES: u64 = 100_000;
/// Requests of a port before they come round again.
const STIMULUS: usize = 4096;
/// Ports and banks.
const SIZES: [(usize, usize); 6] = [(1, 1), (2, 1), (4, 1), (8, 1), (4, 8), (8, 8)];

/// What the ports request: the traffic of `txbar sim`.
fn stimulus(parameters: &Parameters) -> Vec<Vec<Request>> {
    let mut generator = Generator::new(&Plan::new(1, u64::MAX), parameters);
    let mut port = |port| (0..STIMULUS).filter_map(|_| generator.next(port)).map(|(_, request)| request).collect();
    (0..parameters.ports).map(&mut port).collect()
}

fn cycles(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("cycles");
    group.throughput(Throughput::Elements(CYCLES));
    for (ports, banks) in SIZES {
        let parameters = Parameters { ports, banks, ..Parameters::default() };
        let size = format!("{ports}x{banks}");
        let stimulus = stimulus(&parameters);
        let mut native = Rtl::new(parameters);
        let digest = native.saturate(&stimulus, CYCLES);
        group.bench_function(BenchmarkId::new("rust", &size), |bencher| {
            bencher.iter(|| black_box(native.saturate(&stimulus, CYCLES)));
        });
        match Compiled::new(parameters, Effort::Best) {
            Err(error) => eprintln!("without Verilator: {error}"),
            Ok(compiled) => {
                let mut verilated = compiled.engine();
                assert_eq!(verilated.saturate(&stimulus, CYCLES), digest, "the two disagree");
                group.bench_function(BenchmarkId::new("verilator", &size), |bencher| {
                    bencher.iter(|| black_box(verilated.saturate(&stimulus, CYCLES)));
                });
            }
        }
    }
    group.finish();
}

fn checking(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("checking");
    group.throughput(Throughput::Elements(CYCLES));
    let parameters = Parameters::default();
    group.bench_function("scoreboard", |bencher| {
        bencher.iter(|| {
            run::plan(&mut Rtl::new(parameters), &Plan::new(1, CYCLES), &mut run::Blind).map_err(|error| error.what)
        });
    });
    let requests = stimulus(&Parameters { ports: 1, ..parameters }).remove(0);
    group.throughput(Throughput::Elements(requests.len() as u64));
    let mut memory = Memory::new(parameters.words);
    group.bench_function("model", |bencher| {
        bencher.iter(|| requests.iter().map(|request| memory.serve(request).fault.is_some() as u64).sum::<u64>());
    });
    group.finish();
}

/// Cycles a second of a benchmark that criterion has just measured.
fn rate(name: &str, (ports, banks): (usize, usize)) -> Option<f64> {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/criterion/cycles");
    let text =
        fs::read_to_string(target.join(name).join(format!("{ports}x{banks}")).join("new/estimates.json")).ok()?;
    let estimates: serde_json::Value = serde_json::from_str(&text).ok()?;
    Some(CYCLES as f64 / (estimates["median"]["point_estimate"].as_f64()? * 1e-9))
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    cycles(&mut criterion);
    checking(&mut criterion);
    criterion.final_summary();
    println!("\nmillions of clock cycles a second, medians, 512 words, every port saturated");
    println!("{:>6} {:>6} {:>8} {:>14} {:>6}", "ports", "banks", "Rust", "Verilator -O3", "ratio");
    for size in SIZES {
        let (ports, banks) = size;
        if let (Some(rust), Some(verilator)) = (rate("rust", size), rate("verilator", size)) {
            println!("{ports:>6} {banks:>6} {:>8.2} {:>14.2} {:>6.2}", rust / 1e6, verilator / 1e6, rust / verilator);
        }
    }
}
