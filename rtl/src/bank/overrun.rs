//! Overrun: a group of single arrivals in which a phase ends before the last of them.
//!
//! **What.** Stands beside the ALU, if there can be groups at all. A group *overruns* if all its members that move counts are
//! arrivals of one, and a member completes the phase behind which others follow: these begin the next phase, and may
//! complete it, and so on. Such a group is done whole, in one cycle like any other.
//!
//! Like the ALU, it finds out in c3 what it says in c4, for each word that the one ahead may leave:
//!
//! ```text
//!   c3                                                          c4
//!   kept (the one ahead holds) ───────────────► laps ─┐    ┌──► over    the group overruns
//!   stepped, or reloaded if it completed ─────► laps ─┼────┼──► reload  what is pending then
//!   what is pending after it, if it overran ──┘       │    └──► more    phases completed besides the first
//!                             choose_held, late ──────┘
//! ```
//! Only `tx_met`, which says that the tx-count is zero, is the ALU's: an arrival adds nothing to that.

use crate::bank::laps::Laps;
use crate::hardware;
use crate::hdl::*;
use crate::word::{self, COUNT_BITS};

/// Width of a count with a carry.
const WIDE_COUNT_BITS: usize = COUNT_BITS + 1;

hardware! {
    /// Overrun: a group of single arrivals in which a phase ends before the last of them.
    pub module Overrun = "overrun" {
        /// Register enable of c4.
        pub advance: Signal<In, Bit>,
        /// All members that change counts are single arrivals (c3, as are all inputs from here on).
        pub singles: Signal<In, Bit>,
        /// Number of arrivals, 0 to 8.
        pub arrivals: Signal<In, Bits<4>>,
        /// Pending field if the operation ahead holds.
        pub kept_pending: Signal<In, Count>,
        /// Expected field if the operation ahead holds.
        pub kept_expected: Signal<In, Count>,
        /// Pending field if the operation ahead steps.
        pub stepped_pending: Signal<In, Count>,
        /// Expected field if the operation ahead steps or flips, and pending field if it flips.
        pub stepped_expected: Signal<In, Count>,
        /// The operation ahead flips.
        pub completes: Signal<In, Bit>,
        /// The operation ahead holds, or is on another word.
        pub choose_held: Signal<In, Bit>,
        /// The tx-count is zero.
        pub tx_met: Signal<In, Bit>,

        /// The group overruns (c4, as are all outputs).
        pub over: OutStageReg<Bit>,
        /// Pending field after an overrun.
        pub reload: OutStageReg<Count>,
        /// `reload`, one bit wider.
        pub reload_wide: Signal<Out, Bits<21>>,
        /// `reload`, at the position of the pending field.
        pub reload_field: Signal<Out, Word>,
        /// Phases completed besides the first.
        pub more: OutStageReg<Bits<3>>,

        /// Result of the arrivals if the operation ahead holds.
        pub laps_kept: Laps,
        /// Result of the arrivals otherwise.
        pub laps_moved: Laps,
    }
    processes { Tell, Begin, Choose }
    staged by advance
}

#[processes]
impl Overrun {
    /// `reload` in other widths. Depends on registers only.
    fn tell(&mut self) {
        self.reload_wide.next = bit_cast::<WIDE_COUNT_BITS, COUNT_BITS>(self.reload.q.val());
        self.reload_field.next = bit_cast::<64, COUNT_BITS>(self.reload.q.val()) << word::PENDING.lsb;
    }

    fn begin(&mut self) {
        self.laps_kept.arrivals.next = self.arrivals.val();
        connect!(self.laps_kept.* <<= self.kept_*: pending, expected);
        self.laps_moved.arrivals.next = self.arrivals.val();
        connect!(self.laps_moved.* <<= self.stepped_*: pending, expected);
        if self.completes.val() {
            self.laps_moved.pending.next = self.stepped_expected.val();
        }
        if self.over.q.val() {
            self.laps_moved.pending.next = self.reload.q.val();
        }
    }

    fn choose(&mut self) {
        self.over.d.next = self.singles.val() & self.tx_met.val() & self.laps_moved.passes.val();
        self.reload.d.next = self.laps_moved.left.val();
        self.more.d.next = self.laps_moved.further.val();
        if self.choose_held.val() {
            self.over.d.next = self.singles.val() & self.tx_met.val() & self.laps_kept.passes.val();
            self.reload.d.next = self.laps_kept.left.val();
            self.more.d.next = self.laps_kept.further.val();
        }
    }
}
