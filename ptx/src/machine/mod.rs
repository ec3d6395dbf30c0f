//! The machine: threads of one cluster, warp by warp, on the hardware of one cluster.
//!
//! ```text
//!   warps ── issue ──► perform ──┬─► ports ───── requests ────►┌─────────┐
//!     ▲   an instruction's       ├─► copies ─── descriptors ──►│ Cluster │◄── bursts ──► global memory
//!     │   effect                 ├─► rounds ─ barrier.cluster ►│  (RTL)  │
//!     │                          ├─► bars, together            └────┬────┘
//!     └────────────── answer ◄───┴──────────────────────────────────┘
//!                                         observe: what happens to barriers      standstill, hang: whether anything can move, why not
//! ```
//! **A cycle.** Up to four warps of each CTA execute one instruction each; what that wants of the world is performed, or
//! held and tried again. Then the wires are driven, the hardware settles, and what it accepted and answered goes back to
//! the threads. So a result that the hardware gives in cycle n is used in cycle n + 1.
//!
//! **What is the hardware's.** Every access to shared memory, every operation on a barrier in it, all copies into it,
//! `barrier.cluster`. Stores and operations without a result are not waited for; they go out in the program's order, and the
//! hardware may let those of a thread's port take effect in another, as far as their `.sem` allows. Fences, `bar.sync` and
//! `bar.warp.sync` wait for what the thread has under way.
//!
//! **What is not.** Registers, `bar.sync`, shuffles, matrix instructions, and global memory, in which everything is done at once and in order.
//!
//! **Ports.** What lanes of a warp do to barriers in one instruction goes through the CTA's port for warps, which makes as few
//! requests of them as it can (`warps`); so does what they load and store, if that port takes it (`reach`). All else goes through
//! port (thread modulo ports). A tag names the thread, or the warp, and one of four requests.
//!
//! **Schedules.** Round robin: the warps take turns, and of a warp the lanes that are furthest back go first, so that they
//! meet again; now and then a turn goes to another lane, so that nobody starves. Lanes that have executed an instruction together go
//! on together: those whose predicate was false wait for the others' results, and those that have loaded or begun a copy for each other.
//! Random: any warp, half the time any lane; some warps are slower than others by a factor that is drawn for each; global
//! memory takes 10 to 200 cycles. Everything random follows from the seed.

mod access;
pub mod across;
mod ahead;
mod answer;
mod arrivals;
mod at_bar;
mod bar_verdict;
pub mod bars;
mod block;
mod copies;
mod crossing;
pub mod diagnose;
mod early;
pub mod findings;
pub mod hang;
mod issue;
mod kept;
mod layouts;
mod ledger;
mod matrices;
mod meet;
pub mod observe;
mod outward;
mod owed;
mod perform;
mod ports;
pub mod races;
mod reach;
pub mod registers;
mod remark;
mod rounds;
mod seen;
mod spun;
mod standstill;
pub mod state;
mod tensors;
mod together;
pub mod trace;
mod warps;
pub mod writers;

use crate::machine::bars::Bars;
use crate::machine::block::Block;
use crate::machine::early::Early;
use crate::machine::findings::{Bug, Finding, Findings};
use crate::machine::hang::Why;
use crate::machine::observe::Observer;
use crate::machine::races::Races;
use crate::machine::state::*;
use crate::machine::writers::Writer;
use crate::memory::GlobalMemory;
use crate::program::Program;
use crate::source::Complaint;
use crate::thread::Whereabouts;
use rand::prelude::*;
use rand::rngs::Xoshiro256PlusPlus;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use trace::{Trace, Traced};
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::cluster::{Cluster, Point};
use txbar_rtl::status::Status;
use txbar_rtl::word::Contents;
use txbar_testbench::cluster::global::{Bursts, Writes};
use txbar_testbench::faults::{self, Injected};

/// Cycles after which the hardware has nothing left to do if nothing is under way: more than the longest way to another CTA.
const DRAINED: u64 = 160;
/// Warps of a CTA that execute an instruction in a cycle at most.
pub const ISSUE: usize = 4;

/// Which warps and lanes go first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// Round robin.
    RoundRobin,
    /// Any may; everything follows from the seed.
    Random(u64),
}

/// A fault: the kernel cannot go on, as on silicon.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Description of the error, in one line.
    pub what: String,
    /// The instruction.
    pub pc: usize,
    /// The thread.
    pub thread: ThreadId,
    /// Status of the hardware, if it was the one to refuse.
    pub status: Option<Status>,
    /// The word, if it was about one, and what it was before.
    pub spot: Option<(Spot, u64)>,
    /// The mistake that this is.
    pub bug: Option<Bug>,
    /// A related instruction, and its role.
    pub beside: Option<(usize, String)>,
}

/// How a cluster's threads ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// All have exited.
    Done,
    /// A fault.
    Fault(Fault),
    /// No thread can move.
    Hang(hang::Hang),
    /// An instruction cannot be executed here: bad input, with the thread that came to it.
    Refused(Complaint, ThreadId),
}

/// Counts of the operations performed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Tally {
    /// Clock cycles.
    pub cycles: u64,
    /// Instructions, counted for each thread.
    pub instructions: u64,
    /// Requests that took effect in the units of all CTAs, and steps of loads and stores of warps.
    pub operations: u64,
    /// Requests to other CTAs.
    pub remote_requests: u64,
    /// Phases of barriers that completed.
    pub phases: u64,
    /// Threads.
    pub threads: u64,
}

/// The threads of a cluster under way.
pub struct Machine<'a> {
    program: &'a Program,
    /// Number in the grid.
    number: u32,
    parameters: ClusterParameters,
    /// The hardware.
    pub cluster: Cluster,
    blocks: Vec<Block>,
    schedule: Schedule,
    rng: Xoshiro256PlusPlus,
    cycle: u64,
    /// The last cycle in which something happened that others can see.
    progress: u64,
    /// The last cycle in which a phase completed.
    last_phase: Option<u64>,
    observer: Observer,
    trace: Trace,
    early: Early,
    /// Detector of races.
    races: Option<Races>,
    /// Waits by parity whose operand is made of a token.
    token_waits: Vec<usize>,
    findings: Findings,
    /// Requests of other CTAs that wait in a unit, by CTA.
    visitors: Vec<VecDeque<Visitor>>,
    /// Bytes on their way to shared memory that will be completed on a barrier.
    flying: u64,
    /// Bytes that a copy completes, by CTA, accepted and not yet done: word and bytes.
    landing: Vec<VecDeque<(u32, txbar_rtl::op::Op, u64)>>,
    /// Who had something copied last that is completed on a barrier, and with which instruction.
    copiers: HashMap<Spot, (ThreadId, usize)>,
    tally: Tally,
    end: Option<End>,
    /// No thread can move unless another cluster does something.
    still: bool,
    /// Cycles in which nothing has been under way in the hardware.
    rested: u64,
    /// Cycles without anything happening after which that is found out.
    patience: u64,
    shared_bytes: u32,
    /// Where the parameters lie in global memory, if anything is read there.
    parameter_block: Option<u64>,
    max_cycles: u64,
    injected: Option<Injected<Cluster, Point>>,
}

/// What a cluster is launched with.
pub struct Launch {
    /// Number of the cluster in the grid.
    pub number: u32,
    /// The hardware.
    pub parameters: ClusterParameters,
    /// Parameter memory of the entry.
    pub arguments: Arc<[u8]>,
    /// Where the same lies in global memory, for tensor maps among them.
    pub parameter_block: Option<u64>,
    /// Bytes of shared memory of each CTA, static and dynamic.
    pub shared_bytes: u32,
    /// Registers of a thread, of a kernel with `setmaxnreg`: nothing if that does nothing.
    pub registers: Option<u32>,
    /// Where each thread of each CTA is.
    pub places: Vec<Vec<Whereabouts>>,
    /// Schedule.
    pub schedule: Schedule,
    /// Cycles after which a run is called a hang.
    pub max_cycles: u64,
    /// Name of a fault that is injected into the hardware.
    pub fault: Option<&'static str>,
    /// Where races are looked for, if they are.
    pub races: Option<Races>,
    /// Operations on barriers that are remembered with their instructions.
    pub trace: usize,
}

impl<'a> Machine<'a> {
    /// A cluster that has been reset, its threads before their first instruction.
    pub fn new(program: &'a Program, launch: Launch) -> Self {
        let Launch {
            number,
            parameters,
            arguments,
            parameter_block,
            shared_bytes,
            registers,
            places,
            schedule,
            max_cycles,
            fault,
            races,
            trace,
        } = launch;
        let mut cluster = Cluster::new(&parameters);
        for _ in 0..2 {
            cluster.settle();
            cluster.clock_in_reset();
        }
        let (seed, latency) = match schedule {
            Schedule::RoundRobin => (0, 20..=20),
            Schedule::Random(seed) => (seed, 10..=200),
        };
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let threads = places.iter().map(Vec::len).sum::<usize>() as u64;
        let blocks = places.into_iter().map(|places| {
            let bursts = Bursts::new(rng.random(), latency.clone());
            Block::new(program, &parameters, &arguments, (places, registers), bursts, schedule, &mut rng)
        });
        let blocks: Vec<Block> = blocks.collect();
        let mut machine = Self {
            program,
            number,
            cluster,
            blocks,
            schedule,
            rng,
            cycle: 0,
            progress: 0,
            last_phase: None,
            observer: Observer::default(),
            trace: Trace::of(trace),
            early: Early::default(),
            races,
            token_waits: program.token_waits(),
            findings: Findings::new(parameters.unit.checked),
            visitors: vec![VecDeque::new(); parameters.ctas],
            flying: 0,
            landing: vec![VecDeque::new(); parameters.ctas],
            copiers: HashMap::new(),
            tally: Tally { threads, ..Tally::default() },
            end: None,
            still: false,
            rested: 0,
            patience: 0,
            shared_bytes,
            parameter_block,
            max_cycles,
            injected: fault
                .and_then(|name| faults::Fault::among(&faults::cluster::all(&parameters), name))
                .map(faults::Fault::injected),
            parameters,
        };
        for cta in 0..machine.blocks.len() {
            machine.count_out_missing_lanes(cta);
        }
        machine
    }

    /// The operations on barriers that are remembered; they are forgotten.
    pub fn take_trace(&mut self) -> Vec<Traced> {
        self.trace.take()
    }

    /// Result of the run, if it has ended.
    pub fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// What was done, and the mistakes that were found.
    pub fn finish(mut self: Box<Self>) -> (End, Tally, Vec<Finding>) {
        self.tell_races();
        if let Some(Races { order, cluster, .. }) = &self.races {
            order.borrow_mut().ends(*cluster);
        }
        let tally = Tally { cycles: self.cycle, ..self.tally };
        (self.end.unwrap_or(End::Done), tally, self.findings.take())
    }

    /// One clock cycle without the hardware, if nothing has been under way there for a while: its threads poll or sleep. Says
    /// whether it was one. `look` sees the hardware, which stays as it is.
    pub fn rests(&mut self, memory: &mut GlobalMemory, look: &mut dyn FnMut(&Cluster, u64)) -> bool {
        let wants_nothing = |block: &Block| block.wants_nothing() && block.live != 0;
        let idle = self.injected.is_none() && self.blocks.iter().all(wants_nothing) && self.is_idle();
        self.rested = if idle { self.rested + 1 } else { 0 };
        // there may be requests that have not been answered; with each answer it is counted anew
        if self.rested == DRAINED + 1 && !self.blocks.iter().all(Block::is_quiet) {
            self.rested = 0;
        }
        if self.rested <= DRAINED || self.end.is_some() {
            return false;
        }
        for cta in 0..self.blocks.len() {
            self.stir(cta, memory);
            self.issue(cta, memory);
        }
        look(&self.cluster, self.cycle);
        self.cycle += 1;
        self.look_whether_it_ends(memory);
        true
    }

    /// Cycles in which nothing can happen: all its threads wait or sleep.
    pub fn sleeps(&self) -> u64 {
        let awake = |block: &Block| {
            !block.wants_nothing() || !block.restless.is_empty() || block.warps.iter().any(|warp| warp.ready != 0)
        };
        if self.rested <= DRAINED || self.end.is_some() || self.blocks.iter().any(awake) {
            return 0;
        }
        let wakes = self.blocks.iter().filter_map(|block| block.sleepers.peek().map(|Reverse((until, _))| *until));
        let looks = (!self.still).then(|| self.progress + self.patience - 1);
        let until = wakes.chain(looks).fold(self.max_cycles - 1, u64::min);
        until.saturating_sub(self.cycle)
    }

    /// This many cycles in which nothing happens.
    pub fn sleep(&mut self, cycles: u64, look: &mut dyn FnMut(&Cluster, u64)) {
        for _ in 0..cycles {
            for cta in 0..self.blocks.len() {
                self.turn(cta); // what it draws
            }
            look(&self.cluster, self.cycle);
            self.cycle += 1;
        }
    }

    /// One clock cycle. `look` sees the hardware before the clock edge.
    pub fn step(&mut self, memory: &mut GlobalMemory, look: &mut dyn FnMut(&Cluster, u64)) {
        for cta in 0..self.blocks.len() {
            self.stir(cta, memory);
            self.issue(cta, memory);
        }
        for cta in 0..self.blocks.len() {
            self.drive_ports(cta);
            self.arrive_with_copies(cta);
            self.drive_warps(cta);
            self.drive_copies(cta, memory);
            self.drive_tensors(cta);
            self.drive_out(cta, memory);
            self.drive_rounds(cta);
        }
        match &mut self.injected {
            None => self.cluster.settle(),
            Some(injected) => self.cluster.settle_with(&mut |cluster, point| injected.inject(cluster, point)),
        }
        look(&self.cluster, self.cycle);
        for cta in 0..self.blocks.len() {
            self.watch_groups(cta);
        }
        for cta in 0..self.blocks.len() {
            self.watch_effects(cta);
            self.watch_steps(cta);
            self.watch_ports(cta);
            self.watch_warps(cta);
            self.watch_reaches(cta);
            self.watch_copies(cta);
            self.watch_tensors(cta, memory);
            self.watch_out(cta);
            self.watch_rounds(cta);
        }
        self.tell_races();
        self.cluster.clock();
        self.cycle += 1;
        self.look_whether_it_ends(memory);
    }

    fn look_whether_it_ends(&mut self, memory: &GlobalMemory) {
        if self.end.is_none() {
            if self.is_over() {
                self.look_for_left_bytes();
                self.look_for_early_waits();
                self.all_have_exited();
                self.end = Some(End::Done);
            } else if self.cycle >= self.max_cycles {
                self.give_up(memory);
            } else {
                self.look_for_standstill(memory);
            }
        }
    }

    /// Whether something that others can see has happened in the last cycle.
    pub fn has_moved(&self) -> bool {
        self.progress + 1 >= self.cycle
    }

    /// Records progress of another cluster that threads of this one may wait for: no standstill yet.
    pub fn others_moved(&mut self) {
        self.progress = self.progress.max(self.cycle.saturating_sub(1));
        self.still = false;
    }

    /// Races are not looked for any more.
    pub fn judges_no_more(&mut self) {
        self.tell_races();
        self.races = None;
    }

    /// Whether no thread can move unless another cluster does something.
    pub fn stands_still(&self) -> bool {
        self.still
    }

    /// Ends it as a hang.
    pub fn give_up(&mut self, memory: &GlobalMemory) {
        self.end_as(Why::Limit, memory);
    }

    /// Ends it because somebody wants that, as a hang.
    pub fn stop(&mut self, memory: &GlobalMemory) {
        self.end_as(Why::Stopped, memory);
    }

    /// Ends it as a hang; if no thread could move any more, it is one whatever else is the reason.
    fn end_as(&mut self, why: Why, memory: &GlobalMemory) {
        if self.end.is_none() {
            let kept = self.all_kept(memory);
            let why = if kept.is_some() { Why::Standstill } else { why };
            self.end = Some(End::Hang(self.hang(why, kept.as_deref(), memory)));
        }
    }

    /// Whether all threads have exited, and nothing is under way.
    fn is_over(&self) -> bool {
        self.blocks.iter().all(Block::is_over) && self.is_idle()
    }

    /// Whether no copy is under way.
    fn is_idle(&self) -> bool {
        self.cluster.copy_idle.iter().all(|idle| idle.val())
            && self.flying == 0
            && self.landing.iter().all(VecDeque::is_empty)
    }

    /// Bytes that were expected and never came, or came and were never expected, at the end of a kernel.
    fn look_for_left_bytes(&mut self) {
        let left = |(spot, watch): (&Spot, &observe::Watch)| {
            let bytes = Contents::from(self.word(*spot)).tx;
            // a word that something else has written says nothing of bytes
            let counted = watch.expected as i64 - watch.completed as i64 == i64::from(bytes);
            (watch.live && bytes != 0 && counted).then(|| (*spot, owed::bytes_wrong(i64::from(bytes), watch)))
        };
        let left: Vec<_> = self.observer.all().filter_map(left).collect();
        for (spot, (bug, pc, thread, detail)) in left {
            self.find(bug, pc, thread, spot, None, detail);
        }
    }

    /// The kernel cannot go on.
    fn fault(&mut self, fault: Fault) {
        if self.end.is_none() {
            self.end = Some(End::Fault(fault));
        }
    }

    /// A fault that the machine finds itself.
    fn refuse(&mut self, cta: usize, thread: usize, what: String) {
        self.refuse_as(cta, thread, what, None);
    }

    /// The same, where the hardware would have given a status if it had come to it.
    fn refuse_as(&mut self, cta: usize, thread: usize, what: String, status: Option<Status>) {
        let pc = self.blocks[cta].runners[thread].lane.pc;
        let thread = ThreadId::new(cta, thread);
        self.fault(Fault { what, pc, thread, status, spot: None, bug: None, beside: None });
    }

    /// The value, if there is one; what is wrong otherwise is a fault that the machine finds itself.
    fn granted<T>(&mut self, cta: usize, thread: usize, result: Result<T, impl ToString>) -> Option<T> {
        result.map_err(|problem| self.refuse(cta, thread, problem.to_string())).ok()
    }

    /// Something that others can see has happened.
    fn progress(&mut self) {
        self.progress = self.cycle;
    }

    /// A thread goes on behind the instruction that it was at.
    fn resume(&mut self, cta: usize, thread: usize, results: &[u64]) {
        let block = &mut self.blocks[cta];
        let runner = &mut block.runners[thread];
        self.program.finish(&mut runner.lane, results);
        runner.state = State::Ready;
        let (warp, lane) = (thread / 32, 1 << (thread % 32));
        block.warps[warp].ready |= lane;
        block.convoys.retain_mut(|convoy| {
            if convoy.warp == warp && convoy.awaited & lane != 0 {
                convoy.awaited &= !lane;
                convoy.kept |= lane & convoy.joining;
            }
            let ready = &mut block.warps[convoy.warp].ready;
            match convoy.awaited {
                0 => *ready |= convoy.kept,
                _ => *ready &= !convoy.kept,
            }
            convoy.awaited != 0
        });
    }

    /// The instruction that a thread is at, as one that writes.
    fn writer(&self, cta: usize, thread: usize) -> Writer {
        let pc = self.blocks[cta].runners[thread].lane.pc;
        Writer { cluster: self.number, who: ThreadId::new(cta, thread), pc }
    }

    /// A thread writes shared memory, or has a copy or a reduction do it.
    fn wrote(&mut self, cta: usize, thread: usize, to: Spot, bytes: u32) {
        let by = self.writer(cta, thread);
        self.blocks[usize::from(to.cta)].writers.wrote(to.offset as usize, bytes as usize, by);
    }

    /// The word of a barrier as it is in the memory.
    fn word(&self, spot: Spot) -> u64 {
        self.cluster.cta[usize::from(spot.cta)].unit.word(spot.offset as usize / 8)
    }
}
