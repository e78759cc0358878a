//! Which crate a source file belongs to, where cargo fetched that crate: from a registry or a repository.

/// The package of a file below cargo's `registry/src/INDEX/NAME-VERSION` or `git/checkouts/NAME-HASH`; `None` of any
/// other file, as those of a workspace are.
pub fn of(file: &str) -> Option<&str> {
    let mut parts = file.split('/').peekable();
    while let Some(part) = parts.next() {
        match (part, parts.peek()) {
            ("registry", Some(&"src")) => {
                let package = parts.nth(2)?;
                // What follows is below it.
                parts.next()?;
                return Some(without_version(package));
            }
            ("git", Some(&"checkouts")) => {
                let repository = parts.nth(1)?;
                parts.next()?;
                return Some(repository.rsplit_once('-').map_or(repository, |(name, _)| name));
            }
            _ => {}
        }
    }
    None
}

/// In `--points-in`, std's read-write locks: the operations that they are made of.
pub const RWLOCK: &str = "RwLock";

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
    use super::{is_same, of};

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
