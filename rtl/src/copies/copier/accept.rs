//! Acceptance: checks of descriptors, and space for them.

use super::{Accept, COPY, Copier, Judge, LAST_KIND, Offer};
use crate::hdl::*;
use crate::word::status::Status;

#[processes]
impl Copier {
    fn judge(&mut self) {
        self.bulk_end.next = bit_cast::<33, 32>(self.bulk.shared.val()) + bit_cast::<33, 32>(self.bulk.bytes.val());
        self.bulk_low.next = self.bulk.global.val().get_bits::<4>(0)
            | self.bulk.shared.val().get_bits::<4>(0)
            | self.bulk.bytes.val().get_bits::<4>(0);
        self.bulk.status.next = Status::Ok.into();
        if (self.bulk.barrier.val() >= self.window.to_bits())
            | (self.bulk.bytes.val().any() & (self.bulk_end.val() > self.window.to_bits()))
        {
            self.bulk.status.next = Status::OutOfRange.into();
        }
        if self.bulk_low.val().any() | self.bulk.barrier.val().get_bits::<3>(0).any() {
            self.bulk.status.next = Status::Misaligned.into();
        }
        self.bulk_good.next = (self.bulk.status.val() == Status::Ok) & self.bulk.bytes.val().any();

        clear!(self.async_sized, self.async_mask);
        self.async_words.next = 1.into();
        if self.r#async.bytes.val() == 4 {
            self.async_sized.next = true;
            self.async_mask.next = 3.into();
            if self.r#async.shared.val().get_bits::<2>(2) == 1 {
                self.async_words.next = 2.into();
            }
            if self.r#async.shared.val().get_bits::<2>(2) == 2 {
                self.async_words.next = 4.into();
            }
            if self.r#async.shared.val().get_bits::<2>(2) == 3 {
                self.async_words.next = 8.into();
            }
        }
        if self.r#async.bytes.val() == 8 {
            self.async_sized.next = true;
            self.async_mask.next = 7.into();
            self.async_words.next = 3.into();
            if self.r#async.shared.val().get_bit(3) {
                self.async_words.next = 12.into();
            }
        }
        if self.r#async.bytes.val() == 16 {
            self.async_sized.next = true;
            self.async_mask.next = 15.into();
            self.async_words.next = 15.into();
        }
        self.async_low.next = self.r#async.shared.val().get_bits::<4>(0);
        if self.r#async.kind.val() == COPY {
            self.async_low.next =
                self.r#async.global.val().get_bits::<4>(0) | self.r#async.shared.val().get_bits::<4>(0);
        } else {
            self.async_mask.next = 7.into();
        }
        self.r#async.status.next = Status::Ok.into();
        if self.r#async.shared.val() >= self.window.to_bits() {
            self.r#async.status.next = Status::OutOfRange.into();
        }
        if (self.async_low.val() & self.async_mask.val()).any() {
            self.r#async.status.next = Status::Misaligned.into();
        }
        if (self.r#async.kind.val() == COPY) & !self.async_sized.val() {
            self.r#async.status.next = Status::OperandRange.into();
        }
        if self.r#async.kind.val() > LAST_KIND {
            self.r#async.status.next = Status::IllegalOperation.into();
        }
        self.async_good.next = self.r#async.status.val() == Status::Ok;
    }

    fn offer(&mut self) {
        connect!(self.tracker.begin_* <<= self.r#async.*: thread, kind);
        self.tracker.begin_address.next = self.r#async.shared.val().get_bits::<24>(0);
    }

    fn accept(&mut self) {
        self.bulk.ready.next = !self.active.q.val() | (self.takes_bulk.val() & self.ends.val());
        self.starts.next = self.bulk.valid.val() & self.bulk.ready.val() & self.bulk_good.val();
        self.active.d.next = (self.active.q.val() & !self.bulk.ready.val()) | self.starts.val();
        if self.takes_bulk.val() {
            self.begun.d.next = true;
            self.from.d.next = self.from.q.val() + bit_cast::<44, 4>(self.units.val());
            self.to.d.next = self.to.q.val() + bit_cast::<20, 4>(self.units.val());
            self.left.d.next = self.left.q.val() - bit_cast::<16, 4>(self.units.val());
        }
        if self.starts.val() {
            self.from.d.next = self.bulk.global.val().get_bits::<44>(4);
            self.to.d.next = self.bulk.shared.val().get_bits::<20>(4);
            self.left.d.next = self.bulk.bytes.val().get_bits::<16>(4);
            self.barrier.d.next = self.bulk.barrier.val().get_bits::<24>(0);
            self.ctas.d.next = self.bulk.ctas.val();
            self.begun.d.next = false;
        }

        self.copy_room.next = !self.copy.q.val() | self.takes_copy.val() | (self.r#async.kind.val() != COPY);
        self.tracker.begin_valid.next = self.r#async.valid.val() & self.async_good.val() & self.copy_room.val();
        self.r#async.ready.next = !self.async_good.val() | (self.tracker.begin_ready.val() & self.copy_room.val());
        self.copies.next =
            self.tracker.begin_valid.val() & self.tracker.begin_ready.val() & (self.r#async.kind.val() == COPY);
        self.copy.d.next = (self.copy.q.val() & !self.takes_copy.val()) | self.copies.val();
        if self.copies.val() {
            self.copy_from.d.next = self.r#async.global.val().get_bits::<44>(4);
            self.copy_to.d.next = self.r#async.shared.val().get_bits::<20>(4);
            self.copy_words.d.next = self.async_words.val();
            self.copy_turns.d.next =
                self.r#async.shared.val().get_bits::<3>(2) - self.r#async.global.val().get_bits::<3>(2);
            self.copy_thread.d.next = self.r#async.thread.val();
            self.copy_turn.d.next = self.tracker.begin_turn.val();
        }
    }
}
