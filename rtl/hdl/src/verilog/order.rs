//! Whether processes ran in an order of the data: who drives what which of them reads, over all blocks.

use super::kernel::Printer;
use super::netlist::{Content, Module, NetKind};
use crate::order::Ordered;
use crate::{Call, MemoryKind, Names, Widths};
use std::collections::{BTreeSet, HashMap};

/// A process somewhere in a design.
struct Reader {
    name: String,
    call: Call,
    reads: BTreeSet<String>,
}

/// The processes of a design, and what is between them.
struct Flow<'a> {
    widths: &'a dyn Widths,
    known: &'a Names,
    processes: Vec<Reader>,
    /// Which process drives a net.
    drivers: HashMap<String, usize>,
    /// The net that a net follows: at the other side of a port, or at the address of a memory that is read at once.
    follows: HashMap<String, String>,
}

/// Compares the calls in their order with what the syntax trees say; gives what is wrong, if something is.
pub fn compare(top: &Module, widths: &dyn Widths, known: &Names, calls: &[Call]) -> Result<Ordered, String> {
    let mut flow = Flow { widths, known, processes: Vec::new(), drivers: HashMap::new(), follows: HashMap::new() };
    flow.module("", top);
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
        for net in &process.reads {
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

impl Flow<'_> {
    /// A block that stands at this path.
    fn module(&mut self, path: &str, module: &Module) {
        let mut printer = Printer::new(module, self.widths, self.known);
        for kernel in &module.processes {
            printer.block(&kernel.tree, 0, &mut String::new());
            let mut reads = BTreeSet::new();
            for (driven, nets) in std::mem::take(&mut printer.driven) {
                reads.extend(nets.into_iter().map(|net| format!("{path}{net}")));
                self.drivers.insert(format!("{path}{driven}"), self.processes.len());
            }
            self.processes.push(Reader { name: format!("{path}{}", kernel.name), call: kernel.call, reads });
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
    fn driver<'a>(&'a self, mut net: &'a String) -> Option<usize> {
        loop {
            match self.drivers.get(net) {
                Some(driver) => return Some(*driver),
                None => net = self.follows.get(net)?,
            }
        }
    }

    fn name(&self, call: Call) -> String {
        let process = self.processes.iter().find(|process| process.call == call);
        process.map_or_else(|| call.name(), |process| process.name.clone())
    }
}
