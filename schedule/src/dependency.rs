//! Which crate a source file belongs to, where cargo fetched that crate: from a registry or a repository.

use crate::memory::HEAP;
use alloc::format;
use alloc::string::String;

/// The package of a file below cargo's `registry/src/INDEX/NAME-VERSION` or `git/checkouts/NAME-HASH`; `None` of any
/// other file, as those of a workspace are.
pub fn of(file: &str) -> Option<&str> {
    published(file).map(|file| file.name).or_else(|| of_repository(file))
}

/// A file of a package of a registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Published<'a> {
    /// The package's name.
    pub name: &'a str,
    /// Its version.
    pub version: &'a str,
    /// The file, from the package's folder on.
    pub path: &'a str,
}

/// The package and the path of a file below `registry/src/INDEX/NAME-VERSION`; `None` of any other file.
pub fn published(file: &str) -> Option<Published<'_>> {
    const FOLDER: &str = "registry/src/";
    let below = file.match_indices(FOLDER).find(|(at, _)| *at == 0 || file[..*at].ends_with('/'));
    let (_, below) = file[below?.0 + FOLDER.len()..].split_once('/')?;
    let (package, path) = below.split_once('/')?;
    let name = without_version(package);
    Some(Published { name, version: package[name.len()..].trim_start_matches('-'), path })
}

/// The repository of a file below `git/checkouts/NAME-HASH`.
fn of_repository(file: &str) -> Option<&str> {
    let mut parts = file.split('/').peekable();
    while let Some(part) = parts.next() {
        if (part, parts.peek()) == ("git", Some(&"checkouts")) {
            let repository = parts.nth(1)?;
            // What follows is below it.
            parts.next()?;
            return Some(repository.rsplit_once('-').map_or(repository, |(name, _)| name));
        }
    }
    None
}

/// In `--points-in`, std's read-write locks: the operations that they are made of.
pub const RWLOCK: &str = "RwLock";

/// In `--points-in`, primitives of crates that are modelled: the operations that they are made of.
pub const PRIMITIVES: &str = "primitives";

/// In `--points-in`, runtimes that are trusted ([`crate::trusted`]): their locks, and operations behind the first of a run.
pub const RUNTIMES: &str = "runtimes";

/// In `--points-in`, the counts of `Arc` and `Weak`: all, or with `:` and its distance from [`crate::memory::HEAP`] one of them.
pub const ARC: &str = "Arc";
/// Behind the place of a count: its decrements depend on each other.
const DROPS: &str = "-drops";

/// What a name in `--points-in` says of reference counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// All have points.
    All,
    /// This one has, and its decrements depend on each other or not.
    One {
        /// Its address.
        word: u64,
        /// Who makes the last decrement can be noticed.
        drops: bool,
    },
}

impl Counted {
    /// As it is written.
    pub fn name(&self) -> String {
        match self {
            Counted::All => ARC.into(),
            Counted::One { word, drops } => {
                format!("{ARC}:{:x}{}", word.wrapping_sub(HEAP), if *drops { DROPS } else { "" })
            }
        }
    }
}

/// The reference counts that this name means; `None` of a dependency's name.
pub fn counted(name: &str) -> Option<Counted> {
    let rest = name.strip_prefix(ARC)?;
    if rest.is_empty() {
        return Some(Counted::All);
    }
    // Files of before have the address itself, as in `Arc@200000001580+drops`.
    let (from, word) = match rest.strip_prefix('@') {
        Some(word) => (0, word),
        None => (HEAP, rest.strip_prefix(':')?),
    };
    let lowered = word.strip_suffix(DROPS).or_else(|| word.strip_suffix("+drops"));
    let (word, drops) = (lowered.unwrap_or(word), lowered.is_some());
    Some(Counted::One { word: u64::from_str_radix(word, 16).ok()?.wrapping_add(from), drops })
}

/// Does this name mean something else than a dependency?
pub fn is_no_crate(name: &str) -> bool {
    name == RWLOCK || name == PRIMITIVES || name == RUNTIMES || counted(name).is_some()
}

/// Do these two name one crate? Cargo writes `-` where Rust writes `_`.
pub fn is_same(a: &str, b: &str) -> bool {
    let same = |(x, y): (u8, u8)| x == y || matches!((x, y), (b'-' | b'_', b'-' | b'_'));
    a.len() == b.len() && a.bytes().zip(b.bytes()).all(same)
}

/// `crossbeam-queue-0.3.14`: the version begins behind the first hyphen before a digit after which a dot comes.
fn without_version(package: &str) -> &str {
    let is_version = |rest: &str| {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        digits > 0 && rest[digits..].starts_with('.')
    };
    let mut hyphens = package.match_indices('-');
    hyphens.find(|(at, _)| is_version(&package[at + 1..])).map_or(package, |(at, _)| &package[..at])
}

#[cfg(test)]
mod tests {
    use super::{Counted, counted, is_no_crate, is_same, of};

    #[test]
    fn counts_are_named_by_their_places() {
        let one = |drops| Counted::One { word: 0x2000_0000_0010, drops };
        for what in [Counted::All, one(false), one(true)] {
            assert_eq!(counted(&what.name()), Some(what));
            assert!(is_no_crate(&what.name()));
        }
        assert_eq!(counted("Arc@200000000010+drops"), Some(one(true)));
        assert_eq!(counted("Arc@200000000010"), Some(one(false)));
        assert!(["arc", "Arcs", "Arc:", "Arc:zz", "Arc@", "arc-swap"].iter().all(|name| !is_no_crate(name)));
    }

    #[test]
    fn what_cargo_fetched_is_known_by_its_folder() {
        let registry = "/home/a/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f";
        let check = |path: &str, name: Option<&str>| assert_eq!(of(path), name, "{path}");
        check(&format!("{registry}/crossbeam-queue-0.3.14/src/seg_queue.rs"), Some("crossbeam-queue"));
        check(&format!("{registry}/wasi-0.11.1+wasi-snapshot-preview1/src/lib.rs"), Some("wasi"));
        check(&format!("{registry}/x86-64-v2-1.0.0-rc.1/src/lib.rs"), Some("x86-64-v2"));
        check("/home/a/.cargo/git/checkouts/some-lib-0123456789abcdef/89ab/src/lib.rs", Some("some-lib"));
        for own in ["src/lib.rs", "/home/a/registry/lib.rs", "registry/src/lib.rs", "git/checkouts/a", ""] {
            check(own, None);
        }
        assert!(is_same("arc_swap", "arc-swap") && !is_same("arc-swap", "arcaswap") && !is_same("a", "ab"));
    }
}
