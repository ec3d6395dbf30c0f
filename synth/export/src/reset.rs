//! The reset of an exported design, as the design around it has it.
//!
//! Inside, every register that reset clears stands in one form, `if (rst) ...`. Outside, the pin may be active low, and the registers may be cleared
//! without a clock:
//!
//! ```text
//!   synchronous     always @(posedge clk) begin             asynchronous    always @(posedge clk) begin
//!                     data <= data_next;                                      data <= data_next;
//!                     if (rst) begin                                        end
//!                       valid <= 1'b0;
//!                     end else begin                                        always @(posedge clk or posedge rst) begin
//!                       valid <= valid_next;                                  if (rst) valid <= 1'b0;
//!                     end                                                     else valid <= valid_next;
//!                   end                                                     end
//!
//!   active low      input wire rst_n;  wire rst = !rst_n;   in the top module alone
//! ```

use crate::verilog::Export;
use serde::Serialize;
use txbar_rtl::bus::parameters::Bus;
use txbar_rtl::hdl::verilog::RESET;

/// How a design is reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reset {
    /// At a clock edge, by a 1.
    #[default]
    High,
    /// At a clock edge, by a 0.
    Low,
    /// At once, by a 1.
    AsyncHigh,
    /// At once, by a 0.
    AsyncLow,
}

/// The reset, for scripts.
#[derive(Clone, Debug, Serialize)]
pub struct ResetFacts {
    /// Its pin.
    pub pin: String,
    /// Level that resets: 0 or 1.
    pub active: u8,
    /// Registers are cleared without a clock edge. Release it at one.
    pub asynchronous: bool,
}

impl Reset {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::High, Self::Low, Self::AsyncHigh, Self::AsyncLow];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Low => "low",
            Self::AsyncHigh => "async-high",
            Self::AsyncLow => "async-low",
        }
    }

    /// What the pin is, in words.
    fn meaning(self) -> &'static str {
        match self {
            Self::High => "synchronous reset, active high",
            Self::Low => "synchronous reset, active low",
            Self::AsyncHigh => "asynchronous reset, active high",
            Self::AsyncLow => "asynchronous reset, active low",
        }
    }

    /// Whether a 0 resets.
    fn is_low(self) -> bool {
        matches!(self, Self::Low | Self::AsyncLow)
    }

    /// Whether registers are cleared without a clock edge.
    fn is_asynchronous(self) -> bool {
        matches!(self, Self::AsyncHigh | Self::AsyncLow)
    }

    /// The pin, as a bus calls it where it says so.
    fn pin(self, bus: Option<Bus>) -> &'static str {
        match (self.is_low(), bus) {
            (false, _) => RESET,
            (true, Some(Bus::AxiLite)) => "aresetn",
            (true, Some(Bus::Apb)) => "presetn",
            (true, _) => "rst_n",
        }
    }

    /// The reset of a design behind this bus, if it is behind one.
    pub fn facts(self, bus: Option<Bus>) -> ResetFacts {
        ResetFacts {
            pin: self.pin(bus).to_owned(),
            active: u8::from(!self.is_low()),
            asynchronous: self.is_asynchronous(),
        }
    }
}

impl Export {
    /// The same with another reset; its pin is called as the bus calls it.
    ///
    /// # Panics
    /// The design has a reset already that is not synchronous and active high.
    pub fn with_reset(self, reset: Reset, bus: Option<Bus>) -> Self {
        let text = match reset.is_asynchronous() {
            true => asynchronous(&self.text.replace(Reset::High.meaning(), Reset::AsyncHigh.meaning())),
            false => self.text,
        };
        let facts = reset.facts(bus);
        let (kind, level) = reset.meaning().split_once(" reset, ").expect("it is a kind and a level");
        let text = text.replacen(
            "// One clock. rst is synchronous, active high,",
            &format!("// One clock. {} is {kind}, {level},", facts.pin),
            1,
        );
        let text = if reset.is_low() { with_pin(&text, &self.top, &facts.pin, reset.meaning()) } else { text };
        let mut ports = self.ports;
        let port = ports.iter_mut().find(|port| port.name == RESET).expect("it has a reset");
        (port.name, port.description) = (facts.pin.clone(), reset.meaning().to_owned());
        Self { text, ports, reset: facts, ..self }
    }
}

/// The top module with a pin that is active low.
fn with_pin(text: &str, top: &str, pin: &str, meaning: &str) -> String {
    let begin = text.find(&format!("\nmodule {top} (")).expect("the top is in its file");
    let (before, top) = text.split_at(begin);
    let line = top.lines().find(|line| line.trim_start().starts_with("input  wire rst,")).expect("it has a reset");
    let (declaration, _) = line.split_once("//").expect("it has a comment");
    let room = declaration.len() - (pin.len() - RESET.len());
    let own = declaration.trim_end().replace("rst,", &format!("{pin},"));
    let top = top.replacen(line, &format!("{own:room$}// {meaning}"), 1);
    let top = top.replacen("\n);\n", &format!("\n);\n\n  wire rst = !{pin};\n"), 1);
    format!("{before}{top}")
}

/// Every register that `rst` clears in a process of its own, which `rst` starts.
fn asynchronous(text: &str) -> String {
    const BEGIN: &str = "  always @(posedge clk) begin";
    let mut lines = text.lines();
    let mut out = String::with_capacity(text.len());
    while let Some(line) = lines.next() {
        if line != BEGIN {
            out += &format!("{line}\n");
            continue;
        }
        let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "  end").collect();
        let Some(at) = body.iter().position(|line| line.starts_with("    if (rst)")) else {
            out += &format!("{BEGIN}\n{}\n  end\n", body.join("\n"));
            continue;
        };
        let is_block = body[at].starts_with("    if (rst) begin");
        let end = if is_block {
            at + 1 + body[at + 1..].iter().position(|line| line.starts_with("    end")).expect("it ends")
        } else {
            at
        };
        let cleared: Vec<&str> = match is_block {
            true => body[at + 1..end].iter().map(|line| line.trim()).collect(),
            false => vec![body[at].trim_start_matches("    if (rst)").trim()],
        };
        let target = |line: &str| line.trim().split(" <= ").next().unwrap_or_default().to_owned();
        let names: Vec<String> = cleared.iter().map(|line| target(line)).collect();
        // the other values: behind `else`, or assignments in front of the reset, which overrides them
        let (otherwise, rest): (Vec<&str>, Vec<&str>) = if body[end] == "    end else begin" {
            let close = end + 1 + body[end + 1..].iter().position(|line| *line == "    end").expect("it ends");
            (body[end + 1..close].iter().map(|line| line.trim()).collect(), [&body[..at], &body[close + 1..]].concat())
        } else if let Some(line) = body.get(end + 1).and_then(|line| line.strip_prefix("    else ")) {
            (vec![line], [&body[..at], &body[end + 2..]].concat())
        } else {
            let others = [&body[..at], &body[end + 1..]].concat();
            let (of_reset, rest): (Vec<&str>, Vec<&str>) =
                others.into_iter().partition(|line| names.contains(&target(line)));
            (of_reset.iter().map(|line| line.trim()).collect(), rest)
        };
        assert_eq!(cleared.len(), otherwise.len(), "each register that reset clears is given another value elsewhere");
        if !rest.is_empty() {
            out += &format!("{BEGIN}\n{}\n  end\n\n", rest.join("\n"));
        }
        out += "  always @(posedge clk or posedge rst) begin\n    if (rst) begin\n";
        cleared.iter().for_each(|line| out += &format!("      {line}\n"));
        out += "    end else begin\n";
        otherwise.iter().for_each(|line| out += &format!("      {line}\n"));
        out += "    end\n  end\n";
    }
    out
}
