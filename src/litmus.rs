//! `txbar litmus`: memory ordering, observed through small programs.

use crate::say;
use crate::shell::files::Files;
use crate::shell::progress;
use crate::shell::shard::{Findings, Sharding};
use crate::{Engine, Json, Verdict, check};
use anyhow::{Result, anyhow, bail};
use clap::Args;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::litmus::{self, Histogram, Litmus, PARAMETERS, Rule};

/// Runs small programs on the ports, many times over, while banks stall at random, and prints what their registers ended
/// with. An outcome that shows accesses out of order (`*>`) must be seen where the orderings allow it, and never where they
/// forbid it.
#[derive(Args)]
pub struct Arguments {
    /// Tests to run, all if none is named; `list` shows them with their programs
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// How often each program runs
    #[arg(long, default_value_t = 100_000, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// Seed of everything random; drawn and printed if it is not given
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Engine to run it on
    #[arg(long, value_enum, default_value_t = Engine::Rtl)]
    engine: Engine,
    #[command(flatten)]
    json: Json,
    #[command(flatten)]
    sharding: Sharding,
}

/// What came of the tests, or of a part of their runs.
#[derive(Serialize, Deserialize)]
pub struct Found {
    /// How often each test is to run.
    runs: u64,
    /// Random seed.
    seed: u64,
    /// By the number of the test.
    histograms: BTreeMap<usize, Histogram>,
}

impl Findings for Found {
    fn add(&mut self, other: Self) {
        for (number, histogram) in &other.histograms {
            self.note(*number, histogram);
        }
    }

    fn tell(&self) -> Verdict {
        let Self { runs, seed, histograms } = self;
        histograms.values().for_each(|histogram| say!("{histogram}\n"));
        // what must be seen need not be in a part of the runs
        let is_wrong = |of: &&Histogram| !of.is_as_it_should() && (of.runs == *runs || of.rule == Rule::Forbidden);
        let wrong: Vec<&str> = histograms.values().filter(is_wrong).map(|of| of.name.as_str()).collect();
        say!("{} of {} tests are as they should be (seed {seed})", histograms.len() - wrong.len(), histograms.len());
        if wrong.is_empty() {
            return Verdict::Pass;
        }
        say!("not as they should be: {}", wrong.join(", "));
        Verdict::Fail
    }

    fn figures(&self) -> impl Serialize {
        self.histograms.values().collect::<Vec<_>>()
    }
}

impl Found {
    /// Adds runs of a test.
    fn note(&mut self, number: usize, histogram: &Histogram) {
        let known = self.histograms.entry(number);
        known.and_modify(|known| known.add(histogram)).or_insert_with(|| histogram.clone());
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Verdict> {
    if arguments.names.iter().any(|name| name == "list") {
        litmus::all().iter().for_each(show);
        return Ok(Verdict::Pass);
    }
    let find = |name: &String| {
        Litmus::find(name).ok_or_else(|| anyhow!("there is no litmus test `{name}`; `txbar litmus list` names them"))
    };
    let tests = match arguments.names.is_empty() {
        true => litmus::all(),
        false => arguments.names.iter().map(find).collect::<Result<Vec<_>>>()?,
    };
    arguments.json.list(Files::default()).check()?;
    let seed = arguments.sharding.seed(arguments.seed)?;
    let found = match (arguments.engine, arguments.engine.flow()) {
        (_, Some(flow)) => {
            let compiled = check::compiled(flow, PARAMETERS)?;
            all_on(|| compiled.engine(), &tests, arguments, seed)?
        }
        (Engine::Model, _) => bail!("the model has no clock cycles; litmus tests run on the other engines"),
        _ => all_on(|| Rtl::new(PARAMETERS), &tests, arguments, seed)?,
    };
    arguments.sharding.end(&found, &arguments.json, &[])
}

/// Runs blocks of all tests, those of the part that is asked for, on all cores.
fn all_on<E: txbar_testbench::engine::Engine>(
    make: impl Fn() -> E + Sync + Send,
    tests: &[Litmus],
    arguments: &Arguments,
    seed: u64,
) -> Result<Found> {
    let Arguments { runs, sharding, .. } = arguments;
    let blocks = (tests.len() as u64).saturating_mul(runs.div_ceil(litmus::BLOCK));
    let bar = progress::bar(sharding.count(blocks), "running");
    let nothing = || Ok(Found { runs: *runs, seed, histograms: BTreeMap::new() });
    let one = |unit: u64| {
        let number = (unit % tests.len() as u64) as usize;
        let test = &tests[number];
        let ran = litmus::block(&mut make(), test, *runs, seed, unit / tests.len() as u64);
        bar.inc(1);
        match ran {
            Ok(histogram) => Ok((number, histogram)),
            Err(what) => Err((unit, anyhow!("litmus test {} (seed {seed}): {what}", test.name))),
        }
    };
    let found = sharding.units(blocks).map(one).fold(nothing, |found, one| {
        let (found, (number, histogram)) = first(found, one)?;
        let mut found: Found = found;
        found.note(number, &histogram);
        Ok(found)
    });
    let found = found.reduce(nothing, |one, other| {
        let (mut one, other) = first(one, other)?;
        one.add(other);
        Ok(one)
    });
    bar.finish_and_clear();
    found.map_err(|(_, error)| error)
}

/// Both, or the error of the first unit of work that has one.
fn first<A, B, E>(one: Result<A, (u64, E)>, other: Result<B, (u64, E)>) -> Result<(A, B), (u64, E)> {
    match (one, other) {
        (Ok(one), Ok(other)) => Ok((one, other)),
        (Err(one), Err(other)) => Err(if one.0 <= other.0 { one } else { other }),
        (Err(error), Ok(_)) | (Ok(_), Err(error)) => Err(error),
    }
}

/// Prints a test's program.
fn show(test: &Litmus) {
    say!("{} ({})", test.name, if test.rule == Rule::Forbidden { "forbidden" } else { "allowed" });
    say!("  {}", test.question);
    for (port, steps) in test.ports.iter().enumerate() {
        let steps: Vec<String> = steps.iter().map(ToString::to_string).collect();
        say!("  port {port}: {}", steps.join("; "));
    }
    let registers: Vec<String> =
        test.registers().iter().zip(&test.weak).map(|(name, value)| format!("{name}={value}")).collect();
    say!("  out of order: {}\n", registers.join(" "));
}
