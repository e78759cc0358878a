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

mod pruning;
mod queries;

use super::{NodeId, OpId};
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
    pub op_id: OpId,
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
    op_id: OpId,
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
pub struct WakeupTree {
    nodes: Vec<Node>,
    root: Vec<Delta>,
    free: NodeId,
    /// Nodes are kept until they are closed.
    wakeup: bool,
    age: u32,
    live: usize,
    peak: usize,
}

impl WakeupTree {
    /// The tree of the root alone, which waits: the state after `floor` steps, which are those of
    /// the execution with these differences from the default behaviour. `wakeup`: whole
    /// sequences are inserted.
    pub fn new(root: Vec<Delta>, floor: u32, wakeup: bool) -> Self {
        let node = Node {
            parent: NONE,
            next: NONE,
            first: NONE,
            last: NONE,
            op_id: 0,
            choice: OPEN,
            step: floor.wrapping_sub(1),
            checked: floor,
            live: 0,
            thread: 0,
            state: is::AWAKE | is::LEFTMOST | is::RUN,
            sleep: 0,
        };
        WakeupTree { nodes: vec![node], root, free: NONE, wakeup, age: 1, live: 1, peak: 1 }
    }

    fn at(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    fn at_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    /// Adds a step after all others that are explored from `parent`. It is not run yet, and
    /// nobody runs it: see [`WakeupTree::wait`] and [`WakeupTree::hold`].
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
            op_id: label.op_id,
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
    /// run; otherwise they are asked for when it is ([`WakeupTree::is_wanted`]).
    pub fn others(&mut self, id: NodeId) -> Option<u64> {
        let was_run = self.has(id, is::RUN);
        let node = self.at_mut(id);
        node.state |= if was_run { 0 } else { is::WANTED };
        was_run.then_some(node.sleep)
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
        node.op_id = label.op_id;
        node.choice = label.choice.map_or(OPEN, Choice::encode);
        node.state &= !(is::THREAD | is::CHOICE);
        node.state |= is::RUN;
        node.state |= if thread_is_default { 0 } else { is::THREAD };
        node.state |= if choice_is_default { 0 } else { is::CHOICE };
    }

    /// Something is left out that seems to follow this node, which was not run yet.
    pub fn rely(&mut self, id: NodeId) {
        self.at_mut(id).state |= is::RELIED;
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
}

#[cfg(test)]
mod tests {
    use super::super::ROOT;
    use super::*;

    /// A tree of sequences, the root of which has begun; and what a step of a thread looks like.
    fn tree() -> WakeupTree {
        let mut tree = WakeupTree::new(Vec::new(), 0, true);
        tree.begin(ROOT);
        tree
    }

    fn label(thread: u8) -> Label {
        Label { thread, op_id: 0, choice: None }
    }

    fn sequence(tree: &mut WakeupTree, from: NodeId, threads: &[u8]) -> NodeId {
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
        let of_middle = |tree: &WakeupTree| tree.children(middle).count();
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
