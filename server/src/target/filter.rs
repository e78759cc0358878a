//! Which tests are meant: by whole names, by the ends of names, or by parts of names.

use super::{Listed, Target, Test};
use crate::error::{Error, Result};
use strsim::levenshtein;

/// Filters of the command line.
#[derive(Clone, Debug)]
pub struct Filter {
    /// Any of these; none means every test.
    pub names: Vec<String>,
    /// Whole names instead of parts.
    pub exact: bool,
}

/// Anything that has a test's name.
pub trait Named {
    /// The name.
    fn name(&self) -> &str;
}

impl Named for Test {
    fn name(&self) -> &str {
        &self.name
    }
}

impl Named for Listed {
    fn name(&self) -> &str {
        &self.name
    }
}

/// How a name that was written stands for tests.
#[derive(Clone, Copy, PartialEq)]
enum Means {
    /// For the test of this name.
    Whole,
    /// For tests whose names contain it.
    Part,
}

impl Means {
    /// The closest way in which the name stands for any of the tests.
    fn closest<T: Named>(written: &str, tests: &[T], exact: bool) -> Option<Means> {
        let ways = if exact { &[Means::Whole][..] } else { &[Means::Whole, Means::Part] };
        ways.iter().copied().find(|way| tests.iter().any(|t| way.matches(written, t.name())))
    }

    fn matches(self, written: &str, name: &str) -> bool {
        match self {
            Means::Whole => name == written,
            Means::Part => name.contains(written),
        }
    }
}

/// The tests that are meant: a whole name wins over parts, which is said. An error when there is none, or when one of several filters matches
/// nothing: it is most likely misspelt.
pub fn select<T: Named>(tests: Vec<T>, filter: &Filter, target: &str) -> Result<Vec<T>> {
    let mut meant = Vec::new();
    for name in &filter.names {
        let Some(way) = Means::closest(name, &tests, filter.exact) else {
            let all: Vec<&str> = tests.iter().map(Named::name).collect();
            return Err(Error::new(format!("no test of {target} matches `{name}`")).next(near(name, &all)));
        };
        let others = tests.iter().filter(|t| t.name() != name && t.name().contains(name.as_str())).count();
        if way == Means::Whole && !filter.exact && others > 0 {
            let tests = match others {
                1 => "1 more test that has it in its name is left out".to_string(),
                _ => format!("{others} more tests that have it in their names are left out"),
            };
            eprintln!("raddle: `{name}` is a test's whole name; {tests}");
        }
        meant.push((name, way));
    }
    let is_meant =
        |test: &T| meant.is_empty() || meant.iter().any(|(name, way)| way.matches(name, test.name()));
    Ok(tests.into_iter().filter(is_meant).collect())
}

/// The one test that is meant, taken out of its target.
pub fn one(target: &mut Target, name: &str, exact: bool) -> Result<Test> {
    let tests = std::mem::take(&mut target.tests);
    let filter = Filter { names: vec![name.to_string()], exact };
    let mut found = select(tests, &filter, &target.named)?;
    if found.len() > 1 {
        let names: Vec<String> = found.iter().map(|t| format!("`{}`", t.name)).collect();
        return Err(Error::new(format!("`{name}` names {} tests", names.len()))
            .because(names.join(", "))
            .next("give one whole name; a schedule belongs to one test"));
    }
    found.pop().ok_or_else(|| Error::new(format!("no test of {} matches `{name}`", target.named)))
}

/// The names nearest to what was written.
pub fn near(wanted: &str, all: &[&str]) -> String {
    if all.is_empty() {
        return "the target has no test at all".to_string();
    }
    let mut ranked: Vec<(usize, &str)> = all.iter().map(|n| (distance(wanted, n), *n)).collect();
    ranked.sort();
    let names: Vec<String> = ranked.iter().take(5).map(|(_, n)| format!("`{n}`")).collect();
    let more = if all.len() > names.len() { format!(" ({} in all)", all.len()) } else { String::new() };
    format!("near names: {}{more}", names.join(", "))
}

/// Edits (Levenshtein) from a name, or from its last segment where that is nearer.
fn distance(wanted: &str, name: &str) -> usize {
    let last = name.rsplit("::").next().unwrap_or(name);
    levenshtein(wanted, name).min(levenshtein(wanted, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Named for &str {
        fn name(&self) -> &str {
            self
        }
    }

    const TESTS: [&str; 3] = ["bank::transfers", "bank::audit", "queue::audit"];

    fn check(names: &[&str], exact: bool) -> std::result::Result<Vec<&'static str>, String> {
        let filter = Filter { names: names.iter().map(|n| n.to_string()).collect(), exact };
        select(TESTS.to_vec(), &filter, "x").map_err(|e| e.render())
    }

    #[test]
    fn parts_and_whole_names() {
        assert_eq!(check(&[], false).unwrap(), TESTS);
        assert_eq!(check(&["audit"], false).unwrap(), ["bank::audit", "queue::audit"]);
        assert_eq!(check(&["bank::audit"], true).unwrap(), ["bank::audit"]);
        assert!(check(&["audit"], true).is_err());
    }

    #[test]
    fn a_whole_name_wins_over_parts() {
        let select = |names: &[&str]| {
            let filter = Filter { names: names.iter().map(|n| n.to_string()).collect(), exact: false };
            let tests = vec!["a::take", "a::take_twice", "take", "take_twice", "retake"];
            select(tests, &filter, "x").unwrap_or_default()
        };
        assert_eq!(select(&["take_twice"]), ["take_twice"]);
        assert_eq!(select(&["take"]), ["take"]);
        assert_eq!(select(&["a::take"]), ["a::take"]);
        assert_eq!(select(&["tak"]).len(), 5);
        assert_eq!(select(&["retake", "take"]), ["take", "retake"]);
    }

    #[test]
    fn near_names_are_listed_nearest_first() {
        let e = check(&["audti"], false).unwrap_err();
        assert!(e.contains("no test of x matches `audti`"), "{e}");
        assert!(e.contains("near names: `bank::audit`, `queue::audit`, `bank::transfers`"), "{e}");
        assert!(check(&["audit", "nothing"], false).is_err());
    }
}
