//! Launches a kernel: a grid of clusters on the hardware, with arguments, and the result.
//!
//! Clusters of a grid run side by side, a cycle each in turn, at first as many as have `SIDE_BY_SIDE` CTAs together; the
//! others follow as soon as one is done. If those that run wait for something that only others can bring, more are begun, up
//! to what the multiprocessors of an H200 hold ([`Residency`]). They share global memory.

use crate::address::Windows;
use crate::argument::Argument;
use crate::machine::findings::Bug;
use crate::machine::hang::{Hang, NotBegun, Why};
use crate::machine::races::{Ignored, Races};
use crate::machine::{End, Launch, Machine, Schedule, Tally, state};
use crate::map_argument::MapArgument;
use crate::memory::{GlobalMemory, Printed};
use crate::order::Order;
use crate::outcome::{Buffer, Outcome};
use crate::program::{self, Program};
use crate::residency::{MULTIPROCESSORS, Residency};
use crate::thread::Whereabouts;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use thiserror::Error;
use txbar_rtl::cluster::Cluster;
use txbar_rtl::cluster::parameters::{ClusterParameters, MOST_BURSTS, WARP};
use txbar_rtl::parameters::{ParameterError, Parameters};
use txbar_testbench::tensor::map::{TensorMap, WORDS};

/// Cycles after which it is told where a launch is, and asked whether to go on.
const LOOK_UP: u64 = 256;
/// CTAs that run side by side if they do not wait for others: fewer than an H200 holds, which nobody can tell.
const SIDE_BY_SIDE: u32 = 8;
/// How many times as many are begun when those that run wait for others.
const GROWTH: u32 = 4;
/// Clusters side by side among whose accesses races are looked for: what each knows of each takes memory.
const MOST_JUDGED: usize = 512;
/// Threads of a CTA at most.
pub const MOST_THREADS: u32 = 1024;
/// Bytes of shared memory of a CTA at most: those of an H200.
pub const MOST_SHARED: u32 = program::MOST_SHARED as u32;

/// Why a kernel cannot be launched.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum LaunchError {
    /// Too many or too few arguments.
    #[error(
        "entry `{entry}` takes {takes} parameters{names}, and {given} are given: --param NAME:TYPE:COUNT is an address \
         (of a buffer), --param TYPE:VALUE a value"
    )]
    Count {
        /// The entry.
        entry: String,
        /// Number of parameters.
        takes: usize,
        /// Their names.
        names: String,
        /// Number of arguments.
        given: usize,
    },
    /// An argument of another size.
    #[error(
        "parameter {number} of `{entry}`, `{name}`, has {bytes} bytes, and --param {argument} has {given}{}",
        if *bytes == 8 { "; if it is an address, give a buffer: --param NAME:TYPE:COUNT" } else { "" }
    )]
    Size {
        /// The entry.
        entry: String,
        /// Number, from 1.
        number: usize,
        /// Name.
        name: String,
        /// Size.
        bytes: u32,
        /// The argument.
        argument: String,
        /// Size.
        given: u32,
    },
    /// A tensor map of something that there is not.
    #[error("--param {argument}: {problem}")]
    Map {
        /// The argument.
        argument: String,
        /// Description of the error.
        problem: String,
    },
    /// Dimensions that do not fit.
    #[error("{0}")]
    Shape(String),
    /// Hardware that cannot be built.
    #[error(transparent)]
    Parameters(#[from] ParameterError),
}

/// Parameters of a launch.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// CTAs of the grid in each dimension.
    pub grid: [u32; 3],
    /// Threads of a CTA in each dimension.
    pub block: [u32; 3],
    /// CTAs of a cluster in each dimension; what the entry requires, or one, if nothing is said.
    pub cluster: Option<[u32; 3]>,
    /// Bytes of dynamic shared memory; all there is, if nothing is said and the kernel has some.
    pub dynamic_shared: Option<u32>,
    /// Registers of a thread at launch, as `ptxas -v` says; by the directives of the kernel, if nothing is said.
    pub registers: Option<u32>,
    /// Which warps and lanes go first.
    pub schedule: Schedule,
    /// Cycles after which it is called a hang.
    pub max_cycles: u64,
    /// The hardware of a CTA. Words, width of tags and the like follow from the kernel.
    pub unit: Parameters,
    /// Cycles from one CTA to another.
    pub link_cycles: usize,
    /// A fault that is injected into the hardware (`txbar_testbench::faults::cluster`), by name.
    pub fault: Option<&'static str>,
    /// Races are looked for.
    pub races: bool,
    /// A thread's read needs a proxy fence before an asynchronous copy overwrites the bytes (PTX ISA 8: proxies).
    pub fence_reads: bool,
    /// As if this instruction, one of [`Program::synchronisations`], ordered nothing; threads execute it as ever.
    pub ignored: Option<usize>,
    /// Operations on barriers of the first cluster that are kept with their instructions.
    pub trace: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            grid: [1; 3],
            block: [32, 1, 1],
            cluster: None,
            dynamic_shared: None,
            registers: None,
            schedule: Schedule::RoundRobin,
            max_cycles: 20_000_000,
            unit: Parameters { waiters: 64, counters: false, checked: true, ..Parameters::default() },
            link_cycles: ClusterParameters::default().link_cycles,
            fault: None,
            races: true,
            fence_reads: false,
            ignored: None,
            trace: 0,
        }
    }
}

fn product(of: [u32; 3]) -> u64 {
    of.iter().map(|n| u64::from(*n)).product()
}

/// The words of a tensor map, if there is its buffer, and all of the tensor is in it.
fn map_words(
    argument: &Argument,
    of: &MapArgument,
    arguments: &[Argument],
    addresses: &[u64],
) -> Result<[u64; WORDS], LaunchError> {
    let wrong = |problem: String| LaunchError::Map { argument: argument.to_string(), problem };
    let buffers = arguments.iter().filter_map(|argument| match argument {
        Argument::Buffer { name, bytes, .. } => Some((name, bytes.len() as u64)),
        _ => None,
    });
    let found = buffers.zip(addresses).find(|((name, _), _)| **name == of.buffer);
    let ((_, bytes), address) = found.ok_or_else(|| wrong(format!("there is no buffer `{}`", of.buffer)))?;
    if of.bytes() > bytes {
        return Err(wrong(format!("the tensor has {} bytes, and `{}` has {bytes}", of.bytes(), of.buffer)));
    }
    let map = TensorMap { address: address + of.map.address, ..of.map.clone() };
    map.encode().map_err(|bad| wrong(bad.to_string()))
}

/// A kernel with its arguments, ready to be run.
pub struct Grid<'a> {
    program: &'a Program,
    settings: Settings,
    cluster: [u32; 3],
    parameters: ClusterParameters,
    shared_bytes: u32,
    dynamic_shared: u32,
    /// Registers of a thread at launch, if they are known.
    registers: Option<u32>,
    residency: Residency,
}

impl<'a> Grid<'a> {
    /// Looks whether everything fits.
    ///
    /// # Errors
    /// What does not.
    pub fn new(program: &'a Program, settings: Settings) -> Result<Self, LaunchError> {
        let shape = |what: String| Err(LaunchError::Shape(what));
        let Settings { grid, block, .. } = settings;
        let threads = product(block);
        if threads == 0 || threads > u64::from(MOST_THREADS) {
            return shape(format!("--block has {threads} threads; it must be from 1 to {MOST_THREADS}"));
        }
        if let Some(required) = program.required_threads.filter(|required| *required != block) {
            return shape(format!("the entry is for blocks of {required:?} threads (.reqntid), not of {block:?}"));
        }
        let cluster = match (settings.cluster, program.required_cluster) {
            (Some(given), Some(required)) if given != required => {
                let what = "the entry is for clusters of";
                return shape(format!("{what} {required:?} CTAs (.reqnctapercluster), not of {given:?}"));
            }
            (given, required) => given.or(required).unwrap_or([1; 3]),
        };
        let ctas = product(cluster);
        if ctas == 0 || ctas > 8 {
            return shape(format!("--cluster has {ctas} CTAs; it must be from 1 to 8"));
        }
        if product(grid) == 0 || product(grid) > 1 << 20 {
            return shape(format!("--grid has {} CTAs; it must be from 1 to {}", product(grid), 1 << 20));
        }
        if grid.iter().zip(cluster).any(|(all, some)| all % some != 0) {
            let size = |of: [u32; 3]| of.map(|n| n.to_string()).join(",");
            let why = if settings.cluster.is_none() { ", which the entry requires (.reqnctapercluster)" } else { "" };
            let (grid, cluster) = (size(grid), size(cluster));
            return shape(format!("--grid {grid} cannot be divided into clusters of {cluster} CTAs{why}"));
        }
        let dynamic_shared = settings.dynamic_shared.unwrap_or(match program.dynamic_shared {
            true => MOST_SHARED.saturating_sub(program.dynamic_offset),
            false => 0,
        });
        let shared_bytes = match dynamic_shared {
            0 => program.shared_bytes,
            some => program.dynamic_offset.saturating_add(some),
        };
        if shared_bytes > MOST_SHARED {
            return shape(format!("{shared_bytes} bytes of shared memory are too many: a CTA has {MOST_SHARED}"));
        }
        let registers = settings.registers.or_else(|| program.registers_at_launch());
        let residency = Residency::of(threads as u32, shared_bytes, registers);
        if residency.ctas == 0 {
            return shape(format!("a multiprocessor has no room for a CTA of {threads} threads: {}", residency.bound));
        }
        let words = (shared_bytes.div_ceil(8) as usize).next_power_of_two().max(4 * settings.unit.banks).max(16);
        let unit = Parameters { words, tag_bits: state::TAG_BITS, number_bits: state::NUMBER_BITS, ..settings.unit };
        let copies = program.copies_asynchronously();
        let parameters = ClusterParameters {
            unit,
            ctas: ctas as usize,
            link_cycles: settings.link_cycles,
            warps: threads.div_ceil(32) as usize,
            copiers: if copies { (threads as usize).min(64) } else { 1 },
            outstanding: if copies { 16 } else { 1 },
            tensors: if program.copies_tensors() { MOST_BURSTS } else { 0 },
            lanes: WARP,
            warp_memory: unit.banks > 1,
            ..ClusterParameters::default()
        };
        let parameters = parameters.check()?;
        Ok(Self { program, cluster, parameters, shared_bytes, dynamic_shared, registers, residency, settings })
    }

    /// The hardware of a cluster.
    pub fn parameters(&self) -> &ClusterParameters {
        &self.parameters
    }

    /// Puts the arguments in order.
    fn arguments(&self, arguments: &[Argument]) -> Result<(GlobalMemory, Vec<u8>, Vec<u64>), LaunchError> {
        let program = self.program;
        let mut memory = GlobalMemory::new(Windows::of(program.address_size).global);
        if !program.image.is_empty() {
            memory.allocate(program.image.clone());
        }
        let names = || {
            let names: Vec<&str> = program.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
            if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) }
        };
        let parameters = || arguments.iter().filter(|argument| argument.is_parameter());
        if parameters().count() != program.parameters.len() {
            let (entry, takes, given) = (program.spelled.clone(), program.parameters.len(), parameters().count());
            return Err(LaunchError::Count { entry, takes, names: names(), given });
        }
        let mut block = vec![0; program.parameter_bytes as usize];
        let mut addresses = Vec::new();
        for argument in arguments {
            if let Argument::Buffer { name, bytes, .. } = argument {
                addresses.push(memory.allocate_as(name, bytes.clone()));
            }
        }
        let is_buffer = |argument: &&Argument| matches!(argument, Argument::Buffer { .. });
        let buffers = arguments.iter().filter(is_buffer).zip(&addresses);
        let mut given = buffers.filter(|(buffer, _)| buffer.is_parameter()).map(|(_, address)| *address);
        for (number, (argument, parameter)) in parameters().zip(&program.parameters).enumerate() {
            let bytes = match argument {
                Argument::Scalar { bytes, .. } => bytes.clone(),
                Argument::Buffer { .. } => {
                    let address = given.next().unwrap_or(0); // there is one for every buffer
                    address.to_le_bytes()[..program.address_size as usize / 8].to_vec()
                }
                Argument::Map { map, .. } => {
                    let words = map_words(argument, map, arguments, &addresses)?;
                    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                    // a parameter that is not the map itself is its address
                    let is_address = parameter.bytes * 8 == program.address_size;
                    if is_address {
                        memory.allocate(bytes).to_le_bytes()[..parameter.bytes as usize].to_vec()
                    } else {
                        bytes
                    }
                }
            };
            if bytes.len() as u64 != u64::from(parameter.bytes) {
                return Err(LaunchError::Size {
                    entry: program.spelled.clone(),
                    number: number + 1,
                    name: parameter.name.clone(),
                    bytes: parameter.bytes,
                    argument: argument.to_string(),
                    given: bytes.len() as u32,
                });
            }
            block[parameter.offset as usize..][..bytes.len()].copy_from_slice(&bytes);
        }
        Ok((memory, block, addresses))
    }

    /// Runs the whole grid. `look` sees the hardware of the first cluster in every cycle; `advance` is told the cycle now
    /// and then, and says whether to go on: a run that is stopped ends with who waits for what, as one that hangs does.
    ///
    /// # Errors
    /// Arguments that do not fit.
    pub fn run(
        &self,
        arguments: &[Argument],
        look: &mut dyn FnMut(&Cluster, u64),
        advance: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Outcome, LaunchError> {
        let (mut memory, block, addresses) = self.arguments(arguments)?;
        let parameter_block = self.program.copies_tensors().then(|| memory.allocate(block.clone()));
        let block: Arc<[u8]> = block.into();
        let clusters = product(self.settings.grid) / product(self.cluster);
        let mut waiting: VecDeque<u32> = (0..clusters as u32).collect();
        let clusters_of = |ctas: u32| (ctas as usize / self.parameters.ctas).max(1);
        let most = clusters_of(self.residency.all());
        let mut resident = clusters_of(SIDE_BY_SIDE).min(most);
        let mut running: Vec<(u32, Box<Machine>)> = Vec::new();
        let threads = product(self.settings.block) as usize;
        let order = Order::new(self.parameters.ctas, threads);
        let order = if self.settings.fence_reads { order.fence_reads() } else { order };
        let order = self.settings.races.then(|| Rc::new(RefCell::new(order)));
        if let Some(order) = &order {
            let is_buffer = |argument: &&Argument| matches!(argument, Argument::Buffer { .. });
            for (argument, address) in arguments.iter().filter(is_buffer).zip(&addresses) {
                if let Argument::Buffer { name, bytes, given, .. } = argument {
                    order.borrow_mut().allocates(name, *address, [*given, bytes.len()].map(|bytes| bytes as u64));
                }
            }
        }
        let ignored = Rc::new(Ignored { pc: self.settings.ignored, times: Cell::default() });
        let mut outcome = Outcome {
            end: End::Done,
            cluster: 0,
            findings: Vec::new(),
            incomplete: false,
            ignored: 0,
            tally: Tally::default(),
            buffers: Vec::new(),
            ctas: self.parameters.ctas,
            clusters: clusters as u32, // a grid has 2^20 CTAs at most
            others: Vec::new(),
            trace: Vec::new(),
            printed: Printed::default(),
        };
        let mut cycle = 0u64;
        let mut not_begun = None;
        let mut judged = true;
        loop {
            while running.len() < resident
                && let Some(number) = waiting.pop_front()
            {
                let races = order.as_ref().filter(|_| judged).map(|order| Races {
                    order: Rc::clone(order),
                    cluster: number,
                    ignored: Rc::clone(&ignored),
                });
                running.push((number, self.machine(number, Arc::clone(&block), parameter_block, races)));
            }
            let mut over = false;
            let mut moved = false;
            for (number, machine) in &mut running {
                let look: &mut dyn FnMut(&Cluster, u64) = if *number == 0 { look } else { &mut |_, _| {} };
                if !machine.rests(&mut memory, look) {
                    machine.step(&mut memory, look);
                }
                moved |= machine.has_moved();
                over |= machine.end().is_some();
            }
            if moved && running.len() > 1 {
                running.iter_mut().for_each(|(_, machine)| machine.others_moved());
            }
            if !over && running.iter().all(|(_, machine)| machine.stands_still()) {
                // they may wait for clusters that have not begun
                resident = (GROWTH as usize * running.len()).min(most);
                judged &= resident.min(running.len() + waiting.len()) <= MOST_JUDGED;
                if !judged {
                    running.iter_mut().for_each(|(_, machine)| machine.judges_no_more());
                }
                let wait_for_others = running.iter().any(|(_, machine)| machine.waits_for_others(&memory));
                if waiting.is_empty() || !wait_for_others || resident <= running.len() {
                    if wait_for_others && !waiting.is_empty() {
                        not_begun = Some(NotBegun {
                            ctas: waiting.len() as u32 * self.parameters.ctas as u32, // a grid has 2^20 at most
                            begun: clusters as u32 * self.parameters.ctas as u32
                                - waiting.len() as u32 * self.parameters.ctas as u32,
                            most: (most * self.parameters.ctas) as u32,
                            residency: self.residency,
                        });
                    }
                    if let Some((_, machine)) = running.iter_mut().min_by_key(|(number, _)| *number) {
                        machine.give_up(&memory);
                        over = true;
                    }
                } else {
                    running.iter_mut().for_each(|(_, machine)| machine.others_moved());
                }
            }
            let sleeps = || running.iter().map(|(_, machine)| machine.sleeps()).min().unwrap_or(0);
            let slept = if over { 0 } else { sleeps() };
            for (number, machine) in running.iter_mut().filter(|_| slept > 0) {
                let look: &mut dyn FnMut(&Cluster, u64) = if *number == 0 { look } else { &mut |_, _| {} };
                machine.sleep(slept, look);
            }
            let before = cycle;
            cycle += 1 + slept;
            if !over
                && before / LOOK_UP != cycle / LOOK_UP
                && !advance(cycle / LOOK_UP * LOOK_UP)
                && let Some((_, machine)) = running.iter_mut().min_by_key(|(number, _)| *number)
            {
                machine.stop(&memory);
                over = true;
            }
            if !over {
                continue;
            }
            // all that have ended leave: first those that are done, then one that ends the run, if there is one
            let is_done = |(_, machine): &mut (u32, Box<Machine>)| machine.end() == Some(&End::Done);
            for (number, machine) in running.extract_if(.., is_done) {
                outcome.add(number, machine);
            }
            let stops = running.iter().position(|(_, machine)| machine.end().is_some());
            if let Some(place) = stops {
                let (number, machine) = running.remove(place);
                outcome.add(number, machine);
                running.sort_by_key(|(number, _)| *number);
                for (number, mut machine) in running {
                    match &outcome.end {
                        End::Hang(Hang { why: Why::Stopped, .. }) => machine.stop(&memory),
                        End::Hang(_) => machine.give_up(&memory),
                        _ => {}
                    }
                    outcome.add(number, machine);
                }
                break;
            }
            if running.is_empty() && waiting.is_empty() {
                break;
            }
        }
        outcome.tally.cycles = cycle;
        if let (End::Hang(hang), Some(not_begun)) = (&mut outcome.end, not_begun) {
            hang.waits_for_ctas(not_begun);
            // the others wait for the same
            outcome.others.iter_mut().for_each(|(_, hang)| hang.bugs.retain(|cause| cause.bug != Bug::EndlessSpin));
        }
        outcome.settle_across();
        outcome.once_a_line(self.program);
        outcome.printed = memory.printed().clone();
        outcome.ignored = ignored.times.get();
        outcome.incomplete = order.is_some_and(|order| !judged || order.borrow().is_incomplete());
        let mut addresses = addresses.into_iter();
        for argument in arguments {
            if let Argument::Buffer { name, element, bytes: before, is_input, .. } = argument {
                let address = addresses.next().unwrap_or(0); // there is one for every buffer
                let bytes = memory.read(address, before.len()).map_or(Vec::new(), <[u8]>::to_vec);
                let (is_input, has_changed) = (*is_input, bytes != *before);
                outcome.buffers.push(Buffer { name: name.clone(), element: *element, bytes, is_input, has_changed });
            }
        }
        Ok(outcome)
    }

    fn machine(
        &self,
        number: u32,
        arguments: Arc<[u8]>,
        parameter_block: Option<u64>,
        races: Option<Races>,
    ) -> Box<Machine<'a>> {
        let schedule = match self.settings.schedule {
            Schedule::Random(seed) => Schedule::Random(seed.wrapping_add(u64::from(number) << 32)),
            round_robin => round_robin,
        };
        let ranks = 0..self.parameters.ctas as u32;
        Box::new(Machine::new(
            self.program,
            Launch {
                number,
                parameters: self.parameters,
                arguments,
                parameter_block,
                shared_bytes: self.shared_bytes,
                registers: self.registers.filter(|_| self.program.sets_registers()),
                places: ranks.map(|rank| self.places(number, rank)).collect(),
                schedule,
                max_cycles: self.settings.max_cycles,
                fault: self.settings.fault,
                races,
                trace: if number == 0 { self.settings.trace } else { 0 },
            },
        ))
    }

    /// Where the threads of a CTA are.
    fn places(&self, number: u32, rank: u32) -> Vec<Whereabouts> {
        let Settings { grid, block, .. } = self.settings;
        let split = |number: u32, sizes: [u32; 3]| {
            [number % sizes[0], number / sizes[0] % sizes[1], number / sizes[0] / sizes[1]]
        };
        let clusters: [u32; 3] = std::array::from_fn(|axis| grid[axis] / self.cluster[axis]);
        let cluster_index = split(number, clusters);
        let in_cluster = split(rank, self.cluster);
        let cta: [u32; 3] = std::array::from_fn(|axis| cluster_index[axis] * self.cluster[axis] + in_cluster[axis]);
        let place = |thread: u32| Whereabouts {
            thread: split(thread, block),
            block_dim: block,
            block: cta,
            grid_dim: grid,
            block_in_cluster: in_cluster,
            cluster_dim: self.cluster,
            rank,
            ranks: self.parameters.ctas as u32,
            cluster: cluster_index,
            clusters,
            explicit_cluster: self.parameters.ctas > 1,
            lane: thread % 32,
            warp: thread / 32,
            warps: self.parameters.warps as u32,
            sm: (number * self.parameters.ctas as u32 + rank) % MULTIPROCESSORS,
            sms: MULTIPROCESSORS,
            grid: 0,
            dynamic_shared: self.dynamic_shared,
            total_shared: self.shared_bytes,
        };
        (0..product(block) as u32).map(place).collect()
    }
}
