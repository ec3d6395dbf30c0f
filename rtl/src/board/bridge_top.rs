//! The bridge's top: a unit at a serial line.
//!
//! **What.** A host at the other end of the line sends requests to the unit's ports and receives the answers, by the protocol of
//! [`super::protocol`].
//!
//! ```text
//!   uart_rx ─► uart_rx ─► deframer ─► bridge ─► unit: the port that is named
//!                                       ▲         │
//!   uart_tx ◄─ uart_tx ◄─ framer ◄──────┘ ◄───────┘ answers: the lowest port first
//! ```
//! A request is accepted some cycles after its last flag; its answer begins to leave at most a frame after it has come. Rates are
//! those of the line: 21 bytes there and 16 back, at 115,200 baud 545 requests a second.
//!
//! | LED | meaning |
//! | --- | --- |
//! | 0 | blinks while the clock runs |
//! | 1 | a request is in flight |
//! | 2 | a damaged frame has been received since reset |
//! | 3 | toggles with every frame |
//! | 4 to 7 | the lowest bits of the expected number |

use super::beat::Beat;
use super::bridge::Bridge;
use super::deframer::{Deframer, HEAD_BITS};
use super::framer::Framer;
use super::parameters::BoardParameters;
use super::protocol::{self, TAG_BITS, identity, question};
use super::uart_rx::UartRx;
use super::uart_tx::UartTx;
use crate::any::AnyUnit;
use crate::hardware;
use crate::hdl::*;
use crate::word::op::Op;
use crate::word::ordering::Order;

hardware! {
    /// A unit of shared memory with mbarrier operations, at a serial line.
    pub module BridgeTop = "bridge_top" {
        /// Serial line to the board, idle at 1.
        pub uart_rx: Signal<In, Bit>,
        /// Serial line from the board, idle at 1.
        pub uart_tx: Signal<Out, Bit>,
        /// LEDs: blinks; busy; damaged; frames; expected number.
        pub led: Signal<Out, Bits<8>>,

        /// Number of ports.
        pub ports: usize = unit.ports,
        /// UART receiver.
        pub rx: UartRx = UartRx::new(bit_cycles),
        /// UART transmitter.
        pub tx: UartTx = UartTx::new(bit_cycles),
        /// Frames from received bytes.
        pub deframer: Deframer = Deframer::of_frames(),
        /// Bytes of replies.
        pub framer: Framer = Framer::of_replies(),
        /// Control.
        pub bridge: Bridge = Bridge::new(unit.ports, identity_of(parameters)),
        /// Time base of the blinking LED.
        pub beat: Beat = Beat::new(beat_cycles),
        /// The unit.
        pub unit: AnyUnit = AnyUnit::new(&unit),

        /// Port of the frame.
        pub port: Signal<Local, Bits<3>>,
        /// Header of the frame.
        pub frame: Signal<Local, Bits<HEAD_BITS>>,
        /// Expected number.
        pub due: Signal<Local, Bits<8>>,
        /// Port whose answer is accepted, one-hot.
        pub grant: ControlReg<PortMask>,
        /// Tag of the accepted answer.
        pub answer_tag: Signal<Local, Tag>,
        /// A request of the frame's port has taken effect.
        pub done: ControlReg<Bit>,
        /// Tag of that request.
        pub done_tag: Reg<Tag>,
        /// Status of that request.
        pub done_status: Reg<StatusCode, StatusView>,
        /// A damaged frame has been received.
        pub hurt: ControlReg<Bit>,
        /// Toggles with every frame.
        pub frames: ControlReg<Bit>,
    }
    processes { Hear, Drive, Collect, Speak, Light }
    /// The top with these parameters; the unit's tags are those of [`BoardParameters::bridge`].
    built by pub fn new(parameters: &BoardParameters) {
        let BoardParameters { unit, bit_cycles, beat_cycles, .. } = *parameters;
        assert_eq!((unit.tag_bits, unit.number_bits), (protocol::TAG_BITS, protocol::SLOT_BITS));
    }
}

#[processes]
impl BridgeTop {
    #[inline]
    fn hear(&mut self) {
        self.rx.line.d.next = self.uart_rx.val();
        self.frame.next = self.deframer.head.q.val();
        self.port.next = self.frame.val().get_bits::<3>(question::PORT);
        self.bridge.head.next = self.frame.val();
        connect!(self.bridge.* <<= self.deframer.*: complete, damaged);
    }

    #[inline]
    fn drive(&mut self) {
        connect!(self.deframer.* <<= self.rx.*: valid, octet, broken);
        self.deframer.hold.next = self.bridge.hold.val();
        clear!(self.unit.req_valid, self.unit.bank_stall, self.unit.remote_pending);
        for p in 0..self.ports {
            self.unit.req[p].op.next = self.frame.val().get_bits::<OP_BITS>(question::OP);
            self.unit.req[p].remote.next = self.frame.val().get_bit(question::REMOTE);
            self.unit.req_order[p].next = self.frame.val().get_bits::<ORDER_BITS>(question::ORDER);
            self.unit.req[p].strobe.next = self.frame.val().get_bits::<8>(question::STROBE);
            connect!(self.unit.req[p].* <<= self.deframer.*: address, data);
            self.unit.req[p].tag.next = bit_cast::<TAG, TAG_BITS>(self.bridge.req_tag.val());
            if self.bridge.req_valid.val() & (self.port.val() == p.to_bits()) {
                self.unit.req_valid.next = self.unit.req_valid.val() | (bits::<PORTS>(1) << p);
            }
        }
        self.unit.rsp_ready.next = self.grant.q.val();
    }

    #[inline]
    fn collect(&mut self) {
        self.bridge.accepted.next = (self.unit.req_ready.val() & self.unit.req_valid.val()).any();
        clear!(self.done, self.done_tag, self.done_status, self.answer_tag, self.bridge.answer_status);
        clear!(self.bridge.answer_predicate, self.bridge.answer_resumed, self.bridge.answer_data);
        for p in 0..self.ports {
            if (self.port.val() == p.to_bits()) & self.unit.done_valid.val().get_bit(p) {
                self.done.d.next = true;
                connect!(self.* <<= self.unit.*[p]: done_tag, done_status);
            }
            if self.grant.q.val().get_bit(p) {
                self.answer_tag.next = self.unit.rsp[p].tag.val();
                connect!(self.bridge.answer_* <<= self.unit.rsp[p].*: status, predicate);
                self.bridge.answer_resumed.next = self.unit.rsp_resumed.val().get_bit(p);
                self.bridge.answer_data.next = self.unit.rsp[p].data.val();
            }
        }
        self.bridge.answer_tag.next = bit_cast::<TAG_BITS, TAG>(self.answer_tag.val());
        self.bridge.answer_valid.next = self.grant.q.val().any();
        self.bridge.done.next = self.done.q.val();
        self.bridge.done_tag.next = bit_cast::<TAG_BITS, TAG>(self.done_tag.q.val());
        self.bridge.done_status.next = self.done_status.q.val();
        self.grant.d.next = 0.into();
        if !self.grant.q.val().any() & !self.done.d.val() {
            self.grant.d.next = self.unit.rsp_valid.val() & (!self.unit.rsp_valid.val() + 1);
        }
    }

    #[inline]
    fn speak(&mut self) {
        self.bridge.reply_ready.next = self.framer.ready.val();
        self.framer.byte_ready.next = self.tx.ready.val();
        self.tx.valid.next = self.framer.byte_valid.val();
        self.tx.octet.next = self.framer.octet.val();
        self.uart_tx.next = self.tx.line.val();
    }

    #[inline]
    fn light(&mut self) {
        connect!(self.framer.* <<= self.bridge.reply_*: valid, head, data);
        self.hurt.d.next = self.hurt.q.val() | self.deframer.damaged.q.val();
        self.frames.d.next = self.frames.q.val() != self.deframer.complete.q.val();
        self.due.next = self.bridge.expected.q.val();
        self.led.next = bit_cast::<8, 1>(self.beat.wave.q.val().into())
            | (bit_cast::<8, 1>(self.bridge.busy.q.val().any().into()) << 1)
            | (bit_cast::<8, 1>(self.hurt.q.val().into()) << 2)
            | (bit_cast::<8, 1>(self.frames.q.val().into()) << 3)
            | (bit_cast::<8, 4>(self.due.val().get_bits::<4>(0)) << 4);
    }
}

// widths that kernels name
const OP_BITS: usize = Op::BITS;
const ORDER_BITS: usize = Order::BITS;

impl BridgeTop {
    /// Nothing is in flight: without input there will be no output. For simulations.
    pub fn rests(&self) -> bool {
        let hears = self.rx.left.q.val().any() || !self.rx.steady.q.val() || !self.rx.line.q.val();
        let works = self.bridge.hold.val() || self.bridge.busy.q.val().any() || self.deframer.complete.q.val();
        let speaks = self.tx.left.q.val().any() || self.framer.place.q.val().any();
        let owes = self.bridge.due.q.val().any() || self.bridge.notice.q.val().any() || self.bridge.stage.q.val().any();
        let just = self.rx.valid.q.val() || self.rx.broken.q.val() || self.deframer.damaged.q.val();
        !(hears || works || speaks || owes || just)
    }

    /// The clock edge, with `rst` low.
    pub fn clock(&mut self) {
        self.tick();
    }

    /// The clock edge, with `rst` high.
    pub fn clock_in_reset(&mut self) {
        self.tick();
        self.reset();
    }
}

/// Identity of a bridge with these parameters.
fn identity_of(parameters: &BoardParameters) -> u64 {
    let unit = &parameters.unit;
    let mut content = [0; identity::BYTES];
    let fields = [
        ("version", u64::from(protocol::VERSION)),
        ("ports", unit.ports as u64),
        ("log2 banks", unit.banks.ilog2().into()),
        ("log2 words", unit.words.ilog2().into()),
        ("counters", unit.counters.into()),
        ("checked", unit.checked.into()),
        ("waiters", unit.waiters as u64),
        ("clock ns", unit.clock_ns as u64),
        ("mark", protocol::MARK),
    ];
    for (name, value) in fields {
        identity::field(name).put(&mut content, value);
    }
    u64::from_le_bytes(content)
}
