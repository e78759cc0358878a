//! The compiler driver behind `raddle cc` and single-file targets: what is added to a C
//! compiler's command line so that every access to shared memory calls the runtime and every
//! pthread call reaches it.
//!
//! Compiling takes the thread sanitizer's hooks; linking must not, because then the compiler
//! would add its own runtime library. A command that does both is therefore split ([`plan`]):
//! one compilation for each source, then a link of the objects in the sources' places.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Where the runtime lies.
#[derive(Clone, Debug)]
pub struct Kit {
    /// Folder of `libraddle_rt.so`.
    pub lib: PathBuf,
    /// Folder of `raddle.h`.
    pub include: PathBuf,
}

/// Which family of compilers: they differ in the flags that make hooks exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// GCC.
    Gcc,
    /// Clang.
    Clang,
}

impl Family {
    /// From what `--version` prints.
    pub fn from_version(text: &str) -> Family {
        if text.contains("clang") { Family::Clang } else { Family::Gcc }
    }

    /// The hooks: exact kind, size and address of every access that may be shared.
    fn hooks(self) -> &'static [&'static str] {
        match self {
            Family::Gcc => &[
                "--param=tsan-distinguish-volatile=1",
                // The shadow call stack is not kept yet; these calls would only cost time.
                "--param=tsan-instrument-func-entry-exit=0",
            ],
            Family::Clang => &[
                "-mllvm",
                "-tsan-distinguish-volatile=1",
                // Otherwise a read directly before a write of the same place is left out.
                "-mllvm",
                "-tsan-instrument-read-before-write=1",
                "-mllvm",
                "-tsan-instrument-func-entry-exit=0",
            ],
        }
    }
}

/// Calls of these are inlined invisibly by the compiler and carry no hooks; as real calls they
/// can be wrapped at link time.
const MEMORY: [&str; 3] = ["memcpy", "memmove", "memset"];

/// What a command line asks the compiler to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Nothing that makes code: `-E`, `-M`, `--version`, no input.
    Other,
    /// `-c` or `-S`.
    Compile,
    /// Sources or objects to a program or shared library.
    Link,
}

/// Options whose argument is the next word; it must not be taken for an input.
const WITH_ARGUMENT: [&str; 33] = [
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
enum Word {
    /// A source to be compiled.
    Source,
    /// Another input: object, archive, linker script.
    Input,
    /// An option, or an option's argument.
    Option,
}

fn classify(args: &[OsString]) -> Vec<Word> {
    let mut argument = false;
    // `-x c` makes sources of files with any name (and of `-`).
    let mut language = false;
    let mut after_x = false;
    args.iter()
        .map(|arg| {
            let text = arg.to_string_lossy();
            if std::mem::take(&mut argument) {
                if std::mem::take(&mut after_x) {
                    language = text != "none";
                }
                return Word::Option;
            }
            if text.starts_with('-') && text != "-" {
                argument = WITH_ARGUMENT.contains(&&*text);
                after_x = text == "-x";
                if let Some(named) = text.strip_prefix("-x").filter(|n| !n.is_empty()) {
                    language = named != "none";
                }
                return Word::Option;
            }
            if language || is_source(Path::new(arg)) { Word::Source } else { Word::Input }
        })
        .collect()
}

fn is_source(path: &Path) -> bool {
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or("");
    matches!(extension, "c" | "i" | "C" | "cc" | "cp" | "cpp" | "cxx" | "c++" | "ii" | "s" | "S" | "sx")
}

/// What the command line asks for.
pub fn mode(args: &[OsString]) -> Mode {
    let has = |options: &[&str]| args.iter().any(|a| options.iter().any(|o| a == o));
    let input = classify(args).iter().any(|w| *w != Word::Option);
    if !input || has(&["-E", "-M", "-MM", "-fsyntax-only", "-###"]) {
        Mode::Other
    } else if has(&["-c", "-S"]) {
        Mode::Compile
    } else {
        Mode::Link
    }
}

/// Arguments of one compilation: the user's with the hooks added.
pub fn compile(family: Family, kit: &Kit, args: &[OsString]) -> Vec<OsString> {
    let mut out: Vec<OsString> = Vec::new();
    let any = |prefix: &str| args.iter().any(|a| a.to_string_lossy().starts_with(prefix));
    // The user's own level and debug format count, where they give one.
    if !any("-O") {
        out.push("-O1".into());
    }
    out.extend(args.iter().cloned());
    // After the user's, so that a -g0 or -fno-sanitize of theirs does not win.
    if !any("-ggdb") && !any("-gdwarf") {
        out.push("-g".into());
    }
    out.push("-fsanitize=thread".into());
    out.extend(family.hooks().iter().map(OsString::from));
    out.extend(MEMORY.iter().map(|f| format!("-fno-builtin-{f}").into()));
    out.extend(header(kit));
    out
}

/// What makes `raddle.h` found and real. With -idirafter a raddle.h of the user's own comes first.
fn header(kit: &Kit) -> [OsString; 3] {
    ["-D__RADDLE__=1".into(), "-idirafter".into(), kit.include.clone().into()]
}

/// Arguments of one link: the user's without the sanitizer, with the runtime before libc.
pub fn link(kit: &Kit, args: &[OsString]) -> Vec<OsString> {
    let mut out: Vec<OsString> = args.iter().filter(|a| *a != "-fsanitize=thread").cloned().collect();
    let lib = kit.lib.as_os_str();
    let with = |prefix: &str| {
        let mut text = OsString::from(prefix);
        text.push(lib);
        text
    };
    out.push(with("-L"));
    // Even if no symbol of the program's own needs it: it must come before libc for the others.
    out.push("-Wl,--push-state,--no-as-needed".into());
    out.push("-lraddle_rt".into());
    out.push("-Wl,--pop-state".into());
    // As DT_RUNPATH, behind LD_LIBRARY_PATH: the raddle that explores a program brings its own runtime.
    out.push(with("-Wl,--enable-new-dtags,-rpath,"));
    // Bound at start: roll-back of memory would undo lazy binding in every execution.
    out.push("-Wl,-z,relro,-z,now".into());
    out.extend(MEMORY.iter().map(|f| format!("-Wl,--wrap={f}").into()));
    out.push("-rdynamic".into());
    out.push("-pthread".into());
    out
}

/// The commands that carry out one command line of a compiler, in order.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Argument lists, one for each run of the compiler.
    pub commands: Vec<Vec<OsString>>,
}

/// Why a command line cannot be carried out.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum DriverError {
    /// A static program has no place where the runtime could come before libc.
    #[error("`{0}` cannot be combined with Raddle: its runtime must be loaded before libc")]
    Static(String),
}

/// Splits a command line into runs of the compiler. `scratch` is an existing folder for objects
/// in between.
pub fn plan(family: Family, kit: &Kit, args: &[OsString], scratch: &Path) -> Result<Plan, DriverError> {
    let commands = match mode(args) {
        Mode::Other => vec![preprocess(kit, args)],
        Mode::Compile => vec![compile(family, kit, args)],
        Mode::Link => {
            if let Some(a) = args.iter().find(|a| *a == "-static" || *a == "-static-pie") {
                return Err(DriverError::Static(a.to_string_lossy().into_owned()));
            }
            split(family, kit, args, scratch)
        }
    };
    Ok(Plan { commands })
}

/// Only what the header needs is added: the output must be that of the real compiler.
fn preprocess(kit: &Kit, args: &[OsString]) -> Vec<OsString> {
    let mut out = args.to_vec();
    if classify(args).contains(&Word::Source) {
        out.extend(header(kit));
    }
    out
}

fn split(family: Family, kit: &Kit, args: &[OsString], scratch: &Path) -> Vec<Vec<OsString>> {
    let words = classify(args);
    let options = compile_options(args, &words);
    let mut commands = Vec::new();
    let mut linked = Vec::new();
    for (n, (arg, word)) in args.iter().zip(&words).enumerate() {
        if *word != Word::Source {
            linked.push(arg.clone());
            continue;
        }
        let object = scratch.join(format!("{n}.o"));
        let mut one = options.clone();
        one.extend(["-c".into(), arg.clone(), "-o".into(), object.clone().into()]);
        one.extend(dependencies(args, arg));
        commands.push(compile(family, kit, &one));
        linked.push(object.into());
    }
    let linked = without_language(&linked);
    commands.push(link(kit, &linked));
    commands
}

/// The options without inputs, output, libraries and what is for the linker alone.
fn compile_options(args: &[OsString], words: &[Word]) -> Vec<OsString> {
    let mut out = Vec::new();
    let mut skip = false;
    for (arg, word) in args.iter().zip(words) {
        if std::mem::take(&mut skip) || *word != Word::Option {
            continue;
        }
        let text = arg.to_string_lossy();
        match &*text {
            "-o" | "-l" | "-L" | "-Xlinker" | "-T" | "-u" | "-z" | "-e" => skip = true,
            "-shared" | "-rdynamic" | "-s" | "-pie" | "-no-pie" | "-r" => {}
            t if t.starts_with("-Wl,") || t.starts_with("-l") || t.starts_with("-L") => {}
            t if t.starts_with("-o") && !t.starts_with("-openmp") => {}
            _ => out.push(arg.clone()),
        }
    }
    out
}

/// Where the list of headers goes when the whole command would have written one: the compiler
/// derives its name from an output that is now a scratch file.
fn dependencies(args: &[OsString], source: &OsStr) -> Vec<OsString> {
    let has = |options: &[&str]| args.iter().any(|a| options.iter().any(|o| a == o));
    if !has(&["-MD", "-MMD"]) {
        return Vec::new();
    }
    let output = args.windows(2).find(|w| w[0] == "-o").map(|w| w[1].clone());
    let mut out = Vec::new();
    if !has(&["-MF"]) {
        let stem = Path::new(output.as_deref().unwrap_or(source)).with_extension("d");
        out.extend(["-MF".into(), stem.into_os_string()]);
    }
    if !has(&["-MT", "-MQ"]) {
        out.extend(["-MT".into(), output.unwrap_or_else(|| "a.out".into())]);
    }
    out
}

/// Without `-x`: it would make C sources of the objects.
fn without_language(args: &[OsString]) -> Vec<OsString> {
    let mut out = Vec::new();
    let mut words = args.iter();
    while let Some(arg) = words.next() {
        if arg == "-x" {
            words.next();
        } else if !arg.to_string_lossy().starts_with("-x") && !is_dependency_option(arg) {
            out.push(arg.clone());
        } else if arg == "-MF" || arg == "-MT" || arg == "-MQ" {
            words.next();
        }
    }
    out
}

fn is_dependency_option(arg: &OsStr) -> bool {
    ["-MD", "-MMD", "-MP", "-MF", "-MT", "-MQ"].iter().any(|o| arg == *o)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    fn planned(line: &str) -> Vec<String> {
        let kit = Kit { lib: "/c/lib".into(), include: "/c/include".into() };
        let plan = plan(Family::Gcc, &kit, &words(line), Path::new("/tmp/s")).unwrap();
        let text = |c: &Vec<OsString>| {
            c.iter().map(|a| a.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
        };
        plan.commands.iter().map(text).collect()
    }

    const HOOKS: &str = "-g -fsanitize=thread --param=tsan-distinguish-volatile=1 \
         --param=tsan-instrument-func-entry-exit=0 -fno-builtin-memcpy -fno-builtin-memmove \
         -fno-builtin-memset -D__RADDLE__=1 -idirafter /c/include";
    const LINK: &str = "-L/c/lib -Wl,--push-state,--no-as-needed -lraddle_rt -Wl,--pop-state \
         -Wl,--enable-new-dtags,-rpath,/c/lib -Wl,-z,relro,-z,now -Wl,--wrap=memcpy -Wl,--wrap=memmove \
         -Wl,--wrap=memset -rdynamic -pthread";

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
        ] {
            assert_eq!(mode(&words(line)), want, "{line}");
        }
    }

    #[test]
    fn compiling_adds_the_hooks() {
        assert_eq!(planned("-c a.c -o a.o"), [format!("-O1 -c a.c -o a.o {HOOKS}")]);
        assert_eq!(planned("-O2 -c a.c"), [format!("-O2 -c a.c {HOOKS}")]);
        assert_eq!(planned("-E a.c"), ["-E a.c -D__RADDLE__=1 -idirafter /c/include"]);
        assert_eq!(planned("--version"), ["--version"]);
    }

    #[test]
    fn linking_adds_the_runtime() {
        assert_eq!(planned("a.o -o x -lm -fsanitize=thread"), [format!("a.o -o x -lm {LINK}")]);
    }

    #[test]
    fn both_at_once_is_split() {
        assert_eq!(
            planned("-Wall -I inc a.c b.o c.c -o x -lm -MMD -MP"),
            [
                format!("-O1 -Wall -I inc -MMD -MP -c a.c -o /tmp/s/3.o -MF x.d -MT x {HOOKS}"),
                format!("-O1 -Wall -I inc -MMD -MP -c c.c -o /tmp/s/5.o -MF x.d -MT x {HOOKS}"),
                format!("-Wall -I inc /tmp/s/3.o b.o /tmp/s/5.o -o x -lm {LINK}"),
            ]
        );
        assert_eq!(
            planned("-x c prog -o x"),
            [format!("-O1 -x c -c prog -o /tmp/s/2.o {HOOKS}"), format!("/tmp/s/2.o -o x {LINK}")]
        );
    }

    #[test]
    fn static_programs_are_refused() {
        let kit = Kit { lib: "l".into(), include: "i".into() };
        let e = plan(Family::Gcc, &kit, &words("-static a.c"), Path::new("s")).unwrap_err();
        assert!(e.to_string().contains("-static"));
    }
}
