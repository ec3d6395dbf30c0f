//! A wave file written while a design runs. An error on the way is kept and reported at the end.

use crate::say;
use crate::shell::files::Files;
use crate::shell::output::OutputFile;
use crate::shell::views;
use crate::{Verdict, cannot_write};
use anyhow::{Context, Result};
use clap::Args;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use txbar_rtl::hdl::Part;
use txbar_rtl::parameters::Design;
use txbar_testbench::scoreboard::Failure;
use txbar_waves::format::Format;
use txbar_waves::write::{End, Shot, Trigger, Waves, Written};

/// Which waves to write, and where.
#[derive(Args, Clone, Debug, Default)]
#[group(id = "waves")]
#[command(next_help_heading = "Waves")]
#[group(skip)]
pub struct Arguments {
    /// Write the waves of the run: VCD, or FST if the file's name ends with .fst
    #[arg(long, value_name = "FILE")]
    pub vcd: Option<PathBuf>,
    /// Also write set-ups for GTKWave and Surfer: FILE.gtkw, FILE.sucl (FILE with its ending) and names of opcodes and statuses
    #[arg(long)]
    pub views: bool,
    /// First clock cycle to write; no file is written if the run ends before it
    #[arg(long, hide_short_help = true, value_name = "CYCLE", default_value_t = 0, hide_default_value = true)]
    vcd_from: u64,
    /// Write only the cycles around the first such event; no file is written if it does not happen
    #[arg(long, value_enum, value_name = "EVENT")]
    vcd_around: Option<Event>,
    /// Number of cycles before the event, and after it
    #[arg(long, hide_short_help = true, value_name = "CYCLES", default_value_t = 500,
        value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1_000_000))]
    vcd_window: usize,
    /// A fault is injected into the design: both ends of a wire may differ
    #[arg(skip)]
    injected: bool,
}

/// Events that waves can be recorded around.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Event {
    /// An operation ends with a status that is not ok
    Fault,
    /// A phase completes
    Flip,
    /// The run hangs: around its last activity
    Hang,
    /// The run fails, with a mismatch, a fault or a hang
    Failure,
}

impl Arguments {
    /// Records all cycles in this file.
    pub fn all(path: &Path) -> Self {
        Self { vcd: Some(path.to_owned()), vcd_window: 1, ..Self::default() }
    }

    /// The same of a design that may have an injected fault.
    pub fn injected(&self, injected: bool) -> Self {
        Self { injected, ..self.clone() }
    }

    /// With files for viewers.
    pub fn with_views(self) -> Self {
        Self { views: true, ..self }
    }

    /// Adds the files to those that are written.
    pub fn list(&self, files: Files) -> Files {
        let beside = self.vcd.iter().filter(|_| self.views).flat_map(|waves| views::files(waves));
        files.writes("--vcd", &self.vcd).writes("--views", beside)
    }

    /// Path of the wave file.
    pub fn path(&self) -> Option<&Path> {
        self.vcd.as_deref()
    }

    /// Whether they go to a pipe or device, which cannot be written anew.
    pub fn are_for_a_pipe(&self) -> bool {
        self.vcd.as_ref().and_then(|path| std::fs::metadata(path).ok()).is_some_and(|there| !there.is_file())
    }

    fn shot(&self) -> Shot {
        let around = self.vcd_around.map(|event| match event {
            Event::Fault => Trigger::Fault,
            Event::Flip => Trigger::Flip,
            Event::Hang => Trigger::Hang,
            Event::Failure => Trigger::Failure,
        });
        Shot { from: self.vcd_from, around, window: self.vcd_window, apart: self.injected }
    }
}

/// How a run under a scoreboard ended.
pub fn end_of<T>(outcome: &std::result::Result<T, Box<Failure>>) -> End {
    match outcome {
        Ok(_) => End::Well,
        Err(failure) if failure.is_stop() => End::Well, // nothing is wrong
        Err(failure) if failure.is_hang() => End::Hung,
        Err(_) => End::Failed,
    }
}

/// How a run ended that came to a verdict.
pub fn end_with(verdict: Verdict) -> End {
    match verdict {
        Verdict::Pass => End::Well,
        Verdict::Hang => End::Hung,
        Verdict::Fault | Verdict::Fail | Verdict::Bad => End::Failed,
    }
}

/// Waves of a run.
pub struct WaveWriter {
    waves: Waves<BufWriter<File>>,
    file: OutputFile,
    path: PathBuf,
    views: bool,
    /// The first cycle that is looked at, and the last that there was.
    from: u64,
    last: Option<u64>,
    error: Option<io::Error>,
}

impl WaveWriter {
    /// Begins the waves of a design, if there are to be any.
    pub fn begin(arguments: &Arguments, design: &impl Part, parameters: &dyn Design) -> Result<Option<Self>> {
        let Some(path) = &arguments.vcd else { return Ok(None) };
        let file = OutputFile::create(path)?;
        let begin = || {
            let output = BufWriter::new(file.handle()?);
            Waves::with(Format::of(path), arguments.shot(), output, design, parameters)
        };
        let waves = begin().with_context(|| cannot_write(path))?;
        let Arguments { views, vcd_from: from, .. } = *arguments;
        Ok(Some(Self { waves, file, path: path.clone(), views, from, last: None, error: None }))
    }

    /// The design has settled in a cycle.
    #[inline]
    pub fn sample(&mut self, design: &impl Part, cycle: u64) {
        self.last = Some(cycle);
        if self.error.is_none() {
            self.error = self.waves.sample(design, cycle).err();
        }
    }

    /// Ends the waves, and says where they are.
    pub fn finish(self, end: End) -> Result<WavesWritten> {
        let Self { waves, file, path, views, from, last, error } = self;
        let layout = views.then(|| waves.layout().clone());
        let written = match error {
            Some(error) => Err(error),
            None => waves.finish(end),
        };
        let written = written.with_context(|| cannot_write(&path))?;
        if written.cycles.is_none() {
            return Ok(WavesWritten { path, written, from, last }); // the file is gone with its handle
        }
        file.finish()?;
        if let Some(layout) = layout {
            crate::shell::views::write(&path, &layout, &written)?;
        }
        Ok(WavesWritten { path, written, from, last })
    }
}

/// Ends the waves, if there are any, and prints where they are.
pub fn finish(wave_writer: Option<WaveWriter>, end: End) -> Result<()> {
    if let Some(wave_writer) = wave_writer {
        say!("{}", wave_writer.finish(end)?);
    }
    Ok(())
}

/// Waves that are ready.
pub struct WavesWritten {
    path: PathBuf,
    written: Written,
    from: u64,
    last: Option<u64>,
}

impl std::fmt::Display for WavesWritten {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Self { path, written, from, last } = self;
        write!(f, "waves             ")?;
        match (&written.cycles, last) {
            (Some(cycles), _) => write!(f, "{}, cycles {} to {}", path.display(), cycles.start, cycles.end - 1),
            (None, Some(last)) if last < from => write!(f, "none: the run ended before cycle {from}, in cycle {last}"),
            (None, None) => write!(f, "none: the run ended before its first cycle"),
            (None, Some(_)) => write!(f, "none: what they should be around did not come"),
        }
    }
}
