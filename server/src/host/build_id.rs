//! Which build of Raddle this is: faces and host must be the same.

use sha2::{Digest, Sha256};
use std::io;
use std::sync::OnceLock;

/// The version and a hash of the own executable: equal for copies of one binary, and for nothing
/// else.
pub fn build_id() -> String {
    static ID: OnceLock<String> = OnceLock::new();
    ID.get_or_init(|| format!("{}+{}", env!("CARGO_PKG_VERSION"), hash())).clone()
}

/// Of the executable that runs, also where its file was replaced since.
fn hash() -> String {
    let read = || -> io::Result<String> {
        let mut hasher = Sha256::new();
        io::copy(&mut std::fs::File::open("/proc/self/exe")?, &mut hasher)?;
        Ok(hasher.finalize().iter().take(8).map(|b| format!("{b:02x}")).collect())
    };
    // Without /proc nothing is explored; the word never equals a hash.
    read().unwrap_or_else(|_| "unknown".to_string())
}
