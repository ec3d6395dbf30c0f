//! The tables of docs/ptx.md are those of the code. `TXBAR_UPDATE_DOCS=1 cargo test -p txbar-testbench --test ptx_tables`
//! brings them up to date.

use std::fs;
use std::path::Path;
use txbar_testbench::ptx::barrier::markdown::refresh;

#[test]
fn the_document_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/ptx.md");
    let document = fs::read_to_string(&path).expect("the document is there");
    let fresh = refresh(&document);
    if std::env::var_os("TXBAR_UPDATE_DOCS").is_some() {
        fs::write(&path, &fresh).expect("it can be written");
    } else {
        assert!(
            document == fresh,
            "docs/ptx.md is out of date: TXBAR_UPDATE_DOCS=1 cargo test -p txbar-testbench --test ptx_tables"
        );
    }
    assert_eq!(refresh(&fresh), fresh, "refreshing again changes nothing");
    for mark in ["forms", "qualifiers", "demands", "bugs"] {
        assert!(fresh.contains(&format!("<!-- {mark} -->\n\n| ")), "{mark}: its table is there");
    }
}
