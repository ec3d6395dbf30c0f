//! Access: a load or store of a warp becomes steps, each of which serves every bank at most one row.
//!
//! **What.** Takes a load or store of 4, 8 or 16 bytes a lane, and in every cycle makes a step of it: each bank serves the row that the
//! lowest of its lanes names, for all lanes that name it (`pick.rs`). So the number of steps is the largest number of different rows that lanes
//! name in one bank, which is the least that there can be: two for 32 consecutive 4-byte words on 8 banks, one if all lanes name one word.
//!
//! The 16 bytes of a lane are words of two neighbouring banks, in one row of both. Whoever names one of the words names the other, so
//! both banks choose alike and the lane is served whole.
//!
//! ```text
//!   cycle       0        1         2              3
//!               accept   choose    step (c0)      choose and step of what is left go on meanwhile
//!   valid       ‾‾‾‾\____
//!   pending              /‾‾‾‾‾‾‾‾‾\___           two steps
//!   go_valid                       /‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾\___
//!   taken                          /‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾\___
//! ```
//! The next instruction comes in the cycle in which the last step of the one before leaves `choose`.
//!
//! **Refused lanes** are steps of their own that go to no bank, before all others, one for each cause: `misaligned` (the address is no
//! multiple of what the lane takes), `out_of_range`. The whole instruction is refused as `illegal_operation` if its size has no meaning, and as
//! `remote_unsupported` if it comes from another CTA.

use super::pick::Pick;
use crate::hardware;
use crate::hdl::*;
use crate::word::op::Op;
use crate::word::status::Status;

/// How many bytes a lane takes, as it is on the wires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Size {
    /// 4 bytes.
    Four = 0,
    /// 8 bytes: a word.
    Eight = 1,
    /// 16 bytes: two words.
    Sixteen = 2,
}

impl Size {
    /// Every size, in the order of the codes.
    pub const ALL: [Size; 3] = [Size::Four, Size::Eight, Size::Sixteen];

    /// The code on the wires.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// Bytes of a lane.
    pub const fn bytes(self) -> u32 {
        4 << self as u32
    }
}

hardware! {
    /// Access: loads and stores of a warp become steps of all banks.
    pub module Access = "access" {
        /// A load or store comes.
        pub valid: Signal<In, Bit>,
        /// It is accepted.
        pub ready: Signal<Out, Bit>,
        /// Its opcode.
        pub op: Signal<In, OpCode, OpView>,
        /// It comes from another CTA.
        pub remote: Signal<In, Bit>,
        /// What each lane takes: 4, 8 or 16 bytes.
        pub size: Signal<In, Bits<2>>,
        /// Lanes that are active.
        pub mask: Signal<In, LaneMask>,
        /// Byte address of each lane.
        pub address: WarpLanes<Signal<In, Bits<32>>> = WarpLanes::new(lanes),
        /// What each lane stores: its first 8 bytes.
        pub lower: WarpLanes<Signal<In, Word>> = WarpLanes::new(lanes),
        /// The next 8.
        pub upper: WarpLanes<Signal<In, Word>> = WarpLanes::new(lanes),
        /// Comes back with every answer.
        pub tag: Signal<In, Tag>,
        /// An instruction that was accepted has not been done wholly: steps of it are left.
        pub busy: Signal<Out, Bit>,

        /// A step is there.
        pub go_valid: OutControlReg<Bit>,
        /// It is taken.
        pub taken: Signal<In, Bit>,
        /// Lanes that it serves.
        pub go_lanes: OutReg<LaneMask>,
        /// How it ends for them.
        pub go_status: OutReg<StatusCode, StatusView>,
        /// Tag of its instruction.
        pub go_tag: OutReg<Tag>,
        /// What each lane takes.
        pub go_size: OutReg<Bits<2>>,
        /// Lanes that take the upper half of their word, and nothing else.
        pub go_above: OutReg<LaneMask>,
        /// Bank of each lane's word; of the first, if there are two.
        pub go_bank: WarpLanes<OutReg<BankIndex>> = WarpLanes::new(lanes),
        /// Banks that it goes to.
        pub go_banks: OutReg<BankMask>,
        /// Row of each.
        pub go_row: Banks<OutReg<RowIndex>> = Banks::new(banks),
        /// Halves of its word that are stored.
        pub go_stored: Banks<OutReg<Bits<2>>> = Banks::new(banks),
        /// What is stored there.
        pub go_word: Banks<OutReg<Word>> = Banks::new(banks),

        /// The largest bank number.
        pub last_bank: usize = banks - 1,
        /// The largest row number.
        pub last_row: usize = rows - 1,
        /// Lowest bit of a row's number in an address.
        pub row_lsb: usize = row_lsb,
        /// Bytes of the memory, as a power of two.
        pub window_bits: usize = row_lsb + rows.ilog2() as usize,
        /// What each bank serves next.
        pub pick: Vec<Pick> = (0..banks).map(|_| Pick::new(lanes)).collect(),

        /// Lanes that are left of the instruction (in `choose`).
        pub pending: ControlReg<LaneMask>,
        /// Lanes whose address is no multiple of what they take.
        pub crooked: Reg<LaneMask>,
        /// Lanes whose address is outside of the memory.
        pub outside: Reg<LaneMask>,
        /// Why the whole instruction is refused; `ok` if it is not.
        pub refusal: Reg<StatusCode, StatusView>,
        /// It stores.
        pub stores: Reg<Bit>,
        /// Its tag.
        pub tag_choose: Reg<Tag>,
        /// What each lane takes.
        pub size_choose: Reg<Bits<2>>,
        /// Lanes whose address is that of an upper half.
        pub above: Reg<LaneMask>,
        /// Bank of each lane's word.
        pub bank: WarpLanes<Reg<BankIndex>> = WarpLanes::new(lanes),
        /// Row of each lane's word.
        pub row: WarpLanes<Reg<RowIndex>> = WarpLanes::new(lanes),
        /// What each lane stores if its word is in a bank of even number.
        pub even: WarpLanes<Reg<Word>> = WarpLanes::new(lanes),
        /// What it stores if it is in one of odd number.
        pub odd: WarpLanes<Reg<Word>> = WarpLanes::new(lanes),

        /// Address bits that must be 0, and are not, of a lane.
        pub rest: Signal<Local, Bits<4>>,
        /// The 4 bytes that a lane stores.
        pub half: Signal<Local, Bits<32>>,
        /// Lanes take half a word.
        pub narrow: Signal<Local, Bit>,
        /// Lanes take two words.
        pub double: Signal<Local, Bit>,
        /// Bank of each lane's last word.
        pub second: WarpLanes<Signal<Local, BankIndex>> = WarpLanes::new(lanes),
        /// Lanes that take the lower half of their word.
        pub low: Signal<Local, LaneMask>,
        /// Lanes that take the upper half.
        pub high: Signal<Local, LaneMask>,
        /// Lanes of the next step.
        pub lanes: Signal<Local, LaneMask>,
        /// Banks of it.
        pub banks: Signal<Local, BankMask>,
        /// How it ends.
        pub status: Signal<Local, StatusCode, StatusView>,
        /// Lanes that are left then.
        pub left: Signal<Local, LaneMask>,
        /// The step that is there leaves, or there is none.
        pub go_moves: Signal<Local, Bit>,
        /// The next step leaves `choose`.
        pub goes: Signal<Local, Bit>,
    }
    processes { Stand, Spread, Choose, Take, Go }
    /// For so many lanes, and so many banks of `rows` words.
    built by pub fn new(lanes: usize, banks: usize, rows: usize) {
        let row_lsb = 3 + banks.ilog2() as usize;
    }
}

#[processes]
impl Access {
    /// Whether there is anything. Depends on registers only.
    fn stand(&mut self) {
        self.busy.next = self.pending.q.val().any() | self.go_valid.q.val();
    }

    /// Which lanes name a word of each bank, and what they would store. Depends on registers only.
    fn spread(&mut self) {
        self.narrow.next = self.size_choose.q.val() == 0;
        self.double.next = self.size_choose.q.val() == 2;
        self.low.next = self.pending.q.val();
        self.high.next = self.pending.q.val();
        if self.narrow.val() {
            self.low.next = self.pending.q.val() & !self.above.q.val();
            self.high.next = self.pending.q.val() & self.above.q.val();
        }
        for l in 0..self.bank.len() {
            self.second[l].next = self.bank[l].q.val();
            if self.double.val() {
                self.second[l].next = self.bank[l].q.val() | 1;
            }
        }
        for b in 0..self.go_row.len() {
            self.pick[b].here.next = 0.into();
            connect!(self.pick[b].* <<= self.*: low, high);
            for l in 0..self.bank.len() {
                if self.pending.q.val().get_bit(l)
                    & ((self.bank[l].q.val() == b.to_bits()) | (self.second[l].val() == b.to_bits()))
                {
                    self.pick[b].here.next = self.pick[b].here.val() | (bits::<WARP_LANES>(1) << l);
                }
                self.pick[b].rows[l].next = self.row[l].q.val();
                self.pick[b].words[l].next = self.even[l].q.val();
            }
        }
        for b in 0..self.go_row.len() {
            for h in 0..self.go_row.len() {
                if (h + h + 1) == b {
                    self.pick[b].words <<= self.odd;
                }
            }
        }
    }

    /// The next step.
    fn choose(&mut self) {
        clear!(self.lanes, self.banks);
        for b in 0..self.go_row.len() {
            self.lanes.next = self.lanes.val() | self.pick[b].lanes.val();
            if self.pick[b].lanes.val().any() {
                self.banks.next = self.banks.val() | (bits::<BANKS>(1) << b);
            }
        }
        // in reverse order of precedence
        self.status.next = Status::Ok.into();
        if (self.pending.q.val() & self.outside.q.val()).any() {
            self.status.next = Status::OutOfRange.into();
            self.lanes.next = self.pending.q.val() & self.outside.q.val();
        }
        if (self.pending.q.val() & self.crooked.q.val()).any() {
            self.status.next = Status::Misaligned.into();
            self.lanes.next = self.pending.q.val() & self.crooked.q.val();
        }
        if self.refusal.q.val() != Status::Ok {
            self.status.next = self.refusal.q.val();
            self.lanes.next = self.pending.q.val();
        }
        if self.status.val() != Status::Ok {
            self.banks.next = 0.into();
        }
        self.left.next = self.pending.q.val() & !self.lanes.val();
        self.go_moves.next = !self.go_valid.q.val() | self.taken.val();
        self.goes.next = self.pending.q.val().any() & self.go_moves.val();
        self.ready.next = !self.pending.q.val().any() | (self.goes.val() & !self.left.val().any());
    }

    /// What is left of the instruction, or the next one.
    fn take(&mut self) {
        if self.goes.val() {
            self.pending.d.next = self.left.val();
        }
        keep!(self.crooked, self.outside, self.refusal, self.stores, self.tag_choose, self.size_choose, self.above);
        clear!(self.rest, self.half);
        if self.ready.val() {
            if self.valid.val() {
                self.pending.d.next = self.mask.val();
            }
            self.stores.d.next = self.op.val() == Op::Store;
            self.tag_choose.d.next = self.tag.val();
            self.size_choose.d.next = self.size.val();
            self.refusal.d.next = Status::Ok.into();
            if self.remote.val() {
                self.refusal.d.next = Status::RemoteUnsupported.into();
            }
            if self.size.val() == 3 {
                self.refusal.d.next = Status::IllegalOperation.into();
            }
            clear!(self.crooked, self.outside, self.above);
            for l in 0..self.address.len() {
                self.rest.next = self.address[l].val().get_bits::<4>(0) & 3;
                if self.size.val() == 1 {
                    self.rest.next = self.address[l].val().get_bits::<4>(0) & 7;
                }
                if self.size.val() == 2 {
                    self.rest.next = self.address[l].val().get_bits::<4>(0);
                }
                if self.rest.val().any() {
                    self.crooked.d.next = self.crooked.d.val() | (bits::<WARP_LANES>(1) << l);
                }
                if (self.address[l].val() >> self.window_bits).any() {
                    self.outside.d.next = self.outside.d.val() | (bits::<WARP_LANES>(1) << l);
                }
                if self.address[l].val().get_bit(2) {
                    self.above.d.next = self.above.d.val() | (bits::<WARP_LANES>(1) << l);
                }
                self.bank[l].d.next = self.address[l].val().get_bits::<BANK_INDEX>(3) & self.last_bank.to_bits();
                self.row[l].d.next =
                    self.address[l].val().get_bits::<ROW_INDEX>(self.row_lsb) & self.last_row.to_bits();
                self.even[l].d.next = self.lower[l].val();
                self.odd[l].d.next = self.lower[l].val();
                if self.size.val() == 0 {
                    self.half.next = self.lower[l].val().get_bits::<32>(0);
                    self.even[l].d.next =
                        bit_cast::<64, 32>(self.half.val()) | (bit_cast::<64, 32>(self.half.val()) << 32);
                    self.odd[l].d.next = self.even[l].d.val();
                }
                if self.size.val() == 2 {
                    self.odd[l].d.next = self.upper[l].val();
                }
            }
        }
    }

    /// From `choose` to the step.
    fn go(&mut self) {
        keep!(self.go_valid, self.go_lanes, self.go_status, self.go_tag, self.go_size, self.go_above, self.go_banks);
        keep!(self.go_bank);
        for b in 0..self.go_row.len() {
            keep!(self.go_row[b], self.go_stored[b], self.go_word[b]);
        }
        if self.go_moves.val() {
            self.go_valid.d.next = self.goes.val();
            connect!(self.go_* <<= self.*: lanes, status);
            self.go_tag.d.next = self.tag_choose.q.val();
            self.go_size.d.next = self.size_choose.q.val();
            self.go_above.d.next = self.high.val() & !self.low.val();
            self.go_banks.d.next = self.banks.val();
            self.go_bank <<= self.bank;
            for b in 0..self.go_stored.len() {
                connect!(self.go_*[b] <<= self.pick[b].*: row, word);
                self.go_stored[b].d.next = 0.into();
                if self.stores.q.val() {
                    self.go_stored[b].d.next = self.pick[b].halves.val();
                }
            }
        }
    }
}
