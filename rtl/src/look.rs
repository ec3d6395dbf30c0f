//! Where others look into a unit while it settles: testbenches, and faults that they inject.

/// Places on the way through the `settle_with` of a unit.
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
