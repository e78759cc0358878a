//! The programs with a mistake.

use crate::raddle::root;
use std::path::PathBuf;

/// One program, and how it is built.
pub struct Subject {
    /// What the table calls it.
    pub name: String,
    /// What is explored.
    pub target: PathBuf,
    /// Options that make it what it is: flags of its build, the test in it.
    pub options: Vec<String>,
    /// Was it left out of sight while the default search was chosen?
    pub held_out: bool,
}

/// Programs whose threads are started by `run_all`: folder and name, flags, and how many threads.
const ORDERED: &[(&str, &str, usize)] = &[
    ("counts/lost", "-DN=1 -DCHECK", 2),
    ("counts/lost", "-DN=2 -DCHECK", 2),
    ("counts/queue", "-DIF", 3),
    ("counts/philosophers", "-DN=3", 3),
    ("counts/aba", "", 2),
    ("bugs/bank", "", 3),
    ("bugs/closing", "", 3),
    ("bugs/dekker", "", 2),
    ("bugs/one_condition", "", 3),
    ("bugs/permits", "", 3),
    ("bugs/published", "", 2),
    ("bugs/readers_writer", "", 3),
    ("bugs/released", "", 3),
    ("bugs/sequence", "", 2),
    ("bugs/turns", "", 3),
];

/// Other programs in C: the file, its flags, and the test in it.
const OTHERS: &[(&str, &str, &str)] = &[
    ("samples/c/hot_pair.c", "", ""),
    ("samples/c/livelock.c", "", ""),
    ("samples/c/lost_update.c", "", ""),
    ("samples/c/lost_update_plain.c", "", ""),
    ("samples/c/lost_wakeup.c", "", ""),
    ("samples/c/modules.c", "", ""),
    ("samples/c/overdraft.c", "", "test_never_overdrawn"),
    ("samples/c/pool.c", "", ""),
    ("samples/c/queue_if.c", "", ""),
    ("samples/c/segfault_once.c", "", ""),
    ("samples/c/signal_one.c", "", ""),
    ("samples/c/spin.c", "", ""),
    ("samples/c/split_lock.c", "", ""),
    ("samples/c/two_lock_deadlock.c", "", ""),
    ("samples/c/unlocked_sometimes.c", "", ""),
    ("samples/c/work_stealing.c", "-DMISTAKE=1", ""),
    ("samples/c/work_stealing.c", "-DMISTAKE=2", ""),
    ("samples/c/work_stealing.c", "-DMISTAKE=3", ""),
    ("tests/programs/fault.c", "-DFAULT=1", ""),
    ("tests/programs/names_deadlock.c", "", ""),
    ("tests/programs/handoff.cpp", "", "test_withdrawals"),
    ("tests/programs/spins.c", "", "test_each_for_the_other"),
    ("tests/programs/promoted.c", "", "test_heap"),
    ("tests/programs/promoted.c", "", "test_double_checked"),
];

/// Tests of packages.
const PACKAGES: &[(&str, &str)] = &[
    ("samples/rust/bank", "audit_sees_all_money"),
    ("samples/rust/hot_pair", "tests::refresh_and_evict"),
    ("samples/rust/job_queue", "tests::submit_and_close"),
    ("samples/rust/livelock", "tests::each_keeps_its_own"),
    ("samples/rust/lost_update", "tests::load_then_store"),
    ("tests/packages/counts", "atomics::lost_2_checked"),
    ("tests/packages/counts", "locks::queue_if"),
    ("tests/packages/counts", "locks::queue_if_consumers_first"),
    ("tests/packages/counts", "locks::queue_if_producer_between"),
    ("tests/packages/counts", "locks::philosophers_3"),
    ("tests/packages/counts", "locks::philosophers_5"),
    ("tests/packages/counts", "stacks::aba"),
];

/// All of them.
pub fn subjects() -> Vec<Subject> {
    let mut all = Vec::new();
    for (program, flags, threads) in ORDERED {
        let short = program.split('/').next_back().unwrap_or(program);
        for order in permutations(*threads) {
            let order = order.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
            let name = [short, flags].join(" ");
            all.push(Subject {
                name: format!("{} {order}", name.trim()),
                target: root().join(format!("tests/programs/{program}.c")),
                options: vec![format!("--cflags={flags} -DORDER={order}")],
                held_out: false,
            });
        }
    }
    for (file, flags, test) in OTHERS {
        let mut options = Vec::new();
        if !test.is_empty() {
            options.extend([test.to_string(), "--exact".to_string()]);
        }
        if !flags.is_empty() {
            options.push(format!("--cflags={flags}"));
        }
        all.push(held_out(file, format!("{flags} {test}"), options));
    }
    for (package, test) in PACKAGES {
        all.push(held_out(package, test.to_string(), vec![test.to_string(), "--exact".to_string()]));
    }
    all
}

fn held_out(target: &str, what: String, options: Vec<String>) -> Subject {
    let short = target.split('/').next_back().unwrap_or(target);
    let folder = if target.starts_with("samples/rust") { "Rust: " } else { "" };
    let name = format!("{folder}{short} {}", what.trim());
    Subject { name: name.trim().to_string(), target: root().join(target), options, held_out: true }
}

/// All orders of the numbers below n, the lowest first.
fn permutations(n: usize) -> Vec<Vec<usize>> {
    let Some(last) = n.checked_sub(1) else { return vec![Vec::new()] };
    let shorter = permutations(last);
    let put =
        |p: &Vec<usize>| (0..n).rev().map(|at| [&p[..at], &[last], &p[at..]].concat()).collect::<Vec<_>>();
    let mut all: Vec<Vec<usize>> = shorter.iter().flat_map(put).collect();
    all.sort();
    all
}
