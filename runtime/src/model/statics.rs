//! Static objects whose destructor has run: who uses one afterwards, but for what else is done at exit, uses what is gone.

use super::misuse;
use crate::access;
use crate::interpose::code_site;
use crate::kernel::k;
use crate::memory::static_objects;
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::ffi::c_void;
use raddle_schedule::misuse::{Destroyed as Told, Involved, Misuse, Part, What};
use raddle_schedule::{Event, OpKind};

/// One that is gone.
struct Gone {
    start: usize,
    end: usize,
    by: Involved,
}

/// What the execution has destroyed.
struct State {
    gone: Vec<Gone>,
    /// The thread that does what is to be done at exit, which may still use what it has destroyed.
    leaving: Option<u8>,
}

struct Shared(UnsafeCell<State>);

// SAFETY: used by the token's holder only.
unsafe impl Sync for Shared {}

static STATE: Shared = Shared(UnsafeCell::new(State { gone: Vec::new(), leaving: None }));

/// Is anything gone? Asked at each access.
static mut ANY: bool = false;

fn state() -> &'static mut State {
    // SAFETY: see `Shared`; one reference at a time.
    unsafe { &mut *STATE.0.get() }
}

/// A new execution: everything is there.
pub fn begin() {
    state().gone.clear();
    state().leaving = None;
    // SAFETY: the token's holder.
    unsafe { ANY = false };
}

/// The running thread begins, or has done, what is to be done at exit.
pub fn leaves(begins: bool) {
    state().leaving = begins.then_some(k().current);
}

/// The running thread has called this destructor with this argument.
pub fn destroyed(destructor: usize, object: usize) {
    let Some(end) = static_objects::end_of(object) else { return };
    // As if it returned there: places are those of calls.
    let place = destructor as u64 + 1;
    let by = Involved { part: Part::Destroyed, thread: k().current, method: 0, site: code_site(place) };
    // Whatever others do to it is to be ordered with the destructor, whichever of its bytes that writes: accesses as with any
    // write, and operations on locks and the like in it as with the end of these.
    access::range(OpKind::Write, object as u64, (end - object) as u64, place as *const c_void);
    if k().spawned > 1 {
        let at = k().events.len() as u32;
        let size = (end - object) as u32;
        Told { at, kind: OpKind::Write, size, object: object as u64, by }.encode(&mut k().destroys);
    }
    state().gone.push(Gone { start: object, end, by });
    // SAFETY: the token's holder.
    unsafe { ANY = true };
}

/// Has the execution destroyed any?
#[inline(always)]
pub fn any_gone() -> bool {
    // SAFETY: the token's holder.
    unsafe { ANY }
}

/// Ends the execution: the running thread uses what is gone.
#[cold]
pub fn used(event: &Event, object: u64, size: u32) -> ! {
    let involved = by_whom(object as usize).into_iter().collect();
    let misuse =
        Misuse { what: What::UseOfDestroyed, kind: event.kind(), size, object, block: (0, 0), involved };
    misuse::end(misuse, event.site)
}

/// Does this address lie in a static object that is gone for the running thread?
#[inline(always)]
pub fn is_gone(address: usize) -> bool {
    any_gone() && by_whom(address).is_some()
}

/// Who destroyed it.
#[cold]
#[inline(never)]
fn by_whom(address: usize) -> Option<Involved> {
    let state = state();
    if state.leaving == Some(k().current) {
        return None;
    }
    state.gone.iter().find(|g| (g.start..g.end).contains(&address)).map(|g| g.by)
}
