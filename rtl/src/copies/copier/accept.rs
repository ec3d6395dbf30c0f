//! What is accepted: is it right, and is there room?

use super::{Accept, COPY, Copier, Judge, LAST_KIND, Offer};
use crate::hdl::*;
use crate::word::status::Status;

impl Process<Judge> for Copier {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.bulk_end.next = bit_cast::<33, 32>(self.bulk_shared.val()) + bit_cast::<33, 32>(self.bulk_bytes.val());
        self.bulk_low.next = self.bulk_global.val().get_bits::<4>(0)
            | self.bulk_shared.val().get_bits::<4>(0)
            | self.bulk_bytes.val().get_bits::<4>(0);
        self.bulk_status.next = Status::Ok.into();
        if (self.bulk_barrier.val() >= self.window.to_bits())
            | (self.bulk_bytes.val().any() & (self.bulk_end.val() > self.window.to_bits()))
        {
            self.bulk_status.next = Status::OutOfRange.into();
        }
        if self.bulk_low.val().any() | self.bulk_barrier.val().get_bits::<3>(0).any() {
            self.bulk_status.next = Status::Misaligned.into();
        }
        self.bulk_good.next = (self.bulk_status.val() == Status::Ok) & self.bulk_bytes.val().any();

        self.async_sized.next = false;
        self.async_mask.next = 0.into();
        self.async_words.next = 1.into();
        if self.async_bytes.val() == 4 {
            self.async_sized.next = true;
            self.async_mask.next = 3.into();
            if self.async_shared.val().get_bits::<2>(2) == 1 {
                self.async_words.next = 2.into();
            }
            if self.async_shared.val().get_bits::<2>(2) == 2 {
                self.async_words.next = 4.into();
            }
            if self.async_shared.val().get_bits::<2>(2) == 3 {
                self.async_words.next = 8.into();
            }
        }
        if self.async_bytes.val() == 8 {
            self.async_sized.next = true;
            self.async_mask.next = 7.into();
            self.async_words.next = 3.into();
            if self.async_shared.val().get_bit(3) {
                self.async_words.next = 12.into();
            }
        }
        if self.async_bytes.val() == 16 {
            self.async_sized.next = true;
            self.async_mask.next = 15.into();
            self.async_words.next = 15.into();
        }
        self.async_low.next = self.async_shared.val().get_bits::<4>(0);
        if self.async_kind.val() == COPY {
            self.async_low.next = self.async_global.val().get_bits::<4>(0) | self.async_shared.val().get_bits::<4>(0);
        } else {
            self.async_mask.next = 7.into();
        }
        self.async_status.next = Status::Ok.into();
        if self.async_shared.val() >= self.window.to_bits() {
            self.async_status.next = Status::OutOfRange.into();
        }
        if (self.async_low.val() & self.async_mask.val()).any() {
            self.async_status.next = Status::Misaligned.into();
        }
        if (self.async_kind.val() == COPY) & !self.async_sized.val() {
            self.async_status.next = Status::OperandRange.into();
        }
        if self.async_kind.val() > LAST_KIND {
            self.async_status.next = Status::IllegalOperation.into();
        }
        self.async_good.next = self.async_status.val() == Status::Ok;
    }
}

impl Process<Offer> for Copier {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.tracker.begin_thread.next = self.async_thread.val();
        self.tracker.begin_kind.next = self.async_kind.val();
        self.tracker.begin_address.next = self.async_shared.val().get_bits::<24>(0);
    }
}

impl Process<Accept> for Copier {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.bulk_ready.next = !self.active.q.val() | (self.takes_bulk.val() & self.ends.val());
        self.starts.next = self.bulk_valid.val() & self.bulk_ready.val() & self.bulk_good.val();
        self.active.d.next = (self.active.q.val() & !self.bulk_ready.val()) | self.starts.val();
        if self.takes_bulk.val() {
            self.begun.d.next = true;
            self.from.d.next = self.from.q.val() + bit_cast::<44, 4>(self.units.val());
            self.to.d.next = self.to.q.val() + bit_cast::<20, 4>(self.units.val());
            self.left.d.next = self.left.q.val() - bit_cast::<16, 4>(self.units.val());
        }
        if self.starts.val() {
            self.from.d.next = self.bulk_global.val().get_bits::<44>(4);
            self.to.d.next = self.bulk_shared.val().get_bits::<20>(4);
            self.left.d.next = self.bulk_bytes.val().get_bits::<16>(4);
            self.barrier.d.next = self.bulk_barrier.val().get_bits::<24>(0);
            self.ctas.d.next = self.bulk_ctas.val();
            self.begun.d.next = false;
        }

        self.copy_room.next = !self.copy.q.val() | self.takes_copy.val() | (self.async_kind.val() != COPY);
        self.tracker.begin_valid.next = self.async_valid.val() & self.async_good.val() & self.copy_room.val();
        self.async_ready.next = !self.async_good.val() | (self.tracker.begin_ready.val() & self.copy_room.val());
        self.copies.next =
            self.tracker.begin_valid.val() & self.tracker.begin_ready.val() & (self.async_kind.val() == COPY);
        self.copy.d.next = (self.copy.q.val() & !self.takes_copy.val()) | self.copies.val();
        if self.copies.val() {
            self.copy_from.d.next = self.async_global.val().get_bits::<44>(4);
            self.copy_to.d.next = self.async_shared.val().get_bits::<20>(4);
            self.copy_words.d.next = self.async_words.val();
            self.copy_turns.d.next =
                self.async_shared.val().get_bits::<3>(2) - self.async_global.val().get_bits::<3>(2);
            self.copy_thread.d.next = self.async_thread.val();
            self.copy_turn.d.next = self.tracker.begin_turn.val();
        }
    }
}
