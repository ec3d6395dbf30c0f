//! Operator: what a tensor reduction does with the elements of a map.
//!
//! **What.** The instruction names the operation, the map the type of the elements. Both together are the code of a
//! [reduction](crate::copies::reduction) of global memory, if there is such a reduction: there is no `min` of `f32`, and none at all of `u8`. Operations on bits
//! take `s32` as `u32`. Sums of flushed `f32` are an operation of their own.
//!
//! ```text
//!   action ──┬──────────► code ──► lawful ──► is_defined
//!   element ─┴─ type ──►
//! ```
//! **Timing.** All outputs follow the inputs in the same cycle.

use crate::copies::messages::reduction;
use crate::copies::reduction::{ACTION_BITS, Action, ELEMENT_BITS, Element, Lawful, REDUCTION_BITS, ReductionCode};
use crate::hardware;
use crate::hdl::*;

hardware! {
    /// Operator: the reduction of an operation and of a map's elements.
    pub module Operator = "tensor_operator" {
        /// The operation; 0 stores.
        pub action: Signal<In, Bits<ACTION_BITS>>,
        /// Element type of the map.
        pub element: Signal<In, Bits<4>>,
        /// The reduction; 0 stores.
        pub code: Signal<Out, ReductionCode>,
        /// There is one, or the bytes are stored.
        pub is_defined: Signal<Out, Bit>,

        /// Whether memory does it.
        pub lawful: Lawful,
        /// The operation on the wires.
        pub does: Signal<Local, Bits<ACTION_BITS>>,
        /// The type on the wires.
        pub kind: Signal<Local, Bits<ELEMENT_BITS>>,
        /// The element type has reductions at all.
        pub reduces: Signal<Local, Bit>,
    }
    constants {
        /// Sum.
        ADD: Bits<ACTION_BITS> = Action::Add.constant();
        /// Sum that flushes.
        ADD_FTZ: Bits<ACTION_BITS> = Action::AddFtz.constant();
        /// The first operation on bits.
        AND: Bits<ACTION_BITS> = Action::And.constant();
        /// 32 bits, unsigned.
        U32: Bits<ELEMENT_BITS> = Element::U32.constant();
        /// 32 bits, signed.
        S32: Bits<ELEMENT_BITS> = Element::S32.constant();
        /// 64 bits, unsigned.
        U64: Bits<ELEMENT_BITS> = Element::U64.constant();
        /// 64 bits, signed.
        S64: Bits<ELEMENT_BITS> = Element::S64.constant();
        /// Floating-point of 16 bits.
        F16: Bits<ELEMENT_BITS> = Element::F16.constant();
        /// The upper half of an `f32`.
        BF16: Bits<ELEMENT_BITS> = Element::Bf16.constant();
        /// Floating-point of 32 bits.
        F32: Bits<ELEMENT_BITS> = Element::F32.constant();
        /// Floating-point of 64 bits.
        F64: Bits<ELEMENT_BITS> = Element::F64.constant();
    }
    processes { Name, Judge }
}

#[processes]
impl Operator {
    fn name(&mut self) {
        // u8 0, u16 1, u32 2, s32 3, u64 4, s64 5, f16 6, f32 7, f32 flushed 8, f64 9, bf16 10
        self.reduces.next = (self.element.val() >= bits::<4>(2)) & (bits::<4>(10) >= self.element.val());
        self.does.next = self.action.val();
        self.kind.next = U32;
        if self.element.val() == 3 {
            self.kind.next = S32;
            if self.action.val() >= AND {
                self.kind.next = U32;
            }
        }
        if self.element.val() == 4 {
            self.kind.next = U64;
        }
        if self.element.val() == 5 {
            self.kind.next = S64;
        }
        if self.element.val() == 6 {
            self.kind.next = F16;
        }
        if self.element.val() == 7 {
            self.kind.next = F32;
        }
        if self.element.val() == 8 {
            self.kind.next = F32;
            if self.action.val() == ADD {
                self.does.next = ADD_FTZ;
            }
        }
        if self.element.val() == 9 {
            self.kind.next = F64;
        }
        if self.element.val() == 10 {
            self.kind.next = BF16;
        }
        self.lawful.code.next = 0.into();
        if self.action.val().any() {
            self.lawful.code.next = (bit_cast::<REDUCTION_BITS, ACTION_BITS>(self.does.val()) << reduction::ACTION)
                | (bit_cast::<REDUCTION_BITS, ELEMENT_BITS>(self.kind.val()) << reduction::ELEMENT);
        }
    }

    fn judge(&mut self) {
        self.code.next = self.lawful.code.val();
        self.is_defined.next = self.lawful.in_global.val() & (self.reduces.val() | !self.action.val().any());
    }
}
