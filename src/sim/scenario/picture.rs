//! Pictures of scenarios: from the barriers' init to the event that the scenario demonstrates.

use crate::shell::output::OutputFile;
use crate::sim::scenario::Played;
use anyhow::{Context, Result};
use std::ops::Range;
use std::path::Path;
use txbar_rtl::op::Op;
use txbar_rtl::word::address::mapa;
use txbar_testbench::cluster::scenarios::Scenario;
use txbar_testbench::cluster::thread::{Step, Thread};
use txbar_waves::cluster::{Names, View};
use txbar_waves::picture::{self, Lane};
use txbar_waves::read::WaveFile;

/// Cycles after the last event of a picture, in which those who wait for it are answered.
const AFTER: u64 = 4;
/// Bytes of a word.
const BYTES_OF_WORD: u64 = 8;
/// Cycles before a failure.
const BEFORE: u64 = 60;

/// The cycles that are drawn: of a run that failed, those before it did.
pub fn window(played: &Played) -> Range<u64> {
    if played.outcome.is_err() {
        return played.cycles.saturating_sub(BEFORE)..played.cycles;
    }
    let last = subject(played).unwrap_or(played.cycles);
    played.begin..(last + 1 + AFTER).min(played.cycles)
}

/// The cycle in which what a scenario is about has been seen.
fn subject(played: &Played) -> Option<u64> {
    let Played { scenario, flips, drop, .. } = played;
    let barriers = barriers(&scenario.threads(&scenario.parameters(), played.seed));
    let (full, empty) = barriers.split_at(barriers.len() / 2);
    let of =
        |some: &[(u32, String)], word: u64| some.iter().any(|(address, _)| u64::from(*address) == word * BYTES_OF_WORD);
    let mut flips = flips.iter();
    let last = match scenario {
        // two stages are filled
        Scenario::Multistage => flips.nth(1),
        // a buffer is filled for the second time
        Scenario::Ring | Scenario::Tiles => {
            flips.filter(|(_, word)| of(full.get(..1).unwrap_or_default(), *word)).nth(1)
        }
        // the phase behind a drop is complete
        Scenario::Specialised => flips.find(|(cycle, word)| of(empty, *word) && drop.is_some_and(|drop| drop < *cycle)),
        // all CTAs have told that a buffer is free
        Scenario::Multicast => flips.find(|(_, word)| of(empty, *word)),
    };
    last.map(|(cycle, _)| *cycle)
}

/// The barriers of CTA 0, by address and name: the first half is of full buffers, the other of empty ones.
fn barriers(threads: &[Thread]) -> Vec<(u32, String)> {
    let steps = threads.iter().filter(|thread| thread.cta == 0).flat_map(|thread| &thread.program);
    let made: Vec<u32> = steps
        .filter_map(|step| match step {
            Step::Ask(request, _) if request.operation() == Some(Op::Init) => Some(request.address),
            _ => None,
        })
        .collect();
    let stages = made.len() / 2;
    let name = |number: usize| {
        if number < stages { format!("full{number}") } else { format!("empty{}", number - stages) }
    };
    made.iter().enumerate().map(|(number, address)| (*address, name(number))).collect()
}

/// Draws a run from its waves.
pub fn draw(played: &Played, waves: &Path, cycles: Range<u64>, mut output: OutputFile) -> Result<()> {
    let mut file = WaveFile::open(waves)?;
    let lanes = lanes(played, &mut file, &cycles)?;
    let title = format!("{}: {}; seed {}", played.scenario.name(), played.scenario.meaning(), played.seed);
    let picture = picture::draw_folded(&mut file, &title, &lanes, cycles)?;
    output.writer().write_all(picture.as_bytes()).context("cannot write the picture")?;
    output.finish()
}

/// What one wants to see of a scenario.
fn lanes(played: &Played, file: &mut WaveFile, cycles: &Range<u64>) -> Result<Vec<Lane>> {
    let parameters = played.scenario.parameters();
    let threads = played.scenario.threads(&parameters, played.seed);
    let barriers = barriers(&threads);
    let own = barriers.iter().map(|(address, name)| (u64::from(*address), name.clone()));
    let others = barriers.iter().flat_map(|(address, name)| {
        (0..parameters.ctas).map(move |cta| (u64::from(mapa(*address, cta)), format!("{name}@{cta}")))
    });
    // rank 0 has the plain address, too: what is found first is its name
    let addresses: Names = if parameters.ctas > 1 { own.chain(others).collect() } else { own.collect() };
    // a thread has two tags, one for what it waits for and one for what it sends
    let tags = threads.iter().map(|thread| u64::from(thread.number)).max().unwrap_or(0) * 2 + 2;
    let tags: Names = (0..tags).map(|tag| (tag, format!("w{}", tag / 2))).collect();
    let view = |cta| View { parameters, cta, addresses: addresses.clone(), tags: tags.clone() };

    let first = view(0);
    let mut lanes = first.rounds();
    for port in 0..parameters.unit.ports {
        lanes.extend(first.port(port));
    }
    lanes.extend(match played.scenario {
        Scenario::Multistage => first.cp_async(),
        Scenario::Tiles => first.tensor(),
        _ => first.bulk(),
    });
    if parameters.ctas > 1 {
        lanes.extend(first.links());
    }
    // arrivals of cp.async complete no bytes
    let counts = |lane: &Lane| played.scenario != Scenario::Multistage || !lane.label.ends_with("bytes");
    lanes.extend(first.copies().into_iter().filter(counts));
    for (address, name) in &barriers {
        lanes.extend(lively(file, first.barrier(*address as usize / 8, name), cycles)?);
    }
    lanes.push(first.flips());
    for cta in 1..parameters.ctas {
        lanes.extend(view(cta).links());
        lanes.push(view(cta).flips());
    }
    Ok(lanes)
}

/// The lanes of a barrier with which something happens; none of another.
fn lively(file: &mut WaveFile, lanes: Vec<Lane>, cycles: &Range<u64>) -> Result<Vec<Lane>> {
    for lane in &lanes {
        if picture::is_lively(file, lane, cycles.clone())? {
            return Ok(lanes);
        }
    }
    Ok(Vec::new())
}
