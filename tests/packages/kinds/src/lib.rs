//! Failing tests whose mistakes `tests/mistakes.rs` knows.

#[cfg(test)]
mod consumers;
#[cfg(test)]
mod gate;
pub mod lru;
#[cfg(test)]
mod once;
