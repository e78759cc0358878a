//! Gaps ([`raddle_protocol::gap`]): the verdict line names each in the test that links or does what it is about, and in no other.

mod table;

use raddle_protocol::gap::{Gap, Treatment};
use raddle_protocol::report::Report;
use raddle_tests::binary::root;
use raddle_tests::{Raddle, Scratch, raddle};
use std::collections::BTreeMap;
use std::path::Path;
use table::{Group, Pair, pair};

/// A test's report, and its line on the terminal, with those that go on with it.
struct Told {
    report: Report,
    line: String,
}

/// Runs this as data and as text.
fn run(told: &mut BTreeMap<String, Told>, command: &dyn Fn() -> Raddle) {
    let reports = command().json().reports;
    let text = command().run().stdout;
    for report in reports {
        let begin = format!("  {} ", report.test);
        let mut lines = text.lines().skip_while(|l| !l.starts_with(&begin));
        let first = lines.next().unwrap_or_else(|| panic!("{begin}: {text}"));
        // The time stands behind it.
        let first = first.trim_end().rsplit_once("  ").map_or(first, |(line, _)| line).trim_end();
        let mut line = first.to_string();
        // Further parts stand below it, and the rest of a long part further in.
        for more in lines.take_while(|l| l.starts_with("      ")) {
            let treatment = named(more.trim_start()).is_empty();
            line += if treatment && !more.trim_start().starts_with("compiled") { " " } else { " · " };
            line += more.trim_start();
        }
        told.insert(report.test.clone(), Told { line, report });
    }
}

/// Explores the programs of a group.
fn explored(group: Group) -> BTreeMap<String, Told> {
    let mut told = BTreeMap::new();
    let of_package = |name: &str, words: &str| {
        let scratch = Scratch::with("tests/packages/gaps");
        let mut told = BTreeMap::new();
        let command = || scratch.raddle(&format!("explore gaps/{name} {words}")).env("RUSTC_BOOTSTRAP", "1");
        run(&mut told, &command);
        told
    };
    match group {
        Group::Linked => {
            let scratch = Scratch::with("tests/programs/gaps/linked");
            run(&mut told, &|| scratch.raddle("explore linked"));
        }
        Group::Executed => {
            let scratch = Scratch::with("tests/programs/gaps/executed.c");
            run(&mut told, &|| scratch.raddle("explore executed.c --cflags -w"));
        }
        Group::Clang => {
            let scratch = Scratch::with("tests/programs/gaps/clang");
            for file in ["none", "parts_of_locals", "weak_exchanges", "wide_values"] {
                let words = format!("explore clang/{file}.c --spurious-failures");
                run(&mut told, &|| scratch.raddle(&words).env("CC", "clang"));
            }
        }
        Group::Watched => told = of_package("watched", ""),
        Group::Safe => told = of_package("safe", ""),
        Group::Unhooked => told = of_package("unhooked", ""),
        // Where the other tests of these packages have built them.
        Group::Published => {
            let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("packages/trust_order");
            let words =
                "--test plain --test tasks --exact waited_for is_ready_at_once primitives primitives_not";
            run(&mut told, &|| raddle("explore").arg(&package).args(words));
            let package = package.with_file_name("crates");
            let words = "--exact rayon::right_a_pool_of_one";
            run(&mut told, &|| raddle("explore").arg(&package).args(words));
        }
    }
    told
}

/// The gaps that a verdict line names, a treatment at a time.
fn named(line: &str) -> Vec<&str> {
    let treatments = [Treatment::NotWatched, Treatment::NotExplored, Treatment::Assumed, Treatment::Fixed];
    let heads = treatments.map(Treatment::head);
    let of_head = |part: &'static str| {
        let all = line.split(" · ").filter_map(move |p| p.strip_prefix(part)?.strip_prefix(": "));
        all.flat_map(|names| names.split(", "))
    };
    heads.into_iter().flat_map(of_head).collect()
}

/// Does this program tell the gap, or not, in all ways?
#[track_caller]
fn check(told: &Told, gap: Gap, words: &str, has: bool) {
    let Told { report, line } = told;
    let place = format!("{gap:?} in {}: {line}\n{:?}\n{}", report.test, report.gaps, report.guarantee);
    assert!(report.complete && report.failures.is_empty(), "{place}");
    assert_eq!(report.gaps.contains(&gap), has, "{place}");
    assert_eq!(report.guarantee.contains(words), has, "{place}");
    let in_line = match gap {
        // It is told with the level.
        Gap::MergedAccesses => line.contains("compiled with -O2: merged accesses are not seen"),
        _ => named(line).contains(&gap.words()),
    };
    assert_eq!(in_line, has, "{place}");
}

/// Goes through the gaps with programs in this group.
#[track_caller]
fn check_all(group: Group) {
    let told = explored(group);
    let mut checked = 0;
    for gap in Gap::ALL {
        let Pair { has, has_not, words } = pair(*gap);
        for ((of, test), has) in [(has, true), (has_not, false)] {
            if of == group {
                check(told.get(test).unwrap_or_else(|| panic!("{test}")), *gap, words, has);
                checked += 1;
            }
        }
    }
    assert!(checked > 0, "{group:?}");
}

#[test]
fn of_linked_programs() {
    check_all(Group::Linked);
}

#[test]
fn of_executed_tests() {
    check_all(Group::Executed);
}

#[test]
fn of_clangs_programs() {
    check_all(Group::Clang);
}

#[test]
fn of_unsafe_rust() {
    check_all(Group::Watched);
}

#[test]
fn of_safe_rust() {
    check_all(Group::Safe);
}

#[test]
fn of_rust_without_hooks() {
    check_all(Group::Unhooked);
}

#[test]
fn of_published_crates() {
    check_all(Group::Published);
}

/// The book says what each gap means.
#[test]
fn the_book_has_every_gap() {
    let page = std::fs::read_to_string(root().join("docs/src/support/gaps.md")).expect("the page of gaps");
    let (_, table) = page.split_once("| The line says | Consequence |").expect("the table");
    for gap in Gap::ALL {
        assert!(table.contains(gap.words()), "{}", gap.words());
    }
}

/// Each gap has two programs, which are not the same, in groups that the tests above go through.
#[test]
fn every_gap_has_two_programs() {
    for gap in Gap::ALL {
        let Pair { has, has_not, words } = pair(*gap);
        assert!(has != has_not && !words.is_empty(), "{gap:?}");
        assert!(Group::ALL.contains(&has.0) && Group::ALL.contains(&has_not.0), "{gap:?}");
    }
}
