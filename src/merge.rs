//! `txbar merge`: joins the parts of a run split with `--shard`.

use crate::shell::files::Files;
use crate::shell::output;
use crate::shell::shard::{Findings, Part, Shard};
use crate::sim::random_parameters;
use crate::{Verdict, check, explore, litmus, prove, run};
use anyhow::{Context, Result, bail};
use clap::Args;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use txbar_testbench::input;

/// Puts together what the parts of a run have written (--shard I/N --json FILE): prints, writes and ends as the run on one machine
/// does. The parts must be of the same command with the same options, and every one must be there once.
#[derive(Args)]
pub struct Arguments {
    /// What the parts have written, in any order
    #[arg(required = true, value_name = "PART.json")]
    parts: Vec<PathBuf>,
    /// Where the figures of the whole run go, as its --json writes them
    #[arg(long, alias = "output", short_alias = 'o', value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Verdict> {
    let Arguments { parts: files, json } = arguments;
    Files::default().reads(files).writes("--json", json).check()?;
    let parts = files.iter().map(|file| Ok((file.display().to_string(), read(file)?))).collect::<Result<Vec<_>>>()?;
    let parts = together(parts)?;
    match parts[0].1.command.as_str() {
        "sim" => end::<random_parameters::Drawn>(parts, json.as_deref()),
        "check" => end::<check::Found>(parts, json.as_deref()),
        "litmus" => end::<litmus::Found>(parts, json.as_deref()),
        "run" => end::<run::Found>(parts, json.as_deref()),
        "prove" => end::<prove::Examined>(parts, json.as_deref()),
        "synth" => end::<explore::Explored>(parts, json.as_deref()),
        other => bail!("{}: `{other}` is not a command that can be split", parts[0].0),
    }
}

fn read(file: &Path) -> Result<Part> {
    let text = input::read_text(file).with_context(|| file.display().to_string())?;
    let part = serde_json::from_str(&text);
    part.with_context(|| format!("{} is not what a part writes (--shard I/N --json FILE)", file.display()))
}

/// Adds everything up, tells and writes it.
fn end<F: Findings>(parts: Vec<(String, Part)>, output: Option<&Path>) -> Result<Verdict> {
    let mut whole: Option<F> = None;
    for (name, part) in parts {
        let findings: F = serde_json::from_value(part.findings).with_context(|| format!("{name}: its findings"))?;
        match &mut whole {
            None => whole = Some(findings),
            Some(whole) => whole.add(findings),
        }
    }
    let whole = whole.context("there are no parts")?;
    let verdict = whole.tell();
    if let Some(path) = output {
        output::write_json(path, &whole.figures())?;
    }
    Ok(verdict)
}

/// The parts in their order, if they belong together and all are there.
fn together(parts: Vec<(String, Part)>) -> Result<Vec<(String, Part)>> {
    let (first_name, first) = parts.first().context("there are no parts")?;
    for (name, part) in &parts[1..] {
        if part.command != first.command {
            bail!("{name} is of `txbar {}`, {first_name} of `txbar {}`", part.command, first.command);
        }
        if part.txbar != first.txbar {
            bail!("{name} is of version {}, {first_name} of {}", part.txbar, first.txbar);
        }
        if part.shard.of != first.shard.of {
            bail!("{name} is one of {} parts, {first_name} one of {}", part.shard.of, first.shard.of);
        }
        let mut titles = part.options.keys().chain(first.options.keys());
        if let Some(title) = titles.find(|title| part.options.get(*title) != first.options.get(*title)) {
            let value = |part: &Part| part.options.get(title).map_or("nothing".to_owned(), |values| values.join(" "));
            bail!("{title} differs: {} in {name}, {} in {first_name}", value(part), value(first));
        }
    }
    let of = first.shard.of;
    let mut ordered: BTreeMap<u64, (String, Part)> = BTreeMap::new();
    for (name, part) in parts {
        let Shard { part: number, .. } = part.shard;
        if let Some((other, _)) = ordered.get(&number) {
            bail!("part {number} of {of} is there twice: {other} and {name}");
        }
        ordered.insert(number, (name, part));
    }
    if let Some(missing) = (1..=of).find(|number| !ordered.contains_key(number)) {
        match of - ordered.len() as u64 - 1 {
            0 => bail!("part {missing} of {of} is missing"),
            more => bail!("part {missing} of {of} is missing, and {more} more"),
        }
    }
    Ok(ordered.into_values().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(shard: &str, options: &[(&str, &str)]) -> (String, Part) {
        let options = options.iter().map(|(name, value)| ((*name).to_owned(), vec![(*value).to_owned()])).collect();
        let shard: Shard = shard.parse().expect("it is one");
        let findings = serde_json::Value::Null;
        let part = Part { txbar: "1".to_owned(), command: "sim".to_owned(), options, shard, findings };
        (format!("{}.json", shard.part), part)
    }

    #[test]
    fn parts_must_belong_together() {
        let options = [("--seed", "1"), ("--random-parameters", "9")];
        let three = || vec![part("2/3", &options), part("3/3", &options), part("1/3", &options)];
        let names: Vec<String> = together(three()).expect("all are there").into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["1.json", "2.json", "3.json"]);
        let refused = |parts: Vec<(String, Part)>| together(parts).expect_err("it is refused").to_string();
        assert_eq!(refused(three()[..2].to_vec()), "part 1 of 3 is missing");
        assert_eq!(refused(three()[..1].to_vec()), "part 1 of 3 is missing, and 1 more");
        let twice = [three(), vec![part("2/3", &options)]].concat();
        assert_eq!(refused(twice), "part 2 of 3 is there twice: 2.json and 2.json");
        let other = |part| vec![three().remove(0), part];
        assert_eq!(refused(other(part("1/2", &options))), "1.json is one of 2 parts, 2.json one of 3");
        let seed = part("1/3", &[("--seed", "2"), ("--random-parameters", "9")]);
        assert_eq!(refused(other(seed)), "--seed differs: 2 in 1.json, 1 in 2.json");
        let fewer = part("1/3", &[("--seed", "1")]);
        assert_eq!(refused(other(fewer)), "--random-parameters differs: nothing in 1.json, 9 in 2.json");
        let (name, of_litmus) = part("1/3", &options);
        let of_litmus = Part { command: "litmus".to_owned(), ..of_litmus };
        assert_eq!(refused(other((name, of_litmus))), "1.json is of `txbar litmus`, 2.json of `txbar sim`");
    }
}
