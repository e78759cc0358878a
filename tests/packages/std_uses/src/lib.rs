//! Each primitive of std rightly and wrongly used. What comes of each test, with how few preemptions, stands in
//! tests/tests/std_uses. A test whose name ends with `outcomes` says in each execution what it has seen.

#[cfg(test)]
mod atomics;
#[cfg(test)]
mod barrier;
#[cfg(test)]
mod condvar;
#[cfg(test)]
mod lazy;
#[cfg(test)]
mod mpsc;
#[cfg(test)]
mod mutex;
#[cfg(test)]
mod once;
#[cfg(test)]
mod park;
#[cfg(test)]
mod rwlock;
#[cfg(test)]
mod threads;
#[cfg(test)]
mod time;

/// Ends this execution as one in which this was seen.
#[cfg(test)]
#[track_caller]
fn seen(what: &str) -> ! {
    panic!("seen: {what}")
}

/// A panic that is meant, and caught.
#[cfg(test)]
fn caught(body: impl FnOnce()) -> bool {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(body)).is_err()
}
