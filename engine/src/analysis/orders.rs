//! What stays in its order when an execution's steps are made in another one: births and ends of
//! threads, who was notified by whom, and every two dependent operations, but for those that take
//! and give back locks.

use super::reorder::{Kept, NONE, Units};
use super::size_of_access;
use raddle_schedule::op::{Op, dependent};
use raddle_schedule::{Event, MAX_THREADS, OpKind, Trace};
use std::collections::HashMap;

/// For each step those of other threads that come right before it.
pub struct Orders {
    before: Vec<Vec<u32>>,
}

impl Orders {
    /// Steps that are made before this one.
    pub fn before(&self, unit: u32) -> &[u32] {
        &self.before[unit as usize]
    }

    /// Orders two steps.
    fn add(&mut self, units: &Units, first: u32, second: u32) {
        if first == NONE || second == NONE || first == second {
            return;
        }
        let thread = |unit: u32| units.all[unit as usize].thread;
        let before = &mut self.before[second as usize];
        if thread(first) != thread(second) && !before.contains(&first) {
            before.push(first);
        }
    }
}

/// What was done at one place of memory, or to one object.
type Done = Vec<(Op, u8, u32)>;

/// Reads an execution's order.
pub fn orders(trace: &Trace, units: &Units, kept: Kept) -> Orders {
    let mut orders = Orders { before: vec![Vec::new(); units.all.len()] };
    let mut born = NONE;
    // By thread: its birth, its end, and the notify that let it go on.
    let (mut birth, mut end, mut notify) = ([NONE; MAX_THREADS], [NONE; MAX_THREADS], [NONE; MAX_THREADS]);
    let mut done: HashMap<u64, Done> = HashMap::new();
    for (event, unit) in trace.events.iter().zip(&units.of) {
        let unit = *unit;
        let own = usize::from(event.thread()) % MAX_THREADS;
        match event.kind() {
            OpKind::Spawn => {
                // Numbers follow the order of births.
                orders.add(units, born, unit);
                born = unit;
                if let Some(birth) = birth.get_mut(event.value as usize) {
                    *birth = unit;
                }
            }
            OpKind::ThreadStart => orders.add(units, birth[own], unit),
            OpKind::Exit => end[own] = unit,
            OpKind::Join => {
                let ended = end.get(event.object() as usize).copied().unwrap_or(NONE);
                orders.add(units, ended, unit);
            }
            OpKind::CondWake => orders.add(units, std::mem::replace(&mut notify[own], NONE), unit),
            OpKind::NotifyOne | OpKind::NotifyAll | OpKind::FutexWake => {
                for woken in crate::points::bits(event.value) {
                    notify[usize::from(woken)] = unit;
                }
            }
            _ => {}
        }
        for key in keys(event, kept) {
            meet(&mut orders, units, done.entry(key).or_default(), event, unit);
        }
    }
    orders
}

/// Tag of memory in the keys.
const MEMORY: u64 = 1 << 63;
/// A block given back is large: so much of it is compared.
const MOST_BYTES: u64 = 4096;

/// Where an operation meets others that depend on it.
fn keys(event: &Event, kept: Kept) -> impl Iterator<Item = u64> {
    use OpKind::*;
    let kind = event.kind();
    let memory = kept == Kept::All && (kind.is_atomic() || kind.is_data() || kind == FutexWait);
    let object = matches!(
        kind,
        SemWait
            | SemTryWait
            | SemPost
            | Park
            | Unpark
            | CondEnqueue
            | NotifyOne
            | NotifyAll
            | Timeout
            | FutexWait
            | FutexWake
            | Barrier
            | ChannelSend
            | ChannelRecv
            | Once
            | DropBegin
            | DropEnd
    );
    let bytes = if memory { size_of_access(event).clamp(1, MOST_BYTES) } else { 0 };
    let (first, last) = (event.object() >> 3, (event.object() + bytes.max(1) - 1) >> 3);
    let granules = (first..=last).filter(move |_| memory).map(|granule| granule | MEMORY);
    granules.chain(object.then_some(event.object()))
}

/// Orders an operation behind those that it depends on.
fn meet(orders: &mut Orders, units: &Units, done: &mut Done, event: &Event, unit: u32) {
    // Whatever it does to a mutex is no order to be kept.
    let op = Op { other: 0, ..event.op() };
    let thread = event.thread();
    for (earlier, by, at) in done.iter() {
        if *by != thread && dependent(earlier, &op) {
            orders.add(units, *at, unit);
        }
    }
    // The last of its like stands for those before it, which are its thread's own.
    done.retain(|(earlier, by, _)| (*by, *earlier) != (thread, op));
    done.push((op, thread, unit));
}
