//! Panics of other threads that end a test by way of main, and an address that the system tells.

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use std::sync::{Arc, Mutex};
    use std::thread;

    /// The first panic is nobody's failure.
    #[test]
    fn second_of_two() {
        let left = Arc::new(Mutex::new(1));
        let takes = |left: &Arc<Mutex<i32>>| {
            let left = left.clone();
            thread::spawn(move || {
                let mut left = left.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                *left -= 1;
                assert!(*left > 0, "nothing left"); // panics
            })
        };
        let (ignored, looked_at) = (takes(&left), takes(&left));
        let _ = ignored.join();
        looked_at.join().unwrap(); // passes it on
    }

    #[test]
    fn through_another_thread() {
        let outer = thread::spawn(|| {
            let inner = thread::spawn(|| panic!("deep inside")); // panics inside
            inner.join().unwrap();
        });
        outer.join().unwrap(); // at the end
    }

    #[test]
    fn of_a_scope() {
        let n = AtomicUsize::new(0);
        thread::scope(|scope| {
            scope.spawn(|| {
                let before = n.load(SeqCst);
                assert_eq!(before, n.load(SeqCst), "changed in between"); // panics in a scope
            });
            n.store(1, SeqCst);
        });
    }

    #[test]
    fn handed_on() {
        let thread = thread::spawn(|| panic!("handed on")); // panics and is handed on
        if let Err(panic) = thread.join() {
            std::panic::resume_unwind(panic);
        }
    }

    /// Main's own panic is main's, though another thread has panicked before.
    #[test]
    fn of_main() {
        let _ = thread::spawn(|| panic!("nobody's failure")).join();
        panic!("of main"); // main panics
    }

    /// Enough state that its pages are watched rather than copied.
    static STATE: [AtomicUsize; 1 << 20] = [const { AtomicUsize::new(0) }; 1 << 20];

    #[test]
    fn an_address() {
        STATE[0].store(1, SeqCst);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        assert_ne!(listener.local_addr().unwrap().port(), 0);
    }
}
