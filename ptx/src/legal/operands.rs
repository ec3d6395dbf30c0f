//! Values of literal operands, types of registers, and state spaces of named variables.

use super::Checked;
use super::names::{self, Known, Names};
use crate::ast::{Base, Instruction, Module, Number, Operand, Space, Spanned, Type, Variable, Version};
use crate::barrier::{Form, Kind, Place, Slot, Width, reductions};
use crate::program::types;
use crate::source::{Complaint, Span};

/// Bytes of a barrier, and its alignment (9.7.13.15.1).
const BARRIER_BYTES: u64 = 8;
/// The version in which `cp.async` got a predicate that has the source ignored.
const IGNORE_SOURCE_SINCE: Version = Version { major: 7, minor: 5 };

/// The guard is a predicate.
pub fn guard(instruction: &Instruction, names: &Names, checked: &mut Checked) -> Vec<Complaint> {
    let Some(guard) = &instruction.guard else { return Vec::new() };
    register("the guard", Width::Predicate, &guard.register.value, guard.register.span, names, checked)
        .into_iter()
        .collect()
}

/// All errors in the operands of an instruction.
pub fn check(
    form: &Form,
    instruction: &Instruction,
    version: Version,
    names: &Names,
    module: &Module,
    checked: &mut Checked,
) -> Vec<Complaint> {
    let mut checker = Checker { form, instruction, version, names, module, checked, complaints: Vec::new() };
    checker.operation();
    for (slot, operand) in form.slots().iter().zip(&instruction.operands) {
        checker.operand(*slot, operand);
    }
    checker.complaints
}

/// What is wrong with a name where a register is wanted.
fn register(
    what: &str,
    width: Width,
    name: &str,
    span: Span,
    names: &Names,
    checked: &mut Checked,
) -> Option<Complaint> {
    let is = match names.find(name)? {
        Known::Register(_, 2..) => "is a vector register".to_owned(),
        Known::Register(ty, _) => {
            checked.registers += 1;
            if width.takes(ty) {
                return None;
            }
            format!("is `.{}`", ty.name())
        }
        Known::Variable(variable) => format!("is a variable in `{}` memory", types::space(variable.space)),
        Known::Special => "is a special register".to_owned(),
        Known::Code => "is a label or a function".to_owned(),
    };
    let advice = match names.find(name) {
        Some(Known::Special) => "only `mov` and the like read it: move it to a register first".to_owned(),
        _ => width.advice(),
    };
    let message = format!("{what} must be {}", width.name());
    Some(Complaint::new(span, message, format!("`{name}` {is}")).help(advice))
}

/// An instruction whose operands are looked at.
struct Checker<'c, 'm> {
    form: &'c Form,
    instruction: &'c Instruction,
    version: Version,
    names: &'c Names<'m>,
    module: &'c Module,
    checked: &'c mut Checked,
    complaints: Vec<Complaint>,
}

impl Checker<'_, '_> {
    /// The type of a reduction goes with its operation.
    fn operation(&mut self) {
        let Some((operation, types)) = reductions(self.form) else { return };
        let (noftz, name) = (self.form.has("noftz"), self.form.line().name);
        let Some(ty) = self.ty() else { return };
        if types.contains(&(ty, noftz)) {
            return;
        }
        let place = self.instruction.modifiers.iter().find(|modifier| modifier.value == ty.name());
        let span = place.map_or(self.instruction.span, |place| place.span);
        let flush = if noftz { ".noftz" } else { "" };
        let message = format!("`.{operation}{flush}` of `{name}` does not go with `.{}`", ty.name());
        let text = |(ty, noftz): &(Type, bool)| format!("`{}.{}`", if *noftz { ".noftz" } else { "" }, ty.name());
        let goes: Vec<String> = types.iter().map(text).collect();
        let complaint = Complaint::new(span, message, "not of this type");
        self.complaints.push(complaint.help(format!("`.{operation}` goes with {}", goes.join(", "))));
    }

    /// The type that the instruction names.
    fn ty(&self) -> Option<Type> {
        self.form.words().iter().find_map(|word| Type::named(word))
    }

    fn dimensions(&self) -> usize {
        let digit = |word: &&str| word.strip_suffix('d').and_then(|digit| digit.parse().ok());
        self.form.words().iter().find_map(digit).unwrap_or(0)
    }

    fn operand(&mut self, slot: Slot, operand: &Spanned<Operand>) {
        let what = format!("`{}`", slot.name());
        match (slot.kind(), &operand.value) {
            (_, Operand::Address { base, offset }) => {
                let found = self.address(slot, base, *offset, operand.span);
                self.complaints.extend(found);
            }
            (Kind::Predicate, Operand::Number(_)) => {}
            (Kind::Value(_) | Kind::ValueOrPredicate | Kind::Constant, Operand::Number(Number::Integer(value))) => {
                self.literal(slot, *value, operand.span);
            }
            (Kind::To(width) | Kind::ToOrSink(width) | Kind::Value(width), Operand::Name(name)) => {
                self.register(&what, width, name, operand.span);
            }
            (Kind::Predicate, Operand::Name(name) | Operand::Not(name)) => {
                self.register(&what, Width::Predicate, name, operand.span);
            }
            (Kind::ValueOrPredicate, Operand::Name(name) | Operand::Not(name)) => {
                let negated = matches!(operand.value, Operand::Not(_));
                let predicate = negated || matches!(self.names.find(name), Some(Known::Register(Type::Pred, 1)));
                let width = if predicate { Width::Predicate } else { Width::Bits(32) };
                if predicate && self.version < IGNORE_SOURCE_SINCE {
                    let message = format!("a predicate of `cp.async` needs PTX ISA {IGNORE_SOURCE_SINCE} or later");
                    let complaint = Complaint::new(operand.span, message, format!("not in PTX ISA {}", self.version));
                    self.complaints.push(complaint.help("write the bytes to copy: 0 has the source ignored"));
                }
                self.register(&what, width, name, operand.span);
            }
            (Kind::Report, Operand::Name(name)) => self.register(&what, Width::Predicate, name, operand.span),
            (Kind::Report, Operand::Pair(both)) => self.pair(&what, both, Width::Predicate, false, operand.span),
            (Kind::Elected, Operand::Pair(both)) => self.pair(&what, both, Width::Bits(32), true, operand.span),
            (Kind::Typed, value) => self.typed(&what, value, operand.span),
            (Kind::Tensor, Operand::Compound(parts)) => self.tensor(parts, self.dimensions(), operand.span),
            (Kind::Rows, Operand::Compound(parts)) => self.tensor(parts, 5, operand.span),
            (Kind::Offsets, Operand::Vector(parts)) => {
                self.vector(&what, parts, self.dimensions().saturating_sub(2), Width::Bits(16), operand.span);
            }
            (Kind::TwoOffsets, Operand::Vector(parts)) => self.vector(&what, parts, 2, Width::Bits(16), operand.span),
            _ => {}
        }
    }

    fn register(&mut self, what: &str, width: Width, name: &str, span: Span) {
        if name == "WARP_SZ" && width == Width::Bits(32) {
            return;
        }
        self.complaints.extend(register(what, width, name, span, self.names, self.checked));
    }

    /// `d|p`; the first may be `_` or (the report) the second.
    fn pair(&mut self, what: &str, both: &(Operand, Operand), first: Width, sink_first: bool, span: Span) {
        let mut one = |operand: &Operand, width: Width, sink: bool| match operand {
            Operand::Name(name) => self.register(what, width, name, span),
            Operand::Sink if sink => {}
            other => {
                let label = if *other == Operand::Sink { "`_` cannot stand here" } else { "no register" };
                let complaint = Complaint::new(span, format!("{what} must be registers"), label);
                self.complaints.push(complaint.help("write registers on both sides of the `|`"));
            }
        };
        one(&both.0, first, sink_first);
        one(&both.1, Width::Predicate, !sink_first);
    }

    /// Whether a literal is in the range of its place.
    fn literal(&mut self, slot: Slot, value: i128, span: Span) {
        self.checked.literals += 1;
        let source_most = self.instruction.operands.get(2).and_then(|size| match size.value {
            Operand::Number(Number::Integer(size)) if slot == Slot::SourceSize => Some(size),
            _ => None,
        });
        let range =
            slot.range().or(source_most.map(|most| (0, most, 1, "the source is at most the bytes that are copied")));
        let Some((least, most, step, why)) = range else { return };
        let odd = slot == Slot::SizeCa && value == 12; // neither 4, 8 nor 16
        if (least..=most).contains(&value) && value % step == 0 && !odd {
            return;
        }
        let range = match (least, most, step) {
            _ if slot == Slot::SizeCa => "4, 8 or 16".to_owned(),
            (0, 1, _) => "0 or 1".to_owned(),
            (least, most, _) if least == most => least.to_string(),
            (_, most, 2..) if most == i128::from(u32::MAX) => format!("a multiple of {step}, {least} or more"),
            (_, _, 1) => format!("{least} to {most}"),
            _ => format!("{least} to {most}, a multiple of {step}"),
        };
        let label = if (least..=most).contains(&value) { "is not" } else { "is out of range" };
        let message = format!("`{}` must be {range}", slot.name());
        self.complaints.push(Complaint::new(span, message, format!("{value} {label}")).help(why));
    }

    /// A value of the type that the instruction names, or as many as its vector has.
    fn typed(&mut self, what: &str, value: &Operand, span: Span) {
        let Some(ty) = self.ty() else { return };
        let count = if self.form.has("v2") {
            2
        } else if self.form.has("v4") {
            4
        } else {
            1
        };
        match value {
            Operand::Vector(parts) if count > 1 => {
                if parts.len() != count {
                    self.number_of(what, count, parts.len(), span);
                }
                parts.iter().for_each(|part| self.scalar(what, ty, &part.value, part.span));
            }
            Operand::Name(name) if count > 1 => match self.names.find(name) {
                Some(Known::Register(had, elements)) if elements as usize == count && had.bits() == ty.bits() => {}
                None => {}
                _ => self.number_of(what, count, 1, span),
            },
            Operand::Vector(parts) => self.number_of(what, 1, parts.len(), span),
            one => self.scalar(what, ty, one, span),
        }
    }

    fn scalar(&mut self, what: &str, ty: Type, value: &Operand, span: Span) {
        let float = matches!(ty, Type::F32 | Type::F64);
        let found = match value {
            Operand::Name(name) => match self.names.find(name) {
                None => return,
                // a value of the same width: bits, or of the same kind
                Some(Known::Register(had, 1)) => {
                    let of_kind = match float {
                        true => had == ty || had.name().starts_with('b'),
                        false => Width::Bits(ty.bits()).takes(had) || ty.name().starts_with('b') && had != Type::Pred,
                    };
                    self.checked.registers += 1;
                    if of_kind && had.bits() == ty.bits() {
                        return;
                    }
                    format!("`{name}` is `.{}`", had.name())
                }
                Some(_) => format!("`{name}` is no such register"),
            },
            Operand::Number(Number::Integer(_)) if !float && ty != Type::B128 => return,
            Operand::Number(Number::Single(_)) if ty == Type::F32 => return,
            Operand::Number(Number::Double(_)) if float => return,
            Operand::Number(_) => "a number of another type".to_owned(),
            _ => "no register".to_owned(),
        };
        let message = format!("{what} must be of type `.{}`", ty.name());
        self.complaints.push(Complaint::new(span, message, found).help("take a register of the same width and kind"));
    }

    fn number_of(&mut self, what: &str, needed: usize, there: usize, span: Span) {
        let plural = if needed == 1 { "value" } else { "values" };
        let complaint = Complaint::new(span, format!("{what} must be {needed} {plural}"), format!("{there} here"));
        self.complaints.push(complaint.help("as many as the qualifiers of the instruction say"));
    }

    fn vector(&mut self, what: &str, parts: &[Spanned<Operand>], count: usize, width: Width, span: Span) {
        if parts.len() != count {
            self.number_of(what, count, parts.len(), span);
        }
        for part in parts {
            match &part.value {
                Operand::Name(name) => self.register(what, width, name, part.span),
                Operand::Number(Number::Integer(_)) => {}
                _ => {
                    let message = format!("{what} must be {} each, or a whole number", width.name());
                    let complaint = Complaint::new(part.span, message, "neither");
                    self.complaints.push(complaint.help(width.advice()));
                }
            }
        }
    }

    /// `[map, {coordinates}]`.
    fn tensor(&mut self, parts: &[Spanned<Operand>], count: usize, span: Span) {
        let [map, Spanned { value: Operand::Vector(coordinates), span: place }] = parts else {
            let complaint = Complaint::new(span, "a tensor map and coordinates are needed here", "something else");
            self.complaints.push(complaint.help("write them as in `[%rd1, {%r1, %r2}]`"));
            return;
        };
        self.vector("the coordinates", coordinates, count, Width::Bits(32), *place);
        let found = match &map.value {
            Operand::Name(name) => self.place(Slot::FromGlobal, name, map.span),
            _ => None,
        };
        self.complaints.extend(found);
    }

    /// What is wrong with a name where an address is wanted.
    fn place(&mut self, slot: Slot, name: &str, span: Span) -> Option<Complaint> {
        let Kind::Address(spaces) = slot.kind() else { return None };
        let label = match self.names.find(name)? {
            Known::Register(ty, 1) => {
                self.checked.registers += 1;
                if Width::Bits(32).takes(ty) || Width::Bits(64).takes(ty) {
                    return None;
                }
                format!("`{name}` is `.{}`", ty.name())
            }
            Known::Register(..) => format!("`{name}` is a vector register"),
            Known::Variable(variable) if spaces.contains(&variable.space) => return None,
            Known::Variable(variable) => {
                let (is, wanted) = (types::space(variable.space), types::space(*spaces.first()?));
                let what = if slot == Slot::Address { "a barrier" } else { "this operand" };
                let message = format!("{what} is in `{wanted}` memory, not in `{is}`");
                let complaint = Complaint::new(span, message, format!("`{name}` is in `{is}` memory"));
                let help = match slot {
                    Slot::Address => format!("declare it `.shared .align 8 .b64 {name};`"),
                    _ => format!("name a variable or an address in `{wanted}` memory"),
                };
                return Some(complaint.also(variable.name.span, "declared here").help(help));
            }
            Known::Special => format!("`{name}` is a special register"),
            Known::Code => format!("`{name}` is a label or a function"),
        };
        let message = format!("`{}` must be a 32-bit or 64-bit register", slot.name());
        let help = "declare it `.b32`, `.u32`, `.s32`, `.b64`, `.u64` or `.s64`";
        Some(Complaint::new(span, message, label).help(help))
    }

    /// Whether an address can be what its place wants, as far as it is known.
    fn address(&mut self, slot: Slot, base: &Base, offset: i64, span: Span) -> Option<Complaint> {
        let name = match base {
            Base::Name(name) => name,
            Base::Absolute(_) => {
                self.checked.addresses += 1;
                let complaint = Complaint::new(span, "an address is no number here", "a number");
                return Some(complaint.help("name a variable, or move the number to a register"));
            }
        };
        if let Some(complaint) = self.place(slot, name, span) {
            return Some(complaint);
        }
        match self.names.find(name)? {
            Known::Variable(variable) => {
                self.checked.addresses += 1;
                if slot == Slot::Address { barrier_at(variable, offset, span) } else { None }
            }
            Known::Register(ty, 1)
                if slot == Slot::Address
                    && self.form.place() == Place::Generic
                    && self.form.line().name.starts_with("mbarrier")
                    && self.module.address_size == 64
                    && Width::Bits(32).takes(ty) =>
            {
                let message = "a generic address has 64 bits with `.address_size 64`";
                let complaint = Complaint::new(span, message, format!("`{name}` is `.{}`", ty.name()));
                Some(complaint.help("say `.shared::cta` or `.shared::cluster`, or take a 64-bit register"))
            }
            _ => None,
        }
    }
}

/// Whether a barrier can be at a place in a variable of shared memory.
fn barrier_at(variable: &Variable, offset: i64, span: Span) -> Option<Complaint> {
    let name = &variable.name.value;
    let declared = |complaint: Complaint| Some(complaint.also(variable.name.span, "declared here"));
    debug_assert_eq!(variable.space, Space::Shared, "told before");
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
