//! An execution at lock-exit granularity as its atomic blocks (paper 004, section 4.3): a step with
//! everything that came along inline, and with the steps behind it that nobody else could have made
//! (choices in the middle of a block). Where may another thread's block come first?
//!
//! Not before a *silent* block: one that took no lock and did nothing else that another thread could
//! notice. A thread's last block is one, from its last lock exit to its death (there is no branch at a
//! death), and so is one that comes to a lock that is taken before it has done anything. In a program that
//! keeps a locking discipline such a block touches nothing shared: whatever others do before it they can
//! do after it as well. One in which the execution ends is not silent, for what others would do
//! is not seen then.
//!
//! A block that took locks and then comes to one that is taken is begun *in vain*: what follows holds
//! a block that is torn in two, and is explored without it, from where it began. Such an execution is run on
//! for the deadlock that it may end in, and branches no further.

use core::ops::Range;
use raddle_schedule::block::is_unnoticed;
use raddle_schedule::{Event, OpKind, Outcome, Trace, flags};

/// A step of a block, or the whole of it; its number is that of the step.
#[derive(Clone, Debug)]
pub struct Block {
    /// Whose it is.
    pub thread: u8,
    /// The events of the step.
    pub step: Range<usize>,
    /// Those of the block that it begins.
    pub events: Range<usize>,
    /// See the module's text.
    pub silent: bool,
    /// See the module's text.
    pub in_vain: bool,
}

/// Reads the blocks of an execution.
pub fn read(trace: &Trace, blocks: &mut Vec<Block>) {
    blocks.clear();
    let mut begin = 0;
    for (i, event) in trace.events.iter().enumerate() {
        if event.is_step() {
            if let Some(last) = blocks.last_mut() {
                last.step.end = i;
            }
            if event.flags & flags::ALONE == 0 {
                if let Some(last) = blocks.get_mut(begin) {
                    last.events.end = i;
                }
                begin = blocks.len();
            }
            let step = i..trace.events.len();
            let events = step.clone();
            blocks.push(Block { thread: event.thread(), step, events, silent: false, in_vain: false });
        }
    }
    for block in blocks.iter_mut() {
        block.silent = trace.events[block.events.clone()].iter().all(|e| says_nothing(e.kind()));
        block.in_vain = !block.silent && is_in_vain(trace, block);
    }
    if ends_in_its_code(trace)
        && let Some(last) = blocks.get_mut(begin)
    {
        last.silent = false;
    }
}

/// Does no other thread notice this kind of operation, in a program that keeps a locking discipline?
fn says_nothing(kind: OpKind) -> bool {
    use OpKind::*;
    let births = matches!(kind, ThreadStart | Spawn | Join | Exit);
    let nothing = matches!(kind, LockExit | Yield | Sleep | Fence | Statement | Point | Input);
    births || nothing || kind.is_data() || kind.is_annotation()
}

/// Did one thread end the execution for all others?
fn ends_in_its_code(trace: &Trace) -> bool {
    use Outcome::*;
    match trace.outcome {
        Deadlock | Livelock | Truncated | SleepBlocked => false,
        Passed => trace.blocked != 0,
        _ => true,
    }
}

/// Did others go on while its thread waited for a lock in the middle of it?
fn is_in_vain(trace: &Trace, block: &Block) -> bool {
    let next = trace.events[block.events.end..].iter().find(|e| e.is_step());
    next.is_some_and(|next| next.enabled >> block.thread & 1 == 0) && is_cut_off(trace, block)
}

/// Does its thread come to a lock that is taken, before others could notice anything?
pub fn is_cut_off(trace: &Trace, block: &Block) -> bool {
    let waits = |e: &Event| match e.kind() {
        OpKind::Pending => e.value == OpKind::Lock as u64 && e.flags & flags::ENABLED == 0,
        kind => e.is_step() && kind == OpKind::Lock,
    };
    // What an unfinished thread was about to do stands behind the last block, and so in it.
    let own = |e: &&Event| e.thread() == block.thread && !matches!(e.kind(), OpKind::Timeouts);
    let pending = trace.events[block.events.clone()].iter().find(|e| own(e) && e.kind() == OpKind::Pending);
    let next = pending.or_else(|| trace.events[block.events.end..].iter().find(own));
    next.is_some_and(waits) && is_unnoticed(&trace.events[block.events.clone()])
}
