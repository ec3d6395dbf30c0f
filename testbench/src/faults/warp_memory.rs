//! Faults to inject into loads and stores of warps; see [`super`].

use super::faults;
use txbar_rtl::hdl::Process;
use txbar_rtl::status::Status;
use txbar_rtl::warp::{Enter, Point, WarpUnit};

/// What the faults of this file are injected into.
type Design = WarpUnit;
/// Point of injection.
type Place = Point;

faults! {
    // which lanes a step serves
    "broadcast-lost", "of several lanes that name one word, the highest is left out", |unit, point, memo| {
        for access in unit.access.iter_mut().filter(|_| point == Point::Settled) {
            let lanes = access.lanes.val().raw();
            if access.goes.val() && lanes & lanes.wrapping_sub(1) != 0 && memo.every(20) {
                access.go_lanes.d.next = (lanes & !(1 << lanes.ilog2())).into();
            }
        }
    }
    "rows-mixed", "a lane is served with another row of its bank", |unit, point, memo| {
        for access in unit.access.iter_mut().filter(|_| point == Point::Settled) {
            let other = access.pick.iter().map(|pick| pick.here.val().raw() & !pick.lanes.val().raw()).find(|other| *other != 0);
            if let Some(other) = other && access.goes.val() && access.status.val() == Status::Ok && memo.every(20) {
                let lane = other & other.wrapping_neg();
                access.go_lanes.d.next = access.go_lanes.d.val() | lane;
                access.pending.d.next = access.pending.d.val() & !access.go_lanes.d.val();
            }
        }
    }
    "bank-missed", "a step leaves out one of its banks", |unit, point, memo| {
        for access in unit.access.iter_mut().filter(|_| point == Point::Settled) {
            let banks = access.go_banks.d.val().raw();
            if access.goes.val() && access.stores.q.val() && banks != 0 && memo.every(10) {
                access.go_banks.d.next = (banks & banks.wrapping_sub(1)).into();
            }
        }
    }
    "mask-of-before", "lanes that are not active load, too", |unit, point, memo| {
        for access in unit.access.iter_mut().filter(|_| point == Point::Settled) {
            if access.valid.val() && access.ready.val() && memo.every(20) {
                access.pending.d.next = (u64::MAX >> (64 - access.address.len())).into();
            }
        }
    }
    // what they store
    "merge-lowest", "of several lanes that store one half, the lowest wins", |unit, point, memo| {
        for access in unit.access.iter_mut().filter(|access| point == Point::Settled && access.goes.val()) {
            for bank in 0..access.pick.len() {
                let pick = &access.pick[bank];
                let half = |takes: u64, shift: u32| match pick.lanes.val().raw() & takes {
                    0 => 0,
                    lanes => (pick.words[lanes.trailing_zeros() as usize].val().raw() >> shift & 0xffff_ffff) << shift,
                };
                let word = half(pick.low.val().raw(), 0) | half(pick.high.val().raw(), 32);
                access.go_word[bank].d.next = word.into();
            }
        }
    }
    "merge-whole", "whoever stores half a word stores all of it", |unit, point, memo| {
        for access in unit.access.iter_mut().filter(|_| point == Point::Settled) {
            for stored in access.go_stored.iter_mut().filter(|stored| stored.d.val().any()) {
                stored.d.next = 3.into();
            }
        }
    }
    "store-cut", "of 8 bytes the last 4 are not stored", |unit, point, memo| {
        for access in unit.access.iter_mut().filter(|_| point == Point::Settled) {
            for stored in access.go_stored.iter_mut().filter(|stored| stored.d.val() == 3 && memo.every(10)) {
                stored.d.next = 1.into();
            }
        }
    }
    // refused lanes
    "refusal-kept", "lanes whose address is wrong are told that all is well", |unit, point, memo| {
        for access in unit.access.iter_mut().filter(|_| point == Point::Settled) {
            access.go_status.d.next = Status::Ok.into();
        }
    }
    "refusals-mixed", "a lane is refused for the reason of another", |unit, point, memo| {
        for access in unit.access.iter_mut().filter(|_| point == Point::Settled) {
            let both = access.pending.q.val() & (access.crooked.q.val() | access.outside.q.val());
            if access.goes.val() && both.any() && both != access.lanes.val() {
                access.go_lanes.d.next = both;
                access.pending.d.next = access.pending.q.val() & !both;
            }
        }
    }
    "far-store", "a store of another CTA is done", |unit, point, memo| {
        for access in unit.access.iter_mut().filter(|_| point == Point::Settled) {
            if access.refusal.d.val() == Status::RemoteUnsupported {
                access.refusal.d.next = Status::Ok.into();
            }
        }
    }
    // order
    "load-passes", "a load or store does not wait for what its port asked for before", |unit, point, memo| {
        for port in (0..unit.access.len()).filter(|_| point == Point::Asked) {
            let could = unit.access[port].go_valid.q.val() && unit.deliver[port].room.val();
            if could && !unit.turn[0].grant.val().any() {
                unit.turn[0].grant.next = (1 << port).into();
                Process::<Enter>::update(unit);
            }
        }
    }
    "barrier-passes", "an instruction on barriers does not wait for the steps before it", |unit, point, memo| {
        for access in unit.access.iter_mut().filter(|_| point == Point::Asked) {
            access.busy.next = false;
        }
    }
    // answers
    "half-swapped", "a lane is given the other half of its word", |unit, point, memo| {
        for deliver in unit.deliver.iter_mut().filter(|_| point == Point::Settled && memo.every(5)) {
            deliver.halves.write_data.next = deliver.halves.write_data.val() ^ 1;
        }
    }
    "bank-of-neighbour", "a lane is given the word of another bank", |unit, point, memo| {
        for deliver in unit.deliver.iter_mut().filter(|_| point == Point::Settled && memo.every(5)) {
            deliver.origins[0].write_data.next = deliver.origins[0].write_data.val() ^ 1;
        }
    }
    "second-is-first", "the second word of 16 bytes is the first once more", |unit, point, memo| {
        for (port, deliver) in unit.deliver.iter().enumerate().filter(|_| point == Point::Settled) {
            if deliver.double.val() {
                for lane in 0..deliver.bank.len() {
                    unit.warp_mem_upper[port][lane].next = deliver.rsp_lower[lane].val();
                }
            }
        }
    }
    "words-of-before", "what a step has found is overwritten by the next", |unit, point, memo| {
        for deliver in unit.deliver.iter_mut().filter(|_| point == Point::Settled) {
            if deliver.seen.val() && memo.every(20) {
                deliver.found.iter_mut().for_each(|found| found.write_enable.next = false);
            }
        }
    }
    "load-tag-mixed", "an answer has the tag of another load", |unit, point, memo| {
        for deliver in unit.deliver.iter_mut().filter(|_| point == Point::Settled && memo.every(20)) {
            deliver.tags.write_data.next = deliver.tags.write_data.val() ^ 1;
        }
    }
    "load-lost", "an answer to a load or store is lost", |unit, point, memo| {
        for deliver in unit.deliver.iter_mut().filter(|_| point == Point::Settled) {
            if deliver.full.d.val().index() > 1 && memo.every(40) {
                deliver.full.d.next = deliver.full.d.val() - 1;
                deliver.held.d.next = deliver.held.d.val() - 1;
                deliver.head.d.next = deliver.head.d.val() + 1;
            }
        }
    }
    "load-repeated", "lanes of a load or store are answered twice", |unit, point, memo| {
        for deliver in unit.deliver.iter_mut().filter(|_| point == Point::Settled) {
            if deliver.leaves.val() && memo.every(20) {
                deliver.head.d.next = deliver.head.q.val();
                deliver.full.d.next = deliver.full.d.val() + 1;
                deliver.held.d.next = deliver.held.d.val() + 1;
                deliver.rsp_valid.d.next = true;
            }
        }
    }
    "room-ignored", "a step goes although there is no room for its answer", |unit, point, memo| {
        for deliver in unit.deliver.iter_mut().filter(|_| point == Point::Shown) {
            deliver.room.next = true;
        }
    }
}
