//! The walk through the states, depth first; see the module above. What a trace shows is read in `reading.rs`.

mod race;
mod reading;

use super::learned::{Beyond, Learned};
use super::state::{Going, State, Step};
use crate::mutants::Mutant;
use crate::points::bits;
use crate::reduction::{Astray, Child, Pruning, Sink};
use crate::states::table::Table;
use crate::summary;
use crate::tree::{NodeId, ROOT};
use raddle_schedule::{Choice, Delta, Plan, Trace, default_thread};
use std::collections::HashSet;

/// Steps made in the model before somebody else is asked.
const PATIENCE: usize = 50_000;

/// A way out of a state: who goes, and whom a notify wakes.
#[derive(Clone, Copy)]
struct Move {
    thread: u8,
    waiter: Option<u8>,
}

/// A state on the way from the beginning.
struct Frame {
    state: State,
    /// Who can go on.
    enabled: u64,
    /// Differences from the default behaviour in the step that led here.
    differences: [Option<Delta>; 2],
    /// Ways out that were not tried.
    untried: Vec<Move>,
    /// Its key was looked up.
    entered: bool,
}

/// What the next execution is to show.
enum Want {
    /// What follows the last state of the way.
    State,
    /// How this step from there turns out, or that it races with the one after it.
    Beyond,
}

/// See the module's text.
pub struct Walk {
    learned: Learned,
    table: Table,
    /// The way, of which so many frames are in use; the others' memory is used again.
    frames: Vec<Frame>,
    len: usize,
    /// States in which executions have ended, where nobody could go on.
    ends: HashSet<u64>,
    /// Places in the program whose race was run.
    races: HashSet<[(u32, u8); 2]>,
    /// Differences of the execution asked for.
    plan: Vec<Delta>,
    want: Option<Want>,
    /// Reused: the state while a trace is read, and that of a step.
    reading: State,
    next: State,
    max_steps: u32,
    mutant: Option<Mutant>,
    /// A state lies at the limit of steps, and an execution has shown that.
    cut_off: bool,
    /// Of the execution read last.
    preemptions: u32,
    /// Steps into known states, and into new ones without an execution.
    pruned: u64,
    followed: u64,
    over: bool,
    /// The program is beyond the model.
    beyond: bool,
    peak: usize,
}

impl Walk {
    /// From this state on.
    pub fn new(beginning: State, max_steps: u32, mutant: Option<Mutant>) -> Walk {
        let (mut reading, mut next) = (beginning.empty(), beginning.empty());
        reading.copy_from(&beginning);
        next.copy_from(&beginning);
        let frame = Frame::new(beginning);
        Walk {
            learned: Learned::default(),
            table: Table::default(),
            frames: vec![frame],
            len: 1,
            ends: HashSet::new(),
            beyond: false,
            races: HashSet::new(),
            plan: Vec::new(),
            want: Some(Want::State),
            reading,
            next,
            max_steps,
            mutant,
            cut_off: false,
            preemptions: 0,
            pruned: 0,
            followed: 0,
            over: false,
            peak: 1,
        }
    }

    /// Walks until an execution is wanted, everything is done, or somebody else is to be asked.
    fn walk(&mut self) -> Result<(), Beyond> {
        self.want = None;
        for _ in 0..PATIENCE {
            let Some(top) = self.len.checked_sub(1) else {
                self.over = true;
                return Ok(());
            };
            if !self.frames[top].entered && !self.enter(top)? {
                return Ok(());
            }
            if self.len == top + 1 && self.go(top)? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The last state of the way is looked at for the first time. False if an execution is wanted first.
    fn enter(&mut self, top: usize) -> Result<bool, Beyond> {
        let frame = &mut self.frames[top];
        let enabled = match frame.state.going(&self.learned) {
            Going::On(enabled) => enabled,
            Going::Ended => {
                frame.entered = true;
                return Ok(true);
            }
            Going::Unknown(_) => return self.ask(Want::State),
        };
        if enabled == 0 && !self.is_known_end(top) {
            return self.ask(Want::State);
        }
        let frame = &mut self.frames[top];
        if enabled != 0 && frame.state.steps >= self.max_steps {
            if !self.cut_off {
                return self.ask(Want::State);
            }
            frame.entered = true;
            return Ok(true);
        }
        if let Some((first, second)) = self.race(top, enabled)? {
            self.differences(&[first, second]);
            self.want = Some(Want::Beyond);
            return Ok(false);
        }
        let frame = &mut self.frames[top];
        (frame.enabled, frame.entered) = (enabled, true);
        // The one that goes on by default is tried first: it is the last of the list.
        let first = default_thread(frame.state.last, false, enabled, 0);
        let others = bits(enabled).filter(|t| Some(*t) != first);
        frame.untried.extend(others.chain(first).map(|thread| Move { thread, waiter: None }));
        Ok(true)
    }

    /// Nobody can go on here. How the execution ends is known if all threads have ended, or if it was run.
    fn is_known_end(&self, top: usize) -> bool {
        let state = &self.frames[top].state;
        let known = state.living() == 0 || self.ends.contains(&state.key());
        known || self.mutant == Some(Mutant::WalkWithoutEnds)
    }

    /// Tries the next way out of the last state. True if an execution is wanted first.
    fn go(&mut self, top: usize) -> Result<bool, Beyond> {
        let frame = &mut self.frames[top];
        let Some(Move { thread, waiter }) = frame.untried.pop() else {
            self.len -= 1;
            return Ok(false);
        };
        let Step::Does(event, several) = frame.state.step(thread, waiter, &self.learned)? else {
            frame.untried.push(Move { thread, waiter });
            self.differences(&[thread]);
            self.want = Some(Want::Beyond);
            return Ok(true);
        };
        if several != 0 && waiter.is_none() {
            let each = bits(several.reverse_bits()).map(|b| Move { thread, waiter: Some(63 - b) });
            frame.untried.extend(each);
            return Ok(false);
        }
        self.next.copy_from(&frame.state);
        self.next.take(&event);
        let key = self.next.key();
        if self.table.get(key).is_some() {
            self.pruned += 1;
            return Ok(false);
        }
        self.table.insert(key, 0);
        self.followed += 1;
        let (step, enabled, last) = (frame.state.steps, frame.enabled, frame.state.last);
        let differs = default_thread(last, false, enabled, 0) != Some(thread);
        let woken = waiter.filter(|w| u32::from(*w) != several.trailing_zeros());
        let differences = [
            differs.then_some(Delta { step, choice: Choice::Thread(thread) }),
            woken.map(|w| Delta { step, choice: Choice::Waiter(w) }),
        ];
        self.push(differences);
        Ok(false)
    }

    fn push(&mut self, differences: [Option<Delta>; 2]) {
        if self.len == self.frames.len() {
            let state = self.next.empty();
            self.frames.push(Frame::new(state));
        }
        let frame = &mut self.frames[self.len];
        frame.state.copy_from(&self.next);
        frame.differences = differences;
        frame.untried.clear();
        (frame.enabled, frame.entered) = (0, false);
        self.len += 1;
        self.peak = self.peak.max(self.len);
    }

    fn ask(&mut self, want: Want) -> Result<bool, Beyond> {
        self.differences(&[]);
        self.want = Some(want);
        Ok(false)
    }

    /// Writes the differences of the way, and of steps of these threads after it.
    fn differences(&mut self, threads: &[u8]) {
        self.plan.clear();
        self.plan.extend(self.frames[..self.len].iter().flat_map(|f| f.differences).flatten());
        let Some(frame) = self.frames[..self.len].last() else { return };
        let step = frame.state.steps;
        let others = (step..).zip(threads).map(|(step, t)| Delta { step, choice: Choice::Thread(*t) });
        self.plan.extend(others);
    }

    /// Has the sink take what is wanted.
    fn file(&self, sink: &mut dyn Sink) {
        if self.want.is_some() {
            let last = self.plan.last().copied().unwrap_or(Delta { step: 0, choice: Choice::Thread(0) });
            let child = Child { step: last.step, choice: last.choice, preemptions: 0, prefix_hash: 0 };
            sink.push(&child, ROOT);
        }
    }
}

impl Frame {
    fn new(state: State) -> Frame {
        Frame { state, enabled: 0, differences: [None; 2], untried: Vec::new(), entered: false }
    }
}

impl Pruning for Walk {
    fn write(&self, _: NodeId, plan: &mut Plan) {
        plan.deltas.clone_from(&self.plan);
    }

    fn deltas(&self, _: NodeId, out: &mut Vec<Delta>) {
        out.clone_from(&self.plan);
    }

    fn expand(&mut self, _: NodeId, _: u64, trace: &Trace, sink: &mut dyn Sink) -> Result<(), Astray> {
        match self.read(trace) {
            Ok(()) => self.go_on(sink),
            Err(Beyond) => self.beyond = true,
        }
        Ok(())
    }

    fn go_on(&mut self, sink: &mut dyn Sink) {
        match self.walk() {
            Ok(()) => self.file(sink),
            Err(Beyond) => self.beyond = true,
        }
    }

    fn is_underway(&self) -> bool {
        self.want.is_none() && !self.over && !self.beyond
    }

    fn is_beyond(&self) -> bool {
        self.beyond
    }

    fn limit(&mut self, bytes: usize) {
        self.table.limit(bytes);
    }

    fn states(&self) -> Option<summary::States> {
        Some(summary::States {
            table: self.table.len() as u64,
            pruned: self.pruned,
            followed: self.followed,
            differing: 0,
            bytes: self.table.bytes(),
            full: self.table.is_full(),
        })
    }

    fn release(&mut self, _: NodeId) {}

    fn branch(&self, _: NodeId) -> Option<Delta> {
        None
    }

    fn preemptions(&self) -> u32 {
        self.preemptions
    }

    fn peak(&self) -> usize {
        self.peak
    }

    fn bytes(&self) -> usize {
        let frame = |f: &Frame| f.state.bytes() + f.untried.capacity() * size_of::<Move>();
        let frames: usize = self.frames.iter().map(frame).sum();
        self.learned.bytes() + frames + self.ends.capacity() * 9
    }

    // There is one execution at a time.
    fn age(&self, _: NodeId) -> u32 {
        0
    }

    fn is_aged(&self) -> bool {
        false
    }

    fn renew_ages(&mut self, _: &mut dyn Iterator<Item = NodeId>) {}
}
