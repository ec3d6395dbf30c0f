//! Faults to inject into the ports for warps: known defects, to see whether the testbench finds them. Those of the unit are in
//! [`super::low_latency`].

use super::{Fault, faults};
use txbar_rtl::op::Op;
use txbar_rtl::status::Status;
use txbar_rtl::warp::parameters::WarpParameters;
use txbar_rtl::warp::{Point, WarpUnit};

/// What the faults of this file are injected into.
type Design = WarpUnit;
/// Point of injection.
type Place = Point;

/// The faults that there are for a unit with these ports for warps.
pub fn all(parameters: &WarpParameters) -> Vec<Fault<WarpUnit, Point>> {
    let memory = if parameters.memory { super::warp_memory::FAULTS } else { &[] };
    [FAULTS, memory].concat()
}

/// The lowest bit that is set.
fn lowest(mask: u64) -> u64 {
    mask & mask.wrapping_neg()
}

faults! {
    // groups
    "lane-forgotten", "a lane of an instruction is left out", |unit, point, memo| {
        for coalesce in unit.coalesce.iter_mut().filter(|_| point == Point::Settled) {
            let pending = coalesce.pending.d.val().raw();
            if pending & (pending.wrapping_sub(1)) != 0 && memo.every(40) {
                coalesce.pending.d.next = (pending & !lowest(pending)).into();
            }
        }
    }
    "lane-repeated", "a lane is in two groups of its instruction", |unit, point, memo| {
        for coalesce in unit.coalesce.iter_mut().filter(|_| point == Point::Settled) {
            if coalesce.goes.val() && coalesce.left.val().any() && memo.every(40) {
                coalesce.pending.d.next = coalesce.pending.d.val() | lowest(coalesce.group.val().raw());
            }
        }
    }
    "mask-ignored", "lanes that are not active take part", |unit, point, memo| {
        for coalesce in unit.coalesce.iter_mut().filter(|_| point == Point::Settled) {
            if coalesce.valid.val() && coalesce.ready.val() && memo.every(10) {
                coalesce.pending.d.next = (u64::MAX >> (64 - coalesce.address.len())).into();
            }
        }
    }
    "operands-mixed", "groups of .noComplete go by their lowest lanes, whatever the operand", |unit, point, memo| {
        for coalesce in unit.coalesce.iter_mut().filter(|_| point == Point::Settled) {
            coalesce.first.d.next = 0.into();
        }
    }
    "init-of-neighbour", "an init writes another count than its lanes name", |unit, point, memo| {
        for coalesce in unit.coalesce.iter_mut().filter(|_| point == Point::Settled) {
            if coalesce.op_add.d.val() == Op::Init && memo.every(5) {
                coalesce.operand_add.d.next = coalesce.operand_add.d.val() ^ 1;
            }
        }
    }
    "token-of-neighbour", "a wait asks for the phase of another lane", |unit, point, memo| {
        for coalesce in unit.coalesce.iter_mut().filter(|_| point == Point::Settled) {
            if coalesce.op_add.d.val() == Op::TestWait && memo.every(5) {
                coalesce.operand_add.d.next = coalesce.operand_add.d.val() ^ (1 << 31);
            }
        }
    }
    // sums
    "sum-loses-lanes", "the first of the sums is not added", |unit, point, memo| {
        for coalesce in unit.coalesce.iter_mut().filter(|_| point == Point::Settled) {
            if memo.every(10) {
                coalesce.part[0].d.next = 0.into();
            }
        }
    }
    "count-loses-lanes", "some lanes are not counted", |unit, point, memo| {
        for coalesce in unit.coalesce.iter_mut().filter(|_| point == Point::Settled) {
            let others = coalesce.parts > 1 && (1..coalesce.parts).any(|part| coalesce.part_count[part].d.val().any());
            if others && memo.every(10) {
                coalesce.part_count[0].d.next = 0.into();
            }
        }
    }
    "sum-wraps", "a sum above 2^20 - 1 wraps", |unit, point, memo| {
        for coalesce in unit.coalesce.iter_mut().filter(|_| point == Point::Settled) {
            if coalesce.ask_moves.val() && coalesce.ask_data.d.val().raw() & 0xffff_ffff == 0xffff_ffff {
                let sum = coalesce.sum.val().raw() & 0xf_ffff;
                coalesce.ask_data.d.next = (coalesce.ask_data.d.val().raw() & !0xffff_ffff | sum).into();
            }
        }
    }
    "lanes-uncounted", "lanes that arrive and expect bytes arrive as one", |unit, point, memo| {
        if point == Point::Settled {
            for port in unit.users..unit.users + unit.warps {
                let decode = &mut unit.unit.decode[port];
                if decode.op.q.val() == Op::ArriveExpectTx {
                    decode.arrivals.d.next = 1.into();
                    decode.arrivals_negative.d.next = 0xf_ffff.into();
                }
            }
        }
    }
    // requests
    "request-strays", "a group goes to the word beside its own", |unit, point, memo| {
        for coalesce in unit.coalesce.iter_mut().filter(|_| point == Point::Settled) {
            if coalesce.ask_moves.val() && memo.every(40) {
                coalesce.ask_address.d.next = coalesce.ask_address.d.val() ^ 8;
            }
        }
    }
    "request-of-own", "an instruction of another CTA is done as one of the own", |unit, point, memo| {
        for coalesce in unit.coalesce.iter_mut().filter(|_| point == Point::Settled) {
            coalesce.ask_remote.d.next = false;
        }
    }
    "drop-stays", "lanes that drop arrive and stay", |unit, point, memo| {
        for coalesce in unit.coalesce.iter_mut().filter(|_| point == Point::Settled) {
            if coalesce.ask_op.d.val() == Op::ArriveDrop {
                coalesce.ask_op.d.next = Op::Arrive.into();
            }
        }
    }
    "request-dropped", "a request that is not accepted at once is lost", |unit, point, memo| {
        for coalesce in unit.coalesce.iter_mut().filter(|_| point == Point::Settled) {
            if coalesce.ask_valid.q.val() && !coalesce.ask_ready.val() {
                coalesce.ask_valid.d.next = false;
            }
        }
    }
    "request-repeated", "a request that is accepted is made once more", |unit, point, memo| {
        for coalesce in unit.coalesce.iter_mut().filter(|_| point == Point::Settled) {
            if coalesce.ask_valid.q.val() && coalesce.ask_ready.val() && !coalesce.valid_add.q.val() && memo.every(20) {
                coalesce.ask_valid.d.next = true;
                coalesce.ask_op.d.next = coalesce.ask_op.q.val();
                coalesce.ask_address.d.next = coalesce.ask_address.q.val();
                coalesce.ask_data.d.next = coalesce.ask_data.q.val();
                coalesce.ask_tag.d.next = coalesce.ask_tag.q.val();
            }
        }
    }
    "group-dropped", "a group that has to wait in the adder is lost", |unit, point, memo| {
        for coalesce in unit.coalesce.iter_mut().filter(|_| point == Point::Settled) {
            if coalesce.valid_add.q.val() && !coalesce.add_moves.val() {
                coalesce.valid_add.d.next = false;
            }
        }
    }
    // answers
    "lanes-shifted", "the answer goes to the lanes beside those that asked", |unit, point, memo| {
        for scatter in unit.scatter.iter_mut().filter(|_| point == Point::Settled) {
            if scatter.formed.allocate.val() && memo.every(40) {
                scatter.masks.write_data.next = (scatter.formed.lanes.val().raw() >> 1 | 1).into();
            }
        }
    }
    "tokens-equal", "the tokens of .noComplete do not count down", |unit, point, memo| {
        for scatter in unit.scatter.iter_mut().filter(|_| point == Point::Settled) {
            if scatter.rsp_valid.q.val() && !scatter.told_ready.val() {
                scatter.data.d.next = scatter.data.q.val();
            }
        }
    }
    "tokens-run-on", "every token counts down, and not those of .noComplete alone", |unit, point, memo| {
        for scatter in unit.scatter.iter_mut().filter(|_| point == Point::Settled) {
            let steps = scatter.steps.write_data.val();
            scatter.steps.write_data.next = steps | (1 << 20);
        }
    }
    "phases-merged", "all lanes of a word are told what the lowest one asked", |unit, point, memo| {
        for scatter in unit.scatter.iter_mut().filter(|_| point == Point::Settled) {
            scatter.phases.write_data.next = 0.into();
        }
    }
    "tag-mixed", "an answer has the tag of another instruction", |unit, point, memo| {
        for scatter in unit.scatter.iter_mut().filter(|_| point == Point::Settled) {
            if memo.every(20) {
                scatter.tags.write_data.next = scatter.tags.write_data.val() ^ 1;
            }
        }
    }
    "status-lost", "lanes that fault are told that all is well", |unit, point, memo| {
        for scatter in unit.scatter.iter_mut().filter(|_| point == Point::Settled) {
            scatter.rsp_status.d.next = Status::Ok.into();
        }
    }
    "data-kept", "lanes are given the token of the group before", |unit, point, memo| {
        for scatter in unit.scatter.iter_mut().filter(|_| point == Point::Settled) {
            if memo.every(20) {
                scatter.data.d.next = scatter.data.q.val();
            }
        }
    }
    "answer-lost", "an answer of the unit is lost", |unit, point, memo| {
        for scatter in unit.scatter.iter_mut().filter(|_| point == Point::Settled) {
            if scatter.told_valid.val() && scatter.told_ready.val() && memo.every(40) {
                scatter.rsp_valid.d.next = false;
            }
        }
    }
    "answer-repeated", "lanes are answered twice", |unit, point, memo| {
        for scatter in unit.scatter.iter_mut().filter(|_| point == Point::Settled) {
            let leaves = scatter.rsp_valid.q.val() && scatter.told_ready.val();
            if leaves && !scatter.told_valid.val() && memo.every(20) {
                scatter.rsp_valid.d.next = true;
                scatter.rsp_status.d.next = scatter.rsp_status.q.val();
                scatter.shown.d.next = scatter.shown.q.val();
                scatter.data.d.next = scatter.data.q.val();
            }
        }
    }
    "answer-overwritten", "an answer that is not taken at once is lost", |unit, point, memo| {
        for scatter in unit.scatter.iter_mut().filter(|_| point == Point::Shown) {
            scatter.told_ready.next = true;
        }
    }
    "entry-leaks", "an entry of the table of groups is never free again", |unit, point, memo| {
        for scatter in unit.scatter.iter_mut().filter(|_| point == Point::Settled) {
            if memo.every(10) {
                scatter.used.d.next = scatter.used.d.val() | scatter.used.q.val();
            }
        }
    }
    "entry-shared", "an entry is free before its last lane is answered", |unit, point, memo| {
        for scatter in unit.scatter.iter_mut().filter(|_| point == Point::Settled) {
            if scatter.rsp_valid.q.val() {
                let entry = 1 << scatter.shown.q.val().raw();
                scatter.used.d.next = (scatter.used.d.val().raw() & !entry).into();
            }
        }
    }
}
