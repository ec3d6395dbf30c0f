//! An order of processes that is not a data order is found, whatever the values.

use txbar_hdl::order::{Ordered, check};
use txbar_hdl::*;

hardware! {
    /// Doubles what comes in, from a table if it is asked to.
    pub module Doubler = "doubler" {
        /// What comes in.
        pub term: Signal<In, Bits<4>>,
        /// Twice as much.
        pub double: Signal<Out, Bits<4>>,
    }
    processes { Double }
}

#[processes]
impl Doubler {
    fn double(&mut self) {
        self.double.next = self.term.val() << 1;
    }
}

hardware! {
    /// A chain: first, the doubler, a table, last.
    pub module Chain = "chain" {
        /// What comes in.
        pub term: Signal<In, Bits<4>>,
        /// Whether the table counts.
        pub looks: Signal<In, Bit>,
        /// The block in the middle.
        pub(crate) doubler: Doubler,
        /// A table.
        pub(crate) table: LutRam<Bits<4>, Bits<4>>,
        /// What comes of it.
        pub result: OutReg<Bits<4>>,
    }
    processes { First, Address, Last }
}

#[processes]
impl Chain {
    fn first(&mut self) {
        self.doubler.term.next = self.term.val() + 1;
    }

    fn address(&mut self) {
        self.table.read_address.next = self.doubler.double.val();
        self.table.write_address.next = 0.into();
        self.table.write_data.next = 0.into();
        self.table.write_enable.next = false;
    }

    fn last(&mut self) {
        self.result.d.next = self.term.val();
        if self.looks.val() {
            self.result.d.next = self.table.read_data.val();
        }
    }
}

/// What is said of a chain whose processes run in the order of these letters.
fn said(order: &str) -> Result<Ordered, String> {
    let mut chain = Chain { table: LutRam::new(16), ..Chain::default() };
    check(&mut chain, &(), &Names::default(), |chain| {
        for letter in order.chars() {
            match letter {
                'f' => Process::<First>::update(chain),
                'd' => Process::<Double>::update(&mut chain.doubler),
                'a' => Process::<Address>::update(chain),
                _ => Process::<Last>::update(chain),
            }
        }
    })
}

#[test]
fn the_one_order_of_the_data_is_found_right() {
    let ordered = said("fdal").expect("it is one of the data");
    assert_eq!((ordered.dependencies, ordered.asleep.len()), (3, 0));
}

#[test]
fn every_other_order_is_wrong_although_no_value_shows_it() {
    for (order, error) in [
        ("fadl", "address reads doubler_double before doubler.double drives it"),
        ("dfal", "doubler.double reads doubler.term before first drives it"),
        ("lfda", "last reads table_read_data before address drives it"),
        ("fdla", "last reads table_read_data before address drives it"),
        ("fddal", "doubler.double runs twice"),
    ] {
        assert_eq!(said(order), Err(error.to_owned()), "{order}");
    }
}

#[test]
fn a_process_that_does_not_run_is_named() {
    let ordered = said("fda").expect("the others run in order");
    assert_eq!(ordered.asleep.into_iter().collect::<Vec<_>>(), ["Last of Chain"]);
}

#[test]
fn a_process_of_another_design_is_noticed() {
    let (mut chain, mut other) = (Chain { table: LutRam::new(16), ..Chain::default() }, Doubler::default());
    let found = check(&mut chain, &(), &Names::default(), |_| Process::<Double>::update(&mut other));
    assert_eq!(found, Err("Double of Doubler runs and is not in the design".to_owned()));
}
