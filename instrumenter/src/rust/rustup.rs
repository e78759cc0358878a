//! The cargo behind rustup's: where `cargo` is rustup, it looks up the toolchain at each start, which takes longer than
//! all that Raddle does in a build without a change. What it finds is asked once and kept as long as nothing
//! that decides it has changed ([`Memory`]); then the toolchain's own cargo is started, in the environment that rustup
//! would have given it.

use super::remembered::{Memory, above};
use super::tools;
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The cargo of a toolchain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Behind {
    /// Its program.
    pub(super) cargo: PathBuf,
    /// What rustup sets for it.
    pub(super) env: Vec<(String, String)>,
}

/// What rustup would start in this package's folder; `None` where `cargo` is not rustup's, or rustup does not say.
pub(super) fn behind(package: &Path, memory: &Memory) -> Option<Behind> {
    behind_this(&called()?, package, memory)
}

/// The file that `cargo` is.
fn called() -> Option<PathBuf> {
    let found = tools::find("cargo");
    if found.components().count() > 1 {
        return Some(found);
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(&found)).find(|file| file.is_file())
}

fn behind_this(called: &Path, package: &Path, memory: &Memory) -> Option<Behind> {
    let rustup = called.with_file_name("rustup");
    if !is_same(called, &rustup) {
        return None;
    }
    // It is put in front of this one.
    let libraries = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let question = format!("cargo behind {} in {}, {libraries:?}", called.display(), package.display());
    let said = memory.ask(&question, || {
        let behind = ask(&rustup, package)?;
        let chosen = ["rust-toolchain", "rust-toolchain.toml"].into_iter().flat_map(|n| above(package, n));
        let home = behind.env.iter().find(|(name, _)| name == "RUSTUP_HOME").map(|(_, value)| value);
        let home = home.cloned().or_else(|| std::env::var("RUSTUP_HOME").ok());
        let settings = home.map(|home| Path::new(&home).join("settings.toml")).ok_or(())?;
        let files = chosen.chain([settings, called.to_path_buf(), behind.cargo.clone()]).collect();
        Ok::<_, ()>((json!({ "cargo": behind.cargo.to_str(), "env": behind.env }).to_string(), files))
    });
    let said: Value = serde_json::from_str(&said.ok()?).ok()?;
    let env = serde_json::from_value(said["env"].clone()).ok()?;
    Some(Behind { cargo: said["cargo"].as_str()?.into(), env })
}

fn is_same(one: &Path, other: &Path) -> bool {
    let id = |file| std::fs::metadata(file).ok().map(|data| (data.dev(), data.ino()));
    id(one).is_some_and(|one| Some(one) == id(other))
}

/// What rustup says. It installs nothing for that: where the toolchain is not there yet, the one who starts cargo is
/// to see that it is got.
fn ask(rustup: &Path, package: &Path) -> Result<Behind, ()> {
    let said = |words: &[&str]| {
        let mut command = Command::new(rustup);
        command.args(words).current_dir(package).stdin(Stdio::null()).env("RUSTUP_AUTO_INSTALL", "0");
        let output = command.output().map_err(|_| ())?;
        output.status.success().then_some(output.stdout).ok_or(())
    };
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).map_err(|_| ());
    let cargo = PathBuf::from(text(said(&["which", "cargo"])?)?.trim_end());
    let active = text(said(&["show", "active-toolchain"])?)?;
    let toolchain = active.split_whitespace().next().ok_or(())?;
    if !cargo.is_file() {
        return Err(());
    }
    let given = said(&["run", toolchain, "env", "-0"])?;
    let lines = given.split(|byte| *byte == 0).filter(|line| !line.is_empty());
    let mut env = Vec::new();
    for line in lines {
        let at = line.iter().position(|byte| *byte == b'=').ok_or(())?;
        let (name, value) = (OsStr::from_bytes(&line[..at]), OsStr::from_bytes(&line[at + 1..]));
        // `_` is the shell's, and RUSTUP_AUTO_INSTALL ours.
        let is_ours = name == "_" || name == "RUSTUP_AUTO_INSTALL";
        if !is_ours && std::env::var_os(name).as_deref() != Some(value) {
            env.push((name.to_str().ok_or(())?.to_owned(), value.to_str().ok_or(())?.to_owned()));
        }
    }
    Ok(Behind { cargo, env })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    /// A program that answers as rustup does, under both its names.
    struct Rustup {
        folder: tempfile::TempDir,
    }

    impl Rustup {
        fn new() -> Rustup {
            let folder = tempfile::tempdir().unwrap();
            let at = |name: &str| folder.path().join(name);
            for name in ["bin", "home", "tools", "package"] {
                fs::create_dir(at(name)).unwrap();
            }
            fs::write(at("tools/cargo"), "").unwrap();
            fs::write(at("home/settings.toml"), "").unwrap();
            let (asked, home, cargo) = (at("asked"), at("home"), at("tools/cargo"));
            let script = format!(
                "#!/bin/sh\necho \"$1\" >> {}\ncase \"$1\" in\n  which) [ -e {} ] || exit 1; echo {};;\n  \
                 show) echo 'own (default)';;\n  run) shift 2; RUSTUP_TOOLCHAIN=own RUSTUP_HOME={} exec \"$@\";;\nesac\n",
                asked.display(),
                cargo.display(),
                cargo.display(),
                home.display()
            );
            fs::write(at("bin/rustup"), script).unwrap();
            fs::set_permissions(at("bin/rustup"), fs::Permissions::from_mode(0o755)).unwrap();
            std::os::unix::fs::symlink("rustup", at("bin/cargo")).unwrap();
            // What was written just now is not remembered yet.
            let then = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
            for name in ["bin/rustup", "tools/cargo", "home/settings.toml"] {
                fs::File::options().append(true).open(at(name)).unwrap().set_modified(then).unwrap();
            }
            Rustup { folder }
        }

        fn at(&self, name: &str) -> PathBuf {
            self.folder.path().join(name)
        }

        fn behind(&self) -> Option<Behind> {
            behind_this(&self.at("bin/cargo"), &self.at("package"), &Memory::of(&self.at("cache")))
        }

        fn asked(&self) -> usize {
            fs::read_to_string(self.at("asked")).map_or(0, |text| text.lines().count())
        }
    }

    #[test]
    fn rustup_is_asked_once_and_again_where_something_has_changed() {
        let rustup = Rustup::new();
        let first = rustup.behind().unwrap();
        assert_eq!(first.cargo, rustup.at("tools/cargo"));
        let set: Vec<&str> = first.env.iter().map(|(name, _)| name.as_str()).collect();
        assert!(set.contains(&"RUSTUP_TOOLCHAIN") && set.contains(&"RUSTUP_HOME"), "{set:?}");
        assert!(!set.contains(&"PATH"), "{set:?}");
        assert_eq!((rustup.behind(), rustup.asked()), (Some(first.clone()), 3));
        fs::write(rustup.at("package/rust-toolchain"), "other").unwrap();
        assert_eq!((rustup.behind(), rustup.asked()), (Some(first), 6));
        // A toolchain that is not there is nobody's to install here.
        fs::remove_file(rustup.at("tools/cargo")).unwrap();
        assert_eq!(rustup.behind(), None);
    }

    #[test]
    fn a_cargo_of_its_own_is_left_alone() {
        let rustup = Rustup::new();
        fs::remove_file(rustup.at("bin/cargo")).unwrap();
        fs::write(rustup.at("bin/cargo"), "").unwrap();
        assert_eq!((rustup.behind(), rustup.asked()), (None, 0));
    }
}
