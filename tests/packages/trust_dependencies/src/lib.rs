//! Tests of safe code over crates whose unsafe code is wrong: a package beside the workspace, and published versions with an
//! advisory or a report about a data race. No file here says the keyword that would make them watched by themselves.

#[cfg(test)]
mod oneshot;
#[cfg(test)]
mod path;
#[cfg(test)]
mod spin;
#[cfg(test)]
mod stabby;
#[cfg(test)]
mod thread_local;
#[cfg(test)]
mod tokio;
