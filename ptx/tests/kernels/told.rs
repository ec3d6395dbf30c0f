//! Reports about wrong kernels, as a newcomer reads them: hang tables and mistakes.

use crate::kernels::{Kernel, all};
use txbar_ptx::machine::Schedule;

#[test]
fn groups_that_wait_for_a_barrier_share_its_lines() {
    insta::assert_snapshot!(Kernel::open("bug_wrong_starting_parity_ring").told(Schedule::RoundRobin));
}

#[test]
fn bytes_that_are_missing() {
    insta::assert_snapshot!(Kernel::open("bug_expect_tx_bytes").told(Schedule::RoundRobin));
}

#[test]
fn bytes_of_a_multicast_that_are_not_expected() {
    insta::assert_snapshot!(Kernel::open("bug_expect_tx_bytes_multicast").told(Schedule::RoundRobin));
}

#[test]
fn too_small_a_count_is_told_before_what_follows_from_it() {
    insta::assert_snapshot!(Kernel::open("bug_init_count_all_lanes").told(Schedule::RoundRobin));
}

#[test]
fn too_large_a_count() {
    insta::assert_snapshot!(Kernel::open("bug_init_count").told(Schedule::RoundRobin));
}

#[test]
fn a_fault_shows_the_word_before() {
    insta::assert_snapshot!(Kernel::open("bug_tx_overflow").told(Schedule::RoundRobin));
}

#[test]
fn too_small_a_count_for_another_cta_names_who_initialised_and_who_arrived() {
    insta::assert_snapshot!(Kernel::open("bug_init_count_remote").told(Schedule::RoundRobin));
}

#[test]
fn threads_that_wait_for_each_other() {
    insta::assert_snapshot!(Kernel::open("broken_deadlock").told(Schedule::RoundRobin));
}

#[test]
fn the_first_thing_told_of_every_bug_is_its_name() {
    let mut seen = 0;
    for kernel in all().into_iter().filter(|kernel| kernel.name.starts_with("bug_") && kernel.has("diagnosis")) {
        seen += 1;
        let (bug, line) = kernel.diagnosis();
        let wanted = format!("{bug}: line {line}:");
        // the first name in the text: of a mistake behind its cross, of a hang behind `diagnosis`
        let begins = |told: &str| {
            let name = |line: &str| {
                let line = line.trim_start();
                line.strip_prefix("× ").or(line.strip_prefix("diagnosis: ")).map(|line| line.starts_with(&wanted))
            };
            told.lines().find_map(name) == Some(true)
        };
        let schedules = std::iter::once(Schedule::RoundRobin).chain((0..20).map(Schedule::Random));
        assert!(schedules.into_iter().any(|schedule| begins(&kernel.told(schedule))), "{}: {wanted}", kernel.name);
    }
    assert!(seen > 20, "there are {seen}");
}

#[test]
fn sound_kernels_that_look_odd_are_left_alone() {
    for name in ["odd_lag_one", "odd_elected", "odd_flag_volatile", "odd_in_place", "odd_skipped"] {
        let kernel = Kernel::open(name);
        for seed in 0..10 {
            assert_eq!(kernel.told(Schedule::Random(seed)), "", "{name} with seed {seed}");
        }
    }
}
