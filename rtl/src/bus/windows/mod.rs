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

mod answer;
mod command;

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
        /// The window's last command is a wait.
        pub last_waits: Signal<Local, Bit>,
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
