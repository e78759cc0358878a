//! The pictures of the README and the book are what the commands print now. `cargo xtask pictures` draws them anew.

use expect_test::expect_file;
use raddle_tests::binary::{binary, root, shared_cache};
use raddle_tests::scratch::Scratch;
use std::process::Command;

/// The terminal after a command, as SVG. Times and the hash of the build differ between machines, and go.
fn terminal(scratch: &Scratch, command: &str) -> String {
    let words = command.strip_prefix("raddle ").expect("a command of raddle");
    let output = Command::new(binary())
        .args(words.split(' '))
        .args(["--color", "always"])
        .current_dir(scratch.root())
        .env("RADDLE_CACHE", shared_cache())
        .env("COLUMNS", "100")
        .env("LC_ALL", "C.UTF-8")
        .output()
        .expect("raddle starts");
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8(output.stdout).expect("text");
    let lines = printed.lines().map(|line| format!("{}\n", same_everywhere(line)));
    let text = format!("\x1b[1m$ {command}\x1b[0m\n{}", lines.collect::<String>());
    anstyle_svg::Term::new().render_svg(&text)
}

/// A line without the time at its end and without hashes of schedules.
fn same_everywhere(line: &str) -> String {
    let words = line.split(' ').map(|word| match word.split_once('#') {
        Some((schedule, hash)) if schedule.contains('@') && hash.len() >= 4 => {
            format!("{schedule}{}", &hash[4..])
        }
        _ => word.to_string(),
    });
    let line = words.collect::<Vec<_>>().join(" ");
    // `\x1b[2m0.02 s\x1b[0m`
    let Some((before, time)) = line.rsplit_once("\x1b[2m") else { return line };
    let is_time = time.split(' ').next().is_some_and(|number| number.parse::<f64>().is_ok());
    if is_time && time.contains(" s") { before.trim_end().to_string() } else { line }
}

#[test]
fn the_terminal() {
    let scratch = Scratch::new();
    for folder in ["samples/c", "samples/rust/bank"] {
        let to = scratch.path(folder);
        std::fs::create_dir_all(to.parent().expect("a parent")).expect("a folder");
        let from = root().join(folder);
        let copied = Command::new("cp").arg("-r").arg(from).arg(&to).status();
        assert!(copied.is_ok_and(|s| s.success()), "{folder} cannot be copied");
    }
    expect_file!["../../../docs/src/pictures/lost_update.svg"]
        .assert_eq(&terminal(&scratch, "raddle explore samples/c/lost_update.c"));
    expect_file!["../../../docs/src/pictures/bank.svg"]
        .assert_eq(&terminal(&scratch, "raddle explore samples/rust/bank audit"));
}
