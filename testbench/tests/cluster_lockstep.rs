//! The exported Verilog of clusters does the same as the hardware in Rust, cycle by cycle, at every pin: under Verilator and
//! under Icarus Verilog, in the scenarios that people write and with noise at all pins.

use std::collections::BTreeSet;
use std::time::Instant;
use txbar_export::verilog::{self, Export};
use txbar_rtl::cluster::Cluster;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::parameters::{Design, Parameters};
use txbar_synth::flow::simulated::ECP5;
use txbar_testbench::cluster::noise::Noise;
use txbar_testbench::cluster::pins::qualified_by;
use txbar_testbench::cluster::rig::Rig;
use txbar_testbench::cluster::scenarios::Scenario;
use txbar_testbench::engine::compiled::{Effort, Flow, on_deep_stack};
use txbar_testbench::engine::library::Library;
use txbar_testbench::engine::pins::{PinRecorder, Pins};
use txbar_testbench::engine::replay::Icarus;
use txbar_testbench::test_env;

/// A cluster, and the scenarios that it has room for.
struct Case {
    parameters: ClusterParameters,
    scenarios: &'static [Scenario],
}

/// Small and odd ones. The scenarios want 512 words, and a bit of the tag for the number of a thread's request.
fn cases() -> Vec<Case> {
    use Scenario::{Multicast, Multistage, Ring, Specialised};
    let case = |[ports, banks, words, tag_bits, number_bits, queue_depth, waiters]: [usize; 7],
                [ctas, link_cycles, remote_depth, warps, copiers, outstanding, bursts, tensors, lanes]: [usize; 9],
                [counters, checked]: [bool; 2],
                scenarios| {
        let unit = Parameters {
            ports,
            banks,
            words,
            tag_bits,
            number_bits,
            queue_depth,
            waiters,
            counters,
            checked,
            ..Parameters::DEFAULT
        };
        let parameters = ClusterParameters {
            unit,
            ctas,
            link_cycles,
            remote_depth,
            warps,
            copiers,
            outstanding,
            bursts,
            tensors,
            lanes,
            warp_memory: lanes > 0,
        };
        Case { parameters: parameters.check().expect("it can be built"), scenarios }
    };
    // the ends of suspended waits are told as masks
    let mut masked = case([2, 2, 512, 4, 1, 6, 8], [2, 2, 4, 4, 4, 2, 4, 0, 0], [false, false], &[Multicast]);
    masked.parameters.unit.wake_mask = true;
    masked.parameters.check().expect("it can be built");
    vec![
        case([1, 1, 512, 3, 1, 2, 0], [1, 1, 1, 3, 3, 1, 1, 0, 0], [false, false], &[Multistage, Ring]),
        case([3, 8, 512, 4, 1, 8, 9], [1, 3, 4, 7, 5, 4, 3, 16, 0], [true, true], &[Multistage, Specialised]),
        case([1, 2, 512, 3, 1, 6, 4], [2, 1, 2, 4, 2, 2, 16, 0, 0], [true, false], &[Multicast, Ring]),
        case([2, 4, 64, 2, 0, 3, 3], [2, 8, 5, 1, 1, 8, 4, 3, 0], [false, true], &[]),
        case([2, 8, 512, 4, 1, 5, 8], [3, 3, 8, 5, 7, 2, 5, 1, 0], [false, false], &[Multicast, Specialised]),
        case([1, 1, 16, 5, 2, 1, 2], [4, 1, 3, 2, 3, 4, 2, 0, 0], [false, true], &[]),
        case([1, 4, 512, 3, 1, 6, 1], [4, 8, 32, 3, 16, 8, 16, 0, 0], [true, false], &[Multicast]),
        case([1, 2, 64, 7, 1, 6, 6], [2, 2, 5, 3, 3, 2, 4, 0, 4], [false, true], &[]),
        masked,
    ]
}

fn export(parameters: &ClusterParameters) -> Export {
    verilog::cluster(parameters, "txbar").expect("`txbar` is an identifier")
}

fn recorder(parameters: &ClusterParameters) -> PinRecorder {
    PinRecorder::new(&Cluster::new(parameters), qualified_by)
}

/// A run of a scenario. Not every seed makes threads that the cluster has warps for.
fn scenario_pins(parameters: &ClusterParameters, scenario: Scenario) -> Pins {
    let fits = |seed: &u64| scenario.threads(parameters, *seed).len() == parameters.ctas * parameters.warps;
    let seed = (0..1000).find(fits).expect("there are small runs");
    let mut recorder = recorder(parameters);
    let threads = scenario.threads(parameters, seed);
    let mut in_reset = |cluster: &Cluster| recorder.note(cluster, true);
    let mut rig = Rig::watched(*parameters, threads, Scenario::environment(seed), &mut in_reset);
    rig.run(&mut |_, _| {}, |cluster, _| recorder.note(cluster, false))
        .unwrap_or_else(|failure| panic!("{} {} with seed {seed}: {failure}", parameters.label(), scenario.name()));
    recorder.finish()
}

fn noise_pins(parameters: &ClusterParameters, cycles: u64) -> Pins {
    let mut recorder = recorder(parameters);
    Noise::run(parameters, 7, cycles, &mut |cluster, reset| recorder.note(cluster, reset));
    recorder.finish()
}

/// A flow's clusters do the same as those in Rust, at every pin. Gives the outputs that have changed, and all.
fn agrees(flow: Flow, cases: impl IntoIterator<Item = Case>) -> [BTreeSet<String>; 2] {
    let mut alive = BTreeSet::new();
    let mut outputs = BTreeSet::new();
    for Case { parameters, scenarios } in cases {
        let label = format!("{} of {}", flow.name(), parameters.label());
        let began = Instant::now();
        let library = Library::new(flow, &export(&parameters), Effort::Quickest);
        let library = library.unwrap_or_else(|error| panic!("{label}: {error}"));
        let built = began.elapsed();
        let runs = scenarios.iter().map(|scenario| (scenario.name(), scenario_pins(&parameters, *scenario)));
        for (name, pins) in runs.chain([("noise", noise_pins(&parameters, 4000))]) {
            assert_eq!(library.differences(&pins), "", "{label} {name}");
            for (number, pin) in pins.pins().iter().enumerate().filter(|(_, pin)| pin.output) {
                let field = pin.name.trim_end_matches(|c: char| c == '_' || c.is_ascii_digit()).to_owned();
                if (0..pins.cycles()).any(|cycle| pins.row(cycle)[number] != pins.row(0)[number]) {
                    alive.insert(field.clone());
                }
                outputs.insert(field);
            }
        }
        println!("{label}: built in {built:.0?}, compared in {:.0?}", began.elapsed() - built);
    }
    [alive, outputs]
}

#[test]
fn verilator() {
    let [alive, outputs] = agrees(Flow::Verilator, quick_cases());
    assert_eq!(alive, outputs, "every output has changed at some time");
}

/// Clusters that are compiled quickly, or all.
fn quick_cases() -> impl Iterator<Item = Case> {
    let quick = |case: &Case| case.parameters.ctas * case.parameters.unit.banks <= 8;
    cases().into_iter().filter(move |case| test_env::all("SETS") || quick(case))
}

/// The smallest cluster, or all of up to `ctas` CTAs.
fn small_cases(ctas: usize) -> Vec<Case> {
    let mut cases = cases();
    cases.truncate(if test_env::all("SETS") { cases.len() } else { 1 });
    cases.retain(|case| case.parameters.ctas <= ctas);
    cases
}

/// With `TXBAR_ALL_SETS` netlists as well: synthesis of the smallest cluster takes two minutes, and `lockstep` has those of units.
#[test]
fn cxxrtl_and_netlists() {
    on_deep_stack(|| agrees(Flow::Cxxrtl, small_cases(4)));
    if test_env::all("SETS") {
        agrees(Flow::Netlist(&ECP5), small_cases(2));
    }
}

/// Icarus is slow: one scenario on each, unless all are asked for.
#[test]
fn icarus() {
    for Case { parameters, scenarios } in quick_cases() {
        let icarus = Icarus::new(&export(&parameters)).unwrap_or_else(|error| panic!("{error}"));
        let scenarios = scenarios.iter().take(if test_env::all("SETS") { scenarios.len() } else { 1 });
        let runs = scenarios.map(|scenario| (scenario.name(), scenario_pins(&parameters, *scenario)));
        for (name, pins) in runs.chain([("noise", noise_pins(&parameters, 700))]) {
            let differences = icarus.differences(&pins).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(differences, "", "{} {name}", parameters.label());
        }
    }
}
