//! The normal form of an execution's partial order, by definition: steps that are independent may be
//! swapped, and of all orders that this leads to it is the least. Equal for two executions, or two
//! beginnings of executions, exactly if they are equivalent.

use raddle_schedule::op::dependent;
use raddle_schedule::{Choice, Event, OpKind, Trace};
use std::collections::BTreeSet;

/// A step as the normal form shows it: the thread's name, its kind, the choice made there.
pub type Label = (Vec<u32>, u8, Option<(u32, Vec<u32>)>);

/// Names of threads: the numbers of the spawns that lead to them.
fn thread_names(trace: &Trace) -> Vec<Vec<u32>> {
    let mut names: Vec<Vec<u32>> = vec![vec![]; 64];
    let mut children = [0; 64];
    for e in trace.events.iter().filter(|e| e.kind() == OpKind::Spawn) {
        let t = e.thread() as usize;
        let mut name = names[t].clone();
        name.push(children[t]);
        children[t] += 1;
        names[e.value as usize] = name;
    }
    names
}

/// The notify that let this wake be, if one did.
fn notify_of(steps: &[Event], wake: usize) -> Option<usize> {
    let thread = steps[wake].thread();
    let since = steps[..wake].iter().rposition(|e| e.thread() == thread)?;
    let wakes = |e: &Event| {
        matches!(e.kind(), OpKind::NotifyOne | OpKind::NotifyAll | OpKind::FutexWake | OpKind::Barrier)
    };
    let of = |i: &usize| wakes(&steps[*i]) && steps[*i].value >> thread & 1 != 0;
    (since..wake).find(of)
}

/// The least linearisation of the execution's partial order: the same for all executions of a
/// class, different for different ones.
pub fn normal_form(trace: &Trace) -> Vec<Label> {
    let names = thread_names(trace);
    let mut steps = Vec::new();
    let mut labels: Vec<Label> = Vec::new();
    for e in &trace.events {
        if e.is_step() {
            steps.push(*e);
            labels.push((names[e.thread() as usize].clone(), e.raw_kind(), None));
        } else if e.kind() == OpKind::Choice {
            let choice = match e.chosen().unwrap() {
                Choice::Waiter(w) => (0, names[w as usize].clone()),
                other => (other.encode(), vec![]),
            };
            labels.last_mut().unwrap().2 = Some(choice);
        }
    }
    let n = steps.len();
    let mut before = vec![BTreeSet::new(); n];
    for j in 0..n {
        for i in 0..j {
            let (d, e) = (&steps[i], &steps[j]);
            let ordered = d.thread() == e.thread()
                || dependent(&d.op(), &e.op())
                || (d.kind() == OpKind::Spawn && d.value == u64::from(e.thread()))
                || (e.kind() == OpKind::Join && e.object() == u64::from(d.thread()))
                || (e.kind() == OpKind::CondWake && notify_of(&steps, j) == Some(i));
            if ordered {
                before[j].insert(i);
            }
        }
    }
    let mut placed = BTreeSet::new();
    let mut form = Vec::new();
    while placed.len() < n {
        let free = (0..n).filter(|j| !placed.contains(j) && before[*j].is_subset(&placed));
        let next = free.min_by_key(|j| &labels[*j]).unwrap();
        placed.insert(next);
        form.push(labels[next].clone());
    }
    form
}
