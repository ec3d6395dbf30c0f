//! What lands: a beat, what is left over of one, or a fill; swizzled, in the register of blocks.

use super::super::bursts::PLACE_BITS;
use super::super::origin::ROW_BITS;
use super::{BLOCK_BITS, Keep, LOWER, Land, Lander, NANS, STYLE, Swizzle, UPPER};
use crate::hdl::*;
use crate::word::address::OFFSET_BITS;

#[processes]
impl Lander {
    fn land(&mut self) {
        self.fills.next = self.room.val()
            & !self.rest.q.val()
            & !(self.comes.val() & self.lands.val())
            & self.fill_left.q.val().any();
        self.filled.next = 2.into();
        if self.fill_place.q.val().get_bit(0) | (self.fill_left.q.val() == 1) {
            self.filled.next = 1.into();
        }
        self.joined.next = self.comes.val() & self.joins.val();
        // a beat of memory, with what is left over if that is of its block; else what is left over, else the filler
        self.block.next = self.base.val().get_bits::<BLOCK_BITS>(1) + bit_cast::<BLOCK_BITS, 2>(self.number.val());
        connect!(self.* <<= self.has_*: lower, upper);
        self.look.next = self.shape.val().get_bits::<STYLE>(0);
        self.data <<= self.words_cut;
        if self.crossed.val() {
            self.lower.next = self.has_kept.val();
            self.upper.next = self.has_lower.val();
            for w in 0..2 {
                self.data[w].next = self.kept[w].read_data.val();
                self.data[w + 2].next = self.words_cut[w].val();
            }
        }
        if self.joined.val() {
            self.lower.next = true;
            for w in 0..2 {
                self.data[w].next = self.rest_data[w].q.val();
            }
        }
        if self.fills.val() {
            self.block.next = self.fill_place.q.val().get_bits::<BLOCK_BITS>(1);
            self.lower.next = !self.fill_place.q.val().get_bit(0);
            self.upper.next = self.fill_place.q.val().get_bit(0) | (self.fill_left.q.val() != 1);
            self.look.next = self.fill_style.q.val();
            for w in 0..self.words {
                self.data[w].next = 0.into();
                if self.fill_style.q.val().get_bit(2) {
                    self.data[w].next = NANS;
                }
            }
        }
        if self.rest.q.val() & !self.joined.val() {
            self.block.next = self.rest_block.q.val();
            self.lower.next = true;
            self.upper.next = false;
            self.look.next = self.rest_style.q.val();
            for w in 0..2 {
                self.data[w].next = self.rest_data[w].q.val();
            }
        }
    }

    fn swizzle(&mut self) {
        // bits 9:7 of the address on its bits 6:4: a block has bits 9:5 of it in its lowest five
        self.turn.next = 0.into();
        if self.look.val().get_bits::<2>(0) == 1 {
            self.turn.next = self.block.val().get_bits::<3>(2) & 1;
        }
        if self.look.val().get_bits::<2>(0) == 2 {
            self.turn.next = self.block.val().get_bits::<3>(2) & 3;
        }
        if self.look.val().get_bits::<2>(0) == 3 {
            self.turn.next = self.block.val().get_bits::<3>(2);
        }
        self.swizzled.next = self.block.val() ^ bit_cast::<BLOCK_BITS, 2>(self.turn.val().get_bits::<2>(1));
        self.low.next = self.lower.val();
        self.high.next = self.upper.val();
        if self.turn.val().get_bit(0) {
            self.low.next = self.upper.val();
            self.high.next = self.lower.val();
        }

        self.beat_valid.d.next =
            !self.room.val() | self.rest.q.val() | (self.comes.val() & self.lands.val()) | self.fills.val();
        keep!(self.beat_ctas, self.beat_address, self.beat_strobe, self.beat_bytes, self.beat_barrier);
        keep!(self.beat_data);
        if self.room.val() {
            self.beat_address.d.next = bit_cast::<OFFSET_BITS, BLOCK_BITS>(self.swizzled.val()) << 5;
            self.beat_strobe.d.next = 0.into();
            if self.low.val() {
                self.beat_strobe.d.next = LOWER;
            }
            if self.high.val() {
                self.beat_strobe.d.next = UPPER;
            }
            if self.low.val() & self.high.val() {
                self.beat_strobe.d.next = LOWER | UPPER;
            }
            self.beat_data <<= self.data;
            if self.turn.val().get_bit(0) {
                for w in 0..2 {
                    self.beat_data[w].d.next = self.data[w + 2].val();
                    self.beat_data[w + 2].d.next = self.data[w].val();
                }
            }
            self.beat_ctas.d.next = self.burst_ctas.read_data.val();
            self.beat_barrier.d.next = self.burst_barrier.read_data.val();
            self.beat_bytes.d.next = 0.into();
            if self.is_last.val() & !self.leaves.val() {
                self.beat_bytes.d.next = self.completes.val();
            }
            if self.joined.val() {
                self.beat_bytes.d.next = self.rest_bytes.q.val();
                if self.is_last.val() & !self.leaves.val() {
                    self.beat_bytes.d.next = self.rest_bytes.q.val() + self.completes.val();
                }
            }
            if self.fills.val() {
                connect!(self.beat_* <<= self.fill_*: ctas, barrier);
                self.beat_bytes.d.next = bit_cast::<8, ROW_BITS>(self.filled.val()) << 4;
            }
            if self.rest.q.val() & !self.joined.val() {
                connect!(self.beat_* <<= self.rest_*: ctas, barrier, bytes);
            }
        }
    }

    fn keep(&mut self) {
        self.freed.next = 0.into();
        if self.comes.val() & self.is_last.val() {
            self.freed.next = self.answered.val();
        }
        self.used.d.next = (self.used.q.val() & !self.freed.val()) | self.chosen.val();
        self.fresh.d.next = self.fresh.q.val() | self.chosen.val();
        if self.comes.val() {
            self.fresh.d.next = (self.fresh.q.val() & !self.answered.val()) | self.chosen.val();
        }
        self.progress.write_enable.next = self.comes.val();
        self.progress.write_address.next = self.answer.val();
        self.progress.write_data.next = self.number.val() + 1;
        for w in 0..2 {
            self.kept[w].write_enable.next = self.comes.val();
            self.kept[w].write_address.next = self.answer.val();
            self.kept[w].write_data.next = self.words_cut[w + 2].val();
        }

        self.rest.d.next = (self.rest.q.val() & !self.room.val()) | (self.comes.val() & self.leaves.val());
        if self.comes.val() & self.leaves.val() {
            self.rest_block.d.next =
                (self.base.val().get_bits::<BLOCK_BITS>(1) + bit_cast::<BLOCK_BITS, 2>(self.number.val())) + 1;
            self.rest_style.d.next = self.shape.val().get_bits::<STYLE>(0);
            self.rest_bytes.d.next = self.completes.val();
            self.rest_barrier.d.next = self.burst_barrier.read_data.val();
            self.rest_ctas.d.next = self.burst_ctas.read_data.val();
            for w in 0..2 {
                self.rest_data[w].d.next = self.words_cut[w + 2].val();
            }
        }

        keep!(self.fill_left, self.fill_place, self.fill_style, self.fill_barrier, self.fill_ctas);
        if self.fills.val() {
            self.fill_left.d.next = self.fill_left.q.val() - self.filled.val();
            self.fill_place.d.next = self.fill_place.q.val() + bit_cast::<PLACE_BITS, ROW_BITS>(self.filled.val());
        }
        if self.fill_valid.val() {
            self.fill_left.d.next = self.fill_count.val();
            self.fill_place.d.next = self.burst_to.val();
            self.fill_style.d.next = self.style.q.val();
            self.fill_barrier.d.next = self.barrier_of.q.val();
            self.fill_ctas.d.next = self.ctas_of.q.val();
        }
        self.idle.next =
            !self.used.q.val().any() & !self.rest.q.val() & !self.fill_left.q.val().any() & !self.beat_valid.q.val();
    }
}
