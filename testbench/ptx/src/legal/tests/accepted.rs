use super::*;
use crate::ast::{Instruction, Spanned};
use crate::barrier::{Verb, read_qualifiers};

const NO_ORDER: &[&str] = &[""];
const RELAXED: &[&str] = &["", ".relaxed.cta", ".relaxed.cluster"];
const ARRIVAL: &[&str] = &["", ".release.cta", ".release.cluster", ".relaxed.cta", ".relaxed.cluster"];
const RELEASE: &[&str] = &["", ".release.cta"];
const WAIT: &[&str] = &["", ".acquire.cta", ".acquire.cluster", ".relaxed.cta", ".relaxed.cluster"];
const NO_SPACE: &[&str] = &[""];
const OWN: &[&str] = &["", ".shared", ".shared::cta"];
const CTA: &[&str] = &["", ".shared::cta"];
const ANY: &[&str] = &["", ".shared", ".shared::cta", ".shared::cluster"];
const REMOTE: &[&str] = &[".shared::cluster"];
const B64: &[&str] = &[".b64"];

/// The syntax lines of 9.7.13.15 and 9.7.13.3, and those of PTX ISA 9.3 with a layout: name, `.sem.scope`, state space, end, operands.
type Syntax = (&'static str, &'static [&'static str], &'static [&'static str], &'static [&'static str], Operands);
type Operands = &'static [&'static str];

const SYNTAX: &[Syntax] = &[
    ("mbarrier.init", NO_ORDER, OWN, B64, &["[addr], count"]),
    ("mbarrier.init.layout::v0", NO_ORDER, OWN, B64, &["[addr], count"]),
    ("mbarrier.init.layout::v1", NO_ORDER, OWN, B64, &["[addr], count"]),
    ("mbarrier.inval", NO_ORDER, OWN, B64, &["[addr]"]),
    ("mbarrier.expect_tx", RELAXED, ANY, B64, &["[addr], txCount"]),
    ("mbarrier.complete_tx", RELAXED, ANY, B64, &["[addr], txCount"]),
    ("mbarrier.arrive", ARRIVAL, OWN, B64, &["state, [addr]", "state, [addr], count", "_, [addr]", "_, [addr], 3"]),
    ("mbarrier.arrive", ARRIVAL, REMOTE, B64, &["_, [addr]", "_, [addr], count"]),
    ("mbarrier.arrive.expect_tx", ARRIVAL, OWN, B64, &["state, [addr], txCount", "_, [addr], txCount"]),
    ("mbarrier.arrive.expect_tx", ARRIVAL, REMOTE, B64, &["_, [addr], txCount"]),
    ("mbarrier.arrive.noComplete", RELEASE, OWN, B64, &["state, [addr], count", "_, [addr], count"]),
    (
        "mbarrier.arrive_drop",
        ARRIVAL,
        OWN,
        B64,
        &["state, [addr]", "state, [addr], count", "_, [addr]", "_, [addr], 3"],
    ),
    ("mbarrier.arrive_drop", ARRIVAL, REMOTE, B64, &["_, [addr]", "_, [addr], count"]),
    ("mbarrier.arrive_drop.expect_tx", ARRIVAL, OWN, B64, &["state, [addr], txCount", "_, [addr], txCount"]),
    ("mbarrier.arrive_drop.expect_tx", ARRIVAL, REMOTE, B64, &["_, [addr], txCount"]),
    ("mbarrier.arrive_drop.noComplete", RELEASE, OWN, B64, &["state, [addr], count", "_, [addr], count"]),
    ("cp.async.mbarrier.arrive", NO_ORDER, OWN, B64, &["[addr]"]),
    ("cp.async.mbarrier.arrive.noinc", NO_ORDER, OWN, B64, &["[addr]"]),
    ("mbarrier.test_wait", WAIT, OWN, B64, &["waitComplete, [addr], state"]),
    ("mbarrier.test_wait.parity", WAIT, OWN, B64, &["waitComplete, [addr], phaseParity"]),
    (
        "mbarrier.try_wait",
        WAIT,
        OWN,
        B64,
        &["waitComplete, [addr], state", "waitComplete, [addr], state, suspendTimeHint"],
    ),
    (
        "mbarrier.try_wait.parity",
        WAIT,
        OWN,
        B64,
        &["waitComplete, [addr], phaseParity", "waitComplete, [addr], phaseParity, suspendTimeHint"],
    ),
    ("mbarrier.pending_count", NO_ORDER, NO_SPACE, B64, &["count, state"]),
    ("mbarrier.pending_count.layout::v0", NO_ORDER, NO_SPACE, B64, &["count, state"]),
    ("mbarrier.check_layout.layout::v0", NO_ORDER, CTA, B64, &["p, [addr]"]),
    ("mbarrier.check_layout.layout::v1", NO_ORDER, CTA, B64, &["p, [addr]"]),
    ("barrier.cluster.arrive", &["", ".release", ".relaxed"], NO_SPACE, &["", ".aligned"], &[""]),
    ("barrier.cluster.wait", &["", ".acquire"], NO_SPACE, &["", ".aligned"], &[""]),
];

/// Every name with qualifiers that there is, and its operands.
fn heads() -> Vec<(String, Operands)> {
    let mut heads = Vec::new();
    for (name, orders, spaces, ends, operands) in SYNTAX {
        for order in *orders {
            for space in *spaces {
                for end in *ends {
                    heads.push((format!("{name}{order}{space}{end}"), *operands));
                    if !order.is_empty() && !space.is_empty() {
                        heads.push((format!("{name}{space}{order}{end}"), *operands));
                    }
                }
            }
        }
    }
    heads
}

/// Version and target that an instruction needs by the notes of its chapter.
fn needs(head: &str, operands: &str) -> (&'static str, u32) {
    let is = |name: &str| head == name || head.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
    let has = |part: &str| head.contains(part);
    let arrives = is("mbarrier.arrive") || is("mbarrier.arrive_drop");
    let moves_bytes = is("mbarrier.expect_tx") || is("mbarrier.complete_tx");
    let cluster = is("barrier.cluster");
    let notes = [
        (is("mbarrier.arrive") && operands.starts_with('_'), "7.1", 80),
        (has(".parity"), "7.1", 80),
        (is("mbarrier.try_wait"), "7.8", 90),
        (has("::cta"), "7.8", 80),
        (arrives && operands.matches(',').count() == 2 && !has(".noComplete") && !has(".expect_tx"), "7.8", 90),
        (cluster, "7.8", 90),
        (has("_tx"), "8.0", 90),
        (has("::cluster"), "8.0", 90),
        (has(".release") || has(".acquire") || has(".relaxed"), "8.0", 80),
        (has("e.cluster") || has("d.cluster"), "8.0", 90),
        (has(".layout"), "9.3", 90),
        (has(".relaxed") && !moves_bytes && !cluster, "8.6", 90),
    ];
    let noted = notes.iter().filter(|note| note.0);
    noted.fold(("7.0", 80), |(version, target), note| {
        (if ptx(note.1) > ptx(version) { note.1 } else { version }, note.2.max(target))
    })
}

#[test]
fn every_form_is_accepted_from_its_first_version_and_target_on() {
    let mut tried = 0;
    for (head, operands) in heads() {
        for operands in operands {
            let text = format!("    {head} {operands};");
            let module = module(&source(&text));
            let told = |target: u32, version: &str| check_module(&module, Target::sm(target), ptx(version));
            let (version, target) = needs(&head, operands);
            assert_eq!(told(target, version), [], "{text}: sm_{target}, PTX {version}");
            assert_eq!(told(120, "9.4"), [], "{text}: later");
            let below = VERSIONS.iter().rposition(|known| ptx(known) < ptx(version)).expect("6.5 is below all");
            let refused = told(target, VERSIONS[below]);
            let why = format!("needs PTX ISA {version} or later");
            assert!(refused.iter().any(|told| told.message.ends_with(&why)), "{text}: {refused:?}");
            let refused = told(if target == 80 { 75 } else { 89 }, version);
            let why = format!("needs sm_{target} or higher");
            assert!(refused.iter().any(|told| told.message.ends_with(&why)), "{text}: {refused:?}");
            assert!(refused.iter().all(|told| told.help.is_some() && !told.label.is_empty()), "{text}");
            tried += 1;
        }
    }
    assert_eq!(tried, 570, "forms, as many as the syntax lines have");
}

#[test]
fn every_line_of_the_table_is_a_syntax_line() {
    let written: HashSet<&str> = SYNTAX.iter().map(|line| line.0).collect();
    let table: Vec<String> = LINES.iter().map(Line::name).collect();
    assert_eq!(table.iter().map(String::as_str).collect::<HashSet<_>>(), written);
    let printed: usize = LINES.iter().map(|line| line.syntaxes().len()).sum();
    assert_eq!(printed, SYNTAX.len());
}

/// Instructions as they are written in the manual's listings.
const LISTINGS: &[&str] = &[
    "mbarrier.init.b64 [%rd1], %r1;",
    "mbarrier.init.shared::cta.b64 [bar], 12;",
    "@%p1 mbarrier.init.b64 [%rd1], %r1;",
    "@%p1 mbarrier.inval.b64 [%rd1];",
    "mbarrier.init.shared.b64 [bar], 12;",
    "@%p1 mbarrier.init.shared.b64 [bar], 24;",
    "@%p1 mbarrier.inval.shared.b64 [bar];",
    "@%p1 mbarrier.inval.shared::cta.b64 [bar];",
    "mbarrier.expect_tx.b64 [%rd1], 32;",
    "mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 512;",
    "mbarrier.complete_tx.b64 [%rd1], 32;",
    "mbarrier.complete_tx.shared.b64 [bar], 512;",
    "mbarrier.complete_tx.relaxed.cta.b64 [%rd1], 32;",
    "mbarrier.arrive.shared.b64 %rd0, [bar];",
    "mbarrier.arrive.shared::cta.b64 %rd0, [bar];",
    "mbarrier.arrive.release.cta.shared::cluster.b64 _, [%r1];",
    "mbarrier.arrive.release.cluster.b64 _, [%rd1], %r1;",
    "mbarrier.arrive.expect_tx.release.cluster.b64 _, [%rd1], %r1;",
    "mbarrier.arrive.noComplete.b64 %rd1, [%rd2], 2;",
    "mbarrier.arrive.relaxed.cta.b64 %rd1, [%rd2], 4;",
    "mbarrier.arrive.b64 %rd1, [%rd2], %r1;",
    "@%p1 mbarrier.arrive_drop.shared.b64 _, [bar];",
    "@%p1 mbarrier.arrive_drop.noComplete.shared.b64 _, [bar], %r1;",
    "@!%p1 mbarrier.arrive.shared.b64 %rd1, [bar];",
    "@!%p1 mbarrier.test_wait.shared.b64 %p2, [bar], %rd1;",
    "mbarrier.arrive_drop.shared::cluster.b64 _, [%rd1];",
    "mbarrier.arrive_drop.shared::cta.release.cluster.b64 _, [%rd1], %r1;",
    "mbarrier.arrive_drop.expect_tx.shared::cta.relaxed.cluster.b64 state, [%rd1], %r1;",
    "cp.async.mbarrier.arrive.shared.b64 [bar];",
    "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];",
    "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [bar];",
    "mbarrier.test_wait.shared.b64 %p1, [bar], %rd1;",
    "mbarrier.try_wait.relaxed.cluster.shared.b64 %p1, [bar], %rd1;",
    "mbarrier.test_wait.parity.shared.b64 %p1, [bar], %r1;",
    "mbarrier.test_wait.shared::cta.b64 %p1, [bar], state;",
    "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [bar], 0;",
    "barrier.cluster.arrive;",
    "barrier.cluster.wait;",
    "mbarrier.arrive.noComplete.b64 state, [bar], 1;",
    "mbarrier.pending_count.b64 %r1, state;",
    "barrier.cluster.arrive.aligned;",
    "barrier.cluster.wait.aligned;",
    "barrier.cluster.arrive.relaxed.aligned;",
];

/// The same of PTX ISA 9.3.
const LISTINGS_9_3: &[&str] = &[
    "mbarrier.init.layout::v1.shared::cta.b64 [bar], 4;",
    "mbarrier.init.layout::v0.shared.b64 [bar], %r1;",
    "mbarrier.pending_count.layout::v0.b64 %r1, state;",
    "mbarrier.check_layout.layout::v1.shared::cta.b64 %p1, [bar];",
    "mbarrier.init.layout::v1.b64 [%rd1], 511;",
    "mbarrier.init.layout::v0.b64 [%rd1], 1048575;",
];

/// Orders of qualifiers, operands and types that people and compilers write.
const IN_USE: &[&str] = &[
    "mbarrier.complete_tx.shared::cluster.relaxed.cluster.b64 [%r1], %r2;",
    "mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], %r2, 0x989680;",
    "mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 1, -1;",
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 1048575;",
    "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%rd1+8], 0;",
    "mbarrier.init.shared.b64 [bars+24], 1048575;",
    "mbarrier.init.shared.b64 [bytes+16], 1;",
    "mbarrier.init.shared.b64 [dynamic+4096], 1;",
    "mbarrier.init.shared.b64 [pair], 1;",
    "mbarrier.init.shared.b64 [64], 1;",
    "mbarrier.init.shared.b64 [u32], u32;",
    "mbarrier.init.b64 [s64], s32;",
    "mbarrier.init.b64 [bar], %v.y;",
    "mbarrier.arrive.b64 u64, [%w.w];",
    "mbarrier.test_wait.b64 %p1, [bar], s64;",
    "mbarrier.pending_count.b64 u32, u64;",
    "mbarrier.arrive.release.cluster.b64 state, [%rd1];",
];

#[test]
fn listings_and_what_is_in_use_are_accepted() {
    for line in LISTINGS.iter().chain(IN_USE) {
        assert_eq!(complaints(line, 90, ptx("8.6")), [], "{line}");
    }
    for line in LISTINGS.iter().chain(LISTINGS_9_3) {
        assert_eq!(complaints(line, 90, ptx("9.3")), [], "{line}");
    }
    let all: String = LISTINGS.iter().map(|line| format!("{line}\n")).collect();
    let checked = check(&module(&source(&all)), Target::sm(90), ptx("8.6"));
    assert_eq!((checked.instructions, checked.refused), (LISTINGS.len(), 0));
}

#[test]
fn names_that_are_not_declared_are_left_to_whoever_executes_them() {
    let line = "@nobody mbarrier.test_wait.b64 unknown, [nowhere+4], %r9; mbarrier.init.b64 [bar], %ntid.x;";
    assert_eq!(complaints(line, 90, ptx("8.6")), []);
}

#[test]
fn other_instructions_are_not_looked_at() {
    let others = "barrier.sync 0; bar.sync 0; cp.async.ca.shared.global [bytes], [global], 4; cp.async.wait_all;
        fence.mbarrier_init.release.cluster; nonsense.arrive.b64 1; barrier.cta.sync 1;";
    let checked = check(&module(&source(others)), Target::sm(75), ptx("6.5"));
    assert_eq!(checked, Checked::default());
}

/// Qualifiers that are tried in every order: those of the family, and a few of others.
const QUALIFIERS: [&str; 19] = [
    "layout::v0",
    "layout::v1",
    "expect_tx",
    "noComplete",
    "parity",
    "noinc",
    "relaxed",
    "acquire",
    "release",
    "cta",
    "cluster",
    "shared",
    "shared::cta",
    "shared::cluster",
    "b64",
    "aligned",
    "gpu",
    "u64",
    "global",
];

/// The first instruction of a text.
fn instruction(text: &str) -> Instruction {
    let statements = module(&source(text)).functions.into_iter().flat_map(|function| function.body).flatten();
    let mut instructions = statements.filter_map(|statement| match statement {
        Statement::Instruction(instruction) => Some(instruction),
        _ => None,
    });
    instructions.next().expect("there is one")
}

/// Goes on to the next list of numbers below a limit: shorter ones first.
fn next(picks: &mut Vec<usize>, limit: usize) {
    for pick in picks.iter_mut().rev() {
        *pick += 1;
        if *pick < limit {
            return;
        }
        *pick = 0;
    }
    picks.push(0);
}

#[test]
fn up_to_four_qualifiers_in_any_order_are_a_form_exactly_if_the_manual_has_it() {
    const MOST: usize = 4;
    let known: HashSet<String> = heads().into_iter().map(|(head, _)| head).collect();
    let mut found = 0;
    for name in Verb::ALL.map(Verb::name) {
        let mut instruction = instruction(&format!("{name};"));
        let (begin, span) = (instruction.modifiers.len(), instruction.opcode.span);
        let mut picks = Vec::new();
        while picks.len() <= MOST {
            instruction.modifiers.truncate(begin);
            let modifiers = picks.iter().map(|pick: &usize| QUALIFIERS[*pick].to_owned());
            instruction.modifiers.extend(modifiers.map(|value| Spanned { value, span }));
            let head = picks.iter().fold(name.to_owned(), |head, pick| head + "." + QUALIFIERS[*pick]);
            let read = read_qualifiers(&instruction).expect("it is of the family");
            assert_eq!(read.is_ok(), known.contains(&head), "{head}: {read:?}");
            found += usize::from(read.is_ok());
            if let Err(complaint) = read {
                assert!(complaint.help.is_some(), "{head}: no advice");
            }
            next(&mut picks, QUALIFIERS.len());
        }
    }
    let qualifiers = |head: &str| {
        let names = Verb::ALL.map(Verb::name).into_iter().filter(|name| head.starts_with(name));
        head[names.map(str::len).max().unwrap_or(0)..].matches('.').count()
    };
    let short = known.iter().filter(|head| qualifiers(head) <= MOST).count();
    assert!(short > 100);
    assert_eq!(found, short, "every short form was among them");
}

#[test]
fn a_qualifier_more_or_less_or_elsewhere_is_a_form_exactly_if_the_manual_has_it() {
    let known: HashSet<String> = heads().into_iter().map(|(head, _)| head).collect();
    let mut refused = 0;
    let mut read = |instruction: &Instruction| {
        let head =
            instruction.modifiers.iter().fold(instruction.opcode.value.clone(), |head, next| head + "." + &next.value);
        match read_qualifiers(instruction) {
            Some(read) => {
                assert_eq!(read.is_ok(), known.contains(&head), "{head}: {read:?}");
                refused += usize::from(read.is_err());
            }
            None => assert!(!known.contains(&head), "{head} is of the family"),
        }
    };
    for head in &known {
        let whole = instruction(&format!("{head};"));
        read(&whole);
        for place in 0..whole.modifiers.len() {
            let mut less = whole.clone();
            let moved = less.modifiers.remove(place);
            read(&less);
            for elsewhere in 0..=less.modifiers.len() {
                let mut other = less.clone();
                other.modifiers.insert(elsewhere, moved.clone());
                read(&other);
            }
        }
        for place in 0..=whole.modifiers.len() {
            for qualifier in QUALIFIERS {
                let mut more = whole.clone();
                more.modifiers.insert(place, Spanned { value: qualifier.to_owned(), span: whole.span });
                read(&more);
            }
        }
    }
    assert!(refused > 10_000, "{refused} were refused");
}
