//! Stacks that have gone: what a thread does to an object on a stack, in a function that has returned or of a thread that
//! has ended, and to a thread-local of such a thread.
//!
//! Two things are known. *Below a stack pointer nothing lives*: a thread that does not run stands in a call of the
//! runtime's, and everything below its stack pointer at that call has gone, whoever's it was (`is_gone`). That is
//! certain, and ends the execution. And *a marker tells where a function's frame ends* ([`returns`]): by then everything
//! below it has gone, though another function may have the place by now. Returning is no operation, as giving back
//! memory is none, so the two need not be run in either order: what others use there is told beside the events, as
//! something destroyed when the function returned ([`raddle_schedule::misuse::Destroyed`]), and happens-before tells
//! whether anything orders it. To that end the end of a frame is told if others have used something in it
//! (`Stack::used`), or use it later (`Stack::gone`).
//!
//! A thread's use of its own stack, as nearly all are, costs two comparisons: an own frame has gone if it lies below
//! the stack pointer at this very call ([`is_own_and_gone`]). Functions return often, and are asked
//! for seldom, so what returned last is only written down (`Stack::recent`) until somebody asks.

use super::misuse;
use crate::carrier::{slot, tls};
use crate::interpose::code_site;
use crate::kernel::k;
use crate::method::{Ending, Method};
use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;
use core::ffi::c_void;
use raddle_schedule::misuse::{Destroyed as Told, Involved, Part, What};
use raddle_schedule::{Event, OpKind};

/// Where the running thread's stack pointer was when it called the runtime last, by an entry point that says so: at
/// the return address. Most do; the others are told by what stands there (`stack_pointer`).
pub static mut ENTERED: usize = 0;

/// [`ENTERED`].
pub fn entered() -> usize {
    // SAFETY: read and written by the token's holder only.
    unsafe { ENTERED }
}

/// The running thread has called the runtime there.
pub fn enters(at: usize) {
    // SAFETY: as above.
    unsafe { ENTERED = at };
}

/// A function that has returned, and its frame, while other threads were there.
#[derive(Clone, Copy)]
struct Gone {
    low: usize,
    high: usize,
    /// Events before it returned.
    at: u32,
    record: *const Method,
    /// A return address at its end.
    end: usize,
}

/// Frames that others have the place of and that are remembered: whose the object was that somebody uses is the first one
/// that went without an order, and others may have had the place since.
const OVERLAID: usize = 32;

/// Frames that are written down before it is seen which of them overlays which.
const RECENT: usize = 256;

/// A thread's stack, as others see it.
pub struct Stack {
    /// [`ENTERED`] while others run.
    entered: usize,
    /// The thread is over: so many events came before.
    over: Option<u32>,
    /// Frames of functions that have returned last, the oldest first.
    recent: Vec<Gone>,
    /// No frame that has gone, at any time, reached above this.
    reach: usize,
    /// Frames of functions that have returned before, those that were overlaid since left out; by address.
    gone: Vec<Gone>,
    /// Those that were left out last, in a ring.
    overlaid: Vec<Gone>,
    next: usize,
    /// What other threads have used and has not gone, by address: from, to.
    used: Vec<(usize, usize)>,
    /// The first address of `used`; the highest there is where that is empty.
    lowest: usize,
    /// Ends that were told because of a later use: how many events came before them, and of what.
    told: BTreeSet<(u32, usize)>,
}

impl Stack {
    /// Of a thread that has not begun.
    pub const fn new() -> Self {
        Stack {
            entered: 0,
            over: None,
            recent: Vec::new(),
            reach: 0,
            gone: Vec::new(),
            overlaid: Vec::new(),
            next: 0,
            used: Vec::new(),
            lowest: usize::MAX,
            told: BTreeSet::new(),
        }
    }

    /// That of another thread from here on.
    pub fn reset(&mut self) {
        (self.entered, self.over, self.lowest, self.reach) = (0, None, usize::MAX, 0);
        self.recent.clear();
        self.gone.clear();
        self.overlaid.clear();
        self.next = 0;
        self.used.clear();
        self.told.clear();
    }

    /// Another thread runs instead.
    #[inline(always)]
    pub fn suspends(&mut self) {
        self.entered = entered();
    }

    /// Its thread has not called the runtime where it stands.
    pub fn stands_elsewhere(&mut self) {
        self.entered = 0;
    }

    /// Its thread runs again.
    #[inline(always)]
    pub fn goes_on(&self) {
        enters(self.entered);
    }

    /// A frame has gone.
    #[inline]
    fn goes(&mut self, frame: Gone) {
        if self.recent.len() == RECENT {
            self.settle();
        }
        self.reach = self.reach.max(frame.high);
        self.recent.push(frame);
    }

    /// Puts those that went last where they were.
    #[inline(never)]
    fn settle(&mut self) {
        for at in 0..self.recent.len() {
            self.overlay(self.recent[at]);
        }
        self.recent.clear();
    }

    /// A frame has gone in the place of those that lay there before. (Functions that are called one after another lie
    /// mostly at the end: what was deeper is lower.)
    fn overlay(&mut self, frame: Gone) {
        let from = self.gone.partition_point(|g| g.high <= frame.low);
        let overlaid = self.gone[from..].iter().take_while(|g| g.low < frame.high).count();
        for at in from..from + overlaid {
            let old = self.gone[at];
            match self.overlaid.get_mut(self.next) {
                Some(place) => *place = old,
                None => self.overlaid.push(old),
            }
            self.next = (self.next + 1) % OVERLAID;
        }
        if overlaid == 1 {
            self.gone[from] = frame;
        } else {
            self.gone.splice(from..from + overlaid, [frame]);
        }
    }

    /// The frames that this address was in, the oldest first.
    fn all_at(&mut self, address: usize) -> Vec<Gone> {
        if address >= self.reach {
            return Vec::new();
        }
        self.settle();
        let (newer, older) = self.overlaid.split_at(self.next.min(self.overlaid.len()));
        let before = older.iter().chain(newer).filter(|g| (g.low..g.high).contains(&address));
        before.copied().chain(self.last_at(address)).collect()
    }

    /// The function that had this address at last, or the nearest that it was called by.
    fn last_at(&self, address: usize) -> Option<Gone> {
        self.gone.get(self.gone.partition_point(|g| g.high <= address)).copied()
    }

    /// Another thread has used this, while it was there.
    fn is_used(&mut self, from: usize, to: usize) {
        let at = self.used.partition_point(|(_, end)| *end < from);
        match self.used.get_mut(at) {
            Some((start, end)) if *start <= from && to <= *end => return,
            Some((start, end)) if *start <= to => (*start, *end) = ((*start).min(from), (*end).max(to)),
            _ => self.used.insert(at, (from, to)),
        }
        self.lowest = self.used[0].0;
    }

    /// Takes out what others have used below this address.
    fn take_used(&mut self, high: usize) -> Vec<(usize, usize)> {
        let count = self.used.partition_point(|(from, _)| *from < high);
        let mut taken: Vec<_> = self.used.drain(..count).collect();
        if let Some((_, end)) = taken.last_mut().filter(|(_, end)| *end > high) {
            self.used.insert(0, (high, *end));
            *end = high;
        }
        self.lowest = self.used.first().map_or(usize::MAX, |(from, _)| *from);
        taken
    }
}

impl Default for Stack {
    fn default() -> Self {
        Stack::new()
    }
}

/// A function of the running thread returns, by the marker that its begin gave this token to.
#[inline]
pub fn returns(token: usize, caller: *const c_void) {
    if k().spawned > 1
        && let Some(ending) = k().me().frames.ending(token)
    {
        ends(ending, caller as usize);
    }
}

/// The running thread jumps out of functions, to where its stack pointer is then.
pub fn jumps(ending: Option<Ending>, caller: *const c_void) {
    if k().spawned > 1
        && let Some(ending) = ending
    {
        ends(ending, caller as usize);
    }
}

fn ends(ending: Ending, caller: usize) {
    let kernel = k();
    let (at, thread) = (kernel.events.len() as u32, kernel.current);
    let me = kernel.me();
    let Ending { low, high, record, call } = ending;
    // Nothing is said of stacks that the program has made.
    if low >= high || !on_stack(me.slot, low) || high > slot::get(me.slot).base {
        return;
    }
    let frame = Gone { low, high, at, record, end: call.unwrap_or(caller) };
    me.own_stack.goes(frame);
    if me.own_stack.lowest >= high {
        return;
    }
    let by = returned(&frame, thread);
    for (from, to) in k().me().own_stack.take_used(high) {
        tell(Told { at, kind: OpKind::Write, size: (to - from) as u32, object: from as u64, by });
    }
}

/// The running thread has run all its code, and that of its destructors.
pub fn is_over() {
    let kernel = k();
    let (at, thread) = (kernel.events.len() as u32, kernel.current);
    let stack = &mut kernel.me().own_stack;
    stack.over = Some(at);
    for (from, to) in stack.take_used(usize::MAX) {
        let by = Involved { part: Part::Ended, thread, method: 0, site: 0 };
        tell(Told { at, kind: OpKind::Write, size: (to - from) as u32, object: from as u64, by });
    }
}

fn on_stack(index: usize, address: usize) -> bool {
    let slot = slot::get(index);
    (slot.low..slot.base).contains(&address)
}

fn returned(frame: &Gone, thread: u8) -> Involved {
    // SAFETY: a record of the program's static data.
    let method = unsafe { crate::method::number_of(frame.record) };
    Involved { part: Part::Returned, thread, method, site: code_site(frame.end as u64) }
}

/// Told beside the events, in their order.
fn tell(told: Told) {
    let all = &mut k().destroys;
    let behind = all.chunks(Told::WORDS).rev().take_while(|d| d[0] as u32 > told.at).count();
    let place = all.len() - behind * Told::WORDS;
    let mut words = Vec::new();
    told.encode(&mut words);
    all.splice(place..place, words);
}

/// An event was recorded: is it of something on another thread's stack, or below what the thread has of its own?
#[inline(always)]
pub fn look(event: &Event) {
    let may_have_gone = |address: usize| {
        slot::is_stack(address) && (address < entered() || slot::of_address(address) != k().me().slot)
    };
    if may_have_gone(event.object() as usize) || may_have_gone(event.value as usize) {
        look_closely(event);
    }
}

/// Is this address in a frame of the running thread's that has gone? It calls the runtime, for something there, from this
/// return address. (The caller has all that it still needs above its stack pointer: the callee may write below.)
#[inline]
pub fn is_own_and_gone(address: usize, caller: *const c_void) -> bool {
    slot::is_stack(address) && address < entered() && is_below(address, |word| word == caller as usize)
}

/// Is this below the stack pointer at which the running thread has called the runtime? That is known by the return
/// address that stands there, where the call came by an entry point that says so.
#[inline(never)]
fn is_below(address: usize, is_caller: impl Fn(usize) -> bool) -> bool {
    let (entered, slot) = (entered(), k().me().slot);
    if !on_stack(slot, entered) || !(slot::get(slot).low..entered).contains(&address) {
        return false;
    }
    // SAFETY: a word of the thread's own stack, in a frame that is there if the call came by it; otherwise any word.
    is_caller(unsafe { *(entered as *const usize) })
}

#[inline(never)]
fn look_closely(event: &Event) {
    use OpKind::*;
    match event.kind() {
        // Who was woken on a condition variable does not need it any more, and a wake of a futex whose word is gone
        // wakes nobody.
        CondWake | Timeout => look_at(event, event.value, 1),
        FutexWake | LockExit | ThreadStart | Spawn | Join | Exit => {}
        CondEnqueue => {
            look_at(event, event.object(), 1);
            look_at(event, event.value, 1);
        }
        kind if kind.is_data() || kind.is_atomic() => look_at(event, event.object(), event.size()),
        _ => look_at(event, event.object(), 1),
    }
}

fn look_at(event: &Event, object: u64, size: u32) {
    let (address, kernel) = (object as usize, k());
    if !slot::is_stack(address) {
        return;
    }
    let index = slot::of_address(address);
    let Some(owner) = kernel.threads[..kernel.spawned].iter().position(|t| t.slot == index) else { return };
    // Thread-locals lie above the stack, and go with their thread.
    if !on_stack(index, address) && !tls::has(slot::get(index).fs, address) {
        return;
    }
    if owner == usize::from(kernel.current) {
        if is_below(address, |word| is_of(event.site, word)) {
            // Several had the place: whose the object was is not known.
            let whose = match k().me().own_stack.all_at(address).as_slice() {
                [frame] => Some(returned(frame, owner as u8)),
                _ => None,
            };
            ends_with(event, object, owner as u8, whose, false);
        }
        return;
    }
    let gone = is_gone(owner, address);
    let stack = &mut k().threads[owner].own_stack;
    let (frames, over) = (stack.all_at(address), stack.over.is_some());
    if !gone {
        stack.is_used(address, address + size as usize);
    }
    for frame in &frames {
        let told = &mut k().threads[owner].own_stack.told;
        if told.insert((frame.at, address)) {
            let by = returned(frame, owner as u8);
            tell(Told { at: frame.at, kind: OpKind::Write, size, object, by });
        }
    }
    if gone {
        let whose = frames.last().map(|frame| returned(frame, owner as u8));
        ends_with(event, object, owner as u8, whose, over);
    }
}

#[cold]
fn ends_with(event: &Event, object: u64, owner: u8, whose: Option<Involved>, over: bool) {
    let part = |part| Involved { part, thread: owner, method: 0, site: 0 };
    let what = if over { What::UseAfterThreadEnd } else { What::UseAfterReturn };
    let mut involved = match whose {
        Some(whose) => vec![whose],
        None if over => Vec::new(),
        None => vec![part(Part::Returned)],
    };
    if over {
        involved.push(part(Part::Ended));
    }
    misuse::of_object(what, event.kind(), object, involved, event.site)
}

/// Is it certain that nothing of the program's is at this address of that thread's stack any more?
fn is_gone(owner: usize, address: usize) -> bool {
    let thread = &k().threads[owner];
    if thread.own_stack.over.is_some() {
        return true;
    }
    let suspended = thread.spin.stack_pointer;
    if !on_stack(thread.slot, suspended) {
        // It has not begun, or is on a stack that the program has made.
        return false;
    }
    // What stands at the stack pointer is asked for only where it matters.
    let entered = thread.own_stack.entered + size_of::<usize>();
    address < suspended || address < entered && stack_pointer(owner).is_some_and(|above| address < above)
}

/// The stack pointer at which a thread that does not run has called the runtime, if it is known that it did so by
/// the entry point that said so last. Then what it is about to do was asked for from there.
fn stack_pointer(owner: usize) -> Option<usize> {
    let thread = &k().threads[owner];
    let entered = thread.own_stack.entered;
    if entered < thread.spin.stack_pointer || !on_stack(thread.slot, entered) {
        return None;
    }
    // SAFETY: a word of the thread's stack, above its stack pointer.
    let caller = unsafe { *(entered as *const usize) };
    is_of(thread.pending.site, caller).then_some(entered + size_of::<usize>())
}

/// Is this the return address of the call at that place?
fn is_of(site: u32, word: usize) -> bool {
    k().setup().channel.sites().get(site).is_some_and(|site| site.address == word as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gone(low: usize, high: usize, at: u32) -> Gone {
        Gone { low, high, at, record: core::ptr::null(), end: 0 }
    }

    #[test]
    fn a_frame_takes_the_place_of_those_that_it_overlays() {
        let mut stack = Stack::new();
        for (low, high, at) in [(100, 200, 1), (200, 260, 2), (260, 400, 3), (80, 90, 4), (150, 270, 5)] {
            stack.goes(gone(low, high, at));
        }
        stack.settle();
        let at = |address| stack.last_at(address).map(|g| g.at);
        assert_eq!(
            [80, 90, 149, 150, 269, 270, 400].map(at),
            [Some(4), Some(5), Some(5), Some(5), Some(5), None, None]
        );
    }

    #[test]
    fn what_others_use_is_told_once_it_goes() {
        let mut stack = Stack::new();
        for (from, to) in [(100, 108), (108, 112), (96, 100), (200, 208), (104, 106), (150, 151)] {
            stack.is_used(from, to);
        }
        assert_eq!((stack.used.as_slice(), stack.lowest), (&[(96, 112), (150, 151), (200, 208)][..], 96));
        assert_eq!(stack.take_used(96), []);
        assert_eq!(stack.take_used(204), [(96, 112), (150, 151), (200, 204)]);
        assert_eq!((stack.take_used(usize::MAX), stack.lowest), (vec![(204, 208)], usize::MAX));
    }
}
