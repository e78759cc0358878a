//! The kind of mistake, the sentence that says what to change, and its lines: programs as people write them, each with one mistake.
//! `{word}` in an expected sentence is the line that ends in the comment `// word`.

use raddle_protocol::report::{Failure, Verdict};
use raddle_tests::{Scratch, line_of, only_failure};

/// The sentence with the lines of this source.
fn with_lines(text: &str, source: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (word, behind) = after.split_once('}').expect("a closing brace");
        let line = line_of(source, &format!("// {word}"));
        out += &format!("{before}:{line}");
        rest = behind;
    }
    out + rest
}

#[track_caller]
fn check(failure: &Failure, source: &str, (headline, kind, text): (&str, &str, &str)) {
    let explained = failure.explained.as_ref().expect("an explanation");
    let mistake = explained.mistake.as_ref();
    let found = mistake.map(|m| (m.kind.as_str(), m.text.as_str())).unwrap_or_default();
    let text = with_lines(text, source);
    assert!(failure.message.starts_with(headline), "{headline}: {}", failure.message);
    assert!(found.0 == kind && found.1.contains(&text), "{kind}: {text}\nfound {found:#?}");
}

/// Tests of one package: the module and the test; how the headline begins, the kind, and words of the sentence.
const RUST: &[(&str, &str, &str, &str, &str)] = &[
    (
        "upgrade",
        "upgrades",
        "deadlock: T0 waits to write-lock entries",
        "lock upgrade",
        "T0 read-locks entries ({reads}) and, still holding that, wants to write-lock it ({writes})",
    ),
    (
        "upgrade",
        "calls_what_locks",
        "deadlock: T0 waits to lock self.0, which it holds itself",
        "lock taken twice",
        "T0 locks self.0 ({first}) and, still holding it, wants to lock it again ({again})",
    ),
    (
        "upgrade",
        "joins_under_a_lock",
        "deadlock: T0 waits for the end of T1; T1 waits to lock total, held by T0",
        "join under lock",
        "T0 waits for the end of T1 ({joins}), T1 waits for total, which T0 holds ({holds}): unlock it before joining",
    ),
    (
        "waits",
        "each_joins_the_other",
        "deadlock: T1 waits for the end of T2; T2 waits for the end of T1",
        "join cycle",
        "T1 waits for the end of T2 ({first}), T2 waits for the end of T1 ({second}): leave one of these joins out",
    ),
    (
        "once",
        "joins_who_needs_it",
        "deadlock: T0 waits for the end of T1; T1 waits for the initialiser of TABLE, which T0 runs",
        "initialisation cycle",
        "which T0 runs ({in table}): an initialiser must not wait for a thread that needs its result.",
    ),
    (
        "once",
        "receives_from_who_needs_it",
        "deadlock: T0 waits to receive from receives; T1 waits for the initialiser of CELL, which T0 runs",
        "initialisation cycle",
        "T0 waits inside of an initialiser ({receives}), T1 waits for the initialiser of CELL",
    ),
    (
        "wakeup",
        "nobody_seems_to_wait",
        "deadlock: T0 waits to be unparked",
        "missed notification",
        "before T0 stores it ({says}), and so notifies nobody; T0 then waits for ever ({parks})",
    ),
    (
        "wakeup",
        "unparks_too_soon",
        "deadlock: T0 waits to be unparked",
        "missed notification",
        "T1 unparks T0 ({unparks}) before it stores done ({stores}); T0 loads it",
    ),
    (
        "calls",
        "asks_then_pops",
        "called `Option::unwrap()` on a `None` value",
        "check then act",
        "and goes by its answer when it calls SegQueue::pop ({pops}); in between T2 calls SegQueue::pop",
    ),
    (
        "calls",
        "asks_then_pushes",
        "called `Result::unwrap()` on an `Err` value: 1",
        "check then act",
        "Go by what ArrayQueue::push itself returns, or hold one lock around both calls in every thread.",
    ),
    (
        "wakeup",
        "nobody_unparks",
        "deadlock: T0 waits to be unparked",
        "missing notification",
        "before T1 stores it ({sets}), and then parks ({parked}); T1 never unparks it.",
    ),
    (
        "wakeup",
        "unwraps_before_the_end",
        "called `Result::unwrap()` on an `Err` value",
        "order violation",
        "({only owner}) before T1 gives it up ({gives up}): wait for the end of T1 first.",
    ),
    (
        "poison",
        "finds_the_initialiser_poisoned",
        "not ready; T0 then finds the initialiser poisoned by T1",
        "order violation",
        "and nothing makes it wait for that",
    ),
    (
        "waits",
        "too_few_come",
        "deadlock: T0 waits at barrier; T1 waits at barrier",
        "barrier",
        "T0 ({main}) and T1 ({other}) wait at barrier, and no other thread is left to come",
    ),
    (
        "waits",
        "nobody_receives",
        "deadlock: T0 waits to send on asks; T1 waits to send on says",
        "channel cycle",
        "T0 waits to send on asks ({asks again}), T1 waits to send on says ({answers}), and each waits for another",
    ),
    (
        "waits",
        "waits_in_a_nested_monitor",
        "deadlock: T0 waits for a notify of filled; T1 waits to lock outer, held by T0",
        "wait under lock",
        "T0 locks outer ({kept}) and, holding it, waits for a notify of filled ({inside}); T1 wants outer ({wanted})",
    ),
    (
        "waits",
        "counts_owners",
        "called `Option::unwrap()` on a `None` value",
        "check then act",
        "Become an owner first (`lock`, `upgrade`), and go by whether that worked.",
    ),
    (
        "gives_up",
        "takes_what_is_gone",
        "called `Option::unwrap()` on a `None` value",
        "atomicity violation",
        "({waits once}) when shelf.0 is 0 elements, and finds that again when it goes on: T1 had made it so",
    ),
    (
        "gives_up",
        "does_not_get_the_lock",
        "assertion `left == right` failed",
        "try given up",
        "tries to lock clicks ({tries}",
    ),
    (
        "gives_up",
        "waits_too_short",
        "assertion `left == right` failed",
        "time-out ignored",
        "T0 waits on answer.1 ({in time}), and its time is over before T1 locks answer.0",
    ),
    (
        "gives_up",
        "thinks_that_another_one_is_last",
        "assertion failed: OFF.load(SeqCst)",
        "check then act",
        "Do what the last owner does where it is dropped (`Drop`), or go by what `Arc::into_inner` returns.",
    ),
    (
        "gives_up",
        "the_first_result_is_enough",
        "called `Result::unwrap()` on an `Err` value",
        "receiver dropped",
        "T0 drops the receiver ({drops}) before T1 sends on sender ({sends}), so that sending fails.",
    ),
    (
        "elements",
        "swaps_both_ways",
        "deadlock: T0 waits to lock slots[0], held by T1; T1 waits to lock slots[2], held by T0",
        "lock order",
        "Every thread must take these locks in the same order.",
    ),
    (
        "elements",
        "hits_one",
        "assertion `left == right` failed",
        "atomicity violation",
        "T1 stores hits[3] (",
    ),
];

#[test]
fn kinds_of_rust() {
    let scratch = Scratch::with("tests/packages/kinds");
    for &(module, test, headline, kind, text) in RUST {
        let run = scratch.raddle(&format!("explore kinds {module}::{test} --exact")).json().exits(1);
        let source = scratch.read(&format!("kinds/src/{module}.rs"));
        check(only_failure(run.report()), &source, (headline, kind, text));
    }
    for test in [
        "calls::goes_by_what_it_returns",
        "upgrade::looks_again_under_the_write_lock",
        "wakeup::unparks_in_time",
    ] {
        let run = scratch.raddle(&format!("explore kinds {test} --exact")).json().exits(0);
        assert_eq!(run.report().verdict, Verdict::Passed, "{test}");
    }
}

/// The first panic is the headline, with its place; a panic that somebody catches or ignores is told where it happened.
#[test]
fn panics_of_other_threads() {
    let scratch = Scratch::with("tests/packages/kinds");
    let source = scratch.read("kinds/src/poison.rs");
    let explore = |test: &str| scratch.raddle(&format!("explore kinds poison::{test} --exact"));
    let run = explore("finds_the_poison").json().exits(1);
    let failure = only_failure(run.report());
    assert_eq!(failure.message, "none left; T0 then finds the lock poisoned by T2");
    let place = failure.location.as_ref().map(|l| (l.file.as_str(), l.line));
    assert_eq!(place, Some(("src/poison.rs", line_of(&source, "// first panic"))));
    assert_eq!(failure.thread, "T2");
    let rows = [
        ("finds_the_poison", "panics: none left", "first panic"),
        ("finds_the_poison", "panics ", "finds it"),
        ("catches_the_panic", "panics: removal index (is 1) should be < len (is 1)", "caught"),
        ("ignores_the_panic", "panics: no seat left", "ignored"),
    ];
    for (test, row, place) in rows {
        let line = format!(":{}", line_of(&source, &format!("// {place}")));
        let text = explore(test).run().exits(1).text();
        let told = text.lines().any(|l| l.contains(row) && l.split_whitespace().any(|w| w == line));
        assert!(told, "{row} at {line} in\n{text}");
    }
}

/// A panic is the failure where others wait for what its thread would have done; that they wait is told too, and no mistake.
#[test]
fn a_panic_that_leaves_another_thread_waiting() {
    let scratch = Scratch::with("tests/packages/kinds");
    let source = scratch.read("kinds/src/poison.rs");
    let run = scratch.raddle("explore kinds poison::leaves_one_waiting --exact").json().exits(1);
    let failure = only_failure(run.report());
    let says = "assertion `left == right` failed (left: 0, right: 1); then deadlock: T0 waits to receive from receiver";
    assert_eq!((failure.message.as_str(), failure.thread.as_str()), (says, "T1"));
    let line = failure.location.as_ref().map(|l| l.line);
    assert_eq!(line, Some(line_of(&source, "// sold out")));
    let explained = failure.explained.as_ref().expect("an explanation");
    assert_eq!(explained.mistake.as_ref().map(|m| m.kind.as_str()), None, "{:?}", explained.mistake);
    assert!(
        explained.text.iter().any(|l| l.contains("waits to receive from receiver")),
        "{:#?}",
        explained.text
    );
}

/// Programs of C and C++: the file, its flags, and the same as above.
const C: &[(&str, &str, &str, &str, &str)] = &[
    (
        "upgrade.c",
        "-DONCE",
        "deadlock: T0 waits to write-lock lock",
        "lock upgrade",
        "T0 read-locks lock ({takes}) and, still holding that, wants to write-lock it ({wants})",
    ),
    (
        "upgrade.c",
        "-DTWICE",
        "deadlock: T0 waits to lock lock, which it holds itself",
        "lock taken twice",
        "T0 locks lock ({first}) and, still holding it, wants to lock it again ({again})",
    ),
    (
        "once_joins.cpp",
        "-DCALLED",
        "deadlock: T0 waits for the end of T1; T1 waits for the initialiser of once, which T0 runs",
        "initialisation cycle",
        "T0 waits for the end of T1 ({joins}), T1 waits for the initialiser of once, which T0 runs ({called})",
    ),
    (
        "once_joins.cpp",
        "-DSTATIC",
        "deadlock: T0 waits for the end of T1; T1 waits for the initialiser of registry::instance, which T0 runs",
        "initialisation cycle",
        "T1 waits for the initialiser of registry::instance, which T0 runs ({guarded})",
    ),
    (
        "loop_variable.c",
        "-O0",
        "data race on i (4 bytes): write by T0 and read by T1",
        "unprotected access",
        "the thread is given its address ({gives}), and T0 goes on to change it: give each thread a copy of its own.",
    ),
    (
        "posts.c",
        "-O0",
        "deadlock: T0 waits for items; T1 waits to lock lock, held by T0",
        "wait under lock",
        "T0 locks lock ({holds}) and, holding it, waits for items ({needs}); T1 wants lock ({wants})",
    ),
    (
        "lifetime.cpp",
        "-DCONSTRUCTS",
        "pure virtual method called",
        "object lifetime",
        "T1 uses the object ({runs}) while T0 still constructs it ({derived})",
    ),
    (
        "lifetime.cpp",
        "-DDESTROYS",
        "pure virtual method called",
        "object lifetime",
        "T1 uses the object ({runs}) while T0 destroys it, and nothing orders the two",
    ),
    (
        "owners.c",
        "-DTWO_STEPS",
        "data race on image->owners (4 bytes)",
        "use after free",
        "the update ({gives up}) and the look at what is left ({looks}) must be one operation",
    ),
    (
        "owners.c",
        "-DRELAXED",
        "data race on image->owners (4 bytes)",
        "use after free",
        "does not acquire what the other owners did. Give up with a release, and acquire before freeing",
    ),
    (
        "leaves_one.cpp",
        "-DFLAG",
        "deadlock: T1 waits for a notify of changed",
        "missed notification",
        "T0 notifies changed ({gives one}) once, which wakes T2, while T1 waits on changed too and stays",
    ),
    (
        "leaves_one.cpp",
        "-DCACHE",
        "deadlock: T1 waits for a notify of changed",
        "missed notification",
        "while T1 waits on changed at the same line and stays: if both wait for the same, notify all.",
    ),
    (
        "leaves_one.cpp",
        "-DPIPE",
        "deadlock: T1 waits for a notify of not_empty",
        "missing notification",
        "T0 writes closed ({closes}) while T1, which read it ({looks}",
    ),
    (
        "leaves_one.cpp",
        "-DTOTAL",
        "assertion `sum == 3` failed",
        "order violation",
        "T0 loads total ({sums}) before T2 updates it ({adds}): wait for the end of T2 first, which it does only later ({later}).",
    ),
    (
        "leaves_one.cpp",
        "-DUNJOINED",
        "std::terminate was called, and nothing was thrown",
        "thread not joined",
        "Join it on every path, whatever the other threads have done by then",
    ),
    (
        "owned_thread.cpp",
        "-DMEMBER",
        "data race on ",
        "object lifetime",
        "T0 destroys what T1 still uses ({member uses}): Log::~Log ({member ends}) ends members in the reverse order of their declarations",
    ),
    (
        "owned_thread.cpp",
        "-DBASE",
        "data race on ",
        "object lifetime",
        "T0 destroys what T1 still uses ({base uses}): Log::~Log ({base ends}) ends members in the reverse order of their declarations",
    ),
    (
        "owned_thread.cpp",
        "-DWORKER",
        "data race on ",
        "object lifetime",
        "T0 destroys what T1 still uses ({worker uses}): Log::~Log ({worker ends}) ends members in the reverse order of their declarations",
    ),
    (
        "owned_thread.cpp",
        "-DFUTURE",
        "data race on ",
        "object lifetime",
        "T0 destroys what T1 still uses ({future uses}): Log::~Log ({future ends}) ends members in the reverse order of their declarations",
    ),
    (
        "read_at_once.c",
        "-O0",
        "assertion",
        "order violation",
        "T0 reads result ({reads}) before T1 writes it ({works}): wait for the end of T1 first, which it does only \
         later ({joins}).",
    ),
    (
        "owned_thread.cpp",
        "-DEARLY",
        "data race on ",
        "object lifetime",
        "({early makes}) there, which T1 uses ({early uses}). Start the thread when all that it uses is there",
    ),
    (
        "owned_thread.cpp",
        "-DBODY",
        "data race on ",
        "object lifetime",
        "({body makes}) there, which T1 uses ({body uses}). Start the thread when all that it uses is there",
    ),
];

#[test]
fn kinds_of_c() {
    for &(file, flags, headline, kind, text) in C {
        let scratch = Scratch::with(&format!("tests/programs/mistakes/{file}"));
        let source = scratch.read(file);
        let run = scratch.raddle(&format!("explore {file} --cflags={flags}")).json().exits(1);
        let failures = &run.report().failures;
        let found = failures.iter().find(|f| f.message.starts_with(headline));
        check(found.unwrap_or(&failures[0]), &source, (headline, kind, text));
        if file == "lifetime.cpp" {
            // No variable is called what only the compiler has.
            let race = failures.iter().find(|f| f.kind == "data-race").expect("a race");
            let word = "data race on the object's virtual table (8 bytes)";
            assert!(race.message.starts_with(word), "{}", race.message);
            let shown = race.events.iter().filter_map(|e| e.shown.as_deref()).any(|s| s.contains("Task"));
            assert!(shown, "{:#?}", race.events);
        }
    }
}

#[test]
fn an_object_that_joins_its_thread_first_is_right() {
    let scratch = Scratch::with("tests/programs/mistakes/owned_thread.cpp");
    for flag in ["LAST", "JOINED"] {
        scratch.raddle(&format!("explore owned_thread.cpp --cflags=-D{flag}")).run().exits(0);
    }
}
