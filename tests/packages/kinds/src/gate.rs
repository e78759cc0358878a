//! Two threads wait for one flag, and one notify reaches one of them.

use std::sync::{Condvar, Mutex};

#[test]
fn gate_one() {
    let (open, opened) = (Mutex::new(false), Condvar::new());
    std::thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| {
                let mut o = open.lock().unwrap();
                while !*o {
                    o = opened.wait(o).unwrap();
                }
            });
        }
        *open.lock().unwrap() = true;
        opened.notify_one();
    });
}
