//! Rows: the address generator. Goes through the rows of a box, the lowest dimension first.
//!
//! **What.** Shows a row a cycle: where it begins in global memory, and whether its coordinates are inside the tensor. A row is
//! whatever dimension 0 holds; interleaved, it is a slice, and dimension 0 is gone through as the others are.
//!
//! ```text
//!   level 0..4     address of the row with the offsets of this dimension and of those above it
//!   offset 0..4    from the first coordinate, in element strides
//!
//!   take:   the lowest dimension whose offset has not come to its end goes on: its level + its increment is the address of
//!           the next row, and the level of all dimensions below, which begin again
//!
//!   cycle   0       1       2       3
//!   load    yes
//!   valid           1       1       1
//!   address         row 0   row 1   row 2         `address` is a register; `is_inside` follows from registers
//!   take            1       1       1
//! ```
//! **Every element once.** Offsets count like digits: each combination of them comes once, the last of all sets `valid` low. What the
//! box is of a dimension is gone through in steps of its element stride, so ceil(box / stride) of them.

use super::fields::{DIMENSIONS, PIECE_ADDRESS};
use crate::hardware;
use crate::hdl::*;

/// Width of a coordinate with its sign.
const COORDINATE: usize = 34;

hardware! {
    /// Rows: the address generator of tensor copies.
    pub module Rows = "tensor_rows" {
        /// A copy begins: everything below is there.
        pub load: Signal<In, Bit>,
        /// Address of its first row in pieces of 16 bytes.
        pub first: Signal<In, Bits<PIECE_ADDRESS>>,
        /// Pieces from one row to the next along each dimension.
        pub increment: Lanes<Signal<In, Bits<PIECE_ADDRESS>>> = Lanes::new(DIMENSIONS),
        /// Coordinates of its first row.
        pub at: Lanes<Signal<In, Bits<32>>> = Lanes::new(DIMENSIONS),
        /// Size - 1 of each dimension.
        pub last: Lanes<Signal<In, Bits<32>>> = Lanes::new(DIMENSIONS),
        /// Element stride - 1 of each dimension.
        pub step: Lanes<Signal<In, Bits<3>>> = Lanes::new(DIMENSIONS),
        /// Box - 1 of each dimension.
        pub box_last: Lanes<Signal<In, Bits<8>>> = Lanes::new(DIMENSIONS),
        /// Rank - 1.
        pub rank: Signal<In, Bits<3>>,
        /// Dimension 0 counts slices.
        pub sliced: Signal<In, Bit>,

        /// A row is shown.
        pub valid: OutControlReg<Bit>,
        /// Its address in pieces.
        pub address: Signal<Out, Bits<PIECE_ADDRESS>>,
        /// Its coordinates are inside the tensor.
        pub is_inside: Signal<Out, Bit>,
        /// It is taken.
        pub take: Signal<In, Bit>,

        /// Address of the row with the offsets of this dimension and of those above it.
        pub level: Lanes<Reg<Bits<PIECE_ADDRESS>>> = Lanes::new(DIMENSIONS),
        /// Pieces from one row to the next along each dimension.
        pub pace: Lanes<Reg<Bits<PIECE_ADDRESS>>> = Lanes::new(DIMENSIONS),
        /// How far the row is from the first.
        pub offset: Lanes<Reg<Bits<8>>> = Lanes::new(DIMENSIONS),
        /// Box - 1.
        pub box_of: Lanes<Reg<Bits<8>>> = Lanes::new(DIMENSIONS),
        /// Element stride - 1.
        pub step_of: Lanes<Reg<Bits<3>>> = Lanes::new(DIMENSIONS),
        /// Coordinates of the first row.
        pub from: Lanes<Reg<Bits<32>>> = Lanes::new(DIMENSIONS),
        /// Size - 1.
        pub last_of: Lanes<Reg<Bits<32>>> = Lanes::new(DIMENSIONS),

        /// The next offset of each dimension.
        pub reach: Lanes<Signal<Local, Bits<9>>> = Lanes::new(DIMENSIONS),
        /// Address there.
        pub beyond: Lanes<Signal<Local, Bits<PIECE_ADDRESS>>> = Lanes::new(DIMENSIONS),
        /// Dimensions whose box ends before it.
        pub ends: Signal<Local, Bits<DIMENSIONS>>,
        /// The dimension that goes on, as a bit.
        pub moves: Signal<Local, Bits<DIMENSIONS>>,
        /// Those below it.
        pub begins: Signal<Local, Bits<DIMENSIONS>>,
        /// The first coordinate of a dimension.
        pub origin: Signal<Local, Bits<32>>,
        /// Its offset.
        pub beside: Signal<Local, Bits<8>>,
        /// Its size - 1.
        pub size: Signal<Local, Bits<32>>,
        /// Its element stride - 1.
        pub pause: Signal<Local, Bits<3>>,
        /// Its box - 1.
        pub bound: Signal<Local, Bits<8>>,
        /// The coordinate of the row.
        pub coordinate: Signal<Local, Bits<COORDINATE>>,
    }
    processes { Look, Go }
    /// The block.
    built by pub fn new() {}
}

#[processes]
impl Rows {
    fn look(&mut self) {
        self.address.next = self.level[0].q.val();
        self.is_inside.next = true;
        self.ends.next = 0.into();
        for d in 0..5 {
            self.origin.next = self.from[d].q.val();
            self.beside.next = self.offset[d].q.val();
            self.size.next = self.last_of[d].q.val();
            self.pause.next = self.step_of[d].q.val();
            self.bound.next = self.box_of[d].q.val();
            self.coordinate.next =
                bit_cast::<COORDINATE, 32>(self.origin.val()) + bit_cast::<COORDINATE, 8>(self.beside.val());
            if self.origin.val().get_bit(31) {
                self.coordinate.next = (bit_cast::<COORDINATE, 32>(self.origin.val()) | (bits::<COORDINATE>(3) << 32))
                    + bit_cast::<COORDINATE, 8>(self.beside.val());
            }
            // a negative one is above every size
            if self.coordinate.val() > bit_cast::<COORDINATE, 32>(self.size.val()) {
                self.is_inside.next = false;
            }
            self.reach[d].next = (bit_cast::<9, 8>(self.beside.val()) + bit_cast::<9, 3>(self.pause.val())) + 1;
            self.beyond[d].next = self.level[d].q.val() + self.pace[d].q.val();
            if self.reach[d].val() > bit_cast::<9, 8>(self.bound.val()) {
                self.ends.next = self.ends.val() | (bits::<DIMENSIONS>(1) << d);
            }
        }
        // the lowest that does not end, and all below it
        self.moves.next = !self.ends.val() & (self.ends.val() + 1);
        self.begins.next = self.ends.val() & (self.moves.val() - 1);
    }

    fn go(&mut self) {
        if self.take.val() & !self.moves.val().any() {
            self.valid.d.next = false;
        }
        for d in 0..5 {
            keep!(self.level[d], self.pace[d], self.offset[d], self.box_of[d], self.step_of[d], self.from[d]);
            keep!(self.last_of[d]);
            if self.take.val() {
                if self.moves.val().get_bit(d) {
                    self.offset[d].d.next = self.reach[d].val().get_bits::<8>(0);
                    self.level[d].d.next = self.beyond[d].val();
                }
                if self.begins.val().get_bit(d) {
                    self.offset[d].d.next = 0.into();
                    for m in 0..5 {
                        if self.moves.val().get_bit(m) {
                            self.level[d].d.next = self.beyond[m].val();
                        }
                    }
                }
            }
            if self.load.val() {
                self.level[d].d.next = self.first.val();
                self.pace[d].d.next = self.increment[d].val();
                self.offset[d].d.next = 0.into();
                self.box_of[d].d.next = self.box_last[d].val();
                self.step_of[d].d.next = self.step[d].val();
                self.from[d].d.next = self.at[d].val();
                self.last_of[d].d.next = self.last[d].val();
                // interleaved, a box is one deep in slices of channels, the last dimension but one
                if self.sliced.val() & ((self.rank.val() - 1) == d.to_bits()) {
                    self.box_of[d].d.next = 0.into();
                }
            }
        }
        if self.load.val() {
            self.valid.d.next = true;
            for d in 1..5 {
                if self.rank.val() < d.to_bits() {
                    self.from[d].d.next = 0.into();
                }
            }
            if !self.sliced.val() {
                clear!(self.box_of[0], self.from[0]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// A box as it is defined: each combination of offsets once.
    fn by_definition(sides: &[u64; 5], steps: &[u64; 5], rank: usize, sliced: bool) -> Vec<[u64; 5]> {
        let mut found = vec![[0; 5]];
        for dimension in 0..rank {
            let one = if sliced { dimension + 2 == rank } else { dimension == 0 };
            let end = if one { 1 } else { sides[dimension] };
            let along: Vec<u64> = (0..end).step_by(steps[dimension] as usize).collect();
            let with = |offset: &u64| {
                let mut all = found.clone();
                all.iter_mut().for_each(|offsets| offsets[dimension] = *offset);
                all
            };
            found = along.iter().flat_map(with).collect();
        }
        found
    }

    /// Every row of a box comes once and nothing outside of it: addresses and whether they are inside are those of its
    /// coordinates, for all boxes of a range and odd strides.
    #[test]
    fn every_row_of_a_box_comes_once() {
        let mut noise = 0x1234_5678_9abc_def1u64;
        let mut below = |limit: u64| {
            noise ^= noise << 13;
            noise ^= noise >> 7;
            noise ^= noise << 17;
            noise % limit
        };
        for case in 0..4_000 {
            let sliced = case % 3 == 2;
            let rank = if sliced { 3 + below(3) as usize } else { 1 + below(5) as usize };
            let wide = below(12) == 0;
            let most = if wide { 256 } else { 5 };
            let mut sides = [1; 5];
            let (mut steps, mut paces, mut from, mut sizes) = ([1; 5], [0; 5], [0i64; 5], [1; 5]);
            for dimension in 0..rank {
                sides[dimension] = if wide && dimension > 2 { 1 } else { 1 + below(most) };
                steps[dimension] = 1 + below(8);
                paces[dimension] = below(1 << 40);
                from[dimension] =
                    if below(20) == 0 { i64::from(below(1 << 32) as u32 as i32) } else { below(12) as i64 - 6 };
                let largest = if below(20) == 0 { 1 << 32 } else { 12 };
                sizes[dimension] = 1 + below(largest);
            }
            let first = below(1 << 44);
            let mut rows = Rows::new();
            rows.load.next = true;
            rows.first.next = first.into();
            rows.rank.next = (rank as u64 - 1).into();
            rows.sliced.next = sliced;
            for dimension in 0..5 {
                rows.increment[dimension].next = paces[dimension].into();
                rows.at[dimension].next = u64::from(from[dimension] as i32 as u32).into();
                rows.last[dimension].next = (sizes[dimension] - 1).into();
                rows.step[dimension].next = (steps[dimension] - 1).into();
                rows.box_last[dimension].next = (sides[dimension] - 1).into();
            }
            let count = |all: &mut BTreeMap<(u64, bool), u32>, address, inside| {
                *all.entry((address, inside)).or_insert(0) += 1;
            };
            let mut expected = BTreeMap::new();
            for offsets in by_definition(&sides, &steps, rank, sliced) {
                let (mut address, mut inside) = (first, true);
                for dimension in 0..rank {
                    address += offsets[dimension] / steps[dimension] * paces[dimension];
                    let at = from[dimension] + offsets[dimension] as i64;
                    let counts = sliced || dimension > 0;
                    inside &= !counts || (0..sizes[dimension] as i64).contains(&at);
                }
                count(&mut expected, address & ((1 << PIECE_ADDRESS) - 1), inside);
            }
            let mut found = BTreeMap::new();
            rows.settle();
            rows.tick();
            rows.load.next = false;
            while rows.valid.q.val() {
                rows.settle();
                rows.take.next = below(4) > 0;
                if rows.take.val() {
                    count(&mut found, rows.address.val().raw(), rows.is_inside.val());
                }
                rows.settle();
                rows.tick();
            }
            assert_eq!(found, expected, "case {case}");
        }
    }
}
