//! Notation for the order of evaluation of blocks.

/// Makes the methods by which a block settles out of the order of its steps, which [`order::Derived`](crate::order::Derived) writes:
///
/// ```text
/// settle! { [crate::adder] Adder inline:            the module and the name of the block; `apart` if it need not be inlined
///     settle_1 { alu.settle_1(), Commit }         a part: its steps, each a process, or a method of a field
///     settle_2 { each replay.settle(), Compare }  ... of each lane of a field
/// }
/// ```
///
/// A block that is settled at once has one part, `settle`. One that others look into has `settle_steps`, with `look POINT` among the steps.
#[macro_export]
macro_rules! settle {
    ([$($module:tt)*] $block:ident inline: $($parts:tt)*) => {
        $crate::settle! { @parts [#[inline(always)]] [$($module)*] $block $($parts)* }
    };
    ([$($module:tt)*] $block:ident apart: $($parts:tt)*) => {
        $crate::settle! { @parts [] [$($module)*] $block $($parts)* }
    };
    ([$($module:tt)*] $block:ident looked into at [$($place:tt)*]: settle_steps { $($steps:tt)* }) => {
        impl $($module)*::$block {
            /// Settles the block: every process once, in an order of the data. `know` is called before each step, `look` at each point.
            #[inline(always)]
            pub(crate) fn settle_steps(&mut self, know: impl Fn(&Self), mut look: impl FnMut(&mut Self, $($place)*)) {
                $crate::settle_steps! { [$($module)*] self [know look $($place)*] $($steps)*, }
            }
        }
    };
    (@parts [$($inline:tt)*] [$($module:tt)*] $block:ident settle { $($steps:tt)* }) => {
        impl $($module)*::$block {
            /// Settles the block: every process once, in an order of the data.
            $($inline)*
            pub fn settle(&mut self) {
                $crate::settle_steps! { [$($module)*] self [] $($steps)*, }
            }
        }
    };
    (@parts $inline:tt $module:tt $block:ident $($part:ident $steps:tt)+) => {
        $( $crate::settle! { @part $inline $module $block $part $steps } )+
        $crate::settle! { @all $module $block $($part)+ }
    };
    (@part [$($inline:tt)*] [$($module:tt)*] $block:ident $part:ident { $($steps:tt)* }) => {
        impl $($module)*::$block {
            /// Settles a part of the block.
            $($inline)*
            pub fn $part(&mut self) {
                $crate::settle_steps! { [$($module)*] self [] $($steps)*, }
            }
        }
    };
    (@all [$($module:tt)*] $block:ident $($part:ident)+) => {
        impl $($module)*::$block {
            /// Settles the block: all parts.
            pub fn settle(&mut self) {
                $( self.$part(); )+
            }
        }
    };
}

/// Takes the steps of a method.
#[doc(hidden)]
#[macro_export]
macro_rules! settle_steps {
    (@know $block:ident []) => {};
    (@know $block:ident [$know:ident $($look:tt)*]) => {
        $know($block);
    };
    ($module:tt $block:ident $look:tt) => {};
    ($module:tt $block:ident [$know:ident $look:ident $($place:tt)*] look $point:ident, $($rest:tt)*) => {
        $look($block, $($place)*::$point);
        $crate::settle_steps! { $module $block [$know $look $($place)*] $($rest)* }
    };
    ($module:tt $block:ident $look:tt if [$($awake:tt)*] { $($steps:tt)* }, $($rest:tt)*) => {
        if $block.$($awake)* {
            $crate::settle_steps! { $module $block $look $($steps)*, }
        }
        $crate::settle_steps! { $module $block $look $($rest)* }
    };
    ($module:tt $block:ident $look:tt each each $field:ident $(.$method:ident())+, $($rest:tt)*) => {
        $crate::settle_steps! { @know $block $look }
        for parts in $block.$field.iter_mut() {
            for part in parts.iter_mut() {
                $( part.$method(); )+
            }
        }
        $crate::settle_steps! { $module $block $look $($rest)* }
    };
    ($module:tt $block:ident $look:tt each $field:ident $(.$method:ident())+, $($rest:tt)*) => {
        $crate::settle_steps! { @know $block $look }
        for part in $block.$field.iter_mut() {
            $( part.$method(); )+
        }
        $crate::settle_steps! { $module $block $look $($rest)* }
    };
    ($module:tt $block:ident $look:tt $field:ident $(.$method:ident())+, $($rest:tt)*) => {
        $crate::settle_steps! { @know $block $look }
        $( $block.$field.$method(); )+
        $crate::settle_steps! { $module $block $look $($rest)* }
    };
    ([$($module:tt)*] $block:ident $look:tt $process:ident, $($rest:tt)*) => {
        $crate::settle_steps! { @know $block $look }
        $crate::Process::<$($module)*::$process>::update($block);
        $crate::settle_steps! { [$($module)*] $block $look $($rest)* }
    };
}
