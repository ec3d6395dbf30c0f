//! The rules of a fabric: a high-clock unit with several ports, or several banks, or suspended waits.
//!
//! * Effects are reported bank by bank. Each bank does its requests in the order in which they were accepted: by cycle, and for
//!   one cycle by port. So there is one order of all requests, and no answer is explained by another.
//! * Answers of a port, but for those of suspended waits, come in the order of their effects: by cycle, and for one cycle by
//!   bank.
//! * Each bank has a table of suspended waits, for all ports. An entry is free again at some time between the end of its wait
//!   and its answer at the port; in between, the next wait may be suspended or be answered at once.
//! * A port may have several suspended waits of one tag, in different banks. Answers that are the same do not tell whose they
//!   are: then each of these entries may be taken until all such answers have come.
//! * Waits hold nobody.
//! * In the cycle after a phase completes, its bank says whether it has woken anybody.

use super::{Failure, Scoreboard};
use crate::engine::Done;
use crate::request::Response;
use std::collections::VecDeque;
use std::ops::RangeInclusive;
use txbar_rtl::parameters::Parameters;

/// State of a fabric.
#[derive(Clone, Debug)]
pub(super) struct Fabric {
    /// By bank, the ports of the requests that have been accepted and are not done, in their order.
    lines: Vec<VecDeque<usize>>,
    /// The last cycle in which waits were woken, and of which banks.
    woken: (u64, u64),
    /// Suspended waits of which an answer may have been that of another: bank, port and that answer.
    doubtful: Vec<(usize, usize, Response)>,
}

impl Fabric {
    pub(super) fn new(parameters: &Parameters) -> Self {
        Self { lines: vec![VecDeque::new(); parameters.banks], woken: (0, 0), doubtful: Vec::new() }
    }

    /// A port takes an answer, which is taken for that of its suspended wait in a bank; `others` will have the same.
    pub(super) fn answered(&mut self, bank: usize, port: usize, response: &Response, others: bool) {
        if others {
            self.doubtful.push((bank, port, *response));
        } else {
            self.doubtful.retain(|(_, of, answer)| *of != port || !answer.agrees_with(response));
        }
    }

    /// A request on a word is accepted; those of one cycle port by port.
    pub(super) fn accept(&mut self, port: usize, index: usize) {
        let bank = index % self.lines.len();
        self.lines[bank].push_back(port);
    }

    /// A suspended wait on a word is woken.
    pub(super) fn wakes(&mut self, cycle: u64, index: usize) {
        if self.woken.0 != cycle {
            self.woken = (cycle, 0);
        }
        self.woken.1 |= 1 << (index % self.lines.len());
    }
}

impl Scoreboard {
    /// Where the request is, among those of its port, that takes effect in a bank.
    pub(super) fn due(&mut self, cycle: u64, bank: usize, done: &Done) -> Result<usize, Box<Failure>> {
        let Done { port, tag, index, .. } = *done;
        let line = self.fabric.as_mut().and_then(|fabric| fabric.lines[bank].pop_front());
        let banks = self.parameters.banks;
        let of_port = |port: usize| self.issued[port].iter().position(|issued| issued.index % banks == bank);
        let Some((of, position)) = line.and_then(|port| Some((port, of_port(port)?))) else {
            let what = format!("bank {bank} reports an effect without a request: {done}, of port {port}");
            return Err(Box::new(Failure { cycle, what, history: None }));
        };
        let due = &self.issued[of][position];
        if (of, due.request.tag, due.index) != (port, tag, index) {
            let what = format!(
                "bank {bank} reports an effect out of order: {done}, of port {port}; expected was `{}` of port {of}, accepted in cycle {}",
                due.request, due.accepted
            );
            let word = due.index;
            return Err(self.failure(cycle, what, word));
        }
        Ok(position)
    }

    /// Entries of a bank's table that are taken: those of waits that are not over, and at most those of all that are not, or may
    /// not be, answered.
    pub(super) fn taken_of_bank(&self, bank: usize) -> RangeInclusive<usize> {
        let waits = self.suspended.iter().flatten().filter(|wait| wait.waiting.index % self.parameters.banks == bank);
        let doubtful = self.fabric.iter().flat_map(|fabric| &fabric.doubtful).filter(|(of, ..)| *of == bank);
        waits.clone().filter(|wait| wait.over.is_none()).count()..=waits.count() + doubtful.count()
    }

    /// Banks say in a cycle that they have woken waits.
    pub(super) fn woken(&mut self, cycle: u64, told: u64) -> Result<(), Box<Failure>> {
        let due = self.fabric.as_ref().map_or(0, |fabric| if fabric.woken.0 + 1 == cycle { fabric.woken.1 } else { 0 });
        if told == due {
            return Ok(());
        }
        let what = format!("banks {told:#b} report that they have woken waits, where {due:#b} did");
        Err(Box::new(Failure { cycle, what, history: None }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Effects;
    use super::*;
    use crate::request::{Request, Response};
    use txbar_rtl::op::Op;
    use txbar_rtl::status::Status;

    /// Two ports, two banks with a table of one entry each, 10 ns a cycle.
    fn scoreboard() -> Scoreboard {
        Scoreboard::new(&Parameters { words: 16, waiters: 2, ..Parameters::banked_high_clock(2, 2) })
    }

    /// What a request with tag 0 of a port on a word does: nothing but its work.
    fn done(port: usize, index: usize) -> Done {
        Done { port, tag: 0, status: 0, index, suspended: false }
    }

    fn parks(port: usize, index: usize) -> Done {
        Done { suspended: true, ..done(port, index) }
    }

    fn said(
        scoreboard: &mut Scoreboard,
        cycle: u64,
        effects: &[Done],
        flips: &[usize],
        woken: u64,
    ) -> Result<(), String> {
        let done = effects.iter().map(|done| (done.index % 2, *done)).collect();
        let mut effects = Effects { done, flips: flips.to_vec(), woken };
        scoreboard.effects(cycle, &mut effects).map_err(|failure| failure.what)
    }

    /// Effects without flips.
    fn does(scoreboard: &mut Scoreboard, cycle: u64, effects: &[Done]) -> Result<(), String> {
        said(scoreboard, cycle, effects, &[], 0)
    }

    fn answer(data: u64) -> Response {
        Response { tag: 0, status: 0, predicate: false, data, resumed: false }
    }

    fn resumed(status: Status, predicate: bool) -> Response {
        Response { status: status.code(), predicate, resumed: true, ..answer(0) }
    }

    fn store(word: u32, data: u64) -> Request {
        Request::new(Op::Store, word * 8).with(data)
    }

    fn wait(word: u32, limit_cycles: u64) -> Request {
        Request::new(Op::TryWaitParity, word * 8).with((limit_cycles * 10) << 32)
    }

    #[test]
    fn a_bank_does_its_requests_in_the_order_of_acceptance() {
        let mut asked = scoreboard();
        for (cycle, port, word) in [(0, 0, 2), (0, 1, 4), (1, 1, 1), (2, 0, 4)] {
            asked.accept(cycle, port, &store(word, 7));
        }
        let error = does(&mut asked.clone(), 9, &[done(1, 4)]).unwrap_err();
        assert!(error.contains("out of order") && error.contains("of port 0, accepted in cycle 0"), "{error}");
        assert_eq!(does(&mut asked, 9, &[done(0, 2), done(1, 1)]), Ok(()), "banks do not wait for each other");
        assert!(does(&mut asked.clone(), 10, &[done(0, 4)]).is_err(), "the other port was first");
        assert!(does(&mut asked.clone(), 10, &[done(0, 2)]).is_err(), "it has been done");
        assert!(does(&mut asked.clone(), 10, &[done(0, 1)]).unwrap_err().contains("without a request"));
        assert!(does(&mut asked.clone(), 10, &[Done { tag: 1, ..done(1, 4) }]).is_err());
        let elsewhere = Effects { done: vec![(1, done(1, 4))], flips: vec![], woken: 0 };
        assert!(asked.clone().effects(10, &mut elsewhere.clone()).is_err(), "it is not that bank's word");
        assert_eq!(does(&mut asked, 10, &[done(1, 4)]), Ok(()));
        assert_eq!(does(&mut asked, 11, &[done(0, 4)]), Ok(()));
    }

    #[test]
    fn no_other_order_explains_an_answer() {
        let mut asked = scoreboard();
        asked.accept(0, 0, &store(0, 7));
        asked.accept(0, 1, &Request::new(Op::Load, 0));
        assert_eq!(does(&mut asked, 9, &[done(0, 0)]), Ok(()));
        assert_eq!(does(&mut asked, 10, &[done(1, 0)]), Ok(()));
        assert!(asked.clone().answer(15, 1, &answer(0)).is_err(), "the store was first");
        assert!(asked.answer(15, 1, &answer(7)).is_ok());
    }

    #[test]
    fn answers_come_in_the_order_of_their_effects() {
        let mut asked = scoreboard();
        asked.accept(0, 0, &store(1, 5));
        asked.accept(1, 0, &Request::new(Op::Load, 8));
        asked.accept(2, 0, &Request::new(Op::Load, 0));
        assert_eq!(does(&mut asked, 9, &[done(0, 1)]), Ok(()));
        assert!(asked.answer(12, 0, &answer(0)).is_ok());
        assert_eq!(does(&mut asked, 13, &[done(0, 0), done(0, 1)]), Ok(()));
        assert!(asked.clone().answer(20, 0, &answer(5)).is_err(), "bank 0 is before bank 1");
        assert!(asked.answer(20, 0, &answer(0)).is_ok() && asked.answer(21, 0, &answer(5)).is_ok());
        assert!(asked.is_idle());
    }

    /// A unit with a barrier in words 0 and 2, one arrival short of its phase, on which port 1 waits from cycle 10 on, for 20
    /// cycles at most.
    fn waiting() -> Scoreboard {
        let mut asked = scoreboard();
        for (cycle, word) in [(0, 0), (1, 2)] {
            asked.accept(cycle, 0, &Request::new(Op::Init, word * 8).with(1));
            assert_eq!(does(&mut asked, 7 + cycle, &[done(0, word as usize)]), Ok(()));
            assert!(asked.answer(8 + cycle, 0, &answer(0)).is_ok());
        }
        asked.accept(2, 1, &wait(0, 20));
        assert_eq!(does(&mut asked, 10, &[parks(1, 0)]), Ok(()));
        asked
    }

    #[test]
    fn a_wait_is_woken_and_its_bank_says_so() {
        let mut asked = waiting();
        asked.accept(3, 0, &Request::new(Op::Arrive, 0).with(1));
        assert!(does(&mut asked.clone(), 12, &[done(0, 0)]).is_err(), "the phase completes");
        assert_eq!(said(&mut asked, 12, &[done(0, 0)], &[0], 0), Ok(()));
        assert!(said(&mut asked.clone(), 13, &[], &[], 0).unwrap_err().contains("0b1 did"));
        assert!(said(&mut asked.clone(), 13, &[], &[], 0b11).is_err());
        assert_eq!(said(&mut asked, 13, &[], &[], 0b01), Ok(()));
        assert!(said(&mut asked.clone(), 14, &[], &[], 0b01).is_err(), "it has been said");
        assert!(asked.clone().answer(20, 1, &resumed(Status::Ok, false)).is_err());
        assert!(asked.answer(20, 1, &resumed(Status::Ok, true)).is_ok());
        assert_eq!((asked.tally().suspended, asked.tally().woken), (1, 1));
    }

    #[test]
    fn answers_that_are_the_same_do_not_tell_whose_entry_is_free() {
        let mut asked = waiting();
        asked.accept(2, 0, &Request::new(Op::Init, 8).with(1));
        asked.accept(3, 1, &wait(1, 20));
        assert_eq!(does(&mut asked, 11, &[done(0, 1)]), Ok(()));
        assert!(asked.answer(12, 0, &answer(0)).is_ok());
        assert_eq!(does(&mut asked, 13, &[parks(1, 1)]), Ok(()));
        for cycle in 14..40 {
            assert_eq!(does(&mut asked, cycle, &[]), Ok(()));
        }
        // both have timed out, and one of them is answered: of bank 0 or of bank 1
        assert!(asked.answer(40, 1, &resumed(Status::Ok, false)).is_ok());
        for word in [0, 1] {
            let mut next = asked.clone();
            next.accept(41, 0, &wait(word, 20));
            assert_eq!(does(&mut next.clone(), 50, &[parks(0, word as usize)]), Ok(()));
            assert_eq!(does(&mut next, 50, &[done(0, word as usize)]), Ok(()), "its entry may be taken");
        }
        // now there is no doubt
        assert!(asked.answer(41, 1, &resumed(Status::Ok, false)).is_ok());
        for word in [0, 1] {
            let mut next = asked.clone();
            next.accept(42, 0, &wait(word, 20));
            assert!(
                does(&mut next, 51, &[done(0, word as usize)]).unwrap_err().contains("is not suspended, where 0 of 1")
            );
        }
    }

    #[test]
    fn a_wait_is_turned_out_or_given_up() {
        let ends = |op: Op| {
            let mut asked = waiting();
            asked.accept(3, 0, &Request::new(op, 0).with(1));
            assert_eq!(does(&mut asked, 12, &[done(0, 0)]), Ok(()));
            assert_eq!(said(&mut asked, 13, &[], &[], 0), Ok(()), "it is not woken");
            assert!(asked.clone().answer(20, 1, &resumed(Status::Ok, false)).is_err());
            asked.answer(20, 1, &resumed(Status::Invalidated, false)).is_ok()
        };
        assert!(ends(Op::Init) && ends(Op::Inval) && ends(Op::Store));
        // a completion counts up to the very cycle, and not after
        for (cycle, predicate) in [(30, true), (31, false)] {
            let mut asked = waiting();
            for quiet in 11..cycle {
                assert_eq!(does(&mut asked, quiet, &[]), Ok(()));
                assert!(asked.clone().answer(quiet, 1, &resumed(Status::Ok, false)).is_err(), "it waits");
            }
            asked.accept(20, 0, &Request::new(Op::Arrive, 0).with(1));
            assert_eq!(said(&mut asked, cycle, &[done(0, 0)], &[0], 0), Ok(()));
            assert_eq!(said(&mut asked, cycle + 1, &[], &[], predicate as u64), Ok(()));
            assert!(asked.clone().answer(40, 1, &resumed(Status::Ok, !predicate)).is_err());
            assert!(asked.answer(40, 1, &resumed(Status::Ok, predicate)).is_ok());
        }
    }

    #[test]
    fn the_ports_share_the_table_of_a_bank() {
        let mut asked = waiting();
        asked.accept(3, 0, &wait(2, 20));
        asked.accept(4, 0, &wait(1, 20));
        assert!(does(&mut asked.clone(), 12, &[parks(0, 2)]).unwrap_err().contains("is suspended, where 1 of 1"));
        assert_eq!(does(&mut asked.clone(), 12, &[done(0, 2)]), Ok(()), "there is no room");
        // the other bank's word is all zero: its phase 0 has not completed
        assert_eq!(does(&mut asked, 12, &[parks(0, 1)]), Ok(()), "the other bank has its own");
        // the first is over in cycle 30: from then until it is answered, either may be
        assert!(does(&mut asked.clone(), 30, &[parks(0, 2)]).is_err());
        for cycle in 29..=31 {
            assert_eq!(does(&mut asked, cycle, &[]), Ok(()));
        }
        assert_eq!(does(&mut asked.clone(), 32, &[parks(0, 2)]), Ok(()));
        assert_eq!(does(&mut asked.clone(), 32, &[done(0, 2)]), Ok(()));
        assert!(asked.answer(32, 1, &resumed(Status::Ok, false)).is_ok());
        assert_eq!(does(&mut asked.clone(), 33, &[done(0, 2)]), Ok(()), "it was decided before the answer had left");
        assert!(does(&mut asked.clone(), 35, &[done(0, 2)]).unwrap_err().contains("is not suspended, where 0 of 1"));
        assert_eq!(does(&mut asked, 33, &[parks(0, 2)]), Ok(()));
        assert_eq!(asked.outstanding(0), 2, "what is suspended has its place among the answers");
    }

    #[test]
    fn a_wait_holds_nobody() {
        let mut asked = waiting();
        assert!(!asked.may_be_held(100, 1, 0));
        asked.accept(11, 1, &Request::new(Op::Load, 16));
        assert!(!asked.may_be_held(100, 1, 0));
        assert_eq!(does(&mut asked, 18, &[done(1, 2)]), Ok(()), "its thread's wait is still suspended");
    }
}
