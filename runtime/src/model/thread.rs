//! Threads: birth, end, and waiting for the end.

use super::atomic::{self, Effect};
use super::{ended, event, robust, stacks};
use crate::carrier::{fiber, slot, tls};
use crate::debug;
use crate::interpose::process;
use crate::kernel::here::Here;
use crate::kernel::outside;
use crate::kernel::point::{end_execution, pass, wait_for_turn};
use crate::kernel::{Body, k};
use core::ffi::c_void;
use raddle_schedule::misuse::Involved;
use raddle_schedule::{Event, MAX_THREADS, OpKind, Order, Outcome, TOO_MANY_THREADS, flags, world};

/// Is there no room for one more thread (`--max-threads`)? Otherwise this takes one place. The answer depends on which threads
/// were created and have ended, so where a number is given creating, ending and asking are steps on one object. The number
/// orders nothing else.
pub fn is_refused(site: u32, here: &Here) -> bool {
    let most = k().setup().max_threads;
    if most == 0 {
        return false;
    }
    atomic::before_reading(OpKind::AtomicRmw, world::THREADS, 8, Order::Relaxed, site, here);
    let present = k().present;
    let is_refused = present >= most;
    k().present += u32::from(!is_refused);
    atomic::done(present.into(), if is_refused { Effect::Same } else { Effect::Done });
    is_refused
}

/// The running thread makes room for another one.
fn makes_room() {
    if k().setup().max_threads != 0 {
        atomic::before(OpKind::AtomicRmw, world::THREADS, 8, Order::Relaxed, 0);
        let present = k().present;
        k().present -= 1;
        atomic::done(present.into(), Effect::Done);
    }
}

/// Creates a thread, which somebody may have detached; returns its number.
pub fn spawn(body: Body, let_go: Option<Involved>, site: u32) -> u8 {
    pass(event(OpKind::Spawn, 0, site), true);
    let kernel = k();
    let number = kernel.spawned;
    if number >= MAX_THREADS {
        kernel.end.site = site;
        if let Some(event) = kernel.last_event() {
            event.flags |= flags::FAILED;
        }
        end_execution(Outcome::Unsupported, 0, TOO_MANY_THREADS);
    }
    if kernel.current != 0 {
        kernel.numbers_threads(outside::NESTED);
    }
    let parent = kernel.me().slot;
    let index = slot::of_child(parent, kernel.me().children);
    kernel.me().children += 1;
    if !slot::ensure(index) {
        if let Some(event) = k().last_event() {
            event.flags |= flags::FAILED;
        }
        end_execution(
            Outcome::Unsupported,
            0,
            "no memory or no OS thread left for another thread of the test",
        );
    }
    let kernel = k();
    if let Some(event) = kernel.last_event() {
        event.value = number as u64;
    }
    kernel.spawned = number + 1;
    kernel.threads[number].reset(number as u8, index, Some(body));
    kernel.threads[number].let_go = let_go;
    kernel.counts.born(number, kernel.current);
    kernel.threads[number].clock = kernel.me().clock;
    kernel.threads[number].signals = kernel.me().signals.inherited();
    kernel.enabled |= 1 << number;
    debug::lives(number);
    // The birth ends the parent's atomic block: see `kernel::inline`.
    kernel.me().run_on |= kernel.lock_exits;
    tls::reset(slot::get(index).fs);
    fiber::prepare(index, first_step);
    number as u8
}

/// What a spawned thread's fiber runs.
fn first_step() {
    k().execute_pending();
    let Some(body) = k().me().body else { return };
    let here = 0u8;
    k().me().spin.top = &raw const here as usize;
    let result = (body.function)(body.argument);
    exit(result)
}

/// Ends the running thread.
pub fn exit(result: *mut c_void) -> ! {
    // What std asks is whether the function is through: destructors of thread-locals come behind that.
    ended::tell();
    let begin = k().events.len();
    run_destructors();
    let me = k().current;
    // std gives back what is the thread's own, which tells others nothing: who used it behind that would be found.
    let does = |e: &Event| e.thread() == me && e.kind() != OpKind::Free;
    k().me().does_behind = k().events[begin..].iter().any(does);
    depart(result)
}

/// Ends the running thread, whose destructors have run.
pub fn depart(result: *mut c_void) -> ! {
    k().me().result = result;
    robust::holder_ends();
    ended::tell_gone();
    stacks::is_over();
    makes_room();
    let number = u64::from(k().current);
    pass(event(OpKind::Exit, number, 0), true);
    if k().main_left && k().is_alone() {
        // libc ends the process with its last thread, as `exit` does.
        process::run_handlers();
    }
    finish();
    wait_for_turn();
    // Never chosen again.
    crate::carrier::leave()
}

/// The running thread has ended: whoever waits for it can go on.
pub fn finish() {
    let kernel = k();
    let bit = kernel.my_bit();
    kernel.finished |= bit;
    kernel.enabled &= !bit;
    let joiners = kernel.me().joiners;
    kernel.enabled |= joiners;
    debug::ended(kernel.current);
}

/// Runs what a thread runs at its end: destructors of native thread-locals, then those of thread-specific keys. They
/// may use everything a thread may use, and add to the list.
pub fn run_destructors() {
    run_native_destructors();
    crate::interpose::keys::run_destructors();
}

/// Runs destructors of native thread-locals, newest first: all that a thread runs that ends the process (C11, 7.22.4.4; glibc,
/// `exit`).
pub fn run_native_destructors() {
    while let Some((destructor, object)) = k().me().destructors.pop() {
        // SAFETY: registered by the program for this very call.
        unsafe { destructor(object) };
    }
}

/// Waits for the end of a thread; returns its result.
pub fn join(number: u8, site: u32) -> *mut c_void {
    let kernel = k();
    let bit = kernel.my_bit();
    let ended = kernel.finished >> number & 1 != 0;
    kernel.threads[usize::from(number)].joiners |= bit;
    pass(event(OpKind::Join, u64::from(number), site), ended);
    let me = k().current;
    k().counts.joined(me, number);
    let thread = &mut k().threads[usize::from(number)];
    thread.joiners &= !bit;
    thread.joined = true;
    thread.joined_by = k().current;
    let (result, clock, panicked) = (thread.result, thread.clock, thread.panic.is_some());
    if panicked {
        k().me().joined_panic = Some(number);
    }
    k().me().not_before(clock);
    result
}
