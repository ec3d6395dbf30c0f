//! The text of a kernel, for pages that show it.

use serde::{Deserialize, Serialize};

/// Files, and the places in them that instructions are from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing {
    /// Sources of the kernel that were at hand, and its PTX where they were not.
    pub files: Vec<ListedFile>,
    /// Places of the instructions that the record names.
    pub places: Vec<ListedPlace>,
}

/// A file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedFile {
    /// Name.
    pub name: String,
    /// Text.
    pub text: String,
}

/// Where an instruction is from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedPlace {
    /// Line of the PTX text, from 1.
    pub ptx_line: usize,
    /// Number of the file.
    pub file: usize,
    /// Line of that file, from 1.
    pub line: usize,
    /// The same in words, with functions that were inlined there.
    pub text: String,
}

impl Listing {
    /// Sees that places are in files that are there.
    pub(super) fn check(&self) -> Result<(), String> {
        match self.places.iter().all(|place| place.file < self.files.len()) {
            true => Ok(()),
            false => Err("`listing` names a file that is not there".to_owned()),
        }
    }
}
