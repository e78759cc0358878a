//! The compiler driver behind `raddle cc` and single-file targets: what is added to a C
//! compiler's command line so that every access to shared memory calls the runtime and every
//! pthread call reaches it.
//!
//! Compiling takes the thread sanitizer's hooks; linking must not, because then the compiler
//! would add its own runtime library. A command that does both is therefore split (`split`):
//! one compilation for each source, then a link of the objects in the sources' places.

use super::Language;
use super::level;
use super::lto;
use super::split;
use super::words::{Assembly, Mode, Word, assembly, classify, has, mode};
use crate::instrument::Statements;
use raddle_schedule::calls;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Where the runtime lies.
#[derive(Clone, Debug)]
pub struct Kit {
    /// Folder of `libraddle_rt.so`.
    pub lib: PathBuf,
    /// Folder of `raddle.h` and `raddle_points.h`.
    pub include: PathBuf,
    /// Folder of an `as` that notes what assembly touches memory ([`super::assembly`]), where there is one.
    pub assembler: Option<PathBuf>,
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
                // Markers in the source keep the shadow call stack, with names.
                "--param=tsan-instrument-func-entry-exit=0",
                // It warns that fences have no effect; here they have one.
                "-Wno-tsan",
                // A function keeps its frame, so that the end of what lies in it is seen; what the source declares
                // `inline` is put in its place all the same.
                "-fno-inline-functions-called-once",
                "-fno-inline-small-functions",
                "-fno-inline-functions",
                "-fno-partial-inlining",
            ],
            Family::Clang => &[
                // gcc says of itself at what level it has optimised; what that hides is named.
                "-grecord-command-line",
                "-mllvm",
                "-tsan-distinguish-volatile=1",
                // Otherwise a read directly before a write of the same place is left out.
                "-mllvm",
                "-tsan-instrument-read-before-write=1",
                "-mllvm",
                "-tsan-instrument-func-entry-exit=0",
                "-finline-hint-functions",
            ],
        }
    }
}

/// Calls of these the compiler would put other code in the place of, without hooks.
const REAL_CALLS: &[&str] = &[
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "bcmp",
    "memchr",
    "mempcpy",
    "bcopy",
    "bzero",
    "strlen",
    "strnlen",
    "strdup",
    "strndup",
    "strcpy",
    "stpcpy",
    "strncpy",
    "stpncpy",
    "strcat",
    "strncat",
    "strcmp",
    "strncmp",
    "strcasecmp",
    "strncasecmp",
    "strchr",
    "strrchr",
    "strstr",
    "strspn",
    "strcspn",
    "strpbrk",
    "sprintf",
    "snprintf",
    "vsprintf",
    "vsnprintf",
];

/// Arguments of one compilation: the user's with the hooks added.
pub fn compile(tool: Tool, kit: &Kit, args: &[OsString]) -> Vec<OsString> {
    let family = tool.family;
    // An assembler has no hooks to insert, and clang says of each option that it was of no use.
    if let Some(kind) = assembly(args) {
        let header = (kind == Assembly::Preprocessed).then(|| header(kit)).into_iter().flatten();
        let mut out: Vec<OsString> = args.iter().cloned().chain(header).collect();
        out.extend(assembler(family, kit));
        // With an assembler outside clang would say of its other options that they are of no use.
        let outside = family == Family::Clang && kit.assembler.is_some();
        out.extend(outside.then(|| "-Wno-unused-command-line-argument".into()));
        return out;
    }
    let mut out: Vec<OsString> = Vec::new();
    let any = |prefix: &str| args.iter().any(|a| a.to_string_lossy().starts_with(prefix));
    // The user's own level and debug format count, where they give one.
    if !any("-O") {
        out.extend(level::usual(tool, is_cpp(tool, args)).into_iter().map(OsString::from));
    }
    out.extend(args.iter().cloned());
    // After the user's, so that a -g0 or -fno-sanitize of theirs does not win.
    if !any("-ggdb") && !any("-gdwarf") {
        out.push("-g".into());
    }
    out.push("-fsanitize=thread".into());
    out.extend(family.hooks().iter().map(OsString::from));
    // glibc's checked functions are made of code that is put in their place. Where sources ask for them themselves, or
    // the preprocessor is told to, its header says that nobody has (`runtime/include/first`).
    out.push("-U_FORTIFY_SOURCE".into());
    out.extend(REAL_CALLS.iter().map(|f| format!("-fno-builtin-{f}").into()));
    out.extend(header(kit));
    out.extend(first(kit));
    out.extend(assembler(family, kit));
    out
}

/// Is C++ compiled, as a source or as a header?
fn is_cpp(tool: Tool, args: &[OsString]) -> bool {
    let header = |a: &OsString| {
        let extension = Path::new(a).extension().and_then(OsStr::to_str).unwrap_or_default();
        a.as_encoded_bytes().ends_with(b"c++-header")
            || matches!(extension, "hh" | "hpp" | "hxx" | "h++" | "H" | "tcc")
    };
    let source = |w: &Word| *w == Word::Source(Some(Language::Cpp));
    tool.cpp || classify(args, tool.cpp).iter().any(source) || args.iter().any(header)
}

/// What has our assembler take what the compiler makes. Clang has one of its own inside, which cannot be asked.
fn assembler(family: Family, kit: &Kit) -> Vec<OsString> {
    let Some(folder) = &kit.assembler else { return Vec::new() };
    let mut prefix = OsString::from("-B");
    prefix.push(folder);
    prefix.push("/");
    let outside = (family == Family::Clang).then(|| "-fno-integrated-as".into());
    std::iter::once(prefix).chain(outside).collect()
}

/// What makes `raddle.h` found and real. With -idirafter a raddle.h of the user's own comes first.
fn header(kit: &Kit) -> [OsString; 3] {
    ["-D__RADDLE__=1".into(), "-idirafter".into(), kit.include.clone().into()]
}

/// What makes our own header found before libc's.
fn first(kit: &Kit) -> [OsString; 2] {
    ["-isystem".into(), kit.include.join(FIRST).into()]
}

/// The folder of what comes before libc's headers.
pub(super) const FIRST: &str = "first";

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
    let told = calls::TOLD.iter().map(|call| call.name);
    out.extend(calls::wrapped().chain(told).map(|f| format!("-Wl,--wrap={f}").into()));
    out.push("-rdynamic".into());
    out.push("-pthread".into());
    out
}

/// The compiler at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Gcc or clang.
    pub family: Family,
    /// Does it take every source for C++?
    pub cpp: bool,
}

/// One run of the compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Where among them the source stands that can be edited, and its language.
    pub source: Option<(usize, Language)>,
    /// Does it make a program or a shared library? Then what is linked has to be looked at ([`super::hooks`]).
    pub links: bool,
}

impl Run {
    pub(super) fn new(tool: Tool, args: Vec<OsString>) -> Run {
        let words = classify(&args, tool.cpp);
        let mut sources = words.iter().enumerate().filter(|(_, w)| matches!(w, Word::Source(_)));
        let source = match (sources.next(), sources.next()) {
            (Some((at, Word::Source(Some(language)))), None) => Some((at, *language)),
            _ => None,
        };
        Run { args, source, links: false }
    }

    pub(super) fn unedited(args: Vec<OsString>) -> Run {
        Run { args, source: None, links: false }
    }

    pub(super) fn linking(args: Vec<OsString>) -> Run {
        Run { args, source: None, links: true }
    }
}

/// How one command line of a compiler is carried out.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The runs of the compiler, in order.
    pub runs: Vec<Run>,
    /// Where points before statements are wanted.
    pub statements: Statements,
}

/// The option that asks for points before statements; it is ours and no compiler sees it.
pub const STATEMENTS: &str = "-fraddle-statements=";

/// Why a command line cannot be carried out.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum DriverError {
    /// A static program has no place where the runtime could come before libc.
    #[error("`{0}` cannot be combined with Raddle: its runtime must be loaded before libc")]
    Static(String),
    /// Another checker that keeps memory of its own about the program's, and puts its hooks where ours are to stand.
    #[error(
        "`-fsanitize={0}` cannot be combined with Raddle: both stand in for the functions of memory; leave it out where Raddle builds"
    )]
    Sanitizer(String),
}

/// Sanitizers that no compiler combines with the hooks of accesses.
const SANITIZERS: [&str; 8] = [
    "address",
    "dataflow",
    "hwaddress",
    "kernel-address",
    "kernel-hwaddress",
    "kernel-memory",
    "leak",
    "memory",
];

/// The first of these that the words ask for, the last word about each counting.
fn sanitizer(args: &[OsString]) -> Option<&'static str> {
    let asks = |one: &&&'static str| {
        let about = args.iter().rev().find_map(|arg| {
            let (asked, list) = arg.to_str()?.strip_prefix("-f")?.split_once("sanitize=")?;
            let is_named = |other: &str| list.split(',').any(|name| name == other);
            match asked {
                "" => is_named(one).then_some(true),
                "no-" => (is_named(one) || is_named("all")).then_some(false),
                _ => None,
            }
        });
        about == Some(true)
    };
    SANITIZERS.iter().find(asks).copied()
}

/// Splits a command line into runs of the compiler. `scratch` is an existing folder for objects
/// in between.
pub fn plan(tool: Tool, kit: &Kit, args: &[OsString], scratch: &Path) -> Result<Plan, DriverError> {
    let (statements, args) = statements(super::words::expand(args));
    let args = lto::without(args);
    let mode = mode(&args);
    if let Some(name) = sanitizer(&args).filter(|_| mode != Mode::Other) {
        return Err(DriverError::Sanitizer(name.into()));
    }
    let runs = match mode {
        Mode::Other => vec![Run::unedited(preprocess(kit, &args))],
        Mode::Compile => each(tool, kit, &args),
        // With the options of what will include it, or no compiler takes it there.
        Mode::Header => vec![Run::unedited(compile(tool, kit, &args))],
        Mode::Link => {
            if let Some(a) = args.iter().find(|a| *a == "-static" || *a == "-static-pie") {
                return Err(DriverError::Static(a.to_string_lossy().into_owned()));
            }
            split::split(tool, kit, &args, scratch)
        }
    };
    Ok(Plan { runs, statements })
}

/// What [`STATEMENTS`] says, the last one counting, and the other words.
fn statements(args: Vec<OsString>) -> (Statements, Vec<OsString>) {
    let mut wanted = Statements::None;
    let ours = |a: &OsString| a.to_str().and_then(|a| a.strip_prefix(STATEMENTS)).map(Statements::decode);
    let others = args.into_iter().filter(|a| ours(a).map(|w| wanted = w).is_none()).collect();
    (wanted, others)
}

/// A compilation for each source, so that each can be edited.
fn each(tool: Tool, kit: &Kit, args: &[OsString]) -> Vec<Run> {
    let words = classify(args, tool.cpp);
    let sources = words.iter().filter(|w| matches!(w, Word::Source(_))).count();
    // With an output for all of them the compiler has something to say.
    if sources < 2 || has(args, &["-o"]) {
        return vec![Run::new(tool, compile(tool, kit, args))];
    }
    let of = |n: usize| {
        let other = |m: usize| m != n && matches!(words[m], Word::Source(_));
        let one = args.iter().enumerate().filter(|(m, _)| !other(*m)).map(|(_, a)| a.clone());
        Run::new(tool, compile(tool, kit, &one.collect::<Vec<_>>()))
    };
    (0..args.len()).filter(|n| matches!(words[*n], Word::Source(_))).map(of).collect()
}

/// Only what our headers need is added: the output must be that of the real compiler.
fn preprocess(kit: &Kit, args: &[OsString]) -> Vec<OsString> {
    let mut out = args.to_vec();
    if classify(args, false).iter().any(|w| matches!(w, Word::Source(_))) {
        out.extend(header(kit));
        out.extend(first(kit));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    fn planned(line: &str) -> Vec<String> {
        let kit = Kit { lib: "/c/lib".into(), include: "/c/include".into(), assembler: None };
        let plan = plan(GCC, &kit, &words(line), Path::new("/tmp/s")).unwrap();
        let is_of_a_function = |a: &str| a.starts_with("-fno-builtin-") || a.starts_with("-Wl,--wrap=");
        let text = |r: &Run| {
            let all = r.args.iter().map(|a| a.to_string_lossy().into_owned());
            all.filter(|a| !is_of_a_function(a)).collect::<Vec<_>>().join(" ")
        };
        plan.runs.iter().map(text).collect()
    }

    const GCC: Tool = Tool { family: Family::Gcc, cpp: false };

    /// What compiling adds; the functions that are real calls are left out ([`planned`]).
    const HOOKS: &str = "-g -fsanitize=thread --param=tsan-distinguish-volatile=1 \
         --param=tsan-instrument-func-entry-exit=0 -Wno-tsan \
         -fno-inline-functions-called-once -fno-inline-small-functions -fno-inline-functions -fno-partial-inlining \
         -U_FORTIFY_SOURCE -D__RADDLE__=1 -idirafter /c/include -isystem /c/include/first";
    /// What linking adds, without the functions that are wrapped.
    const LINK: &str = "-L/c/lib -Wl,--push-state,--no-as-needed -lraddle_rt -Wl,--pop-state \
         -Wl,--enable-new-dtags,-rpath,/c/lib -Wl,-z,relro,-z,now -rdynamic -pthread";

    #[test]
    fn functions_that_touch_memory_are_real_calls_and_wrapped() {
        let kit = Kit { lib: "/c/lib".into(), include: "/c/include".into(), assembler: None };
        let plan = plan(GCC, &kit, &words("a.c -o x"), Path::new("/tmp/s")).unwrap();
        let has = |n: usize, word: &str| plan.runs[n].args.iter().any(|a| a == word);
        for function in ["memcpy", "strlen", "strcmp", "snprintf"] {
            assert!(has(0, &format!("-fno-builtin-{function}")) && has(1, &format!("-Wl,--wrap={function}")));
        }
        for function in ["printf", "qsort", "fgets", "__isoc99_sscanf"] {
            assert!(
                !has(0, &format!("-fno-builtin-{function}")) && has(1, &format!("-Wl,--wrap={function}"))
            );
        }
    }

    #[test]
    fn compiling_adds_the_hooks() {
        assert_eq!(planned("-c a.c -o a.o"), [format!("-O0 -c a.c -o a.o {HOOKS}")]);
        let kept = level::KEEPS_ACCESSES.join(" ");
        assert_eq!(planned("-c a.cpp -o a.o"), [format!("-O1 {kept} -c a.cpp -o a.o {HOOKS}")]);
        assert_eq!(planned("-O2 -c a.c"), [format!("-O2 -c a.c {HOOKS}")]);
        assert_eq!(
            planned("-E a.c"),
            ["-E a.c -D__RADDLE__=1 -idirafter /c/include -isystem /c/include/first"]
        );
        assert_eq!(planned("--version"), ["--version"]);
    }

    #[test]
    fn several_sources_are_compiled_one_by_one() {
        assert_eq!(
            planned("-c -O0 a.c x/b.c"),
            [format!("-c -O0 a.c {HOOKS}"), format!("-c -O0 x/b.c {HOOKS}")]
        );
    }

    #[test]
    fn points_before_statements_are_asked_for() {
        let kit = Kit { lib: "l".into(), include: "i".into(), assembler: None };
        let plan =
            plan(GCC, &kit, &words("-fraddle-statements=* -c a.c -fraddle-statements=f,g"), Path::new("s"));
        let plan = plan.unwrap();
        assert_eq!(plan.statements, Statements::In(vec!["f".into(), "g".into()]));
        assert_eq!(plan.runs[0].source, Some((2, Language::C)));
        assert!(!plan.runs[0].args.iter().any(|a| a.to_string_lossy().contains("raddle-statements")));
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
                format!("-O0 -Wall -I inc -MMD -MP -c a.c -o /tmp/s/3.o -MF x.d -MT x {HOOKS}"),
                format!("-O0 -Wall -I inc -MMD -MP -c c.c -o /tmp/s/5.o -MF x.d -MT x {HOOKS}"),
                format!("-Wall -I inc /tmp/s/3.o b.o /tmp/s/5.o -o x -lm {LINK}"),
            ]
        );
        assert_eq!(
            planned("-x c prog -o x"),
            [format!("-O0 -x c -c prog -o /tmp/s/2.o {HOOKS}"), format!("/tmp/s/2.o -o x {LINK}")]
        );
    }

    #[test]
    fn assembly_has_no_hooks() {
        assert_eq!(planned("-Wall -c a.s"), ["-Wall -c a.s"]);
        assert_eq!(planned("-c a.S"), ["-c a.S -D__RADDLE__=1 -idirafter /c/include"]);
    }

    /// Of the options for the linker alone clang would say in each compilation that they are of no use there.
    #[test]
    fn a_split_of_clang_says_nothing_of_unused_options() {
        let kit = Kit { lib: "l".into(), include: "i".into(), assembler: None };
        let clang = Tool { family: Family::Clang, cpp: false };
        let plan = plan(clang, &kit, &words("-Werror -fuse-ld=lld a.c -o x"), Path::new("s")).unwrap();
        let quiet = OsString::from("-Wno-unused-command-line-argument");
        assert!(plan.runs.len() == 2 && plan.runs.iter().all(|run| run.args.contains(&quiet)));
    }

    #[test]
    fn static_programs_are_refused() {
        let kit = Kit { lib: "l".into(), include: "i".into(), assembler: None };
        let e = plan(GCC, &kit, &words("-static a.c"), Path::new("s")).unwrap_err();
        assert!(e.to_string().contains("-static"));
        for (line, name) in [
            ("-fsanitize=undefined,address -c a.c", Some("address")),
            ("-fsanitize=leak a.o -o a", Some("leak")),
            ("-fsanitize=memory -fno-sanitize=all -fsanitize=undefined a.c", None),
            ("-fsanitize=address -fno-sanitize=address a.c", None),
            ("-fsanitize=thread -fsanitize=undefined -fsanitize-recover=address a.c", None),
            ("-fsanitize=address -E a.c", None),
        ] {
            let refused = plan(GCC, &kit, &words(line), Path::new("s")).err();
            assert_eq!(refused, name.map(|name| DriverError::Sanitizer(name.into())), "{line}");
        }
    }
}
