//! How a report is printed: its colours, where the output is a terminal and nobody asked for none (`--color`, NO_COLOR,
//! TERM=dumb), its columns, and whether it may have symbols.

use super::symbols;
use anstyle::{AnsiColor, Style};
use std::borrow::Cow;
use std::io::IsTerminal;
use std::sync::OnceLock;

/// Columns of what is no terminal: of files, pipes and what programs get.
pub const COLUMNS: usize = 100;
/// Fewest and most columns that a report is laid out for.
const LIMITS: (usize, usize) = (60, 120);

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

/// Colours or none, how many columns, and symbols or ASCII.
#[derive(Clone, Copy, Debug)]
pub struct Paint {
    colours: bool,
    columns: usize,
    is_ascii: bool,
}

impl Paint {
    /// For standard output as it is, and as `--color` asks.
    pub fn stdout() -> Paint {
        let colours = match CHOICE.get().copied().unwrap_or_default() {
            Choice::Always => true,
            Choice::Never => false,
            Choice::Auto => {
                let set = |name| std::env::var_os(name).is_some_and(|v| !v.is_empty());
                let dumb = std::env::var_os("TERM").is_none_or(|t| t == "dumb");
                std::io::stdout().is_terminal() && !set("NO_COLOR") && !dumb
            }
        };
        let is_ascii = symbols::is_ascii_locale(|name| std::env::var(name).ok());
        Paint { colours, columns: columns(), is_ascii }
    }

    /// Takes what `--color` says; the first word counts.
    pub fn choose(choice: Choice) {
        let _ = CHOICE.set(choice);
    }

    /// No colours; as files and programs get it.
    pub fn none() -> Paint {
        Paint { colours: false, columns: COLUMNS, is_ascii: false }
    }

    /// The same for so many columns.
    #[cfg(test)]
    pub fn of_columns(columns: usize) -> Paint {
        Paint { columns, ..Paint::none() }
    }

    /// The same in ASCII.
    #[cfg(test)]
    pub fn in_ascii(self) -> Paint {
        Paint { is_ascii: true, ..self }
    }

    /// How many columns a line may have.
    pub fn columns(self) -> usize {
        self.columns
    }

    /// A text that was laid out, with the mark of what was cut off: `…`, or in ASCII one that is as wide.
    pub fn cut_mark(self, text: String) -> String {
        if self.is_ascii { text.replace('…', "~") } else { text }
    }

    /// The text with the symbols that can be shown.
    pub fn symbols(self, text: &str) -> Cow<'_, str> {
        if self.is_ascii { symbols::ascii(text) } else { Cow::Borrowed(text) }
    }

    /// The text in its colour.
    pub fn ink(self, ink: Ink, text: &str) -> String {
        if !self.colours || text.is_empty() {
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

/// Columns of the terminal; COLUMNS wins, as a shell's user sets it.
fn columns() -> usize {
    let named = std::env::var("COLUMNS").ok().and_then(|text| text.trim().parse().ok());
    let terminal = || terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| width.0.into());
    let columns = named.filter(|n: &usize| *n > 0).or_else(terminal).unwrap_or(COLUMNS);
    columns.clamp(LIMITS.0, LIMITS.1)
}
