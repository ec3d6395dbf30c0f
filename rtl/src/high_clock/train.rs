//! Train: shift register of the decoded requests, beside the pipeline. Element 0 of each array is stage p1.

use super::kind::{self, Kind};
use super::{PositionBits, STAGES};
use crate::hardware;
use crate::hdl::*;

hardware! {
    /// Train: shift register of the decoded requests.
    pub module Train = "train" {
        /// Mis-speculation: stages before p9 are flushed.
        pub surprise: Signal<In, Bit>,
        /// Request in p0 valid.
        pub valid: Signal<In, Bit>,
        /// Index of the request in the ring.
        pub position: Signal<In, PositionBits>,
        /// Decoded request.
        pub kind: Signal<In, Kind>,
        /// Word index.
        pub index: Signal<In, WordIndex>,
        /// Tag.
        pub tag: Signal<In, Tag>,

        /// Request valid, from p1 on.
        pub there: Lanes<OutControlReg<Bit>, STAGES> = Lanes::new(8),
        /// The request accesses a word.
        pub live: Lanes<OutControlReg<Bit>, STAGES> = Lanes::new(9),
        /// Index in the ring.
        pub place: Lanes<OutReg<PositionBits>, STAGES> = Lanes::new(8),
        /// Decoded request.
        pub kinds: Lanes<OutReg<Kind>, STAGES> = Lanes::new(9),
        /// Word index.
        pub indices: Lanes<OutReg<WordIndex>, STAGES> = Lanes::new(9),
        /// Tag.
        pub tags: Lanes<OutReg<Tag>, STAGES> = Lanes::new(9),

        /// Stages after p1 in which requests may be flushed.
        pub undone: usize = 7,
        /// Stages after p1 of `live`.
        pub alive: usize = 8,
        /// Stages after p1 of `place`.
        pub placed: usize = 7,
        /// Stages after p1 of `kinds`.
        pub known: usize = 8,
        /// Stages after p1 of `indices` and `tags`.
        pub named: usize = 8,
    }
    processes { Begin, Move }
    /// A shift register of full length.
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
