//! All checks of a unit's pins in a cycle: handshakes by the monitor, effects and answers by the scoreboard.

use crate::engine::Engine;
use crate::monitor::{Handshakes, Monitor};
use crate::request::{Request, Response};
use crate::scoreboard::{Effects, Failure, Scoreboard, each};
use txbar_rtl::parameters::Parameters;

/// What the unit's inputs are in a cycle, a bit each port; of the stalls a bit each bank.
#[derive(Clone, Copy, Debug, Default)]
pub struct Driven {
    /// Ports that request.
    pub valid: u64,
    /// Ports that are ready for an answer.
    pub ready: u64,
    /// Banks that may not be asked.
    pub stalled: u64,
    /// Ports with accesses to other CTAs under way.
    pub remote_pending: u64,
    /// Ports that take the masks of the wake mask.
    pub takes: u64,
}

/// What the unit shows in a cycle, a bit each port.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    /// Ports whose request is accepted.
    pub accepted: u64,
    /// Ports that show an answer.
    pub answers: u64,
    /// Ports that show masks of the wake mask.
    pub masks: u64,
}

/// Something that a port has seen in a cycle.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// Its request has been accepted.
    Accepted(&'a Request),
    /// The port has accepted an answer, not checked yet.
    Taken(&'a Response),
    /// The answer of this request was as expected.
    Answered(&'a Request, &'a Response),
}

/// Checks a unit.
pub struct Watch {
    monitor: Monitor,
    scoreboard: Scoreboard,
    effects: Effects,
    /// Cycles so far.
    pub cycle: u64,
}

impl Watch {
    /// Of a unit whose memory is all zero.
    pub fn new(parameters: &Parameters) -> Self {
        Self {
            monitor: Monitor::new(parameters),
            scoreboard: Scoreboard::new(parameters),
            effects: Effects::default(),
            cycle: 0,
        }
    }

    /// The unit is reset, and its first cycle after that comes next: everything but its memory begins anew.
    pub fn reset(&mut self) {
        self.scoreboard.reset();
        self.monitor.reset();
        self.cycle = 0;
    }

    /// What is expected of the unit.
    pub fn scoreboard(&self) -> &Scoreboard {
        &self.scoreboard
    }

    /// What took effect in the last cycle.
    pub fn effects(&self) -> &Effects {
        &self.effects
    }

    /// Checks a cycle of a unit that has settled, with the request that each port makes; gives what the unit shows.
    ///
    /// # Errors
    /// What is wrong.
    #[inline]
    pub fn cycle<E: Engine>(
        &mut self,
        engine: &E,
        driven: Driven,
        request: impl Fn(usize) -> Option<Request>,
        mut happens: impl FnMut(u64, usize, Event),
    ) -> Result<Shown, Box<Failure>> {
        let Driven { valid, ready, stalled, remote_pending, takes } = driven;
        let (cycle, parameters) = (self.cycle, engine.parameters());
        let (accepted, shown, resuming) = (engine.accepted(), engine.shown(), engine.resuming());
        let scoreboard = &mut self.scoreboard;
        let excused = |port: usize| {
            let next = request(port);
            stalled & scoreboard.banks_of(port, next.as_ref()) != 0
                || remote_pending >> port & 1 != 0
                || next.is_some_and(|request| scoreboard.may_be_held(cycle, port, request.tag))
        };
        let handshakes = Handshakes { valid, accepted, shown, ready };
        let response = |port: usize| engine.response(port);
        let failed = |what: String| Box::new(Failure { cycle, what, history: None });
        self.monitor.cycle(handshakes, response, |port| scoreboard.outstanding(port), excused).map_err(failed)?;
        for port in each(accepted) {
            let Some(request) = request(port) else { continue };
            scoreboard.accept(cycle, port, &request);
            happens(cycle, port, Event::Accepted(&request));
        }
        self.effects.read(engine);
        scoreboard.effects(cycle, &mut self.effects)?;
        for port in each(shown & ready) {
            let response = engine.response(port);
            happens(cycle, port, Event::Taken(&response));
            let request = scoreboard.answer(cycle, port, &response)?;
            happens(cycle, port, Event::Answered(&request, &response));
        }
        if parameters.wake_mask {
            for port in 0..parameters.ports {
                let masks = engine.resumed(port);
                if (resuming >> port & 1 != 0) == masks.is_empty() {
                    return Err(failed(format!("port {port}: resume_valid is {resuming:#b} where {masks}")));
                }
                for (request, response) in scoreboard.resumes(cycle, port, masks, takes >> port & 1 != 0)? {
                    happens(cycle, port, Event::Taken(&response));
                    happens(cycle, port, Event::Answered(&request, &response));
                }
            }
        }
        scoreboard.end_of_cycle(valid & !accepted);
        self.cycle += 1;
        Ok(Shown { accepted, answers: shown, masks: resuming })
    }
}
