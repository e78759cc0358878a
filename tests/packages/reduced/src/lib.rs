//! Two threads that use one thing of std each, small enough for every interleaving to be run.

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
    use std::sync::{Barrier, Mutex, Once, OnceLock, RwLock, mpsc};
    use std::thread;

    #[test]
    fn read_write_lock() {
        let lock = RwLock::new(0);
        thread::scope(|s| {
            s.spawn(|| *lock.write().unwrap() += 1);
            let _ = *lock.read().unwrap();
        });
    }

    #[test]
    fn once() {
        let (once, cell) = (Once::new(), OnceLock::new());
        thread::scope(|s| {
            s.spawn(|| once.call_once(|| cell.set(1).unwrap()));
            once.call_once(|| cell.set(2).unwrap());
        });
    }

    #[test]
    fn channel() {
        let (sender, receiver) = mpsc::channel();
        let other = thread::spawn(move || sender.send(1).unwrap());
        assert_eq!(receiver.recv(), Ok(1));
        other.join().unwrap();
    }

    #[test]
    fn park() {
        let flag = AtomicBool::new(false);
        let me = thread::current();
        thread::scope(|s| {
            s.spawn(|| {
                flag.store(true, SeqCst);
                me.unpark();
            });
            while !flag.load(SeqCst) {
                thread::park();
            }
        });
    }

    #[test]
    fn barrier() {
        let barrier = Barrier::new(2);
        thread::scope(|s| {
            s.spawn(|| barrier.wait());
            barrier.wait();
        });
    }

    #[test]
    fn poison() {
        let mutex = Mutex::new(0);
        thread::scope(|s| {
            let thread = s.spawn(|| {
                let _guard = mutex.lock().unwrap();
                panic!("poisons");
            });
            let _ = mutex.is_poisoned();
            assert!(thread.join().is_err());
        });
        assert!(mutex.is_poisoned());
    }

    /// A scoped thread drops the handle of another one, which it started.
    #[test]
    fn scope_of_several() {
        let flag = AtomicBool::new(false);
        thread::scope(|s| {
            let flag = &flag;
            s.spawn(move || drop(s.spawn(move || flag.store(true, SeqCst))));
            flag.load(SeqCst);
        });
        assert!(flag.load(SeqCst));
    }

    /// ... or joins one that the scope's own thread started.
    #[test]
    fn handle_that_moves() {
        let flag = AtomicBool::new(false);
        thread::scope(|s| {
            let first = s.spawn(|| flag.store(true, SeqCst));
            s.spawn(|| first.join().unwrap());
            flag.load(SeqCst);
        });
    }
}
