//! The core set of the proofs holds, and each bites: the same in the Verilog with a defect in it fails.

use std::convert::Infallible;
use txbar_synth::parallel::in_parallel;
use txbar_synth::prove::list::{self, PROOFS};
use txbar_synth::prove::{Proof, Verdict, covers, trace};

/// More than any of them takes on a slow machine.
const SECONDS: u64 = 900;

#[test]
fn the_core_set_holds() {
    let core: Vec<&Proof> = PROOFS.iter().filter(|proof| proof.core).collect();
    let Ok(wrong) = in_parallel(&core, 2, |proof| {
        let report = proof.attempt(SECONDS).unwrap_or_else(|error| panic!("{}: {error}", proof.name));
        println!("{} {:.1} s", proof.name, report.time.as_secs_f64());
        Ok::<_, Infallible>(match report.verdict {
            Verdict::Holds => None,
            Verdict::Fails { place, .. } => Some(format!("{}: {place}", proof.name)),
            Verdict::Undecided(cycles) => Some(format!("{}: undecided after {cycles} cycles", proof.name)),
        })
    });
    assert_eq!(wrong.into_iter().flatten().collect::<Vec<_>>(), Vec::<String>::new());
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
    let Ok(_) = in_parallel(DEFECTS, 2, |(name, sound, defect)| {
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
        Ok::<_, Infallible>(())
    });
}

#[test]
fn names_are_unique() {
    let mut names: Vec<&str> = PROOFS.iter().map(|proof| proof.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), PROOFS.len());
}
