//! Which thread is which in executions that create threads in different orders.
//!
//! An executor numbers threads in the order of their births. Births in different threads are independent, so executions of
//! one class may number the same threads differently. A reduction that takes sequences of steps from one execution and puts them
//! into others names a thread by its *identity*: its parent and which of the parent's children it is (algorithms, rule 1). Each
//! pair gets a small number, the same in all executions of the search, so that sets of threads stay masks.
//!
//! [`Threads::read`] finds the identities of an execution. Everything that the reduction keeps has identities; plans have the
//! numbers of the execution that they ask for ([`Threads::plan`]).

use raddle_schedule::{Choice, Delta, Event, MAX_THREADS, Op, OpKind, world};
use std::collections::HashMap;

/// A thread was born.
#[derive(Clone, Copy)]
struct Birth {
    /// Which event it was.
    at: u32,
    /// Identities.
    parent: u8,
    child: u8,
    /// The child's number.
    number: u8,
}

/// The identities of a search, and the numbers of the execution that was read last.
pub struct Threads {
    /// Every number is taken for an identity, as in a single execution.
    by_number: bool,
    /// Identities by parent and number of the child.
    known: HashMap<(u8, u32), u8>,
    /// A thread other than T0 has children, so that numbers and identities may differ.
    nested: bool,
    /// There are more identities than numbers, or a birth that no plan can name.
    exhausted: bool,
    births: Vec<Birth>,
    names: Names,
    /// So many steps at the beginning are the same in all executions, and the names behind them, once an execution was read.
    floor: u32,
    fixed: Option<Names>,
}

/// Numbers and identities of the threads that are born so far.
#[derive(Clone)]
struct Names {
    /// Identity by number, and number by identity.
    identity: [u8; MAX_THREADS],
    number: [u8; MAX_THREADS],
    /// Children so far, by identity.
    children: [u32; MAX_THREADS],
    /// Number of threads that were born so far.
    born: u8,
}

impl Default for Names {
    fn default() -> Self {
        let own = std::array::from_fn(|n| n as u8);
        Names { identity: own, number: own, children: [0; MAX_THREADS], born: 1 }
    }
}

impl Names {
    fn bear(&mut self, birth: &Birth) {
        self.identity[usize::from(birth.number)] = birth.child;
        self.number[usize::from(birth.child)] = birth.number;
        self.children[usize::from(birth.parent)] += 1;
        self.born = birth.number + 1;
    }
}

impl Threads {
    /// Of a search whose executions create threads in different orders behind their first `floor` steps.
    pub fn by_identity(floor: u32) -> Self {
        Threads { by_number: false, floor, ..Threads::by_number() }
    }

    /// Takes numbers for identities.
    pub fn by_number() -> Self {
        Threads {
            by_number: true,
            known: HashMap::new(),
            nested: false,
            exhausted: false,
            births: Vec::new(),
            names: Names::default(),
            floor: 0,
            fixed: None,
        }
    }

    /// Reads the births of an execution, of which so many events are those of the one that was read before.
    pub fn read(&mut self, events: &[Event], same: usize) {
        if self.by_number {
            return;
        }
        while let Some(birth) = self.births.pop_if(|birth| birth.at as usize >= same) {
            let Birth { parent, child, number, .. } = birth;
            self.names.children[usize::from(parent)] -= 1;
            // Nobody is called so now.
            (self.names.identity[usize::from(number)], self.names.number[usize::from(child)]) =
                (number, child);
            self.names.born = number;
        }
        for (at, event) in events.iter().enumerate().skip(same) {
            let number = event.value as usize;
            if event.raw_kind() != OpKind::Spawn as u8 || number == 0 || number >= MAX_THREADS {
                continue;
            }
            let parent = self.names.identity[usize::from(event.thread()) % MAX_THREADS];
            let count = self.names.children[usize::from(parent)];
            let Some(child) = self.identify(parent, count) else { return };
            self.nested |= parent != 0;
            // A birth between two steps has no place in a plan.
            self.exhausted |= self.nested && !event.is_step();
            let birth = Birth { at: at as u32, parent, child, number: number as u8 };
            self.names.bear(&birth);
            self.births.push(birth);
        }
        if self.fixed.is_none() && self.floor > 0 {
            self.fixed = self.names_behind_the_floor(events);
        }
    }

    /// The names behind the steps that all executions begin with; `None` if this one does not come so far.
    fn names_behind_the_floor(&self, events: &[Event]) -> Option<Names> {
        let steps = events.iter().enumerate().filter(|(_, event)| event.is_step());
        let (last, _) = steps.take(self.floor as usize).last()?;
        let mut names = Names::default();
        self.births.iter().filter(|birth| birth.at as usize <= last).for_each(|birth| names.bear(birth));
        Some(names)
    }

    /// The identity of a child; `None` if there are too many.
    fn identify(&mut self, parent: u8, count: u32) -> Option<u8> {
        if let Some(known) = self.known.get(&(parent, count)) {
            return Some(*known);
        }
        let next = self.count();
        if next >= MAX_THREADS {
            self.exhausted = true;
            return None;
        }
        self.known.insert((parent, count), next as u8);
        Some(next as u8)
    }

    /// Identities that are known, T0's included.
    pub fn count(&self) -> usize {
        self.known.len() + 1
    }

    /// May identities differ from numbers?
    pub fn are_renamed(&self) -> bool {
        self.nested
    }

    /// True if the search has met more threads than there are identities: its tree is invalid then.
    pub fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    /// The identity of the thread with this number in the execution that was read last.
    #[inline]
    pub fn identity(&self, number: u8) -> u8 {
        self.names.identity[usize::from(number) % MAX_THREADS]
    }

    /// Its number there.
    #[inline]
    pub fn number(&self, identity: u8) -> u8 {
        self.names.number[usize::from(identity) % MAX_THREADS]
    }

    /// The same of sets of threads.
    #[inline]
    pub fn identities(&self, numbers: u64) -> u64 {
        if self.nested { permuted(numbers, &self.names.identity) } else { numbers }
    }

    /// The choice of a thread to be woken, by identity.
    pub fn choice(&self, choice: Choice) -> Choice {
        renamed(choice, &self.names.identity)
    }

    /// A choice with the numbers of the execution that was read last.
    pub fn choice_here(&self, choice: Choice) -> Choice {
        renamed(choice, &self.names.number)
    }

    /// An operation by identities.
    #[inline]
    pub fn op(&self, op: Op) -> Op {
        if !self.nested {
            return op;
        }
        let other = world::of_another_thread(op.other, |thread| self.identity(thread));
        Op { object: self.object(op.kind, op.object), other, ..op }
    }

    /// An object by identities, as an operation of this kind has it.
    #[inline]
    pub fn object(&self, kind: OpKind, object: u64) -> u64 {
        use OpKind::{Exit, Join, Park, ThreadStart, Timeout, Unpark};
        if !self.nested {
            return object;
        }
        let names_a_thread = matches!(kind, ThreadStart | Join | Exit | Park | Unpark | Timeout);
        if names_a_thread && object < MAX_THREADS as u64 {
            return u64::from(self.identity(object as u8));
        }
        world::of_another_thread(object, |thread| self.identity(thread))
    }

    /// The value of an event by identities, where that names threads.
    #[inline]
    pub fn value(&self, event: &Event) -> u64 {
        use OpKind::{Barrier, FutexWake, NotifyAll, NotifyOne, Spawn};
        match event.kind() {
            _ if !self.nested => event.value,
            Spawn if event.value < MAX_THREADS as u64 => u64::from(self.identity(event.value as u8)),
            NotifyOne | NotifyAll | FutexWake | Barrier => self.identities(event.value),
            _ => event.value,
        }
    }

    /// Gives a plan the numbers that its execution will have. `steps`: the threads of the steps that it asks for behind those
    /// that all executions begin with, and whether each is a birth.
    pub fn plan(&self, steps: impl Iterator<Item = (u8, bool)>, deltas: &mut [Delta], sleep: &mut u64) {
        let mut names = self.fixed.clone().unwrap_or_default();
        let own = deltas.partition_point(|delta| delta.step < self.floor);
        let mut deltas = deltas[own..].iter_mut().peekable();
        let mut steps = steps.zip(self.floor..).peekable();
        while let Some(((thread, is_birth), step)) = steps.next() {
            while let Some(delta) = deltas.next_if(|delta| delta.step == step) {
                delta.choice = renamed(delta.choice, &names.number);
            }
            if steps.peek().is_none() {
                *sleep = permuted(*sleep, &names.number);
            }
            if is_birth {
                self.bear(&mut names, thread);
            }
        }
    }

    /// The numbers of the threads that make these steps.
    pub fn numbers(&self, steps: impl Iterator<Item = (u8, bool)>) -> Vec<u8> {
        let mut names = self.fixed.clone().unwrap_or_default();
        let number = |(thread, is_birth)| {
            let number = names.number[usize::from(thread) % MAX_THREADS];
            if is_birth {
                self.bear(&mut names, thread);
            }
            number
        };
        steps.map(number).collect()
    }

    /// A thread has its next child.
    fn bear(&self, names: &mut Names, parent: u8) {
        let count = names.children[usize::from(parent) % MAX_THREADS];
        // A birth that was never run is the last step of its plan, so nothing behind it needs its number.
        if let Some(child) = self.known.get(&(parent, count)) {
            let number = names.born;
            names.bear(&Birth { at: 0, parent, child: *child, number });
        }
    }
}

/// A set of threads by other names.
fn permuted(mask: u64, names: &[u8; MAX_THREADS]) -> u64 {
    crate::points::bits(mask).fold(0, |all, thread| all | 1 << names[usize::from(thread)])
}

/// A choice by other names.
fn renamed(choice: Choice, names: &[u8; MAX_THREADS]) -> Choice {
    let name = |thread: u8| names[usize::from(thread) % MAX_THREADS];
    match choice {
        Choice::Thread(thread) => Choice::Thread(name(thread)),
        Choice::Waiter(thread) => Choice::Waiter(name(thread)),
        other => other,
    }
}
