//! The record, compared with the scoreboard's counts and the hardware's memory.

use super::*;
use crate::cluster::rig::Rig;
use crate::cluster::scenarios::Scenario;
use crate::engine::rtl::Rtl;
use crate::run::{self, Latency, Report, Unobserved};
use crate::traffic::Plan;
use txbar_rtl::parameters::Parameters;
use txbar_rtl::status::Status;
use txbar_rtl::word::PHASE;

fn recorded(kept: usize) -> (Report, Timeline, Rtl) {
    let parameters = Parameters { banks: 4, words: 64, waiters: 16, counters: false, ..Parameters::default() };
    let plan = Plan { stall: 20, ..Plan::new(5, 20_000) };
    let mut engine = Rtl::new(parameters);
    let mut recorder = Recorder::of_unit(&parameters, kept);
    let report = run::plan(&mut engine, &plan, &mut (Unobserved, &mut recorder)).expect("it is sound");
    (report, recorder.finish(), engine)
}

fn ended(timeline: &Timeline, how: columns::How) -> u64 {
    timeline.waits.how.iter().filter(|other| **other == how).count() as u64
}

#[test]
fn counts_are_those_of_the_scoreboard() {
    let (report, timeline, engine) = recorded(usize::MAX);
    assert_eq!(timeline.dropped, 0);
    assert_eq!(timeline.series.accepted.iter().sum::<u64>(), report.operations);
    assert_eq!(timeline.counts.iter().map(|count| count.times).sum::<u64>(), report.operations);
    assert_eq!(timeline.series.flips.iter().sum::<u64>(), report.flips);
    let flips = timeline.events.flags.iter().filter(|flags| **flags & columns::FLIP != 0).count();
    assert_eq!(flips as u64, report.flips, "each of them is some row's");
    let faults = timeline.counts.iter().filter(|count| count.status != Status::Ok.code());
    assert_eq!(faults.map(|count| count.times).sum::<u64>(), report.faults);
    assert_eq!(timeline.series.faults.iter().sum::<u64>(), report.faults);
    assert_eq!(Latency::of(&timeline.latency), report.latency_cycles);
    assert_eq!(Latency::of(&timeline.wake_latency), report.wake_latency_cycles);
    assert_eq!(timeline.series.answered.iter().sum::<u64>(), timeline.latency.iter().sum::<u64>());
    assert_eq!(timeline.waits.begin.len() as u64, report.suspended);
    assert_eq!(ended(&timeline, columns::How::Woken), report.woken);
    assert!(report.flips > 100 && report.woken > 10 && report.faults > 10, "there is something to see: {report:?}");

    // the last row of each barrier says what the memory holds
    for (number, barrier) in timeline.barriers.iter().enumerate() {
        let Some(address) = barrier.address else { continue };
        let last = timeline.events.barrier.iter().rposition(|other| *other == number).expect("it has a row");
        assert_eq!(timeline.events.word[last], engine.unit().word(address as usize / 8), "at {address:#x}");
    }
}

#[test]
fn what_is_dropped_leaves_no_gap() {
    let (_, all, _) = recorded(usize::MAX);
    let (_, some, _) = recorded(500);
    let rows = all.events.cycle.len();
    assert_eq!((some.events.cycle.len(), some.dropped), (500, rows as u64 - 500));
    let gone = rows - 500;
    assert_eq!(some.events.word, all.events.word[gone..]);
    assert_eq!(some.events.answered, all.events.answered[gone..]);
    assert_eq!((&some.series, &some.latency, &some.counts), (&all.series, &all.latency, &all.counts));
    for (number, barrier) in some.barriers.iter().enumerate() {
        let mut before = (all.barriers[number].before.word, 0);
        for row in (0..gone).filter(|row| all.events.barrier[*row] == number && barrier.address.is_some()) {
            before.0 = all.events.word[row];
            let is_init = all.operations[usize::from(all.events.op[row])].name == "init" && all.events.status[row] == 0;
            before.1 = if is_init { 0 } else { before.1 + u64::from(all.events.flags[row] & columns::FLIP) };
        }
        assert_eq!((barrier.before.word, barrier.phases), before, "barrier {number}");
    }
}

#[test]
fn rows_of_a_barrier_follow_from_each_other() {
    let (_, timeline, _) = recorded(usize::MAX);
    let events = &timeline.events;
    let mut words: Vec<u64> = timeline.barriers.iter().map(|barrier| barrier.before.word).collect();
    for row in 0..events.cycle.len() {
        let before = std::mem::replace(&mut words[events.barrier[row]], events.word[row]);
        if events.flags[row] & columns::FLIP != 0 {
            assert_ne!(PHASE.of(before), PHASE.of(events.word[row]), "row {row} completes a phase");
        }
        assert!(events.accepted[row] < events.cycle[row]);
        assert!(events.answered[row].is_none_or(|cycle| cycle >= events.cycle[row]));
    }
    assert!(events.cycle.is_sorted());
}

#[test]
fn a_cluster_is_recorded_in_all_its_units() {
    let scenario = Scenario::Ring;
    let parameters = scenario.parameters();
    let mut rig = Rig::new(parameters, scenario.threads(&parameters, 3), Scenario::environment(3));
    let mut recorder = Recorder::of_cluster(&parameters, usize::MAX);
    let (mut accepted, mut flips) = (0, 0);
    let report = rig
        .run(&mut |_, _| {}, |cluster, cycle| {
            recorder.look(cluster, cycle);
            let units = || cluster.cta.iter().map(|cta| &cta.unit);
            accepted += units().map(|unit| unit.req_ready.val().raw().count_ones()).sum::<u32>();
            flips += units().map(|unit| unit.flip_valid.val().raw().count_ones()).sum::<u32>();
        })
        .expect("it is sound");
    let waiting = recorder.waiting();
    let timeline = recorder.finish();
    assert_eq!(waiting, []);
    assert_eq!(timeline.series.accepted.iter().sum::<u64>(), u64::from(accepted));
    assert_eq!((u64::from(accepted), u64::from(flips)), (report.operations, report.flips));
    assert_eq!(timeline.series.flips.iter().sum::<u64>(), report.flips);
    assert_eq!(Latency::of(&timeline.latency), report.latency_cycles);
    assert!(timeline.ports.iter().any(|name| name == "copies"));
    assert!(timeline.events.cycle.len() > 20);
    for (number, barrier) in timeline.barriers.iter().enumerate() {
        let last = timeline.events.barrier.iter().rposition(|other| *other == number).expect("it has a row");
        let word = rig.cluster.cta[barrier.cta].unit.word(barrier.address.expect("it has one") as usize / 8);
        assert_eq!(timeline.events.word[last], word, "{barrier:?}");
    }
}

fn record() -> RunRecord {
    let mut record = RunRecord::new("txbar sim", Verdict::Pass, "it went well");
    record.figure("operations", 20_000);
    record.timeline = Some(recorded(200).1);
    record
}

#[test]
fn a_record_is_read_as_it_was_written() {
    let record = record();
    let text = serde_json::to_string(&record).expect("it is plain");
    assert_eq!(RunRecord::read(&text).expect("it is one"), record);
}

/// What is said of a record after something has been done to it.
fn refusal(spoil: impl Fn(&mut serde_json::Value)) -> String {
    let mut value = serde_json::to_value(record()).expect("it is plain");
    spoil(&mut value);
    RunRecord::read(&value.to_string()).expect_err("it is mutated").to_string()
}

#[test]
fn what_is_no_record_is_refused() {
    let text = |text: &str| RunRecord::read(text).expect_err("it is none").to_string();
    assert!(text("x").ends_with("expected value at line 1 column 1"), "{}", text("x"));
    assert!(text("{}").starts_with("it is not a record of a run: its format is ``"));
    assert!(refusal(|value| value["version"] = 9.into()).starts_with("it is a record in version 9 "));
    assert!(refusal(|value| value["title"] = 1.into()).contains("expected a string"));
    let column = refusal(|value| value["timeline"]["events"]["tx"] = serde_json::json!([]));
    assert_eq!(column, "the columns of `events` are not of one length");
    let barrier = refusal(|value| value["timeline"]["events"]["barrier"][7] = 9999.into());
    assert!(barrier.starts_with("`events` name a barrier"), "{barrier}");
    let order = refusal(|value| value["timeline"]["events"]["cycle"][7] = 0.into());
    assert!(order.contains("not in the order"), "{order}");
    let word = refusal(|value| value["timeline"]["events"]["word"][7] = "g".into());
    assert!(word.contains("`g` is not a word"), "{word}");
    assert!(refusal(|value| value["timeline"]["series"]["width"] = 0.into()).contains("`width` is 0"));
}
