//! Coalesce: the lanes of a warp's instruction become as few requests as they can.
//!
//! **What.** A warp's instruction comes whole: an operation, the lanes that are active, an address and an operand of each. The
//! lanes that name one word are one *group*, and a group is one request of the unit: counts are added up, and how many lanes
//! there are goes with the request. So the unit does once what the lanes ask for together, and judges their sum, as an H200
//! does (`testbench/vectors/README.md`, "Warps").
//!
//! | operation | lanes of a group |
//! | --- | --- |
//! | `arrive`, `arrive_drop`, `expect_tx`, `complete_tx`, `cp.async` arrivals, `test_wait`, `inval`, loads | one address |
//! | `init`, `pending_count` | one address and one operand |
//! | `.noComplete` | the same; all groups of one operand before the next operand |
//! | `try_wait` | one address and one phase |
//! | stores | refused: `illegal_operation` |
//!
//! Groups leave in the order of their lowest lanes.
//!
//! ```text
//!   cycle       0         1            2             3               4
//!               accept    choose       add           ask             (granted) c1 of the unit
//!                         leader,      eight sums    one sum,
//!                         group        of 4 lanes    range
//!   valid       ‾‾‾‾\_____
//!   pending               all lanes    -             (one word)      a further word: one more cycle in `choose`
//!   allocate              /‾‾‾‾\___
//!   ask_valid                                        /‾‾‾‾‾‾‾‾\__
//! ```
//! A group leaves `choose` in every cycle, and the next instruction comes in the cycle in which the last group of the one before
//! leaves: an instruction a cycle, if all its lanes name one word.
//!
//! **Waits that are suspended** hold an entry of the table of groups (`scatter.rs`) for long. They take those of its lower half
//! only; if that is full, a `try_wait` is done as `test_wait`, which PTX allows. So arrivals never wait for waits.

use super::{GROUPS, GroupIndex, GroupMask};
use crate::bank::decode::LANES_BITS;
use crate::hdl::*;
use crate::word::op::sets::{self, OpSet, any_of, set, taking};
use crate::word::op::{Op, Operand};
use crate::word::{self, COUNT_BITS};
use crate::{bundle, hardware};

/// Sums that are made in the first cycle.
const PARTS: usize = 8;
/// Width of one of them: 4 lanes of 32 bits.
const PART_BITS: usize = 34;
/// Width of the sum of all lanes.
const SUM_BITS: usize = 37;
/// Bits of it that no count has.
const EXCESS_BITS: usize = SUM_BITS - COUNT_BITS;

bundle! {
    /// A group of lanes that is asked for as one, and takes an entry of the table of groups.
    pub bundle Group {
        /// A group takes one.
        pub allocate: Forth<Bit>,
        /// Its number.
        pub entry: Forth<GroupIndex>,
        /// The lanes of the group.
        pub lanes: Forth<LaneMask>,
        /// Those that wait for the other phase than the one that is asked for.
        pub others: Forth<LaneMask>,
        /// Its tokens are given one after the other.
        pub counts_down: Forth<Bit>,
        /// The count by which they differ.
        pub step: Forth<Count>,
        /// Tag of its instruction.
        pub entry_tag: Forth<Tag>,
    }
}

hardware! {
    /// Coalesce: lanes of a warp become requests of the unit.
    pub module Coalesce = "coalesce" {
        /// An instruction comes.
        pub valid: Signal<In, Bit>,
        /// It is accepted.
        pub ready: Signal<Out, Bit>,
        /// Its opcode.
        pub op: Signal<In, OpCode, OpView>,
        /// It comes from another CTA.
        pub remote: Signal<In, Bit>,
        /// Its memory ordering.
        pub order: Signal<In, OrderCode>,
        /// How long its waits may be suspended, in nanoseconds.
        pub limit: Signal<In, Bits<32>>,
        /// Lanes that are active.
        pub mask: Signal<In, LaneMask>,
        /// Byte address of each lane.
        pub address: WarpLanes<Signal<In, Bits<32>>> = WarpLanes::new(lanes),
        /// Operand of each lane.
        pub operand: WarpLanes<Signal<In, Bits<32>>> = WarpLanes::new(lanes),
        /// Comes back with every answer.
        pub tag: Signal<In, Tag>,

        /// Entries of the table of groups that are taken.
        pub used: Signal<In, GroupMask>,
        /// A group that is formed.
        pub formed: Flat<Group<Out>>,

        /// A request is there.
        pub ask_valid: OutControlReg<Bit>,
        /// It is accepted.
        pub ask_ready: Signal<In, Bit>,
        /// Its opcode.
        pub ask_op: OutReg<OpCode, OpView>,
        /// It comes from another CTA.
        pub ask_remote: OutReg<Bit>,
        /// Its address.
        pub ask_address: OutReg<Bits<32>>,
        /// Its data: an operand, or the sum of the lanes' and how many they are.
        pub ask_data: OutReg<Word>,
        /// Number of its group.
        pub ask_tag: OutReg<Tag>,
        /// Its memory ordering.
        pub ask_order: OutReg<OrderCode>,
        /// An instruction that was accepted has not been asked for yet, or not wholly.
        pub busy: Signal<Out, Bit>,

        /// Number of sums in the first cycle.
        pub parts: usize = parts,
        /// The one that each lane is added to.
        pub part_of: WarpLanes<usize> = WarpLanes::of(lanes, || {
            lane += 1;
            (lane - 1) % parts
        }),
        /// Entries that suspended waits may take.
        pub half: usize = GROUPS / 2,
        /// The entry by whose number a posted group goes if none is free: never that of a wait, which would hold it.
        pub fallback: usize = if waits { GROUPS / 2 } else { 0 },
        /// Entries.
        pub groups: usize = GROUPS,

        /// Lanes that are left of the instruction (in `choose`).
        pub pending: ControlReg<LaneMask>,
        /// Lanes that have the operand of the group before and go first.
        pub first: ControlReg<LaneMask>,
        /// Opcode of the instruction.
        pub op_choose: Reg<OpCode, OpView>,
        /// It comes from another CTA.
        pub remote_choose: Reg<Bit>,
        /// Its memory ordering.
        pub order_choose: Reg<OrderCode>,
        /// Its time limit.
        pub limit_choose: Reg<Bits<32>>,
        /// Its tag.
        pub tag_choose: Reg<Tag>,
        /// Address of each lane.
        pub address_choose: WarpLanes<Reg<Bits<32>>> = WarpLanes::new(lanes),
        /// Operand of each lane.
        pub operand_choose: WarpLanes<Reg<Bits<32>>> = WarpLanes::new(lanes),

        /// A group is there (in `add`).
        pub valid_add: ControlReg<Bit>,
        /// Its opcode.
        pub op_add: Reg<OpCode, OpView>,
        /// It comes from another CTA.
        pub remote_add: Reg<Bit>,
        /// Its memory ordering.
        pub order_add: Reg<OrderCode>,
        /// Its time limit.
        pub limit_add: Reg<Bits<32>>,
        /// Its number.
        pub entry_add: Reg<GroupIndex>,
        /// Its address.
        pub address_add: Reg<Bits<32>>,
        /// The operand of its lowest lane.
        pub operand_add: Reg<Bits<32>>,
        /// Sums of the operands of some of its lanes.
        pub part: Lanes<Reg<Bits<34>>> = Lanes::new(parts),
        /// How many of these are in the group.
        pub part_count: Lanes<Reg<Bits<3>>> = Lanes::new(parts),

        /// The request may leave, or there is none.
        pub ask_moves: Signal<Local, Bit>,
        /// The group in `add` may leave, or there is none.
        pub add_moves: Signal<Local, Bit>,
        /// Lanes from which the next group is taken.
        pub eligible: Signal<Local, LaneMask>,
        /// The lowest of them.
        pub leader: Signal<Local, LaneMask>,
        /// Its address.
        pub lead_address: Signal<Local, Bits<32>>,
        /// Its operand.
        pub lead_operand: Signal<Local, Bits<32>>,
        /// Lanes that name the same word.
        pub near: Signal<Local, LaneMask>,
        /// Lanes that have the same operand.
        pub alike: Signal<Local, LaneMask>,
        /// Lanes that wait for phase 1.
        pub odd: Signal<Local, LaneMask>,
        /// The lowest lane does.
        pub lead_odd: Signal<Local, Bit>,
        /// The group.
        pub group: Signal<Local, LaneMask>,
        /// Lanes that are left then.
        pub left: Signal<Local, LaneMask>,
        /// There is a free entry for a wait that may be suspended.
        pub low_free: Signal<Local, Bit>,
        /// Its number.
        pub low_entry: Signal<Local, GroupIndex>,
        /// There is a free entry for what is not.
        pub high_free: Signal<Local, Bit>,
        /// Its number.
        pub high_entry: Signal<Local, GroupIndex>,
        /// The group may be suspended.
        pub suspends: Signal<Local, Bit>,
        /// The group leaves `choose`.
        pub goes: Signal<Local, Bit>,
        /// Operand of a lane, if it is in the group.
        pub addend: Signal<Local, Bits<32>>,
        /// The same of a few lanes.
        pub part_sum: Lanes<Signal<Local, Bits<34>>> = Lanes::new(parts),
        /// How many they are.
        pub part_lanes: Lanes<Signal<Local, Bits<3>>> = Lanes::new(parts),
        /// One of the sums.
        pub some: Signal<Local, Bits<34>>,
        /// How many lanes it has.
        pub some_lanes: Signal<Local, Bits<3>>,
        /// Sum of the operands of the group in `add`.
        pub sum: Signal<Local, Bits<37>>,
        /// How many lanes it has.
        pub count: Signal<Local, Bits<6>>,
        /// The same less one.
        pub count_less: Signal<Local, Bits<6>>,
    }
    constants {
        /// Operations whose lanes are counted, and their operands added up.
        SUMMED: OpSet = sets::UPDATING;
        /// Operations whose lanes must have one operand.
        UNIFORM: OpSet = any_of(&[sets::NO_COMPLETE, set(&[Op::Init, Op::PendingCount])]);
        /// Those that go by operands over all words.
        BY_OPERAND: OpSet = sets::NO_COMPLETE;
        /// Waits that may be suspended.
        TRYING: OpSet = sets::SUSPENDING;
        /// Operations that take a state token.
        TOKENS: OpSet = any_of(&[taking(Operand::Token), taking(Operand::TokenAndLimit)]);
        /// Those that may be suspended.
        LIMITED_TOKENS: OpSet = taking(Operand::TokenAndLimit);
        /// Operations that take a parity.
        PARITIES: OpSet = sets::PARITY;
        /// Those that may be suspended.
        LIMITED_PARITIES: OpSet = taking(Operand::ParityAndLimit);
        /// Operations that nobody waits for.
        POSTED: OpSet = sets::POSTED;
        /// An opcode that means nothing.
        ILLEGAL: OpCode = Bits::constant(31);
        /// A count that is refused.
        OVERSIZED: Word = Bits::constant(0xffff_ffff);
    }
    processes { Stand, Move, Choose, Fit, Leave, Add, Ask }
    /// For so many lanes; `waits` if there are waits that may be suspended.
    built by pub fn new(lanes: usize, waits: bool) {
        let parts = lanes.min(PARTS);
        let mut lane = 0;
    }
}

#[processes]
impl Coalesce {
    /// Whether there is anything. Depends on registers only.
    fn stand(&mut self) {
        self.busy.next = self.pending.q.val().any() | self.valid_add.q.val() | self.ask_valid.q.val();
    }

    /// Which stages move. Depends on registers and on the unit's grant.
    fn r#move(&mut self) {
        self.ask_moves.next = !self.ask_valid.q.val() | self.ask_ready.val();
        self.add_moves.next = !self.valid_add.q.val() | self.ask_moves.val();
    }

    /// The lowest lane that is left, and who is in its group.
    fn choose(&mut self) {
        self.eligible.next = self.pending.q.val();
        if self.first.q.val().any() {
            self.eligible.next = self.first.q.val();
        }
        self.leader.next = self.eligible.val() & (!self.eligible.val() + 1);
        clear!(self.lead_address, self.lead_operand, self.odd);
        for l in 0..self.address_choose.len() {
            if self.leader.val().get_bit(l) {
                self.lead_address.next = self.lead_address.val() | self.address_choose[l].q.val();
                self.lead_operand.next = self.lead_operand.val() | self.operand_choose[l].q.val();
            }
            if (TOKENS.get_bit(self.op_choose.q.val().index()) & self.operand_choose[l].q.val().get_bit(31))
                | (PARITIES.get_bit(self.op_choose.q.val().index()) & self.operand_choose[l].q.val().get_bit(0))
            {
                self.odd.next = self.odd.val() | (bits::<WARP_LANES>(1) << l);
            }
        }
        self.lead_odd.next = (self.leader.val() & self.odd.val()).any();
        clear!(self.near, self.alike);
        for l in 0..self.address_choose.len() {
            if self.address_choose[l].q.val() == self.lead_address.val() {
                self.near.next = self.near.val() | (bits::<WARP_LANES>(1) << l);
            }
            if self.operand_choose[l].q.val() == self.lead_operand.val() {
                self.alike.next = self.alike.val() | (bits::<WARP_LANES>(1) << l);
            }
        }
        self.group.next = self.eligible.val() & self.near.val();
        if UNIFORM.get_bit(self.op_choose.q.val().index()) {
            self.group.next = self.eligible.val() & self.near.val() & self.alike.val();
        }
        self.formed.others.next = self.group.val() & self.odd.val();
        if self.lead_odd.val() {
            self.formed.others.next = self.group.val() & !self.odd.val();
        }
        if TRYING.get_bit(self.op_choose.q.val().index()) {
            self.group.next = self.group.val() & !self.formed.others.val();
            self.formed.others.next = 0.into();
        }
        self.left.next = self.pending.q.val() & !self.group.val();
    }

    /// An entry of the table of groups for it.
    fn fit(&mut self) {
        clear!(self.low_free, self.low_entry, self.high_free);
        self.high_entry.next = self.fallback.to_bits();
        for e in 0..self.half {
            if !self.used.val().get_bit(e) & !self.low_free.val() {
                self.low_free.next = true;
                self.low_entry.next = e.to_bits();
            }
        }
        for e in self.half..self.groups {
            if !self.used.val().get_bit(e) & !self.high_free.val() {
                self.high_free.next = true;
                self.high_entry.next = e.to_bits();
            }
        }
        self.suspends.next = TRYING.get_bit(self.op_choose.q.val().index()) & self.low_free.val();
        self.formed.entry.next = self.high_entry.val();
        if self.suspends.val() {
            self.formed.entry.next = self.low_entry.val();
        }
        self.goes.next = self.pending.q.val().any()
            & self.add_moves.val()
            & (self.suspends.val() | self.high_free.val() | POSTED.get_bit(self.op_choose.q.val().index()));
        self.formed.allocate.next = self.goes.val() & !POSTED.get_bit(self.op_choose.q.val().index());
        self.formed.lanes.next = self.group.val();
        self.formed.counts_down.next = BY_OPERAND.get_bit(self.op_choose.q.val().index());
        self.formed.step.next = self.lead_operand.val().get_bits::<20>(0);
        self.formed.entry_tag.next = self.tag_choose.q.val();
        self.ready.next = !self.pending.q.val().any() | (self.goes.val() & !self.left.val().any());
    }

    /// What is left of the instruction, or the next one.
    fn leave(&mut self) {
        if self.goes.val() {
            self.pending.d.next = self.left.val();
            self.first.d.next = 0.into();
            if BY_OPERAND.get_bit(self.op_choose.q.val().index()) {
                self.first.d.next = self.eligible.val() & self.alike.val() & self.left.val();
            }
        }
        if self.ready.val() {
            self.op_choose.d.next = self.op.val();
            self.remote_choose.d.next = self.remote.val();
            self.order_choose.d.next = self.order.val();
            self.limit_choose.d.next = self.limit.val();
            self.tag_choose.d.next = self.tag.val();
            for l in 0..self.address.len() {
                self.address_choose[l].d.next = self.address[l].val();
                self.operand_choose[l].d.next = self.operand[l].val();
            }
            if self.valid.val() {
                self.pending.d.next = self.mask.val();
            }
        }
    }

    /// From `choose` to `add`.
    fn add(&mut self) {
        for p in 0..self.parts {
            clear!(self.part_sum[p], self.part_lanes[p]);
        }
        for l in 0..self.operand_choose.len() {
            self.addend.next = 0.into();
            if self.group.val().get_bit(l) {
                self.addend.next = self.operand_choose[l].q.val();
            }
            for p in 0..self.parts {
                if self.part_of[l] == p {
                    self.part_sum[p].next = self.part_sum[p].val() + bit_cast::<PART_BITS, 32>(self.addend.val());
                    if self.group.val().get_bit(l) {
                        self.part_lanes[p].next = self.part_lanes[p].val() + 1;
                    }
                }
            }
        }
        if self.add_moves.val() {
            self.valid_add.d.next = self.goes.val();
            self.op_add.d.next = self.op_choose.q.val();
            if self.op_choose.q.val() == Op::Store {
                self.op_add.d.next = ILLEGAL;
            }
            if (self.op_choose.q.val() == Op::TryWait) & !self.suspends.val() {
                self.op_add.d.next = Op::TestWait.into();
            }
            if (self.op_choose.q.val() == Op::TryWaitParity) & !self.suspends.val() {
                self.op_add.d.next = Op::TestWaitParity.into();
            }
            self.remote_add.d.next = self.remote_choose.q.val();
            self.order_add.d.next = self.order_choose.q.val();
            self.limit_add.d.next = self.limit_choose.q.val();
            self.entry_add.d.next = self.formed.entry.val();
            self.address_add.d.next = self.lead_address.val();
            self.operand_add.d.next = self.lead_operand.val();
            for p in 0..self.parts {
                self.part[p].d.next = self.part_sum[p].val();
                self.part_count[p].d.next = self.part_lanes[p].val();
            }
        }
    }

    /// From `add` to `ask`.
    fn ask(&mut self) {
        clear!(self.sum, self.count);
        for p in 0..self.parts {
            self.some.next = self.part[p].q.val();
            self.some_lanes.next = self.part_count[p].q.val();
            self.sum.next = self.sum.val() + bit_cast::<SUM_BITS, PART_BITS>(self.some.val());
            self.count.next = self.count.val() + bit_cast::<6, 3>(self.some_lanes.val());
        }
        self.count_less.next = self.count.val() - 1;
        keep!(self.ask_valid, self.ask_op, self.ask_remote, self.ask_address, self.ask_data);
        if self.ask_moves.val() {
            self.ask_valid.d.next = self.valid_add.q.val();
            self.ask_op.d.next = self.op_add.q.val();
            self.ask_remote.d.next = self.remote_add.q.val();
            self.ask_address.d.next = self.address_add.q.val();
            self.ask_tag.d.next = bit_cast::<TAG, 5>(self.entry_add.q.val());
            self.ask_order.d.next = self.order_add.q.val();
            // one operand for all
            self.ask_data.d.next = bit_cast::<64, 32>(self.operand_add.q.val());
            if TOKENS.get_bit(self.op_add.q.val().index()) {
                self.ask_data.d.next = bit_cast::<64, 32>(self.operand_add.q.val()) << 32;
            }
            if LIMITED_TOKENS.get_bit(self.op_add.q.val().index()) {
                self.ask_data.d.next =
                    (bit_cast::<64, 32>(self.operand_add.q.val()) << 32) | bit_cast::<64, 32>(self.limit_add.q.val());
            }
            if LIMITED_PARITIES.get_bit(self.op_add.q.val().index()) {
                self.ask_data.d.next =
                    bit_cast::<64, 32>(self.operand_add.q.val()) | (bit_cast::<64, 32>(self.limit_add.q.val()) << 32);
            }
            // or their sum, and how many they are
            if SUMMED.get_bit(self.op_add.q.val().index()) {
                self.ask_data.d.next = bit_cast::<64, COUNT_BITS>(self.sum.val().get_bits::<COUNT_BITS>(0));
                if self.sum.val().get_bits::<EXCESS_BITS>(word::COUNT_BITS).any() {
                    self.ask_data.d.next = OVERSIZED;
                }
                self.ask_data.d.next = self.ask_data.d.val()
                    | (bit_cast::<64, LANES_BITS>(self.count_less.val().get_bits::<LANES_BITS>(0)) << 32);
            }
        }
    }
}
