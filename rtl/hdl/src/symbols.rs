//! Symbolic widths: widths with a name, fixed when a design is elaborated.

/// Widths from here on are codes of symbols, not numbers of bits.
pub const SYMBOLIC: usize = 1000;

/// The widths that a design is elaborated with.
pub trait Widths {
    /// The width in bits that the symbol with this code stands for.
    ///
    /// # Panics
    /// The design has no such symbol, or no use for it.
    fn of_symbol(&self, code: usize) -> usize;

    /// The width of a `Bits<N>`: `N` itself, or what it stands for.
    fn of_type(&self, n: usize) -> usize {
        if n < SYMBOLIC { n } else { self.of_symbol(n) }
    }
}

/// Widths of a design without symbols.
impl Widths for () {
    fn of_symbol(&self, code: usize) -> usize {
        unreachable!("width {code}: the design has no symbols")
    }
}

/// Declares the symbols of a design, once for all its blocks: of each its name, its code, which stands for the width in
/// `Bits<N>`, slices and casts, and what has that width.
///
/// ```
/// use txbar_hdl::*;
///
/// symbols! {
///     /// One bit a switch.
///     Switches, SWITCHES, SwitchMask;
///     /// Number of a switch.
///     SwitchIndex, SWITCH_INDEX, SwitchIndex;
/// }
///
/// struct Panel {
///     switches: usize,
/// }
///
/// impl Widths for Panel {
///     fn of_symbol(&self, code: usize) -> usize {
///         match Symbol::from_code(code) {
///             Symbol::Switches => self.switches,
///             Symbol::SwitchIndex => self.switches.next_power_of_two().ilog2() as usize,
///         }
///     }
/// }
///
/// let pressed: Signal<In, SwitchMask> = Signal::default();
/// assert_eq!(pressed.val(), 0);
/// assert_eq!(Panel { switches: 6 }.of_type(SWITCH_INDEX), 3);
/// ```
#[macro_export]
macro_rules! symbols {
    ($($(#[doc = $doc:literal])* $symbol:ident, $code:ident, $value:ident;)*) => {
        /// A width that is fixed when a design is elaborated: the width of every `Bits` whose `N` names it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Symbol {
            $($(#[doc = $doc])* $symbol,)*
        }

        impl Symbol {
            /// The `N` that stands for this width in `Bits<N>`.
            pub const fn code(self) -> usize {
                $crate::SYMBOLIC + self as usize
            }

            /// The symbol with this code.
            ///
            /// # Panics
            /// There is none.
            pub fn from_code(code: usize) -> Symbol {
                [$(Symbol::$symbol),*][code - $crate::SYMBOLIC]
            }
        }

        $(
            #[doc = concat!("Width code of [`", stringify!($value), "`], for slices and casts.")]
            pub const $code: usize = Symbol::$symbol.code();
            $(#[doc = $doc])*
            pub type $value = $crate::Bits<$code>;
        )*
    };
}
