//! Batches: keeps the order of arrival of up to eight sources, and selects the one to serve.
//!
//! **What.** In every cycle up to eight sources may each bring an item; together these are a batch. Each source keeps
//! its item in a memory of its own, all at the same place; this block keeps which sources these were. Batches are
//! served in their order, and those of one batch in the order of the sources, one a cycle: so all are served in the order of
//! arrival, and nothing has to be arbitrated.
//!
//! ```text
//!   cycle     0        1        2        3        4        5
//!   come      A, C     B                          A
//! tail      1        2        4        4        4        9        write address
//! turn               A        C        B                 A        source served, one-hot
//! at                 1        1        2                 4        its read address (see [`Steps`]); all others read at 0, the place of
//! zeros
//! rest               C                                            sources of its batch still to serve
//! queue                       B                                   batches waiting; empty if nothing waits
//!   ended                       1        1                 1        the last of its batch
//! ```
//! Items that arrive while others wait are queued; otherwise they are served in the next cycle. An entry of the queue holds the first
//! source of a batch and the others separately, so that no logic is needed when it leaves.
//!
//! **Pause.** In a cycle with `pause` no source is served: the selected source and those behind it wait.
//!
//! **Capacity.** 15 places: one for the batch that is served and 14 in the queue.

use super::tally::Tally;
use crate::cells::steps::{PLACES, Place, Steps};
use crate::hardware;
use crate::hdl::*;

/// Mask with one bit per source.
pub type Sources = Bits<8>;

hardware! {
    /// Batches: keeps the order of arrival of sources, and selects the one to serve.
    pub module Batches = "batches" {
        /// Sources with an item in this cycle.
        pub come: Signal<In, Sources>,
        /// No source is served in this cycle.
        pub pause: Signal<In, Bit>,
        /// At least one source has an item.
        pub comes: Signal<Out, Bit>,
        /// Place of the arriving batch.
        pub tail: Signal<Out, Place>,
        /// First cycle after reset: zeros are written to the place of zeros.
        pub begins: Signal<Out, Bit>,
        /// Source to serve, one-hot, unless there is a pause.
        pub turn: OutControlReg<Sources>,
        /// `turn` is not zero.
        pub busy: OutControlReg<Bit>,
        /// Read address of each source: the place of the batch, or the place of zeros.
        pub at: Lanes<OutControlReg<Place>> = Lanes::new(sources),
        /// The last source of a batch is served.
        pub ended: Signal<Out, Bit>,

        /// Number of sources.
        pub sources: usize = sources,
        /// Sources of the current batch still to serve.
        pub rest: ControlReg<Sources>,
        /// `rest` is not zero.
        pub several: ControlReg<Bit>,
        /// The queue is not empty.
        pub waiting: ControlReg<Bit>,
        /// First source of each batch in the queue.
        pub firsts: LutRam<Sources, Place> = LutRam::new(PLACES),
        /// Other sources of each batch in the queue.
        pub others: LutRam<Sources, Place> = LutRam::new(PLACES),
        /// Batches in the queue with other sources.
        pub plurals: LutRam<Bit, Place> = LutRam::new(PLACES),
        /// Place of the oldest batch in the queue.
        pub oldest: Steps,
        /// Place after the youngest batch in the queue.
        pub behind: Steps,
        /// Place of the arriving batch.
        pub filling: Steps,
        /// Place of the current batch, or of the next one.
        pub serving: Steps,
        /// Number of sources that arrive: none, one or several.
        pub comers: Tally = Tally::of_eight(),
        /// Number of sources left of a batch: none, one or several.
        pub left: Tally = Tally::of_eight(),

        /// The selected source is held back by a pause.
        pub holds: Signal<Local, Bit>,
        /// A batch may begin in the next cycle.
        pub takes: Signal<Local, Bit>,
        /// The next batch comes from the queue.
        pub pop: Signal<Local, Bit>,
        /// The arriving batch is queued.
        pub push: Signal<Local, Bit>,
        /// Next source to serve.
        pub next: Signal<Local, Sources>,
        /// Other sources of that batch.
        pub then: Signal<Local, Sources>,
        /// `then` is not zero.
        pub more: Signal<Local, Bit>,
        /// `next` is not zero.
        pub some: Signal<Local, Bit>,
    }
    processes { Count, Come, Serve, Turn }
    /// Batches of this many sources, empty.
    built by pub fn of(sources: usize) {}
}

#[processes]
impl Batches {
    fn count(&mut self) {
        self.comers.sources.next = self.come.val();
        self.left.sources.next = self.rest.q.val();
    }

    fn come(&mut self) {
        self.comes.next = self.comers.any.val();
        self.holds.next = self.pause.val() & self.busy.q.val();
        self.takes.next = !self.holds.val() & !self.several.q.val();
        self.pop.next = self.takes.val() & self.waiting.q.val();
        self.push.next = self.comers.any.val() & (!self.takes.val() | self.waiting.q.val());
        self.ended.next = self.takes.val() & self.busy.q.val();
        self.oldest.moves.next = self.pop.val();
        self.behind.moves.next = self.push.val();
        self.filling.moves.next = self.comers.any.val();
        self.serving.moves.next = self.ended.val();
    }

    fn serve(&mut self) {
        self.tail.next = self.filling.place.q.val();
        self.begins.next = self.filling.begins.val();
        self.waiting.d.next = self.push.val()
            | (self.waiting.q.val() & !(self.pop.val() & (self.oldest.after.val() == self.behind.place.q.val())));
        // contents are unused until a batch waits
        self.firsts.write_enable.next = true;
        self.firsts.write_address.next = self.behind.place.q.val();
        self.firsts.write_data.next = self.comers.first.val();
        self.firsts.read_address.next = self.oldest.place.q.val();
        self.others.write_enable.next = true;
        self.others.write_address.next = self.behind.place.q.val();
        self.others.write_data.next = self.come.val() ^ self.comers.first.val();
        self.others.read_address.next = self.oldest.place.q.val();
        self.plurals.write_enable.next = true;
        self.plurals.write_address.next = self.behind.place.q.val();
        self.plurals.write_data.next = self.comers.several.val();
        self.plurals.read_address.next = self.oldest.place.q.val();
    }

    fn turn(&mut self) {
        self.next.next = self.comers.first.val();
        self.then.next = self.come.val() ^ self.comers.first.val();
        self.more.next = self.comers.several.val();
        self.some.next = self.comers.any.val() | self.waiting.q.val() | self.several.q.val();
        if self.waiting.q.val() {
            self.next.next = self.firsts.read_data.val();
            self.then.next = self.others.read_data.val();
            self.more.next = self.plurals.read_data.val();
        }
        if self.several.q.val() {
            self.next.next = self.left.first.val();
            self.then.next = self.rest.q.val() ^ self.left.first.val();
            self.more.next = self.left.several.val();
        }
        if !self.holds.val() {
            self.turn.d.next = self.next.val();
            self.busy.d.next = self.some.val();
            self.rest.d.next = self.then.val();
            self.several.d.next = self.more.val();
            for s in 0..self.sources {
                self.at[s].d.next = 0.into();
                if self.next.val().get_bit(s) {
                    self.at[s].d.next = self.serving.soon.val();
                }
            }
        }
    }
}
