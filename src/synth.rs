//! `txbar synth`: from the hardware to figures and bitstreams, with yosys and nextpnr.

use crate::explore;
use crate::say;
use crate::shell::files::Files;
use crate::shell::output;
use crate::shell::progress;
use crate::shell::shard::Sharding;
use crate::verilog as verilog_command;
use crate::{ClusterBuild, Json, Verdict, WarpPorts};
use anyhow::{Result, bail};
use clap::Args;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use txbar_export::boards::{self, Board};
use txbar_export::verilog::{self, Export};
use txbar_rtl::board::parameters::Top;
use txbar_rtl::parameters::Design;
use txbar_synth::flow::designs::BuiltFor;
use txbar_synth::flow::figures::{self, Figures};
use txbar_synth::flow::parts::{PARTS, Part};
use txbar_synth::flow::{self, FlowError, Outcome, Source, Step, Task, asic, designs, reports};

/// Synthesises the hardware with yosys, places and routes it with nextpnr, and prints area, clock, and the
/// critical path in names of blocks and signals; or makes the bitstream of a board.
///
/// All ports are registered in a wrapper with four pins, so that every path counts. A board has a top with pins of its own:
/// a self-test, or a bridge to a serial line. `scripts/setup-tools --place-and-route` installs the tools.
#[derive(Args)]
pub struct Arguments {
    /// Part to build for, may be given several times; `all`, or `list` to see them; `osu018` for gates of a 0.18 um cell library
    #[arg(long = "part", value_name = "PART", default_value = "ecp5-85f-6")]
    parts: Vec<String>,
    /// Make the bitstream of a board: ulx3s, icebreaker or hx8k; `all` makes those of all boards
    #[arg(long, value_name = "BOARD")]
    board: Option<String>,
    /// With --board: the design, self-test or bridge
    #[arg(long, value_name = "TOP", default_value = Top::SelfTest.name(), value_parser = verilog_command::top_of)]
    top: Top,
    /// With --board: baud rate of the serial line
    #[arg(long, value_name = "N", default_value_t = boards::BAUD)]
    baud: u32,
    /// Runs of place and route, with seeds 1 to N: they move the clock by 10 to 20 % [default: 5; for a board, and for large designs that have
    /// a report, fewer]
    #[arg(long, alias = "seeds", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: Option<u32>,
    /// Clock in MHz that the design is to reach. A large design on an ECP5 is then routed until it does, for ever if it cannot [default:
    /// as high as possible; 112 for the banked high-clock build with 4 ports, 8 banks and 32 waiters]
    #[arg(long, value_name = "MHZ", value_parser = clock_of)]
    clock: Option<f64>,
    /// Write bitstreams, of the best seed, and the Verilog to this directory [default: none, for a board the current one]
    #[arg(short, long, alias = "out", value_name = "DIR")]
    output: Option<PathBuf>,
    /// Write a report in Markdown and JSON to this directory
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = "synth/reports")]
    reports: Option<PathBuf>,
    /// Every design of the reports on all its parts, in place of one design
    #[arg(long)]
    all: bool,
    /// A design of the reports on all its parts, by its name, in place of one that options describe; `list` to see them
    #[arg(long, value_name = "NAME", value_parser = design_of)]
    design: Option<String>,
    /// Make the netlists of a report that is there again and compare them with the Verilog, in place of placing and routing: what comes of it goes
    /// into the report, whose clocks stay. Refused if a netlist is not the one that was measured
    #[arg(long)]
    compare: bool,
    /// Units of many sizes, on all cores, in place of one design: what they do and cost. SET.json says which; without it they are small
    /// ones on a small part
    #[arg(long, value_name = "SET.json")]
    explore: Option<Option<PathBuf>>,
    /// With --explore: the file that each unit is added to as soon as it is measured; what is there is not measured again
    #[arg(long, value_name = "FILE.json", default_value = "frontier.json")]
    keep: PathBuf,
    /// With --explore: draw all units, their operations a second over their latency
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    sharding: Sharding,
    #[command(flatten)]
    json: Json,
    #[command(flatten)]
    warp_ports: WarpPorts,
    #[command(flatten)]
    build: ClusterBuild,
}

/// Name of a design of the reports, or `list`.
fn design_of(text: &str) -> Result<String, String> {
    match designs::find(text) {
        None if text != "list" => Err("there is no such design; `--design list` shows them".to_owned()),
        _ => Ok(text.to_owned()),
    }
}

/// A clock in MHz from the command line.
fn clock_of(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(mhz) if (1.0..=1000.0).contains(&mhz) => Ok(mhz),
        _ => Err("it is not a number from 1 to 1000".to_owned()),
    }
}

/// What is built and printed together, under the name of its report.
struct Job {
    name: String,
    what: String,
    builds: Vec<Build>,
    /// Seeds of each, if the command line says nothing.
    seeds: u32,
}

/// A design on a part, or a top on a board.
struct Build {
    /// Name of its bitstream.
    name: String,
    source: Source,
    part: &'static Part,
    board: Option<&'static Board>,
}

impl Job {
    /// A design on parts.
    fn of_parts(name: String, what: String, source: Source, parts: &[&'static Part], seeds: u32) -> Self {
        let build = |part: &&'static Part| Build {
            name: format!("{name}_{}", part.name),
            source: source.clone(),
            part,
            board: None,
        };
        Self { builds: parts.iter().map(build).collect(), name, what, seeds }
    }

    /// What is to be done, with this many seeds.
    fn tasks(&self, seeds: Option<u32>, pack: bool) -> Vec<Task<'_>> {
        let seeds = seeds.unwrap_or(self.seeds);
        let builds = self.builds.iter();
        builds
            .map(|build| match build.board {
                Some(board) => Task::on(board, build.part, &build.source, seeds),
                None => Task::measure(&build.source, build.part, seeds, pack),
            })
            .collect()
    }

    /// Tops on boards.
    fn of_boards(boards: &[&'static Board], tops: &[Top], baud: u32) -> Result<Self> {
        let mut builds = Vec::new();
        for (&board, &top) in boards.iter().flat_map(|board| tops.iter().map(move |top| (board, top))) {
            let source = Source::of_board(board, top, baud)?;
            builds.push(Build { name: source.design.clone(), source, part: Part::on(board)?, board: Some(board) });
        }
        let name = if builds.len() == 1 { builds[0].name.clone() } else { reports::BOARDS.to_owned() };
        Ok(Self { name, what: reports::BOARDS_WHAT.to_owned(), builds, seeds: 1 })
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Verdict> {
    if let Some(set) = &arguments.explore {
        let Arguments { keep, svg, sharding, json, .. } = arguments;
        return explore::run(set.as_deref(), keep, svg.as_deref(), sharding, json);
    }
    if arguments.parts.iter().any(|name| name == "list") {
        PARTS.iter().for_each(|part| say!("{:<16} {} speed {}", part.name, part.device, part.speed));
        say!("{:<16} gates of OSU's cell library for 0.18 um: area and longest path, nothing is placed", asic::NAME);
        return Ok(Verdict::Pass);
    }
    if arguments.design.as_deref() == Some("list") {
        designs::all().iter().for_each(|it| say!("{:<20} {}", it.name, it.what));
        return Ok(Verdict::Pass);
    }
    if arguments.parts.iter().any(|name| name == asic::NAME) {
        return in_gates(arguments);
    }
    let named = arguments.design.as_deref().and_then(designs::find);
    let jobs = match (&named, arguments.board.as_deref()) {
        _ if arguments.all => every_design(arguments.baud)?,
        (Some(measured), _) => vec![kept_design(measured)?],
        (None, Some("all")) => vec![every_board(arguments.baud)?],
        (None, Some(name)) => {
            let board = verilog_command::board_of(name).map_err(anyhow::Error::msg)?;
            vec![Job::of_boards(&[board], &[arguments.top], arguments.baud)?]
        }
        (None, None) => vec![one_design(arguments)?],
    };
    let reports =
        arguments.reports.iter().flat_map(|directory| jobs.iter().flat_map(|job| report_files(job, directory)));
    let files = Files::default().writes("--reports", reports);
    arguments.json.list(files).check_names()?;
    let out = arguments.output.clone().or_else(|| arguments.board.is_some().then(|| PathBuf::from(".")));
    for directory in [&out, &arguments.reports].into_iter().flatten() {
        output::try_directory(directory)?;
        output::make_directory(directory)?;
    }
    arguments.json.list(Files::default()).check()?;
    let mut verdict = Verdict::Pass;
    let mut all_figures = Vec::new();
    for job in &jobs {
        let (figures, of_job) = match (arguments.compare, &arguments.reports) {
            (true, Some(directory)) => compare(job, directory)?,
            _ => measure(job, arguments.runs, out.as_deref())?,
        };
        if let Some(directory) = &arguments.reports {
            write_report(job, &figures, directory)?;
        }
        all_figures.extend(figures);
        verdict = verdict.max(of_job);
    }
    if let Some(path) = &arguments.json.json {
        output::write_json(path, &all_figures)?;
    }
    Ok(verdict)
}

/// The design that the command line describes, what it was built for, and its report if it has one.
fn described(arguments: &Arguments) -> Result<(Export, String, Option<designs::Measured>)> {
    let unit = arguments.build.build.parameters()?;
    let built_for = match (arguments.build.parameters()?, arguments.warp_ports.lanes) {
        (Some(cluster), _) => {
            let cluster = arguments.warp_ports.of_cluster(cluster)?;
            return Ok((verilog::cluster(&cluster, "txbar")?, cluster.label(), None));
        }
        (None, Some(_)) => BuiltFor::Warps(arguments.warp_ports.parameters(unit)?),
        (None, None) => BuiltFor::Unit(unit),
    };
    Ok((built_for.export("txbar")?, built_for.label(), designs::with(&built_for)))
}

/// The design that the command line describes in gates of a cell library.
fn in_gates(arguments: &Arguments) -> Result<Verdict> {
    if arguments.parts.len() > 1 {
        bail!("--part {} cannot be combined with FPGA parts", asic::NAME);
    }
    arguments.json.list(Files::default()).check()?;
    let (export, label, _) = described(arguments)?;
    let spinner = progress::spinner("synthesis in gates");
    let figures = asic::measure(&export, label);
    spinner.finish_and_clear();
    let figures = figures?;
    say!("{} built for {}\n{}", figures.top, figures.parameters, figures.row());
    if let Some(path) = &arguments.json.json {
        output::write_json(path, &[figures])?;
    }
    Ok(Verdict::Pass)
}

/// Whatever has a report.
fn every_design(baud: u32) -> Result<Vec<Job>> {
    let boards = std::iter::once_with(|| every_board(baud));
    designs::all().iter().map(kept_design).chain(boards).collect()
}

/// A design that has a report.
fn kept_design(measured: &designs::Measured) -> Result<Job> {
    let export = measured.built_for.export("txbar")?;
    let parts = measured.parts().into_iter().map(Part::find).collect::<Result<Vec<_>, _>>()?;
    let &designs::Measured { clock_mhz, plain, .. } = measured;
    let source = Source { clock_mhz, plain, ..Source::wrapped(&export, measured.built_for.label()) };
    Ok(Job::of_parts(measured.name.to_owned(), measured.what.to_owned(), source, &parts, measured.seeds))
}

/// Every top on every board.
fn every_board(baud: u32) -> Result<Job> {
    Job::of_boards(&Board::ALL.iter().collect::<Vec<_>>(), &Top::ALL, baud)
}

/// The design that the command line describes.
fn one_design(arguments: &Arguments) -> Result<Job> {
    let parts = match arguments.parts.as_slice() {
        [all] if all == "all" => PARTS.iter().collect(),
        names => names.iter().map(|name| Part::find(name)).collect::<Result<Vec<_>, _>>()?,
    };
    let (export, label, measured) = described(arguments)?;
    let source = Source::wrapped(&export, label);
    let (top, label) = (&source.design, &source.parameters);
    let name = measured.map_or_else(|| format!("{top}_{label}"), |measured| measured.name.to_owned());
    let what = measured.map_or_else(|| format!("`{top}`, built for `{label}`."), |it| it.what.to_owned());
    let clock_mhz = arguments.clock.or(measured.and_then(|measured| measured.clock_mhz));
    let seeds = measured.map_or(designs::SEEDS, |measured| measured.seeds);
    Ok(Job::of_parts(name, what, Source { clock_mhz, ..source }, &parts, seeds))
}

/// Compares the netlists of a report again, and prints its figures.
fn compare(job: &Job, directory: &Path) -> Result<(Vec<Figures>, Verdict)> {
    let mut figures = reports::read(&report_files(job, directory)[1]).map_err(anyhow::Error::msg)?;
    let tasks = job.tasks(None, false);
    let of = |figures: &Figures| (figures.part.clone(), figures.speed.clone(), figures.board.clone());
    let wanted = |task: &Task| (task.part.device.to_owned(), task.part.speed.to_owned(), task.board.map(str::to_owned));
    if !figures.iter().map(of).eq(tasks.iter().map(wanted)) {
        bail!("the report of {} is of other parts; `--part` names them in the report's order", job.name);
    }
    let bar = progress::bar(tasks.len() as u64, "synthesis and comparison");
    bar.enable_steady_tick(std::time::Duration::from_millis(500));
    let compared = flow::compare_again(&tasks, &mut figures, &|| bar.inc(1));
    bar.finish_and_clear();
    if let Err(error @ FlowError::Differs { .. }) = compared {
        say!("FAILED: {error}");
        return Ok((figures, Verdict::Fail));
    }
    compared?;
    say!("{}: {}\n\n{}", job.name, job.what, figures::text_table(&figures));
    Ok((figures, Verdict::Pass))
}

/// Builds, prints the figures and writes the bitstreams. It is a failure if something does not fit, or a board's bitstream
/// cannot be made or misses the board's clock.
fn measure(job: &Job, seeds: Option<u32>, out: Option<&Path>) -> Result<(Vec<Figures>, Verdict)> {
    let tasks = job.tasks(seeds, out.is_some());
    let outcomes = match build(&tasks) {
        Err(error @ FlowError::Differs { .. }) => {
            say!("FAILED: {error}");
            return Ok((Vec::new(), Verdict::Fail));
        }
        outcomes => outcomes?,
    };
    let figures: Vec<Figures> = outcomes.iter().map(|outcome| outcome.figures.clone()).collect();
    say!("{}: {}\n\n{}\n{}", job.name, job.what, figures::text_table(&figures), critical_paths(&figures));
    let mut verdict = Verdict::Pass;
    let mut written = BTreeSet::new();
    for (build, outcome) in job.builds.iter().zip(outcomes) {
        let figures = &outcome.figures;
        if figures.board.is_some() {
            say!("{}", figures::against_clock(figures));
        }
        let fails = figures.failure.is_some() || figures.board.is_some() && !figures.passes();
        let lacks = build.board.is_some() && !matches!(outcome.bitstream, Some(Ok(_)));
        if fails || lacks {
            verdict = Verdict::Fail;
        }
        if let Some(directory) = out {
            let verilog = directory.join(format!("{}.v", if build.board.is_some() { &build.name } else { &job.name }));
            if written.insert(verilog.clone()) {
                output::write_text(&verilog, &build.source.verilog)?;
                say!("{}", verilog.display());
            }
            write_bitstream(build, outcome.bitstream, directory)?;
        }
    }
    Ok((figures, verdict))
}

/// Does tasks behind a progress bar.
fn build(tasks: &[Task]) -> Result<Vec<Outcome>, FlowError> {
    let bar = progress::stages(flow::steps(tasks), "synthesis, place and route");
    let running = Mutex::new(Vec::new());
    let outcomes = flow::run(tasks, &|step| {
        let mut running = running.lock().unwrap_or_else(PoisonError::into_inner);
        match step {
            Step::Begins(what) => running.push(what.to_owned()),
            Step::Ends(what) => {
                running.retain(|other| other != what);
                bar.inc(1);
            }
        }
        bar.set_message(running.join("; "));
    });
    bar.finish_and_clear();
    outcomes
}

/// Writes a bitstream and says where it is, or why there is none.
fn write_bitstream(build: &Build, bitstream: Option<Result<Vec<u8>, String>>, directory: &Path) -> Result<()> {
    match bitstream {
        Some(Ok(bits)) => {
            let path = directory.join(format!("{}.{}", build.name, build.part.family.extension));
            output::write_bytes(&path, &bits)?;
            say!("{}", path.display());
        }
        Some(Err(reason)) => say!("no bitstream {}: {reason}", build.name),
        None => {}
    }
    Ok(())
}

fn critical_paths(figures: &[Figures]) -> String {
    let paths: Vec<String> = figures.iter().map(figures::path_text).collect();
    format!("critical paths\n{}", paths.join("\n"))
}

/// The files of a report.
fn report_files(job: &Job, directory: &Path) -> [PathBuf; 2] {
    ["md", "json"].map(|extension| directory.join(format!("{}.{extension}", job.name)))
}

fn write_report(job: &Job, figures: &[Figures], directory: &Path) -> Result<()> {
    let [markdown, json] = report_files(job, directory);
    output::write_text(&markdown, &figures::markdown(&job.name, &job.what, figures))?;
    output::write_json(&json, &figures)?;
    [markdown, json].iter().for_each(|path| say!("{}", path.display()));
    Ok(())
}
