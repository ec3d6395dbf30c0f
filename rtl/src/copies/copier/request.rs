//! Requests: one burst or copy a cycle, and its table entry.

use super::{Choose, Copier, HALF_TURN, SHAPE, Table};
use crate::hdl::*;

#[processes]
impl Copier {
    fn choose(&mut self) {
        self.free.next = !self.used.q.val() & self.all_bursts.to_bits();
        self.asks.next = (!self.mem_req_valid.q.val() | self.mem_req_ready.val()) & self.free.val().any();
        self.takes_copy.next = self.asks.val() & self.copy.q.val() & (self.prefer_copy.q.val() | !self.active.q.val());
        self.takes_bulk.next = self.asks.val() & self.active.q.val() & !self.takes_copy.val();
        self.prefer_copy.d.next = (self.prefer_copy.q.val() | self.takes_bulk.val()) & !self.takes_copy.val();
        self.chosen.next = 0.into();
        if self.takes_copy.val() | self.takes_bulk.val() {
            self.chosen.next = self.free.val() & (!self.free.val() + 1);
        }
        self.chosen_id.next = 0.into();
        for b in 0..self.bursts {
            if self.chosen.val().get_bit(b) {
                self.chosen_id.next = b.to_bits();
            }
        }

        // up to the next 128-byte boundary of the global address
        self.units.next = bits::<4>(8) - bit_cast::<4, 3>(self.from.q.val().get_bits::<3>(0));
        self.ends.next = self.left.q.val() <= bit_cast::<16, 4>(self.units.val());
        if self.ends.val() {
            self.units.next = self.left.q.val().get_bits::<4>(0);
        }
        self.half.next = self.from.q.val().get_bits::<1>(0);
        self.span.next = self.units.val() + bit_cast::<4, 1>(self.half.val());
        self.beats.next = (self.span.val() + 1) >> 1;
        self.last_beat.next = self.beats.val().get_bits::<3>(0) - 1; // of 1 to 4 beats

        self.mem_req_valid.d.next =
            (self.mem_req_valid.q.val() & !self.mem_req_ready.val()) | self.takes_copy.val() | self.takes_bulk.val();
        if self.takes_bulk.val() {
            self.mem_req_address.d.next = bit_cast::<48, 44>(self.from.q.val()) << 4;
            self.mem_req_beats.d.next = self.beats.val();
            self.mem_req_narrow.d.next = false;
            self.mem_req_id.d.next = self.chosen_id.val();
        }
        if self.takes_copy.val() {
            self.mem_req_address.d.next = bit_cast::<48, 44>(self.copy_from.q.val()) << 4;
            self.mem_req_beats.d.next = 1.into();
            self.mem_req_narrow.d.next = true;
            self.mem_req_id.d.next = self.chosen_id.val();
        }
    }

    fn table(&mut self) {
        self.used.d.next = (self.used.q.val() & !self.freed.val()) | self.chosen.val();
        self.fresh.d.next = self.fresh.q.val() | self.chosen.val();
        if self.comes.val() {
            self.fresh.d.next = (self.fresh.q.val() & !self.answered.val()) | self.chosen.val();
        }
        self.place.write_enable.next = self.chosen.val().any();
        self.shape.write_enable.next = self.chosen.val().any();
        self.burst_barrier.write_enable.next = self.chosen.val().any();
        self.burst_ctas.write_enable.next = self.chosen.val().any();
        self.burst_thread.write_enable.next = self.chosen.val().any();
        self.burst_turn.write_enable.next = self.chosen.val().any();
        self.place.write_address.next = self.chosen_id.val();
        self.shape.write_address.next = self.chosen_id.val();
        self.burst_barrier.write_address.next = self.chosen_id.val();
        self.burst_ctas.write_address.next = self.chosen_id.val();
        self.burst_thread.write_address.next = self.chosen_id.val();
        self.burst_turn.write_address.next = self.chosen_id.val();

        self.place.write_data.next = self.to.q.val() - bit_cast::<20, 1>(self.half.val());
        self.shape.write_data.next = (bit_cast::<SHAPE, 1>(self.half.val()) << 1)
            | (bit_cast::<SHAPE, 1>(self.span.val().get_bits::<1>(0)) << 2)
            | (bit_cast::<SHAPE, 3>(self.last_beat.val()) << 3)
            | (bits::<SHAPE>(15) << 9)
            | (bit_cast::<SHAPE, 4>(self.units.val()) << 13)
            | (bit_cast::<SHAPE, 1>(self.begun.q.val().into()) << 17);
        if self.from.q.val().get_bit(0) != self.to.q.val().get_bit(0) {
            self.shape.write_data.next = (bit_cast::<SHAPE, 1>(self.half.val()) << 1)
                | (bit_cast::<SHAPE, 1>(self.span.val().get_bits::<1>(0)) << 2)
                | (bit_cast::<SHAPE, 3>(self.last_beat.val()) << 3)
                | (bit_cast::<SHAPE, 3>(HALF_TURN) << 6)
                | (bits::<SHAPE>(15) << 9)
                | (bit_cast::<SHAPE, 4>(self.units.val()) << 13)
                | (bit_cast::<SHAPE, 1>(self.begun.q.val().into()) << 17);
        }
        self.burst_barrier.write_data.next = self.barrier.q.val();
        self.burst_ctas.write_data.next = self.ctas.q.val();
        self.burst_thread.write_data.next = self.copy_thread.q.val();
        self.burst_turn.write_data.next = self.copy_turn.q.val();
        if self.takes_copy.val() {
            self.place.write_data.next = self.copy_to.q.val();
            self.shape.write_data.next = bits::<SHAPE>(1)
                | (bit_cast::<SHAPE, 3>(self.copy_turns.q.val()) << 6)
                | (bit_cast::<SHAPE, 4>(self.copy_words.q.val()) << 9);
            self.burst_ctas.write_data.next = self.own.val();
        }
    }
}
