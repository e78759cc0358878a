//! Random numbers, hash seeds and clocks: what is fixed is named, several seeds are tried with `--seeds`, and small random numbers
//! are explored with `--random-choices`.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::{Run, Scratch, only_failure};

/// What the guarantee names as fixed.
fn fixed(report: &Report) -> Option<String> {
    let (_, named) = report.guarantee.split_once(", fixed: ")?;
    let named = named.split(')').next()?.split(", ").take_while(|name| !name.contains(": "));
    Some(named.collect::<Vec<_>>().join(", "))
}

/// Where a test asks for what has one value in all executions, the verdict says so, and in no other test.
#[test]
fn what_has_one_value_is_named_where_it_is_asked_for() {
    let scratch = Scratch::with("tests/programs/trust/random.c");
    let run = scratch.raddle("explore random.c").json();
    let fixed = |test: &str| fixed(run.report_of(test));
    assert_eq!(fixed("test_getrandom").as_deref(), Some("random numbers"));
    assert_eq!(fixed("test_urandom").as_deref(), Some("random numbers"));
    assert_eq!(fixed("test_clock").as_deref(), Some("clock"));
    assert_eq!(fixed("test_both").as_deref(), Some("random numbers, clock"));
    assert_eq!(fixed("test_rand"), None);
    let told = scratch.raddle("explore random.c test_both").run().exits(0);
    told.says(&["fixed: random numbers, clock"]);
}

/// Seeds for which one of 2^19 runs of these tests would find nothing.
const SEEDS: &str = "--seeds 20";

/// Of two tests that need another number, one passes with every single seed; with several both fail. The schedule names the
/// seed, so its replay draws the same numbers.
#[test]
fn a_failure_that_needs_another_seed_is_found_and_replayed() {
    let scratch = Scratch::with("tests/programs/trust/random_pairs.c");
    let explore = |options: &str| scratch.raddle("explore random_pairs.c").args(options).json();
    let (one, several) = (explore(""), explore(SEEDS));
    for source in ["system", "device", "arc4", "time"] {
        let tests = ["even", "odd"].map(|kind| format!("test_{source}_{kind}"));
        let verdicts = tests.each_ref().map(|test| one.report_of(test).verdict);
        assert!(verdicts.contains(&Verdict::Passed) && verdicts.contains(&Verdict::Failed), "{source}");
        for test in &tests {
            let report = several.report_of(test);
            let seeds = report.seeds.as_ref().unwrap();
            let seed = seeds.failing.unwrap();
            assert_eq!((seeds.of.join(","), seeds.wanted), ("random numbers".to_string(), 20));
            assert_eq!(seeds.tried, seed + 1, "{report:#?}");
            let failure = only_failure(report);
            assert_eq!(failure.found_after, seed + 1, "{report:#?}");
            assert_eq!(
                failure.schedule.contains(&format!(".seed={seed}@")),
                seed > 0,
                "{}",
                failure.schedule
            );
            assert!(failure.replay.contains(&failure.schedule), "{}", failure.replay);
            let replay =
                |schedule: &str| scratch.raddle("replay random_pairs.c").arg(test).arg(schedule).run();
            replay(&failure.schedule).exits(1);
            replay("sync@default").exits(if seed > 0 { 0 } else { 1 });
        }
    }
    // Their files are followed as well.
    scratch.raddle("replay --all random_pairs.c test_system").run().exits(1).says(&["exact", ".seed="]);
}

/// C++'s random device asks the processor, which gave each execution another number.
#[test]
fn the_random_device_is_served() {
    let scratch = Scratch::with("tests/programs/trust/random_device.cpp");
    let explore = |options: &str| scratch.raddle("explore random_device.cpp").args(options).json();
    let verdicts =
        |run: &Run| ["even", "odd"].map(|kind| run.report_of(&format!("test_device_{kind}")).verdict);
    let one = explore("");
    let once = verdicts(&one);
    assert!(once.contains(&Verdict::Passed) && once.contains(&Verdict::Failed), "{once:?}");
    assert!(one.reports.iter().all(|r| fixed(r).as_deref() == Some("random numbers")));
    assert_eq!(verdicts(&explore("")), once);
    assert_eq!(verdicts(&explore(SEEDS)), [Verdict::Failed; 2]);
}

/// Tests that ask for nothing random are searched once, limits hold for all seeds together, and what passes says how many there
/// were.
#[test]
fn seeds_are_tried_where_something_random_is_asked_for() {
    let scratch = Scratch::with("tests/programs/trust/random_pairs.c");
    scratch.add("tests/programs/trust/random.c");
    let run = scratch.raddle("explore random.c --seeds 4").json();
    let clock = run.report_of("test_clock");
    assert_eq!((clock.executions, &clock.seeds, fixed(clock).as_deref()), (1, &None, Some("clock")));
    let both = run.report_of("test_both");
    assert_eq!((both.executions, fixed(both).as_deref()), (4, Some("clock")));
    let run = scratch.raddle("explore random_pairs.c --seeds 4 --exact test_own_seed test_threads").json();
    assert_eq!(run.report_of("test_own_seed").executions, 1);
    let all = run.report_of("test_threads");
    let each = all.executions / 4;
    assert!(all.verdict == Verdict::Passed && each > 1, "{all:#?}");
    let guarantee = "with each of 4 seeds of random numbers: all distinct interleavings";
    assert!(all.guarantee.starts_with(guarantee), "{}", all.guarantee);
    let told = scratch.raddle("explore random_pairs.c --seeds 4 test_threads").run().exits(0);
    told.says(&["random numbers: 4 seeds"]);
    let limited = scratch.raddle("explore random_pairs.c --seeds 4 --executions 2 test_threads").json();
    let report = limited.report_of("test_threads");
    assert_eq!((report.verdict, report.executions), (Verdict::Incomplete, 2), "{report:#?}");
    let told =
        scratch.raddle("explore random_pairs.c --seeds 4 --executions 2 test_threads -v").run().exits(3);
    told.says(&["random numbers: 2 of 4 seeds", "seeds 2 to 3 were not tried"]);
    let refused = scratch.raddle("explore random.c --seeds 2 --coverage x.svg").run().exits(2);
    refused.says(&["--seeds", "--coverage"]);
}

/// Each value of a small random number is one of an input; larger ones stay fixed, and are named.
#[test]
fn small_random_numbers_are_inputs() {
    let scratch = Scratch::with("tests/programs/trust/random_below.c");
    let run = scratch.raddle("explore random_below.c --random-choices").json();
    let is = |test: &str| {
        let report = run.report_of(test);
        (report.verdict, report.executions, fixed(report))
    };
    assert_eq!(is("test_right"), (Verdict::Passed, 8, None));
    assert_eq!(is("test_one"), (Verdict::Passed, 1, None));
    assert_eq!(is("test_nine"), (Verdict::Passed, 1, Some("random numbers".into())));
    let guarantee = &run.report_of("test_right").guarantee;
    assert!(guarantee.contains("explored: random numbers below 2 to 8 of arc4random_uniform"), "{guarantee}");
    assert_eq!(only_failure(run.report_of("test_philosophers")).kind, "deadlock");
    let failure = only_failure(run.report_of("test_eight"));
    let explanation = "arc4random_uniform (:6) gives another value than 7";
    let story = &failure.explained.as_ref().unwrap().story;
    assert!(story.iter().any(|line| line.contains(explanation)), "{story:#?}");
    assert!(failure.replay.ends_with(" --random-choices"), "{}", failure.replay);
    let replay = |options: &str| {
        scratch.raddle("replay random_below.c test_eight").arg(&failure.schedule).args(options).run()
    };
    replay("--random-choices").exits(1);
}

/// Tests of the package that fail when all small random numbers are explored.
const FAIL: [&str; 11] = [
    "fast::fast_first",
    "fast::fast_last",
    "fast::fast_queues",
    "fast::fast_shuffle",
    "futures::futures_first",
    "futures::futures_last",
    "ranges::rand_range",
    "ranges::rand_rarely",
    "ranges::rand_shuffle",
    "select::select_first",
    "select::select_last",
];

/// One package, which is built once.
#[test]
fn crates_draw_what_is_explored() {
    let scratch = Scratch::with("tests/packages/trust_random");
    small_numbers_of_crates_are_inputs(&scratch);
    hash_maps_and_crates_have_seeds(&scratch);
}

/// The crates that programs draw from: branch orders, ranges and shuffles are explored, what the program seeds is not, and no
/// more is named as fixed than is.
fn small_numbers_of_crates_are_inputs(scratch: &Scratch) {
    let run = scratch.raddle("explore trust_random fast futures ranges select --random-choices").json();
    let mut failed: Vec<&str> =
        run.reports.iter().filter(|r| r.verdict == Verdict::Failed).map(|r| r.test.as_str()).collect();
    failed.sort_unstable();
    assert_eq!(failed, FAIL);
    assert!(run.reports.iter().all(|r| r.complete || r.verdict == Verdict::Failed), "{:#?}", run.reports);
    let is = |test: &str| {
        let report = run.report_of(test);
        (report.executions, fixed(report).unwrap_or_default())
    };
    assert_eq!(is("fast::fast_seeded"), (1, String::new()));
    assert_eq!(is("ranges::rand_seeded"), (1, String::new()));
    assert_eq!(is("fast::fast_large"), (1, "random numbers".to_string()));
    // tokio's runtime has a hash map and reads the clock.
    assert_eq!(is("select::select_right"), (2, "hash seed, clock".to_string()));
    assert_eq!(is("select::select_biased"), (1, "hash seed, clock".to_string()));
}

/// The keys of hash maps are drawn from the seed, and so is what the crates draw; without either option one value is explored,
/// and named.
fn hash_maps_and_crates_have_seeds(scratch: &Scratch) {
    let explore = |options: &str| scratch.raddle("explore trust_random --exact").args(options).json();
    let tests = "hashes::hash_first hashes::hash_last select::select_first select::select_last";
    let one = explore(tests);
    let failed = |run: &Run, prefix: &str| {
        run.reports.iter().filter(|r| r.test.starts_with(prefix) && r.verdict == Verdict::Failed).count()
    };
    assert_eq!((failed(&one, "hashes"), failed(&one, "select")), (1, 1));
    assert!(one.reports.iter().all(|r| fixed(r).is_some_and(|named| named.contains("hash seed"))));
    let several = explore(&format!("{tests} {SEEDS}"));
    assert_eq!((failed(&several, "hashes"), failed(&several, "select")), (2, 2));
    let seeds = several.report_of("hashes::hash_first").seeds.as_ref().unwrap();
    assert_eq!(seeds.of, ["hash seed"]);
}
