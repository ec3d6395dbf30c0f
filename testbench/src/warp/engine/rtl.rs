//! A unit with ports for warps, simulated in Rust.

use super::{Engine, LanesTold, MemoryTold, NOBODY, NOWHERE};
use crate::request::{Request, Response};
use crate::warp::memory::{self, Reach};
use crate::warp::{Instruction, Lane};
use txbar_rtl::ordering::Order;
use txbar_rtl::warp::access::Access;
use txbar_rtl::warp::parameters::WarpParameters;
use txbar_rtl::warp::{Point, WarpUnit};

/// The step of a load or store that goes into the banks in this cycle, if one does: tag of the load or store, and a bit for each lane.
pub fn step_of(access: &Access) -> Option<(u16, u32)> {
    let goes = access.go_valid.q.val() && access.taken.val();
    goes.then(|| (access.go_tag.q.val().raw() as u16, access.go_lanes.q.val().raw() as u32))
}

/// A hook that changes signals at points within a cycle.
pub type Injection = Box<dyn FnMut(&mut WarpUnit, Point)>;

/// The hardware itself, simulated in Rust.
pub struct Rtl {
    parameters: WarpParameters,
    /// On the heap: it is large.
    unit: Box<WarpUnit>,
    injection: Option<Injection>,
}

impl Rtl {
    /// A unit that has been reset.
    pub fn new(parameters: WarpParameters) -> Self {
        let mut rtl = Self { parameters, unit: Box::new(WarpUnit::new(&parameters)), injection: None };
        rtl.reset();
        rtl
    }

    /// With an injected fault.
    pub fn with_fault(parameters: WarpParameters, injection: Injection) -> Self {
        Self { injection: Some(injection), ..Self::new(parameters) }
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
        unit.req[port].op.next = u64::from(op).into();
        unit.req[port].remote.next = remote;
        unit.req[port].address.next = u64::from(address).into();
        unit.req[port].data.next = data.into();
        unit.req[port].strobe.next = u64::from(strobe).into();
        unit.req[port].tag.next = u64::from(tag).into();
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

    fn drive_memory(&mut self, port: usize, access: &memory::Access, tag: u16) {
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
        match &mut self.injection {
            None => self.unit.settle(),
            Some(injection) => self.unit.settle_with(injection),
        }
    }

    fn thread_accepted(&self, port: usize) -> bool {
        self.unit.req_ready.val().get_bit(port)
    }

    fn thread_told(&self, port: usize) -> Option<Response> {
        let unit = &self.unit;
        unit.rsp_valid.val().get_bit(port).then(|| Response {
            tag: unit.rsp[port].tag.val().raw() as u16,
            status: unit.rsp[port].status.val().raw() as u8,
            predicate: unit.rsp[port].predicate.val(),
            data: unit.rsp[port].data.val().raw(),
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
