//! A test program started by hand: its tests run one after the other, for real, with the options
//! of libtest that choose among them.

use crate::verdict::{self, Failure};
use crate::{TestDesc, TestDescAndFn};
use std::process;

/// Options, as in libtest.
#[derive(Default)]
struct Options {
    filters: Vec<String>,
    exact: bool,
    ignored: bool,
    include_ignored: bool,
    list: bool,
}

impl Options {
    fn from_arguments() -> Result<Options, String> {
        let mut options = Options::default();
        for argument in std::env::args().skip(1) {
            match argument.as_str() {
                "--exact" => options.exact = true,
                "--ignored" => options.ignored = true,
                "--include-ignored" => options.include_ignored = true,
                "--list" => options.list = true,
                // What they ask for is what happens anyway.
                "--nocapture" | "--no-capture" | "--test-threads=1" | "--test" => {}
                option if option.starts_with('-') => return Err(option.to_owned()),
                filter => options.filters.push(filter.to_owned()),
            }
        }
        Ok(options)
    }

    fn select(&self, desc: &TestDesc) -> bool {
        let name = desc.name.as_slice();
        let matches = |filter: &String| if self.exact { name == filter } else { name.contains(filter) };
        (self.filters.is_empty() || self.filters.iter().any(matches)) && (!self.ignored || desc.ignore)
    }
}

pub(crate) fn main(tests: &[&TestDescAndFn]) {
    let options = Options::from_arguments().unwrap_or_else(|option| {
        eprintln!("error: a test program built by raddle does not know the option {option}");
        process::exit(101);
    });
    let selected: Vec<_> = tests.iter().filter(|test| options.select(&test.desc)).collect();
    if options.list {
        for test in &selected {
            println!("{}: test", test.desc.name.as_slice());
        }
        return println!("\n{} tests, 0 benchmarks", selected.len());
    }
    println!("\nrunning {} tests", selected.len());
    let (mut passed, mut ignored, mut failed) = (0, 0, Vec::new());
    for test in &selected {
        let name = test.desc.name.as_slice();
        let skip = test.desc.ignore && !options.ignored && !options.include_ignored;
        let verdict = if skip { None } else { Some(run_named(test)) };
        match verdict {
            None => {
                println!("test {name} ... ignored");
                ignored += 1;
            }
            Some(Ok(())) => {
                println!("test {name} ... ok");
                passed += 1;
            }
            Some(Err(failure)) => {
                println!("test {name} ... FAILED");
                if let Failure::Message(message) = failure {
                    println!("{message}");
                }
                failed.push(name);
            }
        }
    }
    let (verdict, filtered) = (if failed.is_empty() { "ok" } else { "FAILED" }, tests.len() - selected.len());
    println!(
        "\ntest result: {verdict}. {passed} passed; {} failed; {ignored} ignored; 0 measured; {filtered} filtered out",
        failed.len()
    );
    if !failed.is_empty() {
        process::exit(101);
    }
}

/// On a thread with the test's name, as with libtest.
fn run_named(test: &TestDescAndFn) -> Result<(), Failure> {
    let thread = std::thread::Builder::new().name(test.desc.name.as_slice().to_owned());
    std::thread::scope(|scope| match thread.spawn_scoped(scope, || verdict::run(test)) {
        Ok(handle) => handle.join().unwrap_or(Err(Failure::Panic)),
        Err(error) => Err(Failure::Message(format!("cannot start a thread for the test: {error}"))),
    })
}
