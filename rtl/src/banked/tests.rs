//! The banked high-clock build by itself; under traffic it is tested with all other units.

use crate::banked::returns::Returns;
use crate::banked::table::Table;
use crate::banked::unit::BankedHighClock;
use crate::banked::{LATE, LATENCY, ROOM};
use crate::cells::steps::PLACES;
use crate::hdl::Part;
use crate::word::op::Op;
use crate::word::parameters::Parameters;

fn unit(ports: usize, banks: usize, waiters: usize) -> BankedHighClock {
    let parameters = Parameters { words: 16 * banks, waiters, ..Parameters::banked_high_clock(ports, banks) };
    let mut unit = BankedHighClock::new(&parameters.check().expect("it can be built"));
    unit.poison_collisions(0xbad0_bad0_bad0_bad0);
    unit.rsp_ready.next = ((1 << ports) - 1).into();
    for _ in 0..3 {
        unit.settle();
        unit.clock();
    }
    unit
}

/// An answer: cycle, port, status, predicate, data, whether it had been suspended.
type Answer = (usize, usize, u64, bool, u64, bool);

/// Sends requests (cycle, port, op, word, data); gives the answers of this many cycles.
fn answers(unit: &mut BankedHighClock, requests: &[(usize, usize, Op, u64, u64)], cycles: usize) -> Vec<Answer> {
    let mut answers = Vec::new();
    let ports = unit.rsp.len();
    for cycle in 0..cycles {
        let mut valid = 0;
        for &(_, port, op, word, data) in requests.iter().filter(|request| request.0 == cycle) {
            valid |= 1 << port;
            unit.req[port].op.next = op.into();
            unit.req[port].address.next = (word * 8).into();
            unit.req[port].data.next = data.into();
            unit.req[port].strobe.next = 0xff.into();
        }
        unit.req_valid.next = valid.into();
        unit.settle();
        assert_eq!(unit.req_ready.val().raw() & valid, valid, "cycle {cycle}: there is room");
        for port in (0..ports).filter(|&port| unit.rsp_valid.val().get_bit(port)) {
            let (status, data) = (unit.rsp[port].status.val().raw(), unit.rsp[port].data.val().raw());
            let resumed = unit.rsp_resumed.val().get_bit(port);
            answers.push((cycle, port, status, unit.rsp[port].predicate.val(), data, resumed));
        }
        unit.clock();
    }
    answers
}

#[test]
fn requests_of_one_cycle_are_served_in_the_order_of_the_ports() {
    let mut unit = unit(4, 8, 32);
    let requests: Vec<_> = (0..4).map(|port| (0, port, Op::Store, 5, port as u64)).collect();
    let got = answers(&mut unit, &requests, 60);
    let expected: Vec<Answer> = (0..4).map(|port| (LATENCY + port, port, 0, false, 0, false)).collect();
    assert_eq!(got, expected);
    assert_eq!(unit.word(5), 3, "the last port's");
    let loads: Vec<_> = (0..4).map(|port| (0, port, Op::Load, 5 + port as u64, 0)).collect();
    let got = answers(&mut unit, &loads, 60);
    assert_eq!(got[0], (LATENCY, 0, 0, false, 3, false));
    assert!(got[1..].iter().all(|answer| answer.0 == LATENCY && answer.4 == 0), "the other banks at the same time");
}

#[test]
fn a_parked_wait_is_woken() {
    let mut unit = unit(2, 2, 4);
    let requests = [(0, 0, Op::Init, 3, 1), (2, 1, Op::TryWaitParity, 3, 1000 << 32), (100, 0, Op::Arrive, 3, 1)];
    let got = answers(&mut unit, &requests, 200);
    let resumed: Vec<_> = got.iter().filter(|answer| answer.5).collect();
    assert_eq!(resumed.len(), 1, "{got:?}");
    assert_eq!((resumed[0].1, resumed[0].2, resumed[0].3), (1, 0, true));
    assert!((100 + LATENCY..100 + LATENCY + 8).contains(&resumed[0].0), "{got:?}");
}

/// Two of three waits that are over leave, are parked again and are woken again, as often as may be: the third leaves all the same.
#[test]
fn a_wait_that_is_over_is_not_passed_over() {
    let mut table = Table::new(1, 3, Parameters::DEFAULT.clock());
    let mut left = Vec::new();
    // parks a wait with this tag, or completes the phase of all, or leaves a gap
    let mut cycle = |parks: Option<u64>, flips: bool, gap: bool| {
        // a request's tag is there a cycle after it is known that it wants to be parked
        table.wants.d.next = parks.is_some();
        table.deadline.d.next = 1000.into();
        table.flips.next = flips;
        table.gap.next = gap;
        table.settle();
        if gap && table.back.val().any() {
            left.push(table.back_tag.val().raw());
        }
        table.tick();
        table.wants.d.next = false;
        table.flips.next = false;
        table.gap.next = false;
        if let Some(tag) = parks {
            table.tag.next = tag.into();
            table.settle();
            table.tick();
        }
    };
    for tag in 0..3 {
        cycle(Some(tag), false, false);
    }
    cycle(None, true, false);
    for tag in 3..12 {
        cycle(None, false, false);
        cycle(None, false, true);
        cycle(Some(tag), false, false);
        cycle(None, true, false);
    }
    // within a round by entry, so that two may change places
    assert_eq!(left[..3], [0, 1, 2], "{left:?}");
    left.sort_unstable();
    assert_eq!(left, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
}

/// What `returns.rs` says of the room of its memories: whatever the banks do, there is a place for every batch.
#[test]
fn there_is_a_place_for_every_batch_of_answers() {
    let (owed, most) = (ROOM + LATE, 8);
    // after so many cycles with a batch in each, and with one answer that has left in each but the first
    let waiting = |cycles: usize| (cycles - (cycles - 1) / most).min(owed - (cycles - 1));
    let worst = (1..=owed).map(waiting).max().expect("there are some");
    assert!(worst < PLACES, "{worst}");
    // eight answers twice, and then one in each cycle
    let mut returns = Returns::new(most);
    returns.ready.next = true;
    let (mut given, mut shown) = (Vec::new(), Vec::new());
    for cycle in 0..60u64 {
        let come: u64 = match cycle {
            3 | 4 => 0xff,
            5..19 => 0x80,
            _ => 0,
        };
        returns.come.next = come.into();
        for bank in 0..most {
            let data = if come >> bank & 1 == 1 { cycle * 16 + bank as u64 + 1 } else { 0 };
            returns.data[bank].next = data.into();
            given.extend((data != 0).then_some(data));
        }
        returns.settle();
        if returns.valid.val() {
            shown.push(returns.shown_data.val().raw());
        }
        returns.tick();
    }
    assert_eq!(given.len(), owed);
    assert_eq!(shown, given);
}
