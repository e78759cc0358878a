//! Values of many types. A line with a `//=` says what an event of it is told with: the operation, its
//! object, and what is shown.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, AtomicUsize};
use std::sync::{Condvar, Mutex, Once, RwLock};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum State {
    Idle,
    Busy { since: u32 },
    Done(i8),
}

#[derive(Debug)]
pub struct Account {
    pub balance: i64,
    pub open: bool,
}

pub static NUMBER: Mutex<i64> = Mutex::new(100);
pub static FLAG: Mutex<bool> = Mutex::new(false);
pub static MAYBE: Mutex<Option<u32>> = Mutex::new(None);
pub static BOXED: Mutex<Option<Box<u32>>> = Mutex::new(None);
pub static STATE: Mutex<State> = Mutex::new(State::Idle);
pub static ACCOUNT: Mutex<Account> = Mutex::new(Account { balance: 7, open: true });
pub static PAIR: Mutex<(u8, char)> = Mutex::new((1, 'a'));
pub static LIST: Mutex<Vec<String>> = Mutex::new(Vec::new());
pub static MAP: Mutex<Option<HashMap<u8, u16>>> = Mutex::new(None);
pub static NOTHING: Mutex<()> = Mutex::new(());
pub static RATIO: Mutex<f32> = Mutex::new(0.5);
pub static TABLE: RwLock<i32> = RwLock::new(-1);
pub static INIT: Once = Once::new();
pub static READY: AtomicBool = AtomicBool::new(false);
pub static COUNT: AtomicUsize = AtomicUsize::new(0);
pub static LEVEL: AtomicI64 = AtomicI64::new(-3);
pub static CURRENT: AtomicPtr<u64> = AtomicPtr::new(std::ptr::null_mut());
pub static WOKEN: Condvar = Condvar::new();

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering::SeqCst;

    fn under_mutexes() {
        let mut number = NUMBER.lock().unwrap(); //= lock | NUMBER | 100
        *number -= 150;
        drop(number); //= unlock | NUMBER | 100 → -50
        let number = NUMBER.lock().unwrap(); //= lock | NUMBER | -50
        drop(number); //= unlock | NUMBER | -
        let mut flag = FLAG.try_lock().unwrap(); //= try_lock | FLAG | false
        *flag = true;
        drop(flag); //= unlock | FLAG | false → true
        *MAYBE.lock().unwrap() = Some(3); //= unlock | MAYBE | None → Some(3)
        *MAYBE.lock().unwrap() = Some(4); //= unlock | MAYBE | Some(3) → Some(4)
        *STATE.lock().unwrap() = State::Busy { since: 9 }; //= unlock | STATE | Idle → Busy { since: 9 }
        *STATE.lock().unwrap() = State::Done(-1); //= unlock | STATE | Busy { since: 9 } → Done(-1)
        ACCOUNT.lock().unwrap().balance += 1; //= unlock | ACCOUNT | { balance: 7 → 8 }
        drop(ACCOUNT.lock().unwrap()); //= lock | ACCOUNT | Account { balance: 8, open: true }
        *PAIR.lock().unwrap() = (2, 'b'); //= unlock | PAIR | (1, 'a') → (2, 'b')
        LIST.lock().unwrap().push("one".into()); //= unlock | LIST | 0 elements → 1 element
        *MAP.lock().unwrap() = Some(HashMap::from([(1, 2), (3, 4)])); //= unlock | MAP | None → Some(2 elements)
        drop(NOTHING.lock().unwrap()); //= lock | NOTHING | -
        *RATIO.lock().unwrap() *= 3.0; //= unlock | RATIO | 0.5 → 1.5
        drop(BOXED.lock().unwrap()); //= lock | BOXED | None
    }

    fn under_a_read_write_lock() {
        drop(TABLE.read().unwrap()); //= read-lock | TABLE | -1
        *TABLE.write().unwrap() = 5; //= write-unlock | TABLE | -1 → 5
    }

    fn once() {
        INIT.call_once(|| {}); //= rmw | INIT | -
        INIT.call_once(|| {}); //= load | INIT | -
    }

    fn atomics() {
        READY.store(true, SeqCst); //= store | READY | false → true
        COUNT.fetch_add(2, SeqCst); //= rmw | COUNT | 0 → 2
        LEVEL.fetch_sub(1, SeqCst); //= rmw | LEVEL | -3 → -4
        let _ = LEVEL.compare_exchange(0, 1, SeqCst, SeqCst); //= rmw | LEVEL | -4
        let _ = CURRENT.load(SeqCst); //= load | CURRENT | null
    }

    #[test]
    fn all() {
        std::thread::scope(|s| {
            s.spawn(|| {
                under_mutexes();
                under_a_read_write_lock();
                once();
                atomics();
            });
        });
        panic!("the end");
    }

    /// What is there after a wait is what the others have left.
    #[test]
    fn waits() {
        std::thread::scope(|s| {
            s.spawn(|| {
                let guard = FLAG.lock().unwrap();
                drop(WOKEN.wait_while(guard, |flag| !*flag).unwrap());
            });
            *FLAG.lock().unwrap() = true;
            WOKEN.notify_one();
        });
        panic!("the end");
    }
}
