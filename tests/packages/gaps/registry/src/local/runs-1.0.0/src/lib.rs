//! A dependency that makes two atomic operations in a row.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

pub fn add_twice(n: &AtomicU32) {
    n.fetch_add(1, SeqCst);
    n.fetch_add(1, SeqCst);
}

pub fn add_once(n: &AtomicU32) {
    n.fetch_add(1, SeqCst);
}
