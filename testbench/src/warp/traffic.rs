//! Random instructions of warps on all ports of a unit at once, with requests of single threads between them, under a scoreboard.
//!
//! The hardware says at `done_valid` of the unit inside when a group of lanes takes effect; at that moment the reference model does
//! the same, and what it says is what the lanes must be told later. So the order is the hardware's choice, and nothing else is.

use super::engine::{Engine, LanesTold, Rtl};
use super::memory::{self, Access};
use super::memory_board::MemoryBoard;
use super::{Instruction, Lane, Told};
use crate::engine::rtl::effects_of;
use crate::model::{self, Fault, Memory};
use crate::request::{Request, Response};
use crate::scoreboard::rank;
use rand::prelude::*;
use rand::rngs::Xoshiro256PlusPlus;
use std::collections::{BTreeMap, HashMap, VecDeque};
use txbar_rtl::op::Op;
use txbar_rtl::parameters::Parameters;
use txbar_rtl::status::Status;
use txbar_rtl::warp::parameters::WarpParameters;

/// How a run of random traffic went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Clock cycles.
    pub cycles: u64,
    /// Instructions of warps.
    pub instructions: u64,
    /// Groups of lanes that took effect.
    pub groups: u64,
    /// Requests of threads that did.
    pub threads: u64,
    /// Lanes that were answered.
    pub lanes: u64,
    /// Groups that faulted.
    pub faults: u64,
    /// Phases that completed.
    pub flips: u64,
    /// Groups that were suspended, and those of them whose phase completed.
    pub suspended: [u64; 2],
    /// Loads and stores of warps; steps of them that took effect; lanes that were answered, and those of them that were refused.
    pub memory: [u64; 4],
}

/// Cycles after the last answer after which the unit is taken for stuck: longer than any wait is suspended.
const PATIENCE: u64 = 3000;
/// Words that everybody uses.
const WORDS: u32 = memory::BARRIERS;

/// What a lane or thread must be told.
#[derive(Clone, Copy, Debug)]
enum Due {
    /// This.
    Known(Response),
    /// It is suspended on a word since a cycle, for so many at most.
    Suspended { index: usize, since: u64, limit: u64 },
}

/// What is under way.
enum Asked {
    Lanes { instruction: Instruction, tag: u16, group: Vec<usize>, limit_ns: u32, place: u64 },
    Thread(Request),
}

/// The model beside the hardware.
struct Scoreboard {
    parameters: WarpParameters,
    memory: Memory,
    /// What each port of the unit has asked of each word, and has not been done.
    asked: HashMap<(usize, usize), VecDeque<Asked>>,
    /// Who must be told: port of the unit, tag, lane.
    due: HashMap<(usize, u16, usize), Due>,
    /// When the phase of a word last completed, and when its barrier was last ended or replaced.
    flipped: HashMap<usize, u64>,
    ended: HashMap<usize, u64>,
    /// Loads and stores.
    loads: MemoryBoard,
    /// Groups of each port's instructions that have not been done, by the place of the instruction among all.
    open: HashMap<usize, BTreeMap<u64, usize>>,
    /// Instructions that were accepted.
    places: u64,
    report: Report,
}

/// What is offered to a port for warps.
enum Offer {
    /// An instruction on barriers, its tag, and the limit of its waits in nanoseconds.
    Barriers(Instruction, u16, u32),
    /// A load or store, and its tag.
    Memory(Access, u16),
}

/// The groups that hardware makes: as the model's, but waits, loads and what else only asks go together.
pub(crate) fn groups(instruction: &Instruction) -> Vec<Vec<usize>> {
    let lane = |number: usize| instruction.lanes[number].expect("it is active");
    let key = |number: usize| {
        let Lane { address, operand } = lane(number);
        match instruction.op {
            Op::TryWait => (address, operand >> 31),
            Op::TryWaitParity => (address, operand & 1),
            Op::PendingCount => (address, operand),
            _ => (address, 0),
        }
    };
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for alone in instruction.groups() {
        let joins =
            alone.len() == 1 && !matches!(instruction.op, Op::Init | Op::ArriveNoComplete | Op::ArriveDropNoComplete);
        match groups.iter_mut().find(|group| joins && key(group[0]) == key(alone[0])) {
            Some(group) => group.extend(alone),
            None => groups.push(alone),
        }
    }
    groups
}

impl Scoreboard {
    fn index(&self, address: u32) -> usize {
        self.memory.index(address)
    }

    fn instruction(&mut self, port: usize, instruction: &Instruction, tag: u16, limit_ns: u32) {
        self.report.instructions += 1;
        self.places += 1;
        let (place, groups) = (self.places, groups(instruction));
        self.open.entry(port).or_default().insert(place, groups.len());
        let port = self.parameters.unit.ports + port;
        for group in groups {
            let index = self.index(instruction.lanes[group[0]].expect("it is active").address);
            let asked = Asked::Lanes { instruction: instruction.clone(), tag, group, limit_ns, place };
            self.asked.entry((port, index)).or_default().push_back(asked);
        }
    }

    fn accepted(&mut self, port: usize, offer: &Offer) {
        match offer {
            Offer::Barriers(instruction, tag, limit_ns) => self.instruction(port, instruction, *tag, *limit_ns),
            Offer::Memory(access, tag) => {
                self.places += 1;
                self.loads.accepted(port, access, *tag, self.places);
            }
        }
    }

    fn thread(&mut self, port: usize, request: &Request) {
        let index = self.index(request.address);
        self.asked.entry((port, index)).or_default().push_back(Asked::Thread(*request));
    }

    /// What takes effect in a cycle.
    fn effects(&mut self, cycle: u64, rtl: &Rtl) -> Result<(), String> {
        let op_of = |asked: Option<&Asked>| match asked {
            Some(Asked::Lanes { instruction, .. }) => rank(instruction.op),
            Some(Asked::Thread(request)) => request.operation().map_or(0, rank),
            None => 0,
        };
        let mut done: Vec<_> = effects_of(&rtl.unit().unit).map(|(_, done)| done).collect();
        let open = |port: usize| self.open.get(&port).and_then(|open| Some(*open.first_key_value()?.0));
        for index in self.loads.effects(rtl, &mut self.memory, open)? {
            self.ended.insert(index, cycle);
        }
        done.sort_by_key(|done| {
            let asked = self.asked.get(&(done.port, done.index)).and_then(VecDeque::front);
            (done.index, op_of(asked), done.port)
        });
        for done in done {
            let asked = self.asked.get_mut(&(done.port, done.index)).and_then(VecDeque::pop_front);
            let Some(asked) = asked else { return Err(format!("nobody asked for what is done: {done}")) };
            let before = self.memory.word(done.index);
            let (op, expected) = match &asked {
                Asked::Thread(request) => {
                    self.report.threads += 1;
                    let outcome = self.memory.serve(request);
                    if let Some(response) = outcome.response {
                        self.due.insert((done.port, request.tag, 0), Due::Known(response));
                    }
                    (request.operation(), outcome.fault)
                }
                Asked::Lanes { instruction, tag, group, limit_ns, place } => {
                    self.report.groups += 1;
                    self.close(done.port - self.parameters.unit.ports, *place)?;
                    let told = self.lanes(instruction, group);
                    let fault = told.iter().find_map(|told| match told {
                        Err(fault) => Some(*fault),
                        Ok(model::Answer::Posted(fault)) => *fault,
                        Ok(_) => None,
                    });
                    for (lane, told) in group.iter().zip(&told) {
                        let Some(response) = model::response(told, *tag) else { continue };
                        let suspended = Due::Suspended {
                            index: done.index,
                            since: cycle,
                            limit: self.parameters.unit.limit_cycles(*limit_ns),
                        };
                        let due = if done.suspended { suspended } else { Due::Known(response) };
                        if done.suspended && response.predicate {
                            return Err(format!("what is complete is suspended: {done}"));
                        }
                        if self.due.insert((done.port, *tag, *lane), due).is_some() {
                            return Err(format!("lane {lane} has been done before: {done}"));
                        }
                    }
                    self.report.suspended[0] += u64::from(done.suspended);
                    (Some(instruction.op), fault)
                }
            };
            let status = if matches!(op, Some(Op::Store)) && matches!(asked, Asked::Lanes { .. }) {
                Status::IllegalOperation
            } else {
                expected.map_or(Status::Ok, Fault::status)
            };
            self.report.faults += u64::from(status != Status::Ok);
            if done.status != status.code() {
                return Err(format!("{done}, and should be {}", status.name()));
            }
            let after = self.memory.word(done.index);
            let ends = matches!(op, Some(Op::Init | Op::Inval | Op::Store)) && status == Status::Ok;
            if ends {
                self.ended.insert(done.index, cycle);
            } else if (before ^ after) >> 63 == 1 {
                self.flipped.insert(done.index, cycle);
                self.report.flips += 1;
            }
        }
        Ok(())
    }

    /// A group of the instruction with this place is done.
    fn close(&mut self, port: usize, place: u64) -> Result<(), String> {
        if self.loads.oldest(port).is_some_and(|oldest| oldest < place) {
            return Err(format!(
                "an instruction of port {port} has passed a load or store that was asked for before it"
            ));
        }
        let open = self.open.entry(port).or_default();
        match open.get_mut(&place) {
            Some(groups) if *groups > 1 => *groups -= 1,
            _ => drop(open.remove(&place)),
        }
        Ok(())
    }

    /// What the lanes of a group are told.
    fn lanes(&mut self, instruction: &Instruction, group: &[usize]) -> Vec<Told> {
        if instruction.op == Op::Store {
            return vec![Err(Fault::IllegalOperation(Op::Store.code())); group.len()];
        }
        let together = instruction.groups().iter().any(|other| other == group);
        if together {
            return instruction.execute_group(group, &mut self.memory);
        }
        group.iter().flat_map(|lane| instruction.execute_group(&[*lane], &mut self.memory)).collect()
    }

    fn judge(&mut self, cycle: u64, port: usize, tag: u16, lane: usize, got: &Response) -> Result<(), String> {
        let Some(due) = self.due.remove(&(port, tag, lane)) else {
            return Err(format!("port {port} tells lane {lane} what nobody has done: {got}"));
        };
        let after = |when: &HashMap<usize, u64>, index, since| when.get(&index).is_some_and(|at: &u64| *at >= since);
        match due {
            Due::Known(expected) if expected.agrees_with(got) => Ok(()),
            Due::Known(expected) => Err(format!("port {port} tells lane {lane} {got}, and should tell {expected}")),
            Due::Suspended { index, since, limit } => {
                let right = match got.status() {
                    Some(Status::Ok) if got.predicate => after(&self.flipped, index, since),
                    Some(Status::Ok) => cycle >= since + limit,
                    Some(Status::Invalidated) => after(&self.ended, index, since),
                    _ => false,
                };
                self.report.suspended[1] += u64::from(got.predicate);
                if right && got.resumed { Ok(()) } else { Err(format!("port {port} wakes lane {lane} with {got}")) }
            }
        }
    }

    fn told(&mut self, cycle: u64, port: usize, told: &LanesTold) -> Result<(), String> {
        if told.lanes == 0 {
            return Err("an answer for no lane".to_owned());
        }
        for lane in (0..self.parameters.lanes).filter(|lane| told.lanes >> lane & 1 == 1) {
            self.report.lanes += 1;
            self.judge(cycle, self.parameters.unit.ports + port, told.tag, lane, &told.of_lane(lane))?;
        }
        if told.predicates & !told.lanes != 0 {
            return Err(format!("predicates of lanes that are not answered: {told:?}"));
        }
        Ok(())
    }
}

/// The source of all that is random.
pub fn random(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// A barrier operation, an initialisation now and then.
fn op(random: &mut Xoshiro256PlusPlus) -> Op {
    if random.random_ratio(1, 6) {
        return Op::Init;
    }
    Op::ALL[random.random_range(0..Op::ALL.len())]
}

fn operand(op: Op, random: &mut Xoshiro256PlusPlus) -> u32 {
    let large = random.random_ratio(1, 300);
    match op {
        _ if large => random.random_range(0xf_fff0..0x10_0010),
        Op::TestWait | Op::TryWait | Op::PendingCount => random.random(),
        Op::Init => random.random_range(1..4) * [1, 8, 32, 100][random.random_range(0..4)],
        _ => random.random_range(0..4),
    }
}

/// An instruction of a warp with so many lanes.
pub fn instruction(lanes: usize, random: &mut Xoshiro256PlusPlus) -> Instruction {
    let op = op(random);
    let spread = random.random_range(1..=WORDS);
    let (first, active) = (random.random_range(0..WORDS), random.random_range(1..=4));
    let same = random.random_bool(0.5).then(|| operand(op, random));
    let far = random.random_ratio(1, 8);
    let one = |random: &mut Xoshiro256PlusPlus| {
        let word = (first + random.random_range(0..spread)) % WORDS;
        let stray = random.random_ratio(1, 400);
        let address = if stray { random.random_range(0..0x1_0000) } else { word * 8 };
        Lane { address, operand: same.unwrap_or_else(|| operand(op, random)) }
    };
    let mut chosen: Vec<_> = (0..lanes).map(|_| random.random_ratio(active, 4).then(|| one(random))).collect();
    if chosen.iter().all(Option::is_none) {
        chosen[random.random_range(0..lanes)] = Some(one(random));
    }
    Instruction { op, remote: far, elsewhere: far, lanes: chosen }
}

/// What comes next at a port for warps of so many lanes, which may load and store.
fn offer(lanes: usize, loads: bool, tag: u16, random: &mut Xoshiro256PlusPlus) -> Offer {
    if loads && random.random_ratio(1, 3) {
        return Offer::Memory(memory::random(lanes, random), tag);
    }
    let instruction = loop {
        let instruction = instruction(lanes, random);
        if !loads || !matches!(instruction.op, Op::Load | Op::Store) {
            break instruction;
        }
    };
    Offer::Barriers(instruction, tag, [0, 100, 2000, 5000][random.random_range(0..4)])
}

/// A request of a thread. Stores leave a barrier with nothing strange about it.
fn request(tag: u16, random: &mut Xoshiro256PlusPlus) -> Request {
    let op = match op(random) {
        Op::TryWait | Op::TryWaitParity => Op::Load, // the ports for warps have enough of them
        op => op,
    };
    let data = if op == Op::Store { memory::PLAIN } else { u64::from(operand(op, random)) };
    Request::new(op, random.random_range(0..WORDS) * 8).with(data).tagged(tag)
}

/// Runs so many cycles of random traffic, then waits until everybody is answered. `look` is shown every cycle, once it has settled.
///
/// # Errors
/// What is wrong, and in which cycle.
pub fn run(rtl: &mut Rtl, seed: u64, cycles: u64, look: &mut dyn FnMut(&Rtl)) -> Result<Report, String> {
    let parameters = *rtl.parameters();
    let WarpParameters { unit, lanes, warp_ports, memory: loads } = parameters;
    let Parameters { ports, words, .. } = unit;
    let mut random = random(seed);
    let mut scoreboard = Scoreboard {
        parameters,
        memory: Memory::new(words),
        asked: HashMap::new(),
        due: HashMap::new(),
        flipped: HashMap::new(),
        ended: HashMap::new(),
        loads: MemoryBoard::default(),
        open: HashMap::new(),
        places: 0,
        report: Report::default(),
    };
    let mut threads: Vec<Option<Request>> = vec![None; ports];
    let mut warps: Vec<Option<Offer>> = (0..warp_ports).map(|_| None).collect();
    let (mut tag, mut cycle, mut last) = (0u16, 0, 0);
    let pace = 1 << random.random_range(0..3);
    while cycle < cycles || (!scoreboard.is_idle() && cycle < last + PATIENCE) || cycle < last + 20 {
        for (port, thread) in threads.iter_mut().enumerate() {
            if thread.is_none() && cycle < cycles && random.random_ratio(1, 4) {
                tag = (tag + 1) & ((1 << unit.tag_bits) - 1) as u16;
                *thread = Some(request(tag, &mut random));
            }
            rtl.drive_thread(port, thread.as_ref());
            rtl.drive_thread_ready(port, random.random_ratio(3, 4));
        }
        for (port, warp) in warps.iter_mut().enumerate() {
            if warp.is_none() && cycle < cycles && random.random_ratio(1, pace) {
                tag = (tag + 1) & ((1 << unit.tag_bits) - 1) as u16;
                *warp = Some(offer(lanes, loads, tag, &mut random));
            }
            match warp {
                Some(Offer::Memory(access, tag)) => rtl.drive_memory(port, access, *tag),
                Some(Offer::Barriers(instruction, tag, limit)) => {
                    rtl.drive_warp(port, Some(instruction), *tag, *limit);
                }
                None => rtl.drive_warp(port, None, 0, 0),
            }
            if loads {
                rtl.drive_memory_ready(port, random.random_ratio(3, 4));
            }
            rtl.drive_warp_ready(port, random.random_ratio(3, 4));
        }
        let ready: Vec<bool> = (0..warp_ports).map(|port| rtl.unit().warp_rsp_ready[port].val()).collect();
        let loads_ready: Vec<bool> = rtl.unit().warp_mem_ready.iter().map(|ready| ready.val()).collect();
        rtl.settle();
        look(rtl);
        let at = |what: String| format!("cycle {cycle}: {what}");
        scoreboard.effects(cycle, rtl).map_err(at)?;
        for (port, thread) in threads.iter_mut().enumerate() {
            if let Some(told) = rtl.thread_told(port)
                && rtl.unit().rsp_ready.val().get_bit(port)
            {
                scoreboard.judge(cycle, port, told.tag, 0, &told).map_err(at)?;
                last = cycle;
            }
            if rtl.thread_accepted(port)
                && let Some(request) = thread.take()
            {
                scoreboard.thread(port, &request);
                last = cycle;
            }
        }
        for (port, warp) in warps.iter_mut().enumerate() {
            if let Some(told) = rtl.warp_told(port)
                && ready[port]
            {
                scoreboard.told(cycle, port, &told).map_err(at)?;
                last = cycle;
            }
            if let Some(told) = rtl.memory_told(port)
                && loads_ready[port]
            {
                scoreboard.loads.told(port, &told).map_err(at)?;
                last = cycle;
            }
            if rtl.warp_accepted(port)
                && let Some(offer) = warp.take()
            {
                scoreboard.accepted(port, &offer);
                last = cycle;
            }
        }
        rtl.clock(false);
        cycle += 1;
    }
    if !scoreboard.is_idle() || warps.iter().any(Option::is_some) || threads.iter().any(Option::is_some) {
        let asked = scoreboard.asked.values().map(VecDeque::len).sum::<usize>();
        let waiting = scoreboard.due.len() + asked + scoreboard.loads.waiting();
        return Err(format!("cycle {cycle}: nothing has moved for {PATIENCE} cycles, and {waiting} are not answered"));
    }
    for index in 0..words {
        let (is, should) = (rtl.unit().unit.word(index), scoreboard.memory.word(index));
        if is != should {
            return Err(format!("word {index} is {is:016x} in the end, and should be {should:016x}"));
        }
    }
    Ok(Report { cycles: cycle, memory: scoreboard.loads.counts, ..scoreboard.report })
}

impl Scoreboard {
    /// Whether everything is done, and everybody told.
    fn is_idle(&self) -> bool {
        self.due.is_empty() && self.asked.values().all(VecDeque::is_empty) && self.loads.is_idle()
    }
}
