//! The arrangement of executions, and the places it gives.

use super::*;
use raddle_protocol::interleaving::{Lane, Preempted};

/// An execution from words: `T1 lock a` is a step, `T1 ! lock a` one right after a preemption,
/// `T1 . read x` no step; `waits T0` at its end lists who waits.
pub fn execution(lines: &[&str]) -> Interleaving {
    let mut i = Interleaving::default();
    let mut number = 0;
    for (event, line) in lines.iter().enumerate() {
        let (line, waiting) = line.split_once(" waits ").unwrap_or((line, ""));
        let mut words: Vec<&str> = line.split(' ').collect();
        let thread = |word: &str| word[1..].parse::<u32>().unwrap();
        let mut step = Step { event: event as u32, thread: thread(words.remove(0)), ..Step::default() };
        let preempted = words[0] == "!";
        step.step = (words[0] != ".").then_some(event as u32);
        if matches!(words[0], "!" | ".") {
            words.remove(0);
        }
        if preempted {
            number += 1;
            let thread = i.events.last().map_or(0, |e| e.thread);
            step.preemption = Some(Preempted { number, thread, ..Preempted::default() });
        }
        (step.operation, step.object) = (words[0].to_string(), words.get(1).unwrap_or(&"").to_string());
        step.matters = step.object.len() == 1;
        step.waiting = waiting.split_terminator(' ').map(thread).collect();
        i.events.push(step);
    }
    let last = i.events.iter().map(|e| e.thread).max().unwrap_or_default();
    i.threads = (0..=last).map(|thread| Lane { thread, ..Lane::default() }).collect();
    i
}

fn lost_update() -> Interleaving {
    execution(&[
        "T0 spawn T1",
        "T0 spawn T2",
        "T0 . read m",
        "T2 start T2 waits T0",
        "T2 load c waits T0",
        "T1 ! start T1 waits T0",
        "T1 load c waits T0",
        "T1 store c waits T0",
        "T1 exit T1 waits T0",
        "T0 join T1",
        "T0 . read m",
        "T2 store c waits T0",
        "T2 exit T2 waits T0",
        "T0 join T2",
        "T0 load c",
    ])
}

#[test]
fn runs_between_switches_are_blocks() {
    let lanes = Lanes::of(&lost_update());
    let blocks: Vec<(usize, Range<u32>)> = lanes.blocks.iter().map(|b| (b.lane, b.rows.clone())).collect();
    assert_eq!(blocks, [(0, 0..3), (2, 3..5), (1, 5..9), (0, 9..11), (2, 11..13), (0, 13..15)]);
    assert_eq!(lanes.lives, [0..15, 5..9, 3..13]);
    assert_eq!(lanes.by_lane[2], [3, 4, 11, 12]);
}

#[test]
fn waits_last_until_the_thread_runs_and_operations_that_are_no_steps_do_not_end_them() {
    let lanes = Lanes::of(&lost_update());
    assert_eq!(lanes.waits[0], [3..9, 11..13]);
    assert!(lanes.waits[1].is_empty(), "a thread that could run is preempted, it does not wait");
    let inner = Lanes::of(&execution(&["T0 a b", "T1 a b waits T0", "T1 . read m", "T1 a b waits T0"]));
    assert_eq!(inner.waits[0], vec![Range { start: 1, end: 4 }]);
}

#[test]
fn preemptions_have_their_lanes_and_decide() {
    let lanes = Lanes::of(&lost_update());
    let switch = Switch { number: 1, from: 2, to: 1, row: 5, holding: Vec::new() };
    assert_eq!(lanes.switches, [switch]);
    let outlined: Vec<usize> = (0..15).filter(|&row| lanes.deciding[row]).collect();
    // The stale load, the store that it misses, and the store that overwrites that one.
    assert_eq!(outlined, [4, 7, 11]);
}

#[test]
fn the_way_to_the_next_preemption() {
    let i = execution(&["T0 a x", "T1 ! a x", "T0 ! a x", "T0 a x", "T1 ! a x"]);
    let lanes = Lanes::of(&i);
    assert_eq!(lanes.preemption_from(0, true), Some(1));
    assert_eq!(lanes.preemption_from(2, true), Some(4));
    assert_eq!(lanes.preemption_from(4, true), None);
    assert_eq!(lanes.preemption_from(4, false), Some(2));
    assert_eq!(lanes.preemption_from(1, false), None);
}

#[test]
fn failures_end_in_their_thread_and_deadlocks_in_every_stuck_one() {
    let mut i = execution(&["T0 lock a", "T1 lock b", "T1 store c"]);
    i.pending = vec![pending(0, "locks b"), pending(1, "locks a")];
    (i.outcome, i.message) = ("assertion".to_string(), "c is wrong".to_string());
    let ends = |i: &Interleaving| -> Vec<(usize, String)> {
        Lanes::of(i).ends.into_iter().map(|e| (e.lane, e.text)).collect()
    };
    assert_eq!(ends(&i), [(1, "c is wrong".to_string())]);
    i.outcome = "deadlock".to_string();
    assert_eq!(ends(&i), [(0, "locks b".to_string()), (1, "locks a".to_string())]);
    assert_eq!(Lanes::of(&i).rows(), 4, "they are stuck at one instant, hence in one row");
    i.outcome = "passed".to_string();
    assert!(ends(&i).is_empty());
}

fn pending(thread: u32, text: &str) -> Pending {
    Pending { thread, text: text.to_string(), location: None }
}

#[test]
fn threads_need_not_be_numbered_without_gaps() {
    let mut i = execution(&["T0 a x", "T5 a x"]);
    i.threads = [0, 5].map(|thread| Lane { thread, ..Lane::default() }).to_vec();
    let lanes = Lanes::of(&i);
    assert_eq!(lanes.blocks[1], Block { lane: 1, rows: 1..2 });
    assert_eq!(lanes.lane(3), None);
}

#[test]
fn twenty_thousand_events_are_arranged_in_one_pass() {
    let lines: Vec<String> = (0..20_000).map(|i| format!("T{} store x", i / 7 % 8)).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let lanes = Lanes::of(&execution(&lines));
    assert_eq!((lanes.rows(), lanes.blocks.len()), (20_000, 20_000_usize.div_ceil(7)));
    assert_eq!(lanes.next_of(7, 19_000), lanes.by_lane[7].iter().copied().find(|&e| e >= 19_000));
}
