//! `--junit`: test results as JUnit XML, for continuous integration.

use crate::cannot_write;
use crate::shell::files::Files;
use crate::shell::output;
use anyhow::{Context, Result};
use clap::Args;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use std::path::PathBuf;
use std::time::Duration;

/// Destination of the test results.
#[derive(Args, Clone, Default)]
#[group(skip)]
pub struct Junit {
    /// Write what was tested as JUnit XML: a test case for each run, recorded operation, schedule or proof, with the message of its failure
    #[arg(long, value_name = "FILE.xml")]
    junit: Option<PathBuf>,
}

/// Result of a test case.
pub enum Ending {
    /// Passed.
    Passed,
    /// It is not: a kind of failure in a word, a line about it, and all that there is to say.
    Failed(&'static str, String, String),
    /// Result unknown.
    Skipped(String),
}

impl Ending {
    /// A failure of which the first line says what it is.
    pub fn failed(kind: &'static str, text: impl Into<String>) -> Self {
        let text = text.into();
        Self::Failed(kind, text.lines().next().unwrap_or_default().to_owned(), text)
    }
}

/// A test case.
pub struct Tested {
    /// Name of the test.
    pub name: String,
    /// How long it took, if that is known.
    pub seconds: Option<f64>,
    /// Result.
    pub ending: Ending,
}

impl Tested {
    /// A test case of which nobody knows how long it took.
    pub fn new(name: impl Into<String>, ending: Ending) -> Self {
        Self { name: name.into(), seconds: None, ending }
    }
}

impl Junit {
    /// Adds the file to those that are written.
    pub fn list(&self, files: Files) -> Files {
        files.writes("--junit", &self.junit)
    }

    /// Writes test cases in suites, by the names of the suites.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, suites: impl IntoIterator<Item = (String, Vec<Tested>)>) -> Result<()> {
        let Some(path) = &self.junit else { return Ok(()) };
        let mut report = Report::new("txbar");
        for (name, cases) in suites {
            let mut suite = TestSuite::new(name.as_str());
            for Tested { name: case, seconds, ending } in cases {
                let status = match ending {
                    Ending::Passed => TestCaseStatus::success(),
                    Ending::Skipped(why) => {
                        let mut status = TestCaseStatus::skipped();
                        status.set_message(why);
                        status
                    }
                    Ending::Failed(kind, message, text) => {
                        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                        status.set_type(kind).set_message(message).set_description(text);
                        status
                    }
                };
                let mut case = TestCase::new(case, status);
                case.set_classname(name.as_str());
                if let Some(seconds) = seconds {
                    case.set_time(Duration::from_secs_f64(seconds.max(0.0)));
                }
                suite.add_test_case(case);
            }
            report.add_test_suite(suite);
        }
        let text = report.to_string().with_context(|| cannot_write(path))?;
        output::write_text(path, &text)
    }
}
