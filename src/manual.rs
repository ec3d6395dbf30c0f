//! `txbar completions` and `txbar man`: what clap makes of the command line.

use crate::shell::output;
use crate::{Verdict, say, say_text};
use anyhow::{Context, Result};
use clap::Args;
use clap_mangen::Man;
use std::path::PathBuf;

/// Prints what a shell needs to complete the command's options, for its start-up file: `txbar completions bash > ~/.bash_completion`.
#[derive(Args)]
pub struct Shell {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: clap_complete::Shell,
}

/// Writes pages for man(1), `txbar.1` and one of each command, such as `txbar-sim.1`: `man ./txbar-sim.1` shows it.
#[derive(Args)]
pub struct Arguments {
    /// Directory for the pages
    #[arg(short, long, default_value = ".", value_name = "DIR")]
    output: PathBuf,
}

/// Prints completions.
pub fn completions(arguments: &Shell) -> Result<Verdict> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut crate::command(), "txbar", &mut script);
    say_text!("{}", String::from_utf8_lossy(&script));
    Ok(Verdict::Pass)
}

/// Writes the pages.
pub fn run(Arguments { output: directory }: &Arguments) -> Result<Verdict> {
    output::try_directory(directory)?;
    output::make_directory(directory)?;
    let mut whole = crate::command();
    whole.build(); // which gives subcommands their full names
    let page = |command: clap::Command| -> Result<()> {
        let man = Man::new(command);
        let path = directory.join(man.get_filename());
        let mut text = Vec::new();
        man.render(&mut text).context("a page of the manual")?;
        output::write_bytes(&path, &text)?;
        say!("{}", path.display());
        Ok(())
    };
    let subcommands = whole.get_subcommands().filter(|command| command.get_name() != "help");
    subcommands.cloned().try_for_each(page)?;
    page(whole.clone())?;
    Ok(Verdict::Pass)
}
