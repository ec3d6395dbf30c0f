//! The frontier: rate, latency, clock and area of units of many sizes, and which of them no other dominates.
//!
//! ```text
//!   set of units ─► simulation: operations a cycle, cycles to an answer ─┐
//!                └► flow: clock, look-up tables, block RAM ──────────────┴► points, kept in a file ─► picture, table, advice
//! ```
//! * [`Set`]: which units are explored, on which parts.
//! * [`Point`]: what was measured of one of them.
//! * [`dominated`]: which points another one is better than.
//! * [`picture`]: all points, as SVG.

pub mod picture;

use crate::flow::figures::{Figures, Tools};
use crate::flow::parts::{Part, UnknownPart};
use crate::flow::{Source, Task};
use serde::{Deserialize, Serialize};
use txbar_export::hash;
use txbar_export::tables::{columns, table};
use txbar_export::verilog::{self, PrefixError};
use txbar_rtl::parameters::{Build, Design, ParameterError, Parameters};

/// What is explored: products of parameters, each on every part. Read from JSON.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Set {
    /// Names of parts.
    pub parts: Vec<String>,
    /// Seeds of nextpnr that are tried for each: 1 to this.
    #[serde(default = "one_seed")]
    pub seeds: u32,
    /// Units.
    pub units: Vec<Product>,
}

const fn one_seed() -> u32 {
    1
}

/// Units of one build: every combination of these values.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Product {
    /// [`Build::name`].
    pub build: String,
    /// Request ports.
    pub ports: Vec<usize>,
    /// Banks.
    pub banks: Vec<usize>,
    /// Waits that may be suspended.
    pub waiters: Vec<usize>,
    /// 64-bit words of memory; 512 if nothing is said.
    #[serde(default = "usual_words")]
    pub words: Vec<usize>,
}

fn usual_words() -> Vec<usize> {
    vec![Parameters::DEFAULT.words]
}

/// The set that is explored if no other is named: small units on a small part.
pub const SMALL: &str = include_str!("small.json");

/// What is wrong with a set.
#[derive(Debug, thiserror::Error)]
pub enum SetError {
    /// It is no JSON, or of another form.
    #[error("it is not a set of units: {0}")]
    Form(#[from] serde_json::Error),
    /// It names no part or no unit.
    #[error("it is empty: it names no {0}")]
    Empty(&'static str),
    /// It names a part that there is not.
    #[error(transparent)]
    Part(#[from] UnknownPart),
    /// No seed, or too many.
    #[error("seeds = {0}: it must be from 1 to 1000")]
    Seeds(u32),
    /// It names a build that there is not.
    #[error("there is no build `{0}`: it is low-latency, high-clock or banked-high-clock")]
    Build(String),
    /// A unit that cannot be built.
    #[error(transparent)]
    Unit(#[from] ParameterError),
}

impl Set {
    /// Reads a set: its units, in their order and each once, and its parts.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(text: &str) -> Result<(Set, Vec<Choice>), SetError> {
        let set: Set = serde_json::from_str(text)?;
        if !(1..=1000).contains(&set.seeds) {
            return Err(SetError::Seeds(set.seeds));
        }
        let parts = set.parts.iter().map(|name| Part::find(name)).collect::<Result<Vec<_>, _>>()?;
        let mut choices: Vec<Choice> = Vec::new();
        for product in &set.units {
            for parameters in product.all()? {
                for part in &parts {
                    let choice = Choice { parameters: parameters.check()?, part, seeds: set.seeds };
                    if !choices.iter().any(|other| other.identity() == choice.identity()) {
                        choices.push(choice);
                    }
                }
            }
        }
        match (parts.is_empty(), choices.is_empty()) {
            (true, _) => Err(SetError::Empty("part")),
            (_, true) => Err(SetError::Empty("unit")),
            _ => Ok((set, choices)),
        }
    }
}

impl Product {
    /// Every combination.
    fn all(&self) -> Result<Vec<Parameters>, SetError> {
        let build = build(&self.build).ok_or_else(|| SetError::Build(self.build.clone()))?;
        let mut all = Vec::new();
        for (&ports, &banks) in self.ports.iter().flat_map(|ports| self.banks.iter().map(move |banks| (ports, banks))) {
            for (&waiters, &words) in
                self.waiters.iter().flat_map(|waiters| self.words.iter().map(move |words| (waiters, words)))
            {
                all.push(unit(build, [ports, banks, waiters, words]));
            }
        }
        Ok(all)
    }
}

fn build(name: &str) -> Option<Build> {
    Build::ALL.into_iter().find(|build| build.name() == name)
}

/// A unit as it is explored: without counters, which a high-clock build has not, and, with several ports, without whole groups, which cost area.
fn unit(build: Build, [ports, banks, waiters, words]: [usize; 4]) -> Parameters {
    let plain = match build {
        Build::LowLatency => Parameters { counters: false, whole_groups: ports == 1, ..Parameters::DEFAULT },
        Build::HighClock => Parameters::high_clock(words),
        Build::BankedHighClock => Parameters::banked_high_clock(ports, banks),
    };
    Parameters { ports, banks, waiters, words, ..plain }
}

/// A unit on a part.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The unit.
    pub parameters: Parameters,
    /// The part.
    pub part: &'static Part,
    /// Seeds of nextpnr.
    pub seeds: u32,
}

impl Choice {
    /// Part, unit and number of seeds: there is one point of each.
    fn identity(&self) -> (&str, String, u32) {
        (self.part.name, self.parameters.label(), self.seeds)
    }

    /// Input of synthesis.
    ///
    /// # Errors
    /// It cannot be exported.
    pub fn source(&self) -> Result<Source, PrefixError> {
        Ok(Source::wrapped(&verilog::unit(&self.parameters, "txbar")?, self.parameters.label()))
    }

    /// A [hash](hash::of) of all that area and clock depend on but the tools: the Verilog, what is done with it, and the part.
    pub fn recipe(&self, source: &Source) -> String {
        hash::of(format!("{:?}", Task::measure(source, self.part, self.seeds, false)).as_bytes())
    }
}

/// What a unit does, counted in clock cycles of a simulation under the scoreboard.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    /// Arrivals a cycle, all ports together, on random words, in phases of 32.
    pub random_words: f64,
    /// The same on one barrier.
    pub one_barrier: f64,
    /// Cycles from a request to its answer, if nobody is in the way.
    pub latency: usize,
}

/// What was measured of a unit on a part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Name of the part.
    pub part: String,
    /// [`Build::name`].
    pub build: String,
    /// Request ports.
    pub ports: usize,
    /// Banks.
    pub banks: usize,
    /// Waits that may be suspended.
    pub waiters: usize,
    /// 64-bit words of memory.
    pub words: usize,
    /// [`Choice::recipe`].
    pub recipe: String,
    /// Rates.
    pub rates: Rates,
    /// What it costs; the critical path is left out.
    pub figures: Figures,
}

impl Point {
    /// A point.
    pub fn new(choice: &Choice, recipe: String, rates: Rates, figures: Figures) -> Self {
        let Parameters { build, ports, banks, waiters, words, .. } = choice.parameters;
        let figures =
            Figures { verilog: String::new(), critical_path: Vec::new(), critical_path_seed: None, ..figures };
        let (part, build) = (choice.part.name.to_owned(), build.name().to_owned());
        Self { part, build, ports, banks, waiters, words, recipe, rates, figures }
    }

    /// Whether it is of this choice, made of the same Verilog with the same tools: then it need not be measured again.
    pub fn stands_for(&self, choice: &Choice, recipe: &str, tools: &Tools) -> bool {
        self.identity() == choice.identity() && self.recipe == recipe && self.figures.tools == *tools
    }

    /// That of the [choice](Choice::identity) that it is of.
    fn identity(&self) -> (&str, String, u32) {
        (&self.part, self.figures.parameters.clone(), self.figures.seeds)
    }

    /// Its build, by its pipelines: there are three.
    pub fn kind(&self) -> Kind {
        match build(&self.build) {
            Some(Build::HighClock) => Kind::OnePipeline,
            Some(Build::BankedHighClock) => Kind::Banked,
            Some(Build::LowLatency) | None => Kind::LowLatency,
        }
    }

    /// Its size, in short: `2x4, 8 waits`.
    pub fn size(&self) -> String {
        let waits = if self.waiters > 0 { format!(", {} waits", self.waiters) } else { String::new() };
        let words =
            if self.words == Parameters::DEFAULT.words { String::new() } else { format!(", {} words", self.words) };
        format!("{}x{}{waits}{words}", self.ports, self.banks)
    }

    /// The clock in MHz: the median of the seeds. Nothing if it does not fit its part.
    pub fn mhz(&self) -> Option<f64> {
        self.figures.fmax_mhz.as_ref().map(|fmax| fmax.median)
    }

    /// Million operations a second on random words, and nanoseconds from a request to its answer. Nothing if it does not fit.
    pub fn speed(&self) -> Option<(f64, f64)> {
        self.mhz().map(|mhz| (self.rates.random_words * mhz, self.rates.latency as f64 * 1000.0 / mhz))
    }

    /// Whether it is as good as another one on the same part in everything, and better in something: operations a second on random
    /// words and on one barrier, latency, look-up tables, block RAM; and in what it has: ports, suspended waits, words.
    pub fn dominates(&self, other: &Point) -> bool {
        let (Some(merits), Some(others)) = (self.merits(), other.merits()) else { return false };
        let pairs = || merits.iter().zip(&others);
        self.part == other.part && pairs().all(|(own, other)| own >= other) && pairs().any(|(own, other)| own > other)
    }

    /// What it is judged by: more is better.
    fn merits(&self) -> Option<[f64; 8]> {
        let (speed, latency) = self.speed()?;
        let one_barrier = self.rates.one_barrier * self.mhz()?;
        let Figures { lut4, bram, .. } = self.figures;
        let has = [self.ports, self.waiters, self.words].map(|count| count as f64);
        Some([speed, one_barrier, -latency, -(lut4 as f64), -(bram as f64), has[0], has[1], has[2]])
    }

    /// The options of `txbar verilog` and `txbar synth` that make it.
    pub fn options(&self) -> String {
        let Self { build, ports, banks, waiters, words, .. } = self;
        let counters = if build == Build::LowLatency.name() { " --counters=false" } else { "" };
        format!("--build {build} --ports {ports} --banks {banks} --waiters {waiters} --words {words}{counters}")
    }
}

/// The builds by their pipelines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Few cycles to an answer.
    LowLatency,
    /// A high clock, one port and one bank.
    OnePipeline,
    /// A high clock, several pipelines or suspended waits.
    Banked,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 3] = [Kind::LowLatency, Kind::OnePipeline, Kind::Banked];

    /// Name.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::LowLatency => "low-latency",
            Kind::OnePipeline => "high-clock, one pipeline",
            Kind::Banked => "high-clock, banked",
        }
    }
}

/// Of each point, whether another one is better. What does not fit its part is neither.
pub fn dominated(points: &[Point]) -> Vec<bool> {
    points.iter().map(|point| points.iter().any(|other| other.dominates(point))).collect()
}

/// Reads points that were kept.
///
/// # Errors
/// It is something else.
pub fn read(text: &str) -> Result<Vec<Point>, serde_json::Error> {
    serde_json::from_str(text)
}

/// Adds a point, in the place of an older one of the same choice; in the order of parts, builds and sizes.
pub fn keep(points: &mut Vec<Point>, point: Point) {
    points.retain(|old| old.identity() != point.identity());
    points.push(point);
    let key = |point: &Point| {
        let kind = Kind::ALL.iter().position(|kind| *kind == point.kind());
        (point.part.clone(), kind, point.ports, point.banks, point.waiters, point.words, point.figures.seeds)
    };
    points.sort_by_key(key);
}

/// What there is to say of each point: a row each, the header first.
fn rows(points: &[Point]) -> Vec<Vec<String>> {
    let head = [
        "part",
        "build",
        "ports x banks",
        "waits",
        "words",
        "MHz",
        "operations a cycle",
        "on one barrier",
        "million a second",
        "cycles",
        "ns",
        "LUT4",
        "BRAM",
        "frontier",
        "equivalence",
    ];
    let row = |(point, dominated): (&Point, bool)| {
        let Rates { random_words, one_barrier, latency } = point.rates;
        let numbers = match (point.mhz(), point.speed()) {
            (Some(mhz), Some((speed, ns))) => [format!("{mhz:.1}"), format!("{speed:.0}"), format!("{ns:.1}")],
            _ => ["does not fit", "-", "-"].map(str::to_owned),
        };
        let [mhz, speed, ns] = numbers;
        let frontier = if point.mhz().is_some() && !dominated { "yes" } else { "-" };
        let texts = [point.part.clone(), point.kind().name().to_owned(), format!("{}x{}", point.ports, point.banks)];
        let counts = [point.waiters.to_string(), point.words.to_string(), mhz];
        let rates = [format!("{random_words:.2}"), format!("{one_barrier:.2}"), speed, latency.to_string(), ns];
        let area = [point.figures.lut4, point.figures.bram].map(|count| count.to_string());
        let end = [frontier.to_owned(), point.figures.equivalence.to_string()];
        texts.into_iter().chain(counts).chain(rates).chain(area).chain(end).collect()
    };
    let head = head.map(str::to_owned).to_vec();
    std::iter::once(head).chain(points.iter().zip(dominated(points)).map(row)).collect()
}

/// The points as a Markdown table.
pub fn markdown(points: &[Point]) -> String {
    let mut rows = rows(points).into_iter();
    let head = rows.next().unwrap_or_default();
    table(&head.iter().map(String::as_str).collect::<Vec<_>>(), rows)
}

/// Columns for a terminal.
pub fn text(points: &[Point]) -> String {
    columns(&rows(points), 3)
}

#[cfg(test)]
mod tests;
