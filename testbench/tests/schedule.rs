//! What the fast simulation takes for granted, checked slowly.

use txbar_rtl::cluster::Cluster;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::hdl::settled::check;
use txbar_rtl::parameters::Parameters;
use txbar_testbench::cluster::noise::Noise;
use txbar_testbench::cluster::rig::Rig;
use txbar_testbench::cluster::scenarios::Scenario;
use txbar_testbench::engine::Engine;
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::run::{self, Observer};
use txbar_testbench::traffic::Plan;

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
        let mut rig = Rig::new(parameters, scenario.threads(&parameters, 3), Scenario::weather(3));
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
    let shapes = [(1, 1, 1, 3, 3, 1), (2, 6, 4, 1, 1, 16), (3, 2, 2, 5, 7, 3), (8, 1, 8, 2, 1, 2)];
    for (ctas, ports, banks, warps, copiers, bursts) in shapes {
        let unit = Parameters { ports, banks, words: 64, tag_bits: 3, checked: ctas != 2, ..Parameters::default() };
        let link_cycles = ctas;
        let parameters = ClusterParameters {
            unit,
            ctas,
            link_cycles,
            warps,
            copiers,
            outstanding: 2,
            bursts,
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
