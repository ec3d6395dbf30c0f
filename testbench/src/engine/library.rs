//! A design as a shared library, made by one of the [flows](super::flow), and its pins.

use super::build::{BuildError, Effort};
use super::flow::{Flow, LIBRARY};
use super::pins::{Pin, Pins};
use super::shelf;
use std::ffi::c_void;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tempfile::TempDir;
use txbar_export::netlist::Synthesis;
use txbar_export::verilog::Export;

/// Cycles after reset in which a netlist whose flip-flops start as reset leaves them shows what they held at power-up, at outputs that are not valid: some hold 1.
const FLUSHED: usize = 16;
/// Differences that are told.
pub(super) const TOLD: usize = 10;

/// A pin of the top module, which is neither clock nor reset.
#[derive(Clone, Debug)]
pub(super) struct Terminal {
    pub(super) name: String,
    pub(super) output: bool,
    pub(super) width: usize,
}

/// The terminals of a design.
pub(super) fn terminals(export: &Export) -> Vec<Terminal> {
    let ports = export.ports.iter().filter(|port| port.is_data());
    ports
        .map(|port| Terminal { name: port.name.clone(), output: port.direction == "output", width: port.width })
        .collect()
}

/// # Panics
/// The recording is not of this design, or has a value that no port of it can carry.
pub(super) fn check(terminals: &[Terminal], pins: &Pins) {
    let of_design = terminals.iter().map(|terminal| (&terminal.name, terminal.output));
    assert!(of_design.eq(pins.pins().iter().map(|pin| (&pin.name, pin.output))), "a recording of another design");
    for cycle in 0..pins.cycles() {
        for (Terminal { name, width, .. }, value) in terminals.iter().zip(pins.row(cycle)) {
            let fits = *width >= 64 || *value >> *width == 0;
            assert!(fits, "cycle {cycle}: {name} = {value:x} has more than {width} bits");
        }
    }
}

/// A design that has a clock and a reset, compiled. It can be had any number of times.
#[derive(Clone)]
pub struct Library(Arc<Loaded>);

struct Loaded {
    flow: Flow,
    terminals: Vec<Terminal>,
    instances: AtomicU64,
    create: unsafe extern "C" fn(u64) -> *mut c_void,
    settle: unsafe extern "C" fn(*mut c_void, *mut u64),
    clock: unsafe extern "C" fn(*mut c_void, u32),
    delete: unsafe extern "C" fn(*mut c_void),
    // in this order: the library must go before the file that it was loaded from
    library: libloading::Library,
    file: PathBuf,
    /// Where the file is, if it is to go with the library.
    _directory: Option<TempDir>,
}

impl Library {
    /// Compiles a design.
    ///
    /// # Errors
    /// A tool is missing or fails.
    pub fn new(flow: Flow, export: &Export, effort: Effort) -> Result<Self, BuildError> {
        Self::with(flow, export, effort, "")
    }

    /// Compiles a design together with further C++, which knows the class `Model`; see [`super::flow`].
    pub(super) fn with(flow: Flow, export: &Export, effort: Effort, further: &str) -> Result<Self, BuildError> {
        let terminals = terminals(export);
        let (mut drive, mut sample) = (String::new(), String::new());
        for (number, Terminal { name, output, .. }) in terminals.iter().enumerate() {
            match output {
                false => writeln!(drive, "  m->{name}(row[{number}]);"),
                true => writeln!(sample, "  row[{number}] = m->{name}();"),
            }
            .expect("writing to a String");
        }
        let harness = include_str!("design.cpp").replace("/* DRIVE */\n", &drive).replace("/* SAMPLE */\n", &sample);
        let above = harness + further;
        let made = shelf::once(&(flow.recipe(export, effort)? + &above), |place| {
            let directory = tempfile::tempdir()?;
            flow.library(export, &above, effort, directory.path())?;
            fs::copy(directory.path().join(LIBRARY), place.join(LIBRARY))?;
            Ok(())
        })?;
        // SAFETY: the library was made of all this.
        unsafe { Self::load(flow, terminals, made.path.join(LIBRARY), made.temporary) }
    }

    /// The library of a design that another process has compiled, and keeps as long as it is used; see [`Library::file`].
    pub(super) fn open(flow: Flow, export: &Export, file: &Path) -> Result<Self, BuildError> {
        // SAFETY: the file is of the same program, which has asked for the same design.
        unsafe { Self::load(flow, terminals(export), file.to_owned(), None) }
    }

    /// # Safety
    /// The file is a library that was made for these terminals.
    unsafe fn load(
        flow: Flow,
        terminals: Vec<Terminal>,
        file: PathBuf,
        directory: Option<TempDir>,
    ) -> Result<Self, BuildError> {
        // SAFETY: it was made from `design.cpp`, whose functions have exactly these types and whose initialisers do nothing
        // but register the simulator's own globals.
        unsafe {
            let library = libloading::Library::new(&file)?;
            Ok(Self(Arc::new(Loaded {
                flow,
                terminals,
                instances: AtomicU64::new(1),
                create: *library.get(b"txbar_new\0")?,
                settle: *library.get(b"txbar_settle\0")?,
                clock: *library.get(b"txbar_clock\0")?,
                delete: *library.get(b"txbar_delete\0")?,
                library,
                file,
                _directory: directory,
            })))
        }
    }

    /// The file that it was loaded from: there as long as the library, or a clone of it.
    pub fn file(&self) -> &Path {
        &self.0.file
    }

    /// A design of its own, as it is at power-up. What is random there differs from instance to instance, in the same
    /// way each time that a program runs.
    pub fn instance(&self) -> Instance {
        let seed = self.0.instances.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the library is loaded, and stays so as long as the instance, which holds on to it.
        let model = unsafe { (self.0.create)(seed) };
        Instance { library: self.clone(), model, row: vec![0; self.0.terminals.len()] }
    }

    /// A function of the C++ that was compiled with the design. `name` ends with a 0.
    ///
    /// # Safety
    /// It must have the type `F`, and may be called only as long as the library is there.
    pub(super) unsafe fn function<F: Copy>(&self, name: &[u8]) -> Result<F, BuildError> {
        // SAFETY: the caller sees to it.
        Ok(*unsafe { self.0.library.get::<F>(name) }?)
    }

    /// The number of a pin.
    ///
    /// # Panics
    /// There is no such pin.
    pub fn pin(&self, name: &str) -> usize {
        let found = self.0.terminals.iter().position(|terminal| terminal.name == name);
        found.unwrap_or_else(|| panic!("there is no pin `{name}`"))
    }

    /// Replays a recording. Gives the first ten differences, a line each, such as
    /// `cycle 17: rsp_data_1 is 12, should be 34` with values in hexadecimal; nothing if there is none. Of a netlist with
    /// harsh cells, outputs are not compared while they mean nothing.
    ///
    /// # Panics
    /// The recording is not of this design.
    pub fn differences(&self, pins: &Pins) -> String {
        check(&self.0.terminals, pins);
        let first_known = pins.first_known();
        let (mut text, mut found) = (String::new(), 0);
        let mut instance = self.instance();
        for cycle in 0..pins.cycles() {
            let row = pins.row(cycle);
            for (number, (pin, value)) in pins.pins().iter().zip(row).enumerate() {
                if !pin.output {
                    instance.set(number, *value);
                }
            }
            instance.settle();
            for ((pin, is), should) in pins.pins().iter().zip(&instance.row).zip(row) {
                let means = match self.0.flow {
                    Flow::HarshNetlist(_) => pins.qualified(cycle, pin),
                    Flow::Netlist(Synthesis { starts_as_reset: true, .. }) => {
                        cycle >= first_known + FLUSHED || pins.qualified(cycle, pin)
                    }
                    _ => true,
                };
                let compared = cycle >= first_known && means;
                if pin.output && is != should && compared && found < TOLD {
                    let Pin { name, .. } = pin;
                    writeln!(text, "cycle {cycle}: {name} is {is:x}, should be {should:x}")
                        .expect("writing to a String");
                    found += 1;
                }
            }
            instance.clock(pins.reset(cycle));
        }
        text
    }
}

/// A compiled design at work. Pins go by number: see [`Library::pin`].
pub struct Instance {
    library: Library,
    model: *mut c_void,
    /// A place for every pin.
    row: Vec<u64>,
}

impl Instance {
    /// Drives an input, from the next time on that the logic settles. Bits that it does not have are ignored.
    #[inline]
    pub fn set(&mut self, pin: usize, value: u64) {
        self.row[pin] = value & u64::MAX >> (64 - self.library.0.terminals[pin].width);
    }

    /// What was at an output when the logic had settled.
    #[inline]
    pub fn get(&self, pin: usize) -> u64 {
        self.row[pin]
    }

    /// Lets the logic settle.
    #[inline]
    pub fn settle(&mut self) {
        // SAFETY: the model is alive; the row has a place for every pin and is used only during the call.
        unsafe { (self.library.0.settle)(self.model, self.row.as_mut_ptr()) }
    }

    /// The clock edge, with reset held or not.
    #[inline]
    pub fn clock(&mut self, reset: bool) {
        // SAFETY: the model is alive.
        unsafe { (self.library.0.clock)(self.model, reset.into()) }
    }

    /// What the library's own functions take.
    pub(super) fn model(&mut self) -> *mut c_void {
        self.model
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: the model came from `create` and is not used again.
        unsafe { (self.library.0.delete)(self.model) }
    }
}
