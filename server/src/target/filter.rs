//! Which tests are meant: substring filters as in `cargo test`, or whole names.

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

impl Filter {
    fn matches(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|n| self.one(n, name))
    }

    fn one(&self, filter: &str, name: &str) -> bool {
        if self.exact { name == filter } else { name.contains(filter) }
    }
}

/// The tests that are meant. An error when there is none, or when one of several filters matches
/// nothing: it is most likely misspelt.
pub fn select<T: Named>(tests: Vec<T>, filter: &Filter, target: &str) -> Result<Vec<T>> {
    let idle = filter.names.iter().find(|n| !tests.iter().any(|t| filter.one(n, t.name())));
    if let Some(name) = idle {
        let all: Vec<&str> = tests.iter().map(Named::name).collect();
        return Err(Error::new(format!("no test of {target} matches `{name}`")).next(near(name, &all)));
    }
    Ok(tests.into_iter().filter(|t| filter.matches(t.name())).collect())
}

/// The one test that is meant, taken out of its target. A whole name wins over names that contain it.
pub fn one(target: &mut Target, name: &str, exact: bool) -> Result<Test> {
    let tests = std::mem::take(&mut target.tests);
    let exact = exact || tests.iter().any(|t| t.name == name);
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
fn near(wanted: &str, all: &[&str]) -> String {
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
    fn near_names_are_listed_nearest_first() {
        let e = check(&["audti"], false).unwrap_err();
        assert!(e.contains("no test of x matches `audti`"), "{e}");
        assert!(e.contains("near names: `bank::audit`, `queue::audit`, `bank::transfers`"), "{e}");
        assert!(check(&["audit", "nothing"], false).is_err());
    }
}
