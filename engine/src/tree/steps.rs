//! The tree of steps, for reductions that reverse races: a node is the state after a step, its
//! children are the steps that are explored from there, in the order in which they were found.
//! One that was found earlier counts as explored for those after it, whether or not it has run
//! (algorithms, rule 5), so that any number of executions can be in flight.
//!
//! Kept are the paths to executions that wait or run, with the siblings of the steps on them: a
//! node below which nothing waits or runs any more forgets what is below it, and when its parent
//! has nothing left either, that forgets the node. Its size is that of wakeup trees and sleep sets
//! together.
//!
//! With wakeup trees that is too early for a step in the middle of a sequence: what reverses a race
//! that is found elsewhere may lead through it and has to find what is there. It comes from nodes
//! further left, and reaches neither what follows a sequence (nobody sleeps there, so everything is
//! explored anyway) nor what has nothing live left of it. Such a node is *closed*.

use super::{NodeId, ROOT};
use crate::reduction::Doing;
use raddle_schedule::{Choice, Delta};

/// No node; ends lists.
const NONE: NodeId = NodeId::MAX;
/// No choice.
const OPEN: u32 = u32::MAX;

/// The step of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// Who makes it.
    pub thread: u8,
    /// What it does; as far as is known, if it was not run yet.
    pub doing: Doing,
    /// The outcome of one more choice at it; `None` where there is none, or none is asked for.
    pub choice: Option<Choice>,
}

/// Bits of a node's state.
mod is {
    /// Nobody sleeps behind it: it ends a sequence that was asked for, or follows such an end.
    pub const AWAKE: u16 = 1;
    /// Its thread, or its choice, is not what the default behaviour takes.
    pub const THREAD: u16 = 2;
    pub const CHOICE: u16 = 4;
    /// It was run, so that its label is what happened.
    pub const RUN: u16 = 8;
    /// Nothing waits or runs below it, but something may again, unless it is closed.
    pub const DONE: u16 = 16;
    /// Everything left of it is done: its earlier siblings, and those of the nodes above it.
    pub const LEFTMOST: u16 = 32;
    /// An execution through it was chosen.
    pub const BEGUN: u16 = 64;
    /// Something was left out since this step, which was not run yet, seems to lead there.
    pub const RELIED: u16 = 128;
    /// It lies in the middle of a sequence, and only this outcome of its choice was asked for.
    pub const ONE_OUTCOME: u16 = 256;
    /// The others are asked for too, since then: they become known when it is run.
    pub const WANTED: u16 = 512;
}

/// A node.
struct Node {
    parent: NodeId,
    /// Its siblings, and its children, in the order of their insertion.
    next: NodeId,
    first: NodeId,
    last: NodeId,
    doing: Doing,
    choice: u32,
    /// Number of its step. The root's is that of the step before the first.
    step: u32,
    /// Of one that waits: steps that its prefix hash covers.
    checked: u32,
    /// While it waits, when it was found; then its children that are not done, and 1 while it runs.
    live: u32,
    thread: u8,
    state: u16,
    /// Threads asleep before its step; of one with a choice of which one outcome is asked for, once it was
    /// run, the alternatives.
    sleep: u64,
}

/// All live nodes.
pub struct Steps {
    nodes: Vec<Node>,
    root: Vec<Delta>,
    free: NodeId,
    /// Nodes are kept until they are closed.
    wakeup: bool,
    age: u32,
    live: usize,
    peak: usize,
}

impl Steps {
    /// The tree of the root alone, which waits: the state after `floor` steps, which are those of
    /// the execution with these differences from the default behaviour. `wakeup`: whole
    /// sequences are inserted.
    pub fn new(root: Vec<Delta>, floor: u32, wakeup: bool) -> Self {
        let node = Node {
            parent: NONE,
            next: NONE,
            first: NONE,
            last: NONE,
            doing: 0,
            choice: OPEN,
            step: floor.wrapping_sub(1),
            checked: floor,
            live: 0,
            thread: 0,
            state: is::AWAKE | is::LEFTMOST | is::RUN,
            sleep: 0,
        };
        Steps { nodes: vec![node], root, free: NONE, wakeup, age: 1, live: 1, peak: 1 }
    }

    fn at(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    fn at_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    /// Adds a step after all others that are explored from `parent`. It is not run yet, and
    /// nobody runs it: see [`Steps::wait`] and [`Steps::hold`].
    pub fn insert(&mut self, parent: NodeId, label: Label) -> NodeId {
        self.insert_behind(parent, self.at(parent).last, label)
    }

    /// Adds another outcome of the choice at a step, right behind it: what was inserted after the
    /// step sleeps in neither.
    pub fn insert_outcome(&mut self, other: NodeId, label: Label) -> NodeId {
        self.insert_behind(self.at(other).parent, other, label)
    }

    /// Adds a step before a sibling of which nothing has begun, as if it had been found earlier.
    pub fn insert_ahead(&mut self, sibling: NodeId, label: Label) -> NodeId {
        let parent = self.at(sibling).parent;
        let before = self.children(parent).take_while(|s| *s != sibling).last().unwrap_or(NONE);
        let id = self.insert_behind(parent, before, label);
        // What is left of the sibling is not done any more.
        let mut at = sibling;
        while at != NONE && self.has(at, is::LEFTMOST) {
            self.at_mut(at).state &= !is::LEFTMOST;
            at = self.at(at).first;
        }
        id
    }

    fn insert_behind(&mut self, parent: NodeId, before: NodeId, label: Label) -> NodeId {
        let step = self.at(parent).step.wrapping_add(1);
        let state = is::THREAD | if label.choice.is_some() { is::CHOICE } else { 0 };
        let node = Node {
            parent,
            next: NONE,
            first: NONE,
            last: NONE,
            doing: label.doing,
            choice: label.choice.map_or(OPEN, Choice::encode),
            step,
            checked: 0,
            live: 0,
            thread: label.thread,
            state,
            sleep: 0,
        };
        let id = if self.free == NONE {
            self.nodes.push(node);
            (self.nodes.len() - 1) as NodeId
        } else {
            let id = self.free;
            self.free = self.at(id).next;
            self.nodes[id as usize] = node;
            id
        };
        self.reopen(parent);
        let leftmost = match before {
            NONE => {
                let next = std::mem::replace(&mut self.at_mut(parent).first, id);
                self.at_mut(id).next = next;
                self.has(parent, is::LEFTMOST)
            }
            _ => {
                let next = std::mem::replace(&mut self.at_mut(before).next, id);
                self.at_mut(id).next = next;
                self.has(before, is::LEFTMOST) && self.has(before, is::DONE)
            }
        };
        self.at_mut(id).state |= if leftmost { is::LEFTMOST } else { 0 };
        let parent = self.at_mut(parent);
        if parent.last == before {
            parent.last = id;
        }
        parent.live += 1;
        self.live += 1;
        self.peak = self.peak.max(self.live);
        id
    }

    /// A node that was just inserted lies in the middle of a sequence: of a choice at it only this outcome
    /// is asked for.
    pub fn pass(&mut self, id: NodeId) {
        let node = self.at_mut(id);
        node.state |= if node.choice == OPEN { 0 } else { is::ONE_OUTCOME };
    }

    /// Of the choice at this node only one outcome was asked for. Those that it has beside it, if it was
    /// run; otherwise they are asked for when it is ([`Steps::is_wanted`]).
    pub fn others(&mut self, id: NodeId) -> Option<u64> {
        let was_run = self.has(id, is::RUN);
        let node = self.at_mut(id);
        node.state |= if was_run { 0 } else { is::WANTED };
        was_run.then_some(node.sleep)
    }

    /// Has more been asked for than the outcome of the choice at this node?
    pub fn is_wanted(&self, id: NodeId) -> bool {
        self.has(id, is::WANTED)
    }

    /// Is only the outcome of the choice at this node asked for?
    pub fn is_one_outcome(&self, id: NodeId) -> bool {
        self.has(id, is::ONE_OUTCOME)
    }

    /// All outcomes of the choice at this node are explored.
    pub fn all_outcomes(&mut self, id: NodeId) {
        self.at_mut(id).state &= !(is::ONE_OUTCOME | is::WANTED);
    }

    /// A node that was just inserted ends what is asked for: its execution waits. `checked` steps
    /// are covered by its hash.
    pub fn wait(&mut self, id: NodeId, checked: u32, sleep: u64) {
        let age = self.age;
        self.age = self.age.wrapping_add(1);
        let node = self.at_mut(id);
        (node.live, node.checked, node.sleep) = (age, checked, sleep);
        node.state |= if sleep == 0 { is::AWAKE } else { 0 };
    }

    /// A node that was just inserted lies on the path of the execution that is being read, behind
    /// what was asked for: held until it is released.
    pub fn hold(&mut self, id: NodeId) {
        let parent = self.at(id).parent;
        let is_awake = self.has(parent, is::AWAKE) && self.at(parent).first == id;
        let node = self.at_mut(id);
        node.live = 1;
        node.state |= is::BEGUN | if is_awake { is::AWAKE } else { 0 };
    }

    /// A node that waited is run now.
    pub fn begin(&mut self, mut id: NodeId) {
        self.at_mut(id).live = 1;
        while id != NONE && !self.has(id, is::BEGUN) {
            let node = self.at_mut(id);
            node.state |= is::BEGUN;
            id = node.parent;
        }
    }

    /// The node that is to be run before this one, which waits, or itself: the first one whose steps
    /// the executions of this one lean on. What it has inserted before it is run by then, so that
    /// it is known what that does.
    pub fn due(&self, id: NodeId) -> NodeId {
        let (mut due, mut at) = (id, id);
        while at != ROOT && !self.has(at, is::BEGUN) {
            let parent = self.at(at).parent;
            if let Some(earlier) =
                self.children(parent).take_while(|s| *s != at).find(|s| !self.has(*s, is::BEGUN))
            {
                due = earlier;
            }
            at = parent;
        }
        while self.at(due).first != NONE {
            due = self.at(due).first;
        }
        due
    }

    fn has(&self, id: NodeId, bit: u16) -> bool {
        self.at(id).state & bit != 0
    }

    /// Its step has been made, like this, with these alternatives of a choice.
    pub fn run(
        &mut self,
        id: NodeId,
        label: Label,
        alternatives: u64,
        thread_is_default: bool,
        choice_is_default: bool,
    ) {
        let one_outcome = self.has(id, is::ONE_OUTCOME);
        let node = self.at_mut(id);
        node.sleep = if one_outcome { alternatives } else { node.sleep };
        node.doing = label.doing;
        node.choice = label.choice.map_or(OPEN, Choice::encode);
        node.state &= !(is::THREAD | is::CHOICE);
        node.state |= is::RUN;
        node.state |= if thread_is_default { 0 } else { is::THREAD };
        node.state |= if choice_is_default { 0 } else { is::CHOICE };
    }

    /// Lets go of a node that was run or held. One that has nothing left to run below it, and that
    /// is closed, forgets what is below it.
    pub fn release(&mut self, mut id: NodeId) {
        loop {
            let node = self.at_mut(id);
            node.live -= 1;
            if node.live > 0 {
                return;
            }
            node.state |= is::DONE;
            let (parent, next) = (node.parent, node.next);
            if !self.wakeup || self.is_closed(id) {
                self.forget(id);
            }
            if self.has(id, is::LEFTMOST) && next != NONE {
                self.nothing_is_left_of(next);
            }
            if parent == NONE {
                self.live -= 1;
                return;
            }
            id = parent;
        }
    }

    /// Everything left of this node is done.
    fn nothing_is_left_of(&mut self, mut id: NodeId) {
        while id != NONE {
            self.at_mut(id).state |= is::LEFTMOST;
            if self.has(id, is::DONE) {
                self.forget(id);
                id = self.at(id).next;
            } else {
                id = self.at(id).first;
            }
        }
    }

    /// Forgets everything below a node.
    fn forget(&mut self, id: NodeId) {
        let node = self.at_mut(id);
        // What is below each is put in front of the list: paths can be long.
        let mut left = std::mem::replace(&mut node.first, NONE);
        node.last = NONE;
        while left != NONE {
            let (next, first, last) = (self.at(left).next, self.at(left).first, self.at(left).last);
            let free = std::mem::replace(&mut self.free, left);
            self.at_mut(left).next = free;
            self.live -= 1;
            left = next;
            if first != NONE {
                self.at_mut(last).next = left;
                left = first;
            }
        }
    }

    /// Something waits again below a node where nothing did.
    fn reopen(&mut self, mut id: NodeId) {
        while self.has(id, is::DONE) {
            let node = self.at_mut(id);
            node.state &= !is::DONE;
            id = node.parent;
            self.at_mut(id).live += 1;
        }
    }

    /// The state before a step.
    pub fn parent(&self, id: NodeId) -> NodeId {
        self.at(id).parent
    }

    /// The first step that is explored from a node.
    pub fn first(&self, id: NodeId) -> Option<NodeId> {
        Some(self.at(id).first).filter(|id| *id != NONE)
    }

    /// The one that was inserted after this one.
    pub fn next(&self, id: NodeId) -> Option<NodeId> {
        Some(self.at(id).next).filter(|id| *id != NONE)
    }

    /// The steps that are explored from a node, in the order in which they were found.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        let mut at = self.at(id).first;
        std::iter::from_fn(move || {
            let id = (at != NONE).then_some(at)?;
            at = self.at(id).next;
            Some(id)
        })
    }

    /// The step of a node.
    pub fn label(&self, id: NodeId) -> Label {
        let node = self.at(id);
        Label { thread: node.thread, doing: node.doing, choice: Choice::decode(node.choice) }
    }

    /// What is explored by this node and its later outcomes: a step, with only one outcome of its choice
    /// or, without one, with all.
    pub fn explored(&self, id: NodeId) -> Label {
        let label = self.label(id);
        if self.has(id, is::ONE_OUTCOME) { label } else { Label { choice: None, ..label } }
    }

    /// Is everything that follows it explored, or nothing more to come that would lead there?
    pub fn is_closed(&self, id: NodeId) -> bool {
        self.at(id).state & (is::AWAKE | is::LEFTMOST) != 0
    }

    /// Does it end a sequence, and was not run yet?
    pub fn is_open_end(&self, id: NodeId) -> bool {
        self.at(id).first == NONE && !self.has(id, is::RUN)
    }

    /// Does nobody sleep behind it?
    pub fn is_awake(&self, id: NodeId) -> bool {
        self.has(id, is::AWAKE)
    }

    /// Something is left out that seems to follow this node, which was not run yet.
    pub fn rely(&mut self, id: NodeId) {
        self.at_mut(id).state |= is::RELIED;
    }

    /// Was something left out before it was run?
    pub fn is_relied(&self, id: NodeId) -> bool {
        self.has(id, is::RELIED)
    }

    /// Was an execution through it chosen?
    pub fn is_begun(&self, id: NodeId) -> bool {
        self.has(id, is::BEGUN)
    }

    /// Was its step made?
    pub fn was_run(&self, id: NodeId) -> bool {
        self.has(id, is::RUN)
    }

    /// Threads asleep before the step of a node that waits or runs.
    pub fn sleep(&self, id: NodeId) -> u64 {
        self.at(id).sleep
    }

    /// Steps that the prefix hash of one that waits covers.
    pub fn checked(&self, id: NodeId) -> u32 {
        self.at(id).checked
    }

    /// The nodes from the root to this one, both included.
    pub fn path(&self, mut id: NodeId, out: &mut Vec<NodeId>) {
        out.clear();
        while id != NONE {
            out.push(id);
            id = self.at(id).parent;
        }
        out.reverse();
    }

    /// The differences from the default behaviour that lead to a node. Where it is not known what
    /// the default behaviour would do, everything is one.
    pub fn deltas(&self, mut id: NodeId, out: &mut Vec<Delta>) {
        out.clear();
        out.extend_from_slice(&self.root);
        let own = out.len();
        loop {
            let node = self.at(id);
            if node.parent == NONE {
                break;
            }
            if node.state & is::CHOICE != 0
                && let Some(choice) = Choice::decode(node.choice)
            {
                out.push(Delta { step: node.step, choice });
            }
            if node.state & is::THREAD != 0 {
                out.push(Delta { step: node.step, choice: Choice::Thread(node.thread) });
            }
            id = node.parent;
        }
        out[own..].reverse();
    }

    /// When a node that waits was found: later ones are greater.
    pub fn age(&self, id: NodeId) -> u32 {
        self.at(id).live
    }

    /// Are there few ages left?
    pub fn is_aged(&self) -> bool {
        self.age >= 1 << 31
    }

    /// Gives all nodes that wait new ages, in this order.
    pub fn renew_ages(&mut self, waiting: impl Iterator<Item = NodeId>) {
        self.age = 0;
        for id in waiting {
            self.nodes[id as usize].live = self.age;
            self.age += 1;
        }
    }

    /// Most live nodes so far.
    pub fn peak(&self) -> usize {
        self.peak
    }

    /// Live nodes.
    pub fn live(&self) -> usize {
        self.live
    }

    /// Bytes taken.
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree of sequences, the root of which has begun; and what a step of a thread looks like.
    fn tree() -> Steps {
        let mut tree = Steps::new(Vec::new(), 0, true);
        tree.begin(ROOT);
        tree
    }

    fn label(thread: u8) -> Label {
        Label { thread, doing: 0, choice: None }
    }

    fn sequence(tree: &mut Steps, from: NodeId, threads: &[u8]) -> NodeId {
        let end = threads.iter().fold(from, |at, thread| tree.insert(at, label(*thread)));
        tree.wait(end, 0, 0);
        end
    }

    #[test]
    fn what_was_inserted_earlier_beside_a_step_is_run_first() {
        let mut tree = tree();
        let (first, other) = (sequence(&mut tree, ROOT, &[1, 2]), sequence(&mut tree, ROOT, &[3, 1]));
        let middle = tree.first(ROOT).unwrap();
        let branch = sequence(&mut tree, middle, &[4]);
        assert_eq!([first, other, branch].map(|node| tree.due(node)), [first, first, first]);
        tree.begin(first);
        // The one step that the other leans on has begun, whatever else waits below it.
        assert_eq!([other, branch].map(|node| tree.due(node)), [other, branch]);
    }

    #[test]
    fn a_step_in_the_middle_is_kept_until_nothing_is_left_of_it() {
        let mut tree = tree();
        let (left, end) = (sequence(&mut tree, ROOT, &[1]), sequence(&mut tree, ROOT, &[2, 3]));
        let middle = tree.children(ROOT).nth(1).unwrap();
        let of_middle = |tree: &Steps| tree.children(middle).count();
        tree.begin(left);
        tree.begin(end);
        assert!(tree.is_closed(left) && tree.is_closed(end) && !tree.is_closed(middle));
        tree.release(end);
        assert_eq!(of_middle(&tree), 1, "what reverses a race left of it leads there");
        // It opens again.
        let late = sequence(&mut tree, middle, &[4]);
        assert_eq!((of_middle(&tree), tree.live()), (2, 5));
        tree.begin(late);
        tree.release(late);
        tree.release(left);
        assert_eq!((of_middle(&tree), tree.is_closed(middle)), (0, true));
        tree.release(ROOT);
        assert_eq!(tree.live(), 0);
    }

    #[test]
    fn outcomes_stand_beside_each_other() {
        let mut tree = tree();
        let (choice, later) = (sequence(&mut tree, ROOT, &[1]), sequence(&mut tree, ROOT, &[2]));
        let outcome = Label { choice: Some(Choice::Input(1)), ..label(1) };
        let other = tree.insert_outcome(choice, outcome);
        let last = tree.insert_outcome(later, Label { choice: Some(Choice::Input(1)), ..label(2) });
        assert_eq!(tree.children(ROOT).collect::<Vec<_>>(), [choice, other, later, last]);
        let end = tree.insert(ROOT, label(3));
        assert_eq!(tree.next(last), Some(end));
    }
}
