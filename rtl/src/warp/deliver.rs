//! Deliver: what the steps of loads and stores find goes back to the lanes.
//!
//! **What.** A queue of eight steps. Who is to be answered is written when a step goes into the banks; what the banks hold, when it is seen in
//! c4. A step goes only if there is room for it, so that banks never wait for a port that does not take its answers.
//!
//! One answer leaves for each step, with the data of each of its lanes. In checked mode, lanes that have stored into a live barrier get an
//! answer of their own, with `store_to_barrier`, behind that of the others.
//!
//! ```text
//!   cycle       0 (c0)    1    2    3    4 (c4)    5
//!   push        ‾‾‾‾\____
//!   seen                            /‾‾‾‾‾‾‾‾\____
//!   rsp_valid                                      /‾‾‾‾
//! ```
//! `rsp_valid` and `room` come from registers.

use crate::hardware;
use crate::hdl::*;
use crate::word::status::Status;

/// Steps that a port has under way at most, answers that are not taken among them.
pub const STEPS: usize = 8;
/// Number of a step's place.
type Place = Bits<3>;
/// Width of a status and a size.
const MANNER: usize = Status::BITS + 2;

hardware! {
    /// Deliver: answers to the lanes of loads and stores.
    pub module Deliver = "deliver" {
        /// A step goes into the banks.
        pub push: Signal<In, Bit>,
        /// Lanes that it serves.
        pub lanes: Signal<In, LaneMask>,
        /// How it ends for them.
        pub status: Signal<In, StatusCode, StatusView>,
        /// Tag of its instruction.
        pub tag: Signal<In, Tag>,
        /// What each lane takes: 4, 8 or 16 bytes.
        pub size: Signal<In, Bits<2>>,
        /// Lanes that take the upper half of their word, and nothing else.
        pub above: Signal<In, LaneMask>,
        /// Bank of each lane's word; of the first, if there are two.
        pub bank: WarpLanes<Signal<In, BankIndex>> = WarpLanes::new(lanes),
        /// One more may go.
        pub room: Signal<Out, Bit>,
        /// What a step finds is seen: of the first that has not been.
        pub seen: Signal<In, Bit>,
        /// The word of each bank.
        pub words: Banks<Signal<In, Word>> = Banks::new(banks),
        /// Banks in which a live barrier was stored over, in checked mode.
        pub struck: Single<Signal<In, BankMask>> = Single::new(checked as usize),

        /// Lanes are answered.
        pub rsp_valid: OutControlReg<Bit>,
        /// It is taken.
        pub rsp_ready: Signal<In, Bit>,
        /// Tag of the instruction.
        pub rsp_tag: Signal<Out, Tag>,
        /// Which lanes.
        pub rsp_lanes: Signal<Out, LaneMask>,
        /// How it ended, for all of them.
        pub rsp_status: Signal<Out, StatusCode, StatusView>,
        /// What each lane has loaded: its first 8 bytes, or 4.
        pub rsp_lower: WarpLanes<Signal<Out, Word>> = WarpLanes::new(lanes),
        /// The next 8.
        pub rsp_upper: WarpLanes<Signal<Out, Word>> = WarpLanes::new(lanes),

        /// One in checked mode.
        pub checks: usize = checked as usize,
        /// Places.
        pub places: usize = STEPS,
        /// Lanes of each step.
        pub masks: LutRam<LaneMask, Place> = LutRam::new(STEPS),
        /// Those that take an upper half.
        pub halves: LutRam<LaneMask, Place> = LutRam::new(STEPS),
        /// Tag of its instruction.
        pub tags: LutRam<Tag, Place> = LutRam::new(STEPS),
        /// How it ends, and above that the size.
        pub manners: LutRam<Bits<MANNER>, Place> = LutRam::new(STEPS),
        /// Bank of each lane.
        pub origins: WarpLanes<LutRam<BankIndex, Place>> = WarpLanes::of(lanes, || LutRam::new(STEPS)),
        /// What each bank held.
        pub found: Banks<LutRam<Word, Place>> = Banks::of(banks, || LutRam::new(STEPS)),
        /// Banks in which a live barrier was stored over.
        pub strikes: Single<LutRam<BankMask, Place>> = Single::of(checked as usize, || LutRam::new(STEPS)),
        /// Place of the step that is answered.
        pub head: ControlReg<Place>,
        /// Place of the next that is seen.
        pub middle: ControlReg<Place>,
        /// Place of the next that goes.
        pub tail: ControlReg<Place>,
        /// Steps that have gone and are not answered.
        pub held: ControlReg<Bits<4>>,
        /// Those that have been seen.
        pub full: ControlReg<Bits<4>>,
        /// The lanes of the shown step that stored over no barrier have been answered.
        pub second: ControlReg<Bit>,

        /// Status and size of the step that is shown.
        pub manner: Signal<Local, Bits<MANNER>>,
        /// Lanes that stored over a live barrier.
        pub hit: Signal<Local, LaneMask>,
        /// Banks of which that is true.
        pub hit_banks: Signal<Local, BankMask>,
        /// Bank of a lane.
        pub origin: Signal<Local, BankIndex>,
        /// The bank of the lane's second word.
        pub next_origin: Signal<Local, BankIndex>,
        /// The word of a lane.
        pub word: Signal<Local, Word>,
        /// The half of it that the lane takes, if it takes no more.
        pub half: Signal<Local, Bits<32>>,
        /// Its second word.
        pub next_word: Signal<Local, Word>,
        /// Lanes take half a word.
        pub narrow: Signal<Local, Bit>,
        /// Lanes take two words.
        pub double: Signal<Local, Bit>,
        /// With what is shown the step is answered whole.
        pub last: Signal<Local, Bit>,
        /// It leaves.
        pub leaves: Signal<Local, Bit>,
    }
    processes { Point, Show, Keep }
    /// For so many lanes and banks.
    built by pub fn new(lanes: usize, banks: usize, checked: bool) {}
}

#[processes]
impl Deliver {
    /// Which place is looked at.
    fn point(&mut self) {
        self.room.next = self.held.q.val().index() != self.places;
        self.masks.read_address.next = self.head.q.val();
        self.halves.read_address.next = self.head.q.val();
        self.tags.read_address.next = self.head.q.val();
        self.manners.read_address.next = self.head.q.val();
        for l in 0..self.origins.len() {
            self.origins[l].read_address.next = self.head.q.val();
        }
        for b in 0..self.found.len() {
            self.found[b].read_address.next = self.head.q.val();
        }
        for c in 0..self.checks {
            self.strikes[c].read_address.next = self.head.q.val();
        }
    }

    /// What is shown. Depends on registers, and whether it is taken.
    fn show(&mut self) {
        self.manner.next = self.manners.read_data.val();
        self.narrow.next = self.manner.val().get_bits::<2>(5) == 0;
        self.double.next = self.manner.val().get_bits::<2>(5) == 2;
        self.hit_banks.next = 0.into();
        for c in 0..self.checks {
            self.hit_banks.next = self.strikes[c].read_data.val();
        }
        self.hit.next = 0.into();
        for l in 0..self.rsp_lower.len() {
            self.origin.next = self.origins[l].read_data.val();
            self.next_origin.next = self.origin.val() | 1;
            clear!(self.word, self.next_word);
            for b in 0..self.found.len() {
                if self.origin.val() == b.to_bits() {
                    self.word.next = self.word.val() | self.found[b].read_data.val();
                }
                if self.next_origin.val() == b.to_bits() {
                    self.next_word.next = self.next_word.val() | self.found[b].read_data.val();
                }
                for _c in 0..self.checks {
                    if ((self.origin.val() == b.to_bits())
                        | (self.double.val() & (self.next_origin.val() == b.to_bits())))
                        & self.hit_banks.val().get_bit(b)
                    {
                        self.hit.next = self.hit.val() | (bits::<WARP_LANES>(1) << l);
                    }
                }
            }
            self.half.next = 0.into();
            self.rsp_lower[l].next = self.word.val();
            if self.narrow.val() {
                self.half.next = self.word.val().get_bits::<32>(0);
                if self.halves.read_data.val().get_bit(l) {
                    self.half.next = self.word.val().get_bits::<32>(32);
                }
                self.rsp_lower[l].next = bit_cast::<64, 32>(self.half.val());
            }
            self.rsp_upper[l].next = 0.into();
            if self.double.val() {
                self.rsp_upper[l].next = self.next_word.val();
            }
        }
        self.rsp_tag.next = self.tags.read_data.val();
        self.rsp_status.next = self.manner.val().get_bits::<5>(0);
        self.rsp_lanes.next = self.masks.read_data.val();
        self.last.next = true;
        for _c in 0..self.checks {
            self.hit.next = self.hit.val() & self.masks.read_data.val();
            if self.hit.val().any() {
                self.rsp_lanes.next = self.masks.read_data.val() & !self.hit.val();
                self.last.next = false;
                if self.second.q.val() | !self.rsp_lanes.val().any() {
                    self.rsp_lanes.next = self.hit.val();
                    self.rsp_status.next = Status::StoreToBarrier.into();
                    self.last.next = true;
                }
            }
        }
        self.leaves.next = self.rsp_valid.q.val() & self.rsp_ready.val() & self.last.val();
    }

    /// What goes, is seen, and leaves.
    fn keep(&mut self) {
        self.masks.write_enable.next = self.push.val();
        self.masks.write_address.next = self.tail.q.val();
        self.masks.write_data.next = self.lanes.val();
        self.halves.write_enable.next = self.push.val();
        self.halves.write_address.next = self.tail.q.val();
        self.halves.write_data.next = self.above.val();
        self.tags.write_enable.next = self.push.val();
        self.tags.write_address.next = self.tail.q.val();
        self.tags.write_data.next = self.tag.val();
        self.manners.write_enable.next = self.push.val();
        self.manners.write_address.next = self.tail.q.val();
        self.manners.write_data.next =
            bit_cast::<MANNER, 5>(self.status.val()) | (bit_cast::<MANNER, 2>(self.size.val()) << 5);
        for l in 0..self.bank.len() {
            self.origins[l].write_enable.next = self.push.val();
            self.origins[l].write_address.next = self.tail.q.val();
            self.origins[l].write_data.next = self.bank[l].val();
        }
        for b in 0..self.words.len() {
            self.found[b].write_enable.next = self.seen.val();
            self.found[b].write_address.next = self.middle.q.val();
            self.found[b].write_data.next = self.words[b].val();
        }
        for c in 0..self.checks {
            self.strikes[c].write_enable.next = self.seen.val();
            self.strikes[c].write_address.next = self.middle.q.val();
            self.strikes[c].write_data.next = self.struck[c].val();
        }
        if self.push.val() {
            self.tail.d.next = self.tail.q.val() + 1;
        }
        if self.seen.val() {
            self.middle.d.next = self.middle.q.val() + 1;
        }
        if self.leaves.val() {
            self.head.d.next = self.head.q.val() + 1;
        }
        if self.push.val() & !self.leaves.val() {
            self.held.d.next = self.held.q.val() + 1;
        }
        if self.leaves.val() & !self.push.val() {
            self.held.d.next = self.held.q.val() - 1;
        }
        if self.seen.val() & !self.leaves.val() {
            self.full.d.next = self.full.q.val() + 1;
        }
        if self.leaves.val() & !self.seen.val() {
            self.full.d.next = self.full.q.val() - 1;
        }
        self.rsp_valid.d.next = self.full.d.val().any();
        if self.rsp_valid.q.val() & self.rsp_ready.val() {
            self.second.d.next = !self.last.val();
        }
    }
}
