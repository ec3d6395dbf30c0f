//! What others get: crates with all that they need, the files of a release, the command as a wheel.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn runs(command: &mut Command) -> String {
    let output = command.current_dir(root()).output().expect("it can be started");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    String::from_utf8(output.stdout).expect("text")
}

fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()))
}

/// The folders of the workspace's crates, with their names and manifests as JSON.
fn crates() -> Vec<(String, PathBuf, serde_json::Value)> {
    let text = runs(cargo().args(["metadata", "--no-deps", "--offline", "--format-version", "1"]));
    let metadata: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let of = |package: &serde_json::Value| {
        let text = |key: &str| package[key].as_str().expect("text").to_owned();
        let folder = Path::new(&text("manifest_path")).parent().expect("it is in a folder").to_owned();
        (text("name"), folder, package.clone())
    };
    metadata["packages"].as_array().expect("a list").iter().map(of).collect()
}

/// Paths in `include_str!` of a source, but for those that only tests of the documentation read.
fn included(source: &str) -> Vec<&str> {
    let code = source.split("#[cfg(test)]\nmod tests").next().unwrap_or(source);
    let lines = code.lines().filter(|line| !line.starts_with("#[doc = "));
    lines.flat_map(|line| line.split("include_str!(\"").skip(1)).filter_map(|rest| rest.split('"').next()).collect()
}

/// Each crate says what it is and under which licence, names its neighbours with their version, and has every file in its package that its code includes.
#[test]
fn crates_can_be_packaged() {
    let members = crates();
    for (name, folder, package) in &members {
        for key in ["description", "license", "readme"] {
            assert!(package[key].is_string(), "{name} has no {key}");
        }
        for dependency in package["dependencies"].as_array().expect("a list") {
            let is_member = dependency["path"].is_string();
            let for_tests = dependency["kind"] == "dev";
            assert!(!is_member || (dependency["req"] == "*") == for_tests, "{name}: {dependency}");
        }
        let list = runs(cargo().args(["package", "--list", "--allow-dirty", "--offline", "--package", name]));
        let files: BTreeSet<PathBuf> = list.lines().map(PathBuf::from).collect();
        assert!(files.contains(Path::new("README.md")), "{name}: {list}");
        for source in files.iter().filter(|file| file.extension().is_some_and(|end| end == "rs")) {
            let text = fs::read_to_string(folder.join(source)).expect("it is there");
            for path in included(&text) {
                let mut at = source.parent().expect("a folder").to_owned();
                for part in Path::new(path) {
                    if part == ".." {
                        assert!(at.pop(), "{name}: {}: {path} is outside", source.display())
                    } else {
                        at.push(part)
                    }
                }
                assert!(files.contains(&at), "{name}: {}: {path} is not in the package", source.display());
            }
        }
    }
    let verified: &[&str] = if std::env::var_os("TXBAR_ALL").is_some() { &[] } else { &["--no-verify"] };
    let target = tempfile::tempdir().expect("there is room");
    let package = ["package", "--workspace", "--offline", "--allow-dirty", "--quiet", "--target-dir"];
    runs(cargo().args(package).arg(target.path()).args(verified));
    let packed = fs::read_dir(target.path().join("package")).expect("it is there");
    let packed = packed
        .filter(|entry| entry.as_ref().is_ok_and(|entry| entry.path().extension().is_some_and(|end| end == "crate")));
    assert_eq!(packed.count(), members.len());
}

/// The script writes what it says, twice the same, and the checksums are those of the files.
#[cfg(unix)]
#[test]
fn a_release_is_written_by_one_script() {
    let here = tempfile::tempdir().expect("there is room");
    let write = |name: &str| {
        let directory = here.path().join(name);
        runs(Command::new("scripts/release").arg(&directory).env("TXBAR", env!("CARGO_BIN_EXE_txbar")));
        fs::read_to_string(directory.join("SHA256SUMS")).expect("it is there")
    };
    let sums = write("one");
    assert_eq!(sums, write("two"));
    let checked = Command::new("sha256sum")
        .args(["--check", "--quiet", "SHA256SUMS"])
        .current_dir(here.path().join("one"))
        .status();
    assert!(checked.expect("it can be started").success());
    for end in [".v", ".json", ".tar.gz"] {
        assert!(sums.contains(&format!("  txbar_unit{end}\n")), "{sums}");
    }
    let list = runs(Command::new("tar").arg("tzf").arg(here.path().join("one/txbar_unit.tar.gz")));
    for file in ["txbar_unit.v", "txbar_unit_assert.sv", "LICENSE-MIT"] {
        assert!(list.contains(&format!("txbar_unit/{file}\n")), "{list}");
    }
}

/// What the wheel says of itself is what the crate says. With `TXBAR_ALL` it is made, and its command runs.
#[test]
fn the_command_is_a_wheel() {
    let text = fs::read_to_string(root().join("pyproject.toml")).expect("it is there");
    let (_, _, package) = crates().into_iter().find(|(name, ..)| name == "txbar").expect("it is a crate");
    for key in ["name", "version", "description"] {
        assert!(text.contains(&format!("\n{key} = {}\n", package[key])), "{key}");
    }
    assert!(text.contains("\nbindings = \"bin\"\n"));
    if std::env::var_os("TXBAR_ALL").is_some() {
        let here = tempfile::tempdir().expect("there is room");
        let (venv, wheels) = (here.path().join("venv"), here.path().join("wheels"));
        runs(Command::new("python3").args(["-m", "venv"]).arg(&venv));
        let pip = venv.join("bin/pip");
        runs(Command::new(&pip).args(["wheel", ".", "--quiet", "--wheel-dir"]).arg(&wheels));
        runs(Command::new(&pip).args(["install", "--quiet", "--no-index", "txbar", "--find-links"]).arg(&wheels));
        assert!(runs(Command::new(venv.join("bin/txbar")).arg("--version")).starts_with("txbar "));
    }
}
