//! The table: one line for each variant of each instruction, as the manual's syntax lines have them (9.7.13.15, 9.7.13.3; of PTX
//! ISA 9.3 the layouts, 9.7.14.16.12, .20 and .21).
//!
//! ```text
//!   mbarrier.arrive .expect_tx .release.cluster .shared::cta .b64   state, [addr], txCount
//!   `---- verb ---' `variant-' `-sem--.scope--' `---place--' type   `------ slots -------'
//! ```

use super::Place;
use crate::ast::{Number, Operand, Version};
use txbar_rtl::op::Op;
use txbar_rtl::order::Semantics;

/// Instructions of the family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // they are called what they are called in PTX
pub enum Verb {
    Init,
    Inval,
    ExpectTx,
    CompleteTx,
    Arrive,
    ArriveDrop,
    TestWait,
    TryWait,
    PendingCount,
    CheckLayout,
    CpAsyncArrive,
    ClusterArrive,
    ClusterWait,
}

impl Verb {
    /// Every instruction, in the order of the manual.
    pub const ALL: [Verb; 13] = [
        Verb::Init,
        Verb::Inval,
        Verb::ExpectTx,
        Verb::CompleteTx,
        Verb::Arrive,
        Verb::ArriveDrop,
        Verb::CpAsyncArrive,
        Verb::TestWait,
        Verb::TryWait,
        Verb::PendingCount,
        Verb::CheckLayout,
        Verb::ClusterArrive,
        Verb::ClusterWait,
    ];

    /// Its name, opcode and first modifiers.
    pub const fn name(self) -> &'static str {
        match self {
            Verb::Init => "mbarrier.init",
            Verb::Inval => "mbarrier.inval",
            Verb::ExpectTx => "mbarrier.expect_tx",
            Verb::CompleteTx => "mbarrier.complete_tx",
            Verb::Arrive => "mbarrier.arrive",
            Verb::ArriveDrop => "mbarrier.arrive_drop",
            Verb::TestWait => "mbarrier.test_wait",
            Verb::TryWait => "mbarrier.try_wait",
            Verb::PendingCount => "mbarrier.pending_count",
            Verb::CheckLayout => "mbarrier.check_layout",
            Verb::CpAsyncArrive => "cp.async.mbarrier.arrive",
            Verb::ClusterArrive => "barrier.cluster.arrive",
            Verb::ClusterWait => "barrier.cluster.wait",
        }
    }

    /// Whether it is one of `barrier.cluster`: no address, no type.
    pub const fn is_cluster(self) -> bool {
        matches!(self, Verb::ClusterArrive | Verb::ClusterWait)
    }

    /// Whether it checks for the end of a phase.
    pub const fn is_wait(self) -> bool {
        matches!(self, Verb::TestWait | Verb::TryWait)
    }
}

/// What stands directly behind the name and makes another instruction of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// Nothing.
    Plain,
    /// `.expect_tx`.
    ExpectTx,
    /// `.noComplete`.
    NoComplete,
    /// `.parity`.
    Parity,
    /// `.noinc`.
    Noinc,
    /// `.layout::v0`.
    LayoutV0,
    /// `.layout::v1`.
    LayoutV1,
}

impl Variant {
    /// Every variant.
    pub const ALL: [Variant; 7] = [
        Variant::Plain,
        Variant::ExpectTx,
        Variant::NoComplete,
        Variant::Parity,
        Variant::Noinc,
        Variant::LayoutV0,
        Variant::LayoutV1,
    ];

    /// The qualifier without its dot, empty if there is none.
    pub const fn qualifier(self) -> &'static str {
        match self {
            Variant::Plain => "",
            Variant::ExpectTx => "expect_tx",
            Variant::NoComplete => "noComplete",
            Variant::Parity => "parity",
            Variant::Noinc => "noinc",
            Variant::LayoutV0 => "layout::v0",
            Variant::LayoutV1 => "layout::v1",
        }
    }
}

/// Which scopes `.sem` is written with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scopes {
    /// None: there is no `.sem`, or it stands alone (barrier.cluster).
    None,
    /// `.cta` only.
    Cta,
    /// `.cta` or `.cluster`.
    CtaOrCluster,
}

/// Where its barrier may be said to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Places {
    /// It has no address.
    None,
    /// In shared memory of the own CTA.
    Own,
    /// The same, and `.shared` alone is not written.
    Cta,
    /// In that of any CTA of the cluster.
    Any,
}

/// What an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slot {
    /// Destination: a token, or `_`.
    State,
    /// Destination: whether the phase has completed.
    WaitComplete,
    /// Destination of check_layout: whether the barrier has the layout.
    HasLayout,
    /// Destination of pending_count.
    Pending,
    /// The barrier.
    Address,
    /// Arrivals.
    Count,
    /// Bytes of asynchronous copies.
    TxCount,
    /// A token that is used.
    Token,
    /// The token that pending_count looks into.
    TokenRegister,
    /// Parity of a phase.
    Parity,
    /// How long a thread may be suspended, in nanoseconds.
    SuspendTimeHint,
}

impl Slot {
    /// How the manual calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Slot::State | Slot::Token | Slot::TokenRegister => "state",
            Slot::WaitComplete => "waitComplete",
            Slot::HasLayout => "p",
            Slot::Pending | Slot::Count => "count",
            Slot::Address => "[addr]",
            Slot::TxCount => "txCount",
            Slot::Parity => "phaseParity",
            Slot::SuspendTimeHint => "suspendTimeHint",
        }
    }

    /// What can be written there.
    pub const fn wants(self) -> &'static str {
        match self {
            Slot::State => "a 64-bit register, or `_`",
            Slot::WaitComplete | Slot::HasLayout => "a predicate register",
            Slot::Pending => "a 32-bit register",
            Slot::Address => "an address in brackets, as in `[bar]` or `[%rd1+8]`",
            Slot::Count | Slot::TxCount | Slot::Parity | Slot::SuspendTimeHint => "a 32-bit register or a whole number",
            Slot::Token => "a 64-bit register or a whole number",
            Slot::TokenRegister => "a 64-bit register",
        }
    }

    /// Whether an operand is of the kind.
    pub const fn takes(self, operand: &Operand) -> bool {
        match self {
            Slot::State => matches!(operand, Operand::Name(_) | Operand::Sink),
            Slot::WaitComplete | Slot::HasLayout | Slot::Pending | Slot::TokenRegister => {
                matches!(operand, Operand::Name(_))
            }
            Slot::Address => matches!(operand, Operand::Address { .. }),
            Slot::Count | Slot::TxCount | Slot::Token | Slot::Parity | Slot::SuspendTimeHint => {
                matches!(operand, Operand::Name(_) | Operand::Number(Number::Integer(_)))
            }
        }
    }
}

/// A line of the table.
#[derive(Debug)]
pub struct Line {
    /// Which instruction.
    pub verb: Verb,
    /// Which variant of it.
    pub variant: Variant,
    /// What `.sem` may be; empty if it has none.
    pub semantics: &'static [Semantics],
    /// What `.scope` may be.
    pub scopes: Scopes,
    /// Where its barrier may be.
    pub places: Places,
    /// Operands that must be there.
    pub operands: &'static [Slot],
    /// One that may follow them.
    pub optional: Option<Slot>,
    /// PTX ISA version that introduced it.
    pub since: Version,
    /// Lowest architecture: 90 for sm_90.
    pub target: u32,
    /// Operations of the hardware that do it; none for what the cluster barrier does.
    pub ops: &'static [Op],
    /// What it does.
    pub meaning: &'static str,
}

impl Line {
    /// The line of a variant of an instruction, if there is such a variant.
    pub fn of(verb: Verb, variant: Variant) -> Option<&'static Line> {
        LINES.iter().find(|line| line.verb == verb && line.variant == variant)
    }

    /// Its name: the instruction's and the variant's qualifier.
    pub fn name(&self) -> String {
        match self.variant {
            Variant::Plain => self.verb.name().to_owned(),
            variant => format!("{}.{}", self.verb.name(), variant.qualifier()),
        }
    }

    /// What is written for `.sem` and `.scope`, each alternative in braces; empty if it has none.
    fn order_text(&self) -> String {
        match (self.semantics, self.scopes) {
            ([], _) => String::new(),
            ([only], Scopes::None) => format!("{{.{}}}", only.name()),
            (_, Scopes::None) => "{.sem}".to_owned(),
            ([only], Scopes::Cta) => format!("{{.{}.cta}}", only.name()),
            _ => "{.sem.scope}".to_owned(),
        }
    }

    /// Its syntax as the manual writes it, `{}` around what may be left out; `.space` stands for any of the state spaces.
    pub fn syntax(&self) -> String {
        let place = match self.places {
            Places::None => "",
            Places::Own => "{.shared{::cta}}",
            Places::Cta => "{.shared::cta}",
            Places::Any => "{.space}",
        };
        self.syntax_with(place, &self.operands_text())
    }

    /// The same, one for the own CTA and one for other CTAs where their operands differ.
    pub fn syntaxes(&self) -> Vec<(String, Place)> {
        let operands = self.operands_text();
        match (self.places, operands.strip_prefix(Slot::State.name())) {
            (Places::Any, Some(others)) => vec![
                (self.syntax_with("{.shared{::cta}}", &operands), Place::SharedCta),
                (self.syntax_with(".shared::cluster", &format!("_{others}")), Place::SharedCluster),
            ],
            _ => vec![(self.syntax(), Place::SharedCta)],
        }
    }

    fn syntax_with(&self, place: &str, operands: &str) -> String {
        let end = if self.verb.is_cluster() { "{.aligned}" } else { ".b64" };
        let head = format!("{}{}{place}{end}", self.name(), self.order_text());
        if operands.is_empty() { head } else { format!("{head} {operands}") }
    }

    /// Its operands as the manual writes them.
    pub fn operands_text(&self) -> String {
        let names: Vec<&str> = self.operands.iter().map(|slot| slot.name()).collect();
        let optional = self.optional.map(|slot| format!("{{, {}}}", slot.name()));
        names.join(", ") + optional.as_deref().unwrap_or("")
    }

    /// What may stand at a position among the operands.
    pub fn slots(&self) -> impl Iterator<Item = Slot> {
        self.operands.iter().copied().chain(self.optional)
    }
}

const NO_ORDER: &[Semantics] = &[];
const RELAXED: &[Semantics] = &[Semantics::Relaxed];
const ARRIVAL: &[Semantics] = &[Semantics::Release, Semantics::Relaxed];
const RELEASE: &[Semantics] = &[Semantics::Release];
const WAIT: &[Semantics] = &[Semantics::Acquire, Semantics::Relaxed];
const ACQUIRE: &[Semantics] = &[Semantics::Acquire];

macro_rules! lines {
    ($($verb:ident $variant:ident: $semantics:ident $scopes:ident $places:ident
        [$($slot:ident),*] $([$optional:ident])? ptx $major:literal $minor:literal sm $target:literal
        [$($op:ident),*] $meaning:literal;)*) => {
        /// The table.
        pub const LINES: &[Line] = &[$(Line {
            verb: Verb::$verb,
            variant: Variant::$variant,
            semantics: $semantics,
            scopes: Scopes::$scopes,
            places: Places::$places,
            operands: &[$(Slot::$slot),*],
            optional: lines!(@optional $($optional)?),
            since: Version { major: $major, minor: $minor },
            target: $target,
            ops: &[$(Op::$op),*],
            meaning: $meaning,
        }),*];
    };
    (@optional) => { None };
    (@optional $slot:ident) => { Some(Slot::$slot) };
}

lines! {
    Init Plain: NO_ORDER None Own [Address, Count] ptx 7 0 sm 80
        [Init] "makes a barrier that waits for `count` arrivals in each phase";
    Init LayoutV0: NO_ORDER None Own [Address, Count] ptx 9 3 sm 90
        [Init] "the same";
    Init LayoutV1: NO_ORDER None Own [Address, Count] ptx 9 3 sm 90
        [Init, Load, Store] "the same with layout v1, bit 0 of the word; `count` is 511 at most";
    Inval Plain: NO_ORDER None Own [Address] ptx 7 0 sm 80
        [Inval] "ends the barrier; its memory may be used for something else";
    ExpectTx Plain: RELAXED CtaOrCluster Any [Address, TxCount] ptx 8 0 sm 90
        [ExpectTx] "the phase waits for `txCount` more bytes";
    CompleteTx Plain: RELAXED CtaOrCluster Any [Address, TxCount] ptx 8 0 sm 90
        [CompleteTx] "the phase waits for `txCount` bytes less, as if a copy had brought them";
    Arrive Plain: ARRIVAL CtaOrCluster Any [State, Address] [Count] ptx 7 0 sm 80
        [Arrive] "`count` arrivals, 1 if it is not said";
    Arrive ExpectTx: ARRIVAL CtaOrCluster Any [State, Address, TxCount] ptx 8 0 sm 90
        [ArriveExpectTx] "the phase waits for `txCount` more bytes; then one arrival";
    Arrive NoComplete: RELEASE Cta Own [State, Address, Count] ptx 7 0 sm 80
        [ArriveNoComplete] "`count` arrivals that are not to complete the phase";
    ArriveDrop Plain: ARRIVAL CtaOrCluster Any [State, Address] [Count] ptx 7 0 sm 80
        [ArriveDrop] "`count` arrivals, 1 if it is not said, that later phases do not wait for any more";
    ArriveDrop ExpectTx: ARRIVAL CtaOrCluster Any [State, Address, TxCount] ptx 8 0 sm 90
        [ArriveDropExpectTx] "the phase waits for `txCount` more bytes; then one arrival that later phases do not wait for";
    ArriveDrop NoComplete: RELEASE Cta Own [State, Address, Count] ptx 7 0 sm 80
        [ArriveDropNoComplete] "`count` arrivals that later phases do not wait for and that are not to complete this one";
    CpAsyncArrive Plain: NO_ORDER None Own [Address] ptx 7 0 sm 80
        [CpAsyncBegin, CpAsyncEnd] "the phase waits until the thread's earlier `cp.async` are done";
    CpAsyncArrive Noinc: NO_ORDER None Own [Address] ptx 7 0 sm 80
        [CpAsyncArrive] "one arrival when the thread's earlier `cp.async` are done, which `init` has counted";
    TestWait Plain: WAIT CtaOrCluster Own [WaitComplete, Address, Token] ptx 7 0 sm 80
        [TestWait] "whether the phase of a token has completed";
    TestWait Parity: WAIT CtaOrCluster Own [WaitComplete, Address, Parity] ptx 7 1 sm 80
        [TestWaitParity] "whether the phase with this parity has completed";
    TryWait Plain: WAIT CtaOrCluster Own [WaitComplete, Address, Token] [SuspendTimeHint] ptx 7 8 sm 90
        [TryWait] "the same of a token; the thread may be suspended until it has";
    TryWait Parity: WAIT CtaOrCluster Own [WaitComplete, Address, Parity] [SuspendTimeHint] ptx 7 8 sm 90
        [TryWaitParity] "the same of a parity; the thread may be suspended until it has";
    PendingCount Plain: NO_ORDER None None [Pending, TokenRegister] ptx 7 0 sm 80
        [PendingCount] "pending arrivals before the arrival that gave the token";
    PendingCount LayoutV0: NO_ORDER None None [Pending, TokenRegister] ptx 9 3 sm 90
        [PendingCount] "the same";
    CheckLayout LayoutV0: NO_ORDER None Cta [HasLayout, Address] ptx 9 3 sm 90
        [Load] "whether the barrier has layout v0";
    CheckLayout LayoutV1: NO_ORDER None Cta [HasLayout, Address] ptx 9 3 sm 90
        [Load] "whether it has layout v1";
    ClusterArrive Plain: ARRIVAL None None [] ptx 7 8 sm 90
        [] "the thread has come to the cluster's barrier; it does not wait";
    ClusterWait Plain: ACQUIRE None None [] ptx 7 8 sm 90
        [] "waits until all threads of the cluster have come";
}
