//! Choice of the next request, and its prediction.

use super::*;

#[processes]
impl Tester {
    #[inline]
    fn offer(&mut self) {
        self.roll.next = self.lfsr.value.val();
        self.own_tag.next = self.tags.val();
        self.shared_tag.next = self.tags.val() | 1;
        self.req_valid.next = self.offered.q.val() & (self.shared.q.val() | self.queue.room.q.val());
        self.req_tag.next = self.own_tag.val();
        self.slot.next = self.port.to_bits();
        if self.second.q.val() {
            self.slot.next = bits::<PLACE_BITS>(8) | self.port.to_bits();
        }
        if self.shared.q.val() {
            self.req_tag.next = self.shared_tag.val();
            self.slot.next = BETWEEN;
        }
        self.number.next = (self.slot.val() ^ self.place.val()) & self.last_place.to_bits();
        if self.apart.val() {
            self.number.next = ((self.slot.val() << self.apart_shift) ^ self.place.val()) & self.last_place.to_bits();
        }
        self.req_address.next = bit_cast::<32, PLACE_BITS>(self.number.val()) << 3;
        if self.misaligned.q.val() {
            self.req_address.next = (bit_cast::<32, PLACE_BITS>(self.number.val()) << 3) | 4;
        }
        if self.outside.q.val() {
            self.req_address.next = self.req_address.val() | FAR_AWAY;
        }
        self.rsp_ready.next = self.roll.val().get_bits::<2>(62).any();
        self.own.read_address.next = self.second.q.val().into();
        self.done.next = self.state.q.val() >= DONE;
        self.closed.next = self.state.q.val() == CLOSED;
        self.dropped.next = 0.into();
        for _f in 0..self.follower {
            self.dropped.next = self.rest.q.val();
        }
    }

    #[inline]
    fn foresee(&mut self) {
        connect!(self.oracle.* <<= self.*: op, remote, misaligned, outside, data, strobe);
        self.oracle.word.next = self.own.read_data.val();
    }

    #[inline]
    fn choose(&mut self) {
        self.accepted.next = self.req_valid.val() & self.req_ready.val();
        self.free.next = (!self.offered.q.val() | self.accepted.val()) & !self.halt.val();

        // candidates for a random request
        self.any_op.next = self.roll.val().get_bits::<OP_BITS>(0);
        if (self.roll.val().get_bits::<OP_BITS>(0) >= ILLEGAL) & self.roll.val().get_bits::<3>(5).any() {
            self.any_op.next = bit_cast::<OP_BITS, 4>(self.roll.val().get_bits::<4>(0));
        }
        if !self.roll.val().get_bits::<4>(10).any() {
            self.any_op.next = Op::Init.into();
        }
        self.random_word.next = self.roll.val()
            ^ ((bit_cast::<64, 35>(self.roll.val().get_bits::<35>(0)) << 29)
                | bit_cast::<64, 29>(self.roll.val().get_bits::<29>(35)));
        if self.roll.val().get_bit(14) {
            self.random_word.next = self.random_word.val() | FEW_PENDING;
        }
        if self.roll.val().get_bit(15) {
            self.random_word.next = self.random_word.val() & FEW_BYTES;
        }
        if self.roll.val().get_bits::<2>(16).any() {
            self.random_word.next = self.random_word.val() & SOUND;
        }
        self.operand.next = 1.into();
        if self.roll.val().get_bits::<2>(8) == 1 {
            self.operand.next = bit_cast::<64, 3>(self.roll.val().get_bits::<3>(40));
        }
        if self.roll.val().get_bits::<2>(8) == 2 {
            self.operand.next = bit_cast::<64, COUNT_BITS>(self.roll.val().get_bits::<COUNT_BITS>(40));
        }
        if self.roll.val().get_bits::<2>(8) == 3 {
            self.operand.next = bit_cast::<64, 21>(self.roll.val().get_bits::<21>(40));
        }
        if BY_PARITY.get_bit(self.any_op.val().index()) {
            self.operand.next = bit_cast::<64, 1>(self.roll.val().get_bits::<1>(40));
        }
        if BY_TOKEN.get_bit(self.any_op.val().index()) {
            self.operand.next = self.random_word.val() & UPPER;
        }
        if self.any_op.val() == Op::Store {
            self.operand.next = self.random_word.val();
        }

        // the choice
        self.steps.next = self.free.val()
            & !self.pending.q.val()
            & (((self.state.q.val() == MAIN)
                & self.open.val()
                & (self.roll.val().get_bit(39) | self.rush.val())
                & (self.phase.q.val() != PHASES))
                | (self.state.q.val() == OPEN)
                | (self.state.q.val() == CLOSE)
                | (self.state.q.val() == END));
        self.picks.next = self.free.val()
            & !self.steps.val()
            & (((self.state.q.val() == MAIN) & (self.phase.q.val() != PHASES) & !(self.rush.val() & self.open.val()))
                | (self.state.q.val() == FILL_FIRST)
                | (self.state.q.val() == FILL_SECOND)
                | (self.state.q.val() == READ_FIRST)
                | (self.state.q.val() == READ_SECOND));
        self.offered.d.next = self.offered.q.val() & !self.accepted.val();
        keep!(self.shared, self.op, self.remote, self.misaligned, self.outside, self.second, self.data, self.strobe);
        keep!(self.order, self.shared_op, self.few, self.rest, self.bytes);
        if self.picks.val() {
            self.offered.d.next = true;
            self.shared.d.next = false;
            self.op.d.next = self.any_op.val();
            self.remote.d.next = !self.roll.val().get_bits::<3>(19).any();
            self.misaligned.d.next = !self.roll.val().get_bits::<6>(22).any();
            self.outside.d.next = !self.roll.val().get_bits::<6>(28).any();
            self.second.d.next = self.roll.val().get_bit(18);
            self.data.d.next = self.operand.val();
            self.strobe.d.next = !bits::<8>(0);
            if !self.roll.val().get_bits::<2>(34).any() {
                self.strobe.d.next = self.roll.val().get_bits::<8>(40);
            }
            self.order.d.next = self.roll.val().get_bits::<ORDER_BITS>(36);
            if self.state.q.val() != MAIN {
                self.op.d.next = Op::Load.into();
                clear!(self.remote, self.misaligned, self.outside);
                self.second.d.next = (self.state.q.val() == FILL_SECOND) | (self.state.q.val() == READ_SECOND);
                self.data.d.next = self.random_word.val();
                self.strobe.d.next = !bits::<8>(0);
                if (self.state.q.val() == FILL_FIRST) | (self.state.q.val() == FILL_SECOND) {
                    self.op.d.next = Op::Store.into();
                }
            }
        }
        if self.steps.val() {
            self.offered.d.next = true;
            self.shared.d.next = true;
            clear!(self.remote, self.misaligned, self.outside);
            self.order.d.next = self.roll.val().get_bits::<ORDER_BITS>(36);
            self.op.d.next = Op::ArriveExpectTx.into();
            self.data.d.next = bit_cast::<64, 16>(self.roll.val().get_bits::<16>(44));
            if self.state.q.val() == OPEN {
                self.op.d.next = Op::Init.into();
                self.data.d.next = self.all_shares.to_bits();
            } else if self.state.q.val() == CLOSE {
                self.op.d.next = Op::Load.into();
            } else if self.state.q.val() == END {
                self.op.d.next = Op::Inval.into();
            } else if !self.step.q.val().any() {
                self.bytes.d.next = self.roll.val().get_bits::<16>(44);
                self.few.d.next = bit_cast::<4, 2>(self.roll.val().get_bits::<2>(40)) + 1;
                self.rest.d.next = SEVEN - self.few.d.val();
            } else if self.step.q.val() == 1 {
                self.op.d.next = Op::Arrive.into();
                self.data.d.next = bit_cast::<64, 4>(self.few.q.val());
            } else if self.step.q.val() == 2 {
                self.op.d.next = Op::CompleteTx.into();
                if self.roll.val().get_bit(5) {
                    self.op.d.next = Op::BulkCompleteTx.into();
                }
                self.data.d.next = bit_cast::<64, 16>(self.bytes.q.val());
            } else if self.step.q.val() == 3 {
                self.op.d.next = Op::Arrive.into();
                for _f in 0..self.follower {
                    if self.phase.q.val() == LAST_PHASE {
                        self.op.d.next = Op::ArriveDrop.into();
                    }
                }
                self.data.d.next = bit_cast::<64, 4>(self.rest.q.val());
            } else if !self.roll.val().get_bits::<2>(4).any() {
                self.op.d.next = Op::TestWait.into();
                self.data.d.next = bit_cast::<64, 1>(self.phase.q.val().get_bits::<1>(0)) << word::PHASE.lsb;
            } else {
                self.op.d.next = Op::TestWaitParity.into();
                self.data.d.next = bit_cast::<64, 1>(self.phase.q.val().get_bits::<1>(0));
                if self.roll.val().get_bit(4) {
                    // suspended for this many nanoseconds
                    self.op.d.next = Op::TryWaitParity.into();
                    self.data.d.next = bit_cast::<64, 1>(self.phase.q.val().get_bits::<1>(0))
                        | (bit_cast::<64, 12>(self.roll.val().get_bits::<12>(41)) << 32);
                }
            }
            self.shared_op.d.next = self.op.d.val();
        }
    }

    #[inline]
    fn keep(&mut self) {
        self.own.write_enable.next = self.accepted.val() & !self.shared.q.val();
        self.own.write_address.next = self.second.q.val().into();
        self.own.write_data.next = self.oracle.after.val();
        self.queue.push.next = self.accepted.val() & !self.shared.q.val() & !self.oracle.posted.val();
        self.queue.words[0].next = self.oracle.answer.val();
        self.queue.words[1].next = bit_cast::<64, STATUS_BITS>(self.oracle.status.val())
            | (bit_cast::<64, 1>(self.oracle.predicate.val().into()) << 5)
            | (bit_cast::<64, OP_BITS>(self.op.q.val()) << 6)
            | (bit_cast::<64, 1>(self.second.q.val().into()) << 12)
            | (bit_cast::<64, 1>(self.misaligned.q.val().into()) << 13)
            | (bit_cast::<64, 1>(self.outside.q.val().into()) << 14);
        self.queue.take.next = self.of_own.val() & self.queue.valid.q.val();
    }

    #[inline]
    fn follow(&mut self) {
        // the shared word
        self.pending.d.next = (self.pending.q.val() | self.steps.val()) & !self.of_shared.val();
        self.stepped.next = self.of_shared.val() & (self.step.q.val() != 4);
        if self.accepted.val() & self.shared.q.val() & (self.op.q.val() == Op::BulkCompleteTx) {
            self.pending.d.next = false;
            self.stepped.next = true;
        }
        if self.accepted.val() & self.shared.q.val() & (self.step.q.val() == 3) {
            self.finished.d.next = self.finished.q.val() + 1;
        }
        if self.state.q.val() == MAIN {
            if self.stepped.val() {
                self.step.d.next = self.step.q.val() + 1;
            }
            if self.passes.val() {
                self.step.d.next = 0.into();
                self.phase.d.next = self.phase.q.val() + 1;
            }
        }

        // the round
        if self.state.q.val() == REST {
            clear!(self.phase, self.step, self.finished, self.opened);
            if self.go.val() {
                self.state.d.next = FILL_FIRST;
            }
        }
        if self.free.val() {
            if self.state.q.val() == FILL_FIRST {
                self.state.d.next = FILL_SECOND;
            }
            if self.state.q.val() == FILL_SECOND {
                self.state.d.next = MAIN;
                for _l in 0..self.leader {
                    self.state.d.next = OPEN;
                }
            }
            if self.state.q.val() == OPEN {
                self.state.d.next = OPENING;
            }
            if (self.state.q.val() == MAIN) & (self.phase.q.val() == PHASES) {
                self.state.d.next = READ_FIRST;
            }
            if self.state.q.val() == READ_FIRST {
                self.state.d.next = READ_SECOND;
            }
            if self.state.q.val() == READ_SECOND {
                self.state.d.next = DRAIN;
            }
        }
        if (self.state.q.val() == OPENING) & self.of_shared.val() {
            self.state.d.next = MAIN;
            self.opened.d.next = true;
        }
        if (self.state.q.val() == DRAIN) & !self.offered.q.val() & !self.queue.valid.q.val() {
            self.state.d.next = DONE;
        }
        self.leads.next = self.leader.to_bits();
        if (self.state.q.val() == DONE) & self.leads.val().any() & self.all_done.val() {
            self.state.d.next = CLOSE;
        }
        if (self.state.q.val() == CLOSE) & self.of_shared.val() {
            self.state.d.next = END;
        }
        if (self.state.q.val() == END) & self.of_shared.val() {
            self.state.d.next = CLOSED;
        }
        if self.over.val() {
            self.state.d.next = REST;
        }
    }
}
