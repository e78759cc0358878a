//! Edits of a program as people make them, made by looking at its text: where they go is found, not written down for
//! each program.

use std::collections::HashSet;

/// What is done to a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// A line is logged where a racing function begins.
    Log,
    /// And before the lines that decide.
    LogWhereItMatters,
    /// Everything is a line lower.
    BlankLine,
    /// A local variable of a racing function, or one of its parameters, has another name.
    RenamedLocal,
    /// There is one more function, and in Rust a test that calls it.
    Unrelated,
    /// The log has a lock of its own.
    LockedLog,
    /// All of these.
    Together,
}

pub const ALL: [Edit; 7] = [
    Edit::Log,
    Edit::LogWhereItMatters,
    Edit::BlankLine,
    Edit::RenamedLocal,
    Edit::Unrelated,
    Edit::LockedLog,
    Edit::Together,
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    C,
    Rust,
}

/// The source after an edit.
pub fn apply(edit: Edit, text: &str, language: Language, functions: &[&str], lines: &[&str]) -> String {
    match edit {
        Edit::BlankLine => format!("\n{text}"),
        Edit::Unrelated => unrelated(text, language),
        Edit::RenamedLocal => renamed(text, language, functions),
        Edit::Log => log(text, language, functions, &[], false),
        Edit::LogWhereItMatters => log(text, language, functions, lines, false),
        Edit::LockedLog => log(text, language, functions, lines, true),
        Edit::Together => [Edit::LockedLog, Edit::RenamedLocal, Edit::Unrelated, Edit::BlankLine]
            .into_iter()
            .fold(text.to_string(), |text, edit| apply(edit, &text, language, functions, lines)),
    }
}

/// Lines of a function's body: the numbers of the line with its brace and of the one that closes it.
fn body(lines: &[&str], language: Language, name: &str) -> Option<(usize, usize)> {
    let declares = |line: &&str| match language {
        Language::C => {
            let call = line.contains(&format!("{name}(")) && !line.trim_end().ends_with(';');
            call && line.trim_start().len() == line.len()
        }
        Language::Rust => line.contains(&format!("fn {name}(")) || line.contains(&format!("fn {name}<")),
    };
    let at = lines.iter().position(declares)?;
    let open = at + lines[at..].iter().position(|l| l.contains('{'))?;
    let mut depth = 0i32;
    for (number, line) in lines.iter().enumerate().skip(open) {
        depth += line.matches('{').count() as i32 - line.matches('}').count() as i32;
        if depth == 0 {
            return Some((open, number));
        }
    }
    None
}

/// Does a statement begin in this line?
fn begins(lines: &[&str], at: usize) -> bool {
    let code = |l: &&&str| !l.trim().is_empty() && !l.trim_start().starts_with("//");
    let before = lines[..at].iter().rev().find(code).map_or("", |l| l.trim_end());
    let line = lines[at].trim_start();
    let ends = before.ends_with(';') || before.ends_with('{') || before.ends_with('}');
    ends && !line.starts_with('.') && !line.starts_with('}') && !line.starts_with("else")
}

/// With lines that log.
fn log(text: &str, language: Language, functions: &[&str], matter: &[&str], locked: bool) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let bodies: Vec<(usize, usize)> =
        functions.iter().filter_map(|name| body(&lines, language, name)).collect();
    let mut at: HashSet<usize> = HashSet::new();
    at.extend(bodies.iter().filter(|(open, close)| close > open).map(|(open, _)| open + 1));
    let inside = |n: usize| match language {
        // Statements stand in functions.
        Language::C => lines[n].starts_with([' ', '\t']),
        Language::Rust => lines[n].starts_with("        "),
    };
    at.extend(
        (0..lines.len())
            .filter(|n| matter.iter().any(|m| lines[*n].contains(m)) && inside(*n) && begins(&lines, *n)),
    );
    let said = match (language, locked) {
        (Language::C, false) => "    printf(\"here\\n\");",
        (Language::Rust, false) => "    println!(\"here\");",
        (Language::C, true) => "    write_a_line(\"here\");",
        (Language::Rust, true) => "    crate::write_a_line(\"here\");",
    };
    let mut out = String::new();
    for (number, line) in lines.iter().enumerate() {
        if at.contains(&number) {
            out += &format!("{said}\n");
        }
        out += &format!("{line}\n");
    }
    match (language, locked) {
        (Language::C, false) => format!("#include <stdio.h>\n{out}"),
        (Language::C, true) => format!("{C_LOG}{out}"),
        (Language::Rust, false) => out,
        (Language::Rust, true) => out + RUST_LOG,
    }
}

const C_LOG: &str = "#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock_of_the_log = PTHREAD_MUTEX_INITIALIZER;
static int lines_logged;

static void write_a_line(const char *text)
{
    pthread_mutex_lock(&lock_of_the_log);
    printf(\"%d %s\\n\", ++lines_logged, text);
    pthread_mutex_unlock(&lock_of_the_log);
}

";

const RUST_LOG: &str = "
static LINES_LOGGED: std::sync::Mutex<u32> = std::sync::Mutex::new(0);

fn write_a_line(text: &str) {
    let mut logged = LINES_LOGGED.lock().expect(\"nobody panics here\");
    *logged += 1;
    println!(\"{} {text}\", *logged);
}
";

fn unrelated(text: &str, language: Language) -> String {
    match language {
        Language::C => {
            // Behind the last include, where a function may stand.
            let lines: Vec<&str> = text.lines().collect();
            let at = lines.iter().rposition(|l| l.starts_with("#include")).map_or(0, |n| n + 1);
            let added =
                "\nint unrelated(int n)\n{\n    return n < 2 ? n : unrelated(n - 1) + unrelated(n - 2);\n}\n";
            let (head, tail) = (lines[..at].join("\n"), lines[at..].join("\n"));
            format!("{head}\n{added}\n{tail}\n")
        }
        Language::Rust => {
            let added = "
#[cfg(test)]
mod unrelated {
    #[test]
    fn a_new_one() {
        let worker = std::thread::spawn(|| (1..=5).sum::<u32>());
        assert_eq!(worker.join().expect(\"it adds up\"), 15);
    }
}
";
            format!("{text}{added}")
        }
    }
}

/// With the first local of a racing function renamed; where it has none, a parameter; where no racing function has
/// either, the first local of any function.
fn renamed(text: &str, language: Language, functions: &[&str]) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let racing = functions.iter().filter_map(|name| body(&lines, language, name));
    let everything = std::iter::once((0, lines.len() - 1));
    for (open, close) in racing.chain(everything) {
        let local = (open..=close).find_map(|n| local(lines[n], language));
        let parameter = || (open > 0).then(|| parameter(&lines[..=open], language)).flatten();
        let Some(name) = local.or_else(parameter) else { continue };
        let from = lines[..=open].iter().rposition(|l| l.contains('(')).unwrap_or(open);
        let mut out: Vec<String> = lines.iter().map(|l| l.to_string()).collect();
        for line in &mut out[from..=close] {
            *line = with(line, name, &format!("{name}_renamed"));
        }
        return out.join("\n") + "\n";
    }
    text.to_string()
}

/// The local that a line declares.
fn local(line: &str, language: Language) -> Option<&str> {
    let line = line.trim_start();
    let (rest, end) = match language {
        Language::Rust => (line.strip_prefix("let ")?.trim_start_matches("mut "), None),
        Language::C => {
            const TYPES: [&str; 6] = ["int ", "unsigned ", "long ", "void *", "pthread_t ", "struct "];
            let kind = TYPES.iter().find(|t| line.starts_with(**t))?;
            let rest = &line[kind.len()..];
            let rest = if *kind == "struct " { rest.split_once('*')?.1 } else { rest };
            (rest.trim_start_matches('*'), Some(line).filter(|l| l.contains('(') && !l.contains('=')))
        }
    };
    if end.is_some() {
        return None;
    }
    let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    let behind = rest[length..].trim_start();
    let declared = behind.starts_with(['=', ';', ':', ',', '[']);
    (length > 0 && declared && !rest.starts_with(char::is_uppercase)).then(|| &rest[..length])
}

/// The last parameter of the function whose body begins in the last of these lines.
fn parameter<'a>(lines: &[&'a str], language: Language) -> Option<&'a str> {
    let line = lines.iter().rev().find(|l| l.contains('('))?;
    let inside = line.split_once('(')?.1.rsplit_once(')')?.0;
    let last = inside.rsplit(',').next()?.trim();
    let name = match language {
        Language::C => last.rsplit([' ', '*']).next()?,
        Language::Rust => last.split_once(':')?.0.trim(),
    };
    (!name.is_empty() && name != "void" && !name.contains("self")).then_some(name)
}

/// With a word replaced by another.
fn with(line: &str, word: &str, other: &str) -> String {
    let inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(word) {
        let (before, behind) = (&rest[..at], &rest[at + word.len()..]);
        let last = before.chars().next_back().or(out.chars().next_back());
        // A field may have the same name.
        let whole = !inside(last) && last != Some('.') && !inside(behind.chars().next());
        out += before;
        out += if whole { other } else { word };
        rest = behind;
    }
    out + rest
}

/// The functions of a C program, `main` left out.
pub fn functions(text: &str) -> Vec<String> {
    let declared = text.lines().filter(|l| l.starts_with("static ") && l.contains('(') && !l.ends_with(';'));
    let name = |l: &str| l.split('(').next()?.rsplit([' ', '*']).next().map(str::to_string);
    declared.filter(|l| !l.contains('=')).filter_map(name).collect()
}

/// With nothing left in a function of C.
pub fn without_body(text: &str, name: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let (open, close) = body(&lines, Language::C, name).expect("a function");
    let mut out: Vec<&str> = lines[..=open].to_vec();
    out.push("    return 0;");
    out.extend(&lines[close..]);
    out.join("\n") + "\n"
}
