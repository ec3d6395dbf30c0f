//! `txbar sim --lanes`: random traffic, or a saved run, on a unit with ports for warps, under a scoreboard.

use crate::shell::output::Lines;
use crate::shell::wave_writer::{self, WaveWriter};
use crate::shell::{progress, stop};
use crate::sim::case::Head;
use crate::sim::cluster::advance;
use crate::sim::scenario::Wanted;
use crate::sim::verdict::{self, Bench, Played, Watched, Work};
use crate::{Verdict, report, sim};
use anyhow::{Result, bail};
use serde::Serialize;
use txbar_rtl::warp::parameters::WarpParameters;
use txbar_rtl::warp::{Point, WarpUnit};
use txbar_testbench::case::warps::Warps;
use txbar_testbench::faults::{self, Fault};
use txbar_testbench::shrink::{Limits, Shortened};
use txbar_testbench::warp::engine::Rtl;
use txbar_testbench::warp::traffic::{Plan, Report};

/// The figures of a clean run.
#[derive(Serialize)]
struct Figures {
    #[serde(flatten)]
    report: Report,
    mismatches: u64,
    seed: u64,
}

/// A unit with ports for warps, with an injected fault or without.
struct Design {
    parameters: WarpParameters,
    chosen: Option<Fault<WarpUnit, Point>>,
}

impl Design {
    fn build(&self) -> Rtl {
        match self.chosen.map(Fault::injected) {
            None => Rtl::new(self.parameters),
            Some(mut injected) => {
                let hand = move |unit: &mut WarpUnit, point| injected.inject(unit, point);
                Rtl::with_fault(self.parameters, Box::new(hand))
            }
        }
    }
}

impl Bench for Design {
    type Plan = Plan;
    type Case = Warps;
    type Report = Report;
    type Figures = Figures;

    fn design(&self) -> &dyn txbar_rtl::parameters::Design {
        &self.parameters
    }

    fn play(&self, work: &Work<&Plan, &Warps>, waves: Option<&wave_writer::Arguments>) -> Result<Played<Report>> {
        let mut rtl = self.build();
        let wave_writer = waves.map(|waves| WaveWriter::begin(waves, rtl.unit(), &self.parameters)).transpose()?;
        let mut wave_writer = wave_writer.flatten();
        let bar = progress::bar(if let Work::Plan(plan) = work { plan.cycles } else { 0 }, "simulating");
        let look = &mut |rtl: &Rtl, cycle| {
            advance(&bar, cycle);
            if let Some(wave_writer) = &mut wave_writer {
                wave_writer.sample(rtl.unit(), cycle);
            }
        };
        let outcome = match work {
            Work::Plan(plan) => plan.run_until(stop::requested, &mut rtl, look),
            Work::Case(case) => case.play(stop::requested, &mut rtl, look),
        };
        bar.finish_and_clear();
        Ok((outcome, Watched { wave_writer, recorder: None }))
    }

    fn shortened(&self, plan: &Plan) -> Option<Shortened<Warps>> {
        Warps::shortened(|| self.build(), plan, Limits::CLUSTER.until(stop::requested))
    }

    fn seed(plan: &Plan) -> u64 {
        plan.seed
    }

    fn figures(report: Report, seed: u64) -> (Figures, Lines, Option<u64>) {
        let (lines, stopped) = (lines(&report, seed), report.stopped.then_some(report.cycles));
        (Figures { report, mismatches: 0, seed }, lines, stopped)
    }
}

/// Runs the command.
pub fn run(work: &Work<Plan, Warps>, fault: Option<&str>, of: (Option<&Head>, &Wanted)) -> Result<Verdict> {
    if of.1.outputs.are_wanted() {
        bail!("--report and --record show the ports of threads: with --lanes they need a cluster (--ctas 1)");
    }
    let parameters = match work {
        Work::Plan(plan) => {
            plan.check()?;
            plan.parameters
        }
        Work::Case(case) => case.parameters,
    };
    let chosen = fault.map(|name| sim::named(name, &faults::warp::all(&parameters))).transpose()?;
    verdict::run(&Design { parameters, chosen }, work, fault, of)
}

fn lines(report: &Report, seed: u64) -> Lines {
    let Report { cycles, instructions, groups, threads, lanes, faults, flips, suspended, memory, .. } = report;
    let mut lines = Lines::default();
    lines.add("cycles", cycles).add("instructions of warps", instructions).add("groups of lanes", groups);
    lines.add("lanes answered", lanes).add("requests of threads", threads);
    if memory[0] > 0 {
        let [accesses, steps, told, refused] = memory;
        let accesses = format!("{accesses} in {steps} steps; {told} lanes answered, {refused} of them refused");
        lines.add("loads and stores", accesses);
    }
    let [waits, woken] = suspended;
    lines.add("waits", format!("{waits} groups suspended, {woken} lanes woken"));
    lines.add("faults", report::wanted(*faults)).add("phases completed", flips);
    lines.add("mismatches", 0).add("seed", seed);
    lines
}
