//! Input that nobody wrote: PTX files of a committed corpus (`tests/corpus`) and recordings of an H200, changed at random, and some
//! horrors by name. Whatever comes, the answer is a result or an error that shows its place; never a panic, and never a long wait.
//!
//! ```text
//!   bolero --> changes --> text --> pipeline --+-- in time --> more changes
//!                 ^                            `-- panic, slow --> fewer changes --> seed, changes, file
//!                 `--- corpus
//! ```
//!
//! The crate `bolero` draws the changes (`mutation.rs`), and finds out which of them a failure needs. It prints those and
//! `BOLERO_RANDOM_SEED=N`, a variable that repeats the input; the text is in the file that the test names.
//! `TXBAR_FUZZ_SECONDS=N` fuzzes for N seconds each. `broken_*` of the corpus do not parse, the others do.

mod mutation;

use miette::{GraphicalReportHandler, GraphicalTheme};
use mutation::Mutation;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use txbar_ptx::argument::Argument;
use txbar_ptx::ast::{Function, Statement};
use txbar_ptx::launch::{Grid, Settings};
use txbar_ptx::legal;
use txbar_ptx::machine::{End, Schedule};
use txbar_ptx::parse::parse;
use txbar_ptx::position::texts::Texts;
use txbar_ptx::program::{Parameter, Program};
use txbar_ptx::report::Reporter;
use txbar_ptx::source::{PtxError, Source};
use txbar_ptx::target::Target;
use txbar_testbench::{silicon, test_env};

/// Longest that an input may take.
const LONGEST: Duration = Duration::from_secs(20);
/// Longest that changes are left out of an input.
const PATIENCE: Duration = Duration::from_secs(60);
/// Lines of a recording that are changed.
const LINES: usize = 20;
/// Clock cycles that a kernel is given.
const CYCLES: u64 = 1_500;
/// Bytes of initialised global memory above which a kernel is not run: copying them for every input takes the time.
const MOST_IMAGE: usize = 1 << 20;

/// Everything that is done with a file, up to its errors on a terminal.
fn pipeline(text: &str) {
    let source = Source::new("fuzz.ptx", text);
    let module = match parse(&source) {
        Ok(module) => module,
        Err(error) => return show(&source, &error),
    };
    module.functions.iter().for_each(|function| places(&source, function));
    let target: Target = "sm_90".parse().expect("it is known");
    for complaint in legal::check_module(&module, target, module.version.value).into_iter().take(3) {
        show(&source, &source.error(complaint));
    }
    for entry in module.functions.iter().filter(|function| function.entry && function.body.is_some()).take(3) {
        match Program::new(&module, &entry.name.value) {
            Ok(program) if program.image.len() <= MOST_IMAGE => run(&source, &program),
            Ok(_) => {}
            Err(complaint) => show(&source, &source.error(complaint)),
        }
    }
}

/// Runs a kernel for a while: a warp and one thread more, a buffer for everything that may be an address.
fn run(source: &Source, program: &Program) {
    let argument = |parameter: &Parameter| match parameter.bytes {
        bytes if bytes == program.address_size / 8 => "b:u32:64".to_string(),
        bytes => format!("bytes:{}", "03".repeat(bytes as usize)),
    };
    let arguments: Vec<Argument> =
        program.parameters.iter().map(|parameter| Argument::read(&argument(parameter)).expect("it is right")).collect();
    let settings = Settings {
        block: program.required_threads.unwrap_or([33, 1, 1]),
        grid: program.required_cluster.unwrap_or([1; 3]),
        schedule: Schedule::Random(source.text().len() as u64),
        max_cycles: CYCLES,
        ..Settings::default()
    };
    // what does not fit is told in a line, which has no place in the text
    let Ok(grid) = Grid::new(program, settings) else { return };
    let Ok(outcome) = grid.run(&arguments, &mut |_, _| {}, &mut |_| true) else { return };
    let reporter = Reporter { source, program, ctas: outcome.ctas, texts: &Texts::default() };
    for (_, finding) in outcome.findings.iter().take(3) {
        show(source, &reporter.finding(finding));
    }
    match &outcome.end {
        End::Done => {}
        End::Fault(fault) => show(source, &reporter.fault(fault)),
        End::Hang(_) => assert!(reporter.hangs(&outcome).lines().count() > 1),
        End::Refused(complaint, _) => show(source, &source.error(complaint.clone())),
    }
}

/// The tree knows where its instructions are.
fn places(source: &Source, function: &Function) {
    assert_eq!(source.at(function.name.span), function.name.value);
    for statement in function.body.iter().flatten() {
        if let Statement::Instruction(instruction) = statement {
            assert_eq!(source.at(instruction.opcode.span), instruction.opcode.value);
            assert!(source.at(instruction.span).ends_with(';'));
        }
    }
}

/// An error points into the text, and what it shows of it is short.
fn show(source: &Source, error: &PtxError) {
    let mut shown = String::new();
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_width(100);
    handler.render_report(&mut shown, error).expect("a string takes everything");
    assert!(!error.message.is_empty() && (1..=source.text().len() + 1).contains(&error.line));
    assert!(shown.contains("fuzz.ptx:") && shown.contains(error.label.split('\n').next().unwrap_or("")), "{shown}");
    assert!(shown.len() < 20_000, "an error of {} bytes", shown.len());
}

/// Reads a recording of any kind; an error is in the text.
fn recording(text: &str) {
    if let Err(error) = silicon::read_any("fuzz.csv", text.as_bytes()) {
        assert!(error.to_string().starts_with("fuzz.csv:") && !error.problem.is_empty(), "{error}");
        let line = error.place.map_or(1, |(line, _)| line);
        assert!((1..=text.lines().count() as u64 + 1).contains(&line), "{error}");
    }
}

/// The files of a folder: names and texts.
fn files(folder: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("it is there").map(|entry| entry.expect("it can be read").path()).collect();
    files.retain(|path| path.is_file());
    files.sort();
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    files.iter().map(|path| (name(path), std::fs::read_to_string(path).expect("a text"))).collect()
}

/// The corpus: names and texts.
fn corpus() -> Vec<(String, String)> {
    files("tests/corpus")
}

/// How long to fuzz, if nobody asks for something else.
fn seconds(usually: u64) -> Duration {
    Duration::from_secs(test_env::number("TXBAR_FUZZ_SECONDS").unwrap_or(usually))
}

/// Runs an input, which must not take long.
fn in_time(text: &str, pipeline: impl Fn(&str)) {
    let begin = Instant::now();
    pipeline(text);
    assert!(begin.elapsed() < LONGEST, "it took {:?}", begin.elapsed());
}

/// Keeps the input in a file if the test ends in a panic. The last that does is the one that bolero reports.
struct Kept<'a>(&'a str, &'a Path);

impl Drop for Kept<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            std::fs::write(self.1, self.0).expect("a file can be written");
        }
    }
}

/// What runs changed files of a corpus.
fn survives(corpus: &[String], kind: &str, pipeline: fn(&str)) -> impl Fn(&Mutation) {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz.{kind}"));
    println!("an input that fails is kept in {}", file.display());
    move |mutation| {
        let text = mutation.text(corpus);
        let _kept = Kept(&text, &file);
        in_time(&text, pipeline);
    }
}

/// Says which input it was if the test ends in a panic.
struct Named<'a>(&'a str);

impl Drop for Named<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the input is {}", self.0);
        }
    }
}

#[test]
fn mutated_files() {
    let corpus: Vec<String> = corpus().into_iter().map(|(_, text)| text).collect();
    let target = bolero::check!().with_type::<Mutation>().with_test_time(seconds(14)).with_shrink_time(PATIENCE);
    target.for_each(survives(&corpus, "ptx", pipeline));
}

#[test]
fn mutated_recordings() {
    let all = files("../testbench/vectors").into_iter().chain(files("../testbench/vectors/tensor"));
    // programs of CTA barriers are no operations on words: `check` does not read them
    let recordings = all.filter(|(name, _)| name.ends_with(".csv") && !name.contains("cta_barriers"));
    let corpus: Vec<String> = recordings.map(|(_, text)| text.split_inclusive('\n').take(LINES).collect()).collect();
    corpus.iter().for_each(|text| drop(silicon::read_any("corpus", text.as_bytes()).expect("it is a recording")));
    let target = bolero::check!().with_type::<Mutation>().with_test_time(seconds(2)).with_shrink_time(PATIENCE);
    target.for_each(survives(&corpus, "csv", recording));
}

/// A mistake that needs a change to show is found.
#[test]
#[should_panic(expected = "test failed")]
fn trouble_is_found() {
    let corpus = [".entry k() { ret; }".to_owned()];
    let mistaken = |text: &str| assert!(!text.contains("4294967296") && !text.contains('!'), "injected");
    let target = bolero::check!().with_type().with_test_time(Duration::from_secs(20));
    target.with_shrink_time(Duration::from_secs(1)).for_each(|mutation: &Mutation| mistaken(&mutation.text(&corpus)));
}

#[test]
fn the_corpus_parses_unless_it_is_broken() {
    let corpus = corpus();
    assert!(corpus.len() >= 30, "{} files", corpus.len());
    for (name, text) in corpus {
        let outcome = parse(&Source::new(&name, text.as_str()));
        assert_eq!(outcome.is_err(), name.starts_with("broken_"), "{name}: {outcome:?}");
        // ends of lines are white space
        let other = parse(&Source::new(&name, text.replace('\n', "\r\n")));
        assert_eq!(other.is_ok(), outcome.is_ok(), "{name} with carriage returns: {other:?}");
    }
}

#[test]
fn every_truncation_of_every_file() {
    for (name, text) in corpus() {
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            let what = format!("{name} up to byte {end}");
            let _named = Named(&what);
            in_time(&text[..end], pipeline);
        }
    }
}

#[test]
fn horrors() {
    // an unoptimised build is many times slower
    let size = if cfg!(debug_assertions) { 250_000 } else { 10_000_000 };
    let body = ".version 8.6\n.target sm_90\n.address_size 64\n.entry k() {";
    let module = ".version 8.6\n.target sm_90\n.address_size 64\n";
    let many = |piece: &str| piece.repeat(size / piece.len());
    let numbered = |piece: &str| (0..size / 10).map(|number| format!("{piece}{number}:")).collect::<String>();
    let texts = [
        ("nothing", String::new()),
        ("spaces", many(" ")),
        ("line feeds", many("\n")),
        ("a word", many("a")),
        ("zero bytes", many("\0")),
        ("opening braces", many("{")),
        ("opening braces in a body", format!("{body}{}", many("{"))),
        ("closing braces in a body", format!("{body}{}", many("}"))),
        ("empty scopes", format!("{body}{}}}", many("{}"))),
        ("brackets of an expression", format!("{body}mov a, {}", many("("))),
        ("closed brackets of an expression", format!("{body}mov a, {}1{};}}", many("("), many(")"))),
        ("signs", format!("{body}mov a, {}", many("-"))),
        ("a sum", format!("{body}mov a, 1{};}}", many("+1"))),
        ("choices", format!("{body}mov a, {}", many("1?"))),
        ("digits", format!("{body}mov a, {};}}", many("9"))),
        ("a fraction", format!("{body}mov a, 0.{};}}", many("9"))),
        ("an exponent", format!("{body}mov a, 1e{};}}", many("9"))),
        ("vectors in vectors", format!("{body}mov {}", many("{"))),
        ("addresses in addresses", format!("{body}mov {}", many("["))),
        ("a vector", format!("{body}mov {{a{}}};}}", many(",a"))),
        ("instructions on one line", format!("{body}{}}}", many("ret;"))),
        ("modifiers", format!("{body}mov{};}}", many(".b32"))),
        ("labels", format!("{body}{}}}", numbered("l"))),
        ("labels on the same numbers", format!("{body}{}}}", numbered("l1111111111"))),
        ("an error in a long line", format!("{body}{} ] {}", many("ret;"), many("ret;"))),
        ("an error behind many lines", format!("{body}{} ] {}", many("ret;\n"), many("ret;\n"))),
        ("a string", format!("{module}.pragma \"{}", many("a"))),
        ("escapes", format!("{module}.pragma \"{}", many("\\\""))),
        ("a comment", format!("{module}/*{}", many("*"))),
        ("comments", format!("{module}{}", many("/**/"))),
        ("values", format!("{module}.global .u8 a[] = {{{}}};", many("1,"))),
        ("braces of values", format!("{module}.global .u8 a[] = {}", many("{"))),
        ("dimensions", format!("{module}.global .u8 a{} = {}", many("[1]"), many("{"))),
        ("rows to fill", format!("{module}.global .u8 a[9][99999999] = {{{}}};", many("{},"))),
        ("parameters", format!("{module}.entry k({}", many(".param .u32 _,"))),
        ("guards", format!("{body}{}", many("@"))),
        ("dots", format!("{body}{}", many("."))),
        ("letters of four bytes", format!("{body}{}", many("\u{1f600}"))),
    ];
    for (what, text) in texts {
        let _named = Named(what);
        in_time(&text, pipeline);
    }
}

#[test]
fn files_of_bytes() {
    let mut bytes: Vec<u8> = (0..=255).cycle().take(1 << 16).collect();
    for first in [0_u8, b'.', 0x7f, 0x80, 0xff] {
        bytes[0] = first;
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        file.write_all(&bytes).expect("a file can be written");
        let error = Source::read(file.path()).expect_err("this is no text").to_string();
        let offset = if first < 0x80 { 128 } else { 0 };
        assert!(error.contains(&format!("byte {offset} is 0x")), "{error}");
    }
}
