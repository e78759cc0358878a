//! Notifies under reduction: whether one finds somebody in the queue can change when its race is
//! reversed, and it depends on less where it does not.

use crate::common::{config, explore};
use raddle_engine::simulated::{Instr, Instr::*, Program};
use raddle_engine::{Config, Reduce, Summary};
use raddle_schedule::{Granularity, hash};

fn run(program: &Program, reduce: Reduce) -> Summary {
    explore(Config { reduce, granularity: Granularity::Access, ..config() }, program).0
}

/// The optimal search runs as many executions as there are classes, which sleep sets know.
#[track_caller]
fn check(bodies: Vec<Vec<Instr>>) {
    let program = Program::fork_join(bodies);
    let (sleep, optimal) = (run(&program, Reduce::Sleep), run(&program, Reduce::Optimal));
    assert!(sleep.complete && optimal.complete, "{program:?}");
    assert_eq!(optimal.classes, sleep.classes, "{program:?}");
    assert_eq!(Some(optimal.executions), optimal.classes, "{program:?}");
    assert_eq!((optimal.sleep_blocked, optimal.diverged), (0, 0), "{program:?}");
}

fn wait(mutex: u32) -> Vec<Instr> {
    vec![Lock(mutex), Wait(0, mutex), Unlock(mutex)]
}

#[test]
fn a_reversed_notify_may_find_nobody() {
    // T1's second notify finds T2 or T3 waiting; before their waits it would find nobody, and then
    // it commutes with T3's first one, which does not find anybody either.
    let second = [wait(0), vec![NotifyOne(0)]].concat();
    let third = [vec![NotifyAll(0)], wait(1)].concat();
    check(vec![vec![NotifyOne(0), NotifyAll(0)], second, third]);
}

#[test]
fn whatever_the_order_of_waits_and_notifies() {
    let mut state = 5u64;
    let mut below = |n: u64| {
        state = hash::mix(state.wrapping_add(hash::EMPTY), 1);
        (state >> 20) % n
    };
    for _ in 0..150 {
        let mut piece = || match below(5) {
            0 => wait(0),
            1 => wait(1),
            2 => vec![NotifyOne(0)],
            3 => vec![NotifyAll(0)],
            _ => vec![Lock(0), NotifyOne(0), Unlock(0)],
        };
        check(vec![piece(), [piece(), piece()].concat(), piece()]);
    }
}
