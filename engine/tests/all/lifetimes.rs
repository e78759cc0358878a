//! Blocks whose owners are counted, and objects on stacks: every search finds the same random programs to fail.
//!
//! What there is to find is known in two ways. With every access and every return as points, and no race detector, an
//! execution fails where something is used that has gone, or where two accesses that race are neighbours. And with points at
//! synchronisation each execution is examined by itself. Searches see one of the second kind for each class, in which owners'
//! counts commute; an unordered use has to be found all the same.
//!
//! Some programs as a rule; `RADDLE_PROGRAMS=5000 cargo test -p raddle-engine --release --test all lifetimes` tries as many.

use crate::common::fair::{Enumerated, Found, Told, deadlock, enumerate, explored, searches, told, within};
use crate::common::lifetimes::{loops_beside, owners, stacks, with_points};
use crate::common::many::{compared, each_of};
use proptest::strategy::Strategy;
use raddle_engine::simulated::Program;
use raddle_engine::single_trace::examine;
use raddle_engine::{Bound, Config, Failure, FailureKind, Mutant, Reduce, States, Summary};
use raddle_schedule::{Event, Granularity, Schedule, Trace};
use std::sync::atomic::{AtomicU64, Ordering};

/// Executions of one program, at most: with all points, and with those of synchronisation.
pub type Most = (usize, usize);

pub const MOST: Most = (10_000, 2_000);

#[test]
fn owners_fail_the_same_in_every_search() {
    all_agree(14, owners, 0.4);
}

#[test]
fn objects_on_stacks_fail_the_same_in_every_search() {
    all_agree(15, stacks, 0.3);
}

#[test]
fn loops_beside_what_goes_fail_the_same_in_every_search() {
    all_agree(16, loops_beside, 0.15);
}

/// Of the programs so many at least are compared, and there are some of each kind among them.
fn all_agree<S: Strategy<Value = Program>>(seed: u64, drawn: impl Fn() -> S + Sync, least: f64) {
    let seen = [const { AtomicU64::new(0) }; 3];
    let compares = |program: &Program| {
        let kind = agree(program, None, MOST)?;
        if let Some(kind) = kind {
            seen[kind as usize].fetch_add(1, Ordering::Relaxed);
        }
        Ok(kind.is_some())
    };
    let of = each_of(seed, drawn, compares);
    let seen = seen.map(AtomicU64::into_inner);
    println!("{} pass, {} fail, {} use something in no order", seen[0], seen[1], seen[2]);
    compared(of, least);
    assert!(seen.iter().all(|n| *n > 0), "{seen:?}");
}

/// The failures of a program.
#[derive(Clone, Copy)]
pub enum Shows {
    Nothing,
    /// In some order of the threads' operations.
    Failures,
    /// Something is used in no order.
    Unordered,
}

/// Do all searches agree with what there is? `None` if the program is too large.
pub fn agree(
    program: &Program,
    mutant: Option<Mutant>,
    (with_all, with_few): Most,
) -> Result<Option<Shows>, String> {
    let Some(enumerated) = enumerate(program, (Granularity::Sync, with_few), examined) else {
        return Ok(None);
    };
    // Steps of others between two accesses decide which rounds of a loop repeat each other.
    if !program.has_loops() {
        let all = with_points(program);
        let Some(used) = enumerate(&all, (Granularity::Access, with_all), shown) else { return Ok(None) };
        if used.is_empty() != enumerated.is_empty() {
            return Err(format!("with all points {:?}, examined {:?}", used.first(), enumerated.first()));
        }
    }
    // One in flight where a reduction reads what is explored off the traces: others do the same in another order.
    let reads = |config: &Config| config.reduce != Reduce::None && config.bound == Bound::None;
    for (config, most) in searches().into_iter().filter(|(c, _)| c.in_flight > 1 || reads(c)) {
        let config = Config { mutant, ..config };
        let s = explored(&config, program);
        holds(&s, &enumerated, most, &config).map_err(|e| {
            let Config { reduce, bound, order, in_flight, .. } = &config;
            format!("{reduce} {bound} {order} {in_flight} in flight: {e}")
        })?;
    }
    Ok(Some(match () {
        () if enumerated.is_empty() => Shows::Nothing,
        () if enumerated.iter().any(|(f, _)| is_unordered(f)) => Shows::Unordered,
        () => Shows::Failures,
    }))
}

/// Does a search that has this bound on preemptions find what there is?
fn holds(s: &Summary, enumerated: &Enumerated, most: Option<u32>, config: &Config) -> Result<(), String> {
    let (wanted, got) = (within(enumerated, most.unwrap_or(u32::MAX)), found(s));
    if let Some(more) = got.keys().find(|failure| !enumerated.iter().any(|(f, _)| f == *failure)) {
        return Err(format!("found {more:?}, which is not"));
    }
    if wanted.is_empty() != got.is_empty() {
        return Err(format!("found {got:?}, not {wanted:?}: {}", s.guarantee));
    }
    if got.is_empty() && !s.complete {
        return Err(format!("not complete: {}", s.guarantee));
    }
    // Behind a use in no order nothing is promised.
    if enumerated.iter().any(|(f, _)| is_unordered(f)) {
        return Ok(());
    }
    if !s.complete || !wanted.keys().eq(got.keys()) {
        return Err(format!("found {got:?}, not {wanted:?}: {}", s.guarantee));
    }
    let fewest = config.bound == Bound::Iterative || (most.is_some() && config.reduce == Reduce::None);
    let fewest = fewest && config.states == States::None;
    if wanted.iter().any(|(f, p)| got[f] < *p || fewest && got[f] != *p) {
        return Err(format!("with preemptions {got:?}, not {wanted:?}"));
    }
    Ok(())
}

fn is_unordered(failure: &Told) -> bool {
    matches!(failure.0, "race" | "misuse")
}

/// The failures that an execution shows by itself.
fn examined(trace: &Trace) -> Vec<Told> {
    examine(trace, &Schedule::default()).failures.iter().map(of).collect()
}

fn found(s: &Summary) -> Found {
    let mut found = Found::new();
    for f in &s.failures {
        let fewest = found.entry(of(f)).or_insert(f.preemptions);
        *fewest = (*fewest).min(f.preemptions);
    }
    found
}

/// Which side of an unordered use comes first, and which owner is the last, differs within a class.
fn of(failure: &Failure) -> Told {
    match failure.kind {
        FailureKind::Assertion => ("assertion", failure.site, failure.message.clone()),
        FailureKind::Deadlock => deadlock(),
        FailureKind::DataRace => ("race", 0, String::new()),
        _ => ("misuse", 0, String::new()),
    }
}

/// The result of an execution with all points: how it ended, and accesses that race beside each other.
fn shown(trace: &Trace) -> Vec<Told> {
    let steps: Vec<&Event> = trace.events.iter().filter(|e| e.is_step()).collect();
    let meet = |a: &Event, b: &Event| {
        let end = |e: &Event| e.object() + u64::from(e.size());
        a.object() < end(b) && b.object() < end(a)
    };
    let is_memory = |e: &Event| e.kind().is_data() || e.kind().is_atomic();
    let reads = |e: &Event| {
        use raddle_schedule::OpKind::{AtomicLoad, AtomicRmw, Read};
        matches!(e.kind(), Read | AtomicLoad) || e.kind() == AtomicRmw && e.failed()
    };
    let race = |a: &Event, b: &Event| {
        let memory = is_memory(a) && is_memory(b) && a.thread() != b.thread() && meet(a, b);
        memory && (a.kind().is_data() || b.kind().is_data()) && !(reads(a) && reads(b))
    };
    let races = steps.windows(2).any(|w| race(w[0], w[1]));
    told(trace).into_iter().chain(races.then(|| ("race", 0, String::new()))).collect()
}
