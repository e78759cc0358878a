//! The tests of `trust_dependencies` with versions in which they are right.

#[cfg(test)]
mod oneshot;
#[cfg(test)]
mod spin;
#[cfg(test)]
mod thread_local;
#[cfg(test)]
mod tokio;
