//! The compilation of a crate of the workspace, with its files instrumented.
//!
//! 1. The crate's files are found ([`module_files`]) and instrumented ([`instrument`]).
//! 2. They are compiled from a `Shadow`, whose path is mapped back to the original one, so that
//!    messages, `file!()` and debug information name what they always did.
//! 3. If that fails and the errors lie in instrumented files, those are taken back and it is tried
//!    again, in the end in place and with the arguments as they came: the build never breaks because
//!    of us, and what is wrong with the original is said about the original.
//! 4. What became of each file is stored for the reports ([`Record`]).
//!
//! Only the output of the last compilation is passed on, without warnings where it compiled edited files: they would show
//! lines that nobody has written.

use super::arguments;
use super::diagnostics::{errors, without_warnings};
use super::functions::instrument;
use super::modules::{ModuleFile, module_files};
use super::parts::{self, Has};
use super::shadow::{Shadow, normal};
use super::unmarked;
use super::unseen::{self, Unseen};
use super::watch::{self, Watch};
use super::wrapper::Wrapper;
use super::{audited, modelled, plain, random_crates};
use crate::instrument::{Instrumented, Record, Store, digest};
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output};

/// How the reason begins of a file that an error named.
const BREAKS: &str = "with markers it does not compile: ";

/// How often files are taken back before the whole crate is.
const TRIES: u32 = 6;

/// Signals by which others end a process: SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGTERM and SIGXCPU.
const BY_OTHERS: [i32; 6] = [1, 2, 3, 9, 15, 24];

/// One crate being compiled.
struct Unit<'a> {
    wrapper: &'a Wrapper,
    /// The whole command, with the arguments that the wrapper adds.
    command: Vec<OsString>,
    /// Which of them is the root.
    root: usize,
    /// What the paths of the workspace's files begin with in this compilation: nothing, or the
    /// workspace and a slash.
    prefix: String,
    store: Store,
    files: Vec<File>,
    /// It is made of others too, which are compiled as they are.
    has_others: bool,
    /// Which hooks it gets.
    watch: Watch,
}

/// One file of the crate.
struct File {
    /// Relative to the workspace.
    path: PathBuf,
    source: ModuleFile,
    /// How it is edited, or why it is not.
    edited: Result<Instrumented, String>,
}

/// Compiles a crate of the explored program; `None` where there is nothing to insert, and the
/// command is to be run as it is. `command` is what [`Wrapper::wrap`] made of the arguments.
pub fn compile(wrapper: &Wrapper, command: &[OsString], own: &[OsString]) -> Option<u8> {
    let Some(mut unit) = Unit::new(wrapper, command) else { return compile_elsewhere(wrapper, command) };
    let mut tries = 0;
    let mut reason = "with markers it does not compile, for a reason that names no line of it".to_string();
    while tries < TRIES && unit.files.iter().any(|f| f.edited.is_ok()) {
        tries += 1;
        match unit.compile_shadow() {
            Ok(mut output) if output.status.success() => {
                unit.keep_records();
                output.stderr = without_warnings(&output.stderr);
                return Some(pass_on(&output));
            }
            Ok(output) if was_killed(output.status) => return Some(pass_on(&output)),
            Ok(output) if unit.take_back(&output) => {}
            Ok(_) => break,
            Err(e) => {
                reason = format!("its edited copy cannot be written: {e}");
                break;
            }
        }
    }
    let output = compile_hooked(&unit.command, &unit.watch)?;
    if output.status.success() {
        unit.take_back_all(&reason);
        unit.keep_records();
        return Some(pass_on(&output));
    }
    let plain = unit.check_plainly(own).ok().filter(|plain| plain::is_its_own(plain, &output));
    Some(pass_on(plain.as_ref().unwrap_or(&output)))
}

/// Compiles a crate from elsewhere with the hooks that such crates get, and with what is inserted into some; `None` if it gets neither, or does not compile with them.
fn compile_elsewhere(wrapper: &Wrapper, command: &[OsString]) -> Option<u8> {
    let args = arguments::expanded(command);
    let files = module_files(Path::new(&args[arguments::root(&args)?]));
    let package = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR")?);
    let watch = Watch::of_elsewhere(&watch::notes(&wrapper.edits), &args, &files, &package);
    note_parts(wrapper, &args, &watch, &files);
    if let Some(status) = compile_with_insertions(wrapper, &args, &watch, &package) {
        return Some(status);
    }
    if !watch.has_any() {
        return None;
    }
    watch.keep();
    let output = compile_hooked(&args, &watch)?;
    Some(pass_on(&output))
}

/// Compiles a crate as it is: with its hooks, and without them if that fails. A compiler that was killed, or that fails both
/// times (the build may have ended around it), tells nothing about the hooks: nothing is noted, and the next build tries again.
fn compile_hooked(command: &[OsString], watch: &Watch) -> Option<Output> {
    let compile = |args: &[OsString], variable| {
        let (program, args) = args.split_first()?;
        Command::new(program).args(args).envs(variable).output().ok()
    };
    if watch.has_any() {
        let mut args = command.to_vec();
        watch.arguments(&mut args);
        if let Some(output) = compile(&args, watch.environment())
            && (output.status.success() || was_killed(output.status))
        {
            return Some(output);
        }
    }
    let output = compile(command, None)?;
    if watch.has_any() && output.status.success() {
        watch.give_up();
    }
    Some(output)
}

/// Compiles one that draws random numbers ([`random_crates`]) or has primitives with models ([`modelled`]) from a copy in which it says
/// so; `None` if it is no such crate, or does not compile so.
fn compile_with_insertions(
    wrapper: &Wrapper,
    args: &[OsString],
    watch: &Watch,
    package: &Path,
) -> Option<u8> {
    let name = std::env::var("CARGO_PKG_NAME").ok()?;
    let mut edited = random_crates::edited(&name, package, args);
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    if audited::is_of_crates_io(package) {
        edited.extend(modelled::edited(&name, &version, package));
    }
    let at = arguments::root(args)?;
    let root = std::env::current_dir().ok()?.join(&args[at]);
    let root = root.strip_prefix(package).ok()?;
    if edited.is_empty() {
        return None;
    }
    let files: Vec<_> = edited.into_iter().map(|(file, text)| (file, Some(text))).collect();
    let shadow = Shadow::make(wrapper.shadows.join(key(args)), package, &files).ok()?;
    let mut args = args.to_vec();
    args[at] = shadow.root().join(root).into();
    let mut remap = shadow.root().as_os_str().to_owned();
    remap.push("=");
    remap.push(package);
    args.extend(["--remap-path-prefix".into(), remap]);
    watch.keep();
    watch.arguments(&mut args);
    let output = run(&args, watch.environment(), shadow.root()).ok()?;
    if let Some(file) = arguments::dependency_file(&args) {
        shadow.patch_dependencies(&file, &format!("{}/", package.display())).ok()?;
    }
    output.status.success().then(|| pass_on(&output))
}

/// Notes which crates this one is made of; that it could not be noted is said as a compiler says it.
fn note_parts(wrapper: &Wrapper, args: &[OsString], watch: &Watch, files: &[ModuleFile]) {
    let has = Has::of(watch, files.iter().map(|file| &*file.text));
    if let Err(e) = parts::note(&wrapper.edits, args, has) {
        eprintln!("warning: raddle cannot note which crates this one uses: {e}");
    }
}

impl<'a> Unit<'a> {
    fn new(wrapper: &'a Wrapper, command: &[OsString]) -> Option<Unit<'a>> {
        let command = arguments::expanded(command);
        let at = arguments::root(&command)?;
        let manifest = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR")?);
        let is_vendored = manifest.join(".cargo-checksum.json").exists();
        let here = std::env::current_dir().ok()?;
        let root = PathBuf::from(&command[at]);
        if !manifest.starts_with(&wrapper.workspace) {
            if !is_vendored && !is_of_cargo(&manifest) {
                record_outside(wrapper, &here.join(root));
                note_unmarked(wrapper, &command, true);
            }
            return None;
        }
        if is_vendored {
            return None;
        }
        let prefix = if root.is_absolute() {
            format!("{}/", wrapper.workspace.to_str()?)
        } else if here == wrapper.workspace {
            String::new()
        } else {
            note_unmarked(wrapper, &command, true);
            return None;
        };
        let store = Store::new(&wrapper.edits);
        let files = module_files(&root);
        let watch = Watch::of(&watch::notes(&wrapper.edits), &command, &files);
        watch.keep();
        note_parts(wrapper, &command, &watch, &files);
        let mut unit =
            Unit { wrapper, command, root: at, prefix, store, files: Vec::new(), has_others: false, watch };
        unit.read(files);
        Some(unit)
    }

    /// Finds and instruments the files.
    fn read(&mut self, files: Vec<ModuleFile>) {
        let Some(of) = files.first().map(|root| arguments::crate_of(&self.command, &root.text)) else {
            return;
        };
        for source in files {
            let Some(path) = self.relative(&source.file) else {
                self.has_others = true;
                continue;
            };
            let edited = match self.left_before(&path, &source) {
                Some(reason) => Err(reason),
                None => instrument(&source.text, &source.module, of, &self.wrapper.statements)
                    .map_err(|e| format!("it cannot be read: {e}")),
            };
            self.files.push(File { path, source, edited });
        }
    }

    /// A file's path relative to the workspace; `None` if it is elsewhere or behind a link.
    fn relative(&self, file: &Path) -> Option<PathBuf> {
        let workspace = &self.wrapper.workspace;
        let path = normal(&workspace.join(file))?;
        let is_real = path.canonicalize().is_ok_and(|real| real == path);
        is_real.then(|| path.strip_prefix(workspace).ok().map(Path::to_owned)).flatten()
    }

    /// Why this very text was left alone in another compilation (the library and its tests are two),
    /// if an error named it: what befell a whole crate, like a compiler that was killed, may be over.
    fn left_before(&self, path: &Path, source: &ModuleFile) -> Option<String> {
        let record = self.store.get(&self.wrapper.workspace.join(path))?;
        let left = record.left.into_iter().find(|l| l.name.is_empty())?;
        let same = record.digest == digest(source.text.as_bytes());
        (same && left.reason.starts_with(BREAKS)).then_some(left.reason)
    }

    /// Where its shadow lies.
    fn shadow(&self) -> PathBuf {
        self.wrapper.shadows.join(key(&self.command))
    }

    fn compile_shadow(&self) -> std::io::Result<Output> {
        let files: Vec<(PathBuf, Option<String>)> = self
            .files
            .iter()
            .map(|f| {
                let text = f.edited.as_ref().ok().filter(|i| !i.edits.is_empty());
                (f.path.clone(), text.map(|i| i.edits.apply(&f.source.text)))
            })
            .collect();
        let shadow = Shadow::make(self.shadow(), &self.wrapper.workspace, &files)?;
        let mut args = self.command.clone();
        let root = Path::new(&args[self.root]);
        let root = root.strip_prefix(&self.wrapper.workspace).unwrap_or(root);
        args[self.root] = shadow.root().join(root).into();
        let mut remap = shadow.root().as_os_str().to_owned();
        remap.push("=");
        remap.push(self.prefix.trim_end_matches('/'));
        args.extend(["--remap-path-prefix".into(), remap]);
        self.watch.arguments(&mut args);
        let output = run(&args, self.watch.environment(), shadow.root())?;
        if output.status.success()
            && let Some(file) = arguments::dependency_file(&args)
        {
            shadow.patch_dependencies(&file, &self.prefix)?;
        }
        Ok(output)
    }

    /// What the compiler says without the facade. Nothing of it is kept.
    fn check_plainly(&self, own: &[OsString]) -> std::io::Result<Output> {
        let out = self.shadow().with_extension("check");
        std::fs::create_dir_all(&out)?;
        let output = run(&plain::check(own, &self.wrapper.facade, &out), None, &out);
        let _ = std::fs::remove_dir_all(&out);
        output
    }

    /// Takes back the files that errors lie in, or else those that their notes name. False if there
    /// are none: then the errors are the original's, or nobody's.
    fn take_back(&mut self, output: &Output) -> bool {
        // What cannot be found in the shadow is spelt with its path; the user's is relative.
        let shadow = format!("{}/", self.shadow().display());
        for with_notes in [false, true] {
            let (mut taken, mut seen) = (false, false);
            for (name, message) in errors(&output.stderr, with_notes) {
                let Some(path) = self.relative(Path::new(&name)) else { continue };
                let Some(file) = self.files.iter_mut().find(|f| f.path == path) else { continue };
                seen = true;
                if file.edited.is_ok() {
                    let message = message.replace(&shadow, "");
                    file.edited = Err(format!("{BREAKS}{message}"));
                    taken = true;
                }
            }
            if seen {
                return taken;
            }
        }
        false
    }

    fn take_back_all(&mut self, reason: &str) {
        for file in self.files.iter_mut().filter(|f| f.edited.is_ok()) {
            file.edited = Err(reason.to_string());
        }
    }

    fn keep_records(&self) {
        let unmarked = |f: &File| f.edited.as_ref().map_or(true, |i| i.unmarked);
        note_unmarked(self.wrapper, &self.command, self.has_others || self.files.iter().any(unmarked));
        let mut found = Unseen::default();
        self.files.iter().for_each(|f| found.look(&f.path, &f.source.text));
        if let Err(e) = unseen::note(&self.wrapper.edits, &self.command, &found) {
            eprintln!("warning: raddle cannot note what this crate does to memory that is not seen: {e}");
        }
        for f in &self.files {
            let file = self.wrapper.workspace.join(&f.path);
            let record = match &f.edited {
                Ok(instrumented) => Record::new(&file, &f.source.text, instrumented),
                Err(reason) => Record::untouched(&file, f.source.text.as_bytes(), reason),
            };
            // Without a record, columns of this file are not mapped; nothing else is lost.
            let _ = self.store.put(&record);
        }
    }
}

/// Notes whether a crate has code without markers; that it could not be noted is said as a compiler says it.
fn note_unmarked(wrapper: &Wrapper, command: &[OsString], has: bool) {
    if let Err(e) = unmarked::note(&wrapper.edits, command, has) {
        eprintln!("warning: raddle cannot note that this crate has code without markers: {e}");
    }
}

/// Names the shadow: every compilation has its own, always the same.
fn key(command: &[OsString]) -> String {
    let mut bytes = Vec::new();
    for arg in command {
        bytes.extend_from_slice(arg.as_bytes());
        bytes.push(0);
    }
    digest(&bytes)
}

/// Did cargo fetch this package, from a registry or a repository?
fn is_of_cargo(manifest: &Path) -> bool {
    let parts: Vec<_> = manifest.iter().collect();
    parts
        .windows(2)
        .any(|two| (two[0] == "registry" && two[1] == "src") || (two[0] == "git" && two[1] == "checkouts"))
}

/// A package of the user's beside the workspace, which a shadow of that does not reach: said once, of
/// its root.
fn record_outside(wrapper: &Wrapper, root: &Path) {
    let Ok(text) = std::fs::read(root) else { return };
    let reason = "its package lies outside of the workspace's folder, and so do its other files";
    // A record that cannot be written is one report without it.
    let Some(root) = normal(root) else { return };
    let _ = Store::new(&wrapper.edits).put(&Record::untouched(&root, &text, reason));
}

/// Runs a command, whose arguments go through a file where they are long.
fn run(args: &[OsString], variable: Option<(&str, &str)>, folder: &Path) -> std::io::Result<Output> {
    let long = args.iter().map(|a| a.len() + 1).sum::<usize>() > 100_000;
    let is_text = args.iter().all(|a| !a.as_bytes().contains(&b'\n'));
    if !(long && is_text) {
        return Command::new(&args[0]).args(&args[1..]).envs(variable).output();
    }
    // A wrapper of the user's and the compiler come first: everything from the first option on.
    let first = args.iter().position(|a| a.as_bytes().starts_with(b"-")).unwrap_or(args.len());
    let file = folder.with_extension("args");
    std::fs::write(&file, args[first..].join(OsStr::new("\n")).as_bytes())?;
    let mut at = OsString::from("@");
    at.push(&file);
    let output = Command::new(&args[0]).args(&args[1..first]).arg(at).envs(variable).output();
    let _ = std::fs::remove_file(&file);
    output
}

/// Says what the compiler said; its exit status.
fn pass_on(output: &Output) -> u8 {
    // Whoever does not listen any more does not want to hear it.
    let _ = std::io::stdout().write_all(&output.stdout);
    let _ = std::io::stderr().write_all(&output.stderr);
    status(output.status)
}

/// Did somebody else end the compiler, be it below a wrapper that says so by its own status? What it does to itself (it
/// crashes) is its answer.
fn was_killed(status: ExitStatus) -> bool {
    let signal = status.signal().or_else(|| Some(status.code()? - 128));
    signal.is_some_and(|signal| BY_OTHERS.contains(&signal))
}

fn status(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|s| 128 + s)).unwrap_or(1);
    u8::try_from(code).unwrap_or(1)
}
