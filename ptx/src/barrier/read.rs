//! Matches an instruction against the table of forms, and reports the error if no line fits.
//!
//! Of the lines with the instruction's name that one is meant which it misses in the fewest qualifiers, then operands; of
//! several that of which most is there. What is said is the first place where it misses it.

use super::Form;
use super::syntax::{ENTRIES, Group};
use super::table::{Arg, Entry, Slot};
use crate::ast::{Instruction, Operand, Spanned};
use crate::program::nearest;
use crate::source::{Complaint, Span};

/// Opcodes of which all instructions are of the table: one that begins so and is not there does not exist.
const ROOTS: [&str; 9] =
    ["mbarrier", "bar", "barrier", "fence", "membar", "elect", "setmaxnreg", "griddepcontrol", "cp"];

/// Reads an instruction; nothing if it is none of the table.
pub fn read(instruction: &Instruction) -> Option<Result<Form, Complaint>> {
    let longest = ENTRIES.iter().filter_map(|entry| begins(instruction, entry.line.name)).max();
    let Some(taken) = longest else { return unknown(instruction).map(Err) };
    let named = ENTRIES.iter().filter(|entry| begins(instruction, entry.line.name) == Some(taken));
    let attempts: Vec<Attempt> = named.map(|entry| Attempt::new(entry, instruction, taken)).collect();
    let best = attempts.into_iter().min_by_key(Attempt::cost)?; // the first of several
    if let Some(next) = instruction.modifiers.get(taken) {
        let longer = format!("{}.{}.", best.entry.line.name, next.value);
        let is_begun = ENTRIES.iter().any(|entry| entry.line.name.starts_with(&longer));
        if is_begun && matches!(best.misses.first(), Some(Miss::Surplus(0))) {
            return unknown(instruction).map(Err);
        }
    }
    Some(best.verdict(instruction))
}

/// How many modifiers a name takes up if the instruction begins with it.
fn begins(instruction: &Instruction, name: &str) -> Option<usize> {
    let mut parts = name.split('.');
    if parts.next() != Some(instruction.opcode.value.as_str()) {
        return None;
    }
    let mut modifiers = instruction.modifiers.iter();
    parts.try_fold(0, |taken, part| (modifiers.next()?.value == part).then_some(taken + 1))
}

/// An instruction with an opcode of the table and no name of it.
fn unknown(instruction: &Instruction) -> Option<Complaint> {
    let opcode = &instruction.opcode;
    ROOTS.contains(&opcode.value.as_str()).then_some(())?;
    let mut known: Vec<&str> = ENTRIES.iter().map(|entry| entry.line.name).collect();
    known.retain(|name| name.split('.').next() == Some(opcode.value.as_str()));
    known.dedup();
    // as many parts of the name as some instruction has
    let parts = (1..=instruction.modifiers.len()).rev().find(|count| {
        let parts = instruction.modifiers.iter().take(count - 1).map(|part| part.value.as_str());
        let stem = std::iter::once(opcode.value.as_str()).chain(parts).collect::<Vec<_>>().join(".");
        known.iter().any(|name| name.strip_prefix(stem.as_str()).is_some_and(|rest| rest.starts_with('.')))
    });
    let help = |complaint: Complaint, said: &str| {
        let near = nearest(said, known.iter().map(|name| (*name).to_owned()));
        complaint.help(match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are {}", list(known.iter().map(|name| format!("`{name}`")), "and")),
        })
    };
    Some(match parts.and_then(|count| Some((count, instruction.modifiers.get(count - 1)?))) {
        Some((count, wrong)) => {
            let said = instruction.modifiers.iter().take(count).map(|part| part.value.as_str());
            let said = std::iter::once(opcode.value.as_str()).chain(said).collect::<Vec<_>>().join(".");
            help(Complaint::new(wrong.span, format!("there is no `{said}`"), "not an operation"), &said)
        }
        None => {
            let message = format!("`{}` alone is no instruction", opcode.value);
            help(Complaint::new(opcode.span, message, "what of it?"), &opcode.value)
        }
    })
}

/// Words joined: "a, b or c".
fn list(words: impl Iterator<Item = String>, last: &str) -> String {
    let words: Vec<String> = words.collect();
    match words.split_last() {
        Some((only, [])) => only.clone(),
        Some((end, others)) => format!("{} {last} {end}", others.join(", ")),
        None => "nothing".to_owned(),
    }
}

/// What can be written for a group: "`.release.cta` or `.release.cluster`".
fn choices(group: &Group) -> String {
    let all = group.sets.iter().fold(vec![String::new()], |begun, set| {
        begun.iter().flat_map(|begun| set.iter().map(move |word| format!("{begun}.{}", word.text))).collect()
    });
    list(all.into_iter().map(|words| format!("`{words}`")), "or")
}

/// What kind of thing a qualifier says.
fn kind(word: &str) -> &'static str {
    match word {
        "sc" | "acq_rel" | "acquire" | "release" | "relaxed" | "weak" | "volatile" => "memory ordering",
        "cta" | "cluster" | "gpu" | "sys" | "gl" => "scope",
        "shared" | "shared::cta" | "shared::cluster" | "global" | "local" | "const" | "param" => "state space",
        "pred" => "type",
        "1d" | "2d" | "3d" | "4d" | "5d" => "number of dimensions",
        "add" | "min" | "max" | "inc" | "dec" | "and" | "or" | "xor" | "popc" => "operation",
        "bulk_group" | "mbarrier::complete_tx::bytes" => "way to complete",
        "layout::v0" | "layout::v1" => "layout",
        _ if crate::ast::Type::named(word).is_some() => "type",
        _ if word.starts_with("tile") || word.starts_with("im2col") => "mode",
        _ => "qualifier",
    }
}

/// A place where an instruction differs from a line.
enum Miss {
    /// The qualifier at this place is not one of the line.
    Surplus(usize),
    /// The qualifier at this place excludes another.
    Twice(usize),
    /// State spaces are the wrong way round; the qualifier at this place is the first of them.
    Swapped(usize),
    /// A group is missing, or (a place) what goes with the qualifier at this place.
    Missing(usize, Option<usize>),
    /// Other numbers of operands exist.
    Count,
    /// An operand is not of the kind that its place wants.
    Kind(usize, Slot),
}

/// An instruction beside a line.
struct Attempt<'i> {
    entry: &'static Entry,
    /// Modifiers behind the name.
    said: &'i [Spanned<String>],
    /// In which group and set each is.
    places: Vec<Option<(usize, usize)>>,
    slots: Vec<Slot>,
    misses: Vec<Miss>,
}

impl<'i> Attempt<'i> {
    fn new(entry: &'static Entry, instruction: &'i Instruction, taken: usize) -> Self {
        let said = instruction.modifiers.get(taken..).unwrap_or(&[]);
        let mut attempt = Attempt { entry, said, places: Vec::new(), slots: Vec::new(), misses: Vec::new() };
        attempt.qualifiers();
        attempt.operands(instruction);
        attempt
    }

    fn qualifiers(&mut self) {
        let said = self.said;
        for (number, modifier) in said.iter().enumerate() {
            let groups = self.entry.groups.iter().enumerate();
            let found = groups.flat_map(|(place, group)| group.sets.iter().enumerate().map(move |set| (place, set)));
            let mut found = found.filter(|(_, (_, set))| set.iter().any(|word| word.text == modifier.value));
            let Some((place, (set, _))) = found.next() else {
                self.misses.push(Miss::Surplus(number));
                self.places.push(None);
                continue;
            };
            if self.places.contains(&Some((place, set))) {
                self.misses.push(Miss::Twice(number));
            }
            self.places.push(Some((place, set)));
        }
        let spaces: Vec<(usize, usize)> = said
            .iter()
            .enumerate()
            .filter(|(_, modifier)| kind(&modifier.value) == "state space")
            .filter_map(|(number, _)| Some((self.places.get(number).copied().flatten()?.0, number)))
            .collect();
        if let Some(pair) = spaces.windows(2).find(|pair| matches!(pair, [first, second] if first.0 > second.0)) {
            self.misses.extend(pair.first().map(|first| Miss::Swapped(first.1)));
        }
        for (place, group) in self.entry.groups.iter().enumerate() {
            let there = |set: usize| self.places.iter().position(|found| *found == Some((place, set)));
            let present: Vec<Option<usize>> = (0..group.sets.len()).map(there).collect();
            let partner = present.iter().flatten().next().copied();
            let absent = group.sets.iter().zip(&present).find(|(_, there)| there.is_none()).map(|(set, _)| set);
            let Some(absent) = absent.filter(|_| partner.is_some() || !group.optional) else { continue };
            // another of its kind stands in its place
            let what = absent.first().map_or("qualifier", |word| kind(word.text));
            let replaced = self.misses.iter().any(|miss| {
                matches!(miss, Miss::Surplus(number) if what != "qualifier"
                    && said.get(*number).is_some_and(|said| kind(&said.value) == what))
            });
            if !replaced {
                self.misses.push(Miss::Missing(place, partner));
            }
        }
    }

    /// How far the instruction is from the line: qualifiers, operands, and how little of the line is there.
    fn cost(&self) -> (usize, usize, std::cmp::Reverse<usize>) {
        let operands = self.misses.iter().filter(|miss| matches!(miss, Miss::Count | Miss::Kind(..))).count();
        let places = self.places.iter().flatten();
        let there =
            places.filter(|(place, _)| self.entry.groups.get(*place).is_some_and(|group| !group.optional)).count();
        (self.misses.len() - operands, operands, std::cmp::Reverse(there))
    }

    fn has(&self, word: &str) -> bool {
        self.said.iter().any(|said| said.value == word)
    }

    fn operands(&mut self, instruction: &Instruction) {
        let there = instruction.operands.len();
        let optional = |arg: &Arg| matches!(arg, Arg::May(_) | Arg::Later(..));
        let absent = |arg: &Arg| matches!(arg, Arg::If(word, _) if !self.has(word));
        let args: Vec<Arg> = self.entry.line.operands.iter().copied().filter(|arg| !absent(arg)).collect();
        let mut spare = there.saturating_sub(args.iter().filter(|arg| !optional(arg)).count());
        let takes = |arg: &Arg| {
            let takes = !optional(arg) || spare > 0;
            spare -= usize::from(optional(arg) && takes);
            takes
        };
        self.slots = args.into_iter().filter(takes).map(Arg::slot).collect();
        if self.slots.len() != there {
            self.misses.push(Miss::Count);
            return;
        }
        for (number, (slot, operand)) in self.slots.iter().zip(&instruction.operands).enumerate() {
            if !slot.takes(&operand.value) {
                self.misses.push(Miss::Kind(number, *slot));
            }
        }
    }

    fn verdict(self, instruction: &Instruction) -> Result<Form, Complaint> {
        match self.misses.first() {
            None => {
                let words = self.said.iter().zip(&self.places).filter_map(|(said, place)| {
                    let (group, set) = (*place)?;
                    let set = self.entry.groups.get(group)?.sets.get(set)?;
                    Some(set.iter().find(|word| word.text == said.value)?.text)
                });
                Ok(Form { entry: self.entry, words: words.collect(), slots: self.slots })
            }
            Some(miss) => Err(self.complain(miss, instruction)),
        }
    }

    fn complain(&self, miss: &Miss, instruction: &Instruction) -> Complaint {
        let name = self.entry.line.name;
        let form = || format!("the form is `{}`", self.entry.syntax());
        let said = |number: usize| self.said.get(number).unwrap_or(&instruction.opcode);
        match miss {
            Miss::Surplus(number) => self.surplus(said(*number)),
            Miss::Twice(number) => {
                let twice = said(*number);
                let place = self.places.get(*number).copied().flatten();
                let first = self.places.iter().position(|found| *found == place).map_or(twice, said);
                let message = match first.value == twice.value {
                    true => format!("`{name}` says `.{}` twice", twice.value),
                    false => format!("`.{}` and `.{}` of `{name}` exclude each other", first.value, twice.value),
                };
                Complaint::new(twice.span, message, "the second").help("leave one of them out")
            }
            Miss::Swapped(number) => {
                let message = format!("the state spaces of `{name}` are the wrong way round");
                Complaint::new(said(*number).span, message, "the destination's stands first").help(form())
            }
            Miss::Missing(place, partner) => self.missing(*place, *partner, instruction),
            Miss::Count => self.count(instruction).help(form()),
            Miss::Kind(number, slot) => match instruction.operands.get(*number) {
                Some(operand) => wrong_kind(name, *slot, &operand.value, operand.span),
                None => self.count(instruction).help(form()),
            },
        }
    }

    /// A qualifier that the line does not have.
    fn surplus(&self, said: &Spanned<String>) -> Complaint {
        let name = self.entry.line.name;
        let word = said.value.as_str();
        let message = format!("`{name}` has no `.{word}`");
        let longer = format!("{name}.{word}");
        if ENTRIES.iter().any(|entry| entry.line.name == longer) {
            let message = format!("`.{word}` of `{name}` stands too late");
            return Complaint::new(said.span, message, "here")
                .help(format!("write it directly behind the name: `{longer}`"));
        }
        let siblings = || ENTRIES.iter().filter(|entry| entry.line.name == name);
        let words = || siblings().flat_map(|entry| entry.groups.iter().flat_map(Group::words));
        if words().any(|known| known.text == word) {
            let message = format!("`.{word}` of `{name}` does not go with its other qualifiers or operands");
            return Complaint::new(said.span, message, "not in this form")
                .help(format!("the form is `{}`", self.entry.syntax()));
        }
        let what = kind(word);
        let group = self.entry.groups.iter().find(|group| group.words().any(|known| kind(known.text) == what));
        let elsewhere = ENTRIES.iter().flat_map(|entry| entry.groups.iter().flat_map(Group::words));
        let near = nearest(word, words().map(|word| word.text.to_owned())).filter(|near| near != word);
        let (label, help) = match (group, near) {
            (Some(group), _) if what != "qualifier" => {
                let nothing = if group.optional { ", or nothing" } else { "" };
                (format!("no {what} of this instruction"), format!("write {}{nothing}", choices(group)))
            }
            (_, Some(near)) => ("not known here".to_owned(), format!("did you mean `.{near}`?")),
            (None, None) if what != "qualifier" => {
                (format!("no {what} here"), format!("leave it out: `{name}` has no {what}"))
            }
            _ if elsewhere.into_iter().any(|known| known.text == word) => {
                ("not of this instruction".to_owned(), format!("leave it out; the form is `{}`", self.entry.syntax()))
            }
            _ => ("not known here".to_owned(), format!("the form is `{}`", self.entry.syntax())),
        };
        Complaint::new(said.span, message, label).help(help)
    }

    /// A group of which nothing, or not all, is there.
    fn missing(&self, place: usize, partner: Option<usize>, instruction: &Instruction) -> Complaint {
        let name = self.entry.line.name;
        let Some(group) = self.entry.groups.get(place) else { return self.count(instruction) };
        let absent = (0..group.sets.len()).find(|set| !self.places.contains(&Some((place, *set)))).unwrap_or(0);
        let words = group.sets.get(absent).map(Vec::as_slice).unwrap_or(&[]);
        let what = words.first().map_or("qualifier", |word| kind(word.text));
        if let Some(said) = partner.and_then(|partner| self.said.get(partner)) {
            let message = format!("`.{}` of `{name}` lacks its {what}", said.value);
            let nothing = if group.optional { ", or nothing" } else { "" };
            return Complaint::new(said.span, message, "they are said together")
                .help(format!("write {}{nothing}", choices(group)));
        }
        let (message, label) = match words {
            [word] => (format!("`{name}` lacks its `.{}`", word.text), format!("`.{}` is missing", word.text)),
            _ => (format!("`{name}` lacks its {what}"), "one is missing".to_owned()),
        };
        Complaint::new(super::name_span(instruction), message, label).help(format!(
            "write {}; the form is `{}`",
            choices(group),
            self.entry.syntax()
        ))
    }

    /// Error: wrong number of operands.
    fn count(&self, instruction: &Instruction) -> Complaint {
        let name = self.entry.line.name;
        let there = instruction.operands.len();
        let optional = |arg: &&Arg| matches!(arg, Arg::May(_) | Arg::Later(..));
        let absent = |arg: &&Arg| matches!(arg, Arg::If(word, _) if !self.has(word));
        let args: Vec<&Arg> = self.entry.line.operands.iter().filter(|arg| !absent(arg)).collect();
        let most = args.len();
        let least = most - args.iter().copied().filter(optional).count();
        let number = match (least, most) {
            (_, 0) => "no operands".to_owned(),
            (1, 1) => "1 operand".to_owned(),
            (least, most) if least == most => format!("{least} operands"),
            (least, most) => {
                format!("{least} to {most} operands").replace(" to ", if most - least == 1 { " or " } else { " to " })
            }
        };
        let (span, label) = match instruction.operands.get(most) {
            Some(surplus) => (surplus.span, "one too many".to_owned()),
            None => {
                let next = args.iter().filter(|arg| !optional(arg)).nth(there).map_or("", |arg| arg.slot().name());
                (instruction.span, format!("`{next}` is missing"))
            }
        };
        let verb = if there == 1 { "is" } else { "are" };
        Complaint::new(span, format!("`{name}` takes {number}, here {verb} {there}"), label)
    }
}

/// An operand is not what its place wants.
fn wrong_kind(name: &str, slot: Slot, operand: &Operand, span: Span) -> Complaint {
    let message = match (slot, operand) {
        (Slot::NoState, _) => format!("`{name}` with `.shared::cluster` returns no state"),
        (_, Operand::Sink) => format!("`{}` of `{name}` cannot be `_`", slot.name()),
        _ if slot.is_address() => format!("the address of `{name}` is written in brackets"),
        _ => format!("`{}` of `{name}` is {}", slot.name(), slot.wants()),
    };
    let label = match operand {
        _ if slot == Slot::NoState => "this must be `_`",
        Operand::Name(_) | Operand::Sum(..) if slot.is_address() => "no brackets",
        Operand::Name(_) => "a name",
        Operand::Sum(..) => "a sum",
        Operand::Number(_) => "a number",
        Operand::Address { .. } => "an address",
        Operand::Compound(_) => "an address of several parts",
        Operand::Vector(_) => "a vector",
        Operand::Pair(_) => "two registers",
        Operand::Not(_) => "negated",
        Operand::List(_) => "a list",
        Operand::Sink => "nothing",
    };
    let help = match slot {
        Slot::NoState => "write `_` for the state, or say `.shared::cta` if the barrier is the own CTA's".to_owned(),
        slot => format!("here stands {}", slot.wants()),
    };
    Complaint::new(span, message, label).help(help)
}
