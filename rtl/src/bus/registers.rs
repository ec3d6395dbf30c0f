//! Register map of a unit behind a bus: the only table of it. The decoder of the hardware, the SystemRDL, the C header and the page of the
//! docs are generated from it.

use txbar_hdl::Bits;

/// Width of a register's index in its page.
pub const NUMBER_BITS: usize = 10;
/// Bytes of a page of registers.
pub const PAGE: usize = 4 << NUMBER_BITS;

/// Access rights of software.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read and write.
    ReadWrite,
    /// Read only; a write is a bus error.
    ReadOnly,
    /// Write only; a read is a bus error.
    WriteOnly,
}

/// Field of a register.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Name.
    pub name: &'static str,
    /// Lowest bit.
    pub lsb: usize,
    /// Width in bits.
    pub bits: usize,
    /// Description of the contents.
    pub holds: &'static str,
}

/// A register of 32 bits.
#[derive(Clone, Copy, Debug)]
pub struct Register {
    /// Name.
    pub name: &'static str,
    /// Address in its page.
    pub offset: usize,
    /// Access rights.
    pub access: Access,
    /// Value after reset.
    pub reset: u32,
    /// Description.
    pub holds: &'static str,
    /// Fields; other bits read as zero.
    pub fields: &'static [Field],
}

impl Register {
    /// Index in the page, as the hardware decodes it.
    pub const fn number(&self) -> Bits<NUMBER_BITS> {
        Bits::constant(self.offset as u64 / 4)
    }
}

/// Lowest bit of a command's ordering.
pub const ORDER: usize = 8;
/// Lowest bit of a command's label.
pub const LABEL: usize = 16;
/// Lowest bit of the byte enables of a store.
pub const STROBE: usize = 24;
/// Bit of an answer's predicate.
pub const PREDICATE: usize = 8;
/// Bit that is 1 in the answer of a wait that was suspended.
pub const RESUMED: usize = 9;
/// Bit that is 1 until there is an answer.
pub const BUSY: usize = 30;
/// Bit that is 1 once there is an answer.
pub const ANSWERED: usize = 31;

/// The places of fields, as kernels name them.
pub const NUMBERS: &[(&str, usize)] = &[
    ("registers::ORDER", ORDER),
    ("registers::LABEL", LABEL),
    ("registers::STROBE", STROBE),
    ("registers::PREDICATE", PREDICATE),
    ("registers::RESUMED", RESUMED),
    ("registers::BUSY", BUSY),
    ("registers::ANSWERED", ANSWERED),
];

const fn field(name: &'static str, lsb: usize, bits: usize, holds: &'static str) -> Field {
    Field { name, lsb, bits, holds }
}

const WHOLE: &[Field] = &[field("value", 0, 32, "All bits.")];

const COMMAND_FIELDS: &[Field] = &[
    field("op", 0, 5, "Opcode. A write of this byte begins the operation."),
    field("order", ORDER, 3, "Memory ordering: acquire (bit 0), release (bit 1), of the cluster (bit 2)."),
    field("label", LABEL, 8, "Any number: comes back with the answer."),
    field("strobe", STROBE, 8, "Byte enables of a store."),
];

const ANSWER_FIELDS: &[Field] = &[
    field(
        "status",
        0,
        5,
        "How it ended: a status of the unit. A word outside of the window's range is `out_of_range`.",
    ),
    field("predicate", PREDICATE, 1, "Predicate of a wait: the phase has completed."),
    field("resumed", RESUMED, 1, "The wait was suspended."),
    field("label", LABEL, 8, "The label of the command."),
    field("busy", BUSY, 1, "It is under way."),
    field("answered", ANSWERED, 1, "It is over, and its answer is not taken yet."),
];

const CAUSE_FIELDS: &[Field] = &[
    field("answer", 0, 1, "An operation that is no suspended wait has been answered, and the answer is not taken yet."),
    field("wait", 1, 1, "A suspended wait is over, and its answer is not taken yet."),
];

const fn register(
    name: &'static str,
    offset: usize,
    access: Access,
    fields: &'static [Field],
    holds: &'static str,
) -> Register {
    Register { name, offset, access, reset: 0, holds, fields }
}

use Access::{ReadOnly, ReadWrite, WriteOnly};

/// Address of the word to operate on.
pub const ADDRESS: Register =
    register("address", 0x00, ReadWrite, WHOLE, "Byte address of the word to operate on, a multiple of 8.");
/// Low half of the operand.
pub const DATA_LO: Register = register(
    "data_lo",
    0x04,
    ReadWrite,
    WHOLE,
    "Bits 31:0 of the operand: a count, a parity, the time limit of a wait for a token.",
);
/// High half of the operand.
pub const DATA_HI: Register = register(
    "data_hi",
    0x08,
    ReadWrite,
    WHOLE,
    "Bits 63:32 of the operand: a token, the time limit of a wait for a parity.",
);
/// Begins an operation.
pub const COMMAND: Register = register(
    "command",
    0x0c,
    WriteOnly,
    COMMAND_FIELDS,
    "Begins an operation with these operands. The bus waits until the operation before it has been answered, but not for a suspended wait.",
);
/// The answer of the last command.
pub const STATUS: Register = register("status", 0x10, ReadOnly, ANSWER_FIELDS, "The answer of the last command.");
/// Low half of what came with it.
pub const RESULT_LO: Register = register(
    "result_lo",
    0x14,
    ReadOnly,
    WHOLE,
    "Bits 31:0 of what came with the answer of the last command: a pending count, a word.",
);
/// High half of what came with it.
pub const RESULT_HI: Register = register(
    "result_hi",
    0x18,
    ReadOnly,
    WHOLE,
    "Bits 63:32 of what came with the answer of the last command: a token, a word.",
);
/// Takes the answer of the last command.
pub const TAKE: Register = register(
    "take",
    0x1c,
    WriteOnly,
    WHOLE,
    "A write of anything takes the answer of the last command. It is an error of the bus if there is none.",
);
/// The answer of the suspended wait.
pub const WAIT: Register = register(
    "wait",
    0x40,
    ReadOnly,
    ANSWER_FIELDS,
    "The answer of the window's suspended wait, whatever has been commanded since. While it is under way, another `try_wait` is done as a \
     `test_wait`.",
);
/// Takes that answer.
pub const WAIT_TAKE: Register = register(
    "wait_take",
    0x44,
    WriteOnly,
    WHOLE,
    "A write of anything takes the answer of the wait. It is an error of the bus if there is none.",
);
/// Which causes interrupt.
pub const INTERRUPT_ENABLE: Register =
    register("interrupt_enable", 0x48, ReadWrite, CAUSE_FIELDS, "Causes for which the window's `irq` is 1.");
/// Which causes there are.
pub const INTERRUPT_CAUSE: Register =
    register("interrupt_cause", 0x4c, ReadOnly, CAUSE_FIELDS, "Causes that there are, enabled or not.");

/// The registers of a window.
pub const WINDOW: &[Register] = &[
    ADDRESS,
    DATA_LO,
    DATA_HI,
    COMMAND,
    STATUS,
    RESULT_LO,
    RESULT_HI,
    TAKE,
    WAIT,
    WAIT_TAKE,
    INTERRUPT_ENABLE,
    INTERRUPT_CAUSE,
];

/// The first byte that a window may touch.
pub const FIRST: Register = register(
    "first",
    0x0,
    ReadWrite,
    WHOLE,
    "Address of the first word that the window may touch. The low three bits count for nothing.",
);
/// The last byte that a window may touch.
pub const LAST: Register = Register {
    reset: u32::MAX,
    ..register(
        "last",
        0x4,
        ReadWrite,
        WHOLE,
        "Address of the last word that the window may touch. Below `first`, it may touch none; counters are above all words.",
    )
};
/// What each window has in the privileged page: window n's at 8 n.
pub const RANGE: &[Register] = &[FIRST, LAST];

/// Windows that interrupt.
pub const PENDING_LO: Register =
    register("pending_lo", 0x800, ReadOnly, WHOLE, "Windows 31 to 0 whose `irq` is 1, a bit each.");
/// Windows that interrupt.
pub const PENDING_HI: Register =
    register("pending_hi", 0x804, ReadOnly, WHOLE, "Windows 63 to 32 whose `irq` is 1, a bit each.");
/// What else the privileged page has.
pub const PRIVILEGED: &[Register] = &[PENDING_LO, PENDING_HI];
