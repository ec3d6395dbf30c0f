//! The pins of a unit, the same for every build of it.
//!
//! ```text
//!            ┌──────────┐
//! req_* ──►│          ├──► rsp_*   one lane per port
//! │   unit   ├──► done_*  one lane per effect channel: per port, or per bank
//! bank_* ──►│          ├──► flip_*  one lane per bank
//!            └──▲────┬──┘
//! write_* ──┘    └──► read_*    DMA port, in a cluster
//! ```
//! **Handshake.** A request is accepted in a cycle in which its `req_valid` and `req_ready` are both 1; an answer, if `rsp_valid` and
//! `rsp_ready` are. `rsp_valid` depends on registers only. An answer does not change until it is accepted. Posted operations are accepted
//! in the same way and have no answer. `done_valid` reports the cycle in which an operation takes effect, with its status, also if it is
//! posted.

use crate::bundle;
use crate::hdl::*;
use crate::interface;

bundle! {
    /// Request, without its memory ordering.
    pub bundle Operation {
        /// Opcode.
        pub op: Forth<OpCode, OpView>,
        /// Request of another CTA: no token is returned, and only some operations are allowed.
        pub remote: Forth<Bit>,
        /// Byte address, a multiple of 8.
        pub address: Forth<Bits<32>>,
        /// Operand: count, bytes, parity or token; data of a store.
        pub data: Forth<Word>,
        /// Byte enables of a store.
        pub strobe: Forth<Bits<8>>,
        /// Returned with the answer; identifies the thread.
        pub tag: Forth<Tag>,
    }
}

bundle! {
    /// Answer to a request.
    pub bundle PortAnswer {
        /// Tag of the request.
        pub tag: Forth<Tag>,
        /// Status.
        pub status: Forth<StatusCode, StatusView>,
        /// Predicate of a wait: the phase has completed.
        pub predicate: Forth<Bit>,
        /// Token (bits 63:32), word, or pending count (bits 31:0), if the status is ok.
        pub data: Forth<Word>,
    }
}

bundle! {
    /// Ends of suspended waits of a port, with the wake mask.
    pub bundle PortResume {
        /// Threads whose suspended wait ended because its phase completed.
        pub completed: Forth<EntryMask>,
        /// Threads whose suspended wait reached its time limit.
        pub expired: Forth<EntryMask>,
        /// Threads whose barrier was invalidated or replaced.
        pub ended: Forth<EntryMask>,
    }
}

interface! {
    /// Pins of a unit.
    pub interface Pins {
        /// Request valid, one bit per port.
        pub req_valid: Signal<In, PortMask>,
        /// Request accepted, one bit per port.
        pub req_ready: Signal<Out, PortMask>,
        /// Request of each port.
        pub req: Lanes<Operation<In>>,
        /// Memory ordering: acquire (bit 0), release (bit 1), of the cluster (bit 2).
        pub req_order: Lanes<Signal<In, OrderCode>>,
        /// Banks that take no request in this cycle: another master has them.
        pub bank_stall: Signal<In, BankMask>,
        /// The port has accesses to other CTAs in flight, for which a release of the cluster waits.
        pub remote_pending: Signal<In, PortMask>,
        /// The request is for another CTA, in a cluster.
        pub req_elsewhere: Lanes<Signal<In, Bit>>,
        /// The request may leave for another CTA.
        pub req_departs: Lanes<Signal<Out, Bit>>,
        /// The request of the last cycle has left for another CTA, with the wake mask: the current one is a new request.
        pub req_departed: Lanes<Signal<In, Bit>>,
        /// A request in the port's slot waits, and not for a suspended wait.
        pub slot_waits: Lanes<Signal<Out, Bit>>,
        /// DMA beat of 32 bytes valid, in a cluster.
        pub write_valid: Single<Signal<In, Bit>>,
        /// Byte address of the beat, a multiple of 32.
        pub write_address: Single<Signal<In, Bits<24>>>,
        /// Byte enables of the beat.
        pub write_strobe: Single<Signal<In, Bits<32>>>,
        /// Data of the beat, four words.
        pub write_data: Single<Lanes<Signal<In, Word>>>,
        /// 0: the beat is stored. Else the words are read, and returned with this tag.
        pub write_errand: Single<Signal<In, Bits<2>>>,
        /// Beat accepted: ordered before all requests accepted from now on.
        pub write_taken: Single<Signal<Out, Bit>>,
        /// Read data valid, with the tag of the read, else 0; four cycles after acceptance.
        pub read_errand: Single<Signal<Out, Bits<2>>>,
        /// Read data, four words.
        pub read_data: Single<Lanes<Signal<Out, Word>>>,

        /// Answer valid, one bit per port.
        pub rsp_valid: Signal<Out, PortMask>,
        /// Answer accepted, one bit per port.
        pub rsp_ready: Signal<In, PortMask>,
        /// Answer of each port.
        pub rsp: Lanes<PortAnswer<Out>>,

        /// The answer is that of a suspended wait.
        pub rsp_resumed: Signal<Out, PortMask>,

        /// A request takes effect, one bit per port: four cycles after acceptance, unless delayed. In a high-clock unit
        /// of several ports one bit per bank, as for all `done` and `wake` pins.
        pub done_valid: Signal<Out, EffectMask>,
        /// Tag of the request.
        pub done_tag: Lanes<Signal<Out, Tag>>,
        /// Status, also of posted requests.
        pub done_status: Lanes<Signal<Out, StatusCode, StatusView>>,
        /// Index of the addressed word.
        pub done_index: Lanes<Signal<Out, WordIndex>>,
        /// Port of the request, in a high-clock unit of several ports.
        pub done_port: Lanes<Signal<Out, PortNumber>>,
        /// The request is a wait that is suspended: its answer comes later.
        pub done_suspended: Signal<Out, EffectMask>,
        /// Suspended waits of the port were woken by the completion of their phase in the cycle before.
        pub wake_valid: Signal<Out, EffectMask>,
        /// Masks of ended waits valid, one bit per port, with the wake mask.
        pub resume_valid: Single<Signal<Out, PortMask>>,
        /// Masks accepted, one bit per port.
        pub resume_ready: Single<Signal<In, PortMask>>,
        /// Masks of ended waits of each port.
        pub resume: Lanes<PortResume<Out>>,
        /// A phase completes, one bit per bank.
        pub flip_valid: Signal<Out, BankMask>,
        /// Index of its word.
        pub flip_index: Banks<Signal<Out, WordIndex>>,
    }
}

impl Pins {
    /// Pins for this many ports, banks and effect channels; without the pins of clusters.
    pub fn new(ports: usize, banks: usize, effects: usize) -> Self {
        Self {
            req: Lanes::new(ports),
            req_order: Lanes::new(ports),
            rsp: Lanes::new(ports),
            done_tag: Lanes::new(effects),
            done_status: Lanes::new(effects),
            done_index: Lanes::new(effects),
            flip_index: Banks::new(banks),
            ..Self::default()
        }
    }
}

/// Lets a block's pins be named as if they were its own, as they are in its Verilog.
macro_rules! has_pins {
    ($block:ident) => {
        impl std::ops::Deref for $block {
            type Target = $crate::pins::Pins;
            #[inline(always)]
            fn deref(&self) -> &Self::Target {
                &self.pins
            }
        }

        impl std::ops::DerefMut for $block {
            #[inline(always)]
            fn deref_mut(&mut self) -> &mut Self::Target {
                &mut self.pins
            }
        }
    };
}
pub(crate) use has_pins;
