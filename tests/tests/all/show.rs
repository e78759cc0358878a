//! `raddle show`: what is inserted, as a diff against the file as it was written.

use raddle_tests::Scratch;

/// The original and the edited lines of a diff, and nothing else changed between them.
fn sides(diff: &str) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    let mut removed = None;
    for line in diff.lines().filter(|l| !l.starts_with("---") && !l.starts_with("+++")) {
        if let Some(line) = line.strip_prefix('-') {
            assert_eq!(removed.replace(line.to_string()), None, "two lines for one in:\n{diff}");
        } else if let Some(line) = line.strip_prefix('+') {
            pairs.push((removed.take().expect("a line was added"), line.to_string()));
        }
    }
    assert_eq!(removed, None, "a line was removed in:\n{diff}");
    pairs
}

/// Can the edited line be had from the original by inserting alone?
fn is_inserted(original: &str, edited: &str) -> bool {
    let mut rest = edited.chars();
    original.chars().all(|c| rest.any(|r| r == c))
}

#[track_caller]
fn check(scratch: &Scratch, words: &str, inserted: &[&str]) {
    let run = scratch.raddle(words).run().exits(0);
    let pairs = sides(&run.stdout);
    assert!(!pairs.is_empty(), "{}", run.stdout);
    for (original, edited) in &pairs {
        assert!(is_inserted(original, edited), "{original}\n{edited}");
    }
    run.says(inserted);
}

#[test]
fn of_c() {
    let scratch = Scratch::with("samples/c/overdraft.c");
    check(
        &scratch,
        "show overdraft.c overdraft.c",
        &["{__raddle_fn(\"withdraw\");", "7 functions, all with"],
    );
    let plain = scratch.raddle("show overdraft.c overdraft.c").run().stdout;
    assert!(!plain.contains("__raddle_point"), "{plain}");
    let words = "show overdraft.c overdraft.c --granularity statement --points-at withdraw";
    check(&scratch, words, &["    __raddle_point();balance -= amount;"]);
    let some = scratch.raddle(words).run().stdout;
    assert!(!some.contains("__raddle_point();balance += amount;"), "{some}");
}

#[test]
fn of_rust() {
    let scratch = Scratch::with("samples/rust/bank");
    check(&scratch, "show bank bank/src/lib.rs", &["raddle_fn!(\"Bank::transfer\")"]);
    check(&scratch, "show bank bank/tests/audit.rs --granularity statement", &["raddle_point!();"]);
}

/// Functions that are left alone are named, each with its line and the reason.
#[test]
fn what_is_left_alone_is_said() {
    let scratch = Scratch::with("samples/rust/bank");
    let text = scratch.read("bank/src/lib.rs") + "\npub const fn limit() -> u32 {\n    7\n}\n";
    scratch.write("bank/src/lib.rs", &text);
    let line = raddle_tests::line_of(&text, "const fn limit");
    let run = scratch.raddle("show bank bank/src/lib.rs").run().exits(0);
    run.says(&["1 left alone", &format!("bank/src/lib.rs:{line}  limit"), "const"]);
}

#[test]
fn what_cannot_be_shown_says_why() {
    let scratch = Scratch::with("samples/rust/bank");
    scratch.add("samples/c/overdraft.c");
    scratch.add("samples/c/queue_if.c");
    scratch.write("bank/src/nobody.rs", "");
    scratch.write("bank/tests/broken.rs", "fn f( {}\n");
    for (words, said) in [
        (
            "show overdraft.c queue_if.c",
            ["is not compiled for overdraft.c", "raddle show overdraft.c overdraft.c"],
        ),
        ("show bank bank/src/nobody.rs", ["is not a file of bank", "no `mod`"]),
        ("show bank bank/src/lost.rs", ["bank/src/lost.rs", "No such file"]),
        ("show bank bank/tests/broken.rs", ["bank/tests/broken.rs is left alone", "line 1"]),
        ("show overdraft.c overdraft.c --granularity lines", ["lines", "--granularity"]),
    ] {
        scratch.raddle(words).run().exits(2).says(&said);
    }
}
