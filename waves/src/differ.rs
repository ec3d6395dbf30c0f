//! Finds the values that differ, one bit each, so that changes can be processed by kind.

/// A bit each for this many values.
pub(crate) type Mask = u64;
/// How many those are. Values come in multiples of it.
pub(crate) const TOGETHER: usize = Mask::BITS as usize;
/// Values that are compared without a branch in between.
const AT_ONCE: usize = 16;

/// How many values there must be places for, to have these and a multiple of [`TOGETHER`].
pub(crate) fn padded(values: usize) -> usize {
    values.next_multiple_of(TOGETHER)
}

/// The bits for all values.
pub(crate) fn masks(bits: impl Iterator<Item = bool>) -> Vec<Mask> {
    let mut masks = Vec::new();
    for (position, bit) in bits.enumerate() {
        if position % TOGETHER == 0 {
            masks.push(0);
        }
        if let Some(mask) = masks.last_mut() {
            *mask |= Mask::from(bit) << (position % TOGETHER);
        }
    }
    masks
}

/// Notes where `new` is not as `old`, of those values that count.
pub(crate) fn compare(old: &[u64], new: &[u64], counting: &[Mask], differ: &mut [Mask]) {
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx2") {
        /// The same, with wider registers.
        #[target_feature(enable = "avx2")]
        fn wider(old: &[u64], new: &[u64], counting: &[Mask], differ: &mut [Mask]) {
            compare_all(old, new, counting, differ);
        }
        // SAFETY: the processor has them.
        return unsafe { wider(old, new, counting, differ) };
    }
    compare_all(old, new, counting, differ);
}

#[inline(always)]
fn compare_all(old: &[u64], new: &[u64], counting: &[Mask], differ: &mut [Mask]) {
    let (old, new) = (old.as_chunks::<TOGETHER>().0, new.as_chunks::<TOGETHER>().0);
    for (((old, new), counting), differ) in old.iter().zip(new).zip(counting).zip(differ) {
        let mut mask = 0;
        let parts = old.as_chunks::<AT_ONCE>().0.iter().zip(new.as_chunks::<AT_ONCE>().0);
        for (number, (old, new)) in parts.enumerate() {
            let mut part = 0;
            for place in 0..AT_ONCE {
                part |= u16::from(old[place] != new[place]) << place;
            }
            mask |= Mask::from(part) << (number * AT_ONCE);
        }
        *differ = mask & counting;
    }
}

/// Calls `found` with the number of every bit that is set.
#[inline(always)]
pub(crate) fn each(masks: impl Iterator<Item = Mask>, mut found: impl FnMut(usize)) {
    for (number, mut mask) in masks.enumerate() {
        while mask != 0 {
            found(number * TOGETHER + mask.trailing_zeros() as usize);
            mask &= mask - 1;
        }
    }
}

/// The bits that are set in both.
#[inline(always)]
pub(crate) fn both<'a>(one: &'a [Mask], other: &'a [Mask]) -> impl Iterator<Item = Mask> + 'a {
    one.iter().zip(other).map(|(one, other)| one & other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(masks: &[Mask]) -> Vec<usize> {
        let mut all = Vec::new();
        each(masks.iter().copied(), |position| all.push(position));
        all
    }

    #[test]
    fn differences_are_found_everywhere() {
        let old: Vec<u64> = (0..padded(3 * TOGETHER - 5) as u64).collect();
        assert_eq!(old.len(), 3 * TOGETHER);
        let counts = |place: usize| place % 7 != 3;
        let counting = masks((0..old.len()).map(counts));
        assert_eq!(found(&counting), (0..old.len()).filter(|place| counts(*place)).collect::<Vec<_>>());
        let mut differ = vec![Mask::MAX; counting.len()];
        compare(&old, &old, &counting, &mut differ);
        assert_eq!(found(&differ), []);
        for place in 0..old.len() {
            let mut new = old.clone();
            new[place] += 1;
            compare(&old, &new, &counting, &mut differ);
            assert_eq!(found(&differ), [place][..usize::from(counts(place))]);
        }
    }
}
