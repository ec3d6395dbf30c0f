//! Parameters of a board's top.

use super::protocol::{SLOT_BITS, TAG_BITS};
use crate::board::{beat, uart_rx};
use crate::hdl::Symbol;
use crate::word::parameters::{Build, Design, ParameterError, Parameters, index_bits, widths_of_symbols};

/// Maximum number of ports of a self-test.
pub const MOST_TESTED: usize = 4;

/// Kind of a top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Top {
    /// Traffic and a checker around a unit.
    SelfTest,
    /// A unit at a serial line.
    Bridge,
}

impl Top {
    /// Every top.
    pub const ALL: [Top; 2] = [Top::SelfTest, Top::Bridge];

    /// Name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Top::SelfTest => "self-test",
            Top::Bridge => "bridge",
        }
    }
}

/// Parameters of a board's top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BoardParameters {
    /// Kind of the top.
    pub top: Top,
    /// Unit in the top.
    pub unit: Parameters,
    /// Clock cycles of a bit on the serial line: 4 to 65535.
    pub bit_cycles: usize,
    /// Clock cycles of half a blink: 1 to 2^24.
    pub beat_cycles: usize,
}

impl BoardParameters {
    /// A bridge to this unit; the tags are the bridge's own.
    pub fn bridge(unit: Parameters, bit_cycles: usize, beat_cycles: usize) -> Self {
        let unit = Parameters { tag_bits: TAG_BITS, number_bits: SLOT_BITS, ..unit };
        Self { top: Top::Bridge, unit, bit_cycles, beat_cycles }
    }

    /// A self-test of this unit; checked mode is off, and a tag names a thread.
    pub fn self_test(unit: Parameters, bit_cycles: usize, beat_cycles: usize) -> Self {
        let unit = Parameters { number_bits: 0, checked: false, ..unit };
        Self { top: Top::SelfTest, unit, bit_cycles, beat_cycles }
    }

    /// Requests that a port of a self-test may have in flight: as many as its response queue holds, but 2 or 4.
    pub fn predictions(&self) -> usize {
        if self.unit.queue_depth < 4 { 2 } else { 4 }
    }

    /// Checks the parameters; an error names the parameter.
    pub fn check(self) -> Result<Self, ParameterError> {
        self.unit.check()?;
        let refuse = |name, value, rule| Err(ParameterError { name, value, rule });
        if !uart_rx::BIT_CYCLES.contains(&self.bit_cycles) {
            return refuse("bit-cycles", self.bit_cycles, "it must be from 4 to 65535");
        }
        if !(1..=1 << beat::COUNT_BITS).contains(&self.beat_cycles) {
            return refuse("beat-cycles", self.beat_cycles, "it must be from 1 to 16777216");
        }
        if self.top == Top::SelfTest && self.unit.ports > MOST_TESTED {
            return refuse("ports", self.unit.ports, "in a self-test it must be from 1 to 4");
        }
        if self.unit.clock_ps > 0 {
            return refuse("clock-ns", self.unit.clock_ns, "in a top for boards it must be a whole number");
        }
        if self.unit.wake_mask {
            return refuse("wake-mask", 1, "in a top for boards waits are answered: it must be off");
        }
        if self.unit.build == Build::BankedHighClock {
            return refuse("ports", self.unit.ports, "the banked-high-clock build is in no top for boards");
        }
        if self.top == Top::SelfTest && self.unit.tag_bits < 2 {
            return refuse("tag-bits", self.unit.tag_bits, "in a self-test it must be 2 or more");
        }
        Ok(self)
    }
}

widths_of_symbols!(BoardParameters);

impl Design for BoardParameters {
    fn width(&self, symbol: Symbol) -> usize {
        match symbol {
            Symbol::FifoIndex => index_bits(self.predictions()),
            Symbol::FifoCount => index_bits(self.predictions() + 1),
            other => self.unit.width(other),
        }
    }

    fn list(&self) -> Vec<(&'static str, String)> {
        let own = [
            ("top", self.top.name().to_owned()),
            ("bit-cycles", self.bit_cycles.to_string()),
            ("beat-cycles", self.beat_cycles.to_string()),
        ];
        own.into_iter().chain(self.unit.list()).collect()
    }

    /// `d217_h12500000` before the label of the unit.
    fn label(&self) -> String {
        format!("d{}_h{}_{}", self.bit_cycles, self.beat_cycles, self.unit.label())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_parameters_are_refused_by_name() {
        let bridge = |bit_cycles, beat_cycles| {
            let parameters = BoardParameters::bridge(Parameters::default(), bit_cycles, beat_cycles);
            parameters.check().map_err(|error| error.to_string())
        };
        assert!(bridge(4, 1).is_ok());
        assert!(bridge(3, 1).unwrap_err().starts_with("bit-cycles = 3"));
        assert!(bridge(1 << 16, 1).unwrap_err().starts_with("bit-cycles = 65536"));
        assert!(bridge(4, 0).unwrap_err().starts_with("beat-cycles = 0"));
        let test = |ports| BoardParameters::self_test(Parameters { ports, ..Parameters::default() }, 4, 1).check();
        assert!(test(4).is_ok());
        assert!(test(5).unwrap_err().to_string().starts_with("ports = 5"));
        let high = |ports, banks, waiters| {
            let unit = Parameters { ports, banks, waiters, ..Parameters::high_clock(64) };
            BoardParameters::bridge(unit, 4, 1).check().map_err(|error| error.to_string())
        };
        assert!(high(1, 1, 0).is_ok());
        assert!(high(2, 2, 2).unwrap_err().starts_with("ports = 2 cannot be built: the high-clock build has 1"));
        assert!(high(1, 2, 0).unwrap_err().starts_with("banks = 2"));
        assert!(high(1, 1, 3).unwrap_err().starts_with("waiters = 3"));
        let banked = BoardParameters::bridge(Parameters::banked_high_clock(2, 2), 4, 1).check();
        assert!(banked.unwrap_err().to_string().contains("is in no top for boards"));
    }
}
