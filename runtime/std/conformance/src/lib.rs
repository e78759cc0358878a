//! What must compile: constants, auto traits and the stable interface of std 1.95, with the types of
//! std's documentation. The tests of behaviour are in `tests/`.

#![allow(dead_code, deprecated)]

use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::atomic::*;
use std::sync::*;
use std::{cell::Cell, fmt::Debug, rc::Rc, thread};

static MUTEX: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static RWLOCK: RwLock<u8> = RwLock::new(1);
static CONDVAR: Condvar = Condvar::new();
static ONCE: Once = Once::new();
static ONCE_LOCK: OnceLock<String> = OnceLock::new();
static LAZY: LazyLock<String> = LazyLock::new(|| "lazy".to_owned());
static BARRIER: Barrier = Barrier::new(1);
static INIT: Once = ONCE_INIT;
static FLAG: AtomicBool = ATOMIC_BOOL_INIT;
static COUNT: AtomicUsize = ATOMIC_USIZE_INIT;
static POINTER: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
const TAKEN: u32 = AtomicU32::new(7).into_inner();

fn both<T: Send + Sync + ?Sized>() {}
fn sync<T: Sync + ?Sized>() {}
fn send<T: Send + ?Sized>() {}
fn safe<T: UnwindSafe + RefUnwindSafe + ?Sized>() {}
fn debug<T: Debug + ?Sized>() {}
fn default<T: Default>() {}

fn auto_traits() {
    both::<Mutex<Cell<u8>>>();
    both::<Mutex<dyn Send>>();
    both::<RwLock<u8>>();
    both::<Condvar>();
    both::<Once>();
    both::<OnceLock<u8>>();
    both::<LazyLock<u8, Box<dyn FnOnce() -> u8 + Send>>>();
    both::<Barrier>();
    both::<AtomicPtr<Rc<u8>>>();
    both::<thread::Thread>();
    both::<thread::JoinHandle<Rc<u8>>>();
    both::<thread::Scope<'_, '_>>();
    both::<thread::ScopedJoinHandle<'_, u8>>();
    both::<mpsc::Sender<Cell<u8>>>();
    both::<mpsc::SyncSender<Cell<u8>>>();
    send::<mpsc::Receiver<Cell<u8>>>();
    sync::<MutexGuard<'_, u8>>();
    sync::<RwLockReadGuard<'_, u8>>();
    sync::<RwLockWriteGuard<'_, u8>>();
    safe::<Mutex<Cell<u8>>>();
    safe::<RwLock<Cell<u8>>>();
    safe::<Condvar>();
    safe::<Once>();
    safe::<OnceLock<u8>>();
    safe::<LazyLock<u8>>();
    safe::<Barrier>();
    safe::<MutexGuard<'_, Cell<u8>>>();
    safe::<AtomicU8>();
    safe::<mpsc::Sender<Cell<u8>>>();
    safe::<mpsc::SyncSender<Cell<u8>>>();
    safe::<mpsc::Receiver<Cell<u8>>>();
    debug::<Mutex<[u8]>>();
    debug::<RwLock<[u8]>>();
    debug::<mpsc::Receiver<Rc<u8>>>();
    debug::<mpsc::IntoIter<u8>>();
    debug::<thread::Builder>();
    default::<Mutex<u8>>();
    default::<RwLock<u8>>();
    default::<Condvar>();
    default::<OnceLock<Rc<u8>>>();
    default::<LazyLock<u8>>();
    default::<AtomicPtr<Rc<u8>>>();
}

/// A guard can be kept beside what it guards, and a `OnceLock` can hold a borrow of its neighbour.
fn borrows<'a>(lock: &'a Mutex<[u8; 2]>) -> MutexGuard<'a, [u8; 2]> {
    let unsized_lock: &Mutex<[u8]> = lock;
    drop(unsized_lock.lock());
    let (owner, cell) = (String::new(), OnceLock::new());
    cell.get_or_init(|| &owner);
    lock.lock().unwrap()
}

fn layout() {
    assert_eq!(size_of::<AtomicU64>(), 8);
    assert_eq!(align_of::<AtomicU64>(), 8);
    assert_eq!(size_of::<Option<MutexGuard<'_, u8>>>(), size_of::<MutexGuard<'_, u8>>());
}

mod same_types {
    //! A type reached by another path is the same one.
    fn core_is_std(a: &core::sync::atomic::AtomicU8) -> &std::sync::atomic::AtomicU8 {
        a
    }
    fn errors(e: std::sync::PoisonError<u8>) -> std::sync::TryLockError<u8> {
        e.into()
    }
    fn pthread<T>(h: &std::thread::JoinHandle<T>) -> std::os::unix::thread::RawPthread {
        std::os::unix::thread::JoinHandleExt::as_pthread_t(h)
    }
}
