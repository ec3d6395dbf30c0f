//! What GTKWave and Surfer need to show a wave file well: a save file and a command file with the signals in groups and markers at
//! the first phase that completes, the first fault and the first wait that is suspended; and the names of opcodes and statuses.
//!
//! There is one view for everything, and it fits every run: it has those signals of each group that have done something.
//!
//! | file | for | holds |
//! | --- | --- | --- |
//! | `RUN.vcd.gtkw` | `gtkwave RUN.vcd.gtkw` | groups, formats, markers |
//! | `txbar_op.txt`, `txbar_status.txt` | GTKWave's *translate filter file* | names by value, as hexadecimal digits |
//! | `RUN.vcd.sucl` | `surfer --command-file RUN.vcd.sucl` | groups, formats, markers |
//! | `.surfer/mappings/txbar_op`, `txbar_status` | Surfer's *mapping translators* | names by value |

mod gtkwave;
mod surfer;

use crate::layout::{EVENTS, Kind, Layout, Var};
use crate::write::Written;
use std::path::PathBuf;
use txbar_rtl::op::Op;
use txbar_rtl::status::Status;

/// How a viewer is to show a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    Bit,
    Hex,
    Decimal,
    Signed,
    /// By the names of one of [`NAMES`].
    Named(Kind),
}

/// Kinds of values that have names, and what their tables are called.
const NAMES: [(Kind, &str); 2] = [(Kind::Op, "txbar_op"), (Kind::Status, "txbar_status")];

/// The table of a kind.
fn table(kind: Kind) -> &'static str {
    NAMES.iter().find(|(named, _)| *named == kind).map_or("", |(_, table)| table)
}

/// Values of a kind with their names, and whether one stands out.
fn values(kind: Kind) -> Vec<(u8, &'static str, bool)> {
    match kind {
        Kind::Op => Op::ALL.iter().map(|op| (op.code(), op.name(), false)).collect(),
        Kind::Status => Status::ALL.iter().map(|s| (s.code(), s.name(), *s != Status::Ok)).collect(),
        Kind::Plain | Kind::Word => Vec::new(),
    }
}

/// A signal in a view.
struct Shown<'a> {
    name: String,
    var: &'a Var,
    look: Look,
}

/// Signals side by side, under a heading.
struct Group<'a> {
    heading: String,
    signals: Vec<Shown<'a>>,
}

/// A file beside a wave file: where, from the wave file's directory, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beside {
    /// Path.
    pub path: PathBuf,
    /// Text.
    pub text: String,
}

/// Names of the save file for GTKWave and the command file for Surfer of a wave file of this name (without directories). The whole name is
/// in them: a VCD file and an FST file of one name have each their own.
pub fn names(file: &str) -> [String; 2] {
    ["gtkw", "sucl"].map(|ending| format!("{file}.{ending}"))
}

/// The files that belong beside the wave file of this name (without directories), which has been written.
pub fn beside(file: &str, layout: &Layout, written: &Written) -> Vec<Beside> {
    let groups = groups(layout, written);
    let [save, commands] = names(file);
    let markers: Vec<(&str, u64)> =
        EVENTS.into_iter().zip(written.first).filter_map(|(name, cycle)| Some((name, cycle?))).collect();
    let view = View { file, groups: &groups, markers: &markers, begin: written.cycles.as_ref().map_or(0, |c| c.start) };
    let mut files = vec![
        Beside { path: save.into(), text: gtkwave::save_file(&view) },
        Beside { path: commands.into(), text: surfer::command_file(&view) },
    ];
    for (kind, table) in NAMES {
        files.push(Beside { path: format!("{table}.txt").into(), text: gtkwave::filter_file(kind) });
        files.push(Beside { path: [".surfer", "mappings", table].iter().collect(), text: surfer::mapping_file(kind) });
    }
    files
}

/// View for both viewers.
struct View<'a> {
    file: &'a str,
    groups: &'a [Group<'a>],
    /// Events and the cycles in which they first happen.
    markers: &'a [(&'a str, u64)],
    /// The first cycle of the file.
    begin: u64,
}

impl View<'_> {
    /// The event to look at first: a fault if there is one.
    fn event(&self) -> Option<u64> {
        let of = |wanted| self.markers.iter().find(|(name, _)| *name == wanted);
        of("fault").or_else(|| of("flip")).or(self.markers.first()).map(|(_, cycle)| *cycle)
    }
}

/// The groups of a view, without signals that never change; the events are always there.
fn groups<'a>(layout: &'a Layout, written: &Written) -> Vec<Group<'a>> {
    let signals = layout.signals();
    let mut groups: Vec<Group> = Vec::new();
    for (place, heading) in headings(&signals) {
        let shown: Vec<Shown> = signals
            .iter()
            .enumerate()
            .filter(|(number, (name, _))| {
                place.has(name) && (written.changed[*number] || name.contains(".events.") || name.ends_with(".clk"))
            })
            .map(|(_, (name, var))| Shown { name: name.clone(), var, look: look(name, var) })
            .collect();
        if !shown.is_empty() {
            groups.push(Group { heading, signals: shown });
        }
    }
    groups
}

/// View of a signal.
fn look(name: &str, var: &Var) -> Look {
    let is_count = |last: &str| ["pending", "expected", "parked"].contains(&last) || last.contains("bytes");
    match (var.kind, var.width, var.name.as_str()) {
        (Kind::Op | Kind::Status, ..) => Look::Named(var.kind),
        (_, 1, _) => Look::Bit,
        (_, _, "tx") if name.contains("_fields.") => Look::Signed,
        (_, _, last) if name.contains("_fields.") || name.contains(".events.") || is_count(last) => Look::Decimal,
        _ => Look::Hex,
    }
}

/// Which signals belong to a group: those below a scope whose names begin with one of some parts and, if it has a number, end
/// with it.
struct Place {
    scope: String,
    names: Vec<String>,
    lane: Option<String>,
}

impl Place {
    fn has(&self, signal: &str) -> bool {
        let Some(name) = signal.strip_prefix(&self.scope).and_then(|rest| rest.strip_prefix('.')) else { return false };
        let begins = |part: &String| {
            let rest = name.strip_prefix(part.as_str());
            rest.is_some_and(|rest| match &self.lane {
                Some(lane) => rest == lane,
                None => rest.is_empty(),
            })
        };
        self.names.iter().any(begins)
    }
}

/// The groups that there may be, in their order: what to look for, what is asked and answered, words, waits, and the rest.
fn headings(signals: &[(String, &Var)]) -> Vec<(Place, String)> {
    let top = signals.first().map_or("", |(clock, _)| clock.trim_end_matches(".clk"));
    let mut plan = Plan { signals, groups: Vec::new() };
    plan.add(top, &["clk", "events.flip", "events.fault", "events.parked"], None, "what to look for".to_owned());
    if top == "unit" {
        plan.ports(top, "", "");
        plan.unit(top, "");
        return plan.groups;
    }
    for cta in 0..plan.count(|cta| format!("{top}.req_valid_{cta}")) {
        let of = format!("CTA {cta}, ");
        plan.ports(top, &format!("{cta}_"), &of);
        plan.unit(&format!("{top}.cta_{cta}.unit"), &of);
        for (name, prefix) in [("bulk copies", "bulk_"), ("cp.async", "async_"), ("barrier.cluster", "bar_")] {
            let suffix = format!("_{cta}");
            let of_cta = |signal: &str| {
                let name = signal.strip_prefix("cluster.")?.strip_suffix(&suffix)?;
                name.starts_with(prefix).then(|| format!("{name}_"))
            };
            let names: Vec<String> = signals.iter().filter_map(|(signal, _)| of_cta(signal)).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            plan.add(top, &names, Some(cta.to_string()), format!("{of}{name}"));
        }
        for link in ["requests", "beats", "answers"] {
            plan.add(&format!("{top}.{link}_{cta}"), &["valid"], None, format!("{of}{link} from other CTAs"));
        }
    }
    plan.groups
}

/// Groups under way.
struct Plan<'a> {
    signals: &'a [(String, &'a Var)],
    groups: Vec<(Place, String)>,
}

impl Plan<'_> {
    /// How many of a numbered signal there are.
    fn count(&self, name: impl Fn(usize) -> String) -> usize {
        let has = |number: &usize| self.signals.iter().any(|(signal, _)| *signal == name(*number));
        (0..).take_while(has).count()
    }

    fn add(&mut self, scope: &str, names: &[&str], lane: Option<String>, heading: String) {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        self.groups.push((Place { scope: scope.to_owned(), names, lane }, heading));
    }

    /// Ports of threads. `lane` is what stands before a port's number in the names.
    fn ports(&mut self, scope: &str, lane: &str, of: &str) {
        let handshakes = ["req_valid", "req_ready", "rsp_valid", "rsp_ready"];
        match lane.strip_suffix('_') {
            None => self.add(scope, &handshakes, None, format!("{of}handshakes")),
            Some(cta) => {
                let handshakes = handshakes.map(|name| format!("{name}_"));
                let handshakes = handshakes.each_ref().map(String::as_str);
                self.add(scope, &handshakes, Some(cta.to_owned()), format!("{of}handshakes"));
            }
        }
        let names = ["req_op_", "req_address_", "req_data_", "req_tag_", "rsp_status_", "rsp_predicate_", "rsp_tag_"];
        for port in 0..self.count(|port| format!("{scope}.req_op_{lane}{port}")) {
            self.add(scope, &names, Some(format!("{lane}{port}")), format!("{of}port {port}"));
        }
    }

    /// Signals of a unit.
    fn unit(&mut self, scope: &str, of: &str) {
        self.add(scope, &["flip_valid", "wake_valid", "done_valid"], None, format!("{of}effects"));
        for port in 0..self.count(|port| format!("{scope}.waiters_{port}.parked")) {
            let names = ["parked", "over", "success", "gone"];
            self.add(&format!("{scope}.waiters_{port}"), &names, None, format!("{of}port {port}: suspended waits"));
        }
        for bank in 0..self.count(|bank| format!("{scope}.bank_{bank}.done")) {
            let names = ["done", "row_c4", "alu.word"];
            let fields = ["phase", "pending", "fault", "tx", "expected"].map(|name| format!("alu.word_fields.{name}"));
            let names: Vec<&str> = names.into_iter().chain(fields.iter().map(String::as_str)).collect();
            self.add(&format!("{scope}.bank_{bank}"), &names, None, format!("{of}bank {bank}: words"));
        }
    }
}
