//! One thread of the execution, as the kernel knows it.

use super::{Panic, outside, spin};
use crate::interpose::signal::Signals;
use crate::interpose::{cleanup, random_choices};
use crate::method::Frames;
use crate::model::stacks::Stack;
use alloc::string::String;
use alloc::vec::Vec;
use core::ffi::{c_int, c_void};
use raddle_schedule::misuse::Involved;
use raddle_schedule::{Event, OpKind};

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
    /// It was run on and has made no step since; see [`inline`](super::inline).
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
    /// Its wait for something to read.
    pub receives: Receives,
}

/// A wait for something to read.
#[derive(Clone, Copy)]
pub struct Receives {
    /// The descriptor.
    pub from: c_int,
    /// It has a time limit of its own.
    pub is_limited: bool,
}

impl Thread {
    pub(super) fn new() -> Self {
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
            receives: Receives { from: -1, is_limited: false },
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
