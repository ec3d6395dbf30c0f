//! Shared by the tests of the command.
#![allow(dead_code)] // each file uses some of it

use assert_cmd::Command;
use predicates::prelude::*;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The command, in a directory.
pub fn txbar(directory: &Path) -> Command {
    let mut command = Command::cargo_bin("txbar").expect("it has been built");
    command.current_dir(directory);
    command
}

/// A directory that nobody else uses.
pub fn directory() -> TempDir {
    tempfile::tempdir().expect("a temporary directory can be made")
}

/// A recording.
pub fn vectors(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testbench/vectors").join(name)
}

/// A file of figures.
pub fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).expect("it was written")).expect("it is JSON")
}

/// Names of the files in a directory, hidden ones too, in order.
pub fn files(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("it is a directory");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Bad input: exit code 1, one error, nothing on standard output, no panic, nothing left behind.
pub fn refused(directory: &Path, arguments: &[&str], error: impl Predicate<str>) {
    let before = files(directory);
    let output = txbar(directory).args(arguments).output().expect("it can be started");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
    assert!(error.eval(&said), "{arguments:?}: {said}");
    assert!(!said.contains("panicked") && !said.contains("backtrace"), "{said}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{arguments:?}");
    assert_eq!(files(directory), before, "{arguments:?} left a file behind");
}
