//! Does what its words say, with two objects whose owners are threads: first what the end of an object does, whether one holds
//! the other, and of which there is a weak reference; then a word for each thread, and what is asked for at the end. The tests
//! are drawn by `tests/tests/all/trust/random_owners.rs`.

#![cfg(test)]

use std::cell::UnsafeCell;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering::*};
use std::sync::{Arc, Mutex, Weak};
use std::thread::spawn;

/// Data that the threads share beside the objects.
struct World {
    at_the_end: char,
    ends: AtomicU32,
    flag: AtomicBool,
    mutex: Mutex<()>,
    plain: UnsafeCell<u32>,
    lent: AtomicPtr<AtomicU32>,
}
// SAFETY: none for `plain` and `lent`; the words `p`, `o` and `O` make mistakes with them.
unsafe impl Sync for World {}

trait Shared: Clone + Send + Sync + 'static {
    fn new(world: &'static World, inner: Option<Arc<Self>>) -> Self;
}

/// An object whose end does something.
struct Loud(&'static World, #[allow(dead_code)] Option<Arc<Loud>>);
impl Shared for Loud {
    fn new(world: &'static World, inner: Option<Arc<Self>>) -> Self {
        Loud(world, inner)
    }
}
impl Clone for Loud {
    fn clone(&self) -> Self {
        Loud(self.0, None)
    }
}
impl Drop for Loud {
    fn drop(&mut self) {
        let me = number();
        match self.0.at_the_end {
            'a' => self.0.ends.store(self.0.ends.load(SeqCst) * 4 + me, SeqCst),
            'm' => drop(self.0.mutex.lock().unwrap()),
            't' => NOTED.set(NOTED.get().wrapping_mul(7).wrapping_add(5)),
            'p' => unsafe { *self.0.plain.get() = me },
            _ => {}
        }
    }
}

/// One whose end nobody can notice.
#[derive(Clone)]
struct Quiet(#[allow(dead_code)] Option<Arc<Quiet>>, #[allow(dead_code)] Vec<u32>);
impl Shared for Quiet {
    fn new(_: &'static World, inner: Option<Arc<Self>>) -> Self {
        Quiet(inner, vec![1])
    }
}

thread_local!(static NOTED: std::cell::Cell<u32> = const { std::cell::Cell::new(0) });
thread_local!(static NUMBER: std::cell::Cell<u32> = const { std::cell::Cell::new(0) });

fn number() -> u32 {
    NUMBER.get()
}

fn note(n: usize) {
    NOTED.set(NOTED.get().wrapping_mul(5).wrapping_add(n as u32 % 4))
}

/// Gives what the thread has noted.
fn run<T: Shared>(world: &World, words: &str, me: u32, a: Arc<T>, b: Arc<T>, w: Weak<T>) -> u32 {
    NUMBER.set(me);
    let (mut a, mut b, mut w) = (Some(a), Some(b), Some(w));
    let (mut more, mut weak) = (Vec::new(), Vec::new());
    let local = AtomicU32::new(1);
    for word in words.chars() {
        match word {
            'c' => more.extend(a.clone()),
            'C' => more.extend(b.clone()),
            'd' => drop(a.take()),
            'D' => drop(b.take()),
            'x' => more.clear(),
            'w' => weak.extend(a.as_ref().map(Arc::downgrade)),
            'W' => weak.extend(w.clone()),
            'v' => {
                weak.clear();
                w = None;
            }
            'l' => note(w.as_ref().map_or(3, |w| w.upgrade().is_some().into())),
            'L' => more.extend(w.as_ref().and_then(Weak::upgrade)),
            'n' => note(a.as_ref().map_or(3, Arc::strong_count)),
            'N' => note(b.as_ref().map_or(3, Arc::weak_count)),
            'g' => note(a.as_mut().map_or(3, |a| Arc::get_mut(a).is_some().into())),
            'u' => match b.take().map(Arc::try_unwrap) {
                Some(Err(owner)) => b = Some(owner),
                taken => note(taken.map_or(3, |_| 1)),
            },
            'i' => note(a.take().map_or(3, |a| Arc::into_inner(a).is_some().into())),
            'M' => drop(b.as_mut().map(|b| Arc::make_mut(b) as *mut T)),
            's' => world.flag.store(true, SeqCst),
            'f' => note(world.flag.load(SeqCst).into()),
            'k' => {
                let locked = world.mutex.lock().unwrap();
                more.clear();
                drop(locked);
            }
            'p' => unsafe { *world.plain.get() = 9 },
            'o' => world.lent.store((&raw const local).cast_mut(), SeqCst),
            'q' => world.lent.store(null_mut(), SeqCst),
            'O' => {
                let lent = world.lent.load(SeqCst);
                note(if lent.is_null() { 3 } else { unsafe { &*lent }.fetch_add(1, SeqCst) as usize });
            }
            _ => unreachable!("{word}"),
        }
    }
    drop((a, b, w, more, weak));
    NOTED.get()
}

fn all<T: Shared>(world: &'static World, ends: &str, threads: &[&'static str]) -> u32 {
    let b = Arc::new(T::new(world, None));
    let a = Arc::new(T::new(world, ends.contains('i').then(|| b.clone())));
    let w = Arc::downgrade(if ends.ends_with('a') { &a } else { &b });
    let start = |(i, words): (usize, &&'static str)| {
        let (words, a, b, w) = (*words, a.clone(), b.clone(), w.clone());
        spawn(move || run(world, words, i as u32 + 1, a, b, w))
    };
    let started: Vec<_> = threads[1..].iter().enumerate().map(start).collect();
    let mut sum = run(world, threads[0], 0, a, b, w);
    for thread in started {
        sum = sum.wrapping_mul(31).wrapping_add(thread.join().unwrap());
    }
    sum.wrapping_mul(31).wrapping_add(world.ends.load(SeqCst))
}

/// Fails if what was noted has this rest.
fn check(ends: &str, threads: &[&'static str], kinds: u32, rest: u32) {
    let world: &World = Box::leak(Box::new(World {
        at_the_end: ends.chars().next().unwrap(),
        ends: AtomicU32::new(0),
        flag: AtomicBool::new(false),
        mutex: Mutex::new(()),
        plain: UnsafeCell::new(0),
        lent: AtomicPtr::new(null_mut()),
    }));
    let sum = match world.at_the_end {
        'n' => all::<Quiet>(world, ends, threads),
        _ => all::<Loud>(world, ends, threads),
    };
    assert!(sum % kinds != rest, "{sum}");
}
