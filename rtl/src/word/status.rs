//! The statuses that an answer can carry: names and codes.

macro_rules! statuses {
    ($($(#[doc = $doc:literal])* $name:ident = $code:literal, $snake:literal;)*) => {
        /// Result of a request. Every status except `Ok` and the warnings of checked mode is a fault: the word keeps its value.
        ///
        /// Where several apply, the first in [`Status::PRECEDENCE`] is reported.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Status {
            $($(#[doc = $doc])* $name = $code,)*
        }

        impl Status {
            /// Every status, in the order of the codes.
            pub const ALL: &'static [Status] = &[$(Status::$name),*];

            /// Name in Verilog, manifests and reports.
            pub const fn name(self) -> &'static str {
                match self { $(Status::$name => $snake),* }
            }

            /// One sentence for users.
            pub const fn meaning(self) -> &'static str {
                match self { $(Status::$name => concat!($($doc),*).trim_ascii()),* }
            }
        }
    };
}

statuses! {
    /// Done.
    Ok = 0, "ok";
    /// The operand is above 2^20 - 1.
    OperandRange = 1, "operand_range";
    /// More arrivals than are pending.
    PendingUnderflow = 2, "pending_underflow";
    /// A drop of more arrivals than are expected.
    ExpectedUnderflow = 3, "expected_underflow";
    /// The tx-count would leave [-(2^20 - 1), 2^20].
    TxRange = 4, "tx_range";
    /// The word's sticky fault bit is set.
    FaultedWord = 5, "faulted_word";
    /// The address is not a multiple of 8.
    Misaligned = 6, "misaligned";
    /// The address is outside the memory.
    OutOfRange = 7, "out_of_range";
    /// The operation cannot be done on another CTA's barrier (PTX ISA 9.7.13.15.8).
    RemoteUnsupported = 8, "remote_unsupported";
    /// The opcode is not defined.
    IllegalOperation = 9, "illegal_operation";
    /// The barrier was ended or replaced while the wait was suspended.
    Invalidated = 10, "invalidated";
    /// Checked mode: the word is no live barrier.
    MissingInit = 11, "missing_init";
    /// Checked mode: the word was a live barrier already.
    ReinitWithoutInval = 12, "reinit_without_inval";
    /// Checked mode: a plain store to a live barrier.
    StoreToBarrier = 13, "store_to_barrier";
    /// Checked mode: an arrival in a phase before anybody saw the previous one complete.
    MissingWait = 14, "missing_wait";
    /// Checked mode: the arrival was promised not to complete the phase, and did.
    NoCompleteCompleted = 15, "no_complete_completed";
    /// Checked mode: the barrier was ended while waits were suspended on it.
    InvalWithWaiters = 16, "inval_with_waiters";
    /// `barrier.cluster`: a thread arrived again without having waited for the round that it had arrived in.
    ArrivedTwice = 17, "arrived_twice";
    /// `barrier.cluster`: a thread waited without having arrived.
    MissingArrive = 18, "missing_arrive";
    /// `barrier.cluster`: a thread that has exited.
    ExitedThread = 19, "exited_thread";
    /// Checked mode: `barrier.cluster.aligned` of a part of a warp.
    DivergentWarp = 20, "divergent_warp";
}

impl Status {
    /// Width of a status.
    pub const BITS: usize = 5;

    /// Order of precedence: causes in the request alone, then causes in the word. (Those of a suspended wait come last.) `barrier.cluster`
    /// has its own order: [`Status::OF_ROUNDS`].
    pub const PRECEDENCE: [Status; 15] = [
        Status::IllegalOperation,
        Status::RemoteUnsupported,
        Status::Misaligned,
        Status::OutOfRange,
        Status::OperandRange,
        Status::MissingInit,
        Status::FaultedWord,
        Status::PendingUnderflow,
        Status::ExpectedUnderflow,
        Status::TxRange,
        Status::InvalWithWaiters,
        Status::StoreToBarrier,
        Status::ReinitWithoutInval,
        Status::MissingWait,
        Status::NoCompleteCompleted,
    ];

    /// Faults of `barrier.cluster`, in order of precedence.
    pub const OF_ROUNDS: [Status; 4] =
        [Status::ExitedThread, Status::DivergentWarp, Status::ArrivedTwice, Status::MissingArrive];

    /// Whether the status is a warning of checked mode: the operation has been performed as it would have been without checks.
    pub const fn is_remark(self) -> bool {
        matches!(
            self,
            Status::MissingInit
                | Status::ReinitWithoutInval
                | Status::StoreToBarrier
                | Status::MissingWait
                | Status::NoCompleteCompleted
                | Status::InvalWithWaiters
        )
    }

    /// The code on the wires.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The status of a code, if it has one.
    pub fn from_code(code: u64) -> Option<Status> {
        Self::ALL.get(usize::try_from(code).ok()?).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_dense_and_fit() {
        for (position, status) in Status::ALL.iter().enumerate() {
            assert_eq!(Status::from_code(position as u64), Some(*status));
            let told_apart = matches!(status, Status::Ok | Status::Invalidated);
            assert!(told_apart || Status::PRECEDENCE.contains(status) || Status::OF_ROUNDS.contains(status));
        }
        assert_eq!(Status::from_code(Status::ALL.len() as u64), None);
        assert!(Status::ALL.len() <= 1 << Status::BITS);
    }
}
