//! Signals and registers.

use super::names::Codes;
use super::part::{Name, Part, Port, RegisterView, SignalView, Value, View, Visitor};
use std::marker::PhantomData;

/// What carries the values of a bundle: signals of a direction, seen from the block that declares it, or registers.
pub trait Direction: Clone {
    /// What carries those that go against the bundle.
    type Opposite: Direction;
    /// What carries `valid`, which reset clears where it is a register.
    type Control: Direction;
    /// Carrier of a value.
    type Carrier<T: Value, V: ViewAs>: Carrier<T>;
}

/// A wire or a register: what carries a value.
pub trait Carrier<T>: Part + Clone + Default {
    /// The value that is shown in this cycle.
    fn shown(&self) -> T;
    /// Drives it: the value of a wire in this cycle, of a register from the next on.
    fn drive(&mut self, value: T);
}

/// A direction of signals.
pub trait Way: Direction {
    /// View for the exporter.
    const VIEW: SignalView;
}

macro_rules! ways {
    ($($(#[$doc:meta])* $way:ident($opposite:ident, $view:ident);)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $way;
        impl Direction for $way {
            type Opposite = $opposite;
            type Control = $way;
            type Carrier<T: Value, V: ViewAs> = Signal<$way, T, V>;
        }
        impl Way for $way {
            const VIEW: SignalView = SignalView::$view;
        }
    )*};
}
ways! {
    /// An input port.
    In(Out, Input);
    /// An output port, driven by a process.
    Out(In, Output);
    /// A wire inside the block; written before it is read, in every cycle.
    Local(Local, Local);
}

/// What a bundle of registers has of those that go against it: nothing.
#[derive(Clone, Debug, Default)]
pub struct Absent;
impl Direction for Absent {
    type Opposite = Absent;
    type Control = Absent;
    type Carrier<T: Value, V: ViewAs> = Absent;
}
impl<T: Default> Carrier<T> for Absent {
    fn shown(&self) -> T {
        T::default()
    }
    fn drive(&mut self, _value: T) {}
}
impl Part for Absent {
    fn visit(&self, _name: Name, _doc: &'static str, _visitor: &mut dyn Visitor) {}
    fn leaves() -> usize {
        0
    }
}

/// How the waves show a value besides its bits.
pub trait ViewAs: Clone {
    /// The extra view.
    const VIEW: View;
}
/// Bits and nothing else.
#[derive(Clone, Debug, Default)]
pub struct PlainView;
/// A code: its name too.
#[derive(Clone, Debug, Default)]
pub struct CodeView<C>(PhantomData<C>);
impl ViewAs for PlainView {
    const VIEW: View = View::Plain;
}
impl<C: Codes> ViewAs for CodeView<C> {
    const VIEW: View = View::Code(C::KIND);
}

/// A wire or bundle of wires. Write `next`, read `val()`.
#[derive(Clone, Debug)]
pub struct Signal<D, T, V = PlainView> {
    /// The value driven in this cycle.
    pub next: T,
    kind: PhantomData<(D, V)>,
}

impl<D, T: Default, V> Default for Signal<D, T, V> {
    fn default() -> Self {
        Self { next: T::default(), kind: PhantomData }
    }
}

impl<D, T: Copy, V> Signal<D, T, V> {
    /// The value in this cycle.
    #[inline(always)]
    pub fn val(&self) -> T {
        self.next
    }
}

/// Puts a value at the beginning of the room that there is, and gives the rest.
#[inline(always)]
fn put(room: &mut [u64], value: u64) -> &mut [u64] {
    let [first, rest @ ..] = room else { panic!("there is room for every value of the design") };
    *first = value;
    rest
}

impl<D: Way, T: Value, V: ViewAs> Carrier<T> for Signal<D, T, V> {
    #[inline(always)]
    fn shown(&self) -> T {
        self.next
    }
    #[inline(always)]
    fn drive(&mut self, value: T) {
        self.next = value;
    }
}

impl<D: Way, T: Value, V: ViewAs> Part for Signal<D, T, V> {
    fn visit(&self, name: Name, doc: &'static str, visitor: &mut dyn Visitor) {
        visitor.signal(name, doc, D::VIEW, T::ty(V::VIEW), self.next.to_u64());
    }
    #[inline(always)]
    fn values<'a>(&self, room: &'a mut [u64]) -> &'a mut [u64] {
        put(room, self.next.to_u64())
    }
    #[inline(always)]
    fn clear(&mut self) {
        self.next = T::default();
    }
}

/// What kind of register, known to the exporter and to `reset`.
pub trait RegisterKind {
    /// Whether its `d` is an input port or its `q` an output port of the block.
    const PORT: Port;
    /// Whether `rst` clears it.
    const RESET: bool;
    /// Whether it moves only while the block's `advance` is set.
    const STAGED: bool;
}

/// A register: takes `d` at every clock edge and shows it at `q`. It keeps its value where a kernel drives `d` under a condition that does not hold.
///
/// Use it through its aliases: [`Reg`] and [`ControlReg`] inside a block, [`InReg`] where a port is registered as it
/// enters, [`OutReg`] where a port shows a register. The `Control` ones are cleared by reset. The `Stage` ones hold what
/// they have unless the block's `advance` is set.
#[derive(Clone, Debug)]
pub struct Register<T, K, V = PlainView> {
    /// The value to take at the next edge.
    pub d: Signal<Local, T, V>,
    /// The value taken at the last edge.
    pub q: Signal<Local, T, V>,
    kind: PhantomData<K>,
}

macro_rules! register_kinds {
    ($($(#[$doc:meta])* $alias:ident = $kind:ident($control:ident, $port:ident, $reset:literal, $staged:literal);)*) => {$(
        #[doc = concat!("What carries a bundle: a [`", stringify!($alias), "`] for each value that goes its way.")]
        #[derive(Clone, Debug)]
        pub struct $kind;
        impl RegisterKind for $kind {
            const PORT: Port = Port::$port;
            const RESET: bool = $reset;
            const STAGED: bool = $staged;
        }
        impl Direction for $kind {
            type Opposite = Absent;
            type Control = $control;
            type Carrier<T: Value, V: ViewAs> = Register<T, $kind, V>;
        }
        $(#[$doc])*
        pub type $alias<T, V = PlainView> = Register<T, $kind, V>;
    )*};
}
register_kinds! {
    /// A register for data: reset leaves it alone.
    Reg = Registers(ControlRegisters, None, false, false);
    /// A register for control state: reset clears it.
    ControlReg = ControlRegisters(ControlRegisters, None, true, false);
    /// An input port that is registered as it enters the block.
    InReg = InRegisters(InControlRegisters, Input, false, false);
    /// An input port that is registered as it enters the block; reset clears the register.
    InControlReg = InControlRegisters(InControlRegisters, Input, true, false);
    /// An output port that shows a register.
    OutReg = OutRegisters(OutControlRegisters, Output, false, false);
    /// An output port that shows a register; reset clears it.
    OutControlReg = OutControlRegisters(OutControlRegisters, Output, true, false);
    /// A register for data between two stages.
    StageReg = StageRegisters(StageControlRegisters, None, false, true);
    /// A register for control state between two stages; reset clears it.
    StageControlReg = StageControlRegisters(StageControlRegisters, None, true, true);
    /// An input port that is registered as it enters a stage.
    InStageReg = InStageRegisters(InStageControlRegisters, Input, false, true);
    /// An input port that is registered as it enters a stage; reset clears the register.
    InStageControlReg = InStageControlRegisters(InStageControlRegisters, Input, true, true);
    /// An output port that shows a register between two stages.
    OutStageReg = OutStageRegisters(OutStageControlRegisters, Output, false, true);
    /// An output port that shows a register between two stages; reset clears it.
    OutStageControlReg = OutStageControlRegisters(OutStageControlRegisters, Output, true, true);
}

impl<T: Value, K: RegisterKind + Clone, V: ViewAs> Carrier<T> for Register<T, K, V> {
    #[inline(always)]
    fn shown(&self) -> T {
        self.q.next
    }
    #[inline(always)]
    fn drive(&mut self, value: T) {
        self.d.next = value;
    }
}

impl<T: Default, K, V> Default for Register<T, K, V> {
    fn default() -> Self {
        Self { d: Default::default(), q: Default::default(), kind: PhantomData }
    }
}

impl<T: Value, K: RegisterKind, V: ViewAs> Part for Register<T, K, V> {
    fn visit(&self, name: Name, doc: &'static str, visitor: &mut dyn Visitor) {
        let view = RegisterView { port: K::PORT, reset: K::RESET, staged: K::STAGED, ty: T::ty(V::VIEW) };
        visitor.register(name, doc, view, self.d.next.to_u64(), self.q.next.to_u64());
    }
    #[inline(always)]
    fn values<'a>(&self, room: &'a mut [u64]) -> &'a mut [u64] {
        put(put(room, self.d.next.to_u64()), self.q.next.to_u64())
    }
    #[inline(always)]
    fn tick(&mut self) {
        if !K::STAGED {
            self.q.next = self.d.next;
        }
    }
    #[inline(always)]
    fn tick_staged(&mut self) {
        if K::STAGED {
            self.q.next = self.d.next;
        }
    }
    #[inline(always)]
    fn clear(&mut self) {
        self.d.next = T::default();
    }
    #[inline(always)]
    fn keep(&mut self) {
        if K::PORT != Port::Input {
            self.d.next = self.q.next;
        }
    }
    #[inline(always)]
    fn reset(&mut self) {
        if K::RESET {
            self.q.next = T::default();
        }
    }
}
