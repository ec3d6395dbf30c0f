//! SIGINT (Ctrl-C) and SIGTERM: a run is stopped, prints what it knows and finishes its files; anything else ends at once, and its
//! unfinished files are removed. Either way the exit code is 128 and the number of the signal, as shells have it: 130 or 143.
//!
//! A run says with [`Run::begin`] that it looks at [`requested`] now and then. Who does not want to wait for it sends a second signal.

use crate::shell::output;
use std::fs;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use txbar_export::tools;

/// The signal that has come; 0 if none has.
static SIGNAL: AtomicI32 = AtomicI32::new(0);
/// Runs under way that stop by themselves.
static RUNS: AtomicUsize = AtomicUsize::new(0);
/// Where files are that are needed for a while.
static SCRATCH: OnceLock<PathBuf> = OnceLock::new();
/// What a shell says of a command that SIGPIPE has ended: 128 and 13.
pub const BROKEN_PIPE: i32 = 141;

/// Listens to signals from now on. Where that is not possible they end the command as they always do.
#[cfg(unix)]
pub fn listen() {
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) else { return };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            let before = SIGNAL.swap(signal, Ordering::SeqCst);
            if before != 0 || RUNS.load(Ordering::SeqCst) == 0 {
                end(128 + signal);
            }
        }
    });
}

/// No signals on this platform.
#[cfg(not(unix))]
pub fn listen() {}

/// Whether what runs is to stop.
pub fn requested() -> bool {
    SIGNAL.load(Ordering::Relaxed) != 0
}

/// The exit code of a command that was stopped, if it was.
pub fn exit_code() -> Option<u8> {
    let signal = SIGNAL.load(Ordering::SeqCst);
    (signal != 0).then(|| u8::try_from(128 + signal).unwrap_or(u8::MAX))
}

/// Ends the command at once, and the tools that run for it. Files that are not finished are removed.
pub fn end(code: i32) -> ! {
    let _removed = output::remove_unfinished();
    tools::end_all();
    if let Some(scratch) = SCRATCH.get() {
        let _ = fs::remove_dir_all(scratch);
    }
    process::exit(code)
}

/// Says where files are that are needed for a while: they are removed when the command ends at once.
pub fn keep(scratch: &Path) {
    let _ = SCRATCH.set(scratch.to_owned()); // there is one
}

/// A run under way that looks at [`requested`]; it has ended when this is dropped.
pub struct Run(());

impl Run {
    /// A run begins.
    pub fn begin() -> Self {
        RUNS.fetch_add(1, Ordering::SeqCst);
        Self(())
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        RUNS.fetch_sub(1, Ordering::SeqCst);
    }
}
