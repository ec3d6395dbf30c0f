//! The unit: request ports, a crossbar to banks of shared memory, a response queue a port.
//!
//! **What.** Every port may ask for one operation a cycle. Words are spread over the banks (word n is in bank n mod
//! banks). Every bank serves one port a cycle, in turn, together with those of the others whose requests can be done as one
//! with its own. Answers come back to the port that asked, in the order in which its requests were done.
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
//! **Handshake.** A request is accepted in a cycle in which its `req_valid` and `req_ready` are both 1; an answer is taken
//! when `rsp_valid` and `rsp_ready` are. `req_ready` depends on `req_valid` (it is the grant), `rsp_valid` on nothing but
//! registers. An answer stays as it is until it is taken. Posted operations are accepted in the same way and never
//! answered.
//!
//! **Order.** Requests are done in the order in which they are granted: that in which they are accepted, unless one passes
//! another in `issue.rs`; those of one cycle on one word in the order that `lane.rs` names, or one by one if their group had
//! to be split. `done_valid` tells when: it is the moment at which an
//! operation takes effect, and shows its status, also if it was posted.
//!
//! **Standing still.** While a bank replays the members of a group that it split, nothing else moves and nothing is
//! accepted. All lanes and banks are therefore always in step.

use crate::bank::Bank;
use crate::check::{Check, Shadow};
use crate::combine::Combine;
use crate::counters::{Counters, Totals};
use crate::decode::Decode;
use crate::hardware;
use crate::hdl::*;
use crate::issue::Issue;
use crate::lane::Lane;
use crate::op::Op;
use crate::order::Order;
use crate::parameters::Parameters;
use crate::queue::ResponseQueue;
use crate::recall::Recall;
use crate::status::Status;
use crate::waiters::{Timer, Waiters};

/// Cycles from the acceptance of a request to its answer, if nobody is in the way.
pub const LATENCY: usize = 5;

/// Width of a register's number.
const NUMBER_BITS: usize = 6;
/// Bits of an address between a register's number and the bit that tells it from a word.
const WINDOW_REST: usize = 31 - 3 - NUMBER_BITS;
/// Width of a memory ordering.
const ORDER_BITS: usize = Order::BITS;

/// Places on the way through [`Unit::settle_with`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// The banks have committed: words after the operations, their flips, writes to memory.
    Committed,
    /// c4 is settled: the answers, too.
    Answered,
    /// The response queues show their answers; requests are about to be arbitrated.
    Requested,
    /// The arbiters have granted.
    Granted,
    /// The requests are accepted, and the sums of c2 are there.
    Gathered,
    /// Everything is settled; registers have not taken their values yet.
    Settled,
}

hardware! {
    /// mbarrier unit: request ports, a crossbar, banks of 64-bit words.
    pub module Unit = "txbar_unit" {
        /// A request is there, a bit each port.
        pub req_valid: Signal<In, PortMask>,
        /// It is accepted.
        pub req_ready: Signal<Out, PortMask>,
        /// Opcode.
        pub req_op: Lanes<Signal<In, OpCode, OpView>>,
        /// The request comes from another CTA: no token is given back, and only some operations are allowed.
        pub req_remote: Lanes<Signal<In, Bit>>,
        /// Byte address, a multiple of 8.
        pub req_address: Lanes<Signal<In, Bits<32>>>,
        /// Count, bytes, parity or token; the data of a store.
        pub req_data: Lanes<Signal<In, Word>>,
        /// Byte enables of a store.
        pub req_strobe: Lanes<Signal<In, Bits<8>>>,
        /// Comes back with the answer, and names the thread.
        pub req_tag: Lanes<Signal<In, Tag>>,
        /// Memory ordering: acquire (bit 0), release (bit 1), of the cluster (bit 2).
        pub req_order: Lanes<Signal<In, Bits<ORDER_BITS>>>,
        /// Banks that are not to be asked in this cycle: somebody else has them.
        pub bank_stall: Signal<In, BankMask>,
        /// The port has accesses to other CTAs under way, for which a release of the cluster waits.
        pub remote_pending: Signal<In, PortMask>,

        /// An answer is there, a bit each port.
        pub rsp_valid: Signal<Out, PortMask>,
        /// It is taken.
        pub rsp_ready: Signal<In, PortMask>,
        /// Tag of the request.
        pub rsp_tag: Lanes<Signal<Out, Tag>>,
        /// How it ended.
        pub rsp_status: Lanes<Signal<Out, StatusCode, StatusView>>,
        /// Predicate of a wait: the phase has completed.
        pub rsp_predicate: Lanes<Signal<Out, Bit>>,
        /// Token (bits 63:32), word, or pending count (bits 31:0), if the status is ok.
        pub rsp_data: Lanes<Signal<Out, Word>>,

        /// The answer that is shown is that of a suspended wait.
        pub rsp_resumed: Signal<Out, PortMask>,

        /// A request takes effect, a bit each port: four cycles after it was accepted, if nothing was in the way.
        pub done_valid: Signal<Out, PortMask>,
        /// Its tag.
        pub done_tag: Lanes<Signal<Out, Tag>>,
        /// How it ends; what was posted, too.
        pub done_status: Lanes<Signal<Out, StatusCode, StatusView>>,
        /// Number of the word that its address names.
        pub done_index: Lanes<Signal<Out, WordIndex>>,
        /// The request was suspended: its answer comes later.
        pub done_suspended: Signal<Out, PortMask>,
        /// Suspended waits of a port have been woken by the completion of their phase in the cycle before.
        pub wake_valid: Signal<Out, PortMask>,
        /// A phase completes, a bit each bank.
        pub flip_valid: Signal<Out, BankMask>,
        /// Number of its word.
        pub flip_index: Banks<Signal<Out, WordIndex>>,

        /// Number of ports.
        pub(crate) ports: usize,
        /// Number of banks.
        pub(crate) banks: usize,
        /// The largest bank number.
        pub(crate) last_bank: usize,
        /// The largest word number.
        pub(crate) last_word: usize,
        /// The largest row number.
        pub(crate) last_row: usize,
        /// Bytes of the memory, as a power of two.
        pub(crate) window_bits: usize,
        /// Lowest bit of a row's number in an address.
        pub(crate) row_lsb: usize,
        /// Width of a bank's number.
        pub(crate) bank_bits: usize,
        /// What stands between the ports and the banks, if requests may change places.
        pub(crate) issue: Lanes<Issue>,
        /// How many of it there are.
        pub(crate) issues: usize,
        /// Ports that ask the banks themselves.
        pub(crate) direct: usize,
        /// Pairs of requests that may be done as one, if there is more than one port.
        pub(crate) combine: Lanes<Combine>,
        /// How many of them there are.
        pub(crate) combines: usize,
        /// Decoders.
        pub(crate) decode: Lanes<Decode>,
        /// Lanes.
        pub(crate) lane: Lanes<Lane>,
        /// Deltas of requests that may have to be replayed: one a port if there is more than one.
        pub(crate) recall: Lanes<Recall>,
        /// How many of them there are.
        pub(crate) recalls: usize,
        /// Suspended waits: a table a port, if there are any.
        pub(crate) waiters: Lanes<Waiters>,
        /// How many tables there are.
        pub(crate) tables: usize,
        /// What says what is wrong with each port's request, in checked mode.
        pub(crate) check: Lanes<Check>,
        /// How many of it there are.
        pub(crate) checks: usize,
        /// How many of these have a table of suspended waits.
        pub(crate) checked_tables: usize,
        /// Port 0 comes after nobody.
        pub(crate) unused_arrives: Lanes<Signal<Local, Bit>>,
        /// One in checked mode.
        pub(crate) first_checks: usize,
        /// Two bits beside each word of each bank, in checked mode.
        pub(crate) shadow: Banks<Shadow>,
        /// How many of it there are.
        pub(crate) shadows: usize,
        /// Counters of each port, if there are any.
        pub(crate) counters: Lanes<Counters>,
        /// How many ports have them.
        pub(crate) counted: usize,
        /// How many of these are checked.
        pub(crate) counted_checks: usize,
        /// How many of these have a table of suspended waits.
        pub(crate) counted_tables: usize,
        /// How many tables there are that nobody counts.
        pub(crate) uncounted: usize,
        /// Nobody counts it.
        pub(crate) unused_turned_away: Lanes<Signal<Local, Bit>>,
        /// What is counted for all ports together, if there are counters.
        pub(crate) totals: Lanes<Totals>,
        /// How many of it there are.
        pub(crate) totalled: usize,
        /// Requests that are done in a bank, but for the lowest port's.
        pub(crate) others: Lanes<Signal<Local, PortMask>>,
        /// What keeps the time for the tables, if there are any.
        pub(crate) timer: Lanes<Timer>,
        /// How many of it there are.
        pub(crate) timers: usize,
        /// Banks in which a barrier is ended or replaced, if that is of interest.
        pub(crate) ended: Lanes<Signal<Local, BankMask>>,
        /// Banks.
        pub(crate) bank: Banks<Bank>,
        /// Response queues.
        pub(crate) queue: Lanes<ResponseQueue>,

        /// The pipeline moves.
        pub(crate) advance: Signal<Local, Bit>,
        /// Row of the word in c4 of a bank.
        pub(crate) flip_row: Signal<Local, RowIndex>,
        /// Ports whose queue has room.
        pub(crate) room: Signal<Local, PortMask>,
        /// Ports whose request may be served.
        pub(crate) asking: Signal<Local, PortMask>,
        /// Where nothing changes places, nobody looks at what would forbid it.
        pub(crate) unused_acquires: Lanes<Signal<Local, Bit>>,
        /// Where no wait holds anybody, nobody asks who is in the slot.
        pub(crate) unused_tag: Lanes<Signal<Local, Tag>>,
        /// How many ports there are with a slot and no waits.
        pub(crate) unheld: usize,
        /// Opcode of the request that asks.
        pub(crate) ask_op: Lanes<Signal<Local, OpCode, OpView>>,
        /// It comes from another CTA.
        pub(crate) ask_remote: Lanes<Signal<Local, Bit>>,
        /// Its address.
        pub(crate) ask_address: Lanes<Signal<Local, Bits<32>>>,
        /// Its data.
        pub(crate) ask_data: Lanes<Signal<Local, Word>>,
        /// Its byte enables.
        pub(crate) ask_strobe: Lanes<Signal<Local, Bits<8>>>,
        /// Its tag.
        pub(crate) ask_tag: Lanes<Signal<Local, Tag>>,
        /// Bank that it goes to.
        pub(crate) target: Lanes<Signal<Local, BankIndex>>,
        /// Ports that are accepted.
        pub(crate) grant: Signal<Local, PortMask>,
        /// Ports that join the lead of a bank.
        pub(crate) joined: Signal<Local, PortMask>,

        /// Sum of the arrivals so far.
        pub(crate) arrived: Signal<Local, Count>,
        /// The same, negated.
        pub(crate) arrived_negative: Signal<Local, Count>,
        /// Sum of the drops so far.
        pub(crate) dropped: Signal<Local, Count>,
        /// The same, negated.
        pub(crate) dropped_negative: Signal<Local, Count>,
        /// Sum of the addends to the tx field so far.
        pub(crate) moved: Signal<Local, TxCount>,
        /// The same, negated.
        pub(crate) moved_negative: Signal<Local, TxCount>,
    }
    constants {
        /// Operations that nobody waits for.
        POSTED: Bits<{ 1 << Op::BITS }> = crate::decode::POSTED;
    }
    processes { Advance, Outcome, Seek, Compare, Suspend, Event, Look, Respond, Offer, Request, Accept, Taken, Replayed, Gather, Written, Tally }
}

impl Process<Advance> for Unit {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.advance.next = true;
        for b in 0..self.banks {
            if self.bank[b].splits.val() | self.bank[b].turn.val().any() {
                self.advance.next = false;
            }
        }
        for b in 0..self.banks {
            self.bank[b].advance.next = self.advance.val();
        }
        for k in 0..self.ports {
            self.decode[k].advance.next = self.advance.val();
            self.lane[k].advance.next = self.advance.val();
        }
        for k in 0..self.recalls {
            self.recall[k].advance.next = self.advance.val();
        }
        for k in 0..self.tables {
            self.waiters[k].advance.next = self.advance.val();
        }
    }
}

impl Process<Outcome> for Unit {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        for k in 0..self.ports {
            self.lane[k].done.next = false;
            self.lane[k].replayed.next = false;
            self.lane[k].old.next = 0.into();
            self.lane[k].fault.next = 0.into();
            self.lane[k].flips.next = false;
        }
        self.flip_valid.next = 0.into();
        for b in 0..self.banks {
            self.flip_row.next = self.bank[b].row_c4.q.val();
            self.flip_index[b].next =
                (bit_cast::<WORD_INDEX, ROW_INDEX>(self.flip_row.val()) << self.bank_bits) | b.to_bits();
            if self.bank[b].flips.val() {
                self.flip_valid.next = self.flip_valid.val() | (bits::<BANKS>(1) << b);
            }
            // a port has a request in one bank at most: OR-ing what they say is a multiplexer without priority
            if self.bank[b].done.val().any() {
                for k in 0..self.ports {
                    if self.bank[b].done.val().get_bit(k) {
                        self.lane[k].done.next = true;
                        self.lane[k].replayed.next = self.lane[k].replayed.val() | self.bank[b].replayed.val();
                        self.lane[k].old.next = self.lane[k].old.val() | self.bank[b].old.val();
                        self.lane[k].fault.next = self.lane[k].fault.val() | self.bank[b].fault.val();
                        self.lane[k].flips.next = self.lane[k].flips.val() | self.bank[b].flips.val();
                    }
                }
            }
        }
    }
}

impl Process<Seek> for Unit {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        for s in 0..self.shadows {
            self.shadow[s].row.next = self.bank[s].row_c4.q.val();
            self.shadow[s].done.next = self.bank[s].done.val().any();
            self.shadow[s].flips.next = self.bank[s].flips.val();
            for k in 0..self.checked_tables {
                self.waiters[k].sought[s].next = self.flip_index[s].val();
            }
        }
        for k in 0..self.checks {
            self.check[k].advance.next = self.advance.val();
            self.check[k].done.next = self.lane[k].done.val();
            self.check[k].status.next = self.lane[k].status.val();
            self.check[k].predicate.next = self.lane[k].predicate.val();
            self.check[k].flips.next = self.lane[k].flips.val();
        }
    }
}

impl Process<Compare> for Unit {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        for k in 0..self.checks {
            self.check[k].live.next = false;
            self.check[k].seen.next = false;
            self.check[k].waited.next = false;
            self.check[k].followed.next = false;
        }
        for k in 0..self.first_checks {
            self.unused_arrives[k].next = self.check[k].arrives.val();
        }
        for s in 0..self.shadows {
            self.shadow[s].waited.next = false;
            for k in 0..self.checked_tables {
                for h in 0..self.timers {
                    if self.waiters[k].hit[h].val().get_bit(s) {
                        self.shadow[s].waited.next = true;
                    }
                }
            }
            self.shadow[s].begins.next = false;
            self.shadow[s].ends.next = false;
            self.shadow[s].sees.next = false;
            for k in 0..self.checks {
                if self.bank[s].done.val().get_bit(k) {
                    self.check[k].live.next = self.shadow[s].live.val();
                    self.check[k].seen.next = self.shadow[s].seen.val();
                    self.check[k].waited.next = self.shadow[s].waited.val();
                    self.shadow[s].begins.next = self.shadow[s].begins.val() | self.check[k].begins.val();
                    self.shadow[s].ends.next = self.shadow[s].ends.val() | self.check[k].ends.val();
                    self.shadow[s].sees.next = self.shadow[s].sees.val() | self.check[k].sees.val();
                    for j in 0..self.checks {
                        if (k < j) & self.bank[s].done.val().get_bit(j) & self.check[j].arrives.val() {
                            self.check[k].followed.next = true;
                        }
                        if self.bank[s].done.val().get_bit(j) & self.check[j].completes.val() {
                            self.check[k].followed.next = true;
                        }
                    }
                }
            }
        }
    }
}

impl Process<Suspend> for Unit {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        for k in 0..self.tables {
            self.waiters[k].done.next = self.lane[k].done.val() & (self.lane[k].status.val() == Status::Ok);
            self.waiters[k].complete.next = self.lane[k].predicate.val();
            self.waiters[k].index.next = self.lane[k].index_c4.q.val();
            self.waiters[k].tag.next = self.lane[k].tag_c4.q.val();
            self.waiters[k].queue_valid.next = self.queue[k].valid.q.val();
            self.waiters[k].coming.next = self.req_tag[k].val();
            self.waiters[k].in_slot.next = self.issue[k].slot_tag.q.val();
            for t in 0..self.timers {
                self.waiters[k].now.next = self.timer[t].now.q.val();
            }
        }
        for k in 0..self.checked_tables {
            // what is wrong is told at once
            self.waiters[k].complete.next = self.lane[k].predicate.val() | (self.check[k].verdict.val() != Status::Ok);
        }
    }
}

impl Process<Event> for Unit {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        for t in 0..self.timers {
            self.ended[t].next = 0.into();
            for b in 0..self.banks {
                for k in 0..self.tables {
                    if self.waiters[k].ends.val() & self.bank[b].done.val().get_bit(k) {
                        self.ended[t].next = self.ended[t].val() | (bits::<BANKS>(1) << b);
                    }
                }
            }
            for k in 0..self.tables {
                self.waiters[k].flips.next = self.flip_valid.val();
                self.waiters[k].ended.next = self.ended[t].val();
                self.waiters[k].ready.next = self.rsp_ready.val().get_bit(k);
                for b in 0..self.banks {
                    self.waiters[k].event[b].next = self.flip_index[b].val();
                }
            }
        }
    }
}

impl Process<Look> for Unit {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        for c in 0..self.counted {
            for t in 0..self.totalled {
                self.counters[c].cycles.next = self.totals[t].cycles.q.val();
                self.counters[c].flips.next = self.totals[t].flips.q.val();
            }
        }
    }
}

impl Process<Respond> for Unit {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.rsp_valid.next = 0.into();
        self.done_valid.next = 0.into();
        self.room.next = 0.into();
        for k in 0..self.ports {
            if self.queue[k].valid.q.val() {
                self.rsp_valid.next = self.rsp_valid.val() | (bits::<PORTS>(1) << k);
            }
            if self.queue[k].room.q.val() {
                self.room.next = self.room.val() | (bits::<PORTS>(1) << k);
            }
            if self.lane[k].done.val() {
                self.done_valid.next = self.done_valid.val() | (bits::<PORTS>(1) << k);
            }
            self.rsp_tag[k].next = self.queue[k].tag.val();
            self.rsp_status[k].next = self.queue[k].status.val();
            self.rsp_predicate[k].next = self.queue[k].predicate.val();
            self.rsp_data[k].next = self.queue[k].data.val();
            self.queue[k].push.next = self.lane[k].answer.val();
            self.queue[k].withdraw.next = false;
            self.queue[k].ready.next = self.rsp_ready.val().get_bit(k);
            self.queue[k].push_tag.next = self.lane[k].tag_c4.q.val();
            self.queue[k].push_status.next = self.lane[k].status.val();
            self.queue[k].push_predicate.next = self.lane[k].predicate.val();
            self.queue[k].push_data.next = self.lane[k].content.val();
            self.done_tag[k].next = self.lane[k].tag_c4.q.val();
            self.done_status[k].next = self.lane[k].status.val();
            self.done_index[k].next = self.lane[k].index_c4.q.val();
        }
        for c in 0..self.checks {
            self.queue[c].push_status.next = self.check[c].verdict.val();
            self.done_status[c].next = self.check[c].verdict.val();
        }
        for c in 0..self.counted {
            if self.counters[c].reads_c4.q.val() {
                self.queue[c].push_data.next = self.counters[c].value.val();
            }
        }
        self.done_suspended.next = 0.into();
        self.rsp_resumed.next = 0.into();
        self.wake_valid.next = 0.into();
        for k in 0..self.tables {
            if self.waiters[k].parks.val() {
                self.done_suspended.next = self.done_suspended.val() | (bits::<PORTS>(1) << k);
                self.queue[k].push.next = false;
                self.queue[k].withdraw.next = true;
            }
            if self.waiters[k].woken.q.val() {
                self.wake_valid.next = self.wake_valid.val() | (bits::<PORTS>(1) << k);
            }
            if self.waiters[k].shows.val() {
                self.rsp_valid.next = self.rsp_valid.val() | (bits::<PORTS>(1) << k);
                self.rsp_resumed.next = self.rsp_resumed.val() | (bits::<PORTS>(1) << k);
                self.rsp_tag[k].next = self.waiters[k].answer_tag.val();
                self.rsp_status[k].next = self.waiters[k].answer_status.val();
                self.rsp_predicate[k].next = self.waiters[k].answer_predicate.val();
                self.rsp_data[k].next = 0.into();
                self.queue[k].ready.next = false;
            }
        }
    }
}

impl Process<Offer> for Unit {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        for k in 0..self.issues {
            self.issue[k].valid.next = self.req_valid.val().get_bit(k) & self.room.val().get_bit(k);
            self.issue[k].op.next = self.req_op[k].val();
            self.issue[k].remote.next = self.req_remote[k].val();
            self.issue[k].address.next = self.req_address[k].val();
            self.issue[k].data.next = self.req_data[k].val();
            self.issue[k].strobe.next = self.req_strobe[k].val();
            self.issue[k].tag.next = self.req_tag[k].val();
            self.issue[k].order.next = self.req_order[k].val();
            self.issue[k].held.next = false;
            self.issue[k].slot_held.next = false;
            self.issue[k].remote_pending.next = self.remote_pending.val().get_bit(k);
            self.issue[k].stalled.next = self.bank_stall.val();
            self.issue[k].open.next = self.advance.val();
        }
        for k in 0..self.tables {
            self.issue[k].held.next = self.waiters[k].held.val();
            self.issue[k].slot_held.next = self.waiters[k].slot_held.val();
        }
    }
}

impl Process<Request> for Unit {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.asking.next = 0.into();
        for k in 0..self.direct {
            self.ask_op[k].next = self.req_op[k].val();
            self.ask_remote[k].next = self.req_remote[k].val();
            self.ask_address[k].next = self.req_address[k].val();
            self.ask_data[k].next = self.req_data[k].val();
            self.ask_strobe[k].next = self.req_strobe[k].val();
            self.ask_tag[k].next = self.req_tag[k].val();
            self.unused_acquires[k].next = self.req_order[k].val().get_bit(Order::ACQUIRE);
            if self.advance.val()
                & self.req_valid.val().get_bit(k)
                & self.room.val().get_bit(k)
                & !(self.remote_pending.val().get_bit(k)
                    & self.req_order[k].val().get_bit(Order::RELEASE)
                    & self.req_order[k].val().get_bit(Order::CLUSTER))
            {
                self.asking.next = self.asking.val() | (bits::<PORTS>(1) << k);
            }
        }
        for k in 0..self.issues {
            self.ask_op[k].next = self.issue[k].ask_op.val();
            self.ask_remote[k].next = self.issue[k].ask_remote.val();
            self.ask_address[k].next = self.issue[k].ask_address.val();
            self.ask_data[k].next = self.issue[k].ask_data.val();
            self.ask_strobe[k].next = self.issue[k].ask_strobe.val();
            self.ask_tag[k].next = self.issue[k].ask_tag.val();
            if self.issue[k].asks.val() {
                self.asking.next = self.asking.val() | (bits::<PORTS>(1) << k);
            }
        }
        for k in 0..self.unheld {
            self.unused_acquires[k].next = self.issue[k].ask_acquires.val();
            self.unused_tag[k].next = self.issue[k].slot_tag.q.val();
        }
        for k in 0..self.ports {
            for c in 0..self.combines {
                self.combine[c].op[k].next = self.ask_op[k].val();
                self.combine[c].address[k].next = self.ask_address[k].val();
                self.combine[c].operand[k].next = self.ask_data[k].val().get_bits::<32>(0);
            }
            self.target[k].next = self.ask_address[k].val().get_bits::<BANK_INDEX>(3) & self.last_bank.to_bits();
        }
        for b in 0..self.banks {
            self.bank[b].request.next = 0.into();
            for k in 0..self.ports {
                if self.asking.val().get_bit(k)
                    & (self.target[k].val() == b.to_bits())
                    & !self.bank_stall.val().get_bit(b)
                {
                    self.bank[b].request.next = self.bank[b].request.val() | (bits::<PORTS>(1) << k);
                }
            }
        }
    }
}

impl Process<Accept> for Unit {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.grant.next = 0.into();
        for b in 0..self.banks {
            self.joined.next = 0.into();
            self.bank[b].row.d.next = 0.into();
            for k in 0..self.ports {
                if self.bank[b].lead.val().get_bit(k) {
                    for c in 0..self.combines {
                        self.joined.next = self.joined.val() | self.combine[c].partners[k].val();
                    }
                    self.bank[b].row.d.next = self.bank[b].row.d.val()
                        | (self.ask_address[k].val().get_bits::<ROW_INDEX>(self.row_lsb) & self.last_row.to_bits());
                }
            }
            self.joined.next = self.joined.val() & self.bank[b].request.val();
            self.bank[b].members.next = self.bank[b].lead.val() | self.joined.val();
            self.bank[b].group.d.next = self.joined.val().any();
            self.grant.next = self.grant.val() | self.bank[b].lead.val() | self.joined.val();
        }
        for k in 0..self.ports {
            self.decode[k].op.d.next = self.ask_op[k].val();
            self.decode[k].remote.d.next = self.ask_remote[k].val();
            self.decode[k].misaligned.d.next = self.ask_address[k].val().get_bits::<3>(0).any();
            self.decode[k].outside.d.next = (self.ask_address[k].val() >> self.window_bits).any();
            self.decode[k].data.d.next = self.ask_data[k].val();
            self.decode[k].strobe.d.next = self.ask_strobe[k].val();
            self.lane[k].tag.d.next = self.ask_tag[k].val();
            self.lane[k].index.d.next = self.ask_address[k].val().get_bits::<WORD_INDEX>(3) & self.last_word.to_bits();
        }
        for c in 0..self.counted {
            self.counters[c].op.d.next = self.ask_op[c].val();
            self.counters[c].number.d.next = self.ask_address[c].val().get_bits::<NUMBER_BITS>(3);
            self.counters[c].reads.d.next = false;
            if (self.ask_op[c].val() == Op::Load)
                & self.ask_address[c].val().get_bit(31)
                & !self.ask_address[c].val().get_bits::<WINDOW_REST>(9).any()
            {
                self.counters[c].reads.d.next = true;
                self.decode[c].outside.d.next = false;
            }
        }
        for k in 0..self.checks {
            self.check[k].op.d.next = self.ask_op[k].val();
        }
        for k in 0..self.issues {
            self.issue[k].granted.next = self.grant.val().get_bit(k);
        }
        for k in 0..self.tables {
            self.waiters[k].acquires.d.next = self.grant.val().get_bit(k) & self.issue[k].ask_acquires.val();
            self.waiters[k].op.d.next = self.ask_op[k].val();
            self.waiters[k].tag_c1.d.next = self.ask_tag[k].val();
            self.waiters[k].data.d.next = self.ask_data[k].val();
        }
    }
}

impl Process<Taken> for Unit {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        self.req_ready.next = 0.into();
        for k in 0..self.direct {
            if self.grant.val().get_bit(k) {
                self.req_ready.next = self.req_ready.val() | (bits::<PORTS>(1) << k);
            }
        }
        for k in 0..self.issues {
            if self.issue[k].accepts.val() {
                self.req_ready.next = self.req_ready.val() | (bits::<PORTS>(1) << k);
            }
        }
        for k in 0..self.ports {
            self.queue[k].reserve.next =
                self.req_ready.val().get_bit(k) & !POSTED.get_bit(self.req_op[k].val().index());
        }
    }
}

impl Process<Replayed> for Unit {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        for b in 0..self.banks {
            self.bank[b].turn_arrivals.next = 0.into();
            self.bank[b].turn_arrivals_negative.next = 0.into();
            self.bank[b].turn_arrives.next = false;
            self.bank[b].turn_leaves.next = false;
            self.bank[b].turn_tx.next = 0.into();
            self.bank[b].turn_tx_negative.next = 0.into();
            self.bank[b].turn_updates.next = false;
            self.bank[b].turn_posted.next = false;
            if self.bank[b].turn.val().any() {
                for k in 0..self.recalls {
                    if self.bank[b].turn.val().get_bit(k) {
                        self.bank[b].turn_arrivals.next =
                            self.bank[b].turn_arrivals.val() | self.recall[k].arrivals_c4.q.val();
                        self.bank[b].turn_arrivals_negative.next =
                            self.bank[b].turn_arrivals_negative.val() | self.recall[k].arrivals_negative_c4.q.val();
                        self.bank[b].turn_arrives.next =
                            self.bank[b].turn_arrives.val() | self.recall[k].arrives_c4.q.val();
                        self.bank[b].turn_leaves.next =
                            self.bank[b].turn_leaves.val() | self.recall[k].leaves_c4.q.val();
                        self.bank[b].turn_tx.next = self.bank[b].turn_tx.val() | self.recall[k].tx_c4.q.val();
                        self.bank[b].turn_tx_negative.next =
                            self.bank[b].turn_tx_negative.val() | self.recall[k].tx_negative_c4.q.val();
                        self.bank[b].turn_updates.next =
                            self.bank[b].turn_updates.val() | self.recall[k].updates_c4.q.val();
                        self.bank[b].turn_posted.next =
                            self.bank[b].turn_posted.val() | self.recall[k].posted_c4.q.val();
                    }
                }
            }
        }
    }
}

impl Process<Gather> for Unit {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        for k in 0..self.ports {
            self.lane[k].refusal.d.next = self.decode[k].refusal.q.val();
            self.lane[k].posted.d.next = self.decode[k].posted.q.val();
            self.lane[k].waits.d.next = self.decode[k].waits.q.val();
            self.lane[k].wait_phase.d.next = self.decode[k].wait_phase.q.val();
            self.lane[k].reveal_upper.d.next = self.decode[k].reveal_upper.q.val();
            self.lane[k].reveal_lower.d.next = self.decode[k].reveal_lower.q.val();
            self.lane[k].updates.d.next = self.decode[k].updates.q.val();
            self.lane[k].ahead.d.next = 0.into();
            self.lane[k].ahead_tx.d.next = 0.into();
        }
        for k in 0..self.recalls {
            self.recall[k].arrivals.d.next = self.decode[k].arrivals.q.val();
            self.recall[k].arrivals_negative.d.next = self.decode[k].arrivals_negative.q.val();
            self.recall[k].arrives.d.next = self.decode[k].arrives.q.val();
            self.recall[k].leaves.d.next = self.decode[k].leaves.q.val();
            self.recall[k].tx.d.next = self.decode[k].tx.q.val();
            self.recall[k].tx_negative.d.next = self.decode[k].tx_negative.q.val();
            self.recall[k].updates.d.next = self.decode[k].updates.q.val();
            self.recall[k].posted.d.next = self.decode[k].posted.q.val();
        }
        for b in 0..self.banks {
            self.arrived.next = 0.into();
            self.arrived_negative.next = 0.into();
            self.dropped.next = 0.into();
            self.dropped_negative.next = 0.into();
            self.moved.next = 0.into();
            self.moved_negative.next = 0.into();
            self.bank[b].arrives.d.next = false;
            self.bank[b].leaves.d.next = false;
            self.bank[b].updates.d.next = false;
            self.bank[b].posted.d.next = false;
            self.bank[b].expects.d.next = false;
            self.bank[b].completes.d.next = false;
            self.bank[b].replace.d.next = 0.into();
            self.bank[b].insert.d.next = 0.into();
            if self.bank[b].members_c2.q.val().any() {
                // those that only expect bytes come first
                for k in 0..self.ports {
                    if self.bank[b].members_c2.q.val().get_bit(k)
                        & self.decode[k].expects.q.val()
                        & !self.decode[k].arrives.q.val()
                    {
                        self.moved.next = self.moved.val() + self.decode[k].tx.q.val();
                        self.moved_negative.next = self.moved_negative.val() + self.decode[k].tx_negative.q.val();
                    }
                }
                // then the arrivals
                for k in 0..self.ports {
                    if self.bank[b].members_c2.q.val().get_bit(k) & self.decode[k].arrives.q.val() {
                        self.lane[k].ahead.d.next = self.arrived.val();
                        self.lane[k].ahead_tx.d.next = self.moved.val();
                        self.arrived.next = self.arrived.val() + self.decode[k].arrivals.q.val();
                        self.arrived_negative.next =
                            self.arrived_negative.val() + self.decode[k].arrivals_negative.q.val();
                        self.moved.next = self.moved.val() + self.decode[k].tx.q.val();
                        self.moved_negative.next = self.moved_negative.val() + self.decode[k].tx_negative.q.val();
                        self.bank[b].arrives.d.next = true;
                        if self.decode[k].leaves.q.val() {
                            self.dropped.next = self.dropped.val() + self.decode[k].arrivals.q.val();
                            self.dropped_negative.next =
                                self.dropped_negative.val() + self.decode[k].arrivals_negative.q.val();
                            self.bank[b].leaves.d.next = true;
                        }
                    }
                }
                // then those that complete bytes
                for k in 0..self.ports {
                    if self.bank[b].members_c2.q.val().get_bit(k) & self.decode[k].completes.q.val() {
                        self.moved.next = self.moved.val() + self.decode[k].tx.q.val();
                        self.moved_negative.next = self.moved_negative.val() + self.decode[k].tx_negative.q.val();
                    }
                }
                for k in 0..self.ports {
                    if self.bank[b].members_c2.q.val().get_bit(k) {
                        self.bank[b].updates.d.next = self.bank[b].updates.d.val() | self.decode[k].updates.q.val();
                        self.bank[b].posted.d.next = self.bank[b].posted.d.val() | self.decode[k].posted.q.val();
                        self.bank[b].expects.d.next = self.bank[b].expects.d.val() | self.decode[k].expects.q.val();
                        self.bank[b].completes.d.next =
                            self.bank[b].completes.d.val() | self.decode[k].completes.q.val();
                        self.bank[b].replace.d.next = self.bank[b].replace.d.val() | self.decode[k].replace.val();
                        self.bank[b].insert.d.next = self.bank[b].insert.d.val() | self.decode[k].insert.val();
                    }
                }
            }
            self.bank[b].arrivals.d.next = self.arrived.val();
            self.bank[b].arrivals_negative.d.next = self.arrived_negative.val();
            self.bank[b].drops.d.next = self.dropped.val();
            self.bank[b].drops_negative.d.next = self.dropped_negative.val();
            self.bank[b].tx.d.next = self.moved.val();
            self.bank[b].tx_negative.d.next = self.moved_negative.val();
        }
    }
}

impl Process<Written> for Unit {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        for b in 0..self.banks {
            self.bank[b].writes.next = false;
            for k in 0..self.ports {
                if self.bank[b].members_c1.q.val().get_bit(k) & self.decode[k].writes.val() {
                    self.bank[b].writes.next = true;
                }
            }
        }
    }
}

impl Process<Tally> for Unit {
    #[inline(always)]
    #[hdl_gen]
    fn update(&mut self) {
        for t in 0..self.totalled {
            self.totals[t].flip_valid.next = self.flip_valid.val();
        }
        for c in 0..self.counted {
            self.counters[c].advance.next = self.advance.val();
            self.counters[c].done.next = self.lane[c].done.val();
            self.counters[c].faults.next = self.lane[c].status.val() != Status::Ok;
            self.counters[c].combined.next = false;
            self.counters[c].suspends.next = false;
            self.counters[c].turned_away.next = false;
            self.counters[c].resumes.next = false;
            self.counters[c].wakes.next = false;
            self.counters[c].stalls.next = self.req_valid.val().get_bit(c) & !self.req_ready.val().get_bit(c);
        }
        for c in 0..self.counted_checks {
            self.counters[c].faults.next = self.check[c].verdict.val() != Status::Ok;
        }
        for c in 0..self.counted_tables {
            self.counters[c].suspends.next = self.waiters[c].parks.val();
            self.counters[c].turned_away.next = self.waiters[c].turned_away.val();
            self.counters[c].resumes.next = self.waiters[c].shows.val() & self.rsp_ready.val().get_bit(c);
            self.counters[c].wakes.next =
                self.waiters[c].shows.val() & self.rsp_ready.val().get_bit(c) & self.waiters[c].answer_predicate.val();
        }
        for k in 0..self.uncounted {
            self.unused_turned_away[k].next = self.waiters[k].turned_away.val();
        }
        for t in 0..self.totalled {
            for b in 0..self.banks {
                self.others[t].next = self.bank[b].done.val() & (self.bank[b].done.val() - 1);
                if self.others[t].val().any() {
                    for c in 0..self.counted {
                        if self.bank[b].done.val().get_bit(c) {
                            self.counters[c].combined.next = true;
                        }
                    }
                }
            }
        }
    }
}

impl Unit {
    /// A unit with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { ports, banks, words, queue_depth, waiters, clock_ns, number_bits, counters, checked, .. } =
            *parameters;
        let (tables, timers) = (if waiters > 0 { ports } else { 0 }, (waiters > 0) as usize);
        // in one bank, without waits that hold others, requests never change places
        let issues = if banks > 1 || waiters > 0 { ports } else { 0 };
        let counted = if counters { ports } else { 0 };
        let recalls = if ports > 1 { ports } else { 0 };
        let bank_bits = banks.ilog2() as usize;
        Self {
            req_op: Lanes::new(ports),
            req_remote: Lanes::new(ports),
            req_address: Lanes::new(ports),
            req_data: Lanes::new(ports),
            req_strobe: Lanes::new(ports),
            req_tag: Lanes::new(ports),
            req_order: Lanes::new(ports),
            issue: Lanes::of(issues, || Issue::new(banks, number_bits)),
            issues,
            direct: ports - issues,
            unused_acquires: Lanes::new(ports - tables),
            unused_tag: Lanes::new(issues - tables),
            unheld: issues - tables,
            ask_op: Lanes::new(ports),
            ask_remote: Lanes::new(ports),
            ask_address: Lanes::new(ports),
            ask_data: Lanes::new(ports),
            ask_strobe: Lanes::new(ports),
            ask_tag: Lanes::new(ports),
            rsp_tag: Lanes::new(ports),
            rsp_status: Lanes::new(ports),
            rsp_predicate: Lanes::new(ports),
            rsp_data: Lanes::new(ports),
            done_tag: Lanes::new(ports),
            done_status: Lanes::new(ports),
            done_index: Lanes::new(ports),
            flip_index: Banks::new(banks),
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
            decode: Lanes::new(ports),
            lane: Lanes::new(ports),
            recall: Lanes::new(recalls),
            recalls,
            waiters: Lanes::of(tables, || Waiters::new(parameters.entries(), banks, number_bits, checked)),
            tables,
            ended: Lanes::new(timers),
            check: Lanes::new(if checked { ports } else { 0 }),
            checks: if checked { ports } else { 0 },
            checked_tables: if checked { tables } else { 0 },
            unused_arrives: Lanes::new(checked as usize),
            first_checks: checked as usize,
            shadow: Banks::of(if checked { banks } else { 0 }, || Shadow::new(parameters.rows())),
            shadows: if checked { banks } else { 0 },
            counters: Lanes::of(counted, Counters::empty),
            counted,
            counted_checks: if checked { counted } else { 0 },
            counted_tables: if counters { tables } else { 0 },
            others: Lanes::new(counters as usize),
            uncounted: if counters { 0 } else { tables },
            unused_turned_away: Lanes::new(if counters { 0 } else { tables }),
            totals: Lanes::of(counters as usize, || Totals::new(banks)),
            totalled: counters as usize,
            timer: Lanes::of(timers, || Timer::new(clock_ns)),
            timers,
            bank: Banks::of(banks, || Bank::new(parameters.rows(), ports)),
            queue: Lanes::of(ports, || ResponseQueue::new(queue_depth)),
            target: Lanes::new(ports),
            ..Self::default()
        }
    }

    /// Settles the whole unit: every process once, in the order of the data. Outputs may be read afterwards.
    #[inline(never)] // it is large: one copy for everybody who calls it keeps compiling short
    pub fn settle(&mut self) {
        self.settle_any(|_, _| {});
    }

    /// The same, with a look in (and a hand in) on the way: `look` is called at every [`Point`].
    #[inline(never)]
    pub fn settle_with(&mut self, look: &mut dyn FnMut(&mut Self, Point)) {
        self.settle_sized::<0, 0>(look);
    }

    #[inline(always)]
    fn settle_any(&mut self, look: impl FnMut(&mut Self, Point)) {
        match (self.ports, self.banks) {
            (1, 1) => self.settle_sized::<1, 1>(look),
            (2, 1) => self.settle_sized::<2, 1>(look),
            (4, 1) => self.settle_sized::<4, 1>(look),
            _ => self.settle_sized::<0, 0>(look),
        }
    }

    /// Tells the compiler how large the unit is, so that it can do without loops; 0 ports if it does not know.
    #[inline(always)]
    fn assume<const PORTS: usize, const BANKS: usize>(&self) {
        let many = (PORTS > 1) as usize;
        if PORTS > 0 {
            // SAFETY: whoever names a size has looked at `ports` and `banks`, and the others follow from them in `new`.
            unsafe {
                std::hint::assert_unchecked(self.ports == PORTS && self.banks == BANKS);
                std::hint::assert_unchecked(self.combines == many && self.recalls == PORTS * many);
                self.combine.assume(many);
                self.recall.assume(PORTS * many);
                self.decode.assume(PORTS);
                self.lane.assume(PORTS);
                self.queue.assume(PORTS);
                self.bank.assume(BANKS);
            }
        }
    }

    #[inline(always)]
    fn settle_sized<const PORTS: usize, const BANKS: usize>(&mut self, mut look: impl FnMut(&mut Self, Point)) {
        self.assume::<PORTS, BANKS>();
        for bank in self.bank.iter_mut() {
            bank.settle_commit();
        }
        look(self, Point::Committed);
        self.assume::<PORTS, BANKS>();
        Process::<Advance>::update(self);
        self.assume::<PORTS, BANKS>();
        Process::<Outcome>::update(self);
        self.assume::<PORTS, BANKS>();
        for lane in self.lane.iter_mut() {
            lane.settle_answer();
        }
        self.assume::<PORTS, BANKS>();
        Process::<Seek>::update(self);
        for shadow in self.shadow.iter_mut() {
            shadow.settle_known();
        }
        if self.checks > 0 {
            for waiters in self.waiters.iter_mut() {
                waiters.settle_watch();
            }
        }
        for check in self.check.iter_mut() {
            check.settle_class();
        }
        Process::<Compare>::update(self);
        for check in self.check.iter_mut() {
            check.settle_verdict();
        }
        for shadow in self.shadow.iter_mut() {
            shadow.settle_follow();
        }
        Process::<Suspend>::update(self);
        for waiters in self.waiters.iter_mut() {
            waiters.settle_park();
            waiters.settle_show();
            waiters.settle_hold();
        }
        self.assume::<PORTS, BANKS>();
        Process::<Event>::update(self);
        Process::<Look>::update(self);
        for counters in self.counters.iter_mut() {
            counters.settle_read();
        }
        look(self, Point::Answered);
        self.assume::<PORTS, BANKS>();
        for queue in self.queue.iter_mut() {
            queue.settle_show();
        }
        self.assume::<PORTS, BANKS>();
        Process::<Respond>::update(self);
        look(self, Point::Requested);
        self.assume::<PORTS, BANKS>();
        Process::<Offer>::update(self);
        for issue in self.issue.iter_mut() {
            issue.settle_choose();
        }
        self.assume::<PORTS, BANKS>();
        Process::<Request>::update(self);
        self.assume::<PORTS, BANKS>();
        for combine in self.combine.iter_mut() {
            combine.settle();
        }
        self.assume::<PORTS, BANKS>();
        for bank in self.bank.iter_mut() {
            bank.settle_arbiter();
        }
        look(self, Point::Granted);
        self.assume::<PORTS, BANKS>();
        Process::<Accept>::update(self);
        for issue in self.issue.iter_mut() {
            issue.settle_take();
        }
        self.assume::<PORTS, BANKS>();
        Process::<Taken>::update(self);
        self.assume::<PORTS, BANKS>();
        Process::<Replayed>::update(self);
        self.assume::<PORTS, BANKS>();
        for decode in self.decode.iter_mut() {
            decode.settle_replace();
        }
        self.assume::<PORTS, BANKS>();
        Process::<Gather>::update(self);
        look(self, Point::Gathered);
        self.assume::<PORTS, BANKS>();
        for decode in self.decode.iter_mut() {
            decode.settle();
        }
        self.assume::<PORTS, BANKS>();
        Process::<Written>::update(self);
        self.assume::<PORTS, BANKS>();
        for lane in self.lane.iter_mut() {
            lane.settle_carry();
        }
        self.assume::<PORTS, BANKS>();
        for recall in self.recall.iter_mut() {
            recall.settle();
        }
        self.assume::<PORTS, BANKS>();
        for bank in self.bank.iter_mut() {
            bank.settle_update();
        }
        self.assume::<PORTS, BANKS>();
        for waiters in self.waiters.iter_mut() {
            waiters.settle_wake();
        }
        for timer in self.timer.iter_mut() {
            timer.settle();
        }
        Process::<Tally>::update(self);
        for counters in self.counters.iter_mut() {
            counters.settle_count();
        }
        for totals in self.totals.iter_mut() {
            totals.settle();
        }
        self.assume::<PORTS, BANKS>();
        for queue in self.queue.iter_mut() {
            queue.settle_count();
        }
        look(self, Point::Settled);
    }

    /// From now on a read of the memory that meets a write to the same word returns `value`.
    pub fn poison_collisions(&mut self, value: u64) {
        for bank in self.bank.iter_mut() {
            bank.ram.poison_collisions(value.into());
        }
    }

    /// The clock edge, with `rst` low.
    #[inline(never)]
    pub fn clock(&mut self) {
        match (self.ports, self.banks) {
            (1, 1) => self.tick_sized::<1, 1>(),
            (2, 1) => self.tick_sized::<2, 1>(),
            (4, 1) => self.tick_sized::<4, 1>(),
            _ => self.tick(),
        }
    }

    #[inline(always)]
    fn tick_sized<const PORTS: usize, const BANKS: usize>(&mut self) {
        self.assume::<PORTS, BANKS>();
        self.tick();
    }

    /// The clock edge, with `rst` high.
    pub fn clock_in_reset(&mut self) {
        self.tick();
        self.reset();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::Status;

    /// Sends requests (op, word, data) of one port in consecutive cycles, `None` for a gap; gives status and data of each
    /// answer.
    fn answers(requests: &[Option<(Op, u64, u64)>]) -> Vec<(u64, u64)> {
        let parameters = Parameters { ports: 1, banks: 1, words: 16, ..Parameters::default() };
        let mut unit = Unit::new(&parameters);
        unit.poison_collisions(0xbad0_bad0_bad0_bad0);
        unit.rsp_ready.next = 1.into();
        unit.settle();
        unit.clock(); // the queue has room from the second cycle on
        let mut answers = Vec::new();
        for cycle in 0..requests.len() + 6 {
            let request = requests.get(cycle).copied().flatten();
            let (op, word, data) = request.unwrap_or((Op::Load, 0, 0));
            unit.req_valid.next = (request.is_some() as u64).into();
            unit.req_op[0].next = op.into();
            unit.req_address[0].next = (word * 8).into();
            unit.req_data[0].next = data.into();
            unit.req_strobe[0].next = 0xff.into();
            unit.req_tag[0].next = (cycle as u64).into();
            unit.settle();
            assert_eq!(unit.req_ready.val().any(), request.is_some(), "nothing stands in the way of one port");
            if unit.rsp_valid.val().any() {
                assert_eq!(unit.rsp_tag[0].val().index(), cycle - LATENCY, "five cycles after the request");
                answers.push((unit.rsp_status[0].val().raw(), unit.rsp_data[0].val().raw()));
            }
            unit.clock();
        }
        answers
    }

    /// A store and a load of the same word at every distance, with stores to another word in between or nothing.
    #[test]
    fn a_load_sees_the_store_at_every_distance() {
        for distance in 1..=8 {
            for between in [None, Some((Op::Store, 4, 99)), Some((Op::Load, 3, 0))] {
                let mut requests = vec![Some((Op::Store, 3, 7))];
                requests.resize(distance, between);
                requests.push(Some((Op::Load, 3, 0)));
                assert_eq!(answers(&requests).last(), Some(&(0, 7)), "distance {distance}, {between:?} between");
            }
        }
    }

    /// Of several stores, the youngest is seen.
    #[test]
    fn the_youngest_store_wins() {
        for stores in 2..=6u64 {
            let mut requests: Vec<_> = (1..=stores).map(|value| Some((Op::Store, 3, value))).collect();
            for distance in 0..3 {
                requests.extend(std::iter::repeat_n(None, distance));
                requests.push(Some((Op::Load, 3, 0)));
                assert_eq!(answers(&requests).last(), Some(&(0, stores)));
            }
        }
    }

    #[test]
    fn statuses_of_the_word_come_in_their_order() {
        let status = |word, op, data| answers(&[Some((Op::Store, 3, word)), Some((op, 3, data))])[1].0;
        let named = |status: Status| status.code() as u64;
        // nothing pending, nothing expected, tx-count at its top
        let word = 1 << 41;
        assert_eq!(status(word | 1 << 42, Op::ArriveDropExpectTx, 1), named(Status::FaultedWord));
        assert_eq!(status(word, Op::ArriveDropExpectTx, 1), named(Status::PendingUnderflow));
        assert_eq!(status(word | 0xfffff << 43, Op::ArriveDropExpectTx, 1), named(Status::ExpectedUnderflow));
        assert_eq!(status(word | 0xfffff << 43 | 0xfffff << 1, Op::ArriveDropExpectTx, 1), named(Status::TxRange));
        assert_eq!(status(word, Op::Load, 0), named(Status::Ok));
    }

    #[test]
    fn a_posted_request_is_not_answered_and_is_done() {
        let requests = [(Op::Init, 3, 2), (Op::CpAsyncArrive, 3, 0), (Op::Load, 3, 0)].map(Some);
        assert_eq!(answers(&requests), [(0, 0), (0, 0x7ffff800001ffffc)]);
    }
}
