//! Which functions of a text are worth prioritising: those with schedule points, and those that
//! call one of them, as far as the text's own words show it. A focus holds for what a function
//! calls, so `transfer` is worth it though only its helper takes the lock.

use raddle_instrumenter::index::{Function, Index};
use std::collections::{BTreeMap, BTreeSet};

/// Their places among the index's functions, tests left out.
pub fn prioritisable(index: &Index, text: &str) -> BTreeSet<usize> {
    let tests: BTreeSet<_> = index.tests.iter().map(|t| (t.line, t.column)).collect();
    let (mut found, calls) = (with_points(index), calls(index, text));
    // From called to caller, until nothing more is found.
    let mut new: Vec<usize> = found.iter().copied().collect();
    while let Some(called) = new.pop() {
        let callers = calls.get(last(&index.functions[called].name)).into_iter().flatten();
        new.extend(callers.copied().filter(|caller| found.insert(*caller)));
    }
    // A closure has no name that a focus could be on; it counts for the function around it.
    let named = |f: &Function| !last(&f.name).starts_with('{');
    let is_test = |f: &Function| tests.contains(&(f.line, f.column));
    found.retain(|f| named(&index.functions[*f]) && !is_test(&index.functions[*f]));
    found
}

/// Functions with schedule points of their own.
fn with_points(index: &Index) -> BTreeSet<usize> {
    let mut sites: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for site in &index.sites {
        sites.entry(&site.function).or_default().push(site.line);
    }
    let has = |(_, f): &(usize, &Function)| {
        let within = |line: &u32| (f.line..=f.end_line).contains(line);
        sites.get(f.name.as_str()).is_some_and(|lines| lines.iter().any(within))
    };
    index.functions.iter().enumerate().filter(has).map(|(i, _)| i).collect()
}

/// By the last part of a function's name: the functions whose bodies have that word before a
/// parenthesis.
fn calls<'t>(index: &Index, text: &'t str) -> BTreeMap<&'t str, BTreeSet<usize>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut calls: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for (caller, f) in index.functions.iter().enumerate() {
        let (from, to) = (f.line as usize - 1, (f.end_line as usize).min(lines.len()));
        for (n, line) in lines.get(from..to).into_iter().flatten().enumerate() {
            // Its own name stands before a parenthesis too.
            let line = if n == 0 { line.get(f.column as usize..).unwrap_or_default() } else { line };
            for word in called(line) {
                calls.entry(word).or_default().insert(caller);
            }
        }
    }
    calls
}

/// The words before parentheses.
fn called(line: &str) -> impl Iterator<Item = &str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices('(').filter_map(move |(at, _)| {
        let word = line[..at].rsplit(|c| !is_word(c)).next().unwrap_or_default();
        (!word.is_empty()).then_some(word)
    })
}

fn last(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lsp::sources;
    use std::path::Path;

    #[track_caller]
    fn check(file: &str, text: &str, expected: &[&str]) {
        let index = sources::index(Path::new(file), text).unwrap();
        let mut names: Vec<&str> =
            prioritisable(&index, text).iter().map(|f| index.functions[*f].name.as_str()).collect();
        names.sort();
        assert_eq!(names, expected);
    }

    #[test]
    fn callers_of_functions_with_points_are_worth_it() {
        let text = "\
            use std::sync::Mutex;\n\
            struct Bank(Mutex<i64>);\n\
            impl Bank {\n\
                fn lock(&self) -> i64 { *self.0.lock().unwrap() }\n\
                fn audit(&self) -> i64 { self.lock() }\n\
                fn name(&self) -> &str { \"bank\" }\n\
            }\n\
            fn twice(bank: &Bank) -> i64 {\n\
                bank.audit() * 2\n\
            }\n\
            #[test]\n\
            fn all() { let run = || twice(&Bank(Mutex::new(1))); run(); }\n";
        check("/a/src/lib.rs", text, &["Bank::audit", "Bank::lock", "twice"]);
        let text = "\
            #include <pthread.h>\n\
            static pthread_mutex_t m;\n\
            static void take(void) { pthread_mutex_lock(&m); }\n\
            static int pure(int n) { return n ? pure(n - 1) : 0; }\n\
            static void both(void) { take(); pure(3); }\n\
            int main(void) { both(); return 0; }\n";
        check("/a/b.c", text, &["both", "take"]);
    }
}
