//! Mutexes, condition variables, semaphores and the like that the program has destroyed, and not made again; and those
//! that it initialises.
//!
//! That they are initialised again is not always seen: for mutexes and condition variables an assignment
//! is enough, on a stack that was used for something else meanwhile. So a mark is left in what is
//! destroyed, and without that mark it is something new. (A semaphore is only made by `sem_init`.)

use super::{misuse, robust};
use crate::carrier::slot;
use crate::kernel::{k, record};
use crate::memory::freed;
use alloc::vec::Vec;
use raddle_schedule::OpKind;
use raddle_schedule::misuse::{Destroyed as Told, Involved, What};

/// Something destroyed.
pub struct Destroyed {
    address: u64,
    /// What it was.
    class: Class,
    /// Who destroyed it.
    by: Involved,
}

/// What can be destroyed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// A mutex; libc's own mark is an impossible kind.
    Mutex,
    /// A condition variable.
    Condvar,
    /// A read-write lock.
    RwLock,
    /// A barrier.
    Barrier,
    /// A spin lock: used as a mutex is.
    Spin,
    /// A semaphore.
    Semaphore,
}

/// Where glibc keeps a mutex's kind, and what it leaves there.
const KIND: (usize, u32) = (16, u32::MAX);
/// Padding of a read-write lock, and what nobody but libc looks at in a barrier and in a spin lock.
const PADDING: (usize, u32) = (20, 0xdead_c0de);
const OUT: (usize, u32) = (16, 0xdead_c0de);
const SPIN: (usize, u32) = (0, 0xdead_c0de);
/// A word of a condition variable that only libc would look at, and what is left there here.
const REFERENCES: (usize, u32) = (36, 0xdead_c0de);

impl Class {
    /// The operation that stands for all on it, in names.
    fn operation(self) -> OpKind {
        match self {
            Class::Mutex | Class::Spin => OpKind::Lock,
            Class::RwLock => OpKind::WriteLock,
            Class::Barrier => OpKind::Barrier,
            Class::Condvar => OpKind::NotifyOne,
            Class::Semaphore => OpKind::SemWait,
        }
    }

    /// What this operation is done on, if that can be destroyed: its object, but of the end of a wait the mutex
    /// that the thread takes again.
    pub fn of(kind: OpKind) -> Option<Class> {
        use OpKind::*;
        match kind {
            Lock | TryLock | Unlock | CondWake | Timeout => Some(Class::Mutex),
            CondEnqueue | NotifyOne | NotifyAll => Some(Class::Condvar),
            ReadLock | WriteLock | TryReadLock | TryWriteLock | ReadUnlock | WriteUnlock => {
                Some(Class::RwLock)
            }
            Barrier => Some(Class::Barrier),
            SemWait | SemTryWait | SemPost => Some(Class::Semaphore),
            _ => None,
        }
    }

    /// Bytes of it.
    fn size(self) -> u32 {
        let bytes = match self {
            Class::Mutex => size_of::<libc::pthread_mutex_t>(),
            Class::Condvar => size_of::<libc::pthread_cond_t>(),
            Class::RwLock => size_of::<libc::pthread_rwlock_t>(),
            Class::Barrier => size_of::<libc::pthread_barrier_t>(),
            Class::Spin => size_of::<libc::pthread_spinlock_t>(),
            Class::Semaphore => size_of::<libc::sem_t>(),
        };
        bytes as u32
    }

    fn mark(self) -> Option<(usize, u32)> {
        match self {
            Class::Mutex => Some(KIND),
            Class::Condvar => Some(REFERENCES),
            Class::RwLock => Some(PADDING),
            Class::Barrier => Some(OUT),
            Class::Spin => Some(SPIN),
            Class::Semaphore => None,
        }
    }

    /// Is it used as that one is?
    fn serves_as(self, class: Class) -> bool {
        self == class || (self == Class::Spin && class == Class::Mutex)
    }
}

/// Who holds it, and who waits for it.
fn users(class: Class, address: u64) -> Vec<Involved> {
    let holders = misuse::holders(address, class);
    let waiting = misuse::blocked_on(|object| object == address);
    holders.into_iter().chain(waiting.into_iter().map(|(_, _, waits)| waits)).collect()
}

/// The running thread destroys something, which nobody may hold or wait for.
pub fn destroy(class: Class, address: u64, by: Involved) {
    let users = users(class, address);
    if !users.is_empty() {
        misuse::of_object(What::DestroyInUse, class.operation(), address, users, by.site);
    }
    if let Some((offset, mark)) = class.mark() {
        // SAFETY: the program's object, which is at least that long and which it does not use any more.
        unsafe { *((address as usize + offset) as *mut u32) = mark };
    }
    made(address);
    k().destroyed.push(Destroyed { address, class, by });
    tell(class, address, by);
}

/// The running thread initialises something. What was there is no more: a lock that somebody holds would be
/// free, and who waits would not be known, so it is an end as destroying is.
pub fn initialise(class: Class, address: u64, by: Involved) {
    if freed::is(address as usize) {
        misuse::of_memory(What::UseAfterFree, OpKind::Write, address, class.size(), by.site);
    }
    let users = users(class, address);
    // A mutex that the thread itself took in a frame that has ended is gone with it.
    let gone = |u: &Involved| u.thread == by.thread && slot::is_stack(address as usize);
    if !users.iter().all(gone) {
        misuse::of_object(What::InitInUse, class.operation(), address, users, by.site);
    }
    made(address);
    k().objects.forget(address);
    // Whoever is spawned later knows of it.
    if k().spawned > 1 || record::detailed() {
        tell(class, address, by);
    }
}

fn tell(class: Class, address: u64, by: Involved) {
    let at = k().events.len() as u32;
    Told { at, kind: class.operation(), size: 0, object: address, by }.encode(&mut k().destroys);
}

/// Something is new at this address.
fn made(address: u64) {
    k().destroyed.retain(|d| d.address != address);
    robust::forget(address);
}

/// Memory was given back: whatever is there from now on is new.
pub fn forget(block: u64, len: u64) {
    k().destroyed.retain(|d| !(block..block + len).contains(&d.address));
}

/// Who destroyed what lies at this address, if it still does: something that can be used in this way.
pub fn by_whom(address: u64, class: Class) -> Option<Involved> {
    // Anything else there is something new, which may need no call to be made.
    let found = k().destroyed.iter().find(|d| d.address == address && d.class.serves_as(class))?;
    let marked = found.class.mark().is_none_or(|(offset, mark)| {
        // SAFETY: as in `destroy`; an operation on it is under way.
        unsafe { *((address as usize + offset) as *const u32) == mark }
    });
    marked.then_some(found.by)
}
