//! Beat: the clock of a blinking LED. A square wave that is slow enough to be seen, and a tick at each of its edges.
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
    /// Beat: a square wave that people can see.
    pub module Beat = "beat" {
        /// It changes with the next clock edge.
        pub tick: Signal<Out, Bit>,
        /// The wave.
        pub wave: OutControlReg<Bit>,

        /// Cycles between two changes, less one.
        pub last: usize,
        /// Cycles since the last one.
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
    /// A beat that changes every so many cycles.
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
