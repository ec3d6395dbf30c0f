//! The crate depends on no design.

use std::fs;
use std::path::{Path, PathBuf};

/// Words of the design that this crate was first written for. A name that consists of one of them, or has it between
/// underscores, is a name of that design.
const FOREIGN: &[&str] = &[
    "barrier", "mbarrier", "txbar", "phase", "parity", "token", "op", "opcode", "status", "tag", "bank", "banks",
    "waiter", "waiters", "arrive", "arrival", "pending", "warp", "cluster", "cta", "ctas", "tensor", "copier", "ptx",
    "h200",
];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("its entries can be read").path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// The words of a text, in small letters, without the crate's own name.
fn words(text: &str) -> impl Iterator<Item = String> {
    let text = text.replace("txbar_hdl", "").replace("txbar-hdl", "").to_lowercase();
    let words: Vec<String> = text.split(|c: char| !c.is_ascii_alphanumeric()).map(str::to_owned).collect();
    words.into_iter()
}

#[test]
fn no_name_of_a_design_is_in_the_sources() {
    let mut found = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    assert!(found.iter().filter(|path| path.extension().is_some_and(|end| end == "v")).count() >= 5);
    for path in found {
        let text = fs::read_to_string(&path).expect("a source is text");
        for (number, line) in text.lines().enumerate() {
            let foreign = words(line).find(|word| FOREIGN.contains(&word.as_str()));
            assert_eq!(foreign, None, "{}:{}: {line}", path.display(), number + 1);
        }
    }
}

#[test]
fn names_are_found_in_text() {
    let foreign = |text: &str| words(text).filter(|word| FOREIGN.contains(&word.as_str())).collect::<Vec<_>>();
    assert_eq!(foreign("use txbar_hdl::*; // in `txbar-hdl`"), [""; 0]);
    assert_eq!(foreign("if TXBAR_ECP5 { self.bank_index } else { VerilogOp::Shl }"), ["txbar", "bank"]);
}
