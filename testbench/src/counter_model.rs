//! Reference model of the counters: expected values of a port's registers.

use txbar_rtl::low_latency::counters::Counter;
use txbar_rtl::op::Op;

/// Cycles from reset to the first of a run.
pub const BEGINS: u64 = 1;

/// What has happened at a port.
#[derive(Clone, Debug)]
pub struct CounterModel {
    /// Operations done, by opcode.
    pub operations: [u64; 1 << Op::BITS],
    /// Of these, together with another port's.
    pub combined: u64,
    /// Cycles in which it requested in vain.
    pub stalls: u64,
    /// Operations with another status than `ok`.
    pub faults: u64,
    /// Waits suspended.
    pub suspended: u64,
    /// Waits without room.
    pub rejected: u64,
    /// Waits woken by the completion of their phase.
    pub woken: u64,
    /// The most waits in the table at once.
    pub waiting: u64,
}

impl CounterModel {
    /// Initial state.
    pub const NOTHING: CounterModel = CounterModel {
        operations: [0; 1 << Op::BITS],
        combined: 0,
        stalls: 0,
        faults: 0,
        suspended: 0,
        rejected: 0,
        woken: 0,
        waiting: 0,
    };

    /// Value of a register so many cycles after reset, `flips` phases having completed before.
    pub fn register(&self, number: u32, cycle: u64, flips: u64) -> u64 {
        let Some(counter) = Counter::ALL.iter().find(|counter| counter.number() == number) else {
            return self.operations.get(number as usize).copied().unwrap_or(0);
        };
        match counter {
            Counter::Cycles => cycle,
            Counter::Flips => flips,
            Counter::Combined => self.combined,
            Counter::Stalls => self.stalls,
            Counter::Faults => self.faults,
            Counter::Suspended => self.suspended,
            Counter::Rejected => self.rejected,
            Counter::Woken => self.woken,
            Counter::Waiting => self.waiting,
        }
    }
}
