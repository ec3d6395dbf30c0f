//! `txbar synth --explore`: measures units of many sizes, on all cores. Each result is stored as soon as it is measured, and reused by the
//! next run.

use crate::shell::files::Files;
use crate::shell::output;
use crate::shell::progress;
use crate::shell::shard::{Findings, Sharding};
use crate::{Json, Verdict};
use crate::{note, say};
use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use txbar_bench::rates;
use txbar_synth::flow::figures::Tools;
use txbar_synth::flow::{self, FlowError, Task};
use txbar_synth::frontier::{self, Choice, Point, Set, picture};
use txbar_testbench::input;

/// Measurements.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub struct Explored {
    points: Vec<Point>,
}

impl Findings for Explored {
    fn add(&mut self, other: Self) {
        other.points.into_iter().for_each(|point| frontier::keep(&mut self.points, point));
    }

    fn tell(&self) -> Verdict {
        say!("{}", frontier::text(&self.points).trim_end());
        Verdict::Pass
    }

    fn figures(&self) -> impl Serialize {
        self
    }
}

/// Points that a file has.
///
/// # Errors
/// It cannot be read, or has something else.
pub fn read(path: &Path) -> Result<Vec<Point>> {
    let text = input::read_text(path).with_context(|| path.display().to_string())?;
    frontier::read(&text).with_context(|| format!("{} holds no explored units", path.display()))
}

/// Explores a set, or the part of it that is asked for; `kept` is where points are and go, `svg` where the picture goes.
pub fn run(set: Option<&Path>, kept: &Path, svg: Option<&Path>, sharding: &Sharding, json: &Json) -> Result<Verdict> {
    let (name, text) = match set {
        None => ("the usual set".to_owned(), frontier::SMALL.to_owned()),
        Some(path) => {
            let name = path.display().to_string();
            (name.clone(), input::read_text(path).with_context(|| name)?)
        }
    };
    let (_, choices) = Set::read(&text).with_context(|| name)?;
    let sets: Vec<PathBuf> = set.iter().map(|path| path.to_path_buf()).collect();
    json.list(Files::default().reads(&sets).writes("--keep", [kept]).writes("--svg", svg)).check()?;
    let points = if kept.exists() { read(kept)? } else { Vec::new() };
    let mut tools: BTreeMap<&str, Tools> = BTreeMap::new();
    for choice in &choices {
        if !tools.contains_key(choice.part.name) {
            tools.insert(choice.part.name, flow::tools(choice.part)?);
        }
    }
    let points = Mutex::new(points);
    let total = sharding.count(choices.len() as u64);
    let bar = progress::bar(total, "units: simulation, synthesis, place and route");
    let measured = sharding.units(choices.len() as u64).map(|number| {
        let choice = &choices[usize::try_from(number).context("too many units")?];
        let measured = measure(choice, &tools[choice.part.name], &points, kept)?;
        bar.inc(1);
        Ok(measured)
    });
    let measured: Result<Vec<(Point, bool)>> = measured.collect();
    bar.finish_and_clear();
    let measured = match measured {
        Err(error) => match error.downcast_ref::<FlowError>() {
            Some(differs @ FlowError::Differs { .. }) => {
                say!("FAILED: {differs}");
                return Ok(Verdict::Fail);
            }
            _ => return Err(error),
        },
        measured => measured?,
    };
    let there = measured.iter().filter(|(_, there)| *there).count();
    let mut explored = Explored { points: Vec::new() };
    measured.into_iter().for_each(|(point, _)| frontier::keep(&mut explored.points, point));
    if let Some(path) = svg {
        let drawn = picture::svg(&explored.points);
        output::write_text(path, &drawn.map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?)?;
    }
    note!("{total} units, {there} of them measured before; all are kept in {}", kept.display());
    sharding.end(&explored, json, &sets)
}

/// A point as it is kept; or measured, and kept. Tells which.
fn measure(choice: &Choice, tools: &Tools, points: &Mutex<Vec<Point>>, kept: &Path) -> Result<(Point, bool)> {
    let source = choice.source()?;
    let recipe = choice.recipe(&source);
    let points = || points.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(point) = points().iter().find(|point| point.stands_for(choice, &recipe, tools)) {
        return Ok((point.clone(), true));
    }
    let rates = rates::of_unit(choice.parameters);
    let outcomes = flow::run(&[Task::measure(&source, choice.part, choice.seeds, false)], &|_| ())?;
    let Some(outcome) = outcomes.into_iter().next() else { bail!("nothing came of {}", source.parameters) };
    let point = Point::new(choice, recipe, rates, outcome.figures);
    let mut points = points();
    frontier::keep(&mut points, point.clone());
    output::write_json(kept, &*points)?;
    Ok((point, false))
}
