//! Reductions without rounds in vain (`engine/src/search/rounds.rs`) find what plain enumeration finds, with fewer executions.

use proptest::prelude::*;
use raddle_engine::search::rounds::Anew;
use raddle_engine::simulated::{Condition, Instr, Is, Program, Simulated, Value};
use raddle_engine::{Config, FailureKind, Reduce, Search, Summary, search::Turn};
use raddle_schedule::{Granularity, Order::SeqCst};
use std::collections::BTreeSet;

/// What a search without rounds in vain says; `None` if it is to begin anew in full.
fn leaving_out(bodies: &[Vec<Instr>], reduce: Reduce) -> Option<Summary> {
    explored(bodies, Config { reduce, one_round: true, ..config() })
}

fn config() -> Config {
    Config { keep_going: true, max_steps: 150, executions: Some(5_000), ..Config::default() }
}

fn explored(bodies: &[Vec<Instr>], config: Config) -> Option<Summary> {
    let mut executor = Simulated::new(Program::fork_join(bodies.to_vec()), Granularity::Sync);
    let mut search = Search::new(config).expect("it can be");
    while search.step(&mut executor).expect("it runs") != Turn::Done {
        if let Some(anew) = search.begins_anew() {
            assert_eq!(anew, Anew::Full, "nobody finds loops here");
            return None;
        }
    }
    Some(search.summary())
}

fn in_full(bodies: &[Vec<Instr>], reduce: Reduce) -> Summary {
    explored(bodies, Config { reduce, ..config() }).expect("it has no reason to")
}

/// What a search found, told by kind, and of assertions by thread and place.
fn found(s: &Summary) -> BTreeSet<(FailureKind, u8, String)> {
    let told = |f: &raddle_engine::Failure| match f.kind {
        FailureKind::Assertion => (f.kind, f.thread, f.message.clone()),
        kind => (kind, 0, String::new()),
    };
    s.failures.iter().map(told).collect()
}

fn on(register: u8, is: Is, value: u64) -> Condition {
    Condition(Value::Reg(register), is, Value::Const(value))
}

fn always(to: usize) -> Instr {
    Instr::JumpIf(Condition(Value::Const(0), Is::Equal, Value::Const(0)), to)
}

fn load(variable: u32, register: u8) -> Instr {
    Instr::Load(variable, register, SeqCst)
}

fn store(variable: u32, value: u64) -> Instr {
    Instr::Store(variable, Value::Const(value), SeqCst)
}

/// Jumps count from the beginning of the piece.
fn flat(pieces: impl IntoIterator<Item = Vec<Instr>>) -> Vec<Instr> {
    let mut all: Vec<Instr> = Vec::new();
    for piece in pieces {
        let begin = all.len();
        all.extend(piece.into_iter().map(|instr| match instr {
            Instr::JumpIf(condition, to) => Instr::JumpIf(condition, begin + to),
            instr => instr,
        }));
    }
    all
}

/// Takes a lock of one word by compare-exchange. `clean`: before the first try the thread's state is that before others.
fn take(lock: u32, clean: bool) -> Vec<Instr> {
    let try_it = Instr::CompareExchange(lock, Value::Const(0), Value::Const(1), 0, SeqCst);
    vec![Instr::Set(0, Value::Const(clean.into())), try_it, Instr::JumpIf(on(0, Is::NotEqual, 0), 1)]
}

fn critical(lock: u32, clean: bool, inside: Vec<Instr>) -> Vec<Instr> {
    flat([take(lock, clean), inside, vec![store(lock, 0)]])
}

/// Threads that take a lock of one word come in each order, and each is behind the others once: N!.
#[test]
fn spin_locks_have_a_class_for_each_order() {
    for (threads, classes) in [(2, 2), (3, 6), (4, 24)] {
        let bodies = vec![critical(8, true, vec![Instr::FetchAdd(0, Value::Const(1), 2, SeqCst)]); threads];
        let s = leaving_out(&bodies, Reduce::Optimal).expect("nothing tells");
        assert_eq!((s.classes, s.complete, s.failures.len()), (Some(classes), true, 0), "{s:?}");
    }
}

/// What is awaited is there when it is read, or it is read in vain at one of its values: one execution, and N that are cut off.
#[test]
fn awaited_counts_do_not_multiply() {
    for n in [2, 4, 16] {
        let done = Instr::JumpIf(on(0, Is::Equal, n), 4);
        // What was read in vain is forgotten.
        let waits = vec![load(0, 0), done, Instr::Set(0, Value::Const(0)), always(0)];
        let counts = vec![Instr::FetchAdd(0, Value::Const(1), 2, SeqCst); n as usize];
        let s = leaving_out(&[waits, counts], Reduce::Optimal).expect("nothing tells");
        assert_eq!((s.executions, s.sleep_blocked, s.complete), (1, n, true), "{s:?}");
    }
}

/// Nobody ever sets the flag: the thread that waits for it does so for ever.
#[test]
fn who_waits_for_ever_is_found() {
    let waits = vec![load(0, 0), Instr::JumpIf(on(0, Is::Equal, 0), 0)];
    let s = leaving_out(&[waits.clone(), vec![store(1, 1)]], Reduce::Optimal).expect("nothing tells");
    let kinds: Vec<FailureKind> = s.failures.iter().map(|f| f.kind).collect();
    assert_eq!(kinds, [FailureKind::Livelock], "{s:?}");
    // It was set, and is again what it was.
    let s = leaving_out(&[waits, vec![store(0, 1), store(0, 0)]], Reduce::Optimal).expect("nothing tells");
    let kinds: Vec<FailureKind> = s.failures.iter().map(|f| f.kind).collect();
    assert_eq!(kinds, [FailureKind::Livelock], "{s:?}");
}

/// A failure that is still to be shown in full leaves the search unfinished.
#[test]
fn nothing_is_complete_before_its_failure_is_shown() {
    let waits = vec![load(0, 0), Instr::JumpIf(on(0, Is::Equal, 0), 0)];
    let mut executor = Simulated::new(Program::fork_join(vec![waits, vec![store(1, 1)]]), Granularity::Sync);
    let config = Config { reduce: Reduce::Optimal, one_round: true, ..config() };
    let mut search = Search::new(config).expect("it can be");
    while search.step(&mut executor).expect("it runs") != Turn::Done {
        let s = search.summary();
        assert!(!s.complete || !s.failures.is_empty(), "{s:?}");
    }
    assert_eq!(search.summary().failures.len(), 1);
}

/// Where threads visit places again, fairness tells, and the search begins anew in full.
#[test]
fn second_visits_are_explored_in_full() {
    let waits =
        vec![load(0, 0), Instr::Yield, Instr::Add(1, Value::Const(1)), Instr::JumpIf(on(1, Is::Less, 2), 0)];
    assert!(leaving_out(&[waits, vec![store(0, 1)]], Reduce::Optimal).is_none());
}

fn piece() -> impl Strategy<Value = Vec<Instr>> {
    let variable = 0..3u32;
    let lock = 8..10u32;
    let asserted = (2..4u8, 0..3u64).prop_map(|(r, n)| Instr::Assert(on(r, Is::NotEqual, n)));
    let plain = prop_oneof![
        3 => (variable.clone(), 0..3u64).prop_map(|(v, n)| store(v, n)),
        2 => (variable.clone(), 2..4u8).prop_map(|(v, r)| Instr::FetchAdd(v, Value::Const(1), r, SeqCst)),
        3 => (variable.clone(), 2..4u8).prop_map(|(v, r)| load(v, r)),
        1 => asserted,
    ];
    let inside = proptest::collection::vec(plain.clone(), 0..3);
    let awaits = (variable.clone(), 0..3u64, any::<bool>()).prop_map(|(v, n, not)| {
        vec![load(v, 0), Instr::JumpIf(on(0, if not { Is::Equal } else { Is::NotEqual }, n), 0)]
    });
    // Either of two is awaited.
    let either = (variable.clone(), variable.clone()).prop_map(|(v, w)| {
        let done = Instr::JumpIf(on(0, Is::NotEqual, 0), 4);
        vec![load(v, 0), done, load(w, 0), Instr::JumpIf(on(0, Is::Equal, 0), 0)]
    });
    // The value that was read last is kept, and tells.
    let keeps = (variable, 1..3u64).prop_map(|(v, n)| {
        vec![Instr::Set(3, Value::Reg(2)), load(v, 2), Instr::JumpIf(on(2, Is::Less, n), 0)]
    });
    let exchanges = lock.clone().prop_map(|v| {
        vec![Instr::FetchAdd(v, Value::Const(0), 0, SeqCst), Instr::JumpIf(on(0, Is::NotEqual, 0), 0)]
    });
    prop_oneof![
        5 => plain.prop_map(|instr| vec![instr]),
        3 => (lock, any::<bool>(), inside.clone()).prop_map(|(l, clean, inside)| critical(l, clean, inside)),
        2 => awaits,
        1 => either,
        1 => keeps,
        1 => exchanges,
        1 => inside.prop_map(|inside| flat([vec![Instr::Lock(0)], inside, vec![Instr::Unlock(0)]])),
        1 => Just(vec![Instr::Lock(0), load(0, 0), Instr::Unlock(0), Instr::JumpIf(on(0, Is::Equal, 0), 0)]),
        1 => Just(vec![Instr::Yield]),
        1 => Just(vec![Instr::TryLock(0, 2), Instr::JumpIf(on(2, Is::Equal, 0), 3), Instr::Unlock(0)]),
    ]
}

fn cases(default: u32) -> u32 {
    std::env::var("RADDLE_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(40), ..ProptestConfig::default() })]

    #[test]
    fn reductions_without_rounds_in_vain_find_the_same(
        threads in proptest::collection::vec(proptest::collection::vec(piece(), 1..4), 2..4),
    ) {
        let bodies: Vec<Vec<Instr>> = threads.into_iter().map(flat).collect();
        let all = in_full(&bodies, Reduce::None);
        prop_assume!(all.complete);
        for reduce in [Reduce::Sleep, Reduce::Persistent, Reduce::Source, Reduce::Optimal] {
            let Some(s) = leaving_out(&bodies, reduce) else { continue };
            prop_assert_eq!(found(&s), found(&all), "{}: {:?}", reduce, bodies);
            prop_assert!(s.complete || !s.failures.is_empty(), "{}: {:?}", reduce, s);
        }
    }
}
