//! Parts that `txbar synth` builds for, and the tools and cell names of their families. A new part or family is a new row here.

use txbar_export::boards::Board;
use txbar_export::tools::{self, Tool};

/// A part that can be built for: a device at a speed, and how it is asked for.
#[derive(Debug)]
pub struct Part {
    /// Name on the command line.
    pub name: &'static str,
    /// The device, as its vendor and its users call it.
    pub device: &'static str,
    /// Speed grade, or what its family has in its place.
    pub speed: &'static str,
    /// Family.
    pub family: &'static Family,
    /// Look-up tables of four inputs that it has, by its data sheet.
    pub lut4: u64,
    /// Block RAMs.
    pub bram: u64,
    /// What tells nextpnr the part.
    pub arguments: &'static [&'static str],
    /// The clock in MHz that nextpnr is asked for when it is to find the fastest: above what can be reached.
    pub goal_mhz: f64,
}

/// Parts with the same tools and cells.
#[derive(Debug)]
pub struct Family {
    /// What Yosys reads the design with: `-D` and a name for each define.
    pub defines: &'static str,
    /// What Yosys does for the fastest clock; [`TOP_MODULE`] stands for the top module.
    pub synthesis: &'static str,
    /// The same for a board's top, whose clock is slow: nothing that a large design makes too dear.
    pub plain_synthesis: &'static str,
    /// The same for a large design, whose clock is a matter of where things stand; none if that makes no difference.
    pub large: Option<&'static Large>,
    /// What is done to a design of few levels, beside `synthesis`; none if there is nothing.
    pub few_levels: Option<&'static FewLevels>,
    /// How nextpnr shall place and route a design that is neither; empty for its defaults. A design of few levels that the family does
    /// nothing else to has the defaults.
    pub placing: &'static [&'static str],
    /// What Yosys does afterwards; empty if there is nothing.
    pub repair: &'static str,
    /// A file of Verilog, named `cells.v`, that `synthesis` or `repair` needs; empty if they need none.
    pub own_cells: &'static str,
    /// Models of the cells.
    pub models: Models,
    /// The same models for a simulator; none where Yosys has not all of them.
    pub simulation: Option<Simulation>,
    /// Place and route.
    pub place: Tool,
    /// What tells nextpnr that the places of pins are in the file [`PINS`].
    pub pins: &'static [&'static str],
    /// Places of the wrapper's pins, for the families whose nextpnr does not choose them itself.
    pub wrapper_pins: &'static str,
    /// The option that makes nextpnr write the routed design.
    pub routed: &'static str,
    /// Makes a bitstream of it.
    pub packer: Tool,
    /// Its arguments; [`ROUTED`] and [`BITSTREAM`] are the names of the files.
    pub packing: &'static [&'static str],
    /// What a bitstream's file name ends with.
    pub extension: &'static str,
    /// Resource of each kind of cell.
    pub cells: &'static [(&'static str, Resource, u64)],
}

/// Where Yosys has models of a family's cells.
#[derive(Clone, Copy, Debug)]
pub struct Models {
    /// What Yosys does before it reads Verilog that has such cells in it.
    pub library: &'static str,
    /// What it does to the modules of the exported Verilog that are block RAM, so that they are cells; empty if they are already.
    pub memory: &'static str,
    /// What it does to have the models.
    pub read: &'static str,
    /// A selection of the cells without a model, or whose model is not looked into.
    pub boxes: &'static str,
}

impl Models {
    /// What Yosys does to have the netlist in a file with the models of its cells; those that `first` reads go before its own.
    pub(super) fn around(&self, netlist: &str, top: &str, first: &str) -> String {
        let read = self.read;
        format!(
            "read_json {netlist}; design -stash whole; design -copy-from whole {top}; design -delete whole; {first}; {read}; hierarchy -check -top {top}"
        )
    }
}

/// Models of a family's cells for a simulator.
#[derive(Clone, Copy, Debug)]
pub enum Simulation {
    /// A file of Yosys's, which a simulator takes as it is.
    File(&'static str),
    /// Yosys puts [`Models::read`] in the place of the cells, with 0 at inputs that are not connected: a simulator would take anything
    /// there. This is Verilog of the cells that Yosys has only the pins of.
    InPlace(&'static str),
}

/// How a large design is built.
#[derive(Debug)]
pub struct Large {
    /// Commands for Yosys.
    pub synthesis: &'static str,
    /// How nextpnr shall place and route.
    pub placing: &'static [&'static str],
    /// What else it is told if it is asked for a clock that the design can reach.
    pub closing: &'static [&'static str],
    /// The clock in MHz that it is asked for otherwise.
    pub goal_mhz: f64,
}

/// How a design is built that has two levels of tables nearly everywhere: those of its endpoints that have more get tables of
/// their own (see [`cones`](super::cones)).
#[derive(Debug)]
pub struct FewLevels {
    /// What Yosys does first, in place of [`Family::synthesis`].
    pub synthesis: &'static str,
    /// Name of a table of four inputs.
    pub table: &'static str,
    /// What Yosys does before it reads the netlist: it has to know the cells.
    pub begin: &'static str,
    /// What Yosys does to `@cone`, the tables of one endpoint.
    pub each: &'static str,
    /// What Yosys does when all endpoints are done.
    pub end: &'static str,
    /// How nextpnr shall place and route.
    pub placing: &'static [&'static str],
    /// The clock in MHz that it is asked for if no other is wanted: near to what can be reached.
    pub goal_mhz: f64,
}

/// Stands for the top module in [`Family::synthesis`].
pub const TOP_MODULE: &str = "{top}";
/// Name of the file with the places of pins.
pub const PINS: &str = "pins.txt";
/// Name of the routed design.
pub const ROUTED: &str = "routed.txt";
/// Name of the bitstream.
pub const BITSTREAM: &str = "bitstream";

/// Resource counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// Look-up tables of four inputs.
    Lut4,
    /// Flip-flops.
    FlipFlop,
    /// Block RAMs.
    BlockRam,
    /// Carry cells.
    Carry,
    /// Memories made of look-up tables.
    LutRam,
}

impl Family {
    /// What a cell of this name counts as, and how often. A name in the table that ends with `*` stands for all that begin so.
    pub fn count(&self, cell: &str) -> Option<(Resource, u64)> {
        let is = |name: &str| name.strip_suffix('*').map_or(cell == name, |begin| cell.starts_with(begin));
        self.cells.iter().find(|(name, ..)| is(name)).map(|&(_, resource, times)| (resource, times))
    }
}

use Resource::{BlockRam, Carry, FlipFlop, Lut4, LutRam};

/// The end of synthesis for the ECP5, from look-up tables on, in place of that of synth_ecp5: a wire costs 700 ps (300 by default), near to
/// what it costs on the chip, and no table has more than four inputs: those that are joined to a larger one reach their register by a wire.
/// Of abc's flows the third one maps several times over and keeps the best: a level less on the longest paths, in fewer tables.
macro_rules! ecp5_abc9 {
    () => {
        "techmap -map +/lattice/latches_map.v; scratchpad -copy abc9.script.flow3 abc9.script; abc9 -W 700 -maxlut 4; clean; "
    };
}
macro_rules! ecp5_tables {
    () => {
        concat!(ecp5_abc9!(), "synth_ecp5 -top {top} -run map_cells:")
    };
}

/// On the way to registers, synthesis makes resets and enables of logic. What few registers share is logic again here: otherwise there are
/// hundreds of them, and flip-flops of one tile have to have the same, so that placement puts what belongs together far apart.
///
/// nextpnr's default placer leaves a large design all over the chip, and its default router may not end then: 35 minutes were not enough
/// for a board's top that takes 9 in this way. Its second router ends; but where wires are rare it leads those that were expected to
/// be fast a long way round (7 ns for what takes 2). `--tmg-ripup` takes up again what has become too slow for the clock that is
/// asked for; but it does not end if the design cannot reach that.
static LARGE_ECP5: Large = Large {
    synthesis: concat!(
        "synth_ecp5 -top {top} -run begin:map_ffs; opt_clean; \
         dfflegalize -cell $_DFF_?_ 01 -cell $_DFFE_??_ 01 -cell $_SDFF_?P?_ r -cell $_SDFFE_?P??_ r -minsrst 300 -mince 12; \
         opt_clean; synth_ecp5 -top {top} -run map_ffs:map_luts; ",
        ecp5_tables!()
    ),
    placing: &["--placer", "static", "--router", "router2"],
    closing: &["--tmg-ripup"],
    goal_mhz: 130.0,
};

/// With its first router nextpnr ends in any case, also if the clock is out of reach.
static FEW_LEVELS_ECP5: FewLevels = FewLevels {
    // its comparisons are narrow
    synthesis: concat!("synth_ecp5 -top {top} -run begin:map_luts; ", ecp5_tables!()),
    table: "LUT4",
    begin: "read_verilog -lib -specify +/lattice/cells_sim_ecp5.v +/lattice/cells_bb_ecp5.v",
    // the gates of `simplemap` are the only ones in the design. Equal tables are not merged afterwards: each stands where its
    // register is
    each: "simplemap @cone; abc -lut 4 -script +strash;dch,-f;if,-K,4 t:$_MUX_",
    end: "clean; synth_ecp5 -top {top} -run map_cells:",
    placing: &["--tmg-ripup"],
    goal_mhz: 250.0,
};

static ECP5: Family = Family {
    defines: "-D TXBAR_ECP5",
    // a comparison of two counts is a carry chain, which is one level, in place of three or four levels of tables
    synthesis: concat!(
        "synth_ecp5 -top {top} -run begin:map_gates; techmap -map cells.v t:$eq t:$ne; \
         read_verilog -D BOX -lib -specify cells.v; hierarchy -check -top {top}; clean; \
         synth_ecp5 -top {top} -run map_gates:map_luts; ",
        ecp5_abc9!(),
        "techmap -D CHAIN -map cells.v t:TXBAR_EQUAL; clean; synth_ecp5 -top {top} -run map_cells:"
    ),
    plain_synthesis: "synth_ecp5 -top {top}",
    large: Some(&LARGE_ECP5),
    few_levels: Some(&FEW_LEVELS_ECP5),
    placing: &["--tmg-ripup"],
    repair: "",
    own_cells: include_str!("ecp5_equal.v"),
    models: Models {
        library: "read_verilog -lib +/lattice/cells_sim_ecp5.v +/lattice/cells_bb_ecp5.v",
        memory: "", // the exported Verilog has it as cells
        // some of the models are there twice
        read: "read_verilog -nooverwrite +/lattice/cells_sim_ecp5.v; read_verilog -nooverwrite -lib +/lattice/cells_bb_ecp5.v",
        boxes: "t:DP16KD t:DCCA",
    },
    simulation: Some(Simulation::InPlace(include_str!("dp16kd.v"))),
    place: tools::NEXTPNR_ECP5,
    pins: &["--lpf", PINS],
    wrapper_pins: "",
    routed: "--textcfg",
    packer: tools::ECPPACK,
    packing: &[ROUTED, BITSTREAM],
    extension: "bit",
    cells: &[
        ("LUT4", Lut4, 1),
        ("TRELLIS_FF", FlipFlop, 1),
        ("DP16KD", BlockRam, 1),
        ("PDPW16KD", BlockRam, 1),
        ("CCU2C", Carry, 1),
        ("TRELLIS_DPR16X4", LutRam, 1),
    ],
};

const ICE40_CELLS: &[(&str, Resource, u64)] =
    &[("SB_LUT4", Lut4, 1), ("SB_DFF*", FlipFlop, 1), ("SB_RAM40_4K*", BlockRam, 1), ("SB_CARRY", Carry, 1)];

static ICE40_HX: Family = Family {
    defines: "",
    // synth_ice40 with another step of technology mapping: a wire costs 900 ps there, as it does on the chip (250 by
    // default), and registers are part of what is mapped
    synthesis: "synth_ice40 -device hx -top {top} -run begin:map_luts; techmap -map +/ice40/latches_map.v; \
                read_verilog -D ICE40_HX -icells -lib -specify +/ice40/abc9_model.v; abc9 -W 900 -dff; \
                ice40_wrapcarry -unwrap; techmap -map +/ice40/ff_map.v; clean; opt_lut -tech ice40; \
                synth_ice40 -device hx -run map_cells:",
    // `abc9 -dff` on a board's top takes more stack than Yosys has when it is built for WebAssembly
    plain_synthesis: "synth_ice40 -device hx -top {top}",
    large: None,
    few_levels: None,
    // cells of the longest paths change places once more: 4 % on the low-latency unit; 3 % less where there are few levels
    placing: &["--opt-timing"],
    repair: "",
    own_cells: "",
    models: Models {
        library: "read_verilog -lib +/ice40/cells_sim.v",
        memory: "memory_libmap -lib +/ice40/brams.txt -lib +/ice40/spram.txt -no-auto-huge; techmap -map +/ice40/brams_map.v",
        read: "read_verilog -defer +/ice40/cells_sim.v",
        // block RAM of small memories has its model
        boxes: "c:*inferred.* t:*SB_RAM40_4K* %i",
    },
    simulation: Some(Simulation::File("+/ice40/cells_sim.v")),
    place: tools::NEXTPNR_ICE40,
    pins: &["--pcf", PINS],
    wrapper_pins: "",
    routed: "--asc",
    packer: tools::ICEPACK,
    packing: &[ROUTED, BITSTREAM],
    extension: "bin",
    cells: ICE40_CELLS,
};

static ICE40_UP: Family = Family {
    synthesis: "synth_ice40 -device u -top {top}",
    plain_synthesis: "synth_ice40 -device u -top {top}",
    placing: &[],
    ..ICE40_HX
};

static GOWIN: Family = Family {
    defines: "",
    synthesis: "synth_gowin -family gw2a -top {top}",
    plain_synthesis: "synth_gowin -family gw2a -top {top}",
    large: None,
    few_levels: None,
    placing: &[],
    repair: "",
    own_cells: "",
    models: Models {
        library: "read_verilog -lib +/gowin/cells_sim.v +/gowin/cells_xtra_gw2a.v",
        memory: "memory_libmap -lib +/gowin/lutrams.txt -lib +/gowin/brams.txt; techmap -map +/gowin/lutrams_map.v -map +/gowin/brams_map.v",
        read: "read_verilog -lib +/gowin/cells_xtra_gw2a.v; read_verilog -defer -nooverwrite +/gowin/cells_sim.v",
        boxes: "t:*SDPX9B t:*SDPB",
    },
    simulation: None,
    place: tools::NEXTPNR_GOWIN,
    pins: &["--vopt", "cst=pins.txt"],
    // clock, a button, and two pins of the header of a Tang Primer 20K
    wrapper_pins: "IO_LOC \"clk\" H11;\nIO_LOC \"rst\" T10;\nIO_LOC \"serial\" T13;\nIO_LOC \"parity\" M11;\n",
    routed: "--write",
    packer: tools::GOWIN_PACK,
    packing: &["-d", "GW2A-18", "-o", BITSTREAM, ROUTED],
    extension: "fs",
    cells: &[
        // a table of fewer inputs takes a whole one
        ("LUT1", Lut4, 1),
        ("LUT2", Lut4, 1),
        ("LUT3", Lut4, 1),
        ("LUT4", Lut4, 1),
        ("DFF*", FlipFlop, 1),
        ("SDPX9B", BlockRam, 1),
        ("SDPB", BlockRam, 1),
        ("ALU", Carry, 1),
        ("RAM16SDP4", LutRam, 1),
    ],
};

static NEXUS: Family = Family {
    defines: "",
    synthesis: "synth_nexus -family lifcl -top {top}",
    plain_synthesis: "synth_nexus -family lifcl -top {top}",
    large: None,
    few_levels: None,
    placing: &[],
    // Yosys drives the carry input of the first cell of a chain with a constant; nextpnr wants it left open
    // (YosysHQ/yosys issue 4081)
    repair: "select -set heads t:VLO %co1:+VLO[Z] w:* %i %co1:+CCU2[CIN] t:CCU2 %i; \
             chtype -set TXBAR_CARRY_HEAD @heads; techmap -map cells.v; clean",
    own_cells: include_str!("nexus_carry.v"),
    models: Models {
        library: "read_verilog -lib +/nexus/cells_sim.v +/nexus/cells_xtra.v",
        memory: "memory_libmap -lib +/lattice/lutrams_nexus.txt -lib +/lattice/brams_nexus.txt; \
                 techmap -map +/lattice/lutrams_map_nexus.v -map +/lattice/brams_map_nexus.v",
        read: "read_verilog -lib +/nexus/cells_xtra.v; read_verilog -defer +/nexus/cells_sim.v",
        boxes: "t:*PDPSC16K* t:*DP16K*",
    },
    simulation: None,
    place: tools::NEXTPNR_NEXUS,
    // its default router does not find the way from a pin to the clock network
    pins: &["--router", "router1", "--pdc", PINS],
    // any four pins of the package, the clock on one that reaches the clock network
    wrapper_pins: "ldc_set_location -site {L5} [get_ports clk]\nldc_set_location -site {G19} [get_ports rst]\n\
                   ldc_set_location -site {N14} [get_ports serial]\nldc_set_location -site {E17} [get_ports parity]\n",
    routed: "--fasm",
    packer: tools::PRJOXIDE,
    packing: &["pack", ROUTED, BITSTREAM],
    extension: "bit",
    cells: &[
        ("LUT4", Lut4, 1),
        ("WIDEFN9", Lut4, 2),
        ("FD1P3*", FlipFlop, 1),
        ("PDPSC16K*", BlockRam, 1),
        ("DP16K*", BlockRam, 1),
        ("CCU2", Carry, 1),
        ("DPR16X4", LutRam, 1),
    ],
};

/// Look-up tables and block RAMs of an ECP5-25F and an ECP5-85F.
const ECP5_25: (u64, u64) = (24_288, 56);
const ECP5_85: (u64, u64) = (83_640, 208);

/// Every part.
pub static PARTS: [Part; 8] = [
    ecp5("ecp5-25f-6", "ECP5-25F", "6", ECP5_25, &["--25k", "--package", "CABGA381", "--speed", "6"]),
    ecp5("ecp5-25f-8", "ECP5-25F", "8", ECP5_25, &["--25k", "--package", "CABGA381", "--speed", "8"]),
    ecp5("ecp5-85f-6", "ECP5-85F", "6", ECP5_85, &["--85k", "--package", "CABGA381", "--speed", "6"]),
    ecp5("ecp5-85f-8", "ECP5-85F", "8", ECP5_85, &["--85k", "--package", "CABGA381", "--speed", "8"]),
    Part {
        name: "ice40-hx8k",
        device: "iCE40 HX8K",
        speed: "HX",
        family: &ICE40_HX,
        lut4: 7680,
        bram: 32,
        arguments: &["--hx8k", "--package", "ct256"],
        goal_mhz: 250.0,
    },
    Part {
        name: "ice40-up5k",
        device: "iCE40 UP5K",
        speed: "UP",
        family: &ICE40_UP,
        lut4: 5280,
        bram: 30,
        arguments: &["--up5k", "--package", "sg48"],
        goal_mhz: 100.0,
    },
    Part {
        name: "gowin-gw2a18",
        device: "Gowin GW2A-18",
        speed: "C8/I7",
        family: &GOWIN,
        lut4: 20_736,
        bram: 46,
        arguments: &["--device", "GW2A-LV18PG256C8/I7", "--vopt", "family=GW2A-18"],
        goal_mhz: 300.0,
    },
    Part {
        name: "nexus-lifcl40-9",
        device: "Nexus LIFCL-40",
        speed: "9",
        family: &NEXUS,
        lut4: 32_256,
        bram: 84,
        arguments: &["--device", "LIFCL-40-9BG400C"],
        goal_mhz: 300.0,
    },
];

const fn ecp5(
    name: &'static str,
    device: &'static str,
    speed: &'static str,
    size: (u64, u64),
    arguments: &'static [&'static str],
) -> Part {
    let (lut4, bram) = size;
    Part { name, device, speed, family: &ECP5, lut4, bram, arguments, goal_mhz: 300.0 }
}

/// A part that is not in the table.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("there is no part `{name}`; there are {}", names())]
pub struct UnknownPart {
    name: String,
}

fn names() -> String {
    PARTS.iter().map(|part| part.name).collect::<Vec<_>>().join(", ")
}

impl Part {
    /// The part with this name.
    ///
    /// # Errors
    /// There is none.
    pub fn find(name: &str) -> Result<&'static Part, UnknownPart> {
        PARTS.iter().find(|part| part.name == name).ok_or_else(|| UnknownPart { name: name.to_owned() })
    }

    /// The part on a board.
    ///
    /// # Errors
    /// It is not in the table.
    pub fn on(board: &Board) -> Result<&'static Part, UnknownPart> {
        Self::find(board.row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_part_is_told_those_there_are() {
        let error = Part::find("ecp5-85f").expect_err("its speed is missing").to_string();
        assert!(error.starts_with("there is no part `ecp5-85f`; there are "), "{error}");
        assert!(PARTS.iter().all(|part| error.contains(part.name)), "{error}");
    }

    #[test]
    fn every_board_has_its_part() {
        for board in Board::ALL {
            let part = Part::on(board).unwrap_or_else(|error| panic!("{}: {error}", board.name));
            // the board's maker and nextpnr name the same package
            assert!(part.arguments.windows(2).any(|pair| pair == ["--package", board.package]), "{}", board.name);
        }
    }

    #[test]
    fn names_are_unique_and_cells_count() {
        for (index, part) in PARTS.iter().enumerate() {
            assert!(PARTS[..index].iter().all(|other| other.name != part.name), "{}", part.name);
            assert!(std::ptr::eq(Part::find(part.name).expect("it is in the table"), part));
            for resource in [Lut4, FlipFlop, BlockRam, Carry] {
                assert!(part.family.cells.iter().any(|cell| cell.1 == resource), "{}: {resource:?}", part.name);
            }
        }
        assert_eq!(ICE40_HX.count("SB_DFFESR"), Some((FlipFlop, 1)));
        assert_eq!(NEXUS.count("WIDEFN9"), Some((Lut4, 2)), "it joins two of them");
        assert_eq!(ECP5.count("LUT4_no"), None);
        assert_eq!(ECP5.count("PFUMX"), None, "a multiplexer behind two tables");
    }
}
