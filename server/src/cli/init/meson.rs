//! Meson projects.

use super::words::{Call, calls};
use super::{BUILD, Seen};
use std::path::Path;

/// Most folders that are read.
const MOST: usize = 200;

/// The programs of a Meson project.
pub fn see(folder: &Path) -> Seen {
    let mut programs = Vec::new();
    let mut folders = vec![String::new()];
    let mut at = 0;
    while let Some(below) = folders.get(at).filter(|_| at < MOST).cloned() {
        at += 1;
        let text = std::fs::read_to_string(folder.join(&below).join("meson.build")).unwrap_or_default();
        for call in flattened(&text) {
            match (call.name.as_str(), call.words.first()) {
                ("subdir", Some(name)) if !name.contains("..") => folders.push(format!("{below}{name}/")),
                ("executable", Some(name)) => programs.push(format!("{BUILD}/{below}{name}")),
                _ => {}
            }
        }
    }
    programs.dedup();
    let mut notes = Vec::new();
    if programs.is_empty() {
        notes.push("meson.build names no executable: name the programs that it makes in `programs`".into());
    }
    Seen {
        kind: "a Meson project",
        build: vec![
            format!("{{ test -d {BUILD} || meson setup --buildtype=debug {BUILD}; }}"),
            format!("meson compile -C {BUILD}"),
        ],
        programs,
        notes,
    }
}

/// The calls of a text and those nested in `test(…)`.
fn flattened(text: &str) -> Vec<Call> {
    let mut all = Vec::new();
    for call in calls(text) {
        let nested = call.words.iter().position(|word| word == "executable");
        if let (Some(at), "test") = (nested, call.name.as_str()) {
            all.push(Call { name: "executable".into(), words: call.words[at + 1..].to_vec() });
        }
        all.push(call);
    }
    all
}

#[cfg(test)]
mod tests {
    use crate::cli::init::tests::seen;

    #[test]
    fn programs_of_all_folders() {
        let root = "project('q', 'c')\nsubdir('t')\n";
        let below =
            "e = executable('one', 'one.c')\ntest('one', e)\ntest('two', executable('two', 'two.c'))\n";
        let seen = seen(&[("meson.build", root), ("t/meson.build", below)]);
        assert_eq!(seen.programs, ["build-raddle/t/one", "build-raddle/t/two"]);
    }
}
