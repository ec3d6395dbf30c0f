//! Answers of the unit, each to its window, and the registers that report them.

use super::*;

#[processes]
impl Windows {
    /// Window of an answer.
    #[inline]
    fn hear(&mut self) {
        self.comes.next = self.tells.q.val() | self.rsp_valid.val();
        self.of_wait.next = self.rsp.tag.val().get_bit(self.wait_bit);
        self.whose.next = self.rsp.tag.val().get_bits::<WINDOW_INDEX>(0) & self.numbers.to_bits();
        if self.tells.q.val() {
            self.of_wait.next = self.suspends.q.val();
            self.whose.next = self.asker.q.val();
        }
        self.fetched.next =
            self.comes.val() & self.fetches.q.val() & !self.of_wait.val() & (self.whose.val() == self.asker.q.val());
        self.told.next = 0.into();
        for w in 0..self.windows {
            if self.comes.val() & !self.fetched.val() & (self.whose.val() == w.to_bits()) {
                self.told.next = self.told.val() | (bits::<WINDOWS>(1) << w);
            }
        }
    }

    /// Read data of registers.
    #[inline]
    fn show(&mut self) {
        for k in 0..2 {
            self.has[k].next = (self.answered[k].q.val() & self.spot.val()).any();
            self.runs[k].next = (self.busy[k].q.val() & self.spot.val()).any();
            self.label[k].next = self.labels[k].read_data.val();
            self.ending[k].next = self.endings[k].read_data.val();
            self.shown[k].next = 0.into();
            if self.runs[k].val() {
                self.shown[k].next = bits::<32>(1) << registers::BUSY;
            }
        }
        // written out: rust-hdl's macro does not know the index of a loop within a cast
        if self.has[0].val() {
            self.shown[0].next = (bits::<32>(1) << registers::ANSWERED)
                | (bit_cast::<32, 8>(self.label[0].val()) << registers::LABEL)
                | (bit_cast::<32, 2>(self.ending[0].val().get_bits::<2>(Status::BITS)) << registers::PREDICATE)
                | bit_cast::<32, STATUS_BITS>(self.ending[0].val().get_bits::<STATUS_BITS>(0));
        }
        if self.has[1].val() {
            self.shown[1].next = (bits::<32>(1) << registers::ANSWERED)
                | (bit_cast::<32, 8>(self.label[1].val()) << registers::LABEL)
                | (bit_cast::<32, 2>(self.ending[1].val().get_bits::<2>(Status::BITS)) << registers::PREDICATE)
                | bit_cast::<32, STATUS_BITS>(self.ending[1].val().get_bits::<STATUS_BITS>(0));
        }
        self.last_waits.next = (self.waits.q.val() & self.spot.val()).any();
        self.result.next = 0.into();
        if self.has[0].val() & !self.last_waits.val() {
            self.result.next = self.results.read_data.val();
        }
        self.pending.next = bit_cast::<64, WINDOWS>(self.irq.q.val());
        self.value.next = 0.into();
        self.known.next = false;
        self.takes[0].next = false;
        self.takes[1].next = false;
        if self.common.val() {
            if self.register.val() == ADDRESS {
                self.known.next = true;
                self.value.next = self.kept[0].val();
            }
            if self.register.val() == DATA_LO {
                self.known.next = true;
                self.value.next = self.kept[1].val();
            }
            if self.register.val() == DATA_HI {
                self.known.next = true;
                self.value.next = self.kept[2].val();
            }
            if self.register.val() == COMMAND {
                self.known.next = self.write.q.val();
            }
            if self.register.val() == STATUS {
                self.known.next = !self.write.q.val();
                self.value.next = self.shown[0].val();
                if self.last_waits.val() {
                    self.value.next = self.shown[1].val();
                }
            }
            if self.register.val() == RESULT_LO {
                self.known.next = !self.write.q.val();
                self.value.next = self.result.val().get_bits::<32>(0);
            }
            if self.register.val() == RESULT_HI {
                self.known.next = !self.write.q.val();
                self.value.next = self.result.val().get_bits::<32>(32);
            }
            if self.register.val() == TAKE {
                self.takes[0].next = self.writes.val() & self.has[0].val() & !self.last_waits.val();
                self.takes[1].next = self.writes.val() & self.has[1].val() & self.last_waits.val();
                self.known.next = self.takes[0].val() | self.takes[1].val();
            }
            if self.register.val() == WAIT {
                self.known.next = !self.write.q.val();
                self.value.next = self.shown[1].val();
            }
            if self.register.val() == WAIT_TAKE {
                self.takes[1].next = self.writes.val() & self.has[1].val();
                self.known.next = self.takes[1].val();
            }
            if self.register.val() == INTERRUPT_ENABLE {
                self.known.next = true;
                self.value.next = bit_cast::<32, 1>((self.enabled[0].q.val() & self.spot.val()).any().into())
                    | (bit_cast::<32, 1>((self.enabled[1].q.val() & self.spot.val()).any().into()) << 1);
            }
            if self.register.val() == INTERRUPT_CAUSE {
                self.known.next = !self.write.q.val();
                self.value.next =
                    bit_cast::<32, 1>(self.has[0].val().into()) | (bit_cast::<32, 1>(self.has[1].val().into()) << 1);
            }
        }
        if self.privileged.val() {
            // FIRST and LAST of each window stand in its first 512 bytes
            if !self.register.val().get_bits::<3>(7).any() & ((self.register.val() >> 1) <= self.numbers.to_bits()) {
                self.known.next = self.spot.val().any();
                self.value.next = self.bound[0].val();
                if self.register.val().get_bit(0) {
                    self.value.next = self.bound[1].val();
                }
            }
            if self.register.val() == PENDING_LO {
                self.known.next = !self.write.q.val();
                self.value.next = self.pending.val().get_bits::<32>(0);
            }
            if self.register.val() == PENDING_HI {
                self.known.next = !self.write.q.val();
                self.value.next = self.pending.val().get_bits::<32>(32);
            }
        }
    }

    /// Writes by answers.
    #[inline]
    fn answer(&mut self) {
        for k in 0..2 {
            self.endings[k].write_address.next = self.whose.val();
            self.endings[k].write_data.next = bit_cast::<ENDING_BITS, STATUS_BITS>(self.rsp.status.val())
                | (bit_cast::<ENDING_BITS, 1>(self.rsp.predicate.val().into()) << Status::BITS)
                | (bit_cast::<ENDING_BITS, 1>(self.rsp_resumed.val().into()) << (Status::BITS + 1));
            if self.tells.q.val() {
                self.endings[k].write_data.next = 0.into();
                if self.outside.q.val() {
                    self.endings[k].write_data.next = bit_cast::<ENDING_BITS, STATUS_BITS>(OUT_OF_RANGE);
                }
            }
        }
        self.endings[0].write_enable.next = self.told.val().any() & !self.of_wait.val();
        self.endings[1].write_enable.next = self.told.val().any() & self.of_wait.val();
        self.results.write_address.next = self.whose.val();
        self.results.write_data.next = self.rsp.data.val();
        self.results.write_enable.next = self.told.val().any() & !self.of_wait.val();
        // the result of a fault is zero
        if self.tells.q.val() | (self.rsp.status.val().any() & (self.rsp.status.val() <= MISSING_INIT)) {
            self.results.write_data.next = 0.into();
        }
    }

    /// State of the windows: waiting for an answer, or answered.
    #[inline]
    fn finish(&mut self) {
        for k in 0..2 {
            self.busy[k].d.next = self.busy[k].q.val();
            self.answered[k].d.next = self.answered[k].q.val();
            if self.takes[k].val() {
                self.answered[k].d.next = self.answered[k].q.val() & !self.spot.val();
            }
        }
        if self.starts.val() {
            self.answered[0].d.next = self.answered[0].d.val() & !self.spot.val();
            if self.parks.val() {
                self.answered[1].d.next = self.answered[1].d.val() & !self.spot.val();
                self.busy[1].d.next = self.busy[1].q.val() | self.spot.val();
                self.waits.d.next = self.waits.q.val() | self.spot.val();
            }
            if !self.parks.val() {
                self.busy[0].d.next = self.busy[0].q.val() | self.spot.val();
                self.waits.d.next = self.waits.q.val() & !self.spot.val();
            }
        }
        if self.told.val().any() {
            if self.of_wait.val() {
                self.busy[1].d.next = self.busy[1].d.val() & !self.told.val();
                self.answered[1].d.next = self.answered[1].d.val() | self.told.val();
            }
            if !self.of_wait.val() {
                self.busy[0].d.next = self.busy[0].d.val() & !self.told.val();
                self.answered[0].d.next = self.answered[0].d.val() | self.told.val();
            }
        }
        // an interrupt ends with the access that takes the answer
        self.irq.d.next =
            (self.answered[0].d.val() & self.enabled[0].d.val()) | (self.answered[1].d.val() & self.enabled[1].d.val());
    }
}
