//! Sockets within the process.

use std::io::Write;
use std::thread;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream, UnixStream};

#[tokio::test]
async fn there_and_back() {
    let (mut client, mut server) = UnixStream::pair().unwrap();
    let task = tokio::spawn(async move {
        let mut text = [0; 4];
        server.read_exact(&mut text).await.unwrap();
        server.write_all(&text).await.unwrap();
    });
    client.write_all(b"ping").await.unwrap();
    let mut text = [0; 4];
    client.read_exact(&mut text).await.unwrap();
    assert_eq!(&text, b"ping");
    task.await.unwrap();
    assert_eq!(client.read(&mut text).await.unwrap(), 0);
}

#[tokio::test]
async fn lines_until_the_end() {
    let (client, server) = UnixStream::pair().unwrap();
    let (reads, mut writes) = client.into_split();
    let task = tokio::spawn(async move {
        let (reads, mut writes) = server.into_split();
        let mut lines = BufReader::new(reads).lines();
        let mut count = 0;
        while let Some(line) = lines.next_line().await.unwrap() {
            count += line.len();
        }
        writes.write_all(format!("{count}\n").as_bytes()).await.unwrap();
    });
    writes.write_all(b"one\nthree\n").await.unwrap();
    drop(writes);
    let answer = BufReader::new(reads).lines().next_line().await.unwrap();
    assert_eq!(answer.as_deref(), Some("8"));
    task.await.unwrap();
}

#[tokio::test]
async fn a_thread_writes_to_a_task() {
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    let theirs = theirs.into_std().unwrap();
    let thread = thread::spawn(move || (&theirs).write_all(b"x").unwrap());
    let mut text = [0; 1];
    ours.read_exact(&mut text).await.unwrap();
    assert_eq!(&text, b"x");
    thread.join().unwrap();
}

#[tokio::test]
async fn wrong_two_threads_write_to_a_task() {
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    let first = theirs.into_std().unwrap();
    let second = first.try_clone().unwrap();
    let threads = [thread::spawn(move || (&first).write_all(b"a").unwrap()), {
        thread::spawn(move || (&second).write_all(b"b").unwrap())
    }];
    let mut text = [0; 2];
    ours.read_exact(&mut text).await.unwrap();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(&text, b"ab");
}

#[tokio::test]
async fn a_server_and_its_client() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let place = listener.local_addr().unwrap();
    let server = tokio::spawn(async move {
        let (mut client, from) = listener.accept().await.unwrap();
        client.write_all(b"hello").await.unwrap();
        from
    });
    let mut client = TcpStream::connect(place).await.unwrap();
    let mut text = String::new();
    client.read_to_string(&mut text).await.unwrap();
    assert_eq!((text.as_str(), client.peer_addr().unwrap()), ("hello", place));
    assert_eq!(server.await.unwrap(), client.local_addr().unwrap());
}

#[tokio::test]
async fn nobody_listens() {
    let refused = TcpStream::connect("127.0.0.1:9").await.unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
}
