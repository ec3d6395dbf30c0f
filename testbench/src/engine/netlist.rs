//! The netlist that synthesis makes of a design, with models of its cells: by the very scripts of `txbar synth`
//! ([`txbar_synth::flow::simulated`]), for the families of which there is a model of every cell.
//!
//! What the models make of what a chip leaves open:
//!
//! | | an iCE40 | its models | [`Cells::Harsh`] |
//! | --- | --- | --- | --- |
//! | flip-flops at power-up | 0 | 0 | random, another for each instance |
//! | a read that meets a write to the same word | undefined | the word before the write | the bits that are written are random |
//!
//! An ECP5's flip-flops hold at power-up what they are set to by reset, in its models as on a chip; its block RAM gives the word before.
//!
//! A unit must work with either: random bits are harder on it than unknown ones (x) would be, as these stay unknown
//! where two paths meet that cancel out. Memories are zeroed by the bit stream, which both kinds of cells obey.
//!
//! What yosys has done once is kept in `target/netlists` if it is called within a checkout whose tools are in
//! `target/tools`. An entry holds what it was made of (script, version of yosys, Verilog), which is compared in full.

use super::build::{BuildError, run};
use std::collections::hash_map::DefaultHasher;
use std::env;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use txbar_synth::flow::parts::Part;
use txbar_synth::flow::simulated;
use txbar_synth::tools::YOSYS;
use txbar_synth::verilog::Export;

/// The file with the netlist.
pub(super) const NETLIST: &str = "netlist.v";
/// The file with the models of its cells.
pub(super) const CELLS: &str = "cells_sim.v";

/// Models of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cells {
    /// As they come with yosys.
    AsTheyAre,
    /// What a chip leaves open is random.
    Harsh,
}

/// Families of parts that a netlist can be for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chip {
    /// Lattice's ECP5.
    Ecp5,
    /// Lattice's iCE40 HX.
    Ice40,
}

impl Chip {
    /// The part that stands for its family.
    fn part(self) -> &'static Part {
        let name = match self {
            Chip::Ecp5 => "ecp5-85f-6",
            Chip::Ice40 => "ice40-hx8k",
        };
        Part::find(name).expect("it is in the table of parts")
    }
}

/// Writes a design's netlist and the models of its cells to `directory`.
///
/// # Errors
/// Yosys is missing or fails, or its models are not those that can be made harsh.
pub(super) fn synthesise(export: &Export, chip: Chip, cells: Cells, directory: &Path) -> Result<(), BuildError> {
    let version = run("yosys", YOSYS.command()?.arg("-V"))?;
    let key = format!("{}\n{version}", simulated::recipe(export, chip.part()));
    let made = |place: &Path| -> Result<(), BuildError> {
        let made = simulated::netlist(export, chip.part())?;
        fs::write(place.join(NETLIST), made.netlist)?;
        Ok(fs::write(place.join(CELLS), made.cells)?)
    };
    match shelf() {
        None => made(directory)?,
        Some(shelf) => {
            let entry = kept(&shelf, &key, made)?;
            for file in [NETLIST, CELLS] {
                fs::copy(entry.join(file), directory.join(file))?;
            }
        }
    }
    if cells == Cells::Harsh {
        let path = directory.join(CELLS);
        let text = harsh(&fs::read_to_string(&path)?).ok_or_else(|| BuildError::Failed {
            tool: "yosys",
            output: "its models of the iCE40's flip-flops or block RAM are not those that txbar knows".to_owned(),
        })?;
        fs::write(path, text)?;
    }
    Ok(())
}

/// Where netlists are kept, if anywhere.
fn shelf() -> Option<PathBuf> {
    let here = env::current_dir().ok()?;
    let target = here.ancestors().map(|above| above.join("target")).find(|target| target.join("tools").is_dir())?;
    Some(target.join("netlists"))
}

/// The entry for `key`, made if it is not there.
fn kept(shelf: &Path, key: &str, make: impl FnOnce(&Path) -> Result<(), BuildError>) -> Result<PathBuf, BuildError> {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    let entry = shelf.join(format!("{:016x}", hasher.finish()));
    let is_there = || fs::read_to_string(entry.join("key")).is_ok_and(|there| there == key);
    if is_there() {
        return Ok(entry);
    }
    fs::create_dir_all(shelf)?;
    let unfinished = tempfile::tempdir_in(shelf)?;
    make(unfinished.path())?;
    fs::write(unfinished.path().join("key"), key)?;
    if entry.exists() && !is_there() {
        // of another key with the same digest
        fs::remove_dir_all(&entry)?;
    }
    match fs::rename(unfinished.path(), &entry) {
        Ok(()) => Ok(entry),
        // somebody else was faster
        Err(_) if is_there() => Ok(entry),
        Err(error) => Err(io::Error::new(error.kind(), format!("keeping a netlist: {error}")).into()),
    }
}

/// Models that give nothing away, or nothing if they are not those that are known.
fn harsh(models: &str) -> Option<String> {
    let initial = "`define SB_DFF_INIT initial Q = 0;";
    let read = "RDATA_I <= memory[RADDR[7:0]] & ~RMASK_I;";
    let met = "(WE && WCLKE && WADDR[7:0] == RADDR[7:0]) ? ~WMASK_I & $random : 16'h0000";
    let known = models.matches(initial).count() == 1 && models.matches(read).count() == 1;
    known.then(|| {
        models
            .replace(initial, "`define SB_DFF_INIT")
            .replace(read, &format!("RDATA_I <= (memory[RADDR[7:0]] ^ ({met})) & ~RMASK_I;"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_made_once() {
        let shelf = tempfile::tempdir().expect("a temporary directory can be made");
        let make = |text: &'static str| move |place: &Path| Ok(fs::write(place.join(NETLIST), text)?);
        let read = |entry: PathBuf| fs::read_to_string(entry.join(NETLIST)).expect("it is there");
        let kept = |key, text| kept(shelf.path(), key, make(text)).expect("it can be kept");
        assert_eq!(read(kept("a", "first")), "first");
        assert_eq!(read(kept("a", "second")), "first");
        assert_eq!(read(kept("b", "third")), "third");
        let entry = kept("a", "fourth");
        fs::write(entry.join("key"), "another with the same digest").expect("it can be written");
        assert_eq!(read(kept("a", "fifth")), "fifth");
        assert_eq!(fs::read_dir(shelf.path()).expect("it is there").count(), 2, "nothing unfinished stays");
    }

    #[test]
    fn unknown_models_cannot_be_made_harsh() {
        assert_eq!(harsh("module SB_DFF; endmodule"), None);
    }
}
