//! A page for a run: [`page`] makes an HTML file of a [`RunRecord`].
//!
//! **What.** The file holds everything that it needs, the data too: it opens from disk, asks no network for anything (a
//! content security policy forbids it), and needs no build step. What each part of it says is in `docs/report.md`.
//!
//! ```text
//!   RunRecord ── JSON ──┐
//!   assets/page.html ───┼── askama ──► one file
//!   assets/*.css, *.js ─┤
//!   third_party/uplot ──┘
//! ```
//! **How.** The template is checked when this crate is built, and escapes whatever is put in it. The record goes in as a
//! block of JSON in which `<`, `>` and `&` are written as `\u` escapes, so that no name in it can end the block. The scripts are
//! plain ones, one task a file, in one namespace:
//!
//! | file | task |
//! | --- | --- |
//! | `record.js` | the JSON as typed arrays, barrier by barrier |
//! | `view.js` | which cycles are in sight, and which barrier and cycle is looked at: what keys, mouse and plots change |
//! | `timeline.js` | draws the barriers in sight, in as many columns as there are pixels |
//! | `inspect.js` | the word under the cursor, in words |
//! | `plots.js` | rates and latencies, with uPlot |
//! | `tables.js` | everything that is a table |
//! | `source.js` | the text of a kernel, with what happened in its lines |
//! | `main.js` | puts them together: keys, mouse, buttons |
//!
//! **uPlot** (MIT licence) draws the plots; its files are in `third_party/uplot` as they come from its package.

use askama::Template;
use thiserror::Error;
use txbar_testbench::record::{RunRecord, Verdict};

/// Error of a page.
#[derive(Debug, Error)]
pub enum PageError {
    /// The record cannot be written as JSON.
    #[error("cannot write the record as JSON")]
    Json(#[from] serde_json::Error),
    /// The template does not work.
    #[error("cannot fill in the page")]
    Template(#[from] askama::Error),
}

/// The style sheets, in their order.
const STYLES: [&str; 2] = [include_str!("../third_party/uplot/uPlot.min.css"), include_str!("../assets/style.css")];
/// The scripts, in their order.
const SCRIPTS: [&str; 9] = [
    include_str!("../third_party/uplot/uPlot.iife.min.js"),
    include_str!("../assets/record.js"),
    include_str!("../assets/view.js"),
    include_str!("../assets/timeline.js"),
    include_str!("../assets/inspect.js"),
    include_str!("../assets/plots.js"),
    include_str!("../assets/tables.js"),
    include_str!("../assets/source.js"),
    include_str!("../assets/main.js"),
];

#[derive(Template)]
#[template(path = "page.html")]
struct Page<'a> {
    record: &'a RunRecord,
    verdict: &'static str,
    styles: &'a [&'static str],
    scripts: &'a [&'static str],
    json: String,
}

/// What stands at the top of a page.
fn spelled(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "pass",
        Verdict::Fail => "fail",
        Verdict::Fault => "fault",
        Verdict::Hang => "hang",
        Verdict::Stopped => "stopped",
    }
}

/// JSON that may stand in a script element: it means the same, and holds nothing that HTML knows.
fn embedded(record: &RunRecord) -> Result<String, serde_json::Error> {
    let json = serde_json::to_string(record)?;
    let mut safe = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter {
            // outside of its strings JSON has none of these
            '<' => safe += "\\u003c",
            '>' => safe += "\\u003e",
            '&' => safe += "\\u0026",
            _ => safe.push(letter),
        }
    }
    Ok(safe)
}

/// The page of a run, as HTML.
///
/// # Errors
/// The record cannot be written as JSON.
pub fn page(record: &RunRecord) -> Result<String, PageError> {
    let verdict = spelled(record.verdict);
    Ok(Page { record, verdict, styles: &STYLES, scripts: &SCRIPTS, json: embedded(record)? }.render()?)
}

/// The record in a page.
///
/// # Errors
/// It is no such page.
#[cfg(test)]
fn record_of(page: &str) -> Option<RunRecord> {
    let begin = "<script type=\"application/json\" id=\"record\">";
    let json = page.split_once(begin)?.1.split_once("</script>")?.0;
    RunRecord::read(json).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names as nobody gives them.
    const NASTY: &str = "</script><script>alert(1)</script><!-- & \" ' \u{2028} é";

    fn nasty() -> RunRecord {
        let mut record = RunRecord::new(NASTY, Verdict::Fail, NASTY);
        record.figure(NASTY, NASTY);
        record
    }

    #[test]
    fn nothing_in_a_record_becomes_html() {
        let html = page(&nasty()).expect("there is a page");
        assert!(!html.contains("<script>alert"), "a name has become a script");
        let scripts = html.matches("<script").count();
        assert_eq!((scripts, html.matches("</script").count()), (2, 2), "data and code, and nothing else");
        assert_eq!(record_of(&html), Some(nasty()));
    }

    #[test]
    fn a_page_needs_nothing_else() {
        let html = page(&RunRecord::new("txbar sim", Verdict::Pass, "it went well")).expect("there is a page");
        for reference in
            ["src=", "href=\"h", "<link", "<img", "<iframe", "@import", "url(", "import(", "fetch(", "XMLHttpRequest"]
        {
            assert!(!html.contains(reference), "the page has `{reference}`");
        }
        assert!(html.contains("default-src 'none'"));
        // comments may name where something comes from; addresses of fonts, scripts and the like are in quotes
        for quote in ['"', '\'', '`', '('] {
            for scheme in ["http:", "https:", "//"] {
                assert!(!html.contains(&format!("{quote}{scheme}")), "the page has {quote}{scheme}");
            }
        }
    }
}
