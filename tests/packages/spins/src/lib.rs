//! Loops that wait for another thread by reading.

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
    use std::thread;

    fn raise_flag_for(waiter: impl FnOnce(&AtomicBool) + Send) {
        let flag = AtomicBool::new(false);
        thread::scope(|s| {
            s.spawn(|| waiter(&flag));
            flag.store(true, SeqCst);
        });
    }

    #[test]
    fn flag() {
        raise_flag_for(|flag| while !flag.load(SeqCst) {});
    }

    #[test]
    fn polite_flag() {
        raise_flag_for(|flag| {
            while !flag.load(SeqCst) {
                std::hint::spin_loop();
                thread::yield_now();
            }
        });
    }

    #[test]
    fn bounded() {
        raise_flag_for(|flag| {
            let _ = (0..5).any(|_| flag.load(SeqCst));
        });
    }

    /// The tries are counted where neither registers nor the stack tell: only the memory does.
    #[test]
    fn bounded_in_memory() {
        let mut tries = Box::new(0);
        raise_flag_for(|flag| while !flag.load(SeqCst) && one_more(&mut tries) < 4 {});
    }

    #[inline(never)]
    fn one_more(tries: &mut u32) -> u32 {
        *tries += 1;
        *tries
    }

    fn twice(body: impl Fn() + Sync) {
        thread::scope(|s| {
            s.spawn(&body);
            s.spawn(&body);
        });
    }

    #[test]
    fn compare_exchange_lock() {
        let (lock, count) = (AtomicBool::new(false), AtomicUsize::new(0));
        twice(|| {
            while lock.compare_exchange(false, true, SeqCst, SeqCst).is_err() {}
            count.store(count.load(SeqCst) + 1, SeqCst);
            lock.store(false, SeqCst);
        });
        assert_eq!(count.into_inner(), 2);
    }

    #[test]
    fn swap_lock() {
        let (lock, count) = (AtomicBool::new(false), AtomicUsize::new(0));
        twice(|| {
            while lock.swap(true, SeqCst) {
                thread::yield_now();
            }
            count.store(count.load(SeqCst) + 1, SeqCst);
            lock.store(false, SeqCst);
        });
        assert_eq!(count.into_inner(), 2);
    }

    #[test]
    fn each_for_the_other() {
        let (one, two) = (AtomicBool::new(false), AtomicBool::new(false));
        let wait = |own: &AtomicBool, other: &AtomicBool| {
            while !other.load(SeqCst) {} // spins
            own.store(true, SeqCst);
        };
        thread::scope(|s| {
            s.spawn(|| wait(&one, &two));
            s.spawn(|| wait(&two, &one));
        });
    }
}
