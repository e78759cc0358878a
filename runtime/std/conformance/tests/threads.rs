//! Threads, scopes, parking.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

const MOMENT: Duration = Duration::from_millis(1);

#[test]
fn a_thread_gives_its_result() {
    assert_eq!(thread::spawn(|| 5).join().unwrap(), 5);
    let payload = thread::spawn(|| panic_any(6u8)).join().unwrap_err();
    assert_eq!(payload.downcast_ref(), Some(&6u8));
}

#[test]
fn a_builder_says_what_it_is() {
    let told = format!("{:?}", thread::Builder::new().name("worker".into()).stack_size(9));
    assert!(told.starts_with("Builder { name: Some(\"worker\"), stack_size: Some(9)"), "{told}");
}

#[test]
fn threads_have_names_and_ids() {
    let builder = thread::Builder::new().name("worker".into()).stack_size(1 << 20);
    let handle =
        builder.spawn(|| (thread::current().id(), thread::current().name().map(str::to_owned))).unwrap();
    let id = handle.thread().id();
    assert_eq!(handle.thread().name(), Some("worker"));
    assert_eq!(handle.join().unwrap(), (id, Some("worker".to_owned())));
    assert_ne!(id, thread::current().id());
}

#[test]
fn thread_locals_are_each_threads_own_and_are_dropped() {
    static DROPPED: AtomicU32 = AtomicU32::new(0);
    struct Count(Cell<u32>);
    impl Drop for Count {
        fn drop(&mut self) {
            DROPPED.fetch_add(self.0.get(), SeqCst);
        }
    }
    thread_local!(static OWN: Count = const { Count(Cell::new(1)) });
    OWN.with(|own| own.0.set(10));
    assert_eq!(DROPPED.load(SeqCst), 0);
    thread::spawn(|| OWN.with(|own| own.0.set(own.0.get() + 1))).join().unwrap();
    assert_eq!(DROPPED.load(SeqCst), 2);
}

#[test]
fn a_scope_waits_for_its_threads() {
    let mut values = [1, 2];
    thread::scope(|s| {
        for value in &mut values {
            s.spawn(|| *value *= 10);
        }
    });
    assert_eq!(values, [10, 20]);
}

#[test]
fn a_scope_waits_for_threads_of_its_threads() {
    let count = AtomicU32::new(0);
    thread::scope(|s| {
        s.spawn(|| {
            s.spawn(|| count.fetch_add(1, SeqCst));
        });
    });
    assert_eq!(count.into_inner(), 1);
}

#[test]
fn a_handle_may_be_joined_elsewhere() {
    let result = Mutex::new(0);
    thread::scope(|s| {
        let first = s.spawn(|| 5);
        s.spawn(|| *result.lock().unwrap() = first.join().unwrap());
    });
    assert_eq!(result.into_inner().unwrap(), 5);
}

#[test]
fn a_panic_in_a_scoped_thread_is_passed_on_unless_joined() {
    let passed_on = catch_unwind(|| {
        thread::scope(|s| {
            s.spawn(|| panic!("alone"));
        });
    });
    assert_eq!(passed_on.unwrap_err().downcast_ref(), Some(&"a scoped thread panicked"));
    thread::scope(|s| assert!(s.spawn(|| panic!("seen")).join().is_err()));
    let own = catch_unwind(AssertUnwindSafe(|| thread::scope(|_| panic!("own"))));
    assert_eq!(own.unwrap_err().downcast_ref(), Some(&"own"));
}

#[test]
fn unpark_is_remembered() {
    let waiter = thread::spawn(thread::park);
    waiter.thread().unpark();
    waiter.join().unwrap();
    thread::current().unpark();
    thread::park();
    thread::park_timeout(MOMENT);
}

#[test]
fn time_passes_in_a_sleep() {
    let start = Instant::now();
    thread::sleep(MOMENT);
    assert!(start.elapsed() >= MOMENT);
}

#[test]
fn a_thread_is_finished_in_the_end() {
    let handle = thread::spawn(|| ());
    while !handle.is_finished() {}
    handle.join().unwrap();
    assert!(thread::available_parallelism().is_ok());
}
