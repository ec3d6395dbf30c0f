//! Lanes of a picture: the signals drawn, when they are valid, and the form of their values.

use crate::layout::{Kind, kind_of, name_of};
use crate::read::{Changes, ReadError, WaveFile, WaveValue, value_at};
use crate::write::CYCLE_NS;
use std::ops::Range;
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

/// Form of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// A band as long as the value stays.
    Stretches,
    /// A band each cycle: two of the same are two.
    Events,
    /// The value stays when it means nothing any more, until the next that does.
    Held,
}

/// When a lane means something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gate {
    /// One of these bits of a signal is set.
    Any(String, u64),
    /// A signal has this value.
    Is(String, u64),
}

impl Gate {
    fn signal(&self) -> &str {
        match self {
            Gate::Any(signal, _) | Gate::Is(signal, _) => signal,
        }
    }

    fn is_open(&self, value: Option<&WaveValue>) -> bool {
        let Some(WaveValue::Bits { value, .. }) = value else { return false };
        match self {
            Gate::Any(_, mask) => value & mask != 0,
            Gate::Is(_, wanted) => value == wanted,
        }
    }
}

/// A signal to draw.
#[derive(Clone, Debug)]
pub struct Lane {
    /// Full name in the file.
    pub signal: String,
    /// Label.
    pub label: String,
    /// Radix of the values.
    pub radix: Radix,
    /// Values that have a name.
    pub names: Vec<(u64, String)>,
    /// Draw it only while all of these are open: a payload means nothing without its valid.
    pub gates: Vec<Gate>,
    /// Form of the lane.
    pub manner: Manner,
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
        let label = signal.split_once('.').map_or(signal, |(_, rest)| rest).to_owned();
        let signal = signal.to_owned();
        Self { signal, label, radix, names: Vec::new(), gates: Vec::new(), manner: Manner::Stretches }
    }

    /// The signals that it is drawn from.
    pub fn signals(&self) -> impl Iterator<Item = &str> {
        self.gates.iter().map(Gate::signal).chain([self.signal.as_str()])
    }

    /// Drawn only while one of these bits of another signal is set.
    pub fn only_if(mut self, signal: &str, mask: u64) -> Self {
        self.gates.push(Gate::Any(signal.to_owned(), mask));
        self
    }

    /// Drawn only while another signal has this value.
    pub fn only_at(mut self, signal: &str, value: u64) -> Self {
        self.gates.push(Gate::Is(signal.to_owned(), value));
        self
    }

    /// With another label.
    pub fn called(self, label: &str) -> Self {
        Self { label: label.to_owned(), ..self }
    }

    /// With names for some of its values.
    pub fn named(self, names: &[(u64, String)]) -> Self {
        Self { names: names.to_vec(), ..self }
    }

    /// With decimal values.
    pub fn decimal(self) -> Self {
        Self { radix: Radix::Unsigned, ..self }
    }

    /// With another form.
    pub fn showing(self, manner: Manner) -> Self {
        Self { manner, ..self }
    }
}

/// A lane with what its signal does.
pub(crate) struct Track<'a> {
    pub lane: &'a Lane,
    changes: Changes,
}

/// A time in which a lane shows one thing.
pub(crate) type Stretch<'a> = (u64, u64, Option<&'a WaveValue>);

impl<'a> Track<'a> {
    /// Reads what a lane shows: its signal, with nothing where it means nothing.
    pub fn read(file: &mut WaveFile, lane: &'a Lane) -> Result<Self, ReadError> {
        let changes = file.changes(&lane.signal)?;
        if lane.gates.is_empty() {
            return Ok(Self { lane, changes });
        }
        let gates = lane.gates.iter().map(|gate| Ok((gate, file.changes(gate.signal())?)));
        let gates = gates.collect::<Result<Vec<_>, ReadError>>()?;
        let all = gates.iter().map(|(_, changes)| changes).chain([&changes]);
        let mut times: Vec<u64> = all.flatten().map(|(time, _)| *time).collect();
        times.sort_unstable();
        times.dedup();
        let mut last = WaveValue::Nothing;
        let mut shown = |time: u64| {
            let open = gates.iter().all(|(gate, changes)| gate.is_open(value_at(changes, time)));
            let value = if open { value_at(&changes, time).cloned() } else { None };
            match (value, lane.manner) {
                (Some(value), Manner::Held) => last = value,
                (Some(value), _) => return value,
                (None, Manner::Held) => {}
                (None, _) => return WaveValue::Nothing,
            }
            last.clone()
        };
        let shown = times.into_iter().map(|time| (time, shown(time))).collect();
        Ok(Self { lane, changes: shown })
    }

    /// The stretches of some cycles.
    pub fn stretches(&self, cycles: &Range<u64>) -> Vec<Stretch<'_>> {
        let (from, to) = (cycles.start * CYCLE_NS, cycles.end * CYCLE_NS);
        let inside = self.changes.iter().map(|(time, _)| *time).filter(|time| *time > from && *time < to);
        let mut edges = vec![from];
        edges.extend(inside);
        if self.lane.manner == Manner::Events {
            edges.extend((cycles.start + 1..cycles.end).map(|cycle| cycle * CYCLE_NS));
            edges.sort_unstable();
            edges.dedup();
        }
        edges.push(to);
        let mut stretches: Vec<Stretch> = Vec::new();
        for pair in edges.windows(2) {
            let value = value_at(&self.changes, pair[0]);
            let merges = self.lane.manner != Manner::Events || value == Some(&WaveValue::Nothing);
            match stretches.last_mut() {
                Some(last) if last.2 == value && merges => last.1 = pair[1],
                _ => stretches.push((pair[0], pair[1], value)),
            }
        }
        stretches
    }

    /// Whether it shows anything in some cycles.
    pub fn shows_in(&self, cycles: &Range<u64>) -> bool {
        let means = |(_, _, value): &Stretch| value.is_some_and(|value| *value != WaveValue::Nothing);
        self.stretches(cycles).iter().any(means)
    }

    /// Whether it shows more than one thing in some cycles.
    pub fn changes_in(&self, cycles: &Range<u64>) -> bool {
        self.stretches(cycles).len() > 1
    }

    /// Whether it is a line that is low in some cycles.
    pub fn is_low_in(&self, cycles: &Range<u64>) -> bool {
        let is_low = |(_, _, value): &Stretch| matches!(value, Some(WaveValue::Bits { value: 0, width: 1 }));
        self.stretches(cycles).iter().all(is_low)
    }

    /// How a value is written where there is little room.
    pub fn text_of(&self, value: &WaveValue) -> String {
        match value {
            WaveValue::Text(text) => text.clone(),
            WaveValue::Unknown => "x".to_owned(),
            WaveValue::Nothing => String::new(),
            WaveValue::Bits { value, width } => self.number(*value, *width, Op::short),
        }
    }

    /// Whether a value is written as the name of a status.
    pub fn is_named(&self, value: &WaveValue) -> bool {
        let WaveValue::Bits { value, width } = value else { return false };
        kind_of(&self.lane.signal, *width) == Kind::Status && name_of(Kind::Status, *value).is_some()
    }

    /// How a value is written where there is room.
    pub fn long_text_of(&self, value: &WaveValue) -> String {
        match value {
            WaveValue::Bits { value, width } => self.number(*value, *width, Op::name),
            other => self.text_of(other),
        }
    }

    fn number(&self, value: u64, width: u32, op: impl Fn(Op) -> &'static str) -> String {
        if let Some((_, name)) = self.lane.names.iter().find(|(named, _)| *named == value) {
            return name.clone();
        }
        let name = match kind_of(&self.lane.signal, width) {
            Kind::Op => Op::from_code(value).map(op),
            kind => name_of(kind, value),
        };
        match (name, self.lane.radix) {
            (Some(name), _) => name.to_owned(),
            (None, Radix::Hex) => format!("{value:x}"),
            (None, Radix::Unsigned) => value.to_string(),
            (None, Radix::Signed) => {
                let unused = 64 - width;
                ((value << unused) as i64 >> unused).to_string()
            }
        }
    }

    /// Whether a value is drawn as the level of a line, not as a band.
    pub fn is_line(&self, value: Option<&WaveValue>) -> bool {
        self.lane.names.is_empty() && matches!(value, Some(WaveValue::Bits { width: 1, .. }))
    }
}

/// Whether a lane shows more than one value in some cycles.
///
/// # Errors
/// A signal is not in the file.
pub fn is_lively(file: &mut WaveFile, lane: &Lane, cycles: Range<u64>) -> Result<bool, ReadError> {
    let track = Track::read(file, lane)?;
    let shown = track.stretches(&cycles);
    let mut values = shown.iter().filter_map(|(_, _, value)| value.filter(|value| **value != WaveValue::Nothing));
    let first = values.next();
    Ok(values.any(|value| Some(value) != first))
}
