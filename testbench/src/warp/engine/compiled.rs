//! A unit with ports for warps as Verilog, compiled.

use super::{Engine, LanesTold, MemoryTold, NOBODY, NOWHERE};
use crate::engine::compiled::{BuildError, Effort, Flow};
use crate::engine::library::{Instance, Library};
use crate::request::{Request, Response};
use crate::warp::memory::{Access, Reach};
use crate::warp::{Instruction, Lane};
use txbar_export::verilog;
use txbar_rtl::ordering::Order;
use txbar_rtl::warp::parameters::WarpParameters;

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
