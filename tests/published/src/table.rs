//! `OUTCOMES.md`: what `outcomes.toml` holds, as people read it.

use crate::outcome::{Explored, Outcome, Outcomes, share};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

const HEAD: &str = "\
# Published code, with and without Raddle

Written by `cargo xtask test --all` from what it measured; [outcomes.toml](outcomes.toml) has the same
for programs. The packages are fetched through cargo, pinned by checksum in [crates.toml](crates.toml)
and [programs.toml](programs.toml), and never committed.

Each test program is built twice, plainly and with what Raddle inserts (function markers; the facade
for Rust), and each of its tests is run both ways in a process of its own. *Different* counts the tests
with another outcome, and those whose panics or backtraces name another line of the package (*places*
says how many were compared). *Moved* counts the files with a line that is not where it was, or whose
original does not come back, byte for byte, when the insertions are taken out of what was compiled.
Doc tests are left out. *Functions* are those with a body in the files that were compiled, bodies in
`macro_rules!` included; closures that are passed to a spawn carry markers too, but do not count.
";

/// Where it is committed.
pub fn file() -> PathBuf {
    crate::list::folder().join("OUTCOMES.md")
}

/// The whole file.
pub fn render(outcomes: &Outcomes) -> String {
    let mut out = HEAD.to_string();
    section(&mut out, "Crates", "crate", &outcomes.crates);
    section(&mut out, "C programs", "program", &outcomes.programs);
    out.push_str("\n## What was left alone, and why\n\n| | functions | why |\n|---|--:|---|\n");
    for outcome in outcomes.all() {
        for (reason, count) in by_count(&outcome.left) {
            line(&mut out, &[&outcome.name, &count.to_string(), reason]);
        }
    }
    let explored: Vec<_> = outcomes.crates.iter().filter_map(|o| Some((o, o.explored.as_ref()?))).collect();
    if !explored.is_empty() {
        explorations(&mut out, &explored);
    }
    out
}

fn section(out: &mut String, title: &str, what: &str, outcomes: &[Outcome]) {
    let _ = writeln!(out, "\n## {title}\n");
    let heads = [
        what,
        "what it is",
        "passed",
        "failed",
        "ignored",
        "different",
        "places",
        "files",
        "lines",
        "moved",
        "functions",
        "marked",
        "share",
    ];
    line(out, &heads);
    line(out, &["---", "---", "--:", "--:", "--:", "--:", "--:", "--:", "--:", "--:", "--:", "--:", "--:"]);
    let row = |out: &mut String, name: &str, of: &[Outcome]| {
        let sum = |number: &dyn Fn(&Outcome) -> usize| of.iter().map(number).sum::<usize>();
        let numbers = [
            sum(&|o| o.passed),
            sum(&|o| o.failed),
            sum(&|o| o.ignored),
            sum(&|o| o.different.len()),
            sum(&|o| o.places),
            sum(&|o| o.files),
            sum(&|o| o.lines),
            sum(&|o| o.moved.len()),
            sum(&Outcome::functions),
            sum(&|o| o.marked),
        ];
        let what = if let [one] = of { one.what.clone() } else { String::new() };
        let mut cells = vec![name.to_string(), what];
        cells.extend(numbers.iter().map(usize::to_string));
        cells.push(share(numbers[9], numbers[8]));
        line(out, &cells.iter().map(String::as_str).collect::<Vec<_>>());
    };
    for outcome in outcomes {
        row(out, &format!("{} {}", outcome.name, outcome.version), std::slice::from_ref(outcome));
    }
    row(out, "**sum**", outcomes);
}

fn explorations(out: &mut String, explored: &[(&Outcome, &Explored)]) {
    out.push_str(
        "\n## Each test in one execution under Raddle's control\n\n\
         For information: this says how far Raddle's model of the world reaches. Plain runs are for real.\n\
         A test that polls, reads the real clock or does what is not modelled cannot pass here.\n\n\
         | crate | passed | failed | not run | the commonest reasons |\n|---|--:|--:|--:|---|\n",
    );
    for (outcome, e) in explored {
        let why: Vec<String> = by_count(&e.why).map(|(why, count)| format!("{count} × {why}")).collect();
        let cells = [e.passed.to_string(), e.failed.to_string(), e.refused.to_string()];
        line(out, &[&outcome.name, &cells[0], &cells[1], &cells[2], &why.join("; ")]);
    }
}

fn by_count(counts: &BTreeMap<String, usize>) -> impl Iterator<Item = (&String, usize)> {
    let mut list: Vec<(&String, usize)> = counts.iter().map(|(text, count)| (text, *count)).collect();
    list.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    list.into_iter()
}

fn line(out: &mut String, cells: &[&str]) {
    for cell in cells {
        let cell = cell.replace('|', "\\|");
        let _ = write!(out, "| {cell} ");
    }
    out.push_str("|\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_table_is_of_the_committed_outcomes() {
        let committed = std::fs::read_to_string(file()).unwrap();
        assert_eq!(committed, render(&Outcomes::committed().unwrap()));
    }

    #[test]
    fn sums_are_sums() {
        let one = |name: &str, marked, left| Outcome {
            name: name.into(),
            version: "1.0.0".into(),
            what: "a|b".into(),
            passed: 2,
            marked,
            left: BTreeMap::from([("it is a const fn".to_string(), left)]),
            ..Outcome::default()
        };
        let text = render(&Outcomes { crates: vec![one("x", 9, 1), one("y", 10, 0)], programs: Vec::new() });
        assert!(
            text.contains("| x 1.0.0 | a\\|b | 2 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 10 | 9 | 90.0 % |\n"),
            "{text}"
        );
        assert!(
            text.contains("| **sum** |  | 4 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 20 | 19 | 95.0 % |\n"),
            "{text}"
        );
        assert!(text.contains("| x | 1 | it is a const fn |\n"), "{text}");
    }
}
