//! Duplicates the logic of endpoints with too many levels, so that each is mapped separately.
//!
//! abc shares logic, and restructures only what it does not share. So where a design has two levels of tables all over, a
//! handful of its registers get a third one, though each could do with two if it were alone; and since abc makes no path
//! shorter than the longest, hundreds follow. Here each such register gets a copy of all tables in front of it, which abc
//! then maps anew, one register at a time.
//!
//! ```text
//!   before:  a ─►[ ]─┬─►[ ]─►[ ]─► register        after:  a ─►[ ]─►[ ]─► register
//!                    └─► other                             a ─►[ ]─► other
//! ```

use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// Levels of tables that every endpoint shall have at most.
const LEVELS: usize = 2;

/// Name of the net in front of the endpoint with this number.
pub fn name(endpoint: usize) -> String {
    format!("$cone${endpoint}")
}

/// A netlist in Yosys' JSON with `table` cells of four inputs (`A` to `D`, `Z`, `INIT`): the same netlist, in which every endpoint
/// of more than two levels has tables of its own, as `$lut` cells behind nets that are called by [`name`]; and how many
/// endpoints those are. Nothing if there is none.
pub fn separated(netlist: &str, top: &str, table: &str) -> Result<Option<(String, usize)>, serde_json::Error> {
    let mut netlist: Value = serde_json::from_str(netlist)?;
    let Some(module) = netlist["modules"][top].as_object_mut() else { return Ok(None) };
    let Some(cells) = module.get("cells").and_then(Value::as_object) else { return Ok(None) };
    let mut cones = Cones::of(cells, table);
    // the bits that something else than a table reads
    let mut read: Vec<u64> = cells
        .values()
        .filter(|cell| cell["type"] != table)
        .flat_map(|cell| inputs(cell).map(|(_, bit)| bit))
        .filter(|bit| cones.tables.contains_key(bit))
        .collect();
    read.sort_unstable();
    read.dedup();
    let deep: Vec<u64> = read.iter().copied().filter(|&bit| cones.levels(bit) > LEVELS).collect();
    if deep.is_empty() {
        return Ok(None);
    }
    let mut added = Map::new();
    let copies: HashMap<u64, u64> = deep.iter().map(|&bit| (bit, cones.copy(bit, &mut added))).collect();
    let mut nets = Map::new();
    for (endpoint, bit) in deep.iter().enumerate() {
        nets.insert(name(endpoint), json!({ "hide_name": 1, "bits": [copies[bit]], "attributes": {} }));
    }
    let Some(cells) = module.get_mut("cells").and_then(Value::as_object_mut) else { return Ok(None) };
    for cell in cells.values_mut().filter(|cell| cell["type"] != table) {
        let places: Vec<(String, u64)> = inputs(cell).filter(|(_, bit)| copies.contains_key(bit)).collect();
        for (pin, bit) in places {
            for value in cell["connections"][&pin].as_array_mut().into_iter().flatten() {
                if value.as_u64() == Some(bit) {
                    *value = copies[&bit].into();
                }
            }
        }
    }
    cells.append(&mut added);
    if let Some(names) = module.get_mut("netnames").and_then(Value::as_object_mut) {
        names.append(&mut nets);
    }
    // the library's cells come without the names of their parameters: Yosys has to read them anew
    if let Some(modules) = netlist["modules"].as_object_mut() {
        modules.retain(|name, _| name == top);
    }
    Ok(Some((netlist.to_string(), deep.len())))
}

/// The bits that a cell reads, each with the pin that it reads it at.
fn inputs(cell: &Value) -> impl Iterator<Item = (String, u64)> + '_ {
    let pins = cell["port_directions"].as_object().into_iter().flatten().filter(|(_, way)| *way == "input");
    pins.flat_map(|(pin, _)| {
        let bits = cell["connections"][pin].as_array().into_iter().flatten();
        bits.filter_map(Value::as_u64).map(|bit| (pin.clone(), bit))
    })
}

/// The tables of a netlist.
struct Cones {
    /// The inputs of each, constants among them, and its contents; by the bit that it drives.
    tables: HashMap<u64, ([Value; 4], Value)>,
    /// Levels of tables up to a bit, for those that have been asked for.
    known: HashMap<u64, usize>,
    /// The next bit that nobody has.
    next: u64,
}

impl Cones {
    fn of(cells: &Map<String, Value>, table: &str) -> Self {
        let all = cells.values().flat_map(|cell| cell["connections"].as_object().into_iter().flatten());
        let bits = all.flat_map(|(_, bits)| bits.as_array().into_iter().flatten().filter_map(Value::as_u64));
        let next = bits.max().unwrap_or(0) + 1;
        let tables = cells.values().filter(|cell| cell["type"] == table).filter_map(|cell| {
            let pin = |name: &str| cell["connections"][name][0].clone();
            Some((pin("Z").as_u64()?, (["A", "B", "C", "D"].map(pin), cell["parameters"]["INIT"].clone())))
        });
        Self { tables: tables.collect(), known: HashMap::new(), next }
    }

    /// Tables on the longest way to a bit.
    fn levels(&mut self, bit: u64) -> usize {
        if let Some(&levels) = self.known.get(&bit) {
            return levels;
        }
        let Some((pins, _)) = self.tables.get(&bit) else { return 0 };
        let before: Vec<u64> = pins.iter().filter_map(Value::as_u64).collect();
        let levels = 1 + before.into_iter().map(|input| self.levels(input)).max().unwrap_or(0);
        self.known.insert(bit, levels);
        levels
    }

    /// Adds copies of all tables in front of a bit. The bit that the last of them drives.
    fn copy(&mut self, bit: u64, added: &mut Map<String, Value>) -> u64 {
        let Some((pins, contents)) = self.tables.get(&bit).cloned() else { return bit };
        let pins = pins.map(|pin| pin.as_u64().map_or(pin, |input| self.copy(input, added).into()));
        let output = self.next;
        self.next += 1;
        let cell = json!({
            "hide_name": 1, "type": "$lut", "attributes": {},
            "parameters": { "WIDTH": "00000000000000000000000000000100", "LUT": contents },
            "port_directions": { "A": "input", "Y": "output" },
            "connections": { "A": pins, "Y": [output] },
        });
        added.insert(format!("$copy${output}"), cell);
        output
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain of this many tables into a register, and this many registers behind a table each.
    fn netlist(levels: u64, others: u64) -> String {
        let mut cells = Map::new();
        let mut table = |input: u64, output: u64| {
            let cell = json!({
                "type": "LUT4", "parameters": { "INIT": "1000000000000000" },
                "port_directions": { "A": "input", "B": "input", "C": "input", "D": "input", "Z": "output" },
                "connections": { "A": [input], "B": [2], "C": ["0"], "D": ["1"], "Z": [output] },
            });
            cells.insert(format!("t{output}"), cell);
        };
        for level in 0..levels {
            table(10 + level, 11 + level);
        }
        for other in 0..others {
            table(3, 100 + other);
        }
        let mut register = |input: u64, output: u64| {
            let cell = json!({
                "type": "FF", "parameters": {}, "port_directions": { "D": "input", "Q": "output" },
                "connections": { "D": [input], "Q": [output] },
            });
            cells.insert(format!("r{output}"), cell);
        };
        register(10 + levels, 500);
        for other in 0..others {
            register(100 + other, 600 + other);
        }
        json!({ "modules": { "top": { "cells": cells, "netnames": {} } } }).to_string()
    }

    fn separate(netlist: &str) -> Option<(Value, usize)> {
        let result = separated(netlist, "top", "LUT4").expect("it is JSON");
        result.map(|(text, deep)| (serde_json::from_str(&text).expect("it is JSON"), deep))
    }

    #[test]
    fn an_endpoint_of_three_levels_gets_tables_of_its_own() {
        let (after, deep) = separate(&netlist(3, 20)).expect("there is one");
        assert_eq!(deep, 1);
        let top = &after["modules"]["top"];
        let cells = top["cells"].as_object().expect("there are cells");
        let copies: Vec<&Value> = cells.values().filter(|cell| cell["type"] == "$lut").collect();
        assert_eq!(copies.len(), 3);
        let last = &top["netnames"]["$cone$0"]["bits"][0];
        assert_eq!(&cells["r500"]["connections"]["D"][0], last, "the register reads the copy");
        // from the register back through three copies to where the chain begins; constants stay
        let mut bit = last.clone();
        for _ in 0..3 {
            let copy = copies.iter().find(|copy| copy["connections"]["Y"][0] == bit).expect("it is driven by a copy");
            assert_eq!(copy["parameters"]["LUT"], "1000000000000000");
            assert_eq!(copy["connections"]["A"][2], "0");
            bit = copy["connections"]["A"][0].clone();
        }
        assert_eq!(bit, 10);
    }

    #[test]
    fn a_design_of_few_levels_stays() {
        assert!(separate(&netlist(2, 20)).is_none());
    }
}
