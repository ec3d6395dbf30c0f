//! The element types of tensor maps.

/// An element type, as `cuTensorMapEncodeTiled` takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Element {
    U8,
    U16,
    U32,
    S32,
    U64,
    S64,
    F16,
    F32,
    F64,
    Bf16,
    /// Subnormal numbers are flushed to zero.
    F32Ftz,
    /// Loads round to the 19 bits of tf32.
    Tf32,
    /// Both.
    Tf32Ftz,
}

impl Element {
    /// All of them, in the order of the driver's enumeration.
    pub const ALL: [Element; 13] = {
        use Element::*;
        [U8, U16, U32, S32, U64, S64, F16, F32, F64, Bf16, F32Ftz, Tf32, Tf32Ftz]
    };

    /// Name in recordings.
    pub const fn name(self) -> &'static str {
        match self {
            Element::U8 => "u8",
            Element::U16 => "u16",
            Element::U32 => "u32",
            Element::S32 => "s32",
            Element::U64 => "u64",
            Element::S64 => "s64",
            Element::F16 => "f16",
            Element::F32 => "f32",
            Element::F64 => "f64",
            Element::Bf16 => "bf16",
            Element::F32Ftz => "f32_ftz",
            Element::Tf32 => "tf32",
            Element::Tf32Ftz => "tf32_ftz",
        }
    }

    /// The type of a name.
    pub fn named(name: &str) -> Option<Element> {
        Element::ALL.into_iter().find(|element| element.name() == name)
    }

    /// Bytes of an element: 1, 2, 4 or 8.
    pub const fn bytes(self) -> u64 {
        match self {
            Element::U8 => 1,
            Element::U16 | Element::F16 | Element::Bf16 => 2,
            Element::U64 | Element::S64 | Element::F64 => 8,
            _ => 4,
        }
    }

    /// Whether it is one of floating point.
    pub const fn is_float(self) -> bool {
        !matches!(self, Element::U8 | Element::U16 | Element::U32 | Element::S32 | Element::U64 | Element::S64)
    }

    /// Whether loads round it to tf32.
    pub const fn rounds(self) -> bool {
        matches!(self, Element::Tf32 | Element::Tf32Ftz)
    }

    /// Whether subnormal numbers are flushed.
    pub const fn flushes(self) -> bool {
        matches!(self, Element::F32Ftz | Element::Tf32Ftz)
    }

    /// Bits 10:7 of word 1 of a map.
    pub(super) const fn code(self) -> u64 {
        match self {
            Element::U8 => 0,
            Element::U16 => 1,
            Element::U32 => 2,
            Element::S32 => 3,
            Element::U64 => 4,
            Element::S64 => 5,
            Element::F16 => 6,
            Element::F32 | Element::Tf32 => 7,
            Element::F32Ftz | Element::Tf32Ftz => 8,
            Element::F64 => 9,
            Element::Bf16 => 10,
        }
    }

    /// The type of a code and of bit 16 of word 1 (rounded to tf32), which only f32 may have.
    pub(super) fn of_code(code: u64, rounds: bool) -> Option<Element> {
        Element::ALL.into_iter().find(|element| element.code() == code && element.rounds() == rounds)
    }
}
