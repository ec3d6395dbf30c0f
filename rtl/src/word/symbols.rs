//! Symbolic widths: the widths that follow from a design's parameters, by name.

use txbar_hdl::symbols;

// the symbol, its code as a width, and what has that width
symbols! {
    /// Mask with one bit per request port.
    Ports, PORTS, PortMask;
    /// Mask with one bit per bank.
    Banks, BANKS, BankMask;
    /// Mask with one bit per effect channel: one channel a port; in a high-clock unit, one a bank.
    Effects, EFFECTS, EffectMask;
    /// Index of a 64-bit word in the memory.
    WordIndex, WORD_INDEX, WordIndex;
    /// Bank number: the low bits of a word index.
    BankIndex, BANK_INDEX, BankIndex;
    /// Row number: the high bits of a word index, the word's index within its bank.
    RowIndex, ROW_INDEX, RowIndex;
    /// Tag of a request.
    Tag, TAG, Tag;
    /// Index of a response queue's entry.
    QueueIndex, QUEUE_INDEX, QueueIndex;
    /// Fill level of a response queue.
    QueueCount, QUEUE_COUNT, QueueCount;
    /// Status, predicate and tag of an answer, concatenated.
    Outcome, OUTCOME, Outcome;
    /// Mask with one bit per entry of a port's table of suspended waits.
    Entries, ENTRIES, EntryMask;
    /// Index of an entry of that table.
    EntryIndex, ENTRY_INDEX, EntryIndex;
    /// Mask with one bit per CTA of the cluster.
    Ctas, CTAS, CtaMask;
    /// Mask with one bit per warp of a CTA.
    Warps, WARPS, WarpMask;
    /// Number of a warp.
    WarpIndex, WARP_INDEX, WarpIndex;
    /// Count of the threads of a CTA.
    ThreadCount, THREAD_COUNT, ThreadCount;
    /// Mask with one bit per copying thread.
    Copiers, COPIERS, CopierMask;
    /// Number of a copying thread.
    CopierIndex, COPIER_INDEX, CopierIndex;
    /// Number of one of a thread's copies and arrivals in flight.
    Turn, TURN, Turn;
    /// Mask with one bit per copy or arrival in flight of a thread.
    Turns, TURNS, TurnMask;
    /// Mask with one bit per burst in flight.
    Bursts, BURSTS, BurstMask;
    /// Number of a burst.
    BurstIndex, BURST_INDEX, BurstIndex;
    /// Mask with one bit per burst in flight of a tensor copy.
    TensorBursts, TENSOR_BURSTS, TensorBurstMask;
    /// Number of such a burst; one number more is the reader of maps.
    TensorIndex, TENSOR_INDEX, TensorIndex;
    /// Number of a burst at a CTA's port to global memory.
    MemoryIndex, MEMORY_INDEX, MemoryIndex;
    /// Mask with one bit per port of a CTA's threads.
    Users, USERS, UserMask;
    /// Mask with one bit per port of a CTA's threads, and one for the port of its warps.
    Askers, ASKERS, AskerMask;
    /// Index of an entry of a `Fifo`.
    FifoIndex, FIFO_INDEX, FifoIndex;
    /// Fill level of a `Fifo`.
    FifoCount, FIFO_COUNT, FifoCount;
    /// Mask with one bit per lane of a warp.
    WarpLanes, WARP_LANES, LaneMask;
    /// Time, in nanoseconds or fractions of them: one bit wider than a limit, so that future and past are distinguished.
    Time, TIME, Time;
    /// Mask with one bit per window of a bus port.
    Windows, WINDOWS, WindowMask;
    /// Number of a window.
    WindowIndex, WINDOW_INDEX, WindowIndex;
    /// Byte address on a bus.
    BusAddress, BUS_ADDRESS, BusAddress;
    /// Byte address within a page of it.
    PageOffset, PAGE_OFFSET, PageOffset;
}
