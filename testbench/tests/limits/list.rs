//! The limits of queues, tables and counters: the counter of each, and the run that reaches it.

use txbar_rtl::board::protocol::WINDOW;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::copies::ledger::MOST_GROUPS;
use txbar_rtl::copies::tensor::maps::KEPT_MAPS;
use txbar_rtl::parameters::Parameters;
use txbar_rtl::warp::GROUPS;
use txbar_rtl::warp::deliver::STEPS;
use txbar_rtl::{banked, high_clock};

/// A kind of design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    LowLatency,
    WakeMask,
    HighClock,
    BankedHighClock,
    Warps,
    Bridge,
    Cluster,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::LowLatency => "unit",
            Kind::WakeMask => "unit with the wake mask",
            Kind::HighClock => "high-clock build",
            Kind::BankedHighClock => "banked high-clock build",
            Kind::Warps => "unit with a port for warps",
            Kind::Bridge => "bridge",
            Kind::Cluster => "cluster",
        }
    }
}

/// What a design is built for; `cluster` means something of clusters only.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub kind: Kind,
    pub unit: Parameters,
    pub cluster: ClusterParameters,
}

/// When it is full.
#[derive(Clone, Copy)]
pub enum Full {
    /// At the number `capacity` of its block.
    Capacity,
    /// At this count.
    Count(fn(&Shape) -> usize),
    /// With this many bits set.
    Bits(fn(&Shape) -> usize),
}

/// What a signal is while somebody wants more.
#[derive(Clone, Copy)]
pub enum Is {
    /// This value.
    Value(u64),
    /// Not zero.
    Some,
    /// The bit of the limit's port has this value.
    Bit(bool),
}

/// A limit.
pub struct Limit {
    pub kind: Kind,
    /// What there may be this many of.
    pub name: &'static str,
    /// Register that counts it, without the numbers of lanes.
    pub register: &'static str,
    pub full: Full,
    /// Signals of the same block or port, and what they are while somebody wants more. None where nobody can ask: whoever fills it counts for
    /// himself, or fills it once.
    pub wanted: &'static [(&'static str, Is)],
    /// Where these signals are.
    pub by: By,
}

/// Who can want more of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The same block or port.
    Itself,
    /// Any CTA: the signals are looked at in each.
    AnyCta,
}

/// A limit that nobody can want more of.
const fn alone(kind: Kind, name: &'static str, register: &'static str, full: Full) -> Limit {
    Limit { kind, name, register, full, wanted: &[], by: By::Itself }
}

/// A limit, and who wants more.
const fn wanted(
    kind: Kind,
    name: &'static str,
    register: &'static str,
    full: Full,
    wanted: &'static [(&'static str, Is)],
) -> Limit {
    Limit { kind, name, register, full, wanted, by: By::Itself }
}

/// A limit of the way to a CTA, and what any CTA wants to send there.
const fn sent(name: &'static str, register: &'static str, full: Full, wanted: &'static [(&'static str, Is)]) -> Limit {
    Limit { kind: Cluster, name, register, full, wanted, by: By::AnyCta }
}

use Full::{Bits, Capacity, Count};
use Is::{Bit, Some, Value};
use Kind::*;

/// A port's request is not accepted.
const REFUSED: &[(&str, Is)] = &[("req_valid", Bit(true)), ("req_ready", Bit(false))];

/// Every limit.
pub const LIMITS: &[Limit] = &[
    alone(LowLatency, "answers that a port has not taken", "queue.filled", Count(|s| s.unit.queue_depth)),
    wanted(
        LowLatency,
        "answers that a port has not taken, or that are under way",
        "queue.reserved",
        Count(|s| s.unit.queue_depth),
        REFUSED,
    ),
    wanted(
        LowLatency,
        "waits of a port that are suspended",
        "waiters.parked",
        Bits(|s| s.unit.entries()),
        &[("waiters.turned_away", Value(1))],
    ),
    alone(
        LowLatency,
        "suspended waits, as a port's counters have them",
        "counters.waiting",
        Count(|s| s.unit.entries()),
    ),
    alone(LowLatency, "the most of them that there were", "counters.most", Count(|s| s.unit.entries())),
    wanted(
        WakeMask,
        "waits of a port that are suspended",
        "wakes.parked",
        Bits(|s| s.unit.entries()),
        &[("wakes.done", Value(1)), ("wakes.parks", Value(0))],
    ),
    // three are accepted until it is known that there is no room
    wanted(HighClock, "requests that are in the ring", "deep.under_way", Count(|_| high_clock::ROOM + 3), REFUSED),
    wanted(HighClock, "answers that are owed", "deep.owed", Count(|_| high_clock::ROOM + 3), REFUSED),
    wanted(
        BankedHighClock,
        "answers that a port is owed",
        "fabric.entrance.owed.count",
        Count(|_| banked::ROOM + banked::LATE),
        REFUSED,
    ),
    alone(BankedHighClock, "batches of requests of a bank", "fabric.gather.held.count", Count(|_| 15)),
    wanted(
        BankedHighClock,
        "waits on words of a bank that are suspended",
        "fabric.parking.table.parked",
        Bits(|s| s.unit.entries()),
        &[("fabric.parking.table.wants", Value(1))],
    ),
    wanted(
        Warps,
        "groups of lanes that are not answered",
        "scatter.used",
        Bits(|_| GROUPS),
        &[("coalesce.pending", Some)],
    ),
    wanted(
        Warps,
        "steps of loads and stores that are not answered",
        "deliver.held",
        Count(|_| STEPS),
        &[("access.pending", Some)],
    ),
    alone(Bridge, "requests of the host that are under way", "bridge.busy", Bits(|_| WINDOW)),
    wanted(
        Cluster,
        "bursts of copies into a CTA that are under way",
        "cta.copier.used",
        Bits(|s| s.cluster.bursts),
        &[("cta.copier.active", Value(1))],
    ),
    wanted(
        Cluster,
        "`cp.async` copies and arrivals of a thread",
        "cta.copier.tracker.used",
        Bits(|s| s.cluster.outstanding),
        &[("cta.copier.async.valid", Value(1)), ("cta.copier.async.ready", Value(0))],
    ),
    wanted(
        Cluster,
        "bursts and groups that have left a CTA",
        "cta.sender.ledger.used",
        Bits(|s| s.cluster.bursts),
        &[("cta.sender.active", Value(1)), ("cta.sender.move_valid", Value(0))],
    ),
    wanted(
        Cluster,
        "bulk groups of a thread that are not written",
        "cta.sender.ledger.unwritten",
        Count(|_| MOST_GROUPS),
        &[("cta.sender.put.valid", Value(1)), ("cta.sender.put.kind", Value(2)), ("cta.sender.put.ready", Value(0))],
    ),
    // those that are not written are counted for the limit, too, and are never fewer
    alone(Cluster, "bulk groups of a thread that are not read", "cta.sender.ledger.unread", Count(|_| MOST_GROUPS)),
    wanted(
        Cluster,
        "blocks that are read for copies out of a CTA",
        "cta.outlet.way.filled",
        Capacity,
        &[("cta.outlet.move_valid", Value(1)), ("cta.outlet.move_ready", Value(0))],
    ),
    alone(Cluster, "blocks that have been read", "cta.outlet.blocks.filled", Capacity),
    wanted(
        Cluster,
        "requests of a port to other CTAs whose answer it has not taken",
        "cta.owed",
        Count(|s| s.cluster.remote_depth),
        &[("cta.unit.req_departs", Value(1))],
    ),
    alone(Cluster, "requests of a port that are not done in other CTAs", "cta.away", Count(|s| s.cluster.remote_depth)),
    sent(
        "requests on a link or behind it",
        "requests.flying",
        Capacity,
        &[("cta.unit.req_departs", Value(1)), ("cta.target", Bit(true))],
    ),
    alone(Cluster, "requests that a link has brought", "requests.queue.filled", Capacity),
    // a CTA takes each in the cycle in which it comes: those on the way, and credits on the way back
    sent(
        "answers on a link or behind it",
        "answers.flying",
        Count(|s| 2 * s.cluster.link_cycles),
        &[("cta.reply", Bit(true))],
    ),
    alone(Cluster, "answers that a link has brought", "answers.queue.filled", Count(|_| 1)),
    sent("beats on a link or behind it", "beats.flying", Capacity, &[("cta.cast", Bit(true))]),
    alone(Cluster, "beats that a link has brought", "beats.queue.filled", Capacity),
    alone(Cluster, "answers to requests of other CTAs that wait for their link", "cta.answers.filled", Capacity),
    wanted(
        Cluster,
        "requests of other CTAs that are not answered",
        "cta.askers.filled",
        Capacity,
        &[("cta.get_valid", Value(1)), ("cta.get_taken", Value(0))],
    ),
    alone(Cluster, "answers of other CTAs that a port has not taken", "cta.replies.filled", Capacity),
    alone(Cluster, "answers that a port has not taken", "cta.unit.queue.filled", Count(|s| s.unit.queue_depth)),
    wanted(
        Cluster,
        "answers that a port has room for",
        "cta.unit.queue.reserved",
        Count(|s| s.unit.queue_depth),
        &[("cta.unit.req_valid", Bit(true)), ("cta.unit.req_ready", Bit(false))],
    ),
    wanted(
        Cluster,
        "waits of a port that are suspended",
        "cta.unit.waiters.parked",
        Bits(|s| s.unit.entries()),
        &[("cta.unit.waiters.turned_away", Value(1))],
    ),
    wanted(
        Cluster,
        "bursts of tensor copies that are under way",
        "cta.tensor.lander.used",
        Bits(|s| s.cluster.tensors),
        &[
            ("cta.tensor.cutter.active", Value(1)),
            ("cta.tensor.cutter.reads", Value(1)),
            ("cta.tensor.lander.burst_ready", Value(0)),
        ],
    ),
    wanted(
        Cluster,
        "tensor maps that are kept",
        "cta.tensor.maps.whole",
        Bits(|_| KEPT_MAPS),
        &[("cta.tensor.maps.want", Value(1)), ("cta.tensor.maps.ready", Value(0))],
    ),
    // all of them are there when the CTA begins
    alone(Cluster, "threads of a CTA that have not exited", "cta.rendezvous.live", Count(|s| s.cluster.warps * 32)),
    alone(Cluster, "threads of a CTA that a round lacks", "cta.rendezvous.missing", Count(|s| s.cluster.warps * 32)),
];
