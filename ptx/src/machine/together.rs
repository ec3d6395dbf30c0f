//! Warp-wide computation: shuffles, votes, elections, matches and reductions (PTX ISA 9.7.9 and 9.7.13).

use crate::effect::{Atom, Meaning, Shuffle, Together, Vote};
use txbar_testbench::scoreboard::each;

/// Results of one lane, and how many there are.
pub type Results = ([u64; 2], usize);

/// What each lane of `lanes` gets; `asked` is what each asks for, by lane. All ask for the same kind of thing.
pub fn resolve(lanes: u32, asked: &[Option<Together>; 32], out: &mut [Results; 32]) {
    let of = |lane: usize| asked[lane].filter(|_| lanes >> lane & 1 != 0);
    let each = || each(u64::from(lanes));
    let mask_of =
        |is: &dyn Fn(usize) -> bool| each().filter(|lane| is(*lane)).fold(0u32, |mask, lane| mask | 1 << lane);
    for lane in each() {
        let Some(what) = asked[lane] else { continue };
        out[lane] = match what {
            Together::Sync | Together::Matrix { .. } => ([0; 2], 0), // see `matrices`
            Together::Elect => {
                let elected = lanes.trailing_zeros();
                ([u64::from(elected), (elected == lane as u32) as u64], 2)
            }
            Together::Shuffle { mode, value, lane: b, clamp } => {
                let (source, inside) = source_of(lane as u32, mode, b, clamp);
                let theirs = match of(source as usize) {
                    Some(Together::Shuffle { value: theirs, .. }) if inside => theirs,
                    _ => value, // outside of its segment a lane keeps its own; of a lane that is not there PTX says nothing
                };
                ([u64::from(theirs), inside as u64], 2)
            }
            Together::Vote { mode, .. } => {
                let yes = mask_of(&|lane| matches!(asked[lane], Some(Together::Vote { predicate: true, .. })));
                let result = match mode {
                    Vote::All => (yes == lanes) as u64,
                    Vote::Any => (yes != 0) as u64,
                    Vote::Uniform => (yes == 0 || yes == lanes) as u64,
                    Vote::Ballot => u64::from(yes),
                };
                ([result, 0], 1)
            }
            Together::Match { all, value } => {
                let same = mask_of(
                    &|lane| matches!(asked[lane], Some(Together::Match { value: theirs, .. }) if theirs == value),
                );
                match all {
                    false => ([u64::from(same), 0], 1),
                    true if same == lanes => ([u64::from(lanes), 1], 2),
                    true => ([0, 0], 2),
                }
            }
            Together::Reduce { atom, meaning, .. } => {
                let values = each().filter_map(|lane| match asked[lane] {
                    Some(Together::Reduce { value, .. }) => Some(value),
                    _ => None,
                });
                let reduced = values.reduce(|a, b| match (atom, meaning) {
                    (Atom::Add, _) => a.wrapping_add(b),
                    (Atom::And, _) => a & b,
                    (Atom::Or, _) => a | b,
                    (Atom::Xor, _) => a ^ b,
                    (Atom::Min, Meaning::Signed) => (a as i32).min(b as i32) as u32,
                    (Atom::Max, Meaning::Signed) => (a as i32).max(b as i32) as u32,
                    (Atom::Min, _) => a.min(b),
                    (Atom::Max, _) => a.max(b),
                    _ => a,
                });
                ([u64::from(reduced.unwrap_or(0)), 0], 1)
            }
        };
    }
}

/// The lanes on whose values the results of one lane depend.
pub fn needs(lane: usize, lanes: u32, asked: &[Option<Together>; 32]) -> u32 {
    match asked[lane] {
        Some(Together::Sync | Together::Elect) => 0,
        Some(Together::Shuffle { mode, lane: b, clamp, .. }) => {
            1 << lane | 1 << source_of(lane as u32, mode, b, clamp).0
        }
        _ => lanes,
    }
}

/// The lane that a shuffle reads, and whether it is inside of the segment (the predicate of `shfl.sync`).
fn source_of(lane: u32, mode: Shuffle, b: u32, clamp: u32) -> (u32, bool) {
    let (b, segment) = (b & 31, clamp >> 8 & 31);
    let clamp = clamp & 31;
    let highest = lane & segment | clamp & !segment;
    let lowest = lane & segment;
    let (source, inside) = match mode {
        Shuffle::Up => (lane.wrapping_sub(b), lane as i32 - b as i32 >= highest as i32),
        Shuffle::Down => (lane + b, lane + b <= highest),
        Shuffle::Butterfly => (lane ^ b, lane ^ b <= highest),
        Shuffle::Index => {
            let source = lowest | b & !segment;
            (source, source <= highest)
        }
    };
    (if inside { source & 31 } else { lane }, inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shuffle(mode: Shuffle, b: u32, clamp: u32) -> Vec<(u64, u64)> {
        let asked =
            std::array::from_fn(|lane| Some(Together::Shuffle { mode, value: 100 + lane as u32, lane: b, clamp }));
        let mut out = [([0; 2], 0); 32];
        resolve(u32::MAX, &asked, &mut out);
        out.iter().map(|(results, _)| (results[0], results[1])).collect()
    }

    #[test]
    fn shuffles_stay_in_their_segments() {
        // CUDA's __shfl_up_sync has clamp 0, the others 31, with the segment mask in bits 12:8
        let up = shuffle(Shuffle::Up, 1, 0);
        assert_eq!((up[0], up[5]), ((100, 0), (104, 1)));
        let down = shuffle(Shuffle::Down, 16, 31);
        assert_eq!((down[0], down[16]), ((116, 1), (116, 0)));
        let halves = shuffle(Shuffle::Down, 8, 0x101f);
        assert_eq!((halves[7], halves[8], halves[16]), ((115, 1), (108, 0), (124, 1)));
        let butterfly = shuffle(Shuffle::Butterfly, 3, 31);
        assert_eq!((butterfly[0], butterfly[6]), ((103, 1), (105, 1)));
        let index = shuffle(Shuffle::Index, 9, 0x181f);
        assert_eq!((index[0], index[31]), ((101, 1), (125, 1)));
    }

    #[test]
    fn votes_count_the_lanes_of_the_mask_only() {
        let lanes = 0b1101;
        let asked = |mode| {
            let mut asked = [None; 32];
            for lane in [0, 2, 3] {
                asked[lane] = Some(Together::Vote { mode, predicate: lane != 2 });
            }
            asked
        };
        let mut out = [([0; 2], 0); 32];
        for (mode, result) in [(Vote::All, 0), (Vote::Any, 1), (Vote::Uniform, 0), (Vote::Ballot, 0b1001)] {
            resolve(lanes, &asked(mode), &mut out);
            assert_eq!(out[3], ([result, 0], 1), "{mode:?}");
        }
        assert_eq!(out[1], ([0; 2], 0), "a lane outside of the mask gets nothing");
    }

    #[test]
    fn the_lowest_lane_is_elected() {
        let mut out = [([0; 2], 0); 32];
        resolve(0xf0, &[Some(Together::Elect); 32], &mut out);
        assert_eq!((out[4], out[5]), (([4, 1], 2), ([4, 0], 2)));
    }

    #[test]
    fn matches_and_reductions() {
        let mut asked = [None; 32];
        for (lane, value) in [(1, 7), (2, 8), (3, 7)] {
            asked[lane] = Some(Together::Match { all: false, value });
        }
        let mut out = [([0; 2], 0); 32];
        resolve(0b1110, &asked, &mut out);
        assert_eq!((out[1].0[0], out[2].0[0]), (0b1010, 0b0100));
        for (lane, value) in [(1, u32::MAX), (2, 8), (3, 7)] {
            asked[lane] = Some(Together::Reduce { atom: Atom::Min, meaning: Meaning::Signed, value });
        }
        resolve(0b1110, &asked, &mut out);
        assert_eq!(out[2], ([u64::from(u32::MAX), 0], 1));
    }
}
