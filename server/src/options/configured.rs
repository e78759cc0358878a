//! The options of a subcommand with those of the settings files behind them: what was typed wins, then the table of the
//! test, then the nearer file.
//!
//! Settings become the words that a person would have typed, and those and the typed ones are parsed together.

use super::explore;
use super::{Run, Variable};
use crate::error::{Error, Result};
use crate::settings::{Section, Setting, Settings, Value, keys};
use clap::error::ErrorKind;
use clap::{Command, FromArgMatches};
use std::collections::{BTreeMap, BTreeSet};

/// What settings files add to a command line, beside the options themselves.
#[derive(Clone, Debug, Default)]
pub struct FromFiles {
    /// Variables of the environment. Commands that replay do not repeat them: they come from the files again.
    pub env: Vec<Variable>,
    /// Options that were typed where a file sets them too. Commands that replay repeat them even where they say the default.
    pub overridden: BTreeSet<&'static str>,
    /// No option that a schedule depends on was typed: those that there are come from files.
    pub all_from_files: bool,
}

/// Options of a subcommand that settings files may set.
pub trait Configured: clap::Args {
    /// How tests are built and run.
    fn run_mut(&mut self) -> &mut Run;
}

/// Options for all tests, and for those that have some of their own.
pub struct Resolved<A> {
    /// For all tests without a table.
    pub base: A,
    /// By name.
    pub tests: BTreeMap<String, A>,
}

/// The options that settings and typed words say together. `positional` are the words that are no options.
pub fn resolve<A: Configured>(
    settings: &Settings,
    typed: &[String],
    positional: &[String],
) -> Result<Resolved<A>> {
    check(settings)?;
    let mut tests = BTreeMap::new();
    for (name, test) in &settings.tests {
        let mut section = settings.base.clone();
        section.cover(test.section.clone());
        let args = with_section(&section, typed, positional).map_err(|e| {
            Error::new(format!("{}: the settings of the test `{name}` cannot be used", test.origin))
                .because(e)
        })?;
        tests.insert(name.clone(), args);
    }
    let base = with_section(&settings.base, typed, positional).map_err(|e| {
        let next = next_step(&settings.base, &e).unwrap_or_else(|| "correct the options".into());
        Error::new(e).next(next)
    })?;
    Ok(Resolved { base, tests })
}

/// The step after options that cannot stand beside each other: where files set those that are named.
pub fn next_step(section: &Section, refusal: &str) -> Option<String> {
    let is_named = |s: &&Setting| refusal.contains(&format!("--{}", s.key.name));
    let named = section.settings.values().filter(is_named);
    let told: Vec<String> = named.map(|s| format!("{} sets `{}`", s.origin, s.key.name)).collect();
    (!told.is_empty()).then(|| format!("{}; an option of the command line wins", told.join(", ")))
}

/// The name of the option in a word that was typed.
pub fn option(word: &str) -> &str {
    word.trim_start_matches("--").split('=').next().unwrap_or_default()
}

fn with_section<A: Configured>(
    section: &Section,
    typed: &[String],
    positional: &[String],
) -> std::result::Result<A, String> {
    let command = A::augment_args(Command::new("raddle"));
    let said: BTreeSet<&str> = typed.iter().map(|word| option(word)).collect();
    let is_said = |name: &str| said.contains(name) || keys::rivals(name).iter().any(|r| said.contains(r));
    let known = |s: &&Setting| command.get_arguments().any(|a| a.get_long() == Some(s.key.name));
    let settings: Vec<&Setting> = section.settings.values().filter(known).collect();
    let overridden = settings.iter().map(|s| s.key.name).filter(|name| said.contains(name)).collect();
    let words = settings.iter().filter(|s| !is_said(s.key.name)).flat_map(|s| s.words());
    let before = ["raddle".to_string()].into_iter();
    let line = before.chain(words).chain(typed.iter().cloned()).chain(["--".to_string()]);
    let mut args: A = parse(&command, line.chain(positional.iter().cloned()))?;
    let plain = ["raddle".to_string()].into_iter().chain(typed.iter().cloned()).chain(["--".to_string()]);
    let mut plain: A = parse(&command, plain.chain(positional.iter().cloned()))?;
    let all_from_files = plain.run_mut().program.for_replay().is_empty();
    let env = section.env.iter().map(|(name, v)| Variable::new(name, &v.value)).collect();
    args.run_mut().program.files = FromFiles { env, overridden, all_from_files };
    Ok(args)
}

fn parse<A: FromArgMatches>(
    command: &Command,
    line: impl Iterator<Item = String>,
) -> std::result::Result<A, String> {
    let matches = command.clone().try_get_matches_from(line);
    matches.and_then(|m| A::from_arg_matches(&m)).map_err(|e| said(&e))
}

/// The first thing that clap says.
fn said(e: &clap::Error) -> String {
    let text = e.to_string();
    text.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default().trim().to_string()
}

/// Refuses a value that its option does not take, even where another one is in its place.
pub fn check(settings: &Settings) -> Result<()> {
    let command = <explore::Args as clap::Args>::augment_args(Command::new("raddle"));
    for setting in settings.all() {
        let words = ["raddle".to_string()].into_iter().chain(setting.words());
        let Err(e) = command.clone().try_get_matches_from(words) else { continue };
        if !matches!(e.kind(), ErrorKind::ValueValidation | ErrorKind::InvalidValue) {
            continue;
        }
        let said = said(&e);
        let cause = said.split_once(">': ").map_or(said.as_str(), |(_, cause)| cause);
        let cause = cause.split_once(">'\n").map_or(cause, |(_, cause)| cause);
        let cause = cause.trim().trim_start_matches('[').trim_end_matches(']');
        let name = setting.key.name;
        let what = format!("{}: `{name}` cannot be `{}`", setting.origin, setting.value);
        let next = match &setting.value {
            // The one value that it takes is the default.
            Value::Text(_) if name == "jobs" => "remove the line, or write jobs = 1",
            _ => "correct the value",
        };
        return Err(Error::new(what).because(cause).next(next));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::words;

    /// The options that hold beside this file, for all tests and for the test `t`, in a command that replays.
    fn check(file: &str, typed: &str) -> std::result::Result<[String; 2], String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("raddle.toml"), file).unwrap();
        std::fs::write(folder.path().join("a.c"), "").unwrap();
        let target = folder.path().join("a.c").display().to_string();
        let base = format!("{}/", folder.path().canonicalize().unwrap().display());
        let error = |e: Error| e.render().replace(&base, "");
        let typed = words("", typed).unwrap();
        let typed: Vec<String> = typed.into_iter().map(|w| w.into_string().unwrap()).collect();
        let settings = Settings::of(&target).map_err(error)?;
        let resolved: Resolved<explore::Args> = resolve(&settings, &typed, &[target]).map_err(error)?;
        let mut base = resolved.base;
        let said = |args: &mut explore::Args| args.run_mut().program.for_replay();
        let of_test = resolved.tests.into_iter().next().map(|(_, mut args)| said(&mut args));
        Ok([said(&mut base), of_test.unwrap_or_default()])
    }

    #[test]
    fn what_was_typed_wins_then_the_test_then_the_file() {
        let file = "trust = [\"a\"]\nmain-exit = \"kill\"\n[test.t]\ntrust = [\"b\", \"c\"]\n";
        let said = |typed: &str| check(file, typed).unwrap();
        assert_eq!(said(""), [" --trust a --main-exit kill", " --trust b,c --main-exit kill"]);
        assert_eq!(said("--trust=d"), [" --trust d --main-exit kill"; 2]);
        // Replaying reads the file again, so what it was overridden with is said though it is the default.
        assert_eq!(said("--main-exit=wait")[0], " --trust a --main-exit wait");
        assert_eq!(
            check("inputs = \"0..4\"\nisolation = \"fork\"", "--inputs=0,1,min,max --isolation=memory")
                .unwrap()[0]
                .matches("--i")
                .count(),
            2
        );
        // The environment comes from the file again.
        assert_eq!(check("env = { A = \"1\" }", "").unwrap()[0], "");
        // Options that refuse each other do so on one line only.
        assert_eq!(check("release = true", "--profile=x").unwrap()[0], " --profile=x");
    }

    #[test]
    fn a_wrong_value_is_refused_with_its_line() {
        for (file, expected) in [
            (
                "\nbound = \"some\"",
                "raddle.toml:2: `bound` cannot be `some`\n  cause: expected one of: none, preemptions=N",
            ),
            (
                "time = \"5 fortnights\"",
                "raddle.toml:1: `time` cannot be `5 fortnights`\n  cause: expected a time",
            ),
            ("carriers = \"pigeons\"", "cause: possible values: fibers, os-threads"),
            ("[test.x]\nmax-threads = 0", "raddle.toml:2: `max-threads` cannot be `0`"),
            (
                "jobs = 2",
                "raddle.toml:1: `jobs` cannot be `2`\n  cause: a search has 1 runner process so far\n  next: remove the line",
            ),
            ("features = [\"a\"]\nall-features = 1", "raddle.toml:2: `all-features`"),
        ] {
            let said = check(file, "--bound=none --time=1s").unwrap_err();
            assert!(said.contains(expected), "{file}: {said}");
        }
    }

    #[test]
    fn every_key_is_an_option_of_the_command_line() {
        let command = <explore::Args as clap::Args>::augment_args(Command::new("raddle"));
        for key in keys::KEYS {
            let option = command.get_arguments().find(|a| a.get_long() == Some(key.name));
            let option = option.unwrap_or_else(|| panic!("no option --{}", key.name));
            let is_flag = !option.get_action().takes_values();
            assert_eq!(is_flag, key.shape == keys::Shape::Flag, "{}", key.name);
            // Where the option names its default, the key says the same.
            let defaults = option.get_default_values();
            if let Some(default) = defaults.first().filter(|_| !key.unset.is_empty() && !is_flag) {
                assert_eq!(default.to_str(), Some(key.unset), "{}", key.name);
            }
        }
    }
}
