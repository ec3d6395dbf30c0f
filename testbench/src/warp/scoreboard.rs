//! The scoreboard of a unit with ports for warps: expected answers of each lane and thread, and rules of order.
//!
//! The hardware says at `done_valid` of the unit inside when a group of lanes takes effect; at that moment the reference model does
//! the same, and what it says is what the lanes must be told later. So the order is the hardware's choice, and nothing else is.

use super::engine::{LanesTold, MemoryTold, Rtl};
use super::memory_board::MemoryBoard;
use super::traffic::Report;
use super::{Asked, Instruction, Lane, Told};
use crate::engine::rtl::effects_of;
use crate::model::{self, Fault, Memory};
use crate::request::{Request, Response};
use crate::scoreboard::rank;
use std::collections::{BTreeMap, HashMap, VecDeque};
use txbar_rtl::op::Op;
use txbar_rtl::status::Status;
use txbar_rtl::warp::parameters::WarpParameters;

/// What a lane or thread must be told.
#[derive(Clone, Copy, Debug)]
enum Due {
    /// This.
    Known(Response),
    /// It is suspended on a word since a cycle, for this many at most.
    Suspended { index: usize, since: u64, limit: u64 },
}

/// Request in flight.
enum UnderWay {
    Lanes { instruction: Instruction, tag: u16, group: Vec<usize>, limit_ns: u32, place: u64 },
    Thread(Request),
}

/// The model beside the hardware.
pub(super) struct Scoreboard {
    parameters: WarpParameters,
    memory: Memory,
    /// What each port of the unit has asked of each word, and has not been done.
    asked: HashMap<(usize, usize), VecDeque<UnderWay>>,
    /// Expected answers: port of the unit, tag, lane.
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
    /// Lanes that have not been answered, by port of the unit and tag; a thread is one lane.
    left: HashMap<(usize, u16), u32>,
    pub(super) report: Report,
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
    pub(super) fn new(parameters: WarpParameters) -> Self {
        Self {
            parameters,
            memory: Memory::new(parameters.unit.words),
            asked: HashMap::new(),
            due: HashMap::new(),
            flipped: HashMap::new(),
            ended: HashMap::new(),
            loads: MemoryBoard::default(),
            open: HashMap::new(),
            places: 0,
            left: HashMap::new(),
            report: Report::default(),
        }
    }

    /// Whether a port of the unit may use this tag: nobody who has it waits for an answer.
    pub(super) fn is_free(&self, port: usize, tag: u16) -> bool {
        !self.left.contains_key(&(port, tag))
    }

    /// Lanes of a port of the unit are answered.
    fn answered(&mut self, port: usize, tag: u16, lanes: u32) {
        if let Some(left) = self.left.get_mut(&(port, tag)) {
            *left &= !lanes;
            if *left == 0 {
                self.left.remove(&(port, tag));
            }
        }
    }

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
            let asked = UnderWay::Lanes { instruction: instruction.clone(), tag, group, limit_ns, place };
            self.asked.entry((port, index)).or_default().push_back(asked);
        }
    }

    /// What a port for warps was offered is accepted.
    pub(super) fn accepted(&mut self, port: usize, asked: &Asked, tag: u16) {
        if asked.answered() != 0 {
            self.left.insert((self.parameters.unit.ports + port, tag), asked.answered());
        }
        match asked {
            Asked::Barriers(instruction, limit_ns) => self.instruction(port, instruction, tag, *limit_ns),
            Asked::Memory(access) => {
                self.places += 1;
                self.loads.accepted(port, access, tag, self.places);
            }
        }
    }

    /// A request of a thread is.
    pub(super) fn thread(&mut self, port: usize, request: &Request) {
        if !request.is_posted() {
            self.left.insert((port, request.tag), 1);
        }
        let index = self.index(request.address);
        self.asked.entry((port, index)).or_default().push_back(UnderWay::Thread(*request));
    }

    /// What takes effect in a cycle.
    pub(super) fn effects(&mut self, cycle: u64, rtl: &Rtl) -> Result<(), String> {
        let op_of = |asked: Option<&UnderWay>| match asked {
            Some(UnderWay::Lanes { instruction, .. }) => rank(instruction.op),
            Some(UnderWay::Thread(request)) => request.operation().map_or(0, rank),
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
                UnderWay::Thread(request) => {
                    self.report.threads += 1;
                    let outcome = self.memory.serve(request);
                    if let Some(response) = outcome.response {
                        self.due.insert((done.port, request.tag, 0), Due::Known(response));
                    }
                    (request.operation(), outcome.fault)
                }
                UnderWay::Lanes { instruction, tag, group, limit_ns, place } => {
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
            let status = if matches!(op, Some(Op::Store)) && matches!(asked, UnderWay::Lanes { .. }) {
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

    /// A thread is told something.
    pub(super) fn thread_told(&mut self, cycle: u64, port: usize, got: &Response) -> Result<(), String> {
        self.judge(cycle, port, got.tag, 0, got)?;
        self.answered(port, got.tag, 1);
        Ok(())
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

    /// Lanes are.
    pub(super) fn told(&mut self, cycle: u64, port: usize, told: &LanesTold) -> Result<(), String> {
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
        self.answered(self.parameters.unit.ports + port, told.tag, told.lanes);
        Ok(())
    }

    /// Lanes are told of their load or store.
    pub(super) fn memory_told(&mut self, port: usize, told: &MemoryTold) -> Result<(), String> {
        self.loads.told(port, told)?;
        self.answered(self.parameters.unit.ports + port, told.tag, told.lanes);
        Ok(())
    }
}

impl Scoreboard {
    /// Whether everything is done, and everybody told.
    pub(super) fn is_idle(&self) -> bool {
        self.due.is_empty() && self.asked.values().all(VecDeque::is_empty) && self.loads.is_idle()
    }

    /// How many have not been done, or not been told.
    pub(super) fn waiting(&self) -> usize {
        self.due.len() + self.asked.values().map(VecDeque::len).sum::<usize>() + self.loads.waiting()
    }

    /// What the run has come to, if the memory of the hardware is what it should be.
    pub(super) fn end(self, rtl: &Rtl, cycles: u64) -> Result<Report, String> {
        for index in 0..self.memory.len() {
            let (is, should) = (rtl.unit().unit.word(index), self.memory.word(index));
            if is != should {
                return Err(format!("word {index} is {is:016x} in the end, and should be {should:016x}"));
            }
        }
        Ok(self.report(cycles))
    }

    /// What the run has come to until now.
    pub(super) fn report(&self, cycles: u64) -> Report {
        Report { cycles, memory: self.loads.counts, ..self.report.clone() }
    }
}
