//! Fibers: corosensei coroutines on carriers' stacks.

use super::modes::Modes;
use super::{slot, tls};
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
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
    /// Lowest stack pointer seen at a switch in this execution.
    lowest: usize,
}

/// Below the lowest stack pointer seen, so much of the stack is taken to have been used by calls
/// that came back before the next switch.
const BELOW: usize = 512;

impl Fiber {
    /// No fiber.
    pub const fn none() -> Self {
        Fiber { routine: None, yielder: core::ptr::null(), lowest: usize::MAX }
    }
}

impl Fiber {
    /// The part of its stack that has been used, by what is known at its switches.
    pub fn used(&self, index: usize) -> (usize, usize) {
        let slot = slot::get(index);
        (self.lowest.saturating_sub(BELOW).clamp(slot.low, slot.base), slot.base)
    }
}

/// Prepares a fiber that will run `entry` when first resumed, with the modes of its maker, who calls this.
pub fn prepare(index: usize, entry: fn()) {
    let slot = slot::get(index);
    // Addresses of mapped memory are never 0.
    let (Some(base), Some(limit)) = (StackPointer::new(slot.base), StackPointer::new(slot.low)) else {
        return;
    };
    let (stack, modes) = (SlotStack { base, limit }, Modes::now());
    slot.fiber.routine = Some(Coroutine::with_stack(stack, move |yielder: &Yielder<(), ()>, ()| {
        slot::get(index).fiber.yielder = yielder;
        modes.set();
        entry();
    }));
}

/// The slot of the fiber that runs. The stack pointer does not tell, since the program may have stacks of its own
/// (`interpose::contexts`), and the kernel's `current` names the next thread before the switch.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// The slot of the fiber that runs, or has run last.
#[inline]
pub fn running() -> usize {
    RUNNING.load(Relaxed)
}

/// This slot's fiber runs from here on.
#[inline]
pub fn runs(index: usize) {
    RUNNING.store(index, Relaxed);
}

/// Runs a slot's fiber until it suspends itself.
#[inline]
pub fn resume(index: usize, borrow_fs: bool) {
    let slot = slot::get(index);
    runs(index);
    if borrow_fs {
        tls::set_fs(slot.fs);
    }
    if let Some(routine) = &mut slot.fiber.routine
        && let CoroutineResult::Return(()) = routine.resume(())
    {
        slot.fiber.routine = None;
    }
}

/// The slot of the running fiber; notes how deep its stack is, unless it is on one that the program has made.
#[inline(always)]
pub fn note_depth() -> usize {
    let here = 0u8;
    let (here, index) = (&raw const here as usize, running());
    let slot = slot::get(index);
    if (slot.low..slot.base).contains(&here) {
        slot.fiber.lowest = slot.fiber.lowest.min(here);
    }
    index
}

/// Goes back to whoever resumed the running fiber.
#[inline]
pub fn suspend() {
    let yielder = slot::get(note_depth()).fiber.yielder;
    // SAFETY: the fiber runs, so its yielder is alive (it lies at the base of its stack).
    unsafe { (*yielder).suspend(()) };
}

/// Drops a fiber where it stands, and makes the used part of its stack read as zero again, so
/// that uninitialised locals are the same in every execution.
pub fn abandon(index: usize) {
    if let Some(mut routine) = slot::get(index).fiber.routine.take() {
        // SAFETY: nothing on the fiber's stack is used again: the runtime keeps no borrowed
        // state there, and the program's memory is rolled back to before it ran.
        unsafe {
            routine.force_reset();
        }
    }
    let slot = slot::get(index);
    let lowest = core::mem::replace(&mut slot.fiber.lowest, usize::MAX);
    if lowest < slot.base {
        let from = lowest.saturating_sub(BELOW).max(slot.low);
        // SAFETY: the fiber's own stack, which nobody uses now.
        unsafe { core::ptr::write_bytes(from as *mut u8, 0, slot.base - from) };
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
