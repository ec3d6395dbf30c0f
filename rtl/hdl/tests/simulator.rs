//! The simulator: processes that drive some signals early and others late, memories, and loops.

use txbar_hdl::*;

hardware! {
    /// Adds one.
    pub module More = "more" {
        /// A number.
        pub number: Signal<In, Bits<8>>,
        /// The next one.
        pub more: Signal<Out, Bits<8>>,
    }
    processes { Add }
}

#[processes]
impl More {
    fn add(&mut self) {
        self.more.next = self.number.val() + 1;
    }
}

hardware! {
    /// Adds one several times, looks that up, and may give it back.
    pub module Chain = "chain" {
        /// Give back what was found.
        pub circle: Signal<In, Bit>,
        /// The numbers.
        pub number: Lanes<Signal<Out, Bits<8>>, 4>,
        /// What was found.
        pub found: Signal<Out, Bits<8>>,
        /// What is added.
        pub(crate) step: Lanes<More, 4>,
        /// What is kept of each number.
        pub(crate) table: LutRam<Bits<8>, Bits<8>>,
        /// Steps that take a number of the step before; without it, the first one takes that of the last.
        pub(crate) steps: usize,
        /// How many steps take what was found.
        pub(crate) loops: usize,
    }
    processes { Join }
}

#[processes]
impl Chain {
    fn join(&mut self) {
        self.found.next = self.table.read_data.val();
        self.table.read_address.next = self.step[3].more.val();
        self.table.write_enable.next = self.circle.val();
        self.table.write_address.next = self.step[3].more.val();
        self.table.write_data.next = self.step[2].more.val();
        for s in 0..self.steps {
            self.step[s + 1].number.next = self.step[s].more.val();
            self.number[s + 1].next = self.step[s + 1].more.val();
        }
        self.number[0].next = self.step[0].more.val();
        self.step[0].number.next = 7.into();
        for _l in 0..self.loops {
            self.step[0].number.next = self.found.val();
        }
    }
}

fn chain(loops: usize) -> Result<Simulator<Chain>, String> {
    let (number, step, table) = (Lanes::new(4), Lanes::new(4), LutRam::new(16));
    Simulator::new(Chain { number, step, table, steps: 3, loops, ..Chain::default() }, &(), &Names::default())
}

#[test]
fn one_process_may_stand_before_and_behind_others() {
    let mut chain = chain(0).expect("no loop");
    chain.circle.next = true;
    chain.settle();
    assert_eq!([0, 1, 2, 3].map(|s| chain.number[s].val().raw()), [8, 9, 10, 11]);
    assert_eq!(chain.found.val(), 0);
    chain.tick();
    chain.settle();
    assert_eq!(chain.found.val(), 10);
}

#[test]
fn a_loop_is_told_by_its_signals() {
    let error = chain(1).err().expect("a loop");
    assert!(error.starts_with("a combinational loop") && error.contains("step_0_number"), "{error}");
    assert!(error.contains("found") && !error.contains("write_enable"), "{error}");
}
