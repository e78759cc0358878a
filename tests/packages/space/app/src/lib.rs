//! The newest edition, and everything that a test may be.
#![allow(unexpected_cfgs)]

use std::sync::{Mutex, mpsc};

/// Sums what several threads send.
pub fn sum_of(threads: u32) -> u32 {
    let (sender, receiver) = mpsc::channel();
    for number in 0..threads {
        let sender = sender.clone();
        std::thread::spawn(move || sender.send(number).unwrap());
    }
    drop(sender);
    receiver.iter().sum()
}

pub static LOG: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// A little executor: the future is polled by this thread, which is parked in between.
#[cfg(test)]
fn block_on<F: Future>(future: F) -> F::Output {
    use std::sync::Arc;
    use std::task::{Context, Poll, Wake, Waker};
    struct Unpark(std::thread::Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => return value,
            Poll::Pending => std::thread::park(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use derive::{twice, waits};

    macro_rules! cases {
        ($($name:ident: $threads:expr),*) => { $(
            #[test]
            fn $name() {
                assert_eq!(sum_of($threads), (0..$threads).sum());
            }
        )* };
    }

    cases!(of_one: 1, of_two: 2);

    #[twice]
    fn made(offset: u32) {
        let log = Mutex::new(Vec::new());
        std::thread::scope(|s| {
            s.spawn(|| log.lock().unwrap().push(offset));
            log.lock().unwrap().push(offset);
        });
        assert_eq!(*log.lock().unwrap(), [offset; 2]);
    }

    #[waits]
    async fn awaited() {
        let mut polled = 0;
        std::future::poll_fn(|cx| {
            polled += 1;
            if polled == 2 {
                return std::task::Poll::Ready(());
            }
            let waker = cx.waker().clone();
            std::thread::spawn(move || waker.wake());
            std::task::Poll::Pending
        })
        .await;
    }

    #[test]
    #[should_panic(expected = "poisoned")]
    fn panics() {
        let lock = Mutex::new(0);
        std::thread::scope(|s| {
            let thread = s.spawn(|| {
                let _guard = lock.lock().unwrap();
                panic!("holding it");
            });
            assert!(thread.join().is_err());
        });
        lock.lock().expect("poisoned");
    }

    #[test]
    #[ignore = "sees more than others"]
    fn ignored() {
        panic!("run");
    }

    #[test]
    fn returns() -> Result<(), std::num::ParseIntError> {
        let text = std::thread::spawn(|| "12".to_string()).join().unwrap();
        assert_eq!(text.parse::<u32>()?, 12);
        Ok(())
    }

    #[test]
    fn environment() {
        assert_eq!(std::env::var("SPACE_NAME").as_deref(), Ok("a name"));
        let root = std::env::var("SPACE_ROOT").unwrap();
        assert!(std::path::Path::new(&root).join("src/lib.rs").is_file(), "{root}");
        assert!(std::env::current_dir().unwrap().join("src/main.rs").is_file());
        assert_eq!(env!("SPACE_NAME"), "a name");
        assert!(cfg!(asked_for));
    }

    #[test]
    fn broken_only_with_its_feature() {
        assert!(!cfg!(feature = "broken"));
    }

    #[cfg(feature = "extra")]
    #[test]
    fn extra() {
        let hits = mid::Hits::new();
        std::thread::scope(|s| {
            s.spawn(|| hits.one_more());
            hits.one_more();
        });
        assert_eq!(hits.get(), 2);
    }

    #[cfg(not(debug_assertions))]
    #[test]
    fn optimised() {}
}
