//! Variables of make and the functions that need no shell. `CC` and `CXX` stay as they are: Raddle sets them.

use crate::target::fits;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Deepest nesting of variables that is followed: one that names itself has no end.
const DEEPEST: u32 = 20;
/// Most references that are worked out.
const FUEL: u32 = 1_000_000;
/// Longest value that is worked out.
const LONGEST: usize = 1 << 16;

/// Make's own variables that rules of programs name.
const BUILTIN: [(&str, &str); 8] = [
    ("LINK.c", "$(CC) $(CFLAGS) $(CPPFLAGS) $(LDFLAGS)"),
    ("LINK.cc", "$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(LDFLAGS)"),
    ("LINK.cpp", "$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(LDFLAGS)"),
    ("LINK.o", "$(CC) $(LDFLAGS)"),
    ("COMPILE.c", "$(CC) $(CFLAGS) -c"),
    ("COMPILE.cc", "$(CXX) $(CXXFLAGS) -c"),
    ("COMPILE.cpp", "$(CXX) $(CXXFLAGS) -c"),
    ("RM", "rm -f"),
];

/// What only a running make knows.
const UNKNOWN: [&str; 5] = ["MAKE", "CURDIR", "PWD", "HOME", "MAKEFILE_LIST"];

/// The target that a recipe makes, and the text that `%` stands for.
#[derive(Clone, Copy)]
pub struct Made<'a> {
    pub target: &'a str,
    pub stem: &'a str,
}

/// The variables of a Makefile.
pub struct Variables {
    /// Where `$(wildcard …)` looks.
    folder: PathBuf,
    /// Their texts. Those of `:=` are worked out already.
    texts: BTreeMap<String, String>,
    /// References that may still be worked out.
    fuel: Cell<u32>,
    /// A file with more of them is not there yet, so one that is not set here is not empty.
    pub lacks_file: bool,
}

impl Variables {
    /// None but make's own.
    pub fn new(folder: &Path) -> Variables {
        let texts = BUILTIN.map(|(name, text)| (name.to_string(), text.to_string()));
        Variables {
            folder: folder.to_path_buf(),
            texts: texts.into(),
            fuel: Cell::new(FUEL),
            lacks_file: false,
        }
    }

    /// Takes a line that sets a variable; is it one?
    pub fn set(&mut self, line: &str) -> bool {
        let mut line = line.trim_start();
        while let Some(rest) =
            ["export ", "override ", "private "].iter().find_map(|word| line.strip_prefix(word))
        {
            line = rest.trim_start();
        }
        let Some((left, value)) = line.split_once('=') else { return false };
        let name = left.trim_end_matches([':', '?', '+', '!']).trim();
        if name.is_empty() || name.contains([':', ' ', '\t']) {
            return false;
        }
        let (name, value) = (self.expand(name), value.trim());
        let known = self.texts.get(&name);
        let text = match left.trim_start_matches(|c: char| !":?+!".contains(c)) {
            "?" if known.is_some() => return true,
            "+" => format!("{} {value}", known.map_or("", String::as_str)),
            // The answer of the shell.
            "!" => "$(shell …)".into(),
            mark if mark.starts_with(':') => self.expand(value),
            _ => value.to_string(),
        };
        self.texts.insert(name, text);
        true
    }

    /// Is it set?
    pub fn has(&self, name: &str) -> bool {
        self.texts.get(name).is_some_and(|text| !text.is_empty())
    }

    /// The words of all values.
    pub fn words(&self) -> Vec<String> {
        let values = self.texts.values().map(|text| self.expand(text));
        values.flat_map(|value| value.split_whitespace().map(str::to_string).collect::<Vec<_>>()).collect()
    }

    /// With every reference worked out that can be; a `$` is left where one cannot.
    pub fn expand(&self, text: &str) -> String {
        self.expanded(text, None, 0)
    }

    /// A line of a recipe.
    pub fn in_recipe(&self, line: &str, made: Made) -> String {
        self.expanded(line, Some(made), 0)
    }

    fn expanded(&self, text: &str, made: Option<Made>, depth: u32) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('$').filter(|_| out.len() < LONGEST) {
            out += &rest[..at];
            rest = &rest[at..];
            let (body, length) = reference(rest);
            self.fuel.set(self.fuel.get().saturating_sub(1));
            // `$$` is the shell's.
            let known = (body != "$").then(|| self.value(body, made, depth)).flatten();
            out += known.as_deref().unwrap_or(&rest[..length]);
            rest = &rest[length..];
        }
        out + rest
    }

    fn value(&self, body: &str, made: Option<Made>, depth: u32) -> Option<String> {
        let automatic = |word: &dyn Fn(Made) -> String| made.map(word);
        match body {
            "@" => return automatic(&|m| m.target.to_string()),
            "*" => return automatic(&|m| m.stem.to_string()),
            "@F" => return automatic(&|m| last(m.target).to_string()),
            "@D" => return automatic(&|m| folder_of(m.target).trim_end_matches('/').to_string()),
            "" | "<" | "^" | "+" | "?" | "|" | "%" | "<F" | "^F" => return None,
            "CC" | "CXX" => return Some(format!("$({body})")),
            _ if depth > DEEPEST || self.fuel.get() == 0 => return None,
            _ => {}
        }
        let inner = |text: &str| self.expanded(text, made, depth + 1);
        if let Some((function, arguments)) = body.split_once([' ', '\t']).filter(|(name, _)| known(name)) {
            return self.call(function, arguments.trim_start(), &inner);
        }
        if let Some((name, (from, to))) =
            body.split_once(':').and_then(|(name, rule)| Some((name, rule.split_once('=')?)))
        {
            let (words, from, to) = (inner(&format!("$({name})")), inner(from), inner(to));
            let pattern = |text: &str| if from.contains('%') { text.into() } else { format!("%{text}") };
            return known(&words)
                .then(|| each(&words, |word| substituted(&pattern(&from), &pattern(&to), word)));
        }
        let name = inner(body);
        match self.texts.get(&name) {
            Some(text) => Some(inner(text)),
            None if self.lacks_file || UNKNOWN.contains(&name.as_str()) || !known(&name) => None,
            None => Some(String::new()),
        }
    }

    /// A function of make. One whose arguments are not known is left.
    fn call(&self, name: &str, arguments: &str, inner: &dyn Fn(&str) -> String) -> Option<String> {
        let raw = commas(arguments);
        let arguments: Vec<String> = raw.iter().map(|argument| inner(argument)).collect();
        let argument = |n: usize| arguments.get(n).filter(|text| known(text));
        let words = |n: usize| argument(n).map(String::as_str);
        let fitting = |wanted: bool| {
            let (patterns, all) = (words(0)?, words(1)?);
            let fits =
                |word: &&str| patterns.split_whitespace().any(|p| fits(&p.replace('%', "*"), word)) == wanted;
            Some(all.split_whitespace().filter(fits).collect::<Vec<_>>().join(" "))
        };
        Some(match name {
            "wildcard" => {
                words(0)?.split_whitespace().flat_map(|p| self.files(p)).collect::<Vec<_>>().join(" ")
            }
            "patsubst" => {
                let (from, to) = (words(0)?.trim(), words(1)?.trim());
                each(words(2)?, |word| substituted(from, to, word))
            }
            "subst" => words(2)?.replace(words(0)?, words(1)?),
            "strip" => each(words(0)?, str::to_string),
            "filter" => fitting(true)?,
            "filter-out" => fitting(false)?,
            "sort" => {
                let mut all: Vec<&str> = words(0)?.split_whitespace().collect();
                all.sort_unstable();
                all.dedup();
                all.join(" ")
            }
            "notdir" => each(words(0)?, |word| last(word).to_string()),
            "dir" => each(words(0)?, |word| folder_of(word).to_string()),
            "basename" => each(words(0)?, |word| {
                let end = word.rfind('.').filter(|at| !word[*at..].contains('/'));
                word[..end.unwrap_or(word.len())].to_string()
            }),
            "addprefix" => each(words(1)?, |word| format!("{}{word}", arguments[0].trim())),
            "addsuffix" => each(words(1)?, |word| format!("{word}{}", arguments[0].trim())),
            "firstword" => words(0)?.split_whitespace().next().unwrap_or_default().to_string(),
            "lastword" => words(0)?.split_whitespace().next_back().unwrap_or_default().to_string(),
            "foreach" => {
                let (name, body) = (words(0)?.trim(), raw.get(2)?);
                each(words(1)?, |word| {
                    inner(&body.replace(&format!("$({name})"), word).replace(&format!("${{{name}}}"), word))
                })
            }
            // Raddle runs on one system.
            "shell" if ["uname", "uname -s"].contains(&words(0)?.trim()) => "Linux".into(),
            "shell" if words(0)?.trim() == "uname -m" => "x86_64".into(),
            _ => return None,
        })
    }

    /// The files that a pattern names, whose last name may have `*`.
    pub fn files(&self, pattern: &str) -> Vec<String> {
        let (folder, name) = (folder_of(pattern), last(pattern));
        let prefix = if pattern.contains('/') { folder } else { "" };
        let entries = std::fs::read_dir(self.folder.join(folder)).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut files: Vec<String> =
            names.filter(|file| fits(name, file)).map(|file| format!("{prefix}{file}")).collect();
        files.sort();
        files
    }
}

/// Was everything in it worked out?
pub fn known(text: &str) -> bool {
    !text.contains('$')
}

/// A word by a pattern's stem: `%.c` to `out/%`.
pub fn stem<'w>(pattern: &str, word: &'w str) -> Option<&'w str> {
    let (before, after) = pattern.split_once('%')?;
    word.strip_prefix(before)?.strip_suffix(after).filter(|stem| !stem.is_empty())
}

fn substituted(from: &str, to: &str, word: &str) -> String {
    match stem(from, word) {
        Some(stem) => to.replacen('%', stem, 1),
        None if from == word => to.to_string(),
        None => word.to_string(),
    }
}

fn each(words: &str, change: impl Fn(&str) -> String) -> String {
    words.split_whitespace().map(change).collect::<Vec<_>>().join(" ")
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn folder_of(path: &str) -> &str {
    path.rfind('/').map_or("./", |at| &path[..=at])
}

/// The reference at the beginning of a text: what stands in its parentheses, and its length.
fn reference(text: &str) -> (&str, usize) {
    let Some(open) = text[1..].chars().next() else { return ("", 1) };
    let close = match open {
        '(' => ')',
        '{' => '}',
        other => {
            let end = 1 + other.len_utf8();
            return (&text[1..end], end);
        }
    };
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        depth += i32::from(c == open) - i32::from(c == close);
        if c == close && depth == 0 {
            return (&text[2..at], at + 1);
        }
    }
    ("", text.len())
}

/// The arguments of a function. Commas within parentheses belong to one.
fn commas(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut all) = (0, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth -= 1,
            ',' if depth == 0 => {
                all.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    all.push(&text[from..]);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_worked_out_as_make_does() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.c", "b.c", "t.h"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let mut variables = Variables::new(folder.path());
        for line in [
            "LATE = $(BUILD)/x",
            "NOW := $(BUILD)/x",
            "export BUILD ?= out",
            "BUILD ?= other",
            "SRC := $(wildcard *.c)",
            "SRC += d.c",
            "SELF = $(SELF) x",
            "KIND_Linux = unix",
        ] {
            assert!(variables.set(line), "{line}");
        }
        assert!(!variables.set("debug: CFLAGS += -g") && !variables.set("all: x"));
        for (text, expected) in [
            ("$(LATE) ${NOW}", "out/x /x"),
            ("$(SRC:.c=.o)", "a.o b.o d.o"),
            ("$(SRC:%.c=$(BUILD)/%)", "out/a out/b out/d"),
            ("$(addprefix bin/,$(basename $(SRC)))", "bin/a bin/b bin/d"),
            ("$(patsubst %.c,t_%,$(filter-out b.c,$(SRC)))", "t_a t_d"),
            ("$(foreach s,x y,$(s).c)", "x.c y.c"),
            ("$(KIND_$(shell uname))$(EXE)", "unix"),
            ("$(notdir $@) $(shell date) $(CC) $$x", "$(notdir $@) $(shell date) $(CC) $$x"),
            ("$(SELF", "$(SELF"),
        ] {
            assert_eq!(variables.expand(text), expected, "{text}");
        }
        assert!(variables.expand("$(SELF)").len() < 2 * LONGEST);
        let made = Made { target: "out/q", stem: "q" };
        assert_eq!(variables.in_recipe("$(CC) -o $(BUILD)/$(@F) $*.c $^", made), "$(CC) -o out/q q.c $^");
    }
}
