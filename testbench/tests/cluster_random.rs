//! Random traffic on clusters, and faults injected into them.

use std::fmt::Display;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::cluster::{Cluster, Point};
use txbar_rtl::parameters::Parameters;
use txbar_testbench::case::cluster::{Cluster as Cases, Item};
use txbar_testbench::cluster::rig::{FaultHook, Rig};
use txbar_testbench::cluster::scenarios::Scenario;
use txbar_testbench::cluster::traffic::Plan;
use txbar_testbench::faults::Fault;
use txbar_testbench::faults::cluster::FAULTS;
use txbar_testbench::shrink::{Limits, Shortened};
use txbar_testbench::test_env;

/// Plans on clusters of all shapes.
fn plans(seed: u64, cycles: u64) -> Vec<Plan> {
    let shape = |ctas, change: fn(&mut ClusterParameters)| {
        let mut parameters = Plan::cluster(ctas);
        change(&mut parameters);
        let stall = *[0, 15, 50].get(seed as usize % 3).unwrap_or(&0);
        Plan {
            parameters: parameters.check().unwrap_or_else(|error| panic!("{error}")),
            seed,
            cycles,
            stall,
            rush: ctas == 8,
        }
    };
    vec![
        shape(4, |_| {}),
        shape(3, |p| (p.tensors, p.unit.banks) = (5, 8)),
        shape(1, |p| (p.tensors, p.bursts) = (16, 2)),
        shape(2, |p| (p.link_cycles, p.remote_depth) = (1, 2)),
        shape(3, |p| (p.unit.banks, p.link_cycles, p.bursts) = (1, 7, 3)),
        shape(2, |p| (p.unit.ports, p.unit.banks, p.unit.waiters) = (4, 8, 0)),
        shape(1, |p| (p.unit.banks, p.copiers, p.outstanding) = (2, 4, 2)),
        shape(8, |p| (p.unit.ports, p.warps, p.link_cycles) = (1, 2, 2)),
        shape(2, |p| p.unit = Parameters { wake_mask: true, ..p.unit }),
        shape(2, |p| p.unit = Parameters { checked: true, queue_depth: 3, clock_ns: 1, ..p.unit }),
    ]
}

fn told(plan: &Plan, what: impl Display) -> String {
    format!("{plan:?}: {what}")
}

#[test]
fn random_traffic_is_explained() {
    for seed in 0..6 {
        for plan in plans(seed, 4_000) {
            let report = plan.run(&mut |_, _| {}, |_, _| {});
            let report = report.unwrap_or_else(|failure| panic!("{}", told(&plan, failure)));
            assert!(
                report.flips > 2 && report.bytes_copied > 1000 && report.rounds > 10,
                "{}",
                told(&plan, format!("{report:?}"))
            );
            assert!(
                report.bytes_reduced > 200 && report.bytes_written > 1000,
                "{}",
                told(&plan, format!("{report:?}"))
            );
            assert!(
                plan.parameters.ctas == 1 || report.remote_requests > 100,
                "{}",
                told(&plan, format!("{report:?}"))
            );
        }
    }
}

/// Whether a fault is found in one of the scenarios.
fn in_scenarios(fault: &Fault<Cluster, Point>, seed: u64) -> bool {
    Scenario::ALL.into_iter().any(|scenario| {
        let (parameters, mut injected) = (scenario.parameters(), fault.injected());
        let mut rig = Rig::new(parameters, scenario.threads(&parameters, seed), Scenario::environment(seed));
        let result = rig.run(&mut |cluster, point| injected.inject(cluster, point), |_, _| {});
        if let Err(failure) = &result {
            println!("{}, {}: {}", fault.name, scenario.name(), failure.what);
        }
        result.is_err()
    })
}

#[test]
fn every_injected_fault_is_found() {
    let mut missed = Vec::new();
    for fault in FAULTS {
        let found = (0..3).flat_map(|seed| plans(seed, 4_000)).any(|plan| {
            let mut injected = fault.injected();
            let result = plan.run(&mut |cluster, point| injected.inject(cluster, point), |_, _| {});
            if let Err(failure) = &result {
                println!("{}: {}", fault.name, failure.what);
            }
            result.is_err()
        });
        let found = found || (0..20).any(|seed| in_scenarios(fault, seed));
        if !found {
            missed.push(fault.name);
        }
    }
    assert!(missed.is_empty(), "not found: {missed:?}");
}

/// Some faults, beginning with another in each run, unless all are asked for: a cluster is slow.
#[test]
fn failing_runs_are_shortened() {
    let (first, step) = if test_env::all("SETS") { (0, 1) } else { (test_env::seed() as usize % 12, 12) };
    for fault in FAULTS.iter().skip(first).step_by(step) {
        let hand = || -> Box<FaultHook> {
            let mut injected = fault.injected();
            Box::new(move |cluster, point| injected.inject(cluster, point))
        };
        // scenarios find the others
        let mut plans = (0..3).flat_map(|seed| plans(seed, 2_000));
        let found = plans.find_map(|plan| Cases::shortened(hand, &plan, Limits::CLUSTER));
        let Some(Shortened { case, failure, first, from }) = found else { continue };
        println!("{}: {} of {from} steps; first {first}, now {failure}", fault.name, case.requests.len());
        assert!(case.requests.len() < from, "{}: nothing is left out", fault.name);
        let again = case.play(|| false, &mut *hand(), &mut |_, _| {}).expect_err("it fails when it is run again");
        assert_eq!(*again, failure, "{}", fault.name);
        case.check().expect("it fits the cluster");
        let text = serde_json::to_string(&case.requests).expect("it can be written");
        let read: Vec<Item> = serde_json::from_str(&text).expect("it can be read");
        assert_eq!(read, case.requests, "{}", fault.name);
    }
}
