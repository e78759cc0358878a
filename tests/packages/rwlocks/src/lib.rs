//! Read-write locks of programs that never try to read: in `alone` nobody waits for anything while reading, so that such a lock
//! is one object; in `locked` who reads waits for locks alone, and so does who has these, or nobody writes; in `waiting` a
//! writer can be noticed. Tests whose names end with `outcomes` say in each execution what they have seen.

#[cfg(test)]
mod alone;
#[cfg(test)]
mod locked;
#[cfg(test)]
mod waiting;

#[cfg(test)]
use std::sync::RwLock;

/// Ends this execution as one in which this was seen.
#[cfg(test)]
#[track_caller]
fn seen(what: impl std::fmt::Display) -> ! {
    panic!("seen: {what}")
}

/// Threads that read, and threads that write, each once.
#[cfg(test)]
fn run(readers: usize, writers: usize) {
    let lock = RwLock::new(0);
    std::thread::scope(|s| {
        for _ in 0..readers {
            s.spawn(|| assert!(*lock.read().unwrap() <= writers));
        }
        for _ in 0..writers {
            s.spawn(|| *lock.write().unwrap() += 1);
        }
    });
    assert_eq!(*lock.read().unwrap(), writers);
}
