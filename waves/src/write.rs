//! Writes waves as VCD, streaming.
//!
//! Scopes follow the hierarchy of the design, whose top is `unit` or `cluster`, and names are those of the exported Verilog: a
//! lane of a lane is `NAME_OUTER_INNER`. Every signal is a plain bit
//! vector. Besides its bits, and never instead of them,
//! * a barrier word has a scope `NAME_fields` with its counts in natural units (arrivals and bytes still missing),
//! * an opcode or a status has a string `NAME_text`.
//!
//! A clock cycle is ten nanoseconds: values settle at the rising edge that begins it.

use std::io::{self, Write};
use txbar_rtl::hdl::{Name, Part, RegisterView, SignalView, Symbol, Type, View, Visitor};
use txbar_rtl::op::Op;
use txbar_rtl::parameters::Design;
use txbar_rtl::status::Status;
use txbar_rtl::word::{Contents, EXPECTED, PENDING, TX};
use vcd::{IdCode, TimescaleUnit, Value, VarType, Writer};

/// Nanoseconds of a clock cycle in the file.
pub const CYCLE_NS: u64 = 10;

/// Width of a tx-count as a signed number: it goes up to 2^20.
const TX_SIGNED_BITS: usize = TX.bits + 1;

/// What a signal has besides its bits.
enum Extra {
    Nothing,
    /// phase, pending, fault, tx, expected
    Fields([IdCode; 5]),
    OpText(IdCode),
    StatusText(IdCode),
}

struct Variable {
    id: IdCode,
    width: usize,
    extra: Extra,
}

/// A VCD file under way.
pub struct Waves<W: Write> {
    writer: Writer<W>,
    clock: IdCode,
    variables: Vec<Variable>,
    /// Values last written; nothing has been written at first.
    last: Vec<Option<u64>>,
}

/// Name of the scope or string that shows the same in another way.
fn beside(name: &str, suffix: &str) -> String {
    format!("{name}_{suffix}")
}

impl<W: Write> Waves<W> {
    /// Begins a file with the declarations of `design`, which is built for these parameters.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn new(output: W, design: &impl Part, parameters: &dyn Design) -> io::Result<Self> {
        let mut writer = Writer::new(output);
        writer.version(concat!("txbar ", env!("CARGO_PKG_VERSION")))?;
        let list = parameters.list().into_iter().map(|(name, value)| format!("{name} = {value}"));
        writer.comment(&list.collect::<Vec<_>>().join(", "))?;
        writer.timescale(1, TimescaleUnit::NS)?;
        let mut declare = Declare { writer, parameters, variables: Vec::new(), clock: None, error: None };
        design.visit("design".into(), "", &mut declare);
        if let Some(error) = declare.error {
            return Err(error);
        }
        let Declare { mut writer, variables, clock, .. } = declare;
        writer.enddefinitions()?;
        let last = vec![None; variables.len()];
        let clock = clock.expect("a design is a block, and its clock is declared first");
        Ok(Self { writer, clock, variables, last })
    }

    /// Writes what has changed in a cycle: call it when the design has settled.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn sample(&mut self, design: &impl Part, cycle: u64) -> io::Result<()> {
        self.writer.timestamp(cycle * CYCLE_NS)?;
        self.writer.change_scalar(self.clock, true)?;
        let mut compare = Compare { waves: self, position: 0, error: None };
        design.visit("design".into(), "", &mut compare);
        if let Some(error) = compare.error {
            return Err(error);
        }
        self.writer.timestamp(cycle * CYCLE_NS + CYCLE_NS / 2)?;
        self.writer.change_scalar(self.clock, false)
    }

    /// Ends the file, so that the last cycle is seen whole, and gives back the output.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(mut self, cycles: u64) -> io::Result<()> {
        self.writer.timestamp(cycles * CYCLE_NS)?;
        self.writer.flush()
    }

    fn change(&mut self, position: usize, value: u64) -> io::Result<()> {
        if self.last[position] == Some(value) {
            return Ok(());
        }
        self.last[position] = Some(value);
        let Variable { id, width, extra } = &self.variables[position];
        bits(&mut self.writer, *id, *width, value)?;
        match extra {
            Extra::Nothing => Ok(()),
            Extra::OpText(id) => self.writer.change_string(*id, Op::from_code(value).map_or("?", Op::name)),
            Extra::StatusText(id) => self.writer.change_string(*id, Status::from_code(value).map_or("?", Status::name)),
            Extra::Fields([phase, pending, fault, tx, expected]) => {
                let contents = Contents::from(value);
                self.writer.change_scalar(*phase, contents.phase)?;
                bits(&mut self.writer, *pending, PENDING.bits, contents.pending as u64)?;
                self.writer.change_scalar(*fault, contents.fault)?;
                bits(&mut self.writer, *tx, TX_SIGNED_BITS, contents.tx as u64)?;
                bits(&mut self.writer, *expected, EXPECTED.bits, contents.expected as u64)
            }
        }
    }
}

/// The low `width` bits of a value.
fn bits<W: Write>(writer: &mut Writer<W>, id: IdCode, width: usize, value: u64) -> io::Result<()> {
    let bit = |position: usize| if value >> position & 1 != 0 { Value::V1 } else { Value::V0 };
    match width {
        1 => writer.change_scalar(id, bit(0)),
        _ => writer.change_vector(id, (0..width).rev().map(bit)),
    }
}

/// Writes the declarations.
struct Declare<'a, W: Write> {
    writer: Writer<W>,
    parameters: &'a dyn Design,
    variables: Vec<Variable>,
    clock: Option<IdCode>,
    error: Option<io::Error>,
}

impl<W: Write> Declare<'_, W> {
    fn try_do<T>(&mut self, action: impl FnOnce(&mut Writer<W>) -> io::Result<T>) -> Option<T> {
        if self.error.is_some() {
            return None;
        }
        action(&mut self.writer).map_err(|error| self.error = Some(error)).ok()
    }

    fn wire(&mut self, width: usize, name: &str) -> Option<IdCode> {
        let range = (width > 1).then(|| vcd::ReferenceIndex::Range(width as i32 - 1, 0));
        self.try_do(|writer| writer.add_var(VarType::Wire, width as u32, name, range))
    }

    fn variable(&mut self, name: &str, ty: Type) -> Option<()> {
        let width = Symbol::from_code(ty.bits).map_or(ty.bits, |symbol| self.parameters.width(symbol));
        let id = self.wire(width, name)?;
        let text = |declare: &mut Self| {
            declare.try_do(|writer| writer.add_var(VarType::String, 1, &beside(name, "text"), None))
        };
        let extra = match ty.view {
            View::Plain => Extra::Nothing,
            View::Op => Extra::OpText(text(self)?),
            View::Status => Extra::StatusText(text(self)?),
            View::Word => {
                self.try_do(|writer| writer.add_module(&beside(name, "fields")))?;
                let fields = [
                    self.wire(1, "phase")?,
                    self.wire(PENDING.bits, "pending")?,
                    self.wire(1, "fault")?,
                    self.wire(TX_SIGNED_BITS, "tx")?,
                    self.wire(EXPECTED.bits, "expected")?,
                ];
                self.try_do(Writer::upscope)?;
                Extra::Fields(fields)
            }
        };
        self.variables.push(Variable { id, width, extra });
        Some(())
    }
}

impl<W: Write> Visitor for Declare<'_, W> {
    fn enter(&mut self, name: Name, module: &'static str, _doc: &'static str) {
        let is_top = self.clock.is_none();
        // the top is called what it is, without what tells it apart among the modules of others
        let name = if is_top { module.trim_start_matches("txbar_").to_owned() } else { name.to_string() };
        self.try_do(|writer| writer.add_module(&name));
        if is_top {
            self.clock = self.wire(1, "clk");
        }
    }
    fn leave(&mut self) {
        self.try_do(Writer::upscope);
    }
    fn signal(&mut self, name: Name, _doc: &'static str, _view: SignalView, ty: Type, _value: u64) {
        self.variable(&name.to_string(), ty);
    }
    fn register(&mut self, name: Name, _doc: &'static str, view: RegisterView, _d: u64, _q: u64) {
        let [d, q] = sides(name, view);
        self.variable(&d, view.ty);
        self.variable(&q, view.ty);
    }
}

/// Names of the two sides of a register, as in the Verilog.
fn sides(name: Name, view: RegisterView) -> [String; 2] {
    match view.port {
        txbar_rtl::hdl::Port::Input => [name.to_string(), beside(&name.to_string(), "q")],
        _ => [beside(&name.to_string(), "next"), name.to_string()],
    }
}

/// Compares with what was written last. It meets the signals in the order in which they were declared.
struct Compare<'a, W: Write> {
    waves: &'a mut Waves<W>,
    position: usize,
    error: Option<io::Error>,
}

impl<W: Write> Compare<'_, W> {
    #[inline]
    fn value(&mut self, value: u64) {
        if self.error.is_none()
            && let Err(error) = self.waves.change(self.position, value)
        {
            self.error = Some(error);
        }
        self.position += 1;
    }
}

impl<W: Write> Visitor for Compare<'_, W> {
    fn signal(&mut self, _name: Name, _doc: &'static str, _view: SignalView, _ty: Type, value: u64) {
        self.value(value);
    }
    fn register(&mut self, _name: Name, _doc: &'static str, _view: RegisterView, d: u64, q: u64) {
        self.value(d);
        self.value(q);
    }
}
