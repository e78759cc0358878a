//! `--junit`.

use super::{HOSTILE_NAME, explore, hostile};
use raddle_tests::Scratch;
use std::process::Command;

const SCHEMA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/junit-10.xsd");

/// The file, held to the schema.
#[track_caller]
pub fn valid(scratch: &Scratch) -> String {
    let mut xmllint = Command::new("xmllint");
    xmllint.args(["--nonet", "--noout", "--schema", SCHEMA]).arg(scratch.path("out.xml"));
    let output = xmllint.output().expect("xmllint, which the test command installs");
    let text = scratch.read("out.xml");
    assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
    text
}

/// What an XPath expression gives.
#[track_caller]
fn at(scratch: &Scratch, path: &str) -> String {
    let mut xmllint = Command::new("xmllint");
    xmllint.arg("--nonet").arg("--xpath").arg(format!("string({path})")).arg(scratch.path("out.xml"));
    let output = xmllint.output().expect("xmllint");
    assert!(output.status.success(), "{path}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_string()
}

#[test]
fn a_case_for_each_test() {
    let scratch = Scratch::with("samples/rust/bank");
    let run = explore(&scratch, "bank").exits(1);
    valid(&scratch);
    assert_eq!(at(&scratch, "count(//testsuite)"), "1");
    assert_eq!(
        ["tests", "failures", "errors", "skipped"].map(|n| at(&scratch, &format!("//testsuite/@{n}"))),
        ["5", "1", "0", "0"]
    );
    let failed = "//testcase[@name='audit_sees_all_money']";
    assert_eq!(at(&scratch, &format!("{failed}/failure/@type")), "panic");
    assert_eq!(at(&scratch, &format!("{failed}/@classname")), "bank");
    let text = at(&scratch, &format!("{failed}/failure"));
    let replay = run.stdout.lines().find(|l| l.contains("raddle replay")).expect("a replay command");
    assert!(text.contains(replay.trim().trim_start_matches("replay").trim()), "{text}");
    assert!(text.contains("schedule  sync@"), "{text}");
    let passed = "//testcase[@name='no_money_is_missing_with_both_accounts_locked']";
    assert_eq!(at(&scratch, &format!("count({passed}/failure | {passed}/error | {passed}/skipped)")), "0");
    assert!(at(&scratch, &format!("{passed}/system-out")).contains("guarantee: all "));
}

#[test]
fn ignored_is_skipped_and_incomplete_is_an_error_of_its_own() {
    let scratch = Scratch::new();
    scratch.write("a/Cargo.toml", "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    let test = "#[test] fn f() { let m = std::sync::Mutex::new(0); std::thread::scope(|s| \
                for _ in 0..3 { s.spawn(|| *m.lock().unwrap() += 1); }); }\n\
                #[test] #[ignore] fn left_out() {}\n";
    scratch.write("a/src/lib.rs", test);
    explore(&scratch, "a --executions 1 --bound none").exits(3);
    valid(&scratch);
    assert_eq!(at(&scratch, "//testcase[@name='left_out']/skipped/@message"), "ignored");
    assert_eq!(at(&scratch, "//testcase[@name='f']/error/@type"), "incomplete");
    let counts =
        ["tests", "failures", "errors", "skipped"].map(|n| at(&scratch, &format!("//testsuite/@{n}")));
    assert_eq!(counts, ["2", "0", "1", "1"]);
}

#[test]
fn a_target_that_does_not_build_is_an_error() {
    let scratch = Scratch::new();
    scratch.write("broken.c", "int main(void) { return missing; }\n");
    explore(&scratch, "broken.c").exits(2);
    valid(&scratch);
    assert!(at(&scratch, "//testcase[@name='broken.c']/error").contains("missing"));
}

#[test]
fn what_the_program_says_is_text() {
    let scratch = hostile();
    valid(&scratch);
    let name = HOSTILE_NAME.trim_end_matches(".c");
    assert_eq!(at(&scratch, "//testcase/@name"), name);
    let message = at(&scratch, "//failure/@message");
    assert!(
        message.contains("\"><script>document.title='owned'</script> ]]> <!-- [a](1) {0} ␛[2J ␁ '"),
        "{message}"
    );
    assert!(at(&scratch, "//system-out").contains("]]> &amp; ␛[31m ␇"));
}
