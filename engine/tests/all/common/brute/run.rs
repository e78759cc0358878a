//! What threads do between two points, and which of them can go on.

use super::act::Act;
use super::state::{At, State};
use super::{End, Step};
use raddle_engine::simulated::{Instr, Program};
use raddle_schedule::op::is_set;
use raddle_schedule::{Granularity, Order, Outcome};

impl State {
    pub fn can(&self, t: usize) -> bool {
        let th = &self.threads[t];
        match th.at {
            At::Start | At::Exit => true,
            At::Gone => false,
            At::Arrived { open, .. } => open,
            At::Waiting { mutex, released, .. } => released && self.owner[mutex as usize].is_none(),
            At::Ready => match th.code[th.pc] {
                Instr::ReadLock(l) | Instr::ReadLockTimeout(l, _) => self.rw[l as usize].free(false),
                Instr::WriteLock(l) | Instr::WriteLockTimeout(l, _) => self.rw[l as usize].free(true),
                Instr::Lock(m) | Instr::LockTimeout(m, _) => self.owner[m as usize].is_none(),
                Instr::SemWait(s) | Instr::SemWaitTimeout(s, _) => self.sem[s as usize] > 0,
                Instr::Park | Instr::ParkTimeout(_) => th.token,
                Instr::Await(v, ..) => is_set(self.var[v as usize]),
                Instr::Join(o) => self.named(self.eval(t, o)).is_none_or(|u| self.threads[u].at == At::Gone),
                Instr::End(0) => {
                    let goes_on = |u| self.can(u) || self.can_time_out(u);
                    !(0..self.threads.len()).any(|u| !self.waits_to_end(u) && goes_on(u))
                }
                _ => true,
            },
        }
    }

    /// Does it stand where the process ends well, for which it waits until no other thread can go on?
    fn waits_to_end(&self, t: usize) -> bool {
        let th = &self.threads[t];
        th.at == At::Ready && th.code[th.pc] == Instr::End(0)
    }

    pub fn can_time_out(&self, t: usize) -> bool {
        let th = &self.threads[t];
        match th.at {
            At::Waiting { timed, released, .. } => timed && !released,
            At::Ready => matches!(
                th.code[th.pc],
                Instr::SemWaitTimeout(..)
                    | Instr::ParkTimeout(_)
                    | Instr::LockTimeout(..)
                    | Instr::ReadLockTimeout(..)
                    | Instr::WriteLockTimeout(..)
            ),
            _ => false,
        }
    }

    /// A thread that did something runs up to its next point; then, at statement granularity,
    /// threads that begin or whose join can be done. Once for each outcome.
    pub fn go_on(mut self, program: &Program, t: usize, granularity: Granularity) -> Vec<State> {
        if granularity != Granularity::Statement {
            if self.ended.is_none()
                && !matches!(self.threads[t].at, At::Waiting { .. } | At::Arrived { .. } | At::Gone)
            {
                self.settle(t, granularity);
            }
            return vec![self];
        }
        let mut all = Vec::new();
        for state in self.run_alone(program, t) {
            let begins = |u: &usize| {
                let th = &state.threads[*u];
                let joins = th.at == At::Ready && matches!(th.code[th.pc], Instr::Join(_));
                th.at == At::Start || (joins && state.can(*u))
            };
            let next = (0..state.threads.len()).find(begins).filter(|_| state.ended.is_none());
            match next {
                None => all.push(state),
                Some(u) => {
                    let mut state = state;
                    state.threads[u].run_on = true;
                    let done = state.step(program, u);
                    all.extend(done.into_iter().flat_map(|s| s.go_on(program, u, granularity)));
                }
            }
        }
        all
    }

    /// Statement granularity: runs a thread until it is at a point, has to wait, or has ended.
    fn run_alone(mut self, program: &Program, t: usize) -> Vec<State> {
        if !matches!(self.threads[t].at, At::Waiting { .. } | At::Arrived { .. } | At::Gone)
            && self.ended.is_none()
        {
            self.settle(t, Granularity::Statement);
        }
        if self.ended.is_some() || !self.can(t) {
            return vec![self];
        }
        let th = &self.threads[t];
        if th.at == At::Ready {
            match th.code[th.pc] {
                Instr::Statement
                | Instr::Point
                | Instr::Choose(..)
                | Instr::Yield
                | Instr::Sleep
                | Instr::End(_) => {
                    return vec![self];
                }
                // The first thing that a thread which was run on does: when, is a choice.
                _ if th.run_on && !matches!(th.code[th.pc], Instr::Join(_) | Instr::Spawn(..)) => {
                    return vec![self];
                }
                Instr::NotifyOne(c) if self.waiters(c).len() > 1 => {
                    // A step, since there is a choice, but nobody else could make it.
                    self.path.push(Step::Thread(t as u8));
                    (self.last, self.gave_way) = (t, false);
                }
                _ => {}
            }
        }
        self.step(program, t).into_iter().flat_map(|s| s.run_alone(program, t)).collect()
    }

    /// Does what a thread is about to do belong to its step before?
    fn goes_along(&self, t: usize) -> bool {
        let th = &self.threads[t];
        th.pc > 0 && th.code[th.pc - 1] == Instr::Along
    }

    /// Runs what is no schedule point.
    fn settle(&mut self, t: usize, granularity: Granularity) {
        let access = granularity == Granularity::Access;
        loop {
            let th = &self.threads[t];
            let Some(instr) = th.code.get(th.pc).copied() else {
                self.threads[t].at = At::Exit;
                return;
            };
            self.threads[t].at = At::Ready;
            let mut to = self.threads[t].pc + 1;
            match instr {
                Instr::Read(v, r) if !access => {
                    self.did(t, Act::Read(v), Order::Relaxed, true);
                    self.threads[t].regs[r as usize] = self.var[v as usize];
                }
                Instr::Write(v, x) if !access => {
                    self.did(t, Act::Write(v), Order::Relaxed, true);
                    self.var[v as usize] = self.eval(t, x);
                }
                Instr::Free(v) if !access => self.did(t, Act::Free(v), Order::Relaxed, true),
                Instr::Set(r, x) => self.threads[t].regs[r as usize] = self.eval(t, x),
                Instr::Add(r, x) => self.threads[t].regs[r as usize] += self.eval(t, x),
                Instr::ToldPoison(lock, r) => {
                    self.threads[t].regs[r as usize] = u64::from(*self.poison(lock));
                }
                Instr::JumpIf(c, target) => {
                    if self.holds(t, c) {
                        to = target;
                    }
                }
                Instr::Assert(c) if !self.holds(t, c) => {
                    self.ended = Some(self.failed(t, Outcome::Assertion));
                    return;
                }
                Instr::Assume(c) if !self.holds(t, c) => {
                    self.ended = Some(End { outcome: Outcome::AssumeBlocked, faults: Vec::new() });
                    return;
                }
                Instr::Assert(_) | Instr::Assume(_) | Instr::Along => {}
                _ if granularity == Granularity::Sync && self.goes_along(t) && self.can_be_part(t, instr) => {
                    self.part(t, instr);
                    to = self.threads[t].pc;
                }
                Instr::Lock(_) | Instr::ReadLock(_) | Instr::WriteLock(_)
                    if granularity == Granularity::Sync && self.goes_along(t) =>
                {
                    // The step before ends, since it finds the lock taken.
                    let found = match instr {
                        Instr::ReadLock(l) => Act::TryRwLock(l, false, false),
                        Instr::WriteLock(l) => Act::TryRwLock(l, true, false),
                        Instr::Lock(m) => Act::TryLock(m, false),
                        _ => return,
                    };
                    self.did(t, found, Order::Relaxed, false);
                    return;
                }
                Instr::Statement if granularity != Granularity::Statement => {}
                _ => return,
            }
            self.threads[t].pc = to;
        }
    }
}
