//! The windows of a port: registers in front of a unit's port, and its memory.
//!
//! **What.** Each thread of control (a hart, a task, an interrupt handler) has a window of its own, in pages of its own, so that an address
//! map can protect it. [`registers`] lists its registers. A command uses the operands of its window; the answer returns to the same window,
//! which the tag of the request names:
//!
//! ```text
//! tag      wait │ 0 ... 0 │ window        wait: the request may be suspended
//! ```
//! A window may have one operation in flight, and one suspended wait. A second operation stalls the bus until the first is answered, which
//! takes a few cycles; a second `try_wait` is performed as a `test_wait`. So no access waits for other threads, and nothing is refused or
//! lost. The unit's answers are always accepted.
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

/// Index of a register in its page.
type RegisterNumber = Bits<NUMBER_BITS>;
/// Status, predicate and suspended flag of an answer.
type Ending = Bits<ENDING_BITS>;
/// Memory with one entry per window.
type WindowRam<T> = LutRam<T, WindowIndex>;

// widths that kernels name
const OP_BITS: usize = Op::BITS;
const STATUS_BITS: usize = Status::BITS;
const ORDER_BITS: usize = Order::BITS;
const ENDING_BITS: usize = Status::BITS + 2;

hardware! {
    /// The windows of a port of a bus.
    pub module Windows = "windows" {
        /// Accesses from the bus.
        pub access: Access<In>,
        /// Request valid.
        pub req_valid: Signal<Out, Bit>,
        /// Request accepted.
        pub req_ready: Signal<In, Bit>,
        /// Request.
        pub req: Operation<Out>,
        /// Memory ordering of the request.
        pub req_order: Signal<Out, OrderCode>,
        /// Answer valid.
        pub rsp_valid: Signal<In, Bit>,
        /// Answer accepted.
        pub rsp_ready: Signal<Out, Bit>,
        /// Answer.
        pub rsp: PortAnswer<In>,
        /// The answer is that of a suspended wait.
        pub rsp_resumed: Signal<In, Bit>,
        /// Interrupt, one bit per window.
        pub irq: OutControlReg<WindowMask>,

        /// Number of windows.
        pub windows: usize,
        /// Mask of a window number.
        pub numbers: usize,
        /// Mask of an address within a page.
        pub page: usize,
        /// Lowest bit of a window number in an address.
        pub window_lsb: usize,
        /// Address bit that selects the memory.
        pub memory_bit: usize,
        /// Address bit that is 0 in all windows.
        pub above_bit: usize,
        /// Number of the privileged page, in pages of 4 KiB.
        pub privileged_page: usize,
        /// Tag bit that marks a wait.
        pub wait_bit: usize,

        /// Access in progress.
        pub active: ControlReg<Bit>,
        /// Access complete.
        pub over: ControlReg<Bit>,
        /// Write access.
        pub write: Reg<Bit>,
        /// Address of the access.
        pub address: Reg<BusAddress>,
        /// Write data.
        pub data: Reg<Bits<32>>,
        /// Byte enables.
        pub strobe: Reg<Bits<4>>,
        /// Read data.
        pub read: ControlReg<Bits<32>>,
        /// Error: the access has no effect.
        pub failed: ControlReg<Bit>,

        /// ADDRESS, DATA_LO, DATA_HI and COMMAND of each window.
        pub operands: Lanes<WindowRam<Bits<32>>>,
        /// Windows in which these have been written since reset.
        pub given: Lanes<ControlReg<WindowMask>>,
        /// FIRST and LAST of each window.
        pub ranges: Lanes<WindowRam<Bits<32>>>,
        /// Windows in which these have been written since reset.
        pub ranged: Lanes<ControlReg<WindowMask>>,
        /// Results of operations, and of waits, of each window.
        pub endings: Lanes<WindowRam<Ending>>,
        /// Labels of their commands.
        pub labels: Lanes<WindowRam<Bits<8>>>,
        /// Result data of operations.
        pub results: WindowRam<Word>,
        /// Windows with an operation, and with a wait, in flight.
        pub busy: Lanes<ControlReg<WindowMask>>,
        /// Windows with an answer not yet taken: of an operation, of a wait.
        pub answered: Lanes<ControlReg<WindowMask>>,
        /// Windows with the interrupt for it enabled.
        pub enabled: Lanes<ControlReg<WindowMask>>,
        /// Windows whose last command is a wait.
        pub waits: ControlReg<WindowMask>,

        /// Request valid.
        pub asks: ControlReg<Bit>,
        /// The request is answered here: it is out of range, or posted.
        pub tells: ControlReg<Bit>,
        /// The request is out of range.
        pub outside: Reg<Bit>,
        /// The request is an access to the memory, which waits for the answer.
        pub fetches: ControlReg<Bit>,
        /// Opcode of the request.
        pub op: Reg<OpCode, OpView>,
        /// Address of the request.
        pub target: Reg<Bits<32>>,
        /// Data of the request.
        pub operand: Reg<Word>,
        /// Byte enables of the request.
        pub enables: Reg<Bits<8>>,
        /// Memory ordering of the request.
        pub order: Reg<OrderCode>,
        /// Window of the request.
        pub asker: Reg<WindowIndex>,
        /// The request may be suspended.
        pub suspends: Reg<Bit>,

        /// Register index of the access.
        pub register: Signal<Local, RegisterNumber>,
        /// Address of the access within its page.
        pub offset: Signal<Local, PageOffset>,
        /// Window of the access.
        pub window: Signal<Local, WindowIndex>,
        /// Window of the access, one-hot; zero if it does not exist.
        pub spot: Signal<Local, WindowMask>,
        /// The access is to a register of a window.
        pub common: Signal<Local, Bit>,
        /// The access is to the privileged page.
        pub privileged: Signal<Local, Bit>,
        /// The access is to the memory.
        pub memory: Signal<Local, Bit>,
        /// The access is a write with an enabled byte.
        pub writes: Signal<Local, Bit>,
        /// Write mask.
        pub mask: Signal<Local, Bits<32>>,
        /// Operand registers of the window, before the access.
        pub kept: Lanes<Signal<Local, Bits<32>>>,
        /// Operand registers of the window, after the access.
        pub merged: Lanes<Signal<Local, Bits<32>>>,
        /// Range of the window.
        pub bound: Lanes<Signal<Local, Bits<32>>>,
        /// Command register after the access.
        pub command: Signal<Local, Bits<32>>,
        /// Opcode of that command.
        pub code: Signal<Local, OpCode, OpView>,
        /// The command is a wait that may be suspended.
        pub parks: Signal<Local, Bit>,
        /// Address of the word to operate on.
        pub place: Signal<Local, Bits<32>>,
        /// The address is in the window's range.
        pub allowed: Signal<Local, Bit>,
        /// The window has no operation in flight, and no request waits for acceptance.
        pub free: Signal<Local, Bit>,
        /// A command starts.
        pub starts: Signal<Local, Bit>,
        /// An access to the memory starts.
        pub begins: Signal<Local, Bit>,
        /// The memory has answered.
        pub fetched: Signal<Local, Bit>,
        /// An answer arrives.
        pub comes: Signal<Local, Bit>,
        /// The answer is that of a wait.
        pub of_wait: Signal<Local, Bit>,
        /// Window of the answer.
        pub whose: Signal<Local, WindowIndex>,
        /// Window of the answer, one-hot.
        pub told: Signal<Local, WindowMask>,
        /// The window has an operation, or a wait, in flight.
        pub runs: Lanes<Signal<Local, Bit>>,
        /// Label of the last one.
        pub label: Lanes<Signal<Local, Bits<8>>>,
        /// Result of the last one.
        pub ending: Lanes<Signal<Local, Ending>>,
        /// Value of STATUS, or of WAIT.
        pub shown: Lanes<Signal<Local, Bits<32>>>,
        /// An answer is available.
        pub has: Lanes<Signal<Local, Bit>>,
        /// The access takes the answer.
        pub takes: Lanes<Signal<Local, Bit>>,
        /// The window's last command is a wait.
        pub last_waits: Signal<Local, Bit>,
        /// Value of RESULT.
        pub result: Signal<Local, Word>,
        /// Word loaded.
        pub word: Signal<Local, Word>,
        /// Value of a register.
        pub value: Signal<Local, Bits<32>>,
        /// The register exists, and allows the access.
        pub known: Signal<Local, Bit>,
        /// Interrupts of all windows.
        pub pending: Signal<Local, Word>,
    }
    constants {
        /// Index of ADDRESS.
        ADDRESS: RegisterNumber = registers::ADDRESS.number();
        /// Index of DATA_LO.
        DATA_LO: RegisterNumber = registers::DATA_LO.number();
        /// Index of DATA_HI.
        DATA_HI: RegisterNumber = registers::DATA_HI.number();
        /// Index of COMMAND.
        COMMAND: RegisterNumber = registers::COMMAND.number();
        /// Index of STATUS.
        STATUS: RegisterNumber = registers::STATUS.number();
        /// Index of RESULT_LO.
        RESULT_LO: RegisterNumber = registers::RESULT_LO.number();
        /// Index of RESULT_HI.
        RESULT_HI: RegisterNumber = registers::RESULT_HI.number();
        /// Index of TAKE.
        TAKE: RegisterNumber = registers::TAKE.number();
        /// Index of WAIT.
        WAIT: RegisterNumber = registers::WAIT.number();
        /// Index of WAIT_TAKE.
        WAIT_TAKE: RegisterNumber = registers::WAIT_TAKE.number();
        /// Index of INTERRUPT_ENABLE.
        INTERRUPT_ENABLE: RegisterNumber = registers::INTERRUPT_ENABLE.number();
        /// Index of INTERRUPT_CAUSE.
        INTERRUPT_CAUSE: RegisterNumber = registers::INTERRUPT_CAUSE.number();
        /// Index of PENDING_LO.
        PENDING_LO: RegisterNumber = registers::PENDING_LO.number();
        /// Index of PENDING_HI.
        PENDING_HI: RegisterNumber = registers::PENDING_HI.number();
        /// Last byte of a window's range after reset.
        ALL: Bits<32> = Bits::constant(registers::LAST.reset as u64);
        /// Status of an access outside the window's range.
        OUT_OF_RANGE: StatusCode = Bits::constant(Status::OutOfRange.code() as u64);
        /// Last status that is a fault; those above it are warnings.
        MISSING_INIT: StatusCode = Bits::constant(Status::MissingInit.code() as u64);
        /// Posted operations: no answer.
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
