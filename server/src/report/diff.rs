//! What was inserted into a file, as a unified diff. Edits never add a line, so each edited line
//! stands against the original one of the same number; what is new in it is coloured.

use crate::terminal::paint::{Ink, Paint};
use raddle_instrumenter::edits::Edits;
use std::collections::BTreeMap;
use std::ops::Range;

/// Unchanged lines shown around changed ones.
const CONTEXT: usize = 2;

/// The diff of a file that is shown as `name`; empty when nothing was inserted.
pub fn unified(name: &str, source: &str, edits: &Edits, paint: Paint) -> String {
    let changed = changed(source, edits, paint);
    let lines: Vec<&str> = source.split_inclusive('\n').collect();
    let mut out = String::new();
    for hunk in hunks(&changed, lines.len()) {
        if out.is_empty() {
            out += &paint.ink(Ink::Strong, &format!("--- {name}"));
            out += "\n";
            out += &paint.ink(Ink::Strong, &format!("+++ {name} (instrumented)"));
            out += "\n";
        }
        let (start, len) = (hunk.start + 1, hunk.len());
        out += &paint.ink(Ink::Quiet, &format!("@@ -{start},{len} +{start},{len} @@"));
        out += "\n";
        for n in hunk {
            let line = lines[n].trim_end_matches('\n');
            match changed.get(&n) {
                None => out += &format!(" {line}\n"),
                Some(edited) => {
                    out += &paint.ink(Ink::Quiet, &format!("-{line}"));
                    out += &format!("\n+{edited}\n");
                }
            }
            if !lines[n].ends_with('\n') {
                out += "\\ No newline at end of file\n";
            }
        }
    }
    out
}

/// The edited lines by number, from 0, with what was inserted in colour.
fn changed(source: &str, edits: &Edits, paint: Paint) -> BTreeMap<usize, String> {
    let mut out: BTreeMap<usize, String> = BTreeMap::new();
    let (mut line, mut done) = (0, 0);
    for i in edits.insertions() {
        let passed = &source[done..i.at];
        if let Some(last) = passed.rfind('\n') {
            finish(&mut out, line, passed);
            line += passed.matches('\n').count();
            done += last + 1;
        }
        let text = out.entry(line).or_default();
        text.push_str(&source[done..i.at]);
        text.push_str(&paint.ink(Ink::Good, &i.text));
        done = i.at;
    }
    finish(&mut out, line, &source[done..]);
    out
}

/// The rest of a line that something was inserted into.
fn finish(out: &mut BTreeMap<usize, String>, line: usize, rest: &str) {
    if let Some(text) = out.get_mut(&line) {
        text.push_str(rest.split('\n').next().unwrap_or_default());
    }
}

/// Changed lines with what stands around them, those that touch in one.
fn hunks(changed: &BTreeMap<usize, String>, lines: usize) -> Vec<Range<usize>> {
    let mut hunks: Vec<Range<usize>> = Vec::new();
    for n in changed.keys() {
        let (start, end) = (n.saturating_sub(CONTEXT), (n + 1 + CONTEXT).min(lines));
        match hunks.last_mut() {
            Some(last) if start <= last.end => last.end = end,
            _ => hunks.push(start..end),
        }
    }
    hunks
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn lines_stand_against_each_other() {
        let source = "int a;\nint b;\nint f(void)\n{ return 1; }\n\n\n\n\n\nint g(void) { x(); y(); }";
        let mut edits = Edits::new();
        for (after, text) in [("{ return", "F;"), ("{ x", "G;"), (" y()", "P;")] {
            edits.insert(source.find(after).unwrap() + 1, text);
        }
        expect![[r#"
            --- a.c
            +++ a.c (instrumented)
            @@ -2,5 +2,5 @@
             int b;
             int f(void)
            -{ return 1; }
            +{F; return 1; }
             
             
            @@ -8,3 +8,3 @@
             
             
            -int g(void) { x(); y(); }
            +int g(void) {G; x(); P;y(); }
            \ No newline at end of file
        "#]]
        .assert_eq(&unified("a.c", source, &edits, Paint::none()));
        assert_eq!(unified("a.c", source, &Edits::new(), Paint::none()), "");
    }
}
