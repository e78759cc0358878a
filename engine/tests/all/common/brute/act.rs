//! What a thread did, as the programs' instructions say it, and which two of these may not be
//! swapped: rule 2 of algorithms.md once more, from the text and not from `raddle_schedule::op`.

use raddle_schedule::Order;

/// One thing done. Threads go by their codes: 0 for T0, 8c + n + 1 for child n of thread c.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Act {
    Start,
    Exit,
    Spawn(u64),
    Join(u64),
    Lock(u32),
    /// With what came of it.
    TryLock(u32, bool),
    Unlock(u32),
    /// Condition variable and mutex.
    Enqueue(u32, u32),
    Wake(u32, u32),
    /// One or all, and whether there was anybody.
    Notify(u32, bool, bool),
    /// For writing?
    RwLock(u32, bool),
    /// For writing, and with what came of it.
    TryRwLock(u32, bool, bool),
    RwUnlock(u32, bool),
    /// Is it the last?
    Arrive(u32, bool),
    /// Of a mutex, or else of a read-write lock.
    Poison(bool, u32),
    ClearPoison(bool, u32),
    AsksPoison(bool, u32),
    Leave(u32),
    SemWait(u32),
    SemTryWait(u32, bool),
    SemPost(u32),
    Load(u32),
    Store(u32),
    /// Did it store?
    Rmw(u32, bool),
    Read(u32),
    Write(u32),
    Free(u32),
    Fence,
    Park(u64),
    Unpark(u64),
    Input(u8),
    /// Time-outs, by what was waited for.
    LateNotify(u32),
    LateLock(u32),
    LateRwLock(u32),
    LateSem(u32),
    LatePark(u64),
    /// Yields, sleeps, points.
    Nothing(char),
}

/// A thing done, by whom and where.
#[derive(Clone, Copy, Debug)]
pub struct Did {
    pub who: u64,
    pub act: Act,
    pub site: u32,
    pub order: Order,
    /// Those whom a notify woke.
    pub woke: [Option<u64>; 3],
    /// Not one that was chosen: it came along with the step before it.
    pub inline: bool,
    /// Its past, as one number.
    pub past: u128,
    /// Its part in the pasts of later steps.
    pub adds: u128,
}

/// The objects that an act concerns, as one of nine classes and a number; and how: what is done in
/// the same way commutes, but for `Alone`, which commutes with nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Alone,
    /// Reads, posts, unparks, notifies of nobody: they change nothing for each other.
    Shared,
    /// Attempts that failed, time-outs: they saw that something was not there.
    Seen,
    /// Enters or leaves the queue of a condition variable by itself.
    Queued,
}

fn touches(act: &Act) -> [Option<(u8, u64, How)>; 2] {
    use How::*;
    const MUTEX: u8 = 0;
    const CONDVAR: u8 = 1;
    const SEMAPHORE: u8 = 2;
    const TOKEN: u8 = 3;
    const VARIABLE: u8 = 4;
    const RWLOCK: u8 = 5;
    const BARRIER: u8 = 6;
    const POISON: u8 = 7;
    const RW_POISON: u8 = 8;
    let poison = |is_mutex: bool| if is_mutex { (MUTEX, POISON) } else { (RWLOCK, RW_POISON) };
    let one = |class, n: u64, how| [Some((class, n, how)), None];
    match *act {
        Act::Lock(m) | Act::Unlock(m) | Act::TryLock(m, true) => one(MUTEX, m.into(), Alone),
        Act::TryLock(m, false) | Act::LateLock(m) => one(MUTEX, m.into(), Seen),
        Act::RwLock(l, false) | Act::TryRwLock(l, false, true) | Act::RwUnlock(l, false) => {
            one(RWLOCK, l.into(), Shared)
        }
        Act::RwLock(l, true) | Act::TryRwLock(l, true, true) | Act::RwUnlock(l, true) => {
            one(RWLOCK, l.into(), Alone)
        }
        Act::TryRwLock(l, _, false) | Act::LateRwLock(l) => one(RWLOCK, l.into(), Seen),
        Act::Arrive(b, _) => one(BARRIER, b.into(), Alone),
        Act::Leave(_) => [None, None],
        // Whoever takes the lock reads it.
        Act::ClearPoison(is_mutex, n) => {
            let (lock, poison) = poison(is_mutex);
            [Some((lock, n.into(), Alone)), Some((poison, n.into(), Alone))]
        }
        // By whoever holds the lock.
        Act::Poison(is_mutex, n) => one(poison(is_mutex).1, n.into(), Alone),
        Act::AsksPoison(is_mutex, n) => one(poison(is_mutex).1, n.into(), Shared),
        Act::Enqueue(c, m) => [Some((MUTEX, m.into(), Alone)), Some((CONDVAR, c.into(), Queued))],
        // It left the queue when it was notified, or timed out.
        Act::Wake(_, m) => one(MUTEX, m.into(), Alone),
        Act::LateNotify(c) => one(CONDVAR, c.into(), Queued),
        Act::Notify(c, _, true) => one(CONDVAR, c.into(), Alone),
        Act::Notify(c, _, false) => one(CONDVAR, c.into(), Shared),
        Act::SemWait(s) | Act::SemTryWait(s, true) => one(SEMAPHORE, s.into(), Alone),
        Act::SemTryWait(s, false) | Act::LateSem(s) => one(SEMAPHORE, s.into(), Seen),
        Act::SemPost(s) => one(SEMAPHORE, s.into(), Shared),
        Act::Park(t) => one(TOKEN, t, Alone),
        Act::Unpark(t) => one(TOKEN, t, Shared),
        Act::LatePark(t) => one(TOKEN, t, Seen),
        Act::Load(v) | Act::Read(v) | Act::Rmw(v, false) => one(VARIABLE, v.into(), Shared),
        Act::Store(v) | Act::Write(v) | Act::Free(v) | Act::Rmw(v, true) => one(VARIABLE, v.into(), Alone),
        Act::Start | Act::Exit | Act::Spawn(_) | Act::Join(_) => [None, None],
        Act::Fence | Act::Input(_) | Act::Nothing(_) => [None, None],
    }
}

/// May these two, done by different threads, not be swapped?
fn conflict(a: &Act, b: &Act) -> bool {
    let (a, b) = (touches(a), touches(b));
    a.iter().flatten().any(|(class, n, how)| {
        let clash =
            |(c, m, other): &(u8, u64, How)| class == c && n == m && (*how == How::Alone || how != other);
        b.iter().flatten().any(clash)
    })
}

/// Is the second ordered behind the first by itself?
pub fn ordered(first: &Did, second: &Did) -> bool {
    first.who == second.who
        || conflict(&first.act, &second.act)
        || first.act == Act::Spawn(second.who)
        || (first.act == Act::Exit && second.act == Act::Join(first.who))
        || (first.woke.contains(&Some(second.who)) && matches!(second.act, Act::Wake(..) | Act::Leave(_)))
}

/// A hash of 128 bits.
pub fn digest(value: &impl std::hash::Hash) -> u128 {
    let mut lanes = Lanes(1, 2);
    value.hash(&mut lanes);
    u128::from(lanes.0) << 64 | u128::from(lanes.1)
}

/// Two hashes of 64 bits side by side: each word goes through a full avalanche (the finalisers of murmur3
/// and of splitmix64), which is several times faster here than the standard hasher twice.
struct Lanes(u64, u64);

impl std::hash::Hasher for Lanes {
    fn finish(&self) -> u64 {
        self.0 ^ self.1
    }

    fn write(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            self.write_u64(u64::from_le_bytes(word));
        }
        self.write_u64(bytes.len() as u64);
    }

    fn write_u8(&mut self, n: u8) {
        self.write_u64(n.into());
    }

    fn write_u32(&mut self, n: u32) {
        self.write_u64(n.into());
    }

    fn write_u64(&mut self, n: u64) {
        let avalanche = |mut z: u64, [a, b]: [u64; 2], [i, j, k]: [u32; 3]| {
            z = (z ^ z >> i).wrapping_mul(a);
            z = (z ^ z >> j).wrapping_mul(b);
            z ^ z >> k
        };
        let first = (self.0 ^ n).wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.0 = avalanche(first, [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53], [33, 33, 33]);
        let second = self.1.rotate_left(29).wrapping_add(n).wrapping_mul(0xd6e8_feb8_6659_fd93);
        self.1 = avalanche(second, [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb], [30, 27, 31]);
    }

    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }
}

/// The past of one more step: what it is, and the pasts of all steps that it is ordered behind.
pub fn past(history: &[Did], next: &Did) -> u128 {
    let behind = history.iter().filter(|did| !did.inline && ordered(did, next));
    let before = behind.fold(0u128, |sum, did| sum.wrapping_add(did.adds));
    digest(&(next.who, next.act, next.woke, before))
}

/// The part of a step with this past in the pasts of later steps.
pub fn adds(past: u128) -> u128 {
    digest(&(3, past))
}
