//! Memory ordering of a request: PTX's `.sem` and `.scope`, as bits on the wires.
//!
//! | bit | set if the request |
//! | --- | --- |
//! | [`Order::ACQUIRE`] | holds the port's later requests until it has taken effect (a suspended wait: those of its tag) |
//! | [`Order::RELEASE`] | takes effect after all of the port's earlier requests |
//! | [`Order::CLUSTER`] | with release: also after the port's earlier accesses to other CTAs have been performed |
//!
//! Neither bit: `.relaxed`, or a plain load or store.

use crate::word::op::{Amount, Op, Reply};

/// With which other requests of its port a request is ordered: `.sem` of the PTX ISA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Semantics {
    /// Only with requests to the same bank.
    Relaxed = 0,
    /// With later requests.
    Acquire = 1 << Order::ACQUIRE,
    /// With earlier requests.
    Release = 1 << Order::RELEASE,
    /// With earlier and later requests.
    AcquireRelease = 1 << Order::ACQUIRE | 1 << Order::RELEASE,
}

/// Extent of the ordering: `.scope` of the PTX ISA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Scope {
    /// The CTA's shared memory.
    Cta = 0,
    /// The shared memories of the cluster.
    Cluster = 1 << Order::CLUSTER,
}

/// Memory ordering of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Order {
    /// PTX's `.sem`.
    pub semantics: Semantics,
    /// PTX's `.scope`.
    pub scope: Scope,
}

impl Semantics {
    /// Every kind of semantics, in the order of the codes.
    pub const ALL: [Semantics; 4] =
        [Semantics::Relaxed, Semantics::Acquire, Semantics::Release, Semantics::AcquireRelease];

    /// Name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Semantics::Relaxed => "relaxed",
            Semantics::Acquire => "acquire",
            Semantics::Release => "release",
            Semantics::AcquireRelease => "acq_rel",
        }
    }

    /// Whether later requests wait for this one.
    pub const fn acquires(self) -> bool {
        self as u8 >> Order::ACQUIRE & 1 != 0
    }

    /// Whether this request waits for earlier ones.
    pub const fn releases(self) -> bool {
        self as u8 >> Order::RELEASE & 1 != 0
    }
}

impl Order {
    /// Width of an order on the wires.
    pub const BITS: usize = 3;
    /// Position of the bit that holds later requests.
    pub const ACQUIRE: usize = 0;
    /// Position of the bit that waits for earlier ones.
    pub const RELEASE: usize = 1;
    /// Position of the bit that extends release to other CTAs.
    pub const CLUSTER: usize = 2;

    /// This ordering within the CTA.
    pub const fn cta(semantics: Semantics) -> Self {
        Self { semantics, scope: Scope::Cta }
    }

    /// This ordering within the cluster.
    pub const fn cluster(semantics: Semantics) -> Self {
        Self { semantics, scope: Scope::Cluster }
    }

    /// Default ordering of an instruction without qualifiers (9.7.13.15): arrivals and posted operations release, waits acquire, both
    /// within the CTA.
    pub const fn default_of(op: Op) -> Self {
        Self::cta(match (op.meaning().arrives, op.reply()) {
            (Amount::One | Amount::Operand, _) | (_, Reply::Posted) => Semantics::Release,
            (_, Reply::Predicate) => Semantics::Acquire,
            _ => Semantics::Relaxed,
        })
    }

    /// The code on the wires.
    pub const fn code(self) -> u8 {
        self.semantics as u8 | self.scope as u8
    }

    /// The order of a code; every code of [`Order::BITS`] bits has one.
    pub const fn from_code(code: u8) -> Self {
        let semantics = match (code >> Self::ACQUIRE & 1, code >> Self::RELEASE & 1) {
            (0, 0) => Semantics::Relaxed,
            (_, 0) => Semantics::Acquire,
            (0, _) => Semantics::Release,
            _ => Semantics::AcquireRelease,
        };
        let scope = if code >> Self::CLUSTER & 1 == 0 { Scope::Cta } else { Scope::Cluster };
        Self { semantics, scope }
    }
}

impl std::fmt::Display for Order {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(self.semantics.name())?;
        if self.scope == Scope::Cluster { f.write_str(".cluster") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_an_order_and_back() {
        for code in 0..1 << Order::BITS {
            assert_eq!(Order::from_code(code).code(), code);
        }
        assert_eq!(Order::cluster(Semantics::Release).code(), 0b110);
        assert_eq!(Order::cluster(Semantics::Release).to_string(), "release.cluster");
        assert!(Semantics::ALL.iter().all(|sem| sem.acquires() == (Order::cta(*sem).code() & 1 != 0)));
        assert!(Semantics::ALL.iter().all(|sem| sem.releases() == (Order::cta(*sem).code() & 2 != 0)));
    }
}
