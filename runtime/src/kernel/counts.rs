//! Reference counts of Rust's `Arc` and `Weak`, and of C++'s `shared_ptr` and `weak_ptr`: which of them need schedule points.
//!
//! Most counts decide nothing: increments commute, and so do decrements where nobody can tell who made the last one. A count
//! *tells* if the order of two operations on it that are not ordered otherwise can be noticed:
//!
//! * a *test* (a read, an upgrade, a uniqueness test, all of which depend on the number) beside a change, or
//! * an increment by a thread that need be no owner (`Arc::increment_strong_count`) beside a decrement, which may be the last, or
//! * two decrements, if the drop behind the last one can be noticed: before the block is given back it makes an operation,
//!   changes a file, enters a function of the program (which may look at its thread), or, in code without markers, leaves
//!   something in static memory or in its thread's locals; or if one of the two is none but `Arc::into_inner`, which tells its
//!   thread whether it is the last owner (`drop_slow`). (What code without markers leaves in a block that lives on is not looked for.)
//!
//! A search begins with no count as a point and carries their operations out within the step before. When an execution
//! shows that a count tells, the search begins anew with this one as points ([`Counts::is_point`]).
//!
//! Why nothing is lost. Suppose that all executions were run, that none showed a count that tells, and that some execution E
//! with points at counts differs from all of them. Take its shortest beginning that differs. It ends in an operation c of a
//! count by thread t, since all others depend on points alone. What comes before c is, but for the order of independent
//! operations, the beginning of an execution X that was run, in which t makes c too. As c turned out otherwise, operations d
//! of the same count come before c in one of the two and behind it in the other, and depend on c. Then neither spawns nor joins order d and c in X, and
//! both are in X. So X showed that the count tells. Here *ordered* is less than what the search orders (it leaves locks
//! and messages out), so a count may tell in vain, which costs points and nothing else.
//!
//! In Rust the drop is over where the block is given back, or with the weak count's decrement where that is not the last
//! ([`Counts::did`], [`Counts::given_back`]).
//!
//! In C++ our header says where a drop ends ([`Counts::dropped_by_owner`]), and hooks tell of accesses in code without markers. So there a drop
//! is noticed too if it accesses memory that it does not give back, but for its thread's stack, constants, and the counts with the pointer to the
//! virtual table before them: others could see what it leaves there, and could race with it in another order. Blocks that such a
//! drop frees are never reused ([`Counts::hides_who_drops`]).
//!
//! In both, if another thread could have dropped last, the dropping thread forgets after the drop what it acquired in it
//! (`engine/src/happens_before.rs`), unless the drop was noticed: then the search begins anew.
//!
//! A count is known by its address, which is a function of its thread's past (`memory/arena.rs`). Another count at the
//! address of one that tells has points as well; more points are never wrong.

mod drops;

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use core::sync::atomic::Ordering;
use drops::left_behind;
use raddle_schedule::channel::outside::{COUNTS_TELL, Told};
use raddle_schedule::dependency::{self, Counted};
use raddle_schedule::{MAX_THREADS, OpKind, Order, Outcome};

use super::drop_slow::{DropSlow, NEAR};
use super::k;
use super::point::end_execution;

/// Tests of one count by one thread without a step between them, behind which it is taken to wait for another value.
const PATIENCE: u32 = 1 << 10;

/// What an operation does to a count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// One owner more.
    Up,
    /// One owner less.
    Down,
    /// It depends on the number, and may change it.
    Test,
}

impl Role {
    /// Of a read-modify-write, by the method that does it.
    pub const fn of(method: &str) -> Role {
        match method.as_bytes() {
            b"fetch_add" => Role::Up,
            b"fetch_sub" => Role::Down,
            _ => Role::Test,
        }
    }

    /// Is this how Rust's std orders it? Of others' counts it is not known what they order by fences.
    pub fn is_ordered_as_by_std(self, order: Order) -> bool {
        match self {
            Role::Up => order == Order::Relaxed,
            Role::Down => order == Order::Release,
            Role::Test => false,
        }
    }
}

/// What one thread did to a count: for each kind of operation, how many threads there were at its last one; 0 if it made none.
#[derive(Clone, Copy, Default)]
struct Done {
    thread: u8,
    changed: u8,
    lowered: u8,
    /// The same of decrements that tell their thread whether they were the last.
    taken: u8,
    /// The same of increments by a thread that need be no owner.
    raised: u8,
    tested: u8,
    /// The place of its last decrement among all operations on the count, and that of its last test.
    lowered_at: u32,
    tested_at: u32,
}

/// One count in an execution.
#[derive(Default)]
struct Count {
    by: Vec<Done>,
    /// The last owner has gone.
    gone: bool,
    /// Operations so far.
    made: u32,
    /// Of a weak count: threads that made a decrement at the end of a drop that another thread could have made.
    stood_in: u64,
    /// Threads that made a decrement in such a drop, of something that was dropped with it.
    lent: u64,
}

/// A drop behind a last decrement that others' decrements could have come behind.
struct Dropping {
    thread: u8,
    word: u64,
    /// The frame of the `drop_slow` that the decrement was in, on the stack; 0 for none.
    within: u64,
    /// Hash of what a drop can leave behind, as it was before the drop.
    left: u64,
    /// Counts of others that it has lowered.
    lowered: Vec<u64>,
    /// Of a `shared_ptr`: what it accessed beside its own stack and what it has given back.
    touched: Option<BTreeSet<u64>>,
    /// Of an `Arc`: all but giving the block back is done.
    gives_back: bool,
    /// The strong count, if this is the weak one's last decrement and others could be last only as its strong one's last owners.
    strong: Option<u64>,
}

/// Where the weak count of a `shared_ptr` lies behind the other one.
const WEAK: u64 = 4;

/// What the order of a decrement and others of its count may tell.
struct Found {
    /// It is the last decrement, and others could come behind it.
    drops: bool,
    /// One of these tells its thread that it was not the last.
    takes: bool,
    /// It is the last decrement of a count that other threads have used.
    ends: bool,
    /// It drops, since another thread could have made a decrement that this one made at the end of a drop.
    stood_in: bool,
}

/// All counts of an execution.
pub struct Counts {
    /// Are they looked at?
    on: bool,
    /// All have points.
    all: bool,
    /// Those that have points, in order, and whether their decrements depend on each other.
    points: Vec<(u64, bool)>,
    counts: BTreeMap<u64, Count>,
    drops: Vec<Dropping>,
    /// Threads with a drop among `Counts::drops`.
    pub dropping: u64,
    /// Of each thread: those whose end it knows of, and who has spawned it.
    ends: [u64; MAX_THREADS],
    parents: [u8; MAX_THREADS],
    /// What drops go through, once that was asked for.
    drop_slow: Option<DropSlow>,
    /// The step and the thread of the tests that come one after another.
    patience: (u32, u8),
    /// How many there were of each count.
    looks: BTreeMap<u64, u32>,
}

impl Counts {
    /// As the options of the search have it.
    pub fn new(names: &[String], on: bool) -> Self {
        let named = names.iter().filter_map(|name| dependency::counted(name));
        let mut all = false;
        let mut points: Vec<(u64, bool)> = Vec::new();
        for name in named {
            match name {
                Counted::All => all = true,
                Counted::One { word, drops } => match points.iter_mut().find(|(w, _)| *w == word) {
                    Some(known) => known.1 |= drops,
                    None => points.push((word, drops)),
                },
            }
        }
        points.sort_unstable();
        Counts {
            on,
            all,
            points,
            counts: BTreeMap::new(),
            drops: Vec::new(),
            dropping: 0,
            ends: [0; MAX_THREADS],
            parents: [0; MAX_THREADS],
            drop_slow: None,
            patience: (0, 0),
            looks: BTreeMap::new(),
        }
    }

    /// An execution begins.
    pub fn clear(&mut self) {
        self.counts.clear();
        self.drops.clear();
        self.dropping = 0;
        self.ends = [0; MAX_THREADS];
        self.patience = (0, 0);
        self.looks.clear();
    }

    /// A thread is born.
    pub fn born(&mut self, child: usize, parent: u8) {
        self.parents[child] = parent;
        self.ends[child] = self.ends[usize::from(parent)];
    }

    /// A thread has joined another one.
    pub fn joined(&mut self, thread: u8, ended: u8) {
        self.ends[usize::from(thread)] |= self.ends[usize::from(ended)] | 1 << ended;
    }

    /// Are counts looked at?
    pub fn are_on(&self) -> bool {
        self.on
    }

    /// Are operations on this count points, though not every access is?
    #[inline]
    pub fn is_point(&self, word: u64) -> bool {
        self.on && (self.all || self.points.binary_search_by_key(&word, |(w, _)| *w).is_ok())
    }

    /// Does an operation on this count that is a point commute with its like?
    pub fn commutes(&self, role: Role, word: u64) -> bool {
        self.on && role != Role::Test && !self.orders_drops(word)
    }

    /// Do decrements of this count depend on each other?
    fn orders_drops(&self, word: u64) -> bool {
        self.on && (self.all || self.points.iter().any(|(w, drops)| *w == word && *drops))
    }

    /// Did another thread do something when there were `since` threads that is ordered before what this one does now?
    fn is_before(&self, other: u8, since: u8, thread: u8) -> bool {
        let mut born = thread;
        while born >= since {
            let parent = self.parents[usize::from(born)];
            if parent == other {
                return true;
            }
            born = parent;
        }
        self.ends[usize::from(thread)] >> other & 1 != 0
    }

    /// The thread has done this to a count, which was 1 before if `last`. Says what to tell the race detector, and of which count.
    pub fn did(&mut self, role: Role, changes: bool, word: u64, last: bool) -> Option<(OpKind, u64)> {
        if !self.looks() {
            return None;
        }
        let me = k().current;
        let over = self.dropped(role, word, last, me);
        let is_taken = role == Role::Down && !last && self.drop_slow().is_into_inner();
        if role == Role::Up && self.drop_slow().is_increment_of_others() {
            self.raises(word, me);
        }
        let found = self.note(role, changes, word, last, is_taken);
        let gives_back = role == Role::Down && last && self.forget_gone(word);
        if found.takes && !gives_back {
            self.tell(word, true);
        } else if found.drops {
            let within = if gives_back { 0 } else { self.drop_slow().innermost(2 * NEAR) };
            let left = left_behind();
            let strong = found.stood_in.then(|| word - size_of::<usize>() as u64);
            let (thread, touched, lowered) = (me, None, Vec::new());
            self.drops.push(Dropping { thread, word, within, left, lowered, touched, gives_back, strong });
            self.dropping |= 1 << me;
            return (!self.orders_drops(word)).then_some((OpKind::DropBegin, word));
        }
        if over.is_some() {
            self.stands_in(word);
        }
        let end = over.map(|strong| (OpKind::DropEnd, strong));
        end.or(found.ends.then_some((OpKind::AtomicLoad, word)))
    }

    /// The same of a count of a `shared_ptr`. Gives what to tell the race detector of that count.
    pub fn did_to_owners(&mut self, role: Role, changes: bool, word: u64, last: bool) -> Option<OpKind> {
        if !self.looks() {
            return None;
        }
        let found = self.note(role, changes, word, last, false);
        if !found.drops || self.orders_drops(word) {
            return found.ends.then_some(OpKind::AtomicLoad);
        }
        let (thread, touched) = (k().current, Some(BTreeSet::new()));
        let left = left_behind();
        let strong = found.stood_in.then(|| word - WEAK);
        let (within, gives_back, lowered) = (0, false, Vec::new());
        self.drops.push(Dropping { thread, word, within, left, lowered, touched, gives_back, strong });
        self.dropping |= 1 << thread;
        Some(OpKind::DropBegin)
    }

    /// Does it matter what is done to counts? While T0 is alone, that comes before every spawn.
    fn looks(&self) -> bool {
        self.on && !self.all && k().spawned > 1
    }

    fn note(&mut self, role: Role, changes: bool, word: u64, last: bool, is_taken: bool) -> Found {
        let kernel = k();
        let (me, now) = (kernel.current, kernel.spawned as u8);
        let mut count = self.counts.remove(&word).unwrap_or_default();
        let beside = |when: fn(&Done) -> u8| {
            count.by.iter().any(|d| d.thread != me && when(d) != 0 && !self.is_before(d.thread, when(d), me))
        };
        let is_behind_last = role == Role::Down && beside(|d| d.raised);
        let tells = role == Role::Test && beside(|d| d.changed) || changes && beside(|d| d.tested);
        let is_last = role == Role::Down && last;
        // A decrement that this thread has seen by a test of the count comes before its own in every order.
        let seen = count.by.iter().find(|d| d.thread == me).map_or(0, |d| d.tested_at);
        let commutes = |when: fn(&Done) -> u8| {
            let could_be_behind =
                |d: &Done| when(d) != 0 && d.lowered_at > seen && !self.is_before(d.thread, when(d), me);
            count.by.iter().any(|d| d.thread != me && could_be_behind(d))
        };
        let stood_in = is_last && count.stood_in >> me & 1 != 0;
        let lent = is_last && count.lent >> me & 1 != 0;
        let drops = is_last && (stood_in || lent || commutes(|d| d.lowered));
        let takes = drops && commutes(|d| d.taken);
        let ends = is_last && count.by.iter().any(|d| d.thread != me);
        count.made += 1;
        let made = count.made;
        let place = count.by.iter().position(|d| d.thread == me).unwrap_or_else(|| {
            count.by.push(Done { thread: me, ..Done::default() });
            count.by.len() - 1
        });
        let done = &mut count.by[place];
        if role == Role::Test {
            (done.tested, done.tested_at) = (now, made);
        }
        if changes {
            done.changed = now;
        }
        if role == Role::Down {
            (done.lowered, done.lowered_at) = (now, made);
            self.drops.iter_mut().filter(|d| d.thread == me).for_each(|d| d.lowered.push(word));
        }
        if is_taken {
            done.taken = now;
        }
        count.gone |= role == Role::Down && last;
        self.counts.insert(word, count);
        if tells || is_behind_last {
            self.tell(word, is_behind_last);
        }
        if role == Role::Test && !self.is_point(word) {
            self.lose_patience(word, me);
        }
        Found { drops, takes, ends, stood_in }
    }

    /// A thread counts an owner up by a pointer: an increment that may come behind the last decrement, which it does not commute with.
    fn raises(&mut self, word: u64, me: u8) {
        let now = k().spawned as u8;
        let mut count = self.counts.remove(&word).unwrap_or_default();
        let is_behind =
            |d: &Done| d.thread != me && d.lowered != 0 && !self.is_before(d.thread, d.lowered, me);
        let tells = count.by.iter().any(is_behind);
        match count.by.iter_mut().find(|d| d.thread == me) {
            Some(done) => done.raised = now,
            None => count.by.push(Done { thread: me, raised: now, ..Done::default() }),
        }
        self.counts.insert(word, count);
        if tells {
            self.tell(word, true);
        }
    }

    /// The order of operations on this count can be noticed; with `drops`, that of its decrements among each other.
    #[cold]
    fn tell(&mut self, word: u64, drops: bool) {
        let known = self.points.iter().any(|(w, d)| *w == word && (*d || !drops));
        if known {
            return;
        }
        let header = k().setup().channel.header();
        header.counts.tell(Told { word, drops });
        header.outside.fetch_or(COUNTS_TELL, Ordering::Relaxed);
    }

    /// Without points, a thread that waits for a count waits for ever: nobody else comes to run.
    /// It may go by several counts, each of which it looks at again and again.
    fn lose_patience(&mut self, word: u64, me: u8) {
        let kernel = k();
        if self.patience != (kernel.steps, me) {
            self.patience = (kernel.steps, me);
            self.looks.clear();
        }
        let looks = self.looks.entry(word).or_default();
        *looks += 1;
        if *looks > PATIENCE {
            for (word, _) in core::mem::take(&mut self.looks).into_iter().filter(|(_, n)| *n > PATIENCE / 2) {
                self.tell(word, false);
            }
            kernel.me().pending = raddle_schedule::Event::new(OpKind::AtomicLoad, me, word);
            end_execution(Outcome::Truncated, kernel.steps, "");
        }
    }
}
