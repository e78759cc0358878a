use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;
#[test]
fn timed_wait_loop() {
    let p = Arc::new((Mutex::new(false), Condvar::new()));
    let q = p.clone();
    let t = thread::spawn(move || {
        let mut g = q.0.lock().unwrap();
        while !*g {
            g = q.1.wait_timeout(g, Duration::from_secs(10)).unwrap().0;
        }
    });
    *p.0.lock().unwrap() = true;
    p.1.notify_one();
    t.join().unwrap();
}
#[test]
fn park_timeout_loop() {
    use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
    let f = Arc::new(AtomicBool::new(false));
    let g = f.clone();
    let t = thread::spawn(move || {
        while !g.load(SeqCst) {
            thread::park_timeout(Duration::from_millis(10));
        }
    });
    f.store(true, SeqCst);
    t.thread().unpark();
    t.join().unwrap();
}
#[test]
fn sleep_loop() {
    let f = Arc::new(Mutex::new(false));
    let g = f.clone();
    let t = thread::spawn(move || {
        while !*g.lock().unwrap() {
            thread::sleep(Duration::from_millis(10));
        }
    });
    *f.lock().unwrap() = true;
    t.join().unwrap();
}
#[test]
fn try_recv_loop() {
    let (s, r) = std::sync::mpsc::channel();
    let t = thread::spawn(move || loop {
        if let Ok(v) = r.try_recv() {
            return v;
        }
        thread::yield_now();
    });
    s.send(1).unwrap();
    assert_eq!(t.join().unwrap(), 1);
}
fn receive_all(receiver: std::sync::mpsc::Receiver<i32>, mut wanted: i32) {
    use std::sync::mpsc::RecvTimeoutError::Timeout;
    while wanted > 0 {
        match receiver.recv_timeout(Duration::from_millis(10)) {
            Ok(n) => wanted -= n,
            Err(Timeout) => continue,
            Err(e) => panic!("{e}"),
        }
    }
}
#[test]
fn recv_timeout_loop() {
    let (s, r) = std::sync::mpsc::channel();
    let t = thread::spawn(move || receive_all(r, 1));
    s.send(1).unwrap();
    t.join().unwrap();
}
#[test]
fn recv_timeout_loop_of_two_senders() {
    let (s, r) = std::sync::mpsc::sync_channel(2);
    let senders = [1, 2].map(|n| {
        let s = s.clone();
        thread::spawn(move || s.send(n).unwrap())
    });
    receive_all(r, 3);
    senders.map(|t| t.join().unwrap());
}
#[test]
fn wait_timeout_while_loop() {
    let p = Arc::new((Mutex::new(false), Condvar::new()));
    let q = p.clone();
    let t = thread::spawn(move || {
        *q.0.lock().unwrap() = true;
        q.1.notify_one();
    });
    let wait = || p.1.wait_timeout_while(p.0.lock().unwrap(), Duration::from_millis(10), |on| !*on).unwrap();
    while wait().1.timed_out() {}
    t.join().unwrap();
}
