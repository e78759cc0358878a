//! What std allows to happen by itself: waits that end without a notify or a token, weak compare-exchanges that fail
//! though they found what they expect. Tests that are right without it, and wrong with it; and such as allow for it.

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
    use std::sync::{Condvar, Mutex};
    use std::thread;

    /// Notifies under the lock, after the flag is set; so without spurious wake-ups an `if` is enough.
    fn wait_for_flag(wait: fn(&Mutex<bool>, &Condvar)) {
        let (ready, changed) = (Mutex::new(false), Condvar::new());
        thread::scope(|s| {
            s.spawn(|| wait(&ready, &changed));
            *ready.lock().unwrap() = true;
            changed.notify_one();
        });
    }

    #[test]
    fn condvar_while() {
        wait_for_flag(|ready, changed| {
            let mut ready = ready.lock().unwrap();
            while !*ready {
                ready = changed.wait(ready).unwrap();
            }
        });
    }

    #[test]
    fn condvar_if() {
        wait_for_flag(|ready, changed| {
            let mut held = ready.lock().unwrap();
            if !*held {
                held = changed.wait(held).unwrap(); // waits
            }
            let is_ready = *held;
            drop(held);
            assert!(is_ready, "it is ready");
        });
    }

    /// A wait that nobody ends is one that may end by itself, and need not.
    #[test]
    fn condvar_nobody_notifies() {
        let (ready, changed) = (Mutex::new(()), Condvar::new());
        drop(changed.wait(ready.lock().unwrap()).unwrap());
    }

    fn park_for_flag(wait: fn(&AtomicU32)) {
        let ready = AtomicU32::new(0);
        thread::scope(|s| {
            let waiting = s.spawn(|| wait(&ready));
            ready.store(1, SeqCst);
            waiting.thread().unpark();
        });
    }

    #[test]
    fn park_while() {
        park_for_flag(|ready| {
            while ready.load(SeqCst) == 0 {
                thread::park();
            }
        });
    }

    #[test]
    fn park_once() {
        park_for_flag(|ready| {
            thread::park();
            assert_eq!(ready.load(SeqCst), 1, "it is ready");
        });
    }

    fn two_add(add: fn(&AtomicU32)) {
        let count = AtomicU32::new(0);
        thread::scope(|s| {
            s.spawn(|| add(&count));
            add(&count);
        });
        assert_eq!(count.into_inner(), 2);
    }

    #[test]
    fn weak_in_a_loop() {
        two_add(|count| {
            let mut now = count.load(SeqCst);
            while let Err(other) = count.compare_exchange_weak(now, now + 1, SeqCst, SeqCst) {
                now = other;
            }
        });
    }

    #[test]
    fn weak_tried_twice() {
        let count = AtomicU32::new(0);
        let one = count.compare_exchange_weak(0, 1, SeqCst, SeqCst).is_ok();
        let other = count.compare_exchange_weak(0, 1, SeqCst, SeqCst).is_ok();
        assert!(one || other);
    }

    /// Whoever finds another value knows that it was not the first; or so it thinks.
    #[test]
    fn weak_once() {
        let count = AtomicU32::new(0);
        let first = count.compare_exchange_weak(0, 1, SeqCst, SeqCst); // fails
        assert_eq!(first, Ok(0));
    }

    #[test]
    fn strong_once() {
        let count = AtomicU32::new(0);
        assert_eq!(count.compare_exchange(0, 1, SeqCst, SeqCst), Ok(0));
    }
}
