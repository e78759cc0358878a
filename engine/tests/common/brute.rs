//! Brute force: a second, plain interpreter of the programs that copies the whole state at every
//! choice and walks all of them. Shares nothing with the engine but the language.

use super::{Run, Step};
use raddle_engine::simulated::{Condition, Instr, Is, Program, Value};
use raddle_schedule::{Granularity, Outcome};

#[derive(Clone, Copy, PartialEq)]
enum At {
    Start,
    Ready,
    /// Waiting on condvar with mutex; notified or timed out.
    Waiting {
        condvar: u32,
        mutex: u32,
        timed: bool,
        released: bool,
        timed_out: bool,
    },
    Exit,
    Gone,
}

#[derive(Clone)]
struct Thread {
    code: Vec<Instr>,
    pc: usize,
    regs: [u64; 8],
    at: At,
    token: bool,
    run_on: bool,
}

#[derive(Clone)]
struct State {
    threads: Vec<Thread>,
    owner: [Option<usize>; 8],
    sem: [u64; 8],
    var: [u64; 8],
    path: Vec<Step>,
    preemptions: u32,
    last: usize,
    gave_way: bool,
    ended: Option<Outcome>,
}

/// All executions of a program; `None` if there are more than `most`.
pub fn enumerate(program: &Program, access: bool, most: usize) -> Option<Vec<Run>> {
    enumerate_at(program, if access { Granularity::Access } else { Granularity::Sync }, most)
}

/// All executions of a program with points of this granularity.
pub fn enumerate_at(program: &Program, granularity: Granularity, most: usize) -> Option<Vec<Run>> {
    let mut sem = [0; 8];
    sem[..program.semaphores.len()].copy_from_slice(&program.semaphores);
    let mut start = State {
        threads: vec![],
        owner: [None; 8],
        sem,
        var: [0; 8],
        path: vec![],
        preemptions: 0,
        last: 0,
        gave_way: false,
        ended: None,
    };
    start.add(program, 0);
    start.threads[0].at = At::Ready;
    let mut runs = Vec::new();
    let starts = start.go_on(program, 0, granularity);
    starts.into_iter().all(|s| walk(program, s, granularity, most, &mut runs)).then_some(runs)
}

fn walk(program: &Program, state: State, granularity: Granularity, most: usize, runs: &mut Vec<Run>) -> bool {
    let can: Vec<bool> = (0..state.threads.len()).map(|t| state.can(t)).collect();
    let late: Vec<bool> = (0..state.threads.len()).map(|t| !can[t] && state.can_time_out(t)).collect();
    let over = !can.iter().chain(&late).any(|b| *b);
    if state.ended.is_some() || over {
        if runs.len() == most {
            return false;
        }
        let all_ended = state.threads.iter().all(|t| t.at == At::Gone);
        let stuck = if all_ended { Outcome::Passed } else { Outcome::Deadlock };
        let outcome = state.ended.unwrap_or(stuck);
        runs.push(Run { steps: state.path, preemptions: state.preemptions, outcome });
        return true;
    }
    for t in 0..state.threads.len() {
        if !can[t] && !late[t] {
            continue;
        }
        let mut next = state.clone();
        next.path.push(if can[t] { Step::Thread(t as u8) } else { Step::TimeOut(t as u8) });
        if t != state.last && can[state.last] && !state.gave_way {
            next.preemptions += 1;
        }
        next.last = t;
        next.gave_way = false;
        next.threads[t].run_on = false;
        let outcomes = if can[t] { next.step(program, t) } else { next.late(t) };
        for outcome in outcomes.into_iter().flat_map(|s| s.go_on(program, t, granularity)) {
            if !walk(program, outcome, granularity, most, runs) {
                return false;
            }
        }
    }
    true
}

impl State {
    fn add(&mut self, program: &Program, body: usize) -> usize {
        let code = program.bodies[body].clone();
        self.threads.push(Thread { code, pc: 0, regs: [0; 8], at: At::Start, token: false, run_on: false });
        self.threads.len() - 1
    }

    fn eval(&self, t: usize, v: Value) -> u64 {
        match v {
            Value::Const(n) => n,
            Value::Reg(r) => self.threads[t].regs[r as usize],
        }
    }

    fn holds(&self, t: usize, Condition(a, is, b): Condition) -> bool {
        let (a, b) = (self.eval(t, a), self.eval(t, b));
        match is {
            Is::Equal => a == b,
            Is::NotEqual => a != b,
            Is::Less => a < b,
        }
    }

    fn can(&self, t: usize) -> bool {
        let th = &self.threads[t];
        match th.at {
            At::Start | At::Exit => true,
            At::Gone => false,
            At::Waiting { mutex, released, .. } => released && self.owner[mutex as usize].is_none(),
            At::Ready => match th.code[th.pc] {
                Instr::Lock(m) => self.owner[m as usize].is_none(),
                Instr::SemWait(s) | Instr::SemWaitTimeout(s, _) => self.sem[s as usize] > 0,
                Instr::Park | Instr::ParkTimeout(_) => th.token,
                Instr::Join(o) => self.threads[self.eval(t, o) as usize].at == At::Gone,
                _ => true,
            },
        }
    }

    fn can_time_out(&self, t: usize) -> bool {
        let th = &self.threads[t];
        match th.at {
            At::Waiting { timed, released, .. } => timed && !released,
            At::Ready => matches!(th.code[th.pc], Instr::SemWaitTimeout(..) | Instr::ParkTimeout(_)),
            _ => false,
        }
    }

    /// A thread that did something runs up to its next point; then, at statement granularity,
    /// threads that begin or whose join can be done. Once for each outcome.
    fn go_on(mut self, program: &Program, t: usize, granularity: Granularity) -> Vec<State> {
        if granularity != Granularity::Statement {
            if self.ended.is_none() && !matches!(self.threads[t].at, At::Waiting { .. } | At::Gone) {
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
        if !matches!(self.threads[t].at, At::Waiting { .. } | At::Gone) && self.ended.is_none() {
            self.settle(t, Granularity::Statement);
        }
        if self.ended.is_some() || !self.can(t) {
            return vec![self];
        }
        let th = &self.threads[t];
        if th.at == At::Ready {
            match th.code[th.pc] {
                Instr::Statement | Instr::Point | Instr::Choose(..) | Instr::Yield | Instr::Sleep => {
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
                Instr::Read(v, r) if !access => self.threads[t].regs[r as usize] = self.var[v as usize],
                Instr::Write(v, x) if !access => self.var[v as usize] = self.eval(t, x),
                Instr::Free(_) if !access => {}
                Instr::Set(r, x) => self.threads[t].regs[r as usize] = self.eval(t, x),
                Instr::Add(r, x) => self.threads[t].regs[r as usize] += self.eval(t, x),
                Instr::JumpIf(c, target) => {
                    if self.holds(t, c) {
                        to = target;
                    }
                }
                Instr::Assert(c) if !self.holds(t, c) => {
                    self.ended = Some(Outcome::Assertion);
                    return;
                }
                Instr::Assume(c) if !self.holds(t, c) => {
                    self.ended = Some(Outcome::AssumeBlocked);
                    return;
                }
                Instr::Assert(_) | Instr::Assume(_) => {}
                Instr::Statement if granularity != Granularity::Statement => {}
                _ => return,
            }
            self.threads[t].pc = to;
        }
    }

    /// The wait of a thread times out.
    fn late(mut self, t: usize) -> Vec<State> {
        let pc = self.threads[t].pc;
        match (self.threads[t].at, self.threads[t].code[pc]) {
            (At::Waiting { condvar, mutex, timed, .. }, _) => {
                self.threads[t].at = At::Waiting { condvar, mutex, timed, released: true, timed_out: true };
            }
            (_, Instr::SemWaitTimeout(_, r) | Instr::ParkTimeout(r)) => {
                self.threads[t].regs[r as usize] = 1;
                self.threads[t].pc += 1;
            }
            other => panic!("no time-out at {:?}", other.1),
        }
        vec![self]
    }

    /// A thread's step, once for each outcome.
    fn step(mut self, program: &Program, t: usize) -> Vec<State> {
        match self.threads[t].at {
            At::Start => return vec![self],
            At::Exit => {
                self.threads[t].at = At::Gone;
                return vec![self];
            }
            At::Waiting { mutex, timed_out, .. } => {
                self.owner[mutex as usize] = Some(t);
                let pc = self.threads[t].pc;
                if let Instr::WaitTimeout(_, _, r) = self.threads[t].code[pc] {
                    self.threads[t].regs[r as usize] = timed_out as u64;
                }
                self.threads[t].pc += 1;
                self.threads[t].at = At::Ready;
                return vec![self];
            }
            At::Ready | At::Gone => {}
        }
        let instr = self.threads[t].code[self.threads[t].pc];
        let crash = |mut s: State| {
            s.ended = Some(Outcome::Crash);
            vec![s]
        };
        let mut result = None;
        match instr {
            Instr::Lock(m) => self.owner[m as usize] = Some(t),
            Instr::TryLock(m, r) => {
                let free = self.owner[m as usize].is_none();
                if free {
                    self.owner[m as usize] = Some(t);
                }
                result = Some((r, free as u64));
            }
            Instr::Unlock(m) if self.owner[m as usize] == Some(t) => self.owner[m as usize] = None,
            Instr::Wait(c, m) | Instr::WaitTimeout(c, m, _) if self.owner[m as usize] == Some(t) => {
                self.owner[m as usize] = None;
                let timed = matches!(instr, Instr::WaitTimeout(..));
                self.threads[t].at =
                    At::Waiting { condvar: c, mutex: m, timed, released: false, timed_out: false };
                return vec![self];
            }
            Instr::Unlock(_) | Instr::Wait(..) | Instr::WaitTimeout(..) => return crash(self),
            Instr::NotifyOne(c) | Instr::NotifyAll(c) => {
                self.threads[t].pc += 1;
                return self.notify(c, matches!(instr, Instr::NotifyAll(_)));
            }
            Instr::SemWait(s) => self.sem[s as usize] -= 1,
            Instr::SemWaitTimeout(s, r) => {
                self.sem[s as usize] -= 1;
                result = Some((r, 0));
            }
            Instr::SemTryWait(s, r) => {
                let above = self.sem[s as usize] > 0;
                self.sem[s as usize] -= above as u64;
                result = Some((r, above as u64));
            }
            Instr::SemPost(s) => self.sem[s as usize] += 1,
            Instr::Load(v, r, _) | Instr::Read(v, r) => result = Some((r, self.var[v as usize])),
            Instr::Store(v, x, _) | Instr::Write(v, x) => self.var[v as usize] = self.eval(t, x),
            Instr::FetchAdd(v, x, r, _) => {
                let old = self.var[v as usize];
                self.var[v as usize] = old + self.eval(t, x);
                result = Some((r, old));
            }
            Instr::CompareExchange(v, a, b, r, _) => {
                let old = self.var[v as usize];
                if old == self.eval(t, a) {
                    self.var[v as usize] = self.eval(t, b);
                }
                result = Some((r, old));
            }
            Instr::Spawn(body, r) => result = Some((r, self.add(program, body) as u64)),
            Instr::Park => self.threads[t].token = false,
            Instr::ParkTimeout(r) => {
                self.threads[t].token = false;
                result = Some((r, 0));
            }
            Instr::Unpark(o) => {
                let o = self.eval(t, o) as usize;
                if let Some(other) = self.threads.get_mut(o) {
                    other.token = true;
                }
            }
            Instr::Yield | Instr::Sleep => self.gave_way = true,
            Instr::Choose(n, r) => {
                self.threads[t].pc += 1;
                return (0..n).map(|i| self.clone().chosen(t, Step::Input(i.into()), Some((r, i)))).collect();
            }
            _ => {}
        }
        if let Some((r, v)) = result {
            self.threads[t].regs[r as usize] = v;
        }
        self.threads[t].pc += 1;
        vec![self]
    }

    fn chosen(mut self, t: usize, step: Step, into: Option<(u8, u8)>) -> State {
        self.path.push(step);
        if let Some((r, v)) = into {
            self.threads[t].regs[r as usize] = v.into();
        }
        self
    }

    fn waiters(&self, c: u32) -> Vec<usize> {
        let waits =
            |th: &Thread| matches!(th.at, At::Waiting { condvar, released: false, .. } if condvar == c);
        (0..self.threads.len()).filter(|w| waits(&self.threads[*w])).collect()
    }

    fn notify(self, c: u32, all: bool) -> Vec<State> {
        let waiters = self.waiters(c);
        let wake = |mut s: State, w: usize| {
            if let At::Waiting { released, .. } = &mut s.threads[w].at {
                *released = true;
            }
            s
        };
        match waiters.len() {
            _ if all => vec![waiters.iter().fold(self, |s, w| wake(s, *w))],
            0 => vec![self],
            1 => vec![wake(self, waiters[0])],
            _ => waiters
                .iter()
                .map(|w| wake(self.clone(), *w).chosen(0, Step::Waiter(*w as u8), None))
                .collect(),
        }
    }
}
