//! Faults to inject into loads and stores of warps in clusters: turns of door and gate, locks, order, and the way of the lanes. What is
//! wrong in the lanes themselves is in [`super::warp_memory`].

use super::faults;
use txbar_rtl::cluster::{Cluster, Gather, Hand, Point};
use txbar_rtl::hdl::Process;
use txbar_rtl::status::Status;
use txbar_rtl::warp::access::Access;
use txbar_rtl::warp::coalesce::Coalesce;
use txbar_rtl::warp::deliver::Deliver;
use txbar_rtl::warp::scatter::Scatter;

/// What the faults of this file are injected into.
type Design = Cluster;
/// Point of injection.
type Place = Point;

/// A step of a CTA's warps that stands at its gate goes through, whatever keeps it shut; unless a port has one of its banks, whose request
/// would be lost.
fn open(cluster: &mut Cluster, c: usize) {
    let unit = &mut cluster.cta[c].unit;
    let banks = cluster.access[c].go_banks.q.val();
    let served = (0..unit.bank.len()).any(|b| banks.get_bit(b) && unit.bank[b].members.val().any());
    if unit.gate_taken[0].val() || served || !unit.advance.val() {
        return;
    }
    for b in (0..unit.bank.len()).filter(|b| banks.get_bit(*b)) {
        unit.bank[b].copies[unit.doors].d.next = cluster.access[c].go_stored[b].q.val().any();
        unit.bank[b].row.d.next = cluster.access[c].go_row[b].q.val();
    }
    unit.gate[0].valid_c1.d.next = true;
    cluster.cta[c].gate_taken[0].next = true;
    settle_warps(cluster);
}

/// Settles the ports for warps once more, with what has been changed behind them.
fn settle_warps(cluster: &mut Cluster) {
    Process::<Gather>::update(cluster);
    cluster.coalesce.iter_mut().for_each(Coalesce::settle_2);
    cluster.access.iter_mut().for_each(Access::settle_2);
    Process::<Hand>::update(cluster);
    cluster.scatter.iter_mut().for_each(Scatter::settle_2);
    cluster.deliver.iter_mut().for_each(Deliver::settle_2);
}

faults! {
    // whose turn it is
    "gate-beside-door", "a step goes into the banks in the cycle of a beat", |cluster, point, memo| {
        for c in (0..cluster.access.len()).filter(|_| point == Point::Settled) {
            let waits = cluster.cta[c].unit.gate_valid[0].val() && cluster.cta[c].unit.turns[0].waits.val();
            if waits && cluster.cta[c].unit.turns[0].opened.val() && memo.every(3) {
                open(cluster, c);
            }
        }
    }
    "gate-in-lock", "a step goes into the banks while a reduction has them", |cluster, point, memo| {
        for c in (0..cluster.access.len()).filter(|_| point == Point::Settled) {
            let unit = &cluster.cta[c].unit;
            let port = unit.gate_port[0].val().index();
            let waits = unit.gate_valid[0].val() && !unit.issue[port].occupied[0].val();
            if waits && unit.turns[0].locked.val() && !unit.door[0].banks.val().any() {
                open(cluster, c);
            }
        }
    }
    "gate-forgotten", "a step that has waited for a beat does not have the next turn", |cluster, point, _memo| {
        for cta in cluster.cta.iter_mut().filter(|_| point == Point::Settled) {
            cta.unit.turns[0].gate_next.d.next = false;
        }
    }
    "ports-forgotten", "requests of ports wait for as long as there are beats and steps", |cluster, point, _memo| {
        for cta in cluster.cta.iter_mut().filter(|_| point == Point::Settled) {
            cta.unit.turns[0].streak.d.next = 0.into();
        }
    }
    // order
    "step-passes", "a step does not wait for what its port has asked of barriers before", |cluster, point, _memo| {
        for c in (0..cluster.access.len()).filter(|_| point == Point::Settled) {
            let could = cluster.access[c].go_valid.q.val() && cluster.deliver[c].room.val();
            let unit = &cluster.cta[c].unit;
            let is_open = !unit.turns[0].gate_shut.val() && !unit.door[0].banks.val().any();
            if could && is_open && cluster.coalesce[c].busy.val() {
                open(cluster, c);
            }
        }
    }
    "barrier-passes-step", "an instruction on barriers does not wait for the steps before it", |cluster, point, _memo| {
        for access in cluster.access.iter_mut().filter(|_| point == Point::Routed) {
            access.busy.next = false;
        }
    }
    // the way to the banks
    "step-of-neighbour", "a CTA's step stores the words of the first CTA's", |cluster, point, _memo| {
        for c in (1..cluster.access.len()).filter(|_| point == Point::Brought) {
            for b in 0..cluster.banks {
                cluster.cta[c].gate_data[b].next = cluster.cta[0].gate_data[b].val();
            }
        }
    }
    "row-of-door", "a step goes into the row of the beat before it", |cluster, point, memo| {
        for cta in cluster.cta.iter_mut().filter(|_| point == Point::Settled) {
            if cta.gate_taken.iter().any(|taken| taken.val()) && memo.every(10) {
                let row = cta.unit.door[0].row.val();
                for b in (0..cta.unit.bank.len()).filter(|b| cta.unit.gate[0].closed.val().get_bit(*b)) {
                    cta.unit.bank[b].row.d.next = row;
                }
            }
        }
    }
    "lane-lost", "the highest of several lanes of a step is left out", |cluster, point, memo| {
        for access in cluster.access.iter_mut().filter(|_| point == Point::Settled) {
            let lanes = access.go_lanes.d.val().raw();
            if access.goes.val() && lanes & lanes.wrapping_sub(1) != 0 && memo.every(10) {
                access.go_lanes.d.next = (lanes & !(1 << lanes.ilog2())).into();
            }
        }
    }
    "store-halved", "of 8 bytes the last 4 are not stored", |cluster, point, memo| {
        for access in cluster.access.iter_mut().filter(|_| point == Point::Settled) {
            for stored in access.go_stored.iter_mut().filter(|stored| stored.d.val() == 3 && memo.every(10)) {
                stored.d.next = 1.into();
            }
        }
    }
    // the way back
    "words-crossed", "what two banks hold changes places on its way to the lanes", |cluster, point, memo| {
        for c in (0..cluster.deliver.len()).filter(|_| point == Point::Settled) {
            if cluster.cta[c].gate_seen[0].val() && memo.every(5) {
                let words = [cluster.cta[c].gate_word[0].val(), cluster.cta[c].gate_word[1].val()];
                cluster.cta[c].gate_word[0].next = words[1];
                cluster.cta[c].gate_word[1].next = words[0];
                settle_warps(cluster);
            }
        }
    }
    "halves-crossed", "a lane is given the other half of its word", |cluster, point, memo| {
        for deliver in cluster.deliver.iter_mut().filter(|_| point == Point::Settled && memo.every(5)) {
            deliver.halves.write_data.next = deliver.halves.write_data.val() ^ 1;
        }
    }
    "cause-lost", "lanes that are refused are told that all is well", |cluster, point, _memo| {
        for access in cluster.access.iter_mut().filter(|_| point == Point::Settled) {
            access.go_status.d.next = Status::Ok.into();
        }
    }
}
