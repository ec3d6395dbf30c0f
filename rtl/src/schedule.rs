//! The order in which the processes of every design are called, held against the syntax trees: see [`txbar_hdl::order`].

use crate::any::AnyUnit;
use crate::board::bridge_top::BridgeTop;
use crate::board::parameters::BoardParameters;
use crate::board::self_test::SelfTest;
use crate::cells::fifo::Fifo;
use crate::cluster::Cluster;
use crate::cluster::parameters::ClusterParameters;
use crate::hdl::{Part, Widths, order::check};
use crate::low_latency::unit::Unit;
use crate::names::names;
use crate::warp::WarpUnit;
use crate::warp::parameters::WarpParameters;
use crate::word::parameters::Parameters;

/// What an empty queue leaves out; a test looks at one that is not empty.
const SLEEPERS: &[&str] = &["Look of Fifo", "Show of Fifo"];

/// A design settles in an order of the data; gives how often a process reads what another one drives.
fn in_order<D: Part>(
    new: impl FnOnce() -> D + Send,
    widths: &(dyn Widths + Sync),
    settle: impl FnOnce(&mut D) + Send,
) -> usize {
    // the largest designs do not fit the stack of a test's thread
    let look = || check(&mut new(), widths, &names(), settle).unwrap_or_else(|error| panic!("{error}"));
    let ordered = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(1 << 28).spawn_scoped(scope, look);
        thread.expect("there is a thread").join().expect("what is wrong is printed")
    });
    for process in ordered.asleep {
        assert!(SLEEPERS.contains(&process.as_str()), "{process} does not run");
    }
    ordered.dependencies
}

/// Parameters of units in which each optional block is there and is not.
fn units() -> Vec<Parameters> {
    let given = Parameters::default();
    let sizes = [(1, 1), (2, 1), (4, 1), (3, 4), (6, 32), (8, 2), (8, 8)];
    let sized = sizes.map(|(ports, banks)| Parameters { ports, banks, words: 128, ..given });
    let mut all = sized.to_vec();
    all.extend(sized.map(|unit| Parameters { waiters: 0, counters: false, whole_groups: false, ..unit }));
    all.extend(sized.map(|unit| Parameters { checked: true, ..unit }));
    all.extend(sized.map(|unit| Parameters { wake_mask: true, counters: false, number_bits: 3, ..unit }));
    all
}

#[test]
fn units_settle_in_an_order_of_the_data() {
    for parameters in units() {
        let dependencies = in_order(|| Unit::new(&parameters), &parameters, Unit::settle);
        assert!(dependencies > 50, "{parameters:?}: {dependencies}");
        // whoever looks in gets the code for any size
        in_order(|| Unit::new(&parameters), &parameters, |unit| unit.settle_with(&mut |_, _| {}));
    }
    for parameters in [Parameters::high_clock(64), Parameters::banked_high_clock(1, 1)]
        .into_iter()
        .chain([(2, 2), (4, 8), (8, 1)].map(|(ports, banks)| Parameters::banked_high_clock(ports, banks)))
    {
        in_order(|| AnyUnit::new(&parameters), &parameters, AnyUnit::settle);
        in_order(|| AnyUnit::new(&parameters), &parameters, |unit| unit.settle_with(&mut |_, _| {}));
    }
}

#[test]
fn ports_for_warps_settle_in_an_order_of_the_data() {
    for (lanes, warp_ports, memory, checked) in [(1, 1, false, false), (32, 4, true, true), (8, 2, true, false)] {
        let unit = Parameters { ports: 2, checked, ..Parameters::default() };
        let parameters = WarpParameters { unit, lanes, warp_ports, memory };
        in_order(|| WarpUnit::new(&parameters), &parameters, WarpUnit::settle);
    }
}

#[test]
fn clusters_settle_in_an_order_of_the_data() {
    for (ctas, ports, banks, tensors, lanes, checked, [warp_memory, wake_mask]) in [
        (1, 1, 1, 0, 0, false, [false, false]),
        (2, 4, 8, 4, 0, true, [false, false]),
        (3, 2, 4, 1, 8, false, [false, false]),
        (8, 1, 8, 0, 32, true, [false, false]),
        (1, 2, 2, 0, 4, false, [true, false]),
        (2, 1, 8, 1, 32, true, [true, false]),
        (1, 1, 4, 0, 0, false, [false, true]),
        (2, 4, 2, 0, 0, true, [false, true]),
    ] {
        let counters = !wake_mask;
        let unit = Parameters { ports, banks, words: 64, checked, wake_mask, counters, ..Parameters::default() };
        let parameters = ClusterParameters { unit, ctas, tensors, lanes, warp_memory, ..ClusterParameters::default() };
        in_order(|| Cluster::new(&parameters), &parameters, Cluster::settle);
    }
}

#[test]
fn tops_for_boards_settle_in_an_order_of_the_data() {
    for unit in
        [Parameters::default(), Parameters { ports: 1, banks: 1, ..Parameters::default() }, Parameters::high_clock(16)]
    {
        let board = BoardParameters::self_test(unit, 4, 300);
        in_order(|| SelfTest::new(&board), &board, SelfTest::settle);
        let board = BoardParameters::bridge(unit, 4, 100);
        in_order(|| BridgeTop::new(&board), &board, BridgeTop::settle);
    }
}

#[test]
fn a_queue_that_is_not_empty_settles_in_an_order_of_the_data() {
    let mut queue = Fifo::new(2, 4, 4);
    queue.push.next = true;
    queue.settle_show();
    queue.settle();
    queue.tick();
    let settle = |queue: &mut Fifo| {
        queue.settle_show();
        queue.settle();
    };
    let ordered =
        check(&mut queue, &ClusterParameters::default(), &names(), settle).unwrap_or_else(|error| panic!("{error}"));
    assert!(ordered.asleep.is_empty());
}

/// The unit is settled by code for its size: its counts are those that this code was compiled for.
#[test]
fn every_size_that_is_compiled_is_used() {
    let mut used: Vec<usize> = units().iter().map(|parameters| Unit::new(parameters).fitting()).collect();
    used.sort();
    used.dedup();
    assert_eq!(used, [0, 1, 2, 3, 4, 5]);
}
