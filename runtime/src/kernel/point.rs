//! The schedule point: a thread announces what it is about to do, the plan says who goes next,
//! and the thread comes back here when it is its turn and the operation can be done.

use super::here::Here;
use super::path;
use super::spin::wipe;
use super::{End, k};
use crate::model::std_rwlock;
use crate::{carrier, debug};
use raddle_schedule::decision::gives_way;
use raddle_schedule::{Event, OpKind, Outcome, flags};

/// Passes a schedule point before `event`, which can be done as soon as `enabled`.
///
/// The model has put the thread where it will be enabled from (an object's pending mask). On
/// return the operation is recorded, to be done now: as this thread's next step or, where it is
/// no point (see [`super::inline`]), as part of the step before.
#[inline]
pub fn pass(event: Event, enabled: bool) {
    notice();
    if k().holders_matter && k().me().holding != 0 {
        std_rwlock::does_while_holding(&event);
    }
    if k().me().spin.has_read() {
        return pass_in_loop(event, enabled);
    }
    pass_on(event, enabled);
}

/// The running thread does what others can notice: if it is in a drop, it matters who came to that.
#[inline]
pub fn notice() {
    let kernel = k();
    if kernel.counts.dropping >> kernel.current & 1 != 0 {
        kernel.counts.notice(kernel.current);
    }
}

/// The same for a thread that may be in a spin loop.
#[inline(never)]
fn pass_in_loop(event: Event, enabled: bool) {
    k().compare_memory();
    pass_on(event, enabled);
    k().look_at_memory();
    wipe();
}

/// The same before a read, which waits where it would only repeat itself ([`super::spin`]).
#[inline]
pub fn pass_reading(event: Event, here: &Here) {
    pass_visiting(event, true, here);
}

/// The same before a yield or a sleep, which may be all that a loop does.
#[inline(never)]
pub fn pass_giving_way(mut event: Event, here: &Here) {
    let goes_on = !k().loops_alone(&mut event, here);
    pass(event, goes_on);
}

/// The same before a lock is taken, which can be had as soon as it is `free`.
#[inline]
pub fn pass_taking(event: Event, free: bool, here: &Here) {
    if !k().begins_round(&event, here) {
        return pass(event, free);
    }
    pass_visiting(event, free, here);
}

/// The same before a read that can be made as soon as it is `ready`.
#[inline]
pub fn pass_blocking(event: Event, ready: bool, here: &Here) {
    pass_visiting(event, ready, here);
}

#[inline(never)]
fn pass_visiting(mut event: Event, free: bool, here: &Here) {
    notice();
    let visit = k().visit(&mut event, here);
    if k().holders_matter && k().me().holding != 0 {
        std_rwlock::does_while_holding(&event);
    }
    let waits = visit.waits || k().loops_alone(&mut event, here);
    pass_on(event, free && !waits);
    let kernel = k();
    kernel.remember(&visit);
    kernel.look_at_memory();
    wipe();
}

/// The same before a wait with a time limit, which is over as soon as it is `ready`.
#[inline(never)]
pub fn pass_timed(mut event: Event, ready: bool, here: &Here) {
    notice();
    if k().holders_matter && k().me().holding != 0 {
        std_rwlock::does_while_holding(&event);
    }
    let visit = k().visit_timed(&mut event, here);
    let kernel = k();
    kernel.timeouts |= if visit.waits { 0 } else { kernel.my_bit() };
    pass_on(event, ready);
    k().times_out(&visit);
    k().look_at_memory();
    wipe();
}

#[inline]
fn pass_on(mut event: Event, enabled: bool) {
    if path::may_be_in_vain(&event) {
        event.site = path::place(event.site);
    }
    let kernel = k();
    let bit = kernel.my_bit();
    if kernel.goes_with_step(&event, enabled) {
        kernel.enabled |= bit;
        return kernel.go_along(event, false);
    }
    if enabled {
        kernel.enabled |= bit;
        if kernel.restricted && !kernel.is_point(event.kind()) {
            return kernel.inline(event);
        }
        if kernel.me().no_points > 0 {
            return pass_alone(event);
        }
        // Until its turn comes, another thread may have taken it.
        if matches!(event.kind(), OpKind::Lock | OpKind::ReadLock | OpKind::WriteLock) {
            kernel.note_where_it_stands(event.site);
        }
    } else {
        kernel.enabled &= !bit;
        if kernel.lock_exits && kernel.is_in_vain(event.kind()) {
            kernel.me().pending = event;
            end_execution(Outcome::SleepBlocked, 0, "");
        }
        kernel.note_where_it_stands(event.site);
    }
    kernel.me().pending = event;
    wait_for_turn();
    k().execute_pending();
}

/// Waits for the step that wakes the running thread, and records that it goes on, or that its time is over.
pub fn wait_to_be_woken(mut wake: Event) {
    if path::may_be_in_vain(&wake) {
        wake.site = path::place(wake.site);
    }
    k().note_where_it_stands(wake.site);
    k().me().pending = wake;
    wait_for_turn();
    k().execute_pending();
}

/// A step of the running thread, which can do it, in which it is the only thread there is, for
/// the plan as well.
pub(super) fn pass_alone(mut event: Event) {
    event.flags |= flags::ALONE;
    let kernel = k();
    let all = (kernel.enabled, kernel.timeouts, kernel.ending);
    (kernel.enabled, kernel.timeouts, kernel.ending) = (kernel.my_bit(), 0, 0);
    let chosen = kernel.choose();
    (kernel.enabled, kernel.timeouts, kernel.ending) = all;
    if chosen.is_none() {
        carrier::leave();
    }
    k().execute(event);
}

/// Gives the token to whoever is next, and returns when it is this thread again.
#[inline]
pub fn wait_for_turn() {
    let kernel = k();
    let me = kernel.current;
    match kernel.next() {
        Some(next) if next == me => {}
        Some(next) => {
            let here = 0u8;
            kernel.me().spin.stack_pointer = &raw const here as usize;
            kernel.me().own_stack.suspends();
            kernel.current = next;
            carrier::switch_to(next);
            debug_assert_eq!(k().current, me);
            k().me().spin.goes_on();
            k().me().own_stack.goes_on();
        }
        None => carrier::leave(),
    }
}

/// Ends the execution from inside one of its threads.
pub fn end_execution(outcome: Outcome, code: u32, message: &str) -> ! {
    let kernel = k();
    if !kernel.end.done {
        if outcome == Outcome::Assertion && super::record::detailed() {
            kernel.tell_ending();
        }
        let stack =
            if super::record::detailed() { crate::kernel::record::backtrace() } else { Default::default() };
        let stack = kernel.without_check(stack, |pc| *pc);
        kernel.end = End {
            outcome,
            done: true,
            code,
            thread: kernel.end.thread,
            site: kernel.end.site,
            pc: kernel.end.pc,
            within: kernel.end.within,
            message: message.into(),
            misuse: kernel.end.misuse.take(),
            stack,
        };
        if outcome.is_failure() {
            debug::failed();
        }
    }
    carrier::leave()
}

impl super::Kernel {
    /// Records the pending event of the running thread as its step. A thread that was chosen
    /// out of its wait's time-out makes a `Timeout` step instead; one that was not chosen at all
    /// makes no step.
    pub fn execute_pending(&mut self) {
        let mut event = self.me().pending;
        if core::mem::take(&mut self.unasked) {
            return self.inline(event);
        }
        let bit = self.my_bit();
        if self.timeouts & bit != 0 && self.enabled & bit == 0 {
            event = event.timed_out();
            self.timeouts &= !bit;
            self.me().timed_out = true;
        }
        self.execute(event);
    }

    /// Records a step of the running thread.
    #[inline(always)]
    pub fn execute(&mut self, mut event: Event) {
        event.flags |= flags::STEP;
        if self.time_moves {
            self.carry_time(&event);
        }
        let (enabled, timeouts) = self.chosen_from;
        event.enabled = enabled;
        if timeouts != 0 {
            let mut annotation = Event::new(OpKind::Timeouts, self.current, 0);
            annotation.enabled = timeouts;
            self.annotate(annotation);
        }
        self.hash = raddle_schedule::hash::step(self.hash, &event);
        self.steps += 1;
        let alone = self.stepped == self.current && enabled | timeouts == self.my_bit();
        self.stepped = self.current;
        self.inlined_since = 0;
        self.me().run_on = false;
        self.me().visit.end();
        self.gave_way = gives_way(event.kind(), self.gave_way, alone);
        self.note_round(&event);
        self.push(event);
    }
}
