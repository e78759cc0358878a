//! Past a memory limit the executions that are run last wait on disk.
//!
//! [`Spilling::relieve`] writes the oldest of the last bins, in blocks, to the [`Spill`] that the
//! search was given (the engine does no I/O) and lets go of their nodes, which delete themselves
//! upwards. In a bin, blocks are older than what is in memory, and earlier blocks older than later
//! ones; so when what is in memory has been run, [`Spilling::fetch`] brings back the last block and
//! the most recent still goes first. A search is therefore the same with every limit.
//!
//! What is written of an execution is its deltas, prefix hash, context and age. Coming back, it is
//! inserted below the root as a chain of deltas; one that shares ancestors with the one before
//! it, as most do, shares their nodes again. [`Spilling::rearrange`] re-ranks everything after the
//! focus changed: the bins of a round are merged by age, one block of each in memory at a time.

use super::fringe::{Bin, Block, Fringe, Queue, Waiting};
use super::node::{NodeId, ROOT, Tree};
use raddle_schedule::{Choice, Delta};
use std::collections::VecDeque;

/// Keeps blocks of bytes somewhere else.
///
/// The contract: a block is read as it was written, until it is given up. Errors are sentences
/// that say what could not be done; after one the search ends.
pub trait Spill {
    /// Keeps a block; its number.
    fn write(&mut self, block: &[u8]) -> Result<u64, String>;

    /// Reads a block of this length.
    fn read(&mut self, number: u64, block: &mut [u8]) -> Result<(), String>;

    /// The block is not needed any more.
    fn give_up(&mut self, number: u64, length: usize);
}

/// Executions in a block, unless said otherwise.
pub const BLOCK: usize = 4096;

/// The limit, what is kept elsewhere, and how much that is.
pub struct Spilling {
    /// Most bytes of nodes and waiting executions.
    limit: usize,
    /// Executions in a block.
    block: usize,
    store: Box<dyn Spill + Send>,
    /// Executions that are spilled now, and how often one was.
    now: u64,
    times: u64,
    /// Bytes of blocks now, and most so far.
    bytes: u64,
    peak: u64,
    /// Reused memory: a block, and the deltas of an execution.
    text: Vec<u8>,
    deltas: Vec<Delta>,
}

impl Spilling {
    /// At most so many bytes stay in memory.
    pub fn new(limit: usize, block: usize, store: Box<dyn Spill + Send>) -> Spilling {
        let (text, deltas) = (Vec::new(), Vec::new());
        Spilling { limit, block: block.max(1), store, now: 0, times: 0, bytes: 0, peak: 0, text, deltas }
    }

    /// Most bytes that may be taken in memory.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Leaves half of the memory to somebody else, who is told how much that is.
    pub fn share(&mut self) -> usize {
        self.limit /= 2;
        self.limit
    }

    /// How often an execution was spilled.
    pub fn times(&self) -> u64 {
        self.times
    }

    /// Executions that are spilled now.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Most bytes that were kept elsewhere at any time.
    pub fn peak_bytes(&self) -> u64 {
        self.peak
    }

    /// Spills if there is more than the limit, until there is clearly less. A block of the first
    /// bin stays: it is run next.
    pub fn relieve(&mut self, fringe: &mut Fringe, tree: &mut Tree) -> Result<(), String> {
        if used(fringe, tree) <= self.limit {
            return Ok(());
        }
        let target = self.limit / 4 * 3;
        for bin in fringe.bins.keys().rev().copied().collect::<Vec<_>>() {
            let stays = if fringe.bins.keys().next() == Some(&bin) { self.block } else { 0 };
            loop {
                let over = used(fringe, tree).saturating_sub(target);
                let Some(queue) = fringe.bins.get_mut(&bin).filter(|_| over > 0) else { return Ok(()) };
                // An execution takes its entry and at least its node; those of the root stay.
                let most = queue.waiting.len().saturating_sub(stays);
                let count = (over / 32).max(self.block).min(most);
                if count == 0 || queue.waiting[0].node == ROOT {
                    break;
                }
                let done = self.write(queue, count, tree);
                fringe.in_memory -= count;
                done?;
            }
        }
        Ok(())
    }

    /// Writes the oldest so many of a bin.
    fn write(&mut self, queue: &mut Queue, count: usize, tree: &mut Tree) -> Result<(), String> {
        for part in queue.waiting[..count].chunks(self.block) {
            if self.now == 0 {
                // Its number must not become another node's while somebody comes back to it.
                tree.hold(ROOT);
            }
            self.text.clear();
            let mut before = Vec::new();
            for waiting in part {
                let age = tree.take_out(waiting.node, &mut self.deltas);
                encode(&mut self.text, waiting, age, &self.deltas, &before);
                before.clone_from(&self.deltas);
            }
            let number = self.store.write(&self.text)?;
            queue.blocks.push(Block { number, length: self.text.len(), executions: part.len() });
            self.now += part.len() as u64;
            self.times += part.len() as u64;
            self.bytes += self.text.len() as u64;
            self.peak = self.peak.max(self.bytes);
        }
        queue.waiting.drain(..count);
        queue.waiting.shrink_to(queue.waiting.len() + queue.waiting.len() / 4);
        Ok(())
    }

    /// If what goes next is spilled, brings a block of it back.
    pub fn fetch(&mut self, fringe: &mut Fringe, tree: &mut Tree) -> Result<(), String> {
        let Some(bin) = fringe.first_bin() else { return Ok(()) };
        let Some(queue) = fringe.bins.get_mut(&bin).filter(|q| q.waiting.is_empty()) else { return Ok(()) };
        let Some(block) = queue.blocks.pop() else { return Ok(()) };
        let back = &mut queue.waiting;
        self.read(&block, tree, |waiting| back.push(waiting))?;
        fringe.in_memory += block.executions;
        fringe.note_peak();
        Ok(())
    }

    /// Reads a block, oldest first.
    fn read(&mut self, block: &Block, tree: &mut Tree, mut back: impl FnMut(Waiting)) -> Result<(), String> {
        self.text.resize(block.length, 0);
        self.store.read(block.number, &mut self.text)?;
        let damaged = || "what was put aside on disk came back damaged".to_string();
        let mut text = &self.text[..];
        // The ancestors of the execution before, with their nodes.
        let mut above: Vec<(Delta, NodeId)> = Vec::new();
        self.deltas.clear();
        for _ in 0..block.executions {
            let (prefix_hash, context, age) = decode(&mut text, &mut self.deltas).ok_or_else(damaged)?;
            let node = tree.put_back(&self.deltas, age, &mut above).ok_or_else(damaged)?;
            back(Waiting { prefix_hash, node, context });
        }
        self.store.give_up(block.number, block.length);
        self.now -= block.executions as u64;
        self.bytes -= block.length as u64;
        if self.now == 0 {
            tree.release(ROOT);
        }
        Ok(())
    }

    /// Moves everything that waits by so many ranks within its round, equals by age; see
    /// [`Fringe::rearrange`]. Ages begin anew.
    pub fn rearrange(
        &mut self,
        fringe: &mut Fringe,
        tree: &mut Tree,
        moves: impl Fn(&Waiting) -> u32,
    ) -> Result<(), String> {
        let mut oldest_age = 0;
        let mut old: Vec<(Bin, Queue)> = std::mem::take(&mut fringe.bins).into_iter().collect();
        // The last round first: it is what is spilled while the others are merged.
        while let Some(round) = old.last().map(|(bin, _)| bin.round()) {
            let first = old.partition_point(|(bin, _)| bin.round() < round);
            let mut streams: Vec<Stream> =
                old.drain(first..).map(|(bin, queue)| Stream::of(bin, queue)).collect();
            let mut age = 0;
            loop {
                for stream in &mut streams {
                    stream.fill(self, tree, &mut fringe.in_memory)?;
                }
                let heads = streams.iter().enumerate().filter_map(|(i, s)| Some((i, s.head.front()?)));
                let Some((next, _)) = heads.min_by_key(|(_, head)| tree.age(head.node)) else { break };
                let Some(waiting) = streams[next].head.pop_front() else { break };
                tree.set_age(waiting.node, age);
                age += 1;
                let bin = streams[next].bin.moved(moves(&waiting));
                fringe.bins.entry(bin).or_default().waiting.push(waiting);
                self.relieve(fringe, tree)?;
            }
            oldest_age = oldest_age.max(age);
        }
        tree.begin_ages(oldest_age);
        Ok(())
    }
}

/// A bin while bins are merged, oldest first.
struct Stream {
    /// The bin.
    bin: Bin,
    /// Blocks that are still to be read, and what is behind them.
    blocks: VecDeque<Block>,
    waiting: Vec<Waiting>,
    /// What is in memory and comes next.
    head: VecDeque<Waiting>,
}

impl Stream {
    fn of(bin: Bin, queue: Queue) -> Stream {
        Stream { bin, blocks: queue.blocks.into(), waiting: queue.waiting, head: VecDeque::new() }
    }

    fn fill(&mut self, from: &mut Spilling, tree: &mut Tree, in_memory: &mut usize) -> Result<(), String> {
        if !self.head.is_empty() {
            return Ok(());
        }
        let Some(block) = self.blocks.pop_front() else {
            self.head = std::mem::take(&mut self.waiting).into();
            return Ok(());
        };
        from.read(&block, tree, |waiting| self.head.push_back(waiting))?;
        *in_memory += block.executions;
        Ok(())
    }
}

/// Bytes of what waits in memory, and of the nodes.
fn used(fringe: &Fringe, tree: &Tree) -> usize {
    fringe.in_memory * size_of::<Waiting>() + tree.live_bytes()
}

/// One execution: what it shares with the one before it is not written again.
fn encode(text: &mut Vec<u8>, waiting: &Waiting, age: u32, deltas: &[Delta], before: &[Delta]) {
    let shared = deltas.iter().zip(before).take_while(|(a, b)| a == b).count();
    text.extend_from_slice(&waiting.prefix_hash.to_le_bytes());
    for number in [waiting.context, age, shared as u32, (deltas.len() - shared) as u32] {
        put(text, number);
    }
    for delta in &deltas[shared..] {
        put(text, delta.step);
        put(text, delta.choice.encode());
    }
}

/// Back from [`encode`]: prefix hash, context and age; `deltas` are those of the one before.
fn decode(text: &mut &[u8], deltas: &mut Vec<Delta>) -> Option<(u64, u32, u32)> {
    let (hash, rest) = text.split_first_chunk::<8>()?;
    *text = rest;
    let (context, age) = (get(text)?, get(text)?);
    let (shared, more) = (get(text)? as usize, get(text)?);
    deltas.truncate(shared);
    for _ in 0..more {
        let (step, choice) = (get(text)?, get(text)?);
        deltas.push(Delta { step, choice: Choice::decode(choice)? });
    }
    Some((u64::from_le_bytes(*hash), context, age))
}

/// A number, seven bits a byte.
fn put(text: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        text.push(number as u8 | 0x80);
        number >>= 7;
    }
    text.push(number as u8);
}

fn get(text: &mut &[u8]) -> Option<u32> {
    let mut number = 0;
    for shift in (0..32).step_by(7) {
        let (byte, rest) = text.split_first()?;
        *text = rest;
        number |= u32::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}
