//! What the engine itself costs: searches over recorded traces, so that the executor's own cost
//! is one copy of a trace. Measured in CPU time of the thread, for the searches wait for nothing
//! and machines are shared.

#![allow(missing_docs)]

use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use raddle_engine::analysis::Analyses;
use raddle_engine::analysis::race::Detector;
use raddle_engine::executor::{Executor, ExecutorError};
use raddle_engine::simulated::{Instr, Program, Simulated, Value};
use raddle_engine::{Bound, Config, Control, Operation, Order as Priority, Search, Selection, search};
use raddle_schedule::{Granularity, Order, Plan, Trace, hash};
use std::hint::black_box;
use std::time::Duration;

/// CPU time of this thread.
struct CpuTime;

impl CpuTime {
    fn now() -> Duration {
        #[repr(C)]
        struct Time {
            seconds: i64,
            nanos: i64,
        }
        unsafe extern "C" {
            fn clock_gettime(clock: i32, time: *mut Time) -> i32;
        }
        const CLOCK_THREAD_CPUTIME_ID: i32 = 3;
        let mut time = Time { seconds: 0, nanos: 0 };
        // SAFETY: POSIX; the structure is `struct timespec` of 64-bit Linux and lives on the stack.
        unsafe { clock_gettime(CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
        Duration::new(time.seconds as u64, time.nanos as u32)
    }
}

impl Measurement for CpuTime {
    type Intermediate = Duration;
    type Value = Duration;

    fn start(&self) -> Duration {
        Self::now()
    }

    fn end(&self, start: Duration) -> Duration {
        Self::now() - start
    }

    fn add(&self, a: &Duration, b: &Duration) -> Duration {
        *a + *b
    }

    fn zero(&self) -> Duration {
        Duration::ZERO
    }

    fn to_f64(&self, value: &Duration) -> f64 {
        value.as_nanos() as f64
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        WallTime.formatter()
    }
}

/// T threads, each N times {lock; count; unlock}.
fn mutex(threads: usize, times: usize) -> Program {
    let once = [
        Instr::Lock(0),
        Instr::Read(0, 7),
        Instr::Add(7, Value::Const(1)),
        Instr::Write(0, Value::Reg(7)),
        Instr::Unlock(0),
    ];
    Program::fork_join(vec![(0..times).flat_map(|_| once).collect(); threads])
}

/// Two threads, each N times {v = c; c = v + 1}, atomic.
fn lost_update(times: usize) -> Program {
    let once = [Instr::Load(0, 0, Order::SeqCst), Instr::Store(0, Value::Reg(0), Order::SeqCst)];
    Program::fork_join(vec![(0..times).flat_map(|_| once).collect(); 2])
}

/// Executes, and keeps the traces.
struct Recording {
    inner: Simulated,
    traces: Vec<Trace>,
}

impl Executor for Recording {
    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        self.inner.submit(plan)
    }

    fn receive(&mut self, trace: &mut Trace) -> Result<bool, ExecutorError> {
        let received = self.inner.receive(trace)?;
        self.traces.push(trace.clone());
        Ok(received)
    }
}

/// Gives the same traces again: the search is a function of them.
struct Recorded<'a> {
    traces: std::slice::Iter<'a, Trace>,
}

impl Executor for Recorded<'_> {
    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        black_box(plan);
        Ok(())
    }

    fn receive(&mut self, trace: &mut Trace) -> Result<bool, ExecutorError> {
        let Some(next) = self.traces.next() else { return Ok(false) };
        let mut events = std::mem::take(&mut trace.events);
        events.clear();
        events.extend_from_slice(&next.events);
        *trace = Trace { events, message: String::new(), ..Trace::default() };
        trace.sequence = next.sequence;
        trace.outcome = next.outcome;
        trace.steps = next.steps;
        trace.hash = next.hash;
        trace.main_returned = next.main_returned;
        Ok(true)
    }
}

fn config(bound: Bound, executions: u64) -> Config {
    Config { bound, executions: Some(executions), probe: false, ..Config::default() }
}

fn record(program: &Program, config: &Config) -> Vec<Trace> {
    let inner = Simulated::new(program.clone(), Granularity::Sync);
    let mut executor = Recording { inner, traces: Vec::new() };
    search(config.clone(), &mut executor, |_| Control::Continue).unwrap();
    executor.traces
}

fn searches(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("search");
    let list = || Priority::parse("method,var").unwrap_or_default();
    for (name, program, bound, order) in [
        ("mutex 3x2, dfs", mutex(3, 2), Bound::None, Priority::Dfs),
        ("mutex 3x2, iterative", mutex(3, 2), Bound::Iterative, Priority::Dfs),
        ("lost update 4, dfs", lost_update(4), Bound::None, Priority::Dfs),
        ("mutex 3x2, method,var", mutex(3, 2), Bound::None, list()),
        ("mutex 3x2, iterative, method,var", mutex(3, 2), Bound::Iterative, list()),
    ] {
        let config = Config { order, ..config(bound, 2000) };
        let traces = record(&program, &config);
        group.throughput(Throughput::Elements(traces.len() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(name), &traces, |b, traces| {
            b.iter(|| {
                let mut executor = Recorded { traces: traces.iter() };
                search(config.clone(), &mut executor, |_| Control::Continue).unwrap()
            });
        });
    }
    // What the analyses cost the engine.
    let bare = Config { bare: true, ..config(Bound::None, 2000) };
    let traces = record(&mutex(3, 2), &bare);
    group.throughput(Throughput::Elements(traces.len() as u64));
    group.bench_with_input(
        BenchmarkId::from_parameter("mutex 3x2, dfs, no analyses"),
        &traces,
        |b, traces| {
            b.iter(|| {
                let mut executor = Recorded { traces: traces.iter() };
                search(bare.clone(), &mut executor, |_| Control::Continue).unwrap()
            });
        },
    );
    group.finish();
}

/// What is done at half of the places, drawn by this number.
struct Half(u64);

impl Selection for Half {
    fn method(&self, _: u16) -> bool {
        false
    }

    fn variable(&self, operation: &Operation) -> bool {
        hash::mix(self.0, u64::from(operation.site)) >> 63 == 0
    }
}

/// Re-orders a million executions that wait, for a selection that has nothing to do with the one before.
/// Said beside it: what they take.
fn refocus(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("refocus, a million that wait");
    group.sample_size(20);
    for (list, bound) in [
        ("method,var", Bound::Iterative),
        ("var,mdpor,pb", Bound::Iterative),
        ("var,rand", Bound::Iterative),
        ("method,var,rand", Bound::Iterative),
        ("rand,var", Bound::Iterative),
        ("pb,dpor,mdpor,ss,rand,method,var", Bound::Iterative),
        ("pb,dpor,mdpor,ss,rand,method,var", Bound::None),
        ("method,var,pb,dpor,mdpor,ss,rand", Bound::None),
    ] {
        let order = Priority::parse(list).unwrap_or_default();
        let config = Config { order, ..config(bound, u64::MAX) };
        let mut executor = Simulated::new(mutex(4, 30), Granularity::Sync);
        let mut search = Search::new(config).unwrap();
        let mut half = 0;
        search.refocus(Box::new(Half(half)), true);
        while search.progress().waiting < 1_000_000 {
            search.step(&mut executor).unwrap();
        }
        let (waiting, peaks) = (search.progress().waiting, search.summary().peaks);
        let per = |bytes: usize| bytes as f64 / waiting as f64;
        println!(
            "{list}, {bound}: {waiting} wait, {} executions; bytes each: {:.1} of nodes, {:.1} of entries, {:.1} of contexts",
            search.progress().executions,
            per(peaks.tree_bytes),
            per(peaks.fringe_bytes),
            per(peaks.context_bytes),
        );
        group.bench_function(format!("{list}, {bound}"), |b| {
            b.iter(|| {
                half += 1;
                search.refocus(Box::new(Half(half)), true);
            });
        });
    }
    group.finish();
}

fn analyses(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("analyses");
    let traces = record(&mutex(3, 2), &config(Bound::None, 2000));
    let events: usize = traces.iter().map(|t| t.events.len()).sum();
    group.throughput(Throughput::Elements(events as u64));
    group.bench_function("races, per event", |b| {
        let mut detector = Detector::default();
        b.iter(|| traces.iter().for_each(|t| detector.run(t, 3)));
    });
    group.bench_function("class, per event", |b| {
        let mut analyses = Analyses::new(true);
        b.iter(|| traces.iter().map(|t| analyses.signature(t)).fold(0, u64::wrapping_add));
    });
    group.finish();
}

fn executor(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("simulated");
    group.throughput(Throughput::Elements(1));
    let mut simulated = Simulated::new(mutex(3, 2), Granularity::Sync);
    let (plan, mut trace) = (Plan::new(0, Vec::new(), 1000), Trace::default());
    group.bench_function("mutex 3x2, default schedule", |b| b.iter(|| simulated.execute(&plan, &mut trace)));
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().with_measurement(CpuTime);
    targets = searches, refocus, analyses, executor
}
criterion_main!(benches);
