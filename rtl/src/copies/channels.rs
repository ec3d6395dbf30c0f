//! Channels of copies, between threads, global memory and copy engines.

use super::ledger::GROUP_BITS;
use super::reduction::ReductionCode;
use crate::bundle;
use crate::hdl::*;
use crate::word::address::BEAT_WORDS;

bundle! {
    /// Bulk copy from global to shared memory.
    pub bundle BulkCopy {
        /// Bulk copy valid.
        pub valid: Forth<Bit>,
        /// Bulk copy accepted.
        pub ready: Back<Bit>,
        /// Global address, a multiple of 16.
        pub global: Forth<Bits<48>>,
        /// Shared address, a multiple of 16.
        pub shared: Forth<Bits<32>>,
        /// Number of bytes, a multiple of 16.
        pub bytes: Forth<Bits<32>>,
        /// Address of the barrier on which the bytes complete.
        pub barrier: Forth<Bits<32>>,
        /// Destination CTAs; the own one if none is named.
        pub ctas: Forth<CtaMask>,
        /// Status, in the cycle of acceptance: if not `ok`, nothing is copied.
        pub status: Back<StatusCode, StatusView>,
    }
}

bundle! {
    /// `cp.async` copy of a thread, or its arrival after its copies.
    pub bundle AsyncCopy {
        /// `cp.async` copy, or arrival after the copies of the thread, valid.
        pub valid: Forth<Bit>,
        /// Copy or arrival accepted.
        pub ready: Back<Bit>,
        /// 0 copies, 1 is cp.async.mbarrier.arrive, 2 the same with .noinc.
        pub kind: Forth<Bits<2>>,
        /// Number of the thread.
        pub thread: Forth<CopierIndex>,
        /// Global address, a multiple of the size.
        pub global: Forth<Bits<48>>,
        /// Shared address, a multiple of the size; or the address of the barrier.
        pub shared: Forth<Bits<32>>,
        /// Size: 4, 8 or 16.
        pub bytes: Forth<Bits<5>>,
        /// Status, in the cycle of acceptance: if not `ok`, nothing is done.
        pub status: Back<StatusCode, StatusView>,
    }
}

bundle! {
    /// Read burst of global memory.
    pub bundle MemoryRead {
        /// Read burst of global memory valid.
        pub valid: Forth<Bit>,
        /// Burst accepted.
        pub ready: Back<Bit>,
        /// Address: the first beat is the block of 32 (or 16) bytes that holds it.
        pub address: Forth<Bits<48>>,
        /// Number of beats.
        pub beats: Forth<Bits<4>>,
        /// Beats of 16 bytes, on their lanes of the 32 bytes.
        pub narrow: Forth<Bit>,
        /// Number of the burst.
        pub id: Forth<MemoryIndex>,
    }
}

bundle! {
    /// Beat of a read burst.
    pub bundle MemoryBeat {
        /// Beat of a read burst valid: beats of a burst in order, bursts in any order.
        pub valid: Forth<Bit>,
        /// Beat accepted.
        pub ready: Back<Bit>,
        /// Number of the burst.
        pub id: Forth<MemoryIndex>,
        /// Data, 32 bytes.
        pub data: Forth<[Word; BEAT_WORDS]>,
    }
}

bundle! {
    /// Copy out of shared memory, or commit of those before it.
    pub bundle Store {
        /// Copy out of shared memory, or commit of those before it, valid.
        pub valid: Forth<Bit>,
        /// Copy or commit accepted.
        pub ready: Back<Bit>,
        /// 0 copies to global memory, 1 to the memory of a CTA, 2 commits a bulk group.
        pub kind: Forth<Bits<2>>,
        /// Number of the thread that commits.
        pub thread: Forth<CopierIndex>,
        /// Shared address, a multiple of 16.
        pub shared: Forth<Bits<32>>,
        /// Global address, a multiple of 16.
        pub global: Forth<Bits<48>>,
        /// Destination in `.shared::cluster`, a multiple of 16.
        pub target: Forth<Bits<32>>,
        /// Address in `.shared::cluster` of the barrier, in the same CTA.
        pub barrier: Forth<Bits<32>>,
        /// Number of bytes, a multiple of 16.
        pub bytes: Forth<Bits<32>>,
        /// Byte enables within each 16 bytes.
        pub mask: Forth<Bits<16>>,
        /// Reduction: 0 stores; else an operation (bits 3:0) on elements of a type (bits 6:4).
        pub reduction: Forth<ReductionCode>,
        /// Status, in the cycle of acceptance: if not `ok`, nothing is copied.
        pub status: Back<StatusCode, StatusView>,
    }
}

bundle! {
    /// Wait for bulk groups.
    pub bundle GroupWait {
        /// Wait of a thread for its bulk groups valid.
        pub valid: Forth<Bit>,
        /// The wait is over.
        pub ready: Back<Bit>,
        /// Number of the thread.
        pub thread: Forth<CopierIndex>,
        /// Wait for the sources to be read only.
        pub read: Forth<Bit>,
        /// Number of groups of the thread that may be left.
        pub most: Forth<Bits<GROUP_BITS>>,
        /// Threads with a bulk group that has not been written.
        pub open: Back<CopierMask>,
    }
}

bundle! {
    /// Small store or reduction of a thread in the memory of a CTA.
    pub bundle SmallStore {
        /// `st.async` or `red.async` valid.
        pub valid: Forth<Bit>,
        /// Operation accepted.
        pub ready: Back<Bit>,
        /// Destination in `.shared::cluster`, a multiple of the size.
        pub address: Forth<Bits<32>>,
        /// Address in `.shared::cluster` of the barrier, in the same CTA.
        pub barrier: Forth<Bits<32>>,
        /// Size: 4, 8 or 16 bytes; 4 or 8 of a reduction.
        pub bytes: Forth<Bits<5>>,
        /// Reduction, as for a copy.
        pub reduction: Forth<ReductionCode>,
        /// Status, in the cycle of acceptance: if not `ok`, nothing is done.
        pub status: Back<StatusCode, StatusView>,
        /// Data, from the lowest byte on.
        pub data: Forth<[Word; BEAT_WORDS / 2]>,
    }
}

bundle! {
    /// Write beat to global memory.
    pub bundle MemoryWrite {
        /// Write beat to global memory valid.
        pub valid: Forth<Bit>,
        /// Beat accepted.
        pub ready: Back<Bit>,
        /// Address, a multiple of 32.
        pub address: Forth<Bits<48>>,
        /// Byte enables.
        pub strobe: Forth<Bits<32>>,
        /// Reduction by the memory: 0 stores; else an operation (bits 3:0) on elements of a type (bits 6:4), each
        /// element in one step.
        pub reduction: Forth<ReductionCode>,
        /// Number of the burst.
        pub id: Forth<BurstIndex>,
        /// Last beat of the burst.
        pub last: Forth<Bit>,
        /// Data, 32 bytes.
        pub data: Forth<[Word; BEAT_WORDS]>,
    }
}

bundle! {
    /// Completion of a write burst.
    pub bundle WriteDone {
        /// Burst written: every later read returns its data. Bursts in any order; always accepted.
        pub valid: Forth<Bit>,
        /// Number of the burst.
        pub id: Forth<BurstIndex>,
    }
}
