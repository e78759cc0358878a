//! The programs as the peers run them: written once, compiled against loom and against shuttle,
//! whose names are those of std. Every access to a shared number is a sequentially consistent load
//! or store of its own, as in the C programs (`tests/programs/counts`).

/// A name, and the program under each tool.
pub struct Program {
    /// What the table calls it.
    pub name: &'static str,
    /// One execution of it under loom.
    pub loom: fn(),
    /// One execution of it under shuttle.
    pub shuttle: fn(),
}

/// The same module for each tool.
macro_rules! programs {
    ($tool:ident) => {
        mod $tool {
            use ::$tool::sync::atomic::{AtomicUsize, Ordering::SeqCst};
            use ::$tool::sync::{Arc, Condvar, Mutex};
            use ::$tool::thread;

            /// Starts as many threads with the same body, and waits for all of them.
            fn run_all<S: Send + Sync + 'static>(count: usize, shared: S, body: fn(&S, usize)) -> Arc<S> {
                let shared = Arc::new(shared);
                let threads: Vec<_> = (0..count)
                    .map(|number| {
                        let shared = shared.clone();
                        thread::spawn(move || body(&shared, number))
                    })
                    .collect();
                for thread in threads {
                    thread.join().expect("no panic");
                }
                shared
            }

            /// Three threads, each twice: lock, count, unlock.
            pub fn mutex_3x2() {
                let counter = run_all(3, Mutex::new(0), |counter, _| {
                    for _ in 0..2 {
                        *counter.lock().expect("not poisoned") += 1;
                    }
                });
                assert_eq!(*counter.lock().expect("not poisoned"), 6);
            }

            /// Two threads, each twice: load, store one more.
            pub fn lost_2() {
                run_all(2, AtomicUsize::new(0), |counter, _| {
                    for _ in 0..2 {
                        let seen = counter.load(SeqCst);
                        counter.store(seen + 1, SeqCst);
                    }
                });
            }

            /// Two numbers, each made the sum of both by a thread of its own, five times; who
            /// started the threads reads both while they run.
            pub fn fib_read_5() {
                let numbers = Arc::new([AtomicUsize::new(1), AtomicUsize::new(1)]);
                for mine in 0..2 {
                    let numbers = numbers.clone();
                    // Not joined: both tools let it finish.
                    thread::spawn(move || {
                        for _ in 0..5 {
                            let sum = numbers[mine].load(SeqCst) + numbers[1 - mine].load(SeqCst);
                            numbers[mine].store(sum, SeqCst);
                        }
                    });
                }
                numbers[0].load(SeqCst);
                numbers[1].load(SeqCst);
            }

            /// Three philosophers, one meal each, the lower fork first.
            pub fn philosophers_3() {
                run_all(3, [Mutex::new(()), Mutex::new(()), Mutex::new(())], |forks, place| {
                    let next = (place + 1) % forks.len();
                    let lower = forks[place.min(next)].lock().expect("not poisoned");
                    let higher = forks[place.max(next)].lock().expect("not poisoned");
                    drop(higher);
                    drop(lower);
                });
            }

            /// A place for one item: is it taken, and who waits for a change.
            struct Place {
                taken: Mutex<bool>,
                emptied: Condvar,
                filled: Condvar,
            }

            impl Place {
                /// Waits until the place is free or taken, and makes it the other.
                fn turn(&self, until: bool, before: &Condvar, after: &Condvar) {
                    let mut taken = self.taken.lock().expect("not poisoned");
                    while *taken != until {
                        taken = before.wait(taken).expect("not poisoned");
                    }
                    *taken = !until;
                    after.notify_one();
                }
            }

            /// One producer of two items, two consumers of one.
            pub fn queue_1() {
                let place =
                    Place { taken: Mutex::new(false), emptied: Condvar::new(), filled: Condvar::new() };
                run_all(3, place, |place, thread| {
                    if thread == 0 {
                        place.turn(false, &place.emptied, &place.filled);
                        place.turn(false, &place.emptied, &place.filled);
                    } else {
                        place.turn(true, &place.filled, &place.emptied);
                    }
                });
            }
        }
    };
}

programs! { loom }
programs! { shuttle }

macro_rules! list {
    ($($name:ident)*) => {
        /// All of them.
        pub const ALL: &[Program] = &[$(Program {
            name: stringify!($name),
            loom: loom::$name,
            shuttle: shuttle::$name,
        }),*];
    };
}

list! { mutex_3x2 lost_2 fib_read_5 philosophers_3 queue_1 }

/// The program of a name.
pub fn find(name: &str) -> Option<&'static Program> {
    ALL.iter().find(|p| p.name == name)
}
