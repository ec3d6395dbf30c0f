//! Comparison of the answers with the expected ones.

use super::*;

#[processes]
impl Tester {
    #[inline]
    fn compare(&mut self) {
        self.answered.next = self.rsp_valid.val() & self.rsp_ready.val();
        self.of_own.next = self.answered.val() & (self.rsp_tag.val() == self.own_tag.val());
        self.of_shared.next = self.answered.val() & (self.rsp_tag.val() == self.shared_tag.val());
        self.foretold.next = self.queue.first[1].val();
        clear!(self.fails, self.reason);
        self.want_status.next = self.foretold.val().get_bits::<STATUS_BITS>(0);
        self.want_data.next = self.queue.first[0].val();
        self.failed_op.next = self.foretold.val().get_bits::<OP_BITS>(6);
        self.failed_slot.next = self.port.to_bits();
        if self.foretold.val().get_bit(12) {
            self.failed_slot.next = bits::<PLACE_BITS>(8) | self.port.to_bits();
        }

        // the own words: as predicted
        if self.of_own.val() {
            if (self.rsp_status.val() != self.want_status.val())
                | (self.rsp_predicate.val() != self.foretold.val().get_bit(5))
                | ((self.want_status.val() == Status::Ok) & (self.rsp_data.val() != self.want_data.val()))
            {
                self.fails.next = true;
                self.reason.next = WRONG;
            }
            if !self.queue.valid.q.val() {
                self.fails.next = true;
                self.reason.next = UNASKED;
            }
        }

        // the shared word: within the rules
        self.owed.next = self.rest.q.val();
        if !self.step.q.val().any() {
            self.owed.next = EIGHT;
        }
        if self.step.q.val() == 1 {
            self.owed.next = SEVEN;
        }
        self.in_token.next = bits::<COUNT_BITS>(0) - self.rsp_data.val().get_bits::<COUNT_BITS>(word::PENDING.lsb);
        self.sound.next = (self.rsp_data.val().get_bit(word::PHASE.lsb) == self.phase.q.val().get_bit(0))
            & !self.rsp_data.val().get_bit(word::FAULT.lsb)
            & !(self.rsp_data.val() & LOWER).any()
            & (self.in_token.val() >= bit_cast::<COUNT_BITS, 4>(self.owed.val()))
            & (bit_cast::<COUNT_BITS, 4>(self.owed.val()) + self.other_shares.to_bits() >= self.in_token.val());
        self.passes.next =
            self.of_shared.val() & ASKING.get_bit(self.shared_op.q.val().index()) & self.rsp_predicate.val();
        if self.of_shared.val() {
            self.want_status.next = Status::Ok.into();
            self.want_data.next = 0.into();
            self.failed_op.next = self.shared_op.q.val();
            self.failed_slot.next = BETWEEN;
            if self.shared_op.q.val() == Op::Load {
                self.want_data.next = self.last_word.val();
                if self.rsp_data.val() != self.last_word.val() {
                    self.fails.next = true;
                }
            }
            if (self.rsp_status.val() != Status::Ok)
                | (ARRIVING.get_bit(self.shared_op.q.val().index()) & !self.sound.val())
                | (self.passes.val() & !self.complete.val())
            {
                self.fails.next = true;
            }
            self.reason.next = WRONG;
            if !self.pending.q.val() | (self.offered.q.val() & self.shared.q.val()) {
                self.fails.next = true;
                self.reason.next = UNASKED;
            }
        }
        if self.answered.val() & !self.of_own.val() & !self.of_shared.val() {
            self.fails.next = true;
            self.reason.next = STRANGE;
        }
        self.failed_number.next = (self.failed_slot.val() ^ self.place.val()) & self.last_place.to_bits();
        if self.apart.val() {
            self.failed_number.next =
                ((self.failed_slot.val() << self.apart_shift) ^ self.place.val()) & self.last_place.to_bits();
        }
        self.failed_address.next = bit_cast::<32, PLACE_BITS>(self.failed_number.val()) << 3;
        if !self.of_shared.val() {
            if self.foretold.val().get_bit(13) {
                self.failed_address.next = self.failed_address.val() | 4;
            }
            if self.foretold.val().get_bit(14) {
                self.failed_address.next = self.failed_address.val() | FAR_AWAY;
            }
        }
    }
}
