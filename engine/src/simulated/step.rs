//! The steps of a simulated program: what each operation does, and the event it leaves.

use super::execution::{
    Execution, Pending, Wake, barrier, condvar, guarded, mutex, rwlock, semaphore, slot, variable,
};
use super::lifetimes::given_back;
use super::program::{Instr, Program};
use raddle_schedule::{Event, OpKind, Order, flags};

/// What a step leaves open.
pub enum After {
    /// Nothing: the thread goes on with its next instruction.
    GoOn,
    /// The thread is where it was put.
    Stay,
    /// A waiter of this condition variable is to be chosen among the mask.
    Notify(u64),
    /// An input is to be chosen among the mask, for this register.
    Input(u64, u8),
    /// The process ends with this status.
    End(u8),
    /// The program did something that no program may do.
    Crash(&'static str),
}

impl Execution {
    /// Waiters of a condition variable that nobody has notified.
    pub fn waiters(&self, c: u32) -> u64 {
        let waits = |p: &Pending| matches!(p, Pending::Wake(w) if w.condvar == c && !w.released);
        let threads = self.threads.iter().enumerate();
        threads.filter(|(_, t)| waits(&t.pending)).fold(0, |mask, (i, _)| mask | 1 << i)
    }

    /// Who waits at a barrier.
    pub fn arrived(&self, b: u32) -> u64 {
        let waits = |p: &Pending| *p == Pending::Barrier(b, false);
        let threads = self.threads.iter().enumerate();
        threads.filter(|(_, t)| waits(&t.pending)).fold(0, |mask, (i, _)| mask | 1 << i)
    }

    /// Lets this waiter go on.
    pub fn notify(&mut self, t: u8) {
        if let Pending::Wake(w) = &mut self.threads[t as usize].pending {
            w.released = true;
            self.threads[t as usize].spin.waits = false;
        }
    }

    /// What a thread is about to do, as an event.
    pub fn pending(&self, program: &Program, t: u8) -> Event {
        let mut event = match self.threads[t as usize].pending {
            Pending::Start => Event::new(OpKind::ThreadStart, t, u64::from(t)),
            Pending::Exit => Event::new(OpKind::Exit, t, u64::from(t)),
            Pending::Done => Event::new(OpKind::End, t, 0),
            Pending::LockExit(m) => Event::new(OpKind::LockExit, t, mutex(m)),
            Pending::Barrier(b, _) => Event::new(OpKind::CondWake, t, barrier(b)),
            Pending::Wake(w) => {
                let mut event = Event::new(OpKind::CondWake, t, condvar(w.condvar));
                event.value = mutex(w.mutex);
                event.flags |= match w {
                    Wake { timed_out: true, .. } => flags::TIMED_OUT,
                    Wake { timed: true, .. } => flags::TIMED,
                    _ => 0,
                };
                event
            }
            Pending::Instr => match self.instr(program, t) {
                Some(instr) => self.event(t, instr),
                None => Event::new(OpKind::Exit, t, u64::from(t)),
            },
        };
        event.site = self.site(t);
        event.flags |= if self.threads[t as usize].spin.awaits() { flags::AWAIT } else { 0 };
        event
    }

    /// An instruction as an event, before it is done.
    fn event(&self, t: u8, instr: Instr) -> Event {
        let plain = |kind, object| Event::new(kind, t, object);
        let atomic = |kind, v, order| {
            let mut event = Event::new(kind, t, variable(v));
            event.set_access(order, 8);
            event
        };
        let timed = |mut event: Event| {
            event.flags |= flags::TIMED;
            event
        };
        match instr {
            Instr::Lock(m) => plain(OpKind::Lock, mutex(m)),
            Instr::TryLock(m, _) => plain(OpKind::TryLock, mutex(m)),
            Instr::Unlock(m) => plain(OpKind::Unlock, mutex(m)),
            Instr::LockTimeout(m, _) => timed(plain(OpKind::Lock, mutex(m))),
            Instr::ReadLock(l) => plain(OpKind::ReadLock, rwlock(l)),
            Instr::WriteLock(l) => plain(OpKind::WriteLock, rwlock(l)),
            Instr::TryReadLock(l, _) => plain(OpKind::TryReadLock, rwlock(l)),
            Instr::TryWriteLock(l, _) => plain(OpKind::TryWriteLock, rwlock(l)),
            Instr::ReadLockTimeout(l, _) => timed(plain(OpKind::ReadLock, rwlock(l))),
            Instr::WriteLockTimeout(l, _) => timed(plain(OpKind::WriteLock, rwlock(l))),
            Instr::RwUnlock(l) => {
                let writes = self.rwlocks.get(l as usize).is_some_and(|l| l.writer == Some(t));
                plain(if writes { OpKind::WriteUnlock } else { OpKind::ReadUnlock }, rwlock(l))
            }
            // As the runtime has it: an atomic at the lock's place.
            Instr::Poison(lock) | Instr::ClearPoison(lock) => {
                let mut event = plain(OpKind::AtomicStore, guarded(lock));
                event.set_access(Order::Relaxed, 1);
                let clears = matches!(instr, Instr::ClearPoison(_));
                event.flags |= if clears { flags::CLEARS_POISON } else { 0 };
                event
            }
            Instr::AsksPoison(lock, _) => {
                let mut event = plain(OpKind::AtomicLoad, guarded(lock));
                event.set_access(Order::Relaxed, 1);
                event
            }
            Instr::Barrier(b, ..) => plain(OpKind::Barrier, barrier(b)),
            Instr::Wait(c, m) | Instr::WaitTimeout(c, m, _) => {
                let mut event = plain(OpKind::CondEnqueue, condvar(c));
                event.value = mutex(m);
                event
            }
            Instr::NotifyOne(c) => plain(OpKind::NotifyOne, condvar(c)),
            Instr::NotifyAll(c) => plain(OpKind::NotifyAll, condvar(c)),
            Instr::SemWait(s) => plain(OpKind::SemWait, semaphore(s)),
            Instr::SemWaitTimeout(s, _) => timed(plain(OpKind::SemWait, semaphore(s))),
            Instr::SemTryWait(s, _) => plain(OpKind::SemTryWait, semaphore(s)),
            Instr::SemPost(s) => plain(OpKind::SemPost, semaphore(s)),
            Instr::Load(v, _, order) => atomic(OpKind::AtomicLoad, v, order),
            Instr::Await(v, _, order) => {
                let mut event = atomic(OpKind::AtomicLoad, v, order);
                event.flags |= flags::UNTIL_SET;
                event
            }
            Instr::Store(v, _, order) => atomic(OpKind::AtomicStore, v, order),
            Instr::FetchAdd(v, _, _, order) | Instr::CompareExchange(v, _, _, _, order) => {
                atomic(OpKind::AtomicRmw, v, order)
            }
            Instr::Fence(order) => {
                let mut event = plain(OpKind::Fence, 0);
                event.set_access(order, 1);
                event
            }
            Instr::Read(v, _) => self.mark(instr, atomic(OpKind::Read, v, Order::Relaxed)),
            Instr::Write(v, _) => self.mark(instr, atomic(OpKind::Write, v, Order::Relaxed)),
            Instr::Free(v) => atomic(OpKind::Free, v, Order::Relaxed),
            Instr::Release(v, given) => given_back(t, v, given),
            Instr::Own(v, last) => self.counting(last, atomic(OpKind::AtomicRmw, v, Order::Relaxed)),
            Instr::Disown(v, last, _) => self.counting(last, atomic(OpKind::AtomicRmw, v, Order::Release)),
            Instr::Spawn(..) => plain(OpKind::Spawn, 0),
            Instr::Join(other) => plain(OpKind::Join, self.value(t, other)),
            Instr::Yield => plain(OpKind::Yield, 0),
            Instr::Sleep => plain(OpKind::Sleep, 0),
            Instr::Park => plain(OpKind::Park, u64::from(t)),
            Instr::ParkTimeout(_) => timed(plain(OpKind::Park, u64::from(t))),
            Instr::Unpark(other) => plain(OpKind::Unpark, self.value(t, other)),
            Instr::Choose(..) => plain(OpKind::Input, 0),
            Instr::Statement => plain(OpKind::Statement, 0),
            Instr::End(status) => {
                let mut event = plain(OpKind::End, 0);
                event.value = u64::from(status != 0);
                event
            }
            _ => plain(OpKind::Point, 0),
        }
    }

    /// Does the pending step of a thread that can make it; completes its event.
    pub fn step(&mut self, program: &Program, t: u8, event: &mut Event) -> After {
        match self.threads[t as usize].pending {
            Pending::Start | Pending::LockExit(_) => After::Stay,
            Pending::Exit => {
                self.threads[t as usize].pending = Pending::Done;
                After::Stay
            }
            Pending::Done => After::End(0),
            Pending::Barrier(..) => {
                if let Some(Instr::Barrier(_, _, r)) = self.instr(program, t) {
                    self.set(t, r, 0);
                }
                After::GoOn
            }
            Pending::Wake(w) => {
                *slot(&mut self.mutexes, w.mutex) = Some(t);
                if let Some(Instr::WaitTimeout(_, _, r)) = self.instr(program, t) {
                    self.set(t, r, u64::from(w.timed_out));
                }
                After::GoOn
            }
            Pending::Instr => match self.instr(program, t) {
                Some(instr) => {
                    self.lifetimes.misuse = self.misuse(event);
                    let after = self.instruction(t, instr, event);
                    if self.lifetimes.misuse.is_some() { After::Crash("misuse") } else { after }
                }
                None => After::Stay,
            },
        }
    }

    /// Ends a timed wait.
    pub fn time_out(&mut self, program: &Program, t: u8) -> After {
        if let Pending::Wake(w) = &mut self.threads[t as usize].pending {
            w.released = true;
            w.timed_out = true;
            return After::Stay;
        }
        use Instr::*;
        if let Some(
            SemWaitTimeout(_, r)
            | ParkTimeout(r)
            | LockTimeout(_, r)
            | ReadLockTimeout(_, r)
            | WriteLockTimeout(_, r),
        ) = self.instr(program, t)
        {
            self.set(t, r, 1);
        }
        After::GoOn
    }

    fn instruction(&mut self, t: u8, instr: Instr, event: &mut Event) -> After {
        match instr {
            Instr::Lock(m) => *slot(&mut self.mutexes, m) = Some(t),
            Instr::TryLock(m, r) => {
                let free = slot(&mut self.mutexes, m).is_none();
                if free {
                    *slot(&mut self.mutexes, m) = Some(t);
                }
                self.attempt(t, r, free, event);
            }
            Instr::Unlock(m) => {
                if *slot(&mut self.mutexes, m) != Some(t) {
                    return After::Crash("unlock of a mutex that the thread does not hold");
                }
                *slot(&mut self.mutexes, m) = None;
            }
            Instr::LockTimeout(m, r) => {
                *slot(&mut self.mutexes, m) = Some(t);
                self.set(t, r, 0);
            }
            Instr::ReadLock(l) => slot(&mut self.rwlocks, l).readers.push(t),
            Instr::WriteLock(l) => slot(&mut self.rwlocks, l).writer = Some(t),
            Instr::ReadLockTimeout(l, r) => {
                slot(&mut self.rwlocks, l).readers.push(t);
                self.set(t, r, 0);
            }
            Instr::WriteLockTimeout(l, r) => {
                slot(&mut self.rwlocks, l).writer = Some(t);
                self.set(t, r, 0);
            }
            Instr::TryReadLock(l, r) => {
                let lock = slot(&mut self.rwlocks, l);
                let free = lock.is_free(false);
                if free {
                    lock.readers.push(t);
                }
                self.attempt(t, r, free, event);
            }
            Instr::TryWriteLock(l, r) => {
                let lock = slot(&mut self.rwlocks, l);
                let free = lock.is_free(true);
                if free {
                    lock.writer = Some(t);
                }
                self.attempt(t, r, free, event);
            }
            Instr::RwUnlock(l) => {
                let lock = slot(&mut self.rwlocks, l);
                if lock.writer == Some(t) {
                    lock.writer = None;
                } else if let Some(own) = lock.readers.iter().position(|r| *r == t) {
                    lock.readers.swap_remove(own);
                } else {
                    return After::Crash("unlock of a read-write lock that the thread does not hold");
                }
            }
            Instr::Barrier(b, n, r) => {
                let arrived = self.arrived(b);
                if arrived.count_ones() + 1 < u32::from(n) {
                    self.threads[t as usize].pending = Pending::Barrier(b, false);
                    return After::Stay;
                }
                event.value = arrived;
                let open = Pending::Barrier(b, true);
                crate::points::bits(arrived).for_each(|w| self.threads[usize::from(w)].pending = open);
                self.set(t, r, 1);
            }
            Instr::Wait(c, m) | Instr::WaitTimeout(c, m, _) => {
                if *slot(&mut self.mutexes, m) != Some(t) {
                    return After::Crash("wait with a mutex that the thread does not hold");
                }
                *slot(&mut self.mutexes, m) = None;
                let timed = matches!(instr, Instr::WaitTimeout(..));
                let wake = Wake { condvar: c, mutex: m, released: false, timed, timed_out: false };
                self.threads[t as usize].pending = Pending::Wake(wake);
                return After::Stay;
            }
            Instr::NotifyOne(c) => return After::Notify(self.waiters(c)),
            Instr::NotifyAll(c) => {
                event.value = self.waiters(c);
                crate::points::bits(event.value).for_each(|w| self.notify(w));
            }
            Instr::SemWait(s) => event.value = self.change(s, -1),
            Instr::SemWaitTimeout(s, r) => {
                event.value = self.change(s, -1);
                self.set(t, r, 0);
            }
            Instr::SemTryWait(s, r) => {
                let above = *slot(&mut self.semaphores, s) > 0;
                event.value = self.change(s, -i64::from(above));
                self.attempt(t, r, above, event);
            }
            Instr::SemPost(s) => event.value = self.change(s, 1),
            Instr::Load(..)
            | Instr::Await(..)
            | Instr::Store(..)
            | Instr::FetchAdd(..)
            | Instr::Own(..)
            | Instr::CompareExchange(..) => {
                self.atomic(t, instr, event);
            }
            Instr::Disown(v, _, r) => {
                self.atomic(t, instr, event);
                self.disowned(t, v, event);
                self.set(t, r, u64::from(event.value == 1));
            }
            Instr::Poison(lock) => self.poisoned.push(lock),
            Instr::ClearPoison(lock) => self.poisoned.retain(|l| *l != lock),
            Instr::AsksPoison(lock, r) => self.set(t, r, u64::from(self.poisoned.contains(&lock))),
            Instr::Read(..) | Instr::Write(..) | Instr::Free(_) | Instr::Release(..) => {
                self.access(t, instr);
            }
            Instr::Spawn(body, r) => {
                let Some(child) = self.spawn(body) else {
                    event.flags |= flags::FAILED;
                    return After::Crash("too many threads");
                };
                event.value = u64::from(child);
                self.set(t, r, u64::from(child));
            }
            Instr::Park => event.value = self.set_token(usize::from(t), false),
            Instr::ParkTimeout(r) => {
                event.value = self.set_token(usize::from(t), false);
                self.set(t, r, 0);
            }
            Instr::Unpark(other) => event.value = self.set_token(self.value(t, other) as usize, true),
            Instr::End(status) => return After::End(status),
            Instr::Choose(n, r) => return After::Input(u64::MAX >> (64 - u32::from(n.clamp(1, 64))), r),
            _ => {}
        }
        After::GoOn
    }

    /// Changes a semaphore's count; returns what it was.
    fn change(&mut self, s: u32, by: i64) -> u64 {
        let count = slot(&mut self.semaphores, s);
        let before = *count;
        *count = before.wrapping_add_signed(by);
        before
    }

    /// Sets or takes a thread's park token; returns whether it was set.
    fn set_token(&mut self, t: usize, to: bool) -> u64 {
        let Some(thread) = self.threads.get_mut(t) else { return 0 };
        u64::from(core::mem::replace(&mut thread.token, to))
    }

    /// Result of an operation that may fail.
    fn attempt(&mut self, t: u8, r: u8, success: bool, event: &mut Event) {
        self.set(t, r, u64::from(success));
        event.flags |= if success { 0 } else { flags::FAILED };
    }

    fn atomic(&mut self, t: u8, instr: Instr, event: &mut Event) {
        let (v, new, into) = match instr {
            Instr::Load(v, r, _) | Instr::Await(v, r, _) => (v, None, Some(r)),
            Instr::Store(v, value, _) => (v, Some(self.value(t, value)), None),
            Instr::FetchAdd(v, value, r, _) => {
                let old = *slot(&mut self.variables, v);
                (v, Some(old.wrapping_add(self.value(t, value))), Some(r))
            }
            Instr::Own(v, _) => (v, Some(slot(&mut self.variables, v).wrapping_add(1)), None),
            Instr::Disown(v, ..) => (v, Some(slot(&mut self.variables, v).wrapping_sub(1)), None),
            Instr::CompareExchange(v, expected, new, r, _) => {
                self.expected = self.value(t, expected);
                let equal = *slot(&mut self.variables, v) == self.expected;
                event.flags |= flags::COMPARE | if equal { 0 } else { flags::FAILED };
                (v, equal.then(|| self.value(t, new)), Some(r))
            }
            _ => return,
        };
        let variable = slot(&mut self.variables, v);
        let old = *variable;
        let same = event.kind() == OpKind::AtomicRmw && new == Some(old);
        event.flags |= if same { flags::SAME } else { 0 };
        *variable = new.unwrap_or(old);
        self.overwrote = old;
        event.value = if event.kind() == OpKind::AtomicStore { *variable } else { old };
        if let Some(r) = into {
            self.set(t, r, old);
        }
    }
}
