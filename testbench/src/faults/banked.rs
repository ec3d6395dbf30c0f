//! Injected faults of the banked high-clock build; see [`super`].

use super::faults;
use txbar_rtl::banked::Fabric;
use txbar_rtl::banked::backlog::Backlog;
use txbar_rtl::banked::batches::Batches;
use txbar_rtl::banked::parking::Parking;
use txbar_rtl::banked::table::Table;
use txbar_rtl::banked::unit::BankedHighClock;
use txbar_rtl::hdl::EntryMask;
use txbar_rtl::look::Point;

/// Applies a fault to the batches of all banks.
fn batches(unit: &mut BankedHighClock, point: Point, mut hand: impl FnMut(&mut Batches)) {
    settled(unit, point, |fabric| fabric.gather.iter_mut().for_each(|gather| hand(&mut gather.batches)));
}

/// Applies a fault to the banked unit, just before the clock edge.
fn settled(unit: &mut BankedHighClock, point: Point, mut hand: impl FnMut(&mut Fabric)) {
    if point == Point::Settled {
        hand(&mut unit.fabric);
    }
}

fn backlogs(unit: &mut BankedHighClock, point: Point, mut hand: impl FnMut(&mut Backlog)) {
    settled(unit, point, |fabric| fabric.returns.iter_mut().for_each(|returns| hand(&mut returns.backlog)));
}

fn parkings(unit: &mut BankedHighClock, point: Point, mut hand: impl FnMut(&mut Parking)) {
    settled(unit, point, |fabric| {
        fabric.parking.iter_mut().for_each(&mut hand);
    });
}

fn tables(unit: &mut BankedHighClock, point: Point, mut hand: impl FnMut(&mut Table)) {
    parkings(unit, point, |parking| parking.table.iter_mut().for_each(&mut hand));
}

faults! {
    in BankedHighClock;
    "last-port-first", "of the requests of one cycle the last port's goes first", |unit, point, memo| {
        batches(unit, point, |batches| {
            let all = (batches.next.val() | batches.then.val()).raw();
            if all != 0 && !batches.holds.val() {
                let last = all.ilog2() as usize;
                batches.turn.d.next = (1 << last).into();
                batches.rest.d.next = (all ^ (1 << last)).into();
                let place = batches.serving.soon.val();
                for (source, at) in batches.at.iter_mut().enumerate() {
                    at.d.next = if source == last { place } else { 0.into() };
                }
            }
        });
    }
    "batch-lost", "a batch that comes while the last one ends is not seen", |unit, point, memo| {
        batches(unit, point, |batches| {
            if batches.comes.val() && batches.ended.val() && !batches.waiting.q.val() {
                batches.turn.d.next = 0.into();
                batches.busy.d.next = false;
                batches.rest.d.next = 0.into();
                batches.several.d.next = false;
                batches.filling.place.d.next = batches.filling.place.q.val();
            }
        });
    }
    "newcomer-first", "a batch that comes does not wait behind those that wait already", |unit, point, memo| {
        batches(unit, point, |batches| {
            if batches.comes.val() && batches.pop.val() {
                batches.turn.d.next = batches.comers.first.val();
                batches.rest.d.next = batches.come.val() ^ batches.comers.first.val();
                batches.several.d.next = batches.comers.several.val();
                batches.oldest.place.d.next = batches.oldest.place.q.val();
                batches.behind.place.d.next = batches.behind.place.q.val();
                batches.waiting.d.next = true;
                let (come, place) = (batches.comers.first.val(), batches.tail.val());
                for (source, at) in batches.at.iter_mut().enumerate() {
                    at.d.next = if come.get_bit(source) { place } else { 0.into() };
                }
            }
        });
    }
    "others-show-through", "what is read of the ports whose turn it is not is mixed in", |unit, point, memo| {
        batches(unit, point, |batches| {
            let place = batches.serving.soon.val();
            batches.at.iter_mut().for_each(|at| at.d.next = place);
        });
    }
    "batches-overflow", "requests are accepted however many wait for a bank", |unit, point, memo| {
        settled(unit, point, |fabric| fabric.stop.d.next = false);
    }
    "stop-heard-late", "a bank with many batches stops the ports a cycle too late", |unit, point, memo| {
        settled(unit, point, |fabric| {
            let stop = fabric.stop.d.val();
            fabric.stop.d.next = memo.data[0] != 0;
            memo.data[0] = stop.into();
        });
    }
    "forward-not-two", "the word of the request two ahead is not forwarded", |unit, point, memo| {
        settled(unit, point, |fabric| {
            fabric.pipeline.iter_mut().for_each(|pipeline| pipeline.bank.follows_c4.d.next = false);
        });
    }
    "posted-and-answered", "what nobody waits for is answered", |unit, point, memo| {
        settled(unit, point, |fabric| {
            fabric.pipeline.iter_mut().for_each(|pipeline| pipeline.answers.d.next = pipeline.done.d.val());
        });
    }
    "answers-overflow", "requests are accepted however many answers are owed", |unit, point, memo| {
        settled(unit, point, |fabric| fabric.entrance.iter_mut().for_each(|entrance| entrance.owed.count.d.next = 0.into()));
    }
    "shown-and-replaced", "an answer that is shown and not taken is replaced by the next one", |unit, point, memo| {
        backlogs(unit, point, |backlog| {
            if backlog.comes.val() && !backlog.free.val() {
                backlog.shown.d.next = backlog.outcome.val();
                backlog.shown_data.d.next = backlog.data.val();
            }
        });
    }
    "backlog-passed-by", "an answer that comes is shown before those that wait already", |unit, point, memo| {
        backlogs(unit, point, |backlog| {
            if backlog.comes.val() && backlog.pop.val() {
                backlog.shown.d.next = backlog.outcome.val();
                backlog.shown_data.d.next = backlog.data.val();
            }
        });
    }
    "backlog-lost", "an answer that comes while the last one leaves the backlog is not seen", |unit, point, memo| {
        backlogs(unit, point, |backlog| {
            if backlog.push.val() && backlog.pop.val() && backlog.last.val() {
                backlog.some.d.next = false;
            }
        });
    }
    "answer-to-another", "an answer goes to the port that asked before", |unit, point, memo| {
        parkings(unit, point, |parking| {
            if parking.done_c6.q.val() {
                parking.port_c6.d.next = parking.port_c6.q.val();
            }
        });
    }
    "parked-and-answered", "a wait that is suspended is answered all the same", |unit, point, memo| {
        parkings(unit, point, |parking| {
            if parking.suspended.d.val() {
                parking.back.d.next = (1 << parking.port_c6.q.val().raw()).into();
            }
        });
    }
    "parked-and-lost", "a wait that is parked when another's time is over is forgotten", |unit, point, memo| {
        tables(unit, point, |table| {
            if table.expiring.val().any() {
                table.parked.d.next = table.parked.d.val() & !table.place.val();
            }
        });
    }
    "two-in-an-entry", "a wait is parked where another is about to leave", |unit, point, memo| {
        tables(unit, point, |table| {
            if table.parks.val() && table.leaving.q.val().any() {
                table.word.write.next = table.leaving.q.val();
                table.limit.write.next = table.leaving.q.val();
                table.origin.write.next = table.leaving.q.val();
                table.name.write.next = table.leaving.q.val();
            }
        });
    }
    "flip-not-seen", "the completion of a phase wakes nobody", |unit, point, memo| {
        tables(unit, point, |table| {
            table.parked.d.next = table.parked.d.val() | table.waking.val();
            table.over.d.next = table.over.d.val() & !table.waking.val();
            table.success.d.next = table.success.d.val() & !table.waking.val();
        });
    }
    "flip-wakes-one", "the completion of a phase wakes one of those that wait", |unit, point, memo| {
        tables(unit, point, |table| {
            let waking = table.waking.val().raw();
            let others: EntryMask = (waking & waking.wrapping_sub(1)).into();
            table.parked.d.next = table.parked.d.val() | others;
            table.over.d.next = table.over.d.val() & !others;
            table.success.d.next = table.success.d.val() & !others;
        });
    }
    "flip-wakes-all", "the completion of a phase wakes those that wait for other words, too", |unit, point, memo| {
        tables(unit, point, |table| {
            if table.flips.val() {
                let parked = table.parked.q.val();
                table.parked.d.next = table.place.val();
                table.over.d.next = table.over.d.val() | parked;
                table.success.d.next = table.success.d.val() | parked;
            }
        });
    }
    "ending-not-seen", "waits go on waiting for a barrier that is gone", |unit, point, memo| {
        parkings(unit, point, |parking| parking.table.iter_mut().for_each(|table| table.ends.d.next = false));
    }
    "refused-ending-seen", "an operation that is refused ends a barrier", |unit, point, memo| {
        parkings(unit, point, |parking| {
            let ends = parking.is_done.val() && parking.limits.iter().any(|limits| limits.ends.q.val());
            parking.table.iter_mut().for_each(|table| table.ends.d.next = ends);
        });
    }
    "deadline-late", "a wait gives up a cycle too late", |unit, point, memo| {
        parkings(unit, point, |parking| {
            let clock_ns = parking.clock_ns as u64;
            parking.table.iter_mut().for_each(|table| table.deadline.d.next = table.deadline.d.val() + clock_ns);
        });
    }
    "haste-not-seen", "a wait that gives up in the cycle after it is parked does so a cycle too late", |unit, point, memo| {
        tables(unit, point, |table| table.due.d.next = table.due.d.val() & !table.place.val());
    }
    "follower-not-seen", "the request right behind a wait that is parked does not wake it", |unit, point, memo| {
        tables(unit, point, |table| table.met.d.next = table.met.d.val() & !table.place.val());
    }
    "limit-of-another", "a wait has the time limit of the request behind it", |unit, point, memo| {
        parkings(unit, point, |parking| {
            parking.limits.iter_mut().for_each(|limits| limits.limit_c4.d.next = limits.limit_c3.d.val());
        });
    }
    "no-limit-is-long", "a wait without a limit waits for four seconds", |unit, point, memo| {
        parkings(unit, point, |parking| {
            parking.limits.iter_mut().for_each(|limits| limits.unlimited_c4.d.next = false);
        });
    }
}
