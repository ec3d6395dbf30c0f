//! Reductions: codes of the operations of `red.async` and `cp.reduce.async.bulk` on elements of memory.
//!
//! | bits | meaning |
//! | --- | --- |
//! | 3:0 | operation; 0 is none: the bytes are stored |
//! | 6:4 | type of the elements; 0 if there is no operation |
//!
//! Shared memory is reduced by hardware ([`reducer`](super::reducer)), global memory by the memory system at the cluster's pins.

use crate::copies::messages::reduction;
use crate::hardware;
use crate::hdl::*;

/// Width of a reduction code.
pub const REDUCTION_BITS: usize = 7;
/// Reduction code.
pub type ReductionCode = Bits<REDUCTION_BITS>;
/// Width of an operation's code.
pub const ACTION_BITS: usize = 4;
/// Width of a type's code.
pub const ELEMENT_BITS: usize = 3;

macro_rules! codes {
    ($(#[doc = $doc:literal])* $type:ident, $bits:ident { $($(#[doc = $one:literal])* $name:ident = $code:literal, $ptx:literal;)* }) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum $type {
            $($(#[doc = $one])* $name = $code,)*
        }

        impl $type {
            /// Every value, in the order of the codes.
            pub const ALL: &'static [$type] = &[$($type::$name),*];

            /// Name in PTX.
            pub const fn name(self) -> &'static str {
                match self { $($type::$name => $ptx),* }
            }

            /// Value of a name.
            pub fn named(name: &str) -> Option<$type> {
                Self::ALL.iter().copied().find(|known| known.name() == name)
            }

            /// The code on the wires.
            pub const fn code(self) -> u8 {
                self as u8
            }

            pub(crate) const fn constant(self) -> Bits<$bits> {
                Bits::constant(self as u64)
            }
        }
    };
}

codes! {
    /// Operation on an element: memory and operand give the new memory.
    Action, ACTION_BITS {
        /// Sum; integers wrap.
        Add = 1, "add";
        /// Minimum.
        Min = 2, "min";
        /// Maximum.
        Max = 3, "max";
        /// Increment up to the operand, then zero.
        Inc = 4, "inc";
        /// Decrement down to zero, then the operand.
        Dec = 5, "dec";
        /// Bitwise AND.
        And = 6, "and";
        /// Bitwise OR.
        Or = 7, "or";
        /// Bitwise XOR.
        Xor = 8, "xor";
        /// Sum of `f32`; subnormal operands and sums are flushed to zero. Used by tensor maps of flushed `f32` for `add`.
        AddFtz = 9, "add.ftz";
    }
}

codes! {
    /// Type of the elements. `.b32` and `.b64` are unsigned.
    Element, ELEMENT_BITS {
        /// 32 bits, unsigned.
        U32 = 0, "u32";
        /// 32 bits, signed.
        S32 = 1, "s32";
        /// 64 bits, unsigned.
        U64 = 2, "u64";
        /// 64 bits, signed.
        S64 = 3, "s64";
        /// Floating-point of 16 bits.
        F16 = 4, "f16";
        /// The upper half of an `f32`.
        Bf16 = 5, "bf16";
        /// Floating-point of 32 bits.
        F32 = 6, "f32";
        /// Floating-point of 64 bits.
        F64 = 7, "f64";
    }
}

impl Element {
    /// Bytes of an element.
    pub const fn bytes(self) -> u32 {
        match self {
            Element::F16 | Element::Bf16 => 2,
            Element::U32 | Element::S32 | Element::F32 => 4,
            Element::U64 | Element::S64 | Element::F64 => 8,
        }
    }
}

/// A reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reduction {
    /// Operation.
    pub action: Action,
    /// Type of the elements.
    pub element: Element,
}

impl Reduction {
    /// Every combination, including those that no memory supports.
    pub fn all() -> impl Iterator<Item = Reduction> {
        let of = |action: &Action| Element::ALL.iter().map(|element| (*action, *element)).collect::<Vec<_>>();
        Action::ALL.iter().flat_map(of).map(|(action, element)| Reduction { action, element })
    }

    /// The code on the wires.
    pub const fn code(self) -> u8 {
        self.action.code() | self.element.code() << reduction::ELEMENT
    }

    /// The reduction of a code; none for a store or an undefined code.
    pub fn from_code(code: u64) -> Option<Reduction> {
        Self::all().find(|reduction| u64::from(reduction.code()) == code)
    }

    /// Whether shared memory supports it (PTX ISA 9.7.9.25.5.2, `.shared::cluster`; `red.async` has `add.s64`, too).
    pub const fn is_for_shared(self) -> bool {
        let wide = matches!(self.element, Element::U64 | Element::S64);
        match (self.action, self.element) {
            (_, Element::F16 | Element::Bf16 | Element::F32 | Element::F64) => false,
            (Action::AddFtz, _) => false,
            (Action::Add, _) => true,
            (Action::Min | Action::Max, _) => !wide,
            (_, element) => matches!(element, Element::U32),
        }
    }

    /// Whether global memory supports it (the same chapter, `.global`).
    pub const fn is_for_global(self) -> bool {
        match self.action {
            Action::Add => !matches!(self.element, Element::S64),
            Action::Min | Action::Max => !matches!(self.element, Element::F32 | Element::F64),
            Action::Inc | Action::Dec => matches!(self.element, Element::U32),
            Action::And | Action::Or | Action::Xor => matches!(self.element, Element::U32 | Element::U64),
            Action::AddFtz => matches!(self.element, Element::F32),
        }
    }
}

hardware! {
    /// Lawful: whether a memory supports a reduction. Stores are always supported.
    pub module Lawful = "lawful" {
        /// Reduction code.
        pub code: Signal<In, ReductionCode>,
        /// Supported by shared memory.
        pub in_shared: Signal<Out, Bit>,
        /// Supported by global memory.
        pub in_global: Signal<Out, Bit>,
        /// Operation.
        pub action: Signal<Local, Bits<ACTION_BITS>>,
        /// Type of the elements.
        pub element: Signal<Local, Bits<ELEMENT_BITS>>,
    }
    constants {
        /// Sum.
        ADD: Bits<ACTION_BITS> = Action::Add.constant();
        /// Minimum.
        MIN: Bits<ACTION_BITS> = Action::Min.constant();
        /// Maximum.
        MAX: Bits<ACTION_BITS> = Action::Max.constant();
        /// Increment: this and later operations have fewer types.
        INC: Bits<ACTION_BITS> = Action::Inc.constant();
        /// Bitwise AND: first of the bitwise operations.
        AND: Bits<ACTION_BITS> = Action::And.constant();
        /// Bitwise OR.
        OR: Bits<ACTION_BITS> = Action::Or.constant();
        /// Bitwise XOR: last of the bitwise operations.
        XOR: Bits<ACTION_BITS> = Action::Xor.constant();
        /// Sum with flush of subnormal numbers.
        ADD_FTZ: Bits<ACTION_BITS> = Action::AddFtz.constant();
        /// Type of that sum.
        F32: Bits<ELEMENT_BITS> = Element::F32.constant();
        /// 32 bits, signed: last type of 32 bits.
        S32: Bits<ELEMENT_BITS> = Element::S32.constant();
        /// 64 bits, unsigned.
        U64: Bits<ELEMENT_BITS> = Element::U64.constant();
        /// 64 bits, signed: last integer type.
        S64: Bits<ELEMENT_BITS> = Element::S64.constant();
        /// Last type with minimum and maximum.
        BF16: Bits<ELEMENT_BITS> = Element::Bf16.constant();
    }
    processes { Rule }
}

#[processes]
impl Lawful {
    fn rule(&mut self) {
        self.action.next = self.code.val().get_bits::<ACTION_BITS>(reduction::ACTION);
        self.element.next = self.code.val().get_bits::<ELEMENT_BITS>(reduction::ELEMENT);
        self.in_shared.next = !self.code.val().any();
        self.in_global.next = !self.code.val().any();
        if self.action.val() == ADD {
            self.in_shared.next = S64 >= self.element.val();
            self.in_global.next = self.element.val() != S64;
        }
        if (self.action.val() == MIN) | (self.action.val() == MAX) {
            self.in_shared.next = S32 >= self.element.val();
            self.in_global.next = BF16 >= self.element.val();
        }
        if self.action.val() == ADD_FTZ {
            self.in_global.next = self.element.val() == F32;
        }
        if (self.action.val() >= INC) & (XOR >= self.action.val()) {
            self.in_shared.next = !self.element.val().any();
            self.in_global.next = !self.element.val().any();
            if (self.action.val() >= AND) & (self.element.val() == U64) {
                self.in_global.next = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_judged() {
        let mut lawful = Lawful::default();
        for code in 0..1 << REDUCTION_BITS {
            lawful.code.next = code.into();
            lawful.settle();
            let reduction = Reduction::from_code(code);
            let does = |rule: fn(Reduction) -> bool| code == 0 || reduction.is_some_and(rule);
            assert_eq!(lawful.in_shared.val(), does(Reduction::is_for_shared), "{reduction:?} in shared memory");
            assert_eq!(lawful.in_global.val(), does(Reduction::is_for_global), "{reduction:?} in global memory");
        }
    }

    #[test]
    fn there_are_thirteen_in_shared_memory() {
        assert_eq!(Reduction::all().filter(|reduction| reduction.is_for_shared()).count(), 13);
        assert_eq!(Reduction::all().filter(|reduction| reduction.is_for_global()).count(), 28);
    }
}
