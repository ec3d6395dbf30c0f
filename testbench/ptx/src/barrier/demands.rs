//! What an instruction demands of the PTX ISA version and the target: its form, and each of its qualifiers and operands.

use super::{Form, Place, Variant, Verb};
use crate::ast::{Instruction, Operand, Version};
use crate::source::Span;
use txbar_rtl::order::{Scope, Semantics};

/// Something that was added to the instructions later, or is not on every architecture.
#[derive(Debug)]
pub struct Demand {
    /// How it is written.
    pub written: &'static str,
    /// Which instructions it is of.
    pub verbs: &'static [Verb],
    /// PTX ISA version that introduced it.
    pub since: Option<Version>,
    /// Lowest architecture: 90 for sm_90.
    pub target: Option<u32>,
    /// Where it is in an instruction that has it.
    pub find: fn(&Form, &Instruction) -> Option<Span>,
    /// What to do without it.
    pub instead: &'static str,
}

/// Every instruction that has an address.
const ADDRESSED: &[Verb] = &[
    Verb::Init,
    Verb::Inval,
    Verb::ExpectTx,
    Verb::CompleteTx,
    Verb::Arrive,
    Verb::ArriveDrop,
    Verb::CpAsyncArrive,
    Verb::TestWait,
    Verb::TryWait,
];
const REMOTE: &[Verb] = &[Verb::ExpectTx, Verb::CompleteTx, Verb::Arrive, Verb::ArriveDrop];
const ORDERED: &[Verb] =
    &[Verb::ExpectTx, Verb::CompleteTx, Verb::Arrive, Verb::ArriveDrop, Verb::TestWait, Verb::TryWait];
const ARRIVE_OR_WAIT: &[Verb] = &[Verb::Arrive, Verb::ArriveDrop, Verb::TestWait, Verb::TryWait];
const ARRIVE_OR_DROP: &[Verb] = &[Verb::Arrive, Verb::ArriveDrop];

const fn ptx(major: u32, minor: u32) -> Option<Version> {
    Some(Version { major, minor })
}

/// PTX ISA version from which on barriers of other CTAs can be used.
pub const REMOTE_SINCE: Version = Version { major: 8, minor: 0 };
/// Lowest architecture on which they can.
pub const REMOTE_TARGET: u32 = 90;

/// Everything that is demanded beyond what the form itself is (see [`super::LINES`]).
pub const DEMANDS: &[Demand] = &[
    Demand {
        written: "`_` for the state",
        verbs: &[Verb::Arrive],
        since: ptx(7, 1),
        target: None,
        find: |_, instruction| {
            instruction.operands.first().filter(|state| state.value == Operand::Sink).map(|state| state.span)
        },
        instead: "write a 64-bit register that is not used",
    },
    Demand {
        written: "`count` without `.noComplete`",
        verbs: ARRIVE_OR_DROP,
        since: ptx(7, 8),
        target: Some(90),
        find: |form, instruction| match form.variant() {
            Variant::Plain => instruction.operands.get(2).map(|count| count.span),
            _ => None,
        },
        instead: "write `.noComplete` if the phase cannot complete with it, or arrive once for each of them",
    },
    Demand {
        written: "`.shared::cta`",
        verbs: ADDRESSED,
        since: ptx(7, 8),
        target: None,
        find: |_, instruction| modifier(instruction, "shared::cta"),
        instead: "write `.shared`, which means the same",
    },
    Demand {
        written: "`.shared::cluster`",
        verbs: REMOTE,
        since: Some(REMOTE_SINCE),
        target: Some(REMOTE_TARGET),
        find: |form, instruction| match form.place {
            Place::SharedCluster => modifier(instruction, "shared::cluster"),
            _ => None,
        },
        instead: "only barriers of the own CTA can be used there",
    },
    Demand {
        written: "`.sem.scope`",
        verbs: ORDERED,
        since: ptx(8, 0),
        target: None,
        find: |form, instruction| {
            let semantics = modifier(instruction, form.semantics?.name())?;
            let scope = modifier(instruction, scope_name(form.scope?))?;
            Some(semantics.to(scope))
        },
        instead: "leave both out: arrivals release and waits acquire within the CTA",
    },
    Demand {
        written: "`.cluster` scope",
        verbs: ORDERED,
        since: None,
        target: Some(90),
        find: |form, instruction| match form.scope? {
            Scope::Cluster => modifier(instruction, "cluster"),
            Scope::Cta => None,
        },
        instead: "write `.cta`: there are no clusters there",
    },
    Demand {
        written: "`.relaxed`",
        verbs: ARRIVE_OR_WAIT,
        since: ptx(8, 6),
        target: Some(90),
        find: |form, instruction| match form.semantics? {
            Semantics::Relaxed => modifier(instruction, "relaxed"),
            _ => None,
        },
        instead: "leave it out with its scope: the default orders memory accesses too",
    },
    Demand {
        written: "`.release`, `.relaxed`, `.acquire`",
        verbs: &[Verb::ClusterArrive, Verb::ClusterWait],
        since: ptx(8, 0),
        target: None,
        find: |form, instruction| modifier(instruction, form.semantics?.name()),
        instead: "leave it out: arrive releases and wait acquires",
    },
];

/// Where a modifier is written.
fn modifier(instruction: &Instruction, name: &str) -> Option<Span> {
    instruction.modifiers.iter().find(|modifier| modifier.value == name).map(|modifier| modifier.span)
}

fn scope_name(scope: Scope) -> &'static str {
    match scope {
        Scope::Cta => "cta",
        Scope::Cluster => "cluster",
    }
}

/// What to do where the form itself does not exist.
pub fn instead_of(form: &Form) -> &'static str {
    match (form.verb, form.variant()) {
        (Verb::CheckLayout, _) => "there is one layout only there, `.layout::v0`",
        (_, Variant::LayoutV0) => "leave `.layout::v0` out: it is what is meant without it",
        (_, Variant::LayoutV1) => "there is one layout only there: leave `.layout::v1` out",
        (Verb::TryWait, _) => "loop over `mbarrier.test_wait`, which never suspends the thread",
        (Verb::TestWait, Variant::Parity) => "wait for the state that an arrival returned",
        (Verb::ExpectTx | Verb::CompleteTx, _) | (_, Variant::ExpectTx) => {
            "bytes are not counted there: copy with `cp.async` and `cp.async.mbarrier.arrive`"
        }
        (Verb::ClusterArrive | Verb::ClusterWait, _) => "there are no clusters there: `barrier.sync` is for one CTA",
        _ => "there are no barriers in shared memory there: use `barrier.sync`",
    }
}
