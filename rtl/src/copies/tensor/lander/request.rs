//! What is requested: one burst a cycle, and what the table has to know of it.

use super::super::bursts::PLACE_BITS;
use super::{Choose, FORM, Lander, Offer, STYLE, Store};
use crate::hdl::*;

#[processes]
impl Lander {
    fn offer(&mut self) {
        self.free.next = !self.used.q.val() & self.all_entries.to_bits();
        self.burst_ready.next = (!self.mem_req_valid.q.val() | self.mem_req_taken.val()) & self.free.val().any();
        self.fill_ready.next = !self.fill_left.q.val().any();
    }

    fn choose(&mut self) {
        self.chosen.next = 0.into();
        if self.burst_valid.val() {
            self.chosen.next = self.free.val() & (!self.free.val() + 1);
        }
        self.chosen_id.next = 0.into();
        for b in 0..self.entries {
            if self.chosen.val().get_bit(b) {
                self.chosen_id.next = b.to_bits();
            }
        }
        self.half.next = self.burst_from.val().get_bits::<1>(0);
        self.span.next = self.burst_count.val() + bit_cast::<4, 1>(self.half.val());
        self.beats.next = (self.span.val() + 1) >> 1;
        self.last_beat.next = self.beats.val() - 1;
        self.mem_req_valid.d.next = (self.mem_req_valid.q.val() & !self.mem_req_taken.val()) | self.burst_valid.val();
        if self.burst_valid.val() {
            self.mem_req_from.d.next = self.burst_from.val();
            self.mem_req_beats.d.next = self.beats.val();
            self.mem_req_id.d.next = self.chosen_id.val();
        }
    }

    fn store(&mut self) {
        if self.load.val() {
            self.style.d.next = bit_cast::<STYLE, 2>(self.swizzle.val())
                | (bit_cast::<STYLE, 1>(self.fill.val().into()) << 2)
                | (bit_cast::<STYLE, 1>(self.rounds.val().into()) << 3);
            self.barrier_of.d.next = self.barrier.val();
            self.ctas_of.d.next = self.ctas.val();
        }
        self.place.write_enable.next = self.burst_valid.val();
        self.place.write_address.next = self.chosen_id.val();
        self.place.write_data.next = self.burst_to.val() - bit_cast::<PLACE_BITS, 1>(self.half.val());
        self.form.write_enable.next = self.burst_valid.val();
        self.form.write_address.next = self.chosen_id.val();
        self.form.write_data.next = bit_cast::<FORM, STYLE>(self.style.q.val())
            | (bit_cast::<FORM, 4>(self.burst_count.val()) << 4)
            | (bit_cast::<FORM, 4>(self.burst_tail.val()) << 8)
            | (bit_cast::<FORM, 1>(self.half.val()) << 12)
            | (bit_cast::<FORM, 2>(self.last_beat.val().get_bits::<2>(0)) << 13)
            | (bit_cast::<FORM, 1>(self.burst_follows.val().into()) << 15);
        self.burst_barrier.write_enable.next = self.burst_valid.val();
        self.burst_barrier.write_address.next = self.chosen_id.val();
        self.burst_barrier.write_data.next = self.barrier_of.q.val();
        self.burst_ctas.write_enable.next = self.burst_valid.val();
        self.burst_ctas.write_address.next = self.chosen_id.val();
        self.burst_ctas.write_data.next = self.ctas_of.q.val();
    }
}
