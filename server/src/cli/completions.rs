//! `raddle completions` and `raddle man`: what a shell and `man` need, made from the command line's own description.

use super::{out, status};
use crate::error::{Error, Result};
use clap_complete::Shell;

const EXAMPLES: &str = "\
Examples:
  raddle completions bash > ~/.local/share/bash-completion/completions/raddle
  raddle completions zsh > ~/.zfunc/_raddle
  raddle completions fish > ~/.config/fish/completions/raddle.fish";

/// Print completions for a shell
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the completions.
pub fn run(args: &Args, mut command: clap::Command) -> Result<u8> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "raddle", &mut text);
    print(text)
}

/// Prints the manual page: the options of `raddle`, and those of each subcommand below it.
pub fn manual(mut command: clap::Command) -> Result<u8> {
    command.build();
    let mut text = Vec::new();
    let written = clap_mangen::Man::new(command.clone()).render(&mut text).and_then(|()| {
        let shown = command.get_subcommands().filter(|c| !c.is_hide_set() && c.get_name() != "help");
        shown.cloned().try_for_each(|c| {
            let man = clap_mangen::Man::new(c.clone());
            let name = c.get_bin_name().unwrap_or(c.get_name()).to_uppercase();
            text.extend(format!(".SH \"{name}\"\n").bytes());
            man.render_description_section(&mut text)?;
            man.render_options_section(&mut text)
        })
    });
    written.map_err(|e| Error::new("cannot make the manual page").because(e))?;
    print(text)
}

fn print(text: Vec<u8>) -> Result<u8> {
    out(&String::from_utf8_lossy(&text))?;
    Ok(status::PASSED)
}
