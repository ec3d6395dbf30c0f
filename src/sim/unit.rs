//! `txbar sim` on a unit: random traffic, or a saved run, under a scoreboard.

use crate::report::{self, Outputs};
use crate::shell::output::Lines;
use crate::shell::wave_writer::{self, WaveWriter};
use crate::shell::{progress, stop};
use crate::sim::case::Head;
use crate::sim::scenario::Wanted;
use crate::sim::verdict::{self, Bench, Played, Watched, Work};
use crate::{Engine, Verdict, check, sim};
use anyhow::{Context, Result, bail};
use indicatif::ProgressBar;
use txbar_rtl::parameters::Parameters;
use txbar_testbench::case::unit::Unit;
use txbar_testbench::engine::Engine as Simulation;
use txbar_testbench::engine::compiled::Simulated;
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::faults;
use txbar_testbench::run::{self, Latency, Observer, Report};
use txbar_testbench::shrink::{Limits, Shortened};
use txbar_testbench::traffic::Plan;

/// An engine that waves can be written of.
pub trait Filmed: Simulation {
    /// Begins the waves.
    fn begin(&self, waves: &wave_writer::Arguments) -> Result<Option<WaveWriter>>;
    /// Samples the design after it has settled.
    fn sample(&self, wave_writer: &mut WaveWriter, cycle: u64);
}

impl Filmed for Rtl {
    fn begin(&self, waves: &wave_writer::Arguments) -> Result<Option<WaveWriter>> {
        WaveWriter::begin(waves, self.unit(), self.parameters())
    }
    fn sample(&self, wave_writer: &mut WaveWriter, cycle: u64) {
        wave_writer.sample(self.unit(), cycle);
    }
}

/// Its waves are Verilator's.
impl Filmed for Simulated {
    fn begin(&self, _: &wave_writer::Arguments) -> Result<Option<WaveWriter>> {
        Ok(None)
    }
    fn sample(&self, _: &mut WaveWriter, _: u64) {}
}

/// Moves the bar and writes the waves.
pub struct Camera<'a> {
    /// The bar.
    pub bar: &'a ProgressBar,
    /// The waves.
    pub wave_writer: Option<WaveWriter>,
}

impl<E: Filmed> Observer<E> for Camera<'_> {
    fn settled(&mut self, engine: &E, cycle: u64) {
        if let Some(wave_writer) = &mut self.wave_writer {
            engine.sample(wave_writer, cycle);
        }
    }
    fn progress(&mut self, accepted: u64) {
        self.bar.set_position(accepted);
    }
    fn stops(&self) -> bool {
        stop::requested()
    }
}

/// A unit on an engine.
struct Design<'a, M> {
    parameters: Parameters,
    make: M,
    outputs: &'a Outputs,
}

impl<E: Filmed, M: Fn() -> E> Bench for Design<'_, M> {
    type Plan = Plan;
    type Case = Unit;
    type Report = Report;
    type Figures = Report;

    fn design(&self) -> &dyn txbar_rtl::parameters::Design {
        &self.parameters
    }

    fn play(&self, work: &Work<&Plan, &Unit>, waves: Option<&wave_writer::Arguments>) -> Result<Played<Report>> {
        let mut engine = (self.make)();
        let wave_writer = waves.map(|waves| engine.begin(waves)).transpose()?.flatten();
        let mut recorder = self.outputs.of_unit(&self.parameters);
        let total = match work {
            Work::Plan(plan) => plan.operations,
            Work::Case(case) => case.requests.len() as u64,
        };
        let bar = progress::bar(total, "simulating");
        let mut camera = Camera { bar: &bar, wave_writer };
        let both = &mut (&mut camera, &mut recorder);
        let outcome = match work {
            Work::Plan(plan) => run::plan(&mut engine, plan, both),
            Work::Case(case) => case.play(&mut engine, both),
        };
        bar.finish_and_clear();
        Ok((outcome, Watched { wave_writer: camera.wave_writer, recorder }))
    }

    fn shortened(&self, plan: &Plan) -> Option<Shortened<Unit>> {
        Unit::shortened(&self.make, plan, Limits::UNIT.until(stop::requested))
    }

    fn seed(plan: &Plan) -> u64 {
        plan.seed
    }

    fn figures(report: Report, _: u64) -> (Report, Lines, Option<u64>) {
        let (lines, stopped) = (lines(&report), report.stopped.then_some(report.cycles));
        (report, lines, stopped)
    }
}

/// Runs the command on an engine.
pub fn run(
    engine: Engine,
    parameters: Parameters,
    work: &Work<Plan, Unit>,
    fault: Option<&str>,
    of: (Option<&Head>, &Wanted),
) -> Result<Verdict> {
    let (_, files) = of;
    let chosen = fault.map(|name| sim::named(name, faults::of_unit(&parameters))).transpose()?;
    if engine != Engine::Rtl && (chosen.is_some() || files.waves.path().is_some()) {
        bail!("--inject-fault and --vcd look into the hardware in Rust: they need --engine rtl");
    }
    let outputs = files.outputs;
    match (engine, engine.flow()) {
        (_, Some(flow)) => {
            let compiled = check::compiled(flow, parameters)?;
            verdict::run(&Design { parameters, make: || compiled.engine(), outputs }, work, fault, of)
        }
        (Engine::Model, _) => {
            bail!("the model has no clock cycles; `sim` runs on the other engines, `check` on all of them")
        }
        _ => {
            let make = || match chosen {
                None => Rtl::new(parameters),
                Some(chosen) => Rtl::with_fault(parameters, chosen.injected()),
            };
            verdict::run(&Design { parameters, make, outputs }, work, fault, of)
        }
    }
}

/// Random traffic on the hardware in Rust, for those who want nothing but the figures.
///
/// # Errors
/// It fails, or is stopped.
pub fn traffic(parameters: Parameters, plan: &Plan) -> Result<Report> {
    let _under_way = stop::Run::begin();
    let bar = progress::bar(plan.operations, "simulating");
    let report = run::plan(&mut Rtl::new(parameters), plan, &mut Camera { bar: &bar, wave_writer: None });
    bar.finish_and_clear();
    let report = report.ok().filter(|report| !report.stopped);
    report.with_context(|| match stop::requested() {
        true => "stopped by a signal".to_owned(),
        false => {
            let Plan { operations, seed, .. } = plan;
            format!("the random traffic failed; `txbar sim --ops {operations} --seed {seed}` shows how")
        }
    })
}

/// The figures of a run that did not fail.
pub fn lines(report: &Report) -> Lines {
    let Report { operations, cycles, operations_per_cycle, combined, .. } = report;
    let Report { faults, flips, mismatches, seed, remarked, .. } = report;
    let latency = |of: &Latency| {
        let Latency { min, median, p99, max } = of;
        format!("min {min}  median {median}  p99 {p99}  max {max}")
    };
    let mut lines = Lines::default();
    lines.add("operations", operations).add("cycles", cycles);
    lines.add("operations/cycle", format!("{operations_per_cycle:.3}"));
    lines.add("latency (cycles)", latency(&report.latency_cycles));
    lines.add("combined", format!("{:.1} %", combined * 100.0));
    let Report { suspended, woken, rejected, .. } = report;
    lines.add("waits", format!("{suspended} suspended, {woken} woken, {rejected} without room"));
    if *woken > 0 {
        lines.add("wake-up (cycles)", latency(&report.wake_latency_cycles));
    }
    lines.add("faults", report::wanted(*faults)).add("phases completed", flips);
    if *remarked > 0 {
        let mut warnings = vec![format!("{remarked} warnings, all expected by the model")];
        warnings.extend(report.remarks.iter().map(|remark| format!("  {remark}")));
        let more = remarked - report.remarks.len() as u64;
        if more > 0 {
            warnings.push(format!("  ... and {more} more"));
        }
        lines.add("checked mode", warnings.join("\n"));
    }
    lines.add("mismatches", mismatches).add("seed", seed);
    lines
}
