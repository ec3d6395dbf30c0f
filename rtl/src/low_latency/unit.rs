//! The low-latency unit: request ports, a crossbar to banks of shared memory, a response queue a port. (The other two builds are in
//! [`crate::high_clock`] and [`crate::banked`].)
//!
//! **What.** Every port may request one operation a cycle. Words are interleaved over the banks (word n is in bank n mod banks). Every bank
//! grants one port a cycle, round robin, together with the ports whose requests can be combined with it. Answers return to the requesting
//! port, in the order in which its requests took effect.
//!
//! ```text
//!   port 0 ─ issue ─┬─► decode 0 ─► lane 0 ──┐  sums, forth    ┌─► queue 0 ─ rsp ─ port 0
//!   port 1 ─ issue ─┼─► decode 1 ─► lane 1 ──┤  outcomes, back ├─► queue 1 ─ rsp ─ port 1
//!   ...             │                        │                 │
//!                   ├─► combine (pairs)      ├─► bank 0 ───────┤
//!                   └─► arbiter of each bank └─► bank 1 ...  ──┘
//!
//!   cycle      0          1          2          3          4          5
//!   port       arbitrate  decode     gather     -          answer     shown
//!   bank       fetch      compare    select     ALU        commit
//!   req_valid  ‾‾‾‾\___
//!   req_ready  ‾‾‾‾\___   granted in the same cycle, or put into the port's slot
//!   done_valid                                             /‾‾‾\__
//!   rsp_valid                                                         /‾‾‾‾    if nobody was in the way
//! ```
//!
//! **Handshake.** A request is accepted in a cycle in which its `req_valid` and `req_ready` are both 1; an answer, if `rsp_valid` and
//! `rsp_ready` are. `req_ready` depends on `req_valid` (it is the grant), `rsp_valid` on registers only. An answer does not change until it
//! is accepted. Posted operations are accepted in the same way and have no answer.
//!
//! **Order.** Requests take effect in the order in which they are granted: the order of acceptance, unless one passes another in
//! `issue.rs`; those of one cycle on one word in the order that `lane.rs` names, or one by one if their group is split. `done_valid`
//! reports the cycle in which an operation takes effect, with its status, also if it is posted.
//!
//! **Stalls.** While a bank replays the members of a split group, the whole pipeline stalls and nothing is accepted. All lanes and banks
//! are therefore always in step. A copy at the door would stall, too: so while one waits, requests are not combined for 15 cycles after a
//! split.
//!
//! Drawn from a run: `waves/gallery/blocks/unit.svg`.

mod accept;
mod answer;
mod gather;
mod order;

use crate::bank::Bank;
use crate::bank::decode::Decode;
use crate::bank::lane::Lane;
use crate::cells::timer::Timer;
use crate::hardware;
use crate::hdl::*;
use crate::low_latency::check::{Check, Shadow};
use crate::low_latency::combine::Combine;
use crate::low_latency::counters::{self, Counters, NUMBER_BITS, WINDOW_REST_BITS};
use crate::low_latency::ending::Ending;
use crate::low_latency::inlets::door::Door;
use crate::low_latency::inlets::gate::Gate;
use crate::low_latency::inlets::turns::Turns;
use crate::low_latency::issue::Issue;
use crate::low_latency::queue::ResponseQueue;
use crate::low_latency::recall::Recall;
use crate::low_latency::totals::Totals;
use crate::low_latency::waiters::Waiters;
use crate::low_latency::wakes::Wakes;
use crate::pins::{Operation, Pins, has_pins};
use crate::word;
use crate::word::address::BEAT_WORDS;
use crate::word::op::Op;
use crate::word::ordering::Order;
use crate::word::parameters::{Build, Parameters};
use crate::word::status::Status;

/// Cycles from the acceptance of a request to its answer, without contention.
pub const LATENCY: usize = Build::LowLatency.latency();

/// Cycles from the acceptance of the last arrival of a phase to the answer of a suspended wait, without contention.
pub const WAKE_LATENCY: usize = 7;

hardware! {
    /// mbarrier unit: request ports, a crossbar, banks of 64-bit words.
    pub module Unit = "unit" {
        /// Pins.
        pub pins: Pins,
        /// Step of a warp's load or store valid; present with a gate (warp access port).
        pub gate_valid: Single<Signal<In, Bit>>,
        /// Port whose requests the step is ordered with: requests accepted there earlier are performed before it.
        pub gate_port: Single<Signal<In, PortNumber>>,
        /// Banks accessed by the step; may be zero.
        pub gate_banks: Single<Signal<In, BankMask>>,
        /// Row in each bank.
        pub gate_row: Banks<Signal<In, RowIndex>>,
        /// Halves of each bank's word to store.
        pub gate_stored: Banks<Signal<In, Bits<2>>>,
        /// Store data of each bank.
        pub gate_data: Banks<Signal<In, Word>>,
        /// Step accepted.
        pub gate_taken: Single<Signal<Out, Bit>>,
        /// Result of a step valid, four cycles after its acceptance unless delayed.
        pub gate_seen: Single<Signal<Out, Bit>>,
        /// Port of that step.
        pub gate_seen_port: Single<Signal<Out, PortNumber>>,
        /// Words read from the banks, before the step stores.
        pub gate_word: Banks<Signal<Out, Word>>,
        /// Checked mode: banks in which the step stores to a live barrier.
        pub gate_struck: Single<Signal<Out, BankMask>>,

        /// Index of the compiled size: see `unit/order.rs`.
        size: usize,
        /// Number of ports.
        pub ports: usize,
        /// Number of ports that may send requests to other CTAs.
        pub networked: usize,
        /// Number of those ports with the wake mask.
        pub departing: usize,
        /// Door: the port for copies (DMA), if present.
        pub door: Single<Door>,
        /// Number of doors: 0 or 1.
        pub doors: usize,
        /// Gate: the port for loads and stores of warps, if present.
        pub gate: Single<Gate>,
        /// Number of gates: 0 or 1.
        pub gates: usize,
        /// Number of gates in checked mode: 0 or 1.
        pub checked_gates: usize,
        /// Number of doors and gates; banks index them with the door first.
        pub inlets: usize,
        /// Arbiter between door and gate, if both are present.
        pub turns: Single<Turns>,
        /// 1 if both are present.
        pub shared: usize,
        /// Combine holdoff: cycles left after a split while a copy waits.
        pub calm: Single<ControlReg<Bits<4>>>,
        /// Words that the door stores in a cycle.
        pub door_width: usize,
        /// Index of the door's word for each bank.
        pub door_word: Banks<usize>,
        /// Group of each bank, for the door.
        pub door_group: Banks<usize>,
        /// Number of those groups.
        pub door_groups: usize,
        /// Number of banks.
        pub banks: usize,
        /// Last bank number.
        pub last_bank: usize,
        /// Last word index.
        pub last_word: usize,
        /// Last row number.
        pub last_row: usize,
        /// Size of the memory in bytes, as a power of two.
        pub window_bits: usize,
        /// Lowest bit of a row number in an address.
        pub row_lsb: usize,
        /// Width of a bank number.
        pub bank_bits: usize,
        /// Issue stages between ports and banks, if requests may be reordered.
        pub issue: Lanes<Issue>,
        /// Number of issue stages.
        pub issues: usize,
        /// Number of ports without an issue stage.
        pub direct: usize,
        /// Pairs of requests that may be combined; present with several ports.
        pub combine: Single<Combine>,
        /// Number of `combine` blocks: 0 or 1.
        pub combines: usize,
        /// Decoders, one per port.
        pub decode: Lanes<Decode>,
        /// Pipelines beside the banks, one per port.
        pub lane: Lanes<Lane>,
        /// Deltas of requests that may be replayed, one per port if there are several ports.
        pub recall: Lanes<Recall>,
        /// Number of `recall` blocks.
        pub recalls: usize,
        /// 1 if phases may end within groups.
        pub overruns: usize,
        /// Number of ports whose requests may be in such groups.
        pub overrunning: usize,
        /// The request in c2 of each port is a single arrival.
        pub single: Lanes<Signal<Local, Bit>>,
        /// Tables of suspended waits, one per port, if present.
        pub waiters: Lanes<Waiters>,
        /// Number of those tables.
        pub tables: usize,
        /// Tables of suspended waits with the wake mask, one per port, if present.
        pub wakes: Lanes<Wakes>,
        /// Number of those tables.
        pub masked: usize,
        /// 1 if there are any.
        pub resumes: usize,
        /// Checks of checked mode, one per port.
        pub check: Lanes<Check>,
        /// Number of `check` blocks.
        pub checks: usize,
        /// Number of `check` blocks with a table of suspended waits.
        pub checked_tables: usize,
        /// Number of `check` blocks with a table that has the wake mask.
        pub checked_masks: usize,
        /// Checked mode: two bits beside each word, one block per bank.
        pub shadow: Banks<Shadow>,
        /// Number of `shadow` blocks.
        pub shadows: usize,
        /// Counters of each port, if present.
        pub counters: Lanes<Counters>,
        /// Number of ports with counters.
        pub counted: usize,
        /// Number of those ports in checked mode.
        pub counted_checks: usize,
        /// Number of those ports with a table of suspended waits.
        pub counted_tables: usize,
        /// Number of those ports that may send requests to other CTAs.
        pub counted_networked: usize,
        /// Counters of all ports together, if present.
        pub totals: Single<Totals>,
        /// Number of `totals` blocks: 0 or 1.
        pub totalled: usize,
        /// Requests performed in a bank, without the lowest port's.
        pub others: Single<Signal<Local, PortMask>>,
        /// Time base of the tables of suspended waits, if present.
        pub timer: Single<Timer>,
        /// Number of timers: 0 or 1.
        pub timers: usize,
        /// Detection of requests that end or replace barriers, one per port; present with suspended waits.
        pub ending: Lanes<Ending>,
        /// Number of `ending` blocks.
        pub endings: usize,
        /// Banks in which a barrier is ended or replaced; present with suspended waits.
        pub ended: Single<Signal<Local, BankMask>>,
        /// Banks.
        pub bank: Banks<Bank>,
        /// Response queues, one per port.
        pub queue: Lanes<ResponseQueue>,
        /// Pipeline enable.
        pub advance: Signal<Local, Bit>,
        /// Row of the word in c4 of a bank.
        pub flip_row: Signal<Local, RowIndex>,
        /// Response queues with space, one bit per port.
        pub room: Signal<Local, PortMask>,
        /// Ports whose request may be granted.
        pub asking: Signal<Local, PortMask>,
        /// Unused: ports without an issue stage never reorder.
        pub unused_acquires: Lanes<Signal<Local, Bit>>,
        /// Request of each port to its bank.
        pub ask: Lanes<Operation<Local>>,
        /// Bank of that request.
        pub target: Lanes<Signal<Local, BankIndex>>,
        /// Ports whose request is granted.
        pub grant: Signal<Local, PortMask>,
        /// Ports whose request joins the group of another port.
        pub joined: Signal<Local, PortMask>,

        /// Sum of the arrivals ahead of a member of a group.
        pub ahead: Signal<Local, Count>,
        /// Sum of the addends to the tx field ahead of it.
        pub ahead_tx: Signal<Local, TxCount>,
        /// Sum of the arrivals, accumulated over the ports.
        pub arrived: Signal<Local, Count>,
        /// `arrived`, negated.
        pub arrived_negative: Signal<Local, Count>,
        /// Sum of the drops, accumulated over the ports.
        pub dropped: Signal<Local, Count>,
        /// `dropped`, negated.
        pub dropped_negative: Signal<Local, Count>,
        /// Sum of the addends to the tx field, accumulated over the ports.
        pub moved: Signal<Local, TxCount>,
        /// `moved`, negated.
        pub moved_negative: Signal<Local, TxCount>,
    }
    constants {
        /// Posted operations: no answer.
        POSTED: Bits<{ 1 << Op::BITS }> = crate::word::op::sets::POSTED;
    }
    processes { Advance, Find, Tell, Outcome, Seek, Compare, Reveal, Suspend, Event, Look, Respond, Offer, Depart, Request, Accept, Lock, Enter, Admit, Share, Taken, Replayed, Gather, Written, Tally }
}

has_pins!(Unit);

/// Environment in which the unit is instantiated.
#[derive(Clone, Copy)]
enum Surroundings {
    /// Standalone: requests come from its ports only.
    Alone,
    /// With ports for warps that load and store.
    Warps,
    /// A CTA of a cluster.
    Cluster,
    /// A CTA of a cluster, with a port for warps that load and store.
    ClusterWarps,
}

impl Unit {
    /// A unit with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        Self::built(parameters, 0, Surroundings::Alone)
    }

    /// A unit with a gate for loads and stores of warps.
    pub fn with_gate(parameters: &Parameters) -> Self {
        Self::built(parameters, 0, Surroundings::Warps)
    }

    /// The shared memory of a CTA in a cluster: a unit with `more_ports` further ports, which have no suspended waits, with a door for
    /// copies and, if `gate`, one for loads and stores of warps; requests of the first ports may leave for other CTAs.
    pub fn in_cluster(parameters: &Parameters, more_ports: usize, gate: bool) -> Self {
        let surroundings = if gate { Surroundings::ClusterWarps } else { Surroundings::Cluster };
        Self::built(parameters, more_ports, surroundings)
    }

    fn built(parameters: &Parameters, more_ports: usize, surroundings: Surroundings) -> Self {
        let Parameters { banks, words, queue_depth, waiters, number_bits, counters, checked, .. } = *parameters;
        let (users, ports) = (parameters.ports, parameters.ports + more_ports);
        let clustered = matches!(surroundings, Surroundings::Cluster | Surroundings::ClusterWarps);
        let (networked, doors) = if clustered { (users, 1) } else { (0, 0) };
        let gates = matches!(surroundings, Surroundings::Warps | Surroundings::ClusterWarps) as usize;
        let (inlets, gated_banks, checked_gates) = (doors + gates, gates * banks, gates * checked as usize);
        let with_waits = if waiters > 0 { users } else { 0 };
        let (tables, masked) = if parameters.wake_mask { (0, with_waits) } else { (with_waits, 0) };
        let (timers, resumes) = ((waiters > 0) as usize, (masked > 0) as usize);
        // with one bank and without blocking waits, requests are never reordered
        let issues = if banks > 1 || waiters > 0 || clustered || gates > 0 { ports } else { 0 };
        let counted = if counters { ports } else { 0 };
        let recalls = if ports > 1 { ports } else { 0 };
        // checked mode checks the phase of each arrival, so groups in which a phase ends are split
        let overruns = parameters.whole_groups && ports > 1 && !checked;
        let overrunning = if overruns { ports } else { 0 };
        let bank_bits = banks.ilog2() as usize;
        let (mut port, mut bank, mut grouped, mut decoder) = (0, 0, 0, 0);
        // ports after those of the threads: the network's, if present, and that of the copies
        let network = (more_ports > 1).then_some(users);
        let departing = if network.is_some() { masked } else { 0 };
        let door_width = banks.min(BEAT_WORDS);
        let pins = Pins {
            req_elsewhere: Lanes::new(networked),
            req_departs: Lanes::new(networked),
            req_departed: Lanes::new(departing),
            slot_waits: Lanes::new(networked),
            write_valid: Lanes::new(doors),
            write_address: Lanes::new(doors),
            write_strobe: Lanes::new(doors),
            write_data: Lanes::grid(doors, BEAT_WORDS),
            write_errand: Lanes::new(doors),
            write_taken: Lanes::new(doors),
            read_errand: Lanes::new(doors),
            read_data: Lanes::grid(doors, BEAT_WORDS),
            resume_valid: Lanes::new(resumes),
            resume_ready: Lanes::new(resumes),
            resume: Lanes::new(masked),
            ..Pins::new(ports, banks, ports)
        };
        let mut unit = Self {
            pins,
            gate_valid: Lanes::new(gates),
            gate_port: Lanes::new(gates),
            gate_banks: Lanes::new(gates),
            gate_row: Banks::new(gated_banks),
            gate_stored: Banks::new(gated_banks),
            gate_data: Banks::new(gated_banks),
            gate_taken: Lanes::new(gates),
            gate_seen: Lanes::new(gates),
            gate_seen_port: Lanes::new(gates),
            gate_word: Banks::new(gated_banks),
            gate_struck: Lanes::new(checked_gates),
            gate: Lanes::of(gates, || Gate::new(banks)),
            gates,
            checked_gates,
            inlets,
            turns: Single::new(doors * gates),
            shared: doors * gates,
            networked,
            departing,
            door: Lanes::of(doors, || Door::new(banks, parameters.rows())),
            doors,
            calm: Lanes::new(doors),
            door_width,
            door_word: Banks::of(if clustered { banks } else { 0 }, || {
                bank += 1;
                (bank - 1) % door_width
            }),
            door_group: Banks::of(if clustered { banks } else { 0 }, || {
                grouped += 1;
                (grouped - 1) / door_width
            }),
            door_groups: banks / door_width,
            issue: Lanes::of(issues, || {
                port += 1;
                Issue::new(banks, number_bits, (port <= networked) as usize, gates, (port <= masked) as usize)
            }),
            issues,
            direct: ports - issues,
            unused_acquires: Lanes::new(ports - issues),
            ask: Lanes::new(ports),
            ports,
            banks,
            last_bank: banks - 1,
            last_word: words - 1,
            last_row: parameters.rows() - 1,
            window_bits: parameters.bytes().ilog2() as usize,
            row_lsb: 3 + bank_bits,
            bank_bits,
            combine: Lanes::of((ports > 1) as usize, || Combine::new(ports)),
            combines: (ports > 1) as usize,
            decode: Lanes::of(ports, || {
                decoder += 1;
                Decode::new(Some(decoder - 1) == network)
            }),
            lane: Lanes::of(ports, || Lane::new(overruns)),
            recall: Lanes::new(recalls),
            recalls,
            overruns: overruns as usize,
            overrunning,
            single: Lanes::new(overrunning),
            waiters: Lanes::of(tables, || {
                Waiters::new(parameters.entries(), banks, parameters.clock(), number_bits, checked)
            }),
            tables,
            wakes: Lanes::of(masked, || {
                Wakes::new(parameters.entries(), banks, parameters.clock(), number_bits, checked)
            }),
            masked,
            resumes,
            ending: Lanes::new(ports * timers),
            endings: ports * timers,
            ended: Lanes::new(timers),
            check: Lanes::new(if checked { ports } else { 0 }),
            checks: if checked { ports } else { 0 },
            checked_tables: if checked { tables } else { 0 },
            checked_masks: if checked { masked } else { 0 },
            shadow: Banks::of(if checked { banks } else { 0 }, || Shadow::new(parameters.rows())),
            shadows: if checked { banks } else { 0 },
            counters: Lanes::of(counted, Counters::empty),
            counted,
            counted_checks: if checked { counted } else { 0 },
            counted_tables: if counters { tables } else { 0 },
            counted_networked: if counters { networked } else { 0 },
            others: Lanes::new(counters as usize),
            totals: Lanes::of(counters as usize, || Totals::new(if overruns { banks } else { 0 })),
            totalled: counters as usize,
            timer: Lanes::of(timers, || Timer::new(parameters.clock())),
            timers,
            bank: Banks::of(banks, || Bank::new(parameters.rows(), ports, inlets, overruns)),
            queue: Lanes::of(ports, || match masked {
                0 => ResponseQueue::new(queue_depth),
                _ => ResponseQueue::late(queue_depth),
            }),
            target: Lanes::new(ports),
            ..Self::default()
        };
        unit.size = unit.fitting();
        unit
    }

    /// From now on a read that collides with a write to the same word returns `value`.
    pub fn poison_collisions(&mut self, value: u64) {
        for bank in self.bank.iter_mut() {
            bank.ram.poison_collisions(value.into());
        }
    }

    /// Number of phases of a word that complete in a bank in this cycle: more than one only in a group that overruns.
    pub fn completions(&self, bank: usize) -> u32 {
        let bank = &self.bank[bank];
        let more = bank.more.iter().map(|more| more.val().raw() as u32).sum::<u32>();
        if bank.flips.val() { 1 + more } else { 0 }
    }

    /// Number of phases that complete in this cycle ahead of a port's arrival, in its group.
    pub fn completions_ahead(&self, port: usize) -> u32 {
        let lane = &self.lane[port];
        let ahead = lane.laps.iter().filter(|laps| laps.reaches.val() && !lane.replayed.val());
        ahead.map(|laps| 1 + laps.further.val().raw() as u32).sum()
    }

    /// Indices of the words that a copy, or a store of a warp, stores in this cycle.
    pub fn copied(&self) -> impl Iterator<Item = usize> {
        (0..self.inlets).flat_map(|inlet| self.stored(inlet))
    }

    /// As `copied`, copies alone.
    pub fn stored_by_copies(&self) -> impl Iterator<Item = usize> {
        (0..self.doors).flat_map(|door| self.stored(door))
    }

    fn stored(&self, inlet: usize) -> impl Iterator<Item = usize> {
        let stored = self.bank.iter().enumerate().filter(move |(_, bank)| bank.copied[inlet].val());
        stored.map(|(number, bank)| bank.row_c4.q.val().index() << self.bank_bits | number)
    }

    /// Contents of the memory word with this index, without the operations in flight.
    pub fn word(&self, index: usize) -> u64 {
        self.bank[index & self.last_bank].ram.word(index >> self.bank_bits).raw()
    }

    /// Simulation only: makes checked mode treat this word as a live barrier in its first phase. Used where an instruction initialises the
    /// barrier by a store, which has ended it there. No effect without checked mode.
    pub fn take_for_barrier(&mut self, index: usize) {
        let (bank, row) = (index & self.last_bank, index >> self.bank_bits);
        if let Some(shadow) = self.shadow.get_mut(bank) {
            shadow.bits.set(row, Bits::from(3));
        }
    }

    /// The clock edge, with `rst` high.
    pub fn clock_in_reset(&mut self) {
        self.tick();
        self.reset();
    }
}

#[cfg(test)]
mod tests;
