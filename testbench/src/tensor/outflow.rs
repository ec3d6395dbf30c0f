//! The blocks behind the tensor engine for stores: sender and outlet, a shared memory to read, and global memory to write.

use crate::cluster::global::{Bursts, Write, Writes};
use crate::reduction::reduce;
use std::collections::VecDeque;
use txbar_rtl::copies::outlet::Outlet;
use txbar_rtl::copies::sender::Sender;
use txbar_rtl::copies::tensor::Tensor;
use txbar_rtl::hdl::Part;
use txbar_rtl::word::address::BEAT_WORDS;

/// Cycles from the door to the words.
const DOOR_CYCLES: u64 = 4;
/// Places of the outlet's queues.
const PLACES: usize = 8;
/// Threads that have bulk groups.
const COPIERS: usize = 4;

/// Sender, outlet and the memories behind them.
pub struct Outflow {
    sender: Sender,
    outlet: Outlet,
    /// Blocks that are being read: when their words come, and their address.
    reading: VecDeque<(u64, usize)>,
    writes: Writes,
    under_way: usize,
    /// The first cycle in which a beat was written, and the last.
    pub written: Option<(u64, u64)>,
    /// Bytes written.
    pub bytes: u64,
}

impl Outflow {
    /// For a shared memory of 2^`window_bits` bytes, with this many bursts; global memory as the one of these.
    pub fn new(window_bits: usize, bursts: usize, memory: &Bursts) -> Self {
        let mut outflow = Self {
            sender: Sender::new(1, window_bits, COPIERS, bursts),
            outlet: Outlet::new(PLACES),
            reading: VecDeque::new(),
            writes: memory.writes(),
            under_way: 0,
            written: None,
            bytes: 0,
        };
        outflow.show();
        outflow.outlet.settle();
        outflow.sender.settle();
        for part in [&mut outflow.sender as &mut dyn Part, &mut outflow.outlet] {
            part.tick();
            part.reset();
        }
        outflow
    }

    /// Whether nothing is under way.
    pub fn is_idle(&self) -> bool {
        self.sender.idle.val() && self.outlet.idle.val() && self.under_way == 0
    }

    /// Whether a block is to be read at the door in this cycle.
    pub fn wants_door(&mut self) -> bool {
        self.show();
        self.outlet.read_valid.val()
    }

    fn show(&mut self) {
        self.sender.settle();
        self.outlet.settle();
        let (sender, outlet) = (&self.sender, &mut self.outlet);
        outlet.move_valid.next = sender.move_valid.val();
        outlet.move_kind.next = sender.move_kind.val();
        outlet.move_from.next = sender.move_from.val();
        outlet.move_to.next = sender.move_to.val();
        outlet.move_strobe.next = sender.move_strobe.val();
        outlet.move_reduction.next = sender.move_reduction.q.val();
        outlet.move_wanted.next = sender.move_wanted.val();
        outlet.move_reads.next = sender.move_reads.val();
        outlet.move_writes.next = sender.move_writes.val();
        outlet.move_swap.next = sender.move_swap.val();
        outlet.move_shift.next = sender.move_shift.val();
        outlet.move_last.next = sender.move_last.val();
        outlet.move_number.next = sender.move_number.val();
        outlet.settle();
    }

    /// Settles both, once the engine shows what it has; tells the engine whether it was taken.
    pub fn settle(&mut self, cycle: u64, engine: &mut Tensor, shared: &[u8], door: bool, write_ready: bool) {
        let outlet = &mut self.outlet;
        outlet.read_taken.next = door;
        let found = self.reading.front().copied().filter(|(due, _)| *due <= cycle);
        outlet.found_valid.next = found.is_some();
        if let Some((_, address)) = found {
            for (word, lane) in outlet.found.iter_mut().enumerate() {
                let bytes = shared.get(address + 8 * word..address + 8 * word + 8);
                lane.next = bytes.map_or(0, super::number).into();
            }
        }
        outlet.wr.ready.next = write_ready;
        outlet.settle();
        let sender = &mut self.sender;
        sender.move_ready.next = outlet.move_ready.val();
        sender.read.next = outlet.marks.val();
        let answered = self.writes.answered(cycle);
        sender.ack.next = answered.is_some();
        if let Some(beats) = answered {
            sender.ack_number.next = beats[0].id.into();
            self.under_way -= 1;
        }
        engine.settle();
        sender.put_held.next = engine.owes.val();
        sender.box_valid.next = engine.box_valid.val();
        sender.box_from.next = engine.box_from.val();
        sender.box_to.next = engine.box_to.val();
        sender.box_count.next = engine.box_count.val();
        sender.box_more.next = engine.box_more.val();
        sender.box_swizzle.next = engine.box_swizzle.val();
        sender.box_reduction.next = engine.box_reduction.val();
        sender.settle();
        engine.box_taken.next = sender.box_ready.val();
    }

    /// What has happened; then the clock edge. Global memory does at once what a beat says.
    ///
    /// # Errors
    /// It writes where there is no memory. Gives whether something has happened.
    pub fn clock(&mut self, cycle: u64, global: &mut [u8]) -> Result<bool, String> {
        let outlet = &self.outlet;
        let mut happens = outlet.read_valid.val() && outlet.read_taken.val();
        if happens {
            self.reading.push_back((cycle + DOOR_CYCLES, outlet.read_address.val().index()));
        }
        if outlet.found_valid.val() {
            self.reading.pop_front();
        }
        if outlet.wr.valid.val() && outlet.wr.ready.val() {
            happens = true;
            let data: [u64; BEAT_WORDS] = std::array::from_fn(|word| outlet.wr.data[word].val().raw());
            let write = Write {
                id: outlet.wr.id.val().raw(),
                last: outlet.wr.last.val(),
                address: outlet.wr.address.val().raw(),
                strobe: outlet.wr.strobe.val().raw() as u32,
                reduction: outlet.wr.reduction.val().raw() as u8,
                data,
            };
            let bytes: Vec<u8> = data.iter().flat_map(|word| word.to_le_bytes()).collect();
            let place = write.address as usize;
            let block = global.get_mut(place..place + 32).ok_or(format!("a beat is written at {place:#x}"))?;
            reduce(write.reduction, block, &bytes, write.strobe.into());
            self.bytes += u64::from(write.strobe.count_ones());
            self.written = Some((self.written.map_or(cycle, |(first, _)| first), cycle));
            self.under_way += usize::from(write.last);
            self.writes.accept(cycle, write);
        }
        self.sender.tick();
        self.outlet.tick();
        Ok(happens)
    }
}
