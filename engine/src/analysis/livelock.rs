//! Livelocks: every unfinished thread waits, and one at least does so in a loop, reading the same
//! again and again (algorithms, rule 9). And where an execution went round that was cut off.

use crate::summary::{Blocked, Round};
use raddle_schedule::{Event, OpKind, Trace, flags, round};

/// What the read with this index, or the pending one, waits for where it goes round a loop: a
/// change of any of these objects, with the kind of their read. Empty where it does not.
///
/// They are what the thread has read, and the locks that it has taken, since it last did the same at the same site.
pub fn spins_on(events: &[Event], index: usize) -> Vec<(OpKind, u64)> {
    let again = &events[index];
    if again.flags & flags::AWAIT == 0 {
        return Vec::new();
    }
    let kind = if again.flags & flags::TIMED != 0 { OpKind::Timeout } else { kind_of(again) };
    let mut found = vec![(kind, again.object())];
    let before = events[..index].iter().rev().filter(|e| e.thread() == again.thread());
    for e in before {
        if (e.kind(), e.object(), e.site) == (kind, again.object(), again.site) {
            break;
        }
        if let Some(read) = read(e).filter(|read| !found.contains(read)) {
            found.push(read);
        }
    }
    // A yield or a sleep reads nothing. Alone, it says that nothing ends the loop.
    if found.len() > 1 && matches!(kind, OpKind::Yield | OpKind::Sleep) {
        found.remove(0);
    }
    found
}

/// What an operation reads, if it may be part of a round.
fn read(e: &Event) -> Option<(OpKind, u64)> {
    match e.kind() {
        // A mutex that is taken again behind a wait that has timed out.
        OpKind::CondWake if e.flags & flags::TIMED_OUT != 0 && e.value != 0 => Some((OpKind::Lock, e.value)),
        OpKind::Timeout => Some((OpKind::Timeout, e.object())),
        kind if is_read(kind) || round::takes(kind) => Some((kind, e.object())),
        _ => None,
    }
}

/// The kind of an event, or of the operation that it says is pending.
fn kind_of(e: &Event) -> OpKind {
    match e.kind() {
        OpKind::Pending => OpKind::from_u8(e.value as u8).unwrap_or(OpKind::Point),
        kind => kind,
    }
}

pub(super) fn is_read(kind: OpKind) -> bool {
    use OpKind::*;
    matches!(
        kind,
        AtomicLoad | AtomicRmw | Read | TryLock | TryReadLock | TryWriteLock | SemTryWait | ChannelRecv
    )
}

/// One spinning thread in words.
pub fn describe(b: &Blocked) -> String {
    if b.is_endless() {
        return format!("T{} loops for ever", b.thread);
    }
    let reads: Vec<String> = b.spins_on.iter().map(|(_, object)| format!("{object:#x}")).collect();
    format!("T{} spins until {} changes", b.thread, reads.join(" or "))
}

/// The whole livelock in words.
pub fn describe_all(blocked: &[Blocked]) -> String {
    let waits: Vec<_> = blocked.iter().map(super::deadlock::describe).collect();
    format!("livelock: {}", waits.join("; "))
}

/// Steps at the end of an execution that was cut off in which a loop is looked for.
const WINDOW: usize = 2000;
/// Most operations of a loop that are told.
const MOST: usize = 6;

/// Where the threads of an execution that was cut off went round: the operations that
/// they made most of in the end, thread by thread, each in the order in which the loop makes them.
pub fn rounds(trace: &Trace) -> Vec<Round> {
    let last = trace.events.iter().rev().filter(|e| e.is_step() && e.thread() < 64);
    let mut made: Vec<(Round, u32)> = Vec::new();
    for e in last.take(WINDOW) {
        let round =
            Round { thread: e.thread(), kind: e.kind(), object: e.object(), site: e.site, method: e.method };
        // The object is not what makes an operation: a loop may walk along an array.
        let same = |(r, _): &&mut (Round, u32)| {
            (r.thread, r.kind, r.site, r.method) == (round.thread, round.kind, round.site, round.method)
        };
        match made.iter_mut().find(same) {
            Some((_, times)) => *times += 1,
            None => made.push((round, 1)),
        }
    }
    // What is done half as often as the most frequent operation belongs to the loop.
    let most = made.iter().map(|(_, times)| *times).max().unwrap_or(0);
    made.reverse();
    made.retain(|(_, times)| *times > 1 && *times * 2 >= most);
    let mut rounds: Vec<Round> = made.into_iter().map(|(r, _)| r).collect();
    rounds.sort_by_key(|r| r.thread);
    rounds.truncate(MOST);
    rounds
}
