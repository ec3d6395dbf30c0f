//! Channels of threads: what they ask of a CTA, and what they are answered. Valid and ready are masks, a bit each port.

use crate::bundle;
use crate::hdl::*;

bundle! {
    /// A request of a thread.
    pub bundle PortRequest {
        /// Opcode.
        pub op: Forth<OpCode, OpView>,
        /// The address is one of `.shared::cluster`.
        pub cluster: Forth<Bit>,
        /// Byte address, a multiple of 8.
        pub address: Forth<Bits<32>>,
        /// Count, bytes, parity or token; the data of a store.
        pub data: Forth<Word>,
        /// Byte enables of a store.
        pub strobe: Forth<Bits<8>>,
        /// Comes back with the answer, and names the thread.
        pub tag: Forth<Tag>,
        /// Memory ordering.
        pub order: Forth<OrderCode>,
    }
}

bundle! {
    /// An answer to a thread.
    pub bundle PortAnswer {
        /// Tag of the request.
        pub tag: Forth<Tag>,
        /// How it ended.
        pub status: Forth<StatusCode, StatusView>,
        /// Predicate of a wait.
        pub predicate: Forth<Bit>,
        /// Token, word, or pending count.
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
