//! Mutations: every sound kernel with one synchronisation mutated. The share that one run finds, and the survivors.
//!
//! A kernel is tried in round-robin order, as its `.run` file says. A mutant is **found** if anything is told of it: a mistake, a fault, a hang.
//! One that survives is harmless for a reason that is looked for here: it is **never executed**, or it **orders nothing** that this launch
//! does (the run without it has the same accesses, and no two of them conflict; then the buffers are the same). One that changes a buffer and is not told of is a **miss**, and named one by one in
//! `mutations.misses`, each with the reason. A wait whose answer is stored, and that no branch hangs on, is none.
//!
//! All of them take minutes: without `TXBAR_ALL_MUTATIONS=1` a few of each kind are tried. `TXBAR_UPDATE_DOCS=1` writes what all of them came to into the table of
//! `docs/races.md`, and those that survive into `mutations.csv`.

use super::kernels::{Kernel, all};
use rand::prelude::*;
use rand::rngs::Xoshiro256PlusPlus;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use txbar_export::tables::{self, check_document, with_tables};
use txbar_ptx::ast::{Function, Instruction, Statement};
use txbar_ptx::machine::{End, Schedule};
use txbar_ptx::outcome::Outcome;
use txbar_ptx::parse::parse;
use txbar_ptx::source::Source;
use txbar_testbench::test_env;

/// What is done to a kernel.
const KINDS: [&str; 8] = [
    "a wait dropped",
    "a fence dropped",
    "a sync dropped",
    "a parity swapped",
    "an expect_tx halved",
    "an arrival moved up",
    "a release made relaxed",
    "an acquire made relaxed",
];
/// Mutants of a kind that are tried without being asked for all.
const FEW: usize = 12;
/// Thread instructions of a kernel that is tried, then and otherwise, at most.
const SHORT: u64 = 30_000;
const LONG: u64 = u64::MAX;

/// Statements behind a wait among which the branch is that hangs on its answer.
const NEAR: usize = 8;

/// An instruction as it is written.
struct Written<'t> {
    /// Where, without its semicolon.
    range: Range<usize>,
    text: &'t str,
    /// `@p`, or nothing.
    guard: &'t str,
    /// With its modifiers.
    opcode: &'t str,
    operands: Vec<&'t str>,
}

impl<'t> Written<'t> {
    fn new(source: &'t Source, instruction: &Instruction) -> Self {
        let text = source.at(instruction.span).trim_end_matches(';');
        let start = instruction.span.start as usize;
        let opcode = instruction.opcode.span;
        let end = instruction.modifiers.last().map_or(opcode, |last| last.span).end;
        Self {
            range: start..start + text.len(),
            text,
            guard: source.text()[start..opcode.start as usize].trim_end(),
            opcode: &source.text()[opcode.start as usize..end as usize],
            operands: instruction.operands.iter().map(|operand| source.at(operand.span)).collect(),
        }
    }

    /// The opcode without modifiers.
    fn name(&self) -> &'t str {
        self.opcode.split('.').next().unwrap_or(self.opcode)
    }
}

/// The instructions of a function, with nothing where a label or a brace stands.
fn written<'t>(source: &'t Source, function: &Function) -> Vec<Option<Written<'t>>> {
    let of = |statement: &Statement| match statement {
        Statement::Registers(_) | Statement::Variable(_) => None,
        Statement::Instruction(instruction) => Some(Some(Written::new(source, instruction))),
        _ => Some(None),
    };
    function.body.iter().flatten().filter_map(of).collect()
}

/// An instruction with its operand of this number replaced: by a number, or by what an instruction makes of it.
fn with_operand(
    Written { guard, opcode, operands, .. }: &Written,
    place: usize,
    of_number: impl Fn(u64) -> u64,
    by: &str,
) -> Option<String> {
    let operand = operands.get(place)?;
    let list = |new: &str| {
        let all: Vec<&str> = operands.iter().enumerate().map(|(n, old)| if n == place { new } else { *old }).collect();
        all.join(", ")
    };
    let number = operand.strip_prefix("0x").map_or(operand.parse(), |digits| u64::from_str_radix(digits, 16));
    Some(match number {
        Ok(number) => format!("{guard} {opcode} {}", list(&of_number(number).to_string())),
        Err(_) => format!(
            "{{ .reg .b32 mutated; {by}.b32 mutated, {operand}, 1; {guard} {opcode} {}; }} mov.pred _, 1",
            list("mutated")
        ),
    })
}

/// What may be done to an instruction: kind, and what stands in its place.
fn mutations(written: &Written) -> Vec<(&'static str, String)> {
    let Written { text, guard, opcode, operands, .. } = written;
    let has = |part: &str| opcode.split('.').any(|own| own == part);
    let starts = |start: &str| *opcode == start || opcode.starts_with(&format!("{start}."));
    let waits = starts("mbarrier") && (has("try_wait") || has("test_wait"));
    let arrives = starts("mbarrier") && (has("arrive") || has("arrive_drop"));
    let scope = if has("shared::cluster") { "cluster" } else { "cta" };
    let mut all = Vec::new();
    if waits {
        all.push((KINDS[0], format!("{guard} setp.eq.u32 {}, 0, 0", operands[0])));
    } else if starts("cp.async.wait_group")
        || starts("cp.async.wait_all")
        || starts("cp.async.bulk.wait_group")
        || starts("wgmma.wait_group")
        || starts("barrier.cluster.wait")
    {
        all.push((KINDS[0], String::new()));
    }
    if starts("fence") || starts("membar") {
        all.push((KINDS[1], String::new()));
    }
    if starts("bar.sync") || starts("bar.warp.sync") || starts("barrier.sync") || starts("barrier.cta.sync") {
        all.push((KINDS[2], String::new()));
    }
    if waits && has("parity") {
        all.extend(with_operand(written, 2, |number| number ^ 1, "xor").map(|new| (KINDS[3], new)));
    }
    if starts("mbarrier") && has("expect_tx") {
        let halved = with_operand(written, operands.len() - 1, |number| number / 2, "shr");
        all.extend(halved.map(|new| (KINDS[4], new)));
    }
    if has("release") && !starts("fence") {
        all.push((KINDS[6], text.replace(".release", ".relaxed")));
    } else if arrives && !has("relaxed") && !has("noComplete") {
        let last = if has("expect_tx") {
            ".expect_tx"
        } else if has("arrive") {
            ".arrive"
        } else {
            ".arrive_drop"
        };
        all.push((KINDS[6], text.replacen(last, &format!("{last}.relaxed.{scope}"), 1)));
    } else if starts("barrier.cluster.arrive") && !has("relaxed") {
        all.push((KINDS[6], text.replacen(".arrive", ".arrive.relaxed", 1)));
    }
    if has("acquire") && !starts("fence") && !starts("barrier") {
        all.push((KINDS[7], text.replace(".acquire", ".relaxed")));
    } else if waits && !has("relaxed") {
        let last = if has("parity") {
            ".parity"
        } else if has("try_wait") {
            ".try_wait"
        } else {
            ".test_wait"
        };
        all.push((KINDS[7], text.replacen(last, &format!("{last}.relaxed.cta"), 1)));
    }
    all
}

/// The access to memory that an arrival comes behind, if it may be moved up before that.
fn earlier<'w, 't>(all: &'w [Option<Written<'t>>], own: &Written) -> Option<&'w Written<'t>> {
    if !own.opcode.starts_with("mbarrier.arrive") {
        return None;
    }
    for other in all.iter().rev() {
        let other = other.as_ref()?;
        let makes = other.operands.first().map_or("", |first| first.trim_matches(['{', '}', '[', ']']));
        let stores = other.opcode.starts_with("st.");
        if ["bra", "ret", "bar", "barrier", "fence", "mbarrier", "cp"].contains(&other.name()) {
            return None;
        }
        let needs = !stores && own.operands.iter().any(|operand| operand.contains(makes));
        if !makes.is_empty() && (needs || own.guard.contains(makes)) {
            return None;
        }
        if stores || other.opcode.starts_with("ld.shared") || other.opcode.starts_with("ld.volatile.shared") {
            return Some(other);
        }
    }
    None
}

/// A mutated kernel.
struct Mutant<'a> {
    kernel: &'a Kernel,
    kind: &'static str,
    line: usize,
    text: String,
    /// With a trap in place of the instruction.
    trapped: String,
}

impl Mutant<'_> {
    /// Its kernel and line.
    fn place(&self) -> String {
        format!("{} {}", self.kernel.name, self.line)
    }
}

fn mutants(kernel: &Kernel) -> Vec<Mutant<'_>> {
    let source = kernel.source();
    let text = source.text();
    let module = parse(source).expect("it is well-formed");
    let mut mutants = Vec::new();
    for all in module.functions.iter().map(|function| written(source, function)) {
        for (number, own) in all.iter().enumerate() {
            let Some(own) = own else { continue };
            let line = text[..own.range.start].matches('\n').count() + 1;
            let put = |new: &str| format!("{}{new}{}", &text[..own.range.start], &text[own.range.end..]);
            let trapped = put(&format!("{} trap", own.guard));
            let decides = all[number + 1..].iter().flatten().take(NEAR).any(|next| next.name() == "bra");
            for (kind, new) in mutations(own) {
                if own.text.contains("_wait") && own.text.contains("mbarrier") && !decides {
                    continue;
                }
                mutants.push(Mutant { kernel, kind, line, text: put(&new), trapped: trapped.clone() });
            }
            if let Some(access) = earlier(&all[..number], own) {
                let (before, between) = text[..own.range.start].split_at(access.range.start);
                let text = format!("{before}{}; {between}{}", own.text, &text[own.range.end..]);
                mutants.push(Mutant { kernel, kind: KINDS[5], line, text, trapped });
            }
        }
    }
    mutants
}

/// What came of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    /// It cannot be built or launched.
    Refused,
    Found,
    /// It is never executed.
    Unexecuted,
    /// It orders nothing that this launch does.
    Harmless,
    /// It changes what the kernel computes, and nothing is told.
    Missed,
}

fn fate(mutant: &Mutant, sound: &Outcome) -> Fate {
    let Mutant { kernel, text, trapped, .. } = mutant;
    let most = 4 * sound.tally.cycles + 50_000;
    let Some(outcome) = kernel.run_as(text, most) else { return Fate::Refused };
    match () {
        () if !kernel.remarks(&outcome).is_empty() => Fate::Found,
        () if kernel.run_as(trapped, most).is_some_and(|outcome| outcome.end == End::Done) => Fate::Unexecuted,
        () if outcome.buffers == sound.buffers => Fate::Harmless,
        () => Fate::Missed,
    }
}

/// A file that is written anew if `TXBAR_UPDATE_DOCS` is set, and all mutants have been tried.
fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Mutants that change a buffer with nothing told of them, `KERNEL LINE KIND: REASON` each.
fn known_misses() -> BTreeSet<String> {
    let text = std::fs::read_to_string(file("tests/kernels/mutations.misses")).expect("it can be read");
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split_once(": ").expect("a reason").0.to_owned()).collect()
}

/// Mutants that no verdict is expected of, `KERNEL LINE,KIND` each: those of the list that [`write`] writes.
fn survivors() -> BTreeSet<String> {
    let text = std::fs::read_to_string(file("tests/kernels/mutations.csv")).expect("it can be read");
    text.lines().skip(1).filter_map(|line| Some(line.rsplit_once(',')?.0.to_owned())).collect()
}

/// The table of the page: what came of the mutants of each kind.
fn table(fates: &[(&str, Fate, String)]) -> String {
    let row = |name: &str, of: &dyn Fn(&str) -> bool| {
        let count = |fate: Fate| fates.iter().filter(|(kind, own, _)| of(kind) && *own == fate).count();
        let counts = [Fate::Found, Fate::Unexecuted, Fate::Harmless, Fate::Missed].map(count);
        let numbers = [counts.iter().sum()].into_iter().chain(counts).map(|number: usize| number.to_string());
        std::iter::once(name.to_owned()).chain(numbers).collect()
    };
    let kinds = KINDS.iter().map(|name| row(name, &|kind| kind == *name));
    let header = ["", "mutants", "reported", "never executed", "orders nothing in this launch", "missed"];
    tables::table(&header, kinds.chain([row("all", &|_| true)]))
}

/// Writes the table, and the list of those that survive.
fn write(fates: &[(&str, Fate, String)]) {
    let refresh = |text: &str| with_tables(text, &[("mutations", table(fates))]);
    check_document(&file("../docs/races.md"), refresh, "");
    let survivors = fates.iter().filter(|(_, fate, _)| matches!(fate, Fate::Unexecuted | Fate::Harmless));
    let line = |(kind, fate, at): &(&str, Fate, String)| {
        let why = if *fate == Fate::Unexecuted { "never executed" } else { "orders nothing in this launch" };
        format!("{at},{kind},{why}\n")
    };
    let list: String = survivors.map(line).collect();
    std::fs::write(
        file("tests/kernels/mutations.csv"),
        format!("kernel and line,what was done,why it is harmless\n{list}"),
    )
    .expect("it can be written");
}

#[test]
fn spoilt_kernels_are_told_or_harmless() {
    let every = test_env::all("MUTATIONS");
    let most = if every { LONG } else { SHORT };
    let kernels: Vec<(Kernel, Outcome)> = all()
        .into_par_iter()
        .filter(|kernel| kernel.has("expected"))
        .map(|kernel| {
            let sound = kernel.run(Schedule::RoundRobin, &[]);
            (kernel, sound)
        })
        .filter(|(_, sound)| sound.tally.instructions < most)
        .collect();
    let mut of_kind: BTreeMap<&str, Vec<(Mutant, &Outcome)>> = BTreeMap::new();
    for (kernel, sound) in &kernels {
        for mutant in mutants(kernel) {
            of_kind.entry(mutant.kind).or_default().push((mutant, sound));
        }
    }
    assert_eq!(of_kind.len(), KINDS.len(), "there are some of each kind");
    if !every {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(test_env::seed());
        let survivors = survivors();
        for all in of_kind.values_mut() {
            all.shuffle(&mut rng);
            // one that is told is among them, of kinds of which most order nothing, too
            let is_told =
                |(mutant, _): &(Mutant, &Outcome)| !survivors.contains(&format!("{},{}", mutant.place(), mutant.kind));
            let told = all.iter().position(is_told).expect("some of each kind are told");
            all.swap(0, told);
            all.truncate(FEW);
        }
    }
    let chosen: Vec<&(Mutant, &Outcome)> = of_kind.values().flatten().collect();
    let judged = |(mutant, sound): &&(Mutant, &Outcome)| (mutant.kind, fate(mutant, sound), mutant.place());
    let mut fates: Vec<(&str, Fate, String)> = chosen.par_iter().map(judged).collect();
    fates.sort();
    println!("{}", table(&fates));
    if every && std::env::var_os("TXBAR_UPDATE_DOCS").is_some() {
        write(&fates);
    }
    let known = known_misses();
    let missed = fates.iter().filter(|(_, fate, _)| *fate == Fate::Missed).map(|(kind, _, at)| format!("{at} {kind}"));
    let missed: BTreeSet<String> = missed.collect();
    let new: Vec<&String> = missed.difference(&known).collect();
    assert!(new.is_empty(), "nothing is told, and another value is left: {new:#?}");
    let gone: Vec<&String> = known.difference(&missed).filter(|_| every).collect();
    assert!(gone.is_empty(), "mutations.misses has some that are none: {gone:#?}");
    let found = |kind: &&str| fates.iter().any(|(own, fate, _)| own == kind && *fate == Fate::Found);
    assert!(KINDS.iter().all(found), "of some kind nothing is told:\n{}", table(&fates));
}
