//! Text about a barrier of a CTA, or registers, that threads wait for.

use super::{Reporter, ranges, wrapped};
use crate::machine::bars::{Arrival, BarStanding, Partial, repeated};
use crate::machine::registers::RegisterStanding;
use crate::position::Position;
use crate::residency::PARTS;
use std::collections::BTreeMap;

/// Warps as a list: `warp 0`, `warps 0-2`.
fn warps(mut numbers: Vec<u16>) -> String {
    numbers.sort_unstable();
    numbers.dedup();
    format!("warp{} {}", if numbers.len() == 1 { "" } else { "s" }, ranges(&numbers))
}

fn bits(warps: u32) -> Vec<u16> {
    (0..32).filter(|warp| warps >> warp & 1 != 0).collect()
}

impl Reporter<'_> {
    /// Arrivals by instruction: `warps 0-1 (line 6), warp 2 (line 9)`.
    fn arrivals(&self, arrivals: &[Arrival]) -> String {
        let mut lines: BTreeMap<usize, (Position, Vec<u16>)> = BTreeMap::new();
        for arrival in arrivals {
            let at = self.at(arrival.pc);
            lines.entry(at.line).or_insert((at, Vec::new())).1.push(arrival.warp as u16); // a CTA has 32 at most
        }
        let shown = lines.into_values().map(|(at, numbers)| format!("{} ({at:#})", warps(numbers)));
        shown.collect::<Vec<_>>().join(", ")
    }

    /// Below the threads that wait for it.
    pub(super) fn bar(&self, bar: &BarStanding) -> String {
        let BarStanding { wanted, arrivals, completed, surplus, last, users, partial, .. } = bar;
        let of = if bar.threads.is_some() { "threads" } else { "threads, in warps that have not ended," };
        let mut lines = vec![match arrivals.is_empty() {
            true => format!("0 of {wanted} {of} have arrived"),
            false => format!("{} of {wanted} {of} have arrived: {}", bar.arrived(), self.arrivals(arrivals)),
        }];
        for Partial { warp, here, elsewhere } in partial {
            let at = |(pc, lanes): &(usize, u32)| format!("lanes {} ({:#})", ranges(&bits(*lanes)), self.at(*pc));
            let here: Vec<String> = here.iter().map(at).collect();
            lines.push(match elsewhere {
                0 => format!("warp {warp} is not counted: {}", here.join(", ")),
                _ => format!(
                    "warp {warp} is not counted without lanes {}: {}",
                    ranges(&bits(*elsewhere)),
                    here.join(", ")
                ),
            });
        }
        if *completed > 0 {
            let times = if *completed == 1 { "once".to_string() } else { format!("{completed} times") };
            lines.push(format!("it has completed {times}, last by {}", self.arrivals(last)));
        }
        if let Some((completion, counted)) = surplus {
            let twice: Vec<Arrival> =
                counted.iter().copied().filter(|arrival| repeated(counted) >> arrival.warp & 1 != 0).collect();
            lines.push(format!(
                "completion {completion} counted {} more than once: {}",
                warps(bits(repeated(counted))),
                self.arrivals(&twice)
            ));
        }
        let elsewhere = users.iter().filter(|(pc, _)| arrivals.iter().all(|arrival| arrival.pc != **pc));
        let elsewhere: Vec<String> =
            elsewhere.map(|(pc, by)| format!("{} ({})", self.at(*pc), warps(bits(*by)))).collect();
        if !elsewhere.is_empty() {
            lines.push(format!("also used in {}", elsewhere.join(", ")));
        }
        lines.iter().map(|line| wrapped(line, "      ", "        ")).collect()
    }

    /// Below the threads that wait for registers.
    pub(super) fn claims(&self, claims: &RegisterStanding) -> String {
        let line = |(warp, has, wants, free): &(usize, u32, u32, u32)| {
            let (part, more) = (warp % PARTS, 32 * wants.saturating_sub(*has));
            format!(
                "warp {warp} has {has} registers a thread and asks for {wants}: {more} more; {free} of warps {part}, {}, {}, ... are free",
                part + PARTS,
                part + 2 * PARTS
            )
        };
        claims.warps.iter().map(line).map(|line| wrapped(&line, "      ", "        ")).collect()
    }
}
