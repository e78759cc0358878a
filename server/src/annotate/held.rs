//! Which locks threads hold, and how often they have come to a place.

use super::annotated_trace::{AnnotatedOp, AnnotatedTrace, Call};
use crate::symbols::Symbols;
use raddle_schedule::memory::Meaning;
use raddle_schedule::{OpKind, Trace};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Notes both with each operation.
pub fn note(scene: &mut AnnotatedTrace, trace: &Trace, symbols: &Symbols) {
    note_times(scene, trace, symbols);
    let (mut held, mut shared) = (BTreeMap::new(), BTreeMap::<u8, Rc<[String]>>::new());
    for e in &mut scene.events {
        let holding = shared.entry(e.thread).or_default();
        e.holding = holding.clone();
        track(&mut held, e);
        let now: &Vec<String> = held.entry(e.thread).or_default();
        if now[..] != holding[..] {
            *holding = now.as_slice().into();
        }
    }
}

/// Counts how often a thread has come to a place. All code of a macro has one place, and an unrolled loop has several instructions
/// for one: where the places and the instructions (of the operation and of the calls that led to it) do not agree,
/// nothing is said. How the runtime was gone through is no matter: it does more from the second time on in a loop.
fn note_times(scene: &mut AnnotatedTrace, trace: &Trace, symbols: &Symbols) {
    let stacks: BTreeMap<u32, &[u64]> = trace.stacks.iter().map(|s| (s.event, &s.frames[..])).collect();
    let mut by_place: BTreeMap<(u8, OpKind, Rc<[Call]>), u32> = BTreeMap::new();
    let mut by_code: BTreeMap<(u8, OpKind, u32, Vec<u64>), u32> = BTreeMap::new();
    let mut of_runtime = BTreeMap::new();
    let mut is_own = |code: &u64| !*of_runtime.entry(*code).or_insert_with(|| symbols.is_runtime(*code));
    let steps = scene.events.iter_mut().filter(|e| e.step.is_some() && !e.calls.is_empty());
    for e in steps {
        let stack = stacks.get(&(e.index as u32)).copied().unwrap_or_default();
        let place = by_place.entry((e.thread, e.kind, e.calls.clone())).or_default();
        let own = stack.iter().copied().filter(&mut is_own).collect();
        let code = by_code.entry((e.thread, e.kind, trace.events[e.index].site, own)).or_default();
        (*place, *code) = (*place + 1, *code + 1);
        e.time = if *place == *code { *place } else { 0 };
    }
}

/// The locks that a thread holds before the event at this place.
pub fn held_before(scene: &AnnotatedTrace, at: usize, thread: u8) -> Vec<String> {
    let mut held = BTreeMap::new();
    scene.events[..at].iter().for_each(|e| track(&mut held, e));
    held.remove(&thread).unwrap_or_default()
}

/// Keeps the set of locks that each thread holds.
pub fn track(held: &mut BTreeMap<u8, Vec<String>>, e: &AnnotatedOp) {
    let locks = held.entry(e.thread).or_default();
    match e.told.meaning {
        Some(Meaning::ReadLocks | Meaning::WriteLocks) => return locks.push(e.object.clone()),
        Some(Meaning::ReadUnlocks | Meaning::WriteUnlocks) => return remove(locks, &e.object),
        _ => {}
    }
    match e.kind {
        OpKind::Lock
        | OpKind::TryLock
        | OpKind::ReadLock
        | OpKind::WriteLock
        | OpKind::TryReadLock
        | OpKind::TryWriteLock
            if !e.failed =>
        {
            locks.push(e.object.clone());
        }
        OpKind::Unlock | OpKind::ReadUnlock | OpKind::WriteUnlock => remove(locks, &e.object),
        OpKind::CondEnqueue => remove(locks, &e.other),
        OpKind::CondWake | OpKind::Timeout if !e.other.is_empty() => locks.push(e.other.clone()),
        _ => {}
    }
}

fn remove(locks: &mut Vec<String>, name: &str) {
    if let Some(at) = locks.iter().rposition(|l| l == name) {
        locks.remove(at);
    }
}
