//! The kernel: who runs, what they are about to do, what they did.
//!
//! There is one kernel in the process and it is entered by one thread at a time, the one that
//! holds the token (on fibers: whichever runs on the only OS thread). [`k`] hands out access on
//! that ground. No reference obtained from it may be kept across a switch: everything is fetched
//! again afterwards.

mod alone;
mod asides;
pub mod contents;
pub mod counts;
mod drop_slow;
mod empty_loop;
mod end;
mod ending;
pub mod fault;
pub mod follow;
mod held;
pub mod here;
pub mod inline;
mod looks;
mod one_round;
pub mod outside;
mod overwritten;
pub mod path;
pub mod point;
pub mod process_end;
pub mod record;
pub mod rounds;
pub mod session;
mod setup;
pub mod sleep;
pub mod spin;
mod stored;
mod thread;
pub mod times;
mod trusting;
pub mod unwind;
mod values;

use crate::model::destroyed::Destroyed;
use crate::model::named::Named;
use crate::model::objects::Objects;
use crate::model::robust::Robust;
use alloc::vec::Vec;
use core::cell::UnsafeCell;
pub use end::{End, Panic};
use raddle_schedule::leak::Leaked;
use raddle_schedule::sampler::Sampler;
use raddle_schedule::{Event, Granularity, MAX_THREADS, Plan};
pub use setup::Setup;
pub use thread::{Body, Destructor, MAX_KEYS, Receives, Thread};

/// Everything the kernel knows.
pub struct Kernel {
    /// An execution is running: calls of the program are under control.
    pub active: bool,
    /// See [`Setup`]; `None` in a program that runs by itself.
    pub setup: Option<Setup>,
    /// The thread that holds the token.
    pub current: u8,
    /// Threads that can do their pending operation.
    pub enabled: u64,
    /// Threads whose wait can time out.
    pub timeouts: u64,
    /// Threads that wait in a spin loop for a change (and are not enabled); see [`spin`].
    pub spinning: u64,
    /// Of which variables the trace tells the value.
    pub stored: stored::Stored,
    /// What makes the numbers of threads hang on the order of their births: [`outside::ASKED`], [`outside::NESTED`].
    pub thread_ids: u8,
    /// What the running thread reads over and over; see [`rounds`].
    pub again: rounds::Again,
    /// The thread that runs alone.
    pub alone: alone::Alone,
    /// Threads that wait until there is something to read; see [`crate::model::channel`].
    pub receiving: u64,
    /// Threads that go on for ever in a loop that does nothing; see `empty_loop`.
    pub for_ever: u64,
    /// The first of these, and where it is.
    pub loop_at: Option<(u8, u64)>,
    /// Where threads that wait in loops looked once more; see `looks`.
    pub looked: Option<looks::Mark>,
    /// Threads that make no step more, since their round was in vain; see `one_round`.
    pub standing: u64,
    /// Threads that have ended.
    pub finished: u64,
    /// Threads so far; their states are the first of `threads`.
    pub spawned: usize,
    /// State of each thread.
    pub threads: Vec<Thread>,
    /// Steps executed.
    pub steps: u32,
    /// Thread of the last step; T0 at first.
    pub stepped: u8,
    /// Not every operation is a point; see [`inline`].
    pub restricted: bool,
    /// Points lie behind lock exits.
    pub lock_exits: bool,
    /// Which places belong to dependencies.
    pub outside: outside::Outside,
    /// What is overwritten behind loads.
    pub behind: overwritten::Behind,
    /// The calls by which threads came to places where they may get nowhere.
    pub walks: path::Walks,
    /// The program asks whether threads have ended; see [`crate::model::ended`].
    pub asks_for_ends: bool,
    /// Read-write locks of std are the words that they are made of; see [`crate::model::std_rwlock`].
    pub rwlocks_are_words: bool,
    /// Is it of interest what threads wait for while they have locks ([`crate::model::std_rwlock`])?
    pub holders_matter: bool,
    /// The program asks for names of threads.
    pub asks_for_names: bool,
    /// The program deletes thread-specific keys.
    pub deletes_keys: bool,
    /// The program has destructors to run where `pthread_exit` leaves functions.
    pub leaves_functions: bool,
    /// The same of ends that C asks for, or waits for with a time limit.
    pub asks_for_joins: bool,
    /// The token was given without a decision: what comes is no step.
    pub unasked: bool,
    /// Operations that were carried out without being a step, in all and since the last step.
    pub inlined: u32,
    /// See [`Kernel::inlined`].
    pub inlined_since: u32,
    /// Annotations among the events.
    pub annotations: usize,
    /// Of the events so many were looked through for what they wrote (`values`).
    pub told: usize,
    /// What memory held, for reports.
    pub contents: contents::Contents,
    /// Hash over the steps and choices so far.
    pub hash: u64,
    /// Threads that are there, where there may be no more than some.
    pub present: u32,
    /// The last step was a yield or a sleep; or the steps since were the same thread's alone, as nobody else could go on.
    pub gave_way: bool,
    /// Masks at the moment of the choice of the step being executed: enabled, time-outs.
    pub chosen_from: (u64, u64),
    /// The threads that could only time out when the last step was chosen.
    pub could_time_out: u64,
    /// The plan being followed and the next of its deltas.
    pub plan: Plan,
    /// Index of the next delta of the plan.
    pub next_delta: usize,
    /// Threads that are asleep; see [`sleep`].
    pub sleep: u64,
    /// What was drawn so far, in an execution of a sampler.
    pub sampler: Sampler,
    /// The trace so far.
    pub events: Vec<Event>,
    /// Call stacks of events, for reports.
    pub stacks: Vec<raddle_schedule::trace::Stack>,
    /// A thread's clock has moved, in this execution: see [`times`].
    pub time_moves: bool,
    /// Synchronisation objects by address.
    pub objects: Objects,
    /// Who has read-write locks for reading, once for each time: lock and thread.
    pub reads: Vec<(u64, u8)>,
    /// Robust mutexes that are held, or that something is the matter with.
    pub robust: Vec<Robust>,
    /// Semaphores that have a name, or are open and had one.
    pub named: Vec<Named>,
    /// Memory for these was mapped.
    pub names_mapped: bool,
    /// What of these the program has destroyed.
    pub destroyed: Vec<Destroyed>,
    /// Semaphores that were initialised before the first execution.
    pub initialised_before: Vec<u64>,
    /// Everything that was destroyed, for the trace.
    pub destroys: Vec<u64>,
    /// Atomic operations that are no steps, for the trace.
    pub asides: asides::Asides,
    /// Between the point of an atomic operation of the facade and what came of it: what std's code does in
    /// between, which may have hooks, is that operation.
    pub quiet: bool,
    /// What was lost in the execution that has just ended, if somebody looked.
    pub leaked: Option<Vec<Leaked>>,
    /// Where the facade and std's threads keep counts of their own, which are no points: start and end. Told where the
    /// program's are looked at.
    pub own: Vec<(u64, u64)>,
    /// Which reference counts of the program's are points.
    pub counts: counts::Counts,
    /// How the execution ended, once it has.
    pub end: End,
    /// Threads that are about to end the process, which waits until nobody else can go on.
    pub ending: u64,
    /// T0 has left by `pthread_exit`: the process ends with its last thread.
    pub main_left: bool,
    /// T0's body has returned.
    pub main_returned: bool,
    /// The thread that panicked first in the execution.
    pub first_panic: Option<u8>,
    /// The test's harness has found that it failed, without a panic that says so.
    pub judged: bool,
    /// Filter of repeated accesses; see [`record`].
    pub seen: record::Seen,
}

struct Global(UnsafeCell<Option<Kernel>>);

// SAFETY: entered by the token's holder only (see the module's text).
unsafe impl Sync for Global {}

static KERNEL: Global = Global(UnsafeCell::new(None));
/// Mirrors `Kernel::active`, so that the hot test costs one load and works before there is a kernel.
static mut ACTIVE: bool = false;

/// Is an execution running?
#[inline(always)]
pub fn active() -> bool {
    // SAFETY: a plain bool, written by the token's holder while no other thread of the program
    // exists (carriers are parked).
    unsafe { ACTIVE }
}

/// Starts or ends control.
pub fn set_active(on: bool) {
    // SAFETY: as for `active`.
    unsafe { ACTIVE = on };
    k().active = on;
}

/// The kernel. Not to be kept across a switch.
#[inline(always)]
pub fn k() -> &'static mut Kernel {
    // SAFETY: only the token's holder runs kernel code, and by the rule of the module's text no
    // two references are used at once. `init` ran in a constructor, before anything else.
    unsafe { (*KERNEL.0.get()).as_mut().unwrap_unchecked() }
}

/// Is there a kernel? False in a program that runs by itself.
pub fn controlled() -> bool {
    // SAFETY: as for `k`.
    unsafe { (*KERNEL.0.get()).is_some() }
}

/// Makes the kernel, once, before the program's own code.
pub fn init(setup: Setup) {
    let lock_exits = setup.granularity == Granularity::LockExit;
    let restricted = lock_exits
        || setup.granularity == Granularity::Statement
        || !setup.points_at.is_empty()
        || !setup.trusted.is_empty();
    let hides_nothing = restricted || crate::promoted::any();
    let outside = outside::Outside::new(setup.points_in.clone(), setup.granularity, hides_nothing);
    let counted = setup.granularity == Granularity::Sync && !restricted;
    let counts = counts::Counts::new(&setup.points_in, counted);
    let reads_are_steps = setup.granularity == Granularity::Access || crate::promoted::any();
    // SAFETY: in a constructor, while the process has one thread.
    unsafe { here::READS_ARE_STEPS = u8::from(reads_are_steps) };
    let kernel = Kernel {
        active: false,
        setup: Some(setup),
        current: 0,
        enabled: 0,
        timeouts: 0,
        spinning: 0,
        stored: stored::Stored::NONE,
        thread_ids: 0,
        again: rounds::Again::new(),
        alone: alone::Alone::new(),
        receiving: 0,
        for_ever: 0,
        standing: 0,
        loop_at: None,
        looked: None,
        finished: 0,
        spawned: 0,
        threads: Vec::with_capacity(MAX_THREADS),
        steps: 0,
        stepped: 0,
        restricted,
        lock_exits,
        outside,
        behind: Default::default(),
        walks: Default::default(),
        asks_for_ends: false,
        rwlocks_are_words: true,
        holders_matter: false,
        asks_for_names: false,
        deletes_keys: false,
        leaves_functions: false,
        asks_for_joins: false,
        unasked: false,
        inlined: 0,
        inlined_since: 0,
        annotations: 0,
        told: 0,
        contents: contents::Contents::default(),
        hash: 0,
        present: 1,
        gave_way: false,
        chosen_from: (0, 0),
        could_time_out: 0,
        plan: Plan::default(),
        next_delta: 0,
        sleep: 0,
        sampler: Sampler::default(),
        events: Vec::with_capacity(1 << 12),
        stacks: Vec::new(),
        time_moves: false,
        objects: Objects::new(),
        reads: Vec::new(),
        robust: Vec::new(),
        named: Vec::new(),
        names_mapped: false,
        destroyed: Vec::new(),
        initialised_before: Vec::new(),
        destroys: Vec::new(),
        asides: asides::Asides::new(),
        quiet: false,
        leaked: None,
        own: Vec::new(),
        counts,
        end: End::default(),
        main_returned: false,
        ending: 0,
        main_left: false,
        first_panic: None,
        judged: false,
        seen: record::Seen::new(),
    };
    // SAFETY: called once, from a constructor, while the process has one thread.
    unsafe { *KERNEL.0.get() = Some(kernel) };
    // SAFETY: `k` from here on.
    k().threads.resize_with(MAX_THREADS, Thread::new);
}

impl Kernel {
    /// Has the running thread joined this one, or one that has joined it, and so forth? Then it did all before what comes now.
    pub fn is_behind(&self, thread: usize) -> bool {
        let mut at = thread;
        // Nobody joins one of those that wait for its own end, so this ends.
        while self.threads[at].joined {
            at = usize::from(self.threads[at].joined_by);
            if at == usize::from(self.current) {
                return true;
            }
        }
        false
    }

    /// The running thread.
    #[inline(always)]
    pub fn me(&mut self) -> &mut Thread {
        let current = self.current as usize;
        &mut self.threads[current]
    }

    /// The running thread's bit.
    #[inline(always)]
    pub fn my_bit(&self) -> u64 {
        1 << self.current
    }

    /// The set-up. Only called under control, where there is one.
    pub fn setup(&self) -> &Setup {
        // SAFETY: `init` always stores one.
        unsafe { self.setup.as_ref().unwrap_unchecked() }
    }
}
