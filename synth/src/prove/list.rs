//! The proofs, each with a defect that it must find and events that it must be able to reach; and what the design promises.

mod bus;
mod high_clock;
mod low_latency;
mod tensor;
mod warps;

use super::problem::{Hardware, Harness, Memory};
use super::solve::Engine;
use super::{Defect, Event, Proof, Size};
use txbar_rtl::parameters::{Build, HIGH_CLOCK_ENTRIES, Parameters};

/// The smallest unit that is not trivial: one port, one bank.
const ONE_PORT: Parameters = Parameters {
    ports: 1,
    banks: 1,
    words: 16,
    tag_bits: 2,
    queue_depth: 4,
    waiters: 0,
    whole_groups: false,
    clock_ns: 1000,
    counters: false,
    ..Parameters::DEFAULT
};

/// One port with two suspended waits.
const ONE_PORT_WAITING: Parameters = Parameters { waiters: 2, ..ONE_PORT };

/// Two ports, so that requests are combined.
const TWO_PORTS: Parameters = Parameters { ports: 2, ..ONE_PORT };

/// The same, with groups done whole in which a phase ends.
const WHOLE_GROUPS: Parameters = Parameters { whole_groups: true, ..TWO_PORTS };

/// Two ports with two suspended waits each.
pub const TWO_PORTS_WAITING: Parameters = Parameters { ports: 2, waiters: 4, ..ONE_PORT };

/// The high-clock build, one port and one bank.
const HIGH_CLOCK: Parameters = Parameters { build: Build::HighClock, queue_depth: HIGH_CLOCK_ENTRIES, ..ONE_PORT };

/// A fabric of two ports and a bank with four suspended waits.
const FABRIC: Parameters = Parameters { build: Build::BankedHighClock, ports: 2, waiters: 4, ..HIGH_CLOCK };

/// A harness with nothing particular.
pub const fn harness(file: &'static str, parameters: Parameters, memory: Memory) -> Harness {
    Harness {
        file,
        hardware: Hardware::Unit,
        parameters,
        memory,
        any_requests: false,
        free: &[],
        defines: &[],
        taps: &[],
    }
}

impl Harness {
    /// With these macros defined.
    const fn defining(self, defines: &'static [&'static str]) -> Self {
        Self { defines, ..self }
    }

    /// With these wires of the hardware shown to lemmas.
    const fn tapping(self, taps: &'static [(&'static str, &'static str)]) -> Self {
        Self { taps, ..self }
    }
}

/// A proof of the core set that has no defect, no event and no size yet.
const fn proof(name: &'static str, says: &'static str, harness: Harness, engine: Engine) -> Proof {
    Proof { name, says, harness, engine, core: true, blocks: &[], sizes: &[], defects: &[], covers: &[] }
}

impl Proof {
    /// Modules (without prefix) that it says something about.
    const fn about(self, blocks: &'static [&'static str]) -> Self {
        Self { blocks, ..self }
    }

    /// What of the hardware's size matters to it.
    const fn at(self, sizes: &'static [Size]) -> Self {
        Self { sizes, ..self }
    }

    /// Defects that it must find.
    const fn finds(self, defects: &'static [Defect]) -> Self {
        Self { defects, ..self }
    }

    /// Events that must happen in its harness.
    const fn reaches(self, covers: &'static [Event]) -> Self {
        Self { covers, ..self }
    }

    /// It takes too long for every change.
    const fn long(self) -> Self {
        Self { core: false, ..self }
    }
}

/// Two lists as one.
const fn join<const N: usize>(first: &[Proof], second: &[Proof]) -> [Proof; N] {
    assert!(N == first.len() + second.len());
    let (mut all, mut position) = ([first[0]; N], 0);
    while position < N {
        all[position] = if position < first.len() { first[position] } else { second[position - first.len()] };
        position += 1;
    }
    all
}

/// Every proof.
pub const PROOFS: &[Proof] = &join::<{ UNITS.len() + OTHERS.len() }>(UNITS, OTHERS);

/// Those of what is beside or in front of it.
const OTHERS: &[Proof] = &join::<{ WARPS_AND_TENSORS.len() + bus::PROOFS.len() }>(WARPS_AND_TENSORS, bus::PROOFS);

const WARPS_AND_TENSORS: &[Proof] =
    &join::<{ warps::PROOFS.len() + tensor::PROOFS.len() }>(warps::PROOFS, tensor::PROOFS);

/// Those of the unit, in its two builds.
const UNITS: &[Proof] =
    &join::<{ low_latency::PROOFS.len() + high_clock::PROOFS.len() }>(low_latency::PROOFS, high_clock::PROOFS);

/// What the design promises, and the proofs of it.
pub const PROMISES: &[(&str, &[&str])] = &[
    (
        "a phase flips exactly when pending and tx-count both reach zero",
        &["flip", "decode", "memory", "flip-high-clock", "memory-high-clock"],
    ),
    ("counts never leave their ranges", &["ranges", "decode", "ranges-high-clock"]),
    ("the fault bit is sticky, and the word is frozen under it", &["sticky", "decode", "sticky-high-clock"]),
    ("a drop lowers only later phases", &["drop", "decode", "drop-high-clock"]),
    (
        "a request gets exactly one answer, tags are preserved, nothing is answered that was not asked",
        &["answers", "queue", "answers-high-clock", "returns"],
    ),
    (
        "an answer is valid until it is taken, and its payload is stable",
        &["held", "queue", "held-high-clock", "returns"],
    ),
    ("forwarding is as good as memory: words never interfere", &["memory", "ram", "memory-high-clock", "requests"]),
    ("combining is some serial order", &["serial", "serial-whole"]),
    ("no wake-up is lost", &["waiters", "table"]),
    ("nothing that is accepted overflows", &["queue", "stops"]),
    (
        "the arbiter is fair within a bound, and what needs none serves in the order of coming",
        &["arbiter", "gather", "returns"],
    ),
    ("the lanes of a warp that name one word are one update, and no lane of another word is touched", &["groups"]),
    ("each active lane of a warp is answered exactly once, and no other", &["lanes"]),
    ("each lane of a warp's load or store is served once, whole, and nothing else is touched", &["steps"]),
    (
        "a tensor copy moves every element of its box once, and touches no piece of 16 bytes that is outside of the box or of the tensor",
        &["box", "row"],
    ),
    (
        "an access to a bus is answered exactly once, by the rules of the bus",
        &["axi-lite", "wishbone", "apb", "tilelink"],
    ),
];

/// The proof of this name.
pub fn find(name: &str) -> Option<&'static Proof> {
    PROOFS.iter().find(|proof| proof.name == name)
}
