//! Data races by definition: conflicting accesses of which no synchronisation orders one before
//! the other. Unlike what may not be swapped, this honours memory orderings (rule 4).

use super::act::{Act, Did};
use std::collections::BTreeSet;

/// The variables with a race in this history.
pub fn races(history: &[Did]) -> BTreeSet<u32> {
    let plain = |d: &Did| matches!(d.act, Act::Read(_) | Act::Write(_) | Act::Free(_));
    if !history.iter().any(plain) {
        return BTreeSet::new();
    }
    // before[j]: a bit for each that happens before j. Histories are short.
    assert!(history.len() <= 128);
    let mut before: Vec<u128> = Vec::new();
    let mut races = BTreeSet::new();
    for (j, e) in history.iter().enumerate() {
        let mut mask = 0u128;
        for (i, d) in history[..j].iter().enumerate() {
            if synchronises(history, i, d, e) {
                mask |= before[i] | 1 << i;
            }
        }
        for load in acquiring(history, j) {
            publishers(history, load).for_each(|i| mask |= before[i] | 1 << i);
        }
        for (i, d) in history[..j].iter().enumerate() {
            if let (Some((v, a)), Some((w, b))) = (access(d), access(e))
                && v == w
                && (a || b)
                && (plain(d) || plain(e))
                && d.who != e.who
                && mask >> i & 1 == 0
            {
                races.insert(v);
            }
        }
        before.push(mask);
    }
    races
}

/// The variable of an access, and whether it writes.
fn access(d: &Did) -> Option<(u32, bool)> {
    match d.act {
        Act::Load(v) | Act::Read(v) | Act::Rmw(v, false) => Some((v, false)),
        Act::Store(v) | Act::Write(v) | Act::Free(v) | Act::Rmw(v, true) => Some((v, true)),
        _ => None,
    }
}

/// Program order, spawn, join, and what one side releases and the other takes.
fn synchronises(_: &[Did], _: usize, d: &Did, e: &Did) -> bool {
    use Act::*;
    d.who == e.who
        || d.act == Spawn(e.who)
        || e.act == Join(d.who)
        || match (d.act, e.act) {
            (Unlock(m) | Enqueue(_, m), Lock(n) | TryLock(n, true) | Wake(_, n)) => m == n,
            // What a reader gives back is for writers.
            (RwUnlock(l, true), RwLock(k, _) | TryRwLock(k, _, true)) => l == k,
            (RwUnlock(l, false), RwLock(k, true) | TryRwLock(k, true, true)) => l == k,
            // The last lets the others of its round go, and knows what they did before.
            (Arrive(a, true), Leave(b)) => a == b && d.woke.contains(&Some(e.who)),
            (Arrive(a, false), Arrive(b, true)) => a == b && e.woke.contains(&Some(d.who)),
            (SemPost(s), SemWait(r) | SemTryWait(r, true)) => s == r,
            (Unpark(t), Park(u)) => t == u,
            _ => false,
        }
}

/// The loads through which event j takes over what stores publish: itself if it acquires, or for
/// an acquire fence the loads of its thread before it.
fn acquiring(history: &[Did], j: usize) -> Vec<usize> {
    let reads = |k: usize| matches!(history[k].act, Act::Load(_) | Act::Rmw(..));
    let e = &history[j];
    match e.act {
        _ if !e.order.acquires() => vec![],
        Act::Fence => (0..j).filter(|k| reads(*k) && history[*k].who == e.who).collect(),
        _ if reads(j) => vec![j],
        _ => vec![],
    }
}

/// What the store that a load reads from publishes: its release sequence, back over
/// read-modify-writes, with the release fences before each of its stores.
fn publishers(history: &[Did], load: usize) -> impl Iterator<Item = usize> {
    let object = access(&history[load]).map(|a| a.0);
    let stores = |i: &usize| {
        let atomic = matches!(history[*i].act, Act::Store(_) | Act::Rmw(_, true));
        atomic && access(&history[*i]).map(|a| a.0) == object
    };
    let mut found = Vec::new();
    let mut from = (0..load).rev().find(stores);
    while let Some(w) = from {
        if history[w].order.releases() {
            found.push(w);
        }
        let fence = |f: &usize| {
            let f = &history[*f];
            f.who == history[w].who && f.act == Act::Fence && f.order.releases()
        };
        found.extend((0..w).filter(fence));
        if matches!(history[w].act, Act::Store(_)) {
            break;
        }
        from = (0..w).rev().find(stores);
    }
    found.into_iter()
}
