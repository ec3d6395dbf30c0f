//! Layouts of barriers (PTX ISA 9.3): bit 0 of the word, which every operation but `init` carries through. ptxas makes one exchange
//! of the word of `mbarrier.init.layout::v1`, and a load of `mbarrier.check_layout`.
//!
//! ```text
//!   mbarrier.init.layout::v1      init ──► load of the word ──► store of its lowest byte, bit 0 set
//!                                 the thread waits for all three; before that nobody else may use the word
//!   mbarrier.check_layout         load of the word, bit 0
//! ```

use super::*;
use crate::address::Location;
use txbar_rtl::op::Op;
use txbar_testbench::request::Request;

impl Machine<'_> {
    /// A thread asks whether a barrier has a layout.
    pub(super) fn check_layout(&mut self, cta: usize, thread: usize, location: Location, v1: bool) -> Performed {
        let Some(spot) = self.spot(cta, thread, location, 8) else { return Performed::Later };
        if usize::from(spot.cta) != cta {
            self.refuse(cta, thread, "mbarrier.check_layout is for barriers of the own CTA".to_string());
            return Performed::Later;
        }
        if !spot.offset.is_multiple_of(8) {
            let what = format!("mbarrier.check_layout is refused: {}", Status::Misaligned.meaning());
            self.refuse_as(cta, thread, what, Some(Status::Misaligned));
            return Performed::Later;
        }
        let runner = &self.blocks[cta].runners[thread];
        if runner.free_number().is_none() || self.is_asking(cta, thread, spot, 1) {
            return Performed::Later;
        }
        self.use_barrier(cta, thread, Op::Load, spot, 0, 0);
        self.ask(cta, thread, spot, Asked::CheckLayout { v1 }, Request::new(Op::Load, 0));
        Performed::Wait(State::Answers(1))
    }

    /// The word of a barrier that is to have layout v1 is loaded: lanes that have made it together may have named other counts.
    pub(super) fn loads_layout(&mut self, cta: usize, thread: usize, spot: Spot) {
        self.ask(cta, thread, spot, Asked::Layout { stored: false }, Request::new(Op::Load, 0));
    }

    /// It has been loaded, and its lowest byte is stored; or it has been stored, and is a barrier still.
    pub(super) fn gives_layout(&mut self, cta: usize, thread: usize, spot: Spot, word: u64, stored: bool) {
        if !stored {
            let request = Request { strobe: 1, ..Request::new(Op::Store, 0) }.with(word | 1);
            return self.ask(cta, thread, spot, Asked::Layout { stored: true }, request);
        }
        self.cluster.cta[usize::from(spot.cta)].unit.take_for_barrier(spot.offset as usize / 8);
        self.one_answer_less(cta, thread, |_, _| 0);
    }

    /// A layout has been read: there must be a barrier that has it.
    pub(super) fn has_layout(&mut self, pending: Pending, id: ThreadId) {
        if !self.observer.at(pending.spot).is_some_and(|watch| watch.live) {
            self.remarked(Bug::MissingInit, pending, id, Status::MissingInit);
        }
    }
}
