//! A counter of visitors that remembers its highest value.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

#[derive(Default)]
pub struct Visitors {
    now: Mutex<u32>,
    most: AtomicU32,
}

impl Visitors {
    pub fn enter(&self) {
        let now = {
            let mut now = self.now.lock().unwrap();
            *now += 1;
            *now
        };
        if now > self.most.load(Ordering::SeqCst) {
            self.most.store(now, Ordering::SeqCst);
        }
    }

    pub fn most(&self) -> u32 {
        self.most.load(Ordering::SeqCst)
    }
}

#[test]
fn two_visitors() {
    let visitors = Visitors::default();
    std::thread::scope(|scope| {
        scope.spawn(|| visitors.enter());
        scope.spawn(|| visitors.enter());
    });
    assert_eq!(visitors.most(), 2);
}
