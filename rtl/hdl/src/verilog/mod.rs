//! A design as Verilog: prints the syntax trees that rust-hdl's macro makes of the kernels.
//!
//! rust-hdl has a printer of its own; this one exists because its output is to be read, linted and dropped into other
//! people's designs: conventional names, registers in one `always @(posedge clk)` a module, one module a kind of block
//! (not one an instance), the documentation of every port as a comment, and every expression at its exact width, so that
//! `verilator --lint-only -Wall` has nothing to say.
//!
//! ```text
//!   design ──visit──► netlist::Module (a tree) ──print──► text of each module ──► equal texts become one module
//!                                                   ▲
//!                                    kernel::Printer (statements, names) ──► operators (widths)
//! ```

mod kernel;
mod loops;
mod memories;
mod netlist;
mod operators;
mod order;
mod outside;
mod print;
mod schedule;

pub use print::KEYWORDS;

use crate::order::Ordered;
use crate::{Call, MemoryKind, Names, Part, Widths};
pub use schedule::Point;
pub(crate) use schedule::Schedule;

/// Name of the clock.
pub const CLOCK: &str = "clk";
/// Name of the reset: synchronous, active high.
pub const RESET: &str = "rst";

/// A design as Verilog.
#[derive(Clone, Debug)]
pub struct Verilog {
    /// Name of the top module.
    pub top: String,
    /// The whole file.
    pub text: String,
    /// Ports of the top module, in order.
    pub ports: Vec<ExportedPort>,
    /// Memories within it.
    pub memories: Vec<ExportedMemory>,
}

/// A memory within the top module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedMemory {
    /// Its instance, with those that it is within: `inner.ram`.
    pub instance: String,
    /// What kind.
    pub kind: MemoryKind,
    /// Words.
    pub words: usize,
    /// Width of a word.
    pub bits: usize,
}

/// A port of the top module.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ExportedPort {
    /// Name.
    pub name: String,
    /// `input` or `output`.
    pub direction: &'static str,
    /// Width in bits.
    pub width: usize,
    /// Description of the contents.
    pub description: String,
}

impl ExportedPort {
    /// Whether it is neither the clock nor the reset.
    pub fn is_data(&self) -> bool {
        self.name != CLOCK && self.name != RESET
    }
}

/// Prints a design that is elaborated with these widths and whose kernels use these names. Module names begin with `prefix`,
/// so that two designs can be in one.
///
/// # Errors
/// `prefix` must be an identifier that Verilog takes.
///
/// # Panics
/// A kernel holds what has no Verilog here (`match`, an assignment to a slice), a name that is not known, or two sides of
/// different widths; the message names the block and the place.
pub fn print(design: &dyn Part, widths: &dyn Widths, names: &Names, prefix: &str) -> Result<Verilog, PrefixError> {
    let top = collected(design, widths, prefix)?;
    let memories = print::memories(&top);
    Ok(print::file(top, memories, widths, names, prefix))
}

/// The same with every block RAM outside: in place of one at `inner.ram`, the top module has the ports `inner_ram_read_enable` and so on.
///
/// # Errors
/// As [`print()`].
///
/// # Panics
/// As [`print()`].
pub fn print_without_block_ram(
    design: &dyn Part,
    widths: &dyn Widths,
    names: &Names,
    prefix: &str,
) -> Result<Verilog, PrefixError> {
    let top = collected(design, widths, prefix)?;
    let memories = print::memories(&top);
    Ok(print::file(outside::without_block_ram(top), memories, widths, names, prefix))
}

/// The modules of a design.
fn collected(design: &dyn Part, widths: &dyn Widths, prefix: &str) -> Result<netlist::Module, PrefixError> {
    let begins = prefix.starts_with(|c: char| c.is_ascii_alphabetic());
    if !begins || !prefix.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(PrefixError(prefix.to_owned()));
    }
    let mut collector = netlist::Collector::new(widths);
    design.visit("top".into(), "", &mut collector);
    Ok(collector.finish())
}

/// Looks for a combinational loop: signals that take each other to say what they are, without a register between them. Nets
/// are looked at as a whole; of lanes, each is one. Gives their names, each driven with the one before it and the first with the
/// last, or nothing if there is an order in which everything settles.
///
/// # Panics
/// As [`print()`].
pub fn find_loop(design: &dyn Part, widths: &dyn Widths, names: &Names) -> Option<Vec<String>> {
    let mut collector = netlist::Collector::new(widths);
    design.visit("top".into(), "", &mut collector);
    loops::find(&collector.finish(), widths, names)
}

/// See [`crate::order::check`].
pub(crate) fn compare_order(
    design: &dyn Part,
    widths: &dyn Widths,
    names: &Names,
    calls: &[Call],
) -> Result<Ordered, String> {
    let mut collector = netlist::Collector::new(widths);
    design.visit("top".into(), "", &mut collector);
    order::compare(&collector.finish(), widths, names, calls)
}

/// An order of the data for all processes of a design; see [`crate::Simulator`].
pub(crate) fn order_of(design: &dyn Part, widths: &dyn Widths, names: &Names) -> Result<Vec<Call>, String> {
    let mut collector = netlist::Collector::new(widths);
    design.visit("top".into(), "", &mut collector);
    order::derive(&collector.finish(), widths, names)
}

/// See [`crate::order::Derived`].
pub(crate) fn add_to_schedule(schedule: &mut Schedule, design: &dyn Part, widths: &dyn Widths, names: &Names) {
    let mut collector = netlist::Collector::new(widths);
    design.visit("top".into(), "", &mut collector);
    schedule.add(&collector.finish(), widths, names);
}

/// A prefix that no Verilog module can begin with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrefixError(String);

impl std::fmt::Display for PrefixError {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "prefix `{}` is no Verilog identifier: a letter, then letters, digits and underscores", self.0)
    }
}

impl std::error::Error for PrefixError {}
