//! Qualifiers of a line of the table, read from its text.
//!
//! Groups stand one behind the other with a space between: `.a` must be there, `.a|.b` is one of them, `{.a|.b}` may be left
//! out, `{.a|.b&.c|.d}` is one of each or nothing. `@8.0`, `@,90` or `@8.6,90a` (see [`Least::named`]) behind a qualifier or a group says the version
//! of the PTX ISA and the architecture from which on it is there.

use super::lines::LINES;
use super::table::Entry;
use crate::ast::Version;
use crate::target::{Least, parse_version};
use std::sync::LazyLock;

/// A qualifier.
#[derive(Debug)]
pub struct Word {
    /// Without its dot.
    pub text: &'static str,
    /// Versions and targets that have it.
    pub needs: Needs,
}

/// Qualifiers of which one is written, or (several sets) one of each.
#[derive(Debug)]
pub struct Group {
    /// Alternatives.
    pub sets: Vec<Vec<Word>>,
    /// Optional.
    pub optional: bool,
    /// What it needs, whichever is written.
    pub needs: Needs,
}

/// A version of the PTX ISA and an architecture.
#[derive(Clone, Copy, Debug, Default)]
pub struct Needs {
    /// The version that introduced it.
    pub since: Option<Version>,
    /// Targets that have it.
    pub target: Option<Least>,
}

/// The table with the qualifiers of each line read.
pub static ENTRIES: LazyLock<Vec<Entry>> =
    LazyLock::new(|| LINES.iter().map(|line| Entry { line, groups: groups(line.qualifiers) }).collect());

impl Needs {
    fn read(text: Option<&str>) -> Needs {
        let (version, target) = text.map_or(("", ""), |text| text.split_once(',').unwrap_or((text, "")));
        Needs { since: parse_version(version).ok(), target: Least::named(target) }
    }
}

fn groups(text: &'static str) -> Vec<Group> {
    text.split_whitespace()
        .map(|text| {
            let (inner, optional, needs) = match text.strip_prefix('{').and_then(|text| text.split_once('}')) {
                Some((inner, behind)) => (inner, true, behind.strip_prefix('@')),
                None => (text, false, None),
            };
            let sets = inner.split('&').map(words).collect();
            Group { sets, optional, needs: Needs::read(needs) }
        })
        .collect()
}

/// Alternatives of which one is written.
fn words(set: &'static str) -> Vec<Word> {
    let word = |text: &'static str| {
        let (text, needs) = text.split_once('@').map_or((text, None), |(text, needs)| (text, Some(needs)));
        Word { text: text.trim_start_matches('.'), needs: Needs::read(needs) }
    };
    set.split('|').map(word).collect()
}

impl Group {
    /// Every qualifier of it.
    pub fn words(&self) -> impl Iterator<Item = &Word> {
        self.sets.iter().flatten()
    }

    /// As it is written in a syntax line.
    pub fn text(&self) -> String {
        let sets = self.sets.iter().map(|set| {
            let words: Vec<String> = set.iter().map(|word| format!(".{}", word.text)).collect();
            words.join("/")
        });
        let sets = sets.collect::<Vec<_>>().join(" ");
        match (self.optional, self.words().count()) {
            (true, _) => format!("{{{sets}}}"),
            (false, 1) => sets,
            _ => format!("({sets})"),
        }
    }

    /// The version since which at least one of it is there.
    pub fn since(&self) -> Option<Version> {
        let words = self.sets.iter().filter_map(|set| set.iter().map(|word| word.needs.since).min().flatten());
        words.chain(self.needs.since).max()
    }

    /// Targets that have at least one of them.
    pub fn target(&self) -> Option<Least> {
        let words = self.sets.iter().filter_map(|set| set.iter().map(|word| word.needs.target).min().flatten());
        words.chain(self.needs.target).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_as_it_says() {
        let read = groups(".a {.b|.c@8.6,90&.d@,100a..110|.e}@9.3 .2d|.3d");
        let texts: Vec<String> = read.iter().map(Group::text).collect();
        assert_eq!(texts, [".a", "{.b/.c .d/.e}", "(.2d/.3d)"]);
        let needs = |needs: &Needs| {
            let since = needs.since.map_or("-".to_owned(), |since| since.to_string());
            format!("{since} {}", needs.target.map_or("-".to_owned(), |target| target.to_string()))
        };
        assert_eq!(needs(&read[1].needs), "9.3 -");
        let words: Vec<String> = read[1].words().map(|word| format!("{} {}", word.text, needs(&word.needs))).collect();
        assert_eq!(
            words,
            ["b - -", "c 8.6 sm_90 or higher", "d - sm_100a or another with a letter up to sm_110", "e - -"]
        );
        assert_eq!(read[1].sets[0].len(), 2);
    }
}
