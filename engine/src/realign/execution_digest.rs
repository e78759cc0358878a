//! An execution in words that survive an edit of the program.

use raddle_schedule::{Choice, OpKind};

/// An operation, by all that it can be known by in another build.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Doing {
    /// What is done.
    pub kind: OpKind,
    /// Name of the object; of a spawn or a join what the other thread runs. Empty if there is none.
    pub object: String,
    /// The function; empty if unknown.
    pub method: String,
    /// What the source says at its line; empty if unknown.
    pub line: String,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its number in schedules.
    pub number: u32,
    /// Who.
    pub thread: u8,
    /// Which of [`ExecutionDigest::operations`].
    pub does: usize,
    /// What was chosen at it, where there was a choice.
    pub choices: Vec<Choice>,
}

/// A thread, by where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spawned {
    /// Its number.
    pub thread: u8,
    /// Who spawned it.
    pub by: u8,
    /// Its first function, or its name; empty if unknown.
    pub runs: String,
    /// What the source says where it was spawned.
    pub line: String,
}

/// Steps that are only counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// They come before the step with this index in [`ExecutionDigest::steps`].
    pub before: usize,
    /// Thread, operation, how often. A file may say anything: what is added up of them must not run over.
    pub counts: Vec<(u8, usize, u32)>,
}

/// An execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExecutionDigest {
    /// The distinct operations.
    pub operations: Vec<Doing>,
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// Where steps are left out.
    pub gaps: Vec<Gap>,
    /// What unfinished threads were about to do at the end.
    pub pending: Vec<(u8, usize)>,
    /// The threads beside T0, in the order of their numbers.
    pub threads: Vec<Spawned>,
}

/// A step of one thread's course, or what the thread was about to do at the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    /// Index in [`ExecutionDigest::steps`]; `None` for what was pending.
    pub at: Option<usize>,
    pub does: usize,
    /// How often the thread had done this operation before.
    pub time: u32,
    /// The thread has done something right before it that is only counted.
    pub behind_gap: bool,
}

impl ExecutionDigest {
    /// What a thread does, in order.
    pub(super) fn course(&self, thread: u8) -> Vec<Item> {
        let mut times = vec![0; self.operations.len()];
        let mut items = Vec::new();
        let mut gaps = self.gaps.iter().peekable();
        let mut behind_gap = false;
        for (at, step) in self.steps.iter().enumerate() {
            while let Some(gap) = gaps.next_if(|gap| gap.before <= at) {
                for (_, does, count) in gap.counts.iter().filter(|(t, ..)| *t == thread) {
                    times[*does] = u32::saturating_add(times[*does], *count);
                    behind_gap = true;
                }
            }
            if step.thread == thread {
                let time = times[step.does];
                times[step.does] = time.saturating_add(1);
                items.push(Item { at: Some(at), does: step.does, time, behind_gap });
                behind_gap = false;
            }
        }
        let pending = self.pending.iter().find(|(t, _)| *t == thread);
        let pending = pending.map(|(_, does)| Item { at: None, does: *does, time: times[*does], behind_gap });
        items.extend(pending);
        items
    }
}

/// How well two operations agree; 0 for none that could be the same.
pub(super) fn likeness(a: &Doing, b: &Doing) -> u32 {
    let same = |x: &str, y: &str| !x.is_empty() && x == y;
    let (object, method) = (same(&a.object, &b.object), same(&a.method, &b.method));
    if a.kind != b.kind {
        // A wait may end either way. Another access to the same variable in the same function may have taken its place.
        let ends = (a.kind == OpKind::Timeout || b.kind == OpKind::Timeout) && waits(a.kind) && waits(b.kind);
        let accesses = |k: OpKind| k.is_atomic() || k.is_data();
        return match () {
            () if ends && method && (object || same(&a.line, &b.line)) => 4,
            () if object && method && accesses(a.kind) && accesses(b.kind) => 2,
            () => 0,
        };
    }
    let line = match () {
        () if same(&a.line, &b.line) => 6,
        () if alike(&a.line, &b.line) => 2,
        () => 0,
    };
    let of_thread = matches!(a.kind, OpKind::ThreadStart | OpKind::Exit);
    if of_thread {
        // There is one of each.
        return 40;
    }
    if !(object || method || line > 0) {
        return 0;
    }
    let unnamed = a.object.is_empty() && b.object.is_empty();
    if !object && !unnamed {
        // Renamed, perhaps: worth little, since it may as well be another operation.
        return u32::from(method) + u32::from(line > 0) + u32::from(line > 2);
    }
    1 + 8 * u32::from(object) + 4 * u32::from(unnamed) + 2 * u32::from(method) + line
}

/// Is it the end of a wait?
fn waits(kind: OpKind) -> bool {
    use OpKind::*;
    matches!(
        kind,
        Timeout | CondWake | SemWait | Park | FutexWait | Lock | ReadLock | WriteLock | Sleep | ChannelRecv
    )
}

/// Do two texts differ by numbers and by consistently renamed words only?
pub fn alike(a: &str, b: &str) -> bool {
    let (a, b) = (words(a), words(b));
    let mut renamed: Vec<(&str, &str)> = Vec::new();
    let number = |w: &str| w.starts_with(|c: char| c.is_ascii_digit());
    let name = |w: &str| w.starts_with(|c: char| c.is_alphabetic() || c == '_');
    !a.is_empty()
        && a.len() == b.len()
        && a.iter().zip(&b).all(|(x, y)| match (name(x) && name(y), number(x) && number(y)) {
            (true, _) => match renamed.iter().find(|(p, q)| p == x || q == y) {
                Some(known) => known == &(*x, *y),
                None => {
                    renamed.push((x, y));
                    true
                }
            },
            (_, true) => true,
            _ => x == y,
        })
}

/// Names, numbers and single signs.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let inside = |c: char| c.is_alphanumeric() || c == '_';
        let end = match inside(first) {
            true => rest.find(|c| !inside(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        words.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renamed_words_and_other_numbers_are_alike() {
        assert!(alike("int seen = load(&counter);", "int value = load(&counter);"));
        assert!(alike("seen + seen", "value  + value") && !alike("seen + seen", "value + other"));
        assert!(!alike("seen + other", "value + value"));
        assert!(alike("left: 3, right: 12", "left: 4, right: 7"));
        assert!(!alike("a + 1", "a - 1") && !alike("a", "a;") && !alike("", ""));
    }

    /// As nobody writes them, but as a file may have them.
    #[test]
    fn counts_do_not_run_over() {
        let step = Step { number: 1, thread: 0, does: 0, choices: Vec::new() };
        let gap = Gap { before: 0, counts: vec![(0, 0, u32::MAX), (0, 0, u32::MAX)] };
        let operations = vec![Doing {
            kind: OpKind::Lock,
            object: String::new(),
            method: String::new(),
            line: String::new(),
        }];
        let account = ExecutionDigest {
            operations,
            steps: vec![step.clone(), step],
            gaps: vec![gap],
            ..ExecutionDigest::default()
        };
        let times: Vec<u32> = account.course(0).iter().map(|item| item.time).collect();
        assert_eq!(times, [u32::MAX, u32::MAX]);
    }

    #[test]
    fn what_agrees_most_is_most_alike() {
        let doing = |kind, object: &str, method: &str, line: &str| Doing {
            kind,
            object: object.into(),
            method: method.into(),
            line: line.into(),
        };
        let a = doing(OpKind::Lock, "left", "f", "lock(&left);");
        let renamed = doing(OpKind::Lock, "first", "f", "lock(&first);");
        let other = doing(OpKind::Lock, "log", "write", "lock_log(now);");
        assert!(likeness(&a, &a) > likeness(&a, &renamed) && likeness(&a, &renamed) > likeness(&a, &other));
        assert_eq!(likeness(&a, &other), 0);
        let unlock = doing(OpKind::Unlock, "left", "f", "lock(&left);");
        assert_eq!(likeness(&a, &unlock), 0);
        let load = doing(OpKind::AtomicLoad, "n", "f", "");
        let rmw = doing(OpKind::AtomicRmw, "n", "f", "");
        assert!(likeness(&load, &rmw) > 0 && likeness(&load, &rmw) < likeness(&load, &load));
    }
}
