//! `--points-at`, `--trust` and the focus: are the functions that were named there at all? The records of the build know
//! every function that carries a marker; of a program that somebody else built, only the
//! functions that were entered are known for sure.
//!
//! Records are kept by file, and C programs share a store of them. So only those count whose file
//! the target was made of (its debug information says which), and still says the same.

use super::selection::is_meant_variable;
use crate::error::{Error, Result};
use crate::runner::Entry;
use crate::symbols::source_files;
use crate::target::{Contents, Target, Test};
use raddle_instrumenter::c::Language;
use raddle_instrumenter::instrument::Record;
use raddle_protocol::report::Warning;
use raddle_schedule::Granularity;
use raddle_schedule::channel::Channel;
use raddle_schedule::channel::methods::{is_meant, is_within};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use strsim::levenshtein;

/// Names of functions.
pub type Names = BTreeSet<String>;

/// The options that name functions.
pub const POINTS_AT: &str = "--points-at";
/// See [`POINTS_AT`].
pub const TRUST: &str = "--trust";
/// See [`POINTS_AT`].
pub const METHOD: &str = "--focus-method";

/// Most names that a refusal shows.
const SHOWN: usize = 5;

/// Refuses names that no function has, as far as that is known before anything has run.
pub fn check_before(option: &str, names: &[String], target: &Target) -> Result<()> {
    let whose = |t: &Test| matches!(t.contents, Contents::Hash(_)) || t.launch.entry == Entry::Harness;
    let built_here = target.tests.iter().all(whose);
    let marked = if built_here && !names.is_empty() { marked(target) } else { Names::new() };
    if marked.is_empty() {
        Ok(())
    } else {
        check(option, names, &marked, "no function of the program is called that")
    }
}

/// Refuses names that no function has, now that these were entered.
pub fn check_after(option: &str, names: &[String], target: &Target, mut entered: Names) -> Result<()> {
    if names.is_empty() {
        return Ok(());
    }
    entered.extend(marked(target));
    check(option, names, &entered, "no function of that name was entered")
}

/// Refuses names that no variable has, now that these were met.
pub fn check_variables(names: &[String], met: &Names) -> Result<()> {
    let Some(unknown) = names.iter().find(|name| !met.iter().any(|v| is_meant_variable(v, name))) else {
        return Ok(());
    };
    let what = format!("--focus-var {unknown}: no operation worked on a variable of that name");
    let alike = alike(unknown, met, |s| s.rsplit(['.', ':', '>']).next().unwrap_or(s));
    let some: Vec<&str> = met.iter().take(SHOWN).map(String::as_str).collect();
    let such = if some.is_empty() { String::new() } else { format!(", such as {}", some.join(", ")) };
    Err(Error::new(what).next(those(&alike, &format!("give a variable's name as reports give it{such}"))))
}

/// The functions of the target that the build put markers into.
fn marked(target: &Target) -> Names {
    let sources = sources(target);
    let counts = |r: &Record| {
        // Each package has a store of its own, each C program has not.
        Language::of(&r.file).is_none() || sources.contains(&real(&r.file))
    };
    let records = target.edits.current().into_iter().filter(counts);
    records.flat_map(|record| record.marked).map(|m| m.name).collect()
}

/// The C and C++ files that the target was made of.
fn sources(target: &Target) -> BTreeSet<PathBuf> {
    let programs: BTreeSet<&Path> = target.tests.iter().map(|t| t.launch.program.as_path()).collect();
    let compiled = programs.into_iter().flat_map(source_files);
    let named = target.paths.named.iter().map(|(path, _)| path.clone());
    compiled.chain(named).map(|path| real(&path)).collect()
}

/// The path without links, where it is there.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The functions that were entered so far.
pub fn entered(channel: &Channel) -> Names {
    channel.methods().all().map(|m| m.name.to_string()).collect()
}

/// What a search that has run says of its points.
pub fn warnings(granularity: Granularity, points_at: &[String], channel: &Channel) -> Vec<Warning> {
    let mut warnings: Vec<Warning> = no_statement(granularity, channel).into_iter().collect();
    let entered = entered(channel);
    let without = points_at.iter().filter(|name| !entered.iter().any(|f| is_meant(f, name)));
    warnings.extend(without.map(|name| Warning {
        kind: "no-points".into(),
        message: format!(
            "--points-at {name}: no operation of a function of that name was reached, so it gave no schedule point"
        ),
        location: None, replay: None }));
    warnings
}

/// Points before statements were asked for, and the program has come to none: it was built
/// without, or never gets there.
pub fn no_statement(granularity: Granularity, channel: &Channel) -> Option<Warning> {
    let reached = channel.header().statements.load(Ordering::Relaxed) != 0;
    (granularity == Granularity::Statement && !reached).then(|| Warning {
        kind: "no-statements".into(),
        message: "no statement with a point was reached, so threads were switched nowhere between \
                  statements; a program that is built by hand gets such points with the flag \
                  -fraddle-statements=* of raddle cc"
            .into(),
        location: None,
        replay: None,
    })
}

/// Refuses names that none of these functions has.
fn check(option: &str, names: &[String], functions: &Names, why: &str) -> Result<()> {
    // What is trusted may be a module.
    let is_it = if option == TRUST { is_within } else { is_meant };
    let Some(unknown) = names.iter().find(|name| !functions.iter().any(|f| is_it(f, name))) else {
        return Ok(());
    };
    let alike = alike(unknown, functions, |s| s.rsplit("::").find(|p| !p.starts_with('{')).unwrap_or(s));
    let otherwise = "give the name of a function of the program, or the end of one from a `::` on";
    Err(Error::new(format!("{option} {unknown}: {why}")).next(those(&alike, otherwise)))
}

fn those(alike: &[String], otherwise: &str) -> String {
    if alike.is_empty() { otherwise.to_string() } else { format!("there is: {}", alike.join(", ")) }
}

/// Names that could have been meant, the likeliest first; `last` is the part that is compared.
fn alike(name: &str, there: &Names, last: fn(&str) -> &str) -> Vec<String> {
    let last = |s: &str| last(s).to_lowercase();
    let wanted = last(name);
    let mut found: Vec<(usize, &String)> = there
        .iter()
        .filter(|f| !f.ends_with('}'))
        .map(|f| {
            let there = last(f);
            let within = there.contains(&wanted) || wanted.contains(&there);
            (if within { 1 } else { levenshtein(&wanted, &there) }, f)
        })
        .filter(|(d, _)| *d <= 2)
        .collect();
    found.sort();
    found.into_iter().take(SHOWN).map(|(_, f)| f.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[&str]) -> Names {
        list.iter().map(|s| s.to_string()).collect()
    }

    #[test]
    fn a_name_that_no_function_has_is_refused_with_those_alike() {
        let there = names(&["main", "bank::Account::withdraw", "letters", "letters::{closure}"]);
        let check = |wanted: &[&str]| {
            let wanted: Vec<String> = wanted.iter().map(|s| s.to_string()).collect();
            check("--points-at", &wanted, &there, "there is none").map_err(|e| e.render())
        };
        assert_eq!(check(&["letters", "withdraw", "Account::withdraw"]), Ok(()));
        let text = check(&["main", "lettres"]).unwrap_err();
        assert!(text.contains("--points-at lettres") && text.contains("there is: letters\n"), "{text}");
        let text = check(&["draw"]).unwrap_err();
        assert!(text.contains("there is: bank::Account::withdraw"), "{text}");
        assert!(check(&["nowhere"]).unwrap_err().contains("give the name of a function"));
    }

    #[test]
    fn a_name_that_no_variable_has_is_refused_with_those_alike() {
        let met = names(&["bank::TOTAL", "self.accounts[to] #2", "q->lock"]);
        let check = |wanted: &str| check_variables(&[wanted.to_string()], &met).map_err(|e| e.render());
        for there in ["TOTAL", "accounts", "self.accounts", "lock"] {
            assert_eq!(check(there), Ok(()));
        }
        let text = check("TOTALS").unwrap_err();
        assert!(text.contains("--focus-var TOTALS") && text.contains("there is: bank::TOTAL\n"), "{text}");
        assert!(check("elsewhere").unwrap_err().contains("as reports give it"));
    }
}
