//! The core set of the proofs holds, and each proof bites: its events happen, and the same in the Verilog with a defect in it fails.

use rayon::prelude::*;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use txbar_rtl::parameters::Parameters;
use txbar_synth::prove::list::{self, PROMISES, PROOFS};
use txbar_synth::prove::problem::{Harness, Memory};
use txbar_synth::prove::record::{self, Record};
use txbar_synth::prove::solve::{Engine, Limit};
use txbar_synth::prove::ways::Way;
use txbar_synth::prove::{Proof, Verdict, covers, trace};

/// More than any of them takes on a slow machine.
const LIMIT: Limit = Limit::Wall(900);

/// The core set, and with `TXBAR_ALL` every proof.
fn asked_for() -> Vec<&'static Proof> {
    let all = std::env::var_os("TXBAR_ALL").is_some();
    PROOFS.iter().filter(|proof| all || proof.core).collect()
}

/// A proof holds only if all its events happen.
#[test]
fn the_core_set_holds() {
    let wrong = asked_for().into_par_iter().filter_map(|proof| {
        let report = proof.attempt(LIMIT).unwrap_or_else(|error| panic!("{}: {error}", proof.name));
        println!("{} {:.1} s", proof.name, report.time.as_secs_f64());
        match report.verdict {
            Verdict::Holds => None,
            Verdict::Fails { place, .. } => Some(format!("{}: {place}", proof.name)),
            Verdict::Vacuous(event) => Some(format!("{}: `{event}` does not happen", proof.name)),
            Verdict::Undecided(cycles) => Some(format!("{}: undecided after {cycles} cycles", proof.name)),
        }
    });
    assert_eq!(wrong.collect::<Vec<_>>(), Vec::<String>::new());
}

/// Every event of the unit can happen. The ways that are kept lead there on the hardware of today, and the pictures in the gallery are
/// theirs.
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
        let draw = |way: &Way| {
            let steps = way.steps(&problem).expect("its names are there");
            covers::draw(&problem, says, &steps, directory.path()).unwrap_or_else(|error| panic!("{error}"))
        };
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let picture = root.join(format!("waves/gallery/reach_{event}.svg"));
        if std::env::var_os("TXBAR_UPDATE_DOCS").is_some() {
            let way = Way::of(&problem, event, &find().expect("it is reachable"));
            let way = way.unwrap_or_else(|| panic!("{event}: the way depends on what has no name"));
            let text = serde_json::to_string_pretty(&way).expect("a way is JSON") + "\n";
            fs::write(root.join(format!("synth/formal/ways/{event}.json")), text).expect("it can be written");
            fs::write(picture, draw(&way)).expect("it can be written");
            continue;
        }
        let advice = "TXBAR_UPDATE_DOCS=1 cargo test -p txbar-synth --test prove every_event";
        assert!(kept.reaches(&problem, event), "{event} is not reached so any more: {advice}");
        assert!(fs::read_to_string(picture).is_ok_and(|picture| picture == draw(&kept)), "{event}: {advice}");
    }
}

/// A way that is cut short leads nowhere.
#[test]
fn a_way_leads_to_its_event_only() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let problem = covers::events(directory.path()).unwrap_or_else(|error| panic!("{error}"));
    let mut way = covers::kept("split").expect("it is a way").expect("it is kept");
    assert!(way.reaches(&problem, "split") && !way.reaches(&problem, "combined"));
    way.cycles.pop();
    assert!(!way.reaches(&problem, "split"));
}

/// Each proof finds the defects that stand beside it in the list, and names the place.
#[test]
fn defects_break_proofs_and_are_shown() {
    asked_for().par_iter().for_each(|proof| {
        let (name, verilog) = (proof.name, proof.harness.export());
        for ((sound, defect), report) in proof.defects.iter().zip(proof.hunts(LIMIT)) {
            assert!(verilog.contains(sound), "{name}: `{sound}` is there");
            let report = report.unwrap_or_else(|error| panic!("{name}: {error}"));
            println!("{name} {:.1} s", report.time.as_secs_f64());
            let Verdict::Fails { place, steps, problem } = report.verdict else {
                panic!("{name} does not see `{defect}`: {:?}", report.verdict)
            };
            assert_ne!(place, "an assertion", "{name}: it has a name or a place");
            let mut vcd = Vec::new();
            trace::write_vcd(&mut vcd, &problem, &steps).expect("a Vec takes all");
            assert!(String::from_utf8_lossy(&vcd).contains("$scope module dut $end"), "{name}");
        }
    });
}

/// What takes too long for every run has held, with all its events and defects, on the Verilog and the harness of today.
#[test]
fn records_are_of_the_verilog_of_today() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("formal/proved.json");
    let records = record::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let missing = |proof: &&Proof| {
        let of_today = |record: &Record| {
            let right = (proof.name, proof.hash(), proof.defects.len(), "holds");
            (record.line.name.as_str(), record.of.clone(), record.defects, record.line.verdict.as_str()) == right
        };
        !records.iter().any(of_today)
    };
    let stale: Vec<&str> = PROOFS.iter().filter(|proof| !proof.core).filter(missing).map(|proof| proof.name).collect();
    assert!(stale.is_empty(), "not proved of the Verilog of today: `txbar prove {} --keep`", stale.join(" "));
}

/// Whatever a proof is made of is in its hash.
#[test]
fn a_proof_is_known_by_all_that_it_is_made_of() {
    let proof = *list::find("memory").expect("it is in the list");
    let none = Proof { defects: &[], ..proof };
    let longer = Proof { engine: Engine::Bmc(12), ..proof };
    let other = |harness: Harness| Proof { harness, ..proof };
    let defined = other(Harness { defines: &["HIGH_CLOCK"], ..proof.harness });
    let whole = other(Harness { memory: Memory::Whole, ..proof.harness });
    let another = other(Harness { file: "ram.sv", ..proof.harness });
    let larger = other(Harness { parameters: Parameters { words: 32, ..proof.harness.parameters }, ..proof.harness });
    let hashes = [proof, none, longer, defined, whole, another, larger].map(|proof| proof.hash());
    assert_eq!(BTreeSet::from(hashes.clone()).len(), hashes.len());
    assert_eq!(proof.hash(), hashes[0]);
}

/// Every proof has a name of its own, a defect, and an event; every `cover` in a harness is one of these events; and every proof is of
/// something that is promised.
#[test]
fn every_proof_has_a_defect_an_event_and_a_promise() {
    let names: BTreeSet<&str> = PROOFS.iter().map(|proof| proof.name).collect();
    assert_eq!(names.len(), PROOFS.len());
    let promised: BTreeSet<&str> = PROMISES.iter().flat_map(|(_, proofs)| proofs.iter().copied()).collect();
    assert_eq!(promised, names, "what the design promises, and what is proved");
    let harnesses = Path::new(env!("CARGO_MANIFEST_DIR")).join("formal");
    for proof in PROOFS {
        let text = fs::read_to_string(harnesses.join(proof.harness.file)).expect("the harness is there");
        for event in text.lines().filter_map(|line| line.trim().split_once(": cover (")).map(|(event, _)| event) {
            let mine = PROOFS.iter().filter(|other| other.harness.file == proof.harness.file);
            let known = mine.flat_map(|proof| proof.covers).any(|(known, _)| *known == event);
            assert!(known, "{}: the list has no event `{event}`", proof.harness.file);
        }
        assert!(!proof.defects.is_empty(), "{} has no defect that it must find", proof.name);
        assert!(!proof.covers.is_empty(), "{} has no event that must happen", proof.name);
        assert!(list::find(proof.name).is_some());
    }
}

/// `requests` looks at the ring for longer than the proofs that do without it look at what follows: a request comes to the pipeline two
/// cycles later with the ring.
#[test]
fn the_ring_is_looked_at_for_long_enough() {
    let reach = |proof: &Proof| match proof.engine {
        Engine::Bmc(cycles) => cycles,
        _ => panic!("{} is not bounded", proof.name),
    };
    let ring = reach(list::find("requests").expect("it is in the list"));
    let without: Vec<&Proof> = PROOFS.iter().filter(|proof| proof.harness.any_requests).collect();
    assert!(!without.is_empty() && without.into_iter().all(|proof| reach(proof) + 2 <= ring));
}
