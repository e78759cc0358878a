//! Without a harness: the program is the test.
fn main() {
    let threads: Vec<_> = (0..2)
        .map(|n| std::thread::spawn(move || app::LOG.lock().unwrap().push(n)))
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    // Wrong: the order is not given.
    assert_eq!(*app::LOG.lock().unwrap(), [0, 1]);
}
