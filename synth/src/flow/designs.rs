//! The designs whose figures are kept in `synth/reports/`, so that a change can be seen in them. `txbar synth --all
//! --report` measures all of them anew.

use super::parts::PARTS;
use txbar_rtl::parameters::Parameters;

/// Seeds that a design is placed and routed with, if it is not so large that this takes hours.
pub const SEEDS: u32 = 5;

/// A design that is measured.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// Name of its report.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub what: &'static str,
    /// What it is built for.
    pub parameters: Parameters,
    /// A clock in MHz that it is asked for, because it can reach it; none for as much as can be.
    pub clock_mhz: Option<f64>,
    /// Seeds that it is placed and routed with, if nothing else is said: 1 to this.
    pub seeds: u32,
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
pub fn all() -> [Measured; 5] {
    let plain = Parameters::default();
    [
        Measured {
            name: "unit_1x1",
            what: "One port, one bank, 512 words; no suspended waits, no counters.",
            parameters: Parameters { ports: 1, banks: 1, waiters: 0, counters: false, ..plain },
            clock_mhz: None,
            seeds: SEEDS,
            parts: &[],
        },
        Measured {
            name: "unit_1x1_waiters",
            what: "One port, one bank, 512 words, 32 suspended waits; no counters.",
            parameters: Parameters { ports: 1, banks: 1, counters: false, ..plain },
            clock_mhz: None,
            seeds: SEEDS,
            parts: &["ecp5-85f-6"],
        },
        Measured {
            name: "unit_1x1_high_clock",
            what: "One port, one bank, 512 words; the high-clock build.",
            parameters: Parameters::high_clock(512),
            clock_mhz: None,
            seeds: SEEDS,
            parts: &["ecp5-85f-6", "ecp5-85f-8", "ice40-hx8k"],
        },
        Measured {
            name: "unit_4x8",
            what: "Four ports, eight banks, 512 words, 32 suspended waits, with counters.",
            parameters: plain,
            clock_mhz: None,
            seeds: 1,
            parts: &["ecp5-85f-6"],
        },
        Measured {
            name: "unit_4x8_high_clock",
            what: "Four ports, eight banks, 512 words, 32 suspended waits; the banked high-clock build.",
            parameters: Parameters::banked_high_clock(4, 8),
            // what speed 6 can reach: no more would come of speed 8
            clock_mhz: Some(122.0),
            seeds: 3,
            parts: &["ecp5-85f-6"],
        },
    ]
}

/// The design with these parameters, if there is one.
pub fn with(parameters: &Parameters) -> Option<Measured> {
    all().into_iter().find(|measured| measured.parameters == *parameters)
}

#[cfg(test)]
mod tests {
    use super::super::parts::Part;
    use super::*;

    #[test]
    fn every_design_can_be_built_for_its_parts() {
        for measured in all() {
            assert_eq!(measured.parameters.check(), Ok(measured.parameters), "{}", measured.name);
            assert_eq!(with(&measured.parameters).map(|found| found.name), Some(measured.name));
            assert!(measured.parts().into_iter().all(|name| Part::find(name).is_ok()), "{}", measured.name);
        }
    }
}
