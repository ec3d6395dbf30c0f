//! Parts of a block, and their traversal by tools.

use super::bits::{Bit, Bits};
use super::symbols::Widths;
use rust_hdl_core::ast;

/// One kernel of a block: one `always` block of the Verilog. `P` is a unit type that names it.
///
/// [`processes`](macro@crate::processes) writes all of it. A register keeps its value where it is not
/// driven. If lanes of one are driven by loops over different lanes, the kernel must say which of them keep theirs:
///
/// ```compile_fail
/// # use txbar_hdl::*;
/// # hardware! {
/// #     /// Two registers.
/// #     pub module Two = "two" {
/// #         /// Go.
/// #         pub go: Signal<In, Bit>,
/// #         /// The registers.
/// #         pub lane: Lanes<Reg<Bit>, 2>,
/// #         /// How many.
/// #         pub lanes: usize,
/// #     }
/// #     processes { Step }
/// # }
/// #[processes]
/// impl Two {
///     fn step(&mut self) {
///         for k in 0..self.lanes {
///             if self.go.val() {
///                 self.lane[k].d.next = true;
///             }
///         }
///         if !self.go.val() {
///             self.lane[0].d.next = false; // error: other lanes of `lane` are driven before
///         }
///     }
/// }
/// ```
pub trait Process<P> {
    /// Whether [`Process::update`] notes that it was called, see [`order`](crate::order): in tests of the kernel's crate.
    const NOTED: bool;
    /// Drives its signals from what they depend on.
    fn kernel(&mut self);
    /// The same; loops over a mask go only where its bits are set.
    #[inline(always)]
    fn sparse(&mut self) {
        self.kernel();
    }
    /// Runs the kernel.
    #[inline(always)]
    fn update(&mut self)
    where
        Self: Sized,
    {
        if Self::NOTED {
            crate::order::note(Call::of::<Self, P>(self));
            self.kernel();
        } else {
            self.sparse();
        }
    }
    /// Notes what is driven; see [`super::logic`].
    fn connect(&mut self);
    /// Form as a syntax tree.
    fn hdl(&self) -> ast::Verilog;
}

/// A process of one block of a design that stands still: which block, by where it is and its type, and which process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    place: usize,
    block: &'static str,
    process: &'static str,
}

impl Call {
    /// The process `P` of this block.
    pub fn of<B, P>(block: &B) -> Self {
        let place = std::ptr::from_ref(block).addr();
        Self { place, block: std::any::type_name::<B>(), process: std::any::type_name::<P>() }
    }

    /// The type of the block, with its path.
    pub(crate) fn block(self) -> &'static str {
        self.block
    }

    /// The type that names the process, with its path.
    pub(crate) fn process(self) -> &'static str {
        self.process
    }

    /// Kind, in words.
    pub fn name(self) -> String {
        let last = |path: &'static str| path.rsplit("::").next().unwrap_or(path);
        format!("{} of {}", last(self.process), last(self.block))
    }
}

/// Anything a block may hold: signals, registers, memories, other blocks, and lanes of these.
pub trait Part {
    /// Shows the part, and all within it, to a visitor.
    fn visit(&self, name: Name, doc: &'static str, visitor: &mut dyn Visitor);
    /// Puts the values that [`Part::visit`] shows into `room`, in the same order and many times faster: that of a signal, and
    /// those of the two sides of a register. Gives the rest of the room.
    ///
    /// # Panics
    /// There is not enough of it.
    #[inline(always)]
    fn values<'a>(&self, room: &'a mut [u64]) -> &'a mut [u64] {
        room // a number has none
    }
    /// How many signals it has, with those that lie side by side counted once: lanes of a bundle are shown signal by signal, each in all lanes.
    fn leaves() -> usize
    where
        Self: Sized,
    {
        1
    }
    /// Shows one of them.
    fn visit_leaf(&self, _leaf: usize, name: Name, doc: &'static str, visitor: &mut dyn Visitor)
    where
        Self: Sized,
    {
        self.visit(name, doc, visitor);
    }
    /// [`Part::values`] of one of them.
    #[inline(always)]
    fn leaf_values<'a>(&self, _leaf: usize, room: &'a mut [u64]) -> &'a mut [u64]
    where
        Self: Sized,
    {
        self.values(room)
    }
    /// Runs a process, if it is one of a block within: whether it is. See [`Simulator`](super::Simulator).
    #[inline]
    fn call(&mut self, _call: Call) -> bool {
        false
    }
    /// Reads all memories that are read in the same cycle.
    #[inline]
    fn look_up(&mut self) {}
    /// The clock edge.
    #[inline(always)]
    fn tick(&mut self) {}
    /// The clock edge for what moves only while the block's `advance` is set.
    #[inline(always)]
    fn tick_staged(&mut self) {}
    /// Drives the registers of a block's own with what they hold: what a kernel does before it drives some of them under a condition.
    #[inline(always)]
    fn keep(&mut self) {}
    /// Drives what goes its way with zeros: signals, and registers of a block's own.
    #[inline(always)]
    fn clear(&mut self) {}
    /// What `rst` does at the clock edge, after [`Part::tick`]: clears control registers.
    #[inline(always)]
    fn reset(&mut self) {}
}

/// A block that is too large for the stack. It is in Verilog what it is without the box.
impl<P: Part> Part for Box<P> {
    fn visit(&self, name: Name, doc: &'static str, visitor: &mut dyn Visitor) {
        (**self).visit(name, doc, visitor);
    }
    #[inline(always)]
    fn values<'a>(&self, room: &'a mut [u64]) -> &'a mut [u64] {
        (**self).values(room)
    }
    fn call(&mut self, call: Call) -> bool {
        (**self).call(call)
    }
    fn look_up(&mut self) {
        (**self).look_up();
    }
    #[inline(always)]
    fn tick(&mut self) {
        (**self).tick();
    }
    #[inline(always)]
    fn tick_staged(&mut self) {
        (**self).tick_staged();
    }
    #[inline(always)]
    fn reset(&mut self) {
        (**self).reset();
    }
}

/// Blocks of a kind that are too large to lie side by side in a [`super::Lanes`].
impl<P: Part> Part for Vec<P> {
    fn visit(&self, name: Name, doc: &'static str, visitor: &mut dyn Visitor) {
        for (index, part) in self.iter().enumerate() {
            part.visit(name.lane(index), doc, visitor);
        }
    }
    fn values<'a>(&self, mut room: &'a mut [u64]) -> &'a mut [u64] {
        for part in self {
            room = part.values(room);
        }
        room
    }
    fn call(&mut self, call: Call) -> bool {
        self.iter_mut().any(|part| part.call(call))
    }
    fn look_up(&mut self) {
        self.iter_mut().for_each(P::look_up);
    }
    fn tick(&mut self) {
        for part in self.iter_mut() {
            part.tick();
        }
    }
    fn tick_staged(&mut self) {
        for part in self.iter_mut() {
            part.tick_staged();
        }
    }
    fn reset(&mut self) {
        for part in self.iter_mut() {
            part.reset();
        }
    }
}

/// A number that is fixed when the design is elaborated, such as a count of ports: a loop bound or a shift.
impl Part for usize {
    fn visit(&self, name: Name, doc: &'static str, visitor: &mut dyn Visitor) {
        visitor.number(name, doc, *self);
    }
}

/// Name of a part within its block: a field, or one of its lanes, or one of the lanes of these; or a field of a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// The bundles that it is in, from the outside in.
    bundles: [Option<Holder>; 3],
    /// The field's name.
    pub field: &'static str,
    /// Which lane, if the field has lanes, from the outside in.
    pub lanes: [Option<usize>; 2],
    /// The field is a bundle whose signals go by their own names.
    flat: bool,
}

/// A bundle around a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Holder {
    field: &'static str,
    lanes: [Option<usize>; 2],
    /// What is within goes against it.
    turns: bool,
    /// It is not in the name in Verilog.
    flat: bool,
}

impl Name {
    /// A lane of the part.
    pub fn lane(self, index: usize) -> Self {
        match self.lanes {
            [None, _] => Self { lanes: [Some(index), None], ..self },
            [outer, _] => Self { lanes: [outer, Some(index)], ..self },
        }
    }

    /// A field of the bundle that has this name; `turns` if it goes against the bundle.
    ///
    /// # Panics
    /// Bundles are nested more than three deep.
    pub fn within(self, field: &'static str, turns: bool) -> Self {
        let field = Name::from(field).field;
        let holder = Holder { field: self.field, lanes: self.lanes, turns, flat: self.flat };
        let mut bundles = self.bundles;
        *bundles.iter_mut().find(|bundle| bundle.is_none()).expect("bundles are nested three deep at most") =
            Some(holder);
        Self { bundles, field, lanes: [None; 2], flat: false }
    }

    /// The name of a bundle whose signals go by their own names in Verilog and waves.
    pub fn flat(self) -> Self {
        Self { flat: true, ..self }
    }

    /// For each bundle that it is in, from the outside in, whether what is within goes against it.
    pub(crate) fn turns(self) -> impl Iterator<Item = bool> {
        self.bundles.into_iter().flatten().map(|bundle| bundle.turns)
    }

    /// The fields that lead to it, each with which lanes it is, from the outside in.
    fn fields(self) -> impl Iterator<Item = (&'static str, [Option<usize>; 2])> {
        let bundles = self.bundles.into_iter().flatten().map(|bundle| (bundle.field, bundle.lanes));
        bundles.chain([(self.field, self.lanes)])
    }

    /// The fields that lead to it, from the outside in, without the numbers of lanes.
    pub fn path(self) -> impl Iterator<Item = &'static str> {
        self.fields().map(|(field, _)| field)
    }

    /// Which lanes it is, from the outside in.
    pub fn indices(self) -> impl Iterator<Item = usize> {
        self.fields().flat_map(|(_, lanes)| lanes.into_iter().flatten())
    }

    /// How kernels spell it, but for the dots of bundles: `field`, `field[3]`, `field[3][1]` or `bundle[3]$field`.
    pub fn in_kernel(self) -> String {
        let spelled = |(field, lanes): (&str, [Option<usize>; 2])| {
            lanes.into_iter().flatten().fold(field.to_owned(), |text, index| format!("{text}[{index}]"))
        };
        self.fields().map(spelled).collect::<Vec<_>>().join("$")
    }
}

/// Which part `queue[k]$push`, `adder[c]$term[k]` or `words[w+2]` is in a kernel: the same with numbers for what is `fixed` at
/// elaboration. Nothing if a term is not.
pub fn place(name: &str, fixed: &impl Fn(&str) -> Option<usize>) -> Option<String> {
    let Some((head, rest)) = name.split_once('[') else { return Some(name.replace("r#", "")) };
    let head = head.replace("r#", "");
    let (index, tail) = rest.split_once(']')?;
    let value: usize = index.split('+').map(fixed).sum::<Option<usize>>()?;
    Some(format!("{head}[{value}]{}", place(tail, fixed)?))
}

impl From<&'static str> for Name {
    fn from(field: &'static str) -> Self {
        let field = field.strip_prefix("r#").unwrap_or(field); // a word of Rust's, but none of Verilog's
        Self { bundles: [None; 3], field, lanes: [None; 2], flat: false }
    }
}

/// `field`, `field_3`, `field_3_1` or `bundle_field_3`: the name in Verilog and in waves.
impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        self.bundles
            .iter()
            .flatten()
            .filter(|bundle| !bundle.flat)
            .try_for_each(|bundle| write!(f, "{}_", bundle.field))?;
        f.write_str(self.field)?;
        self.indices().try_for_each(|index| write!(f, "_{index}"))
    }
}

/// What a signal is to the block that declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalView {
    /// An input port.
    Input,
    /// An output port.
    Output,
    /// A wire inside.
    Local,
}

/// Whether one side of a register is a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Port {
    /// It is wholly inside.
    None,
    /// `d` is an input port.
    Input,
    /// `q` is an output port.
    Output,
}

/// What the exporter needs to know of a register.
#[derive(Clone, Copy, Debug)]
pub struct RegisterView {
    /// Whether one side is a port.
    pub port: Port,
    /// Whether reset clears it.
    pub reset: bool,
    /// Whether it takes its value only while the block's `advance` is set.
    pub staged: bool,
    /// Type.
    pub ty: Type,
}

/// Kind of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// Block RAM.
    Block,
    /// Small and read in the same cycle.
    Lut,
    /// Small, with a registered output.
    Queue,
    /// Registers that are all seen at once.
    Shelf,
    /// Registers in a row.
    Delay,
    /// Delay line, cleared by reset.
    ControlDelay,
}

/// What waves show besides the bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Nothing.
    Plain,
    /// The name of a code: which list it is of, see [`Codes::KIND`](super::Codes::KIND).
    Code(&'static str),
    /// Fields that a design keeps side by side in one vector: what the design calls them.
    Fields(&'static str),
}

/// Type of a signal.
#[derive(Clone, Copy, Debug)]
pub struct Type {
    /// Width in bits, or the code of a [symbol](crate::symbols!).
    pub bits: usize,
    /// The extra view.
    pub view: View,
}

impl Type {
    /// Its width in bits, in a design that is elaborated with these.
    pub fn width(self, widths: &dyn Widths) -> usize {
        widths.of_type(self.bits)
    }
}

/// A type that signals can carry.
pub trait Value: Copy + Default {
    /// Type.
    fn ty(view: View) -> Type;
    /// Bits.
    fn to_u64(self) -> u64;
}

impl Value for Bit {
    fn ty(view: View) -> Type {
        Type { bits: 1, view }
    }
    #[inline(always)]
    fn to_u64(self) -> u64 {
        self as u64
    }
}

impl<const N: usize> Value for Bits<N> {
    fn ty(view: View) -> Type {
        Type { bits: N, view }
    }
    #[inline(always)]
    fn to_u64(self) -> u64 {
        self.raw()
    }
}

/// Walks a design: the exporter, the waves and the checks are visitors. Every method does nothing unless overridden.
#[allow(unused_variables)]
pub trait Visitor {
    /// A block begins. `module` is the name of its kind.
    fn enter(&mut self, name: Name, module: &'static str, doc: &'static str) {}
    /// The block ends.
    fn leave(&mut self) {}
    /// A signal and its value.
    fn signal(&mut self, name: Name, doc: &'static str, view: SignalView, ty: Type, value: u64) {}
    /// A register and the values of its two sides.
    fn register(&mut self, name: Name, doc: &'static str, view: RegisterView, d: u64, q: u64) {}
    /// A memory; its ports follow as signals within it.
    fn memory(&mut self, name: Name, doc: &'static str, kind: MemoryKind, depth: usize, ty: Type) {}
    /// A constant.
    fn constant(&mut self, name: Name, doc: &'static str, ty: Type, value: u64) {}
    /// A number fixed at elaboration.
    fn number(&mut self, name: Name, doc: &'static str, value: usize) {}
    /// A process of the block, how it is known when it runs, and its syntax tree.
    fn process(&mut self, name: &'static str, call: Call, tree: &dyn Fn() -> ast::Verilog) {}
}
