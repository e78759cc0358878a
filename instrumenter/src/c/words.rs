//! The words of a compiler's command line: which are sources, and in which language, which are
//! options, and what the whole asks for.

use super::Language;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// What a command line asks the compiler to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Nothing that makes code: `-E`, `-M`, `--version`, no input.
    Other,
    /// `-c` or `-S`.
    Compile,
    /// Headers alone, to precompiled ones.
    Header,
    /// Sources or objects to a program or shared library.
    Link,
}

/// Options whose argument is the next word; it must not be taken for an input.
pub(super) const WITH_ARGUMENT: [&str; 33] = [
    "-o",
    "-x",
    "-I",
    "-L",
    "-l",
    "-D",
    "-U",
    "-A",
    "-B",
    "-F",
    "-T",
    "-u",
    "-z",
    "-e",
    "-h",
    "-G",
    "-include",
    "-imacros",
    "-idirafter",
    "-iprefix",
    "-iquote",
    "-isystem",
    "-isysroot",
    "-iwithprefix",
    "-MF",
    "-MT",
    "-MQ",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xclang",
    "-mllvm",
    "--param",
];

/// One word of a command line, with what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// A source to be compiled; its language where it is one that is edited.
    Source(Option<Language>),
    /// Another input: object, archive, linker script.
    Input,
    /// An option, or an option's argument.
    Option,
}

/// What each word is. A C++ compiler takes C sources for C++.
pub(super) fn classify(args: &[OsString], cpp: bool) -> Vec<Word> {
    let mut argument = false;
    // `-x c` makes sources of files with any name (and of `-`).
    let mut language: Option<Option<Language>> = None;
    let mut after_x = false;
    let named = |name: &str| (name != "none").then(|| Language::named(name));
    args.iter()
        .map(|arg| {
            let text = arg.to_string_lossy();
            if std::mem::take(&mut argument) {
                if std::mem::take(&mut after_x) {
                    language = named(&text);
                }
                return Word::Option;
            }
            if text.starts_with('-') && text != "-" {
                argument = WITH_ARGUMENT.contains(&&*text);
                after_x = text == "-x";
                if let Some(name) = text.strip_prefix("-x").filter(|n| !n.is_empty()) {
                    language = named(name);
                }
                return Word::Option;
            }
            let path = Path::new(arg);
            match language {
                // What comes through a pipe is compiled as it comes.
                Some(language) => Word::Source(language.filter(|_| text != "-")),
                None if is_source(path) => {
                    let language = Language::of(path);
                    Word::Source(match cpp && Language::is_preprocessed(path) {
                        // It takes this one for C, and would not the copy.
                        true => language.filter(|l| *l == Language::Cpp),
                        false => language.map(|l| if cpp { Language::Cpp } else { l }),
                    })
                }
                None => Word::Input,
            }
        })
        .collect()
}

fn is_source(path: &Path) -> bool {
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or("");
    Language::of(path).is_some() || matches!(extension, "s" | "S" | "sx")
}

/// Sources in assembly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Assembly {
    /// As it is.
    Plain,
    /// Through the preprocessor.
    Preprocessed,
}

/// Which kind of assembly all sources of a command line are, if they are.
pub(super) fn assembly(args: &[OsString]) -> Option<Assembly> {
    let words = classify(args, false);
    let mut sources = args.iter().zip(&words).filter(|(_, w)| matches!(w, Word::Source(_))).peekable();
    sources.peek()?;
    let language = value(args, "-x").and_then(OsStr::to_str);
    let kinds = sources.map(|(arg, _)| {
        let extension = Path::new(arg).extension().and_then(OsStr::to_str);
        match (language, extension) {
            (Some("assembler"), _) | (None | Some("none"), Some("s")) => Some(Assembly::Plain),
            (Some("assembler-with-cpp"), _) | (None | Some("none"), Some("S" | "sx")) => {
                Some(Assembly::Preprocessed)
            }
            _ => None,
        }
    });
    kinds.reduce(|a, b| if a == b { a } else { None }).flatten()
}

/// What the command line asks for.
pub fn mode(args: &[OsString]) -> Mode {
    let input = classify(args, false).iter().any(|w| *w != Word::Option);
    if !input || has(args, &["-E", "-M", "-MM", "-fsyntax-only", "-###"]) {
        Mode::Other
    } else if has(args, &["-c", "-S"]) {
        Mode::Compile
    } else if are_headers(args) {
        Mode::Header
    } else {
        Mode::Link
    }
}

/// Is every input a header? A compiler makes a precompiled one of it then, and links nothing.
fn are_headers(args: &[OsString]) -> bool {
    const NAMES: [&str; 8] = ["h", "hh", "H", "hp", "hxx", "hpp", "HPP", "h++"];
    let is_header =
        |file: &OsString| Path::new(file).extension().is_some_and(|e| NAMES.iter().any(|name| e == *name));
    let named = value(args, "-x").is_some_and(|language| language.as_bytes().ends_with(b"-header"));
    let words = classify(args, false);
    named || args.iter().zip(words).all(|(arg, word)| word == Word::Option || is_header(arg))
}

/// Is one of these words there?
pub(super) fn has(args: &[OsString], options: &[&str]) -> bool {
    args.iter().any(|a| options.iter().any(|o| a == o))
}

/// The argument of an option, as the next word or joined to it; of several the last.
pub(super) fn value<'a>(args: &'a [OsString], option: &str) -> Option<&'a OsStr> {
    let mut found = None;
    let mut words = args.iter();
    while let Some(word) = words.next() {
        if word == option {
            found = words.next().map(OsString::as_os_str);
        } else if let Some(joined) = word.as_bytes().strip_prefix(option.as_bytes()) {
            found = Some(OsStr::from_bytes(joined));
        } else if WITH_ARGUMENT.iter().any(|o| word == o) {
            words.next();
        }
    }
    found
}

/// The words with those in the place of `@file` that are in the file. One that cannot be read
/// stays, as it does for the compiler.
pub fn expand(args: &[OsString]) -> Vec<OsString> {
    let mut out = Vec::new();
    for arg in args {
        let file = arg.as_bytes().strip_prefix(b"@").map(OsStr::from_bytes);
        match file.and_then(|f| std::fs::read(f).ok()) {
            Some(text) => out.extend(expand(&split(&text))),
            None => out.push(arg.clone()),
        }
    }
    out
}

/// Words apart at white space, with quotes and backslashes as the compiler reads them.
fn split(text: &[u8]) -> Vec<OsString> {
    let (mut words, mut word, mut quote, mut escaped) = (Vec::new(), None::<Vec<u8>>, None, false);
    for b in text.iter().copied() {
        if std::mem::take(&mut escaped) {
            word.get_or_insert_default().push(b);
        } else if b == b'\\' {
            escaped = true;
            word.get_or_insert_default();
        } else if quote == Some(b) {
            quote = None;
        } else if quote.is_none() && (b == b'"' || b == b'\'') {
            quote = Some(b);
            word.get_or_insert_default();
        } else if quote.is_none() && b.is_ascii_whitespace() {
            words.extend(word.take());
        } else {
            word.get_or_insert_default().push(b);
        }
    }
    words.extend(word);
    words.into_iter().map(OsString::from_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn modes() {
        for (line, want) in [
            ("--version", Mode::Other),
            ("-v", Mode::Other),
            ("-E a.c", Mode::Other),
            ("-MM a.c", Mode::Other),
            ("-print-file-name=libc.so", Mode::Other),
            ("-c a.c -o b.o", Mode::Compile),
            ("-S a.c", Mode::Compile),
            ("a.o b.o -o x", Mode::Link),
            ("a.c", Mode::Link),
            ("-x c -c -", Mode::Compile),
            ("-o c.c", Mode::Other),
            ("a.h", Mode::Header),
            ("-O2 a.hpp b.h -o c", Mode::Header),
            ("-x c-header a -o a.gch", Mode::Header),
            ("-xc++-header a.h", Mode::Header),
            ("-include a.h b.c", Mode::Link),
            ("a.h b.o", Mode::Link),
        ] {
            assert_eq!(mode(&words(line)), want, "{line}");
        }
    }

    #[test]
    fn languages() {
        let line = words("-c a.c b.cc c.i -x c d -x none e.S f.o -xc++ g.c -x assembler h.c -x c -");
        let sources =
            |cpp| -> Vec<Word> { classify(&line, cpp).into_iter().filter(|w| *w != Word::Option).collect() };
        let (c, cpp, none) =
            (Word::Source(Some(Language::C)), Word::Source(Some(Language::Cpp)), Word::Source(None));
        assert_eq!(sources(false), [c, cpp, c, c, none, Word::Input, cpp, none, none]);
        // A preprocessed file of C stays one for a compiler of C++, and its copy would not.
        assert_eq!(sources(true)[..3], [cpp, cpp, none]);
    }

    #[test]
    fn sources_in_assembly() {
        for (line, want) in [
            ("-c a.s", Some(Assembly::Plain)),
            ("-c a.s -x c", None),
            ("-c a.S b.sx", Some(Assembly::Preprocessed)),
            ("-c a.S b.c", None),
            ("-x assembler -c a", Some(Assembly::Plain)),
            ("-xassembler-with-cpp -c a.c", Some(Assembly::Preprocessed)),
            ("-c a.o", None),
        ] {
            assert_eq!(assembly(&words(line)), want, "{line}");
        }
    }

    #[test]
    fn response_files() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("args");
        std::fs::write(&file, "-c 'a b.c'\n-DX=\\\"y\\\" \"\"\n").unwrap();
        let mut at = OsString::from("@");
        at.push(&file);
        let expanded = expand(&[at, "@nowhere".into()]);
        assert_eq!(expanded, ["-c", "a b.c", "-DX=\"y\"", "", "@nowhere"].map(OsString::from));
    }

    #[test]
    fn values_of_options() {
        let line = words("-o -MF -MF x -MFy -I -o");
        assert_eq!(value(&line, "-MF"), Some(OsStr::new("y")));
        assert_eq!(value(&line, "-o"), Some(OsStr::new("-MF")));
        assert_eq!(value(&line, "-MT"), None);
    }
}
