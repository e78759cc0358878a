//! What is inserted into C: removing it gives the file back, lines stay, and what compiled before
//! compiles afterwards, without a new warning, and does the same.

use proptest::prelude::*;
use raddle_instrumenter::c::{Language, functions::instrument};
use raddle_instrumenter::edits::Unit;
use raddle_instrumenter::instrument::{Instrumented, Record, Statements};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// What holds for any text, well-formed or not.
fn check(text: &str, language: Language) -> Instrumented {
    for wanted in [Statements::None, Statements::All] {
        let instrumented = instrument(text, language, &wanted);
        let edited = instrumented.edits.apply(text);
        assert_eq!(instrumented.edits.remove(&edited).as_deref(), Some(text));
        assert_eq!(edited.matches('\n').count(), text.matches('\n').count());
        let record = Record::new(Path::new("/x"), text, &instrumented);
        let (mut shift, mut next) = (0, instrumented.edits.insertions().iter().peekable());
        let (mut row, mut start, mut edited_start) = (1, 0, 0);
        for (at, c) in text.char_indices() {
            while let Some(i) = next.next_if(|i| i.at <= at) {
                shift += i.text.len();
            }
            let column = record.columns.original(row, (at + shift - edited_start) as u32 + 1, Unit::Bytes);
            assert_eq!(column, (at - start) as u32 + 1, "line {row}");
            if c == '\n' {
                (row, start, edited_start) = (row + 1, at + 1, at + 1 + shift);
            }
        }
    }
    instrument(text, language, &Statements::None)
}

fn files(folder: &Path, extensions: &[&str], found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|e| e.path()) {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
        if path.is_dir() && !path.is_symlink() && !path.ends_with("target") && !path.ends_with(".git") {
            files(&path, extensions, found);
        } else if path.is_file() && extensions.contains(&extension) {
            found.push(path);
        }
    }
}

#[test]
fn real_files() {
    let mut found = Vec::new();
    for folder in ["samples", "tests", "runtime"] {
        files(&root().join(folder), &["c", "h", "cpp", "cc"], &mut found);
    }
    assert!(found.len() > 20, "{found:?}");
    let mut functions = 0;
    for file in &found {
        let text = std::fs::read_to_string(file).unwrap();
        let instrumented = check(&text, Language::of(file).unwrap_or(Language::C));
        assert!(instrumented.left.is_empty(), "{}: {:?}", file.display(), instrumented.left);
        functions += instrumented.marked.len();
    }
    assert!(functions > 100, "{functions}");
}

/// Headers hold what sources do not: attributes, macros that end in the middle, other languages.
#[test]
fn headers_of_the_system() {
    let mut found = Vec::new();
    files(Path::new("/usr/include/x86_64-linux-gnu"), &["h"], &mut found);
    files(Path::new("/usr/include/linux"), &["h"], &mut found);
    found.sort();
    for file in found.iter().take(200) {
        if let Ok(text) = std::fs::read_to_string(file) {
            check(&text, Language::C);
            check(&text, Language::Cpp);
        }
    }
}

/// Runs the compiler on a text; the warnings as lines and kinds, and what the program prints.
fn run(folder: &Path, text: &str, flags: &str) -> (BTreeSet<(String, String)>, String) {
    std::fs::write(folder.join("case.c"), text).unwrap();
    std::fs::write(folder.join("runtime.c"), RUNTIME).unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(flags.split_whitespace()).current_dir(folder).arg("-include");
    compiler.arg(root().join("runtime/include/raddle_points.h"));
    let output = compiler.args(["case.c", "runtime.c", "-o", "case"]).env("LC_ALL", "C").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}\n{text}");
    let kind = |line: &str| {
        let (place, message) = line.split_once(" warning: ")?;
        let row = place.split(':').nth(1)?;
        let kind = message.rsplit_once('[').map_or(message, |(_, kind)| kind);
        Some((row.to_string(), kind.to_string()))
    };
    let output = Command::new(folder.join("case")).output().unwrap();
    assert!(output.status.success(), "{:?}\n{text}", output.status);
    (said.lines().filter_map(kind).collect(), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A runtime that says whether begins and ends of functions agree.
const RUNTIME: &str = r#"
#include <stdio.h>
#include <stdlib.h>

static unsigned depth;
void raddle_rt_enter_at(const __raddle_record *m, unsigned *frame, const void *end)
{ (void)m, (void)end; *frame = depth++; }
void raddle_rt_leave_at(unsigned *frame)
{ if (--depth != *frame) { puts("the stack is not what it was"); abort(); } }
void raddle_rt_statement(void) { }
"#;

/// The same warnings, or fewer, and the same output, with markers and with points.
fn compare(text: &str, flags: &str) {
    let folder = tempfile::tempdir().unwrap();
    let (warnings, printed) = run(folder.path(), text, flags);
    for wanted in [Statements::None, Statements::All] {
        let edited = instrument(text, Language::C, &wanted).edits.apply(text);
        let (new_warnings, new_printed) = run(folder.path(), &edited, flags);
        assert_eq!(new_printed, printed, "{edited}");
        let new: Vec<_> = new_warnings.difference(&warnings).collect();
        assert!(new.is_empty(), "{new:?} with {flags}\n{edited}");
    }
}

#[test]
fn odd_programs_stay_what_they_are() {
    let text = std::fs::read_to_string(root().join("tests/programs/odd.c")).unwrap();
    for flags in ["-O0 -Wall -Wextra -Wshadow", "-O2 -std=gnu11 -Wall -Wextra", "-O1 -std=gnu2x -Wall -DWIDE"]
    {
        compare(&text, flags);
    }
    let functions = instrument(&text, Language::C, &Statements::None);
    assert!(functions.left.is_empty(), "{:?}", functions.left);
    let names: Vec<&str> = functions.marked.iter().map(|m| m.name.as_str()).collect();
    for name in ["old", "nested::twice", "computed", "duff", "arms", "macros", "conditional", "main"] {
        assert!(names.contains(&name), "{name} is not among {names:?}");
    }
}

/// C89, as strictly as it can be asked for.
#[test]
fn the_oldest_c() {
    let text = "extern int printf(const char *, ...);\nint shared;\nint f(int a)\n{\n    int b = shared, c = a;\n    \
        b += c;\n    {\n        int d = b + shared;\n        return d;\n    }\n}\n\
        int main(void) { int r = f(2); if (r) return printf(\"%d\\n\", r) < 0; return 0; }\n";
    compare(text, "-std=c89 -pedantic-errors -Wall -Wextra -Werror -Wdeclaration-after-statement");
}

/// One statement.
fn statement() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        expression().prop_map(|e| format!("shared += {e};")),
        expression().prop_map(|e| format!("x = {e};")),
        expression().prop_map(|e| format!("printf(\"%d \", {e});")),
        expression().prop_map(|e| format!("if (n < -40) return {e};")),
        Just(";".to_string()),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let block = prop::collection::vec(inner.clone(), 0..4).prop_map(|s| s.join("\n"));
        prop_oneof![
            block.clone().prop_map(|b| format!("{{ {b} }}")),
            (expression(), block.clone()).prop_map(|(e, b)| format!("{{ int y = {e}; x += y;\n{b} }}")),
            (expression(), inner.clone()).prop_map(|(e, s)| format!("if ({e})\n {s}")),
            (expression(), inner.clone(), inner.clone())
                .prop_map(|(e, a, b)| format!("if ({e}) {a}\nelse {b}")),
            (expression(), inner.clone()).prop_map(|(e, s)| format!("while (n-- > 0 && {e}) {s}")),
            (expression(), inner.clone()).prop_map(|(e, s)| format!("do {s} while (n-- > 0 && {e});")),
            inner.clone().prop_map(|s| format!("for (int i = shared & 1; i < 2; i++) {s}")),
            inner.clone().prop_map(|s| format!("EACH(i, 2) {s}")),
            (expression(), block.clone(), inner.clone()).prop_map(|(e, b, s)| format!(
                "switch ({e} & 3) {{ case 0: {b} break; case 1: ; {b}\ndefault: {s} }}"
            )),
            (expression(), block.clone()).prop_map(|(e, b)| format!(
                "{{\n#ifdef OTHER\nif ({e}) {{\n#else\nif (!({e})) {{\n#endif\n{b} }} }}"
            )),
            (expression(), block).prop_map(|(e, b)| format!("x += ({{ {b} {e}; }});")),
        ]
    })
}

fn expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        (0..9u8).prop_map(|n| n.to_string()),
        Just("x".to_string()),
        Just("shared".to_string()),
        Just("RED".to_string()),
        Just("(char)sizeof(x)".to_string()),
    ];
    leaf.prop_recursive(2, 6, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} + {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} < {b})")),
            (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| format!("({a} ? {b} : {c})")),
            inner.prop_map(|a| format!("(-{a} & 0xff)")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 40, ..ProptestConfig::default() })]

    /// Programs of generated statements: `if`s and loops in each other without braces, switches,
    /// macros that are heads of statements, arms that share a brace.
    #[test]
    fn generated_programs(bodies in prop::collection::vec(prop::collection::vec(statement(), 1..5), 12)) {
        let mut text = String::from(
            "#include <stdio.h>\n#define EACH(i, n) for (int i = 0; i < (n); i++)\n\
             enum { RED, GREEN };\nstatic int shared;\n",
        );
        let mut main = String::from("int main(void)\n{\n");
        for (n, body) in bodies.iter().enumerate() {
            let body = body.join("\n");
            text += &format!("static int f{n}(int x) {{ int n = 3;\n{body}\nreturn x + n; }}\n");
            main += &format!("    shared = 0; printf(\"%d %d\\n\", f{n}({n}), shared);\n");
        }
        text += &(main + "    return 0;\n}\n");
        check(&text, Language::C);
        compare(&text, "-O1 -fwrapv -Wall -Wextra");
    }

    /// Any text at all: nothing is lost, even if nothing can be read.
    #[test]
    fn any_text(text in "([a-z]{1,3}|[0-9]|[-+*/=<>!&|,;:?(){}#\"'.\\\\]| |\n|\tint |if |else |while |return |#if 0|#endif|é){0,80}") {
        check(&text, Language::C);
        check(&text, Language::Cpp);
    }
}
