//! Figures of a design on a part, and how they are printed.

use super::equivalence::Equivalence;
use super::path::Hop;
use super::report::Cells;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use txbar_export::tables::{columns, table};

/// What synthesis, place and route made of a design on a part. The same with every run of the same tools.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Figures {
    /// The design's top module.
    pub top: String,
    /// What it was built for, as in the names of exported files.
    pub parameters: String,
    /// A hash of the Verilog that it was made of: [`super::Source::hash`]. Nothing in frontiers, where more is hashed.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub verilog: String,
    /// The device.
    pub part: String,
    /// Speed grade.
    pub speed: String,
    /// The board, if it was built for one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub board: Option<String>,
    /// How many seeds were tried: 1 to this.
    pub seeds: u32,
    /// The clock that nextpnr was asked for, in MHz: more than can be reached, or what the board needs.
    pub goal_mhz: f64,
    /// The clock that was reached; nothing if the design does not fit.
    pub fmax_mhz: Option<Fmax>,
    /// Look-up tables of four inputs.
    pub lut4: u64,
    /// Flip-flops.
    pub ff: u64,
    /// Block RAMs.
    pub bram: u64,
    /// Carry cells: two bits each on ECP5 and Nexus, one on the others.
    pub carry: u64,
    /// Memories of 16 words of 4 bits, made of look-up tables.
    pub lut_ram: u64,
    /// Cells of the design without its wrapper; nothing in figures of builds that are not plain.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub alone: Option<Cells>,
    /// The critical path of the seed with the median clock (the slower one of the two in the middle).
    pub critical_path: Vec<Hop>,
    /// The seed with that path.
    pub critical_path_seed: Option<u32>,
    /// Why there is no clock: what nextpnr says.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub failure: Option<String>,
    /// A hash of the netlist that was placed. Nothing in figures of a time when it was not kept.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub netlist: String,
    /// How it is known that what was measured does what the exported Verilog does.
    pub equivalence: Equivalence,
    /// The tools that made the figures.
    pub tools: Tools,
}

/// The clock in MHz, over the seeds.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Fmax {
    /// Median of the seeds.
    pub median: f64,
    /// The best.
    pub best: f64,
    /// Each, in order of the seeds.
    pub each: Vec<f64>,
}

/// Versions of the tools.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Tools {
    /// Yosys.
    pub yosys: String,
    /// nextpnr.
    pub nextpnr: String,
}

impl Fmax {
    /// The clocks of all seeds.
    ///
    /// # Panics
    /// There are none.
    pub fn of(each: Vec<f64>) -> Self {
        let mut sorted = each.clone();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        let median = if sorted.len() % 2 == 1 { sorted[middle] } else { (sorted[middle - 1] + sorted[middle]) / 2.0 };
        Self { median: super::rounded(median, 2), best: sorted[sorted.len() - 1], each }
    }

    /// Position of the seed with the median clock, of the two in the middle the slower one.
    pub fn middle(&self) -> usize {
        let mut order: Vec<usize> = (0..self.each.len()).collect();
        order.sort_by(|&one, &other| self.each[one].total_cmp(&self.each[other]));
        order[(order.len() - 1) / 2]
    }

    /// Position of the best seed.
    pub fn fastest(&self) -> usize {
        self.each.iter().position(|&clock| clock == self.best).expect("the best is one of them")
    }
}

impl Figures {
    /// The device and its speed, or the top of a board.
    pub fn name(&self) -> String {
        if self.board.is_some() { self.top.clone() } else { format!("{} speed {}", self.part, self.speed) }
    }

    /// Whether they are of a netlist with these cells and this hash, as far as they have one.
    pub(super) fn are_of(&self, cells: &Cells, hash: &str) -> bool {
        let Self { lut4, ff, bram, carry, lut_ram, .. } = *self;
        *cells == Cells { lut4, ff, bram, carry, lut_ram } && (self.netlist.is_empty() || self.netlist == hash)
    }

    /// Whether a seed reaches the clock that was asked for.
    pub fn passes(&self) -> bool {
        self.fmax_mhz.as_ref().is_some_and(|fmax| fmax.best >= self.goal_mhz)
    }

    /// Delay of the critical path in ns: that of cells and that of wires.
    pub fn delay(&self) -> (f64, f64) {
        let sum = |of: fn(&Hop) -> f64| self.critical_path.iter().map(of).sum::<f64>();
        (sum(|hop| hop.logic_ns), sum(|hop| hop.routing_ns))
    }

    /// The row of a design in a table of all of them.
    pub(super) fn in_short(&self, design: &str) -> Vec<String> {
        let counts = [self.lut4, self.ff, self.bram].map(|count| count.to_string());
        let last = self.numbers(false).split_off(counts.len() + 2 + 2 * usize::from(self.alone.is_some()));
        [vec![format!("`{design}`"), self.name()], counts.to_vec(), last].concat()
    }

    /// What its row of a table begins with: on a board also the top.
    fn titles(&self, boards: bool) -> Vec<String> {
        let top = boards.then(|| self.top.clone());
        top.into_iter().chain([self.part.clone(), self.speed.clone()]).collect()
    }

    /// The numbers of its row: among boards also the clock that is needed.
    fn numbers(&self, boards: bool) -> Vec<String> {
        let counts = [self.lut4, self.ff, self.bram, self.carry, self.lut_ram].map(|count| count.to_string());
        let needed = boards.then(|| format!("{:.1}", self.goal_mhz));
        let [median, best] = match &self.fmax_mhz {
            Some(fmax) => [format!("{:.1}", fmax.median), format!("{:.1}", fmax.best)],
            None => ["does not fit".to_owned(), "-".to_owned()],
        };
        let alone = self.alone.iter().flat_map(|cells| [cells.lut4, cells.ff].map(|count| count.to_string()));
        counts
            .into_iter()
            .chain(alone)
            .chain(needed)
            .chain([median, best, self.seeds.to_string(), self.equivalence.to_string()])
            .collect()
    }
}

/// Whether the clock was met that the board needs, in a line.
pub fn against_clock(figures: &Figures) -> String {
    let verdict = if figures.passes() { "passes" } else { "FAILS" };
    let reached = match &figures.fmax_mhz {
        Some(fmax) => format!("{:.2} MHz are reached", fmax.best),
        None => "it does not fit".to_owned(),
    };
    format!("{}: {verdict}: {} MHz are needed, {reached}", figures.top, figures.goal_mhz)
}

/// Rows for a table, the header first, and how many of the columns are titles. With boards there are columns more.
fn rows(figures: &[Figures]) -> (Vec<Vec<String>>, usize) {
    let boards = figures.iter().any(|figures| figures.board.is_some());
    let (title, needed) = (boards.then_some("top"), boards.then_some("MHz, needed"));
    let titles: Vec<&str> = title.into_iter().chain(["part", "speed"]).collect();
    let counts = ["LUT4", "FF", "BRAM", "carry", "LUT RAM"].into_iter();
    let alone = figures.iter().any(|figures| figures.alone.is_some());
    let alone = alone.then_some(["LUT4 without wrapper", "FF without wrapper"]).into_iter().flatten();
    let numbers = counts.chain(alone).chain(needed).chain(["MHz, median", "MHz, best", "seeds", "equivalence"]);
    let header = titles.iter().copied().chain(numbers).map(str::to_owned).collect();
    let row = |figures: &Figures| [figures.titles(boards), figures.numbers(boards)].concat();
    (std::iter::once(header).chain(figures.iter().map(row)).collect(), titles.len())
}

/// A Markdown table with a row a part.
pub fn markdown_table(figures: &[Figures]) -> String {
    let mut rows = rows(figures).0.into_iter();
    let header = rows.next().unwrap_or_default();
    table(&header.iter().map(String::as_str).collect::<Vec<_>>(), rows)
}

/// Columns for a terminal.
pub fn text_table(figures: &[Figures]) -> String {
    let (rows, titles) = rows(figures);
    columns(&rows, titles)
}

/// The critical path in columns; what nextpnr says if there is none.
pub fn path_text(figures: &Figures) -> String {
    let mut text = String::new();
    if let Some(failure) = &figures.failure {
        return format!("{}: {failure}\n", figures.name());
    }
    let (logic, routing) = figures.delay();
    let seed = figures.critical_path_seed.unwrap_or_default();
    let total = logic + routing;
    writeln!(
        text,
        "{}, seed {seed}: {total:.2} ns, {logic:.2} in cells and {routing:.2} in wires\n  wires  cells  through",
        figures.name()
    )
    .expect("writing to a String");
    for hop in &figures.critical_path {
        let Hop { at, cells, routing_ns, logic_ns } = hop;
        let several = if *cells > 1 { format!(", {cells} cells") } else { String::new() };
        writeln!(text, "{routing_ns:>7.2}{logic_ns:>7.2}  {at}{several}").expect("writing to a String");
    }
    text
}

/// A report: the table and every critical path, as Markdown. `what` says in a sentence what the design is.
pub fn markdown(name: &str, what: &str, figures: &[Figures]) -> String {
    let mut text = format!("# {name}\n\n{what}\n\n{}", markdown_table(figures));
    let mut tools: Vec<String> = figures
        .iter()
        .flat_map(|figures| [format!("Yosys {}", figures.tools.yosys), format!("nextpnr {}", figures.tools.nextpnr)])
        .collect();
    tools.sort();
    tools.dedup();
    write!(
        text,
        "\nMade by `txbar synth` with {}; what the figures mean is in [docs/fpga.md](../../docs/fpga.md).\n\n\
         ## Critical paths\n\nThose of the seed with the median clock. Delays are in ns; the first is from the clock to the \
         register's output, the last includes the setup time.\n",
        tools.join(" and ")
    )
    .expect("writing to a String");
    for figures in figures {
        write!(text, "\n```text\n{}```\n", path_text(figures)).expect("writing to a String");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        let odd = Fmax::of(vec![120.0, 100.0, 110.0]);
        assert_eq!((odd.median, odd.best, odd.middle(), odd.fastest()), (110.0, 120.0, 2, 0));
        let even = Fmax::of(vec![120.0, 100.0, 110.0, 90.0]);
        assert_eq!((even.median, even.best, even.middle()), (105.0, 120.0, 1), "the slower one of the middle");
        assert_eq!(Fmax::of(vec![50.0]).median, 50.0);
    }

    #[test]
    fn a_design_that_does_not_fit_has_a_row_and_a_reason() {
        let mut figures = Figures {
            top: "txbar_unit".to_owned(),
            parameters: "p8".to_owned(),
            verilog: String::new(),
            part: "iCE40 UP5K".to_owned(),
            speed: "UP".to_owned(),
            board: None,
            seeds: 1,
            goal_mhz: 100.0,
            fmax_mhz: None,
            lut4: 9999,
            ff: 8888,
            bram: 77,
            carry: 66,
            lut_ram: 0,
            alone: None,
            critical_path: Vec::new(),
            critical_path_seed: None,
            failure: Some("no BELs remaining".to_owned()),
            netlist: String::new(),
            equivalence: Equivalence::Proved,
            tools: Tools { yosys: "0.70".to_owned(), nextpnr: "0.11.1".to_owned() },
        };
        let text = markdown("unit", "A unit.", std::slice::from_ref(&figures));
        assert!(
            text.contains("| iCE40 UP5K | UP | 9999 | 8888 | 77 | 66 | 0 | does not fit | - | 1 | proved |"),
            "{text}"
        );
        assert!(text.contains("iCE40 UP5K speed UP: no BELs remaining"), "{text}");
        assert!(text.contains("with Yosys 0.70 and nextpnr 0.11.1;"), "{text}");
        let columns = text_table(std::slice::from_ref(&figures));
        assert_eq!(columns.lines().count(), 2, "{columns}");
        assert!(!figures.passes());
        figures.fmax_mhz = Some(Fmax::of(vec![90.0, 100.0]));
        assert!(figures.passes(), "the best seed counts");
        assert!(!markdown_table(std::slice::from_ref(&figures)).contains("needed"));
        figures.board = Some("icebreaker".to_owned());
        let text = markdown_table(std::slice::from_ref(&figures));
        assert!(text.contains("| 0 | 100.0 | 95.0 | 100.0 | 1 | proved |"), "{text}");
        let line = against_clock(&figures);
        assert_eq!(line, "txbar_unit: passes: 100 MHz are needed, 100.00 MHz are reached");
        figures.goal_mhz = 101.0;
        assert!(against_clock(&figures).contains("FAILS: 101 MHz"));
    }
}
