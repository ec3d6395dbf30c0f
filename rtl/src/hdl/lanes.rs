//! A few of the same, side by side.

use super::part::{Name, Part, Visitor};
use std::ops::{Deref, DerefMut, Index, IndexMut};

/// How many lanes there can be.
pub const MOST_LANES: usize = 8;

/// Up to eight signals, registers or blocks of one kind: one a port.
///
/// In kernels it is an array; in the simulator it is one without a pointer to follow or a bound to check, which is why it
/// is not a `Vec`.
#[derive(Clone, Debug)]
pub struct Lanes<T> {
    lanes: [T; MOST_LANES],
    count: usize,
}

impl<T: Default> Default for Lanes<T> {
    fn default() -> Self {
        Self { lanes: std::array::from_fn(|_| T::default()), count: 0 }
    }
}

impl<T: Default> Lanes<T> {
    /// `count` lanes, each in its default state.
    pub fn new(count: usize) -> Self {
        Self::of(count, T::default)
    }

    /// `count` lanes, each made anew.
    pub fn of(count: usize, mut lane: impl FnMut() -> T) -> Self {
        assert!(count <= MOST_LANES, "there are at most {MOST_LANES} lanes");
        Self { lanes: std::array::from_fn(|k| if k < count { lane() } else { T::default() }), count }
    }
}

impl<T> Index<usize> for Lanes<T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, lane: usize) -> &T {
        debug_assert!(lane < self.count);
        &self.lanes[lane % MOST_LANES]
    }
}

impl<T> IndexMut<usize> for Lanes<T> {
    #[inline(always)]
    fn index_mut(&mut self, lane: usize) -> &mut T {
        debug_assert!(lane < self.count);
        &mut self.lanes[lane % MOST_LANES]
    }
}

impl<T> Deref for Lanes<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.lanes[..self.count]
    }
}

impl<T> DerefMut for Lanes<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.lanes[..self.count]
    }
}

impl<P: Part> Part for Lanes<P> {
    fn visit(&self, name: Name, doc: &'static str, visitor: &mut dyn Visitor) {
        for (index, part) in self.iter().enumerate() {
            part.visit(Name { field: name.field, index: Some(index) }, doc, visitor);
        }
    }
    #[inline(always)]
    fn tick(&mut self) {
        for part in self.iter_mut() {
            part.tick();
        }
    }
    #[inline(always)]
    fn reset(&mut self) {
        for part in self.iter_mut() {
            part.reset();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_lanes_that_there_are_can_be_seen() {
        let mut made = 0;
        let lanes = Lanes::of(3, || {
            made += 1;
            made
        });
        assert_eq!(*lanes, [1, 2, 3]);
        assert_eq!(lanes[2], 3);
    }
}
