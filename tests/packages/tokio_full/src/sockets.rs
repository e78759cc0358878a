//! Threads of std's that are connected by sockets.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::Duration;

#[test]
fn std_tcp() {
    let l = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = l.local_addr().unwrap();
    assert_ne!(at.port(), 0);
    let t = thread::spawn(move || {
        let (mut s, from) = l.accept().unwrap();
        let mut b = [0; 5];
        s.read_exact(&mut b).unwrap();
        s.write_all(&b).unwrap();
        from
    });
    let mut s = TcpStream::connect(at).unwrap();
    s.set_nodelay(true).unwrap();
    assert!(s.nodelay().unwrap());
    assert_eq!(s.peer_addr().unwrap(), at);
    s.write_all(b"hello").unwrap();
    let mut text = String::new();
    s.read_to_string(&mut text).unwrap();
    assert_eq!(text, "hello");
    assert_eq!(t.join().unwrap(), s.local_addr().unwrap());
}

#[test]
fn wrong_first_come() {
    let l = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = l.local_addr().unwrap();
    let ts: Vec<_> = [b"a", b"b"]
        .map(|n| {
            thread::spawn(move || {
                TcpStream::connect(at).unwrap().write_all(n).unwrap();
            })
        })
        .into();
    let mut got = String::new();
    for _ in 0..2 {
        l.accept().unwrap().0.read_to_string(&mut got).unwrap();
    }
    for t in ts {
        t.join().unwrap();
    }
    assert_eq!(got, "ab");
}

#[test]
fn wrong_before_the_listener() {
    let t = thread::spawn(|| {
        let l = TcpListener::bind("127.0.0.1:7000").unwrap();
        thread::sleep(Duration::from_secs(1));
        drop(l.accept());
    });
    thread::sleep(Duration::from_secs(1));
    TcpStream::connect("127.0.0.1:7000").unwrap();
    t.join().unwrap();
}

/// A client may come before the listener is dropped.
#[test]
fn wrong_behind_the_listener() {
    let l = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = l.local_addr().unwrap();
    let t = thread::spawn(move || drop(l));
    assert!(TcpStream::connect(at).is_err());
    t.join().unwrap();
}

#[test]
fn nobody_listens() {
    assert_eq!(TcpStream::connect("127.0.0.1:9").unwrap_err().kind(), std::io::ErrorKind::ConnectionRefused);
    let l = TcpListener::bind("[::1]:8000").unwrap();
    assert_eq!(TcpListener::bind("[::1]:8000").unwrap_err().kind(), std::io::ErrorKind::AddrInUse);
    drop(l);
    TcpListener::bind("[::1]:8000").unwrap();
}

#[test]
fn wrong_order_of_writes() {
    let (a, mut b) = UnixStream::pair().unwrap();
    let c = a.try_clone().unwrap();
    let one = thread::spawn(move || (&a).write_all(b"1").unwrap());
    let two = thread::spawn(move || (&c).write_all(b"2").unwrap());
    let mut text = String::new();
    b.read_to_string(&mut text).unwrap();
    one.join().unwrap();
    two.join().unwrap();
    assert_eq!(text, "12");
}

#[test]
fn ordered_writes() {
    let (a, mut b) = UnixStream::pair().unwrap();
    let c = a.try_clone().unwrap();
    let one = thread::spawn(move || (&a).write_all(b"1").unwrap());
    let two = thread::spawn(move || {
        one.join().unwrap();
        (&c).write_all(b"2").unwrap()
    });
    let mut text = String::new();
    b.read_to_string(&mut text).unwrap();
    two.join().unwrap();
    assert_eq!(text, "12");
}
