//! Requests of several ports to one word in one cycle: every combination of a few, on words around every limit. Whatever
//! the unit does with them, as a group or one by one, must be what they do one after the other.

use txbar_rtl::op::Op;
use txbar_rtl::parameters::Parameters;
use txbar_rtl::word::{Contents, TX_MAX, TX_MIN};
use txbar_testbench::engine::Engine;
use txbar_testbench::engine::compiled::{Compiled, Effort};
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::request::{Request, Response};
use txbar_testbench::scoreboard::{Effects, Scoreboard, each};

const BARRIER: u32 = 0x28;

/// A unit with its scoreboard, to be given volleys of requests.
struct Range<E> {
    engine: E,
    scoreboard: Scoreboard,
    effects: Effects,
    cycle: u64,
}

/// What came of a volley.
struct Outcome {
    /// Answer of each port.
    answers: Vec<Option<Response>>,
    /// Cycles, counted from the volley, in which each request took effect.
    done: Vec<u64>,
}

impl<E: Engine> Range<E> {
    fn new(engine: E) -> Self {
        let scoreboard = Scoreboard::new(engine.parameters());
        Self { engine, scoreboard, effects: Effects::default(), cycle: 0 }
    }

    /// Lets port k make the k-th request, all in one cycle, and waits until all are answered.
    fn volley(&mut self, requests: &[Request]) -> Outcome {
        let begin = self.cycle;
        let mut waiting = (1u64 << requests.len()) - 1;
        let mut outcome = Outcome { answers: vec![None; requests.len()], done: vec![0; requests.len()] };
        for (port, request) in requests.iter().enumerate() {
            self.engine.drive_request(port, request);
        }
        self.engine.drive_ready(u64::MAX >> (64 - self.engine.parameters().ports));
        while waiting != 0 || !self.scoreboard.is_idle() {
            assert!(self.cycle < begin + 100, "{requests:?}: some are never answered");
            self.engine.drive_valid(waiting);
            self.engine.settle();
            let accepted = self.engine.accepted();
            for port in each(accepted) {
                self.scoreboard.accept(self.cycle, port, &requests[port]);
            }
            waiting &= !accepted;
            self.effects.read(&self.engine);
            for (_, done) in &self.effects.done {
                outcome.done[done.port] = self.cycle - begin;
            }
            let checked = self.scoreboard.effects(self.cycle, &mut self.effects);
            checked.unwrap_or_else(|failure| panic!("{requests:?}: {failure}"));
            for port in each(self.engine.shown()) {
                let response = self.engine.response(port);
                let checked = self.scoreboard.answer(self.cycle, port, &response);
                checked.unwrap_or_else(|failure| panic!("{requests:?}: {failure}"));
                outcome.answers[port] = Some(response);
            }
            self.engine.clock();
            self.cycle += 1;
        }
        outcome
    }

    /// The same on a word that is put there first; gives the word afterwards, too.
    fn on(&mut self, word: u64, requests: &[Request]) -> (Outcome, Contents) {
        self.volley(&[Request::new(Op::Store, BARRIER).with(word)]);
        let outcome = self.volley(requests);
        let after = self.volley(&[Request::new(Op::Load, BARRIER)]);
        (outcome, Contents::from(after.answers[0].expect("a load is answered").data))
    }
}

fn request(op: Op, data: u64) -> Request {
    Request::new(op, BARRIER).with(data)
}

fn word(pending: u32, expected: u32, tx: i32, fault: bool) -> u64 {
    let field = |value: i64, bits: u32, lsb: u32| ((-value) as u64 & ((1 << bits) - 1)) << lsb;
    field(pending.into(), 20, 43) | field(tx.into(), 21, 21) | field(expected.into(), 20, 1) | (fault as u64) << 42
}

fn parameters(ports: usize) -> Parameters {
    Parameters { ports, banks: 1, words: 16, ..Parameters::default() }
}

/// Requests of every kind that may be in a group, small and past a limit, and some that may not.
fn requests() -> Vec<Request> {
    let mut requests = vec![request(Op::Load, 0), request(Op::CpAsyncBegin, 0), request(Op::CpAsyncEnd, 0)];
    for count in 0..=2 {
        requests.extend([Op::Arrive, Op::ExpectTx, Op::CompleteTx].map(|op| request(op, count)));
    }
    requests.extend([request(Op::ArriveDrop, 1), request(Op::ArriveExpectTx, 1), request(Op::ArriveDropExpectTx, 0)]);
    requests.extend([request(Op::CpAsyncArrive, 0), request(Op::BulkCompleteTx, 1), request(Op::TestWaitParity, 0)]);
    requests.push(request(Op::Arrive, 1).from_remote());
    requests.push(request(Op::TryWaitParity, 1).from_remote());
    requests.push(request(Op::BulkCompleteTx, 1 << 20));
    requests.push(request(Op::Init, 2));
    requests
}

/// Words near the end of a phase, and near each limit.
fn words() -> Vec<u64> {
    let mut words = Vec::new();
    for pending in 0..=3 {
        for tx in [-2, -1, 0, 1, 2] {
            words.push(word(pending, 2, tx, false));
        }
    }
    for pending in [0, 2] {
        for tx in [TX_MIN, TX_MIN + 1, TX_MAX - 1, TX_MAX] {
            words.push(word(pending, 1, tx, false));
        }
    }
    words.extend([word(1, 0, 0, false), word(0, 0, 0, false), word(2, 2, 0, true)]);
    words
}

fn every_pair<E: Engine>(engine: E) {
    let mut range = Range::new(engine);
    let requests = requests();
    for word in words() {
        for first in &requests {
            for second in &requests {
                range.on(word, &[*first, *second]);
            }
        }
    }
}

#[test]
fn every_pair_on_every_word() {
    every_pair(Rtl::new(parameters(2)));
}

#[test]
fn every_triple_on_every_word() {
    let mut range = Range::new(Rtl::new(parameters(3)));
    // those that a pair shows nothing new about are left out
    let requests: Vec<Request> =
        requests().into_iter().filter(|request| request.data != 2 && !request.remote).collect();
    for word in words() {
        for first in &requests {
            for second in &requests {
                for third in &requests {
                    range.on(word, &[*first, *second, *third]);
                }
            }
        }
    }
}

#[test]
fn pairs_on_the_verilog() {
    let compiled = Compiled::new(parameters(2), Effort::Quick).unwrap_or_else(|error| panic!("{error}"));
    every_pair(compiled.engine());
}

/// Whether those of a volley took effect as one.
fn as_one(outcome: &Outcome) -> bool {
    outcome.done.iter().all(|cycle| *cycle == outcome.done[0])
}

#[test]
fn a_last_arrival_with_expected_bytes_does_not_complete() {
    let mut range = Range::new(Rtl::new(parameters(2)));
    let (outcome, after) = range.on(word(1, 3, 0, false), &[request(Op::Arrive, 1), request(Op::ExpectTx, 16)]);
    assert!(as_one(&outcome));
    assert_eq!((after.phase, after.pending, after.tx), (false, 0, 16), "the bytes are expected first");
}

#[test]
fn a_last_arrival_with_the_last_bytes_completes() {
    let mut range = Range::new(Rtl::new(parameters(2)));
    let (outcome, after) = range.on(word(1, 3, 16, false), &[request(Op::CompleteTx, 16), request(Op::Arrive, 1)]);
    assert!(as_one(&outcome));
    assert_eq!((after.phase, after.pending, after.tx), (true, 3, 0));
    let (outcome, after) = range.on(word(1, 3, 16, false), &[request(Op::CompleteTx, 17), request(Op::Arrive, 1)]);
    assert!(!as_one(&outcome), "the phase might complete on the way");
    assert_eq!((after.phase, after.pending, after.tx), (false, 0, -1));
}

#[test]
fn two_last_arrivals_complete_with_tokens_of_their_own() {
    let mut range = Range::new(Rtl::new(parameters(3)));
    let arrive = request(Op::Arrive, 1);
    let (outcome, after) = range.on(word(2, 3, 0, false), &[arrive, arrive, request(Op::TestWaitParity, 0)]);
    assert!(as_one(&outcome));
    let answer = |port: usize| outcome.answers[port].expect("it is answered");
    let tokens: Vec<Contents> = (0..2).map(|port| Contents::from(answer(port).data)).collect();
    assert_eq!(tokens.iter().map(|token| (token.phase, token.pending)).collect::<Vec<_>>(), [(false, 2), (false, 1)]);
    assert!(answer(2).predicate, "a wait in the same cycle sees the phase complete");
    assert_eq!((after.phase, after.pending), (true, 3));
}

#[test]
fn a_drop_and_an_arrival_complete_together() {
    let mut range = Range::new(Rtl::new(parameters(2)));
    let (outcome, after) = range.on(word(2, 3, 0, false), &[request(Op::ArriveDrop, 1), request(Op::Arrive, 1)]);
    assert!(as_one(&outcome));
    assert_eq!((after.phase, after.pending, after.expected), (true, 2, 2));
}

#[test]
fn arrivals_too_many_are_sorted_out_one_by_one() {
    let mut range = Range::new(Rtl::new(parameters(3)));
    let arrive = request(Op::Arrive, 2);
    let (outcome, after) = range.on(word(3, 3, 0, false), &[arrive, arrive, arrive]);
    let statuses: Vec<u8> = outcome.answers.iter().map(|answer| answer.expect("it is answered").status).collect();
    assert_eq!(statuses.iter().filter(|status| **status != 0).count(), 2, "{statuses:?}");
    assert_eq!((after.phase, after.pending), (false, 1));
    let (first, last) = (outcome.done.iter().min().expect("three"), outcome.done.iter().max().expect("three"));
    assert_eq!(last - first, 2, "one a cycle");
}

/// What a port does beside others' arrivals.
const BESIDE: [Option<(Op, u64)>; 5] =
    [None, Some((Op::Arrive, 1)), Some((Op::Load, 0)), Some((Op::TestWaitParity, 0)), Some((Op::TestWaitParity, 1))];

/// Every mix of arrivals, loads and waits of four ports, on every state of barriers for a few arrivals. Gives how many
/// volleys completed how many phases.
fn every_overrun<E: Engine>(engine: E, expected: std::ops::RangeInclusive<u32>) -> [u32; 5] {
    let mut range = Range::new(engine);
    let mut completing = [0; 5];
    for expected in expected {
        for (pending, phase) in (1..=expected).flat_map(|pending| [(pending, 0), (pending, 1 << 63)]) {
            for mix in 0..BESIDE.len().pow(4) {
                let chosen = (0..4).map(|port| BESIDE[mix / BESIDE.len().pow(port) % BESIDE.len()]);
                // who has nothing to do asks for another word
                let requests: Vec<Request> = chosen
                    .map(|beside| beside.map_or(Request::new(Op::Load, 0x40), |(op, data)| request(op, data)))
                    .collect();
                let before = range.scoreboard.tally().flips;
                let (outcome, _) = range.on(word(pending, expected, 0, false) | phase, &requests);
                completing[(range.scoreboard.tally().flips - before) as usize] += 1;
                let on_it = |port: &usize| requests[*port].address == BARRIER;
                let cycles: Vec<u64> = (0..4).filter(on_it).map(|port| outcome.done[port]).collect();
                assert!(cycles.iter().all(|cycle| *cycle == cycles[0]), "not as one: {requests:?}");
            }
        }
    }
    completing
}

#[test]
fn phases_end_among_single_arrivals() {
    let completing = every_overrun(Rtl::new(parameters(4)), 1..=6);
    assert!(completing.iter().all(|volleys| *volleys > 0), "up to four phases in a cycle: {completing:?}");
}

#[test]
fn phases_end_among_single_arrivals_on_the_verilog() {
    let compiled = Compiled::new(parameters(4), Effort::Quick).unwrap_or_else(|error| panic!("{error}"));
    every_overrun(compiled.engine(), 1..=3);
}

/// Whatever is pending and expected, and however many of eight ports arrive: with each as the lowest that does not.
#[test]
fn phases_end_among_eight_arrivals() {
    let mut range = Range::new(Rtl::new(parameters(8)));
    for expected in 1..=18 {
        for pending in 1..=expected {
            for arrivals in 1..=8usize {
                for idle in 0..arrivals {
                    let one = |port: usize| if port == idle && arrivals < 8 { Op::Load } else { Op::Arrive };
                    let requests: Vec<Request> = (0..arrivals).map(|port| request(one(port), 1)).collect();
                    let (outcome, _) = range.on(word(pending, expected, 0, false), &requests);
                    assert!(as_one(&outcome), "{requests:?} on {pending} of {expected}");
                }
            }
        }
    }
}

#[test]
fn what_overruns_is_followed_at_once() {
    let mut range = Range::new(Rtl::new(parameters(4)));
    let arrive = request(Op::Arrive, 1);
    // a volley is done in one cycle and the next in the one after it, each on the word that the one ahead leaves
    for expected in 1..=9 {
        range.volley(&[request(Op::Init, expected)]);
        let begin = range.cycle;
        range.engine.drive_ready(0xf);
        for volley in 0..40 {
            (0..4).for_each(|port| range.engine.drive_request(port, &arrive));
            range.engine.drive_valid(if volley < 32 { 0xf } else { 0 });
            range.engine.settle();
            assert_eq!(range.engine.accepted(), if volley < 32 { 0xf } else { 0 }, "no cycle is lost");
            for port in each(range.engine.accepted()) {
                range.scoreboard.accept(range.cycle, port, &arrive);
            }
            range.effects.read(&range.engine);
            let checked = range.scoreboard.effects(range.cycle, &mut range.effects);
            checked.unwrap_or_else(|failure| panic!("{failure}"));
            for port in each(range.engine.shown()) {
                let response = range.engine.response(port);
                range.scoreboard.answer(range.cycle, port, &response).unwrap_or_else(|failure| panic!("{failure}"));
            }
            range.engine.clock();
            range.cycle += 1;
        }
        assert!(range.scoreboard.is_idle());
        assert_eq!(range.cycle - begin, 40);
    }
}

#[test]
fn more_than_single_arrivals_are_done_one_by_one_where_a_phase_ends() {
    let mut range = Range::new(Rtl::new(parameters(2)));
    let arrive = request(Op::Arrive, 1);
    let others = [
        (request(Op::Arrive, 2), word(1, 4, 0, false)),
        (request(Op::ArriveDrop, 1), word(1, 4, 0, false)),
        (request(Op::ArriveExpectTx, 8), word(1, 4, 0, false)),
        (arrive, word(1, 0, 0, false)), // the second one is one too many
        (arrive, word(1, 4, 0, true)),
        (arrive, word(1, 4, 1, false)),
        (arrive, word(1, 4, -1, false)),
    ];
    for (other, word) in others {
        for requests in [[arrive, other], [other, arrive]] {
            let (outcome, _) = range.on(word, &requests);
            assert!(!as_one(&outcome), "{requests:?} on {word:x}");
        }
    }
}
