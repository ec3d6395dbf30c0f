//! The hardware itself, simulated in Rust.

use super::pins::PinRecorder;
use super::recorded::{Notes, Row};
use super::{Done, Engine};
use crate::faults::Injected;
use crate::request::{Request, Response};
use crate::scoreboard::each;
use crate::wake_masks::Masks;
use txbar_rtl::any::AnyUnit;
use txbar_rtl::ordering::Order;
use txbar_rtl::parameters::Parameters;
use txbar_rtl::pins::Pins;

/// The unit in Rust HDL, simulated natively in the caller's thread.
pub struct Rtl {
    parameters: Parameters,
    unit: AnyUnit,
    injected: Option<Injected>,
}

impl Rtl {
    /// A unit that has been reset.
    pub fn new(parameters: Parameters) -> Self {
        let mut rtl = Self { parameters, unit: AnyUnit::new(&parameters), injected: None };
        rtl.reset();
        rtl
    }

    /// With an injected fault.
    pub fn with_fault(parameters: Parameters, injected: Injected) -> Self {
        Self { injected: Some(injected), ..Self::new(parameters) }
    }

    /// The unit, to look into.
    pub fn unit(&self) -> &AnyUnit {
        &self.unit
    }

    /// The unit, to prepare its memory.
    pub fn unit_mut(&mut self) -> &mut AnyUnit {
        &mut self.unit
    }
}

/// Which bit of which pin says that one of the unit's outputs means something; see [`PinRecorder::new`].
pub fn qualified_by(output: &str) -> Option<(String, u32)> {
    let (field, lane) = output.rsplit_once('_')?;
    let valid = match field {
        "rsp_tag" | "rsp_status" | "rsp_predicate" | "rsp_data" => "rsp_valid",
        "done_tag" | "done_status" | "done_index" | "done_port" => "done_valid",
        "flip_index" => "flip_valid",
        _ => return None,
    };
    Some((valid.to_owned(), lane.parse().ok()?))
}

/// Every pin of the unit.
impl Notes<Rtl> for PinRecorder {
    fn write_down(&mut self, engine: &Rtl, _driven: &Row, reset: bool) {
        self.note(engine.unit(), reset);
    }
}

/// The request that stands on a port of a unit.
pub fn request_of(unit: &Pins, port: usize) -> Request {
    Request {
        op: unit.req[port].op.val().raw() as u8,
        remote: unit.req[port].remote.val(),
        address: unit.req[port].address.val().raw() as u32,
        data: unit.req[port].data.val().raw(),
        strobe: unit.req[port].strobe.val().raw() as u8,
        tag: unit.req[port].tag.val().raw() as u16,
        order: Order::from_code(unit.req_order[port].val().raw() as u8),
        elsewhere: false,
        threads: 1,
    }
}

/// The answer that a port of a unit shows.
#[inline(always)]
pub fn response_of(unit: &Pins, port: usize) -> Response {
    Response {
        tag: unit.rsp[port].tag.val().raw() as u16,
        status: unit.rsp[port].status.val().raw() as u8,
        predicate: unit.rsp[port].predicate.val(),
        data: unit.rsp[port].data.val().raw(),
        resumed: unit.rsp_resumed.val().get_bit(port),
    }
}

/// What takes effect at a place of a unit.
#[inline(always)]
pub fn effect_of(unit: &Pins, place: usize) -> Done {
    Done {
        port: unit.done_port.get(place).map_or(place, |port| port.val().index()),
        tag: unit.done_tag[place].val().raw() as u16,
        status: unit.done_status[place].val().raw() as u8,
        index: unit.done_index[place].val().index(),
        suspended: unit.done_suspended.val().get_bit(place),
    }
}

/// What takes effect in a unit.
pub fn effects_of(unit: &Pins) -> impl Iterator<Item = (usize, Done)> {
    each(unit.done_valid.val().raw()).map(|place| (place, effect_of(unit, place)))
}

impl Engine for Rtl {
    fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    #[inline(always)]
    fn drive_request(&mut self, port: usize, request: &Request) {
        let Request { op, remote, address, data, strobe, tag, order, .. } = *request;
        let unit = &mut self.unit;
        unit.req[port].op.next = (op as u64).into();
        unit.req[port].remote.next = remote;
        unit.req[port].address.next = (address as u64).into();
        unit.req[port].data.next = data.into();
        unit.req[port].strobe.next = (strobe as u64).into();
        unit.req[port].tag.next = (tag as u64).into();
        unit.req_order[port].next = u64::from(order.code()).into();
    }

    #[inline(always)]
    fn drive_valid(&mut self, ports: u64) {
        self.unit.req_valid.next = ports.into();
    }

    #[inline(always)]
    fn drive_ready(&mut self, ports: u64) {
        self.unit.rsp_ready.next = ports.into();
    }

    #[inline(always)]
    fn drive_others(&mut self, stalled: u64, remote_pending: u64) {
        self.unit.bank_stall.next = stalled.into();
        self.unit.remote_pending.next = remote_pending.into();
    }

    #[inline(always)]
    fn settle(&mut self) {
        match &mut self.injected {
            None => self.unit.settle(),
            Some(injected) => self.unit.settle_with(&mut |unit, point| injected.inject(unit, point)),
        }
    }

    #[inline(always)]
    fn accepted(&self) -> u64 {
        self.unit.req_ready.val().raw()
    }

    #[inline(always)]
    fn shown(&self) -> u64 {
        self.unit.rsp_valid.val().raw()
    }

    #[inline(always)]
    fn response(&self, port: usize) -> Response {
        response_of(&self.unit, port)
    }

    #[inline(always)]
    fn done(&self) -> u64 {
        self.unit.done_valid.val().raw()
    }

    #[inline(always)]
    fn effect(&self, place: usize) -> Done {
        effect_of(&self.unit, place)
    }

    #[inline(always)]
    fn flips(&self) -> u64 {
        self.unit.flip_valid.val().raw()
    }

    #[inline(always)]
    fn flip_index(&self, bank: usize) -> usize {
        self.unit.flip_index[bank].val().index()
    }

    #[inline(always)]
    fn woken(&self) -> u64 {
        self.unit.wake_valid.val().raw()
    }

    #[inline(always)]
    fn drive_takes(&mut self, ports: u64) {
        for ready in self.unit.resume_ready.iter_mut() {
            ready.next = ports.into();
        }
    }

    #[inline(always)]
    fn resuming(&self) -> u64 {
        self.unit.resume_valid.iter().map(|valid| valid.val().raw()).sum()
    }

    fn resumed(&self, port: usize) -> Masks {
        Masks {
            completed: self.unit.resume[port].completed.val().raw(),
            expired: self.unit.resume[port].expired.val().raw(),
            ended: self.unit.resume[port].ended.val().raw(),
        }
    }

    #[inline(always)]
    fn clock(&mut self) {
        self.unit.clock();
    }

    fn clock_in_reset(&mut self) {
        self.unit.clock_in_reset();
    }
}
