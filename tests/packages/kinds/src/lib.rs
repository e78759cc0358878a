//! Failing tests whose mistakes `tests/mistakes.rs` knows.

#[cfg(test)]
mod consumers;
pub mod lru;
#[cfg(test)]
mod once;
