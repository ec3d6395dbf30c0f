//! Standard output: all printing goes through here; a full device or a closed pipe is an error, not a panic.
//!
//! * [`say!`](crate::say) writes a line to standard output. If that fails, the work is done and the files are written all the same;
//!   [`finish`] reports it at the end, as one error. A pipe that is closed at its other end (`txbar ... | head`) ends the command
//!   quietly, as other commands are ended by SIGPIPE.
//! * [`note!`](crate::note) writes a line to standard error. If that fails, it is not an error of its own.

use crate::shell::{progress, stop};
use anyhow::{Context, Result};
use serde::Serialize;
use std::fmt::Arguments;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Prints a line on standard output.
#[macro_export]
macro_rules! say {
    ($($text:tt)*) => { $crate::shell::print::out(format_args!($($text)*), true) };
}

/// Prints on standard output what has line ends of its own.
#[macro_export]
macro_rules! say_text {
    ($($text:tt)*) => { $crate::shell::print::out(format_args!($($text)*), false) };
}

/// Prints a line on standard error.
#[macro_export]
macro_rules! note {
    ($($text:tt)*) => { $crate::shell::print::error(format_args!($($text)*)) };
}

/// Whether what is printed goes to standard error, since figures go to standard output.
static ASIDE: AtomicBool = AtomicBool::new(false);

/// From now on [`say!`](crate::say) prints on standard error: standard output is for [`json`].
pub fn set_aside() {
    ASIDE.store(true, Ordering::Relaxed);
}

/// Prints figures on standard output.
///
/// # Errors
/// They cannot be made JSON.
pub fn json(figures: &impl Serialize) -> Result<()> {
    let mut output = BufWriter::new(io::stdout().lock());
    let written = serde_json::to_writer_pretty(&mut output, figures).map_err(io::Error::from);
    note_failure(written.and_then(|()| output.write_all(b"\n")).and_then(|()| output.flush()));
    Ok(())
}

/// The first error of standard output.
static FAILED: Mutex<Option<io::Error>> = Mutex::new(None);

/// See [`say!`](crate::say).
pub fn out(text: Arguments, end_line: bool) {
    let end = if end_line { "\n" } else { "" };
    if ASIDE.load(Ordering::Relaxed) {
        let _ = progress::aside(|| write!(io::stderr(), "{text}{end}")); // as with `error`
        return;
    }
    if FAILED.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
        return; // what is behind a gap makes no sense
    }
    note_failure(progress::aside(|| write!(io::stdout(), "{text}{end}")));
}

/// Remembers an error of standard output; ends the command if it is a pipe that nobody reads.
fn note_failure(result: io::Result<()>) {
    let Err(error) = result else { return };
    if error.kind() == ErrorKind::BrokenPipe {
        stop::end(stop::BROKEN_PIPE);
    }
    FAILED.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
}

/// See [`note!`](crate::note).
pub fn error(text: Arguments) {
    let _ = progress::aside(|| writeln!(io::stderr(), "{text}")); // there is nowhere to say that it cannot be said
}

/// Says whether everything has been printed.
///
/// # Errors
/// Something could not.
pub fn finish() -> Result<()> {
    let failed = FAILED.lock().unwrap_or_else(PoisonError::into_inner).take();
    failed.map_or_else(|| io::stdout().flush(), Err).context("cannot write to standard output")
}
