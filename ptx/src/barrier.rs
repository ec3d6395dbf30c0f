//! Synchronisation instructions, independent of version and target.
//!
//! [`LINES`] is the one table of them; [`Form::read`] reads an instruction by it, [`Form::lacks`] says what it needs of version
//! and target, [`markdown`] prints it. What ptxas says of thousands of instructions stands beside it in
//! `tests/legality/ptxas.csv`.

mod lines;
pub mod markdown;
mod read;
mod reductions;
mod slot;
mod syntax;
mod table;

pub use lines::LINES;
pub use reductions::{reduction, reductions};
pub use slot::{Kind, Width};
pub use syntax::ENTRIES;
pub use table::{Arg, Entry, Line, Slot, Verb};

use crate::ast::{Instruction, Operand, Version};
use crate::source::{Complaint, Span};
use crate::target::Least;
use syntax::Needs;
use txbar_rtl::op::Op;
use txbar_rtl::ordering::{Order, Scope, Semantics};

/// Where the barrier is said to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// No state space: a generic address.
    Generic,
    /// `.shared` or `.shared::cta`.
    SharedCta,
    /// `.shared::cluster`.
    SharedCluster,
}

/// A layout of the word (PTX ISA 9.3): bit 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// `.layout::v0`: that of every barrier of which nothing else is said.
    V0,
    /// `.layout::v1`: at most [`COUNT_MAX_V1`] arrivals in a phase.
    V1,
}

/// Largest arrival count of a barrier with [`Layout::V1`]: 2^9 - 1 (PTX ISA 9.3, 9.7.14.16.12).
pub const COUNT_MAX_V1: u32 = (1 << 9) - 1;

/// An instruction of the table, understood.
#[derive(Clone, Debug)]
pub struct Form {
    entry: &'static Entry,
    /// Qualifiers behind the name, as they are written.
    words: Vec<&'static str>,
    /// Kinds of the operands.
    slots: Vec<Slot>,
}

/// Something of an instruction that is not on a target or not yet in a version.
#[derive(Debug)]
pub struct Lack {
    /// Place in the text.
    pub span: Span,
    /// Description.
    pub what: String,
    /// The version that introduced it, if that is later.
    pub since: Option<Version>,
    /// Where it is, if that is not here.
    pub target: Option<Least>,
    /// Alternative.
    pub instead: &'static str,
}

impl Form {
    /// Reads an instruction: nothing if it is none of the table; what is wrong with it if its qualifiers or the number
    /// and kind of its operands fit no form (whatever the version and target).
    ///
    /// # Errors
    /// It begins like one of the table and has no form of it.
    pub fn read(instruction: &Instruction) -> Option<Result<Form, Complaint>> {
        read::read(instruction)
    }

    /// Line of the table.
    pub fn line(&self) -> &'static Line {
        self.entry.line
    }

    /// Its line of the table, as it is written.
    pub fn syntax(&self) -> String {
        self.entry.syntax()
    }

    /// Kinds of the operands.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Whether it has a qualifier, without the dot.
    pub fn has(&self, word: &str) -> bool {
        self.words.contains(&word)
    }

    /// Its qualifiers behind the name, without their dots.
    pub fn words(&self) -> &[&'static str] {
        &self.words
    }

    /// The operation of the hardware that does it, if it is one: `cp.async.mbarrier.arrive` without `.noinc` is two,
    /// `mbarrier.init.layout::v1` three, and the cluster barrier is none.
    pub fn op(&self) -> Option<Op> {
        match self.line().ops {
            [op] => Some(*op),
            _ => None,
        }
    }

    /// Where its barrier is said to be.
    pub fn place(&self) -> Place {
        match () {
            () if self.has("shared::cluster") => Place::SharedCluster,
            () if self.has("shared") || self.has("shared::cta") => Place::SharedCta,
            () => Place::Generic,
        }
    }

    /// The layout that it names.
    pub fn layout(&self) -> Option<Layout> {
        match () {
            () if self.has("layout::v0") => Some(Layout::V0),
            () if self.has("layout::v1") => Some(Layout::V1),
            () => None,
        }
    }

    /// Its memory ordering. What is not said is as in the manual: arrivals release and waits acquire within the CTA
    /// (barrier.cluster: within the cluster), anything else orders nothing.
    pub fn order(&self) -> Order {
        let default = match self.line().verb {
            Verb::ClusterArrive => Order::cluster(Semantics::Release),
            Verb::ClusterWait => Order::cluster(Semantics::Acquire),
            _ => match self.line().ops.last() {
                Some(op) => Order::default_of(*op),
                None => Order::cta(Semantics::Relaxed),
            },
        };
        let semantics = [Semantics::Acquire, Semantics::Release, Semantics::Relaxed];
        let semantics = semantics.into_iter().find(|semantics| self.has(semantics.name()));
        let scope = match () {
            () if self.has("cta") => Some(Scope::Cta),
            () if self.has("cluster") => Some(Scope::Cluster),
            () => None,
        };
        Order { semantics: semantics.unwrap_or(default.semantics), scope: scope.unwrap_or(default.scope) }
    }

    /// What of it is not on a target, or not yet in a version of the PTX ISA.
    pub fn lacks(&self, instruction: &Instruction, target: crate::target::Target, version: Version) -> Vec<Lack> {
        let line = self.line();
        let mut lacks = Vec::new();
        let mut lack = |span: Span, what: String, needs: Needs, instead: &'static str| {
            let since = needs.since.filter(|since| version < *since);
            let least = needs.target.filter(|least| !least.has(target));
            if since.is_some() || least.is_some() {
                lacks.push(Lack { span, what, since, target: least, instead });
            }
        };
        let name = format!("`{}`", line.name);
        // what the instruction itself needs is told once
        let itself = Needs { since: Some(line.since), target: Some(line.target) };
        lack(name_span(instruction), name.clone(), itself, instead_of_line(line));
        let beyond = |needs: Needs| Needs {
            since: needs.since.filter(|since| version >= line.since && *since > line.since),
            target: needs.target.filter(|least| line.target.has(target) && *least > line.target),
        };
        for group in &self.entry.groups {
            let said: Vec<_> = group.words().filter(|word| self.has(word.text)).collect();
            let places = said.iter().filter_map(|word| modifier(instruction, word.text));
            let Some(span) = places.reduce(|first, last| first.to(last)) else { continue };
            let text: String = said.iter().map(|word| format!(".{}", word.text)).collect();
            let instead = said.first().map_or("leave it out", |word| instead_of(word.text));
            lack(span, format!("`{text}` of {name}"), beyond(group.needs), instead);
            for word in said {
                let Some(span) = modifier(instruction, word.text) else { continue };
                lack(span, format!("`.{}` of {name}", word.text), beyond(word.needs), instead_of(word.text));
            }
        }
        for (slot, operand) in self.slots.iter().zip(&instruction.operands) {
            let later = line.operands.iter().find_map(|arg| match arg {
                Arg::Later(later, since, target) if later == slot => {
                    Some(Needs { since: Some(*since), target: *target })
                }
                _ => None,
            });
            if let Some(needs) = later {
                let instead =
                    "write `.noComplete` if the phase cannot complete with it, or arrive once for each of them";
                lack(operand.span, format!("`{}` of {name}", slot.name()), beyond(needs), instead);
            }
            if *slot == Slot::State && line.verb == Verb::Arrive && operand.value == Operand::Sink {
                let needs = Needs { since: Some(SINK_SINCE), target: None };
                lack(
                    operand.span,
                    format!("`_` for the state of {name}"),
                    beyond(needs),
                    "write a 64-bit register that is not used",
                );
            }
        }
        lacks
    }
}

/// The version in which `mbarrier.arrive` got `_` for its state.
const SINK_SINCE: Version = Version { major: 7, minor: 1 };

/// Opcode and modifiers.
pub(crate) fn name_span(instruction: &Instruction) -> Span {
    let opcode = instruction.opcode.span;
    instruction.modifiers.last().map_or(opcode, |last| opcode.to(last.span))
}

/// Place of a modifier in the text.
fn modifier(instruction: &Instruction, name: &str) -> Option<Span> {
    instruction.modifiers.iter().find(|modifier| modifier.value == name).map(|modifier| modifier.span)
}

/// What to do without a qualifier.
fn instead_of(word: &str) -> &'static str {
    match word {
        "shared::cta" => "write `.shared`, which means the same, or `.shared::cluster` where that is there",
        "shared::cluster" => "only barriers of the own CTA can be used there",
        "cluster" => "write `.cta`: there are no clusters there",
        "release" | "acquire" => "leave it out: arrivals release and waits acquire",
        "relaxed" => "leave it out with its scope: the default orders memory accesses too",
        "layout::v0" => "leave `.layout::v0` out: it is what is meant without it",
        "layout::v1" => "there is one layout only there: leave `.layout::v1` out",
        "phase_type::primary" => "leave it out: every phase is a primary one there",
        _ => "leave it out",
    }
}

/// What to do without an instruction.
fn instead_of_line(line: &Line) -> &'static str {
    match line.verb {
        Verb::CheckLayout => "there is one layout only there, `.layout::v0`",
        Verb::TryWait => "loop over `mbarrier.test_wait`, which never suspends the thread",
        Verb::TestWait if line.name.ends_with(".parity") => "wait for the state that an arrival returned",
        Verb::ExpectTx | Verb::CompleteTx => {
            "bytes are not counted there: copy with `cp.async` and `cp.async.mbarrier.arrive`"
        }
        Verb::Arrive | Verb::ArriveDrop if line.name.ends_with(".expect_tx") => {
            "bytes are not counted there: copy with `cp.async` and `cp.async.mbarrier.arrive`"
        }
        Verb::ClusterArrive | Verb::ClusterWait => "there are no clusters there: `barrier.sync` is for one CTA",
        Verb::Other => match line.name.split('.').next() {
            Some("setmaxnreg") => "leave it out: registers cannot be moved between warps there",
            Some("griddepcontrol") => "leave it out: grids are launched one after the other there",
            Some("cp") if line.name.contains("bulk") => "copy with `cp.async`, or with loads and stores",
            Some("cp" | "st" | "red") => "copy with loads and stores",
            Some("fence") => "write `fence.acq_rel` or `fence.sc` with `.cta`, `.gpu` or `.sys`",
            Some("elect") => "compare `%laneid` with the first lane of the mask",
            _ => "say a later version and architecture",
        },
        _ => "there are no barriers in shared memory there: use `barrier.sync`",
    }
}
