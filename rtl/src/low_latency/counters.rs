//! Counters: event counters of one port, read by loads.
//!
//! **What.** A load from an address with bit 31 set reads a register instead of the memory: how many operations of each kind
//! the port has done, and what else [`Counter`] names. A register shows what happened in the cycles before the one in which
//! the load is done. Registers are 64 bits wide, do not wrap in practice, and are zero after reset.
//!
//! ```text
//!   cycle          c0                 c4: done
//!   load           address bit 31 ──► number ─► register ─► answer, in place of the word
//!   any request    op ──────────────► op ─────► operations[op] + 1
//!   stall                             req_valid and not req_ready, now
//! ```
//! **Why this shape.** Operations by kind are a small memory that is read, incremented and written in one cycle, with a bit
//! for each entry that says whether it has been written since reset. It is there twice, since it has one read port.
//! Cycles and phases are counted once for all ports ([`crate::low_latency::totals`]).

use crate::hardware;
use crate::hdl::*;
use crate::word::op::Op;

/// Width of a register's number.
pub(crate) const NUMBER_BITS: usize = 6;
/// Number of a register.
type Number = Bits<NUMBER_BITS>;
/// Width of an opcode.
const OP_BITS: usize = Op::BITS;
/// Number of opcodes.
const OPS: usize = 1 << Op::BITS;

/// Address bit that selects a register instead of a word.
pub const WINDOW_BIT: usize = 31;
/// Lowest of the zero bits between the window bit and a register's number.
pub const WINDOW_REST: usize = 3 + NUMBER_BITS;
/// Number of those bits.
pub(crate) const WINDOW_REST_BITS: usize = WINDOW_BIT - WINDOW_REST;

/// Address of the first register.
pub const WINDOW: u32 = 1 << WINDOW_BIT;

/// Address of a register.
pub const fn register(number: u32) -> u32 {
    WINDOW + 8 * number
}

/// Number of the register at an address, if the address can be one's.
pub const fn number_of(address: u32) -> Option<u32> {
    let number = address.wrapping_sub(WINDOW) / 8;
    if address >= WINDOW && number < 1 << NUMBER_BITS { Some(number) } else { None }
}

macro_rules! counters {
    ($($(#[doc = $doc:literal])* $name:ident = $number:literal, $snake:literal;)*) => {
        /// Events counted besides operations by kind, whose registers are numbered by opcode.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Counter {
            $($(#[doc = $doc])* $name = $number,)*
        }

        impl Counter {
            /// Every counter, in the order of the numbers.
            pub const ALL: &'static [Counter] = &[$(Counter::$name),*];

            /// Name in manifests and reports.
            pub const fn name(self) -> &'static str {
                match self { $(Counter::$name => $snake),* }
            }

            /// One sentence for users.
            pub const fn meaning(self) -> &'static str {
                match self { $(Counter::$name => concat!($($doc),*).trim_ascii()),* }
            }
        }
    };
}

counters! {
    /// Clock cycles since reset.
    Cycles = 32, "cycles";
    /// Phases completed, all ports together.
    Flips = 33, "flips";
    /// Operations of the port that were done together with another port's.
    Combined = 34, "combined";
    /// Cycles in which the port requested and was not accepted.
    Stalls = 35, "stalls";
    /// Operations of the port that ended with another status than `ok`.
    Faults = 36, "faults";
    /// Waits of the port that were suspended.
    Suspended = 37, "suspended";
    /// Waits of the port that were answered at once because its table was full.
    Rejected = 38, "rejected";
    /// Suspended waits of the port whose phase completed in time.
    Woken = 39, "woken";
    /// The most waits of the port that were in its table at once.
    Waiting = 40, "waiting";
}

impl Counter {
    /// The number of its register.
    pub const fn number(self) -> u32 {
        self as u32
    }
}

hardware! {
    /// Counters: event counters of one port, read by loads.
    pub module Counters = "counters" {
        /// Pipeline enable.
        pub advance: Signal<In, Bit>,
        /// Opcode of the request in c0.
        pub op: InStageReg<OpCode, OpView>,
        /// The request in c0 is a load of a register.
        pub reads: InStageReg<Bit>,
        /// Number of that register.
        pub number: InStageReg<Number>,

        /// The request in c4 is done.
        pub done: Signal<In, Bit>,
        /// The request in c4 ends with a status other than `ok`.
        pub faults: Signal<In, Bit>,
        /// The request in c4 is performed together with another port's.
        pub combined: Signal<In, Bit>,
        /// The request in c4 is suspended.
        pub suspends: Signal<In, Bit>,
        /// The request in c4 is rejected: it would be suspended, but the table is full.
        pub turned_away: Signal<In, Bit>,
        /// The port has a request that is not accepted.
        pub stalls: Signal<In, Bit>,
        /// The answer of a suspended wait is accepted.
        pub resumes: Signal<In, Bit>,
        /// Its phase has completed.
        pub wakes: Signal<In, Bit>,
        /// Cycles since reset.
        pub cycles: Signal<In, Word>,
        /// Phases completed.
        pub flips: Signal<In, Word>,

        /// The request in c4 is a load of a register.
        pub reads_c4: OutStageReg<Bit>,
        /// Value of the register in c4.
        pub value: Signal<Out, Word>,

        /// Opcode of the request in c2.
        pub op_c2: StageReg<OpCode, OpView>,
        /// Opcode of the request in c3.
        pub op_c3: StageReg<OpCode, OpView>,
        /// Opcode of the request in c4.
        pub op_c4: StageReg<OpCode, OpView>,
        /// The request in c2 is a load of a register.
        pub reads_c2: StageReg<Bit>,
        /// The request in c3 is a load of a register.
        pub reads_c3: StageReg<Bit>,
        /// Number of the register in c2.
        pub number_c2: StageReg<Number>,
        /// Number of the register in c3.
        pub number_c3: StageReg<Number>,
        /// Number of the register in c4.
        pub number_c4: StageReg<Number>,

        /// Number of opcodes.
        pub kinds: usize = OPS,
        /// Operations by kind, for the update.
        pub counted: LutRam<Word, OpCode> = LutRam::new(OPS),
        /// Operations by kind, for reads.
        pub shown: LutRam<Word, OpCode> = LutRam::new(OPS),
        /// Kinds counted since reset; the others read as zero.
        pub known: ControlReg<Bits<OPS>>,
        /// Operations performed with another port's.
        pub combines: ControlReg<Word>,
        /// Cycles with a request not accepted.
        pub stalled: ControlReg<Word>,
        /// Operations with a status other than `ok`.
        pub faulted: ControlReg<Word>,
        /// Waits that were suspended.
        pub suspended: ControlReg<Word>,
        /// Waits that were rejected.
        pub turned: ControlReg<Word>,
        /// Waits that were woken.
        pub woken: ControlReg<Word>,
        /// Waits in the table now.
        pub waiting: ControlReg<Bits<8>>,
        /// Most waits in the table at once.
        pub most: ControlReg<Bits<8>>,

        /// Number of earlier operations of the kind in c4.
        pub earlier: Signal<Local, Word>,
        /// Next value of `waiting`.
        pub waits: Signal<Local, Bits<8>>,
    }
    constants {
        /// Register: cycles since reset.
        CYCLES: Number = Bits::constant(Counter::Cycles as u64);
        /// Register: phases completed.
        FLIPS: Number = Bits::constant(Counter::Flips as u64);
        /// Register: operations combined.
        COMBINED: Number = Bits::constant(Counter::Combined as u64);
        /// Register: cycles stalled.
        STALLS: Number = Bits::constant(Counter::Stalls as u64);
        /// Register: faults.
        FAULTS: Number = Bits::constant(Counter::Faults as u64);
        /// Register: waits suspended.
        SUSPENDED: Number = Bits::constant(Counter::Suspended as u64);
        /// Register: waits rejected.
        TURNED_AWAY: Number = Bits::constant(Counter::Rejected as u64);
        /// Register: waits woken.
        WOKEN: Number = Bits::constant(Counter::Woken as u64);
        /// Register: most waits at once.
        WAITING: Number = Bits::constant(Counter::Waiting as u64);
    }
    processes { Find, Read, Count }
    staged by advance
    /// A port's counters, all zero.
    built by pub fn empty() {}
}

#[processes]
impl Counters {
    fn find(&mut self) {
        self.counted.read_address.next = self.op_c4.q.val();
        self.shown.read_address.next = self.number_c4.q.val().get_bits::<OP_BITS>(0);
    }

    fn read(&mut self) {
        self.value.next = 0.into();
        if self.reads_c4.q.val() {
            if !self.number_c4.q.val().get_bit(Op::BITS)
                & self.known.q.val().get_bit(self.shown.read_address.val().index())
            {
                self.value.next = self.shown.read_data.val();
            }
            if self.number_c4.q.val() == CYCLES {
                self.value.next = self.cycles.val();
            }
            if self.number_c4.q.val() == FLIPS {
                self.value.next = self.flips.val();
            }
            if self.number_c4.q.val() == COMBINED {
                self.value.next = self.combines.q.val();
            }
            if self.number_c4.q.val() == STALLS {
                self.value.next = self.stalled.q.val();
            }
            if self.number_c4.q.val() == FAULTS {
                self.value.next = self.faulted.q.val();
            }
            if self.number_c4.q.val() == SUSPENDED {
                self.value.next = self.suspended.q.val();
            }
            if self.number_c4.q.val() == TURNED_AWAY {
                self.value.next = self.turned.q.val();
            }
            if self.number_c4.q.val() == WOKEN {
                self.value.next = self.woken.q.val();
            }
            if self.number_c4.q.val() == WAITING {
                self.value.next = bit_cast::<64, 8>(self.most.q.val());
            }
        }
    }

    fn count(&mut self) {
        self.earlier.next = 0.into();
        if self.known.q.val().get_bit(self.op_c4.q.val().index()) {
            self.earlier.next = self.counted.read_data.val();
        }
        self.counted.write_enable.next = self.done.val();
        self.counted.write_address.next = self.op_c4.q.val();
        self.counted.write_data.next = self.earlier.val() + 1;
        self.shown.write_enable.next = self.done.val();
        self.shown.write_address.next = self.op_c4.q.val();
        self.shown.write_data.next = self.earlier.val() + 1;
        if self.done.val() {
            if !self.known.q.val().get_bit(self.op_c4.q.val().index()) {
                for o in 0..self.kinds {
                    if self.op_c4.q.val() == o.to_bits() {
                        self.known.d.next = self.known.q.val() | (bits::<OPS>(1) << o);
                    }
                }
            }
            if self.combined.val() {
                self.combines.d.next = self.combines.q.val() + 1;
            }
            if self.faults.val() {
                self.faulted.d.next = self.faulted.q.val() + 1;
            }
        }
        if self.stalls.val() {
            self.stalled.d.next = self.stalled.q.val() + 1;
        }
        if self.turned_away.val() {
            self.turned.d.next = self.turned.q.val() + 1;
        }
        self.suspended.d.next = self.suspended.q.val();
        self.waits.next = self.waiting.q.val();
        if self.suspends.val() {
            self.suspended.d.next = self.suspended.q.val() + 1;
            if !self.resumes.val() {
                self.waits.next = self.waiting.q.val() + 1;
            }
        }
        if self.resumes.val() & !self.suspends.val() {
            self.waits.next = self.waiting.q.val() - 1;
        }
        self.waiting.d.next = self.waits.val();
        if self.waits.val() > self.most.q.val() {
            self.most.d.next = self.waits.val();
        }
        if self.wakes.val() {
            self.woken.d.next = self.woken.q.val() + 1;
        }

        self.op_c2.d.next = self.op.q.val();
        self.op_c3.d.next = self.op_c2.q.val();
        self.op_c4.d.next = self.op_c3.q.val();
        self.reads_c2.d.next = self.reads.q.val();
        self.reads_c3.d.next = self.reads_c2.q.val();
        self.reads_c4.d.next = self.reads_c3.q.val();
        self.number_c2.d.next = self.number.q.val();
        self.number_c3.d.next = self.number_c2.q.val();
        self.number_c4.d.next = self.number_c3.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_after_the_opcodes_and_fit() {
        for (position, counter) in Counter::ALL.iter().enumerate() {
            assert_eq!(counter.number() as usize, OPS + position);
        }
        assert!(OPS + Counter::ALL.len() <= 1 << NUMBER_BITS);
        assert_eq!(register(Counter::Flips.number()), 0x8000_0108);
        assert_eq!((number_of(0x8000_0108), number_of(0x8000_0200), number_of(8)), (Some(33), None, None));
    }
}
