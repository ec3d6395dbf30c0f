//! The smallest unit that does what is wanted, of those that were measured.

use super::{Point, dominated};

/// What is wanted of a unit. What is not said may be anything.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wish {
    /// Name of the part.
    pub part: String,
    /// Operations a cycle on random words, at least.
    pub rate: Option<f64>,
    /// Million operations a second on random words, at least.
    pub million_a_second: Option<f64>,
    /// Clock in MHz, at least.
    pub mhz: Option<f64>,
    /// Nanoseconds from a request to its answer, at most.
    pub latency_ns: Option<f64>,
    /// Look-up tables, at most.
    pub lut4: Option<u64>,
    /// Request ports, at least.
    pub ports: Option<usize>,
    /// Waits that may be suspended, at least.
    pub waiters: Option<usize>,
    /// 64-bit words of memory, at least.
    pub words: Option<usize>,
}

/// Why there is no unit.
#[derive(Clone, Debug, thiserror::Error, PartialEq)]
pub enum NoUnit {
    /// Nothing was measured on the part.
    #[error("nothing was measured on {part}, but on {measured}; `txbar synth --explore` measures more")]
    NotMeasured {
        /// The part.
        part: String,
        /// What units were measured on.
        measured: String,
    },
    /// None has one of the things.
    #[error("of {units} units measured on {part} none has {wish}: the best has {best}")]
    OutOfReach {
        /// How many there are.
        units: usize,
        /// The part.
        part: String,
        /// What is out of reach.
        wish: String,
        /// The best there is.
        best: String,
    },
    /// Each of the things can be had, but not all at once.
    #[error("of {units} units measured on {part} none has all of this at once: {wishes}")]
    NotAtOnce {
        /// How many there are.
        units: usize,
        /// The part.
        part: String,
        /// All that is wanted.
        wishes: String,
    },
}

/// Something that is wanted.
struct Want {
    /// In words, with the number.
    says: Box<dyn Fn(f64) -> String>,
    /// The number.
    bound: f64,
    /// It is the most that there may be, rather than the least.
    most: bool,
    /// What a unit has.
    of: fn(&Fitting) -> f64,
}

impl Want {
    fn is_met(&self, unit: &Fitting) -> bool {
        let has = (self.of)(unit);
        if self.most { has <= self.bound } else { has >= self.bound }
    }
}

/// A unit that fits its part.
struct Fitting<'a> {
    point: &'a Point,
    mhz: f64,
    /// Million operations a second, and nanoseconds to an answer.
    speed: (f64, f64),
}

impl<'a> Fitting<'a> {
    fn new(point: &'a Point) -> Option<Self> {
        Some(Self { point, mhz: point.mhz()?, speed: point.speed()? })
    }
}

impl Wish {
    fn wants(&self) -> Vec<Want> {
        let mut wants = Vec::new();
        let mut want = |bound: Option<f64>, most, digits: usize, what: &'static str, of| {
            let says = move |value: f64| format!("{value:.digits$} {what}");
            wants.extend(bound.map(|bound| Want { says: Box::new(says), bound, most, of }));
        };
        let count = |count: Option<usize>| count.map(|count| count as f64);
        want(self.rate, false, 2, "operations a cycle", |unit| unit.point.rates.random_words);
        want(self.million_a_second, false, 0, "million operations a second", |unit| unit.speed.0);
        want(self.mhz, false, 1, "MHz", |unit| unit.mhz);
        want(self.latency_ns, true, 1, "ns to an answer", |unit| unit.speed.1);
        want(self.lut4.map(|lut4| lut4 as f64), true, 0, "LUT4", |unit| unit.point.figures.lut4 as f64);
        want(count(self.ports), false, 0, "ports", |unit| unit.point.ports as f64);
        want(count(self.waiters), false, 0, "suspended waits", |unit| unit.point.waiters as f64);
        want(count(self.words), false, 0, "words", |unit| unit.point.words as f64);
        wants
    }

    /// The smallest unit on the frontier that has all of it.
    ///
    /// # Errors
    /// Why there is none.
    pub fn smallest<'a>(&self, points: &'a [Point]) -> Result<&'a Point, NoUnit> {
        let marked = points.iter().zip(dominated(points));
        let here: Vec<&Point> = points.iter().filter(|point| point.part == self.part).collect();
        let (units, part) = (here.len(), self.part.clone());
        if here.is_empty() {
            let mut measured: Vec<&str> = points.iter().map(|point| point.part.as_str()).collect();
            measured.dedup();
            let measured = if measured.is_empty() { "none".to_owned() } else { measured.join(", ") };
            return Err(NoUnit::NotMeasured { part, measured });
        }
        let wants = self.wants();
        let best = marked.filter(|(point, dominated)| point.part == part && !dominated).map(|(point, _)| point);
        let best = best.filter_map(Fitting::new).filter(|unit| wants.iter().all(|want| want.is_met(unit)));
        let best = best.map(|unit| unit.point).min_by_key(|point| (point.figures.lut4, point.figures.bram));
        best.ok_or_else(|| {
            let here: Vec<Fitting> = here.into_iter().filter_map(Fitting::new).collect();
            let alone = wants.iter().find(|want| !here.iter().any(|unit| want.is_met(unit)));
            match alone {
                Some(want) => {
                    let has = here.iter().map(want.of);
                    let best = if want.most { has.reduce(f64::min) } else { has.reduce(f64::max) };
                    let best = best.map_or("nothing: none fits".to_owned(), |best| (want.says)(best));
                    NoUnit::OutOfReach { units, part, wish: (want.says)(want.bound), best }
                }
                None => {
                    let wishes: Vec<String> = wants.iter().map(|want| (want.says)(want.bound)).collect();
                    NoUnit::NotAtOnce { units, part, wishes: wishes.join(", ") }
                }
            }
        })
    }
}
