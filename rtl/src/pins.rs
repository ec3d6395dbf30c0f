//! The pins of a unit, the same for every build of it.
//!
//! ```text
//!            ┌──────────┐
//!   req_* ──►│          ├──► rsp_*   a lane each port
//!            │   unit   ├──► done_*  where effects are told: a lane each port, or each bank
//!  bank_* ──►│          ├──► flip_*  a lane each bank
//!            └──▲────┬──┘
//!     write_* ──┘    └──► read_*    the door for copies, in a cluster
//! ```
//! **Handshake.** A request is accepted in a cycle in which its `req_valid` and `req_ready` are both 1; an answer is taken
//! when `rsp_valid` and `rsp_ready` are. `rsp_valid` depends on nothing but registers. An answer stays as it is until it is taken. Posted
//! operations are accepted in the same way and never answered. `done_valid` tells when a request is done: it is the moment at which an
//! operation takes effect, and shows its status, also if it was posted.

use crate::bundle;
use crate::hdl::*;
use crate::interface;

bundle! {
    /// A request, but for its ordering.
    pub bundle Operation {
        /// Opcode.
        pub op: Forth<OpCode, OpView>,
        /// The request comes from another CTA: no token is given back, and only some operations are allowed.
        pub remote: Forth<Bit>,
        /// Byte address, a multiple of 8.
        pub address: Forth<Bits<32>>,
        /// Count, bytes, parity or token; the data of a store.
        pub data: Forth<Word>,
        /// Byte enables of a store.
        pub strobe: Forth<Bits<8>>,
        /// Comes back with the answer, and names the thread.
        pub tag: Forth<Tag>,
    }
}

bundle! {
    /// An answer to a request.
    pub bundle PortAnswer {
        /// Tag of the request.
        pub tag: Forth<Tag>,
        /// How it ended.
        pub status: Forth<StatusCode, StatusView>,
        /// Predicate of a wait: the phase has completed.
        pub predicate: Forth<Bit>,
        /// Token (bits 63:32), word, or pending count (bits 31:0), if the status is ok.
        pub data: Forth<Word>,
    }
}

bundle! {
    /// The ends of suspended waits of a port, with the wake mask.
    pub bundle PortResume {
        /// Threads of which a suspended wait is over, because its phase has completed.
        pub completed: Forth<EntryMask>,
        /// Because its time is over.
        pub expired: Forth<EntryMask>,
        /// Because its barrier was ended or replaced.
        pub ended: Forth<EntryMask>,
    }
}

interface! {
    /// Pins of a unit.
    pub interface Pins {
        /// A request is there, a bit each port.
        pub req_valid: Signal<In, PortMask>,
        /// It is accepted.
        pub req_ready: Signal<Out, PortMask>,
        /// The request of each.
        pub req: Lanes<Operation<In>>,
        /// Memory ordering: acquire (bit 0), release (bit 1), of the cluster (bit 2).
        pub req_order: Lanes<Signal<In, OrderCode>>,
        /// Banks that are not to be asked in this cycle: somebody else has them.
        pub bank_stall: Signal<In, BankMask>,
        /// The port has accesses to other CTAs under way, for which a release of the cluster waits.
        pub remote_pending: Signal<In, PortMask>,
        /// The request goes to another CTA, in a cluster.
        pub req_elsewhere: Lanes<Signal<In, Bit>>,
        /// It may.
        pub req_departs: Lanes<Signal<Out, Bit>>,
        /// The request of the last cycle did, with the wake mask: what comes now is another.
        pub req_departed: Lanes<Signal<In, Bit>>,
        /// A request of the port waits in its slot, and not for a wait.
        pub slot_waits: Lanes<Signal<Out, Bit>>,
        /// A copy has brought 32 bytes, in a cluster.
        pub write_valid: Single<Signal<In, Bit>>,
        /// Where they go, a multiple of 32.
        pub write_address: Single<Signal<In, Bits<24>>>,
        /// Which of them are stored.
        pub write_strobe: Single<Signal<In, Bits<32>>>,
        /// The four words.
        pub write_data: Single<Lanes<Signal<In, Word>>>,
        /// 0: they are stored. Else the words there are read, and come with this number.
        pub write_errand: Single<Signal<In, Bits<2>>>,
        /// They are stored: whoever asks from now on finds them. Or they will be read before anything that is asked from now on.
        pub write_taken: Single<Signal<Out, Bit>>,
        /// The number of words that were to be read and are there, else 0; four cycles after they were taken.
        pub read_errand: Single<Signal<Out, Bits<2>>>,
        /// The four words.
        pub read_data: Single<Lanes<Signal<Out, Word>>>,

        /// An answer is there, a bit each port.
        pub rsp_valid: Signal<Out, PortMask>,
        /// It is taken.
        pub rsp_ready: Signal<In, PortMask>,
        /// The answer of each.
        pub rsp: Lanes<PortAnswer<Out>>,

        /// The answer that is shown is that of a suspended wait.
        pub rsp_resumed: Signal<Out, PortMask>,

        /// A request takes effect, a bit each port: four cycles after it was accepted, if nothing was in the way. In a
        /// high-clock unit of several ports, a bit each bank, as with all that begins with `done` and `wake`.
        pub done_valid: Signal<Out, EffectMask>,
        /// Its tag.
        pub done_tag: Lanes<Signal<Out, Tag>>,
        /// How it ends; what was posted, too.
        pub done_status: Lanes<Signal<Out, StatusCode, StatusView>>,
        /// Number of the word that its address names.
        pub done_index: Lanes<Signal<Out, WordIndex>>,
        /// Port that it came from, in a high-clock unit of several ports.
        pub done_port: Lanes<Signal<Out, PortNumber>>,
        /// The request was suspended: its answer comes later.
        pub done_suspended: Signal<Out, EffectMask>,
        /// Suspended waits of a port have been woken by the completion of their phase in the cycle before.
        pub wake_valid: Signal<Out, EffectMask>,
        /// With the wake mask, suspended waits of a port are over and not taken, a bit each port: the masks of the port are shown.
        pub resume_valid: Single<Signal<Out, PortMask>>,
        /// They are taken.
        pub resume_ready: Single<Signal<In, PortMask>>,
        /// The ends of waits of each.
        pub resume: Lanes<PortResume<Out>>,
        /// A phase completes, a bit each bank.
        pub flip_valid: Signal<Out, BankMask>,
        /// Number of its word.
        pub flip_index: Banks<Signal<Out, WordIndex>>,
    }
}

impl Pins {
    /// Those of so many ports and banks, and of so many places where effects are told; without those that only a cluster has.
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
