//! Writes the waves of a design while it runs: all of them, from a cycle on, or around an event.
//!
//! A clock cycle is ten nanoseconds: values settle at the rising edge that begins it. What changes is written, nothing else is;
//! nothing grows with the run.
//!
//! ```text
//!   Shot::all()                 ██████████████████████████████████
//!   from a cycle                ░░░░░░░░░░░░██████████████████████
//!   around a fault or a flip    ──────────────████!████                a ring holds the cycles before
//!   around a hang               ──────────────████!████──────          what happened last, not the silence behind it
//!   around a failure            ──────────────────────────████!        the run ends with it; or it is a hang
//!                               ░ not looked at    ─ in the ring    █ written    ! the event
//! ```
//! The event before a hang is the last cycle in which memory is written to: whoever only asks whether a phase has completed moves nothing.
//! The ring is twice as long as the window: when nothing has happened for as long as the window is, it holds what the waves will show if
//! nothing happens any more, and that is kept.

use crate::differ::{Mask, TOGETHER, compare, each, masks, padded};
use crate::format::{Format, Header, WaveOutput};
use crate::layout::{EVENTS, Layout};
use crate::ring::{Change, Ring};
use std::io::{self, Seek, Write};
use std::ops::Range;
use txbar_rtl::hdl::Part;
use txbar_rtl::parameters::Design;

/// Nanoseconds of a clock cycle in the file.
pub const CYCLE_NS: u64 = 10;

/// Events that waves can be recorded around.
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

/// What is written: which cycles, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shot {
    /// The first that is looked at.
    pub from: u64,
    /// What the waves are around, if not everything is written.
    pub around: Option<Trigger>,
    /// Cycles before it, and after it.
    pub window: usize,
    /// Whether signals that are one wire are looked at one by one: somebody tampers with the design, and they may differ.
    pub apart: bool,
}

impl Shot {
    /// Everything.
    pub const fn all() -> Self {
        Self { from: 0, around: None, window: 0, apart: false }
    }
}

/// Verdict of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Success.
    Well,
    /// Something was wrong.
    Failed,
    /// Hang.
    Hung,
}

/// Summary of the waves written.
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

/// State of a recording.
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
    /// Which values are written: one of each wire. A bit each.
    own: Vec<Mask>,
    /// Which of them differ from the cycle before, and which have done so since the first cycle that was written.
    differ: Vec<Mask>,
    changed: Vec<Mask>,
    /// Whether nothing has been seen yet.
    is_first: bool,
    changes: Vec<Change>,
    ring: Ring,
    /// What the ring held when nothing had happened for as long as the window is.
    kept: Ring,
    /// Cycles since something happened.
    quiet: usize,
    /// The cycle in which it did; the first, if nothing has yet.
    last_event: u64,
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
        let layout = if shot.apart { Layout::apart(design, parameters) } else { Layout::of(design, parameters) };
        let list = parameters.list().into_iter().map(|(name, value)| format!("{name} = {value}"));
        let comment = list.collect::<Vec<_>>().join(", ");
        let output = WaveOutput::new(
            format,
            output,
            &Header { comment: &comment, entries: &layout.entries, slots: &layout.slots },
        )?;
        let values = layout.slots.len();
        let places = padded(values);
        let own = masks(layout.slots.iter().map(|slot| !slot.is_alias));
        let first = [None; EVENTS.len()];
        let written = Written { cycles: None, first, changed: vec![false; layout.signals().len()], held: 0 };
        let keep = match shot.around {
            None => 0,
            Some(Trigger::Fault | Trigger::Flip) => shot.window.saturating_add(1),
            Some(Trigger::Hang | Trigger::Failure) => shot.window.saturating_mul(2).saturating_add(1),
        };
        let stage = if shot.around.is_some() { Stage::Waiting } else { Stage::Writing(None) };
        Ok(Self {
            output,
            layout,
            shot,
            stage,
            seen: vec![0; places],
            fresh: vec![0; places],
            differ: vec![0; own.len()],
            changed: vec![0; own.len()],
            own,
            is_first: true,
            changes: Vec::with_capacity(values),
            ring: Ring::new(keep, values),
            kept: Ring::new(0, values),
            quiet: 0,
            last_event: 0,
            written,
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
        let events = self.look(design);
        match self.stage {
            Stage::Waiting => self.wait(cycle, events),
            Stage::Writing(last) => {
                if last == Some(cycle) {
                    self.stage = Stage::Done;
                }
                self.write(cycle)
            }
            Stage::Done => Ok(()),
        }
    }

    /// Notes what differs from the last cycle.
    fn look(&mut self, design: &impl Part) -> [u64; EVENTS.len()] {
        let Self { seen, fresh, own, differ, layout, is_first, .. } = self;
        let (values, _) = fresh.split_at_mut(layout.slots.len());
        let further = design.values(values).len();
        assert_eq!(further, layout.further(), "a design is looked at as it was declared");
        let events = layout.complete(values);
        if std::mem::take(is_first) {
            differ.copy_from_slice(own);
        } else {
            compare(seen, fresh, own, differ);
        }
        std::mem::swap(seen, fresh);
        if matches!(self.shot.around, Some(Trigger::Hang | Trigger::Failure)) {
            let goes_on = self.layout.events.is_progress(&self.seen);
            self.quiet = if goes_on { 0 } else { self.quiet.saturating_add(1) };
        }
        events
    }

    /// A cycle before the event, or that of the event.
    fn wait(&mut self, cycle: u64, [flip, fault, _]: [u64; EVENTS.len()]) -> io::Result<()> {
        let Self { changes, seen, .. } = self;
        changes.clear();
        each(self.differ.iter().copied(), |position| changes.push((position as u32, seen[position])));
        self.ring.push(cycle, &self.changes);
        let comes = match self.shot.around {
            Some(Trigger::Fault) => fault != 0,
            Some(Trigger::Flip) => flip != 0,
            Some(Trigger::Hang | Trigger::Failure) => {
                if self.quiet == 0 {
                    self.last_event = cycle;
                } else if self.quiet == self.shot.window {
                    self.kept.restart(&self.ring);
                }
                false
            }
            None => true,
        };
        self.written.held = self.written.held.max(self.ring.held() + self.kept.held());
        if comes {
            self.develop()?;
            let last = cycle.saturating_add(self.shot.window as u64);
            self.stage = if last == cycle { Stage::Done } else { Stage::Writing(Some(last)) };
        }
        Ok(())
    }

    /// Writes what the ring holds.
    fn develop(&mut self) -> io::Result<()> {
        let now = self.seen.clone();
        for (number, (cycle, changes)) in self.ring.take().into_iter().enumerate() {
            self.differ.fill(0);
            for (position, value) in changes {
                self.seen[position as usize] = value;
                self.differ[position as usize / TOGETHER] |= 1 << (position as usize % TOGETHER);
            }
            if number == 0 {
                self.differ.copy_from_slice(&self.own); // it begins with everything, other names too
            }
            self.write(cycle)?;
        }
        self.seen = now;
        Ok(())
    }

    /// Writes a cycle: what has been seen of it, and differs.
    fn write(&mut self, cycle: u64) -> io::Result<()> {
        let Self { output, layout, seen, differ, changed, written, .. } = self;
        output.cycle(cycle * CYCLE_NS, differ, seen)?;
        let events = layout.slots.len() - layout.further()..;
        for (value, first) in seen[events].iter().zip(&mut written.first) {
            if *value != 0 {
                first.get_or_insert(cycle);
            }
        }
        let begin = match &written.cycles {
            Some(cycles) => {
                changed.iter_mut().zip(differ).for_each(|(changed, differ)| *changed |= *differ);
                cycles.start
            }
            None => cycle, // everything was written, and nothing changed
        };
        written.held = written.held.max(output.held() + self.ring.held());
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
            let event = match end {
                End::Hung => self.last_event,
                _ => self.ring.last(),
            };
            if end == End::Hung && self.quiet > self.shot.window {
                self.ring.restart(&self.kept);
            }
            self.ring.begin_at(event.saturating_sub(self.shot.window as u64));
            self.develop()?;
        }
        let time = self.written.cycles.as_ref().map_or(0, |cycles| cycles.end * CYCLE_NS);
        self.output.finish(time)?;
        let Self { layout, changed, mut written, .. } = self;
        let signals = layout.signals();
        each(changed.into_iter(), |position| {
            let number = layout.slots[position].var;
            written.changed[signals[number as usize].1.same_as.unwrap_or(number) as usize] = true;
        });
        for (number, (_, var)) in signals.iter().enumerate() {
            if let Some(original) = var.same_as {
                written.changed[number] = written.changed[original as usize];
            }
        }
        Ok(written)
    }
}
