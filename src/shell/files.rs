//! Checks of the files that a command reads and writes, before any work: no file is written twice, none that is read is written, and all
//! can be written.

use crate::shell::output;
use anyhow::{Result, bail};
use same_file::Handle;
use std::fs;
use std::path::{Path, PathBuf};

/// The files of a command.
#[derive(Default)]
pub struct Files {
    /// Input files.
    inputs: Vec<PathBuf>,
    /// What is written, with the option that names it.
    outputs: Vec<(&'static str, PathBuf)>,
}

impl Files {
    /// Files that are read.
    pub fn reads<P: AsRef<Path>>(mut self, paths: impl IntoIterator<Item = P>) -> Self {
        self.inputs.extend(paths.into_iter().map(|path| path.as_ref().to_owned()));
        self
    }

    /// Files that are written, as an option says.
    pub fn writes<P: AsRef<Path>>(mut self, option: &'static str, paths: impl IntoIterator<Item = P>) -> Self {
        self.outputs.extend(paths.into_iter().map(|path| (option, path.as_ref().to_owned())));
        self
    }

    /// Looks at them.
    ///
    /// # Errors
    /// Two of them are the same, or one cannot be written.
    pub fn check(self) -> Result<()> {
        self.check_names()?;
        self.outputs
            .iter()
            .filter(|(_, path)| !is_standard_output(path))
            .try_for_each(|(_, path)| output::try_file(path))
    }

    /// Looks at their names alone: their directories may have to be made.
    ///
    /// # Errors
    /// Two of them are the same.
    pub fn check_names(&self) -> Result<()> {
        for (number, (option, path)) in self.outputs.iter().enumerate() {
            if is_standard_output(path) {
                if *option == "--json" {
                    continue; // which is written there
                }
                bail!(
                    "{option} -: only --json can be written to standard output; name a file, or write ./- for one of that name"
                );
            }
            if let Some(input) = self.inputs.iter().find(|input| is_same(input, path)) {
                let same = if input == path { String::new() } else { format!(", which is {}", input.display()) };
                bail!("{}{same} is a file that is read: {option} cannot write there; name another", path.display());
            }
            if let Some((other, same)) = self.outputs[..number].iter().find(|(_, other)| is_same(other, path)) {
                let names = if same == path {
                    path.display().to_string()
                } else {
                    format!("{} and {}", same.display(), path.display())
                };
                let options = if other == option { format!("twice {option}") } else { format!("{other} and {option}") };
                bail!("{options} would write the same file, {names}: give them different names");
            }
        }
        Ok(())
    }
}

fn is_standard_output(path: &Path) -> bool {
    path == Path::new(output::STANDARD_OUTPUT)
}

/// Whether two names are of one file: by symbolic links, by hard links, or because the file will be there. Devices and pipes take what
/// several write.
fn is_same(one: &Path, other: &Path) -> bool {
    let is_plain = |path: &Path| fs::metadata(path).map_or(true, |there| there.is_file());
    if !is_plain(one) || !is_plain(other) {
        return false;
    }
    match (Handle::from_path(one), Handle::from_path(other)) {
        (Ok(one), Ok(other)) => one == other,
        (Err(_), Err(_)) => place(one).is_some_and(|place_of_one| Some(place_of_one) == place(other)),
        _ => false,
    }
}

/// Where a file that is not there yet will be.
fn place(path: &Path) -> Option<(PathBuf, std::ffi::OsString)> {
    // what a link points to is not there, or the file would be
    let path = fs::read_link(path).map_or(path.to_owned(), |to| output::directory_of(path).join(to));
    Some((output::directory_of(&path).canonicalize().ok()?, path.file_name()?.to_owned()))
}
