//! Reads the qualifiers of an instruction, and says what is wrong with them.

use super::table::{Line, Places, Scopes, Variant, Verb};
use super::{Form, Layout, Place};
use crate::ast::{Instruction, Spanned};
use crate::source::Complaint;
use txbar_rtl::order::{Scope, Semantics};

/// Beginnings of the family's names: an instruction that begins so and goes on otherwise does not exist.
const ROOTS: [&str; 3] = ["mbarrier", "cp.async.mbarrier", "barrier.cluster"];

/// How many modifiers a name takes up if the instruction begins with it.
fn begins(instruction: &Instruction, name: &str) -> Option<usize> {
    let mut parts = name.split('.');
    if parts.next() != Some(instruction.opcode.value.as_str()) {
        return None;
    }
    let mut modifiers = instruction.modifiers.iter();
    let mut consumed = 0;
    for part in parts {
        if modifiers.next()?.value != part {
            return None;
        }
        consumed += 1;
    }
    Some(consumed)
}

/// Which instruction it is, and how many modifiers its name takes up; nothing if it is not of the family.
pub fn verb(instruction: &Instruction) -> Option<Result<(Verb, usize), Complaint>> {
    if let Some(found) = Verb::ALL.iter().find_map(|verb| Some((*verb, begins(instruction, verb.name())?))) {
        return Some(Ok(found));
    }
    let (root, consumed) = ROOTS.iter().find_map(|root| Some((*root, begins(instruction, root)?)))?;
    let known: Vec<&str> =
        Verb::ALL.iter().filter_map(|verb| verb.name().strip_prefix(root)?.strip_prefix('.')).collect();
    let help = format!("behind `{root}` comes {}", alternatives(&known));
    Some(Err(match instruction.modifiers.get(consumed) {
        Some(modifier) => {
            Complaint::new(modifier.span, format!("there is no `{root}.{}`", modifier.value), "not an operation")
        }
        None => Complaint::new(instruction.opcode.span, format!("`{root}` alone is no instruction"), "what of it?"),
    }
    .help(help)))
}

/// Qualifiers joined: "`.a`, `.b` or `.c`".
fn alternatives(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`.{name}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => "nothing".to_owned(),
    }
}

/// A qualifier, understood.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Variant(Variant),
    Semantics(Semantics),
    Scope(Scope),
    Place(Place),
    Type,
    Aligned,
}

impl Part {
    fn of(modifier: &str) -> Option<Part> {
        Some(match modifier {
            "relaxed" => Part::Semantics(Semantics::Relaxed),
            "acquire" => Part::Semantics(Semantics::Acquire),
            "release" => Part::Semantics(Semantics::Release),
            "cta" => Part::Scope(Scope::Cta),
            "cluster" => Part::Scope(Scope::Cluster),
            "shared" | "shared::cta" => Part::Place(Place::SharedCta),
            "shared::cluster" => Part::Place(Place::SharedCluster),
            "b64" => Part::Type,
            "aligned" => Part::Aligned,
            other => Part::Variant(Variant::ALL.into_iter().find(|variant| variant.qualifier() == other)?),
        })
    }

    /// What the qualifier is, for "is said twice".
    fn kind(self) -> &'static str {
        match self {
            Part::Variant(_) => "variant",
            Part::Semantics(_) => "`.sem`",
            Part::Scope(_) => "`.scope`",
            Part::Place(_) => "state space",
            Part::Type => "type",
            Part::Aligned => "`.aligned`",
        }
    }
}

/// Reads the modifiers behind the name of an instruction.
pub fn read(
    instruction: &Instruction,
    verb: Verb,
    modifiers: &[Spanned<String>],
) -> Result<(&'static Line, Form), Complaint> {
    let named = modifiers.first().and_then(|first| match Part::of(&first.value) {
        Some(Part::Variant(variant)) => Some((variant, first)),
        _ => None,
    });
    let (line, rest) = match named {
        None => (Line::of(verb, Variant::Plain), modifiers),
        Some((variant, _)) => (Line::of(verb, variant), modifiers.get(1..).unwrap_or(&[])),
    };
    let Some(line) = line else {
        if named.is_none() && verb == Verb::CheckLayout {
            return Err(no_layout(instruction));
        }
        let modifier = named.map_or(&instruction.opcode, |(_, modifier)| modifier);
        return Err(no_variant(verb, modifier));
    };
    let mut form = Form {
        verb,
        expect_tx: line.variant == Variant::ExpectTx,
        no_complete: line.variant == Variant::NoComplete,
        parity: line.variant == Variant::Parity,
        noinc: line.variant == Variant::Noinc,
        layout: match line.variant {
            Variant::LayoutV0 => Some(Layout::V0),
            Variant::LayoutV1 => Some(Layout::V1),
            _ => None,
        },
        aligned: false,
        semantics: None,
        scope: None,
        place: Place::Generic,
    };
    let mut reader = Reader { line, form: &mut form, before: None, typed: false };
    for modifier in rest {
        reader.take(modifier)?;
    }
    reader.end(instruction)?;
    Ok((line, form))
}

/// What has been read so far.
struct Reader<'a> {
    line: &'static Line,
    form: &'a mut Form,
    /// The qualifier before.
    before: Option<(Part, &'a Spanned<String>)>,
    /// The type has been read.
    typed: bool,
}

impl<'a> Reader<'a> {
    /// Takes the next qualifier.
    fn take(&mut self, modifier: &'a Spanned<String>) -> Result<(), Complaint> {
        let name = self.line.name();
        let Some(part) = Part::of(&modifier.value) else { return Err(self.unknown(modifier)) };
        self.needs_scope(matches!(part, Part::Scope(_)))?;
        if let Part::Variant(variant) = part {
            return Err(self.late_variant(variant, modifier));
        }
        if self.is_there(part) {
            let message = format!("`{name}` has two qualifiers that say its {}", part.kind());
            return Err(Complaint::new(modifier.span, message, "the second").help("leave one of them out"));
        }
        match part {
            Part::Semantics(semantics) => self.semantics(semantics, modifier)?,
            Part::Scope(scope) => self.scope(scope, modifier)?,
            Part::Place(place) => self.place(place, modifier)?,
            Part::Type if self.line.verb.is_cluster() => {
                let message = format!("`{name}` has no type");
                return Err(Complaint::new(modifier.span, message, "no type here").help("leave it out"));
            }
            Part::Aligned if !self.line.verb.is_cluster() => {
                let message = format!("`{name}` has no `.aligned`");
                let help = "leave it out: only `barrier.cluster` has it";
                return Err(Complaint::new(modifier.span, message, "not here").help(help));
            }
            Part::Type => self.typed = true,
            Part::Aligned => self.form.aligned = true,
            Part::Variant(_) => {} // told above
        }
        let last = if self.line.verb.is_cluster() { self.form.aligned } else { self.typed };
        if last && !matches!(part, Part::Type | Part::Aligned) {
            let end = if self.line.verb.is_cluster() { ".aligned" } else { ".b64" };
            let message = format!("`.{}` stands behind `{end}` in `{name}`", modifier.value);
            return Err(Complaint::new(modifier.span, message, "too late").help(format!("write `{end}` last")));
        }
        self.before = Some((part, modifier));
        Ok(())
    }

    /// Whether there has been a qualifier of the same kind.
    fn is_there(&self, part: Part) -> bool {
        match part {
            Part::Variant(_) => false,
            Part::Semantics(_) => self.form.semantics.is_some(),
            Part::Scope(_) => self.form.scope.is_some(),
            Part::Place(_) => self.form.place != Place::Generic,
            Part::Type => self.typed,
            Part::Aligned => self.form.aligned,
        }
    }

    /// All is read.
    fn end(&mut self, instruction: &Instruction) -> Result<(), Complaint> {
        self.needs_scope(false)?;
        if self.typed || self.line.verb.is_cluster() {
            return Ok(());
        }
        let name = self.line.name();
        let span = match instruction.modifiers.last() {
            Some(last) => instruction.opcode.span.to(last.span),
            None => instruction.opcode.span,
        };
        let message = format!("`{name}` lacks its type");
        Err(Complaint::new(span, message, "`.b64` is missing at the end").help("write `.b64` as the last qualifier"))
    }

    /// `.sem` was before, and must be followed by `.scope` where the line has one.
    fn needs_scope(&self, follows: bool) -> Result<(), Complaint> {
        match self.before {
            Some((Part::Semantics(_), semantics)) if !follows && self.line.scopes != Scopes::None => {
                let message = format!("`.{}` of `{}` lacks its scope", semantics.value, self.line.name());
                let help = format!("`.sem` and `.scope` are said together: write {}", self.orders());
                Err(Complaint::new(semantics.span, message, "a scope must follow").help(help))
            }
            _ => Ok(()),
        }
    }

    /// Everything that can be written for `.sem` and `.scope`.
    fn orders(&self) -> String {
        let scopes: &[&str] = match self.line.scopes {
            Scopes::None => &[""],
            Scopes::Cta => &[".cta"],
            Scopes::CtaOrCluster => &[".cta", ".cluster"],
        };
        let orders = self.line.semantics.iter();
        let orders: Vec<String> =
            orders.flat_map(|sem| scopes.iter().map(|scope| format!("{}{scope}", sem.name()))).collect();
        alternatives(&orders.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn semantics(&mut self, semantics: Semantics, modifier: &Spanned<String>) -> Result<(), Complaint> {
        if !self.line.semantics.contains(&semantics) {
            return Err(self.no_semantics(modifier));
        }
        self.form.semantics = Some(semantics);
        Ok(())
    }

    /// The line has not this `.sem`.
    fn no_semantics(&self, modifier: &Spanned<String>) -> Complaint {
        let name = self.line.name();
        let message = format!("`{name}` cannot be `.{}`", modifier.value);
        let (label, help) = match self.line.semantics {
            [] => ("no memory ordering here", "leave it out: this instruction orders no memory accesses".to_owned()),
            _ if self.line.verb.is_wait() || self.line.verb == Verb::ClusterWait => {
                ("a wait acquires", format!("write {}, or nothing", self.orders()))
            }
            [Semantics::Relaxed] => ("it only counts bytes", format!("write {}, or nothing", self.orders())),
            _ => ("an arrival releases", format!("write {}, or nothing", self.orders())),
        };
        Complaint::new(modifier.span, message, label).help(help)
    }

    fn scope(&mut self, scope: Scope, modifier: &Spanned<String>) -> Result<(), Complaint> {
        let name = self.line.name();
        if self.line.scopes == Scopes::None {
            let message = format!("`{name}` has no scope");
            return Err(Complaint::new(modifier.span, message, "no scope here").help("leave it out"));
        }
        if !matches!(self.before, Some((Part::Semantics(_), _))) {
            let message = format!("`.{}` of `{name}` has no `.sem` directly before it", modifier.value);
            let help = format!("`.sem` and `.scope` are said together: write {}", self.orders());
            return Err(Complaint::new(modifier.span, message, "a scope of nothing").help(help));
        }
        if self.line.scopes == Scopes::Cta && scope == Scope::Cluster {
            let message = format!("`{name}` cannot be of `.cluster` scope");
            let help = format!("write {}, or leave `.{}` out", self.orders(), self.line.variant.qualifier());
            return Err(Complaint::new(modifier.span, message, "only `.cta`").help(help));
        }
        self.form.scope = Some(scope);
        Ok(())
    }

    fn place(&mut self, place: Place, modifier: &Spanned<String>) -> Result<(), Complaint> {
        let name = self.line.name();
        match (self.line.places, place) {
            (Places::None, _) => {
                let message = format!("`{name}` has no state space");
                let label =
                    if self.line.verb.is_cluster() { "it has no address" } else { "it looks into a token only" };
                Err(Complaint::new(modifier.span, message, label).help("leave it out"))
            }
            (Places::Cta, Place::SharedCta) if modifier.value == "shared" => {
                let message = format!("`{name}` cannot be of `.shared`");
                let help = "write `.shared::cta`, or nothing for a generic address";
                Err(Complaint::new(modifier.span, message, "only `.shared::cta`").help(help))
            }
            (Places::Own | Places::Cta, Place::SharedCluster) => {
                let message = format!("`{name}` works only on a barrier of the own CTA");
                let (label, help) = match self.line.verb {
                    Verb::TestWait | Verb::TryWait => (
                        "no wait in another CTA",
                        "write `.shared::cta`, and let threads of the CTA that has the barrier wait",
                    ),
                    Verb::Arrive | Verb::ArriveDrop => {
                        ("not in another CTA", "write `.shared::cta`, or leave `.noComplete` out")
                    }
                    _ => ("not in another CTA", "write `.shared::cta`, and let the CTA that has the barrier do it"),
                };
                Err(Complaint::new(modifier.span, message, label).help(help))
            }
            _ => {
                self.form.place = place;
                Ok(())
            }
        }
    }

    /// A variant that does not stand directly behind the name.
    fn late_variant(&self, variant: Variant, modifier: &Spanned<String>) -> Complaint {
        let verb = self.line.verb;
        if Line::of(verb, variant).is_none() {
            return no_variant(verb, modifier);
        }
        let name = verb.name();
        let said = modifier.value.as_str();
        match self.line.variant {
            Variant::Plain => Complaint::new(modifier.span, format!("`.{said}` of `{name}` stands too late"), "here")
                .help(format!("write it directly behind the name: `{name}.{said}`")),
            same if same == variant => {
                Complaint::new(modifier.span, format!("`{name}` is `.{said}` twice"), "the second")
                    .help("leave one of them out")
            }
            other => {
                let message = format!("`{name}` cannot be both `.{}` and `.{said}`", other.qualifier());
                Complaint::new(modifier.span, message, "the second of two that exclude each other")
                    .help("leave one of them out")
            }
        }
    }

    /// A qualifier that no instruction of the family has.
    fn unknown(&self, modifier: &Spanned<String>) -> Complaint {
        let name = self.line.name();
        let said = modifier.value.as_str();
        let syntax = format!("the form is `{}`", self.line.syntax());
        match said {
            "acq_rel" | "sc" | "weak" | "volatile" => self.no_semantics(modifier),
            "gpu" | "sys" if self.line.scopes != Scopes::None => {
                let message = format!("`{name}` cannot be of `.{said}` scope");
                Complaint::new(modifier.span, message, "shared memory is seen within a cluster")
                    .help(format!("write {}", self.orders()))
            }
            "global" | "local" | "const" | "param" => {
                let message = format!("`{name}` cannot work in `.{said}` memory");
                Complaint::new(modifier.span, message, "a barrier is in shared memory").help(syntax)
            }
            "b8" | "b16" | "b32" | "b128" | "u8" | "u16" | "u32" | "u64" | "s8" | "s16" | "s32" | "s64" | "f16"
            | "f32" | "f64" | "pred"
                if !self.line.verb.is_cluster() =>
            {
                let message = format!("`{name}` cannot be of type `.{said}`");
                Complaint::new(modifier.span, message, "a barrier is `.b64`").help("write `.b64`")
            }
            _ => Complaint::new(modifier.span, format!("`{name}` has no `.{said}`"), "not known here").help(syntax),
        }
    }
}

/// `mbarrier.check_layout` without the layout that is asked for directly behind it.
fn no_layout(instruction: &Instruction) -> Complaint {
    let span =
        instruction.modifiers.first().map_or(instruction.opcode.span, |name| instruction.opcode.span.to(name.span));
    let message = format!("`{}` lacks its layout", Verb::CheckLayout.name());
    Complaint::new(span, message, "which layout?").help("write `.layout::v0` or `.layout::v1` directly behind it")
}

/// An instruction has not this variant.
fn no_variant(verb: Verb, modifier: &Spanned<String>) -> Complaint {
    let variants = Variant::ALL.into_iter().skip(1).filter(|variant| Line::of(verb, *variant).is_some());
    let known: Vec<&str> = variants.map(Variant::qualifier).collect();
    let name = verb.name();
    let help = match known.as_slice() {
        [] => format!("leave it out: `{name}` has no variants"),
        known => format!("`{name}` can be followed by {}", alternatives(known)),
    };
    Complaint::new(modifier.span, format!("`{name}` has no `.{}`", modifier.value), "not of this instruction")
        .help(help)
}
