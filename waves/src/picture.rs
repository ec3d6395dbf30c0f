//! Draws a timing diagram of some signals over some time, as SVG: legible on light and dark ground, nothing but text and
//! lines in it.
//!
//! ```text
//!   valid   ____/‾‾‾‾\____         one bit: a line
//!   op      ==X arrive X==         more bits: a band with the value in it, or as much of it as there is room for
//! ```

use crate::read::{Changes, ReadError, WaveFile, WaveValue, value_at};
use crate::write::CYCLE_NS;
use svg::Document;
use svg::node::element::path::Data;
use svg::node::element::{Group, Path, Style, Text, Title};
use txbar_rtl::op::Op;

/// How values of more than one bit are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Radix {
    /// Hexadecimal.
    Hex,
    /// Decimal.
    Unsigned,
    /// Decimal, two's complement.
    Signed,
}

/// A signal to draw.
#[derive(Clone, Debug)]
pub struct Lane {
    /// Full name in the file.
    pub signal: String,
    /// What to write beside it.
    pub label: String,
    /// How to write its values.
    pub radix: Radix,
    /// Draw it only while one of these bits of another signal is set: a payload means nothing without its valid.
    pub only_if: Option<(String, u64)>,
}

impl Lane {
    /// A lane for a signal, labelled with its name without the top scope; counts are decimal, anything else hexadecimal.
    pub fn of(signal: &str) -> Self {
        let last = signal.rsplit('.').next().unwrap_or(signal);
        let radix = match last {
            "tx" => Radix::Signed,
            "pending" | "expected" => Radix::Unsigned,
            _ => Radix::Hex,
        };
        let label = signal.split_once('.').map_or(signal, |(_, rest)| rest);
        Self { signal: signal.to_owned(), label: label.to_owned(), radix, only_if: None }
    }

    /// The same, drawn only while one of these bits of another signal is set.
    pub fn only_if(self, signal: &str, mask: u64) -> Self {
        Self { only_if: Some((signal.to_owned(), mask)), ..self }
    }
}

/// Banks whose words are in an overview: more of them would fill the picture.
const BANKS_SHOWN: usize = 2;

/// What one wants to see first of a unit: each request as it goes to its bank, its word as it changes, the answers as they go.
/// `signals` are those of the file.
pub fn overview(signals: &[String]) -> Vec<Lane> {
    let has = |name: &str| signals.iter().any(|signal| signal == name);
    let mut lanes = vec![Lane::of("unit.clk")];
    for port in (0..).take_while(|port| has(&format!("unit.req_data_{port}"))) {
        lanes.push(Lane::of(&format!("unit.ask_op_{port}_text")).only_if("unit.grant", 1 << port));
    }
    for bank in 0..BANKS_SHOWN {
        for field in ["phase", "pending", "tx", "expected", "fault"] {
            let name = format!("unit.bank_{bank}.alu.word_fields.{field}");
            lanes.push(Lane::of(&name).only_if(&format!("unit.bank_{bank}.done"), u64::MAX));
        }
    }
    lanes.push(Lane::of("unit.flip_valid"));
    for port in (0..).take_while(|port| has(&format!("unit.rsp_data_{port}"))) {
        for payload in ["status", "predicate"] {
            let suffix = if payload == "status" { "_text" } else { "" };
            lanes.push(Lane::of(&format!("unit.rsp_{payload}_{port}{suffix}")).only_if("unit.rsp_valid", 1 << port));
        }
    }
    lanes.retain(|lane| has(&lane.signal));
    lanes
}

const LANE_HEIGHT: f64 = 30.0;
const WAVE_HEIGHT: f64 = 18.0;
const CHARACTER: f64 = 6.7;
const SLANT: f64 = 3.0;
const TOP: f64 = 34.0;
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

/// Draws `lanes` from one clock cycle up to another, under a title. A lane that shows nothing in that time is left out.
///
/// # Errors
/// A signal is not in the file.
pub fn draw(
    file: &mut WaveFile,
    title: &str,
    lanes: &[Lane],
    cycles: std::ops::Range<u64>,
) -> Result<String, ReadError> {
    let mut drawn = Vec::new();
    for lane in lanes {
        let changes = changes_of(file, lane)?;
        if stretches(&changes, &cycles)
            .iter()
            .any(|(_, _, value)| value.is_some_and(|value| *value != WaveValue::Nothing))
        {
            drawn.push((lane, changes));
        }
    }
    let label_width = drawn.iter().map(|(lane, _)| lane.label.len()).max().unwrap_or(0) as f64 * CHARACTER + 16.0;
    let widest = drawn.iter().map(|(lane, changes)| widest(lane, changes, &cycles)).max().unwrap_or(0);
    let count = cycles.end - cycles.start;
    let cycle_width = (widest as f64 * CHARACTER + 3.0 * SLANT).clamp(26.0, 72.0);
    let (width, height) =
        (label_width + count as f64 * cycle_width + 10.0, TOP + drawn.len() as f64 * LANE_HEIGHT + 10.0);

    let mut document = Document::new()
        .set("viewBox", (0, 0, width.ceil() as u64, height.ceil() as u64))
        .set("width", width.ceil() as u64)
        .set("height", height.ceil() as u64)
        .set("role", "img")
        .add(Title::new(title))
        .add(Style::new(STYLE))
        .add(svg::node::element::Rectangle::new().set("class", "ground").set("width", "100%").set("height", "100%"))
        .add(Text::new(title).set("x", 8).set("y", 14));
    for cycle in cycles.clone() {
        let x = label_width + (cycle - cycles.start) as f64 * cycle_width;
        let line = Data::new().move_to((x, TOP - 8.0)).line_to((x, height - 6.0));
        document = document
            .add(Path::new().set("class", "grid").set("d", line))
            .add(Text::new(cycle.to_string()).set("class", "cycle").set("x", x + 2.0).set("y", TOP - 10.0));
    }
    for (position, (lane, changes)) in drawn.iter().enumerate() {
        let top = TOP + position as f64 * LANE_HEIGHT;
        let label = Text::new(&lane.label).set("class", "label").set("x", label_width - 8.0).set("y", top + 13.0);
        let at = |time: u64| label_width + (time as f64 / CYCLE_NS as f64 - cycles.start as f64) * cycle_width;
        document = document.add(label).add(draw_lane(lane, changes, &cycles, top, at));
    }
    Ok(document.to_string() + "\n")
}

/// A lane's changes, with nothing where it means nothing.
fn changes_of(file: &mut WaveFile, lane: &Lane) -> Result<Changes, ReadError> {
    let changes = file.changes(&lane.signal)?;
    let Some((gate, mask)) = &lane.only_if else { return Ok(changes) };
    let gate = file.changes(gate)?;
    let mut times: Vec<u64> = changes.iter().chain(&gate).map(|(time, _)| *time).collect();
    times.sort_unstable();
    times.dedup();
    let value = |time: u64| match value_at(&gate, time) {
        Some(WaveValue::Bits { value, .. }) if value & mask != 0 => value_at(&changes, time).cloned(),
        _ => None,
    };
    Ok(times.into_iter().map(|time| (time, value(time).unwrap_or(WaveValue::Nothing))).collect())
}

/// Stretches of time in which a signal keeps its value.
fn stretches<'a>(changes: &'a Changes, cycles: &std::ops::Range<u64>) -> Vec<(u64, u64, Option<&'a WaveValue>)> {
    let (from, to) = (cycles.start * CYCLE_NS, cycles.end * CYCLE_NS);
    let inside = changes.iter().map(|(time, _)| *time).filter(|time| *time > from && *time < to);
    let mut edges = vec![from];
    edges.extend(inside);
    edges.push(to);
    let mut stretches: Vec<(u64, u64, Option<&WaveValue>)> = Vec::new();
    for pair in edges.windows(2) {
        let value = value_at(changes, pair[0]);
        match stretches.last_mut() {
            Some(last) if last.2 == value => last.1 = pair[1],
            _ => stretches.push((pair[0], pair[1], value)),
        }
    }
    stretches
}

fn text_of(lane: &Lane, value: &WaveValue) -> String {
    match (value, lane.radix) {
        (WaveValue::Text(text), _) => {
            Op::ALL.iter().find(|op| op.name() == text).map_or(text.as_str(), |op| op.short()).to_owned()
        }
        (WaveValue::Unknown, _) => "x".to_owned(),
        (WaveValue::Nothing, _) => String::new(),
        (WaveValue::Bits { value, .. }, Radix::Hex) => format!("{value:x}"),
        (WaveValue::Bits { value, .. }, Radix::Unsigned) => value.to_string(),
        (WaveValue::Bits { value, width }, Radix::Signed) => {
            let unused = 64 - width;
            ((*value << unused) as i64 >> unused).to_string()
        }
    }
}

/// Characters that the widest value needs for each cycle that it stands.
fn widest(lane: &Lane, changes: &Changes, cycles: &std::ops::Range<u64>) -> usize {
    let needed = |(from, to, value): &(u64, u64, Option<&WaveValue>)| match value {
        Some(WaveValue::Bits { width: 1, .. } | WaveValue::Nothing) | None => 0,
        Some(value) => text_of(lane, value).len().div_ceil(((to - from) / CYCLE_NS).max(1) as usize),
    };
    stretches(changes, cycles).iter().map(needed).max().unwrap_or(0)
}

fn draw_lane(
    lane: &Lane,
    changes: &Changes,
    cycles: &std::ops::Range<u64>,
    top: f64,
    at: impl Fn(u64) -> f64,
) -> Group {
    let (high, low, middle) = (top, top + WAVE_HEIGHT, top + WAVE_HEIGHT / 2.0);
    let mut group = Group::new();
    let mut line = Data::new();
    let (mut last_level, mut has_line) = (None, false);
    for (from, to, value) in stretches(changes, cycles) {
        let (left, right) = (at(from), at(to));
        if let Some(WaveValue::Bits { value, width: 1 }) = value {
            let level = if *value != 0 { high } else { low };
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
        let text = value.map_or("x".to_owned(), |value| text_of(lane, value));
        let room = ((right - left - 2.0 * SLANT) / CHARACTER) as usize;
        let shown = if text.len() <= room {
            text.clone()
        } else {
            text.chars().take(room.saturating_sub(1)).chain(['…']).collect()
        };
        let whole = if let Some(WaveValue::Text(name)) = value { name.clone() } else { text };
        band = band.add(Title::new(whole));
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
