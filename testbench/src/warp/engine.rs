//! Engines with ports for warps: the hardware in Rust, and its Verilog compiled.

use super::check::{Seen, Target, faults};
use super::memory::{Access, Reach};
use super::{Instruction, Lane};
use crate::engine::compiled::{BuildError, Effort, Flow};
use crate::engine::library::{Instance, Library};
use crate::request::{Request, Response};
use txbar_rtl::op::Op;
use txbar_rtl::order::Order;
use txbar_rtl::warp::access::Size;
use txbar_rtl::warp::parameters::WarpParameters;
use txbar_rtl::warp::{Point, WarpUnit};
use txbar_synth::verilog;

/// What a port answers to lanes of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LanesTold {
    /// Tag of the instruction.
    pub tag: u16,
    /// Which lanes, a bit each.
    pub lanes: u32,
    /// Status code, for all of them.
    pub status: u8,
    /// Predicate of each.
    pub predicates: u32,
    /// Token, word or count, for all of them.
    pub data: u64,
    /// They were suspended.
    pub resumed: bool,
}

impl LanesTold {
    /// What one of its lanes is told.
    pub fn of_lane(&self, lane: usize) -> Response {
        let Self { tag, status, predicates, data, resumed, .. } = *self;
        Response { tag, status, predicate: predicates >> lane & 1 == 1, data, resumed }
    }
}

/// What a port answers to lanes of a load or store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryTold {
    /// Tag of the load or store.
    pub tag: u16,
    /// Which lanes, a bit each.
    pub lanes: u32,
    /// Status code, for all of them.
    pub status: u8,
    /// What each lane of the warp has loaded, if it is one of them.
    pub data: Vec<u128>,
}

/// The wires of a unit with ports for warps, one clock cycle at a time. What is driven stays until it is driven anew.
pub trait Engine {
    /// What it was built for.
    fn parameters(&self) -> &WarpParameters;
    /// Puts a request on a port for threads, or takes it away.
    fn drive_thread(&mut self, port: usize, request: Option<&Request>);
    /// Whether a port for threads is ready for an answer.
    fn drive_thread_ready(&mut self, port: usize, ready: bool);
    /// Puts an instruction on a port for warps, or takes it away. Its waits may be suspended for so many nanoseconds.
    fn drive_warp(&mut self, port: usize, instruction: Option<&Instruction>, tag: u16, limit_ns: u32);
    /// Whether a port for warps is ready for an answer.
    fn drive_warp_ready(&mut self, port: usize, ready: bool);
    /// Puts a load or store on a port for warps that has them, in place of another instruction.
    fn drive_memory(&mut self, port: usize, access: &Access, tag: u16);
    /// Whether a port for warps is ready for an answer to a load or store.
    fn drive_memory_ready(&mut self, port: usize, ready: bool);
    /// The answer to a load or store that a port for warps shows.
    fn memory_told(&self, port: usize) -> Option<MemoryTold>;
    /// Lets the combinational logic settle.
    fn settle(&mut self);
    /// Whether the request of a port for threads is accepted in this cycle.
    fn thread_accepted(&self, port: usize) -> bool;
    /// The answer that a port for threads shows.
    fn thread_told(&self, port: usize) -> Option<Response>;
    /// Whether the instruction of a port for warps is accepted in this cycle.
    fn warp_accepted(&self, port: usize) -> bool;
    /// The answer that a port for warps shows.
    fn warp_told(&self, port: usize) -> Option<LanesTold>;
    /// The clock edge, with reset held or not.
    fn clock(&mut self, reset: bool);

    /// Resets the unit, with nothing on its ports.
    fn reset(&mut self) {
        let WarpParameters { unit, warp_ports, .. } = *self.parameters();
        for port in 0..unit.ports {
            self.drive_thread(port, None);
            self.drive_thread_ready(port, false);
        }
        for port in 0..warp_ports {
            self.drive_warp(port, None, 0, 0);
            self.drive_warp_ready(port, false);
            self.drive_memory_ready(port, false);
        }
        for reset in [true, true, false] {
            self.settle();
            self.clock(reset);
        }
    }
}

/// What stands on the wires of a port without an instruction.
const NOBODY: Lane = Lane { address: 0, operand: 0 };

/// The same where it may load and store.
const NOWHERE: Reach = Reach { address: 0, data: 0 };

/// A hand in the hardware, on the way through a cycle.
pub type Tamper = Box<dyn FnMut(&mut WarpUnit, Point)>;

/// The hardware itself, simulated in Rust.
pub struct Rtl {
    parameters: WarpParameters,
    /// On the heap: it is large.
    unit: Box<WarpUnit>,
    tamper: Option<Tamper>,
}

impl Rtl {
    /// A unit that has been reset.
    pub fn new(parameters: WarpParameters) -> Self {
        let mut rtl = Self { parameters, unit: Box::new(WarpUnit::new(&parameters)), tamper: None };
        rtl.reset();
        rtl
    }

    /// The same with a fault in it.
    pub fn with_fault(parameters: WarpParameters, tamper: Tamper) -> Self {
        Self { tamper: Some(tamper), ..Self::new(parameters) }
    }

    /// Ports for threads: those for warps come behind them in the unit inside.
    pub fn ports(&self) -> usize {
        self.parameters.unit.ports
    }

    /// The unit, to look into.
    pub fn unit(&self) -> &WarpUnit {
        &self.unit
    }
}

impl Engine for Rtl {
    fn parameters(&self) -> &WarpParameters {
        &self.parameters
    }

    fn drive_thread(&mut self, port: usize, request: Option<&Request>) {
        let unit = &mut self.unit;
        let bit = 1u64 << port;
        let others = unit.req_valid.val().raw() & !bit;
        unit.req_valid.next = (others | if request.is_some() { bit } else { 0 }).into();
        let Request { op, remote, address, data, strobe, tag, order, .. } = *request.unwrap_or(&Request::NOTHING);
        unit.req_op[port].next = u64::from(op).into();
        unit.req_remote[port].next = remote;
        unit.req_address[port].next = u64::from(address).into();
        unit.req_data[port].next = data.into();
        unit.req_strobe[port].next = u64::from(strobe).into();
        unit.req_tag[port].next = u64::from(tag).into();
        unit.req_order[port].next = u64::from(order.code()).into();
    }

    fn drive_thread_ready(&mut self, port: usize, ready: bool) {
        let others = self.unit.rsp_ready.val().raw() & !(1 << port);
        self.unit.rsp_ready.next = (others | u64::from(ready) << port).into();
    }

    fn drive_warp(&mut self, port: usize, instruction: Option<&Instruction>, tag: u16, limit_ns: u32) {
        let unit = &mut self.unit;
        unit.warp_req_valid[port].next = instruction.is_some();
        let Some(instruction) = instruction else { return };
        unit.warp_req_op[port].next = u64::from(instruction.op.code()).into();
        unit.warp_req_remote[port].next = instruction.elsewhere;
        unit.warp_req_order[port].next = u64::from(Order::default_of(instruction.op).code()).into();
        unit.warp_req_limit[port].next = u64::from(limit_ns).into();
        unit.warp_req_mask[port].next = u64::from(instruction.mask()).into();
        unit.warp_req_tag[port].next = u64::from(tag).into();
        for lane in 0..self.parameters.lanes {
            let Lane { address, operand } = instruction.lanes.get(lane).copied().flatten().unwrap_or(NOBODY);
            unit.warp_req_address[port][lane].next = u64::from(address).into();
            unit.warp_req_operand[port][lane].next = u64::from(operand).into();
        }
    }

    fn drive_warp_ready(&mut self, port: usize, ready: bool) {
        self.unit.warp_rsp_ready[port].next = ready;
    }

    fn drive_memory(&mut self, port: usize, access: &Access, tag: u16) {
        let unit = &mut self.unit;
        unit.warp_req_valid[port].next = true;
        unit.warp_req_op[port].next = access.op().into();
        unit.warp_req_remote[port].next = access.elsewhere;
        unit.warp_req_size[port].next = u64::from(access.size_code()).into();
        unit.warp_req_mask[port].next = u64::from(access.mask()).into();
        unit.warp_req_tag[port].next = u64::from(tag).into();
        for lane in 0..self.parameters.lanes {
            let Reach { address, data } = access.lanes.get(lane).copied().flatten().unwrap_or(NOWHERE);
            unit.warp_req_address[port][lane].next = u64::from(address).into();
            unit.warp_req_lower[port][lane].next = (data as u64).into();
            unit.warp_req_upper[port][lane].next = ((data >> 64) as u64).into();
        }
    }

    fn drive_memory_ready(&mut self, port: usize, ready: bool) {
        if self.parameters.memory {
            self.unit.warp_mem_ready[port].next = ready;
        }
    }

    fn memory_told(&self, port: usize) -> Option<MemoryTold> {
        let unit = &self.unit;
        let data = |lane: usize| {
            u128::from(unit.warp_mem_lower[port][lane].val().raw())
                | u128::from(unit.warp_mem_upper[port][lane].val().raw()) << 64
        };
        (self.parameters.memory && unit.warp_mem_valid[port].val()).then(|| MemoryTold {
            tag: unit.warp_mem_tag[port].val().raw() as u16,
            lanes: unit.warp_mem_lanes[port].val().raw() as u32,
            status: unit.warp_mem_status[port].val().raw() as u8,
            data: (0..self.parameters.lanes).map(data).collect(),
        })
    }

    fn settle(&mut self) {
        match &mut self.tamper {
            None => self.unit.settle(),
            Some(tamper) => self.unit.settle_with(tamper),
        }
    }

    fn thread_accepted(&self, port: usize) -> bool {
        self.unit.req_ready.val().get_bit(port)
    }

    fn thread_told(&self, port: usize) -> Option<Response> {
        let unit = &self.unit;
        unit.rsp_valid.val().get_bit(port).then(|| Response {
            tag: unit.rsp_tag[port].val().raw() as u16,
            status: unit.rsp_status[port].val().raw() as u8,
            predicate: unit.rsp_predicate[port].val(),
            data: unit.rsp_data[port].val().raw(),
            resumed: unit.rsp_resumed[port].val(),
        })
    }

    fn warp_accepted(&self, port: usize) -> bool {
        self.unit.warp_req_ready[port].val() && self.unit.warp_req_valid[port].val()
    }

    fn warp_told(&self, port: usize) -> Option<LanesTold> {
        let unit = &self.unit;
        unit.warp_rsp_valid[port].val().then(|| LanesTold {
            tag: unit.warp_rsp_tag[port].val().raw() as u16,
            lanes: unit.warp_rsp_lanes[port].val().raw() as u32,
            status: unit.warp_rsp_status[port].val().raw() as u8,
            predicates: unit.warp_rsp_predicates[port].val().raw() as u32,
            data: unit.warp_rsp_data[port].val().raw(),
            resumed: unit.warp_rsp_resumed[port].val(),
        })
    }

    fn clock(&mut self, reset: bool) {
        if reset {
            self.unit.clock_in_reset();
        } else {
            self.unit.clock();
        }
    }
}

/// A unit with ports for warps as Verilog, compiled.
pub struct Compiled {
    parameters: WarpParameters,
    instance: Instance,
    /// `req_valid`, `req_ready`, `rsp_valid` and `rsp_ready`: a bit for each port for threads.
    masks: [usize; 4],
    threads: Vec<ThreadPins>,
    warps: Vec<WarpPins>,
    /// What is driven at `req_valid` and `rsp_ready`.
    driven: [u64; 2],
}

/// Pins of a port for threads: op, remote, address, data, strobe, tag, order; tag, status, predicate, data, resumed.
struct ThreadPins {
    request: [usize; 7],
    answer: [usize; 5],
}

/// Pins of a port for warps: valid, op, remote, order, limit, mask, tag; valid, tag, lanes, status, predicates, data, resumed.
struct WarpPins {
    request: [usize; 7],
    ready: usize,
    address: Vec<usize>,
    operand: Vec<usize>,
    answer: [usize; 7],
    take: usize,
    memory: Option<MemoryPins>,
}

/// Pins of a port for warps for loads and stores alone: size; valid, tag, lanes, status.
struct MemoryPins {
    size: usize,
    lower: Vec<usize>,
    upper: Vec<usize>,
    answer: [usize; 4],
    data: [Vec<usize>; 2],
    take: usize,
}

impl Compiled {
    /// Exports a unit, compiles it, and resets it.
    ///
    /// # Errors
    /// A tool is missing or fails.
    pub fn by(flow: Flow, parameters: WarpParameters, effort: Effort) -> Result<Self, BuildError> {
        let export = verilog::warp_unit(&parameters, "txbar").expect("`txbar` is an identifier");
        let library = Library::new(flow, &export, effort)?;
        let pin = |name: String| library.pin(&name);
        let threads = (0..parameters.unit.ports).map(|port| ThreadPins {
            request: ["op", "remote", "address", "data", "strobe", "tag", "order"]
                .map(|name| pin(format!("req_{name}_{port}"))),
            answer: ["tag", "status", "predicate", "data", "resumed"].map(|name| pin(format!("rsp_{name}_{port}"))),
        });
        let warps = (0..parameters.warp_ports).map(|port| {
            let lanes_of = |name: &str| -> Vec<usize> {
                (0..parameters.lanes).map(|lane| pin(format!("warp_{name}_{port}_{lane}"))).collect()
            };
            let lanes = |name: &str| lanes_of(&format!("req_{name}"));
            let memory = || MemoryPins {
                size: pin(format!("warp_req_size_{port}")),
                lower: lanes("lower"),
                upper: lanes("upper"),
                answer: ["valid", "tag", "lanes", "status"].map(|name| pin(format!("warp_mem_{name}_{port}"))),
                data: ["mem_lower", "mem_upper"].map(lanes_of),
                take: pin(format!("warp_mem_ready_{port}")),
            };
            WarpPins {
                request: ["valid", "op", "remote", "order", "limit", "mask", "tag"]
                    .map(|name| pin(format!("warp_req_{name}_{port}"))),
                ready: pin(format!("warp_req_ready_{port}")),
                address: lanes("address"),
                operand: lanes("operand"),
                answer: ["valid", "tag", "lanes", "status", "predicates", "data", "resumed"]
                    .map(|name| pin(format!("warp_rsp_{name}_{port}"))),
                take: pin(format!("warp_rsp_ready_{port}")),
                memory: parameters.memory.then(memory),
            }
        });
        let masks = ["req_valid", "req_ready", "rsp_valid", "rsp_ready"].map(|name| pin(name.to_owned()));
        let (threads, warps) = (threads.collect(), warps.collect());
        let mut engine = Self { parameters, instance: library.instance(), masks, threads, warps, driven: [0; 2] };
        engine.reset();
        Ok(engine)
    }

    /// Drives one bit of `req_valid` (0) or `rsp_ready` (1).
    fn drive_bit(&mut self, which: usize, port: usize, value: bool) {
        self.driven[which] = self.driven[which] & !(1 << port) | u64::from(value) << port;
        self.instance.set(self.masks[3 * which], self.driven[which]);
    }
}

impl Engine for Compiled {
    fn parameters(&self) -> &WarpParameters {
        &self.parameters
    }

    fn drive_thread(&mut self, port: usize, request: Option<&Request>) {
        self.drive_bit(0, port, request.is_some());
        let Request { op, remote, address, data, strobe, tag, order, .. } = *request.unwrap_or(&Request::NOTHING);
        let order = order.code();
        let values = [op.into(), remote.into(), address.into(), data, strobe.into(), tag.into(), order.into()];
        for (pin, value) in self.threads[port].request.into_iter().zip(values) {
            self.instance.set(pin, value);
        }
    }

    fn drive_thread_ready(&mut self, port: usize, ready: bool) {
        self.drive_bit(1, port, ready);
    }

    fn drive_warp(&mut self, port: usize, instruction: Option<&Instruction>, tag: u16, limit_ns: u32) {
        let pins = &self.warps[port];
        let Some(instruction) = instruction else { return self.instance.set(pins.request[0], 0) };
        let Instruction { op, elsewhere, ref lanes, .. } = *instruction;
        let order = Order::default_of(op).code();
        let values: [u64; 7] = [
            1,
            op.code().into(),
            elsewhere.into(),
            order.into(),
            limit_ns.into(),
            instruction.mask().into(),
            tag.into(),
        ];
        for (pin, value) in pins.request.into_iter().zip(values) {
            self.instance.set(pin, value);
        }
        for lane in 0..self.parameters.lanes {
            let Lane { address, operand } = lanes.get(lane).copied().flatten().unwrap_or(NOBODY);
            self.instance.set(pins.address[lane], address.into());
            self.instance.set(pins.operand[lane], operand.into());
        }
    }

    fn drive_warp_ready(&mut self, port: usize, ready: bool) {
        self.instance.set(self.warps[port].take, ready.into());
    }

    fn drive_memory(&mut self, port: usize, access: &Access, tag: u16) {
        let pins = &self.warps[port];
        let Some(memory) = &pins.memory else { return };
        let (op, mask) = (access.op().code(), access.mask());
        let values: [u64; 7] = [1, op.into(), access.elsewhere.into(), 0, 0, mask.into(), tag.into()];
        for (pin, value) in pins.request.into_iter().zip(values) {
            self.instance.set(pin, value);
        }
        self.instance.set(memory.size, access.size_code().into());
        for lane in 0..self.parameters.lanes {
            let Reach { address, data } = access.lanes.get(lane).copied().flatten().unwrap_or(NOWHERE);
            self.instance.set(pins.address[lane], address.into());
            self.instance.set(memory.lower[lane], data as u64);
            self.instance.set(memory.upper[lane], (data >> 64) as u64);
        }
    }

    fn drive_memory_ready(&mut self, port: usize, ready: bool) {
        if let Some(memory) = &self.warps[port].memory {
            self.instance.set(memory.take, ready.into());
        }
    }

    fn memory_told(&self, port: usize) -> Option<MemoryTold> {
        let memory = self.warps[port].memory.as_ref()?;
        let [valid, tag, lanes, status] = memory.answer.map(|pin| self.instance.get(pin));
        let half = |which: usize, lane: usize| u128::from(self.instance.get(memory.data[which][lane]));
        let data = |lane: usize| half(0, lane) | half(1, lane) << 64;
        (valid == 1).then(|| MemoryTold {
            tag: tag as u16,
            lanes: lanes as u32,
            status: status as u8,
            data: (0..self.parameters.lanes).map(data).collect(),
        })
    }

    fn settle(&mut self) {
        self.instance.settle();
    }

    fn thread_accepted(&self, port: usize) -> bool {
        self.instance.get(self.masks[1]) >> port & 1 == 1
    }

    fn thread_told(&self, port: usize) -> Option<Response> {
        let [tag, status, predicate, data, resumed] = self.threads[port].answer.map(|pin| self.instance.get(pin));
        (self.instance.get(self.masks[2]) >> port & 1 == 1).then_some(Response {
            tag: tag as u16,
            status: status as u8,
            predicate: predicate == 1,
            data,
            resumed: resumed == 1,
        })
    }

    fn warp_accepted(&self, port: usize) -> bool {
        let pins = &self.warps[port];
        self.instance.get(pins.ready) == 1 && self.instance.get(pins.request[0]) == 1
    }

    fn warp_told(&self, port: usize) -> Option<LanesTold> {
        let values = self.warps[port].answer.map(|pin| self.instance.get(pin));
        let [valid, tag, lanes, status, predicates, data, resumed] = values;
        (valid == 1).then_some(LanesTold {
            tag: tag as u16,
            lanes: lanes as u32,
            status: status as u8,
            predicates: predicates as u32,
            data,
            resumed: resumed == 1,
        })
    }

    fn clock(&mut self, reset: bool) {
        self.instance.clock(reset);
    }
}

impl<E: Engine> Target for Serial<E> {
    fn words(&self) -> usize {
        self.0.parameters().unit.words
    }

    fn lanes(&self) -> usize {
        self.0.parameters().lanes
    }

    fn execute(&mut self, words: &[u64], instructions: &[Instruction]) -> Seen {
        let address = |number: usize| number as u32 * 8;
        let store = |(number, word): (usize, &u64)| Request::new(Op::Store, address(number)).with(*word);
        self.threads(&words.iter().enumerate().map(store).collect::<Vec<_>>());
        let mut answers = Vec::new();
        for instruction in instructions {
            answers.push(self.warp(instruction));
            if faults(&answers) {
                break;
            }
            if instruction.op.is_posted() {
                // nobody says when it is done; the same lanes' loads are done after it
                if self.0.parameters().memory {
                    let addresses = instruction.lanes.iter().flatten().map(|lane| lane.address);
                    self.memory(&Access::load(Size::Eight, addresses));
                } else {
                    self.warp(&Instruction { op: Op::Load, remote: false, elsewhere: false, ..instruction.clone() });
                }
            }
        }
        let load = |number| Request::new(Op::Load, address(number));
        let loaded = self.threads(&(0..words.len()).map(load).collect::<Vec<_>>());
        Seen { answers, words: loaded.into_iter().map(|told| told.data).collect() }
    }
}

/// Executes instructions one after the other on the first port for warps of an engine; words go through the first port for threads.
pub struct Serial<E>(pub E);

/// Cycles without an answer after which none is awaited any more.
const PATIENCE: usize = 1000;

impl<E: Engine> Serial<E> {
    /// Requests of a thread, in order.
    fn threads(&mut self, requests: &[Request]) -> Vec<Response> {
        let engine = &mut self.0;
        let (mut sent, mut answers, mut idle) = (0, Vec::new(), 0);
        engine.drive_thread_ready(0, true);
        while answers.len() < requests.len() && idle < PATIENCE {
            idle += 1;
            // one tag each: on different banks they may change places, and their answers with them
            let tagged = requests.get(sent).map(|request| request.tagged(sent as u16));
            engine.drive_thread(0, tagged.as_ref());
            engine.settle();
            if let Some(told) = engine.thread_told(0) {
                answers.push(told);
                idle = 0;
            }
            sent += usize::from(tagged.is_some() && engine.thread_accepted(0));
            engine.clock(false);
        }
        engine.drive_thread(0, None);
        answers.sort_by_key(|told| told.tag);
        answers
    }

    /// A load or store of a warp: status and data that its lanes are told.
    pub fn memory(&mut self, access: &Access) -> Vec<Option<(u8, u128)>> {
        let engine = &mut self.0;
        let mut told = vec![None; access.lanes.len()];
        let (mut waiting, mut sent, mut idle) = (access.mask(), false, 0);
        engine.drive_memory_ready(0, true);
        while (!sent || waiting != 0) && idle < PATIENCE {
            idle += 1;
            if !sent {
                engine.drive_memory(0, access, 1);
            }
            engine.settle();
            if let Some(answer) = engine.memory_told(0) {
                for (lane, told) in told.iter_mut().enumerate().filter(|(lane, _)| answer.lanes >> lane & 1 == 1) {
                    *told = Some((answer.status, answer.data[lane]));
                }
                waiting &= !answer.lanes;
                idle = 0;
            }
            let accepted = !sent && engine.warp_accepted(0);
            engine.clock(false);
            if accepted {
                sent = true;
                engine.drive_warp(0, None, 0, 0);
            }
        }
        told
    }

    /// An instruction of a warp: what its lanes are told.
    fn warp(&mut self, instruction: &Instruction) -> Vec<Option<Response>> {
        let engine = &mut self.0;
        let mut told = vec![None; instruction.lanes.len()];
        let mut waiting = if instruction.op.is_posted() { 0 } else { instruction.mask() };
        let (mut sent, mut idle) = (false, 0);
        engine.drive_warp_ready(0, true);
        while (!sent || waiting != 0) && idle < PATIENCE {
            idle += 1;
            engine.drive_warp(0, (!sent).then_some(instruction), 1, 0); // a wait is answered at once
            engine.settle();
            if let Some(answer) = engine.warp_told(0) {
                for (lane, told) in told.iter_mut().enumerate().filter(|(lane, _)| answer.lanes >> lane & 1 == 1) {
                    *told = Some(answer.of_lane(lane));
                }
                waiting &= !answer.lanes;
                idle = 0;
            }
            sent |= engine.warp_accepted(0);
            engine.clock(false);
        }
        engine.drive_warp(0, None, 0, 0);
        told
    }
}
