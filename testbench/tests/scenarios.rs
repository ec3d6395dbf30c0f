//! Typical uses of barriers, with data checked at the consumer.

use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::parameters::Parameters;
use txbar_testbench::cluster::rig::Rig;
use txbar_testbench::cluster::scenarios::Scenario;
use txbar_testbench::test_env;

/// Runs a scenario with a hundred seeds, others in each run; with the first thousand, if `TXBAR_ALL_SCHEDULES` is set.
fn run(scenario: Scenario) {
    let seeds = match test_env::all("SCHEDULES") {
        true => 0..1000,
        false => {
            let first = test_env::seed() % 900;
            first..first + 100
        }
    };
    on(scenario, scenario.parameters(), seeds);
}

/// The same on another cluster than its own.
fn on(scenario: Scenario, parameters: ClusterParameters, seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let mut rig = Rig::new(parameters, scenario.threads(&parameters, seed), Scenario::environment(seed));
        let report = rig.run(&mut |_, _| {}, |_, _| {});
        let report = report
            .unwrap_or_else(|failure| panic!("{} with seed {seed} on {parameters:?}: {failure}", scenario.name()));
        assert!(report.bytes_copied > 0 && report.flips > 0 && report.faults == 0, "{report:?}");
    }
}

/// With few banks a beat takes several cycles at the door, where others wait.
#[test]
fn scenarios_on_few_banks() {
    for scenario in Scenario::ALL {
        for banks in [1, 2, 4] {
            let own = scenario.parameters();
            on(scenario, ClusterParameters { unit: Parameters { banks, ..own.unit }, ..own }, 0..15);
        }
    }
}

#[test]
fn multistage() {
    run(Scenario::Multistage);
}

#[test]
fn tiles() {
    run(Scenario::Tiles);
}

#[test]
fn ring() {
    run(Scenario::Ring);
}

#[test]
fn specialised() {
    run(Scenario::Specialised);
}

#[test]
fn multicast() {
    run(Scenario::Multicast);
}
