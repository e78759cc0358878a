//! thread_local, where what is read has been written.

use std::sync::Arc;
use std::thread;
use ::thread_local::ThreadLocal;
#[test]
fn iter_while_inserting() {
    let tl = Arc::new(ThreadLocal::<Box<u64>>::with_capacity(0));
    let u = tl.clone();
    let t = thread::spawn(move || {
        u.get_or(|| Box::new(7));
    });
    for v in tl.iter() {
        assert_eq!(**v, 7);
    }
    t.join().unwrap();
}
