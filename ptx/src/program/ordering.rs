//! Memory ordering of instructions, from their qualifiers: not needed by the hardware, but by the judgement of races.

use crate::ast::{Instruction, Number, Operand};
use crate::order::{Fence, Ordered, Scope, Space};

/// How an instruction is ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ordering {
    /// `.sem` and `.scope`, or what the instruction has without them.
    pub ordered: Ordered,
    /// A strong operation on memory (PTX ISA 8.5).
    pub strong: bool,
    /// A store of constants.
    pub constant: bool,
    /// A load of what the kernel does not write: `.nc`.
    pub read_only: bool,
    /// Kind of fence.
    pub fence: Option<Fence>,
    /// A step of the groups of `wgmma`.
    pub groups: Option<Groups>,
    /// It synchronises, and does nothing else: what would happen without its order can be asked.
    pub only_orders: bool,
}

/// What an instruction does with the groups of `wgmma` of its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Groups {
    /// `wgmma.commit_group`.
    Commit,
    /// `wgmma.wait_group` with this many left.
    Wait(u32),
}

impl Ordering {
    /// Ordering of an instruction.
    pub(crate) fn of(instruction: &Instruction) -> Self {
        let has = |name| instruction.has(name);
        let opcode = instruction.opcode.value.as_str();
        let scopes = [
            ("cta", Scope::Cta),
            ("cluster", Scope::Cluster),
            ("gpu", Scope::Gpu),
            ("gl", Scope::Gpu),
            ("sys", Scope::Gpu),
        ];
        let named = scopes.into_iter().find(|(name, _)| has(name)).map(|(_, scope)| scope);
        let on_barrier = opcode == "mbarrier";
        let arrives = on_barrier && (has("arrive") || has("arrive_drop"));
        let waits = on_barrier && (has("test_wait") || has("try_wait"));
        let relaxed = has("relaxed");
        let atomic = matches!(opcode, "atom" | "red");
        let strong = atomic
            || ["relaxed", "acquire", "release", "acq_rel", "volatile", "mmio"].into_iter().any(has) && !has("weak");
        let both = has("acq_rel");
        let ordered = Ordered {
            acquires: both || has("acquire") || opcode == "atom" || waits && !relaxed,
            releases: both || has("release") || arrives && !relaxed,
            scope: named.unwrap_or(if on_barrier { Scope::Cta } else { Scope::Gpu }),
        };
        let constant = opcode == "st" && instruction.operands.get(1).is_some_and(|stored| is_constant(&stored.value));
        let only_orders = match opcode {
            // `barrier.cluster` keeps CTAs from exiting, too
            "bar" | "barrier" => !has("arrive") && !has("red") && !has("cluster"),
            "fence" | "membar" => true,
            // that of bulk copies keeps shared memory until it has been read, too
            "cp" => !has("bulk") && (has("wait_group") || has("wait_all")),
            "wgmma" => has("wait_group"),
            _ => false,
        };
        Self {
            ordered,
            strong,
            constant,
            read_only: opcode == "ld" && has("nc"),
            fence: fence(instruction, named),
            groups: groups(instruction),
            only_orders,
        }
    }
}

fn is_constant(stored: &Operand) -> bool {
    match stored {
        Operand::Number(_) => true,
        Operand::Vector(parts) => parts.iter().all(|part| is_constant(&part.value)),
        _ => false,
    }
}

fn fence(instruction: &Instruction, scope: Option<Scope>) -> Option<Fence> {
    if !matches!(instruction.opcode.value.as_str(), "fence" | "membar") {
        return None;
    }
    let has = |name| instruction.has(name);
    Some(match () {
        () if has("proxy") && has("async") => {
            Fence::Async(match (has("global"), has("shared::cta") || has("shared::cluster")) {
                (true, _) => Some(Space::Global),
                (_, true) => Some(Space::Shared),
                _ => None,
            })
        }
        // both directions of the pair of proxies: it orders accesses of barriers that copies complete on, and memory besides
        () if has("proxy") && has("async::generic") => Fence::Async(None),
        () if has("proxy") && has("tensormap::generic") => Fence::MapRelease(scope.unwrap_or(Scope::Gpu)),
        () if has("proxy") => return None,
        () if has("mbarrier_init") => Fence::Memory(Ordered { acquires: true, releases: true, scope: Scope::Cluster }),
        () => Fence::Memory(Ordered {
            acquires: !has("release"),
            releases: !has("acquire"),
            scope: scope.unwrap_or(Scope::Gpu),
        }),
    })
}

fn groups(instruction: &Instruction) -> Option<Groups> {
    let wait = |operand: &Operand| match operand {
        Operand::Number(Number::Integer(left)) => u32::try_from(*left).ok(),
        _ => None,
    };
    match instruction.opcode.value.as_str() {
        "wgmma" if instruction.has("commit_group") => Some(Groups::Commit),
        "wgmma" if instruction.has("wait_group") => {
            Some(Groups::Wait(instruction.operands.first().and_then(|operand| wait(&operand.value))?))
        }
        _ => None,
    }
}
