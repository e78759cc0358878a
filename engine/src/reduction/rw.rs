//! ExitBlock-RW (paper 004, section 5): read-write pruning of the orders of atomic blocks.
//!
//! Where another thread's block is to come first, the one whose block was explored is *delayed*: it runs
//! again only behind a block that meets its own, that is, reads or writes what it wrote or writes what it
//! read. An execution in which everybody left is delayed is cut off; it is explored elsewhere.
//!
//! What a delayed thread's block does is known from the execution in which it was explored, for nothing
//! that is done while it is delayed can change it. So a plan carries those footprints
//! ([`Plan::delayed`](raddle_schedule::Plan::delayed)), and the executor wakes threads by them itself. (Were the search to wake them, by
//! differences of further plans, each wake would take one more execution.) And so the threads that could come
//! first at one place are explored one after the other: the next one's plan is made when the execution of the
//! one before was read (`next_sibling`), which makes any order of executions sound, whatever is in
//! flight.
//!
//! A thread whose block was begun in vain is not delayed: it has explored nothing. The outcomes of a
//! notify are explored beside each other, with those delayed who were at the begin of the block; what
//! the notifying thread does next does not depend on them, so any of them tells its footprint.

use super::blocks::{self, Block};
use super::{Astray, Child, Pruning, Sink};
use crate::points::{Point, ThreadPoint, bits, points};
use crate::prefix::Prefix;
use crate::tree::{NodeId, ROOT};
use raddle_schedule::block::Footprint;
use raddle_schedule::{Choice, Delta, Outcome, Plan, Trace};
use std::sync::Arc;

/// Threads that are delayed, with what their blocks did.
type Delayed = Vec<(u8, Arc<Footprint>)>;

/// An execution that waits or runs.
struct Node {
    /// When it was found; later ones are greater.
    age: u32,
    /// Its differences from the default behaviour, those that followed from delayed threads before the last
    /// one included.
    deltas: Vec<Delta>,
    /// Steps that are fixed.
    prefix: u32,
    /// Who is delayed at the begin of the block of the last difference.
    delayed: Delayed,
    /// Threads to be tried at the place of its last difference after it.
    untried: u64,
}

/// See the module's text.
pub struct Rw {
    nodes: Vec<Option<Node>>,
    free: Vec<NodeId>,
    age: u32,
    live: usize,
    peak: usize,
    /// Bytes of the nodes' lists.
    bytes: usize,
    /// Plain data is not watched: a mutex stands for what it guards.
    locks: bool,
    /// Preemptions of the execution that was read last.
    preemptions: u32,
    blocks: Vec<Block>,
}

/// What is found while an execution is read.
struct Reading<'a> {
    rw: &'a mut Rw,
    trace: &'a Trace,
    blocks: &'a [Block],
    /// Decisions so far that are not the default.
    named: Vec<Delta>,
    /// Who is delayed at the begin of the current block.
    delayed: Delayed,
    /// Preemptions before it.
    preemptions: u32,
}

impl Node {
    /// Bytes of its lists; footprints that it shares with others are counted with each.
    fn bytes(&self) -> usize {
        let prints: usize = self.delayed.iter().map(|(_, print)| 16 + print.bytes()).sum();
        self.deltas.len() * size_of::<Delta>() + prints
    }
}

impl Rw {
    /// Nothing explored yet, below this beginning.
    pub fn new(below: Option<&Prefix>, locks: bool) -> Rw {
        let deltas = below.map_or_else(Vec::new, |p| p.deltas.clone());
        let prefix = below.map_or(0, |p| p.floor);
        let root = Node { age: 0, deltas, prefix, delayed: Vec::new(), untried: 0 };
        let bytes = root.bytes();
        Rw {
            nodes: vec![Some(root)],
            free: Vec::new(),
            age: 1,
            live: 1,
            peak: 1,
            bytes,
            locks,
            preemptions: 0,
            blocks: Vec::new(),
        }
    }

    fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id as usize)?.as_ref()
    }

    fn insert(&mut self, node: Node) -> NodeId {
        self.live += 1;
        self.peak = self.peak.max(self.live);
        self.bytes += node.bytes();
        let node = Some(Node { age: self.age, ..node });
        self.age += 1;
        if let Some(id) = self.free.pop() {
            self.nodes[id as usize] = node;
            return id;
        }
        self.nodes.push(node);
        (self.nodes.len() - 1) as NodeId
    }
}

impl Pruning for Rw {
    fn write(&self, node: NodeId, plan: &mut Plan) {
        self.deltas(node, &mut plan.deltas);
        let Some(node) = self.node(node) else { return };
        plan.prefix_steps = node.prefix;
        plan.sleep = node.delayed.iter().fold(0, |mask, (t, _)| mask | 1 << t);
        plan.delayed.extend(node.delayed.iter().map(|(t, print)| (*t, (**print).clone())));
    }

    fn deltas(&self, node: NodeId, out: &mut Vec<Delta>) {
        out.clear();
        out.extend(self.node(node).iter().flat_map(|n| &n.deltas));
    }

    fn expand(
        &mut self,
        id: NodeId,
        prefix_hash: u64,
        trace: &Trace,
        sink: &mut dyn Sink,
    ) -> Result<(), Astray> {
        let Some(node) = self.node(id) else { return Ok(()) };
        let (own, prefix, untried) = (node.deltas.last().copied(), node.prefix, node.untried);
        let own = own.filter(|_| id != ROOT);
        let delayed = node.delayed.clone();
        let mut blocks = std::mem::take(&mut self.blocks);
        blocks::read(trace, &mut blocks);
        let mut reading =
            Reading { rw: self, trace, blocks: &blocks, named: Vec::new(), delayed, preemptions: 0 };
        let read = reading.read(own, prefix, prefix_hash, untried, sink);
        self.preemptions = reading.preemptions;
        self.blocks = blocks;
        read
    }

    fn release(&mut self, node: NodeId) {
        if let Some(gone) = self.nodes[node as usize].take() {
            self.bytes -= gone.bytes();
            // The root's number means the root.
            if node != ROOT {
                self.free.push(node);
            }
            self.live -= 1;
        }
    }

    fn branch(&self, node: NodeId) -> Option<Delta> {
        self.node(node)?.deltas.last().copied().filter(|_| node != ROOT)
    }

    fn preemptions(&self) -> u32 {
        self.preemptions
    }

    fn peak(&self) -> usize {
        self.peak
    }

    fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Option<Node>>() + self.bytes
    }

    fn age(&self, node: NodeId) -> u32 {
        self.node(node).map_or(0, |n| n.age)
    }

    fn is_aged(&self) -> bool {
        self.age >= 1 << 31
    }

    fn renew_ages(&mut self, waiting: &mut dyn Iterator<Item = NodeId>) {
        self.age = 0;
        for id in waiting {
            if let Some(node) = &mut self.nodes[id as usize] {
                node.age = self.age;
                self.age += 1;
            }
        }
    }
}

impl Reading<'_> {
    /// Reads the execution whose own difference is this one; what lies before belongs to others.
    fn read(
        &mut self,
        own: Option<Delta>,
        prefix: u32,
        prefix_hash: u64,
        untried: u64,
        sink: &mut dyn Sink,
    ) -> Result<(), Astray> {
        let own_step = own.map_or(prefix, |d| d.step);
        // Whether the own difference, or what is fixed, lies behind us.
        let mut below = own.is_none() && prefix == 0;
        let mut torn = false;
        for point in points(self.trace) {
            match point {
                Point::Thread(p) => {
                    if p.step == own_step && p.hash != prefix_hash {
                        return Err(Astray(p.step));
                    }
                    if p.step > own_step {
                        if !below && own.is_some() {
                            return Err(Astray(own_step));
                        }
                        self.wake(p.step - 1);
                    }
                    match own {
                        Some(Delta { step, choice: Choice::Thread(t) }) if p.step == step => {
                            if p.event.thread() != t {
                                return Err(Astray(p.step));
                            }
                            below = true;
                            self.next_sibling(&p, untried, sink);
                        }
                        None if p.step >= own_step => below = true,
                        _ => {}
                    }
                    let is_own = own.is_some_and(|d| d.step == p.step);
                    if below && !is_own && !torn {
                        self.branch(&p, sink);
                    }
                    torn |= self.blocks[p.step as usize].in_vain;
                    let thread = p.event.thread();
                    self.preemptions += u32::from(p.preempts(thread));
                    if p.default() != Some(thread) {
                        self.named.push(Delta { step: p.step, choice: Choice::Thread(thread) });
                    }
                }
                Point::Choice(p) => {
                    let mask = if below && !torn { p.mask } else { 0 };
                    for choice in bits(mask).filter_map(|b| p.alternative(b)).filter(|c| *c != p.chosen) {
                        self.insert(p.step, choice, p.hash, self.preemptions, self.delayed.clone(), 0, sink);
                    }
                    below |= own == Some(Delta { step: p.step, choice: p.chosen });
                    if p.default() != Some(p.chosen) {
                        self.named.push(Delta { step: p.step, choice: p.chosen });
                    }
                }
            }
        }
        // Everything may be fixed: then it ends where the floor is.
        let all_fixed = own.is_none() && (self.trace.steps, self.trace.hash) == (prefix, prefix_hash);
        if below || all_fixed { Ok(()) } else { Err(Astray(own_step)) }
    }

    /// A step was made: whom of the delayed threads does it meet?
    fn wake(&mut self, step: u32) {
        let block = &self.blocks[step as usize];
        let events = &self.trace.events[block.step.clone()];
        self.delayed.retain(|(t, print)| *t != block.thread && !print.meets(events));
    }

    /// At a step that the default behaviour chose: another thread's block first.
    fn branch(&mut self, p: &ThreadPoint, sink: &mut dyn Sink) {
        let block = &self.blocks[p.step as usize];
        if block.silent {
            return;
        }
        let mask = self.delayed.iter().fold(1 << block.thread, |mask, (t, _)| mask | 1 << t);
        let mut delayed = self.delayed.clone();
        if !block.in_vain {
            delayed.push((block.thread, self.footprint(block)));
        }
        self.try_next(p, p.alternatives() & !mask, delayed, sink);
    }

    /// At the step of the own difference: the threads that are to be tried there after its own.
    fn next_sibling(&mut self, p: &ThreadPoint, untried: u64, sink: &mut dyn Sink) {
        let block = &self.blocks[p.step as usize];
        let mut delayed = self.delayed.clone();
        let in_vain = self.trace.outcome == Outcome::SleepBlocked
            && p.step as usize + 1 == self.blocks.len()
            && blocks::is_cut_off(self.trace, block);
        if untried != 0 && !in_vain {
            delayed.push((block.thread, self.footprint(block)));
        }
        self.try_next(p, untried, delayed, sink);
    }

    fn footprint(&self, block: &Block) -> Arc<Footprint> {
        Arc::new(Footprint::of(&self.trace.events[block.events.clone()], self.rw.locks))
    }

    /// The lowest of these threads is tried now, the others after it.
    fn try_next(&mut self, p: &ThreadPoint, untried: u64, delayed: Delayed, sink: &mut dyn Sink) {
        let Some(thread) = bits(untried).next() else { return };
        let preemptions = self.preemptions + u32::from(p.preempts(thread));
        let left = untried & !(1 << thread);
        self.insert(p.step, Choice::Thread(thread), p.hash, preemptions, delayed, left, sink);
    }

    #[allow(clippy::too_many_arguments)]
    fn insert(
        &mut self,
        step: u32,
        choice: Choice,
        prefix_hash: u64,
        preemptions: u32,
        delayed: Delayed,
        untried: u64,
        sink: &mut dyn Sink,
    ) {
        let child = Child { step, choice, preemptions, prefix_hash };
        if sink.admits(&child) {
            let mut deltas = self.named.clone();
            deltas.push(Delta { step, choice });
            let id = self.rw.insert(Node { age: 0, deltas, prefix: step, delayed, untried });
            sink.push(&child, id);
        }
    }
}
