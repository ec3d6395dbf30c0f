//! Effects from operands: resolves addresses and evaluates values. Accesses to local memory and parameters are performed here.

use crate::address::{Location, WINDOW, mapa};
use crate::barrier::COUNT_MAX_V1;
use crate::effect::{self, Bar, Effect, MOST_VALUES, Together, Values, Visit};
use crate::matrix::Matrix;
use crate::program::Program;
use crate::program::code::{
    Access, Action, Address, Ask, Bars, Hand, Library, Map, PARAMETERS, Question, Transfer, Value, What, Where, World,
};
use crate::program::types;
use crate::source::Complaint;
use crate::thread::lane::Denied;
use crate::thread::{Eyes, Halt, Lane, Now, Whereabouts};
use txbar_rtl::op::Operand;
use txbar_testbench::tensor::number;

/// `bar` has this many barriers.
const BARS: u64 = 16;
/// Threads that take part in a `bar` are whole warps.
const WARP: u64 = 32;
/// Registers of a thread that `setmaxnreg` may set.
const REGISTERS: std::ops::RangeInclusive<u32> = 24..=256;
/// Bulk copies go by units of this many bytes.
const BULK: u64 = 16;
/// Boxes of tensors lie at multiples of this many bytes of shared memory.
const TENSOR: u64 = 128;

impl Eyes<'_> {
    /// The number that an address is.
    fn number(&self, address: &Address) -> u64 {
        self.value(address.base).wrapping_add(address.offset) & address.mask
    }
}

impl Program {
    /// What an address means to a thread.
    pub(super) fn locate(&self, eyes: &Eyes, address: &Address) -> Location {
        let number = eyes.number(address);
        match address.place {
            Where::Generic => self.windows.resolve(number),
            Where::Shared => Location::shared(number),
            Where::Global => Location::Global(number),
            Where::Local if number < WINDOW => Location::Local(number as u32), // below 2^28
            Where::Local => Location::Nowhere(number),
        }
    }

    /// Location of an access.
    fn aligned(&self, eyes: &Eyes, at: &Access) -> Result<Location, Halt> {
        let location = self.locate(eyes, &at.address);
        let pc = eyes.lane.pc;
        let bytes = u64::from(at.width) * u64::from(at.count);
        let place = match location {
            Location::Shared { offset, .. } => u64::from(offset),
            Location::Global(address) => address,
            Location::Local(address) => u64::from(address),
            Location::Nowhere(address) => {
                let label = format!("0x{address:x} lies outside of the window of its state space");
                return Err(self.fault(pc, "this address does not exist", label));
            }
        };
        if place & (bytes - 1) == 0 {
            return Ok(location); // the bytes of an access are a power of two
        }
        let label = format!("0x{:x} is not a multiple of {bytes}", eyes.number(&at.address));
        Err(self.fault(pc, "the address is misaligned", label))
    }

    /// The complaint about local memory or parameters at an address.
    pub(super) fn denied(&self, pc: usize, address: u64, denied: Denied) -> Halt {
        let parameter = address >= u64::from(PARAMETERS);
        let (message, label) = match denied {
            Denied::Null => {
                ("a null pointer into local memory".into(), format!("0x{address:x} belongs to no variable"))
            }
            Denied::ReadOnly => {
                ("parameters of an entry cannot be stored to".into(), format!("0x{address:x} is a parameter"))
            }
            Denied::Beyond => {
                let what = if parameter { "the parameters" } else { "the local memory" };
                (format!("an access beyond {what} of the thread"), format!("0x{address:x} belongs to no variable"))
            }
        };
        self.fault(pc, message, label)
    }

    /// Evaluates an instruction that the world takes part in; what it does in local memory and parameters is done.
    pub(super) fn world(&self, lane: &mut Lane, place: &Whereabouts, now: Now, world: &World) -> Result<Effect, Halt> {
        let eyes = Eyes { lane, place, now };
        let access = |at: &Access| -> Result<effect::Access, Halt> {
            let location = self.aligned(&eyes, at)?;
            Ok(effect::Access { location, width: at.width, count: at.count, order: at.order })
        };
        let narrow = |value| eyes.value(value) as u32; // operands of 32 bits
        let coordinates = |operands: &[Value]| {
            let mut at = [0; 5];
            for (at, operand) in at.iter_mut().zip(operands) {
                *at = narrow(*operand) as i32; // two's complement
            }
            (operands.len() as u8, at) // 1 to 5
        };
        let what = match &world.what {
            What::First { lanes, .. } if place.lane >= *lanes => {
                self.finish(lane, &[]);
                return Ok(Effect::Done);
            }
            What::First { what, .. } => what,
            what => what,
        };
        Ok(match what {
            What::Plain(effect) => *effect,
            What::Load { at } => {
                let access = access(at)?;
                let Location::Local(address) = access.location else { return Ok(Effect::Load(access)) };
                let width = u32::from(access.width);
                let mut values: Values = [0; MOST_VALUES];
                for (step, value) in (0..u32::from(access.count)).zip(&mut values) {
                    let element = address.wrapping_add(step * width);
                    *value = lane.load(element, width).map_err(|why| self.denied(lane.pc, u64::from(element), why))?;
                }
                self.finish(lane, &values);
                Effect::Done
            }
            What::Store { at, values } => {
                let access = access(at)?;
                let mut evaluated: Values = [0; MOST_VALUES];
                for (value, from) in evaluated.iter_mut().zip(values) {
                    *value = eyes.value(*from);
                }
                let Location::Local(address) = access.location else { return Ok(Effect::Store(access, evaluated)) };
                let width = u32::from(access.width);
                for (step, value) in (0..u32::from(access.count)).zip(evaluated) {
                    let element = address.wrapping_add(step * width);
                    let stored = lane.store(element, width, value);
                    stored.map_err(|why| self.denied(lane.pc, u64::from(element), why))?;
                }
                self.finish(lane, &[]);
                Effect::Done
            }
            What::Atomic { at, atom, meaning, b, c } => {
                let access = access(at)?;
                if let Location::Local(_) = access.location {
                    let label = "its address is in local memory";
                    return Err(self.fault(lane.pc, "atomic operations are for shared and global memory", label));
                }
                Effect::Atomic { access, atom: *atom, meaning: *meaning, b: eyes.value(*b), c: eyes.value(*c) }
            }
            What::Barrier { op, address, operand, limit, order, answered, v1 } => {
                let raw = eyes.value(*operand);
                let (low, high) = (raw & types::mask(32), raw & !types::mask(32));
                if *v1 && low > u64::from(COUNT_MAX_V1) {
                    let message = format!("a barrier of layout v1 cannot count {low} arrivals");
                    return Err(self.fault(lane.pc, message, "1 to 511 are possible"));
                }
                let limit = eyes.value(*limit);
                let (data, operand) = match op.operand() {
                    Operand::None => (0, 0),
                    Operand::Arrivals | Operand::Bytes => (low, raw),
                    Operand::Parity => (raw & 1, raw),
                    Operand::Token => (high, raw),
                    Operand::ParityAndLimit => (raw & 1 | limit << 32, raw),
                    Operand::TokenAndLimit => (high | limit, raw),
                    Operand::Word => (raw, raw),
                };
                let location = self.locate(&eyes, address);
                let (order, answered) = (*order, *answered);
                Effect::Barrier { op: *op, location, data, operand, order, answered, v1: *v1 }
            }
            What::CheckLayout { address, v1 } => Effect::CheckLayout { location: self.locate(&eyes, address), v1: *v1 },
            What::CopyAsync { shared, global, bytes, source, ignore } => {
                let source_bytes = if eyes.value(*ignore) == 0 { eyes.value(*source) } else { 0 };
                if source_bytes > u64::from(*bytes) {
                    let label = format!("{source_bytes} bytes to be read of {bytes}");
                    return Err(self.fault(lane.pc, "a copy reads more than it writes", label));
                }
                self.multiples(&eyes, &[shared, global], u64::from(*bytes))?;
                let (shared, global) = (self.locate(&eyes, shared), eyes.number(global));
                Effect::CopyAsync { shared, global, bytes: *bytes, source_bytes: source_bytes as u8 } // at most 16
            }
            What::CopyArrive { address, noinc } => {
                Effect::CopyArrive { location: self.locate(&eyes, address), noinc: *noinc }
            }
            What::BulkToShared { shared, global, bytes, barrier, multicast } => {
                self.multiples(&eyes, &[shared, global], BULK)?;
                Effect::BulkToShared {
                    shared: self.locate(&eyes, shared),
                    global: eyes.number(global),
                    bytes: self.units(lane.pc, narrow(*bytes))?,
                    barrier: self.locate(&eyes, barrier),
                    multicast: multicast.map(|mask| eyes.value(mask) as u16), // an operand of 16 bits
                }
            }
            What::BulkToGlobal { shared, global, bytes, mask, reduction } => {
                self.multiples(&eyes, &[shared, global], BULK)?;
                Effect::BulkToGlobal {
                    shared: self.locate(&eyes, shared),
                    global: eyes.number(global),
                    bytes: self.units(lane.pc, narrow(*bytes))?,
                    mask: eyes.value(*mask) as u16, // an operand of 16 bits
                    reduction: *reduction,
                }
            }
            What::TensorToShared { shared, map, at, barrier, multicast } => {
                self.multiples(&eyes, &[shared], TENSOR)?;
                let (rank, at) = coordinates(at);
                Effect::TensorToShared {
                    map: self.locate(&eyes, map),
                    rank,
                    at,
                    shared: self.locate(&eyes, shared),
                    barrier: self.locate(&eyes, barrier),
                    multicast: multicast.map(|mask| eyes.value(mask) as u16), // an operand of 16 bits
                }
            }
            What::TensorToGlobal { shared, map, at, action } => {
                self.multiples(&eyes, &[shared], TENSOR)?;
                let (rank, at) = coordinates(at);
                let (map, shared) = (self.locate(&eyes, map), self.locate(&eyes, shared));
                Effect::TensorToGlobal { map, rank, at, shared, action: *action }
            }
            What::TensorPrefetch { map, at } => {
                let (rank, at) = coordinates(at);
                Effect::TensorPrefetch { map: self.locate(&eyes, map), rank, at }
            }
            What::MapReplace { map, field, dimension, value } => {
                let (map, value) = (self.locate(&eyes, map), eyes.value(*value));
                Effect::MapReplace { map, field: *field, dimension: *dimension, value }
            }
            What::MapPublish { to, from } => Effect::MapPublish { to: eyes.number(to), from: self.locate(&eyes, from) },
            What::MapFence { map } => Effect::MapFence { map: self.locate(&eyes, map) },
            What::MapPrefetch { map } => Effect::MapPrefetch { map: self.locate(&eyes, map) },
            What::BulkToCluster { shared, to, bytes, barrier, reduction } => {
                self.multiples(&eyes, &[shared, to], BULK)?;
                Effect::BulkToCluster {
                    shared: self.locate(&eyes, shared),
                    to: self.locate(&eyes, to),
                    bytes: self.units(lane.pc, narrow(*bytes))?,
                    barrier: self.locate(&eyes, barrier),
                    reduction: *reduction,
                }
            }
            What::Post { at, values, barrier, reduction } => {
                let to = self.aligned(&eyes, at)?;
                let mut bytes = [0u8; 16];
                for (place, value) in bytes.chunks_exact_mut(usize::from(at.width)).zip(values) {
                    place.copy_from_slice(&eyes.value(*value).to_le_bytes()[..usize::from(at.width)]);
                }
                let (bytes, data) = (at.width * at.count, [number(&bytes[..8]), number(&bytes[8..])]);
                Effect::Post { to, bytes, data, barrier: self.locate(&eyes, barrier), reduction: *reduction }
            }
            What::Bar { number, threads, kind, predicate, aligned } => {
                let number = eyes.value(*number);
                if number >= BARS {
                    let label = "a CTA has barriers 0 to 15";
                    return Err(self.fault(lane.pc, format!("there is no barrier {number}"), label));
                }
                let threads = threads.map(|threads| eyes.value(threads));
                // 0 is as good as none, which an arrival does not allow
                let is_wrong = |threads: &u64| !threads.is_multiple_of(WARP) || *threads == 0 && *kind == Bars::Arrive;
                if let Some(threads) = threads.filter(is_wrong) {
                    let message = format!("a barrier cannot count {threads} threads");
                    return Err(self.fault(lane.pc, message, "whole warps take part: multiples of 32"));
                }
                let predicate = eyes.value(*predicate) != 0;
                let bar = match kind {
                    Bars::Sync => Bar::Sync,
                    Bars::Arrive => Bar::Arrive,
                    Bars::Popc => Bar::Popc(predicate),
                    Bars::And => Bar::And(predicate),
                    Bars::Or => Bar::Or(predicate),
                };
                let threads = threads.filter(|threads| *threads != 0).map(|threads| threads as u32); // operands of 32 bits
                Effect::Bar(Visit { number: number as u8, threads, bar, aligned: *aligned, together: 0 })
            }
            What::Shuffle { mode, value, lane, clamp, mask } => {
                let (value, lane, clamp) = (narrow(*value), narrow(*lane), narrow(*clamp));
                Effect::Together { mask: narrow(*mask), what: Together::Shuffle { mode: *mode, value, lane, clamp } }
            }
            What::Vote { mode, predicate, mask } => {
                let predicate = eyes.value(*predicate) != 0;
                Effect::Together { mask: narrow(*mask), what: Together::Vote { mode: *mode, predicate } }
            }
            What::Match { all, value, mask } => {
                let value = eyes.value(*value);
                Effect::Together { mask: narrow(*mask), what: Together::Match { all: *all, value } }
            }
            What::Reduce { atom, meaning, value, mask } => {
                let (atom, meaning, value) = (*atom, *meaning, narrow(*value));
                Effect::Together { mask: narrow(*mask), what: Together::Reduce { atom, meaning, value } }
            }
            What::Together { what, mask } => Effect::Together { mask: narrow(*mask), what: *what },
            What::Matrix { matrix, .. } => Effect::Together {
                mask: u32::MAX,
                what: Together::Matrix { pc: lane.pc, grouped: matrix.is_grouped() },
            },
            What::Library { function, arguments, .. } => {
                let mut given = [0; 5];
                for (value, Transfer { hand, bytes, .. }) in given.iter_mut().zip(arguments) {
                    *value = match hand {
                        Hand::Value(value) => eyes.value(*value),
                        Hand::Memory(from) => {
                            let address = lane.begin.wrapping_add(*from);
                            let loaded = lane.load(address, *bytes);
                            loaded.map_err(|why| self.denied(lane.pc, u64::from(address), why))?
                        }
                        Hand::Target(_) => 0, // only results have these
                    };
                }
                let [first, second, third, fourth, _] = given;
                match function {
                    Library::Print => Effect::Print { format: first, arguments: second },
                    Library::Assert => {
                        Effect::Assert { message: first, file: second, line: third as u32, function: fourth }
                    }
                }
            }
            What::First { .. } => Effect::Done, // nothing is within nothing
            What::Claim(claim) if !REGISTERS.contains(&claim.registers) || !claim.registers.is_multiple_of(8) => {
                let message = format!("setmaxnreg cannot set {} registers", claim.registers);
                return Err(self.fault(lane.pc, message, "24 to 256, multiples of 8"));
            }
            What::Claim(claim) => Effect::Claim(*claim),
            What::Sleep(time) => Effect::Sleep(narrow(*time)),
        })
    }

    /// The matrix instruction of this number, if it is one, and what a lane at it brings along.
    pub(crate) fn matrix(&self, pc: usize, lane: &Lane, place: &Whereabouts, now: Now) -> Option<(Matrix, Vec<u64>)> {
        let Action::World(world) = &self.steps.get(pc)?.action else { return None };
        let What::Matrix { matrix, from } = &world.what else { return None };
        let eyes = Eyes { lane, place, now };
        Some((*matrix, from.iter().map(|value| eyes.value(*value)).collect()))
    }

    /// Addresses of copies are multiples of what is copied.
    fn multiples(&self, eyes: &Eyes, addresses: &[&Address], bytes: u64) -> Result<(), Halt> {
        let misplaced = addresses.iter().find(|address| !eyes.number(address).is_multiple_of(bytes));
        misplaced.map_or(Ok(()), |address| {
            let place = match self.locate(eyes, address) {
                Location::Shared { offset, .. } => format!("`{}` (shared 0x{offset:x})", self.shared_symbol(offset)),
                Location::Global(address) => format!("global memory 0x{address:x}"),
                _ => format!("0x{:x}", eyes.number(address)),
            };
            let label = format!("{place} is not a multiple of {bytes}");
            Err(self.fault(eyes.lane.pc, "an address of the copy is misaligned", label))
        })
    }

    /// Sizes of bulk copies are multiples of 16.
    fn units(&self, pc: usize, bytes: u32) -> Result<u32, Halt> {
        if u64::from(bytes) % BULK == 0 {
            return Ok(bytes);
        }
        let label = format!("{bytes} is not a multiple of {BULK}");
        Err(self.fault(pc, format!("a bulk copy of {bytes} bytes is impossible"), label))
    }

    /// `mapa`.
    pub(super) fn map(&self, eyes: &Eyes, map: &Map) -> Result<u64, Halt> {
        let rank = eyes.value(map.rank);
        let pc = eyes.lane.pc;
        if rank >= u64::from(eyes.place.ranks) {
            let message = format!("the cluster has no CTA with rank {rank}");
            return Err(self.fault(pc, message, format!("it has {} of them", eyes.place.ranks)));
        }
        let offset = match self.locate(eyes, &map.address) {
            Location::Shared { offset, .. } => offset,
            _ => {
                let label = format!("0x{:x} is not in shared memory", eyes.number(&map.address));
                return Err(self.fault(pc, "mapa needs an address in shared memory", label));
            }
        };
        Ok(map.window.wrapping_add(u64::from(mapa(offset, rank as u32)))) // a rank has 32 bits
    }

    /// `getctarank` and `isspacep`.
    pub(super) fn ask(&self, eyes: &Eyes, ask: &Ask) -> Result<u64, Halt> {
        let number = eyes.number(&ask.address);
        let location = self.locate(eyes, &ask.address);
        let own = eyes.place.rank;
        let yes = match (ask.question, location) {
            (Question::Rank, Location::Shared { rank, .. }) => return Ok(rank.map_or(u64::from(own), u64::from)),
            (Question::Rank, _) => {
                let complaint = Complaint::new(
                    self.span(eyes.lane.pc),
                    "getctarank needs an address in shared memory",
                    format!("0x{number:x} is not in shared memory"),
                );
                return Err(Halt::Fault(complaint));
            }
            (Question::SharedCta, Location::Shared { rank, .. }) => rank.is_none_or(|rank| u32::from(rank) == own),
            (Question::SharedCluster, Location::Shared { .. }) => true,
            (Question::Const { start, end }, Location::Global(address)) => (start..end).contains(&address),
            (Question::Global, Location::Global(_)) => true,
            (Question::Param, Location::Local(address)) => address >= PARAMETERS,
            (Question::Local, Location::Local(address)) => address < PARAMETERS,
            _ => false,
        };
        Ok(u64::from(yes))
    }
}
