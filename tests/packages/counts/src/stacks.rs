//! Stacks of nodes that are numbers: 0 is none, and node n has its next in `next[n]`.

use crate::threads::run_all;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;

struct Stack {
    top: AtomicUsize,
    next: Vec<AtomicUsize>,
}

impl Stack {
    fn push(&self, node: usize) {
        let mut old = self.top.load(SeqCst);
        loop {
            self.next[node].store(old, SeqCst);
            match self.top.compare_exchange(old, node, SeqCst, SeqCst) {
                Ok(_) => return,
                Err(is) => old = is,
            }
        }
    }

    fn pop(&self) -> usize {
        let mut old = self.top.load(SeqCst);
        while old != 0 {
            let next = self.next[old].load(SeqCst);
            match self.top.compare_exchange(old, next, SeqCst, SeqCst) {
                Ok(_) => break,
                Err(is) => old = is,
            }
        }
        old
    }
}

/// Each thread pushes its own node, then pops one.
fn treiber(t: usize) {
    let next = (0..=t).map(|_| AtomicUsize::new(0)).collect();
    run_all(t, Stack { top: AtomicUsize::new(0), next }, |stack, id| {
        stack.push(id + 1);
        stack.pop();
    });
}

#[test]
fn treiber_2() {
    treiber(2);
}

#[test]
fn treiber_3() {
    treiber(3);
}

/// 1→2; one thread pops; the other does a = pop, b = pop, push a; no node may be owned twice.
#[test]
fn aba() {
    let next = [0, 2, 0].map(AtomicUsize::new).into();
    let stack = Arc::new(Stack { top: AtomicUsize::new(1), next });
    let one = thread::spawn({
        let stack = stack.clone();
        move || stack.pop()
    });
    let two = thread::spawn({
        let stack = stack.clone();
        move || {
            let a = stack.pop();
            let b = stack.pop();
            if a != 0 {
                stack.push(a);
            }
            b
        }
    });
    let mut owned = vec![one.join().unwrap(), two.join().unwrap()];
    loop {
        let node = stack.pop();
        owned.push(node);
        if node == 0 {
            break;
        }
        assert!(owned.iter().filter(|n| **n == node).count() < 2, "node {node} is owned twice");
    }
}
