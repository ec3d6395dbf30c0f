//! Random threads against a plain model: what PTX ISA 9.7.13.3 says of each thread, and nothing of the hardware.

use super::*;

struct Noise(u64);

impl Noise {
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }
    fn below(&mut self, limit: usize) -> usize {
        self.bits() as usize % limit
    }
    fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }
}

#[derive(Clone, Copy, Default)]
struct Thread {
    /// Rounds that it has arrived in.
    arrived: usize,
    /// Rounds that it has waited for.
    waited: usize,
    exited: bool,
    /// It has asked for something and has not been answered.
    asked: bool,
    /// It is in a wait that was not refused.
    waits: bool,
    /// Cycles in which it could have been let go.
    patience: usize,
}

struct Model {
    /// By CTA, by warp.
    threads: Vec<Vec<[Thread; 32]>>,
    checked: bool,
    latency: usize,
    cycle: usize,
    /// When each round became complete.
    rounds: Vec<usize>,
    /// What each CTA must show in the next cycle.
    due: Vec<Option<Reply>>,
}

fn lanes_of(warp: &[Thread; 32], what: impl Fn(&Thread) -> bool) -> u32 {
    (0..32).filter(|lane| what(&warp[*lane])).map(|lane| 1 << lane).sum()
}

impl Model {
    fn judge(&self, cta: usize, asked: &Request) -> Status {
        let warp = &self.threads[cta][asked.warp];
        let any = |what: fn(&Thread) -> bool| asked.lanes & lanes_of(warp, what) != 0;
        let whole = asked.lanes == lanes_of(warp, |thread| !thread.exited);
        match asked.act {
            _ if any(|thread| thread.exited) => Status::ExitedThread,
            Act::Exit => Status::Ok,
            _ if self.checked && asked.aligned && !whole => Status::DivergentWarp,
            Act::Arrive if any(|thread| thread.arrived > thread.waited) => Status::ArrivedTwice,
            Act::Wait if any(|thread| thread.arrived == thread.waited) => Status::MissingArrive,
            _ => Status::Ok,
        }
    }

    fn accept(&mut self, cta: usize, asked: &Request) {
        let status = self.judge(cta, asked);
        let (mut at_once, seen) = (true, self.latency + 3);
        for lane in (0..32).filter(|lane| asked.lanes >> lane & 1 != 0) {
            let thread = &mut self.threads[cta][asked.warp][lane];
            assert!(!thread.asked, "the test is wrong: a thread does one thing at a time");
            thread.asked = true;
            if status == Status::Ok {
                match asked.act {
                    Act::Arrive => thread.arrived += 1,
                    Act::Exit => thread.exited = true,
                    Act::Wait => {
                        thread.waited += 1;
                        thread.waits = true;
                        at_once &= self.rounds.get(thread.waited - 1).is_some_and(|when| when + seen <= self.cycle);
                    }
                }
            }
        }
        if at_once {
            self.due[cta] = Some(reply(asked.warp, asked.lanes, status));
        }
    }

    /// An answer that is shown for the first time.
    fn answer(&mut self, cta: usize, shown: Reply) {
        let due = self.due[cta].take();
        assert!(due.is_none_or(|due| due == shown), "CTA {cta}: {due:?} is due, {shown:?} is shown");
        assert!(due.is_some() || (shown.lanes != 0 && shown.status == Status::Ok), "nobody asked for {shown:?}");
        for lane in (0..32).filter(|lane| shown.lanes >> lane & 1 != 0) {
            let thread = &mut self.threads[cta][shown.warp][lane];
            assert!(thread.asked, "CTA {cta}: {shown:?} answers thread {lane}, which did not ask");
            assert!(due.is_some() || thread.waits, "CTA {cta}: {shown:?} answers thread {lane}, which does not wait");
            let early = thread.waits && thread.waited > self.rounds.len();
            assert!(!early, "CTA {cta}: {shown:?} lets thread {lane} go before all have arrived");
            *thread = Thread { asked: false, waits: false, patience: 0, ..*thread };
        }
    }

    /// After the acceptances of a cycle, in which the CTAs' answers could be taken or not.
    fn end(&mut self, inputs: &[Cycle]) {
        let all = || self.threads.iter().flatten().flatten();
        let least = all().filter(|thread| !thread.exited).map(|thread| thread.arrived).min();
        if least.is_some_and(|least| least > self.rounds.len()) {
            self.rounds.push(self.cycle);
        }
        for (warps, input) in self.threads.iter_mut().zip(inputs) {
            let bound = 2 * warps.len() + 4;
            for thread in warps.iter_mut().flatten().filter(|thread| thread.waits) {
                let complete = self.rounds.get(thread.waited - 1);
                let could = complete.is_some_and(|when| self.cycle > when + self.latency + 4);
                thread.patience += (could && input.ready) as usize;
                assert!(thread.patience <= bound, "a thread is not let go");
            }
        }
        self.cycle += 1;
    }

    /// Something for a CTA to ask; late in the test, threads only exit.
    fn next(&self, cta: usize, noise: &mut Noise, late: bool, exits: usize) -> Option<Request> {
        let number = noise.below(self.threads[cta].len());
        let warp = &self.threads[cta][number];
        let free = lanes_of(warp, |thread| !thread.asked);
        let live = free & lanes_of(warp, |thread| !thread.exited);
        let owing = live & lanes_of(warp, |thread| thread.arrived > thread.waited);
        let some = if noise.percent(60) { ALL } else { noise.bits() as u32 & noise.bits() as u32 };
        let (act, lanes) = match noise.below(100) {
            _ if late => (Act::Exit, live),
            0..4 => ([Act::Arrive, Act::Wait, Act::Exit][noise.below(3)], free & some & noise.bits() as u32),
            chance if chance < 4 + exits => (Act::Exit, live & some & noise.bits() as u32 & noise.bits() as u32),
            _ if owing != 0 && noise.percent(50) => (Act::Wait, owing & some),
            _ => (Act::Arrive, live & !owing & some),
        };
        // a request for nobody is of no use, but harmless
        let asked = Request { aligned: noise.percent(25), releases: noise.percent(30), ..request(act, number, lanes) };
        (lanes != 0 || noise.percent(2)).then_some(asked)
    }
}

/// Rounds that were completed, and waits in them that were let go.
fn run(seed: u64) -> usize {
    let mut noise = Noise(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    for _ in 0..10 {
        noise.bits();
    }
    let ctas = [1, 2, 3, 4, 8][noise.below(5)];
    let warps = [1, 2, 3, 4, 8][noise.below(if ctas == 8 { 3 } else { 5 })];
    let farthest = [2, 16][noise.below(2)];
    let latency = noise.below(farthest + 1);
    let checked = noise.percent(50);
    let (ready, quiet, asks) = ([100, 80, 30][noise.below(3)], [100, 50][noise.below(2)], [100, 40][noise.below(2)]);
    let exits = [0, 0, 1, 3][noise.below(4)];
    let mut rig = Rig::new(ctas, warps, latency, checked);
    rig.short = noise.percent(50);
    let mut model = Model {
        threads: vec![vec![[Thread::default(); 32]; warps]; ctas],
        checked,
        latency,
        cycle: 0,
        rounds: Vec::new(),
        due: vec![None; ctas],
    };
    let mut inputs = vec![Cycle::default(); ctas];
    let (busy, end) = (1200, 12_000);
    for cycle in 0..end {
        let before = inputs.clone();
        for (cta, input) in inputs.iter_mut().enumerate() {
            let late = cycle >= busy;
            if input.accepted || input.request.is_none() {
                input.request = if noise.percent(asks) { model.next(cta, &mut noise, late, exits) } else { None };
            }
            (input.ready, input.quiet) = (noise.percent(ready), noise.percent(quiet));
        }
        rig.cycle(&mut inputs);
        if cycle % 64 == 0 {
            rig.check_values();
        }
        for (cta, (input, old)) in inputs.iter().zip(&before).enumerate() {
            if old.shown.is_some() && !old.ready {
                assert_eq!(old.shown, input.shown, "CTA {cta}: an answer that is not taken stays");
            } else if let Some(shown) = input.shown {
                model.answer(cta, shown);
            }
            assert_eq!(model.due[cta], None, "CTA {cta}: it is to be shown now");
        }
        for (cta, input) in inputs.iter().enumerate() {
            let releases = input.request.is_some_and(|asked| asked.act == Act::Arrive && asked.releases);
            assert_eq!(input.draining, releases);
            assert!(!(input.accepted && releases && !input.quiet), "CTA {cta}: accepted while not quiet");
            if let Some(asked) = input.request.filter(|_| input.accepted) {
                model.accept(cta, &asked);
            }
        }
        model.end(&inputs);
        let all = || model.threads.iter().flatten().flatten();
        if cycle > busy && all().all(|thread| thread.exited && !thread.asked) {
            (0..3 + latency).for_each(|_| rig.idle());
            assert!(rig.ctas.iter().all(|cta| cta.empty.q.val() && !cta.suspended.q.val().any()));
            return model.rounds.len();
        }
    }
    panic!("somebody waits for ever");
}

#[test]
fn every_wait_is_answered_once_and_not_before_all_have_arrived() {
    struct Seed(u64);
    impl Drop for Seed {
        fn drop(&mut self) {
            if std::thread::panicking() {
                eprintln!("seed {}", self.0);
            }
        }
    }
    let rounds: usize = (0..300)
        .map(|seed| {
            let named = Seed(seed);
            run(named.0)
        })
        .sum();
    assert!(rounds > 3000, "only {rounds} rounds");
}
