//! `txbar report`: the record of a run as a page. The commands that run something write records and pages, too.

use crate::output::{self, Lines, OutputFile};
use crate::{Verdict, cannot_write};
use anyhow::{Context, Result};
use clap::Args;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use txbar_report::page;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::parameters::Parameters;
use txbar_testbench::record::{self, Conformance, ConformanceRow, Recorder, RunRecord};

/// Makes a page of a run that has been recorded (`sim`, `run` or `check` with --record): barriers over time, rates, latencies,
/// conformance, and who waits for what. The page is one HTML file that needs nothing else. `--report` of these commands
/// writes it at once.
#[derive(Args)]
pub struct Arguments {
    /// What --record has written
    #[arg(value_name = "FILE.json")]
    record: PathBuf,
    /// Where the page goes; beside the record, as FILE.html, if it is not given
    #[arg(short, long, value_name = "FILE.html")]
    output: Option<PathBuf>,
}

/// Where the record of a run and its page go.
#[derive(Args, Clone)]
#[command(next_help_heading = "Report")]
pub struct Outputs {
    /// Write a page of the run: barriers over time, rates, latencies, conformance, who waits for what
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Write what the page is made of, for `txbar report` or a program
    #[arg(long, value_name = "FILE.json")]
    record: Option<PathBuf>,
    /// Keep the last so many operations, and waits, for both
    #[arg(long, default_value_t = Recorder::KEPT as u64, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    report_rows: u64,
}

impl Outputs {
    /// Whether there is anything to write.
    pub fn are_wanted(&self) -> bool {
        self.report.is_some() || self.record.is_some()
    }

    /// The files that will be written.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.report.iter().chain(&self.record)
    }

    fn rows(&self) -> usize {
        usize::try_from(self.report_rows).unwrap_or(usize::MAX)
    }

    /// Sees that the files can be written: a run that takes minutes is not to find that out at its end.
    fn try_out(&self) -> Result<()> {
        self.files().try_for_each(|path| OutputFile::create(path).map(drop))
    }

    /// A recorder of a unit, if anything is to be written.
    pub fn of_unit(&self, parameters: &Parameters) -> Result<Option<Recorder>> {
        self.try_out()?;
        Ok(self.are_wanted().then(|| Recorder::of_unit(parameters, self.rows())))
    }

    /// A recorder of a cluster, if anything is to be written.
    pub fn of_cluster(&self, parameters: &ClusterParameters) -> Result<Option<Recorder>> {
        self.try_out()?;
        Ok(self.are_wanted().then(|| Recorder::of_cluster(parameters, self.rows())))
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
        for path in self.files() {
            eprintln!("written: {}", path.display());
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
        Verdict::Fail => record::Verdict::Fail,
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
    let text = fs::read_to_string(record).with_context(|| record.display().to_string())?;
    let read = RunRecord::read(&text).with_context(|| record.display().to_string())?;
    let output = output.clone().unwrap_or_else(|| beside(record));
    anyhow::ensure!(output != *record, "{} is the record; name another file with --output", record.display());
    output::write_text(&output, &page(&read)?)?;
    println!("{}", output.display());
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
