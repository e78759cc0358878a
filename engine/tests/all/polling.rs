//! Loops in simulated programs that take locks, look, and give them back, or wait until a time is over and look (algorithms, rule 9): a round that leaves
//! nothing changed is a read, and waits.

use proptest::prelude::*;
use raddle_engine::simulated::{Condition, Instr, Is, Program, Simulated, Value};
use raddle_engine::{Config, Control, FailureKind, Reduce, Summary, search::search};
use raddle_schedule::{Granularity, Order::SeqCst};
use std::collections::BTreeSet;

fn run(bodies: &[Vec<Instr>], reduce: Reduce) -> Summary {
    let config = Config { keep_going: true, max_steps: 150, reduce, ..Config::default() };
    let mut executor = Simulated::new(Program::fork_join(bodies.to_vec()), Granularity::Sync);
    search(config, &mut executor, |_| Control::Continue).expect("it runs")
}

/// Every reduction, which agree; what the search without any found.
fn explore(bodies: &[Vec<Instr>]) -> Summary {
    let all = run(bodies, Reduce::None);
    let kinds = |s: &Summary| s.failures.iter().map(|f| f.kind).collect::<BTreeSet<_>>();
    for reduce in [Reduce::Sleep, Reduce::Persistent, Reduce::Source, Reduce::Optimal] {
        let s = run(bodies, reduce);
        assert_eq!((kinds(&s), s.truncated, s.complete), (kinds(&all), 0, true), "{reduce}: {s:?}");
    }
    all
}

fn read(variable: u32, register: u8) -> Instr {
    Instr::Read(variable, register)
}

fn load(variable: u32) -> Instr {
    Instr::Load(variable, 0, SeqCst)
}

fn if_not_zero(to: usize) -> Instr {
    Instr::JumpIf(Condition(Value::Reg(0), Is::NotEqual, Value::Const(0)), to)
}

fn always(to: usize) -> Instr {
    Instr::JumpIf(Condition(Value::Const(0), Is::Equal, Value::Const(0)), to)
}

fn write(variable: u32, value: u64) -> Instr {
    Instr::Write(variable, Value::Const(value))
}

/// On if register 0 is this.
fn if_zero(to: usize) -> Instr {
    Instr::JumpIf(Condition(Value::Reg(0), Is::Equal, Value::Const(0)), to)
}

/// `while (!get(0));`
fn poll() -> Vec<Instr> {
    vec![Instr::Lock(0), read(0, 0), Instr::Unlock(0), if_zero(0)]
}

fn set(variable: u32) -> Vec<Instr> {
    vec![Instr::Lock(0), write(variable, 1), Instr::Unlock(0)]
}

/// The flag is set before the first look or after it; then the second waits.
#[test]
fn a_flag_under_a_mutex_is_waited_for() {
    let s = explore(&[poll(), set(0)]);
    assert_eq!((s.failures.len(), s.truncated, s.classes), (0, 0, Some(2)), "{s:?}");
}

/// ... also where the thread gives way with the mutex held.
#[test]
fn giving_way_with_the_lock_held_changes_nothing() {
    let body = vec![Instr::Lock(0), read(0, 0), Instr::Yield, Instr::Sleep, Instr::Unlock(0), if_zero(0)];
    let s = explore(&[body, set(0)]);
    assert_eq!((s.failures.len(), s.truncated, s.classes), (0, 0, Some(2)), "{s:?}");
}

/// Readers of a read-write lock likewise.
#[test]
fn a_flag_under_a_read_write_lock_is_waited_for() {
    let body = vec![Instr::ReadLock(0), read(0, 0), Instr::RwUnlock(0), if_zero(0)];
    let s = explore(&[body, vec![Instr::WriteLock(0), write(0, 1), Instr::RwUnlock(0)]]);
    assert_eq!((s.failures.len(), s.truncated, s.classes), (0, 0, Some(2)), "{s:?}");
}

/// Nobody ever sets it.
#[test]
fn polling_for_ever_is_a_livelock() {
    let s = explore(&[poll(), set(1)]);
    let kinds: Vec<_> = s.failures.iter().map(|f| f.kind).collect();
    assert_eq!((kinds.as_slice(), s.truncated), ([FailureKind::Livelock].as_slice(), 0), "{s:?}");
}

/// Two that poll under one mutex do not keep each other going.
#[test]
fn two_that_poll_wait_for_a_third() {
    let s = explore(&[poll(), poll(), set(0)]);
    assert_eq!((s.failures.len(), s.truncated), (0, 0), "{s:?}");
    let s = explore(&[poll(), poll()]);
    let kinds: Vec<_> = s.failures.iter().map(|f| f.kind).collect();
    assert_eq!((kinds.as_slice(), s.truncated), ([FailureKind::Livelock].as_slice(), 0), "{s:?}");
}

/// Who waits there has given back what it took: a flag that is looked at while the mutex is held can be set by somebody
/// who needs that mutex.
#[test]
fn nobody_waits_with_a_lock_that_it_gives_back() {
    let body = vec![Instr::Lock(0), Instr::Load(0, 0, SeqCst), Instr::Unlock(0), if_zero(0)];
    let others = vec![Instr::Lock(0), Instr::Store(0, Value::Const(1), SeqCst), Instr::Unlock(0)];
    let s = explore(&[body, others]);
    assert_eq!((s.failures.len(), s.truncated), (0, 0), "{s:?}");
}

/// A try can fail as often as there are tries, since the thread that polls may have the mutex each time.
#[test]
fn each_try_may_find_the_mutex_taken() {
    let tries = |n: usize| {
        let mut body = Vec::new();
        for _ in 0..n {
            let (at, next) = (body.len(), body.len() + 4);
            let failed = |to| Instr::JumpIf(Condition(Value::Reg(1), Is::Equal, Value::Const(0)), to);
            body.extend([Instr::TryLock(0, 1), failed(at + 3), Instr::Unlock(0)]);
            body.push(Instr::JumpIf(Condition(Value::Reg(1), Is::Equal, Value::Const(1)), next + 1));
            body.push(Instr::Add(2, Value::Const(1)));
        }
        body.push(Instr::Assert(Condition(Value::Reg(2), Is::Less, Value::Const(n as u64))));
        body.extend(set(0));
        body
    };
    for n in 1..=3 {
        let s = explore(&[poll(), tries(n)]);
        let kinds: Vec<_> = s.failures.iter().map(|f| f.kind).collect();
        assert_eq!((kinds.as_slice(), s.truncated), ([FailureKind::Assertion].as_slice(), 0), "{n}: {s:?}");
    }
}

/// Two mutexes, taken in one order by the loop and in the other by who sets the flag.
#[test]
fn a_lock_order_inversion_in_the_loop_is_found() {
    let body =
        vec![Instr::Lock(0), Instr::Lock(1), read(0, 0), Instr::Unlock(1), Instr::Unlock(0), if_zero(0)];
    let other =
        [vec![Instr::Lock(1), Instr::Lock(0), write(0, 1), Instr::Unlock(0), Instr::Unlock(1)]].concat();
    let s = explore(&[body, other]);
    let kinds: Vec<_> = s.failures.iter().map(|f| f.kind).collect();
    assert_eq!((kinds.as_slice(), s.truncated), ([FailureKind::Deadlock].as_slice(), 0), "{s:?}");
}

/// `while (!flag) wait_timeout();`: the first wait that times out is explored, the second waits for a change.
#[test]
fn a_timed_wait_times_out_again_only_after_a_change() {
    let body = vec![
        Instr::Lock(0),
        read(0, 0),
        Instr::JumpIf(Condition(Value::Reg(0), Is::NotEqual, Value::Const(0)), 5),
        Instr::WaitTimeout(0, 0, 1),
        Instr::JumpIf(Condition(Value::Const(0), Is::Equal, Value::Const(0)), 1),
        Instr::Unlock(0),
    ];
    let notify = [set(0), vec![Instr::NotifyOne(0)]].concat();
    for others in [set(0), notify] {
        let s = explore(&[body.clone(), others]);
        assert_eq!((s.failures.len(), s.truncated), (0, 0), "{s:?}");
    }
    let s = explore(&[body.clone(), set(1)]);
    let kinds: Vec<_> = s.failures.iter().map(|f| f.kind).collect();
    assert_eq!((kinds.as_slice(), s.truncated), ([FailureKind::Livelock].as_slice(), 0), "{s:?}");
    // Two of them, under one mutex, do not keep each other going.
    let s = explore(&[body.clone(), body]);
    let kinds: Vec<_> = s.failures.iter().map(|f| f.kind).collect();
    assert_eq!((kinds.as_slice(), s.truncated), ([FailureKind::Livelock].as_slice(), 0), "{s:?}");
}

/// The same of parking and semaphores, where what is waited for ends the wait, too.
#[test]
fn other_timed_waits_likewise() {
    for wait in [Instr::ParkTimeout(1), Instr::SemWaitTimeout(0, 1)] {
        let body = vec![load(0), if_not_zero(4), wait, always(0), Instr::Fence(SeqCst)];
        let store = Instr::Store(0, Value::Const(1), SeqCst);
        let wake = if matches!(wait, Instr::ParkTimeout(_)) {
            Instr::Unpark(Value::Const(1))
        } else {
            Instr::SemPost(0)
        };
        for others in [vec![store], vec![store, wake], vec![wake, store]] {
            let s = explore(&[body.clone(), others]);
            assert_eq!((s.failures.len(), s.truncated), (0, 0), "{s:?}");
        }
        let s = explore(&[body.clone(), vec![wake]]);
        let kinds: Vec<_> = s.failures.iter().map(|f| f.kind).collect();
        assert_eq!((kinds.as_slice(), s.truncated), ([FailureKind::Livelock].as_slice(), 0), "{s:?}");
    }
}

/// A way to look, in a round: its instructions, which leave in register 0 whether there is something. What is plain is in
/// variable 5, under mutex 0.
fn look() -> impl Strategy<Value = Vec<Instr>> {
    let gives_way =
        prop_oneof![3 => Just(None), 1 => Just(Some(Instr::Yield)), 1 => Just(Some(Instr::Sleep))];
    let kinds = prop_oneof![
        Just(vec![Instr::Lock(0), read(5, 0), Instr::Unlock(0)]),
        Just(vec![Instr::Lock(0), Instr::Lock(1), read(5, 0), Instr::Unlock(1), Instr::Unlock(0)]),
        Just(vec![Instr::Lock(1), Instr::Unlock(1), Instr::Lock(0), read(5, 0), Instr::Unlock(0)]),
        Just(vec![Instr::Lock(0), Instr::Load(2, 0, SeqCst), read(5, 0), Instr::Unlock(0)]),
        Just(vec![Instr::ReadLock(0), Instr::Load(0, 0, SeqCst), Instr::RwUnlock(0)]),
        Just(vec![Instr::Lock(0), Instr::WaitTimeout(0, 0, 4), read(5, 0), Instr::Unlock(0)]),
        Just(vec![Instr::SemWaitTimeout(1, 4), Instr::Load(0, 0, SeqCst)]),
    ];
    (kinds, gives_way, any::<prop::sample::Index>()).prop_map(|(mut look, gives_way, at)| {
        if let Some(gives_way) = gives_way {
            look.insert(at.index(look.len() + 1), gives_way);
        }
        look
    })
}

/// What others do beside; what they find out is in registers 2 and 3.
fn section() -> impl Strategy<Value = Vec<Instr>> {
    let noted = |r: u8, n: u64| Instr::Assert(Condition(Value::Reg(r), Is::NotEqual, Value::Const(n)));
    prop_oneof![
        Just(vec![Instr::Lock(0), Instr::Load(1, 3, SeqCst), Instr::Unlock(0)]),
        Just(vec![Instr::Lock(1), Instr::Lock(0), Instr::Unlock(0), Instr::Unlock(1)]),
        Just(vec![Instr::Store(1, Value::Const(1), SeqCst)]),
        Just(vec![Instr::FetchAdd(1, Value::Const(1), 2, SeqCst), noted(2, 1)]),
        (0..2u64).prop_map(move |n| vec![Instr::Load(1, 3, SeqCst), noted(3, n)]),
        Just(vec![Instr::WriteLock(0), Instr::RwUnlock(0)]),
        Just(vec![Instr::SemTryWait(0, 3)]),
        Just(vec![Instr::NotifyOne(0)]),
        Just(vec![Instr::SemPost(1)]),
    ]
}

/// A try for the mutex that is to succeed.
fn tries() -> Vec<Instr> {
    let got = Condition(Value::Reg(3), Is::Equal, Value::Const(1));
    vec![Instr::TryLock(0, 3), Instr::Assert(got), Instr::Unlock(0)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// A loop fails as its first rounds written out do.
    #[test]
    fn polls_fail_as_their_rounds_written_out(
        look in look(),
        then in section(),
        before in section(),
        after in section(),
        try_before in any::<bool>(),
        other in proptest::option::weighted(0.2, section()),
    ) {
        const ROUNDS: usize = 2;
        let length = look.len() + 1;
        let leaves = |end| Instr::JumpIf(Condition(Value::Reg(0), Is::NotEqual, Value::Const(0)), end);
        let round = |end| look.iter().copied().chain([leaves(end)]);
        let always = Condition(Value::Const(0), Is::Equal, Value::Const(0));
        let mut looping: Vec<Instr> = round(length + 1).collect();
        looping.push(Instr::JumpIf(always, 0));
        let mut written_out: Vec<Instr> = (0..ROUNDS).flat_map(|_| round(ROUNDS * length + 1)).collect();
        written_out.push(Instr::Assume(Condition(Value::Const(0), Is::Equal, Value::Const(1))));
        looping.extend_from_slice(&then);
        written_out.extend_from_slice(&then);
        let sets = [
            Instr::Lock(0), write(5, 1), Instr::Unlock(0),
            Instr::WriteLock(0), Instr::Store(0, Value::Const(1), SeqCst), Instr::RwUnlock(0),
        ];
        let tried = if try_before { tries() } else { Vec::new() };
        let sets = [before, tried, sets.to_vec(), after].concat();
        let mut others = vec![sets];
        others.extend(other);
        let found = |waits: &[Instr], reduce| {
            let bodies = [&[waits.to_vec()], &others[..]].concat();
            let s = run(&bodies, reduce);
            let all = s.failures.iter().filter(|f| f.kind != FailureKind::DataRace);
            let found: BTreeSet<_> = all.map(|f| (f.kind, f.thread, f.message.clone())).collect();
            (found.into_iter().map(|(k, t, m)| format!("{k:?} {t:?} {m}")).collect::<BTreeSet<_>>(), s)
        };
        let (all, _) = found(&written_out, Reduce::Source);
        // Deadlocks name places, which are not the same in the two.
        let kinds = |of: &BTreeSet<String>| of.iter().map(|f| f.split(' ').next().unwrap_or("").to_string()).collect::<BTreeSet<_>>();
        let (reference, _) = found(&looping, Reduce::Sleep);
        prop_assert_eq!(kinds(&reference), kinds(&all));
        for reduce in [Reduce::Source, Reduce::Optimal] {
            let (waiting, s) = found(&looping, reduce);
            prop_assert_eq!((&waiting, s.truncated), (&reference, 0), "{}: {:?}", reduce, s);
        }
    }
}
