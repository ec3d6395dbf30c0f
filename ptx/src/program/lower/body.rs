//! Lowering of a body: scopes, declarations, labels; each instruction becomes one step, or two.

use crate::ast::{Formal, Function, Instruction, Operand, Space, Spanned, Statement, Type, Variable};
use crate::program::code::{Action, Guard, Home, PARAMETERS, Routine, Step, Value, What};
use crate::program::layout::{Area, bytes};
use crate::program::lower::ground::{Code, Ground, Signature};
use crate::program::lower::operand::Fit;
use crate::program::lower::{Lowered, Refusal};
use crate::program::names::{Found, Meaning, Names, Register};
use crate::program::ordering::Ordering;
use crate::program::outlook::written;
use crate::source::{Complaint, Span};
use std::collections::{BTreeMap, HashMap};

/// A body that is being lowered.
pub(crate) struct Body<'g, 'm> {
    pub(super) ground: &'g Ground<'m>,
    pub(super) names: &'g mut Names<'m>,
    pub(super) slots: HashMap<Register, u32>,
    pub(super) slot_count: u32,
    pub(super) declarations: u32,
    pub(super) frame: Area,
    /// Sizes in bytes of the frame's variables in .param, by their offset.
    pub(super) sizes: HashMap<u32, u64>,
    /// Where each label stands; they are numbered in the order of the text.
    pub(super) labels: Vec<usize>,
    /// Lists of labels, numbered in the same way, and the number of those that are in the code already.
    pub(super) lists: Vec<(&'m [Spanned<String>], Option<usize>)>,
    /// What the instruction that is being lowered does in a step before its last.
    pub(super) ahead: Option<Action>,
    pub(super) code: &'g mut Code,
}

impl<'g, 'm> Body<'g, 'm> {
    pub(super) fn new(
        ground: &'g Ground<'m>,
        signature: &Signature,
        names: &'g mut Names<'m>,
        code: &'g mut Code,
    ) -> Self {
        Self {
            ground,
            names,
            slots: HashMap::new(),
            slot_count: 0,
            declarations: 0,
            frame: signature.frame,
            sizes: HashMap::new(),
            labels: Vec::new(),
            lists: Vec::new(),
            ahead: None,
            code,
        }
    }

    /// Lowers a function.
    pub(super) fn function(mut self, function: &'m Function, signature: &Signature) -> Result<(), Complaint> {
        let (first, first_list) = (self.code.steps.len(), self.code.lists.len());
        let body = function.body.as_deref().unwrap_or_default();
        let scopes = labels_of_scopes(body);
        self.labels = vec![0; body.iter().filter(|statement| matches!(statement, Statement::Label(_))).count()];
        let mut scopes = scopes.into_iter();
        self.lists = body
            .iter()
            .filter_map(|statement| match statement {
                Statement::Targets { labels, .. } => Some((labels.as_slice(), None)),
                _ => None,
            })
            .collect();
        self.names.open();
        self.formals(function, signature)?;
        self.open(scopes.next())?;
        let outermost = self.names.depth();
        let mut passed = 0;
        for statement in body {
            match statement {
                Statement::Open(_) => self.open(scopes.next())?,
                Statement::Close(span) if self.names.depth() <= outermost => {
                    return Err(Complaint::new(*span, "this `}` ends nothing", "no `{` is open"));
                }
                Statement::Close(_) => self.names.close(),
                Statement::Label(_) => {
                    if let Some(label) = self.labels.get_mut(passed) {
                        *label = self.code.steps.len();
                    }
                    passed += 1;
                }
                Statement::Registers(registers) => {
                    for (name, count) in &registers.names {
                        let (ty, vector) = (registers.ty, registers.vector);
                        self.register(name, ty, vector, *count)?;
                    }
                }
                Statement::Targets { .. } => {}
                Statement::Variable(variable) => self.variable(variable)?,
                Statement::Instruction(instruction) => {
                    let step = self.step(instruction)?;
                    let ahead = self.ahead.take().map(|action| Step { guard: step.guard, action });
                    for step in ahead.into_iter().chain([step]) {
                        self.code.steps.push(step);
                        self.code.spans.push(instruction.span);
                        self.code.orderings.push(Ordering::of(instruction));
                    }
                }
            }
        }
        while self.names.depth() > 0 {
            self.names.close();
        }
        self.code.steps.push(Step { guard: None, action: Action::Return });
        self.code.spans.push(Span { start: function.span.end.saturating_sub(1), end: function.span.end });
        self.code.orderings.push(Ordering::default());
        for step in self.code.steps.iter_mut().skip(first) {
            if let Action::Branch(target) = &mut step.action {
                *target = self.labels.get(*target).copied().unwrap_or(0); // every label is among them
            }
        }
        self.find_constants(first);
        for target in self.code.lists.iter_mut().skip(first_list).flatten() {
            *target = self.labels.get(*target).copied().unwrap_or(0);
        }
        self.code.routines.push(Routine {
            pc: first,
            slots: self.slot_count,
            local: self.frame.end as u32,           // at most MOST_LOCAL
            alignment: self.frame.alignment as u32, // at most 2^16
        });
        Ok(())
    }

    /// Stores of the function, whose steps begin here, that write registers which hold one constant and nothing else: as nvcc writes
    /// stores of constants.
    fn find_constants(&mut self, first: usize) {
        let steps = &self.code.steps[first..];
        // whether all that is written to a register is one constant
        let mut constant: BTreeMap<u32, bool> = BTreeMap::new();
        for action in steps.iter().map(|step| &step.action) {
            let of_constant = matches!(action, Action::Move { from: Value::Constant(_), .. });
            for to in written(action) {
                constant.entry(to.slot).and_modify(|is| *is = false).or_insert(of_constant);
            }
        }
        let is_constant = |value: &Value| match value {
            Value::Constant(_) => true,
            Value::Register(slot) | Value::Part { slot, .. } => constant.get(slot) == Some(&true),
            _ => false,
        };
        for (step, ordering) in steps.iter().zip(&mut self.code.orderings[first..]) {
            if let Action::World(world) = &step.action
                && let What::Store { values, .. } = world.what.inner()
            {
                ordering.constant |= values.iter().all(is_constant);
            }
        }
    }

    /// Parameters and results of the function.
    fn formals(&mut self, function: &'m Function, signature: &Signature) -> Result<(), Complaint> {
        if signature.routine == 0 {
            for (formal, offset) in function.parameters.iter().zip(&self.ground.parameters) {
                if let Formal::Param(variable) = formal {
                    let address = Value::Constant(u64::from(PARAMETERS + offset)); // the offset is below 2^15
                    self.names.declare(&variable.name, Meaning::Variable { space: Space::Param, address })?;
                }
            }
            return Ok(());
        }
        let formals = function.results.iter().chain(&function.parameters);
        let homes = signature.results.iter().chain(&signature.arguments);
        for (formal, home) in formals.zip(homes) {
            match (formal, home) {
                (Formal::Param(variable), Home::Memory(offset)) => {
                    self.sizes.insert(*offset, bytes(variable).unwrap_or(0));
                    let address = Value::Local { offset: *offset, window: 0 };
                    self.names.declare(&variable.name, Meaning::Variable { space: Space::Param, address })?;
                }
                (Formal::Register { name, ty }, Home::Register(slot)) => {
                    let declaration = self.register(name, *ty, 1, None)?;
                    self.slots.insert(Register { declaration, number: 0, element: 0 }, *slot);
                    self.slot_count = self.slot_count.max(slot + 1);
                }
                _ => {} // homes are made from the formals
            }
        }
        Ok(())
    }

    /// A scope begins. Its labels are known in all of it.
    fn open(&mut self, labels: Option<Labels<'m>>) -> Result<(), Complaint> {
        self.names.open();
        for (name, meaning) in labels.into_iter().flatten() {
            self.names.declare(name, meaning)?;
        }
        Ok(())
    }

    /// Declares a register or many; their slots come with their use.
    fn register(
        &mut self,
        name: &'m Spanned<String>,
        ty: Type,
        vector: u32,
        count: Option<u32>,
    ) -> Result<u32, Complaint> {
        let declaration = self.declarations;
        self.declarations += 1;
        self.names.declare(name, Meaning::Register { declaration, ty, vector, count })?;
        Ok(declaration)
    }

    /// A variable of the body.
    fn variable(&mut self, variable: &'m Variable) -> Result<(), Complaint> {
        let placed = self.ground.memory.addresses.get(&variable.name.span);
        let address = match (variable.space, placed) {
            (Space::Local | Space::Param, _) => {
                let (offset, bytes) = self.frame.place(variable)?;
                self.sizes.insert(offset as u32, bytes); // at most MOST_LOCAL
                Value::Local { offset: offset as u32, window: 0 }
            }
            (_, Some(address)) => Value::Constant(*address),
            (_, None) => return self.names.declare(&variable.name, Meaning::Elsewhere),
        };
        self.names.declare(&variable.name, Meaning::Variable { space: variable.space, address })
    }

    /// Lowers an instruction.
    fn step(&mut self, instruction: &'m Instruction) -> Result<Step, Complaint> {
        let guard = match &instruction.guard {
            None => None,
            Some(guard) => {
                let operand = Spanned { value: Operand::Name(guard.register.value.clone()), span: guard.register.span };
                match self.value(&operand, Type::Pred, Fit::Exact) {
                    Ok(Value::Register(slot)) => Some(Guard { slot, skips: u64::from(guard.negated) }),
                    Ok(_) => {
                        let message = format!("`{}` is no predicate register", guard.register.value);
                        return Err(Complaint::new(guard.register.span, message, "a .pred register is needed"));
                    }
                    Err(Refusal::Wrong(complaint) | Refusal::Unsupported(complaint)) => return Err(complaint),
                }
            }
        };
        match self.action(instruction) {
            Ok(action) => Ok(Step { guard, action }),
            Err(Refusal::Unsupported(complaint)) => {
                Ok(Step { guard, action: Action::Unsupported(Box::new(complaint)) })
            }
            Err(Refusal::Wrong(complaint)) => Err(complaint),
        }
    }
}

/// Labels and lists of labels of a scope.
type Labels<'m> = Vec<(&'m Spanned<String>, Meaning)>;

/// Labels of each scope of a body; scopes in the order in which they begin, the body's own first.
fn labels_of_scopes(body: &[Statement]) -> Vec<Labels<'_>> {
    let mut scopes = vec![Vec::new()];
    let mut open = vec![0];
    let (mut labels, mut lists) = (0, 0);
    for statement in body {
        let declared = match statement {
            Statement::Open(_) => {
                open.push(scopes.len());
                scopes.push(Vec::new());
                continue;
            }
            Statement::Close(_) if open.len() > 1 => {
                open.pop();
                continue;
            }
            Statement::Label(name) => {
                labels += 1;
                (name, Meaning::Label(labels - 1))
            }
            Statement::Targets { name, .. } => {
                lists += 1;
                (name, Meaning::Targets(lists - 1))
            }
            _ => continue,
        };
        if let Some(scope) = open.last().and_then(|scope| scopes.get_mut(*scope)) {
            scope.push(declared);
        }
    }
    scopes
}

impl Body<'_, '_> {
    /// The number of the label that an operand names.
    pub(super) fn label(&self, operand: &Spanned<Operand>) -> Lowered<usize> {
        let Operand::Name(name) = &operand.value else {
            return Err(Complaint::new(operand.span, "a label is needed here", "is none").into());
        };
        match self.names.meaning(name) {
            Some(Meaning::Label(number)) => Ok(number),
            Some(other) => {
                let message = format!("`{name}` is {}, not a label", other.describe());
                Err(Complaint::new(operand.span, message, "a label is needed here").into())
            }
            None => match self.names.find(name, operand.span) {
                Ok(Found::Register(..) | Found::Vector(..) | Found::Special(_)) => {
                    let message = format!("`{name}` is a register, not a label");
                    Err(Complaint::new(operand.span, message, "a label is needed here").into())
                }
                _ => Err(self.names.unknown("label", name, operand.span).into()),
            },
        }
    }
}
