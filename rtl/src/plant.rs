//! Fault injection: known defects that can be put into a simulated unit, to show that a testbench finds them.
//!
//! Each lets a correct unit settle and then changes the signals that one wrong line of the hardware would have changed; the hardware itself
//! has no provision for them. This is what a list of such defects is made of; the lists stand with
//! what they are in, in files called `plant.rs` and `memory_plant.rs`.

use crate::hdl::MOST_BANKS;
use std::any::Any;

/// Places on the way through the `settle_with` of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// The banks have committed: words after the operations, their flips, writes to memory.
    Committed,
    /// c4 is settled: the answers, too.
    Answered,
    /// The response queues show their answers; requests are about to be arbitrated.
    Requested,
    /// The arbiters have granted.
    Granted,
    /// The requests are accepted, and the sums of c2 are there.
    Gathered,
    /// Everything is settled; registers have not taken their values yet.
    Settled,
}

/// What a planted fault does to a design at a point, with a state of its own to remember things in.
type Tamper<D, P> = fn(&mut D, P, &mut Memo);

/// A defect of a design `D`, which lets others look in at points `P`. For a unit, `D` is a unit of any build.
pub struct Plant<D: ?Sized = dyn Any, P = Point> {
    /// Its name.
    pub name: &'static str,
    /// What the hardware does wrong.
    pub defect: &'static str,
    pub(crate) tamper: Tamper<D, P>,
}

// by hand: a design need not be copied for its defects to be
impl<D: ?Sized, P> Clone for Plant<D, P> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<D: ?Sized, P> Copy for Plant<D, P> {}

/// What a defect remembers from cycle to cycle.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memo {
    pub(crate) data: [u64; MOST_BANKS],
    pub(crate) count: u32,
}

impl Memo {
    /// True every so many times.
    pub(crate) fn every(&mut self, times: u32) -> bool {
        self.count += 1;
        self.count.is_multiple_of(times)
    }
}

/// A defect in a design.
pub struct Planted<D: ?Sized = dyn Any, P = Point> {
    plant: Plant<D, P>,
    memo: Memo,
}

impl<D: ?Sized, P> Clone for Planted<D, P> {
    fn clone(&self) -> Self {
        Self { plant: self.plant, memo: self.memo.clone() }
    }
}

impl<D: ?Sized, P> Plant<D, P> {
    /// The defect of this name in a list.
    pub fn among(plants: &[Self], name: &str) -> Option<Self> {
        plants.iter().copied().find(|plant| plant.name == name)
    }

    /// The defect, ready to be put into a design.
    pub fn planted(self) -> Planted<D, P> {
        Planted { plant: self, memo: Memo::default() }
    }
}

impl<D: ?Sized, P> Planted<D, P> {
    /// Spoils what the defect spoils at this point.
    pub fn tamper(&mut self, design: &mut D, point: P) {
        (self.plant.tamper)(design, point, &mut self.memo);
    }
}

/// A list of planted faults; `in` the unit of one build.
macro_rules! plants {
    (in $built:ty; $($name:literal, $defect:literal, |$unit:ident, $point:ident, $memo:ident| $body:block)*) => {
        /// Every planted fault.
        pub const PLANTS: &[$crate::plant::Plant] = &[$($crate::plant::Plant {
            name: $name,
            defect: $defect,
            tamper: |unit, $point, $memo| {
                let _ = (&$point, &$memo);
                let $unit = unit.downcast_mut::<$built>().expect("a unit of the build that these faults are of");
                $body
            },
        }),*];
    };
    ($($name:literal, $defect:literal, |$unit:ident, $point:ident, $memo:ident| $body:block)*) => {
        /// Every planted fault.
        pub const PLANTS: &[$crate::plant::Plant<Design, Place>] = &[$($crate::plant::Plant {
            name: $name,
            defect: $defect,
            tamper: |$unit, $point, $memo| {
                let _ = (&$point, &$memo);
                $body
            },
        }),*];
    };
}
pub(crate) use plants;

/// Of a list of faults each has a name of its own.
#[cfg(test)]
pub(crate) fn check_names<D: ?Sized, P>(plants: &[Plant<D, P>]) {
    for plant in plants {
        let found = Plant::among(plants, plant.name).expect("it is in the list");
        assert_eq!(found.defect, plant.defect, "two are called {}", plant.name);
    }
    assert!(Plant::among(plants, "none such").is_none());
}
