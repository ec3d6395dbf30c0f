//! No room of the hardware imports from one above it: a block can be read, tested and reused with what is below it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms of `rtl/src`, folders or single files, from the ground up.
const ROOMS: &[&str] = &[
    "word",
    "hdl",
    "look",
    "pins",
    "sizes",
    "cells",
    "bank",
    "low_latency",
    "high_clock",
    "banked",
    "any",
    "warp",
    "copies",
    "cluster",
    "bus",
    "board",
    "names",
    "settle",
    "schedule",
];

/// Macros of the HDL, which the crate's root passes on.
const MACROS: &[&str] = &["bundle", "hardware", "interface"];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else {
            found.push(path);
        }
    }
    found
}

/// What `crate::` is followed by in a text, with the number of the line: in comments it is no import, and unit tests may use what they like.
fn imports(text: &str) -> Vec<(usize, String)> {
    let text = text.split("#[cfg(test)]\nmod tests {").next().expect("a first part");
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let code = line.split("//").next().expect("a first part");
        for path in code.split("crate::").skip(1) {
            let names = match path.strip_prefix('{') {
                Some(several) => several.split('}').next().expect("a first part").split(',').collect(),
                None => vec![path],
            };
            let first =
                |path: &str| path.trim().split(|c: char| !c.is_alphanumeric() && c != '_').next().map(str::to_owned);
            found.extend(names.into_iter().filter_map(first).map(|name| (number + 1, name)));
        }
    }
    found
}

/// Every import of a file that does not come from below, in words.
fn upwards(file: &Path, room: &str, text: &str) -> Vec<String> {
    let floor = |room: &str| ROOMS.iter().position(|other| *other == room);
    let own = floor(room).unwrap_or_else(|| panic!("{}: `{room}` is not in the list of rooms", file.display()));
    let wrong = imports(text).into_iter().filter(|(_, name)| !MACROS.contains(&name.as_str()));
    wrong
        .filter(|(_, name)| floor(name).is_none_or(|floor| floor > own))
        .map(|(line, name)| format!("{}:{line}: `{room}` imports from `{name}`", file.display()))
        .collect()
}

#[test]
fn no_room_imports_from_above() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut seen = BTreeSet::new();
    let mut wrong = Vec::new();
    for file in sources(&source) {
        let inside = file.strip_prefix(&source).expect("it is within").with_extension("");
        let parts: Vec<&str> = inside.iter().map(|part| part.to_str().expect("a name in ASCII")).collect();
        seen.insert(parts[0].to_owned());
        if parts[0] != "lib" && !parts.contains(&"tests") {
            let text = fs::read_to_string(&file).expect("a text");
            wrong.extend(upwards(&inside, parts[0], &text));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    seen.remove("lib");
    assert_eq!(seen, ROOMS.iter().map(|room| (*room).to_owned()).collect(), "the rooms that there are");
}

#[test]
fn an_import_from_above_is_found() {
    let said = |text| upwards(Path::new("bank/alu"), "bank", text);
    assert_eq!(said("use crate::word::op::Op;\nuse crate::hardware;\n// crate::board\n"), [""; 0]);
    assert_eq!(said("\nuse crate::low_latency::unit::Unit;"), ["bank/alu:2: `bank` imports from `low_latency`"]);
    assert_eq!(said("let port = $crate::board::PORT;"), ["bank/alu:1: `bank` imports from `board`"]);
    assert_eq!(said("use crate::{cells, any::AnyUnit};"), ["bank/alu:1: `bank` imports from `any`"]);
    assert_eq!(said("use crate::uart;"), ["bank/alu:1: `bank` imports from `uart`"]);
    assert_eq!(said("#[cfg(test)]\nmod tests {\n    use crate::board::oracle::Oracle;\n}"), [""; 0]);
}
