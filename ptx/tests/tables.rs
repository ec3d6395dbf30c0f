//! The tables of docs/ptx/verdicts.md and of ptx/src/barrier are those of the code. `TXBAR_UPDATE_DOCS=1 cargo test -p txbar-ptx --test tables`
//! brings them up to date.

use std::path::Path;
use txbar_export::tables::check_document;
use txbar_ptx::tables::refresh;

#[test]
fn the_documents_are_up_to_date() {
    for (document, marks) in
        [("../docs/ptx/verdicts.md", ["bugs"].as_slice()), ("src/barrier/README.md", &["forms", "demands"])]
    {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(document);
        let fresh = check_document(&path, refresh, "cargo test -p txbar-ptx --test tables");
        for mark in marks {
            assert!(fresh.contains(&format!("<!-- {mark} -->\n\n| ")), "{document}: {mark}: its table is there");
        }
    }
}
