//! Faults to inject into the table of suspended waits with the wake mask.

use super::faults;
use txbar_rtl::bank::decode;
use txbar_rtl::hdl::Bits;
use txbar_rtl::look::Point;
use txbar_rtl::low_latency::unit::Unit;
use txbar_rtl::low_latency::wakes::Wakes;

/// The tables of a unit, at one point; none at the others.
fn only(unit: &mut Unit, point: Point, at: Point) -> &mut [Wakes] {
    if point == at { &mut unit.wakes } else { &mut [] }
}

faults! {
    in Unit;
    "mask-lost-when-parked", "a completion right behind a wait that is being suspended does not wake it", |unit, point, memo| {
        for (port, wakes) in only(unit, point, Point::Settled).iter_mut().enumerate() {
            for met in wakes.met.iter_mut() {
                met.d.next = met.d.val() & !Bits::from(memo.data[port]);
            }
            memo.data[port] = wakes.place.val().raw();
        }
    }
    "mask-first-only", "of the threads that a completion wakes, the first is told", |unit, point, memo| {
        for wakes in only(unit, point, Point::Settled) {
            let waking = wakes.waking.val();
            let others = waking & (waking - (waking.any() as u64));
            wakes.completed.d.next = wakes.completed.d.val() & !others;
        }
    }
    "mask-any-word", "a completion wakes those that wait for other words, too", |unit, point, memo| {
        for wakes in only(unit, point, Point::Settled) {
            if wakes.waking.val().any() {
                wakes.completed.d.next = wakes.completed.d.val() | wakes.parked.q.val();
                wakes.parked.d.next = wakes.place.val();
            }
        }
    }
    "mask-other-bank", "a completion in another bank than the first wakes nobody", |unit, point, memo| {
        for wakes in only(unit, point, Point::Answered) {
            wakes.flips.d.next = wakes.flips.d.val() & 1;
        }
    }
    "mask-as-timeout", "a wait that is woken is told that its time is over", |unit, point, memo| {
        for wakes in only(unit, point, Point::Settled) {
            let waking = wakes.waking.val();
            wakes.completed.d.next = wakes.completed.d.val() & !waking;
            wakes.expired.d.next = wakes.expired.d.val() | waking;
        }
    }
    "mask-not-held", "masks that are not taken are gone in the next cycle", |unit, point, memo| {
        for wakes in only(unit, point, Point::Settled) {
            wakes.completed.d.next = wakes.waking.val();
            wakes.expired.d.next = wakes.timed.val();
            wakes.gone.d.next = wakes.going.val();
            wakes.valid.d.next = wakes.ending.val().any();
        }
    }
    "mask-not-cleared", "a mask that is taken is shown again with the next", |unit, point, memo| {
        for wakes in only(unit, point, Point::Settled) {
            wakes.completed.d.next = wakes.completed.d.val() | wakes.completed.q.val();
        }
    }
    "mask-lost-when-taken", "what ends while the masks are being taken is lost", |unit, point, memo| {
        for wakes in only(unit, point, Point::Settled) {
            if wakes.valid.q.val() && wakes.ready.val() {
                wakes.completed.d.next = 0.into();
                wakes.expired.d.next = 0.into();
                wakes.gone.d.next = 0.into();
                wakes.valid.d.next = false;
            }
        }
    }
    "mask-invalid", "a mask is shown with nothing in it", |unit, point, memo| {
        for wakes in only(unit, point, Point::Settled) {
            wakes.valid.d.next = wakes.valid.d.val() | wakes.limits.late.q.val();
        }
    }
    "mask-timeout-wins", "a time limit that is over in the cycle of the completion counts first", |unit, point, memo| {
        for wakes in only(unit, point, Point::Settled) {
            let both = wakes.waking.val() & wakes.limits.expired.val();
            wakes.completed.d.next = wakes.completed.d.val() & !both;
            wakes.expired.d.next = wakes.expired.d.val() | both;
        }
    }
    "mask-inval-leaves", "those that wait for a barrier are not told that it has ended", |unit, point, memo| {
        for wakes in only(unit, point, Point::Answered) {
            wakes.ended.d.next = 0.into();
        }
    }
    "mask-inval-completes", "those that wait for a barrier that ends are told that their phase has completed", |unit, point, memo| {
        for wakes in only(unit, point, Point::Settled) {
            wakes.completed.d.next = wakes.completed.d.val() | wakes.going.val();
            wakes.gone.d.next = wakes.gone.d.val() & !wakes.going.val();
        }
    }
    "limit-early", "time limits are a cycle too short", |unit, point, memo| {
        for wakes in only(unit, point, Point::Settled) {
            wakes.limits.gives_up.d.next = wakes.limits.gives_up.d.val() - 10;
        }
    }
    "limit-late", "time limits are a cycle too long", |unit, point, memo| {
        for wakes in only(unit, point, Point::Settled) {
            wakes.limits.gives_up.d.next = wakes.limits.gives_up.d.val() + 10;
        }
    }
    "limit-never", "the time of a suspended wait is never over", |unit, point, memo| {
        for wakes in only(unit, point, Point::Settled) {
            wakes.limits.late.d.next = false;
        }
    }
    "limit-stale", "a limit that was read before the wait was suspended counts", |unit, point, memo| {
        for wakes in only(unit, point, Point::Settled) {
            wakes.limits.live.d.next = true;
        }
    }
    "limit-neighbour", "the time limit of an entry ends the wait of the next", |unit, point, memo| {
        for wakes in only(unit, point, Point::Settled) {
            let last = wakes.entries as u32 - 1;
            let ring = wakes.limits.ring.d.val();
            wakes.limits.ring.d.next = ((ring << 1) | (ring >> last as usize)) & Bits::from((2u64 << last) - 1);
        }
    }
    "entry-overwritten", "a wait is suspended in an entry that is in use", |unit, point, memo| {
        for wakes in only(unit, point, Point::Settled) {
            wakes.claims.claim_c3.d.next = wakes.claims.claim_c2.q.val();
        }
    }
    "entry-taken-too-soon", "an entry is free again before its end has been taken", |unit, point, memo| {
        for wakes in only(unit, point, Point::Settled) {
            let claims = &mut wakes.claims;
            let ahead = claims.claim_c3.q.val() | claims.claim_c4.q.val() | wakes.parked.q.val();
            claims.claim_c3.d.next = claims.claim_c2.q.val() & !ahead;
        }
    }
    "entry-twice-in-flight", "two waits of a thread right behind each other have its entry", |unit, point, memo| {
        for wakes in only(unit, point, Point::Settled) {
            let claims = &mut wakes.claims;
            claims.claim_c3.d.next = claims.claim_c2.q.val() & !wakes.taken.val();
        }
    }
    "entry-of-another", "a thread without an entry has that of another", |unit, point, memo| {
        for wakes in only(unit, point, Point::Settled) {
            let claims = &mut wakes.claims;
            let suspends = txbar_rtl::op::sets::SUSPENDING.get_bit(claims.op.q.val().index());
            if claims.granted.q.val() && suspends {
                claims.claim_c2.d.next = (1u64 << claims.spot_c1.val().index()).into();
            }
        }
    }
    "mask-test-suspends", "test_wait is suspended, too", |unit, point, memo| {
        for wakes in only(unit, point, Point::Settled) {
            let claims = &mut wakes.claims;
            let outside = (claims.thread_c1.val().raw() >> claims.entry_bits) != 0;
            if claims.granted.q.val() && decode::WAITING.get_bit(claims.op.q.val().index()) && !outside {
                claims.claim_c2.d.next = (1u64 << claims.spot_c1.val().index()).into();
            }
        }
    }
    "mask-keeps-place", "a suspended wait keeps its place in the response queue", |unit, point, memo| {
        if point == Point::Requested {
            for queue in unit.queue.iter_mut() {
                queue.withdraw.next = false;
            }
        }
    }
    "claim-holds-nobody", "a suspended acquire wait does not hold its thread", |unit, point, memo| {
        for wakes in only(unit, point, Point::Settled) {
            let holding = wakes.claims.holding.d.val();
            wakes.claims.holding.d.next = holding & !wakes.parked.q.val();
        }
    }
    "claim-holds-late", "an acquire wait holds its thread only from c3 on", |unit, point, memo| {
        for wakes in only(unit, point, Point::Requested) {
            (wakes.claims.meets_c1.next, wakes.claims.meets_c2.next) = (false, false);
        }
    }
    "claim-holds-from-next", "what comes right behind an acquire wait of its thread may pass the slot", |unit, point, memo| {
        for wakes in only(unit, point, Point::Requested) {
            let claims = &wakes.claims;
            let seen = !claims.blocked.q.val() && claims.stood.q.val();
            wakes.looked.next = wakes.looked.val() || seen;
        }
    }
    "claim-holds-slot-late", "a wait in c1 or c2 does not hold the request that comes into the slot", |unit, point, memo| {
        for wakes in only(unit, point, Point::Settled) {
            (wakes.claims.near_c1.d.next, wakes.claims.near_c2.d.next) = (false, false);
        }
    }
    "claim-holds-on", "a wait that is over still holds its thread", |unit, point, memo| {
        for wakes in only(unit, point, Point::Settled) {
            wakes.claims.holding.d.next = wakes.claims.holding.d.val() | wakes.ending.val();
        }
    }
    "claim-lapses-on", "a wait that was answered at once still holds its thread", |unit, point, memo| {
        for wakes in only(unit, point, Point::Settled) {
            wakes.claims.holding.d.next = wakes.claims.holding.d.val() | wakes.claims.holding.q.val();
        }
    }
}
