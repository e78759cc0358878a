//! Drops behind the last decrement of a count: what they do that others can notice, and where they end.

use super::{Counts, Dropping, Role, WEAK};
use crate::carrier::{slot, tls};
use crate::kernel::drop_slow::{DropSlow, NEAR};
use crate::kernel::k;
use crate::memory::{modules, snapshot};
use raddle_schedule::OpKind;

impl Dropping {
    /// The pointer to the virtual table and both counts are the library's own. Behind them may lie the object.
    fn is_own(&self, at: u64) -> bool {
        let counts = self.word / WORD * WORD;
        (counts - WORD..counts + WORD).contains(&at)
    }

    /// Has it accessed what others may access as well?
    fn has_touched_others(&self) -> bool {
        let all = self.touched.iter().flatten();
        all.into_iter().any(|at| !modules::is_constant(*at as usize))
    }
}

impl Counts {
    /// The drop behind the last decrement of a `shared_ptr`'s count is over. True if the race detector may know of it.
    pub fn dropped_by_owner(&mut self, word: u64) -> bool {
        if !self.looks() {
            return false;
        }
        let (me, strong) = (k().current, word - WEAK);
        if self.counts.get(&strong).is_some_and(|count| count.gone) {
            // With the weak count both are given back, and may come to be another one's.
            self.counts.remove(&strong);
            self.counts.remove(&word);
        }
        if self.dropping >> me & 1 == 0 {
            return false;
        }
        // A drop that was noticed is not here: what it learned by other operations stays.
        let Some(at) = self.drops.iter().rposition(|d| d.thread == me && d.word == word) else {
            return false;
        };
        let drop = self.drops.swap_remove(at);
        self.forget_drops(me);
        if drop.left != left_behind() || drop.has_touched_others() {
            self.tell_of(&drop);
        }
        if self.orders_drops(word) {
            return false;
        }
        self.lends(&drop);
        self.stands_in(word + WEAK);
        true
    }

    /// The running thread accesses memory that is no variable of its own, in a drop.
    #[cold]
    pub fn touches(&mut self, kind: OpKind, at: u64, size: u32) {
        let me = k().current;
        for drop in self.drops.iter_mut().filter(|d| d.thread == me) {
            let is_own = kind == OpKind::Read && drop.is_own(at);
            if let Some(touched) = drop.touched.as_mut().filter(|_| !is_own) {
                touched.extend((at / WORD..=(at + u64::from(size) - 1) / WORD).map(|word| word * WORD));
            }
        }
    }

    /// It gives a block back.
    #[cold]
    pub fn gives_back(&mut self, block: u64, len: u64) {
        let me = k().current;
        for touched in self.drops.iter_mut().filter(|d| d.thread == me).filter_map(|d| d.touched.as_mut()) {
            touched.retain(|at| !(block..block + len).contains(at));
        }
    }

    /// Does what the running thread gives back belong to a drop of a `shared_ptr`, which could be another thread's?
    pub fn hides_who_drops(&self) -> bool {
        let me = k().current;
        self.dropping >> me & 1 != 0 && self.drops.iter().any(|d| d.thread == me && d.touched.is_some())
    }

    /// The weak count behind a strong one goes down: the drop that the latter let is over, but at zero the block is still to be
    /// given back. Gives the strong count if its drop is over and was not noticed.
    pub(super) fn dropped(&mut self, role: Role, word: u64, last: bool, me: u8) -> Option<u64> {
        if role != Role::Down {
            return None;
        }
        let mut over = None;
        let strong = word - size_of::<usize>() as u64;
        let is_over = |d: &Dropping| d.thread == me && d.word == strong;
        if self.dropping >> me & 1 != 0
            && let Some(at) = self.drops.iter().position(is_over)
        {
            let mut drop = self.drops.remove(at);
            if drop.left != left_behind() || !self.is_own_drop(&drop) {
                self.tell(strong, true);
            } else if last {
                drop.gives_back = true;
                self.drops.push(drop);
            } else if !self.orders_drops(strong) {
                self.lends(&drop);
                over = Some(strong);
            }
            self.forget_drops(me);
        }
        over
    }

    /// Forgets the counts of an `Arc` whose weak one, this, has come to zero. False if it is none such.
    pub(super) fn forget_gone(&mut self, word: u64) -> bool {
        let strong = word - size_of::<usize>() as u64;
        let gone = self.counts.get(&strong).is_some_and(|count| count.gone);
        if gone {
            self.counts.remove(&strong);
            self.counts.remove(&word);
        }
        gone
    }

    /// The running thread gives this block back. Gives the count of an `Arc` there whose drop ends with that and was not noticed.
    /// There may be two, one after the other.
    pub fn given_back(&mut self, block: u64) -> Option<u64> {
        let me = k().current;
        if self.dropping >> me & 1 == 0 {
            return None;
        }
        let counts = block..block + 2 * size_of::<usize>() as u64;
        let is_it = |d: &Dropping| d.thread == me && d.gives_back && counts.contains(&d.word);
        // The drop that began last ends first: it began with what its thread knew in the other.
        let at = self.drops.iter().rposition(is_it)?;
        let drop = self.drops.remove(at);
        self.forget_drops(me);
        if self.orders_drops(drop.word) {
            return self.given_back(block);
        }
        self.lends(&drop);
        Some(drop.word)
    }

    /// Is the running thread, which has come to the end of this drop, in a `drop_slow` that it was not in before?
    fn is_own_drop(&mut self, drop: &Dropping) -> bool {
        let innermost = self.drop_slow().innermost(NEAR);
        innermost != 0 && innermost != drop.within
    }

    pub(super) fn drop_slow(&mut self) -> &DropSlow {
        self.drop_slow.get_or_insert_with(DropSlow::of_program)
    }

    fn forget_drops(&mut self, me: u8) {
        if !self.drops.iter().any(|d| d.thread == me) {
            self.dropping &= !(1 << me);
        }
    }

    /// The running thread does what others can notice, in a drop.
    #[cold]
    pub fn notice(&mut self, me: u8) {
        while let Some(i) = self.drops.iter().position(|d| d.thread == me) {
            let drop = self.drops.swap_remove(i);
            self.tell_of(&drop);
        }
        self.dropping &= !(1 << me);
    }

    /// The running thread forgets what it learned in a drop, and so that it made this decrement for another one.
    pub(super) fn stands_in(&mut self, weak: u64) {
        if let Some(count) = self.counts.get_mut(&weak) {
            count.stood_in |= 1 << k().current;
        }
    }

    /// The running thread forgets what it learned in this drop, and so what came before the decrements that it made there in the
    /// place of another one.
    fn lends(&mut self, drop: &Dropping) {
        for word in &drop.lowered {
            if let Some(count) = self.counts.get_mut(word) {
                count.lent |= 1 << drop.thread;
            }
        }
    }

    /// The drop can be noticed.
    fn tell_of(&mut self, drop: &Dropping) {
        self.tell(drop.word, true);
        if let Some(strong) = drop.strong {
            self.tell(strong, true);
        }
    }
}

/// Bytes of a word of which it is noted that it was accessed.
const WORD: u64 = 8;

/// Hash of what a drop by the running thread can leave behind where no marker and no hook tells, but for blocks: a drop gives
/// them back, and writes to them before.
pub(super) fn left_behind() -> u64 {
    snapshot::digest_but_blocks().wrapping_add(tls::digest(slot::get(k().me().slot).fs))
}
