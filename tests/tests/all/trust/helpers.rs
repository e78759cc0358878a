//! A helper function that sleeps, yields, tries or waits for a time makes no loop of the code that calls it.

use raddle_protocol::report::Verdict;
use raddle_tests::{Scratch, only_failure};
use std::fmt::Write;

#[test]
fn a_helper_called_twice_is_no_loop() {
    for (program, naps) in [("naps.c", 5), ("naps.cpp", 4)] {
        let scratch = Scratch::with(&format!("tests/programs/trust/{program}"));
        for nap in 0..naps {
            let flags = format!("--cflags=-DNAP={nap}");
            let run = scratch.raddle(&format!("explore {program}")).arg(flags).json().exits(1);
            let failure = only_failure(run.report());
            assert_eq!((&*failure.kind, failure.preemptions), ("assertion", 1), "{program} {nap}");
        }
    }
}

#[test]
fn no_more_is_a_closure_called_twice() {
    let scratch = Scratch::with("tests/packages/trust_fairness");
    let reports = scratch.raddle("explore trust_fairness --test helpers").json().reports;
    for name in ["sleeps", "yields", "parks", "waits", "receives", "tries"] {
        let report = reports.iter().find(|r| r.test == format!("helper_{name}")).expect("the test");
        assert!(only_failure(report).message.contains("seen"), "{report:#?}");
    }
    // A function that calls itself comes back to the same place.
    let retry = reports.iter().find(|r| r.test == "two_by_recursion").expect("the test");
    assert!(retry.verdict == Verdict::Passed && retry.complete, "{retry:#?}");
}

/// Numbers drawn from a seed: splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) % n
    }
}

/// A program of two threads without loops, which rest by `rest(n)`: a macro where INLINED is set, else functions.
fn program(seed: u64) -> String {
    let mut draw = Draw(seed);
    let mut text = String::from(
        "#include <pthread.h>\n#include <sched.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n#include <unistd.h>\n\
         atomic_int x, y;\nsem_t none;\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
         #define REST_0 usleep(1)\n#define REST_1 sched_yield()\n\
         #define REST_2 sem_timedwait(&none, &(struct timespec){1, 0})\n\
         #define REST_3 if (!pthread_mutex_trylock(&m)) pthread_mutex_unlock(&m)\n\
         #ifdef INLINED\n#define rest(n) REST_##n\n#else\n\
         static void rest_0(void) { REST_0; }\nstatic void rest_1(void) { rest_0(); REST_1; }\n\
         static void rest_2(void) { REST_2; }\nstatic void rest_3(void) { REST_3; }\n\
         #define rest(n) rest_##n()\n#endif\n",
    );
    // Functions call others as well, and so does what they are compared with.
    text = text.replace("#define REST_1 sched_yield()", "#define REST_1 REST_0; sched_yield()");
    text = text.replace("rest_0(); REST_1;", "rest_0(); sched_yield();");
    let mut statements = |count: u64| {
        let statement = |draw: &mut Draw| match draw.below(6) {
            0 => "x = 1".to_owned(),
            1 => "(void)y".to_owned(),
            2 => "y++".to_owned(),
            n => format!("rest({})", (n + draw.below(2)) % 4),
        };
        (0..count).map(|_| statement(&mut draw) + ";").collect::<String>()
    };
    let (worker, main) = (statements(4), statements(3));
    let locked = "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);";
    write!(text, "static void *worker(void *u) {{ {worker} {locked} return u; }}\n\
         int main(void) {{ sem_init(&none, 0, 0); pthread_t t; pthread_create(&t, 0, worker, 0); {main} pthread_join(t, 0); }}\n")
    .expect("a string takes anything");
    text
}

/// What is explored does not depend on whether a function was compiled into its callers.
#[test]
fn a_helper_explores_what_its_body_in_its_place_does() {
    let scratch = Scratch::new();
    for seed in 0..6 {
        let file = format!("random_{seed}.c");
        scratch.write(&file, &program(seed));
        for search in ["", "--reduce none --bound none"] {
            let count = |flags: &str| {
                let run =
                    scratch.raddle(&format!("explore {file} {search}")).arg(format!("--cflags={flags}"));
                let run = run.json().exits(0);
                assert!(run.report().complete, "{seed}: {:#?}", run.report());
                run.report().executions
            };
            assert_eq!(count("-DINLINED"), count(""), "{search}\n{}", program(seed));
        }
    }
}
