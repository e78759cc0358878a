//! Replaces libtest. The compiler's test harness calls [`test_main_static`] with a static list of
//! tests; its shape belongs to the compiler, and this file has it as in rustc 1.95 to 1.97. Where
//! a later one differs, the error is the compiler's, in the generated `main`, about a field or a
//! type of this crate `test`.
//!
//! What is done with the tests is decided by the environment (`harness`).

#[path = "raddle_by_hand.rs"]
mod by_hand;
#[path = "raddle_harness.rs"]
mod harness;
#[path = "raddle_verdict.rs"]
mod verdict;

pub use ShouldPanic::*;
pub use TestFn::*;
pub use TestName::*;
pub use std::hint::black_box;

use std::process::{ExitCode, Termination};

/// What kind of target a test is in.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum TestType {
    UnitTest,
    IntegrationTest,
    DocTest,
    Unknown,
}

/// A test's name; the harness makes static ones only.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum TestName {
    StaticTestName(&'static str),
    DynTestName(String),
}

impl TestName {
    /// The name.
    pub fn as_slice(&self) -> &str {
        match self {
            StaticTestName(name) => name,
            DynTestName(name) => name,
        }
    }
}

/// `#[should_panic]`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum ShouldPanic {
    No,
    Yes,
    YesWithMessage(&'static str),
}

/// A test's body.
#[allow(missing_docs)]
pub enum TestFn {
    StaticTestFn(fn() -> Result<(), String>),
    StaticBenchFn(fn(&mut Bencher) -> Result<(), String>),
}

impl std::fmt::Debug for TestFn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            StaticTestFn(_) => "StaticTestFn(..)",
            StaticBenchFn(_) => "StaticBenchFn(..)",
        })
    }
}

/// What the compiler knows about a test.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct TestDesc {
    pub name: TestName,
    pub ignore: bool,
    pub ignore_message: Option<&'static str>,
    pub source_file: &'static str,
    pub start_line: usize,
    pub start_col: usize,
    pub end_line: usize,
    pub end_col: usize,
    pub should_panic: ShouldPanic,
    pub compile_fail: bool,
    pub no_run: bool,
    pub test_type: TestType,
}

/// A test.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct TestDescAndFn {
    pub desc: TestDesc,
    pub testfn: TestFn,
}

/// A benchmark's loop: run once, as `cargo test` does.
#[derive(Default)]
pub struct Bencher {
    /// Of a turn; not used here.
    pub bytes: u64,
}

impl Bencher {
    /// Runs the body once.
    pub fn iter<T, F>(&mut self, mut inner: F)
    where
        F: FnMut() -> T,
    {
        black_box(inner());
    }
}

/// Turns what a test returned into its verdict.
pub fn assert_test_result<T: Termination>(result: T) -> Result<(), String> {
    if result.report() == ExitCode::SUCCESS {
        Ok(())
    } else {
        Err("the test returned a non-zero termination value, which indicates a failure".to_owned())
    }
}

/// The `main` of a test program.
pub fn test_main_static(tests: &[&TestDescAndFn]) {
    harness::main(tests);
}

/// The same, where a panic aborts.
pub fn test_main_static_abort(tests: &[&TestDescAndFn]) {
    harness::main(tests);
}

impl TestFn {
    /// Runs the body; a benchmark's once.
    fn run(&self) -> Result<(), String> {
        match self {
            StaticTestFn(f) => f(),
            StaticBenchFn(f) => f(&mut Bencher::default()),
        }
    }
}
