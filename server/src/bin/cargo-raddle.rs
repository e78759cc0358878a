//! `cargo raddle`: `raddle` as a subcommand of cargo, for the package of the current folder.
//!
//! It only puts the arguments in order and becomes `raddle`, so that there is one program that does things.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Commands that take a target first. Without one of them it is `explore`.
const COMMANDS: [&str; 5] = ["explore", "watch", "replay", "explain", "list"];

const HELP: &str = "\
Explore the interleavings of a Cargo package's tests

Usage: cargo raddle [COMMAND] [OPTIONS] [TESTS]...

COMMAND is explore (the default), watch, replay, explain or list. Options are those of `raddle COMMAND --help`,
among them cargo's own: -p, --features, --test, --lib, --release, --locked and others.
--manifest-path PATH names another package than that of the current folder.

Examples:
  cargo raddle                               every test of the package
  cargo raddle -p queue --features fast --test stress take
  cargo raddle watch -p queue
  cargo raddle replay take sync@7:T2#3f2a
";

fn main() -> ExitCode {
    let mut words: Vec<OsString> = std::env::args_os().skip(1).collect();
    // Cargo gives its subcommand as the first word.
    if words.first().is_some_and(|word| word == "raddle") {
        words.remove(0);
    }
    if words.first().is_some_and(|word| word == "--help" || word == "-h") {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    }
    let here = std::env::current_dir().unwrap_or_default();
    let words = match arguments(words, &here) {
        Ok(words) => words,
        Err(e) => {
            eprintln!("error: {e}");
            return ExitCode::from(2);
        }
    };
    let raddle = beside().unwrap_or_else(|| "raddle".into());
    let e = Command::new(&raddle).args(words).exec();
    eprintln!(
        "error: cannot run {}: {e}\n  next: put raddle and cargo-raddle into one folder",
        raddle.display()
    );
    ExitCode::from(2)
}

/// `raddle` in the folder of this program.
fn beside() -> Option<PathBuf> {
    let file = std::env::current_exe().ok()?.canonicalize().ok()?.with_file_name("raddle");
    file.is_file().then_some(file)
}

/// The arguments of `raddle` for these of `cargo raddle`, started in this folder.
fn arguments(mut words: Vec<OsString>, here: &Path) -> Result<Vec<OsString>, String> {
    let first = words.first().and_then(|word| word.to_str());
    if first == Some("--version") || first == Some("-V") {
        return Ok(words);
    }
    let command = match COMMANDS.into_iter().find(|command| first == Some(*command)) {
        Some(command) => {
            words.remove(0);
            command
        }
        None => "explore",
    };
    let target = match manifest_path(&mut words)? {
        Some(path) => path,
        None => package(here)?,
    };
    Ok([command.into(), target.into_os_string()].into_iter().chain(words).collect())
}

/// Takes `--manifest-path PATH` out. What stands behind `--` is no option.
fn manifest_path(words: &mut Vec<OsString>) -> Result<Option<PathBuf>, String> {
    const OPTION: &str = "--manifest-path";
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let with_value = |word: &OsStr| Some(word.to_str()?.strip_prefix(OPTION)?.strip_prefix('=')?.to_string());
    if let Some(at) = words[..end].iter().position(|word| word == OPTION) {
        if at + 1 >= end {
            return Err(format!("{OPTION} needs a path to a Cargo.toml"));
        }
        let path = words.remove(at + 1);
        words.remove(at);
        return Ok(Some(path.into()));
    }
    match words[..end].iter().position(|word| with_value(word).is_some()) {
        Some(at) => Ok(with_value(&words.remove(at)).map(PathBuf::from)),
        None => Ok(None),
    }
}

/// The package of a folder: as cargo does, the nearest folder above it that has a manifest.
fn package(here: &Path) -> Result<PathBuf, String> {
    let found = here.ancestors().position(|folder| folder.join("Cargo.toml").is_file());
    match found {
        None => Err(format!("no Cargo.toml in {} or a folder above it", here.display())),
        Some(0) => Ok(".".into()),
        Some(levels) => Ok(std::iter::repeat_n("..", levels).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &str, expected: &str) {
        // A test of this package is started in its folder.
        let here = std::env::current_dir().unwrap();
        let words = words.split_whitespace().map(OsString::from).collect();
        let got = arguments(words, &here.join("src")).map(|words| words.join(OsStr::new(" ")));
        assert_eq!(got.as_deref(), Ok(OsStr::new(expected)));
    }

    #[test]
    fn arguments_of_cargo_become_those_of_raddle() {
        check("", "explore ..");
        check("-p a --features x --test t name", "explore .. -p a --features x --test t name");
        check("watch --notify", "watch .. --notify");
        check("replay take sync@7:T2", "replay .. take sync@7:T2");
        check("--manifest-path a/Cargo.toml take", "explore a/Cargo.toml take");
        check("list --manifest-path=a/Cargo.toml", "list a/Cargo.toml");
        check("-- --manifest-path=a", "explore .. -- --manifest-path=a");
        check("--version", "--version");
        assert!(manifest_path(&mut vec!["--manifest-path".into()]).is_err());
        assert!(package(Path::new("/")).is_err());
    }
}
