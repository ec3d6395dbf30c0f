//! Result of a launch as text: faults and mistakes at their place, and the table of who waits for what.

mod bars;
mod frames;
mod listing;

use crate::machine::bars::BarStanding;
use crate::machine::diagnose::{Diagnosis, Part};
use crate::machine::findings::{Bug, Finding};
use crate::machine::hang::{Group, Hang, NotBegun, Place, Polled, Standing, Waits, Why};
use crate::machine::state::{Spot, ThreadId};
use crate::machine::writers::Writer;
use crate::machine::{End, Fault};
use crate::memory::LastWrite;
use crate::outcome::Outcome;
use crate::position::Position;
use crate::position::texts::Texts;
use crate::program::Program;
use crate::source::{PtxError, Source};
use frames::Told;
use std::collections::BTreeMap;
use txbar_rtl::word::Contents;
use txbar_testbench::record::{RemarkJson, WaitJson};

/// Knows what things are called in a kernel.
pub struct Reporter<'a> {
    /// The text.
    pub source: &'a Source,
    /// The kernel.
    pub program: &'a Program,
    /// CTAs of a cluster.
    pub ctas: usize,
    /// The source files that are at hand.
    pub texts: &'a Texts,
}

/// Numbers as ranges: `0-31, 40`.
fn ranges(numbers: &[u16]) -> String {
    let mut ranges: Vec<(u16, u16)> = Vec::new();
    for &number in numbers {
        match ranges.last_mut().filter(|(_, last)| *last + 1 == number) {
            Some((_, last)) => *last = number,
            None => ranges.push((number, number)),
        }
    }
    let shown =
        ranges.iter().map(|(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") });
    shown.collect::<Vec<_>>().join(", ")
}

fn plural(count: impl Into<i64>, of: &str) -> String {
    let count = count.into();
    if count == 1 { format!("1 {of}") } else { format!("{count} {of}s") }
}

/// Columns that text is broken to.
const COLUMNS: usize = 100;
/// Places in memory that are shown of threads in a loop.
const POLLS: usize = 4;
/// Groups of threads that are shown beside those of a diagnosis.
const SHOWN_WITH: usize = 3;
/// Indentation of advice.
const ADVICE: &str = "           ";

/// Text, broken at spaces: what stands before the first line, and before the others.
fn wrapped(text: &str, first: &str, others: &str) -> String {
    let mut wrapped = String::new();
    let mut line = first.to_string();
    let mut begun = false;
    for word in text.split(' ') {
        if begun && line.chars().count() + 1 + word.chars().count() > COLUMNS {
            wrapped += &line;
            wrapped.push('\n');
            line = others.to_string();
            begun = false;
        }
        if begun {
            line.push(' ');
        }
        line += word;
        begun = true;
    }
    wrapped + &line + "\n"
}

impl Reporter<'_> {
    /// Where an instruction is from.
    fn at(&self, pc: usize) -> Position<'_> {
        self.program.position(self.source, pc)
    }

    fn thread(&self, ThreadId { cta, thread }: ThreadId) -> String {
        if self.ctas > 1 { format!("thread {thread} of CTA {cta}") } else { format!("thread {thread}") }
    }

    /// Symbol and address of a word: `full+0x8` at shared 0x18.
    pub fn symbol(&self, spot: Spot) -> String {
        self.program.shared_symbol(spot.offset)
    }

    fn place(&self, spot: Spot) -> String {
        let of = if self.ctas > 1 { format!(" of CTA {}", spot.cta) } else { String::new() };
        format!("`{}` (shared {:#x}{of})", self.symbol(spot), spot.offset)
    }

    /// A word, in hex and in words.
    fn word(word: u64) -> String {
        let Contents { phase, pending, fault, tx, expected } = Contents::from(word);
        let faulted = if fault { ", faulted" } else { "" };
        let arrivals = plural(expected, "arrival");
        format!("{word:016x}: parity {}, {pending} of {arrivals} pending, tx-count {tx}{faulted}", phase as u8)
    }

    /// A fault, at its place in the text.
    pub fn fault(&self, fault: &Fault) -> PtxError {
        let Fault { what, pc, thread, status, spot, bug, beside } = fault;
        let mut label = self.thread(*thread);
        if let Some(status) = status {
            label += &format!(": {}", status.name());
        }
        let mut help = Vec::new();
        if let Some((spot, word)) = spot {
            help.push(format!("{} before: {}", self.place(*spot), Self::word(*word)));
        }
        help.extend(beside.as_ref().map(|(pc, what)| format!("{}: {what}", self.at(*pc))));
        help.extend(bug.map(|bug| bug.advice().to_string()));
        let message = match bug {
            Some(bug) => format!("{}: {}: {what}", bug.name(), self.at(*pc)),
            None => format!("fault: {}: {what}", self.at(*pc)),
        };
        self.show(Told { pc: *pc, message, label, help, others: Vec::new() })
    }

    /// A mistake, at its place in the text.
    pub fn finding(&self, finding: &Finding) -> PtxError {
        let Finding { bug, pc, thread, spot, status, detail, word, times, shows, accesses, suspected } = finding;
        let mut label = self.thread(*thread);
        if *times > 1 && shows.is_none() {
            label += &format!(" was the first of {times}");
        }
        if let Some(status) = status {
            label += &format!(": {}", status.name());
        }
        let weight = if *suspected { "suspicious: " } else { "" };
        let message = format!("{weight}{}: {}: {}", bug.name(), self.at(*pc), bug.meaning());
        let shows = shows.filter(|shows| shows != pc);
        if let Some([here, there]) = accesses {
            let help = vec![detail.clone(), bug.advice().to_string()];
            let others = shows.map(|shows| (shows, there.clone())).into_iter().collect();
            return self.show(Told { pc: *pc, message, label: here.clone(), help, others });
        }
        let mut help = vec![format!("{}: {detail}", self.place(*spot))];
        help.extend(word.map(|word| format!("its word: {}", Self::word(word))));
        help.push(bug.advice().to_string());
        let there = if *bug == Bug::MissingInit { "here it has been invalidated" } else { "here it shows" };
        let others = shows.map(|shows| (shows, there.to_owned())).into_iter().collect();
        self.show(Told { pc: *pc, message, label, help, others })
    }

    /// The mistakes that a hang looks like, at their places in the text, with the threads that wait there and elsewhere. Those of which
    /// a finding has told already are left out; where nothing is diagnosed it is only shown who waits where.
    pub fn diagnoses(&self, hang: &Hang) -> Vec<PtxError> {
        let waits = |group: &Group| {
            let who = self.threads(group.cta, &group.threads);
            (group.pc, format!("{who}: {}", self.does(group)))
        };
        let waits: Vec<(usize, String)> = hang.groups.iter().map(waits).collect();
        let around = |pc: usize, message: String| {
            let (here, others): (Vec<_>, Vec<_>) = waits.iter().cloned().partition(|(other, _)| *other == pc);
            let label = here.into_iter().map(|(_, label)| label).reduce(|one, other| one + "; " + &other);
            let (label, help) = (label.unwrap_or_else(|| "here".to_owned()), Vec::new());
            self.show(Told { pc, message, label, help, others: others.into_iter().take(SHOWN_WITH).collect() })
        };
        let told = hang.bugs.iter().filter(|diagnosis| !diagnosis.above);
        let errors = told.map(|Diagnosis { bug, pc, .. }| {
            around(*pc, format!("{}: {}: {}", bug.name(), self.at(*pc), bug.meaning()))
        });
        match (hang.bugs.is_empty(), waits.first()) {
            (true, Some((pc, _))) if hang.why == Why::Standstill => {
                vec![around(*pc, format!("hang: {}: nothing moves any more", self.at(*pc)))]
            }
            _ => errors.collect(),
        }
    }

    /// Arriving threads, by CTA.
    fn arrivers(&self, who: impl Iterator<Item = ThreadId>) -> Vec<String> {
        let mut threads: BTreeMap<u8, Vec<u16>> = BTreeMap::new();
        for ThreadId { cta, thread } in who {
            threads.entry(cta).or_default().push(thread);
        }
        let of = |(cta, mut numbers): (u8, Vec<u16>)| {
            numbers.sort_unstable();
            numbers.dedup();
            self.threads(cta, &numbers)
        };
        threads.into_iter().map(of).collect()
    }

    /// `CTA 1 threads 0-31, 40`.
    fn threads(&self, cta: u8, numbers: &[u16]) -> String {
        let cta = if self.ctas > 1 { format!("CTA {cta} ") } else { String::new() };
        format!("{cta}thread{} {}", if numbers.len() == 1 { "" } else { "s" }, ranges(numbers))
    }

    fn arrived(&self, standing: &Standing) -> Vec<String> {
        self.arrivers(standing.arrived.iter().map(|arrival| arrival.who))
    }

    /// What threads do: wait for something, or go round in a loop.
    fn does(&self, group: &Group) -> String {
        let one = group.threads.len() == 1;
        let (wait, be) = if one { ("waits", "is") } else { ("wait", "are") };
        match (group.waits, group.rounds) {
            (Waits::Nothing, None) => format!("{be} at work"),
            (Waits::Nothing, Some(rounds)) => {
                let lines = match [rounds.first, rounds.last].map(|pc| self.at(pc)) {
                    [Position { line: first, frames: [], .. }, Position { line: last, frames: [], .. }] => {
                        format!("lines {first} to {last}")
                    }
                    [first, last] => format!("from {first} to {last}"),
                };
                let times = plural(i64::try_from(rounds.count).unwrap_or(i64::MAX), "time");
                let of_each = if one { "" } else { " by the first of them" };
                format!("{be} at work in a loop, {lines}, gone round {times}{of_each}")
            }
            (Waits::Memory, _) if one => format!("is in a loop that it cannot leave{}", self.polls(group)),
            (Waits::Memory, _) => format!("are in a loop that they cannot leave{}", self.polls(group)),
            _ => format!("{wait} for {}", self.waits_for(group)),
        }
    }

    /// What in memory keeps threads in a loop.
    fn polls(&self, group: &Group) -> String {
        let shown: Vec<String> = group.polls.iter().take(POLLS).map(|polled| self.polled(group, polled)).collect();
        let more = group.polls.len().saturating_sub(POLLS);
        let and_more = if more > 0 { format!("; and {more} more places") } else { String::new() };
        if shown.is_empty() { String::new() } else { format!(": {}{and_more}", shown.join("; ")) }
    }

    /// A value in memory that decides whether a loop is left, and who wrote it.
    fn polled(&self, group: &Group, polled: &Polled) -> String {
        let Polled { place, written, .. } = polled;
        let address = match place {
            Place::Shared(spot) if spot.cta != group.cta => format!("shared {:#x} of CTA {}", spot.offset, spot.cta),
            Place::Shared(spot) => format!("shared {:#x}", spot.offset),
            Place::Global(address) => format!("global {address:#x}"),
        };
        let place = polled.label().map_or(address.clone(), |label| format!("{label} ({address})"));
        let value = polled.shown();
        let written = match written {
            LastWrite::Nobody => ", and nobody has written it".to_string(),
            LastWrite::By(Writer { cluster, who, pc }) => {
                let at = self.at(*pc);
                let who = match self.ctas {
                    _ if *cluster == group.cluster => self.thread(*who),
                    1 => format!("thread {} of CTA {cluster} of the grid", who.thread),
                    _ => format!("{} in cluster {cluster}", self.thread(*who)),
                };
                format!(", written last by {who}, {at}")
            }
            LastWrite::Unknown => String::new(),
        };
        format!("{place} is {value}{written}")
    }

    fn waits_for(&self, group: &Group) -> String {
        match group.waits {
            Waits::Phase { spot, parity, by_parity } => {
                let by = if by_parity { "parity" } else { "a token of parity" };
                format!("the phase with {by} {parity} of {}", self.place(spot))
            }
            Waits::Bar(number) => match group.missing.is_empty() {
                true => format!("barrier {number} of the CTA"),
                false => {
                    let (which, have) = if group.missing.len() == 1 { ("thread", "has") } else { ("threads", "have") };
                    format!("barrier {number} of the CTA, which {which} {} {have} not reached", ranges(&group.missing))
                }
            },
            Waits::Registers => "registers (setmaxnreg.inc)".to_string(),
            Waits::Round => "barrier.cluster".to_string(),
            Waits::Lanes(mask) => format!("lanes of mask {mask:#x}: threads {} are not there", ranges(&group.missing)),
            Waits::Warpgroup(_) if group.missing.is_empty() => "the other warps of its warpgroup".to_string(),
            Waits::Warpgroup(_) => {
                format!("the other warps of its warpgroup: threads {} are not there", ranges(&group.missing))
            }
            Waits::Copies => "its copies".to_string(),
            Waits::Memory => format!("memory{}", self.polls(group)),
            Waits::Nothing => unreachable!("who is at work waits for nothing"),
        }
    }

    /// The tables of all clusters that hang; those that read alike once.
    pub fn hangs(&self, outcome: &Outcome) -> String {
        let mut tables: Vec<(String, Vec<u16>)> = Vec::new();
        for (number, hang) in outcome.hangs() {
            let table = self.table(hang);
            let number = u16::try_from(number).unwrap_or(u16::MAX); // fewer are on the hardware at a time
            match tables.iter_mut().find(|(other, _)| *other == table) {
                Some((_, numbers)) => numbers.push(number),
                None => tables.push((table, vec![number])),
            }
        }
        let mut text = outcome.hangs().next().map_or(String::new(), |(_, hang)| self.verdict(hang));
        for (table, numbers) in tables {
            if outcome.clusters > 1 {
                let what = if self.ctas == 1 { "CTA" } else { "cluster" };
                text += &format!("{what}{} {}:\n", if numbers.len() == 1 { "" } else { "s" }, ranges(&numbers));
            }
            text += &table;
        }
        text
    }

    /// Since when nothing moves, or why a run was ended.
    fn verdict(&self, hang: &Hang) -> String {
        let Hang { since, cycle, last_phase, why, .. } = *hang;
        let mut text = match why {
            Why::Standstill => format!("hang: nothing has moved since cycle {since}\n"),
            Why::Limit => {
                format!("the limit of cycles is reached ({cycle}, see --max-cycles), and threads are still at work: ")
            }
            Why::Stopped => format!("stopped in cycle {cycle}: "),
        };
        if why != Why::Standstill {
            let phase = last_phase.map_or("no phase has completed".to_string(), |cycle| {
                format!("a phase completed last in cycle {cycle}")
            });
            text += &format!("{phase}, something moved last in cycle {since}\n");
        }
        text
    }

    /// The table of who waits for what: those that wait for the same barrier together, with what is known of it below.
    fn table(&self, hang: &Hang) -> String {
        let mut text = String::new();
        let mut shown = vec![false; hang.groups.len()];
        for (number, group) in hang.groups.iter().enumerate() {
            if shown[number] {
                continue;
            }
            let spot = group.spot();
            for (other, shown) in hang.groups.iter().zip(&mut shown).skip(number) {
                if !*shown && (std::ptr::eq(other, group) || group.waits_with(other)) {
                    *shown = true;
                    let who = self.threads(other.cta, &other.threads);
                    text += &wrapped(&format!("{who}, {}: {}", self.at(other.pc), self.does(other)), "  ", "      ");
                }
            }
            let here = |bar: &&BarStanding| bar.cta == group.cta && group.waits == Waits::Bar(bar.number);
            if let Some(bar) = hang.bars.iter().find(here) {
                text += &self.bar(bar);
            }
            let claims = hang.registers.iter().find(|standing| (standing.cta, standing.pc) == (group.cta, group.pc));
            text +=
                &claims.filter(|_| group.waits == Waits::Registers).map_or(String::new(), |claims| self.claims(claims));
            if let Some(standing) = hang.barriers.iter().find(|standing| Some(standing.spot) == spot) {
                text += &self.standing(standing);
            }
        }
        if let Some(NotBegun { ctas, most, .. }) = hang.not_begun {
            text += &format!("  {} of the grid: not begun; {most} are resident at once\n", plural(ctas, "CTA"));
        }
        for Diagnosis { bug, pc, why, above } in &hang.bugs {
            let why: String = why.0.iter().map(|part| self.part(part)).collect();
            text += &wrapped(&format!("{}: {}: {why}", bug.name(), self.at(*pc)), "diagnosis: ", ADVICE);
            if !above {
                text += &wrapped(bug.advice(), ADVICE, ADVICE);
            }
        }
        text
    }

    /// A part of a sentence.
    fn part(&self, part: &Part) -> String {
        match part {
            Part::Text(text) => text.clone(),
            Part::Line(pc) => self.at(*pc).to_string(),
            Part::Threads(threads) => self.arrivers(threads.iter().copied()).join(" and "),
            Part::Barrier(spot) => format!("`{}`", self.symbol(*spot)),
        }
    }

    /// What is known of a barrier that is waited for.
    fn standing(&self, standing: &Standing) -> String {
        let Standing { word, phase, arrivals_missing, arrivals_expected, bytes_missing, .. } = *standing;
        let mut lines = Vec::new();
        let Some(phase) = phase else {
            return format!("      word {word:016x}: it is no live barrier\n");
        };
        lines
            .push(format!("word {word:016x}: phase {phase} (parity {}) is going on", Contents::from(word).phase as u8));
        let arrivals = plural(arrivals_expected, "arrival");
        lines.push(match (arrivals_missing, self.arrived(standing)) {
            (0, here) if here.is_empty() => format!("0 of {arrivals} missing"),
            (missing, here) if here.is_empty() => format!("{missing} of {arrivals} missing: nobody has arrived"),
            (missing, here) => format!("{missing} of {arrivals} missing; arrived: {}", here.join("; ")),
        });
        if arrivals_missing > 0 && !standing.absent.is_empty() {
            let absent = self.arrivers(standing.absent.iter().copied()).join("; ");
            lines.push(format!("arrived in a phase before and not in this one: {absent}"));
        }
        let [expected, completed] = standing.bytes;
        let by = standing.expected.map_or(String::new(), |pc| format!(" ({:#})", self.at(pc)));
        match bytes_missing {
            0 => {}
            1.. => lines.push(format!("{bytes_missing} bytes missing: {expected} expected{by}, {completed} completed")),
            _ => lines.push(format!(
                "{} bytes too many: {expected} expected{by}, {completed} completed",
                bytes_missing.unsigned_abs()
            )),
        }
        if let Some(pc) = standing.initialised {
            lines.push(format!("initialised in {}", self.at(pc)));
        }
        lines.iter().map(|line| wrapped(line, "      ", "        ")).collect()
    }

    /// The hang table for JSON.
    pub fn hang_json(&self, outcome: &Outcome) -> Vec<WaitJson> {
        let line = |(hang, group): (&Hang, &Group)| {
            let standing = match group.waits {
                Waits::Phase { spot, .. } => hang.barriers.iter().find(|standing| standing.spot == spot),
                _ => None,
            };
            let here = |bar: &&BarStanding| bar.cta == group.cta && group.waits == Waits::Bar(bar.number);
            let bar = hang.bars.iter().find(here);
            let parity = if let Waits::Phase { parity, .. } = group.waits { Some(parity) } else { None };
            WaitJson {
                cluster: group.cluster,
                cta: group.cta,
                threads: group.threads.clone(),
                line: Some(self.at(group.pc).line),
                source: self.at(group.pc).json(),
                waits_for: if group.waits == Waits::Nothing { "nothing".to_string() } else { self.waits_for(group) },
                barrier: standing.map(|standing| self.symbol(standing.spot)),
                address: standing.map(|standing| standing.spot.offset),
                waits_for_parity: parity,
                word: standing.map(|standing| format!("{:016x}", standing.word)),
                word_parity: standing.map(|standing| Contents::from(standing.word).phase as u8),
                arrivals_missing: standing
                    .map(|standing| standing.arrivals_missing)
                    .or(bar.map(|bar| bar.wanted.saturating_sub(bar.arrived()))),
                bytes_missing: standing.map(|standing| standing.bytes_missing),
                arrived: match bar {
                    Some(bar) => bar.arrivals.iter().map(|arrival| format!("warp {}", arrival.warp)).collect(),
                    None => standing.map_or(Vec::new(), |standing| self.arrived(standing)),
                },
            }
        };
        outcome.hangs().flat_map(|(_, hang)| hang.groups.iter().map(move |group| (hang, group))).map(line).collect()
    }

    /// The details of a mistake, in a line; of a race what both accesses are, and what would have ordered them.
    pub fn message(&self, Finding { detail, pc, shows, accesses, .. }: &Finding) -> String {
        let Some([here, there]) = accesses else { return detail.clone() };
        let detail = detail.replace('\n', "; ");
        match shows {
            Some(shows) if shows != pc => format!("{here}; {}: {there}; {detail}", self.at(*shows)),
            _ => format!("{here}; {detail}"),
        }
    }

    /// All findings, for JSON: the fault last.
    pub fn remarks_json(&self, outcome: &Outcome) -> Vec<RemarkJson> {
        let finding = |(cluster, finding): &(u32, Finding)| RemarkJson {
            cluster: *cluster,
            bug: Some(finding.bug.name().into()),
            status: finding.status.map(|status| status.name().into()),
            message: self.message(finding),
            line: self.at(finding.pc).line,
            source: self.at(finding.pc).json(),
            other_line: finding.shows.map(|pc| self.at(pc).line),
            other_source: finding.shows.map_or(Vec::new(), |pc| self.at(pc).json()),
            cta: finding.thread.cta,
            thread: finding.thread.thread,
            word_before: finding.word.map(|word| format!("{word:016x}")),
        };
        let mut remarks: Vec<RemarkJson> = outcome.findings.iter().map(finding).collect();
        if let End::Fault(fault) = &outcome.end {
            remarks.push(RemarkJson {
                cluster: outcome.cluster,
                bug: fault.bug.map(|bug| bug.name().into()),
                status: fault.status.map(|status| status.name().into()),
                message: match &fault.beside {
                    Some((pc, beside)) => format!("{}; {}: {beside}", fault.what, self.at(*pc)),
                    None => fault.what.clone(),
                },
                line: self.at(fault.pc).line,
                source: self.at(fault.pc).json(),
                other_line: fault.beside.as_ref().map(|(pc, _)| self.at(*pc).line),
                other_source: fault.beside.as_ref().map_or(Vec::new(), |(pc, _)| self.at(*pc).json()),
                cta: fault.thread.cta,
                thread: fault.thread.thread,
                word_before: fault.spot.map(|(_, word)| format!("{word:016x}")),
            });
        }
        remarks
    }
}

#[cfg(test)]
mod tests;
