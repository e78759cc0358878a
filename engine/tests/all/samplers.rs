//! Samplers: what PCT and POS promise of their distributions, checked by counting over many seeds.
//! How a single decision is drawn is tested in `schedule/src/sampler`.

use crate::common::programs;
use raddle_engine::simulated::{Condition, Instr, Is, Program, Simulated, Value};
use raddle_engine::{Config, Control, Order, StopReason, Summary, search};
use raddle_schedule::plan::flags::SAMPLE;
use raddle_schedule::sampler::{Method, decisions};
use raddle_schedule::{Choice, Delta, Granularity, OpKind, Order as Memory, Outcome, Plan, Trace, hash};
use std::collections::BTreeMap;

/// Stores to variables of these numbers, one after the other.
fn stores(variables: &[u32]) -> Vec<Instr> {
    variables.iter().map(|v| Instr::Store(*v, Value::Const(1), Memory::SeqCst)).collect()
}

/// One execution drawn from this seed.
fn drawn(executor: &mut Simulated, sampling: Method, seed: u64) -> Trace {
    let mut trace = Trace::default();
    let seed = hash::mix(seed, 99);
    executor.execute(&Plan { flags: SAMPLE, seed, sampling, ..Plan::new(0, Vec::new(), 1000) }, &mut trace);
    trace
}

/// Did the n-th instruction of a body come before the m-th of another?
fn before(trace: &Trace, (body, n): (u32, u32), (other, m): (u32, u32)) -> bool {
    let place = |body, n| {
        trace.events.iter().position(|e| e.is_step() && e.site == body * 1000 + n && e.kind().is_atomic())
    };
    place(body, n) < place(other, m)
}

/// The execution in which the highest of these priorities goes, and who would go at decision `points[i]`
/// (counted from 1) is given priority i before: PCT with choices that are all spelled out. (Priorities of
/// the threads at first are above all i.) Whether it is a decision is seen by trying.
fn by_hand(executor: &mut Simulated, first: [usize; 3], points: &[u32]) -> Trace {
    let mut priorities = first.map(|p| p + points.len());
    let (mut deltas, mut trace, mut decisions) = (Vec::new(), Trace::default(), 0);
    let mut run = |deltas: &[Delta]| {
        executor.execute(&Plan::new(0, deltas.to_vec(), 1000), &mut trace);
        trace.clone()
    };
    loop {
        let step = deltas.len() as u32;
        let trace = run(&deltas);
        let at = |trace: &Trace| trace.events.iter().filter(|e| e.is_step()).nth(step as usize).copied();
        let Some(event) = at(&trace) else { return trace };
        let go = |priorities: &[usize; 3]| {
            let enabled = (0..3u8).filter(|t| event.enabled >> t & 1 != 0);
            let t = enabled.max_by_key(|t| priorities[usize::from(*t)]).unwrap();
            Delta { step, choice: Choice::Thread(t) }
        };
        deltas.push(go(&priorities));
        let tried = at(&run(&deltas)).unwrap();
        let is_free = matches!(tried.kind(), OpKind::ThreadStart | OpKind::Exit | OpKind::Join);
        if event.enabled.count_ones() > 1 && !is_free {
            decisions += 1;
            for (i, _) in points.iter().enumerate().filter(|(_, point)| **point == decisions) {
                priorities[usize::from(tried.thread())] = i;
            }
            deltas.pop();
            deltas.push(go(&priorities));
        }
    }
}

const PERMUTATIONS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// How often PCT of this depth hits, in so many cases that are all as likely.
fn exactly(executor: &mut Simulated, depth: u32, k: u32, hit: fn(&Trace) -> bool) -> (u64, u64) {
    let all = u64::from(k).pow(depth - 1);
    let points = |n: u64| -> Vec<u32> {
        (1..depth)
            .scan(n, |n, _| Some(std::mem::replace(n, *n / u64::from(k))))
            .map(|n| (n % u64::from(k)) as u32 + 1)
            .collect()
    };
    let mut hits = 0;
    for first in PERMUTATIONS {
        for n in 0..all {
            hits += u64::from(hit(&by_hand(executor, first, &points(n))));
        }
    }
    (hits, 6 * all)
}

/// A bug of this depth in a program of two threads (three with T0), none of which waits but for a join.
#[track_caller]
fn check_pct(bodies: [&[u32]; 2], depth: u32, hit: fn(&Trace) -> bool) {
    let program = Program::fork_join(bodies.map(stores).to_vec());
    let mut executor = Simulated::new(program, Granularity::Sync);
    // More decisions than any execution has.
    let k = 1 + (0..1000).map(|s| decisions(&drawn(&mut executor, Method::Random, s), false)).max().unwrap();
    let n = 20_000;
    let mut count = |depth| {
        let method = Method::Pct { depth, decisions: k, blocks: false };
        (0..n).filter(|seed| hit(&drawn(&mut executor, method, *seed))).count() as u64
    };
    // With fewer changes it cannot happen.
    assert_eq!(count(depth - 1), 0);
    let found = count(depth);
    let (hits, all) = exactly(&mut executor, depth, k, hit);
    println!("depth {depth}, k {k}: {found} of {n}, exactly {hits} of {all}");
    let expected = n * hits / all;
    assert!(found.abs_diff(expected).pow(2) <= 25 * expected, "{found} of {n}, expected {expected}");
    // The guarantee: 1/(n·k^(d-1)), and with three threads at least that.
    assert!(hits * 3 * u64::from(k).pow(depth - 1) >= all);
}

#[test]
fn pct_hits_bugs_as_often_as_it_promises() {
    // T1's first store, T2's, T1's second.
    check_pct([&[0, 0], &[0]], 2, |t| before(t, (1, 1), (2, 1)) && before(t, (2, 1), (1, 2)));
    // T2 begins within T1, and T1 ends within T2.
    check_pct([&[0, 0, 0], &[0, 0, 0]], 3, |t| {
        before(t, (1, 1), (2, 1)) && before(t, (2, 2), (1, 2)) && before(t, (1, 3), (2, 3))
    });
}

/// How often each order of the threads' stores to variable 0 was drawn.
fn orders(bodies: &[&[u32]], sampling: Method, n: u64) -> BTreeMap<Vec<u8>, u64> {
    let program = Program::fork_join(bodies.iter().map(|b| stores(b)).collect());
    let mut executor = Simulated::new(program, Granularity::Sync);
    let mut orders = BTreeMap::new();
    for seed in 0..n {
        let trace = drawn(&mut executor, sampling, seed);
        let stores =
            trace.events.iter().filter(|e| e.kind() == OpKind::AtomicStore && e.object() == 0x40_0000);
        *orders.entry(stores.map(|e| e.thread()).collect()).or_default() += 1;
    }
    orders
}

/// Three threads store once to a variable of all, after none, three and six steps of their own: six
/// classes. POS comes near to a like share for each, which a random walk does not.
#[test]
fn pos_sees_classes_more_alike() {
    let bodies: [&[u32]; 3] = [&[0], &[1, 1, 1, 0], &[2, 2, 2, 2, 2, 2, 0]];
    let n = 12_000;
    let rarest = |sampling| {
        let found = orders(&bodies, sampling, n);
        println!("{sampling:?}: {found:?}");
        if found.len() < 6 { 0 } else { found.into_values().min().unwrap() }
    };
    // A like share is 2000. The spawns one after the other keep POS from it, too.
    let (pos, random) = (rarest(Method::Pos), rarest(Method::Random));
    assert!(pos > n / 6 / 8 && random < n / 6 / 50, "{pos} {random}");
    assert!(rarest(Method::Pct { depth: 3, decisions: 16, blocks: false }) > n / 6 / 8);
}

fn sampled(order: Order, program: &Program, granularity: Granularity, seed: u64, n: u64) -> Summary {
    let config = Config { order, granularity, seed, executions: Some(n), ..Config::default() };
    let mut executor = Simulated::new(program.clone(), granularity);
    search(config, &mut executor, |_| Control::Continue).unwrap()
}

fn all() -> [Order; 4] {
    [Order::Random, Order::Pct(2), Order::Pct(3), Order::Pos]
}

/// A thread polls, counts its rounds and gives way; another sets what it waits for.
fn polling() -> Program {
    let again = Condition(Value::Reg(0), Is::Equal, Value::Const(0));
    let poll = vec![
        Instr::Load(0, 0, Memory::SeqCst),
        Instr::FetchAdd(1, Value::Const(1), 1, Memory::SeqCst),
        Instr::Yield,
        Instr::JumpIf(again, 0),
    ];
    Program::fork_join(vec![poll.clone(), poll, stores(&[0])])
}

#[test]
fn polling_ends_under_every_sampler() {
    for order in all() {
        let summary = sampled(order, &polling(), Granularity::Sync, 5, 300);
        assert_eq!((summary.executions, summary.truncated), (300, 0), "{}", summary.guarantee);
    }
}

#[test]
fn timed_waits_end_both_ways() {
    let waiter = vec![Instr::Lock(0), Instr::WaitTimeout(0, 0, 0), Instr::Unlock(0)];
    let notifier = vec![Instr::Lock(0), Instr::NotifyOne(0), Instr::Unlock(0)];
    let mut executor = Simulated::new(Program::fork_join(vec![waiter, notifier]), Granularity::Sync);
    for sampling in [Method::Random, Method::Pct { depth: 1, decisions: 12, blocks: false }, Method::Pos] {
        let (mut over, mut woken) = (0, 0);
        for seed in 0..400 {
            let trace = drawn(&mut executor, sampling, seed);
            assert_eq!(trace.outcome, Outcome::Passed);
            let is = |kind| trace.events.iter().any(|e| e.kind() == kind && e.is_step());
            over += u32::from(is(OpKind::Timeout));
            woken += u32::from(trace.events.iter().any(|e| e.kind() == OpKind::NotifyOne && e.value != 0));
        }
        assert!(over > 40 && woken > 40, "{sampling:?}: {over} {woken}");
    }
}

/// The seed is the search, and it is said; no number of executions makes it complete.
#[test]
fn samplers_promise_nothing_but_their_seed() {
    for granularity in [Granularity::Sync, Granularity::Access, Granularity::Statement] {
        for order in all() {
            let run = |seed| sampled(order.clone(), &programs::mutex(2, 2), granularity, seed, 400);
            let summary = run(3);
            assert_eq!(format!("{summary:?}"), format!("{:?}", run(3)));
            assert_ne!(summary.total_steps, 0);
            assert_eq!((summary.executions, summary.complete, summary.bound_completed), (400, false, None));
            assert_eq!(summary.stopped, Some(StopReason::Executions(400)));
            let said = "no failure in 400 interleavings drawn at random, seed 3, which promises no";
            assert!(summary.guarantee.starts_with(said), "{}", summary.guarantee);
            assert!(summary.guarantee.contains(&format!(", {order} order")), "{}", summary.guarantee);
        }
    }
}

/// Every class is seen in the end, by those that can see it.
#[test]
fn all_classes_of_a_small_program_are_seen() {
    for order in [Order::Random, Order::Pct(10), Order::Pos] {
        let summary = sampled(order, &programs::mutex(3, 2), Granularity::Sync, 1, 20_000);
        assert_eq!(summary.classes, Some(90), "{}", summary.guarantee);
    }
}
