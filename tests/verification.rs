//! The verification plan (`docs/verification.md`) names tests and proofs that there are; no file with tests and no proof is missing
//! from it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use txbar_synth::prove::list::PROOFS;

/// The crates, by their folders.
const CRATES: [&str; 11] = [
    "txbar",
    "rtl",
    "rtl/hdl",
    "testbench",
    "ptx",
    "testbench/bench",
    "testbench/kit",
    "synth",
    "synth/export",
    "waves",
    "waves/report",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every name in the plan: what stands in backquotes in the last column of its tables.
fn named() -> BTreeSet<String> {
    let plan = fs::read_to_string(root().join("docs/verification.md")).expect("the plan is there");
    let columns = plan.lines().filter_map(|line| line.strip_suffix(" |")?.rsplit_once(" | ")).map(|(_, last)| last);
    columns.flat_map(|column| column.split('`').skip(1).step_by(2).map(str::to_owned)).collect()
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("it can be read").path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            found.push(path);
        }
    }
}

/// The names of the tests of a file. Those of `cases!` and `proptest!` are functions without `#[test]`.
fn tests(text: &str) -> BTreeSet<String> {
    let function = |line: &str| {
        let line = line.trim();
        let name = line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ")?;
        Some(name.split(|c: char| !c.is_alphanumeric() && c != '_').next()?.to_owned())
    };
    let mut found = BTreeSet::new();
    let mut next = false;
    for line in text.lines() {
        match (line.trim(), function(line)) {
            ("#[test]", _) => next = true,
            (mark, _) if mark.starts_with("#[tokio::test") => next = true,
            (_, Some(name)) if next => {
                next = false;
                found.insert(name);
            }
            _ => {}
        }
    }
    for call in text.split("cases!").skip(1) {
        let end = call.find([';', '}']).unwrap_or(call.len());
        let names = call[..end].split(|c: char| !c.is_alphanumeric() && c != '_');
        found.extend(names.filter(|name| text.contains(&format!("fn {name}<"))).map(str::to_owned));
    }
    found
}

/// Every file with tests, as the plan calls it, with its tests. A crate's `src` and `tests` are one place.
fn files() -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for name in CRATES {
        let folder = if name == "txbar" { root().to_owned() } else { root().join(name) };
        let name = name.rsplit('/').next().unwrap_or(name);
        for part in ["src", "tests"] {
            let mut paths = Vec::new();
            rust_files(&folder.join(part), &mut paths);
            for path in paths {
                let tests = tests(&fs::read_to_string(&path).expect("it can be read"));
                if tests.is_empty() {
                    continue;
                }
                let module = path.strip_prefix(folder.join(part)).expect("it is below").with_extension("");
                let steps = module.iter().map(|step| step.to_string_lossy().into_owned());
                let steps = steps.filter(|step| !["main", "mod", "lib", "tests"].contains(&step.as_str()));
                let full = [name.to_owned()].into_iter().chain(steps).collect::<Vec<_>>().join("::");
                found.entry(full).or_default().extend(tests);
            }
        }
    }
    found
}

#[test]
fn every_name_in_the_plan_exists() {
    let files = files();
    let exists = |name: &str| match name.split_once(' ') {
        Some(("proof", proof)) => PROOFS.iter().any(|known| known.name == proof),
        Some(_) => false,
        None => {
            let test = || name.rsplit_once("::").and_then(|(file, test)| Some(files.get(file)?.contains(test)));
            files.contains_key(name) || test() == Some(true)
        }
    };
    let missing: Vec<String> = named().into_iter().filter(|name| !exists(name)).collect();
    assert_eq!(missing, Vec::<String>::new(), "named in docs/verification.md");
}

#[test]
fn every_file_with_tests_and_every_proof_is_in_the_plan() {
    let named = named();
    let listed = |file: &String| {
        named.iter().any(|name| {
            name == file || name.rsplit_once("::").is_some_and(|(of, test)| of == file && files()[file].contains(test))
        })
    };
    let missing: Vec<String> = files().into_keys().filter(|file| !listed(file)).collect();
    assert_eq!(
        missing,
        Vec::<String>::new(),
        "missing from docs/verification.md: say what would go wrong without them"
    );
    for proof in PROOFS {
        assert!(named.contains(&format!("proof {}", proof.name)), "proof {}", proof.name);
    }
}

#[test]
fn tests_are_found_in_text() {
    let text = "#[test]\n#[cfg(unix)]\nfn one() {}\nfn helper() {}\nfn two<E>(e: E) {}\ncases!(two, three);\n";
    assert_eq!(tests(text), BTreeSet::from(["one".to_owned(), "two".to_owned()]));
}
