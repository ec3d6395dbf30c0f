//! The exported Verilog, compiled by Verilator into a shared library and called from here.

pub use super::build::{BuildError, Effort};

use super::build::verilator_library;
use super::{Done, Engine};
use crate::request::{Request, Response};
use libloading::Library;
use std::ffi::c_void;
use std::fmt::Write;
use std::sync::Arc;
use tempfile::TempDir;
use txbar_rtl::hdl::{MOST_BANKS, MOST_PORTS};
use txbar_rtl::parameters::Parameters;
use txbar_synth::verilog;

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

/// An answer as the C++ side sees it.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct CResponse {
    data: u64,
    tag: u16,
    status: u8,
    predicate: u8,
}

/// What takes effect, as the C++ side sees it.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct CDone {
    index: u32,
    tag: u16,
    status: u8,
}

/// The inputs of a cycle, but for the requests, as the C++ side sees them.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct CInputs {
    valid: u32,
    ready: u32,
    stalled: u32,
    remote_pending: u32,
}

/// The outputs of a cycle as the C++ side sees them.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct COutputs {
    responses: [CResponse; MOST_PORTS],
    effects: [CDone; MOST_PORTS],
    flip_index: [u32; MOST_BANKS],
    accepted: u32,
    shown: u32,
    done: u32,
    suspended: u32,
    resumed: u32,
    woken: u32,
    flips: u32,
}

/// The library's functions.
struct Functions {
    request: unsafe extern "C" fn(*mut c_void, u32, *const CRequest),
    settle: unsafe extern "C" fn(*mut c_void, *const CInputs, *mut COutputs),
    clock: unsafe extern "C" fn(*mut c_void, u32),
    saturate: unsafe extern "C" fn(*mut c_void, *const CRequest, *const u64, u64) -> u64,
    delete: unsafe extern "C" fn(*mut c_void),
}

/// A unit as Verilog, compiled by Verilator; it can be had any number of times.
#[derive(Clone)]
pub struct Compiled {
    parameters: Parameters,
    library: Arc<Loaded>,
}

struct Loaded {
    create: unsafe extern "C" fn() -> *mut c_void,
    functions: Functions,
    // in this order: the library must go before the file that it was loaded from
    _library: Library,
    _directory: TempDir,
}

/// The unit as Verilog, simulated by Verilator.
pub struct Verilator {
    compiled: Compiled,
    handle: *mut c_void,
    inputs: CInputs,
    outputs: COutputs,
}

impl Compiled {
    /// Exports a unit and compiles it.
    ///
    /// # Errors
    /// A tool is missing or fails.
    pub fn new(parameters: Parameters, effort: Effort) -> Result<Self, BuildError> {
        let export = verilog::unit(&parameters, "txbar").expect("`txbar` is an identifier");
        let directory = tempfile::tempdir()?;
        let file = verilator_library(&export, &harness_text(&parameters), effort, directory.path())?;
        // SAFETY: the library was made a moment ago from `harness.cpp`, whose functions have exactly these types and
        // whose initialisers do nothing but register Verilator's own globals.
        let loaded = unsafe {
            let library = Library::new(file)?;
            Loaded {
                create: *library.get(b"txbar_new\0")?,
                functions: Functions {
                    request: *library.get(b"txbar_request\0")?,
                    settle: *library.get(b"txbar_settle\0")?,
                    clock: *library.get(b"txbar_clock\0")?,
                    saturate: *library.get(b"txbar_saturate\0")?,
                    delete: *library.get(b"txbar_delete\0")?,
                },
                _library: library,
                _directory: directory,
            }
        };
        Ok(Self { parameters, library: Arc::new(loaded) })
    }

    /// A unit of its own, reset, with a memory that is all zero.
    pub fn engine(&self) -> Verilator {
        // SAFETY: the library is loaded, and stays so as long as the engine, which holds on to it.
        let handle = unsafe { (self.library.create)() };
        let mut engine =
            Verilator { compiled: self.clone(), handle, inputs: CInputs::default(), outputs: COutputs::default() };
        for port in 0..self.parameters.ports {
            engine.drive_request(port, &Request::NOTHING);
        }
        engine.reset();
        engine
    }
}

impl Verilator {
    fn functions(&self) -> &Functions {
        &self.compiled.library.functions
    }
}

impl Drop for Verilator {
    fn drop(&mut self) {
        // SAFETY: the handle came from `txbar_new` and is not used again.
        unsafe { (self.functions().delete)(self.handle) }
    }
}

fn c_request(request: &Request) -> CRequest {
    let Request { op, remote, address, data, strobe, tag, order } = *request;
    CRequest { data, address, tag, op, remote: remote as u8, strobe, order: order.code() }
}

impl Engine for Verilator {
    fn parameters(&self) -> &Parameters {
        &self.compiled.parameters
    }
    fn drive_request(&mut self, port: usize, request: &Request) {
        assert!(port < self.compiled.parameters.ports);
        // SAFETY: the handle is alive, the port exists, and the request is only read during the call.
        unsafe { (self.functions().request)(self.handle, port as u32, &c_request(request)) }
    }
    fn drive_valid(&mut self, ports: u64) {
        self.inputs.valid = ports as u32;
    }
    fn drive_ready(&mut self, ports: u64) {
        self.inputs.ready = ports as u32;
    }
    fn drive_others(&mut self, stalled: u64, remote_pending: u64) {
        self.inputs.stalled = stalled as u32;
        self.inputs.remote_pending = remote_pending as u32;
    }
    fn settle(&mut self) {
        // SAFETY: the handle is alive; `inputs` is read and `outputs` written only during the call.
        unsafe { (self.compiled.library.functions.settle)(self.handle, &self.inputs, &mut self.outputs) }
    }
    fn accepted(&self) -> u64 {
        self.outputs.accepted as u64
    }
    fn shown(&self) -> u64 {
        self.outputs.shown as u64
    }
    fn response(&self, port: usize) -> Response {
        let CResponse { data, tag, status, predicate } = self.outputs.responses[port];
        Response { tag, status, predicate: predicate != 0, data, resumed: self.outputs.resumed >> port & 1 != 0 }
    }
    fn done(&self) -> u64 {
        self.outputs.done as u64
    }
    fn effect(&self, port: usize) -> Done {
        let CDone { index, tag, status } = self.outputs.effects[port];
        Done { tag, status, index: index as usize, suspended: self.outputs.suspended >> port & 1 != 0 }
    }
    fn flips(&self) -> u64 {
        self.outputs.flips as u64
    }
    fn flip_index(&self, bank: usize) -> usize {
        self.outputs.flip_index[bank] as usize
    }
    fn woken(&self) -> u64 {
        self.outputs.woken as u64
    }
    fn clock(&mut self) {
        // SAFETY: the handle is alive.
        unsafe { (self.functions().clock)(self.handle, 0) }
    }
    fn clock_in_reset(&mut self) {
        // SAFETY: the handle is alive.
        unsafe { (self.functions().clock)(self.handle, 1) }
    }
    fn saturate(&mut self, stimulus: &[Vec<Request>], cycles: u64) -> u64 {
        assert_eq!(stimulus.len(), self.compiled.parameters.ports);
        let requests: Vec<CRequest> = stimulus.iter().flatten().map(c_request).collect();
        let lengths: Vec<u64> = stimulus.iter().map(|port| port.len() as u64).collect();
        // SAFETY: the handle is alive; there is a length for each port, and together they cover the requests.
        unsafe { (self.functions().saturate)(self.handle, requests.as_ptr(), lengths.as_ptr(), cycles) }
    }
}

/// The C++ between the library's functions and the ports of this configuration.
fn harness_text(parameters: &Parameters) -> String {
    let mut drive = String::new();
    let mut sample = String::new();
    let mut digest = String::new();
    for port in 0..parameters.ports {
        writeln!(
            drive,
            "    case {port}: m.req_op_{port} = r.op; m.req_remote_{port} = r.remote; m.req_address_{port} = r.address; \
             m.req_data_{port} = r.data; m.req_strobe_{port} = r.strobe; m.req_tag_{port} = r.tag; \
             m.req_order_{port} = r.order; break;"
        )
        .expect("writing to a String");
        writeln!(
            sample,
            "  out->responses[{port}] = {{m.rsp_data_{port}, m.rsp_tag_{port}, m.rsp_status_{port}, m.rsp_predicate_{port}}};"
        )
        .expect("writing to a String");
        writeln!(sample, "  out->effects[{port}] = {{m.done_index_{port}, m.done_tag_{port}, m.done_status_{port}}};")
            .expect("writing to a String");
        writeln!(
            digest,
            "    if (m.rsp_valid >> {port} & 1) \
             digest = (digest << 5 | digest >> 59) ^ m.rsp_data_{port} ^ (uint64_t)m.rsp_status_{port};"
        )
        .expect("writing to a String");
    }
    for bank in 0..parameters.banks {
        writeln!(sample, "  out->flip_index[{bank}] = m.flip_index_{bank};").expect("writing to a String");
    }
    include_str!("harness.cpp")
        .replace("MOST_PORTS", &MOST_PORTS.to_string())
        .replace("MOST_BANKS", &MOST_BANKS.to_string())
        .replace("PORTS", &parameters.ports.to_string())
        .replace("/* DRIVE */\n", &drive)
        .replace("/* SAMPLE */\n", &sample)
        .replace("/* DIGEST */\n", &digest)
}
