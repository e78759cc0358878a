//! One meaning of fairness: on random programs with loops that yield, sleep, try and wait with a time limit, every
//! combination of reduction, order and bound finds the failures that plain enumeration finds in fair
//! executions, and no others.
//!
//! Some programs as a rule; `RADDLE_PROGRAMS=5000 cargo test -p raddle-engine --release --test
//! fair_searches` tries as many.

use crate::common::many::{compared, each_of};
use proptest::prelude::*;
use raddle_engine::analysis::wait_cycle::wait_cycles;
use raddle_engine::points::{Point, bits, points};
use raddle_engine::search::Turn;
use raddle_engine::simulated::{Condition, Instr, Is, Program, Simulated, Value};
use raddle_engine::{
    Bound, Config, Control, FailureKind, Order, Portfolio, Reduce, States, Summary, fair, search,
};
use raddle_schedule::{Choice, Delta, Granularity, Order::SeqCst, Outcome, Plan, Trace};
use std::collections::BTreeMap;

/// Executions of one program that are enumerated, at most.
const MOST: usize = 6_000;

/// A failure as the searches tell it, and the fewest preemptions with which it is found.
type Found = BTreeMap<Told, u32>;

/// What every fair execution shows, with its preemptions.
type Enumerated = Vec<(Told, u32)>;

/// A failure: kind, place and text.
type Told = (&'static str, u32, String);

fn within(all: &Enumerated, most: u32) -> Found {
    let mut found = Found::new();
    for (failure, preemptions) in all.iter().filter(|(_, p)| *p <= most) {
        let fewest = found.entry(failure.clone()).or_insert(*preemptions);
        *fewest = (*fewest).min(*preemptions);
    }
    found
}

/// Runs every interleaving, fair or not, and keeps the failures of those that are fair; `None` if there are too
/// many.
fn enumerate(program: &Program) -> Option<Enumerated> {
    let mut simulated = Simulated::new(program.clone(), Granularity::Sync);
    let (mut waiting, mut trace, mut runs) = (vec![Vec::new()], Trace::default(), 0);
    let mut all = Enumerated::new();
    while let Some(deltas) = waiting.pop() {
        runs += 1;
        if runs > MOST {
            return None;
        }
        simulated.execute(&Plan::new(0, deltas.clone(), 300), &mut trace);
        assert!(trace.outcome != Outcome::Truncated && trace.outcome != Outcome::Unfollowable, "{trace:?}");
        let (mut preemptions, last) = (0, deltas.last().copied());
        for point in points(&trace) {
            let open = |step: u32| last.is_none_or(|d: Delta| d.step < step);
            let mut push = |step, choice| {
                waiting.push(deltas.iter().copied().chain([Delta { step, choice }]).collect());
            };
            match point {
                Point::Thread(p) => {
                    let taken = p.event.thread();
                    preemptions += u32::from(p.preempts(taken));
                    if open(p.step) {
                        bits(p.alternatives() & !(1 << taken)).for_each(|t| push(p.step, Choice::Thread(t)));
                    }
                }
                Point::Choice(p) => {
                    let here =
                        last.is_some_and(|d| d.step == p.step && matches!(d.choice, Choice::Thread(_)));
                    let others = bits(p.mask).filter_map(|b| p.alternative(b)).filter(|c| *c != p.chosen);
                    others.filter(|_| open(p.step) || here).for_each(|c| push(p.step, c));
                }
            }
        }
        if !fair::is_unfair(&trace) {
            all.extend(told(&trace).into_iter().map(|failure| (failure, preemptions)));
        }
    }
    Some(all)
}

/// Threads that wait for each other are a failure however the execution ended.
fn told(trace: &Trace) -> Vec<Told> {
    let own = match trace.outcome {
        Outcome::Assertion => Some(("assertion", trace.site, trace.message.clone())),
        // Threads may wait for ever once main has returned.
        Outcome::Deadlock if trace.main_returned => None,
        Outcome::Deadlock => Some(deadlock()),
        outcome if outcome.is_failure() => Some(("crash", trace.site, String::new())),
        _ => None,
    };
    let cycle = (!wait_cycles(trace).is_empty()).then(deadlock);
    own.into_iter().chain(cycle).collect()
}

fn deadlock() -> Told {
    ("deadlock", 0, String::new())
}

fn found(s: &Summary) -> Found {
    let mut found = Found::new();
    for f in &s.failures {
        let told = match f.kind {
            FailureKind::Assertion => ("assertion", f.site, f.message.clone()),
            FailureKind::Deadlock => deadlock(),
            _ => ("crash", f.site, String::new()),
        };
        let fewest = found.entry(told).or_insert(f.preemptions);
        *fewest = (*fewest).min(f.preemptions);
    }
    found
}

fn explored(config: &Config, program: &Program) -> Summary {
    let mut executor = Simulated::new(program.clone(), Granularity::Sync);
    search(config.clone(), &mut executor, |_| Control::Continue).unwrap()
}

fn keys(found: &Found) -> Vec<&Told> {
    found.keys().collect()
}

/// The searches that run everything, with the bound on preemptions that they have.
fn searches() -> Vec<(Config, Option<u32>)> {
    let config = Config { max_steps: 300, ..crate::common::config() };
    let mut all = Vec::new();
    for in_flight in [1, 32] {
        let config = Config { in_flight, ..config.clone() };
        for reduce in [Reduce::None, Reduce::Sleep, Reduce::Persistent, Reduce::Source, Reduce::Optimal] {
            all.push((Config { reduce, ..config.clone() }, None));
        }
        let pb = Order::Priorities(vec!["pb".into()]);
        all.push((Config { reduce: Reduce::Optimal, order: pb.clone(), ..config.clone() }, None));
        all.push((Config { order: pb, ..config.clone() }, None));
        all.push((Config { states: States::Hb, ..config.clone() }, None));
        all.push((Config { bound: Bound::Iterative, ..config.clone() }, None));
        for c in 0..3 {
            let bound = Bound::Preemptions(c);
            all.push((Config { bound, ..config.clone() }, Some(c)));
            all.push((Config { bound, states: States::Hb, ..config.clone() }, Some(c)));
            all.push((Config { bound, reduce: Reduce::Bounded, ..config.clone() }, Some(c)));
        }
    }
    all
}

fn agree(program: &Program) -> Result<bool, String> {
    let Some(enumerated) = enumerate(program) else { return Ok(false) };
    for (config, most) in searches() {
        let s = explored(&config, program);
        let (wanted, got) = (within(&enumerated, most.unwrap_or(u32::MAX)), found(&s));
        let name =
            format!("{} {} {} {} in flight", config.reduce, config.bound, config.order, config.in_flight);
        if !s.complete {
            return Err(format!("{name}: not complete: {}", s.guarantee));
        }
        if keys(&wanted) != keys(&got) {
            return Err(format!("{name}: found {got:?}, not {wanted:?}"));
        }
        // None is told with fewer preemptions than a fair one needs; and searches by preemptions tell the fewest.
        let fewest = config.bound == Bound::Iterative || (most.is_some() && config.reduce == Reduce::None);
        let plain = config.states == States::None;
        if wanted.iter().any(|(failure, p)| got[failure] < *p || (fewest && plain && got[failure] != *p)) {
            return Err(format!("{name}: with preemptions {got:?}, not {wanted:?}"));
        }
    }
    let wanted = within(&enumerated, u32::MAX);
    for order in [Order::Random, Order::Pct(3), Order::Pos] {
        let config = Config { order, executions: Some(60), max_steps: 300, ..crate::common::config() };
        let got = found(&explored(&config, program));
        if let Some(more) = got.keys().find(|failure| !wanted.contains_key(*failure)) {
            return Err(format!("{}: found {more:?}, not {wanted:?}", config.order));
        }
    }
    both(program, &wanted)
}

/// The default search tells the fewest preemptions, and its guarantee does not contradict them.
fn both(program: &Program, wanted: &Found) -> Result<bool, String> {
    let config = Config { max_steps: 300, ..crate::common::config() };
    let mut portfolio = Portfolio::chosen(config).unwrap();
    let mut executor = Simulated::new(program.clone(), Granularity::Sync);
    while portfolio.step(&mut executor).unwrap() != Turn::Done {}
    let s = portfolio.summary();
    if !s.complete || found(&s) != *wanted {
        return Err(format!("both: found {:?}, not {wanted:?}: {}", found(&s), s.guarantee));
    }
    Ok(true)
}

const ROUNDS: u8 = 2;

/// Goes round at most so many times: `tries` sets register 0 to 1 where it got what it wants, and `then` is done
/// in that case. Registers 0 to 2 are its own.
fn rounds(
    tries: Vec<Instr>,
    between: Vec<Instr>,
    then: Vec<Instr>,
    most: u64,
    gives_up: Instr,
) -> Vec<Instr> {
    let again = Instr::JumpIf(Condition(Value::Reg(ROUNDS), Is::Less, Value::Const(most)), 0);
    let got = |to| Instr::JumpIf(Condition(Value::Reg(0), Is::Equal, Value::Const(1)), to);
    let (n, m) = (tries.len(), between.len());
    let success = n + 1 + m + 3;
    let end = success + then.len() + 1;
    let mut body = tries;
    body.push(got(success));
    body.extend(between);
    body.push(Instr::Add(ROUNDS, Value::Const(1)));
    body.push(again);
    body.push(gives_up);
    body.extend(then);
    body.push(Instr::Set(ROUNDS, Value::Const(0)));
    assert_eq!(body.len(), end);
    body
}

/// Loops that go round a few times.
fn loops() -> impl Strategy<Value = Vec<Instr>> {
    let load = |v| vec![Instr::Load(v, 0, SeqCst)];
    // A time limit sets its register to 1 where it was over: turned round.
    let turned = |wait: Instr| {
        let over = Condition(Value::Reg(1), Is::Equal, Value::Const(1));
        vec![Instr::Set(0, Value::Const(0)), wait, Instr::JumpIf(over, 4), Instr::Set(0, Value::Const(1))]
    };
    let tries = prop_oneof![
        4 => (0..2u32).prop_map(|m| (vec![Instr::TryLock(m, 0)], vec![Instr::Unlock(m)])),
        2 => Just((vec![Instr::SemTryWait(0, 0)], vec![])),
        3 => (0..2u32).prop_map(move |v| (load(v), vec![])),
        1 => Just((vec![Instr::TryWriteLock(0, 0)], vec![Instr::RwUnlock(0)])),
        2 => Just((turned(Instr::SemWaitTimeout(0, 1)), vec![])),
        1 => Just((turned(Instr::ParkTimeout(1)), vec![])),
        1 => (0..2u32).prop_map(move |m| (turned(Instr::LockTimeout(m, 1)), vec![Instr::Unlock(m)])),
    ];
    let between = prop_oneof![
        4 => Just(vec![Instr::Yield]),
        2 => Just(vec![Instr::Sleep]),
        2 => Just(vec![]),
        2 => Just(vec![Instr::FetchAdd(2, Value::Const(1), 1, SeqCst), Instr::Yield]),
        1 => Just(vec![Instr::FetchAdd(2, Value::Const(1), 1, SeqCst)]),
    ];
    let never = Instr::Assert(Condition(Value::Const(0), Is::Equal, Value::Const(1)));
    let gives_up = prop_oneof![2 => Just(never), 1 => Just(Instr::Yield)];
    (tries, between, 2..5u64, gives_up)
        .prop_map(|((tries, then), between, most, up)| rounds(tries, between, then, most, up))
}

fn piece() -> impl Strategy<Value = Vec<Instr>> {
    let v = || 0..2u32;
    prop_oneof![
        4 => v().prop_map(|v| vec![Instr::Store(v, Value::Const(1), SeqCst)]),
        1 => v().prop_map(|v| vec![Instr::Load(v, 1, SeqCst)]),
        2 => (0..3u32, 1..4u64).prop_map(|(v, n)| vec![
            Instr::Load(v, 1, SeqCst),
            Instr::Assert(Condition(Value::Reg(1), Is::NotEqual, Value::Const(n))),
        ]),
        3 => v().prop_map(|m| vec![Instr::Lock(m), Instr::Unlock(m)]),
        3 => (v(), v()).prop_map(|(m, v)| vec![
            Instr::Lock(m),
            Instr::Store(v, Value::Const(1), SeqCst),
            Instr::Unlock(m),
        ]),
        1 => (v(), v()).prop_map(|(m, n)| vec![Instr::Lock(m), Instr::Lock(n), Instr::Unlock(n), Instr::Unlock(m)]),
        2 => Just(vec![Instr::SemPost(0)]),
        1 => Just(vec![Instr::SemWait(0)]),
        1 => (1..3u64).prop_map(|t| vec![Instr::Unpark(Value::Const(t))]),
        1 => Just(vec![Instr::WriteLock(0), Instr::RwUnlock(0)]),
        1 => Just(vec![Instr::ReadLock(0), Instr::RwUnlock(0)]),
        1 => Just(vec![Instr::Lock(0), Instr::WaitTimeout(0, 0, 1), Instr::Unlock(0)]),
        1 => Just(vec![Instr::NotifyOne(0)]),
        1 => Just(vec![Instr::Yield]),
    ]
}

/// One thread that goes round, one that lets it go on, and perhaps another one.
fn program() -> impl Strategy<Value = Program> {
    let other = || proptest::collection::vec(piece(), 1..3);
    let looping = (proptest::option::of(piece()), loops(), proptest::option::of(piece()))
        .prop_map(|(before, body, after)| before.into_iter().chain([body]).chain(after).collect::<Vec<_>>());
    let last = prop_oneof![
        4 => Just(vec![]),
        2 => proptest::collection::vec(piece(), 1..2),
        2 => loops().prop_map(|l| vec![l]),
    ];
    (looping, other(), last).prop_map(|(looping, other, last)| {
        let bodies = [looping, other, last].into_iter().filter(|b| !b.is_empty());
        Program { semaphores: vec![0], ..Program::fork_join(bodies.map(flat).collect()) }
    })
}

/// One piece after the other, with their jumps at their places.
fn flat(pieces: Vec<Vec<Instr>>) -> Vec<Instr> {
    let mut body: Vec<Instr> = Vec::new();
    for piece in pieces {
        let start = body.len();
        body.extend(piece.into_iter().map(|instr| match instr {
            Instr::JumpIf(c, to) => Instr::JumpIf(c, start + to),
            other => other,
        }));
    }
    body
}

#[test]
fn every_search_finds_what_fair_executions_show() {
    compared(each_of(9, program, agree), 0.3);
}

/// Locks of compare-exchanges, as crates have them: taken in loops that yield, given back by another compare-exchange, and what
/// does not wait in between is one step.
#[test]
fn every_search_finds_what_spin_locks_show() {
    compared(each_of(13, spin_locks, agree), 0.3);
}

/// Two threads or three that take such a lock, or try to.
fn spin_locks() -> impl Strategy<Value = Program> {
    const LOCK: u32 = 3;
    let is = |n| Condition(Value::Reg(1), Is::Equal, Value::Const(n));
    let swap = |from, to| Instr::CompareExchange(LOCK, Value::Const(from), Value::Const(to), 1, SeqCst);
    let (yes, no) = (Instr::Set(0, Value::Const(1)), Instr::Set(0, Value::Const(0)));
    let looks = Instr::Load(LOCK, 1, SeqCst);
    let tries = prop_oneof![
        2 => Just(vec![yes, swap(0, 1), Instr::JumpIf(is(0), 4), no]),
        2 => Just(vec![no, looks, Instr::JumpIf(is(1), 7), Instr::Along, swap(0, 1), Instr::JumpIf(is(1), 7), yes]),
        1 => Just(vec![yes, swap(0, 1), Instr::JumpIf(is(0), 6), no, Instr::Along, looks]),
    ];
    let gives_back = prop_oneof![
        3 => Just(vec![swap(1, 0)]),
        1 => Just(vec![Instr::Store(LOCK, Value::Const(0), SeqCst)]),
        1 => Just(vec![swap(1, 0), Instr::Along, Instr::FetchAdd(2, Value::Const(1), 1, SeqCst)]),
    ];
    let inside = prop_oneof![3 => Just(vec![]), 2 => (0..2u32).prop_map(|v| vec![Instr::Store(v, Value::Const(1), SeqCst)])];
    let then = (inside, gives_back.clone()).prop_map(|(inside, back)| [inside, back].concat()).boxed();
    let between = prop_oneof![3 => Just(vec![Instr::Yield]), 1 => Just(vec![])];
    let never = Instr::Assert(Condition(Value::Const(0), Is::Equal, Value::Const(1)));
    let gives_up = prop_oneof![2 => Just(never), 1 => Just(Instr::Yield)];
    let looping = (tries, between, then.clone(), 2..5u64, gives_up)
        .prop_map(|(tries, between, then, most, up)| rounds(tries, between, then, most, up))
        .boxed();
    let once = then.prop_map(move |then| {
        let end = 2 + then.len();
        let held = Instr::JumpIf(Condition(Value::Reg(1), Is::NotEqual, Value::Const(0)), end);
        [vec![swap(0, 1), held], then].concat()
    });
    let thread = move || {
        let lock = prop_oneof![2 => looping.clone(), 2 => once.clone()];
        (proptest::option::of(piece()), lock, proptest::option::of(piece()))
            .prop_map(|(before, lock, after)| flat(before.into_iter().chain([lock]).chain(after).collect()))
    };
    let third = prop_oneof![3 => Just(vec![]), 1 => piece().prop_map(|p| flat(vec![p]))];
    (thread(), thread(), third).prop_map(|(a, b, c)| {
        let bodies = [a, b, c].into_iter().filter(|body| !body.is_empty());
        Program { semaphores: vec![0], ..Program::fork_join(bodies.collect()) }
    })
}

/// A loop that never gives up has no end. Without a reduction every fair execution is run; reductions come to an
/// end too, and find the same.
#[test]
fn reductions_end_where_loops_do_not() {
    compared(each_of(10, unending, |program| end(program, 1)), 0.2);
}

/// One thread that goes round until another one lets it go on, which that one does in any case.
fn unending() -> impl Strategy<Value = Program> {
    let (lock, unlock) = (Instr::Lock(0), Instr::Unlock(0));
    let raise = Instr::Store(0, Value::Const(1), SeqCst);
    let awaited = prop_oneof![
        (Just(Instr::TryLock(0, 0)), Just(vec![unlock]), Just(vec![lock, unlock])),
        (Just(Instr::TryLock(0, 0)), Just(vec![unlock]), Just(vec![lock, raise, unlock])),
        (Just(Instr::Load(0, 0, SeqCst)), Just(vec![]), Just(vec![raise])),
        (Just(Instr::SemTryWait(0, 0)), Just(vec![]), Just(vec![Instr::SemPost(0)])),
    ];
    let between = prop_oneof![
        2 => Just(vec![Instr::Yield]),
        1 => Just(vec![Instr::Sleep]),
        1 => Just(vec![Instr::FetchAdd(2, Value::Const(1), 1, SeqCst), Instr::Yield]),
    ];
    let some = || proptest::option::of(piece());
    (awaited, between, some(), some(), some()).prop_map(
        |((tries, then, lets), between, before, after, end)| {
            let never = Instr::Assert(Condition(Value::Const(0), Is::Equal, Value::Const(1)));
            let looping = rounds(vec![tries], between, then, u64::MAX, never);
            let looping = [looping].into_iter().chain(after).collect();
            let other = before.into_iter().chain([lets]).chain(end).collect();
            Program { semaphores: vec![0], ..Program::fork_join(vec![flat(looping), flat(other)]) }
        },
    )
}

/// `audited`: so many random runs land in what was explored, at least. (A run that the process's end cuts short says nothing.)
fn end(program: &Program, audited: u64) -> Result<bool, String> {
    let config = Config { max_steps: 150, executions: Some(1_500), ..crate::common::config() };
    let all = explored(&config, program);
    if !all.complete {
        return Ok(false);
    }
    let wanted = found(&all);
    for in_flight in [1, 32] {
        for reduce in [Reduce::Persistent, Reduce::Source, Reduce::Optimal] {
            let s = explored(&Config { reduce, in_flight, audit: 20, ..config.clone() }, program);
            // Where main waits with a time limit and another thread yields for ever, the first execution has no end.
            if s.truncated > 0 && audited == 0 {
                return Ok(false);
            }
            if !s.complete || keys(&found(&s)) != keys(&wanted) {
                return Err(format!("{reduce}: found {:?}, not {wanted:?}: {}", found(&s), s.guarantee));
            }
            // Random runs of fair classes land in what was explored.
            if !s.audit.as_ref().is_some_and(|a| a.checked >= audited && a.outside.is_empty()) {
                return Err(format!("{reduce}: {:?}: {}", s.audit, s.guarantee));
            }
        }
    }
    Ok(true)
}

/// Main ends the process beside threads that go round, some more often than they are heard at the end.
#[test]
fn every_search_finds_what_loops_show_beside_the_end_of_the_process() {
    compared(each_of(11, || ending((2..7u64).boxed()), agree), 0.3);
}

/// Loops without an end do not keep the process from its end.
#[test]
fn reductions_end_where_loops_beside_the_end_of_the_process_do_not() {
    compared(
        each_of(
            12,
            || ending(prop_oneof![3 => Just(u64::MAX), 1 => 2..7u64].boxed()),
            |program| end(program, 0),
        ),
        0.3,
    );
}

/// Main ends the process, or returns, beside one or two threads that go round so often.
fn ending(rounds: BoxedStrategy<u64>) -> impl Strategy<Value = Program> {
    let round = prop_oneof![
        4 => Just(vec![Instr::Yield]),
        2 => Just(vec![Instr::Sleep]),
        2 => Just(vec![Instr::SemWaitTimeout(0, 1)]),
        1 => Just(vec![Instr::ParkTimeout(1)]),
        2 => Just(vec![Instr::FetchAdd(2, Value::Const(1), 1, SeqCst), Instr::Yield]),
        1 => (0..2u32).prop_map(|v| vec![Instr::Load(v, 1, SeqCst), Instr::Yield]),
    ];
    let looping = (round, rounds).prop_map(|(mut round, most)| {
        let again = Instr::JumpIf(Condition(Value::Reg(ROUNDS), Is::Less, Value::Const(most)), 0);
        round.extend([Instr::Add(ROUNDS, Value::Const(1)), again, Instr::Set(ROUNDS, Value::Const(0))]);
        round
    });
    let some = |least: usize, most| proptest::collection::vec(piece(), least..most);
    let thread = (some(0, 2), looping, some(1, 2)).prop_map(|(before, looping, after)| {
        flat(before.into_iter().chain([looping]).chain(after).collect())
    });
    let threads = prop_oneof![
        3 => proptest::collection::vec(thread.boxed(), 1..2),
        1 => (some(1, 3).prop_map(flat), some(1, 2).prop_map(flat)).prop_map(|(a, b)| vec![a, b]),
    ];
    let ends = prop_oneof![3 => Just(vec![Instr::End(0)]), 1 => Just(vec![])];
    (threads, some(1, 4), ends).prop_map(|(threads, main, ends)| {
        let spawns = (0..threads.len()).map(|i| Instr::Spawn(i + 1, 3 + i as u8)).collect();
        let main = flat([spawns].into_iter().chain(main).chain([ends]).collect());
        Program { bodies: [main].into_iter().chain(threads).collect(), semaphores: vec![0] }
    })
}

/// A try fails twice, the second time before the other thread may go on.
#[test]
fn what_comes_behind_a_second_try_in_vain_is_found() {
    let never = Instr::Yield;
    let looping = rounds(vec![Instr::TryLock(0, 0)], vec![Instr::Yield], vec![Instr::Unlock(0)], 2, never);
    let twice = |m| vec![Instr::Lock(m), Instr::Lock(m), Instr::Unlock(m), Instr::Unlock(m)];
    let other = vec![vec![Instr::Lock(0), Instr::Unlock(0)], twice(1)];
    let program =
        Program { semaphores: vec![0], ..Program::fork_join(vec![flat(vec![looping]), flat(other)]) };
    assert_eq!(agree(&program), Ok(true));
}
