//! Observes the registers of a design in every cycle, and records fill levels.

use super::list::{By, Full, Is, LIMITS, Limit, Shape};
use std::collections::BTreeMap;
use txbar_rtl::hdl::{Name, Part, RegisterView, SignalView, Type, Visitor};

/// A value of the design, by its place.
struct Place {
    /// Fields from the top down to the register or signal, without the numbers of lanes.
    path: String,
    /// These numbers.
    lanes: Vec<usize>,
    /// Name of its module and of its field.
    named: String,
    /// Position in what [`Part::values`] gives.
    at: usize,
    /// Capacity of its block.
    capacity: Option<u64>,
    /// Its type, if it is a register that reset clears.
    control: Option<Type>,
}

/// A block that is open.
struct Open {
    name: Name,
    module: &'static str,
    capacity: Option<u64>,
}

/// Where the values of a design are.
#[derive(Default)]
pub struct Map {
    open: Vec<Open>,
    places: Vec<Place>,
    next: usize,
}

impl Map {
    pub fn of(design: &dyn Part) -> Self {
        let mut map = Self::default();
        design.visit("top".into(), "", &mut map);
        map
    }

    /// Control registers, by module and field, with their types.
    pub fn controls(&self) -> impl Iterator<Item = (&str, Type)> {
        self.places.iter().filter_map(|place| Some((place.named.as_str(), place.control?)))
    }

    /// The same name of a register that has this path; nothing if there is none.
    pub fn named(&self, path: &str) -> Option<&str> {
        self.places.iter().find(|place| place.control.is_some() && place.path == path).map(|place| place.named.as_str())
    }

    fn note(&mut self, name: Name, at: usize, control: Option<Type>) {
        let names = || self.open[1..].iter().map(|open| open.name).chain([name]);
        let last = self.open.last().expect("it is in a block");
        let place = Place {
            path: names().flat_map(Name::path).collect::<Vec<_>>().join("."),
            lanes: names().flat_map(Name::indices).collect(),
            named: format!("{}.{}", last.module, name.field),
            at,
            capacity: last.capacity,
            control,
        };
        self.places.push(place);
    }

    /// The signal or the value of the register of this path that is nearest to a place.
    fn near(&self, path: &str, place: &Place) -> &Place {
        let common = |other: &&Place| other.lanes.iter().zip(&place.lanes).take_while(|(one, two)| one == two).count();
        let found = self.places.iter().filter(|other| other.path == path).max_by_key(common);
        found.unwrap_or_else(|| panic!("there is no {path}"))
    }
}

impl Visitor for Map {
    fn enter(&mut self, name: Name, module: &'static str, _doc: &'static str) {
        self.open.push(Open { name, module, capacity: None });
    }
    fn leave(&mut self) {
        self.open.pop();
    }
    fn signal(&mut self, name: Name, _doc: &'static str, _view: SignalView, _ty: Type, _value: u64) {
        self.note(name, self.next, None);
        self.next += 1;
    }
    fn register(&mut self, name: Name, _doc: &'static str, view: RegisterView, _d: u64, _q: u64) {
        self.note(name, self.next + 1, view.reset.then_some(view.ty));
        self.next += 2;
    }
    fn number(&mut self, name: Name, _doc: &'static str, value: usize) {
        if let (Some(open), "capacity") = (self.open.last_mut(), name.field) {
            open.capacity = Some(value as u64);
        }
    }
}

/// What was seen of a limit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    /// The most that there was.
    pub most: u64,
    /// What there may be.
    pub full: u64,
    /// More was wanted while it was full.
    pub wanted: bool,
}

/// Looks at the limits of a design.
pub struct Observer {
    watched: Vec<Watched>,
    room: Vec<u64>,
    /// What was seen, by the positions of the limits in the list.
    pub seen: BTreeMap<usize, Seen>,
}

/// A register that is looked at.
struct Watched {
    number: usize,
    limit: &'static Limit,
    at: usize,
    full: u64,
    /// Somebody wants more if one of these holds: positions of signals, a bit of each, and what they are to be.
    wanted: Vec<Vec<(usize, usize, Is)>>,
}

impl Observer {
    pub fn new(shape: &Shape, design: &dyn Part) -> Self {
        let map = Map::of(design);
        let mut watched = Vec::new();
        for (number, limit) in LIMITS.iter().enumerate().filter(|(_, limit)| limit.kind == shape.kind) {
            for place in map.places.iter().filter(|place| place.control.is_some() && place.path == limit.register) {
                let full = match limit.full {
                    Full::Capacity => place.capacity.expect("its block has one"),
                    Full::Count(most) | Full::Bits(most) => most(shape) as u64,
                };
                let lane = place.lanes.last().copied().unwrap_or(0);
                let by = |asker: &Place| {
                    limit.wanted.iter().map(|(path, is)| (map.near(path, asker).at, lane, *is)).collect::<Vec<_>>()
                };
                watched.push(Watched {
                    number,
                    limit,
                    at: place.at,
                    full,
                    wanted: match (limit.by, limit.wanted.first()) {
                        (By::AnyCta, Some((path, _))) => {
                            map.places.iter().filter(|asker| asker.path == *path).map(by).collect()
                        }
                        _ => vec![by(place)],
                    },
                });
            }
        }
        Self { watched, room: vec![0; map.next], seen: BTreeMap::new() }
    }

    pub fn look(&mut self, design: &dyn Part) {
        let rest = design.values(&mut self.room).len();
        assert_eq!(rest, 0, "all values are known by their places");
        for Watched { number, limit, at, full, wanted } in &self.watched {
            let value = self.room[*at];
            let level = if matches!(limit.full, Full::Bits(_)) { u64::from(value.count_ones()) } else { value };
            assert!(level <= *full, "{}: {level} of {full}", limit.name);
            let seen = self.seen.entry(*number).or_default();
            (seen.most, seen.full) = (seen.most.max(level), *full);
            let is = |&(at, lane, is): &(usize, usize, Is)| match is {
                Is::Value(value) => self.room[at] == value,
                Is::Some => self.room[at] != 0,
                Is::Bit(value) => (self.room[at] >> lane & 1 == 1) == value,
            };
            seen.wanted |= level == *full && wanted.iter().any(|signals| signals.iter().all(is));
        }
    }
}
