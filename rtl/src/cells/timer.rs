//! Timer: time since reset, in nanoseconds or fractions of them.

use crate::hardware;
use crate::hdl::*;
use crate::word::parameters::Clock;

hardware! {
    /// Timer: time since reset.
    pub module Timer = "timer" {
        /// Time since reset; wraps around.
        pub now: OutControlReg<Time>,
        /// Period of the clock.
        pub period: usize = clock.period,
    }
    processes { Count }
    /// A timer of this clock.
    built by pub fn new(clock: Clock) {}
}

#[processes]
impl Timer {
    fn count(&mut self) {
        self.now.d.next = self.now.q.val() + self.period.to_bits();
    }
}
