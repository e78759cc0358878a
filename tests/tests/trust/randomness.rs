//! Random numbers, hash seeds and clocks: what is fixed is named.

use raddle_tests::Scratch;

/// Where a test asks for what has one value in all executions, the verdict says so, and in no other test.
#[test]
fn what_has_one_value_is_named_where_it_is_asked_for() {
    let scratch = Scratch::with("tests/programs/trust/random.c");
    let run = scratch.raddle("explore random.c").json();
    let fixed = |test: &str| {
        let guarantee = &run.report_of(test).guarantee;
        guarantee.split_once(", fixed: ").map(|(_, named)| named.trim_end_matches(')').to_string())
    };
    assert_eq!(fixed("test_getrandom").as_deref(), Some("random numbers"));
    assert_eq!(fixed("test_urandom").as_deref(), Some("random numbers"));
    assert_eq!(fixed("test_clock").as_deref(), Some("clock"));
    assert_eq!(fixed("test_both").as_deref(), Some("random numbers, clock"));
    assert_eq!(fixed("test_rand"), None);
    let told = scratch.raddle("explore random.c test_both").run().exits(0);
    told.says(&["points · fixed: random numbers, clock"]);
}
