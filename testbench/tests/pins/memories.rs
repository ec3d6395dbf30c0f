//! Memories are described twice, in Rust and in Verilog. Here small ones of every kind are brought into every state that
//! they can be in, are given every input in each, and show the same all along.

use super::Everybody;
use std::collections::{HashMap, HashSet, VecDeque};
use txbar_export::verilog::{self, Export};
use txbar_hdl::*;
use txbar_rtl::parameters::Parameters;
use txbar_testbench::engine::pins::{PinRecorder, Pins};
use txbar_testbench::engine::replay::Icarus;

hardware! {
    /// Memories of two entries of one bit, and short delays. The inputs of a memory are side by side.
    pub module Memories = "memories" {
        /// Enable and address of a read, enable, address and data of a write, from the lowest bit.
        pub block_in: Signal<In, Bits<5>>,
        /// Address of a read, enable, address and data of a write.
        pub lut_in: Signal<In, Bits<4>>,
        /// The same.
        pub queue_in: Signal<In, Bits<4>>,
        /// One-hot entry and data of a write.
        pub shelf_in: Signal<In, Bits<3>>,
        /// What enters the delays.
        pub delay_in: Signal<In, Bits<1>>,
        /// All that is shown has been written.
        pub known: Signal<In, Bit>,
        /// What is read of the block RAM.
        pub block_out: Signal<Out, Bits<1>>,
        /// What is read of the memory that is read in the same cycle.
        pub lut_out: Signal<Out, Bits<1>>,
        /// What is read of the queue's.
        pub queue_out: Signal<Out, Bits<1>>,
        /// The entries of the shelf.
        pub shelf_out: Lanes<Signal<Out, Bits<1>>, 2>,
        /// What leaves the delays that reset leaves alone.
        pub delay_out: Lanes<Signal<Out, Bits<1>>, 2>,
        /// What leaves those that it clears.
        pub control_out: Lanes<Signal<Out, Bits<1>>, 2>,
        /// Block RAM.
        pub(crate) block: BlockRam<Bits<1>, Bits<1>>,
        /// Read in the same cycle.
        pub(crate) lut: LutRam<Bits<1>, Bits<1>>,
        /// With registers at both ends.
        pub(crate) queue: QueueRam<Bits<1>, Bits<1>>,
        /// All seen at once.
        pub(crate) shelf: Shelf<Bits<1>, Bits<2>, 2>,
        /// One cycle, and three.
        pub(crate) delay: Lanes<Delay<Bits<1>>, 2>,
        /// The same, cleared by reset.
        pub(crate) control: Lanes<ControlDelay<Bits<1>>, 2>,
        /// How many of each.
        pub(crate) two: usize,
    }
    processes { Give, Show }
}

#[processes]
impl Memories {
    fn give(&mut self) {
        self.block.read_enable.next = self.block_in.val().get_bit(0);
        self.block.read_address.next = self.block_in.val().get_bits::<1>(1);
        self.block.write_enable.next = self.block_in.val().get_bit(2);
        self.block.write_address.next = self.block_in.val().get_bits::<1>(3);
        self.block.write_data.next = self.block_in.val().get_bits::<1>(4);
        self.lut.read_address.next = self.lut_in.val().get_bits::<1>(0);
        self.lut.write_enable.next = self.lut_in.val().get_bit(1);
        self.lut.write_address.next = self.lut_in.val().get_bits::<1>(2);
        self.lut.write_data.next = self.lut_in.val().get_bits::<1>(3);
        self.queue.read_address.next = self.queue_in.val().get_bits::<1>(0);
        self.queue.write_enable.next = self.queue_in.val().get_bit(1);
        self.queue.write_address.next = self.queue_in.val().get_bits::<1>(2);
        self.queue.write_data.next = self.queue_in.val().get_bits::<1>(3);
        self.shelf.write.next = self.shelf_in.val().get_bits::<2>(0);
        self.shelf.write_data.next = self.shelf_in.val().get_bits::<1>(2);
        for k in 0..self.two {
            self.delay[k].enter.next = self.delay_in.val();
            self.control[k].enter.next = self.delay_in.val();
        }
    }

    fn show(&mut self) {
        self.block_out.next = self.block.read_data.val();
        self.lut_out.next = self.lut.read_data.val();
        self.queue_out.next = self.queue.read_data.val();
        for k in 0..self.two {
            self.shelf_out[k].next = self.shelf.entry[k].val();
            self.delay_out[k].next = self.delay[k].leave.val();
            self.control_out[k].next = self.control[k].leave.val();
        }
    }
}

impl Memories {
    fn new() -> Self {
        let mut depths = [1, 3].into_iter().cycle();
        Self {
            shelf_out: Lanes::new(2),
            delay_out: Lanes::new(2),
            control_out: Lanes::new(2),
            block: BlockRam::new(2),
            lut: LutRam::new(2),
            queue: QueueRam::new(2),
            shelf: Shelf::new(2),
            delay: Lanes::of(2, || Delay::new(depths.next().expect("there is always another"))),
            control: Lanes::of(2, || ControlDelay::new(depths.next().expect("there is always another"))),
            two: 2,
            ..Self::default()
        }
    }

    fn settle(&mut self) {
        Process::<Give>::update(self);
        self.lut.read();
        Process::<Show>::update(self);
    }
}

/// The memories, with what is taken down of them.
struct Rig {
    memories: Memories,
    recorder: PinRecorder,
}

/// What a memory is given in a cycle: its inputs, and whether reset is held.
type Input = (u64, bool);

impl Rig {
    fn cycle(&mut self, reset: bool) {
        self.memories.settle();
        self.recorder.note(&self.memories, reset);
        self.memories.tick();
        if reset {
            self.memories.reset();
        }
    }

    /// Goes through all states of a memory and all inputs in each. `give` puts inputs at its pins, `state` is what it holds.
    /// Gives the number of states.
    fn explore(&mut self, inputs: &[u64], give: fn(&mut Memories, u64), state: fn(&Memories) -> String) -> usize {
        let inputs: Vec<Input> = inputs.iter().flat_map(|input| [(*input, false), (*input, true)]).collect();
        let look = |rig: &mut Self| {
            give(&mut rig.memories, 0); // what stands at the pins is no state
            rig.memories.settle();
            state(&rig.memories)
        };
        let mut next: HashMap<(String, Input), String> = HashMap::new();
        let mut here = look(self);
        let mut states = HashSet::from([here.clone()]);
        while let Some(way) = untried(&here, &inputs, &next) {
            for input in way {
                give(&mut self.memories, input.0);
                self.cycle(input.1);
                let there = look(self);
                states.insert(there.clone());
                next.insert((here, input), there.clone());
                here = there;
            }
        }
        states.len()
    }
}

/// The shortest way from a state to an input that was never given in the state where it is given.
fn untried(here: &str, inputs: &[Input], next: &HashMap<(String, Input), String>) -> Option<Vec<Input>> {
    let mut seen = HashSet::from([here.to_owned()]);
    let mut ways = VecDeque::from([(here.to_owned(), Vec::new())]);
    while let Some((state, way)) = ways.pop_front() {
        for input in inputs {
            let way = [way.clone(), vec![*input]].concat();
            match next.get(&(state.clone(), *input)) {
                None => return Some(way),
                Some(there) if seen.insert(there.clone()) => ways.push_back((there.clone(), way)),
                Some(_) => {}
            }
        }
    }
    None
}

fn export() -> Export {
    verilog::design(&Memories::new(), &Parameters::default(), "test").expect("`test` is an identifier")
}

/// What is at the pins on the way through all states.
fn every_state() -> Pins {
    let memories = Memories::new();
    let recorder = PinRecorder::new(&memories, |_| Some(("known".to_owned(), 0)));
    let mut rig = Rig { memories, recorder };
    // everything is written, read and reset once
    for cycle in 0..8 {
        rig.memories.block_in.next = 1.into();
        rig.memories.shelf_in.next = (1 + cycle % 2).into();
        rig.cycle(cycle < 2);
    }
    rig.memories.known.next = true;
    rig.memories.block_in.next = 0.into();
    rig.memories.shelf_in.next = 0.into();

    let all = |bits: u32| (0..1 << bits).collect::<Vec<u64>>();
    // what the block RAM holds, what it has read, and what it shows
    assert_eq!(rig.explore(&all(5), |m, v| m.block_in.next = v.into(), |m| format!("{:?}", m.block)), 4 * 2 * 2);
    assert_eq!(rig.explore(&all(4), |m, v| m.lut_in.next = v.into(), |m| format!("{:?}", m.lut)), 4);
    // the same, and nothing to write or one of two entries and what to write to it
    assert_eq!(rig.explore(&all(4), |m, v| m.queue_in.next = v.into(), |m| format!("{:?}", m.queue)), 4 * 2 * 2 * 5);
    let one_hot = [0b000, 0b001, 0b010, 0b100, 0b101, 0b110];
    assert_eq!(rig.explore(&one_hot, |m, v| m.shelf_in.next = v.into(), |m| format!("{:?}", m.shelf)), 4);
    let delays = |m: &Memories| format!("{:?} {:?}", &*m.delay, &*m.control);
    // three bits that entered, as many of which have not been reset as there are, at three places of the line
    assert!(rig.explore(&all(1), |m, v| m.delay_in.next = v.into(), delays) > 8 * 3);

    let pins = rig.recorder.finish();
    assert!(pins.cycles() > 16 * 64 + 4 * 32 + 80 * 32 + 4 * 12, "{} cycles", pins.cycles());
    pins
}

#[test]
fn memories_do_the_same_in_every_state() {
    assert_eq!(Everybody::new(&export()).differences(&every_state()), [""; 5]);
}

#[test]
fn a_defect_of_any_memory_is_seen() {
    let (sound, pins) = (export(), every_state());
    for (line, defect) in [
        ("if (read_enable) begin", "begin"),
        ("shown <= latch;", "shown <= mem[read_address];"),
        ("assign read_data = mem[read_address];", "assign read_data = mem[read_address] & ~write_enable;"),
        ("if (rst) writes <= 1'b0;", ""),
        ("if (writes) mem[place]", "if (writes) mem[write_address]"),
        ("if (write[1]) entry_1", "if (write[0]) entry_1"),
        ("if (rst) line <=", "if (1'b0) line <="),
        (".DEPTH(3)", ".DEPTH(2)"),
    ] {
        assert!(sound.text.contains(line), "no `{line}`");
        let bad = Export { text: sound.text.replace(line, defect), ..sound.clone() };
        let icarus = Icarus::new(&bad).unwrap_or_else(|error| panic!("`{defect}`: {error}"));
        let differences = icarus.differences(&pins).unwrap_or_else(|error| panic!("`{defect}`: {error}"));
        assert_ne!(differences, "", "`{defect}` in the place of `{line}`");
    }
}
