//! Pairs of accesses, with and without each operation that orders them.

use super::*;
use crate::effect::{Bar as Kind, Visit};

const X: Place = Place::Shared { cluster: 0, cta: 0, offset: 64 };
const Y: Place = Place::Shared { cluster: 0, cta: 0, offset: 128 };
const FAR: Place = Place::Shared { cluster: 0, cta: 1, offset: 64 };
const BAR: Place = Place::Shared { cluster: 0, cta: 0, offset: 8 };
const FLAG: Place = Place::Global(0x1000);
const SOURCE: Place = Place::Global(0x4000);
const READ: Manner = Manner {
    writes: false,
    strong: false,
    atomic: false,
    width: 0,
    constant: false,
    read_only: false,
    scope: Scope::Cta,
};
const WRITE: Manner = Manner { writes: true, ..READ };
const RELEASE: Ordered = Ordered { acquires: false, releases: true, scope: Scope::Cta };
const ACQUIRE: Ordered = Ordered { acquires: true, releases: false, scope: Scope::Cta };
const RELAXED: Ordered = Ordered { acquires: false, releases: false, scope: Scope::Gpu };

/// A thread of CTA 0; the instruction of each thread is its number.
fn thread(thread: u16) -> Who {
    Who { cluster: 0, cta: 0, thread }
}

/// A thread of CTA 1.
fn far(thread: u16) -> Who {
    Who { cta: 1, ..self::thread(thread) }
}

/// A fence of both directions.
fn both(scope: Scope) -> Fence {
    Fence::Memory(Ordered { acquires: true, releases: true, scope })
}

fn wide(ordered: Ordered) -> Ordered {
    Ordered { scope: Scope::Cluster, ..ordered }
}

struct World {
    order: Order,
    steps: u64,
}

impl World {
    fn new() -> Self {
        Self { order: Order::new(2, 256), steps: 0 }
    }

    fn at(&mut self, pc: usize) -> At {
        self.steps += 1;
        At { pc, cycle: self.steps }
    }

    fn touch(&mut self, who: Who, place: Place, manner: Manner) {
        let at = self.at(usize::from(who.thread) + 1000 * usize::from(who.cta));
        self.order.accesses(who, at, place, 4, manner);
    }

    fn arrive(&mut self, who: Who, ordered: Ordered) {
        let mark = self.order.mark(who);
        self.order.arrives(who, BAR, ordered, mark);
    }

    fn load(&mut self, who: Who, to: Place, bytes: u64) {
        let at = self.at(500);
        self.order.copies_to(who, at, ([(SOURCE, bytes)].into_iter(), to), bytes, BAR, (false, true));
    }

    fn store(&mut self, who: Who, from: Place) {
        let at = self.at(600);
        self.order.copies_out(who, at, [(from, 64)].into_iter(), [(SOURCE, 64)].into_iter(), (false, false));
        self.order.bulk_commits(who);
    }

    /// What is wrong, each once.
    fn wrong(&mut self) -> Vec<Wrong> {
        self.order.found().into_iter().map(|conflict| conflict.wrong).collect()
    }

    fn is_sound(&mut self) {
        assert_eq!(self.wrong(), []);
    }
}

#[test]
fn nothing_orders_two_warps_whatever_comes_first() {
    for (first, second) in [(WRITE, READ), (READ, WRITE), (WRITE, WRITE)] {
        let mut world = World::new();
        world.touch(thread(9), X, WRITE);
        world.order.meet([thread(9), thread(0), thread(40)].into_iter());
        world.touch(thread(0), X, first);
        world.touch(thread(40), X, second);
        let found = world.order.found();
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].wrong, found[0].first.map(|side| side.pc), found[0].second.pc),
            (Wrong::Race, Some(0), 40)
        );
    }
}

#[test]
fn reads_do_not_conflict_and_bytes_are_told_apart() {
    let mut world = World::new();
    world.touch(thread(0), X, WRITE);
    world.order.meet([thread(0), thread(40)].into_iter());
    world.touch(thread(0), X, READ);
    world.touch(thread(40), X, READ);
    let at = world.at(1);
    world.order.accesses(thread(0), at, X.plus(1), 1, WRITE);
    let at = world.at(2);
    world.order.accesses(thread(1), at, X.plus(2), 2, WRITE);
    assert_eq!(
        world.wrong().len(),
        3,
        "both and the read of thread 40, the second and that of thread 0, but not with each other"
    );
}

/// An instruction that 64 threads execute.
const VISIT: Visit = Visit { number: 1, threads: Some(64), bar: Kind::Sync, aligned: true, together: 0 };

#[test]
fn bar_sync_orders_and_arrive_alone_does_not_acquire() {
    let mut world = World::new();
    world.touch(thread(0), X, WRITE);
    world.order.bar_comes([thread(0)].into_iter(), At::default(), VISIT);
    world.order.bar_comes([thread(40)].into_iter(), At::default(), VISIT);
    world.order.bar_completes(thread(0).home(), 1, [thread(40)].into_iter());
    world.touch(thread(40), X, WRITE);
    world.is_sound();
    world.touch(thread(0), X, READ);
    assert_eq!(world.wrong(), [Wrong::Race], "thread 0 has only arrived");
}

/// What is told of instructions of lanes on barrier 1, of this many threads each, phase by phase; all of them wait.
fn told_of_bar(phases: &[&[(u16, u32)]]) -> Vec<Wrong> {
    let mut world = World::new();
    for phase in phases {
        for (pc, (lane, threads)) in phase.iter().enumerate() {
            let at = At { pc: pc + 10 * usize::from(*lane), ..At::default() };
            world.order.bar_comes([thread(*lane)].into_iter(), at, Visit { threads: Some(*threads), ..VISIT });
        }
        world.order.bar_completes(thread(0).home(), 1, phase.iter().map(|(lane, _)| thread(*lane)));
    }
    world.wrong()
}

#[test]
fn a_barrier_counts_nobody_who_may_have_come_in_the_phase_before() {
    let visits = |threads: [u32; 2]| threads.map(|threads| Visit { threads: Some(threads), ..VISIT });
    let sound: [&[&[(u16, u32)]]; 4] = [
        &[&[(0, 64), (32, 64)], &[(0, 64), (32, 64)], &[(32, 32)]],
        &[&[(0, 32)], &[(32, 32)], &[(32, 32)]],
        &[&[(0, 64), (48, 64)], &[(0, 64), (32, 64)]],
        &[&[(16, 64), (48, 64)], &[(0, 64), (32, 64)]],
    ];
    sound.iter().for_each(|phases| assert_eq!(told_of_bar(phases), [], "{phases:?}"));
    for (phases, threads) in [([&[(0, 64), (1, 64)][..], &[(32, 64)]], [64, 64]), ([&[(0, 32)], &[(32, 64)]], [32, 64])]
    {
        assert_eq!(told_of_bar(&phases), [Wrong::Bar(visits(threads))], "{phases:?}");
    }
}

#[test]
fn a_thread_goes_on_behind_its_arrival_unordered() {
    let mut world = World::new();
    world.order.bar_comes([thread(0)].into_iter(), At::default(), VISIT);
    world.touch(thread(0), X, WRITE);
    world.order.bar_comes([thread(40)].into_iter(), At::default(), VISIT);
    world.order.bar_completes(thread(0).home(), 1, [thread(40)].into_iter());
    world.touch(thread(40), X, READ);
    assert_eq!(world.wrong(), [Wrong::Race]);
}

#[test]
fn a_phase_orders_what_came_before_its_arrivals() {
    for (arrival, wait, wrong) in
        [(RELEASE, ACQUIRE, vec![]), (RELAXED, ACQUIRE, vec![Wrong::Race]), (RELEASE, RELAXED, vec![Wrong::Race])]
    {
        let mut world = World::new();
        world.touch(thread(0), X, WRITE);
        world.arrive(thread(0), arrival);
        world.order.flips(BAR);
        world.order.passes(thread(40), BAR, 0, wait);
        world.touch(thread(40), X, READ);
        assert_eq!(world.wrong(), wrong);
    }
}

#[test]
fn fences_make_up_for_relaxed_operations() {
    let mut world = World::new();
    world.touch(thread(0), X, WRITE);
    world.order.fence(thread(0), both(Scope::Cta));
    world.arrive(thread(0), RELAXED);
    world.order.flips(BAR);
    world.order.passes(thread(40), BAR, 0, RELAXED);
    world.order.fence(thread(40), both(Scope::Cta));
    world.touch(thread(40), X, READ);
    world.is_sound();
}

#[test]
fn a_fence_of_one_direction_does_not_do_for_the_other_and_a_narrow_one_takes_nothing_from_a_wide_one() {
    let [release, acquire] = [RELEASE, ACQUIRE].map(|ordered| Fence::Memory(wide(ordered)));
    let narrow = both(Scope::Cta);
    for (before, behind, sound) in [
        (&[release][..], &[acquire][..], true),
        (&[acquire], &[acquire], false),
        (&[release], &[release], false),
        (&[release, narrow], &[narrow, acquire], true),
        (&[narrow], &[acquire], false),
        (&[release], &[narrow], false),
    ] {
        let mut world = World::new();
        world.touch(thread(0), X, WRITE);
        before.iter().for_each(|fence| world.order.fence(thread(0), *fence));
        world.order.publishes(thread(0), FLAG, 4, RELAXED);
        world.order.sees(far(0), FLAG, 4, RELAXED);
        behind.iter().for_each(|fence| world.order.fence(far(0), *fence));
        world.touch(far(0), X, READ);
        assert_eq!(world.wrong().is_empty(), sound, "{before:?}, {behind:?}");
    }
}

#[test]
fn an_atomic_operation_hides_nothing_that_came_before_it() {
    let atomic = Manner { strong: true, atomic: true, width: 4, scope: Scope::Gpu, ..WRITE };
    for first in [WRITE, READ] {
        // its own thread's atomic operation comes in between; the other's is ordered with that, and not with the first access
        let mut world = World::new();
        world.touch(thread(0), X, WRITE);
        world.order.meet([thread(0), thread(40)].into_iter());
        world.touch(thread(0), X, first);
        world.touch(thread(0), X, atomic);
        world.touch(thread(40), X, atomic);
        assert_eq!(world.wrong(), [Wrong::Race], "{first:?}");
    }
    // and a thread that comes behind one of two does not come behind the other
    let mut world = World::new();
    for who in 0..64 {
        world.touch(thread(who), X, atomic);
    }
    world.order.meet((0..32).map(thread).chain([thread(70)]));
    world.touch(thread(70), X, READ);
    assert_eq!(world.wrong(), [Wrong::Race]);
}

#[test]
fn a_wait_for_the_phase_before_the_first_orders_nothing() {
    let mut world = World::new();
    world.touch(thread(0), X, WRITE);
    world.arrive(thread(0), RELEASE);
    world.order.passes(thread(40), BAR, 1, ACQUIRE);
    world.order.flips(BAR);
    world.order.passes(thread(41), BAR, 1, ACQUIRE);
    world.touch(thread(40), X, READ);
    assert_eq!(world.wrong(), [Wrong::Race]);
    world.touch(thread(41), X, READ);
    assert_eq!(world.wrong(), [Wrong::Race], "its answer is older than the phase");
}

#[test]
fn scopes_have_to_reach_those_who_read_what_was_written() {
    for (arrival, wait, first, wrong) in [
        (RELEASE, ACQUIRE, WRITE, vec![Wrong::Scope(Scope::Cluster)]),
        (wide(RELEASE), ACQUIRE, WRITE, vec![Wrong::Scope(Scope::Cluster)]),
        (wide(RELEASE), wide(ACQUIRE), WRITE, vec![]),
        (RELEASE, ACQUIRE, READ, vec![]),
    ] {
        let mut world = World::new();
        world.touch(thread(7), X, WRITE);
        world.order.meet([thread(7), far(0), thread(40)].into_iter());
        world.touch(far(0), X, first);
        world.arrive(far(0), arrival);
        world.order.flips(BAR);
        world.order.passes(thread(40), BAR, 0, wait);
        world.touch(thread(40), X, WRITE);
        assert_eq!(world.wrong(), wrong, "{arrival:?} {wait:?} {first:?}");
    }
}

#[test]
fn flags_order_by_release_and_acquire_of_scopes_that_reach() {
    let mut world = World::new();
    for (release, acquire, is_sound) in [(Scope::Gpu, Scope::Gpu, true), (Scope::Cta, Scope::Gpu, false)] {
        let other = Who { cluster: 1 + u32::from(is_sound), ..thread(0) };
        let data = Place::Global(0x2000 + u64::from(other.cluster) * 64);
        world.touch(thread(0), data, WRITE);
        world.order.publishes(thread(0), FLAG, 4, Ordered { scope: release, ..RELEASE });
        world.order.sees(other, FLAG, 4, Ordered { scope: acquire, ..ACQUIRE });
        world.touch(other, data, READ);
        assert_eq!(world.wrong().is_empty(), is_sound, "{release:?}");
        world.order.flags.clear();
    }
}

#[test]
fn strong_operations_do_not_conflict_if_their_scopes_reach() {
    for (scope, wrong) in [(Scope::Gpu, vec![]), (Scope::Cta, vec![Wrong::Scope(Scope::Gpu)])] {
        let mut world = World::new();
        let strong = Manner { strong: true, scope, ..WRITE };
        world.touch(thread(0), FLAG, strong);
        world.touch(Who { cluster: 1, ..thread(1) }, FLAG, strong);
        assert_eq!(world.wrong(), wrong);
    }
}

#[test]
fn rounds_of_the_cluster_order_if_they_release() {
    for (releases, fences, wrong) in [(true, false, vec![]), (false, false, vec![Wrong::Race]), (false, true, vec![])] {
        let mut world = World::new();
        world.touch(far(0), FAR, WRITE);
        if fences {
            world.order.fence(far(0), both(Scope::Cluster));
        }
        world.order.round_comes(far(0), releases);
        world.order.round_comes(thread(40), true);
        world.order.round_waited(thread(40));
        world.touch(thread(40), FAR, READ);
        assert_eq!(world.wrong(), wrong);
    }
}

#[test]
fn a_copy_is_over_for_whoever_has_waited_for_its_bytes() {
    let mut world = World::new();
    world.load(thread(0), X, 64);
    world.load(thread(0), Y, 64);
    world.order.lands(BAR, 64);
    world.arrive(thread(0), RELEASE);
    world.order.flips(BAR);
    world.order.passes(thread(40), BAR, 0, ACQUIRE);
    world.touch(thread(40), X, READ);
    world.is_sound();
    world.touch(thread(40), Y, READ);
    assert_eq!(world.wrong(), [Wrong::Copy(Ends::Barrier(BAR, None))], "of this one nothing has landed");
    world.touch(thread(41), X, READ);
    assert_eq!(world.wrong(), [Wrong::Copy(Ends::Barrier(BAR, Some(0)))], "this thread has not waited");
}

#[test]
fn threads_and_the_async_proxy_need_a_fence_between_them() {
    for (space, wrong) in [
        (None, vec![Wrong::Proxy(Space::Shared)]),
        (Some(Space::Shared), vec![]),
        (Some(Space::Global), vec![Wrong::Proxy(Space::Shared)]),
    ] {
        let mut world = World::new();
        world.touch(thread(40), X, WRITE);
        if space.is_some() {
            world.order.fence(thread(40), Fence::Async(space));
        }
        world.order.meet([thread(40), thread(0)].into_iter());
        world.store(thread(0), X);
        assert_eq!(world.wrong().into_iter().filter(|wrong| *wrong != Wrong::NeverWritten).collect::<Vec<_>>(), wrong);
    }
}

#[test]
fn a_fence_of_the_other_thread_behind_what_orders_them_does_as_well() {
    let mut world = World::new();
    world.touch(thread(40), X, WRITE);
    world.order.meet([thread(40), thread(0)].into_iter());
    world.order.fence(thread(0), Fence::Async(None));
    world.store(thread(0), X);
    world.is_sound();
}

#[test]
fn a_slot_that_was_read_is_filled_again_without_a_fence() {
    for meets in [false, true] {
        let mut world = World::new();
        world.load(thread(0), X, 4);
        world.order.lands(BAR, 4);
        world.order.flips(BAR);
        world.order.passes(thread(41), BAR, 0, ACQUIRE);
        world.touch(thread(41), X, READ);
        if meets {
            world.order.meet([thread(41), thread(40)].into_iter());
        }
        world.arrive(thread(41 - u16::from(meets)), RELEASE);
        world.order.flips(BAR);
        world.order.passes(thread(0), BAR, 1, ACQUIRE);
        world.load(thread(0), X, 4);
        world.is_sound();
    }
}

#[test]
fn sources_of_stores_are_waited_for() {
    for (wait, wrong) in [(None, true), (Some((0, true)), false), (Some((0, false)), false), (Some((1, true)), true)] {
        let mut world = World::new();
        world.touch(thread(0), X, WRITE);
        world.order.fence(thread(0), Fence::Async(None));
        world.store(thread(0), X);
        if let Some((left, read)) = wait {
            world.order.bulk_waited(thread(0), left, read);
        }
        world.touch(thread(0), X, WRITE);
        let expected: &[Wrong] = if wrong { &[Wrong::Source(Ends::Group)] } else { &[] };
        assert_eq!(world.wrong(), expected, "{wait:?}");
    }
}

#[test]
fn what_a_store_has_written_is_there_only_without_read() {
    for (read, wrong) in [(true, vec![Wrong::Copy(Ends::Group)]), (false, vec![])] {
        let mut world = World::new();
        world.touch(thread(0), X, WRITE);
        world.order.fence(thread(0), Fence::Async(None));
        world.store(thread(0), X);
        world.order.bulk_waited(thread(0), 0, read);
        world.touch(thread(0), SOURCE, READ);
        assert_eq!(world.wrong(), wrong);
    }
}

#[test]
fn groups_of_cp_async_are_those_of_their_thread() {
    for (left, wrong) in [(Some(1), vec![Wrong::Copy(Ends::Async)]), (Some(0), vec![]), (None, vec![])] {
        let mut world = World::new();
        for to in [X, Y] {
            let at = world.at(700);
            world.order.copies_async(thread(0), at, (SOURCE, 4), (to, 4));
            world.order.async_commits(thread(0));
        }
        world.order.async_waited(thread(0), left);
        world.touch(thread(0), X, READ);
        world.is_sound();
        world.touch(thread(0), Y, READ);
        assert_eq!(world.wrong(), wrong, "{left:?}");
        world.touch(thread(40), X, READ);
        assert_eq!(world.wrong(), [Wrong::Copy(Ends::Async)], "another thread");
    }
}

#[test]
fn an_arrival_with_copies_covers_those_that_came_before_it() {
    let mut world = World::new();
    let at = world.at(700);
    world.order.copies_async(thread(0), at, (SOURCE, 4), (X, 4));
    world.order.copies_arrive(thread(0), BAR);
    let at = world.at(701);
    world.order.copies_async(thread(0), at, (SOURCE, 4), (Y, 4));
    world.order.copies_arrived(thread(0), BAR);
    world.order.flips(BAR);
    world.order.passes(thread(40), BAR, 0, ACQUIRE);
    world.touch(thread(40), X, READ);
    world.is_sound();
    world.touch(thread(40), Y, READ);
    assert_eq!(world.wrong(), [Wrong::Copy(Ends::Async)]);
}

#[test]
fn matrices_are_read_until_their_group_is_waited_for() {
    for (left, wrong) in [(1, vec![Wrong::Source(Ends::Matrix)]), (0, vec![])] {
        let mut world = World::new();
        world.touch(thread(0), X, WRITE);
        world.order.fence(thread(0), Fence::Async(None));
        let at = world.at(800);
        world.order.meet((0..32).map(thread));
        world.order.multiplies((0..32).map(thread), at, [(X, 8)].into_iter());
        world.order.matrices_commit(thread(0));
        world.order.matrices_waited(thread(0), left);
        world.touch(thread(0), X, WRITE);
        assert_eq!(world.wrong(), wrong);
    }
}

#[test]
fn a_map_is_released_and_acquired() {
    for (releases, acquires, is_sound) in [(true, true, true), (false, true, false), (true, false, false)] {
        let mut world = World::new();
        let map = Place::Global(0x8000);
        world.touch(thread(40), map, WRITE);
        if releases {
            world.order.fence(thread(40), Fence::MapRelease(Scope::Gpu));
        }
        world.order.meet([thread(40), thread(0)].into_iter());
        if acquires {
            world.order.map_acquires(thread(0), 0x8000, Scope::Gpu);
        }
        let at = world.at(900);
        world.order.uses_map(thread(0), at, 0x8000, 128);
        assert_eq!(world.wrong().is_empty(), is_sound);
    }
}

#[test]
fn bytes_are_written_before_they_are_read() {
    let mut world = World::new();
    world.touch(thread(0), Y, WRITE);
    world.touch(thread(0), X, READ);
    assert_eq!(world.wrong(), [Wrong::NeverWritten]);
    let at = world.at(1);
    world.order.accesses(thread(0), at, Y, 16, READ);
    world.is_sound(); // a vector of which some has been written
    world.touch(thread(0), SOURCE, READ);
    world.is_sound();
}

#[test]
fn what_does_not_fit_is_said() {
    let mut world = World::new();
    for page in 0..shadow::MOST_PAGES as u64 {
        world.touch(thread(0), Place::Global(page << 12), READ);
    }
    assert!(!world.order.is_incomplete());
    world.touch(thread(0), Place::Global(1 << 40), READ);
    assert!(world.order.is_incomplete());
    world.order.ends(0);
}

#[test]
fn all_readers_of_a_word_are_remembered() {
    for late in [false, true] {
        let mut world = World::new();
        for cluster in 0..200 {
            for thread in [0, 32] {
                world.touch(Who { cluster, cta: 0, thread }, SOURCE, READ);
            }
        }
        assert!(!world.order.is_incomplete());
        if late {
            // the others are ordered before it, and the one that has read first is not
            for cluster in 1..200 {
                for thread in [0, 32] {
                    world.order.publishes(
                        Who { cluster, cta: 0, thread },
                        FLAG,
                        4,
                        Ordered { scope: Scope::Gpu, ..RELEASE },
                    );
                }
            }
            world.order.publishes(
                Who { cluster: 0, cta: 0, thread: 32 },
                FLAG,
                4,
                Ordered { scope: Scope::Gpu, ..RELEASE },
            );
            world.order.sees(far(0), FLAG, 4, Ordered { scope: Scope::Gpu, ..ACQUIRE });
        }
        world.touch(far(0), SOURCE, WRITE);
        let found = world.order.found();
        assert!(!found.is_empty() && found.iter().all(|found| found.wrong == Wrong::Race));
        if late {
            assert_eq!(
                found.iter().map(|found| found.first.map(|side| side.who)).collect::<Vec<_>>(),
                [Some(thread(0))]
            );
        }
    }
}

#[test]
fn what_can_not_be_remembered_is_said_and_nothing_else() {
    let mut world = World::new();
    for copy in 0..1 << 17 {
        let at = world.at(500);
        world.order.copies_async(thread(0), at, (SOURCE, 4), (X.plus(4 * (copy % 64)), 4));
        world.order.async_waited(thread(0), None);
    }
    assert!(!world.order.is_incomplete());
    let at = world.at(500);
    world.order.copies_async(thread(0), at, (Place::Global(0x9000), 4), (Y.plus(1024), 4));
    for _ in 0..1 << 17 {
        let at = world.at(501);
        world.order.copies_async(thread(0), at, (SOURCE, 4), (X, 4));
        world.order.async_waited(thread(0), None);
    }
    world.touch(thread(40), Y.plus(1024), READ);
    assert!(world.order.is_incomplete());
    world.is_sound();

    let mut world = World::new();
    for flag in 0..=1 << 16 {
        world.order.publishes(thread(0), FLAG.plus(4 * flag), 4, Ordered { scope: Scope::Gpu, ..RELEASE });
    }
    world.touch(thread(0), X, WRITE);
    world.touch(thread(40), X, WRITE);
    assert!(world.order.is_incomplete());
    world.is_sound();
}

#[test]
fn old_groups_are_over_if_newer_ones_are() {
    let mut world = World::new();
    for copy in 0..300 {
        let at = world.at(600);
        world.order.copies_async(thread(0), at, (SOURCE, 4), (X.plus(4 * copy), 4));
        world.order.async_commits(thread(0));
    }
    world.order.async_waited(thread(0), Some(299));
    world.touch(thread(0), X, READ);
    world.is_sound();
    world.touch(thread(0), X.plus(4 * 298), READ);
    assert_eq!(world.wrong(), [Wrong::Copy(Ends::Async)]);
}
