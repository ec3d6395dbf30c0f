//! `txbar verilog`: exports the hardware.

use crate::say;
use crate::shell::output;
use crate::shell::progress;
use crate::{ClusterBuild, Verdict, WarpPorts};
use anyhow::{Result, bail};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::path::{Path, PathBuf};
use txbar_export::boards::{self, Board};
use txbar_export::manifest::Manifest;
use txbar_export::package::{self, File};
use txbar_export::reset::Reset;
use txbar_export::verilog::{self, Export, Style};
use txbar_rtl::board::parameters::{BoardParameters, Top};
use txbar_rtl::bus::parameters::{Bus, BusParameters};
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::parameters::{Design, Parameters};
use txbar_rtl::warp::parameters::WarpParameters;

/// Writes one self-contained Verilog file and a JSON manifest of its parameters, ports, opcodes and statuses: of a unit of
/// shared memory, with --lanes of one with ports for warps, or with --ctas of a cluster.
#[derive(Args)]
pub struct Arguments {
    /// Directory to write to
    #[arg(short, long, default_value = ".", value_name = "DIR")]
    output: PathBuf,
    /// Prefix of every module's name; without it, it is that of --name, or txbar
    #[arg(long, value_name = "NAME")]
    prefix: Option<String>,
    /// Name of the top module and of both files, so that `-y DIR` finds it; without it, the files' name has the parameters in it
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Write a package of this name: the design as --name does, with a SystemVerilog package and a wrapper with a structure for each
    /// channel, an instance to copy, a C header, a list of files, and the files of FuseSoC and Bender
    #[arg(long, value_name = "NAME", conflicts_with_all = ["name", "prefix"])]
    package: Option<String>,
    /// Export a top for boards, with a unit in it: a self-test, or a bridge to a serial line
    #[arg(long, value_name = "TOP", value_parser = top_of)]
    top: Option<Top>,
    /// With --top: the board, which fixes everything else: ulx3s, icebreaker or hx8k
    #[arg(long, value_name = "BOARD", value_parser = board_of)]
    board: Option<&'static Board>,
    /// With --board: baud rate of the serial line
    #[arg(long, value_name = "N", default_value_t = boards::BAUD)]
    baud: u32,
    /// With --top: clock cycles of a bit on the serial line, 4 to 65535
    #[arg(long, value_name = "N", default_value_t = 217)]
    bit_cycles: usize,
    /// With --top: clock cycles of half a blink, 1 to 16777216
    #[arg(long, value_name = "N", default_value_t = 12_500_000)]
    beat_cycles: usize,
    /// Put the unit behind a bus, which each of its ports is a subordinate of
    #[arg(long, value_name = "BUS", value_parser = buses())]
    bus: Option<Bus>,
    /// With --bus: windows of each port, one for each hart or thread, 1 to 64
    #[arg(long, value_name = "N", default_value_t = 4)]
    windows: usize,
    /// Leave block RAM outside: its ports are the top's
    #[arg(long, value_name = "BOOL", default_value_t = false, action = clap::ArgAction::Set, num_args = 0..=1, require_equals = true,
        default_missing_value = "true")]
    ram_ports: bool,
    /// Reset: at a clock edge or asynchronous, active high (rst) or low (rst_n; aresetn and presetn with buses that say so)
    #[arg(long, default_value = "high", value_name = "RESET", value_parser = resets())]
    reset: Reset,
    #[command(flatten)]
    warp_ports: WarpPorts,
    #[command(flatten)]
    build: ClusterBuild,
}

/// The top of this name.
pub fn top_of(name: &str) -> Result<Top, String> {
    let known = Top::ALL.map(Top::name).join(" or ");
    Top::ALL.into_iter().find(|top| top.name() == name).ok_or(format!("there is no such top: it is {known}"))
}

/// Buses, by their names.
fn buses() -> impl TypedValueParser<Value = Bus> {
    let bus = |name: String| Bus::ALL.into_iter().find(|bus| bus.name() == name).expect("it is one of these names");
    PossibleValuesParser::new(Bus::ALL.map(Bus::name)).map(bus)
}

/// Kinds of reset, by their names.
fn resets() -> impl TypedValueParser<Value = Reset> {
    let reset =
        |name: String| Reset::ALL.into_iter().find(|reset| reset.name() == name).expect("it is one of these names");
    PossibleValuesParser::new(Reset::ALL.map(Reset::name)).map(reset)
}

/// The board of this name.
pub fn board_of(name: &str) -> Result<&'static Board, String> {
    let known: Vec<&str> = Board::ALL.iter().map(|board| board.name).collect();
    Board::find(name).ok_or(format!("there is no such board: known are {}", known.join(", ")))
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Verdict> {
    let Arguments { output, prefix, name, package, build, top, board, baud, bit_cycles, beat_cycles, .. } = arguments;
    let Arguments { warp_ports, bus, windows, reset, .. } = arguments;
    let name = package.as_deref().or(name.as_deref());
    name.map_or(Ok(()), verilog::check_name)?;
    if package.as_deref() == Some("txbar") && bus.is_some() {
        bail!(
            "--package txbar --bus would write two files called txbar.h, one of them the driver's: choose another name"
        );
    }
    let prefix = prefix.as_deref().or(name).unwrap_or("txbar");
    let style = Style { prefix, ram_ports: arguments.ram_ports };
    let target = Target { style, name, directory: output, package: package.is_some(), reset: *reset };
    output::try_directory(output)?;
    let _progress = progress::spinner("exporting");
    let files = match (top, board, build.parameters()?) {
        (Some(top), Some(board), _) => export_board(board, *top, *baud, target)?,
        (Some(top), None, _) => {
            let unit = build.build.parameters()?;
            let parameters = match top {
                Top::SelfTest => BoardParameters::self_test(unit, *bit_cycles, *beat_cycles),
                Top::Bridge => BoardParameters::bridge(unit, *bit_cycles, *beat_cycles),
            };
            export_top(&parameters.check()?, target)?
        }
        (None, _, Some(cluster)) => export_cluster(&warp_ports.of_cluster(cluster)?, target)?,
        (None, _, None) => match (bus, warp_ports.lanes) {
            (Some(bus), _) => {
                let parameters = BusParameters { bus: *bus, windows: *windows, unit: build.build.parameters()? };
                export_bus(&parameters.check()?, target)?
            }
            (None, Some(_)) => export_warps(&warp_ports.parameters(build.build.parameters()?)?, target)?,
            (None, None) => export(&build.build.parameters()?, target)?,
        },
    };
    for path in files {
        say!("{}", path.display());
    }
    Ok(Verdict::Pass)
}

/// What files and modules are called, and where they go.
#[derive(Clone, Copy)]
pub struct Target<'a> {
    /// What names of modules begin with, and where block RAM is.
    pub style: Style<'a>,
    /// Name of the top module and of the files, if it is to be another than that of the design and its parameters.
    pub name: Option<&'a str>,
    /// Output directory.
    pub directory: &'a Path,
    /// The files of a package are written, too.
    pub package: bool,
    /// How the design is reset.
    pub reset: Reset,
}

/// Writes the Verilog of a unit and its manifest; gives their names.
pub fn export(parameters: &Parameters, target: Target) -> Result<Vec<PathBuf>> {
    let export = verilog::unit(parameters, target.style)?.with_reset(target.reset, None);
    write(export, parameters, target, |export, file| Manifest::new(export, parameters, file))
}

/// Exports a cluster.
fn export_cluster(parameters: &ClusterParameters, target: Target) -> Result<Vec<PathBuf>> {
    let export = verilog::cluster(parameters, target.style)?.with_reset(target.reset, None);
    write(export, parameters, target, |export, file| Manifest::of_cluster(export, parameters, file))
}

/// Exports a unit with ports for warps.
fn export_warps(parameters: &WarpParameters, target: Target) -> Result<Vec<PathBuf>> {
    let export = verilog::warp_unit(parameters, target.style)?.with_reset(target.reset, None);
    write(export, parameters, target, |export, file| Manifest::of_warps(export, parameters, file))
}

/// Exports a unit behind a bus.
fn export_bus(parameters: &BusParameters, target: Target) -> Result<Vec<PathBuf>> {
    let export = verilog::bus_unit(parameters, target.style)?.with_reset(target.reset, Some(parameters.bus));
    write(export, parameters, target, |export, file| Manifest::of_bus(export, parameters, file))
}

/// Exports a top for boards.
fn export_top(parameters: &BoardParameters, target: Target) -> Result<Vec<PathBuf>> {
    let export = verilog::top(parameters, target.style)?;
    write(export, parameters, target, |export, file| Manifest::of_top(export, parameters, None, file))
}

/// Exports a top for a board, with the board's constraint file.
fn export_board(board: &Board, top: Top, baud: u32, target: Target) -> Result<Vec<PathBuf>> {
    let (export, parameters) = (board.export(top, baud, target.style.prefix)?, board.parameters(top, baud)?);
    let manifest = |export: &Export, file: &str| Manifest::of_top(export, &parameters, Some(board), file);
    let mut files = write(export, &parameters, target, manifest)?;
    let constraints = target.directory.join(board.constraints_file);
    output::write_text(&constraints, board.constraints)?;
    files.push(constraints);
    Ok(files)
}

fn write(
    export: Export,
    design: &dyn Design,
    Target { name, directory, package, .. }: Target,
    manifest: impl Fn(&Export, &str) -> Manifest,
) -> Result<Vec<PathBuf>> {
    let (export, stem) = match name {
        Some(name) => (export.named(name)?, name.to_owned()),
        None => {
            let stem = format!("{}_{}", export.top, design.label());
            (export, stem)
        }
    };
    output::make_directory(directory)?;
    let file = format!("{stem}.v");
    let manifest = manifest(&export, &file);
    let files = match package {
        true => package::files(&stem, &export.text, &manifest),
        false => package::design(&stem, &export.text, &manifest).into(),
    };
    let write = |File { name, text }: File| {
        let path = directory.join(name);
        output::write_text(&path, &text).map(|()| path)
    };
    files.into_iter().map(write).collect()
}
