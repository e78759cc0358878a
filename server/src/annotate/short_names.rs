//! The names of files in lines and sentences: without their folders, unless two files that are told of have one name.

use raddle_schedule::dependency;
use std::collections::{BTreeMap, BTreeSet};

/// What each of several files is called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShortNames(BTreeMap<String, String>);

impl ShortNames {
    /// Of these files: each gets as many folders before its name as tell it from the others.
    pub fn of<'a>(files: impl IntoIterator<Item = &'a str>) -> ShortNames {
        let mut open: BTreeSet<&str> = files.into_iter().collect();
        let mut names = BTreeMap::new();
        for parts in 1.. {
            if open.is_empty() {
                break;
            }
            let mut by_name: BTreeMap<String, Vec<&str>> = BTreeMap::new();
            open.iter().for_each(|file| by_name.entry(named(file, parts)).or_default().push(file));
            for (name, files) in by_name {
                if files.len() > 1 && files.iter().any(|file| file.split('/').count() > parts) {
                    continue;
                }
                for file in files {
                    open.remove(file);
                    names.insert(file.to_string(), name.clone());
                }
            }
        }
        ShortNames(names)
    }

    /// What a file is called; of one that is none of these, its bare name.
    pub fn name(&self, file: &str) -> String {
        self.0.get(file).cloned().unwrap_or_else(|| named(file, 1))
    }
}

/// The last parts of a path, so many; of a dependency's file with its crate before them, `tokio/mutex.rs`.
fn named(file: &str, parts: usize) -> String {
    let all: Vec<&str> = file.split('/').collect();
    let name = all[all.len().saturating_sub(parts)..].join("/");
    match dependency::of(file) {
        Some(of_crate) => format!("{of_crate}/{name}"),
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::ShortNames;

    const OF_CRATE: &str =
        "/home/me/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/tokio-0.3.5/src/loom/std/mutex.rs";

    #[test]
    fn files_of_dependencies_are_named_with_their_crate() {
        let names = ShortNames::default();
        assert_eq!(
            (names.name("src/queue.rs"), names.name(OF_CRATE)),
            ("queue.rs".into(), "tokio/mutex.rs".into())
        );
    }

    #[test]
    fn files_of_one_name_are_told_apart() {
        let other = OF_CRATE.replace("loom/std", "sync");
        let files =
            ["a/test.c", "b/test.c", "b/c.c", "x/src/lib.rs", "y/src/lib.rs", "lib.rs", OF_CRATE, &other];
        let names = ShortNames::of(files);
        assert_eq!(
            files.map(|file| names.name(file)),
            [
                "a/test.c",
                "b/test.c",
                "c.c",
                "x/src/lib.rs",
                "y/src/lib.rs",
                "lib.rs",
                "tokio/std/mutex.rs",
                "tokio/sync/mutex.rs"
            ]
        );
    }
}
