//! Treiber's stack, by hand, with the mistake that everybody makes first.
//!
//! [`Stack::pop`] gives its node back at once. Another `pop` that has read `head` before still holds a pointer to
//! the node, and reads `next` of memory that is no node any more. [`Stack::pop_and_retire`] keeps what it took
//! out until nobody can look at it: until the stack is dropped.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering::*};

/// One value, and what lies below it.
struct Node {
    value: u32,
    next: *mut Node,
    /// Among those that were taken out: the one before it.
    retired: *mut Node,
}

/// A stack of numbers without a lock.
#[derive(Default)]
pub struct Stack {
    head: AtomicPtr<Node>,
    /// What was taken out and is not given back yet.
    retired: AtomicPtr<Node>,
}

impl Stack {
    /// Puts a value on top.
    pub fn push(&self, value: u32) {
        let node = Box::into_raw(Box::new(Node { value, next: ptr::null_mut(), retired: ptr::null_mut() }));
        let mut head = self.head.load(Relaxed);
        loop {
            // SAFETY: nobody else knows the node yet.
            unsafe { (*node).next = head };
            match self.head.compare_exchange(head, node, Release, Relaxed) {
                Ok(_) => return,
                Err(now) => head = now,
            }
        }
    }

    /// Takes the topmost value off. Unsound: two threads may do so at once.
    pub fn pop(&self) -> Option<u32> {
        let node = self.take()?;
        // SAFETY: none. Whoever read `head` before may still look at the node.
        let node = unsafe { Box::from_raw(node) };
        let value = node.value;
        drop(node);
        Some(value)
    }

    /// Takes the topmost value off, and keeps its node.
    pub fn pop_and_retire(&self) -> Option<u32> {
        let node = self.take()?;
        self.retire(node);
        // SAFETY: the node stays until the stack is dropped.
        Some(unsafe { (*node).value })
    }

    fn take(&self) -> Option<*mut Node> {
        loop {
            let head = self.head.load(Acquire);
            if head.is_null() {
                return None;
            }
            // SAFETY: it is a node for as long as nobody gives it back.
            let next = unsafe { (*head).next };
            if self.head.compare_exchange(head, next, Acquire, Relaxed).is_ok() {
                return Some(head);
            }
        }
    }

    fn retire(&self, node: *mut Node) {
        let mut before = self.retired.load(Relaxed);
        loop {
            // SAFETY: whoever took it out alone writes this field.
            unsafe { (*node).retired = before };
            match self.retired.compare_exchange(before, node, Release, Relaxed) {
                Ok(_) => return,
                Err(now) => before = now,
            }
        }
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        let (mut node, mut retired) = (*self.head.get_mut(), *self.retired.get_mut());
        // SAFETY: nobody else has the stack any more, and a node is in one of the two lists.
        unsafe {
            while !node.is_null() {
                node = Box::from_raw(node).next;
            }
            while !retired.is_null() {
                retired = Box::from_raw(retired).retired;
            }
        }
    }
}

// SAFETY: what it points to is numbers. (Of `pop` this is not true.)
unsafe impl Send for Stack {}
// SAFETY: as above.
unsafe impl Sync for Stack {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    /// Two threads take one value each off a stack of two.
    fn two_take(pop: fn(&Stack) -> Option<u32>) {
        let stack = Stack::default();
        stack.push(1);
        stack.push(2);
        let mut taken = thread::scope(|s| {
            let first = s.spawn(|| pop(&stack));
            let second = s.spawn(|| pop(&stack));
            [first.join().unwrap(), second.join().unwrap()]
        });
        taken.sort();
        assert_eq!(taken, [Some(1), Some(2)]);
    }

    #[test]
    fn pop_gives_back_at_once() {
        two_take(Stack::pop);
    }

    #[test]
    fn pop_gives_back_in_the_end() {
        two_take(Stack::pop_and_retire);
    }
}
