//! The designs whose figures are kept in `synth/reports/`, so that a change can be seen in them. `txbar synth --all
//! --reports` measures all of them anew.

use super::parts::PARTS;
use txbar_export::verilog::{self, Engine, Export, PrefixError};
use txbar_rtl::bus::parameters::{Bus, BusParameters};
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::parameters::{Design, Parameters};
use txbar_rtl::warp::parameters::WarpParameters;

/// Seeds that a design is placed and routed with, if it is not so large that this takes hours.
pub const SEEDS: u32 = 5;

/// Parameters of a design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuiltFor {
    /// A unit.
    Unit(Parameters),
    /// A unit with ports for warps.
    Warps(WarpParameters),
    /// A unit behind a bus.
    Bus(BusParameters),
    /// An engine of a CTA, by itself.
    Engine(Engine, ClusterParameters),
}

impl BuiltFor {
    /// Its Verilog; see [`verilog::unit()`].
    ///
    /// # Errors
    /// As [`verilog::unit()`].
    pub fn export(&self, prefix: &str) -> Result<Export, PrefixError> {
        match self {
            BuiltFor::Unit(parameters) => verilog::unit(parameters, prefix),
            BuiltFor::Warps(parameters) => verilog::warp_unit(parameters, prefix),
            BuiltFor::Bus(parameters) => verilog::bus_unit(parameters, prefix),
            BuiltFor::Engine(engine, parameters) => verilog::engine(*engine, parameters, prefix),
        }
    }

    /// What it is called in names of files.
    pub fn label(&self) -> String {
        match self {
            BuiltFor::Unit(parameters) => parameters.label(),
            BuiltFor::Warps(parameters) => parameters.label(),
            BuiltFor::Bus(parameters) => parameters.label(),
            BuiltFor::Engine(_, parameters) => parameters.label(),
        }
    }
}

/// A design that is measured.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// Name of its report.
    pub name: &'static str,
    /// Description, in one sentence.
    pub what: &'static str,
    /// Parameters of the design.
    pub built_for: BuiltFor,
    /// A clock in MHz that it is asked for, because it can reach it; none for as much as can be.
    pub clock_mhz: Option<f64>,
    /// Seeds that it is placed and routed with, if nothing else is said: 1 to this.
    pub seeds: u32,
    /// Whether it is built without the steps of this flow: see [`super::Source::plain`].
    pub plain: bool,
    /// Names of the parts; all if none is named.
    parts: &'static [&'static str],
}

impl Measured {
    /// Names of the parts that it is measured on.
    pub fn parts(&self) -> Vec<&'static str> {
        if self.parts.is_empty() { PARTS.iter().map(|part| part.name).collect() } else { self.parts.to_vec() }
    }
}

/// Every design.
pub fn all() -> [Measured; 16] {
    let plain = Parameters::default();
    let small = Parameters { ports: 1, banks: 1, waiters: 0, counters: false, ..plain };
    let measured = |name, what, built_for| Measured {
        name,
        what,
        built_for,
        clock_mhz: None,
        seeds: 1,
        plain: false,
        parts: &["ecp5-85f-6"],
    };
    let warps = |name, what, lanes| {
        let unit = Parameters { whole_groups: false, ..small };
        measured(name, what, BuiltFor::Warps(WarpParameters { unit, lanes, ..WarpParameters::default() }))
    };
    let engine = |name, what, engine| {
        let unit = Parameters { words: 8192, ..plain };
        let parameters = ClusterParameters { unit, tensors: 16, ..ClusterParameters::default() };
        Measured { seeds: SEEDS, ..measured(name, what, BuiltFor::Engine(engine, parameters)) }
    };
    let bus = |name, what, bus| {
        let unit = Parameters { ports: 1, banks: 1, waiters: 8, tag_bits: 4, counters: false, ..plain };
        Measured { seeds: SEEDS, ..measured(name, what, BuiltFor::Bus(BusParameters { bus, windows: 4, unit })) }
    };
    let one = Parameters { ports: 1, banks: 1, counters: false, ..plain };
    [
        Measured {
            seeds: SEEDS,
            parts: &[],
            ..measured(
                "unit_1x1",
                "One port, one bank, 512 words; no suspended waits, no counters.",
                BuiltFor::Unit(small),
            )
        },
        Measured {
            seeds: SEEDS,
            plain: true,
            ..measured(
                "unit_1x1_plain",
                "One port, one bank, 512 words; no suspended waits, no counters: Yosys's `synth_ecp5` and nextpnr's defaults, its cells also without the wrapper.",
                BuiltFor::Unit(small),
            )
        },
        Measured {
            seeds: SEEDS,
            ..measured(
                "unit_1x1_waiters",
                "One port, one bank, 512 words, 32 suspended waits; no counters.",
                BuiltFor::Unit(one),
            )
        },
        Measured {
            seeds: SEEDS,
            ..measured(
                "unit_1x1_wake_mask",
                "One port, one bank, 512 words, 32 suspended waits, their ends reported as masks of threads; no counters.",
                BuiltFor::Unit(Parameters { wake_mask: true, ..one }),
            )
        },
        Measured {
            seeds: SEEDS,
            parts: &["ecp5-85f-6", "ecp5-85f-8", "ice40-hx8k"],
            ..measured(
                "unit_1x1_high_clock",
                "One port, one bank, 512 words; the high-clock build.",
                BuiltFor::Unit(Parameters::high_clock(512)),
            )
        },
        measured(
            "unit_4x8",
            "Four ports, eight banks, 512 words, 32 suspended waits, with counters: the unit without options.",
            BuiltFor::Unit(plain),
        ),
        measured(
            "unit_4x8_split",
            "The same; groups of arrivals that a phase ends in are split.",
            BuiltFor::Unit(Parameters { whole_groups: false, ..plain }),
        ),
        Measured {
            // what speed 6 can reach: no more would come of speed 8
            clock_mhz: Some(112.0),
            ..measured(
                "unit_4x8_high_clock",
                "Four ports, eight banks, 512 words, 32 suspended waits; the banked high-clock build.",
                BuiltFor::Unit(Parameters::banked_high_clock(4, 8)),
            )
        },
        warps(
            "warp_unit_4",
            "One bank, 512 words, a port for threads and one for warps of 4 lanes; no suspended waits, no counters.",
            4,
        ),
        warps(
            "warp_unit_8",
            "One bank, 512 words, a port for threads and one for warps of 8 lanes; no suspended waits, no counters.",
            8,
        ),
        warps(
            "warp_unit_32",
            "One bank, 512 words, a port for threads and one for warps of 32 lanes; no suspended waits, no counters.",
            32,
        ),
        bus(
            "unit_axi_lite",
            "One port behind AXI4-Lite with four windows, one bank, 512 words, 8 suspended waits; no counters.",
            Bus::AxiLite,
        ),
        bus(
            "unit_wishbone",
            "One port behind Wishbone with four windows, one bank, 512 words, 8 suspended waits; no counters.",
            Bus::Wishbone,
        ),
        engine(
            "tensor_engine",
            "The tensor engine of a CTA with 64 KiB of shared memory, 16 bursts in flight; loads, stores and reductions in tile mode.",
            Engine::Tensor,
        ),
        engine(
            "copier",
            "The copy engine of a CTA with 64 KiB of shared memory: bulk copies, and `cp.async` of 16 threads with 8 outstanding each, 16 bursts in flight.",
            Engine::Copier,
        ),
        engine(
            "sender",
            "Copies out of the 64 KiB of shared memory of a CTA, with the bulk groups of 16 threads and 16 bursts in flight; two CTAs.",
            Engine::Sender,
        ),
    ]
}

/// The design of this name, if there is one.
pub fn find(name: &str) -> Option<Measured> {
    all().into_iter().find(|measured| measured.name == name)
}

/// The design that is built for this with the steps of this flow, if there is one.
pub fn with(built_for: &BuiltFor) -> Option<Measured> {
    all().into_iter().find(|measured| !measured.plain && measured.built_for == *built_for)
}

#[cfg(test)]
mod tests {
    use super::super::parts::Part;
    use super::*;

    #[test]
    fn every_design_can_be_built_for_its_parts() {
        for measured in all() {
            let checked = match measured.built_for {
                BuiltFor::Unit(parameters) => parameters.check().map(BuiltFor::Unit),
                BuiltFor::Warps(parameters) => parameters.check().map(BuiltFor::Warps),
                BuiltFor::Bus(parameters) => parameters.check().map(BuiltFor::Bus),
                BuiltFor::Engine(engine, parameters) => parameters.check().map(|it| BuiltFor::Engine(engine, it)),
            };
            assert_eq!(checked, Ok(measured.built_for), "{}", measured.name);
            let found = with(&measured.built_for).map(|found| found.name);
            assert_eq!(found == Some(measured.name), !measured.plain, "{}", measured.name);
            assert!(measured.parts().into_iter().all(|name| Part::find(name).is_ok()), "{}", measured.name);
        }
    }
}
