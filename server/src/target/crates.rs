//! What is not seen of a program in Rust, for the guarantee: told by the crates that it is made of, so that it names what
//! there is and nothing else.

use super::gaps::Unwatched;
use crate::symbols::imports::{Imports, section};
use raddle_instrumenter::rust::parts::Parts;
use raddle_instrumenter::rust::unseen;
use raddle_protocol::gap::Gap;
use std::collections::BTreeSet;
use std::path::Path;

/// Where the folders of a program's source files are named, by the versions of debug information.
const NAMES: [&str; 3] = [".debug_str", ".debug_line_str", ".debug_line"];

/// How a program was built.
pub(super) struct Built<'a> {
    /// Where the build keeps its records.
    pub(super) records: &'a Path,
    /// The folder of the runtime.
    pub(super) runtime: &'a Path,
    /// Crates have the hooks that they need.
    pub(super) watched: bool,
    /// All have those of std's atomics.
    pub(super) counts: bool,
}

/// The parts of the program with this file, which is made of these crates, that Raddle does not watch; and whether some of
/// them are foreign code.
pub(super) fn unwatched(program: &Path, parts: Option<&Parts>, built: &Built<'_>) -> (Unwatched, bool) {
    let mut told = Unwatched::default();
    if built.watched {
        // Safe code over std cannot race, whatever it has std do. Where the crates are not known, some may be unsafe.
        if parts.is_none_or(|parts| parts.has_unsafe || !parts.blind.is_empty()) {
            told.add(Gap::StdAccesses, "plain accesses inside std");
        }
        let audited = linked(program, parts);
        if !audited.is_empty() {
            let words = format!("plain accesses inside {} (--watch-all watches them)", audited.join(", "));
            told.add(Gap::AuditedCrates, words);
        }
        let blind: Vec<&str> = parts.iter().flat_map(|p| &p.blind).map(String::as_str).collect();
        if !blind.is_empty() {
            let crates = blind.join(", ");
            let words = format!("unsafe code that only procedural macros put into {crates}");
            told.add(Gap::MacroCode, words);
        }
        let levels: Vec<&str> = parts.iter().flat_map(|p| &p.levels).map(String::as_str).collect();
        if !levels.is_empty() {
            told.add(Gap::MergedAccesses, format!("{}opt-level={}", crate::target::MERGED, levels.join("/")));
        }
    } else {
        told.add(Gap::PlainAccesses, "plain accesses of all crates");
    }
    if let Some(words) = counts(parts, built) {
        told.add(Gap::ReferenceCounts, words);
    }
    if changes_environment(program) {
        let words = "in which order threads change and read environment variables";
        told.add(Gap::EnvironmentVariables, words);
    }
    let noted = unseen::noted(built.records, parts);
    let of_crates = crate::target::uninstrumented_calls::of_crates([program], &noted, built.runtime);
    let is_foreign = !of_crates.is_empty();
    told.extend(of_crates);
    (told, is_foreign)
}

/// Reference counts that are no points, if the program has any: std's own decide nothing that a program could notice.
fn counts(parts: Option<&Parts>, built: &Built<'_>) -> Option<String> {
    if built.watched && built.counts {
        let Some(parts) = parts else { return Some("reference counts inside dependencies".into()) };
        let crates: Vec<&str> = parts.uncounted.iter().map(String::as_str).collect();
        return (!crates.is_empty()).then(|| format!("reference counts inside {}", crates.join(", ")));
    }
    let advice = match built.watched {
        true => " and races that depend on their order (--granularity sync and access watch them)",
        false => "",
    };
    parts.is_none_or(|parts| parts.counts).then(|| format!("reference counts of Arc{advice}"))
}

/// The audited crates whose code is in the program: what a crate was given and does not use is not. Names of folders tell.
fn linked<'a>(program: &Path, parts: Option<&'a Parts>) -> Vec<&'a str> {
    let audited: BTreeSet<&str> = parts.iter().flat_map(|p| &p.audited).map(String::as_str).collect();
    if audited.is_empty() {
        return Vec::new();
    }
    let names: Vec<Vec<u8>> = NAMES.iter().filter_map(|name| section(program, name)).collect();
    if names.is_empty() {
        // Without debug information nobody knows.
        return audited.into_iter().collect();
    }
    let folders = names.iter().flat_map(|text| text.split(|byte| [0, b'/'].contains(byte)));
    let found: BTreeSet<&str> =
        folders.filter_map(|folder| audited.get(std::str::from_utf8(folder).ok()?).copied()).collect();
    found.into_iter().collect()
}

/// Does a program set or remove variables of its environment?
fn changes_environment(program: &Path) -> bool {
    let asks = |imports: Imports| ["setenv", "unsetenv"].iter().any(|f| imports.functions.contains(*f));
    Imports::of(program).is_none_or(asks)
}
