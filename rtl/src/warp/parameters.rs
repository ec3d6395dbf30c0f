//! What a unit with ports for warps is built for.

use super::GROUPS;
use crate::hdl::{MOST_WARP_LANES, Symbol};
use crate::word::parameters::{Build, Design, ParameterError, Parameters, widths_of_symbols};

/// What a unit with ports for warps is built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WarpParameters {
    /// The unit, with its ports for single threads.
    pub unit: Parameters,
    /// Lanes of a warp: 1, 4, 8, 16 or 32.
    pub lanes: usize,
    /// Ports for warps: 1 to 4.
    pub warp_ports: usize,
    /// Whether loads and stores of a warp go into all banks at once, 4, 8 or 16 bytes a lane. Without it a load is of 64 bits, one word a
    /// cycle, and there are no stores.
    pub memory: bool,
}

impl Default for WarpParameters {
    fn default() -> Self {
        Self { unit: Parameters { ports: 1, ..Parameters::DEFAULT }, lanes: 32, warp_ports: 1, memory: false }
    }
}

impl WarpParameters {
    /// The unit with all its ports: those of threads first.
    pub fn inner(&self) -> Parameters {
        Parameters { ports: self.unit.ports + self.warp_ports, ..self.unit }
    }

    /// Refuses what cannot be built, by name.
    ///
    /// # Errors
    /// Names the parameter.
    pub fn check(self) -> Result<Self, ParameterError> {
        let refuse = |name, value, rule| Err(ParameterError { name, value, rule });
        if !self.lanes.is_power_of_two() || self.lanes == 2 || self.lanes > MOST_WARP_LANES {
            return refuse("lanes", self.lanes, "a warp has 1, 4, 8, 16 or 32");
        }
        if !(1..=4).contains(&self.warp_ports) {
            return refuse("warp-ports", self.warp_ports, "it must be from 1 to 4");
        }
        if self.unit.build != Build::LowLatency {
            return refuse("lanes", self.lanes, "only the low-latency build has ports for warps");
        }
        self.unit.check()?;
        if self.unit.wake_mask {
            return refuse("wake-mask", 1, "beside ports for warps waits are answered: it must be off");
        }
        if self.unit.ports + self.warp_ports > 8 {
            return refuse(
                "warp-ports",
                self.warp_ports,
                "there are 8 ports at most, those of single threads among them",
            );
        }
        if 1 << self.unit.tag_bits < GROUPS {
            return refuse("tag-bits", self.unit.tag_bits, "a port for warps needs 5 or more");
        }
        if self.unit.number_bits > 0 {
            return refuse("number-bits", self.unit.number_bits, "it must be 0 beside ports for warps");
        }
        if self.memory && self.unit.banks < 2 {
            return refuse("banks", self.unit.banks, "loads and stores of warps need 2 or more");
        }
        Ok(self)
    }
}

widths_of_symbols!(WarpParameters);

impl Design for WarpParameters {
    fn width(&self, symbol: Symbol) -> usize {
        match symbol {
            Symbol::WarpLanes => self.lanes,
            Symbol::Users => self.unit.ports,
            other => self.inner().width(other),
        }
    }

    fn list(&self) -> Vec<(&'static str, String)> {
        let own =
            [("lanes", self.lanes), ("warp-ports", self.warp_ports)].map(|(name, value)| (name, value.to_string()));
        let memory = self.memory.then(|| ("warp-memory", true.to_string()));
        self.unit.list().into_iter().chain(own).chain(memory).collect()
    }

    fn label(&self) -> String {
        let memory = if self.memory { "_m" } else { "" };
        format!("l{}_r{}{memory}_{}", self.lanes, self.warp_ports, self.unit.label())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_parameters_are_refused_by_name() {
        let refused = |change: fn(&mut WarpParameters)| {
            let mut parameters = WarpParameters::default();
            change(&mut parameters);
            parameters.check().expect_err("cannot be built").to_string()
        };
        assert!(WarpParameters::default().check().is_ok());
        for lanes in [1, 4, 8, 16, 32] {
            assert!(WarpParameters { lanes, ..WarpParameters::default() }.check().is_ok());
        }
        assert_eq!(refused(|p| p.lanes = 2), "lanes = 2 cannot be built: a warp has 1, 4, 8, 16 or 32");
        assert!(refused(|p| p.lanes = 64).starts_with("lanes = 64"));
        assert!(refused(|p| p.warp_ports = 0).starts_with("warp-ports = 0"));
        assert!(refused(|p| (p.unit.ports, p.warp_ports) = (7, 2)).starts_with("warp-ports = 2"));
        assert!(refused(|p| p.unit.tag_bits = 4).starts_with("tag-bits = 4"));
        assert!(refused(|p| p.unit.number_bits = 1).starts_with("number-bits = 1"));
        assert!(refused(|p| p.unit = Parameters::high_clock(512)).contains("only the low-latency build"));
        assert!(refused(|p| p.unit.banks = 3).starts_with("banks = 3"));
        assert!(refused(|p| (p.memory, p.unit.banks) = (true, 1)).starts_with("banks = 1"));
    }
}
