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
pub mod sleep;
pub mod spin;
mod stored;
pub mod times;
mod trusting;
pub mod unwind;
mod values;

use crate::interpose::signal::Signals;
use crate::interpose::{cleanup, random_choices};
use crate::method::Frames;
use crate::model::destroyed::Destroyed;
use crate::model::named::Named;
use crate::model::objects::Objects;
use crate::model::robust::Robust;
use crate::model::stacks::Stack;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::ffi::{c_int, c_void};
use raddle_schedule::channel::Channel;
use raddle_schedule::leak::Leaked;
use raddle_schedule::misuse::{Involved, Misuse};
use raddle_schedule::sampler::Sampler;
use raddle_schedule::{Event, Granularity, MAX_THREADS, OpKind, Outcome, Plan};

/// Words of values of thread-specific keys; the number of keys a process can have.
pub const MAX_KEYS: usize = 128;

/// Body of a thread: its function and argument as pthread_create got them.
#[derive(Clone, Copy)]
pub struct Body {
    /// What the thread runs.
    pub function: extern "C" fn(*mut c_void) -> *mut c_void,
    /// What it is given.
    pub argument: *mut c_void,
}

/// A destructor of a native thread-local, as `__cxa_thread_atexit_impl` got it.
pub type Destructor = (unsafe extern "C" fn(*mut c_void), *mut c_void);

/// One thread of the execution.
pub struct Thread {
    /// Its carrier: stack, FS base and heap (identity, algorithms rule 1).
    pub slot: usize,
    /// What it is about to do (valid while it is not running).
    pub pending: Event,
    /// What its pending compare-exchange or futex wait expects to find.
    pub expected: Option<u64>,
    /// What the atomic store that it makes overwrites.
    pub overwrites: Option<u64>,
    /// Where it has given way, slept or timed out, and how often.
    pub rounds: raddle_schedule::ending::Rounds,
    /// The step that makes it go on is a time-out.
    pub timed_out: bool,
    /// Steps that had been made when it began its wait for a condition variable.
    pub waits_since: u32,
    /// Children it has spawned, which numbers the next.
    pub children: u32,
    /// What it runs; `None` for T0.
    pub body: Option<Body>,
    /// What it returned.
    pub result: *mut c_void,
    /// Who joins it or has detached it: nobody else may.
    pub let_go: Option<Involved>,
    /// Somebody joined it.
    pub joined: bool,
    /// Who did.
    pub joined_by: u8,
    /// Threads that wait for its end.
    pub joiners: u64,
    /// What it did behind its function, in destructors of thread-locals, is in the record.
    pub does_behind: bool,
    /// Destructors of its native thread-locals, oldest first.
    pub destructors: Vec<Destructor>,
    /// The newest of its cleanup handlers.
    pub cleanup: *mut cleanup::Buffer,
    /// Bytes of stack that it was to have; 0 where nothing was said.
    pub stack: usize,
    /// What others use of its stack, and what has gone there.
    pub own_stack: Stack,
    /// What the unwinder keeps while it leaves its functions at its end.
    pub leaving: cleanup::Leaving,
    /// Values of its thread-specific keys.
    pub keys: [*mut c_void; MAX_KEYS],
    /// Atomic blocks it is in: its schedule points let nobody else run, unless it blocks.
    pub no_points: u32,
    /// Its cancellation state and type. (Nobody can cancel it.)
    pub cancellation: (c_int, c_int),
    /// What has happened to it by itself: the bits of [`raddle_schedule::Choice::by_itself`].
    pub by_itself: u8,
    /// It was run on and has made no step since; see [`inline`].
    pub run_on: bool,
    /// Site given by the facade for operations that arrive through libc; 0 is none.
    pub site_hint: u32,
    /// Name, where it has one.
    pub name: String,
    /// What Rust's std calls it (`ThreadId`), if somebody has told; 0 otherwise.
    pub id: u64,
    /// How it panicked.
    pub panic: Option<Panic>,
    /// The last thread it joined that had panicked: what it passes on, if it does.
    pub joined_panic: Option<u8>,
    /// The functions it is in.
    pub frames: Frames,
    /// Its virtual clock: nanoseconds since the execution began. A function of its causal past.
    pub clock: u64,
    /// State of its served random bytes.
    pub random: u64,
    /// See [`random_choices::Generator`].
    pub generator: random_choices::Generator,
    /// Signals that it blocks, and what was sent to it meanwhile.
    pub signals: Signals,
    /// What it has read since it changed something.
    pub spin: spin::Spin,
    /// What it does in dependencies.
    pub visit: outside::Visit,
    /// In a run for reports: the site of the operation that it last had to wait before, with its call stack.
    pub stands: (u32, alloc::vec::Vec<u64>),
    /// Initialisers that it runs by `pthread_once`: the control word, and how deep the call lies in the stack.
    pub initialising: alloc::vec::Vec<(u64, usize)>,
    /// Read-write locks of std that it has for reading, where they are none of words.
    pub reading: u32,
    /// Mutexes and read-write locks that it has.
    pub holding: u32,
    /// The descriptor that it waits for something to read from.
    pub receives_from: c_int,
}

/// How the controlled world is set up, fixed when the runner starts.
pub struct Setup {
    /// The channel to the server.
    pub channel: Channel,
    /// Where switches may happen.
    pub granularity: Granularity,
    /// Points are restricted to functions with these names, unless there are none.
    pub points_at: Vec<String>,
    /// Functions and modules with these names are trusted: no points in them.
    pub trusted: Vec<String>,
    /// Dependencies with these names have all their points; `all` for every one.
    pub points_in: Vec<String>,
    /// Threads are real OS threads that pass a token.
    pub os_threads: bool,
    /// Every execution runs in a child process.
    pub fork: bool,
    /// The end of T0's body ends the other threads.
    pub main_kills: bool,
    /// What may happen by itself: the bits of [`raddle_schedule::Choice::by_itself`].
    pub by_itself: u32,
    /// The values of each input, as [`raddle_schedule::input::INPUTS`] lists them.
    pub inputs: Vec<Vec<u64>>,
    /// It has code whose accesses to memory nobody tells of.
    pub has_unwatched_code: bool,
    /// So many threads can be there at once, main included; 0 where creating one never fails.
    pub max_threads: u32,
    /// Small random ranges are inputs; see [`raddle_schedule::input::RANDOM`].
    pub random_choices: bool,
    /// There is a second CPU, so spinning for the other side pays.
    pub spin: bool,
}

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
    /// Threads that go on for ever in a loop that does nothing; see [`empty_loop`].
    pub for_ever: u64,
    /// The first of these, and where it is.
    pub loop_at: Option<(u8, u64)>,
    /// Where threads that wait in loops looked once more; see [`looks`].
    pub looked: Option<looks::Mark>,
    /// Threads that make no step more, since their round was in vain; see [`one_round`].
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
    /// Of the events so many were looked through for what they wrote ([`values`]).
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

/// A thread's panic.
#[derive(Clone)]
pub struct Panic {
    /// Where, as a site.
    pub site: u32,
    /// What it says.
    pub message: String,
}

impl Panic {
    /// Does it only pass another thread's on (`join().unwrap()`, the end of a scope)? It says nothing then.
    pub fn passes_on(&self) -> bool {
        ["Any { .. }", "a scoped thread panicked"].iter().any(|what| self.message.contains(what))
    }
}

/// The end of an execution.
#[derive(Default)]
pub struct End {
    /// How it ended; meaningful once `done`.
    pub outcome: Outcome,
    /// It has ended.
    pub done: bool,
    /// Signal, status, step: as in `Trace::code`.
    pub code: u32,
    /// Who failed, if it is not who ran last: main ends with what another thread's panic says.
    pub thread: Option<u8>,
    /// Where, as a site.
    pub site: u32,
    /// Where, as an address.
    pub pc: u64,
    /// Frames further in than the one that goes on at this address are those of a check, and are not told; 0 for none.
    pub within: u64,
    /// What a panic, an assertion or a refusal says.
    pub message: String,
    /// What ended it, if that was misuse.
    pub misuse: Option<Misuse>,
    /// Call stack of the end.
    pub stack: Vec<u64>,
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

impl Thread {
    fn new() -> Self {
        Thread {
            slot: 0,
            pending: Event::new(OpKind::ThreadStart, 0, 0),
            expected: None,
            overwrites: None,
            timed_out: false,
            waits_since: 0,
            children: 0,
            body: None,
            result: core::ptr::null_mut(),
            let_go: None,
            joined: false,
            joined_by: 0,
            joiners: 0,
            does_behind: false,
            destructors: Vec::new(),
            cleanup: core::ptr::null_mut(),
            stack: 0,
            own_stack: Stack::new(),
            leaving: cleanup::Leaving::NOT,
            cancellation: (0, 0),
            keys: [core::ptr::null_mut(); MAX_KEYS],
            no_points: 0,
            by_itself: 0,
            run_on: false,
            site_hint: 0,
            name: String::new(),
            id: 0,
            panic: None,
            joined_panic: None,
            frames: Frames::new(),
            clock: 0,
            random: 0,
            generator: random_choices::Generator::new(),
            signals: Signals::default(),
            spin: spin::Spin::new(),
            visit: outside::Visit::new(),
            stands: (0, alloc::vec::Vec::new()),
            initialising: alloc::vec::Vec::new(),
            reading: 0,
            holding: 0,
            receives_from: -1,
            rounds: raddle_schedule::ending::Rounds::new(),
        }
    }

    /// It has learned of something that happened at this time of another thread's clock.
    #[inline]
    pub fn not_before(&mut self, clock: u64) {
        self.clock = self.clock.max(clock);
    }

    /// Makes it a fresh thread on this carrier.
    pub fn reset(&mut self, number: u8, slot: usize, body: Option<Body>) {
        self.slot = slot;
        self.pending = Event::new(OpKind::ThreadStart, number, u64::from(number));
        self.expected = None;
        self.overwrites = None;
        self.timed_out = false;
        self.children = 0;
        self.body = body;
        self.result = core::ptr::null_mut();
        self.let_go = None;
        self.joined = false;
        self.joiners = 0;
        self.does_behind = false;
        self.destructors.clear();
        self.cleanup = core::ptr::null_mut();
        self.stack = 0;
        self.own_stack.reset();
        self.cancellation = (0, 0);
        self.no_points = 0;
        self.by_itself = 0;
        self.run_on = false;
        self.site_hint = 0;
        self.name.clear();
        self.id = 0;
        self.panic = None;
        self.joined_panic = None;
        self.frames.clear();
        self.clock = 0;
        self.random = slot as u64;
        self.generator = random_choices::Generator::new();
        self.signals = Signals::default();
        self.spin.reset();
        self.visit.begin();
        self.stands = (0, alloc::vec::Vec::new());
        self.initialising.clear();
        self.reading = 0;
        self.holding = 0;
        self.rounds.clear();
    }
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
