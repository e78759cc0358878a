//! A stored schedule found again in a program that was edited since: the steps of the stored execution and
//! those that the program makes now are matched, thread by thread, and the differences are built
//! one by one so that what was found again happens in the stored order.
//!
//! 1. Both executions are told in words that survive an edit ([`ExecutionDigest`]): who, which operation, on which
//!    object, in which function, at a line that says what.
//! 2. Threads are the same if the same parent spawned them, at the same place in its order
//!    (`threads`); steps of a thread are matched as lines of two texts are (`matching`), so that there may be
//!    new ones and some may be gone.
//! 3. [`Walk`] goes along both executions. Where the program goes on with another thread than the stored
//!    execution did, it names the difference that is missing; whoever runs programs adds it, runs again and
//!    asks again. A thread that was preempted stops right before the same operation, behind whatever is new
//!    before that.
//!
//! What cannot be held (a thread waits where it did not) is let go and remembered: [`Walk::fates`].

mod execution_digest;
mod matching;
mod threads;
mod walk;

pub use execution_digest::{Doing, ExecutionDigest, Gap, Spawned, Step, alike};
pub use walk::{Departure, Fate, Walk};
