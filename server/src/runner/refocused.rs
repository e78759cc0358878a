//! A focus that changes after given executions of a real program: each execution once and all in the
//! end, whatever the order, and the same again with the same seed (algorithms, rule 5).

use super::agreement::{Random, compile, runner};
use super::{Carriers, Runner};
use raddle_engine::search::Turn;
use raddle_engine::{Bound, Config, Executor, ExecutorError, Operation, Order, Search, Selection};
use raddle_schedule::{Granularity, Plan, Trace, hash};
use std::path::Path;

/// Notes every execution, by the hash of all its steps and choices.
struct Noting {
    runner: Runner,
    run: Vec<u64>,
}

impl Executor for Noting {
    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        self.runner.submit(plan)
    }

    fn receive(&mut self, trace: &mut Trace) -> Result<bool, ExecutorError> {
        let received = self.runner.receive(trace)?;
        if received {
            self.run.push(trace.hash);
        }
        Ok(received)
    }
}

/// What is done at half of the places to half of the objects, drawn by this number.
struct Drawn(u64);

impl Selection for Drawn {
    fn method(&self, number: u16) -> bool {
        hash::mix(self.0, u64::from(number)) >> 63 == 0
    }

    fn variable(&self, operation: &Operation) -> bool {
        let object = hash::mix(self.0, operation.object) >> 63 == 0;
        object && hash::mix(self.0, u64::from(operation.site)) >> 63 == 0
    }
}

/// All executions in the order in which they were run. The focus changes after so many of them as
/// are drawn from this number.
fn searched(program: &Path, order: &str, bound: Bound, seed: Option<u64>) -> Vec<u64> {
    // Loads, stores, a compare-exchange and a lock, on what both threads share.
    let bodies = ["l0x0L0U0c1", "x1L0U0l0c0"].map(str::to_string);
    let runner = runner(program, &bodies, Granularity::Sync, Carriers::Fibers);
    let mut executor = Noting { runner, run: Vec::new() };
    let order = Order::parse(order).unwrap();
    let mut search =
        Search::new(Config { order, bound, keep_going: true, probe: false, ..Config::default() }).unwrap();
    let mut random = Random(seed.unwrap_or_default());
    let (mut next, mut changes) = (0, 0);
    while search.step(&mut executor).unwrap() != Turn::Done {
        if seed.is_some() && search.progress().executions >= next {
            search.refocus(Box::new(Drawn(random.below(1 << 20) as u64)), true);
            next = search.progress().executions + 1 + random.below(60) as u64;
            changes += 1;
        }
    }
    assert!(search.summary().complete && (seed.is_none() || changes > 50), "{changes} changes");
    executor.run
}

#[test]
fn each_execution_is_run_once_and_all_in_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path());
    for bound in [Bound::None, Bound::Iterative] {
        let mut all = searched(&program, "dfs", bound, None);
        all.sort_unstable();
        assert!(all.len() > 3000 && all.windows(2).all(|two| two[0] != two[1]), "{}", all.len());
        for order in ["method,var", "var,rand", "rand,var,pb", "var,mdpor,pb"] {
            for seed in [1, 2] {
                let run = searched(&program, order, bound, Some(seed));
                assert!(
                    run == searched(&program, order, bound, Some(seed)),
                    "{order}, {bound}: not the same again"
                );
                let mut sorted = run;
                sorted.sort_unstable();
                assert!(sorted == all, "{order}, {bound}, seed {seed}: not each once");
            }
        }
    }
}
