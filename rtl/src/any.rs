//! A unit in any of its builds, for code that selects the build at run time: testbenches, the exporter, tops for boards.

use crate::banked::unit::BankedHighClock;
use crate::hdl::{Name, Part, Visitor};
use crate::high_clock::unit::HighClock;
use crate::look::Point;
use crate::low_latency::unit::Unit;
use crate::pins::Pins;
use crate::word::parameters::{Build, Parameters};
use std::any::Any;
use std::ops::{Deref, DerefMut};

/// A unit in one of its builds; on the heap, since it is large.
#[derive(Clone)]
pub enum AnyUnit {
    /// Low latency.
    LowLatency(Box<Unit>),
    /// High clock, one port.
    HighClock(Box<HighClock>),
    /// High clock, several ports and banks.
    BankedHighClock(Box<BankedHighClock>),
}

impl Default for AnyUnit {
    fn default() -> Self {
        AnyUnit::LowLatency(Box::default())
    }
}

/// Calls the same on the unit of whichever build.
macro_rules! each_build {
    ($any:expr, $unit:ident => $then:expr) => {
        match $any {
            AnyUnit::LowLatency($unit) => $then,
            AnyUnit::HighClock($unit) => $then,
            AnyUnit::BankedHighClock($unit) => $then,
        }
    };
}

impl AnyUnit {
    /// A unit with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        match parameters.build {
            Build::LowLatency => AnyUnit::LowLatency(Box::new(Unit::new(parameters))),
            Build::HighClock => AnyUnit::HighClock(Box::new(HighClock::new(parameters))),
            Build::BankedHighClock => AnyUnit::BankedHighClock(Box::new(BankedHighClock::new(parameters))),
        }
    }

    /// Evaluates the whole unit: every process once, in data order. Outputs are then valid.
    #[inline(always)]
    pub fn settle(&mut self) {
        each_build!(self, unit => unit.settle());
    }

    /// Like `settle`, with a hook at each point that may change signals: `look` receives the unit, of the type of its build.
    pub fn settle_with(&mut self, look: &mut dyn FnMut(&mut dyn Any, Point)) {
        each_build!(self, unit => unit.settle_with(&mut |unit, point| look(unit, point)));
    }

    /// From now on a read that collides with a write to the same word returns `value`.
    pub fn poison_collisions(&mut self, value: u64) {
        each_build!(self, unit => unit.poison_collisions(value));
    }

    /// Contents of the memory word with this index, without the operations in flight.
    pub fn word(&self, index: usize) -> u64 {
        each_build!(self, unit => unit.word(index))
    }

    /// The clock edge, with `rst` low.
    #[inline(always)]
    pub fn clock(&mut self) {
        each_build!(self, unit => unit.clock());
    }

    /// The clock edge, with `rst` high.
    pub fn clock_in_reset(&mut self) {
        each_build!(self, unit => unit.clock_in_reset());
    }
}

impl Deref for AnyUnit {
    type Target = Pins;
    #[inline(always)]
    fn deref(&self) -> &Pins {
        each_build!(self, unit => &unit.pins)
    }
}

impl DerefMut for AnyUnit {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Pins {
        each_build!(self, unit => &mut unit.pins)
    }
}

impl Part for AnyUnit {
    fn visit(&self, name: Name, doc: &'static str, visitor: &mut dyn Visitor) {
        each_build!(self, unit => unit.visit(name, doc, visitor));
    }
    fn values<'a>(&self, room: &'a mut [u64]) -> &'a mut [u64] {
        each_build!(self, unit => unit.values(room))
    }
    fn tick(&mut self) {
        each_build!(self, unit => unit.clock());
    }
    fn reset(&mut self) {
        each_build!(self, unit => Part::reset(&mut **unit));
    }
}
