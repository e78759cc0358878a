//! Reference counters of a crate's own, in the test's crate and in a dependency.
use std::thread::spawn;

macro_rules! tests {
    ($name:ident, $of:path) => {
        mod $name {
            use $of::*;
            use std::thread::spawn;

            fn two<const HOW: u8>() {
                let a = Own::<_, HOW>::new(Box::new(7));
                let b = a.clone();
                let t = spawn(move || assert_eq!(**b.get(), 7));
                drop(a);
                t.join().unwrap();
            }
            fn three<const HOW: u8>() {
                let a = Own::<_, HOW>::new(7);
                let (b, c) = (a.clone(), a.clone());
                let t = spawn(move || assert_eq!(*b.clone().get(), 7));
                let u = spawn(move || assert_eq!(*c.get(), 7));
                drop(a);
                t.join().unwrap();
                u.join().unwrap();
            }
            fn only_counted<const HOW: u8>() {
                let a = Own::<_, HOW>::new(());
                let b = a.clone();
                let t = spawn(move || drop(b));
                drop(a);
                t.join().unwrap();
            }
            tests!(right_fence, wrong_no_acquire, two: RELEASE_AND_FENCE, NO_ACQUIRE);
            tests!(right_load, wrong_no_release, two: RELEASE_AND_LOAD, NO_RELEASE);
            tests!(right_both, wrong_relaxed, two: BOTH, RELAXED);
            tests!(right_load_before, wrong_looks_again, two: LOAD_BEFORE, LOOKS_AGAIN);
            tests!(right_three, wrong_three, three: RELEASE_AND_FENCE, NO_ACQUIRE);
            tests!(right_counted, wrong_counted, only_counted: RELEASE_AND_FENCE, NO_ACQUIRE);
            tests!(right_counted_by_both, wrong_counted_relaxed, only_counted: BOTH, RELAXED);
        }
    };
    ($right:ident, $wrong:ident, $program:ident: $how:ident, $otherwise:ident) => {
        #[test]
        fn $right() {
            $program::<$how>()
        }
        #[test]
        fn $wrong() {
            $program::<$otherwise>()
        }
    };
}
tests!(of_the_crate, ::trust_owners);
tests!(of_a_dependency, ::counted);

// `Rc` counts without atomics: right behind a mutex, wrong beside another thread.
struct Sent<T>(T);
// SAFETY: none; `wrong_rc` races.
unsafe impl<T> Send for Sent<T> {}

#[test]
fn wrong_rc() {
    let a = std::rc::Rc::new(1);
    let b = Sent(a.clone());
    let t = spawn(move || {
        let b = b;
        drop(b)
    });
    drop(a);
    t.join().unwrap();
}
#[test]
fn right_rc() {
    let a = Sent(std::rc::Rc::new(1));
    let b = std::sync::Arc::new(std::sync::Mutex::new(Some(Sent(a.0.clone()))));
    let c = b.clone();
    let t = spawn(move || *c.lock().unwrap() = None);
    let locked = b.lock().unwrap();
    drop(a);
    drop(locked);
    t.join().unwrap();
}
