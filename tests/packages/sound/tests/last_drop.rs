//! What nobody orders decides what a thread does: who drops the last `Arc` frees its memory, who opens a file first has the lower
//! descriptor.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;

/// A block of the size of the other one.
struct Own {
    word: AtomicU64,
    _room: [u64; 5],
}

#[test]
fn memory_of_who_drops_last() {
    static FLAG: AtomicU64 = AtomicU64::new(0);
    let shared = Arc::new([0u64; 4]);
    let theirs = shared.clone();
    let t = thread::spawn(move || {
        drop(theirs);
        let own = Box::new(Own { word: AtomicU64::new(0), _room: [0; 5] });
        own.word.store(1, SeqCst);
        FLAG.store(1, SeqCst);
    });
    FLAG.load(SeqCst);
    drop(shared);
    t.join().unwrap();
}

/// What it held goes with it.
#[test]
fn memory_of_what_it_held() {
    static FLAG: AtomicU64 = AtomicU64::new(0);
    let shared = Arc::new(vec![1u64; 6]);
    let theirs = shared.clone();
    let t = thread::spawn(move || {
        drop(theirs);
        let own = Box::new(Own { word: AtomicU64::new(0), _room: [0; 5] });
        own.word.store(1, SeqCst);
        FLAG.store(1, SeqCst);
    });
    FLAG.load(SeqCst);
    drop(shared);
    t.join().unwrap();
}

/// The same where nothing was allocated between making and dropping it.
#[test]
fn memory_of_what_is_dropped_at_once() {
    static SHARED: Mutex<Option<Arc<[u64; 4]>>> = Mutex::new(None);
    static FLAGS: [AtomicU64; 2] = [AtomicU64::new(0), AtomicU64::new(0)];
    let t = thread::spawn(|| {
        let theirs = SHARED.lock().unwrap().take();
        FLAGS.iter().for_each(|flag| flag.store(1, SeqCst));
        drop(theirs);
    });
    let shared = Arc::new([0u64; 4]);
    *SHARED.lock().unwrap() = Some(shared.clone());
    FLAGS[0].load(SeqCst);
    drop(shared);
    let own = Box::new(Own { word: AtomicU64::new(0), _room: [0; 5] });
    own.word.store(1, SeqCst);
    FLAGS[1].load(SeqCst);
    t.join().unwrap();
}

/// Who opens a file first has the lower descriptor, and opening is no step.
#[test]
fn a_descriptor_of_who_opens_first() {
    static WORDS: [AtomicU64; 2] = [AtomicU64::new(0), AtomicU64::new(0)];
    static FLAG: AtomicU64 = AtomicU64::new(0);
    let t = thread::spawn(|| {
        let file = File::open("/dev/null").unwrap();
        WORDS[file.as_raw_fd() as usize % 2].store(1, SeqCst);
        FLAG.store(1, SeqCst);
    });
    FLAG.load(SeqCst);
    let file = File::open("/dev/null").unwrap();
    t.join().unwrap();
    drop(file);
}
