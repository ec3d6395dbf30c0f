//! `txbar ptx` as a user meets it.

use assert_cmd::Command;
use predicates::prelude::*;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

const SOUND: &str = ".version 8.0\n.target sm_90a, debug\n.address_size 64\n.shared .align 8 .b64 bar;\n.entry k()\n{\n\
    .reg .pred p;\n    mbarrier.init.shared.b64 [bar], 1;\n    mbarrier.try_wait.parity.shared::cta.b64 p, [bar], 0;\n    ret;\n}\n";

fn txbar(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("txbar").expect("it is built");
    command.arg("ptx").args(arguments);
    command
}

fn file(text: &str) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("there is room");
    let path = directory.path().join("kernel.ptx");
    fs::write(&path, text).expect("it can be written");
    (directory, path)
}

#[test]
fn a_sound_file_is_checked_for_its_own_target_and_version() {
    let (_directory, path) = file(SOUND);
    let path = path.display().to_string();
    let line = "2 synchronisation instructions checked for sm_90a, PTX 8.0: 0 refused\n";
    txbar(&[&path]).assert().code(0).stdout(line).stderr("");
}

#[test]
fn what_is_refused_is_underlined_and_in_the_json() {
    let (directory, path) = file(&SOUND.replace("0;\n    ret", "\n        2;\n    ret"));
    let json = directory.path().join("out.json");
    let (path, json) = (path.display().to_string(), json.display().to_string());
    txbar(&[&path, "--target", "sm_80", "--ptx", "7.1", "--json", &json])
        .assert()
        .code(1)
        .stdout("2 synchronisation instructions checked for sm_80, PTX 7.1: 1 refused\n")
        .stderr(predicate::str::contains("needs PTX ISA 7.8 or later and sm_90 or higher"))
        .stderr(predicate::str::contains("not in PTX ISA 7.1, not on sm_80"))
        .stderr(predicate::str::contains("kernel.ptx:9:5]"))
        .stderr(predicate::str::contains("kernel.ptx:10:9]"))
        .stderr(predicate::str::contains('\u{1b}').not());
    let figures: serde_json::Value = serde_json::from_str(&fs::read_to_string(json).expect("written")).expect("JSON");
    assert_eq!((&figures["synchronisation_instructions"], &figures["refused"]), (&2.into(), &1.into()));
    assert_eq!((&figures["target"], &figures["ptx"]), (&"sm_80".into(), &"7.1".into()));
    let complaints = figures["complaints"].as_array().expect("a list");
    assert_eq!(complaints.len(), 2);
    assert_eq!((&complaints[1]["line"], &complaints[1]["column"]), (&10.into(), &9.into()));
    assert_eq!(complaints[1]["message"], "`phaseParity` must be 0 or 1");
    assert_eq!(complaints[1]["instruction"], "mbarrier.try_wait.parity.shared::cta.b64 p, [bar], 2;");
}

#[test]
fn bad_input_gets_one_error() {
    let (_directory, path) = file(&SOUND.replace("sm_90a", "sm_12345"));
    let unknown = path.display().to_string();
    txbar(&[&unknown]).assert().code(1).stdout("").stderr(predicate::str::contains("known are sm_10, "));
    txbar(&[&unknown, "--target", "sm_90"]).assert().code(0);
    txbar(&["/nonexistent.ptx"]).assert().code(1).stderr(predicate::str::contains("/nonexistent.ptx"));
    let (_other, path) = file("\u{7f}ELF");
    txbar(&[&path.display().to_string()])
        .assert()
        .code(1)
        .stdout("")
        .stderr(predicate::str::contains("kernel.ptx:1:1]"));
    txbar(&[&unknown, "--target", "sm_91"]).assert().code(1).stderr(predicate::str::contains("known are"));
    txbar(&[&unknown, "--ptx", "8"]).assert().code(1).stderr(predicate::str::contains("as in `8.6`"));
    txbar(&[]).assert().code(1);
}

#[test]
fn version_and_target_go_together() {
    let says = |text: &str, more: &[&str], code: i32, what: &str| {
        let (_directory, path) = file(text);
        let path = path.display().to_string();
        let arguments = [&[path.as_str()], more].concat();
        let assert = txbar(&arguments).assert().code(code);
        if code == 1 {
            assert.stdout("").stderr(predicate::str::contains(what.to_owned()));
        }
    };
    let version = |version: &str| SOUND.replace("8.0", version);
    says(&version("99.0"), &[], 1, "there is no version 99.0 of the PTX ISA that is known here");
    // of a toolkit later than what is known here
    says(&version("9.5"), &[], 0, "");
    says(&version("7.0"), &[], 1, "PTX ISA 7.0 does not have sm_90a");
    says(&version("7.8"), &[], 1, "sm_90a needs `.version 8.0` or later");
    says(&version("7.0").replace("sm_90a", "sm_90"), &[], 1, "sm_90 needs `.version 7.8` or later");
    says(&version("7.8").replace("sm_90a", "sm_90"), &[], 0, "");
    says(&version("7.8").replace("sm_90a", "sm_100"), &[], 1, "sm_100 needs `.version 8.6` or later");
    says(SOUND, &["--ptx", "99.0"], 1, "there is no version 99.0");
    says(SOUND, &["--target", "sm_90", "--ptx", "7.0"], 1, "PTX ISA 7.0 does not have sm_90");
    // what the text says itself has to go together, too
    says(&version("7.0").replace("sm_90a", "sm_90"), &["--target", "sm_90"], 1, "sm_90 needs `.version 7.8` or later");
    // a text for an older architecture may be meant for a newer one
    let older = ".version 7.0\n.target sm_80\n.address_size 64\n.shared .align 8 .b64 bar;\n.entry k()\n{\n\
        mbarrier.init.shared.b64 [bar], 1;\nret;\n}\n";
    says(older, &["--target", "sm_90"], 0, "");
    // `run` reads the same lines
    let (_directory, path) = file(&version("99.0"));
    let mut run = Command::cargo_bin("txbar").expect("it is built");
    run.args(["run", &path.display().to_string()]).assert().code(1).stdout("").stderr(predicate::str::contains("99.0"));
}

#[test]
fn the_forms_are_listed() {
    txbar(&["--forms"])
        .assert()
        .code(0)
        .stdout(predicate::function(|text: &str| text.lines().count() == 2 * txbar_ptx::barrier::LINES.len()))
        .stdout(predicate::str::contains(
            "mbarrier.arrive{.release/.relaxed .cta/.cluster}.shared::cluster.b64 _, [addr]{, count}",
        ))
        .stdout(predicate::str::contains(
            "cp.async.bulk.prefetch.L2.global{.L2::cache_hint} [src], size{, cache-policy}",
        ));
}

#[test]
fn a_run_refuses_what_is_refused_here() {
    for (wrong, said) in [
        ("fence.proxy.async.shared;", "`fence.proxy` has no `.shared`"),
        ("fence.mbarrier_init.cluster;", "`fence` lacks its `.release`"),
        ("setmaxnreg.inc.sync.aligned.u32 20;", "`imm-reg-count` must be 24 to 256, a multiple of 8"),
        ("bar.sync 16;", "`a` must be 0 to 15"),
        ("@p bra nowhere;", "`nowhere` is not declared"),
    ] {
        let (_directory, path) = file(&SOUND.replace("    ret", &format!("    {wrong}\n    ret")));
        let path = path.display().to_string();
        let refused = predicate::str::contains(said);
        txbar(&[&path]).assert().code(1).stderr(predicate::str::contains(said));
        let mut run = Command::cargo_bin("txbar").expect("it is built");
        run.args(["run", &path]).assert().code(1).stdout("").stderr(refused);
    }
}
