//! What is printed: everything that the command says goes through here, and a full device or a closed pipe is no panic.
//!
//! * [`say!`](crate::say) writes a line to standard output. If that fails, the work is done and the files are written all the same;
//!   [`finish`] reports it at the end, as one error. A pipe that is closed at its other end (`txbar ... | head`) ends the command
//!   quietly, as other commands are ended by SIGPIPE.
//! * [`note!`](crate::note) writes a line to standard error. If that fails, it is not an error of its own.

use crate::{progress, stop};
use anyhow::{Context, Result};
use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write};
use std::sync::{Mutex, PoisonError};

/// Prints a line on standard output.
#[macro_export]
macro_rules! say {
    ($($text:tt)*) => { $crate::print::out(format_args!($($text)*), true) };
}

/// Prints on standard output what has line ends of its own.
#[macro_export]
macro_rules! say_text {
    ($($text:tt)*) => { $crate::print::out(format_args!($($text)*), false) };
}

/// Prints a line on standard error.
#[macro_export]
macro_rules! note {
    ($($text:tt)*) => { $crate::print::error(format_args!($($text)*)) };
}

/// The first error of standard output.
static FAILED: Mutex<Option<io::Error>> = Mutex::new(None);

/// See [`say!`](crate::say).
pub fn out(text: Arguments, end_line: bool) {
    let mut failed = FAILED.lock().unwrap_or_else(PoisonError::into_inner);
    if failed.is_some() {
        return; // what is behind a gap makes no sense
    }
    let end = if end_line { "\n" } else { "" };
    if let Err(error) = progress::aside(|| write!(io::stdout(), "{text}{end}")) {
        if error.kind() == ErrorKind::BrokenPipe {
            stop::end(stop::BROKEN_PIPE);
        }
        *failed = Some(error);
    }
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
