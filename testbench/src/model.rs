//! The reference model: what one operation does to one word, in natural numbers.
//!
//! It follows the PTX ISA's own words (9.7.13.15: expect-tx, complete-tx, arrive-on, phase completion) and, where PTX
//! leaves a case undefined, the rules read off an H200 (`vectors/README.md`). It shares names and bit positions with the
//! hardware and nothing else: the hardware adds negative fields and looks for carries, the model subtracts counts and
//! compares them. Two descriptions that agree are evidence.

use crate::request::{Request, Response};
use bitvec::prelude::*;
use thiserror::Error;
use txbar_rtl::op::{Op, Operand, Reply};
use txbar_rtl::status::Status;
use txbar_rtl::word::{self, COUNT_MAX, Field, TX_MAX, TX_MIN};

/// Why an operation was refused. The word is as it was, or has just its fault bit set if the operation was posted.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum Fault {
    /// The opcode means nothing.
    #[error("opcode {0} means nothing")]
    IllegalOperation(u8),
    /// The operation cannot be done on another CTA's barrier.
    #[error("{} cannot be done on another CTA's barrier", .0.ptx())]
    RemoteUnsupported(Op),
    /// The address is not a multiple of 8.
    #[error("address {0:#x} is not a multiple of 8")]
    Misaligned(u32),
    /// The address is outside the memory.
    #[error("address {address:#x} is outside a memory of {bytes} bytes")]
    OutOfRange {
        /// The address.
        address: u32,
        /// Size of the memory in bytes.
        bytes: usize,
    },
    /// The operand is above 2^20 - 1; that of a warp's lanes on one word is their sum.
    #[error("operand {0} is above {COUNT_MAX}")]
    OperandRange(u64),
    /// The word has faulted before.
    #[error("the word has faulted before")]
    FaultedWord,
    /// More arrivals than are pending.
    #[error("{arrivals} arrivals where {pending} are pending")]
    PendingUnderflow {
        /// Arrivals requested.
        arrivals: u64,
        /// Arrivals pending.
        pending: u32,
    },
    /// A drop of more arrivals than are expected.
    #[error("{drops} drops where {expected} are expected")]
    ExpectedUnderflow {
        /// Drops requested.
        drops: u64,
        /// Arrivals expected.
        expected: u32,
    },
    /// The tx-count would leave its range.
    #[error("a tx-count of {0} is outside {TX_MIN}..={TX_MAX}")]
    TxRange(i64),
}

impl Fault {
    /// Whether the word shows it, and not the request alone: the operand is part of what is done to the word.
    fn is_of_the_word(self) -> bool {
        use Fault::*;
        !matches!(self, IllegalOperation(_) | RemoteUnsupported(_) | Misaligned(_) | OutOfRange { .. })
    }

    /// The status that reports it.
    pub fn status(self) -> Status {
        match self {
            Fault::IllegalOperation(_) => Status::IllegalOperation,
            Fault::RemoteUnsupported(_) => Status::RemoteUnsupported,
            Fault::Misaligned(_) => Status::Misaligned,
            Fault::OutOfRange { .. } => Status::OutOfRange,
            Fault::OperandRange(_) => Status::OperandRange,
            Fault::FaultedWord => Status::FaultedWord,
            Fault::PendingUnderflow { .. } => Status::PendingUnderflow,
            Fault::ExpectedUnderflow { .. } => Status::ExpectedUnderflow,
            Fault::TxRange(_) => Status::TxRange,
        }
    }
}

/// What an operation gives back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Done, and nothing to say.
    Done,
    /// The state token: the upper half of the word before the operation.
    Token(u32),
    /// Whether the phase has completed.
    Predicate(bool),
    /// A pending count.
    Count(u32),
    /// The word.
    Word(u64),
    /// No answer; if it faulted, the word's fault bit is set.
    Posted(Option<Fault>),
}

/// An operation on a word, without its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Operation.
    pub op: Op,
    /// Request of another CTA.
    pub remote: bool,
    /// Threads that do it at once: one, or lanes of a warp that name the word.
    pub threads: u32,
    /// Its operand; see [`Op::operand`]. Counts of several threads are added up.
    pub data: u64,
    /// Byte enables of a store.
    pub strobe: u8,
}

/// What an operation does to the counts.
struct Deltas {
    arrivals: u64,
    drops: u64,
    bytes: i64,
}

impl Deltas {
    /// Of an operation that so many threads do at once, with counts that add up to `sum`. Nothing if it moves no counts.
    fn of(op: Op, threads: u64, sum: u64) -> Option<Self> {
        let bytes = sum as i64;
        let (arrivals, drops, bytes) = match op {
            Op::Arrive | Op::ArriveNoComplete => (sum, 0, 0),
            Op::ArriveExpectTx => (threads, 0, bytes),
            Op::ArriveDrop | Op::ArriveDropNoComplete => (sum, sum, 0),
            Op::ArriveDropExpectTx => (threads, threads, bytes),
            Op::ExpectTx => (0, 0, bytes),
            Op::CompleteTx | Op::BulkCompleteTx => (0, 0, -bytes),
            Op::CpAsyncBegin => (0, 0, threads as i64),
            Op::CpAsyncEnd => (0, 0, -(threads as i64)),
            Op::CpAsyncArrive => (threads, 0, 0),
            Op::Load | Op::Store | Op::Init | Op::Inval | Op::PendingCount => return None,
            Op::TestWait | Op::TestWaitParity | Op::TryWait | Op::TryWaitParity => return None,
        };
        Some(Self { arrivals, drops, bytes })
    }
}

/// A barrier, as the manual describes it (9.7.13.15.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Barrier {
    phase: bool,
    pending: u32,
    faulted: bool,
    tx: i32,
    expected: u32,
    unused: bool,
}

/// A count that is stored negative.
fn load_negative(bits: &BitSlice<u64>, field: Field) -> u32 {
    let stored = bits[field.lsb..field.lsb + field.bits].load::<u32>();
    if stored == 0 { 0 } else { (1 << field.bits) - stored }
}

fn store_negative(bits: &mut BitSlice<u64>, field: Field, count: i64) {
    let stored = (-count).rem_euclid(1 << field.bits);
    bits[field.lsb..field.lsb + field.bits].store(stored as u32);
}

impl Barrier {
    fn from_word(word: u64) -> Self {
        let bits = word.view_bits::<Lsb0>();
        let tx = load_negative(bits, word::TX) as i32;
        Self {
            phase: bits[word::PHASE.lsb],
            pending: load_negative(bits, word::PENDING),
            faulted: bits[word::FAULT.lsb],
            tx: if tx > TX_MAX { tx - (1 << word::TX.bits) } else { tx },
            expected: load_negative(bits, word::EXPECTED),
            unused: bits[word::UNUSED.lsb],
        }
    }

    fn to_word(self) -> u64 {
        let mut word = 0u64;
        let bits = word.view_bits_mut::<Lsb0>();
        bits.set(word::PHASE.lsb, self.phase);
        store_negative(bits, word::PENDING, self.pending.into());
        bits.set(word::FAULT.lsb, self.faulted);
        store_negative(bits, word::TX, self.tx.into());
        store_negative(bits, word::EXPECTED, self.expected.into());
        bits.set(word::UNUSED.lsb, self.unused);
        word
    }

    fn initialised(count: u32) -> Self {
        Self { phase: false, pending: count, faulted: false, tx: 0, expected: count, unused: false }
    }

    /// Arrivals, drops and bytes, all in one step, and then the phase completion (9.7.13.15.6).
    fn update(self, Deltas { arrivals, drops, bytes }: Deltas) -> Result<Self, Fault> {
        let Self { pending, expected, .. } = self;
        if self.faulted {
            return Err(Fault::FaultedWord);
        }
        if arrivals > u64::from(pending) {
            return Err(Fault::PendingUnderflow { arrivals, pending });
        }
        if drops > u64::from(expected) {
            return Err(Fault::ExpectedUnderflow { drops, expected });
        }
        let tx = i64::from(self.tx) + bytes;
        if !(i64::from(TX_MIN)..=i64::from(TX_MAX)).contains(&tx) {
            return Err(Fault::TxRange(tx));
        }
        // they are no more than the counts that they are taken from
        let (pending, expected) = (pending - arrivals as u32, expected - drops as u32);
        let mut next = Self { pending, expected, tx: tx as i32, ..self };
        if next.pending == 0 && next.tx == 0 {
            next.phase = !next.phase;
            next.pending = next.expected;
        }
        Ok(next)
    }
}

/// A count of arrivals or bytes: at most 2^20 - 1.
fn bounded(count: u64) -> Result<u32, Fault> {
    if count > u64::from(COUNT_MAX) { Err(Fault::OperandRange(count)) } else { Ok(count as u32) }
}

fn merge_bytes(word: u64, data: u64, strobe: u8) -> u64 {
    let (mut merged, enables) = (word, strobe.view_bits::<Lsb0>());
    let bytes = merged.view_bits_mut::<Lsb0>().chunks_mut(8).zip(data.view_bits::<Lsb0>().chunks(8));
    for ((into, from), enable) in bytes.zip(enables) {
        if *enable {
            into.clone_from_bitslice(from);
        }
    }
    merged
}

/// The operation on the word: the new word and the answer, or the fault, with the word untouched.
///
/// A posted operation has nobody to tell of a fault, so it always succeeds: the new word has its fault bit set.
pub fn step(word: u64, operation: &Operation) -> Result<(u64, Answer), Fault> {
    let Operation { op, remote, .. } = *operation;
    if remote && !may_be_remote(op) {
        return refuse(word, op, Fault::RemoteUnsupported(op));
    }
    match attempt(word, operation) {
        Err(fault) if op.is_posted() => Ok((tainted(word), Answer::Posted(Some(fault)))),
        result => result,
    }
}

/// The word with its fault bit set.
fn tainted(mut word: u64) -> u64 {
    word.view_bits_mut::<Lsb0>().set(word::FAULT.lsb, true);
    word
}

/// A refusal that has nothing to do with the word: a posted operation leaves it alone as well.
fn refuse(word: u64, op: Op, fault: Fault) -> Result<(u64, Answer), Fault> {
    if op.is_posted() { Ok((word, Answer::Posted(Some(fault)))) } else { Err(fault) }
}

/// 9.7.13.15.8: what works on `.shared::cluster`. `.noComplete` and cp.async arrivals are `.shared::cta` only by their
/// syntax; a bulk copy may complete on another CTA's barrier.
fn may_be_remote(op: Op) -> bool {
    use Op::*;
    match op {
        Load | Store | Arrive | ArriveExpectTx | ArriveDrop | ArriveDropExpectTx | ExpectTx | CompleteTx
        | BulkCompleteTx => true,
        Init | Inval | ArriveNoComplete | ArriveDropNoComplete | TestWait | TestWaitParity | TryWait
        | TryWaitParity | PendingCount | CpAsyncBegin | CpAsyncEnd | CpAsyncArrive => false,
    }
}

fn attempt(word: u64, operation: &Operation) -> Result<(u64, Answer), Fault> {
    let Operation { op, remote, threads, data, strobe } = *operation;
    let barrier = Barrier::from_word(word);
    let waited = |phase: bool| {
        if barrier.faulted { Err(Fault::FaultedWord) } else { Ok(Answer::Predicate(barrier.phase != phase)) }
    };
    let count = match op.operand() {
        Operand::Arrivals | Operand::Bytes => bounded(data)?,
        _ => 0,
    };
    if let Some(deltas) = Deltas::of(op, threads.into(), count.into()) {
        let answer = match op.reply() {
            Reply::Token if !remote => Answer::Token((word >> 32) as u32),
            Reply::Posted => Answer::Posted(None),
            _ => Answer::Done,
        };
        return Ok((barrier.update(deltas)?.to_word(), answer));
    }
    Ok(match op {
        Op::Load => (word, Answer::Word(word)),
        Op::Store => (merge_bytes(word, data, strobe), Answer::Done),
        Op::Init => (Barrier::initialised(count).to_word(), Answer::Done),
        Op::TestWait | Op::TryWait => (word, waited(data.view_bits::<Lsb0>()[word::PHASE.lsb])?),
        Op::TestWaitParity | Op::TryWaitParity => (word, waited(data.view_bits::<Lsb0>()[0])?),
        Op::PendingCount => {
            let stored =
                data.view_bits::<Lsb0>()[word::PENDING.lsb..word::PENDING.lsb + word::PENDING.bits].load::<u32>();
            (word, Answer::Count((1 << word::PENDING.bits) - stored))
        }
        _ => (word, Answer::Done), // inval
    })
}

/// Result of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The answer, or nothing if the request was posted.
    pub response: Option<Response>,
    /// The fault, if there was one.
    pub fault: Option<Fault>,
}

/// Where an operation is done, and by whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Byte address.
    pub address: u32,
    /// Size of the memory in bytes.
    pub bytes: usize,
    /// The request came over the network, from a thread of another CTA.
    pub elsewhere: bool,
}

/// The operation on the word that an address names: the new word and what came of it. A fault of a request from another CTA
/// is in its answer, and also sets the fault bit of the word, as on an H200.
pub fn apply(word: u64, operation: &Operation, place: &Place) -> (u64, Result<Answer, Fault>) {
    let Operation { op, remote, .. } = *operation;
    let Place { address, bytes, elsewhere } = *place;
    let placed = op != Op::PendingCount && (!remote || may_be_remote(op));
    let result = if placed && !address.is_multiple_of(8) {
        refuse(word, op, Fault::Misaligned(address))
    } else if placed && address as usize >= bytes {
        refuse(word, op, Fault::OutOfRange { address, bytes })
    } else {
        step(word, operation)
    };
    match result {
        Ok((next, answer)) => (next, Ok(answer)),
        Err(fault) => (if elsewhere && fault.is_of_the_word() { tainted(word) } else { word }, Err(fault)),
    }
}

/// What stands on the wires of an answer; nothing if the operation is posted.
pub fn response(result: &Result<Answer, Fault>, tag: u16) -> Option<Response> {
    let answered = |status: Status, predicate, data| {
        Some(Response { tag, status: status.code(), predicate, data, resumed: false })
    };
    match *result {
        Err(fault) => answered(fault.status(), false, 0),
        Ok(Answer::Done) => answered(Status::Ok, false, 0),
        Ok(Answer::Token(token)) => answered(Status::Ok, false, u64::from(token) << 32),
        Ok(Answer::Predicate(predicate)) => answered(Status::Ok, predicate, 0),
        Ok(Answer::Count(count)) => answered(Status::Ok, false, count.into()),
        Ok(Answer::Word(word)) => answered(Status::Ok, false, word),
        Ok(Answer::Posted(_)) => None,
    }
}

/// A request on the word that it names: the new word and what came of it. Addresses are checked against a memory of
/// `bytes` bytes.
pub fn serve(word: u64, request: &Request, bytes: usize) -> (u64, Outcome) {
    let Request { op: code, remote, address, data, strobe, tag, order: _, elsewhere, threads } = *request;
    let (next, result) = match request.operation() {
        None => (word, Err(Fault::IllegalOperation(code))),
        Some(op) => {
            let data = match op.operand() {
                Operand::Arrivals | Operand::Bytes => u64::from(data as u32), // the upper half means nothing
                _ => data,
            };
            let operation = Operation { op, remote, threads, data, strobe };
            apply(word, &operation, &Place { address, bytes, elsewhere })
        }
    };
    let response = response(&result, tag);
    let fault = match result {
        Err(fault) => Some(fault),
        Ok(Answer::Posted(fault)) => fault,
        Ok(_) => None,
    };
    (next, Outcome { response, fault })
}

/// A state token after this many more arrivals of the same phase.
pub fn counted_down(token: u32, arrivals: u64) -> u32 {
    let barrier = Barrier::from_word(u64::from(token) << 32);
    let pending = u64::from(barrier.pending).saturating_sub(arrivals) as u32;
    (Barrier { pending, ..barrier }.to_word() >> 32) as u32
}

/// A memory of 64-bit words, all zero at first.
#[derive(Clone, Debug)]
pub struct Memory {
    words: Vec<u64>,
}

impl Memory {
    /// A memory of `words` words.
    pub fn new(words: usize) -> Self {
        Self { words: vec![0; words] }
    }

    /// Number of words.
    #[allow(clippy::len_without_is_empty)] // no memory is empty
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Number of the word that an address names, or of the one that a request with a bad address leaves alone.
    pub fn index(&self, address: u32) -> usize {
        (address as usize / 8) % self.words.len()
    }

    /// Does an operation on the word that an address names.
    pub fn apply(&mut self, operation: &Operation, address: u32, elsewhere: bool) -> Result<Answer, Fault> {
        let index = self.index(address);
        let (word, result) = apply(self.words[index], operation, &Place { address, bytes: self.len() * 8, elsewhere });
        self.words[index] = word;
        result
    }

    /// Serves a request.
    pub fn serve(&mut self, request: &Request) -> Outcome {
        let (index, bytes) = (self.index(request.address), self.words.len() * 8);
        let (word, outcome) = serve(self.words[index], request, bytes);
        self.words[index] = word;
        outcome
    }

    /// The word with this number.
    pub fn word(&self, index: usize) -> u64 {
        self.words[index]
    }
}

#[cfg(test)]
mod tests;
