//! Block RAM outside of the design: its ports are ports of every module that it is within.
//!
//! ```text
//!   inner.ram  read_enable ──►   becomes   top  inner_ram_read_enable ──►
//!               read_data  ◄──                   inner_ram_read_data  ◄──
//! ```

use super::netlist::{Content, Instance, Module, Net, NetKind};
use crate::MemoryKind;

/// What a port of a memory carries.
fn meaning(port: &str) -> &'static str {
    match port {
        "read_enable" => "Block RAM: reads move on.",
        "read_address" => "Block RAM: word to read.",
        "read_data" => "Block RAM: the word, two cycles of read_enable later.",
        "write_enable" => "Block RAM: a word is written.",
        "write_address" => "Block RAM: word to write.",
        _ => "Block RAM: data to write.",
    }
}

fn is_block_ram(content: &Content) -> bool {
    matches!(content, Content::Memory(memory) if memory.kind == MemoryKind::Block)
}

/// The module with every block RAM outside.
pub fn without_block_ram(mut module: Module) -> Module {
    let (memories, blocks): (Vec<Instance>, Vec<Instance>) =
        std::mem::take(&mut module.instances).into_iter().partition(|instance| is_block_ram(&instance.content));
    for (port, wire) in memories.iter().flat_map(|memory| &memory.connections) {
        let net = module.nets.iter_mut().find(|net| net.name == *wire).expect("a port is connected to a net");
        net.kind = if net.kind == NetKind::FromInstance { NetKind::Input } else { NetKind::Output };
        net.doc = meaning(port).to_owned();
    }
    for instance in blocks {
        let Instance { name, place, content, mut connections } = instance;
        let content = match content {
            Content::Block(block) => {
                let block = without_block_ram(*block);
                let is_new = |net: &&Net| net.kind.is_port() && connections.iter().all(|(port, _)| *port != net.name);
                let new: Vec<Net> = block.nets.iter().filter(is_new).cloned().collect();
                for net in new {
                    let kind = if net.kind.is_input() { NetKind::InputOfInstance } else { NetKind::OutputOfInstance };
                    let wire = format!("{name}_{}", net.name);
                    connections.push((net.name.clone(), wire.clone()));
                    module.nets.push(Net { name: wire, kind, ..net });
                }
                Content::Block(Box::new(block))
            }
            memory => memory,
        };
        module.instances.push(Instance { name, place, content, connections });
    }
    module
}
