//! Five threads, of which two take their locks in opposite orders while the other three go on; and the same
//! where they take them in one order.

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
    use std::sync::{Arc, Mutex};
    use std::thread;

    fn transfer(from: &Mutex<i32>, to: &Mutex<i32>) {
        let mut from = from.lock().unwrap();
        let mut to = to.lock().unwrap(); // waits
        *from -= 1;
        *to += 1;
    }

    /// Nobody looks at the two that transfer any more.
    fn five_threads(in_order: bool) {
        let accounts = Arc::new([Mutex::new(5), Mutex::new(5)]);
        for back in [false, true] {
            let accounts = accounts.clone();
            thread::spawn(move || match back && !in_order {
                false => transfer(&accounts[0], &accounts[1]),
                true => transfer(&accounts[1], &accounts[0]),
            });
        }
        let seen = [const { AtomicU32::new(0) }; 3];
        thread::scope(|scope| {
            for seen in &seen {
                scope.spawn(|| seen.fetch_add(1, SeqCst));
            }
        });
        assert!(seen.iter().all(|seen| seen.load(SeqCst) == 1));
    }

    #[test]
    fn transfers_both_ways() {
        five_threads(false);
    }

    #[test]
    fn transfers_in_order() {
        five_threads(true);
    }
}
