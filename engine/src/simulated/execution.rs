//! One execution of a simulated program: its state, which threads can go on, and what a thread
//! does between two schedule points.

use super::lifetimes::{Lifetimes, ends_by};
use super::program::{Condition, Guarded, Instr, Is, Program, REGISTERS, Value};
use super::spin::Spin;
use crate::mutants::Mutant;
use raddle_schedule::ending::{Rounds, alternatives};
use raddle_schedule::op::is_set;
use raddle_schedule::{Event, Granularity, MAX_THREADS, Op, OpKind, Outcome, Trace};
use std::collections::BTreeSet;

/// Instructions without a schedule point after which a thread counts as hung.
const HANG: u32 = 100_000;

/// What a thread is about to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pending {
    /// Its first step.
    Start,
    /// The instruction at its place.
    Instr,
    /// To come back from a wait on a condition variable.
    Wake(Wake),
    /// To go on behind this barrier; true once the last has come.
    Barrier(u32, bool),
    /// To go on behind the unlock of this mutex, at lock-exit granularity.
    LockExit(u32),
    /// Its last step.
    Exit,
    /// It has ended.
    Done,
}

/// A wait on a condition variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wake {
    pub condvar: u32,
    pub mutex: u32,
    /// It was notified, or its time is over: only the mutex is missing.
    pub released: bool,
    /// It can time out, and did.
    pub timed: bool,
    pub timed_out: bool,
}

/// A thread's state.
#[derive(Clone, Debug)]
pub struct Thread {
    pub body: usize,
    pub at: usize,
    pub registers: [u64; REGISTERS],
    pub pending: Pending,
    pub token: bool,
    /// It was run on and has made no step since.
    pub run_on: bool,
    /// What it has read since it changed something.
    pub spin: Spin,
    /// Where it has given way or timed out.
    pub rounds: Rounds,
}

impl Thread {
    /// What its next operation is a function of, beside what it reads.
    pub fn state(&self) -> (usize, [u64; REGISTERS]) {
        (self.at, self.registers)
    }
}

/// The state of an execution.
pub struct Execution {
    /// What is a schedule point.
    pub granularity: Granularity,
    /// Plain variables every access to which is a point too.
    pub promoted: Vec<u32>,
    /// Threads stand whose rounds are in vain ([`raddle_schedule::plan::flags::ONE_ROUND`]).
    pub one_round: bool,
    /// Something can be done twice: there may be spin loops.
    pub loops: bool,
    /// Tests only: see [`Simulated::mutant`](super::Simulated::mutant).
    pub mutant: Option<Mutant>,
    pub threads: Vec<Thread>,
    /// Holder of each mutex.
    pub mutexes: Vec<Option<u8>>,
    pub rwlocks: Vec<RwLock>,
    /// Locks that are poisoned.
    pub poisoned: Vec<Guarded>,
    pub semaphores: Vec<u64>,
    pub variables: Vec<u64>,
    /// What the last compare-exchange expected.
    pub expected: u64,
    /// The value that the last atomic operation found.
    pub overwrote: u64,
    /// Variables of which the trace tells the value: something was stored there, and nothing was added since.
    pub stored: BTreeSet<u64>,
    /// Objects that have gone, and threads that drop one.
    pub lifetimes: Lifetimes,
}

/// Who has a read-write lock.
#[derive(Clone, Debug, Default)]
pub struct RwLock {
    pub writer: Option<u8>,
    /// By thread, how often.
    pub readers: Vec<u8>,
}

impl RwLock {
    /// Can it be had for writing (or for reading)?
    pub fn is_free(&self, writes: bool) -> bool {
        self.writer.is_none() && (!writes || self.readers.is_empty())
    }
}

/// Addresses: far enough from each other.
pub fn mutex(n: u32) -> u64 {
    0x10_0000 + 64 * u64::from(n)
}
pub fn condvar(n: u32) -> u64 {
    0x20_0000 + 64 * u64::from(n)
}
pub fn rwlock(n: u32) -> u64 {
    0x18_0000 + 64 * u64::from(n)
}
pub fn guarded(lock: Guarded) -> u64 {
    match lock {
        Guarded::Mutex(m) => mutex(m),
        Guarded::RwLock(l) => rwlock(l),
    }
}
pub fn barrier(n: u32) -> u64 {
    0x28_0000 + 64 * u64::from(n)
}
pub fn semaphore(n: u32) -> u64 {
    0x30_0000 + 64 * u64::from(n)
}
pub fn variable(n: u32) -> u64 {
    0x40_0000 + 8 * u64::from(n)
}

/// The element with this number, made if need be.
pub fn slot<T: Clone + Default>(all: &mut Vec<T>, n: u32) -> &mut T {
    let n = n as usize;
    if n >= all.len() {
        all.resize(n + 1, T::default());
    }
    &mut all[n]
}

impl Execution {
    /// Nothing yet.
    pub fn new(granularity: Granularity) -> Self {
        Execution {
            granularity,
            promoted: Vec::new(),
            one_round: false,
            loops: false,
            mutant: None,
            threads: Vec::new(),
            mutexes: Vec::new(),
            rwlocks: Vec::new(),
            poisoned: Vec::new(),
            semaphores: Vec::new(),
            variables: Vec::new(),
            expected: 0,
            overwrote: 0,
            stored: BTreeSet::new(),
            lifetimes: Lifetimes::default(),
        }
    }

    /// Back to the start: T0 alone, before its first instruction.
    pub fn reset(&mut self, program: &Program) {
        self.loops = program.has_loops();
        self.threads.clear();
        self.mutexes.clear();
        self.rwlocks.clear();
        self.poisoned.clear();
        self.variables.clear();
        self.stored.clear();
        self.lifetimes = Lifetimes::default();
        self.semaphores.clone_from(&program.semaphores);
        self.spawn(0);
        self.threads[0].pending = Pending::Instr;
    }

    /// A new thread; `None` when there are too many.
    pub fn spawn(&mut self, body: usize) -> Option<u8> {
        let number = self.threads.len();
        if number == MAX_THREADS {
            return None;
        }
        let registers = [0; REGISTERS];
        self.threads.push(Thread {
            body,
            at: 0,
            registers,
            pending: Pending::Start,
            token: false,
            run_on: false,
            spin: Spin::default(),
            rounds: Rounds::new(),
        });
        Some(number as u8)
    }

    /// The instruction at which this thread stands.
    pub fn instr(&self, program: &Program, t: u8) -> Option<Instr> {
        let thread = &self.threads[t as usize];
        program.bodies.get(thread.body)?.get(thread.at).copied()
    }

    /// An operand's value.
    pub fn value(&self, t: u8, value: Value) -> u64 {
        match value {
            Value::Const(n) => n,
            Value::Reg(r) => self.threads[t as usize].registers[r as usize % REGISTERS],
        }
    }

    /// Sets a register.
    pub fn set(&mut self, t: u8, r: u8, value: u64) {
        self.threads[t as usize].registers[r as usize % REGISTERS] = value;
    }

    fn holds(&self, t: u8, Condition(left, is, right): Condition) -> bool {
        let (left, right) = (self.value(t, left), self.value(t, right));
        match is {
            Is::Equal => left == right,
            Is::NotEqual => left != right,
            Is::Less => left < right,
        }
    }

    /// Masks of the threads that can be chosen, and of those whose wait can time out.
    pub fn enabled(&self, program: &Program) -> (u64, u64) {
        let (enabled, timeouts) = self.able(program);
        let threads = || 0..self.threads.len() as u8;
        let mask = |is: &dyn Fn(&u8) -> bool| threads().filter(is).fold(0, |mask, t| mask | 1 << t);
        let mut ending = mask(&|t| self.waits_to_end(program, *t));
        // Where main has returned the process ends beside threads that only repeat themselves.
        ending |= u64::from(self.threads[0].pending == Pending::Done && enabled | timeouts != 0);
        if ending == 0 {
            return (enabled, timeouts);
        }
        // A thread that was woken does not time out, and gets on.
        let rests = |t: u8| self.gives_way(program, t) || timeouts >> t & 1 != 0;
        let repeats = |t: &u8| rests(*t) && self.threads[usize::from(*t)].rounds.repeats(self.site(*t));
        alternatives(enabled, timeouts, ending, mask(&repeats))
    }

    /// Masks of the threads that can make their step, and of those whose wait can time out, if none were about to end the
    /// process.
    pub fn able(&self, program: &Program) -> (u64, u64) {
        let (mut enabled, mut timeouts) = (0, 0);
        for t in 0..self.threads.len() as u8 {
            let (can, timed) = self.can_go(program, t);
            enabled |= u64::from(can && !self.waits_to_end(program, t)) << t;
            timeouts |= u64::from(!can && timed) << t;
        }
        (enabled, timeouts)
    }

    /// Is this thread about to end the process, which is no failure?
    fn waits_to_end(&self, program: &Program, t: u8) -> bool {
        let stands = self.threads[t as usize].pending == Pending::Instr;
        stands && self.instr(program, t) == Some(Instr::End(0)) && !self.is_alone(t)
    }

    /// Is this thread about to yield or to sleep?
    fn gives_way(&self, program: &Program, t: u8) -> bool {
        let stands = self.threads[t as usize].pending == Pending::Instr;
        stands && matches!(self.instr(program, t), Some(Instr::Yield | Instr::Sleep))
    }

    /// Is nobody left who could run instead of this thread?
    pub fn is_alone(&self, t: u8) -> bool {
        let threads = self.threads.iter().enumerate();
        threads.filter(|(n, _)| *n != usize::from(t)).all(|(_, other)| other.pending == Pending::Done)
    }

    /// Can this thread make its step; can it time out instead?
    pub fn can_go(&self, program: &Program, t: u8) -> (bool, bool) {
        let is_free = |m: u32| self.mutexes.get(m as usize).is_none_or(Option::is_none);
        let rw_free = |l: u32, writes| self.rwlocks.get(l as usize).is_none_or(|l| l.is_free(writes));
        let above = |s: u32| self.semaphores.get(s as usize).is_some_and(|n| *n > 0);
        let thread = &self.threads[t as usize];
        match thread.pending {
            Pending::Done => (false, false),
            _ if thread.spin.stands => (false, false),
            Pending::Instr if thread.spin.waits && !self.is_timed(program, t) => (false, false),
            Pending::Start | Pending::Exit | Pending::LockExit(_) => (true, false),
            Pending::Barrier(_, open) => (open, false),
            Pending::Wake(w) => {
                (w.released && is_free(w.mutex), w.timed && !w.released && !thread.spin.waits)
            }
            Pending::Instr => match self.instr(program, t) {
                Some(Instr::Lock(m)) => (is_free(m), false),
                Some(Instr::LockTimeout(m, _)) => (is_free(m), true),
                Some(Instr::ReadLock(l)) => (rw_free(l, false), false),
                Some(Instr::WriteLock(l)) => (rw_free(l, true), false),
                Some(Instr::ReadLockTimeout(l, _)) => (rw_free(l, false), true),
                Some(Instr::WriteLockTimeout(l, _)) => (rw_free(l, true), true),
                Some(Instr::SemWait(s)) => (above(s), false),
                Some(Instr::SemWaitTimeout(s, _)) => (above(s), !thread.spin.waits),
                Some(Instr::Park) => (thread.token, false),
                Some(Instr::Await(v, ..)) => {
                    (self.variables.get(v as usize).is_some_and(|v| is_set(*v)), false)
                }
                Some(Instr::ParkTimeout(_)) => (thread.token, !thread.spin.waits),
                Some(Instr::Join(other)) => {
                    let other = self.value(t, other) as usize;
                    (self.threads.get(other).is_none_or(|o| o.pending == Pending::Done), false)
                }
                _ => (true, false),
            },
        }
    }

    /// Is it at a wait for something else than a lock, with a time limit?
    fn is_timed(&self, program: &Program, t: u8) -> bool {
        matches!(self.instr(program, t), Some(Instr::SemWaitTimeout(..) | Instr::ParkTimeout(_)))
    }

    /// What a thread is about to do, as it would turn out now: had anything changed that, a sleeping
    /// one would be awake.
    pub fn about_to_do(&self, program: &Program, t: u8) -> Op {
        let pending = self.pending(program, t).op();
        Op { failed: self.would_fail(program, t), ..pending }
    }

    /// Would a thread's step change nothing if it were made now?
    fn would_fail(&self, program: &Program, t: u8) -> bool {
        if self.threads[t as usize].pending != Pending::Instr {
            return false;
        }
        match self.instr(program, t) {
            Some(Instr::TryLock(m, _)) => self.mutexes.get(m as usize).is_some_and(Option::is_some),
            Some(Instr::TryReadLock(l, _)) => self.rwlocks.get(l as usize).is_some_and(|l| !l.is_free(false)),
            Some(Instr::TryWriteLock(l, _)) => self.rwlocks.get(l as usize).is_some_and(|l| !l.is_free(true)),
            Some(Instr::SemTryWait(s, _)) => self.semaphores.get(s as usize).is_none_or(|n| *n == 0),
            Some(Instr::CompareExchange(v, expected, ..)) => {
                self.variables.get(v as usize).copied().unwrap_or(0) != self.value(t, expected)
            }
            Some(Instr::NotifyOne(c) | Instr::NotifyAll(c)) => self.waiters(c) == 0,
            _ => false,
        }
    }

    /// Runs a thread up to its next schedule point. False when that ended the execution.
    pub fn run_to_point(&mut self, program: &Program, t: u8, trace: &mut Trace) -> bool {
        for _ in 0..HANG {
            let Some(instr) = self.instr(program, t) else {
                self.threads[t as usize].pending = Pending::Exit;
                return true;
            };
            self.threads[t as usize].pending = Pending::Instr;
            let unseen = instr == Instr::Statement && self.granularity != Granularity::Statement;
            if instr.is_data() && !self.is_point(instr) {
                let misuse = self.misuse(&self.pending(program, t));
                let event = self.access(t, instr);
                self.note(&event, trace.events.len(), None);
                trace.events.push(event);
                self.tell_drops(trace);
                if let Some(misuse) = misuse {
                    ends_by(misuse, &event, trace);
                    return false;
                }
            } else if !instr.is_local() && !unseen {
                self.arrive(program, t, trace);
                return true;
            }
            let site = self.site(t);
            self.threads[t as usize].at += 1;
            let end = match instr {
                Instr::Assume(c) if !self.holds(t, c) => Some(Outcome::AssumeBlocked),
                Instr::Assert(c) if !self.holds(t, c) => Some(Outcome::Assertion),
                Instr::Set(r, v) => {
                    self.set(t, r, self.value(t, v));
                    None
                }
                Instr::Add(r, v) => {
                    let sum = self.value(t, Value::Reg(r)).wrapping_add(self.value(t, v));
                    self.set(t, r, sum);
                    None
                }
                Instr::Return(local) => {
                    self.returns(t, local, site, trace);
                    None
                }
                Instr::ToldPoison(lock, r) => {
                    self.set(t, r, u64::from(self.poisoned.contains(&lock)));
                    None
                }
                Instr::JumpIf(c, to) if self.holds(t, c) => {
                    self.threads[t as usize].at = to;
                    None
                }
                _ => None,
            };
            if let Some(outcome) = end {
                trace.outcome = outcome;
                trace.thread = t;
                trace.site = site;
                if outcome == Outcome::Assertion {
                    trace.message = format!("assertion failed: {instr:?}");
                }
                return false;
            }
        }
        trace.outcome = Outcome::Hang;
        trace.thread = t;
        false
    }

    /// Is an operation on plain memory a point?
    pub fn is_point(&self, instr: Instr) -> bool {
        self.granularity == Granularity::Access || self.is_promoted(instr)
    }

    fn is_promoted(&self, instr: Instr) -> bool {
        matches!(instr, Instr::Read(v, _) | Instr::Write(v, _) if self.promoted.contains(&v))
    }

    /// The event of a plain access, marked if the variable is promoted.
    pub fn mark(&self, instr: Instr, mut event: Event) -> Event {
        if self.is_promoted(instr) {
            event.flags |= raddle_schedule::flags::PROMOTED;
        }
        event
    }

    /// Where a thread stands.
    pub fn site(&self, t: u8) -> u32 {
        let thread = &self.threads[t as usize];
        (thread.body * 1000 + thread.at + 1) as u32
    }

    /// What stands at this address of a variable.
    pub fn stored(&self, address: u64) -> u64 {
        let number = (address - variable(0)) / 8;
        self.variables.get(number as usize).copied().unwrap_or(0)
    }

    /// Does a plain access.
    pub fn access(&mut self, t: u8, instr: Instr) -> Event {
        let (kind, v) = match instr {
            Instr::Write(v, value) => {
                *slot(&mut self.variables, v) = self.value(t, value);
                (OpKind::Write, v)
            }
            Instr::Read(v, r) => {
                let value = *slot(&mut self.variables, v);
                self.set(t, r, value);
                (OpKind::Read, v)
            }
            Instr::Free(v) => (OpKind::Free, v),
            Instr::Release(v, given) => return self.release(t, v, given),
            _ => (OpKind::Point, 0),
        };
        let mut event = Event::new(kind, t, variable(v));
        event.set_access(raddle_schedule::Order::Relaxed, 8);
        event.site = self.site(t);
        self.mark(instr, event)
    }
}
