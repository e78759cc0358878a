//! Elements of collections: only one is used, or two that do not lie side by side.
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;

struct Table {
    slots: Vec<Mutex<u32>>,
    hits: Vec<AtomicU32>,
}

impl Table {
    fn new() -> Arc<Self> {
        Arc::new(Table {
            slots: (0..4).map(Mutex::new).collect(),
            hits: (0..4).map(|_| AtomicU32::new(0)).collect(),
        })
    }

    fn swap(&self, a: usize, b: usize) {
        let mut first = self.slots[a].lock().unwrap();
        let mut then = self.slots[b].lock().unwrap();
        std::mem::swap(&mut *first, &mut *then);
    }

    fn hit(&self, i: usize) {
        let n = self.hits[i].load(SeqCst);
        self.hits[i].store(n + 1, SeqCst);
    }
}

#[test]
fn swaps_both_ways() {
    let table = Table::new();
    let other = table.clone();
    let t = thread::spawn(move || other.swap(0, 2));
    table.swap(2, 0);
    t.join().unwrap();
}

#[test]
fn hits_one() {
    let table = Table::new();
    let other = table.clone();
    let t = thread::spawn(move || other.hit(3));
    table.hit(3);
    t.join().unwrap();
    assert_eq!(table.hits[3].load(SeqCst), 2);
}
