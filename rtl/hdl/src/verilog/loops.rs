//! Combinational loops, found in the syntax trees: the combinational dependencies between the nets of all blocks.

use super::kernel::Printer;
use super::netlist::{Content, Module, NetKind};
use crate::{MemoryKind, Names, Widths};
use std::collections::HashMap;

/// The nets of a design, and for each those that are driven with it in the same cycle.
struct Graph<'a> {
    widths: &'a dyn Widths,
    known: &'a Names,
    numbers: HashMap<String, usize>,
    names: Vec<String>,
    drives: Vec<Vec<usize>>,
}

/// The nets of a loop, if there is one, each driven with the one before it.
pub fn find(top: &Module, widths: &dyn Widths, known: &Names) -> Option<Vec<String>> {
    let mut graph = Graph { widths, known, numbers: HashMap::new(), names: Vec::new(), drives: Vec::new() };
    graph.module("", top);
    graph.find().map(|nets| nets.into_iter().map(|net| graph.names[net].clone()).collect())
}

impl Graph<'_> {
    fn net(&mut self, path: &str, name: &str) -> usize {
        let full = format!("{path}{name}");
        *self.numbers.entry(full).or_insert_with_key(|full| {
            self.names.push(full.clone());
            self.drives.push(Vec::new());
            self.names.len() - 1
        })
    }

    fn edge(&mut self, [from, to]: [(&str, &str); 2]) {
        let (from, to) = (self.net(from.0, from.1), self.net(to.0, to.1));
        self.drives[from].push(to);
    }

    /// A block that stands at this path.
    fn module(&mut self, path: &str, module: &Module) {
        let mut printer = Printer::new(module, self.widths, self.known);
        for kernel in &module.processes {
            printer.block(&kernel.tree, 0, &mut String::new());
            for (driven, nets) in std::mem::take(&mut printer.driven) {
                nets.iter().for_each(|net| self.edge([(path, net), (path, &driven)]));
            }
        }
        let kinds: HashMap<&str, NetKind> = module.nets.iter().map(|net| (net.name.as_str(), net.kind)).collect();
        for instance in &module.instances {
            let inner = format!("{path}{}.", instance.name);
            for (port, net) in &instance.connections {
                let (inside, outside) = ((inner.as_str(), port.as_str()), (path, net.as_str()));
                let is_input = kinds[net.as_str()] == NetKind::ToInstance;
                self.edge(if is_input { [outside, inside] } else { [inside, outside] });
            }
            match &instance.content {
                Content::Block(block) => self.module(&inner, block),
                Content::Memory(memory) if memory.kind == MemoryKind::Lut => {
                    self.edge([(&inner, "read_address"), (&inner, "read_data")]);
                }
                Content::Memory(_) => {} // a register is in between
            }
        }
    }

    /// Follows nets to where they drive, in depth; one that is met again on the way there closes a loop.
    fn find(&self) -> Option<Vec<usize>> {
        let mut done = vec![false; self.names.len()];
        let mut on_way = vec![false; self.names.len()];
        for first in 0..self.names.len() {
            // nets on the way, each with how many of those that it drives have been looked at
            let mut way: Vec<(usize, usize)> = Vec::new();
            let mut step = Some(first).filter(|first| !done[*first]);
            loop {
                if let Some(net) = step.take() {
                    on_way[net] = true;
                    way.push((net, 0));
                }
                let Some((net, looked)) = way.last_mut() else { break };
                match self.drives[*net].get(*looked) {
                    Some(next) if on_way[*next] => {
                        let nets = way.iter().map(|(net, _)| *net);
                        return Some(nets.skip_while(|net| net != next).collect());
                    }
                    Some(next) => {
                        *looked += 1;
                        step = Some(*next).filter(|next| !done[*next]);
                    }
                    None => {
                        (done[*net], on_way[*net]) = (true, false);
                        way.pop();
                    }
                }
            }
        }
        None
    }
}
