//! Programs of several files, built by their own builds (make, CMake, a static library): the mistake in each is found
//! and explained as was written beside it before it was run, the schedule fails again, and the corrected form passes.

use raddle_protocol::report::Verdict;
use raddle_tests::expected::{Section, expected, line_numbers, occurrences, samples};
use raddle_tests::projects::{PROJECTS, Project};
use raddle_tests::{line_of, only_failure};

const COMPILERS: [&str; 2] = ["gcc", "clang"];

/// A file of the project and the line of it on which a text of a function stands.
fn place(project: &Project, function: &str, text: &str) -> (String, u32) {
    let with = |source: &str| source.contains(&format!("{function}(")) && source.contains(text);
    let sources = project.sources();
    let (file, source) = sources.iter().find(|(_, source)| with(source)).expect("the function");
    (file.clone(), line_numbers(source, Some(function), text)[0])
}

fn check_mistake(project: Project) {
    let failures = expected(&samples().join(format!("c-projects/{}.expect.toml", project.name)));
    for (failure, compiler) in failures.iter().flat_map(|f| COMPILERS.map(|c| (f, c))) {
        let said = format!("{} by {compiler}", project.name);
        let scratch = project.built(false, compiler);
        let run = scratch.raddle(&format!("explore {}", project.target())).json().exits(1);
        let report = run.report();
        let found = only_failure(report);
        assert_eq!((&report.test, found.preemptions), (&failure.test, failure.preemptions), "{said}");
        assert!(failure.kinds.contains(&found.kind), "{said}: {}", found.kind);
        let explained = found.explained.as_ref().unwrap_or_else(|| panic!("{said}: not explained"));
        let mistake = explained.mistake.as_ref().unwrap_or_else(|| panic!("{said}: {explained:#?}"));
        assert_eq!(mistake.kind, failure.mistake, "{said}");
        assert_eq!(failure.section.is_some(), mistake.section.is_some(), "{said}");
        if let (Some(Section { function, from, to }), Some(section)) = (&failure.section, &mistake.section) {
            assert_eq!(&section.method, function, "{said}");
            for (wanted, found) in [(from, &section.from), (to, &section.to)] {
                let (file, line) = place(&project, function, wanted);
                assert!(
                    found.file.ends_with(&file) && found.line == line,
                    "{said}: {found:?} is not {wanted}"
                );
            }
        }
        let words = format!("replay {} {} {} --repeat 20", project.target(), failure.test, found.schedule);
        scratch.raddle(&words).run().exits(1);
    }
}

/// Does it pass with the correction, everything within the bound, with as many executions by either compiler?
fn check_corrected(project: Project, bound: &str) {
    let executions = COMPILERS.map(|compiler| {
        let scratch = project.built(true, compiler);
        let run = scratch.raddle(&format!("explore {} {bound}", project.target())).json().exits(0);
        let report = run.report();
        assert!(report.verdict == Verdict::Passed && report.complete, "{report:#?}");
        assert!(report.warnings.is_empty(), "{:#?}", report.warnings);
        (report.executions, report.classes)
    });
    assert_eq!(executions[0], executions[1]);
}

#[test]
fn the_pool_that_is_shut_down_is_explained() {
    check_mistake(PROJECTS[0]);
}

#[test]
fn the_pool_passes_with_the_lock() {
    check_corrected(PROJECTS[0], "--bound preemptions=1");
}

#[test]
fn the_map_that_grows_is_explained() {
    check_mistake(PROJECTS[1]);
}

#[test]
fn the_map_passes_when_it_looks_with_the_lock() {
    check_corrected(PROJECTS[1], "");
}

#[test]
fn the_ring_of_two_producers_is_explained() {
    check_mistake(PROJECTS[2]);
}

#[test]
fn the_ring_passes_when_slots_are_claimed() {
    check_corrected(PROJECTS[2], "");
}

/// They are programs of some size, in plain C, and what is expected of them speaks of them as they are.
#[test]
fn they_are_what_they_are_said_to_be() {
    for project in PROJECTS {
        let sources = project.sources();
        let lines: usize = sources.iter().map(|(_, source)| source.lines().count()).sum();
        assert!(lines >= 300 && sources.len() >= 5, "{}: {lines}", project.name);
        assert!(sources.iter().all(|(_, source)| !source.to_lowercase().contains("raddle.h")));
        let whole: String = sources.iter().map(|(_, source)| source.as_str()).collect();
        for failure in expected(&samples().join(format!("c-projects/{}.expect.toml", project.name))) {
            for op in failure.order.iter().flat_map(|o| [&o.first, &o.then]) {
                assert_eq!(occurrences(&whole, op.function.as_deref(), &op.line), 1, "`{}`", op.line);
            }
            assert!(!failure.order.is_empty());
        }
    }
}

/// A build after an edit compiles what was edited alone, as make and CMake know it from the files of dependencies.
#[test]
fn an_edited_header_builds_again_what_includes_it() {
    for project in PROJECTS {
        let scratch = project.built(false, "gcc");
        let header = match project.name {
            "pool" => "future.h",
            "sessions" => "hash.h",
            _ => "ring.h",
        };
        let text = scratch.read(&project.below(header));
        assert_eq!(line_of(&text, "#endif") as usize, text.lines().count());
        let program = scratch.path(&project.target());
        let before = std::fs::metadata(&program).and_then(|m| m.modified()).expect("the program");
        project.build(&scratch, "gcc");
        let same = std::fs::metadata(&program).and_then(|m| m.modified()).expect("the program");
        assert_eq!(before, same, "{}: nothing was edited", project.name);
        scratch.write(&project.below(header), &format!("{text}/* edited */\n"));
        project.build(&scratch, "gcc");
        let after = std::fs::metadata(&program).and_then(|m| m.modified()).expect("the program");
        assert!(after > before, "{}: {header} was edited", project.name);
    }
}
