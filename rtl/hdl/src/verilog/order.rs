//! Check that processes ran in data order: drivers and readers of every net, over all blocks.

use super::kernel::Printer;
use super::netlist::{Content, Module, NetKind};
use crate::order::Ordered;
use crate::{Call, MemoryKind, Names, Widths};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A process somewhere in a design.
struct Reader {
    name: String,
    call: Call,
    /// What it drives, and what it reads to know that.
    drives: BTreeMap<String, BTreeSet<String>>,
}

/// The processes of a design, and what is between them.
struct Flow<'a> {
    widths: &'a dyn Widths,
    known: &'a Names,
    processes: Vec<Reader>,
    /// Driving process of each net.
    drivers: HashMap<String, usize>,
    /// The net that a net follows: at the other side of a port, or at the address of a memory that is read at once.
    follows: HashMap<String, String>,
}

/// Compares the calls in their order with what the syntax trees say; gives what is wrong, if something is.
pub fn compare(top: &Module, widths: &dyn Widths, known: &Names, calls: &[Call]) -> Result<Ordered, String> {
    let flow = Flow::of(top, widths, known);
    let mut places = HashMap::new();
    for (place, call) in calls.iter().enumerate() {
        if places.insert(*call, place).is_some() {
            return Err(format!("{} runs twice", flow.name(*call)));
        }
    }
    let known: BTreeSet<usize> =
        flow.processes.iter().filter_map(|process| places.get(&process.call).copied()).collect();
    if let Some(call) = (0..calls.len()).find(|place| !known.contains(place)).map(|place| calls[place]) {
        return Err(format!("{} runs and is not in the design", call.name()));
    }
    let (mut ordered, mut wrong) = (Ordered::default(), Vec::new());
    for process in &flow.processes {
        let Some(place) = places.get(&process.call) else {
            ordered.asleep.insert(process.call.name());
            continue;
        };
        for net in process.drives.values().flatten().collect::<BTreeSet<_>>() {
            let Some(driver) = flow.driver(net) else { continue };
            let driver = &flow.processes[driver];
            if places.get(&driver.call).is_some_and(|driven| driven >= place) {
                wrong.push(format!("{} reads {net} before {} drives it", process.name, driver.name));
            }
            ordered.dependencies += 1;
        }
    }
    if wrong.is_empty() { Ok(ordered) } else { Err(wrong.join("\n")) }
}

/// The processes in an order of the data. One that drives some nets early and others late comes several times.
///
/// # Errors
/// A combinational loop: the nets that are never known.
pub fn derive(top: &Module, widths: &dyn Widths, known: &Names) -> Result<Vec<Call>, String> {
    let flow = Flow::of(top, widths, known);
    let (mut calls, mut done) = (Vec::new(), BTreeSet::<&String>::new());
    let all: usize = flow.processes.iter().map(|process| process.drives.len()).sum();
    while done.len() < all {
        let before = done.len();
        // those that can drive all they have left come first: they run but once
        for whole in [true, false] {
            for process in &flow.processes {
                let left: Vec<_> = process.drives.iter().filter(|(net, _)| !done.contains(net)).collect();
                let is_known = |net: &String| {
                    process.drives.contains_key(net) || flow.driver_net(net).is_none_or(|net| done.contains(net))
                };
                let ready = left.iter().filter(|(_, reads)| reads.iter().all(is_known)).map(|(net, _)| *net);
                let ready: Vec<_> = ready.collect();
                if !ready.is_empty() && (ready.len() == left.len() || !whole && done.len() == before) {
                    calls.push(process.call);
                    done.extend(ready);
                }
            }
        }
        if done.len() == before {
            let nets = flow.processes.iter().flat_map(|process| process.drives.keys());
            let left: Vec<_> = nets.filter(|net| !done.contains(net)).map(String::as_str).collect();
            return Err(format!("a combinational loop, in or before {}", left.join(", ")));
        }
    }
    Ok(calls)
}

impl<'a> Flow<'a> {
    /// Data order of a design.
    fn of(top: &Module, widths: &'a dyn Widths, known: &'a Names) -> Self {
        let mut flow = Self { widths, known, processes: Vec::new(), drivers: HashMap::new(), follows: HashMap::new() };
        flow.module("", top);
        flow
    }

    /// A block that stands at this path.
    fn module(&mut self, path: &str, module: &Module) {
        let mut printer = Printer::new(module, self.widths, self.known);
        for kernel in &module.processes {
            printer.block(&kernel.tree, 0, &mut String::new());
            let mut drives = BTreeMap::new();
            for (driven, nets) in std::mem::take(&mut printer.driven) {
                let reads = nets.into_iter().map(|net| format!("{path}{net}")).collect();
                self.drivers.insert(format!("{path}{driven}"), self.processes.len());
                drives.insert(format!("{path}{driven}"), reads);
            }
            self.processes.push(Reader { name: format!("{path}{}", kernel.name), call: kernel.call, drives });
        }
        let kinds: HashMap<&str, NetKind> = module.nets.iter().map(|net| (net.name.as_str(), net.kind)).collect();
        for instance in &module.instances {
            let inner = format!("{path}{}.", instance.name);
            for (port, net) in &instance.connections {
                let (inside, outside) = (format!("{inner}{port}"), format!("{path}{net}"));
                let is_input = kinds[net.as_str()] == NetKind::ToInstance;
                let (net, follows) = if is_input { (inside, outside) } else { (outside, inside) };
                self.follows.insert(net, follows);
            }
            match &instance.content {
                Content::Block(block) => self.module(&inner, block),
                Content::Memory(memory) if memory.kind == MemoryKind::Lut => {
                    self.follows.insert(format!("{inner}read_data"), format!("{inner}read_address"));
                }
                Content::Memory(_) => {} // a register is in between
            }
        }
    }

    /// Which process drives a net in the same cycle, if one does.
    fn driver(&self, net: &String) -> Option<usize> {
        self.drivers.get(self.driver_net(net)?).copied()
    }

    /// The net that a process drives, from which a net is in the same cycle.
    fn driver_net<'b>(&'b self, mut net: &'b String) -> Option<&'b String> {
        while !self.drivers.contains_key(net) {
            net = self.follows.get(net)?;
        }
        Some(net)
    }

    fn name(&self, call: Call) -> String {
        let process = self.processes.iter().find(|process| process.call == call);
        process.map_or_else(|| call.name(), |process| process.name.clone())
    }
}
