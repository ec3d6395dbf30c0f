//! What tools have made once is kept in `target/made`, if it is asked for within a checkout whose tools are in `target/tools`: netlists, and
//! simulators as shared libraries. An entry holds the text of all that it was made of (sources, options, versions of the tools), which is
//! compared in full. While one process makes an entry, others that want it wait.

use super::build::BuildError;
use std::collections::hash_map::DefaultHasher;
use std::env;
use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder with what was made.
pub(super) struct Made {
    /// Path.
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
    // whoever comes second waits for what the first one makes
    let lock = File::create(entry.with_extension("lock"))?;
    lock.lock()?;
    if is_there() {
        return Ok(entry);
    }
    let unfinished = tempfile::tempdir_in(shelf)?;
    make(unfinished.path())?;
    fs::write(unfinished.path().join("key"), key)?;
    if entry.exists() {
        // of another key with the same digest
        fs::remove_dir_all(&entry)?;
    }
    let keep = |error: io::Error| io::Error::new(error.kind(), format!("keeping what a tool has made: {error}"));
    fs::rename(unfinished.path(), &entry).map_err(keep)?;
    Ok(entry)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;
    use std::time::Duration;

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
        let entries = fs::read_dir(shelf.path()).expect("it is there").map(|entry| entry.expect("and is read").path());
        let (locks, kept): (Vec<_>, Vec<_>) = entries.partition(|path| path.extension().is_some());
        assert_eq!((locks.len(), kept.len()), (2, 2), "nothing unfinished stays");
    }

    #[test]
    fn what_two_want_at_once_is_made_once() {
        let shelf = tempfile::tempdir().expect("a temporary directory can be made");
        let made = AtomicUsize::new(0);
        let one = || {
            let make = |place: &Path| {
                made.fetch_add(1, Ordering::Relaxed);
                // so that the other one is there before this one has ended
                thread::sleep(Duration::from_millis(50));
                Ok(fs::write(place.join("file"), "")?)
            };
            kept(shelf.path(), "a", make).expect("it can be kept")
        };
        thread::scope(|scope| {
            let other = scope.spawn(one);
            assert_eq!(one(), other.join().expect("it does not fail"));
        });
        assert_eq!(made.into_inner(), 1);
    }
}
