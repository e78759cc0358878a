//! The build of a Rust package: `cargo test --no-run` with the facade, in the cache, so that the
//! user's own `target` folder is never touched.
//!
//! [`Package::find`] turns what was named on the command line into a package or workspace,
//! [`build`] its tests into programs, and [`list`] asks such a program for its tests. Everything
//! lies in `<cache>/rust/<key>/`: the facade, and one target folder for each workspace and each set of
//! statement points, with the records of what was inserted. The key covers what cargo's own freshness
//! check does not know of: the compiler, the facade, the runtime.

pub use super::error::BuildError;
use super::messages::{self, Built, Wanted};
pub use super::messages::{Kind, Program};
use super::plain::as_written;
use super::remembered::{Memory, above};
use super::toolchain::Toolchain;
use super::wrapper::Wrapper;
use super::{facade, listing, rustup, tools, watch};
use crate::instrument::{Statements, Store};
pub use listing::{ListedTest, list};
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A Cargo package or workspace.
#[derive(Clone, Debug)]
pub struct Package {
    /// Folder of the manifest that was named: cargo is started here.
    pub root: PathBuf,
    /// Folder of the workspace it belongs to; its own if it has none. Paths that the compiler
    /// prints are relative to this one.
    pub workspace: PathBuf,
}

/// Who wants to know of the processes that a build starts, so that it can end them.
pub trait Children: std::fmt::Debug {
    /// Before a process is started.
    fn prepare(&self, command: &mut Command);
    /// It runs, and has this number.
    fn started(&self, id: u32);
    /// It has ended and is not collected by anybody else.
    fn ended(&self, id: u32);
}

/// Nobody.
impl Children for () {
    fn prepare(&self, _: &mut Command) {}
    fn started(&self, _: u32) {}
    fn ended(&self, _: u32) {}
}

/// What the build needs besides the package.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'a> {
    /// The cache folder.
    pub cache: &'a Path,
    /// Folder of the unpacked `libraddle_rt.so`; its name must change with its contents.
    pub runtime: &'a Path,
    /// The program that acts as a rustc wrapper ([`Wrapper::from_env`]): `raddle` itself.
    pub wrapper: &'a Path,
    /// More arguments for `cargo test`: `--release`, `--features …`.
    pub cargo_args: &'a [OsString],
    /// Where points are put before statements.
    pub statements: &'a Statements,
    /// Every crate of the workspace tells of atomic operations in std's generic code: the counts of `Arc`.
    pub counts: bool,
    /// Audited crates are watched too.
    pub watch_all: bool,
    /// Who hears of cargo's process.
    pub children: &'a dyn Children,
}

/// Tells these sources from others: what is inserted depends on them.
const INSTRUMENTER: &str = env!("RADDLE_INSTRUMENTER");

impl Package {
    /// The package of a folder or a `Cargo.toml`, which is to be built with this cache folder.
    pub fn find(target: &Path, cache: &Path) -> Result<Package, BuildError> {
        let memory = Memory::of(cache);
        let look = Package::located(target, Some(Path::new("/")), &memory);
        // Its own toolchain may be the only one that there is, or that understands it.
        look.or_else(|e| Package::located(target, None, &memory).map_err(|_| e))
    }

    /// The same, found without running anything of it: in its folder rustup might choose a toolchain
    /// that the package brings along.
    pub fn look(target: &Path) -> Result<Package, BuildError> {
        Package::located(target, Some(Path::new("/")), &Memory::none())
    }

    /// Found by a cargo that is started in this folder, or in the package's.
    fn located(target: &Path, from: Option<&Path>, memory: &Memory) -> Result<Package, BuildError> {
        let named = target.display();
        let manifest = if target.is_dir() { target.join("Cargo.toml") } else { target.to_path_buf() };
        if !manifest.is_file() {
            let (cause, next) = ("there is no Cargo.toml in it", "name a folder that has one");
            return Err(BuildError::new(format!("{named} is not a Cargo package"), cause, next));
        }
        let manifest = fs::canonicalize(&manifest)
            .map_err(|e| BuildError::new(format!("cannot read {named}"), e, "make it readable"))?;
        let root = manifest.parent().unwrap_or(Path::new("/")).to_path_buf();
        let workspace = memory.ask(&format!("workspace of {}", manifest.display()), || {
            let mut command = cargo(from.unwrap_or(&root));
            command.args(["locate-project", "--workspace", "--message-format=plain", "--manifest-path"]);
            let output =
                command.arg(&manifest).output().map_err(|e| BuildError::tool("cargo".as_ref(), &e))?;
            if !output.status.success() {
                let cause = String::from_utf8_lossy(&output.stderr).into_owned();
                return Err(BuildError::new(
                    format!("cargo does not accept {named}"),
                    cause,
                    "correct the manifest",
                ));
            }
            let workspace = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            let files = above(&root, "Cargo.toml").into_iter().chain([workspace.clone().into()]).collect();
            Ok((workspace, files))
        })?;
        let workspace = Path::new(&workspace).parent().map_or_else(|| root.clone(), Path::to_path_buf);
        Ok(Package { root, workspace })
    }
}

/// The outcome of a build.
#[derive(Debug)]
pub struct Outcome {
    /// The test programs, by package, kind and name.
    pub programs: Vec<Program>,
    /// What was inserted into each file of the workspace.
    pub edits: Store,
    /// The crate that does not compile with hooks, for which none here has any. Otherwise all crates of the workspace
    /// that need access hooks have them.
    pub unhooked: Option<String>,
    /// What of the package is not explored, or not as it is configured: to be said.
    pub left_out: Vec<String>,
}

/// Builds all test programs of a package. `progress` gets one line at a time: what raddle itself
/// does, and what cargo prints.
pub fn build(
    package: &Package,
    settings: &Settings<'_>,
    progress: &mut dyn FnMut(&str),
) -> Result<Outcome, BuildError> {
    let (place, mut programs, unhooked) =
        made(package, settings, &["test", "--no-run"], Wanted::Tests, progress)?;
    // Tests of a proc macro are built for the compiler's side, where there is no facade.
    let explored = place.folder.join(&place.toolchain.host);
    let mut left_out = place.toolchain.unheeded.clone();
    programs.retain(|program| {
        let built_for_target = program.executable.starts_with(&explored);
        if !built_for_target {
            let name = &program.name;
            left_out.push(format!(
                "the tests of the proc macro {name} are left out: they run beside the compiler"
            ));
        }
        built_for_target
    });
    if programs.is_empty() {
        return Err(BuildError::new(
            format!("no test program in {}", package.root.display()),
            "`cargo test --no-run` built none",
            "write a #[test] in src/ or tests/",
        ));
    }
    Ok(Outcome { programs, edits: place.edits, unhooked, left_out })
}

/// Builds the programs and examples that the arguments name, each with its own `main`.
pub fn mains(
    package: &Package,
    settings: &Settings<'_>,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<Program>, BuildError> {
    Ok(made(package, settings, &["build"], Wanted::Mains, progress)?.1)
}

/// Builds by cargo with these words; the last is the crate that does not compile with hooks. Then none has any: what is
/// ordered by counts of `Arc` that one crate does not tell would look like races to those that do.
fn made<'a>(
    package: &'a Package,
    settings: &'a Settings<'a>,
    words: &[&str],
    wanted: Wanted,
    progress: &mut dyn FnMut(&str),
) -> Result<(Place<'a>, Vec<Program>, Option<String>), BuildError> {
    let place = Place::of(package, settings, true, progress)?;
    let Built { programs, outputs } = place.cargo(words, wanted, progress)?;
    let Some(name) = watch::gave_up(&watch::notes(place.edits.folder()), &outputs) else {
        return Ok((place, programs, None));
    };
    let place = Place::of(package, settings, false, progress)?;
    let programs = place.cargo(words, wanted, progress)?.programs;
    Ok((place, programs, Some(name)))
}

/// Where a package is built, and by what.
struct Place<'a> {
    package: &'a Package,
    settings: &'a Settings<'a>,
    toolchain: Toolchain,
    /// The target folder.
    folder: PathBuf,
    /// Do crates get hooks?
    hooks: bool,
    /// Do those from elsewhere?
    elsewhere: bool,
    edits: Store,
    wrapper: Wrapper,
}

impl<'a> Place<'a> {
    fn of(
        package: &'a Package,
        settings: &'a Settings<'a>,
        hooks: bool,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Place<'a>, BuildError> {
        let memory = Memory::of(settings.cache);
        let toolchain = Toolchain::remembered(&package.root, &memory)?;
        let cache = settings.cache.join("rust").join(key(&toolchain, settings));
        fs::create_dir_all(&cache).map_err(|e| BuildError::cache(&cache, &e))?;
        let facade = facade::folder(&toolchain, &package.root, &cache, settings.children, progress)?;
        lock(package, settings, &memory);
        let elsewhere = hooks && (settings.watch_all || watch::is_wanted_in(&package.workspace, &memory));
        let of_workspace = build_key(package, settings, hooks, elsewhere);
        let edits = Store::new(cache.join("edits").join(&of_workspace));
        let wrapper = Wrapper {
            facade,
            runtime: settings.runtime.to_path_buf(),
            next: toolchain.wrapper.clone(),
            workspace: package.workspace.clone(),
            shadows: cache.join("shadows").join(&of_workspace),
            edits: edits.folder().to_path_buf(),
            statements: settings.statements.clone(),
        };
        let folder = cache.join("build").join(&of_workspace);
        Ok(Place { package, settings, toolchain, folder, hooks, elsewhere, edits, wrapper })
    }

    fn cargo(
        &self,
        words: &[&str],
        wanted: Wanted,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Built, BuildError> {
        let mut command = own_cargo(&self.package.root, &Memory::of(self.settings.cache));
        command.args(words).args(["--message-format=json-render-diagnostics", "--target"]);
        command
            .arg(&self.toolchain.host)
            .arg("--target-dir")
            .arg(&self.folder)
            .args(self.settings.cargo_args);
        command.envs(self.wrapper.to_env()).env("RUSTC_WRAPPER", self.settings.wrapper);
        let switches = [
            (watch::UNHOOKED, !self.hooks),
            (watch::COUNTS, self.hooks && self.settings.counts),
            (watch::ELSEWHERE, self.elsewhere),
            (watch::AUDITED_TOO, self.settings.watch_all),
            (watch::NIGHTLY, self.toolchain.is_nightly()),
        ];
        command.envs(switches.map(|(name, is_on)| (name, if is_on { "1" } else { "" })));
        let mut built = run(&mut command, self.package, self.settings.children, wanted, progress)?;
        for program in &mut built.programs {
            program.env.extend(self.toolchain.env.iter().cloned());
        }
        Ok(built)
    }
}

/// Has cargo choose versions where none are chosen, as the build would: which crates are watched depends on them.
fn lock(package: &Package, settings: &Settings<'_>, memory: &Memory) {
    let says = |word: &str| settings.cargo_args.iter().any(|arg| arg == word);
    if package.workspace.join("Cargo.lock").exists() || says("--locked") || says("--frozen") {
        return;
    }
    let mut command = own_cargo(&package.root, memory);
    let offline = says("--offline").then_some("--offline");
    // What is wrong the build will say.
    let _ = command.arg("generate-lockfile").args(offline).output();
}

/// What makes two builds the same, apart from what cargo itself looks at.
fn key(toolchain: &Toolchain, settings: &Settings<'_>) -> String {
    let mut parts: Vec<&[u8]> = facade::ingredients().map(str::as_bytes).collect();
    parts.push(toolchain.identity.as_bytes());
    parts.push(settings.runtime.as_os_str().as_bytes());
    hash(&parts)
}

/// What names the target folder: the workspace, and what is inserted into its sources.
fn build_key(package: &Package, settings: &Settings<'_>, hooks: bool, elsewhere: bool) -> String {
    let encoded = settings.statements.encode();
    let mut parts = vec![package.workspace.as_os_str().as_bytes(), encoded.as_bytes()];
    if settings.counts {
        parts.push(b"counts");
    }
    if !hooks {
        parts.push(b"unhooked");
    }
    if elsewhere {
        parts.push(b"elsewhere");
    }
    if settings.watch_all {
        parts.push(b"watch all");
    }
    parts.push(INSTRUMENTER.as_bytes());
    hash(&parts)
}

fn hash(parts: &[&[u8]]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Cargo in a folder, free of what another cargo, of which this process may be a child, has set.
fn cargo(folder: &Path) -> Command {
    freed(tools::command("cargo"), folder)
}

/// The same without rustup's time before it, where it is rustup's.
fn own_cargo(folder: &Path, memory: &Memory) -> Command {
    let Some(behind) = rustup::behind(folder, memory) else { return cargo(folder) };
    let mut command = freed(Command::new(behind.cargo), folder);
    command.envs(behind.env);
    command
}

fn freed(mut command: Command, folder: &Path) -> Command {
    command.current_dir(folder).stdin(Stdio::null());
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        let of_a_package = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_", "CARGO_PRIMARY_"];
        if of_a_package.iter().any(|prefix| name.starts_with(prefix)) {
            command.env_remove(name);
        }
    }
    command
}

fn run(
    command: &mut Command,
    package: &Package,
    children: &dyn Children,
    wanted: Wanted,
    progress: &mut dyn FnMut(&str),
) -> Result<Built, BuildError> {
    let failed = |error| BuildError::tool("cargo".as_ref(), &error);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    children.prepare(command);
    let mut child = command.spawn().map_err(failed)?;
    children.started(child.id());
    let artifacts = messages_of(&mut child, package, wanted);
    let said = lines_of(&mut child, progress);
    let status = child.wait();
    children.ended(child.id());
    let status = status.map_err(failed)?;
    let built = artifacts.join().unwrap_or_default();
    if status.success() {
        return Ok(built);
    }
    let what = format!("{} does not build", package.root.display());
    Err(BuildError::new(what, said, "correct it; `cargo test --no-run` there shows the same"))
}

/// Reads cargo's messages beside its other output, so that neither pipe fills up.
fn messages_of(child: &mut Child, package: &Package, wanted: Wanted) -> std::thread::JoinHandle<Built> {
    let stdout = child.stdout.take();
    let workspace = package.workspace.clone();
    std::thread::spawn(move || {
        let mut text = String::new();
        if let Some(mut stdout) = stdout {
            // What is not text is not a message of cargo's.
            let _ = stdout.read_to_string(&mut text);
        }
        messages::read(&text, &workspace, wanted)
    })
}

/// Passes cargo's lines on, and gives those back that are not about its progress.
fn lines_of(child: &mut Child, progress: &mut dyn FnMut(&str)) -> String {
    let mut said = String::new();
    let Some(stderr) = child.stderr.take() else { return said };
    let mut lines = BufReader::new(stderr);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        if let Some(text) = as_written(&String::from_utf8_lossy(&line)) {
            progress(text.trim_end());
            if !is_status(&text) {
                said.push_str(&text);
            }
        }
        line.clear();
    }
    said
}

/// `   Compiling bank v0.1.0`: a word that ends in the twelfth column, as cargo aligns them.
fn is_status(line: &str) -> bool {
    let Some((word, rest)) = line.split_at_checked(12) else { return false };
    let word = word.strip_prefix(' ').map_or("", str::trim_start);
    rest.starts_with(' ')
        && word.starts_with(|c: char| c.is_ascii_uppercase())
        && word.chars().all(|c| c.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_told_from_errors() {
        for line in
            ["   Compiling bank v0.1.0 (/w/bank)", "    Updating crates.io index", "     Locking 3 packages"]
        {
            assert!(is_status(line), "{line}");
        }
        for line in [
            "error[E0425]: cannot find x",
            "  --> src/lib.rs:1:2",
            "   |         ^ not found",
            "",
            "    Some text",
        ] {
            assert!(!is_status(line), "{line}");
        }
    }

    #[test]
    fn what_is_no_package_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let error = Package::find(folder.path(), folder.path()).unwrap_err();
        assert!(error.what.ends_with("is not a Cargo package"), "{}", error.what);
        let manifest = folder.path().join("Cargo.toml");
        fs::write(&manifest, "[package]\nname = 3\n").unwrap();
        let error = Package::find(&manifest, folder.path()).unwrap_err();
        assert!(error.what.starts_with("cargo does not accept"), "{}", error.what);
        assert!(error.cause.contains("invalid type"), "{}", error.cause);
        fs::write(&manifest, "[package]\nname = \"a\"\nversion = \"0.1.0\"\n").unwrap();
        fs::create_dir(folder.path().join("src")).unwrap();
        fs::write(folder.path().join("src/lib.rs"), "").unwrap();
        let package = Package::find(folder.path(), folder.path()).unwrap();
        assert_eq!(package.root, package.workspace);
    }
}
