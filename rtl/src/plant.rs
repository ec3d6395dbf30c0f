//! Planted faults: known defects that can be put into a simulated unit, to show that a testbench finds them.
//!
//! Each lets a correct unit settle and then spoils what one line of the hardware, written wrongly, would have spoiled.
//! The unit itself knows nothing of them.

use crate::hdl::Bits;
use crate::op::Op;
use crate::unit::{Point, Unit};
use crate::word;

/// What a planted fault does at a point, with a state of its own to remember things in.
type Tamper = fn(&mut Unit, Point, &mut Memo);

/// A defect.
#[derive(Clone, Copy)]
pub struct Plant {
    /// Its name.
    pub name: &'static str,
    /// What the hardware does wrong.
    pub defect: &'static str,
    tamper: Tamper,
}

/// What a defect remembers from cycle to cycle.
#[derive(Clone, Debug, Default)]
struct Memo {
    data: u64,
    count: u32,
}

/// A defect in a unit.
#[derive(Clone)]
pub struct Planted {
    plant: Plant,
    memo: Memo,
}

impl Plant {
    /// The defect of this name.
    pub fn find(name: &str) -> Option<Plant> {
        PLANTS.iter().copied().find(|plant| plant.name == name)
    }

    /// The defect, ready to be put into a unit.
    pub fn planted(self) -> Planted {
        Planted { plant: self, memo: Memo::default() }
    }
}

impl Planted {
    /// Spoils what the defect spoils at this point.
    pub fn tamper(&mut self, unit: &mut Unit, point: Point) {
        (self.plant.tamper)(unit, point, &mut self.memo);
    }
}

/// Replaces the word that an operation leaves, wherever it goes.
fn replace_word(unit: &mut Unit, word: Bits<64>) {
    let bank = &mut unit.bank;
    bank.alu.word.next = word;
    bank.ram.write_data.next = word;
    bank.word_c5.d.next = word;
}

macro_rules! plants {
    ($($name:literal, $defect:literal, |$unit:ident, $point:ident, $memo:ident| $body:block)*) => {
        /// Every planted fault.
        pub const PLANTS: &[Plant] = &[$(Plant {
            name: $name,
            defect: $defect,
            tamper: |$unit, $point, $memo| {
                let _ = (&$point, &$memo);
                $body
            },
        }),*];
    };
}

plants! {
    "forward-any-address", "forwarding is not qualified by the address", |unit, point, memo| {
        if point == Point::Settled {
            unit.bank.follows_c3.d.next = unit.bank.writes_c2.q.val();
        }
    }
    "forward-not-next", "the word of the operation just ahead is not forwarded", |unit, point, memo| {
        if point == Point::Settled {
            unit.bank.follows_c3.d.next = false;
        }
    }
    "forward-not-second", "the word of the operation two ahead is not forwarded", |unit, point, memo| {
        if point == Point::Settled {
            unit.bank.follows_c4.d.next = false;
        }
    }
    "forward-not-third", "the word of the operation three ahead is not forwarded", |unit, point, memo| {
        if point == Point::Settled {
            unit.bank.follows_c5.d.next = false;
        }
    }
    "forward-not-fourth", "a read that meets a write of the same word trusts the memory", |unit, point, memo| {
        if point == Point::Settled {
            unit.bank.follows_c6.d.next = false;
        }
    }
    "forward-oldest", "of several operations on the word, the oldest is forwarded", |unit, point, memo| {
        if point == Point::Settled && unit.bank.follows_c5.d.val() {
            unit.bank.follows_c4.d.next = false;
            unit.bank.follows_c3.d.next = false;
        }
    }
    "flip-without-reload", "a flip leaves pending at zero", |unit, point, memo| {
        if point == Point::Answered && unit.bank.alu.flips.val() {
            let word = unit.bank.alu.word.val() & !word::PENDING.mask();
            replace_word(unit, word);
        }
    }
    "flip-without-phase", "a flip does not flip the phase", |unit, point, memo| {
        if point == Point::Answered && unit.bank.alu.flips.val() {
            let word = unit.bank.alu.word.val() ^ word::PHASE.mask();
            replace_word(unit, word);
        }
    }
    "flip-ignores-tx", "a phase completes although bytes are missing", |unit, point, memo| {
        if point == Point::Settled {
            unit.bank.alu.tx_met.d.next = true;
        }
    }
    "flip-reloads-old-expected", "a drop that completes the phase is not taken from the reload", |unit, point, memo| {
        if point == Point::Settled {
            memo.data = unit.bank.alu.drops.val().raw(); // of the operation that flips in the next cycle
        }
        if point == Point::Answered && unit.bank.alu.flips.val() {
            let word = unit.bank.alu.word.val();
            let pending = word::PENDING.of(word.raw()).wrapping_sub(memo.data) & 0xf_ffff;
            let word = (word & !word::PENDING.mask()) | (pending << word::PENDING.lsb);
            replace_word(unit, word);
        }
    }
    "tx-unsigned", "the tx-count is taken for unsigned: bytes that come early are a fault", |unit, point, memo| {
        if point == Point::Settled {
            let alu = &mut unit.bank.alu;
            let field = word::TX.of(alu.stepped.d.val().raw());
            let negative = field != 0 && field >> 20 == 0; // stored negative: a clear sign is a tx-count below zero
            if alu.updates.val() && negative {
                alu.tx_sign.d.next = true;
                alu.tx_addend_sign.d.next = true;
            }
        }
    }
    "tx-unchecked", "a tx-count that leaves its range wraps", |unit, point, memo| {
        if point == Point::Settled {
            let sum_sign = unit.bank.alu.stepped.d.val().get_bit(41);
            unit.bank.alu.tx_sign.d.next = sum_sign;
        }
    }
    "pending-wraps", "more arrivals than are pending wrap the count", |unit, point, memo| {
        if point == Point::Settled {
            unit.bank.alu.pending_short.d.next = false;
        }
    }
    "pending-empty-wraps", "an arrival where nothing is pending wraps the count", |unit, point, memo| {
        if point == Point::Settled {
            unit.bank.alu.pending_empty.d.next = false;
        }
    }
    "expected-wraps", "more drops than are expected wrap the count", |unit, point, memo| {
        if point == Point::Settled {
            unit.bank.alu.expected_short.d.next = false;
            unit.bank.alu.expected_empty.d.next = false;
        }
    }
    "drop-stays", "a drop is just an arrival", |unit, point, memo| {
        if point == Point::Selected {
            unit.bank.alu.drops.next = 0.into();
            unit.bank.alu.leaves.next = false;
        }
    }
    "fault-not-sticky", "an operation on a faulted word goes on", |unit, point, memo| {
        if point == Point::Settled {
            let alu = &mut unit.bank.alu;
            alu.holds.d.next = !alu.updates.val();
            alu.holds_or_alone.d.next = !alu.updates.val() | !alu.followed.val();
        }
    }
    "posted-fault-silent", "a posted operation that faults leaves no trace in the word", |unit, point, memo| {
        if point == Point::Settled {
            unit.bank.alu.taints.d.next = false;
        }
    }
    "fault-always-taints", "an operation that is answered sets the fault bit too", |unit, point, memo| {
        if point == Point::Settled {
            unit.bank.alu.taints.d.next = unit.bank.alu.updates.val();
        }
    }
    "token-after", "the token shows the word after the operation", |unit, point, memo| {
        if point == Point::Answered {
            unit.bank.answer_data.next = unit.bank.alu.word.val() & unit.bank.reveal.q.val();
        }
    }
    "token-late", "port 0 gets the data of its previous answer", |unit, point, memo| {
        let mine = unit.bank.answer_valid.val() && unit.bank.answer_port.val() == 0;
        if point == Point::Answered && mine {
            let data = unit.bank.answer_data.val().raw();
            unit.bank.answer_data.next = std::mem::replace(&mut memo.data, data).into();
        }
    }
    "wait-ignores-operand", "a wait answers the phase bit itself", |unit, point, memo| {
        if point == Point::Answered && unit.bank.answer_predicate.val() != unit.bank.alu.old.q.val().get_bit(63) {
            let fine = unit.bank.waits.q.val() && !unit.bank.alu.old.q.val().get_bit(42);
            unit.bank.answer_predicate.next ^= fine;
        }
    }
    "operand-20-bits", "bits of an operand above the twentieth are ignored", |unit, point, memo| {
        if point == Point::Settled {
            let decode = &mut unit.bank.decode;
            if decode.refused.d.val() == crate::status::Status::OperandRange {
                decode.refused.d.next = 0.into();
                decode.go.d.next = true;
                decode.taint.d.next = false;
                unit.bank.writes_c2.d.next = unit.bank.valid.q.val();
            }
        }
    }
    "address-wraps", "an address outside the memory comes round again", |unit, point, memo| {
        if point == Point::Settled {
            let decode = &mut unit.bank.decode;
            if decode.refused.d.val() == crate::status::Status::OutOfRange {
                decode.refused.d.next = 0.into();
                decode.go.d.next = true;
                let writes = crate::decode::WRITING.get_bit(decode.op.q.val().index());
                unit.bank.writes_c2.d.next = unit.bank.valid.q.val() & writes;
            }
        }
    }
    "strobe-ignored", "a store writes all bytes", |unit, point, memo| {
        if point == Point::Settled {
            unit.bank.decode.enables.d.next = 0xff.into();
        }
    }
    "init-keeps-tx", "init does not clear the tx-count", |unit, point, memo| {
        let decode = &mut unit.bank.decode;
        if point == Point::Settled && decode.opcode.q.val() == Op::Init && decode.go.q.val() {
            decode.keep.d.next = word::TX.mask().into();
        }
    }
    "inval-clears", "inval clears the word", |unit, point, memo| {
        let decode = &mut unit.bank.decode;
        if point == Point::Settled && decode.opcode.q.val() == Op::Inval && decode.go.q.val() {
            decode.keep.d.next = 0.into();
            unit.bank.writes_c3.d.next = unit.bank.valid_c2.q.val();
        }
    }
    "remote-token", "a remote arrival is given a token", |unit, point, memo| {
        if point == Point::Settled {
            unit.bank.decode.from_afar.d.next = false;
        }
    }
    "wrong-port", "every hundredth answer goes to the next port", |unit, point, memo| {
        if point == Point::Answered && unit.bank.answer_valid.val() {
            memo.count += 1;
            if memo.count.is_multiple_of(100) {
                let port = (unit.bank.answer_port.val().index() + 1) % unit.ports;
                unit.bank.answer_port.next = (port as u64).into();
            }
        }
    }
    "tag-lost", "every hundredth answer has tag 0", |unit, point, memo| {
        if point == Point::Answered && unit.bank.answer_valid.val() {
            memo.count += 1;
            if memo.count.is_multiple_of(100) {
                unit.bank.answer_tag.next = 0.into();
            }
        }
    }
    "answer-dropped", "every hundredth answer is lost", |unit, point, memo| {
        if point == Point::Answered && unit.bank.answer_valid.val() {
            memo.count += 1;
            if memo.count.is_multiple_of(100) {
                unit.bank.answer_valid.next = false;
            }
        }
    }
    "answer-not-held", "an answer that is not taken at once is gone", |unit, point, memo| {
        if point == Point::Requested {
            let all = (1u64 << unit.ports) - 1;
            memo.data = unit.rsp_ready.val().raw();
            unit.rsp_ready.next = all.into();
        }
        if point == Point::Settled {
            unit.rsp_ready.next = memo.data.into();
        }
    }
    "queue-overflows", "requests are accepted although their answers have no room", |unit, point, memo| {
        if point == Point::Requested {
            unit.arbiter.request.next = unit.req_valid.val();
        }
    }
    "arbiter-unfair", "the lowest port is always served first", |unit, point, memo| {
        if point == Point::Granted {
            unit.arbiter.served.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        for plant in PLANTS {
            let found = Plant::find(plant.name).expect("it is in the list");
            assert_eq!(found.defect, plant.defect, "two are called {}", plant.name);
        }
        assert!(Plant::find("none such").is_none());
    }
}
