//! Two threads count with a load and a store, and an update gets lost; with `fetch_add` none does.

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
    use std::thread;

    fn count_by(increment: fn(&AtomicU32)) -> u32 {
        let counter = AtomicU32::new(0);
        thread::scope(|s| {
            s.spawn(|| increment(&counter));
            s.spawn(|| increment(&counter));
        });
        counter.load(SeqCst)
    }

    #[test]
    fn load_then_store() {
        let count = count_by(|counter| {
            let now = counter.load(SeqCst);
            counter.store(now + 1, SeqCst);
        });
        assert_eq!(count, 2, "an update is lost");
    }

    #[test]
    fn fetch_add() {
        let count = count_by(|counter| {
            counter.fetch_add(1, SeqCst);
        });
        assert_eq!(count, 2);
    }
}
