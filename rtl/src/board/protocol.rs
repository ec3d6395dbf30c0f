//! Protocol between a host and the bridge over a serial line: frames, their fields, their checksum.
//!
//! Defined here once: the hardware takes its bit positions from this file, the host its encoding, and `docs/board.md` its
//! tables. Bytes are framed as RFC 1662 frames them, with its checksum (FCS-16):
//!
//! ```text
//!   7e   content, 18 bytes to the bridge or 12 from it   checksum, low byte first   7e
//!        7d and 7e within are sent as 7d 5d and 7d 5e
//! ```
//! **Numbers.** A request carries a number, one more than that of the request before it, modulo 256. The bridge does a request
//! only if it has the number that is due, and keeps the last [`WINDOW`] answers: a request that comes again is answered
//! again and not done again. So a host may send up to [`WINDOW`] requests before their answers, and whatever has been lost
//! or damaged it sends again.

/// Flag between frames.
pub const FLAG: u8 = 0x7e;
/// Escape: the next byte has [`ESCAPED_BIT`] inverted.
pub const ESCAPE: u8 = 0x7d;
/// Bits inverted in an escaped byte.
pub const ESCAPED_BIT: u8 = 0x20;
/// Initial value of the checksum.
pub const CHECKSUM_BEGIN: u16 = 0xffff;
/// Polynomial of the checksum, x^16 + x^12 + x^5 + 1, lowest power in the highest bit.
pub const CHECKSUM_POLYNOMIAL: u16 = 0x8408;
/// Checksum over a valid frame including its checksum, which is sent inverted.
pub const CHECKSUM_GOOD: u16 = 0xf0b8;

/// Version of the protocol; the bridge reports it in its identity.
pub const VERSION: u8 = 1;
/// Width of a slot number, the low part of a request's number.
pub const SLOT_BITS: usize = 4;
/// Requests that may be in flight.
pub const WINDOW: usize = 1 << SLOT_BITS;
/// Width of a thread's number.
pub const THREAD_BITS: usize = 4;
/// Width of a tag: a thread's number, and below it a slot.
pub const TAG_BITS: usize = THREAD_BITS + SLOT_BITS;

/// A field of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name.
    pub name: &'static str,
    /// Lowest bit, counted from the first byte of the content.
    pub lsb: usize,
    /// Width in bits.
    pub bits: usize,
    /// Description of the contents.
    pub holds: &'static str,
}

impl Field {
    /// Value of the field in a content.
    pub fn of(&self, content: &[u8]) -> u64 {
        (0..self.bits).fold(0, |value, bit| {
            let position = self.lsb + bit;
            value | u64::from(content[position / 8] >> (position % 8) & 1) << bit
        })
    }

    /// Writes a value into a content whose field is zero.
    pub fn put(&self, content: &mut [u8], value: u64) {
        debug_assert!(self.bits == 64 || value < 1 << self.bits, "{} has {} bits", self.name, self.bits);
        for bit in 0..self.bits {
            let position = self.lsb + bit;
            content[position / 8] |= ((value >> bit & 1) as u8) << (position % 8);
        }
    }
}

macro_rules! frames {
    ($($(#[doc = $doc:literal])* $module:ident($bytes:literal) {
        $($(#[doc = $holds:literal])* $name:ident = $byte:literal . $bit:literal, $bits:literal, $text:literal;)*
    })*) => {
        $(
            $(#[doc = $doc])*
            pub mod $module {
                use super::Field;
                /// Length of the content in bytes.
                pub const BYTES: usize = $bytes;
                /// Fields, in order.
                pub const FIELDS: &[Field] = &[$(Field {
                    name: $text, lsb: 8 * $byte + $bit, bits: $bits, holds: concat!($($holds),*).trim_ascii(),
                }),*];
                $($(#[doc = $holds])* pub const $name: usize = 8 * $byte + $bit;)*

                /// The field of this name.
                ///
                /// # Panics
                /// There is none.
                pub fn field(name: &str) -> &'static Field {
                    FIELDS.iter().find(|field| field.name == name).expect("the field is one of the list")
                }
            }
        )*

        /// Every lowest bit by its name, as kernels spell it.
        pub const NUMBERS: &[(&str, usize)] =
            &[("protocol::SLOT_BITS", SLOT_BITS), $($((concat!(stringify!($module), "::", stringify!($name)), $module::$name),)*)*];
    };
}

frames! {
    /// Frame from the host to the bridge.
    question(18) {
        /// Number of the request; an `identify` sets the expected number to the one after its own.
        NUMBER = 0 . 0, 8, "number";
        /// Kind of the frame.
        KIND = 1 . 0, 8, "kind";
        /// Opcode.
        OP = 2 . 0, 5, "op";
        /// Request treated as another CTA's.
        REMOTE = 2 . 7, 1, "remote";
        /// Memory ordering: acquire, release, of the cluster, from the lowest bit on.
        ORDER = 3 . 0, 3, "order";
        /// Port of the request.
        PORT = 3 . 4, 3, "port";
        /// Number of the thread.
        THREAD = 4 . 0, 4, "thread";
        /// Byte enables of a store.
        STROBE = 5 . 0, 8, "strobe";
        /// Byte address.
        ADDRESS = 6 . 0, 32, "address";
        /// Operand, token, or the data of a store.
        DATA = 10 . 0, 64, "data";
    }
    /// Frame from the bridge to the host.
    reply(12) {
        /// Number of the answered request; otherwise the expected number.
        NUMBER = 0 . 0, 8, "number";
        /// Kind of the frame.
        KIND = 1 . 0, 8, "kind";
        /// Status, of an answer.
        STATUS = 2 . 0, 5, "status";
        /// Predicate of a wait.
        PREDICATE = 2 . 5, 1, "predicate";
        /// The wait was suspended.
        RESUMED = 2 . 6, 1, "resumed";
        /// Acknowledgement of a posted request; no data.
        POSTED = 2 . 7, 1, "posted";
        /// Tag returned by the unit: the thread, and below it the lowest bits of the number.
        TAG = 3 . 0, 8, "tag";
        /// Token, word or pending count; the identity of the bridge, in an `identity`.
        DATA = 4 . 0, 64, "data";
    }
    /// Identity of a bridge: the data of an `identity`.
    identity(8) {
        /// Version of the protocol.
        VERSION = 0 . 0, 8, "version";
        /// Request ports.
        PORTS = 1 . 0, 4, "ports";
        /// Logarithm of the number of banks.
        BANKS = 1 . 4, 4, "log2 banks";
        /// Logarithm of the number of words.
        WORDS = 2 . 0, 5, "log2 words";
        /// Events are counted.
        COUNTERS = 2 . 5, 1, "counters";
        /// Checked mode.
        CHECKED = 2 . 6, 1, "checked";
        /// Waits that may be suspended.
        WAITERS = 3 . 0, 7, "waiters";
        /// Period of the clock in nanoseconds.
        CLOCK_NS = 4 . 0, 10, "clock ns";
        /// The letters `tb`.
        MARK = 6 . 0, 16, "mark";
    }
}

/// Letters that mark an identity.
pub const MARK: u64 = u16::from_le_bytes(*b"tb") as u64;

macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $name:ident { $($(#[doc = $meaning:literal])* $kind:ident = $code:literal, $text:literal;)* })*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum $name {
            $($(#[doc = $meaning])* $kind = $code,)*
        }

        impl $name {
            /// Every kind, in the order of the codes.
            pub const ALL: &'static [$name] = &[$($name::$kind),*];

            /// Name.
            pub const fn name(self) -> &'static str {
                match self { $($name::$kind => $text),* }
            }

            /// One sentence for users.
            pub const fn meaning(self) -> &'static str {
                match self { $($name::$kind => concat!($($meaning),*).trim_ascii()),* }
            }

            /// Code in a frame.
            pub const fn code(self) -> u8 {
                self as u8
            }

            /// The kind of a code, if it has one.
            pub fn from_code(code: u64) -> Option<Self> {
                Self::ALL.iter().copied().find(|kind| u64::from(kind.code()) == code)
            }
        }
    )*};
}

kinds! {
    /// Kind of a frame from the host.
    Question {
        /// Reset the numbers and report the parameters. Served when all earlier requests have been answered.
        Identify = 1, "identify";
        /// Perform this request.
        Request = 2, "request";
    }
    /// Kind of a frame from the bridge.
    Reply {
        /// Identity of the bridge.
        Identity = 1, "identity";
        /// Answer of the request; acknowledgement if it was posted.
        Answer = 2, "answer";
        /// The frame was invalid, damaged, or too early; nothing was done.
        Damaged = 3, "damaged";
        /// The number is neither the expected one nor one of the last answered; nothing was done.
        Gap = 4, "gap";
    }
}

/// The checksum after one more byte.
pub const fn checksum_step(before: u16, byte: u8) -> u16 {
    let mut sum = before ^ byte as u16;
    let mut bit = 0;
    while bit < 8 {
        sum = if sum & 1 != 0 { sum >> 1 ^ CHECKSUM_POLYNOMIAL } else { sum >> 1 };
        bit += 1;
    }
    sum
}

/// Checksum of a content, as sent.
pub fn checksum(content: &[u8]) -> u16 {
    !content.iter().fold(CHECKSUM_BEGIN, |sum, byte| checksum_step(sum, *byte))
}

/// Bytes of a content on the line: with flags, escapes and checksum.
pub fn framed(content: &[u8]) -> Vec<u8> {
    let mut line = vec![FLAG];
    for byte in content.iter().copied().chain(checksum(content).to_le_bytes()) {
        if byte == FLAG || byte == ESCAPE {
            line.extend([ESCAPE, byte ^ ESCAPED_BIT]);
        } else {
            line.push(byte);
        }
    }
    line.push(FLAG);
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_rfc_1662() {
        // the check value of CRC-16/IBM-SDLC, as this checksum is called in catalogues
        assert_eq!(checksum(b"123456789"), 0x906e);
        let whole = [b"123456789".as_slice(), &0x906e_u16.to_le_bytes()].concat();
        assert_eq!(whole.iter().fold(CHECKSUM_BEGIN, |sum, byte| checksum_step(sum, *byte)), CHECKSUM_GOOD);
    }

    #[test]
    fn fields_lie_within_their_frames_and_apart() {
        for (fields, bytes) in
            [(question::FIELDS, question::BYTES), (reply::FIELDS, reply::BYTES), (identity::FIELDS, identity::BYTES)]
        {
            let mut seen = vec![false; 8 * bytes];
            for field in fields {
                for bit in &mut seen[field.lsb..field.lsb + field.bits] {
                    assert!(!std::mem::replace(bit, true), "{} overlaps", field.name);
                }
            }
        }
    }

    #[test]
    fn a_field_is_found_where_it_was_put() {
        let mut content = [0; question::BYTES];
        question::field("op").put(&mut content, 0x15);
        question::field("data").put(&mut content, 0x0123_4567_89ab_cdef);
        assert_eq!(content[2], 0x15);
        assert_eq!(content[10..], 0x0123_4567_89ab_cdef_u64.to_le_bytes());
        assert_eq!(question::field("data").of(&content), 0x0123_4567_89ab_cdef);
        assert_eq!(question::field("remote").of(&content), 0);
    }

    #[test]
    fn flags_and_escapes_do_not_stand_within_a_frame() {
        let line = framed(&[FLAG, 1, ESCAPE]);
        assert_eq!(line[..6], [FLAG, ESCAPE, 0x5e, 1, ESCAPE, 0x5d]);
        assert_eq!(line.last(), Some(&FLAG));
        assert!(line[1..line.len() - 1].iter().all(|byte| *byte != FLAG));
    }
}
