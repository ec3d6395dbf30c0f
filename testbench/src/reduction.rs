//! Reductions of whole blocks, by the rule for one element ([`Operation::apply`]): what the memories of the testbench do.

use crate::tensor::element::Element;
use crate::tensor::number;
use crate::tensor::reduce::Operation;
use txbar_rtl::copies::reduction::{Action, Reduction};

/// The rule for an element of a reduction.
fn rule(reduction: Reduction) -> Option<(Operation, Element)> {
    if reduction.action == Action::AddFtz {
        return Some((Operation::Add, Element::F32Ftz));
    }
    Some((Operation::named(reduction.action.name())?, Element::named(reduction.element.name())?))
}

/// What becomes of bytes in memory: `operand` is stored, or combined with them element by element; only bytes of the strobe,
/// and only elements that are whole. `reduction` is its code on the wires.
pub fn reduce(reduction: u8, memory: &mut [u8], operand: &[u8], strobe: u64) {
    let written = |range: std::ops::Range<usize>| range.into_iter().all(|byte| strobe >> byte & 1 != 0);
    let Some((operation, element)) = Reduction::from_code(reduction.into()).and_then(rule) else {
        for byte in (0..memory.len()).filter(|&byte| written(byte..byte + 1)) {
            memory[byte] = operand[byte];
        }
        return;
    };
    let bytes = element.bytes() as usize;
    for at in (0..memory.len()).step_by(bytes).filter(|&at| written(at..at + bytes)) {
        let left = operation.apply(element, number(&memory[at..at + bytes]), number(&operand[at..at + bytes]));
        memory[at..at + bytes].copy_from_slice(&left.to_le_bytes()[..bytes]);
    }
}

/// The same for a word and eight bits of a strobe.
pub fn reduce_word(reduction: u8, memory: u64, operand: u64, strobe: u8) -> u64 {
    let mut bytes = memory.to_le_bytes();
    reduce(reduction, &mut bytes, &operand.to_le_bytes(), strobe.into());
    u64::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use txbar_rtl::copies::reduction::Element as Type;

    #[test]
    fn elements_are_combined_one_by_one() {
        let code = |action, element| Reduction { action, element }.code();
        assert_eq!(reduce_word(0, 0x1111_1111_1111_1111, 0x2222_2222_2222_2222, 0x0f), 0x1111_1111_2222_2222);
        let add = code(Action::Add, Type::U32);
        assert_eq!(reduce_word(add, 0x0000_0001_ffff_ffff, 0x0000_0002_0000_0001, 0xff), 0x0000_0003_0000_0000);
        assert_eq!(reduce_word(add, 0x0000_0001_ffff_ffff, 0x0000_0002_0000_0001, 0xf0), 0x0000_0003_ffff_ffff);
        let wide = code(Action::Add, Type::U64);
        assert_eq!(reduce_word(wide, 0x0000_0001_ffff_ffff, 1, 0xff), 0x0000_0002_0000_0000);
        // 1.0 + 2.0 = 3.0 in each quarter
        // a subnormal operand counts as zero, and is left where it is if sums flush nothing
        let (sum, flushed) = (code(Action::Add, Type::F32), code(Action::AddFtz, Type::F32));
        assert_eq!(reduce_word(sum, 0x0000_0001_3f80_0000, 0x0000_0002_0000_0001, 0xff), 0x0000_0003_3f80_0000);
        assert_eq!(reduce_word(flushed, 0x0000_0001_3f80_0000, 0x0000_0002_0000_0001, 0xff), 0x0000_0000_3f80_0000);
        let half = code(Action::Add, Type::F16);
        assert_eq!(reduce_word(half, 0x3c00_3c00_3c00_3c00, 0x4000_4000_4000_4000, 0xff), 0x4200_4200_4200_4200);
    }

    #[test]
    fn every_reduction_has_a_rule() {
        for reduction in Reduction::all() {
            let (operation, element) = rule(reduction).expect("it has names that are known");
            let global = operation.takes(element);
            assert!(!reduction.is_for_global() || global, "{reduction:?}");
        }
    }
}
