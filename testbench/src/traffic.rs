//! Random traffic: what the ports request, when they pause, and when they are ready.
//!
//! Everything follows from one seed. Requests are drawn from a generator of each port's own, so a port's requests do not
//! depend on how the others are served; pauses and readiness are functions of seed, port and cycle.

mod mix;

pub use mix::{Mix, MixError};

use crate::request::{Request, Response};
use rand::distr::weighted::WeightedIndex;
use rand::prelude::*;
use rand::rngs::Xoshiro256PlusPlus;
use serde::Serialize;
use std::ops::Range;
use txbar_rtl::low_latency::counters;
use txbar_rtl::op::{NO_LIMIT, Op, Operand, Reply};
use txbar_rtl::ordering::Order;
use txbar_rtl::parameters::Parameters;
use txbar_rtl::status::Status;
use txbar_rtl::word::{COUNT_MAX, EXPECTED, FAULT, PENDING, TX};

/// Which words the requests go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// Three quarters to eight words, the rest anywhere.
    Hot,
    /// All to one word.
    Same,
    /// To two words side by side.
    Neighbours,
    /// Anywhere.
    Random,
}

/// Parameters of a run.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Random seed.
    pub seed: u64,
    /// Requests, all ports together.
    pub operations: u64,
    /// Share of cycles, in percent, in which a port pauses between requests, and in which it is not ready for an answer.
    pub stall: u8,
    /// Which words the requests go to.
    pub pattern: Pattern,
    /// Share of cycles, in percent, in which a bank belongs to somebody else, and in which a port has accesses to other
    /// CTAs under way.
    pub bank_stall: u8,
    /// Share of the requests, in percent, that go to one word whatever the pattern.
    pub hot_spot: u8,
    /// How often each operation is drawn.
    pub mix: Mix,
    /// Whether each port has a task of its own, as warps have: even ports arrive and wait, odd ones move bytes.
    pub roles: bool,
}

impl Plan {
    /// A plan of this many operations from a seed, without stalls, on hot words.
    pub fn new(seed: u64, operations: u64) -> Self {
        Self {
            seed,
            operations,
            stall: 0,
            bank_stall: 0,
            pattern: Pattern::Hot,
            hot_spot: 0,
            mix: Mix::default(),
            roles: false,
        }
    }

    /// Conditions of the run.
    pub fn conditions(&self) -> Conditions {
        Conditions { seed: self.seed, stall: self.stall, bank_stall: self.bank_stall }
    }
}

/// What a run happens under, besides its requests. Each is a function of the cycle and of nothing else, so that it stays
/// the same while a failing run is being shortened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// Random seed.
    pub seed: u64,
    /// Share of cycles, in percent, in which a port is not ready for an answer.
    pub stall: u8,
    /// Share of cycles, in percent, in which a bank belongs to somebody else, and in which a port has accesses to other
    /// CTAs under way.
    pub bank_stall: u8,
}

impl Conditions {
    /// No stalls at all.
    pub const CALM: Conditions = Conditions { seed: 0, stall: 0, bank_stall: 0 };

    /// Ports that are ready for an answer in a cycle, a bit each.
    pub fn ready(&self, ports: usize, cycle: u64) -> u64 {
        !self.chosen(self.stall, 0, ports, cycle) & ((1 << ports) - 1)
    }

    /// Ports that take the masks of the wake mask in a cycle, a bit each.
    pub fn takes(&self, ports: usize, cycle: u64) -> u64 {
        !self.chosen(self.stall, 80, ports, cycle) & ((1 << ports) - 1)
    }

    /// Ports for warps that are ready for answers of barriers in a cycle, a bit each.
    pub fn warps_ready(&self, ports: usize, cycle: u64) -> u64 {
        !self.chosen(self.stall, 96, ports, cycle)
    }

    /// Ports for warps that are ready for answers of loads and stores in a cycle, a bit each.
    pub fn memory_ready(&self, ports: usize, cycle: u64) -> u64 {
        !self.chosen(self.stall, 104, ports, cycle)
    }

    /// Banks that belong to somebody else in a cycle.
    pub fn stalled(&self, banks: usize, cycle: u64) -> u64 {
        self.chosen(self.bank_stall, 8, banks, cycle)
    }

    /// Ports with accesses to other CTAs under way in a cycle.
    pub fn remote_pending(&self, ports: usize, cycle: u64) -> u64 {
        self.chosen(self.bank_stall, 64, ports, cycle)
    }

    /// This many bits, each set in a share of the cycles.
    fn chosen(&self, percent: u8, salt: usize, bits: usize, cycle: u64) -> u64 {
        if percent == 0 {
            return 0;
        }
        let happens = |bit: usize| {
            let mut mixed = self.seed ^ ((salt + bit) as u64) << 56 ^ cycle.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            (mixed ^ mixed >> 31) % 100 < u64::from(percent)
        };
        (0..bits).fold(0, |mask, bit| mask | (happens(bit) as u64) << bit)
    }
}

/// Source of requests.
pub trait Source {
    /// The next request of a port and the cycles to pause before it; nothing if there are no more.
    fn next(&mut self, port: usize) -> Option<(u32, Request)>;
    /// An answer has come.
    fn answered(&mut self, _port: usize, _request: &Request, _response: &Response) {}
}

/// Arrivals that a barrier waits for which a run begins with.
const BEGUN_WITH: u64 = 4;

/// Operations of a port whose task is to arrive and wait.
fn is_of_arrivers(op: Op) -> bool {
    !matches!(op, Op::ExpectTx | Op::CompleteTx | Op::CpAsyncBegin | Op::CpAsyncEnd | Op::BulkCompleteTx)
}

/// The word that a hot spot is on.
const HOT_SPOT: u32 = 5;

struct PortState {
    rng: Xoshiro256PlusPlus,
    mix: WeightedIndex<u32>,
    token: u64,
    tag: u16,
}

/// Random requests.
pub struct Generator {
    plan: Plan,
    parameters: Parameters,
    ports: Vec<PortState>,
    left: u64,
    /// Words that are made barriers first.
    begun: Range<u32>,
}

impl Generator {
    /// The requests of a plan, for a unit with these parameters.
    pub fn new(plan: &Plan, parameters: &Parameters) -> Self {
        let port = |port: usize| {
            let in_role = |op: Op| !plan.roles || is_of_arrivers(op) != (port % 2 == 1);
            let of_role = || Op::ALL.iter().map(|op| if in_role(*op) { plan.mix.weight(*op) } else { 0 });
            // a port whose role the mix leaves empty does everything
            let mix = match of_role().all(|weight| weight == 0) {
                true => WeightedIndex::new(plan.mix.weights()),
                false => WeightedIndex::new(of_role()),
            };
            PortState {
                rng: Xoshiro256PlusPlus::seed_from_u64(plan.seed.wrapping_add((port as u64) << 32)),
                mix: mix.expect("some weight is positive"),
                token: 0,
                tag: 0,
            }
        };
        Self {
            plan: *plan,
            parameters: *parameters,
            ports: (0..parameters.ports).map(port).collect(),
            left: plan.operations,
            begun: 0..if plan.mix.makes_barriers() { 0 } else { parameters.words as u32 },
        }
    }
}

impl Source for Generator {
    fn next(&mut self, port: usize) -> Option<(u32, Request)> {
        self.left = self.left.checked_sub(1)?;
        if let Some(word) = self.begun.next() {
            return Some((0, Request::new(Op::Init, word * 8).with(BEGUN_WITH)));
        }
        let state = &mut self.ports[port];
        let rng = &mut state.rng;
        let mut pause = 0;
        while rng.random_range(0..100) < self.plan.stall {
            pause += 1;
        }
        let op = Op::ALL[state.mix.sample(rng)];
        let address = match op {
            _ if self.plan.hot_spot > 0 && rng.random_range(0..100) < self.plan.hot_spot => HOT_SPOT * 8,
            Op::Load if rng.random_range(0..4) == 0 => counters::register(rng.random_range(0..70)),
            _ => address(rng, self.plan.pattern, self.parameters.words as u32),
        };
        let data = match op.operand() {
            Operand::Word => word(rng),
            Operand::Token if rng.random_range(0..4) > 0 => state.token,
            Operand::TokenAndLimit => {
                let token = if rng.random_range(0..4) > 0 { state.token } else { rng.random() };
                (token & 0xffff_ffff_0000_0000) | u64::from(limit(rng, self.parameters.clock_ns as u32))
            }
            Operand::ParityAndLimit => {
                u64::from(limit(rng, self.parameters.clock_ns as u32)) << 32 | u64::from(rng.random::<u32>())
            }
            Operand::Arrivals if op == Op::Init => with_garbage(rng, |rng| match rng.random_range(0..60) {
                0 => edge(rng),
                _ => rng.random_range(1..=4),
            }),
            Operand::Arrivals => with_garbage(rng, |rng| match rng.random_range(0..60) {
                0 => edge(rng),
                1 => rng.random_range(0..=COUNT_MAX),
                2..12 => rng.random_range(0..=3),
                _ => 1,
            }),
            Operand::Bytes => with_garbage(rng, |rng| match rng.random_range(0..60) {
                0 => edge(rng),
                1 => rng.random_range(0..=COUNT_MAX),
                2..12 => 16 * rng.random_range(0..=4),
                _ => 16,
            }),
            Operand::None | Operand::Parity | Operand::Token => rng.random(),
        };
        state.tag = state.tag.wrapping_add(1) & ((1u32 << self.parameters.tag_bits) - 1) as u16;
        let op = if rng.random_range(0..500) == 0 { rng.random_range(Op::ALL.len() as u8..32) } else { op.code() };
        let remote = rng.random_range(0..16) == 0;
        let strobe = if rng.random_range(0..4) == 0 { rng.random() } else { 0xff };
        let order = Order::from_code(if rng.random() { rng.random_range(0..1 << Order::BITS) } else { 0 });
        Some((
            pause,
            Request { op, remote, address, data, strobe, tag: state.tag, order, elsewhere: false, threads: 1 },
        ))
    }

    fn answered(&mut self, port: usize, request: &Request, response: &Response) {
        let gave_token = request.operation().is_some_and(|op| op.reply() == Reply::Token);
        if gave_token && response.status == Status::Ok.code() {
            self.ports[port].token = response.data;
        }
    }
}

/// A time limit: none at all, a few cycles, or the default.
fn limit(rng: &mut Xoshiro256PlusPlus, clock_ns: u32) -> u32 {
    match rng.random_range(0..16) {
        0 => NO_LIMIT,
        1..4 => 0,
        _ => rng.random_range(0..40 * clock_ns),
    }
}

/// A 32-bit operand under bits that mean nothing.
fn with_garbage(rng: &mut Xoshiro256PlusPlus, operand: impl Fn(&mut Xoshiro256PlusPlus) -> u32) -> u64 {
    (rng.random::<u32>() as u64) << 32 | operand(rng) as u64
}

/// A count at or past a limit.
fn edge(rng: &mut Xoshiro256PlusPlus) -> u32 {
    *[COUNT_MAX, COUNT_MAX + 1, COUNT_MAX - 1, u32::MAX, 1 << 31, 1 << 19].choose(rng).expect("the list is not empty")
}

/// A word that is worth operating on: a barrier with few things missing, or one near a limit, or anything.
fn word(rng: &mut Xoshiro256PlusPlus) -> u64 {
    let field = |rng: &mut Xoshiro256PlusPlus, bits: usize| {
        let near = rng.random_range(-3i64..=3);
        match rng.random_range(0..6) {
            0 => rng.random::<u64>(),
            1 => (1_u64 << (bits - 1)).wrapping_add_signed(near),
            _ => near as u64,
        }
    };
    if rng.random_range(0..8) == 0 {
        return rng.random();
    }
    let mut word = rng.random::<u64>() & 0x8000_0000_0000_0001;
    for part in [PENDING, TX, EXPECTED] {
        let value = if part == TX && rng.random() { 0 } else { field(rng, part.bits) };
        word |= (value << part.lsb) & part.mask();
    }
    if rng.random_range(0..16) == 0 { word | FAULT.mask() } else { word }
}

fn address(rng: &mut Xoshiro256PlusPlus, pattern: Pattern, words: u32) -> u32 {
    let bytes = words * 8;
    match rng.random_range(0..400) {
        0 => return rng.random_range(0..bytes) | 1,
        1 => return bytes.wrapping_add(rng.random::<u32>() & !7).max(bytes),
        _ => {}
    }
    let index = match pattern {
        Pattern::Same => HOT_SPOT,
        Pattern::Neighbours => 4 + rng.random_range(0..2),
        Pattern::Hot if rng.random_range(0..4) > 0 => rng.random_range(0..8),
        Pattern::Hot | Pattern::Random => rng.random_range(0..words),
    };
    index * 8
}

#[cfg(test)]
mod tests {
    use super::mix::WEIGHTS;
    use super::*;

    #[test]
    fn every_operation_is_drawn() {
        assert_eq!(WEIGHTS.len(), Op::ALL.len());
        assert!(Op::ALL.iter().all(|op| WEIGHTS.iter().any(|(drawn, weight)| drawn == op && *weight > 0)));
    }

    #[test]
    fn a_mix_draws_what_it_names() {
        let drawn = |text: &str| {
            let plan = Plan { mix: text.parse().expect("it is a mix"), ..Plan::new(1, 4000) };
            let mut generator = Generator::new(&plan, &Parameters::default());
            let requests: Vec<Request> = std::iter::from_fn(|| generator.next(1)).map(|(_, request)| request).collect();
            let init = requests.iter().filter(|request| request.operation() == Some(Op::Init)).count();
            let of = move |op: Op| requests.iter().filter(|request| request.operation() == Some(op)).count();
            (init, of)
        };
        let (init, of) = drawn("arrive=3, wait=1");
        assert_eq!(init, 512, "every word is made a barrier first");
        assert!((2400..2800).contains(&of(Op::Arrive)), "{}", of(Op::Arrive));
        assert!((150..280).contains(&of(Op::TestWait)) && (150..280).contains(&of(Op::TryWaitParity)));
        assert_eq!(of(Op::CompleteTx), 0);
        let (init, of) = drawn("init=1,complete=1");
        assert!((1800..2200).contains(&init) && of(Op::BulkCompleteTx) > 800 && of(Op::CompleteTx) > 800);
        let refused = |text: &str| text.parse::<Mix>().expect_err("it is none").to_string();
        assert_eq!(refused("arrive"), "`arrive` is not of the form OPERATION=WEIGHT");
        assert!(refused("arive=4").starts_with("there is no operation `arive`; there are the groups drop, expect, "));
        assert!(refused("arrive=-1").starts_with("`-1` is not a weight"));
        assert_eq!(refused("arrive=0"), "some weight must be above 0");
    }

    #[test]
    fn a_hot_spot_has_the_share_that_is_asked_for() {
        let plan = Plan { hot_spot: 30, pattern: Pattern::Random, ..Plan::new(1, 10_000) };
        let mut generator = Generator::new(&plan, &Parameters::default());
        let hot = (0..10_000).filter_map(|_| generator.next(0)).filter(|(_, request)| request.address == HOT_SPOT * 8);
        let hot = hot.count();
        assert!((2800..3200).contains(&hot), "{hot}");
    }

    #[test]
    fn a_seed_gives_the_same_requests_again() {
        let parameters = Parameters::default();
        let draw = |seed| {
            let mut generator = Generator::new(&Plan::new(seed, 100), &parameters);
            (0..100).map(|_| generator.next(2).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
        assert_eq!(Generator::new(&Plan::new(1, 0), &parameters).next(0), None);
    }

    #[test]
    fn stalls_have_the_share_that_is_asked_for() {
        let conditions = Conditions { seed: 7, stall: 30, bank_stall: 0 };
        let ready = (0..100_000).filter(|&cycle| conditions.ready(2, cycle) & 2 != 0).count();
        assert!((68_000..72_000).contains(&ready), "{ready}");
    }

    #[test]
    fn addresses_out_of_range_are_out_of_range() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let drawn: Vec<u32> = (0..20_000).map(|_| address(&mut rng, Pattern::Hot, 512)).collect();
        assert!(drawn.iter().any(|address| *address >= 4096 && address % 8 == 0));
        assert!(drawn.iter().any(|address| address % 8 != 0));
    }
}
