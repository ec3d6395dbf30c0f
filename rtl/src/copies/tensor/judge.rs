//! The instruction that is made ready: what is wrong with it, and when its copy begins.

use super::*;

#[processes]
impl Tensor {
    fn look(&mut self) {
        self.looks.next =
            self.asked.q.val() & (self.asked_act.q.val() != FORGET) & !self.asked_map.q.val().get_bits::<6>(0).any();
        self.maps.want.next = self.looks.val();
        self.maps.address.next = self.asked_map.q.val().get_bits::<MAP_ADDRESS>(6);
        self.stores.next = self.asked_act.q.val() == STORE;
        self.copies.next = (self.asked_act.q.val() == LOAD) | self.stores.val();
    }

    fn begin(&mut self) {
        self.sizer.start.next = self.maps.measure_start.val();
        connect!(self.sizer.* <<= self.fields.*: im2col, rank, element, scale, floats, interleave, swizzle, fill,
            rounds, base_low, base_high, row_bytes);
        self.odd.next = 0.into();
        for d in 0..4 {
            if self.fields.stride[d].val().get_bit(0) {
                self.odd.next = self.odd.val() | (bits::<4>(1) << d);
            }
            self.origin.stride[d].next = self.fields.stride[d].val();
        }
        self.sizer.odd_stride.next = self.odd.val().any();
        connect!(self.origin.* <<= self.fields.*: base, scale, interleave, swizzle);
        self.origin.last.next = self.fields.last[0].val();
        self.origin.row_bytes.next = self.fields.row_bytes.val();
        for d in 0..5 {
            connect!(self.sizer.*[d] <<= self.fields.*[d]: step, box_last);
            self.origin.at[d].next = self.asked_at[d].q.val();
            self.origin.step[d].next = self.fields.step[d].val();
        }
        self.operator.action.next = self.asked_action.q.val();
        self.operator.element.next = self.fields.element.val();
    }

    fn judge(&mut self) {
        // the gap behind the last row of a swizzled box is not written
        self.box_end.next = bit_cast::<33, 28>(self.asked_shared.q.val().get_bits::<28>(4))
            + (bit_cast::<33, PRODUCT_BITS>(self.maps.pieces.val()) - bit_cast::<33, 8>(self.origin.gap.val()));
        // the last that is assigned is the first that is told
        self.judged.next = FINE;
        self.is_negative.next = self.asked_at[0].q.val().get_bit(31);
        for d in 1..5 {
            if self.asked_at[d].q.val().get_bit(31) & (self.fields.rank.val() >= d.to_bits()) {
                self.is_negative.next = true;
            }
        }
        self.overhangs.next = self.maps.is_large.val() | (self.box_end.val() > self.window_pieces.to_bits());
        if self.stores.val() {
            if self.maps.is_large.val()
                | (self.asked_shared.q.val() >= self.window.to_bits())
                | (self.surveyed.q.val() & self.strays.q.val())
            {
                self.judged.next = SHARED_OUTSIDE;
            }
            if !self.operator.is_defined.val() {
                self.judged.next = UNDEFINED;
            }
            if self.is_negative.val() {
                self.judged.next = NEGATIVE;
            }
        }
        if (self.asked_act.q.val() == LOAD)
            & ((self.asked_barrier.q.val() >= self.window.to_bits())
                | self.asked_barrier.q.val().get_bits::<3>(0).any())
        {
            self.judged.next = NO_BARRIER;
        }
        if self.copies.val() {
            if self.overhangs.val() & !self.stores.val() {
                self.judged.next = SHARED_OUTSIDE;
            }
            if self.asked_shared.q.val().get_bits::<7>(0).any() {
                self.judged.next = SHARED_MISPLACED;
            }
        }
        if self.copies.val() | (self.asked_act.q.val() == PREFETCH_BOX) {
            if !self.origin.is_aligned.val() {
                self.judged.next = MISPLACED;
            }
            if self.maps.verdict.val().any() {
                self.judged.next = self.maps.verdict.val();
            }
        }
        if self.asked_act.q.val() == FORGET {
            self.judged.next = FINE;
        }
        if self.asked_map.q.val().get_bits::<6>(0).any() {
            self.judged.next = MAP_MISPLACED;
        }

        self.origin.start.next =
            self.maps.ready.val() & self.copies.val() & (self.judged.val() == FINE) & !self.reckoned.q.val();
        self.clear.next = self.reckoned.q.val()
            & self.origin.done.q.val()
            & !self.rows.valid.q.val()
            & !self.cutter.active.q.val()
            & !self.outward.box_valid.q.val();
        self.starts.next = self.clear.val() & !self.surveys.q.val() & (self.judged.val() == FINE);
        self.begins.next = self.starts.val() & (!self.overhangs.val() | self.surveyed.q.val());
        self.ends.next = self.begins.val();
        if self.asked.q.val() & (!self.copies.val() | (self.judged.val() != FINE)) {
            self.ends.next = self.maps.ready.val() | !self.looks.val();
        }
        self.maps.forget.next = self.asked.q.val() & (self.asked_act.q.val() == FORGET);
        self.end.valid.next = self.ends.val();
        self.end.verdict.next = self.judged.val();
        self.tile.ready.next = !self.asked.q.val() | self.ends.val();
    }
}
