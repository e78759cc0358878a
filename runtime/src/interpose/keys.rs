//! Thread-specific keys. libc's own would run out after a few executions, since roll-back makes
//! the program forget that it created them; these are rolled back too.

use super::{real, refused, site};
use crate::kernel::{MAX_KEYS, active, controlled, k, spin};
use crate::memory::imports;
use crate::model::atomic::{self, Effect};
use crate::{entry, facade};
use alloc::format;
use core::cell::UnsafeCell;
use core::ffi::{c_int, c_void};
use libc::{EAGAIN, EINVAL, pthread_key_t};
use raddle_schedule::{OpKind, Order, world};

/// What is called with a thread's value at its end.
pub type Destructor = Option<unsafe extern "C" fn(*mut c_void)>;

/// Keys handed out and their destructors.
#[derive(Clone, Copy)]
struct Keys {
    used: usize,
    destructors: [Destructor; MAX_KEYS],
    live: [bool; MAX_KEYS],
}

struct State {
    now: Keys,
    /// As before the first execution, with T0's values.
    saved: Keys,
    values: [*mut c_void; MAX_KEYS],
}

struct Cell(UnsafeCell<State>);

// SAFETY: used by the token's holder only.
unsafe impl Sync for Cell {}

const NONE: Keys = Keys { used: 0, destructors: [None; MAX_KEYS], live: [false; MAX_KEYS] };
static STATE: Cell =
    Cell(UnsafeCell::new(State { now: NONE, saved: NONE, values: [core::ptr::null_mut(); MAX_KEYS] }));

fn state() -> &'static mut State {
    // SAFETY: see `Cell`; one reference at a time.
    unsafe { &mut *STATE.0.get() }
}

/// What every execution starts from.
pub fn snapshot() {
    let s = state();
    s.saved = s.now;
    s.values = k().threads[0].keys;
}

/// Back to the snapshot, for T0; other threads start with no values.
pub fn restore() {
    let s = state();
    if s.now.used > 0 || s.saved.used > 0 {
        for t in 0..k().spawned {
            k().threads[t].keys = if t == 0 { s.values } else { [core::ptr::null_mut(); MAX_KEYS] };
        }
        s.now = s.saved;
    }
}

/// Destructors of the running thread's values: rounds until there are none, at most four, as POSIX has it.
pub fn run_destructors() {
    for _ in 0..4 {
        let mut ran = false;
        for key in 0..state().now.used {
            let value = core::mem::replace(&mut k().me().keys[key], core::ptr::null_mut());
            if value.is_null() {
                continue;
            }
            step(key, OpKind::AtomicLoad);
            if let Some(destructor) = state().now.destructors[key] {
                // SAFETY: registered by the program for its values.
                unsafe { destructor(value) };
                ran = true;
            }
        }
        if !ran {
            return;
        }
    }
}

/// A key is deleted, or it is looked at whether it is there: where the program deletes keys, the order of the two is one that it may
/// have left open, so both are steps. Not where Rust's std is what asks for the function: it deletes only a key that no
/// other thread has seen.
fn step(key: usize, kind: OpKind) {
    let deletes = k().deletes_keys && !facade::is_there();
    if active() && deletes && k().spawned > 1 && key < MAX_KEYS {
        atomic::before(kind, world::key(key), 1, Order::SeqCst, 0);
        atomic::done(0, Effect::Done);
    }
}

/// A key is created or deleted: which number one has tells who came first.
fn numbers(caller: *const c_void) {
    if active() && !facade::is_there() && k().spawned > 1 {
        spin::changed();
        atomic::before(OpKind::AtomicRmw, world::KEY_NUMBERS, 8, Order::Relaxed, site(caller));
        atomic::done(0, Effect::Done);
    }
}

/// Before the first execution: does the program delete keys?
pub fn prepare() {
    k().deletes_keys = [c"pthread_key_delete", c"tss_delete"].iter().any(|name| imports::asked_for(name));
}

entry! {
    /// Creates a key.
    fn pthread_key_create / create(key: *mut pthread_key_t, destructor: Destructor) -> c_int, 2, caller {
        if !controlled() {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_key_create)(key, destructor) };
        }
        numbers(caller);
        let keys = &mut state().now;
        let free = (0..keys.used).find(|i| !keys.live[*i]).unwrap_or(keys.used);
        if free >= MAX_KEYS {
            if active() {
                refused::refuse_with("pthread_key_create", &format!("of more than {MAX_KEYS} keys"));
            }
            return EAGAIN;
        }
        keys.used = keys.used.max(free + 1);
        keys.destructors[free] = destructor;
        keys.live[free] = true;
        for t in 0..k().spawned.max(1) {
            k().threads[t].keys[free] = core::ptr::null_mut();
        }
        // SAFETY: the caller's place.
        unsafe { *key = free as pthread_key_t };
        0
    }
}

entry! {
    /// Deletes a key.
    fn pthread_key_delete / delete(key: pthread_key_t) -> c_int, 1, caller {
        if !controlled() {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_key_delete)(key) };
        }
        numbers(caller);
        step(key as usize, OpKind::AtomicStore);
        let keys = &mut state().now;
        match keys.live.get_mut(key as usize) {
            Some(live) if *live => {
                *live = false;
                keys.destructors[key as usize] = None;
                0
            }
            _ => EINVAL,
        }
    }
}

/// The thread whose values are meant: outside executions the main thread is T0.
fn values() -> &'static mut [*mut c_void; MAX_KEYS] {
    let t = if active() { k().current } else { 0 };
    &mut k().threads[usize::from(t)].keys
}

fn is_live(key: pthread_key_t) -> bool {
    state().now.live.get(key as usize).copied().unwrap_or(false)
}

/// Sets the calling thread's value.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_setspecific(key: pthread_key_t, value: *const c_void) -> c_int {
    if !controlled() {
        // SAFETY: passed on.
        return unsafe { (real::get().pthread_setspecific)(key, value) };
    }
    step(key as usize, OpKind::AtomicLoad);
    if !is_live(key) {
        return EINVAL;
    }
    spin::changed();
    values()[key as usize] = value.cast_mut();
    0
}

entry! {
    /// The calling thread's value.
    fn pthread_getspecific / get(key: pthread_key_t) -> *mut c_void, {
        if !controlled() {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_getspecific)(key) };
        }
        step(key as usize, OpKind::AtomicLoad);
        if is_live(key) { values()[key as usize] } else { core::ptr::null_mut() }
    }
}
