//! Train: a shift register with the decoded request, beside the pipeline. Element 0 of each array is stage p1.

use super::kind::{self, Kind};
use super::{PositionBits, STAGES};
use crate::hardware;
use crate::hdl::*;

hardware! {
    /// Train: what a request is, on its way beside the pipeline.
    pub module Train = "train" {
        /// What is in stages before p9 is to be done anew.
        pub surprise: Signal<In, Bit>,
        /// A request is in p0.
        pub valid: Signal<In, Bit>,
        /// Its place in the ring.
        pub position: Signal<In, PositionBits>,
        /// What it is.
        pub kind: Signal<In, Kind>,
        /// Number of its word.
        pub index: Signal<In, WordIndex>,
        /// Its tag.
        pub tag: Signal<In, Tag>,

        /// There is a request, from p1 on.
        pub there: Lanes<OutControlReg<Bit>, STAGES> = Lanes::new(8),
        /// It is on a word of the memory.
        pub live: Lanes<OutControlReg<Bit>, STAGES> = Lanes::new(9),
        /// Its place in the ring.
        pub place: Lanes<OutReg<PositionBits>, STAGES> = Lanes::new(8),
        /// What it is.
        pub kinds: Lanes<OutReg<Kind>, STAGES> = Lanes::new(9),
        /// Number of its word.
        pub indices: Lanes<OutReg<WordIndex>, STAGES> = Lanes::new(9),
        /// Its tag.
        pub tags: Lanes<OutReg<Tag>, STAGES> = Lanes::new(9),

        /// Stages behind p1 in which requests may be undone.
        pub undone: usize = 7,
        /// Stages behind p1 in which there are words.
        pub alive: usize = 8,
        /// Stages behind p1 that `place` goes through.
        pub placed: usize = 7,
        /// Stages behind p1 that `kinds` goes through.
        pub known: usize = 8,
        /// Stages behind p1 that the rest goes through.
        pub named: usize = 8,
    }
    processes { Begin, Move }
    /// A train.
    built by pub fn whole() {
        // the last stages: there p8, live p9, place p8, kinds p9, indices and tags p9
    }
}

#[processes]
impl Train {
    fn begin(&mut self) {
        self.there[0].d.next = self.valid.val() & !self.surprise.val();
        self.live[0].d.next = self.valid.val() & !self.surprise.val() & !self.kind.val().get_bit(kind::COUNTS);
        self.place[0].d.next = self.position.val();
        self.kinds[0].d.next = self.kind.val();
        self.indices[0].d.next = self.index.val();
        self.tags[0].d.next = self.tag.val();
    }

    fn r#move(&mut self) {
        for s in 0..self.undone {
            self.there[s + 1].d.next = self.there[s].q.val() & !self.surprise.val();
        }
        for s in 0..self.alive {
            self.live[s + 1].d.next = self.live[s].q.val() & !self.surprise.val();
        }
        for s in 0..self.placed {
            self.place[s + 1].d.next = self.place[s].q.val();
        }
        for s in 0..self.known {
            self.kinds[s + 1].d.next = self.kinds[s].q.val();
        }
        for s in 0..self.named {
            connect!(self.*[s + 1] <<= self.*[s]: indices, tags);
        }
    }
}
