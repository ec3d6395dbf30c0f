//! Verilog export: prints the syntax trees that rust-hdl's macro makes of the kernels.
//!
//! rust-hdl has a printer of its own; this one exists because its output is to be read, linted and dropped into other
//! people's designs: conventional names, registers in one `always @(posedge clk)` a module, one module a kind of block
//! (not one an instance), the documentation of every port as a comment, and every expression at its exact width, so that
//! `verilator --lint-only -Wall` has nothing to say.
//!
//! ```text
//!   design ──visit──► netlist::Module (a tree) ──print──► text of each module ──► equal texts become one module
//!                                                   ▲
//!                                    expression::Printer (names, widths)
//! ```

mod expression;
mod netlist;
mod print;

use txbar_rtl::board::bridge_top::BridgeTop;
use txbar_rtl::board::parameters::{BoardParameters, Top};
use txbar_rtl::board::self_test::SelfTest;
use txbar_rtl::cluster::Cluster;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::hdl::Part;
use txbar_rtl::parameters::{Design, Parameters};
use txbar_rtl::unit::Unit;
use txbar_rtl::warp::WarpUnit;
use txbar_rtl::warp::parameters::WarpParameters;

/// A design as Verilog.
#[derive(Clone, Debug)]
pub struct Export {
    /// Name of the top module.
    pub top: String,
    /// The whole file.
    pub text: String,
    /// Ports of the top module, in order.
    pub ports: Vec<ExportedPort>,
    /// Whether it has two levels of look-up tables nearly everywhere, which synthesis must not undo.
    pub few_levels: bool,
}

/// A port of the top module.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ExportedPort {
    /// Its name.
    pub name: String,
    /// `input` or `output`.
    pub direction: &'static str,
    /// Its width in bits.
    pub width: usize,
    /// What it carries.
    pub description: String,
}

impl ExportedPort {
    /// Whether it is neither the clock nor the reset.
    pub fn is_data(&self) -> bool {
        !matches!(self.name.as_str(), "clk" | "rst")
    }
}

/// Exports the unit. Module names begin with `prefix`, so that two configurations can live in one design.
///
/// # Errors
/// `prefix` must be an identifier that Verilog takes.
pub fn unit(parameters: &Parameters, prefix: &str) -> Result<Export, PrefixError> {
    design(&Unit::new(parameters), parameters, prefix)
}

/// Exports a cluster; see [`unit()`].
///
/// # Errors
/// As [`unit()`].
pub fn cluster(parameters: &ClusterParameters, prefix: &str) -> Result<Export, PrefixError> {
    design(&Cluster::new(parameters), parameters, prefix)
}

/// Exports a unit with ports for warps; see [`unit()`].
///
/// # Errors
/// As [`unit()`].
pub fn warp_unit(parameters: &WarpParameters, prefix: &str) -> Result<Export, PrefixError> {
    design(&WarpUnit::new(parameters), parameters, prefix)
}

/// Exports a top for boards, without a board's pins; see [`unit()`] and [`crate::boards`].
///
/// # Errors
/// As [`unit()`].
pub fn top(parameters: &BoardParameters, prefix: &str) -> Result<Export, PrefixError> {
    match parameters.top {
        Top::SelfTest => design(&SelfTest::new(parameters), parameters, prefix),
        Top::Bridge => design(&BridgeTop::new(parameters), parameters, prefix),
    }
}

/// Exports a design with these parameters; see [`unit()`].
///
/// # Errors
/// As [`unit()`].
pub fn design(design: &dyn Part, parameters: &dyn Design, prefix: &str) -> Result<Export, PrefixError> {
    let begins = prefix.starts_with(|c: char| c.is_ascii_alphabetic());
    if !begins || !prefix.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(PrefixError(prefix.to_owned()));
    }
    let mut collector = netlist::Collector::new(parameters);
    design.visit("top".into(), "", &mut collector);
    Ok(print::file(collector.finish(), parameters, prefix))
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
