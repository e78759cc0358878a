//! serde: its implementations for types of std that the facade has in its place.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Mutex, RwLock};
use std::thread;

type Shared = (AtomicU32, Mutex<Vec<String>>, RwLock<u32>);

/// What is written is what is there, and can be read back.
#[test]
fn right_written_and_read_back() {
    let shared = Shared::default();
    thread::scope(|s| {
        s.spawn(|| shared.1.lock().unwrap().push("a".into()));
        s.spawn(|| shared.0.fetch_add(1, SeqCst));
    });
    let text = serde_json::to_string(&shared).unwrap();
    assert_eq!(text, r#"[1,["a"],0]"#);
    let back: Shared = serde_json::from_str(&text).unwrap();
    assert_eq!(back.0.into_inner(), 1);
}

/// A structure is not written in one step.
#[test]
fn wrong_a_consistent_picture() {
    let shared = Shared::default();
    let text = thread::scope(|s| {
        s.spawn(|| {
            shared.1.lock().unwrap().push("a".into());
            shared.0.fetch_add(1, SeqCst);
        });
        serde_json::to_string(&shared).unwrap()
    });
    assert!(!text.starts_with(r#"[0,["a"]"#), "{text}");
}
