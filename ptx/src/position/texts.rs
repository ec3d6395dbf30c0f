//! Available source files, and places in them.

use super::{Frame, Position, SLASHES, Sources};
use crate::source::{Source, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use txbar_testbench::input;

/// Bytes of a source file at most: 64 MiB.
const MOST_BYTES: u64 = 1 << 26;

/// The source files of a program, as far as they are at hand.
#[derive(Debug, Default)]
pub struct Texts {
    /// By the number of the file.
    files: BTreeMap<usize, Source>,
    /// Whether any is from a folder that was given.
    uses_folders: bool,
    /// What has been missed, a sentence each.
    missed: Mutex<BTreeSet<String>>,
}

/// A place in a source file: where the line of the kernel is, and those lines of inlined functions that are in the same file.
pub(crate) struct Place<'a> {
    pub file: usize,
    pub text: &'a Source,
    pub outer: Span,
    pub inner: Vec<Span>,
}

impl Texts {
    /// Looks for the files that instructions are from: in the folders, then where the path of `.file` leads, then beside the PTX. In a folder it is looked
    /// for by the whole path of `.file`, then by less and less of its end.
    pub fn find(sources: &Sources, folders: &[PathBuf], ptx: &Path) -> Self {
        let beside = ptx.parent().unwrap_or(Path::new(""));
        let mut texts = Self::default();
        for file in sources.used() {
            let Some(path) = sources.files.get(file).map(|file| file.path.as_str()) else { continue };
            let starts = std::iter::once(0).chain(path.match_indices(SLASHES).map(|(place, _)| place + 1));
            let ends: Vec<&str> =
                starts.filter_map(|start| path.get(start..)).map(|end| end.trim_start_matches(SLASHES)).collect();
            let within = |folder: &Path| ends.iter().find_map(|end| read(&folder.join(end)));
            let given = folders.iter().find_map(|folder| within(folder));
            texts.uses_folders |= given.is_some();
            let text = given.or_else(|| read(Path::new(path))).or_else(|| within(beside));
            texts.files.extend(text.map(|text| (file, text)));
        }
        texts
    }

    /// Whether any file is from a folder that was given.
    pub fn uses_folders(&self) -> bool {
        self.uses_folders
    }

    /// Files that are at hand, by their number, with their text.
    pub fn files(&self) -> impl Iterator<Item = (usize, &Source)> {
        self.files.iter().map(|(file, text)| (*file, text))
    }

    /// The place of an instruction, if its file is at hand and has such a line. What is missed is noted.
    pub(crate) fn place(&self, position: &Position) -> Option<Place<'_>> {
        let (outer, inner) = position.frames.split_first()?;
        let name = || position.sources.files.get(outer.file).map_or("?", |file| &file.short);
        let Some(text) = self.files.get(&outer.file) else {
            let missed = format!("{} is not at hand, so the PTX is shown; --source DIR says where it is", name());
            self.miss(missed);
            return None;
        };
        let span = |frame: &Frame| text.statement(frame.line as usize, frame.column as usize);
        let Some(at) = span(outer) else {
            let missed = format!(
                "{} has nothing in line {}, so the PTX is shown: it is not the file that was compiled",
                text.name(),
                outer.line
            );
            self.miss(missed);
            return None;
        };
        let same = inner.iter().filter(|frame| frame.file == outer.file);
        let mut places: Vec<Span> = same.filter_map(span).filter(|span| *span != at).collect();
        places.sort_unstable();
        places.dedup();
        Some(Place { file: outer.file, text, outer: at, inner: places })
    }

    fn miss(&self, what: String) {
        self.missed.lock().unwrap_or_else(PoisonError::into_inner).insert(what);
    }

    /// What has been missed since this was asked last, a sentence each.
    pub fn missed(&self) -> BTreeSet<String> {
        std::mem::take(&mut *self.missed.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The text of a file, if it is there.
fn read(path: &Path) -> Option<Source> {
    let bytes = input::read(path, MOST_BYTES).ok()?;
    Some(Source::new(path.display().to_string(), String::from_utf8_lossy(&bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;
    use crate::program::Program;
    use std::fs;

    const PTX: &str = ".version 8.6\n.target sm_90\n.address_size 64\n.entry k()\n{\n.loc 1 3 5\nnanosleep.u32 1;\nret;\n}\n\
                       .file 1 \"/nowhere/project/src/k.cu\"\n";

    /// The text at line 3, column 5 of the source, if it is found, and what has been missed.
    fn shown(folder: &Path, given: &[PathBuf]) -> (Option<String>, Vec<String>) {
        let source = Source::new("k.ptx", PTX);
        let program = Program::new(&parse(&source).expect("it is PTX"), "k").expect("it is a kernel");
        let texts = Texts::find(&program.sources, given, &folder.join("k.ptx"));
        let place = |_| texts.place(&program.position(&source, 0)).map(|place| place.text.at(place.outer).to_owned());
        let [first, again] = [0, 1].map(place);
        assert_eq!(first, again);
        assert_eq!(texts.uses_folders(), first.is_some() && !given.is_empty());
        (first, texts.missed().into_iter().collect())
    }

    #[test]
    fn files_are_found_in_folders_by_the_ends_of_their_paths_and_beside_the_ptx() {
        let folder = tempfile::tempdir().expect("there is room");
        let at = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("it is in a folder")).expect("there is room");
            fs::write(path, text).expect("there is room");
        };
        let given = [folder.path().join("given")];
        let missed = vec!["k.cu is not at hand, so the PTX is shown; --source DIR says where it is".to_owned()];
        assert_eq!(shown(folder.path(), &given), (None, missed), "told once");
        at("k.cu", "\n\n    beside(1, 2); // here\n");
        assert_eq!(shown(folder.path(), &[]), (Some("beside(1, 2)".to_owned()), vec![]));
        at("given/k.cu", "\n\n    given();\n");
        assert_eq!(shown(folder.path(), &given).0.as_deref(), Some("given()"));
        at("given/src/k.cu", "\n\n    nearer  \n");
        assert_eq!(shown(folder.path(), &given).0.as_deref(), Some("nearer"), "without the blanks around it");
    }

    #[test]
    fn a_file_that_was_changed_since_is_told() {
        let folder = tempfile::tempdir().expect("there is room");
        for text in ["", "\n\n", "one line", "\n\n   \t \nfour\n", "\n\n"] {
            fs::write(folder.path().join("k.cu"), text).expect("there is room");
            let (shown, missed) = shown(folder.path(), &[]);
            assert_eq!(shown, None, "{text:?}");
            assert!(missed.iter().any(|missed| missed.contains("k.cu has nothing in line 3")), "{missed:?}");
        }
        for text in [&b"\n\n\xff\xfe no text \xc3"[..], b"\n\n)", b"\n\n    \xc3\xa9\xc3\xa9;", b"\r\n\r\n  x;\r\n"] {
            fs::write(folder.path().join("k.cu"), text).expect("there is room");
            assert!(shown(folder.path(), &[]).0.is_some_and(|shown| !shown.is_empty()), "{text:?}");
        }
    }
}
