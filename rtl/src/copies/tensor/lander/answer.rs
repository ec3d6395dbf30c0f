//! What comes back: a beat finds the burst that it belongs to, is rounded, and cut where the tensor ends.

use super::{BLOCK_BITS, Cut, Feed, Find, Lander, NANS, PIECE_BITS, STYLE};
use crate::hdl::*;

#[processes]
impl Lander {
    fn find(&mut self) {
        self.answer.next = 0.into();
        if self.mem_rsp_valid.val() {
            self.answer.next = self.mem_rsp_id.val();
        }
        self.answered.next = 0.into();
        for b in 0..self.entries {
            if self.answer.val().index() == b {
                self.answered.next = bits::<TENSOR_BURSTS>(1) << b;
            }
        }
        self.progress.read_address.next = self.answer.val();
        self.place.read_address.next = self.answer.val();
        self.form.read_address.next = self.answer.val();
        self.burst_barrier.read_address.next = self.answer.val();
        self.burst_ctas.read_address.next = self.answer.val();
        self.kept[0].read_address.next = self.answer.val();
        self.kept[1].read_address.next = self.answer.val();
    }

    fn feed(&mut self) {
        self.shape.next = self.form.read_data.val();
        for w in 0..self.words {
            self.rounding[w].word.next = self.mem_rsp_data[w].val();
            self.rounding[w].enable.next = self.shape.val().get_bit(3);
        }
    }

    fn cut(&mut self) {
        self.number.next = self.progress.read_data.val();
        if (self.fresh.q.val() & self.answered.val()).any() {
            self.number.next = 0.into();
        }
        self.is_last.next = self.number.val() == self.shape.val().get_bits::<2>(13);
        self.base.next = self.place.read_data.val();
        self.crossed.next = self.base.val().get_bit(0);
        self.last_piece.next = bit_cast::<PIECE_BITS, 4>(self.shape.val().get_bits::<4>(4)) + 1;
        self.lower_piece.next = ((bit_cast::<PIECE_BITS, 2>(self.number.val()) << 1) + 2)
            - bit_cast::<PIECE_BITS, 1>(self.shape.val().get_bits::<1>(12));
        self.upper_piece.next = self.lower_piece.val() + 1;
        self.kept_piece.next = self.lower_piece.val() - 1;
        self.has_lower.next =
            (self.lower_piece.val() >= bits::<PIECE_BITS>(2)) & (self.lower_piece.val() <= self.last_piece.val());
        self.has_upper.next =
            (self.upper_piece.val() >= bits::<PIECE_BITS>(2)) & (self.upper_piece.val() <= self.last_piece.val());
        self.has_kept.next =
            (self.kept_piece.val() >= bits::<PIECE_BITS>(2)) & (self.kept_piece.val() <= self.last_piece.val());
        self.tail.next = self.shape.val().get_bits::<4>(8);
        clear!(self.cut[0], self.cut[1]);
        if self.tail.val().any() {
            for b in 0..8 {
                if self.tail.val() <= b.to_bits() {
                    self.cut[0].next = self.cut[0].val() | (bits::<64>(255) << (8 * b));
                }
            }
            // the last byte always
            self.cut[1].next = bits::<64>(255) << 56;
            for b in 0..7 {
                if self.tail.val() <= (bits::<4>(8) + b.to_bits()) {
                    self.cut[1].next = self.cut[1].val() | (bits::<64>(255) << (8 * b));
                }
            }
        }
        self.filling.next = 0.into();
        if self.shape.val().get_bit(2) {
            self.filling.next = NANS;
        }
        for w in 0..self.words {
            self.words_cut[w].next = self.rounding[w].rounded.val();
        }
        for w in 0..2 {
            if self.lower_piece.val() == self.last_piece.val() {
                self.words_cut[w].next =
                    (self.rounding[w].rounded.val() & !self.cut[w].val()) | (self.filling.val() & self.cut[w].val());
            }
            if self.upper_piece.val() == self.last_piece.val() {
                self.words_cut[w + 2].next = (self.rounding[w + 2].rounded.val() & !self.cut[w].val())
                    | (self.filling.val() & self.cut[w].val());
            }
        }
        self.lands.next = self.has_lower.val();
        clear!(self.leaves, self.joins);
        if self.crossed.val() {
            // the first block of a burst, of which the burst before it in its row has the lower piece
            self.joins.next = self.rest.q.val()
                & !self.number.val().any()
                & self.has_lower.val()
                & self.shape.val().get_bit(15)
                & (self.base.val().get_bits::<BLOCK_BITS>(1) == self.rest_block.q.val())
                & (self.shape.val().get_bits::<STYLE>(0) == self.rest_style.q.val())
                & (self.burst_barrier.read_data.val() == self.rest_barrier.q.val())
                & (self.burst_ctas.read_data.val() == self.rest_ctas.q.val());
            self.lands.next = self.has_lower.val() | self.has_kept.val();
            self.leaves.next = self.is_last.val() & self.has_upper.val();
        }
        if !self.crossed.val() & self.has_upper.val() {
            self.lands.next = true;
        }
        self.completes.next = bit_cast::<8, 4>(self.shape.val().get_bits::<4>(4)) << 4;
        self.room.next = !self.beat_valid.q.val() | self.beat_ready.val();
        self.mem_rsp_ready.next = self.room.val() & !(self.rest.q.val() & self.lands.val() & !self.joins.val());
        self.comes.next = self.mem_rsp_valid.val() & self.mem_rsp_ready.val();
    }
}
