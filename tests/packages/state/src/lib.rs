//! State that must be fresh in every execution and, where it is a thread's, distinct per thread;
//! and state that tempts a test to differ from run to run.

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::collections::HashMap;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex, OnceLock};
    use std::thread;

    static PLAIN: AtomicUsize = AtomicUsize::new(7);
    static LAZY: Mutex<Option<String>> = Mutex::new(None);
    static ONCE: OnceLock<String> = OnceLock::new();

    struct Dropped<'a>(&'a AtomicUsize);

    impl Drop for Dropped<'_> {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    thread_local! {
        static MINE: Cell<u32> = const { Cell::new(5) };
        static GROWN: std::cell::RefCell<Vec<u32>> = std::cell::RefCell::new(vec![1]);
    }

    #[test]
    fn statics_and_thread_locals_are_fresh() {
        assert_eq!(PLAIN.load(Ordering::SeqCst), 7);
        assert!(LAZY.lock().unwrap().is_none());
        assert!(ONCE.get().is_none());
        assert_eq!(ONCE.get_or_init(|| "set".to_string()), "set");
        MINE.set(99);
        let threads: Vec<_> = (1..3u32)
            .map(|n| {
                thread::spawn(move || {
                    assert_eq!(MINE.get(), 5);
                    assert_eq!(GROWN.with_borrow(Vec::len), 1);
                    MINE.set(n);
                    GROWN.with_borrow_mut(|g| g.push(n));
                    PLAIN.fetch_add(1, Ordering::SeqCst);
                    LAZY.lock().unwrap().get_or_insert_default().push('x');
                    assert_eq!(MINE.get(), n);
                    assert_eq!(GROWN.with_borrow(Clone::clone), [1, n]);
                })
            })
            .collect();
        for t in threads {
            t.join().unwrap();
        }
        assert_eq!(MINE.get(), 99);
        assert_eq!(PLAIN.load(Ordering::SeqCst), 9);
        assert_eq!(LAZY.lock().unwrap().as_deref(), Some("xx"));
    }

    #[test]
    fn threads_know_themselves() {
        let main = thread::current().id();
        let spawned = |name: &'static str| {
            thread::Builder::new()
                .name(name.to_string())
                .spawn(move || {
                    let before = thread::current().id();
                    thread::yield_now();
                    assert_eq!(thread::current().id(), before);
                    assert_eq!(thread::current().name(), Some(name));
                    before
                })
                .unwrap()
        };
        let (one, other) = (spawned("one"), spawned("other"));
        assert_eq!(one.thread().name(), Some("one"));
        let expected = (one.thread().id(), other.thread().id());
        let ids = (one.join().unwrap(), other.join().unwrap());
        assert_eq!(ids, expected);
        assert!(ids.0 != ids.1 && ids.0 != main && ids.1 != main);
    }

    #[test]
    fn scoped_threads_park_and_drop() {
        let dropped = AtomicUsize::new(0);
        let ready = AtomicUsize::new(0);
        thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                let _held = Dropped(&dropped);
                while ready.load(Ordering::SeqCst) == 0 {
                    thread::park();
                }
            });
            ready.store(1, Ordering::SeqCst);
            waiting.thread().unpark();
        });
        assert_eq!(dropped.load(Ordering::SeqCst), 1);
    }

    /// The order of a `HashMap` depends on random numbers: two orders in two executions would be
    /// two different traces of one schedule.
    #[test]
    fn hash_map_iteration() {
        let order = Arc::new(Mutex::new(Vec::new()));
        let threads: Vec<_> = (0..2u64)
            .map(|n| {
                let order = order.clone();
                thread::spawn(move || {
                    let map: HashMap<u64, u64> = (0..8).map(|k| (k, k * n)).collect();
                    for key in map.keys().take(3) {
                        // As many lock operations as the key is large: the trace shows the order.
                        for _ in 0..=*key {
                            order.lock().unwrap().push(*key);
                        }
                    }
                })
            })
            .collect();
        for t in threads {
            t.join().unwrap();
        }
        assert!(order.lock().unwrap().len() >= 6);
    }

    #[test]
    fn leaks_and_prints() {
        let total = Arc::new(Mutex::new(0));
        let threads: Vec<_> = (0..2)
            .map(|n| {
                let total = total.clone();
                thread::spawn(move || {
                    for i in 0..4 {
                        std::mem::forget(vec![n as u8; 8192]);
                        *total.lock().unwrap() += i;
                        println!("thread {n} round {i}: the quick brown fox jumps over the lazy dog");
                    }
                })
            })
            .collect();
        for t in threads {
            t.join().unwrap();
        }
        assert_eq!(*total.lock().unwrap(), 12);
    }
}
