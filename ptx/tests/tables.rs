//! The tables of docs/ptx.md are those of the code. `TXBAR_UPDATE_DOCS=1 cargo test -p txbar-ptx --test tables`
//! brings them up to date.

use std::path::Path;
use txbar_export::tables::check_document;
use txbar_ptx::tables::refresh;

#[test]
fn the_document_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/ptx.md");
    let fresh = check_document(&path, refresh, "cargo test -p txbar-ptx --test tables");
    for mark in ["forms", "demands", "bugs"] {
        assert!(fresh.contains(&format!("<!-- {mark} -->\n\n| ")), "{mark}: its table is there");
    }
}
