//! Environment with memory, which records other effects.

use crate::address::{Location, Windows};
use crate::effect::{Access, Atom, Effect, Meaning};
use crate::parse::parse;
use crate::program::Program;
use crate::source::{Complaint, Source};
use crate::thread::{Halt, Lane, Now, Whereabouts};
use std::collections::HashMap;
use std::sync::Arc;

/// Steps after which a kernel is said not to end.
const MOST_STEPS: usize = 100_000;

/// A thread, alone in the world.
pub struct World {
    pub program: Program,
    pub source: Source,
    pub lane: Lane,
    pub place: Whereabouts,
    /// Bytes of shared memory by rank and offset, and of global memory under rank 255.
    pub memory: HashMap<(u8, u64), u8>,
    /// Effects that are not memory, in their order.
    pub effects: Vec<Effect>,
    /// Results of those, in their order; what is missing is zero.
    pub answers: Vec<Vec<u64>>,
    cycle: u64,
}

/// Where the buffer for results begins in global memory, behind the variables.
pub const OUT: u64 = 0x100_0000;

/// A place that differs in everything.
pub fn somewhere() -> Whereabouts {
    Whereabouts {
        thread: [5, 1, 2],
        block_dim: [8, 4, 3],
        block: [6, 7, 8],
        grid_dim: [10, 11, 12],
        block_in_cluster: [0, 1, 0],
        cluster_dim: [2, 2, 1],
        rank: 2,
        ranks: 4,
        cluster: [3, 3, 8],
        clusters: [5, 6, 12],
        explicit_cluster: true,
        lane: 13,
        warp: 2,
        warps: 3,
        sm: 17,
        sms: 132,
        grid: 0x1_0000_0009,
        dynamic_shared: 512,
        total_shared: 1024,
    }
}

impl World {
    /// The kernel `k` of a module, with these parameters.
    pub fn new(text: &str, parameters: &[u8]) -> Self {
        let source = Source::new("test.ptx", text);
        let module = parse(&source).unwrap_or_else(|error| panic!("{:?}", miette::Report::new(error)));
        let program = Program::new(&module, "k").unwrap_or_else(|why| panic!("{}", shown(&source, why)));
        let lane = program.lane(Arc::from(parameters));
        let image = program.image.iter().enumerate();
        let base = Windows::of(program.address_size).global;
        let memory = image.map(|(place, byte)| ((255, base + place as u64), *byte)).collect();
        let (effects, answers) = (Vec::new(), Vec::new());
        Self { program, source, lane, place: somewhere(), memory, effects, answers, cycle: 0 }
    }

    /// A kernel with registers of every type and the address of a buffer in `%out`.
    pub fn body(declarations: &str, body: &str, address_size: u32) -> Self {
        let out = Windows::of(address_size).global + OUT;
        let text = format!(
            ".version 8.6\n.target sm_90\n.address_size {address_size}\n{declarations}\n\
             .visible .entry k(.param .u{address_size} out)\n{{\n\
             .reg .u{address_size} %out;\n.reg .b64 %rd<20>;\n.reg .b32 %r<20>;\n.reg .b16 %rs<20>;\n\
             .reg .pred %p<8>;\n.reg .f32 %f<8>;\n.reg .f64 %fd<8>;\n\
             ld.param.u{address_size} %out, [out];\n{body}\nret;\n}}\n"
        );
        let parameters = out.to_le_bytes();
        Self::new(&text, &parameters[..address_size as usize / 8])
    }

    /// Executes to the end.
    pub fn run(mut self) -> Result<Self, Halt> {
        for _ in 0..MOST_STEPS {
            self.cycle += 1;
            let now = Now { cycle: 0x2_0000_0000 + self.cycle, nanoseconds: 0x3_0000_0007, active: 0x2001 };
            match self.program.step(&mut self.lane, &self.place, now)? {
                Effect::Done => {}
                Effect::Exit => return Ok(self),
                effect => {
                    let results = self.perform(effect);
                    self.program.finish(&mut self.lane, &results);
                }
            }
        }
        panic!("the kernel does not end");
    }

    /// The fault with which it ends.
    pub fn fault(self) -> Complaint {
        match self.run() {
            Err(Halt::Fault(complaint)) => complaint,
            Err(Halt::Unsupported(complaint)) => panic!("not supported: {}", complaint.message),
            Ok(_) => panic!("the kernel ends without a fault"),
        }
    }

    /// 64-bit words of the buffer.
    pub fn out(&self, words: usize) -> Vec<u64> {
        let base = Windows::of(self.program.address_size).global + OUT;
        (0..words as u64).map(|word| self.get((255, base + word * 8), 8)).collect()
    }

    pub fn get(&self, (memory, address): (u8, u64), bytes: u8) -> u64 {
        let byte = |at| u64::from(self.memory.get(&(memory, address + at)).copied().unwrap_or(0));
        (0..u64::from(bytes)).map(|at| byte(at) << (8 * at)).sum()
    }

    pub fn set(&mut self, (memory, address): (u8, u64), bytes: u8, value: u64) {
        for at in 0..u64::from(bytes) {
            self.memory.insert((memory, address + at), (value >> (8 * at)) as u8);
        }
    }

    fn place_of(&self, access: &Access) -> (u8, u64) {
        let place = match access.location {
            Location::Shared { rank, offset } => (rank.unwrap_or(self.place.rank as u8), u64::from(offset)),
            Location::Global(address) => (255, address),
            elsewhere => panic!("an access to {elsewhere:?}"),
        };
        assert_eq!(place.1 % (u64::from(access.width) * u64::from(access.count)), 0, "{access:?} is misaligned");
        place
    }

    fn perform(&mut self, effect: Effect) -> Vec<u64> {
        match effect {
            Effect::Load(access) => {
                let (memory, base) = self.place_of(&access);
                let width = access.width;
                (0..access.count).map(|at| self.get((memory, base + u64::from(at * width)), width)).collect()
            }
            Effect::Store(access, values) => {
                let (memory, base) = self.place_of(&access);
                for at in 0..access.count {
                    let place = (memory, base + u64::from(at * access.width));
                    self.set(place, access.width, values[usize::from(at)]);
                }
                vec![]
            }
            Effect::Atomic { access, atom, meaning, b, c } => {
                let place = self.place_of(&access);
                let old = self.get(place, access.width);
                let signed = |value: u64| if access.width == 4 { i64::from(value as i32) } else { value as i64 };
                let less = if meaning == Meaning::Signed { signed(b) < signed(old) } else { b < old };
                let new = match atom {
                    Atom::And => old & b,
                    Atom::Or => old | b,
                    Atom::Xor => old ^ b,
                    Atom::Exch => b,
                    Atom::Cas => {
                        if old == b {
                            c
                        } else {
                            old
                        }
                    }
                    Atom::Add if meaning == Meaning::Float && access.width == 4 => {
                        u64::from((f32::from_bits(old as u32) + f32::from_bits(b as u32)).to_bits())
                    }
                    Atom::Add if meaning == Meaning::Float => (f64::from_bits(old) + f64::from_bits(b)).to_bits(),
                    Atom::Add => old.wrapping_add(b),
                    Atom::Insert => old & !b | c & b,
                    Atom::Inc => {
                        if old >= b {
                            0
                        } else {
                            old + 1
                        }
                    }
                    Atom::Dec => {
                        if old == 0 || old > b {
                            b
                        } else {
                            old - 1
                        }
                    }
                    Atom::Min => {
                        if less {
                            b
                        } else {
                            old
                        }
                    }
                    Atom::Max => {
                        if less {
                            old
                        } else {
                            b
                        }
                    }
                };
                self.set(place, access.width, new);
                vec![old]
            }
            other => {
                let results = self.answers.get(self.effects.len()).cloned().unwrap_or_default();
                self.effects.push(other);
                results
            }
        }
    }
}

/// A complaint as a user sees it.
pub fn shown(source: &Source, complaint: Complaint) -> String {
    let mut text = String::new();
    let handler = miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::unicode_nocolor());
    handler.render_report(&mut text, &source.error(complaint)).expect("a string takes everything");
    text
}
