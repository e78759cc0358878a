//! Owners of owners: nothing here can race or be used behind its end. The tests are drawn by `tests/tests/all/trust/safe_owners.rs`.

#![cfg(test)]
#![allow(unused)]

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex, Weak};
use std::task::{Wake, Waker};
use std::thread::spawn;

static GO: [AtomicU32; 2] = [AtomicU32::new(0), AtomicU32::new(0)];

struct Node {
    value: AtomicU32,
    owns: Vec<Arc<Node>>,
    boxed: Option<Box<Arc<Node>>>,
}

impl Node {
    /// Without unsafe code in the program nobody would watch its accesses.
    fn load(&self) -> u32 {
        let value: *const AtomicU32 = &self.value;
        // SAFETY: it points to what is borrowed.
        unsafe { (*value).load(SeqCst) }
    }
}

impl Node {
    fn owned(&self) -> impl Iterator<Item = &Node> {
        self.owns.iter().chain(self.boxed.as_deref()).map(|node| &**node)
    }
}

impl Wake for Node {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref()
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.owned().for_each(|node| drop(node.load()));
    }
}

fn node(owns: &[&Arc<Node>]) -> Arc<Node> {
    let (first, rest) = match owns {
        [first, rest @ ..] if rest.len() == 1 => (Some(Box::new((*first).clone())), rest),
        all => (None, all),
    };
    let owns = rest.iter().map(|node| (*node).clone()).collect();
    Arc::new(Node { value: AtomicU32::new(0), owns, boxed: first })
}
