//! The unit: request ports, an arbiter, one bank, a response queue a port.
//!
//! **What.** Every port may ask for one operation a cycle; the arbiter accepts one of them, in turn; answers come back to
//! the port that asked, in the order in which it asked.
//!
//! ```text
//!   port 0 ─ req ─┐                                           ┌─► queue 0 ─ rsp ─ port 0
//!   port 1 ─ req ─┼─► round_robin ─► mux ─► bank (c0 .. c4) ──┼─► queue 1 ─ rsp ─ port 1
//!   ...           │                                           │   ...
//!
//!   cycle      0                 1    2    3    4    5
//!   clk        |‾|_|‾|_ ...
//!   req_valid  ‾‾‾‾\___
//!   req_ready  ‾‾‾‾\___          granted in the same cycle
//!   rsp_valid                                        /‾‾‾‾    five cycles later if nobody was in the way
//! ```
//!
//! **Handshake.** A request is accepted in a cycle in which its `req_valid` and `req_ready` are both 1; an answer is taken
//! when `rsp_valid` and `rsp_ready` are. `req_ready` depends on `req_valid` (it is the grant), `rsp_valid` on nothing but
//! registers. An answer stays as it is until it is taken. Posted operations are accepted in the same way and never
//! answered; if one faults, `fault_valid` is the only sign besides the word's fault bit.
//!
//! **Order.** Operations are done in the order in which they are accepted.

use crate::arbiter::RoundRobin;
use crate::bank::Bank;
use crate::hardware;
use crate::hdl::*;
use crate::op::Op;
use crate::parameters::Parameters;
use crate::queue::ResponseQueue;

/// Cycles from the acceptance of a request to its answer, if nobody is in the way.
pub const LATENCY: usize = 5;

/// Places on the way through [`Unit::settle_with`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// c4 is settled: the word after the operation, its answer, the write to memory.
    Answered,
    /// The response queues show their answers; requests are about to be arbitrated.
    Requested,
    /// The arbiter has granted.
    Granted,
    /// The request is accepted, and the operands of the ALU are chosen.
    Selected,
    /// Everything is settled; registers have not taken their values yet.
    Settled,
}

hardware! {
    /// mbarrier unit: request ports in front of one bank of 64-bit words.
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
        /// Comes back with the answer.
        pub req_tag: Lanes<Signal<In, Tag>>,

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

        /// A request faulted, four cycles after it was accepted.
        pub fault_valid: Signal<Out, Bit>,
        /// Port that it came from.
        pub fault_port: Signal<Out, PortIndex>,
        /// Its tag.
        pub fault_tag: Signal<Out, Tag>,
        /// Why.
        pub fault_status: Signal<Out, StatusCode, StatusView>,
        /// Number of the word that its address names.
        pub fault_index: Signal<Out, WordIndex>,
        /// A phase completed.
        pub flip_valid: Signal<Out, Bit>,

        /// Number of ports.
        pub(crate) ports: usize,
        /// The arbiter.
        pub(crate) arbiter: RoundRobin,
        /// The bank.
        pub(crate) bank: Bank,
        /// Response queues.
        pub(crate) queue: Lanes<ResponseQueue>,

        /// Ports whose queue has room.
        pub(crate) room: Signal<Local, PortMask>,
        /// The port that is accepted, one-hot.
        pub(crate) grant: Signal<Local, PortMask>,
        /// Opcode of the request accepted.
        pub(crate) op: Signal<Local, OpCode, OpView>,
        /// Whether it comes from another CTA.
        pub(crate) remote: Signal<Local, Bit>,
        /// Its address.
        pub(crate) address: Signal<Local, Bits<32>>,
        /// Its data.
        pub(crate) data: Signal<Local, Word>,
        /// Its byte enables.
        pub(crate) strobe: Signal<Local, Bits<8>>,
        /// Its tag.
        pub(crate) tag: Signal<Local, Tag>,
        /// Its port.
        pub(crate) port: Signal<Local, PortIndex>,
    }
    constants {
        /// Operations that nobody waits for.
        POSTED: Bits<{ 1 << Op::BITS }> = crate::decode::POSTED;
    }
    processes { Respond, Request, Accept }
}

impl Process<Respond> for Unit {
    #[hdl_gen]
    fn update(&mut self) {
        self.rsp_valid.next = 0.into();
        self.room.next = 0.into();
        for k in 0..self.ports {
            if self.queue[k].valid.q.val() {
                self.rsp_valid.next = self.rsp_valid.val() | (bits::<PORTS>(1) << k);
            }
            if self.queue[k].room.q.val() {
                self.room.next = self.room.val() | (bits::<PORTS>(1) << k);
            }
            self.rsp_tag[k].next = self.queue[k].tag.val();
            self.rsp_status[k].next = self.queue[k].status.val();
            self.rsp_predicate[k].next = self.queue[k].predicate.val();
            self.rsp_data[k].next = self.queue[k].data.val();
            self.queue[k].push.next = self.bank.answer_valid.val() & (self.bank.answer_port.val().index() == k);
            self.queue[k].push_tag.next = self.bank.answer_tag.val();
            self.queue[k].push_status.next = self.bank.answer_status.val();
            self.queue[k].push_predicate.next = self.bank.answer_predicate.val();
            self.queue[k].push_data.next = self.bank.answer_data.val();
        }
        self.fault_valid.next = self.bank.fault_valid.val();
        self.fault_port.next = self.bank.answer_port.val();
        self.fault_tag.next = self.bank.answer_tag.val();
        self.fault_status.next = self.bank.answer_status.val();
        self.fault_index.next = self.bank.fault_index.val();
        self.flip_valid.next = self.bank.flip_valid.val();
    }
}

impl Process<Request> for Unit {
    #[hdl_gen]
    fn update(&mut self) {
        self.arbiter.request.next = self.req_valid.val() & self.room.val();
    }
}

impl Process<Accept> for Unit {
    #[hdl_gen]
    fn update(&mut self) {
        self.grant.next = self.arbiter.grant.val();
        self.req_ready.next = self.grant.val();
        // the grant is one-hot: OR-ing what it lets through is a multiplexer without priority
        self.op.next = 0.into();
        self.remote.next = false;
        self.address.next = 0.into();
        self.data.next = 0.into();
        self.strobe.next = 0.into();
        self.tag.next = 0.into();
        self.port.next = 0.into();
        for k in 0..self.ports {
            self.queue[k].ready.next = self.rsp_ready.val().get_bit(k);
            self.queue[k].reserve.next = self.grant.val().get_bit(k) & !POSTED.get_bit(self.req_op[k].val().index());
            if self.grant.val().get_bit(k) {
                self.op.next = self.op.val() | self.req_op[k].val();
                self.remote.next = self.remote.val() | self.req_remote[k].val();
                self.address.next = self.address.val() | self.req_address[k].val();
                self.data.next = self.data.val() | self.req_data[k].val();
                self.strobe.next = self.strobe.val() | self.req_strobe[k].val();
                self.tag.next = self.tag.val() | self.req_tag[k].val();
                self.port.next = self.port.val() | k.to_bits();
            }
        }
        self.bank.valid.d.next = self.grant.val().any();
        self.bank.op.next = self.op.val();
        self.bank.remote.next = self.remote.val();
        self.bank.address.next = self.address.val();
        self.bank.data.next = self.data.val();
        self.bank.strobe.next = self.strobe.val();
        self.bank.port.d.next = self.port.val();
        self.bank.tag.d.next = self.tag.val();
    }
}

impl Unit {
    /// A unit with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { ports, words, queue_depth, .. } = *parameters;
        Self {
            req_op: Lanes::new(ports),
            req_remote: Lanes::new(ports),
            req_address: Lanes::new(ports),
            req_data: Lanes::new(ports),
            req_strobe: Lanes::new(ports),
            req_tag: Lanes::new(ports),
            rsp_tag: Lanes::new(ports),
            rsp_status: Lanes::new(ports),
            rsp_predicate: Lanes::new(ports),
            rsp_data: Lanes::new(ports),
            ports,
            bank: Bank::new(words),
            queue: Lanes::of(ports, || ResponseQueue::new(queue_depth)),
            ..Self::default()
        }
    }

    /// Settles the whole unit: every process once, in the order of the data. Outputs may be read afterwards.
    #[inline(always)]
    pub fn settle(&mut self) {
        self.settle_with(|_, _| {});
    }

    /// The same, with a look in (and a hand in) on the way: `look` is called at every [`Point`].
    #[inline(always)]
    pub fn settle_with(&mut self, mut look: impl FnMut(&mut Self, Point)) {
        self.bank.settle_answer();
        look(self, Point::Answered);
        for queue in self.queue.iter_mut() {
            queue.settle_show();
        }
        Process::<Respond>::update(self);
        Process::<Request>::update(self);
        look(self, Point::Requested);
        self.arbiter.settle();
        look(self, Point::Granted);
        Process::<Accept>::update(self);
        self.bank.settle_select();
        look(self, Point::Selected);
        self.bank.settle_update();
        for queue in self.queue.iter_mut() {
            queue.settle_count();
        }
        look(self, Point::Settled);
    }

    /// From now on a read of the memory that meets a write to the same word returns `value`.
    pub fn poison_collisions(&mut self, value: u64) {
        self.bank.ram.poison_collisions(value.into());
    }

    /// The clock edge, with `rst` low.
    #[inline(always)]
    pub fn clock(&mut self) {
        self.tick();
    }

    /// The clock edge, with `rst` high.
    pub fn clock_in_reset(&mut self) {
        self.tick();
        self.reset();
    }
}
