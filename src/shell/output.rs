//! Files that are complete or absent.

use crate::shell::print;
use anyhow::{Context, Result, bail};
use serde::Serialize;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::NamedTempFile;

/// Names of files that are not finished. Whoever ends the command removes them; see [`remove_unfinished`].
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all files that are not finished. As long as what it gives is kept, none is begun and none gets its name.
pub fn remove_unfinished() -> impl Sized {
    let mut files = unfinished();
    for path in files.drain(..) {
        let _ = fs::remove_file(path); // it may be gone already
    }
    files
}

/// A file without its name.
struct Unfinished(Option<NamedTempFile>);

impl Unfinished {
    fn new(directory: &Path) -> io::Result<Self> {
        let mut names = unfinished();
        let file = NamedTempFile::new_in(directory).map_err(plain)?;
        names.push(file.path().to_owned());
        Ok(Self(Some(file)))
    }

    /// Gives it its name.
    fn persist(mut self, path: &Path) -> io::Result<()> {
        let Some(file) = self.0.take() else { return Ok(()) };
        let mut names = unfinished();
        let name = file.path().to_owned();
        let result = file.persist(path).map_err(|error| plain(error.error));
        names.retain(|other| *other != name);
        result.map(drop)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let Some(file) = self.0.take() else { return };
        let mut names = unfinished();
        names.retain(|name| name != file.path());
        drop(file); // which removes it
    }
}

/// An error without the temporary file name in its text: the crate puts it at the end.
fn plain(error: io::Error) -> io::Error {
    match error.to_string().split_once(" at path ") {
        Some((what, _)) => io::Error::new(error.kind(), what.to_owned()),
        None => error,
    }
}

/// A file that appears under its name only when it is finished. A device or pipe is written to as it is.
pub struct OutputFile {
    path: PathBuf,
    writer: BufWriter<File>,
    /// The file while it is unfinished; nothing for a device or pipe.
    unfinished: Option<Unfinished>,
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
                let file = Unfinished::new(directory_of(&path))?;
                let handle = file.0.as_ref().map(NamedTempFile::reopen).transpose()?;
                let writer = BufWriter::new(handle.ok_or(io::ErrorKind::NotFound)?);
                Ok(Self { path, writer, unfinished: Some(file) })
            }
        }
    }

    /// Writer of the file.
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
        let Some(unfinished) = self.unfinished.take() else { return Ok(()) };
        #[cfg(unix)]
        {
            // temporary files are private; this one is to be like any other
            use std::os::unix::fs::PermissionsExt;
            self.writer.get_ref().set_permissions(fs::Permissions::from_mode(0o644))?;
        }
        unfinished.persist(&self.path)
    }
}

/// The directory that a file is in.
pub fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}

/// Stands for standard output where a file is named.
pub const STANDARD_OUTPUT: &str = "-";

/// Sees that a file can be written, and leaves everything as it is. What devices and pipes take shows when they are written to.
pub fn try_file(path: &Path) -> Result<()> {
    let is_other = fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir());
    if is_other { Ok(()) } else { OutputFile::create(path).map(drop) }
}

/// Sees that files can be written to a directory, which may have to be made.
pub fn try_directory(path: &Path) -> Result<()> {
    if path == Path::new(STANDARD_OUTPUT) {
        bail!("`-` is standard output, not a directory; write ./- for a directory of that name");
    }
    let there = path.ancestors().find(|ancestor| ancestor.as_os_str().is_empty() || ancestor.exists());
    let there = there.filter(|ancestor| !ancestor.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let context = || match there == path && there.is_dir() {
        true => format!("cannot write to the directory {}", path.display()),
        false => format!("cannot make the directory {}", path.display()),
    };
    if !there.is_dir() {
        return Err(io::Error::from(io::ErrorKind::NotADirectory)).with_context(context);
    }
    Unfinished::new(there).map(drop).with_context(context)
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

/// Writes figures as JSON; `-` is standard output.
pub fn write_json(path: &Path, figures: &impl Serialize) -> Result<()> {
    if path == Path::new(STANDARD_OUTPUT) {
        return print::json(figures);
    }
    let mut output = OutputFile::create(path)?;
    let written = serde_json::to_writer_pretty(output.writer(), figures).map_err(io::Error::from);
    written.and_then(|()| output.writer().write_all(b"\n")).with_context(|| cannot_write(path))?;
    output.finish()
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
            crate::say!("{name:<17} {value}");
        }
    }
}
