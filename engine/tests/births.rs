//! Threads that spawn threads at the same time: the children's numbers follow the order of the
//! spawns, and no reduction may take one for the other (algorithms, rule 1).

mod common;

use common::{config, explore};
use raddle_engine::simulated::{Instr::*, Program, Value::Const};
use raddle_engine::{Config, Reduce};
use raddle_schedule::{Granularity, Order::SeqCst};

#[test]
fn reversals_across_births_name_the_right_threads() {
    let (store, load) = (|v| Store(v, Const(1), SeqCst), |v| Load(v, 0, SeqCst));
    let main = vec![Spawn(1, 3), Spawn(2, 4)];
    // The store races with the load of a child of the other thread. Where the load comes first,
    // the storing thread has no child yet, so the other thread's child is T3 and not T4.
    let storing = vec![store(0), Spawn(3, 3)];
    let other = vec![Spawn(4, 3)];
    let program = Program {
        bodies: vec![main, storing, other, vec![load(1)], vec![load(0), store(1)]],
        semaphores: Vec::new(),
    };
    for reduce in [Reduce::Sleep, Reduce::Persistent, Reduce::Source, Reduce::Optimal] {
        let config = Config { reduce, granularity: Granularity::Access, ..config() };
        let (summary, _) = explore(config, &program);
        // Two orders for each of the two variables.
        assert_eq!((summary.classes, summary.diverged), (Some(4), 0), "{reduce:?}");
        assert!(summary.complete && summary.failures.is_empty(), "{reduce:?}");
    }
}
