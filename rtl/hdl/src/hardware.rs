//! Declaration of a block.

/// Declares a block: its parts, each with its documentation, the constants that its kernels name, and its processes. A
/// block with stage registers ends with `staged by advance`, which must be one of its signals.
///
/// The documentation goes three ways: to rustdoc, to comments in the Verilog, and to the manifest.
///
/// A block that depends on parameters ends with a function that builds it. Parts are what stands behind their type then, or else what they are by
/// default; the body of the function comes before them.
///
/// ```
/// use txbar_hdl::*;
///
/// hardware! {
///     /// Says whether all of its inputs are set.
///     pub module All = "all" {
///         /// The inputs.
///         pub input: Lanes<Signal<In, Bit>, 8> = Lanes::new(inputs),
///         /// All are set.
///         pub all: Signal<Out, Bit>,
///         /// How many.
///         pub inputs: usize = inputs,
///     }
///     processes { Join }
///     /// This many inputs.
///     built by pub fn new(inputs: usize) {
///         assert!(inputs > 0);
///     }
/// }
///
/// #[processes]
/// impl All {
///     fn join(&mut self) {
///         self.all.next = true;
///         for i in 0..self.inputs {
///             self.all.next = self.all.val() & self.input[i].val();
///         }
///     }
/// }
///
/// let mut all = Simulator::new(All::new(3), &(), &Names::default()).unwrap();
/// all.settle();
/// assert_eq!((all.input.len(), all.all.val()), (3, false));
/// ```
#[macro_export]
macro_rules! hardware {
    (
        $(#[doc = $doc:literal])*
        $vis:vis module $name:ident = $module:tt {
            $( $(#[doc = $field_doc:literal])+ $field_vis:vis $field:ident: $ty:ty, )*
        }
        $( constants { $( $(#[doc = $constant_doc:literal])+ $constant:ident: $constant_ty:ty = $value:expr; )* } )?
        processes { $($process:ident),* $(,)? }
        $( staged by $advance:ident )?
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Default)]
        $vis struct $name {
            $( $(#[doc = $field_doc])+ $field_vis $field: $ty, )*
        }

        $($( $(#[doc = $constant_doc])+ pub const $constant: $constant_ty = $value; )*)?

        $(
            #[doc = concat!("Names the process `", stringify!($process), "`.")]
            #[derive(Clone, Copy, Debug)]
            pub struct $process;
        )*

        impl $crate::Part for $name {
            fn visit(&self, name: $crate::Name, _doc: &'static str, visitor: &mut dyn $crate::Visitor) {
                visitor.enter(name, $crate::module_name!($module), concat!($($doc, "\n",)*));
                $($({
                    use $crate::{Value, View};
                    visitor.constant(
                        stringify!($constant).into(),
                        concat!($($constant_doc, "\n",)+),
                        <$constant_ty>::ty(View::Plain),
                        $constant.to_u64(),
                    );
                })*)?
                $( self.$field.visit(stringify!($field).into(), concat!($($field_doc, "\n",)+), visitor); )*
                $(
                    visitor.process(
                        stringify!($process),
                        $crate::Call::of::<Self, $process>(self),
                        &|| $crate::connected($crate::Process::<$process>::hdl(self), self),
                    );
                )*
                visitor.leave();
            }
            fn values<'a>(&self, room: &'a mut [u64]) -> &'a mut [u64] {
                $( let room = $crate::Part::values(&self.$field, room); )*
                room
            }
            #[inline]
            fn call(&mut self, call: $crate::Call) -> bool {
                $(
                    if call == $crate::Call::of::<Self, $process>(self) {
                        $crate::Process::<$process>::update(self);
                        return true;
                    }
                )*
                false $( || $crate::Part::call(&mut self.$field, call) )*
            }
            #[inline]
            fn look_up(&mut self) {
                $( $crate::Part::look_up(&mut self.$field); )*
            }
            #[inline(always)]
            fn tick(&mut self) {
                self.tick_knowing(|_| {});
            }
            #[inline(always)]
            fn reset(&mut self) {
                $( $crate::Part::reset(&mut self.$field); )*
            }
        }

        impl $name {
            /// The clock edge, where `know` tells the compiler the block's size before each part: it forgets in between. See `known.rs`.
            #[inline(always)]
            fn tick_knowing(&mut self, know: impl Fn(&Self)) {
                $( if self.$advance.val() { self.tick_stages(); } )?
                $(
                    know(self);
                    $crate::Part::tick(&mut self.$field);
                )*
            }

            /// The clock edge for the registers of its stages.
            #[allow(dead_code)] // a block without stages has nothing to call it for
            #[inline(always)]
            fn tick_stages(&mut self) {
                $( $crate::Part::tick_staged(&mut self.$field); )*
            }
        }
    };
    (
        $(#[doc = $doc:literal])*
        $vis:vis module $name:ident = $module:tt {
            $( $(#[doc = $field_doc:literal])+ $field_vis:vis $field:ident: $ty:ty $(= $initial:expr)?, )*
        }
        $( constants { $($constants:tt)* } )?
        processes $processes:tt
        $( staged by $advance:ident )?
        $(#[doc = $build_doc:literal])+
        built by $build_vis:vis fn $build:ident($($parameters:tt)*) { $($body:tt)* }
    ) => {
        $crate::hardware! {
            $(#[doc = $doc])*
            $vis module $name = $module {
                $( $(#[doc = $field_doc])+ $field_vis $field: $ty, )*
            }
            $( constants { $($constants)* } )?
            processes $processes
            $( staged by $advance )?
        }

        impl $name {
            $(#[doc = $build_doc])+
            $build_vis fn $build($($parameters)*) -> Self {
                $($body)*
                Self { $( $field: $crate::initial!($($initial)?), )* }
            }
        }
    };
}

/// What a part of a block is at first.
#[doc(hidden)]
#[macro_export]
macro_rules! initial {
    () => {
        Default::default()
    };
    ($initial:expr) => {
        $initial
    };
}

/// The name of a block in Verilog, as text: it is given so, or as a name.
#[doc(hidden)]
#[macro_export]
macro_rules! module_name {
    ($name:ident) => {
        stringify!($name)
    };
    ($name:literal) => {
        $name
    };
}

/// Declares an interface: signals that several blocks have as pins of their own, with their documentation. A block holds it as one of its
/// parts; its signals are the block's, in Verilog without a name before theirs.
///
/// ```
/// use txbar_hdl::*;
///
/// interface! {
///     /// What every filter has.
///     pub interface Pins {
///         /// A sample.
///         pub sample: Signal<In, Bits<8>>,
///         /// What becomes of it.
///         pub result: Signal<Out, Bits<8>>,
///     }
/// }
///
/// hardware! {
///     /// Gives half of what comes in.
///     pub module Halve = "halve" {
///         /// Its pins.
///         pub pins: Pins,
///     }
///     processes { Shift }
/// }
///
/// #[processes]
/// impl Halve {
///     fn shift(&mut self) {
///         self.result.next = self.sample.val() >> 1;
///     }
/// }
///
/// // `self.sample` is `self.pins.sample`: kernels name what is in the Verilog
/// impl std::ops::Deref for Halve {
///     type Target = Pins;
///     fn deref(&self) -> &Pins {
///         &self.pins
///     }
/// }
/// impl std::ops::DerefMut for Halve {
///     fn deref_mut(&mut self) -> &mut Pins {
///         &mut self.pins
///     }
/// }
///
/// let text = verilog::print(&Halve::default(), &(), &Names::default(), "my").unwrap().text;
/// assert!(text.contains("input  wire [7:0] sample") && text.contains("result = {1'b0, sample[7:1]};"), "{text}");
/// ```
#[macro_export]
macro_rules! interface {
    (
        $(#[doc = $doc:literal])*
        $vis:vis interface $name:ident {
            $( $(#[doc = $field_doc:literal])+ $field_vis:vis $field:ident: $ty:ty, )*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Default)]
        $vis struct $name {
            $( $(#[doc = $field_doc])+ $field_vis $field: $ty, )*
        }

        impl $crate::Part for $name {
            fn visit(&self, _name: $crate::Name, _doc: &'static str, visitor: &mut dyn $crate::Visitor) {
                $( self.$field.visit(stringify!($field).into(), concat!($($field_doc, "\n",)+), visitor); )*
            }
            fn values<'a>(&self, room: &'a mut [u64]) -> &'a mut [u64] {
                $( let room = $crate::Part::values(&self.$field, room); )*
                room
            }
        }
    };
}
