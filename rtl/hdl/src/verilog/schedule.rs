//! Derives an order of the processes of every kind of block from what they read and drive.
//!
//! The order is one of kinds, not of instances: the lanes of a field are settled one after the other. A block is settled as a whole, in one
//! *part*, if every block that holds it can be ordered so; else its processes are split into parts. Where to split follows from circles:
//!
//! ```text
//!   holder:   ... ─► ready ─► [ block ] ─► valid ─► ...  a circle, if the whole block must wait for `ready`
//!                      ▲                     │
//!                      └─────────────────────┘
//!   block:    what does not depend on `ready` becomes a part that comes before the others
//! ```

use super::kernel::Printer;
use super::netlist::{Content, Module};
use crate::{MemoryKind, Names, Widths};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

type Nets = BTreeSet<String>;

/// What is called when a block settles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    /// A part of the blocks of a field: the field, and which part.
    Field(usize, usize),
    /// A process.
    Process(usize),
}

/// A field that holds blocks of one kind, or memories that are read at once.
#[derive(Clone, Debug)]
struct Field {
    name: &'static str,
    /// How many levels of lanes it has.
    levels: usize,
    /// The kind of its blocks; none for memories.
    kind: Option<usize>,
    /// Pairs of a port inside and a net outside.
    connections: BTreeSet<(String, String)>,
}

#[derive(Clone, Debug, Default)]
struct Process {
    path: &'static str,
    reads: Nets,
    drives: Nets,
}

/// A point at which others look into a block, and may change its signals, while it settles.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// Its name: a variant of `place`.
    pub name: &'static str,
    /// The type of the points, with its path.
    pub place: &'static str,
    /// Outputs of fields that are given by then. One that is a register is given from the beginning: what it takes on next is not.
    pub given: &'static [(&'static str, &'static str)],
    /// Processes of the block that come after it, and before the next point.
    pub then: &'static [&'static str],
}

/// A kind of block.
#[derive(Clone, Debug, Default)]
struct Kind {
    path: &'static str,
    /// The points at which others look in, in their order; they are the last of the processes.
    points: Vec<Point>,
    fields: Vec<Field>,
    processes: Vec<Process>,
    /// The steps of each part.
    parts: Vec<BTreeSet<Step>>,
}

/// Every kind of block of some designs, with an order for each.
#[derive(Debug)]
pub struct Schedule {
    kinds: Vec<Kind>,
    whole: Vec<String>,
}

impl Schedule {
    /// No blocks yet; kinds of these names are not split.
    pub fn new(whole: &[&str]) -> Self {
        Self { kinds: Vec::new(), whole: whole.iter().map(|name| (*name).to_owned()).collect() }
    }

    /// Adds what a module and those in it read and drive. Gives the number of its kind, unless nothing in it is ever called.
    pub fn add(&mut self, module: &Module, widths: &dyn Widths, known: &Names) -> Option<usize> {
        let path = module.processes.first()?.call.block();
        let number = self.kinds.iter().position(|kind| kind.path == path).unwrap_or_else(|| {
            self.kinds.push(Kind { path, ..Kind::default() });
            self.kinds.len() - 1
        });
        for instance in &module.instances {
            let kind = match &instance.content {
                Content::Block(block) => match self.add(block, widths, known) {
                    Some(kind) => Some(kind),
                    None => continue,
                },
                Content::Memory(memory) if memory.kind == MemoryKind::Lut => None,
                Content::Memory(_) => continue,
            };
            let fields = &mut self.kinds[number].fields;
            let place = fields.iter().position(|field| field.name == instance.place.field).unwrap_or_else(|| {
                let (name, levels) = (instance.place.field, instance.place.indices().count());
                fields.push(Field { name, levels, kind, connections: BTreeSet::new() });
                fields.len() - 1
            });
            fields[place].connections.extend(instance.connections.iter().cloned());
        }
        let mut printer = Printer::new(module, widths, known);
        for kernel in &module.processes {
            printer.block(&kernel.tree, 0, &mut String::new());
            let processes = &mut self.kinds[number].processes;
            let path = kernel.call.process();
            let place = processes.iter().position(|process| process.path == path).unwrap_or_else(|| {
                processes.push(Process { path, ..Process::default() });
                processes.len() - 1
            });
            for (driven, nets) in std::mem::take(&mut printer.driven) {
                processes[place].reads.extend(nets);
                processes[place].drives.insert(driven);
            }
        }
        Some(number)
    }

    /// Lets others look into blocks of a kind at these points.
    pub fn look(&mut self, name: &str, points: &[Point]) {
        let kind = self.kinds.iter_mut().find(|kind| last(kind.path) == name).expect("a kind of the designs");
        let own = kind.processes.len();
        for (number, point) in points.iter().enumerate() {
            let [before, after] = ["before", "after"].map(|side| format!("{side} {}", point.name));
            let stage = |path: &str| points.iter().rposition(|point| point.then.contains(&last(path)));
            for process in &mut kind.processes[..own] {
                if stage(process.path).is_some_and(|stage| stage >= number) {
                    process.reads.insert(after.clone());
                } else {
                    process.drives.insert(before.clone());
                }
            }
            let given = kind.fields.iter().flat_map(|field| {
                let ports = point.given.iter().filter(|(name, _)| *name == field.name);
                let nets = ports.flat_map(|(_, port)| {
                    let of_port = move |inside: &str| {
                        let lane = inside.strip_prefix(*port);
                        lane.is_some_and(|lane| lane.chars().all(|c| c == '_' || c.is_ascii_digit()))
                    };
                    field.connections.iter().filter(move |(inside, _)| of_port(inside)).map(|(_, net)| net.clone())
                });
                nets.collect::<Vec<_>>()
            });
            let reads = given.chain([before]).collect();
            kind.processes.push(Process { path: point.name, reads, drives: Nets::from([after]) });
            kind.points.push(*point);
        }
    }

    /// Splits blocks until every kind has an order.
    ///
    /// # Errors
    /// A circle that no split opens: which block, and its steps.
    pub fn derive(&mut self) -> Result<(), String> {
        for kind in &mut self.kinds {
            let fields = (0..kind.fields.len()).map(|field| Step::Field(field, 0));
            let steps: BTreeSet<Step> = fields.chain((0..kind.processes.len()).map(Step::Process)).collect();
            kind.parts = vec![steps];
        }
        while let Some((kind, circle)) = (0..self.kinds.len()).find_map(|kind| Some((kind, self.circle(kind)?))) {
            let again: Vec<Step> = circle.iter().chain(&circle).chain(&circle[..1]).copied().collect();
            if !self.open(kind, &again) {
                let steps: Vec<String> = circle.iter().map(|step| self.name(kind, *step)).collect();
                return Err(format!("{}: a circle of {}", self.kinds[kind].path, steps.join(", ")));
            }
        }
        (0..self.kinds.len()).for_each(|kind| self.delay(kind));
        Ok(())
    }

    /// Moves steps into later parts, those that need them or the last one, if their own part gives nothing of theirs: what follows each
    /// other in the data is then called one after the other.
    fn delay(&mut self, kind: usize) {
        let edges = self.edges(kind);
        let given: Nets = self
            .kinds
            .iter()
            .flat_map(|holder| &holder.fields)
            .filter(|field| field.kind == Some(kind))
            .flat_map(|field| field.connections.iter().map(|(port, _)| port.clone()))
            .collect();
        for part in (0..self.kinds[kind].parts.len()).rev() {
            while let Some((step, later)) = self.kinds[kind].parts[part].iter().find_map(|step| {
                let place = |other: &Step| self.kinds[kind].parts.iter().position(|steps| steps.contains(other));
                let later = edges[step].iter().filter_map(place).min().unwrap_or(self.kinds[kind].parts.len() - 1);
                let stays = later <= part || !self.nets(kind, *step, true).is_disjoint(&given);
                (!stays && self.may_move(kind, *step, part, later)).then_some((*step, later))
            }) {
                self.kinds[kind].parts[part].remove(&step);
                self.kinds[kind].parts[later].insert(step);
            }
        }
    }

    /// Whether every holder of a kind can still be ordered if a step is in a later part.
    fn may_move(&self, kind: usize, step: Step, part: usize, later: usize) -> bool {
        let mut moved = Schedule { kinds: self.kinds.clone(), whole: Vec::new() };
        moved.kinds[kind].parts[part].remove(&step);
        moved.kinds[kind].parts[later].insert(step);
        !moved.kinds[kind].parts[part].is_empty() && (0..self.kinds.len()).all(|kind| moved.circle(kind).is_none())
    }

    fn parts(&self, field: &Field) -> usize {
        field.kind.map_or(1, |kind| self.kinds[kind].parts.len())
    }

    fn steps(&self, kind: usize) -> Vec<Step> {
        let kind = &self.kinds[kind];
        let fields = kind.fields.iter().enumerate();
        let parts = fields.flat_map(|(place, field)| (0..self.parts(field)).map(move |part| Step::Field(place, part)));
        parts.chain((0..kind.processes.len()).map(Step::Process)).collect()
    }

    /// What a part of a kind reads or drives.
    fn of_part(&self, kind: usize, part: usize, drives: bool) -> Nets {
        self.kinds[kind].parts[part].iter().flat_map(|step| self.nets(kind, *step, drives)).collect()
    }

    /// What a step reads or drives, of the nets of its block.
    fn nets(&self, kind: usize, step: Step, drives: bool) -> Nets {
        match step {
            Step::Process(process) if drives => self.kinds[kind].processes[process].drives.clone(),
            Step::Process(process) => self.kinds[kind].processes[process].reads.clone(),
            Step::Field(place, part) => {
                let field = &self.kinds[kind].fields[place];
                let ports = match field.kind {
                    Some(inner) => self.of_part(inner, part, drives),
                    None if drives => Nets::from(["read_data".to_owned()]),
                    None => Nets::from(["read_address".to_owned()]),
                };
                let connected = field.connections.iter().filter(|(port, _)| ports.contains(port));
                connected.map(|(_, net)| net.clone()).collect()
            }
        }
    }

    /// For each step of a kind, those that need it.
    fn edges(&self, kind: usize) -> BTreeMap<Step, BTreeSet<Step>> {
        let steps = self.steps(kind);
        let reads: Vec<Nets> = steps.iter().map(|step| self.nets(kind, *step, false)).collect();
        let mut edges = BTreeMap::new();
        for from in &steps {
            let drives = self.nets(kind, *from, true);
            let needs = |(to, reads): (&Step, &Nets)| {
                let through_nets = to != from && !reads.is_disjoint(&drives);
                (through_nets || self.follows(kind, *from, *to)).then_some(*to)
            };
            edges.insert(*from, steps.iter().zip(&reads).filter_map(needs).collect());
        }
        edges
    }

    /// Whether both are parts of one field's blocks, and the second needs the first within a block.
    fn follows(&self, kind: usize, from: Step, to: Step) -> bool {
        let (Step::Field(field, first), Step::Field(other, second)) = (from, to) else { return false };
        let Some(inner) = self.kinds[kind].fields[field].kind.filter(|_| field == other && first < second) else {
            return false;
        };
        !self.of_part(inner, first, true).is_disjoint(&self.of_part(inner, second, false))
    }

    /// Steps of a kind that need each other in a circle.
    fn circle(&self, kind: usize) -> Option<Vec<Step>> {
        let edges = self.edges(kind);
        edges.keys().find_map(|step| {
            let mut way = self.way(&edges, &BTreeSet::from([*step]), &BTreeSet::from([*step]), true)?;
            way.pop();
            Some(way)
        })
    }

    /// The shortest way from one of some steps to one of others; `moves` if it must have an edge.
    fn way(
        &self,
        edges: &BTreeMap<Step, BTreeSet<Step>>,
        from: &BTreeSet<Step>,
        to: &BTreeSet<Step>,
        moves: bool,
    ) -> Option<Vec<Step>> {
        if let Some(step) = from.intersection(to).next().filter(|_| !moves) {
            return Some(vec![*step]);
        }
        let mut before: BTreeMap<Step, Step> = BTreeMap::new();
        let mut next: VecDeque<Step> = from.iter().copied().collect();
        while let Some(step) = next.pop_front() {
            for after in &edges[&step] {
                if to.contains(after) {
                    let mut way = vec![*after, step];
                    while let Some(earlier) = before.get(way.last().expect("it has one")) {
                        if from.contains(way.last().expect("it has one")) {
                            break;
                        }
                        way.push(*earlier);
                    }
                    way.reverse();
                    return Some(way);
                }
                if !from.contains(after) && !before.contains_key(after) {
                    before.insert(*after, step);
                    next.push_back(*after);
                }
            }
        }
        None
    }

    /// Splits a block that is on a way of steps and does not need it: true if there is one.
    fn open(&mut self, kind: usize, way: &[Step]) -> bool {
        let same = |a: Step, b: Step| matches!((a, b), (Step::Field(a, _), Step::Field(b, _)) if a == b);
        let mut place = 1;
        while place + 1 < way.len() {
            let first = place;
            while place + 1 < way.len() && same(way[first], way[place + 1]) {
                place += 1;
            }
            place += 1;
            let (Step::Field(field, _), Some(after)) = (way[first], way.get(place)) else { continue };
            if same(way[first - 1], way[first]) {
                continue;
            }
            let Some(inner) = self.kinds[kind].fields[field].kind else { continue };
            let enters = self.ports(kind, field, &self.nets(kind, way[first - 1], true));
            let leaves = self.ports(kind, field, &self.nets(kind, *after, false));
            if self.separate(inner, &enters, &leaves) {
                return true;
            }
        }
        false
    }

    /// The ports of a field's blocks at some nets.
    fn ports(&self, kind: usize, field: usize, nets: &Nets) -> Nets {
        let connected = self.kinds[kind].fields[field].connections.iter().filter(|(_, net)| nets.contains(net));
        connected.map(|(port, _)| port.clone()).collect()
    }

    /// Splits the parts of a kind, or of what is in it, so that what is given at some ports does not need what comes in at others.
    fn separate(&mut self, kind: usize, enters: &Nets, leaves: &Nets) -> bool {
        if self.whole.iter().any(|name| self.kinds[kind].path.ends_with(&format!("::{name}"))) {
            return false;
        }
        let (edges, steps) = (self.edges(kind), self.steps(kind));
        let touching = |nets: &Nets, drives| -> BTreeSet<Step> {
            steps.iter().copied().filter(|step| !self.nets(kind, *step, drives).is_disjoint(nets)).collect()
        };
        let (first, last) = (touching(enters, false), touching(leaves, true));
        if let Some(way) = self.way(&edges, &first, &last, false) {
            return self.open_within(kind, &way, enters, leaves);
        }
        let mut reached = first.clone();
        let mut next: Vec<Step> = first.into_iter().collect();
        while let Some(step) = next.pop() {
            next.extend(edges[&step].iter().filter(|after| reached.insert(**after)));
        }
        self.split(kind, &reached)
    }

    /// [`Schedule::open`] for a way from ports to ports.
    fn open_within(&mut self, kind: usize, way: &[Step], enters: &Nets, leaves: &Nets) -> bool {
        // a field at either end is looked at here, those between by `open`
        for (end, step) in [(true, way[0]), (false, way[way.len() - 1])] {
            let Step::Field(field, _) = step else { continue };
            let Some(inner) = self.kinds[kind].fields[field].kind else { continue };
            let run = |step: &&Step| matches!(step, Step::Field(other, _) if *other == field);
            let length =
                if end { way.iter().take_while(run).count() } else { way.iter().rev().take_while(run).count() };
            let before = way.len().checked_sub(length + 1).map(|place| self.nets(kind, way[place], true));
            let after = way.get(length).map(|step| self.nets(kind, *step, false));
            let (nets_in, nets_out) = if end {
                (enters.clone(), after.unwrap_or_else(|| leaves.clone()))
            } else {
                (before.unwrap_or_else(|| enters.clone()), leaves.clone())
            };
            let (inside, outside) = (self.ports(kind, field, &nets_in), self.ports(kind, field, &nets_out));
            if self.separate(inner, &inside, &outside) {
                return true;
            }
        }
        self.open(kind, way)
    }

    /// Makes two of each part of a kind of which some steps are in a set: those that are not come first.
    fn split(&mut self, kind: usize, later: &BTreeSet<Step>) -> bool {
        let mut found = false;
        for part in (0..self.kinds[kind].parts.len()).rev() {
            let (after, before): (BTreeSet<Step>, BTreeSet<Step>) =
                self.kinds[kind].parts[part].iter().partition(|step| later.contains(step));
            if before.is_empty() || after.is_empty() {
                continue;
            }
            found = true;
            self.kinds[kind].parts.splice(part..=part, [before, after]);
            for holder in &mut self.kinds {
                let fields: Vec<usize> =
                    (0..holder.fields.len()).filter(|field| holder.fields[*field].kind == Some(kind)).collect();
                for steps in &mut holder.parts {
                    let moved = |step: Step| match step {
                        Step::Field(field, old) if fields.contains(&field) && old > part => {
                            vec![Step::Field(field, old + 1)]
                        }
                        Step::Field(field, old) if fields.contains(&field) && old == part => {
                            vec![step, Step::Field(field, old + 1)]
                        }
                        _ => vec![step],
                    };
                    *steps = steps.iter().copied().flat_map(moved).collect();
                }
            }
        }
        found
    }

    /// The steps of a part in an order: blocks as early as they can be, processes as they are declared. Where others look in, what is not
    /// needed for a point comes after it.
    fn ordered(&self, kind: usize, part: usize) -> Vec<Step> {
        let edges = self.edges(kind);
        let mut rest = self.kinds[kind].parts[part].clone();
        let mut order = Vec::new();
        if !self.kinds[kind].points.is_empty() {
            while !rest.is_empty() {
                let free = |step: &Step| !edges[step].iter().any(|other| other != step && rest.contains(other));
                let fields = rest.iter().copied().rfind(|step| matches!(step, Step::Field(..)) && free(step));
                let step = fields.or_else(|| rest.iter().copied().rfind(free)).expect("there is no circle");
                rest.remove(&step);
                order.push(step);
            }
            order.reverse();
            return order;
        }
        while let Some(step) =
            rest.iter().copied().find(|step| !rest.iter().any(|other| other != step && edges[other].contains(step)))
        {
            rest.remove(&step);
            order.push(step);
        }
        order
    }

    fn name(&self, kind: usize, step: Step) -> String {
        match step {
            Step::Process(process) => last(self.kinds[kind].processes[process].path).to_owned(),
            Step::Field(field, part) => format!("{} (part {})", self.kinds[kind].fields[field].name, part + 1),
        }
    }

    /// The order as [`settle!`](crate::settle!) of the blocks, but for those of these names, whose methods are written by hand. `awake` gives
    /// conditions: what a process of a kind, or a read of a field, is called under. Methods of kinds whose paths begin as one in `apart` are
    /// inlined only if the compiler likes to.
    pub fn rust(&self, by_hand: &[&str], apart: &[&str], awake: &[(&str, &[&str], &str)]) -> String {
        let mut kinds: Vec<usize> = (0..self.kinds.len()).collect();
        kinds.sort_by_key(|kind| self.kinds[*kind].path);
        kinds.retain(|kind| !by_hand.contains(&last(self.kinds[*kind].path)));
        kinds.into_iter().map(|kind| self.settle(kind, apart, awake)).collect()
    }

    /// The order of a block of a kind.
    fn settle(&self, kind: usize, apart: &[&str], awake: &[(&str, &[&str], &str)]) -> String {
        let Kind { path, parts, points, .. } = &self.kinds[kind];
        let how = match points.first() {
            Some(point) => format!("looked into at [{}]", in_crate(point.place)),
            None if apart.iter().any(|start| path.starts_with(start)) => "apart".to_owned(),
            None => "inline".to_owned(),
        };
        let path = in_crate(path);
        let (module, block) = path.rsplit_once("::").expect("a block is in a crate");
        let awake: Vec<_> = awake.iter().filter(|(name, ..)| *name == block).collect();
        let head = format!("settle! {{ [{module}] {block} {how}:");
        let names: Vec<String> = match (points.len(), parts.len()) {
            (0, 1) => vec!["settle".to_owned()],
            (0, count) => (1..=count).map(|part| format!("settle_{part}")).collect(),
            _ => vec!["settle_steps".to_owned()],
        };
        let parts = names.iter().enumerate().map(|(part, name)| {
            let mut steps = self.calls(kind, part, &awake);
            if !points.is_empty() {
                steps.push("look Settled".to_owned());
            }
            in_lines(name, &steps)
        });
        let parts: Vec<String> = parts.collect();
        match &parts[..] {
            [part] if head.len() + part.len() < LINE && !part.contains('\n') => format!("{head} {} }}\n", part.trim()),
            _ => format!("{head}\n{}\n}}\n", parts.join("\n")),
        }
    }

    /// The steps of a part; parts of a field that follow each other are called together.
    fn calls(&self, number: usize, part: usize, awake: &[&(&str, &[&str], &str)]) -> Vec<String> {
        let kind = &self.kinds[number];
        let name = |step: &Step| match step {
            Step::Process(process) => last(kind.processes[*process].path),
            Step::Field(field, _) => kind.fields[*field].name,
        };
        let under = |step: &Step| {
            awake.iter().find(|(_, names, _)| names.contains(&name(step))).map(|(.., condition)| *condition)
        };
        let same = |a: &Step, b: &Step| matches!((a, b), (Step::Field(a, _), Step::Field(b, _)) if a == b);
        let call = |run: &[Step]| match run[0] {
            Step::Process(process) if kind.processes[process].path.contains("::") => name(&run[0]).to_owned(),
            Step::Process(_) => format!("look {}", name(&run[0])),
            Step::Field(place, _) => self.calls_of_field(&kind.fields[place], run),
        };
        let order = self.ordered(number, part);
        let runs = order.chunk_by(|a, b| under(a) == under(b)).map(|run| {
            let calls: Vec<String> = run.chunk_by(same).map(call).collect();
            match under(&run[0]) {
                None => calls,
                Some(condition) => vec![format!("if [{condition}] {{ {} }}", calls.join(", "))],
            }
        });
        runs.flatten().collect()
    }

    fn calls_of_field(&self, field: &Field, steps: &[Step]) -> String {
        let method = |step: &Step| match (field.kind, step) {
            (Some(_), Step::Field(_, part)) if self.parts(field) > 1 => format!(".settle_{}()", part + 1),
            (Some(_), _) => ".settle()".to_owned(),
            (None, _) => ".read()".to_owned(),
        };
        "each ".repeat(field.levels) + field.name + &steps.iter().map(method).collect::<String>()
    }
}

/// How long lines of the text are at most.
const LINE: usize = 118;

/// A part of a block in lines that are not too long.
fn in_lines(name: &str, steps: &[String]) -> String {
    let mut lines = vec![format!("    {name} {{")];
    for (place, step) in steps.iter().enumerate() {
        let comma = if place + 1 < steps.len() { "," } else { " }" };
        if lines[lines.len() - 1].len() + step.len() + 3 > LINE {
            lines.push(" ".repeat(7));
        }
        let line = lines.last_mut().expect("there is one");
        *line += &format!(" {step}{comma}");
    }
    lines.join("\n")
}

fn last(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

/// A path of the crate whose blocks they are.
fn in_crate(path: &str) -> String {
    path.split_once("::").map_or_else(|| path.to_owned(), |(_, inner)| format!("crate::{inner}"))
}
