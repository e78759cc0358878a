//! Promised in interface.md, or an option of `cargo test`, and not built yet: refused with its name.

use clap::error::{ContextKind, ContextValue, ErrorKind};

const OPTIONS: [&str; 1] = ["--doc"];

/// The promised thing that this parse error is about, if it is about one.
pub fn named(e: &clap::Error) -> Option<String> {
    let text = |kind| match e.get(kind) {
        Some(ContextValue::String(s)) => Some(s.clone()),
        _ => None,
    };
    match e.kind() {
        ErrorKind::UnknownArgument => {
            let name = text(ContextKind::InvalidArg)?;
            let name = name.split(['=', ' ']).next().unwrap_or_default();
            OPTIONS.contains(&name).then(|| name.to_string())
        }
        _ => None,
    }
}
