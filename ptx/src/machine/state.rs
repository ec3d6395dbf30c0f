//! State of each thread and each CTA between two cycles.

use crate::address::Location;
use crate::effect::{Access, Atom, Claim, Effect, Meaning, Round, Together, Visit};
use crate::program::marks::Marks;
use crate::thread::{Lane, Whereabouts};
use std::collections::VecDeque;
use txbar_rtl::cluster::rendezvous::Act;
use txbar_rtl::copies::tensor;
use txbar_rtl::op::{Op, Operand, Reply};
use txbar_testbench::cluster::thread;
use txbar_testbench::tensor::map::WORDS;

/// Requests that a thread may have under way.
pub const NUMBERS: usize = 4;
/// Bits of a tag that number them.
pub const NUMBER_BITS: usize = NUMBERS.ilog2() as usize;
/// Bits of a tag that name a thread: a CTA has 1024 at most.
const THREAD_BITS: usize = 10;
/// Width of a tag.
pub const TAG_BITS: usize = THREAD_BITS + NUMBER_BITS;

/// A word of a CTA's shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Spot {
    /// Rank of the CTA.
    pub cta: u8,
    /// Byte address there.
    pub offset: u32,
}

/// A thread of the cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadId {
    /// Rank of its CTA.
    pub cta: u8,
    /// Number there.
    pub thread: u16,
}

impl ThreadId {
    /// Thread `thread` of CTA `cta`: there are 8 CTAs and 1024 threads at most.
    pub fn new(cta: usize, thread: usize) -> Self {
        Self { cta: cta as u8, thread: thread as u16 }
    }
}

/// State of a thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum State {
    /// Ready to execute the next instruction.
    Ready,
    /// Retries this effect in every cycle.
    Held(Effect),
    /// The hardware owes it this many answers.
    Answers(u8),
    /// Offered at the ports of the copies.
    Offered,
    /// At a barrier of the CTA.
    AtBar {
        /// Barrier instruction.
        visit: Visit,
        /// The barrier has counted it, and it waits.
        counted: bool,
    },
    /// At `setmaxnreg`: waits for the other lanes of its warp, or for registers.
    Claims(Claim),
    /// Waits for the other lanes of a mask.
    Together {
        /// The lanes.
        mask: u32,
        /// For what.
        what: Together,
    },
    /// At `barrier.cluster`: waits for the other lanes of its warp.
    AtRound(Round),
    /// The rendezvous has been asked for it.
    Asked(Round),
    /// Asleep until this cycle.
    Sleeping(u64),
    /// End.
    Exited,
}

/// What a request of a thread is about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Asked {
    /// A word of a load.
    Load {
        /// Index of the word.
        word: u8,
        /// The whole of it.
        access: Access,
    },
    /// A store, which nobody waits for.
    Store {
        /// The request may change the word.
        changes: bool,
    },
    /// What the thread loads or stores as a lane of its warp.
    Reach {
        /// The whole of it.
        access: Access,
        /// A store: no answer is awaited.
        stores: bool,
        /// The access may change the memory.
        changes: bool,
    },
    /// The first half of an atomic operation.
    AtomLoad {
        /// Value.
        access: Access,
        /// Atomic operation.
        atom: Atom,
        /// Interpretation of the values.
        meaning: Meaning,
        /// Operands.
        operands: [u64; 2],
    },
    /// A word of a tensor map that `tensormap.cp_fenceproxy` copies.
    Carry {
        /// Index of the word.
        word: u8,
    },
    /// The second half.
    AtomStore {
        /// The operation's bytes.
        access: Access,
        /// The old value.
        old: u64,
        /// The new one is another.
        changes: bool,
    },
    /// An operation on a barrier.
    Barrier {
        /// Operation.
        op: Op,
        /// The operand as the thread's register has it.
        operand: u64,
        /// The thread waits for the answer.
        answered: bool,
        /// It has [`Layout`](Asked::Layout) done when it has made a barrier.
        v1: bool,
    },
    /// What gives a barrier that has just been made layout v1: a load of its word, then a store.
    Layout {
        /// The store.
        stored: bool,
    },
    /// The load of `mbarrier.check_layout`.
    CheckLayout {
        /// The layout asked for is v1.
        v1: bool,
    },
}

/// A request under way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pending {
    /// Request that is answered.
    pub asked: Asked,
    /// The word.
    pub spot: Spot,
    /// Index of the instruction.
    pub pc: usize,
    /// Operand on the wires.
    pub data: u64,
    /// The word when it took effect.
    pub before: Option<u64>,
    /// The epoch of its thread when it was executed, for `races`.
    pub mark: u32,
}

impl Pending {
    /// Whether it went to the port for warps.
    pub fn is_of_a_warp(&self) -> bool {
        matches!(self.asked, Asked::Barrier { .. } | Asked::Reach { .. })
    }
}

/// Copies of a thread, in the order of the program.
#[derive(Clone, Debug, Default)]
pub struct Copies {
    /// Number of operations begun.
    pub begun: u64,
    /// Number of operations complete.
    pub done: u64,
    /// For each group that was committed, how many had begun then.
    pub groups: VecDeque<u64>,
}

impl Copies {
    /// A group ends here.
    pub fn commit(&mut self) {
        self.groups.push_back(self.begun);
    }

    /// Whether all groups but the latest `left` are complete.
    pub fn at_most(&mut self, left: usize) -> bool {
        while self.groups.front().is_some_and(|group| *group <= self.done) {
            self.groups.pop_front();
        }
        self.groups.len() <= left
    }
}

/// A state token that a thread was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// The token.
    pub value: u64,
    /// The barrier.
    pub spot: Spot,
    /// The number of its phase.
    pub phase: u64,
}

/// Tokens that are remembered of a thread.
pub const TOKENS: usize = 8;

/// A wait that has failed, and has not succeeded since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failing {
    /// Barrier.
    pub spot: Spot,
    /// Kind of wait.
    pub op: Op,
    /// Its operand as the register had it.
    pub operand: u64,
    /// Index of the instruction.
    pub pc: usize,
    /// The cycle of the last answer.
    pub cycle: u64,
    /// Number of times.
    pub times: u64,
}

/// The loop that a thread is in: where it has jumped backwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rounds {
    /// First instruction.
    pub first: usize,
    /// Last.
    pub last: usize,
    /// How often it has been gone round.
    pub count: u64,
}

impl Rounds {
    /// A jump backwards: around a loop that is known already, or a larger one, or another.
    pub fn note(&mut self, first: usize, last: usize) {
        let is_same = self.count > 0 && first <= self.last && last >= self.first;
        *self = match is_same {
            true => Self { first: first.min(self.first), last: last.max(self.last), count: self.count + 1 },
            false => Self { first, last, count: 1 },
        };
    }
}

/// A thread under way.
pub struct Runner {
    /// Registers.
    pub lane: Lane,
    /// What its special registers say.
    pub place: Whereabouts,
    /// State.
    pub state: State,
    /// Requests by number.
    pub pending: [Option<Pending>; NUMBERS],
    /// Words of a load that have come.
    pub words: [u64; NUMBERS],
    /// `cp.async`.
    pub copies: Copies,
    /// Which ring of the tracker its copies are in.
    pub ring: Option<usize>,
    /// Words of a tensor map that have been asked for.
    pub carried: u8,
    /// Values that have arrived.
    pub carriage: [u64; WORDS],
    /// Which place its bulk groups have in the hardware.
    pub place_of_groups: Option<usize>,
    /// The wait that fails.
    pub failing: Option<Failing>,
    /// What is known of its registers.
    pub(crate) marks: Marks,
    /// The last tokens that it was given, the latest first.
    pub tokens: VecDeque<Token>,
    /// The loop that it is in.
    pub rounds: Rounds,
    /// The branch that it has taken last, and where that led.
    pub branched: (usize, usize),
    /// How often it has arrived at the barrier of the cluster.
    pub round: u64,
}

impl Runner {
    /// A number for a request, if one is free.
    pub fn free_number(&self) -> Option<usize> {
        self.pending.iter().position(Option::is_none)
    }

    /// Number of free numbers.
    pub fn free_numbers(&self) -> usize {
        self.pending.iter().filter(|pending| pending.is_none()).count()
    }

    /// The wait that fails, or that the hardware owes it an answer to.
    pub fn waiting(&self) -> Option<Failing> {
        let wait = |pending: &Pending| match pending.asked {
            Asked::Barrier { op, operand, .. } if op.reply() == Reply::Predicate => {
                Some(Failing { spot: pending.spot, op, operand, pc: pending.pc, cycle: 0, times: 0 })
            }
            _ => None,
        };
        self.failing.or_else(|| self.pending.iter().flatten().find_map(wait))
    }

    /// Whether all its requests have been answered.
    pub fn is_settled(&self) -> bool {
        self.pending.iter().all(Option::is_none)
    }
}

/// A warp.
#[derive(Clone, Copy, Debug, Default)]
pub struct Warp {
    /// Lanes that can execute an instruction.
    pub ready: u32,
    /// Lanes that have not exited.
    pub live: u32,
    /// Turns that it has had.
    pub turns: u64,
    /// Interval of its turns (random schedules).
    pub sloth: u64,
}

/// Lanes of a warp that have executed an instruction together, and some of them wait for its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Convoy {
    /// The warp.
    pub warp: usize,
    /// Waiting lanes.
    pub awaited: u32,
    /// Those of them that are kept back when they have theirs.
    pub joining: u32,
    /// The others, which are kept back.
    pub kept: u32,
}

/// What stands at the wires of the tracker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AsyncOffer {
    /// Thread that it belongs to.
    pub thread: u16,
    /// The ring.
    pub ring: usize,
    /// Source address in global memory.
    pub global: u64,
    /// Destination in shared memory.
    pub shared: u32,
    /// Number of bytes.
    pub bytes: u8,
}

/// What stands at the wires of the bulk copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BulkOffer {
    /// Thread that it belongs to.
    pub thread: u16,
    /// Values on the wires.
    pub bulk: thread::Bulk,
}

/// What stands at the wires of the tensor engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorOffer {
    /// Thread that it belongs to.
    pub thread: u16,
    /// Index of the instruction.
    pub pc: usize,
    /// Action.
    pub act: tensor::Act,
    /// Map.
    pub map: u64,
    /// Coordinates.
    pub at: [i32; 5],
    /// Destination in shared memory.
    pub shared: u32,
    /// The barrier.
    pub barrier: u32,
    /// CTAs.
    pub ctas: u64,
    /// A store: code of the operation, or 0.
    pub action: u8,
    /// A store: the place of its thread's bulk groups.
    pub place: usize,
}

/// What stands at the wires of copies out of shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PutOffer {
    /// Thread that it belongs to.
    pub thread: u16,
    /// Kind of copy.
    pub put: Put,
}

/// A copy out of shared memory, or a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Put {
    /// A copy.
    Copy {
        /// Values on the wires.
        copy: thread::Put,
        /// Index of the instruction.
        pc: usize,
    },
    /// A group is committed, in this place.
    Commit(usize),
}

/// A wait for bulk groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupWait {
    /// Thread that waits.
    pub thread: u16,
    /// The place of its groups.
    pub place: usize,
    /// Groups that may be left.
    pub most: u8,
    /// `.read`.
    pub read: bool,
    /// Groups that may be left, as the instruction says.
    pub groups: u32,
}

/// What stands at the wires of `st.async` and `red.async`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PostOffer {
    /// Thread that it belongs to.
    pub thread: u16,
    /// Values on the wires.
    pub post: thread::Post,
}

/// A source that is being read by a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// Thread of the copy.
    pub thread: u16,
    /// Index of the instruction.
    pub pc: usize,
    /// First byte.
    pub shared: u32,
    /// Number of bytes.
    pub bytes: u32,
}

/// What a warp asks of the rendezvous.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundAsk {
    /// The warp.
    pub warp: usize,
    /// Lanes.
    pub lanes: u32,
    /// Action.
    pub act: Act,
    /// `.aligned`.
    pub aligned: bool,
    /// `.release`.
    pub releases: bool,
}

/// A request of another CTA under way in a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visitor {
    /// CTA that requested.
    pub cta: usize,
    /// Through which of its ports.
    pub port: usize,
    /// Tag there.
    pub tag: u16,
    /// Number of the word.
    pub word: u32,
}

/// What performing an effect came to.
pub enum Performed {
    /// The results are there.
    Results([u64; 8], usize),
    /// The thread waits.
    Wait(State),
    /// Not now.
    Later,
}

impl Performed {
    /// Done, without results.
    pub const NOTHING: Performed = Performed::Results([0; 8], 0);

    /// Done, with one result.
    pub fn one(value: u64) -> Self {
        Performed::Results([value, 0, 0, 0, 0, 0, 0, 0], 1)
    }
}

/// Whether an operation is a wait for the phase of a parity.
pub fn waits_by_parity(op: Op) -> bool {
    matches!(op.operand(), Operand::Parity | Operand::ParityAndLimit)
}

/// A place in shared memory, for messages.
pub fn shown(location: Location) -> String {
    match location {
        Location::Shared { rank: None, offset } => format!("shared memory {offset:#x}"),
        Location::Shared { rank: Some(rank), offset } => format!("shared memory {offset:#x} of CTA {rank}"),
        Location::Global(address) => format!("global memory {address:#x}"),
        Location::Local(address) => format!("local memory {address:#x}"),
        Location::Nowhere(address) => format!("{address:#x}, which is no address of shared memory"),
    }
}
