//! Level: an up/down counter of occupied places, from registers, two cycles late.

use crate::hardware;
use crate::hdl::*;

hardware! {
    /// Level: up/down counter with registered inputs.
    ///
    /// ```text
    ///   cycle    0    1    2
    ///   comes    1
    ///   more          1
    ///   count              1
    /// ```
    pub module Level = "level" {
        /// Increment.
        pub comes: Signal<In, Bit>,
        /// Decrement.
        pub goes: Signal<In, Bit>,
        /// Number of occupied places.
        pub count: OutControlReg<Bits<6>>,

        /// Increment, registered; zero if a decrement comes with it.
        pub more: ControlReg<Bit>,
        /// Decrement, registered; zero if an increment comes with it.
        pub less: ControlReg<Bit>,
    }
    processes { Step }
}

#[processes]
impl Level {
    fn step(&mut self) {
        self.more.d.next = self.comes.val() & !self.goes.val();
        self.less.d.next = self.goes.val() & !self.comes.val();
        if self.more.q.val() {
            self.count.d.next = self.count.q.val() + 1;
        }
        if self.less.q.val() {
            self.count.d.next = self.count.q.val() - 1;
        }
    }
}
