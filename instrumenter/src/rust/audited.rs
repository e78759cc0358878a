//! Published crates whose own accesses to memory are not watched, though they have unsafe code: watching them makes searches
//! three to six times as slow, and they are what most concurrent programs are made of.
//!
//! A version is on the list if
//! * it was the newest one, and no advisory is known of it;
//! * its own accesses were watched in the tests of this repository that use it (`tests/packages/crates`, with `--watch-all`),
//!   and no data race was found;
//! * all that it is compiled with is on the list, or has no unsafe code: otherwise it has hooks like the crates that use it.
//!
//! A crate counts as audited at exactly these versions, and only where cargo fetched it from crates.io: what another registry, a
//! patch or a vendored copy has by that name may be anything. Safe code over audited crates alone
//! cannot race, so it gets no hooks either. The guarantee names those that a program has.

use std::path::Path;

/// Names and versions.
#[rustfmt::skip]
const AUDITED: [(&str, &str); 31] = [
    ("arc-swap", "1.9.5"),
    ("cfg-if", "1.0.5"),
    ("concurrent-queue", "2.5.0"),
    ("crossbeam-channel", "0.5.17"),
    ("crossbeam-deque", "0.8.8"),
    ("crossbeam-epoch", "0.9.21"),
    ("crossbeam-queue", "0.3.14"),
    ("crossbeam-utils", "0.8.23"),
    ("dashmap", "6.2.1"),
    ("either", "1.19.0"),
    ("flume", "0.11.1"),
    ("hashbrown", "0.14.5"),
    ("itoa", "1.0.19"),
    ("libc", "0.2.191"),
    ("lock_api", "0.4.14"),
    ("memchr", "2.8.3"),
    ("once_cell", "1.21.4"),
    ("parking_lot", "0.12.5"),
    ("parking_lot_core", "0.9.12"),
    ("pin-project-lite", "0.2.18"),
    ("rayon", "1.12.0"),
    ("rayon-core", "1.13.0"),
    ("scopeguard", "1.2.0"),
    ("serde", "1.0.229"),
    ("serde_core", "1.0.229"),
    ("serde_json", "1.0.154"),
    ("smallvec", "1.16.6"),
    ("spin", "0.9.9"),
    ("tracing", "0.1.44"),
    ("tracing-core", "0.1.36"),
    ("zmij", "1.0.23"),
];

/// Packages that are compiled for the compiler's side, or for other systems, whatever their versions. Where a program has
/// one of them all the same, it is not watched, and the guarantee says so.
const BESIDE: [&str; 22] = [
    "autocfg",
    "bitflags",
    "cc",
    "find-msvc-tools",
    "heck",
    "hermit-abi",
    "pkg-config",
    "proc-macro2",
    "quote",
    "redox_syscall",
    "rustversion",
    "serde_derive",
    "shlex",
    "syn",
    "thiserror-impl",
    "tokio-macros",
    "unicode-ident",
    "version_check",
    "wasi",
    "winapi",
    "windows-link",
    "windows-sys",
];

/// How `Cargo.lock` names crates.io.
const CRATES_IO: [&str; 2] =
    ["registry+https://github.com/rust-lang/crates.io-index", "sparse+https://index.crates.io/"];

/// How cargo names the folders of what it fetched from there, without a hash.
const FETCHED: [&str; 2] = ["index.crates.io-", "github.com-"];

/// May crates be watched that are built by this `Cargo.lock`? It names all packages, those of other systems too.
pub(super) fn has_others(lock: &str) -> bool {
    // What cannot be read may be anything.
    let Ok(lock) = lock.parse::<toml::Table>() else { return true };
    let packages = lock.get("package").and_then(|p| p.as_array()).into_iter().flatten();
    packages.filter_map(toml::Value::as_table).any(|package| {
        let text = |key: &str| package.get(key).and_then(toml::Value::as_str).unwrap_or_default();
        let (name, version, source) = (text("name"), text("version"), text("source"));
        let is_published = CRATES_IO.contains(&source);
        // Packages without a source are the user's own.
        let is_known = is_published && (BESIDE.contains(&name) || AUDITED.contains(&(name, version)));
        !source.is_empty() && !is_known
    })
}

/// Is the package in this folder audited?
pub(super) fn is(manifest: &Path) -> bool {
    let name = manifest.file_name().and_then(|name| name.to_str());
    is_of_crates_io(manifest) && name.is_some_and(is_listed)
}

/// Has cargo fetched the package in this folder from crates.io? Its folder is named by cargo, where that fetched it from a registry.
pub(super) fn is_of_crates_io(manifest: &Path) -> bool {
    let registry = manifest.parent();
    let name = registry.and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or_default();
    let is_fetched = registry.and_then(Path::parent).is_some_and(|sources| sources.ends_with("registry/src"));
    is_fetched && FETCHED.iter().any(|registry| name.starts_with(registry))
}

/// `parking_lot-0.12.5`.
fn is_listed(package: &str) -> bool {
    let (name, version) = package.rsplit_once('-').unwrap_or((package, ""));
    AUDITED.contains(&(name, version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_known_by_its_version_and_by_who_fetched_it() {
        let is = |folder: &str| is(Path::new(folder));
        assert!(is("/c/registry/src/index.crates.io-1949cf8c6b5b557f/crossbeam-utils-0.8.23"));
        assert!(!is("/c/registry/src/index.crates.io-1949cf8c6b5b557f/crossbeam-utils-0.8.2"));
        assert!(!is("/w/vendor/crossbeam-utils-0.8.23"));
        assert!(!is("/c/registry/src/crates.example.org-1949cf8c6b5b557f/crossbeam-utils-0.8.23"));
        assert!(!is("/c/git/checkouts/crossbeam-utils-0.8.23"));
    }

    #[test]
    fn a_lock_file_tells_whether_there_are_others() {
        let lock = |source: &str, name: &str, version: &str| {
            format!(
                "[[package]]\nname = \"own\"\nversion = \"0.1.0\"\n\n[[package]]\nname = \"{name}\"\nversion = \"{version}\"\n{source}\n"
            )
        };
        let registry = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";
        assert!(!has_others(&lock(registry, "crossbeam-utils", "0.8.23")));
        assert!(!has_others(&lock(registry, "syn", "1.2.3")));
        assert!(!has_others(&lock("", "beside", "0.1.0")));
        assert!(has_others(&lock(registry, "crossbeam-utils", "0.8.21")));
        let private = "source = \"registry+https://example.org/index\"";
        assert!(has_others(&lock(private, "crossbeam-utils", "0.8.23")));
        assert!(has_others(&lock("source = \"git+https://a/b#c\"", "crossbeam-utils", "0.8.23")));
        assert!(has_others("[[package"));
    }
}
