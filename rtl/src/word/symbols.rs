//! The widths that parameters of a design decide, by name.

use txbar_hdl::symbols;

// the symbol, its code as a width, and what has that width
symbols! {
    /// One bit a request port.
    Ports, PORTS, PortMask;
    /// One bit a bank.
    Banks, BANKS, BankMask;
    /// One bit a place where effects are told: a port; in a high-clock unit, a bank.
    Effects, EFFECTS, EffectMask;
    /// Number of a 64-bit word in the memory.
    WordIndex, WORD_INDEX, WordIndex;
    /// Number of a bank: the low bits of a word's number.
    BankIndex, BANK_INDEX, BankIndex;
    /// Number of a word within its bank: the high bits.
    RowIndex, ROW_INDEX, RowIndex;
    /// Tag of a request.
    Tag, TAG, Tag;
    /// Number of an entry in a response queue.
    QueueIndex, QUEUE_INDEX, QueueIndex;
    /// Count of entries in a response queue.
    QueueCount, QUEUE_COUNT, QueueCount;
    /// Status, predicate and tag of an answer, side by side.
    Outcome, OUTCOME, Outcome;
    /// One bit an entry of a port's table of suspended waits.
    Entries, ENTRIES, EntryMask;
    /// Number of an entry of that table.
    EntryIndex, ENTRY_INDEX, EntryIndex;
    /// One bit a CTA of the cluster.
    Ctas, CTAS, CtaMask;
    /// One bit a warp of a CTA.
    Warps, WARPS, WarpMask;
    /// Number of a warp.
    WarpIndex, WARP_INDEX, WarpIndex;
    /// Count of the threads of a CTA.
    ThreadCount, THREAD_COUNT, ThreadCount;
    /// One bit a thread that copies.
    Copiers, COPIERS, CopierMask;
    /// Number of a thread that copies.
    CopierIndex, COPIER_INDEX, CopierIndex;
    /// Number of one of a thread's copies and arrivals that are under way.
    Turn, TURN, Turn;
    /// One bit each of them.
    Turns, TURNS, TurnMask;
    /// One bit a burst that is under way.
    Bursts, BURSTS, BurstMask;
    /// Number of a burst.
    BurstIndex, BURST_INDEX, BurstIndex;
    /// One bit a burst of a tensor copy that is under way.
    TensorBursts, TENSOR_BURSTS, TensorBurstMask;
    /// Number of such a burst, or one more for the reader of maps.
    TensorIndex, TENSOR_INDEX, TensorIndex;
    /// Number of a burst at a CTA's port to global memory.
    MemoryIndex, MEMORY_INDEX, MemoryIndex;
    /// One bit a port of a CTA's threads.
    Users, USERS, UserMask;
    /// The same, and one for that of its warps.
    Askers, ASKERS, AskerMask;
    /// Number of an entry of a `Fifo`.
    FifoIndex, FIFO_INDEX, FifoIndex;
    /// Count of such entries.
    FifoCount, FIFO_COUNT, FifoCount;
    /// One bit a lane of a warp.
    WarpLanes, WARP_LANES, LaneMask;
    /// Time, in nanoseconds or fractions of them: a bit more than a limit has, so that a deadline can be told from what is past.
    Time, TIME, Time;
    /// One bit a window of a port of a bus.
    Windows, WINDOWS, WindowMask;
    /// Number of a window.
    WindowIndex, WINDOW_INDEX, WindowIndex;
    /// Byte address on a bus.
    BusAddress, BUS_ADDRESS, BusAddress;
    /// Byte address within a page of it.
    PageOffset, PAGE_OFFSET, PageOffset;
}
