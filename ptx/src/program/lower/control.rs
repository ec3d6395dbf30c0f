//! Branches, calls, and exits.

use crate::ast::{Formal, Function, Instruction, Operand, Space, Spanned, Type};
use crate::effect::Effect;
use crate::program::code::{Action, Call, Hand, Home, Library, Transfer, Value, What};
use crate::program::layout;
use crate::program::lower::memory::world;
use crate::program::lower::operand::Fit;
use crate::program::lower::{Body, Lowered, Refusal};
use crate::program::names::{Found, Meaning};
use crate::source::Complaint;

impl Body<'_, '_> {
    /// `bra`.
    pub(super) fn branch(&mut self, instruction: &Instruction) -> Lowered<Action> {
        self.count(instruction, 1..=1)?;
        match instruction.operands.first() {
            Some(target) => Ok(Action::Branch(self.label(target)?)),
            None => Err(Refusal::unsupported(instruction)),
        }
    }

    /// `brx.idx`.
    pub(super) fn switch(&mut self, instruction: &Instruction) -> Lowered<Action> {
        if !instruction.has("idx") {
            return Err(Refusal::unsupported(instruction));
        }
        self.count(instruction, 2..=2)?;
        let [index, list] = &instruction.operands[..] else { return Err(Refusal::unsupported(instruction)) };
        let index = self.value(index, Type::U32, Fit::Exact)?;
        let Operand::Name(name) = &list.value else {
            return Err(Complaint::new(list.span, "a list of labels is needed here", "is none").into());
        };
        let number = match self.names.meaning(name) {
            Some(Meaning::Targets(number)) => number,
            Some(other) => {
                let message = format!("`{name}` is {}, not a list of labels", other.describe());
                return Err(Complaint::new(list.span, message, "a .branchtargets list is needed here").into());
            }
            None => return Err(self.names.unknown("list of labels", name, list.span).into()),
        };
        let (labels, known) = self.lists.get(number).copied().unwrap_or_default();
        if let Some(list) = known {
            return Ok(Action::Switch { index, list });
        }
        let operand = |label: &Spanned<String>| Spanned { value: Operand::Name(label.value.clone()), span: label.span };
        let targets = labels.iter().map(|label| self.label(&operand(label))).collect::<Lowered<_>>()?;
        let list = self.code.lists.len();
        self.code.lists.push(targets);
        if let Some((_, known)) = self.lists.get_mut(number) {
            *known = Some(list);
        }
        Ok(Action::Switch { index, list })
    }

    /// Instructions without operands.
    pub(super) fn plain(&mut self, instruction: &Instruction) -> Lowered<Action> {
        let action = match instruction.opcode.value.as_str() {
            "ret" => Action::Return,
            "exit" => world(What::Plain(Effect::Exit), Box::new([])),
            "trap" => world(What::Plain(Effect::Trap), Box::new([])),
            _ => return Ok(Action::Nothing), // brkpt, pmevent
        };
        self.count(instruction, 0..=0)?;
        Ok(action)
    }

    /// `call (results), function, (arguments)`.
    pub(super) fn call(&mut self, instruction: &Instruction) -> Lowered<Action> {
        let (results, rest) = match &instruction.operands[..] {
            [Spanned { value: Operand::List(results), .. }, rest @ ..] => (&results[..], rest),
            rest => (&[][..], rest),
        };
        let (target, arguments) = match rest {
            [target] => (target, &[][..]),
            [target, Spanned { value: Operand::List(arguments), .. }] => (target, &arguments[..]),
            _ => return Err(Refusal::unsupported(instruction)),
        };
        let Operand::Name(name) = &target.value else { return Err(Refusal::unsupported(instruction)) };
        let number = match self.names.meaning(name) {
            Some(Meaning::Function(number)) => number,
            _ => match self.names.find(name, target.span) {
                Ok(Found::Register(..)) => return Err(Refusal::unsupported(instruction)), // through an address
                Ok(_) => {
                    let message = format!("`{name}` is not a function");
                    return Err(Complaint::new(target.span, message, "a function is needed here").into());
                }
                Err(_) => return Err(self.names.unknown("function", name, target.span).into()),
            },
        };
        let ground = self.ground;
        if let Some(function) = ground.module.functions.get(number).filter(|function| function.body.is_none())
            && let Some(action) = self.library(instruction, function, results, arguments)?
        {
            return Ok(action);
        }
        let (Some(function), Some(signature)) = (ground.module.functions.get(number), ground.signatures.get(&number))
        else {
            let message = format!("the call of `{name}` is not supported");
            let complaint = Complaint::new(instruction.span, message, "it is not defined in this module");
            return Err(Refusal::Unsupported(complaint));
        };
        if signature.routine == 0 {
            return Err(
                Complaint::new(target.span, format!("the entry `{name}` cannot be called"), "is no .func").into()
            );
        }
        let arguments = self.transfers(instruction, function, arguments, &signature.arguments, true)?;
        let results = self.transfers(instruction, function, results, &signature.results, false)?;
        Ok(Action::Call(Box::new(Call { routine: signature.routine, arguments, results })))
    }

    /// A call of a function of CUDA's device library, if the function is one as it is declared.
    fn library(
        &mut self,
        instruction: &Instruction,
        function: &Function,
        results: &[Spanned<Operand>],
        arguments: &[Spanned<Operand>],
    ) -> Lowered<Option<Action>> {
        let Some((library, returns, takes)) = Library::named(&function.name.value) else { return Ok(None) };
        let sizes = |formals: &[Formal]| {
            formals
                .iter()
                .map(|formal| match formal {
                    Formal::Register { ty, .. } => ty.bytes(),
                    Formal::Param(variable) => layout::bytes(variable).unwrap_or(0),
                })
                .collect::<Vec<u64>>()
        };
        if sizes(&function.results) != returns || sizes(&function.parameters) != takes {
            return Ok(None);
        }
        // the homes are those of a function with a frame, which this is not
        let homes = [Home::Register(0); 5];
        let arguments = self.transfers(instruction, function, arguments, &homes[..takes.len()], true)?;
        let results = self.transfers(instruction, function, results, &homes[..returns.len()], false)?;
        let target = |transfer: &Transfer| if let Hand::Target(to) = transfer.hand { Some(to) } else { None };
        let to = results.iter().filter_map(target).collect();
        let result = results.iter().find_map(|result| if let Hand::Memory(to) = result.hand { Some(to) } else { None });
        Ok(Some(world(What::Library { function: library, arguments, result }, to)))
    }

    /// What is handed over in a call, in one direction.
    fn transfers(
        &mut self,
        instruction: &Instruction,
        function: &Function,
        actual: &[Spanned<Operand>],
        homes: &[Home],
        arguments: bool,
    ) -> Lowered<Box<[Transfer]>> {
        let formals = if arguments { &function.parameters } else { &function.results };
        if actual.len() != formals.len() {
            let what = if arguments { "argument" } else { "result" };
            let name = &function.name.value;
            let plural = if formals.len() == 1 { "" } else { "s" };
            let message = format!("`{name}` has {} {what}{plural}", formals.len());
            return Err(Complaint::new(instruction.span, message, format!("{} given", actual.len())).into());
        }
        let both = actual.iter().zip(formals.iter().zip(homes));
        both.map(|(operand, (formal, home))| self.transfer(operand, formal, *home, arguments)).collect()
    }

    fn transfer(
        &mut self,
        operand: &Spanned<Operand>,
        formal: &Formal,
        home: Home,
        argument: bool,
    ) -> Lowered<Transfer> {
        let (ty, bytes, single) = match formal {
            Formal::Register { ty, .. } => (*ty, ty.bytes(), true),
            Formal::Param(variable) => {
                let bytes = layout::bytes(variable).unwrap_or(0);
                (variable.ty, bytes, bytes == variable.ty.bytes())
            }
        };
        if let Operand::Name(name) = &operand.value
            && let Some(Meaning::Variable { space: Space::Param, address: Value::Local { offset, .. } }) =
                self.names.meaning(name)
        {
            let size = self.sizes.get(&offset).copied().unwrap_or(bytes);
            if size != bytes {
                let message = format!("`{name}` does not fit the parameter of the function");
                let label = format!("has {size} bytes, and the parameter {bytes}");
                return Err(Complaint::new(operand.span, message, label).into());
            }
            return Ok(Transfer { hand: Hand::Memory(offset), home, bytes: bytes as u32 }); // at most MOST_LOCAL
        }
        if !single || bytes > 8 {
            let complaint = Complaint::new(operand.span, "a variable in .param is needed here", "is none");
            return Err(complaint
                .help(format!("declare one with {bytes} bytes and store to it before the call"))
                .into());
        }
        let hand = if argument {
            Hand::Value(self.value(operand, ty, Fit::Exact)?)
        } else {
            Hand::Target(self.target(operand, ty, Fit::Exact)?)
        };
        Ok(Transfer { hand, home, bytes: bytes as u32 }) // at most 8
    }
}
