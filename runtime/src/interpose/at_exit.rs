//! What a program has registered to be done at its end before its first execution: destructors of static objects, which
//! constructors register, and functions with the attribute `destructor`. Each execution does all of it.
//!
//! Only the program's own and that of libraries with hooks: what libc, libstdc++ and other libraries do at the end of the
//! process concerns the runner, which goes on.

use super::process::Handler;
use crate::memory::imports;
use crate::memory::modules::{self, Module};
use crate::memory::static_objects;
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::ffi::c_void;

/// A function of `.fini_array`.
pub type Last = unsafe extern "C" fn();

/// Registered before executions.
struct Registered {
    /// By constructors, oldest first.
    handlers: Vec<Handler>,
    /// Functions with the attribute, in the order in which they are called.
    functions: Vec<Last>,
    /// How many of each this execution has done.
    done: (usize, usize),
}

struct Shared(UnsafeCell<Registered>);

// SAFETY: handlers and functions are written before the first execution, on the only thread; what was done of them by the
// token's holder alone.
unsafe impl Sync for Shared {}

static REGISTERED: Shared =
    Shared(UnsafeCell::new(Registered { handlers: Vec::new(), functions: Vec::new(), done: (0, 0) }));

fn registered() -> &'static mut Registered {
    // SAFETY: see `Shared`; one reference at a time.
    unsafe { &mut *REGISTERED.0.get() }
}

/// Does the module belong to the program: the executable, or a library that was compiled with our hooks?
fn is_own(module: &Module<'_>) -> bool {
    let other = module.keeps_its_state() || module.is_unwinder() || module.is_runtime();
    module.is_executable() || (!other && imports::asks(module, c"__tsan_init"))
}

/// A constructor has registered this with a call that returns to `caller`.
pub fn note(handler: Handler, caller: *const c_void) {
    if flushes(handler.0 as usize) {
        return;
    }
    let mut own = false;
    modules::each(|module| {
        let mut calls = false;
        module.code(|start, end| calls |= (start..end).contains(&(caller as usize)));
        own |= calls && is_own(module);
    });
    if own {
        registered().handlers.push(handler);
    }
}

/// Is it what each unit of C++ that includes `<iostream>` registers? All that it does is to flush the standard streams, as the
/// runner does.
fn flushes(handler: usize) -> bool {
    // SAFETY: a name.
    handler == unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"_ZNSt8ios_base4InitD1Ev".as_ptr()) } as usize
}

/// Looks at what there is to do at the end. Called once, before executions, of a program with a main of its own.
pub fn prepare() {
    let mut functions = Vec::new();
    modules::each(|module| {
        if is_own(module) {
            last_of(module, &mut functions);
        }
    });
    registered().functions = functions;
    // Else nobody registers a destructor.
    if imports::asked_for(c"__cxa_atexit") {
        static_objects::prepare(is_own);
    }
}

/// `DT_FINI_ARRAY`, `DT_FINI_ARRAYSZ`, and the section's end.
const FINI_ARRAY: u64 = 26;
const FINI_ARRAY_SIZE: u64 = 28;
const END: u64 = 0;

/// The module's functions with the attribute, last first, as they are called.
fn last_of(module: &Module<'_>, functions: &mut Vec<Last>) {
    let Some(section) = module.dynamic() else { return };
    let (mut array, mut size) = (0, 0);
    for i in 0.. {
        // SAFETY: pairs of words, of which the last one says that it is.
        let [tag, value] = unsafe { *(section as *const [u64; 2]).add(i) };
        match tag {
            END => break,
            FINI_ARRAY => array = value as usize + module.moved(),
            FINI_ARRAY_SIZE => size = value as usize,
            _ => {}
        }
    }
    if array == 0 {
        return;
    }
    for i in (0..size / size_of::<usize>()).rev() {
        // SAFETY: the linker's array of so many functions, which the loader has relocated.
        let function = unsafe { *(array as *const usize).add(i) };
        // No function, as linkers write it.
        if function != 0 && function != usize::MAX {
            // SAFETY: what stands there is called without arguments.
            functions.push(unsafe { core::mem::transmute::<usize, Last>(function) });
        }
    }
}

/// An execution begins: nothing of it is done.
pub fn begin() {
    registered().done = (0, 0);
}

/// What constructors have registered last, of what is not done yet.
pub fn next_handler() -> Option<Handler> {
    let all = registered();
    all.done.0 += 1;
    all.handlers.len().checked_sub(all.done.0).map(|left| all.handlers[left])
}

/// The next function with the attribute.
pub fn next_function() -> Option<Last> {
    let all = registered();
    all.done.1 += 1;
    all.functions.get(all.done.1 - 1).copied()
}
