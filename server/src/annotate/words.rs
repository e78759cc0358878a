//! Operations in the words of a story.

use super::annotated_trace::{AnnotatedOp, CLOSED, DOUBLED, REGISTERED};
use super::initialisers::initialised;
use super::values::Told;
use raddle_schedule::memory::Meaning;
use raddle_schedule::{Event, OpKind};

/// One operation in words.
pub fn operation(e: &AnnotatedOp) -> String {
    use OpKind::*;
    let o = &e.object;
    let what = said(&e.told);
    if let Some(meaning) = e.told.meaning {
        return means(meaning, o) + &what;
    }
    if e.told.part {
        return part(e);
    }
    if let Some(call) = &e.told.call {
        return match &call.says {
            Some(says) => format!("{} {}", says.does, call.on),
            None => format!("calls {}", call.function),
        };
    }
    if let (AtomicLoad | AtomicStore, Some(thread)) = (e.kind, o.strip_prefix("the end of ")) {
        return match (e.kind, e.value) {
            (AtomicStore, _) => "marks its end: `is_finished` is true from here on".into(),
            (_, None) => format!("asks whether {thread} has ended"),
            (_, Some(0)) => format!("asks whether {thread} has ended: not yet"),
            (_, Some(_)) => format!("asks whether {thread} has ended: yes"),
        };
    }
    // What is too large for a count is an address, or bits.
    let v = e.value.unwrap_or(0);
    let v = if v >> 40 == 0 || v >> 32 == u64::from(u32::MAX) { v.to_string() } else { format!("{v:#x}") };
    match e.kind {
        ThreadStart => "starts".into(),
        Spawn => format!("spawns {o}"),
        Join => format!("joins {o}"),
        Exit => "ends".into(),
        Lock => format!("locks {o}{what}"),
        TryReadLock if e.failed => format!("cannot read-lock {o}"),
        TryWriteLock if e.failed => format!("cannot write-lock {o}"),
        ReadLock | TryReadLock => format!("read-locks {o}"),
        WriteLock | TryWriteLock => format!("write-locks {o}"),
        ReadUnlock => format!("read-unlocks {o}"),
        WriteUnlock => format!("write-unlocks {o}"),
        Barrier if e.value.unwrap_or(0) == 0 => format!("arrives at {o}"),
        Barrier => format!("arrives at {o} as the last"),
        CondWake if e.other.is_empty() => format!("goes on behind {o}"),
        TryLock if e.failed => format!("cannot lock {o}"),
        TryLock => format!("locks {o}{what}"),
        Unlock => format!("unlocks {o}{what}"),
        CondEnqueue if e.other.is_empty() => format!("waits on {o}, holding its mutex all the while"),
        CondEnqueue => format!("waits on {o}, releasing {}{what}", e.other),
        CondWake if e.by_itself => format!("locks {} again{what}", e.other),
        CondWake => format!("is woken on {o}, locks {}{what}", e.other),
        NotifyOne => format!("notifies one on {o}"),
        NotifyAll => format!("notifies all on {o}"),
        SemWait => format!("takes {o}"),
        SemTryWait if e.failed => format!("cannot take {o}"),
        SemTryWait => format!("takes {o}"),
        SemPost => format!("posts {o}"),
        AtomicRmw if e.by_itself => format!("compares {o}{what}, and fails by itself"),
        AtomicRmw if e.failed && !what.is_empty() => format!("compares {o}{what}, stores nothing"),
        AtomicLoad if !what.is_empty() => format!("loads {o}{what}"),
        AtomicStore if !what.is_empty() => format!("stores {o}{what}"),
        AtomicRmw if !what.is_empty() => format!("updates {o}{what}"),
        AtomicLoad if e.value.is_none() => format!("loads {o}"),
        AtomicLoad => format!("loads {o} = {v}"),
        AtomicStore if e.value.is_none() => format!("stores {o}"),
        AtomicStore => format!("stores {o} = {v}"),
        AtomicRmw if e.failed => format!("compares {o} = {v}, stores nothing"),
        AtomicRmw if e.value.is_none() => format!("updates {o}"),
        AtomicRmw => format!("updates {o} (was {v})"),
        ChannelSend if e.told.shown.as_deref() == Some(CLOSED) => format!("closes {o}"),
        ChannelSend if e.told.shown.as_deref() == Some(REGISTERED) => format!("changes what {o} watches"),
        ChannelSend => format!("writes to {o}"),
        ChannelRecv if e.told.shown.as_deref() == Some(DOUBLED) => format!("doubles a descriptor of {o}"),
        ChannelRecv if e.failed => format!("finds nothing in {o}"),
        ChannelRecv => format!("reads from {o}"),
        Park => "parks".into(),
        Unpark => format!("unparks ({o})"),
        Yield => "yields".into(),
        Sleep => "sleeps".into(),
        Timeout if e.by_itself => format!("stops waiting on {o}, by itself"),
        Timeout => format!("stops waiting on {o}: time is over"),
        Read => format!("reads {o}{what}"),
        Write => format!("writes {o}{what}"),
        Free => format!("frees {o}"),
        Input => match &e.told.shown {
            Some(value) => format!("gets {value} from {o}"),
            None => format!("gets input {v}"),
        },
        FutexWait => format!("waits on {o}"),
        FutexWake => format!("wakes waiters of {o}"),
        LockExit => format!("goes on after unlocking {o}"),
        kind if o.is_empty() => kind.name().into(),
        kind => format!("{} {o}", kind.name()),
    }
}

/// What an operation read, or changed, behind the name of its object.
fn said(told: &Told) -> String {
    match (&told.shown, &told.old) {
        (Some(shown), Some(_)) => format!(": {shown}"),
        (Some(shown), None) => format!(" = {shown}"),
        (None, _) => String::new(),
    }
}

fn means(meaning: Meaning, o: &str) -> String {
    match meaning {
        Meaning::ReadLocks => format!("read-locks {o}"),
        Meaning::WriteLocks => format!("write-locks {o}"),
        Meaning::ReadUnlocks => format!("read-unlocks {o}"),
        Meaning::WriteUnlocks => format!("write-unlocks {o}"),
        Meaning::Downgrades => format!("keeps {o} as a reader"),
        Meaning::Runs => format!("runs the initialiser of {}", initialised(o)),
        Meaning::Completes => format!("has initialised {}", initialised(o)),
        Meaning::FindsDone => format!("finds {} done", initialised(o)),
        Meaning::Poisons => format!("fails in the initialiser of {}", initialised(o)),
        Meaning::BeginsToWait => format!("begins to wait to write-lock {o}"),
        Meaning::StopsWaiting => format!("does not wait for {o} any more"),
        Meaning::CannotRead => format!("cannot read-lock {o}"),
        Meaning::CannotWrite => format!("cannot write-lock {o}"),
        Meaning::PoisonsLock => format!("poisons {o}"),
        Meaning::KeepsPoison => format!("unlocks {o} in a panic"),
        Meaning::AsksForPoison => format!("asks whether {o} is poisoned"),
        Meaning::ClearsPoison => format!("clears the poison of {o}"),
        Meaning::WaitsToRead => format!("asks to read-lock {o}"),
        Meaning::WaitsToWrite => format!("asks to write-lock {o}"),
    }
}

/// An operation on the state of a read-write lock, or of a one-time initialisation, that takes nothing.
fn part(e: &AnnotatedOp) -> String {
    let o = &e.object;
    match e.told.wants {
        Some(OpKind::ReadLock) => return format!("wants to read-lock {o}"),
        Some(OpKind::WriteLock) => return format!("wants to write-lock {o}"),
        Some(_) => return format!("wants to lock {o}"),
        None => {}
    }
    match e.kind {
        OpKind::AtomicLoad => format!("looks at {o}"),
        OpKind::AtomicRmw if e.failed => format!("finds {o} changed"),
        OpKind::FutexWait | OpKind::CondEnqueue => format!("waits for {o}"),
        OpKind::FutexWake => format!("wakes the waiters of {o}"),
        OpKind::CondWake => format!("is woken, may have {o}"),
        OpKind::Yield => "yields".to_string(),
        OpKind::Sleep => "sleeps".to_string(),
        OpKind::Fence => "makes a fence".to_string(),
        _ => format!("updates the state of {o}"),
    }
}

/// What a thread was about to do when the execution ended, to this object.
pub fn unfinished(e: &Event, object: &str) -> String {
    match e.pending_op() {
        Some(op) if op.blocks_until_set() => format!("waits for {object}"),
        Some(op) => pending(op.kind, object),
        None => String::new(),
    }
}

/// What a thread is about to do, of which only kind and object are known.
pub fn pending(kind: OpKind, object: &str) -> String {
    if kind == OpKind::CondWake {
        return format!("waits for a notify of {object}");
    }
    operation(&AnnotatedOp {
        index: 0,
        step: None,
        thread: 0,
        kind,
        object: object.to_string(),
        other: String::new(),
        value: None,
        told: Told::default(),
        failed: false,
        by_itself: false,
        place: None,
        method: String::new(),
        calls: Default::default(),
        holding: Default::default(),
        time: 0,
        note: String::new(),
        matters: false,
        decisive: false,
        after: None,
        within_std: false,
        preemption: None,
    })
}
