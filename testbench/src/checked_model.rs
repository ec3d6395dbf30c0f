//! Reference model of checked mode: misuse that an H200 does not detect.
//!
//! The synccheck rules: a barrier is made before it is used, ended before it is made again, and not stored to; nobody arrives in
//! a phase before somebody has seen the previous one complete; a promise not to complete the phase is kept.

use serde::Serialize;
use std::fmt;
use txbar_rtl::op::Op;
use txbar_rtl::status::Status;

/// What is remembered of a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Life {
    /// The word is a live barrier.
    pub live: bool,
    /// A wait has seen its last phase complete, or the barrier is in its first phase.
    pub seen: bool,
}

/// What an operation did, apart from what checked mode makes of it.
#[derive(Clone, Copy, Debug)]
pub struct Deed {
    /// The operation, if its code means one.
    pub op: Option<Op>,
    /// Status.
    pub status: Status,
    /// The operation was a wait, and its phase had completed.
    pub predicate: bool,
    /// The operation completed the phase.
    pub completes: bool,
    /// Waits were suspended on its word.
    pub waited: bool,
}

impl Life {
    /// How the operation ends in checked mode; the word's life goes on.
    pub fn judge(&mut self, deed: Deed) -> Status {
        let Deed { op, status, predicate, completes, waited } = deed;
        use Status::*;
        if matches!(status, IllegalOperation | RemoteUnsupported | Misaligned | OutOfRange | OperandRange) {
            return status;
        }
        let Some(op) = op else { return status };
        let Life { live, seen } = *self;
        if completes {
            self.seen = waited;
        }
        if predicate {
            self.seen = true;
        }
        match op {
            Op::Load | Op::PendingCount => status,
            Op::Init => {
                *self = Life { live: true, seen: true };
                if live { ReinitWithoutInval } else { status }
            }
            Op::Store => {
                self.live = false;
                if live { StoreToBarrier } else { status }
            }
            _ if !live => MissingInit,
            Op::Inval => {
                self.live = false;
                if waited { InvalWithWaiters } else { status }
            }
            _ if status != Ok => status,
            Op::Arrive | Op::ArriveExpectTx | Op::ArriveDrop | Op::ArriveDropExpectTx | Op::CpAsyncArrive if !seen => {
                MissingWait
            }
            Op::ArriveNoComplete | Op::ArriveDropNoComplete if !seen => MissingWait,
            Op::ArriveNoComplete | Op::ArriveDropNoComplete if completes => NoCompleteCompleted,
            _ => status,
        }
    }
}

/// Something that checked mode has found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Remark {
    /// What, as a status.
    pub status: &'static str,
    /// Number of the word.
    pub word: usize,
    /// Parity of its phase before the operation.
    pub phase: u8,
    /// The port.
    pub port: usize,
    /// Tag of the request.
    pub tag: u16,
    /// Cycle in which it took effect.
    pub cycle: u64,
    /// The request.
    pub request: String,
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { status, word, phase, port, tag, cycle, request } = self;
        write!(f, "{status}: word {word}, phase {phase}, port {port}, tag {tag}, cycle {cycle}: {request}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(life: &mut Life, op: Op) -> Status {
        life.judge(Deed { op: Some(op), status: Status::Ok, predicate: false, completes: false, waited: false })
    }

    #[test]
    fn a_life_from_init_to_inval() {
        let mut life = Life::default();
        assert_eq!(judge(&mut life, Op::Arrive), Status::MissingInit);
        assert_eq!(judge(&mut life, Op::Init), Status::Ok);
        assert_eq!(judge(&mut life, Op::Arrive), Status::Ok);
        let completing =
            Deed { op: Some(Op::Arrive), status: Status::Ok, predicate: false, completes: true, waited: false };
        assert_eq!(life.judge(completing), Status::Ok);
        assert_eq!(judge(&mut life, Op::Arrive), Status::MissingWait);
        let seeing = Deed { op: Some(Op::TestWait), predicate: true, completes: false, ..completing };
        assert_eq!(life.judge(seeing), Status::Ok);
        assert_eq!(judge(&mut life, Op::Arrive), Status::Ok);
        let breaking = Deed { op: Some(Op::ArriveNoComplete), ..completing };
        assert_eq!(life.judge(breaking), Status::NoCompleteCompleted);
        assert_eq!(judge(&mut life, Op::Init), Status::ReinitWithoutInval);
        assert_eq!(life.judge(Deed { op: Some(Op::Inval), waited: true, ..seeing }), Status::InvalWithWaiters);
        assert_eq!(judge(&mut life, Op::Init), Status::Ok);
        assert_eq!(judge(&mut life, Op::Store), Status::StoreToBarrier);
        assert_eq!(judge(&mut life, Op::Store), Status::Ok);
    }
}
