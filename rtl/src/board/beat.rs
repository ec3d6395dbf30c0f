//! Beat: time base of a blinking LED: a slow square wave, and a pulse at each of its edges.
//!
//! ```text
//!   tick   __/‾\_____________/‾\_____________/‾\____    every `cycles` cycles
//!   wave   ____/‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾\_______________/‾‾‾
//! ```

use crate::hardware;
use crate::hdl::*;

/// Width of the count of cycles.
pub(crate) const COUNT_BITS: usize = 24;

hardware! {
    /// Beat: time base of a blinking LED.
    pub module Beat = "beat" {
        /// The wave changes with the next clock edge.
        pub tick: Signal<Out, Bit>,
        /// Square wave.
        pub wave: OutControlReg<Bit>,

        /// Cycles between two edges, less one.
        pub last: usize,
        /// Cycles since the last edge.
        pub count: ControlReg<Bits<COUNT_BITS>>,
    }
    processes { Turn }
}

#[processes]
impl Beat {
    #[inline]
    fn turn(&mut self) {
        self.tick.next = self.count.q.val().index() == self.last;
        self.wave.d.next = self.wave.q.val() != self.tick.val();
        self.count.d.next = self.count.q.val() + 1;
        if self.tick.val() {
            self.count.d.next = 0.into();
        }
    }
}

impl Beat {
    /// A beat with an edge every `cycles` cycles.
    pub fn new(cycles: usize) -> Self {
        assert!((1..=1 << COUNT_BITS).contains(&cycles));
        Self { last: cycles - 1, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_changes_every_so_many_cycles() {
        let mut beat = Beat::new(5);
        for cycle in 0..40 {
            beat.settle();
            assert_eq!(beat.tick.val(), cycle % 5 == 4);
            assert_eq!(beat.wave.q.val(), cycle / 5 % 2 == 1);
            beat.tick();
        }
    }
}
