//! The core set of the proofs holds, and each bites: the same in the Verilog with a defect in it fails.

use std::convert::Infallible;
use std::fs;
use std::path::Path;
use txbar_synth::parallel::in_parallel;
use txbar_synth::prove::list::{self, PROOFS};
use txbar_synth::prove::solve::Limit;
use txbar_synth::prove::ways::Way;
use txbar_synth::prove::{Proof, Verdict, covers, trace};

/// More than any of them takes on a slow machine.
const LIMIT: Limit = Limit::Wall(900);

#[test]
fn the_core_set_holds() {
    let core: Vec<&Proof> = PROOFS.iter().filter(|proof| proof.core).collect();
    let Ok(wrong) = in_parallel(&core, 2, |proof| {
        let report = proof.attempt(LIMIT).unwrap_or_else(|error| panic!("{}: {error}", proof.name));
        println!("{} {:.1} s", proof.name, report.time.as_secs_f64());
        Ok::<_, Infallible>(match report.verdict {
            Verdict::Holds => None,
            Verdict::Fails { place, .. } => Some(format!("{}: {place}", proof.name)),
            Verdict::Undecided(cycles) => Some(format!("{}: undecided after {cycles} cycles", proof.name)),
        })
    });
    assert_eq!(wrong.into_iter().flatten().collect::<Vec<_>>(), Vec::<String>::new());
}

/// What is proved is not proved of nothing: every event can happen. The ways that are kept lead there on the hardware of today, and the
/// pictures in the gallery are theirs.
#[test]
fn every_event_is_reachable() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let problem = covers::events(directory.path()).unwrap_or_else(|error| panic!("{error}"));
    for (event, says) in covers::EVENTS {
        let find = || covers::reach(&problem, event, directory.path()).unwrap_or_else(|error| panic!("{error}"));
        let Some(kept) = covers::kept(event).expect("it is a way") else {
            assert!(find().is_some(), "{event}");
            continue;
        };
        let place = covers::place(&problem, event).expect("it is in the circuit");
        let draw = |way: &Way| {
            let steps = way.steps(&problem).expect("its names are there");
            covers::draw(&problem, says, &steps, directory.path()).unwrap_or_else(|error| panic!("{error}"))
        };
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let picture = root.join(format!("waves/gallery/reach_{event}.svg"));
        if std::env::var_os("TXBAR_UPDATE_DOCS").is_some() {
            let way = Way::of(&problem, place, &find().expect("it is reachable"));
            let way = way.unwrap_or_else(|| panic!("{event}: the way depends on what has no name"));
            let text = serde_json::to_string_pretty(&way).expect("a way is JSON") + "\n";
            fs::write(root.join(format!("synth/formal/ways/{event}.json")), text).expect("it can be written");
            fs::write(picture, draw(&way)).expect("it can be written");
            continue;
        }
        let advice = "TXBAR_UPDATE_DOCS=1 cargo test -p txbar-synth --test prove every_event";
        assert!(kept.reaches(&problem, place), "{event} is not reached so any more: {advice}");
        assert!(fs::read_to_string(picture).is_ok_and(|picture| picture == draw(&kept)), "{event}: {advice}");
    }
}

/// A way that is cut short leads nowhere.
#[test]
fn a_way_leads_to_its_event_only() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let problem = covers::events(directory.path()).unwrap_or_else(|error| panic!("{error}"));
    let mut way = covers::kept("split").expect("it is a way").expect("it is kept");
    let place = |event| covers::place(&problem, event).expect("it is in the circuit");
    assert!(way.reaches(&problem, place("split")) && !way.reaches(&problem, place("combined")));
    way.cycles.pop();
    assert!(!way.reaches(&problem, place("split")));
}

/// Defects that a proof must see, with the place where it sees them.
const DEFECTS: &[(&str, &str, &str)] = &[
    ("arbiter", "later = request & (~served);", "later = request | (~served);"),
    ("queue", "room_next = reserving != ", "room_next = filling != "),
    ("decode", "arrivals_next = 20'd1;", "arrivals_next = 20'd2;"),
    (
        "flip",
        "flips = ((completes & (~refuses)) & (~holds)) & (~splits);",
        "flips = (completes & (~holds)) & (~splits);",
    ),
    ("ranges", "tx_sum = tx_wide;", "tx_sum = 22'd0;"),
    ("sticky", "holds_next = (~updates) | (choose_held & kept[42]);", "holds_next = ~updates;"),
    ("drop", "expected_sum = {1'b0, kept_expected} + {1'b0, drops};", "expected_sum = {1'b0, kept_expected};"),
    ("memory", "pending_fault = (~pending_left) & (~pending_met);", "pending_fault = 1'b0;"),
    ("memory", "follows_c4_next = writes_c3 & (row_q == row_c3);", "follows_c4_next = 1'b0;"),
    ("serial", "pending = old[62:43] + ahead_c4;", "pending = old[62:43];"),
    ("waiters", "success_next = ", "success_next = ~"),
    ("held", "valid_next = |filling;", "valid_next = (|filling) & (~push);"),
    ("answers-high-clock", "answer_next = commit & (~kind_p9[5]);", "answer_next = commit;"),
    ("held-high-clock", "valid_0_next = (load | valid_1) | (valid_0 & (~pop));", "valid_0_next = load | valid_1;"),
    ("memory-high-clock", "ahead1_next = own & gate1;", "ahead1_next = 64'd0;"),
    ("flip-high-clock", "after1_next = flips & follows1;", "after1_next = 1'b0;"),
    ("ranges-high-clock", "pending_fault = (pending_carry_1 | ", "pending_fault = (1'b0 | "),
    ("sticky-high-clock", "kind_p7[19] & (old_p7[42] | (", "kind_p7[19] & (1'b0 | ("),
    ("gather", "first = sources & (~{over_all[6:0], 1'b0});", "first = sources & (~(sources >> 1));"),
    ("returns", "places_1_ended = batches_ended;", "places_1_ended = batches_ended & batches_turn[1];"),
    ("table", "again = coming == row;", "again = 1'b0;"),
    ("drop-high-clock", "drops_less_next = arrivals_less_4 & some_leave;", "drops_less_next = 20'd0;"),
];

#[test]
fn defects_break_proofs_and_are_shown() {
    let Ok(_) = in_parallel(DEFECTS, 2, |(name, sound, defect)| {
        let proof = list::find(name).expect("it is in the list");
        let verilog = proof.harness.export();
        let text = verilog.replace(sound, defect);
        assert_ne!(text, verilog, "{name}: `{sound}` is there");
        let report = proof.attempt_on(&text, LIMIT).unwrap_or_else(|error| panic!("{name}: {error}"));
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
