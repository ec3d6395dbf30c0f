//! Ways: register slices half-way between ports and banks.
//!
//! **What.** A port's request may be for any bank, and a bank's answer for any port, and these are spread over the chip. So each goes
//! in two steps: to a register for two of them, and from there to the register of the one (`brought`, in `gather.rs` and `returns.rs`).
//!
//! ```text
//!   cycle           0           1                2
//!   port p's request ──┬─► way 0 of port p ──┬─► bank 0           way w serves the banks w and w + ways
//!                      │                     └─► bank 0 + ways
//!                      └─► way 1 of port p ──┬─► bank 1
//!                      ...                   └─► bank 1 + ways
//! ```
//! A way holds its value if nothing is for it: synthesis would merge registers that always have the same value.

use super::entrance::Head;
use crate::hardware;
use crate::hdl::*;

hardware! {
    /// Outward: the ways of a port's requests to the banks.
    pub module Outward = "outward" {
        /// Bank that a request goes to.
        pub to: Signal<In, BankMask>,
        /// What it is.
        pub head: Signal<In, Head>,
        /// Its row.
        pub row: Signal<In, RowIndex>,
        /// Its operand.
        pub data: Signal<In, Word>,
        /// Its byte enables.
        pub strobe: Signal<In, Bits<8>>,
        /// Its tag.
        pub tag: Signal<In, Tag>,

        /// The same bank, a cycle later.
        pub goes_to: OutControlReg<BankMask>,
        /// What it is.
        pub way_head: Lanes<OutReg<Head>>,
        /// Its row.
        pub way_row: Lanes<OutReg<RowIndex>>,
        /// Its operand.
        pub way_data: Lanes<OutReg<Word>>,
        /// Its byte enables.
        pub way_strobe: Lanes<OutReg<Bits<8>>>,
        /// Its tag.
        pub way_tag: Lanes<OutReg<Tag>>,

        /// Number of ways.
        pub(crate) ways: usize,
        /// The way that a request takes.
        pub(crate) takes: Signal<Local, BankMask>,
    }
    processes { Depart }
}

impl Process<Depart> for Outward {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.goes_to.d.next = self.to.val();
        self.takes.next = self.to.val() | (self.to.val() >> self.ways);
        for w in 0..self.ways {
            self.way_head[w].d.next = self.way_head[w].q.val();
            self.way_row[w].d.next = self.way_row[w].q.val();
            self.way_data[w].d.next = self.way_data[w].q.val();
            self.way_strobe[w].d.next = self.way_strobe[w].q.val();
            self.way_tag[w].d.next = self.way_tag[w].q.val();
            if self.takes.val().get_bit(w) {
                self.way_head[w].d.next = self.head.val();
                self.way_row[w].d.next = self.row.val();
                self.way_data[w].d.next = self.data.val();
                self.way_strobe[w].d.next = self.strobe.val();
                self.way_tag[w].d.next = self.tag.val();
            }
        }
    }
}

/// How many ways there are to so many banks or ports: one for two of them.
pub fn number(served: usize) -> usize {
    served.div_ceil(2)
}

impl Outward {
    /// The ways to so many banks.
    pub fn new(banks: usize) -> Self {
        let ways = number(banks);
        Self {
            way_head: Lanes::new(ways),
            way_row: Lanes::new(ways),
            way_data: Lanes::new(ways),
            way_strobe: Lanes::new(ways),
            way_tag: Lanes::new(ways),
            ways,
            ..Self::default()
        }
    }

    /// Settles the block, once the inputs are driven.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<Depart>::update(self);
    }
}

hardware! {
    /// Homeward: the ways of a bank's answers to the ports.
    pub module Homeward = "homeward" {
        /// Port that is answered.
        pub to: Signal<In, PortMask>,
        /// Whether the wait had been suspended, status, predicate and tag.
        pub outcome: Signal<In, Outcome>,
        /// Data.
        pub data: Signal<In, Word>,

        /// The same port, a cycle later.
        pub goes_to: OutControlReg<PortMask>,
        /// Outcome.
        pub way_outcome: Lanes<OutReg<Outcome>>,
        /// Data.
        pub way_data: Lanes<OutReg<Word>>,

        /// Number of ways.
        pub(crate) ways: usize,
        /// The way that an answer takes.
        pub(crate) takes: Signal<Local, PortMask>,
    }
    processes { Return }
}

impl Process<Return> for Homeward {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.goes_to.d.next = self.to.val();
        self.takes.next = self.to.val() | (self.to.val() >> self.ways);
        for w in 0..self.ways {
            self.way_outcome[w].d.next = self.way_outcome[w].q.val();
            self.way_data[w].d.next = self.way_data[w].q.val();
            if self.takes.val().get_bit(w) {
                self.way_outcome[w].d.next = self.outcome.val();
                self.way_data[w].d.next = self.data.val();
            }
        }
    }
}

impl Homeward {
    /// The ways to so many ports.
    pub fn new(ports: usize) -> Self {
        let ways = number(ports);
        Self { way_outcome: Lanes::new(ways), way_data: Lanes::new(ways), ways, ..Self::default() }
    }

    /// Settles the block, once the inputs are driven.
    #[inline(always)]
    pub fn settle(&mut self) {
        Process::<Return>::update(self);
    }
}
