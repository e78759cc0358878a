//! Fibers: corosensei coroutines on carriers' stacks.

use super::{slot, tls};
use corosensei::stack::{Stack, StackPointer};
use corosensei::{Coroutine, CoroutineResult, Yielder};

/// The lent stack of a slot.
pub struct SlotStack {
    base: StackPointer,
    limit: StackPointer,
}

// SAFETY: base and limit bound mapped memory that only this fiber uses (the lender's frames lie
// above the base), aligned to 64 bytes, with a guard below the limit.
unsafe impl Stack for SlotStack {
    fn base(&self) -> StackPointer {
        self.base
    }

    fn limit(&self) -> StackPointer {
        self.limit
    }
}

type Routine = Coroutine<(), (), (), SlotStack>;

/// The fiber of a slot, if it has one in this execution.
pub struct Fiber {
    routine: Option<Routine>,
    /// How the fiber suspends itself; valid while it runs.
    yielder: *const Yielder<(), ()>,
}

impl Fiber {
    /// No fiber.
    pub const fn none() -> Self {
        Fiber { routine: None, yielder: core::ptr::null() }
    }
}

/// Prepares a fiber that will run `entry` when first resumed.
pub fn prepare(index: usize, entry: fn()) {
    let slot = slot::get(index);
    // Addresses of mapped memory are never 0.
    let (Some(base), Some(limit)) = (StackPointer::new(slot.base), StackPointer::new(slot.low)) else {
        return;
    };
    let stack = SlotStack { base, limit };
    slot.fiber.routine = Some(Coroutine::with_stack(stack, move |yielder: &Yielder<(), ()>, ()| {
        slot::get(index).fiber.yielder = yielder;
        entry();
    }));
}

/// Runs a slot's fiber until it suspends itself.
#[inline]
pub fn resume(index: usize, borrow_fs: bool) {
    let slot = slot::get(index);
    if borrow_fs {
        tls::set_fs(slot.fs);
    }
    if let Some(routine) = &mut slot.fiber.routine
        && let CoroutineResult::Return(()) = routine.resume(())
    {
        slot.fiber.routine = None;
    }
}

/// Goes back to whoever resumed the running fiber.
#[inline]
pub fn suspend() {
    // The kernel's `current` names the next thread already; the running one is found by its stack.
    let yielder = slot::get(running_slot()).fiber.yielder;
    // SAFETY: the fiber runs, so its yielder is alive (it lies at the base of its stack).
    unsafe { (*yielder).suspend(()) };
}

/// The slot whose stack we are on.
#[inline]
pub fn running_slot() -> usize {
    let here = 0u8;
    slot::of_address(&raw const here as usize)
}

/// Drops a fiber where it stands.
pub fn abandon(index: usize) {
    if let Some(mut routine) = slot::get(index).fiber.routine.take() {
        // SAFETY: nothing on the fiber's stack is used again: the runtime keeps no borrowed
        // state there, and the program's memory is rolled back to before it ran.
        unsafe {
            routine.force_reset();
        }
    }
}

/// From a signal handler on the running fiber: arranges that the handler's return goes to
/// whoever resumed the fiber, which is thereby over. Returns instruction pointer, stack pointer,
/// frame pointer and the first two arguments to be set.
pub fn escape(index: usize) -> Option<[u64; 5]> {
    let routine = slot::get(index).fiber.routine.as_ref()?;
    // SAFETY: called by the fault handler while this fiber runs; its stack below the fault is
    // not used again.
    let regs = unsafe { routine.trap_handler().setup_trap_handler(|| ()) };
    Some([regs.rip, regs.rsp, regs.rbp, regs.rdi, regs.rsi])
}
