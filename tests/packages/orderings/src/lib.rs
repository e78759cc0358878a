//! What orders a plain write before a plain read of another thread, by the orderings of the atomics between them.
//! Tests named `races_` have a data race in every execution in which the flag is seen, those named `ordered_` none.

#[cfg(test)]
mod tests {
    use std::cell::UnsafeCell;
    use std::sync::atomic::{AtomicU32, Ordering, Ordering::*, fence};
    use std::thread;

    struct Cell(UnsafeCell<u32>);

    // SAFETY: none, where the test is named `races_`.
    unsafe impl Sync for Cell {}

    /// One thread writes and publishes; another, which runs `between` before, reads if it sees that.
    fn pass_on(publish: fn(&AtomicU32), between: fn(&AtomicU32), sees: fn(&AtomicU32) -> bool) {
        let (data, flag) = (Cell(UnsafeCell::new(0)), AtomicU32::new(0));
        let (data, flag) = (&data, &flag);
        thread::scope(|s| {
            s.spawn(move || {
                // SAFETY: nobody reads before the flag is seen.
                unsafe { *data.0.get() = 7 };
                publish(flag);
            });
            s.spawn(move || between(flag));
            s.spawn(move || {
                if sees(flag) {
                    // SAFETY: written before, if the orderings say so.
                    assert_eq!(unsafe { *data.0.get() }, 7);
                }
            });
        });
    }

    fn flag(publish: fn(&AtomicU32), sees: fn(&AtomicU32) -> bool) {
        pass_on(publish, |_| {}, sees);
    }

    fn fails(flag: &AtomicU32, success: Ordering, failure: Ordering) -> bool {
        flag.compare_exchange(9, 10, success, failure) == Err(1)
    }

    #[test]
    fn races_relaxed_relaxed() {
        flag(|f| f.store(1, Relaxed), |f| f.load(Relaxed) == 1);
    }

    #[test]
    fn races_relaxed_acquire() {
        flag(|f| f.store(1, Relaxed), |f| f.load(Acquire) == 1);
    }

    #[test]
    fn races_release_relaxed() {
        flag(|f| f.store(1, Release), |f| f.load(Relaxed) == 1);
    }

    #[test]
    fn ordered_release_acquire() {
        flag(|f| f.store(1, Release), |f| f.load(Acquire) == 1);
    }

    #[test]
    fn ordered_seq_cst() {
        flag(|f| f.store(1, SeqCst), |f| f.load(SeqCst) == 1);
    }

    #[test]
    fn ordered_fences() {
        let publish = |f: &AtomicU32| {
            fence(Release);
            f.store(1, Relaxed);
        };
        let sees = |f: &AtomicU32| {
            let seen = f.load(Relaxed) == 1;
            fence(Acquire);
            seen
        };
        flag(publish, sees);
    }

    #[test]
    fn races_fence_on_one_side() {
        let publish = |f: &AtomicU32| {
            fence(Release);
            f.store(1, Relaxed);
        };
        flag(publish, |f| f.load(Relaxed) == 1);
    }

    #[test]
    fn races_fence_too_late() {
        let publish = |f: &AtomicU32| {
            f.store(1, Relaxed);
            fence(Release);
        };
        flag(publish, |f| f.load(Acquire) == 1);
    }

    #[test]
    fn ordered_read_modify_write() {
        flag(|f| drop(f.fetch_add(1, Release)), |f| f.fetch_add(0, Acquire) == 1);
    }

    #[test]
    fn races_read_modify_write() {
        flag(|f| drop(f.fetch_add(1, Acquire)), |f| f.fetch_add(0, Release) == 1);
    }

    #[test]
    fn ordered_through_a_release_sequence() {
        pass_on(|f| f.store(2, Release), |f| drop(f.fetch_add(1, Relaxed)), |f| f.load(Acquire) == 3);
    }

    #[test]
    fn races_where_a_store_ends_the_sequence() {
        let stores = |f: &AtomicU32| {
            if f.load(Relaxed) == 2 {
                f.store(3, Relaxed);
            }
        };
        pass_on(|f| f.store(2, Release), stores, |f| f.load(Acquire) == 3);
    }

    #[test]
    fn ordered_failed_compare_exchange() {
        flag(|f| f.store(1, Release), |f| fails(f, Relaxed, Acquire));
    }

    #[test]
    fn races_failed_compare_exchange() {
        flag(|f| f.store(1, Release), |f| fails(f, AcqRel, Relaxed));
    }
}
