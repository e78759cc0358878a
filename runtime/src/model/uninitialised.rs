//! Barriers and semaphores that nobody has initialised. No initialiser of C's makes one, so only a call does. (Mutexes and
//! condition variables of zeros are as their initialisers make them.)
//!
//! What is copied into a place is not known, so only what is certain is told: a barrier for no thread, which no call makes,
//! and a semaphore of zeros that no call has made since its memory was allocated.

use super::misuse;
use crate::interpose::modelled;
use crate::kernel::{controlled, k};
use alloc::vec::Vec;
use raddle_schedule::misuse::What;
use raddle_schedule::{Event, OpKind, named};

/// Word of a barrier's `count` (glibc, internaltypes.h).
const COUNT: usize = 2;

/// A semaphore is initialised here.
pub fn initialises(semaphore: u64) {
    if modelled() {
        k().objects.get(semaphore).initialised = true;
    } else if controlled() {
        k().initialised_before.push(semaphore);
    }
}

/// An operation on one was made.
#[inline(always)]
pub fn look(event: &Event) {
    if matches!(event.kind(), OpKind::Barrier | OpKind::SemWait | OpKind::SemTryWait | OpKind::SemPost) {
        look_closely(event);
    }
}

#[inline(never)]
fn look_closely(event: &Event) {
    let object = event.object();
    // SAFETY: an object of the program's, of this type, which an operation on it was made with.
    let word = |n: usize| unsafe { *(object as *const u32).add(n) };
    let is_new = match event.kind() {
        OpKind::Barrier => word(COUNT) == 0,
        _ if named::is(object) || k().objects.get(object).initialised => false,
        _ => (0..4).all(|n| word(n) == 0) && !k().initialised_before.contains(&object),
    };
    if is_new {
        misuse::of_object(What::Uninitialised, event.kind(), object, Vec::new(), event.site);
    }
}
