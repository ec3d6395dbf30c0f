//! The design as a tree of modules, collected by a visitor.

use crate::{Call, MemoryKind, Name, Port, RegisterView, SignalView, Type, Visitor, Widths};
use rust_hdl_core::ast::{Verilog, VerilogBlock};
use std::collections::BTreeMap;

/// What a net is, which decides how it is declared and who may drive it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetKind {
    /// Input port.
    Input,
    /// Output port, driven by a process.
    Output,
    /// Output port that shows a register.
    OutputRegister,
    /// Wire inside, driven by a process.
    Local,
    /// Register inside.
    Register,
    /// Input of an instance, driven by a process.
    ToInstance,
    /// Output of an instance.
    FromInstance,
    /// Input port that goes to an instance as it is.
    InputOfInstance,
    /// Output port that comes from an instance as it is.
    OutputOfInstance,
}

impl NetKind {
    /// Whether it is a port of its module.
    pub fn is_port(self) -> bool {
        self.is_input() || matches!(self, NetKind::Output | NetKind::OutputRegister | NetKind::OutputOfInstance)
    }

    /// Whether it is an input port.
    pub fn is_input(self) -> bool {
        matches!(self, NetKind::Input | NetKind::InputOfInstance)
    }
}

/// A net of a module.
#[derive(Clone, Debug)]
pub struct Net {
    /// Name in Verilog.
    pub name: String,
    /// Kind.
    pub kind: NetKind,
    /// Width in bits.
    pub width: usize,
    /// Declared as a vector even if it is one bit wide, because kernels select its bits.
    pub vector: bool,
    /// Documentation.
    pub doc: String,
}

/// A register: `q <= d` at the clock edge.
#[derive(Clone, Debug)]
pub struct RegisterNets {
    /// Net that is taken.
    pub d: String,
    /// Net that shows it.
    pub q: String,
    /// Width in bits.
    pub width: usize,
    /// Whether `rst` clears it.
    pub reset: bool,
    /// Whether it takes `d` only while the module's `advance` is set.
    pub staged: bool,
}

/// A constant that kernels name.
#[derive(Clone, Debug)]
pub struct ConstantValue {
    /// Name.
    pub name: String,
    /// Width in bits.
    pub width: usize,
    /// Value.
    pub value: u64,
    /// Documentation.
    pub doc: String,
}

/// A memory within a module.
#[derive(Clone, Debug)]
pub struct Memory {
    /// Kind of memory.
    pub kind: MemoryKind,
    /// Words.
    pub depth: usize,
    /// Width in bits.
    pub width: usize,
}

impl Memory {
    /// Whether reset clears part of it.
    pub fn is_reset(&self) -> bool {
        matches!(self.kind, MemoryKind::ControlDelay | MemoryKind::Queue)
    }
}

/// A sub-block or a memory.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Name of the instance.
    pub name: String,
    /// Which field of its block it is, and which lane.
    pub place: Name,
    /// Contents.
    pub content: Content,
    /// Its ports: name in the instance, net in this module.
    pub connections: Vec<(String, String)>,
}

/// Contents of an instance.
#[derive(Clone, Debug)]
pub enum Content {
    /// A block.
    Block(Box<Module>),
    /// A memory.
    Memory(Memory),
}

/// A process.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Name.
    pub name: String,
    /// How it is known when it runs.
    pub call: Call,
    /// Syntax tree.
    pub tree: VerilogBlock,
}

/// A block.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Kind of the block, without the prefix.
    pub kind: String,
    /// Documentation.
    pub doc: String,
    /// Nets by declaration order.
    pub nets: Vec<Net>,
    /// Which net a name in a kernel means (`queue[0]$push`, `sum$q`, `sum$d`, ...).
    pub names: BTreeMap<String, usize>,
    /// Constants.
    pub constants: Vec<ConstantValue>,
    /// Numbers fixed at elaboration: loop bounds, limits.
    pub numbers: BTreeMap<String, u64>,
    /// Registers.
    pub registers: Vec<RegisterNets>,
    /// Sub-blocks and memories.
    pub instances: Vec<Instance>,
    /// Processes in the order of their declaration.
    pub processes: Vec<Kernel>,
}

impl Module {
    fn add_net(&mut self, kernel_name: String, name: String, kind: NetKind, width: usize, vector: bool, doc: &str) {
        self.names.insert(kernel_name, self.nets.len());
        self.nets.push(Net { name, kind, width, vector, doc: doc.to_owned() });
    }

    /// Whether it holds state, and so needs a clock.
    pub fn is_clocked(&self) -> bool {
        !self.registers.is_empty()
            || self.instances.iter().any(|instance| match &instance.content {
                Content::Block(module) => module.is_clocked(),
                Content::Memory(_) => true,
            })
    }

    /// Whether it holds state that reset clears.
    pub fn is_reset(&self) -> bool {
        self.registers.iter().any(|register| register.reset)
            || self.instances.iter().any(|instance| match &instance.content {
                Content::Block(module) => module.is_reset(),
                Content::Memory(memory) => memory.is_reset(),
            })
    }
}

/// Collects a design.
pub struct Collector<'a> {
    widths: &'a dyn Widths,
    open: Vec<(Name, Module)>,
    memory: Option<Memory>,
    done: Option<Module>,
}

/// Documentation lines without the space that `///` leaves.
fn tidy(doc: &str) -> String {
    doc.lines().map(str::trim).collect::<Vec<_>>().join(" ").trim().to_owned()
}

impl<'a> Collector<'a> {
    /// A collector of a design with these widths.
    pub fn new(widths: &'a dyn Widths) -> Self {
        Self { widths, open: Vec::new(), memory: None, done: None }
    }

    /// The whole design.
    pub fn finish(self) -> Module {
        self.done.expect("a design is one block, and it has been left")
    }

    fn module(&mut self) -> &mut Module {
        &mut self.open.last_mut().expect("signals are within a block").1
    }

    /// A port of the block that is open becomes a net of its parent, connected.
    fn connect(&mut self, name: Name, kernel_suffix: &str, input: bool, width: usize, vector: bool) {
        let depth = self.open.len();
        if depth < 2 {
            return;
        }
        let (instance, port) = (self.open[depth - 1].0, name.to_string());
        let net = format!("{instance}_{port}");
        let kernel = format!("{}${}{kernel_suffix}", instance.in_kernel(), name.in_kernel());
        let kind = if input { NetKind::ToInstance } else { NetKind::FromInstance };
        self.open[depth - 2].1.add_net(kernel, net, kind, width, vector, "");
    }
}

impl Visitor for Collector<'_> {
    fn enter(&mut self, name: Name, module: &'static str, doc: &'static str) {
        self.open.push((name, Module { kind: module.to_owned(), doc: tidy(doc), ..Module::default() }));
    }

    fn leave(&mut self) {
        let (name, module) = self.open.pop().expect("every block that is left was entered");
        let Some((_, parent)) = self.open.last_mut() else {
            self.done = Some(module);
            return;
        };
        let ports = module.nets.iter().filter(|net| net.kind.is_port());
        let connections = ports.map(|net| (net.name.clone(), format!("{name}_{}", net.name))).collect();
        let content = match self.memory.take() {
            Some(memory) => Content::Memory(memory),
            None => Content::Block(Box::new(module)),
        };
        parent.instances.push(Instance { name: name.to_string(), place: name, content, connections });
    }

    fn signal(&mut self, name: Name, doc: &'static str, view: SignalView, ty: Type, _value: u64) {
        let (width, vector) = (ty.width(self.widths), ty.bits != 1);
        let kind = match view {
            SignalView::Input => NetKind::Input,
            SignalView::Output => NetKind::Output,
            SignalView::Local => NetKind::Local,
        };
        self.module().add_net(name.in_kernel(), name.to_string(), kind, width, vector, &tidy(doc));
        if kind != NetKind::Local {
            self.connect(name, "", kind == NetKind::Input, width, vector);
        }
    }

    fn register(&mut self, name: Name, doc: &'static str, view: RegisterView, _d: u64, _q: u64) {
        let (width, vector) = (view.ty.width(self.widths), view.ty.bits != 1);
        let (plain, doc) = (name.to_string(), tidy(doc));
        let (kernel_d, kernel_q) = (format!("{}$d", name.in_kernel()), format!("{}$q", name.in_kernel()));
        let (d, q) = match view.port {
            Port::Input => (plain.clone(), format!("{plain}_q")),
            Port::None | Port::Output => (format!("{plain}_next"), plain.clone()),
        };
        let (kind_d, kind_q) = match view.port {
            Port::Input => (NetKind::Input, NetKind::Register),
            Port::Output => (NetKind::Local, NetKind::OutputRegister),
            Port::None => (NetKind::Local, NetKind::Register),
        };
        let module = self.module();
        module.add_net(kernel_q, q.clone(), kind_q, width, vector, &doc);
        module.add_net(kernel_d, d.clone(), kind_d, width, vector, if view.port == Port::Input { &doc } else { "" });
        module.registers.push(RegisterNets { d, q, width, reset: view.reset, staged: view.staged });
        match view.port {
            Port::Input => self.connect(name, "$d", true, width, vector),
            Port::Output => self.connect(name, "$q", false, width, vector),
            Port::None => {}
        }
    }

    fn memory(&mut self, _name: Name, _doc: &'static str, kind: MemoryKind, depth: usize, ty: Type) {
        self.memory = Some(Memory { kind, depth, width: ty.width(self.widths) });
    }

    fn constant(&mut self, name: Name, doc: &'static str, ty: Type, value: u64) {
        let (width, doc) = (ty.width(self.widths), tidy(doc));
        self.module().constants.push(ConstantValue { name: name.to_string(), width, value, doc });
    }

    fn number(&mut self, name: Name, _doc: &'static str, value: usize) {
        self.module().numbers.insert(name.in_kernel(), value as u64);
    }

    fn process(&mut self, name: &'static str, call: Call, tree: &dyn Fn() -> Verilog) {
        let Verilog::Combinatorial(tree) = tree() else { unreachable!("kernels are combinational blocks") };
        self.module().processes.push(Kernel { name: name.to_lowercase(), call, tree });
    }
}
