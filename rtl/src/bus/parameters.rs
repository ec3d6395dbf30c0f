//! Parameters of a unit behind a bus, and its address map.

use super::registers::PAGE;
use crate::hdl::{MOST_ENTRIES, Symbol};
use crate::word::parameters::{Design, ParameterError, Parameters, index_bits, widths_of_symbols};

/// Kind of a bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bus {
    /// AXI4-Lite (ARM IHI 0022).
    AxiLite,
    /// Wishbone B4, classic and pipelined.
    Wishbone,
    /// APB4 (ARM IHI 0024).
    Apb,
    /// TileLink Uncached Lightweight, 1.8.
    TileLink,
}

impl Bus {
    /// Every bus.
    pub const ALL: [Bus; 4] = [Bus::AxiLite, Bus::Wishbone, Bus::Apb, Bus::TileLink];

    /// Name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Bus::AxiLite => "axi-lite",
            Bus::Wishbone => "wishbone",
            Bus::Apb => "apb",
            Bus::TileLink => "tilelink",
        }
    }

    /// Prefix of its pins' names.
    pub const fn pins(self) -> &'static str {
        match self {
            Bus::AxiLite => "axil",
            Bus::Wishbone => "wb",
            Bus::Apb => "apb",
            Bus::TileLink => "tl",
        }
    }
}

/// Parameters of a unit behind a bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BusParameters {
    /// The bus.
    pub bus: Bus,
    /// Windows of each port: 1 to 64.
    pub windows: usize,
    /// The unit; each of its ports is a port of the bus.
    pub unit: Parameters,
}

impl BusParameters {
    /// Checks the parameters; an error names the parameter.
    pub fn check(self) -> Result<Self, ParameterError> {
        self.unit.check()?;
        let refuse = |name, value, rule| Err(ParameterError { name, value, rule });
        if !(1..=MOST_ENTRIES).contains(&self.windows) {
            return refuse("windows", self.windows, "it must be from 1 to 64");
        }
        if self.unit.tag_bits <= index_bits(self.windows) {
            let rule = "behind a bus there must be one bit more than a window's number has";
            return refuse("tag-bits", self.unit.tag_bits, rule);
        }
        if self.unit.number_bits > 0 {
            return refuse("number-bits", self.unit.number_bits, "behind a bus each window is a thread: it must be 0");
        }
        if self.unit.wake_mask {
            return refuse("wake-mask", 1, "behind a bus waits are answered: it must be off");
        }
        Ok(self)
    }

    /// Width of an address within a page: a window has one page for its registers and one for the memory.
    pub fn page_bits(&self) -> usize {
        self.unit.bytes().max(PAGE).ilog2() as usize
    }

    /// Bytes from a window's registers to the memory.
    pub fn memory(&self) -> usize {
        1 << self.page_bits()
    }

    /// Bytes from one window to the next.
    pub fn stride(&self) -> usize {
        2 << self.page_bits()
    }

    /// Address of the privileged page.
    pub fn privileged(&self) -> usize {
        self.stride() << index_bits(self.windows)
    }

    /// Width of a bus address.
    pub fn address_bits(&self) -> usize {
        self.privileged().ilog2() as usize + 1
    }
}

widths_of_symbols!(BusParameters);

impl Design for BusParameters {
    fn width(&self, symbol: Symbol) -> usize {
        match symbol {
            Symbol::Windows => self.windows,
            Symbol::WindowIndex => index_bits(self.windows),
            Symbol::BusAddress => self.address_bits(),
            Symbol::PageOffset => self.page_bits(),
            other => self.unit.width(other),
        }
    }

    fn list(&self) -> Vec<(&'static str, String)> {
        let own = [("bus", self.bus.name().to_owned()), ("windows", self.windows.to_string())];
        own.into_iter().chain(self.unit.list()).collect()
    }

    /// `axil_w4` before the label of the unit.
    fn label(&self) -> String {
        format!("{}_w{}_{}", self.bus.pins(), self.windows, self.unit.label())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_parameters_are_refused_by_name() {
        let given = BusParameters { bus: Bus::AxiLite, windows: 4, unit: Parameters::default() };
        assert_eq!(given.check(), Ok(given));
        let refused = |change: fn(&mut BusParameters)| {
            let mut parameters = given;
            change(&mut parameters);
            parameters.check().expect_err("cannot be built").to_string()
        };
        assert!(refused(|p| p.windows = 0).starts_with("windows = 0"));
        assert!(refused(|p| p.windows = 65).starts_with("windows = 65"));
        assert!(refused(|p| p.unit.tag_bits = 2).starts_with("tag-bits = 2"));
        assert!(refused(|p| p.unit.number_bits = 1).starts_with("number-bits = 1"));
        assert!(refused(|p| (p.unit.wake_mask, p.unit.counters) = (true, false)).starts_with("wake-mask = 1"));
        assert!(refused(|p| p.unit.ports = 9).starts_with("ports = 9"));
    }

    #[test]
    fn pages_do_not_overlap() {
        for (windows, words, privileged, bits) in [(1, 64, 0x4000, 15), (4, 512, 0x8000, 16), (64, 65536, 1 << 26, 27)]
        {
            let unit = Parameters { words, ..Parameters::default() };
            let parameters = BusParameters { bus: Bus::Apb, windows, unit };
            assert_eq!((parameters.privileged(), parameters.address_bits()), (privileged, bits));
            assert!(parameters.stride() * windows <= privileged);
        }
    }
}
