//! What unsafe Rust does to plain memory, and the counts of `Arc`.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::Scratch;
use raddle_tests::binary::shared_cache;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Orderings make edges as the language says, and no others.
#[test]
fn orderings_decide_what_races() {
    let scratch = Scratch::with("tests/packages/orderings");
    let run = scratch.raddle("explore orderings").json().exits(1);
    let mut found = (0, 0);
    for report in &run.reports {
        let name = report.test.trim_start_matches("tests::");
        let kinds: Vec<&str> = report.failures.iter().map(|f| f.kind.as_str()).collect();
        if name.starts_with("races_") {
            found.0 += 1;
            assert_eq!(kinds, ["data-race"], "{name}");
            let race = &report.failures[0];
            let (object, how) = ("data race on data.0", "(4 bytes): write by T1 and read by T3");
            assert!(race.message.starts_with(object) && race.message.contains(how), "{}", race.message);
            let line = race.location.as_ref().expect("a place").line;
            let source = scratch.read("orderings/src/lib.rs");
            assert!(source.lines().nth(line as usize - 1).expect("it").contains("*data.0.get()"), "{line}");
        } else {
            found.1 += 1;
            assert!(kinds.is_empty() && report.complete, "{report:#?}");
        }
    }
    assert_eq!(found, (8, 6));
}

/// What is told for the report is no step: an execution is the same whether somebody looks at it or not.
#[test]
fn telling_is_no_step() {
    let scratch = Scratch::new();
    let manifest = "[package]\nname = \"told\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n";
    scratch.write("Cargo.toml", manifest);
    let source = r#"
use std::sync::{mpsc, Arc, Mutex, RwLock};
use std::thread;

#[test]
fn watched() {
    static mut N: i32 = 0;
    unsafe { N += 1 };
}

#[test]
fn locks() {
    static N: Mutex<Option<i32>> = Mutex::new(None);
    thread::spawn(|| *N.lock().unwrap() = Some(3)).join().unwrap();
    assert_ne!(*N.try_lock().unwrap(), Some(3));
}

#[test]
fn shares() {
    let n = Arc::new(RwLock::new(Some(1)));
    let other = n.clone();
    thread::spawn(move || *other.write().unwrap() = Some(3)).join().unwrap();
    assert_ne!(*n.read().unwrap(), Some(3));
}

#[test]
fn sends() {
    let (to, from) = mpsc::channel();
    thread::spawn(move || to.send(Some(3)).unwrap()).join().unwrap();
    assert_ne!(from.recv().unwrap(), Some(3));
}
"#;
    scratch.write("src/lib.rs", source);
    for test in ["locks", "shares", "sends"] {
        let replay = scratch.raddle(&format!("replay . {test} access@default --repeat 5")).run();
        // One that differs is an error.
        assert_eq!(replay.status, Some(1), "{test}: {replay:#?}");
        let report = scratch.raddle(&format!("explore . {test} --exact --granularity access")).json();
        assert!(report.report().warnings.is_empty(), "{test}: {report:#?}");
    }
}

/// Who drops last, and who is in time, is tried both ways, wherever counts can be points; elsewhere the guarantee says that it
/// is not.
#[test]
fn counts_of_arc() {
    let scratch = Scratch::with("tests/packages/arcs");
    let both = [
        ("the_second_thread_is_last", "the first thread drops it"),
        ("an_upgrade_is_in_time", "it is still there"),
        ("a_look_at_the_count", "the clone is gone"),
        ("the_last_one_is_taken_apart", "nobody gets it"),
        ("changed_alone", "the other one is gone"),
    ];
    for granularity in ["sync", "access"] {
        let watched = scratch.raddle(&format!("explore arcs --granularity {granularity}")).json().exits(1);
        let named = |r: &Report| r.test.trim_start_matches("tests::").to_string();
        assert_eq!(watched.reports.len(), 8);
        for report in &watched.reports {
            let fails = both.iter().find(|(test, _)| *test == named(report));
            match (fails, report.failures.as_slice()) {
                (Some((_, message)), [failure]) => {
                    assert!(failure.kind == "panic" && failure.message.contains(message), "{failure:#?}");
                    let words = format!("replay arcs {} {} --exact", report.test, failure.schedule);
                    if granularity == "access" {
                        scratch.raddle(&words).json().exits(1);
                    }
                }
                (None, []) => assert!(report.verdict == Verdict::Passed && report.complete, "{report:#?}"),
                _ => panic!("{report:#?}"),
            }
            assert!(!report.guarantee.contains("counts of Arc"), "{}", report.guarantee);
        }
        let last = watched.reports.iter().find(|r| named(r) == both[0].0).expect("it");
        let told = last.failures[0].explanation.join("\n");
        assert!(told.contains("updates owners of first"), "{told}");
    }
    for report in &scratch.raddle("explore arcs --granularity statement").json().exits(1).reports {
        assert!(report.guarantee.contains("reference counts of Arc"), "{}", report.guarantee);
    }
}

/// A safe crate beside one with unsafe code: that what it drops is ordered before what the other one frees is seen.
#[test]
fn counts_in_safe_crates_beside_unsafe_ones() {
    let scratch = Scratch::new();
    let manifest = "[package]\nname = \"beside\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n";
    scratch.write("Cargo.toml", manifest);
    let safe = r#"
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

static SEEN: AtomicU32 = AtomicU32::new(0);

pub struct Shared(Arc<Mutex<u32>>);

impl Shared {
    pub fn both() -> (Shared, Shared) {
        let first = Arc::new(Mutex::new(0));
        (Shared(first.clone()), Shared(first))
    }

    pub fn count(self) {
        *self.0.lock().unwrap() += 1;
        SEEN.fetch_add(1, Ordering::Relaxed);
    }
}
"#;
    scratch.write("src/lib.rs", safe);
    let watched = r#"
use beside::Shared;
use std::thread;

#[test]
fn dropped_there() {
    let (ours, theirs) = Shared::both();
    let t = thread::spawn(move || theirs.count());
    ours.count();
    t.join().unwrap();
}

#[test]
fn races() {
    static mut N: u32 = 0;
    let add = || unsafe { N += 1 };
    let t = thread::spawn(add);
    add();
    t.join().unwrap();
}
"#;
    scratch.write("tests/watched.rs", watched);
    // Two orders at the lock, each with two at the atomic.
    let run = scratch.raddle("explore . dropped_there").json().exits(0);
    let report = run.report();
    assert!(report.complete && report.executions == 4 && report.failures.is_empty(), "{report:#?}");
    let run = scratch.raddle("explore . races").json().exits(1);
    assert_eq!(run.report().failures[0].kind, "data-race", "{:#?}", run.report());
}

/// A compiler that is killed says nothing about the hooks.
#[test]
fn a_compiler_that_is_killed_takes_no_hooks_away() {
    let scratch = Scratch::new();
    let manifest = "[package]\nname = \"killed\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n";
    scratch.write("Cargo.toml", manifest);
    let races = "#[test]\nfn races() {\n    static mut N: u32 = 0;\n    let add = || unsafe { N += 1 };\n    \
                 let t = std::thread::spawn(add);\n    add();\n    t.join().unwrap();\n}\n";
    scratch.write("src/lib.rs", races);
    let killed = scratch.path("killed");
    let by_itself = format!(
        "#!/bin/sh\ncase \"$*\" in *-Zsanitizer=thread*) [ -e '{}' ] || kill -9 $$;; esac\nexec \"$@\"\n",
        killed.display()
    );
    let wrapper = scratch.write("wrapper", &by_itself);
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).expect("it is there");
    scratch.write(".cargo/config.toml", &format!("[build]\nrustc-wrapper = \"{}\"\n", wrapper.display()));
    scratch.raddle("explore . races").json().exits(2);
    fs::write(&killed, "").expect("a file");
    let run = scratch.raddle("explore . races").json().exits(1);
    assert_eq!(run.report().failures[0].kind, "data-race", "{:#?}", run.report());
}

/// A crate that does not compile with hooks would not tell the counts that it drops, so no crate has hooks then, which is said.
#[test]
fn a_crate_that_does_not_compile_with_hooks() {
    let scratch = Scratch::new();
    let manifest = "[package]\nname = \"without\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n";
    scratch.write("Cargo.toml", manifest);
    let without = r#"
#![feature(cfg_sanitize)]
#[cfg(sanitize = "thread")]
compile_error!("not with this");

use std::sync::{Arc, Mutex};

pub struct Shared(Arc<Mutex<u32>>);

impl Shared {
    pub fn both() -> (Shared, Shared) {
        let first = Arc::new(Mutex::new(0));
        (Shared(first.clone()), Shared(first))
    }

    pub fn count(self) {
        *self.0.lock().unwrap() += 1;
    }
}
"#;
    scratch.write("src/lib.rs", without);
    let watched = r#"
use without::Shared;
use std::thread;

#[test]
fn dropped_there() {
    let (ours, theirs) = Shared::both();
    let t = thread::spawn(move || theirs.count());
    ours.count();
    t.join().unwrap();
}

#[test]
fn races() {
    static mut N: u32 = 0;
    let add = || unsafe { N += 1 };
    let t = thread::spawn(add);
    add();
    t.join().unwrap();
}
"#;
    scratch.write("tests/watched.rs", watched);
    let run = scratch.raddle("explore .").env("RUSTC_BOOTSTRAP", "1").json().exits(0);
    for report in &run.reports {
        assert!(report.complete && report.warnings.is_empty(), "{report:#?}");
        assert!(
            report.guarantee.contains("not watched: plain accesses of all crates, reference counts of Arc"),
            "{}",
            report.guarantee
        );
    }
    let said = "the crate without does not compile with access hooks, so none here has any";
    assert!(run.stderr.contains(said), "{}", run.stderr);
    // Once it does, the race is seen.
    scratch.write("src/lib.rs", &without.replace("compile_error!(\"not with this\");", "const _: () = ();"));
    let run = scratch.raddle("explore .").env("RUSTC_BOOTSTRAP", "1").json().exits(1);
    let failures: Vec<&str> = run.reports.iter().flat_map(|r| &r.failures).map(|f| f.kind.as_str()).collect();
    assert_eq!(failures, ["data-race"], "{:#?}", run.reports);
}

/// A compiler that ends before it has an answer (the build around it was ended) says nothing about hooks: the next build has
/// them, of a crate from elsewhere as of one of the workspace.
#[test]
fn builds_that_end_early_say_nothing_about_hooks() {
    let scratch = Scratch::new();
    let own = "[package]\nname = \"own\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";
    let ended = own.replace("own", "ended");
    scratch.write("ended/Cargo.toml", &ended);
    let add = "static mut N: u32 = 0;\npub fn add() { unsafe { N += 1 } }\n";
    scratch.write("ended/src/lib.rs", add);
    scratch.write("own/Cargo.toml", &format!("{own}[dependencies]\nended = {{ path = \"../ended\" }}\n"));
    let races = |of: &str| {
        format!(
            "#[test]\nfn {of}_races() {{\n    let t = std::thread::spawn({of}::add);\n    {of}::add();\n    \
             t.join().unwrap();\n}}\n"
        )
    };
    scratch.write("own/src/lib.rs", add);
    scratch.write("own/tests/races.rs", &(races("own") + &races("ended")));
    let broken = scratch.write("broken", "ended");
    let script = format!(
        "#!/bin/sh\ncase \" $* \" in *\" --crate-name $(cat {broken} 2>/dev/null) \"*) exit 1 ;; esac\nexec \"$@\"\n",
        broken = broken.display()
    );
    let wrapper = scratch.write("wrapper", &script);
    fs::set_permissions(&wrapper, PermissionsExt::from_mode(0o755)).expect("a script");
    let explore = || scratch.raddle("explore own").env("RUSTC_WRAPPER", &wrapper).json();
    for crate_name in ["ended", "own"] {
        scratch.write("broken", crate_name);
        explore().exits(2);
        assert_eq!(notes_of_no_hooks("libended-"), Vec::<PathBuf>::new());
    }
    fs::remove_file(&broken).expect("a file");
    let run = explore().exits(1);
    assert!(!run.stderr.contains("does not compile"), "{}", run.stderr);
    assert_eq!(run.reports.len(), 2, "{:#?}", run.reports);
    for report in &run.reports {
        let kinds: Vec<&str> = report.failures.iter().map(|f| f.kind.as_str()).collect();
        assert!(!kinds.is_empty() && kinds.iter().all(|kind| *kind == "data-race"), "{report:#?}");
    }
}

/// Notes in the cache that crates do not compile with hooks, of those whose outputs begin like this.
fn notes_of_no_hooks(output: &str) -> Vec<PathBuf> {
    let entries = |folder: PathBuf| -> Vec<PathBuf> {
        fs::read_dir(folder).into_iter().flatten().map(|entry| entry.expect("an entry").path()).collect()
    };
    let builds = entries(shared_cache().join("rust")).into_iter().flat_map(|of| entries(of.join("edits")));
    let notes = builds.filter(|build| build.extension().is_some_and(|e| e == "watched")).flat_map(entries);
    let of_output =
        notes.filter(|note| note.file_name().is_some_and(|n| n.to_string_lossy().starts_with(output)));
    of_output.filter(|note| fs::read_to_string(note).is_ok_and(|text| text == "without")).collect()
}

/// Unsafe code in a file that is included is watched though no file of a module says `unsafe`, and one that a crate
/// from beside the workspace stands between is too: each crate is built, with hooks or without.
#[test]
fn included_files_and_crates_from_beside() {
    let scratch = Scratch::new();
    let package = |name: &str, more: &str| {
        let manifest = format!(
            "[package]\nname = \"{}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n{more}",
            name.rsplit('/').next().expect("a name")
        );
        scratch.write(&format!("{name}/Cargo.toml"), &manifest);
    };
    package("included", "[workspace]\n");
    scratch.write("included/src/lib.rs", "#[cfg(test)]\nmod tests {\n    include!(\"inner.rs\");\n}\n");
    let inner = "use std::cell::UnsafeCell;\nstruct C(UnsafeCell<u64>);\nunsafe impl Sync for C {}\n\
                 static CELL: C = C(UnsafeCell::new(0));\nfn put() { unsafe { *CELL.0.get() += 1 } }\n\
                 #[test]\nfn races() {\n    let t = std::thread::spawn(put);\n    put();\n    t.join().unwrap();\n}\n";
    scratch.write("included/src/inner.rs", inner);
    let run = scratch.raddle("explore included").json().exits(1);
    let report = &run.reports[0];
    assert!(report.failures.len() == 1 && report.failures[0].kind == "data-race", "{report:#?}");
    assert!(report.guarantee.contains("not watched: plain accesses inside std"), "{}", report.guarantee);
    // With `access`, `low` has the hooks of atomics; `beside` uses it and has none.
    scratch.write("space/Cargo.toml", "[workspace]\nmembers = [\"low\", \"high\"]\nresolver = \"2\"\n");
    package("space/low", "");
    scratch.write("space/low/src/lib.rs", "pub fn one() -> u8 { 1 }\n");
    package("beside", "[workspace]\n[dependencies]\nlow = { path = \"../space/low\" }\n");
    scratch.write("beside/src/lib.rs", "pub fn two() -> u8 { low::one() + 1 }\n");
    package("space/high", "[dependencies]\nbeside = { path = \"../../beside\" }\n");
    scratch.write("space/high/src/lib.rs", "#[test]\nfn two() { assert_eq!(beside::two(), 2) }\n");
    scratch.raddle("explore space --granularity access").json().exits(0);
}

/// std's own conformance tests with hooks in every file: what std and the facade do inside is no race.
#[test]
fn what_is_right_is_no_race() {
    let scratch = Scratch::with("runtime/std/conformance");
    let folder = scratch.path("conformance");
    add_hooks(&folder.join("src"));
    add_hooks(&folder.join("tests"));
    let run = scratch.raddle("explore conformance").json().exits(0);
    assert!(run.reports.len() > 50, "{}", run.reports.len());
    let bad = |r: &&Report| !r.failures.is_empty() || !r.warnings.is_empty();
    assert!(!run.reports.iter().any(|r| bad(&r)), "{:#?}", run.reports.iter().find(bad));
}

/// A file that says `unsafe` is watched.
fn add_hooks(folder: &Path) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let mut text = fs::read_to_string(entry.path()).expect("a source");
        text += "\n#[allow(unused_unsafe)]\nconst _: () = unsafe {};\n";
        fs::write(entry.path(), text).expect("writable");
    }
}

/// Where the use is ordered behind the free nothing races: it is told as a use after free, with both places.
#[test]
fn blocks_are_not_used_after_they_were_given_back() {
    let scratch = Scratch::new();
    scratch.write(
        "Cargo.toml",
        "[package]\nname = \"after\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n",
    );
    let source = r#"
use std::thread;

struct Shared(*mut u64);
// SAFETY: for who gives it on.
unsafe impl Send for Shared {}

fn given_back(block: *mut u64) {
    let shared = Shared(block);
    let gives = move || {
        let shared = shared;
        // SAFETY: nobody has it yet.
        drop(unsafe { Box::from_raw(shared.0) }); // gives it back
    };
    thread::spawn(gives).join().unwrap();
}

#[test]
fn read() {
    let block = Box::into_raw(Box::new(7));
    given_back(block);
    // SAFETY: none.
    assert_eq!(unsafe { block.read() }, 7); // uses it
}

#[test]
fn written() {
    let block = Box::into_raw(Box::new(7));
    given_back(block);
    // SAFETY: none.
    unsafe { *block = 9 }; // uses it
}

#[test]
fn kept() {
    let block = Box::into_raw(Box::new(7));
    let shared = Shared(block);
    let writes = move || {
        let shared = shared;
        // SAFETY: it is read when this has ended.
        unsafe { *shared.0 = 8 };
    };
    thread::spawn(writes).join().unwrap();
    // SAFETY: nobody else has it any more.
    assert_eq!(*unsafe { Box::from_raw(block) }, 8);
}
"#;
    scratch.write("src/lib.rs", source);
    let line = |word: &str| source.lines().position(|l| l.ends_with(word)).map_or(0, |n| n as u32 + 1);
    for test in ["read", "written"] {
        let run = scratch.raddle(&format!("explore . {test} --exact")).run().exits(1);
        let text = &run.stdout;
        assert!(
            text.contains("use after free: T0") && text.contains("a block of 8 bytes, which T1"),
            "{text}"
        );
        assert!(
            text.contains(&format!(
                "gave it back in given_back::{{closure}} (:{})",
                line("// gives it back")
            )),
            "{text}"
        );
        let run = scratch.raddle(&format!("explore . {test} --exact")).json().exits(1);
        let failure = &run.report().failures[0];
        let used =
            source.lines().enumerate().filter(|(_, l)| l.ends_with("// uses it")).map(|(n, _)| n as u32 + 1);
        let used: Vec<u32> = used.collect();
        assert_eq!(failure.location.as_ref().map(|l| l.line), Some(used[usize::from(test == "written")]));
    }
    let run = scratch.raddle("explore . kept --exact").json().exits(0);
    assert!(run.report().complete);
}
