//! Values of literal operands, types of registers, and where a barrier in a named variable is.

use super::Checked;
use super::names::{self, Known, Names};
use crate::ast::{Base, Instruction, Module, Number, Operand, Space, Spanned, Type, Variable};
use crate::barrier::{COUNT_MAX_V1, Form, Layout, Place, Slot};
use crate::program::types;
use crate::source::{Complaint, Span};
use std::ops::RangeInclusive;
use txbar_rtl::word::COUNT_MAX;

/// Bytes of a barrier, and its alignment (9.7.13.15.1).
const BARRIER_BYTES: u64 = 8;

/// The guard is a predicate.
pub fn guard(instruction: &Instruction, names: &Names, checked: &mut Checked) -> Vec<Complaint> {
    let Some(guard) = &instruction.guard else { return Vec::new() };
    let wanted = Wanted { what: "the guard".to_owned(), kind: Kind::Predicate };
    wanted.check(&guard.register.value, guard.register.span, names, checked).into_iter().collect()
}

/// Everything that is wrong with the operands of an instruction.
pub fn check(
    form: &Form,
    instruction: &Instruction,
    names: &Names,
    module: &Module,
    checked: &mut Checked,
) -> Vec<Complaint> {
    let slots = form.line().into_iter().flat_map(|line| line.slots());
    let mut complaints = Vec::new();
    for (slot, operand) in slots.zip(&instruction.operands) {
        complaints.extend(match &operand.value {
            Operand::Address { base, offset } => address(form, base, *offset, operand.span, names, module, checked),
            Operand::Number(Number::Integer(value)) => literal(form, slot, *value, operand, checked),
            Operand::Name(name) => Wanted::of(slot).check(name, operand.span, names, checked),
            _ => None,
        });
    }
    complaints
}

/// What a register must be.
#[derive(Clone, Copy)]
enum Kind {
    Predicate,
    Bits32,
    Bits64,
    /// 32 or 64 bits.
    Address,
}

/// A register where something is wanted.
struct Wanted {
    /// What, as it is called in a message.
    what: String,
    kind: Kind,
}

impl Wanted {
    fn of(slot: Slot) -> Self {
        let kind = match slot {
            Slot::WaitComplete | Slot::HasLayout => Kind::Predicate,
            Slot::State | Slot::Token | Slot::TokenRegister => Kind::Bits64,
            Slot::Pending | Slot::Count | Slot::TxCount | Slot::Parity | Slot::SuspendTimeHint => Kind::Bits32,
            Slot::Address => Kind::Address,
        };
        Self { what: format!("`{}`", slot.name()), kind }
    }

    /// Whether the name, if it is known, is a register of the kind.
    fn check(&self, name: &str, span: Span, names: &Names, checked: &mut Checked) -> Option<Complaint> {
        let is = match names.find(name)? {
            Known::Register(_, 2..) => "is a vector register".to_owned(),
            Known::Register(ty, _) => {
                checked.registers += 1;
                if self.kind.takes(ty) {
                    return None;
                }
                format!("is `.{}`", ty.name())
            }
            Known::Variable(variable) => format!("is a variable in `{}` memory", types::space(variable.space)),
        };
        let message = format!("{} must be {}", self.what, self.kind.name());
        let complaint = Complaint::new(span, message, format!("`{name}` {is}"));
        Some(complaint.help(self.kind.advice()))
    }
}

impl Kind {
    fn takes(self, ty: Type) -> bool {
        match self {
            Kind::Predicate => ty == Type::Pred,
            Kind::Bits32 => matches!(ty, Type::B32 | Type::U32 | Type::S32),
            Kind::Bits64 => matches!(ty, Type::B64 | Type::U64 | Type::S64),
            Kind::Address => Kind::Bits32.takes(ty) || Kind::Bits64.takes(ty),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Predicate => "a predicate register",
            Kind::Bits32 => "a 32-bit register",
            Kind::Bits64 => "a 64-bit register",
            Kind::Address => "a 32-bit or 64-bit register",
        }
    }

    fn advice(self) -> &'static str {
        match self {
            Kind::Predicate => "declare it with `.reg .pred`",
            Kind::Bits32 => "declare it `.b32`, `.u32` or `.s32`",
            Kind::Bits64 => "declare it `.b64`, `.u64` or `.s64`",
            Kind::Address => "declare it `.b32`, `.u32`, `.s32`, `.b64`, `.u64` or `.s64`",
        }
    }
}

/// Whether the value of a literal is in the range of its place.
fn literal(
    form: &Form,
    slot: Slot,
    value: i128,
    operand: &Spanned<Operand>,
    checked: &mut Checked,
) -> Option<Complaint> {
    let most = i128::from(COUNT_MAX);
    let (range, text, why): (RangeInclusive<i128>, _, _) = match slot {
        Slot::Count if form.layout == Some(Layout::V1) => {
            let why = "2^9 - 1 arrivals is the most that a barrier of layout v1 counts";
            (1..=i128::from(COUNT_MAX_V1), "1 to 511", why)
        }
        Slot::Count => (1..=most, "1 to 1048575", "2^20 - 1 arrivals is the most that a barrier counts"),
        Slot::TxCount => (0..=most, "0 to 1048575", "2^20 - 1 bytes is the most that a barrier counts"),
        Slot::Parity => (0..=1, "0 or 1", "an even phase has parity 0 and an odd one 1"),
        // negative numbers are how compilers write large ones
        Slot::SuspendTimeHint => {
            (i128::from(i32::MIN)..=i128::from(u32::MAX), "of 32 bits", "the time is in nanoseconds, 4.29 s at most")
        }
        _ => return None,
    };
    checked.literals += 1;
    if range.contains(&value) {
        return None;
    }
    let message = format!("`{}` must be {text}", slot.name());
    Some(Complaint::new(operand.span, message, format!("{value} is out of range")).help(why))
}

/// Whether an address can be that of a barrier, as far as it is known.
fn address(
    form: &Form,
    base: &Base,
    offset: i64,
    span: Span,
    names: &Names,
    module: &Module,
    checked: &mut Checked,
) -> Option<Complaint> {
    let name = match base {
        Base::Name(name) => name,
        Base::Absolute(number) => {
            checked.addresses += 1;
            let place = i128::from(*number) + i128::from(offset);
            let message = "a barrier is at a multiple of 8 bytes";
            let complaint = Complaint::new(span, message, format!("byte {place}"));
            return (place % i128::from(BARRIER_BYTES) != 0)
                .then(|| complaint.help("write a multiple of 8, or the name of a variable"));
        }
    };
    match names.find(name)? {
        Known::Variable(variable) => {
            checked.addresses += 1;
            variable_address(variable, offset, span)
        }
        Known::Register(ty, 1)
            if form.place == Place::Generic && module.address_size == 64 && Kind::Bits32.takes(ty) =>
        {
            checked.registers += 1;
            let message = "a generic address has 64 bits with `.address_size 64`";
            let complaint = Complaint::new(span, message, format!("`{name}` is `.{}`", ty.name()));
            Some(complaint.help("say `.shared::cta` or `.shared::cluster`, or take a 64-bit register"))
        }
        Known::Register(..) => Wanted::of(Slot::Address).check(name, span, names, checked),
    }
}

/// Whether a barrier can be at a place in a variable.
fn variable_address(variable: &Variable, offset: i64, span: Span) -> Option<Complaint> {
    let name = &variable.name.value;
    let declared = |complaint: Complaint| Some(complaint.also(variable.name.span, "declared here"));
    if variable.space != Space::Shared {
        let space = types::space(variable.space);
        let message = format!("a barrier is in `.shared` memory, not in `{space}`");
        let complaint = Complaint::new(span, message, format!("`{name}` is in `{space}` memory"));
        return declared(complaint.help(format!("declare it `.shared .align 8 .b64 {name};`")));
    }
    let alignment = names::alignment(variable);
    if alignment == 0 || !alignment.is_multiple_of(BARRIER_BYTES) {
        let label = format!("`{name}` is aligned to {alignment}");
        let complaint = Complaint::new(span, "a barrier is aligned to 8 bytes", label);
        return declared(complaint.help(format!("declare `{name}` with `.align 8`")));
    }
    if offset < 0 {
        let message = format!("the barrier begins before `{name}`");
        let complaint = Complaint::new(span, message, format!("{} bytes before it", offset.unsigned_abs()));
        return declared(complaint.help("write an offset that is not negative"));
    }
    let end = i128::from(offset) + i128::from(BARRIER_BYTES);
    if let Some(bytes) = names::bytes(variable).filter(|bytes| end > i128::from(*bytes)) {
        let message = format!("the barrier's 8 bytes are not within `{name}`");
        let complaint = Complaint::new(span, message, format!("`{name}` has {bytes} bytes"));
        return declared(complaint.help(format!("declare `{name}` larger, or write a smaller offset")));
    }
    if !offset.unsigned_abs().is_multiple_of(BARRIER_BYTES) {
        let complaint =
            Complaint::new(span, "a barrier is aligned to 8 bytes", format!("{offset} bytes into `{name}`"));
        return Some(complaint.help("write an offset that is a multiple of 8"));
    }
    None
}
