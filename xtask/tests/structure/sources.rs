//! The source files of the repository, without tests and generated files.

use std::path::{Path, PathBuf};

/// Folders with sources of the program.
const ROOMS: [&str; 11] = [
    "bench",
    "engine",
    "gui",
    "instrumenter",
    "plot",
    "protocol",
    "runtime",
    "schedule",
    "server",
    "vscode-extension",
    "xtask",
];

/// Folders without sources of the program, but for a module of that name.
const LEFT_OUT: [&str; 4] = ["target", "node_modules", "out", "dist"];

/// Endings of source files.
const ENDINGS: [&str; 9] = ["rs", "ts", "mts", "js", "mjs", "css", "c", "h", "cpp"];

/// Files that a program writes.
const GENERATED: [&str; 1] = ["vscode-extension/src/protocol.ts"];

/// One source file.
pub struct Source {
    /// Its path from the root of the repository.
    pub path: String,
    /// Its text.
    pub text: String,
}

impl Source {
    /// Its text up to the tests at its end, without comments.
    pub fn code(&self) -> String {
        let end = self.text.find("#[cfg(test)]\nmod tests {").unwrap_or(self.text.len());
        let lines = self.text[..end].lines().map(|line| line.split("//").next().unwrap_or_default());
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// All source files, by path.
pub fn all() -> Vec<Source> {
    let mut found = Vec::new();
    for room in ROOMS {
        walk(&root(), room, &mut found);
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(found.len() > 500, "{} files are too few", found.len());
    found
}

fn walk(root: &Path, folder: &str, found: &mut Vec<Source>) {
    let entries = std::fs::read_dir(root.join(folder)).unwrap_or_else(|e| panic!("{folder}: {e}"));
    for entry in entries {
        let entry = entry.expect("an entry of a folder");
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{folder}/{name}");
        if entry.file_type().expect("a type of file").is_dir() {
            let is_left_out = LEFT_OUT.contains(&name.as_str()) && !folder.contains("/src");
            if !is_left_out && name != "tests" && !name.starts_with('.') {
                walk(root, &path, found);
            }
        } else if is_source(&name) && !GENERATED.contains(&path.as_str()) {
            let text = std::fs::read_to_string(entry.path()).unwrap_or_else(|e| panic!("{path}: {e}"));
            found.push(Source { path, text });
        }
    }
}

fn is_source(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    ENDINGS.contains(&ending) && name != "tests.rs" && !name.contains(".test.")
}
