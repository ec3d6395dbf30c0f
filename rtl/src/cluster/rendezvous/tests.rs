//! A cluster of rendezvous blocks joined by delay lines, and a plain model of `barrier.cluster` to compare it with.

use super::*;
use crate::cluster::parameters::ClusterParameters;
use crate::hdl::settled;
use std::collections::VecDeque;

const ALL: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Request {
    act: Act,
    warp: usize,
    lanes: u32,
    aligned: bool,
    releases: bool,
}

fn request(act: Act, warp: usize, lanes: u32) -> Request {
    Request { act, warp, lanes, aligned: false, releases: false }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Reply {
    warp: usize,
    lanes: u32,
    status: Status,
}

fn reply(warp: usize, lanes: u32, status: Status) -> Reply {
    Reply { warp, lanes, status }
}

/// What a CTA is given in a cycle, and what it shows.
#[derive(Clone, Copy, Debug, Default)]
struct Cycle {
    request: Option<Request>,
    quiet: bool,
    ready: bool,
    accepted: bool,
    draining: bool,
    shown: Option<Reply>,
}

struct Rig {
    ctas: Vec<Rendezvous>,
    /// What is under way of each CTA's `arrived` and `empty`, oldest first.
    links: Vec<VecDeque<(bool, bool)>>,
    /// A CTA sees its own wires undelayed.
    short: bool,
    parameters: ClusterParameters,
}

impl Rig {
    fn new(ctas: usize, warps: usize, latency: usize, checked: bool) -> Self {
        Self {
            ctas: vec![Rendezvous::new(ctas, warps, checked); ctas],
            links: vec![VecDeque::from(vec![(false, false); latency]); ctas],
            short: false,
            parameters: ClusterParameters { ctas, warps, ..ClusterParameters::default() },
        }
    }

    /// As `new`, with the rows cleared.
    fn cleared(ctas: usize, warps: usize, latency: usize, checked: bool) -> Self {
        let mut rig = Self::new(ctas, warps, latency, checked);
        (0..warps).for_each(|_| rig.idle());
        rig
    }

    fn cycle(&mut self, inputs: &mut [Cycle]) {
        let own: Vec<_> = self.ctas.iter().map(|cta| (cta.arrived.q.val(), cta.empty.q.val())).collect();
        for (link, now) in self.links.iter_mut().zip(&own) {
            link.push_back(*now);
        }
        let late: Vec<_> = self.links.iter_mut().map(|link| link.pop_front().expect("one was put in")).collect();
        for (number, (cta, input)) in self.ctas.iter_mut().zip(inputs).enumerate() {
            let seen = |other: usize| if self.short && other == number { own[other] } else { late[other] };
            let mask =
                |part: fn((bool, bool)) -> bool| (0..own.len()).map(|c| (part(seen(c)) as u64) << c).sum::<u64>();
            cta.arrived_of.next = mask(|(arrived, _)| arrived).into();
            cta.empty_of.next = mask(|(_, empty)| empty).into();
            let Request { act, warp, lanes, aligned, releases } = input.request.unwrap_or(request(Act::Arrive, 0, 0));
            cta.req.valid.next = input.request.is_some();
            cta.req.op.next = (act.code() as u64).into();
            cta.req.warp.next = (warp as u64).into();
            cta.req.lanes.next = (lanes as u64).into();
            cta.req.aligned.next = aligned;
            cta.req.releases.next = releases;
            cta.settle();
            input.draining = cta.draining.val();
            cta.quiet.next = input.quiet;
            cta.rsp_ready.next = input.ready;
            cta.settle();
            input.accepted = cta.req.valid.val() && cta.req.ready.val();
            input.shown = cta.rsp_valid.q.val().then(|| Reply {
                warp: cta.rsp_warp.q.val().index(),
                lanes: cta.rsp_lanes.q.val().raw() as u32,
                status: Status::from_code(cta.rsp_status.q.val().raw()).expect("a status"),
            });
            assert!(cta.missing.q.val().raw() <= cta.live.q.val().raw() && cta.live.q.val().index() <= cta.threads);
            cta.tick();
        }
    }

    fn idle(&mut self) {
        self.cycle(&mut vec![Cycle { quiet: true, ready: true, ..Cycle::default() }; self.ctas.len()]);
    }

    /// Runs one cycle in which each of these asks; what the CTAs show.
    fn ask(&mut self, requests: &[(usize, Request)]) -> Vec<Option<Reply>> {
        let mut cycle = vec![Cycle { quiet: true, ready: true, ..Cycle::default() }; self.ctas.len()];
        requests.iter().for_each(|(cta, request)| cycle[*cta].request = Some(*request));
        self.cycle(&mut cycle);
        assert!(requests.iter().all(|(cta, _)| cycle[*cta].accepted), "{requests:?} is not accepted");
        cycle.iter().map(|cycle| cycle.shown).collect()
    }

    /// Runs until CTA `cta` shows something; how many cycles that took, at most 100.
    fn shown(&mut self, cta: usize) -> (usize, Reply) {
        (0..100).find_map(|cycle| Some((cycle, self.ask(&[])[cta]?))).expect("an answer")
    }

    /// One request of one CTA, and its answer in the next cycle.
    fn answer(&mut self, cta: usize, asked: Request) -> Option<Reply> {
        self.ask(&[(cta, asked)]);
        self.ask(&[])[cta]
    }

    /// Every CTA's warps do this, one after the other, as far as it is answered at once.
    fn all(&mut self, act: Act) {
        for warp in 0..self.parameters.warps {
            let asked: Vec<_> = (0..self.ctas.len()).map(|cta| (cta, request(act, warp, ALL))).collect();
            self.ask(&asked);
        }
    }

    /// Values that do not fit their wires, and those that differ when everything is settled again.
    fn check_values(&self) {
        for cta in &self.ctas {
            let mut cta = cta.clone();
            cta.settle();
            let mut again = cta.clone();
            again.settle();
            settled::check(&cta, &again, &self.parameters, "rendezvous");
        }
    }
}

#[test]
fn the_last_arrival_is_felt_four_cycles_and_the_links_later() {
    for (latency, short) in [(0, false), (1, false), (1, true), (4, false), (4, true)] {
        let mut rig = Rig::cleared(2, 2, latency, false);
        rig.short = short;
        rig.ask(&[(0, request(Act::Arrive, 0, ALL)), (1, request(Act::Arrive, 0, ALL))]);
        rig.ask(&[(0, request(Act::Wait, 0, ALL)), (1, request(Act::Wait, 0, ALL))]);
        rig.ask(&[(0, request(Act::Arrive, 1, ALL))]);
        (0..9).for_each(|_| drop(rig.ask(&[])));
        rig.ask(&[(1, request(Act::Arrive, 1, ALL))]); // cycle 0
        let at_once = rig.ask(&[(0, request(Act::Wait, 1, ALL)), (1, request(Act::Wait, 1, ALL))]); // cycle 1
        assert_eq!(at_once, [None, Some(reply(1, ALL, Status::Ok))]);
        for cta in 0..2 {
            let mut copy = Rig { ctas: rig.ctas.clone(), links: rig.links.clone(), ..rig };
            let (cycles, shown) = copy.shown(cta);
            // the last arrival is one of CTA 1, which may see it undelayed
            let late = if short && cta == 1 { 0 } else { latency };
            assert_eq!((cycles + 2, shown), (late + 4, reply(0, ALL, Status::Ok)), "CTA {cta}, {latency} cycles");
            assert_eq!(copy.shown(cta), (0, reply(1, ALL, Status::Ok)));
        }
    }
}

#[test]
fn a_cluster_of_one_meets_too() {
    let mut rig = Rig::cleared(1, 1, 0, false);
    for _ in 0..5 {
        assert_eq!(rig.answer(0, request(Act::Arrive, 0, ALL)), Some(reply(0, ALL, Status::Ok)));
        rig.ask(&[(0, request(Act::Wait, 0, ALL))]);
        assert_eq!(rig.shown(0), (1, reply(0, ALL, Status::Ok)));
    }
}

#[test]
fn rounds_follow_one_another_and_never_mix() {
    // each CTA begins the next round as soon as it is let go; each in turn is the one that all others wait for
    for (latency, short) in [(1, true), (1, false), (5, true), (5, false)] {
        let mut rig = Rig::cleared(3, 1, latency, false);
        rig.short = short;
        let mut rounds = [0u32; 3];
        let mut step = [0u32; 3]; // 0 arrive, 1 wait, 2 until answered
        for cycle in 0..4000u32 {
            let mut inputs = vec![Cycle { quiet: true, ready: true, ..Cycle::default() }; 3];
            for cta in 0..3 {
                let dawdles = cycle / 50 % 4 == cta as u32 && cycle % 50 > 7;
                inputs[cta].request = match step[cta] {
                    0 if !dawdles => Some(request(Act::Arrive, 0, ALL)),
                    1 => Some(request(Act::Wait, 0, ALL)),
                    _ => None,
                };
            }
            rig.cycle(&mut inputs);
            let least = (0..3).map(|cta| rounds[cta] + (step[cta] > 0) as u32).min();
            for cta in 0..3 {
                if step[cta] == 2 && inputs[cta].shown.is_some() {
                    rounds[cta] += 1;
                    assert!(Some(rounds[cta]) <= least, "CTA {cta} is let go before all have arrived");
                    step[cta] = 0;
                } else if step[cta] == 1 && inputs[cta].accepted && inputs[cta].shown.is_some() {
                    step[cta] = 2; // what is shown is the arrival's answer
                } else {
                    step[cta] += inputs[cta].accepted as u32;
                }
            }
        }
        let fastest = 4000 / (latency as u32 + 4 + 1);
        assert!(rounds.iter().all(|done| *done > fastest / 4), "{rounds:?} in 4000 cycles");
        assert!(rounds.iter().max().unwrap_or(&0) - rounds.iter().min().unwrap_or(&0) <= 1, "{rounds:?}");
    }
}

#[test]
fn an_exit_completes_the_round() {
    let mut rig = Rig::cleared(2, 1, 1, false);
    rig.ask(&[(0, request(Act::Arrive, 0, ALL)), (1, request(Act::Arrive, 0, 0xffff))]);
    rig.ask(&[(0, request(Act::Wait, 0, ALL)), (1, request(Act::Wait, 0, 0xffff))]);
    (0..20).for_each(|_| drop(rig.ask(&[])));
    assert_eq!(rig.answer(1, request(Act::Exit, 0, 0xffff_0000)), Some(reply(0, 0xffff_0000, Status::Ok)));
    assert_eq!(rig.shown(0), (3, reply(0, ALL, Status::Ok)));
    // the others go on without them
    rig.ask(&[(0, request(Act::Arrive, 0, ALL)), (1, request(Act::Arrive, 0, 0xffff))]);
    rig.ask(&[(0, request(Act::Wait, 0, ALL)), (1, request(Act::Wait, 0, 0xffff))]);
    assert_eq!(rig.ask(&[]), [None, None]);
    rig.ask(&[]);
    rig.ask(&[]);
    assert_eq!(rig.ask(&[]), [Some(reply(0, ALL, Status::Ok)), Some(reply(0, 0xffff, Status::Ok))]);
}

#[test]
fn a_cta_that_is_empty_keeps_nobody_waiting() {
    for first in [Act::Exit, Act::Arrive] {
        let mut rig = Rig::cleared(2, 2, 2, false);
        if first == Act::Arrive {
            rig.all(Act::Arrive); // an exit after the arrival counts for this round
        }
        rig.ask(&[(1, request(Act::Exit, 0, ALL))]);
        rig.ask(&[(1, request(Act::Exit, 1, ALL))]);
        (0..10).for_each(|_| drop(rig.ask(&[])));
        assert!(rig.ctas[1].empty.q.val() && !rig.ctas[0].empty.q.val());
        for round in 0..5 {
            if first == Act::Exit || round > 0 {
                rig.ask(&[(0, request(Act::Arrive, 0, ALL))]);
                rig.ask(&[(0, request(Act::Arrive, 1, ALL))]);
            }
            rig.ask(&[(0, request(Act::Wait, 0, ALL))]);
            rig.ask(&[(0, request(Act::Wait, 1, ALL))]);
            let mut shown: Vec<_> = (0..10).filter_map(|_| rig.ask(&[])[0]).collect();
            shown.retain(|answer| answer.status == Status::Ok && answer.lanes == ALL);
            assert_eq!(shown.len(), if first == Act::Arrive && round == 0 { 1 } else { 2 });
        }
        assert_eq!(rig.answer(1, request(Act::Exit, 0, 1)), Some(reply(0, 1, Status::ExitedThread)));
    }
}

#[test]
fn faults_are_named_and_change_nothing() {
    for checked in [false, true] {
        let mut rig = Rig::cleared(2, 2, 1, checked);
        let mut says = |cta, act, lanes, aligned, status| {
            let asked = Request { aligned, ..request(act, 0, lanes) };
            assert_eq!(rig.answer(cta, asked), Some(reply(0, lanes, status)), "{asked:?}");
        };
        let divergent = |otherwise| if checked { Status::DivergentWarp } else { otherwise };
        says(0, Act::Wait, 1, false, Status::MissingArrive);
        says(0, Act::Arrive, 0xff, false, Status::Ok);
        says(0, Act::Arrive, 0x180, false, Status::ArrivedTwice);
        says(0, Act::Wait, 0x180, false, Status::MissingArrive);
        says(0, Act::Exit, 0x8000_0000, false, Status::Ok);
        says(0, Act::Exit, 0x8000_0001, false, Status::ExitedThread);
        says(0, Act::Arrive, 0x8000_0100, false, Status::ExitedThread);
        says(0, Act::Wait, 0x8000_0000, true, Status::ExitedThread);
        says(0, Act::Arrive, 0x80, true, divergent(Status::ArrivedTwice));
        says(0, Act::Wait, 0x100, true, divergent(Status::MissingArrive));
        says(0, Act::Arrive, 0, false, Status::Ok);
        says(1, Act::Arrive, ALL, true, Status::Ok);
        rig.ask(&[(0, request(Act::Wait, 0, 1))]);
        // a thread that is suspended has neither arrived again nor anything to wait for
        assert_eq!(rig.answer(0, request(Act::Arrive, 0, 1)), Some(reply(0, 1, Status::ArrivedTwice)));
        assert_eq!(rig.answer(0, request(Act::Wait, 0, 1)), Some(reply(0, 1, Status::MissingArrive)));
        // exactly the threads that have not exited are aligned
        rig.ask(&[(0, request(Act::Arrive, 0, 0x7fff_ff00)), (1, request(Act::Arrive, 1, ALL))]);
        rig.ask(&[(0, request(Act::Arrive, 1, ALL))]);
        assert_eq!(rig.ask(&[])[0], Some(reply(1, ALL, Status::Ok)));
        assert_eq!(rig.shown(0), (3, reply(0, 1, Status::Ok)));
        assert_eq!(rig.answer(0, request(Act::Wait, 0, 0x7fff_fffe)), Some(reply(0, 0x7fff_fffe, Status::Ok)));
        let aligned = Request { aligned: true, ..request(Act::Arrive, 0, 0x7fff_ffff) };
        assert_eq!(rig.answer(0, aligned), Some(reply(0, 0x7fff_ffff, Status::Ok)));
        let cta = &mut rig.ctas[0];
        (cta.req.valid.next, cta.req.op.next) = (true, 3.into());
        cta.settle();
        cta.tick();
        assert_eq!(cta.rsp_status.q.val(), Status::IllegalOperation);
    }
}

#[test]
fn an_arrival_that_releases_is_held_until_it_is_quiet() {
    let mut rig = Rig::cleared(1, 2, 0, false);
    let releases = Request { releases: true, ..request(Act::Arrive, 0, ALL) };
    let relaxed = request(Act::Arrive, 1, ALL);
    let wait = Request { releases: true, ..request(Act::Wait, 1, ALL) };
    for (asked, quiet, accepted) in [
        (releases, false, false),
        (releases, false, false),
        (relaxed, false, true),
        (wait, false, true),
        (releases, true, true),
    ] {
        let mut cycle = [Cycle { request: Some(asked), quiet, ready: true, ..Cycle::default() }];
        rig.cycle(&mut cycle);
        assert_eq!((cycle[0].accepted, cycle[0].draining), (accepted, asked == releases), "{asked:?}");
    }
}

#[test]
fn threads_of_one_wait_go_when_their_own_round_is_complete() {
    let mut rig = Rig::cleared(1, 1, 0, false);
    rig.ask(&[(0, request(Act::Arrive, 0, ALL))]);
    (0..5).for_each(|_| rig.idle());
    rig.ask(&[(0, request(Act::Wait, 0, 0xff))]);
    rig.ask(&[(0, request(Act::Arrive, 0, 0xff))]);
    // the low ones wait for a round that needs the others
    assert_eq!(rig.answer(0, request(Act::Wait, 0, ALL)), Some(reply(0, 0xffff_ff00, Status::Ok)));
    rig.ask(&[(0, request(Act::Arrive, 0, 0xffff_ff00))]);
    rig.ask(&[]);
    assert_eq!(rig.shown(0), (2, reply(0, 0xff, Status::Ok)));
}

#[test]
fn nothing_is_accepted_after_reset_until_the_rows_are_clear() {
    for warps in [1, 3, 32] {
        let mut rig = Rig::cleared(1, warps, 0, false);
        rig.all(Act::Exit);
        rig.idle();
        rig.ctas[0].reset();
        let asked = Some(request(Act::Arrive, warps - 1, ALL));
        for cycle in 0..=warps {
            let mut cycles = [Cycle { request: asked, ready: true, ..Cycle::default() }];
            rig.cycle(&mut cycles);
            assert_eq!(cycles[0].accepted, cycle == warps);
            assert!(!rig.ctas[0].empty.q.val());
        }
        assert_eq!(rig.ask(&[]), [Some(reply(warps - 1, ALL, Status::Ok))]);
    }
}

mod random;
