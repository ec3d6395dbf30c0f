//! Writes the waves of a design while it runs: all of them, from some cycle on, or those around an event.
//!
//! A clock cycle is ten nanoseconds: values settle at the rising edge that begins it. What changes is written, nothing else is;
//! nothing grows with the run.
//!
//! ```text
//!   Shot::all()                 ██████████████████████████████████
//!   from a cycle                ░░░░░░░░░░░░██████████████████████
//!   around a fault or a flip    ──────────────████!████                a ring holds the cycles before
//!   around a hang or a failure  ──────────────────────────████!        the run ends with it
//!                               ░ not looked at    ─ in the ring    █ written
//! ```
//! Before a hang or a failure, cycles in which nothing happens do not count: when memory has not been written to (hang), or nothing has
//! taken effect or been answered (failure), for as long as the ring is, it stays as it is until that happens again. So it holds what
//! came before the silence, or before threads did nothing but ask whether their phase has completed.

use crate::format::{Format, Header, WaveOutput};
use crate::layout::{EVENTS, Layout, fields};
use crate::ring::{Change, Ring};
use std::io::{self, Seek, Write};
use std::ops::Range;
use txbar_rtl::hdl::Part;
use txbar_rtl::parameters::Design;

/// Nanoseconds of a clock cycle in the file.
pub const CYCLE_NS: u64 = 10;

/// What waves can be around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// An operation ends with a status that is not `ok`.
    Fault,
    /// A phase completes.
    Flip,
    /// The run ends because nothing goes on.
    Hang,
    /// The run ends because something is wrong, a hang too.
    Failure,
}

/// Which cycles are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shot {
    /// The first that is looked at.
    pub from: u64,
    /// What the waves are around, if not everything is written.
    pub around: Option<Trigger>,
    /// Cycles before it, and after it.
    pub window: usize,
}

impl Shot {
    /// Everything.
    pub const fn all() -> Self {
        Self { from: 0, around: None, window: 0 }
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// As it should.
    Well,
    /// Something was wrong.
    Failed,
    /// Nothing went on.
    Hung,
}

/// What has been written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The cycles; nothing if what the waves should be around never came.
    pub cycles: Option<Range<u64>>,
    /// The first cycle of those with each of [`EVENTS`].
    pub first: [Option<u64>; EVENTS.len()],
    /// Which signals have changed since the first of them, by number.
    pub changed: Vec<bool>,
    /// The most bytes that were held at a time.
    pub held: usize,
}

/// Where a film stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Cycles go into the ring.
    Waiting,
    /// Cycles are written, up to one if there is a last.
    Writing(Option<u64>),
    /// All that should be written is.
    Done,
}

/// A wave file under way.
pub struct Waves<W: Write + Seek> {
    output: WaveOutput<W>,
    layout: Layout,
    shot: Shot,
    stage: Stage,
    /// What was seen last, and room for what is seen next.
    seen: Vec<u64>,
    fresh: Vec<u64>,
    /// Whether nothing has been seen yet.
    is_first: bool,
    changes: Vec<Change>,
    ring: Ring,
    /// The very last cycles, also while the ring stands still.
    recent: Ring,
    /// Cycles since something happened.
    quiet: usize,
    /// The words that were written last, each in its place among the values.
    shown: Vec<u64>,
    written: Written,
}

impl<W: Write + Seek> Waves<W> {
    /// Begins a VCD file with all cycles of `design`, which is built for these parameters.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn new(output: W, design: &impl Part, parameters: &dyn Design) -> io::Result<Self> {
        Self::with(Format::Vcd, Shot::all(), output, design, parameters)
    }

    /// Begins a file of a format with some cycles of `design`.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn with(
        format: Format,
        shot: Shot,
        output: W,
        design: &impl Part,
        parameters: &dyn Design,
    ) -> io::Result<Self> {
        let layout = Layout::of(design, parameters);
        let list = parameters.list().into_iter().map(|(name, value)| format!("{name} = {value}"));
        let comment = list.collect::<Vec<_>>().join(", ");
        let output = WaveOutput::new(format, output, &Header { comment: &comment, entries: &layout.entries })?;
        let values = layout.slots.len();
        let changed = vec![false; layout.signals().len()];
        let keep = if shot.around.is_some() { shot.window.saturating_add(1) } else { 0 };
        let stage = if shot.around.is_some() { Stage::Waiting } else { Stage::Writing(None) };
        Ok(Self {
            output,
            layout,
            shot,
            stage,
            seen: vec![0; values],
            fresh: Vec::with_capacity(values),
            is_first: true,
            changes: Vec::with_capacity(values),
            ring: Ring::new(keep, values),
            recent: Ring::new(keep.min(RECENT), values),
            quiet: 0,
            shown: vec![0; values],
            written: Written { cycles: None, first: [None; EVENTS.len()], changed, held: 0 },
        })
    }

    /// What the file holds.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Looks at a cycle: call it when the design has settled.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn sample(&mut self, design: &impl Part, cycle: u64) -> io::Result<()> {
        if cycle < self.shot.from || self.stage == Stage::Done {
            return Ok(());
        }
        let before = self.quiet;
        let events = self.look(design);
        match self.stage {
            Stage::Waiting => self.wait(cycle, before, events),
            Stage::Writing(last) => {
                let changes = std::mem::take(&mut self.changes);
                let result = self.write(cycle, &changes);
                self.changes = changes;
                if last == Some(cycle) {
                    self.stage = Stage::Done;
                }
                result
            }
            Stage::Done => Ok(()),
        }
    }

    /// Notes what has changed since the last cycle, the events behind the design's own values.
    fn look(&mut self, design: &impl Part) -> [u64; EVENTS.len()] {
        let Self { seen, fresh, changes, layout, is_first, .. } = self;
        fresh.clear();
        design.values(fresh);
        let events = layout.events.of(fresh);
        fresh.extend(events);
        assert_eq!(fresh.len(), seen.len(), "a design is looked at as it was declared");
        changes.clear();
        differences(seen, fresh, *is_first, changes);
        std::mem::swap(seen, fresh);
        *is_first = false;
        let goes_on = match self.shot.around {
            Some(Trigger::Hang) => self.layout.events.is_progress(&self.seen),
            _ => self.layout.events.is_active(&self.seen),
        };
        self.quiet = if goes_on { 0 } else { self.quiet.saturating_add(1) };
        events
    }

    /// A cycle before the event, or that of the event.
    fn wait(&mut self, cycle: u64, quiet_before: usize, [flip, fault, _]: [u64; EVENTS.len()]) -> io::Result<()> {
        let comes = match self.shot.around {
            Some(Trigger::Fault) => fault != 0,
            Some(Trigger::Flip) => flip != 0,
            Some(Trigger::Hang | Trigger::Failure) => {
                self.recent.push(cycle, &self.changes);
                if self.quiet > self.shot.window {
                    return Ok(());
                }
                if quiet_before > self.shot.window {
                    // cycles are missing between those that it holds and this one
                    self.ring.restart(&self.recent);
                    return Ok(());
                }
                false
            }
            None => true,
        };
        self.ring.push(cycle, &self.changes);
        self.written.held = self.written.held.max(self.ring.held());
        if comes {
            self.develop()?;
            let last = cycle.saturating_add(self.shot.window as u64);
            self.stage = if last == cycle { Stage::Done } else { Stage::Writing(Some(last)) };
        }
        Ok(())
    }

    /// Writes what the ring holds.
    fn develop(&mut self) -> io::Result<()> {
        for (cycle, changes) in self.ring.take() {
            self.write(cycle, &changes)?;
        }
        Ok(())
    }

    /// Writes a cycle.
    fn write(&mut self, cycle: u64, changes: &[Change]) -> io::Result<()> {
        let Self { output, layout, shown, written, .. } = self;
        output.time(cycle * CYCLE_NS)?;
        output.change(CLOCK, 1)?;
        let is_first = written.cycles.is_none();
        for (position, value) in changes {
            let slot = layout.slots[*position as usize];
            output.change(slot.var, *value)?;
            if slot.has_fields {
                let old = fields(std::mem::replace(&mut shown[*position as usize], *value));
                for (field, (value, old)) in fields(*value).into_iter().zip(old).enumerate() {
                    if is_first || old != value {
                        output.change(slot.var + 1 + field as u32, value)?;
                        written.changed[slot.var as usize + 1 + field] |= !is_first;
                    }
                }
            }
            written.changed[slot.var as usize] |= !is_first;
        }
        for (position, value) in changes.iter().rev() {
            // the events stand behind everything else
            let Some(event) = (*position as usize).checked_sub(layout.slots.len() - EVENTS.len()) else { break };
            if *value != 0 {
                written.first[event].get_or_insert(cycle);
            }
        }
        output.time(cycle * CYCLE_NS + CYCLE_NS / 2)?;
        output.change(CLOCK, 0)?;
        written.held = written.held.max(output.held() + self.ring.held());
        let begin = written.cycles.as_ref().map_or(cycle, |cycles| cycles.start);
        written.cycles = Some(begin..cycle + 1);
        Ok(())
    }

    /// Ends the file, so that the last cycle is seen whole. What is around a hang or a failure is written now.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(mut self, end: End) -> io::Result<Written> {
        let comes = match self.shot.around {
            Some(Trigger::Hang) => end == End::Hung,
            Some(Trigger::Failure) => end != End::Well,
            _ => false,
        };
        if comes && self.stage == Stage::Waiting {
            self.develop()?;
        }
        let time = self.written.cycles.as_ref().map_or(0, |cycles| cycles.end * CYCLE_NS);
        self.output.finish(time)?;
        Ok(self.written)
    }
}

/// Values that are compared together.
const TOGETHER: usize = 16;

/// Notes where `new` is not as `old`, or everything.
fn differences(old: &[u64], new: &[u64], all: bool, changes: &mut Vec<Change>) {
    let ((old_chunks, old_rest), (new_chunks, new_rest)) = (old.as_chunks::<TOGETHER>(), new.as_chunks::<TOGETHER>());
    let mut position = 0;
    for (old, new) in old_chunks.iter().zip(new_chunks) {
        // all comparisons first, so that there is no branch for each
        let mut mask = 0;
        for place in 0..TOGETHER {
            mask |= u32::from(old[place] != new[place] || all) << place;
        }
        while mask != 0 {
            let place = mask.trailing_zeros();
            changes.push((position + place, new[place as usize]));
            mask &= mask - 1;
        }
        position += TOGETHER as u32;
    }
    for (old, new) in old_rest.iter().zip(new_rest) {
        if old != new || all {
            changes.push((position, *new));
        }
        position += 1;
    }
}

/// Cycles that are still known when something happens after a silence: more than from a request to its answer.
const RECENT: usize = 20;

/// The number of the clock among the signals.
const CLOCK: u32 = 0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_found_everywhere() {
        let old: Vec<u64> = (0..3 * TOGETHER as u64 + 5).collect();
        let mut changes = Vec::new();
        differences(&old, &old, false, &mut changes);
        assert_eq!(changes, []);
        differences(&old, &old, true, &mut changes);
        assert_eq!(changes, (0..).zip(old.iter().copied()).collect::<Vec<Change>>());
        for place in 0..old.len() {
            let mut new = old.clone();
            new[place] += 1;
            changes.clear();
            differences(&old, &new, false, &mut changes);
            assert_eq!(changes, [(place as u32, new[place])]);
        }
    }
}
