//! Files for wave viewers, beside a wave file.

use crate::shell::output;
use anyhow::{Result, bail};
use std::path::{Path, PathBuf};
use txbar_waves::layout::Layout;
use txbar_waves::views;
use txbar_waves::write::Written;

/// The files that are named after a wave file.
pub fn files(waves: &Path) -> Vec<PathBuf> {
    let Some(name) = waves.file_name().and_then(|name| name.to_str()) else { return Vec::new() };
    views::names(name).map(|name| waves.with_file_name(name)).to_vec()
}

/// Writes what GTKWave and Surfer need to show a wave file.
pub fn write(waves: &Path, layout: &Layout, written: &Written) -> Result<()> {
    let Some(name) = waves.file_name().and_then(|name| name.to_str()) else {
        bail!("--views: viewers cannot open {}: its name is not plain text", waves.display());
    };
    let directory = waves.parent().unwrap_or(Path::new(""));
    for file in views::beside(name, layout, written) {
        let path = directory.join(&file.path);
        if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            output::make_directory(parent)?;
        }
        output::write_text(&path, &file.text)?;
    }
    Ok(())
}
