//! The order in which the processes of every design are called, held against the syntax trees: see [`txbar_hdl::order`].

use crate::any::AnyUnit;
use crate::board::bridge_top::BridgeTop;
use crate::board::parameters::BoardParameters;
use crate::board::self_test::SelfTest;
use crate::bus::BusUnit;
use crate::bus::parameters::{Bus, BusParameters};
use crate::cells::fifo::Fifo;
use crate::cluster::Cluster;
use crate::cluster::parameters::ClusterParameters;
use crate::hdl::order::{Derived, Point, check};
use crate::hdl::{Part, Widths};
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
fn units_behind_a_bus_settle_in_an_order_of_the_data() {
    for bus in Bus::ALL {
        for (windows, unit) in [(1, Parameters::default()), (64, Parameters::high_clock(64))] {
            let parameters = BusParameters { bus, windows, unit };
            in_order(|| BusUnit::new(&parameters), &parameters, BusUnit::settle);
        }
    }
}

#[test]
fn a_queue_that_is_not_empty_settles_in_an_order_of_the_data() {
    let mut queue = Fifo::new(2, 4, 4);
    queue.push.next = true;
    queue.settle();
    queue.tick();
    let settle = |queue: &mut Fifo| {
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

const fn point(
    place: &'static str,
    name: &'static str,
    given: &'static [(&'static str, &'static str)],
    then: &'static [&'static str],
) -> Point {
    Point { name, place, given, then }
}

/// Where others look into a unit: what is given by then, and which processes follow.
const UNIT: &[Point] = &[
    point(
        "txbar_rtl::look::Point",
        "Committed",
        &[("bank", "flips")],
        &["Advance", "Find", "Tell", "Outcome", "Seek", "Compare", "Reveal", "Suspend", "Event", "Look"],
    ),
    point(
        "txbar_rtl::look::Point",
        "Answered",
        &[("waiters", "parks"), ("wakes", "parks"), ("counters", "value")],
        &["Respond"],
    ),
    point(
        "txbar_rtl::look::Point",
        "Requested",
        &[],
        &["Lock", "Enter", "Admit", "Share", "Offer", "Depart", "Request"],
    ),
    point(
        "txbar_rtl::look::Point",
        "Granted",
        &[("bank", "turn"), ("bank", "lead"), ("combine", "partners")],
        &["Accept", "Taken", "Replayed", "Gather"],
    ),
    point("txbar_rtl::look::Point", "Gathered", &[], &["Written", "Tally"]),
];
/// Where others look into ports for warps.
const WARPS: &[Point] = &[
    point(
        "txbar_rtl::warp::Point",
        "Shown",
        &[("scatter", "rsp_tag"), ("deliver", "rsp_tag")],
        &["Contend", "Drive", "Enter"],
    ),
    point("txbar_rtl::warp::Point", "Asked", &[("access", "busy")], &["Accept"]),
    point("txbar_rtl::warp::Point", "Grouped", &[("coalesce", "entry"), ("coalesce", "lanes")], &["Show"]),
];
/// Where others look into a cluster.
const CLUSTER: &[Point] = &[
    point("txbar_rtl::cluster::Point", "Brought", &[], &[]),
    point("txbar_rtl::cluster::Point", "Sent", &[("cta", "send")], &["Ask", "Route"]),
    point("txbar_rtl::cluster::Point", "Routed", &[], &["Take", "Show", "Gather", "Hand"]),
];

/// Designs in which every kind of block stands, with each optional part.
fn derived() -> Derived {
    let mut derived = Derived::new(&["Unit", "HighClock", "BankedHighClock"]);
    let names = names();
    let mut add = |design: &dyn Part, widths: &dyn Widths| derived.add(design, widths, &names);
    for parameters in units() {
        if parameters.ports < 6 {
            add(&Unit::new(&parameters), &parameters);
        }
    }
    for parameters in
        [Parameters::high_clock(64), Parameters::banked_high_clock(2, 2), Parameters::banked_high_clock(8, 4)]
    {
        add(&AnyUnit::new(&parameters), &parameters);
    }
    for checked in [false, true] {
        let unit = Parameters { ports: 2, checked, ..Parameters::default() };
        let parameters = WarpParameters { unit, lanes: 8, warp_ports: 2, memory: checked };
        add(&WarpUnit::new(&parameters), &parameters);
        let unit = Parameters { banks: 4, words: 64, checked, ..unit };
        let parameters =
            ClusterParameters { unit, tensors: 4, lanes: 8, warp_memory: checked, ..ClusterParameters::default() };
        add(&Cluster::new(&parameters), &parameters);
        let unit = Parameters { wake_mask: true, counters: false, ..unit };
        let parameters = ClusterParameters { unit, ctas: 1 + checked as usize, ..ClusterParameters::default() };
        add(&Cluster::new(&parameters), &parameters);
        let board = BoardParameters::self_test(Parameters::default(), 4, 300);
        add(&SelfTest::new(&board), &board);
        let board = BoardParameters::bridge(Parameters { checked, ..Parameters::default() }, 4, 100);
        add(&BridgeTop::new(&board), &board);
    }
    for bus in Bus::ALL {
        let parameters = BusParameters { bus, windows: 3, unit: Parameters { ports: 2, ..Parameters::default() } };
        add(&BusUnit::new(&parameters), &parameters);
    }
    derived.look("Unit", UNIT);
    derived.look("WarpUnit", WARPS);
    derived.look("Cluster", CLUSTER);
    derived
}

/// Blocks that are large, or called seldom: inlining them made the simulation slower, or compiling long.
const APART: &[&str] = &[
    "txbar_rtl::banked::Fabric",
    "txbar_rtl::banked::unit",
    "txbar_rtl::high_clock::Deep",
    "txbar_rtl::high_clock::unit",
    "txbar_rtl::board",
    "txbar_rtl::bus",
    "txbar_rtl::cells::lfsr",
    "txbar_rtl::warp",
];

const HEADER: &str = "\
//! The order in which every block settles. Derived from what its processes read and drive, and written by
//! `TXBAR_UPDATE_ORDER=1 cargo test -p txbar-rtl schedule`; of a process or block that is no more, delete the name before.

use crate::hdl::settle;

";

/// Whoever adds a process or a block, or changes what one reads or drives, has the order written again.
#[test]
fn the_order_is_the_one_that_is_derived() {
    let derive = || {
        let queue = ("Fifo", &["Look", "store", "Show"][..], "valid.q.val()");
        derived().rust(&["SelfTest"], APART, &[queue]).unwrap_or_else(|error| panic!("{error}"))
    };
    // the largest designs do not fit the stack of a test's thread
    let text = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(1 << 28).spawn_scoped(scope, derive);
        thread.expect("there is a thread").join().expect("what is wrong is printed")
    });
    let (file, text) = (concat!(env!("CARGO_MANIFEST_DIR"), "/src/settle.rs"), HEADER.to_owned() + &text);
    if std::env::var_os("TXBAR_UPDATE_ORDER").is_some() {
        std::fs::write(file, text).expect("it can be written");
    } else if std::fs::read_to_string(file).expect("it is there") != text {
        panic!("rtl/src/settle.rs is out of date: TXBAR_UPDATE_ORDER=1 cargo test -p txbar-rtl schedule");
    }
}
