//! Registry of the constants and enum codes that kernels use. The printer looks them up by how the kernel spells them.

use std::collections::BTreeMap;
use std::fmt::Debug;

/// Codes that have names, such as the states of a machine: an enum, made known to kernels by [`codes!`](crate::codes).
pub trait Codes: Copy + Debug + 'static {
    /// The enum's name.
    const KIND: &'static str;
    /// Width of a code in bits.
    const BITS: usize;
    /// Every one of them.
    const ALL: &'static [Self];
    /// Its name, in small letters: Verilog has `KIND_NAME`, in capitals.
    fn name(self) -> &'static str;
    /// Code.
    fn code(self) -> u64;
}

/// Makes enums known to kernels, which then compare with their variants and assign them. Such an enum has `BITS`, `ALL`,
/// `name()` and `code()`.
#[macro_export]
macro_rules! codes {
    ($($kind:ident),* $(,)?) => {$(
        impl $crate::Codes for $kind {
            const KIND: &'static str = stringify!($kind);
            const BITS: usize = $kind::BITS;
            const ALL: &'static [Self] = $kind::ALL;
            fn name(self) -> &'static str {
                $kind::name(self)
            }
            #[inline(always)]
            fn code(self) -> u64 {
                u64::from($kind::code(self))
            }
        }
        /// Kernels name the code, and the Verilog shows the name.
        impl From<$kind> for $crate::Bits<{ $kind::BITS }> {
            #[inline(always)]
            fn from(kind: $kind) -> Self {
                u64::from($kind::code(kind)).into()
            }
        }
        impl PartialEq<$kind> for $crate::Bits<{ $kind::BITS }> {
            #[inline(always)]
            fn eq(&self, kind: &$kind) -> bool {
                self.raw() == u64::from($kind::code(*kind))
            }
        }
    )*};
}

/// Constants as [`Names::numbers`] takes them: each with how it is spelled.
#[macro_export]
macro_rules! numbers {
    ($($number:expr),* $(,)?) => { &[$((stringify!($number), $number)),*] };
}

/// A code as the Verilog has it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Code {
    /// Name of the `localparam`.
    pub name: String,
    /// Width in bits.
    pub width: usize,
    /// Value.
    pub value: u64,
}

/// The names of a design.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// What the names of the design's macros begin with in its Verilog: `NAME_ECP5` chooses primitives of the ECP5.
    pub macros: &'static str,
    numbers: BTreeMap<String, usize>,
    codes: BTreeMap<String, Code>,
}

/// How the syntax tree spells what a kernel spells `path::NAME.field`.
fn in_tree(spelled: &str) -> String {
    spelled.replace("::", "$").replace('.', "$").replace(' ', "")
}

impl Names {
    /// No names, but for what those of macros begin with.
    pub fn new(macros: &'static str) -> Self {
        Self { macros, ..Self::default() }
    }

    /// A number, as kernels spell it: `path::NAME` or `path::NAME.field`.
    ///
    /// # Panics
    /// Another number is spelled the same.
    pub fn number(&mut self, spelled: &str, value: usize) {
        let other = self.numbers.insert(in_tree(spelled), value);
        assert!(other.is_none_or(|other| other == value), "`{spelled}` is {value}, and {other:?}");
    }

    /// Several numbers.
    ///
    /// # Panics
    /// As [`Names::number`].
    pub fn numbers(&mut self, numbers: &[(&str, usize)]) {
        numbers.iter().for_each(|(spelled, value)| self.number(spelled, *value));
    }

    /// Every code of a kind, as kernels spell it: `Kind::Variant`. The kind's width, `Kind::BITS`, is a number.
    pub fn codes<C: Codes>(&mut self) {
        self.number(&format!("{}::BITS", C::KIND), C::BITS);
        for code in C::ALL {
            let name = format!("{}_{}", C::KIND, code.name()).to_uppercase();
            let code_of = Code { name, width: C::BITS, value: code.code() };
            self.codes.insert(in_tree(&format!("{}::{code:?}", C::KIND)), code_of);
        }
    }

    /// The number that a syntax tree spells so.
    pub(crate) fn find_number(&self, spelled: &str) -> Option<usize> {
        self.numbers.get(spelled).copied()
    }

    /// The code that a syntax tree spells so.
    pub(crate) fn find_code(&self, spelled: &str) -> Option<&Code> {
        self.codes.get(spelled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    mod frame {
        pub const LENGTH: usize = 12;
    }

    #[test]
    fn numbers_are_found_as_the_syntax_tree_spells_them() {
        let mut names = Names::default();
        names.numbers(numbers![frame::LENGTH, usize::BITS as usize]);
        names.number("frame::HEAD.lsb", 3);
        assert_eq!(names.find_number("frame$LENGTH"), Some(12));
        assert_eq!(names.find_number("frame$HEAD$lsb"), Some(3));
        assert_eq!(names.find_number("frame$TAIL"), None);
    }

    #[test]
    #[should_panic = "`frame::LENGTH` is 13, and Some(12)"]
    fn a_name_has_one_value() {
        let mut names = Names::default();
        names.numbers(numbers![frame::LENGTH]);
        names.number("frame::LENGTH", 13);
    }
}
