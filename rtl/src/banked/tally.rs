//! Tally: lowest of up to eight sources, and whether there are several.

use super::batches::Sources;
use crate::hardware;
use crate::hdl::*;

hardware! {
    /// Tally: lowest of up to eight sources, and whether there are several. Two levels of logic and no adder: its carry would be the
    /// longest path of [`Batches`](super::batches::Batches).
    pub module Tally = "tally" {
        /// Sources.
        pub sources: Signal<In, Sources>,
        /// Lowest source, one-hot.
        pub first: Signal<Out, Sources>,
        /// At least one source.
        pub any: Signal<Out, Bit>,
        /// More than one source.
        pub several: Signal<Out, Bit>,

        /// The lowest source and all above it, within each pair.
        pub over_two: Signal<Local, Sources>,
        /// The lowest source and all above it, within each four.
        pub over_four: Signal<Local, Sources>,
        /// The lowest source and all above it.
        pub over_all: Signal<Local, Sources>,
        /// At least one source in each four.
        pub one: Lanes<Signal<Local, Bit>> = Lanes::new(2),
        /// More than one source in each four.
        pub two: Lanes<Signal<Local, Bit>> = Lanes::new(2),
    }
    processes { Find, Count }
    /// A tally of eight sources.
    built by pub fn of_eight() {}
}

#[processes]
impl Tally {
    fn find(&mut self) {
        self.over_two.next = self.sources.val() | (self.sources.val() << 1);
        self.over_four.next = self.over_two.val() | (self.over_two.val() << 2);
        self.over_all.next = self.over_four.val() | (self.over_four.val() << 4);
        self.first.next = self.sources.val() & !(self.over_all.val() << 1);
    }

    fn count(&mut self) {
        for half in 0..2 {
            self.one[half].next = self.sources.val().get_bits::<4>(4 * half).any();
            self.two[half].next = (self.sources.val().get_bit(4 * half) & self.sources.val().get_bit(4 * half + 1))
                | (self.sources.val().get_bit(4 * half + 2) & self.sources.val().get_bit(4 * half + 3))
                | ((self.sources.val().get_bit(4 * half) | self.sources.val().get_bit(4 * half + 1))
                    & (self.sources.val().get_bit(4 * half + 2) | self.sources.val().get_bit(4 * half + 3)));
        }
        self.any.next = self.one[0].val() | self.one[1].val();
        self.several.next = self.two[0].val() | self.two[1].val() | (self.one[0].val() & self.one[1].val());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_sets_of_sources_are_told_apart() {
        let mut tally = Tally::of_eight();
        for sources in 0..1u64 << 8 {
            tally.sources.next = sources.into();
            tally.settle();
            assert_eq!(tally.first.val().raw(), sources & sources.wrapping_neg(), "{sources:#b}");
            let counted = [tally.any.val(), tally.several.val()];
            assert_eq!(counted, [1, 2].map(|least| sources.count_ones() >= least), "{sources:#b}");
        }
    }
}
