//! The facade crates: their sources, carried along, and their compilation with the user's rustc,
//! once for every toolchain.

use super::cargo::Children;
use super::error::BuildError;
use super::toolchain::Toolchain;
use super::watch;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

macro_rules! sources {
    ($($path:literal)*) => {
        &[$(($path, include_str!(concat!("../../../runtime/std/", $path)))),*]
    };
}

/// Every source file, by its path under `runtime/std`.
pub const SOURCES: &[(&str, &str)] = sources! {
    "core/src/raddle_core.rs"
    "facade/src/raddle_atomic.rs"
    "facade/src/raddle_barrier.rs"
    "facade/src/raddle_channel.rs"
    "facade/src/raddle_channel_lock.rs"
    "facade/src/raddle_channel_order.rs"
    "facade/src/raddle_condvar.rs"
    "facade/src/raddle_facade.rs"
    "facade/src/raddle_hint.rs"
    "facade/src/raddle_lazy_lock.rs"
    "facade/src/raddle_marks.rs"
    "facade/src/raddle_modelled.rs"
    "facade/src/raddle_mpsc.rs"
    "facade/src/raddle_mutex.rs"
    "facade/src/raddle_once.rs"
    "facade/src/raddle_once_lock.rs"
    "facade/src/raddle_packet.rs"
    "facade/src/raddle_panics.rs"
    "facade/src/raddle_random.rs"
    "facade/src/raddle_raw_rwlock.rs"
    "facade/src/raddle_rt.rs"
    "facade/src/raddle_rt_atomics.rs"
    "facade/src/raddle_rt_locks.rs"
    "facade/src/raddle_rt_threads.rs"
    "facade/src/raddle_rwlock.rs"
    "facade/src/raddle_scope.rs"
    "facade/src/raddle_spawn.rs"
    "facade/src/raddle_std_locks.rs"
    "facade/src/raddle_sync.rs"
    "facade/src/raddle_test_name.rs"
    "facade/src/raddle_thread.rs"
    "facade/src/raddle_word.rs"
    "std/src/raddle_std.rs"
    "test/src/raddle_by_hand.rs"
    "test/src/raddle_harness.rs"
    "test/src/raddle_test.rs"
    "test/src/raddle_verdict.rs"
};

/// What the paths of the facade's own files begin with, in debug information and places: frames
/// there, and in `/rustc/…`, are not the user's.
pub const PATH_PREFIX: &str = "/raddle-std/";

/// The crate that the others are built on, and those, each with its folder.
const FIRST: (&str, &str) = ("facade", "raddle_facade");
const OTHERS: [(&str, &str); 3] = [("std", "raddle_std"), ("core", "raddle_core"), ("test", "raddle_test")];

/// Flags of every facade crate. Its generic code is compiled into programs, and what it accesses is its own
/// matter: no hooks there (an unstable attribute, so [`super::watch`] applies; how large std's own locks are is unstable, too). With bitcode, so that programs built with LTO can link it; lines,
/// so that its frames are known as such; small enough to be compiled in a moment.
const FLAGS: [&str; 11] = [
    "-Zcrate-attr=feature(sanitize)",
    "-Zcrate-attr=sanitize(thread=\"off\")",
    "-Zcrate-attr=feature(reentrant_lock)",
    "--edition=2024",
    "--crate-type=rlib",
    "--cap-lints=allow",
    "-Copt-level=2",
    "-Cembed-bitcode=yes",
    "-Cpanic=unwind",
    "-Cdebuginfo=line-tables-only",
    "-Cmetadata=raddle",
];

/// Everything about the facade that makes its outcome: part of the cache's key.
pub fn ingredients() -> impl Iterator<Item = &'static str> {
    SOURCES.iter().flat_map(|(path, text)| [*path, *text]).chain(FLAGS)
}

/// The folder of the compiled facade inside `cache` (a folder of this toolchain's), compiled now if
/// it is not there yet: aside first and then renamed, so that concurrent starts never see half.
pub fn folder(
    toolchain: &Toolchain,
    package: &Path,
    cache: &Path,
    children: &dyn Children,
    progress: &mut dyn FnMut(&str),
) -> Result<PathBuf, BuildError> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let path = cache.join("facade");
    if path.is_dir() {
        return Ok(path);
    }
    progress(&format!("building the std facade for rustc {}, once per toolchain", toolchain.release));
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let aside = cache.join(format!(".facade-{}-{number}", std::process::id()));
    let built =
        compile(toolchain, package, &aside, children).and_then(|()| match fs::rename(&aside, &path) {
            Ok(()) => Ok(()),
            // Somebody else was faster; theirs is the same.
            Err(_) if path.is_dir() => Ok(()),
            Err(error) => Err(BuildError::cache(&path, &error)),
        });
    let _ = fs::remove_dir_all(&aside);
    built.map(|()| path)
}

fn compile(
    toolchain: &Toolchain,
    package: &Path,
    out: &Path,
    children: &dyn Children,
) -> Result<(), BuildError> {
    for (path, text) in SOURCES {
        let file = out.join("src").join(path);
        let folder = file.parent().unwrap_or(out);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&file, text))
            .map_err(|e| BuildError::cache(&file, &e))?;
    }
    let start = |it| start(toolchain, package, out, children, it);
    finish(start(FIRST)?, children)?;
    let started: Result<Vec<_>, _> = OTHERS.into_iter().map(start).collect();
    started?.into_iter().try_for_each(|child| finish(child, children))
}

fn start(
    toolchain: &Toolchain,
    package: &Path,
    out: &Path,
    children: &dyn Children,
    (folder, name): (&str, &str),
) -> Result<Child, BuildError> {
    let sources = out.join("src");
    let mut remap = sources.clone().into_os_string();
    remap.push(format!("={}", PATH_PREFIX.trim_end_matches('/')));
    let mut command = Command::new(&toolchain.rustc);
    command.args(FLAGS).arg("--crate-name").arg(name).arg("--target").arg(&toolchain.host);
    command.arg("--remap-path-prefix").arg(remap).arg("--out-dir").arg(out);
    if (folder, name) != FIRST {
        let mut facade = std::ffi::OsString::from("raddle_facade=");
        facade.push(out.join("libraddle_facade.rlib"));
        command.arg("--extern").arg(facade);
    }
    command.arg(sources.join(folder).join("src").join(format!("{name}.rs")));
    command.env(watch::BOOTSTRAP, "1");
    // From the package's folder: rustup chooses the toolchain by it.
    command.current_dir(package).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    children.prepare(&mut command);
    let child = command.spawn().map_err(|error| BuildError::tool(&toolchain.rustc, &error))?;
    children.started(child.id());
    Ok(child)
}

fn finish(child: Child, children: &dyn Children) -> Result<(), BuildError> {
    let id = child.id();
    let output = child.wait_with_output();
    children.ended(id);
    let output = output.map_err(|error| BuildError::tool("rustc".as_ref(), &error))?;
    if output.status.success() {
        return Ok(());
    }
    Err(BuildError::new(
        "the std facade does not compile with this rustc",
        String::from_utf8_lossy(&output.stderr),
        "choose a release from 1.95 on; if it is one, its std differs and raddle needs an update",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_file_is_carried() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/std");
        let mut found = Vec::new();
        for (folder, _) in [FIRST].into_iter().chain(OTHERS) {
            for entry in fs::read_dir(root.join(folder).join("src")).unwrap() {
                found.push(format!("{folder}/src/{}", entry.unwrap().file_name().into_string().unwrap()));
            }
        }
        found.sort();
        let carried: Vec<_> = SOURCES.iter().map(|(path, _)| *path).collect();
        assert_eq!(carried, found);
    }

    #[test]
    fn it_compiles_once_with_the_installed_rustc() {
        let (package, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let toolchain = Toolchain::find(package.path()).unwrap();
        let mut said = Vec::new();
        for _ in 0..2 {
            let mut progress = |line: &str| said.push(line.to_owned());
            let facade = folder(&toolchain, package.path(), cache.path(), &(), &mut progress).unwrap();
            for name in ["facade", "std", "core", "test"] {
                assert!(facade.join(format!("libraddle_{name}.rlib")).is_file(), "{name}");
            }
        }
        assert_eq!(said.len(), 1, "{said:?}");
        // Nothing is left beside it.
        assert_eq!(fs::read_dir(cache.path()).unwrap().count(), 1);
    }
}
