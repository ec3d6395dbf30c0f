//! Verilog export: the tops of this design, printed by [`txbar_hdl::verilog`](txbar_rtl::hdl::verilog), each file with a header that
//! describes it.

use crate::reset::{Reset, ResetFacts};
use std::collections::HashMap;
use txbar_rtl::any::AnyUnit;
use txbar_rtl::board::bridge_top::BridgeTop;
use txbar_rtl::board::parameters::{BoardParameters, Top};
use txbar_rtl::board::self_test::SelfTest;
use txbar_rtl::bus::BusUnit;
use txbar_rtl::bus::parameters::BusParameters;
use txbar_rtl::cluster::Cluster;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::copies::copier::Copier;
use txbar_rtl::copies::sender::Sender;
use txbar_rtl::copies::tensor::Tensor;
use txbar_rtl::hdl::Part;
pub use txbar_rtl::hdl::verilog::{ExportedMemory, ExportedPort, PrefixError};
use txbar_rtl::hdl::verilog::{KEYWORDS, Verilog, print, print_without_block_ram};
use txbar_rtl::names::names;
use txbar_rtl::op::Op;
use txbar_rtl::parameters::{Design, Parameters};
use txbar_rtl::status::Status;
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
    /// Memories within it; block RAM also if it is outside.
    pub memories: Vec<ExportedMemory>,
    /// The reset.
    pub reset: ResetFacts,
    /// Whether it has two levels of look-up tables nearly everywhere, which synthesis must not undo.
    pub few_levels: bool,
}

/// How a design is exported.
#[derive(Clone, Copy, Debug)]
pub struct Style<'a> {
    /// What the names of its modules begin with, so that two configurations can live in one design.
    pub prefix: &'a str,
    /// Its block RAM is outside: in place of one at `bank_0.ram`, the top has the ports `bank_0_ram_read_enable` and so on.
    pub ram_ports: bool,
}

impl<'a> From<&'a str> for Style<'a> {
    /// With this prefix, and its block RAM inside.
    fn from(prefix: &'a str) -> Self {
        Self { prefix, ram_ports: false }
    }
}

/// Exports the unit.
///
/// # Errors
/// The prefix must be an identifier that Verilog takes.
#[inline(never)] // a design is large: not in the frame of the caller, beside others
pub fn unit<'a>(parameters: &Parameters, style: impl Into<Style<'a>>) -> Result<Export, PrefixError> {
    design(&AnyUnit::new(parameters), parameters, style)
}

/// Exports a cluster; see [`unit()`].
///
/// # Errors
/// As [`unit()`].
pub fn cluster<'a>(parameters: &ClusterParameters, style: impl Into<Style<'a>>) -> Result<Export, PrefixError> {
    design(&Cluster::new(parameters), parameters, style)
}

/// An engine of a CTA that moves data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Tensor copies; `tensors` bursts in flight (1 to 16).
    Tensor,
    /// `cp.async` and bulk copies into shared memory.
    Copier,
    /// Copies out of shared memory.
    Sender,
}

/// Exports an engine of a CTA by itself; see [`unit()`].
///
/// # Errors
/// As [`unit()`].
#[inline(never)] // a design is large: not in the frame of the caller, beside others
pub fn engine<'a>(
    engine: Engine,
    parameters: &ClusterParameters,
    style: impl Into<Style<'a>>,
) -> Result<Export, PrefixError> {
    let &ClusterParameters { ctas, copiers, outstanding, bursts, tensors, .. } = parameters;
    let window_bits = parameters.unit.bytes().ilog2() as usize;
    match engine {
        Engine::Tensor => design(&Tensor::new(tensors, window_bits), parameters, style),
        Engine::Copier => design(&Copier::new(copiers, outstanding, bursts, window_bits), parameters, style),
        Engine::Sender => design(&Sender::new(ctas, window_bits, copiers, bursts), parameters, style),
    }
}

/// Exports a unit with ports for warps; see [`unit()`].
///
/// # Errors
/// As [`unit()`].
#[inline(never)] // a design is large: not in the frame of the caller, beside others
pub fn warp_unit<'a>(parameters: &WarpParameters, style: impl Into<Style<'a>>) -> Result<Export, PrefixError> {
    design(&WarpUnit::new(parameters), parameters, style)
}

/// Exports a unit behind a bus; see [`unit()`]. Its pins are called as the bus calls them, with `s_` before them, or `s0_`, `s1_` if there are several
/// ports; see [`crate::pins`].
///
/// # Errors
/// As [`unit()`].
#[inline(never)] // a design is large: not in the frame of the caller, beside others
pub fn bus_unit<'a>(parameters: &BusParameters, style: impl Into<Style<'a>>) -> Result<Export, PrefixError> {
    Ok(design(&BusUnit::new(parameters), parameters, style)?.with_bus_pins(parameters.unit.ports))
}

/// Exports a top for boards, without a board's pins; see [`unit()`] and [`crate::boards`].
///
/// # Errors
/// As [`unit()`].
pub fn top<'a>(parameters: &BoardParameters, style: impl Into<Style<'a>>) -> Result<Export, PrefixError> {
    match parameters.top {
        Top::SelfTest => design(&SelfTest::new(parameters), parameters, style),
        Top::Bridge => design(&BridgeTop::new(parameters), parameters, style),
    }
}

/// Exports a design with these parameters; see [`unit()`].
///
/// # Errors
/// As [`unit()`].
pub fn design<'a>(
    design: &dyn Part,
    parameters: &dyn Design,
    style: impl Into<Style<'a>>,
) -> Result<Export, PrefixError> {
    let Style { prefix, ram_ports } = style.into();
    let print = if ram_ports { print_without_block_ram } else { print };
    let Verilog { top, text, ports, memories } = print(design, parameters, &names(), prefix)?;
    let text = header(parameters, &top) + &text;
    let (reset, few_levels) = (Reset::default().facts(None), parameters.has_few_levels());
    Ok(Export { top, text, ports, memories, reset, few_levels }.with_codes())
}

/// A name that the top module cannot have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Verilog does not take it.
    #[error("name `{0}` is no Verilog identifier: a letter, then letters, digits and underscores")]
    Identifier(String),
    /// A keyword.
    #[error("name `{0}` is a keyword of Verilog")]
    Keyword(String),
    /// The name is in use.
    #[error("name `{0}` is that of another module of the file")]
    Taken(String),
}

/// Whether a name is a keyword of Verilog or SystemVerilog.
pub(crate) fn is_keyword(name: &str) -> bool {
    KEYWORDS.split_whitespace().any(|word| word == name)
}

/// Whether a module can have this name.
///
/// # Errors
/// It is not an identifier.
pub fn check_name(name: &str) -> Result<(), NameError> {
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic());
    if !begins || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(NameError::Identifier(name.to_owned()));
    }
    if is_keyword(name) {
        return Err(NameError::Keyword(name.to_owned()));
    }
    Ok(())
}

impl Export {
    /// The same with another name of the top module.
    ///
    /// # Errors
    /// It is not an identifier, or another module's.
    pub fn named(self, name: &str) -> Result<Self, NameError> {
        check_name(name)?;
        if name != self.top && self.text.contains(&format!("\nmodule {name} ")) {
            return Err(NameError::Taken(name.to_owned()));
        }
        let text = self.text.replacen(&format!("\nmodule {} ", self.top), &format!("\nmodule {name} "), 1);
        let text = text.replacen(&format!("// Top module: {}\n", self.top), &format!("// Top module: {name}\n"), 1);
        Ok(Self { top: name.to_owned(), text, ..self })
    }

    /// The same with the codes of operations and statuses as constants of the top module, if its ports carry them.
    fn with_codes(self) -> Self {
        if !self.ports.iter().any(|port| port.name.starts_with("req_op_")) {
            return self;
        }
        let begin = self.text.find(&format!("\nmodule {} ", self.top)).expect("it is in its file");
        let body = begin + self.text[begin..].find("\n);\n").expect("it has ports") + "\n);\n".len();
        let (ports, rest) = self.text.split_at(body);
        let own = &rest[..rest.find("\nendmodule\n").expect("it ends")];
        let line = |kind: &str, name: &str, code: u8, means: &str| {
            let declaration = format!("  localparam [4:0] {kind}_{} = 5'd{code};", name.to_uppercase());
            // what the module itself reads is there
            if own.contains(&declaration) { String::new() } else { format!("{declaration}  // {means}\n") }
        };
        let operations = Op::ALL.iter().map(|op| line("OP", op.name(), op.code(), op.ptx()));
        let statuses = Status::ALL.iter().map(|status| line("STATUS", status.name(), status.code(), status.meaning()));
        let codes: String = operations.chain(statuses).collect();
        let text = format!(
            "{ports}\n  // Codes on the ports, for whoever drives them.\n  // verilator lint_off UNUSEDPARAM\n{codes}  \
             // verilator lint_on UNUSEDPARAM\n{rest}"
        );
        Self { text, ..self }
    }
}

/// Header of a file.
fn header(parameters: &dyn Design, top: &str) -> String {
    let list: Vec<String> = parameters.list().iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let options: Vec<String> = parameters.list().iter().map(|(name, value)| format!("--{name}={value}")).collect();
    let (list, options) = (list.join(", "), options.join(" "));
    format!(
        "// txbar {}: open mbarrier hardware, bit-exact to an NVIDIA H200\n\
         // SPDX-License-Identifier: MIT OR Apache-2.0\n\
         //\n\
         // Top module: {top}\n\
         // Parameters: {list}\n\
         // One clock. rst is synchronous, active high, and clears control state; memories keep what they hold.\n\
         // Generated by `txbar verilog {options}`; change the Rust HDL instead.\n\n\
         // several modules in one file, without a time scale, whatever others have:\n\
         // verilator lint_off DECLFILENAME\n\
         // verilator lint_off TIMESCALEMOD\n",
        env!("CARGO_PKG_VERSION"),
    )
}

/// What tools make something of in Verilog: without comments, time scales, empty lines, and constants that nothing in their module
/// reads. Two versions that have this in common are the same hardware: what was measured or proved of one holds for the other.
pub fn logic_of(verilog: &str) -> String {
    let code = verilog.lines().map(|line| line.split("//").next().unwrap_or("").trim_end());
    let is_code = |line: &&str| !line.is_empty() && !line.starts_with("`timescale");
    let code: Vec<&str> = code.filter(is_code).collect();
    let mut kept = Vec::new();
    for module in code.split_inclusive(|line| *line == "endmodule") {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut times: HashMap<&str, usize> = HashMap::new();
        for word in module.iter().flat_map(|line| line.split(|c| !is_word(c))) {
            *times.entry(word).or_default() += 1;
        }
        let is_read = |line: &&&str| constant(line).is_none_or(|name| times[name] > 1);
        kept.extend(module.iter().filter(is_read).copied());
    }
    kept.join("\n")
}

/// The name of the constant that a line declares, if it declares one.
fn constant(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix("localparam ")?.strip_suffix(';')?.split_once(" = ")?.0.split(' ').next_back()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Comments, time scales, empty lines and constants that nobody reads are nothing; everything else is something.
    #[test]
    fn only_what_tools_see_is_logic() {
        let sound = "module a (\n  input wire x\n);\n  localparam [4:0] OP = 5'd1;\n  wire y = x == OP;\nendmodule";
        let same = [
            format!("// text\n\n`timescale 1ns / 1ps\n{sound}\n"),
            sound.replace("  wire", "  // of the top\n  localparam [4:0] OTHER = 5'd2;  // other\n  wire"),
        ];
        for text in same {
            assert_eq!(logic_of(&text), sound);
        }
        let other = ["OP;", "5'd1", "x =="].map(|text| logic_of(&sound.replace(text, "z")));
        assert!(other.iter().all(|text| text != sound), "{other:?}");
        // what is read in another module is not read in this one
        let two = format!("{sound}\n{}", sound.replace("  wire y = x == OP;\n", ""));
        assert_eq!(logic_of(&two).matches("localparam").count(), 1);
    }

    #[test]
    fn a_module_can_have_any_name_that_is_free() {
        let export = unit(&Parameters::default(), "txbar").expect("`txbar` is an identifier");
        let named = export.clone().named("my_unit").expect("it is free");
        assert_eq!(named.top, "my_unit");
        assert_eq!(named.text.matches("my_unit").count(), 2, "in its header, and where it begins");
        assert_eq!(named.text.replace("my_unit", "txbar_unit"), export.text);
        for (name, wrong) in
            [("1x", "no Verilog identifier"), ("txbar_bank", "another module"), ("module", "a keyword")]
        {
            let error = export.clone().named(name).expect_err("it cannot be taken").to_string();
            assert!(error.contains(wrong), "{error}");
        }
    }
}
