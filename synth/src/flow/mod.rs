//! From Verilog to figures and bitstreams, with yosys, nextpnr and the packers.
//!
//! ```text
//!   export ─► wrapper ─► design.v ─► yosys ─► netlist.json ─┬► nextpnr, seed 1 ─► report.json, routed.txt
//!             or board's top      (once a family) cells.json ├► nextpnr, seed 2 ─► ...
//!                                                            └► ...                     │
//!        text, JSON, Markdown ◄─ figures ◄─ report, path ◄──────────────────────────────┤
//!                                           bitstream ◄─ packer ◄─ routed.txt of the best seed
//! ```
//!
//! * [`parts`]: the table of parts, with their tools and cells.
//! * [`equivalence`]: is the netlist the Verilog? `logic` and `miter` make one circuit of the two.
//! * [`asic`]: the same designs in gates of a cell library, without place and route.
//! * [`simulated`]: the netlist and its cells as Verilog, for a simulator.
//! * [`wrapper`]: the top module around what is only measured.
//! * [`designs`]: the designs whose reports are kept in `synth/reports/`.
//! * [`report`], [`path`]: what the tools tell, and a critical path in names of the source.
//! * [`figures`], [`reports`]: what is printed and kept.
//!
//! **The same seed gives the same figures.** Names of files and modules, the seed and the clock that is asked for are
//! fixed, and nextpnr runs on one thread. Two processes run at once, each in its own directory; what they give does not
//! depend on the order. Versions of the tools are part of the figures.

pub mod asic;
pub mod cones;
pub mod designs;
pub mod equivalence;
pub mod figures;
mod logic;
mod miter;
pub mod parts;
pub mod path;
pub mod report;
pub mod reports;
pub mod simulated;
mod steps;
pub mod wrapper;

use figures::{Figures, Fmax, Tools};
use parts::{FewLevels, Part};
use rayon::prelude::*;
use report::{Cells, Report};
use std::io;
use steps::{Netlist, Routed};
use txbar_export::boards::{Board, BoardError};
use txbar_export::hash;
use txbar_export::tools::{ABC, MissingTool, YOSYS};
use txbar_export::verilog::{Export, logic_of};
use txbar_rtl::board::parameters::Top;
use txbar_rtl::parameters::Design;

/// What can go wrong in a flow. That a design does not fit its part is no error, but in its figures.
#[derive(Debug, thiserror::Error)]
pub enum FlowError {
    /// A tool is not there.
    #[error(transparent)]
    Missing(#[from] MissingTool),
    /// A tool cannot be started, or its files not be read or written.
    #[error("{what}: {error}")]
    Files {
        /// Action attempted.
        what: String,
        /// Cause.
        error: io::Error,
    },
    /// A tool has failed.
    #[error("{tool} failed: {said}")]
    Failed {
        /// Tool.
        tool: &'static str,
        /// Output of the tool.
        said: String,
    },
    /// What a tool has written is not as it should be.
    #[error("cannot read {what}: {error}")]
    Unreadable {
        /// Description.
        what: &'static str,
        /// Cause.
        error: serde_json::Error,
    },
    /// The netlist does not do what the Verilog does.
    #[error("the netlist of {design} for {part} differs from the Verilog {difference}: there are no figures")]
    Differs {
        /// The design's top module.
        design: String,
        /// Name of the part.
        part: &'static str,
        /// Difference found.
        difference: equivalence::Difference,
    },
    /// What Yosys makes today is not what was measured.
    #[error("{design} for {part}: the netlist is not the one that was measured; measure it anew")]
    OtherNetlist {
        /// Top module of the design.
        design: String,
        /// The part, as its vendor calls it.
        part: String,
    },
    /// No models to simulate a netlist with.
    #[error("a netlist for {part} cannot be simulated: Yosys has no models of all its cells")]
    NoModels {
        /// Name of the part.
        part: &'static str,
    },
    /// No path between registers.
    #[error("nextpnr reports no clock: the design has no registers")]
    NoClock,
}

/// A design as it goes into synthesis.
#[derive(Clone, Debug)]
pub struct Source {
    /// The top module of the design, as it was exported.
    pub design: String,
    /// What it was built for, as in names of files.
    pub parameters: String,
    /// All Verilog.
    pub verilog: String,
    /// The top module: of the wrapper, if there is one.
    pub top: String,
    /// What the design is called in the wrapper, or in the module with a board's pins; empty without either.
    pub instance: &'static str,
    /// Whether it is a large design; see [`wrapper::is_large`].
    pub large: bool,
    /// Whether it has two levels of tables nearly everywhere.
    pub few_levels: bool,
    /// A clock in MHz that it can reach and is to be asked for; without one, it is to be as fast as it can be.
    pub clock_mhz: Option<f64>,
    /// Whether it is built by Yosys's own script and nextpnr's defaults, and counted without its wrapper, too: see [`Figures::alone`].
    pub plain: bool,
}

impl Source {
    /// A design that is to be measured, in its wrapper. `parameters` is its label.
    pub fn wrapped(export: &Export, parameters: String) -> Self {
        Self {
            verilog: export.text.clone() + &wrapper::wrapper(&export.top, &export.ports),
            top: wrapper::TOP.to_owned(),
            instance: wrapper::INSTANCE,
            ..Self::alone(export, parameters)
        }
    }

    /// A design without a wrapper.
    fn alone(export: &Export, parameters: String) -> Self {
        Self {
            design: export.top.clone(),
            parameters,
            verilog: export.text.clone(),
            top: export.top.clone(),
            instance: "",
            large: wrapper::is_large(&export.ports),
            few_levels: export.few_levels,
            clock_mhz: None,
            plain: false,
        }
    }

    /// A top for a board, with its serial line at this many baud.
    ///
    /// # Errors
    /// The board's clock has no such baud rate.
    pub fn of_board(board: &Board, top: Top, baud: u32) -> Result<Self, BoardError> {
        let export = board.export(top, baud, "txbar")?;
        let parameters = board.parameters(top, baud)?.label();
        // within the module with the board's pins the top is called `top`
        Ok(Self {
            design: export.top.clone(),
            parameters,
            verilog: export.text,
            top: export.top,
            instance: "top",
            large: false,
            few_levels: false,
            clock_mhz: None,
            plain: false,
        })
    }

    /// A hash of [what tools see](logic_of) of the Verilog: whether figures are of the hardware of today.
    pub fn hash(&self) -> String {
        hash::of(logic_of(&self.verilog).as_bytes())
    }
}

/// What is to be built: a design on a part.
#[derive(Clone, Debug)]
pub struct Task<'a> {
    /// The design.
    pub source: &'a Source,
    /// The part.
    pub part: &'static Part,
    /// What Yosys does: [`parts::Family::synthesis`], [`parts::Family::plain_synthesis`], or that of a large design.
    pub synthesis: &'static str,
    /// How endpoints of too many levels get tables of their own; none if they shall not.
    pub few_levels: Option<&'static FewLevels>,
    /// How nextpnr shall place and route; empty for its defaults.
    pub placing: Vec<&'static str>,
    /// Name of the board that it is on, if there is one.
    pub board: Option<&'static str>,
    /// Where its pins are, in the form of the family's tools; empty if nextpnr may choose.
    pub pins: String,
    /// The clock in MHz that is asked for.
    pub goal_mhz: f64,
    /// How many seeds are tried: 1 to this. One at least.
    pub seeds: u32,
    /// Whether there shall be a bitstream.
    pub pack: bool,
}

impl<'a> Task<'a> {
    /// A wrapped design that is to have its clock, or to be as fast as it can be.
    pub fn measure(source: &'a Source, part: &'static Part, seeds: u32, pack: bool) -> Self {
        let large = part.family.large.filter(|_| source.large);
        let few_levels = part.family.few_levels.filter(|_| source.few_levels && large.is_none() && !source.plain);
        let (synthesis, placing, goal_mhz) = match (large, source.clock_mhz) {
            (_, clock) if source.plain => (part.family.plain_synthesis, vec![], clock.unwrap_or(part.goal_mhz)),
            (None, clock) => {
                let placing = if source.few_levels { &[] } else { part.family.placing };
                let plain = (part.family.synthesis, placing, part.goal_mhz);
                let (synthesis, placing, goal_mhz) =
                    few_levels.map_or(plain, |few| (few.synthesis, few.placing, few.goal_mhz));
                (synthesis, placing.to_vec(), clock.unwrap_or(goal_mhz))
            }
            (Some(large), None) => (large.synthesis, large.placing.to_vec(), large.goal_mhz),
            (Some(large), Some(clock)) => (large.synthesis, [large.placing, large.closing].concat(), clock),
        };
        Self {
            source,
            part,
            synthesis,
            few_levels,
            placing,
            board: None,
            pins: part.family.wrapper_pins.to_owned(),
            goal_mhz,
            seeds,
            pack,
        }
    }

    /// A board's top on the board's part with the board's pins, at the board's clock, with a bitstream. Its unit is as large as
    /// fits, so that it is placed and routed as a large design.
    pub fn on(board: &'static Board, part: &'static Part, source: &'a Source, seeds: u32) -> Self {
        let goal_mhz = f64::from(board.clock_hz) / 1e6;
        Self {
            source,
            part,
            synthesis: part.family.plain_synthesis,
            few_levels: None,
            placing: part.family.large.map_or(Vec::new(), |large| large.placing.to_vec()),
            board: Some(board.name),
            pins: board.constraints.to_owned(),
            goal_mhz,
            seeds,
            pack: true,
        }
    }
}

/// Result of a task.
#[derive(Debug)]
pub struct Outcome {
    /// The figures.
    pub figures: Figures,
    /// The bitstream of the best seed; why there is none, if there should be one. Nothing if none was wanted.
    pub bitstream: Option<Result<Vec<u8>, String>>,
}

/// The versions of the tools that build for a part.
///
/// # Errors
/// One of them is missing.
pub fn tools(part: &Part) -> Result<Tools, FlowError> {
    ABC.find()?;
    Ok(Tools { yosys: steps::version(YOSYS)?, nextpnr: steps::version(part.family.place)? })
}

/// What [`run`] tells of a step: what it is, such as `place and route of txbar_unit, seed 2 of 5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// Begin.
    Begins(&'a str),
    /// End.
    Ends(&'a str),
}

/// How many steps [`run`] has.
pub fn steps(tasks: &[Task]) -> u64 {
    netlists_of(tasks).0.len() as u64 + tasks.iter().map(|task| u64::from(task.seeds)).sum::<u64>()
}

/// Does tasks. Tells `progress` of each step.
///
/// # Errors
/// A tool is missing or fails for another reason than that the design does not fit.
pub fn run(tasks: &[Task], progress: &(dyn Fn(Step) + Sync)) -> Result<Vec<Outcome>, FlowError> {
    YOSYS.find()?;
    ABC.find()?;
    for task in tasks {
        task.part.family.place.find()?;
    }
    let (distinct, netlist_of) = netlists_of(tasks);
    let synthesise = |task: &&Task| {
        let step = format!("synthesis of {}", task.source.design);
        progress(Step::Begins(&step));
        Netlist::synthesise(task).inspect(|_| progress(Step::Ends(&step)))
    };
    let netlists: Vec<Netlist> = distinct.par_iter().map(synthesise).collect::<Result<_, FlowError>>()?;
    let runs: Vec<(usize, u32)> =
        tasks.iter().enumerate().flat_map(|(index, task)| (1..=task.seeds).map(move |seed| (index, seed))).collect();
    let place = |&(index, seed): &(usize, u32)| {
        let task = &tasks[index];
        let step =
            format!("place and route of {} on {}, seed {seed} of {}", task.source.design, task.part.name, task.seeds);
        progress(Step::Begins(&step));
        netlists[netlist_of[index]].place(task, seed).inspect(|_| progress(Step::Ends(&step)))
    };
    let routed: Vec<Routed> = runs.par_iter().map(place).collect::<Result<_, FlowError>>()?;
    let mut routed = routed.into_iter();
    let mut outcome = |(task, netlist): (&Task, usize)| {
        let seeds: Vec<Routed> = routed.by_ref().take(task.seeds as usize).collect();
        conclude(task, &netlists[netlist], &seeds)
    };
    tasks.iter().zip(netlist_of).map(&mut outcome).collect()
}

/// Compares the netlists of tasks with their Verilog again, and writes the outcome into their figures, which keep their clocks. Calls `progress`
/// after each netlist.
///
/// # Errors
/// A tool is missing or fails, or a netlist is not the one that was measured: of other Verilog, by another Yosys, with other counts of cells or
/// another hash, as far as the figures have one.
pub fn compare_again(tasks: &[Task], figures: &mut [Figures], progress: &(dyn Fn() + Sync)) -> Result<(), FlowError> {
    let (distinct, netlist_of) = netlists_of(tasks);
    for (task, row) in tasks.iter().zip(figures.iter()) {
        if row.verilog != task.source.hash() || row.tools.yosys != steps::version(YOSYS)? {
            return Err(other_netlist(row));
        }
    }
    // one after the other: with nothing to place, a large one would have to share its memory
    for (number, task) in distinct.iter().enumerate() {
        let mut rows: Vec<&mut Figures> =
            figures.iter_mut().zip(&netlist_of).filter(|&(_, &of)| of == number).map(|(row, _)| row).collect();
        let netlist = Netlist::expected(task, |cells, hash| {
            let other = rows.iter().find(|row| !row.are_of(cells, hash));
            other.map_or(Ok(()), |row| Err(other_netlist(row)))
        })?;
        for row in &mut rows {
            row.netlist.clone_from(&netlist.hash);
            row.equivalence.clone_from(&netlist.equivalence);
        }
        progress();
    }
    Ok(())
}

fn other_netlist(row: &Figures) -> FlowError {
    FlowError::OtherNetlist { design: row.top.clone(), part: row.part.clone() }
}

/// The tasks that need a netlist of their own, and for each task which of them has its netlist.
fn netlists_of<'t, 'a>(tasks: &'t [Task<'a>]) -> (Vec<&'t Task<'a>>, Vec<usize>) {
    let mut distinct: Vec<&Task> = Vec::new();
    let same = |one: &Task, other: &Task| {
        one.synthesis == other.synthesis
            && one.few_levels.is_some() == other.few_levels.is_some()
            && one.source.verilog == other.source.verilog
    };
    let mut netlist_of = Vec::new();
    for task in tasks {
        let there = distinct.iter().position(|other| same(task, other));
        netlist_of.push(there.unwrap_or(distinct.len()));
        if there.is_none() {
            distinct.push(task);
        }
    }
    (distinct, netlist_of)
}

/// The figures of a task from those of its seeds.
fn conclude(task: &Task, netlist: &Netlist, seeds: &[Routed]) -> Result<Outcome, FlowError> {
    let Cells { lut4, ff, bram, carry, lut_ram } = netlist.cells;
    let mut figures = Figures {
        top: task.source.design.clone(),
        parameters: task.source.parameters.clone(),
        verilog: task.source.hash(),
        part: task.part.device.to_owned(),
        speed: task.part.speed.to_owned(),
        board: task.board.map(str::to_owned),
        seeds: task.seeds,
        goal_mhz: task.goal_mhz,
        fmax_mhz: None,
        lut4,
        ff,
        bram,
        carry,
        lut_ram,
        alone: netlist.alone,
        critical_path: Vec::new(),
        critical_path_seed: None,
        failure: None,
        netlist: netlist.hash.clone(),
        equivalence: netlist.equivalence.clone(),
        tools: Tools { yosys: netlist.yosys.clone(), nextpnr: steps::version(task.part.family.place)? },
    };
    let mut clocks = Vec::new();
    let mut paths = Vec::new();
    for routed in seeds {
        let text = match routed.report()? {
            Ok(text) => text,
            Err(failure) => {
                figures.failure = Some(failure);
                let bitstream = task.pack.then(|| Err("the design does not fit".to_owned()));
                return Ok(Outcome { figures, bitstream });
            }
        };
        let report = Report::parse(&text)?;
        let (name, clock) = report.slowest().ok_or(FlowError::NoClock)?;
        figures.goal_mhz = rounded(clock.constraint, 2); // a clock made from the board's may be another
        clocks.push(rounded(clock.achieved, 2));
        paths.push(path::hops(report.critical_path(name), task.source.instance));
    }
    let fmax = Fmax::of(clocks);
    let middle = fmax.middle();
    figures.critical_path = paths.swap_remove(middle);
    figures.critical_path_seed = Some(seeds[middle].seed);
    let bitstream = match task.pack {
        true => Some(seeds[fmax.fastest()].pack(task)?),
        false => None,
    };
    figures.fmax_mhz = Some(fmax);
    Ok(Outcome { figures, bitstream })
}

/// With this many digits behind the point.
fn rounded(value: f64, digits: i32) -> f64 {
    let scale = 10f64.powi(digits);
    (value * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use super::*;
    use txbar_export::reset::Reset;
    use txbar_export::verilog::ExportedPort;

    #[test]
    fn parts_of_a_family_share_a_netlist() {
        let source = |verilog: &str| Source {
            design: "d".to_owned(),
            parameters: "p".to_owned(),
            verilog: verilog.to_owned(),
            top: "top".to_owned(),
            instance: "",
            large: false,
            few_levels: false,
            clock_mhz: None,
            plain: false,
        };
        let (one, other) = (source("one"), source("other"));
        let part = |name| Part::find(name).expect("it is in the table");
        let tasks = [
            Task::measure(&one, part("ecp5-85f-6"), 5, false),
            Task::measure(&one, part("ice40-hx8k"), 5, false),
            Task::measure(&one, part("ecp5-25f-8"), 5, false),
            Task::measure(&other, part("ecp5-85f-6"), 5, false),
            Task::measure(&one, part("ice40-up5k"), 5, false),
        ];
        let (distinct, netlist_of) = netlists_of(&tasks);
        assert_eq!(netlist_of, [0, 1, 0, 2, 3]);
        assert_eq!(distinct.len(), 4);
        assert_eq!(steps(&tasks), 4 + 25);
    }

    #[test]
    fn a_large_design_is_built_in_another_way() {
        let export = |width| {
            let port = |name: &str, width| ExportedPort {
                name: name.to_owned(),
                direction: "input",
                width,
                description: String::new(),
            };
            let text = "module d (); endmodule".to_owned();
            let ports = vec![port("clk", 1), port("rst", 1), port("a", width)];
            Export {
                top: "d".to_owned(),
                text,
                ports,
                few_levels: false,
                memories: Vec::new(),
                reset: Reset::default().facts(None),
            }
        };
        let (small, large) =
            (Source::wrapped(&export(100), String::new()), Source::wrapped(&export(1000), String::new()));
        let task = |source, part| Task::measure(source, Part::find(part).expect("it is in the table"), 1, false);
        let (plain, other) = (task(&small, "ecp5-85f-6"), task(&large, "ecp5-85f-6"));
        assert!(plain.placing == ["--tmg-ripup"] && other.placing.contains(&"static"));
        assert!(plain.goal_mhz > other.goal_mhz && other.synthesis.contains("-minsrst"));
        assert!(!other.placing.contains(&"--tmg-ripup"), "it would not end");
        let clocked = |source: &Source| Source { clock_mhz: Some(122.0), ..source.clone() };
        let (small_clocked, large_clocked) = (clocked(&small), clocked(&large));
        let (plain, other) = (task(&small_clocked, "ecp5-85f-6"), task(&large_clocked, "ecp5-85f-6"));
        assert_eq!((plain.goal_mhz, other.goal_mhz), (122.0, 122.0));
        assert!(!plain.placing.contains(&"static") && other.placing.contains(&"--tmg-ripup"));
        let placed = |name| {
            let board = Board::find(name).expect("it is in the table");
            Task::on(board, Part::on(board).expect("it is in the table"), &small, 1).placing
        };
        assert!(placed("ulx3s").contains(&"router2") && placed("icebreaker").is_empty());
        let (plain, other) = (task(&small, "ice40-hx8k"), task(&large, "ice40-hx8k"));
        assert_eq!((plain.synthesis, plain.placing, plain.goal_mhz), (other.synthesis, other.placing, other.goal_mhz));
    }

    #[test]
    fn a_plain_build_has_no_steps_of_its_own() {
        let export = Export {
            top: "d".to_owned(),
            text: String::new(),
            ports: Vec::new(),
            few_levels: true,
            memories: Vec::new(),
            reset: Reset::default().facts(None),
        };
        let source = Source { plain: true, large: true, ..Source::wrapped(&export, String::new()) };
        let task = Task::measure(&source, Part::find("ecp5-85f-6").expect("it is in the table"), 1, false);
        assert_eq!((task.synthesis, task.placing.as_slice()), ("synth_ecp5 -top {top}", &[] as &[&str]));
        assert!(task.few_levels.is_none());
    }

    #[test]
    fn a_design_of_few_levels_gets_tables_of_its_own() {
        let text = "module d (); endmodule".to_owned();
        let export = Export {
            top: "d".to_owned(),
            text,
            ports: Vec::new(),
            few_levels: false,
            memories: Vec::new(),
            reset: Reset::default().facts(None),
        };
        let plain = Source::wrapped(&export, String::new());
        let few = Source { few_levels: true, ..plain.clone() };
        let task = |source, part| Task::measure(source, Part::find(part).expect("it is in the table"), 1, false);
        let (one, other) = (task(&plain, "ecp5-85f-6"), task(&few, "ecp5-85f-6"));
        assert!(one.few_levels.is_none() && one.synthesis.contains("$eq") && !other.synthesis.contains("$eq"));
        assert!(other.few_levels.is_some() && other.placing == ["--tmg-ripup"] && other.goal_mhz < one.goal_mhz);
        assert_eq!(netlists_of(&[one, other]).0.len(), 2, "they are other netlists");
        let large = Source { large: true, ..few.clone() };
        assert!(task(&large, "ecp5-85f-6").few_levels.is_none());
        let [one, other] = [&plain, &few].map(|source| task(source, "ice40-hx8k"));
        assert!(other.few_levels.is_none() && other.synthesis == one.synthesis);
        assert_eq!(
            (one.placing, other.placing),
            (vec!["--opt-timing"], vec![]),
            "it helps where there are many levels"
        );
    }
}
