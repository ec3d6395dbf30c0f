//! Fixed-capacity array of signals or blocks.

use super::known::Count;
use super::part::{Call, Name, Part, Visitor};
use std::ops::{Deref, DerefMut, Index, IndexMut};

/// Up to `MOST` signals, registers or blocks of one kind.
///
/// In kernels it is an array; in the simulator it is one without a pointer to follow or a bound to check, which is why it
/// is not a `Vec`. `MOST` is a power of two.
#[derive(Clone, Debug)]
pub struct Lanes<T, const MOST: usize> {
    lanes: [T; MOST],
    count: usize,
}

/// Zero or one: a part that parameters may leave out.
pub type Single<T> = Lanes<T, 1>;

impl<T: Default, const MOST: usize> Default for Lanes<T, MOST> {
    fn default() -> Self {
        Self { lanes: std::array::from_fn(|_| T::default()), count: 0 }
    }
}

impl<T: Default, const INNER: usize, const MOST: usize> Lanes<Lanes<T, INNER>, MOST> {
    /// `count` lanes of `inner` lanes each.
    pub fn grid(count: usize, inner: usize) -> Self {
        Self::of(count, || Lanes::new(inner))
    }
}

impl<T: Default, const MOST: usize> Lanes<T, MOST> {
    /// `count` lanes, each in its default state.
    pub fn new(count: usize) -> Self {
        Self::of(count, T::default)
    }

    /// `count` lanes, each made anew.
    pub fn of(count: usize, mut lane: impl FnMut() -> T) -> Self {
        assert!(count <= MOST && MOST.is_power_of_two(), "there are at most {MOST} lanes");
        Self { lanes: std::array::from_fn(|k| if k < count { lane() } else { T::default() }), count }
    }
}

impl<T, const MOST: usize> Count for Lanes<T, MOST> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.count
    }
}

impl<T, const MOST: usize> Index<usize> for Lanes<T, MOST> {
    type Output = T;
    #[inline(always)]
    fn index(&self, lane: usize) -> &T {
        debug_assert!(lane < self.count);
        &self.lanes[lane % MOST]
    }
}

impl<T, const MOST: usize> IndexMut<usize> for Lanes<T, MOST> {
    #[inline(always)]
    fn index_mut(&mut self, lane: usize) -> &mut T {
        debug_assert!(lane < self.count);
        &mut self.lanes[lane % MOST]
    }
}

impl<T, const MOST: usize> Deref for Lanes<T, MOST> {
    type Target = [T];
    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.lanes[..self.count]
    }
}

impl<T, const MOST: usize> DerefMut for Lanes<T, MOST> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.lanes[..self.count]
    }
}

impl<P: Part, const MOST: usize> Part for Lanes<P, MOST> {
    fn visit(&self, name: Name, doc: &'static str, visitor: &mut dyn Visitor) {
        (0..P::leaves()).for_each(|leaf| self.visit_leaf(leaf, name, doc, visitor));
    }
    #[inline]
    fn values<'a>(&self, room: &'a mut [u64]) -> &'a mut [u64] {
        (0..P::leaves()).fold(room, |room, leaf| self.leaf_values(leaf, room))
    }
    fn leaves() -> usize {
        P::leaves()
    }
    fn visit_leaf(&self, leaf: usize, name: Name, doc: &'static str, visitor: &mut dyn Visitor) {
        for (index, part) in self.iter().enumerate() {
            part.visit_leaf(leaf, name.lane(index), doc, visitor);
        }
    }
    #[inline]
    fn leaf_values<'a>(&self, leaf: usize, mut room: &'a mut [u64]) -> &'a mut [u64] {
        for part in self.iter() {
            room = part.leaf_values(leaf, room);
        }
        room
    }
    #[inline]
    fn call(&mut self, call: Call) -> bool {
        self.iter_mut().any(|part| part.call(call))
    }
    #[inline]
    fn look_up(&mut self) {
        self.iter_mut().for_each(P::look_up);
    }
    #[inline(always)]
    fn tick(&mut self) {
        // `take` cannot panic: where the parts are signals, which do nothing here, there is nothing left for the compiler to keep
        for part in self.lanes.iter_mut().take(self.count) {
            part.tick();
        }
    }
    #[inline(always)]
    fn tick_staged(&mut self) {
        for part in self.lanes.iter_mut().take(self.count) {
            part.tick_staged();
        }
    }
    #[inline(always)]
    fn clear(&mut self) {
        for part in self.iter_mut() {
            part.clear();
        }
    }
    #[inline(always)]
    fn keep(&mut self) {
        for part in self.iter_mut() {
            part.keep();
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
        let lanes: Lanes<i32, 8> = Lanes::of(3, || {
            made += 1;
            made
        });
        assert_eq!(*lanes, [1, 2, 3]);
        assert_eq!(lanes[2], 3);
    }
}
