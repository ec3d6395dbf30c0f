//! A resolved module: an entry and the functions it calls, as executable code.
//!
//! ```text
//!   Module ── reach ──► functions that the entry may call, names that they mention
//!          ── layout ─► where shared, global, const and local variables are
//!          ── lower ──► Program: steps with slots and addresses instead of names       (executed by `thread`)
//! ```

pub(crate) mod code;
mod layout;
mod literal;
mod lower;
pub(crate) mod marks;
mod names;
pub(crate) mod ordering;
pub(crate) mod outlook;
mod reach;
pub(crate) mod special;
#[cfg(test)]
mod tests;
pub(crate) mod types;

pub(crate) use names::nearest;

pub use layout::{MOST_CONST, MOST_GLOBAL, MOST_LOCAL, MOST_PARAMETERS, MOST_SHARED, Placed};

use crate::address::Windows;
use crate::ast::{Formal, Function, Module, Type};
use crate::effect::{Atom, Claim};
use crate::position::{Position, Sources};
use crate::residency::ALL_REGISTERS;
use crate::source::{Complaint, Source, Span};
use crate::symbol;
use code::{Action, Routine, Step};
use lower::Ground;
use marks::Marks;
use ordering::Ordering;
use reach::Reach;
use std::collections::HashMap;

/// Registers of a thread at most.
pub const MOST_REGISTERS: u32 = 255;

/// A parameter of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Name.
    pub name: String,
    /// Type of its elements.
    pub ty: Type,
    /// Bytes from the beginning of the parameters.
    pub offset: u32,
    /// Size in bytes.
    pub bytes: u32,
    /// Place of the name in the text.
    pub span: Span,
}

/// An entry that can be executed, with the functions it calls.
#[derive(Clone, Debug)]
pub struct Program {
    /// Name of the entry.
    pub name: String,
    /// Name in the source: demangled if mangled.
    pub spelled: String,
    /// Bits of an address: 32 or 64.
    pub address_size: u32,
    /// Static shared variables that are mentioned; offsets in the shared memory of a CTA.
    pub shared: Vec<Placed>,
    /// Bytes of static shared memory.
    pub shared_bytes: u32,
    /// Where dynamic shared memory begins, in bytes.
    pub dynamic_offset: u32,
    /// Whether dynamic shared memory is mentioned.
    pub dynamic_shared: bool,
    /// Variables of .global and .const; offsets from `Windows::global`.
    pub globals: Vec<Placed>,
    /// Their initial bytes.
    pub image: Vec<u8>,
    /// Parameters of the entry in their order.
    pub parameters: Vec<Parameter>,
    /// Bytes of all parameters.
    pub parameter_bytes: u32,
    /// Threads of a CTA: `.reqntid`.
    pub required_threads: Option<[u32; 3]>,
    /// CTAs of a cluster: `.reqnctapercluster`.
    pub required_cluster: Option<[u32; 3]>,
    /// Registers of a thread at most, as far as directives bound them: `.maxnreg`, or `.minnctapersm` with `.maxntid` or `.reqntid`.
    bounded_registers: Option<u32>,
    pub(crate) steps: Vec<Step>,
    spans: Vec<Span>,
    /// The source that it was compiled from.
    pub sources: Sources,
    orderings: Vec<Ordering>,
    pub(crate) routines: Vec<Routine>,
    lists: Vec<Vec<usize>>,
    /// For each instruction: whether it is a branch target.
    joined: Vec<bool>,
    /// What is known of the entry's registers before it begins.
    pub(crate) marks: Marks,
    /// Where the entry's frame begins in local memory, if it is aligned so.
    pub(crate) local: u32,
    pub(crate) windows: Windows,
}

impl Program {
    /// Resolves an entry, by its name or by what that is demangled, and the functions it calls.
    ///
    /// # Errors
    /// There is no such entry, or there are several, a name is not declared or does not fit, or variables have no room.
    pub fn new(module: &Module, entry: &str) -> Result<Program, Complaint> {
        let by_name = reach::functions_by_name(module);
        let entry = find_entry(module, entry)?;
        let found = by_name.get(entry).and_then(|number| Some((*number, module.functions.get(*number)?)));
        let Some((number, function)) = found else { return Err(no_entry(module, entry)) };
        let windows = Windows::of(module.address_size);
        let reach = Reach::new(module, &by_name, number);
        let memory = layout::Memory::new(module, &by_name, &reach, windows)?;
        let ground = Ground::new(module, &by_name, &reach, &memory, windows)?;
        let code = ground.lower(&reach)?;
        let local = code.routines.first().map_or(0, |entry| u64::from(entry.frame(memory.local).1));
        if local > MOST_LOCAL {
            let message = format!("there is no room for the local memory of `{entry}`");
            let complaint = Complaint::new(function.name.span, message, format!("takes {local} bytes"));
            return Err(complaint.help(format!("a thread has {MOST_LOCAL} bytes")));
        }
        let parameters: Vec<Parameter> = function
            .parameters
            .iter()
            .zip(&ground.parameters)
            .filter_map(|(formal, offset)| match formal {
                Formal::Param(variable) => Some(Parameter {
                    name: variable.name.value.clone(),
                    ty: variable.ty,
                    offset: *offset,
                    bytes: layout::bytes(variable).unwrap_or(0) as u32, // it has been placed: at most MOST_PARAMETERS
                    span: variable.name.span,
                }),
                Formal::Register { .. } => None,
            })
            .collect();
        let program = Program {
            marks: Marks::default(),
            name: entry.to_string(),
            spelled: symbol::spelled(entry),
            address_size: module.address_size,
            parameter_bytes: parameters.last().map_or(0, |last| last.offset + last.bytes),
            parameters,
            required_threads: directive(function, "reqntid")?,
            required_cluster: directive(function, "reqnctapercluster")?,
            bounded_registers: bounded_registers(function)?,
            joined: joined(&code.steps, &code.lists),
            sources: Sources::new(module, &reach.functions, &code.spans),
            steps: code.steps,
            spans: code.spans,
            orderings: code.orderings,
            routines: code.routines,
            lists: code.lists,
            local: memory.local,
            windows,
            shared: named(memory.shared, entry),
            shared_bytes: memory.shared_bytes,
            dynamic_offset: memory.dynamic_offset,
            dynamic_shared: memory.dynamic,
            globals: named(memory.globals, entry),
            image: memory.image,
        };
        Ok(Program { marks: program.first_marks(), ..program })
    }

    /// Instructions; they are numbered from 0.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there are none, which is never so.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Where an instruction is written.
    pub fn span(&self, pc: usize) -> Span {
        self.spans.get(pc).copied().unwrap_or_default()
    }

    /// Where an instruction is from; `source` is the PTX text.
    pub fn position(&self, source: &Source, pc: usize) -> Position<'_> {
        Position { line: source.line(self.span(pc)), frames: self.sources.frames(pc), sources: &self.sources }
    }

    /// How an instruction is ordered.
    pub(crate) fn ordering(&self, pc: usize) -> Ordering {
        self.orderings.get(pc).copied().unwrap_or_default()
    }

    /// Instructions that synchronise and do nothing else: `bar.sync`, `bar.warp.sync`, fences, waits for groups
    /// of `cp.async` and `wgmma`.
    pub fn synchronisations(&self) -> impl Iterator<Item = usize> {
        self.orderings.iter().enumerate().filter(|(_, ordering)| ordering.only_orders).map(|(pc, _)| pc)
    }

    /// Bytes of an element that a load, a store or an atomic operation is of.
    pub(crate) fn width(&self, pc: usize) -> u8 {
        let Some(Step { action: Action::World(world), .. }) = self.steps.get(pc) else { return 0 };
        match world.what.inner() {
            code::What::Load { at } | code::What::Store { at, .. } | code::What::Atomic { at, .. } => at.width,
            _ => 0,
        }
    }

    /// Whether an instruction is `atom.exch` or `atom.cas`: those with which locks are taken.
    pub(crate) fn takes(&self, pc: usize) -> bool {
        let Some(Step { action: Action::World(world), .. }) = self.steps.get(pc) else { return false };
        matches!(world.what.inner(), code::What::Atomic { atom: Atom::Exch | Atom::Cas, .. })
    }

    /// Whether an instruction is a copy through the async proxy, and no `st.async` or `red.async`.
    pub(crate) fn is_bulk(&self, pc: usize) -> bool {
        let Some(Step { action: Action::World(world), .. }) = self.steps.get(pc) else { return false };
        !matches!(world.what.inner(), code::What::Post { .. })
    }

    /// The shared variable at a byte of a CTA's shared memory, and how far from its beginning.
    pub fn shared_symbol(&self, offset: u32) -> String {
        let at = u64::from(offset);
        let of = self.shared.iter().find(|placed| (placed.offset..placed.offset + placed.bytes.max(1)).contains(&at));
        match of {
            Some(placed) if placed.offset == at => placed.name.clone(),
            Some(placed) => format!("{}+{:#x}", placed.name, at - placed.offset),
            None if offset >= self.dynamic_offset => format!("dynamic shared+{:#x}", offset - self.dynamic_offset),
            None => "shared".to_string(),
        }
    }

    /// What lies last before an address behind the end of shared memory, for a message.
    pub fn beside_shared(&self, offset: u32) -> String {
        let last = self.shared.iter().max_by_key(|placed| placed.offset).filter(|_| !self.dynamic_shared);
        last.map_or(String::new(), |Placed { name, offset: begin, bytes, .. }| {
            format!("; it would be byte {} of `{name}`, which has {bytes}", u64::from(offset).saturating_sub(*begin))
        })
    }

    /// What the instructions that are not supported will complain about if they are executed.
    pub fn unsupported(&self) -> impl Iterator<Item = &Complaint> {
        self.steps.iter().filter_map(|step| match &step.action {
            Action::Unsupported(complaint) => Some(&**complaint),
            _ => None,
        })
    }

    /// Whether a branch may lead to an instruction.
    pub(crate) fn is_joined(&self, pc: usize) -> bool {
        self.joined.get(pc).copied().unwrap_or(false)
    }

    /// Whether an instruction is a branch: `bra` or `brx.idx`.
    pub(crate) fn is_branch(&self, pc: usize) -> bool {
        self.steps.get(pc).is_some_and(|step| matches!(step.action, Action::Branch(_) | Action::Switch { .. }))
    }

    /// Whether every thread that executes the first of these instructions executes the last.
    pub(crate) fn is_straight(&self, first: usize, last: usize) -> bool {
        first <= last
            && !(first..last).any(|pc| self.is_branch(pc))
            && self.steps.get(last).is_some_and(|step| step.guard.is_none())
    }

    /// Labels of a list of `brx.idx`.
    pub(crate) fn labels(&self, list: usize) -> &[usize] {
        self.lists.get(list).map_or(&[], Vec::as_slice)
    }

    /// Registers of a thread when a kernel with `setmaxnreg` is launched, as ptxas 13.5 decides it: what the directives leave, or the
    /// most that an `.inc` asks for if that is fewer. Nothing if there is no such instruction, or if the directives do not
    /// bound the registers: then ptxas leaves it out.
    pub fn registers_at_launch(&self) -> Option<u32> {
        let most = self.claims().filter(|claim| claim.grows).map(|claim| claim.registers).max().unwrap_or(u32::MAX);
        self.bounded_registers.filter(|_| self.sets_registers()).map(|bounded| bounded.min(most))
    }

    /// Whether it executes `setmaxnreg`.
    pub fn sets_registers(&self) -> bool {
        self.claims().next().is_some()
    }

    fn claims(&self) -> impl Iterator<Item = &Claim> {
        self.steps.iter().filter_map(|step| match &step.action {
            Action::World(world) => match world.what.inner() {
                code::What::Claim(claim) => Some(claim),
                _ => None,
            },
            _ => None,
        })
    }

    /// Whether it uses `cp.async`, for which the hardware keeps the copies of each thread in order.
    pub fn copies_asynchronously(&self) -> bool {
        self.steps.iter().any(|step| {
            let Action::World(world) = &step.action else { return false };
            matches!(world.what, code::What::CopyAsync { .. } | code::What::CopyArrive { .. })
        })
    }

    /// Whether some instruction needs the engine for tensor copies.
    pub fn copies_tensors(&self) -> bool {
        use code::What::{MapFence, MapPrefetch, TensorPrefetch, TensorToGlobal, TensorToShared};
        self.steps.iter().any(|step| {
            let Action::World(world) = &step.action else { return false };
            let copies = matches!(world.what, TensorToShared { .. } | TensorToGlobal { .. } | TensorPrefetch { .. });
            copies || matches!(world.what, MapFence { .. } | MapPrefetch { .. })
        })
    }
}

/// For each instruction, whether it is a branch target.
fn joined(steps: &[Step], lists: &[Vec<usize>]) -> Vec<bool> {
    let mut joined = vec![false; steps.len()];
    let branches = steps.iter().filter_map(|step| if let Action::Branch(to) = step.action { Some(to) } else { None });
    for to in branches.chain(lists.iter().flatten().copied()) {
        if let Some(joined) = joined.get_mut(to) {
            *joined = true;
        }
    }
    joined
}

/// Three numbers of a directive; those that are left out are 1.
fn directive(function: &Function, name: &str) -> Result<Option<[u32; 3]>, Complaint> {
    let Some(directive) = function.directives.iter().find(|directive| directive.name.value == name) else {
        return Ok(None);
    };
    let mut numbers = [1; 3];
    for (place, number) in numbers.iter_mut().zip(&directive.numbers) {
        *place = u32::try_from(*number).ok().filter(|number| *number > 0).ok_or_else(|| {
            let message = format!("`.{name}` of {number} is impossible");
            Complaint::new(directive.name.span, message, "1 to 4294967295 are possible")
        })?;
    }
    Ok(Some(numbers))
}

/// What `.maxnreg`, and `.minnctapersm` with the threads of a CTA, leave to each thread.
fn bounded_registers(function: &Function) -> Result<Option<u32>, Complaint> {
    let most = |name: &str| -> Result<_, Complaint> { Ok(directive(function, name)?.map(|[most, ..]| most)) };
    let threads =
        directive(function, "reqntid")?.map_or(directive(function, "maxntid"), |required| Ok(Some(required)))?;
    let shared_out = threads.zip(most("minnctapersm")?).map(|(threads, ctas)| {
        let threads: u64 = threads.iter().map(|n| u64::from(*n)).product();
        // registers are given to four warps at a time
        let all = threads.div_ceil(128).saturating_mul(128).saturating_mul(u64::from(ctas));
        (u64::from(ALL_REGISTERS) / all) as u32 / 8 * 8
    });
    let bounds = [most("maxnreg")?, shared_out];
    Ok(bounds.into_iter().flatten().min().map(|registers| registers.min(MOST_REGISTERS)))
}

/// Entries that can be executed.
fn entries(module: &Module) -> Vec<&str> {
    let entries = module.functions.iter().filter(|function| function.entry && function.body.is_some());
    entries.map(|function| function.name.value.as_str()).collect()
}

/// The entry that a name means.
fn find_entry<'m>(module: &'m Module, name: &str) -> Result<&'m str, Complaint> {
    match symbol::matching(name, &entries(module))[..] {
        [only] => Ok(only),
        [] => Err(no_entry(module, name)),
        ref several => {
            let message = format!("several entries are called `{name}`");
            let complaint = Complaint::new(module.version.span, message, "this module has all of them");
            Err(complaint.help(format!("say which: {}", symbol::listed(several))))
        }
    }
}

/// The complaint about an entry that there is not.
fn no_entry(module: &Module, entry: &str) -> Complaint {
    let names = entries(module);
    let complaint =
        Complaint::new(module.version.span, format!("there is no entry `{entry}`"), "this module does not have it");
    let known = names.iter().flat_map(|name| [Some((*name).to_owned()), symbol::brief(name)]).flatten();
    match names::nearest(entry, known) {
        _ if names.is_empty() => complaint.help("it has no entries at all"),
        Some(near) => complaint.help(format!("did you mean `{near}`? Its entries: {}", symbol::listed(&names))),
        None => complaint.help(format!("its entries: {}", symbol::listed(&names))),
    }
}

/// Variables, called as in the source, where that tells them apart.
fn named(mut variables: Vec<Placed>, entry: &str) -> Vec<Placed> {
    let spelled: Vec<String> = variables.iter().map(|placed| symbol::variable(&placed.name, entry)).collect();
    let mut times: HashMap<&str, usize> = HashMap::new();
    spelled.iter().for_each(|name| *times.entry(name).or_default() += 1);
    for (placed, name) in variables.iter_mut().zip(&spelled) {
        placed.name = if times.get(name.as_str()) == Some(&1) { name.clone() } else { symbol::spelled(&placed.name) };
    }
    variables
}
