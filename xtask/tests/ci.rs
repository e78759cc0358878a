//! `.ci/run`, with a `cargo` in its path that never ends by itself: whether something is left when the script is ended.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Ends the script with this home while its `cargo` runs, whose process must be gone afterwards, and what the script made too.
fn leaves_nothing(home: &Path) {
    let folder = tempfile::tempdir().unwrap();
    let temporary = tempfile::tempdir().unwrap();
    let cargo = folder.path().join("cargo");
    let waits = folder.path().join("waits");
    // To open a named pipe that nobody writes to is to wait.
    std::fs::write(&cargo, format!("#!/bin/sh\necho $$\nread line <{}\n", waits.display())).unwrap();
    std::fs::set_permissions(&cargo, PermissionsExt::from_mode(0o755)).unwrap();
    assert!(Command::new("mkfifo").arg(&waits).status().unwrap().success());

    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let mut script = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.ci/run"))
        .env("PATH", path)
        .env("HOME", home)
        .env("TMPDIR", temporary.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(script.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let command: i32 = line.trim().parse().unwrap();

    // SAFETY: kill is a plain system call, and nobody has waited for this child.
    assert_eq!(unsafe { libc::kill(i32::try_from(script.id()).unwrap(), libc::SIGTERM) }, 0);
    script.wait().unwrap();
    // SAFETY: as above; the number is that of the command, which is this script itself or has been waited for by it.
    assert_eq!(unsafe { libc::kill(command, libc::SIGKILL) }, -1, "the command still ran");
    assert_eq!(std::fs::read_dir(temporary.path()).unwrap().count(), 0);
}

#[test]
fn an_ended_script_ends_its_command() {
    let home = tempfile::tempdir().unwrap();
    leaves_nothing(home.path());
}

/// Without a home the script makes one, which it takes away at its end.
#[test]
fn an_ended_script_without_a_home_ends_its_command() {
    leaves_nothing(Path::new("/nowhere"));
}
