//! Parameters of a cluster, and the widths that follow from them.

use crate::copies::outlet::MOVES;
use crate::hdl::{MOST_WARP_LANES, Symbol};
use crate::warp::GROUPS;
use crate::word::parameters::{Build, Design, ParameterError, Parameters, index_bits, widths_of_symbols};

/// Threads of a warp.
pub const WARP: usize = 32;
/// Maximum number of bursts in flight.
pub const MOST_BURSTS: usize = 16;

/// Parameters of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClusterParameters {
    /// The shared memory of each CTA, with 1 to 6 ports.
    pub unit: Parameters,
    /// CTAs: 1 to 8.
    pub ctas: usize,
    /// Cycles from one CTA to another: 1 to 64.
    pub link_cycles: usize,
    /// Requests to other CTAs that a port may have in flight: 1 to 64.
    pub remote_depth: usize,
    /// Warps of 32 threads in each CTA: 1 to 32.
    pub warps: usize,
    /// Threads of each CTA that may copy with `cp.async`: 1 to 64.
    pub copiers: usize,
    /// Copies and arrivals that each of them may have in flight: a power of two from 1 to 32.
    pub outstanding: usize,
    /// Bursts that may be in flight in each CTA: 1 to 16.
    pub bursts: usize,
    /// Bursts of tensor copies that may be in flight in each CTA: 1 to 16; 0 for no tensor engine.
    pub tensors: usize,
    /// Lanes of each CTA's port for warps: 1, 4, 8, 16 or 32; 0 for no such port.
    pub lanes: usize,
    /// Whether loads and stores of a warp go into all banks of its CTA at once, 4, 8 or 16 bytes a lane. Without it a load is of 64 bits,
    /// one word a cycle, and there are no stores.
    pub warp_memory: bool,
}

impl Default for ClusterParameters {
    fn default() -> Self {
        Self {
            unit: Parameters::default(),
            ctas: 2,
            link_cycles: 8,
            remote_depth: 32,
            warps: 4,
            copiers: 16,
            outstanding: 8,
            bursts: 16,
            tensors: 0,
            lanes: 0,
            warp_memory: false,
        }
    }
}

impl ClusterParameters {
    /// Request ports of each CTA's threads: one each, and one for the warps, if present.
    pub fn askers(&self) -> usize {
        self.unit.ports + (self.lanes > 0) as usize
    }

    /// The memory of a CTA with the ports of its threads and warps.
    pub fn asked_unit(&self) -> Parameters {
        Parameters { ports: self.askers(), ..self.unit }
    }

    /// Ports of each CTA's memory: those of its threads and warps, one for the network if there are several CTAs, and one for the copies,
    /// in this order.
    pub fn unit_ports(&self) -> usize {
        self.askers() + (self.ctas > 1) as usize + 1
    }

    /// Index of the copies' port.
    pub fn copy_port(&self) -> usize {
        self.unit_ports() - 1
    }

    /// The memory of a CTA, with all its ports.
    pub fn built_unit(&self) -> Parameters {
        let ports = self.unit_ports();
        Parameters { ports, waiters: self.asked_unit().entries() * ports, ..self.unit }
    }

    /// Entries of the queue at the end of a link: enough for one request a cycle, with credits returning one a cycle.
    pub fn link_depth(&self) -> usize {
        (2 * self.link_cycles + 2).next_power_of_two()
    }

    /// Locations in the memory of every queue of the cluster: those of the deepest.
    pub fn fifo_places(&self) -> usize {
        self.link_depth().max(self.remote_depth).max(self.unit.queue_depth).max(MOVES).next_power_of_two()
    }

    /// Width of a burst number at a CTA's port to global memory. With a tensor engine the highest bit selects the engine.
    pub fn memory_bits(&self) -> usize {
        match self.tensors {
            0 => index_bits(self.bursts),
            tensors => index_bits(self.bursts).max(index_bits(tensors + 1)) + 1,
        }
    }

    /// Threads of a CTA.
    pub fn threads(&self) -> usize {
        self.warps * WARP
    }

    /// Cycles from the acceptance of a request to another CTA to its answer, without contention.
    pub fn remote_latency(&self) -> usize {
        2 * self.link_cycles + 7
    }

    /// Checks the parameters; an error names the parameter.
    pub fn check(self) -> Result<Self, ParameterError> {
        self.unit.check()?;
        let refuse = |name, value, rule| Err(ParameterError { name, value, rule });
        if self.unit.build != Build::LowLatency {
            return refuse("ctas", self.ctas, "the high-clock build is no part of a cluster");
        }
        if self.unit.wake_mask && self.lanes > 0 {
            return refuse("wake-mask", 1, "beside a port for warps waits are answered: it must be off");
        }
        if self.warp_memory && self.lanes == 0 {
            return refuse("warp-memory", 1, "without a port for warps it must be off");
        }
        if self.warp_memory && self.unit.banks < 2 {
            return refuse("banks", self.unit.banks, "loads and stores of warps need 2 or more");
        }
        let within = [
            ("ports", self.unit.ports, 1..=6, "in a cluster it must be from 1 to 6"),
            ("ctas", self.ctas, 1..=8, "it must be from 1 to 8"),
            ("link-cycles", self.link_cycles, 1..=64, "it must be from 1 to 64"),
            ("remote-depth", self.remote_depth, 1..=64, "it must be from 1 to 64"),
            ("warps", self.warps, 1..=32, "it must be from 1 to 32"),
            ("copiers", self.copiers, 1..=64, "it must be from 1 to 64"),
            ("outstanding", self.outstanding, 1..=32, "it must be a power of two from 1 to 32"),
            ("bursts", self.bursts, 1..=MOST_BURSTS, "it must be from 1 to 16"),
        ];
        for (name, value, range, rule) in within {
            if !range.contains(&value) {
                return refuse(name, value, rule);
            }
        }
        if !self.outstanding.is_power_of_two() {
            return refuse("outstanding", self.outstanding, "it must be a power of two from 1 to 32");
        }
        if self.tensors > MOST_BURSTS {
            return refuse("tensors", self.tensors, "it must be from 1 to 16, or 0 for none");
        }
        if self.tensors > 0 && !(128..=1 << 19).contains(&self.unit.bytes()) {
            return refuse(
                "words",
                self.unit.words,
                "an engine for tensor copies needs a memory of 128 bytes to 512 KiB",
            );
        }
        if self.lanes > 0 {
            if !self.lanes.is_power_of_two() || self.lanes == 2 || self.lanes > MOST_WARP_LANES {
                return refuse("lanes", self.lanes, "a warp has 1, 4, 8, 16 or 32");
            }
            if self.askers() > 6 {
                return refuse("ports", self.unit.ports, "beside a port for warps in a cluster it must be from 1 to 5");
            }
            if self.unit.tag_bits < GROUPS.ilog2() as usize + self.unit.number_bits {
                return refuse(
                    "tag-bits",
                    self.unit.tag_bits,
                    "a port for warps needs 5 or more, and those of number-bits",
                );
            }
        }
        Ok(self)
    }
}

widths_of_symbols!(ClusterParameters);

impl Design for ClusterParameters {
    fn width(&self, symbol: Symbol) -> usize {
        match symbol {
            Symbol::Ports | Symbol::Effects => self.unit_ports(),
            Symbol::Entries => self.asked_unit().entries(),
            Symbol::EntryIndex => self.asked_unit().width(Symbol::EntryIndex),
            Symbol::Ctas => self.ctas,
            Symbol::Warps => self.warps,
            Symbol::WarpIndex => index_bits(self.warps),
            Symbol::ThreadCount => index_bits(self.threads() + 1),
            Symbol::Copiers => self.copiers,
            Symbol::CopierIndex => index_bits(self.copiers),
            Symbol::Turn => index_bits(self.outstanding),
            Symbol::Turns => self.outstanding,
            Symbol::Bursts => self.bursts,
            Symbol::BurstIndex => index_bits(self.bursts),
            Symbol::TensorBursts => self.tensors,
            Symbol::TensorIndex => index_bits(self.tensors + 1),
            Symbol::MemoryIndex => self.memory_bits(),
            Symbol::Users => self.unit.ports,
            Symbol::Askers => self.askers(),
            Symbol::WarpLanes => self.lanes,
            Symbol::FifoIndex => index_bits(self.fifo_places()),
            Symbol::FifoCount => index_bits(self.fifo_places() + 1),
            other => self.unit.width(other),
        }
    }

    fn list(&self) -> Vec<(&'static str, String)> {
        let Self { unit, ctas, link_cycles, remote_depth, warps, copiers, outstanding, bursts, .. } = *self;
        let own = [
            ("ctas", ctas),
            ("link-cycles", link_cycles),
            ("remote-depth", remote_depth),
            ("warps", warps),
            ("copiers", copiers),
            ("outstanding", outstanding),
            ("bursts", bursts),
        ];
        let optional = [("tensors", self.tensors), ("lanes", self.lanes)].into_iter().filter(|(_, value)| *value > 0);
        let numbers = own.into_iter().chain(optional).map(|(name, value)| (name, value.to_string()));
        let memory = self.warp_memory.then(|| ("warp-memory", true.to_string()));
        numbers.chain(memory).chain(unit.list()).collect()
    }

    /// `k2_l8_r32_v4_x16_o8_s16` before the label of the unit; `_t16` behind it with an engine for tensor copies, `_w32` with a
    /// port for warps, `_w32_m` if they load and store.
    fn label(&self) -> String {
        let Self { unit, ctas, link_cycles, remote_depth, warps, copiers, outstanding, bursts, tensors, lanes, .. } =
            *self;
        let memory = if self.warp_memory { "_m" } else { "" };
        let warped = if lanes > 0 { format!("_w{lanes}{memory}") } else { String::new() };
        let tensor = if tensors > 0 { format!("_t{tensors}") } else { String::new() };
        let (unit, copies) = (unit.label(), format!("x{copiers}_o{outstanding}_s{bursts}{tensor}"));
        format!("k{ctas}_l{link_cycles}_r{remote_depth}_v{warps}_{copies}{warped}_{unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_parameters_are_refused_by_name() {
        let refused = |change: fn(&mut ClusterParameters)| {
            let mut parameters = ClusterParameters::default();
            change(&mut parameters);
            parameters.check().expect_err("cannot be built").to_string()
        };
        assert_eq!(refused(|p| p.ctas = 9), "ctas = 9 cannot be built: it must be from 1 to 8");
        assert!(refused(|p| p.unit.ports = 7).starts_with("ports = 7"));
        assert!(refused(|p| p.unit.banks = 3).starts_with("banks = 3"));
        assert!(refused(|p| p.link_cycles = 0).starts_with("link-cycles = 0"));
        assert!(refused(|p| p.outstanding = 3).starts_with("outstanding = 3"));
        assert!(refused(|p| p.bursts = 17).starts_with("bursts = 17"));
        assert!(refused(|p| p.tensors = 17).starts_with("tensors = 17"));
        assert!(refused(|p| p.lanes = 2).starts_with("lanes = 2"));
        assert!(refused(|p| (p.lanes, p.unit.ports) = (32, 6)).starts_with("ports = 6"));
        assert!(refused(|p| (p.lanes, p.unit.tag_bits, p.unit.number_bits) = (32, 6, 2)).starts_with("tag-bits = 6"));
        assert!(
            refused(|p| (p.lanes, p.unit.wake_mask, p.unit.counters) = (32, true, false)).starts_with("wake-mask = 1")
        );
        assert!(refused(|p| p.warp_memory = true).starts_with("warp-memory = 1"));
        assert!(refused(|p| (p.lanes, p.warp_memory, p.unit.banks) = (32, true, 1)).starts_with("banks = 1"));
        assert!(ClusterParameters::default().check().is_ok());
    }

    #[test]
    fn a_cluster_of_one_has_no_network() {
        let parameters = ClusterParameters { ctas: 1, ..ClusterParameters::default() };
        assert_eq!((parameters.unit_ports(), parameters.copy_port()), (5, 4));
        assert_eq!(ClusterParameters::default().unit_ports(), 6);
        let warped = ClusterParameters { lanes: 32, ..parameters };
        assert_eq!((warped.askers(), warped.unit_ports(), warped.copy_port()), (5, 6, 5));
    }
}
