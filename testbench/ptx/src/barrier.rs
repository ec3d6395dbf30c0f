//! The barrier family: what an instruction of it is, whatever the version and target.
//!
//! [`LINES`] is the one table of the family; [`Form::read`] reads an instruction by it, [`demands`] says which version
//! and target its qualifiers and operands need, [`markdown`] prints it.
//!
//! Qualifiers stand in the order of the syntax lines, except that `.sem.scope` and the state space may be exchanged: the
//! manual's own listings have both orders (`.shared::cta.release.cluster`, `.release.cta.shared::cluster`), and so have
//! CUDA's headers. The variant (`.expect_tx`, `.noComplete`, `.parity`, `.noinc`, `.layout::*`) is directly behind the name, `.sem`
//! directly before `.scope`, and the type is last.

pub mod demands;
pub mod markdown;
mod qualifiers;
mod table;

pub use table::{LINES, Line, Places, Scopes, Slot, Variant, Verb};

use crate::ast::{Instruction, Operand};
use crate::source::{Complaint, Span};
use txbar_rtl::op::Op;
use txbar_rtl::order::{Order, Scope, Semantics};

/// Where the barrier is said to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// Nothing is said: a generic address.
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

/// An instruction of the family, its qualifiers understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Form {
    /// Which instruction.
    pub verb: Verb,
    /// `.expect_tx` of arrive and arrive_drop.
    pub expect_tx: bool,
    /// `.noComplete`.
    pub no_complete: bool,
    /// `.parity`.
    pub parity: bool,
    /// `.noinc`.
    pub noinc: bool,
    /// `.layout::v0` or `.layout::v1`.
    pub layout: Option<Layout>,
    /// `.aligned`.
    pub aligned: bool,
    /// `.sem`.
    pub semantics: Option<Semantics>,
    /// `.scope`.
    pub scope: Option<Scope>,
    /// Where the barrier is.
    pub place: Place,
}

impl Form {
    /// Reads an instruction: nothing if it is not of the family; what is wrong with it if its qualifiers or the number
    /// and kind of its operands fit no form (whatever the version and target).
    ///
    /// # Errors
    /// It is of the family and of no form.
    pub fn read(instruction: &Instruction) -> Option<Result<Form, Complaint>> {
        let checked = |(line, form)| {
            check_operands(instruction, line)?;
            check_sink(instruction, &form)?;
            Ok(form)
        };
        Some(read_qualifiers(instruction)?.and_then(checked))
    }

    /// Which variant of its instruction it is.
    pub const fn variant(&self) -> Variant {
        match self {
            Form { expect_tx: true, .. } => Variant::ExpectTx,
            Form { no_complete: true, .. } => Variant::NoComplete,
            Form { parity: true, .. } => Variant::Parity,
            Form { noinc: true, .. } => Variant::Noinc,
            Form { layout: Some(Layout::V0), .. } => Variant::LayoutV0,
            Form { layout: Some(Layout::V1), .. } => Variant::LayoutV1,
            _ => Variant::Plain,
        }
    }

    /// Its line of the table. Every form that was read has one; nothing for one that was made up.
    pub fn line(&self) -> Option<&'static Line> {
        Line::of(self.verb, self.variant())
    }

    /// The operation of the hardware that does it, if it is one: `cp.async.mbarrier.arrive` without `.noinc` is two,
    /// `mbarrier.init.layout::v1` three, and the cluster barrier is none.
    pub fn op(&self) -> Option<Op> {
        match self.line()?.ops {
            [op] => Some(*op),
            _ => None,
        }
    }

    /// Its memory ordering. What is not said is as in the manual: arrivals release and waits acquire within the CTA
    /// (barrier.cluster: within the cluster), anything else orders nothing.
    pub fn order(&self) -> Order {
        let default = match self.verb {
            Verb::ClusterArrive => Order::cluster(Semantics::Release),
            Verb::ClusterWait => Order::cluster(Semantics::Acquire),
            _ => match self.line().and_then(|line| line.ops.last()) {
                Some(op) => Order::default_of(*op),
                None => Order::cta(Semantics::Relaxed),
            },
        };
        Order { semantics: self.semantics.unwrap_or(default.semantics), scope: self.scope.unwrap_or(default.scope) }
    }
}

/// Reads an instruction without its operands; nothing if it is not of the family.
pub(crate) fn read_qualifiers(instruction: &Instruction) -> Option<Result<(&'static Line, Form), Complaint>> {
    Some(qualifiers::verb(instruction)?.and_then(|(verb, consumed)| {
        qualifiers::read(instruction, verb, instruction.modifiers.get(consumed..).unwrap_or(&[]))
    }))
}

/// Whether the operands are as many as the line has, each of its kind.
fn check_operands(instruction: &Instruction, line: &Line) -> Result<(), Complaint> {
    let there = instruction.operands.len();
    let least = line.operands.len();
    let most = least + usize::from(line.optional.is_some());
    if !(least..=most).contains(&there) {
        let name = line.name();
        let number = match (least, most) {
            (0, _) => "no operands".to_owned(),
            (1, 1) => "1 operand".to_owned(),
            (least, most) if least == most => format!("{least} operands"),
            (least, most) => format!("{least} or {most} operands"),
        };
        let span = match instruction.operands.get(most) {
            Some(surplus) => surplus.span,
            None => instruction.span,
        };
        let label = if there > most {
            "one too many".to_owned()
        } else {
            // there are fewer operands than the line must have
            format!("`{}` is missing", line.operands.get(there).map_or("", |slot| slot.name()))
        };
        let verb = if there == 1 { "is" } else { "are" };
        let message = format!("`{name}` takes {number}, here {verb} {there}");
        return Err(Complaint::new(span, message, label).help(format!("the form is `{}`", line.syntax())));
    }
    for (slot, operand) in line.slots().zip(&instruction.operands) {
        if !slot.takes(&operand.value) {
            return Err(wrong_kind(line, slot, &operand.value, operand.span));
        }
    }
    Ok(())
}

/// An operand is not what its place wants.
fn wrong_kind(line: &Line, slot: Slot, operand: &Operand, span: Span) -> Complaint {
    let name = line.name();
    let message = match (slot, operand) {
        (_, Operand::Sink) => format!("`{}` of `{name}` cannot be `_`", slot.name()),
        (Slot::Address, _) => format!("the address of `{name}` is written in brackets"),
        _ => format!("`{}` of `{name}` is {}", slot.name(), slot.wants()),
    };
    let label = match operand {
        Operand::Name(_) | Operand::Sum(..) => "no brackets",
        Operand::Number(_) => "a number",
        Operand::Address { .. } => "an address",
        Operand::Compound(_) => "an address of several parts",
        Operand::Vector(_) => "a vector",
        Operand::Pair(_) => "two registers",
        Operand::Not(_) => "negated",
        Operand::List(_) => "a list",
        Operand::Sink => "nothing",
    };
    Complaint::new(span, message, label).help(format!("here stands {}", slot.wants()))
}

/// `_` is the only destination of an arrival in another CTA.
fn check_sink(instruction: &Instruction, form: &Form) -> Result<(), Complaint> {
    match (form.place, form.verb, instruction.operands.first()) {
        (Place::SharedCluster, Verb::Arrive | Verb::ArriveDrop, Some(state)) if state.value != Operand::Sink => {
            let message = format!("`{}` with `.shared::cluster` returns no state", form.verb.name());
            let help = "write `_` for the state, or say `.shared::cta` if the barrier is the own CTA's";
            Err(Complaint::new(state.span, message, "this must be `_`").help(help))
        }
        _ => Ok(()),
    }
}
