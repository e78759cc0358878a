//! Reference counts (`Arc`, `Weak`) are operations of the search where the order of what is done to them can be noticed, and
//! cost nothing where it cannot.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::Scratch;
use std::collections::BTreeMap;

fn explore(options: &str) -> (Scratch, BTreeMap<String, Report>) {
    let scratch = Scratch::with("tests/packages/trust_counts");
    let reports = scratch.raddle(&format!("explore trust_counts {options}")).json().exits(1).reports;
    (scratch, reports.into_iter().map(|report| (report.test.clone(), report)).collect())
}

/// Fails, and what decides names this.
fn fails(reports: &BTreeMap<String, Report>, test: &str, kind: &str, named: &str) {
    let report = &reports[test];
    let [failure] = report.failures.as_slice() else { panic!("{test}: {report:#?}") };
    let told = failure.explanation.join("\n");
    assert_eq!(failure.kind, kind, "{test}: {told}");
    assert!(told.contains(named) && !told.contains("atomic 1"), "{test}: {told}");
}

fn passes(reports: &BTreeMap<String, Report>, test: &str, executions: u64) {
    let report = &reports[test];
    assert!(report.verdict == Verdict::Passed && report.complete, "{test}: {report:#?}");
    assert_eq!(report.executions, executions, "{test}");
}

/// Structures of which some were reported (others of these are in `trust_reported`), and the same repaired.
#[test]
fn structures_that_hang_on_who_is_last() {
    let (scratch, all) = explore("");
    fails(&all, "last_drop_under_lock", "deadlock", "owners of item");
    fails(&all, "get_mut_after_flag", "panic", "owners of data");
    fails(&all, "upgrade", "panic", "owners of a");
    // The last decrement of the weak count, behind a test of it, gives the block back.
    fails(&all, "weak_count_before_the_last", "panic", "weak references of a");
    for right in ["last_drop_under_lock_fixed", "strong_count_last", "upgrade_fixed"] {
        assert!(all[right].verdict == Verdict::Passed && all[right].complete, "{:#?}", all[right]);
    }
    // Who drops the value can be told by its destructor, by what that does to the thread, and by `Arc::into_inner`.
    for wrong in ["closed_by_whom", "thread_local_drop", "into_inner_last", "into_inner_main", "weak_last"] {
        assert_eq!(all[wrong].verdict, Verdict::Failed, "{:#?}", all[wrong]);
    }
    assert_eq!(all["into_inner_in_a_drop_is_last"].verdict, Verdict::Failed);
    fails(&all, "into_inner_in_a_drop_is_not_last", "panic", "owners of inner");
    // Two orders of the two decrements; two of the thread's drop and what looks at the count.
    passes(&all, "into_inner_one", 2);
    passes(&all, "make_mut_beside_clone", 2);
    // Nobody can tell who is last, or asks before all have gone: four clones and nine drops are one class.
    passes(&all, "many_drops", 1);
    // Two orders of two locks.
    passes(&all, "unwrap_after_join", 2);
    passes(&all, "spin_on_count", 2);
    passes(&all, "yield_on_count", 2);
    passes(&all, "spin_on_several_counts", 2);
    passes(&all, "spin_on_weak_count", 2);
    // The schedule says which counts were points.
    let failure = &all["get_mut_after_flag"].failures[0];
    let (_, words) = failure.replay.split_once("raddle ").expect("a command");
    scratch.raddle(words).json().exits(1);
}

/// The last of a thread and its handle drops the thread's result, in every search.
#[test]
fn results_that_the_last_of_thread_and_handle_drops() {
    let scratch = Scratch::with("tests/packages/trust_counts");
    for options in ["", "--bound iterative", "--reduce optimal"] {
        let words = format!("explore trust_counts --test results {options}");
        let reports = scratch.raddle(&words).json().exits(1).reports;
        assert_eq!(reports.len(), 10, "{reports:#?}");
        for report in reports {
            if report.test.starts_with("wrong") {
                assert_eq!(report.verdict, Verdict::Failed, "{options} {report:#?}");
            } else {
                assert!(report.verdict == Verdict::Passed && report.complete, "{options} {report:#?}");
            }
        }
    }
}

/// The order in which owners go hides no race: what a decrement publishes is known in the drop, and behind it no more. What
/// other synchronisation orders, and what tests of a count find, stays known.
#[test]
fn races_that_the_order_of_drops_would_hide() {
    let scratch = Scratch::with("tests/packages/trust_counts");
    for options in ["", "--points-in Arc", "--release"] {
        let words = format!("explore trust_counts --test races {options}");
        let reports = scratch.raddle(&words).json().exits(1).reports;
        let (wrong, right): (Vec<_>, Vec<_>) = reports.iter().partition(|r| r.test.starts_with("wrong"));
        assert_eq!((wrong.len(), right.len()), (7, 11), "{reports:#?}");
        for report in wrong {
            let kinds = report.failures.iter().map(|f| f.kind.as_str()).collect::<Vec<_>>();
            assert_eq!(kinds, ["data-race"], "{options} {report:#?}");
        }
        for report in right {
            assert!(report.verdict == Verdict::Passed && report.complete, "{options} {report:#?}");
        }
    }
}

/// Optimised code has `Arc::into_inner` in its callers.
#[test]
fn into_inner_that_is_inlined_is_noticed() {
    let scratch = Scratch::with("tests/packages/trust_counts");
    for test in ["into_inner_in_a_drop_is_not_last", "into_inner_main"] {
        scratch.raddle(&format!("explore trust_counts --release --test owners {test}")).json().exits(1);
    }
}

/// Without a reduction a count that tells nothing is no choice.
#[test]
fn what_nobody_can_notice_is_no_choice() {
    let scratch = Scratch::with("tests/packages/trust_counts");
    let executions = |test: &str| {
        let words = format!("explore trust_counts --test owners {test} --bound iterative --reduce none");
        let found = scratch.raddle(&words).json().exits(0);
        let [report] = found.reports.as_slice() else { panic!("{found:#?}") };
        assert!(report.complete, "{report:#?}");
        report.executions
    };
    assert_eq!(executions("two_drops"), executions("two_threads"));
}

/// What commutes hands over no time: a clock would show an order that no reduction turns around.
#[test]
fn decrements_carry_no_time() {
    let scratch = Scratch::with("tests/packages/trust_counts");
    let words = "explore trust_counts --test owners time_behind_a_drop --bound none --reduce none";
    let found = scratch.raddle(words).json().exits(0);
    assert!(found.reports[0].complete && found.reports[0].executions > 3, "{found:#?}");
}

/// A crate beside the workspace, which has no markers: its drops leave who made them in a thread's locals, in a static, and in
/// a file.
const UNMARKED: &str = r#"
use std::cell::Cell;
use std::sync::Arc;
thread_local!(static LOCAL: Cell<usize> = const { Cell::new(0) });
static mut LAST: usize = 0;
fn me() -> usize { LOCAL.with(|l| std::ptr::from_ref(l).addr()) }

#[derive(Default)]
pub struct Local;
impl Drop for Local { fn drop(&mut self) { LOCAL.set(1) } }
pub fn is_local() -> bool { LOCAL.get() == 1 }

#[derive(Default)]
pub struct Static;
impl Drop for Static { fn drop(&mut self) { unsafe { LAST = me() } } }
pub fn is_last() -> bool { unsafe { LAST == me() } }

#[derive(Default)]
pub struct Inner(pub Option<Arc<u32>>);
impl Drop for Inner {
    fn drop(&mut self) {
        if let Some(Some(_)) = self.0.take().map(Arc::into_inner) { LOCAL.set(1) }
    }
}

pub struct Writes(pub &'static str);
impl Drop for Writes { fn drop(&mut self) { std::fs::write(self.0, format!("{}", me())).unwrap() } }
pub fn wrote(to: &str) -> bool { std::fs::read_to_string(to).unwrap() == format!("{}", me()) }
"#;

/// Each drop by main and a thread: that it is main's, and that it is not.
const LAST: &str = r#"
use std::sync::Arc;
use std::thread::spawn;
fn shared<T: Send + Sync + 'static>(value: T) {
    let a = Arc::new(value);
    let b = a.clone();
    let t = spawn(move || drop(b));
    drop(a);
    t.join().unwrap();
}
fn local() -> bool { shared(unmarked::Local); unmarked::is_local() }
fn in_a_vec() -> bool { shared(vec![Box::new(unmarked::Local)]); unmarked::is_local() }
fn static_() -> bool { shared(unmarked::Static); unmarked::is_last() }
fn file() -> bool { shared(unmarked::Writes("who")); unmarked::wrote("who") }
fn inner() -> bool {
    let inner = Arc::new(1);
    let outer = unmarked::Inner(Some(inner.clone()));
    let t = spawn(move || drop(inner));
    drop(Arc::new(outer));
    t.join().unwrap();
    unmarked::is_local()
}
macro_rules! tests { ($($of:ident: $yes:ident $no:ident),*) => { $(
    #[test] fn $yes() { assert!($of()) }
    #[test] fn $no() { assert!(!$of()) }
)* } }
tests!(local: local_yes local_no, in_a_vec: vec_yes vec_no, static_: static_yes static_no, file: file_yes file_no,
       inner: inner_yes inner_no);
// Nobody can tell.
#[test] fn plain() { shared(vec![String::from("a")]) }
"#;

/// What a drop does in code that nothing was put into is noticed by what it leaves.
#[test]
fn drops_without_markers_that_can_be_noticed() {
    let scratch = Scratch::new();
    let manifest = |name: &str, uses: &str| {
        let text = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n{uses}"
        );
        scratch.write(&format!("{name}/Cargo.toml"), &text);
    };
    manifest("unmarked", "");
    manifest("app", "[dependencies]\nunmarked = { path = \"../unmarked\" }\n");
    scratch.write("unmarked/src/lib.rs", UNMARKED);
    scratch.write("app/src/lib.rs", LAST);
    let reports = scratch.raddle("explore app").json().exits(1).reports;
    assert_eq!(reports.len(), 11, "{reports:#?}");
    for report in reports {
        if report.test == "plain" {
            assert!(report.verdict == Verdict::Passed && report.executions == 1, "{report:#?}");
        } else {
            assert_eq!(report.verdict, Verdict::Failed, "{report:#?}");
        }
    }
}
