//! Tester: the requests of one port of the self-test, and the answers that it must get.
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

/// A state.
type State = Bits<4>;
/// Number of one of four phases, and of what comes after them.
pub type Phase = Bits<3>;
/// Arrivals of each port in a phase.
pub const SHARE: u64 = 8;
/// Why a tester fails.
pub type Reason = Bits<3>;

/// Reasons, by code.
pub const REASONS: [&str; 5] =
    ["nothing", "an answer is wrong", "an answer to nothing", "a tag of nobody", "no round ends any more"];

/// Slot of the shared word, next to those of four ports.
const SHARED_SLOT: u64 = 4;
const OP_BITS: usize = Op::BITS;
const ORDER_BITS: usize = Order::BITS;
const STATUS_BITS: usize = Status::BITS;
/// Width of a word's number, whatever the size of the memory.
pub const PLACE_BITS: usize = 16;

hardware! {
    /// Tester: what a port of the self-test asks, and what it must be told.
    pub module Tester = "tester" {
        /// A round goes on.
        pub go: Signal<In, Bit>,
        /// The round is over.
        pub over: Signal<In, Bit>,
        /// Something has failed: nothing new is asked.
        pub halt: Signal<In, Bit>,
        /// The shared word is a barrier.
        pub open: Signal<In, Bit>,
        /// All testers have done their part.
        pub all_done: Signal<In, Bit>,
        /// Every port has made its last arrival in this tester's phase.
        pub complete: Signal<In, Bit>,
        /// What numbers of words are turned over with, in this round.
        pub place: Signal<In, Bits<PLACE_BITS>>,
        /// In this round the words of the ports are far apart, in one bank; else they are neighbours.
        pub apart: Signal<In, Bit>,
        /// In this round the shared word alone is asked for while there is something to be done there.
        pub rush: Signal<In, Bit>,
        /// What tags begin with, in this round.
        pub tags: Signal<In, Tag>,
        /// What the shared word must be in the end.
        pub last_word: Signal<In, Word, WordView>,

        /// A request is there.
        pub req_valid: Signal<Out, Bit>,
        /// Its address.
        pub req_address: Signal<Out, Bits<32>>,
        /// Its tag.
        pub req_tag: Signal<Out, Tag>,
        /// Its opcode.
        pub op: OutReg<OpCode, OpView>,
        /// It is taken for one of another CTA.
        pub remote: OutReg<Bit>,
        /// Its operand.
        pub data: OutReg<Word>,
        /// Its byte enables.
        pub strobe: OutReg<Bits<8>>,
        /// Its ordering.
        pub order: OutReg<OrderCode>,
        /// It is accepted.
        pub req_ready: Signal<In, Bit>,

        /// An answer is shown.
        pub rsp_valid: Signal<In, Bit>,
        /// It is taken.
        pub rsp_ready: Signal<Out, Bit>,
        /// Its tag.
        pub rsp_tag: Signal<In, Tag>,
        /// How the request ended.
        pub rsp_status: Signal<In, StatusCode, StatusView>,
        /// Predicate.
        pub rsp_predicate: Signal<In, Bit>,
        /// Token, word or count.
        pub rsp_data: Signal<In, Word>,

        /// Random bits, for others, too.
        pub roll: Signal<Out, Word>,
        /// The tester has done its part of the round.
        pub done: Signal<Out, Bit>,
        /// The leader has done the rest.
        pub closed: Signal<Out, Bit>,
        /// The shared word is a barrier, as the leader knows.
        pub opened: OutControlReg<Bit>,
        /// The phase of the shared barrier that this tester is in.
        pub phase: OutControlReg<Phase>,
        /// Phases in which it has made its last arrival.
        pub finished: OutControlReg<Phase>,
        /// Arrivals that it has dropped.
        pub dropped: Signal<Out, Bits<4>>,

        /// Something is wrong with the answer that is taken.
        pub fails: Signal<Out, Bit>,
        /// Why.
        pub reason: Signal<Out, Reason>,
        /// Opcode of the request.
        pub failed_op: Signal<Out, OpCode, OpView>,
        /// Its address.
        pub failed_address: Signal<Out, Bits<32>>,
        /// The status that it should have.
        pub want_status: Signal<Out, StatusCode, StatusView>,
        /// The data that it should have.
        pub want_data: Signal<Out, Word>,

        /// Number of the port.
        pub port: usize = port,
        /// 1 of the leader, else 0.
        pub leader: usize = (port == 0) as usize,
        /// 1 of the others, else 0.
        pub follower: usize = (port != 0) as usize,
        /// Arrivals of all ports in a phase.
        pub all_shares: usize = shares * ports,
        /// Arrivals of the other ports in a phase.
        pub other_shares: usize = shares * (ports - 1),
        /// How far numbers are shifted that are far apart.
        pub apart_shift: usize = words.ilog2() as usize - 4,
        /// The largest number of a word.
        pub last_place: usize = words - 1,

        /// Random bits.
        pub lfsr: Lfsr = Lfsr::new(port),
        /// What must come of a request.
        pub oracle: Oracle = Oracle::of_words(),
        /// What the own words must hold.
        pub own: LutRam<Word, Bits<1>, WordView> = LutRam::new(2),
        /// Predictions.
        pub queue: Fifo = Fifo::new(2, predictions, predictions),

        /// Where the round stands.
        pub state: ControlReg<State>,
        /// A request is offered.
        pub offered: ControlReg<Bit>,
        /// It is about the shared word.
        pub shared: Reg<Bit>,
        /// Which of the own words it is about.
        pub second: Reg<Bit>,
        /// Its address is no multiple of 8.
        pub misaligned: Reg<Bit>,
        /// Its address is outside the memory.
        pub outside: Reg<Bit>,
        /// A request about the shared word is offered or under way.
        pub pending: ControlReg<Bit>,
        /// Its opcode.
        pub shared_op: Reg<OpCode, OpView>,
        /// Step in the phase.
        pub step: ControlReg<Bits<3>>,
        /// Arrivals of the second step.
        pub few: Reg<Bits<4>>,
        /// Arrivals of the fourth.
        pub rest: Reg<Bits<4>>,
        /// Bytes of the phase.
        pub bytes: Reg<Bits<16>>,

        /// A request may be chosen.
        pub free: Signal<Local, Bit>,
        /// One about the own words is.
        pub picks: Signal<Local, Bit>,
        /// The shared barrier's next step is.
        pub steps: Signal<Local, Bit>,
        /// A word near its limits, or anywhere.
        pub random_word: Signal<Local, Word>,
        /// An operand.
        pub operand: Signal<Local, Word>,
        /// A random operation.
        pub any_op: Signal<Local, OpCode, OpView>,
        /// Number of the word, before it is turned over.
        pub slot: Signal<Local, Bits<PLACE_BITS>>,
        /// Number of the word.
        pub number: Signal<Local, Bits<PLACE_BITS>>,
        /// The request is accepted.
        pub accepted: Signal<Local, Bit>,
        /// Tag of the own words.
        pub own_tag: Signal<Local, Tag>,
        /// Tag of the shared word.
        pub shared_tag: Signal<Local, Tag>,
        /// An answer is taken.
        pub answered: Signal<Local, Bit>,
        /// It is about the own words.
        pub of_own: Signal<Local, Bit>,
        /// It is about the shared word.
        pub of_shared: Signal<Local, Bit>,
        /// The prediction, but for the data.
        pub foretold: Signal<Local, Word>,
        /// Arrivals pending in a token.
        pub in_token: Signal<Local, Count>,
        /// Arrivals that this port owes with the one that is answered.
        pub owed: Signal<Local, Bits<4>>,
        /// The token agrees with the rules.
        pub sound: Signal<Local, Bit>,
        /// The phase is complete, says the answer.
        pub passes: Signal<Local, Bit>,
        /// Number of the word of the failed request.
        pub failed_slot: Signal<Local, Bits<PLACE_BITS>>,
        /// The same, turned over.
        pub failed_number: Signal<Local, Bits<PLACE_BITS>>,
        /// It is the leader.
        pub leads: Signal<Local, Bits<1>>,
        /// The step of the shared barrier is over.
        pub stepped: Signal<Local, Bit>,
    }
    constants {
        /// Waits for the conductor.
        REST: State = Bits::constant(0);
        /// Stores the first word.
        FILL_FIRST: State = Bits::constant(1);
        /// Stores the second word.
        FILL_SECOND: State = Bits::constant(2);
        /// The leader makes the shared word a barrier.
        OPEN: State = Bits::constant(3);
        /// Waits for that.
        OPENING: State = Bits::constant(4);
        /// Any operation.
        MAIN: State = Bits::constant(5);
        /// Loads the first word.
        READ_FIRST: State = Bits::constant(6);
        /// Loads the second word.
        READ_SECOND: State = Bits::constant(7);
        /// Waits until everything is answered.
        DRAIN: State = Bits::constant(8);
        /// Waits for the others.
        DONE: State = Bits::constant(9);
        /// The leader loads the shared word.
        CLOSE: State = Bits::constant(10);
        /// The leader ends the barrier.
        END: State = Bits::constant(11);
        /// The leader waits for the conductor.
        CLOSED: State = Bits::constant(12);
        /// Phases of a round.
        PHASES: Phase = Bits::constant(4);
        /// The last of them.
        LAST_PHASE: Phase = Bits::constant(3);
        /// Codes that mean something are below.
        ILLEGAL: OpCode = Bits::constant(Op::ALL.len() as u64);
        /// Operations whose operand is a token.
        BY_TOKEN: OpSet = set(&[Op::TestWait, Op::TryWait, Op::PendingCount]);
        /// Operations whose operand is a parity.
        BY_PARITY: OpSet = set(&[Op::TestWaitParity, Op::TryWaitParity]);
        /// Operations that give a token.
        ARRIVING: OpSet = set(&[Op::Arrive, Op::ArriveExpectTx, Op::ArriveDrop]);
        /// Operations that ask whether a phase is complete.
        ASKING: OpSet = set(&[Op::TestWait, Op::TestWaitParity, Op::TryWaitParity]);
        /// A phase that is complete to a few arrivals.
        FEW_PENDING: Word = Bits::constant(0xffff8 << word::PENDING.lsb & word::PENDING.mask());
        /// All but what makes a tx-count large.
        FEW_BYTES: Word = Bits::constant(!(0x1f_fff8 << word::TX.lsb));
        /// All but the fault bit.
        SOUND: Word = Bits::constant(!word::FAULT.mask());
        /// What a token has.
        UPPER: Word = Bits::constant(0xffff_ffff << 32);
        /// What a token has not.
        LOWER: Word = Bits::constant(0xffff_ffff);
        /// An address outside any memory.
        FAR_AWAY: Bits<32> = Bits::constant(1 << 24);
        /// Slot of the shared word.
        BETWEEN: Bits<PLACE_BITS> = Bits::constant(SHARED_SLOT);
        /// Arrivals of the last two steps that arrive.
        SEVEN: Bits<4> = Bits::constant(SHARE - 1);
        /// Arrivals of a port in a phase.
        EIGHT: Bits<4> = Bits::constant(SHARE);
        /// An answer is wrong.
        WRONG: Reason = Bits::constant(1);
        /// An answer to nothing.
        UNASKED: Reason = Bits::constant(2);
        /// A tag of nobody.
        STRANGE: Reason = Bits::constant(3);
    }
    processes { Offer, Foresee, Compare, Choose, Keep, Follow }
    /// The tester of a port, of so many, for a memory of so many words, with so many requests under way at most.
    built by pub fn new(port: usize, ports: usize, words: usize, predictions: usize) {
        let shares = SHARE as usize;
    }
}

mod choose;
mod compare;
