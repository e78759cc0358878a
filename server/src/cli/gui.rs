//! `raddle gui`: starts the window, which is a program of its own so that `raddle` links no
//! graphics. The window is this process from then on: its status is the command's, and nothing is
//! left between the two that could die alone.

use crate::error::{Error, Result};
use crate::host::{build_id, root};
use std::env;
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The window's program.
const PROGRAM: &str = "raddle-gui";

/// Open the explorer window: interleavings as lanes, with the source beside them
///
/// It shows the sessions of the workspace's host, as the editor does. Without TARGET it is about
/// the current folder; a folder that is no package is shown as a workspace.
#[derive(clap::Args)]
pub struct Args {
    /// A C or C++ file, a Cargo package, a program built with `raddle cc`, or a workspace's folder
    #[arg(value_name = "TARGET")]
    target: Option<String>,
    /// Dark or light, whatever the system prefers
    #[arg(long, value_parser = ["dark", "light"])]
    theme: Option<String>,
}

/// Becomes the window; returns only where that is not possible.
pub fn run(args: &Args) -> Result<u8> {
    let target = args.target.as_deref().unwrap_or(".");
    let path =
        env::current_dir().map_err(|e| Error::new("cannot tell the current folder").because(e))?.join(target);
    let root = root::of(&path)?;
    display()?;
    let raddle = env::current_exe().map_err(|e| Error::new("cannot tell where raddle is").because(e))?;
    let mut window = Command::new(program(&raddle));
    window.arg("--root").arg(&root).arg("--raddle").arg(&raddle).arg("--build").arg(build_id());
    if let Some(target) = target_of(&root, &path) {
        window.arg("--target").arg(target);
    }
    if let Some(theme) = &args.theme {
        window.arg("--theme").arg(theme);
    }
    let e = window.exec();
    let what = format!("cannot start the window, {}", window.get_program().display());
    Err(match e.kind() {
        ErrorKind::NotFound => {
            Error::new(what).because(format!("it is neither beside {} nor in PATH", raddle.display()))
        }
        _ => Error::new(what).because(e),
    }
    .next("build it with `cargo build --release -p raddle-gui` and lay it beside raddle"))
}

/// Can a window be opened? The program that would be started.
pub fn usable() -> Result<String> {
    let raddle = env::current_exe().map_err(|e| Error::new("cannot tell where raddle is").because(e))?;
    let program = program(&raddle);
    let path = env::var_os("PATH").unwrap_or_default();
    let is_there = program.is_file() || env::split_paths(&path).any(|folder| folder.join(&program).is_file());
    if !is_there {
        return Err(Error::new(format!("{} is neither beside raddle nor on PATH", program.display()))
            .next("build it with `cargo build --release -p raddle-gui` and lay it beside raddle"));
    }
    display().map(|()| program.display().to_string())
}

/// What was named as a target of the workspace. A folder may be a workspace and no target: its
/// sessions are shown then.
fn target_of(root: &Path, path: &Path) -> Option<String> {
    let package = || ["Cargo.toml", "raddle.toml"].iter().any(|name| path.join(name).is_file());
    (!path.is_dir() || package()).then(|| root::name(root, &path.display().to_string()))
}

/// The window's program: the one beside this program, else the first in PATH.
fn program(raddle: &Path) -> PathBuf {
    let beside = raddle.with_file_name(PROGRAM);
    if beside.is_file() { beside } else { PathBuf::from(PROGRAM) }
}

/// Refuses where no window could open, before anything is started.
fn display() -> Result<()> {
    let set = |name: &str| env::var_os(name).is_some_and(|value| value != OsStr::new(""));
    if set("DISPLAY") {
        return Ok(());
    }
    if set("WAYLAND_DISPLAY") {
        return Err(Error::new("there is no X server to open a window on")
            .because("WAYLAND_DISPLAY is set, DISPLAY is not, and the window speaks X11")
            .next("start XWayland, or use `raddle explore` in this terminal"));
    }
    Err(Error::new("there is no display to open a window on")
        .because("neither DISPLAY nor WAYLAND_DISPLAY is set")
        .next("run it from a desktop session, or use `raddle explore` in this terminal"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_without_a_package_is_no_target() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::write(root.join("a.c"), "").unwrap();
        assert_eq!(target_of(&root, &root), None);
        assert_eq!(target_of(&root, &root.join("a.c")).as_deref(), Some("a.c"));
        std::fs::write(root.join("Cargo.toml"), "").unwrap();
        assert_eq!(target_of(&root, &root).as_deref(), Some("."));
    }
}
