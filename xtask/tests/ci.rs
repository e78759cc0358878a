//! `.ci/run`, with a `cargo` in its path that never ends by itself: whether something is left when the script is ended.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Ends the script with this home while its `cargo` runs: whether that `cargo` still runs afterwards.
fn leaves_its_command(home: &Path) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let cargo = folder.path().join("cargo");
    let waits = folder.path().join("waits");
    // To open a queue that nobody writes to is to wait.
    std::fs::write(&cargo, format!("#!/bin/sh\necho $$\nread line <{}\n", waits.display())).unwrap();
    std::fs::set_permissions(&cargo, PermissionsExt::from_mode(0o755)).unwrap();
    assert!(Command::new("mkfifo").arg(&waits).status().unwrap().success());

    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let mut script = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.ci/run"))
        .env("PATH", path)
        .env("HOME", home)
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
    unsafe { libc::kill(command, libc::SIGKILL) == 0 }
}

#[test]
fn an_ended_script_ends_its_command() {
    let home = tempfile::tempdir().unwrap();
    assert!(!leaves_its_command(home.path()));
}

/// Without a home the script makes one, which it takes away at its end.
#[test]
fn an_ended_script_without_a_home_ends_its_command() {
    assert!(!leaves_its_command(Path::new("/nowhere")));
}
