//! The documentation does what it says: commands that it shows with their output are run, all others exist, links lead
//! somewhere, and the guide's contents are complete.
//!
//! A block that begins with ```` ```console ```` is run. A line `$ COMMAND` is given to a shell, one for all of a page, in a
//! directory with copies of the project's files; the lines below it are what it says, on either stream. Wildcards are those of
//! snapbox: `[..]` in a line stands for any characters, a line `...` for any lines. Without lines below it, a command may say what
//! it wants. It has to succeed unless it tells its exit code, or `$ echo $?` comes next.
//!
//! `TXBAR_UPDATE_DOCS=1 cargo test --test guide` writes what commands say now into the pages. Wildcards that still fit stay; what a
//! `...` before a changed line left out is written in full, to be shortened by hand.
#![cfg(unix)]

use snapbox::assert::Action;
use snapbox::data::DataFormat;
use snapbox::filter::NormalizeToExpected;
use snapbox::{Assert, Data, IntoData};
use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use txbar_export::tools::{CXX, VERILATOR};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every Markdown file of the project, by its path from the root.
fn documents() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("it can be read") {
            let path = entry.expect("it can be read").path();
            let name = path.file_name().expect("it has a name").to_string_lossy().into_owned();
            if path.is_dir() && !name.starts_with('.') && !["target", "txbar-tour", "book"].contains(&name.as_str()) {
                folders.push(path);
            } else if name.ends_with(".md") {
                found.push(path.strip_prefix(root()).expect("it is below").to_owned());
            }
        }
    }
    found.sort();
    found
}

fn text(document: &Path) -> String {
    fs::read_to_string(root().join(document)).expect("it can be read")
}

/// A command of a page.
#[derive(Debug, PartialEq)]
struct Shown {
    command: String,
    /// The lines of the page that say what it says, counted from 0.
    said: Range<usize>,
}

fn shown(page: &str) -> Vec<Shown> {
    let mut commands: Vec<Shown> = Vec::new();
    let mut inside = false;
    for (number, line) in page.lines().enumerate() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if inside {
            if let Some(command) = line.strip_prefix("$ ") {
                commands.push(Shown { command: command.to_owned(), said: number + 1..number + 1 });
                continue;
            }
            let last = commands.last_mut().expect("a command comes first");
            if last.command.ends_with('\\') {
                last.command += &format!("\n{line}");
                last.said = number + 1..number + 1;
            } else {
                last.said.end = number + 1;
            }
        }
    }
    commands
}

/// The page with what its commands have told in place of what it says. Where a wildcard fits, it stays.
fn refreshed(page: &str, commands: &[Shown], told: &[String]) -> String {
    let lines: Vec<&str> = page.split_inclusive('\n').collect();
    let mut fresh = String::new();
    let mut next = 0;
    for (Shown { said, .. }, told) in commands.iter().zip(told).filter(|(shown, _)| !shown.said.is_empty()) {
        fresh += &lines[next..said.start].concat();
        let told: String = told.lines().map(|line| line.trim_end().to_owned() + "\n").collect();
        let expected = lines[said.clone()].concat().into_data();
        let told = NormalizeToExpected::new().redact().normalize(told.into_data(), &expected);
        fresh += &told.render().expect("it is text");
        next = said.end;
    }
    fresh + &lines[next..].concat()
}

/// What commands are given to: copies of these.
const MATERIAL: [&str; 4] = ["docs", "ptx", "testbench/traffic", "testbench/vectors"];

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("it can be made");
    for entry in fs::read_dir(from).expect("it can be read") {
        let path = entry.expect("it can be read").path();
        let target = to.join(path.file_name().expect("it has a name"));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, target).expect("it can be copied");
        }
    }
}

/// Whether a line says how far a command is. Such lines come after two seconds: on a slow machine, and there only.
fn is_progress(line: &str) -> bool {
    let number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || c == ',');
    let said = line.trim_end().rsplit_once(": ").and_then(|(_, rest)| rest.split_once(" of "));
    said.is_some_and(|(done, total)| number(done) && number(total.split(", ").next().unwrap_or(total)))
}

/// What the commands of a page say.
fn run_page(document: &Path, commands: &[Shown]) -> Vec<String> {
    let here = tempfile::tempdir().expect("a temporary directory can be made");
    let work = here.path().join("work");
    for folder in MATERIAL {
        copy(&root().join(folder), &work.join(folder));
    }
    let binaries = Path::new(env!("CARGO_BIN_EXE_txbar")).parent().expect("it is in a folder");
    let verilator = VERILATOR.find().unwrap_or_else(|missing| panic!("{missing}"));
    let tools = verilator.parent().expect("it is in a folder");
    let path = format!("{}:{}:{}", binaries.display(), std::env::var("PATH").unwrap_or_default(), tools.display());
    // output goes to files: what runs on in the background must not hold a pipe open
    let file = |kind: &str, number: usize| here.path().join(format!("{kind}{number}"));
    let script: String = (commands.iter().enumerate())
        .map(|(number, Shown { command, .. })| {
            let (said, code) = (file("said", number), file("code", number));
            let (said, code) = (said.display(), code.display());
            format!("{{ {command}\n}} > {said} 2>&1; c=$?; echo $c > {code}; (exit $c)\n")
        })
        .collect();
    let mut shell = Command::new("bash");
    // what Verilator has compiled needs no speed here
    shell.args(["-c", &script]).current_dir(&work).env("PATH", &path).env("MAKEFLAGS", "OPT_FAST=-O0 OPT_GLOBAL=-O0");
    shell.status().expect("there is a shell");
    let told = |(number, Shown { command, said }): (usize, &Shown)| {
        let place = format!("{}:{}: `{command}`", document.display(), said.start);
        let read = |kind| fs::read_to_string(file(kind, number)).unwrap_or_else(|_| panic!("{place} is not reached"));
        let (told, code) = (read("said"), read("code"));
        let excused = commands.get(number + 1).is_some_and(|next| next.command == "echo $?");
        assert!(code.trim() == "0" || excused, "{place} ends with {code}{told}");
        told.split_inclusive('\n').filter(|line| !is_progress(line)).collect()
    };
    commands.iter().enumerate().map(told).collect()
}

#[test]
fn commands_say_what_the_documentation_says() {
    let update = std::env::var_os("TXBAR_UPDATE_DOCS").is_some();
    let assert = Assert::new().action(if update { Action::Overwrite } else { Action::Verify });
    let mut found = 0;
    for document in documents() {
        let page = text(&document);
        let commands = shown(&page);
        if commands.is_empty() {
            continue;
        }
        found += commands.len();
        let fresh = refreshed(&page, &commands, &run_page(&document, &commands));
        let kept = Data::read_from(&root().join(&document), Some(DataFormat::Text)).raw();
        let outcome = assert.try_eq(Some(&"what the commands say"), fresh.into_data(), kept);
        outcome.unwrap_or_else(|error| panic!("{error}TXBAR_UPDATE_DOCS=1 cargo test --test guide"));
    }
    assert!(found >= 15, "they are found");
}

#[test]
fn how_far_a_command_is_is_no_part_of_a_page() {
    for line in ["replaying: 6,940 of 7,020, 0s left\n", "runs: 0 of 3\n", "runs: 1 of 3, 1h left"] {
        assert!(is_progress(line), "{line}");
    }
    for line in ["10,571 of 10,571 agree\n", "barrier: 3 of its 4 arrivals\n", "unit: 4 ports", "\n"] {
        assert!(!is_progress(line), "{line}");
    }
}

#[test]
fn a_wrong_line_is_replaced() {
    let page = "text\n```console\n$ echo a; echo bcd\na\nb[..]d\n$ false \\\n  now\n```\n$ no command\n";
    let commands = shown(page);
    assert_eq!(commands[0], Shown { command: "echo a; echo bcd".to_owned(), said: 3..5 });
    assert_eq!(commands[1], Shown { command: "false \\\n  now".to_owned(), said: 7..7 });
    assert_eq!(commands.len(), 2);
    let told = |first: &str| [first.to_owned(), "whatever\n".to_owned()];
    assert_eq!(refreshed(page, &commands, &told("a \nbcd")), page);
    assert_eq!(refreshed(page, &commands, &told("a\nbd\n")), page);
    assert_eq!(refreshed(page, &commands, &told("e\nbcd\n")), page.replace("\na\n", "\ne\n"));
    assert_eq!(refreshed(page, &commands, &told("a\nbc\n")), page.replace("b[..]d", "bc"));
    assert_eq!(refreshed(page, &commands, &told("a\nbcd\ne\n")), page.replace("b[..]d", "b[..]d\ne"));
    assert_eq!(refreshed(page, &commands, &told("")), page.replace("a\nb[..]d\n", ""));
}

/// Commands that a page names: lines of blocks of shell commands, and what stands in backquotes.
fn commands_named(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut block = None;
    for line in page.lines() {
        if let Some(kind) = line.trim_start().strip_prefix("```") {
            block = if block.is_some() { None } else { Some(kind.to_owned()) };
            continue;
        }
        match block.as_deref() {
            Some("sh") => found.push(line.to_owned()),
            Some(_) => {}
            None => found.extend(line.split('`').skip(1).step_by(2).map(str::to_owned)),
        }
    }
    let program = |command: &String| command.starts_with("txbar ") || command.starts_with("cargo test ");
    let short = |command: String| match command.strip_prefix(RUN) {
        Some(arguments) => format!("txbar {arguments}"),
        None => command,
    };
    found.into_iter().map(short).filter(program).collect()
}

/// `txbar`, where it is not installed.
const RUN: &str = "cargo run --release -- ";

/// The words of a command, up to a comment or another command; nothing if it is a pattern for commands.
fn words(command: &str) -> Option<Vec<&str>> {
    let words: Vec<&str> = command.split_whitespace().collect();
    let end = words.iter().position(|word| ["#", "|", "&&", ">", ";"].contains(word)).unwrap_or(words.len());
    let pattern = |word: &&str| {
        let placeholder = word.chars().all(|c| c.is_ascii_uppercase() || c == '_');
        placeholder || word.contains(['[', '|', '$', '"', '\'']) || word.contains("...") || word.contains('…')
    };
    (!words[..end].iter().any(pattern)).then(|| words[..end].to_vec())
}

/// Options, values and subcommands are known: with `--help` behind, the command is read and nothing is done. The tests that are
/// named exist.
#[test]
fn commands_that_are_named_exist() {
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    // what has changed names options, not commands
    for page in documents().into_iter().filter(|page| !page.ends_with("CHANGELOG.md")) {
        for command in commands_named(&text(&page)) {
            let Some(words) = words(&command).filter(|words| seen.insert(words.join(" "))) else { continue };
            let exists = if words[0] == "txbar" {
                let mut txbar = Command::new(env!("CARGO_BIN_EXE_txbar"));
                let output = txbar.args(&words[1..]).arg("--help").output().expect("it can be started");
                output.status.success()
            } else {
                let after = |option| {
                    let of_option = words.windows(2).filter(move |pair| pair[0] == option);
                    of_option.map(|pair| pair[1]).collect::<Vec<_>>()
                };
                let package = after("-p").first().map_or("", |name| name.strip_prefix("txbar-").unwrap_or(""));
                // a crate is at the top, or in the folder of another one
                let folders = ["", "rtl", "testbench", "waves"].map(|folder| root().join(folder).join(package));
                let folder = folders.into_iter().find(|folder| folder.join("Cargo.toml").exists());
                let tests = folder.unwrap_or_else(|| root().to_path_buf()).join("tests");
                after("--test")
                    .iter()
                    .all(|name| tests.join(format!("{name}.rs")).exists() || tests.join(name).join("main.rs").exists())
            };
            if !exists {
                wrong.push(format!("{}: {command}", page.display()));
            }
        }
    }
    assert!(seen.len() >= 40, "they are found: {}", seen.len());
    assert_eq!(wrong, Vec::<String>::new());
}

/// The README says which packages of Debian are installed: those that the set-up asks for.
#[test]
fn packages_that_are_installed_are_named() {
    let (readme, setup) = (text(Path::new("README.md")), text(Path::new("scripts/setup-tools")));
    let asked = setup.split_once("DEBIAN = {").and_then(|(_, rest)| rest.split_once('}')).expect("it has a list").0;
    let packages: Vec<&str> =
        asked.lines().filter_map(|line| line.trim().strip_suffix("\",")?.rsplit('"').next()).collect();
    assert!(packages.len() > 5, "they are found: {packages:?}");
    for package in packages.into_iter().chain(["python3-venv"]) {
        assert!(readme.contains(&format!("`{package}`")) && setup.contains(package), "{package}");
    }
}

/// Every command of the README can be pasted as it stands: it is given to Cargo, nothing in it has to be filled in, and the files
/// that it names are there.
#[test]
fn commands_of_the_readme_can_be_pasted() {
    let readme = text(Path::new("README.md"));
    let pasted: Vec<&str> = readme.split('`').filter(|code| code.starts_with("cargo ")).collect();
    assert!(pasted.len() >= 6, "they are found: {pasted:?}");
    assert!(!readme.contains("`txbar ") && !readme.contains("\ntxbar "), "it may not be installed");
    for command in pasted {
        let words = words(command).unwrap_or_else(|| panic!("{command} has to be filled in"));
        for file in words.iter().filter(|word| word.contains('/')) {
            assert!(root().join(file).exists(), "{command}: there is no {file}");
        }
    }
}

/// Examples in C are C.
#[test]
fn examples_in_c_compile() {
    let here = tempfile::tempdir().expect("a temporary directory can be made");
    for page in documents() {
        for (number, block) in text(&page).split("\n```c\n").skip(1).enumerate() {
            let source = here.path().join(format!("{number}.c"));
            let code = block.split("\n```").next().expect("there is always one");
            fs::write(&source, format!("#include <stdint.h>\n{code}\n")).expect("it can be written");
            let mut compile = CXX.command().unwrap_or_else(|missing| panic!("{missing}"));
            compile.args(["-x", "c", "-std=c99", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]).arg(&source);
            let output = compile.output().expect("there is a compiler");
            assert!(output.status.success(), "{}: {}", page.display(), String::from_utf8_lossy(&output.stderr));
        }
    }
}

/// Targets of `[text](target)`, outside of blocks of code.
fn links(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut code = false;
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            code = !code;
        }
        if code {
            continue;
        }
        for (position, _) in line.match_indices("](") {
            let rest = &line[position + 2..];
            found.push(rest[..rest.find(')').expect("a link ends")].to_owned());
        }
    }
    found
}

/// What headings are called in links.
fn anchors(page: &str) -> BTreeSet<String> {
    let headings = page.lines().filter(|line| line.starts_with('#'));
    let slug = |line: &str| {
        let text = line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
        text.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect()
    };
    headings.map(slug).collect()
}

#[test]
fn links_lead_somewhere() {
    let mut dead = Vec::new();
    for page in documents() {
        for link in links(&text(&page)) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file {
                "" => root().join(&page),
                _ => root().join(page.parent().expect("it is in a folder")).join(file),
            };
            let there = target.exists()
                && (anchor.is_empty()
                    || target.extension().is_none_or(|kind| kind != "md")
                    || anchors(&fs::read_to_string(&target).expect("it can be read")).contains(anchor));
            if !there {
                dead.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert_eq!(dead, Vec::<String>::new());
}

/// The book has all pages but the logs, and none of them links to a text that it does not have: mdBook takes it for a page of the book.
#[test]
fn the_book_is_complete() {
    let docs = Path::new("docs");
    let contents = docs.join("SUMMARY.md");
    let listed: BTreeSet<String> = links(&text(&contents)).into_iter().collect();
    let pages: Vec<PathBuf> = documents()
        .into_iter()
        .filter(|page| page.starts_with(docs) && *page != contents && !page.starts_with("docs/log"))
        .collect();
    let there = pages.iter().map(|page| page.strip_prefix(docs).expect("it is below").display().to_string());
    assert_eq!(listed, there.collect());
    for page in pages {
        let depth = page.components().count() - 2; // folders below docs
        let leaves = |link: &String| {
            let file = link.split('#').next().expect("there is always one");
            !link.contains("://") && file.ends_with(".md") && file.matches("../").count() > depth
        };
        let outside: Vec<String> = links(&text(&page)).into_iter().filter(leaves).collect();
        assert_eq!(outside, Vec::<String>::new(), "{}: link to the folder of a README", page.display());
    }
}
