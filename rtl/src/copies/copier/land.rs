//! Landing: finds the burst of a beat, aligns the beat and loads it into the output register.

use super::{Copier, Find, Keep, LOWER, Land, Place, Turned};
use crate::hdl::*;

#[processes]
impl Copier {
    fn find(&mut self) {
        self.answer.next = 0.into();
        if self.mem_rsp_valid.val() {
            self.answer.next = self.mem_rsp_id.val();
        }
        self.answered.next = 0.into();
        for b in 0..self.bursts {
            if self.answer.val().index() == b {
                self.answered.next = bits::<BURSTS>(1) << b;
            }
        }
        self.progress.read_address.next = self.answer.val();
        self.place.read_address.next = self.answer.val();
        self.shape.read_address.next = self.answer.val();
        self.burst_barrier.read_address.next = self.answer.val();
        self.burst_ctas.read_address.next = self.answer.val();
        self.burst_thread.read_address.next = self.answer.val();
        self.burst_turn.read_address.next = self.answer.val();
        self.kept[0].read_address.next = self.answer.val();
        self.kept[1].read_address.next = self.answer.val();
    }

    fn turned(&mut self) {
        self.form.next = self.shape.read_data.val();
        self.turns.next = self.form.val().get_bits::<3>(6);
        // rotate 64-bit words by two, then by one; then their halves by one
        for w in 0..self.mem_rsp_data.len() {
            self.turned_4[w].next = self.mem_rsp_data[w].val();
            if self.turns.val().get_bit(2) {
                for v in 0..self.mem_rsp_data.len() {
                    if w == v + 2 {
                        self.turned_4[w].next = self.mem_rsp_data[v].val();
                    }
                    if v == w + 2 {
                        self.turned_4[w].next = self.mem_rsp_data[v].val();
                    }
                }
            }
        }
        for w in 0..self.turned_4.len() {
            self.turned_2[w].next = self.turned_4[w].val();
            if self.turns.val().get_bit(1) {
                for v in 0..self.turned_4.len() {
                    if w == v + 1 {
                        self.turned_2[w].next = self.turned_4[v].val();
                    }
                    if v == w + 3 {
                        self.turned_2[w].next = self.turned_4[v].val();
                    }
                }
            }
        }
        for w in 0..self.turned_2.len() {
            self.turned_1[w].next = self.turned_2[w].val();
            if self.turns.val().get_bit(0) {
                for v in 0..self.turned_2.len() {
                    if w == v + 1 {
                        self.turned_1[w].next = (self.turned_2[w].val() << 32) | (self.turned_2[v].val() >> 32);
                    }
                    if v == w + 3 {
                        self.turned_1[w].next = (self.turned_2[w].val() << 32) | (self.turned_2[v].val() >> 32);
                    }
                }
            }
        }
    }

    fn place(&mut self) {
        self.number.next = self.progress.read_data.val();
        if (self.fresh.q.val() & self.answered.val()).any() {
            self.number.next = 0.into();
        }
        self.is_copy.next = self.form.val().get_bit(0);
        self.is_last.next = self.number.val() == self.form.val().get_bits::<3>(3);
        self.base.next = self.place.read_data.val();
        self.block.next = self.base.val().get_bits::<19>(1) + bit_cast::<19, 3>(self.number.val());
        self.crossed.next = self.base.val().get_bit(0) & !self.is_copy.val();
        self.has_lower.next = self.number.val().any() | !self.form.val().get_bit(1);
        self.has_upper.next = !self.is_last.val() | !self.form.val().get_bit(2);
        connect!(self.* <<= self.has_*: lower, upper);
        self.lands.next = true;
        clear!(self.leaves, self.joins);
        if self.crossed.val() {
            self.lower.next = self.number.val().any();
            self.upper.next = self.has_lower.val();
            self.lands.next = self.has_lower.val();
            self.leaves.next = self.is_last.val() & self.has_upper.val();
            // the first block of a burst, whose lower half belongs to the burst before it in the same copy
            self.joins.next = self.rest.q.val()
                & !self.number.val().any()
                & self.has_lower.val()
                & self.form.val().get_bit(17)
                & (self.base.val().get_bits::<19>(1) == self.rest_block.q.val())
                & (self.burst_barrier.read_data.val() == self.rest_barrier.q.val())
                & (self.burst_ctas.read_data.val() == self.rest_ctas.q.val());
        }
        if self.is_copy.val() {
            self.lower.next = !self.base.val().get_bit(0);
            self.upper.next = self.base.val().get_bit(0);
        }
        self.completes.next = bit_cast::<8, 4>(self.form.val().get_bits::<4>(13)) << 4;
        if self.is_copy.val() {
            self.completes.next = 0.into();
        }
        self.room.next = !self.beat_valid.q.val() | self.beat_ready.val();
        self.mem_rsp_ready.next = self.room.val() & !(self.rest.q.val() & self.lands.val() & !self.joins.val());
        self.comes.next = self.mem_rsp_valid.val() & self.mem_rsp_ready.val();
    }

    fn land(&mut self) {
        self.written.next = self.form.val().get_bits::<4>(9);
        self.strobe.next = 0.into();
        for w in 0..self.mem_rsp_data.len() {
            if self.written.val().get_bit(w) & (self.lower.val() | self.joins.val()) {
                self.strobe.next = self.strobe.val() | (bits::<32>(15) << (4 * w));
            }
            if self.written.val().get_bit(w) & self.upper.val() {
                self.strobe.next = self.strobe.val() | (bits::<32>(15) << (4 * w + 16));
            }
        }

        self.beat_valid.d.next = !self.room.val() | self.rest.q.val() | (self.comes.val() & self.lands.val());
        if self.comes.val() & self.lands.val() {
            self.beat_data <<= self.turned_1;
            if self.crossed.val() {
                for w in 0..2 {
                    self.beat_data[w].d.next = self.kept[w].read_data.val();
                    if self.joins.val() {
                        self.beat_data[w].d.next = self.rest_data[w].q.val();
                    }
                }
            }
            self.beat_ctas.d.next = self.burst_ctas.read_data.val();
            self.beat_address.d.next = bit_cast::<24, 19>(self.block.val()) << 5;
            self.beat_strobe.d.next = self.strobe.val();
            self.beat_bytes.d.next = 0.into();
            if self.is_last.val() & !self.leaves.val() {
                self.beat_bytes.d.next = self.completes.val();
            }
            if self.joins.val() {
                self.beat_bytes.d.next = self.rest_bytes.q.val();
                if self.is_last.val() & !self.leaves.val() {
                    self.beat_bytes.d.next = self.rest_bytes.q.val() + self.completes.val();
                }
            }
            self.beat_barrier.d.next = self.burst_barrier.read_data.val();
            self.beat_copy.d.next = self.is_copy.val();
            self.beat_thread.d.next = self.burst_thread.read_data.val();
            self.beat_turn.d.next = self.burst_turn.read_data.val();
        } else if self.rest.q.val() & self.room.val() {
            for w in 0..2 {
                self.beat_data[w].d.next = self.rest_data[w].q.val();
            }
            self.beat_ctas.d.next = self.rest_ctas.q.val();
            self.beat_address.d.next = bit_cast::<24, 19>(self.rest_block.q.val()) << 5;
            self.beat_strobe.d.next = LOWER;
            connect!(self.beat_* <<= self.rest_*: bytes, barrier);
            self.beat_copy.d.next = false;
        }
        self.freed.next = 0.into();
        if self.comes.val() & self.is_last.val() {
            self.freed.next = self.answered.val();
        }
        self.progress.write_enable.next = self.comes.val();
        self.progress.write_address.next = self.answer.val();
        self.progress.write_data.next = self.number.val() + 1;

        self.tracker.op_ready.next = self.op_ready.val();
        self.tracker.landed.next = self.beat_valid.q.val() & self.beat_ready.val() & self.beat_copy.q.val();
        connect!(self.tracker.landed_* <<= self.beat_*: thread, turn);
    }

    fn keep(&mut self) {
        for w in 0..2 {
            self.kept[w].write_enable.next = self.comes.val();
            self.kept[w].write_address.next = self.answer.val();
            self.kept[w].write_data.next = self.turned_1[w].val();
        }
        self.rest.d.next = (self.rest.q.val() & !self.room.val()) | (self.comes.val() & self.leaves.val());
        if self.comes.val() & self.leaves.val() {
            self.rest_block.d.next = self.block.val() + 1;
            self.rest_bytes.d.next = self.completes.val();
            self.rest_barrier.d.next = self.burst_barrier.read_data.val();
            self.rest_ctas.d.next = self.burst_ctas.read_data.val();
            for w in 0..2 {
                self.rest_data[w].d.next = self.turned_1[w].val();
            }
        }
    }
}
