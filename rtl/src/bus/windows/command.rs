//! Accesses: the registers that they write, and the requests that they start.

use super::*;

#[processes]
impl Windows {
    /// Target of the access, and its write mask.
    #[inline]
    fn find(&mut self) {
        self.register.next = self.address.q.val().get_bits::<NUMBER_BITS>(2);
        self.offset.next = self.address.q.val().get_bits::<PAGE_OFFSET>(0) & self.page.to_bits();
        self.privileged.next = (self.address.q.val() >> 12) == self.privileged_page.to_bits();
        self.window.next = self.address.q.val().get_bits::<WINDOW_INDEX>(self.window_lsb) & self.numbers.to_bits();
        if self.privileged.val() {
            self.window.next = self.register.val().get_bits::<WINDOW_INDEX>(1) & self.numbers.to_bits();
        }
        self.spot.next = 0.into();
        for w in 0..self.windows {
            if self.window.val() == w.to_bits() {
                self.spot.next = self.spot.val() | (bits::<WINDOWS>(1) << w);
            }
        }
        self.memory.next = !self.address.q.val().get_bit(self.above_bit)
            & self.address.q.val().get_bit(self.memory_bit)
            & self.spot.val().any();
        // a page of registers may be smaller than one of the memory
        self.common.next = !self.address.q.val().get_bit(self.above_bit)
            & !self.address.q.val().get_bit(self.memory_bit)
            & self.spot.val().any()
            & !(self.offset.val() >> 12).any();
        self.writes.next = self.active.q.val() & self.write.q.val() & self.strobe.q.val().any();
        self.mask.next = 0.into();
        for b in 0..4 {
            if self.strobe.q.val().get_bit(b) {
                self.mask.next = self.mask.val() | (bits::<32>(0xff) << (b * 8));
            }
        }
        for k in 0..4 {
            self.operands[k].read_address.next = self.window.val();
        }
        for k in 0..2 {
            self.ranges[k].read_address.next = self.window.val();
            self.endings[k].read_address.next = self.window.val();
            self.labels[k].read_address.next = self.window.val();
        }
        self.results.read_address.next = self.window.val();
    }

    /// Registers of the window before and after the access.
    #[inline]
    fn merge(&mut self) {
        for k in 0..4 {
            self.kept[k].next = 0.into();
            if (self.given[k].q.val() & self.spot.val()).any() {
                self.kept[k].next = self.operands[k].read_data.val();
            }
            self.merged[k].next = (self.kept[k].val() & !self.mask.val()) | (self.data.q.val() & self.mask.val());
        }
        self.bound[0].next = 0.into();
        self.bound[1].next = ALL;
        for k in 0..2 {
            if (self.ranged[k].q.val() & self.spot.val()).any() {
                self.bound[k].next = self.ranges[k].read_data.val();
            }
        }
        self.place.next = self.kept[0].val();
        if self.memory.val() {
            self.place.next = (bit_cast::<32, PAGE_OFFSET>(self.offset.val()) >> 3) << 3;
        }
        self.allowed.next = (self.place.val().get_bits::<29>(3) >= self.bound[0].val().get_bits::<29>(3))
            & (self.place.val().get_bits::<29>(3) <= self.bound[1].val().get_bits::<29>(3));
        self.command.next = self.merged[3].val();
        self.code.next = self.command.val().get_bits::<OP_BITS>(0);
        self.parks.next = false;
        if self.code.val() == Op::TryWait {
            self.parks.next = !(self.busy[1].q.val() & self.spot.val()).any();
            if !self.parks.val() {
                self.code.next = Op::TestWait.into();
            }
        }
        if self.command.val().get_bits::<OP_BITS>(0) == Op::TryWaitParity {
            self.parks.next = !(self.busy[1].q.val() & self.spot.val()).any();
            if !self.parks.val() {
                self.code.next = Op::TestWaitParity.into();
            }
        }
    }

    /// Start of requests, and end of accesses.
    #[inline]
    fn decide(&mut self) {
        self.free.next = !self.asks.q.val()
            & !self.tells.q.val()
            & !self.fetches.q.val()
            & !(self.busy[0].q.val() & self.spot.val()).any();
        self.starts.next = self.writes.val()
            & self.common.val()
            & (self.register.val() == COMMAND)
            & self.strobe.q.val().get_bit(0)
            & self.free.val();
        self.begins.next = self.active.q.val()
            & self.memory.val()
            & (!self.write.q.val() | self.strobe.q.val().any())
            & self.free.val();
        self.over.d.next = self.active.q.val();
        self.failed.d.next = !self.known.val() & (!self.write.q.val() | self.strobe.q.val().any());
        self.read.d.next = self.value.val();
        if self.writes.val() & self.common.val() & (self.register.val() == COMMAND) & self.strobe.q.val().get_bit(0) {
            self.over.d.next = self.starts.val();
        }
        self.word.next = self.rsp.data.val();
        if self.memory.val() & (!self.write.q.val() | self.strobe.q.val().any()) {
            self.over.d.next = self.active.q.val() & self.fetched.val();
            self.failed.d.next = self.tells.q.val() | (self.rsp.status.val() == Status::OutOfRange);
            self.read.d.next = self.word.val().get_bits::<32>(0);
            if self.offset.val().get_bit(2) {
                self.read.d.next = self.word.val().get_bits::<32>(32);
            }
        }
        if self.write.q.val() | self.failed.d.val() {
            self.read.d.next = 0.into();
        }
        if !self.over.d.val() {
            self.read.d.next = self.read.q.val();
            self.failed.d.next = self.failed.q.val();
        }
        if self.over.d.val() {
            self.active.d.next = false;
        }
        if self.access.valid.val() & !self.active.q.val() & !self.over.q.val() {
            self.active.d.next = true;
            self.write.d.next = self.access.write.val();
            self.address.d.next = self.access.address.val();
            self.data.d.next = self.access.data.val();
            self.strobe.d.next = self.access.strobe.val();
        }
    }

    /// Request.
    #[inline]
    fn begin(&mut self) {
        self.tells.d.next = false;
        if self.asks.q.val() & self.req_ready.val() {
            self.asks.d.next = false;
            self.tells.d.next = POSTED.get_bit(self.op.q.val().index());
        }
        if self.fetched.val() {
            self.fetches.d.next = false;
        }
        if self.starts.val() | self.begins.val() {
            self.asks.d.next = self.allowed.val();
            self.tells.d.next = !self.allowed.val();
            self.outside.d.next = !self.allowed.val();
            self.fetches.d.next = self.begins.val();
            self.asker.d.next = self.window.val();
            self.target.d.next = self.place.val();
            self.op.d.next = self.code.val();
            self.order.d.next = self.command.val().get_bits::<ORDER_BITS>(registers::ORDER);
            self.enables.d.next = self.command.val().get_bits::<8>(registers::STROBE);
            self.operand.d.next =
                bit_cast::<64, 32>(self.kept[1].val()) | (bit_cast::<64, 32>(self.kept[2].val()) << 32);
            self.suspends.d.next = self.parks.val();
        }
        if self.begins.val() {
            self.op.d.next = Op::Load.into();
            if self.write.q.val() {
                self.op.d.next = Op::Store.into();
            }
            self.order.d.next = 0.into();
            self.enables.d.next = bit_cast::<8, 4>(self.strobe.q.val());
            if self.offset.val().get_bit(2) {
                self.enables.d.next = bit_cast::<8, 4>(self.strobe.q.val()) << 4;
            }
            self.operand.d.next = bit_cast::<64, 32>(self.data.q.val()) | (bit_cast::<64, 32>(self.data.q.val()) << 32);
            self.suspends.d.next = false;
        }
    }

    /// Register writes.
    #[inline]
    fn store(&mut self) {
        for k in 0..4 {
            self.operands[k].write_address.next = self.window.val();
            self.operands[k].write_data.next = self.merged[k].val();
            self.operands[k].write_enable.next =
                self.writes.val() & self.common.val() & (self.register.val() == k.to_bits());
            if self.operands[k].write_enable.val() {
                self.given[k].d.next = self.given[k].q.val() | self.spot.val();
            }
        }
        for k in 0..2 {
            self.ranges[k].write_address.next = self.window.val();
            self.ranges[k].write_data.next =
                (self.bound[k].val() & !self.mask.val()) | (self.data.q.val() & self.mask.val());
            self.ranges[k].write_enable.next = self.writes.val()
                & self.privileged.val()
                & self.known.val()
                & (bit_cast::<2, 1>(self.register.val().get_bits::<1>(0)) == k.to_bits());
            if self.ranges[k].write_enable.val() {
                self.ranged[k].d.next = self.ranged[k].q.val() | self.spot.val();
            }
            self.labels[k].write_address.next = self.window.val();
            self.labels[k].write_data.next = self.command.val().get_bits::<8>(registers::LABEL);
            if self.writes.val()
                & self.common.val()
                & (self.register.val() == INTERRUPT_ENABLE)
                & self.strobe.q.val().get_bit(0)
            {
                self.enabled[k].d.next = self.enabled[k].q.val() & !self.spot.val();
                if self.data.q.val().get_bit(k) {
                    self.enabled[k].d.next = self.enabled[k].q.val() | self.spot.val();
                }
            }
        }
        self.labels[0].write_enable.next = self.starts.val() & !self.parks.val();
        self.labels[1].write_enable.next = self.starts.val() & self.parks.val();
    }
}
