//! Input that nobody wrote: PTX files of a committed corpus (`tests/corpus`), changed at random, and some horrors by
//! name. Whatever comes, the answer is a result or an error that shows its place; never a panic, and never a long wait.
//!
//! ```text
//!   seed, k --> mutate --> text --> pipeline --+-- in time --> k + 1
//!                                              `-- panic, slow --> shorten --> file, seed, k
//! ```
//!
//! Input number k depends on the seed and k only. `TXBAR_FUZZ_SECONDS=N` fuzzes for N seconds (15), `TXBAR_SEED=N` repeats
//! the seed of an earlier run, and `TXBAR_FUZZ_FIRST=K` begins with input K. `broken_*` of the corpus do not parse,
//! the others do.

mod caught;
mod mutate;

use caught::{Trouble, caught, shorten};
use miette::{GraphicalReportHandler, GraphicalTheme};
use mutate::Mutator;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use txbar_ptx::argument::Argument;
use txbar_ptx::ast::{Function, Statement};
use txbar_ptx::launch::{Grid, Settings};
use txbar_ptx::legal;
use txbar_ptx::machine::{End, Schedule};
use txbar_ptx::parse::parse;
use txbar_ptx::program::{Parameter, Program};
use txbar_ptx::report::Reporter;
use txbar_ptx::source::{PtxError, Source};
use txbar_ptx::target::Target;
use txbar_testbench::asked;

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
    let reporter = Reporter { source, program, ctas: outcome.ctas };
    for (_, finding) in outcome.findings.iter().take(3) {
        show(source, &reporter.finding(finding));
    }
    match &outcome.end {
        End::Done => {}
        End::Fault(fault) => show(source, &reporter.fault(fault)),
        End::Hang(hang) => assert!(reporter.hang(hang).lines().count() > 1),
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

/// The corpus: names and texts.
fn corpus() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("the corpus is there").map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    files.iter().map(|path| (name(path), std::fs::read_to_string(path).expect("a text"))).collect()
}

/// Runs an input, and if there is trouble with it, shortens it, keeps it, and fails.
fn survives(text: &str, what: &str) {
    let Some(trouble) = caught(pipeline, text) else { return };
    let (short, trouble) = shorten(pipeline, text, trouble);
    let path = keep(&short);
    panic!("{what}: {trouble}\n{} bytes, shortened to {}: {}", text.len(), short.len(), path.display());
}

/// A file that stays.
fn keep(text: &str) -> PathBuf {
    let mut file = tempfile::Builder::new().prefix("txbar-fuzz-").suffix(".ptx").tempfile().expect("a temporary file");
    file.write_all(text.as_bytes()).expect("a file can be written");
    file.keep().expect("a file can be kept").1
}

#[test]
fn mutated_files() {
    let seed = asked::seed();
    let first = asked::number("TXBAR_FUZZ_FIRST").unwrap_or(0);
    let seconds = Duration::from_secs(asked::number("TXBAR_FUZZ_SECONDS").unwrap_or(15));
    let mutator = Mutator::new(corpus().into_iter().map(|(_, text)| text).collect());
    let begin = Instant::now();
    let mut input = first;
    while begin.elapsed() < seconds {
        survives(&mutator.input(seed, input), &format!("TXBAR_SEED={seed} TXBAR_FUZZ_FIRST={input}"));
        input += 1;
    }
    println!("{} inputs in {:?}", input - first, begin.elapsed());
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
            survives(&text[..end], &format!("{name} up to byte {end}"));
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
        survives(&text, what);
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

#[test]
fn trouble_is_found_and_shortened() {
    let planted = |text: &str| {
        pipeline(text);
        assert!(!(text.contains("mbarrier") && text.contains(']')), "planted");
    };
    let mutator = Mutator::new(corpus().into_iter().map(|(_, text)| text).collect());
    assert_eq!(mutator.input(1, 7), mutator.input(1, 7));
    assert_ne!(mutator.input(1, 7), mutator.input(1, 8));
    let found = (0..1_000).map(|input| mutator.input(1, input)).find_map(|text| Some((caught(planted, &text)?, text)));
    let (trouble, text) = found.expect("one of a thousand inputs has a barrier");
    let (short, trouble) = shorten(planted, &text, trouble);
    assert!(short.len() < 10 && short.contains("mbarrier"), "{short}");
    assert!(matches!(trouble, Trouble::Panic(message) if message.contains("planted")));
}
