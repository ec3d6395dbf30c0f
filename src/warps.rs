//! `txbar sim --lanes`: random traffic on a unit with ports for warps, under a scoreboard.

use crate::Verdict;
use crate::cluster::{advance, conclude};
use crate::film::Film;
use crate::output::Lines;
use crate::report;
use crate::scenario::Wanted;
use crate::{progress, sim, stop};
use anyhow::{Result, bail};
use serde::Serialize;
use txbar_rtl::warp::{WarpUnit, plant};
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

/// Runs the plan.
pub fn run(plan: &Plan, plant: Option<&str>, files: &Wanted) -> Result<Verdict> {
    if files.outputs.are_wanted() {
        bail!("--report and --record show the ports of threads: with --lanes they need a cluster (--ctas 1)");
    }
    plan.check()?;
    let parameters = plan.parameters;
    let planted = sim::find(plant, &plant::all(&parameters))?;
    let mut rtl = match planted {
        None => Rtl::new(parameters),
        Some(mut planted) => {
            Rtl::with_fault(parameters, Box::new(move |unit: &mut WarpUnit, point| planted.tamper(unit, point)))
        }
    };
    let under_way = stop::Run::begin();
    let bar = progress::bar(plan.cycles, "simulating");
    let mut film = Film::begin(&files.waves.tampered(plant.is_some()), rtl.unit(), &parameters)?;
    let outcome = plan.run_until(stop::requested, &mut rtl, &mut |rtl, cycle| {
        advance(&bar, cycle);
        if let Some(film) = &mut film {
            film.sample(rtl.unit(), cycle);
        }
    });
    bar.finish_and_clear();
    let outcome = outcome.map(|report| {
        let lines = lines(&report, plan.seed);
        (Figures { report, mismatches: 0, seed: plan.seed }, lines)
    });
    let verdict = conclude(&outcome, (plan.seed, plant), files, film, None)?;
    drop(under_way);
    Ok(verdict)
}

fn lines(report: &Report, seed: u64) -> Lines {
    let Report { cycles, instructions, groups, threads, lanes, faults, flips, suspended, memory } = report;
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
