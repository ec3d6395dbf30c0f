//! Tables of `docs/ptx/verdicts.md` and of the forms of instructions, generated from the code.

use crate::barrier::markdown::{demands_markdown, forms_markdown};
use crate::machine::findings::Bug;
use txbar_export::tables::{table, with_tables};

/// Every mistake with a name: what it is, and what to do.
fn bugs_markdown() -> String {
    let row = |bug: &Bug| vec![format!("`{}`", bug.name()), bug.meaning().to_owned(), bug.advice().to_owned()];
    table(&["name", "meaning", "advice"], Bug::ALL.iter().map(row))
}

/// The document with its tables as they should be.
pub fn refresh(document: &str) -> String {
    let tables = [("forms", forms_markdown()), ("demands", demands_markdown()), ("bugs", bugs_markdown())];
    with_tables(document, &tables)
}
