//! Why a package cannot be built, in three parts that the command line shows apart.

use super::tools;
use std::path::Path;

/// One message.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct BuildError {
    /// What could not be done, naming the file or package.
    pub what: String,
    /// Why; may have several lines (cargo's own).
    pub cause: String,
    /// What to do about it.
    pub next: String,
}

impl BuildError {
    pub(super) fn new(what: impl Into<String>, cause: impl ToString, next: impl Into<String>) -> Self {
        BuildError { what: what.into(), cause: cause.to_string(), next: next.into() }
    }

    /// A file of the cache could not be read or written.
    pub(super) fn cache(path: &Path, error: &std::io::Error) -> Self {
        let what = format!("cannot write the cache folder {}", path.display());
        BuildError::new(what, error, "make it writable, or set RADDLE_CACHE to a folder that is")
    }

    /// A program of the toolchain could not be started.
    pub(super) fn tool(program: &std::ffi::OsStr, error: &std::io::Error) -> Self {
        let by_name = Path::new(program).components().count() == 1;
        let places =
            if by_name { format!("; it was looked for in {}", tools::places()) } else { String::new() };
        BuildError::new(
            format!("cannot run {}", program.display()),
            format!("{error}{places}"),
            "Rust packages need a Rust toolchain (rustup.rs); set PATH or CARGO_HOME so that it is found",
        )
    }
}
