//! Wrapper of a design that is only measured: four pins, and registers before every input and after every output, because nextpnr times
//! paths between registers only, and no package has pins for all ports.
//!
//! ```text
//!   serial ─► shifted ═► held ═► inputs of the design ═ outputs ═► taken ─► parity
//!            (a shift register)  (one register each)              (a running exclusive or)
//! ```
//! Reset of a large design has registers all over the chip: 2,500 with four ports and eight banks at a high clock. So it goes
//! through a buffer of the global network, where nextpnr does not see to that itself (ECP5), as it would in any such design.
//!
//! What holds the inputs is no copy of the shift register, or Yosys would use that in place of the design's own registers.
//! Every input can take any value at any time and every output reaches a pin, so that nothing is optimised away. The
//! wrapper costs two flip-flops an input, one flip-flop and one look-up table an output; they are part of all figures.

use txbar_export::verilog::ExportedPort;

/// Name of the wrapper's module.
pub const TOP: &str = "top";
/// What the design is called within it.
pub const INSTANCE: &str = "dut";

/// Inputs from which on a design is a large one.
const LARGE: usize = 256;

/// Reset of a large design: by the global network on an ECP5.
const EVERYWHERE: &str = "
  wire everywhere;
`ifdef TXBAR_ECP5
  DCCA network (.CLKI(reset), .CLKO(everywhere), .CE(1'b1));
`else
  assign everywhere = reset;
`endif";

/// Whether a design with these ports is a large one.
pub fn is_large(ports: &[ExportedPort]) -> bool {
    ports.iter().filter(|port| port.is_data() && port.direction == "input").map(|port| port.width).sum::<usize>()
        >= LARGE
}

/// The Verilog of the wrapper around `module` with these ports, `clk` and `rst` among them.
pub fn wrapper(module: &str, ports: &[ExportedPort]) -> String {
    let mut inputs = 0;
    let mut outputs = 0;
    let mut pins = String::new();
    for port in ports.iter().filter(|port| port.is_data()) {
        let (vector, next) = if port.direction == "input" { ("held", &mut inputs) } else { ("out", &mut outputs) };
        pins += &format!(",\n    .{}({vector}[{}:{next}])", port.name, *next + port.width - 1);
        *next += port.width;
    }
    let (network, cleared) = if is_large(ports) { (EVERYWHERE, "everywhere") } else { ("", "reset") };
    // a vector of one bit would shift nothing
    let (inputs, outputs) = (inputs.max(2) - 1, outputs.max(2) - 1);
    format!(
        "
module {TOP} (input clk, input rst, input serial, output reg parity);
  reg reset;
  reg [{inputs}:0] shifted, held;
  wire [{outputs}:0] out;
  reg [{outputs}:0] taken;
  always @(posedge clk) begin
    reset <= rst;
    shifted <= {{shifted[{shifted}:0], serial}};
    held <= shifted ^ {{shifted[{shifted}:0], shifted[{inputs}]}};
    taken <= out ^ {{taken[{passed}:0], 1'b0}};
    parity <= taken[{outputs}];
  end{network}
  {module} {INSTANCE} (
    .clk(clk),
    .rst({cleared}){pins}
  );
endmodule
",
        shifted = inputs - 1,
        passed = outputs - 1,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn port(name: &str, direction: &'static str, width: usize) -> ExportedPort {
        ExportedPort { name: name.to_owned(), direction, width, description: String::new() }
    }

    #[test]
    fn every_bit_of_every_port_has_a_register() {
        let ports = [
            port("clk", "input", 1),
            port("rst", "input", 1),
            port("a", "input", 3),
            port("x", "output", 2),
            port("b", "input", 64),
            port("y", "output", 1),
        ];
        let text = wrapper("adder", &ports);
        for piece in [
            "reg [66:0] shifted, held;",
            "wire [2:0] out;",
            "shifted <= {shifted[65:0], serial};",
            "held <= shifted ^ {shifted[65:0], shifted[66]};",
            "taken <= out ^ {taken[1:0], 1'b0};",
            "parity <= taken[2];",
            "adder dut (\n    .clk(clk),\n    .rst(reset),\n    .a(held[2:0]),\n    .x(out[1:0]),\n    .b(held[66:3]),\n    .y(out[2:2])\n  );",
        ] {
            assert!(text.contains(piece), "{piece} is missing:\n{text}");
        }
        assert!(!text.contains("DCCA"), "{text}");
    }

    #[test]
    fn reset_of_a_large_design_takes_the_global_network() {
        let text = wrapper("adder", &[port("a", "input", LARGE)]);
        assert!(text.contains("DCCA network (.CLKI(reset), .CLKO(everywhere), .CE(1'b1));"), "{text}");
        assert!(text.contains(".rst(everywhere),"), "{text}");
        assert!(wrapper("adder", &[port("a", "input", LARGE - 1)]).contains(".rst(reset),"), "it is no large one");
    }
}
