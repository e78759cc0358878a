//! Tests that end badly, some in one interleaving only, and the attributes that turn that around.

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
    use std::sync::{Arc, Mutex};
    use std::thread;

    /// Only where the other thread's store falls between the two loads.
    fn in_one_interleaving(bad: impl FnOnce() + Send + 'static) {
        let flag = Arc::new(AtomicBool::new(false));
        let other = flag.clone();
        let storing = thread::spawn(move || other.store(true, SeqCst));
        let loading = thread::spawn(move || {
            let before = flag.load(SeqCst);
            if before != flag.load(SeqCst) {
                bad();
            }
        });
        storing.join().unwrap();
        loading.join().unwrap();
    }

    #[test]
    fn panic_while_a_mutex_is_held() {
        let shared = Arc::new(Mutex::new(0));
        let held = shared.clone();
        let _ = thread::spawn(move || {
            let mut guard = held.lock().unwrap();
            *guard += 1;
            panic!("while holding the lock"); // panics
        })
        .join();
        assert_eq!(*shared.lock().unwrap(), 1); // poisoned
    }

    /// As crates with threads of their own do: what was caught there goes on here, and no hook hears of it.
    #[test]
    fn a_panic_is_passed_on() {
        let other = thread::spawn(|| panic!("in the other thread")); // begins
        if let Err(payload) = other.join() {
            std::panic::resume_unwind(payload);
        }
    }

    /// As `std` has it: the lock is released by unwinding, and poisoned.
    #[test]
    fn poison_is_seen_by_the_next() {
        let shared = Arc::new(Mutex::new(0));
        let held = shared.clone();
        let panicking = thread::spawn(move || {
            let _guard = held.lock().unwrap();
            panic!("expected");
        });
        assert!(panicking.join().is_err());
        assert!(shared.is_poisoned());
        assert_eq!(*shared.lock().unwrap_err().into_inner(), 0);
    }

    #[test]
    fn aborts() {
        in_one_interleaving(|| std::process::abort()); // aborts
    }

    #[test]
    fn exits() {
        in_one_interleaving(|| std::process::exit(3)); // exits
    }

    #[test]
    fn overflows() {
        fn recurse(n: u64) -> u64 {
            let frame = std::hint::black_box([n; 512]);
            recurse(n + 1) + frame[(n % 512) as usize]
        }
        in_one_interleaving(|| {
            std::hint::black_box(recurse(0));
        });
    }

    #[test]
    fn segfaults() {
        in_one_interleaving(|| {
            // SAFETY: none; the fault is the point.
            unsafe { std::ptr::without_provenance_mut::<u8>(8).write_volatile(1) }
        });
    }

    #[test]
    #[should_panic(expected = "this time")]
    fn should_panic_in_all() {
        let flag = Arc::new(AtomicBool::new(false));
        let other = flag.clone();
        let storing = thread::spawn(move || other.store(true, SeqCst));
        assert!(!flag.load(SeqCst), "late this time");
        storing.join().unwrap();
        panic!("early this time");
    }

    #[test]
    #[should_panic(expected = "only here")]
    fn should_panic_but_only_sometimes_does() {
        let flag = Arc::new(AtomicBool::new(false));
        let other = flag.clone();
        let storing = thread::spawn(move || other.store(true, SeqCst));
        assert!(!flag.load(SeqCst), "only here");
        storing.join().unwrap();
    }

    #[test]
    #[ignore = "runs only on demand"]
    fn ignored() {
        panic!("must not run");
    }

    #[test]
    fn returns_an_error() -> Result<(), String> {
        Err("no luck".to_string())
    }
}
