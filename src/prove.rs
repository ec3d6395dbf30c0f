//! `txbar prove`: formal proofs on the exported Verilog.

use crate::shell::files::Files;
use crate::shell::junit::{Ending, Junit, Tested};
use crate::shell::output::{self, OutputFile};
use crate::shell::progress;
use crate::shell::shard::{Findings, Shard, Sharding};
use crate::{Json, Verdict};
use crate::{note, say};
use anyhow::{Context, Result, bail};
use clap::Args;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use txbar_synth::prove::covers::{self as events, EVENTS};
use txbar_synth::prove::mutants::mutate::{self, Mutant};
use txbar_synth::prove::mutants::report::{file, read, report};
use txbar_synth::prove::mutants::run::{Fate, Outcome, SUBJECTS, Subject, examine, modules};
use txbar_synth::prove::solve::Limit;
use txbar_synth::prove::ways::Way;
use txbar_synth::prove::{self, Line, Proof, Report, list, record, trace};

/// Proves properties of the exported Verilog: for all inputs, where the engine says `unbounded`, otherwise for all inputs of
/// that many cycles from reset. Prints a line for each proof, and for one that fails the name of a wave file with the inputs
/// that break it. Exits with 0 only if all hold.
#[derive(Args)]
pub struct Arguments {
    /// Proofs to attempt; those of the core set if none is named, `list` to see all and what they say
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Attempt every proof, also those that take long
    #[arg(long)]
    all: bool,
    /// Give up on a proof after this many seconds
    #[arg(long, default_value_t = 3600, value_name = "SECONDS")]
    timeout: u64,
    /// Proofs to attempt in parallel; by default as many as there are processors
    #[arg(long, default_value_t = rayon::current_num_threads(), hide_default_value = true, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..))]
    jobs: usize,
    /// Put N defects into the Verilog, one at a time, and count those that proofs and random traffic notice
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    mutants: Option<u64>,
    /// With --mutants: continue from the existing report, and examine only what is not in it
    #[arg(long)]
    resume: bool,
    /// Find the shortest trace to each event that must be reachable, and draw some of them
    #[arg(long)]
    covers: bool,
    /// Also look for the defects that each proof must find, and keep what comes of it in a file, with a hash of what it is made of
    #[arg(long, alias = "record", value_name = "FILE", num_args = 0..=1, default_missing_value = "synth/formal/proved.json")]
    keep: Option<PathBuf>,
    /// Seed of the choice of defects, and of the traffic
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    seed: u64,
    /// Directory for the waves of failed proofs, and for the report on defects
    #[arg(short, long, default_value = ".", value_name = "DIR")]
    output: PathBuf,
    #[command(flatten)]
    json: Json,
    #[command(flatten)]
    junit: Junit,
    #[command(flatten)]
    sharding: Sharding,
}

/// What became of mutants, by their numbers.
#[derive(Serialize, Deserialize)]
pub struct Examined {
    outcomes: BTreeMap<usize, Outcome>,
}

impl Findings for Examined {
    fn add(&mut self, other: Self) {
        self.outcomes.extend(other.outcomes);
    }

    fn tell(&self) -> Verdict {
        let killed = self.outcomes.values().filter(|outcome| outcome.fate == Fate::Killed).count();
        say!("{killed} of {} mutants are noticed", self.outcomes.len());
        Verdict::Pass
    }

    fn figures(&self) -> impl Serialize {
        self.outcomes.values().collect::<Vec<_>>()
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Verdict> {
    arguments.junit.list(arguments.json.list(Files::default())).writes("--keep", &arguments.keep).check()?;
    if arguments.names.iter().any(|name| name == "list") {
        list();
        return Ok(Verdict::Pass);
    }
    output::try_directory(&arguments.output)?;
    if let Some(count) = arguments.mutants {
        return mutants(count, arguments);
    }
    if arguments.covers {
        return covers(arguments);
    }
    let proofs = chosen(arguments)?;
    let lines = attempt(&proofs, arguments)?;
    if let Some(path) = &arguments.json.json {
        output::write_json(path, &lines)?;
    }
    arguments.junit.write([("txbar prove".to_owned(), lines.iter().map(tested).collect())])?;
    let sound = lines.iter().filter(|line| line.verdict == "holds").count();
    say!("{sound} of {} proofs hold", lines.len());
    Ok(if sound == lines.len() { Verdict::Pass } else { Verdict::Fail })
}

/// Names the proofs, and says what they say.
fn list() {
    for proof in list::PROOFS {
        let set = if proof.core { "core" } else { "all " };
        let (engine, reach, size) = (proof.engine.name(), proof.engine.reach(), proof.size());
        say!("{:<20} {set}  {} ({engine}, {reach}, {size})", proof.name, proof.says);
    }
}

/// A proof as a test case.
fn tested(line: &Line) -> Tested {
    let Line { name, says, verdict, reach, .. } = line;
    let ending = match verdict.as_str() {
        "holds" => Ending::Passed,
        _ => Ending::Failed("proof", format!("{verdict}: {says}"), format!("{name} ({reach}): {verdict}\n{says}")),
    };
    Tested { name: name.clone(), seconds: Some(line.seconds), ending }
}

fn chosen(arguments: &Arguments) -> Result<Vec<&'static Proof>> {
    let Arguments { names, all, .. } = arguments;
    if !names.is_empty() {
        let find = |name: &String| match list::find(name) {
            Some(proof) => Ok(proof),
            None => bail!("there is no proof `{name}`; `txbar prove list` names them"),
        };
        return names.iter().map(find).collect();
    }
    Ok(list::PROOFS.iter().filter(|proof| proof.core || *all).collect())
}

/// Attempts the proofs, several at a time, and reports each as it ends; gives the lines in the order of the list.
fn attempt(proofs: &[&'static Proof], arguments: &Arguments) -> Result<Vec<Line>> {
    // one at a time, so that lines stay whole; with the records so far
    let read = |file: &PathBuf| record::read(file).with_context(|| format!("`{}`", file.display()));
    let known = arguments.keep.as_ref().filter(|file| file.exists()).map(read).transpose()?;
    let telling = Mutex::new(known.unwrap_or_default());
    let bar = progress::bar(proofs.len() as u64, "proving");
    let limit = Limit::Wall(arguments.timeout);
    let one = |proof: &&'static Proof| {
        let report = proof.attempt(limit)?;
        let line = proof.line(&report);
        let record = arguments.keep.as_ref().map(|_| proof.record(line.clone(), limit)).transpose()?;
        let mut records = telling.lock().expect("no other thread has panicked");
        tell(proof, &report, &line, arguments)?;
        if let (Some(record), Some(file)) = (record, &arguments.keep) {
            record::put(&mut records, record);
            output::write_json(file, &*records)?;
        }
        bar.inc(1);
        Ok(line)
    };
    pool(arguments)?.install(|| proofs.par_iter().map(one).collect())
}

/// A pool of the requested number of threads.
fn pool(arguments: &Arguments) -> Result<ThreadPool> {
    ThreadPoolBuilder::new().num_threads(arguments.jobs).build().context("threads for the proofs")
}

fn tell(proof: &Proof, report: &Report, line: &Line, arguments: &Arguments) -> Result<()> {
    let Line { name, says, engine, reach, size, verdict, seconds } = line;
    say!("{name:<20} {verdict:<9} {reach:<10} {seconds:>6.1} s  {says} ({engine}; {size})");
    if let prove::Verdict::Fails { place, steps, problem } = &report.verdict {
        output::make_directory(&arguments.output)?;
        let path = arguments.output.join(format!("{}.vcd", proof.name));
        let mut file = OutputFile::create(&path)?;
        trace::write_vcd(file.writer(), problem, steps)?;
        file.finish()?;
        say!("    broken: {place}; waves: {}", path.display());
    }
    Ok(())
}

/// What the solver of a proof has for a mutant: of the processor, so that what comes of it does not depend on what else runs.
const MUTANT_LIMIT: Limit = Limit::Processor(6);

/// Chooses mutants, looks what becomes of each, and writes the report.
fn mutants(count: u64, arguments: &Arguments) -> Result<Verdict> {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let all = SUBJECTS.iter().flat_map(Subject::mutants).collect();
    let chosen = mutate::choose(all, &modules(), count, arguments.seed);
    say!("seed {}", arguments.seed);
    // parts may have one directory
    let part = arguments.sharding.part().map_or(String::new(), |Shard { part, of }| format!("part_{part}_of_{of}."));
    let (report_file, page) =
        (file(&arguments.output, &(part.clone() + "json")), file(&arguments.output, &(part + "md")));
    let known = match arguments.resume {
        true => read(&report_file).with_context(|| format!("`{}`", report_file.display()))?,
        false => Vec::new(),
    };
    let (mut old, mut new) = (BTreeMap::new(), Vec::new());
    let of_part = |(position, _): &(usize, Mutant)| arguments.sharding.holds(*position as u64);
    for (position, mutant) in chosen.into_iter().enumerate().filter(of_part) {
        if let Some(outcome) = known.iter().find(|outcome| outcome.mutant == mutant) {
            old.insert(position, outcome.clone());
        } else {
            new.push((position, mutant));
        }
    }
    let bar = progress::bar(new.len() as u64, "examining mutants");
    let done = Mutex::new(old);
    let one = |(position, mutant): &(usize, Mutant)| -> Result<()> {
        let outcome = examine(mutant, list::PROOFS, MUTANT_LIMIT, arguments.seed)?;
        let (proof, test) =
            (outcome.proof.as_deref().unwrap_or("no proof"), if outcome.test { "tests" } else { "no test" });
        say!("{}: `{}`: {}: {proof}, {test}", mutant.module, mutant.after, mutant.kind);
        if outcome.fate != Fate::Killed {
            say!("    survives: {:?}", outcome.fate);
        }
        bar.inc(1);
        let mut done = done.lock().expect("no other thread has panicked");
        done.insert(*position, outcome);
        // results are on disk, in case the run is stopped
        let outcomes: Vec<Outcome> = done.values().cloned().collect();
        output::make_directory(&arguments.output)?;
        output::write_json(&report_file, &outcomes)?;
        output::write_text(&page, &report(&outcomes, arguments.seed))
    };
    pool(arguments)?.install(|| new.par_iter().try_for_each(one))?;
    let outcomes = done.into_inner().expect("no other thread has panicked");
    note!("written: {}", page.display());
    arguments.sharding.end(&Examined { outcomes }, &arguments.json, &[])
}

/// Finds the way to each event, and draws some.
fn covers(arguments: &Arguments) -> Result<Verdict> {
    let directory = tempfile::tempdir().context("a temporary directory")?;
    let problem = events::events(directory.path())?;
    let mut all = true;
    let bar = progress::bar(EVENTS.len() as u64, "looking for traces");
    for (event, says) in EVENTS {
        bar.inc(1);
        let way = events::reach(&problem, event, directory.path())?;
        let reached = way.as_ref().map_or("not reached".to_owned(), |steps| format!("cycle {}", steps.len() - 1));
        say!("{event:<16} {reached:<12} {says}");
        all &= way.is_some();
        if let (Some(steps), true) = (way, events::has_picture(event)) {
            output::make_directory(&arguments.output)?;
            // what is drawn is as simple as it can be, if nothing matters that has no name
            let way = Way::of(&problem, event, &steps);
            let steps = way.as_ref().and_then(|way| way.steps(&problem)).unwrap_or(steps);
            if let Some(way) = way {
                output::write_json(&arguments.output.join(format!("{event}.json")), &way)?;
            }
            let path = arguments.output.join(format!("reach_{event}.svg"));
            output::write_text(&path, &events::draw(&problem, says, &steps, directory.path())?)?;
            say!("    {}", path.display());
        }
    }
    Ok(if all { Verdict::Pass } else { Verdict::Fail })
}
