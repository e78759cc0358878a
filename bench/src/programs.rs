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

            /// Two threads, each N times: load, store one more.
            fn lost<const N: usize>() -> Arc<AtomicUsize> {
                run_all(2, AtomicUsize::new(0), |counter, _| {
                    for _ in 0..N {
                        let seen = counter.load(SeqCst);
                        counter.store(seen + 1, SeqCst);
                    }
                })
            }

            pub fn lost_2() {
                lost::<2>();
            }

            /// No update is lost.
            pub fn lost_1_checked() {
                assert_eq!(lost::<1>().load(SeqCst), 2);
            }

            /// No update is lost.
            pub fn lost_2_checked() {
                assert_eq!(lost::<2>().load(SeqCst), 4);
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

            /// The same, the fork of the own number first.
            pub fn hungry_philosophers_3() {
                run_all(3, [Mutex::new(()), Mutex::new(()), Mutex::new(())], |forks, one| {
                    let first = forks[one].lock().expect("not poisoned");
                    let second = forks[(one + 1) % forks.len()].lock().expect("not poisoned");
                    drop(second);
                    drop(first);
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

                /// The same, waiting once at most.
                fn hasty_turn(&self, until: bool, before: &Condvar, after: &Condvar) {
                    let mut taken = self.taken.lock().expect("not poisoned");
                    if *taken != until {
                        taken = before.wait(taken).expect("not poisoned");
                    }
                    assert_eq!(*taken, until);
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

            /// The same with `if` in the place of `while`.
            pub fn queue_if() {
                let place =
                    Place { taken: Mutex::new(false), emptied: Condvar::new(), filled: Condvar::new() };
                run_all(3, place, |place, thread| {
                    if thread == 0 {
                        place.hasty_turn(false, &place.emptied, &place.filled);
                        place.hasty_turn(false, &place.emptied, &place.filled);
                    } else {
                        place.hasty_turn(true, &place.filled, &place.emptied);
                    }
                });
            }

            /// A stack of nodes that are numbers; 0 is none.
            struct Stack {
                top: AtomicUsize,
                next: Vec<AtomicUsize>,
            }

            impl Stack {
                /// With room for nodes whose next ones are these.
                fn new(top: usize, next: &[usize]) -> Stack {
                    let next = next.iter().map(|n| AtomicUsize::new(*n)).collect();
                    Stack { top: AtomicUsize::new(top), next }
                }

                fn pop(&self) -> usize {
                    let mut old = self.top.load(SeqCst);
                    while old != 0 {
                        match self.top.compare_exchange(old, self.next[old].load(SeqCst), SeqCst, SeqCst) {
                            Ok(_) => break,
                            Err(found) => old = found,
                        }
                    }
                    old
                }

                fn push(&self, node: usize) {
                    let mut old = self.top.load(SeqCst);
                    loop {
                        self.next[node].store(old, SeqCst);
                        match self.top.compare_exchange(old, node, SeqCst, SeqCst) {
                            Ok(_) => return,
                            Err(found) => old = found,
                        }
                    }
                }
            }

            /// Each of T threads pushes its own node, then pops one.
            fn treiber<const T: usize>() {
                run_all(T, Stack::new(0, &[0; 4][..=T]), |stack, id| {
                    stack.push(id + 1);
                    stack.pop();
                });
            }

            pub fn treiber_2() {
                treiber::<2>();
            }

            pub fn treiber_3() {
                treiber::<3>();
            }

            /// 1 over 2; one thread pops; the other does a = pop, b = pop, push a; no node may be owned twice.
            pub fn aba() {
                let stack = Arc::new(Stack::new(1, &[0, 2, 0]));
                let (one, two) = (stack.clone(), stack.clone());
                let one = thread::spawn(move || one.pop());
                let two = thread::spawn(move || {
                    let first = two.pop();
                    let kept = two.pop();
                    if first != 0 {
                        two.push(first);
                    }
                    kept
                });
                let mut owners = [0; 3];
                let mut own = |node: usize| {
                    owners[node] += 1;
                    assert!(node == 0 || owners[node] == 1, "owned twice");
                };
                own(one.join().expect("no panic"));
                own(two.join().expect("no panic"));
                loop {
                    match stack.pop() {
                        0 => break,
                        node => own(node),
                    }
                }
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

list! {
    mutex_3x2 lost_2 lost_1_checked lost_2_checked fib_read_5 philosophers_3 hungry_philosophers_3 queue_1 queue_if
    aba treiber_2 treiber_3
}

/// The program of a name.
pub fn find(name: &str) -> Option<&'static Program> {
    ALL.iter().find(|p| p.name == name)
}
