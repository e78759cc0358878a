//! A ring buffer for one producer and one consumer, in unsafe code: its consumer polls the producer's place through
//! functions of several depths, each with accesses that hooks tell of.

use std::cell::Cell;
use std::marker::PhantomData;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

pub struct Ring<T> {
    head: AtomicUsize,
    tail: AtomicUsize,
    start: *mut T,
    capacity: usize,
    owns: PhantomData<T>,
}

pub struct Producer<T> {
    ring: Arc<Ring<T>>,
    tail: Cell<usize>,
}

pub struct Consumer<T> {
    ring: Arc<Ring<T>>,
    head: Cell<usize>,
    tail: Cell<usize>,
}

unsafe impl<T: Send> Send for Producer<T> {}
unsafe impl<T: Send> Send for Consumer<T> {}

pub fn ring<T>(capacity: usize) -> (Producer<T>, Consumer<T>) {
    let start = ManuallyDrop::new(Vec::with_capacity(capacity)).as_mut_ptr();
    let (head, tail) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let ring = Arc::new(Ring { head, tail, start, capacity, owns: PhantomData });
    (Producer { ring: ring.clone(), tail: Cell::new(0) }, Consumer { ring, head: Cell::new(0), tail: Cell::new(0) })
}

impl<T> Ring<T> {
    unsafe fn slot(&self, at: usize) -> *mut T {
        unsafe { self.start.add(at % self.capacity) }
    }
}

impl<T> Drop for Ring<T> {
    fn drop(&mut self) {
        let (mut head, tail) = (*self.head.get_mut(), *self.tail.get_mut());
        while head != tail {
            unsafe { self.slot(head).drop_in_place() };
            head += 1;
        }
        unsafe { drop(Vec::from_raw_parts(self.start.cast::<MaybeUninit<T>>(), 0, self.capacity)) };
    }
}

impl<T> Producer<T> {
    pub fn push(&mut self, value: T) {
        let tail = self.tail.get();
        unsafe { self.ring.slot(tail).write(value) };
        self.ring.tail.store(tail + 1, Ordering::SeqCst);
        self.tail.set(tail + 1);
    }
}

impl<T> Consumer<T> {
    pub fn pop(&mut self) -> Result<T, ()> {
        let Some(head) = self.next() else { return Err(()) };
        let value = unsafe { self.ring.slot(head).read() };
        self.ring.head.store(head + 1, Ordering::SeqCst);
        self.head.set(head + 1);
        Ok(value)
    }

    fn next(&self) -> Option<usize> {
        let head = self.head.get();
        if head == self.tail.get() {
            let tail = self.ring.tail.load(Ordering::SeqCst);
            self.tail.set(tail);
            if head == tail {
                return None;
            }
        }
        Some(head)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nothing;

    fn pass<T: Send + 'static>(steps: usize, make: fn() -> T) {
        let (mut p, mut c) = ring(50);
        let consumer = std::thread::spawn(move || {
            for _ in 0..steps {
                while c.pop().is_err() {}
            }
        });
        let producer = std::thread::spawn(move || {
            for _ in 0..steps {
                p.push(make());
            }
        });
        producer.join().unwrap();
        consumer.join().unwrap();
    }

    #[test]
    fn nothing() {
        pass(1, || Nothing);
    }

    #[test]
    fn numbers() {
        pass(1, || 1);
    }
}
