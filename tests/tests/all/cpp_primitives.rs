//! C++ programs over the primitives of std, wrong and right (`tests/programs/cpp`, whose README says what is expected and
//! how that is written): verdict, kind, fewest preemptions, and what the explanation names, with g++ and with clang++.

use raddle_protocol::explanation::Operation;
use raddle_protocol::report::{Failure, Report, Verdict};
use raddle_tests::expected::samples;
use raddle_tests::extent::in_turn;
use raddle_tests::{Scratch, only_failure};
use serde::Deserialize;
use std::collections::BTreeSet;

/// What lies beside a program. The fields are the keys of the README's table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    flags: Option<String>,
    wrong: Wrong,
    #[serde(default)]
    right: Right,
}

/// How it fails.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wrong {
    kind: String,
    preemptions: u32,
    mistake: Option<String>,
    objects: Option<Vec<String>>,
    lines: Option<Vec<String>>,
    at: Option<String>,
    #[serde(default)]
    message: Vec<String>,
}

/// With which options it passes.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Right {
    flags: Option<String>,
    options: Option<String>,
}

/// A program, its text and what is expected of it.
struct Program {
    name: &'static str,
    source: String,
    expected: Expected,
    scratch: Scratch,
}

impl Program {
    fn new(name: &'static str) -> Program {
        let scratch = Scratch::with(&format!("tests/programs/cpp/{name}.cpp"));
        let folder = samples().join("../tests/programs/cpp");
        let toml = std::fs::read_to_string(folder.join(format!("{name}.toml"))).expect("what is expected");
        let expected = toml::from_str(&toml).unwrap_or_else(|e| panic!("{name}.toml: {e}"));
        Program { name, source: scratch.read(&format!("{name}.cpp")), expected, scratch }
    }

    fn explore(&self, compiler: &str, flags: &str, options: &str) -> raddle_tests::run::Run {
        let flags = format!("{} {flags}", self.expected.flags.as_deref().unwrap_or("-std=c++17"));
        let words = format!("explore {}.cpp {options}", self.name);
        self.scratch
            .raddle(words.trim())
            .arg(format!("--cflags={}", flags.trim()))
            .env("CXX", compiler)
            .json()
    }

    /// The number of a line by the text on it: `A/B`, `B#2`.
    fn line(&self, text: &str) -> u32 {
        let (text, occurrence) = match text.rsplit_once('#') {
            Some((text, n)) if n.parse::<usize>().is_ok() => (text, n.parse().expect("a number")),
            _ => (text, 1),
        };
        let lines: Vec<&str> = self.source.lines().map(str::trim).collect();
        // A comment has `//`, and no text of a line has another slash.
        let (after, text) = text.split_once('/').unwrap_or(("", text));
        let start =
            lines.iter().position(|l| after.is_empty() || l.contains(after)).expect("the line before");
        let found = lines.iter().enumerate().skip(start).filter(|(_, l)| l.starts_with(text));
        found
            .map(|(i, _)| i as u32 + 1)
            .nth(occurrence - 1)
            .unwrap_or_else(|| panic!("{}: {text}", self.name))
    }

    fn check_wrong(&self, compiler: &str) {
        let run = self.explore(compiler, "", "").exits(1);
        let (report, wrong) = (run.report(), &self.expected.wrong);
        let failure = first_failure(report);
        let said = || format!("{} with {compiler}: {:#?}", self.name, failure.explanation);
        assert_eq!(
            (failure.kind.as_str(), failure.preemptions),
            (wrong.kind.as_str(), wrong.preemptions),
            "{}",
            said()
        );
        for part in &wrong.message {
            assert!(failure.message.contains(part), "{part}: {}\n{}", failure.message, said());
        }
        if let Some(at) = &wrong.at {
            let place = failure.location.as_ref().expect("a place");
            assert_eq!(place.line, self.line(at), "{}", said());
        }
        let why = failure.explained.as_ref().expect("an explanation");
        if let Some(mistake) = &wrong.mistake {
            assert_eq!(why.mistake.as_ref().map(|m| m.kind.as_str()), Some(mistake.as_str()), "{}", said());
        }
        let told = told(failure);
        if let Some(objects) = &wrong.objects {
            // Of what has several words in use, each has a number.
            let name = |object: &'_ str| object.split(" #").next().unwrap_or_default().to_string();
            let named: BTreeSet<String> = told.iter().map(|o| name(&o.object)).collect();
            assert_eq!(named, objects.iter().map(|o| name(o)).collect(), "{}", said());
        }
        if let Some(lines) = &wrong.lines {
            let named: BTreeSet<u32> =
                told.iter().filter_map(|o| o.location.as_ref()).map(|l| l.line).collect();
            assert_eq!(named, lines.iter().map(|l| self.line(l)).collect(), "{}", said());
        }
        self.shows_no_header(failure);
    }

    /// Every place is the program's own, every step that matters has one, and no name is the library's.
    fn shows_no_header(&self, failure: &Failure) {
        let own = format!("{}.cpp", self.name);
        for place in failure.events.iter().filter_map(|e| e.location.as_ref()) {
            assert!(place.file.ends_with(&own), "{place:?}");
        }
        let text = failure.explanation.join("\n");
        for internal in ["_M_", "gthr", "std_thread", "/usr/include", "__"] {
            assert!(!text.contains(internal), "{internal} in\n{text}");
        }
    }

    fn check_right(&self, compiler: &str) {
        let right = &self.expected.right;
        let flags = format!("-DRIGHT {}", right.flags.as_deref().unwrap_or_default());
        let run = self.explore(compiler, flags.trim(), right.options.as_deref().unwrap_or_default()).exits(0);
        let report = run.report();
        let said = format!("{} with {compiler}: {report:#?}", self.name);
        assert_eq!((report.verdict, report.complete), (Verdict::Passed, true), "{said}");
        assert!(report.failures.is_empty() && report.warnings.is_empty(), "{said}");
    }
}

/// The failure; behind a race there may be what it leads to.
fn first_failure(report: &Report) -> &Failure {
    match report.failures.first() {
        Some(first) if first.kind == "data-race" => first,
        _ => only_failure(report),
    }
}

/// The operations that decide, or race.
fn told(failure: &Failure) -> Vec<&Operation> {
    let Some(why) = &failure.explained else { return Vec::new() };
    let orders: Vec<_> = match why.unordered.is_empty() {
        true => why.deciding.iter().filter_map(|d| d.order.as_ref()).collect(),
        false => why.unordered.iter().collect(),
    };
    orders.iter().flat_map(|o| [&o.first, &o.then]).collect()
}

/// The compilers that a form of a program is built with: both with `--all`, otherwise one for the wrong form and the
/// other one for the right form, which one in turn.
fn compilers(program: &str, right: bool) -> Vec<&'static str> {
    let turn = PROGRAMS.iter().position(|p| *p == program).expect("a program");
    in_turn(&["g++", "clang++"], turn + usize::from(right))
}

macro_rules! programs {
    ($($name:ident,)*) => {
        const PROGRAMS: &[&str] = &[$(stringify!($name)),*];

        $(
        mod $name {
            use super::{Program, compilers};

            #[test]
            fn wrong() {
                let program = Program::new(stringify!($name));
                compilers(program.name, false).iter().for_each(|compiler| program.check_wrong(compiler));
            }

            #[test]
            fn right() {
                let program = Program::new(stringify!($name));
                compilers(program.name, true).iter().for_each(|compiler| program.check_right(compiler));
            }
        }
        )*
    };
}

programs! {
    stock, board, mailbox, treiber, ledger, answer, sums, turnstile, printer, squares, phases, worker, config, tally,
    prices, patient, tree, ownership, farewell, relay, startline,
}

/// libstdc++ 12 waits for the value that it found before it tried to take the semaphore: a thread may sleep for ever though there
/// is a place. The report says that it was preempted within the library's call. A library without that mistake passes.
#[test]
fn a_semaphore_of_the_library_that_sleeps_for_ever() {
    let scratch = Scratch::with("tests/programs/trust/library_semaphore.cpp");
    let mut compiler = std::process::Command::new("g++");
    compiler.args(["-std=c++20", "-E", "library_semaphore.cpp"]).current_dir(scratch.root());
    let output = compiler.output().expect("g++ starts");
    assert!(output.status.success(), "{output:?}");
    let waits_for_what_was = String::from_utf8_lossy(&output.stdout).contains("_S_do_spin(");
    let run = scratch.raddle("explore library_semaphore.cpp --cflags=-std=c++20").env("CXX", "g++").json();
    let report = run.report();
    if !waits_for_what_was {
        assert!(report.verdict == Verdict::Passed && report.complete, "{report:#?}");
        return;
    }
    let failure = only_failure(report);
    assert_eq!(failure.message, "deadlock: T1 waits for places");
    assert_eq!(failure.preemptions, 3, "{failure:#?}");
    let text = failure.explained.as_ref().expect("an explanation").text.join("\n");
    let line = raddle_tests::line_of(&scratch.read("library_semaphore.cpp"), "places.acquire");
    let within = format!("T1 preempted within std::counting_semaphore::acquire at :{line}, holding no lock");
    assert!(text.contains(&within), "{text}");
}
