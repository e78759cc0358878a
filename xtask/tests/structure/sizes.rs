//! No file has more than 500 lines, and no struct more than 20 public fields.

use crate::sources::{self, Source};
use std::collections::BTreeMap;

/// Lines of a file.
const MOST_LINES: usize = 500;

/// Public fields of a struct.
const MOST_FIELDS: usize = 20;

/// Files that are longer, with their lines. This list may only shrink.
const LONG_FILES: [(&str, usize); 2] = [("runtime/src/kernel/spin.rs", 651), ("runtime/src/method.rs", 509)];

/// Structs with more public fields, by file and name. This list may only shrink.
const LARGE_STRUCTS: [(&str, usize); 10] = [
    ("engine/src/config.rs Config", 37),
    ("engine/src/record.rs Record", 23),
    ("engine/src/reduction/causality.rs Step", 22),
    ("engine/src/summary.rs Summary", 40),
    ("protocol/src/report.rs Report", 37),
    ("protocol/src/session/state.rs SessionState", 25),
    ("runtime/src/kernel/mod.rs Kernel", 70),
    ("runtime/src/kernel/thread.rs Thread", 42),
    ("schedule/src/trace.rs Trace", 26),
    ("server/src/annotate/annotated_trace.rs AnnotatedOp", 21),
];

/// The public fields of each struct of a file that has any, by the struct's name.
fn public_fields(source: &Source) -> Vec<(String, usize)> {
    let mut structs = Vec::new();
    let code = source.code();
    let mut lines = code.lines();
    while let Some(line) = lines.next() {
        let opens = line.trim_start();
        let Some(name) = name_of_struct(opens) else { continue };
        let indent = line.len() - opens.len();
        let is_end = |line: &&str| !(line.trim() == "}" && line.len() == indent + 1);
        let fields = lines.by_ref().take_while(is_end);
        let public = fields.filter(|line| is_public_field(line, indent + 4)).count();
        structs.push((name.to_string(), public));
    }
    structs
}

/// The name of the struct with named fields that begins in this line.
fn name_of_struct(line: &str) -> Option<&str> {
    let (before, rest) = line.split_once("struct ")?;
    let is_start = before.is_empty() || before.starts_with("pub");
    let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    (is_start && line.ends_with('{')).then_some(name)
}

fn is_public_field(line: &str, indent: usize) -> bool {
    line.len() > indent && line.len() - line.trim_start().len() == indent && {
        let field = line.trim_start();
        field.starts_with("pub ") || field.starts_with("pub(")
    }
}

/// Compares the things above a limit with the list of exceptions.
fn hold(what: &str, most: usize, found: BTreeMap<String, usize>, exceptions: &[(&str, usize)]) {
    let mut wrong = Vec::new();
    for (name, size) in &found {
        match exceptions.iter().find(|(known, _)| known == name) {
            None => wrong.push(format!("{name} has {size} {what}; {most} are the limit")),
            Some((_, known)) if size > known => {
                wrong.push(format!("{name} has grown from {known} to {size} {what}"));
            }
            Some((_, known)) if size < known => {
                wrong.push(format!("{name} has only {size} {what}: correct the list of exceptions"));
            }
            Some(_) => {}
        }
    }
    for (known, _) in exceptions.iter().filter(|(known, _)| !found.contains_key(*known)) {
        wrong.push(format!("{known} is within {most} {what}: take it out of the list of exceptions"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_are_short() {
    let all = sources::all().into_iter().map(|source| (source.path, source.text.lines().count()));
    hold("lines", MOST_LINES, all.filter(|(_, lines)| *lines > MOST_LINES).collect(), &LONG_FILES);
}

#[test]
fn structs_have_few_public_fields() {
    let sources = sources::all();
    let rust = sources.iter().filter(|source| source.path.ends_with(".rs"));
    let all = rust.flat_map(|source| {
        let named = |(name, fields)| (format!("{} {name}", source.path), fields);
        public_fields(source).into_iter().map(named)
    });
    let large = all.filter(|(_, fields)| *fields > MOST_FIELDS).collect();
    hold("public fields", MOST_FIELDS, large, &LARGE_STRUCTS);
}

#[test]
fn public_fields_are_counted() {
    let text = "pub struct A<T> {\n    pub a: T,\n    /// A field.\n    pub(crate) b: u8,\n    c: u8,\n}\n\nstruct B;\n";
    let source = Source { path: String::new(), text: text.to_string() };
    assert_eq!(public_fields(&source), [("A".to_string(), 2)]);
}
