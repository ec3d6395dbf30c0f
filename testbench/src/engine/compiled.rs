//! A unit as exported Verilog, compiled by one of the [flows](super::flow) into a shared library.

pub use super::build::{BuildError, Effort, on_deep_stack};
pub use super::flow::Flow;

use super::library::{Instance, Library};
use super::pins::Pins;
use super::places::Places;
use super::{Done, Engine};
use crate::request::{Request, Response};
use crate::wake_masks::Masks;
use std::ffi::{CString, c_char, c_void};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use txbar_export::verilog::{self, Export};
use txbar_rtl::parameters::Parameters;

/// A request as the C++ side sees it.
#[repr(C)]
#[derive(Clone, Copy)]
struct CRequest {
    data: u64,
    address: u32,
    tag: u16,
    op: u8,
    remote: u8,
    strobe: u8,
    order: u8,
}

fn c_request(request: &Request) -> CRequest {
    let Request { op, remote, address, data, strobe, tag, order, .. } = *request;
    CRequest { data, address, tag, op, remote: remote as u8, strobe, order: order.code() }
}

/// `txbar_saturate` in `unit.cpp`.
type Saturate = unsafe extern "C" fn(*mut c_void, *const CRequest, *const u64, u64) -> u64;

/// `txbar_saturate_traced` in `unit.cpp`.
type SaturateTraced = unsafe extern "C" fn(*mut c_void, *const CRequest, *const u64, u64, *const c_char) -> u64;

/// A unit as Verilog, compiled; it can be had any number of times.
#[derive(Clone)]
pub struct Compiled {
    parameters: Parameters,
    library: Library,
    saturate: Saturate,
    /// Of [`Flow::TracedVerilator`].
    saturate_traced: Option<SaturateTraced>,
    places: Arc<Places>,
}

/// The unit as Verilog, simulated in compiled code.
pub struct Simulated {
    compiled: Compiled,
    instance: Instance,
}

impl Compiled {
    /// Exports a unit and compiles it with Verilator.
    ///
    /// # Errors
    /// A tool is missing or fails.
    pub fn new(parameters: Parameters, effort: Effort) -> Result<Self, BuildError> {
        Self::by(Flow::Verilator, parameters, effort)
    }

    /// Exports a unit and compiles it.
    ///
    /// # Errors
    /// A tool is missing or fails.
    pub fn by(flow: Flow, parameters: Parameters, effort: Effort) -> Result<Self, BuildError> {
        let library = Library::with(flow, &exported(&parameters), effort, &saturate_text(&parameters))?;
        Self::of(flow, parameters, library)
    }

    /// A unit that another process of this program has compiled: its [`Compiled::file`].
    ///
    /// # Errors
    /// It cannot be loaded.
    pub fn open(flow: Flow, parameters: Parameters, file: &Path) -> Result<Self, BuildError> {
        Self::of(flow, parameters, Library::open(flow, &exported(&parameters), file)?)
    }

    /// The library's file: there as long as this.
    pub fn file(&self) -> &Path {
        self.library.file()
    }

    fn of(flow: Flow, parameters: Parameters, library: Library) -> Result<Self, BuildError> {
        // SAFETY: it has this type, and is called only by `Simulated`, which holds on to the library.
        let saturate = unsafe { library.function::<Saturate>(b"txbar_saturate\0")? };
        let saturate_traced = match flow {
            // SAFETY: as above.
            Flow::TracedVerilator => Some(unsafe { library.function(b"txbar_saturate_traced\0")? }),
            _ => None,
        };
        let places = Arc::new(Places::new(&parameters, |name| library.pin(name)));
        Ok(Self { parameters, library, saturate, saturate_traced, places })
    }

    /// A unit of its own, reset, with a memory that is all zero.
    pub fn engine(&self) -> Simulated {
        let mut engine = Simulated { compiled: self.clone(), instance: self.library.instance() };
        for port in 0..self.parameters.ports {
            engine.drive_request(port, &Request::NOTHING);
        }
        engine.reset();
        engine
    }

    /// Replays a recording of the unit's pins; see [`Library::differences`].
    ///
    /// # Panics
    /// The recording is not of this unit.
    pub fn differences(&self, pins: &Pins) -> String {
        self.library.differences(pins)
    }
}

impl Simulated {
    /// The same as [`Engine::saturate`], while Verilator writes its VCD: every cycle, once it has settled.
    ///
    /// # Panics
    /// The flow was not [`Flow::TracedVerilator`], or the file's name holds a NUL.
    pub fn saturate_traced(&mut self, stimulus: &[Vec<Request>], cycles: u64, vcd: &Path) -> u64 {
        let saturate = self.compiled.saturate_traced.expect("it was compiled to be traced");
        let file = CString::new(vcd.as_os_str().as_encoded_bytes()).expect("names of files hold no NUL");
        let (requests, lengths) = self.flat(stimulus);
        // SAFETY: the model is alive; there is a length for each port, and together they cover the requests; the name is a string.
        unsafe { saturate(self.instance.model(), requests.as_ptr(), lengths.as_ptr(), cycles, file.as_ptr()) }
    }

    /// The requests of all ports one after the other, and how many each port has.
    fn flat(&self, stimulus: &[Vec<Request>]) -> (Vec<CRequest>, Vec<u64>) {
        assert_eq!(stimulus.len(), self.compiled.parameters.ports);
        let requests = stimulus.iter().flatten().map(c_request).collect();
        (requests, stimulus.iter().map(|port| port.len() as u64).collect())
    }

    fn places(&self) -> &Places {
        &self.compiled.places
    }
}

impl Engine for Simulated {
    fn parameters(&self) -> &Parameters {
        &self.compiled.parameters
    }
    fn drive_request(&mut self, port: usize, request: &Request) {
        let Request { op, remote, address, data, strobe, tag, order, .. } = *request;
        let (places, instance) = (&self.compiled.places.ports[port], &mut self.instance);
        instance.set(places.req_op, op.into());
        instance.set(places.req_remote, remote.into());
        instance.set(places.req_address, address.into());
        instance.set(places.req_data, data);
        instance.set(places.req_strobe, strobe.into());
        instance.set(places.req_tag, tag.into());
        instance.set(places.req_order, order.code().into());
    }
    fn drive_valid(&mut self, ports: u64) {
        self.instance.set(self.compiled.places.req_valid, ports);
    }
    fn drive_ready(&mut self, ports: u64) {
        self.instance.set(self.compiled.places.rsp_ready, ports);
    }
    fn drive_others(&mut self, stalled: u64, remote_pending: u64) {
        self.instance.set(self.compiled.places.bank_stall, stalled);
        self.instance.set(self.compiled.places.remote_pending, remote_pending);
    }
    fn settle(&mut self) {
        self.instance.settle();
    }
    fn accepted(&self) -> u64 {
        self.instance.get(self.places().req_ready)
    }
    fn shown(&self) -> u64 {
        self.instance.get(self.places().rsp_valid)
    }
    fn response(&self, port: usize) -> Response {
        self.places().response(port, |pin| self.instance.get(pin))
    }
    fn done(&self) -> u64 {
        self.instance.get(self.places().done_valid)
    }
    fn effect(&self, place: usize) -> Done {
        self.places().effect(place, |pin| self.instance.get(pin))
    }
    fn flips(&self) -> u64 {
        self.instance.get(self.places().flip_valid)
    }
    fn flip_index(&self, bank: usize) -> usize {
        self.instance.get(self.places().flip_index[bank]) as usize
    }
    fn woken(&self) -> u64 {
        self.instance.get(self.places().wake_valid)
    }
    fn drive_takes(&mut self, ports: u64) {
        if let Some(resumes) = &self.compiled.places.resumes {
            self.instance.set(resumes.ready, ports);
        }
    }
    fn resuming(&self) -> u64 {
        self.places().resumes.as_ref().map_or(0, |resumes| self.instance.get(resumes.valid))
    }
    fn resumed(&self, port: usize) -> Masks {
        self.places().resumed(port, |pin| self.instance.get(pin))
    }
    fn clock(&mut self) {
        self.instance.clock(false);
    }
    fn clock_in_reset(&mut self) {
        self.instance.clock(true);
    }
    fn saturate(&mut self, stimulus: &[Vec<Request>], cycles: u64) -> u64 {
        let (requests, lengths) = self.flat(stimulus);
        // SAFETY: the model is alive; there is a length for each port, and together they cover the requests.
        unsafe { (self.compiled.saturate)(self.instance.model(), requests.as_ptr(), lengths.as_ptr(), cycles) }
    }
}

fn exported(parameters: &Parameters) -> Export {
    verilog::unit(parameters, "txbar").expect("`txbar` is an identifier")
}

/// The C++ of the saturated loop around this configuration.
fn saturate_text(parameters: &Parameters) -> String {
    let mut drive = String::new();
    let mut digest = String::new();
    for port in 0..parameters.ports {
        writeln!(
            drive,
            "    case {port}: m->req_op_{port}(r.op); m->req_remote_{port}(r.remote); m->req_address_{port}(r.address); \
             m->req_data_{port}(r.data); m->req_strobe_{port}(r.strobe); m->req_tag_{port}(r.tag); \
             m->req_order_{port}(r.order); break;"
        )
        .expect("writing to a String");
        writeln!(
            digest,
            "    if (shown >> {port} & 1) \
             digest = (digest << 5 | digest >> 59) ^ m->rsp_data_{port}() ^ m->rsp_status_{port}();"
        )
        .expect("writing to a String");
    }
    include_str!("unit.cpp")
        .replace("PORTS", &parameters.ports.to_string())
        .replace("/* DRIVE */\n", &drive)
        .replace("/* DIGEST */\n", &digest)
}
