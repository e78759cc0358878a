//! A crate that does not compile with hooks, if a build asks for hooks.

#![feature(cfg_sanitize)]
#[cfg(sanitize = "thread")]
compile_error!("not with this");

pub fn one() -> u32 {
    1
}
