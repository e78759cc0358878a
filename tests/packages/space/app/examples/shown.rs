//! An example that is a program.
fn main() {
    let seen = soft::shared(1);
    let other = seen.clone();
    let thread = std::thread::spawn(move || other.with(|v| **v *= 2));
    seen.with(|v| **v += 1);
    thread.join().unwrap();
    // Wrong: the doubling may come first.
    assert_eq!(seen.with(|v| **v), 4);
}
