//! `txbar report`: makes a page of a run's record. The commands that run something write records and pages, too.

use crate::shell::files::Files;
use crate::shell::output::{self, Lines, OutputFile};
use crate::shell::progress;
use crate::{Verdict, cannot_write};
use crate::{note, say};
use anyhow::{Context, Result};
use clap::Args;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use txbar_report::page;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::parameters::Parameters;
use txbar_testbench::input;
use txbar_testbench::record::{self, Conformance, ConformanceRow, Recorder, RunRecord};

/// Makes a page of a recorded run (`sim`, `run` or `check` with --record): barriers over time, rates, latencies,
/// conformance, and who waits for what. The page is one self-contained HTML file. `--report` of these commands
/// writes it directly.
#[derive(Args)]
pub struct Arguments {
    /// The file that --record wrote
    #[arg(value_name = "FILE.json")]
    record: PathBuf,
    /// The page; if it is not given, FILE.html beside the record
    #[arg(short, long, value_name = "FILE.html")]
    output: Option<PathBuf>,
}

/// Where the record of a run and its page go.
#[derive(Args, Clone)]
#[command(next_help_heading = "Report")]
pub struct Outputs {
    /// Write an HTML page of the run: barriers over time, rates, latencies, conformance, who waits for what
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Write the page's data, for `txbar report` or other programs
    #[arg(long, value_name = "FILE.json")]
    record: Option<PathBuf>,
    /// Operations, and waits, to keep for both: the last N
    #[arg(long, hide_short_help = true, default_value_t = Recorder::KEPT as u64, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    report_rows: u64,
}

impl Outputs {
    /// Whether there is anything to write.
    pub fn are_wanted(&self) -> bool {
        self.report.is_some() || self.record.is_some()
    }

    /// Adds the files to those that are written.
    pub fn list(&self, files: Files) -> Files {
        files.writes("--report", &self.report).writes("--record", &self.record)
    }

    /// Operations of a kernel that are to be kept with their instructions.
    pub fn traced(&self) -> usize {
        if self.are_wanted() { self.rows() } else { 0 }
    }

    fn rows(&self) -> usize {
        usize::try_from(self.report_rows).unwrap_or(usize::MAX)
    }

    /// A recorder of a unit, if anything is to be written.
    pub fn of_unit(&self, parameters: &Parameters) -> Option<Recorder> {
        self.are_wanted().then(|| Recorder::of_unit(parameters, self.rows()))
    }

    /// A recorder of a cluster, if anything is to be written.
    pub fn of_cluster(&self, parameters: &ClusterParameters) -> Option<Recorder> {
        self.are_wanted().then(|| Recorder::of_cluster(parameters, self.rows()))
    }

    /// Writes them.
    pub fn write(&self, record: &RunRecord) -> Result<()> {
        if let Some(path) = &self.record {
            let mut file = OutputFile::create(path)?;
            serde_json::to_writer(file.writer(), record).with_context(|| cannot_write(path))?;
            file.writer().write_all(b"\n").with_context(|| cannot_write(path))?;
            file.finish()?;
        }
        if let Some(path) = &self.report {
            output::write_text(path, &page(record)?)?;
        }
        for path in self.report.iter().chain(&self.record) {
            note!("written: {}", path.display());
        }
        Ok(())
    }
}

/// The command line, as the title of a record.
fn title(arguments: impl Iterator<Item = OsString>) -> String {
    let quoted = |argument: OsString| {
        let text = argument.to_string_lossy();
        if text.contains([' ', '"', '\'']) { format!("{text:?}") } else { text.into_owned() }
    };
    ["txbar".to_owned()].into_iter().chain(arguments.skip(1).map(quoted)).collect::<Vec<_>>().join(" ")
}

/// The record of a run that ended so. Its timeline is what a recorder has seen.
pub fn record(verdict: Verdict, summary: String, lines: &Lines, recorder: Option<Recorder>) -> RunRecord {
    let verdict = match verdict {
        Verdict::Pass => record::Verdict::Pass,
        Verdict::Fail | Verdict::Bad => record::Verdict::Fail,
        Verdict::Fault => record::Verdict::Fault,
        Verdict::Hang => record::Verdict::Hang,
    };
    let mut record = RunRecord::new(title(std::env::args_os()), verdict, summary);
    for (name, value) in lines.iter() {
        record.figure(name, value);
    }
    if let Some(recorder) = recorder {
        record.hang = recorder.waiting();
        record.timeline = Some(recorder.finish());
    }
    record
}

/// What is said of a simulation under a scoreboard that went well. A fault that was injected has not been found then.
pub fn passed(seed: u64, fault: Option<&str>) -> (Verdict, String) {
    let sound = "every answer and every word is as the reference model says";
    match fault {
        None => (Verdict::Pass, format!("PASSED with seed {seed}: {sound}")),
        Some(fault) => {
            let advice = "try another --seed or --pattern, more traffic, or --stall";
            (Verdict::Fail, format!("NOT FOUND with seed {seed}: `{fault}` is injected, and {sound}; {advice}"))
        }
    }
}

/// Faults of random traffic: they are wanted.
pub fn wanted(faults: u64) -> String {
    if faults == 0 { faults.to_string() } else { format!("{faults}, all expected by the model") }
}

/// The record of a simulation under a scoreboard: if it went well, all answers were as the model says.
pub fn simulated(verdict: Verdict, summary: String, lines: &Lines, recorder: Option<Recorder>) -> RunRecord {
    let mut record = record(verdict, summary, lines, recorder);
    if let (Verdict::Pass, Some(timeline)) = (verdict, &record.timeline) {
        let row = |(number, operation): (usize, &record::Operation)| {
            let counts = timeline.counts.iter().filter(|count| usize::from(count.op) == number);
            let times = counts.map(|count| count.times).sum();
            let (source, operation) = ("scoreboard".to_owned(), operation.name.to_string());
            ConformanceRow { source, operation, records: times, matched: times }
        };
        let rows = timeline.operations.iter().enumerate().map(row).filter(|row| row.records > 0);
        record.conformance = Some(Conformance {
            against: "the reference model foretells".to_owned(),
            rows: rows.collect(),
            mismatches: Vec::new(),
        });
    }
    record
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Verdict> {
    let Arguments { record, output } = arguments;
    let output = output.clone().unwrap_or_else(|| beside(record));
    Files::default().reads([record]).writes("--output", [&output]).check()?;
    let _progress = progress::spinner("making the page");
    let text = input::read_text(record).with_context(|| record.display().to_string())?;
    let read = RunRecord::read(&text).with_context(|| record.display().to_string())?;
    output::write_text(&output, &page(&read)?)?;
    say!("{}", output.display());
    Ok(Verdict::Pass)
}

/// The page of a record, beside it.
fn beside(record: &Path) -> PathBuf {
    record.with_extension("html")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_the_command_line() {
        let arguments = ["/usr/bin/txbar", "run", "my kernel.ptx", "--param", "u32:8"].map(OsString::from);
        assert_eq!(title(arguments.into_iter()), "txbar run \"my kernel.ptx\" --param u32:8");
    }
}
