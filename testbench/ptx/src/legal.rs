//! Whether the barrier instructions of a module are legal for a target and a version of the PTX ISA.
//!
//! ```text
//!   instruction -- Form::read --> form -- demands --> version, target
//!        |                          `---- operands -> literals, types of registers, the barrier's place and alignment
//!        `------------------------------- guard ----> a predicate
//! ```
//!
//! What is only known when the program runs (an address in a register, a count in one) is not checked here.

mod names;
mod operands;

use crate::ast::{Instruction, Module, Statement, Version};
use crate::barrier::Form;
use crate::barrier::demands::{DEMANDS, instead_of};
use crate::source::{Complaint, Span};
use crate::target::{Target, go_together};
use names::Names;

/// An instruction that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The instruction, from guard to semicolon.
    pub instruction: Span,
    /// Why.
    pub complaint: Complaint,
}

/// How a module was checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Barrier instructions.
    pub instructions: usize,
    /// Those among them with at least one complaint.
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

/// Checks every barrier instruction of a module.
pub fn check(module: &Module, target: Target, version: Version) -> Checked {
    let mut checked = Checked::default();
    let mut names = Names::of(module);
    for function in &module.functions {
        names.enter(function);
        for statement in function.body.iter().flatten() {
            names.note(statement);
            if let Statement::Instruction(instruction) = statement
                && let Some(form) = Form::read(instruction)
            {
                let mut complaints = operands::guard(instruction, &names, &mut checked);
                match form {
                    Ok(form) => {
                        complaints.extend(demanded(&form, instruction, target, version));
                        complaints.extend(operands::check(&form, instruction, &names, module, &mut checked));
                    }
                    Err(complaint) => complaints.push(complaint),
                }
                complaints.sort_by_key(|complaint| complaint.span);
                checked.instructions += 1;
                checked.refused += usize::from(!complaints.is_empty());
                let refusal = |complaint| Refusal { instruction: instruction.span, complaint };
                checked.refusals.extend(complaints.into_iter().map(refusal));
            }
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

/// Everything that is wrong with the barrier instructions of a module, in the order of the text.
pub fn check_module(module: &Module, target: Target, version: Version) -> Vec<Complaint> {
    check(module, target, version).refusals.into_iter().map(|refusal| refusal.complaint).collect()
}

/// What the form, its qualifiers and its operands demand of version and target.
fn demanded(form: &Form, instruction: &Instruction, target: Target, version: Version) -> Vec<Complaint> {
    let Some(line) = form.line() else { return Vec::new() };
    let missing = |since: Option<Version>, least: Option<u32>| {
        (since.filter(|since| version < *since), least.filter(|least| target.number < *least))
    };
    let tell = |span, what: String, lacks: (Option<Version>, Option<u32>), instead: &str| {
        let (needs, label) = match lacks {
            (None, None) => return None,
            (Some(since), None) => (format!("PTX ISA {since} or later"), format!("not in PTX ISA {version}")),
            (None, Some(least)) => (format!("sm_{least} or higher"), format!("not on {target}")),
            (Some(since), Some(least)) => (
                format!("PTX ISA {since} or later and sm_{least} or higher"),
                format!("not in PTX ISA {version}, not on {target}"),
            ),
        };
        Some(Complaint::new(span, format!("{what} needs {needs}"), label).help(instead))
    };
    let name = format!("`{}`", line.name());
    let form_lacks = missing(Some(line.since), Some(line.target));
    let mut complaints = Vec::new();
    complaints.extend(tell(name_span(instruction), name.clone(), form_lacks, instead_of(form)));
    for demand in DEMANDS.iter().filter(|demand| demand.verbs.contains(&form.verb)) {
        let Some(span) = (demand.find)(form, instruction) else { continue };
        // what the form itself demands has been told
        let since = demand.since.filter(|since| *since > line.since);
        let least = demand.target.filter(|least| *least > line.target);
        let what = format!("{} of {name}", demand.written);
        complaints.extend(tell(span, what, missing(since, least), demand.instead));
    }
    complaints
}

/// Opcode and modifiers.
fn name_span(instruction: &Instruction) -> Span {
    let opcode = instruction.opcode.span;
    instruction.modifiers.last().map_or(opcode, |last| opcode.to(last.span))
}

#[cfg(test)]
mod tests;
