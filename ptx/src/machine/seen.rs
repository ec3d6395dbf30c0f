//! States in which a thread that is followed comes to an instruction: few are told apart, many are taken together.

use crate::thread::shadow::Shadow;

/// States at an instruction after which registers are taken to hold anything that have had more than [`VALUES`] values in them.
const STATES: usize = 8;
/// States after which that is so of all that differ.
const MANY_STATES: usize = 32;
/// Values.
const VALUES: usize = 4;

/// States in which a thread has come to an instruction.
#[derive(Default)]
pub(super) struct Seen {
    states: Vec<Shadow>,
    /// Registers and bytes of local memory that hold anything.
    wide: Vec<bool>,
}

impl Seen {
    /// Notes a state, wider than it was if there are many; nothing if it is one of those that were followed already.
    pub(super) fn admit(&mut self, state: &mut Shadow) -> bool {
        self.wide.resize(self.wide.len().max(state.size()), false);
        let widen = |wide: &[bool], state: &mut Shadow| {
            wide.iter().enumerate().filter(|(_, wide)| **wide).for_each(|(register, _)| state.forget(register));
        };
        widen(&self.wide, state);
        if self.states.iter().any(|known| state.is_among(known)) {
            return false;
        }
        if self.states.len() >= STATES {
            for register in 0..state.size() {
                let mut values: Vec<Option<u64>> = self.states.iter().map(|state| state.known(register)).collect();
                values.push(state.known(register));
                values.sort_unstable();
                values.dedup();
                let most = if self.states.len() < MANY_STATES { VALUES } else { 1 };
                self.wide[register] |= values.len() > most;
            }
            widen(&self.wide, state);
            if self.states.iter().any(|known| state.is_among(known)) {
                return false;
            }
        }
        self.states.retain(|known| !known.is_among(state));
        self.states.push(state.clone());
        true
    }
}
