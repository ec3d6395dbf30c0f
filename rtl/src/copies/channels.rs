//! Channels of copies: what threads, global memory and copy engines hand to each other.

use super::ledger::GROUP_BITS;
use super::reduction::ReductionCode;
use crate::bundle;
use crate::hdl::*;
use crate::word::address::BEAT_WORDS;

bundle! {
    /// A bulk copy from global to shared memory.
    pub bundle BulkCopy {
        /// A bulk copy is there.
        pub valid: Forth<Bit>,
        /// It is accepted.
        pub ready: Back<Bit>,
        /// Where it is in global memory, a multiple of 16.
        pub global: Forth<Bits<48>>,
        /// Where it goes in shared memory, a multiple of 16.
        pub shared: Forth<Bits<32>>,
        /// How many bytes, a multiple of 16.
        pub bytes: Forth<Bits<32>>,
        /// Address of the barrier on which they are completed.
        pub barrier: Forth<Bits<32>>,
        /// CTAs that it goes to; the own one if none is named.
        pub ctas: Forth<CtaMask>,
        /// In the cycle of acceptance: `ok`, or why nothing is copied.
        pub status: Back<StatusCode, StatusView>,
    }
}

bundle! {
    /// A cp.async copy of a thread, or its arrival after its copies.
    pub bundle AsyncCopy {
        /// A thread copies with cp.async, or arrives after its copies.
        pub valid: Forth<Bit>,
        /// It is accepted.
        pub ready: Back<Bit>,
        /// 0 copies, 1 is cp.async.mbarrier.arrive, 2 the same with .noinc.
        pub kind: Forth<Bits<2>>,
        /// Number of the thread.
        pub thread: Forth<CopierIndex>,
        /// Where the copy is in global memory, a multiple of its size.
        pub global: Forth<Bits<48>>,
        /// Where it goes in shared memory, a multiple of its size; or the address of the barrier.
        pub shared: Forth<Bits<32>>,
        /// Its size: 4, 8 or 16.
        pub bytes: Forth<Bits<5>>,
        /// In the cycle of acceptance: `ok`, or why nothing is done.
        pub status: Back<StatusCode, StatusView>,
    }
}

bundle! {
    /// A burst to read from global memory.
    pub bundle MemoryRead {
        /// A burst of global memory is asked for.
        pub valid: Forth<Bit>,
        /// It is accepted.
        pub ready: Back<Bit>,
        /// Its address: the first beat is the block of 32 (or 16) bytes that holds it.
        pub address: Forth<Bits<48>>,
        /// How many beats.
        pub beats: Forth<Bits<4>>,
        /// A beat is 16 bytes, on the lanes where it lies in its 32 bytes.
        pub narrow: Forth<Bit>,
        /// Number of the burst.
        pub id: Forth<MemoryIndex>,
    }
}

bundle! {
    /// A beat of a burst that is read.
    pub bundle MemoryBeat {
        /// A beat of global memory is there: those of a burst in order, bursts in any order.
        pub valid: Forth<Bit>,
        /// It is taken.
        pub ready: Back<Bit>,
        /// Number of its burst.
        pub id: Forth<MemoryIndex>,
        /// Its 32 bytes.
        pub data: Forth<[Word; BEAT_WORDS]>,
    }
}

bundle! {
    /// A copy out of shared memory, or a commit of those before it.
    pub bundle Store {
        /// A copy out of shared memory is there, or a commit of those before it.
        pub valid: Forth<Bit>,
        /// It is accepted.
        pub ready: Back<Bit>,
        /// 0 copies to global memory, 1 to the memory of a CTA, 2 commits a bulk group.
        pub kind: Forth<Bits<2>>,
        /// Number of the thread that commits.
        pub thread: Forth<CopierIndex>,
        /// Where the copy is in shared memory, a multiple of 16.
        pub shared: Forth<Bits<32>>,
        /// Where it goes in global memory, a multiple of 16.
        pub global: Forth<Bits<48>>,
        /// Where it goes in `.shared::cluster`, a multiple of 16.
        pub target: Forth<Bits<32>>,
        /// Address in `.shared::cluster` of the barrier on which its bytes are completed, in the CTA that it goes to.
        pub barrier: Forth<Bits<32>>,
        /// How many bytes, a multiple of 16.
        pub bytes: Forth<Bits<32>>,
        /// Which bytes of each 16 are written, a bit each.
        pub mask: Forth<Bits<16>>,
        /// What is done with them: 0 stores; else an operation (bits 3:0) on elements of a type (bits 6:4).
        pub reduction: Forth<ReductionCode>,
        /// In the cycle of acceptance: `ok`, or why nothing is copied.
        pub status: Back<StatusCode, StatusView>,
    }
}

bundle! {
    /// A wait for bulk groups.
    pub bundle GroupWait {
        /// A thread waits for its bulk groups.
        pub valid: Forth<Bit>,
        /// Its wait is over.
        pub ready: Back<Bit>,
        /// Number of the thread.
        pub thread: Forth<CopierIndex>,
        /// It waits for the sources to be read only.
        pub read: Forth<Bit>,
        /// How many of its groups may be left.
        pub most: Forth<Bits<GROUP_BITS>>,
        /// Threads with a bulk group that has not been written.
        pub open: Back<CopierMask>,
    }
}

bundle! {
    /// A few bytes that a thread stores or reduces in the memory of a CTA.
    pub bundle SmallStore {
        /// A thread stores or reduces a few bytes in the memory of a CTA, which complete on a barrier.
        pub valid: Forth<Bit>,
        /// It is accepted.
        pub ready: Back<Bit>,
        /// Where they go in `.shared::cluster`, a multiple of their number.
        pub address: Forth<Bits<32>>,
        /// Address in `.shared::cluster` of the barrier, in the same CTA.
        pub barrier: Forth<Bits<32>>,
        /// How many: 4, 8 or 16; 4 or 8 of a reduction.
        pub bytes: Forth<Bits<5>>,
        /// What is done with them, as for a copy.
        pub reduction: Forth<ReductionCode>,
        /// In the cycle of acceptance: `ok`, or why nothing is done.
        pub status: Back<StatusCode, StatusView>,
        /// The bytes, from the lowest on.
        pub data: Forth<[Word; BEAT_WORDS / 2]>,
    }
}

bundle! {
    /// A beat to write to global memory.
    pub bundle MemoryWrite {
        /// A beat is to be written to global memory.
        pub valid: Forth<Bit>,
        /// It is accepted.
        pub ready: Back<Bit>,
        /// Its address, a multiple of 32.
        pub address: Forth<Bits<48>>,
        /// Which of its bytes are written.
        pub strobe: Forth<Bits<32>>,
        /// What memory does with them: 0 stores; else an operation (bits 3:0) on elements of a type (bits 6:4), each
        /// of them in one step.
        pub reduction: Forth<ReductionCode>,
        /// Number of its burst.
        pub id: Forth<BurstIndex>,
        /// It is the last of its burst.
        pub last: Forth<Bit>,
        /// Its 32 bytes.
        pub data: Forth<[Word; BEAT_WORDS]>,
    }
}

bundle! {
    /// The end of a burst that is written.
    pub bundle WriteDone {
        /// A burst has been written: whoever reads finds it. Bursts in any order; always taken.
        pub valid: Forth<Bit>,
        /// Number of the burst.
        pub id: Forth<BurstIndex>,
    }
}
