//! Points of evaluation at which testbenches observe a unit or inject faults.

/// Points in the `settle_with` of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// The banks have committed: words after the operations, their flips, writes to memory.
    Committed,
    /// c4 is evaluated, including the answers.
    Answered,
    /// The answers of the response queues are valid; requests are about to be arbitrated.
    Requested,
    /// The arbiters have granted.
    Granted,
    /// The requests are accepted, and the sums of c2 are valid.
    Gathered,
    /// All signals are evaluated; registers have not changed yet.
    Settled,
}
