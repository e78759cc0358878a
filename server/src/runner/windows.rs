//! Which plain accesses of a long execution a report tells in detail: those around switches between threads, those
//! at the end of each thread and of the whole, and those that the failure is about.

use raddle_schedule::windows::Windows;
use raddle_schedule::{Choice, MAX_THREADS, Schedule, Trace};
use std::collections::BTreeSet;

/// Events at the end of the execution.
const LAST: u32 = 2_000;
/// The last events of each thread, and of how many threads at most.
const LAST_OF_THREAD: usize = 256;
const LAST_OF_ALL: usize = 4_096;
/// Events before and behind each place.
const AROUND: u32 = 64;
/// Places at which threads are switched: the first and the last of them.
const SWITCHES: usize = 16;

/// Of an execution, with these events in the middle of further windows.
pub fn of(trace: &Trace, schedule: &Schedule, around: &[u32]) -> Windows {
    let all = trace.events.len() as u32;
    let near = |at: u32| (at.saturating_sub(AROUND), (at + AROUND + 1).min(all));
    let switches = switches(trace, schedule);
    let places = around.iter().chain(&switches).map(|at| near(*at));
    let last = (all.saturating_sub(LAST), u32::MAX);
    Windows::new(places.chain(last_of_threads(trace)).chain([last]).collect())
}

/// The events behind which another thread goes on: those that the schedule asks for, and the first and last of all.
fn switches(trace: &Trace, schedule: &Schedule) -> Vec<u32> {
    let is_thread = |choice: &Choice| matches!(choice, Choice::Thread(_));
    let asked: BTreeSet<u32> =
        schedule.deltas.iter().filter(|d| is_thread(&d.choice)).map(|d| d.step).collect();
    let (mut step, mut last) = (0, None);
    let (mut named, mut others) = (Vec::new(), Vec::new());
    for (at, e) in trace.events.iter().enumerate().filter(|(_, e)| e.is_step()) {
        let is_switch = last.is_some_and(|last| last != e.thread());
        match asked.contains(&step) {
            true => named.push(at as u32),
            false if is_switch => others.push(at as u32),
            false => {}
        }
        (step, last) = (step + 1, Some(e.thread()));
    }
    let ends = |of: &[u32]| -> Vec<u32> {
        let (first, last) = of.split_at(of.len().min(SWITCHES));
        first.iter().chain(last.iter().rev().take(SWITCHES)).copied().collect()
    };
    [ends(&named), ends(&others)].concat()
}

/// The last events of each thread, in pieces.
fn last_of_threads(trace: &Trace) -> Vec<(u32, u32)> {
    let mut left = [LAST_OF_THREAD; MAX_THREADS];
    let mut pieces = Vec::new();
    let mut all = LAST_OF_ALL;
    for (at, e) in trace.events.iter().enumerate().rev() {
        let Some(left) = left.get_mut(usize::from(e.thread())).filter(|left| **left > 0) else { continue };
        (*left, all) = (*left - 1, all - 1);
        pieces.push((at as u32, at as u32 + 1));
        if all == 0 {
            break;
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schedule::{Event, OpKind, flags};

    /// T1 and T2 make a step and then so many plain accesses, again and again.
    fn long(rounds: u32, accesses: u32) -> Trace {
        let mut trace = Trace::default();
        for round in 0..rounds {
            let thread = 1 + (round % 2) as u8;
            let mut step = Event::new(OpKind::Lock, thread, 8);
            step.flags |= flags::STEP;
            trace.events.push(step);
            trace.events.extend((0..accesses).map(|a| Event::new(OpKind::Write, thread, u64::from(a) * 8)));
        }
        trace
    }

    #[test]
    fn the_ends_and_what_is_asked_for_are_in_detail() {
        let trace = long(4, 50_000);
        let windows = of(&trace, &Schedule::default(), &[20_000]);
        let told = |at: u32| windows.cover(at);
        assert!(told(20_000 - AROUND) && told(20_000 + AROUND));
        assert!(!told(20_000 - AROUND - 1) && !told(20_000 + AROUND + 1));
        // The second step is behind 50,001 events.
        assert!(told(50_001) && told(50_001 - AROUND) && !told(50_001 + AROUND + 1));
        let end = trace.events.len() as u32;
        assert!(told(end - 1) && told(end - LAST) && !told(end - LAST - 1));
        // T1 ends where T2 begins for the last time.
        let of_t1 = 3 * 50_001;
        assert!(told(of_t1 - LAST_OF_THREAD as u32) && !told(of_t1 - LAST_OF_THREAD as u32 - 1));
    }

    #[test]
    fn many_switches_are_few_windows() {
        let trace = long(10_000, 300);
        let windows = of(&trace, &Schedule::default(), &[]);
        let told = (0..trace.events.len() as u32).filter(|at| windows.cover(*at)).count();
        let most = LAST as usize + LAST_OF_ALL + 2 * SWITCHES * (2 * AROUND as usize + 1);
        assert!(told <= most, "{told}");
    }

    #[test]
    fn the_steps_of_the_schedule_come_before_other_switches() {
        let trace = long(1_000, 300);
        let schedule: Schedule = "sync@500:T2".parse().unwrap();
        assert!(of(&trace, &schedule, &[]).cover(500 * 301));
        assert!(!of(&trace, &Schedule::default(), &[]).cover(500 * 301));
    }
}
