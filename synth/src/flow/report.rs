//! Readers of tool reports: nextpnr's clocks and critical paths, and Yosys's cell counts.

use super::FlowError;
use super::parts::{Family, Resource};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// nextpnr's report (`--report`), as far as it is used.
#[derive(Clone, Debug, Deserialize)]
pub struct Report {
    /// Every clock, by the name of its net.
    pub fmax: BTreeMap<String, Clock>,
    /// The longest path from each clock to each.
    pub critical_paths: Vec<CriticalPath>,
    /// What of the part is used, by nextpnr's name of the resource.
    pub utilization: BTreeMap<String, Used>,
}

/// A clock, in MHz.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
pub struct Clock {
    /// The fastest that it can be.
    pub achieved: f64,
    /// What it was asked to be.
    pub constraint: f64,
}

/// A resource of the part.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub struct Used {
    /// Number available.
    pub available: u64,
    /// Number used.
    pub used: u64,
}

/// A path through the logic.
#[derive(Clone, Debug, Deserialize)]
pub struct CriticalPath {
    /// Edge and clock where it begins.
    pub from: String,
    /// Edge and clock where it ends.
    pub to: String,
    /// Its steps: through a cell, or along a net.
    pub path: Vec<Step>,
}

/// A step of a path.
#[derive(Clone, Debug, Deserialize)]
pub struct Step {
    /// `clk-to-q`, `source`, `logic`, `routing` or `setup`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Delay in ns.
    pub delay: f64,
    /// Start.
    pub from: Place,
    /// End.
    pub to: Place,
    /// The net, if it goes along one.
    pub net: Option<String>,
}

/// A pin of a cell.
#[derive(Clone, Debug, Deserialize)]
pub struct Place {
    /// Name of the cell.
    pub cell: String,
}

impl Report {
    /// Reads a report.
    ///
    /// # Errors
    /// It is none.
    pub fn parse(text: &str) -> Result<Self, FlowError> {
        serde_json::from_str(text).map_err(|error| FlowError::Unreadable { what: "nextpnr's report", error })
    }

    /// The clock that misses most of what it was asked for, with its name; nothing if there are no registers.
    pub fn slowest(&self) -> Option<(&str, Clock)> {
        let missed = |clock: &Clock| clock.achieved / clock.constraint;
        let clocks = self.fmax.iter().map(|(name, clock)| (name.as_str(), *clock));
        clocks.min_by(|(_, one), (_, other)| missed(one).total_cmp(&missed(other)))
    }

    /// The longest path between registers of that clock; empty if there is none.
    pub fn critical_path(&self, clock: &str) -> &[Step] {
        let of_clock = |edge: &str| edge.split_once(' ').is_some_and(|(_, name)| name == clock);
        let length = |path: &&CriticalPath| path.path.iter().map(|step| step.delay).sum::<f64>();
        let paths = self.critical_paths.iter().filter(|path| of_clock(&path.from) && of_clock(&path.to));
        paths.max_by(|one, other| length(one).total_cmp(&length(other))).map_or(&[], |path| &path.path)
    }
}

/// Cells of a netlist.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cells {
    /// Look-up tables of four inputs.
    pub lut4: u64,
    /// Flip-flops.
    pub ff: u64,
    /// Block RAMs.
    pub bram: u64,
    /// Carry cells.
    pub carry: u64,
    /// Memories made of look-up tables.
    pub lut_ram: u64,
}

impl Cells {
    /// Counts what Yosys' `stat -json` lists.
    ///
    /// # Errors
    /// It is no such list.
    pub fn parse(text: &str, family: &Family) -> Result<Self, FlowError> {
        #[derive(Deserialize)]
        struct Statistics {
            design: Design,
        }
        #[derive(Deserialize)]
        struct Design {
            num_cells_by_type: BTreeMap<String, u64>,
        }
        let statistics: Statistics = serde_json::from_str(text)
            .map_err(|error| FlowError::Unreadable { what: "Yosys' count of cells", error })?;
        let mut cells = Self::default();
        for (name, number) in statistics.design.num_cells_by_type {
            let Some((resource, times)) = family.count(&name) else { continue };
            let count = match resource {
                Resource::Lut4 => &mut cells.lut4,
                Resource::FlipFlop => &mut cells.ff,
                Resource::BlockRam => &mut cells.bram,
                Resource::Carry => &mut cells.carry,
                Resource::LutRam => &mut cells.lut_ram,
            };
            *count += number * times;
        }
        Ok(cells)
    }
}

#[cfg(test)]
mod tests {
    use super::super::parts::Part;
    use super::*;

    #[test]
    fn cells_are_counted_by_family() {
        let text = r#"{"creator": "Yosys", "design": {"num_wires": 9, "num_cells_by_type": {
            "$scopeinfo": 10, "CCU2C": 166, "DP16KD": 2, "L6MUX21": 3, "LUT4": 1478, "PFUMX": 267,
            "TRELLIS_DPR16X4": 20, "TRELLIS_FF": 1097}}}"#;
        let ecp5 = Part::find("ecp5-85f-6").expect("it is in the table").family;
        let cells = Cells::parse(text, ecp5).expect("it is a count");
        assert_eq!(cells, Cells { lut4: 1478, ff: 1097, bram: 2, carry: 166, lut_ram: 20 });
        let ice40 = Part::find("ice40-up5k").expect("it is in the table").family;
        let text = r#"{"design": {"num_cells_by_type": {"SB_DFF": 3, "SB_DFFESR": 4, "SB_LUT4": 5, "SB_CARRY": 6}}}"#;
        let cells = Cells::parse(text, ice40).expect("it is a count");
        assert_eq!(cells, Cells { lut4: 5, ff: 7, carry: 6, ..Cells::default() });
        let error = Cells::parse("{}", ice40).expect_err("nothing is counted").to_string();
        assert!(error.starts_with("cannot read Yosys' count of cells"), "{error}");
    }

    #[test]
    fn the_slowest_clock_and_its_path_are_found() {
        let step = |kind: &str, delay: f64| {
            format!(r#"{{"type": "{kind}", "delay": {delay}, "from": {{"cell": "a"}}, "to": {{"cell": "b"}}}}"#)
        };
        let path = |from: &str, to: &str, delay: f64| {
            format!(r#"{{"from": "{from}", "to": "{to}", "path": [{}]}}"#, step("clk-to-q", delay))
        };
        let text = format!(
            r#"{{"fmax": {{"fast": {{"achieved": 90, "constraint": 100}}, "slow": {{"achieved": 30, "constraint": 25}}}},
                "utilization": {{"LUT": {{"available": 9, "used": 4}}}}, "critical_paths": [{}, {}, {}]}}"#,
            path("<async>", "posedge fast", 50.0),
            path("posedge slow", "posedge slow", 33.0),
            path("posedge fast", "posedge fast", 11.0),
        );
        let report = Report::parse(&text).expect("it is a report");
        let (name, clock) = report.slowest().expect("there are clocks");
        assert_eq!((name, clock), ("fast", Clock { achieved: 90.0, constraint: 100.0 }), "it misses its constraint");
        assert_eq!(report.critical_path(name)[0].delay, 11.0);
        assert_eq!(report.critical_path("slow")[0].delay, 33.0);
        assert!(report.critical_path("none").is_empty());
        assert_eq!(report.utilization["LUT"], Used { available: 9, used: 4 });
        assert!(Report::parse("{\"fmax\": {}}").is_err());
    }
}
