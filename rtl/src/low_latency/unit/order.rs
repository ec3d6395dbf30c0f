//! Order of evaluation of a low-latency unit, and the sizes for which it is compiled separately.
//!
//! ```text
//!   banks commit ─► outcomes ─► answers ─► queues show ─► requests ─► arbiters ─► accepted ─► sums ─► decoders, lanes, banks
//!   registers                                             pins        grants                          registers
//! ```
//! Every process runs once, after the processes that drive its inputs: `settle.rs` has that order, and `schedule.rs` derives it.

use super::*;
use crate::look::Point;
use crate::sizes::{Grouped, Usual, Waiting};

/// Any size.
struct Any;

/// A unit of this many ports and one bank, without optional blocks.
struct Plain<const PORTS: usize>;

impl Counts<Any> for Unit {
    #[inline(always)]
    fn counts(&self, _each: &mut impl FnMut(usize, usize)) {}
}

impl Counts<Usual> for Unit {
    #[inline(always)]
    fn counts(&self, each: &mut impl FnMut(usize, usize)) {
        counts!(self, each:
            0 => networked, departing, doors, door, calm, gates, gate, checked_gates, inlets, shared, turns;
            0 => masked, wakes, resumes;
            0 => checks, check, checked_tables, checked_masks, shadows, shadow, counted_checks, counted_networked
        );
    }
}

impl<const PORTS: usize> Counts<Grouped<PORTS>> for Unit {
    #[inline(always)]
    fn counts(&self, each: &mut impl FnMut(usize, usize)) {
        let many = (PORTS > 1) as usize;
        counts!(self, each:
            PORTS => ports, decode, lane, queue;
            1 => banks, bank;
            many => combines, combine, overruns;
            PORTS * many => recalls, recall, overrunning, single
        );
        self.lane.iter().for_each(|lane| Counts::<Grouped<PORTS>>::counts(lane, each));
        self.bank.iter().for_each(|bank| Counts::<Grouped<PORTS>>::counts(bank, each));
    }
}

impl<const PORTS: usize> Counts<Waiting<PORTS>> for Unit {
    #[inline(always)]
    fn counts(&self, each: &mut impl FnMut(usize, usize)) {
        Counts::<Usual>::counts(self, each);
        Counts::<Grouped<PORTS>>::counts(self, each);
        counts!(self, each:
            PORTS => issues, issue, tables, waiters, endings, ending;
            0 => direct;
            1 => timers, timer
        );
        self.issue.iter().for_each(|issue| Counts::<Usual>::counts(issue, each));
        self.waiters.iter().for_each(|table| Counts::<Waiting<PORTS>>::counts(table, each));
    }
}

impl<const PORTS: usize> Counts<Plain<PORTS>> for Unit {
    #[inline(always)]
    fn counts(&self, each: &mut impl FnMut(usize, usize)) {
        Counts::<Usual>::counts(self, each);
        Counts::<Grouped<PORTS>>::counts(self, each);
        counts!(self, each:
            PORTS => direct;
            0 => issues, issue, tables, waiters, timers, timer, endings, ending;
            0 => counted, counters, counted_tables, totalled, totals
        );
    }
}

/// In unit tests, always the general size: to compile the others takes longer than the tests run.
#[cfg(test)]
macro_rules! for_its_size {
    ($unit:ident.$function:ident()) => {
        $unit.$function::<Any>()
    };
}

/// Calls a function for the unit's size.
#[cfg(not(test))]
macro_rules! for_its_size {
    ($unit:ident.$function:ident()) => {
        match $unit.size {
            1 => $unit.$function::<Plain<1>>(),
            2 => $unit.$function::<Waiting<1>>(),
            3 => $unit.$function::<Waiting<2>>(),
            4 => $unit.$function::<Waiting<4>>(),
            5 => $unit.$function::<Usual>(),
            _ => $unit.$function::<Any>(),
        }
    };
}

impl Unit {
    /// Number of the unit's size, for [`Unit::size`]: the counts are compared here, at elaboration.
    pub(crate) fn fitting(&self) -> usize {
        let sizes = [
            fits::<Plain<1>, _>(self),
            fits::<Waiting<1>, _>(self),
            fits::<Waiting<2>, _>(self),
            fits::<Waiting<4>, _>(self),
            fits::<Usual, _>(self),
        ];
        sizes.iter().position(|fits| *fits).map_or(0, |place| place + 1)
    }

    /// Settles the whole unit: every process once, in the order of the data. Outputs may be read afterwards.
    #[inline(never)] // what it calls is large: one copy for everybody keeps compiling short
    pub fn settle(&mut self) {
        for_its_size!(self.settle_alone());
    }

    /// `settle` for one size, as a function of its own, so that each size is optimised independently.
    #[inline(never)]
    fn settle_alone<S>(&mut self)
    where
        Self: Counts<S>,
    {
        self.settle_sized::<S>(|_, _| {});
    }

    /// Like `settle`, with a hook at each point that may change signals: `look` is called at every [`Point`].
    #[inline(never)]
    pub fn settle_with(&mut self, look: &mut dyn FnMut(&mut Self, Point)) {
        self.settle_sized::<Any>(look);
    }

    #[inline(always)]
    fn know<S>(&self)
    where
        Self: Counts<S>,
    {
        // SAFETY: the size was chosen by `fitting`, and counts do not change once a unit is elaborated.
        unsafe { know::<S, _>(self) }
    }

    #[inline(always)]
    fn settle_sized<S>(&mut self, look: impl FnMut(&mut Self, Point))
    where
        Self: Counts<S>,
    {
        self.settle_steps(Self::know::<S>, look);
    }

    /// The clock edge, with `rst` low.
    #[inline(never)]
    pub fn clock(&mut self) {
        for_its_size!(self.tick_sized());
    }

    #[inline(never)]
    fn tick_sized<S>(&mut self)
    where
        Self: Counts<S>,
    {
        self.tick_knowing(Self::know::<S>);
    }
}
