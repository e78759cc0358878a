//! What compilers said of sources, read from their messages: rustc's, with the place behind an arrow below the message, and
//! those of gcc and clang, which begin with it. Their columns count characters (rustc), cells of a terminal (gcc) or bytes
//! (clang); here all count bytes.

use raddle_protocol::report::Location;
use raddle_protocol::session::{Problem, Severity};
use std::path::{Path, PathBuf};
use unicode_width::UnicodeWidthChar;

/// What a compiler's columns count.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Unit {
    Characters,
    Cells,
    Bytes,
}

/// A message as it was read.
struct Said {
    severity: Severity,
    message: String,
    file: String,
    line: u32,
    column: u32,
    /// So many characters are underlined.
    length: u32,
    unit: Unit,
}

/// The errors and warnings in what a build said; relative names are of one of these folders.
pub fn problems(text: &str, by_clang: bool, folders: &[PathBuf]) -> Vec<Problem> {
    let lines: Vec<&str> = text.lines().collect();
    let said = (0..lines.len()).filter_map(|n| of_rustc(&lines[n..]).or_else(|| of_c(&lines[n..], by_clang)));
    let mut found: Vec<Problem> = Vec::new();
    for problem in said.map(|said| problem(said, folders)) {
        if !found.contains(&problem) {
            found.push(problem);
        }
    }
    found
}

fn problem(said: Said, folders: &[PathBuf]) -> Problem {
    let named = Path::new(&said.file);
    let there = folders.iter().map(|folder| folder.join(named)).find(|file| file.is_file());
    let file = there.unwrap_or_else(|| named.to_owned());
    let text = std::fs::read(&file).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let line = text.lines().nth(said.line.saturating_sub(1) as usize).unwrap_or_default();
    let start = bytes_before(line, said.column.saturating_sub(1), said.unit);
    let rest = line.get(start..).unwrap_or_default();
    let length = match said.length {
        0 | 1 => word(rest),
        characters => rest.chars().take(characters as usize).map(char::len_utf8).sum(),
    };
    let column = start as u32 + 1;
    let location = Location { file: file.display().to_string(), line: said.line, column };
    Problem { severity: said.severity, message: said.message, location, end_column: column + length as u32 }
}

/// How many bytes lie before a column that counts from 0.
fn bytes_before(line: &str, column: u32, unit: Unit) -> usize {
    let mut counted = 0;
    for (at, c) in line.char_indices() {
        if counted >= column {
            return at;
        }
        counted += match unit {
            Unit::Characters => 1,
            Unit::Bytes => c.len_utf8() as u32,
            Unit::Cells if c == '\t' => 8 - counted % 8,
            Unit::Cells => c.width().unwrap_or(0) as u32,
        };
    }
    line.len()
}

/// The length of the name that a text begins with, else of its first character.
fn word(text: &str) -> usize {
    let name = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    if name > 0 { name } else { text.chars().next().map_or(0, char::len_utf8) }
}

fn severity(word: &str) -> Option<Severity> {
    match word {
        "error" | "fatal error" => Some(Severity::Error),
        "warning" => Some(Severity::Warning),
        _ => None,
    }
}

/// `error[E0308]: mismatched types`, and below it `  --> src/lib.rs:3:5`.
fn of_rustc(lines: &[&str]) -> Option<Said> {
    let (head, message) = lines[0].split_once(": ")?;
    let severity = severity(head.split('[').next()?)?;
    let below = lines[1..].iter().take_while(|line| !line.is_empty()).take(4);
    let place = below.clone().find_map(|line| line.trim_start().strip_prefix("--> "))?;
    let (file, line, column) = place_of(place)?;
    let marks = lines[1..].iter().take_while(|line| !line.is_empty()).find(|line| line.contains('^'));
    let length =
        marks.map_or(0, |line| line.chars().skip_while(|c| *c != '^').take_while(|c| *c == '^').count());
    let (file, message) = (file.to_string(), message.to_string());
    Some(Said { severity, message, file, line, column, length: length as u32, unit: Unit::Characters })
}

/// `src/queue.c:12:5: error: expected ‘;’`.
fn of_c(lines: &[&str], by_clang: bool) -> Option<Said> {
    let kinds = [": error: ", ": fatal error: ", ": warning: "];
    let (at, kind) = kinds.iter().filter_map(|kind| Some((lines[0].find(kind)?, *kind))).min()?;
    let (file, line, column) = place_of(&lines[0][..at])?;
    let severity = severity(kind.trim_matches([':', ' ']))?;
    let message = lines[0][at + kind.len()..].to_string();
    let unit = if by_clang { Unit::Bytes } else { Unit::Cells };
    Some(Said { severity, message, file: file.to_string(), line, column, length: 0, unit })
}

/// `FILE:LINE:COLUMN`.
fn place_of(text: &str) -> Option<(&str, u32, u32)> {
    let (rest, column) = text.trim_end().rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    Some((file, line.parse().ok().filter(|n| *n > 0)?, column.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places with bytes as columns, in a file of this text.
    #[track_caller]
    fn check(text: &str, said: &str, by_clang: bool, expected: &[&str]) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.c"), text).unwrap();
        let found = problems(said, by_clang, &[dir.path().to_owned()]);
        let shown = found.iter().map(|p| {
            let file = Path::new(&p.location.file).file_name().unwrap_or_default().display().to_string();
            let Location { line, column, .. } = p.location;
            format!("{:?} {file}:{line}:{column}-{} {}", p.severity, p.end_column, p.message)
        });
        assert_eq!(shown.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn messages_of_rustc() {
        let said = "error[E0425]: cannot find value `x` in this scope\n --> a.c:2:8\n  |\n2 | /* ü */ xyz;\n  |         ^^^ not found\n\n\
                    warning: unused\n  --> a.c:1:1\n\nerror: could not compile `a` due to 1 previous error\n";
        let expected = ["Error a.c:2:9-12 cannot find value `x` in this scope", "Warning a.c:1:1-4 unused"];
        check("one\n/* ü */xyz;\n", said, false, &expected);
    }

    #[test]
    fn messages_of_c_compilers() {
        let text = "/* 🦀 */ x = 1;\n\ty = 1;\n";
        // The crab has two cells and four bytes; a tab ends at the next eighth cell.
        let said =
            "a.c: In function ‘f’:\na.c:1:10: error: ‘x’ undeclared\na.c:2:9: warning: unused [-Wunused]\n";
        check(
            text,
            said,
            false,
            &["Error a.c:1:12-13 ‘x’ undeclared", "Warning a.c:2:2-3 unused [-Wunused]"],
        );
        check(text, "a.c:1:12: fatal error: no\na.c:1:12: note: here\n", true, &["Error a.c:1:12-13 no"]);
        check(text, "nothing: error: here\n/usr/bin/ld: error: x\n", true, &[]);
    }
}
