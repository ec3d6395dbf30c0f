//! Instructions of warps in kernels, compared with an H200: the records of `testbench/vectors`, each as a kernel.

use super::kernels::program;
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use txbar_ptx::argument::Argument;
use txbar_ptx::element::Format;
use txbar_ptx::launch::{Grid, Settings};
use txbar_ptx::machine::End;
use txbar_ptx::outcome::{Buffer, Outcome};
use txbar_rtl::parameters::Parameters;

fn vectors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../testbench/vectors")
}

fn rows<T: serde::de::DeserializeOwned>(file: &str) -> Vec<T> {
    let mut reader = csv::Reader::from_path(vectors().join(file)).expect("it is there");
    reader.deserialize().map(|row| row.expect("it has these columns")).collect()
}

/// A warp executes a kernel.
pub fn run(text: &str, entry: &str, checked: bool, arguments: &[String]) -> Outcome {
    launch(text, entry, checked, [1, 32], arguments)
}

/// A cluster of so many CTAs, of this many threads each, executes a kernel.
pub fn launch(text: &str, entry: &str, checked: bool, [ctas, threads]: [u32; 2], arguments: &[String]) -> Outcome {
    let program = program("warps", text, entry);
    let unit = Parameters { checked, ..Settings::default().unit };
    let grid = [ctas, 1, 1];
    let settings = Settings { grid, cluster: Some(grid), block: [threads, 1, 1], unit, ..Settings::default() };
    let grid = Grid::new(&program, settings).expect("it can be built");
    let arguments: Vec<Argument> = arguments.iter().map(|text| Argument::read(text).expect("it is right")).collect();
    grid.run(&arguments, &mut |_, _| {}, &mut |_| true).expect("it can be run")
}

fn elements(buffer: &Buffer) -> Vec<u64> {
    buffer
        .elements(Format::Hex)
        .map(|element| u64::from_str_radix(&element.to_string(), 16).expect("it is hexadecimal"))
        .collect()
}

/// A record of a warp's instruction (`testbench/vectors/README.md`, "Warps").
#[derive(Clone, serde::Deserialize)]
struct Record {
    op: String,
    mask: String,
    word_of_lane: String,
    operand_of_lane: String,
    words_before: String,
    words_after: String,
    results: String,
}

impl Record {
    /// The instruction on the barrier at `a`, with the operand `n` or the token `st`; nothing if it is one from another CTA.
    fn instruction(&self) -> Option<&'static str> {
        Some(match self.op.as_str() {
            "arrive" => "mbarrier.arrive.shared.b64 st, [a];",
            "arrive_n" => "mbarrier.arrive.shared.b64 st, [a], n;",
            "arrive_nc" => "mbarrier.arrive.noComplete.shared.b64 st, [a], n;",
            "arrive_tx" => "mbarrier.arrive.expect_tx.shared.b64 st, [a], n;",
            "drop" => "mbarrier.arrive_drop.shared.b64 st, [a];",
            "drop_n" => "mbarrier.arrive_drop.shared.b64 st, [a], n;",
            "drop_nc" => "mbarrier.arrive_drop.noComplete.shared.b64 st, [a], n;",
            "drop_tx" => "mbarrier.arrive_drop.expect_tx.shared.b64 st, [a], n;",
            "expect_tx" => "mbarrier.expect_tx.relaxed.cta.shared.b64 [a], n;",
            "complete_tx" => "mbarrier.complete_tx.relaxed.cta.shared.b64 [a], n;",
            "init" => "mbarrier.init.shared.b64 [a], n;",
            "inval" => "mbarrier.inval.shared.b64 [a];",
            "cpasync" => "cp.async.mbarrier.arrive.shared.b64 [a];",
            "cpasync_noinc" => "cp.async.mbarrier.arrive.noinc.shared.b64 [a];",
            "test_state" => "mbarrier.test_wait.shared.b64 p, [a], st;",
            "test_parity" => "mbarrier.test_wait.parity.shared.b64 p, [a], n;",
            "try_state" => "mbarrier.try_wait.shared.b64 p, [a], st;",
            "try_parity" => "mbarrier.try_wait.parity.shared.b64 p, [a], n;",
            _ => return None,
        })
    }

    fn is_a_wait(&self) -> bool {
        self.op.contains("state") || self.op.contains("parity")
    }

    fn words(text: &str) -> Vec<u64> {
        text.split(' ').map(|word| u64::from_str_radix(word, 16).expect("it is hexadecimal")).collect()
    }

    /// Runs it as a kernel; gives what is not as it was, with the kernel.
    fn check(&self) -> Result<(), String> {
        let words = self.words_before.split(' ').count();
        let instruction = self.instruction().expect("it was chosen so");
        let result = if self.is_a_wait() { "selp.u32 n, 1, 0, p;" } else { "shr.u64 st, st, 32; cvt.u32.u64 n, st;" };
        let text = format!(
            ".version 8.6 .target sm_90 .address_size 64
            .visible .entry warp(.param .u64 before, .param .u64 words, .param .u64 operands, .param .u32 mask, .param .u64 after, .param .u64 results)
            {{
              .shared .align 8 .b64 w[32];
              .reg .pred p, active, has; .reg .b32 t, a, base, n, zero; .reg .b64 g, four, eight, st, x;
              mov.u32 t, %tid.x; mov.u32 base, w; mov.u32 zero, 0; mul.wide.u32 four, t, 4; mul.wide.u32 eight, t, 8;
              setp.lt.u32 has, t, {words};
              ld.param.u64 g, [before]; add.u64 g, g, eight; shl.b32 a, t, 3; add.u32 a, a, base;
              @has ld.global.u64 x, [g]; @has st.shared.u64 [a], x;
              ld.param.u64 g, [words]; add.u64 g, g, four; ld.global.u32 a, [g]; shl.b32 a, a, 3; add.u32 a, a, base;
              ld.param.u64 g, [operands]; add.u64 g, g, four; ld.global.u32 n, [g]; mov.b64 st, {{zero, n}};
              ld.param.u32 base, [mask]; shr.u32 base, base, t; and.b32 base, base, 1; setp.ne.u32 active, base, 0;
              setp.ne.u32 p, zero, 0;
              bar.sync 0;
              @active {instruction}
              nanosleep.u32 2000;
              bar.sync 0;
              {result}
              @!active mov.u32 n, 0;
              ld.param.u64 g, [results]; add.u64 g, g, four; st.global.u32 [g], n;
              ld.param.u64 g, [after]; add.u64 g, g, eight; shl.b32 a, t, 3; mov.u32 base, w; add.u32 a, a, base;
              @has ld.shared.u64 x, [a]; @has st.global.u64 [g], x;
              ret;
            }}"
        );
        let list = |values: Vec<String>| values.join(",");
        let hex = |text: &str| list(text.split(' ').map(|word| format!("0x{word}")).collect());
        let digits = self.word_of_lane.chars().map(|digit| digit.to_digit(32).expect("a digit").to_string());
        let arguments = [
            format!("before:u64:32:{}", hex(&self.words_before)),
            format!("words:u32:32:{}", list(digits.collect())),
            format!("operands:u32:32:{}", hex(&self.operand_of_lane)),
            format!("u32:0x{}", self.mask),
            format!("after:u64:{words}"),
            "results:u32:32".to_string(),
        ];
        let outcome = run(&text, "warp", false, &arguments);
        if self.words_after == "trap" {
            return match outcome.end {
                End::Fault(_) => Ok(()),
                end => Err(format!("it trapped, and here ends with {end:?}")),
            };
        }
        if outcome.end != End::Done {
            return Err(format!("it ends with {:?}", outcome.end));
        }
        let [after, results] = [3, 4].map(|place: usize| elements(&outcome.buffers[place]));
        let wanted = Self::words(&self.words_after);
        if after != wanted {
            return Err(format!("the words are {after:016x?} and not {wanted:016x?}"));
        }
        let wanted = if self.results.is_empty() { Vec::new() } else { Self::words(&self.results) };
        if !wanted.is_empty() && results != wanted {
            return Err(format!("the results are {results:x?} and not {wanted:x?}"));
        }
        Ok(())
    }
}

#[test]
fn warps_in_kernels_do_what_the_h200_did() {
    let files = ["h200_warp_legal.csv", "h200_warp_edge.csv", "h200_warp_more.csv"];
    let mut records: Vec<(String, Record)> = Vec::new();
    for file in files {
        let known = rows::<Record>(file).into_iter().enumerate().filter(|(_, record)| record.instruction().is_some());
        records.extend(known.map(|(place, record)| (format!("{file}:{}", place + 2), record)));
    }
    assert!(records.len() > 4000, "{}", records.len());
    let failures: Vec<String> = records
        .par_iter()
        .filter_map(|(place, record)| Some(format!("{place}: {}: {}", record.op, record.check().err()?)))
        .collect();
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), records.len(), failures.join("\n"));
}

/// A row of `copies.csv`.
#[derive(serde::Deserialize)]
struct Copies {
    count: u32,
    copiers: String,
    arrivers: String,
    noinc: u32,
    first: String,
    last: String,
    between: u32,
}

/// An arrival with copies is one update of all its lanes, and waits for those that any lane of the warp has begun.
#[test]
fn copies_of_a_warp_are_waited_for_together() {
    let text = std::fs::read_to_string(vectors().join("copies/copies.ptx")).expect("it is there");
    let rows: Vec<Copies> = rows("copies/copies.csv");
    assert!(rows.len() >= 10 && rows.iter().all(|row| row.between == 0), "an H200 never showed another word");
    for row in rows {
        let Copies { count, copiers, arrivers, noinc, first, last, .. } = row;
        let read = |delay: u32| {
            let mut arguments = vec!["source:u32:65536".to_string(), "words:u64:2".to_string()];
            arguments.extend([format!("u32:{count}"), format!("u32:0x{copiers}"), format!("u32:0x{arrivers}")]);
            arguments.extend([format!("u32:{noinc}"), format!("u32:{delay}")]);
            let outcome = run(&text, "copies", false, &arguments);
            assert_eq!(outcome.end, End::Done, "{count} {copiers} {arrivers} {noinc}");
            format!("{:016x}", elements(&outcome.buffers[1])[0])
        };
        let mut seen: Vec<String> = (0..300).step_by(15).map(read).collect();
        seen.dedup();
        let mut wanted = vec![first, last];
        wanted.dedup();
        // without .noinc the thread asks first, and the copies are quicker here
        let enough = seen == wanted || noinc == 0 && wanted.ends_with(&seen);
        assert!(enough, "{count} {copiers} {arrivers} {noinc}: {seen:?} and not {wanted:?}");
    }
}
