//! Monitors: checks of the handshakes, independent of the requests.
//!
//! * nothing is accepted that was not requested;
//! * an answer that is not taken stays as it is;
//! * a port that requests, and whose response queue has room, is accepted within as many cycles as there are ports, not
//!   counting those in which the unit stands still;
//! * nobody is accepted, although somebody might be, for P (P + 2) cycles at most with P ports: before a request that waits
//!   for its bank, those of the other ports may be served, and each may be a group that is done one by one. With one
//!   port in the low-latency build that never happens.
//!
//! A fabric (a high-clock unit with several ports or banks) counts late, so its bounds are wider: see the constants.

use crate::request::Response;
use txbar_rtl::banked;
use txbar_rtl::high_clock::FLUSH_CYCLES;
use txbar_rtl::parameters::{Build, Parameters};

/// The high-clock build may have its ring full of requests that each flush those behind them: then a place becomes free with
/// one of them, and up to eight must before the next request is accepted.
const HIGH_CLOCK_PATIENCE: usize = 10 * FLUSH_CYCLES;

/// A fabric learns late, by so many cycles, that a port has room again: so long may it wait.
const FABRIC_LAG: usize = 4;

/// The most answers that may be owed to a port of a fabric: so many that it stops, and those that are accepted until it does.
const FABRIC_PLACES: usize = banked::ROOM + banked::LATE;

/// Batches that a fabric may have to do, one port after the other, before a hot bank has room; and the most cycles that one of
/// their requests can take: each second cycle is kept for waits that are over, and the stop is noticed late.
const FABRIC_BATCHES: usize = 16;
const FABRIC_CYCLES: usize = 3;

/// Watches the handshakes of a unit.
pub struct Monitor {
    ports: usize,
    /// Answers that a port may leave untaken and still be accepted.
    room: usize,
    /// The most that there is room for.
    places: usize,
    /// Cycles in which others are accepted that a port with room may wait for.
    turns: usize,
    /// Cycles that nobody may be accepted in, although somebody might.
    patience: usize,
    /// The answer that each port was shown and did not take.
    held: Vec<Option<Response>>,
    /// Cycles that each port has waited with room in its queue.
    waited: Vec<usize>,
    /// Cycles that nobody was accepted in, although somebody might have been.
    stood: usize,
}

/// One cycle of a unit's handshakes, a bit each port.
#[derive(Clone, Copy, Debug)]
pub struct Handshakes {
    /// Requests that are there.
    pub valid: u64,
    /// Requests that are accepted.
    pub accepted: u64,
    /// Answers that are shown.
    pub shown: u64,
    /// Ports that are ready for an answer.
    pub ready: u64,
}

impl Monitor {
    /// A monitor for a unit with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let (ports, room) = (parameters.ports, parameters.room());
        let (room, places, turns, patience) = match parameters.build {
            Build::LowLatency if ports == 1 => (room, usize::MAX, ports, 0),
            Build::LowLatency => (room, usize::MAX, ports, ports * (ports + 2)),
            Build::HighClock => (room, usize::MAX, ports, HIGH_CLOCK_PATIENCE),
            Build::BankedHighClock => (room, FABRIC_PLACES, FABRIC_LAG, FABRIC_BATCHES * ports * FABRIC_CYCLES),
        };
        Self { ports, room, places, turns, patience, held: vec![None; ports], waited: vec![0; ports], stood: 0 }
    }

    /// The unit is reset: nothing is owed to anybody.
    pub fn reset(&mut self) {
        self.held.fill(None);
        self.waited.fill(0);
        self.stood = 0;
    }

    /// Looks at a cycle. `outstanding` is the number of answers that a port waited for when the cycle began; `excused`
    /// says whether it may be kept waiting by something else: a bank of its own requests that belongs to somebody else, its
    /// accesses to other CTAs, or an acquire wait.
    ///
    /// # Errors
    /// What was promised and not kept.
    #[inline]
    pub fn cycle(
        &mut self,
        handshakes: Handshakes,
        response: impl Fn(usize) -> Response,
        outstanding: impl Fn(usize) -> usize,
        excused: impl Fn(usize) -> bool,
    ) -> Result<(), String> {
        let Handshakes { valid, accepted, shown, ready } = handshakes;
        if accepted & !valid != 0 {
            return Err(format!("ports {accepted:#b} are accepted where {valid:#b} request"));
        }
        let mut starved = false;
        for port in 0..self.ports {
            let mine = 1 << port;
            if let Some(held) = self.held[port] {
                if shown & mine == 0 {
                    return Err(format!("port {port} was shown `{held}`, did not take it, and it is gone"));
                }
                if response(port) != held {
                    return Err(format!(
                        "port {port} was shown `{held}`, did not take it, and it is `{}` now",
                        response(port)
                    ));
                }
            }
            self.held[port] = (shown & !ready & mine != 0).then(|| response(port));
            if accepted & mine != 0 && outstanding(port) >= self.places {
                return Err(format!(
                    "port {port} is accepted, and {} answers are owed to it already",
                    outstanding(port)
                ));
            }
            let waits = valid & !accepted & mine != 0 && outstanding(port) < self.room && !excused(port);
            starved |= waits;
            self.waited[port] = if waits { self.waited[port] + (accepted != 0) as usize } else { 0 };
            if self.waited[port] >= self.turns {
                return Err(format!("port {port} has waited for {} cycles and is not accepted", self.waited[port]));
            }
        }
        self.stood = if starved && accepted == 0 { self.stood + 1 } else { 0 };
        if self.stood > self.patience {
            return Err(format!("nobody has been accepted for {} cycles", self.stood));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: Response = Response { tag: 1, status: 0, predicate: false, data: 5, resumed: false };

    fn of(ports: usize) -> Monitor {
        Monitor::new(&Parameters { ports, ..Parameters::default() })
    }

    fn cycle(monitor: &mut Monitor, valid: u64, accepted: u64, shown: u64, ready: u64) -> Result<(), String> {
        monitor.cycle(Handshakes { valid, accepted, shown, ready }, |_| ANSWER, |_| 0, |_| false)
    }

    #[test]
    fn an_answer_stays_until_it_is_taken() {
        let mut monitor = of(2);
        assert_eq!(cycle(&mut monitor, 0, 0, 0b01, 0), Ok(()));
        assert_eq!(cycle(&mut monitor, 0, 0, 0b01, 0b01), Ok(()));
        assert_eq!(cycle(&mut monitor, 0, 0, 0b00, 0), Ok(()));
        assert_eq!(cycle(&mut monitor, 0, 0, 0b01, 0), Ok(()));
        assert!(cycle(&mut monitor, 0, 0, 0b00, 0).unwrap_err().contains("it is gone"));
        let mut monitor = of(2);
        assert_eq!(cycle(&mut monitor, 0, 0, 0b01, 0), Ok(()));
        let other = |_| Response { data: 6, ..ANSWER };
        let shown = Handshakes { valid: 0, accepted: 0, shown: 0b01, ready: 0 };
        assert!(monitor.cycle(shown, other, |_| 0, |_| false).is_err());
    }

    #[test]
    fn nobody_is_accepted_unasked_or_starves() {
        let mut monitor = of(2);
        assert!(cycle(&mut monitor, 0b01, 0b10, 0, 0).is_err());
        assert_eq!(cycle(&mut monitor, 0b11, 0b01, 0, 0), Ok(()));
        assert_eq!(cycle(&mut monitor, 0b11, 0b00, 0, 0), Ok(()), "it may stand still");
        assert!(cycle(&mut monitor, 0b11, 0b01, 0, 0).unwrap_err().contains("port 1 has waited for 2 cycles"));
        let mut still = of(2);
        for _ in 0..8 {
            assert_eq!(cycle(&mut still, 0b11, 0b00, 0, 0), Ok(()));
        }
        assert!(cycle(&mut still, 0b11, 0b00, 0, 0).unwrap_err().contains("nobody has been accepted for 9 cycles"));
        let mut kept = of(2);
        for _ in 0..100 {
            let waits = Handshakes { valid: 0b11, accepted: 0, shown: 0, ready: 0 };
            assert_eq!(kept.cycle(waits, |_| ANSWER, |_| 0, |_| true), Ok(()), "something else keeps it waiting");
        }
        let mut full = of(2);
        for _ in 0..10 {
            let blocked = Handshakes { valid: 0b10, accepted: 0, shown: 0, ready: 0 };
            assert_eq!(full.cycle(blocked, |_| ANSWER, |_| 8, |_| false), Ok(()), "its queue is full");
        }
    }

    #[test]
    fn a_fabric_may_take_its_time_but_not_for_ever() {
        let fabric = Parameters { words: 16, waiters: 0, ..Parameters::banked_high_clock(2, 1) };
        let handshakes = |accepted| Handshakes { valid: 0b11, accepted, shown: 0, ready: 0 };
        let run = |accepted, owed: usize, cycles| {
            let mut monitor = Monitor::new(&fabric);
            (0..cycles).find_map(|_| monitor.cycle(handshakes(accepted), |_| ANSWER, |_| owed, |_| false).err())
        };
        assert_eq!(run(0, 0, FABRIC_BATCHES * 2 * FABRIC_CYCLES), None);
        assert!(run(0, 0, FABRIC_BATCHES * 2 * FABRIC_CYCLES + 1).unwrap().contains("nobody has been accepted"));
        let owed = banked::ROOM;
        assert_eq!(run(0b01, owed, 10_000), None, "there may be no room");
        assert_eq!(run(0b01, owed - 1, FABRIC_LAG - 1), None, "it is noticed late that there is");
        assert!(run(0b01, owed - 1, FABRIC_LAG).unwrap().contains("port 1 has waited for 4 cycles"));
        assert_eq!(run(0b11, FABRIC_PLACES - 1, 100), None);
        assert!(run(0b11, FABRIC_PLACES, 1).unwrap().contains("owed to it already"));
    }
}
