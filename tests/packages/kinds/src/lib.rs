//! Failing tests whose mistakes `tests/mistakes.rs` knows.

#[cfg(test)]
mod calls;
#[cfg(test)]
mod consumers;
#[cfg(test)]
mod elements;
#[cfg(test)]
mod gate;
#[cfg(test)]
mod gives_up;
pub mod lru;
#[cfg(test)]
mod once;
#[cfg(test)]
mod poison;
#[cfg(test)]
mod upgrade;
#[cfg(test)]
mod waits;
#[cfg(test)]
mod wakeup;
