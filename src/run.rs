//! `txbar run`: a PTX kernel on the hardware.

mod page;
mod schedules;
mod unneeded;

pub use schedules::Found;

use crate::report::Outputs;
use crate::shell::diagnostics::Printer;
use crate::shell::files::Files;
use crate::shell::junit::{Ending, Junit, Tested};
use crate::shell::output::{self, OutputFile};
use crate::shell::shard::Sharding;
use crate::shell::wave_writer::{self, WaveWriter};
use crate::shell::{progress, stop};
use crate::{Json, Period, Verdict, cannot_write};
use crate::{note, say, say_text};
use anyhow::{Context, Result, bail};
use clap::Args;
use serde::{Serialize, Serializer};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Instant;
use txbar_ptx::argument::{self, Argument};
use txbar_ptx::element::{Element, Format};
use txbar_ptx::launch::{Grid, Settings};
use txbar_ptx::legal;
use txbar_ptx::machine::hang::Why;
use txbar_ptx::machine::{End, Schedule};
use txbar_ptx::memory::Printed;
use txbar_ptx::outcome::{Buffer, Outcome};
use txbar_ptx::parse;
use txbar_ptx::position::texts::Texts;
use txbar_ptx::program::Program;
use txbar_ptx::report::Reporter;
use txbar_ptx::source::{PtxError, Source};
use txbar_ptx::symbol;
use txbar_rtl::cluster::Cluster;
use txbar_rtl::parameters::Parameters;
use txbar_testbench::record::{RemarkJson, WaitJson};

/// Options of the command.
#[derive(Args)]
pub struct Arguments {
    /// The kernel
    #[arg(value_name = "FILE.ptx")]
    file: PathBuf,
    /// Name of the entry, as in the PTX or demangled, without its parameters if that is enough: `ring`, `ring(int*)`; not needed if there is only one
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// CTAs of the grid: X, or X,Y,Z
    #[arg(long, default_value = "1", value_name = "G", value_parser = dimensions)]
    grid: [u32; 3],
    /// Threads of a CTA: X, or X,Y,Z
    #[arg(long, default_value = "32", value_name = "B", value_parser = dimensions)]
    block: [u32; 3],
    /// CTAs of a cluster: X, or X,Y,Z; what the entry requires, or 1, if it is not given
    #[arg(long, value_name = "C", value_parser = dimensions)]
    cluster: Option<[u32; 3]>,
    /// A parameter, in the order of the entry
    ///
    /// u32:8 is a value; out:u64:256 a buffer of zeros, printed after the run; in:u32:256:@FILE one that is filled from a
    /// file of numbers; in:u32:4:1,2,3,4 one that is filled with these: both are printed only if they have changed;
    /// bytes:00ff a structure, byte by byte; map:tensormap:in,type=f16,sizes=64x32,strides=128,box=64x8,swizzle=128 a tensor
    /// map of the buffer `in`
    #[arg(long = "param", value_name = "PARAM", allow_hyphen_values = true)]
    parameters: Vec<String>,
    /// A buffer that is no parameter, for a tensor map: NAME:TYPE:COUNT, NAME:TYPE:COUNT:@FILE
    #[arg(long = "buffer", value_name = "BUFFER")]
    buffers: Vec<String>,
    /// How elements of buffers are written, in JSON too
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "hex")]
    format: FormatName,
    /// Write a buffer after the run to a text file, which NAME:TYPE:COUNT:@FILE reads again, in place of printing it
    #[arg(long, value_name = "NAME:@FILE", value_parser = buffer_file)]
    write: Vec<(String, PathBuf)>,
    /// Print buffers that were filled, too, if they have not changed
    #[arg(long)]
    inputs: bool,
    /// Bytes of dynamic shared memory; all that a CTA has, if a kernel with some is not given them
    #[arg(long, value_name = "BYTES")]
    shared: Option<u32>,
    /// Registers of a thread at launch, as `ptxas -v` says; what the directives of the kernel say, if it is not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=255))]
    registers: Option<u32>,
    /// Which warps and lanes go first; random if --seed or --runs is given
    #[arg(long, value_enum, value_name = "SCHEDULE", default_value = "round-robin",
        default_value_ifs = [("seed", clap::builder::ArgPredicate::IsPresent, "random"),
                             ("runs", clap::builder::ArgPredicate::IsPresent, "random")])]
    schedule: Order,
    /// Seed of a random schedule
    #[arg(long, alias = "schedule-seed", value_name = "N")]
    seed: Option<u64>,
    /// Run with this many random schedules, of this and the following seeds, and compare what comes of them
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    runs: Option<u64>,
    /// Clock cycles after which the kernel is stopped, as if it hung
    #[arg(long, default_value_t = Settings::default().max_cycles, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_cycles: u64,
    /// Do as silicon does: misuse that it cannot see is not told
    #[arg(long)]
    unchecked: bool,

    /// Do not look for races: for accesses to memory that nothing orders
    #[arg(long)]
    no_races: bool,
    /// Also tell reads by threads that an asynchronous copy overwrites, and no proxy fence lies in between
    ///
    /// The memory model of PTX asks for that fence; rings in CUDA leave it out
    #[arg(long)]
    fence_reads: bool,
    /// A folder with the kernel's source, which the PTX names by line (nvcc -lineinfo): mistakes are shown there
    ///
    /// Without it, files are looked for where the PTX says that they are, and beside it. May be given several times
    #[arg(long, value_name = "DIR")]
    source: Vec<PathBuf>,
    /// Of a sound run: list the synchronisations without which no two of its accesses would conflict
    #[arg(long)]
    unneeded: bool,
    // those of the first cluster
    #[command(flatten)]
    waves: wave_writer::Arguments,
    #[command(flatten)]
    json: Json,
    #[command(flatten)]
    junit: Junit,
    #[command(flatten)]
    sharding: Sharding,
    #[command(flatten)]
    outputs: Outputs,
    #[command(flatten)]
    hardware: Hardware,
}

/// The hardware that the kernel runs on.
#[derive(Args)]
#[command(next_help_heading = "Hardware")]
struct Hardware {
    /// Request ports of each CTA's memory, beside that of its warps, 1 to 5
    #[arg(long, default_value_t = Settings::default().unit.ports, value_name = "N", value_parser = crate::number)]
    ports: usize,
    /// Banks that its words are spread over, a power of two from 1 to 32
    #[arg(long, default_value_t = Settings::default().unit.banks, value_name = "N", value_parser = crate::number)]
    banks: usize,
    /// Waits that may be suspended in a CTA, 0 to 64
    #[arg(long, hide_short_help = true, default_value_t = Settings::default().unit.waiters, value_name = "N", value_parser = crate::number)]
    waiters: usize,
    /// Period of the clock in nanoseconds, 1 to 1000
    #[arg(long, default_value_t = Period::DEFAULT, value_name = "NS")]
    clock_ns: Period,
    /// Cycles from one CTA to another, 1 to 64; 8 if it is not given: of clusters of several CTAs
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = crate::number)]
    link_cycles: Option<usize>,
}

/// Kinds of schedules.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Order {
    /// Warps take turns, lanes that are behind go first
    RoundRobin,
    /// Anybody may, and some are slow
    Random,
}

/// Formats by name.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum FormatName {
    /// Decimal numbers, floats too
    Dec,
    /// The bits, all digits
    Hex,
    /// Floats (f16, bf16, f32, f64) as decimal numbers, everything else in hex
    Float,
}

impl From<FormatName> for Format {
    fn from(name: FormatName) -> Self {
        match name {
            FormatName::Dec => Self::Decimal,
            FormatName::Hex => Self::Hex,
            FormatName::Float => Self::Float,
        }
    }
}

/// A buffer and the file that it is written to.
fn buffer_file(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once(":@") {
        Some((name, file)) if !name.is_empty() && !file.is_empty() => Ok((name.to_owned(), file.into())),
        _ => Err("it is written NAME:@FILE".to_owned()),
    }
}

/// `4`, `4,2` or `4,2,1`; an `x` is as good as a comma.
fn dimensions(text: &str) -> Result<[u32; 3], String> {
    let mut dimensions = [1; 3];
    let parts: Vec<&str> = text.split([',', 'x']).collect();
    if parts.len() > 3 {
        return Err("there are three dimensions".to_string());
    }
    for (dimension, part) in dimensions.iter_mut().zip(parts) {
        *dimension = part.trim().parse().map_err(|_| format!("`{part}` is not a number; write X, or X,Y,Z"))?;
    }
    Ok(dimensions)
}

/// What a run came to, as JSON.
#[derive(Serialize)]
struct Figures<'a> {
    entry: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    demangled: Option<String>,
    outcome: &'static str,
    threads: u64,
    cycles: u64,
    instructions: u64,
    operations: u64,
    remote_requests: u64,
    phases: u64,
    instructions_per_second: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    schedule_seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    schedules: Option<schedules::Figures>,
    buffers: Vec<BufferJson<'a>>,
    #[serde(skip_serializing_if = "String::is_empty")]
    printed: String,
    faults: Vec<RemarkJson>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hang: Vec<WaitJson>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    diagnoses: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unneeded: Option<unneeded::Unneeded>,
}

#[derive(Serialize)]
struct BufferJson<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    ty: String,
    /// Whether it was filled.
    input: bool,
    changed: bool,
    values: Values<'a>,
}

/// A buffer's elements, which are written one by one.
struct Values<'a>(&'a Buffer, Format);

impl Serialize for Values<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.elements(self.1).map(Text))
    }
}

/// An element as a JSON string.
struct Text<'a>(Element<'a>);

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl fmt::Display for Values<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut elements = self.0.elements(self.1);
        elements.next().map_or(Ok(()), |first| write!(f, "{first}"))?;
        elements.try_for_each(|element| write!(f, " {element}"))
    }
}

/// Inputs of a launch.
struct Kernel {
    source: Source,
    program: Program,
    texts: Texts,
    arguments: Vec<Argument>,
}

impl Kernel {
    /// Tells of a launch with so many CTAs in a cluster.
    fn reporter(&self, ctas: usize) -> Reporter<'_> {
        Reporter { source: &self.source, program: &self.program, ctas, texts: &self.texts }
    }
}

impl Arguments {
    fn settings(&self) -> Settings {
        let Hardware { ports, banks, waiters, clock_ns: Period { clock_ns, clock_ps }, link_cycles } = self.hardware;
        let seed = self.seed.unwrap_or(0);
        let unit = Settings::default().unit;
        Settings {
            grid: self.grid,
            block: self.block,
            cluster: self.cluster,
            dynamic_shared: self.shared,
            registers: self.registers,
            schedule: if self.schedule == Order::Random { Schedule::Random(seed) } else { Schedule::RoundRobin },
            max_cycles: self.max_cycles,
            unit: Parameters { ports, banks, waiters, clock_ns, clock_ps, checked: !self.unchecked, ..unit },
            link_cycles: link_cycles.unwrap_or(Settings::default().link_cycles),
            fault: None,
            races: !self.no_races && !self.unchecked,
            fence_reads: self.fence_reads,
            ignored: None,
            trace: self.outputs.traced(),
        }
    }

    fn kernel(&self) -> Result<Kernel> {
        let source = Source::read(&self.file)?;
        let module = parse::parse(&source)?;
        legal::check_header(&module, (None, None)).map_err(|complaint| source.error(complaint))?;
        if let Some(complaint) = legal::check_as_it_says(&module).into_iter().next() {
            return Err(source.error(complaint).into());
        }
        let entry = match &self.entry {
            Some(entry) => entry.clone(),
            None => {
                let entries = module.functions.iter().filter(|function| function.entry && function.body.is_some());
                let names: Vec<&str> = entries.map(|function| function.name.value.as_str()).collect();
                match names[..] {
                    [only] => only.to_string(),
                    [] => bail!("{} has no entry", self.file.display()),
                    _ => bail!(
                        "{} has several entries; say which with --entry: {}",
                        self.file.display(),
                        symbol::listed(&names)
                    ),
                }
            }
        };
        let program = Program::new(&module, &entry).map_err(|complaint| source.error(complaint))?;
        let texts = self.texts(&program)?;
        let parameters = self.parameters.iter().map(|text| Argument::read(text));
        let buffers = self.buffers.iter().map(|text| Argument::read_buffer(text));
        let arguments = parameters.chain(buffers).collect::<Result<Vec<_>, _>>()?;
        argument::check(&arguments)?;
        let names = || {
            arguments.iter().filter_map(|argument| match argument {
                Argument::Buffer { name, .. } => Some(name.as_str()),
                _ => None,
            })
        };
        if let Some((name, _)) = self.write.iter().find(|(wanted, _)| !names().any(|name| name == wanted)) {
            bail!("--write {name}: there is no such buffer; there are {}", names().collect::<Vec<_>>().join(", "));
        }
        Ok(Kernel { source, program, texts, arguments })
    }

    /// The kernel's source.
    fn texts(&self, program: &Program) -> Result<Texts> {
        if let Some(folder) = self.source.iter().find(|folder| !folder.is_dir()) {
            bail!("--source {}: there is no such folder", folder.display());
        }
        let texts = Texts::find(&program.sources, &self.source, &self.file);
        let Some(folder) = self.source.first() else { return Ok(texts) };
        if !program.sources.are_known() {
            let file = self.file.display();
            bail!(
                "--source: {file} does not say which lines of which files its instructions are from; compile it with -lineinfo"
            );
        }
        if !texts.uses_folders() {
            let used = program.sources.used();
            let names: Vec<&str> = used.iter().map(|file| program.sources.files[*file].short.as_str()).collect();
            bail!("--source {}: it has none of the files that the PTX names: {}", folder.display(), names.join(", "));
        }
        Ok(texts)
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Verdict> {
    if arguments.schedule == Order::RoundRobin && (arguments.seed.is_some() || arguments.runs.is_some()) {
        bail!("--seed and --runs are for random schedules; leave out --schedule round-robin");
    }
    let given = arguments
        .parameters
        .iter()
        .chain(&arguments.buffers)
        .filter_map(|text| text.split_once(":@").map(|(_, file)| PathBuf::from(file)));
    let inputs: Vec<PathBuf> = given.chain([arguments.file.clone()]).collect();
    let files = Files::default().reads(&inputs).writes("--write", arguments.write.iter().map(|(_, file)| file));
    arguments.outputs.list(arguments.waves.list(arguments.junit.list(arguments.json.list(files)))).check()?;
    let kernel = arguments.kernel()?;
    let settings = arguments.settings();
    if arguments.hardware.link_cycles.is_some() && Grid::new(&kernel.program, settings.clone())?.parameters().ctas == 1
    {
        bail!("--link-cycles is for clusters of several CTAs (--cluster), and this kernel's have one");
    }
    if arguments.unchecked && arguments.no_races {
        bail!("--unchecked looks for no races: leave out --no-races");
    }
    if arguments.fence_reads && (arguments.unchecked || arguments.no_races) {
        bail!("--fence-reads is for a run that looks for races: leave it out, or --no-races and --unchecked");
    }
    let spinner = progress::spinner("running");
    let begin = Instant::now();
    let advance = |cycle: u64| {
        if cycle.is_multiple_of(4096) {
            spinner.set_message(format!("running: cycle {cycle}"));
        }
        !stop::requested()
    };
    let mut look = page::Look::new(&arguments.outputs);
    let (outcome, schedules) = match arguments.runs {
        Some(runs) => {
            let explored = schedules::explore(&kernel, &settings, (runs, &arguments.sharding), &advance)?;
            if arguments.sharding.part().is_some() {
                spinner.finish_and_clear();
                return schedules::part(&kernel, &settings, &explored, arguments, &inputs);
            }
            let (_, first) = explored.first.as_ref().context("there is one run at least")?;
            (first.clone(), Some(explored))
        }
        None => (once(&kernel, settings.clone(), &arguments.waves, &mut look, &mut { advance })?, None),
    };
    spinner.finish_and_clear();
    let seconds = begin.elapsed().as_secs_f64();
    let reporter = kernel.reporter(outcome.ctas);
    let refused = match (&schedules, &outcome.end) {
        (None, End::Refused(complaint, _)) => Some(complaint.clone()),
        (Some(explored), _) => explored.refused(),
        _ => None,
    };
    if let Some(complaint) = refused {
        return Err(kernel.source.error(complaint).into());
    }
    let found = schedules.as_ref().map(|explored| explored.found(None));
    let verdict = found.as_ref().map_or_else(|| verdict(&outcome), schedules::Found::verdict);
    let instructions = schedules.as_ref().map_or(outcome.tally.instructions, |explored| explored.instructions);
    let per_second = instructions as f64 / seconds;
    note!(
        "{}: {}: {} threads, {} cycles, {} thread instructions, {} operations on shared memory, {} phases; {:.2} s, {:.2} million thread instructions a second",
        kernel.program.spelled,
        spelled(verdict, was_stopped(&outcome)),
        outcome.tally.threads,
        outcome.tally.cycles,
        outcome.tally.instructions,
        outcome.tally.operations,
        outcome.tally.phases,
        seconds,
        per_second / 1e6,
    );
    if let Some(waves) = &look.waves {
        note!("{waves}");
    }
    let format = arguments.format.into();
    let show = Show { reporter: &reporter, inputs: arguments.inputs, format, write: &arguments.write };
    match &schedules {
        None => show.outcome(&outcome)?,
        Some(explored) => explored.tell(&show)?,
    }
    let unneeded = match arguments.unneeded {
        true => unneeded::look(&kernel, &settings, &reporter, &outcome)?,
        false => None,
    };
    if let Some(path) = &arguments.json.json {
        let mut figures = figures(&kernel, &reporter, &outcome, per_second, seed_of(&settings), format);
        figures.outcome = spelled(verdict, was_stopped(&outcome));
        figures.instructions = instructions;
        figures.schedules = found.as_ref().map(schedules::Found::schedules);
        figures.unneeded = unneeded;
        output::write_json(path, &figures)?;
    }
    let tested = match &schedules {
        None => vec![tested(&reporter, &outcome, seed_of(&settings))],
        Some(explored) => explored.tested(&reporter),
    };
    arguments.junit.write([(format!("txbar run {}", kernel.program.spelled), tested)])?;
    if let Some(recorder) = look.recorder {
        arguments.outputs.write(&page::record(&reporter, &outcome, verdict, recorder))?;
    }
    Ok(verdict)
}

/// The seed of a random schedule.
fn seed_of(settings: &Settings) -> Option<u64> {
    if let Schedule::Random(seed) = settings.schedule { Some(seed) } else { None }
}

/// Runs once.
fn once(
    kernel: &Kernel,
    settings: Settings,
    waves: &wave_writer::Arguments,
    look: &mut page::Look,
    advance: &mut dyn FnMut(u64) -> bool,
) -> Result<Outcome> {
    let _under_way = stop::Run::begin();
    let grid = Grid::new(&kernel.program, settings)?;
    look.begin(grid.parameters())?;
    let Some(mut wave_writer) = WaveWriter::begin(waves, &Cluster::new(grid.parameters()), grid.parameters())? else {
        return Ok(grid.run(&kernel.arguments, &mut |cluster, cycle| look.at(cluster, cycle), advance)?);
    };
    let mut both = |cluster: &Cluster, cycle: u64| {
        look.at(cluster, cycle);
        wave_writer.sample(cluster, cycle);
    };
    let outcome = grid.run(&kernel.arguments, &mut both, advance)?;
    look.waves = Some(wave_writer.finish(wave_writer::end_with(verdict(&outcome)))?);
    Ok(outcome)
}

/// Options of the output.
struct Show<'a> {
    reporter: &'a Reporter<'a>,
    /// Inputs, too, that have not changed.
    inputs: bool,
    /// Output format of elements.
    format: Format,
    /// Files of buffers.
    write: &'a [(String, PathBuf)],
}

impl Show<'_> {
    /// Prints what came of a run: what its threads have printed, what is wrong with it, then the buffers.
    fn outcome(&self, outcome: &Outcome) -> Result<()> {
        let Printed { text, lost } = &outcome.printed;
        if *lost > 0 {
            note!("of what the kernel printed the first {lost} bytes were dropped, as by CUDA's printf buffer");
        }
        let newline = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        say_text!("{text}{newline}");
        tell_mistakes(self.reporter, outcome);
        for buffer in &outcome.buffers {
            let name = &buffer.name;
            let mut files = self.write.iter().filter(|(written, _)| written == name).map(|(_, file)| file).peekable();
            if files.peek().is_some() {
                files.try_for_each(|file| write_buffer(buffer, self.format, file))?;
                continue;
            }
            match (buffer.is_input, buffer.has_changed) {
                (true, false) if !self.inputs => {
                    note!("{name}: an input, as it was given (--inputs prints it)");
                    continue;
                }
                (true, true) => note!("{name}: an input that the kernel has changed"),
                _ => {}
            }
            say!("{name}: {}", Values(buffer, self.format));
        }
        Ok(())
    }
}

/// Elements of a line of a buffer's file.
const OF_LINE: usize = 16;

/// Writes a buffer as text that an argument reads again.
fn write_buffer(buffer: &Buffer, format: Format, path: &Path) -> Result<()> {
    let mut file = OutputFile::create(path)?;
    for (number, element) in buffer.elements(format).enumerate() {
        let end = if (number + 1).is_multiple_of(OF_LINE) { '\n' } else { ' ' };
        write!(file.writer(), "{element:#}{end}").with_context(|| cannot_write(path))?;
    }
    file.writer().write_all(b"\n").with_context(|| cannot_write(path))?;
    file.finish()?;
    note!("{}: written: {}", buffer.name, path.display());
    Ok(())
}

/// Diagnoses of hangs that are shown in the text at most.
const SHOWN: usize = 3;

/// Prints faults, mistakes and hangs.
fn tell_mistakes(reporter: &Reporter, outcome: &Outcome) {
    let printer = Printer::new();
    let many = outcome.clusters > 1;
    for (cluster, finding) in &outcome.findings {
        if many {
            note!("cluster {cluster} of the grid:");
        }
        printer.print(&reporter.finding(finding));
    }
    if outcome.incomplete {
        note!(
            "races: incomplete: there were more accesses, or CTAs side by side, than can be remembered, and what is silent about them says nothing"
        );
    }
    let cluster = outcome.cluster;
    match &outcome.end {
        End::Fault(fault) => {
            if many {
                note!("cluster {cluster} of the grid:");
            }
            printer.print(&reporter.fault(fault));
        }
        End::Hang(_) => {
            // of clusters that wait for those that are to blame the table says enough
            let is_blamed = outcome.hangs().any(|(_, hang)| !hang.bugs.is_empty());
            let told = outcome.hangs().filter(|(_, hang)| !is_blamed || !hang.bugs.is_empty());
            let mut shown: Vec<PtxError> = told.flat_map(|(_, hang)| reporter.diagnoses(hang)).collect();
            shown.dedup_by_key(|error| error.to_string());
            shown.iter().take(SHOWN).for_each(|error| printer.print(error));
            say_text!("{}", reporter.hangs(outcome));
        }
        End::Done | End::Refused(..) => {}
    }
    for missed in reporter.texts.missed() {
        note!("{missed}");
    }
}

/// A run as a test case.
fn tested(reporter: &Reporter, outcome: &Outcome, seed: Option<u64>) -> Tested {
    let name = seed.map_or("schedule round-robin".to_owned(), |seed| format!("schedule seed {seed}"));
    let verdict = verdict(outcome);
    let kind = spelled(verdict, was_stopped(outcome));
    let mut told: Vec<String> = match &outcome.end {
        End::Hang(_) => vec![reporter.hangs(outcome)],
        End::Fault(fault) => vec![reporter.fault(fault).to_string()],
        End::Done | End::Refused(..) => Vec::new(),
    };
    let detailed = |finding| format!("{}\n    {}", reporter.finding(finding), reporter.message(finding));
    told.extend(outcome.findings.iter().map(|(_, finding)| detailed(finding)));
    Tested::new(
        name,
        match verdict {
            Verdict::Pass => Ending::Passed,
            _ if was_stopped(outcome) => Ending::Skipped(told.join("\n")),
            _ => Ending::failed(kind, told.join("\n")),
        },
    )
}

/// Verdict of a run.
fn verdict(outcome: &Outcome) -> Verdict {
    match &outcome.end {
        End::Hang(_) => Verdict::Hang,
        End::Fault(_) => Verdict::Fault,
        _ if outcome.findings.iter().any(|(_, finding)| !finding.suspected) => Verdict::Fault,
        _ => Verdict::Pass,
    }
}

/// Whether somebody stopped a run.
fn was_stopped(outcome: &Outcome) -> bool {
    matches!(&outcome.end, End::Hang(hang) if hang.why == Why::Stopped)
}

/// A verdict on a kernel, in a word. A run that was stopped is a hang with a name of its own.
fn spelled(verdict: Verdict, stopped: bool) -> &'static str {
    match verdict {
        Verdict::Hang if stopped => "stopped",
        Verdict::Hang => "hang",
        Verdict::Fault => "fault",
        _ => "done",
    }
}

fn figures<'a>(
    kernel: &Kernel,
    reporter: &Reporter,
    outcome: &'a Outcome,
    instructions_per_second: f64,
    schedule_seed: Option<u64>,
    format: Format,
) -> Figures<'a> {
    let (hang, diagnoses) = match &outcome.end {
        End::Hang(hang) => {
            (reporter.hang_json(outcome), hang.bugs.iter().map(|diagnosis| diagnosis.bug.name()).collect())
        }
        _ => (Vec::new(), Vec::new()),
    };
    let buffer = |buffer: &'a Buffer| BufferJson {
        name: &buffer.name,
        ty: buffer.element.to_string(),
        input: buffer.is_input,
        changed: buffer.has_changed,
        values: Values(buffer, format),
    };
    Figures {
        entry: kernel.program.name.clone(),
        demangled: symbol::demangled(&kernel.program.name),
        outcome: spelled(verdict(outcome), was_stopped(outcome)),
        threads: outcome.tally.threads,
        cycles: outcome.tally.cycles,
        instructions: outcome.tally.instructions,
        operations: outcome.tally.operations,
        remote_requests: outcome.tally.remote_requests,
        phases: outcome.tally.phases,
        instructions_per_second,
        schedule_seed,
        schedules: None,
        buffers: outcome.buffers.iter().map(buffer).collect(),
        printed: outcome.printed.text.clone(),
        faults: reporter.remarks_json(outcome),
        hang,
        diagnoses,
        unneeded: None,
    }
}
