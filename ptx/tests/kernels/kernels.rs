//! A kernel of `ptx/kernels`, and how it is launched.

use super::files::paths;
use miette::{GraphicalReportHandler, GraphicalTheme};
use std::path::{Path, PathBuf};
use txbar_ptx::argument::Argument;
use txbar_ptx::launch::{Grid, Settings};
use txbar_ptx::machine::{End, Schedule};
use txbar_ptx::outcome::Outcome;
use txbar_ptx::parse::parse;
use txbar_ptx::position::texts::Texts;
use txbar_ptx::program::Program;
use txbar_ptx::report::Reporter;
use txbar_ptx::source::{PtxError, Source};

/// A kernel.
pub struct Kernel {
    /// Its name, which its files have in common.
    pub name: String,
    path: PathBuf,
    source: Source,
    program: Program,
    texts: Texts,
    settings: Settings,
    parameters: Vec<String>,
    /// Those that are no parameters.
    buffers: Vec<String>,
}

/// The file of a kernel, in whichever folder of `kernels` it lies.
pub fn path(name: &str) -> PathBuf {
    let found = paths("ptx").into_iter().find(|path| path.file_stem().is_some_and(|stem| stem == name));
    found.unwrap_or_else(|| panic!("there is no kernel {name}"))
}

/// All kernels, by name.
pub fn all() -> Vec<Kernel> {
    paths("run").iter().map(|run| Kernel::at(&run.with_extension("ptx"))).collect()
}

/// How many files of a kind there are.
pub fn files(kind: &str) -> usize {
    paths(kind).len()
}

fn dimensions(text: &str) -> [u32; 3] {
    let mut dimensions = [1; 3];
    for (dimension, part) in dimensions.iter_mut().zip(text.split(',')) {
        *dimension = part.parse().expect("a number");
    }
    dimensions
}

/// The entry of a text that is right.
pub fn program(name: &str, text: &str, entry: &str) -> Program {
    let module = parse(&Source::new(format!("{name}.ptx"), text)).unwrap_or_else(|error| panic!("{name}: {error}"));
    Program::new(&module, entry).unwrap_or_else(|complaint| panic!("{name}: {complaint:?}"))
}

impl Kernel {
    /// The kernel of a name.
    pub fn open(name: &str) -> Self {
        Self::at(&path(name))
    }

    /// The kernel of a file.
    fn at(path: &Path) -> Self {
        let name = path.file_stem().expect("it has a name").to_string_lossy();
        let folder = path.parent().expect("it is in a folder");
        let text = std::fs::read_to_string(path).expect("it can be read");
        let source = Source::new(format!("{name}.ptx"), text);
        let module = parse(&source).unwrap_or_else(|error| panic!("{name}: {error}"));
        let run = std::fs::read_to_string(path.with_extension("run")).expect("it says how it is launched");
        let mut words = run.split_whitespace();
        let (mut settings, mut parameters, mut entry) = (Settings::default(), Vec::new(), String::new());
        let mut buffers = Vec::new();
        while let Some(word) = words.next() {
            let value = words.next().unwrap_or_else(|| panic!("{name}: {word} has no value"));
            match word {
                "--entry" => entry = value.to_string(),
                "--grid" => settings.grid = dimensions(value),
                "--block" => settings.block = dimensions(value),
                "--cluster" => settings.cluster = Some(dimensions(value)),
                "--shared" => settings.dynamic_shared = Some(value.parse().expect("a number")),
                "--max-cycles" => settings.max_cycles = value.parse().expect("a number"),
                "--buffer" => buffers.push(value.replace('@', &format!("@{}/", folder.display()))),
                "--param" => parameters.push(value.replace('@', &format!("@{}/", folder.display()))),
                other => panic!("{name}: {other} is not understood here"),
            }
        }
        let program = Program::new(&module, &entry).unwrap_or_else(|complaint| panic!("{name}: {complaint:?}"));
        let texts = Texts::find(&program.sources, &[], path);
        Self { name: name.to_string(), path: path.to_owned(), source, program, texts, settings, parameters, buffers }
    }

    /// Text of another of its files.
    pub fn read(&self, extension: &str) -> Option<String> {
        std::fs::read_to_string(self.path.with_extension(extension)).ok()
    }

    /// Whether it has such a file.
    pub fn has(&self, extension: &str) -> bool {
        self.path.with_extension(extension).exists()
    }

    /// Runs it, with some of its parameters replaced.
    pub fn run(&self, schedule: Schedule, replaced: &[(&str, &str)]) -> Outcome {
        let argument = |text: &String| {
            let replacement = replaced.iter().find(|(from, _)| from == text);
            Argument::read(replacement.map_or(text, |(_, to)| to)).expect("it is right")
        };
        let buffers = self.buffers.iter().map(|text| Argument::read_buffer(text).expect("it is right"));
        let arguments: Vec<Argument> = self.parameters.iter().map(argument).chain(buffers).collect();
        let settings = Settings { schedule, ..self.settings.clone() };
        let grid = Grid::new(&self.program, settings).unwrap_or_else(|error| panic!("{}: {error}", self.name));
        grid.run(&arguments, &mut |_, _| {}, &mut |_| true).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// Its PTX.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Runs another text as this kernel is run, for this many cycles at most; nothing if it cannot be built or launched.
    pub fn run_as(&self, text: &str, max_cycles: u64) -> Option<Outcome> {
        let module = parse(&Source::new(format!("{}.ptx", self.name), text)).ok()?;
        let program = Program::new(&module, &self.program.name).ok()?;
        let parameters = self.parameters.iter().map(|text| Argument::read(text));
        let buffers = self.buffers.iter().map(|text| Argument::read_buffer(text));
        let arguments = parameters.chain(buffers).collect::<Result<Vec<_>, _>>().ok()?;
        let settings = Settings { max_cycles, ..self.settings.clone() };
        let grid = Grid::new(&program, settings).ok()?;
        let outcome = grid.run(&arguments, &mut |_, _| {}, &mut |_| true).ok()?;
        (!matches!(outcome.end, End::Refused(..))).then_some(outcome)
    }

    /// The names of everything that a run remarked.
    pub fn remarks(&self, outcome: &Outcome) -> Vec<String> {
        let mut remarks: Vec<String> =
            outcome.findings.iter().map(|(_, finding)| finding.bug.name().to_string()).collect();
        match &outcome.end {
            End::Done => {}
            End::Fault(fault) => {
                remarks.push("fault".to_string());
                remarks.extend(fault.bug.map(|bug| bug.name().to_string()));
                remarks.extend(fault.status.map(|status| status.name().to_string()));
                remarks.extend(fault.what.contains("`trap`").then(|| "trap".to_string()));
            }
            End::Hang(hang) => {
                remarks.push("hang".to_string());
                remarks.extend(hang.bugs.iter().map(|diagnosis| diagnosis.bug.name().to_string()));
            }
            End::Refused(complaint, _) => remarks.push(complaint.message.clone()),
        }
        remarks.extend(outcome.findings.iter().filter_map(|(_, finding)| Some(finding.status?.name().to_string())));
        remarks
    }

    /// Of a broken one: what is wrong with it, and in which line.
    pub fn diagnosis(&self) -> (String, String) {
        let text = self.read("diagnosis").expect("it has one");
        let mut lines = text.lines().map(str::to_string);
        (lines.next().unwrap_or_default(), lines.next().unwrap_or_default())
    }

    fn reporter(&self, ctas: usize) -> Reporter<'_> {
        Reporter { source: &self.source, program: &self.program, ctas, texts: &self.texts }
    }

    /// Everything that is printed about a run with a schedule, as on a terminal without colours.
    pub fn told(&self, schedule: Schedule) -> String {
        let outcome = self.run(schedule, &[]);
        let reporter = self.reporter(outcome.ctas);
        let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_width(100);
        let mut told = String::new();
        let mut show = |error: &PtxError| {
            handler.render_report(&mut told, error).expect("a string takes everything");
        };
        outcome.findings.iter().for_each(|(_, finding)| show(&reporter.finding(finding)));
        match &outcome.end {
            End::Fault(fault) => show(&reporter.fault(fault)),
            End::Hang(hang) => {
                reporter.diagnoses(hang).iter().for_each(show);
                told += &reporter.hangs(&outcome);
            }
            End::Done | End::Refused(..) => {}
        }
        told
    }

    /// What is told of a run.
    pub fn report(&self, outcome: &Outcome) -> String {
        let reporter = self.reporter(outcome.ctas);
        let mut text: String =
            outcome.findings.iter().map(|(_, finding)| format!("{:?}\n", reporter.finding(finding))).collect();
        match &outcome.end {
            End::Fault(fault) => text += &format!("{}\n", reporter.fault(fault)),
            End::Hang(_) => text += &reporter.hangs(outcome),
            _ => {}
        }
        text
    }
}
