//! Entrance: accepts a port's requests and sends them to the banks.
//!
//! ```text
//!   cycle     0                                   1
//!   port ───► which bank, which row ────────────► registers ─► the gatherers of all banks
//!   ready ◄── registers ◄── answers owed, crowded banks
//! ```
//! **Flow control.** A request is accepted if fewer than 28 answers of the port are outstanding and no bank has many batches waiting. Both
//! counts are delayed, that of the answers by two cycles, so up to 30 may be outstanding.
//!
//! **Addresses.** Only what a pipeline needs of an address is passed on: the row, and whether it is misaligned or outside the memory.
//!
//! **Reset** clears all registers: they initialise the memories behind them with zeros (see `steps.rs`).

use crate::cells::level::Level;
use crate::hardware;
use crate::hdl::*;
use crate::pins::Operation;
use crate::word::op::sets::{self, OpSet};

/// Opcode and flags of a request: opcode (bits 4:0), request of another CTA (bit 5), address misaligned (bit 6), address outside the memory
/// (bit 7).
pub type Head = Bits<8>;

hardware! {
    /// Entrance: accepts a port's requests and sends them to the banks.
    pub module Entrance = "entrance" {
        /// Request accepted.
        pub accept: Signal<In, Bit>,
        /// Request.
        pub req: Flat<Operation<In>>,
        /// An answer was accepted in the cycle before.
        pub taken: Signal<In, Bit>,
        /// A bank has many batches waiting.
        pub stop: Signal<In, Bit>,

        /// Space for one more request.
        pub ready: OutControlReg<Bit>,
        /// Bank of the request, one-hot; zero without a request.
        pub to: OutControlReg<BankMask>,
        /// Opcode and flags.
        pub head: OutControlReg<Head>,
        /// Row.
        pub row: OutControlReg<RowIndex>,
        /// Operand.
        pub content: OutControlReg<Word>,
        /// Byte enables.
        pub enables: OutControlReg<Bits<8>>,
        /// Tag.
        pub name: OutControlReg<Tag>,

        /// Number of banks.
        pub banks: usize = banks,
        /// Last bank number.
        pub last_bank: usize = banks - 1,
        /// Last row number.
        pub last_row: usize = rows - 1,
        /// Lowest bit of a row number in an address.
        pub row_lsb: usize = 3 + bank_bits,
        /// Size of the memory in bytes, as a power of two.
        pub window_bits: usize = 3 + bank_bits + rows.ilog2() as usize,
        /// Number of answers outstanding.
        pub owed: Level,

        /// Bank of the request.
        pub bank: Signal<Local, BankIndex>,
        /// Address bits above those of the memory.
        pub beyond: Signal<Local, Bits<32>>,
    }
    constants {
        /// Posted operations: no answer.
        POSTED: OpSet = sets::POSTED;
    }
    processes { Look, Owe }
    /// An entrance to this many banks of this many rows.
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
