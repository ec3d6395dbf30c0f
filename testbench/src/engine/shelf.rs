//! What tools have made once is kept in `target/made`, if it is asked for within a checkout whose tools are in `target/tools`: netlists, and
//! simulators as shared libraries. An entry holds the text of all that it was made of (sources, options, versions of the tools), which is
//! compared in full.

use super::build::BuildError;
use std::collections::hash_map::DefaultHasher;
use std::env;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder with what was made.
pub(super) struct Made {
    /// Where it is.
    pub(super) path: PathBuf,
    /// What removes it, if it is not kept.
    pub(super) temporary: Option<TempDir>,
}

/// What `make` puts into a folder for `key`, which is all that it depends on.
///
/// # Errors
/// As `make`; or it cannot be kept.
pub(super) fn once(key: &str, make: impl FnOnce(&Path) -> Result<(), BuildError>) -> Result<Made, BuildError> {
    match shelf() {
        Some(shelf) => Ok(Made { path: kept(&shelf, key, make)?, temporary: None }),
        None => {
            let directory = tempfile::tempdir()?;
            make(directory.path())?;
            Ok(Made { path: directory.path().to_owned(), temporary: Some(directory) })
        }
    }
}

/// Where things are kept, if anywhere.
fn shelf() -> Option<PathBuf> {
    let here = env::current_dir().ok()?;
    let target = here.ancestors().map(|above| above.join("target")).find(|target| target.join("tools").is_dir())?;
    Some(target.join("made"))
}

/// The entry for `key`, made if it is not there.
fn kept(shelf: &Path, key: &str, make: impl FnOnce(&Path) -> Result<(), BuildError>) -> Result<PathBuf, BuildError> {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    let entry = shelf.join(format!("{:016x}", hasher.finish()));
    let is_there = || fs::read_to_string(entry.join("key")).is_ok_and(|there| there == key);
    if is_there() {
        return Ok(entry);
    }
    fs::create_dir_all(shelf)?;
    let unfinished = tempfile::tempdir_in(shelf)?;
    make(unfinished.path())?;
    fs::write(unfinished.path().join("key"), key)?;
    if entry.exists() && !is_there() {
        // of another key with the same digest
        fs::remove_dir_all(&entry)?;
    }
    match fs::rename(unfinished.path(), &entry) {
        Ok(()) => Ok(entry),
        // somebody else was faster
        Err(_) if is_there() => Ok(entry),
        Err(error) => Err(io::Error::new(error.kind(), format!("keeping what a tool has made: {error}")).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_made_once() {
        let shelf = tempfile::tempdir().expect("a temporary directory can be made");
        let make = |text: &'static str| move |place: &Path| Ok(fs::write(place.join("file"), text)?);
        let read = |entry: PathBuf| fs::read_to_string(entry.join("file")).expect("it is there");
        let kept = |key, text| kept(shelf.path(), key, make(text)).expect("it can be kept");
        assert_eq!(read(kept("a", "first")), "first");
        assert_eq!(read(kept("a", "second")), "first");
        assert_eq!(read(kept("b", "third")), "third");
        let entry = kept("a", "fourth");
        fs::write(entry.join("key"), "another with the same digest").expect("it can be written");
        assert_eq!(read(kept("a", "fifth")), "fifth");
        assert_eq!(fs::read_dir(shelf.path()).expect("it is there").count(), 2, "nothing unfinished stays");
    }
}
