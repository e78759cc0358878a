//! What `thread::current().name()` says on the thread of a test: the test's name, as libtest runs tests on threads that are
//! named like them. Here it is the first thread, which std calls `main`.

use std::sync::OnceLock;
use std::thread::{self, ThreadId};

/// The thread and the test: before the first execution, so in all of them.
static TEST: OnceLock<(ThreadId, String)> = OnceLock::new();

/// The calling thread is about to run this test.
pub fn set(name: &str) {
    TEST.get_or_init(|| (thread::current().id(), name.to_owned()));
}

/// The name of this thread, if it is the one that runs a test.
pub fn of(thread: ThreadId) -> Option<&'static str> {
    TEST.get().filter(|(runs, _)| *runs == thread).map(|(_, name)| name.as_str())
}
