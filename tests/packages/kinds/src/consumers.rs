//! Two consumers and one item: to notify both would help nobody.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex};

#[test]
fn one_item_for_two() {
    let (items, filled) = (Mutex::new(VecDeque::new()), Condvar::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut items = items.lock().unwrap();
                while items.is_empty() {
                    items = filled.wait(items).unwrap();
                }
                items.pop_front()
            });
        }
        items.lock().unwrap().push_back(1);
        filled.notify_one();
    });
}
