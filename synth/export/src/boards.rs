//! The supported boards: parts, pins, clocks, and parameters of their tops.
//!
//! ```
//! use txbar_rtl::board::parameters::Top;
//! use txbar_export::boards::{BAUD, Board};
//!
//! let board = Board::find("icebreaker").expect("it is one of them");
//! let export = board.export(Top::SelfTest, BAUD, "txbar").expect("115,200 baud can be had of 12 MHz");
//! assert_eq!(export.top, "txbar_icebreaker_self_test");
//! assert!(export.ports.iter().all(|pin| board.constraints.contains(&pin.name)));
//! ```
//! The tops run at the board's oscillator, without a PLL: a serial line is slower than any clock, and a self-test that runs at
//! half the speed still finds what is wrong with a chip.

use crate::reset::Reset;
use crate::verilog::{self, Export, ExportedPort, PrefixError};
use std::fmt::Write;
use thiserror::Error;
use txbar_rtl::board::parameters::{BoardParameters, Top};
use txbar_rtl::board::uart_rx::BIT_CYCLES;
use txbar_rtl::parameters::Parameters;

/// Baud rate unless another is named.
pub const BAUD: u32 = 115_200;

/// A family of FPGAs: how much fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Lattice ECP5.
    Ecp5,
    /// Lattice iCE40 LP and HX.
    Ice40Hx,
    /// Lattice iCE40 UltraPlus.
    Ice40Up,
}

/// A button that resets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Button {
    /// The button reads 0 while pressed.
    pub inverted: bool,
}

/// A board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board {
    /// Its name on the command line.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// The family of its FPGA.
    pub family: Family,
    /// FPGA.
    pub part: &'static str,
    /// Name of its row in the table of parts, which the FPGA flows have.
    pub row: &'static str,
    /// Its package, as nextpnr spells it.
    pub package: &'static str,
    /// Frequency of its oscillator, which is the clock.
    pub clock_hz: u32,
    /// Name of the constraint file.
    pub constraints_file: &'static str,
    /// The constraint file.
    pub constraints: &'static str,
    /// Number of LEDs.
    pub leds: usize,
    /// Those of them that are on at 0, a bit each.
    pub leds_inverted: u8,
    /// A button that resets, if there is one.
    pub button: Option<Button>,
    /// A pin must be kept at 1.
    pub high: bool,
}

/// What cannot be exported for a board.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum BoardError {
    /// The prefix is not an identifier.
    #[error(transparent)]
    Prefix(#[from] PrefixError),
    /// The clock has no such baud rate.
    #[error("{baud} baud cannot be had of the {clock_hz} Hz of {board}: a bit must take 4 to 65535 cycles, to 2 %")]
    Baud {
        /// The baud rate.
        baud: u32,
        /// The clock.
        clock_hz: u32,
        /// The board.
        board: &'static str,
    },
}

impl Board {
    /// Every board.
    pub const ALL: &'static [Board] = &[
        Board {
            name: "ulx3s",
            title: "ULX3S with an ECP5-85F",
            family: Family::Ecp5,
            part: "LFE5U-85F-6BG381C",
            row: "ecp5-85f-6",
            package: "CABGA381",
            clock_hz: 25_000_000,
            constraints_file: "ulx3s.lpf",
            constraints: include_str!("../boards/ulx3s.lpf"),
            leds: 8,
            leds_inverted: 0,
            button: Some(Button { inverted: false }),
            high: true,
        },
        Board {
            name: "icebreaker",
            title: "iCEBreaker with an iCE40 UP5K",
            family: Family::Ice40Up,
            part: "iCE40UP5K-SG48",
            row: "ice40-up5k",
            package: "sg48",
            clock_hz: 12_000_000,
            constraints_file: "icebreaker.pcf",
            constraints: include_str!("../boards/icebreaker.pcf"),
            leds: 7,
            leds_inverted: 0b110,
            button: Some(Button { inverted: true }),
            high: false,
        },
        Board {
            name: "hx8k",
            title: "iCE40-HX8K breakout board",
            family: Family::Ice40Hx,
            part: "iCE40HX8K-CT256",
            row: "ice40-hx8k",
            package: "ct256",
            clock_hz: 12_000_000,
            constraints_file: "hx8k.pcf",
            constraints: include_str!("../boards/hx8k.pcf"),
            leds: 8,
            leds_inverted: 0,
            button: None,
            high: false,
        },
    ];

    /// The board of this name.
    pub fn find(name: &str) -> Option<&'static Board> {
        Self::ALL.iter().find(|board| board.name == name)
    }

    /// The unit that a top has on this board: as large as fits, with some room to route.
    pub fn unit(&self, top: Top) -> Parameters {
        let clock_ns = (1_000_000_000 / self.clock_hz) as usize;
        let one = Parameters { ports: 1, banks: 1, counters: false, clock_ns, ..Parameters::default() };
        match (self.family, top) {
            (Family::Ecp5, _) => {
                Parameters { ports: 4, banks: 4, waiters: 16, counters: true, whole_groups: false, ..one }
            }
            (Family::Ice40Hx, _) => Parameters { words: 512, waiters: 2, queue_depth: 4, ..one },
            (Family::Ice40Up, Top::Bridge) => Parameters { words: 512, waiters: 0, queue_depth: 4, ..one },
            (Family::Ice40Up, Top::SelfTest) => {
                Parameters { words: 512, waiters: 0, queue_depth: 2, tag_bits: 2, ..one }
            }
        }
    }

    /// What a top on this board is built for.
    ///
    /// # Errors
    /// The clock has no such baud rate.
    pub fn parameters(&self, top: Top, baud: u32) -> Result<BoardParameters, BoardError> {
        let Self { clock_hz, name: board, .. } = *self;
        let bit_cycles = (clock_hz + baud / 2).checked_div(baud).unwrap_or(0) as usize;
        let is = clock_hz as usize / bit_cycles.max(1);
        if !BIT_CYCLES.contains(&bit_cycles) || is.abs_diff(baud as usize) * 50 > baud as usize {
            return Err(BoardError::Baud { baud, clock_hz, board });
        }
        let (unit, beat_cycles) = (self.unit(top), clock_hz as usize / 2);
        Ok(match top {
            Top::SelfTest => BoardParameters::self_test(unit, bit_cycles, beat_cycles),
            Top::Bridge => BoardParameters::bridge(unit, bit_cycles, beat_cycles),
        })
    }

    /// Exports a top for this board, with the pins that the constraint file names.
    ///
    /// # Errors
    /// The clock has no such baud rate, or `prefix` is not an identifier.
    pub fn export(&self, top: Top, baud: u32, prefix: &str) -> Result<Export, BoardError> {
        let inner = verilog::top(&self.parameters(top, baud)?, prefix)?;
        let name = format!("{prefix}_{}_{}", self.name, top.name().replace('-', "_"));
        let text = format!("{}\n{}", inner.text, self.wrapper(&inner, &name, top));
        Ok(Export {
            top: name,
            text,
            ports: self.pins(),
            few_levels: false,
            memories: Vec::new(),
            reset: Reset::High.facts(None),
        })
    }

    /// The pins of a top on this board.
    fn pins(&self) -> Vec<ExportedPort> {
        let pin = |name: &str, direction, width, description: &str| ExportedPort {
            name: name.to_owned(),
            direction,
            width,
            description: description.to_owned(),
        };
        let mut pins = vec![pin("clk", "input", 1, "oscillator")];
        if self.button.is_some() {
            pins.push(pin("button", "input", 1, "button that resets"));
        }
        pins.push(pin("uart_rx", "input", 1, "serial line to the board"));
        pins.push(pin("uart_tx", "output", 1, "serial line from the board"));
        pins.push(pin("led", "output", self.leds, "LEDs"));
        if self.high {
            pins.push(pin("high", "output", 1, "kept at 1"));
        }
        pins
    }

    /// The module with the board's pins: it makes the reset, and turns over what is inverted.
    fn wrapper(&self, inner: &Export, name: &str, top: Top) -> String {
        let mut text = format!(
            "`default_nettype none\n\n// Pins of {}.\n// The only module that relies on initial values of registers: they make the \
             reset after configuration.\nmodule {name} (\n",
            self.title
        );
        let pins = self.pins();
        for (position, ExportedPort { name, direction, width, description }) in pins.iter().enumerate() {
            let range = if *width > 1 { format!("[{}:0] ", width - 1) } else { String::new() };
            let comma = if position + 1 < pins.len() { "," } else { "" };
            writeln!(text, "  {direction:6} wire {range}{name}{comma}  // {description}").expect("writing to a String");
        }
        let pressed = match self.button {
            None => "1'b0",
            Some(Button { inverted: false }) => "button",
            Some(Button { inverted: true }) => "~button",
        };
        let rx = if top == Top::Bridge { ".uart_rx(uart_rx), " } else { "" };
        let unused_rx = if top == Top::Bridge { String::new() } else { "uart_rx".to_owned() };
        let unused_led = if self.leds < 8 { format!("shown[7:{}]", self.leds) } else { String::new() };
        let unused: Vec<String> = [unused_rx, unused_led].into_iter().filter(|unused| !unused.is_empty()).collect();
        write!(
            text,
            ");\n  reg [1:0] pressed;\n  reg [7:0] awake;\n  reg rst;\n  wire [7:0] shown;\n\n  \
             initial begin\n    pressed = 2'd0;\n    awake = 8'd0;\n    rst = 1'b1;\n  end\n\n  \
             always @(posedge clk) begin\n    pressed <= {{pressed[0], {pressed}}};\n    \
             if (pressed[1]) awake <= 8'd0;\n    else if (awake != 8'd255) awake <= awake + 8'd1;\n    \
             rst <= awake != 8'd255;\n  end\n\n  \
             {} top (.clk(clk), .rst(rst), {rx}.uart_tx(uart_tx), .led(shown));\n\n  \
             assign led = shown[{}:0] ^ {}'d{};\n",
            inner.top,
            self.leds - 1,
            self.leds,
            self.leds_inverted
        )
        .expect("writing to a String");
        if self.high {
            text += "  assign high = 1'b1;\n";
        }
        if !unused.is_empty() {
            writeln!(text, "\n  wire unused_bits = &{{1'b0, {}}};", unused.join(", ")).expect("writing to a String");
        }
        text + "endmodule\n\n`default_nettype wire\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pin_is_in_the_constraint_file_and_the_other_way_round() {
        for board in Board::ALL {
            let mut pins: Vec<String> = Vec::new();
            for ExportedPort { name, width, .. } in board.pins() {
                pins.extend((0..width).map(|bit| if width > 1 { format!("{name}[{bit}]") } else { name.clone() }));
            }
            let lines = board.constraints.lines().filter(|line| !line.starts_with('#'));
            let located: Vec<String> = lines
                .filter_map(|line| line.strip_prefix("set_io ").or(line.strip_prefix("LOCATE COMP ")))
                .map(|line| line.split_whitespace().next().expect("a pin is named").trim_matches('"').to_owned())
                .collect();
            pins.sort();
            let mut sorted = located.clone();
            sorted.sort();
            assert_eq!(sorted, pins, "{}", board.name);
            assert!(board.constraints.contains(&format!(" {}", board.clock_hz / 1_000_000)));
        }
    }

    #[test]
    fn the_parameters_can_be_built() {
        for board in Board::ALL {
            for top in Top::ALL {
                for baud in [BAUD, 1_000_000] {
                    let parameters = board.parameters(top, baud).expect("the clock has it");
                    assert_eq!(parameters.check(), Ok(parameters));
                }
            }
        }
    }

    #[test]
    fn a_baud_rate_that_the_clock_has_not_is_refused() {
        let board = Board::find("hx8k").expect("it is one of them");
        for baud in [0, 100, 5_000_000, 2_700_000] {
            let error = board.parameters(Top::Bridge, baud).expect_err("it has not");
            assert!(error.to_string().starts_with(&format!("{baud} baud cannot be had of the 12000000 Hz of hx8k")));
        }
    }
}
