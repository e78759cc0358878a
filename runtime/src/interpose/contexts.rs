//! Coroutines that the program makes (`makecontext`, `swapcontext`), on stacks of its own. Which thread runs one is whoever
//! has switched to it last, so they may go from thread to thread; that is told by no address (`carrier::fiber::running`).
//!
//! What belongs to the stack that is left goes with it: the functions with markers that it is in are put aside under the stack
//! pointer that will be set when somebody comes back. The program may copy contexts, so their addresses tell nothing.
//!
//! `makecontext` is done here, for two reasons. A coroutine's stack has room for what the program calls, which is often a
//! few KiB, and not for the runtime's own frames: one smaller than `ROOM` is replaced by a larger one of the heap. And libc
//! goes on to `uc_link` by a call that nobody sees. How a context is laid out is glibc's (sysdeps/x86_64/makecontext.c).
//!
//! A loop that goes through a coroutine waits as others do where all that it may have changed is compared
//! (`kernel::spin`): reads on the coroutine's own stack never wait, and what lies in mapped memory is not compared, so a
//! switch from or to there counts as progress. A part of a thread's own stack is refused: what lies there is compared as that
//! thread's frames, and the runtime wipes below them.

use super::gate::{self, Registers};
use super::refused::{called_at, refuse_with};
use super::{malloc, modelled, process};
use crate::carrier::{fiber, slot};
use crate::gates;
use crate::kernel::{k, spin};
use crate::memory::{arena, leaks, modules, snapshot};
use crate::method::Frame;
use crate::model::misuse;
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::ffi::{c_char, c_void};
use libc::{REG_R8, REG_R9, REG_RBX, REG_RCX, REG_RDI, REG_RDX, REG_RIP, REG_RSI, REG_RSP, ucontext_t};
use raddle_schedule::OpKind;

/// Stacks of at least so many bytes have room for the runtime too.
const ROOM: usize = 256 << 10;
/// So many places to come back to are remembered.
const MOST: usize = 4096;

/// What the contexts of an execution are.
struct Contexts {
    /// Where somebody may come back to, by its stack pointer, and the functions that it is in. The latest is the last.
    left: Vec<(usize, Vec<Frame>)>,
    /// Stacks of the program that were replaced: their addresses, and the place and length of what is used instead.
    replaced: Vec<(usize, usize, usize)>,
}

struct Shared(UnsafeCell<Contexts>);

// SAFETY: used by the token's holder only.
unsafe impl Sync for Shared {}

static CONTEXTS: Shared = Shared(UnsafeCell::new(Contexts { left: Vec::new(), replaced: Vec::new() }));

fn contexts() -> &'static mut Contexts {
    // SAFETY: see `Shared`; one reference at a time.
    unsafe { &mut *CONTEXTS.0.get() }
}

/// An execution begins.
pub fn begin() {
    contexts().left.clear();
    contexts().replaced.clear();
}

/// The running thread may come back to where its stack pointer is this.
fn leave(stack_pointer: usize, frames: Vec<Frame>) {
    fiber::note_depth();
    let left = &mut contexts().left;
    left.retain(|(at, _)| *at != stack_pointer);
    if left.len() == MOST {
        left.remove(0);
    }
    left.push((stack_pointer, frames));
}

/// The running thread goes to this context, or comes from it: where its stack was replaced, nothing else touches the one that
/// the program has given it.
fn on_stack(stack_pointer: usize, caller: *const c_void) {
    let is_on = |&&(_, low, len): &&(usize, usize, usize)| (low..low + len).contains(&stack_pointer);
    let given = contexts().replaced.iter().find(is_on).map(|(given, ..)| *given);
    if let Some(given) = given {
        misuse::look_at_buffer(OpKind::Write, given, 1, caller);
    }
}

/// The running thread goes to this context.
fn go(context: &ucontext_t, caller: *const c_void) {
    let to = context.uc_mcontext.gregs[REG_RSP as usize] as usize;
    on_stack(to, caller);
    let here = 0u8;
    let all = [to, &raw const here as usize, &raw const *context as usize];
    if !all.into_iter().all(is_compared) {
        spin::changed();
    }
    let known = contexts().left.iter().find(|(at, _)| *at == to);
    k().me().frames.exchange(known.map(|(_, frames)| frames.clone()).unwrap_or_default());
}

/// Is it memory that spin loops compare?
fn is_compared(address: usize) -> bool {
    let mut found = slot::is_stack(address) || arena::contains(address);
    modules::each(|m| m.data(|start, end| found |= (start..end).contains(&address)));
    found
}

/// What the stack pointer will be when the call that a gate has seen comes back.
///
/// # Safety
/// The gate's own record.
unsafe fn behind_call(registers: *const Registers) -> usize {
    // SAFETY: the caller vouches for it.
    unsafe { &raw const (*registers).caller as usize + size_of::<usize>() }
}

extern "C" fn gets(name: *const c_char, registers: *const Registers) -> *mut c_void {
    if modelled() {
        // SAFETY: the gate's own record.
        leave(unsafe { behind_call(registers) }, k().me().frames.copy());
    }
    gate::behind(gate::name(name))
}

extern "C" fn sets(name: *const c_char, registers: *const Registers) -> *mut c_void {
    if modelled() {
        // SAFETY: the gate's own record, and the caller's context.
        unsafe { go(&*((*registers).arguments[0] as *const ucontext_t), (*registers).caller) };
    }
    gate::behind(gate::name(name))
}

extern "C" fn swaps(name: *const c_char, registers: *const Registers) -> *mut c_void {
    if modelled() {
        // SAFETY: as above.
        unsafe {
            leave(behind_call(registers), k().me().frames.exchange(Vec::new()));
            on_stack(behind_call(registers), (*registers).caller);
            go(&*((*registers).arguments[1] as *const ucontext_t), (*registers).caller);
        }
    }
    gate::behind(gate::name(name))
}

extern "C" fn makes(name: *const c_char, registers: *const Registers) -> *mut c_void {
    if !modelled() {
        return gate::behind(gate::name(name));
    }
    // SAFETY: the gate's own record, and a context of the caller's that getcontext has filled. Behind the return address
    // lie the arguments that registers had no room for.
    let (context, arguments, others, caller) = unsafe {
        let registers = &*registers;
        let context = &mut *(registers.arguments[0] as *mut ucontext_t);
        (context, &registers.arguments, behind_call(registers) as *const usize, registers.caller)
    };
    let (low, len) = stack_of(context, caller);
    contexts().left.retain(|(at, _)| !(low..low + len).contains(at));
    let count = (arguments[2] as u32 as usize).min(256);
    // SAFETY: a variadic call has so many arguments behind the third: three in registers, the rest on the stack.
    let argument = |n: usize| unsafe { if n < 3 { arguments[n + 3] } else { *others.add(n - 3) } };
    let link = count.saturating_sub(6) + 1;
    let stack_pointer = ((low + len - 8 * link) & !15) - 8;
    let words = stack_pointer as *mut usize;
    // SAFETY: the highest words of the stack, which nobody uses yet.
    unsafe {
        *words = after_its_function as *const () as usize + 1;
        *words.add(link) = context.uc_link as usize;
        (6..count).for_each(|n| *words.add(n - 5) = argument(n));
    }
    let registers = &mut context.uc_mcontext.gregs;
    let mut set = |register: libc::c_int, value: usize| registers[register as usize] = value as i64;
    for (n, register) in [REG_RDI, REG_RSI, REG_RDX, REG_RCX, REG_R8, REG_R9].into_iter().enumerate() {
        if n < count {
            set(register, argument(n));
        }
    }
    set(REG_RIP, arguments[1]);
    set(REG_RSP, stack_pointer);
    set(REG_RBX, stack_pointer + 8 * link);
    done as *mut c_void
}

/// Where the stack of a new coroutine lies, and how long it is.
fn stack_of(context: &ucontext_t, caller: *const c_void) -> (usize, usize) {
    let (asked, len) = (context.uc_stack.ss_sp as usize, context.uc_stack.ss_size);
    if slot::is_stack(asked) {
        // Where its frames lie among those of the thread, nothing here tells them apart.
        k().end.site = called_at(caller);
        refuse_with("makecontext", "with a part of a thread's own stack");
    }
    if len >= ROOM {
        // Calls of the system fail where they are to write into pages that nobody has written yet.
        snapshot::touch(asked, len);
        return (asked, len);
    }
    // What lies on it is no root (`memory::leaks`).
    leaks::cannot_tell();
    misuse::look_at_buffer(OpKind::Write, asked, len, caller);
    let replaced = &mut contexts().replaced;
    if let Some((_, low, len)) = replaced.iter().find(|(at, _, length)| *at == asked && *length >= len + ROOM)
    {
        return (*low, *len);
    }
    let low = malloc::allocate(len + ROOM, 16, caller) as usize;
    if low == 0 {
        k().end.site = called_at(caller);
        refuse_with("makecontext", "where memory is short");
    }
    let replaced = &mut contexts().replaced;
    replaced.retain(|(at, ..)| *at != asked);
    replaced.push((asked, low, len + ROOM));
    (low, len + ROOM)
}

/// What a gate jumps to where there is nothing more to do.
#[unsafe(naked)]
extern "C" fn done() {
    core::arch::naked_asm!("ret")
}

/// A coroutine's function returns to the second byte of this, with rbx as `makecontext` has set it. (Who looks for the
/// function of a return address looks at the byte before it.)
#[unsafe(naked)]
extern "C" fn after_its_function() {
    core::arch::naked_asm!(
        ".cfi_startproc",
        ".cfi_undefined rip",
        "nop",
        "mov rdi, [rbx]",
        "call {ended}",
        "ud2",
        ".cfi_endproc",
        ended = sym ended,
    )
}

/// A coroutine's function has ended: its thread goes on with what is linked behind it, or ends the process.
extern "C" fn ended(link: *const ucontext_t) -> ! {
    // SAFETY: the program's own context, if there is one.
    let Some(context) = (unsafe { link.as_ref() }) else { process::exit_execution(0, 0) };
    if modelled() {
        go(context, core::ptr::null());
    }
    // SAFETY: libc's function of this type.
    unsafe {
        let set: unsafe extern "C" fn(*const ucontext_t) = core::mem::transmute(gate::behind(c"setcontext"));
        set(link);
    }
    // It has failed, and then libc ends the process so.
    process::exit_execution(-1, 0)
}

gates! { gets: getcontext }
gates! { sets: setcontext }
gates! { swaps: swapcontext }
gates! { makes: makecontext }
