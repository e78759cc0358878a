//! The same steps in another order: a schedule that stops each thread of a lock cycle just before
//! the lock that it takes from the next one.
//!
//! Only what has to come before is run: each thread's steps up to that point, what is ordered before
//! them (`orders`), and where somebody is in the way with a lock, what it takes to have it given
//! back. With the whole order of the execution ([`Kept::All`]) every thread sees what it saw, so it
//! does what it did. If it is not kept as far as memory is concerned ([`Kept::Waits`]), a thread may
//! do otherwise; whether it does, the run of the schedule tells.

use super::lock_order::Cycle;
use super::locking::{Hold, Locking};
use super::orders::{Orders, orders};
use raddle_schedule::decision::gives_way;
use raddle_schedule::{Choice, Delta, Event, OpKind, Trace};
use std::collections::HashSet;

/// Places that are looked at for one schedule.
const MOST: usize = 20_000;

/// What of an execution's order is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Every two dependent steps stay in their order, but for those that take and give back locks.
    All,
    /// What waits for what: births and ends of threads, semaphores, notifies. Memory may be read and
    /// written in another order.
    Waits,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reordered {
    /// The schedule.
    Schedule(Vec<Delta>),
    /// The order that is kept does not let the threads meet there.
    Ordered,
    /// There is none with these schedule points, or it was not found.
    None,
}

/// A step, with the operations of its thread up to the next one.
pub struct Unit {
    /// Whose.
    pub thread: u8,
    /// Index of the step's event.
    pub event: u32,
    /// What it takes (`true`) and gives back.
    pub locks: Vec<Locking>,
    /// A lock that it could not have.
    finds: Option<Hold>,
    /// Further choices made at it.
    choices: Vec<Choice>,
    /// Its number among its thread's.
    number: u32,
}

/// An execution's steps.
pub struct Units {
    /// In order.
    pub all: Vec<Unit>,
    /// The same by thread.
    by_thread: Vec<Vec<u32>>,
    /// By event; `NONE` for what belongs to no step.
    pub of: Vec<u32>,
}

/// No unit.
pub const NONE: u32 = u32::MAX;

/// A schedule that should lead the execution's threads into the cycle. The first `floor` steps stay
/// what they are. `operations`: its steps are those of `sync`, where the trace's are whole blocks.
pub fn reorder(trace: &Trace, cycle: &Cycle, kept: Kept, floor: u32, operations: bool) -> Reordered {
    let units = Units::new(trace, operations);
    let mut goals: Vec<Option<u32>> = vec![None; units.by_thread.len()];
    for event in &cycle.events {
        let Some((thread, goal)) = units.before(trace, *event) else { return Reordered::None };
        goals[usize::from(thread)] = Some(goal);
    }
    let orders = orders(trace, &units, kept);
    let Some(needed) = needed(&units, &orders, &goals) else { return Reordered::Ordered };
    let walk = Walk { units: &units, orders: &orders, goals: &goals, needed: &needed };
    match walk.find(floor as usize) {
        Found::Order(order) => Reordered::Schedule(deltas(trace, &units, &order)),
        Found::Nothing => Reordered::Ordered,
        Found::TooMany => Reordered::None,
    }
}

impl Units {
    fn new(trace: &Trace, operations: bool) -> Units {
        let threads = trace.events.iter().map(|e| usize::from(e.thread()) + 1).max().unwrap_or(1);
        let mut units = Units { all: Vec::new(), by_thread: vec![Vec::new(); threads], of: Vec::new() };
        for (index, event) in trace.events.iter().enumerate() {
            let own = usize::from(event.thread());
            let begins = if operations { is_operation(event.kind()) } else { event.is_step() };
            if begins {
                let number = units.by_thread[own].len() as u32;
                units.by_thread[own].push(units.all.len() as u32);
                let (thread, event) = (event.thread(), index as u32);
                let (locks, choices) = (Vec::new(), Vec::new());
                units.all.push(Unit { thread, event, locks, finds: None, choices, number });
            }
            let unit = units.by_thread[own].last().copied().unwrap_or(NONE);
            units.of.push(unit);
            let Some(unit) = units.all.get_mut(unit as usize) else { continue };
            match event.chosen() {
                Some(choice) if event.kind() == OpKind::Choice => unit.choices.push(choice),
                _ => unit.locks.extend(taken(event)),
            }
            let tries = [OpKind::TryLock, OpKind::TryReadLock, OpKind::TryWriteLock];
            if tries.contains(&event.kind()) && event.failed() {
                unit.finds = Locking::of(&event.op()).map(Locking::hold);
            }
        }
        units
    }

    /// How many steps its thread has made before this one; `None` if it is none, so that nobody can
    /// be stopped there.
    fn before(&self, trace: &Trace, event: u32) -> Option<(u8, u32)> {
        let wanting = &trace.events[event as usize];
        let own = self.by_thread.get(usize::from(wanting.thread()))?;
        match self.all.get(*self.of.get(event as usize)? as usize) {
            _ if wanting.kind() == OpKind::Pending => Some((wanting.thread(), own.len() as u32)),
            Some(unit) if unit.event == event => Some((wanting.thread(), unit.number)),
            _ => None,
        }
    }
}

/// Is it a step at `sync` granularity?
fn is_operation(kind: OpKind) -> bool {
    let more = kind as u8 > OpKind::Point as u8;
    !more && !kind.is_data() && kind != OpKind::Statement
}

/// The lock that an operation takes or gives back.
fn taken(event: &Event) -> Option<Locking> {
    if event.failed() || event.kind().is_annotation() { None } else { Locking::of(&event.op()) }
}

/// By thread, how many of its steps have to be made; `None` if one of a cycle's threads would have
/// to go beyond its goal.
fn needed(units: &Units, orders: &Orders, goals: &[Option<u32>]) -> Option<Vec<u32>> {
    let mut needed: Vec<u32> = goals.iter().map(|g| g.unwrap_or(0)).collect();
    let mut done = vec![0; needed.len()];
    while let Some(thread) = (0..needed.len()).find(|t| done[*t] < needed[*t]) {
        let unit = units.by_thread[thread][done[thread] as usize];
        done[thread] += 1;
        for before in orders.before(unit) {
            let Unit { thread, number, .. } = units.all[*before as usize];
            let thread = usize::from(thread);
            needed[thread] = needed[thread].max(number + 1);
            if goals[thread].is_some_and(|goal| needed[thread] > goal) {
                return None;
            }
        }
    }
    Some(needed)
}

/// The search for an order, depth first.
struct Walk<'a> {
    units: &'a Units,
    orders: &'a Orders,
    goals: &'a [Option<u32>],
    needed: &'a [u32],
}

/// What it found.
enum Found {
    /// The steps in an order that leads every thread to its goal.
    Order(Vec<u32>),
    /// There is none.
    Nothing,
    /// There are too many to be tried.
    TooMany,
}

/// A place of that search.
#[derive(Clone)]
struct Spot {
    /// Steps made, by thread.
    done: Vec<u32>,
    /// Locks that are held.
    held: Vec<Hold>,
    /// Whose step was the last.
    current: usize,
    /// How many of the order's steps lead here.
    length: usize,
    /// The next move to be tried.
    next: usize,
}

impl Walk<'_> {
    /// Looks for an order whose first `floor` steps are as they were.
    fn find(&self, floor: usize) -> Found {
        let mut order: Vec<u32> = (0..floor.min(self.units.all.len()) as u32).collect();
        let mut start =
            Spot { done: vec![0; self.goals.len()], held: Vec::new(), current: 0, length: 0, next: 0 };
        order.iter().for_each(|unit| self.make(&mut start, *unit));
        if start.done.iter().zip(self.goals).any(|(done, goal)| goal.is_some_and(|goal| *done > goal)) {
            return Found::Nothing;
        }
        let mut seen = HashSet::from([start.done.clone()]);
        let mut path = vec![start];
        while let Some(spot) = path.last_mut() {
            if spot.done.iter().zip(self.needed).all(|(done, needed)| done >= needed) {
                return Found::Order(order);
            }
            if seen.len() >= MOST {
                return Found::TooMany;
            }
            order.truncate(spot.length);
            let Some(thread) = self.choice(spot) else {
                path.pop();
                continue;
            };
            let mut to = Spot { next: 0, ..spot.clone() };
            self.run(&mut to, thread, &mut order);
            if seen.insert(to.done.clone()) {
                path.push(to);
            }
        }
        Found::Nothing
    }

    /// The thread to be run on next: the last one first, then the lowest; those that need not go on
    /// at all come after all others.
    fn choice(&self, spot: &mut Spot) -> Option<usize> {
        let threads = self.goals.len();
        while spot.next < 2 * threads {
            let (beyond, n) = (spot.next >= threads, spot.next % threads);
            spot.next += 1;
            let thread = match n {
                0 => spot.current,
                n if n <= spot.current => n - 1,
                n => n,
            };
            if (spot.done[thread] >= self.needed[thread]) == beyond && self.unit(spot, thread).is_some() {
                return Some(thread);
            }
        }
        None
    }

    /// The next step of a thread, if it can be made.
    fn unit(&self, spot: &Spot, thread: usize) -> Option<u32> {
        let number = spot.done[thread];
        if self.goals[thread].is_some_and(|goal| number >= goal) {
            return None;
        }
        let unit = *self.units.by_thread[thread].get(number as usize)?;
        let made = |before: &u32| {
            let Unit { thread, number, .. } = self.units.all[*before as usize];
            spot.done[usize::from(thread)] > number
        };
        let is_taken = |lock: Hold| spot.held.iter().any(|held| held.excludes(lock));
        let free = |l: &Locking| !l.takes || !is_taken(l.hold());
        let Unit { locks, finds, .. } = &self.units.all[unit as usize];
        let can = self.orders.before(unit).iter().all(made)
            && locks.first().is_none_or(free)
            && finds.is_none_or(is_taken);
        can.then_some(unit)
    }

    /// Runs a thread on for as long as it need and can, or to the next lock that it takes: there
    /// another might have to go first.
    fn run(&self, spot: &mut Spot, thread: usize, order: &mut Vec<u32>) {
        let beyond = spot.done[thread] >= self.needed[thread];
        let from = spot.length;
        while let Some(unit) = self.unit(spot, thread) {
            let takes = self.units.all[unit as usize].locks.iter().any(|l| l.takes);
            let enough = !beyond && spot.done[thread] >= self.needed[thread];
            if spot.length > from && (takes || enough || beyond) {
                return;
            }
            order.push(unit);
            self.make(spot, unit);
        }
    }

    fn make(&self, spot: &mut Spot, unit: u32) {
        let unit = &self.units.all[unit as usize];
        spot.current = usize::from(unit.thread);
        spot.done[spot.current] += 1;
        spot.length += 1;
        for locking in &unit.locks {
            if locking.takes {
                spot.held.push(locking.hold());
            } else if let Some(at) = spot.held.iter().position(|held| *held == locking.hold()) {
                spot.held.swap_remove(at);
            }
        }
    }
}

/// The order as a schedule: a difference wherever the default behaviour need not do the same.
fn deltas(trace: &Trace, units: &Units, order: &[u32]) -> Vec<Delta> {
    let mut deltas = Vec::new();
    let (mut current, mut gave_way) = (0, false);
    for (step, unit) in order.iter().enumerate() {
        let unit = &units.all[*unit as usize];
        let kind = trace.events[unit.event as usize].kind();
        let step = step as u32;
        if unit.thread != current || gave_way || kind == OpKind::Timeout {
            deltas.push(Delta { step, choice: Choice::Thread(unit.thread) });
        }
        deltas.extend(unit.choices.iter().map(|choice| Delta { step, choice: *choice }));
        // Whether it is alone in this order is not known; to say too much does no harm.
        gave_way = gives_way(kind, gave_way, unit.thread == current);
        current = unit.thread;
    }
    deltas
}
