//! What the counts of `Arc` and `Weak` decide: who is last, and who is still in time.

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
    use std::sync::{Arc, Mutex, Weak};
    use std::thread;

    /// Writes down which thread drops it.
    struct Noted(Arc<AtomicU32>);

    thread_local!(static NUMBER: std::cell::Cell<u32> = const { std::cell::Cell::new(0) });

    impl Drop for Noted {
        fn drop(&mut self) {
            self.0.store(NUMBER.get(), SeqCst);
        }
    }

    /// Two threads drop the last two clones; the second one's number.
    fn last_of_two() -> u32 {
        let dropped_by = Arc::new(AtomicU32::new(0));
        let first = Arc::new(Noted(dropped_by.clone()));
        let second = first.clone();
        let one = thread::spawn(move || {
            NUMBER.set(1);
            drop(first);
        });
        let other = thread::spawn(move || {
            NUMBER.set(2);
            drop(second);
        });
        one.join().unwrap();
        other.join().unwrap();
        dropped_by.load(SeqCst)
    }

    #[test]
    fn somebody_is_last() {
        assert_ne!(last_of_two(), 0);
    }

    #[test]
    fn the_second_thread_is_last() {
        assert_eq!(last_of_two(), 2, "the first thread drops it");
    }

    #[test]
    fn an_upgrade_is_in_time() {
        let value = Arc::new(5);
        let weak: Weak<i32> = Arc::downgrade(&value);
        let looks = thread::spawn(move || weak.upgrade().is_some());
        drop(value);
        assert!(!looks.join().unwrap(), "it is still there");
    }

    #[test]
    fn a_look_at_the_count() {
        let value = Arc::new(5);
        let clone = value.clone();
        let drops = thread::spawn(move || drop(clone));
        let count = Arc::strong_count(&value);
        drops.join().unwrap();
        assert_eq!(count, 2, "the clone is gone");
    }

    #[test]
    fn the_last_one_is_taken_apart() {
        let value = Arc::new(Mutex::new(5));
        let clone = value.clone();
        let takes = thread::spawn(move || Arc::try_unwrap(clone).is_ok());
        let mine = Arc::try_unwrap(value).is_ok();
        assert!(mine != takes.join().unwrap(), "nobody gets it");
    }

    #[test]
    fn one_of_two_gets_it() {
        let value = Arc::new(Mutex::new(5));
        let clone = value.clone();
        let takes = thread::spawn(move || Arc::into_inner(clone).is_some());
        let mine = Arc::into_inner(value).is_some();
        assert!(mine != takes.join().unwrap());
    }

    #[test]
    fn changed_alone() {
        let mut value = Arc::new(5);
        let clone = value.clone();
        let drops = thread::spawn(move || drop(clone));
        let alone = Arc::get_mut(&mut value).is_some();
        drops.join().unwrap();
        assert!(!alone, "the other one is gone");
    }

    /// As a dynamic type, behind a pin, and through a channel: it is std's own.
    #[test]
    fn every_kind_of_it() {
        let any: Arc<dyn Fn() -> u32 + Send + Sync> = Arc::new(|| 7);
        let text: Arc<str> = Arc::from("text");
        let pinned = Arc::pin(1);
        let (tx, rx) = std::sync::mpsc::channel();
        thread::spawn(move || tx.send((any, text, pinned)).unwrap());
        let (any, text, pinned) = rx.recv().unwrap();
        assert_eq!((any(), &*text, *pinned), (7, "text", 1));
    }
}
