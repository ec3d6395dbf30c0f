//! Reads of undefined registers: never written, or possibly still written by `wgmma`.
//!
//! Which registers of the entry may be read before they are written is found once, from the program (`first_marks`); only these,
//! and those that `wgmma` writes, are followed in a run. Functions that the entry calls are not looked at.
//!
//! **What is told.** Compilers copy values around that nobody has written and that do not matter (accumulators that `wgmma` does not
//! read, parts of a vector). So one is told of only where it decides something: an address, an operand of a barrier or a copy, the
//! predicate of a branch or of an access to memory, or where it is all that a store writes. It is followed through moves,
//! conversions, whole-number arithmetic and comparisons; `selp`, logic and floats end the trail. Results of `wgmma` may be moved before
//! `wgmma.wait_group`, as loops do that keep them in flight; nothing else may read them.

use super::Program;
use super::code::{Action, Address, Step, Value, What};
use super::ordering::Groups;
use super::outlook::written;
use crate::thread::Lane;

/// Bits that the search may need: registers of the entry times its blocks.
const MOST_BITS: usize = 1 << 28;

/// What is known of a register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mark {
    /// Written.
    #[default]
    Written,
    /// Never written.
    Unwritten,
    /// Result of this `wgmma`, of the group with this number.
    Pending { group: u32, pc: u32 },
}

/// What is known of the registers of a thread's entry; empty if nothing has to be followed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    of: Vec<Mark>,
    /// Groups of `wgmma` that have been committed.
    commits: u32,
}

/// A register that is read too early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Misread {
    /// Nobody has written it; what it is for the instruction.
    Unwritten(&'static str),
    /// Result of this `wgmma`, which has not been awaited.
    Pending(usize),
}

/// What an operand is for its instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Controls the instruction, in this role.
    Decides(&'static str),
    /// The stored value.
    Stored,
    /// One source of a result.
    Source,
    /// Moved unchanged.
    Moved,
}

/// The register of an operand.
fn slot(value: Value) -> Option<usize> {
    match value {
        Value::Register(slot) | Value::Part { slot, .. } | Value::Not(slot) => Some(slot as usize),
        _ => None,
    }
}

/// The operands of an instruction: those that it reads and that are followed.
fn operands(action: &Action, see: &mut dyn FnMut(Value, Role)) {
    const ADDRESS: Role = Role::Decides("its address");
    const BARRIER: Role = Role::Decides("its barrier");
    const BYTES: Role = Role::Decides("its number of bytes");
    let mut all = |values: &[Value], role: Role| values.iter().for_each(|value| see(*value, role));
    let base = |address: &Address| address.base;
    match action {
        Action::Move { from, .. } | Action::Unpack { from, .. } => all(&[*from], Role::Moved),
        Action::Pack { from, .. } => all(from, Role::Moved),
        Action::Compute(compute) => all(&compute.from, Role::Source),
        Action::Convert(convert) => all(&[convert.from], Role::Source),
        Action::Map(map) => all(&[base(&map.address)], ADDRESS),
        Action::Switch { index, .. } => all(&[*index], Role::Decides("its index")),
        Action::World(world) => match world.what.inner() {
            What::Load { at } => all(&[base(&at.address)], ADDRESS),
            What::Store { at, values } => {
                all(&[base(&at.address)], ADDRESS);
                all(values, if values.len() == 1 { Role::Stored } else { Role::Source });
            }
            What::Atomic { at, b, c, .. } => {
                all(&[base(&at.address)], ADDRESS);
                all(&[*b, *c], Role::Stored);
            }
            What::Barrier { address, operand, .. } => {
                all(&[base(address)], BARRIER);
                all(&[*operand], Role::Decides("its operand"));
            }
            What::CopyAsync { shared, global, .. } => all(&[base(shared), base(global)], ADDRESS),
            What::CopyArrive { address, .. } => all(&[base(address)], BARRIER),
            What::BulkToShared { shared, global, bytes, barrier, .. } => {
                all(&[base(shared), base(global)], ADDRESS);
                all(&[*bytes], BYTES);
                all(&[base(barrier)], BARRIER);
            }
            What::BulkToGlobal { shared, global, bytes, .. } => {
                all(&[base(shared), base(global)], ADDRESS);
                all(&[*bytes], BYTES);
            }
            What::BulkToCluster { shared, to, bytes, barrier, .. } => {
                all(&[base(shared), base(to)], ADDRESS);
                all(&[*bytes], BYTES);
                all(&[base(barrier)], BARRIER);
            }
            What::Post { at, barrier, .. } => {
                all(&[base(&at.address)], ADDRESS);
                all(&[base(barrier)], BARRIER);
            }
            What::TensorToShared { shared, map, at, barrier, .. } => {
                all(&[base(shared), base(map)], ADDRESS);
                all(at, Role::Decides("a coordinate"));
                all(&[base(barrier)], BARRIER);
            }
            What::TensorToGlobal { shared, map, at, .. } => {
                all(&[base(shared), base(map)], ADDRESS);
                all(at, Role::Decides("a coordinate"));
            }
            What::Bar { number, .. } => all(&[*number], BARRIER),
            What::Shuffle { value, .. } | What::Reduce { value, .. } => all(&[*value], Role::Source),
            _ => {}
        },
        _ => {}
    }
}

impl Program {
    /// What is known of registers at the beginning of the entry.
    pub(super) fn first_marks(&self) -> Marks {
        let is_grouped = |step: &Step| {
            matches!(&step.action, Action::World(world)
            if matches!(&world.what, What::Matrix { matrix, .. } if matrix.is_grouped()))
        };
        let early = self.read_before_written();
        if early.is_empty() && !self.steps.iter().any(is_grouped) {
            return Marks::default();
        }
        let slots = self.routines.first().map_or(0, |entry| entry.slots as usize);
        let mut of = vec![Mark::Written; slots];
        early.into_iter().for_each(|slot| of[slot] = Mark::Unwritten);
        Marks { of, commits: 0 }
    }

    /// Registers of the entry for which there is a way from its beginning to an instruction that reads them, and none on it writes them.
    fn read_before_written(&self) -> Vec<usize> {
        let Some(entry) = self.routines.first() else { return Vec::new() };
        let others = self.routines.iter().map(|routine| routine.pc).filter(|pc| *pc > entry.pc);
        let (begin, end) = (entry.pc, others.min().unwrap_or(self.steps.len()));
        let ends = |step: &Step| matches!(step.action, Action::Branch(_) | Action::Switch { .. } | Action::Return);
        let leads = |pc: &usize| *pc == begin || self.is_joined(*pc) || ends(&self.steps[pc - 1]);
        let firsts: Vec<usize> = (begin..end).filter(leads).collect();
        let words = (entry.slots as usize).div_ceil(64);
        if firsts.len() * words * 64 > MOST_BITS {
            return Vec::new();
        }
        let blocks = firsts.iter().zip(firsts.iter().skip(1).chain([&end])).map(|(first, end)| *first..*end);
        let blocks: Vec<_> = blocks.collect();
        let number = |pc: usize| firsts.partition_point(|first| *first <= pc).saturating_sub(1);
        // what each block reads before it writes it, what it writes, and where it leads
        let mut live = vec![vec![0u64; words]; blocks.len()];
        let mut writes = live.clone();
        let mut next: Vec<Vec<usize>> = vec![Vec::new(); blocks.len()];
        for (block, steps) in blocks.iter().enumerate() {
            for pc in steps.clone() {
                let Step { guard, action } = &self.steps[pc];
                let (live, writes) = (&mut live[block], &mut writes[block]);
                let mut reads = |slot: usize| {
                    if let (Some(live), Some(writes)) = (live.get_mut(slot / 64), writes.get(slot / 64)) {
                        *live |= 1 << (slot % 64) & !writes;
                    }
                };
                guard.iter().for_each(|guard| reads(guard.slot as usize));
                operands(action, &mut |value, _| slot(value).into_iter().for_each(&mut reads));
                for to in written(action).iter().filter(|_| guard.is_none()) {
                    if let Some(writes) = writes.get_mut(to.slot as usize / 64) {
                        *writes |= 1 << (to.slot % 64);
                    }
                }
                let goes_on = guard.is_some() || !ends(&self.steps[pc]);
                if pc + 1 == steps.end && goes_on && pc + 1 < end {
                    next[block].push(block + 1);
                }
                match action {
                    Action::Branch(to) => next[block].push(number(*to)),
                    Action::Switch { list, .. } => next[block].extend(self.labels(*list).iter().map(|to| number(*to))),
                    _ => {}
                }
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for block in (0..blocks.len()).rev() {
                for word in 0..words {
                    let behind = next[block].iter().fold(0, |all, next| all | live[*next][word]);
                    let now = live[block][word] | behind & !writes[block][word];
                    changed |= now != live[block][word];
                    live[block][word] = now;
                }
            }
        }
        let is_live = |slot: &usize| live.first().is_some_and(|live| live[slot / 64] >> (slot % 64) & 1 != 0);
        (0..entry.slots as usize).filter(is_live).collect()
    }

    /// What a thread reads too early with the instruction that it executes next; one may be a wait that is ignored.
    pub(crate) fn misreads(&self, lane: &Lane, marks: &mut Marks, ignored: Option<usize>) -> Option<Misread> {
        if marks.of.is_empty() || lane.depth() > 0 {
            return None;
        }
        let step = self.steps.get(lane.pc)?;
        let of =
            |marks: &Marks, value: Value| slot(value).and_then(|slot| marks.of.get(slot)).copied().unwrap_or_default();
        let mut wrong = None;
        if let Some(guard) = step.guard {
            if of(marks, Value::Register(guard.slot)) == Mark::Unwritten
                && matches!(step.action, Action::Branch(_) | Action::Return | Action::World(_))
            {
                return Some(Misread::Unwritten("its predicate"));
            }
            if lane.skips(guard) {
                return None;
            }
        }
        match self.ordering(lane.pc).groups {
            _ if ignored == Some(lane.pc) => {}
            Some(Groups::Commit) => marks.commits += 1,
            Some(Groups::Wait(left)) => {
                let over = marks.commits.saturating_sub(left);
                let is_over = |mark: &&mut Mark| matches!(mark, Mark::Pending { group, .. } if *group < over);
                marks.of.iter_mut().filter(is_over).for_each(|mark| *mark = Mark::Written);
            }
            None => {}
        }
        let (mut all, mut any) = (true, Mark::Written);
        operands(&step.action, &mut |value, role| {
            let mark = of(marks, value);
            all &= mark == Mark::Unwritten;
            any = if any == Mark::Written { mark } else { any };
            match (mark, role) {
                (Mark::Unwritten, Role::Decides(what)) => wrong = Some(Misread::Unwritten(what)),
                (Mark::Unwritten, Role::Stored) => wrong = Some(Misread::Unwritten("what it stores")),
                (Mark::Pending { pc, .. }, role) if role != Role::Moved => wrong = Some(Misread::Pending(pc as usize)),
                _ => {}
            }
        });
        let mark = match &step.action {
            Action::Pack { .. } if any == Mark::Unwritten && !all => Mark::Written,
            Action::Move { .. } | Action::Pack { .. } | Action::Unpack { .. } => any,
            Action::Compute(compute) if compute.arithmetic.follows_each() && any == Mark::Unwritten => any,
            Action::Convert(_) if any == Mark::Unwritten => any,
            Action::World(world) => match &world.what {
                What::Matrix { matrix, .. } if matrix.is_grouped() => {
                    Mark::Pending { group: marks.commits, pc: lane.pc as u32 }
                }
                _ => Mark::Written,
            },
            _ => Mark::Written,
        };
        for to in written(&step.action) {
            if let Some(there) = marks.of.get_mut(to.slot as usize) {
                *there = mark;
            }
        }
        wrong
    }
}
