//! The options that each way of using a command reads, and the refusal of all others. `modes.txt` is their only source.

use anyhow::{Result, bail};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches};
use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

/// What `modes.txt` says.
static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read(include_str!("modes.txt")));
/// The command that runs, and what it was given.
static GIVEN: OnceLock<(String, Given)> = OnceLock::new();

/// The options of a command line by their names, with their values.
type Given = BTreeMap<String, Vec<String>>;

/// A way in which a command works.
struct Mode {
    command: &'static str,
    chosen_by: Vec<Choice>,
    /// Names of options, those that choose it included.
    reads: Vec<&'static str>,
}

/// Condition of a mode.
enum Choice {
    /// An option is given.
    Given(&'static str),
    /// The option has this value.
    Is(&'static str, &'static str),
    /// The option has another value.
    IsNot(&'static str, &'static str),
    /// What is in the files; the command says so with [`narrow`].
    Files(&'static str),
}

impl Choice {
    fn read(text: &'static str) -> Self {
        match (text.split_once("!="), text.split_once('=')) {
            (Some((option, value)), _) => Self::IsNot(option, value),
            (None, Some((option, value))) => Self::Is(option, value),
            (None, None) => Self::Given(text),
        }
    }

    fn option(&self) -> Option<&'static str> {
        match self {
            Self::Given(option) | Self::Is(option, _) | Self::IsNot(option, _) => Some(option),
            Self::Files(_) => None,
        }
    }

    fn holds(&self, given: &Given) -> bool {
        let value = |option: &str, value: &str| given.get(option).map(|values| values.iter().any(|it| it == value));
        match self {
            Self::Given(option) => given.contains_key(*option),
            Self::Is(option, wanted) => value(option, wanted) == Some(true),
            Self::IsNot(option, other) => value(option, other) == Some(false),
            Self::Files(_) => false,
        }
    }

    /// Text on the command line.
    fn written(&self, given: &Given) -> String {
        let first = |option: &str| given.get(option).and_then(|values| values.first()).cloned().unwrap_or_default();
        match self {
            Self::Given(option) if option.starts_with('-') => (*option).to_owned(),
            Self::Given(file) => first(file),
            Self::Is(option, value) => word(option, value),
            Self::IsNot(option, _) => word(option, &first(option)),
            Self::Files(what) => (*what).to_owned(),
        }
    }
}

/// An option with its value; of an argument without a name the value alone.
fn word(option: &str, value: &str) -> String {
    if option.starts_with('-') { format!("{option} {value}") } else { format!("`{value}`") }
}

impl Mode {
    fn name(&self, given: &Given) -> String {
        let names: Vec<String> = self.chosen_by.iter().map(|choice| choice.written(given)).collect();
        names.join(" and ")
    }
}

/// An option that means something only beside others.
struct Need {
    /// `*` for all.
    command: &'static str,
    option: &'static str,
    others: Vec<&'static str>,
}

struct Table {
    modes: Vec<Mode>,
    needs: Vec<Need>,
}

impl Table {
    fn read(text: &'static str) -> Self {
        let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut table = Self { modes: Vec::new(), needs: Vec::new() };
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            if let Some((way, options)) = line.split_once('|') {
                let (command, choices) = way.trim().split_once(' ').unwrap_or((way.trim(), ""));
                let choices = choices.trim();
                let chosen_by: Vec<Choice> = match choices.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
                    Some(files) => vec![Choice::Files(files)],
                    None => choices.split_whitespace().map(Choice::read).collect(),
                };
                let of = |name| groups.get(name).cloned().unwrap_or_else(|| vec![name]);
                let reads = options.split_whitespace().flat_map(of).chain(chosen_by.iter().filter_map(Choice::option));
                table.modes.push(Mode { command, reads: reads.collect(), chosen_by });
            } else if let Some((name, options)) = line.split_once(" = ") {
                groups.insert(name.trim(), options.split_whitespace().collect());
            } else if let Some((one, others)) = line.split_once('<') {
                let (command, option) = one.trim().split_once(' ').unwrap_or(("*", one.trim()));
                table.needs.push(Need { command, option, others: others.split_whitespace().collect() });
            }
        }
        table
    }

    fn of<'a>(&'a self, command: &'a str) -> impl Iterator<Item = &'a Mode> {
        self.modes.iter().filter(move |mode| mode.command == command)
    }
}

/// An option's name; of an argument without one, that of its value.
pub fn name(option: &Arg) -> String {
    let value = || option.get_value_names().and_then(<[_]>::first).map_or(option.get_id().as_str(), |name| name);
    option.get_long().map_or_else(|| value().to_owned(), |long| format!("--{long}"))
}

/// What a command line gives, and the subcommand; nothing for that without one.
fn given(matches: &ArgMatches) -> Option<(String, Given)> {
    let (name_of_command, matches) = matches.subcommand()?;
    let mut given = Given::new();
    let command = crate::command();
    for option in command.find_subcommand(name_of_command)?.get_arguments() {
        let id = option.get_id().as_str();
        if let Ok(Some(values)) = matches.try_get_raw(id)
            && matches.value_source(id) == Some(ValueSource::CommandLine)
        {
            given.insert(name(option), values.map(|value| value.to_string_lossy().into_owned()).collect());
        }
    }
    Some((name_of_command.to_owned(), given))
}

/// The mode that is chosen: the first.
fn choose(command: &str, given: &Given) -> Option<&'static Mode> {
    let table: &'static Table = &TABLE;
    table.modes.iter().find(|mode| mode.command == command && mode.chosen_by.iter().all(|choice| choice.holds(given)))
}

/// Refuses options that the command would not read.
///
/// # Errors
/// There is one; it is named, with what it does not go with.
pub fn check(matches: &ArgMatches) -> Result<()> {
    let Some((command, given)) = given(matches) else { return Ok(()) };
    if let Some(mode) = choose(&command, &given) {
        refuse_others(mode, &given)?;
    }
    for Need { command: of, option, others } in &TABLE.needs {
        let is_ours = *of == "*" || *of == command;
        if is_ours && given.contains_key(*option) && !others.iter().any(|other| given.contains_key(*other)) {
            bail!("{option} needs {}", others.join(" or "));
        }
    }
    let _ = GIVEN.set((command, given)); // a command line is looked at once
    Ok(())
}

/// The value that an option was given.
pub fn value(option: &str) -> Option<&'static str> {
    Some(GIVEN.get()?.1.get(option)?.first()?.as_str())
}

/// The files show in which way the command works: refuses options that it would not read.
///
/// # Errors
/// There is one.
pub fn narrow(files: &str) -> Result<()> {
    let Some((command, given)) = GIVEN.get() else { return Ok(()) };
    let is_it = |mode: &&Mode| matches!(mode.chosen_by[..], [Choice::Files(it)] if it == files);
    TABLE.of(command).find(is_it).map_or(Ok(()), |mode| refuse_others(mode, given))
}

fn refuse_others(mode: &Mode, given: &Given) -> Result<()> {
    if let Some(option) = given.keys().find(|option| !mode.reads.contains(&option.as_str())) {
        if !mode.chosen_by.is_empty() {
            bail!("{option} cannot be used with {}", mode.name(given));
        }
        let others = without(mode.command, option, given);
        if others.is_empty() {
            bail!("{option} is in no line of src/modes.txt: say there which ways of `{}` read it", mode.command);
        }
        bail!("{option} needs {}", others.join(" or "));
    }
    // whatever `list` stands beside is not looked at
    let lists = mode.chosen_by.iter().find_map(|choice| match choice {
        Choice::Is(option, "list") => given.get(*option),
        _ => None,
    });
    if lists.is_some_and(|values| values.len() > 1) {
        bail!("`list` cannot be combined with other names");
    }
    Ok(())
}

/// What would have to be given for an option to mean something: as little as there can be.
fn without(command: &str, option: &str, given: &Given) -> Vec<&'static str> {
    let missing = |mode: &Mode| -> Option<Vec<&'static str>> {
        mode.chosen_by.iter().filter(|choice| !choice.holds(given)).map(Choice::option).collect()
    };
    let reading = TABLE.of(command).filter(|mode| mode.reads.contains(&option));
    let ways: Vec<Vec<&str>> = reading.filter_map(missing).filter(|missing| !missing.contains(&option)).collect();
    let least = ways.iter().map(Vec::len).min().unwrap_or(0);
    let mut names: Vec<&str> = ways.into_iter().filter(|missing| missing.len() == least).flatten().collect();
    names.dedup();
    names
}

#[cfg(test)]
mod tests;
