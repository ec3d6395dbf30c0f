//! A bank: one memory of 64-bit words and the pipeline that updates them.
//!
//! **What.** One group of requests enters in every cycle, on any word; every one sees all that entered before it, as if
//! they were done one after the other. A group is one request, or several of different ports on one word whose deltas are
//! summed up on the way.
//!
//! ```text
//!        c0 arbitrate   c1 compare          c2 gather, select      c3 update    c4 commit          c5, c6
//!   in ─► RAM address ─► RAM read ─────────► RAM output ─┐
//!                        compare rows ──────► choose ────┴► fetched ─► sums ─► outcome ─► word ──► kept to be
//!         lead, members                       sums of deltas ────────► (ALU)       │        │       forwarded
//!                                                                                  ▼        ▼
//!                                                                                answers   RAM write
//! ```
//!
//! **Forwarding.** A group reads the memory in c0, but those up to four ahead of it have not written by then. Its
//! word comes from the youngest of them that writes the same word:
//!
//! | ahead by | it is, while this one is in c2 | taken |
//! | --- | --- | --- |
//! | 1 | in c3 | inside the ALU (`followed`) |
//! | 2 | in c4 | the ALU's word |
//! | 3 | in c5 | `word_c5` |
//! | 4 | in c6 | `word_c6` (it writes in the very cycle in which the memory is read: never looked at there) |
//!
//! Only groups that write are compared with, and always on the whole row.
//!
//! **Replay.** A group that cannot be done whole (see `alu.rs`) stays in c4 while its members go through c3 and c4 one by
//! one (see `replay.rs`). All other stages of all banks stand still.
//!
//! **Reset** empties the pipeline. The memory keeps what it holds.

pub mod alu;
pub mod decode;
pub mod lane;
pub mod laps;
pub mod overrun;
pub mod replay;

use crate::bank::alu::Alu;
use crate::bank::replay::Replay;
use crate::cells::arbiter::RoundRobin;
use crate::hardware;
use crate::hdl::*;
use crate::sizes::Grouped;
use crate::word::status::Status;

hardware! {
    /// Bank: a memory of 64-bit words that takes one group of requests a cycle on any address pattern.
    pub module Bank = "bank" {
        /// Pipeline enable.
        pub advance: Signal<In, Bit>,
        /// Requests for a word of this bank, one bit per port (c0).
        pub request: Signal<In, PortMask>,
        /// Granted port, one-hot (c0).
        pub lead: Signal<Out, PortMask>,
        /// Members of the granted group, one bit per port.
        pub members: Signal<In, PortMask>,
        /// The group has more than one member.
        pub group: InStageReg<Bit>,
        /// Row of the group's word.
        pub row: InStageReg<RowIndex>,
        /// Members in c1.
        pub members_c1: OutStageControlReg<PortMask>,
        /// A member of the group writes the word (c1).
        pub writes: Signal<In, Bit>,

        /// A copy stores the word in place of a group (c0); present with a DMA port.
        pub copies: Lanes<InStageControlReg<Bit>> = Lanes::new(doors),
        /// The copy in c2 stores its word.
        pub copies_c2: Lanes<OutStageControlReg<Bit>> = Lanes::new(doors),
        /// The copy in c4 stores its word.
        pub copied: Lanes<Signal<Out, Bit>> = Lanes::new(doors),

        /// Members in c2.
        pub members_c2: OutStageControlReg<PortMask>,
        /// Sum of the members' arrivals (c2, as are all inputs from here on).
        pub arrivals: InStageReg<Count>,
        /// `arrivals`, negated.
        pub arrivals_negative: InStageReg<Count>,
        /// `arrivals` is not zero.
        pub arrives: InStageReg<Bit>,
        /// Sum of the members' drops.
        pub drops: InStageReg<Count>,
        /// `drops`, negated.
        pub drops_negative: InStageReg<Count>,
        /// Sum of what the members add to the tx field.
        pub tx: InStageReg<TxCount>,
        /// `tx`, negated.
        pub tx_negative: InStageReg<TxCount>,
        /// A member of the group changes counts.
        pub updates: InStageReg<Bit>,
        /// A fault of the group sets the sticky bit.
        pub marks: InStageReg<Bit>,
        /// All members that change counts are single arrivals; present if phases may end within groups.
        pub singles: Lanes<InStageReg<Bit>> = Lanes::new(overruns as usize),
        /// A member of the group expects bytes.
        pub expects: InStageReg<Bit>,
        /// A member of the group completes bytes.
        pub completes: InStageReg<Bit>,
        /// Bits of the word to replace.
        pub replace: InStageReg<Word>,
        /// New value of the bits to replace.
        pub insert: InStageReg<Word>,

        /// The member of a split group that is in c3.
        pub turn: Signal<Out, PortMask>,
        /// Arrivals of the replayed member.
        pub turn_arrivals: Signal<In, Count>,
        /// `turn_arrivals`, negated.
        pub turn_arrivals_negative: Signal<In, Count>,
        /// The replayed arrivals are subtracted from the expected count, too.
        pub turn_leaves: Signal<In, Bit>,
        /// Addend of the replayed member to the tx field.
        pub turn_tx: Signal<In, TxCount>,
        /// `turn_tx`, negated.
        pub turn_tx_negative: Signal<In, TxCount>,
        /// The replayed member changes counts.
        pub turn_updates: Signal<In, Bit>,
        /// A fault of the replayed member sets the sticky bit of the word.
        pub turn_marks: Signal<In, Bit>,

        /// The group in c4 must be split.
        pub splits: Signal<Out, Bit>,
        /// Requests performed in this cycle, one bit per port (c4, as are all outputs from here on).
        pub done: Signal<Out, PortMask>,
        /// The request performed was a member of a split group.
        pub replayed: Signal<Out, Bit>,
        /// The word before the group or the replayed member, with the bits to replace already replaced.
        pub old: Signal<Out, Word, WordView>,
        /// Fault of a count; `ok` if there is none.
        pub fault: Signal<Out, StatusCode, StatusView>,
        /// Phase completed.
        pub flips: Signal<Out, Bit>,
        /// Number of phases completed besides the first; present if phases may end within groups.
        pub more: Lanes<Signal<Out, Bits<3>>> = Lanes::new(overruns as usize),
        /// Row of the word.
        pub row_c4: OutStageReg<RowIndex>,

        /// Number of DMA and warp access ports.
        pub doors: usize = doors,
        /// A copy is in c3.
        pub copies_c3: Lanes<StageControlReg<Bit>> = Lanes::new(doors),
        /// A copy is in c4.
        pub copies_c4: Lanes<StageControlReg<Bit>> = Lanes::new(doors),
        /// Replay of split groups; present with several ports.
        pub replay: Lanes<Replay> = Lanes::new(replays),
        /// 1 if `replay` is present.
        pub replays: usize = replays,
        /// 1 if phases may end within groups.
        pub overruns: usize = overruns as usize,
        /// Arbiter.
        pub arbiter: RoundRobin,
        /// The memory.
        pub ram: BlockRam<Word, WordView> = BlockRam::new(rows),
        /// ALU.
        pub alu: Alu = Alu::new(overruns),

        /// The group in c2 writes its word.
        pub writes_c2: StageControlReg<Bit>,
        /// The group in c2 has more than one member.
        pub group_c2: StageReg<Bit>,
        /// Row of the group in c2.
        pub row_c2: StageReg<RowIndex>,
        /// The group in c3 writes the word of the one in c2.
        pub follows_c3: StageReg<Bit>,
        /// The group in c4 writes the word of the one in c2.
        pub follows_c4: StageReg<Bit>,
        /// The group in c5 writes the word of the one in c2.
        pub follows_c5: StageReg<Bit>,
        /// The group in c6 writes the word of the one in c2.
        pub follows_c6: StageReg<Bit>,

        /// Members in c3.
        pub members_c3: StageControlReg<PortMask>,
        /// The group in c3 has more than one member.
        pub group_c3: StageReg<Bit>,
        /// The group in c3 writes its word.
        pub writes_c3: StageControlReg<Bit>,
        /// Row of the group in c3.
        pub row_c3: StageReg<RowIndex>,

        /// Members in c4.
        pub members_c4: StageControlReg<PortMask>,
        /// The group in c4 writes its word.
        pub writes_c4: StageControlReg<Bit>,
        /// The pipeline was stalled in the last cycle: the group in c4 has already been performed.
        pub stood: Signal<Local, Bit>,
        /// The member of a split group that is in c4.
        pub turn_c4: Signal<Local, PortMask>,
        /// The member in c3 is the last of its group.
        pub last: Signal<Local, Bit>,

        /// The group in c5 wrote its word.
        pub writes_c5: StageControlReg<Bit>,
        /// Row of the group in c5.
        pub row_c5: StageReg<RowIndex>,
        /// Word of the group in c5.
        pub word_c5: StageReg<Word, WordView>,
        /// The word of the group in c6.
        pub word_c6: StageReg<Word, WordView>,

    }
    processes { Commit, Arbitrate, Lead, Split, Operands, Select, Compare, Fetch }
    staged by advance
    /// A bank of `rows` 64-bit words (a power of two) for this many ports and DMA or warp access ports; `overruns` if phases may end within
    /// groups.
    built by pub fn new(rows: usize, ports: usize, doors: usize, overruns: bool) {
        let replays = (ports > 1) as usize;
    }
}

#[processes]
impl Bank {
    fn commit(&mut self) {
        clear!(self.turn, self.turn_c4, self.stood);
        self.last.next = true;
        for r in 0..self.replays {
            connect!(self.* <<= self.replay[r].*: turn, turn_c4, stood);
            self.last.next = !self.replay[r].left.q.val().any();
        }
        self.splits.next = self.alu.splits.val() & !self.stood.val() & self.members_c4.q.val().any();
        self.done.next = self.members_c4.q.val();
        if self.splits.val() {
            self.done.next = 0.into();
        }
        if self.stood.val() {
            self.done.next = self.turn_c4.val();
        }
        self.replayed.next = self.turn_c4.val().any();
        self.old.next = self.alu.old.q.val();
        // in reverse order of precedence: the last cause found is the one reported
        self.fault.next = Status::Ok.into();
        if self.alu.tx_fault.val() {
            self.fault.next = Status::TxRange.into();
        }
        if self.alu.expected_fault.val() {
            self.fault.next = Status::ExpectedUnderflow.into();
        }
        if self.alu.pending_fault.val() {
            self.fault.next = Status::PendingUnderflow.into();
        }
        self.flips.next = self.alu.flips.val() & self.done.val().any();
        for o in 0..self.overruns {
            self.more[o].next = 0.into();
            if self.flips.val() {
                self.more[o].next = self.alu.more[o].val();
            }
        }

        self.ram.write_enable.next = self.writes_c4.q.val() & self.done.val().any();
        for d in 0..self.doors {
            self.copied[d].next = self.copies_c4[d].q.val() & !self.stood.val();
            if self.copied[d].val() {
                self.ram.write_enable.next = true;
            }
        }
        self.ram.write_address.next = self.row_c4.q.val();
        self.ram.write_data.next = self.alu.word.val();
        self.writes_c5.d.next = self.writes_c4.q.val();
        self.row_c5.d.next = self.row_c4.q.val();
        self.word_c5.d.next = self.alu.word.val();
        self.word_c6.d.next = self.word_c5.q.val();
    }

    fn arbitrate(&mut self) {
        self.arbiter.request.next = self.request.val();
    }

    fn lead(&mut self) {
        self.lead.next = self.arbiter.grant.val();
    }

    fn split(&mut self) {
        for r in 0..self.replays {
            self.replay[r].advance.next = self.advance.val();
            self.replay[r].first.d.next = self.lead.val();
            self.replay[r].members.next = self.members_c4.q.val();
            self.replay[r].splits.next = self.splits.val();
        }
    }

    fn operands(&mut self) {
        self.alu.moves_on.next = self.advance.val();
        self.alu.advance.next = self.advance.val() | self.turn.val().any();
        self.alu.replaying.next = self.turn.val().any();
        self.alu.restart.next = self.turn.val().any() & !self.turn_c4.val().any();
        self.alu.last.next = self.last.val();
        self.alu.followed.next = self.follows_c3.q.val();
        self.alu.group.d.next = self.group_c3.q.val();
        self.alu.mixed.d.next = self.expects.q.val() & self.completes.q.val();
        self.alu.completing.d.next = self.completes.q.val();
        self.alu.expecting_alone.d.next = self.expects.q.val() & !self.arrives.q.val();
        connect!(self.alu.* <<= self.*: arrivals, arrivals_negative, drops, drops_negative, tx, tx_negative, updates,
            marks, replace, insert);
        for o in 0..self.overruns {
            self.alu.singles[o].next = self.singles[o].q.val() & !self.turn.val().any();
        }
        if self.turn.val().any() {
            self.alu.group.d.next = false;
            connect!(self.alu.* <<= self.turn_*: arrivals, arrivals_negative);
            clear!(self.alu.drops, self.alu.drops_negative);
            if self.turn_leaves.val() {
                self.alu.drops.next = self.turn_arrivals.val();
                self.alu.drops_negative.next = self.turn_arrivals_negative.val();
            }
            connect!(self.alu.* <<= self.turn_*: tx, tx_negative, updates, marks);
            clear!(self.alu.replace, self.alu.insert);
        }

        for d in 0..self.doors {
            self.copies_c4[d].d.next = self.copies_c3[d].q.val();
            self.copies_c3[d].d.next = self.copies_c2[d].q.val();
            self.copies_c2[d].d.next = self.copies[d].q.val();
        }
        self.members_c4.d.next = self.members_c3.q.val();
        self.writes_c4.d.next = self.writes_c3.q.val();
        self.row_c4.d.next = self.row_c3.q.val();
    }

    fn select(&mut self) {
        self.alu.fetched.next = self.ram.read_data.val();
        if self.follows_c6.q.val() {
            self.alu.fetched.next = self.word_c6.q.val();
        }
        if self.follows_c5.q.val() {
            self.alu.fetched.next = self.word_c5.q.val();
        }
        if self.follows_c4.q.val() {
            self.alu.fetched.next = self.alu.word.val();
        }
        self.members_c3.d.next = self.members_c2.q.val();
        self.group_c3.d.next = self.group_c2.q.val();
        self.writes_c3.d.next = self.writes_c2.q.val();
        self.row_c3.d.next = self.row_c2.q.val();
    }

    fn compare(&mut self) {
        // the youngest writer of the same word wins; c2..c5 now are c3..c6 when the choice is made
        self.follows_c3.d.next = self.writes_c2.q.val() & (self.row.q.val() == self.row_c2.q.val());
        self.follows_c4.d.next = self.writes_c3.q.val() & (self.row.q.val() == self.row_c3.q.val());
        self.follows_c5.d.next = self.writes_c4.q.val() & (self.row.q.val() == self.row_c4.q.val());
        self.follows_c6.d.next = self.writes_c5.q.val() & (self.row.q.val() == self.row_c5.q.val());
        self.members_c2.d.next = self.members_c1.q.val();
        self.group_c2.d.next = self.group.q.val();
        self.writes_c2.d.next = self.writes.val();
        for d in 0..self.doors {
            if self.copies[d].q.val() {
                self.writes_c2.d.next = true;
            }
        }
        self.row_c2.d.next = self.row.q.val();
    }

    fn fetch(&mut self) {
        self.members_c1.d.next = self.members.val();
        self.ram.read_enable.next = self.advance.val();
        self.ram.read_address.next = self.row.d.val();
    }
}

impl<const PORTS: usize> Counts<Grouped<PORTS>> for Bank {
    #[inline(always)]
    fn counts(&self, each: &mut impl FnMut(usize, usize)) {
        counts!(self, each:
            (PORTS > 1) as usize => replays, replay, overruns, singles, more;
            0 => doors, copies, copies_c2, copies_c3, copies_c4, copied
        );
        Counts::<Grouped<PORTS>>::counts(&self.alu, each);
    }
}
