//! The files of kernels.

use std::path::{Path, PathBuf};

/// The files of all kernels that have an extension, sorted by name.
pub fn paths(extension: &str) -> Vec<PathBuf> {
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).expect("the folder is there");
        entries.map(|entry| entry.expect("it can be read").path()).collect()
    };
    let mut folders = entries(&Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels"));
    folders.retain(|path| path.is_dir());
    let mut paths: Vec<PathBuf> = folders.iter().flat_map(|folder| entries(folder)).collect();
    paths.retain(|path| path.extension().is_some_and(|found| found == extension));
    paths.sort_by_key(|path| path.file_name().map(|name| name.to_owned()));
    paths
}
