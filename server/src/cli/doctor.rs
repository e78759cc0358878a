//! `raddle doctor`: what of this machine Raddle uses, what is missing, and what each is for.

mod checks;

use super::{out, status};
use crate::error::Result;
use crate::terminal::paint::{Ink, Paint};
use crate::terminal::wrap;

const EXAMPLES: &str = "\
Examples:
  raddle doctor                can tests be explored here?
  raddle doctor crates/queue   with the Rust toolchain of that package

Exit status: 0 tests can be explored (something that only other commands need may be missing), 2 they cannot.";

/// Say what is missing on this machine, and what each thing is for
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[group(skip)]
pub struct Args {
    /// A folder, whose Rust toolchain is looked at
    #[arg(default_value = ".")]
    folder: std::path::PathBuf,
}

/// How something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It is there and works.
    Ok,
    /// Exploring cannot do without it, or cannot do without it what the folder has.
    Missing,
    /// Only what it is for is not possible.
    Absent,
}

/// One thing that was looked at.
#[derive(Debug)]
struct Finding {
    /// Its name.
    name: &'static str,
    /// What it is for.
    purpose: &'static str,
    state: State,
    /// Which one there is, or what is wrong.
    found: String,
    /// What to do about it.
    next: Option<String>,
}

impl Finding {
    fn new(
        name: &'static str,
        purpose: &'static str,
        found: std::result::Result<String, Problem>,
    ) -> Finding {
        match found {
            Ok(found) => Finding { name, purpose, state: State::Ok, found, next: None },
            Err(problem) => {
                Finding { name, purpose, state: State::Absent, found: problem.what, next: Some(problem.next) }
            }
        }
    }

    /// Exploring needs it.
    fn required(mut self) -> Finding {
        if self.state == State::Absent {
            self.state = State::Missing;
        }
        self
    }
}

/// Why something cannot be used, and what to do.
#[derive(Debug)]
struct Problem {
    what: String,
    next: String,
}

/// Looks at everything and prints what was found.
pub fn run(args: &Args) -> Result<u8> {
    let findings = checks::all(&args.folder)?;
    out(&text(&findings, Paint::stdout()))?;
    let missing = findings.iter().any(|f| f.state == State::Missing);
    Ok(if missing { status::ERROR } else { status::PASSED })
}

/// Below the states.
const INDENT: &str = "           ";

fn text(findings: &[Finding], paint: Paint) -> String {
    let mut text = String::from("\n");
    for f in findings {
        let (word, ink) = match f.state {
            State::Ok => ("ok", Ink::Good),
            State::Missing => ("MISSING", Ink::Bad),
            State::Absent => ("absent", Ink::Warn),
        };
        let word = paint.ink(ink, &format!("{word:7}"));
        let wrapped = |text: &str| wrap::wrap(text, paint.columns().saturating_sub(INDENT.len()), 0);
        let found = wrapped(&format!("{}: {}", f.name, f.found)).join(&format!("\n{INDENT}"));
        let found = found.replacen(f.name, &paint.ink(Ink::Strong, f.name), 1);
        text += &format!("  {word}  {found}\n");
        for line in wrapped(&format!("for {}", f.purpose)) {
            text += &format!("{INDENT}{}\n", paint.ink(Ink::Quiet, &line));
        }
        for line in f.next.iter().flat_map(|next| wrapped(&format!("next: {next}"))) {
            text += &format!("{INDENT}{line}\n");
        }
    }
    let count = |state| findings.iter().filter(|f| f.state == state).count();
    let verdict = match (count(State::Missing), count(State::Absent)) {
        (0, 0) => "Everything is there.".to_string(),
        (0, n) => format!("Tests can be explored; {n} absent for other commands."),
        (n, _) => format!("Tests cannot be explored: {n} missing."),
    };
    text + &format!("\n  {}\n", paint.ink(Ink::Strong, &verdict))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_says_what_it_is_for_and_what_to_do() {
        let problem = || Err(Problem { what: "not on PATH".into(), next: "install it".into() });
        let gdb = Finding::new("gdb", "debugging", problem());
        let cc = Finding::new("cc", "C tests", problem()).required();
        let ok = Finding::new("cache", "builds", Ok("/tmp".into())).required();
        let plain = text(&[ok, gdb, cc], Paint::none());
        let expected = "\n  ok       cache: /tmp\n           for builds\n  \
            absent   gdb: not on PATH\n           for debugging\n           next: install it\n  \
            MISSING  cc: not on PATH\n           for C tests\n           next: install it\n\n  \
            Tests cannot be explored: 1 missing.\n";
        assert_eq!(plain, expected);
    }
}
