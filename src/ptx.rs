//! `txbar ptx`: legality of synchronisation instructions.

use crate::shell::diagnostics::Printer;
use crate::shell::files::Files;
use crate::shell::output;
use crate::{Json, Verdict};
use crate::{note, say, say_text};
use anyhow::Result;
use clap::Args;
use miette::Diagnostic;
use serde::Serialize;
use std::path::PathBuf;
use txbar_ptx::ast::{Module, Version};
use txbar_ptx::barrier::markdown::forms_text;
use txbar_ptx::legal::{self, Refusal};
use txbar_ptx::parse::parse;
use txbar_ptx::source::{Complaint, Source, Span};
use txbar_ptx::target::{Target, UnknownTarget, parse_version};

/// Most complaints that are shown: each needs a scan of the whole text.
const SHOWN: usize = 1000;

/// Checks every synchronisation instruction of a PTX file: form, operands, target and version rules of the PTX ISA, and that
/// all names are declared. Prints each complaint with the source line underlined (standard error), and how many instructions are refused; exits with 0
/// only if none is.
#[derive(Args)]
pub struct Arguments {
    /// PTX text
    #[arg(required_unless_present = "forms", value_name = "FILE.ptx")]
    file: Option<PathBuf>,
    /// Architecture, such as sm_80 or sm_90a [default: the file's]
    #[arg(long, value_name = "sm_N")]
    target: Option<Target>,
    /// Version of the PTX ISA, such as 7.0 or 8.6 [default: the file's]
    #[arg(long, value_name = "VERSION", value_parser = parse_version)]
    ptx: Option<Version>,
    /// Print the forms of all synchronisation instructions instead: PTX ISA version, target, meaning
    #[arg(long)]
    forms: bool,
    #[command(flatten)]
    json: Json,
}

/// The figures of a check.
#[derive(Serialize)]
struct Figures {
    file: String,
    target: String,
    ptx: String,
    synchronisation_instructions: usize,
    refused: usize,
    complaints: Vec<Told>,
}

/// A complaint.
#[derive(Serialize)]
struct Told {
    /// From 1.
    line: usize,
    /// In characters, from 1.
    column: usize,
    instruction: String,
    message: String,
    label: String,
    help: Option<String>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Verdict> {
    let printer = Printer::new();
    let refuse = |diagnostic: &dyn Diagnostic| {
        printer.print(diagnostic);
        Ok(Verdict::Bad)
    };
    let Some(path) = arguments.file.as_ref().filter(|_| !arguments.forms) else {
        say_text!("{}", forms_text());
        return Ok(Verdict::Pass);
    };
    arguments.json.list(Files::default().reads([path])).check()?;
    let source = match Source::read(path) {
        Ok(source) => source,
        Err(error) => return refuse(&error),
    };
    let module = match parse(&source) {
        Ok(module) => module,
        Err(error) => return refuse(&error),
    };
    let target = match arguments.target.map_or_else(|| own_target(&module), Ok) {
        Ok(target) => target,
        Err(complaint) => return refuse(&source.error(complaint)),
    };
    let version = arguments.ptx.unwrap_or(module.version.value);
    if let Err(complaint) = legal::check_header(&module, (arguments.ptx, arguments.target)) {
        return refuse(&source.error(complaint));
    }
    let checked = legal::check(&module, target, version);
    for refusal in checked.refusals.iter().take(SHOWN) {
        printer.print(&source.error(refusal.complaint.clone()));
    }
    if let Some(more) = checked.refusals.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        note!("and {more} complaints more; `--json FILE` has them all");
    }
    if let Some(path) = &arguments.json.json {
        let figures = Figures {
            file: source.name().to_owned(),
            target: target.to_string(),
            ptx: version.to_string(),
            synchronisation_instructions: checked.instructions,
            refused: checked.refused,
            complaints: checked.refusals.iter().map(|refusal| located(&source, refusal)).collect(),
        };
        output::write_json(path, &figures)?;
    }
    let (count, refused) = (checked.instructions, checked.refused);
    say!("{count} synchronisation instructions checked for {target}, PTX {version}: {refused} refused");
    Ok(if refused == 0 { Verdict::Pass } else { Verdict::Bad })
}

/// The architecture that the file names.
fn own_target(module: &Module) -> Result<Target, Complaint> {
    // options such as `debug` and `texmode_independent` stand beside it
    let named = module.targets.iter().find(|target| target.value.starts_with("sm_")).or(module.targets.first());
    let Some(named) = named else {
        let complaint = Complaint::new(module.version.span, "the file names no target", "no `.target` behind it");
        return Err(complaint.help("write `.target sm_90` behind `.version`, or say `--target sm_90`"));
    };
    named.value.parse().map_err(|error: UnknownTarget| {
        let complaint = Complaint::new(named.span, error.to_string(), "not known");
        complaint.help("say `--target sm_90` to check for that one")
    })
}

fn located(source: &Source, Refusal { instruction, complaint }: &Refusal) -> Told {
    // instructions may be written over several lines
    let instruction = source.at(*instruction).split_whitespace().collect::<Vec<_>>().join(" ");
    Told {
        line: source.line(complaint.span),
        column: column(source, complaint.span),
        instruction,
        message: complaint.message.clone(),
        label: complaint.label.clone(),
        help: complaint.help.clone(),
    }
}

/// In which column of its line a place begins, in characters, from 1.
fn column(source: &Source, span: Span) -> usize {
    let before = source.at(Span { start: 0, end: span.start });
    before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1
}
