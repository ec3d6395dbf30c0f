//! Runs split over machines with `--shard` give the result of one machine, also if a worker dies.

mod common;

use assert_cmd::cargo::cargo_bin;
use common::{directory, files, json, refused, txbar, vectors};
use predicates::str::{contains, starts_with};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Does a run at once and in this many parts, which are given in a strange order. Gives the figures of both, how the command ended, and
/// what was said of the whole.
fn both(arguments: &[&str], of: usize) -> (Value, Value, Option<i32>, String) {
    let here = directory();
    let whole = txbar(here.path()).args(arguments).args(["--json", "whole.json"]).output().expect("it runs");
    for part in 1..=of {
        let (shard, file) = (format!("{part}/{of}"), format!("{part}.json"));
        // how many threads there are does not matter
        let mut command = txbar(here.path());
        command.env("RAYON_NUM_THREADS", part.to_string());
        command.args(arguments).args(["--shard", &shard, "--json", &file]).output().expect("it runs");
    }
    let parts = (1..=of).rev().map(|part| format!("{part}.json"));
    let merged = txbar(here.path()).arg("merge").args(parts).args(["--json", "merged.json"]).output().expect("it runs");
    assert_eq!(merged.status.code(), whole.status.code(), "{}", String::from_utf8_lossy(&merged.stderr));
    let said = String::from_utf8(merged.stdout).expect("text");
    if arguments[0] != "run" {
        assert_eq!(said, String::from_utf8(whole.stdout).expect("text"));
    }
    (json(&here.path().join("whole.json")), json(&here.path().join("merged.json")), whole.status.code(), said)
}

#[test]
fn random_parameters_in_parts() {
    let (whole, merged, code, said) = both(&["sim", "--random-parameters", "5", "--seed", "7"], 3);
    assert_eq!((&whole, code), (&merged, Some(0)), "{said}");
    assert!(whole["runs"] == 5 && whole["cycles"].as_u64() > Some(1000), "{whole}");
}

#[test]
fn recordings_in_parts() {
    let (legal, warps) = (vectors("h200_edge.csv"), vectors("h200_warp_edge.csv"));
    let files = [legal.to_str().expect("text"), warps.to_str().expect("text")];
    let (whole, merged, ..) = both(&["check", "--engine", "model", files[0], files[1]], 4);
    assert_eq!(whole, merged);
    assert!(whole["records"].as_u64() > Some(1000) && whole["records"] == whole["matched"]);
}

/// Records that do not match: told in their order, the first twenty.
#[test]
fn mismatches_in_parts() {
    let here = directory();
    let wrong = |counts: std::ops::Range<u32>| {
        let lines = counts.map(|count| format!("arrive,,7fffe000001ffff8,,7fffe800001ffff8,{count:08x}\n"));
        format!("op,arg,word_before,token,word_after,result\n{}", lines.collect::<String>())
    };
    let [one, other] = [("one.csv", 0..15), ("other.csv", 20..50)].map(|(name, counts)| {
        let path = here.path().join(name);
        fs::write(&path, wrong(counts)).expect("it can be written");
        path.to_str().expect("text").to_owned()
    });
    let (whole, merged, code, said) = both(&["check", &one, &other], 7);
    assert_eq!((&whole, code), (&merged, Some(2)));
    assert_eq!((whole["records"].as_u64(), said.lines().count()), (Some(45), 21), "{said}");
}

/// A test runs in blocks: the second of the parts has the second block.
#[test]
fn litmus_tests_in_parts() {
    let (whole, merged, code, _) = both(&["litmus", "MP+relaxed", "--runs", "100300", "--seed", "3"], 2);
    assert_eq!((&whole, code), (&merged, Some(0)));
    assert_eq!((&whole[0]["runs"], &whole[0]["seed"]), (&100300.into(), &3.into()));
    // more parts than there is work for
    let names = ["litmus", "MP+relaxed", "SB+acq_rel", "MP+release+acquire", "--runs", "500", "--seed", "3"];
    let (whole, merged, ..) = both(&names, 4);
    assert_eq!(whole, merged);
}

#[test]
fn schedules_in_parts() {
    let kernel = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join(name).to_str().expect("text").to_owned();
    let sound = kernel("docs/guide/neighbours.ptx");
    let hangs = kernel("ptx/kernels/broken/bug_init_count.ptx");
    let sound = ["run", &sound, "--block", "64", "--param", "out:u32:64", "--runs", "5", "--seed", "9"];
    for (arguments, of) in [(&sound[..], 3), (&sound[..], 7), (&["run", &hangs, "--runs", "4"][..], 3)] {
        let (mut whole, merged, _, said) = both(arguments, of);
        let speed = whole.as_object_mut().and_then(|whole| whole.remove("instructions_per_second"));
        assert!(speed.is_some() && whole == merged, "{whole}\n{merged}");
        assert!(said.contains(" schedules: the same "), "{said}");
    }
}

#[test]
fn parts_that_do_not_belong_together_are_refused() {
    let here = directory();
    fs::copy(vectors("h200_edge.csv"), here.path().join("x.csv")).expect("it can be copied");
    let check = |shard: &str, more: &[&str], file: &str| {
        let part = ["check", "--engine", "model", "x.csv", "--shard", shard, "--json", file];
        txbar(here.path()).args(part).args(more).assert().success();
    };
    check("1/2", &[], "1.json");
    check("2/2", &[], "2.json");
    check("2/2", &["--words", "256"], "fewer.json");
    check("3/3", &[], "third.json");
    let merge = |parts: &[&str], error: &str| {
        refused(
            here.path(),
            &[&["merge"], parts, &["--json", "out.json"]].concat(),
            contains(format!("error: {error}\n")),
        );
    };
    merge(&["1.json"], "part 2 of 2 is missing");
    merge(&["1.json", "2.json", "1.json"], "part 1 of 2 is there twice: 1.json and 1.json");
    merge(&["1.json", "fewer.json"], "--words differs: 256 in fewer.json, 512 in 1.json");
    merge(&["1.json", "third.json"], "third.json is one of 3 parts, 1.json one of 2");
    merge(&["1.json", "none.json"], "none.json: No such file or directory (os error 2)");
    refused(here.path(), &["merge", "x.csv"], starts_with("error: x.csv is not what a part writes"));
    refused(here.path(), &["merge", "1.json", "2.json", "--json", "1.json"], contains("is a file that is read"));
    // of another recording by the same name
    let text = fs::read_to_string(here.path().join("x.csv")).expect("it is there");
    let (shorter, _) = text.trim_end().rsplit_once('\n').expect("it has lines");
    fs::write(here.path().join("x.csv"), shorter).expect("it can be written");
    check("2/2", &[], "other.json");
    refused(here.path(), &["merge", "1.json", "other.json"], starts_with("error: FILE.csv differs: x.csv#"));
}

#[test]
fn what_is_no_part_is_refused() {
    let here = directory();
    for (shard, error) in [
        ("0/2", "parts are counted from 1"),
        ("3/2", "there is no part 3 of 2"),
        ("1/0", "there is no part 1 of 0"),
        ("two", "write I/N: part I of N, such as 1/4"),
    ] {
        refused(here.path(), &["litmus", "--seed", "1", "--shard", shard], contains(error));
    }
    let needs =
        |arguments: &[&str], error: &str| refused(here.path(), arguments, contains(format!("error: {error}\n")));
    needs(&["litmus", "--shard", "1/2"], "--shard 1/2 needs --seed: all parts must have the same");
    needs(&["sim", "--shard", "1/2"], "--shard needs --random-parameters");
    needs(&["run", "x.ptx", "--shard", "1/2"], "--shard needs --runs");
    needs(&["prove", "--shard", "1/2"], "--shard needs --mutants");
}

/// A process that ends with its owner.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill(); // it may have ended
        let _ = self.0.wait();
    }
}

/// Waits until there is something.
fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begin.elapsed() < Duration::from_secs(300), "{what} does not come");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A program of the tools that the test command has set up.
fn tool(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/tools/venv/bin").join(name);
    assert!(path.exists(), "{} is missing: `scripts/setup-tools` brings it", path.display());
    path
}

/// A scheduler and two workers. The one that first has part 2 is killed while it has it: the part is done once more by the other, every
/// result comes once, and all together come to what the run on one machine comes to.
#[cfg(unix)]
#[test]
fn a_worker_that_dies_loses_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let here = directory();
    let dask = |arguments: &[&str]| {
        let mut command = Command::new(tool("dask"));
        command.current_dir(here.path()).args(arguments).args(["--scheduler-file", "dask.json"]);
        let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Process(command.spawn().expect("it can be started"))
    };
    let _scheduler = dask(&["scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show"]);
    let address = until("the scheduler", || {
        let known: Value = serde_json::from_slice(&fs::read(here.path().join("dask.json")).ok()?).ok()?;
        known["address"].as_str().map(str::to_owned)
    });
    let worker = || dask(&["worker", "--host", "127.0.0.1", "--nthreads", "1", "--no-nanny", "--no-dashboard"]);
    let mut workers = [worker(), worker()];
    // txbar, which notes the parts; who has part 2 first is stuck, and says which worker it belongs to
    let program = here.path().join("noting");
    let text = format!(
        "#!/bin/sh\ncase \"$*\" in *--shard\\ *) ;; *) exec '{0}' \"$@\" ;; esac\n\
         shard=\"${{*#*--shard }}\"; shard=\"${{shard%% *}}\"; echo \"$shard\" >> parts\n\
         if [ \"$shard\" = 2/5 ] && [ ! -e stuck ]; then echo $PPID > name && mv name stuck && exec sleep 300; fi\n\
         exec '{0}' \"$@\"\n",
        cargo_bin("txbar").display()
    );
    fs::write(&program, text).expect("it can be written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let run = ["sim", "--random-parameters", "5", "--seed", "7"];
    let mut command = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/distribute"));
    command.current_dir(here.path()).args(["--shards", "5", "--scheduler", &address, "--json", "merged.json"]);
    command.arg("--txbar").arg(&program).arg("--").args(run).stdout(Stdio::piped()).stderr(Stdio::piped());
    let distribute = command.spawn().expect("it can be started");
    let stuck: u32 = until("part 2", || fs::read_to_string(here.path().join("stuck")).ok()?.trim().parse().ok());
    let doomed = workers.iter_mut().find(|worker| worker.0.id() == stuck).expect("a worker has the part");
    doomed.0.kill().expect("it is ours");
    let output = distribute.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    txbar(here.path()).args(run).args(["--json", "whole.json"]).assert().success().stdout(output.stdout);
    assert_eq!(json(&here.path().join("merged.json")), json(&here.path().join("whole.json")));
    // A part whose result died with its worker before the scheduler had fetched it is done again too, but no result comes twice.
    let begun = fs::read_to_string(here.path().join("parts")).expect("it is there");
    for part in 1..=5 {
        let times = begun.lines().filter(|line| *line == format!("{part}/5")).count();
        assert!(times >= if part == 2 { 2 } else { 1 }, "part {part} was begun {times} times: {said}");
        assert_eq!(said.matches(&format!("part {part}/5: ")).count(), 1, "{said}");
    }
    assert!(files(here.path()).contains(&"whole.json".to_owned()));
}
