//! A recorder beside an engine that other code drives.

use super::Recorder;
use crate::engine::Engine;
use crate::engine::recorded::{Notes, Row};
use crate::run::Observer;
use crate::scoreboard::each;

/// Shows every cycle of an engine to a recorder, if there is one.
pub struct Shown {
    recorder: Option<Recorder>,
    cycle: u64,
}

impl Shown {
    /// To be put beside an engine that has been reset, and whose memory is all zero.
    pub fn to(recorder: Option<Recorder>) -> Self {
        Self { recorder, cycle: 0 }
    }

    /// The recorder.
    pub fn into_recorder(self) -> Option<Recorder> {
        self.recorder
    }
}

impl<E: Engine> Notes<E> for Shown {
    fn write_down(&mut self, engine: &E, driven: &Row, reset: bool) {
        let Some(recorder) = self.recorder.as_mut().filter(|_| !reset) else { return };
        recorder.settled(engine, self.cycle);
        for port in each(engine.accepted()) {
            Observer::<E>::accepted(recorder, self.cycle, port, &driven.requests[port]);
        }
        for port in each(engine.shown() & driven.ready) {
            Observer::<E>::answered(recorder, self.cycle, port, &engine.response(port));
        }
        self.cycle += 1;
    }
}
