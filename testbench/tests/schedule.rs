//! The assumptions of the fast simulation, checked slowly.

use txbar_rtl::board::parameters::BoardParameters;
use txbar_rtl::board::self_test::SelfTest;
use txbar_rtl::cluster::Cluster;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::hdl::settled::check;
use txbar_rtl::op::Op;
use txbar_rtl::parameters::Parameters;
use txbar_testbench::cluster::noise::Noise;
use txbar_testbench::cluster::rig::Rig;
use txbar_testbench::cluster::scenarios::Scenario;
use txbar_testbench::engine::Engine;
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::request::Request;
use txbar_testbench::run::{self, Observer};
use txbar_testbench::traffic::Plan;
use txbar_testbench::wire::host::Host;
use txbar_testbench::wire::simulated::{Noise as LineNoise, SimulatedBoard};

/// In every cycle: settling again changes nothing, and every value fits the wires that carry it.
struct Checker {
    parameters: Parameters,
    cycles: u64,
}

impl Observer<Rtl> for Checker {
    fn settled(&mut self, engine: &Rtl, cycle: u64) {
        let mut again = engine.unit().clone();
        again.settle();
        check(engine.unit(), &again, &self.parameters, format_args!("cycle {cycle}"));
        self.cycles += 1;
    }
}

/// The processes of a unit run once a cycle in an order that is written down by hand. If one ran before what it depends
/// on, running them all again would change something.
#[test]
fn the_written_order_is_an_order_of_the_data() {
    for (ports, banks, words, tag_bits, queue_depth) in
        [(4, 1, 512, 8, 8), (1, 1, 16, 1, 1), (3, 4, 64, 5, 5), (8, 2, 16, 16, 6), (6, 32, 128, 8, 8)]
    {
        let parameters = Parameters { ports, banks, words, tag_bits, queue_depth, ..Parameters::default() };
        let mut checker = Checker { parameters, cycles: 0 };
        let mut engine = Rtl::new(parameters);
        assert_eq!(engine.parameters().ports, ports);
        let plan = Plan { stall: 25, bank_stall: 10, ..Plan::new(21, 1500) };
        run::plan(&mut engine, &plan, &mut checker).unwrap_or_else(|failure| panic!("{failure}"));
        assert!(checker.cycles >= 300);
    }
}

/// The same of a cluster, in every scenario.
#[test]
fn the_written_order_of_a_cluster_is_an_order_of_the_data() {
    for scenario in Scenario::ALL {
        let parameters = scenario.parameters();
        let mut rig = Rig::new(parameters, scenario.threads(&parameters, 3), Scenario::environment(3));
        let mut look = |cluster: &Cluster, cycle| {
            let mut again = cluster.clone();
            again.settle();
            check(cluster, &again, &parameters, format_args!("cycle {cycle}"));
        };
        rig.run(&mut |_, _| {}, &mut look).unwrap_or_else(|failure| panic!("{}: {failure}", scenario.name()));
    }
}

/// The same with noise at all pins, in clusters of odd sizes.
#[test]
fn the_written_order_of_a_cluster_holds_for_whatever_stands_at_its_pins() {
    let shapes = [
        (1, 1, 1, 3, 3, 1, 0, 32),
        (2, 6, 4, 1, 1, 16, 16, 0),
        (3, 2, 2, 5, 7, 3, 5, 0),
        (8, 1, 8, 2, 1, 2, 0, 0),
        (2, 3, 4, 2, 2, 2, 1, 8),
    ];
    for (ctas, ports, banks, warps, copiers, bursts, tensors, lanes) in shapes {
        let tag_bits = if lanes > 0 { 5 } else { 3 };
        let unit = Parameters { ports, banks, words: 64, tag_bits, checked: ctas != 2, ..Parameters::default() };
        let link_cycles = ctas;
        let parameters = ClusterParameters {
            unit,
            ctas,
            link_cycles,
            warps,
            copiers,
            outstanding: 2,
            bursts,
            tensors,
            lanes,
            ..ClusterParameters::default()
        };
        let mut cycle = 0;
        Noise::run(&parameters, 5, 600, &mut |cluster, _| {
            let mut again = cluster.clone();
            again.settle();
            check(cluster, &again, &parameters, format_args!("cycle {cycle}"));
            cycle += 1;
        });
    }
}

/// The same of the self-test for boards.
#[test]
fn the_written_order_of_a_self_test_is_an_order_of_the_data() {
    for (ports, banks, words, tag_bits, queue_depth) in [(1, 1, 16, 2, 2), (4, 2, 64, 5, 8), (3, 4, 512, 16, 5)] {
        let unit = Parameters { ports, banks, words, tag_bits, queue_depth, ..Parameters::default() };
        let parameters = BoardParameters::self_test(unit, 4, 300);
        let mut top = SelfTest::new(&parameters);
        for cycle in 0..2500 {
            top.settle();
            let mut again = top.clone();
            again.settle();
            check(&top, &again, &parameters, format_args!("cycle {cycle}"));
            if cycle == 0 { top.clock_in_reset() } else { top.clock() }
        }
        assert!(top.conductor.rounds.q.val().raw() > 2, "rounds have been played");
    }
}

/// And of the bridge, over a line with noise.
#[test]
fn the_written_order_of_a_bridge_is_an_order_of_the_data() {
    for (ports, banks) in [(1, 1), (3, 2)] {
        let parameters =
            BoardParameters::bridge(Parameters { ports, banks, words: 32, ..Parameters::default() }, 4, 100);
        let board = SimulatedBoard::noisy(&parameters, LineNoise::new(90, 200, 3));
        let mut cycles = 0;
        let mut look = |top: &txbar_rtl::board::bridge_top::BridgeTop| {
            let mut again = top.clone();
            again.settle();
            check(top, &again, &parameters, format_args!("cycle {cycles}"));
            cycles += 1;
        };
        let mut host = Host::connect(board.watched(&mut look)).expect("the bridge is there");
        let requests: Vec<Request> = (0..12)
            .map(|n| Request::new(if n % 3 == 2 { Op::CpAsyncArrive } else { Op::Arrive }, n % 4 * 8).with(1))
            .collect();
        host.ask(&requests).unwrap_or_else(|error| panic!("{error}"));
        drop(host);
        assert!(cycles > 5000);
    }
}
