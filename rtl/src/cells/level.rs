//! Level: an up/down counter of occupied places, from registers, two cycles late.

use crate::hardware;
use crate::hdl::*;

hardware! {
    /// Level: how many there are, counted from registers.
    ///
    /// ```text
    ///   cycle    0    1    2
    ///   comes    1
    ///   more          1
    ///   count              1
    /// ```
    pub module Level = "level" {
        /// One comes.
        pub comes: Signal<In, Bit>,
        /// One goes.
        pub goes: Signal<In, Bit>,
        /// How many there are.
        pub count: OutControlReg<Bits<6>>,

        /// One more is there.
        pub more: ControlReg<Bit>,
        /// One less is.
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
