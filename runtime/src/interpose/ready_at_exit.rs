//! What `std::promise::set_value_at_thread_exit` and `std::packaged_task::make_ready_at_thread_exit` leave to the thread's
//! end: the shared state becomes ready. libstdc++ has that as code of its own library, without hooks, so it is done here,
//! with the operations that its code has, on memory laid out as its ABI says (gcc 5 and later).

// Names of C++'s ABI.
#![allow(non_snake_case)]

use super::cpp::behind;
use super::{code_site, modelled};
use crate::access_owners;
use crate::entry;
use crate::model::{futex, set_once};
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicI32, AtomicPtr, Ordering};
use raddle_schedule::Order;

/// `__future_base::_State_baseV2::_Make_ready`: an element of the list of what a thread does at its end, and a
/// `weak_ptr` to the shared state.
#[repr(C)]
pub struct MakeReady {
    next: *mut MakeReady,
    callback: extern "C" fn(*mut MakeReady),
    state: *mut State,
    counts: *mut Counts,
}

/// The beginning of `__future_base::_State_baseV2`.
#[repr(C)]
struct State {
    methods: *const c_void,
    result: *mut c_void,
    status: u32,
}

/// `_Sp_counted_base`: the counts of a `shared_ptr`.
#[repr(C)]
struct Counts {
    methods: *const [extern "C" fn(*mut Counts); 4],
    uses: c_int,
    weak: c_int,
}

/// Places among the methods of [`Counts`].
const DISPOSE: usize = 2;
const DESTROY: usize = 3;

/// `_Status::__ready`, and the bit that says that somebody waits.
const READY: u32 = 1;
const WAITERS: u32 = 1 << 31;

/// The library's own callback, the same in every execution.
static THEIRS: AtomicPtr<c_void> = AtomicPtr::new(core::ptr::null_mut());

entry! {
    /// Before it is left to the thread's end: with our callback in the place of the library's.
    fn _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv / make_ready_set(element: *mut MakeReady) -> (), {
        // SAFETY: the function of this name.
        let real = unsafe {
            core::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut MakeReady)>(behind(
                c"_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv",
            ))
        };
        // SAFETY: passed on; afterwards the element is in the list of this thread, which alone changes it.
        unsafe {
            real(element);
            if modelled() {
                THEIRS.store((*element).callback as *mut c_void, Ordering::Relaxed);
                (*element).callback = make_ready;
            }
        }
    }
}

/// At the thread's end.
extern "C" fn make_ready(element: *mut MakeReady) {
    let theirs = THEIRS.load(Ordering::Relaxed);
    if modelled() {
        // SAFETY: the library's element, which has come to its end; what it leads to is looked after by its counts.
        unsafe {
            let (state, counts) = ((*element).state, (*element).counts);
            ((*element).state, (*element).counts) = (core::ptr::null_mut(), core::ptr::null_mut());
            if !counts.is_null() {
                make_state_ready(state, counts, code_site(theirs as u64));
            }
        }
    }
    // SAFETY: it was taken from the element. One that leads nowhere is given back, and no more.
    unsafe { core::mem::transmute::<*mut c_void, extern "C" fn(*mut MakeReady)>(theirs)(element) }
}

/// The state becomes ready, if it is still there, and those that wait for it are woken.
///
/// # Safety
/// A weak reference, which is given up.
unsafe fn make_state_ready(state: *mut State, counts: *mut Counts, site: u32) {
    // SAFETY: the counts are there while there is a weak reference, and the state while there is a use; no other thread
    // runs between a point and the operation behind it.
    unsafe {
        let (uses, weak) = ((&raw const (*counts).uses).cast(), (&raw const (*counts).weak).cast());
        if is_owned(uses, site) {
            let status = &raw mut (*state).status;
            if set_once::set(status, READY, Order::Release, site) & WAITERS != 0 {
                futex::wake(status, i32::MAX as u32, site);
            }
            if access_owners::gone(uses, site) == 1 {
                (*(*counts).methods)[DISPOSE](counts);
                // All uses together are one weak reference; the one that is given up here keeps the counts.
                access_owners::gone(weak, site);
                access_owners::dropped(uses as u64);
            }
        }
        if access_owners::gone(weak, site) == 1 {
            (*(*counts).methods)[DESTROY](counts);
            access_owners::dropped(weak as u64);
        }
    }
}

/// One owner more, if there is one.
///
/// # Safety
/// The count is there.
unsafe fn is_owned(uses: *const AtomicI32, site: u32) -> bool {
    let mut owners = 1;
    loop {
        // SAFETY: the caller's promise.
        match unsafe { access_owners::add_if(uses, owners, site, None) } {
            Ok(_) => return true,
            Err(0) => return false,
            Err(found) => owners = found,
        }
    }
}
