//! Files for wave viewers, beside a wave file.

use crate::output;
use anyhow::{Result, bail};
use std::path::Path;
use txbar_waves::layout::Layout;
use txbar_waves::views;
use txbar_waves::write::Written;

/// Writes what GTKWave and Surfer need to show a wave file.
pub fn write(waves: &Path, layout: &Layout, written: &Written) -> Result<()> {
    let Some(name) = waves.file_name().and_then(|name| name.to_str()) else {
        bail!("--views: viewers cannot be told of {}: its name is not plain text", waves.display());
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
