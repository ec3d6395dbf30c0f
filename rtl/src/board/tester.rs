//! Tester: traffic generator and checker of one port of the self-test.
//!
//! **What.** Two words of the memory belong to the port alone, and every answer about them is predicted when the request is accepted:
//! the [oracle](super::oracle) says what must come of it, the prediction waits in a queue, and the answer is compared with it. A
//! third word is a barrier that the ports share; there the tester knows what the *rules* say: see below.
//!
//! ```text
//!   lfsr ─► choose ─► offer ─► unit
//!                       │ accepted
//!                       └─► oracle ◄─► own words        answer ─► compare ─► fails, with the evidence
//!                             └─► prediction ─► queue ──────────────┘
//! ```
//! **A round** of a tester, in the order of its states:
//!
//! | state | does |
//! | --- | --- |
//! | `REST` | waits for the conductor |
//! | `FILL` | stores its two words, wherever they are in this round |
//! | `OPEN` | the leader (port 0) makes the shared word a barrier |
//! | `MAIN` | any operation on its own words, all the time; and four phases of the shared barrier |
//! | `READ` | loads its two words |
//! | `DRAIN` | waits until everything is answered |
//! | `CLOSE` | the leader loads the shared word, and ends the barrier |
//! | `DONE` | waits for the others |
//!
//! **A phase of the shared barrier** in five steps, one at a time and among requests on the own words: expect some bytes with one
//! arrival; arrive with a few more; complete the bytes (by a posted operation, one time in two); arrive with the rest of eight; wait
//! until the phase is complete. In the last phase all but the leader drop in the last arrival. However the ports mix:
//!
//! * every answer is `ok`;
//! * the token of an arrival has the phase's parity and no fault, and between as many arrivals pending as this port still owes and
//!   as many as this port and all of the others owe;
//! * a wait whose predicate is true ends only after the last arrival of every port;
//! * in the end the word is what follows from the sum of the drops.
//!
//! **Operands** are small, or large, or too large; a store makes words near their limits; every 64th address is no multiple of 8,
//! and every 64th is outside. The port is not always ready for answers.

use super::oracle::Oracle;
use crate::cells::fifo::Fifo;
use crate::cells::lfsr::Lfsr;
use crate::hardware;
use crate::hdl::*;
use crate::word::op::Op;
use crate::word::op::sets::{OpSet, set};
use crate::word::ordering::Order;
use crate::word::status::Status;
use crate::word::{self, COUNT_BITS};

/// State of a tester.
type State = Bits<4>;
/// Number of a phase, 0 to 3; 4 after the last one.
pub type Phase = Bits<3>;
/// Arrivals of each port in a phase.
pub const SHARE: u64 = 8;
/// Failure reason.
pub type Reason = Bits<3>;

/// Failure reasons, by code.
pub const REASONS: [&str; 5] =
    ["nothing", "an answer is wrong", "an answer to nothing", "a tag of nobody", "no round ends any more"];

/// Slot of the shared word, next to those of four ports.
const SHARED_SLOT: u64 = 4;
const OP_BITS: usize = Op::BITS;
const ORDER_BITS: usize = Order::BITS;
const STATUS_BITS: usize = Status::BITS;
/// Width of a word index, whatever the size of the memory.
pub const PLACE_BITS: usize = 16;

hardware! {
    /// Tester: traffic generator and checker of one port.
    pub module Tester = "tester" {
        /// A round is in progress.
        pub go: Signal<In, Bit>,
        /// The round ends.
        pub over: Signal<In, Bit>,
        /// A port has failed: no new requests.
        pub halt: Signal<In, Bit>,
        /// The shared word is a barrier.
        pub open: Signal<In, Bit>,
        /// All testers have completed their part.
        pub all_done: Signal<In, Bit>,
        /// Every port has made its last arrival in this tester's phase.
        pub complete: Signal<In, Bit>,
        /// Mask XORed with word indices in this round.
        pub place: Signal<In, Bits<PLACE_BITS>>,
        /// The ports' words are far apart, in one bank, in this round; otherwise they are adjacent.
        pub apart: Signal<In, Bit>,
        /// Only the shared word is accessed in this round, while there is work on it.
        pub rush: Signal<In, Bit>,
        /// Base of the tags in this round.
        pub tags: Signal<In, Tag>,
        /// Expected final value of the shared word.
        pub last_word: Signal<In, Word, WordView>,

        /// Request valid.
        pub req_valid: Signal<Out, Bit>,
        /// Address.
        pub req_address: Signal<Out, Bits<32>>,
        /// Tag.
        pub req_tag: Signal<Out, Tag>,
        /// Opcode.
        pub op: OutReg<OpCode, OpView>,
        /// Request treated as another CTA's.
        pub remote: OutReg<Bit>,
        /// Operand.
        pub data: OutReg<Word>,
        /// Byte enables.
        pub strobe: OutReg<Bits<8>>,
        /// Memory ordering.
        pub order: OutReg<OrderCode>,
        /// Request accepted.
        pub req_ready: Signal<In, Bit>,

        /// Answer valid.
        pub rsp_valid: Signal<In, Bit>,
        /// Answer accepted.
        pub rsp_ready: Signal<Out, Bit>,
        /// Tag.
        pub rsp_tag: Signal<In, Tag>,
        /// Status.
        pub rsp_status: Signal<In, StatusCode, StatusView>,
        /// Predicate.
        pub rsp_predicate: Signal<In, Bit>,
        /// Token, word or pending count.
        pub rsp_data: Signal<In, Word>,

        /// Random bits, also for other blocks.
        pub roll: Signal<Out, Word>,
        /// The tester has completed its part of the round.
        pub done: Signal<Out, Bit>,
        /// The leader has closed the round.
        pub closed: Signal<Out, Bit>,
        /// The leader knows that the shared word is a barrier.
        pub opened: OutControlReg<Bit>,
        /// Phase of the shared barrier that this tester is in.
        pub phase: OutControlReg<Phase>,
        /// Number of phases in which this tester has made its last arrival.
        pub finished: OutControlReg<Phase>,
        /// Arrivals that this tester has dropped.
        pub dropped: Signal<Out, Bits<4>>,

        /// The accepted answer is wrong.
        pub fails: Signal<Out, Bit>,
        /// Reason.
        pub reason: Signal<Out, Reason>,
        /// Opcode of the failed request.
        pub failed_op: Signal<Out, OpCode, OpView>,
        /// Address of the failed request.
        pub failed_address: Signal<Out, Bits<32>>,
        /// Expected status.
        pub want_status: Signal<Out, StatusCode, StatusView>,
        /// Expected data.
        pub want_data: Signal<Out, Word>,

        /// Index of the port.
        pub port: usize = port,
        /// 1 for the leader, else 0.
        pub leader: usize = (port == 0) as usize,
        /// 1 for the other ports, else 0.
        pub follower: usize = (port != 0) as usize,
        /// Arrivals of all ports in a phase.
        pub all_shares: usize = shares * ports,
        /// Arrivals of the other ports in a phase.
        pub other_shares: usize = shares * (ports - 1),
        /// Shift of indices that are far apart.
        pub apart_shift: usize = words.ilog2() as usize - 4,
        /// Last word index.
        pub last_place: usize = words - 1,

        /// Random bits.
        pub lfsr: Lfsr = Lfsr::new(port),
        /// Prediction of an operation's result.
        pub oracle: Oracle = Oracle::of_words(),
        /// Expected contents of the port's own words.
        pub own: LutRam<Word, Bits<1>, WordView> = LutRam::new(2),
        /// Predictions outstanding.
        pub queue: Fifo = Fifo::new(2, predictions, predictions),

        /// State of the round.
        pub state: ControlReg<State>,
        /// Request valid.
        pub offered: ControlReg<Bit>,
        /// The request is on the shared word.
        pub shared: Reg<Bit>,
        /// The request is on the second of the own words.
        pub second: Reg<Bit>,
        /// Address not a multiple of 8.
        pub misaligned: Reg<Bit>,
        /// Address outside the memory.
        pub outside: Reg<Bit>,
        /// A request on the shared word is offered or in flight.
        pub pending: ControlReg<Bit>,
        /// Opcode of that request.
        pub shared_op: Reg<OpCode, OpView>,
        /// Step of the phase.
        pub step: ControlReg<Bits<3>>,
        /// Arrivals of the second step.
        pub few: Reg<Bits<4>>,
        /// Arrivals of the fourth step.
        pub rest: Reg<Bits<4>>,
        /// Bytes of the phase.
        pub bytes: Reg<Bits<16>>,

        /// A new request may be chosen.
        pub free: Signal<Local, Bit>,
        /// A request on the own words is chosen.
        pub picks: Signal<Local, Bit>,
        /// The next step of the shared barrier is chosen.
        pub steps: Signal<Local, Bit>,
        /// Random word, or one near its limits.
        pub random_word: Signal<Local, Word>,
        /// Random operand.
        pub operand: Signal<Local, Word>,
        /// Random opcode.
        pub any_op: Signal<Local, OpCode, OpView>,
        /// Word index, before the XOR with `place`.
        pub slot: Signal<Local, Bits<PLACE_BITS>>,
        /// Word index.
        pub number: Signal<Local, Bits<PLACE_BITS>>,
        /// The request is accepted.
        pub accepted: Signal<Local, Bit>,
        /// Tag of requests on the own words.
        pub own_tag: Signal<Local, Tag>,
        /// Tag of requests on the shared word.
        pub shared_tag: Signal<Local, Tag>,
        /// An answer is accepted.
        pub answered: Signal<Local, Bit>,
        /// The answer is that of an own word.
        pub of_own: Signal<Local, Bit>,
        /// The answer is that of the shared word.
        pub of_shared: Signal<Local, Bit>,
        /// Prediction, without the data.
        pub foretold: Signal<Local, Word>,
        /// Arrivals pending according to the token.
        pub in_token: Signal<Local, Count>,
        /// Arrivals that this port still owes, including the one that is answered.
        pub owed: Signal<Local, Bits<4>>,
        /// The token is consistent with the rules.
        pub sound: Signal<Local, Bit>,
        /// The answer reports that the phase is complete.
        pub passes: Signal<Local, Bit>,
        /// Word index of the failed request, before the XOR.
        pub failed_slot: Signal<Local, Bits<PLACE_BITS>>,
        /// Word index of the failed request.
        pub failed_number: Signal<Local, Bits<PLACE_BITS>>,
        /// 1 for the leader, as a bit.
        pub leads: Signal<Local, Bits<1>>,
        /// The step of the shared barrier is complete.
        pub stepped: Signal<Local, Bit>,
    }
    constants {
        /// State: wait for the conductor.
        REST: State = Bits::constant(0);
        /// State: store the first word.
        FILL_FIRST: State = Bits::constant(1);
        /// State: store the second word.
        FILL_SECOND: State = Bits::constant(2);
        /// State: the leader initialises the shared barrier.
        OPEN: State = Bits::constant(3);
        /// State: wait for the shared barrier.
        OPENING: State = Bits::constant(4);
        /// State: random operations.
        MAIN: State = Bits::constant(5);
        /// State: load the first word.
        READ_FIRST: State = Bits::constant(6);
        /// State: load the second word.
        READ_SECOND: State = Bits::constant(7);
        /// State: wait for all answers.
        DRAIN: State = Bits::constant(8);
        /// State: wait for the other testers.
        DONE: State = Bits::constant(9);
        /// State: the leader loads the shared word.
        CLOSE: State = Bits::constant(10);
        /// State: the leader ends the barrier.
        END: State = Bits::constant(11);
        /// State: the leader waits for the conductor.
        CLOSED: State = Bits::constant(12);
        /// Phases of a round.
        PHASES: Phase = Bits::constant(4);
        /// Last phase of a round.
        LAST_PHASE: Phase = Bits::constant(3);
        /// First undefined opcode.
        ILLEGAL: OpCode = Bits::constant(Op::ALL.len() as u64);
        /// Operations whose operand is a token.
        BY_TOKEN: OpSet = set(&[Op::TestWait, Op::TryWait, Op::PendingCount]);
        /// Operations whose operand is a parity.
        BY_PARITY: OpSet = set(&[Op::TestWaitParity, Op::TryWaitParity]);
        /// Operations that return a token.
        ARRIVING: OpSet = set(&[Op::Arrive, Op::ArriveExpectTx, Op::ArriveDrop]);
        /// Operations that test whether a phase has completed.
        ASKING: OpSet = set(&[Op::TestWait, Op::TestWaitParity, Op::TryWaitParity]);
        /// Pending field of a few arrivals.
        FEW_PENDING: Word = Bits::constant(0xffff8 << word::PENDING.lsb & word::PENDING.mask());
        /// Mask that makes a tx-count small.
        FEW_BYTES: Word = Bits::constant(!(0x1f_fff8 << word::TX.lsb));
        /// All bits but the fault bit.
        SOUND: Word = Bits::constant(!word::FAULT.mask());
        /// Mask of a token's bits.
        UPPER: Word = Bits::constant(0xffff_ffff << 32);
        /// Mask of the other bits.
        LOWER: Word = Bits::constant(0xffff_ffff);
        /// An address outside any memory.
        FAR_AWAY: Bits<32> = Bits::constant(1 << 24);
        /// Slot of the shared word.
        BETWEEN: Bits<PLACE_BITS> = Bits::constant(SHARED_SLOT);
        /// Arrivals of the last two arriving steps together.
        SEVEN: Bits<4> = Bits::constant(SHARE - 1);
        /// Arrivals of a port in a phase.
        EIGHT: Bits<4> = Bits::constant(SHARE);
        /// Reason: wrong answer.
        WRONG: Reason = Bits::constant(1);
        /// Reason: answer without a request.
        UNASKED: Reason = Bits::constant(2);
        /// Reason: unknown tag.
        STRANGE: Reason = Bits::constant(3);
    }
    processes { Offer, Foresee, Compare, Choose, Keep, Follow }
    /// Tester of one of `ports` ports, for a memory of `words` words, with up to `predictions` requests in flight.
    built by pub fn new(port: usize, ports: usize, words: usize, predictions: usize) {
        let shares = SHARE as usize;
    }
}

mod choose;
mod compare;
