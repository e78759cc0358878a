//! Which crates get access hooks: calls that tell the runtime of every plain access to memory, which
//! LLVM's thread sanitizer inserts. Our runtime serves them; the sanitizer's own library is not linked.
//!
//! Safe code over safe code cannot race, and should not pay for hooks. So a crate gets them, wherever it is from, if one of
//! its files says `unsafe` or includes another file (which is not looked for), or if it uses a crate that has them:
//! what is generic there is compiled here, and what unsafe code hands out, soundly or not, is used in safe code too. What
//! procedural macros expand to is not known here. Some published crates are let off (`audited`): their versions are
//! known to be sound, as std is taken to be.
//!
//! A program can pass a reference from an unsound crate to an unrelated safe crate. So where any crate may get hooks, all
//! libraries get them. No crate uses a program, so a program without `unsafe` and without such crates gets none.
//!
//! All other crates get the hooks of atomic operations alone then: the last drop of an `Arc` may
//! be in one of them, and what that count orders would look like a race. Whether any crate may is known before the build, from
//! the workspace's sources, manifests and `Cargo.lock` (`is_wanted_in`).
//!
//! Where every access is to be a point, the other crates of the workspace get the hooks of atomic operations
//! alone. The program's own atomics are the facade's and need none; what is left are those in generic code of
//! std that is compiled into the program: the counts of `Arc` and `Weak`.
//!
//! Where one crate does not compile with hooks, none has any: the program is built anew, in another folder.
//!
//! What a crate got is noted beside the build's records, by the name of its output; crates that use it are
//! compiled later and look there. The sanitizer is an unstable option, so the compiler is told to accept
//! those (`RUSTC_BOOTSTRAP`), and to accept no unstable feature in the source all the same.

use super::arguments::{codegen, values};
use super::modules::ModuleFile;
use super::remembered::Memory;
use super::{audited, manifest, parse};
use crate::instrument::digest;
use proc_macro2::{TokenStream, TokenTree};
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

/// Set for cargo if the compiler takes unstable options by itself.
pub const NIGHTLY: &str = "RADDLE_WRAPPER_NIGHTLY";
/// By what the compiler takes unstable options though it is a stable one.
pub(super) const BOOTSTRAP: &str = "RUSTC_BOOTSTRAP";

/// Set for cargo if no crate gets hooks.
pub const UNHOOKED: &str = "RADDLE_WRAPPER_UNHOOKED";

/// Set for cargo if crates without other hooks get those of atomics.
pub const COUNTS: &str = "RADDLE_WRAPPER_COUNTS";

/// Set for cargo if audited crates get hooks like any others.
pub const AUDITED_TOO: &str = "RADDLE_WRAPPER_AUDITED_TOO";

/// Set for cargo if crates from elsewhere get those of atomics.
pub const ELSEWHERE: &str = "RADDLE_WRAPPER_ELSEWHERE";

/// What makes the hooks those of atomics alone.
const ATOMICS_ONLY: [&str; 2] =
    ["-Cllvm-args=-tsan-instrument-memory-accesses=0", "-Cllvm-args=-tsan-instrument-memintrinsics=0"];

/// What inserts the hooks: reads before writes and volatile accesses too, functions' ends not (markers
/// tell of those). Generic code is compiled here even where a crate without hooks has it already.
const OPTIONS: [&str; 6] = [
    "-Zsanitizer=thread",
    "-Zexternal-clangrt",
    "-Zshare-generics=no",
    "-Cllvm-args=-tsan-instrument-read-before-write=1",
    "-Cllvm-args=-tsan-distinguish-volatile=1",
    "-Cllvm-args=-tsan-instrument-func-entry-exit=0",
];

/// Crates with hooks and without may use each other. Every crate of the program is compiled with this: one
/// without hooks may use one that has them.
pub(super) const MIXED: &str = "-Cunsafe-allow-abi-mismatch=sanitizer";

/// The note of a crate that does not compile with them.
const WITHOUT: &str = "without";

/// One crate's hooks.
#[derive(Debug)]
pub struct Watch {
    /// Does it get them?
    pub wanted: bool,
    /// Do crates that use it get them, too? It has unsafe code, or uses such a crate.
    pub(super) spreads: bool,
    /// Does it get those of atomics, if it gets no others?
    counts: bool,
    /// The package and its version, if it gets no others because it is audited.
    pub audited: Option<String>,
    /// Where that is noted; nowhere, if nothing can use the crate.
    note: Option<PathBuf>,
}

impl Watch {
    /// Decides about the crate that is compiled with these arguments and made of these files. `notes` is
    /// the folder of the notes.
    pub fn of(notes: &Path, args: &[OsString], files: &[ModuleFile]) -> Watch {
        let is_unsafe = files.iter().any(|f| may_be_unsafe(&f.text));
        let spreads = is_unsafe || uses_watched(notes, args);
        let wanted = !is_set(UNHOOKED) && (spreads || is_set(ELSEWHERE) && is_library(args));
        // Beside crates from elsewhere that have those of atomics, and tell who frees what.
        let counts = is_set(COUNTS) || is_set(ELSEWHERE);
        Watch { wanted, spreads, counts, audited: None, note: output(args).map(|name| notes.join(name)) }
    }

    /// For a crate from elsewhere, which is compiled with these arguments and made of these files, those of the package
    /// in this folder.
    pub fn of_elsewhere(notes: &Path, args: &[OsString], files: &[ModuleFile], package: &Path) -> Watch {
        let mut watch = Watch { counts: is_set(ELSEWHERE), ..Watch::of(notes, args, files) };
        let is_audited = || !is_set(AUDITED_TOO) && !uses_watched(notes, args) && audited::is(package);
        // Where the build was not foreseen to have such crates, it has none.
        if watch.wanted && (!watch.counts || is_audited()) {
            watch.wanted = false;
            watch.audited = package.file_name().map(|name| name.to_string_lossy().into_owned());
        }
        watch
    }

    /// Adds what is needed to a command.
    pub fn arguments(&self, args: &mut Vec<OsString>) {
        if self.has_any() {
            let only = if self.wanted { &[][..] } else { &ATOMICS_ONLY[..] };
            args.extend(OPTIONS.iter().chain(only).map(OsString::from));
            if changes_compiler() {
                args.push("-Zallow-features=".into());
                // Who takes unstable options mangles names in another way, and backtraces would show it.
                if codegen(args, "symbol-mangling-version").is_none() {
                    args.extend(
                        ["-Csymbol-mangling-version=legacy", "-Zunstable-options"].map(OsString::from),
                    );
                }
            }
        }
    }

    /// Does it get hooks of either kind?
    pub fn has_any(&self) -> bool {
        self.wanted || self.counts
    }

    /// What is needed in a command's environment.
    pub fn environment(&self) -> Option<(&'static str, &'static str)> {
        (self.has_any() && changes_compiler()).then_some((BOOTSTRAP, "1"))
    }

    /// Notes that it could not have them.
    pub fn give_up(&self) {
        let Some(note) = &self.note else { return };
        // What goes unsaid then is that races in it are not seen, in a cache that cannot be written.
        let _ = note.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(note, WITHOUT));
    }

    /// Notes it, before the crate is compiled: crates that use it may be started in the meantime.
    pub fn keep(&self) {
        let Some(note) = &self.note else { return };
        // Without a note, crates that use it have hooks if they say `unsafe` themselves.
        let _ = match self.wanted && self.spreads {
            true => note.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(note, "")),
            false => fs::remove_file(note),
        };
    }
}

/// Is there a file below this folder by which a crate of the workspace gets hooks? Thousands of files are read for
/// that, so the answer is kept as long as none of them changes and no folder has another entry.
pub(super) fn is_wanted_in(workspace: &Path, memory: &Memory) -> bool {
    // Another version of this may find otherwise.
    let rules = concat!(include_str!("watch.rs"), include_str!("manifest.rs"), include_str!("audited.rs"));
    let question = format!("hooks below {} by {}", workspace.display(), digest(rules.as_bytes()));
    let found = memory.ask::<Infallible>(&question, || {
        let mut seen = Vec::new();
        let found = is_wanted_below(workspace, &mut seen);
        Ok((found.to_string(), seen))
    });
    found.is_ok_and(|found| found == true.to_string())
}

/// The same, looked up; `seen` gets what the answer depends on.
fn is_wanted_below(workspace: &Path, seen: &mut Vec<PathBuf>) -> bool {
    let mut folders = vec![workspace.to_path_buf()];
    while let Some(folder) = folders.pop() {
        // What cannot be read is not compiled either.
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        seen.push(folder);
        for entry in entries {
            let (path, kind) = (entry.path(), entry.file_type());
            let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            if kind.as_ref().is_ok_and(fs::FileType::is_dir) {
                // A folder of built things. (Copies of published sources may have been changed.)
                let sign = path.join("CACHEDIR.TAG");
                match sign.exists() {
                    _ if is_hidden => {}
                    true => seen.push(sign),
                    false => folders.push(path),
                }
            } else if let Some(wanted) = asks_for_hooks(&path, workspace) {
                if wanted {
                    // Whatever else there is.
                    *seen = vec![path];
                    return true;
                }
                seen.push(path);
            }
        }
    }
    false
}

/// Does this file below the workspace ask for hooks? `None` of a file that cannot ask.
fn asks_for_hooks(file: &Path, workspace: &Path) -> Option<bool> {
    let folder = file.parent()?;
    let says: &dyn Fn(&str) -> bool = match file.file_name()?.to_str() {
        Some("Cargo.toml") => &|text| manifest::depends_on_others(text, folder, workspace),
        Some("Cargo.lock") if folder == workspace => &audited::has_others,
        _ if file.extension().is_some_and(|e| e == "rs") => &may_be_unsafe,
        _ => return None,
    };
    // A file that cannot be read is not compiled either.
    Some(fs::read_to_string(file).is_ok_and(|text| says(&text)))
}

/// The crate of this build that was to have hooks and has none, if there is one. `outputs` are the names of what the build
/// made, as far as it can be explored: there may be notes of crates that are built no more.
pub fn gave_up(notes: &Path, outputs: &BTreeSet<OsString>) -> Option<String> {
    let is_built = |name: &OsStr| {
        let program = name.to_str().and_then(|name| name.strip_prefix("lib"));
        outputs.contains(name) || program.is_some_and(|name| outputs.contains(OsStr::new(name)))
    };
    let notes = fs::read_dir(notes).into_iter().flatten().flatten();
    let without = notes.into_iter().filter(|note| {
        is_built(&note.file_name()) && fs::read(note.path()).is_ok_and(|text| text == WITHOUT.as_bytes())
    });
    without.map(|note| crate_name(&note.file_name())).min()
}

/// The crate by the name of its output, `libbank-0123456789abcdef`.
fn crate_name(output: &OsStr) -> String {
    let name = output.to_string_lossy();
    let name = name.rsplit_once('-').map_or(&*name, |(name, _)| name);
    name.strip_prefix("lib").unwrap_or(name).to_string()
}

/// Where the notes lie of a build that keeps its records there.
pub fn notes(records: &Path) -> PathBuf {
    records.with_extension("watched")
}

/// Does it take unstable options only if it is told to?
fn changes_compiler() -> bool {
    !is_set(NIGHTLY) && !is_set(BOOTSTRAP)
}

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty())
}

/// The name of what is compiled, as those that use it are given it.
pub(super) fn output(args: &[OsString]) -> Option<OsString> {
    let name = values(args, "--crate-name").pop()?;
    Some(format!("lib{name}{}", codegen(args, "extra-filename").unwrap_or_default()).into())
}

/// Is what is compiled with these arguments for other crates to use?
fn is_library(args: &[OsString]) -> bool {
    let is_test = args.iter().any(|arg| arg == "--test");
    !is_test
        && values(args, "--crate-type")
            .iter()
            .any(|kind| kind.split(',').any(|k| ["lib", "rlib"].contains(&k)))
}

/// Is the crate that is compiled with these arguments given one that is watched?
fn uses_watched(notes: &Path, args: &[OsString]) -> bool {
    dependencies(args).any(|name| notes.join(name).exists())
}

/// The names of the crates that this one is compiled with.
fn dependencies(args: &[OsString]) -> impl Iterator<Item = &OsStr> {
    let paths = values(args, "--extern").into_iter().filter_map(|e| Some(e.split_once('=')?.1));
    paths.filter_map(|path| Path::new(path).file_stem())
}

/// Is the keyword in it, or an `include!`, outside of comments and strings?
fn may_be_unsafe(text: &str) -> bool {
    if !text.contains("unsafe") && !text.contains("include") {
        return false;
    }
    let tokens = text[parse::start_of_code(text)..].parse::<TokenStream>();
    tokens.map_or(true, has_unsafe)
}

fn has_unsafe(tokens: TokenStream) -> bool {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let found = match token {
            TokenTree::Ident(word) if word == "include" => tokens.peek().is_some_and(calls_or_renames),
            TokenTree::Ident(word) => word == "unsafe",
            TokenTree::Group(group) => has_unsafe(group.stream()),
            _ => false,
        };
        if found {
            return true;
        }
    }
    false
}

/// What follows the name of a macro: `include!`, `use std::include as other`.
fn calls_or_renames(next: &TokenTree) -> bool {
    match next {
        TokenTree::Punct(sign) => sign.as_char() == '!',
        TokenTree::Ident(word) => word == "as",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    fn file(text: &str) -> ModuleFile {
        ModuleFile { file: "src/lib.rs".into(), module: Vec::new(), text: text.to_string() }
    }

    fn line(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn the_keyword_is_told_from_the_word() {
        assert!(may_be_unsafe("fn f(p: *mut u8) { unsafe { *p = 1 } }"));
        assert!(may_be_unsafe("unsafe impl Sync for S {}"));
        assert!(may_be_unsafe("macro_rules! w { ($p:expr) => { unsafe { *$p } } }"));
        assert!(!may_be_unsafe("#![forbid(unsafe_code)] // nothing unsafe\nconst S: &str = \"unsafe\";"));
        assert!(!may_be_unsafe("fn f() {}"));
        // What stands in an included file is not known.
        assert!(may_be_unsafe("mod m { include!(\"m.rs\"); }"));
        assert!(may_be_unsafe("std::include!(concat!(env!(\"OUT_DIR\"), \"/m.rs\"));"));
        assert!(may_be_unsafe("use std::include as take_in;"));
        assert!(!may_be_unsafe("const S: &str = include_str!(\"s\"); fn include() {}"));
        // What is no Rust is not known to be safe.
        assert!(may_be_unsafe("unsafe ("));
    }

    #[test]
    fn who_uses_a_crate_with_hooks_gets_them() {
        let notes = tempfile::tempdir().unwrap();
        let of = |args: &str, text: &str| Watch::of(notes.path(), &line(args), &[file(text)]);
        let lib = of("rustc --crate-name a -C extra-filename=-12", "unsafe fn f() {}");
        assert!(lib.wanted);
        lib.keep();
        let uses = "rustc --crate-name b -C extra-filename=-3 --extern a=/t/deps/liba-12.rmeta";
        assert!(of(uses, "").wanted);
        assert!(!of("rustc --crate-name b --extern a=/t/deps/liba-13.rmeta", "").wanted);
        // Where any crate may have hooks, a safe one that others use has them for what it may be handed.
        let (lib, it) = (line("rustc --crate-type lib"), line("rustc --test --crate-type lib"));
        assert!(is_library(&lib) && !is_library(&it) && !is_library(&line("rustc --crate-type bin")));
        // Mended: it says so no more.
        of("rustc --crate-name a -C extra-filename=-12", "fn f() {}").keep();
        assert!(!of(uses, "").wanted);
    }

    #[test]
    fn safe_crates_are_compiled_as_they_are() {
        let mut args = Vec::new();
        let safe = Watch { wanted: false, spreads: false, counts: false, audited: None, note: None };
        safe.arguments(&mut args);
        assert!(args.is_empty() && safe.environment().is_none());
        Watch { wanted: true, spreads: true, counts: true, audited: None, note: None }.arguments(&mut args);
        assert!(args[0] == "-Zsanitizer=thread" && !args.contains(&ATOMICS_ONLY[0].into()));
        args.clear();
        Watch { wanted: false, spreads: false, counts: true, audited: None, note: None }.arguments(&mut args);
        assert!(args[0] == "-Zsanitizer=thread" && args.contains(&ATOMICS_ONLY[0].into()));
    }

    #[test]
    fn a_workspace_that_has_hooks_is_known_before_it_is_built() {
        let workspace = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = workspace.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("target/CACHEDIR.TAG", "");
        write("target/debug/build/out.rs", "unsafe fn f() {}");
        write("vendor/a/.cargo-checksum.json", "{}");
        write("vendor/a/src/lib.rs", "fn f() {}");
        write("member/src/lib.rs", "fn f() {} // unsafe");
        // Of the workspace only.
        write("member/Cargo.lock", "[[package");
        let wanted = |memory: &Memory| is_wanted_in(workspace.path(), memory);
        assert!(!wanted(&Memory::none()));
        // An answer is kept only of what was there for a while.
        let cache = tempfile::tempdir().unwrap();
        let (memory, answers) = (Memory::of(cache.path()), cache.path().join("rust/answers"));
        let kept = || fs::read_dir(&answers).map_or(0, Iterator::count);
        let before = SystemTime::now() - Duration::from_secs(60);
        let age = |path: &str| {
            fs::File::open(workspace.path().join(path)).unwrap().set_modified(before).unwrap();
        };
        assert!(!wanted(&memory) && kept() == 0);
        let all = [
            "",
            "target/CACHEDIR.TAG",
            "vendor",
            "vendor/a",
            "vendor/a/src",
            "vendor/a/src/lib.rs",
            "member",
            "member/src",
        ];
        all.into_iter().chain(["member/src/lib.rs"]).for_each(age);
        assert!(!wanted(&memory) && kept() == 1 && !wanted(&memory));
        write("member/src/lib.rs", "fn f() {} // safe");
        assert!(!wanted(&memory));
        write("member/tests/t.rs", "fn f(p: *mut u8) { unsafe { *p = 1 } }");
        assert!(wanted(&memory) && wanted(&Memory::none()));
        // Now that is what it depends on, and on nothing else.
        age("member/tests/t.rs");
        assert!(wanted(&memory));
        write("member/src/lib.rs", "fn f() {}");
        assert!(wanted(&memory));
        fs::remove_file(workspace.path().join("member/tests/t.rs")).unwrap();
        assert!(!wanted(&memory));
        // A copy of a published crate may have been changed.
        write("vendor/a/src/lib.rs", "unsafe fn f() {}");
        assert!(wanted(&memory));
    }

    #[test]
    fn a_crate_that_cannot_have_them_is_known() {
        let notes = tempfile::tempdir().unwrap();
        let watch = Watch {
            wanted: true,
            spreads: true,
            counts: false,
            audited: None,
            note: Some(notes.path().join("liba-12")),
        };
        let built = ["liba-12", "libb"].map(OsString::from).into();
        watch.keep();
        assert_eq!(gave_up(notes.path(), &built), None);
        watch.give_up();
        assert_eq!(gave_up(notes.path(), &built).as_deref(), Some("a"));
        // A test program is named without `lib`; one that is built no more does not count.
        assert!(gave_up(notes.path(), &[OsString::from("a-12")].into()).is_some());
        assert_eq!(gave_up(notes.path(), &[OsString::from("libb")].into()), None);
        watch.keep();
        assert_eq!(gave_up(notes.path(), &built), None);
    }
}
