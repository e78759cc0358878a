//! fastrand: its global functions, and generators that a test seeds itself.

use std::sync::Mutex;

/// Two threads put something into one of three queues each.
#[test]
fn fast_queues() {
    let queues: [Mutex<Vec<u32>>; 3] = Default::default();
    let put = |number| queues[fastrand::usize(..3)].lock().unwrap().push(number);
    std::thread::scope(|scope| {
        scope.spawn(|| put(1));
        put(2);
    });
    assert!(queues.iter().all(|queue| *queue.lock().unwrap() != [1, 2]), "the same queue, the thread first");
}

#[test]
fn fast_shuffle() {
    let mut numbers = [1, 2, 3];
    fastrand::shuffle(&mut numbers);
    assert_ne!(numbers, [3, 2, 1]);
}

#[test]
fn fast_first() {
    assert!(fastrand::bool());
}

#[test]
fn fast_last() {
    assert!(!fastrand::bool());
}

#[test]
fn fast_large() {
    assert!(fastrand::usize(..1000) < 1000);
}

/// What a test seeds gives one row of numbers.
#[test]
fn fast_seeded() {
    fastrand::seed(7);
    let number = fastrand::usize(..6);
    fastrand::seed(7);
    assert_eq!(fastrand::usize(..6), number);
    let two = || fastrand::Rng::with_seed(7).usize(..6);
    assert_eq!(two(), two());
}
