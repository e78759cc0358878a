//! Threads of the model: parking, waiting, their ids and names, and their panics.

use super::{
    Loc, nanos, raddle_rt_asks_for_id, raddle_rt_has_ended, raddle_rt_park, raddle_rt_park_timeout,
    raddle_rt_scope_waited, raddle_rt_sleep, raddle_rt_thread_id, raddle_rt_thread_name,
    raddle_rt_thread_panicked, raddle_rt_unpark, raddle_rt_yield,
};
use std::thread::ThreadId;
use std::time::Duration;

/// Waits for the calling thread's token and takes it; this is its id.
pub fn park(thread: ThreadId, loc: Loc) {
    own_id(thread);
    // SAFETY: see the rule in `raddle_rt.rs`.
    unsafe { raddle_rt_park(number(thread), loc.0) }
}

/// As [`park`], for a time.
pub fn park_timeout(thread: ThreadId, time: Duration, loc: Loc) {
    own_id(thread);
    // SAFETY: see the rule in `raddle_rt.rs`.
    unsafe { raddle_rt_park_timeout(number(thread), nanos(time), loc.0) };
}

/// Sets a thread's token.
pub fn unpark(thread: ThreadId, loc: Loc) {
    // SAFETY: see the rule in `raddle_rt.rs`.
    unsafe { raddle_rt_unpark(number(thread), loc.0) }
}

/// Has a thread ended? To be called by generic functions only: the kernel asks the program whether it contains
/// this call, and nothing but what the program uses may contain it.
#[inline(always)]
pub fn has_ended(handle: std::os::unix::thread::RawPthread, loc: Loc) -> bool {
    // SAFETY: see the rule in `raddle_rt.rs`.
    unsafe { raddle_rt_has_ended(handle, loc.0) }
}

/// The end of a scope has joined this thread.
pub fn scope_waited(handle: std::os::unix::thread::RawPthread) {
    // SAFETY: see the rule in `raddle_rt.rs`.
    unsafe { raddle_rt_scope_waited(handle) }
}

/// Gives way to the other threads.
pub fn yield_now(loc: Loc) {
    // SAFETY: see the rule in `raddle_rt.rs`.
    unsafe { raddle_rt_yield(loc.0) }
}

/// Lets virtual time pass.
pub fn sleep(time: Duration, loc: Loc) {
    // SAFETY: see the rule in `raddle_rt.rs`.
    unsafe { raddle_rt_sleep(nanos(time), loc.0) }
}

/// This thread has this id: to be told before anybody is given its `Thread`.
pub fn thread_id(handle: std::os::unix::thread::RawPthread, id: ThreadId) {
    // SAFETY: see the rule in `raddle_rt.rs`.
    unsafe { raddle_rt_thread_id(handle, number(id)) }
}

/// The same of the calling thread.
pub fn own_id(id: ThreadId) {
    // SAFETY: see the rule in `raddle_rt.rs`; 0 is no thread's handle.
    unsafe { raddle_rt_thread_id(0, number(id)) }
}

/// The program asks for the id of a thread.
pub fn asks_for_id() {
    // SAFETY: see the rule in `raddle_rt.rs`.
    unsafe { raddle_rt_asks_for_id() }
}

/// Names the calling thread.
pub fn thread_name(name: &str) {
    // SAFETY: see the rule in `raddle_rt.rs`.
    unsafe { raddle_rt_thread_name(name.as_ptr(), name.len()) }
}

/// The calling thread panics.
pub fn thread_panicked(message: &str, file: &str, line: u32, column: u32) {
    // SAFETY: see the rule in `raddle_rt.rs`.
    unsafe {
        raddle_rt_thread_panicked(message.as_ptr(), message.len(), file.as_ptr(), file.len(), line, column)
    }
}

/// The number in a thread id: what it hashes.
fn number(thread: ThreadId) -> u64 {
    struct Last(u64);
    impl std::hash::Hasher for Last {
        fn finish(&self) -> u64 {
            self.0
        }
        fn write(&mut self, bytes: &[u8]) {
            for &byte in bytes {
                self.0 = self.0 << 8 | u64::from(byte);
            }
        }
        fn write_u64(&mut self, n: u64) {
            self.0 = n;
        }
    }
    let mut last = Last(0);
    std::hash::Hash::hash(&thread, &mut last);
    std::hash::Hasher::finish(&last)
}
