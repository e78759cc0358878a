//! Fairness of yields and sleeps (Musuvathi and Qadeer, PLDI 2008): which threads could be taken at a
//! step only at the expense of others that they had given way to.
//!
//! A loop that gives way expects the others to go on. Unfair schedules, in which it goes round again
//! and again while somebody else could run, are without end, and nobody wants to see them. So a
//! thread that comes back to the same yield (or sleep) gets a lower priority than those that it has
//! kept waiting since its last visit: the threads that were enabled all the time, or that it has disabled
//! itself, and that have not run. It is not taken while one of those is enabled, until that one has
//! made a step.
//!
//! The paper's windows E, D and S are a thread's, from one yield to its next. Here they are those of a
//! yield *in the program*: from one visit of it by a thread to the next. So a thread that yields many
//! times, but in no loop, loses nothing, and a program without loops is explored as ever.
//!
//! All this is read off a trace. It holds for searches without reduction only: what a reduction takes
//! for equivalent is not equally fair (algorithms, rule 7). There, a loop that only polls waits for a
//! write, as it does here (rule 9); fairness is for loops that write.

use crate::points::ThreadPoint;
use raddle_schedule::{MAX_THREADS, OpKind, hash};

/// The priorities in an execution, step by step.
pub struct Fairness {
    windows: Vec<Window>,
    /// For each thread those it gave way to, which have not run since; empty while nobody has.
    gave_way_to: Vec<u64>,
    /// The step before: who, among whom, and the site of a yield.
    last: Option<(u8, u64, Option<u32>)>,
}

/// From a thread's visit of a yield to its next.
struct Window {
    thread: u8,
    site: u32,
    /// Threads that were enabled all the time.
    enabled: u64,
    /// Threads that this thread has disabled.
    disabled: u64,
    /// Threads that have made a step.
    scheduled: u64,
}

impl Fairness {
    /// Of an execution that has not begun.
    pub fn new() -> Self {
        Fairness { windows: Vec::new(), gave_way_to: Vec::new(), last: None }
    }

    /// Of the next execution.
    pub fn clear(&mut self) {
        self.windows.clear();
        self.gave_way_to.clear();
        self.last = None;
    }

    /// Takes in the next step; gives back the threads among its alternatives that it would be unfair
    /// to take.
    #[inline]
    pub fn unfair(&mut self, p: &ThreadPoint) -> u64 {
        const YIELD: u8 = OpKind::Yield as u8;
        const SLEEP: u8 = OpKind::Sleep as u8;
        let alternatives = p.alternatives();
        if let Some((thread, before, site)) = self.last {
            self.step(thread, before, alternatives, site);
        }
        let site = matches!(p.event.raw_kind(), YIELD | SLEEP).then_some(p.event.site);
        // Before the first yield there is nothing to remember.
        if site.is_some() || !self.windows.is_empty() {
            self.last = Some((p.event.thread() % MAX_THREADS as u8, alternatives, site));
        }
        self.behind(alternatives)
    }

    /// What decides which threads will be unfair to take: 0 before the first yield. To be asked
    /// behind [`Fairness::unfair`], of the state before that step.
    pub fn state(&self) -> u64 {
        let words = |words: &[u64]| words.iter().fold(hash::EMPTY, |h, w| hash::mix(h, *w));
        // In any order: that of the first visits does not matter.
        let window = |w: &Window| {
            let whose = u64::from(w.thread) << 32 | u64::from(w.site);
            words(&[whose, w.enabled, w.disabled, w.scheduled])
        };
        let windows = self.windows.iter().fold(0, |sum: u64, w| sum.wrapping_add(window(w)));
        if windows == 0 { 0 } else { words(&[windows, words(&self.gave_way_to)]) }
    }

    /// Threads among these that gave way to another of them.
    fn behind(&self, alternatives: u64) -> u64 {
        let gave_way = |t: &u8| self.gave_way_to[usize::from(*t)] & alternatives != 0;
        if self.gave_way_to.is_empty() {
            return 0;
        }
        crate::points::bits(alternatives).filter(gave_way).fold(0, |mask, t| mask | 1 << t)
    }

    /// A thread made a step, at a yield's site if it was one: who could before, who can now.
    fn step(&mut self, thread: u8, before: u64, after: u64, site: Option<u32>) {
        let own = 1 << thread;
        for others in &mut self.gave_way_to {
            *others &= !own;
        }
        for w in &mut self.windows {
            w.enabled &= after;
            w.scheduled |= own;
            if w.thread == thread {
                w.disabled |= before & !after;
            }
        }
        let Some(site) = site else { return };
        let fresh = Window { thread, site, enabled: after, disabled: 0, scheduled: 0 };
        match self.windows.iter_mut().find(|w| (w.thread, w.site) == (thread, site)) {
            None => self.windows.push(fresh),
            Some(w) => {
                let kept_waiting = (w.enabled | w.disabled) & !w.scheduled & !own;
                *w = fresh;
                if self.gave_way_to.is_empty() {
                    self.gave_way_to.resize(MAX_THREADS, 0);
                }
                self.gave_way_to[usize::from(thread)] |= kept_waiting;
            }
        }
    }
}

impl Default for Fairness {
    fn default() -> Self {
        Fairness::new()
    }
}

/// Was a thread taken at the expense of one that it had given way to?
pub fn is_unfair(trace: &raddle_schedule::Trace) -> bool {
    let mut fairness = Fairness::new();
    crate::points::points(trace).any(|point| match point {
        crate::points::Point::Thread(p) => fairness.unfair(&p) >> (p.event.thread() & 63) & 1 != 0,
        crate::points::Point::Choice(_) => false,
    })
}
