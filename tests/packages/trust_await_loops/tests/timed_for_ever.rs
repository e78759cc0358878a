use std::sync::{Condvar, Mutex, mpsc};
use std::thread;
use std::time::Duration;
const A_MOMENT: Duration = Duration::from_millis(10);
#[test]
fn recv_timeout_for_ever() {
    let (s, r) = mpsc::channel::<()>();
    let t = thread::spawn(move || while r.recv_timeout(A_MOMENT).is_err() {});
    t.join().unwrap();
    drop(s);
}
#[test]
fn wait_timeout_while_for_ever() {
    let (on, changed) = (Mutex::new(false), Condvar::new());
    let wait = || changed.wait_timeout_while(on.lock().unwrap(), A_MOMENT, |on| !*on).unwrap();
    while wait().1.timed_out() {}
}
