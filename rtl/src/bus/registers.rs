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

/// Positions of fields, as kernels name them.
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
    field("op", 0, 5, "Opcode. A write to this byte starts the operation."),
    field("order", ORDER, 3, "Memory ordering: acquire (bit 0), release (bit 1), of the cluster (bit 2)."),
    field("label", LABEL, 8, "Any number, returned with the answer."),
    field("strobe", STROBE, 8, "Byte enables of a store."),
];

const ANSWER_FIELDS: &[Field] = &[
    field("status", 0, 5, "Status of the unit; `out_of_range` for a word outside the window's range."),
    field("predicate", PREDICATE, 1, "Predicate of a wait: the phase has completed."),
    field("resumed", RESUMED, 1, "The wait was suspended."),
    field("label", LABEL, 8, "The label of the command."),
    field("busy", BUSY, 1, "The operation is in progress."),
    field("answered", ANSWERED, 1, "The answer is available and not taken yet."),
];

const CAUSE_FIELDS: &[Field] = &[
    field("answer", 0, 1, "The answer of an operation other than a suspended wait is available and not taken yet."),
    field("wait", 1, 1, "The answer of a suspended wait is available and not taken yet."),
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
/// Starts an operation.
pub const COMMAND: Register = register(
    "command",
    0x0c,
    WriteOnly,
    COMMAND_FIELDS,
    "Starts an operation with these operands. The bus stalls until the operation before it has been answered, but not for a suspended wait.",
);
/// Answer of the last command.
pub const STATUS: Register = register("status", 0x10, ReadOnly, ANSWER_FIELDS, "Answer of the last command.");
/// Low half of the result.
pub const RESULT_LO: Register =
    register("result_lo", 0x14, ReadOnly, WHOLE, "Bits 31:0 of the last command's result: a pending count, a word.");
/// High half of the result.
pub const RESULT_HI: Register =
    register("result_hi", 0x18, ReadOnly, WHOLE, "Bits 63:32 of the last command's result: a token, a word.");
/// Takes the answer of the last command.
pub const TAKE: Register = register(
    "take",
    0x1c,
    WriteOnly,
    WHOLE,
    "A write of any value takes the answer of the last command. Bus error if there is none.",
);
/// Answer of the suspended wait.
pub const WAIT: Register = register(
    "wait",
    0x40,
    ReadOnly,
    ANSWER_FIELDS,
    "Answer of the window's suspended wait, whatever the commands since. While the wait is in progress, another `try_wait` is performed as a \
     `test_wait`.",
);
/// Takes the answer of the suspended wait.
pub const WAIT_TAKE: Register = register(
    "wait_take",
    0x44,
    WriteOnly,
    WHOLE,
    "A write of any value takes the answer of the wait. Bus error if there is none.",
);
/// Enabled interrupt causes.
pub const INTERRUPT_ENABLE: Register =
    register("interrupt_enable", 0x48, ReadWrite, CAUSE_FIELDS, "Causes for which the window's `irq` is 1.");
/// Active interrupt causes.
pub const INTERRUPT_CAUSE: Register =
    register("interrupt_cause", 0x4c, ReadOnly, CAUSE_FIELDS, "Active causes, enabled or not.");

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

/// First word that a window may access.
pub const FIRST: Register = register(
    "first",
    0x0,
    ReadWrite,
    WHOLE,
    "Address of the first word that the window may access. The low three bits are ignored.",
);
/// Last word that a window may access.
pub const LAST: Register = Register {
    reset: u32::MAX,
    ..register(
        "last",
        0x4,
        ReadWrite,
        WHOLE,
        "Address of the last word that the window may access; below `first`, it may access none. Counters are above all words.",
    )
};
/// Registers of each window in the privileged page, at 8 n for window n.
pub const RANGE: &[Register] = &[FIRST, LAST];

/// Windows that interrupt.
pub const PENDING_LO: Register =
    register("pending_lo", 0x800, ReadOnly, WHOLE, "Windows 31 to 0 whose `irq` is 1, one bit each.");
/// Windows that interrupt.
pub const PENDING_HI: Register =
    register("pending_hi", 0x804, ReadOnly, WHOLE, "Windows 63 to 32 whose `irq` is 1, one bit each.");
/// Further registers of the privileged page.
pub const PRIVILEGED: &[Register] = &[PENDING_LO, PENDING_HI];
