//! The binary under test, and the cache folder it is given.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// `raddle`: `RADDLE_BIN` where the test command built it beforehand, otherwise the release, built here once a process.
pub fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| match std::env::var_os("RADDLE_BIN") {
        Some(path) => PathBuf::from(path),
        None => build(),
    })
}

fn build() -> PathBuf {
    let output = Command::new("cargo")
        .args(["build", "--release", "--package", "raddle", "--message-format", "json-render-diagnostics"])
        .current_dir(root())
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "raddle does not build");
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|l| serde_json::from_str::<serde_json::Value>(l).ok())
        .filter(|m| m["target"]["name"] == "raddle")
        .find_map(|m| m["executable"].as_str().map(PathBuf::from))
        .expect("cargo names the binary it built")
}

/// The cache folder that the tests of one run share.
pub fn shared_cache() -> PathBuf {
    match std::env::var_os("RADDLE_TEST_CACHE") {
        Some(path) => PathBuf::from(path),
        None => std::env::temp_dir().join(format!("raddle-tests-{}", user())),
    }
}

/// Users of one machine must not meet in one folder.
fn user() -> u32 {
    // SAFETY: getuid has no preconditions and cannot fail.
    unsafe { libc::getuid() }
}

/// The workspace's root.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the workspace")
}
