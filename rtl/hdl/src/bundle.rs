//! Bundles: signals that travel together, and connections between them.

use super::part::{Name, Part, Visitor};
use super::signal::{Carrier, Direction, Register, RegisterKind, Signal, ViewAs, Way};
use super::{Bit, Bits, Lanes, Value};
use std::ops::{Deref, DerefMut, Index, IndexMut};

/// What a field of a bundle can be: a value, an array of some, or another bundle.
pub trait Carried {
    /// What carries it in a direction.
    type Wires<D: Direction, V: ViewAs>: Part + Clone + Default;
    /// See [`Connect::along`].
    fn along<D: Direction, E: Direction, V: ViewAs>(to: &mut Self::Wires<D, V>, from: &Self::Wires<E, V>);
    /// See [`Connect::against`].
    #[inline(always)]
    fn against<D: Direction, E: Direction, V: ViewAs>(_to: &mut Self::Wires<D, V>, _from: &Self::Wires<E, V>) {}
}

impl Carried for Bit {
    type Wires<D: Direction, V: ViewAs> = D::Carrier<Bit, V>;
    #[inline(always)]
    fn along<D: Direction, E: Direction, V: ViewAs>(to: &mut Self::Wires<D, V>, from: &Self::Wires<E, V>) {
        to.drive(from.shown());
    }
}
impl<const N: usize> Carried for Bits<N> {
    type Wires<D: Direction, V: ViewAs> = D::Carrier<Bits<N>, V>;
    #[inline(always)]
    fn along<D: Direction, E: Direction, V: ViewAs>(to: &mut Self::Wires<D, V>, from: &Self::Wires<E, V>) {
        to.drive(from.shown());
    }
}
impl<T: Carried, const N: usize> Carried for [T; N] {
    type Wires<D: Direction, V: ViewAs> = Row<T::Wires<D, V>, N>;
    #[inline(always)]
    fn along<D: Direction, E: Direction, V: ViewAs>(to: &mut Self::Wires<D, V>, from: &Self::Wires<E, V>) {
        to.iter_mut().zip(from.iter()).for_each(|(to, from)| T::along::<D, E, V>(to, from));
    }
    #[inline(always)]
    fn against<D: Direction, E: Direction, V: ViewAs>(to: &mut Self::Wires<D, V>, from: &Self::Wires<E, V>) {
        to.iter_mut().zip(from.iter()).for_each(|(to, from)| T::against::<D, E, V>(to, from));
    }
}

/// As many of the same as its type says: an array in a bundle.
#[derive(Clone, Debug)]
pub struct Row<T, const N: usize>([T; N]);

impl<T: Default, const N: usize> Default for Row<T, N> {
    fn default() -> Self {
        Self(std::array::from_fn(|_| T::default()))
    }
}
impl<T, const N: usize> Index<usize> for Row<T, N> {
    type Output = T;
    #[inline(always)]
    fn index(&self, lane: usize) -> &T {
        debug_assert!(lane < N);
        &self.0[lane % N]
    }
}
impl<T, const N: usize> IndexMut<usize> for Row<T, N> {
    #[inline(always)]
    fn index_mut(&mut self, lane: usize) -> &mut T {
        debug_assert!(lane < N);
        &mut self.0[lane % N]
    }
}
impl<T, const N: usize> Deref for Row<T, N> {
    type Target = [T];
    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.0
    }
}
impl<T, const N: usize> DerefMut for Row<T, N> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}
impl<P: Part, const N: usize> Part for Row<P, N> {
    fn visit(&self, name: Name, doc: &'static str, visitor: &mut dyn Visitor) {
        (0..P::leaves()).for_each(|leaf| self.visit_leaf(leaf, name, doc, visitor));
    }
    #[inline]
    fn values<'a>(&self, room: &'a mut [u64]) -> &'a mut [u64] {
        (0..P::leaves()).fold(room, |room, leaf| self.leaf_values(leaf, room))
    }
    fn leaves() -> usize {
        P::leaves()
    }
    fn visit_leaf(&self, leaf: usize, name: Name, doc: &'static str, visitor: &mut dyn Visitor) {
        self.iter().enumerate().for_each(|(index, part)| part.visit_leaf(leaf, name.lane(index), doc, visitor));
    }
    #[inline]
    fn leaf_values<'a>(&self, leaf: usize, room: &'a mut [u64]) -> &'a mut [u64] {
        self.iter().fold(room, |room, part| part.leaf_values(leaf, room))
    }
    #[inline(always)]
    fn tick(&mut self) {
        self.iter_mut().for_each(P::tick);
    }
    #[inline(always)]
    fn tick_staged(&mut self) {
        self.iter_mut().for_each(P::tick_staged);
    }
    #[inline(always)]
    fn clear(&mut self) {
        self.iter_mut().for_each(P::clear);
    }
    #[inline(always)]
    fn keep(&mut self) {
        self.iter_mut().for_each(P::keep);
    }
    #[inline(always)]
    fn reset(&mut self) {
        self.iter_mut().for_each(P::reset);
    }
}

/// A bundle whose signals go by their own names in Verilog, without the field's before them.
#[derive(Clone, Debug, Default)]
pub struct Flat<B>(B);

impl<B> Deref for Flat<B> {
    type Target = B;
    #[inline(always)]
    fn deref(&self) -> &B {
        &self.0
    }
}
impl<B> DerefMut for Flat<B> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut B {
        &mut self.0
    }
}
impl<P: Part> Part for Flat<P> {
    fn visit(&self, name: Name, doc: &'static str, visitor: &mut dyn Visitor) {
        self.0.visit(name.flat(), doc, visitor);
    }
    #[inline]
    fn values<'a>(&self, room: &'a mut [u64]) -> &'a mut [u64] {
        self.0.values(room)
    }
    fn leaves() -> usize {
        P::leaves()
    }
    fn visit_leaf(&self, leaf: usize, name: Name, doc: &'static str, visitor: &mut dyn Visitor) {
        self.0.visit_leaf(leaf, name.flat(), doc, visitor);
    }
    #[inline]
    fn leaf_values<'a>(&self, leaf: usize, room: &'a mut [u64]) -> &'a mut [u64] {
        self.0.leaf_values(leaf, room)
    }
    #[inline(always)]
    fn tick(&mut self) {
        self.0.tick();
    }
    #[inline(always)]
    fn tick_staged(&mut self) {
        self.0.tick_staged();
    }
    #[inline(always)]
    fn clear(&mut self) {
        self.0.clear();
    }
    #[inline(always)]
    fn keep(&mut self) {
        self.0.keep();
    }
    #[inline(always)]
    fn reset(&mut self) {
        self.0.reset();
    }
}
impl<A: Connect<B>, B> Connect<Flat<B>> for Flat<A> {
    #[inline(always)]
    fn along(&mut self, from: &Flat<B>) {
        self.0.along(&from.0);
    }
    #[inline(always)]
    fn against(&mut self, from: &Flat<B>) {
        self.0.against(&from.0);
    }
}

/// What can be connected: signals of one type, and bundles of one kind.
#[diagnostic::on_unimplemented(
    message = "`{Self}` and `{From}` are not the same bundle",
    label = "cannot be connected"
)]
pub trait Connect<From> {
    /// Takes what goes the way of the connection.
    fn along(&mut self, from: &From);
    /// Takes what goes against it.
    fn against(&mut self, from: &From);
}

impl<D: Way, E: Way, T: Value, V: ViewAs, W: ViewAs> Connect<Signal<E, T, W>> for Signal<D, T, V> {
    #[inline(always)]
    fn along(&mut self, from: &Signal<E, T, W>) {
        self.drive(from.shown());
    }
    #[inline(always)]
    fn against(&mut self, _from: &Signal<E, T, W>) {}
}
impl<D: Way, K: RegisterKind + Clone, T: Value, V: ViewAs, W: ViewAs> Connect<Register<T, K, W>> for Signal<D, T, V> {
    #[inline(always)]
    fn along(&mut self, from: &Register<T, K, W>) {
        self.drive(from.shown());
    }
    #[inline(always)]
    fn against(&mut self, _from: &Register<T, K, W>) {}
}
impl<E: Way, K: RegisterKind + Clone, T: Value, V: ViewAs, W: ViewAs> Connect<Signal<E, T, W>> for Register<T, K, V> {
    #[inline(always)]
    fn along(&mut self, from: &Signal<E, T, W>) {
        self.drive(from.shown());
    }
    #[inline(always)]
    fn against(&mut self, _from: &Signal<E, T, W>) {}
}
impl<J: RegisterKind + Clone, K: RegisterKind + Clone, T: Value, V: ViewAs, W: ViewAs> Connect<Register<T, J, W>>
    for Register<T, K, V>
{
    #[inline(always)]
    fn along(&mut self, from: &Register<T, J, W>) {
        self.drive(from.shown());
    }
    #[inline(always)]
    fn against(&mut self, _from: &Register<T, J, W>) {}
}
/// Arrays are connected element by element.
macro_rules! connect_arrays {
    ($([$($sizes:tt)*] $to:ty, $from:ty;)*) => {$(
        impl<A: Connect<B>, B, $($sizes)*> Connect<$from> for $to {
            #[inline(always)]
            fn along(&mut self, from: &$from) {
                self.iter_mut().zip(from.iter()).for_each(|(to, from)| to.along(from));
            }
            #[inline(always)]
            fn against(&mut self, from: &$from) {
                self.iter_mut().zip(from.iter()).for_each(|(to, from)| to.against(from));
            }
        }
    )*};
}
connect_arrays! {
    [const N: usize] Row<A, N>, Row<B, N>;
    [const N: usize, const M: usize] Lanes<A, N>, Lanes<B, M>;
    [const N: usize, const M: usize] Lanes<A, N>, Row<B, M>;
    [const N: usize, const M: usize] Row<A, N>, Lanes<B, M>;
}

/// Declares a bundle: signals that travel together. `Forth` go its way, such as the payload and that it is valid; `Back` go against it, such as
/// that it is taken. A block has it as one of its parts, with a direction as a signal has one; a field's name and those of the
/// bundle make the signal's (`copy_valid`). Fields may be bundles themselves, or arrays (`[Bit; 4]`).
///
/// Kernels connect bundles as wholes. The arrow is the way of the values: `a <<= b` takes from `b` what goes forth, `a >>= b` gives to `b`
/// what goes back. These are often in two processes, since what goes back may depend on what goes forth. Verilog has an assignment for
/// each signal.
///
/// ```
/// use txbar_hdl::*;
///
/// bundle! {
///     /// A byte to send.
///     pub bundle Octet {
///         /// A byte is offered.
///         pub valid: Forth<Bit>,
///         /// It is accepted.
///         pub ready: Back<Bit>,
///         /// The byte.
///         pub data: Forth<Bits<8>>,
///     }
/// }
///
/// hardware! {
///     /// Passes bytes on, unless it is told to stop.
///     pub module Pass = "pass" {
///         /// Stop.
///         pub stop: Signal<In, Bit>,
///         /// Bytes that come.
///         pub source: Octet<In>,
///         /// Bytes that go.
///         pub sink: Octet<Out>,
///     }
///     processes { Send, Accept }
/// }
///
/// #[processes]
/// impl Pass {
///     fn send(&mut self) {
///         self.sink <<= self.source;
///         if self.stop.val() {
///             self.sink.valid.next = false;
///         }
///     }
///
///     fn accept(&mut self) {
///         self.sink >>= self.source;
///     }
/// }
///
/// let mut pass = Pass::default();
/// pass.source.data.next = 7.into();
/// pass.sink.ready.next = true;
/// Process::<Send>::update(&mut pass);
/// Process::<Accept>::update(&mut pass);
/// assert!(pass.sink.data.val() == 7 && pass.source.ready.val());
///
/// let text = verilog::print(&pass, &(), &Names::default(), "my").unwrap().text;
/// for line in ["sink_valid = source_valid;", "sink_data = source_data;", "source_ready = sink_ready;"] {
///     assert!(text.contains(line), "{text}");
/// }
/// ```
///
/// Only what is the same bundle can be connected:
///
/// ```compile_fail
/// # use txbar_hdl::*;
/// # bundle! {
/// #     /// One.
/// #     pub bundle One {
/// #         /// Some bits.
/// #         pub data: Forth<Bits<8>>,
/// #     }
/// # }
/// # bundle! {
/// #     /// Another.
/// #     pub bundle Other {
/// #         /// Some bits.
/// #         pub data: Forth<Bits<8>>,
/// #     }
/// # }
/// # hardware! {
/// #     /// Connects what is not the same.
/// #     pub module Wrong = "wrong" {
/// #         /// In.
/// #         pub one: One<In>,
/// #         /// Out.
/// #         pub other: Other<Out>,
/// #     }
/// #     processes { Step }
/// # }
/// #[processes]
/// impl Wrong {
///     fn step(&mut self) {
///         self.other <<= self.one; // error: not the same bundle
///     }
/// }
/// ```
#[macro_export]
macro_rules! bundle {
    (
        $(#[doc = $doc:literal])*
        $vis:vis bundle $name:ident {
            $( $(#[doc = $field_doc:literal])+ $field_vis:vis $field:ident: $way:ident < $ty:ty $(, $view:ty)? >, )*
        }
    ) => {
        $(#[doc = $doc])*
        $vis struct $name<D: $crate::Direction> {
            $( $(#[doc = $field_doc])+ $field_vis $field: $crate::wires!($field $way D, $ty $(, $view)?), )*
        }

        impl<D: $crate::Direction> Clone for $name<D> {
            fn clone(&self) -> Self {
                Self { $( $field: self.$field.clone(), )* }
            }
        }

        impl<D: $crate::Direction> Default for $name<D> {
            fn default() -> Self {
                Self { $( $field: Default::default(), )* }
            }
        }

        impl<D: $crate::Direction> $crate::Carried for $name<D> {
            type Wires<E: $crate::Direction, V: $crate::ViewAs> = $name<E>;
            #[inline(always)]
            fn along<A: $crate::Direction, B: $crate::Direction, V: $crate::ViewAs>(to: &mut $name<A>, from: &$name<B>) {
                $crate::Connect::along(to, from);
            }
            #[inline(always)]
            fn against<A: $crate::Direction, B: $crate::Direction, V: $crate::ViewAs>(to: &mut $name<A>, from: &$name<B>) {
                $crate::Connect::against(to, from);
            }
        }

        impl<D: $crate::Direction> $crate::Part for $name<D> {
            fn visit(&self, name: $crate::Name, doc: &'static str, visitor: &mut dyn $crate::Visitor) {
                (0..Self::leaves()).for_each(|leaf| self.visit_leaf(leaf, name, doc, visitor));
            }
            fn leaves() -> usize {
                0 $( + <$crate::wires!($field $way D, $ty $(, $view)?) as $crate::Part>::leaves() )*
            }
            fn visit_leaf(&self, leaf: usize, name: $crate::Name, _doc: &'static str, visitor: &mut dyn $crate::Visitor) {
                let mut first = 0;
                $({
                    let leaves = <$crate::wires!($field $way D, $ty $(, $view)?) as $crate::Part>::leaves();
                    if (first..first + leaves).contains(&leaf) {
                        let name = name.within(stringify!($field), $crate::goes_back!($way));
                        self.$field.visit_leaf(leaf - first, name, concat!($($field_doc, "\n",)+), visitor);
                    }
                    first += leaves;
                })*
                let _ = first;
            }
            fn values<'a>(&self, room: &'a mut [u64]) -> &'a mut [u64] {
                (0..Self::leaves()).fold(room, |room, leaf| self.leaf_values(leaf, room))
            }
            fn leaf_values<'a>(&self, leaf: usize, mut room: &'a mut [u64]) -> &'a mut [u64] {
                let mut first = 0;
                $({
                    let leaves = <$crate::wires!($field $way D, $ty $(, $view)?) as $crate::Part>::leaves();
                    if (first..first + leaves).contains(&leaf) {
                        room = self.$field.leaf_values(leaf - first, room);
                    }
                    first += leaves;
                })*
                let _ = first;
                room
            }
            #[inline(always)]
            fn tick(&mut self) {
                $( $crate::Part::tick(&mut self.$field); )*
            }
            #[inline(always)]
            fn tick_staged(&mut self) {
                $( $crate::Part::tick_staged(&mut self.$field); )*
            }
            #[inline(always)]
            fn clear(&mut self) {
                $( if !$crate::goes_back!($way) { $crate::Part::clear(&mut self.$field); } )*
            }
            #[inline(always)]
            fn keep(&mut self) {
                $( $crate::Part::keep(&mut self.$field); )*
            }
            #[inline(always)]
            fn reset(&mut self) {
                $( $crate::Part::reset(&mut self.$field); )*
            }
        }

        impl<D: $crate::Direction, E: $crate::Direction> $crate::Connect<$crate::Flat<$name<E>>> for $name<D> {
            #[inline(always)]
            fn along(&mut self, from: &$crate::Flat<$name<E>>) {
                self.along(&**from);
            }
            #[inline(always)]
            fn against(&mut self, from: &$crate::Flat<$name<E>>) {
                self.against(&**from);
            }
        }

        impl<D: $crate::Direction, E: $crate::Direction> $crate::Connect<$name<E>> for $crate::Flat<$name<D>> {
            #[inline(always)]
            fn along(&mut self, from: &$name<E>) {
                (**self).along(from);
            }
            #[inline(always)]
            fn against(&mut self, from: &$name<E>) {
                (**self).against(from);
            }
        }

        impl<D: $crate::Direction, E: $crate::Direction> $crate::Connect<$name<E>> for $name<D> {
            #[inline(always)]
            fn along(&mut self, from: &$name<E>) {
                $( $crate::connect_field!(along $field $way, D, E, $ty $(, $view)?; &mut self.$field, &from.$field); )*
            }
            #[inline(always)]
            fn against(&mut self, from: &$name<E>) {
                $( $crate::connect_field!(against $field $way, D, E, $ty $(, $view)?; &mut self.$field, &from.$field); )*
            }
        }
    };
}

/// Whether a field of a bundle goes against it.
#[doc(hidden)]
#[macro_export]
macro_rules! goes_back {
    (Forth) => {
        false
    };
    (Back) => {
        true
    };
}

/// What carries a field of a bundle.
#[doc(hidden)]
#[macro_export]
macro_rules! wires {
    ($field:ident $way:ident $direction:ty, $ty:ty) => {
        $crate::wires!($field $way $direction, $ty, $crate::PlainView)
    };
    ($field:ident $way:ident $direction:ty, $ty:ty, $view:ty) => {
        <$ty as $crate::Carried>::Wires<$crate::carrier!($field $way $direction), $view>
    };
}

/// In which direction a field of a bundle is carried.
#[doc(hidden)]
#[macro_export]
macro_rules! carrier {
    (valid Forth $direction:ty) => {
        <$direction as $crate::Direction>::Control
    };
    ($field:ident Forth $direction:ty) => {
        $direction
    };
    ($field:ident Back $direction:ty) => {
        <$direction as $crate::Direction>::Opposite
    };
}

/// Connects a field of two bundles.
#[doc(hidden)]
#[macro_export]
macro_rules! connect_field {
    ($how:ident $field:ident $way:ident, $d:ty, $e:ty, $ty:ty; $to:expr, $from:expr) => {
        $crate::connect_field!($how $field $way, $d, $e, $ty, $crate::PlainView; $to, $from)
    };
    (along $field:ident Forth, $d:ty, $e:ty, $ty:ty, $view:ty; $to:expr, $from:expr) => {
        <$ty as $crate::Carried>::along::<$crate::carrier!($field Forth $d), $crate::carrier!($field Forth $e), $view>($to, $from)
    };
    (along $field:ident Back, $d:ty, $e:ty, $ty:ty, $view:ty; $to:expr, $from:expr) => {
        <$ty as $crate::Carried>::against::<$crate::carrier!($field Back $d), $crate::carrier!($field Back $e), $view>($to, $from)
    };
    (against $field:ident Forth, $d:ty, $e:ty, $ty:ty, $view:ty; $to:expr, $from:expr) => {
        <$ty as $crate::Carried>::against::<$crate::carrier!($field Forth $d), $crate::carrier!($field Forth $e), $view>($to, $from)
    };
    (against $field:ident Back, $d:ty, $e:ty, $ty:ty, $view:ty; $to:expr, $from:expr) => {
        <$ty as $crate::Carried>::along::<$crate::carrier!($field Back $d), $crate::carrier!($field Back $e), $view>($to, $from)
    };
}
