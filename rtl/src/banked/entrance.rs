//! Entrance: a port's requests on their way to the banks.
//!
//! ```text
//!   cycle     0                                   1
//!   port ───► which bank, which row ────────────► registers ─► the gatherers of all banks
//!   ready ◄── registers ◄── answers owed, crowded banks
//! ```
//! **Room.** A request is accepted if fewer than 28 answers of the port are owed, as far as is known, and no bank has many batches
//! waiting. Both are known late: what is owed by two cycles, so that 30 may be.
//!
//! **Addresses.** Only what a pipeline needs of an address is passed on: the row, and whether it is misaligned or outside the memory.
//!
//! **Reset** clears all registers: memories behind them are given zeros to begin with (see `steps.rs`).

use crate::cells::level::Level;
use crate::hardware;
use crate::hdl::*;
use crate::pins::Operation;
use crate::word::op::sets::{self, OpSet};

/// What a request is, without its row, operand and tag: opcode (bits 4:0), whether it comes from another CTA (bit 5), whether its
/// address is misaligned (bit 6), and whether that is outside of the memory (bit 7).
pub type Head = Bits<8>;

hardware! {
    /// Entrance: a port's requests on their way to the banks.
    pub module Entrance = "entrance" {
        /// A request is accepted.
        pub accept: Signal<In, Bit>,
        /// The request.
        pub req: Flat<Operation<In>>,
        /// An answer has been taken in the cycle before.
        pub taken: Signal<In, Bit>,
        /// Some bank has many batches waiting.
        pub stop: Signal<In, Bit>,

        /// Requests may be accepted.
        pub ready: OutControlReg<Bit>,
        /// Bank that a request goes to.
        pub to: OutControlReg<BankMask>,
        /// What it is.
        pub head: OutControlReg<Head>,
        /// Its row.
        pub row: OutControlReg<RowIndex>,
        /// Its operand.
        pub content: OutControlReg<Word>,
        /// Its byte enables.
        pub enables: OutControlReg<Bits<8>>,
        /// Its tag.
        pub name: OutControlReg<Tag>,

        /// Number of banks.
        pub banks: usize = banks,
        /// The largest bank number.
        pub last_bank: usize = banks - 1,
        /// The largest row number.
        pub last_row: usize = rows - 1,
        /// Lowest bit of a row's number in an address.
        pub row_lsb: usize = 3 + bank_bits,
        /// Bytes of the memory, as a power of two.
        pub window_bits: usize = 3 + bank_bits + rows.ilog2() as usize,
        /// Answers that are owed.
        pub owed: Level,

        /// Its bank.
        pub bank: Signal<Local, BankIndex>,
        /// Its address, without what is inside of the memory.
        pub beyond: Signal<Local, Bits<32>>,
    }
    constants {
        /// Operations that nobody waits for.
        POSTED: OpSet = sets::POSTED;
    }
    processes { Look, Owe }
    /// An entrance to so many banks of so many rows.
    built by pub fn new(banks: usize, rows: usize) {
        let bank_bits = banks.ilog2() as usize;
    }
}

#[processes]
impl Entrance {
    fn look(&mut self) {
        self.bank.next = self.req.address.val().get_bits::<BANK_INDEX>(3) & self.last_bank.to_bits();
        self.to.d.next = 0.into();
        for b in 0..self.banks {
            if self.accept.val() & (self.bank.val() == b.to_bits()) {
                self.to.d.next = self.to.d.val() | (bits::<BANKS>(1) << b);
            }
        }
        self.row.d.next = self.req.address.val().get_bits::<ROW_INDEX>(self.row_lsb) & self.last_row.to_bits();
        self.beyond.next = self.req.address.val() >> self.window_bits;
        self.head.d.next = bit_cast::<8, 5>(self.req.op.val())
            | (bit_cast::<8, 1>(self.req.remote.val().into()) << 5)
            | (bit_cast::<8, 1>(self.req.address.val().get_bits::<3>(0).any().into()) << 6)
            | (bit_cast::<8, 1>(self.beyond.val().any().into()) << 7);
        self.content.d.next = self.req.data.val();
        self.enables.d.next = self.req.strobe.val();
        self.name.d.next = self.req.tag.val();
    }

    fn owe(&mut self) {
        self.owed.comes.next = self.accept.val() & !POSTED.get_bit(self.req.op.val().index());
        self.owed.goes.next = self.taken.val();
        self.ready.d.next = !self.stop.val() & (self.owed.count.q.val().get_bits::<3>(2) != 7);
    }
}
