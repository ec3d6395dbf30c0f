//! The modifiers of an instruction, read from left to right, and errors in them.

use crate::ast::{Instruction, Type};
use crate::source::Complaint;

/// Why modifiers make no instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Misfit {
    /// This word does not belong there.
    Stray(String),
    /// This is not there.
    Missing(&'static str),
    /// Valid PTX, but not executed here.
    Unsupported(&'static str),
}

impl Misfit {
    /// What is wrong, as an error of the instruction.
    pub(super) fn complain(self, instruction: &Instruction) -> Complaint {
        let name = std::iter::once(&instruction.opcode).chain(&instruction.modifiers).map(|word| word.value.as_str());
        let name = name.collect::<Vec<_>>().join(".");
        let opcode = &instruction.opcode.value;
        match self {
            Misfit::Stray(word) => {
                let message = format!("`.{word}` does not belong in `{name}`");
                Complaint::new(instruction.span, message, format!("no form of `{opcode}` has `.{word}` with the rest"))
                    .help(format!("see `{opcode}` in the PTX manual for its types and modifiers"))
            }
            Misfit::Missing(what) => {
                Complaint::new(instruction.span, format!("`{name}` lacks {what}"), format!("{what} is missing"))
                    .help(format!("see `{opcode}` in the PTX manual for its types and modifiers"))
            }
            Misfit::Unsupported(what) => Complaint::new(
                instruction.span,
                format!("`{name}` is not supported"),
                format!("{what} cannot be run here"),
            )
            .help("use another instruction that computes the same"),
        }
    }
}

/// Modifiers that are still to be read. Only the types among them have an order: the assembler takes the other words
/// wherever they stand.
pub(super) struct Words<'a>(Vec<&'a str>);

impl<'a> Words<'a> {
    /// Modifiers of an instruction.
    pub(super) fn of(instruction: &'a Instruction) -> Self {
        Self(instruction.modifiers.iter().map(|word| word.value.as_str()).collect())
    }

    /// Reads a word of the table, if there is one.
    pub(super) fn one_of<T: Copy>(&mut self, table: &[(&str, T)]) -> Option<T> {
        let meaning = |word: &str| table.iter().find(|(name, _)| *name == word).map(|(_, meaning)| *meaning);
        let (place, meaning) = self.0.iter().enumerate().find_map(|(place, word)| Some((place, meaning(word)?)))?;
        self.0.remove(place);
        Some(meaning)
    }

    /// Reads this word, if it is there.
    pub(super) fn flag(&mut self, word: &str) -> bool {
        self.one_of(&[(word, ())]).is_some()
    }

    /// The last word that is left: of an instruction with two types, that of the source.
    pub(super) fn last(&self) -> Option<&'a str> {
        self.0.last().copied()
    }

    /// Reads a word of the table.
    pub(super) fn need<T: Copy>(&mut self, table: &[(&str, T)], what: &'static str) -> Result<T, Misfit> {
        self.one_of(table).ok_or(Misfit::Missing(what))
    }

    /// Reads the next type, which must be one of these.
    pub(super) fn ty(&mut self, allowed: &[Type]) -> Result<Type, Misfit> {
        let mut types = self.0.iter().enumerate().filter_map(|(place, word)| Some((place, Type::named(word)?)));
        // A word that ends in a digit is meant as a type, if there is no other.
        let meant = || self.0.iter().find(|word| word.ends_with(|end: char| end.is_ascii_digit()));
        let (place, ty) = types
            .next()
            .ok_or_else(|| meant().map_or(Misfit::Missing("a type"), |word| Misfit::Stray((*word).to_owned())))?;
        let word = self.0.remove(place);
        if allowed.contains(&ty) { Ok(ty) } else { Err(Misfit::Stray(word.to_owned())) }
    }

    /// Fails if anything is left.
    pub(super) fn end(&self) -> Result<(), Misfit> {
        self.0.first().map_or(Ok(()), |word| Err(Misfit::Stray((*word).to_owned())))
    }
}
