//! Fault injection: known defects that can be put into a simulated unit, to show that a testbench finds them.
//!
//! Each lets a correct unit settle and then changes the signals that one wrong line of the hardware would have changed; the hardware itself
//! has no provision for them.

pub mod banked;
pub mod cluster;
pub mod cluster_memory;
pub mod high_clock;
pub mod low_latency;
pub mod wakes;
pub mod warp;
pub mod warp_memory;

use std::any::Any;
use txbar_rtl::hdl::MOST_BANKS;
use txbar_rtl::look::Point;
use txbar_rtl::parameters::{Build, Parameters};

/// What an injected fault does to a design at a point, with a state of its own to remember things in.
type Inject<D, P> = fn(&mut D, P, &mut Memo);

/// A defect of a design `D`, which lets others look in at points `P`. For a unit, `D` is a unit of any build.
pub struct Fault<D: ?Sized = dyn Any, P = Point> {
    /// Name.
    pub name: &'static str,
    /// What the hardware does wrong.
    pub defect: &'static str,
    pub(crate) inject: Inject<D, P>,
}

// by hand: a design need not be copied for its defects to be
impl<D: ?Sized, P> Clone for Fault<D, P> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<D: ?Sized, P> Copy for Fault<D, P> {}

/// What a defect remembers from cycle to cycle.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memo {
    pub(crate) data: [u64; MOST_BANKS],
    pub(crate) count: u32,
}

impl Memo {
    /// True once in this many calls.
    pub(crate) fn every(&mut self, times: u32) -> bool {
        self.count += 1;
        self.count.is_multiple_of(times)
    }
}

/// A defect in a design.
pub struct Injected<D: ?Sized = dyn Any, P = Point> {
    fault: Fault<D, P>,
    memo: Memo,
}

impl<D: ?Sized, P> Clone for Injected<D, P> {
    fn clone(&self) -> Self {
        Self { fault: self.fault, memo: self.memo.clone() }
    }
}

/// The faults that there are for a unit with these parameters: each build has its own.
pub fn of_unit(parameters: &Parameters) -> &'static [Fault] {
    match parameters.build {
        Build::LowLatency if parameters.wake_mask => wakes::FAULTS,
        Build::LowLatency => low_latency::FAULTS,
        Build::HighClock => high_clock::FAULTS,
        Build::BankedHighClock => banked::FAULTS,
    }
}

impl<D: ?Sized, P> Fault<D, P> {
    /// The defect of this name in a list.
    pub fn among(faults: &[Self], name: &str) -> Option<Self> {
        faults.iter().copied().find(|fault| fault.name == name)
    }

    /// The defect, ready to be put into a design.
    pub fn injected(self) -> Injected<D, P> {
        Injected { fault: self, memo: Memo::default() }
    }
}

impl<D: ?Sized, P> Injected<D, P> {
    /// Spoils what the defect spoils at this point.
    pub fn inject(&mut self, design: &mut D, point: P) {
        (self.fault.inject)(design, point, &mut self.memo);
    }
}

/// A list of injected faults; `in` the unit of one build.
macro_rules! faults {
    (in $built:ty; $($name:literal, $defect:literal, |$unit:ident, $point:ident, $memo:ident| $body:block)*) => {
        /// Every injected fault.
        pub const FAULTS: &[$crate::faults::Fault] = &[$($crate::faults::Fault {
            name: $name,
            defect: $defect,
            inject: |unit, $point, $memo| {
                let _ = (&$point, &$memo);
                let $unit = unit.downcast_mut::<$built>().expect("a unit of the build that these faults are of");
                $body
            },
        }),*];
    };
    ($($name:literal, $defect:literal, |$unit:ident, $point:ident, $memo:ident| $body:block)*) => {
        /// Every injected fault.
        pub const FAULTS: &[$crate::faults::Fault<Design, Place>] = &[$($crate::faults::Fault {
            name: $name,
            defect: $defect,
            inject: |$unit, $point, $memo| {
                let _ = (&$point, &$memo);
                $body
            },
        }),*];
    };
}
pub(crate) use faults;

/// Of a list of faults each has a name of its own.
#[cfg(test)]
fn check_names<D: ?Sized, P>(faults: &[Fault<D, P>]) {
    for fault in faults {
        let found = Fault::among(faults, fault.name).expect("it is in the list");
        assert_eq!(found.defect, fault.defect, "two are called {}", fault.name);
    }
    assert!(Fault::among(faults, "none such").is_none());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        let fabric = Parameters { ports: 2, banks: 2, ..Parameters::high_clock(64) };
        let masked = Parameters { wake_mask: true, ..Parameters::default() };
        for parameters in [Parameters::default(), masked, Parameters::high_clock(64), fabric] {
            check_names(of_unit(&parameters));
        }
        check_names(&[warp::FAULTS, warp_memory::FAULTS].concat());
        check_names(&[cluster::FAULTS, cluster_memory::FAULTS].concat());
    }
}
