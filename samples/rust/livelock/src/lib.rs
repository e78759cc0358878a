//! Two threads want two locks each. With `try_lock` nobody blocks, and yet nobody may get on: if each
//! keeps its own lock while it tries for the other's, both go round for ever, a livelock. In one
//! order for all they get on.

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::thread;

    /// Takes both locks, polling for the second.
    fn eat(first: &Mutex<u32>, second: &Mutex<u32>) {
        let mut own = first.lock().unwrap();
        loop {
            if let Ok(mut other) = second.try_lock() {
                *own += 1;
                *other += 1;
                return;
            }
            thread::yield_now();
        }
    }

    #[test]
    fn each_keeps_its_own() {
        let (left, right) = (Mutex::new(0), Mutex::new(0));
        thread::scope(|s| {
            s.spawn(|| eat(&left, &right));
            s.spawn(|| eat(&right, &left));
        });
        assert_eq!(*left.lock().unwrap(), 2);
    }

    #[test]
    fn one_order_for_all() {
        let (left, right) = (Mutex::new(0), Mutex::new(0));
        thread::scope(|s| {
            s.spawn(|| eat(&left, &right));
            s.spawn(|| eat(&left, &right));
        });
        assert_eq!(*left.lock().unwrap(), 2);
    }
}
