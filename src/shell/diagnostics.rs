//! Errors with their place in a text, on standard error; in colour on a terminal.

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};
use std::io::{self, IsTerminal, Write};

/// Prints errors, one behind the other.
pub struct Printer {
    handler: GraphicalReportHandler,
}

impl Printer {
    /// For standard error as it is.
    pub fn new() -> Self {
        let coloured = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let theme = if coloured { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
        Self { handler: GraphicalReportHandler::new_themed(theme).with_links(false) }
    }

    /// Prints an error and an empty line. If that fails, it is not an error of its own.
    pub fn print(&self, diagnostic: &dyn Diagnostic) {
        let mut text = String::new();
        if self.handler.render_report(&mut text, diagnostic).is_err() {
            text = format!("error: {diagnostic}\n");
        }
        let _ = writeln!(io::stderr(), "{}\n", text.trim_matches('\n'));
    }
}
