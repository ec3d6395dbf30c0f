//! What synchronises threads through a place in memory: who releases makes known what comes before it, who acquires knows it then, if
//! the scopes of both include each other (PTX ISA 8.7: morally strong).

use super::clock::{Component, Gathered, Known};

/// How far an operation reaches; `.sys` is the same as `.gpu` here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// `.cta`.
    #[default]
    Cta,
    /// `.cluster`.
    Cluster,
    /// `.gpu` and `.sys`.
    Gpu,
}

/// The CTA of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Home {
    /// Number of its cluster in the grid.
    pub cluster: u32,
    /// Rank there.
    pub cta: u8,
}

/// Whether operations of these scopes by threads of these CTAs include each other.
pub fn include_each_other(a: (Scope, Home), b: (Scope, Home)) -> bool {
    let needed = match (a.1.cluster == b.1.cluster, a.1 == b.1) {
        (_, true) => Scope::Cta,
        (true, false) => Scope::Cluster,
        (false, _) => Scope::Gpu,
    };
    a.0.min(b.0) >= needed
}

/// What has been released to a place.
#[derive(Clone, Debug, Default)]
pub struct Sync {
    /// By scopes and CTAs, in ascending order.
    by: Vec<(Scope, Home, Gathered)>,
    changes: u64,
}

impl Sync {
    /// Somebody has released what it knows, and its own work up to an epoch.
    pub fn add(&mut self, (scope, home): (Scope, Home), known: &Known, own: Option<(Component, u32)>) {
        let place = self.by.binary_search_by_key(&(scope, home), |(scope, home, _)| (*scope, *home));
        let place = place.unwrap_or_else(|place| {
            self.by.insert(place, (scope, home, Gathered::default()));
            place
        });
        self.by[place].2.add(known, own);
        self.changes += 1;
    }

    /// How often something has been released here.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// All of another is released here, too.
    pub fn merge(&mut self, other: &Sync) {
        for (scope, home, known) in &other.by {
            self.add((*scope, *home), &known.all, None);
        }
    }

    /// What has been read by those who released is over for somebody who has seen that, and whose work depends on it.
    pub fn depend(&self, known: &mut Known) {
        self.by.iter().for_each(|(.., Gathered { all, .. })| known.depend(all));
    }

    /// What somebody who acquires knows then.
    pub fn acquire(&self, who: (Scope, Home), known: &mut Known) {
        for (scope, home, Gathered { all, .. }) in &self.by {
            if include_each_other(who, (*scope, *home)) {
                known.join(all);
            } else {
                known.over.join(&all.over);
            }
        }
    }

    /// What an operation that is relaxed has seen, which a later fence acquires: what its own scope does not reach is left out.
    pub fn seen_by(&self, who: (Scope, Home), seen: &mut Sync) {
        for (scope, home, Gathered { all, .. }) in &self.by {
            if include_each_other(who, (*scope, *home)) {
                seen.add((*scope, *home), all, None);
            }
        }
    }
}
