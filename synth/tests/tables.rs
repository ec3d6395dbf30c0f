//! The tables of the documentation are those of the definition. `TXBAR_UPDATE_DOCS=1 cargo test -p txbar-synth --test
//! tables` brings them up to date.

use std::path::Path;
use txbar_synth::tables::{check_document, refresh};

#[test]
fn documents_are_up_to_date() {
    for name in ["docs/interface.md", "docs/board.md", "docs/proofs.md", "testbench/vectors/README.md"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
        check_document(&path, refresh, "cargo test -p txbar-synth --test tables");
    }
}

#[test]
fn a_stale_row_is_replaced() {
    let fresh = refresh("before\n\n<!-- word -->\n\nafter\n");
    let stale = fresh.replace("| 42 |", "| 41 |");
    assert_ne!(fresh, stale);
    assert_eq!(refresh(&stale), fresh);
    assert!(fresh.starts_with("before\n") && fresh.ends_with("\nafter\n"));
}
