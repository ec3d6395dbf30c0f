//! Cells for any bundle with `valid` and `ready`: register slices, and a queue.

/// Declares a register slice for a bundle: a block that cuts the combinational paths between two others, at one transfer a cycle.
///
/// ```text
///            ┌───────┐                      valid, payload        ready                    registers
///  source ──►│ slice │──► sink    forward   a cycle later         in the same cycle        one
///            └───────┘            backward  in the same cycle     a cycle later            one, used while `sink` waits
///                                 (both)    a cycle later         a cycle later            two
/// ```
///
/// `slice! { pub mod NAME of BUNDLE }` declares a module with the block `Slice`, called `NAME` in Verilog; `forward` or `backward` before `mod`
/// cuts one direction only. A transfer takes place in a cycle in which `valid` and `ready` are both 1. `ready` must be the only `Back` signal of
/// the bundle.
///
/// ```
/// use txbar_hdl::*;
///
/// bundle! {
///     /// A byte on its way.
///     pub bundle Octet {
///         /// A byte is there.
///         pub valid: Forth<Bit>,
///         /// It is taken.
///         pub ready: Back<Bit>,
///         /// The byte.
///         pub data: Forth<Bits<8>>,
///     }
/// }
///
/// slice! {
///     /// Cuts the paths of bytes.
///     pub mod octet_slice of Octet
/// }
///
/// fn main() {
///     let mut slice = Simulator::new(octet_slice::Slice::default(), &(), &Names::default()).unwrap();
///     slice.source.valid.next = true;
///     slice.source.data.next = 7.into();
///     slice.settle();
///     assert!(slice.source.ready.val() && !slice.sink.valid.val());
///     slice.tick();
///     slice.settle();
///     assert!(slice.sink.valid.val() && slice.sink.data.val() == 7);
/// }
/// ```
#[macro_export]
macro_rules! slice {
    ($(#[doc = $doc:literal])* $vis:vis forward mod $name:ident of $bundle:ident) => {
        $crate::slice! { @declare [$(#[doc = $doc])*] $vis $name $bundle
            [
                /// Output register.
                pub kept: $bundle<$crate::Registers>,
            ]
            Show { self.sink <<= self.kept; }
            Accept { self.source.ready.next = !self.kept.valid.q.val() | self.sink.ready.val(); }
            Keep {
                if self.source.ready.val() {
                    self.kept <<= self.source;
                }
            }
        }
    };
    ($(#[doc = $doc:literal])* $vis:vis backward mod $name:ident of $bundle:ident) => {
        $crate::slice! { @declare [$(#[doc = $doc])*] $vis $name $bundle
            [
                /// Transfer accepted while the output was stalled.
                pub kept: $bundle<$crate::Registers>,
            ]
            Show {
                self.sink <<= self.source;
                if self.kept.valid.q.val() {
                    self.sink <<= self.kept;
                }
            }
            Accept { self.source.ready.next = !self.kept.valid.q.val(); }
            Keep {
                if self.source.ready.val() {
                    self.kept <<= self.source;
                }
                if self.sink.ready.val() {
                    self.kept.valid.d.next = false;
                }
            }
        }
    };
    ($(#[doc = $doc:literal])* $vis:vis mod $name:ident of $bundle:ident) => {
        $crate::slice! { @declare [$(#[doc = $doc])*] $vis $name $bundle
            [
                /// Output register.
                pub first: $bundle<$crate::Registers>,
                /// Transfer accepted while the output was stalled.
                pub second: $bundle<$crate::Registers>,
            ]
            Show { self.sink <<= self.first; }
            Accept { self.source.ready.next = !self.second.valid.q.val(); }
            Keep {
                if self.source.ready.val() {
                    self.second <<= self.source;
                }
                if !self.first.valid.q.val() | self.sink.ready.val() {
                    self.first <<= self.source;
                    if self.second.valid.q.val() {
                        self.first <<= self.second;
                    }
                    self.second.valid.d.next = false;
                }
            }
        }
    };
    (@declare [$(#[doc = $doc:literal])*] $vis:vis $name:ident $bundle:ident [$($registers:tt)*]
        $($process:ident { $($kernel:tt)* })*) => {
        $(#[doc = $doc])*
        $vis mod $name {
            use super::*;

            $crate::hardware! {
                $(#[doc = $doc])*
                pub module Slice = $name {
                    /// Input channel.
                    pub source: $bundle<$crate::In>,
                    /// Output channel.
                    pub sink: $bundle<$crate::Out>,
                    $($registers)*
                }
                processes { $($process),* }
            }

            #[$crate::processes]
            impl Slice {
                $(
                    fn $process(&mut self) {
                        $($kernel)*
                    }
                )*
            }
        }
    };
}

/// Declares a FIFO for a bundle: up to 16 entries of registers, latency one cycle. There is no combinational path from `source` to `sink`, or back.
///
/// `fifo! { pub mod NAME of BUNDLE }` declares a module with the block `Fifo`, called `NAME` in Verilog; `Fifo::new` takes the number of entries. The
/// bundle must be one that [`slice!`] takes.
#[macro_export]
macro_rules! fifo {
    ($(#[doc = $doc:literal])* $vis:vis mod $name:ident of $bundle:ident) => {
        $(#[doc = $doc])*
        $vis mod $name {
            use super::*;

            $crate::hardware! {
                $(#[doc = $doc])*
                pub module Fifo = $name {
                    /// Input channel.
                    pub source: $bundle<$crate::In>,
                    /// Output channel.
                    pub sink: $bundle<$crate::Out>,
                    /// The entries.
                    pub entry: $crate::Lanes<$bundle<$crate::Registers>, 16>,
                    /// Number of the entry at the output.
                    pub head: $crate::ControlReg<$crate::Bits<4>>,
                    /// Number of the next free entry.
                    pub tail: $crate::ControlReg<$crate::Bits<4>>,
                    /// How many entries.
                    pub entries: usize,
                    /// Number of the last entry.
                    pub last: usize,
                }
                processes { Show, Accept, Keep, Turn }
            }

            #[$crate::processes]
            impl Fifo {
                fn show(&mut self) {
                    self.sink <<= self.entry[0];
                    for e in 0..self.entries {
                        if self.head.q.val().index() == e {
                            self.sink <<= self.entry[e];
                        }
                    }
                }

                fn accept(&mut self) {
                    self.source.ready.next = false;
                    for e in 0..self.entries {
                        if self.tail.q.val().index() == e {
                            self.source.ready.next = !self.entry[e].valid.q.val();
                        }
                    }
                }

                fn keep(&mut self) {
                    for e in 0..self.entries {
                        if self.source.valid.val() & self.source.ready.val() & (self.tail.q.val().index() == e) {
                            self.entry[e] <<= self.source;
                        }
                        if self.sink.valid.val() & self.sink.ready.val() & (self.head.q.val().index() == e) {
                            self.entry[e].valid.d.next = false;
                        }
                    }
                }

                fn turn(&mut self) {
                    if self.source.valid.val() & self.source.ready.val() {
                        self.tail.d.next = self.tail.q.val() + 1;
                        if self.tail.q.val().index() == self.last {
                            self.tail.d.next = 0.into();
                        }
                    }
                    if self.sink.valid.val() & self.sink.ready.val() {
                        self.head.d.next = self.head.q.val() + 1;
                        if self.head.q.val().index() == self.last {
                            self.head.d.next = 0.into();
                        }
                    }
                }
            }

            impl Fifo {
                /// A queue of 1 to 16 entries.
                pub fn new(entries: usize) -> Self {
                    assert!((1..=16).contains(&entries), "a queue has 1 to 16 entries");
                    Self { entry: $crate::Lanes::new(entries), entries, last: entries - 1, ..Self::default() }
                }
            }
        }
    };
}
