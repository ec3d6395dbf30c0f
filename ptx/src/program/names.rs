//! Scopes of names: an inner scope hides the names of the outer one, and ends with its `}`.
//!
//! Looking a name up does not depend on how deep scopes are nested: each name has a stack of its meanings, the innermost
//! on top, and a scope remembers which names it pushed.

use crate::ast::{Space, Spanned, Type};
use crate::program::code::Value;
use crate::program::special::Special;
use crate::source::{Complaint, Span};
use std::collections::HashMap;

/// Meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Meaning {
    /// A register, or a declaration of many: number of the declaration, and how many there are (`%r<5>`).
    Register { declaration: u32, ty: Type, vector: u32, count: Option<u32> },
    /// A variable of this space.
    Variable { space: Space, address: Value },
    /// A variable that is defined in another module.
    Elsewhere,
    /// A label: its number in the body.
    Label(usize),
    /// A list of labels: its number in the body.
    Targets(usize),
    /// A function: its number in the module.
    Function(usize),
}

impl Meaning {
    /// What it is, with an article.
    pub(crate) fn describe(&self) -> &'static str {
        match self {
            Meaning::Register { vector: 2.., .. } => "a vector register",
            Meaning::Register { .. } => "a register",
            Meaning::Variable { .. } | Meaning::Elsewhere => "a variable",
            Meaning::Label(_) => "a label",
            Meaning::Targets(_) => "a list of labels",
            Meaning::Function(_) => "a function",
        }
    }
}

/// A register: one of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Register {
    /// Number of the declaration.
    pub declaration: u32,
    /// Number behind the name, if it declares many.
    pub number: u32,
    /// Element of a vector.
    pub element: u8,
}

/// What a name of an operand comes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Found {
    /// A register, or one element of a vector register.
    Register(Register, Type),
    /// All of a vector register with this many elements.
    Vector(Register, Type, u32),
    /// A special register.
    Special(Special),
    /// A special register that is not supported.
    UnknownSpecial,
    /// Something else.
    Other(Meaning),
}

/// Names known at a place.
#[derive(Debug, Default)]
pub(crate) struct Names<'m> {
    meanings: HashMap<Key<'m>, Vec<(u32, Meaning)>>,
    /// What each open scope has declared.
    scopes: Vec<Vec<Key<'m>>>,
}

/// A name; whether it stands for many (`%r<5>`).
type Key<'m> = (&'m str, bool);

impl<'m> Names<'m> {
    /// A scope begins.
    pub(crate) fn open(&mut self) {
        self.scopes.push(Vec::new());
    }

    /// The innermost scope ends.
    pub(crate) fn close(&mut self) {
        for key in self.scopes.pop().unwrap_or_default() {
            if let Some(stack) = self.meanings.get_mut(&key) {
                stack.pop();
            }
        }
    }

    /// Number of open scopes.
    pub(crate) fn depth(&self) -> usize {
        self.scopes.len()
    }

    /// A name from here to the end of the innermost scope.
    ///
    /// # Errors
    /// It is declared in this scope already.
    pub(crate) fn declare(&mut self, name: &'m Spanned<String>, meaning: Meaning) -> Result<(), Complaint> {
        let key = (name.value.as_str(), matches!(meaning, Meaning::Register { count: Some(_), .. }));
        let depth = self.scopes.len() as u32; // a scope takes a byte of text, of which there are fewer than 2^32
        let stack = self.meanings.entry(key).or_default();
        if let Some((at, before)) = stack.last()
            && *at == depth
        {
            let message = format!("`{}` is declared twice in the same scope", name.value);
            return Err(Complaint::new(name.span, message, format!("is {} already", before.describe())));
        }
        stack.push((depth, meaning));
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(key);
        }
        Ok(())
    }

    /// Replaces the meaning of a name declared in the innermost scope.
    pub(crate) fn replace(&mut self, name: &'m Spanned<String>, meaning: Meaning) {
        if let Some(top) = self.meanings.get_mut(&(name.value.as_str(), false)).and_then(|stack| stack.last_mut()) {
            top.1 = meaning;
        }
    }

    fn innermost(&self, name: &str, many: bool) -> Option<(u32, Meaning)> {
        self.meanings.get(&(name, many)).and_then(|stack| stack.last()).copied()
    }

    /// Meaning of a name at this place.
    pub(crate) fn meaning(&self, name: &str) -> Option<Meaning> {
        self.innermost(name, false).map(|found| found.1)
    }

    /// The register or other thing of an operand's name.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn find(&self, name: &str, span: Span) -> Result<Found, Complaint> {
        if let Some(found) = self.whole(name) {
            return Ok(found);
        }
        if let Some((stem, component)) = name.rsplit_once('.')
            && let Some(Found::Vector(register, ty, elements)) = self.whole(stem)
            && let Some(element) = component_number(component)
        {
            if u32::from(element) < elements {
                return Ok(Found::Register(Register { element, ..register }, ty));
            }
            let message = format!("`{stem}` has {elements} elements");
            return Err(Complaint::new(span, message, format!("it has no `.{component}`")));
        }
        match Special::read(name) {
            Some(Ok(special)) => Ok(Found::Special(special)),
            Some(Err(())) => Ok(Found::UnknownSpecial),
            None => Err(self.unknown("register or variable", name, span)),
        }
    }

    /// A register or other thing whose name is this one with nothing behind it.
    fn whole(&self, name: &str) -> Option<Found> {
        let alone = self.innermost(name, false);
        let many = self.one_of_many(name);
        let (number, meaning) = match (alone, many) {
            (Some((depth, meaning)), Some((_, (other, _)))) if depth >= other => (0, meaning),
            (_, Some((number, (_, meaning)))) => (number, meaning),
            (Some((_, meaning)), None) => (0, meaning),
            (None, None) => return None,
        };
        Some(match meaning {
            Meaning::Register { declaration, ty, vector, .. } => {
                let register = Register { declaration, number, element: 0 };
                if vector > 1 { Found::Vector(register, ty, vector) } else { Found::Register(register, ty) }
            }
            other => Found::Other(other),
        })
    }

    /// The declaration of many that this name is one of, and its number.
    fn one_of_many(&self, name: &str) -> Option<(u32, (u32, Meaning))> {
        let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count().min(10);
        (1..=digits).find_map(|taken| {
            let (stem, number) = name.split_at(name.len() - taken); // in front of digits, which are ASCII
            let number = number.parse().ok().filter(|_| taken == 1 || !number.starts_with('0'))?;
            let found = self.innermost(stem, true)?;
            matches!(found.1, Meaning::Register { count: Some(count), .. } if number < count).then_some((number, found))
        })
    }

    /// The complaint about a name that nothing has.
    pub(crate) fn unknown(&self, what: &str, name: &str, span: Span) -> Complaint {
        let complaint = Complaint::new(span, format!("there is no {what} `{name}` here"), "is not declared");
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        if let Some((_, Meaning::Register { count: Some(count), .. })) = self.innermost(stem, true)
            && stem.len() < name.len()
            && count > 0
        {
            return complaint.help(format!("`{stem}<{count}>` declares `{stem}0` to `{stem}{}`", count - 1));
        }
        let number = &name[stem.len()..]; // what was trimmed off
        let known = self.meanings.iter().filter_map(|((known, _), stack)| match stack.last()?.1 {
            Meaning::Register { count: Some(count), .. } => {
                number.parse().ok().filter(|number: &u32| *number < count).map(|_| format!("{known}{number}"))
            }
            _ => Some(known.to_string()),
        });
        match nearest(name, known.chain(Special::names())) {
            Some(near) => complaint.help(format!("did you mean `{near}`?")),
            None => complaint,
        }
    }
}

/// Number of a component of a vector.
fn component_number(component: &str) -> Option<u8> {
    match component {
        "x" | "r" => Some(0),
        "y" | "g" => Some(1),
        "z" | "b" => Some(2),
        "w" | "a" => Some(3),
        _ => None,
    }
}

/// The name that is most like this one, if any is like it. Of several the first in the alphabet.
pub(crate) fn nearest(name: &str, known: impl Iterator<Item = String>) -> Option<String> {
    let allowed = (name.chars().count() / 3).min(3);
    let near = known.filter_map(|other| Some((distance(name, &other, allowed)?, other)));
    near.min().map(|(_, other)| other)
}

/// Characters to change, add or leave out to get from one name to the other, if they are at most `allowed`.
fn distance(from: &str, to: &str, allowed: usize) -> Option<usize> {
    if from.len() > 200 || from.len().abs_diff(to.len()) > 4 * allowed {
        return None;
    }
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (place, have) in from.chars().enumerate() {
        let mut diagonal = place;
        let mut left = place + 1;
        row[0] = left;
        for (column, want) in to.iter().enumerate() {
            let changed = diagonal + usize::from(have != *want);
            diagonal = row[column + 1]; // the row has a place more than `to`
            left = changed.min(diagonal + 1).min(left + 1);
            row[column + 1] = left;
        }
    }
    row.last().copied().filter(|distance| *distance <= allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Spanned<String> {
        Spanned { value: name.to_string(), span: Span::default() }
    }

    fn register(declaration: u32, count: Option<u32>) -> Meaning {
        Meaning::Register { declaration, ty: Type::U32, vector: 1, count }
    }

    #[test]
    fn a_scope_hides_what_is_around_it_until_it_ends() {
        let (one, many) = (named("%r1"), named("%r"));
        let mut names = Names::default();
        names.open();
        names.declare(&many, register(7, Some(4))).unwrap();
        let outer = Found::Register(Register { declaration: 7, number: 1, element: 0 }, Type::U32);
        assert_eq!(names.find("%r1", Span::default()), Ok(outer));
        names.open();
        names.declare(&one, register(8, None)).unwrap();
        let inner = Found::Register(Register { declaration: 8, number: 0, element: 0 }, Type::U32);
        assert_eq!(names.find("%r1", Span::default()), Ok(inner));
        names.open();
        names.declare(&many, register(9, Some(2))).unwrap();
        let innermost = Found::Register(Register { declaration: 9, number: 1, element: 0 }, Type::U32);
        assert_eq!(names.find("%r1", Span::default()), Ok(innermost));
        names.close();
        names.close();
        assert_eq!(names.find("%r1", Span::default()), Ok(outer));
        let beyond = names.find("%r4", Span::default()).unwrap_err();
        assert_eq!(beyond.help.as_deref(), Some("`%r<4>` declares `%r0` to `%r3`"));
    }

    #[test]
    fn names_that_differ_in_little_are_near() {
        let near = |name| nearest(name, ["loop", "%tid.x", "shared_words"].map(String::from).into_iter());
        assert_eq!(near("lop").as_deref(), Some("loop"));
        assert_eq!(near("%tdi.x").as_deref(), Some("%tid.x"));
        assert_eq!(near("shared_word").as_deref(), Some("shared_words"));
        assert_eq!(near("q"), None);
        assert_eq!(distance("kitten", "sitting", 3), Some(3));
        assert_eq!(distance("kitten", "sitting", 2), None);
    }
}
