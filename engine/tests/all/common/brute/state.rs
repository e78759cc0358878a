//! The state of an execution: who can go on, where it ends, and what threads do between points.

use super::act::{self, Act, Did};
use super::{End, Fault, Step};
use raddle_engine::simulated::{Condition, Guarded, Instr, Is, Program, Value};
use raddle_schedule::{Granularity, Order, Outcome};
use std::rc::Rc;

#[derive(Clone, Copy, PartialEq, Hash, Debug)]
pub enum At {
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
    /// At a barrier; open once the last has come.
    Arrived {
        barrier: u32,
        open: bool,
    },
    Exit,
    Gone,
}

/// Who has a read-write lock.
#[derive(Clone, Default)]
pub struct Rw {
    pub writer: Option<usize>,
    pub readers: Vec<usize>,
    /// A thread that did not hold it has given it back.
    pub misused: bool,
}

impl Rw {
    pub fn free(&self, writes: bool) -> bool {
        self.writer.is_none() && (!writes || self.readers.is_empty())
    }
}

#[derive(Clone)]
pub struct Thread {
    /// Its name: 0 for T0, 8c + n + 1 for child n of thread c. Registers that hold threads hold
    /// names, so that nothing depends on who was spawned first.
    pub name: u64,
    pub children: u64,
    pub body: usize,
    pub code: Rc<[Instr]>,
    pub pc: usize,
    pub regs: [u64; 8],
    pub at: At,
    pub token: bool,
    pub run_on: bool,
}

#[derive(Clone)]
pub struct State {
    pub threads: Vec<Thread>,
    pub owner: [Option<usize>; 8],
    pub rw: [Rw; 4],
    /// Which mutexes and read-write locks are poisoned.
    pub poison: [[bool; 8]; 2],
    pub sem: [u64; 8],
    pub var: [u64; 8],
    pub path: Vec<Step>,
    pub preemptions: u32,
    pub last: usize,
    pub gave_way: bool,
    pub ended: Option<End>,
    /// Everything that was done, and the sum of the pasts of its steps: equal for two executions
    /// exactly if they differ by swaps of what commutes.
    pub history: Vec<Did>,
    pub class: u128,
}

impl State {
    /// The executions that have not begun: one for each outcome of what T0 does before its first
    /// point.
    pub fn start(program: &Program, granularity: Granularity) -> Vec<State> {
        let mut sem = [0; 8];
        sem[..program.semaphores.len()].copy_from_slice(&program.semaphores);
        let mut start = State {
            threads: vec![],
            owner: [None; 8],
            rw: Default::default(),
            poison: Default::default(),
            sem,
            var: [0; 8],
            path: vec![],
            preemptions: 0,
            last: 0,
            gave_way: false,
            ended: None,
            history: vec![],
            class: 0,
        };
        start.add(program, 0, 0);
        start.threads[0].at = At::Ready;
        start.go_on(program, 0, granularity)
    }

    /// How it ended, if it did.
    pub fn end(&self) -> Option<End> {
        if let Some(End { outcome, mut faults }) = self.ended.clone() {
            if outcome != Outcome::AssumeBlocked {
                faults.extend(self.deadlocks(true));
            }
            faults.sort();
            return Some(End { outcome, faults });
        }
        let all = 0..self.threads.len();
        if all.clone().any(|t| self.can_now(t) || self.can_time_out(t)) {
            return None;
        }
        let stuck = all.filter(|t| self.threads[*t].at != At::Gone);
        let mut places: Vec<_> = stuck.map(|t| (self.threads[t].name, self.site(t))).collect();
        places.sort();
        let outcome = if places.is_empty() { Outcome::Passed } else { Outcome::Deadlock };
        let mut faults = self.deadlocks(false);
        // Threads that wait when T0 has ended are no failure, unless they wait for each other.
        if outcome == Outcome::Deadlock && faults.is_empty() && self.threads[0].at != At::Gone {
            faults.push(Fault { kind: outcome, places, beside: false });
        }
        faults.sort();
        Some(End { outcome, faults })
    }

    pub fn can_now(&self, t: usize) -> bool {
        self.threads[t].at != At::Gone && self.can(t)
    }

    /// All states one step further.
    pub fn next(&self, program: &Program, granularity: Granularity) -> Vec<State> {
        let mut next = Vec::new();
        for t in (0..self.threads.len()).rev() {
            let late = !self.can(t) && self.can_time_out(t);
            if let Some(states) = self.make(program, granularity, t, late) {
                next.extend(states);
            }
        }
        next
    }

    /// The states after this thread's step, once for each outcome; `None` if it cannot make it.
    pub fn make(
        &self,
        program: &Program,
        granularity: Granularity,
        t: usize,
        late: bool,
    ) -> Option<Vec<State>> {
        if self.ended.is_some() || t >= self.threads.len() {
            return None;
        }
        let can = self.can(t);
        if if late { can || !self.can_time_out(t) } else { !can } {
            return None;
        }
        let mut next = self.clone();
        next.path.push(if late { Step::TimeOut(t as u8) } else { Step::Thread(t as u8) });
        if t != self.last && self.can(self.last) && !self.gave_way {
            next.preemptions += 1;
        }
        next.last = t;
        next.gave_way = self.gave_way && self.goes_on_alone(t);
        next.threads[t].run_on = false;
        let outcomes = if late { next.late(t) } else { next.step(program, t) };
        Some(outcomes.into_iter().flat_map(|s| s.go_on(program, t, granularity)).collect())
    }

    /// Is the next step this thread's in any case, as the last one was, and starts nobody?
    fn goes_on_alone(&self, t: usize) -> bool {
        let thread = &self.threads[t];
        let spawns = thread.at == At::Ready && matches!(thread.code[thread.pc], Instr::Spawn(..));
        let can = |u| self.can_now(u) || self.can_time_out(u);
        t == self.last && !spawns && !(0..self.threads.len()).any(|u| u != t && can(u))
    }

    /// The state as far as it decides what can come, whatever threads are numbered as.
    pub fn place(&self) -> u128 {
        let thread = |t: &Thread| (t.name, t.children, t.body, t.pc, t.regs, t.at, t.token);
        let mut threads: Vec<_> = self.threads.iter().map(thread).collect();
        threads.sort_by_key(|t| t.0);
        let owner = self.owner.map(|o| o.map(|t| self.threads[t].name));
        let name = |t: &usize| self.threads[*t].name;
        let rw = |l: &Rw| {
            let mut readers: Vec<u64> = l.readers.iter().map(name).collect();
            readers.sort();
            (l.writer.as_ref().map(name), readers)
        };
        let rw: Vec<_> = self.rw.iter().map(rw).collect();
        act::digest(&(threads, owner, rw, self.poison, self.sem, self.var, &self.ended))
    }

    /// Is this lock poisoned?
    pub fn poison(&mut self, lock: Guarded) -> &mut bool {
        match lock {
            Guarded::Mutex(m) => &mut self.poison[0][m as usize],
            Guarded::RwLock(l) => &mut self.poison[1][l as usize],
        }
    }

    /// Notes what a thread did.
    pub fn did(&mut self, t: usize, act: Act, order: Order, inline: bool) {
        self.woke(t, act, order, inline, &[]);
    }

    /// Notes what a thread did, and whom it woke.
    pub fn woke(&mut self, t: usize, act: Act, order: Order, inline: bool, whom: &[usize]) {
        let (who, site) = (self.threads[t].name, self.site(t));
        let mut names: Vec<u64> = whom.iter().map(|w| self.threads[*w].name).collect();
        names.sort();
        let woke = std::array::from_fn(|i| names.get(i).copied());
        let mut did = Did { who, act, site, order, woke, inline, past: 0, adds: 0 };
        if !inline {
            did.past = act::past(&self.history, &did);
            did.adds = act::adds(did.past);
            self.class = self.class.wrapping_add(did.past);
        }
        self.history.push(did);
    }

    pub fn site(&self, t: usize) -> u32 {
        (self.threads[t].body * 1000 + self.threads[t].pc + 1) as u32
    }

    pub fn add(&mut self, program: &Program, body: usize, name: u64) {
        self.threads.push(Thread {
            name,
            children: 0,
            body,
            code: program.bodies[body].as_slice().into(),
            pc: 0,
            regs: [0; 8],
            at: At::Start,
            token: false,
            run_on: false,
        });
    }

    /// The thread with this name.
    pub fn named(&self, name: u64) -> Option<usize> {
        self.threads.iter().position(|t| t.name == name)
    }

    pub fn eval(&self, t: usize, v: Value) -> u64 {
        match v {
            Value::Const(n) => n,
            Value::Reg(r) => self.threads[t].regs[r as usize],
        }
    }

    pub fn holds(&self, t: usize, Condition(a, is, b): Condition) -> bool {
        let (a, b) = (self.eval(t, a), self.eval(t, b));
        match is {
            Is::Equal => a == b,
            Is::NotEqual => a != b,
            Is::Less => a < b,
        }
    }
}
