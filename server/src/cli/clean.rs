//! `raddle clean`.

use super::{out, status};
use crate::cache::Cache;
use crate::error::Result;

/// Empties the cache folder.
pub fn run() -> Result<u8> {
    let cache = Cache::locate()?;
    let root = cache.root().display();
    match cache.clean()? {
        None => out(&format!("{root} is empty already\n"))?,
        Some(bytes) => {
            let mib = bytes as f64 / (1 << 20) as f64;
            out(&format!(
                "removed {root} ({mib:.1} MiB); programs built with `raddle cc` need building again\n"
            ))?;
        }
    }
    Ok(status::PASSED)
}
