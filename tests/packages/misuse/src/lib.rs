//! Memory that unsafe code gives back too early, or twice.

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::SeqCst};
    use std::sync::{Arc, Mutex};
    use std::thread;

    /// A counter that is shared by a plain pointer.
    struct Shared(*mut AtomicUsize);

    unsafe impl Send for Shared {}
    unsafe impl Sync for Shared {}

    fn shared() -> Arc<Mutex<Shared>> {
        Arc::new(Mutex::new(Shared(Box::into_raw(Box::new(AtomicUsize::new(0)))))) // made
    }

    /// Under a lock, but used after it.
    #[test]
    fn an_atomic_is_used_after_its_box_is_gone() {
        let shared = shared();
        let other = shared.clone();
        let t = thread::spawn(move || {
            let given = other.lock().unwrap();
            unsafe { drop(Box::from_raw(given.0)) }; // gone
        });
        t.join().unwrap();
        let given = shared.lock().unwrap();
        unsafe { (*given.0).fetch_add(1, SeqCst) }; // used
    }

    #[test]
    fn a_box_is_dropped_twice() {
        let shared = shared();
        let other = shared.clone();
        let t = thread::spawn(move || {
            let given = other.lock().unwrap();
            unsafe { drop(Box::from_raw(given.0)) };
        });
        {
            let given = shared.lock().unwrap();
            unsafe { drop(Box::from_raw(given.0)) }; // first
        }
        t.join().unwrap();
    }

    /// Who takes it out gives it back, once.
    #[test]
    fn whoever_takes_it_out_drops_it() {
        let slot = Arc::new(AtomicPtr::new(Box::into_raw(Box::new(AtomicUsize::new(0)))));
        let take = |slot: Arc<AtomicPtr<AtomicUsize>>| {
            let mine = slot.swap(std::ptr::null_mut(), SeqCst);
            if !mine.is_null() {
                let mine = unsafe { Box::from_raw(mine) };
                mine.fetch_add(1, SeqCst);
            }
        };
        let other = slot.clone();
        let t = thread::spawn(move || take(other));
        take(slot);
        t.join().unwrap();
    }

    /// Two threads fill a cache that both find empty: one box is lost.
    #[test]
    fn a_box_is_lost_in_some_orders() {
        let cache = Arc::new(AtomicPtr::new(std::ptr::null_mut::<u64>()));
        let fill = |cache: &AtomicPtr<u64>| {
            if cache.load(SeqCst).is_null() {
                cache.store(Box::into_raw(Box::new(7)), SeqCst); // filled
            }
        };
        let other = cache.clone();
        let t = thread::spawn(move || fill(&other));
        fill(&cache);
        t.join().unwrap();
        unsafe { drop(Box::from_raw(cache.load(SeqCst))) };
    }

    /// Whatever the schedule: on purpose.
    #[test]
    fn a_box_is_leaked_on_purpose() {
        let counter: &'static AtomicUsize = Box::leak(Box::new(AtomicUsize::new(0)));
        let t = thread::spawn(move || counter.fetch_add(1, SeqCst));
        counter.fetch_add(1, SeqCst);
        t.join().unwrap();
        assert_eq!(counter.load(SeqCst), 2);
    }
}
