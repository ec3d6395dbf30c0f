//! The testbench bites: every fault that is injected into the hardware is found by ordinary random traffic, and the failing
//! run can be shortened to a few requests that still show it.

use txbar_rtl::parameters::Parameters;
use txbar_testbench::case::unit::Unit;
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::faults::Fault;
use txbar_testbench::faults::low_latency::FAULTS;
use txbar_testbench::run;
use txbar_testbench::shrink::Limits;
use txbar_testbench::test_env;
use txbar_testbench::traffic::Plan;

/// More than one bank, and few threads, for those that need it.
fn parameters(fault: &Fault) -> Parameters {
    let checked = fault.name.starts_with("checked-");
    Parameters { banks: 2, tag_bits: 4, number_bits: 1, checked, ..Parameters::default() }
}

fn plan(fault: &Fault, seed: u64) -> Plan {
    let plan = Plan { stall: 20, bank_stall: 10, ..Plan::new(seed, 500_000) };
    match fault.name {
        // two waits of one port must be suspended on one word: as the default mix goes on, few are at all
        "wake-first-only" => Plan { mix: "arrive=12,try=12,init=2,test=8".parse().expect("it is a mix"), ..plan },
        _ => plan,
    }
}

#[test]
fn every_injected_fault_is_found() {
    let mut missed = Vec::new();
    for seed in 1..=3 {
        for fault in FAULTS {
            let mut engine = Rtl::with_fault(parameters(fault), fault.injected());
            let found = run::plan(&mut engine, &plan(fault, seed), &mut run::Unobserved);
            match found {
                Ok(_) => missed.push(format!("seed {seed}: {}", fault.name)),
                Err(failure) => println!("{}: {}", fault.name, failure.what),
            }
        }
    }
    assert_eq!(missed, Vec::<String>::new(), "not found");
}

/// Every sixth fault, beginning with another in each run, unless all are asked for: shortening takes a second each.
#[test]
fn failing_runs_are_shortened() {
    let (first, step) = if test_env::all("SETS") { (0, 1) } else { (test_env::seed() as usize % 6, 6) };
    let mut long = Vec::new();
    for fault in FAULTS.iter().skip(first).step_by(step) {
        let make = || Rtl::with_fault(parameters(fault), fault.injected());
        let shortened = Unit::shortened(make, &plan(fault, 1), Limits::UNIT);
        let shortened = shortened.unwrap_or_else(|| panic!("{} is not found", fault.name));
        // defects that strike every hundredth time, or fill a queue, need that many requests
        let seldom = [
            "count-from-nowhere",
            "wrong-port",
            "tag-lost",
            "answer-dropped",
            "queue-overflows",
            "bank-ignored",
            "wrong-outcome",
            "park-keeps-place",
            "waiters-starve",
            "group-strays",
            "deadline-late",
        ];
        let needed = if seldom.contains(&fault.name) { 150 } else { 40 };
        let requests = shortened.case.requests.len();
        if requests > needed {
            long.push(format!("{}: {requests} requests are left", fault.name));
        }
        assert!(requests <= shortened.from);
        let again = shortened.case.play(&mut make(), &mut run::Unobserved).expect_err("it fails when it is run again");
        assert_eq!(*again, shortened.failure);
    }
    assert_eq!(long, Vec::<String>::new());
}

#[test]
fn a_sound_unit_has_nothing_to_shorten() {
    let shortened = Unit::shortened(|| Rtl::new(Parameters::default()), &Plan::new(1, 1000), Limits::UNIT);
    assert!(shortened.is_none());
}
