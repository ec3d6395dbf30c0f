//! The scoreboard: says whether what the unit did has an explanation.
//!
//! Requests are replayed on the reference model in the order in which they are accepted, which is the order that the unit
//! promises, and every answer is compared with the one foretold. If one differs, the calls on its word are searched for
//! any order that explains them ([`linearize`]), so that a unit which orders differently but correctly is not blamed;
//! only if there is none is the answer wrong. Calls that were over before all open ones began are taken in the order
//! foretold, which keeps the search short.
//!
//! Fault reports and completed phases are compared too: each must come, once, [`REPORT_AFTER`] cycles after its request
//! was accepted.

use crate::engine::FaultReport;
use crate::linearize::{self, Call};
use crate::model::{Memory, serve};
use crate::request::{Request, Response};
use std::collections::VecDeque;
use std::fmt;
use txbar_rtl::op::Op;
use txbar_rtl::status::Status;
use txbar_rtl::word::{Contents, PHASE};

/// Cycles from the acceptance of a request to the report of its fault, or of the phase that it completes.
pub const REPORT_AFTER: u64 = 4;

/// Something that no order of the operations explains, or that the protocol forbids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Cycle in which it was seen.
    pub cycle: u64,
    /// What was seen.
    pub what: String,
    /// The calls on the word that it is about, since the word was last quiet, and the word before them.
    pub history: Option<(usize, u64, Vec<Call>)>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "cycle {}: {}", self.cycle, self.what)?;
        let Some((index, word, calls)) = &self.history else { return Ok(()) };
        write!(f, "\n  word {index} was {word:016x} ({})", Contents::from(*word))?;
        for call in calls {
            write!(f, "\n  cycle {:>6} port {}: {}", call.accepted, call.port, call.request)?;
            match &call.answered {
                Some((cycle, response)) => write!(f, "  -> cycle {cycle}: {response}")?,
                None => write!(f, "  -> no answer")?,
            }
        }
        Ok(())
    }
}

/// A request that has been accepted and waits for its answer.
#[derive(Clone, Debug)]
struct Waiting {
    accepted: u64,
    expected: Response,
    index: usize,
    /// Number of the call on its word.
    call: u64,
}

/// The calls on a word that may still be reordered.
#[derive(Clone, Debug, Default)]
struct History {
    /// The word before them.
    word: u64,
    /// Number of the first.
    first: u64,
    calls: VecDeque<Call>,
}

/// How many calls a history may hold before it is looked through for some that are over.
const TRIM_AT: usize = 64;

impl History {
    fn push(&mut self, call: Call, bytes: usize) -> u64 {
        if self.calls.len() >= TRIM_AT {
            self.trim(call.accepted, bytes);
        }
        self.calls.push_back(call);
        self.first + self.calls.len() as u64 - 1
    }

    /// Takes the calls for granted that were over before the first open one began.
    fn trim(&mut self, now: u64, bytes: usize) {
        // a posted call is over when it has had the time to be done
        let over = |call: &Call| match call.answered {
            Some((cycle, _)) => Some(cycle),
            None => {
                (call.request.is_posted() && call.accepted + REPORT_AFTER < now).then(|| call.accepted + REPORT_AFTER)
            }
        };
        let open = self.calls.iter().find(|call| over(call).is_none()).map_or(now, |call| call.accepted);
        while let Some(call) = self.calls.front()
            && over(call).is_some_and(|cycle| cycle < open)
        {
            self.word = serve(self.word, &call.request, bytes).0;
            self.first += 1;
            self.calls.pop_front();
        }
    }
}

/// What the scoreboard has counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    /// Requests accepted.
    pub accepted: u64,
    /// Faults foretold and reported.
    pub faults: u64,
    /// Phases completed.
    pub flips: u64,
    /// Answers by status code.
    pub statuses: Vec<u64>,
    /// Answers by latency: cycles from acceptance to the answer being taken.
    pub latency: Vec<u64>,
}

/// Compares a unit with the reference model, request by request.
pub struct Scoreboard {
    bytes: usize,
    memory: Memory,
    waiting: Vec<VecDeque<Waiting>>,
    histories: Vec<History>,
    faults: VecDeque<(u64, FaultReport)>,
    flips: VecDeque<u64>,
    tally: Tally,
}

impl Scoreboard {
    /// A scoreboard for a unit of so many ports and words, whose memory is all zero.
    pub fn new(ports: usize, words: usize) -> Self {
        Self {
            bytes: words * 8,
            memory: Memory::new(words),
            waiting: vec![VecDeque::new(); ports],
            histories: vec![History::default(); words],
            faults: VecDeque::new(),
            flips: VecDeque::new(),
            tally: Tally {
                accepted: 0,
                faults: 0,
                flips: 0,
                statuses: vec![0; 1 << Status::BITS],
                latency: Vec::new(),
            },
        }
    }

    /// What has been counted so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Answers that a port waits for.
    pub fn outstanding(&self, port: usize) -> usize {
        self.waiting[port].len()
    }

    /// Whether nothing is under way.
    pub fn is_idle(&self) -> bool {
        self.waiting.iter().all(VecDeque::is_empty) && self.faults.is_empty() && self.flips.is_empty()
    }

    /// A request is accepted.
    pub fn accept(&mut self, cycle: u64, port: usize, request: &Request) {
        let index = self.memory.index(request.address);
        let before = self.memory.word(index);
        let outcome = self.memory.serve(request);
        let call = Call { port, accepted: cycle, answered: None, request: *request };
        let call = self.histories[index].push(call, self.bytes);
        self.tally.accepted += 1;
        if let Some(fault) = outcome.fault {
            let report = FaultReport { port, tag: request.tag, status: fault.status().code(), index };
            self.faults.push_back((cycle + REPORT_AFTER, report));
        }
        let replaces = matches!(request.operation(), Some(Op::Store | Op::Init));
        if !replaces && PHASE.of(before ^ self.memory.word(index)) != 0 {
            self.flips.push_back(cycle + REPORT_AFTER);
        }
        if let Some(expected) = outcome.response {
            self.waiting[port].push_back(Waiting { accepted: cycle, expected, index, call });
        }
    }

    /// An answer is taken.
    ///
    /// # Errors
    /// Nothing explains it.
    pub fn answer(&mut self, cycle: u64, port: usize, response: &Response) -> Result<(), Box<Failure>> {
        let Some(waiting) = self.waiting[port].pop_front() else {
            let what = format!("port {port} is given an answer that it did not ask for: {response}");
            return Err(Box::new(Failure { cycle, what, history: None }));
        };
        let history = &mut self.histories[waiting.index];
        let position = waiting.call.checked_sub(history.first).and_then(|position| usize::try_from(position).ok());
        if let Some(call) = position.and_then(|position| history.calls.get_mut(position)) {
            call.answered = Some((cycle, *response));
        }
        let latency = (cycle - waiting.accepted) as usize;
        if self.tally.latency.len() <= latency {
            self.tally.latency.resize(latency + 1, 0);
        }
        self.tally.latency[latency] += 1;
        self.tally.statuses[response.status as usize] += 1;
        if response.agrees_with(&waiting.expected) {
            return Ok(());
        }
        let calls = history.calls.make_contiguous();
        if linearize::explain(history.word, calls, self.bytes).is_ok() {
            return Ok(());
        }
        let what = format!(
            "port {port} is given `{response}` where `{}` was foretold, and no order of the calls on word {} explains it",
            waiting.expected, waiting.index
        );
        Err(Box::new(Failure { cycle, what, history: Some((waiting.index, history.word, calls.to_vec())) }))
    }

    /// What the unit reports in a cycle besides answers. Call it in every cycle.
    ///
    /// # Errors
    /// A report is missing, or was not foretold.
    #[inline]
    pub fn report(&mut self, cycle: u64, fault: Option<FaultReport>, flip: bool) -> Result<(), Box<Failure>> {
        let foretold = self.faults.front().filter(|(due, _)| *due == cycle).map(|(_, report)| *report);
        if foretold.is_some() {
            self.faults.pop_front();
        }
        let completes = self.flips.front() == Some(&cycle);
        if completes {
            self.flips.pop_front();
        }
        self.tally.faults += foretold.is_some() as u64;
        self.tally.flips += completes as u64;
        if fault == foretold && flip == completes {
            return Ok(());
        }
        let what = if fault != foretold {
            let show = |report: Option<FaultReport>| report.map_or("no fault".to_owned(), |report| report.to_string());
            format!("the unit reports {} where {} was foretold", show(fault), show(foretold))
        } else {
            let show = |completes: bool| if completes { "a completed phase" } else { "no completed phase" };
            format!("the unit reports {} where {} was foretold", show(flip), show(completes))
        };
        Err(Box::new(Failure { cycle, what, history: None }))
    }

    /// Words that something was done to.
    pub fn touched(&self) -> Vec<usize> {
        let touched = |history: &History| history.first > 0 || !history.calls.is_empty();
        (0..self.histories.len()).filter(|&index| touched(&self.histories[index])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ok(data: u64) -> Response {
        Response { tag: 0, status: 0, predicate: false, data }
    }

    #[test]
    fn answers_are_foretold() {
        let mut scoreboard = Scoreboard::new(2, 16);
        scoreboard.accept(0, 0, &Request::new(Op::Init, 8).with(1));
        scoreboard.accept(1, 1, &Request::new(Op::Arrive, 8).with(1));
        assert_eq!(scoreboard.answer(5, 0, &ok(0)), Ok(()));
        assert_eq!(scoreboard.report(5, None, true), Ok(()), "the arrival completes the phase");
        assert_eq!(scoreboard.answer(6, 1, &ok(0x7ffff800_00000000)), Ok(()));
        assert!(scoreboard.is_idle());
        assert_eq!(scoreboard.tally().latency, [0, 0, 0, 0, 0, 2]);
        assert_eq!(scoreboard.touched(), [1]);
    }

    #[test]
    fn another_order_is_an_explanation_too() {
        let mut scoreboard = Scoreboard::new(2, 16);
        scoreboard.accept(0, 0, &Request::new(Op::Store, 0).with(7));
        scoreboard.accept(1, 1, &Request::new(Op::Load, 0));
        assert_eq!(scoreboard.answer(6, 1, &ok(0)), Ok(()), "the load may have come first");
        assert_eq!(scoreboard.answer(7, 0, &ok(0)), Ok(()));
    }

    #[test]
    fn what_nothing_explains_is_reported_with_its_history() {
        let mut scoreboard = Scoreboard::new(2, 16);
        scoreboard.accept(0, 0, &Request::new(Op::Store, 0).with(7));
        assert_eq!(scoreboard.answer(5, 0, &ok(0)), Ok(()));
        scoreboard.accept(6, 1, &Request::new(Op::Load, 0).tagged(3));
        let failure = scoreboard.answer(11, 1, &Response { tag: 3, ..ok(0) }).expect_err("the store was over");
        let text = failure.to_string();
        assert!(
            text.starts_with("cycle 11: port 1 is given `ok, predicate 0, data 0000000000000000 (tag 3)`"),
            "{text}"
        );
        assert!(text.contains("cycle      6 port 1: load @0x0 (tag 3)"), "{text}");
        assert!(scoreboard.answer(12, 1, &ok(0)).expect_err("nothing is asked").what.contains("did not ask for"));
    }

    #[test]
    fn reports_must_come_when_they_are_due() {
        let mut scoreboard = Scoreboard::new(1, 16);
        scoreboard.accept(0, 0, &Request::new(Op::Arrive, 0).with(1).tagged(9));
        assert!(scoreboard.clone_for_test().report(3, None, false).is_ok());
        let report = FaultReport { port: 0, tag: 9, status: Status::PendingUnderflow.code(), index: 0 };
        assert!(scoreboard.clone_for_test().report(4, None, false).is_err(), "it is missing");
        assert!(scoreboard.clone_for_test().report(3, Some(report), false).is_err(), "it is early");
        assert_eq!(scoreboard.report(4, Some(report), false), Ok(()));
        assert!(scoreboard.report(5, None, true).is_err(), "no phase completes");
    }

    impl Scoreboard {
        fn clone_for_test(&self) -> Self {
            Self {
                memory: self.memory.clone(),
                waiting: self.waiting.clone(),
                histories: self.histories.clone(),
                faults: self.faults.clone(),
                flips: self.flips.clone(),
                tally: self.tally.clone(),
                ..*self
            }
        }
    }

    #[test]
    fn histories_stay_short() {
        let mut scoreboard = Scoreboard::new(1, 16);
        for cycle in 0..10_000u64 {
            scoreboard.accept(cycle, 0, &Request::new(Op::Load, 0));
            if cycle >= 5 {
                scoreboard.answer(cycle, 0, &ok(0)).unwrap();
            }
        }
        assert!(scoreboard.histories[0].calls.len() <= TRIM_AT);
        assert!(scoreboard.histories[0].first > 9000);
    }
}
