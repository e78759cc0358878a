//! An allocator that counts what is given back, between the last decrement and the free.
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread::spawn;

struct Counting;
static GIVEN_BACK: AtomicUsize = AtomicUsize::new(0);
#[global_allocator]
static ALLOCATOR: Counting = Counting;
// SAFETY: as that of the system.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        GIVEN_BACK.fetch_add(layout.size(), Relaxed);
        unsafe { System.dealloc(block, layout) }
    }
}

struct Plain(UnsafeCell<u32>);
// SAFETY: none; `wrong_behind` races.
unsafe impl Sync for Plain {}
impl Plain {
    fn set(&self, n: u32) {
        unsafe { *self.0.get() = n }
    }
}

#[test]
fn wrong_behind() {
    static SEEN: Plain = Plain(UnsafeCell::new(0));
    let a = Arc::new(1);
    let b = a.clone();
    let t = spawn(move || {
        drop(b);
        SEEN.set(2)
    });
    SEEN.set(1);
    drop(a);
    t.join().unwrap();
}
#[test]
fn right_in_the_block() {
    let a = Arc::new((Plain(UnsafeCell::new(0)), vec![1]));
    let b = a.clone();
    let t = spawn(move || b.0.set(1));
    drop(a);
    t.join().unwrap();
}
#[test]
fn right_weak() {
    let a = Arc::new(1);
    let w = Arc::downgrade(&a);
    let t = spawn(move || w.upgrade().is_none_or(|a| *a == 1));
    drop(a);
    assert!(t.join().unwrap());
}
