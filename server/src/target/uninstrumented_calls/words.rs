//! The gaps of a program's instrumentation in words, with warnings of those that can be mended.

use super::Found;
use crate::target::gaps::Unwatched;
use raddle_protocol::gap::Gap;
use std::collections::BTreeSet;

impl Found {
    /// In words, with warnings of what may be mended.
    pub(super) fn told(&self) -> Unwatched {
        let mut told = Unwatched::default();
        let mut add = |gap, names: &BTreeSet<String>, words: [&str; 4]| {
            let [before, one, several, behind] = words;
            let verb = if names.len() == 1 { one } else { several };
            if !names.is_empty() {
                told.add(gap, format!("{before} {} {verb}{behind}", list(names)));
            }
        };
        add(Gap::LibcAccesses, &self.functions, ["memory that", "touches", "touch", ""]);
        add(Gap::LibcFiles, &self.files, ["what", "does", "do", " to files"]);
        add(Gap::StreamLocks, &self.locking, ["locks of streams that", "takes", "take", ""]);
        add(Gap::LibcBlocks, &self.giving, ["uses of blocks that", "gives", "give", ", once they are freed"]);
        add(Gap::Libraries, &self.libraries, ["what", "does", "do", " to memory"]);
        if !self.objects.is_empty() {
            let objects = by_archive(&self.objects);
            let verb = if objects.len() == 1 { "does" } else { "do" };
            let objects = shown(&objects, "object");
            told.warn(format!(
                "{objects}: compiled without `raddle cc`, so Raddle does not see its memory accesses: they are no schedule points and order nothing (compile it with `raddle cc`)"
            ));
            told.add(Gap::Objects, format!("what {objects} {verb} to memory"));
        }
        if self.keys {
            told.add(Gap::ThreadKeys, "in which order threads make, use and delete thread-specific keys");
        }
        if self.streams {
            told.add(Gap::StandardStreams, "locks of std's standard input, output and error");
        }
        if self.pointer_locks {
            told.add(Gap::PointerLocks, "races that only loads of an atomic<shared_ptr> keep apart");
        }
        if self.linked_otherwise {
            let words = "what parts without hooks do to memory (it was not linked by this `raddle cc`)";
            told.add(Gap::LinkedElsewhere, words);
        }
        if !self.foreign.is_empty() {
            let verb = if self.foreign.len() == 1 { "touches" } else { "touch" };
            told.add(Gap::ForeignFunctions, format!("memory that {} {verb}", list(&self.foreign)));
        }
        if self.linked_unseen {
            told.add(Gap::ForeignFunctions, "memory that functions of other languages touch");
        }
        if !self.places.is_empty() {
            let places = shown(&self.places, "place");
            told.warn(format!(
                "Raddle does not see memory accesses of assembly ({places}): they order nothing, so a reported race may be none"
            ));
            told.add(Gap::Assembly, format!("what assembly does to memory ({places})"));
        }
        told.extend(self.by_compilers());
        told
    }

    /// What compilers have put no hooks at.
    fn by_compilers(&self) -> Unwatched {
        let by_value: BTreeSet<String> = self.unhooked.iter().flat_map(|u| u.by_value.clone()).collect();
        let mut told = Unwatched::default();
        if !by_value.is_empty() {
            let verbs = if by_value.len() == 1 { "takes or returns" } else { "take or return" };
            let functions = shown(&by_value, "function");
            let words = format!("the memory of structs that {functions} {verbs} by value");
            told.add(Gap::StructsByValue, words);
        }
        if self.unhooked.iter().any(|u| u.own_variables) {
            let words = "what functions do themselves to parts of their own arrays and structs (clang)";
            told.add(Gap::PartsOfLocals, words);
        }
        if self.unhooked.iter().any(|u| u.sizes) {
            told.add(Gap::WideValues, "long doubles and wide vectors (clang)");
        }
        let levels: BTreeSet<&str> =
            self.unhooked.iter().flat_map(|u| u.levels.iter().map(String::as_str)).collect();
        if let Some(level) = levels.last() {
            told.add(Gap::MergedAccesses, format!("{}{level}", crate::target::MERGED));
        }
        if !self.untold.is_empty() {
            let untold = shown(&by_archive(&self.untold), "object");
            let words = format!("what compilers put no hooks at in {untold} (no debug information)");
            told.add(Gap::NoDebugInformation, words);
        }
        told
    }
}

/// Of archives with many such members the archives alone.
fn by_archive(objects: &BTreeSet<String>) -> BTreeSet<String> {
    const MOST: usize = 2;
    let archive =
        |name: &str| name.strip_suffix(')')?.split_once('(').map(|(archive, _)| archive.to_string());
    let of = |archive: &str| objects.iter().filter(|o| o.starts_with(&format!("{archive}("))).count();
    let short = |name: &String| match archive(name) {
        Some(archive) if of(&archive) > MOST => archive,
        _ => name.clone(),
    };
    objects.iter().map(short).collect()
}

/// Some of these places or objects, by the names of their files alone.
fn shown(places: &BTreeSet<String>, what: &str) -> String {
    const MOST: usize = 4;
    let name =
        |place: &String| place.rsplit('/').next().filter(|n| !n.is_empty()).unwrap_or(place).to_string();
    let short: BTreeSet<String> = places.iter().map(name).collect();
    let first: Vec<String> = short.iter().take(MOST).cloned().collect();
    match short.len().saturating_sub(MOST) {
        0 => first.join(", "),
        1 => format!("{} and one other {what}", first.join(", ")),
        more => format!("{} and {more} other {what}s", first.join(", ")),
    }
}

/// `a, b and c`.
fn list(all: &BTreeSet<String>) -> String {
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    match all.as_slice() {
        [] => String::new(),
        [one] => one.to_string(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
