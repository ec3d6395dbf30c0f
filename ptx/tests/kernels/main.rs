//! Kernels of `ptx/kernels` on the hardware: what they leave behind, under many schedules, and what is wrong with those
//! that are broken.

mod cta_barriers;
mod files;
mod hangs;
mod kernels;
mod library;
mod lines;
mod mistakes;
mod mutations;
mod proxies;
mod races;
mod reach;
mod spins;
mod told;
mod warps;

use kernels::{Kernel, all};
use rayon::prelude::*;
use std::time::Instant;
use txbar_ptx::element::Format;
use txbar_ptx::machine::{End, Schedule};
use txbar_ptx::outcome::Outcome;
use txbar_testbench::test_env;

/// Schedules that a kernel is tried with if `TXBAR_ALL_SCHEDULES` is set.
const SCHEDULES: u64 = 100;
/// Schedules otherwise, at most: others in each run.
const SOME: u64 = 10;
/// Thread instructions and clock cycles of CTAs that all of these may take together: a third of a second or so. Long kernels get fewer schedules.
const WORK: u64 = 100_000;
/// But at least this one.
const FEW: u64 = 1;

/// Does something for each kernel, on all cores. Fails with what failed.
fn each(kernels: &[Kernel], check: impl Fn(&Kernel) -> Result<(), String> + Sync) {
    let failure = |kernel: &Kernel| check(kernel).err().map(|why| format!("{}: {why}", kernel.name));
    let failures: Vec<String> = kernels.par_iter().filter_map(failure).collect();
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), kernels.len(), failures.join("\n"));
}

/// What a run leaves in its buffers, as it is printed; nothing else may have been remarked.
fn outputs(kernel: &Kernel, outcome: &Outcome) -> Result<String, String> {
    let remarks = kernel.remarks(outcome);
    if outcome.end != End::Done || !remarks.is_empty() {
        return Err(format!("it is sound, and ends with {remarks:?}\n{}", kernel.report(outcome)));
    }
    let line = |buffer: &txbar_ptx::outcome::Buffer| {
        format!(
            "{}: {}\n",
            buffer.name,
            buffer.elements(Format::Hex).map(|element| element.to_string()).collect::<Vec<_>>().join(" ")
        )
    };
    Ok(outcome.buffers.iter().map(line).collect())
}

/// Two outputs are the same; else the first value that is not.
fn same(expected: &str, outputs: &str) -> Result<(), String> {
    for (line, (expected, got)) in expected.lines().zip(outputs.lines()).enumerate() {
        if let Some((place, (want, got))) =
            expected.split(' ').zip(got.split(' ')).enumerate().find(|(_, (want, got))| want != got)
        {
            let name = expected.split(':').next().unwrap_or("");
            return Err(format!("line {}, element {} of `{name}` is {got} and not {want}", line + 1, place as i64 - 1));
        }
    }
    if expected == outputs { Ok(()) } else { Err("one has more lines or elements than the other".to_string()) }
}

/// A kernel leaves what it left on the H200. Its `scratch` holds addresses, which are others on each machine.
fn leaves_what_is_expected(kernel: &Kernel) -> Result<(), String> {
    let expected = kernel.read("expected").expect("it has been recorded");
    let outputs = outputs(kernel, &kernel.run(Schedule::RoundRobin, &[]))?;
    let recorded: String = outputs
        .lines()
        .filter(|line| !line.starts_with("scratch"))
        .fold(String::new(), |text, line| text + line + "\n");
    same(&expected, &recorded)
}

macro_rules! listings {
    ($($name:ident)*) => {
        /// The examples of the manual, one test each.
        mod listings {
            $(#[test]
            fn $name() {
                let kernel = super::Kernel::open(concat!("listing_", stringify!($name)));
                super::leaves_what_is_expected(&kernel).unwrap_or_else(|why| panic!("{why}"));
            })*

            #[test]
            fn each_has_a_test() {
                let tested = [$(concat!("listing_", stringify!($name))),*];
                let all = super::all().into_iter().filter(|kernel| kernel.name.starts_with("listing_"));
                let untested: Vec<String> = all.map(|kernel| kernel.name).filter(|name| !tested.contains(&&**name)).collect();
                assert!(untested.is_empty(), "{untested:?}");
            }
        }
    };
}

listings! {
    arrive arrive_drop_1 arrive_drop_2 arrive_drop_3 cluster_1 cluster_2 complete_tx cp_async_arrive_1
    cp_async_arrive_2 expect_tx init inval_1 inval_2 pending_count wait_1a wait_1b wait_2 wait_3 wait_4
}

/// The kernels with a file of this kind. Each of these files has its kernel.
fn with(kind: &str) -> Vec<Kernel> {
    let kernels: Vec<Kernel> = all().into_iter().filter(|kernel| kernel.has(kind)).collect();
    assert_eq!(kernels.len(), kernels::files(kind), "there are files for which there is no kernel");
    kernels
}

/// And what was worked out by hand for those that no H200 has run.
#[test]
fn every_kernel_leaves_what_it_left_on_the_h200() {
    each(&with("expected"), leaves_what_is_expected);
}

#[test]
fn sound_kernels_leave_the_same_under_every_schedule() {
    let every = test_env::all("SCHEDULES");
    // others in each run
    let start = test_env::seed() % (SCHEDULES - SOME);
    each(&with("expected"), |kernel| {
        // a thousand phases a hundred times take minutes: thirty of them, unless every schedule is asked for
        let long = kernel.name == "thousand_phases" && !every;
        let shorter: &[(&str, &str)] = if long { &[("u32:1000", "u32:30")] } else { &[] };
        let outcome = kernel.run(Schedule::RoundRobin, shorter);
        let work = outcome.tally.instructions + outcome.tally.cycles * outcome.ctas as u64;
        let first = outputs(kernel, &outcome)?;
        let seeds = if every { 0..SCHEDULES } else { start..start + (WORK / work.max(1)).clamp(FEW, SOME) };
        let began = Instant::now();
        let wrong = |seed| {
            let outcome = kernel.run(Schedule::Random(seed), shorter);
            let why = outputs(kernel, &outcome).and_then(|other| same(&first, &other)).err()?;
            Some(format!("schedule seed {seed}: {why}"))
        };
        if let Some(why) = seeds.clone().into_par_iter().find_map_first(wrong) {
            return Err(why);
        }
        println!("{}: {} schedules in {:.1?}", kernel.name, seeds.end - seeds.start, began.elapsed());
        Ok(())
    });
}

#[test]
fn every_broken_kernel_is_diagnosed() {
    each(&with("diagnosis"), |kernel| {
        let (bug, line) = kernel.diagnosis();
        let schedules = std::iter::once(Schedule::RoundRobin).chain((0..SCHEDULES).map(Schedule::Random));
        let mut last = String::new();
        for schedule in schedules {
            let outcome = kernel.run(schedule, &[]);
            last = kernel.report(&outcome);
            let told = kernel.remarks(&outcome).contains(&bug);
            if told && last.contains(&format!("line {line}")) {
                return Ok(());
            }
        }
        Err(format!("`{bug}` in line {line} is not found; the last schedule tells\n{last}"))
    });
}

#[test]
fn every_named_bug_has_a_kernel() {
    use txbar_ptx::machine::findings::Bug;
    let first_line = |kernel: Kernel| kernel.has("diagnosis").then(|| kernel.diagnosis().0);
    // some are named by the status that tells of them
    let shown: Vec<String> = all().into_iter().filter_map(first_line).collect();
    let missing: Vec<&str> = Bug::ALL
        .iter()
        .map(|bug| bug.name())
        .filter(|name| !shown.iter().any(|shown| shown.replace('_', "-") == *name))
        .collect();
    assert!(missing.is_empty(), "no kernel shows {missing:?}");
}

#[test]
fn a_schedule_can_be_run_again() {
    let kernel = Kernel::open("ring");
    let (once, again) = (kernel.run(Schedule::Random(7), &[]), kernel.run(Schedule::Random(7), &[]));
    assert_eq!(once, again);
    assert_ne!(once.tally.cycles, kernel.run(Schedule::Random(8), &[]).tally.cycles, "another seed, another schedule");
}
