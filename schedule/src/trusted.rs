//! Trusted code (Bruening and Chapin, "Systematic testing of multithreaded programs", section 3): the insides of published
//! runtimes, which are taken to be right. A step that leads into them goes on through locks and atomic operations until the
//! thread blocks, wakes somebody, gives way, or comes to code of the program ([`Part::Trusted`]).

use crate::dependency::{Published, published};

use alloc::vec::Vec;

/// One row of the table.
struct Row {
    name: &'static str,
    /// Its versions, from the first to the last: the numbers up to the minor one.
    versions: [(u32, u32); 2],
    /// Files, or folders with a slash behind them.
    paths: &'static [&'static str],
    /// For people, if it is trusted.
    shown: &'static str,
}

/// How code of a dependency is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// As any other.
    Dependency,
    /// It belongs to whatever code calls it, trusted or not.
    Helper,
    /// It is trusted, by this row of the table.
    Trusted(u8),
}

const ALL: &[&str] = &["src/"];

const ROWS: [Row; 24] = [
    trusted(
        "tokio's runtime",
        "tokio",
        [(1, 40), (1, 54)],
        &["src/runtime/", "src/loom/", "src/util/", "src/task/", "src/process/", "src/signal/"],
    ),
    trusted("rayon-core", "rayon-core", [(1, 12), (1, 13)], ALL),
    trusted("crossbeam-epoch", "crossbeam-epoch", [(0, 9), (0, 9)], ALL),
    trusted("async-executor", "async-executor", [(1, 14), (1, 14)], ALL),
    trusted("async-task", "async-task", [(4, 7), (4, 7)], ALL),
    trusted("async-io's reactor", "async-io", [(2, 6), (2, 6)], &["src/driver.rs", "src/reactor.rs"]),
    trusted("blocking", "blocking", [(1, 7), (1, 7)], ALL),
    trusted("smol's executor", "smol", [(2, 0), (2, 0)], &["src/spawn.rs"]),
    trusted("async-process's driver", "async-process", [(2, 5), (2, 5)], ALL),
    helper("async-lock", [(3, 5), (3, 5)]),
    helper("atomic-waker", [(1, 1), (1, 1)]),
    helper("concurrent-queue", [(2, 5), (2, 5)]),
    helper("event-listener", [(5, 4), (5, 4)]),
    helper("futures-lite", [(2, 6), (2, 6)]),
    helper("parking", [(2, 2), (2, 2)]),
    helper("piper", [(0, 2), (0, 2)]),
    helper("polling", [(3, 11), (3, 11)]),
    helper("rustix", [(1, 1), (1, 1)]),
    helper("crossbeam-deque", [(0, 8), (0, 8)]),
    helper("lock_api", [(0, 4), (0, 4)]),
    helper("parking_lot", [(0, 12), (0, 12)]),
    helper("parking_lot_core", [(0, 9), (0, 9)]),
    helper("mio", [(1, 0), (1, 2)]),
    helper("signal-hook-registry", [(1, 4), (1, 4)]),
];

const fn trusted(
    shown: &'static str,
    name: &'static str,
    versions: [(u32, u32); 2],
    paths: &'static [&'static str],
) -> Row {
    Row { name, versions, paths, shown }
}

const fn helper(name: &'static str, versions: [(u32, u32); 2]) -> Row {
    Row { name, versions, paths: ALL, shown: "" }
}

/// How the code of this file is taken, which is one of a dependency.
pub fn of(file: &str) -> Part {
    let Some(file) = published(file) else { return Part::Dependency };
    match ROWS.iter().position(|row| row.has(&file)) {
        None => Part::Dependency,
        Some(row) if ROWS[row].shown.is_empty() => Part::Helper,
        Some(row) => Part::Trusted(row as u8),
    }
}

/// The rows of this mask, for people.
pub fn names(rows: u32) -> Vec<&'static str> {
    let is_in = |(n, _): &(usize, &Row)| rows >> n & 1 != 0;
    ROWS.iter().enumerate().filter(is_in).map(|(_, row)| row.shown).collect()
}

impl Row {
    fn has(&self, file: &Published) -> bool {
        let mut numbers = file.version.split('.').map_while(|n| n.parse().ok());
        let version = numbers.next().zip(numbers.next());
        let [first, last] = self.versions;
        let is_known = version.is_some_and(|version| first <= version && version <= last);
        file.name == self.name && is_known && self.paths.iter().any(|path| file.path.starts_with(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_of_known_versions_are_trusted() {
        let folder = "/home/a/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f";
        for (file, part) in [
            ("tokio-1.54.1/src/runtime/park.rs", Part::Trusted(0)),
            ("tokio-1.54.1/src/sync/notify.rs", Part::Dependency),
            ("tokio-1.39.0/src/runtime/park.rs", Part::Dependency),
            ("tokio-1.55.0/src/runtime/park.rs", Part::Dependency),
            ("tokio-2.50.0/src/runtime/park.rs", Part::Dependency),
            ("rayon-core-1.13.0/src/latch.rs", Part::Trusted(1)),
            ("parking_lot-0.12.5/src/raw_mutex.rs", Part::Helper),
            ("async-io-2.6.0/src/reactor.rs", Part::Trusted(5)),
            ("async-io-2.6.0/src/lib.rs", Part::Dependency),
            ("async-lock-3.5.0/src/once_cell.rs", Part::Helper),
            ("flume-0.11.1/src/lib.rs", Part::Dependency),
        ] {
            assert_eq!(of(&format!("{folder}/{file}")), part, "{file}");
        }
        assert_eq!(names(0b11), ["tokio's runtime", "rayon-core"]);
        assert_eq!(of("/home/a/tokio-1.54.1/src/runtime/park.rs"), Part::Dependency);
    }
}
