//! Batches: which sources came in the same cycle, and which is served next.
//!
//! **What.** In every cycle up to eight sources may each bring an item; together these are a batch. Each source keeps
//! its item in a memory of its own, all at the same place; this block keeps which sources these were. Batches are
//! served in their order, and those of one batch in the order of the sources, one a cycle: so all are served in the order of
//! arrival, and nothing has to be arbitrated.
//!
//! ```text
//!   cycle     0        1        2        3        4        5
//!   come      A, C     B                          A
//!   tail      1        2        4        4        4        9        where they are written
//!   turn               A        C        B                 A        whose turn it is, one-hot
//!   at                 1        1        2                 4        and where it is read (see [`Steps`]); all others at 0, where zeros are
//!   rest               C                                            those of its batch whose turn has not come
//!   queue                       B                                   batches that wait: nobody's has to, if nothing waits
//!   ended                       1        1                 1        the last of its batch
//! ```
//! What comes while somebody waits goes into a queue; what comes otherwise has its turn in the next cycle. In a queue stands who is the
//! first of a batch and who the others are, so that nothing has to be found out when it leaves.
//!
//! **Pause.** In a cycle of pause nobody is served: whose turn it is stays so, and those behind wait.
//!
//! **Room.** 15 places, for the batch that is served and 14 in the queue: while any wait, one is served.

use super::tally::Tally;
use crate::cells::steps::{PLACES, Place, Steps};
use crate::hardware;
use crate::hdl::*;

/// One bit a source.
pub type Sources = Bits<8>;

hardware! {
    /// Batches: who came in the same cycle, and whose turn it is.
    pub module Batches = "batches" {
        /// Who comes.
        pub come: Signal<In, Sources>,
        /// Nobody is served in this cycle.
        pub pause: Signal<In, Bit>,
        /// Somebody comes.
        pub comes: Signal<Out, Bit>,
        /// Place of the batch that comes.
        pub tail: Signal<Out, Place>,
        /// The first cycle after reset: zeros are written at the place of zeros.
        pub begins: Signal<Out, Bit>,
        /// Whose turn it is, unless there is a pause.
        pub turn: OutControlReg<Sources>,
        /// It is somebody's.
        pub busy: OutControlReg<Bit>,
        /// Where each source is read: at the place of the batch, or where zeros are.
        pub at: Lanes<OutControlReg<Place>> = Lanes::new(sources),
        /// The last of a batch has its turn.
        pub ended: Signal<Out, Bit>,

        /// Number of sources.
        pub sources: usize = sources,
        /// Those of the batch that is served whose turn has not come.
        pub rest: ControlReg<Sources>,
        /// There are such.
        pub several: ControlReg<Bit>,
        /// Batches are in the queue.
        pub waiting: ControlReg<Bit>,
        /// The first of each batch in the queue.
        pub firsts: LutRam<Sources, Place> = LutRam::new(PLACES),
        /// The others of it.
        pub others: LutRam<Sources, Place> = LutRam::new(PLACES),
        /// Whether there are any.
        pub plurals: LutRam<Bit, Place> = LutRam::new(PLACES),
        /// The first of the queue.
        pub oldest: Steps,
        /// The end of the queue.
        pub behind: Steps,
        /// Place of the batch that comes.
        pub filling: Steps,
        /// Place of the batch that is served, or of the next one.
        pub serving: Steps,
        /// How many come.
        pub comers: Tally = Tally::of_eight(),
        /// How many are left of a batch.
        pub left: Tally = Tally::of_eight(),

        /// Somebody's turn is put off.
        pub holds: Signal<Local, Bit>,
        /// A batch may begin in the next cycle.
        pub takes: Signal<Local, Bit>,
        /// It comes from the queue.
        pub pop: Signal<Local, Bit>,
        /// A batch goes into the queue.
        pub push: Signal<Local, Bit>,
        /// Whose turn is next.
        pub next: Signal<Local, Sources>,
        /// The others of that batch.
        pub then: Signal<Local, Sources>,
        /// There are such.
        pub more: Signal<Local, Bit>,
        /// It is somebody's turn next.
        pub some: Signal<Local, Bit>,
    }
    processes { Count, Come, Serve, Turn }
    /// No batches, of so many sources.
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
        // until somebody waits, nobody looks at what lies there
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
