//! Programs of the Rust toolchain: on PATH, or else where rustup puts them. An editor that was started
//! from a desktop, and a host that it starts, may have a PATH without them.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

/// One of the toolchain's programs, ready for its arguments.
pub fn command(name: &str) -> Command {
    let found = find(name);
    let mut command = Command::new(&found);
    // What it calls lies beside it.
    if let Some(folder) = found.parent().filter(|f| !f.as_os_str().is_empty())
        && let Some(path) = with(folder, std::env::var_os("PATH").as_deref())
    {
        command.env("PATH", path);
    }
    command
}

/// How to call it: its name where it is on PATH, else its whole path; its name if it is nowhere.
pub fn find(name: &str) -> PathBuf {
    let variable = |name: &str| std::env::var_os(name);
    found(name, variable("PATH").as_deref(), &folders(variable("CARGO_HOME"), variable("HOME")))
}

/// Where it was looked for, for messages.
pub fn places() -> String {
    let path = std::env::var("PATH").unwrap_or_default();
    let folders = folders(std::env::var_os("CARGO_HOME"), std::env::var_os("HOME"));
    let mut text = format!("PATH ({path})");
    for folder in folders {
        text += &format!(", {}", folder.display());
    }
    text
}

fn folders(cargo_home: Option<OsString>, home: Option<OsString>) -> Vec<PathBuf> {
    let named = |v: Option<OsString>| v.filter(|v| !v.is_empty()).map(PathBuf::from);
    let own = named(home).map(|home| home.join(".cargo"));
    let mut folders: Vec<PathBuf> = named(cargo_home).into_iter().chain(own).collect();
    folders.dedup();
    folders.into_iter().map(|folder| folder.join("bin")).collect()
}

fn found(name: &str, path: Option<&OsStr>, folders: &[PathBuf]) -> PathBuf {
    let on_path = path.is_some_and(|path| std::env::split_paths(path).any(|f| f.join(name).is_file()));
    let elsewhere = || folders.iter().map(|folder| folder.join(name)).find(|program| program.is_file());
    if on_path { name.into() } else { elsewhere().unwrap_or_else(|| name.into()) }
}

fn with(folder: &Path, path: Option<&OsStr>) -> Option<OsString> {
    let rest: Vec<PathBuf> = path.map(|path| std::env::split_paths(path).collect()).unwrap_or_default();
    std::env::join_paths(std::iter::once(folder.to_owned()).chain(rest)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_comes_first_then_the_folders_of_cargo() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |folder: &str| scratch.path().join(folder);
        let folders = folders(Some(at("cargo").into()), Some(at("home").into()));
        assert_eq!(folders, [at("cargo/bin"), at("home/.cargo/bin")]);
        let path = at("path").into_os_string();
        let look = || found("cargo", Some(&path), &folders);
        assert_eq!(look(), Path::new("cargo"));
        for (folder, expected) in [
            ("home/.cargo/bin", at("home/.cargo/bin/cargo")),
            ("cargo/bin", at("cargo/bin/cargo")),
            ("path", "cargo".into()),
        ] {
            std::fs::create_dir_all(at(folder)).unwrap();
            std::fs::write(at(folder).join("cargo"), "").unwrap();
            assert_eq!(look(), expected);
        }
        let path = with(&at("cargo/bin"), Some(&path)).unwrap();
        assert_eq!(std::env::split_paths(&path).collect::<Vec<_>>(), [at("cargo/bin"), at("path")]);
    }
}
