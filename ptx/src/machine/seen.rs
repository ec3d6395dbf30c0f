//! States in which a followed thread reaches an instruction: few are kept apart, many are merged.

use crate::thread::shadow::Shadow;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// States at an instruction after which registers are taken to hold anything that have had more than [`VALUES`] values in them.
const STATES: usize = 8;
/// States after which that is so of all that differ.
const MANY_STATES: usize = 32;
/// Values.
const VALUES: usize = 4;

/// Of a thread that is followed finely: states after which registers are taken to hold anything that have only grown, or only shrunk.
const FINE_STATES: usize = 2048;
/// How often they must have, in order that a counter is told from what was set once or twice; if there is none of these, once will do.
const FINE_CHANGES: [u32; 2] = [8, 1];
/// States of it that are told apart at most.
const MOST_FINE_STATES: usize = 4 * FINE_STATES;

/// Whether a state in which a thread comes to an instruction has been followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admitted {
    /// New: to be followed.
    New,
    /// Known: already followed.
    Known,
    /// Too many states.
    TooMany,
}

/// What a register has done while a thread was followed finely.
#[derive(Clone, Copy, Default)]
struct Course {
    last: Option<u64>,
    changes: u32,
    /// It was once smaller than before, or greater.
    falls: bool,
    rises: bool,
}

impl Course {
    fn note(&mut self, value: Option<u64>) {
        if let (Some(last), Some(value)) = (self.last, value) {
            self.changes += u32::from(last != value);
            self.falls |= value < last;
            self.rises |= value > last;
        }
        self.last = value;
    }
}

/// States in which a thread that is followed finely has come to an instruction: it looks at a thousand words in turn, for example.
#[derive(Default)]
pub(super) struct Finely {
    states: HashSet<u64>,
    all: usize,
    courses: Vec<Course>,
    /// Registers and bytes of local memory that hold anything.
    wide: Vec<bool>,
}

impl Finely {
    /// Notes a state.
    pub(super) fn admit(&mut self, state: &mut Shadow) -> Admitted {
        let size = state.size();
        self.courses.resize(self.courses.len().max(size), Course::default());
        self.wide.resize(self.wide.len().max(size), false);
        if self.states.len() >= FINE_STATES {
            let grows = |course: &Course, most: u32| course.changes >= most && !(course.falls && course.rises);
            let most = FINE_CHANGES.into_iter().find(|most| self.courses.iter().any(|course| grows(course, *most)));
            for (wide, course) in self.wide.iter_mut().zip(&mut self.courses) {
                *wide |= most.is_some_and(|most| grows(course, most));
                *course = Course::default();
            }
            self.states.clear();
        }
        let mut hasher = DefaultHasher::new();
        for at in 0..size {
            if self.wide[at] {
                state.forget(at);
            }
            let value = state.known(at);
            self.courses[at].note(value);
            value.hash(&mut hasher);
        }
        state.carried().hash(&mut hasher);
        self.all += 1;
        match self.states.insert(hasher.finish()) {
            false => Admitted::Known,
            true if self.all > MOST_FINE_STATES => Admitted::TooMany,
            true => Admitted::New,
        }
    }
}

/// States in which a thread has come to an instruction.
#[derive(Default)]
pub(super) struct Seen {
    states: Vec<Shadow>,
    /// Registers and bytes of local memory that hold anything.
    wide: Vec<bool>,
}

impl Seen {
    /// Whether some register is taken to hold anything.
    pub(super) fn is_wide(&self) -> bool {
        self.wide.contains(&true)
    }

    /// Notes a state, wider than it was if there are many.
    pub(super) fn admit(&mut self, state: &mut Shadow) -> Admitted {
        self.wide.resize(self.wide.len().max(state.size()), false);
        let widen = |wide: &[bool], state: &mut Shadow| {
            wide.iter().enumerate().filter(|(_, wide)| **wide).for_each(|(register, _)| state.forget(register));
        };
        widen(&self.wide, state);
        if self.states.iter().any(|known| state.is_among(known)) {
            return Admitted::Known;
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
                return Admitted::Known;
            }
        }
        self.states.retain(|known| !known.is_among(state));
        self.states.push(state.clone());
        Admitted::New
    }
}
