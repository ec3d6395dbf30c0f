//! What txbar says of thousands of synchronisation instructions beside what ptxas says of them: `ptxas.txt`, made by
//! `record/ptxas_table.py`, for each of its versions and targets.

#[path = "../kernels/files.rs"]
mod files;

use txbar_ptx::ast::Version;
use txbar_ptx::legal::{check_as_it_says, check_module};
use txbar_ptx::parse::parse;
use txbar_ptx::source::Source;
use txbar_ptx::target::{Target, parse_version};

const TABLE: &str = include_str!("ptxas.txt");

/// A line of the table.
struct Row<'t> {
    /// Whether ptxas takes it, for each configuration.
    legal: Vec<bool>,
    instruction: &'t str,
}

/// What stands behind a mark at the beginning of the table.
fn head(mark: &str) -> &'static str {
    let line = TABLE.lines().find_map(|line| line.strip_prefix("# ")?.strip_prefix(mark)?.strip_prefix(": "));
    line.unwrap_or_else(|| panic!("the table lacks its {mark}"))
}

fn configurations() -> Vec<(Version, Target)> {
    let read = |text: &str| {
        let (version, target) = text.split_once('/')?;
        Some((parse_version(version).ok()?, target.parse().ok()?))
    };
    head("configurations").split(' ').map(|text| read(text).expect(text)).collect()
}

fn rows() -> impl Iterator<Item = Row<'static>> {
    let count = configurations().len();
    TABLE.lines().filter(|line| !line.starts_with('#')).map(move |line| {
        let (marks, instruction) = line.split_once(' ').expect(line);
        let legal = match marks {
            "-" => vec![false; count],
            marks => marks.bytes().map(|mark| mark == b'+').collect(),
        };
        assert_eq!(legal.len(), count, "{line}");
        Row { legal, instruction }
    })
}

/// Where txbar refuses what ptxas takes, and means it: how the instruction begins, what txbar says of it, and why.
const REFUSED: &[(&str, &str, &str)] = &[
    ("mbarrier.", "must be 1 to 1048575", "a barrier counts 2^20 - 1 arrivals at most (9.7.13.15.2); an H200 traps"),
    ("mbarrier.", "must be 0 to 1048575", "nor more bytes, and none below zero (9.7.13.15.11)"),
    ("mbarrier.init", "must be 1 to 511", "layout v1 counts 2^9 - 1 (9.7.14.16.12)"),
    ("mbarrier.", "must be a 32-bit register", "ptxas takes a vector register for one value"),
    ("mbarrier.", "is a predicate register", "ptxas takes `p|_` where there is no report"),
    ("mbarrier.check_layout", "has no `.sys`", "ptxas overlooks a scope where there is none"),
    ("cp.", "has no `.cta`", "the same"),
    ("cp.", "has no `.cluster`", "the same"),
    ("cp.", "has no `.gpu`", "the same"),
    ("cp.", "has no `.sys`", "the same"),
    ("st.async", "has no `.cluster`", "the same"),
    ("fence", "has no `.async`", "there is no such fence"),
    ("fence.proxy", "`.global` of `fence.proxy` does not go with", "a fence of tensor maps has no state space"),
    ("ba", "says `.sync` twice", "ptxas overlooks the second"),
    ("elect", "says `.sync` twice", "the same"),
    ("ba", "must be a multiple of 32, 0 or more", "fewer than no threads"),
    ("ba", "must be a predicate register", "ptxas takes a pair of halves for a predicate"),
    ("ba", "`d` must be a 32-bit register", "and for a number"),
    (
        "cp.",
        "is written in brackets",
        "ptxas takes what stands in an address's place of a tensor copy for one, be it 1.0",
    ),
    ("st.async", "values", "ptxas does not count what .v2 and .v4 store"),
    ("st.async", "must be 1 value", "the same"),
    ("st.async", "takes 3 operands, here are 2", "a store that completes on no barrier"),
    ("st.async", "lacks its `.global`", "a store to nowhere"),
];

/// What txbar takes where ptxas refuses it, on sm_80 only: ptxas expands a barrier there to a text of its own, in which an element of a
/// vector is a syntax error.
const TAKEN: &str = "barrier.cta.red.popc.u32 r1, v2.x, 32, p;";

fn is_meant(instruction: &str, message: &str, takes: bool) -> bool {
    if takes {
        return instruction == TAKEN;
    }
    REFUSED.iter().any(|(begin, said, _)| instruction.starts_with(begin) && message.contains(said))
}

#[test]
fn every_kernel_is_legal() {
    let mut kernels = 0;
    let mut told = Vec::new();
    for path in files::paths("ptx") {
        let source = Source::read(&path).expect("a text");
        let module = parse(&source).unwrap_or_else(|error| panic!("{error:?}"));
        let complaints = check_as_it_says(&module);
        let line = |span| source.line(span);
        told.extend(complaints.into_iter().map(|it| format!("{}:{}: {}", path.display(), line(it.span), it.message)));
        kernels += 1;
    }
    assert!(told.is_empty(), "{}", told.join("\n"));
    assert!(kernels > 150, "{kernels}");
}

#[test]
fn txbar_says_what_ptxas_says() {
    let (module, body, configurations) = (head("module"), head("body"), configurations());
    let (mut compared, mut taken) = (0, 0);
    let mut wrong = Vec::new();
    for row in rows() {
        let head =
            format!(".version 9.5\n.target sm_90a\n.address_size 64\n{module}\n.entry k(.param .u64 a) {{\n{body}\n");
        let source = Source::new("row.ptx", format!("{head}{}\nret;\n}}\n", row.instruction));
        let parsed = parse(&source).ok();
        for (legal, (version, target)) in row.legal.iter().zip(&configurations) {
            let complaints = parsed.as_ref().map(|module| check_module(module, *target, *version));
            let takes = complaints.as_ref().is_some_and(Vec::is_empty);
            let message = complaints.and_then(|all| Some(all.first()?.message.clone())).unwrap_or_default();
            compared += 1;
            taken += usize::from(takes);
            if takes != *legal && !is_meant(row.instruction, &message, takes) {
                let verdict = if takes { "taken" } else { "refused" };
                wrong.push(format!("{} for {target}, PTX {version}: {verdict} {message}", row.instruction));
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), rows().count(), wrong[..wrong.len().min(40)].join("\n"));
    assert!(compared > 200_000 && taken > 15_000, "{compared} compared, {taken} taken");
}
