//! A running CTA: its threads and their pending operations.

use super::*;
use crate::machine::registers::Registers;
use crate::machine::writers::Writers;
use std::collections::BinaryHeap;
use txbar_rtl::warp::GROUPS;
use txbar_testbench::request::Request;
use txbar_testbench::tensor::map::WORDS;

/// Stores that are on their way to a word.
#[derive(Clone, Copy, Debug, Default)]
pub struct Storing {
    /// Number.
    pub count: u32,
    /// Some of the accesses may change the word.
    pub changes: bool,
}

/// A CTA under way.
pub struct Block {
    /// Threads.
    pub runners: Vec<Runner>,
    /// Warps.
    pub warps: Vec<Warp>,
    /// Threads whose state is looked at in every cycle.
    pub restless: Vec<u16>,
    /// Sleeping threads, and the cycle in which each wakes up.
    pub sleepers: BinaryHeap<Reverse<(u64, u16)>>,
    /// Requests by port: tag and request.
    pub ports: Vec<VecDeque<Request>>,
    /// Warps, and lanes of them, that hold an instruction for the port for warps which could not go yet.
    pub gathering: Vec<(usize, u32)>,
    /// Instructions of warps that wait to be accepted.
    pub instructions: VecDeque<warps::Instruction>,
    /// Lanes that are one request, by its number.
    pub(super) groups: [warps::Group; GROUPS],
    /// Steps of loads and stores that have gone and not taken effect: tag of the instruction, and a bit for each lane.
    pub(super) steps: VecDeque<warps::Group>,
    /// Lanes that are kept back until others of their warp have their results.
    pub convoys: Vec<Convoy>,
    /// Its barriers of `bar.sync`.
    pub bars: Bars,
    /// Its registers, if it gives some of them back and claims others.
    pub registers: Option<Registers>,
    /// Lanes that arrive when the copies of their warp are done.
    pub arrivals: Vec<arrivals::Arrival>,
    /// Of these, what has been sent to the port for warps and not been accepted by the unit.
    pub(super) updates: Vec<arrivals::Update>,
    /// Requests of that port that the unit has accepted, and that have not taken effect.
    pub(super) accepted: VecDeque<arrivals::Accepted>,
    /// What waits to be offered to the tracker.
    pub asyncs: VecDeque<AsyncOffer>,
    /// Thread of each ring of the tracker.
    pub rings: Vec<Option<u16>>,
    /// What waits to be offered to the bulk copies.
    pub bulks: VecDeque<BulkOffer>,
    /// What waits to be offered to the tensor engine.
    pub tensors: VecDeque<TensorOffer>,
    /// What it has accepted and said nothing about.
    pub judging: VecDeque<TensorOffer>,
    /// What waits to be offered to the copies out of shared memory.
    pub puts: VecDeque<PutOffer>,
    /// Copies out of shared memory whose sources have not been read.
    pub sources: VecDeque<Source>,
    /// The same of tensor stores, with the bytes of each that are still to be read.
    pub boxes: VecDeque<(Source, u32)>,
    /// Thread of the bulk groups in each place.
    pub group_places: Vec<Option<u16>>,
    /// Waits for bulk groups; one a cycle is asked for.
    pub group_waits: VecDeque<GroupWait>,
    /// Operations waiting to be posted.
    pub posts: VecDeque<PostOffer>,
    /// What has been sent to global memory and not been written.
    pub writes: Writes,
    /// What waits to be asked of the rendezvous.
    pub rounds: VecDeque<RoundAsk>,
    /// Port to global memory.
    pub bursts: Bursts,
    /// Where copies are padded, and the next place there.
    pub padding: Option<(u64, usize)>,
    /// Where to look first for a warp.
    pub turn: usize,
    /// Words that an atomic operation is at work on.
    pub locked: HashSet<u32>,
    /// Words that stores are on their way to: an atomic operation comes after them.
    pub storing: HashMap<u32, Storing>,
    /// Writers of its shared memory.
    pub(super) writers: Writers,
    /// Threads that have not exited.
    pub live: usize,
}

impl Block {
    pub(super) fn new(
        program: &Program,
        parameters: &ClusterParameters,
        arguments: &Arc<[u8]>,
        (places, registers): (Vec<Whereabouts>, Option<u32>),
        bursts: Bursts,
        schedule: Schedule,
        rng: &mut Xoshiro256PlusPlus,
    ) -> Self {
        let live = places.len();
        let warps = live.div_ceil(32);
        let lanes = |warp: usize| u32::MAX >> (32 - (live - warp * 32).min(32));
        let runner = |place| Runner {
            lane: program.lane(Arc::clone(arguments)),
            place,
            state: State::Ready,
            pending: [None; NUMBERS],
            words: [0; NUMBERS],
            copies: Copies::default(),
            ring: None,
            carried: 0,
            carriage: [0; WORDS],
            place_of_groups: None,
            failing: None,
            marks: program.marks.clone(),
            tokens: VecDeque::new(),
            rounds: Rounds::default(),
            branched: (0, 0),
            round: 0,
        };
        let mut warp = |warp: usize| {
            let sloth = match schedule {
                Schedule::RoundRobin => 1,
                Schedule::Random(_) => *[1, 1, 2, 5, 20].choose(rng).expect("there are some"),
            };
            Warp { ready: lanes(warp), live: lanes(warp), turns: 0, sloth }
        };
        Self {
            runners: places.into_iter().map(runner).collect(),
            warps: (0..warps).map(&mut warp).collect(),
            restless: Vec::new(),
            sleepers: BinaryHeap::new(),
            ports: vec![VecDeque::new(); parameters.unit.ports],
            gathering: Vec::new(),
            instructions: VecDeque::new(),
            groups: warps::NO_GROUPS,
            steps: VecDeque::new(),
            convoys: Vec::new(),
            bars: Bars::default(),
            registers: registers.map(|registers| Registers::new(warps, registers)),
            arrivals: Vec::new(),
            updates: Vec::new(),
            accepted: VecDeque::new(),
            asyncs: VecDeque::new(),
            rings: vec![None; parameters.copiers],
            bulks: VecDeque::new(),
            tensors: VecDeque::new(),
            judging: VecDeque::new(),
            puts: VecDeque::new(),
            sources: VecDeque::new(),
            boxes: VecDeque::new(),
            group_places: vec![None; parameters.copiers],
            group_waits: VecDeque::new(),
            posts: VecDeque::new(),
            writes: bursts.writes(),
            rounds: VecDeque::new(),
            bursts,
            padding: None,
            turn: 0,
            locked: HashSet::new(),
            storing: HashMap::new(),
            writers: Writers::default(),
            live,
        }
    }

    /// A store is on its way to these words, which may change them.
    pub(super) fn stores(&mut self, words: impl Iterator<Item = u32>, changes: bool) {
        for word in words {
            let storing = self.storing.entry(word).or_default();
            *storing = Storing { count: storing.count + 1, changes: storing.changes || changes };
        }
    }

    /// A store in flight to a word has arrived.
    pub(super) fn has_stored(&mut self, word: u32) {
        match self.storing.get_mut(&word) {
            Some(storing) if storing.count > 1 => storing.count -= 1,
            _ => drop(self.storing.remove(&word)),
        }
    }

    /// Whether all its threads have exited, and nothing of theirs is under way.
    pub(super) fn is_over(&self) -> bool {
        self.live == 0 && self.is_quiet()
    }

    /// Whether nothing of its threads is under way.
    pub(super) fn is_quiet(&self) -> bool {
        let is_done = |runner: &Runner| {
            let asks = matches!(runner.state, State::Asked(_));
            runner.is_settled() && !asks && runner.copies.done == runner.copies.begun
        };
        self.asks_nothing() && self.runners.iter().all(is_done)
    }

    /// Whether nothing of its threads, copies included, waits to be asked of the hardware or to be read.
    pub(super) fn wants_nothing(&self) -> bool {
        let waits = self.asyncs.is_empty() && self.bulks.is_empty() && self.group_waits.is_empty();
        let reads = self.sources.is_empty() && self.boxes.is_empty() && self.gathering.is_empty();
        self.asks_nothing() && waits && reads
    }

    /// Whether nothing of its threads waits to be asked of the hardware, or for what has been asked of some of its units.
    pub(super) fn asks_nothing(&self) -> bool {
        self.ports.iter().all(VecDeque::is_empty)
            && self.instructions.is_empty()
            && self.arrivals.is_empty()
            && self.updates.is_empty()
            && self.accepted.is_empty()
            && self.rounds.is_empty()
            && self.tensors.is_empty()
            && self.judging.is_empty()
            && self.puts.is_empty()
            && self.posts.is_empty()
    }
}
