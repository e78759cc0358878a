//! What the steps do.

use super::act::Act;
use super::state::{At, State};
use super::{End, Fault, Step};
use raddle_engine::simulated::{Guarded, Instr, Program};
use raddle_schedule::{Order, Outcome};

impl State {
    /// The wait of a thread times out.
    pub fn late(mut self, t: usize) -> Vec<State> {
        let pc = self.threads[t].pc;
        let act = match (self.threads[t].at, self.threads[t].code[pc]) {
            (At::Waiting { condvar, .. }, _) => Act::LateNotify(condvar),
            (_, Instr::LockTimeout(m, _)) => Act::LateLock(m),
            (_, Instr::ReadLockTimeout(l, _) | Instr::WriteLockTimeout(l, _)) => Act::LateRwLock(l),
            (_, Instr::SemWaitTimeout(s, _)) => Act::LateSem(s),
            (_, Instr::ParkTimeout(_)) => Act::LatePark(self.threads[t].name),
            other => panic!("no time-out at {:?}", other.1),
        };
        self.did(t, act, Order::Relaxed, false);
        let instr = self.threads[t].code[pc];
        match (&mut self.threads[t].at, instr) {
            (At::Waiting { released, timed_out, .. }, _) => (*released, *timed_out) = (true, true),
            (
                _,
                Instr::SemWaitTimeout(_, r)
                | Instr::ParkTimeout(r)
                | Instr::LockTimeout(_, r)
                | Instr::ReadLockTimeout(_, r)
                | Instr::WriteLockTimeout(_, r),
            ) => self.done(t, Some((r, 1))),
            _ => {}
        }
        vec![self]
    }

    /// A thread's step, once for each outcome.
    pub fn step(mut self, program: &Program, t: usize) -> Vec<State> {
        let relaxed = Order::Relaxed;
        match self.threads[t].at {
            At::Start => {
                self.did(t, Act::Start, relaxed, false);
                return vec![self];
            }
            At::Exit => {
                self.did(t, Act::Exit, relaxed, false);
                self.threads[t].at = At::Gone;
                return vec![self];
            }
            At::Arrived { barrier, .. } => {
                self.did(t, Act::Leave(barrier), relaxed, false);
                self.threads[t].at = At::Ready;
                let Instr::Barrier(_, _, r) = self.threads[t].code[self.threads[t].pc] else {
                    unreachable!()
                };
                self.done(t, Some((r, 0)));
                return vec![self];
            }
            At::Waiting { condvar, mutex, timed_out, .. } => {
                self.did(t, Act::Wake(condvar, mutex), relaxed, false);
                self.owner[mutex as usize] = Some(t);
                self.threads[t].at = At::Ready;
                let result = match self.threads[t].code[self.threads[t].pc] {
                    Instr::WaitTimeout(_, _, r) => Some((r, u64::from(timed_out))),
                    _ => None,
                };
                self.done(t, result);
                return vec![self];
            }
            At::Ready | At::Gone => {}
        }
        let instr = self.threads[t].code[self.threads[t].pc];
        let (act, order) = self.act(t, instr);
        match instr {
            Instr::NotifyOne(c) => return self.notify_one(t, c),
            Instr::NotifyAll(c) => {
                let waiters = self.waiters(c);
                self.woke(t, Act::Notify(c, true, !waiters.is_empty()), order, false, &waiters);
                waiters.into_iter().for_each(|w| self.wake(w));
            }
            Instr::Barrier(b, _, r) => {
                let arrived = self.arrived(b);
                let last = act == Act::Arrive(b, true);
                self.woke(t, act, order, false, if last { &arrived } else { &[] });
                if last {
                    arrived.iter().for_each(|w| self.threads[*w].at = At::Arrived { barrier: b, open: true });
                    self.done(t, Some((r, 1)));
                } else {
                    self.threads[t].at = At::Arrived { barrier: b, open: false };
                }
                return vec![self];
            }
            Instr::Choose(n, r) => return (0..n).map(|i| self.clone().chosen(t, i, r)).collect(),
            _ => self.did(t, act, order, false),
        }
        let mut result = None;
        match instr {
            Instr::RwUnlock(l) => {
                let rw = &mut self.rw[l as usize];
                if rw.writer == Some(t) {
                    rw.writer = None;
                } else if let Some(own) = rw.readers.iter().position(|r| *r == t) {
                    rw.readers.remove(own);
                } else {
                    // As a trace tells it: one of its readers does not hold it any more, and nobody knows which.
                    rw.misused = true;
                    self.ended = Some(self.failed(t, Outcome::Crash));
                    return vec![self];
                }
            }
            Instr::Poison(lock) => *self.poison(lock) = true,
            Instr::ClearPoison(lock) => *self.poison(lock) = false,
            Instr::AsksPoison(lock, r) => result = Some((r, u64::from(*self.poison(lock)))),
            Instr::Lock(_)
            | Instr::TryLock(..)
            | Instr::ReadLock(_)
            | Instr::WriteLock(_)
            | Instr::TryReadLock(..)
            | Instr::TryWriteLock(..) => result = self.lock(t, instr, act),
            Instr::ReadLockTimeout(l, r) => {
                self.rw[l as usize].readers.push(t);
                result = Some((r, 0));
            }
            Instr::WriteLockTimeout(l, r) => {
                self.rw[l as usize].writer = Some(t);
                result = Some((r, 0));
            }
            Instr::LockTimeout(m, r) => {
                self.owner[m as usize] = Some(t);
                result = Some((r, 0));
            }
            Instr::Unlock(m) | Instr::Wait(_, m) | Instr::WaitTimeout(_, m, _)
                if self.owner[m as usize] != Some(t) =>
            {
                // As a trace tells it: whoever held it does not any more.
                self.owner[m as usize] = None;
                self.ended = Some(self.failed(t, Outcome::Crash));
                return vec![self];
            }
            Instr::Unlock(m) => self.owner[m as usize] = None,
            Instr::Wait(condvar, mutex) | Instr::WaitTimeout(condvar, mutex, _) => {
                self.owner[mutex as usize] = None;
                let timed = matches!(instr, Instr::WaitTimeout(..));
                self.threads[t].at = At::Waiting { condvar, mutex, timed, released: false, timed_out: false };
                return vec![self];
            }
            Instr::SemWait(s) => self.sem[s as usize] -= 1,
            Instr::SemWaitTimeout(s, r) => {
                self.sem[s as usize] -= 1;
                result = Some((r, 0));
            }
            Instr::SemTryWait(s, r) => {
                let above = act == Act::SemTryWait(s, true);
                self.sem[s as usize] -= u64::from(above);
                result = Some((r, u64::from(above)));
            }
            Instr::SemPost(s) => self.sem[s as usize] += 1,
            Instr::Await(..) | Instr::Read(..) | Instr::Write(..) => result = self.access(t, instr, act),
            instr if instr.is_atomic() => result = self.access(t, instr, act),
            Instr::Spawn(body, r) => {
                let Act::Spawn(child) = act else { unreachable!() };
                self.threads[t].children += 1;
                self.add(program, body, child);
                result = Some((r, child));
            }
            Instr::Park => self.threads[t].token = false,
            Instr::ParkTimeout(r) => {
                self.threads[t].token = false;
                result = Some((r, 0));
            }
            Instr::Unpark(o) => {
                if let Some(u) = self.named(self.eval(t, o)) {
                    self.threads[u].token = true;
                }
            }
            Instr::Yield | Instr::Sleep => self.gave_way = true,
            Instr::End(0) => {
                self.ended = Some(End { outcome: Outcome::Passed, faults: Vec::new() });
                return vec![self];
            }
            Instr::End(_) => {
                self.ended = Some(self.failed(t, Outcome::Exit));
                return vec![self];
            }
            _ => {}
        }
        self.done(t, result);
        vec![self]
    }

    /// Does an atomic operation that is part of the step before.
    pub fn part(&mut self, t: usize, instr: Instr) {
        let (act, order) = self.act(t, instr);
        self.did(t, act, order, false);
        let result = if instr.is_atomic() { self.access(t, instr, act) } else { self.lock(t, instr, act) };
        self.done(t, result);
    }

    /// Takes a lock that is free, tries to, or gives back what the thread has.
    fn lock(&mut self, t: usize, instr: Instr, act: Act) -> Option<(u8, u64)> {
        match instr {
            Instr::Lock(m) => self.owner[m as usize] = Some(t),
            Instr::Unlock(m) => self.owner[m as usize] = None,
            Instr::TryLock(m, r) => {
                let free = act == Act::TryLock(m, true);
                if free {
                    self.owner[m as usize] = Some(t);
                }
                return Some((r, u64::from(free)));
            }
            Instr::ReadLock(l) => self.rw[l as usize].readers.push(t),
            Instr::WriteLock(l) => self.rw[l as usize].writer = Some(t),
            Instr::TryReadLock(l, r) => {
                let free = act == Act::TryRwLock(l, false, true);
                if free {
                    self.rw[l as usize].readers.push(t);
                }
                return Some((r, u64::from(free)));
            }
            Instr::TryWriteLock(l, r) => {
                let free = act == Act::TryRwLock(l, true, true);
                if free {
                    self.rw[l as usize].writer = Some(t);
                }
                return Some((r, u64::from(free)));
            }
            Instr::RwUnlock(l) => {
                let rw = &mut self.rw[l as usize];
                match rw.readers.iter().position(|r| *r == t) {
                    Some(own) if rw.writer != Some(t) => drop(rw.readers.remove(own)),
                    _ => rw.writer = None,
                }
            }
            _ => {}
        }
        None
    }

    /// Can an operation be part of a step: an atomic one, a lock that is free, an unlock of what the thread has?
    pub fn can_be_part(&self, t: usize, instr: Instr) -> bool {
        match instr {
            Instr::Lock(m) => self.owner[m as usize].is_none(),
            Instr::ReadLock(l) => self.rw[l as usize].free(false),
            Instr::WriteLock(l) => self.rw[l as usize].free(true),
            Instr::TryLock(..) | Instr::TryReadLock(..) | Instr::TryWriteLock(..) => true,
            Instr::Unlock(m) => self.owner[m as usize] == Some(t),
            Instr::RwUnlock(l) => {
                let rw = &self.rw[l as usize];
                rw.writer == Some(t) || rw.readers.contains(&t)
            }
            _ => instr.is_atomic(),
        }
    }

    /// Reads or writes a variable: the register that the instruction sets, and its value.
    fn access(&mut self, t: usize, instr: Instr, act: Act) -> Option<(u8, u64)> {
        match instr {
            Instr::Load(v, r, _) | Instr::Await(v, r, _) | Instr::Read(v, r) => {
                Some((r, self.var[v as usize]))
            }
            Instr::Store(v, x, _) | Instr::Write(v, x) => {
                self.var[v as usize] = self.eval(t, x);
                None
            }
            Instr::FetchAdd(v, x, r, _) => {
                let old = self.var[v as usize];
                self.var[v as usize] = old.wrapping_add(self.eval(t, x));
                Some((r, old))
            }
            Instr::CompareExchange(v, _, new, r, _) => {
                let old = self.var[v as usize];
                if act == Act::Rmw(v, true) {
                    self.var[v as usize] = self.eval(t, new);
                }
                Some((r, old))
            }
            _ => None,
        }
    }

    /// What an instruction does now, and its memory ordering.
    fn act(&self, t: usize, instr: Instr) -> (Act, Order) {
        let free = |m: u32| self.owner[m as usize].is_none();
        let named = |lock, of: fn(bool, u32) -> Act| match lock {
            Guarded::Mutex(m) => of(true, m),
            Guarded::RwLock(l) => of(false, l),
        };
        let act = match instr {
            Instr::Load(v, _, o) | Instr::Await(v, _, o) => return (Act::Load(v), o),
            Instr::Store(v, _, o) => return (Act::Store(v), o),
            Instr::FetchAdd(v, _, _, o) => return (Act::Rmw(v, true), o),
            Instr::CompareExchange(v, expected, _, _, o) => {
                return (Act::Rmw(v, self.var[v as usize] == self.eval(t, expected)), o);
            }
            Instr::Fence(o) => return (Act::Fence, o),
            Instr::Lock(m) | Instr::LockTimeout(m, _) => Act::Lock(m),
            Instr::ReadLock(l) | Instr::ReadLockTimeout(l, _) => Act::RwLock(l, false),
            Instr::WriteLock(l) | Instr::WriteLockTimeout(l, _) => Act::RwLock(l, true),
            Instr::TryReadLock(l, _) => Act::TryRwLock(l, false, self.rw[l as usize].free(false)),
            Instr::TryWriteLock(l, _) => Act::TryRwLock(l, true, self.rw[l as usize].free(true)),
            Instr::RwUnlock(l) => Act::RwUnlock(l, self.rw[l as usize].writer == Some(t)),
            Instr::Poison(lock) => named(lock, Act::Poison),
            Instr::ClearPoison(lock) => named(lock, Act::ClearPoison),
            Instr::AsksPoison(lock, _) => named(lock, Act::AsksPoison),
            Instr::Barrier(b, n, _) => Act::Arrive(b, self.arrived(b).len() + 1 >= usize::from(n)),
            Instr::TryLock(m, _) => Act::TryLock(m, free(m)),
            Instr::Unlock(m) => Act::Unlock(m),
            Instr::Wait(c, m) | Instr::WaitTimeout(c, m, _) => Act::Enqueue(c, m),
            Instr::SemWait(s) | Instr::SemWaitTimeout(s, _) => Act::SemWait(s),
            Instr::SemTryWait(s, _) => Act::SemTryWait(s, self.sem[s as usize] > 0),
            Instr::SemPost(s) => Act::SemPost(s),
            Instr::Read(v, _) => Act::Read(v),
            Instr::Write(v, _) => Act::Write(v),
            Instr::Free(v) => Act::Free(v),
            Instr::Spawn(..) => Act::Spawn(self.threads[t].name * 8 + self.threads[t].children + 1),
            Instr::Join(other) => Act::Join(self.eval(t, other)),
            Instr::Park | Instr::ParkTimeout(_) => Act::Park(self.threads[t].name),
            Instr::Unpark(other) => Act::Unpark(self.eval(t, other)),
            Instr::Yield => Act::Nothing('y'),
            Instr::Sleep => Act::Nothing('s'),
            Instr::Statement => Act::Nothing('t'),
            Instr::End(_) => Act::Nothing('e'),
            _ => Act::Nothing('p'),
        };
        (act, Order::Relaxed)
    }

    /// The thread stands behind its instruction.
    fn done(&mut self, t: usize, result: Option<(u8, u64)>) {
        if let Some((r, v)) = result {
            self.threads[t].regs[r as usize] = v;
        }
        self.threads[t].pc += 1;
    }

    /// A thread failed where it stands.
    pub fn failed(&self, t: usize, kind: Outcome) -> End {
        let fault = Fault { kind, places: vec![(self.threads[t].name, self.site(t))], beside: false };
        End { outcome: kind, faults: vec![fault] }
    }

    fn chosen(mut self, t: usize, input: u8, r: u8) -> State {
        self.did(t, Act::Input(input), Order::Relaxed, false);
        self.path.push(Step::Input(input.into()));
        self.done(t, Some((r, input.into())));
        self
    }

    pub fn waiters(&self, c: u32) -> Vec<usize> {
        let waits = |at: &At| matches!(at, At::Waiting { condvar, released: false, .. } if *condvar == c);
        (0..self.threads.len()).filter(|w| waits(&self.threads[*w].at)).collect()
    }

    fn arrived(&self, b: u32) -> Vec<usize> {
        let waits = |at: &At| *at == At::Arrived { barrier: b, open: false };
        (0..self.threads.len()).filter(|w| waits(&self.threads[*w].at)).collect()
    }

    fn wake(&mut self, w: usize) {
        if let At::Waiting { released, .. } = &mut self.threads[w].at {
            *released = true;
        }
    }

    fn notify_one(mut self, t: usize, c: u32) -> Vec<State> {
        let waiters = self.waiters(c);
        if waiters.len() < 2 {
            self.woke(t, Act::Notify(c, false, !waiters.is_empty()), Order::Relaxed, false, &waiters);
            waiters.into_iter().for_each(|w| self.wake(w));
            self.done(t, None);
            return vec![self];
        }
        let one = |w: usize| {
            let mut state = self.clone();
            state.woke(t, Act::Notify(c, false, true), Order::Relaxed, false, &[w]);
            state.path.push(Step::Waiter(w as u8));
            state.wake(w);
            state.done(t, None);
            state
        };
        waiters.into_iter().map(one).collect()
    }
}
