//! Runs an input so that a panic is caught, and shortens inputs that there is trouble with.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;
use std::time::{Duration, Instant};

/// Longest that an input may take.
const LONGEST: Duration = Duration::from_secs(20);
/// Longest that an input is shortened.
const PATIENCE: Duration = Duration::from_secs(60);

/// What an input did.
#[derive(Debug)]
pub enum Trouble {
    /// A panic: its message and place.
    Panic(String),
    /// It took too long.
    Slow(Duration),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Panic(message) => write!(f, "panic: {message}"),
            Trouble::Slow(time) => write!(f, "it took {time:?}"),
        }
    }
}

thread_local! {
    /// Panics of this thread are expected: they are noted instead of printed.
    static QUIET: Cell<bool> = const { Cell::new(false) };
    static NOTED: RefCell<String> = const { RefCell::new(String::new()) };
}

fn quieten() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| match QUIET.get() {
            true => NOTED.set(info.to_string()),
            false => before(info),
        }));
    });
}

/// The trouble with an input, if there is any.
pub fn caught(pipeline: impl Fn(&str), text: &str) -> Option<Trouble> {
    quieten();
    let begin = Instant::now();
    QUIET.set(true);
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| pipeline(text)));
    QUIET.set(false);
    match outcome {
        Err(_) => Some(Trouble::Panic(NOTED.take())),
        Ok(()) if begin.elapsed() > LONGEST => Some(Trouble::Slow(begin.elapsed())),
        Ok(()) => None,
    }
}

/// Leaves out halves of an input, then quarters, down to single letters, as long as it panics.
pub fn shorten(pipeline: impl Fn(&str), text: &str, trouble: Trouble) -> (String, Trouble) {
    let (mut best, mut trouble) = (text.to_owned(), trouble);
    if matches!(trouble, Trouble::Slow(_)) {
        return (best, trouble);
    }
    let begin = Instant::now();
    let mut size = best.len().div_ceil(2).max(1);
    loop {
        let before = best.len();
        let mut start = 0;
        while start < best.len() && begin.elapsed() < PATIENCE {
            let end = ceil(&best, start.saturating_add(size));
            let rest = format!("{}{}", &best[..start], &best[end..]);
            match caught(&pipeline, &rest) {
                Some(other @ Trouble::Panic(_)) => (best, trouble) = (rest, other),
                _ => start = end,
            }
        }
        if begin.elapsed() >= PATIENCE || size == 1 && best.len() == before {
            return (best, trouble);
        }
        size = size.div_ceil(2);
    }
}

/// The next place between two letters.
fn ceil(text: &str, place: usize) -> usize {
    (place..text.len()).find(|place| text.is_char_boundary(*place)).unwrap_or(text.len())
}
