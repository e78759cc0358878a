//! Accesses of safe code over dependencies with unsafe code are watched.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::{Scratch, raddle};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A test that fails, and how: by its name.
const WRONG: [(&str, &str); 11] = [
    ("oneshot::dropped_after_a_poll_while_the_sender_is_dropped", "data-race"),
    ("oneshot::dropped_after_a_poll_while_the_sender_sends", "data-race"),
    ("path::lost_update_in_a_dependency", "panic"),
    ("path::race", "data-race"),
    ("path::race_in_the_test", "data-race"),
    ("spin::reader_and_writer", "data-race"),
    ("spin::two_writers", "data-race"),
    ("stabby::read_before_the_last_drop", "data-race"),
    ("thread_local::iter_while_inserting", "data-race"),
    ("tokio::recv_closed", "data-race"),
    ("tokio::try_recv_close", "data-race"),
];

fn explore(package: &str, options: &str) -> Vec<Report> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("packages").join(package);
    let mut reports = raddle("explore").arg(package).args(options).json().reports;
    reports.sort_by(|a, b| a.test.cmp(&b.test));
    reports
}

/// Published versions with an advisory, and a package beside the workspace: no file of the test says `unsafe`.
#[test]
fn races_that_unsound_dependencies_make_possible_are_found() {
    let reports = explore("trust_dependencies", "--executions 40");
    let found: Vec<(&str, &str)> = reports
        .iter()
        .map(|r| (r.test.as_str(), r.failures.first().map_or("none", |failure| failure.kind.as_str())))
        .collect();
    assert_eq!(found, WRONG);
    for report in &reports {
        let guarantee = &report.guarantee;
        assert!(guarantee.contains("not watched: plain accesses inside std"), "{guarantee}");
    }
}

/// The same with versions that are right: all of them watched, the audited ones too.
#[test]
fn sound_dependencies_do_not_race() {
    let reports = explore("trust_sound", "--watch-all --executions 300");
    assert_eq!(reports.len(), 7, "{reports:#?}");
    for report in &reports {
        // Of thread_local there are far more executions.
        assert!(report.failures.is_empty() && report.error.is_none(), "{report:#?}");
        assert!(report.executions > 1, "{report:#?}");
    }
}

/// An audited version is not watched, unless that is asked for. The guarantee says so of programs that have its code, and
/// of no others.
#[test]
fn audited_crates_are_named() {
    let named = |test: &str, options: &str| {
        let reports = explore("trust_order", &format!("--test {test} {options}"));
        reports
            .iter()
            .all(|r| r.guarantee.contains("inside crossbeam-utils-0.8.23 (--watch-all watches them)"))
    };
    assert!(named("plain", "") && !named("tasks", "") && !named("plain", "--watch-all"));
}

/// The unpacked source of a package that this one depends on. Its lock may name a yanked version.
fn source_of(name: &str, folder: &Path) -> PathBuf {
    let cargo = |words: &[&str]| {
        let output = Command::new("cargo").args(words).current_dir(folder).output().expect("cargo starts");
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    const TARGET: &str = "x86_64-unknown-linux-gnu";
    cargo(&["fetch", "--locked", "--target", TARGET]);
    let told =
        cargo(&["metadata", "--locked", "--offline", "--format-version=1", "--filter-platform", TARGET]);
    let all: serde_json::Value = serde_json::from_slice(&told).expect("JSON");
    let package = all["packages"].as_array().expect("packages").iter().find(|p| p["name"] == name);
    let manifest = package.expect("a dependency")["manifest_path"].as_str().expect("a path");
    Path::new(manifest).parent().expect("a folder").to_path_buf()
}

/// rust-i18n-support 3.0.0 clones an `Arc` that another thread replaces and drops (RUSTSEC-2024-0007). Only the file with
/// `AtomicStr` is compiled, as a crate of its own: what the others need takes long to build.
#[test]
fn clone_beside_the_last_drop_is_a_use_after_free() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("packages/trust_yanked");
    let file = source_of("rust-i18n-support", &folder).join("src/atomic_str.rs");
    let scratch = Scratch::new();
    let head = |name: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n")
    };
    scratch.write("atomic_str/Cargo.toml", &head("atomic_str"));
    scratch.write("atomic_str/src/lib.rs", &std::fs::read_to_string(file).expect("its text"));
    scratch.write(
        "app/Cargo.toml",
        &(head("app") + "[dependencies]\natomic_str = { path = \"../atomic_str\" }\n"),
    );
    let test = "
        use std::sync::Arc;
        #[test] fn clone_beside_replace() {
            let text = Arc::new(atomic_str::AtomicStr::new(\"old\"));
            let other = text.clone();
            let t = std::thread::spawn(move || drop(other.replace(\"new\")));
            assert_eq!(text.clone_string().len(), 3);
            t.join().unwrap();
        }
        #[test] fn clone_behind_replace() {
            let text = Arc::new(atomic_str::AtomicStr::new(\"old\"));
            let other = text.clone();
            let t = std::thread::spawn(move || drop(other.replace(\"new\")));
            t.join().unwrap();
            assert_eq!(*text.clone_string(), \"new\");
        }";
    scratch.write("app/src/lib.rs", test);
    let run = scratch.raddle("explore app").json().exits(1);
    let failure = &run.report_of("clone_beside_replace").failures[0];
    assert!(failure.kind == "data-race" && failure.message.contains("free by T1"), "{failure:#?}");
    let right = run.report_of("clone_behind_replace");
    assert!(right.verdict == Verdict::Passed && right.complete, "{right:#?}");
}

/// A safe crate that has nothing to do with an unsound one, and is handed what that gives out; another one, in a program of its
/// own, is handed nothing.
#[test]
fn safe_crates_beside_an_unsound_one_are_watched() {
    let scratch = Scratch::new();
    let package = |name: &str, text: &str, uses: &[&str]| {
        let uses: String = uses.iter().map(|of| format!("{of} = {{ path = \"../{of}\" }}\n")).collect();
        let head =
            format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n");
        scratch.write(&format!("{name}/Cargo.toml"), &format!("{head}[dependencies]\n{uses}"));
        scratch.write(&format!("{name}/src/lib.rs"), text);
    };
    let unsound = "
        pub struct Unsound(std::cell::UnsafeCell<u64>);
        unsafe impl Sync for Unsound {}
        impl Unsound {
            pub const fn new() -> Self { Unsound(std::cell::UnsafeCell::new(0)) }
            pub fn get(&self) -> &mut u64 { unsafe { &mut *self.0.get() } }
        }";
    package("unsound", unsound, &[]);
    package("helper", "pub fn bump(x: &mut u64) { *x += 1 } pub fn read(x: &u64) -> u64 { *x }", &[]);
    let tests = "
        use std::thread::spawn;
        static SHARED: unsound::Unsound = unsound::Unsound::new();
        #[test] fn written_twice() {
            let t = spawn(|| helper::bump(SHARED.get()));
            helper::bump(SHARED.get());
            t.join().unwrap();
        }
        #[test] fn read_and_written() {
            let t = spawn(|| helper::bump(SHARED.get()));
            helper::read(SHARED.get());
            t.join().unwrap();
        }";
    package("app", tests, &["unsound", "helper"]);
    let run = scratch.raddle("explore app").json().exits(1);
    assert_eq!(run.reports.len(), 2, "{run:#?}");
    for report in &run.reports {
        assert_eq!(report.failures[0].kind, "data-race", "{report:#?}");
    }
}
