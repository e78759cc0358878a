//! Lost updates in code that carries no marker: two calls into a dependency are two steps there too.

use crossbeam_utils::atomic::AtomicCell;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::thread;

fn run(future: impl Future<Output = ()>) {
    let mut context = Context::from_waker(Waker::noop());
    assert!(Box::pin(future).as_mut().poll(&mut context).is_ready());
}

async fn bump(cell: Arc<AtomicCell<u64>>) {
    let value = cell.load();
    cell.store(value + 1);
}

#[test]
fn in_async() {
    let cell = Arc::new(AtomicCell::new(0u64));
    let other = cell.clone();
    let t = thread::spawn(move || run(bump(other)));
    run(bump(cell.clone()));
    t.join().unwrap();
    assert_eq!(cell.load(), 2);
}

macro_rules! pass {
    ($($t:tt)*) => { $($t)* }
}

pass! {
    #[test]
    fn in_tokens() {
        let cell = Arc::new(AtomicCell::new(0u64));
        let other = cell.clone();
        let t = thread::spawn(move || {
            let value = other.load();
            other.store(value + 1);
        });
        let value = cell.load();
        cell.store(value + 1);
        t.join().unwrap();
        assert_eq!(cell.load(), 2);
    }
}
