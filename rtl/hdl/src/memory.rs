//! Memories: one write port, one read port.

use super::part::{MemoryKind, Name, Part, SignalView, Value, View, Visitor};
use super::signal::{Local, PlainView, Signal, ViewAs};
use super::{Bit, Lanes};

/// How tools look at a memory: its kind, its module, where its words are and of what type, and its ports in their order.
macro_rules! looks {
    ($kind:expr, $module:literal, $words:ident: $word:expr; $($port:ident: $direction:ident),+) => {
        fn visit(&self, name: Name, doc: &'static str, visitor: &mut dyn Visitor) {
            visitor.memory(name, doc, $kind, self.$words.len(), $word);
            visitor.enter(name, $module, doc);
            $( show(&self.$port, stringify!($port), SignalView::$direction, visitor); )+
            visitor.leave();
        }
        fn values<'a>(&self, room: &'a mut [u64]) -> &'a mut [u64] {
            $( let room = self.$port.values(room); )+
            room
        }
    };
}

/// Shows a port of a memory: to the block that has the memory it is a wire.
fn show<T: Value, V: ViewAs>(
    port: &Signal<Local, T, V>,
    name: &'static str,
    direction: SignalView,
    visitor: &mut dyn Visitor,
) {
    visitor.signal(name.into(), "", direction, T::ty(V::VIEW), port.next.to_u64());
}

/// Block RAM with a registered output.
///
/// ```text
///   cycle            0          1          2
///   read_address     A
///   (inside)                    mem[A]                 read before write: a write of cycle 0 to A is not seen
///   read_data                              mem[A]
/// ```
/// `A` numbers its words. The read moves only while `read_enable` is set. What a read returns when it meets a write to the
/// same word in the same cycle differs between FPGA families, so a design must not look at it;
/// [`BlockRam::poison_collisions`] makes the simulator return nonsense there.
#[derive(Clone, Debug, Default)]
pub struct BlockRam<T, A, V = PlainView> {
    /// Whether the read moves on.
    pub read_enable: Signal<Local, Bit>,
    /// Word to read.
    pub read_address: Signal<Local, A>,
    /// Word to write.
    pub write_address: Signal<Local, A>,
    /// Data to write.
    pub write_data: Signal<Local, T, V>,
    /// Whether to write.
    pub write_enable: Signal<Local, Bit>,
    /// The word whose address was given two cycles ago.
    pub read_data: Signal<Local, T, V>,
    latch: T,
    memory: Vec<T>,
    poison: Option<T>,
}

impl<T: Value, A: Value, V: Default> BlockRam<T, A, V> {
    /// A memory of `words` words (a power of two), all zero.
    pub fn new(words: usize) -> Self {
        assert!(words.is_power_of_two());
        Self { memory: vec![T::default(); words], ..Self::default() }
    }

    /// From now on a read that meets a write to the same word returns `value`.
    pub fn poison_collisions(&mut self, value: T) {
        self.poison = Some(value);
    }

    /// The word that is stored with this number, for those who look into a design.
    pub fn word(&self, number: usize) -> T {
        self.memory[number]
    }
}

impl<T: Value, A: Value, V: ViewAs> Part for BlockRam<T, A, V> {
    looks! {
        MemoryKind::Block, "block_ram", memory: T::ty(V::VIEW);
        read_enable: Input, read_address: Input, read_data: Output,
        write_enable: Input, write_address: Input, write_data: Input
    }
    #[inline(always)]
    fn tick(&mut self) {
        let last = self.memory.len() - 1; // all ones: the length is a power of two
        if self.read_enable.next {
            self.read_data.next = self.latch;
            self.latch = self.memory[self.read_address.next.to_u64() as usize & last];
        }
        if self.write_enable.next {
            if let Some(poison) = self.poison
                && self.read_enable.next
                && self.write_address.next.to_u64() == self.read_address.next.to_u64()
            {
                self.latch = poison;
            }
            self.memory[self.write_address.next.to_u64() as usize & last] = self.write_data.next;
        }
    }
}

/// A small memory that is read in the same cycle (distributed RAM, or flip-flops where a family has none). `A` numbers
/// its entries.
#[derive(Clone, Debug, Default)]
pub struct LutRam<T, A, V = PlainView> {
    /// Entry to read.
    pub read_address: Signal<Local, A>,
    /// Entry to write.
    pub write_address: Signal<Local, A>,
    /// Data to write.
    pub write_data: Signal<Local, T, V>,
    /// Whether to write.
    pub write_enable: Signal<Local, Bit>,
    /// The entry at `read_address`, after [`LutRam::read`].
    pub read_data: Signal<Local, T, V>,
    memory: Vec<T>,
}

impl<T: Value, A: Value, V: Default> LutRam<T, A, V> {
    /// A memory of `entries` entries, all zero.
    pub fn new(entries: usize) -> Self {
        Self { memory: vec![T::default(); entries], ..Self::default() }
    }

    /// Simulation only: what an entry holds from now on.
    pub fn set(&mut self, entry: usize, value: T) {
        self.memory[entry] = value;
    }

    /// The combinational read: part of the settling of the block that holds the memory.
    #[inline(always)]
    pub fn read(&mut self) {
        self.read_data.next = self.memory[self.read_address.next.to_u64() as usize];
    }
}

impl<T: Value, A: Value, V: ViewAs> Part for LutRam<T, A, V> {
    looks! {
        MemoryKind::Lut, "lut_ram", memory: T::ty(V::VIEW);
        read_address: Input, read_data: Output, write_enable: Input, write_address: Input, write_data: Input
    }
    #[inline]
    fn look_up(&mut self) {
        self.read_data.next = self.memory[self.read_address.next.to_u64() as usize];
    }
    #[inline(always)]
    fn tick(&mut self) {
        if self.write_enable.next {
            self.memory[self.write_address.next.to_u64() as usize] = self.write_data.next;
        }
    }
}

/// A small memory with registers at both ends: distributed RAM or block RAM, as a family has it. `A` numbers its entries.
///
/// ```text
///   cycle            0          1          2          3          4
///   write_address    A
///   (inside)                    to write   mem[A]
///   read_address                           A          or later
///   read_data                                                    mem[A]
/// ```
/// Nobody may look at what is read of an entry whose write is not yet two cycles ago.
#[derive(Clone, Debug, Default)]
pub struct QueueRam<T, A, V = PlainView> {
    /// Entry to read.
    pub read_address: Signal<Local, A>,
    /// Entry to write.
    pub write_address: Signal<Local, A>,
    /// Data to write.
    pub write_data: Signal<Local, T, V>,
    /// Whether to write.
    pub write_enable: Signal<Local, Bit>,
    /// The entry whose address was given two cycles ago.
    pub read_data: Signal<Local, T, V>,
    memory: Vec<T>,
    latch: T,
    writing: Option<(usize, T)>,
}

impl<T: Value, A: Value, V: Default> QueueRam<T, A, V> {
    /// A memory of `entries` entries, all zero.
    pub fn new(entries: usize) -> Self {
        Self { memory: vec![T::default(); entries], ..Self::default() }
    }
}

impl<T: Value, A: Value, V: ViewAs> Part for QueueRam<T, A, V> {
    looks! {
        MemoryKind::Queue, "queue_ram", memory: T::ty(V::VIEW);
        read_address: Input, read_data: Output, write_enable: Input, write_address: Input, write_data: Input
    }
    #[inline(always)]
    fn tick(&mut self) {
        self.read_data.next = self.latch;
        self.latch = self.memory[self.read_address.next.to_u64() as usize];
        if let Some((entry, data)) = self.writing {
            self.memory[entry] = data;
        }
        let entry = self.write_address.next.to_u64() as usize;
        self.writing = self.write_enable.next.then_some((entry, self.write_data.next));
    }
    fn reset(&mut self) {
        self.writing = None;
    }
}

/// Registers that are written one at a time and all seen at once: up to `MOST` of them. `M` has a bit for each.
///
/// ```text
///   cycle        0          1
///   write        0b0010
///   entry[1]     old        write_data
/// ```
#[derive(Clone, Debug, Default)]
pub struct Shelf<T, M, const MOST: usize, V = PlainView> {
    /// The entry to write, one-hot; none if it is zero.
    pub write: Signal<Local, M>,
    /// Data to write.
    pub write_data: Signal<Local, T, V>,
    /// Value of each entry.
    pub entry: Lanes<Signal<Local, T, V>, MOST>,
}

impl<T: Value, M: Value, const MOST: usize, V: Default> Shelf<T, M, MOST, V> {
    /// A shelf of `entries` entries.
    pub fn new(entries: usize) -> Self {
        Self { entry: Lanes::new(entries), ..Self::default() }
    }
}

impl<T: Value, M: Value, const MOST: usize, V: ViewAs> Part for Shelf<T, M, MOST, V> {
    fn visit(&self, name: Name, doc: &'static str, visitor: &mut dyn Visitor) {
        let data = T::ty(V::VIEW);
        visitor.memory(name, doc, MemoryKind::Shelf, self.entry.len(), data);
        visitor.enter(name, "shelf", doc);
        visitor.signal("write".into(), "", SignalView::Input, M::ty(View::Plain), self.write.next.to_u64());
        visitor.signal("write_data".into(), "", SignalView::Input, data, self.write_data.next.to_u64());
        for (index, entry) in self.entry.iter().enumerate() {
            visitor.signal(Name::from("entry").lane(index), "", SignalView::Output, data, entry.next.to_u64());
        }
        visitor.leave();
    }
    fn values<'a>(&self, room: &'a mut [u64]) -> &'a mut [u64] {
        let room = self.write.values(room);
        let room = self.write_data.values(room);
        self.entry.values(room)
    }
    #[inline(always)]
    fn tick(&mut self) {
        let write = self.write.next.to_u64();
        if write != 0 {
            self.entry[write.trailing_zeros() as usize].next = self.write_data.next;
        }
    }
}

/// Whether reset clears a [`DelayLine`].
pub trait DelayKind {
    /// Kind of memory, for the exporter.
    const KIND: MemoryKind;
}
#[doc(hidden)]
#[derive(Clone, Debug, Default)]
pub struct DataDelay;
#[doc(hidden)]
#[derive(Clone, Debug, Default)]
pub struct ClearedDelay;
impl DelayKind for DataDelay {
    const KIND: MemoryKind = MemoryKind::Delay;
}
impl DelayKind for ClearedDelay {
    const KIND: MemoryKind = MemoryKind::ControlDelay;
}

/// Registers in a row: what enters leaves `depth` cycles later. Use it through [`Delay`] or [`ControlDelay`].
///
/// ```text
///   cycle    0    1    2    3          depth 3
///   enter    A
///   leave                   A
/// ```
#[derive(Clone, Debug, Default)]
pub struct DelayLine<T, K> {
    /// Input.
    pub enter: Signal<Local, T>,
    /// What entered `depth` cycles ago.
    pub leave: Signal<Local, T>,
    line: Vec<T>,
    oldest: usize,
    kind: std::marker::PhantomData<K>,
}

/// Registers in a row, for data: reset leaves them alone.
pub type Delay<T> = DelayLine<T, DataDelay>;
/// Registers in a row, for control state: reset clears them.
pub type ControlDelay<T> = DelayLine<T, ClearedDelay>;

impl<T: Value, K: Default> DelayLine<T, K> {
    /// A row of `depth` registers, one at least.
    pub fn new(depth: usize) -> Self {
        assert!(depth > 0);
        Self { line: vec![T::default(); depth], ..Self::default() }
    }
}

impl<T: Value, K: DelayKind> Part for DelayLine<T, K> {
    looks! {
        K::KIND, "delay", line: T::ty(View::Plain);
        enter: Input, leave: Output
    }
    #[inline(always)]
    fn tick(&mut self) {
        self.line[self.oldest] = self.enter.next;
        self.oldest = if self.oldest + 1 == self.line.len() { 0 } else { self.oldest + 1 };
        self.leave.next = self.line[self.oldest];
    }
    fn reset(&mut self) {
        if K::KIND == MemoryKind::ControlDelay {
            self.line.fill(T::default());
            self.leave.next = T::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bits;

    type Address = Bits<4>;

    fn cycle(ram: &mut BlockRam<Bits<8>, Address>, read: u64, write: Option<(u64, u64)>) -> u64 {
        ram.read_enable.next = true;
        ram.read_address.next = read.into();
        let (address, data) = write.unwrap_or((0, 0));
        ram.write_enable.next = write.is_some();
        ram.write_address.next = address.into();
        ram.write_data.next = data.into();
        let shown = ram.read_data.val().raw();
        ram.tick();
        shown
    }

    #[test]
    fn block_ram_shows_a_word_two_cycles_after_its_address() {
        let mut ram: BlockRam<Bits<8>, Address> = BlockRam::new(16);
        cycle(&mut ram, 0, Some((3, 7)));
        cycle(&mut ram, 3, None);
        assert_eq!(cycle(&mut ram, 0, None), 0);
        assert_eq!(cycle(&mut ram, 0, None), 7);
    }

    #[test]
    fn a_read_that_meets_a_write_is_old_or_poisoned() {
        for poison in [None, Some(0x55)] {
            let mut ram: BlockRam<Bits<8>, Address> = BlockRam::new(16);
            if let Some(value) = poison {
                ram.poison_collisions(value.into());
            }
            cycle(&mut ram, 3, Some((3, 7)));
            cycle(&mut ram, 3, None);
            assert_eq!(cycle(&mut ram, 3, None), poison.unwrap_or(0));
            assert_eq!(cycle(&mut ram, 3, None), 7);
        }
    }

    #[test]
    fn what_enters_a_delay_leaves_it_so_many_cycles_later() {
        for depth in 1..5usize {
            let mut delay = ControlDelay::<Bits<8>>::new(depth);
            for cycle in 1..20u64 {
                delay.enter.next = cycle.into();
                assert_eq!(delay.leave.val(), cycle.saturating_sub(depth as u64));
                delay.tick();
            }
            delay.reset();
            for _ in 0..depth {
                assert_eq!(delay.leave.val(), 0);
                delay.tick();
            }
        }
    }

    #[test]
    fn a_shelf_shows_all_its_entries() {
        let mut shelf = Shelf::<Bits<8>, Bits<3>, 4>::new(3);
        for (write, data) in [(0b010, 7), (0, 9), (0b100, 5)] {
            shelf.write.next = write.into();
            shelf.write_data.next = data.into();
            shelf.tick();
        }
        assert_eq!(shelf.entry.iter().map(|entry| entry.val().raw()).collect::<Vec<_>>(), [0, 7, 5]);
    }

    #[test]
    fn queue_ram_shows_an_entry_four_cycles_after_it_was_given() {
        let mut ram = QueueRam::<Bits<8>, Address>::new(5);
        ram.write_enable.next = true;
        ram.write_address.next = 4.into();
        ram.write_data.next = 9.into();
        ram.tick();
        ram.write_enable.next = false;
        ram.tick();
        ram.read_address.next = 4.into();
        ram.tick();
        ram.read_address.next = 0.into();
        ram.tick();
        assert_eq!(ram.read_data.val(), 9);
        ram.tick();
        assert_eq!(ram.read_data.val(), 0);
    }

    #[test]
    fn lut_ram_is_read_in_the_same_cycle() {
        let mut ram = LutRam::<Bits<8>, Address>::new(5);
        ram.write_enable.next = true;
        ram.write_address.next = 4.into();
        ram.write_data.next = 9.into();
        ram.tick();
        ram.read_address.next = 4.into();
        ram.read();
        assert_eq!(ram.read_data.val(), 9);
    }
}
