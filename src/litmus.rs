//! `txbar litmus`: memory ordering, seen through small programs.

use crate::files::Files;
use crate::{Engine, Json, Verdict, check, output};
use crate::{progress, say};
use anyhow::{Result, anyhow, bail};
use clap::Args;
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
    let seed = arguments.seed.unwrap_or_else(|| rand::random::<u32>().into());
    let histograms = match (arguments.engine, arguments.engine.flow()) {
        (_, Some(flow)) => all_on(&mut check::compiled(flow, PARAMETERS)?.engine(), &tests, arguments.runs, seed)?,
        (Engine::Model, _) => bail!("the model has no clock cycles; litmus tests run on the other engines"),
        _ => all_on(&mut Rtl::new(PARAMETERS), &tests, arguments.runs, seed)?,
    };
    let wrong: Vec<&str> = histograms.iter().filter(|h| !h.is_as_it_should()).map(|h| h.name).collect();
    say!("{} of {} tests are as they should be (seed {seed})", histograms.len() - wrong.len(), histograms.len());
    if let Some(path) = &arguments.json.json {
        output::write_json(path, &histograms)?;
    }
    if wrong.is_empty() {
        return Ok(Verdict::Pass);
    }
    say!("not as they should be: {}", wrong.join(", "));
    Ok(Verdict::Fail)
}

fn all_on(
    engine: &mut impl txbar_testbench::engine::Engine,
    tests: &[Litmus],
    runs: u64,
    seed: u64,
) -> Result<Vec<Histogram>> {
    assert_eq!(*engine.parameters(), PARAMETERS);
    let bar = progress::bar(tests.len() as u64, "running");
    let mut histograms = Vec::new();
    for test in tests {
        let ran = litmus::run(engine, test, runs, seed);
        let histogram = ran.map_err(|what| anyhow!("litmus test {} (seed {seed}): {what}", test.name))?;
        say!("{histogram}\n");
        bar.inc(1);
        histograms.push(histogram);
    }
    bar.finish_and_clear();
    Ok(histograms)
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
