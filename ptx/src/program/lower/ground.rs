//! Data shared by the functions of a program, and calling convention.

use crate::address::Windows;
use crate::ast::{Formal, Linkage, Module, Variable};
use crate::program::code::{Home, Routine, Step, Value};
use crate::program::layout::{Area, MOST_LOCAL, MOST_PARAMETERS, Memory};
use crate::program::lower::body::Body;
use crate::program::names::{Meaning, Names};
use crate::program::ordering::Ordering;
use crate::program::reach::Reach;
use crate::source::{Complaint, Span};
use std::collections::HashMap;

/// Signature of a function.
#[derive(Debug)]
pub(crate) struct Signature {
    /// Number of its [`Routine`].
    pub routine: usize,
    /// Where its frame has the results.
    pub results: Vec<Home>,
    /// Where its frame has the arguments.
    pub arguments: Vec<Home>,
    /// Variables of the frame so far.
    pub frame: Area,
}

/// What the functions of a program have in common.
pub(crate) struct Ground<'m> {
    pub module: &'m Module,
    pub by_name: &'m HashMap<&'m str, usize>,
    pub memory: &'m Memory,
    pub windows: Windows,
    pub address_size: u32,
    /// Of the functions that are reached, by their number in the module.
    pub signatures: HashMap<usize, Signature>,
    /// Offsets of the entry's parameters.
    pub parameters: Vec<u32>,
}

/// Code of all functions.
#[derive(Debug, Default)]
pub(crate) struct Code {
    pub steps: Vec<Step>,
    pub spans: Vec<Span>,
    pub orderings: Vec<Ordering>,
    pub routines: Vec<Routine>,
    /// Lists of labels of `brx.idx`: numbers of instructions; before labels are resolved, of labels.
    pub lists: Vec<Vec<usize>>,
}

impl<'m> Ground<'m> {
    /// Finds out how the functions of a program are called.
    ///
    /// # Errors
    /// There is no room for parameters.
    pub(crate) fn new(
        module: &'m Module,
        by_name: &'m HashMap<&'m str, usize>,
        reach: &Reach,
        memory: &'m Memory,
        windows: Windows,
    ) -> Result<Self, Complaint> {
        let mut signatures = HashMap::new();
        let mut parameters = Vec::new();
        for (routine, number) in reach.functions.iter().enumerate() {
            let Some(function) = module.functions.get(*number) else { continue };
            if routine == 0 {
                let mut area = Area::new("the parameters of an entry", MOST_PARAMETERS);
                for formal in &function.parameters {
                    let variable = in_memory(formal)?;
                    parameters.push(area.place(variable)?.0 as u32); // at most MOST_PARAMETERS
                }
            }
            let mut frame = Area::new("the local memory of a thread", MOST_LOCAL);
            let mut registers = 0;
            let mut home = |formal: &Formal| -> Result<Home, Complaint> {
                Ok(match formal {
                    Formal::Param(variable) => Home::Memory(frame.place(variable)?.0 as u32), // at most MOST_LOCAL
                    Formal::Register { .. } => {
                        registers += 1;
                        Home::Register(registers - 1)
                    }
                })
            };
            let (mut results, mut arguments) = (Vec::new(), Vec::new());
            if routine > 0 {
                results = function.results.iter().map(&mut home).collect::<Result<_, _>>()?;
                arguments = function.parameters.iter().map(&mut home).collect::<Result<_, _>>()?;
            }
            signatures.insert(*number, Signature { routine, results, arguments, frame });
        }
        let address_size = module.address_size;
        Ok(Self { module, by_name, memory, windows, address_size, signatures, parameters })
    }

    /// Names of the module's variables and functions.
    ///
    /// # Errors
    /// One is defined twice.
    fn names(&self) -> Result<Names<'m>, Complaint> {
        let mut names = Names::default();
        let mut declared = HashMap::new();
        for variable in &self.module.variables {
            let external = variable.linkage == Linkage::Extern;
            let meaning = match self.memory.addresses.get(&variable.name.span) {
                Some(address) => Meaning::Variable { space: variable.space, address: Value::Constant(*address) },
                None if external => Meaning::Elsewhere,
                None => Meaning::Elsewhere, // shared memory that nothing mentions: known for advice only
            };
            // what is declared as .extern may be defined as well
            match declared.insert(&variable.name.value, external) {
                Some(_) if external => {}
                Some(true) => names.replace(&variable.name, meaning),
                _ => names.declare(&variable.name, meaning)?,
            }
        }
        for number in self.by_name.values() {
            if let Some(function) = self.module.functions.get(*number) {
                names.declare(&function.name, Meaning::Function(*number))?;
            }
        }
        Ok(names)
    }

    /// Code of the functions.
    ///
    /// # Errors
    /// Something is not declared, or does not fit.
    pub(crate) fn lower(&self, reach: &Reach) -> Result<Code, Complaint> {
        let mut code = Code::default();
        let mut names = self.names()?;
        for number in &reach.functions {
            if let (Some(function), Some(signature)) = (self.module.functions.get(*number), self.signatures.get(number))
            {
                Body::new(self, signature, &mut names, &mut code).function(function, signature)?;
            }
        }
        Ok(code)
    }
}

/// A parameter of an entry.
fn in_memory(formal: &Formal) -> Result<&Variable, Complaint> {
    match formal {
        Formal::Param(variable) => Ok(variable),
        Formal::Register { name, .. } => {
            Err(Complaint::new(name.span, "a parameter of an entry has to be in .param", "is a register"))
        }
    }
}
