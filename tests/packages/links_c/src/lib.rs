//! A test of a package with a dependency that links libc.

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::thread;

    #[test]
    fn two_threads_add() {
        static SUM: AtomicU32 = AtomicU32::new(0);
        assert!(plain::id() > 0);
        let other = thread::spawn(|| SUM.fetch_add(1, Ordering::SeqCst));
        SUM.fetch_add(1, Ordering::SeqCst);
        other.join().unwrap();
        assert_eq!(SUM.load(Ordering::SeqCst), 2);
    }
}
