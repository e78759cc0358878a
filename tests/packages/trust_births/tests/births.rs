//! Threads that create threads at the same time.
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::Arc;
use std::thread;

fn parents<F: Fn() + Clone + Send + 'static>(count: usize, parent: F) {
    let parents: Vec<_> = (0..count).map(|_| thread::spawn(parent.clone())).collect();
    parents.into_iter().for_each(|parent| parent.join().unwrap());
}

// Nothing depends on the order of births and joins: one class.
#[test]
fn nested() {
    parents(3, || thread::spawn(|| ()).join().unwrap());
}

#[test]
fn nested_scopes() {
    thread::scope(|outer| {
        for _ in 0..2 {
            outer.spawn(|| thread::scope(|inner| drop(inner.spawn(|| ()))));
        }
    });
}

// Each child waits for its own token. Parents and children take turns, so that either child may be created first: six orders of
// two turns of one pair and two of the other.
#[test]
fn tokens() {
    let turns = Arc::new(AtomicUsize::new(0));
    parents(2, move || {
        let turns = turns.clone();
        turns.fetch_add(1, SeqCst);
        let child = thread::spawn(move || {
            thread::park();
            turns.fetch_add(1, SeqCst);
        });
        child.thread().unpark();
        child.join().unwrap();
    });
}

// A parent waits for its token, which its child sets.
#[test]
fn tokens_of_parents() {
    let turns = Arc::new(AtomicUsize::new(0));
    parents(2, move || {
        let (parent, turns) = (thread::current(), turns.clone());
        turns.fetch_add(1, SeqCst);
        let child = thread::spawn(move || {
            turns.fetch_add(1, SeqCst);
            parent.unpark();
        });
        thread::park();
        child.join().unwrap();
    });
}

// Each parent asks before its child has ended, or behind that: four classes.
#[test]
fn ends() {
    parents(2, || {
        let child = thread::spawn(|| ());
        if !child.is_finished() {
            child.join().unwrap();
        }
    });
}

// Two children add to one counter, in either order.
#[test]
fn one_counter() {
    let counter = Arc::new(AtomicUsize::new(0));
    let seen = counter.clone();
    parents(2, move || {
        let counter = counter.clone();
        thread::spawn(move || counter.fetch_add(1, SeqCst)).join().unwrap();
    });
    assert_eq!(seen.load(SeqCst), 2);
}

// The visitor has to look before the doorman opens, and be early before the guard looks: the second parent's child before the
// first parent has created its own.
fn visit(is_open: bool) {
    let (open, early) = (Arc::new(AtomicBool::new(is_open)), Arc::new(AtomicBool::new(false)));
    let doorman = {
        let (open, early) = (open.clone(), early.clone());
        thread::spawn(move || {
            open.store(true, SeqCst);
            thread::spawn(move || assert!(!early.load(SeqCst), "early")).join().unwrap();
        })
    };
    let guide = thread::spawn(move || {
        let visitor = move || {
            if !open.load(SeqCst) {
                early.store(true, SeqCst);
            }
        };
        thread::spawn(visitor).join().unwrap();
    });
    guide.join().unwrap();
    doorman.join().unwrap();
}
#[test]
fn order_of_births() {
    visit(false)
}
#[test]
fn order_of_births_fixed() {
    visit(true)
}

// The numbers that std gives to threads follow the order of births, of which one is run.
#[test]
fn numbers() {
    parents(2, || assert!(format!("{:?}", thread::spawn(|| thread::current().id()).join().unwrap()).len() > 9));
}
