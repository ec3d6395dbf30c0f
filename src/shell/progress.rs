//! Progress on standard error: a bar or a spinner on a terminal; elsewhere (a file, a log of CI) a line after two seconds, after
//! four, eight and so on, and from then on every minute.

use indicatif::{
    HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle, TermLike, WeakProgressBar,
};
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How often what has no steps of its own is drawn.
const TICK: Duration = Duration::from_millis(100);
/// When the first line comes where there is no terminal.
const FIRST: Duration = Duration::from_secs(2);
/// Between two lines there, at most.
const MOST: Duration = Duration::from_secs(60);

/// Progress bar on the screen.
static CURRENT: Mutex<Option<WeakProgressBar>> = Mutex::new(None);

/// This many steps of something.
pub fn bar(total: u64, what: &'static str) -> ProgressBar {
    let (terminal, log) = ("{msg} {bar:30} {human_pos}/{human_len}{left}", "{msg}: {human_pos} of {human_len}{left}");
    begin(ProgressBar::with_draw_target(Some(total), target()), terminal, log, what)
}

/// So many stages that take very different times: nobody knows how much is left.
pub fn stages(total: u64, what: &'static str) -> ProgressBar {
    let template = "{msg} ({pos} of {len} steps done, {elapsed})";
    begin(ProgressBar::with_draw_target(Some(total), target()), template, template, what)
}

/// Something that takes a while.
pub fn spinner(what: &'static str) -> ProgressBar {
    let (terminal, log) = ("{spinner} {msg} {elapsed}", "{msg}: {elapsed}");
    begin(ProgressBar::with_draw_target(None, target()), terminal, log, what)
}

fn begin(bar: ProgressBar, terminal: &str, log: &str, what: &'static str) -> ProgressBar {
    let template = if io::stderr().is_terminal() { terminal } else { log };
    let style = ProgressStyle::with_template(template).expect("the template is sound");
    let style = style.with_key("left", |state: &ProgressState, text: &mut dyn fmt::Write| {
        let _ = text.write_str(&left(state.pos(), state.len().unwrap_or(0), state.elapsed()));
    });
    let bar = bar.with_style(style).with_message(what);
    bar.enable_steady_tick(TICK);
    if let Ok(mut current) = CURRENT.lock() {
        *current = Some(bar.downgrade());
    }
    bar
}

/// The time that is left, if `done` steps of `total` are done after `elapsed`: nothing is known of it before the first. (That of indicatif
/// looks at the last 15 seconds only: of steps that take minutes it says years.)
fn left(done: u64, total: u64, elapsed: Duration) -> String {
    if done == 0 {
        return String::new();
    }
    let seconds = elapsed.as_secs_f64() * total.saturating_sub(done) as f64 / done as f64;
    format!(", {:#} left", HumanDuration(Duration::from_secs_f64(seconds)))
}

/// Does something while nothing is drawn: what is printed would be between the bar's lines.
pub fn aside<T>(action: impl FnOnce() -> T) -> T {
    let current = CURRENT.lock().ok().and_then(|current| current.as_ref()?.upgrade());
    match current.filter(|bar| !bar.is_finished()) {
        Some(bar) => bar.suspend(action),
        None => action(),
    }
}

fn target() -> ProgressDrawTarget {
    match io::stderr().is_terminal() {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::term_like(Box::new(Log::new(Instant::now()))),
    }
}

/// Where there is no terminal: lines now and then.
#[derive(Debug)]
struct Log {
    begin: Instant,
    /// Time of the next line.
    due: Mutex<Duration>,
}

impl Log {
    fn new(begin: Instant) -> Self {
        Self { begin, due: Mutex::new(FIRST) }
    }

    /// Whether a line is due after so long. If it is, the next is due later.
    fn is_due(&self, elapsed: Duration) -> bool {
        let Ok(mut due) = self.due.lock() else { return false };
        let is_due = elapsed >= *due;
        if is_due {
            *due = elapsed + elapsed.min(MOST);
        }
        is_due
    }
}

impl TermLike for Log {
    fn width(&self) -> u16 {
        200
    }
    fn move_cursor_up(&self, _: usize) -> io::Result<()> {
        Ok(())
    }
    fn move_cursor_down(&self, _: usize) -> io::Result<()> {
        Ok(())
    }
    fn move_cursor_right(&self, _: usize) -> io::Result<()> {
        Ok(())
    }
    fn move_cursor_left(&self, _: usize) -> io::Result<()> {
        Ok(())
    }
    fn write_line(&self, text: &str) -> io::Result<()> {
        self.write_str(text)
    }
    fn write_str(&self, text: &str) -> io::Result<()> {
        let text = text.trim();
        match !text.is_empty() && self.is_due(self.begin.elapsed()) {
            true => writeln!(io::stderr(), "{text}"),
            false => Ok(()),
        }
    }
    fn clear_line(&self) -> io::Result<()> {
        Ok(())
    }
    fn flush(&self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_that_is_left_is_that_of_the_steps_that_are() {
        let elapsed = Duration::from_secs(300);
        let told = [left(0, 9, elapsed), left(5, 9, elapsed), left(8, 9, elapsed), left(9, 9, elapsed)];
        assert_eq!(told, ["", ", 4m left", ", 38s left", ", 0s left"]);
    }

    #[test]
    fn lines_come_after_two_seconds_and_then_ever_more_seldom() {
        let log = Log::new(Instant::now());
        let due: Vec<u64> = (0..300).filter(|second| log.is_due(Duration::from_secs(*second))).collect();
        assert_eq!(due, [2, 4, 8, 16, 32, 64, 124, 184, 244]);
    }
}
