//! The operations: names, codes, operands, and what each does to a barrier. The decoders of all builds and the self-test take the latter
//! from here, as sets of operations (`op/sets.rs`); the reference model and the model of the proofs say it once more, independently.

pub mod sets;

/// What the 64 bits of request data mean to an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// Nothing.
    None,
    /// Bits 31:0, unsigned: a count of arrivals (refused above 2^20 - 1).
    Arrivals,
    /// Bits 31:0, unsigned: a count of bytes (refused above 2^20 - 1).
    Bytes,
    /// Bit 0: parity of the phase waited for.
    Parity,
    /// Bits 63:32: the upper half of a state token.
    Token,
    /// The same as `Parity`, and in bits 63:32 how long the wait may be suspended, in nanoseconds (see [`NO_LIMIT`]).
    ParityAndLimit,
    /// The same as `Token`, and in bits 31:0 how long the wait may be suspended.
    TokenAndLimit,
    /// All 64 bits, with a byte enable each 8.
    Word,
}

/// The time limit of a wait that names none: [`DEFAULT_LIMIT_NS`] applies.
pub const NO_LIMIT: u32 = u32::MAX;

/// How long a wait is suspended that names no limit of its own, in nanoseconds: as long as on an H200, whatever hint it
/// is given (`testbench/silicon/timing`).
pub const DEFAULT_LIMIT_NS: u32 = 4000;

/// What an answer carries in its data when the status is `Ok`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The status alone.
    Status,
    /// Bits 63:32: the upper half of the word before the operation, which is the state token. Not for a remote request.
    Token,
    /// The predicate.
    Predicate,
    /// Bits 31:0: a pending count.
    Count,
    /// The word.
    Word,
    /// There is no answer at all: the operation is posted, and a fault sets the sticky bit of the word.
    Posted,
}

/// How many arrivals, or bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// None.
    Zero,
    /// One.
    One,
    /// As many as the operand says.
    Operand,
}

/// What an operation does to a barrier if it is not refused, and who may ask for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meaning {
    /// Arrivals: taken from the pending count.
    pub arrives: Amount,
    /// They are taken from the expected count too, so that later phases do not wait for them.
    pub drops: bool,
    /// Added to the tx-count.
    pub expects: Amount,
    /// Taken from the tx-count.
    pub completes: Amount,
    /// It is promised not to complete the phase.
    pub no_complete: bool,
    /// The word is not the barrier any more that it was.
    pub ends: bool,
    /// Another CTA may ask for it, and not only the word's own.
    pub remote: bool,
}

impl Meaning {
    /// That of an operation of one's own CTA that changes nothing.
    const NONE: Meaning = Meaning {
        arrives: Amount::Zero,
        drops: false,
        expects: Amount::Zero,
        completes: Amount::Zero,
        no_complete: false,
        ends: false,
        remote: false,
    };
}

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $snake:literal, $short:literal, $ptx:literal, $operand:ident => $reply:ident,
       { $($field:ident: $value:expr),* };)*) => {
        /// An operation on a 64-bit word of shared memory.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Op {
            $($(#[$doc])* $name = $code,)*
        }

        impl Op {
            /// Every operation, in the order of the codes.
            pub const ALL: &'static [Op] = &[$(Op::$name),*];

            /// Name in Verilog, manifests and reports.
            pub const fn name(self) -> &'static str {
                match self { $(Op::$name => $snake),* }
            }

            /// Name of at most eight characters, for pictures.
            pub const fn short(self) -> &'static str {
                match self { $(Op::$name => $short),* }
            }

            /// The PTX instruction that it serves.
            pub const fn ptx(self) -> &'static str {
                match self { $(Op::$name => $ptx),* }
            }

            /// What the request's data means.
            pub const fn operand(self) -> Operand {
                match self { $(Op::$name => Operand::$operand),* }
            }

            /// What the answer carries.
            pub const fn reply(self) -> Reply {
                match self { $(Op::$name => Reply::$reply),* }
            }

            /// What it does to a barrier.
            pub const fn meaning(self) -> Meaning {
                use Amount::{One, Operand};
                match self { $(Op::$name => Meaning { $($field: $value,)* ..Meaning::NONE }),* }
            }
        }
    };
}

operations! {
    /// Plain 64-bit load.
    Load = 0, "load", "load", "ld.shared.b64", None => Word,
        { remote: true };
    /// Plain 64-bit store, with byte enables.
    Store = 1, "store", "store", "st.shared.b64", Word => Status,
        { ends: true, remote: true };
    /// Makes the word a barrier: phase 0, pending = expected = count, tx-count 0 (9.7.13.15.9).
    Init = 2, "init", "init", "mbarrier.init", Arrivals => Status,
        { ends: true };
    /// Ends the barrier; the word stays as it is (9.7.13.15.10).
    Inval = 3, "inval", "inval", "mbarrier.inval", None => Status,
        { ends: true };
    /// Arrive-on with a count (9.7.13.15.13).
    Arrive = 4, "arrive", "arrive", "mbarrier.arrive", Arrivals => Token,
        { arrives: Operand, remote: true };
    /// The same, promised not to complete the phase; if it would, it does.
    ArriveNoComplete = 5, "arrive_no_complete", "arr.nc", "mbarrier.arrive.noComplete", Arrivals => Token,
        { arrives: Operand, no_complete: true };
    /// Expect-tx of the operand, then one arrival, in one step.
    ArriveExpectTx = 6, "arrive_expect_tx", "arr.tx", "mbarrier.arrive.expect_tx", Bytes => Token,
        { arrives: One, expects: Operand, remote: true };
    /// Arrive-on with a count that also leaves the later phases (9.7.13.15.14).
    ArriveDrop = 7, "arrive_drop", "drop", "mbarrier.arrive_drop", Arrivals => Token,
        { arrives: Operand, drops: true, remote: true };
    /// The same, promised not to complete the phase; if it would, it does.
    ArriveDropNoComplete = 8, "arrive_drop_no_complete", "drop.nc", "mbarrier.arrive_drop.noComplete", Arrivals => Token,
        { arrives: Operand, drops: true, no_complete: true };
    /// Expect-tx of the operand, then one arrival that leaves the later phases, in one step.
    ArriveDropExpectTx = 9, "arrive_drop_expect_tx", "drop.tx", "mbarrier.arrive_drop.expect_tx", Bytes => Token,
        { arrives: One, drops: true, expects: Operand, remote: true };
    /// Raises the tx-count (9.7.13.15.11).
    ExpectTx = 10, "expect_tx", "expect", "mbarrier.expect_tx", Bytes => Status,
        { expects: Operand, remote: true };
    /// Lowers the tx-count (9.7.13.15.12).
    CompleteTx = 11, "complete_tx", "complete", "mbarrier.complete_tx", Bytes => Status,
        { completes: Operand, remote: true };
    /// Whether the phase of a token has completed (9.7.13.15.16).
    TestWait = 12, "test_wait", "test", "mbarrier.test_wait", Token => Predicate, {};
    /// Whether the phase of a parity has completed.
    TestWaitParity = 13, "test_wait_parity", "test.p", "mbarrier.test_wait.parity", Parity => Predicate, {};
    /// As `TestWait`; may suspend the thread.
    TryWait = 14, "try_wait", "try", "mbarrier.try_wait", TokenAndLimit => Predicate, {};
    /// As `TestWaitParity`; may suspend the thread.
    TryWaitParity = 15, "try_wait_parity", "try.p", "mbarrier.try_wait.parity", ParityAndLimit => Predicate, {};
    /// The pending count in a token; the memory is not touched (9.7.13.15.17).
    PendingCount = 16, "pending_count", "pending", "mbarrier.pending_count", Token => Count, {};
    /// First half of `cp.async.mbarrier.arrive`, when it is issued: tx-count + 1 (9.7.13.15.15, and as the H200 does it:
    /// the thread itself does it, and is told if it faults).
    CpAsyncBegin = 17, "cp_async_begin", "cp.beg", "cp.async.mbarrier.arrive", None => Status,
        { expects: One };
    /// Second half, when the thread's earlier copies are done: tx-count - 1.
    CpAsyncEnd = 18, "cp_async_end", "cp.end", "cp.async.mbarrier.arrive", None => Posted,
        { completes: One };
    /// `cp.async.mbarrier.arrive.noinc`, when the thread's earlier copies are done: one arrival.
    CpAsyncArrive = 19, "cp_async_arrive", "cp.arr", "cp.async.mbarrier.arrive.noinc", None => Posted,
        { arrives: One };
    /// Bytes of a bulk copy have landed: tx-count - bytes.
    BulkCompleteTx = 20, "bulk_complete_tx", "bulk", "cp.async.bulk (mbarrier completion)", Bytes => Posted,
        { completes: Operand, remote: true };
}

impl Op {
    /// Width of an opcode.
    pub const BITS: usize = 5;

    /// The code on the wires.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The operation of a code, if it has one.
    pub fn from_code(code: u64) -> Option<Op> {
        Self::ALL.get(usize::try_from(code).ok()?).copied()
    }

    /// Whether it is posted: no answer comes.
    pub const fn is_posted(self) -> bool {
        matches!(self.reply(), Reply::Posted)
    }
}

#[cfg(test)]
mod tests;
