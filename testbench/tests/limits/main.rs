//! Limits: every queue, table and counter is full in some run, somebody wants more of it while it is, and none is ever more than full.
//! Scoreboards look on, so what does not fit is neither lost nor done too early.

mod list;
mod observe;

use list::{Kind, LIMITS, Shape};
use observe::{Map, Observer, Seen};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use txbar_export::tables::{check_document, with_tables};
use txbar_rtl::any::AnyUnit;
use txbar_rtl::board::bridge_top::BridgeTop;
use txbar_rtl::board::parameters::BoardParameters;
use txbar_rtl::board::protocol::WINDOW;
use txbar_rtl::board::self_test::SelfTest;
use txbar_rtl::cluster::Cluster;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::copies::ledger::MOST_GROUPS;
use txbar_rtl::hdl::{Part, Widths};
use txbar_rtl::op::{NO_LIMIT, Op};
use txbar_rtl::parameters::Parameters;
use txbar_rtl::warp::WarpUnit;
use txbar_rtl::warp::parameters::WarpParameters;
use txbar_rtl::word::address::mapa;
use txbar_testbench::case::warps::{By, Item, Warps};
use txbar_testbench::cluster::rig::{Environment, Rig};
use txbar_testbench::cluster::thread::{Program, Put, Step, Target, Thread};
use txbar_testbench::cluster::traffic::Plan as ClusterPlan;
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::request::Request;
use txbar_testbench::run::{self, Script};
use txbar_testbench::traffic::{Conditions, Pattern, Plan};
use txbar_testbench::warp::{Asked, Instruction, Lane, engine, traffic as warp_traffic};
use txbar_testbench::wire::host::Host;
use txbar_testbench::wire::simulated::SimulatedBoard;

/// A run: its name, its kind of design, and what was seen of its limits.
type Ran = (&'static str, Kind, BTreeMap<usize, Seen>);

fn shape(kind: Kind, unit: Parameters) -> Shape {
    Shape { kind, unit, cluster: ClusterParameters::default() }
}

fn checked(parameters: Parameters) -> Parameters {
    parameters.check().unwrap_or_else(|error| panic!("{error}"))
}

/// Four ports, two banks.
fn small() -> Parameters {
    checked(Parameters { ports: 4, banks: 2, words: 64, waiters: 8, queue_depth: 2, ..Parameters::default() })
}

fn wake_mask() -> Parameters {
    checked(Parameters { wake_mask: true, counters: false, ..small() })
}

fn banked() -> Parameters {
    checked(Parameters { waiters: 8, ..Parameters::banked_high_clock(4, 2) })
}

fn warps() -> WarpParameters {
    let unit = Parameters {
        ports: 1,
        banks: 4,
        words: 64,
        waiters: 64,
        queue_depth: 32,
        counters: false,
        ..Parameters::default()
    };
    let parameters = WarpParameters { unit, lanes: 32, warp_ports: 2, memory: true };
    parameters.check().unwrap_or_else(|error| panic!("{error}"))
}

fn bridge() -> BoardParameters {
    BoardParameters::bridge(checked(Parameters { ports: 1, waiters: 32, queue_depth: 8, ..small() }), 4, 1000)
        .check()
        .unwrap_or_else(|error| panic!("{error}"))
}

/// A unit that is looked at.
struct Look(Observer);
impl run::Observer<Rtl> for Look {
    fn settled(&mut self, engine: &Rtl, _cycle: u64) {
        self.0.look(engine.unit());
    }
}

/// Random requests to a unit.
fn unit(name: &'static str, kind: Kind, parameters: Parameters, plan: Plan) -> Ran {
    let mut rtl = Rtl::new(parameters);
    let mut look = Look(Observer::new(&shape(kind, parameters), rtl.unit()));
    run::plan(&mut rtl, &plan, &mut look).unwrap_or_else(|failure| panic!("{name}: {failure}"));
    (name, kind, look.0.seen)
}

/// Waits of many threads of each port, more than can be suspended, on two barriers in different banks; then these complete.
fn waits(kind: Kind, parameters: Parameters) -> Ran {
    let name = "more waits than can be suspended";
    let mut script = Script::new(parameters.ports);
    let barriers = [0x40, 0x48];
    for barrier in barriers {
        script.push(0, 0, Request::new(Op::Init, barrier).with(1));
    }
    for (port, turn) in (0..parameters.ports).flat_map(|port| (0..12).map(move |turn| (port, turn))) {
        let wait = Request::new(Op::TryWaitParity, barriers[turn % 2]).with(u64::from(NO_LIMIT) << 32);
        script.push(port, if turn == 0 { 40 } else { 0 }, wait.tagged((turn as u16) << parameters.number_bits));
    }
    for barrier in barriers {
        script.push(0, 200, Request::new(Op::Arrive, barrier).with(1));
    }
    let mut rtl = Rtl::new(parameters);
    let mut look = Look(Observer::new(&shape(kind, parameters), rtl.unit()));
    run::source(&mut rtl, script, Conditions::CALM, &mut look).unwrap_or_else(|failure| panic!("{name}: {failure}"));
    (name, kind, look.0.seen)
}

/// Random instructions to a unit with ports for warps.
fn of_warps(name: &'static str) -> Ran {
    let parameters = warps();
    let mut rtl = engine::Rtl::new(parameters);
    let mut observer = Observer::new(&shape(Kind::Warps, parameters.unit), rtl.unit());
    let plan = warp_traffic::Plan { stall: 80, ..warp_traffic::Plan::new(parameters, 1, 4000) };
    let ran = plan.run(&mut rtl, &mut |rtl, _| observer.look(rtl.unit()));
    ran.unwrap_or_else(|failure| panic!("{name}: {failure}"));
    (name, Kind::Warps, observer.seen)
}

/// A warp waits for 16 barriers, which is a group each, and asks about more than there are other entries.
fn groups_of_lanes(name: &'static str) -> Ran {
    let parameters = warps();
    let lane = |lane: usize| Some(Lane { address: 8 * lane as u32, operand: 0 });
    let none = |_| None;
    let ask = |op, lanes: Vec<Option<Lane>>| {
        let asked = Asked::Barriers(Instruction { op, remote: false, elsewhere: false, lanes }, 5000);
        Item { cycle: 100, by: By::Warp { port: 0, asked } }
    };
    let init = |word: u32| {
        let request = Request::new(Op::Init, 8 * word).with(1).tagged(word as u16);
        Item { cycle: 0, by: By::Thread { port: 0, request } }
    };
    let waits = ask(Op::TryWaitParity, (0..16).map(lane).chain((16..32).map(none)).collect());
    let asks = ask(Op::TestWaitParity, (0..32).map(lane).collect());
    let requests = (0..32).map(init).chain([waits, asks.clone(), asks]).collect();
    let case = Warps { parameters, seed: 1, stall: 90, requests };
    case.check().unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut rtl = engine::Rtl::new(parameters);
    let mut observer = Observer::new(&shape(Kind::Warps, parameters.unit), rtl.unit());
    let ran = case.play(|| false, &mut rtl, &mut |rtl, _| observer.look(rtl.unit()));
    ran.unwrap_or_else(|failure| panic!("{name}: {failure}"));
    (name, Kind::Warps, observer.seen)
}

/// As many waits as the bridge keeps for its host, and a load behind them.
fn of_bridge(name: &'static str) -> Ran {
    let parameters = bridge();
    let mut observer = Observer::new(&shape(Kind::Bridge, parameters.unit), &BridgeTop::new(&parameters));
    let mut look = |top: &BridgeTop| observer.look(top);
    let line = SimulatedBoard::new(&parameters).watched(&mut look);
    let mut host = Host::connect(line).expect("the bridge is there");
    let wait = |thread: u16| Request::new(Op::TryWaitParity, 8).with(40_000_000 << 32).tagged(thread);
    let init = Request::new(Op::Init, 8).with(1);
    let requests: Vec<Request> =
        [init].into_iter().chain((0..WINDOW as u16).map(wait)).chain([Request::new(Op::Load, 16)]).collect();
    let answers = host.ask(&requests).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(answers.iter().all(Option::is_some), "{name}: {answers:?}");
    drop(host);
    (name, Kind::Bridge, observer.seen)
}

fn of_cluster(
    name: &'static str,
    parameters: ClusterParameters,
    run: impl FnOnce(ClusterParameters, &mut dyn FnMut(&Cluster, u64)),
) -> Ran {
    let parameters = parameters.check().unwrap_or_else(|error| panic!("{name}: {error}"));
    let shape = Shape { kind: Kind::Cluster, unit: parameters.unit, cluster: parameters };
    let mut observer = Observer::new(&shape, &Cluster::new(&parameters));
    run(parameters, &mut |cluster, _| observer.look(cluster));
    (name, Kind::Cluster, observer.seen)
}

/// Random traffic on a cluster.
fn random(name: &'static str, ctas: usize, change: fn(&mut ClusterParameters), stall: u8, rush: bool) -> Ran {
    let mut parameters = ClusterPlan::cluster(ctas);
    change(&mut parameters);
    of_cluster(name, parameters, |parameters, look| {
        let plan = ClusterPlan { parameters, seed: 1, cycles: if ctas == 8 { 2000 } else { 6000 }, stall, rush };
        plan.run(&mut |_, _| {}, look).unwrap_or_else(|failure| panic!("{name}: {failure}"));
    })
}

/// Threads of a cluster with their programs.
fn directed(name: &'static str, parameters: ClusterParameters, threads: Vec<Thread>, environment: Environment) -> Ran {
    of_cluster(name, parameters, |parameters, look| {
        let mut rig = Rig::new(parameters, threads, environment);
        rig.run(&mut |_, _| {}, look).unwrap_or_else(|failure| panic!("{name}: {failure}"));
    })
}

/// A thread commits three bulk groups more than may be open, two with a copy and eight without, and waits until the last of them, the last but
/// one, ... is over: each when the bytes of all before it are in global memory, which takes 400 cycles, and none before.
fn ten_groups() -> Ran {
    let mut groups = Program::default();
    for number in 0..MOST_GROUPS as u64 + 3 {
        if number < 2 {
            groups.then(Step::Put(Put::new(0x400, Target::Global(0x10_0000 + 0x100 * number), 16)));
        }
        groups.then(Step::Commit);
    }
    for most in (0..=MOST_GROUPS as u8).rev() {
        groups.then(Step::Groups { most, read: true }).then(Step::Groups { most, read: false });
    }
    let unit = Parameters { ports: 2, banks: 4, number_bits: 1, counters: false, ..Parameters::default() };
    let parameters = ClusterParameters { unit, ctas: 1, bursts: 16, warps: 1, ..ClusterParameters::default() };
    let thread = Thread { cta: 0, port: 0, number: 0, warp: 0, program: groups.0 };
    directed(
        "ten groups of a thread",
        parameters,
        vec![thread],
        Environment { memory: 400..=400, ..Environment::IDEAL },
    )
}

/// The first CTA asks all others. These keep their memories busy with arrivals that each end a phase, or do nothing; when they stop, all that
/// has been asked is answered at once, and each link takes one answer a cycle.
fn asks_all_others(name: &'static str, busy: bool) -> Ran {
    let unit = Parameters {
        ports: 4,
        banks: 1,
        words: 128,
        queue_depth: 4,
        number_bits: 6,
        whole_groups: false,
        counters: false,
        ..Parameters::default()
    };
    let parameters = ClusterParameters { unit, ctas: 8, link_cycles: 4, warps: 4, ..ClusterParameters::default() };
    let program = |cta: usize, port: usize| {
        let mut program = Program::default();
        if cta == 0 {
            program.pause(100);
            for turn in 0..60 {
                program.then(Step::Send(Request::new(Op::Load, mapa(0x80, 1 + (turn + port) % 7)).from_remote()));
            }
        } else if busy {
            program.ask(Request::new(Op::Init, 0x40).with(1));
            for _ in 0..80 {
                program.then(Step::Send(Request::new(Op::Arrive, 0x40).with(1)));
            }
        }
        program.then(Step::Settle);
        Thread { cta, port, number: port as u16, warp: port, program: program.0 }
    };
    let threads = (0..8).flat_map(|cta| (0..4).map(move |port| (cta, port)));
    directed(name, parameters, threads.map(|(cta, port)| program(cta, port)).collect(), Environment::IDEAL)
}

/// Three threads of a port of a CTA wait for a barrier, on a port for whose waits there is one place; a thread of the other port arrives.
fn waits_of_a_cta(name: &'static str) -> Ran {
    let unit = Parameters { ports: 2, banks: 1, waiters: 2, number_bits: 2, counters: false, ..Parameters::default() };
    let parameters = ClusterParameters { unit, ctas: 1, warps: 4, ..ClusterParameters::default() };
    let program = |number: u16| {
        let mut program = Program::default();
        if number == 0 {
            program.ask(Request::new(Op::Init, 0x40).with(1)).pause(200).ask(Request::new(Op::Arrive, 0x40).with(1));
        } else {
            program
                .pause(50 + 10 * u32::from(number))
                .ask(Request::new(Op::TryWaitParity, 0x40).with(u64::from(NO_LIMIT) << 32));
        }
        program.0
    };
    let threads = (0..4).map(|number| Thread {
        cta: 0,
        port: usize::from(number == 0),
        number,
        warp: number.into(),
        program: program(number),
    });
    directed(name, parameters, threads.collect(), Environment::IDEAL)
}

/// Runs with names.
fn runs() -> Vec<Ran> {
    let stalled = |stall, bank_stall| Plan { stall, bank_stall, ..Plan::new(1, 6000) };
    let same = Plan { pattern: Pattern::Same, ..stalled(0, 0) };
    let crowded = checked(Parameters { waiters: 8, ..Parameters::banked_high_clock(8, 1) });
    let short = |p: &mut ClusterParameters| (p.link_cycles, p.remote_depth, p.unit.ports) = (1, 2, 4);
    vec![
        unit("random requests, ports that stall", Kind::LowLatency, small(), stalled(60, 0)),
        unit("random requests, ports that stall", Kind::WakeMask, wake_mask(), stalled(60, 0)),
        unit("random requests, a port that stalls", Kind::HighClock, Parameters::high_clock(64), stalled(90, 0)),
        unit("random requests, ports that stall", Kind::BankedHighClock, banked(), stalled(90, 0)),
        unit("random requests to one word", Kind::BankedHighClock, crowded, same),
        unit("random requests to one word", Kind::HighClock, Parameters::high_clock(64), same),
        waits(Kind::LowLatency, small()),
        waits(Kind::WakeMask, wake_mask()),
        waits(Kind::BankedHighClock, banked()),
        groups_of_lanes("a warp at many barriers"),
        of_warps("random instructions, ports that stall"),
        of_bridge("as many waits as it keeps"),
        random(
            "random traffic on small tables",
            2,
            |p| (p.bursts, p.outstanding, p.copiers, p.tensors) = (2, 2, 4, 2),
            30,
            false,
        ),
        random(
            "random traffic on slow links",
            2,
            |p| (p.link_cycles, p.remote_depth, p.unit.waiters) = (8, 2, 2),
            30,
            true,
        ),
        random("random traffic that stands still", 2, |p| p.bursts = 16, 90, false),
        random("eight CTAs that want the first", 8, short, 0, true),
        random("eight CTAs that want the first and are not ready", 8, short, 90, true),
        ten_groups(),
        waits_of_a_cta("three waits of a CTA's port that keeps one"),
        asks_all_others("seven CTAs at rest answer one", false),
        asks_all_others("seven CTAs answer one when their own threads stop", true),
    ]
}

#[test]
fn every_limit_is_reached_and_more_is_wanted() {
    let runs = runs();
    let mut table =
        String::from("| of | there may be only so many | register | reached in |\n| --- | --- | --- | --- |\n");
    let mut missed = Vec::new();
    for (number, limit) in LIMITS.iter().enumerate() {
        let of = || runs.iter().filter_map(|(run, _, seen)| Some((run, seen.get(&number)?)));
        let reaches = |seen: &Seen| seen.most == seen.full && (seen.wanted || limit.wanted.is_empty());
        match of().find(|(_, seen)| reaches(seen)) {
            Some((run, _)) => {
                let beyond = if limit.wanted.is_empty() { "" } else { ", and more is wanted" };
                let of = limit.kind.name();
                table += &format!("| {of} | {} | `{}` | {run}{beyond} |\n", limit.name, limit.register);
            }
            None => missed.push(format!("{} ({}): {:?}", limit.name, limit.kind.name(), of().collect::<Vec<_>>())),
        }
    }
    assert!(missed.is_empty(), "never full, or nobody wants more then: {missed:#?}");
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/limits/README.md");
    let refresh = |text: &str| with_tables(text, &[("limits", table.clone())]);
    check_document(&document, refresh, "cargo test -p txbar-testbench --test limits");
}

/// By itself, so that it is this run that finds a sender that takes a commit for which there is no room.
#[test]
fn one_bulk_group_more_than_fits_waits() {
    let (_, _, seen) = ten_groups();
    let register = "cta.sender.ledger.unwritten";
    let number = LIMITS.iter().position(|limit| limit.register == register).expect("it is in the list");
    let Seen { most, full, wanted } = seen[&number];
    assert_eq!((most, full, wanted), (MOST_GROUPS as u64, MOST_GROUPS as u64, true));
}

/// Control registers of several bits that are no limit.
const OTHERS: &str = include_str!("others.txt");

/// Whoever adds a control register of several bits says whether it is a limit, and which run reaches it, or why it is none.
#[test]
fn no_limit_is_forgotten() {
    let mut there = BTreeSet::new();
    let mut limits = BTreeSet::new();
    let mut add = |kind: Option<Kind>, design: &dyn Part, widths: &dyn Widths| {
        let map = Map::of(design);
        there.extend(map.controls().filter(|(_, ty)| ty.width(widths) > 1).map(|(named, _)| named.to_owned()));
        for limit in LIMITS.iter().filter(|limit| Some(limit.kind) == kind) {
            let named = map.named(limit.register).unwrap_or_else(|| panic!("there is no register {}", limit.register));
            limits.insert(named.to_owned());
        }
    };
    let high_clock = Parameters::high_clock(64);
    for (kind, unit) in [
        (Kind::LowLatency, small()),
        (Kind::WakeMask, Parameters { waiters: 16, ..wake_mask() }),
        (Kind::HighClock, high_clock),
        (Kind::BankedHighClock, banked()),
    ] {
        add(Some(kind), &AnyUnit::new(&unit), &unit);
    }
    let checked_mode = checked(Parameters { checked: true, ..Parameters::default() });
    add(None, &AnyUnit::new(&checked_mode), &checked_mode);
    add(Some(Kind::Warps), &WarpUnit::new(&warps()), &warps());
    let bridge = BoardParameters::bridge(small(), 4, 1000).check().unwrap_or_else(|error| panic!("{error}"));
    add(Some(Kind::Bridge), &BridgeTop::new(&bridge), &bridge);
    let self_test = BoardParameters::self_test(small(), 4, 1000).check().unwrap_or_else(|error| panic!("{error}"));
    add(None, &SelfTest::new(&self_test), &self_test);
    let cluster = ClusterParameters { tensors: 2, lanes: 8, warp_memory: true, ..ClusterPlan::cluster(2) };
    let cluster = cluster.check().unwrap_or_else(|error| panic!("{error}"));
    add(Some(Kind::Cluster), &Cluster::new(&cluster), &cluster);
    let others = OTHERS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned);
    let others: BTreeSet<String> = others.collect();
    let listed: BTreeSet<String> = limits.union(&others).cloned().collect();
    let missing: Vec<_> = there.difference(&listed).collect();
    let gone: Vec<_> = listed.difference(&there).collect();
    assert!(missing.is_empty(), "limits (list.rs) or not (others.txt)? {missing:#?}");
    assert!(gone.is_empty(), "there are no such registers: {gone:#?}");
    let both: Vec<_> = limits.intersection(&others).collect();
    assert!(both.is_empty(), "both a limit and none: {both:#?}");
}
