//! The operations: names, codes, operands, and the effect of each on a barrier. The decoders of all builds and the self-test derive the
//! effects from this table, as sets of operations (`op/sets.rs`); the reference model and the model of the proofs state them independently.

pub mod sets;

/// Meaning of the 64 bits of request data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// Ignored.
    None,
    /// Bits 31:0, unsigned: a count of arrivals (refused above 2^20 - 1).
    Arrivals,
    /// Bits 31:0, unsigned: a count of bytes (refused above 2^20 - 1).
    Bytes,
    /// Bit 0: parity of the phase waited for.
    Parity,
    /// Bits 63:32: the upper half of a state token.
    Token,
    /// As `Parity`; bits 63:32: time limit of the wait in nanoseconds (see [`NO_LIMIT`]).
    ParityAndLimit,
    /// As `Token`; bits 31:0: time limit of the wait in nanoseconds.
    TokenAndLimit,
    /// All 64 bits, with one byte enable per byte.
    Word,
}

/// Time limit of a wait without one: [`DEFAULT_LIMIT_NS`] applies.
pub const NO_LIMIT: u32 = u32::MAX;

/// Default time limit of a suspended wait, in nanoseconds: as on an H200, whatever hint it is given (`testbench/silicon/timing`).
pub const DEFAULT_LIMIT_NS: u32 = 4000;

/// Contents of an answer's data when the status is `Ok`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// No data.
    Status,
    /// Bits 63:32: the upper half of the word before the operation, which is the state token. Not for a remote request.
    Token,
    /// No data; the predicate is valid.
    Predicate,
    /// Bits 31:0: a pending count.
    Count,
    /// The word.
    Word,
    /// No answer: the operation is posted, and a fault sets the sticky bit of the word.
    Posted,
}

/// A number of arrivals or bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// Zero.
    Zero,
    /// One.
    One,
    /// The operand.
    Operand,
}

/// Effect of an operation on a barrier if it is not refused, and who may request it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meaning {
    /// Arrivals: subtracted from the pending count.
    pub arrives: Amount,
    /// The arrivals are subtracted from the expected count, too, so that later phases do not wait for them.
    pub drops: bool,
    /// Added to the tx-count.
    pub expects: Amount,
    /// Subtracted from the tx-count.
    pub completes: Amount,
    /// `.noComplete`: the program promises that the operation does not complete the phase.
    pub no_complete: bool,
    /// The barrier in the word is ended or replaced.
    pub ends: bool,
    /// Other CTAs may request the operation, too.
    pub remote: bool,
}

impl Meaning {
    /// Operation of the word's own CTA without effect.
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

            /// The PTX instruction that the operation implements.
            pub const fn ptx(self) -> &'static str {
                match self { $(Op::$name => $ptx),* }
            }

            /// Meaning of the request's data.
            pub const fn operand(self) -> Operand {
                match self { $(Op::$name => Operand::$operand),* }
            }

            /// Contents of the answer.
            pub const fn reply(self) -> Reply {
                match self { $(Op::$name => Reply::$reply),* }
            }

            /// Effect on a barrier.
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
    /// `Arrive` with `.noComplete`; if the phase would complete, it does.
    ArriveNoComplete = 5, "arrive_no_complete", "arr.nc", "mbarrier.arrive.noComplete", Arrivals => Token,
        { arrives: Operand, no_complete: true };
    /// Expect-tx of the operand, then one arrival, in one step.
    ArriveExpectTx = 6, "arrive_expect_tx", "arr.tx", "mbarrier.arrive.expect_tx", Bytes => Token,
        { arrives: One, expects: Operand, remote: true };
    /// Arrive-on with a count that also leaves the later phases (9.7.13.15.14).
    ArriveDrop = 7, "arrive_drop", "drop", "mbarrier.arrive_drop", Arrivals => Token,
        { arrives: Operand, drops: true, remote: true };
    /// `ArriveDrop` with `.noComplete`; if the phase would complete, it does.
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
    /// Tests whether the phase of a token has completed (9.7.13.15.16).
    TestWait = 12, "test_wait", "test", "mbarrier.test_wait", Token => Predicate, {};
    /// Tests whether the phase of a parity has completed.
    TestWaitParity = 13, "test_wait_parity", "test.p", "mbarrier.test_wait.parity", Parity => Predicate, {};
    /// As `TestWait`; may suspend the thread.
    TryWait = 14, "try_wait", "try", "mbarrier.try_wait", TokenAndLimit => Predicate, {};
    /// As `TestWaitParity`; may suspend the thread.
    TryWaitParity = 15, "try_wait_parity", "try.p", "mbarrier.try_wait.parity", ParityAndLimit => Predicate, {};
    /// Returns the pending count in a token; the memory is not accessed (9.7.13.15.17).
    PendingCount = 16, "pending_count", "pending", "mbarrier.pending_count", Token => Count, {};
    /// First half of `cp.async.mbarrier.arrive`, at issue: tx-count + 1 (9.7.13.15.15; as on an H200, an operation of the thread itself,
    /// which receives its fault).
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

    /// Whether the operation is posted: it has no answer.
    pub const fn is_posted(self) -> bool {
        matches!(self.reply(), Reply::Posted)
    }
}

#[cfg(test)]
mod tests;
