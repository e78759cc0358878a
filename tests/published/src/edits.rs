//! What Raddle's builds inserted into the files of a package: which functions carry a marker,
//! which do not and why, and whether each file keeps its lines.
//!
//! The builds keep a record of each file they compiled. From the text that was compiled and the
//! columns in its record, by which reports find the original place, the original must come back
//! byte for byte, and no line of it may be another one than before.

use crate::outcome::Outcome;
use raddle_instrumenter::instrument::Record;
use std::fs;
use std::path::Path;

/// What a language knows of its files.
pub trait Language {
    /// The text that was compiled for a file that was edited.
    fn edited(&self, record: &Record, source: &str) -> Result<String, String>;

    /// How many functions with a body a file has, wherever they stand.
    fn functions(&self, file: &Path, source: &str) -> usize;
}

/// Adds what the records of files below this folder say to an outcome.
pub fn count(outcome: &mut Outcome, records: &[Record], folder: &Path, language: &dyn Language) {
    for record in records.iter().filter(|r| r.file.starts_with(folder)) {
        let name = record.file.strip_prefix(folder).unwrap_or(&record.file).display().to_string();
        let Ok(source) = fs::read_to_string(&record.file) else {
            outcome.moved.push(format!("{name}: cannot be read as text"));
            continue;
        };
        outcome.files += 1;
        outcome.lines += source.lines().count();
        let closures = record.marked.iter().filter(|m| is_closure(&m.name)).count();
        outcome.closures += closures;
        outcome.marked += record.marked.len() - closures;
        let all = language.functions(&record.file, &source);
        if let Some(left) = record.left.iter().find(|l| l.name.is_empty()) {
            *outcome.left.entry(format!("whole file: {}", left.reason)).or_default() += all;
            continue;
        }
        let left: Vec<_> = record.left.iter().filter(|l| !is_closure(&l.name)).collect();
        for left in &left {
            *outcome.left.entry(left.reason.clone()).or_default() += 1;
        }
        // What the record does not speak of.
        let known = record.marked.len() - closures + left.len();
        if all > known {
            *outcome.left.entry(UNSEEN.to_string()).or_default() += all - known;
        }
        let checked = language.edited(record, &source).and_then(|e| check(record, &source, &e));
        outcome.moved.extend(checked.err().map(|w| format!("{name}: {w}")));
    }
}

/// The reason for functions that no record names.
const UNSEEN: &str = "it is an argument of a macro that may care about every token";

/// Is this text the original with what its record says, on the same lines?
pub fn check(record: &Record, source: &str, edited: &str) -> Result<(), String> {
    if edited.matches('\n').count() != source.matches('\n').count() {
        return Err("a line moves".to_string());
    }
    let back = restored(record, edited).ok_or("its record is not of the text that was compiled")?;
    if back == source {
        return Ok(());
    }
    let differs = back.split_inclusive('\n').zip(source.split_inclusive('\n')).position(|(a, b)| a != b);
    Err(format!("line {} does not come back", differs.unwrap_or_default() + 1))
}

/// The text without what its record says was inserted; `None` when it has no such places.
fn restored(record: &Record, edited: &str) -> Option<String> {
    let mut lines: Vec<String> = edited.split_inclusive('\n').map(str::to_string).collect();
    let columns = serde_json::to_value(&record.columns).ok()?;
    for shift in columns["shifts"].as_array()? {
        let number = |key: &str| shift[key].as_u64().map(|n| n as usize);
        // Those before it on the line are out already, so the offset is the original one.
        let (line, at, len) = (number("line")?, number("bytes")?, number("len")?);
        let text = lines.get_mut(line.checked_sub(1)?)?;
        let inserted = text.get(at..at + len)?;
        if !inserted.is_ascii() || inserted.contains('\n') {
            return None;
        }
        text.replace_range(at..at + len, "");
    }
    Some(lines.concat())
}

fn is_closure(name: &str) -> bool {
    name.ends_with("{closure}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_instrumenter::edits::Edits;
    use raddle_instrumenter::instrument::{Instrumented, Left, Marked};

    const SOURCE: &str = "fn a() {\r\n}\nconst fn é() {}\nfn c() {} fn d() {}";

    /// The record of an edit of [`SOURCE`], and the edited text.
    fn edited(file: &Path) -> (Record, String) {
        let mut edits = Edits::new();
        for (at, _) in SOURCE.match_indices("() {").filter(|(at, _)| !SOURCE[..*at].ends_with('é')) {
            edits.insert(at + 4, "mark!();");
        }
        let marked = |name: &str, line| Marked { name: name.into(), line };
        let left = vec![Left { name: "é".into(), line: 3, reason: "it is a const fn".into() }];
        let marked = vec![marked("a", 1), marked("a::{closure}", 1), marked("c", 4), marked("d", 4)];
        let text = edits.apply(SOURCE);
        (Record::new(file, SOURCE, &Instrumented { edits, marked, left, unmarked: false }), text)
    }

    struct Compiled(String);

    impl Language for Compiled {
        fn edited(&self, _: &Record, _: &str) -> Result<String, String> {
            Ok(self.0.clone())
        }

        fn functions(&self, _: &Path, _: &str) -> usize {
            4
        }
    }

    fn outcome_of(change: impl Fn(Record) -> Record) -> Outcome {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.rs");
        fs::write(&file, SOURCE).unwrap();
        let mut outcome = Outcome::default();
        let (record, text) = edited(&file);
        let elsewhere = Record::untouched(Path::new("/elsewhere/a.rs"), b"", "none");
        count(&mut outcome, &[change(record), elsewhere], folder.path(), &Compiled(text));
        outcome
    }

    #[test]
    fn functions_are_counted() {
        let outcome = outcome_of(|r| r);
        assert_eq!((outcome.files, outcome.lines, outcome.marked, outcome.closures), (1, 4, 3, 1));
        assert_eq!((outcome.functions(), outcome.left["it is a const fn"]), (4, 1));
        assert_eq!(outcome.moved, [""; 0]);
    }

    #[test]
    fn functions_of_a_file_left_alone_count_each() {
        let outcome = outcome_of(|r| Record::untouched(&r.file, SOURCE.as_bytes(), "it does not compile"));
        assert_eq!((outcome.marked, outcome.left["whole file: it does not compile"]), (0, 4));
    }

    #[test]
    fn what_does_not_come_back_is_told() {
        let outcome = outcome_of(|r| Record { columns: Default::default(), ..r });
        assert_eq!(outcome.moved, ["a.rs: line 1 does not come back"]);
        let (record, text) = edited(Path::new("/a.rs"));
        assert_eq!(check(&record, SOURCE, &text), Ok(()));
        for (changed, told) in [
            (text.replace("fn c", "fn e"), "line 4 does not come back"),
            (text.replace("}\n", "}\r\n"), "line 2 does not come back"),
            (text.replace("}\n", "}\n\n"), "a line moves"),
            (text.replace("() {mark!();}", ""), "its record is not of the text that was compiled"),
        ] {
            assert_eq!(check(&record, SOURCE, &changed), Err(told.to_string()), "{changed}");
        }
    }
}
