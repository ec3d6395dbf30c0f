use super::*;
use std::collections::BTreeSet;

/// A value that an option takes, by its name, or by that of its value.
fn sample(command: &str, option: &Arg) -> Option<String> {
    if !option.get_action().takes_values() {
        return None;
    }
    if let Some(first) = option.get_possible_values().first() {
        return Some(first.get_name().to_owned());
    }
    let value = match (command, name(option).as_str()) {
        ("synth", "--part") => "ecp5-85f-6",
        ("synth", "--design") => "unit_1x1",
        (_, "--scenario") => "ring",
        (_, "--board") => "ulx3s",
        (_, "--top") => "bridge",
        (_, "--mix") => "arrive=1",
        (_, "--shard") => "1/2",
        (_, "--target") => "sm_90",
        (_, "--ptx") => "8.6",
        (_, "--lanes") => "4",
        (_, "--param" | "--buffer") => "out:u32:4",
        (_, "--write") => "out:@x",
        _ => match option.get_value_names().and_then(<[_]>::first).map_or("", |name| name) {
            "BOOL" => "true",
            "N" | "G" | "B" | "C" | "NS" | "CYCLE" | "CYCLES" | "PERCENT" | "SECONDS" | "BYTES" | "SEED" | "MHZ" => "2",
            "SHARE" => "0.5",
            "ADDRESS,..." => "0x38",
            _ => "x",
        },
    };
    Some(value.to_owned())
}

fn words(option: &Arg, value: Option<String>) -> Vec<String> {
    match (value, option.get_long()) {
        (None, _) => vec![name(option)],
        (Some(value), None) => vec![value],
        (Some(value), Some(long)) => vec![format!("--{long}={value}")],
    }
}

/// The words of a command line that choose a mode; with what it cannot do without, if that is wanted.
fn line(of: &clap::Command, mode: &Mode) -> BTreeMap<String, Vec<String>> {
    let option =
        |wanted: &str| of.get_arguments().find(|option| name(option) == wanted).expect("there is such an option");
    let mut line = BTreeMap::new();
    for choice in &mode.chosen_by {
        let Some(title) = choice.option() else { continue };
        let option = option(title);
        let value = match choice {
            Choice::Is(_, value) => Some((*value).to_owned()),
            Choice::IsNot(_, other) => {
                let others = option.get_possible_values();
                others.iter().map(|value| value.get_name().to_owned()).find(|value| value != other)
            }
            _ => sample(mode.command, option),
        };
        line.insert(title.to_owned(), words(option, value));
    }
    // some files can be left out in other modes
    for file in
        of.get_arguments().filter(|option| option.is_positional() && mode.reads.contains(&name(option).as_str()))
    {
        line.entry(name(file)).or_insert_with(|| words(file, sample(mode.command, file)));
    }
    for option in line.clone().keys() {
        with_needs(of, &mut line, option);
    }
    line
}

/// Adds what an option needs beside it.
fn with_needs(of: &clap::Command, line: &mut BTreeMap<String, Vec<String>>, option: &str) {
    let needs =
        TABLE.needs.iter().find(|need| (need.command == "*" || need.command == of.get_name()) && need.option == option);
    if let Some(other) = needs.map(|need| need.others[0]) {
        let argument = of.get_arguments().find(|argument| name(argument) == other).expect("there is such an option");
        line.entry(other.to_owned()).or_insert_with(|| words(argument, sample(of.get_name(), argument)));
        with_needs(of, line, other);
    }
}

/// What the command line comes to: nothing, or one error.
fn parse(command: &str, line: &BTreeMap<String, Vec<String>>) -> Result<(), String> {
    let words = ["txbar", command].map(str::to_owned).into_iter().chain(line.values().flatten().cloned());
    let matches = crate::command().try_get_matches_from(words).map_err(|error| error.to_string())?;
    check(&matches).map_err(|error| error.to_string())
}

fn commands() -> Vec<clap::Command> {
    crate::command().get_subcommands().cloned().collect()
}

fn options(of: &clap::Command) -> Vec<&Arg> {
    of.get_arguments().filter(|option| !["help", "version"].contains(&option.get_id().as_str())).collect()
}

#[test]
fn the_table_names_every_option_and_nothing_else() {
    for command in commands() {
        let there: BTreeSet<String> = options(&command).into_iter().map(name).collect();
        let read: BTreeSet<String> =
            TABLE.of(command.get_name()).flat_map(|mode| mode.reads.iter().map(|name| (*name).to_owned())).collect();
        let unread: Vec<_> = there.difference(&read).collect();
        assert!(unread.is_empty(), "{}: no line of modes.txt reads {unread:?}", command.get_name());
        let unknown: Vec<_> = read.difference(&there).collect();
        assert!(unknown.is_empty(), "{}: modes.txt reads {unknown:?}, which is not an option", command.get_name());
        let needs = TABLE.needs.iter().filter(|need| need.command == command.get_name());
        for Need { option, others, .. } in needs {
            assert!([&[*option], &others[..]].concat().iter().all(|name| there.contains(*name)), "{option}");
        }
    }
}

#[test]
fn every_option_of_every_mode_is_taken_or_refused_by_name() {
    let mut looked_at = 0;
    for command in commands() {
        for mode in TABLE.of(command.get_name()).filter(|mode| !matches!(mode.chosen_by[..], [Choice::Files(_)])) {
            let chooses = line(&command, mode);
            let is_alone = chooses.values().flatten().any(|word| word == "list" || word.ends_with("=list"));
            for option in options(&command) {
                let title = name(option);
                let mut line = chooses.clone();
                with_needs(&command, &mut line, &title);
                line.entry(title.clone()).or_insert_with(|| words(option, sample(command.get_name(), option)));
                let all: Vec<&String> = line.values().flatten().collect();
                let came_to = parse(command.get_name(), &line);
                let is_read = line.keys().all(|option| mode.reads.contains(&option.as_str()));
                looked_at += 1;
                match came_to {
                    Ok(()) => {
                        // what is not read here has chosen another mode, which reads all of it
                        let elsewhere = TABLE
                            .of(command.get_name())
                            .any(|other| line.keys().all(|option| other.reads.contains(&option.as_str())));
                        assert!(is_read || elsewhere, "`{all:?}` is taken in silence");
                    }
                    Err(error) => {
                        assert!(!is_read || is_alone, "`{all:?}` is refused: {error}");
                        let named = line.keys().any(|option| {
                            ["needs", "cannot be used with"]
                                .iter()
                                .any(|what| error.starts_with(&format!("{option} {what} ")))
                        });
                        assert!(named && error.lines().count() == 1, "`{all:?}`: {error}");
                    }
                }
            }
        }
    }
    assert!(looked_at > 1000, "{looked_at} are looked at");
}

#[test]
fn every_mode_can_be_chosen() {
    for command in commands() {
        for mode in TABLE.of(command.get_name()).filter(|mode| !matches!(mode.chosen_by[..], [Choice::Files(_)])) {
            let line = line(&command, mode);
            let all = format!("{} {:?}", command.get_name(), line.values());
            let words =
                ["txbar", command.get_name()].map(str::to_owned).into_iter().chain(line.into_values().flatten());
            let matches = crate::command().try_get_matches_from(words).unwrap_or_else(|error| panic!("{all}: {error}"));
            let (_, given) = given(&matches).expect("there is a command");
            let chosen = choose(command.get_name(), &given).expect("there is a mode");
            assert!(std::ptr::eq(chosen, mode), "{all}: another mode comes first");
        }
    }
}
