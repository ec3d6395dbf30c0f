//! Limits: every queue, table and counter of a cluster is full in some run, somebody wants more of it while it is, and none is ever more than full.
//! The rig's scoreboards look on, so what does not fit is neither lost nor done too early.

use super::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use txbar_rtl::copies::ledger::MOST_GROUPS;
use txbar_rtl::hdl::{Name, Part, RegisterView, SignalView, Type, Visitor};
use txbar_synth::tables::{check_document, with_tables};
use txbar_testbench::cluster::thread::{Put, Target};
use txbar_testbench::cluster::traffic::Plan;

/// When it is full.
#[derive(Clone, Copy)]
enum Full {
    /// At the number `capacity` of its block.
    Capacity,
    /// At this count.
    Count(fn(&ClusterParameters) -> usize),
    /// With so many bits set.
    Bits(fn(&ClusterParameters) -> usize),
}

/// A limit.
struct Limit {
    /// What there may be so many of.
    name: &'static str,
    /// Register that counts it, without the numbers of lanes.
    register: &'static str,
    full: Full,
    /// Signals of the same CTA and their values that say that somebody wants more; none where whoever fills it counts for himself.
    wanted: &'static [(&'static str, u64)],
    /// It has more room than the runs here fill: what comes there is limited before.
    roomy: bool,
}

const LIMITS: &[Limit] = &[
    Limit {
        name: "bursts of copies into a CTA that are under way",
        register: "cta.copier.used",
        full: Full::Bits(|p| p.bursts),
        wanted: &[("cta.copier.active", 1)],
        roomy: false,
    },
    Limit {
        name: "`cp.async` copies and arrivals of a thread",
        register: "cta.copier.tracker.used",
        full: Full::Bits(|p| p.outstanding),
        wanted: &[("cta.copier.async_valid", 1), ("cta.copier.async_ready", 0)],
        roomy: false,
    },
    Limit {
        name: "bursts and groups that have left a CTA",
        register: "cta.sender.ledger.used",
        full: Full::Bits(|p| p.bursts),
        wanted: &[("cta.sender.active", 1), ("cta.sender.move_valid", 0)],
        roomy: false,
    },
    Limit {
        name: "bulk groups of a thread that are not written",
        register: "cta.sender.ledger.unwritten",
        full: Full::Count(|_| MOST_GROUPS),
        wanted: &[("cta.sender.put_valid", 1), ("cta.sender.put_kind", 2), ("cta.sender.put_ready", 0)],
        roomy: false,
    },
    Limit {
        // those that are not written are counted for the limit, too, and are never fewer
        name: "bulk groups of a thread that are not read",
        register: "cta.sender.ledger.unread",
        full: Full::Count(|_| MOST_GROUPS),
        wanted: &[],
        roomy: false,
    },
    Limit {
        name: "blocks that are read for copies out of a CTA",
        register: "cta.outlet.way.filled",
        full: Full::Capacity,
        wanted: &[("cta.outlet.move_valid", 1), ("cta.outlet.move_ready", 0)],
        roomy: false,
    },
    alone("blocks that have been read", "cta.outlet.blocks.filled", Full::Capacity),
    alone("requests on a link or behind it", "requests.flying", Full::Capacity),
    alone("requests that a link has brought", "requests.queue.filled", Full::Capacity),
    roomy("answers on a link or behind it", "answers.flying", Full::Capacity),
    roomy("answers that a link has brought", "answers.queue.filled", Full::Capacity),
    alone("beats on a link or behind it", "beats.flying", Full::Capacity),
    alone("beats that a link has brought", "beats.queue.filled", Full::Capacity),
    alone("answers to requests of other CTAs that wait for their link", "cta.answers.filled", Full::Capacity),
    roomy("requests of other CTAs that are not answered", "cta.askers.filled", Full::Capacity),
    roomy("answers of other CTAs that a port has not taken", "cta.replies.filled", Full::Capacity),
    alone("answers that a port has not taken", "cta.unit.queue.filled", Full::Count(|p| p.unit.queue_depth)),
    alone("answers that a port has room for", "cta.unit.queue.reserved", Full::Count(|p| p.unit.queue_depth)),
    alone("waits of a port that are suspended", "cta.unit.waiters.parked", Full::Bits(|p| p.unit.entries())),
    alone("bursts of tensor copies that are under way", "cta.tensor.lander.used", Full::Bits(|p| p.tensors)),
];

/// A limit that nobody can want more of: whoever fills it counts for himself, and does not ask.
const fn alone(name: &'static str, register: &'static str, full: Full) -> Limit {
    Limit { name, register, full, wanted: &[], roomy: false }
}

/// The same; what comes there is limited before it, and no run here fills it.
const fn roomy(name: &'static str, register: &'static str, full: Full) -> Limit {
    Limit { roomy: true, ..alone(name, register, full) }
}

/// Registers that count what there may be only so many of: they are in the list.
const COUNTERS: [&str; 7] = ["filled", "reserved", "used", "unread", "unwritten", "flying", "parked"];

/// A value of the design, by its place.
struct Place {
    /// Blocks and register without the numbers of lanes.
    path: String,
    /// The CTA that it is in.
    cta: Option<usize>,
    /// Position in what [`Part::values`] gives.
    at: usize,
    /// Capacity of its block.
    capacity: Option<u64>,
    is_register: bool,
}

/// Where the values of a design are.
#[derive(Default)]
struct Map {
    open: Vec<(String, Option<usize>, Option<u64>)>,
    places: Vec<Place>,
    next: usize,
}

impl Map {
    fn of(design: &dyn Part) -> Self {
        let mut map = Self::default();
        design.visit("cluster".into(), "", &mut map);
        map
    }

    fn note(&mut self, name: Name, at: usize, is_register: bool) {
        let blocks = self.open[1..].iter().map(|(block, ..)| block.as_str()).chain([name.field]);
        let path = blocks.collect::<Vec<_>>().join(".");
        let cta = self.open.get(1).filter(|(block, ..)| block == "cta").and_then(|(_, lane, _)| *lane);
        let capacity = self.open.last().and_then(|(.., capacity)| *capacity);
        self.places.push(Place { path, cta, at, capacity, is_register });
    }
}

impl Visitor for Map {
    fn enter(&mut self, name: Name, _module: &'static str, _doc: &'static str) {
        self.open.push((name.field.to_owned(), name.indices().next(), None));
    }
    fn leave(&mut self) {
        self.open.pop();
    }
    fn signal(&mut self, name: Name, _doc: &'static str, _view: SignalView, _ty: Type, _value: u64) {
        self.note(name, self.next, false);
        self.next += 1;
    }
    fn register(&mut self, name: Name, _doc: &'static str, _view: RegisterView, _d: u64, _q: u64) {
        self.note(name, self.next + 1, true);
        self.next += 2;
    }
    fn number(&mut self, name: Name, _doc: &'static str, value: usize) {
        if let (Some((.., capacity)), "capacity") = (self.open.last_mut(), name.field) {
            *capacity = Some(value as u64);
        }
    }
}

/// What was seen of a limit.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// The most that there was.
    most: u64,
    /// What there may be.
    full: u64,
    /// More was wanted.
    wanted: bool,
}

/// Looks at the limits of a cluster in every cycle.
struct Observer {
    limits: Vec<Watched>,
    room: Vec<u64>,
    seen: BTreeMap<&'static str, Seen>,
}

/// A register that is looked at.
struct Watched {
    limit: &'static Limit,
    at: usize,
    full: u64,
    wanted: Vec<(usize, u64)>,
}

impl Observer {
    fn new(parameters: &ClusterParameters) -> Self {
        let map = Map::of(&Cluster::new(parameters));
        let mut limits = Vec::new();
        for limit in LIMITS {
            for place in map.places.iter().filter(|place| place.path == limit.register) {
                let full = match limit.full {
                    Full::Capacity => place.capacity.expect("its block has one"),
                    Full::Count(most) | Full::Bits(most) => most(parameters) as u64,
                };
                let of = |(path, value): &(&str, u64)| {
                    let found = map.places.iter().find(|other| other.path == *path && other.cta == place.cta);
                    (found.unwrap_or_else(|| panic!("there is no {path}")).at, *value)
                };
                limits.push(Watched { limit, at: place.at, full, wanted: limit.wanted.iter().map(of).collect() });
            }
        }
        Self { limits, room: vec![0; map.next], seen: BTreeMap::new() }
    }

    fn look(&mut self, cluster: &Cluster) {
        let rest = cluster.values(&mut self.room).len();
        assert_eq!(rest, 0, "all values are known by their places");
        for Watched { limit, at, full, wanted } in &self.limits {
            let value = self.room[*at];
            let level = if matches!(limit.full, Full::Bits(_)) { u64::from(value.count_ones()) } else { value };
            assert!(level <= *full, "{}: {level} of {full}", limit.name);
            let seen = self.seen.entry(limit.name).or_default();
            (seen.most, seen.full) = (seen.most.max(level), *full);
            seen.wanted |= level == *full && wanted.iter().all(|(at, value)| self.room[*at] == *value);
        }
    }
}

/// Runs with names.
fn runs() -> Vec<(&'static str, BTreeMap<&'static str, Seen>)> {
    let random = |name, ctas, change: fn(&mut ClusterParameters), stall, rush| {
        let mut parameters = Plan::cluster(ctas);
        change(&mut parameters);
        let parameters = parameters.check().unwrap_or_else(|error| panic!("{error}"));
        let plan = Plan { parameters, seed: 1, cycles: if ctas == 8 { 2000 } else { 6000 }, stall, rush };
        let mut observer = Observer::new(&parameters);
        plan.run(&mut |_, _| {}, |cluster, _| observer.look(cluster))
            .unwrap_or_else(|failure| panic!("{name}: {failure}"));
        (name, observer.seen)
    };
    let directed = |name, program: Program, environment| {
        let parameters = ClusterParameters { bursts: 16, ..parameters(1, 1) };
        let thread = Thread { cta: 0, port: 0, number: 0, warp: 0, program: program.0 };
        let mut observer = Observer::new(&parameters);
        let mut rig = Rig::new(parameters, vec![thread], environment);
        let run = rig.run(&mut |_, _| {}, |cluster, _| observer.look(cluster));
        run.unwrap_or_else(|failure| panic!("{name}: {failure}"));
        (name, observer.seen)
    };
    let mut groups = Program::default();
    for number in 0..MOST_GROUPS as u64 + 3 {
        let to = Target::Global(0x10_0000 + 0x100 * number);
        groups.then(Step::Put(Put::new(0x400, to, 16))).then(Step::Commit);
    }
    for most in (0..=MOST_GROUPS as u8).rev() {
        groups.then(Step::Groups { most, read: true }).then(Step::Groups { most, read: false });
    }
    let short = |p: &mut ClusterParameters| (p.link_cycles, p.remote_depth, p.unit.ports) = (1, 2, 4);
    vec![
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
        directed("ten groups of a thread", groups, Environment { memory: 400..=400, ..Environment::IDEAL }),
    ]
}

#[test]
fn every_limit_is_reached_and_more_is_wanted() {
    let runs = runs();
    let mut table = String::from("| there may be only so many | register | reached in |\n| --- | --- | --- |\n");
    let mut missed = Vec::new();
    for limit in LIMITS {
        let reaches = |seen: &Seen| seen.most == seen.full && (seen.wanted || limit.wanted.is_empty());
        let run = runs.iter().find(|(_, seen)| seen.get(limit.name).is_some_and(reaches));
        match run {
            Some(_) if limit.roomy => missed.push(format!("{} is full, and is said not to be", limit.name)),
            Some((run, _)) => table += &format!("| {} | `{}` | {run} |\n", limit.name, limit.register),
            None if limit.roomy => {
                table += &format!("| {} | `{}` | no run: it has room to spare |\n", limit.name, limit.register)
            }
            None => missed.push(format!("{} is never full, or nobody wants more then", limit.name)),
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/verification.md");
    let refresh = |text: &str| with_tables(text, &[("limits", table.clone())]);
    check_document(&document, refresh, "cargo test -p txbar-testbench --test cluster limits");
}

/// Whoever adds a queue, a table or a counter adds it to the list.
#[test]
fn no_limit_is_forgotten() {
    let mut parameters = Plan::cluster(2);
    parameters.tensors = 2;
    let map = Map::of(&Cluster::new(&parameters));
    let is_counter = |path: &str| COUNTERS.contains(&path.rsplit('.').next().unwrap_or(path));
    let registers = map.places.iter().filter(|place| place.is_register).map(|place| place.path.as_str());
    let there: BTreeSet<&str> = registers.filter(|path| is_counter(path)).collect();
    let listed: BTreeSet<&str> = LIMITS.iter().map(|limit| limit.register).collect();
    assert_eq!(there, listed);
}
