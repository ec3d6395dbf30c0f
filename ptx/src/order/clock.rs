//! Vector clocks: how much of each agent's work is ordered before something.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// What a clock counts of: a thread, a barrier in memory, or the groups of copies of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Component {
    /// Number of its cluster in the grid.
    pub cluster: u32,
    /// Number there.
    pub index: u32,
}

/// The work of each component that is ordered before something: all up to this epoch. Clocks share what they have in common.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    /// By clusters, in ascending order.
    parts: Vec<(u32, Epochs)>,
}

impl Clock {
    /// The epoch of a component; 0 if nothing of it is ordered.
    pub fn get(&self, of: Component) -> u32 {
        let part = self.place(of.cluster).ok().map(|place| &self.parts[place]);
        part.and_then(|(_, epochs)| epochs.get(of.index as usize)).copied().unwrap_or(0)
    }

    /// Where the part of a cluster is, or would be.
    fn place(&self, cluster: u32) -> Result<usize, usize> {
        self.parts.binary_search_by_key(&cluster, |(own, _)| *own)
    }

    /// Whether nothing is ordered.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Whether all of a component up to this epoch is ordered.
    pub fn has(&self, of: Component, epoch: u32) -> bool {
        self.get(of) >= epoch
    }

    /// All of a component up to this epoch is ordered from now on.
    pub fn raise(&mut self, of: Component, epoch: u32) {
        if self.has(of, epoch) {
            return;
        }
        let place = self.place(of.cluster).unwrap_or_else(|place| {
            self.parts.insert(place, (of.cluster, Rc::new(Vec::new())));
            place
        });
        let epochs = Rc::make_mut(&mut self.parts[place].1);
        let index = of.index as usize;
        if epochs.len() <= index {
            epochs.resize(index + 1, 0);
        }
        epochs[index] = epoch;
    }

    /// Adds everything that is ordered in the other clock.
    pub fn join(&mut self, other: &Clock) {
        let (mut place, mut new) = (0, Vec::new());
        for (cluster, theirs) in &other.parts {
            while self.parts.get(place).is_some_and(|(own, _)| own < cluster) {
                place += 1;
            }
            match self.parts.get_mut(place).filter(|(own, _)| own == cluster) {
                None => new.push((*cluster, Rc::clone(theirs))),
                Some((_, ours)) if Rc::ptr_eq(ours, theirs) => {}
                Some((_, ours)) => join_epochs(ours, theirs),
            }
        }
        if !new.is_empty() {
            self.parts.extend(new);
            self.parts.sort_by_key(|(cluster, _)| *cluster); // two runs
        }
    }
}

/// Epochs of a cluster, which clocks share.
type Epochs = Rc<Vec<u32>>;

thread_local! {
    /// The last joins: two operands and the result. Threads that have met before join the same with the same, one after the other.
    static JOINED: RefCell<VecDeque<[Epochs; 3]>> = const { RefCell::new(VecDeque::new()) };
}
/// Joins that are remembered.
const REMEMBERED: usize = 8;

fn join_epochs(ours: &mut Epochs, theirs: &Epochs) {
    let covers =
        |a: &[u32], b: &[u32]| a.iter().zip(b).all(|(a, b)| a >= b) && b.iter().skip(a.len()).all(|epoch| *epoch == 0);
    JOINED.with_borrow_mut(|joined| {
        let same = |[a, b, _]: &&[Epochs; 3]| Rc::ptr_eq(a, ours) && Rc::ptr_eq(b, theirs);
        if let Some([.., result]) = joined.iter().find(same) {
            *ours = Rc::clone(result);
            return;
        }
        let result = if covers(theirs, ours) {
            Rc::clone(theirs)
        } else if covers(ours, theirs) {
            Rc::clone(ours)
        } else {
            let mut result = ours.to_vec();
            result.resize(ours.len().max(theirs.len()), 0);
            result.iter_mut().zip(&**theirs).for_each(|(ours, theirs)| *ours = (*ours).max(*theirs));
            Rc::new(result)
        };
        joined.truncate(REMEMBERED - 1);
        joined.push_front([Rc::clone(ours), Rc::clone(theirs), Rc::clone(&result)]);
        *ours = result;
    });
}

impl Clock {
    /// Whether it is the very same as another, without looking into them.
    fn is(&self, other: &Clock) -> bool {
        let same = |((a, x), (b, y)): (&(u32, Epochs), &(u32, Epochs))| a == b && Rc::ptr_eq(x, y);
        self.parts.len() == other.parts.len() && self.parts.iter().zip(&other.parts).all(same)
    }
}

/// Address spaces that a proxy fence tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// `.shared::cta`, `.shared::cluster`.
    Shared,
    /// `.global`.
    Global,
}

/// What is ordered before a point of a thread, in each way in which it may be.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// By synchronisation, whether or not its scopes are large enough: what has been read has been read.
    pub over: Clock,
    /// By causality order (PTX ISA 8.9.4): what has been written is visible.
    pub causal: Clock,
    /// And a `fence.proxy.async` lies in between: of shared, of global memory.
    pub fenced: [Clock; 2],
    /// What depends on a relaxed read that has seen it: what has been read there has been read.
    pub dependent: Clock,
    /// And a `fence.proxy.tensormap::generic.release` lies in between.
    pub mapped: Clock,
    /// And a fence of scope `.gpu` lies in between, of any thread: relaxed operations behind it hand it on.
    pub ready: Clock,
}

impl Known {
    fn pairs<'a>(&'a mut self, other: &'a Known) -> [(&'a mut Clock, &'a Clock); 7] {
        let ([shared, global], [their_shared, their_global]) = (&mut self.fenced, &other.fenced);
        [
            (&mut self.over, &other.over),
            (&mut self.causal, &other.causal),
            (shared, their_shared),
            (global, their_global),
            (&mut self.dependent, &other.dependent),
            (&mut self.mapped, &other.mapped),
            (&mut self.ready, &other.ready),
        ]
    }

    /// Adds everything that is known there.
    pub fn join(&mut self, other: &Known) {
        self.pairs(other).into_iter().for_each(|(ours, theirs)| ours.join(theirs));
    }

    /// What relaxed operations hand on: what a fence of scope `.gpu` has made ready.
    pub fn made_ready(&self) -> Option<Self> {
        let Self { fenced, mapped, ready, .. } = self;
        (!ready.is_empty()).then(|| Self {
            over: ready.clone(),
            causal: ready.clone(),
            fenced: fenced.clone(),
            mapped: mapped.clone(),
            ready: ready.clone(),
            dependent: Clock::default(),
        })
    }

    /// The reads that are over there are over here, too.
    pub fn depend(&mut self, other: &Known) {
        self.dependent.join(&other.over);
        self.dependent.join(&other.dependent);
    }

    /// The work of a component up to this epoch is ordered in causality order.
    pub fn raise(&mut self, of: Component, epoch: u32) {
        self.over.raise(of, epoch);
        self.causal.raise(of, epoch);
    }
}

/// What several threads know together. Those that have met before share their clocks: they are looked at once.
#[derive(Clone, Debug, Default)]
pub struct Gathered {
    /// All of it.
    pub all: Known,
    last: Known,
}

impl Gathered {
    /// One more, and its own work up to an epoch.
    pub fn add(&mut self, known: &Known, own: Option<(Component, u32)>) {
        let pairs = self.last.pairs(known);
        if !pairs.into_iter().all(|(last, theirs)| last.is(theirs)) {
            self.all.join(known);
            self.last = known.clone();
        }
        if let Some((component, epoch)) = own {
            self.all.raise(component, epoch);
        }
    }
}
