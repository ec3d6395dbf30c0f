//! Whether the synchronisation instructions of a module are legal for a target and a version of the PTX ISA, and whether the
//! names of all instructions are declared.
//!
//! ```text
//!   instruction -- Form::read --> form -- lacks -----> version, target
//!        |                          `---- operands --> literals, types of registers, state spaces, the barrier's alignment
//!        |------------------------------- guard -----> a predicate
//!        `------------------------------- undeclared > names
//! ```
//!
//! What is only known when the program runs (an address in a register, a count in one) is not checked here.

mod names;
mod operands;

use crate::ast::{Module, Statement, Version};
use crate::barrier::{Form, Lack};
use crate::source::{Complaint, Span};
use crate::target::{Target, go_together};
use names::Names;

/// An instruction that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The instruction, from guard to semicolon.
    pub instruction: Span,
    /// Cause.
    pub complaint: Complaint,
}

/// Target and version of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Synchronisation instructions.
    pub instructions: usize,
    /// Instructions, also others, with at least one complaint.
    pub refused: usize,
    /// Literal operands whose value was checked.
    pub literals: usize,
    /// Registers whose declared type was checked, guards included.
    pub registers: usize,
    /// Addresses that begin with a variable or a number, whose place, size and alignment were checked.
    pub addresses: usize,
    /// Every complaint, in the order of the text.
    pub refusals: Vec<Refusal>,
}

/// Checks every synchronisation instruction of a module, and the names of all instructions.
pub fn check(module: &Module, target: Target, version: Version) -> Checked {
    let mut checked = Checked::default();
    let mut names = Names::of(module);
    for function in &module.functions {
        names.enter(function);
        for statement in function.body.iter().flatten() {
            names.note(statement);
            let Statement::Instruction(instruction) = statement else { continue };
            let form = Form::read(instruction);
            checked.instructions += usize::from(form.is_some());
            let mut complaints = names.undeclared(instruction);
            match form {
                Some(Ok(form)) => {
                    complaints.extend(operands::guard(instruction, &names, &mut checked));
                    let lacks = form.lacks(instruction, target, version);
                    complaints.extend(lacks.into_iter().map(|lack| told(lack, target, version)));
                    complaints.extend(operands::check(&form, instruction, version, &names, module, &mut checked));
                }
                Some(Err(complaint)) => {
                    complaints.extend(operands::guard(instruction, &names, &mut checked));
                    complaints.push(complaint);
                }
                None => {}
            }
            complaints.sort_by_key(|complaint| complaint.span);
            checked.refused += usize::from(!complaints.is_empty());
            let refusal = |complaint| Refusal { instruction: instruction.span, complaint };
            checked.refusals.extend(complaints.into_iter().map(refusal));
        }
        names.leave();
    }
    checked
}

/// What is wrong with `.version` and `.target` of a module: a version that does not exist, or that is older than the architecture.
/// `said` is what is said in their place, if it is; a target that is said without a version does not mend a file whose own two disagree.
///
/// # Errors
/// That, at the one of them that it is about.
pub fn check_header(module: &Module, said: (Option<Version>, Option<Target>)) -> Result<(), Complaint> {
    let version = said.0.unwrap_or(module.version.value);
    // what is named otherwise is a matter of its own
    let named = module.targets.iter().find_map(|target| Some((target.value.parse::<Target>().ok()?, target.span)));
    // a text for an older architecture may be meant for a newer one, but what it says itself has to go together
    let target = match said {
        (Some(_), Some(target)) => Some((target, module.version.span)),
        _ => named,
    };
    let complain = |span, (what, help): (String, String), label: &str| Complaint::new(span, what, label).help(help);
    go_together(version, None).map_err(|wrong| complain(module.version.span, wrong, "no such version"))?;
    let Some((target, span)) = target else { return Ok(()) };
    go_together(version, Some(target)).map_err(|wrong| complain(span, wrong, "newer than the version"))
}

/// All errors in the synchronisation instructions and names of a module, in text order.
pub fn check_module(module: &Module, target: Target, version: Version) -> Vec<Complaint> {
    check(module, target, version).refusals.into_iter().map(|refusal| refusal.complaint).collect()
}

/// As `check_module`, for the target and version that the module names; sm_90a if it names no known target.
pub fn check_as_it_says(module: &Module) -> Vec<Complaint> {
    let named = module.targets.iter().find_map(|target| target.value.parse::<Target>().ok());
    check_module(module, named.unwrap_or(Target { number: 90, suffix: Some('a') }), module.version.value)
}

/// Something that is not there on a target or in a version.
fn told(lack: Lack, target: Target, version: Version) -> Complaint {
    let since = lack.since.map(|since| (format!("PTX ISA {since} or later"), format!("not in PTX ISA {version}")));
    let least = lack.target.map(|least| (least.to_string(), format!("not on {target}")));
    let (needs, label): (Vec<_>, Vec<_>) = since.into_iter().chain(least).unzip();
    Complaint::new(lack.span, format!("{} needs {}", lack.what, needs.join(" and ")), label.join(", "))
        .help(lack.instead)
}

#[cfg(test)]
mod tests;
