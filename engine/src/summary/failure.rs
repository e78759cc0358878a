//! Failures, and what they are told by.

use raddle_schedule::misuse::Destroyed;
use raddle_schedule::{Event, OpKind, Outcome, Schedule, Trace};

/// What kind of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum FailureKind {
    Panic,
    Assertion,
    Deadlock,
    Livelock,
    Hang,
    DataRace,
    Crash,
    Exit,
    Nondeterminism,
}

impl FailureKind {
    /// The word of the `--json` report.
    pub fn name(self) -> &'static str {
        match self {
            FailureKind::Panic => "panic",
            FailureKind::Assertion => "assertion",
            FailureKind::Deadlock => "deadlock",
            FailureKind::Livelock => "livelock",
            FailureKind::Hang => "hang",
            FailureKind::DataRace => "data-race",
            FailureKind::Crash => "crash",
            FailureKind::Exit => "exit",
            FailureKind::Nondeterminism => "nondeterminism",
        }
    }
}

/// One failure, with the schedule of fewest preemptions among those first found.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// What kind.
    pub kind: FailureKind,
    /// What the program said, or what the engine has to say.
    pub message: String,
    /// The schedule that shows it (without a hash: the server knows the program).
    pub schedule: Schedule,
    /// Preemptions of that execution.
    pub preemptions: u32,
    /// Changes of the running thread in that execution.
    pub switches: u32,
    /// Executions run until it was found, itself included.
    pub found_after: u64,
    /// Executions that showed it.
    pub count: u64,
    /// How that execution ended (a data race may be in one that passed).
    pub outcome: Outcome,
    /// Signal, exit status, or step of a divergence.
    pub code: u32,
    /// The thread it happened in.
    pub thread: u8,
    /// Where, as an index into the channel's site table; 0 is unknown.
    pub site: u32,
    /// Address the program stopped at, for crashes; 0 otherwise.
    pub pc: u64,
    /// Number of steps of that execution.
    pub steps: u32,
    /// The two accesses of a data race.
    pub race: Option<Race>,
    /// What was destroyed, or initialised, and used in no order.
    pub used_destroyed: Option<UsedDestroyed>,
    /// Who waits for what, in a deadlock. Where others went on: who waits for ever because of it.
    pub blocked: Vec<Blocked>,
    /// Of a deadlock: the threads that wait for each other, if it is such.
    pub cycle: Option<WaitCycle>,
    /// Schedules that show it as well and are switched in other places, the simplest first, its own perhaps among them: a few,
    /// where all failures are asked for. Another cause may be behind one.
    pub witnesses: Vec<Schedule>,
}

/// Threads each of which waits for what the next one holds, and the last for what the first holds: none of
/// them ever goes on, whatever others do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitCycle {
    /// The thread with the lowest number first.
    pub waits: Vec<Wait>,
    /// The event at which it closed, as an index into the trace's events.
    pub formed: u32,
    /// The step that this event is, or belongs to.
    pub step: u32,
}

/// A thread that waits for a lock that another one holds, or for another's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Who.
    pub thread: u8,
    /// [`OpKind::Lock`] or [`OpKind::Join`].
    pub kind: OpKind,
    /// For what: a mutex, or a thread.
    pub object: u64,
    /// Who has it: the next thread of the cycle.
    pub held_by: u8,
    /// Where, as an index into the channel's site table.
    pub site: u32,
    /// In which function, as an index into the channel's method table; 0 is none.
    pub method: u16,
}

/// Two accesses to the same bytes that nothing orders, at least one a write and not both atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    /// The one that came first in this execution.
    pub first: Access,
    /// The one that came second.
    pub second: Access,
}

/// A lock, condition variable or semaphore that one thread destroys or initialises and another uses, which
/// nothing orders; or anything on a stack, which goes when the thread returns or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsedDestroyed {
    /// By whom it is destroyed or initialised, and where.
    pub destroyed: Destroyed,
    /// Who uses it.
    pub user: Access,
}

impl UsedDestroyed {
    /// The address that is used, of what has gone with its stack.
    pub fn used(&self) -> u64 {
        // A wait uses two objects, of which the mutex may be the one.
        if self.destroyed.covers(self.user.object) { self.user.object } else { self.destroyed.object }
    }
}

/// One side of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Who.
    pub thread: u8,
    /// Read, write, free, or an atomic access.
    pub kind: OpKind,
    /// Where, as an index into the channel's site table.
    pub site: u32,
    /// Index in the trace's events.
    pub event: u32,
    /// Address.
    pub object: u64,
    /// Bytes.
    pub size: u64,
}

impl Access {
    /// Is it this event, by all but its number?
    pub fn is_event(&self, e: &Event) -> bool {
        let of_event = (e.kind(), e.thread(), e.site, e.object());
        of_event == (self.kind, self.thread, self.site, self.object)
    }
}

impl Race {
    /// The numbers of both sides in another record of the same execution, as far as they are found there: one in
    /// detail may have more events.
    pub fn events(&self, trace: &Trace) -> Vec<u32> {
        let number = |access: &Access| {
            let same =
                trace.events.iter().enumerate().filter(|(_, e)| access.is_event(e)).map(|(at, _)| at as u32);
            same.min_by_key(|at| at.abs_diff(access.event))
        };
        [&self.first, &self.second].into_iter().filter_map(number).collect()
    }
}

/// A thread that waits at the end of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocked {
    /// Who.
    pub thread: u8,
    /// What it is about to do.
    pub kind: OpKind,
    /// With what.
    pub object: u64,
    /// Where, as an index into the channel's site table.
    pub site: u32,
    /// Threads that hold what it waits for, lowest first.
    pub holders: Vec<u8>,
    /// In which function, as an index into the channel's method table; 0 is none.
    pub method: u16,
    /// It goes round a loop and waits for a change of any of these: objects with the kind of their
    /// read, the one above included. Empty for a thread that does not spin.
    pub spins_on: Vec<(OpKind, u64)>,
    /// What it does in a round of that loop, in order.
    pub round: Vec<(OpKind, u64)>,
    /// Where it was spawned, as an index into the channel's site table; 0 where that is not known.
    pub spawned: u32,
    /// The last operation of another thread that gave what it waits for, or took it and keeps it.
    pub possible_waker: Option<PossibleWaker>,
}

impl Blocked {
    /// Is it in a loop that reads nothing which another thread could change?
    pub fn is_endless(&self) -> bool {
        let gives_way = |(kind, _): &(OpKind, u64)| matches!(kind, OpKind::Yield | OpKind::Sleep);
        !self.spins_on.is_empty() && self.spins_on.iter().all(gives_way)
    }
}

/// An operation of another thread that a wait could have been ended by, or can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PossibleWaker {
    /// Who.
    pub thread: u8,
    /// What it did: it took a lock, gave a notify, posted, unparked, woke, or wrote.
    pub kind: OpKind,
    /// To what.
    pub object: u64,
    /// Where, as an index into the channel's site table.
    pub site: u32,
    /// Of a notify: the threads that it woke.
    pub woke: u64,
    /// Its thread has ended.
    pub ended: bool,
}
