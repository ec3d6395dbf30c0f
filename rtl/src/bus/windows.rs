//! The windows of a port: registers in front of a unit's port, and its memory.
//!
//! **What.** Each thread of control (a hart, a task, an interrupt handler) has a window to itself, in pages of its own, so that an address map can
//! protect it. [`registers`] lists what is in it. A command takes the operands of its window; its answer comes to the
//! same window and to no other, because the tag of the request names it:
//!
//! ```text
//!   tag      wait │ 0 ... 0 │ window        wait: it may be suspended
//! ```
//! A window has one operation under way, and besides one suspended wait. A second operation waits on the bus until the first is answered, which
//! is a matter of cycles; a second `try_wait` is done as a `test_wait`. So no access waits for what other threads do, and nothing is
//! refused or lost. The unit's answers are always taken.
//!
//! ```text
//!   access ─► taken ─► registers ──────────────────────────────► done
//!                        │ command, memory      ▲
//!                        ▼                      │ own answer (out of range, posted)
//!                      asked ─► range ─► request ─► unit ─► answer, by window
//! ```
//! An access to the memory is a `load` or a `store` of the unit, behind the operations of its window; the bus waits for it.

use super::access::Access;
use super::registers::{self, NUMBER_BITS};
use crate::hardware;
use crate::hdl::*;
use crate::pins::{Operation, PortAnswer};
use crate::word::op::Op;
use crate::word::op::sets::{self, OpSet};
use crate::word::ordering::Order;
use crate::word::status::Status;

/// Number of a register in its page.
type RegisterNumber = Bits<NUMBER_BITS>;
/// Status, predicate and whether it was suspended, of an answer.
type Ending = Bits<ENDING_BITS>;
/// A small memory with an entry each window.
type WindowRam<T> = LutRam<T, WindowIndex>;

// widths that kernels name
const OP_BITS: usize = Op::BITS;
const STATUS_BITS: usize = Status::BITS;
const ORDER_BITS: usize = Order::BITS;
const ENDING_BITS: usize = Status::BITS + 2;

hardware! {
    /// The windows of a port of a bus.
    pub module Windows = "windows" {
        /// Accesses of the bus.
        pub access: Access<In>,
        /// A request is there.
        pub req_valid: Signal<Out, Bit>,
        /// It is accepted.
        pub req_ready: Signal<In, Bit>,
        /// The request.
        pub req: Operation<Out>,
        /// Its memory ordering.
        pub req_order: Signal<Out, OrderCode>,
        /// An answer is there.
        pub rsp_valid: Signal<In, Bit>,
        /// It is taken.
        pub rsp_ready: Signal<Out, Bit>,
        /// The answer.
        pub rsp: PortAnswer<In>,
        /// It is that of a suspended wait.
        pub rsp_resumed: Signal<In, Bit>,
        /// Windows that interrupt.
        pub irq: OutControlReg<WindowMask>,

        /// Number of windows.
        pub windows: usize,
        /// Ones in a window's number.
        pub numbers: usize,
        /// Ones in an address within a page.
        pub page: usize,
        /// Lowest bit of the window's number in an address.
        pub window_lsb: usize,
        /// Bit of an address that is 1 in the memory.
        pub memory_bit: usize,
        /// Bit of an address that is 0 in all windows.
        pub above_bit: usize,
        /// Number of the privileged page, of 4 KiB.
        pub privileged_page: usize,
        /// Bit of a tag that is 1 in a wait.
        pub wait_bit: usize,

        /// An access is under way.
        pub active: ControlReg<Bit>,
        /// It is over.
        pub over: ControlReg<Bit>,
        /// It writes.
        pub write: Reg<Bit>,
        /// Its address.
        pub address: Reg<BusAddress>,
        /// What it writes.
        pub data: Reg<Bits<32>>,
        /// Which bytes it writes.
        pub strobe: Reg<Bits<4>>,
        /// What it has read.
        pub read: ControlReg<Bits<32>>,
        /// Nothing was done.
        pub failed: ControlReg<Bit>,

        /// ADDRESS, DATA_LO, DATA_HI and COMMAND of each window.
        pub operands: Lanes<WindowRam<Bits<32>>>,
        /// Windows in which these have been written since reset.
        pub given: Lanes<ControlReg<WindowMask>>,
        /// FIRST and LAST of each window.
        pub ranges: Lanes<WindowRam<Bits<32>>>,
        /// Windows in which these have been written since reset.
        pub ranged: Lanes<ControlReg<WindowMask>>,
        /// How operations, and waits, of each window have ended.
        pub endings: Lanes<WindowRam<Ending>>,
        /// Labels of their commands.
        pub labels: Lanes<WindowRam<Bits<8>>>,
        /// What came with the answer of an operation.
        pub results: WindowRam<Word>,
        /// Windows with an operation, and with a wait, under way.
        pub busy: Lanes<ControlReg<WindowMask>>,
        /// Windows with an answer that is not taken: of an operation, of a wait.
        pub answered: Lanes<ControlReg<WindowMask>>,
        /// Windows that interrupt for it.
        pub enabled: Lanes<ControlReg<WindowMask>>,
        /// Windows whose last command is a wait.
        pub waits: ControlReg<WindowMask>,

        /// A request is to be accepted.
        pub asks: ControlReg<Bit>,
        /// It is answered here: out of range, or posted.
        pub tells: ControlReg<Bit>,
        /// It is out of range.
        pub outside: Reg<Bit>,
        /// It is an access to the memory, which waits for its answer.
        pub fetches: ControlReg<Bit>,
        /// Its opcode.
        pub op: Reg<OpCode, OpView>,
        /// Its address.
        pub target: Reg<Bits<32>>,
        /// Its data.
        pub operand: Reg<Word>,
        /// Its byte enables.
        pub enables: Reg<Bits<8>>,
        /// Its ordering.
        pub order: Reg<OrderCode>,
        /// Its window.
        pub asker: Reg<WindowIndex>,
        /// It may be suspended.
        pub suspends: Reg<Bit>,

        /// The register of the access.
        pub register: Signal<Local, RegisterNumber>,
        /// The address within its page.
        pub offset: Signal<Local, PageOffset>,
        /// Its window.
        pub window: Signal<Local, WindowIndex>,
        /// The window, one-hot; none if there is no such.
        pub spot: Signal<Local, WindowMask>,
        /// The access is to a register of a window.
        pub common: Signal<Local, Bit>,
        /// It is to the privileged page.
        pub privileged: Signal<Local, Bit>,
        /// It is to the memory.
        pub memory: Signal<Local, Bit>,
        /// It writes something.
        pub writes: Signal<Local, Bit>,
        /// Bits that it writes.
        pub mask: Signal<Local, Bits<32>>,
        /// The window's operands before it.
        pub kept: Lanes<Signal<Local, Bits<32>>>,
        /// With what it writes.
        pub merged: Lanes<Signal<Local, Bits<32>>>,
        /// The window's range before it.
        pub bound: Lanes<Signal<Local, Bits<32>>>,
        /// The command that it would make.
        pub command: Signal<Local, Bits<32>>,
        /// Its opcode.
        pub code: Signal<Local, OpCode, OpView>,
        /// It is a wait that may be suspended.
        pub parks: Signal<Local, Bit>,
        /// The address to operate on.
        pub place: Signal<Local, Bits<32>>,
        /// The window may touch it.
        pub allowed: Signal<Local, Bit>,
        /// The window has no operation under way, and none is to be accepted.
        pub free: Signal<Local, Bit>,
        /// A command begins.
        pub starts: Signal<Local, Bit>,
        /// An access to the memory begins.
        pub begins: Signal<Local, Bit>,
        /// The memory has answered.
        pub fetched: Signal<Local, Bit>,
        /// An answer comes.
        pub comes: Signal<Local, Bit>,
        /// It is of a wait.
        pub of_wait: Signal<Local, Bit>,
        /// Its window.
        pub whose: Signal<Local, WindowIndex>,
        /// The same, one-hot.
        pub told: Signal<Local, WindowMask>,
        /// An operation, and a wait, of the window is under way.
        pub runs: Lanes<Signal<Local, Bit>>,
        /// Label of the last.
        pub label: Lanes<Signal<Local, Bits<8>>>,
        /// How it ended.
        pub ending: Lanes<Signal<Local, Ending>>,
        /// What STATUS, and WAIT, show of it.
        pub shown: Lanes<Signal<Local, Bits<32>>>,
        /// Whether there is one.
        pub has: Lanes<Signal<Local, Bit>>,
        /// Takes it.
        pub takes: Lanes<Signal<Local, Bit>>,
        /// The result that RESULT shows.
        pub result: Signal<Local, Word>,
        /// The word that was loaded.
        pub word: Signal<Local, Word>,
        /// What a register holds.
        pub value: Signal<Local, Bits<32>>,
        /// There is such a register, and it is for this.
        pub known: Signal<Local, Bit>,
        /// All windows that interrupt.
        pub pending: Signal<Local, Word>,
    }
    constants {
        /// Number of the register.
        ADDRESS: RegisterNumber = registers::ADDRESS.number();
        /// Number of the register.
        DATA_LO: RegisterNumber = registers::DATA_LO.number();
        /// Number of the register.
        DATA_HI: RegisterNumber = registers::DATA_HI.number();
        /// Number of the register.
        COMMAND: RegisterNumber = registers::COMMAND.number();
        /// Number of the register.
        STATUS: RegisterNumber = registers::STATUS.number();
        /// Number of the register.
        RESULT_LO: RegisterNumber = registers::RESULT_LO.number();
        /// Number of the register.
        RESULT_HI: RegisterNumber = registers::RESULT_HI.number();
        /// Number of the register.
        TAKE: RegisterNumber = registers::TAKE.number();
        /// Number of the register.
        WAIT: RegisterNumber = registers::WAIT.number();
        /// Number of the register.
        WAIT_TAKE: RegisterNumber = registers::WAIT_TAKE.number();
        /// Number of the register.
        INTERRUPT_ENABLE: RegisterNumber = registers::INTERRUPT_ENABLE.number();
        /// Number of the register.
        INTERRUPT_CAUSE: RegisterNumber = registers::INTERRUPT_CAUSE.number();
        /// Number of the register.
        PENDING_LO: RegisterNumber = registers::PENDING_LO.number();
        /// Number of the register.
        PENDING_HI: RegisterNumber = registers::PENDING_HI.number();
        /// What a window may touch after reset ends here.
        ALL: Bits<32> = Bits::constant(registers::LAST.reset as u64);
        /// The status of a word that the window may not touch.
        OUT_OF_RANGE: StatusCode = Bits::constant(Status::OutOfRange.code() as u64);
        /// The last status that is a fault; those above it are warnings.
        MISSING_INIT: StatusCode = Bits::constant(Status::MissingInit.code() as u64);
        /// Operations that have no answer.
        POSTED: OpSet = sets::POSTED;
    }
    processes { Offer, Find, Merge, Hear, Show, Decide, Begin, Store, Answer, Finish }
}

#[processes]
impl Windows {
    #[inline]
    fn offer(&mut self) {
        self.access.ready.next = !self.active.q.val() & !self.over.q.val();
        self.access.done.next = self.over.q.val();
        self.access.read.next = self.read.q.val();
        self.access.error.next = self.failed.q.val();
        self.req_valid.next = self.asks.q.val();
        self.req.op.next = self.op.q.val();
        self.req.remote.next = false;
        self.req.address.next = self.target.q.val();
        self.req.data.next = self.operand.q.val();
        self.req.strobe.next = self.enables.q.val();
        self.req.tag.next = bit_cast::<TAG, WINDOW_INDEX>(self.asker.q.val())
            | (bit_cast::<TAG, 1>(self.suspends.q.val().into()) << self.wait_bit);
        self.req_order.next = self.order.q.val();
        self.rsp_ready.next = !self.tells.q.val();
    }

    /// Where the access goes, and to which bits.
    #[inline]
    fn find(&mut self) {
        self.register.next = self.address.q.val().get_bits::<NUMBER_BITS>(2);
        self.offset.next = self.address.q.val().get_bits::<PAGE_OFFSET>(0) & self.page.to_bits();
        self.privileged.next = (self.address.q.val() >> 12) == self.privileged_page.to_bits();
        self.window.next = self.address.q.val().get_bits::<WINDOW_INDEX>(self.window_lsb) & self.numbers.to_bits();
        if self.privileged.val() {
            self.window.next = self.register.val().get_bits::<WINDOW_INDEX>(1) & self.numbers.to_bits();
        }
        self.spot.next = 0.into();
        for w in 0..self.windows {
            if self.window.val() == w.to_bits() {
                self.spot.next = self.spot.val() | (bits::<WINDOWS>(1) << w);
            }
        }
        self.memory.next = !self.address.q.val().get_bit(self.above_bit)
            & self.address.q.val().get_bit(self.memory_bit)
            & self.spot.val().any();
        // a page of registers may be smaller than one of the memory
        self.common.next = !self.address.q.val().get_bit(self.above_bit)
            & !self.address.q.val().get_bit(self.memory_bit)
            & self.spot.val().any()
            & !(self.offset.val() >> 12).any();
        self.writes.next = self.active.q.val() & self.write.q.val() & self.strobe.q.val().any();
        self.mask.next = 0.into();
        for b in 0..4 {
            if self.strobe.q.val().get_bit(b) {
                self.mask.next = self.mask.val() | (bits::<32>(0xff) << (b * 8));
            }
        }
        for k in 0..4 {
            self.operands[k].read_address.next = self.window.val();
        }
        for k in 0..2 {
            self.ranges[k].read_address.next = self.window.val();
            self.endings[k].read_address.next = self.window.val();
            self.labels[k].read_address.next = self.window.val();
        }
        self.results.read_address.next = self.window.val();
    }

    /// What the window holds, and what the access would make of it.
    #[inline]
    fn merge(&mut self) {
        for k in 0..4 {
            self.kept[k].next = 0.into();
            if (self.given[k].q.val() & self.spot.val()).any() {
                self.kept[k].next = self.operands[k].read_data.val();
            }
            self.merged[k].next = (self.kept[k].val() & !self.mask.val()) | (self.data.q.val() & self.mask.val());
        }
        self.bound[0].next = 0.into();
        self.bound[1].next = ALL;
        for k in 0..2 {
            if (self.ranged[k].q.val() & self.spot.val()).any() {
                self.bound[k].next = self.ranges[k].read_data.val();
            }
        }
        self.place.next = self.kept[0].val();
        if self.memory.val() {
            self.place.next = (bit_cast::<32, PAGE_OFFSET>(self.offset.val()) >> 3) << 3;
        }
        self.allowed.next = (self.place.val().get_bits::<29>(3) >= self.bound[0].val().get_bits::<29>(3))
            & (self.place.val().get_bits::<29>(3) <= self.bound[1].val().get_bits::<29>(3));
        self.command.next = self.merged[3].val();
        self.code.next = self.command.val().get_bits::<OP_BITS>(0);
        self.parks.next = false;
        if self.code.val() == Op::TryWait {
            self.parks.next = !(self.busy[1].q.val() & self.spot.val()).any();
            if !self.parks.val() {
                self.code.next = Op::TestWait.into();
            }
        }
        if self.command.val().get_bits::<OP_BITS>(0) == Op::TryWaitParity {
            self.parks.next = !(self.busy[1].q.val() & self.spot.val()).any();
            if !self.parks.val() {
                self.code.next = Op::TestWaitParity.into();
            }
        }
    }

    /// Whose answer comes.
    #[inline]
    fn hear(&mut self) {
        self.comes.next = self.tells.q.val() | self.rsp_valid.val();
        self.of_wait.next = self.rsp.tag.val().get_bit(self.wait_bit);
        self.whose.next = self.rsp.tag.val().get_bits::<WINDOW_INDEX>(0) & self.numbers.to_bits();
        if self.tells.q.val() {
            self.of_wait.next = self.suspends.q.val();
            self.whose.next = self.asker.q.val();
        }
        self.fetched.next =
            self.comes.val() & self.fetches.q.val() & !self.of_wait.val() & (self.whose.val() == self.asker.q.val());
        self.told.next = 0.into();
        for w in 0..self.windows {
            if self.comes.val() & !self.fetched.val() & (self.whose.val() == w.to_bits()) {
                self.told.next = self.told.val() | (bits::<WINDOWS>(1) << w);
            }
        }
    }

    /// What registers show.
    #[inline]
    fn show(&mut self) {
        for k in 0..2 {
            self.has[k].next = (self.answered[k].q.val() & self.spot.val()).any();
            self.runs[k].next = (self.busy[k].q.val() & self.spot.val()).any();
            self.label[k].next = self.labels[k].read_data.val();
            self.ending[k].next = self.endings[k].read_data.val();
            self.shown[k].next = 0.into();
            if self.runs[k].val() {
                self.shown[k].next = bits::<32>(1) << registers::BUSY;
            }
        }
        if self.has[0].val() {
            self.shown[0].next = (bits::<32>(1) << registers::ANSWERED)
                | (bit_cast::<32, 8>(self.label[0].val()) << registers::LABEL)
                | (bit_cast::<32, 2>(self.ending[0].val().get_bits::<2>(Status::BITS)) << registers::PREDICATE)
                | bit_cast::<32, STATUS_BITS>(self.ending[0].val().get_bits::<STATUS_BITS>(0));
        }
        if self.has[1].val() {
            self.shown[1].next = (bits::<32>(1) << registers::ANSWERED)
                | (bit_cast::<32, 8>(self.label[1].val()) << registers::LABEL)
                | (bit_cast::<32, 2>(self.ending[1].val().get_bits::<2>(Status::BITS)) << registers::PREDICATE)
                | bit_cast::<32, STATUS_BITS>(self.ending[1].val().get_bits::<STATUS_BITS>(0));
        }
        self.result.next = 0.into();
        if self.has[0].val() & !(self.waits.q.val() & self.spot.val()).any() {
            self.result.next = self.results.read_data.val();
        }
        self.pending.next = bit_cast::<64, WINDOWS>(self.irq.q.val());
        self.value.next = 0.into();
        self.known.next = false;
        self.takes[0].next = false;
        self.takes[1].next = false;
        if self.common.val() {
            if self.register.val() == ADDRESS {
                self.known.next = true;
                self.value.next = self.kept[0].val();
            }
            if self.register.val() == DATA_LO {
                self.known.next = true;
                self.value.next = self.kept[1].val();
            }
            if self.register.val() == DATA_HI {
                self.known.next = true;
                self.value.next = self.kept[2].val();
            }
            if self.register.val() == COMMAND {
                self.known.next = self.write.q.val();
            }
            if self.register.val() == STATUS {
                self.known.next = !self.write.q.val();
                self.value.next = self.shown[0].val();
                if (self.waits.q.val() & self.spot.val()).any() {
                    self.value.next = self.shown[1].val();
                }
            }
            if self.register.val() == RESULT_LO {
                self.known.next = !self.write.q.val();
                self.value.next = self.result.val().get_bits::<32>(0);
            }
            if self.register.val() == RESULT_HI {
                self.known.next = !self.write.q.val();
                self.value.next = self.result.val().get_bits::<32>(32);
            }
            if self.register.val() == TAKE {
                self.takes[0].next =
                    self.writes.val() & self.has[0].val() & !(self.waits.q.val() & self.spot.val()).any();
                self.takes[1].next =
                    self.writes.val() & self.has[1].val() & (self.waits.q.val() & self.spot.val()).any();
                self.known.next = self.takes[0].val() | self.takes[1].val();
            }
            if self.register.val() == WAIT {
                self.known.next = !self.write.q.val();
                self.value.next = self.shown[1].val();
            }
            if self.register.val() == WAIT_TAKE {
                self.takes[1].next = self.writes.val() & self.has[1].val();
                self.known.next = self.takes[1].val();
            }
            if self.register.val() == INTERRUPT_ENABLE {
                self.known.next = true;
                self.value.next = bit_cast::<32, 1>((self.enabled[0].q.val() & self.spot.val()).any().into())
                    | (bit_cast::<32, 1>((self.enabled[1].q.val() & self.spot.val()).any().into()) << 1);
            }
            if self.register.val() == INTERRUPT_CAUSE {
                self.known.next = !self.write.q.val();
                self.value.next =
                    bit_cast::<32, 1>(self.has[0].val().into()) | (bit_cast::<32, 1>(self.has[1].val().into()) << 1);
            }
        }
        if self.privileged.val() {
            // FIRST and LAST of each window stand in its first 512 bytes
            if !self.register.val().get_bits::<3>(7).any() & ((self.register.val() >> 1) <= self.numbers.to_bits()) {
                self.known.next = self.spot.val().any();
                self.value.next = self.bound[0].val();
                if self.register.val().get_bit(0) {
                    self.value.next = self.bound[1].val();
                }
            }
            if self.register.val() == PENDING_LO {
                self.known.next = !self.write.q.val();
                self.value.next = self.pending.val().get_bits::<32>(0);
            }
            if self.register.val() == PENDING_HI {
                self.known.next = !self.write.q.val();
                self.value.next = self.pending.val().get_bits::<32>(32);
            }
        }
    }

    /// Whether something begins, and whether the access is over.
    #[inline]
    fn decide(&mut self) {
        self.free.next = !self.asks.q.val()
            & !self.tells.q.val()
            & !self.fetches.q.val()
            & !(self.busy[0].q.val() & self.spot.val()).any();
        self.starts.next = self.writes.val()
            & self.common.val()
            & (self.register.val() == COMMAND)
            & self.strobe.q.val().get_bit(0)
            & self.free.val();
        self.begins.next = self.active.q.val()
            & self.memory.val()
            & (!self.write.q.val() | self.strobe.q.val().any())
            & self.free.val();
        self.over.d.next = self.active.q.val();
        self.failed.d.next = !self.known.val() & (!self.write.q.val() | self.strobe.q.val().any());
        self.read.d.next = self.value.val();
        if self.writes.val() & self.common.val() & (self.register.val() == COMMAND) & self.strobe.q.val().get_bit(0) {
            self.over.d.next = self.starts.val();
        }
        self.word.next = self.rsp.data.val();
        if self.memory.val() & (!self.write.q.val() | self.strobe.q.val().any()) {
            self.over.d.next = self.active.q.val() & self.fetched.val();
            self.failed.d.next = self.tells.q.val() | (self.rsp.status.val() == Status::OutOfRange);
            self.read.d.next = self.word.val().get_bits::<32>(0);
            if self.offset.val().get_bit(2) {
                self.read.d.next = self.word.val().get_bits::<32>(32);
            }
        }
        if self.write.q.val() | self.failed.d.val() {
            self.read.d.next = 0.into();
        }
        if !self.over.d.val() {
            self.read.d.next = self.read.q.val();
            self.failed.d.next = self.failed.q.val();
        }
        if self.over.d.val() {
            self.active.d.next = false;
        }
        if self.access.valid.val() & !self.active.q.val() & !self.over.q.val() {
            self.active.d.next = true;
            self.write.d.next = self.access.write.val();
            self.address.d.next = self.access.address.val();
            self.data.d.next = self.access.data.val();
            self.strobe.d.next = self.access.strobe.val();
        }
    }

    /// The request.
    #[inline]
    fn begin(&mut self) {
        self.tells.d.next = false;
        if self.asks.q.val() & self.req_ready.val() {
            self.asks.d.next = false;
            self.tells.d.next = POSTED.get_bit(self.op.q.val().index());
        }
        if self.fetched.val() {
            self.fetches.d.next = false;
        }
        if self.starts.val() | self.begins.val() {
            self.asks.d.next = self.allowed.val();
            self.tells.d.next = !self.allowed.val();
            self.outside.d.next = !self.allowed.val();
            self.fetches.d.next = self.begins.val();
            self.asker.d.next = self.window.val();
            self.target.d.next = self.place.val();
            self.op.d.next = self.code.val();
            self.order.d.next = self.command.val().get_bits::<ORDER_BITS>(registers::ORDER);
            self.enables.d.next = self.command.val().get_bits::<8>(registers::STROBE);
            self.operand.d.next =
                bit_cast::<64, 32>(self.kept[1].val()) | (bit_cast::<64, 32>(self.kept[2].val()) << 32);
            self.suspends.d.next = self.parks.val();
        }
        if self.begins.val() {
            self.op.d.next = Op::Load.into();
            if self.write.q.val() {
                self.op.d.next = Op::Store.into();
            }
            self.order.d.next = 0.into();
            self.enables.d.next = bit_cast::<8, 4>(self.strobe.q.val());
            if self.offset.val().get_bit(2) {
                self.enables.d.next = bit_cast::<8, 4>(self.strobe.q.val()) << 4;
            }
            self.operand.d.next = bit_cast::<64, 32>(self.data.q.val()) | (bit_cast::<64, 32>(self.data.q.val()) << 32);
            self.suspends.d.next = false;
        }
    }

    /// What accesses write.
    #[inline]
    fn store(&mut self) {
        for k in 0..4 {
            self.operands[k].write_address.next = self.window.val();
            self.operands[k].write_data.next = self.merged[k].val();
            self.operands[k].write_enable.next =
                self.writes.val() & self.common.val() & (self.register.val() == k.to_bits());
            if self.operands[k].write_enable.val() {
                self.given[k].d.next = self.given[k].q.val() | self.spot.val();
            }
        }
        for k in 0..2 {
            self.ranges[k].write_address.next = self.window.val();
            self.ranges[k].write_data.next =
                (self.bound[k].val() & !self.mask.val()) | (self.data.q.val() & self.mask.val());
            self.ranges[k].write_enable.next = self.writes.val()
                & self.privileged.val()
                & self.known.val()
                & (bit_cast::<2, 1>(self.register.val().get_bits::<1>(0)) == k.to_bits());
            if self.ranges[k].write_enable.val() {
                self.ranged[k].d.next = self.ranged[k].q.val() | self.spot.val();
            }
            self.labels[k].write_address.next = self.window.val();
            self.labels[k].write_data.next = self.command.val().get_bits::<8>(registers::LABEL);
            if self.writes.val()
                & self.common.val()
                & (self.register.val() == INTERRUPT_ENABLE)
                & self.strobe.q.val().get_bit(0)
            {
                self.enabled[k].d.next = self.enabled[k].q.val() & !self.spot.val();
                if self.data.q.val().get_bit(k) {
                    self.enabled[k].d.next = self.enabled[k].q.val() | self.spot.val();
                }
            }
        }
        self.labels[0].write_enable.next = self.starts.val() & !self.parks.val();
        self.labels[1].write_enable.next = self.starts.val() & self.parks.val();
    }

    /// What answers write.
    #[inline]
    fn answer(&mut self) {
        for k in 0..2 {
            self.endings[k].write_address.next = self.whose.val();
            self.endings[k].write_data.next = bit_cast::<ENDING_BITS, STATUS_BITS>(self.rsp.status.val())
                | (bit_cast::<ENDING_BITS, 1>(self.rsp.predicate.val().into()) << Status::BITS)
                | (bit_cast::<ENDING_BITS, 1>(self.rsp_resumed.val().into()) << (Status::BITS + 1));
            if self.tells.q.val() {
                self.endings[k].write_data.next = 0.into();
                if self.outside.q.val() {
                    self.endings[k].write_data.next = bit_cast::<ENDING_BITS, STATUS_BITS>(OUT_OF_RANGE);
                }
            }
        }
        self.endings[0].write_enable.next = self.told.val().any() & !self.of_wait.val();
        self.endings[1].write_enable.next = self.told.val().any() & self.of_wait.val();
        self.results.write_address.next = self.whose.val();
        self.results.write_data.next = self.rsp.data.val();
        self.results.write_enable.next = self.told.val().any() & !self.of_wait.val();
        // what goes with a fault is nothing
        if self.tells.q.val() | (self.rsp.status.val().any() & (self.rsp.status.val() <= MISSING_INIT)) {
            self.results.write_data.next = 0.into();
        }
    }

    /// Who waits for an answer, and who has one.
    #[inline]
    fn finish(&mut self) {
        for k in 0..2 {
            self.busy[k].d.next = self.busy[k].q.val();
            self.answered[k].d.next = self.answered[k].q.val();
            if self.takes[k].val() {
                self.answered[k].d.next = self.answered[k].q.val() & !self.spot.val();
            }
        }
        if self.starts.val() {
            self.answered[0].d.next = self.answered[0].d.val() & !self.spot.val();
            if self.parks.val() {
                self.answered[1].d.next = self.answered[1].d.val() & !self.spot.val();
                self.busy[1].d.next = self.busy[1].q.val() | self.spot.val();
                self.waits.d.next = self.waits.q.val() | self.spot.val();
            }
            if !self.parks.val() {
                self.busy[0].d.next = self.busy[0].q.val() | self.spot.val();
                self.waits.d.next = self.waits.q.val() & !self.spot.val();
            }
        }
        if self.told.val().any() {
            if self.of_wait.val() {
                self.busy[1].d.next = self.busy[1].d.val() & !self.told.val();
                self.answered[1].d.next = self.answered[1].d.val() | self.told.val();
            }
            if !self.of_wait.val() {
                self.busy[0].d.next = self.busy[0].d.val() & !self.told.val();
                self.answered[0].d.next = self.answered[0].d.val() | self.told.val();
            }
        }
        // with the end of the access that takes an answer, its interrupt is over
        self.irq.d.next =
            (self.answered[0].d.val() & self.enabled[0].d.val()) | (self.answered[1].d.val() & self.enabled[1].d.val());
    }
}

// the operands of a command are the first registers
const _: () = assert!(ADDRESS.raw() == 0 && DATA_LO.raw() == 1 && DATA_HI.raw() == 2 && COMMAND.raw() == 3);

impl Windows {
    /// The windows of a port of a bus.
    pub fn new(parameters: &super::parameters::BusParameters) -> Self {
        let entries = 1 << crate::word::parameters::index_bits(parameters.windows);
        let page_bits = parameters.page_bits();
        Self {
            windows: parameters.windows,
            numbers: entries - 1,
            page: parameters.memory() - 1,
            window_lsb: page_bits + 1,
            memory_bit: page_bits,
            above_bit: parameters.address_bits() - 1,
            privileged_page: parameters.privileged() >> 12,
            wait_bit: parameters.unit.tag_bits - 1,
            operands: Lanes::of(4, || LutRam::new(entries)),
            given: Lanes::new(4),
            ranges: Lanes::of(2, || LutRam::new(entries)),
            ranged: Lanes::new(2),
            endings: Lanes::of(2, || LutRam::new(entries)),
            labels: Lanes::of(2, || LutRam::new(entries)),
            results: LutRam::new(entries),
            busy: Lanes::new(2),
            answered: Lanes::new(2),
            enabled: Lanes::new(2),
            kept: Lanes::new(4),
            merged: Lanes::new(4),
            bound: Lanes::new(2),
            runs: Lanes::new(2),
            label: Lanes::new(2),
            ending: Lanes::new(2),
            shown: Lanes::new(2),
            has: Lanes::new(2),
            takes: Lanes::new(2),
            ..Self::default()
        }
    }
}
