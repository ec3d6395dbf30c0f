//! How does the unit grow? One axis at a time, ports, banks, waiters and words, from a unit of 4 ports, 8 banks, 32 waiters and
//! 512 words: operations a cycle and latency under random traffic, LUTs of an ECP5, clock cycles simulated a second.
//!
//! `cargo bench -p txbar-bench --bench scaling` prints criterion's figures and the table, and with `TXBAR_UPDATE_DOCS=1`
//! it writes the table, the plot and the figures to `docs/`. It takes some ten minutes, most of them in Yosys.

mod stopwatch;

use plotters::prelude::*;
use serde::Serialize;
use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;
use stopwatch::ByCriterion;
use txbar_bench::suites::{self, AXES, sizes};
use txbar_bench::{Bench, Figure};
use txbar_export::tools::YOSYS;
use txbar_export::verilog;
use txbar_rtl::parameters::Parameters;
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::run;
use txbar_testbench::traffic::{Pattern, Plan};

/// Requests of the run that rate and latency are taken from.
const OPERATIONS: u64 = 200_000;

/// What was measured of one size.
#[derive(Clone, Debug, Serialize)]
struct Point {
    axis: &'static str,
    value: usize,
    operations_per_cycle: f64,
    latency_median: usize,
    latency_p99: usize,
    /// LUT4s of an ECP5, module by module; nothing if there is no Yosys.
    lut4: Option<u64>,
    cycles_per_second: f64,
}

/// Random words, as the bar of DESIGN has it.
fn plan() -> Plan {
    Plan { pattern: Pattern::Random, ..Plan::new(1, OPERATIONS) }
}

fn luts(parameters: &Parameters) -> Result<u64, Box<dyn Error>> {
    let export = verilog::unit(parameters, "txbar")?;
    let directory = tempfile::tempdir()?;
    fs::write(directory.path().join("unit.v"), &export.text)?;
    let top = &export.top;
    let script =
        format!("read_verilog unit.v; synth_ecp5 -noflatten -top {top}; tee -q -o stat.json stat -json -top {top}");
    let output = YOSYS.command()?.args(["-q", "-p", &script]).current_dir(directory.path()).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let stat: serde_json::Value = serde_json::from_str(&fs::read_to_string(directory.path().join("stat.json"))?)?;
    stat["design"]["num_cells_by_type"]["LUT4"].as_u64().ok_or_else(|| "there are no LUTs".into())
}

/// LUTs of every size, on all cores at once.
fn all_luts() -> Vec<Option<u64>> {
    let points = sizes();
    let (next, found) = (Mutex::new(0), Mutex::new(vec![None; points.len()]));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let position = {
                        let mut next = next.lock().expect("nobody panics while holding it");
                        *next += 1;
                        *next - 1
                    };
                    let Some((axis, value, parameters)) = points.get(position) else { break };
                    match luts(parameters) {
                        Ok(luts) => found.lock().expect("nobody panics while holding it")[position] = Some(luts),
                        Err(error) => eprintln!("no LUTs for {axis} = {value}: {error}"),
                    }
                }
            });
        }
    });
    found.into_inner().expect("nobody panics while holding it")
}

fn table(points: &[Point]) -> String {
    let mut text = String::from(
        "| axis | value | operations a cycle | latency, median | p99 | LUT4 | million cycles simulated a second |\n\
         | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for point in points {
        let Point { axis, value, operations_per_cycle, latency_median, latency_p99, .. } = point;
        let luts = point.lut4.map_or("-".to_owned(), |luts| luts.to_string());
        let speed = point.cycles_per_second / 1e6;
        writeln!(
            text,
            "| {axis} | {value} | {operations_per_cycle:.2} | {latency_median} | {latency_p99} | {luts} | {speed:.2} |"
        )
        .expect("writing to a String");
    }
    text
}

/// One panel an axis and figure, side by side.
fn plot(points: &[Point], path: &Path) -> Result<(), Box<dyn Error>> {
    type Figure = (&'static str, fn(&Point) -> f64);
    let figures: [Figure; 4] = [
        ("operations a cycle", |point| point.operations_per_cycle),
        ("latency, p99 (cycles)", |point| point.latency_p99 as f64),
        ("LUT4 (thousands)", |point| point.lut4.unwrap_or(0) as f64 / 1e3),
        ("million cycles simulated a second", |point| point.cycles_per_second / 1e6),
    ];
    let root = SVGBackend::new(path, (1200, 900)).into_drawing_area();
    root.fill(&WHITE)?;
    let panels = root.split_evenly((figures.len(), AXES.len()));
    for (row, (title, figure)) in figures.into_iter().enumerate() {
        for (column, (axis, _, _)) in AXES.into_iter().enumerate() {
            let line: Vec<(f64, f64)> = points
                .iter()
                .filter(|point| point.axis == axis)
                .enumerate()
                .map(|(position, point)| (position as f64, figure(point)))
                .collect();
            let values: Vec<usize> =
                points.iter().filter(|point| point.axis == axis).map(|point| point.value).collect();
            let top = line.iter().map(|(_, y)| *y).fold(0.0, f64::max) * 1.15 + 1e-9;
            let mut chart = ChartBuilder::on(&panels[row * AXES.len() + column])
                .margin(8)
                .caption(title, ("sans-serif", 13))
                .x_label_area_size(34)
                .y_label_area_size(42)
                .build_cartesian_2d(-0.2..line.len() as f64 - 0.8, 0.0..top)?;
            chart
                .configure_mesh()
                .disable_x_mesh()
                .x_labels(line.len())
                .x_label_formatter(&|x| {
                    let whole = (x - x.round()).abs() < 0.01;
                    values.get(x.round() as usize).filter(|_| whole).map_or(String::new(), ToString::to_string)
                })
                .y_labels(4)
                .x_desc(axis)
                .draw()?;
            chart.draw_series(LineSeries::new(line.iter().copied(), BLUE.stroke_width(2)))?;
            chart.draw_series(line.iter().map(|point| Circle::new(*point, 3, BLUE.filled())))?;
        }
    }
    root.present()?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let luts = if std::env::args().any(|argument| argument == "--test") { Vec::new() } else { all_luts() };
    let mut stopwatch = ByCriterion::from_args();
    let mut bench = Bench::new(&mut stopwatch);
    suites::growth(&mut bench);
    let figures = bench.figures;
    stopwatch.finish();
    let mut measured = Vec::new();
    for (position, (axis, value, parameters)) in sizes().into_iter().enumerate() {
        let is = |figure: &&Figure| figure.size == suites::on_axis(axis, value);
        let Some(cycles_per_second) = figures.iter().find(is).map(|figure| figure.per_second) else { return Ok(()) };
        let report =
            run::plan(&mut Rtl::new(parameters), &plan(), &mut run::Unobserved).map_err(|failure| failure.what)?;
        measured.push(Point {
            axis,
            value,
            operations_per_cycle: report.operations_per_cycle,
            latency_median: report.latency_cycles.median,
            latency_p99: report.latency_cycles.p99,
            lut4: luts.get(position).copied().flatten(),
            cycles_per_second,
        });
    }
    println!("\n{}", table(&measured));
    if std::env::var_os("TXBAR_UPDATE_DOCS").is_some() {
        let docs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        plot(&measured, &docs.join("scaling.svg"))?;
        fs::write(docs.join("scaling.json"), serde_json::to_string_pretty(&measured)? + "\n")?;
        let page = fs::read_to_string(docs.join("scaling.md"))?;
        let begin = page.find("| axis |").ok_or("docs/scaling.md has no table")?;
        let end = page[begin..].find("\n\n").map_or(page.len(), |length| begin + length + 1);
        fs::write(docs.join("scaling.md"), page[..begin].to_owned() + &table(&measured) + &page[end..])?;
    }
    Ok(())
}
