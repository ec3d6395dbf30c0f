//! Files that are complete or absent, and progress bars.

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::NamedTempFile;

/// A file that appears under its name only when it is finished. A device or pipe is written to as it is.
pub struct OutputFile {
    path: PathBuf,
    writer: BufWriter<File>,
    /// The file while it is unfinished; nothing for a device or pipe.
    unfinished: Option<NamedTempFile>,
}

impl OutputFile {
    /// Begins a file.
    pub fn create(path: &Path) -> Result<Self> {
        Self::begin(path).with_context(|| cannot_write(path))
    }

    fn begin(path: &Path) -> io::Result<Self> {
        match fs::metadata(path) {
            Ok(there) if there.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
            Ok(there) if !there.is_file() => {
                let writer = BufWriter::new(File::options().write(true).open(path)?);
                Ok(Self { path: path.to_owned(), writer, unfinished: None })
            }
            there => {
                // a link stays, what it points to is replaced
                let path = if there.is_ok() { path.canonicalize()? } else { path.to_owned() };
                let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
                let unfinished = NamedTempFile::new_in(directory.unwrap_or(Path::new(".")))?;
                let writer = BufWriter::new(unfinished.reopen()?);
                Ok(Self { path, writer, unfinished: Some(unfinished) })
            }
        }
    }

    /// Where to write.
    pub fn writer(&mut self) -> &mut dyn Write {
        &mut self.writer
    }

    /// Another way to write to it, for those who also wind back.
    pub fn handle(&self) -> io::Result<File> {
        self.writer.get_ref().try_clone()
    }

    /// Gives the file its name.
    pub fn finish(self) -> Result<()> {
        let path = self.path.clone();
        self.end().with_context(|| cannot_write(&path))
    }

    fn end(mut self) -> io::Result<()> {
        self.writer.flush()?;
        let Some(unfinished) = self.unfinished else { return Ok(()) };
        #[cfg(unix)]
        {
            // temporary files are private; this one is to be like any other
            use std::os::unix::fs::PermissionsExt;
            unfinished.as_file().set_permissions(fs::Permissions::from_mode(0o644))?;
        }
        unfinished.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}

/// Writes a text file.
pub fn write_text(path: &Path, text: &str) -> Result<()> {
    write_bytes(path, text.as_bytes())
}

/// Writes a file.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut output = OutputFile::create(path)?;
    output.writer().write_all(bytes).with_context(|| cannot_write(path))?;
    output.finish()
}

/// Writes figures as JSON.
pub fn write_json(path: &Path, figures: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(figures).context("cannot write the figures as JSON")? + "\n";
    write_text(path, &text)
}

/// Makes a directory, with all above it.
pub fn make_directory(path: &Path) -> Result<()> {
    fs::create_dir_all(path).with_context(|| format!("cannot make the directory {}", path.display()))
}

/// Figures, a line each: a name and a value.
#[derive(Default)]
pub struct Lines(Vec<(&'static str, String)>);

impl Lines {
    /// Adds a line.
    pub fn add(&mut self, name: &'static str, value: impl ToString) -> &mut Self {
        self.0.push((name, value.to_string()));
        self
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.0.iter().map(|(name, value)| (*name, value.as_str()))
    }

    /// Prints them.
    pub fn print(&self) {
        for (name, value) in self.iter() {
            println!("{name:<17} {value}");
        }
    }
}

/// A progress bar on standard error, if that is a terminal.
pub fn bar(total: u64, what: &'static str) -> ProgressBar {
    let style =
        ProgressStyle::with_template("{msg} {bar:30} {human_pos}/{human_len} {eta}").expect("the template is sound");
    ProgressBar::new(total).with_style(style).with_message(what)
}

/// A spinner on standard error, if that is a terminal.
pub fn spinner(what: &'static str) -> ProgressBar {
    let spinner = ProgressBar::new_spinner().with_message(what);
    spinner.enable_steady_tick(Duration::from_millis(100));
    spinner
}
