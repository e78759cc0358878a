//! All messages of the program on one page (`messages/all.txt`) and its help (`messages/help.txt`), to be read as a whole: errors,
//! warnings, notes and what reports say. Both are written anew with `UPDATE_EXPECT=1`. A lint refuses the words of `REFUSED` in them,
//! in the book and in the README.

use expect_test::expect_file;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use raddle_tests::binary::{binary, root};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crates whose texts people read.
const CRATES: [&str; 7] =
    ["engine/src", "gui/src", "instrumenter/src", "plot/src", "protocol/src", "runtime/src", "server/src"];

/// The sources of the editor's extension, and what else of it people read.
const EXTENSION: &str = "vscode-extension/src";
const MANIFEST: &str = "vscode-extension/package.json";
const README: &str = "vscode-extension/README.md";
/// Written by a program, from protocol/src.
const GENERATED: &str = "vscode-extension/src/protocol.ts";

/// Words that this project has made up, each with the field's term.
const REFUSED: [(&str, &str); 16] = [
    ("goes round", "loops"),
    ("go round", "loop"),
    ("ordered by nothing", "without happens-before order"),
    ("what decides is not known", "the deciding order is not known"),
    ("blocks that are in use again", "reallocated blocks"),
    ("hangs on the order", "depends on the order"),
    ("hang on their order", "depend on their order"),
    ("that is no step", "that is not a schedule point"),
    ("is foretold", "is predicted"),
    ("nobody else has", "no other thread has"),
    ("That could not be done", "Action failed"),
    ("where is not told", "their events are lost"),
    ("whoever", "the thread that, the process that"),
    ("what decides", "the deciding order"),
    ("faces", "front ends"),
    ("wait with freeing", "stops from freeing"),
];

/// Words that no sentence begins with: a relative clause as a subject hides who does what.
const BEGINNINGS: [&str; 6] = ["What", "Who", "Whoever", "Whatever", "One that", "One who"];

/// The texts of a source outside of its tests, in their order.
fn texts(tokens: TokenStream, out: &mut Vec<String>) {
    let mut tokens = tokens.into_iter().peekable();
    let mut is_test = false;
    while let Some(token) = tokens.next() {
        match token {
            // An attribute: of a test, or a comment.
            TokenTree::Punct(p) if p.as_char() == '#' => {
                if let Some(TokenTree::Punct(bang)) = tokens.peek()
                    && bang.as_char() == '!'
                {
                    tokens.next();
                }
                if let Some(TokenTree::Group(attribute)) = tokens.peek() {
                    let text = attribute.stream().to_string().replace(' ', "");
                    is_test |= text == "cfg(test)" || text == "test";
                    // Attributes of errors have their texts.
                    if text.starts_with("error(") {
                        texts(attribute.stream(), out);
                    }
                    tokens.next();
                }
            }
            TokenTree::Group(group) if is_test && group.delimiter() == Delimiter::Brace => is_test = false,
            TokenTree::Punct(p) if is_test && p.as_char() == ';' => is_test = false,
            TokenTree::Group(group) => texts(group.stream(), out),
            TokenTree::Literal(literal) if !is_test => {
                out.extend(syn::parse_str::<syn::LitStr>(&literal.to_string()).ok().map(|l| l.value()));
            }
            _ => {}
        }
    }
}

/// The texts of a source in TypeScript, in their order: what a template fills in stands as `{}`. In JSON every word is one.
fn texts_of_script(source: &str, out: &mut Vec<String>) {
    let mut rest = source;
    while let Some(at) = rest.find(['/', '\'', '"', '`']) {
        let (mark, behind) = (&rest[at..=at], &rest[at + 1..]);
        let after = |end: &str| behind.find(end).map_or("", |to| &behind[to + end.len()..]);
        rest = match mark {
            "/" if behind.starts_with('/') => after("\n"),
            "/" if behind.starts_with('*') => after("*/"),
            "/" => behind,
            quote => literal(behind, quote, out),
        };
    }
}

/// One literal, begun by this quote, and what is behind it. A quote in a regular expression has no end in its line.
fn literal<'a>(source: &'a str, quote: &str, out: &mut Vec<String>) -> &'a str {
    let (mut text, mut open) = (String::new(), 0);
    let mut chars = source.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some((_, 'n')) => text.push('\n'),
                next => text.extend(next.map(|(_, c)| c)),
            },
            '\n' if quote != "`" => return source,
            '{' if open > 0 => open += 1,
            '}' if open > 0 => open -= 1,
            '$' if quote == "`" && open == 0 && source[at + 1..].starts_with('{') => {
                chars.next();
                open = 1;
                text += "{}";
            }
            _ if open > 0 => {}
            c if quote.starts_with(c) => {
                out.push(text);
                return &source[at + 1..];
            }
            c => text.push(c),
        }
    }
    source
}

/// Three words or more, and no code: those are what people read.
fn is_message(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_alphabetic()).filter(|w| w.len() > 1).count();
    let trimmed = text.trim();
    let begins = |with: &[&str]| with.iter().any(|w| trimmed.starts_with(w));
    // Markup, commands and conditions of the extension's manifest.
    let is_markup = text.contains("=\"")
        || begins(&["<", "M{", "view ==", "prettier --", "tsc --", "node esb", "node pack"]);
    let is_code = is_markup
        || text.contains("::")
        || text.contains("; ") && text.contains("()")
        || trimmed.ends_with(&[';', '{', '}'][..]) && trimmed.contains('(')
        || begins(&[
            "-", "@", "#", ".cfi", "mov ", "lea ", "cmp ", "push ", "pop ", "mov", "set ", "const ",
            "static ", "impl",
        ]);
    words >= 3 && trimmed.contains(' ') && !is_code && !text.contains(", r") && !text.contains("rsp")
}

fn sources(folder: &Path, ending: &str, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources").flatten() {
        let path = entry.path();
        let name = entry.file_name();
        match path.is_dir() {
            true if name != "tests" && name != "std" && name != "simulated" && name != "exhaustive" => {
                sources(&path, ending, out);
            }
            false if path.extension().is_some_and(|e| e == ending) && name != "tests.rs" => out.push(path),
            _ => {}
        }
    }
}

/// Each message in a line behind its file.
fn messages() -> Vec<(String, String)> {
    let mut files = Vec::new();
    CRATES.iter().for_each(|folder| sources(&root().join(folder), "rs", &mut files));
    sources(&root().join(EXTENSION), "ts", &mut files);
    files.push(root().join(MANIFEST));
    files.retain(|file| !file.ends_with(GENERATED));
    files.sort();
    let mut all = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a source");
        let mut found = Vec::new();
        match file.extension().is_some_and(|e| e == "rs") {
            true => texts(text.parse().expect("a source of Rust"), &mut found),
            false => texts_of_script(&text, &mut found),
        }
        let name = file.strip_prefix(root()).expect("a file of the repository").display().to_string();
        all.extend(found.into_iter().filter(|t| is_message(t)).map(|t| (name.clone(), t)));
    }
    all
}

fn help() -> String {
    let run = |words: &[&str]| {
        let output =
            Command::new(binary()).args(words).env("COLUMNS", "100").output().expect("raddle starts");
        String::from_utf8(output.stdout).expect("its help is text")
    };
    let whole = run(&["--help"]);
    let begins = whole.lines().skip_while(|l| *l != "Commands:").skip(1);
    let commands: Vec<&str> = begins
        .take_while(|l| l.starts_with("  "))
        .filter_map(|l| l.split_whitespace().next())
        .filter(|name| !["cc", "c++", "help"].contains(name))
        .collect();
    assert!(commands.len() > 8, "{whole}");
    let pages = commands.iter().map(|name| format!("\n$ raddle {name} --help\n{}", run(&[name, "--help"])));
    let pages: String = pages.collect();
    let text = format!("$ raddle --help\n{whole}{pages}");
    text.lines().map(|line| line.trim_end().to_string() + "\n").collect()
}

/// What a text says that is refused.
fn refused(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words = REFUSED.iter().filter(|(word, _)| lower.contains(&word.to_lowercase()));
    let mut found: Vec<String> = words.map(|(word, term)| format!("`{word}`: say `{term}`")).collect();
    for sentence in
        text.split_inclusive(['.', '?', '\n', '|']).map(|s| s.trim_start_matches([' ', '-', '|', '"']))
    {
        let begins = BEGINNINGS.iter().find(|b| {
            sentence.strip_prefix(**b).is_some_and(|rest| rest.starts_with(' ')) && !sentence.ends_with('?')
        });
        found.extend(begins.map(|b| format!("a sentence begins with `{b}`: {}", sentence.trim())));
    }
    found
}

/// One page has them all, and none has a word that is refused. One test, since reading all sources takes its time.
#[test]
fn they_are_listed_and_use_the_terms_of_the_field() {
    let (messages, help) = (messages(), help());
    let mut wrong = Vec::new();
    for (file, text) in &messages {
        wrong.extend(refused(text).into_iter().map(|why| format!("{file}: {why}\n    {text}")));
    }
    let readme = std::fs::read_to_string(root().join(README)).expect("the extension's page");
    wrong.extend(refused(&readme).into_iter().map(|why| format!("{README}: {why}")));
    wrong.extend(refused(&help).into_iter().map(|why| format!("raddle --help: {why}")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let mut page = String::new();
    let mut last = "";
    for (file, text) in &messages {
        if file != last {
            page += &format!("\n{file}\n");
            last = file;
        }
        page += &format!("    {}\n", text.replace('\n', "⏎").trim());
    }
    assert!(page.lines().count() > 1000, "{page}");
    expect_file!["messages/all.txt"].assert_eq(page.trim_start());
    expect_file!["messages/help.txt"].assert_eq(&help);
}

#[test]
fn the_lint_sees_what_it_refuses() {
    let wrong = ["T1 goes round in poll", "Race. Whoever comes first wins.", "What decides is not known."];
    assert!(wrong.iter().all(|text| !refused(text).is_empty()));
    assert!(refused("T1 loops in poll. What failed? The lock.").is_empty());
    let mut found = Vec::new();
    let source = r#"fn a() { b("one two three"); } #[cfg(test)] mod tests { fn c() { d("not this one"); } }"#;
    texts(source.parse().unwrap(), &mut found);
    assert_eq!(found, ["one two three"]);
    let mut found = Vec::new();
    let script =
        "// it's no text\nf(`a ${b('x')} c`, 'it\\'s one'); /* \"nor\" */ s.replace(/'/g, \"two\") // three";
    texts_of_script(script, &mut found);
    assert_eq!(found, ["a {} c", "it's one", "two"]);
}
