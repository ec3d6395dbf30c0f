//! A file of Verilog from the tree of modules.

use super::kernel::Printer;
use super::memories::Memories;
use super::netlist::{Content, Instance, Kernel, Memory, Module, Net, NetKind};
use super::operators::sized;
use super::{ExportedMemory, ExportedPort, Verilog};
use crate::names::Code;
use crate::{Names, Widths};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Words that no identifier may be: those of Verilog-2005, and of SystemVerilog where a name is at all likely.
pub const KEYWORDS: &str = include_str!("keywords.txt");

/// Prints the whole file.
pub fn file(top: Module, memories: Vec<ExportedMemory>, widths: &dyn Widths, known: &Names, prefix: &str) -> Verilog {
    let mut library =
        Library { widths, known, prefix, memories: Memories::default(), names: BTreeMap::new(), texts: Vec::new() };
    let top_name = library.add(&top);
    let mut text = String::from("`default_nettype none\n");
    // the top module is the last to be finished; people want to read it first
    for module in library.texts.iter().rev() {
        text += "\n";
        text += module;
    }
    text += &library.memories.text(prefix, known.macros);
    text += "\n`default_nettype wire\n";
    Verilog { top: top_name, text, ports: ports(&top), memories }
}

/// Every memory within a design.
pub fn memories(top: &Module) -> Vec<ExportedMemory> {
    let mut placed = Vec::new();
    list_memories(top, "", &mut placed);
    placed
}

fn list_memories(module: &Module, path: &str, placed: &mut Vec<ExportedMemory>) {
    for Instance { name, content, .. } in &module.instances {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        match content {
            Content::Block(block) => list_memories(block, &path, placed),
            Content::Memory(Memory { kind, depth, width }) => {
                placed.push(ExportedMemory { instance: path, kind: *kind, words: *depth, bits: *width });
            }
        }
    }
}

fn ports(top: &Module) -> Vec<ExportedPort> {
    let port = |name: &str, direction, width, description: &str| ExportedPort {
        name: name.to_owned(),
        direction,
        width,
        description: description.to_owned(),
    };
    let mut ports = vec![port("clk", "input", 1, "clock"), port("rst", "input", 1, "synchronous reset, active high")];
    for net in top.nets.iter().filter(|net| net.kind.is_port()) {
        let direction = if net.kind.is_input() { "input" } else { "output" };
        ports.push(port(&net.name, direction, net.width, &net.doc));
    }
    ports
}

/// The modules printed so far.
struct Library<'a> {
    widths: &'a dyn Widths,
    known: &'a Names,
    prefix: &'a str,
    memories: Memories,
    /// Text without the module's name, by name.
    names: BTreeMap<String, String>,
    texts: Vec<String>,
}

impl Library<'_> {
    /// Prints a module and what is in it; gives its name. Equal modules are printed once.
    fn add(&mut self, module: &Module) -> String {
        let body = self.body(module);
        let wanted = format!("{}_{}", self.prefix, module.kind);
        for number in 1.. {
            let name = if number == 1 { wanted.clone() } else { format!("{wanted}_{number}") };
            match self.names.get(&name) {
                Some(known) if *known == body => return name,
                Some(_) => continue,
                None => {
                    self.texts.push(format!("// {}\nmodule {name} {body}endmodule\n", module.doc));
                    self.names.insert(name.clone(), body);
                    return name;
                }
            }
        }
        unreachable!("some number is free")
    }

    fn body(&mut self, module: &Module) -> String {
        check_names(module);
        let mut printer = Printer::new(module, self.widths, self.known);
        let mut printed = Vec::new();
        for Kernel { name, tree, .. } in &module.processes {
            printer.driven.clear();
            let mut body = String::new();
            printer.block(tree, 2, &mut body);
            printed.push((name, body, std::mem::take(&mut printer.driven)));
        }
        let read = printer.read.borrow();
        let is_local = |name: &String| {
            module.nets.iter().any(|net| net.name == *name && net.kind == NetKind::Local)
                && !module.registers.iter().any(|register| register.d == *name)
        };
        // what only blocks would look at that a parameter has switched off is switched off, too
        printed.retain(|(_, body, driven)| {
            // there may be nothing to do for what was not asked for
            !body.is_empty() && !driven.keys().all(|net| is_local(net) && !read.contains_key(net))
        });
        let mut processes = String::new();
        let mut driven = BTreeSet::new();
        for (name, body, drives) in printed {
            write!(processes, "\n  always @* begin : {name}_logic\n{body}  end\n").expect("writing to a String");
            for net in drives.into_keys() {
                assert!(driven.insert(net.clone()), "{}: two processes drive `{net}`", module.kind);
            }
        }
        let used = |net: &Net| net.kind != NetKind::Local || driven.contains(&net.name) || read.contains_key(&net.name);
        for net in module.nets.iter().filter(|net| used(net)) {
            let drivable = matches!(net.kind, NetKind::Output | NetKind::Local | NetKind::ToInstance);
            assert_eq!(driven.contains(&net.name), drivable, "{}: `{}` and its drivers", module.kind, net.name);
        }

        let mut module = with_unread_named(module, &read);
        module.nets.retain(used);
        let module = &module;
        let mut text = String::from("(\n");
        self.port_list(module, &mut text);
        text += ");\n";
        constants(module, &printer, &mut text);
        declarations(module, &mut text);
        for instance in &module.instances {
            self.instance(instance, &mut text);
        }
        text += &processes;
        registers(module, &mut text);
        unread_bits(module, &read, &mut text);
        text
    }

    fn port_list(&self, module: &Module, text: &mut String) {
        let mut lines = Vec::new();
        if module.is_clocked() {
            lines.push(("input  wire clk".to_owned(), "clock"));
        }
        if module.is_reset() {
            lines.push(("input  wire rst".to_owned(), "synchronous reset, active high"));
        }
        for net in module.nets.iter().filter(|net| net.kind.is_port()) {
            let direction = match net.kind {
                kind if kind.is_input() => "input  wire",
                NetKind::OutputOfInstance => "output wire",
                _ => "output reg ",
            };
            lines.push((format!("{direction} {}{}", range(net), net.name), net.doc.as_str()));
        }
        let last = lines.len() - 1;
        let widest = lines.iter().map(|(declaration, _)| declaration.len()).max().unwrap_or(0) + 1;
        for (position, (declaration, doc)) in lines.into_iter().enumerate() {
            let declaration = if position == last { declaration } else { declaration + "," };
            writeln!(text, "  {declaration:widest$}  // {doc}").expect("writing to a String");
        }
    }

    fn instance(&mut self, instance: &Instance, text: &mut String) {
        let mut connections = Vec::new();
        let module = match &instance.content {
            Content::Block(block) => {
                if block.is_clocked() {
                    connections.push(("clk".to_owned(), "clk".to_owned()));
                }
                if block.is_reset() {
                    connections.push(("rst".to_owned(), "rst".to_owned()));
                }
                self.add(block)
            }
            Content::Memory(memory) => {
                connections.push(("clk".to_owned(), "clk".to_owned()));
                if memory.is_reset() {
                    connections.push(("rst".to_owned(), "rst".to_owned()));
                }
                self.memories.add(memory, self.prefix)
            }
        };
        connections.extend(instance.connections.iter().cloned());
        let connections: Vec<String> = connections.iter().map(|(port, net)| format!("    .{port}({net})")).collect();
        write!(text, "\n  {module} {} (\n{}\n  );\n", instance.name, connections.join(",\n"))
            .expect("writing to a String");
    }
}

/// The module with `unused_` before the names of those outputs of its instances that no process reads: a block has all its
/// outputs even where a parameter leaves nobody to look at them, and lint is told so.
fn with_unread_named(module: &Module, read: &BTreeMap<String, u64>) -> Module {
    let mut module = module.clone();
    for net in &mut module.nets {
        if net.kind == NetKind::FromInstance && !read.contains_key(&net.name) {
            let unused = format!("unused_{}", net.name);
            let unread = std::mem::replace(&mut net.name, unused);
            let connections = module.instances.iter_mut().flat_map(|instance| &mut instance.connections);
            for (_, connected) in connections.filter(|(_, connected)| *connected == unread) {
                connected.clone_from(&net.name);
            }
        }
    }
    module
}

/// Names the bits that nobody reads of nets of which others are read, such as those that a message has to spare: lint is told
/// that they are not forgotten.
fn unread_bits(module: &Module, read: &BTreeMap<String, u64>, text: &mut String) {
    let mut unread = Vec::new();
    let readable = |net: &&Net| net.kind != NetKind::ToInstance && net.kind != NetKind::Output;
    for net in module.nets.iter().filter(readable) {
        let all = u64::MAX >> (64 - net.width);
        // an input or a wire of which nothing is read is one that this build of the block has no use for
        let taken = module.registers.iter().any(|register| register.d == net.name);
        let whole = (matches!(net.kind, NetKind::Input | NetKind::Local) && !taken).then_some(0);
        let seen = read.get(&net.name).copied().or(whole);
        let Some(rest) = seen.map(|read| all & !read).filter(|rest| *rest != 0) else { continue };
        let mut bit = 0;
        while bit < net.width {
            let run = (rest >> bit).trailing_ones() as usize;
            match run {
                0 => {}
                _ if run == net.width => unread.push(net.name.clone()),
                1 => unread.push(format!("{}[{bit}]", net.name)),
                _ => unread.push(format!("{}[{}:{bit}]", net.name, bit + run - 1)),
            }
            bit += run.max(1);
        }
    }
    if !unread.is_empty() {
        write!(text, "\n  wire unused_bits = &{{1'b0,\n    {}\n  }};\n", unread.join(",\n    "))
            .expect("writing to a String");
    }
}

/// Two nets of one name, or a keyword as a name, would be someone else's puzzle.
fn check_names(module: &Module) {
    let nets = module.nets.iter().map(|net| net.name.clone());
    let instances = module.instances.iter().map(|instance| instance.name.clone());
    let constants = module.constants.iter().map(|constant| constant.name.clone());
    let blocks = module.processes.iter().map(|kernel| format!("{}_logic", kernel.name));
    let mut seen = BTreeSet::from(["clk".to_owned(), "rst".to_owned()]);
    for name in nets.chain(instances).chain(constants).chain(blocks) {
        assert!(!KEYWORDS.split_whitespace().any(|word| word == name), "{}: `{name}` is a keyword", module.kind);
        assert!(seen.insert(name.clone()), "{}: two things are called `{name}`", module.kind);
    }
}

fn range(net: &Net) -> String {
    if net.width == 1 && !net.vector { String::new() } else { format!("[{}:0] ", net.width - 1) }
}

fn constants(module: &Module, printer: &Printer, text: &mut String) {
    let (used, codes) = (printer.used.borrow(), printer.codes.borrow());
    if !used.is_empty() || !codes.is_empty() {
        *text += "\n";
    }
    for Code { name, width, value } in codes.iter() {
        writeln!(text, "  localparam [{}:0] {name} = {};", width - 1, sized(*value, *width))
            .expect("writing to a String");
    }
    for constant in module.constants.iter().filter(|constant| used.contains(&constant.name)) {
        let (width, value) = (constant.width, sized(constant.value, constant.width));
        writeln!(text, "  localparam [{}:0] {} = {value};  // {}", width - 1, constant.name, constant.doc)
            .expect("writing to a String");
    }
}

fn declarations(module: &Module, text: &mut String) {
    let inner: Vec<&Net> = module.nets.iter().filter(|net| !net.kind.is_port()).collect();
    if !inner.is_empty() {
        *text += "\n";
    }
    for net in inner {
        let kind = if net.kind == NetKind::FromInstance { "wire" } else { "reg " };
        let comment = if net.doc.is_empty() { String::new() } else { format!("  // {}", net.doc) };
        writeln!(text, "  {kind} {}{};{comment}", range(net), net.name).expect("writing to a String");
    }
}

/// The registers: first those without reset, then those with one; those of stages wait for `advance`.
fn registers(module: &Module, text: &mut String) {
    if module.registers.is_empty() {
        return;
    }
    *text += "\n  always @(posedge clk) begin\n";
    for staged in [false, true] {
        let data = || module.registers.iter().filter(|register| !register.reset && register.staged == staged);
        if data().next().is_none() {
            continue;
        }
        let pad = if staged { "  " } else { "" };
        if staged {
            *text += "    if (advance) begin\n";
        }
        for register in data() {
            writeln!(text, "    {pad}{} <= {};", register.q, register.d).expect("writing to a String");
        }
        if staged {
            *text += "    end\n";
        }
    }
    let control = || module.registers.iter().filter(|register| register.reset);
    if control().next().is_some() {
        *text += "    if (rst) begin\n";
        for register in control() {
            writeln!(text, "      {} <= {};", register.q, sized(0, register.width)).expect("writing to a String");
        }
        *text += "    end else begin\n";
        for register in control() {
            let condition = if register.staged { "if (advance) " } else { "" };
            writeln!(text, "      {condition}{} <= {};", register.q, register.d).expect("writing to a String");
        }
        *text += "    end\n";
    }
    *text += "  end\n";
}
