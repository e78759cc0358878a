//! Misuse that ends an execution: what a thread does that languages and POSIX leave undefined, so that
//! nothing after it would mean anything. (What POSIX has an error number for, such as giving back an
//! error-checking mutex that another thread holds, returns that number and goes on.)
//!
//! Whether an operation meets freed memory is asked when it is done, not when it is announced: another
//! thread may give the memory back in between.

use super::destroyed::{self, Class};
use super::objects::NOBODY;
use super::{rwlock, stacks, statics, uninitialised};
use crate::kernel::k;
use crate::kernel::point::end_execution;
use crate::memory::{arena, freed};
use alloc::vec;
use alloc::vec::Vec;
use core::ffi::c_void;
use raddle_schedule::misuse::{Involved, Misuse, Part, What};
use raddle_schedule::{Event, OpKind, Outcome};

/// Ends the execution with this misuse by the running thread, at this site.
#[cold]
pub fn end(misuse: Misuse, site: u32) -> ! {
    let kernel = k();
    if !kernel.end.done {
        kernel.end.site = site;
        kernel.end.misuse = Some(misuse);
    }
    end_execution(Outcome::Crash, 0, "")
}

/// Misuse of an object that is no block of memory.
pub fn of_object(what: What, kind: OpKind, object: u64, involved: Vec<Involved>, site: u32) -> ! {
    end(Misuse { what, kind, size: 0, object, block: (0, 0), involved }, site)
}

/// Misuse of an address of the heap. Tells whose block it was and is, where that is known.
pub fn of_memory(what: What, kind: OpKind, address: u64, size: u32, site: u32) -> ! {
    end(told(what, kind, address, size), site)
}

/// The same, for whoever ends the execution.
pub fn told(what: What, kind: OpKind, address: u64, size: u32) -> Misuse {
    let (block, involved) = match freed::history(address as usize) {
        Some((block, involved)) => (block, involved.collect()),
        None => ((0, 0), Vec::new()),
    };
    Misuse { what, kind, size, object: address, block, involved }
}

/// An event was recorded: was what it works on given back or destroyed before? Asked of every event, so
/// almost all are let go by two comparisons.
#[inline(always)]
pub fn look(event: &Event) {
    if arena::contains(event.object() as usize) || !k().destroyed.is_empty() || statics::any_gone() {
        look_closely(event);
    }
    stacks::look(event);
    uninitialised::look(event);
}

fn look_closely(event: &Event) {
    let object = match event.kind() {
        // The mutex that the thread has again. Who was woken on a condition variable does not need it any
        // more: it may be destroyed at once (POSIX).
        OpKind::CondWake | OpKind::Timeout => event.value,
        // A wake of a futex whose word is gone wakes nobody, and locks rely on that.
        OpKind::FutexWake | OpKind::LockExit => return,
        OpKind::ThreadStart | OpKind::Spawn | OpKind::Join | OpKind::Exit => return,
        _ => event.object(),
    };
    look_at(event, object, Class::of(event.kind()));
    if event.kind() == OpKind::CondEnqueue && event.value != 0 {
        look_at(event, event.value, Some(Class::Mutex));
    }
}

/// The running thread hands this memory to a function of libc that has the system read or write it, for the call that
/// returns to `caller`. No hook and no fault would tell that it was given back.
pub fn look_at_buffer(kind: OpKind, address: usize, len: usize, caller: *const c_void) {
    if len > 0 && freed::is(address) {
        of_memory(What::UseAfterFree, kind, address as u64, 0, crate::interpose::site(caller));
    }
}

fn look_at(event: &Event, object: u64, class: Option<Class>) {
    let access = event.kind().is_data() || event.kind().is_atomic();
    if freed::is(object as usize) {
        let size = if access { event.size() } else { 0 };
        of_memory(What::UseAfterFree, event.kind(), object, size, event.site);
    }
    if statics::is_gone(object as usize) {
        statics::used(event, object, if access { event.size() } else { 0 });
    }
    if let Some(by) = class.and_then(|class| destroyed::by_whom(object, class)) {
        of_object(What::UseOfDestroyed, event.kind(), object, vec![by], event.site);
    }
}

/// The threads that cannot go on before something happens to one of these objects: what each is about
/// to do, with what, and its part in a misuse.
pub fn blocked_on(these: impl Fn(u64) -> bool) -> Vec<(OpKind, u64, Involved)> {
    let kernel = k();
    let blocked = u64::MAX >> (64 - kernel.spawned) & !kernel.finished & !kernel.enabled & !kernel.my_bit();
    let mut found = Vec::new();
    for t in (0..kernel.spawned).filter(|t| blocked >> t & 1 != 0) {
        let thread = &mut kernel.threads[t];
        let pending = thread.pending;
        let object = match pending.kind() {
            OpKind::Lock | OpKind::SemWait | OpKind::FutexWait => pending.object(),
            OpKind::ReadLock | OpKind::WriteLock => pending.object(),
            OpKind::AtomicLoad if pending.blocks_until_set() => pending.object(),
            OpKind::CondWake if these(pending.value) => pending.value,
            // Notified, so that it waits for the mutex alone; on a futex it waits for nothing then.
            OpKind::CondWake if kernel.objects.get(pending.object()).waiters >> t & 1 == 0 => continue,
            OpKind::CondWake => pending.object(),
            _ => continue,
        };
        if these(object) {
            let (thread, method) = (t as u8, thread.frames.number());
            let waits = Involved { part: Part::Waits, thread, method, site: pending.site };
            found.push((pending.kind(), object, waits));
        }
    }
    found
}

/// A block is about to be given back: does anybody wait in it, for good? Who is only about to come to
/// something there finds it gone.
pub fn look_for_waiting(block: u64, len: u64, caller: *const c_void) {
    if k().enabled | k().finished | k().my_bit() == u64::MAX >> (64 - k().spawned) {
        return;
    }
    let found = blocked_on(|object| (block..block + len).contains(&object));
    let Some((kind, object, _)) = found.first().copied() else { return };
    let history = freed::history(object as usize).into_iter().flat_map(|(_, parts)| parts);
    let involved = found.into_iter().map(|(_, _, waits)| waits).chain(history).collect();
    let misuse = Misuse { what: What::FreeInUse, kind, size: 0, object, block: (block, len), involved };
    end(misuse, crate::interpose::site(caller));
}

/// Who holds a lock of this class.
pub fn holders(lock: u64, class: Class) -> Vec<Involved> {
    let holds = |thread| Involved { part: Part::Holds, thread, method: 0, site: 0 };
    match class {
        Class::Mutex | Class::Spin => holder(lock).into_iter().collect(),
        Class::RwLock => rwlock::holders(lock).into_iter().map(holds).collect(),
        Class::Condvar | Class::Barrier | Class::Semaphore => Vec::new(),
    }
}

/// Who holds this mutex, if anybody. Where it was taken is told by the trace.
pub fn holder(mutex: u64) -> Option<Involved> {
    let thread = k().objects.get(mutex).owner;
    (thread != NOBODY).then_some(Involved { part: Part::Holds, thread, method: 0, site: 0 })
}
