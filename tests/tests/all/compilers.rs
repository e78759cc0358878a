//! gcc and clang: the same verdict, the same fewest preemptions and the same number of traces for every sample; and
//! without optimisation or with more of it too, where nothing races.

use raddle_protocol::report::{Event, Report};
use raddle_tests::binary::root;
use raddle_tests::extent::{everything, in_turn};
use raddle_tests::{Scratch, line_of, only_failure};

/// What has to be the same whoever compiled.
type Told = Vec<(String, String, Vec<(String, u32, Option<u32>)>, [u64; 3], Option<u64>, bool)>;

fn told(reports: &[Report]) -> Told {
    let one = |r: &Report| {
        let line = |f: &raddle_protocol::report::Failure| f.location.as_ref().map(|l| l.line);
        let failures = r.failures.iter().map(|f| (f.kind.clone(), f.preemptions, line(f))).collect();
        let counts = [r.executions, r.deadlocked, r.truncated];
        (r.test.clone(), format!("{:?}", r.verdict), failures, counts, r.classes, r.complete)
    };
    reports.iter().map(one).collect()
}

/// Explores a sample as these compilers build it with these options.
#[track_caller]
fn explore(sample: &str, compiler: &str, cflags: &str, options: &str) -> Told {
    let scratch = Scratch::with(&format!("samples/c/{sample}.c"));
    let explore = scratch.raddle(&format!("explore {sample}.c {options}")).env("CC", compiler);
    let run = explore.arg(format!("--cflags={cflags}")).json();
    assert!(matches!(run.status, Some(0 | 1)), "{sample} by {compiler}: {}", run.text());
    told(&run.reports)
}

/// All samples whose names end so; of some a part only, since all of them takes long.
fn samples(fixed: bool) -> Vec<(String, &'static str)> {
    let mut names: Vec<String> = std::fs::read_dir(root().join("samples/c"))
        .expect("the samples")
        .filter_map(|e| Some(e.ok()?.file_name().to_str()?.strip_suffix(".c")?.to_string()))
        .filter(|name| name.ends_with("_fixed") == fixed)
        .collect();
    names.sort();
    let options = |name: &str| match name {
        "pool_fixed" | "work_stealing" | "hot_pair_fixed" => "--bound preemptions=1",
        // Where an optimiser may have taken hooks away, the default search leaves no rounds out.
        "spin_fixed" => "--bound none --reduce optimal",
        _ => "",
    };
    names.into_iter().map(|name| (name.clone(), options(&name))).collect()
}

#[test]
fn samples_that_fail_are_the_same_with_both_compilers() {
    let samples = samples(false);
    assert!(samples.len() > 15);
    for (sample, options) in samples {
        let gcc = explore(&sample, "gcc", "", options);
        assert_eq!(explore(&sample, "clang", "", options), gcc, "{sample}");
    }
}

/// Compilers and levels beside gcc with what Raddle adds by itself, in parts that are tried in turn, or with `--all` all.
const LEVELS: [&[(&str, &str)]; 3] =
    [&[("clang", ""), ("gcc", "-O0")], &[("clang", "-O0"), ("gcc", "-O2")], &[("clang", "-O2")]];

/// These are free of races, so what the optimiser does with plain accesses is nobody's business.
#[test]
fn samples_that_pass_are_the_same_with_both_compilers_at_each_level() {
    let samples = samples(true);
    assert!(samples.len() > 12);
    for (turn, (sample, options)) in samples.into_iter().enumerate() {
        let gcc = explore(&sample, "gcc", "", options);
        for (compiler, level) in in_turn(&LEVELS, turn).concat() {
            assert_eq!(explore(&sample, compiler, level, options), gcc, "{sample} by {compiler} {level}");
        }
    }
}

/// Accesses of every size, alignment and kind that clang has a hook of its own for: each is unordered with the same one of
/// the other thread, in this line.
const KINDS: &str = r#"#include <pthread.h>
#include <string.h>
struct __attribute__((packed)) packed { char c; volatile int v; volatile short s; volatile long l; long p; };
struct block { char bytes[200]; };
struct packed packed;
struct block left, right;
volatile long long watched;
__int128 wide;
long copied[8];
static void kind_0(void) { packed.v = 1; }
static void kind_1(void) { packed.s++; }
static void kind_2(void) { packed.l |= 2; }
static void kind_3(void) { packed.p += 3; }
static void kind_4(void) { watched++; }
static void kind_5(void) { wide += 1; }
static void kind_6(void) { left = right; }
static void kind_7(void) { memset(&left, 1, sizeof left); }
static void kind_8(void) { memmove(copied, copied + 1, 24); }
static void kind_9(void) { memcpy(&right, copied, sizeof copied); }
static void *work(void *unused)
{
    KIND();
    return unused;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
"#;

#[test]
fn every_kind_of_access_is_seen_by_both_compilers_at_each_level() {
    let scratch = Scratch::new();
    scratch.write("kinds.c", KINDS);
    for kind in 0..10 {
        let line = line_of(KINDS, &format!("static void kind_{kind}("));
        // Each level by one of the compilers, another one for the next kind, or with `--all` by both.
        let compilers = [["gcc", "clang", "gcc"], ["clang", "gcc", "clang"]];
        let builds =
            in_turn(&compilers, kind).into_iter().flat_map(|c| c.into_iter().zip(["-O0", "-O1", "-O2"]));
        for (compiler, level) in builds {
            let said = format!("kind {kind} by {compiler} {level}");
            let explore = scratch.raddle("explore kinds.c --executions 4").env("CC", compiler);
            let run = explore.arg(format!("--cflags=-w {level} -DKIND=kind_{kind}")).json();
            let report = run.report();
            let race = report.failures.iter().find(|f| f.kind == "data-race").map(|f| &f.location);
            // What is volatile synchronises, with a warning; gcc's hooks do not tell it where it is not aligned.
            let warned = report.warnings.iter().find(|w| w.kind == "volatile").map(|w| &w.location);
            let (at, status) = match (race, warned) {
                (Some(race), None) if kind != 4 => (race, Some(1)),
                (None, Some(warned)) if [0, 1, 2, 4].contains(&kind) => (warned, Some(0)),
                other => panic!("{said}: {other:?}"),
            };
            assert_eq!(
                (at.as_ref().map(|l| l.line), run.status),
                (Some(line), status),
                "{said}: {}",
                run.text()
            );
        }
    }
}

/// As a build has it: each file by clang, with what projects ask it for.
#[test]
fn the_driver_over_clang() {
    let scratch = Scratch::with("samples/c/lost_update.c");
    scratch.write("other.c", "int other(int by);\nint other(int by) { return by + 1; }\n");
    let cc = |words: &str| {
        let run = scratch.raddle(&format!("cc {words}")).env("CC", "clang").run();
        assert_eq!((run.status, run.text().trim()), (Some(0), ""), "{words}");
    };
    let strict = "-Weverything -Werror -Wno-padded -Wno-atomic-implicit-seq-cst";
    cc(&format!("{strict} -c other.c"));
    cc(&format!("{strict} -S other.c"));
    scratch.write("plain.s", ".globl plain\nplain: ret\n.section .note.GNU-stack\n");
    scratch.write("cpp.S", "#ifndef __RADDLE__\n#error plain\n#endif\n.section .note.GNU-stack\n");
    cc(&format!("{strict} -c plain.s cpp.S"));
    cc(&format!("{strict} -DNDEBUG -I. -L. -rdynamic other.c -shared -fPIC -o libother.so"));
    cc("-Werror -O2 -flto lost_update.c other.o -o program");
    // A header alone is made a precompiled one, for what is compiled with the same options.
    scratch.write("shared.h", "int shared(void);\n");
    scratch.write("shared.c", "int shared(void) { return 1; }\n");
    cc("-O1 shared.h -o shared.h.pch");
    cc("-O1 -include-pch shared.h.pch -c shared.c");
    scratch.raddle("cc -O1 shared.h -o shared.h.gch").env("CC", "gcc").run().exits(0);
    scratch
        .raddle("cc -O1 -Winvalid-pch -Werror -include shared.h -c shared.c")
        .env("CC", "gcc")
        .run()
        .exits(0);
    let failure = |target: &str| {
        let run = scratch.raddle(&format!("explore {target}")).env("CC", "clang").json().exits(1);
        let failure = only_failure(run.report()).clone();
        (failure.kind, failure.preemptions, failure.location.map(|l| (l.file, l.line)))
    };
    assert_eq!(failure("program"), failure("lost_update.c"));
}

/// Hooks come behind gcc's optimisation of whole programs: with it there would be none.
#[test]
fn optimisation_of_whole_programs_does_not_lose_the_hooks() {
    for compiler in ["gcc", "clang"] {
        let scratch = Scratch::with("samples/c/lost_update_plain.c");
        let cc = |words: &str| {
            let run = scratch.raddle(&format!("cc -O2 -flto {words}")).env("CC", compiler).run();
            assert_eq!((run.status, run.text().trim()), (Some(0), ""), "{compiler} {words}");
        };
        cc("-flto=auto -ffat-lto-objects -c lost_update_plain.c");
        cc("lost_update_plain.o -o linked");
        cc("lost_update_plain.c -o at_once");
        for program in ["linked", "at_once"] {
            let run = scratch.raddle(&format!("explore {program}")).json().exits(1);
            let races = run.report().failures.iter().filter(|f| f.kind == "data-race");
            assert_eq!(races.count(), 1, "{compiler}: {program}");
        }
    }
}

/// What is accessed is called the same, by clang's debug information as by gcc's; local variables apart.
#[test]
fn reports_tell_the_same_execution_by_both_compilers() {
    let of = |sample: &str, compiler: &str| {
        let scratch = Scratch::with(&format!("samples/c/{sample}.c"));
        let run = scratch.raddle(&format!("explore {sample}.c")).env("CC", compiler).json().exits(1);
        let failure = only_failure(run.report()).clone();
        let event = |e: &Event| {
            let line = e.location.as_ref().map(|l| l.line);
            (e.thread.clone(), e.operation.clone(), e.object.clone(), e.method.clone(), line)
        };
        let locals = |e: &&Event| !(e.method == "main" && matches!(e.operation.as_str(), "read" | "write"));
        (failure.message.clone(), failure.events.iter().filter(locals).map(event).collect::<Vec<_>>())
    };
    for sample in ["lost_update", "segfault_once", "queue_if", "split_lock"] {
        assert_eq!(of(sample, "gcc"), of(sample, "clang"), "{sample}");
    }
}

/// What C++'s library waits for in loops of its headers: what the compilers make of these is nobody's business either.
const WAITS: &str = r#"#include <atomic>
#include <barrier>
#include <cassert>
#include <condition_variable>
#include <latch>
#include <memory>
#include <mutex>
#include <semaphore>
#include <stop_token>
#include <thread>


void test_barrier(void) {
    int phases = 0, written[2] = {0, 0};
    std::barrier meeting(2, [&]() noexcept { phases++; });
    auto work = [&](int own) {
        written[own] = 1;
        meeting.arrive_and_wait();
        assert(written[1 - own] == 1);
        meeting.arrive_and_wait();
        written[own] = 2;
        meeting.arrive_and_wait();
        assert(phases == 3);
    };
    std::thread one(work, 0), other(work, 1);
    one.join();
    other.join();
}

void test_latch(void) {
    std::latch ready(2);
    int left = 0, right = 0;
    std::thread one([&] { left = 1; ready.count_down(); });
    std::thread other([&] { right = 1; ready.arrive_and_wait(); assert(left == 1 && right == 1); });
    ready.wait();
    assert(left == 1 && right == 1);
    one.join();
    other.join();
}

std::counting_semaphore<8> written(0);
void test_semaphore(void) {
    int left = 0, right = 0;
    std::thread one([&] { left = 1; written.release(); }), other([&] { right = 1; written.release(); });
    written.acquire();
    written.acquire();
    assert(left == 1 && right == 1);
    one.join();
    other.join();
}

void test_callback(void) {
    std::atomic<int> calls{0};
    std::stop_source source;
    std::thread one([&] { std::stop_callback callback(source.get_token(), [&] { calls++; }); });
    source.request_stop();
    one.join();
    assert(calls <= 1);
}

void test_jthread(void) {
    std::mutex m;
    std::condition_variable_any changed;
    int ended = 0;
    {
        std::jthread worker([&](std::stop_token stop) {
            std::unique_lock guard(m);
            changed.wait(guard, stop, [] { return false; });
            ended = 1;
        });
    }
    assert(ended == 1);
}

std::atomic<std::shared_ptr<int>> shared{std::make_shared<int>(1)};
void test_pointer(void) {
    std::thread one([] { auto own = shared.load(); assert(*own > 0); });
    shared.store(std::make_shared<int>(2));
    one.join();
    assert(*shared.load() == 2);
}
"#;

#[test]
fn what_the_library_waits_for_is_the_same_with_both_compilers_at_each_level() {
    let scratch = Scratch::new();
    scratch.write("waits.cpp", WAITS);
    let explore = |compiler: &str, level: &str| {
        let explore = scratch.raddle("explore waits.cpp").env("CXX", compiler);
        told(&explore.arg(format!("--cflags=-std=c++20 {level}")).json().exits(0).reports)
    };
    let gcc = explore("g++", "");
    // Few executions: a wait is a look, a sleep and another look.
    let counts = |name: &str| {
        let (.., counts, _, complete) = gcc.iter().find(|t| t.0 == name).expect("the test");
        (counts[0], *complete)
    };
    for (name, most) in [
        ("test_barrier", 400),
        ("test_latch", 40),
        ("test_semaphore", 100),
        ("test_callback", 200),
        ("test_jthread", 200),
        ("test_pointer", 20),
    ] {
        let (executions, complete) = counts(name);
        assert!(complete && (2..=most).contains(&executions), "{name}: {executions}");
    }
    let builds = [("clang++", ""), ("g++", "-O0"), ("clang++", "-O2"), ("g++", "-O2"), ("clang++", "-O0")];
    for (compiler, level) in builds.into_iter().take(if everything() { 5 } else { 3 }) {
        assert_eq!(explore(compiler, level), gcc, "{compiler} {level}");
    }
}

/// Releasing two permits may wake one of two who wait, as libstdc++ 12 has it: what the headers of ours say less of is no
/// better for it.
#[test]
fn a_mistake_of_the_library_is_still_found() {
    let scratch = Scratch::new();
    scratch.write(
        "permits.cpp",
        "#include <semaphore>\n#include <thread>\nstatic std::counting_semaphore<8> permits(0);\n\
         static void take() { permits.acquire(); }\n\
         int main() { std::thread one(take), other(take); permits.release(); permits.release(); one.join(); other.join(); }\n",
    );
    for compiler in ["g++", "clang++"] {
        let explore = |flags: &str| {
            let explore = scratch.raddle("explore permits.cpp").env("CXX", compiler);
            explore.arg(format!("--cflags=-std=c++20 {flags}")).json()
        };
        let run = explore("").exits(1);
        let failure = only_failure(run.report());
        assert_eq!((failure.kind.as_str(), failure.preemptions), ("deadlock", 3), "{compiler}");
        explore("-D_GLIBCXX_USE_POSIX_SEMAPHORE").exits(0);
    }
}

/// A thread that loses an exchange of the counter looks again, as often as the library does: nobody sleeps beside a permit that is there.
#[test]
fn permits_that_others_take_and_give_back() {
    let scratch = Scratch::new();
    for (start, acquire, compilers) in [
        (2, "acquire()", &["g++", "clang++"][..]),
        (3, "acquire()", &["g++"]),
        (2, "assert(permits.try_acquire())", &["g++"]),
    ] {
        let source = format!(
            "#include <cassert>\n#include <semaphore>\n#include <thread>\n\
             static std::counting_semaphore<8> permits({start});\n\
             static void take() {{ permits.{acquire}; permits.release(); }}\n\
             int main() {{ std::thread one(take); take(); one.join(); }}\n"
        );
        scratch.write("permits.cpp", &source.replace("permits.assert(", "assert("));
        for compiler in compilers {
            let explore = scratch.raddle("explore permits.cpp --cflags=-std=c++20").env("CXX", compiler);
            let run = explore.json().exits(0);
            assert!(run.report().complete, "{compiler} {acquire}: {:#?}", run.report());
        }
    }
}

/// Outside of an execution the library's own code waits, and what our headers have put beside it is not asked.
#[test]
fn without_raddle_the_library_waits_itself() {
    let names = ["startline", "phases", "relay", "worker", "turnstile", "farewell"];
    for (turn, name) in names.into_iter().enumerate() {
        let scratch = Scratch::with(&format!("tests/programs/cpp/{name}.cpp"));
        for compiler in in_turn(&["g++", "clang++"], turn) {
            let words = format!("c++ -std=c++20 -DRIGHT {name}.cpp -o {name}");
            scratch.raddle(&words).env("CXX", compiler).run().exits(0);
            let status = std::process::Command::new(scratch.path(name)).status().expect("the program");
            assert!(status.success(), "{name} by {compiler}: {status}");
        }
    }
}

/// Other sanitizers keep memory of their own about the program's: that is said in our words, with what was written, wherever it
/// was.
#[test]
fn sanitizers_that_cannot_be_combined_are_refused_by_name() {
    for (compiler, name) in [("gcc", "address"), ("clang", "memory")] {
        let scratch = Scratch::with("samples/c/lost_update_plain.c");
        scratch.write("Makefile", &format!("CFLAGS = -fsanitize={name},undefined\nprogram: lost_update_plain.c\n\t$(CC) $(CFLAGS) -o $@ $<\n"));
        scratch.write("raddle.toml", "build = \"make\"\nprograms = [\"program\"]\n");
        for words in [&format!("explore lost_update_plain.c --cflags -fsanitize={name}"), "explore ."] {
            let run = scratch.raddle(words).env("CC", compiler).run();
            assert_eq!(run.status, Some(2), "{words}: {}", run.text());
            let said = format!("`-fsanitize={name}` cannot be combined with Raddle");
            assert!(run.text().contains(&said), "{words}: {}", run.text());
            assert!(!run.text().contains("-fsanitize=thread"), "{words}: {}", run.text());
        }
    }
}
