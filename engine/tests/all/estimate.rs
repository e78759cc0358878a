//! The estimate against known totals: exact at the end, within its range on the way, silent where
//! it knows nothing.

use crate::common::{config, programs};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use raddle_engine::estimate::{Confidence, Estimate, Estimator};
use raddle_engine::executor::{Executor, ExecutorError};
use raddle_engine::reduction::{Parent, backtracking};
use raddle_engine::search::Turn;
use raddle_engine::simulated::{Instr, Program, Simulated, Value};
use raddle_engine::{Bound, Config, Reduce, Search};
use raddle_schedule::{Delta, Granularity, Order as Ordering, Plan, Trace, hash};
use std::collections::VecDeque;

/// Notes how many executions there are with each number of preemptions, and gives each trace to
/// an estimator of its own.
struct Watched {
    inner: Simulated,
    plans: VecDeque<Option<Delta>>,
    estimator: Estimator,
    bound: Bound,
    /// The estimator is for plain searches.
    reduces: bool,
}

impl Executor for Watched {
    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        self.plans.push_back(plan.deltas.last().copied());
        self.inner.submit(plan)
    }

    fn receive(&mut self, trace: &mut Trace) -> Result<bool, ExecutorError> {
        let received = self.inner.receive(trace)?;
        if self.reduces {
            return Ok(received);
        }
        let delta = self.plans.pop_front().unwrap();
        let prefix_hash = delta.map_or(hash::EMPTY, |d| trace.prefix_hash(d.step));
        let preemptions = raddle_engine::naming::name(trace).preemptions;
        let parent = Parent { delta, floor: 0, preemptions, prefix_hash };
        let found = &mut |child: raddle_engine::reduction::Child| {
            let within = match self.bound {
                Bound::Preemptions(most) => child.preemptions <= most,
                Bound::Depth(steps) => child.step < steps,
                _ => true,
            };
            if within {
                let delta = Delta { step: child.step, choice: child.choice };
                self.estimator.child(delta, preemptions, child.preemptions);
            }
        };
        backtracking(Granularity::Sync).expand(&parent, trace, found).unwrap();
        self.estimator.ran(delta, preemptions, trace.steps);
        Ok(received)
    }
}

/// What was said of a search in its course, and what was right.
struct Course {
    /// Executions so far, and the estimate.
    said: Vec<(u64, Option<Estimate>)>,
    /// Executions with at most so many preemptions; for other bounds the last is all.
    totals: Vec<u64>,
    /// What an estimator says at the end.
    last: f64,
}

/// A whole search of a program; `None` if it has more executions than `most`.
fn course(program: &Program, bound: Bound, most: u64) -> Option<Course> {
    course_of(program, Config { bound, ..config() }, most)
}

fn course_of(program: &Program, config: Config, most: u64) -> Option<Course> {
    let bound = config.bound;
    let inner = Simulated::new(program.clone(), Granularity::Sync);
    let estimator = Estimator::new(bound, 0, 0);
    let mut executor =
        Watched { inner, plans: VecDeque::new(), estimator, bound, reduces: config.reduce != Reduce::None };
    let config = Config { classes: false, executions: Some(most), ..config };
    let mut search = Search::new(config).unwrap();
    let (mut said, mut totals, mut next) = (Vec::new(), Vec::new(), 1);
    while search.step(&mut executor).unwrap() != Turn::Done {
        let progress = search.progress();
        totals.resize((progress.preemptions as usize + 1).max(totals.len()), 0);
        *totals.last_mut().unwrap() = progress.executions;
        // Often at first: a long search is not all that counts.
        if progress.executions >= next {
            next += progress.executions / 4;
            said.push((progress.executions, search.estimate()));
        }
    }
    let summary = search.summary();
    if summary.stopped.is_some() {
        return None;
    }
    Some(Course { said, totals, last: executor.estimator.total() })
}

impl Course {
    /// What an estimate should have been.
    fn truth(&self, estimate: &Estimate) -> u64 {
        match estimate.preemptions {
            Some(round) => self.totals[round as usize],
            None => *self.totals.last().unwrap(),
        }
    }
}

/// Random programs, the same every time.
fn drawn(n: usize) -> Vec<Program> {
    let mut runner = TestRunner::deterministic();
    (0..n).map(|_| programs::random().new_tree(&mut runner).unwrap().current()).collect()
}

#[test]
fn exact_when_everything_was_run() {
    let mut tried = 0;
    for (i, program) in drawn(60).iter().enumerate() {
        for bound in
            [Bound::None, Bound::Iterative, Bound::Preemptions(i as u32 % 4), Bound::Depth(i as u32 % 14)]
        {
            let Some(course) = course(program, bound, 2_000) else { continue };
            let all = *course.totals.last().unwrap() as f64;
            assert!((course.last / all - 1.0).abs() < 1e-9, "{bound}: {} for {all}", course.last);
            tried += 1;
        }
    }
    assert!(tried > 120, "{tried}");
}

/// What is said once something is said: by how much it is off, and how often its range is missed.
fn judge(programs: &[Program], config: &Config, most: u64) -> (usize, f64, f64) {
    let (mut said, mut outside, mut logarithms) = (0, 0, 0.0);
    for program in programs {
        let Some(course) = course_of(program, config.clone(), most) else { continue };
        for (executions, estimate) in &course.said {
            let Some(e) = estimate else { continue };
            let truth = course.truth(e);
            assert!(e.low <= e.executions && e.executions <= e.high);
            assert!(e.executions >= *executions && (0.0..=1.0).contains(&e.share));
            said += 1;
            outside += usize::from(truth < e.low || e.high < truth);
            logarithms += (e.executions as f64 / truth as f64).ln();
        }
    }
    (said, (logarithms / said as f64).exp(), outside as f64 / said as f64)
}

/// Over many programs the geometric mean of estimate ÷ truth is near 1, and at most every seventh
/// truth lies outside of the range that was told.
#[test]
fn near_the_truth_on_average_and_mostly_within_its_range() {
    let mut programs = drawn(45);
    programs.extend([
        programs::mutex(2, 3),
        programs::mutex(3, 1),
        programs::lost_update(3),
        programs::two_locks(),
    ]);
    for bound in
        [Bound::Iterative, Bound::Preemptions(2), Bound::Preemptions(3), Bound::Depth(14), Bound::None]
    {
        let (said, mean, outside) = judge(&programs, &Config { bound, ..config() }, 3_000);
        println!("{bound}: said {said}, mean {mean:.2}, outside {outside:.2}");
        assert!(said >= 30, "{bound}: {said}");
        assert!((0.75..1.35).contains(&mean), "{bound}: {mean}");
        assert!(outside <= 1.0 / 7.0, "{bound}: {outside}");
    }
}

/// Two threads that each add up the other's numbers (fib_bench of the literature).
fn fib(times: usize) -> Program {
    let body = |own, other| {
        let add = [
            Instr::Load(own, 0, Ordering::SeqCst),
            Instr::Load(other, 1, Ordering::SeqCst),
            Instr::Add(0, Value::Reg(1)),
            Instr::Store(own, Value::Reg(0), Ordering::SeqCst),
        ];
        (0..times).flat_map(|_| add).collect()
    };
    Program::fork_join(vec![body(0, 1), body(1, 0)])
}

/// With reductions the estimate is rough: the geometric mean within a factor of two, at most every
/// fifth truth outside of the range. At the end it is the number itself.
#[test]
fn rough_where_races_are_reversed_and_exact_at_the_end() {
    let ainc = |threads| {
        Program::fork_join(vec![vec![Instr::FetchAdd(0, Value::Const(1), 0, Ordering::SeqCst)]; threads])
    };
    let programs = [fib(3), fib(4), programs::mutex(3, 3), programs::mutex(2, 4), ainc(6)];
    for reduce in [Reduce::Optimal, Reduce::Source, Reduce::Persistent, Reduce::Sleep] {
        let config = Config { reduce, ..config() };
        let (said, mean, outside) = judge(&programs, &config, 12_000);
        println!("{reduce}: said {said}, mean {mean:.2}, outside {outside:.2}");
        assert!(said >= 20, "{reduce}: {said}");
        assert!((0.5..2.0).contains(&mean) && outside <= 0.2, "{reduce}: {mean}, {outside}");
        let mut search = Search::new(Config { classes: false, ..config }).unwrap();
        let mut executor = Simulated::new(fib(3), Granularity::Sync);
        while search.step(&mut executor).unwrap() != Turn::Done {}
        let (last, run) = (search.estimate().unwrap(), search.progress().executions);
        assert_eq!((search.summary().complete, last.executions, last.low), (true, run, run));
        assert!(last.share > 0.999_999, "{last:?}");
    }
}

#[test]
fn silent_where_it_knows_nothing() {
    let Course { said, .. } = course(&programs::mutex(2, 3), Bound::None, 10_000).unwrap();
    assert!(said.iter().filter(|(n, _)| *n < 64).all(|(_, e)| e.is_none()));
    assert!(said.iter().any(|(_, e)| e.is_some()));
    // Four threads of six sections: a number of twenty digits, of which a corner is run.
    let inner = &mut Simulated::new(programs::mutex(4, 6), Granularity::Sync);
    let mut search = Search::new(Config { classes: false, executions: Some(3_000), ..config() }).unwrap();
    while search.step(inner).unwrap() != Turn::Done {
        assert_eq!(search.estimate(), None);
    }
}

/// With rounds the one that is being run is spoken of.
#[test]
fn of_rounds_the_present_one() {
    let course = course(&programs::mutex(2, 3), Bound::Iterative, 200_000).unwrap();
    let rounds = course.said.iter().filter_map(|(_, e)| e.map(|e| (e.preemptions, e.confidence)));
    let rounds: Vec<_> = rounds.collect();
    assert!(
        rounds.iter().map(|(round, _)| round).is_sorted() && rounds.iter().all(|(round, _)| round.is_some())
    );
    assert!(
        rounds.iter().filter(|(_, confidence)| *confidence == Confidence::High).count() * 2 > rounds.len()
    );
}

/// Theorem 1 of paper 000: with n threads of at most k steps, b of them blocking, there are at
/// most C(nk, c)·(nb + c)! executions with c preemptions. For mutex 2×3: T0 spawns,
/// joins and exits in 5 steps, the others start, lock and unlock and exit in 8; at most 4 block.
#[test]
fn totals_respect_the_theorem() {
    let course = course(&programs::mutex(2, 3), Bound::Iterative, 200_000).unwrap();
    let (n, k, b) = (3.0, 8.0, 4.0);
    let mut before = 0;
    for (c, total) in course.totals.iter().enumerate() {
        let choose: f64 = (0..c).map(|i| (n * k - i as f64) / (i + 1) as f64).product();
        let factorial: f64 = (1..=(n * b) as usize + c).map(|i| i as f64).product();
        let exactly = total.saturating_sub(before) as f64;
        assert!(exactly <= choose * factorial, "{c} preemptions");
        before = *total;
    }
}
