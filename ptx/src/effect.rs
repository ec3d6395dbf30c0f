//! Effects of an instruction outside its thread, with all operands evaluated.
//!
//! Registers, arithmetic, control flow, local and parameter memory are a thread's own business. Everything else is an
//! [`Effect`], which the machine performs on the hardware; then it gives the results back.

use crate::address::Location;
use std::fmt;
use txbar_rtl::op::Op;
use txbar_rtl::ordering::Order;
use txbar_testbench::tensor::replace::Field;

/// Most values that one access moves.
pub const MOST_VALUES: usize = 8;

/// Values of a vector access, zero-extended.
pub type Values = [u64; MOST_VALUES];

/// An access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Where, a multiple of all its bytes.
    pub location: Location,
    /// Bytes of one value: 1, 2, 4 or 8.
    pub width: u8,
    /// Values, one behind the other.
    pub count: u8,
    /// `.acquire`, `.release` and the like; plain and `.relaxed` accesses have none.
    pub order: Order,
}

impl Access {
    /// All its bytes: 1 to 64.
    pub fn bytes(&self) -> u32 {
        u32::from(self.width) * u32::from(self.count)
    }
}

/// What an atomic operation does with the value in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // they are called what they are called in PTX
pub enum Atom {
    And,
    Or,
    Xor,
    Exch,
    Cas,
    Add,
    Inc,
    Dec,
    Min,
    Max,
    /// The bits of operand b become those of operand c: a field of a tensor map, and no operation of PTX.
    Insert,
}

/// How the values of an atomic operation are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Unsigned, or bits.
    Unsigned,
    /// Signed.
    Signed,
    /// Floating-point.
    Float,
}

/// Warp-wide operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Together {
    /// `bar.warp.sync`.
    Sync,
    /// `shfl.sync`: value, lane operand `b` and clamp operand `c`. Results: value, then predicate (0 or 1).
    Shuffle {
        /// `.up`, `.down`, `.bfly`, `.idx`.
        mode: Shuffle,
        /// Operand a.
        value: u32,
        /// Operand b.
        lane: u32,
        /// Operand c.
        clamp: u32,
    },
    /// `vote.sync`. Result: a predicate, or for `.ballot` a mask.
    Vote {
        /// `.all`, `.any`, `.uni`, `.ballot`.
        mode: Vote,
        /// The predicate, negated already if it is written so.
        predicate: bool,
    },
    /// `elect.sync`. Results: the lane elected, and whether it is this one.
    Elect,
    /// `match.any.sync` or `match.all.sync`. Results: mask, then predicate.
    Match {
        /// `.all`.
        all: bool,
        /// The value compared.
        value: u64,
    },
    /// `redux.sync` of integers.
    Reduce {
        /// Atomic operation.
        atom: Atom,
        /// Interpretation of the value.
        meaning: Meaning,
        /// The value.
        value: u32,
    },
    /// A matrix instruction: which step of the program; operands and results stay in the registers of the lanes.
    Matrix {
        /// Number.
        pc: usize,
        /// `wgmma.mma_async`, of the four warps of a warpgroup.
        grouped: bool,
    },
}

/// Mode of `shfl.sync`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // they are called what they are called in PTX
pub enum Shuffle {
    Up,
    Down,
    Butterfly,
    Index,
}

/// Mode of `vote.sync`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // they are called what they are called in PTX
pub enum Vote {
    All,
    Any,
    Uniform,
    Ballot,
}

/// What a `bar`/`barrier` instruction does besides being there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bar {
    /// `.sync`.
    Sync,
    /// `.arrive`: it does not wait.
    Arrive,
    /// `.red.popc`: result a count.
    Popc(bool),
    /// `.red.and`: result a predicate.
    And(bool),
    /// `.red.or`: result a predicate.
    Or(bool),
}

/// What a thread does at a barrier of its CTA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Visit {
    /// Number of the barrier, 0 to 15.
    pub number: u8,
    /// Threads that it is to count, a multiple of 32; nothing: all of the CTA.
    pub threads: Option<u32>,
    /// Barrier instruction.
    pub bar: Bar,
    /// `.aligned`, which every `bar` is.
    pub aligned: bool,
    /// Lanes of the warp that execute it together while all others pass over it; 0 if that is not so.
    pub together: u32,
}

impl Visit {
    /// Whether both are the same instruction.
    pub fn is_of_a_kind_with(&self, other: &Self) -> bool {
        std::mem::discriminant(&self.bar) == std::mem::discriminant(&other.bar)
    }

    /// Whether a barrier completes with this instruction of one warp, whatever others do.
    pub fn completes_alone(&self) -> bool {
        self.threads.is_some_and(|threads| threads <= 32)
    }

    /// Whether both may be counted by a barrier for one completion: the number of threads is the same, and so is the kind;
    /// `.sync` and `.arrive` are one kind.
    pub fn goes_with(&self, other: &Self) -> bool {
        let plain = |visit: &Self| matches!(visit.bar, Bar::Sync | Bar::Arrive);
        self.threads == other.threads && (self.is_of_a_kind_with(other) || plain(self) && plain(other))
    }
}

/// As it is written: `bar.sync 1, 96`.
impl fmt::Display for Visit {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let kind = match self.bar {
            Bar::Sync => "sync",
            Bar::Arrive => "arrive",
            Bar::Popc(_) => "red.popc",
            Bar::And(_) => "red.and",
            Bar::Or(_) => "red.or",
        };
        write!(f, "{}.{kind} {}", if self.aligned { "bar" } else { "barrier" }, self.number)?;
        self.threads.map_or(Ok(()), |threads| write!(f, ", {threads}"))
    }
}

/// `setmaxnreg`: a warp claims registers, or gives some back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Registers of each thread that it is to have, 24 to 256, a multiple of 8.
    pub registers: u32,
    /// `.inc` rather than `.dec`.
    pub grows: bool,
}

/// A step of `barrier.cluster`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// `.wait` rather than `.arrive`.
    pub wait: bool,
    /// `.aligned`.
    pub aligned: bool,
    /// `.arrive` that is not `.relaxed`.
    pub releases: bool,
}

/// What an instruction wants of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// No further effect: the instruction is complete.
    Done,
    /// Values are to be loaded: results in order, zero-extended.
    Load(Access),
    /// Values are to be stored.
    Store(Access, Values),
    /// An atomic operation: result the old value, also if the instruction has no use for it.
    Atomic {
        /// One value.
        access: Access,
        /// Atomic operation.
        atom: Atom,
        /// Interpretation of the values.
        meaning: Meaning,
        /// Operand b (for `cas` what is compared with).
        b: u64,
        /// Operand c of `cas`.
        c: u64,
    },
    /// An operation on a barrier in memory. Result: by [`Op::reply`] the token, predicate (0 or 1) or count; none if
    /// `answered` is false.
    Barrier {
        /// Operation.
        op: Op,
        /// `.shared::cluster` or a generic address may name another CTA; see [`Location::Shared`].
        location: Location,
        /// As the hardware wants it: see [`txbar_rtl::op::Operand`].
        data: u64,
        /// The operand as it is written or as its register has it, before it became `data`; 1 for arrivals that name no
        /// count, 0 if there is none.
        operand: u64,
        /// `.sem` and `.scope`.
        order: Order,
        /// The thread needs the result before it goes on.
        answered: bool,
        /// `.layout::v1` of `mbarrier.init`.
        v1: bool,
    },
    /// `mbarrier.check_layout`. Result: a predicate (0 or 1).
    CheckLayout {
        /// The barrier.
        location: Location,
        /// `.layout::v1` rather than `v0`.
        v1: bool,
    },
    /// `cp.async`.
    CopyAsync {
        /// Destination in shared memory.
        shared: Location,
        /// Source address in global memory.
        global: u64,
        /// 4, 8 or 16.
        bytes: u8,
        /// How many of them come from global memory; the others are zero.
        source_bytes: u8,
    },
    /// `cp.async.mbarrier.arrive`.
    CopyArrive {
        /// The barrier.
        location: Location,
        /// `.noinc`.
        noinc: bool,
    },
    /// `cp.async.commit_group`.
    CopyCommit,
    /// `cp.async.wait_group N`, or `wait_all` (nothing): also what is not committed.
    CopyWait(Option<u32>),
    /// `cp.async.bulk` from global to shared memory.
    BulkToShared {
        /// Destination in shared memory.
        shared: Location,
        /// Source address in global memory.
        global: u64,
        /// Number of bytes.
        bytes: u32,
        /// The barrier on which they are completed.
        barrier: Location,
        /// `.multicast::cluster`: to which CTAs.
        multicast: Option<u16>,
    },
    /// `cp.async.bulk` from shared to global memory, in bulk groups.
    BulkToGlobal {
        /// Source in shared memory.
        shared: Location,
        /// Destination address in global memory.
        global: u64,
        /// Number of bytes.
        bytes: u32,
        /// Which bytes of each 16 are written.
        mask: u16,
        /// `cp.reduce.async.bulk`: code of the reduction; 0 stores.
        reduction: u8,
    },
    /// `cp.async.bulk` or `cp.reduce.async.bulk` from shared memory to that of a CTA.
    BulkToCluster {
        /// Source in shared memory.
        shared: Location,
        /// Destination.
        to: Location,
        /// Number of bytes.
        bytes: u32,
        /// The barrier on which they are completed.
        barrier: Location,
        /// Code of the reduction; 0 stores.
        reduction: u8,
    },
    /// `st.async` or `red.async`.
    Post {
        /// Destination.
        to: Location,
        /// Number of bytes.
        bytes: u8,
        /// The bytes.
        data: [u64; 2],
        /// The barrier on which they are completed.
        barrier: Location,
        /// Code of the reduction; 0 stores.
        reduction: u8,
    },
    /// `cp.async.bulk.tensor` from global to shared memory.
    TensorToShared {
        /// The map.
        map: Location,
        /// Dimensions that the instruction names.
        rank: u8,
        /// Coordinates of the box, innermost first.
        at: [i32; 5],
        /// Destination in shared memory.
        shared: Location,
        /// The barrier on which the bytes of the box are completed.
        barrier: Location,
        /// `.multicast::cluster`: to which CTAs.
        multicast: Option<u16>,
    },
    /// `cp.async.bulk.tensor` and `cp.reduce.async.bulk.tensor` from shared to global memory.
    TensorToGlobal {
        /// The map.
        map: Location,
        /// Dimensions that the instruction names.
        rank: u8,
        /// Coordinates of the box, innermost first.
        at: [i32; 5],
        /// Source in shared memory.
        shared: Location,
        /// Code of the operation; 0 stores.
        action: u8,
    },
    /// `cp.async.bulk.prefetch.tensor`.
    TensorPrefetch {
        /// The map.
        map: Location,
        /// Dimensions that the instruction names.
        rank: u8,
        /// Coordinates of the box, innermost first.
        at: [i32; 5],
    },
    /// `tensormap.replace`.
    MapReplace {
        /// The map.
        map: Location,
        /// Field.
        field: Field,
        /// Dimension.
        dimension: u8,
        /// New value.
        value: u64,
    },
    /// `tensormap.cp_fenceproxy`: a map goes from shared to global memory.
    MapPublish {
        /// Destination.
        to: u64,
        /// Source.
        from: Location,
    },
    /// `fence.proxy.tensormap::generic.acquire`.
    MapFence {
        /// The map.
        map: Location,
    },
    /// `prefetch.tensormap`.
    MapPrefetch {
        /// The map.
        map: Location,
    },
    /// `cp.async.bulk.commit_group`.
    BulkCommit,
    /// `cp.async.bulk.wait_group{.read} N`.
    BulkWait {
        /// Groups that may be left.
        groups: u32,
        /// `.read`: the sources only.
        read: bool,
    },
    /// `bar` or `barrier`.
    Bar(Visit),
    /// `setmaxnreg`.
    Claim(Claim),
    /// `barrier.cluster`.
    Round(Round),
    /// Something that the threads of a mask do together.
    Together {
        /// Mask of lanes.
        mask: u32,
        /// Operation.
        what: Together,
    },
    /// `fence`, `membar`: earlier accesses are performed.
    Fence,
    /// `nanosleep`: at most this many nanoseconds.
    Sleep(u32),
    /// The thread ends.
    Exit,
    /// `trap`.
    Trap,
    /// `vprintf`. Result: how many arguments were printed.
    Print {
        /// The format.
        format: u64,
        /// The block of arguments.
        arguments: u64,
    },
    /// `__assertfail`; all but the line are addresses of texts.
    Assert {
        /// Address of the assertion's text.
        message: u64,
        /// The file.
        file: u64,
        /// The line in it.
        line: u32,
        /// The function.
        function: u64,
    },
}
