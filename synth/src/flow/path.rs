//! Critical paths in names of the source: blocks and signals in place of look-up tables.
//!
//! Yosys names what it makes after the nearest signal of the source: `bank_0.alu.pending_empty_LUT4_D_Z` is the output of
//! a table that `bank_0.alu.pending_empty` goes into, `bank_0.alu.held_TRELLIS_FF_Q` the register behind
//! `bank_0.alu.held`. All names of the source are in lower case, so a signal ends where `_` and a capital begin.
//!
//! ```text
//!   clk-to-q │ routing  logic │ routing  logic │ routing  setup
//!   register ─────────────────► signal ────────► signal ────────► register or memory
//!   └ hop 0 ┘└──── hop 1 ─────┘└──── hop 2 ────┘└──── hop 3 ────┘
//! ```
//! A hop is one cell, or several in a row that belong to the same signal. Where the wire behind it is a signal of the
//! source itself, it is called by its name; with `~` in front, it is logic beside the signal, on the way to it or from it.

use super::report::Step;
use serde::{Deserialize, Serialize};

/// A piece of a path.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Hop {
    /// Blocks and signal, as `bank_0.alu.stepped`; with `~` in front if it is logic beside that signal.
    pub at: String,
    /// Cells that it goes through.
    pub cells: u32,
    /// Delay of the wires to it, in ns.
    pub routing_ns: f64,
    /// Delay of the cells, in ns.
    pub logic_ns: f64,
}

/// A path through a design, which is called `instance` within the top module; empty if it is the top module.
pub fn hops(path: &[Step], instance: &str) -> Vec<Hop> {
    let mut hops: Vec<Hop> = Vec::new();
    let mut routing_ns = 0.0;
    for (index, step) in path.iter().enumerate() {
        if step.kind == "routing" {
            routing_ns += step.delay;
            continue;
        }
        // the wire that it drives tells most, if it is one of the source
        let net = path[index + 1..].iter().find_map(|next| next.net.as_deref());
        let signal = net.and_then(signal).filter(|(_, exact)| *exact).or_else(|| signal(&step.to.cell));
        let is_end = index == 0 || index + 1 == path.len();
        let at = match (signal, hops.last()) {
            (Some((name, exact)), _) => {
                let mark = if exact || is_end { "" } else { "~" };
                format!("{mark}{}", within(&name, instance))
            }
            // a cell without a name of the source belongs to what is before it
            (None, Some(last)) => last.at.clone(),
            (None, None) => "?".to_owned(),
        };
        let routing = std::mem::take(&mut routing_ns);
        match hops.last_mut() {
            Some(last) if last.at == at && !is_end => {
                last.cells += 1;
                last.routing_ns += routing;
                last.logic_ns += step.delay;
            }
            _ => hops.push(Hop { at, cells: 1, routing_ns: routing, logic_ns: step.delay }),
        }
    }
    for hop in &mut hops {
        hop.routing_ns = super::rounded(hop.routing_ns, 3);
        hop.logic_ns = super::rounded(hop.logic_ns, 3);
    }
    hops
}

/// The signal of the source in a name of the netlist, and whether the name is just that; nothing if there is none in it.
fn signal(name: &str) -> Option<(String, bool)> {
    let ends = |(index, _): &(usize, char)| {
        let rest = &name[*index..];
        rest.starts_with('$') || (rest.starts_with('_') && rest[1..].starts_with(|c: char| c.is_ascii_uppercase()))
    };
    let end = name.char_indices().find(ends).map_or(name.len(), |(index, _)| index);
    let mut signal = &name[..end];
    // numbers of bits, and of the blocks that a memory is made of
    while let Some(shorter) = without_bit(signal).or_else(|| without_number(signal)) {
        signal = shorter;
    }
    (!signal.is_empty()).then(|| (signal.to_owned(), end == name.len()))
}

fn without_bit(name: &str) -> Option<&str> {
    let (signal, bit) = name.strip_suffix(']')?.rsplit_once('[')?;
    bit.bytes().all(|b| b.is_ascii_digit()).then_some(signal)
}

fn without_number(name: &str) -> Option<&str> {
    let (signal, number) = name.rsplit_once('.')?;
    number.bytes().all(|b| b.is_ascii_digit()).then_some(signal)
}

/// The name as the design would use it; what is outside belongs to the wrapper.
fn within(name: &str, instance: &str) -> String {
    if instance.is_empty() {
        return name.to_owned();
    }
    match name.strip_prefix(instance).and_then(|rest| rest.strip_prefix('.')) {
        Some(inside) => inside.to_owned(),
        None => format!("wrapper.{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::Place;
    use super::*;

    fn step(kind: &str, delay: f64, cell: &str, net: Option<&str>) -> Step {
        let place = || Place { cell: cell.to_owned() };
        Step { kind: kind.to_owned(), delay, from: place(), to: place(), net: net.map(str::to_owned) }
    }

    #[test]
    fn names_of_the_netlist_become_signals() {
        let cases = [
            ("dut.bank_0.alu.expected_short", Some(("dut.bank_0.alu.expected_short", true))),
            ("dut.bank_0.alu.stepped[17]", Some(("dut.bank_0.alu.stepped", true))),
            ("dut.bank_0.alu.tx_sign_LUT4_C_Z[1]", Some(("dut.bank_0.alu.tx_sign", false))),
            ("dut.bank_0.ram.mem.0.0", Some(("dut.bank_0.ram.mem", true))),
            ("dut.bank_0.ram.mem.0.0_DIB13_LUT4_Z", Some(("dut.bank_0.ram.mem", false))),
            ("held_SB_DFF_Q_52_DFFLC", Some(("held", false))),
            ("clk$SB_IO_IN_$glb_clk", Some(("clk", false))),
            ("$nextpnr_ICESTORM_LC_2", None),
        ];
        for (name, expected) in cases {
            assert_eq!(signal(name), expected.map(|(signal, exact)| (signal.to_owned(), exact)), "{name}");
        }
    }

    #[test]
    fn a_path_becomes_hops_with_all_its_delay() {
        let path = [
            step("clk-to-q", 0.5, "held_TRELLIS_FF_Q", None),
            step("routing", 1.0, "", Some("held[3]")),
            step("logic", 0.25, "dut.lane.sum_LUT4_Z", None),
            step("routing", 2.0, "", Some("dut.lane.sum_LUT4_Z_A")),
            step("logic", 0.25, "dut.lane.sum_PFUMX_Z", None),
            step("routing", 0.0, "", Some("dut.lane.sum_PFUMX_Z_C")),
            step("logic", 0.125, "$nextpnr_CCU2C_4", None),
            step("routing", 4.0, "", Some("dut.alu.next[5]")),
            step("logic", 0.25, "dut.ram.mem.0.0_DIA_LUT4_Z", None),
            step("routing", 8.0, "", Some("dut.ram.mem.0.0_DIA[3]")),
            step("setup", 0.5, "dut.ram.mem.0.0", None),
        ];
        let hop = |at: &str, cells, routing_ns, logic_ns| Hop { at: at.to_owned(), cells, routing_ns, logic_ns };
        let expected = [
            hop("wrapper.held", 1, 0.0, 0.5),
            hop("~lane.sum", 2, 3.0, 0.5),
            hop("alu.next", 1, 0.0, 0.125),
            hop("~ram.mem", 1, 4.0, 0.25),
            hop("ram.mem", 1, 8.0, 0.5),
        ];
        assert_eq!(hops(&path, "dut"), expected);
        assert_eq!(hops(&path, "")[1].at, "~dut.lane.sum");
        assert!(hops(&[], "dut").is_empty());
    }
}
