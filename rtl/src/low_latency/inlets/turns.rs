//! Turns: arbiter for the banks between copies (door), loads and stores of warps (gate), and the ports.
//!
//! **What.** Door and gate are never open in the same cycle. If both have an access, they alternate. Requests of ports go to the remaining
//! banks; if requests have waited for 15 consecutive cycles in which door or gate accessed banks, both are closed for one cycle. While a
//! reduction locks the banks, only the door is open.
//!
//! ```text
//!   cycle        0    1    2    3    4    5   ...  14   15   16
//!   beat         B0   B1   B2   B2   B3   B3       B8   B8   B8    at the door, with more behind it
//!   step              S0   S0   S1   S1   S2       S6   S7   S7    at the gate
//!   gate_next    _________/‾‾‾‾\____/‾‾‾‾\____    ‾‾‾‾\_________
//!   door         B0   B1        B2        B3                 B8
//!   gate                   S0        S1            S6
//!   crowded      ‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾\____    requests of ports wait
//!   streak       0    1    2    3    4    5        14   15   0
//! ```
//! **No starvation.** A step waits for at most one beat, and a beat for at most one step, apart from the ports' cycle. A reduction locks
//! the banks for less than 15 cycles and leaves one cycle behind itself: of two such cycles, one is granted to a step and one to the ports,
//! if both request.
//!
//! **Timing.** `door_shut` depends on registers and on the lock of the banks.

use crate::hardware;
use crate::hdl::*;

hardware! {
    /// Turns: arbiter between door, gate and ports.
    pub module Turns = "turns" {
        /// Pipeline enable.
        pub advance: Signal<In, Bit>,
        /// The banks are locked: only the door may open.
        pub locked: Signal<In, Bit>,
        /// Requests of ports wait for a bank.
        pub crowded: Signal<In, Bit>,
        /// A step is ready to pass the gate.
        pub waits: Signal<In, Bit>,
        /// The door is open in this cycle.
        pub opened: Signal<In, Bit>,
        /// The gate is open in this cycle.
        pub taken: Signal<In, Bit>,
        /// Close the door.
        pub door_shut: Signal<Out, Bit>,
        /// Close the gate.
        pub gate_shut: Signal<Out, Bit>,

        /// A step has waited for a beat: the gate is next.
        pub gate_next: ControlReg<Bit>,
        /// Consecutive cycles in which requests of ports waited while door or gate accessed banks.
        pub streak: ControlReg<Bits<4>>,
        /// This cycle is reserved for the ports.
        pub rests: Signal<Local, Bit>,
    }
    constants {
        /// Limit of `streak`.
        MOST: Bits<4> = Bits::constant(15);
    }
    processes { Show, Count }
}

#[processes]
impl Turns {
    /// Closes door and gate.
    fn show(&mut self) {
        self.rests.next = self.streak.q.val() == MOST;
        self.door_shut.next = (self.rests.val() | self.gate_next.q.val()) & !self.locked.val();
        self.gate_shut.next = self.rests.val() | self.locked.val();
    }

    /// Selects who is next.
    fn count(&mut self) {
        self.gate_next.d.next =
            (self.waits.val() & self.opened.val()) | (self.gate_next.q.val() & self.gate_shut.val());
        self.streak.d.next = 0.into();
        if self.crowded.val() & (self.locked.val() | self.opened.val() | self.taken.val()) {
            self.streak.d.next = MOST;
            if !self.rests.val() {
                self.streak.d.next = self.streak.q.val() + 1;
            }
        }
        if !self.advance.val() {
            keep!(self.gate_next, self.streak);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who has each of this many cycles: door, gate, or only the ports. `wants` says whether beat, step and requests of ports are present,
    /// `locked` in which cycles the banks are locked.
    fn shares(wants: [bool; 3], cycles: usize, locked: impl Fn(usize) -> bool) -> String {
        let [beat, step, crowded] = wants;
        let mut turns = Turns::default();
        let mut shares = String::new();
        for cycle in 0..cycles {
            turns.advance.next = true;
            turns.locked.next = locked(cycle);
            turns.settle();
            let opened = beat && !turns.door_shut.val();
            let waits = step && !turns.gate_shut.val();
            turns.crowded.next = crowded;
            turns.opened.next = opened;
            turns.waits.next = waits;
            turns.taken.next = waits && !opened;
            turns.settle();
            shares.push(if opened {
                'd'
            } else if waits {
                'g'
            } else {
                '.'
            });
            turns.tick();
        }
        shares
    }

    #[test]
    fn door_and_gate_take_turns_and_leave_a_cycle_to_the_ports() {
        let never = |_| false;
        assert_eq!(shares([true, true, false], 8, never), "dgdgdgdg");
        assert_eq!(shares([true, false, false], 20, never), "d".repeat(20));
        assert_eq!(shares([false, true, false], 20, never), "g".repeat(20));
        assert_eq!(shares([true, true, true], 33, never), "dgdgdgdgdgdgdgd.gdgdgdgdgdgdgdg.d");
        assert_eq!(shares([false, true, true], 17, never), "ggggggggggggggg.g");
    }

    /// Back-to-back reductions: each locks the banks for seven cycles, and the cycles between them go to step and ports in turn.
    #[test]
    fn behind_reductions_step_and_ports_take_turns() {
        let locked = |cycle: usize| cycle % 8 != 7;
        let between: String = shares([false, true, true], 64, locked).chars().skip(7).step_by(8).collect();
        assert_eq!(between, "g.g.g.g.");
        // a door that must open to end a lock is never kept closed
        assert_eq!(shares([true, true, true], 40, |_| true), "d".repeat(40));
    }
}
