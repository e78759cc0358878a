//! An allocator with memory of its own, which it never gives out twice.
use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread::spawn;

const ROOM: usize = 1 << 20;
struct Pool(UnsafeCell<[u8; ROOM]>, AtomicUsize);
// SAFETY: each block is another part of it.
unsafe impl Sync for Pool {}
#[global_allocator]
static POOL: Pool = Pool(UnsafeCell::new([0; ROOM]), AtomicUsize::new(0));
// SAFETY: as above; they are aligned.
unsafe impl GlobalAlloc for Pool {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let at = self.1.fetch_add(layout.size() + layout.align(), Relaxed);
        if at + layout.size() + layout.align() > ROOM {
            return std::ptr::null_mut();
        }
        let begin = self.0.get().cast::<u8>().wrapping_add(at);
        begin.wrapping_add(begin.align_offset(layout.align()))
    }
    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
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
