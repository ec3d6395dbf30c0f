//! Draws a timing diagram of some signals over some time, as SVG: legible on light and dark ground, nothing but text and
//! lines in it.
//!
//! ```text
//!   valid   ____/‾‾‾‾\____         one bit: a line
//!   op      ==X arrive X==         more bits: a band with the value in it, or as much of it as there is room for
//! ```
//! [`draw`] puts all cycles side by side. [`draw_folded`] is for longer times: cycles in which nothing changes are folded into
//! one column (`+37` above it says how many), and what does not fit beside each other goes below, as in sheet music.

mod lane;
mod overview;

pub use lane::{Gate, Lane, Manner, Radix, is_lively};
pub use overview::{Overview, first_flip, overview};

use crate::read::{ReadError, WaveFile, WaveValue};
use crate::write::CYCLE_NS;
use lane::{Stretch, Track};
use std::ops::Range;
use svg::Document;
use svg::node::element::path::Data;
use svg::node::element::{Group, Path, Rectangle, Style, Text, Title};

const LANE_HEIGHT: f64 = 30.0;
const WAVE_HEIGHT: f64 = 18.0;
const CHARACTER: f64 = 6.7;
const SLANT: f64 = 3.0;
const TOP: f64 = 34.0;
/// Height of a lane where there are many.
const DENSE: f64 = 23.0;
/// Between two systems of lanes, with the cycles' numbers.
const BETWEEN: f64 = 34.0;
/// Width of a picture with several systems, beside the labels.
const PAGE: f64 = 1300.0;
/// This many cycles in which nothing changes are folded, or more.
const FOLD: u64 = 3;
/// Width of a fold, in cycles.
const FOLD_WIDTH: f64 = 0.75;
const STYLE: &str = "\
text{font:11px ui-monospace,Menlo,Consolas,monospace;fill:#24292f}\
.wave{fill:none;stroke:#0a3069;stroke-width:1.4}\
.band{fill:#ddf4ff;stroke:#0a3069;stroke-width:1.2}\
.unknown{fill:#ffebe9;stroke:#a40e26;stroke-width:1.2}\
.grid{stroke:#d0d7de;stroke-width:1}\
.cycle{fill:#57606a;font-size:9px}\
.value{text-anchor:middle}\
.label{text-anchor:end}\
.ground{fill:#ffffff}\
@media (prefers-color-scheme:dark){\
text{fill:#e6edf3}\
.wave{stroke:#79c0ff}\
.band{fill:#0c2d6b;stroke:#79c0ff}\
.unknown{fill:#5d0f12;stroke:#ff7b72}\
.grid{stroke:#30363d}\
.cycle{fill:#8b949e}\
.ground{fill:#0d1117}}";
const FOLD_STYLE: &str = "\
.fold{fill:#eaeef2}\
@media (prefers-color-scheme:dark){.fold{fill:#21262d}}";

/// A column: a cycle, or several that are folded.
struct Column {
    cycles: Range<u64>,
    /// Where it begins, in widths of a cycle.
    place: f64,
    width: f64,
}

/// Columns side by side, with the lanes below them.
struct System {
    columns: Vec<Column>,
}

impl System {
    fn cycles(&self) -> Range<u64> {
        let end = |column: Option<&Column>| column.map_or(0, |column| column.cycles.end);
        self.columns.first().map_or(0, |column| column.cycles.start)..end(self.columns.last())
    }

    fn width(&self) -> f64 {
        self.columns.last().map_or(0.0, |column| column.place + column.width)
    }

    /// Where a time is, in widths of a cycle.
    fn place(&self, time: u64) -> f64 {
        let after = self.columns.partition_point(|column| column.cycles.start * CYCLE_NS <= time);
        let Some(column) = after.checked_sub(1).map(|column| &self.columns[column]) else { return 0.0 };
        let cycles = time as f64 / CYCLE_NS as f64 - column.cycles.start as f64;
        let count = (column.cycles.end - column.cycles.start) as f64;
        column.place + cycles / count * column.width
    }

    /// Makes columns wider, until there is room for the names that begin in them: of a status that is cut off nobody knows which
    /// it is.
    fn widen(&mut self, tracks: &[Track], cycle_width: f64) {
        for track in tracks {
            for (from, to, value) in track.stretches(&self.cycles()) {
                let Some(value) = value.filter(|value| track.is_named(value)) else { continue };
                let needed =
                    (track.text_of(value).chars().count() as f64 * CHARACTER + 2.0 * SLANT + 1.0) / cycle_width;
                let (from, to) = (from / CYCLE_NS, to.div_ceil(CYCLE_NS));
                let mut over =
                    self.columns.iter_mut().filter(|column| column.cycles.start < to && column.cycles.end > from);
                let Some(first) = over.next() else { continue };
                let room = first.width + over.map(|column| column.width).sum::<f64>();
                first.width += (needed - room).max(0.0);
            }
        }
        let mut place = 0.0;
        for column in &mut self.columns {
            column.place = place;
            place += column.width;
        }
    }

    /// Characters that the widest value of a lane needs for each cycle that it stands.
    fn widest(&self, track: &Track) -> usize {
        let needed = |(from, to, value): &Stretch| match value {
            Some(WaveValue::Nothing) | None => 0,
            value if track.is_line(*value) => 0,
            Some(value) => {
                let room = self.place(*to) - self.place(*from);
                track.text_of(value).len().div_ceil((room as usize).max(1))
            }
        };
        track.stretches(&self.cycles()).iter().map(needed).max().unwrap_or(0)
    }
}

/// Draws `lanes` from one clock cycle up to another, under a title. A lane that shows nothing in that time is left out.
///
/// # Errors
/// A signal is not in the file.
pub fn draw(file: &mut WaveFile, title: &str, lanes: &[Lane], cycles: Range<u64>) -> Result<String, ReadError> {
    let tracks = tracks(file, lanes, &cycles)?;
    let columns = cycles.clone().map(|cycle| Column {
        cycles: cycle..cycle + 1,
        place: (cycle - cycles.start) as f64,
        width: 1.0,
    });
    let mut system = System { columns: columns.collect() };
    let widest = tracks.iter().map(|track| system.widest(track)).max().unwrap_or(0);
    let cycle_width = cycle_width(widest);
    system.widen(&tracks, cycle_width);
    let page = Page { title, cycle_width, lane_height: LANE_HEIGHT, top: TOP, style: STYLE.to_owned() };
    Ok(page.draw(&[(system, tracks.iter().collect())]))
}

/// The same for a longer time: what does not change is folded, and the rest has the width of a page. A lane is left out of the
/// systems in which it says nothing.
///
/// # Errors
/// A signal is not in the file.
pub fn draw_folded(file: &mut WaveFile, title: &str, lanes: &[Lane], cycles: Range<u64>) -> Result<String, ReadError> {
    let tracks = tracks(file, lanes, &cycles)?;
    let mut system = System { columns: folded(&tracks, &cycles) };
    let widest = tracks.iter().map(|track| system.widest(track)).max().unwrap_or(0);
    let cycle_width = cycle_width(widest);
    system.widen(&tracks, cycle_width);
    let fits = (PAGE / cycle_width).floor();
    // as many systems as are needed, all about as wide
    let systems = (system.width() / fits).ceil().max(1.0);
    let fits = (system.width() / systems).ceil();
    let mut page = vec![System { columns: Vec::new() }];
    for column in system.columns.drain(..) {
        if page.last().is_some_and(|last| last.width() + column.width > fits) {
            page.push(System { columns: Vec::new() });
        }
        if let Some(last) = page.last_mut() {
            last.columns.push(Column { place: last.width(), ..column });
        }
    }
    let shown = |system: System| {
        let said = said(&tracks, &system.cycles());
        (system, said)
    };
    let systems: Vec<_> = page.into_iter().map(shown).collect();
    let style = STYLE.to_owned() + FOLD_STYLE;
    Ok(Page { title, cycle_width, lane_height: DENSE, top: TOP + 8.0, style }.draw(&systems))
}

/// The lanes that say something in some cycles. What is held says something if it changes, or what is held with it does: the
/// fields of a word are seen together.
fn said<'a>(tracks: &'a [Track<'a>], cycles: &Range<u64>) -> Vec<&'a Track<'a>> {
    let is_told = |track: &&Track| match track.lane.manner {
        Manner::Held => {
            let with_it = |other: &&Track| other.lane.manner == Manner::Held && other.lane.gates == track.lane.gates;
            tracks.iter().filter(with_it).any(|other| other.changes_in(cycles))
        }
        _ => track.shows_in(cycles) && (!track.lane.gates.is_empty() || !track.is_low_in(cycles)),
    };
    tracks.iter().filter(is_told).collect()
}

fn tracks<'a>(file: &mut WaveFile, lanes: &'a [Lane], cycles: &Range<u64>) -> Result<Vec<Track<'a>>, ReadError> {
    file.load(lanes.iter().flat_map(Lane::signals))?;
    let mut tracks = lanes.iter().map(|lane| Track::read(file, lane)).collect::<Result<Vec<_>, _>>()?;
    tracks.retain(|track| track.shows_in(cycles));
    Ok(tracks)
}

fn cycle_width(widest: usize) -> f64 {
    (widest as f64 * CHARACTER + 3.0 * SLANT).clamp(26.0, 72.0)
}

/// Columns for these cycles, with those folded in which nothing changes.
fn folded(tracks: &[Track], cycles: &Range<u64>) -> Vec<Column> {
    let mut changes: Vec<u64> = vec![cycles.start, cycles.end];
    for track in tracks {
        changes.extend(track.stretches(cycles).iter().map(|(from, ..)| from / CYCLE_NS));
    }
    changes.sort_unstable();
    changes.dedup();
    let mut columns: Vec<Column> = Vec::new();
    let mut push = |cycles: Range<u64>, width: f64| {
        let place = columns.last().map_or(0.0, |last| last.place + last.width);
        columns.push(Column { cycles, place, width });
    };
    for pair in changes.windows(2) {
        // the cycle of a change is seen, and the last before the next
        let rest = pair[0] + 1..pair[1];
        push(pair[0]..pair[0] + 1, 1.0);
        if rest.end - rest.start >= FOLD {
            push(rest, FOLD_WIDTH);
        } else {
            rest.for_each(|cycle| push(cycle..cycle + 1, 1.0));
        }
    }
    columns
}

/// What all systems of a picture have in common.
struct Page<'a> {
    title: &'a str,
    cycle_width: f64,
    lane_height: f64,
    /// Top of the first lane.
    top: f64,
    style: String,
}

impl Page<'_> {
    /// Draws systems with their lanes.
    fn draw(&self, systems: &[(System, Vec<&Track>)]) -> String {
        let labels = systems.iter().flat_map(|(_, tracks)| tracks).map(|track| track.lane.label.len());
        let left = labels.max().unwrap_or(0) as f64 * CHARACTER + 16.0;
        let lanes: usize = systems.iter().map(|(_, tracks)| tracks.len()).sum();
        let widest = systems.iter().map(|(system, _)| system.width()).fold(0.0, f64::max);
        let width = left + widest * self.cycle_width + 10.0;
        let height =
            self.top + lanes as f64 * self.lane_height + systems.len().saturating_sub(1) as f64 * BETWEEN + 10.0;
        let mut document = Document::new()
            .set("viewBox", (0, 0, width.ceil() as u64, height.ceil() as u64))
            .set("width", width.ceil() as u64)
            .set("height", height.ceil() as u64)
            .set("role", "img")
            .add(Title::new(self.title))
            .add(Style::new(&self.style))
            .add(Rectangle::new().set("class", "ground").set("width", "100%").set("height", "100%"))
            .add(Text::new(self.title).set("x", 8).set("y", 14));
        let mut top = self.top;
        for (system, tracks) in systems {
            let bottom = top + tracks.len() as f64 * self.lane_height + 4.0;
            for column in &system.columns {
                document = self.draw_column(document, column, left, top, bottom);
            }
            let at = |time: u64| left + system.place(time) * self.cycle_width;
            for (position, track) in tracks.iter().enumerate() {
                let top = top + position as f64 * self.lane_height;
                let label =
                    Text::new(&track.lane.label).set("class", "label").set("x", left - 8.0).set("y", top + 13.0);
                document = document.add(label).add(draw_lane(track, &system.cycles(), top, at));
            }
            top = bottom - 4.0 + BETWEEN;
        }
        document.to_string() + "\n"
    }

    /// Where a column begins, with its number; or a fold.
    fn draw_column(&self, document: Document, column: &Column, left: f64, top: f64, bottom: f64) -> Document {
        let x = left + column.place * self.cycle_width;
        let line = Data::new().move_to((x, top - 8.0)).line_to((x, bottom));
        let count = column.cycles.end - column.cycles.start;
        let (mut document, text) = if count > 1 {
            let ground = Rectangle::new()
                .set("class", "fold")
                .set("x", x)
                .set("y", top - 8.0)
                .set("width", column.width * self.cycle_width)
                .set("height", bottom - top + 8.0);
            (document.add(ground), format!("+{count}"))
        } else {
            (document, column.cycles.start.to_string())
        };
        document = document.add(Path::new().set("class", "grid").set("d", line));
        document.add(Text::new(text).set("class", "cycle").set("x", x + 2.0).set("y", top - 10.0))
    }
}

fn draw_lane(track: &Track, cycles: &Range<u64>, top: f64, at: impl Fn(u64) -> f64) -> Group {
    let (high, low, middle) = (top, top + WAVE_HEIGHT, top + WAVE_HEIGHT / 2.0);
    let mut group = Group::new();
    let mut line = Data::new();
    let (mut last_level, mut has_line) = (None, false);
    for (from, to, value) in track.stretches(cycles) {
        let (left, right) = (at(from), at(to));
        if let Some(WaveValue::Bits { value: bit, .. }) = value.filter(|value| track.is_line(Some(value))) {
            let level = if *bit != 0 { high } else { low };
            line = match last_level {
                None => line.move_to((left, level)),
                Some(_) => line.line_to((left, level)),
            };
            line = line.line_to((right, level));
            last_level = Some(level);
            has_line = true;
            continue;
        }
        if value == Some(&WaveValue::Nothing) {
            let idle = Data::new().move_to((left, middle)).line_to((right, middle));
            group = group.add(Path::new().set("class", "grid").set("d", idle));
            last_level = None;
            continue;
        }
        let shape = Data::new()
            .move_to((left, middle))
            .line_to((left + SLANT, high))
            .line_to((right - SLANT, high))
            .line_to((right, middle))
            .line_to((right - SLANT, low))
            .line_to((left + SLANT, low))
            .close();
        let known = matches!(value, Some(WaveValue::Bits { .. } | WaveValue::Text(_)));
        let mut band =
            Group::new().add(Path::new().set("class", if known { "band" } else { "unknown" }).set("d", shape));
        let text = value.map_or("x".to_owned(), |value| track.text_of(value));
        let room = ((right - left - 2.0 * SLANT) / CHARACTER) as usize;
        let shown = if text.chars().count() <= room {
            text.clone()
        } else {
            text.chars().take(room.saturating_sub(1)).chain(['…']).collect()
        };
        band = band.add(Title::new(value.map_or(text, |value| track.long_text_of(value))));
        if room > 0 {
            band =
                band.add(Text::new(shown).set("class", "value").set("x", (left + right) / 2.0).set("y", middle + 4.0));
        }
        group = group.add(band);
    }
    if has_line {
        group = group.add(Path::new().set("class", "wave").set("d", line));
    }
    group
}
