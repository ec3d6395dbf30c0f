//! Door: the DMA port of the banks. Writes the 32 bytes of a copy's beat, or reads 32 bytes.
//!
//! **What.** Accepts a beat (an aligned block of four words, with one byte enable per byte) and inserts it into the pipelines of the banks
//! that hold those words, in place of a request: those banks grant no port in that cycle. So the beat is stored in order with everything
//! else in the banks, forwarding included. Banks without enabled bytes are not accessed.
//!
//! ```text
//!   cycle     0            1       2                   3     4
//!   beat      valid, taken         replace, insert           stored, in all its banks together
//!   banks     closed to the ports
//! ```
//! With fewer than four banks a beat takes several cycles, and is accepted in the last of them.
//!
//! **Reads.** A beat with an `errand` (read tag) other than 0 stores nothing. It passes through the pipelines, and its words are valid in
//! c4, in order with everything else in the banks:
//!
//! ```text
//!   cycle     0            1       2       3       4
//! beat      valid, taken                         words valid, with the errand
//! ```
//!
//! **Fairness.** After seven cycles in a row the door is closed for one cycle, so that the ports' requests pass.

use crate::hardware;
use crate::hdl::*;
use crate::word::address::{BEAT_BYTES, BEAT_WORDS};

/// Bytes of a beat.
const BYTES: usize = BEAT_BYTES as usize;

hardware! {
    /// Door: writes or reads 32 bytes a cycle in the banks, beside the ports.
    pub module Door = "door" {
        /// Pipeline enable.
        pub advance: Signal<In, Bit>,
        /// Beat valid.
        pub valid: Signal<In, Bit>,
        /// Address of the beat's first word, a multiple of 32.
        pub address: Signal<In, Bits<24>>,
        /// Byte enables.
        pub strobe: Signal<In, Bits<BYTES>>,
        /// Words of the beat.
        pub data: Lanes<Signal<In, Word>> = Lanes::new(BEAT_WORDS),
        /// Read tag: 0 for a write; otherwise a read, returned with this tag.
        pub errand: Signal<In, Bits<2>>,
        /// Beat accepted.
        pub taken: Signal<Out, Bit>,
        /// Banks accessed in this cycle.
        pub banks: Signal<Out, BankMask>,
        /// Row of the words in those banks.
        pub row: Signal<Out, RowIndex>,
        /// Bits of the words to replace, two cycles later.
        pub replace: Lanes<Signal<Out, Word>> = Lanes::new(width),
        /// New value of the bits to replace.
        pub insert: Lanes<Signal<Out, Word>> = Lanes::new(width),
        /// Group of the banks accessed in c4.
        pub group_c4: OutStageReg<BankIndex>,
        /// Words read from the banks in c4, before any operation.
        pub found: Lanes<Signal<In, Word>> = Lanes::new(width),
        /// Read tag of the beat at the output; 0 if there is none.
        pub shows: Signal<Out, Bits<2>>,
        /// Words of the beat at the output.
        pub shown: Lanes<Signal<Out, Word>> = Lanes::new(BEAT_WORDS),

        /// Words stored in a cycle.
        pub width: usize = width,
        /// Cycles of a beat.
        pub steps: usize = steps,
        /// Last cycle of a beat.
        pub last_step: usize = steps - 1,
        /// Number of groups of `width` banks.
        pub groups: usize = groups,
        /// Last group number.
        pub last_group: usize = groups - 1,
        /// Number of banks.
        pub bank_count: usize = banks,
        /// Group of each bank.
        pub group_of: Banks<usize> = Banks::of(banks, || {
            bank += 1;
            (bank - 1) / width
        }),
        /// Index of each bank's word among the words stored in a cycle.
        pub word_of: Banks<usize> = Banks::of(banks, || {
            place += 1;
            (place - 1) % width
        }),
        /// Lowest bit of a row number in an address.
        pub row_lsb: usize = 3 + banks.ilog2() as usize,
        /// Last row number.
        pub last_row: usize = rows - 1,
        /// Cycle within the beat.
        pub step: ControlReg<Bits<2>>,
        /// Consecutive cycles in which the door was open.
        pub streak: ControlReg<Bits<3>>,
        /// Words in c1.
        pub data_c1: Lanes<StageReg<Word>> = Lanes::new(width),
        /// Byte enables in c1.
        pub strobe_c1: Lanes<StageReg<Bits<8>>> = Lanes::new(width),
        /// Words in c2.
        pub data_c2: Lanes<StageReg<Word>> = Lanes::new(width),
        /// Byte enables in c2.
        pub strobe_c2: Lanes<StageReg<Bits<8>>> = Lanes::new(width),
        /// Read tag in c1.
        pub errand_c1: StageControlReg<Bits<2>>,
        /// Read tag in c2.
        pub errand_c2: StageControlReg<Bits<2>>,
        /// Read tag in c3.
        pub errand_c3: StageControlReg<Bits<2>>,
        /// Read tag in c4.
        pub errand_c4: StageControlReg<Bits<2>>,
        /// Cycle within the beat, in c1.
        pub step_c1: StageReg<Bits<2>>,
        /// Cycle within the beat, in c2.
        pub step_c2: StageReg<Bits<2>>,
        /// Cycle within the beat, in c3.
        pub step_c3: StageReg<Bits<2>>,
        /// Cycle within the beat, in c4.
        pub step_c4: StageReg<Bits<2>>,
        /// Group of banks in c1.
        pub group_c1: StageReg<BankIndex>,
        /// Group of banks in c2.
        pub group_c2: StageReg<BankIndex>,
        /// Group of banks in c3.
        pub group_c3: StageReg<BankIndex>,
        /// The pipeline was stalled in the last cycle: the words in c4 have already been reported.
        pub stood: ControlReg<Bit>,
        /// Words of the beat read so far.
        pub kept: Lanes<Reg<Word>> = Lanes::new(BEAT_WORDS),
        /// Words read are valid in c4.
        pub sees: Signal<Local, Bit>,
        /// Byte enables of each word in this cycle.
        pub enables: Lanes<Signal<Local, Bits<8>>> = Lanes::new(width),
        /// The door is open in this cycle.
        pub open: Signal<Local, Bit>,
        /// Group of banks of the beat.
        pub group: Signal<Local, BankIndex>,
    }
    processes { Collect, Pick, Offer, Carry }
    staged by advance
    /// A door into this many banks of `rows` words.
    built by pub fn new(banks: usize, rows: usize) {
        let width = banks.min(BEAT_WORDS);
        let (steps, groups) = (BEAT_WORDS / width, banks / width);
        let mut bank = 0;
        let mut place = 0;
    }
}

#[processes]
impl Door {
    fn collect(&mut self) {
        self.sees.next = self.errand_c4.q.val().any() & !self.stood.q.val();
        self.shows.next = 0.into();
        if self.sees.val() & (self.step_c4.q.val().index() == self.last_step) {
            self.shows.next = self.errand_c4.q.val();
        }
        for l in 0..BEAT_WORDS {
            self.shown[l].next = self.kept[l].q.val();
            for s in 0..self.steps {
                for w in 0..self.width {
                    if ((s * self.width + w) == l) & (self.step_c4.q.val() == s.to_bits()) {
                        self.shown[l].next = self.found[w].val();
                    }
                }
            }
            if self.sees.val() {
                self.kept[l].d.next = self.shown[l].val();
            }
        }
    }

    fn offer(&mut self) {
        self.open.next = self.valid.val() & self.advance.val() & (self.streak.q.val() != 7);
        self.taken.next = self.open.val() & (self.step.q.val().index() == self.last_step);
        if self.open.val() {
            self.step.d.next = self.step.q.val() + 1;
            if self.step.q.val().index() == self.last_step {
                self.step.d.next = 0.into();
            }
        }
        self.streak.d.next = 0.into();
        if self.open.val() {
            self.streak.d.next = self.streak.q.val() + 1;
        }
        if self.valid.val() & !self.advance.val() {
            self.streak.d.next = self.streak.q.val();
        }
        self.group.next = self.address.val().get_bits::<BANK_INDEX>(5) & self.last_group.to_bits();
        self.banks.next = 0.into();
        if self.open.val() {
            for w in 0..self.width {
                if self.enables[w].val().any() {
                    for b in 0..self.bank_count {
                        for g in 0..self.groups {
                            if (self.word_of[b] == w) & (self.group_of[b] == g) & (self.group.val() == g.to_bits()) {
                                self.banks.next = self.banks.val() | (bits::<BANKS>(1) << b);
                            }
                        }
                    }
                }
            }
        }
        self.row.next = (self.address.val().get_bits::<ROW_INDEX>(self.row_lsb) & self.last_row.to_bits())
            | bit_cast::<ROW_INDEX, 2>(self.step.q.val());
    }

    fn pick(&mut self) {
        for w in 0..self.width {
            clear!(self.data_c1[w], self.enables[w]);
            for s in 0..self.steps {
                if self.step.q.val() == s.to_bits() {
                    for l in 0..BEAT_WORDS {
                        if (s * self.width + w) == l {
                            self.data_c1[w].d.next = self.data[l].val();
                            self.enables[w].next = self.strobe.val().get_bits::<8>(l * 8);
                        }
                    }
                }
            }
        }
    }

    fn carry(&mut self) {
        self.errand_c1.d.next = 0.into();
        if self.open.val() {
            self.errand_c1.d.next = self.errand.val();
        }
        self.errand_c2.d.next = self.errand_c1.q.val();
        self.errand_c3.d.next = self.errand_c2.q.val();
        self.errand_c4.d.next = self.errand_c3.q.val();
        self.step_c1.d.next = self.step.q.val();
        self.step_c2.d.next = self.step_c1.q.val();
        self.step_c3.d.next = self.step_c2.q.val();
        self.step_c4.d.next = self.step_c3.q.val();
        self.group_c1.d.next = self.group.val();
        self.group_c2.d.next = self.group_c1.q.val();
        self.group_c3.d.next = self.group_c2.q.val();
        self.group_c4.d.next = self.group_c3.q.val();
        self.stood.d.next = !self.advance.val();
        for w in 0..self.width {
            self.strobe_c1[w].d.next = self.enables[w].val();
            self.data_c2[w].d.next = self.data_c1[w].q.val();
            self.strobe_c2[w].d.next = self.strobe_c1[w].q.val();
            self.insert[w].next = self.data_c2[w].q.val();
            self.replace[w].next = 0.into();
            for i in 0..8 {
                if self.strobe_c2[w].q.val().get_bit(i) {
                    self.replace[w].next = self.replace[w].val() | (bits::<64>(0xff) << (i * 8));
                }
            }
            self.insert[w].next = self.data_c2[w].q.val() & self.replace[w].val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A beat goes to the banks and rows of those of its words of which bytes are stored, whatever the number of banks.
    #[test]
    fn every_word_finds_its_bank() {
        for banks in [1, 2, 4, 8, 32] {
            let rows = 256 / banks;
            for (block, strobe) in [(0u64, 0xffff_ffffu64), (5, 0xffff_ffff), (13, 0x00ff_0000), (63, 0x8000_0001)] {
                let mut door = Door::new(banks, rows);
                door.advance.next = true;
                door.valid.next = true;
                door.address.next = (block * 32).into();
                door.strobe.next = strobe.into();
                for word in 0..BEAT_WORDS {
                    door.data[word].next = (100 + word as u64).into();
                }
                let (mut opened, mut stored, mut cycles) = (Vec::new(), Vec::new(), 0);
                loop {
                    door.settle();
                    let taken = door.taken.val();
                    opened.push((0..banks).filter(|&bank| door.banks.val().get_bit(bank)).collect::<Vec<_>>());
                    let row = door.row.val().index();
                    stored.push(row);
                    cycles += 1;
                    door.tick();
                    if taken {
                        break;
                    }
                }
                assert_eq!(cycles, BEAT_WORDS.div_ceil(banks));
                let words: Vec<usize> = opened
                    .iter()
                    .zip(&stored)
                    .flat_map(|(banks_open, row)| banks_open.iter().map(move |bank| row * banks + bank))
                    .collect();
                let expected: Vec<usize> = (0..BEAT_WORDS)
                    .filter(|word| strobe >> (word * 8) & 0xff != 0)
                    .map(|word| block as usize * 4 + word)
                    .collect();
                assert_eq!(words, expected, "{banks} banks, block {block}");
            }
        }
    }

    /// It is shut in one of eight cycles, so that the ports are not kept out for good.
    #[test]
    fn the_door_shuts_now_and_then() {
        let mut door = Door::new(8, 64);
        door.advance.next = true;
        door.valid.next = true;
        door.strobe.next = 0xffff_ffff.into();
        let open: Vec<bool> = (0..16)
            .map(|_| {
                door.settle();
                let open = door.banks.val().any();
                door.tick();
                open
            })
            .collect();
        assert_eq!(open.iter().filter(|open| **open).count(), 14);
        assert!(!open[7] && !open[15]);
    }
}
