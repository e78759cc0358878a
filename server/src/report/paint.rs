//! Colours, where the output is a terminal and nobody asked for none (`--color`, NO_COLOR, TERM=dumb).

use anstyle::{AnsiColor, Style};
use std::io::IsTerminal;
use std::sync::OnceLock;

/// What a piece of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// A verdict of passed.
    Good,
    /// A failure, a preemption.
    Bad,
    /// Something to look at.
    Warn,
    /// Places and commands: quieter than the story.
    Quiet,
    /// Headings.
    Strong,
}

/// When there are colours: `--color`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Choice {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Also into a pipe or a file
    Always,
    /// Never
    Never,
}

/// The choice of the command line, made once before anything is printed.
static CHOICE: OnceLock<Choice> = OnceLock::new();

/// Colours or none.
#[derive(Clone, Copy, Debug)]
pub struct Paint(bool);

impl Paint {
    /// For standard output as it is, and as `--color` asks.
    pub fn stdout() -> Paint {
        Paint(match CHOICE.get().copied().unwrap_or_default() {
            Choice::Always => true,
            Choice::Never => false,
            Choice::Auto => {
                let set = |name| std::env::var_os(name).is_some_and(|v| !v.is_empty());
                let dumb = std::env::var_os("TERM").is_none_or(|t| t == "dumb");
                std::io::stdout().is_terminal() && !set("NO_COLOR") && !dumb
            }
        })
    }

    /// Takes what `--color` says; the first word counts.
    pub fn choose(choice: Choice) {
        let _ = CHOICE.set(choice);
    }

    /// Never any.
    pub fn none() -> Paint {
        Paint(false)
    }

    /// The text in its colour.
    pub fn ink(self, ink: Ink, text: &str) -> String {
        if !self.0 || text.is_empty() {
            return text.to_string();
        }
        let style = match ink {
            Ink::Good => Style::new().fg_color(Some(AnsiColor::Green.into())),
            Ink::Bad => Style::new().bold().fg_color(Some(AnsiColor::Red.into())),
            Ink::Warn => Style::new().fg_color(Some(AnsiColor::Yellow.into())),
            Ink::Quiet => Style::new().dimmed(),
            Ink::Strong => Style::new().bold(),
        };
        format!("{style}{text}{style:#}")
    }
}
