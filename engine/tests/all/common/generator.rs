//! Random programs for the reductions: two to four threads that spawn each other in all shapes,
//! few objects so that they meet, and everything the language has. Small enough that brute force
//! walks all classes of most.
//!
//! A thread names another only where every execution means the same one: T0 always, T1
//! (the first child, for T0 begins alone), and a child by what its parent has in a register.

use proptest::prelude::*;
use raddle_engine::simulated::{Condition, Guarded, Instr, Is, Program, Value};
use raddle_schedule::Order;

use Value::{Const, Reg};

/// Some instructions that belong together; a jump to [`END`] leaves them.
type Piece = Vec<Instr>;
const END: usize = usize::MAX;

fn is(r: u8, is: Is, n: u64) -> Condition {
    Condition(Reg(r), is, Const(n))
}

fn order() -> impl Strategy<Value = Order> {
    prop_oneof![
        3 => Just(Order::SeqCst),
        1 => Just(Order::Relaxed),
        1 => Just(Order::Acquire),
        1 => Just(Order::Release),
        1 => Just(Order::AcqRel),
    ]
}

fn variable() -> impl Strategy<Value = u32> {
    0..2u32
}

fn data() -> impl Strategy<Value = u8> {
    0..3u8
}

/// Atomics.
fn atomic() -> impl Strategy<Value = Piece> {
    let (v, r) = (variable, data);
    prop_oneof![
        4 => (v(), r(), order()).prop_map(|(v, r, o)| vec![Instr::Load(v, r, o)]),
        4 => (v(), 0..3u64, order()).prop_map(|(v, x, o)| vec![Instr::Store(v, Const(x), o)]),
        1 => (v(), r(), order()).prop_map(|(v, r, o)| vec![Instr::Store(v, Reg(r), o)]),
        2 => (v(), r(), order()).prop_map(|(v, r, o)| vec![Instr::FetchAdd(v, Const(1), r, o)]),
        2 => (v(), 0..2u64, r(), order())
            .prop_map(|(v, x, r, o)| vec![Instr::CompareExchange(v, Const(x), Const(2), r, o)]),
        2 => (v(), v(), 0..3u64, r()).prop_map(|(v, w, x, r)| vec![
            Instr::Load(v, r, Order::SeqCst),
            Instr::JumpIf(is(r, Is::Equal, x), END),
            Instr::Store(w, Const(1), Order::SeqCst),
        ]),
        1 => (v(), r(), 1..3u64).prop_map(|(v, r, x)| vec![
            Instr::Load(v, r, Order::SeqCst),
            Instr::Assert(is(r, Is::NotEqual, x)),
        ]),
        1 => (v(), r(), 1..3u64).prop_map(|(v, r, x)| vec![
            Instr::Load(v, r, Order::SeqCst),
            Instr::Assume(is(r, Is::NotEqual, x)),
        ]),
    ]
}

/// Plain accesses; variables 0 and 1 are accessed atomically too.
fn plain() -> impl Strategy<Value = Piece> {
    prop_oneof![
        3 => (0..4u32, data()).prop_map(|(v, r)| vec![Instr::Read(v, r)]),
        3 => (0..4u32, 0..3u64).prop_map(|(v, x)| vec![Instr::Write(v, Const(x))]),
        1 => (2..4u32).prop_map(|v| vec![Instr::Free(v)]),
        1 => (2..4u32, data()).prop_map(|(v, r)| vec![
            Instr::Read(v, r),
            Instr::Add(r, Const(1)),
            Instr::Write(v, Reg(r)),
        ]),
    ]
}

/// Mutexes and condition variables.
fn monitor() -> impl Strategy<Value = Piece> {
    let (m, c, r, v) = (|| 0..2u32, || 0..2u32, data, variable);
    let inside = prop_oneof![
        2 => Just(vec![]),
        2 => atomic(),
        2 => plain(),
        1 => (c(), m()).prop_map(|(c, m)| vec![Instr::Wait(c, m)]),
        1 => m().prop_map(|m| vec![Instr::Lock(m), Instr::Unlock(m)]),
        1 => c().prop_map(|c| vec![Instr::NotifyOne(c)]),
    ];
    let odd = prop_oneof![m().prop_map(Instr::Lock), m().prop_map(Instr::Unlock)];
    prop_oneof![
        1 => odd.prop_map(|i| vec![i]),
        8 => (m(), inside).prop_map(|(m, inside)| {
            let mut piece = vec![Instr::Lock(m)];
            piece.extend(inside);
            piece.push(Instr::Unlock(m));
            piece
        }),
        6 => (m(), r()).prop_map(|(m, r)| vec![
            Instr::TryLock(m, r),
            Instr::JumpIf(is(r, Is::Equal, 0), END),
            Instr::Unlock(m),
        ]),
        2 => (m(), r()).prop_map(|(m, r)| vec![Instr::TryLock(m, r)]),
        4 => (c(), m()).prop_map(|(c, m)| vec![Instr::Lock(m), Instr::Wait(c, m), Instr::Unlock(m)]),
        4 => (c(), m(), r())
            .prop_map(|(c, m, r)| vec![Instr::Lock(m), Instr::WaitTimeout(c, m, r), Instr::Unlock(m)]),
        4 => (c(), m(), v(), r()).prop_map(|(c, m, v, r)| vec![
            Instr::Lock(m),
            Instr::Load(v, r, Order::SeqCst),
            Instr::JumpIf(is(r, Is::NotEqual, 0), 4),
            Instr::Wait(c, m),
            Instr::Unlock(m),
        ]),
        7 => c().prop_map(|c| vec![Instr::NotifyOne(c)]),
        4 => c().prop_map(|c| vec![Instr::NotifyAll(c)]),
    ]
}

/// Locks of many, barriers, and locks with a time limit.
fn shared() -> impl Strategy<Value = Piece> {
    let (l, r) = (|| 0..2u32, data);
    let inside = || prop_oneof![2 => Just(vec![]), 2 => atomic(), 3 => plain()];
    let around = |first: Instr, inside: Piece, last: Instr| {
        let mut piece = vec![first];
        piece.extend(inside);
        piece.push(last);
        piece
    };
    let odd = prop_oneof![
        l().prop_map(Instr::ReadLock),
        l().prop_map(Instr::WriteLock),
        l().prop_map(Instr::RwUnlock),
    ];
    let gets = |first: Instr, r: u8, got: u64, last: Instr| {
        vec![first, Instr::JumpIf(is(r, Is::NotEqual, got), END), last]
    };
    prop_oneof![
        1 => odd.prop_map(|i| vec![i]),
        8 => (l(), inside()).prop_map(move |(l, i)| around(Instr::ReadLock(l), i, Instr::RwUnlock(l))),
        7 => (l(), inside()).prop_map(move |(l, i)| around(Instr::WriteLock(l), i, Instr::RwUnlock(l))),
        4 => (l(), r()).prop_map(move |(l, r)| gets(Instr::TryReadLock(l, r), r, 1, Instr::RwUnlock(l))),
        4 => (l(), r()).prop_map(move |(l, r)| gets(Instr::TryWriteLock(l, r), r, 1, Instr::RwUnlock(l))),
        3 => (l(), r()).prop_map(move |(l, r)| gets(Instr::ReadLockTimeout(l, r), r, 0, Instr::RwUnlock(l))),
        3 => (l(), r()).prop_map(move |(l, r)| gets(Instr::WriteLockTimeout(l, r), r, 0, Instr::RwUnlock(l))),
        4 => (l(), r()).prop_map(move |(m, r)| gets(Instr::LockTimeout(m, r), r, 0, Instr::Unlock(m))),
        6 => (l(), 2..4u8, r()).prop_map(|(b, n, r)| vec![Instr::Barrier(b, n, r)]),
        2 => (l(), r(), variable()).prop_map(|(b, r, v)| vec![
            Instr::Barrier(b, 2, r),
            Instr::JumpIf(is(r, Is::Equal, 0), END),
            Instr::Store(v, Const(1), Order::SeqCst),
        ]),
    ]
}

/// Locks that are poisoned: by who holds them, cleared by anybody, told to those that take them.
fn poisoned() -> impl Strategy<Value = Piece> {
    let (n, r, c) = (|| 0..2u32, data, || 0..2u32);
    let by_mutex = |m| (Instr::Lock(m), Guarded::Mutex(m), Instr::Unlock(m));
    let by_writer = |l| (Instr::WriteLock(l), Guarded::RwLock(l), Instr::RwUnlock(l));
    let by_reader = |l| (Instr::ReadLock(l), Guarded::RwLock(l), Instr::RwUnlock(l));
    let alone = prop_oneof![n().prop_map(by_mutex), n().prop_map(by_writer)];
    let all = || prop_oneof![n().prop_map(by_mutex), n().prop_map(by_writer), n().prop_map(by_reader)];
    let lock = || prop_oneof![n().prop_map(Guarded::Mutex), n().prop_map(Guarded::RwLock)];
    let told = move |(lock, r): (Guarded, u8)| Instr::ToldPoison(lock, r);
    let tries = prop_oneof![
        n().prop_map(move |m| (Instr::TryLock(m, 0), by_mutex(m))),
        n().prop_map(move |l| (Instr::TryWriteLock(l, 0), by_writer(l))),
        n().prop_map(move |l| (Instr::TryReadLock(l, 0), by_reader(l))),
    ];
    prop_oneof![
        6 => alone.prop_map(|(takes, lock, gives)| vec![takes, Instr::Poison(lock), gives]),
        6 => lock().prop_map(|lock| vec![Instr::ClearPoison(lock)]),
        3 => (lock(), r()).prop_map(|(lock, r)| vec![Instr::AsksPoison(lock, r)]),
        5 => (all(), r()).prop_map(move |((takes, lock, gives), r)| vec![takes, told((lock, r)), gives]),
        2 => (all(), r(), variable()).prop_map(move |((takes, lock, gives), r, v)| vec![
            takes,
            told((lock, r)),
            gives,
            Instr::JumpIf(is(r, Is::Equal, 0), END),
            Instr::Store(v, Const(1), Order::SeqCst),
        ]),
        3 => (tries, 1..3u8).prop_map(move |((tries, (_, lock, gives)), r)| vec![
            tries,
            Instr::JumpIf(is(0, Is::Equal, 0), END),
            told((lock, r)),
            gives,
        ]),
        2 => (c(), n(), r()).prop_map(move |(c, m, r)| vec![
            Instr::Lock(m),
            Instr::Wait(c, m),
            told((Guarded::Mutex(m), r)),
            Instr::Unlock(m),
        ]),
        2 => (c(), n(), r()).prop_map(move |(c, m, r)| vec![
            Instr::Lock(m),
            Instr::WaitTimeout(c, m, 0),
            told((Guarded::Mutex(m), r)),
            Instr::Unlock(m),
        ]),
    ]
}

/// Variables that are set and never unset, and threads that block until they are, as for a `std::future`.
fn latch() -> impl Strategy<Value = Piece> {
    /// The bit that says that a thread waits: a variable with it alone is not set.
    const WAITS: u64 = 1 << 31;
    let (v, r) = (|| 4..6u32, data);
    prop_oneof![
        6 => (v(), r(), order()).prop_map(|(v, r, o)| vec![Instr::Await(v, r, o)]),
        4 => (v(), r(), order()).prop_map(|(v, r, o)| vec![Instr::FetchAdd(v, Const(1), r, o)]),
        2 => (v(), r(), order()).prop_map(|(v, r, o)| vec![Instr::FetchAdd(v, Const(WAITS), r, o)]),
        2 => (v(), 1..3u64, order()).prop_map(|(v, x, o)| vec![Instr::Store(v, Const(x), o)]),
        2 => (v(), r(), order()).prop_map(|(v, r, o)| vec![Instr::Load(v, r, o)]),
        2 => (v(), variable(), r()).prop_map(|(v, w, r)| vec![
            Instr::Load(v, r, Order::SeqCst),
            Instr::JumpIf(is(r, Is::NotEqual, 0), END),
            Instr::Store(w, Const(1), Order::SeqCst),
            Instr::Await(v, r, Order::Acquire),
        ]),
        2 => (v(), 0..2u32, r()).prop_map(|(v, m, r)| vec![
            Instr::Lock(m),
            Instr::Await(v, r, Order::Acquire),
            Instr::Unlock(m),
        ]),
    ]
}

/// Semaphores, park tokens, choices, and what touches nothing.
fn other() -> impl Strategy<Value = Piece> {
    let (s, r) = (|| 0..2u32, data);
    prop_oneof![
        3 => s().prop_map(|s| vec![Instr::SemWait(s)]),
        2 => (s(), r()).prop_map(|(s, r)| vec![Instr::SemTryWait(s, r)]),
        2 => (s(), r()).prop_map(|(s, r)| vec![Instr::SemWaitTimeout(s, r)]),
        3 => s().prop_map(|s| vec![Instr::SemPost(s)]),
        1 => Just(vec![Instr::Park]),
        2 => r().prop_map(|r| vec![Instr::ParkTimeout(r)]),
        3 => (0..2u64).prop_map(|t| vec![Instr::Unpark(Const(t))]),
        2 => (2..4u8, r()).prop_map(|(n, r)| vec![Instr::Choose(n, r)]),
        2 => (variable(), r()).prop_map(|(v, r)| vec![
            Instr::Choose(2, r),
            Instr::JumpIf(is(r, Is::Equal, 0), END),
            Instr::Store(v, Const(1), Order::SeqCst),
        ]),
        1 => Just(vec![Instr::Yield]),
        1 => Just(vec![Instr::Sleep]),
        1 => Just(vec![Instr::Point]),
        1 => order().prop_map(|o| vec![Instr::Fence(o)]),
        1 => (r(), 1..3u64).prop_map(|(r, n)| vec![Instr::Assume(is(r, Is::NotEqual, n))]),
        1 => (r(), 1..3u64).prop_map(|(r, n)| vec![Instr::Assert(is(r, Is::NotEqual, n))]),
    ]
}

/// Where a child hangs: its parent, the piece before which it is spawned, and how many pieces
/// later it is joined, if it is.
type Branch = (usize, usize, Option<usize>);

/// What a program is drawn as.
#[derive(Clone, Debug)]
struct Draw {
    /// Pieces by body, T0's first.
    bodies: Vec<Vec<Piece>>,
    branches: Vec<Branch>,
    semaphores: Vec<u64>,
    /// One mutex, condition variable, semaphore, atomic, plain variable in the place of two?
    merged: Vec<bool>,
}

/// A random program.
pub fn program() -> impl Strategy<Value = Program> {
    let piece = prop_oneof![7 => atomic(), 2 => plain(), 5 => monitor(), 3 => other()].boxed();
    let threads = prop_oneof![4 => Just(2usize), 5 => Just(3), 2 => Just(4)].boxed();
    of(piece, threads, [0, 0, 8, 6, 4])
}

/// One in which steps have several operations.
pub fn composite() -> impl Strategy<Value = Program> {
    let operation = || {
        atomic()
            .prop_filter("one operation", |piece| piece.len() == 1 && piece[0].is_atomic())
            .prop_map(|p| p[0])
    };
    let run = prop::collection::vec(operation(), 2..4)
        .prop_map(|run| run.into_iter().flat_map(|i| [Instr::Along, i]).skip(1).collect::<Piece>());
    // What goes along may hang on what was read, and stop in the middle.
    let looks = (operation(), data(), 0..3u64, operation(), operation()).prop_map(|(i, r, x, j, k)| {
        vec![i, Instr::JumpIf(is(r, Is::Equal, x), 4), Instr::Along, j, Instr::Along, k]
    });
    let takes = (variable(), variable(), data(), operation()).prop_map(|(v, w, r, i)| {
        vec![
            Instr::CompareExchange(v, Const(0), Const(1), r, Order::SeqCst),
            Instr::JumpIf(is(r, Is::NotEqual, 0), END),
            Instr::Along,
            Instr::FetchAdd(w, Const(1), r, Order::SeqCst),
            Instr::Along,
            i,
        ]
    });
    let piece = prop_oneof![7 => run, 4 => looks, 4 => takes, 3 => atomic(), 1 => plain(), 2 => monitor(), 1 => other()];
    let threads = prop_oneof![4 => Just(2usize), 5 => Just(3), 1 => Just(4)].boxed();
    of(piece.boxed(), threads, [0, 0, 7, 5, 3])
}

/// One in which steps take locks and give them back, all of them, some of them, or the first of them alone.
pub fn sections() -> impl Strategy<Value = Program> {
    use Instr::{Along, Lock, Unlock};
    let one = || {
        atomic()
            .prop_filter("one operation", |piece| piece.len() == 1 && piece[0].is_atomic())
            .prop_map(|p| p[0])
    };
    let m = || 0..2u32;
    let whole = (m(), one()).prop_map(|(m, i)| vec![Lock(m), Along, i, Along, Unlock(m)]);
    let inner = (one(), m(), one()).prop_map(|(i, m, j)| vec![i, Along, Lock(m), Along, j, Along, Unlock(m)]);
    let two = (m(), m(), one())
        .prop_map(|(m, n, i)| vec![Lock(m), Along, Unlock(m), Along, Lock(n), Along, i, Along, Unlock(n)]);
    let nested = (m(), one()).prop_map(|(m, i)| {
        vec![Lock(m), Along, Lock(1 - m), Along, i, Along, Unlock(1 - m), Along, Unlock(m)]
    });
    let begins = (one(), m(), one()).prop_map(|(i, m, j)| vec![i, Along, Lock(m), j, Unlock(m)]);
    let ends = (one(), m(), one()).prop_map(|(i, m, j)| vec![Lock(m), i, Along, Unlock(m), Along, j]);
    let waits = (0..2u32, m(), one())
        .prop_map(|(c, m, i)| vec![i, Along, Lock(m), Instr::Wait(c, m), Unlock(m), Along, i]);
    let piece = prop_oneof![
        4 => whole, 4 => inner, 2 => two, 2 => nested, 3 => begins, 3 => ends, 2 => waits,
        2 => atomic(), 1 => plain(), 3 => monitor(), 1 => other()
    ];
    let threads = prop_oneof![4 => Just(2usize), 5 => Just(3), 1 => Just(4)].boxed();
    of(piece.boxed(), threads, [0, 0, 7, 5, 3])
}

/// One in which steps take read-write locks, and mutexes if they can be had, and give them back: all of it, some of it, or the first
/// of it alone.
pub fn shared_sections() -> impl Strategy<Value = Program> {
    use Instr::{
        Along, JumpIf, Lock, ReadLock, RwUnlock, TryLock, TryReadLock, TryWriteLock, Unlock, WriteLock,
    };
    let one = || {
        atomic()
            .prop_filter("one operation", |piece| piece.len() == 1 && piece[0].is_atomic())
            .prop_map(|p| p[0])
    };
    let lock = || {
        (0..2u32, prop::bool::weighted(0.6))
            .prop_map(|(l, w)| (l, if w { WriteLock(l) } else { ReadLock(l) }))
    };
    let tries = || {
        (0..2u32, data(), 0..3u8).prop_map(|(l, r, how)| match how {
            0 => (TryWriteLock(l, r), r, RwUnlock(l)),
            1 => (TryReadLock(l, r), r, RwUnlock(l)),
            _ => (TryLock(l, r), r, Unlock(l)),
        })
    };
    let whole = (lock(), one()).prop_map(|((l, take), i)| vec![take, Along, i, Along, RwUnlock(l)]);
    let inner = (one(), lock(), one())
        .prop_map(|(i, (l, take), j)| vec![i, Along, take, Along, j, Along, RwUnlock(l)]);
    let nested = (lock(), 0..2u32, one()).prop_map(|((l, take), m, i)| {
        vec![take, Along, Lock(m), Along, i, Along, Unlock(m), Along, RwUnlock(l)]
    });
    let twice = (lock(), lock(), one()).prop_map(|((k, first), (l, second), i)| {
        vec![first, Along, RwUnlock(k), Along, second, Along, i, Along, RwUnlock(l)]
    });
    let begins = (one(), lock(), one()).prop_map(|(i, (l, take), j)| vec![i, Along, take, j, RwUnlock(l)]);
    let ends =
        (lock(), one(), one()).prop_map(|((l, take), i, j)| vec![take, i, Along, RwUnlock(l), Along, j]);
    let attempt = (tries(), one())
        .prop_map(|((take, r, give), i)| vec![take, JumpIf(is(r, Is::Equal, 0), END), Along, i, Along, give]);
    let late = (one(), tries(), one()).prop_map(|(i, (take, r, give), j)| {
        vec![i, Along, take, JumpIf(is(r, Is::Equal, 0), END), Along, j, Along, give]
    });
    let piece = prop_oneof![
        4 => whole, 4 => inner, 2 => nested, 3 => twice, 3 => begins, 3 => ends, 3 => attempt, 4 => late,
        3 => shared(), 2 => atomic(), 1 => plain(), 1 => monitor(), 1 => other()
    ];
    let threads = prop_oneof![4 => Just(2usize), 5 => Just(3), 1 => Just(4)].boxed();
    of(piece.boxed(), threads, [0, 0, 7, 5, 3])
}

/// One in which some steps come to have several operations by what others did.
pub fn seldom() -> impl Strategy<Value = Program> {
    use Instr::{Along, JumpIf, TryLock, Unlock};
    let one = || {
        atomic()
            .prop_filter("one operation", |piece| piece.len() == 1 && piece[0].is_atomic())
            .prop_map(|p| p[0])
    };
    let looks = (one(), data(), 0..3u64, one())
        .prop_map(|(i, r, x, j)| vec![i, JumpIf(is(r, Is::Equal, x), END), Along, j]);
    let tries = (0..2u32, data(), one()).prop_map(|(m, r, i)| {
        vec![TryLock(m, r), JumpIf(is(r, Is::Equal, 0), END), Along, i, Along, Unlock(m)]
    });
    let piece =
        prop_oneof![4 => looks, 4 => tries, 3 => atomic(), 4 => monitor(), 1 => plain(), 3 => other()];
    let threads = prop_oneof![3 => Just(2usize), 6 => Just(3), 1 => Just(4)].boxed();
    of(piece.boxed(), threads, [0, 2, 8, 4, 2])
}

/// One with locks of many, barriers, and locks with a time limit.
pub fn sharing() -> impl Strategy<Value = Program> {
    let piece =
        prop_oneof![10 => shared(), 2 => atomic(), 2 => plain(), 2 => monitor(), 1 => other()].boxed();
    let threads = prop_oneof![4 => Just(2usize), 5 => Just(3), 1 => Just(4)].boxed();
    of(piece, threads, [0, 0, 6, 5, 3])
}

/// One with read-write locks that readers take more than once, and may keep.
pub fn keeping() -> impl Strategy<Value = Program> {
    use Instr::{ReadLock, RwUnlock, WriteLock};
    let l = || 0..2u32;
    let piece = prop_oneof![
        4 => l().prop_map(|l| vec![ReadLock(l)]),
        3 => l().prop_map(|l| vec![ReadLock(l), ReadLock(l), RwUnlock(l)]),
        3 => (l(), atomic()).prop_map(|(l, i)| [vec![ReadLock(l)], i, vec![RwUnlock(l)]].concat()),
        6 => (l(), atomic()).prop_map(|(l, i)| [vec![WriteLock(l)], i, vec![RwUnlock(l)]].concat()),
        3 => atomic(),
        1 => l().prop_map(|l| vec![RwUnlock(l)]),
    ];
    let threads = prop_oneof![1 => Just(2usize), 6 => Just(3), 3 => Just(4)].boxed();
    of(piece.boxed(), threads, [0, 2, 6, 3, 2])
}

/// One with locks that are poisoned.
pub fn poisoning() -> impl Strategy<Value = Program> {
    let piece =
        prop_oneof![12 => poisoned(), 2 => shared(), 1 => atomic(), 1 => plain(), 3 => monitor()].boxed();
    let threads = prop_oneof![4 => Just(2usize), 5 => Just(3), 1 => Just(4)].boxed();
    of(piece, threads, [0, 0, 6, 5, 3])
}

/// One in which threads block until variables are set.
pub fn awaiting() -> impl Strategy<Value = Program> {
    let piece = prop_oneof![12 => latch(), 2 => atomic(), 1 => plain(), 2 => monitor(), 1 => other()].boxed();
    let threads = prop_oneof![3 => Just(2usize), 5 => Just(3), 2 => Just(4)].boxed();
    of(piece, threads, [0, 0, 8, 6, 4])
}

/// A small one in which three threads do the same beside one that does something else, which may be started before, between
/// or behind them.
pub fn alike() -> impl Strategy<Value = Program> {
    let piece =
        || prop_oneof![8 => atomic(), 2 => plain(), 4 => monitor(), 2 => shared(), 1 => other()].boxed();
    let body = || prop::collection::vec(piece(), 1..3);
    let merged = prop::collection::vec(prop::bool::weighted(0.8), 5);
    (body(), body(), prop::collection::vec(piece(), 0..2), 0..4usize, any::<bool>(), merged).prop_map(
        |(many, odd, main, place, joins, merged)| {
            let child = |i: usize| vec![Instr::Spawn(if i == place { 2 } else { 1 }, 3 + i as u8)];
            let join = |i: u8| vec![Instr::Join(Reg(3 + i))];
            let mut first: Vec<Piece> = (0..4).map(child).collect();
            first.extend(main);
            first.extend((0..4).filter(|_| joins).map(join));
            let mut bodies = vec![first, many, odd];
            for piece in bodies.iter_mut().flatten() {
                piece.iter_mut().for_each(|i| merge(i, &merged));
            }
            Program { bodies: bodies.into_iter().map(flat).collect(), semaphores: vec![1, 1] }
        },
    )
}

/// One in which two threads or three create threads at the same time, and perhaps one of their children another: numbers of
/// threads hang on who comes first. A parent works with its children by their handles, and may give one to everybody else.
pub fn nesting() -> impl Strategy<Value = Program> {
    let work = prop_oneof![8 => atomic(), 1 => plain(), 3 => monitor(), 2 => other()].boxed();
    let piece = |handle: u8| {
        let shares = vec![Instr::Store(HANDLES, Reg(handle), Order::SeqCst)];
        prop_oneof![
            8 => work.clone(),
            3 => Just(vec![Instr::Join(Reg(handle))]),
            3 => Just(vec![Instr::Unpark(Reg(handle))]),
            1 => Just(shares),
        ]
    };
    let shared = |does: fn(Value) -> Instr| {
        let none = Condition(Reg(GIVEN), Is::Equal, Const(0));
        vec![Instr::Load(HANDLES, GIVEN, Order::SeqCst), Instr::JumpIf(none, END), does(Reg(GIVEN))]
    };
    let leaf = prop_oneof![
        6 => work.clone(),
        1 => Just(vec![Instr::Park]),
        2 => data().prop_map(|r| vec![Instr::ParkTimeout(r)]),
        1 => Just(shared(Instr::Unpark)),
        1 => Just(shared(Instr::Join)),
    ];
    let before = prop::option::weighted(0.3, work.clone());
    let parent = (before, prop::collection::vec(piece(3), 0..2), prop::option::weighted(0.15, Just(())));
    let count = prop_oneof![5 => Just(2usize), 1 => Just(3)];
    (
        count.prop_flat_map(move |n| prop::collection::vec(parent.clone(), n)),
        prop::collection::vec(prop::collection::vec(leaf, 0..2), 4),
        prop::collection::vec(piece(4), 0..2),
        0..3usize,
        prop::collection::vec(0..2u64, 2),
        prop::collection::vec(prop::bool::weighted(0.9), 5),
    )
        .prop_map(|(parents, leaves, main, late, semaphores, merged)| {
            let n = parents.len();
            let spawn = |body: usize, register: usize| vec![Instr::Spawn(body, register as u8)];
            // T0 creates the parents, and perhaps one more thread when these have begun.
            let mut first: Vec<Piece> = (0..n).map(|i| spawn(1 + i, 3 + i)).collect();
            let place = n + late.min(main.len());
            first.extend(main);
            if late > 0 {
                first.insert(place, spawn(n + 4, 3 + n));
            }
            let child = |(i, (before, after, again)): (usize, Parent)| {
                let births = [Some(spawn(n + 1 + i, 3)), again.map(|()| spawn(n + 4, 4))];
                before.into_iter().chain(births.into_iter().flatten()).chain(after).collect::<Vec<Piece>>()
            };
            let mut bodies = vec![first];
            bodies.extend(parents.into_iter().enumerate().map(child));
            bodies.extend(leaves);
            bodies.resize(n + 5, Vec::new());
            for piece in bodies.iter_mut().flatten() {
                piece.iter_mut().for_each(|i| merge(i, &merged));
            }
            Program { bodies: bodies.into_iter().map(flat).collect(), semaphores }
        })
}

/// What a thread does before it creates others and behind that, and whether these are two.
type Parent = (Option<Piece>, Vec<Piece>, Option<()>);

/// Where handles are shared, and where a thread keeps one that it was given.
const HANDLES: u32 = 7;
const GIVEN: u8 = 7;

/// One in which threads end the process, well or not, while others are left.
pub fn ending() -> impl Strategy<Value = Program> {
    let ends = prop_oneof![2 => Just(vec![Instr::End(0)]), 1 => Just(vec![Instr::End(1)])];
    let looks = (variable(), data(), 0..3u64)
        .prop_map(|(v, r, x)| vec![Instr::Load(v, r, Order::SeqCst), Instr::Assert(is(r, Is::NotEqual, x))]);
    let unless = (variable(), data(), 0..2u8).prop_map(|(v, r, status)| {
        vec![Instr::Load(v, r, Order::SeqCst), Instr::JumpIf(is(r, Is::NotEqual, 0), END), Instr::End(status)]
    });
    let piece = prop_oneof![3 => ends, 3 => looks, 2 => unless, 6 => atomic(), 1 => plain(), 3 => monitor(), 2 => other()];
    let threads = prop_oneof![3 => Just(2usize), 5 => Just(3), 1 => Just(4)].boxed();
    of(piece.boxed(), threads, [0, 0, 7, 5, 3])
}

/// A smaller one in which threads assume what others may falsify, and fail in other ways beside that.
pub fn assuming() -> impl Strategy<Value = Program> {
    let looks = |instr: fn(Condition) -> Instr| {
        (variable(), data(), 1..3u64)
            .prop_map(move |(v, r, x)| vec![Instr::Load(v, r, Order::SeqCst), instr(is(r, Is::NotEqual, x))])
    };
    let sets = (variable(), 1..3u64).prop_map(|(v, x)| vec![Instr::Store(v, Const(x), Order::SeqCst)]);
    let (assumes, asserts) = (looks(Instr::Assume), looks(Instr::Assert));
    let piece =
        prop_oneof![6 => assumes, 2 => asserts, 9 => sets, 1 => atomic(), 1 => plain(), 2 => monitor()];
    let threads = prop_oneof![3 => Just(2usize), 1 => Just(3)].boxed();
    of(piece.boxed(), threads, [0, 0, 7, 5, 2]).prop_filter(
        "a thread assumes, and another one stores",
        |program| {
            let assumes = |i: &Instr| matches!(i, Instr::Assume(_));
            let stores = |i: &Instr| matches!(i, Instr::Store(..));
            let bodies = || program.bodies.iter().enumerate();
            let meets = |a| bodies().any(|(b, body)| b != a && body.iter().any(stores));
            bodies().any(|(a, body)| body.iter().any(assumes) && meets(a))
        },
    )
}

/// A smaller one in which threads look at what others write in no order.
pub fn racing() -> impl Strategy<Value = Program> {
    let looks = (2..4u32, data(), 0..3u64)
        .prop_map(|(v, r, x)| vec![Instr::Read(v, r), Instr::Assert(is(r, Is::NotEqual, x))]);
    // Only as long as a variable is not set.
    let unless = (variable(), data(), 2..4u32, 0..3u64).prop_map(|(v, r, w, x)| {
        vec![
            Instr::Load(v, r, Order::SeqCst),
            Instr::JumpIf(is(r, Is::NotEqual, 0), END),
            Instr::Write(w, Const(x)),
        ]
    });
    let piece = prop_oneof![2 => atomic(), 5 => plain(), 6 => looks, 3 => unless, 1 => monitor()].boxed();
    of(piece, prop_oneof![3 => Just(2usize), 1 => Just(3)].boxed(), [0, 0, 4, 2, 2])
}

/// Programs of such pieces, with so many threads and fewer pieces a thread than this by their number.
fn of(
    piece: BoxedStrategy<Piece>,
    threads: BoxedStrategy<usize>,
    most: [usize; 5],
) -> impl Strategy<Value = Program> {
    threads
        .prop_flat_map(move |n| {
            let body = prop::collection::vec(piece.clone(), 1..most[n]);
            let branch = (
                prop_oneof![3 => Just(0), 2 => 0..n],
                prop_oneof![3 => Just(0), 2 => 0..3usize],
                prop::option::weighted(0.5, prop_oneof![1 => 0..3usize, 2 => Just(9)]),
            );
            (
                prop::collection::vec(body, n),
                prop::collection::vec(branch, n - 1),
                prop::collection::vec(0..3u64, 2),
                prop::collection::vec(prop::bool::weighted(0.8), 5),
            )
        })
        .prop_map(|(bodies, branches, semaphores, merged)| {
            Draw { bodies, branches, semaphores, merged }.build()
        })
}

impl Draw {
    fn build(self) -> Program {
        let mut bodies: Vec<Vec<Piece>> = self.bodies;
        for piece in bodies.iter_mut().flatten() {
            piece.iter_mut().for_each(|i| merge(i, &self.merged));
        }
        // Before which piece of whom something is put in: spawns first, in the order of the children.
        let mut put: Vec<(usize, usize, bool, Instr)> = Vec::new();
        let mut children = vec![0; bodies.len()];
        for (i, (parent, at, join)) in self.branches.into_iter().enumerate() {
            let (child, parent) = (i + 1, parent.min(i));
            let at = at.min(bodies[parent].len());
            let register = 3 + children[parent];
            children[parent] += 1;
            put.push((parent, at, false, Instr::Spawn(child, register)));
            if let Some(later) = join {
                let at = (at + later).min(bodies[parent].len());
                put.push((parent, at, true, Instr::Join(Reg(register))));
            }
        }
        put.sort_by_key(|(parent, at, joins, _)| (*parent, *at, *joins));
        for (parent, at, _, instr) in put.into_iter().rev() {
            bodies[parent].insert(at, vec![instr]);
        }
        Program { bodies: bodies.into_iter().map(flat).collect(), semaphores: self.semaphores }
    }
}

/// Uses the first object of a kind in the place of the second.
fn merge(instr: &mut Instr, merged: &[bool]) {
    use Instr::*;
    let to = |n: &mut u32, kind: usize| *n &= !u32::from(merged[kind]);
    match instr {
        Wait(c, m) | WaitTimeout(c, m, _) => {
            to(c, 1);
            to(m, 0);
        }
        Lock(m) | TryLock(m, _) | LockTimeout(m, _) | Unlock(m) => to(m, 0),
        ReadLock(l) | WriteLock(l) | RwUnlock(l) | Barrier(l, ..) => to(l, 2),
        TryReadLock(l, _) | TryWriteLock(l, _) | ReadLockTimeout(l, _) | WriteLockTimeout(l, _) => to(l, 2),
        NotifyOne(c) | NotifyAll(c) => to(c, 1),
        Poison(lock) | ClearPoison(lock) | AsksPoison(lock, _) | ToldPoison(lock, _) => match lock {
            Guarded::Mutex(m) => to(m, 0),
            Guarded::RwLock(l) => to(l, 2),
        },
        SemWait(s) | SemTryWait(s, _) | SemWaitTimeout(s, _) | SemPost(s) => to(s, 2),
        Load(HANDLES, ..) | Store(HANDLES, ..) => {}
        Load(v, ..) | Await(v, ..) | Store(v, ..) | FetchAdd(v, ..) | CompareExchange(v, ..) => to(v, 3),
        Read(v, _) | Write(v, _) | Free(v) => to(v, 4),
        _ => {}
    }
}

/// One piece after the other, with their jumps at their places.
fn flat(pieces: Vec<Piece>) -> Vec<Instr> {
    let mut body = Vec::new();
    for piece in pieces {
        let (start, end) = (body.len(), body.len() + piece.len());
        body.extend(piece.into_iter().map(|instr| match instr {
            Instr::JumpIf(c, END) => Instr::JumpIf(c, end),
            Instr::JumpIf(c, to) => Instr::JumpIf(c, start + to),
            other => other,
        }));
    }
    body
}
