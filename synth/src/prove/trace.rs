//! Traces: values of every wire of a problem under a counterexample, as a VCD file.

use super::aiger::literal;
use super::problem::Problem;
use std::io::{self, Write};
use txbar_waves::table::{Column, write_table};

/// The widest wires that are shown.
const WIDEST: usize = 64;

/// Writes what the wires of a problem do on these inputs. Wires of the hardware are below `dut`.
///
/// # Errors
/// The file cannot be written.
pub fn write_vcd(output: impl Write, problem: &Problem, steps: &[Vec<bool>]) -> io::Result<()> {
    let rows = problem.circuit.run(steps);
    let shown = problem.wires.iter().filter(|(name, bits)| bits.len() <= WIDEST && name.as_str() != "clk");
    let column = |(name, bits): (&String, &Vec<u32>)| {
        let value = |row: &Vec<bool>| {
            bits.iter().enumerate().fold(0, |value, (bit, wire)| value | (literal(row, *wire) as u64) << bit)
        };
        Column { name: name.clone(), width: bits.len(), values: rows.iter().map(value).collect() }
    };
    write_table(output, "top", &shown.map(column).collect::<Vec<_>>())
}
