//! Orders by priority functions, on real programs through the real binary: each order runs every
//! execution once and all in the end, and with a reduction every class.

use raddle_protocol::report::Report;
use raddle_tests::Scratch;

const ORDERS: [&str; 10] = [
    "dfs",
    "pb",
    "dpor",
    "mdpor",
    "ss",
    "rand --seed 7",
    "rand,pb --seed 8",
    "ss,mdpor,pb",
    "mdpor,rand",
    "method,ss,rand --focus-method increment",
];

fn explore(scratch: &Scratch, target: &str, options: &str) -> Report {
    scratch.raddle(&format!("explore {target} {options}")).json().exits(0).report().clone()
}

#[test]
fn every_order_runs_all_executions() {
    let scratch = Scratch::with("samples/c/split_lock_fixed.c");
    for (bound, many) in [("none", 100), ("iterative", 100), ("preemptions=2", 50)] {
        let search = format!("--granularity access --bound {bound} --order");
        let plain = explore(&scratch, "split_lock_fixed.c", &format!("{search} dfs"));
        assert!(plain.complete && plain.executions > many, "{}", plain.executions);
        for order in ORDERS {
            let report = explore(&scratch, "split_lock_fixed.c", &format!("{search} {order}"));
            let found = (report.complete, report.executions, report.classes);
            assert_eq!(found, (true, plain.executions, plain.classes), "--bound {bound} --order {order}");
            let name = order.split(' ').next().unwrap();
            assert_eq!(report.search.order, name);
            assert!(name == "dfs" || report.guarantee.contains(&format!(", {name} order")));
        }
    }
    let report = explore(&scratch, "split_lock_fixed.c", "--order rand,pb --seed 8");
    assert!(report.guarantee.contains("rand,pb order of seed 8"), "{}", report.guarantee);
    assert_eq!((report.tree.bytes_per_node, report.tree.bytes_per_entry), (16, 16));
}

/// Executions of one class stand for each other, in any order; and no bound is claimed by `pb`.
#[test]
fn with_a_reduction_every_order_runs_all_classes() {
    let scratch = Scratch::with("tests/programs/counts");
    let search = "counts/fib_read.c --cflags=-DN=3 --granularity access --bound none";
    for reduce in ["sleep", "persistent", "source", "optimal"] {
        let plain = explore(&scratch, search, &format!("--reduce {reduce}"));
        assert_eq!((plain.complete, Some(plain.executions)), (true, plain.classes));
        for order in ["pb", "rand --seed 3", "mdpor,pb"] {
            let report = explore(&scratch, search, &format!("--reduce {reduce} --order {order}"));
            assert!(report.complete);
            // As depth first: one execution of each of its classes is complete.
            let found = (report.executions, report.classes);
            assert_eq!(found, (plain.executions, plain.classes), "{reduce}, {order}");
            assert!(report.guarantee.contains("no bound"), "{}", report.guarantee);
        }
    }
    let unsound = "--granularity access --bound preemptions=2 --reduce source --order pb";
    let run = scratch.raddle(&format!("explore counts/fib_read.c {unsound}")).run().exits(2);
    run.says(&["--reduce bounded with --bound preemptions=N"]);
}
