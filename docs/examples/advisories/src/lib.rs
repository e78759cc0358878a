//! Safe tests of published crates that had a mistake.

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::Pin;
    use std::sync::Arc;
    use std::task::{Context, Waker};
    use std::thread;

    #[test]
    fn spin_two_writers() {
        let counter = Arc::new(spin::RwLock::new(0));
        let other = counter.clone();
        let thread = thread::spawn(move || *other.write() += 1);
        *counter.write() += 1;
        thread.join().unwrap();
        assert_eq!(*counter.read(), 2);
    }

    #[test]
    fn thread_local_iter_while_inserting() {
        let values = Arc::new(thread_local::ThreadLocal::<Box<u64>>::with_capacity(0));
        let other = values.clone();
        let thread = thread::spawn(move || {
            other.get_or(|| Box::new(7));
        });
        assert!(values.iter().all(|value| **value == 7));
        thread.join().unwrap();
    }

    #[test]
    fn oneshot_dropped_after_a_poll() {
        let (sender, mut receiver) = oneshot::channel();
        let _ = Pin::new(&mut receiver).poll(&mut Context::from_waker(Waker::noop()));
        let thread = thread::spawn(move || drop(sender.send(Box::new(1))));
        drop(receiver);
        thread.join().unwrap();
    }

    #[test]
    fn oneshot_next_dropped_after_a_poll() {
        let (sender, receiver) = oneshot_next::async_channel();
        let mut receiver = receiver.into_future();
        let _ = Pin::new(&mut receiver).poll(&mut Context::from_waker(Waker::noop()));
        let thread = thread::spawn(move || drop(sender.send(Box::new(1))));
        drop(receiver);
        thread.join().unwrap();
    }
}
