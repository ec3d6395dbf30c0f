//! The core set of the proofs holds, and each bites: the same in the Verilog with a defect in it fails.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use txbar_synth::prove::list::{self, PROOFS};
use txbar_synth::prove::{Proof, Verdict, covers, trace};

/// More than any of them takes on a slow machine.
const SECONDS: u64 = 900;

/// Does the work on these, two at a time.
fn two_at_a_time<T: Sync>(items: &[T], work: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    let run = || {
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            work(item);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(run);
        }
    });
}

#[test]
fn the_core_set_holds() {
    let core: Vec<&Proof> = PROOFS.iter().filter(|proof| proof.core).collect();
    let wrong = Mutex::new(Vec::new());
    two_at_a_time(&core, |proof| {
        let report = proof.attempt(SECONDS).unwrap_or_else(|error| panic!("{}: {error}", proof.name));
        println!("{} {:.1} s", proof.name, report.time.as_secs_f64());
        match report.verdict {
            Verdict::Holds => {}
            Verdict::Fails { place, .. } => wrong.lock().expect("nobody panics").push((proof.name, place)),
            Verdict::Undecided(cycles) => {
                wrong.lock().expect("nobody panics").push((proof.name, format!("undecided after {cycles} cycles")));
            }
        }
    });
    assert_eq!(wrong.into_inner().expect("nobody panics"), []);
}

/// What is proved is not proved of nothing: every event can happen.
#[test]
fn every_event_is_reachable() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let problem = covers::events(directory.path()).unwrap_or_else(|error| panic!("{error}"));
    for (event, _) in covers::EVENTS {
        let way = covers::reach(&problem, event, directory.path()).unwrap_or_else(|error| panic!("{error}"));
        assert!(way.is_some(), "{event}");
    }
}

/// Defects that a proof must see, with the place where it sees them.
const DEFECTS: &[(&str, &str, &str)] = &[
    ("arbiter", "later = request & (~served);", "later = request | (~served);"),
    ("queue", "room_next = reserving != ", "room_next = filling != "),
    ("memory", "pending_fault = (~pending_left) & (~pending_met);", "pending_fault = 1'b0;"),
    ("memory", "follows_c4_next = writes_c3 & (row_q == row_c3);", "follows_c4_next = 1'b0;"),
    ("serial", "pending = old[62:43] + ahead_c4;", "pending = old[62:43];"),
    ("waiters", "success_next = ", "success_next = ~"),
];

#[test]
fn defects_break_proofs_and_are_shown() {
    two_at_a_time(DEFECTS, |(name, sound, defect)| {
        let proof = list::find(name).expect("it is in the list");
        let verilog = proof.harness.export();
        let text = verilog.replace(sound, defect);
        assert_ne!(text, verilog, "{name}: `{sound}` is there");
        let report = proof.attempt_on(&text, SECONDS).unwrap_or_else(|error| panic!("{name}: {error}"));
        let Verdict::Fails { place, steps, problem } = report.verdict else {
            panic!("{name} does not see `{defect}`: {:?}", report.verdict)
        };
        assert_ne!(place, "an assertion", "{name}: it has a name or a place");
        let mut vcd = Vec::new();
        trace::write_vcd(&mut vcd, &problem, &steps).expect("a Vec takes all");
        assert!(String::from_utf8_lossy(&vcd).contains("$scope module dut $end"), "{name}");
    });
}

#[test]
fn names_are_unique() {
    let mut names: Vec<&str> = PROOFS.iter().map(|proof| proof.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), PROOFS.len());
}
