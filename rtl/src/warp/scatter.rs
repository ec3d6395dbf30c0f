//! Scatter: the unit's answers go back to the lanes that asked.
//!
//! **What.** A table has an entry for each group of lanes whose request is under way: which lanes, which of them wait for the
//! other phase, the tag of their instruction. The number of the entry is the tag of the request, so an answer finds its lanes.
//! One answer leaves for all lanes of a group, with the token that all of them are given, or the predicate of each.
//!
//! Tokens of `.noComplete` count down from lane to lane: there an answer leaves for each lane, a cycle each, the lowest lane first.
//!
//! ```text
//!   cycle        0           1             2            3
//!   told_valid   ‾‾‾‾‾‾‾‾‾‾‾‾\_____
//!   told_ready   ‾‾‾‾\_______/‾‾‾‾‾        while the answer of a group leaves lane by lane
//!   rsp_valid                /‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾\__
//!   rsp_lanes                lane 0        lane 3       (another group)
//!   used                     ‾‾‾‾‾‾‾‾‾‾‾‾‾‾\___          the entry is free
//! ```
//! `told_ready` depends on the answer that is shown and on whether it is taken, not on the answer that comes.

use super::coalesce::Group;
use super::{GROUPS, GroupIndex, GroupMask};
use crate::hardware;
use crate::hdl::*;
use crate::pins::PortAnswer;
use crate::word::status::Status;
use crate::word::{self, COUNT_BITS};

hardware! {
    /// Scatter: answers of the unit go to lanes of a warp.
    pub module Scatter = "scatter" {
        /// A group that takes an entry.
        pub formed: Flat<Group<In>>,
        /// Entries that are taken.
        pub used: OutControlReg<GroupMask>,

        /// The unit answers.
        pub told_valid: Signal<In, Bit>,
        /// It is taken.
        pub told_ready: Signal<Out, Bit>,
        /// It; the tag is the number of the group.
        pub told: PortAnswer<In>,
        /// It was suspended.
        pub told_resumed: Signal<In, Bit>,

        /// Lanes are answered.
        pub rsp_valid: OutControlReg<Bit>,
        /// It is taken.
        pub rsp_ready: Signal<In, Bit>,
        /// Tag of the instruction.
        pub rsp_tag: Signal<Out, Tag>,
        /// Which lanes.
        pub rsp_lanes: Signal<Out, LaneMask>,
        /// How it ended, for all of them.
        pub rsp_status: OutReg<StatusCode, StatusView>,
        /// Predicate of each.
        pub rsp_predicates: Signal<Out, LaneMask>,
        /// Token, word or count, for all of them.
        pub rsp_data: Signal<Out, Word>,
        /// They were suspended.
        pub rsp_resumed: OutReg<Bit>,

        /// Lanes of each group.
        pub masks: LutRam<LaneMask, GroupIndex> = LutRam::new(GROUPS),
        /// Those that wait for the other phase.
        pub phases: LutRam<LaneMask, GroupIndex> = LutRam::new(GROUPS),
        /// Tag of the instruction.
        pub tags: LutRam<Tag, GroupIndex> = LutRam::new(GROUPS),
        /// The count by which tokens differ, and above it whether they do.
        pub steps: LutRam<Bits<21>, GroupIndex> = LutRam::new(GROUPS),
        /// Number of the group that is answered.
        pub shown: Reg<GroupIndex>,
        /// Its predicate.
        pub predicate: Reg<Bit>,
        /// Its data; with the token of the next lane, where they differ.
        pub data: Reg<Word>,
        /// Lanes of it that have been answered.
        pub served: ControlReg<LaneMask>,

        /// Nobody looks at the bits of a tag above those of a group's number.
        pub unused_tag: Signal<Local, Tag>,
        /// Lanes of it that have not.
        pub left: Signal<Local, LaneMask>,
        /// The step and whether it counts.
        pub stepping: Signal<Local, Bits<21>>,
        /// One lane at a time is answered.
        pub single: Signal<Local, Bit>,
        /// The group is answered as a whole in this cycle.
        pub last: Signal<Local, Bit>,
    }
    processes { Find, Show, Take }
    /// An empty table.
    built by pub fn new() {}
}

#[processes]
impl Scatter {
    /// What is shown. Depends on registers, and whether it is taken.
    fn show(&mut self) {
        self.left.next = self.masks.read_data.val() & !self.served.q.val();
        self.stepping.next = self.steps.read_data.val();
        self.single.next = self.stepping.val().get_bit(word::COUNT_BITS) & (self.rsp_status.q.val() == Status::Ok);
        self.rsp_lanes.next = self.left.val();
        if self.single.val() {
            self.rsp_lanes.next = self.left.val() & (!self.left.val() + 1);
        }
        self.last.next = !(self.left.val() & !self.rsp_lanes.val()).any();
        self.rsp_tag.next = self.tags.read_data.val();
        self.rsp_predicates.next = 0.into();
        if self.rsp_status.q.val() == Status::Ok {
            self.rsp_predicates.next = self.left.val() & self.phases.read_data.val();
            if self.predicate.q.val() {
                self.rsp_predicates.next = self.left.val() & !self.phases.read_data.val();
            }
        }
        self.rsp_data.next = self.data.q.val();
        self.told_ready.next = !self.rsp_valid.q.val() | (self.rsp_ready.val() & self.last.val());
    }

    /// The next answer, the next lane, and who takes an entry or leaves it.
    fn take(&mut self) {
        self.unused_tag.next = self.told.tag.val();
        keep!(self.rsp_valid, self.rsp_status, self.rsp_resumed, self.shown, self.predicate, self.data);
        if self.rsp_valid.q.val() & self.rsp_ready.val() {
            self.served.d.next = self.served.q.val() | self.rsp_lanes.val();
            self.data.d.next = self.data.q.val()
                + (bit_cast::<64, COUNT_BITS>(self.stepping.val().get_bits::<COUNT_BITS>(0)) << word::PENDING.lsb);
            if self.last.val() {
                for e in 0..GROUPS {
                    if self.shown.q.val() == e.to_bits() {
                        self.used.d.next = self.used.q.val() & !(bits::<32>(1) << e);
                    }
                }
            }
        }
        if self.told_ready.val() {
            self.rsp_valid.d.next = self.told_valid.val();
            self.rsp_status.d.next = self.told.status.val();
            self.rsp_resumed.d.next = self.told_resumed.val();
            self.shown.d.next = bit_cast::<5, TAG>(self.told.tag.val());
            connect!(self.* <<= self.told.*: predicate, data);
            self.served.d.next = 0.into();
        }
        for e in 0..GROUPS {
            if self.formed.allocate.val() & (self.formed.entry.val() == e.to_bits()) {
                self.used.d.next = self.used.d.val() | (bits::<32>(1) << e);
            }
        }
        self.masks.write_enable.next = self.formed.allocate.val();
        self.masks.write_address.next = self.formed.entry.val();
        self.masks.write_data.next = self.formed.lanes.val();
        self.phases.write_enable.next = self.formed.allocate.val();
        self.phases.write_address.next = self.formed.entry.val();
        self.phases.write_data.next = self.formed.others.val();
        self.tags.write_enable.next = self.formed.allocate.val();
        self.tags.write_address.next = self.formed.entry.val();
        self.tags.write_data.next = self.formed.entry_tag.val();
        self.steps.write_enable.next = self.formed.allocate.val();
        self.steps.write_address.next = self.formed.entry.val();
        self.steps.write_data.next = bit_cast::<21, COUNT_BITS>(self.formed.step.val())
            | (bit_cast::<21, 1>(self.formed.counts_down.val().into()) << word::COUNT_BITS);
    }

    /// Which entry is looked at.
    fn find(&mut self) {
        self.masks.read_address.next = self.shown.q.val();
        self.phases.read_address.next = self.shown.q.val();
        self.tags.read_address.next = self.shown.q.val();
        self.steps.read_address.next = self.shown.q.val();
    }
}
